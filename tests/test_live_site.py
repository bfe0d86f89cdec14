"""The live part of the site, as its readers meet it: `make site-test` (it needs the whole site, which SITE names).

From a static server, under a path of its own; every other host is out of reach.
"""

import functools
import http.server
import json
import os
import pathlib
import re
import threading

import pytest
from bs4 import BeautifulSoup

from tools.book.chromium import FLAGS, installed
from tools.book.contents import ROOT
from tools.book.lite import distribution

SITE = ROOT / os.environ.get("SITE", "build/site")
LITE = SITE / "lite"
NOBODY = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
PATIENCE = 300_000  # ms: two other browsers may be at work
ERRORS = """() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells
    .flatMap(cell => cell.outputs || []).filter(one => one.output_type === 'error').map(one => one.evalue)"""
pytestmark = [pytest.mark.site, pytest.mark.xdist_group("live")]


class Silent(http.server.SimpleHTTPRequestHandler):
    """A static host that says nothing, and calls WebAssembly what it is."""

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".wasm": "application/wasm",
        ".mjs": "text/javascript",
    }

    def log_message(self, *_):
        """Nothing is said of what was asked for."""


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """The site on a static host, under a path of its own: (address, server)."""
    folder = tmp_path_factory.mktemp("host") / "a"
    folder.mkdir()
    (folder / "book").symlink_to(SITE)
    serve = functools.partial(Silent, directory=folder.parent)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/a/book", server
        server.shutdown()


@pytest.fixture(scope="module")
def reader(host, tmp_path_factory):
    """A reader's browser that keeps what it is given; `asked` are the foreign addresses that it asked for."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        kept = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"),
            executable_path=installed(),
            args=[*FLAGS, NOBODY],
            viewport={"width": 1280, "height": 900},
            accept_downloads=True,
        )
        kept.set_default_timeout(PATIENCE)
        kept.asked = []
        own = (host[0].partition("/a/")[0], "data:", "blob:", "about:")
        kept.on("request", lambda request: request.url.startswith(own) or kept.asked.append(request.url))
        yield kept
        kept.close()


def ran(page):
    """Wait until a page of the book has run by itself."""
    page.wait_for_selector("[data-dpbook=ran]")
    assert page.evaluate(ERRORS) == []


def moves(page):
    """The first slider of the page moves its picture: by a key, and by a drag."""
    figure = page.locator(".live-figure").first
    figure.scroll_into_view_if_needed()
    while figure.get_by_role("button", name="Skip").count():
        figure.get_by_role("button", name="Skip").first.click()
        page.wait_for_timeout(300)
    picture, handle = figure.locator("img").first, figure.locator(".noUi-handle").first
    before = picture.get_attribute("src")
    handle.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("([image, before]) => image.src !== before", arg=[picture.element_handle(), before])
    page.wait_for_timeout(1000)
    before, box = picture.get_attribute("src"), handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + box["height"] / 2, steps=6)
    page.mouse.up()
    page.wait_for_function("([image, before]) => image.src !== before", arg=[picture.element_handle(), before])


def test_pages_lead_to_the_live_part_where_it_is():
    for path in SITE.glob("[0-9][0-9]_*.html"):
        soup = BeautifulSoup(path.read_text(), "html.parser")
        links = [link["href"].partition("?path=")[2] for link in soup.select('a[href^="lite/"]')]
        assert bool(links) == (LITE.exists() and "_answers" not in path.name) or "_answers" in path.name
        assert all((LITE / "files" / name).is_file() for name in links), links


def test_what_the_live_part_is_made_of_has_its_sums_and_no_address():
    lock = (LITE / "static/python/pyodide-lock.json").read_text()
    for one in json.loads(lock)["packages"].values():
        distribution.verified(LITE / "static/python" / one["file_name"], one["sha256"])
    settings = (LITE / "jupyter-lite.json").read_text()
    for text in (lock, settings, (LITE / "static/python/dpbook.json").read_text()):
        assert "http" not in re.sub(r'"\$schema"[^\n]*', "", text) and str(ROOT) not in text


def test_a_page_opens_live_runs_moves_and_keeps_what_was_changed(reader, host):
    """From the page of the site; an edit is there after the page was loaded again, with the network cut."""
    address, server = host
    page = reader.new_page()
    page.goto(f"{address}/03_laplace.html")
    page.get_by_role("link", name="Open this page live").click()
    ran(page)
    moves(page)
    cell = page.locator(".jp-CodeCell:visible").first
    page.evaluate(
        """() => { const one = window.jupyterapp.shell.currentWidget;
                   one.content.model.cells.get(2).sharedModel.setSource("mine = 1"); return one.context.save(); }"""
    )
    assert cell.count()
    assert [url for url in reader.asked] == []
    server.shutdown()
    page.reload()
    page.wait_for_selector(".jp-Notebook")
    sources = "() => [...window.jupyterapp.shell.currentWidget.content.model.cells].map(one => one.sharedModel.source)"
    page.wait_for_function(f"() => window.jupyterapp?.shell.currentWidget && ({sources})().includes('mine = 1')")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page.close()


def test_an_assignment_is_done_where_it_stands_and_taken_along(reader, host):
    page = reader.new_page()
    page.goto(f"{host[0]}/lite/lab/index.html?path=exercises/releases/03_laplace.ipynb")
    page.wait_for_selector(".jp-Notebook")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download").click()
    told = json.loads(pathlib.Path(saved.value.path()).read_text())
    assert [cell for cell in told["cells"] if cell["cell_type"] == "code"]
    page.close()
