"""What JupyterLab stores when a page is saved: nothing new where the reader has changed nothing.

`as_stored` is called before each save (Jupyter's `pre_save_hook`). Running a page, moving its sliders and opening its
folded cells are no changes: git stays clean, and a later `git pull` goes through.
"""

import pathlib

import nbformat

WIDGET = "application/vnd.jupyter.widget-view+json"


def as_stored(model, path, contents_manager, **_):
    """Make the notebook that is about to be stored fit to be: a page of the book as it stands, another without widgets.

    A page whose cells say what its source beside it says (notebooks/NN_name.py) is stored as it is on the disk. In any
    other notebook a view of a widget without the widget's state, which would be shown as an error, is left out.
    """
    if model["type"] != "notebook" or not model.get("content"):
        return
    notebook = nbformat.from_dict(model["content"])
    file = pathlib.Path(contents_manager.root_dir, path.strip("/"))
    if (stored := unchanged(notebook, file)) is not None:
        for cell, shown in zip(stored.cells, notebook.cells, strict=True):
            cell.metadata["trusted"] = shown.metadata.get("trusted", False)  # is not written; a signature is made of it
        notebook = stored
    elif "widgets" not in notebook.metadata:
        drop_views(notebook)
    model["content"] = notebook


def unchanged(notebook, file):
    """The page as it is on the disk, if it, its source and `notebook` all have the same cells; else None."""
    source = file.with_suffix(".py")
    if not (file.exists() and source.exists()):
        return None
    import jupytext

    stored = nbformat.read(file, as_version=4)
    return stored if cells(notebook) == cells(stored) == cells(jupytext.read(source)) else None


def cells(notebook):
    """What was written into the cells of a notebook: pairs of a kind and a text."""
    return [(cell.cell_type, "".join(cell.source)) for cell in notebook.cells]


def drop_views(notebook):
    """Leave out the views of widgets; the stored picture before each stays."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if WIDGET not in output.get("data", {})]
