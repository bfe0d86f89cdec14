"""The live part of the site: the pages lead to it where it is, it is made of what was verified, and it runs.

`make site-test` runs this on the whole site, which SITE names. Where the live part was left out, no page leads to it.
"""

import contextlib
import json
import os
import pathlib
import re
from importlib import resources

import pytest
from bs4 import BeautifulSoup

from tools.book.contents import ROOT
from tools.book.lite import distribution
from tools.book.site import host

SITE = ROOT / os.environ.get("SITE", "build/site")
LITE = SITE / "lite"
pytestmark = pytest.mark.site
live = pytest.mark.skipif(not LITE.exists(), reason="the site was built without its live part, and no page leads to it")

START = 60_000  # ms until Python has arrived and the first cells have run, on a machine that does other things too
NOW = "window.jupyterapp?.shell?.currentWidget"
CELLS = f"({NOW}?.content?.widgets ?? []).map(cell => cell.model.sharedModel.getSource())"


def test_pages_lead_to_the_live_part_where_it_is():
    for path in SITE.glob("[0-9][0-9]_*.html"):
        soup = BeautifulSoup(path.read_text(), "html.parser")
        links = [link["href"].partition("?path=")[2] for link in soup.select('a[href^="lite/"]')]
        assert bool(links) == (LITE.exists() and "_answers" not in path.name) or "_answers" in path.name
        assert all((LITE / "files" / name).is_file() for name in links), links


def test_what_the_live_part_is_made_of_has_its_sums_and_no_address():
    if not LITE.exists():  # left out, and no page leads to it
        return
    [python] = (LITE / "static").glob("python-*")
    lock = (python / "pyodide-lock.json").read_text()
    for one in json.loads(lock)["packages"].values():
        distribution.verified(python / one["file_name"], one["sha256"])
    settings = (LITE / "jupyter-lite.json").read_text()
    for text in (lock, settings, (python / "dpbook.json").read_text()):
        assert "http" not in re.sub(r'"\$schema"[^\n]*', "", text) and str(ROOT) not in text


# In a browser, from a static host and under a path of the site's own.


class Renewed(host.Silent):
    """The host after a newer version was put there: `names` that say what is in a file are others, older -> newer."""

    names: dict
    asked: list

    def translate_path(self, path):
        for older, newer in self.names.items():
            path = path.replace(newer, older)
        return super().translate_path(path)

    def do_GET(self):
        self.asked.append(self.path)
        path = pathlib.Path(self.translate_path(self.path))
        if path.suffix not in (".json", ".js", ".html") or not path.is_file() or "lite" not in self.path:
            super().do_GET()
            return
        content = path.read_bytes()
        for older, newer in self.names.items():
            content = content.replace(older.encode(), newer.encode())
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def renewed(python):
    """A host with newer pages, and with a newer Python too or the one before."""
    [version] = re.findall(r"dpbook pages (\w+)", (LITE / "jupyter-lite.json").read_text())
    names = {f"dpbook pages {version}": "dpbook pages another"}
    if python:
        found = re.findall(r"python-[0-9a-f]{12}|ahead\.[0-9a-f]{12}", (LITE / "lab" / "index.html").read_text())
        names |= {name: name[:-12] + 12 * "0" for name in found}
    return type("Newer", (Renewed,), {"names": names, "asked": []})


@contextlib.contextmanager
def hosted(folder, port=0, handler=host.Silent):
    """The address of the site on a static host, under a path of its own."""
    (folder / "a").mkdir(exist_ok=True)
    if not (folder / "a" / "book").exists():
        (folder / "a" / "book").symlink_to(SITE)
    with host.hosted(folder, port, handler) as address:
        yield f"{address}/a/book"


@pytest.fixture
def reader(browser):
    """A browser of one reader: tabs share what is kept in it, and none asks anybody but the site."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    asked, troubles = [], []
    context.on("request", lambda request: asked.append(request.url))
    # JupyterLite itself looks for the sessions of a tab that is gone
    context.on("weberror", lambda error: "Session" in str(error.error) or troubles.append(error.error.stack))
    yield context
    context.close()
    assert not troubles, troubles
    assert {url.split("/")[2].partition(":")[0] for url in asked if url.startswith("http")} == {"127.0.0.1"}


def opened(reader, address, path):
    """A tab with a notebook of the live part, as a page of the site links it."""
    tab = reader.new_page()
    tab.goto(f"{address}/lite/lab/index.html?path={path}")
    return tab


def until_it_moves(tab, key="ArrowRight"):
    """Wait for the first slider of the page, press a key on it, and wait for another picture."""
    handle = tab.locator(".jp-Notebook [role=slider]").first
    handle.wait_for(timeout=START)
    before, at = picture(tab), handle.get_attribute("aria-valuenow")
    handle.focus()
    handle.press(key)
    tab.wait_for_function("([old, read]) => (0, eval)(read) !== old", arg=[before, PICTURE], timeout=START, polling=50)
    assert handle.get_attribute("aria-valuenow") != at
    return picture(tab)


PICTURE = "document.querySelector('.jp-Notebook img.live-picture')?.src"


def picture(tab):
    return tab.evaluate(PICTURE)


def set_cell(tab, holding, text):
    """Put a text in the place of the first cell that holds some words, as typing would, and save the page."""
    there = f"words => {NOW}?.content?.widgets && {CELLS}.join().includes(words)"
    tab.wait_for_function(there, arg=holding, timeout=START)
    return tab.evaluate(
        f"""async ([holding, text]) => {{
            const content = {NOW}.content;
            const place = content.widgets.findIndex(cell => cell.model.sharedModel.getSource().includes(holding));
            content.widgets[place].model.sharedModel.setSource(text);
            content.activeCellIndex = place;
            await {NOW}.context.save();
            return place;
        }}""",
        [holding, text],
    )


def with_a_word_of_mine(reader, address):
    """A tab with page 03, in which the reader has written and saved something; and its cells before that."""
    tab = opened(reader, address, "notebooks/03_laplace.ipynb")
    until_it_moves(tab)
    before = tab.evaluate(CELLS)
    set_cell(tab, "Laplace", "# My own title\n\nand a word of mine")
    return tab, before


def kernels(tab):
    """How many workers of the tab are kernels."""
    return sum("pyodide-kernel" in worker.url for worker in tab.workers)


def begun(tab):
    """The kernels that began with the page."""
    return [worker for worker in tab.workers if "/ahead." in worker.url]


SAID = """window.said = "";  // all that the line about what is loading has said
new MutationObserver(() => window.said += document.querySelector(".dpbook-loading")?.innerText ?? "")
    .observe(document, { subtree: true, childList: true, characterData: true });"""


@live
@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_of_the_site_opens_live_runs_itself_and_moves(reader, tmp_path, width):
    with hosted(tmp_path) as address:
        page = reader.new_page()
        page.set_viewport_size({"width": width, "height": 844})
        page.add_init_script(SAID)
        page.goto(f"{address}/03_laplace.html")
        link = page.locator('a[href^="lite/"]').first
        link.click()
        page.wait_for_url("**/lite/lab/**")
        first = until_it_moves(page)
        assert re.search(r"\d MB", page.evaluate("window.said"))
        assert until_it_moves(page) != first
        assert page.locator(".dpbook-loading").count() == 0


@live
def test_changes_stay_over_a_reload_without_a_network_until_one_starts_afresh(reader, tmp_path):
    with hosted(tmp_path) as address:
        port = int(address.split(":")[2].split("/")[0])
        tab, before = with_a_word_of_mine(reader, address)
        assert kernels(tab) == 1 and not begun(tab), "the first time Python begins when JupyterLab asks for it"
        tab.reload()
        tab.locator(".jp-Notebook [role=slider]").first.wait_for(timeout=START)
        assert kernels(tab) == 1 == len(begun(tab)), "it did not begin with the page, or twice"
        assert any("a word of mine" in source for source in tab.evaluate(CELLS))
    # nobody answers at this address any more
    tab.reload()
    until_it_moves(tab, "ArrowLeft")
    assert any("a word of mine" in source for source in tab.evaluate(CELLS))
    with hosted(tmp_path, port):
        tab.get_by_text("Start afresh", exact=True).first.click()
        tab.locator(".jp-Dialog button", has_text="Start afresh").click()
        gone = f"() => {NOW} && {NOW}.content && !({CELLS}).join().includes('a word of mine')"
        tab.wait_for_function(gone, timeout=START)
        tab.wait_for_function(f"count => ({CELLS}).length === count", arg=len(before), timeout=START)
        assert tab.evaluate(CELLS) == before


KEPT = """async () => [...new Set((await (await caches.open('dpbook files')).keys())
    .flatMap(request => request.url.match(/static.python-[0-9a-f]+/) ?? []))].map(name => name.slice(14))"""


@live
@pytest.mark.parametrize("python", [False, True], ids=["pages", "Python too"])
def test_a_newer_site_is_shown_and_offers_what_was_changed_in_the_older_one(reader, tmp_path, python):
    """Once, as a copy beside the new page. A page runs its own Python; of another one nothing is kept any more."""
    hosts = [host.Silent]
    with hosted(tmp_path, handler=lambda *request, **options: hosts[-1](*request, **options)) as address:
        tab, before = with_a_word_of_mine(reader, address)
        kept = tab.evaluate(KEPT)
        tab.close()
        newer = renewed(python)
        hosts.append(newer)
        tab = opened(reader, address, "notebooks/03_laplace.ipynb")
        tab.wait_for_function(f"count => ({CELLS}).length === count", arg=len(before), timeout=START)
        assert tab.evaluate(CELLS) == before
        offer = tab.locator(".Toastify__toast", has_text="Your copy is still here")
        offer.get_by_role("button", name="Open my copy").click()
        tab.wait_for_function(f"() => ({CELLS}).join().includes('a word of mine')", timeout=START)
        assert tab.evaluate(f"{NOW}.context.path") == "notebooks/03_laplace_mine.ipynb"
        tab.wait_for_selector(".jp-NotebookPanel:not(.lm-mod-hidden)[data-dpbook=ran]", timeout=2 * START)  # runs too
        assert len(begun(tab)) == (not python), "a newer Python is not there yet, one that stayed begins with the page"
        loaded = {path.split("/python-")[1].split("/")[0] for path in newer.asked if "/python-" in path}
        assert loaded == ({12 * "0"} if python else set())
        assert tab.evaluate(KEPT) == ([12 * "0"] if python else kept)
        again = opened(reader, address, "notebooks/03_laplace.ipynb")
        until_it_moves(again)
        assert len(begun(again)) == 1
        assert again.locator(".Toastify__toast", has_text="Your copy is still here").count() == 0


@live
def test_axe_finds_nothing_in_the_figures(reader, tmp_path):
    """JupyterLab's own frame is not ours: its toolbars' `jp-button` has attributes that axe does not know."""
    axe = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text()
    asked = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "preload": False}
    with hosted(tmp_path) as address:
        tab = opened(reader, address, "notebooks/03_laplace.ipynb")
        until_it_moves(tab)
        tab.evaluate(axe)
        assert tab.locator(".live-figure").count()
        found = tab.evaluate("rules => axe.run({include: ['.live-figure']}, rules)", asked)
        assert not [(one["id"], [node["target"] for node in one["nodes"]][:3]) for one in found["violations"]]


@live
def test_an_assignment_is_done_wrong_and_right_and_downloaded(reader, tmp_path):
    with hosted(tmp_path) as address:
        page = reader.new_page()
        page.goto(f"{address}/03_laplace.html")
        link = page.locator('a[href*="exercises/releases/03_laplace"][href^="lite/"]').first
        tab = opened(reader, address, link.get_attribute("href").partition("?path=")[2])
        tab.wait_for_function(f"() => ({CELLS}).length > 9", timeout=START)
        ready = f"{NOW}.sessionContext.ready"
        tab.evaluate(f"{ready}.then(() => {NOW}.sessionContext.session.kernel.info).then(() => true)")
        for scale, told in (("(high - low) / epsilon", "keep going"), ("max(abs(low), abs(high)) / epsilon", "right")):
            set_cell(tab, "def scale_for_sum", f"def scale_for_sum(low, high, epsilon):\n    return {scale}\n")
            tab.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
            tab.wait_for_function(
                f"""told => {{
                    const cells = {NOW}.content.widgets;
                    const sources = cells.map(cell => cell.model.sharedModel.getSource());
                    const place = sources.findIndex(source => source.includes('def scale_for_sum'));
                    return JSON.stringify(cells[place + 1].model.outputs.toJSON()).includes(told);
                }}""",
                arg=told,
                timeout=START,
            )
        with tab.expect_download() as download:
            tab.get_by_text("Download", exact=True).first.click()
        handed_in = json.loads(download.value.path().read_text())
        assert any("max(abs(low), abs(high))" in "".join(cell["source"]) for cell in handed_in["cells"])
        assert download.value.suggested_filename == "03_laplace.ipynb"


@live
def test_two_pages_run_at_once_and_a_kernel_restarts(reader, tmp_path):
    with hosted(tmp_path) as address:
        tabs = [opened(reader, address, f"notebooks/{name}.ipynb") for name in ("03_laplace", "04_exponential")]
        pictures = [until_it_moves(tab) for tab in tabs]
        assert pictures[0] != pictures[1] and until_it_moves(tabs[0]) != pictures[0]
        tabs[1].evaluate(f"{NOW}.sessionContext.restartKernel()")
        tabs[1].evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
        until_it_moves(tabs[1])


# All controls of a page of the site: its film, and behind it Python in a worker.

FILM_AND_PYTHON = """async places => {
    const figure = document.querySelector('figure.live[data-film]');
    const pixels = async pictures => {
        const canvas = document.createElement('canvas'), pen = canvas.getContext('2d');
        for (const picture of pictures) {
            const image = new Image();
            image.src = picture;
            await image.decode();
            if (!canvas.width || canvas.width !== image.naturalWidth) {
                canvas.width = image.naturalWidth;
                canvas.height = image.naturalHeight;
            }
            pen.drawImage(image, 0, 0);
        }
        return [canvas.width, canvas.height, pen.getImageData(0, 0, canvas.width, canvas.height).data];
    };
    const film = await figure.film, [number] = film.shots[places.join()];
    const file = one => `data:image/webp;base64,${film.pictures[one]}`;
    const one = await pixels(number ? [file(0), file(number)] : [file(0)]);
    const other = await pixels([figure.querySelector('img').src]);
    const far = one[2].reduce((count, level, at) => count + (Math.abs(level - other[2][at]) > 64), 0);
    return [one.slice(0, 2), other.slice(0, 2), far / one[2].length];
}"""


@live
def test_all_controls_move_together_and_the_pictures_are_those_of_the_film(reader, tmp_path):
    """At the film's settings they differ by letters alone; at others nothing goes back. Then it starts by itself."""
    with hosted(tmp_path) as address:
        page = reader.new_page()
        page.goto(f"{address}/16_compressive.html")
        figure = page.locator("figure.live[data-film]").first
        ranges = figure.locator(".controls input[type=range]")
        few = [int(one.get_attribute("max")) for one in ranges.all()]
        figure.get_by_role("button", name="All controls").click()
        page.wait_for_selector("figure.drawn", timeout=START)
        assert "All controls move together" in figure.locator(".all-controls").inner_text()
        assert all(int(one.get_attribute("max")) >= most for one, most in zip(ranges.all(), few, strict=True))
        captions = [figure.locator(".caption").inner_text()]
        for one in ranges.all():
            image = figure.locator("img").first
            before = image.get_attribute("src")
            one.focus()
            one.press("End" if one.input_value() != one.get_attribute("max") else "Home")
            before = page.evaluate("src => new URL(src, location.href).href", before)
            other = "([image, before]) => image.src !== before && image.complete"
            page.wait_for_function(other, arg=[image.element_handle(), before], timeout=START)
            captions.append(figure.locator(".caption").inner_text())
        ends = [one.input_value() for one in ranges.all()]
        most = [one.get_attribute("max") for one in ranges.all()]
        assert len(set(captions)) > 1 and all(end in ("0", last) for end, last in zip(ends, most, strict=True))
        assert figure.locator(".back").inner_text() == ""
        again = reader.new_page()
        again.goto(f"{address}/03_laplace.html")
        again.wait_for_selector("figure.drawn", timeout=START)
        again.evaluate("document.querySelector('figure.live[data-film]').move({})")
        again.wait_for_function("document.querySelector('figure.live img').src.startsWith('blob:')", timeout=START)
        film = "(await document.querySelector('figure.live').film).shots"
        start = again.evaluate(f"(async () => Object.keys({film})[0].split(',').map(Number))()")
        film, python, far = again.evaluate(FILM_AND_PYTHON, start)
        assert film == python and far < 0.08, "another matplotlib sets letters a little differently"


@live
def test_links_and_addresses_reach_settings_that_only_python_draws(reader, tmp_path):
    """A link in the text, the address that it leaves, and that address in another tab: the same setting."""
    with hosted(tmp_path) as address:
        page = reader.new_page()
        page.goto(f"{address}/03_laplace.html")
        page.get_by_role("button", name="All controls").first.click()
        page.wait_for_function("document.querySelectorAll('figure.drawn').length > 1", timeout=START)
        link = page.locator('a[href^="#move:epsilon"]').first
        asked = link.get_attribute("href").partition("epsilon=")[2]
        link.click()
        page.wait_for_function("location.hash.startsWith('#figure-')")
        name = page.evaluate("location.hash.slice(1).split(':')[0]")
        figure = page.locator(f"#{name}")
        scale = figure.locator('.control[data-name="epsilon"] input[type=range]')
        assert scale.get_attribute("aria-valuetext") == asked
        drawn = "name => document.getElementById(name).querySelector('img').src.startsWith('blob:')"
        page.wait_for_function(drawn, arg=name)
        scale.focus()
        for _ in range(3):  # finer than the steps of the film
            scale.press("ArrowRight")
        word = scale.get_attribute("aria-valuetext")
        page.wait_for_function("word => decodeURIComponent(location.hash).includes(word)", arg=f"epsilon={word}")
        said = figure.locator(".caption").inner_text()
        again = reader.new_page()
        again.goto(page.url)
        again.wait_for_selector(f"#{name}.drawn", timeout=START)
        same = "([name, said]) => document.querySelector(`#${name} .caption`).innerText === said"
        again.wait_for_function(same, arg=[name, said])
        assert again.locator(f"#{name} .control[data-name=epsilon] input").get_attribute("aria-valuetext") == word


@live
def test_where_python_does_not_start_the_film_stays_and_one_line_says_why(reader, tmp_path):
    with hosted(tmp_path) as address:
        page = reader.new_page()
        page.route("**/live/03_laplace.json", lambda route: route.fulfill(status=404))
        page.goto(f"{address}/03_laplace.html")
        figure = page.locator("figure.live[data-film]").first
        figure.get_by_role("button", name="All controls").click()
        line = figure.locator(".all-controls")
        failed = "line => line.textContent.includes('did not start')"
        page.wait_for_function(failed, arg=line.element_handle(), timeout=START)
        assert "live/03_laplace.json is not there (404)" in line.inner_text() and "The film stays" in line.inner_text()
        one, image = figure.locator(".controls input[type=range]").first, figure.locator("img").first
        one.focus()
        one.press("End")
        page.wait_for_function("image => image.src.startsWith('data:image/webp')", arg=image.element_handle())
