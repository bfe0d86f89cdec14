"""What several test files share: a real JupyterLab on a copy of the notebooks, and a headless Chromium."""

import pathlib
import shutil

import pytest

from tools.chromium import running_chromium
from tools.lab_server import running_lab

NOTEBOOKS = pathlib.Path(__file__).parents[1] / "notebooks"


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
