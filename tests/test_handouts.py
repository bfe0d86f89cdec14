"""Slides and prints: a deck that fetches nothing, made from tags or from headings, theorems and figures; PDFs."""

import pathlib
import re

import nbformat
import pytest

from tools.book import handouts
from tools.book.site.mathematics import mathjax

pytestmark = pytest.mark.depends("notebooks", "tests/test_handouts.py", "tools/book/handouts.py")
PAGES = pathlib.Path(__file__).parents[1] / "notebooks"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def code(source, picture=False, tags=()):
    data = {"image/png": PIXEL} if picture else {"text/plain": "7"}
    output = nbformat.v4.new_output("display_data", data)
    return nbformat.v4.new_code_cell(source, outputs=[output], metadata={"tags": list(tags)})


def text(source, tags=()):
    return nbformat.v4.new_markdown_cell(source, metadata={"tags": list(tags)})


def book(*cells):
    return nbformat.v4.new_notebook(cells=list(cells))


PAGE = book(
    text("# 99 A page\n\n[Map](x)\n\n**What you will see:** noise.\n\n## A theorem\n\n> **Theorem 99.1.** $1<2$."),
    text("> **A good place to stop.** What follows is longer."),
    code("secret_calculation = 7"),
    code("draw()", picture=True),
    text("| a | b |\n|---|---|\n\n## Long\n\n" + "word " * 200),
)


def kinds(notebook):
    return [cell.metadata.slideshow.slide_type for cell in notebook.cells]


def test_a_page_without_tags_is_its_headings_theorems_and_figures():
    made = handouts.deck(PAGE)
    assert kinds(made) == ["slide", "slide", "fragment", "subslide", "slide"]
    assert made.cells[0].source == "# 99 A page\n\n**What you will see:** noise."
    assert made.cells[2].source.startswith("> **Theorem 99.1.**") and made.cells[4].source == "## Long\n\n"
    assert "slideshow" not in PAGE.cells[0].metadata, "the page itself is left as it is"


def test_tags_make_the_deck_where_there_are_any():
    tagged = book(text("one", ["slide"]), text("two"), code("three", tags=["fragment"]), text("four", ["skip"]))
    made = handouts.deck(tagged)
    assert kinds(made) == ["slide", "fragment"] and [cell.source for cell in made.cells] == ["one", "three"]


def test_every_page_of_the_book_has_a_deck():
    for path in sorted(PAGES.glob("[0-9]*.ipynb")):
        made = handouts.deck(nbformat.read(path, 4))
        assert len(made.cells) >= 4 and made.cells[0].source.startswith("# "), path.name
        assert not any("secret" in cell.metadata for cell in made.cells)


def addresses(page):
    """What a page would fetch from elsewhere. MathJax's own text names its site; a link fetches nothing."""
    outside = page.replace(mathjax().read_text(), "")
    return re.findall(r"""(?:src=|<link[^>]*href=|url\(|import )["']?((?:https?:)?//[^"') >]+)""", outside)


@pytest.mark.browser
def test_slides_and_prints_in_a_browser_without_a_network(browser, tmp_path):
    deck = handouts.slides(PAGE, "99_a_page")
    assert not addresses(deck) and "secret_calculation" not in deck and f"data:image/png;base64,{PIXEL}" in deck
    (tmp_path / "deck.html").write_text(deck, encoding="utf-8")
    context = browser.new_context(offline=True)
    tab, errors = context.new_page(), []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto((tmp_path / "deck.html").as_uri())
    tab.wait_for_function("window.Reveal && Reveal.isReady() && document.querySelector('mjx-container svg')")
    assert tab.evaluate("Reveal.getTotalSlides()") == 4 and not errors
    context.close()


@pytest.mark.browser
def test_a_notebook_is_printed(browser, tmp_path):
    nbformat.write(PAGE, tmp_path / "solution.ipynb")
    (printed,) = handouts.print_all(browser, [tmp_path / "solution.ipynb"], tmp_path / "papers")
    assert printed.name == "solution.pdf" and printed.read_bytes()[:5] == b"%PDF-" and printed.stat().st_size > 5_000
