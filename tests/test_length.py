"""No page is longer than a lesson: words, open code, figure cells; and what counts as open."""

import pathlib

import pytest

from tests import not_yet
from tools.book import contents, length, prose

PAGES = sorted(length.FOLDER.glob("*.py"))
pytestmark = pytest.mark.depends("notebooks", "tests", "book.toml", "tools/book/prose.toml", *prose.PLACES[:4])

PAGE = """# %% [markdown]
# # 01 A title
#
# Two words, then $a + b$ and `some code` and [a link](https://example.org/a-long-way).
#
# <details><summary>Proof: an idea.</summary>
#
# All this is folded, and not counted: $$x = y.$$
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import os

# %% jupyter={"source_hidden": true}
# Figure: a line, at the height that the slider says
from one import (
    two,
)

fig = 1

live(fig, guess=predict("How high is it?", (0, 1), None))

# %%
import re

x = 1
# a comment

y = 2

# %% [markdown]
# ```python
# z = 3
# ```
#
# | one | two |
# |---|---|
# | three | four |
"""


def test_what_is_open_is_counted_and_what_is_folded_is_not():
    found = length.of_text(PAGE)
    title, sentence, summary, table = 3, 8, 4, 4
    assert found.words == title + sentence + summary + table
    assert (found.cells, found.lines, found.figures, found.guesses) == (1, 3, 1, 1)
    assert found.figure_lines == (3,)


def test_minutes_are_those_of_words_figures_and_questions():
    page = length.Length(words=2_600, cells=0, lines=0, figures=4, guesses=3, figure_lines=())
    assert page.minutes == 30, "20 + 8 + 3, to the nearest five"
    assert length.Length(0, 0, 0, 0, 0, ()).minutes == 5


@pytest.mark.parametrize("source", PAGES, ids=lambda source: source.stem)
def test_a_page_is_no_longer_than_a_lesson(source):
    not_yet.hold("length", source.stem, length.excess(source))


def test_a_page_that_is_too_long_is_seen(tmp_path):
    page = tmp_path / "01_long.py"
    page.write_text(PAGE + "\n# %% [markdown]\n# " + 2_800 * "word " + 27 * "\n\n# %%\nx = [\n    1,\n]")
    assert {what: most for what, (_, most) in length.excess(page).items()} == {"words": 2_800, "cells": 26}
    assert length.main([page]) == 1
    (short := tmp_path / "90_reference.py").write_text(PAGE + "\n# %% [markdown]\n# " + 1_500 * "word ")
    assert list(length.excess(short)) == ["words"]


def test_the_lists_of_what_is_not_yet_name_what_is_there(tmp_path, monkeypatch):
    stems = {chapter.name for chapter in contents.chapters()}
    assert not_yet.lists()["length"] <= stems
    assert all((pathlib.Path(length.prose.PROJECT) / name).exists() for name in not_yet.lists()["prose"])
    copy = tmp_path / "not_yet.toml"
    copy.write_text('# words\n\nlength = [\n    "01_one",\n    "02_two",\n]\n\nprose = [\n    "01_one",\n]\n')
    monkeypatch.setattr(not_yet, "LIST", copy)
    not_yet.take_off("length", ["01_one"])
    not_yet.take_off("prose", ["01_one"])
    assert copy.read_text() == '# words\n\nlength = [\n    "02_two",\n]\n\nprose = []\n'
