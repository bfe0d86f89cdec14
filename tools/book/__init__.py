"""The book: pages built from their sources, the table of chapters, a browser, a JupyterLab, the table of claims."""
