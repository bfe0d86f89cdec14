"""The live part of the site in Chromium: how soon a page moves, what arrives for it, and each move of its controls.

Of each page: seconds from its link until its first figure has moved, and megabytes, for a reader who comes once (cold)
and again (warm). Then the watch of `live_figures`, input event to painted picture, over all its sliders, beside what is
stored of the same page in JupyterLab. The server is on the same machine, and counts what it sends. Run by `make bench`
where `make site` has built `build/site`; `python -m benchmarks.live_site 03_laplace`.
"""

import os
import pathlib
import sys
import time

from benchmarks import live_figures, stored
from tools.book.chromium import running_chromium
from tools.book.site import host

SITE = pathlib.Path(os.environ.get("SITE", "build/site"))
PAGES = ("00_start_here", "03_laplace", "08_histograms", "14_svt", "16_compressive")
START = 120_000  # ms
PICTURE = "document.querySelector('.jp-Notebook img.live-picture')?.src"
STATUS = "window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel?.status"


class Counting(host.Silent):
    """Sends files as a static host does, and adds up how many bytes they have."""

    sent = 0

    def copyfile(self, source, outputfile):
        Counting.sent += os.fstat(source.fileno()).st_size
        super().copyfile(source, outputfile)


def until_it_moves(reader, address, stem):
    """Open a page: its tab, the seconds until its first figure has moved, and the megabytes that came for it."""
    before, begun = Counting.sent, time.monotonic()
    tab = reader.new_page()
    tab.set_default_timeout(START)
    tab.goto(f"{address}/lite/lab/index.html?path=notebooks/{stem}.ipynb")
    handle = tab.locator(".jp-Notebook [role=slider]").first
    handle.wait_for()
    first = tab.evaluate(PICTURE)
    handle.focus()
    handle.press("ArrowRight")
    tab.wait_for_function("([old, read]) => (0, eval)(read) !== old", arg=[first, PICTURE], polling=50)
    return tab, time.monotonic() - begun, (Counting.sent - before) / 1e6


def until_it_has_run(tab):
    """Wait until all cells of the page have run: the kernel has had nothing to do for two seconds."""
    quiet = 0
    while quiet < 8:
        tab.wait_for_timeout(250)
        quiet = quiet + 1 if tab.evaluate(STATUS) == "idle" else 0


def main(words):
    stems = words or PAGES
    if not (SITE / "lite").exists():
        print(f"{SITE} has no live part to measure: `make site` builds it")
        return
    kept = stored.read(live_figures.STORED)
    titles = f"{'cold: s, MB':>16}{'warm: s, MB':>16}{'sliders':>9}{'median/95 %/worst':>22}{'in JupyterLab':>22}"
    print(f"{'live in the browser':20}{titles}")
    rows = []
    with running_chromium() as browser, host.hosted(SITE, handler=Counting) as address:
        for stem in stems:
            reader = browser.new_context(viewport={"width": 1280, "height": 900})
            tab, *cold = until_it_moves(reader, address, stem)
            until_it_has_run(tab)
            tab.close()
            tab, *warm = until_it_moves(reader, address, stem)
            until_it_has_run(tab)
            found = live_figures.watch_page(tab, stem)
            there = [(row["median"],) for row in kept.get(stem, {"controls": []})["controls"]]
            spreads = f"{live_figures.spread(found):>22}{live_figures.spread(there):>22}"
            opened = "".join(f"{f'{seconds:.1f}, {size:.1f}':>16}" for seconds, size in (cold, warm))
            print(f"{stem:20}{opened}{len(found):>9}{spreads}", flush=True)
            rows += found
            reader.close()
    print(f"{'all':52}{len(rows):>9}{live_figures.spread(rows):>22}")
    for median, stem, number, label in sorted(rows, reverse=True)[:5]:
        print(f"{median:7.0f}  {stem} figure {number}, {label}")


if __name__ == "__main__":
    main(sys.argv[1:])
