"""The map of the book: each page right of what it needs, filled as far as the reader is, and nothing of it stored."""

import json
import pathlib
import re

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from dpbook import guesses, progress
from dpbook.progress import Page, direct, done, drawn, placed, right_checks, show_map
from tools.book import contents

PAGES = [
    Page("00", "start", "Ground", (), 3, 0),
    Page("01", "one", "Ground", ("00",), 4, 0),
    Page("02", "two", "Tables", ("00", "01"), 2, 4),
    Page("03", "three", "Tables", ("00", "02"), 0, 0),
]


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """A reader's file, and the folder with the saved copies; `answer(stem, how many)`."""
    monkeypatch.setenv("DPBOOK_GUESSES", str(tmp_path / "guesses.jsonl"))

    def answer(stem, number):
        monkeypatch.setenv("JPY_SESSION_NAME", f"/book/notebooks/{stem}.ipynb")
        for one in range(number):
            guesses.keep(guesses.predict(f"{stem} {one}?", ["yes", "no"]), "yes", 0.9, "no")

    return answer


def saved_copy(folder, said):
    """A release in which each check has said one of these lines."""
    notebook = nbformat.v4.new_notebook()
    for words in said:
        output = nbformat.v4.new_output("execute_result", data={"text/plain": words}, execution_count=1)
        cell = nbformat.v4.new_code_cell("check(...)", metadata={"nbgrader": {"grade": True}}, outputs=[output])
        notebook.cells += [nbformat.v4.new_code_cell("'right'", outputs=[output]), cell]
    nbformat.write(notebook, folder / "02_two.ipynb")


def test_a_page_is_as_far_as_its_questions_and_its_checks(reader, tmp_path):
    assert done(PAGES, tmp_path) == {}, "no file, no copy"
    reader("01_one", 3)
    saved_copy(tmp_path, ["right", "not yet: write your answer", "right: and short", "keep going: right idea"])
    assert done(PAGES, tmp_path) == {"01_one": (3, 0), "02_two": (0, 2)}
    text = drawn(PAGES, done(PAGES, tmp_path))
    assert "3 of 4 questions answered" in text and "0 of 2 questions answered; 2 of 4 tasks right" in text
    around = 8 * 3.14159265
    assert f"{0.75 * around:.2f} {around:.2f}" in text and 'y="10" width="10" height="5"' in text


def test_a_file_that_is_no_notebook_counts_for_nothing(tmp_path):
    path = tmp_path / "02_two.ipynb"
    check = '{"cells": [{"metadata": {"nbgrader": {"grade": true}}, "outputs": %s}]}'
    for text in ("", "[]", "{}", '{"cells": [1]}', '{"cells": null}', check % "null", check % "[1]"):
        path.write_text(text)
        assert right_checks(path) == 0


def test_what_was_answered_before_a_question_went_does_not_overflow(reader, tmp_path):
    reader("02_two", 5)
    assert "2 of 2 questions answered" in drawn(PAGES, done(PAGES, tmp_path))


def test_pages_stand_right_of_what_they_need():
    places = placed(PAGES)
    assert [places[page.number][0] for page in PAGES] == [0, 1, 2, 3]
    assert [direct(page, PAGES) for page in PAGES] == [[], ["00"], ["01"], ["02"]]
    with pytest.raises(ValueError, match="need each other: 00, 01"):
        placed([PAGES[0]._replace(needs=("01",)), PAGES[1]])


def test_the_reader_s_own_map_is_shown_and_not_stored(reader, tmp_path):
    InteractiveShell.instance()
    reader("00_start", 3)
    with capture_output() as shown:
        show_map(PAGES, tmp_path)
    stored, own = (output.data for output in shown.outputs)
    assert stored["text/html"] == drawn(PAGES, {}) and "3 of 3" not in json.dumps(stored)
    assert list(own) == ["application/vnd.jupyter.widget-view+json"]


def test_every_page_of_the_book_is_on_its_map_and_can_be_reached():
    source = contents.chapters()[0].source
    rows = re.search(r"(?s)PAGES = \[(.*?)\n\]", source.read_text())[1]
    pages = eval(f"[{rows}]", {"Page": Page})
    assert [page.name for page in pages] == [chapter.name for chapter in contents.chapters()]
    links = re.findall(r'href="([^"]*)"', drawn(pages, {}))
    assert all((source.parent / link).with_suffix(".py").exists() for link in links) and len(links) == len(pages)
    assert progress.RELEASES == pathlib.Path("../exercises/releases")
    with_tasks = {page.name for page in pages if page.tasks}
    assert with_tasks == {path.stem for path in (source.parent / progress.RELEASES).glob("*.ipynb")}
    width = int(re.search(r'<svg width="(\d+)"', drawn(pages, {}))[1])
    assert width <= 878, "what a stored output has of a screen of 1280 pixels"
