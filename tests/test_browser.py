"""The pages as a student meets them: a real JupyterLab in a real browser, every slider moved by the keyboard."""

import pathlib
import re
import shutil

import pytest

from tools.book.lab_page import IDLE, POLLING, run_all, wait_until_ready
from tools.book.lab_server import NOTEBOOK, running_lab
from tools.book.sliders import live_calls

FOLDER = pathlib.Path(__file__).parents[1] / "notebooks"
# The longest first, so that no worker idles at the end. `make test` opens these: together they have every kind of
# slider, button and question that the book has, and none takes its time. `make thorough` opens all pages.
OPENED = ("03_laplace", "00_start_here")
STEMS = sorted(
    (path.stem for path in FOLDER.glob("*.py") if live_calls(path)),
    key=lambda stem: (OPENED.index(stem) if stem in OPENED else len(OPENED), stem),
)
PAGES = [pytest.param(stem, marks=[] if stem in OPENED else [pytest.mark.thorough]) for stem in STEMS]
pytestmark = pytest.mark.browser

# The address of a picture changes when, and only when, new bytes have come: remember it, and wait for another.
REMEMBER = "image => { image.before = image.src; }"
CHANGED = """(image, patience) => new Promise(done => {
    const end = performance.now() + patience;
    const look = () => image.src !== image.before ? done(true)
                     : performance.now() > end ? done(false) : setTimeout(look, 10);
    look();
})"""
# From the notebook itself: on the page JupyterLab shows an error as it shows what is written to stderr.
ERRORS = """() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells
    .flatMap(cell => cell.outputs || []).filter(output => output.output_type === 'error').map(output => output.ename)"""


def changes(page, handle, picture):
    """Move a slider by the keyboard, at most six steps, until its picture has changed, and leave it there.

    Returns how often the picture changed; a late change counts with the step after it.
    """
    value, low, high = handle.evaluate("h => [h.ariaValueNow, h.ariaValueMin, h.ariaValueMax].map(Number)")
    out = "ArrowRight" if 2 * value < low + high else "ArrowLeft"
    seen = steps = 0
    handle.focus()
    while steps < 6 and not seen:
        picture.evaluate(REMEMBER)
        page.keyboard.press(out)
        steps += 1
        seen += picture.evaluate(CHANGED, 1000 if steps < 6 else 3000)
    return seen


def still_pictures(page, figures):
    """Move every slider and press every *New noise* of the page; what left its picture as it was."""
    failures = []
    for number in range(figures.count()):
        figure = figures.nth(number)
        figure.scroll_into_view_if_needed()
        picture = figure.locator("img").first
        assert picture.evaluate("image => image.naturalWidth") >= 400
        assert len(picture.get_attribute("title")) > 30
        handles = figure.locator(".noUi-handle")
        for slider in range(handles.count()):
            if (seen := changes(page, handles.nth(slider), picture)) < 1:
                failures.append(f"figure {number + 1}, slider {slider + 1}: {seen} changes in six steps")
        for button in figure.get_by_role("button", name="New noise").all():
            picture.evaluate(REMEMBER)
            button.click()
            if not picture.evaluate(CHANGED, 3000):
                failures.append(f"figure {number + 1}: new noise changed nothing")
        assert figure.locator(".live-error").count() == 0
    return failures


# What a screen reader says of the handles of a figure: name and value, beside what is written there.
SAID = """figure => [...figure.querySelectorAll('.widget-slider')].map(slider => {
    const handles = [...slider.querySelectorAll('.noUi-handle')], text = part => slider.querySelector(part).textContent;
    return [text('.widget-label'), text('.widget-readout'), handles.map(h => [h.ariaLabel, h.ariaValueText])];
})"""


def assert_handles_are_named(figures):
    """Each handle has its slider's label for a name; a single one says the value that is written beside it."""
    for figure in figures.all():
        for label, readout, handles in figure.evaluate(SAID):
            assert handles and all(name.startswith(label) and name.strip() for name, _ in handles), (label, handles)
            assert len(handles) > 1 or handles[0][1] == readout, (label, readout, handles)


SIZES = """figure => {
    const image = figure.querySelector('.live-picture'), output = figure.closest('.jp-OutputArea-output');
    const page = document.querySelector('.jp-WindowedPanel-outer'), tracks = figure.querySelectorAll('.noUi-target');
    return {shown: image.clientWidth, shape: image.clientWidth / image.clientHeight,
            sideways: [output, page].map(box => box.scrollWidth - box.clientWidth),
            track: Math.min(...[...tracks].map(track => track.clientWidth))};
}"""
NATURAL = "([image, width]) => image.naturalWidth === width"
RESTED = "([image, width]) => image.src !== image.before && image.naturalWidth === width"
LAID_OUT = "([image, width]) => innerWidth === width && image.getBoundingClientRect().right <= width"


def assert_picture_fits_every_screen(page, figure):
    """It shrinks with its page, keeps its shape, never grows and never asks for scrolling sideways.

    On a screen with two pixels a dot twice as many come: as soon as the page is there, though it is as wide as before
    (Chromium only tells a page of an emulated density together with a size), and again when a slider rests.
    """
    screen, picture = page.context.new_cdp_session(page), figure.locator(".live-picture")
    image = picture.element_handle()
    full, height = (int(picture.get_attribute(way)) for way in ("width", "height"))

    def on_screen(width, density=1):
        size = {"width": width, "height": 900, "deviceScaleFactor": density, "mobile": False}
        screen.send("Emulation.setDeviceMetricsOverride", size)
        page.wait_for_function(LAID_OUT, arg=[image, width], polling=POLLING)
        page.wait_for_function(NATURAL, arg=[image, density * full], polling=POLLING)
        found = figure.evaluate(SIZES)
        assert found["sideways"] == [0, 0] and found["track"] >= 60, (width, found)
        assert abs(found["shape"] * height / full - 1) < 0.01, (width, found)
        return found["shown"]

    assert on_screen(1280) == on_screen(1920) == on_screen(1921, density=2) == full
    picture.evaluate(REMEMBER)
    figure.locator(".noUi-handle").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(RESTED, arg=[image, 2 * full], polling=POLLING)
    assert full / 2 < on_screen(1024) < full
    page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    assert 250 < on_screen(420) < 420
    page.evaluate("() => window.jupyterapp.shell.expandLeft()")
    screen.send("Emulation.clearDeviceMetricsOverride")
    page.wait_for_function(NATURAL, arg=[image, full], polling=POLLING)


# The width and the height of what is drawn in an image that keeps its shape in a larger box.
DRAWN = """image => {
    const scale = Math.min(image.clientWidth / image.naturalWidth, image.clientHeight / image.naturalHeight);
    return [image.naturalWidth, image.naturalHeight].map(side => Math.round(scale * side));
}"""


def assert_figure_can_have_the_window(page, figure):
    """By the keyboard: Enter on its button, a slider that moves it there, Escape; the focus is on the button again.

    What is drawn, and not its box only, is larger than in the page, on a small screen and on a large one.
    """
    button, picture = figure.get_by_role("button", name="Enlarge to the window"), figure.locator(".live-picture")
    itself, usual = figure.element_handle(), page.viewport_size
    filled = "figure => figure.offsetWidth === innerWidth && figure.offsetHeight === innerHeight"
    for size in ({"width": 1280, "height": 800}, {"width": 1920, "height": 1080}):
        page.set_viewport_size(size)
        page.wait_for_function("width => innerWidth === width", arg=size["width"], polling=POLLING)
        before = picture.evaluate(DRAWN)
        button.focus()
        page.keyboard.press("Enter")
        page.wait_for_function(filled, arg=itself, polling=POLLING)
        (wide, high), (width, height) = picture.evaluate(DRAWN), before
        assert wide > 1.05 * width and high > 1.05 * height, (size, before, wide, high)
        assert changes(page, figure.locator(".noUi-handle").first, picture)
        page.keyboard.press("Escape")
        page.wait_for_function("figure => !figure.popover", arg=itself, polling=POLLING)
        assert picture.evaluate(DRAWN) == before
        assert button.evaluate("button => button === document.activeElement")
    page.set_viewport_size(usual)


SEEN = "button => button.matches(':focus-visible') && parseFloat(getComputedStyle(button).outlineWidth)"
VALUE = "handle => handle.getAttribute('aria-valuetext')"
MOVED = "([handle, value]) => handle.getAttribute('aria-valuetext') !== value"


def assert_player_obeys_the_keyboard(page, figure, what):
    """Tab leads from its slider to it and the focus is seen; Space plays, Enter pauses, and its name says which."""
    handle = figure.locator(".noUi-handle").first.element_handle()
    play, pause = (figure.get_by_role("button", name=f"{word} {what}") for word in ("play", "pause"))
    handle.focus()
    page.keyboard.press("Home")
    for _ in range(3):
        if not play.evaluate("button => button === document.activeElement"):
            page.keyboard.press("Tab")
    assert play.evaluate(SEEN) >= 2
    low = handle.evaluate(VALUE)
    page.keyboard.press("Space")
    pause.wait_for(timeout=5_000)
    page.wait_for_function(MOVED, arg=[handle, low], polling=POLLING)
    page.keyboard.press("Enter")
    play.wait_for(timeout=5_000)
    page.wait_for_timeout(200)  # what was on its way
    stopped = handle.evaluate(VALUE)
    page.wait_for_timeout(1_000)
    assert handle.evaluate(VALUE) == stopped != low
    assert figure.get_by_role("button", name="back to the start").count() == 1


# Whether each figure either asks and keeps its sliders, or does neither; and: press every *Skip* there is, how many?
SETTLED = """() => window.skipped.every(button => !button.isConnected) && [...document.querySelectorAll('.live-figure')]
    .every(figure => !figure.querySelector('.guess-first') === !figure.querySelector('.noUi-target[disabled]'))"""
SKIP = """() => {
    const buttons = [...document.querySelectorAll('.live-figure button')];
    window.skipped = buttons.filter(button => button.textContent.trim() === 'Skip');
    window.skipped.forEach(button => button.click());
    return window.skipped.length;
}"""


def guess_first(page, figures, to_answer):
    """Answer so many of the questions of a number, skip the others: the sliders wait until then, and no longer."""
    from playwright.sync_api import expect  # here: who collects all tests, and opens no browser, need not load it

    numbers = page.locator(".live-figure", has=page.locator(".guess-first", has_text="right if"))
    for _ in range(to_answer):
        question = numbers.first.locator(".guess-first").element_handle()
        track = numbers.first.locator(".live-field .noUi-target")
        track.click()  # until then there is no answer, and no button to be sure of it
        numbers.first.get_by_role("button", name="90% sure").click()
        page.wait_for_function("question => !question.isConnected", arg=question, polling=POLLING)
    while page.evaluate(SKIP):
        page.wait_for_function(SETTLED, polling=POLLING)
    for gone in (figures.locator(".noUi-target[disabled]"), page.locator(".guess-first")):
        expect(gone).to_have_count(0)
    answered = [re.compile("90% sure; the figure says")] * to_answer  # a panel is laid out a moment after it is made
    expect(page.locator(".guess-result")).to_have_text(answered, use_inner_text=True)


def stored_pictures(page):
    """The stored pictures of the live figures, before anything has run: each is seen, and no widget's error is."""
    page.wait_for_selector(".jp-RenderedImage img")
    for picture in (pictures := page.locator(".jp-RenderedImage img")).all():
        assert picture.is_visible()
    assert "model not found" not in page.locator(".jp-Notebook").inner_text()
    return pictures.count()


def assert_stored_pictures_have_stepped_back(page):
    """In each cell with a live figure the picture stored before it is hidden."""
    cells = page.locator(".jp-CodeCell", has=page.locator(".live-figure"))
    for cell in cells.all():
        assert not cell.locator(".jp-RenderedImage img").first.is_visible()


# The kernel sleeps, as if a cell ran in it; what the picture of a figure was meanwhile, one address after the other.
SLEEP = """image => {
    image.addresses = [];
    const watch = new MutationObserver(() => image.addresses.push(image.src));
    watch.observe(image, {attributes: true, attributeFilter: ['src']});
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    kernel.requestExecute({code: 'import time; time.sleep(4)', store_history: false});
}"""


def newest_value_wins_over_a_busy_kernel(page, figure):
    """Six moves while a cell runs: the figure says that it waits, then shows the last of them, not one by one."""
    handle, picture = figure.locator(".noUi-handle").first, figure.locator("img").first
    handle.focus()
    picture.evaluate(SLEEP)
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    figure.locator("xpath=self::*[@aria-busy='true']").wait_for(timeout=3_800)
    assert picture.evaluate("image => getComputedStyle(image).filter") == "grayscale(1)"
    says = "figure => getComputedStyle(figure.querySelector('[data-of]'), '::after').content"
    assert "The picture is of " in figure.evaluate(says)
    assert "epsilon = " in figure.locator("[data-of]").get_attribute("data-of")
    assert picture.evaluate("image => image.addresses.length") == 0
    page.wait_for_selector(IDLE, timeout=30_000)
    figure.locator("xpath=self::*[not(@aria-busy)]").wait_for(timeout=5_000)
    page.wait_for_timeout(500)
    shown = picture.evaluate("image => image.addresses.length")
    assert 1 <= shown <= 3, f"{shown} pictures of six moves"
    last = picture.get_attribute("src")
    for key, same in (("ArrowRight", "!=="), ("ArrowLeft", "===")):
        page.keyboard.press(key)
        seen = [picture.element_handle(), last]
        page.wait_for_function(f"([image, last]) => image.src {same} last", arg=seen, polling=POLLING)


@pytest.mark.parametrize("stem", PAGES)
def test_page_runs_and_every_slider_moves_its_picture(notebook, stem, tmp_path):
    """Opened once: what is stored is seen; run, live figures take its place, ask, and every slider moves."""
    calls = live_calls(FOLDER / f"{stem}.py")
    with notebook(stem) as page:
        assert stored_pictures(page) >= calls >= 1
        run_all(page)
        figures = page.locator(".live-figure")
        figures.nth(calls - 1).wait_for(timeout=30_000)
        assert figures.count() == calls
        guess_first(page, figures, to_answer=stem == "03_laplace")  # a figure then stands where it was asked
        if stem == "00_start_here":
            newest_value_wins_over_a_busy_kernel(page, figures.first)
        failures = still_pictures(page, figures)
        assert_stored_pictures_have_stepped_back(page)
        assert_handles_are_named(figures)
        if stem == "03_laplace":
            assert_picture_fits_every_screen(page, figures.first)
            assert_figure_can_have_the_window(page, figures.first)
            assert_player_obeys_the_keyboard(page, figures.first, "epsilon")
        page.screenshot(path=tmp_path / f"{stem}.png")
        assert not failures, failures
        assert page.evaluate(ERRORS) == []
        assert not page.complaints


def test_a_figure_moves_in_notebook_7_on_a_sharp_screen(browser, tmp_path):
    """Opened where no JupyterLab is around it: two moves, pixels for the screen, the window, no second picture."""
    (tmp_path / "notebooks").mkdir()
    shutil.copy(FOLDER / "00_start_here.ipynb", tmp_path / "notebooks")
    with running_lab(tmp_path, settings=None, command=NOTEBOOK) as place:
        page = browser.new_page(viewport={"width": 1280, "height": 900}, device_scale_factor=2)
        moves_in_notebook_7(page, place)
        page.close()


def moves_in_notebook_7(page, place):
    complaints, (address, token) = [], place
    page.on("pageerror", lambda error: complaints.append(f"{error} {error.stack}"))
    page.goto(f"{address}/notebooks/notebooks/00_start_here.ipynb?token={token}")
    wait_until_ready(page)  # cells that are run before the kernel has answered are not run at all
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    figures = page.locator(".live-figure", has=page.locator(".live-page button"))
    figures.nth(live_calls(FOLDER / "00_start_here.py") - 1).wait_for(timeout=120_000)
    while skip := page.locator(".live-figure button", has_text="Skip").all():
        skip[0].click()
        page.wait_for_timeout(300)
    figure = figures.first
    figure.scroll_into_view_if_needed()
    picture, handle = figure.locator(".live-picture"), figure.locator(".noUi-handle").first
    full = int(picture.get_attribute("width"))
    for _ in range(2):
        assert changes(page, handle, picture) == 1
    page.wait_for_function(NATURAL, arg=[picture.element_handle(), 2 * full], polling=POLLING)
    assert_figure_can_have_the_window(page, figure)
    assert_stored_pictures_have_stepped_back(page)
    assert_handles_are_named(figures)
    assert not [one for one in complaints if "notebook_core" not in one], "Notebook 7.6 itself misses a schema"


def test_a_restarted_kernel_leaves_the_pictures_and_the_right_advice(notebook):
    with notebook("00_start_here") as page:
        run_all(page)
        figure = page.locator(".live-figure").first
        figure.locator(".live-page > button").wait_for(timeout=30_000)
        page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
        page.wait_for_selector(".live-figure.jupyter-widgets-disconnected", timeout=30_000)
        said = figure.evaluate("figure => getComputedStyle(figure, '::before').content")
        assert "Run > Run All Cells" in said and "this cell" not in said
        assert figure.locator(".live-picture").is_visible() and not figure.locator(".live-controls").is_visible()
        picture = figure.locator(".live-picture")
        assert picture.evaluate("picture => getComputedStyle(picture).filter") == "grayscale(1)"
        page.locator(".Toastify__toast").get_by_role("button", name="Run the page").click()
        page.locator(".live-figure:not(.jupyter-widgets-disconnected) .live-page button").first.wait_for(timeout=60_000)
