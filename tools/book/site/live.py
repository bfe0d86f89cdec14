"""What a page's worker runs: the cells that its figures need, as `films` runs them, and the files that they read."""

import json
import shutil

from tools.book import films as filming
from tools.book import memory
from tools.book.contents import ROOT
from tools.book.site.needed import needed


def write(names, folder):
    """Write `NN_stem.json` for each page, and the program of the films, into a folder of the site."""
    folder.mkdir(parents=True)
    shutil.copy(filming.__file__, folder / "films.py")
    for name in names:
        source = ROOT / "notebooks" / f"{name}.py"
        (folder / f"{name}.json").write_text(json.dumps({"cells": cells(source), "files": files(source)}))


def cells(source):
    """The cells to be run, each with its number on the page: the name of the film of its figure."""
    import jupytext

    page = jupytext.read(source).cells
    wanted = iter(needed([cell.source for cell in page if cell.cell_type == "code"]))
    return [[number, cell.source] for number, cell in enumerate(page) if cell.cell_type == "code" and next(wanted)]


def files(source):
    """What lies beside the page and is read by it."""
    return sorted(name.removeprefix("notebooks/") for name in memory.beside(source) if name.startswith("notebooks/"))
