"""Marginal tables against what a user would write or call instead, side by side in one run: `make bench`.

Each row is the median of a few runs of both, taken in turn (`benchmarks.mechanisms`).
"""

import itertools

import numpy as np
import pandas as pd
from scipy import optimize

from benchmarks.side_by_side import show
from dpbook import marginals
from dpbook.data.attributes import health_attributes


def one_marginal():
    _, people = health_attributes()
    chosen = [13, 0, 6, 10, 12, 2, 15, 14]
    frame = pd.DataFrame(people).astype("category")

    def crosstab():
        rows = [frame[a] for a in chosen[:4]]
        columns = [frame[a] for a in chosen[4:]]
        return pd.crosstab(rows, columns, dropna=False)

    assert np.array_equal(crosstab().to_numpy().reshape((2,) * 8), marginals.marginal(people, chosen))
    return lambda: marginals.marginal(people, chosen), crosstab, 5


def all_pairs():
    _, people = health_attributes()
    signs = 1 - 2 * people.astype(np.int64)

    def one_by_one():
        singles = {(a,): signs[:, a].sum() for a in range(32)}
        return singles | {(a, b): (signs[:, a] * signs[:, b]).sum() for a, b in itertools.combinations(range(32), 2)}

    ours = marginals.walsh_coefficients(people, 2)
    assert all(ours[chosen] == value for chosen, value in one_by_one().items())
    return lambda: marginals.walsh_coefficients(people, 2), one_by_one, 5


def agreement():
    _, people = health_attributes()
    views = marginals.covering_design(16, 8, 3)
    noisy = marginals.noisy_views(people[:, :16], views, 1, np.random.default_rng(1))
    shared = {frozenset()}
    while True:  # all intersections of views
        more = shared | {frozenset(view) & other for view in views for other in shared | {frozenset(range(16))}}
        if more == shared:
            break
        shared = more
    steps = sorted((tuple(sorted(some)) for some in shared), key=len)

    def step_by_step():
        tables = noisy
        for attributes in steps:
            if len(attributes) < 8:
                tables = marginals.mutual_consistency(views, tables, attributes)
        return tables

    for table, other in zip(marginals.consistent(views, noisy), step_by_step(), strict=True):
        assert np.allclose(table, other)
    return lambda: marginals.consistent(views, noisy), step_by_step, 5


def known_parts():
    """Six views of eight without noise, and an 8-way table that none of them holds."""
    _, people = health_attributes()
    views = marginals.covering_design(16, 8, 2)
    synopsis = marginals.Synopsis(views, marginals.marginals(people[:, :16], views))
    attributes = (0, 1, 2, 3, 6, 10, 12, 13)
    parts = [tuple(a for a in attributes if a in view) for view in views]
    held = zip(synopsis.tables, views, parts, strict=True)
    targets = [marginals.project(table, view, part) for table, view, part in held]
    return synopsis, attributes, parts, targets


def against_fitting():
    synopsis, attributes, parts, targets = known_parts()
    shapes = [[2 if a in part else 1 for a in attributes] for part in parts]
    away = [tuple(axis for axis, a in enumerate(attributes) if a not in part) for part in parts]

    def iterative_fitting(tolerance=1e-3):
        table = np.full((2,) * 8, targets[0].sum() / 256)
        for _ in range(5000):
            gap = 0
            for axes, shape, target in zip(away, shapes, targets, strict=True):
                now = table.sum(axis=axes)
                gap = max(gap, np.abs(now - target).max())
                ratio = np.divide(target, now, out=np.zeros_like(now), where=now > 0)
                table = table * ratio.reshape(shape)
            if gap < tolerance:
                return table
        return table

    assert np.abs(iterative_fitting() - marginals.maximum_entropy(*synopsis, attributes).table).max() < 0.1
    return lambda: marginals.maximum_entropy(*synopsis, attributes), iterative_fitting, 7


def against_slsqp():
    synopsis, attributes, parts, targets = known_parts()
    total = targets[0].sum()
    cells = np.array(list(np.ndindex((2,) * 8)))
    rows, wanted = [np.ones(256)], [1.0]
    for part, target in zip(parts, targets, strict=True):
        places = [attributes.index(a) for a in part]
        for index in np.ndindex(target.shape):
            rows.append((cells[:, places] == index).all(axis=1).astype(float))
            wanted.append(target[index] / total)
    _, kept = np.linalg.qr(np.array(rows).T)[0], []
    for place in range(len(rows)):  # independent constraints only
        if np.linalg.matrix_rank(np.array([rows[p] for p in [*kept, place]])) > len(kept):
            kept.append(place)
    design, right = np.array([rows[p] for p in kept]), np.array([wanted[p] for p in kept])

    def logs(x):
        return np.log(np.maximum(x, 1e-12))

    def slsqp():
        entropy, slope = lambda x: np.sum(x * logs(x)), lambda x: logs(x) + 1
        held = {"type": "eq", "fun": lambda x: design @ x - right, "jac": lambda x: design}
        few = {"method": "SLSQP", "options": {"maxiter": 30}}
        return optimize.minimize(
            entropy, np.full(256, 1 / 256), jac=slope, bounds=[(0, 1)] * 256, constraints=held, **few
        )

    return lambda: marginals.maximum_entropy(*synopsis, attributes), slsqp, 1


def multiplicative_weights():
    _, people = health_attributes()
    records, rng = people[:, :16].astype(np.int64), np.random.default_rng(1)
    pairs = list(itertools.combinations(range(16), 2))

    def cell_by_axis():
        table = np.full((2,) * 16, len(records) / 2**16)
        truth = [np.histogramdd(records[:, pair], bins=([0, 1, 2], [0, 1, 2]))[0] for pair in pairs]
        away = [tuple(a for a in range(16) if a not in pair) for pair in pairs]
        bought = []
        for _ in range(4):
            off = np.array([np.abs(table.sum(axis=axes) - t).sum() for axes, t in zip(away, truth, strict=True)])
            weights = np.exp((off - off.max()) / 16)
            place = rng.choice(len(pairs), p=weights / weights.sum())
            bought.append((place, truth[place] + rng.laplace(scale=8, size=(2, 2))))
            for _ in range(5):
                for chosen, noisy in bought:
                    factor = np.exp((noisy - table.sum(axis=away[chosen])) / (2 * len(records)))
                    table = table * factor.reshape([2 if a in pairs[chosen] else 1 for a in range(16)])
                    table = table * len(records) / table.sum()
        return table

    return lambda: marginals.mwem(records, 2, 4, len(records), 1.0, rng, passes=5), cell_by_axis, 3


ROWS = {
    "a table of 8 of 32 attributes, 20,190 records | pandas crosstab": one_marginal,
    "all 496 pairs of 32 attributes, as waves | one after the other": all_pairs,
    "14 views of 8 made to agree | the book's steps, with arrays": agreement,
    "8-way table of maximum entropy | iterative proportional fitting": against_fitting,
    "8-way table of maximum entropy | scipy SLSQP, 30 steps": against_slsqp,
    "MWEM, 65,536 cells, 4 rounds of 5 passes | sums over axes": multiplicative_weights,
}


if __name__ == "__main__":
    show(ROWS)
