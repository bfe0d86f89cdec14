"""The mechanisms of the workbook, each once: `dpbook.laplace`, `dpbook.svt`, ...; not for real releases."""


def __getattr__(name):
    """`dpbook.__version__`, looked up when it is asked for: jailed answers start without it, and faster."""
    if name == "__version__":
        from importlib import metadata

        return metadata.version("dpbook")
    raise AttributeError(f"module 'dpbook' has no attribute {name!r}")
