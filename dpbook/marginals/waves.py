"""Waves for tables with any numbers of values: Walsh's signs for two values, cosines for more; means over views.

On an axis with n values, wave 0 is 1 and wave j > 0 is sqrt(2) cos(pi j (i + 1/2) / n). These are n orthogonal rows of
squared length n; for n = 2 they are (1, 1) and (1, -1). A wave that is number 0 on an axis does not see that attribute.
Source: 004 section 6.2.3 for two values.  Notebook: 13_marginals.
"""

import functools
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.marginals.tables import checked_sets


@functools.cache
def wave_matrix(size):
    """The waves of an axis of `size` values as rows: orthogonal, each of squared length `size`. Read-only."""
    rows = np.sqrt(2) * np.cos(np.pi * np.outer(np.arange(size), np.arange(size) + 0.5) / size)
    rows[0] = 1
    rows = np.sign(rows) if size == 2 else rows
    rows.flags.writeable = False
    return rows


def to_waves(table):
    """The wave coefficients of a table, as an array of its shape."""
    return _along_axes(table, wave_matrix)


def from_waves(coefficients):
    """The table with these wave coefficients."""
    return _along_axes(coefficients / coefficients.size, lambda size: wave_matrix(size).T)


def _along_axes(table, matrix):
    """Multiply by a matrix along each axis in turn, as a stack of small products."""
    shape, after = table.shape, table.size
    for size in shape:
        after //= size
        table = matrix(size) @ table.reshape(-1, size, after)
    return table.reshape(shape)


def checked_tables(views, tables):
    """Views as tuples and a fresh list of their tables, of fitting shapes, or ValueError."""
    views, tables = checked_sets("views", views), [arguments.array("tables", table) for table in tables]
    if len(views) != len(tables):
        arguments.refuse("tables", f"{len(tables)} of them", f"one table a view, of which there are {len(views)}")
    sizes = {}
    for view, table in zip(views, tables, strict=True):
        if table.ndim != len(view):
            arguments.refuse("tables", f"shape {table.shape} for view {view}", "one axis for each attribute of a view")
        for attribute, size in zip(view, table.shape, strict=True):
            if sizes.setdefault(attribute, size) != size:
                came = f"{size} and {sizes[attribute]} values of attribute {attribute}"
                arguments.refuse("tables", came, "the same number of values in every view")
    return views, tables


def view_waves(views, tables):
    """All coefficients of all tables in a row, the place of each one's wave in `mean`, and the weighted means.

    A view's noise is spread over its cells, so its copy of a coefficient has variance in proportion to them.
    """
    coefficients = np.concatenate([to_waves(table).ravel() for table in tables])
    which, weights, mass = _waves_of(tuple(views), tuple(table.shape for table in tables))
    return coefficients, which, np.bincount(which, weights * coefficients) / mass


@functools.lru_cache(maxsize=8)
def _waves_of(views, shapes):
    """For all coefficients of views of these shapes in a row: which wave it is, its weight; and each wave's mass."""
    sizes = {a: n for view, shape in zip(views, shapes, strict=True) for a, n in zip(view, shape, strict=True)}
    steps, total = {}, 1
    for attribute in sorted(sizes):
        steps[attribute], total = total, total * sizes[attribute]
    kind = np.int64 if total < 2**62 else object  # Python's own integers where many categories meet
    names = [_names([steps[a] for a in view], shape, kind) for view, shape in zip(views, shapes, strict=True)]
    weights = np.concatenate([np.full(name.size, 1 / name.size) for name in names])
    _, which = np.unique(np.concatenate(names), return_inverse=True)
    which = which.ravel()
    return which, weights, np.bincount(which, weights)


def _names(steps, shape, kind):
    """A whole number for each cell of a view's coefficients that says which wave it is, the same in every view."""
    names = np.zeros(1, kind)
    for step, size in zip(steps, shape, strict=True):
        names = (names[:, None] + np.arange(size).astype(kind) * step).ravel()
    return names


class Known(NamedTuple):
    """The waves over some attributes that views hold: `rows` over the flat cells, their `values`, and their numbers."""

    rows: np.ndarray
    values: np.ndarray
    held: np.ndarray
    binary: bool

    def products(self, weights):
        """For any two rows, the weighted sum over the cells of their product; for signs a row as well, so one sum."""
        if not self.binary:
            return (self.rows * weights) @ self.rows.T
        sums = to_waves(weights.reshape((2,) * (weights.size.bit_length() - 1))).ravel()
        return sums[self.held[:, None] ^ self.held]


class Part(NamedTuple):
    """What a view tells of some attributes: which of their `axes` it has, its `table` over these, its own `cells`."""

    axes: tuple
    table: np.ndarray
    cells: int


def parts_of(views, tables, attributes):
    """A `Part` for each view, its axes ascending."""
    place = {attribute: axis for axis, attribute in enumerate(attributes)}
    parts = []
    for view, table in zip(views, tables, strict=True):
        away = tuple(axis for axis, attribute in enumerate(view) if attribute not in place)
        axes = [place[attribute] for attribute in view if attribute in place]
        order = sorted(range(len(axes)), key=axes.__getitem__)
        parts.append(Part(tuple(sorted(axes)), table.sum(axis=away).transpose(order), table.size))
    return parts


def known_waves(parts, shape):
    """The waves of a table of this shape that some `Part` holds, as a `Known`; values are the views' weighted means.

    The first row is the total.
    """
    mass, value = np.zeros(shape), np.zeros(shape)
    for axes, table, cells in parts:
        place = tuple(slice(None) if axis in axes else 0 for axis in range(len(shape)))
        mass[place] += 1 / cells
        value[place] += to_waves(table) / cells
    held = np.flatnonzero(mass)
    return Known(_all_waves(shape)[held], value.ravel()[held] / mass.ravel()[held], held, set(shape) <= {2})


@functools.lru_cache(maxsize=8)
def _all_waves(shape):
    """Every wave of a table as a row over its flat cells."""
    return functools.reduce(np.kron, [wave_matrix(size) for size in shape], np.ones((1, 1)))
