"""The curves of page 28: `python -m tools.book.papers.synthetic` writes notebooks/28_synthetic.json; resumable.

No source's experiment, so page 22 does not show it. Each function makes one release by one method and returns how good
it is. `race`: the total variation of 60 sets each of two, three and four attributes (`longer_fits`: with more steps).
`small_groups`: of 16 attributes, how far off the rate of a third answer is in groups of two answers, by their size (in
percentage points). `predicting`: the AUC of "affair" on the women left out. `points_race`: the total variation of
points in a cube, by the grid of cells that judges them. Rounds, parts and candidates were chosen by hand on these data.
"""

import functools
import itertools

import numpy as np

from dpbook import data, marginals, synthetic
from dpbook.data.attributes import affairs_attributes, health_attributes
from dpbook.gaussian import gaussian_scale
from tools.book.papers import stored
from tools.book.papers.parties import auc
from tools.book.papers.sweep import grid

STEM = "28_synthetic"
DELTA, MOST, DRAWS = 1e-6, 60, 20
EPSILONS = [0.03, 0.1, 0.3, 1.0, 3.0, 10.0]
NONE = 1e6  # an epsilon at which there is no noise to speak of
EDGES = [20, 100, 300, 1_000, 3_000, 10_000]  # of the sizes of groups
METHODS = {
    8: ["independent", "MST", "AIM", "full table", "PrivBayes", "MWEM"],
    16: ["independent", "MST", "AIM", "20 fixed views", "PriView", "PrivBayes", "MWEM"],
    32: ["independent", "MST", "PriView"],
}
PREDICTED = 5_000  # of Fair's women are learnt from, the others left out
CELLS = range(4, 21)  # along an axis, of the grids that judge points
PARTS = {2: 10, 4: 5, 6: 2, 8: 2}  # of an axis, by the number of axes: the grid's own, chosen by hand


@functools.cache
def people(attributes):
    """The records: 5,000 of Fair's survey, or all of RAND's, 16 or 32 answers."""
    return women()[:PREDICTED] if attributes == 8 else health_attributes()[1][:, :attributes]


@functools.cache
def women():
    """All of Fair's survey, in a random order."""
    return affairs_attributes()[1][np.random.default_rng(0).permutation(6366)]


@functools.cache
def asked(attributes):
    """The sets that are judged, by their size, and their true tables."""
    rng, judged = np.random.default_rng(28), {}
    for size in (2, 3, 4):
        sets = list(itertools.combinations(range(attributes), size))
        chosen = sorted(rng.permutation(len(sets))[:MOST])
        judged[size] = [sets[place] for place in chosen]
    return judged, {size: marginals.marginals(people(attributes), sets) for size, sets in judged.items()}


def tables_of(method, records, epsilon, rng):
    """A release by one of METHODS: a function from sets to tables."""
    d, n = records.shape[1], len(records)
    if method in ("independent", "MST"):
        found = (synthetic.independent if method == "independent" else synthetic.mst)(
            records, epsilon, DELTA, rng
        ).model
    elif method == "AIM":
        found = synthetic.aim(
            records, list(itertools.combinations(range(d), 3)), 24 if d == 8 else 40, epsilon, DELTA, rng
        ).model
    elif method == "20 fixed views":
        found = synthetic.fit_model(
            fixed(records, marginals.covering_design(d, 4, 2), epsilon, rng), (2,) * d, rounds=120
        )
    elif method == "7 pairs":
        found = synthetic.fit_model(fixed(records, [(a, d - 1) for a in range(d - 1)], epsilon, rng), (2,) * d)
    elif method == "full table":
        (whole,) = marginals.marginals(records, [range(d)])
        noisy = whole + rng.normal(scale=gaussian_scale(1, epsilon, DELTA), size=whole.shape)
        kept = marginals.nearest_nonnegative(noisy)
        return lambda sets: [marginals.project(kept, range(d), some) for some in sets]
    elif method == "PriView":
        synopsis = marginals.priview(records, marginals.covering_design(d, 4 if d == 16 else 8, 2), epsilon, rng)
        return lambda sets: [marginals.answer(synopsis, some) for some in sets]
    elif method == "PrivBayes":
        made = marginals.privbayes(records, 2, epsilon, rng)
        return lambda sets: marginals.marginals(made, sets)
    else:
        full = marginals.mwem(records, 2, 8 if d == 8 else 12, n, epsilon, rng)
        return lambda sets: [marginals.project(full, range(d), some) for some in sets]
    return lambda sets: [found.marginal(some) for some in sets]


def fixed(records, sets, epsilon, rng):
    """Tables that nobody chose by looking, as one Gaussian release with the least noise."""
    scale = gaussian_scale(len(sets) ** 0.5, epsilon, DELTA)
    return synthetic.measure(records, sets, len(sets) / (2 * scale**2), rng)


def race(attributes, method, epsilon, rng):
    """The mean variation of pairs, triples and tables of four."""
    return _errors(tables_of(method, people(attributes), epsilon, rng), attributes)


def longer_fits(steps, epsilon, rng):
    """The same of 20 fixed views of 16 attributes, fitted with so many steps."""
    records = people(16)
    model = synthetic.fit_model(
        fixed(records, marginals.covering_design(16, 4, 2), epsilon, rng), (2,) * 16, rounds=steps
    )
    return _errors(lambda sets: [model.marginal(some) for some in sets], 16)


def _errors(tell, attributes):
    sets, truths = asked(attributes)
    return {f"of {size}": synthetic.workload_error(tell(sets[size]), truths[size]) for size in sets}


def small_groups(method, epsilon, rng):
    """Median error of a third answer's rate, in points, among people with two given answers, by how many they are."""
    records = people(16)
    triples = list(itertools.combinations(range(16), 3))
    told = tables_of(method, records, epsilon, rng)(triples)
    sizes, errors = [], []
    for table, truth in zip(told, marginals.marginals(records, triples), strict=True):
        for axis in range(3):
            both = (np.maximum(table, 0), truth)
            (counts, yes), (members, true) = ((one.sum(axis=axis), one.take(1, axis=axis)) for one in both)
            rates = np.divide(yes, counts, out=np.full(counts.shape, 0.5), where=counts > 0)
            off = rates - np.divide(true, members, out=np.zeros(counts.shape), where=members > 0)
            sizes += members.ravel().tolist()
            errors += (100 * np.abs(off)).ravel().tolist()
    place, errors = np.digitize(sizes, EDGES), np.array(errors)
    return {f"from {edge}": float(np.median(errors[place == 1 + number])) for number, edge in enumerate(EDGES)}


def predicting(method, epsilon, rng):
    """Least squares learns "affair" from 5,000 records of a release; its AUC on the 1,366 women left out."""
    learnt, left = women()[:PREDICTED], women()[PREDICTED:]
    if method != "real records":
        (table,) = tables_of(method, learnt, epsilon, rng)([range(8)])
        counts = synthetic.whole_counts(np.maximum(table, 0), PREDICTED, rng).ravel()
        learnt = np.column_stack(np.unravel_index(np.repeat(np.arange(counts.size), counts), table.shape))
    weights, *_ = np.linalg.lstsq(_questions(learnt), learnt[:, -1], rcond=1e-9)
    scores = (_questions(left) @ weights).round(9)  # so that equal women tie
    return {"auc": auc([1.0], scores[:, None], left[:, -1])}


def _questions(records):
    """Seven answers, and a one."""
    return np.column_stack([records[:, :-1], np.ones(len(records))])


@functools.cache
def cloud(axes):
    """2,000 points of a cube: those of `three_clusters`, or clusters whose middles repeat theirs over more axes."""
    if axes == 2:
        return data.three_clusters()
    rng = np.random.default_rng(axes)
    clouds = [((0.25, 0.3), 0.06, 1200), ((0.7, 0.65), 0.05, 700), ((0.8, 0.2), 0.03, 100)]
    points = [rng.normal(np.tile(middle, axes // 2), off, (many, axes)) for middle, off, many in clouds]
    return np.clip(np.concatenate(points), 0, 1)


def pairs_of_axes(points, cells):
    """The tables of all pairs of axes, each cut into `cells` equal parts, as fractions."""
    inside = _cut(points, cells)
    pairs = itertools.combinations(range(points.shape[1]), 2)
    return marginals.marginals(inside, list(pairs), sizes=(cells,) * points.shape[1]) / np.float64(len(points))


def _cut(points, parts):
    """In which of `parts` equal parts of each axis a point lies."""
    return np.minimum((points * parts).astype(int), parts - 1)


def points_of(method, axes, epsilon, rng):
    """2,000 points (300 of Evolution) that a method makes of `cloud(axes)`, at delta 1e-5."""
    points = cloud(axes)
    if method == "Evolution":

        def vary(some, turn, rng):
            return np.clip(some + rng.normal(scale=0.12 * 0.75**turn, size=some.shape), 0, 1)

        return synthetic.private_evolution(points, rng.random((300, axes)), vary, 8, 1.0, epsilon, 1e-5, rng).points
    parts = PARTS[axes] if method == "grid" else 10
    inside, sizes = _cut(points, parts), (parts,) * axes
    if method == "grid":
        (table,) = marginals.marginals(inside, [range(axes)], sizes=sizes)
        noisy = table + rng.normal(scale=gaussian_scale(1, epsilon, 1e-5), size=sizes)
        counts = synthetic.whole_counts(np.maximum(noisy, 0), len(points), rng).ravel()
        made = np.column_stack(np.unravel_index(np.repeat(np.arange(counts.size), counts), sizes))
    else:
        made = synthetic.draw_records(
            synthetic.mst(inside, epsilon, 1e-5, rng, sizes=sizes, rounds=100).model, len(points), rng
        )
    return (made + rng.random(made.shape)) / parts


def points_race(axes, method, epsilon, rng):
    """The mean variation of the pairs of axes, by the cells along an axis that they are cut into."""
    both = points_of(method, axes, epsilon, rng), cloud(axes)
    tables = {cells: [pairs_of_axes(points, cells) for points in both] for cells in CELLS}
    return {f"cells {cells}": synthetic.workload_error(*pair) for cells, pair in tables.items()}


RACES = [
    *(setting for d in (8, 16) for setting in grid(attributes=[d], method=METHODS[d], epsilon=EPSILONS)),
    *grid(attributes=[32], method=METHODS[32], epsilon=[0.1, 1.0]),
]
LEARNERS = [
    *grid(method=["real records"], epsilon=[NONE]),
    *grid(method=["7 pairs", *METHODS[8]], epsilon=[0.03, 0.1, 1.0]),
]
POINTS = grid(axes=list(PARTS), method=["grid", "MST", "Evolution"], epsilon=[0.1, 0.3, 1.0, 3.0, 10.0])
GROUPS = grid(method=["MST", "20 fixed views"], epsilon=[0.1, 1.0, NONE])
TABLES = {
    "races": stored.Table(race, RACES, lambda _: DRAWS),
    "steps": stored.Table(longer_fits, grid(steps=[120, 600], epsilon=[10.0]), lambda _: DRAWS),
    "predicting": stored.Table(predicting, LEARNERS, lambda _: DRAWS, stored.SPREAD),
    "points": stored.Table(points_race, POINTS, lambda _: DRAWS, stored.SPREAD),
    "groups": stored.Table(small_groups, GROUPS, lambda _: DRAWS, stored.SPREAD),
}

if __name__ == "__main__":
    stored.compute(STEM, TABLES)
