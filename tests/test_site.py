"""The site as its readers meet it, from files: two pages here; all of it with `make site-test`, which sets SITE.

Nothing here is fetched from anywhere: the browser opens `file://` addresses.
"""

import concurrent.futures
import copy
import json
import os
import pathlib
import re
import shutil
import sys
import urllib.parse
import zipfile
from importlib import resources

import nbformat
import pikepdf
import pytest
from bs4 import BeautifulSoup

from dpbook import plots
from dpbook.live import choice, live, odds, switch
from livefig.figure import LiveFigure
from tests import not_yet
from tools.book import contents, errata, sliders
from tools.book import films as program
from tools.book.contents import ROOT
from tools.book.site import bibliography, films, host, matter, pages
from tools.book.site.__main__ import build

CHAPTERS = ("00_start_here", "12_trees")
FIRST_LOAD, FILM, WHOLE = 1_500_000, 1_500_000, 150_000_000
pytestmark = pytest.mark.site


def apart(function, *arguments, **options):
    """Call it in a thread of its own: what starts a browser cannot do so where a test's browser is already open."""
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        return thread.submit(function, *arguments, **options).result()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of a site: the one that SITE names, else one of two chapters."""
    if os.environ.get("SITE"):
        return (ROOT / os.environ["SITE"]).absolute()
    folder = tmp_path_factory.mktemp("site")
    return apart(build, folder / "site", folder / "work", CHAPTERS, papers=False, live=False)


@pytest.fixture(scope="module")
def soups(site):
    """Every page of the site, parsed: name -> soup."""
    return {path.name: BeautifulSoup(path.read_text(), "html.parser") for path in sorted(site.glob("*.html"))}


@pytest.fixture(scope="module")
def chapters(soups):
    """The names of the chapters in this site."""
    return [name.removesuffix(".html") for name in soups if re.fullmatch(r"\d\d_\w+(?<!_answers)\.html", name)]


@pytest.fixture(params=range(12 if os.environ.get("SITE") else 1))
def share(request):
    """What takes long is asked of the whole site in shares, which run side by side."""
    return slice(request.param, None, 12 if os.environ.get("SITE") else 1)


@pytest.fixture
def some(chapters, share):
    """The names of the chapters of a share."""
    return chapters[share]


@pytest.fixture
def looked_at(soups, share):
    """The pages that a browser looks at: a share of the whole site's, else but one of the alike package pages."""
    alike = [name for name in soups if name.startswith("package_")][1:]
    return [name for name in soups if os.environ.get("SITE") or name not in alike][share]


@pytest.fixture
def tab(browser):
    """`tab(page, ...)` opens a page of the site and fails the test if a script fails or a foreign address is asked."""
    opened = []

    def open_page(path, **options):
        options = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | options
        page = browser.new_page(**options)
        page.troubles, page.loaded = [], []
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        if options.get("java_script_enabled", True):
            # what a page asked for when the reader left it is nobody's trouble
            failed = lambda request: request.failure != "net::ERR_ABORTED" and page.troubles.append(request.url)  # noqa: E731
            page.on("requestfailed", failed)
        page.on("request", lambda request: page.loaded.append(request.url))
        address = path.as_uri() if isinstance(path, pathlib.Path) else path
        page.home = "file:" if address.startswith("file:") else address.rpartition("/")[0]
        page.goto(address)
        opened.append(page)
        return page

    yield open_page
    for page in opened:
        foreign = [url for url in page.loaded if not url.startswith((page.home, "data:", "blob:"))]
        assert not page.troubles and not foreign, (page.url, page.troubles, foreign)
        page.close()


def sources():
    """Every address that the book's own pages link to."""
    files = [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("exercises/answers/*.ipynb")]
    texts = [cell.source for file in files for cell in nbformat.read(file, 4).cells if cell.cell_type == "markdown"]
    pages_name = set(re.findall(r"https?://[^\s)>\]]+", "\n".join(texts)))
    return pages_name | {work.address for work in bibliography.completed()}


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
        for picture in soup.select("img:not(.over)"):  # what is laid over a picture has no text of its own
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
            if mark.startswith("move:"):  # a link that moves sliders of its own page
                moved = set(urllib.parse.parse_qs(link["href"].partition("#move:")[2]))
                controls = {one["data-name"] for one in soup.select(".control[data-name]")}
                assert not target and moved and moved <= controls, (name, link["href"])
                continue
            page = target.partition("?")[0] or name
            assert (site / page).is_file(), (name, link["href"])
            assert not mark or page not in marks or mark in marks[page], (name, link["href"])
    assert count > 500


def test_a_row_of_errata_is_linked_where_a_cell_wrote_its_heading(tmp_path):
    link = "in $[k, k+1)$ ([S09](22_errata.ipynb#S09))"
    led = pages.Writer(tmp_path, tmp_path, ["22_errata"]).prose(link)
    assert led == 'in $[k, k+1)$ (<a href="22_errata.html#s09">S09</a>)'
    assert pages.Writer(tmp_path, tmp_path, ["03_laplace"]).prose(link) == "in $[k, k+1)$ (S09)"


def test_definitions_are_linked_and_the_words_of_the_glossary_explained(soups, chapters):
    words = [link for name in chapters for link in soups[f"{name}.html"].select("a[data-meaning]")]
    assert len(words) >= 5 * len(chapters)
    assert all(len(link["data-meaning"]) > 10 for link in words)
    for name in chapters:
        texts = [link.get_text().lower() for link in soups[f"{name}.html"].select("a[data-meaning]")]
        assert len(texts) == len(set(texts)), "each word at its first use only"
        folds = [fold.get_text() for fold in soups[f"{name}.html"].select("summary")]
        assert not [fold for fold in folds if "{term}" in fold or "](#" in fold], "HTML is no Markdown"


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


def test_no_listing_of_a_claimed_mechanism_is_without_its_link(soups, chapters):
    claimed = {row["id"].removeprefix("claim-") for row in soups["claims.html"].select("tr[id]")}
    for name in chapters:
        listed = re.findall(r"(?m)^\s*show_source\(([\w.]+)\)", (ROOT / "notebooks" / f"{name}.py").read_text())
        linked = [link.get_text() for link in soups[f"{name}.html"].select(".claimed a")]
        assert {part for one in listed for part in one.split(".") if part in claimed} <= set(linked), name


def test_a_part_of_a_mechanism_leads_to_the_claims_of_the_whole(tmp_path):
    writer = pages.Writer(tmp_path, tmp_path, [], claimed=matter.claimed())
    line = BeautifulSoup(writer._claims("vector_noise"), "html.parser")
    assert {"output_perturbation", "objective_perturbation"} <= {link.get_text() for link in line.select("a")}
    assert "part of" in line.get_text() and "part of" not in writer._claims("svt.exponential_selection")
    assert not writer._claims("homer_statistic"), "an attack promises nothing"
    assert not writer._claims("LossDistribution.delta"), "a method is not what another module calls by the same name"


def test_no_formula_is_left_as_it_was_written(soups):
    for name, soup in soups.items():
        soup = copy.copy(soup)  # the page itself is for all tests
        for unseen in soup.select("pre, code, script, style, .formula"):
            unseen.decompose()
        text = soup.get_text(" ")
        left = re.findall(r"\\\\[a-zA-Z]{2,}|\$[^$]{1,60}[\\\\^_][^$]*\$", text)
        assert not left, (name, left[:5])


def test_the_bibliography_has_every_work_that_a_page_names(soups, chapters):
    found = bibliography.works({name: matter.markdown(name) for name in chapters})
    text = soups["bibliography.html"].article.get_text().replace("’", "'")
    rows = soups["bibliography.html"].select("article li")
    assert len(rows) == len(found)
    assert sum(bool(row.select("a.external")) for row in rows) >= 0.8 * len(rows)
    for work, users in found.items():
        assert bibliography.plain(work.title) in bibliography.plain(text), work
        assert set(users) <= set(chapters)


def test_a_work_without_a_row_stops_the_build():
    with pytest.raises(bibliography.UnknownWork, match="Nobody knows this"):
        bibliography.works({"99_test": "## Sources\n\n- Somebody: *Nobody knows this*, 2020.\n"})


def test_the_list_of_errata_leads_to_each_row_and_its_story(soups, chapters, site):
    if "22_errata" not in chapters:
        assert "errata.html" not in soups and not soups["index.html"].select('a[href="errata.html"]')
        return
    rows = soups["errata.html"].select("article li")
    records = errata.records()
    assert json.loads((site / "errata.json").read_text()) == json.loads(json.dumps(records))
    listed = {record["id"]: record for record in records if "withdrawn" not in record}
    assert sorted(row.a.get_text() for row in rows) == sorted(listed)
    for row in rows:
        record = listed[row.a.get_text()]
        first, *_, last = row.select("a[href]")
        assert first["href"] == f"22_errata.html#{record['id'].lower()}"
        assert soups["22_errata.html"].find(id=record["id"].lower()).get_text().strip("#") == record["id"]
        assert re.match(rf"{pathlib.Path(record['story'].partition('.ipynb')[0]).name}\.html#.", last["href"])


def test_pages_follow_one_another_in_the_order_of_the_book(soups, chapters):
    ordered = [chapter.name for chapter in contents.chapters() if chapter.name in chapters]
    for place, name in enumerate(ordered):
        before, after = (soups[f"{name}.html"].select_one(f"a.{way}") for way in ("left-prev", "right-next"))
        assert (before and before["href"]) == (f"{ordered[place - 1]}.html" if place else None)
        assert (after and after["href"]) == (f"{ordered[place + 1]}.html" if place + 1 < len(ordered) else None)


def test_what_can_be_looked_up_is_there(soups, chapters):
    words = {term.get_text(" ", strip=True).strip("# ") for term in soups["glossary.html"].select("dl.glossary dt")}
    assert {"neighbours", "sensitivity"} <= {word.lower() for word in words} or len(words) > 30
    index = soups["genindex.html"].article.get_text()
    assert all(word in index for word in words)
    assert "laplace_mechanism() (in module dpbook.laplace)" in index
    signature = soups["package_laplace.html"].find(id="dpbook.laplace.laplace_mechanism")
    assert "epsilon" in signature.get_text() and "rng" in signature.get_text()
    assert len(signature.find_next("dd").get_text()) > 60
    headings = [heading.get_text().strip("#") for heading in soups["tours.html"].select("h2")]
    assert headings == [tour.name for tour in contents.read()[1]]
    for name in ("accessibility", "claims", "numbered", "bibliography", "package", "tours", "glossary"):
        assert soups["index.html"].select(f'nav a[href="{name}.html"]'), name
    for name in chapters:
        assert soups["index.html"].select(f'article a[href="{name}.html"]'), name


def test_mentions_lead_to_what_is_numbered(soups, chapters):
    numbered = {link["href"] for link in soups["numbered.html"].select("article li a")}
    assert len(numbered) >= 2.5 * len(chapters) or len(chapters) <= 2
    links = [link.get_text() for name in chapters for link in soups[f"{name}.html"].select("article a.internal")]
    mention = re.compile(r"(Definition|Theorem|Lemma|Proposition|Corollary) \d+\.\d+")
    assert any(map(mention.fullmatch, links)) or len(chapters) <= 2


def test_answers_are_folded_and_can_be_left_out(soups, chapters, tmp_path):
    answered = [name for name in chapters if (ROOT / f"exercises/answers/{name}.ipynb").exists()]
    assert len(answered) >= len(chapters) - 1
    for name in answered:
        page = soups[f"{name}_answers.html"]
        tasks = page.select("article h2")
        assert len(tasks) >= 3 and len(page.select("details.answer")) == len(tasks), name
        assert not page.select("details.answer h2"), "the task and its hint are seen"
        shown = [output for output in page.select("article h2 ~ * .cell_output, article h2 ~ .cell_output")]
        assert not [output for output in shown if not output.find_parent("details")], name
        seen = "".join(text for text in page.article.find_all(string=True) if not text.find_parent("details"))
        assert "Answer." not in seen and seen.count("Hint") >= len(tasks), name
        for answer in page.select("details.answer"):
            assert len(answer.get_text()) > 60, (name, answer)
    writer = pages.Writer(tmp_path, tmp_path, CHAPTERS, answered=False)
    writer.chapter(CHAPTERS[0], "")
    assert "_answers" not in (tmp_path / f"{CHAPTERS[0]}.ipynb").read_text()


def test_a_site_without_answers_has_none(tmp_path, site):
    """All of it: no page, no link, no word of an answer in the files of the first chapter's site."""
    work = tmp_path / "work"
    filmed = ROOT / "build" / "site-work" if os.environ.get("SITE") else site.parent / "work"
    (work / "films").mkdir(parents=True)
    shutil.copy(filmed / "claims.json", work)
    shutil.copytree(filmed / "films" / CHAPTERS[0], work / "films" / CHAPTERS[0])
    bare = apart(build, tmp_path / "bare", work, CHAPTERS[:1], answered=False, papers=False, live=False)
    answers = nbformat.read(ROOT / "exercises/answers" / f"{CHAPTERS[0]}.ipynb", 4)
    text = "\n".join(cell.source for cell in answers.cells if cell.cell_type == "markdown")
    words = re.search(r"\*Answer\.?\*:?\s*(.{30})", text)[1]
    assert not list(bare.glob("*_answers*"))
    for page in bare.rglob("*"):
        if page.suffix in (".html", ".js", ".json"):
            assert "_answers.html" not in page.read_text() and words not in page.read_text(), page


def test_the_notebook_that_is_offered_is_the_stored_one_to_be_run(soups, site, chapters):
    for name in chapters:
        offered = nbformat.read(site / soups[f"{name}.html"].select_one("a[download]")["href"], 4)
        stored = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", 4)
        here, there = ([(cell.cell_type, cell.source) for cell in book.cells] for book in (offered, stored))
        assert here == there
        assert not any(cell.get("outputs") for cell in offered.cells)


def test_an_assignment_can_be_taken_along(soups, site, chapters):
    for name in chapters:
        links = [link["href"] for link in soups[f"{name}.html"].select('a[href^="exercises/"]')]
        release = ROOT / "exercises/releases" / f"{name}.ipynb"
        assert bool(links) == release.exists(), name
        assert all((site / link).read_bytes() == release.read_bytes() for link in links)


def test_axe_finds_nothing_in_both_themes(tab, looked_at, site):
    axe = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text()
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "preload": False}
    colours = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}, "preload": False}
    found = {}
    for name in looked_at:
        page = tab(site / name)
        page.evaluate(axe)
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        # colours that are on their way are nobody's
        page.add_style_tag(content="* { transition: none !important; animation: none !important; }")
        for theme, asked in (("light", rules), ("dark", colours)):  # a theme is nothing but colours
            page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
            result = page.evaluate("rules => axe.run(document, rules)", asked)
            for broken in result["violations"]:
                found[name, theme, broken["id"]] = [node["target"] for node in broken["nodes"]][:3]
        page.close()
    assert not found, json.dumps({" ".join(key): value for key, value in found.items()}, indent=1)


# Controls of which a part is beyond the right edge of their figure.
CUT = """() => [...document.querySelectorAll('figure.live .controls *')].filter(part =>
    part.getBoundingClientRect().right > part.closest('figure').getBoundingClientRect().right
).map(part => `${part.closest('figure').id}: ${part.textContent.trim()}`)"""


def test_no_page_scrolls_sideways_on_a_phone(tab, looked_at, site):
    for name in looked_at:
        page = tab(site / name, viewport={"width": 390, "height": 844})
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name
        assert page.evaluate(CUT) == [], name
        page.close()


# What of the first figure's controls and picture, and of the title, is not in the first screen.
UNSEEN = """() => ['h1', 'figure.live .controls', 'figure.live .shown img'].filter(query => {
    const box = document.querySelector(query)?.getBoundingClientRect();
    return !box || box.height === 0 || box.top < 0 || box.bottom > innerHeight;
})"""


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desk", "phone"])
def test_the_first_screen_holds_a_figure_that_lives(tab, site, chapters, size):
    """As in Lab (`test_first_screen.py`)."""
    width, height = size
    unseen = {}
    for name in sorted(set(chapters) - {"90_reference"}):
        page = tab(site / f"{name}.html", viewport={"width": width, "height": height})
        page.wait_for_load_state("load")
        unseen[name] = page.evaluate(UNSEEN)
        page.close()
    listed = not_yet.lists()[f"first_screen_{width}"]
    assert not {name: parts for name, parts in unseen.items() if parts and name not in listed}
    assert not [name for name in listed if unseen.get(name) == []], "take these off tests/not_yet.toml"


def test_search_finds_a_word_of_each_page(tab, soups, site, some):
    for name in some:
        words = re.findall(r"\b[a-z]{9,}\b", soups[f"{name}.html"].article.get_text().lower())
        own = max(set(words), key=words.count)
        page = tab(f"{(site / 'search.html').as_uri()}?q={own}")
        page.wait_for_selector("#search-results .search a, #search-results li a")
        found = "name => [...document.querySelectorAll('#search-results li a')].some(link => link.href.includes(name))"
        page.wait_for_function(found, arg=f"{name}.html", timeout=20_000)
        page.close()


def without_questions(figure):
    while figure.get_by_role("button", name="Skip").count():
        figure.get_by_role("button", name="Skip").click()
    return figure


SHOWN = """figure => [[...figure.querySelectorAll('img')].map(image => image.src).join(),
    figure.querySelector('.caption').textContent]"""


# Every range, box and radio button where the page has it, so that each control is moved from the start of the others.
BACK = """figure => figure.querySelectorAll('.control input').forEach(input => {
    input.value = input.getAttribute('value') ?? input.value;
    input.checked = input.hasAttribute('checked');
    input.dispatchEvent(new Event('input', { bubbles: true }));
})"""


def moved(page, figure, control):
    """Put one control everywhere it can go, by the keyboard; the pictures and the captions, before and on the way."""
    seen = {tuple(figure.evaluate(SHOWN))}
    inputs = control.locator("input, button")
    for number in range(inputs.count()):
        handle = inputs.nth(number)
        kind = handle.get_attribute("type")
        handle.focus()
        keys = {"range": ["Home"] + ["ArrowRight"] * 30, "radio": ["Space"], "checkbox": ["Space"] * 2}
        for key in keys.get(kind, ["Enter"] * 7):
            page.keyboard.press(key)
            page.evaluate("() => new Promise(done => setTimeout(done, 20))")
            seen.add(tuple(figure.evaluate(SHOWN)))
            if kind == "range" and handle.evaluate("range => range.value === range.max"):
                break
    return {picture for picture, _ in seen}, {caption for _, caption in seen}


def test_every_control_of_every_figure_moves_picture_and_caption(tab, site, some):
    still, count = [], 0
    for name in some:
        page = tab(site / f"{name}.html")
        for figure in page.locator("figure.live[data-film]").all():
            without_questions(figure)
            figure.locator(".controls").hover()
            page.wait_for_function("figure => figure.film", arg=figure.element_handle())
            figure.evaluate("figure => figure.film.then(() => {})")
            captions = set()
            for control in figure.locator(".control").all():
                count += 1
                figure.evaluate(BACK)
                pictures, said = moved(page, figure, control)
                captions |= said
                if len(pictures) < 2:
                    still.append((name, figure.get_attribute("id"), control.get_attribute("data-name")))
            if len(captions) < 2:
                still.append((name, figure.get_attribute("id"), "caption"))
        page.close()
    assert not still and count >= len(some)


ELSEWHERE = """([box, place]) => {
    const inputs = [...box.querySelectorAll('input, button')], first = inputs[0];
    if (first.type === 'range') first.value = Number(first.value) === place ? place + 1 : place;
    else if (first.type === 'checkbox') first.checked = !first.checked;
    else if (first.type === 'radio') inputs.find((one, number) => !one.checked).checked = true;
    if (first.type === 'button') first.click();
    else first.dispatchEvent(new Event('input', { bubbles: true }));
    return inputs.map(one => one.type === 'range' ? one.value : one.checked).join();
}"""
STANDS = """box => [...box.querySelectorAll('input, button')]
    .map(one => one.type === 'range' ? one.value : one.checked).join()"""


def test_two_controls_of_a_pair_stay_where_they_are_put(tab, site, some):
    for name in some:
        page = tab(site / f"{name}.html")
        for figure in page.locator("figure.live[data-film]").all():
            pair = json.loads(figure.locator(".controls").get_attribute("data-pair"))
            if len(pair) < 2:
                continue
            without_questions(figure)
            figure.locator(".controls").hover()
            figure.evaluate("figure => figure.film ?? figure.dispatchEvent(new Event('pointerenter'))")
            boxes = [figure.locator(f'.control[data-name="{one}"]') for one in pair]
            for place in (0, 1):
                put = []
                for box in boxes:
                    put.append(box.evaluate(f"box => ({ELSEWHERE})([box, {place}])"))
                    page.wait_for_timeout(50)
                figure.evaluate("figure => figure.film.then(() => new Promise(done => setTimeout(done, 0)))")
                assert [box.evaluate(STANDS) for box in boxes] == put, (name, figure.get_attribute("id"))
                assert not figure.locator(".back").inner_text()
                assert figure.locator("img").first.get_attribute("src").startswith("data:image/webp")
        page.close()


def test_most_figures_have_two_controls_that_move_together(soups, chapters):
    controls = [box for name in chapters for box in soups[f"{name}.html"].select("figure.live[data-film] .controls")]
    pairs = [box for box in controls if len(json.loads(box["data-pair"])) == 2]
    assert not [box for box in controls if box not in pairs and len(box.select(".range, .choice, .switch")) > 1]
    assert controls and len(pairs) >= (0.6 if len(chapters) > 2 else 0.3) * len(controls)


def test_the_controls_wait_for_a_guess_and_tell_the_truth(tab, site):
    page = tab(site / "00_start_here.html")
    page.locator(".guess-first").first.wait_for()
    figure = page.locator("figure.live:has(.guess-first)").first
    name = figure.get_attribute("id")
    figure = page.locator(f"#{name}")
    handle = figure.locator(".controls input").first
    assert handle.is_disabled()
    question = figure.locator(".guess-first legend").inner_text()
    assert not figure.get_by_role("button", name="90% sure").is_visible(), "of an answer that is not there"
    figure.locator(".guess-first input").first.click()
    figure.get_by_role("button", name="90% sure").click()
    result = figure.locator(".guess-result").first
    result.wait_for()
    assert "90% sure; the figure says" in result.inner_text()
    assert question.removeprefix("Guess first. ")[:20] in result.inner_text()
    without_questions(figure)
    assert handle.is_enabled()


HREF = """(figure, asked) => {
    const link = document.createElement('a');
    Object.assign(link, { href: `#move:epsilon=${asked}`, textContent: 'a link', className: 'move' });
    figure.after(link);
}"""


def test_the_address_says_where_the_controls_stand_and_brings_them_there(tab, site):
    page = tab(site / "00_start_here.html")
    figure = without_questions(page.locator("figure.live[data-film]:has(.control.range)").first)
    handle, output = figure.locator(".control.range input").first, figure.locator(".control.range output").first
    handle.focus()
    page.keyboard.press("Home")
    page.wait_for_function("() => location.hash.startsWith('#figure-')")
    caption, said, address = figure.locator(".caption").inner_text(), output.inner_text(), page.url
    other = tab(site / "00_start_here.html", viewport={"width": 390, "height": 844})
    other.goto(address)
    other.reload()
    figure = other.locator(f"#{figure.get_attribute('id')}")
    says = "([figure, words]) => figure.querySelector('.caption').textContent.trim() === words"
    other.wait_for_function(says, arg=[figure.element_handle(), caption])
    assert figure.locator(".control.range output").first.inner_text() == said
    assert figure.locator("img").first.bounding_box()["y"] < 844


def test_a_link_in_the_text_moves_the_nearest_film_to_its_nearest_picture(tab, tmp_path, site):
    writer = pages.Writer(tmp_path, tmp_path, CHAPTERS)
    made = writer.prose("Now [take *epsilon* to 0.1](#move:epsilon=0.1&b=a%20c).")
    assert made == 'Now <a class="move" href="#move:epsilon=0.1&b=a%20c">take *epsilon* to 0.1</a>.'
    page = tab(site / "12_trees.html")
    figure = page.locator("figure.live[data-film]:has([data-name=epsilon].range)").first
    without_questions(figure)
    row = figure.locator("[data-name=epsilon]")
    values = json.loads(row.get_attribute("data-values"))
    for value in (min(values), max(values)):
        figure.evaluate(HREF, str(value * 1.01))
        page.locator("a.move", has_text="a link").first.click()
        stands = "([row, place]) => Number(row.querySelector('input').value) === place"
        page.wait_for_function(stands, arg=[row.element_handle(), values.index(value)])
        page.locator("a.move", has_text="a link").first.evaluate("link => link.remove()")


# Follow a link of the text that asks for this of a figure's controls.
FOLLOW = """(figure, asked) => {
    const link = Object.assign(document.createElement('a'), { href: `#move:${asked}` });
    figure.after(link);
    link.click();
    link.remove();
}"""
WORDS = """box => [...box.querySelectorAll('input')].map(one => one.type === 'checkbox' ? (one.checked ? 'on' : 'off')
    : one.nextElementSibling.value).join(' to ')"""


@pytest.mark.parametrize(
    ("name", "control", "asked", "stands", "says"),
    [
        ("12_trees", "printed", "on", "on", ""),
        ("12_trees", "printed", "true", "off", "must be on or off, got 'true'."),
        ("12_trees", "epsilon", "x", "0.3", "epsilon must be a number, got 'x'."),
        ("12_trees", "epsilon", "", "0.3", "epsilon must be a number, got ''."),
        ("12_trees", "epsilon", "1,000", "3", ""),
        ("12_trees", "epsilon", "inf", "3", ""),
        ("08_histograms", "between", "0,365", "0 to 365", ""),
        ("08_histograms", "between", "0 to 365", "0 to 365", ""),
        ("08_histograms", "between", "40,5", "5 to 40", "must be two numbers, the lower first, got '40,5'."),
        ("01_incidents", "epsilon", "inf", "∞", ""),
    ],
)
def test_a_link_is_followed_as_in_lab_or_it_says_why_not(tab, site, chapters, name, control, asked, stands, says):
    """`test_corner.py` asks the same of Lab."""
    if name not in chapters:
        assert len(chapters) <= len(CHAPTERS)
        return
    page = tab(site / f"{name}.html")
    row = page.locator(f"figure.live[data-film] .controls:not([data-asked='[]']) [data-name={control}]").last
    figure = page.locator(f"#{row.evaluate('row => row.closest(`figure`).id')}")
    figure.evaluate(FOLLOW, f"{control}={asked}")
    note = figure.locator(".back")
    if figure.locator(".guess-first").count() and not says:
        note.filter(has_text="First the guess").wait_for()
    without_questions(figure)
    assert not note.inner_text()
    figure.evaluate(FOLLOW, f"{control}={asked}")
    done = f"([row, note, stands, says]) => ({WORDS})(row) === stands && note.textContent.endsWith(says)"
    page.wait_for_function(done, arg=[row.element_handle(), note.element_handle(), stands, says])
    assert bool(note.inner_text()) == bool(says)
    if stands == "∞":
        assert figure.locator(".odds").inner_text().strip().endswith("ends at most 100% sure")


def test_an_answer_that_is_pressed_twice_is_one_answer(tab, site):
    """While the film is on its way; and what this browser keeps of other days may be damaged."""
    page = tab(site / "00_start_here.html")
    page.evaluate("localStorage.setItem('dpbook-guesses', 'null')")
    page.reload()
    name = page.locator("figure.live:has(.guess-first)").first.get_attribute("id")
    figure = page.locator(f"#{name}")
    question = figure.locator(".guess-first legend").inner_text()
    figure.locator(".guess-first input").first.click()
    sure = figure.get_by_role("button", name="90% sure")
    sure.evaluate("button => { button.click(); button.click(); }")
    result = figure.locator(".guesses > [aria-live=polite] > .guess-result")
    result.first.wait_for()
    page.wait_for_timeout(300)
    assert result.count() == 1 and figure.locator(".guess-first legend", has_text=question).count() == 0


def test_no_bound_is_a_number_for_the_page_in_all_its_controls(monkeypatch):
    """A worker of the page says the places of its controls as the film does: epsilon of no noise is no epsilon of 0."""
    monkeypatch.setattr(LiveFigure, "_ipython_display_", LiveFigure._ipython_display_)
    monkeypatch.setattr(program, "DRAWS", program.DRAWS)
    monkeypatch.setitem(sys.modules, "films", program)
    worker = {"__name__": "figures"}
    exec((ROOT / "tools/book/site/static/live.py").read_text(), worker)
    fig, ax = plots.figure()
    (line,) = ax.plot([0, 1], [0, 1])
    controls = {"epsilon": choice([1, float("inf")], 1), "on": switch(True)}
    live(fig, lambda epsilon, on: line.set_alpha(1 - on / 2), "a line", **controls)._ipython_display_()
    epsilon, on = json.loads(worker["reels"](0))
    assert epsilon["values"] == [1, sys.float_info.max] and on["values"] == [None, None]
    assert epsilon["words"] == ["1", "∞"] and (epsilon["kind"], epsilon["start"]) == ("range", 0)


def test_no_listing_is_cut(tab, site, looked_at):
    cut = """() => [...document.querySelectorAll('.bd-article pre')]
        .filter(box => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
        .map(box => box.textContent.slice(0, 60))"""
    for name in looked_at:
        page = tab(site / name, viewport={"width": 1280, "height": 800})
        page.evaluate("document.querySelectorAll('details.hide').forEach(fold => { fold.open = true; })")
        assert page.evaluate(cut) == [], name
        page.close()


def test_on_a_phone_a_picture_that_is_touched_is_larger(tab, site):
    page = tab(site / "12_trees.html", viewport={"width": 390, "height": 844})
    picture = page.locator("figure.picture img").first
    before = picture.bounding_box()
    picture.click()
    shown = page.locator("dialog.enlarged img").first.bounding_box()
    assert shown["width"] * shown["height"] > 2 * before["width"] * before["height"]
    assert shown["x"] >= -1 and shown["x"] + shown["width"] <= 391
    assert shown["y"] >= -1 and shown["y"] + shown["height"] <= 845
    page.locator("dialog.enlarged").click()
    assert page.locator("dialog.enlarged").count() == 0


def test_the_first_film_with_a_player_plays_once_and_not_for_who_wants_nothing_to_move(tab, site, chapters):
    name = next((name for name in chapters if "data-play" in (site / f"{name}.html").read_text()), None)
    if name is None:
        assert len(chapters) <= len(CHAPTERS), "no page of the whole book has a figure that plays"
        return
    at_end = "range => range.value === range.max"
    for motion, plays in (("reduce", False), ("no-preference", True)):
        page = tab(site / f"{name}.html", reduced_motion=motion)
        panel = page.locator("[data-play]").first
        figure = page.locator("figure.live:has([data-play])").first
        range_ = panel.locator(f"[data-name={panel.get_attribute('data-play')}] input").first
        figure.scroll_into_view_if_needed()
        page.wait_for_timeout(1_000)
        if plays and not range_.is_disabled():
            page.wait_for_function(at_end, arg=range_.element_handle(), timeout=20_000)
        elif not plays:
            assert not [url for url in page.loaded if "/films/" in url]


def test_what_epsilon_promises_is_said_here_as_in_lab(tab, site):
    page = tab(site / "12_trees.html")
    page.wait_for_selector("figure.live .odds")
    figure = without_questions(page.locator("figure.live:has(.odds)").first)
    row = figure.locator(".control", has=page.locator("input[type=range]"), has_text=re.compile(r"^\s*epsilon"))
    said = {}
    for key in ("Home", "End"):
        row.locator("input").focus()
        page.keyboard.press(key)
        page.wait_for_timeout(300)
        epsilon = float(re.search(r"[0-9][0-9.,]*", row.inner_text().replace("epsilon", ""))[0].replace(",", ""))
        said[epsilon] = figure.locator(".odds").inner_text().strip()
    assert len(said) == 2
    assert said == {epsilon: BeautifulSoup(odds(epsilon), "html.parser").get_text().strip() for epsilon in said}


def test_without_scripts_the_stored_pictures_are_seen(tab, site, some):
    for name in some:
        page = tab(site / f"{name}.html", java_script_enabled=False)
        figures = page.locator("figure.live")
        assert figures.count() == sliders.live_calls(ROOT / "notebooks" / f"{name}.py")
        for figure in figures.all():
            assert figure.locator("img").first.is_visible() and not figure.locator(".controls").is_visible()
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
        local = [urllib.parse.urlparse(url) for url in page.loaded if url.startswith("file:")]
        files = {urllib.parse.unquote(url.path) for url in local}
        assert sum(pathlib.Path(file).stat().st_size for file in files) <= FIRST_LOAD, name
        assert not [file for file in files if "/films/" in file]
        page.close()
    films = list(site.glob("films/*/*.js"))
    assert films and max(film.stat().st_size for film in films) <= FILM
    held = [file for file in site.rglob("*") if file.is_file() and file.relative_to(site).parts[0] != "lite"]
    assert sum(file.stat().st_size for file in held) <= WHOLE


@pytest.fixture(scope="module")
def printed(site, tmp_path_factory):
    """The PDFs of a chapter and of the book, and the zip: those of the whole site, else made of the first chapter."""
    from tools.book.site import paper

    if os.environ.get("SITE"):
        return site / "papers", site.parent / "dpbook-site.zip"
    apart(paper.print_all, [CHAPTERS[0]], site)
    return site / "papers", paper.pack(site, tmp_path_factory.mktemp("zip") / "book.zip")


def test_papers_are_tagged_and_have_an_outline(printed, soups):
    papers = sorted(printed[0].glob("*.pdf"))
    assert len(papers) >= 2 and papers[-1].name == "dpbook.pdf"
    for one in papers:
        with pikepdf.open(one) as paper:
            assert "/StructTreeRoot" in paper.Root and paper.Root.MarkInfo.Marked and paper.Root.Lang == "en", one.name
            with paper.open_outline() as outline:
                assert outline.root, one.name
            tags = [thing for thing in paper.objects if isinstance(thing, pikepdf.Dictionary)]
            texts = [str(thing.Alt) for thing in tags if "/Alt" in thing]
            if one.name != "dpbook.pdf":
                pictures = soups[f"{one.stem}.html"].select("article img:not(.over)")
                assert {picture["alt"] for picture in pictures} <= set(texts), one.name


# What of a page of paper would stand beyond its edge: listings and formulas have boxes of their own.
BEYOND = """() => {
    const edge = document.documentElement.clientWidth;
    return [...document.querySelectorAll('h1, h2, h3, p, li, figure, img, table, pre, blockquote, .book-map a')]
        .filter(one => one.getBoundingClientRect().right > edge + 1)
        .map(one => [one.tagName, one.textContent.slice(0, 60)]).slice(0, 5);
}"""


# Titles that are not printed, and what is folded that is.
MISPRINTED = """() => {
    const titles = [...document.querySelectorAll('h1')], folded = [...document.querySelectorAll('details.hide')];
    return [...titles.filter(one => !one.checkVisibility()), ...folded.filter(one => one.checkVisibility())]
        .map(one => one.textContent.slice(0, 60));
}"""


def test_titles_are_printed_and_nothing_stands_beyond_the_edge_of_the_paper(site, some, share, browser):
    from tools.book.site import paper

    page = browser.new_page(viewport={"width": 672, "height": 1000})  # A4 without its margins
    page.emulate_media(media="print")
    whole = site / f"on-paper-{share.start}.htm"
    whole.write_text(paper.book(CHAPTERS, site))
    try:
        for one in [whole, *(site / f"{name}.html" for name in some)]:
            page.goto(one.as_uri())
            assert page.evaluate(BEYOND) == [], one.name
            assert page.evaluate("document.documentElement.scrollWidth") <= 672, one.name
            assert page.locator("h1").count() >= 1 and page.evaluate(MISPRINTED) == [], one.name
    finally:
        whole.unlink()
        page.close()


def assert_the_first_slider_moves(page):
    """The first figure of a page, asked or not: its picture and its caption change."""
    page.wait_for_selector("figure.live .control")
    figure = without_questions(page.locator("figure.live[data-film]").first)
    before = figure.evaluate(SHOWN)
    figure.locator("input[type=range]").first.focus()
    page.keyboard.press("Home")
    page.wait_for_function(f"before => ({SHOWN})(document.querySelector('figure.live'))[0] !== before", arg=before[0])
    assert figure.evaluate(SHOWN)[1] != before[1]


def test_the_book_in_the_zip_opens_where_it_is_unpacked(printed, tab, tmp_path):
    place = tmp_path / "a folder with spaces"
    with zipfile.ZipFile(printed[1]) as packed:
        packed.extractall(place)
    (index,) = place.glob("*/index.html")
    page = tab(index)
    page.get_by_role("link", name="00 Start here").first.click()
    assert_the_first_slider_moves(page)


@pytest.fixture
def served(site, tmp_path):
    """The address of the site on a static host, under a path of its own, with the zip beside its pages."""
    book = tmp_path / "some" / "where" / "a book"
    book.mkdir(parents=True)
    for path in site.iterdir():
        (book / path.name).symlink_to(path)
    (book / matter.ZIP).write_bytes(b"as if it were")
    with host.hosted(tmp_path) as address:
        yield f"{address}/some/where/a%20book"


def test_any_static_host_shows_the_book_under_any_path(served, tab):
    page = tab(f"{served}/index.html")
    if page.locator("[data-zip]").count():  # a site without PDFs offers nothing to take along
        page.locator(f'[data-zip] a[href="{matter.ZIP}"]').wait_for()
    page.get_by_role("link", name="00 Start here").first.click()
    assert_the_first_slider_moves(page)
    found = tab(f"{served}/search.html?q=sensitivity")
    found.wait_for_selector("#search-results li a")


def test_a_theme_that_is_chosen_stays(tab, site):
    page = tab(site / "00_start_here.html", color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    button = page.locator("button.theme-switch-button:visible").first
    button.click()
    page.get_by_role("button", name="Dark").locator("visible=true").click()
    page.wait_for_function(f"light => {ground} !== light", arg=light)
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_only_pages_that_have_changed_are_filmed_again(monkeypatch, tmp_path):
    filmed = []

    def pretend(source, folder):
        (folder / source.stem).mkdir(parents=True, exist_ok=True)
        filmed.append(source.stem)

    monkeypatch.setattr(films, "_in_its_own_process", pretend)
    assert films.make(CHAPTERS, tmp_path) == 2 and sorted(filmed) == sorted(CHAPTERS)
    assert films.make(CHAPTERS, tmp_path) == 0 and len(filmed) == 2
    (tmp_path / CHAPTERS[0] / "key").write_text("of another day")
    assert films.make(CHAPTERS, tmp_path) == 1 and filmed[2:] == [CHAPTERS[0]]


def test_the_films_of_this_site_are_those_of_its_pages(chapters):
    """Building again films nothing: what `make site` keeps stands for the pages as they are."""
    if os.environ.get("SITE"):
        work = ROOT / "build" / "site-work" / "films"
        assert not [name for name in chapters if films.is_old(name, work)]
