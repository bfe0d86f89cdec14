"""The book in a browser with nothing installed: Python in WebAssembly (Pyodide), and what is tested and built of it.

`pins.toml` says what it is made from, `distribution` gets that and holds it against its sums, `packages` adds the book
itself, `batch` runs every page there and compares.
"""
