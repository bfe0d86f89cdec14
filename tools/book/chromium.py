"""Find a Chromium for the browser tests, installing one if need be: `python -m tools.book.chromium` prints where it is.

One that is installed; else Playwright's own; else Debian's package; else one clear sentence and exit code 1.
"""

import contextlib
import os
import pathlib
import shutil
import sys

from tools import debian

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Headless in a container, and asking nobody on the network for anything.
FLAGS = ("--no-sandbox", "--no-first-run")
FLAGS += tuple(f"--disable-{what}" for what in ("gpu", "quic", "sync", "background-networking", "component-update"))


@contextlib.contextmanager
def running_chromium():
    """Yield a headless Chromium (Playwright's browser object) that is here already."""
    from playwright.sync_api import sync_playwright

    path = installed()
    if path is None:
        raise RuntimeError("no Chromium is installed: run `python -m tools.book.chromium`")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


def installed():
    """The path of a Chromium that is here already, or None. The variable CHROMIUM, if set, is the first choice."""
    for name in filter(None, (os.environ.get("CHROMIUM"), *NAMES)):
        if path := shutil.which(name):
            return path
    return playwrights_own()


def playwrights_own():
    """The path of the browser that `playwright install` put here, or None."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if pathlib.Path(path).exists() else None


def install():
    """Try Playwright's download, then Debian's package. What they print is kept for the sentence at the end."""
    playwright = [sys.executable, "-m", "playwright", "install", "chromium"]
    attempts = [(" ".join(playwright), lambda: debian.run(playwright))]
    if debian.can_install():
        attempts.append(("apt-get install chromium", lambda: debian.install("chromium")))
    for words, attempt in attempts:
        print("no Chromium here; trying:", words, flush=True)
        if attempt() and (path := installed()):
            return path
    return None


if __name__ == "__main__":
    path = installed() or install()
    if path is None:
        sys.exit(
            "The browser tests need Chromium and none could be installed: install a package named chromium, "
            "or set CHROMIUM to the program's path."
        )
    print(path)
