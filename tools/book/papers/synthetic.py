"""The curves of page 28: `python -m tools.book.papers.synthetic` writes notebooks/28_synthetic.json; resumable.

No source's experiment, so page 22 does not show it. `measure` makes one release by one method and returns its errors:
the total variation of 60 sets each of two, three and four attributes, and, of 16 attributes, how far off the rate of a
third answer is in groups of two answers, by their size (in percentage points).
"""

import functools
import itertools

import numpy as np

from dpbook.data.attributes import affairs_attributes, health_attributes
from dpbook.gaussian import gaussian_scale
from dpbook.marginals import (
    answer,
    covering_design,
    marginals,
    mwem,
    nearest_nonnegative,
    privbayes,
    priview,
    project,
)
from dpbook.synthetic import Measurement, aim, fit_model, independent, measure, mst, workload_error
from tools.book.papers import stored
from tools.book.papers.sweep import grid

STEM = "28_synthetic"
DELTA, MOST = 1e-6, 60
EPSILONS = [0.03, 0.1, 0.3, 1.0, 3.0, 10.0]
NONE = 1e6  # an epsilon at which there is no noise to speak of
EDGES = [20, 100, 300, 1_000, 3_000, 10_000]  # of the sizes of groups
METHODS = {
    8: ["independent", "MST", "AIM", "full table", "PrivBayes", "MWEM"],
    16: ["independent", "MST", "AIM", "20 fixed views", "PriView", "PrivBayes", "MWEM"],
}


@functools.cache
def people(attributes):
    """The records: 5,000 of Fair's survey, or all of RAND's, 16 answers."""
    if attributes == 16:
        return health_attributes()[1][:, :16]
    return affairs_attributes()[1][np.random.default_rng(0).permutation(6366)[:5000]]


@functools.cache
def asked(attributes):
    """The sets that are judged, by their size, and their true tables."""
    rng, judged = np.random.default_rng(28), {}
    for size in (2, 3, 4):
        sets = list(itertools.combinations(range(attributes), size))
        chosen = sorted(rng.permutation(len(sets))[:MOST])
        judged[size] = [sets[place] for place in chosen]
    return judged, {size: marginals(people(attributes), sets) for size, sets in judged.items()}


def tables_of(method, records, epsilon, rng):
    """A release by one of METHODS: a function from sets to tables."""
    d, n = records.shape[1], len(records)
    if method in ("independent", "MST"):
        found = (independent if method == "independent" else mst)(records, epsilon, DELTA, rng).model
    elif method == "AIM":
        found = aim(records, list(itertools.combinations(range(d), 3)), 24 if d == 8 else 40, epsilon, DELTA, rng).model
    elif method == "20 fixed views":
        found = fit_model(fixed_views(records, epsilon, rng), (2,) * d, rounds=120)
    elif method == "full table":
        (whole,) = marginals(records, [range(d)])
        noisy = whole + rng.normal(scale=gaussian_scale(1, epsilon, DELTA), size=whole.shape)
        kept = nearest_nonnegative(noisy)
        return lambda sets: [project(kept, range(d), some) for some in sets]
    elif method == "PriView":
        synopsis = priview(records, covering_design(d, 4, 2), epsilon, rng)
        return lambda sets: [answer(synopsis, some) for some in sets]
    elif method == "PrivBayes":
        made = privbayes(records, 2, epsilon, rng)
        return lambda sets: marginals(made, sets)
    else:
        full = mwem(records, 2, 8 if d == 8 else 12, n, epsilon, rng)
        return lambda sets: [project(full, range(d), some) for some in sets]
    return lambda sets: [found.marginal(some) for some in sets]


def fixed_views(records, epsilon, rng):
    """20 tables of 4 that cover all pairs of 16, as one Gaussian release with the least noise."""
    views = covering_design(records.shape[1], 4, 2)
    scale = gaussian_scale(len(views) ** 0.5, epsilon, DELTA)
    found = measure(records, views, len(views) / (2 * scale**2), rng)
    return [Measurement(*one) for one in found]


def race(attributes, method, epsilon, rng):
    """The mean variation of pairs, triples and tables of four."""
    tell = tables_of(method, people(attributes), epsilon, rng)
    sets, truths = asked(attributes)
    return {f"of {size}": workload_error(tell(sets[size]), truths[size]) for size in sets}


def small_groups(method, epsilon, rng):
    """Median error of a third answer's rate, in points, among people with two given answers, by how many they are."""
    records = people(16)
    triples = list(itertools.combinations(range(16), 3))
    told = tables_of(method, records, epsilon, rng)(triples)
    sizes, errors = [], []
    for table, truth in zip(told, marginals(records, triples), strict=True):
        for axis in range(3):
            (counts, yes), (members, true) = (
                (one.sum(axis=axis), one.take(1, axis=axis)) for one in (np.maximum(table, 0), truth)
            )
            rates = np.divide(yes, counts, out=np.full(counts.shape, 0.5), where=counts > 0)
            off = rates - np.divide(true, members, out=np.zeros(counts.shape), where=members > 0)
            sizes += members.ravel().tolist()
            errors += (100 * np.abs(off)).ravel().tolist()
    place, errors = np.digitize(sizes, EDGES), np.array(errors)
    return {f"from {edge}": float(np.median(errors[place == 1 + number])) for number, edge in enumerate(EDGES)}


RACES = {d: grid(attributes=[d], method=METHODS[d], epsilon=EPSILONS) for d in METHODS}
GROUPS = grid(method=["MST", "20 fixed views"], epsilon=[0.1, 1.0, NONE])


def draws_of(setting):
    """How many releases are made: few of what is slow."""
    slow = {"AIM": 1, "20 fixed views": 3} if setting.get("attributes", 16) == 16 else {}
    return slow.get(setting["method"], 5)


TABLES = {
    "races": stored.Table(race, [*RACES[8], *RACES[16]], draws_of),
    "groups": stored.Table(small_groups, GROUPS, draws_of),
}

if __name__ == "__main__":
    stored.compute(STEM, TABLES)
