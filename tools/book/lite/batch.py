"""All pages in Pyodide, under node: `python -m tools.book.lite.batch [NN_stem ...]` (`make lite-test`).

Every cell runs, what it prints and its tables are compared with what is stored, then every control of every figure
moves to its ends. A table of the pages is printed; what differs stands under its page, and the exit code is 1.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tools.book import sliders
from tools.book.lite import build, distribution, node, packages, wide

ROOT = packages.ROOT
HERE = pathlib.Path(__file__).parent
PLACE = ROOT / "build" / "lite-test"


def page(name, pyodide=PLACE):
    """What came of one page: a dict, `page.py` says of what."""
    source = ROOT / "notebooks" / f"{name}.py"
    more = sliders.cell(source).replace(repr(str(sliders.PROJECT)), repr("/book"))
    call = f"await run_page({name!r}, {more!r}, {sliders.expected(source)!r})"
    try:
        return json.loads(node.run(f"{(HERE / 'page.py').read_text()}\n{call}\n", pyodide))
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        nothing = {"moves": [], "cells": 0, "seconds": 0.0, "moving": 0.0}
        return {"page": name, "differs": [["all", "raised", "", str(error)]]} | nothing


def wide_differs(pyodide=PLACE):
    """What comes out otherwise in Pyodide where numbers pass 2^31: differences, as of a page."""
    code = "import json, sys\nsys.path.append('/book')\nfrom tools.book.lite import wide\njson.dumps(wide.as_numbers())"
    there, here = json.loads(node.run(code, pyodide, (*node.LOADED, "scipy"))), wide.as_numbers()
    return [[name, "gave", str(here[name]), str(there[name])] for name in here if there[name] != here[name]]


def row(result):
    """A line of the table: processor seconds of cells and of all moves, milliseconds a move, and how many differ."""
    moves = sorted(1000 * move for move in result["moves"])
    median, late = (statistics.median(moves), moves[int(0.95 * (len(moves) - 1))]) if moves else (0, 0)
    return (
        f"{result['page']:<16} {result['cells']:>5} {result['seconds']:>8.1f} {len(moves):>6} {median:>7.0f} "
        f"{late:>6.0f} {len(result['differs']):>8}"
    )


def difference(page, number, what, expected, found):
    """What differs, as text: the first lines that are not the same."""
    pairs = [("", found)] if what == "raised" else list(zip(expected.split("\n"), found.split("\n"), strict=False))
    first = next(((a, b) for a, b in pairs if a != b), (expected[-300:], found[-300:]))
    limit = 2000 if what == "raised" else 400
    return f"{page}, cell {number}, {what}\n  stored: {first[0][:limit]}\n  here:   {first[1][:limit]}"


def main(words):
    parser = argparse.ArgumentParser(prog="python -m tools.book.lite.batch", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="these pages only, such as 03_laplace")
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args(words)
    names = asked.names or sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    try:
        build.compile_all(PLACE, packages.fill(PLACE))  # what a reader gets: without what nobody needs
    except distribution.Missing as missing:
        print(f"Pyodide is not to be had here, so nothing was tested: {missing}")
        return 1
    print(f"{'page':<16} {'cells':>5} {'cpu s':>8} {'moves':>6} {'med ms':>7} {'95%':>6} {'differs':>8}", flush=True)
    told = [difference("numbers beyond 2^31", *one) for one in wide_differs()]
    failed = len(told)
    print(*told, sep="\n", end="\n" if told else "", flush=True)
    with ThreadPoolExecutor(asked.workers) as pool:
        for result in pool.map(page, names):
            told = [difference(result["page"], *one) for one in result["differs"]]
            print(row(result), *told, sep="\n", flush=True)
            failed += len(told)
    print(f"{len(names)} pages, {failed} differences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
