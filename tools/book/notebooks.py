"""Make the notebooks from their sources: `python -m tools.book.notebooks [notebooks/NN_stem.py ...]` (default: all).

jupytext carries the text over and keeps the cell ids; every cell is run; what differs from run to run (widget views,
execution times) is left out, so that building twice changes nothing.
"""

import pathlib
import subprocess
import sys

import nbformat
from nbclient import NotebookClient
from tqdm import tqdm

WIDGET = "application/vnd.jupyter.widget-view+json"


def build(source):
    """Write the executed .ipynb beside `source`."""
    subprocess.run([sys.executable, "-m", "jupytext", "--quiet", "--update", "--to", "ipynb", source], check=True)
    target = source.with_suffix(".ipynb")
    notebook = nbformat.read(target, as_version=4)
    folder = {"metadata": {"path": str(source.parent)}}
    steady = {"store_widget_state": False, "record_timing": False, "coalesce_streams": True}
    NotebookClient(notebook, timeout=300, resources=folder, **steady).execute()
    settle(notebook)
    nbformat.write(notebook, target)


def settle(notebook):
    """Drop what differs from run to run: widget views (the stored picture before them stays), the Python's version."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if WIDGET not in output.get("data", {})]
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}


if __name__ == "__main__":
    chosen = [pathlib.Path(name) for name in sys.argv[1:]] or sorted(pathlib.Path("notebooks").glob("*.py"))
    for source in tqdm(chosen, unit="notebook"):
        build(source)
