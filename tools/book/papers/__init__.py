"""The experiments of the sources, run again: `make papers` computes them, page 22 shows them beside what was printed.

A file a source; each holds an `EXPERIMENTS` list. An experiment's `measure(rng=..., **setting)` makes one release of
every method that it compares, all from one seed, and returns their errors; `sweep` runs it over the settings
and draws, and keeps mean, standard error and median in notebooks/papers/<name>.csv. Where a source's data cannot be
had, the stand-in is named on the page. The number of draws is the source's where it says one
(1,000 choices of S in 000, 20 executions in 001), else 100. There are more where a row would turn with other seeds and
draws are cheap: 100 in Figure 3 of 001, 400 for the ranges, 1,000 in section 7.4 and 200 in section 8.1 of 004.
"""

from typing import NamedTuple


class Experiment(NamedTuple):
    """What is measured, at which settings, how often; `chunk` draws are one task."""

    name: str
    measure: object
    settings: list
    draws: int = 100
    chunk: int = 10


def experiments():
    """Every experiment, in the order of the sources."""
    from tools.book.papers import alp, compressive, sensing, textbook

    return [*compressive.EXPERIMENTS, *sensing.EXPERIMENTS, *alp.EXPERIMENTS, *textbook.EXPERIMENTS]
