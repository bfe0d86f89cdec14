"""How long a page is: `python -m tools.book.length [notebooks/NN_stem.py ...]`, and the minutes that it takes.

What is open to be read: words outside `<details>` folds (a formula and a piece of code are one each), code cells that
are not folded and their lines; live figures, guesses, and the lines of the cells that draw. The limits are in `LIMITS`.
"""

import ast
import functools
import pathlib
import re
import statistics
import sys
from dataclasses import dataclass

import jupytext
from markdown_it import MarkdownIt

from tools.book import prose, sliders

FOLDER = prose.PROJECT / "notebooks"
WORDS_A_MINUTE, MINUTES_A_FIGURE, MINUTES_A_QUESTION = 130, 2, 1
FIGURE = "# Figure: "
QUESTION = r"\bpredict\(\s*(\"|question\b)"
SHORT = ("00_start_here", "90_reference")  # where one begins, and where one looks things up


@dataclass(frozen=True)
class Length:
    """How much of a page is open: what `LIMITS` bounds, and what its minutes are made from."""

    words: int
    cells: int
    lines: int
    figures: int
    guesses: int
    figure_lines: tuple

    @property
    def minutes(self):
        """Reading, playing and guessing, to the nearest five minutes."""
        asked = MINUTES_A_FIGURE * self.figures + MINUTES_A_QUESTION * self.guesses
        return max(5, 5 * round((self.words / WORDS_A_MINUTE + asked) / 5))

    @property
    def median_figure(self):
        return statistics.median(self.figure_lines) if self.figure_lines else 0

    @property
    def longest_figure(self):
        return max(self.figure_lines, default=0)


LIMITS = {"words": 2_800, "cells": 26, "lines": 300, "median_figure": 45, "longest_figure": 90}


def limit(stem, what):
    """At most how much of this a page has."""
    return 1_500 if what == "words" and stem in SHORT else LIMITS[what]


def unfolded(text):
    """A Markdown text without what its folds hold; the line that opens one stays."""
    return re.sub(r"(?s)(<details[^>]*>\s*(?:<summary>.*?</summary>)?).*?</details>", r"\1", text)


def words(text):
    """How many words of a Markdown text are open to be read."""
    count = 0
    for token in MarkdownIt("commonmark").enable("table").parse(prose.without_formulas(unfolded(text))):
        if token.type == "inline":
            count += prose.count(prose.spoken(token))
        elif token.type == "html_block":
            count += prose.count(re.sub(r"(?s)<!--.*?-->|<[^>]+>", " ", token.content))
    return count


def is_folded(cell):
    return cell.metadata.get("jupyter", {}).get("source_hidden", False)


def code_lines(code):
    """The lines of a cell that hold something, imports not counted."""
    tree = ast.parse(re.sub(r"(?m)^[%!].*$", "", code))
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    left_out = {line for node in imports for line in range(node.lineno, node.end_lineno + 1)}
    return sum(bool(line.strip()) and number not in left_out for number, line in enumerate(code.splitlines(), 1))


def measured(source):
    """The length of the page that is made from `source`."""
    return of_text(source.read_text(encoding="utf-8"))


@functools.cache
def of_text(text):
    """The same of the text of a source."""
    cells = jupytext.reads(text, fmt="py:percent").cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    shown = [cell.source for cell in code if not is_folded(cell)]
    drawn = [cell.source for cell in code if cell.source.startswith(FIGURE)]
    return Length(
        words=sum(words(cell.source) for cell in cells if cell.cell_type == "markdown"),
        cells=len(shown),
        lines=sum(map(code_lines, shown)),
        figures=len(re.findall(sliders.LIVE, text)),
        guesses=len(re.findall(QUESTION, text)),
        figure_lines=tuple(map(code_lines, drawn)),
    )


def excess(source):
    """What of a page is over its limit: {what: (how much, the limit)}."""
    found = measured(source)
    all_of_it = {what: (getattr(found, what), limit(source.stem, what)) for what in LIMITS}
    return {what: pair for what, pair in all_of_it.items() if pair[0] > pair[1]}


def main(pages):
    """Print the lengths of pages; what is over its limit has a mark. The exit code is 1 where something is."""
    sources = [pathlib.Path(page) for page in pages] or sorted(FOLDER.glob("*.py"))
    rest = f"{'figures':>9}{'guesses':>9}{'min':>5}"
    print(f"{'page':<18}{'words':>8}{'cells':>7}{'lines':>7}{'median':>8}{'longest':>9}{rest}")
    over = 0
    for source in sources:
        found, wrong = measured(source), excess(source)
        over += bool(wrong)
        row = [f"{getattr(found, what):g}{'!' if what in wrong else ' '}" for what in LIMITS]
        rest = f"{found.figures:>9}{found.guesses:>9}{found.minutes:>5}"
        print(f"{source.stem:<18}{row[0]:>8}{row[1]:>7}{row[2]:>7}{row[3]:>8}{row[4]:>9}{rest}")
    print(f"{over} of {len(sources)} over a limit (!); median and longest are lines of figure cells")
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
