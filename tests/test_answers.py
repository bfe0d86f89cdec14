"""The answers to the tasks of the pages: there is one for each task, and each runs and prints what is stored."""

import pathlib
import re

import jupytext
import nbformat
import pytest

ROOT = pathlib.Path(__file__).parents[1]
ANSWERS = sorted((ROOT / "exercises/answers").glob("[0-9]*.py"))


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: path.stem)
def test_every_task_of_the_page_has_its_hint_and_its_answer(path):
    page = (ROOT / "notebooks" / path.name).read_text(encoding="utf-8")
    asked = page[page.index("# ## On your own") :]
    asked = re.findall(r"(?m)^# (\d+)\. ", asked[: asked.index("\n# ## ", 5)])
    text = path.read_text(encoding="utf-8")
    answered = re.findall(r"(?m)^# ## (\d+)\. ", text)
    assert asked and answered == asked
    parts = re.split(r"(?m)^# ## \d+\. ", text)[1:]
    assert all("*Hint.*" in part and "# %%\n" in part and len(part) > 300 for part in parts)


def test_the_pages_with_tasks_have_their_answers():
    with_tasks = {path.name for path in (ROOT / "notebooks").glob("*.py") if "# ## On your own" in path.read_text()}
    assert len(with_tasks) > 15 and with_tasks <= {path.name for path in ANSWERS}


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: path.stem)
def test_the_stored_answers_are_made_from_their_source(path):
    stored, source = nbformat.read(path.with_suffix(".ipynb"), as_version=4), jupytext.read(path)
    assert [(cell.cell_type, cell.source) for cell in stored.cells] == [
        (cell.cell_type, cell.source) for cell in source.cells
    ]
    ran = [cell.execution_count for cell in stored.cells if cell.cell_type == "code"]
    assert ran == list(range(1, len(ran) + 1))
