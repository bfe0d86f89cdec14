"""Make the notebooks from their sources: `python -m tools.book.notebooks [--force] [notebooks/NN_stem.py ...]`.

Those that are named; else those that have changed since they were last built here (`tools.book.memory`), or with
--force all. jupytext carries the text over and keeps the cell ids; every cell is run; what differs from run to run
(widget views, execution times) is left out, so that building twice changes nothing.
"""

import argparse
import os
import pathlib
import subprocess
import sys

import nbformat
from nbclient import NotebookClient
from tqdm import tqdm

from tools.book import memory

WIDGET = "application/vnd.jupyter.widget-view+json"


def build(source):
    """Write the executed .ipynb beside `source`."""
    subprocess.run([sys.executable, "-m", "jupytext", "--quiet", "--update", "--to", "ipynb", source], check=True)
    target = source.with_suffix(".ipynb")
    notebook = nbformat.read(target, as_version=4)
    folder = {"metadata": {"path": str(source.parent)}}
    steady = {"store_widget_state": False, "record_timing": False, "coalesce_streams": True}
    nobody = os.environ | {"DPBOOK_GUESSES": os.devnull}  # no reader's own file shows on a stored page
    NotebookClient(notebook, timeout=300, resources=folder, **steady).execute(env=nobody)
    settle(notebook)
    nbformat.write(notebook, target)


def settle(notebook):
    """Drop what differs from run to run: widget views (the stored picture before them stays), the Python's version."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if WIDGET not in output.get("data", {})]
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}


def main(words):
    """Build what `words` ask for, and remember each page as it then stands."""
    parser = argparse.ArgumentParser(description="Make the notebooks from their sources.")
    parser.add_argument("sources", nargs="*", type=pathlib.Path, help="these; by default all that have changed")
    parser.add_argument("--force", action="store_true", help="all, whether they have changed or not")
    asked, built = parser.parse_args(words), memory.Memory("built")
    pages = sorted((memory.PROJECT / "notebooks").glob("*.py"))
    chosen = [source.absolute() for source in asked.sources] or [
        source for source in pages if asked.force or not built.has(source.stem, memory.key(memory.page(source)))
    ]
    for source in tqdm(chosen, unit="notebook", disable=not chosen):
        made_from = [name for name in memory.page(source) if not name.endswith(".ipynb")]
        before = memory.key(made_from)
        build(source)
        if memory.key(made_from) == before:  # else somebody wrote while it ran: it is made again next time
            built.keep({source.stem: memory.key(memory.page(source))})
    if not asked.sources:
        print(f"{len(chosen)} built, {len(pages) - len(chosen)} as they were")


if __name__ == "__main__":
    main(sys.argv[1:])
