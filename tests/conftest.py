"""What several test files share: a real JupyterLab on a copy of the notebooks, and a headless Chromium."""

import contextlib
import pathlib
import shutil

import pytest

from tools.book.chromium import running_chromium
from tools.book.lab_page import close_notebook, open_another, open_notebook
from tools.book.lab_server import running_lab

NOTEBOOKS = pathlib.Path(__file__).parents[1] / "notebooks"


def pytest_addoption(parser):
    parser.addoption("--seeds", type=int, default=8, help="seeds that each exercise's solution is graded with")


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """The address and token of a JupyterLab started as `make lab` starts it, on a copy of the notebooks."""
    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(NOTEBOOKS, folder / "notebooks", ignore=shutil.ignore_patterns(".*"))
    with running_lab(folder) as place:
        yield place


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    with running_chromium() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def notebook(browser, lab):
    """`with notebook("03_laplace") as page:` opens that page of the book; at the end it and its kernel are gone.

    JupyterLab takes longer to load than many a page to run, so the next notebook is opened in the same tab; after a
    failure in a new one.
    """
    tabs = []

    @contextlib.contextmanager
    def opened(stem):
        path = f"notebooks/{stem}.ipynb"
        if tabs:
            page = tabs.pop()
            open_another(page, path)
        else:
            page = open_notebook(browser, lab, path)
        try:
            yield page
        finally:
            close_notebook(page)
        tabs.append(page)

    return opened
