"""What moves a figure beside its sliders, in JupyterLab and Notebook 7: a first play, links, guesses, its corner."""

import pytest

from tools.book import notebooks
from tools.book.lab_page import POLLING, open_notebook, run_all, wait_until_ready
from tools.book.lab_server import NOTEBOOK, running_lab

SOURCE = r"""# %% jupyter={"source_hidden": true}
# Figure: a line that rises to the height that its slider says
from dpbook.guesses import predict
from dpbook.live import choice, live, log_slider, slider
from dpbook.plots import figure

fig, ax = figure(height=2)
(line,) = ax.plot([0, 1], [0, 1])
ax.set_ylim(0, 10)


def update(height, epsilon):
    if height == 3:
        raise ValueError("three is no height")
    line.set_data([0, 1], [0, height])
    return f"height {height} at {epsilon:g}"


controls = {"height": slider(0, 10, 5), "epsilon": log_slider(0.1, 10, 1)}
live(fig, update, "a line that rises to the height of the slider", play="height", **controls)

# %% [markdown]
# Here [height is 8](#move:height=8&epsilon=0.1), [kind is other](#move:kind=the%20other), and [a page](02_page.ipynb).

# %% jupyter={"source_hidden": true}
# Figure: a second line, which rises to epsilon
fig2, ax2 = figure(height=2)
(line2,) = ax2.plot([0, 1], [0, 1])
ax2.set_ylim(0, 10)


def update2(epsilon, kind):
    line2.set_data([0, 1], [0, epsilon])
    return f"epsilon {epsilon:g} {kind}"


questions = [predict("How high is the line at 2?", (0, 50), r"epsilon ([\d.]+)", epsilon=2)]
questions += [predict("Which kind is it?", ["one", "the other"], None, kind="one")]
kinds = {"epsilon": log_slider(0.05, 5, 1), "kind": choice(["one", "the other"], "one")}
live(fig2, update2, "a second line that rises to epsilon", guess=questions, **kinds)
"""
NOW = "window.jupyterapp.shell.currentWidget"
SLEEP = f"() => {{ {NOW}.sessionContext.session.kernel.requestExecute({{code: 'import time; time.sleep(4)'}}); }}"
GREY = "figure => getComputedStyle(figure.querySelector('.live-picture')).filter"
HOLDS_FOCUS = "element => element.contains(document.activeElement)"
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("moving")
    (folder / "notebooks").mkdir()
    (folder / "notebooks" / "01_page.py").write_text(SOURCE)
    notebooks.build(folder / "notebooks" / "01_page.py")
    return folder


@pytest.fixture(scope="module")
def place(folder):
    with running_lab(folder) as place:
        yield place


@pytest.fixture(scope="module")
def page(browser, place, folder):
    """The page, run, for a reader whose system asks that nothing moves by itself."""
    (folder / "guesses.jsonl").unlink(missing_ok=True)
    page = open_notebook(browser, place, "notebooks/01_page.ipynb")
    run_all(page)
    page.locator(".live-figure .live-page > button").nth(1).wait_for(timeout=30_000)
    return page


def says(figure, words):
    """Wait until a figure says these words."""
    figure.locator(".live-below", has_text=words).wait_for(timeout=15_000)


def button(figure, name):
    return figure.get_by_role("button", name=name)


def test_the_first_figure_plays_once_when_it_is_seen(browser, place):
    page = open_notebook(browser, place, "notebooks/01_page.ipynb", reduced_motion="no-preference")
    run_all(page)
    figure = page.locator(".live-figure").first
    says(figure, "height 10 at 1")
    run_all(page)
    says(figure, "height 5 at 1")
    page.wait_for_timeout(2_500)
    says(figure, "height 5 at 1")
    figure.locator(".noUi-handle").first.focus()
    page.keyboard.press("End")
    says(figure, "height 10 at 1")
    button(figure, "play height").click()
    says(figure, "height 1 at 1")  # from the end it begins at the start
    page.close()


def test_nothing_plays_by_itself_for_who_wants_that(page):
    page.wait_for_timeout(2_500)
    says(page.locator(".live-figure").first, "height 5 at 1")


def test_a_key_at_the_end_of_a_slider_leaves_the_figure_as_it_is(page):
    """Nothing is to be drawn, so nothing is waited for; a key that moves the slider is."""
    figure = page.locator(".live-figure").first
    handle = figure.locator(".noUi-handle").first
    handle.focus()
    page.keyboard.press("End")
    says(figure, "height 10 at 1")
    page.keyboard.press("End")
    page.wait_for_timeout(1_000)
    assert figure.get_attribute("aria-busy") is None and figure.get_attribute("data-gone") is None
    page.evaluate(SLEEP)
    page.keyboard.press("Home")
    figure.locator("xpath=self::*[@aria-busy='true']").wait_for(timeout=3_000)
    says(figure, "height 0 at 1")
    figure.locator("xpath=self::*[not(@aria-busy)]").wait_for(timeout=5_000)
    button(figure, "More about this figure").click()
    button(figure, "Reset").click()
    says(figure, "height 5 at 1")


def test_a_question_stands_on_no_answer_and_a_link_does_not_pass_it_by(page):
    second = page.locator(".live-figure").nth(1)
    handle, sure = second.locator(".live-field .noUi-handle"), button(second, "90% sure")
    assert handle.evaluate("handle => getComputedStyle(handle).opacity") == "0" and not sure.is_visible()
    assert handle.get_attribute("aria-valuetext") == "not chosen yet" and button(second, "Skip").is_visible()
    page.locator("a", has_text="kind is other").click()
    page.wait_for_timeout(500)
    says(second, "epsilon 1 one")
    track = second.locator(".live-field .noUi-target").bounding_box()
    page.evaluate(SLEEP)
    page.mouse.click(track["x"] + 0.5 * track["width"], track["y"] + track["height"] / 2)
    assert handle.evaluate("handle => getComputedStyle(handle).opacity") == "1"
    assert handle.get_attribute("aria-label") == "Guess first. How high is the line at 2? (right if within 5)"
    sure.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # of an impatient reader: it answers no other question
    noted = "() => getComputedStyle(document.querySelector('.live-guess[data-noted]'), '::after').content"
    assert "Noted" in page.evaluate(noted)
    second.locator(".guess-result", has_text="90% sure; the figure says 2").wait_for(timeout=15_000)
    assert not button(second, "90% sure").is_visible(), "the next question stands on no answer either"
    group = second.get_by_role("group", name="Which kind is it?")
    group.wait_for()
    page.wait_for_function(HOLDS_FOCUS, arg=group.element_handle(), polling=POLLING)
    button(second, "the other").first.click()
    button(second, "70% sure").click()
    second.locator(".guess-result", has_text="Which kind is it? You said the other").wait_for(timeout=15_000)
    says(second, "epsilon 2 one")
    page.wait_for_function(HOLDS_FOCUS, arg=second.locator(".live-controls").element_handle(), polling=POLLING)
    assert second.locator("[data-noted]").count() == 0
    assert second.locator(".live-below").get_attribute("aria-live") == "polite", "and what it says is new in it"


def test_a_link_moves_the_figure_above_it_or_else_below_and_looks_like_no_other(page):
    first, second = page.locator(".live-figure").all()
    page.locator("a", has_text="height is 8").click()
    says(first, "height 8 at 0.1")
    page.locator("a", has_text="kind is other").click()
    says(second, "epsilon 2 the other")
    looks = "link => [getComputedStyle(link, '::before').content, getComputedStyle(link).textDecorationStyle]"
    moving, other = page.locator("a", has_text="height is 8").evaluate(looks), page.locator("a", has_text="a page")
    assert moving[0] not in ("none", "normal") and moving[1] == "dotted"
    assert other.evaluate(looks)[0] in ("none", "normal")


def chosen(figure, entry):
    """An entry of the menu in the corner of a figure."""
    button(figure, "More about this figure").click()
    button(figure, entry).click()


def test_the_corner_pins_resets_saves_and_moves_all_figures(page):
    first, second = page.locator(".live-figure").all()
    chosen(first, "Pin this curve")
    over = first.locator(".live-pinned")
    over.wait_for()
    box = "image => { const box = image.getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; }"
    assert over.evaluate(box) == first.locator(".live-picture").evaluate(box)
    chosen(first, "Reset")
    says(first, "height 5 at 1")
    chosen(first, "Unpin")
    over.wait_for(state="detached")
    for form, begins in (("SVG", b"<?xml"), ("PNG", b"\x89PNG")):
        with page.expect_download() as waiting:
            chosen(first, f"Save as {form}")
        with open(waiting.value.path(), "rb") as saved:
            assert saved.read(5).startswith(begins) and waiting.value.suggested_filename == f"figure.{form.lower()}"
    chosen(first, "Move epsilon in all figures")
    says(second, "epsilon 1 the other")
    chosen(second, "Reset")
    chosen(second, "Move epsilon here only")
    button(first, "More about this figure").click()
    page.keyboard.press("Escape")
    assert not button(first, "Reset").is_visible()


def test_a_picture_that_is_not_of_where_the_controls_stand_is_grey_and_says_so(page):
    figure = page.locator(".live-figure").first
    chosen(figure, "Reset")
    says(figure, "height 5 at 1")
    assert figure.evaluate(GREY) == "none"
    figure.locator(".noUi-handle").first.focus()
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    says(figure, "three is no height")
    says(figure, "The picture is of height = 4, epsilon = 1.")
    page.wait_for_function(
        f"figure => ({GREY})(figure) === 'grayscale(1)'", arg=figure.element_handle(), polling=POLLING
    )
    page.keyboard.press("ArrowLeft")
    says(figure, "height 2 at 1")
    page.wait_for_function(f"figure => ({GREY})(figure) === 'none'", arg=figure.element_handle(), polling=POLLING)
    assert not page.complaints


def test_links_move_figures_in_notebook_7(browser, folder):
    with running_lab(folder, settings=None, command=NOTEBOOK) as (address, token):
        page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        page.goto(f"{address}/notebooks/notebooks/01_page.ipynb?token={token}")
        wait_until_ready(page)  # cells that are run before the kernel has answered are not run at all
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        figure = page.locator(".live-figure").first
        button(figure, "More about this figure").wait_for(timeout=120_000)
        page.locator("a", has_text="height is 8").click()
        says(figure, "height 8 at 0.1")
        page.close()
