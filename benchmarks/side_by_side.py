"""Work and what would be done instead, timed in turn in one run: the table that most benchmarks print."""

import statistics
import time


def side_by_side(ours, theirs, runs):
    """The median seconds of each, run in turn after one warm-up."""
    times = ([], [])
    for run in range(runs + 1):
        for place, work in enumerate((ours, theirs)):
            begun = time.perf_counter()
            work()
            if run:
                times[place].append(time.perf_counter() - begun)
    return [statistics.median(part) for part in times]


def show(rows, title="work | instead"):
    """Print a line for each of `rows`: its name, both medians, and how many times longer the other way takes.

    A row's function gives the work, what is done instead, and how often both are run.
    """
    print(f"{title:70}{'ours, ms':>10}{'instead, ms':>13}{'ratio':>8}")
    for name, make in rows.items():
        ours, theirs = side_by_side(*make())
        print(f"{name:70}{1e3 * ours:>10.2f}{1e3 * theirs:>13.2f}{theirs / ours:>8.1f}", flush=True)
