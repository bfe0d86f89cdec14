"""Saving a page: nothing new is stored where the reader has changed nothing, and all where something was changed."""

import asyncio
import copy

import jupytext
import nbformat
import pytest
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

from tools.book.saving import WIDGET, as_stored

SOURCE = """# %% [markdown]
# # A page

# %%
print("one")

# %% jupyter={"source_hidden": true}
2 + 2
"""
VIEW = nbformat.v4.new_output("display_data", data={WIDGET: {"model_id": "0123"}})
STEM = "01_page"


@pytest.fixture
def stored(tmp_path):
    """The page as it is in the clone: executed, its source beside it."""
    (tmp_path / f"{STEM}.py").write_text(SOURCE)
    page = jupytext.reads(SOURCE, fmt="py:percent")
    page.metadata["language_info"] = {"name": "python"}
    page.cells[1].update(execution_count=1, outputs=[nbformat.v4.new_output("stream", text="one\n")])
    result = nbformat.v4.new_output("execute_result", data={"text/plain": "4"}, execution_count=2)
    page.cells[2].update(execution_count=2, outputs=[result])
    nbformat.write(page, tmp_path / f"{STEM}.ipynb")
    return nbformat.read(tmp_path / f"{STEM}.ipynb", as_version=4)


@pytest.fixture
def save(stored, tmp_path):
    """`save(notebook, name)` by a server's manager of files; what then stands on the disk."""
    manager = AsyncLargeFileManager(root_dir=str(tmp_path))
    manager.pre_save_hook = as_stored

    def saved(notebook, name=STEM):
        asyncio.run(manager.save({"type": "notebook", "format": "json", "content": notebook}, f"{name}.ipynb"))
        return (tmp_path / f"{name}.ipynb").read_text(encoding="utf-8")

    return saved


@pytest.fixture
def shown(stored):
    """The page as JupyterLab hands it over when it was run again and its folded cell was opened."""
    notebook = copy.deepcopy(stored)
    for number, cell in enumerate(notebook.cells[1:]):
        cell.execution_count = 50 + number
        cell.metadata = nbformat.from_dict({"trusted": True})
        cell.outputs = [copy.deepcopy(VIEW), *cell.outputs]
    notebook.metadata["language_info"] = {"name": "python", "version": "3.99"}
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {}}}
    return notebook


def test_a_page_that_was_only_read_is_stored_to_the_byte(shown, save, tmp_path):
    before = (tmp_path / f"{STEM}.ipynb").read_bytes()
    assert save(shown).encode() == before


@pytest.mark.parametrize("change", ["code", "text", "cell"])
def test_what_the_reader_changes_is_kept_with_what_it_printed(shown, save, change):
    del shown.metadata["widgets"]
    if change == "cell":
        shown.cells.append(nbformat.v4.new_code_cell("1 + 1"))
    else:
        shown.cells[1 if change == "code" else 0].source += "\n# mine"
    kept = nbformat.reads(save(shown), as_version=4)
    assert [cell.source for cell in kept.cells] == [cell.source for cell in shown.cells]
    assert kept.cells[1].execution_count == 50 and "trusted" not in kept.cells[1].metadata
    assert WIDGET not in str(kept), "a view without its model is an error message tomorrow"


def test_a_page_that_is_changed_back_shows_what_it_prints_now(shown, save):
    """Not what it printed while it was changed."""
    changed, back = copy.deepcopy(shown), copy.deepcopy(shown)
    changed.cells.append(nbformat.v4.new_code_cell("1 + 1"))
    back.cells[1].outputs = [nbformat.v4.new_output("stream", text="now")]
    save(changed)
    assert nbformat.reads(save(back), as_version=4).cells[1].outputs[0].text == "now"


def test_a_notebook_of_the_readers_own_keeps_its_widgets_with_their_state(shown, save):
    assert WIDGET in save(shown, "mine")
    del shown.metadata["widgets"]
    assert WIDGET not in save(shown, "mine")
