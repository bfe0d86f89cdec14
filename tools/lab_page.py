"""What a person does in JupyterLab, for tests and measurements: open a notebook, run it, wait."""

IDLE = ".jp-Notebook-ExecutionIndicator[data-status=idle]"


def open_notebook(browser, place, path):
    """A tab of 1280 x 900 with the notebook open and its kernel idle. `place` is (address, token)."""
    address, token = place
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(f"{address}/lab/tree/{path}?token={token}&reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
    page.evaluate("""() => {
        const session = window.jupyterapp.shell.currentWidget.sessionContext;
        session.ready.then(() => session.session.kernel.info).then(() => { window.kernelReady = true; });
    }""")
    page.wait_for_function("window.kernelReady", timeout=60_000)
    page.wait_for_selector(IDLE, timeout=60_000)
    return page


def run_all(page):
    """Run every cell, as the menu's *Run All Cells* does, and wait until the last has run."""
    page.evaluate("""() => {
        window.ran = false;
        window.jupyterapp.commands.execute('notebook:run-all-cells').then(() => { window.ran = true; });
    }""")
    page.wait_for_function("window.ran", timeout=120_000)
    page.wait_for_selector(IDLE, timeout=60_000)
