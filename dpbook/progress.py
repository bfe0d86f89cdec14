"""Where the reader is: a map of the book whose nodes fill as its pages are read and its tasks solved.

Nothing is counted that the reader has not done. A page is read as far as its questions are answered, by the file of
`dpbook.guesses`. An assignment is solved as far as the checks in the reader's saved copy say "right". So the map keeps
nothing of its own.
Notebook: 00_start_here.
"""

import html
import json
import math
import pathlib
from collections import Counter
from typing import NamedTuple

from IPython.display import display

from dpbook import guesses
from dpbook.guesses import Unstored
from dpbook.plots import COLOURS

RELEASES = pathlib.Path("../exercises/releases")  # seen from the folder of the pages
COLUMN, ROW, SIZE = 146, 38, 20  # pixels
PARTS = (COLOURS.noisy, COLOURS.other, COLOURS.third, COLOURS.fourth, COLOURS.amber, COLOURS.light, "currentColor")
PARTS += (COLOURS.grey,)
STYLE = """<style>
.jp-OutputArea-child:has(+ .jp-OutputArea-child .book-map-live) { display: none; }
.book-map a { position: absolute; display: flex; align-items: center; gap: 5px; font-size: 13px; color: inherit;
  white-space: nowrap; text-decoration: none; line-height: 20px; }
.book-map a span { background: var(--jp-layout-color0, white); }
.book-map a:is(:hover, :focus-visible) { text-decoration: underline; }
</style>"""


class Page(NamedTuple):
    """A page of the book: what it needs (numbers of pages), how many questions it asks, how many tasks there are."""

    number: str
    stem: str
    part: str
    needs: tuple
    questions: int
    tasks: int

    @property
    def name(self):
        return f"{self.number}_{self.stem}"


def show_map(pages, releases=RELEASES):
    """Show the map of these pages: an empty one, which is stored, and over it the reader's own, which is not."""
    empty = drawn(pages, {})
    display({"text/html": empty, "text/plain": f"A map of {len(pages)} pages, each right of those it needs."}, raw=True)
    own = Unstored(drawn(pages, done(pages, releases)))
    own.add_class("book-map-live")
    own._ipython_display_()


def done(pages, releases=RELEASES):
    """How far each page is: name -> (questions answered, tasks right), of the pages with any."""
    answered = Counter(record.get("page") for record in guesses.read().values())
    found = {page.name: (answered[page.name], right_checks(releases / f"{page.name}.ipynb")) for page in pages}
    return {name: both for name, both in found.items() if any(both)}


def right_checks(path):
    """How many checks of a saved assignment say "right"; 0 where there is no notebook."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        checks = [cell for cell in cells if cell.get("metadata", {}).get("nbgrader", {}).get("grade")]
        said = ["".join(one.get("data", {}).get("text/plain", "")) for c in checks for one in c.get("outputs", [])]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return 0
    return sum(words.startswith("right") for words in said)


def drawn(pages, far):
    """The map as HTML: each page a link, right of what it needs; disc and square filled as far as `far` says."""
    places = placed(pages)
    width = COLUMN * (1 + max(x for x, _ in places.values()))
    height = ROW * (1 + max(y for _, y in places.values()))
    edges = "".join(_edge(places[one], places[page.number]) for page in pages for one in direct(page, pages))
    parts = list(dict.fromkeys(page.part for page in pages))
    nodes = "".join(
        _node(page, places[page.number], parts.index(page.part), far.get(page.name, (0, 0))) for page in pages
    )
    key = " ".join(
        f'<span style="color:{PARTS[n % len(PARTS)]}">&#9679;</span> {html.escape(part)}'
        for n, part in enumerate(parts)
    )
    lines = f'<svg width="{width}" height="{height}" style="position:absolute" aria-hidden="true">{edges}</svg>'
    box = f"position:relative;width:{width}px;height:{height}px"
    return (
        f'{STYLE}<div class="book-map" style="overflow-x:auto"><div role="navigation" aria-label="Map of the book" '
        f'style="{box}">{lines}{nodes}</div><div style="font-size:12px">{key}</div></div>'
    )


def placed(pages):
    """number -> (column, row): each page right of what it needs, as far left as can be, in the order of the book."""
    columns, places, filled = {}, {}, Counter()
    for page in _after_their_needs(pages):
        columns[page.number] = 1 + max((columns[one] for one in page.needs if one in columns), default=-1)
    for page in pages:
        column = columns[page.number]
        places[page.number] = (column, filled[column])
        filled[column] += 1
    tallest = max(filled.values())
    return {number: (x, y + (tallest - filled[x]) / 2) for number, (x, y) in places.items()}


def _after_their_needs(pages):
    """The pages in an order in which each comes after those it needs."""
    known, here, left = [], set(), list(pages)
    numbers = {page.number for page in pages}
    while left:
        ready = [page for page in left if set(page.needs) & numbers <= here]
        if not ready:
            raise ValueError(f"pages that need each other: {', '.join(page.number for page in left)}")
        known += ready
        here |= {page.number for page in ready}
        left = [page for page in left if page.number not in here]
    return known


def direct(page, pages):
    """What a page needs and none of its other needs needs already: the lines of the map."""
    needs = {one.number: set(one.needs) for one in pages}

    def behind(number):
        return needs[number].union(*(behind(one) for one in needs[number] if one in needs))

    own = [one for one in page.needs if one in needs]
    return [one for one in own if not any(one in behind(other) for other in own)]


def _edge(start, end):
    x, y = COLUMN * start[0] + SIZE / 2, ROW * start[1] + SIZE / 2
    u, v = COLUMN * end[0] + SIZE / 2, ROW * end[1] + SIZE / 2
    bend = (u - x) / 2
    path = f"M{x:g} {y:g}C{x + bend:g} {y:g} {u - bend:g} {v:g} {u:g} {v:g}"
    return f'<path d="{path}" fill="none" stroke="{COLOURS.grey}" stroke-opacity="0.35"/>'


def _node(page, place, part, far):
    answered, right = (min(*both) for both in zip(far, (page.questions, page.tasks), strict=True))
    colour = PARTS[part % len(PARTS)]
    around = 2 * math.pi * 4
    share = answered / page.questions if page.questions else 0
    paper = "fill:var(--jp-layout-color1,white)"
    disc = (
        f'<circle cx="10" cy="10" r="8.5" style="{paper}" stroke="{colour}" stroke-width="2"/>'
        f'<circle cx="10" cy="10" r="4" fill="none" stroke="{colour}" stroke-width="8" transform="rotate(-90 10 10)" '
        f'stroke-dasharray="{share * around:.2f} {around:.2f}"/>'
    )
    square = ""
    if page.tasks:
        full = 10 * right / page.tasks
        square = (
            f'<rect x="24" y="5" width="10" height="10" fill="none" stroke="{colour}"/>'
            f'<rect x="24" y="{15 - full:g}" width="10" height="{full:g}" fill="{colour}"/>'
        )
    says = [f"{answered} of {page.questions} questions answered"] if page.questions else []
    says += [f"{right} of {page.tasks} tasks right"] if page.tasks else []
    marks = f'<svg width="{36 if page.tasks else 20}" height="20" aria-hidden="true">{disc}{square}</svg>'
    at = f"left:{COLUMN * place[0]:g}px;top:{ROW * place[1]:g}px"
    title = html.escape("; ".join(says))
    words = f"{page.number} {html.escape(page.stem.replace('_', ' '))}"
    return f'<a href="{page.name}.ipynb" style="{at}" title="{title}">{marks}<span>{words}</span></a>'
