"""The site as its readers meet it, from files: two pages here; all of it with `make site-test`, which sets SITE.

Nothing here is fetched from anywhere: the browser opens `file://` addresses.
"""

import json
import os
import pathlib
import re
import urllib.parse
import zipfile
from importlib import resources

import nbformat
import pytest
from bs4 import BeautifulSoup

from tools.book.contents import ROOT
from tools.book.site import pages
from tools.book.site.__main__ import build

CHAPTERS = ("00_start_here", "12_trees")
FIRST_LOAD, FILM, WHOLE = 1_500_000, 1_500_000, 150_000_000
pytestmark = pytest.mark.site


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of a site: the one that SITE names, else one of two chapters."""
    if os.environ.get("SITE"):
        return (ROOT / os.environ["SITE"]).absolute()
    folder = tmp_path_factory.mktemp("site")
    return build(folder / "site", folder / "work", CHAPTERS, papers=False)


@pytest.fixture(scope="module")
def soups(site):
    """Every page of the site, parsed: name -> soup."""
    return {path.name: BeautifulSoup(path.read_text(), "html.parser") for path in sorted(site.glob("*.html"))}


@pytest.fixture(scope="module")
def chapters(soups):
    """The names of the chapters in this site."""
    return [name.removesuffix(".html") for name in soups if re.fullmatch(r"\d\d_\w+(?<!_answers)\.html", name)]


@pytest.fixture(scope="module")
def looked_at(soups):
    """The pages that a browser looks at: all of the whole site, else one of the package's, which are alike."""
    alike = [name for name in soups if name.startswith("package_")][1:]
    return [name for name in soups if os.environ.get("SITE") or name not in alike]


@pytest.fixture
def tab(browser):
    """`tab(page, ...)` opens a page of the site and fails the test if a script fails or a foreign address is asked."""
    opened = []

    def open_page(path, **options):
        options = {"viewport": {"width": 1280, "height": 900}} | options
        page = browser.new_page(**options)
        page.troubles, page.loaded = [], []
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        if options.get("java_script_enabled", True):
            page.on("requestfailed", lambda request: page.troubles.append(request.url))
        page.on("request", lambda request: page.loaded.append(request.url))
        address = path.as_uri() if isinstance(path, pathlib.Path) else path
        page.goto(address)
        opened.append(page)
        return page

    yield open_page
    for page in opened:
        foreign = [url for url in page.loaded if not url.startswith(("file:", "data:", "blob:"))]
        assert not page.troubles and not foreign, (page.url, page.troubles, foreign)
        page.close()


def sources():
    """Every address that the book's own pages link to."""
    files = [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("exercises/answers/*.ipynb")]
    texts = [cell.source for file in files for cell in nbformat.read(file, 4).cells if cell.cell_type == "markdown"]
    return set(re.findall(r"https?://[^\s)>\]]+", "\n".join(texts)))


def test_the_only_foreign_addresses_are_links_to_sources(soups, site):
    known = sources()
    for name, soup in soups.items():
        for element in soup.find_all(src=True):
            assert "//" not in element["src"], (name, element)
        for element in soup.find_all("link", href=True):
            assert "//" not in element["href"], (name, element)
        links = {link["href"] for link in soup.select("a[href]") if "//" in link["href"]}
        assert links <= known, (name, links - known)
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", sheet.read_text()), sheet


def test_every_picture_has_its_text_and_its_size(soups, chapters):
    count = 0
    for name, soup in soups.items():
        for picture in soup.find_all("img"):
            count += 1
            assert len(picture.get("alt", "")) > 30 and ".png" not in picture["alt"], (name, picture)
            assert int(picture["width"]) > 200 and int(picture["height"]) > 100
    assert count >= 3 * len(chapters)


def test_a_picture_without_a_text_stops_the_build(tmp_path):
    writer = pages.Writer(tmp_path, tmp_path, ["00_start_here"])
    output = nbformat.v4.new_output("display_data", data={"image/png": "iVBORw0KGgo="}, metadata={"image/png": {}})
    cell = nbformat.v4.new_code_cell("show(fig)", outputs=[output])
    with pytest.raises(pages.MissingText, match="00_start_here/3"):
        writer._code(cell, "00_start_here/3", None)


def test_links_within_the_site_lead_somewhere(soups, site):
    marks = {name: {element["id"] for element in soup.find_all(id=True)} for name, soup in soups.items()}
    count = 0
    for name, soup in soups.items():
        for link in soup.select("a[href]"):
            target, _, mark = urllib.parse.unquote(link["href"]).partition("#")
            if "://" in target:
                continue
            count += 1
            page = target or name
            assert (site / page).is_file(), (name, link["href"])
            assert not mark or page not in marks or mark in marks[page], (name, link["href"])
    assert count > 500


def test_definitions_are_linked_and_the_words_of_the_glossary_explained(soups, chapters):
    words = [link for name in chapters for link in soups[f"{name}.html"].select("a[data-meaning]")]
    assert len(words) >= 5 * len(chapters)
    assert all(len(link["data-meaning"]) > 10 for link in words)
    for name in chapters:
        texts = [link.get_text().lower() for link in soups[f"{name}.html"].select("a[data-meaning]")]
        assert len(texts) == len(set(texts)), "each word at its first use only"


def test_listings_lead_to_the_claims_of_their_mechanisms(soups):
    links = [link for soup in soups.values() for link in soup.select(".claimed a")]
    assert links
    rows = soups["claims.html"].select("table.claims tbody tr")
    assert len(rows) > 200
    for row in rows:
        assert len(row.find_all(["th", "td"])) == 8 and "test_the_verdict_is_as_stated[" in row.get_text()
    for link in links:
        row = soups["claims.html"].find(id=link["href"].partition("#")[2])
        assert row.th.get_text() == link.get_text()


def test_answers_are_folded_and_can_be_left_out(soups, chapters, tmp_path):
    for name in chapters:
        page = soups.get(f"{name}_answers.html")
        assert page and page.select("details.answer")
        hidden = [heading for heading in page.select("details.answer h2")]
        assert not hidden, "the task and its hint are seen"
        seen = "".join(text for text in page.article.find_all(string=True) if not text.find_parent("details"))
        assert "Answer." not in seen
    writer = pages.Writer(tmp_path, tmp_path, CHAPTERS, answered=False)
    writer.chapter(CHAPTERS[0], "")
    assert "_answers" not in (tmp_path / f"{CHAPTERS[0]}.ipynb").read_text()


def test_the_notebook_that_is_offered_is_the_stored_one(soups, site, chapters):
    for name in chapters:
        link = soups[f"{name}.html"].select_one("a[download]")["href"]
        assert (site / link).read_bytes() == (ROOT / "notebooks" / f"{name}.ipynb").read_bytes()


def test_axe_finds_nothing_in_both_themes(tab, looked_at, site):
    axe = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text()
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "preload": False}
    found = {}
    for name in looked_at:
        page = tab(site / name)
        page.evaluate(axe)
        for theme in ("light", "dark"):
            page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
            result = page.evaluate("rules => axe.run(document, rules)", rules)
            for broken in result["violations"]:
                found[name, theme, broken["id"]] = [node["target"] for node in broken["nodes"]][:3]
        page.close()
    assert not found, json.dumps({" ".join(key): value for key, value in found.items()}, indent=1)


def test_no_page_scrolls_sideways_on_a_phone(tab, looked_at, site):
    for name in looked_at:
        page = tab(site / name, viewport={"width": 390, "height": 844})
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name
        page.close()


def test_search_finds_a_word_of_each_page(tab, soups, site, chapters):
    for name in chapters:
        words = re.findall(r"\b[a-z]{9,}\b", soups[f"{name}.html"].article.get_text().lower())
        own = max(set(words), key=words.count)
        page = tab(f"{(site / 'search.html').as_uri()}?q={own}")
        page.wait_for_selector("#search-results .search a, #search-results li a")
        page.wait_for_function(
            "name => [...document.querySelectorAll('#search-results li a')].some(link => link.href.includes(name))",
            arg=f"{name}.html",
            timeout=20_000,
        )
        page.close()


SHOWN = "figure => [figure.querySelector('img').src, figure.querySelector('.caption').textContent]"


def moved(page, figure, control):
    """Put one control everywhere it can go, by the keyboard; the pictures and the captions that were shown."""
    seen = set()
    inputs = control.locator("input, button")
    for number in range(inputs.count()):
        handle = inputs.nth(number)
        kind = handle.get_attribute("type")
        handle.focus()
        keys = {"range": ["Home"] + ["ArrowRight"] * 30, "radio": ["Space"], "checkbox": ["Space"] * 2}
        for key in keys.get(kind, ["Enter"] * 6):
            page.keyboard.press(key)
            page.wait_for_timeout(15)
            seen.add(tuple(figure.evaluate(SHOWN)))
            if kind == "range" and handle.evaluate("range => range.value === range.max"):
                break
    return {picture for picture, _ in seen}, {caption for _, caption in seen}


def test_every_control_of_every_figure_moves_picture_and_caption(tab, site, chapters):
    still, count = [], 0
    for name in chapters:
        page = tab(site / f"{name}.html")
        for figure in page.locator("figure.live[data-film]").all():
            while figure.get_by_role("button", name="Skip").count():
                figure.get_by_role("button", name="Skip").click()
            figure.locator(".controls").hover()
            page.wait_for_function("figure => figure.film", arg=figure.element_handle())
            figure.evaluate("figure => figure.film.then(() => {})")
            captions = set()
            for control in figure.locator(".control").all():
                count += 1
                pictures, said = moved(page, figure, control)
                captions |= said
                if len(pictures) < 2:
                    still.append((name, figure.get_attribute("id"), control.get_attribute("data-name")))
            if len(captions) < 2:
                still.append((name, figure.get_attribute("id"), "caption"))
        page.close()
    assert not still and count >= 2 * len(chapters)


def test_two_controls_of_a_pair_stay_where_they_are_put(tab, site, chapters):
    pairs = 0
    for name in chapters:
        page = tab(site / f"{name}.html")
        for figure in page.locator("figure.live[data-film]").all():
            pair = json.loads(figure.locator(".controls").get_attribute("data-pair"))
            ranges = [figure.locator(f".control.range[data-name={one}] input") for one in pair]
            if len(pair) < 2 or not all(one.count() for one in ranges):
                continue
            while figure.get_by_role("button", name="Skip").count():
                figure.get_by_role("button", name="Skip").click()
            pairs += 1
            figure.locator(".controls").hover()
            figure.evaluate("figure => figure.film.then(() => {})")
            for one in ranges:
                one.focus()
                page.keyboard.press("Home")
                page.keyboard.press("ArrowRight")
            page.wait_for_function(
                "figure => figure.querySelector('img').src.startsWith('data:image/webp')", arg=figure.element_handle()
            )
            assert [one.input_value() for one in ranges] == ["1", "1"]
            assert not figure.locator(".back").inner_text()
        page.close()
    assert pairs or len(chapters) <= 2


def test_the_controls_wait_for_a_guess_and_tell_the_truth(tab, site):
    page = tab(site / "00_start_here.html")
    page.locator(".guess-first").first.wait_for()
    figure = page.locator("figure.live:has(.guess-first)").first
    name = figure.get_attribute("id")
    figure = page.locator(f"#{name}")
    handle = figure.locator(".controls input").first
    assert handle.is_disabled()
    question = figure.locator(".guess-first legend").inner_text()
    figure.get_by_role("button", name="90 % sure").click()
    result = figure.locator(".guess-result").first
    result.wait_for()
    assert "90 % sure; the figure says" in result.inner_text()
    assert question.removeprefix("Guess first. ")[:20] in result.inner_text()
    while figure.get_by_role("button", name="Skip").count():
        figure.get_by_role("button", name="Skip").click()
    assert handle.is_enabled()


def test_without_scripts_the_stored_pictures_are_seen(tab, site, chapters):
    for name in chapters:
        page = tab(site / f"{name}.html", java_script_enabled=False)
        figures = page.locator("figure.live")
        assert figures.count() >= 1
        for figure in figures.all():
            assert figure.locator("img").is_visible() and not figure.locator(".controls").is_visible()
            assert "Lab" in figure.locator(".moves").inner_text()
        page.close()


def test_a_word_is_explained_where_it_is_pointed_at(tab, site):
    page = tab(site / "00_start_here.html")
    link = page.locator("a[data-meaning]").first
    link.focus()
    assert page.locator("[role=tooltip]").inner_text() == link.get_attribute("data-meaning")
    page.keyboard.press("Escape")
    assert page.locator("[role=tooltip]").count() == 0


def test_a_page_is_light_until_its_films_are_wanted(tab, site, chapters):
    for name in chapters:
        page = tab(site / f"{name}.html")
        page.wait_for_load_state("load")
        files = {
            urllib.parse.unquote(urllib.parse.urlparse(url).path) for url in page.loaded if url.startswith("file:")
        }
        assert sum(pathlib.Path(file).stat().st_size for file in files) <= FIRST_LOAD, name
        assert not [file for file in files if "/films/" in file]
        page.close()
    films = list(site.glob("films/*/*.js"))
    assert films and max(film.stat().st_size for film in films) <= FILM
    assert sum(file.stat().st_size for file in site.rglob("*") if file.is_file()) <= WHOLE


@pytest.fixture(scope="module")
def printed(site, tmp_path_factory):
    """The PDFs of a chapter and of the book, and the zip: those of the whole site, else made of the first chapter."""
    from tools.book.site import paper

    if os.environ.get("SITE"):
        return site / "papers", site.parent / "dpbook-site.zip"
    paper.print_all([CHAPTERS[0]], site)
    return site / "papers", paper.pack(site, tmp_path_factory.mktemp("zip") / "book.zip")


def test_papers_are_tagged_and_have_an_outline(printed):
    papers = sorted(printed[0].glob("*.pdf"))
    assert len(papers) >= 2 and papers[-1].name == "dpbook.pdf"
    for one in papers:
        content = one.read_bytes()
        assert b"/StructTreeRoot" in content and b"/Outlines" in content and b"/Lang" in content, one.name
        assert len(content) > 50_000


def test_the_book_in_the_zip_opens_where_it_is_unpacked(printed, tab, tmp_path):
    place = tmp_path / "a folder with spaces"
    with zipfile.ZipFile(printed[1]) as packed:
        packed.extractall(place)
    (index,) = place.glob("*/index.html")
    page = tab(index)
    page.get_by_role("link", name="00 Start here").first.click()
    page.wait_for_selector("figure.live .control")
