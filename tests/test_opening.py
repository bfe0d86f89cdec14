"""Opening a page as `make lab` shows it: it runs by itself, stays where the reader is, and leaves git clean."""

import subprocess

import nbformat
import pytest

from tools.book import notebooks
from tools.book.lab_page import POLLING, close_notebook, open_another, run_all, wait_until_ready
from tools.book.lab_server import choose, running_lab

FIGURE = """# %% jupyter={{"source_hidden": true}}
# Figure: a line, which is a small one, at the height that the slider says
fig{0}, ax{0} = figure()
(line{0},) = ax{0}.plot([0, 1], [0, 1])


def update{0}(height):
    line{0}.set_data([0, 1], [0, height])


live(fig{0}, update{0}, "a line", height=slider(0.0, 1.0, 0.5))
"""
TEXT = "# %% [markdown]\n" + "# A sentence that is here to be read, and to take up room on the page.\n" * 60
IMPORTS = "# %%\nfrom dpbook.live import live, slider\nfrom dpbook.plots import figure\n"
SOURCE = "\n".join([IMPORTS, *(part for n in range(3) for part in (FIGURE.format(n), TEXT))])
STEM, OTHER = "01_page", "02_map"
MAP = """from IPython.display import HTML
HTML('<div class="book-map"><a href="01_page.ipynb">the page</a></div>')"""
pytestmark = pytest.mark.browser

# Of the cells that have a picture, stored or live: the fewest that there ever were since all three had one.
PICTURES = """window.fewest = null;
setInterval(() => {
    const cells = [...document.querySelectorAll('.jp-CodeCell')];
    const shown = cells.filter(cell => cell.querySelector('.jp-RenderedImage img, .live-figure'));
    if (shown.length === 3 || window.fewest !== null) window.fewest = Math.min(window.fewest ?? 3, shown.length);
}, 5);"""
NOW = "window.jupyterapp.shell.currentWidget"
# What scrolls: JupyterLab puts the cells into a part of the page.
TOP = f"() => Math.max(...[...{NOW}.node.querySelectorAll('.jp-Notebook, .jp-Notebook *')].map(n => n.scrollTop))"
WATCH = """window.highest = 0;
document.addEventListener('scroll', event => {
    if (event.target.closest?.('.jp-Notebook')) window.highest = Math.max(window.highest, event.target.scrollTop);
}, true);"""
LETTERS = """p => { const pen = document.createElement('canvas').getContext('2d');
    pen.font = getComputedStyle(p).font;
    return p.clientWidth / (pen.measureText(p.textContent).width / p.textContent.length); }"""
BARS = """() => {
    window.bars = [];  // how far the thin bar was, whenever it was set
    const look = () => window.bars.push(document.querySelector('.dpbook-progress')?.ariaValueNow ?? null);
    new MutationObserver(look).observe(document.body, {subtree: true, attributeFilter: ['aria-valuenow']});
}"""
DIRTY = f"() => {NOW}.context.model.dirty"
HEIGHTS = f"() => [...{NOW}.node.querySelectorAll('.jp-Cell')].map(cell => cell.offsetHeight)"
PAINTED = "figure => figure.checkVisibility({contentVisibilityAuto: true})"


RELEASE = "exercises/releases/01_task.ipynb"


def assignment():
    """One with a cell that is given, an answer, and a check that needs both."""
    cell = nbformat.v4.new_code_cell
    given = "from dpbook.check import answers, check\nright = [4.0]"
    cells = [cell(given, metadata={"tags": ["setup"]}), cell("def square(x):\n    return x * x")]
    return nbformat.v4.new_notebook(cells=[*cells, cell("check(square, answers([(2.0,)], right))")])


def git(folder, *words):
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A clone with one page in it, and a JupyterLab on it in which pages run by themselves."""
    folder = tmp_path_factory.mktemp("clone")
    (folder / "notebooks").mkdir()
    (folder / "notebooks" / f"{STEM}.py").write_text(SOURCE)
    notebooks.build(folder / "notebooks" / f"{STEM}.py")
    other = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(MAP)])
    nbformat.write(other, folder / "notebooks" / f"{OTHER}.ipynb")
    (folder / "exercises" / "releases").mkdir(parents=True)
    nbformat.write(assignment(), folder / RELEASE)
    git(folder, "init", "--quiet")
    git(folder, "add", "notebooks", "exercises")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "--quiet", "-m", "a page")
    with running_lab(folder, by_itself=True) as place:
        yield folder, place


@pytest.fixture(scope="module")
def page(browser, clone):
    """The page as it is some seconds after it was opened: nobody has touched it."""
    address, token = clone[1]
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.add_init_script(WATCH)
    page.add_init_script(PICTURES)
    page.goto(f"{address}/lab/tree/notebooks/{STEM}.ipynb?token={token}&reset")
    wait_until_ready(page)
    page.wait_for_selector("[data-dpbook=ran]", timeout=120_000)
    return page


def test_a_page_runs_when_it_is_opened_and_stays_at_its_top(page):
    assert page.locator(".live-figure").count() == 3
    assert page.evaluate("window.highest") == 0 == page.evaluate(TOP)
    assert page.locator(".dpbook-progress").count() == 0
    assert not page.evaluate(DIRTY), "nobody has changed it: JupyterLab need not ask on closing"


def test_what_was_stored_is_seen_until_something_new_takes_its_place(page):
    assert page.evaluate("window.fewest") == 3
    assert page.locator(".jp-RenderedImage img").count() == 3, "each was replaced, none was added"


def test_what_is_out_of_sight_is_not_painted_and_keeps_its_height(page):
    """At its top: of a page that has run, a move should cost no more than what is seen of it."""
    page.wait_for_selector(".dpbook-still")
    heights, figures = page.evaluate(HEIGHTS), page.locator(".live-figure")
    assert [figures.nth(place).evaluate(PAINTED) for place in (0, 2)] == [True, False]
    page.evaluate(f"() => {NOW}.removeClass('dpbook-still')")
    assert page.evaluate(HEIGHTS) == heights and figures.nth(2).evaluate(PAINTED)
    page.evaluate(f"() => {NOW}.addClass('dpbook-still')")
    figures.nth(2).evaluate("figure => figure.scrollIntoView()")
    page.wait_for_timeout(300)
    assert [figures.nth(place).evaluate(PAINTED) for place in (0, 2)] == [False, True]
    assert page.evaluate(HEIGHTS) == heights
    page.evaluate(f"() => {{ {NOW}.node.querySelector('.jp-Cell').scrollIntoView(); }}")


def test_run_all_leaves_the_reader_in_place(page):
    page.locator(".live-figure").nth(1).evaluate("figure => figure.scrollIntoView({block: 'center'})")
    page.wait_for_timeout(300)
    before = page.evaluate(TOP)
    assert before > 500
    page.evaluate("window.highest = 0")
    page.evaluate(BARS)
    run_all(page)
    page.wait_for_timeout(500)
    assert len(set(page.evaluate("window.bars"))) >= 3 and page.locator(".dpbook-progress").count() == 0
    assert abs(page.evaluate(TOP) - before) < 100 and page.evaluate("window.highest") < before + 100


def test_a_page_that_was_run_moved_and_unfolded_leaves_git_clean(page, clone):
    page.evaluate(f"() => {NOW}.content.widgets.forEach(cell => {{ cell.inputHidden = false; }})")
    page.locator(".live-figure .noUi-handle").last.focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(DIRTY)
    page.evaluate(f"() => {NOW}.context.save()")
    page.wait_for_function(f"() => !{NOW}.context.model.dirty", timeout=30_000, polling=POLLING)
    assert git(clone[0], "diff", "--stat") == ""


def in_front(page, stem):
    """Wait until this page is the one that is seen."""
    seen = f"stem => {NOW}?.context?.path === `notebooks/${{stem}}.ipynb`"
    page.wait_for_function(seen, arg=stem, timeout=30_000, polling=POLLING)


def test_the_map_leads_to_a_page_in_the_same_lab_and_back_leads_back(page):
    page.evaluate("window.same = true")
    opens = "path => { window.jupyterapp.commands.execute('docmanager:open', {path}); }"
    page.evaluate(opens, f"notebooks/{OTHER}.ipynb")
    in_front(page, OTHER)
    page.locator(".book-map a").click()
    in_front(page, STEM)
    page.go_back()
    in_front(page, OTHER)
    page.go_forward()
    in_front(page, STEM)
    assert page.evaluate("window.same"), "JupyterLab was not loaded anew"
    page.go_back()
    in_front(page, OTHER)
    page.evaluate(f"() => {{ const one = {NOW}; return one.sessionContext.shutdown().then(() => one.dispose()); }}")
    in_front(page, STEM)


def test_the_outline_stands_at_the_left_and_no_source_is_listed(page):
    assert page.locator("#table-of-contents").is_visible()
    assert page.locator("#jp-left-stack").bounding_box()["width"] <= 250
    page.evaluate("() => window.jupyterapp.shell.activateById('filebrowser')")
    page.locator(".jp-DirListing-item").first.wait_for()
    names = page.locator(".jp-DirListing-itemText").all_inner_texts()
    assert f"{STEM}.ipynb" in names and f"{STEM}.py" not in names


def test_a_narrow_window_is_all_for_the_page(browser, clone):
    """As on a telephone: no outline beside the page, which would leave it a strip of 100 pixels."""
    address, token = clone[1]
    page = browser.new_page(viewport={"width": 420, "height": 800})
    page.goto(f"{address}/lab/workspaces/narrow/tree/notebooks/{STEM}.ipynb?token={token}&reset")
    wait_until_ready(page)
    page.wait_for_function("document.querySelector('.jp-RenderedMarkdown').clientWidth > 300", polling=POLLING)
    assert not page.locator("#table-of-contents").is_visible()
    close_notebook(page)
    page.close()


def test_lines_are_no_longer_than_can_be_read(page):
    page.set_viewport_size({"width": 1920, "height": 1080})
    words = page.locator(".jp-RenderedMarkdown > p").first
    words.evaluate("words => words.scrollIntoView()")  # of what is out of sight there are neither words nor widths
    page.wait_for_function("words => words.checkVisibility({contentVisibilityAuto: true})", arg=words.element_handle())
    assert 80 < words.evaluate(LETTERS) <= 105


def test_a_reader_who_wants_to_run_pages_himself_can(page, clone):
    """Closed and opened again it runs again, until the reader says no."""
    path = f"notebooks/{STEM}.ipynb"
    close_notebook(page)
    open_another(page, path)
    page.wait_for_selector("[data-dpbook=ran]", timeout=60_000)
    page.evaluate("() => window.jupyterapp.commands.execute('dpbook:run-on-open')")
    close_notebook(page)
    open_another(page, path)
    page.wait_for_timeout(2_000)
    assert page.locator(".live-figure").count() == page.locator(".dpbook-progress").count() == 0
    choose(clone[0], runOnOpen=True)
    assert not page.complaints


def test_who_saves_changes_to_a_page_is_told_once_where_its_source_is(page, clone):
    told = page.locator(".Toastify__toast").filter(has_text=f"notebooks/{STEM}.py")
    for word in ("one", "two"):
        page.evaluate(f"word => {NOW}.content.widgets[1].model.sharedModel.setSource(`# ${{word}}`)", word)
        page.evaluate(f"() => {NOW}.context.save()")
        page.wait_for_function(f"() => !{NOW}.context.model.dirty", timeout=30_000, polling=POLLING)
        told.first.wait_for(timeout=10_000)
    page.wait_for_timeout(500)
    assert told.count() == 1, "it stays for a quarter of a minute"
    assert "# two" in git(clone[0], "diff")


def test_a_page_that_is_closed_leaves_no_kernel(page, clone):
    """Each holds up to a gigabyte: a tour of the book would fill the memory."""
    address, token = clone[1]
    asked = f"{address}/api/kernels?token={token}"
    kernels = f"() => fetch('{asked}').then(answer => answer.json()).then(all => all.length)"
    assert page.evaluate(kernels) >= 1
    page.evaluate("() => { window.jupyterapp.commands.execute('application:close'); }")
    page.wait_for_selector(".jp-Notebook", state="detached", timeout=30_000)
    for _ in range(60):  # `wait_for_function` takes a promise for an answer
        if page.evaluate(kernels) == 0:
            return
        page.wait_for_timeout(500)
    assert page.evaluate(kernels) == 0


def test_an_assignment_opens_as_the_readers_own_copy_and_runs_what_is_given(browser, clone):
    """Not the answers, not the checks; what was written stays in the copy, and the release as git has it."""
    folder, (address, token) = clone
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{address}/lab/tree/{RELEASE}?token={token}&reset")
    page.wait_for_selector("[data-dpbook=ran]", timeout=120_000)
    assert page.evaluate(f"{NOW}.context.path") == "my/01_task.ipynb"
    counts = f"{NOW}.content.widgets.map(cell => cell.model.executionCount)"
    assert page.evaluate(counts) == [1, None, None]
    for text, said in (
        ("def square(x):\n    return 2 * x * x", "keep going"),
        ("def square(x)\n    return x * x", "not yet: the cell above did not define square"),
        ("def sqaure(x):\n    return x * x", "not yet: the cell above did not define square"),
        ("def square(x):\n    return x * x", "right"),
    ):
        page.evaluate(f"text => {NOW}.content.widgets[1].model.sharedModel.setSource(text)", text)
        page.evaluate(f"() => {{ {NOW}.content.activeCellIndex = 1; }}")
        for _ in range(2):  # the answer, then the check
            page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-cell-and-select-next')")
        shown = f"JSON.stringify({NOW}.content.widgets[2].model.outputs.toJSON())"
        page.wait_for_function(f"said => {shown}.includes(said)", arg=said, polling=POLLING, timeout=30_000)
    page.evaluate(f"() => {NOW}.context.save()")
    page.goto(f"{address}/lab/tree/{RELEASE}?token={token}&reset")
    page.wait_for_selector("[data-dpbook=ran]", timeout=120_000)
    assert "return x * x" in page.evaluate(f"{NOW}.content.widgets[1].model.sharedModel.source")
    assert git(folder, "status", "--porcelain", "--untracked-files=no", "exercises") == ""
    close_notebook(page)
    page.close()
