"""What a person does in JupyterLab, for tests and measurements: open a notebook, run it, wait, close it.

Each wait looks 20 times a second: Playwright's own way, at each frame, makes the browser draw 60 frames a second.
"""

# Looked for in the page, not on the screen: a narrow window has no room for the indicator.
IDLE = ".jp-Notebook-ExecutionIndicator[data-status=idle]"
POLLING = 50  # ms


def open_notebook(browser, place, path, reduced_motion="reduce"):
    """A tab of 1280 x 900 with the notebook open and its kernel idle. `place` is (address, token).

    No figure plays by itself there, unless `reduced_motion` is "no-preference".
    """
    address, token = place
    page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion=reduced_motion)
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(f"{address}/lab/tree/{path}?token={token}&reset")
    wait_until_ready(page)
    return page


def open_another(page, path):
    """The same for a tab in which JupyterLab is open already and its last notebook closed."""
    page.complaints.clear()
    page.evaluate("path => { window.jupyterapp.commands.execute('docmanager:open', {path}); }", path)
    wait_until_ready(page)


def close_notebook(page):
    """Close the notebook without saving it and stop its kernel; JupyterLab stays open."""
    page.evaluate("""() => {
        window.notebookClosed = false;
        const widget = window.jupyterapp.shell.currentWidget;
        widget.sessionContext.shutdown().then(() => { widget.dispose(); window.notebookClosed = true; });
    }""")
    page.wait_for_function("window.notebookClosed", timeout=60_000, polling=POLLING)
    page.wait_for_selector(".jp-Notebook", state="detached", timeout=60_000)


def wait_until_ready(page):
    """Wait until the notebook is there and its kernel idle."""
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
    page.evaluate("""() => {
        window.kernelReady = false;
        const session = window.jupyterapp.shell.currentWidget.sessionContext;
        session.ready.then(() => session.session.kernel.info).then(() => { window.kernelReady = true; });
    }""")
    page.wait_for_function("window.kernelReady", timeout=60_000, polling=POLLING)
    page.wait_for_selector(IDLE, state="attached", timeout=60_000)


def run_all(page):
    """Run every cell, as the menu's *Run All Cells* does, and wait until the last has run."""
    page.evaluate("""() => {
        window.ran = false;
        window.jupyterapp.commands.execute('notebook:run-all-cells').then(() => { window.ran = true; });
    }""")
    page.wait_for_function("window.ran", timeout=300_000, polling=POLLING)
    page.wait_for_selector(IDLE, state="attached", timeout=60_000)
