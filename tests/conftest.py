"""What several test files share: a real JupyterLab on a copy of the notebooks, and a headless Chromium."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).parents[1]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
QUIET = ["--disable-background-networking", "--disable-component-update"]


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """The address of a JupyterLab started as `make lab` starts it, on a copy of the notebooks, with its token."""
    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    with running_lab(folder) as address:
        yield address


class running_lab:
    """A JupyterLab on `folder`, started on entry, stopped with its kernels on exit."""

    def __init__(self, folder):
        self.folder = folder

    def __enter__(self):
        settings = os.environ | {
            "JUPYTER_CONFIG_PATH": str(ROOT / "tools" / "jupyter"),
            "JUPYTER_CONFIG_DIR": str(self.folder / "config"),
            "JUPYTER_RUNTIME_DIR": str(self.folder / "runtime"),
            "JUPYTER_DATA_DIR": str(self.folder / "data"),
            "JUPYTERLAB_SETTINGS_DIR": str(self.folder / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(self.folder / "workspaces"),
        }
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port=0"]
        self.log = open(self.folder / "lab.log", "w+")
        self.process = subprocess.Popen(command, cwd=self.folder, env=settings, stderr=self.log, stdout=self.log)
        return self.address()

    def address(self):
        for _ in range(600):
            self.log.seek(0)
            found = re.search(r"(http://127\.0\.0\.1:\d+)/lab\?token=(\w+)", self.log.read())
            if found:
                return found.groups()
            assert self.process.poll() is None, "JupyterLab ended: see " + self.log.name
            time.sleep(0.1)
        raise TimeoutError("JupyterLab printed no address in 60 seconds: see " + self.log.name)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.log.close()


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    from playwright.sync_api import sync_playwright

    found = subprocess.run([sys.executable, ROOT / "tools" / "chromium.py"], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    with sync_playwright() as playwright:
        path = found.stdout.split("\n")[-2]
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS + QUIET)
        yield chromium
        chromium.close()
