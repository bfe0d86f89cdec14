"""The kernel's part of a move: every control of every live figure of every page, without a browser: `make bench`.

A page is run, then each of its controls is moved up to `MOVES` times, and each move is timed by the processor time of
the thread that makes it: `update` (the page's own function), `draw` (pixels from artists) and `encode` (a PNG, its
address, handing it over). A control's figure is its median move. So that other work on the machine does not count, not
even by what it takes from a shared core, a fixed piece of work is timed before and after each move, and all times are
those of a machine that does it in `YARDSTICK` milliseconds: one core of 2.5 GHz with nothing else to do.

`python -m benchmarks.kernel 08_histograms` takes those pages only. `--store` keeps what it finds in `kernel.json`, with
the machine, the commit and the date of each page, and every later run prints what is stored there beside its own.
"""

import json
import pathlib
import runpy
import statistics
import sys

import numpy as np
from traitlets.config import Config

from benchmarks import stored
from tools.book import sliders
from tools.book.lab_server import SETTINGS

STORED = pathlib.Path(__file__).with_suffix(".json")
PARTS = ("update", "draw", "encode")
MOVES = 7
YARDSTICK = 2.2
LIMITS = 20, 40  # milliseconds: for 95 % of all controls, and for every one

CELL = (
    sliders.FIGURES
    + """
import functools as _functools
import json as _json
import time as _time
import zlib as _zlib
import numpy as _numpy

_spent, _sample = {}, (_numpy.arange(300_000) // 7 % 251).astype(_numpy.uint8).tobytes()

def _yardstick():
    _begun = _time.thread_time()
    _zlib.compress(_sample, 1)
    _sums = {}
    for _k in range(10_000):
        _sums[_k % 97] = _sums.get(_k % 97, 0) + _k
    return 1e3 * (_time.thread_time() - _begun)

def _timed(_work, _part):
    @_functools.wraps(_work)
    def _work_and_note(*_values, **_named):
        _begun = _time.thread_time()
        try:
            return _work(*_values, **_named)
        finally:
            _spent[_part] = _time.thread_time() - _begun
    return _work_and_note

def _way(control):
    if hasattr(control, "options"):
        stops = [value for _, value in _named_options(control)]
    elif type(control).__name__ not in ("IntSlider", "FloatSlider"):
        stops = _ends(control)
    else:
        stops = [control.min + k * control.step for k in range(round((control.max - control.min) / control.step) + 1)]
    places = sorted({round(place) for place in _numpy.linspace(0, len(stops) - 1, MOVES)}) if stops else []
    half = (len(places) + 1) // 2
    there = [place for pair in zip(places[:half], places[half:] + places[:1]) for place in pair]  # never small steps
    return [stops[there[k % len(there)]] for k in range(max(MOVES, len(there)) if there else 0)]

_rows = []
for _number, _figure in enumerate(_figures):
    _figure.update = _timed(_figure.update, "update")
    _figure.drawing.rgba = _timed(_figure.drawing.rgba, "draw")
    for _name, _control in _figure.controls.items():
        _start, _moves = _control.value, []
        for _value in _way(_control):
            _spent.clear()
            _before = _yardstick()
            _begun = _time.thread_time()
            _control.value = _value
            _whole = _time.thread_time() - _begun
            if "draw" in _spent:
                _speed = 2 * YARDSTICK / (_before + _yardstick())
                _rest = _whole - _spent["update"] - _spent["draw"]
                _moves.append([1e3 * _speed * _part for _part in (_spent["update"], _spent["draw"], _rest)])
        _control.value = _start
        if _moves:
            _rows.append([_figure.alt, _name, _moves])
print(_json.dumps(_rows))
""".replace("MOVES", str(MOVES)).replace("YARDSTICK", str(YARDSTICK))
)


def measured(stem):
    """A row for each control of a page: where it is, and the milliseconds of its median move, in all and by part."""
    figures, rows = [], []
    for alt, control, moves in json.loads(sliders.after(f"notebooks/{stem}.ipynb", CELL)):
        if alt not in figures:
            figures.append(alt)
        median = sorted(moves, key=sum)[len(moves) // 2]
        parts = {part: round(spent, 2) for part, spent in zip(PARTS, median, strict=True)}
        row = {"page": stem, "figure": figures.index(alt), "control": control, "alt": alt[:50]}
        rows.append(row | parts | {"whole": round(sum(median), 2)})
    return rows


def summary(rows):
    """Median, 95 % and worst of each part of these rows, as text; a dash for no rows."""
    if not rows:
        return "".join(f"{'-':>17}" for _ in (*PARTS, "whole"))
    columns = [[row[part] for row in rows] for part in (*PARTS, "whole")]
    words = [f"{np.median(column):.1f}/{np.percentile(column, 95):.1f}/{max(column):.1f}" for column in columns]
    return "".join(f"{one:>17}" for one in words)


def main(words):
    runpy.run_path(str(SETTINGS / "jupyter_lab_config.py"), {"get_config": Config})  # kernels as those of `make lab`
    stems = [word for word in words if not word.startswith("-")]
    pages = stems or sorted(path.stem for path in pathlib.Path("notebooks").glob("[0-9]*.ipynb"))
    kept, everything, then = stored.read(STORED), [], []
    print("ms of processor time in the kernel for one move of a control: median/95 %/worst of a page's controls")
    print(f"{'page':18}{'controls':>9}{'update':>17}{'draw':>17}{'encode':>17}{'whole':>17}{'whole, stored':>17}")
    for stem in pages:
        rows, before = measured(stem), kept.get(stem, {"controls": []})["controls"]
        if not rows:
            continue
        print(f"{stem:18}{len(rows):>9}{summary(rows) + summary(before)[-17:]}", flush=True)
        everything, then = everything + rows, then + before
        if "--store" in words:
            stored.store(STORED, stem, rows)
    print(f"{'all':18}{len(everything):>9}{summary(everything) + summary(then)[-17:]}")
    for limit in LIMITS:
        within = statistics.mean(row["whole"] <= limit for row in everything)
        print(f"{100 * within:.1f} % of {len(everything)} controls within {limit} ms")
    print("the slowest")
    for row in sorted(everything, key=lambda row: -row["whole"])[:10]:
        parts = ", ".join(f"{part} {row[part]:.1f}" for part in PARTS)
        print(f"{row['whole']:7.1f}  {row['page']} figure {row['figure']}, {row['control']} ({parts}): {row['alt']}")
    print(*stored.said(kept, pages), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
