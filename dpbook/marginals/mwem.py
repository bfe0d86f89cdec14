"""Multiplicative weights: start from the uniform table, and in each round ask for the marginal it gets most wrong.

Source: 004 section 6.2.5; Hardt, Ligett, McSherry, 2012.  Notebook: 13_marginals.
"""

import functools
import itertools
import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.exponential import exponential_mechanism
from dpbook.laplace import laplace_mechanism
from dpbook.marginals.tables import checked_order, checked_records, checked_set, marginals, project, table_size


class Round(NamedTuple):
    """One round of MWEM: the `attributes` of the marginal it chose, its `noisy` table, the full `table` after it."""

    attributes: tuple
    noisy: np.ndarray
    table: np.ndarray


def mwem(records, order, rounds, total, epsilon, rng, *, passes=20, sizes=None):
    """Release a table over all attributes with epsilon-DP (add/remove) by `rounds` questions about marginals.

    Each round selects the table over `order` attributes that the current one gets most wrong, by the exponential
    mechanism with epsilon / (2 rounds). It buys that table for as much, and fits the current one to all tables bought
    so far, `passes` times. `total` is the number of records as it is publicly known. Passing len(records) would leak it
    under add/remove: buy it first, or declare it public (replace). Returns an array with one axis an attribute, at most
    2**20 cells, none negative. Raises ValueError as `marginal` does, and for an order, rounds, passes, a total or an
    epsilon that will not do.
    Source: 004 section 6.2.5, improved version; Hardt, Ligett, McSherry, 2012.  Notebook: 13_marginals.
    """
    *_, last = mwem_rounds(records, order, rounds, total, epsilon, rng, passes=passes, sizes=sizes)
    return last.table


def mwem_rounds(records, order, rounds, total, epsilon, rng, *, passes=20, sizes=None):
    """The rounds of `mwem`, one `Round` after the other, together epsilon-DP (add/remove).

    Arguments and errors as there. A generator: nothing is checked or drawn before the first round is asked for.
    """
    records, sets, sizes = _questions(records, order, sizes)
    rounds, passes = arguments.whole("rounds", rounds, 1), arguments.whole("passes", passes, 1)
    total, epsilon = arguments.positive("total", total), arguments.positive("epsilon", epsilon)
    share = epsilon / (2 * rounds)  # every round makes one choice and buys one table
    truth, bought = marginals(records, sets, sizes=sizes), []
    table = np.full(sizes, total / math.prod(sizes))
    for _ in range(rounds):
        wrong = [np.abs(true - part).sum() for true, part in zip(truth, all_parts(table, sets), strict=True)]
        chosen = exponential_mechanism(wrong, 1, share, rng)  # spends a share: one record moves each sum by at most 1
        noisy = laplace_mechanism(truth[chosen], 1, share, rng)  # spends a share: one record is in one cell
        bought.append((sets[chosen], noisy))
        table = _fitted(table, bought, passes, total)
        yield Round(sets[chosen], noisy, table)


def _questions(records, order, sizes):
    """The records, the sets of `order` attributes that a round chooses from, and how many values each attribute has."""
    records, sizes = checked_records(records, sizes)
    d, order = checked_order(len(sizes), order)
    table_size(range(d), sizes)
    return records, list(itertools.combinations(range(d), order)), sizes


def _fitted(table, bought, passes, total):
    """The table after `passes` times one `multiplicative_update` towards each of the tables bought so far."""
    steps = [(_two_sides(table.shape, attributes), noisy) for attributes, noisy in bought]
    middle = math.prod(table.shape[: _middle(table.shape)])
    cells = table.reshape(middle, -1).copy()
    for sides, wanted in steps * passes:
        _update(cells, sides, wanted, total)
    return cells.reshape(table.shape)


def multiplicative_update(table, attributes, wanted):
    """The table after one step towards a marginal: cells times exp((wanted - now) / (2 total)), then scaled back.

    The total stays. `attributes` are axes of `table` and `wanted` is the noisy table over them. Post-processing.
    Raises ValueError for a `wanted` of another shape, or a table with a total that is not above 0.
    Source: 004 section 6.2.5; Hardt, Ligett, McSherry, 2012.  Notebook: 13_marginals.
    """
    table, wanted = arguments.array("table", table), arguments.array("wanted", wanted)
    attributes = checked_set("attributes", attributes, table.ndim)
    total = arguments.positive("total of the table", float(table.sum()))
    if wanted.shape != tuple(table.shape[a] for a in attributes):
        arguments.refuse("wanted", f"shape {wanted.shape}", "one axis for each of the attributes, of its size")
    growth = np.exp((wanted - project(table, range(table.ndim), attributes)) / (2 * total))
    inner = growth.transpose(np.argsort(attributes))
    grown = table * inner.reshape([size if a in attributes else 1 for a, size in enumerate(table.shape)])
    return grown * (total / grown.sum())


def _two_sides(sizes, attributes):
    """The table as a matrix of about as many rows as columns: for each side, which cell of the marginal a row is in.

    `attributes` are ascending; those of the first axes are on the side of the rows. Two matrices of 0 and 1.
    """
    middle = _middle(sizes)
    return [_side(sizes, start, stop, attributes) for start, stop in ((0, middle), (middle, len(sizes)))]


def _middle(sizes):
    """How many of the first axes are the rows."""
    cells = np.cumprod([1, *sizes])
    return int(np.argmin(np.maximum(cells, cells[-1] / cells)))


def _side(sizes, start, stop, attributes):
    """For each cell of the axes from start to stop, written as 0s and 1s: its cell of the table over `attributes`."""
    number = np.zeros(sizes[start:stop], np.intp)
    inside = [a for a in attributes if start <= a < stop]
    for a in inside:
        shape = [-1 if axis == a else 1 for axis in range(start, stop)]
        number = number * sizes[a] + np.arange(sizes[a]).reshape(shape)
    return np.eye(math.prod(sizes[a] for a in inside))[number.ravel()]


def _update(cells, sides, wanted, total):
    """`multiplicative_update` in place and fast: sums over cells, and factors spread over them, by small matrices."""
    rows, columns = sides
    now = rows.T @ cells @ columns
    exponent = (wanted.reshape(now.shape) - now) / (2 * total)
    growth = np.exp(exponent - exponent.max())
    growth *= total / np.sum(growth * now)
    if rows.shape[1] > 1:  # else the same for all rows: numpy spreads it sooner
        growth = rows @ growth
    cells *= growth @ columns.T if columns.shape[1] > 1 else growth


def all_parts(table, sets):
    """The marginals of a full table over each of `sets` (ascending axes). Post-processing. Returns a list of arrays.

    The table is taken as a matrix, with some axes as rows and the others as columns. One matrix product gives all
    tables with the same number of row axes at once.
    """
    found = {}
    for rows, columns, places in _plan(table.shape, tuple(map(tuple, sets))):
        block = rows.T @ table.reshape(len(rows), len(columns)) @ columns
        found |= {chosen: block[up, along].reshape(shape) for chosen, up, along, shape in places}
    return [found[tuple(chosen)] for chosen in sets]


@functools.lru_cache(maxsize=8)
def _plan(sizes, sets):
    """For each number of row axes: which cell of which table a row is in, the same of columns, where each table is."""
    middle, plan = _middle(sizes), []
    for many in sorted({sum(a < middle for a in chosen) for chosen in sets}):
        some = [chosen for chosen in dict.fromkeys(sets) if sum(a < middle for a in chosen) == many]
        parts = [(chosen[:many], chosen[many:]) for chosen in some]
        rows, up = _indicators(sizes, 0, middle, [part for part, _ in parts])
        columns, along = _indicators(sizes, middle, len(sizes), [part for _, part in parts])
        shapes = [tuple(sizes[a] for a in chosen) for chosen in some]
        places = [(one, up[part], along[rest], s) for one, (part, rest), s in zip(some, parts, shapes, strict=True)]
        plan.append((rows, columns, places))
    return plan


def _indicators(sizes, start, stop, parts):
    """Matrices of `_side` beside one another, and the columns of each part in them."""
    parts = list(dict.fromkeys(parts))
    sides = [_side(sizes, start, stop, part) for part in parts]
    ends = np.cumsum([0, *(side.shape[1] for side in sides)]).tolist()
    return np.hstack(sides), dict(zip(parts, map(slice, ends[:-1], ends[1:]), strict=True))
