"""The book on the web: `python -m tools.book.site` builds build/site from the stored notebooks; nothing in them is run.

`pages` turns a notebook into a page, `matter` writes what stands before and after the chapters, `films` runs what
`tools.book.films` needs (a page that changed, once), `mathematics` sets the formulas, `paper` makes PDFs and the zip.
`conf.py` is Sphinx's, and `host` sends the site to tests. What a reader gets has no foreign address, opens from a file
and under any path.
"""
