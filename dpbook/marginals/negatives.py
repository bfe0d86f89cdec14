"""Noisy tables have cells below zero: what to do about them. All of this is post-processing and costs no privacy.

Source: 004 section 6.3.3.  Notebook: 13_marginals.
"""

import numpy as np

from dpbook import arguments


def ripple(table, threshold, rounds):
    """Lift cells below -threshold to 0 and take what they gained from their neighbours, `rounds` times at most.

    A neighbour differs in one attribute; each gives the same. All cells of a round move at once, and the total stays as
    it was. The rounds need a limit. With a total below -threshold times the cells they could never end; (-3, 1, 1, 9)
    does not end at threshold 0 either. Returns a table of the same shape.
    Raises ValueError for a negative threshold or rounds that are no whole number of at least 0.
    Source: 004 section 6.3.3, which says it always ends (E55).  Notebook: 13_marginals.
    """
    table = arguments.array("table", table).copy()
    threshold = arguments.number("threshold", threshold)
    if threshold < 0:
        arguments.refuse("threshold", threshold, "a number of records of at least 0")
    neighbours = sum(size - 1 for size in table.shape)
    for _ in range(arguments.whole("rounds", rounds, 0)):
        lifted = np.where(table < -threshold, -table, 0)
        if not neighbours or not lifted.any():
            break
        table += lifted
        for axis in range(table.ndim):
            table -= (lifted.sum(axis=axis, keepdims=True) - lifted) / neighbours
    return table


def cut_at_zero(table):
    """Set the cells below zero to 0. Private, but biased: what sums over many nearly empty cells becomes too large.

    Source: 004 section 6.3.3, which warns of it.  Notebook: 13_marginals.
    """
    return np.maximum(arguments.array("table", table), 0)


def nearest_nonnegative(table):
    """The nearest table with no cell below zero and the same total, in squared distance: all cells fall by one amount.

    All zeros if the total is not above 0. Source: projection on a simplex (Held, Wolfe, Crowder, 1974).
    Notebook: 13_marginals.
    """
    table = arguments.array("table", table)
    total, cells = table.sum(), np.sort(table.ravel())[::-1]
    if total <= 0:
        return np.zeros(table.shape)
    excess = (np.cumsum(cells) - total) / np.arange(1, cells.size + 1)
    kept = np.flatnonzero(cells > excess)[-1]
    return np.maximum(table - excess[kept], 0)
