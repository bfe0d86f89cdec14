"""The first screen of a page in JupyterLab, 1280 x 800: its title, two sentences at most, and a figure that lives.

Its controls and its picture lie whole in it, and it asks nothing first. A page is run only as far as that figure.
"""

import ast
import re

import jupytext
import pytest

from tests import not_yet
from tools.book import length, prose
from tools.book.lab_page import POLLING

PAGES = [source for source in sorted(length.FOLDER.glob("*.py")) if source.stem != "90_reference"]  # is looked up
IN_EACH_RUN = ("00_start_here", "03_laplace", "16_compressive")  # of the others `make thorough` looks at the screen
CASES = [
    pytest.param(source, id=source.stem, marks=[pytest.mark.thorough] * (source.stem not in IN_EACH_RUN))
    for source in PAGES
]
pytestmark = [pytest.mark.browser, pytest.mark.depends("notebooks", "tests", "dpbook", "livefig", "tools/book")]

RUN = """place => {
    window.ran = false;
    const app = window.jupyterapp;
    app.shell.currentWidget.content.activeCellIndex = place;
    app.commands.execute('notebook:run-all-above').then(() => { window.ran = true; });
}"""
TO_TOP = """() => {
    const page = window.jupyterapp.shell.currentWidget.node;
    page.querySelectorAll('.jp-Notebook, .jp-Notebook *').forEach(node => { node.scrollTop = 0; });
}"""
# What of the page is seen, and where its parts lie: the upper and the lower edge of each.
EDGES = """() => {
    const page = window.jupyterapp.shell.currentWidget.node, figure = page.querySelector('.live-figure');
    const edges = node => { const box = node.getBoundingClientRect(); return [box.top, box.bottom].map(Math.round); };
    const parts = {title: 'h1', controls: '.live-figure .live-controls', picture: '.live-figure .live-picture'};
    const found = Object.entries(parts).map(([name, query]) => [name, edges(page.querySelector(query))]);
    return Object.fromEntries([...found, ['page', edges(page.querySelector('.jp-WindowedPanel-outer'))]]);
}"""


def opening(source):
    """What is wrong with how a page's source begins; and the number of its first live figure's cell."""
    cells = jupytext.read(source).cells
    wrong = []
    text = length.unfolded(cells[0].source)
    text = re.sub(r"(?m)^\[Map\]\(.*|^\*\*Assignment \d\d:.*|(?s:<details.*)", "", text)  # what `make contents` writes
    said = [one for _, one in prose.paragraphs(text)]
    if len(said) != 1 or len(prose.sentences(said[0])) > 2:
        wrong.append(f"under its title stand {len(said)} paragraphs: {said}; at most two sentences are wanted")
    for number, cell in enumerate(cells[1:], 1):
        if cell.cell_type == "code" and re.search(r"(?m)^(?:\w+ = )?live\(", cell.source):
            return wrong, number
        tree = ast.parse(cell.source) if cell.cell_type == "code" else None
        if tree is None or not all(isinstance(node, (ast.Import, ast.ImportFrom)) for node in tree.body):
            break
    return [*wrong, "before its first live figure stands more than imports"], None


@pytest.mark.parametrize("source", CASES)
def test_the_first_screen_holds_the_title_two_sentences_and_a_figure_that_lives(notebook, source):
    wrong, place = opening(source)
    if not wrong:
        with notebook(source.stem) as page:
            usual = page.viewport_size
            page.set_viewport_size({"width": 1280, "height": 800})
            wrong = unseen(page, place)
            page.set_viewport_size(usual)
    not_yet.hold("first_screen", source.stem, wrong)


@pytest.mark.parametrize("source", PAGES, ids=lambda source: source.stem)
def test_a_page_begins_with_its_title_two_sentences_and_a_live_figure(source):
    wrong, _ = opening(source)
    assert not wrong


def unseen(page, place):
    """What of a page's first figure is not in the first screen, when the page was run as far as that figure."""
    page.evaluate(RUN, place + 1)
    page.wait_for_function("window.ran", timeout=120_000, polling=POLLING)
    page.locator(".live-figure .live-page button").first.wait_for(state="attached", timeout=30_000)
    page.evaluate(TO_TOP)
    page.wait_for_function("() => document.querySelector('.live-figure .live-picture').naturalWidth", polling=POLLING)
    page.wait_for_timeout(200)
    edges = page.evaluate(EDGES)
    top, bottom = edges.pop("page")
    asks = ["it asks before it moves"] if page.locator(".live-figure").first.locator(".guess-first").count() else []
    low = {name: pair for name, pair in edges.items() if not top <= pair[0] < pair[1] <= bottom}
    return [
        *asks,
        *(f"{name} from {one} to {other}; the page is seen to {bottom}" for name, (one, other) in low.items()),
    ]


def test_what_is_wrong_with_a_beginning_is_seen(tmp_path):
    figure = "\n\n# %%\nlive(fig, update)\n"
    for text, wrong, place in (
        ("One. Two.", 0, 2),
        ("One. Two. Three.", 1, 2),
        ("One.\n#\n# Two.", 1, 2),
        ("One.\n#\n# <details><summary>Ten minutes.</summary>\n#\n# Two.\n#\n# </details>", 0, 2),
        ("One.\n\n# %%\nprint(1)", 1, None),
        ("One.\n\n# %% [markdown]\n# # More", 1, None),
    ):
        (page := tmp_path / "page.py").write_text(f"# %% [markdown]\n# # Title\n#\n# {text}\n\n# %%\nimport os{figure}")
        found, number = opening(page)
        assert (len(found), number) == (wrong, place), (text, found, number)
