"""What a page shows and does not compute: medians of draws, some with errors, in a .json file beside the page.

No source's experiment. `compute` makes the file, and goes on where it was interrupted; `again` computes one row anew,
for the tests.
"""

import json
from typing import NamedTuple

import numpy as np

from tools.book import memory
from tools.book.papers.sweep import generator, summaries, sweep

SPREAD = ("_median", "_error")  # of what `summaries` says: the median's error is sqrt(pi / 2) that of the mean


class Table(NamedTuple):
    """What is measured (a function of a setting and `rng`, to a dict of numbers), at which settings, how often."""

    measure: object
    settings: list
    draws: object  # a function of the setting
    kept: tuple = ("_median",)  # endings of the names in `summaries`; `SPREAD` where a page compares close numbers


def read(stem):
    """The rows of all tables of a page, by the tables' names."""
    return json.loads(_file(stem).read_text(encoding="utf-8"))


def compute(stem, tables):
    """Compute what is not there yet, and write what is kept."""
    rows = {name: [] for name in tables}
    for name, table in tables.items():
        for setting in table.settings:
            folder = memory.PROJECT / "build/papers" / stem / name
            sweep(table.measure, [setting], table.draws(setting), folder, chunk=1)
            (row,) = summaries(folder, [setting])
            kept = {key: round(value, 7) for key, value in row.items() if key.endswith(table.kept)}
            rows[name].append(setting | {"draws": row["draws"]} | kept)
            print(name, setting, flush=True)
    lines = {name: ",\n".join(f"    {json.dumps(row)}" for row in rows[name]) for name in rows}
    tables = ",\n".join(f'  "{name}": [\n{held}\n  ]' for name, held in lines.items())
    _file(stem).write_text(f"{{\n{tables}\n}}\n", "utf-8")


def again(table, setting, draws):
    """The medians of a setting's first draws, computed anew."""
    drawn = [table.measure(rng=generator(setting, draw), **setting) for draw in range(draws)]
    return {f"{key}_median": float(np.median([one[key] for one in drawn])) for key in drawn[0]}


def _file(stem):
    return memory.PROJECT / "notebooks" / f"{stem}.json"
