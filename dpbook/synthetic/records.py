"""From a model to records: whole numbers of people in each cell, clique after clique.

Source: beyond the seeds; McKenna, Sheldon, Miklau 2019.  Notebook: 28_synthetic.
"""

import math

import numpy as np

from dpbook import arguments


def draw_records(model, number, rng, *, rounding=True):
    """Draw `number` synthetic records from a `Model`, in random order: post-processing, free.

    With `rounding` every clique's counts are within one of what is expected, given those before it (systematic
    sampling). Without it records are drawn independently, which adds sampling error to the noise. Returns an integer
    array (number, d). Raises ValueError for a number that is not whole or below 0.
    Source: beyond the seeds; systematic sampling: Madow 1949.  Notebook: 28_synthetic.
    """
    number, rng = arguments.whole("number", number, 0), arguments.generator("rng", rng)
    made = np.zeros((number, len(model.sizes)), np.int64)
    parents = dict(map(reversed, model.tree.edges))
    for place in [0, *(child for _, child in model.tree.edges)]:
        known = [a for a in model.tree.cliques[place] if place in parents and a in model.tree.cliques[parents[place]]]
        _fill_in(made, model, place, known, rng, rounding)
    return rng.permutation(made)


def _fill_in(made, model, place, known, rng, rounding):
    """Give every record its new attributes of a clique, given those that it has."""
    clique, table = model.tree.cliques[place], model.tables[place]
    new = [a for a in clique if a not in known]
    sizes = [model.sizes[a] for a in known]
    given = table.transpose([clique.index(a) for a in known + new]).reshape(math.prod(sizes), -1)
    row = np.ravel_multi_index(tuple(made[:, known].T), sizes) if known else np.zeros(len(made), np.intp)
    order = rng.permutation(len(made))
    order = order[np.argsort(row[order], kind="stable")]  # by group, at random within it
    people = np.bincount(row, minlength=len(given))
    totals = given.sum(axis=1, keepdims=True)
    chances = np.where(totals > 0, given / np.where(totals > 0, totals, 1), 1 / given.shape[1])
    if rounding:
        counts = _systematic(people[:, None] * chances, people, rng.random((len(given), 1)))
        cells = np.repeat(np.tile(np.arange(given.shape[1]), len(given)), counts.ravel())
    else:
        edges = np.cumsum(chances, axis=1)[:, :-1]
        cells = np.sum(rng.random(len(made))[:, None] >= edges[row[order]], axis=1)
    made[np.ix_(order, new)] = np.column_stack(np.unravel_index(cells, [model.sizes[a] for a in new]))


def whole_counts(table, number, rng):
    """Whole numbers in the cells of a table's shape that sum to `number`: each within one of its part, unbiased.

    One uniform u moves all of them: differences of floor(cumulated part + u). Post-processing.
    Raises ValueError for a table with a cell below 0 or a total of 0, or a number that is not whole or below 0.
    Source: Madow 1949, systematic sampling.  Notebook: 28_synthetic.
    """
    table, number = arguments.array("table", table), arguments.whole("number", number, 0)
    if table.min(initial=0) < 0 or not table.sum() > 0:
        arguments.refuse("table", table, "counts, none below 0, with a total above 0")
    parts = table.ravel() * (number / table.sum())
    u = arguments.generator("rng", rng).random((1, 1))
    return _systematic(parts[None], np.array([number]), u).reshape(table.shape)


def _systematic(parts, people, u):
    """Rows of whole numbers near these parts, which sum to `people`, one a row."""
    ends = np.minimum(np.floor(np.cumsum(parts, axis=1) + u).astype(np.int64), people[:, None])
    ends[:, -1] = people  # whatever rounding did to the sum
    return np.diff(ends, prepend=0).astype(np.intp)
