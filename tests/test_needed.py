"""What of a page is run for its films: all that its figures show, and none of the tables that nothing reads."""

import subprocess
import sys

import pytest

from tools.book import contents
from tools.book.contents import ROOT
from tools.book.site.needed import needed

FIGURE = "fig = draw(data)\nlive(fig, update)"


@pytest.mark.parametrize(
    "cells, kept",
    [
        (["data = 1", "table = data + 1\nprint(table)", FIGURE], [True, False, True]),
        (["rng = np.random.default_rng(1)\ndata = 1", "print(rng.normal())", FIGURE], [True, False, True]),
        (
            ["rng = np.random.default_rng(1)", "print(rng.normal())", "data = rng.normal()", FIGURE],
            [True, True, True, True],
        ),
        (["data = []", "data.append(1)", FIGURE], [True, True, True]),
        (["data = {}", "data['a'] = 1", FIGURE], [True, True, True]),
        (["data = []", "last = data.pop()", FIGURE], [True, True, True]),
        (["data = 1", "data += 1", FIGURE], [True, True, True]),
        (["data = 1", "if data:\n    data = 2", FIGURE], [True, True, True]),
        (["data = slow()", "data = 2", FIGURE], [False, True, True]),
        (["data = []", "def more():\n    data.append(1)", "more()", FIGURE], [True, True, True, True]),
        (["data = 1", "def update():\n    data = 2\n    return data", FIGURE], [True, True, True]),
        (["size = 1", "data = 1", "def update():\n    return size", FIGURE], [True, True, True, True]),
        (["data, more = 1, 2", "figure = live(data)", "print(more)", "figure"], [True, True, False, True]),
        (["data = 1", FIGURE, "late = data\nprint(late)"], [True, True, False]),
        (["def update():\n    return late", "late = 1\nprint(late)", "data = 1", FIGURE], [True, True, True, True]),
        (["def inner():\n    return late", "def update():\n    return inner()", "late = 1", FIGURE], [True] * 4),
    ],
)
def test_what_a_figure_reads_is_run_and_nothing_else(cells, kept):
    assert needed(cells) == kept


SHOTS = """
import hashlib, pathlib, sys
from tools.book.site import films

for cell, figure, start in films.run(pathlib.Path(sys.argv[1]), everything=sys.argv[2] == "all"):
    ends = {name: one.max for name, one in figure.controls.items() if hasattr(one, "max")}
    moved = {name: end for name, end in ends.items() if not isinstance(start[name], tuple)}
    for values in (start, start | moved):
        pixels, caption = figure.shot(values)
        print("SHOT", cell, hashlib.sha256(pixels.tobytes()).hexdigest(), caption)
"""


@pytest.mark.thorough
@pytest.mark.parametrize("stem", [chapter.name for chapter in contents.chapters()])
def test_a_figure_is_the_same_whether_or_not_all_of_its_page_is_run(stem):
    said = [
        subprocess.run(
            [sys.executable, "-c", SHOTS, ROOT / f"notebooks/{stem}.py", how],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for how in ("all", "needed")
    ]
    whole, part = ([line for line in one.splitlines() if line.startswith("SHOT")] for one in said)
    assert whole == part
