"""The race of page 13: `python -m tools.book.papers.marginals` writes notebooks/13_marginals.json; resumable.

No source's experiment, so page 22 does not show it. `race` makes one release of 16 answers of the RAND experiment by
one method and returns the mean error, as a fraction of N, of twenty pairs and of eight triples. Rounds and passes of
MWEM, and the threshold of Ripple, were set by hand; MWEM is told the exact N.
"""

import functools
import math

import numpy as np

from dpbook import marginals
from dpbook.data.attributes import health_attributes
from dpbook.gaussian import gaussian_scale
from tools.book.papers import stored
from tools.book.papers.sweep import grid

STEM, DELTA, DRAWS = "13_marginals", 1e-6, 20
DULL = "uniform table"
VIEWS = {
    "16 singles, independent": [(a,) for a in range(16)],
    "6 views of 8": marginals.covering_design(16, 8, 2),
    "14 views of 8, all triples": marginals.covering_design(16, 8, 3),
    "20 views of 4": marginals.covering_design(16, 4, 2),
}
MWEM = {f"MWEM, {rounds} rounds, {passes} passes": (rounds, passes) for rounds, passes in ((12, 3), (12, 20), (40, 10))}
FLAT, DIRECT, WAVES = "flat", "direct, all 120 pairs", "waves to 2"
BAYES, TWICE = "PrivBayes, 2 parents", "the same, epsilon 2"
METHODS = {
    "Laplace": [DULL, *VIEWS, FLAT, DIRECT, WAVES, *MWEM, BAYES, TWICE],
    "Gaussian": [*(name for name in VIEWS if "triples" not in name), FLAT, DIRECT, WAVES],
}


@functools.cache
def asked():
    """The records, and the sets that are judged, by their size, with their true tables."""
    records, rng, judged = health_attributes()[1][:, :16], np.random.default_rng(13), {}
    for size, number in ((2, 20), (3, 8)):
        sets = [tuple(rng.choice(16, size, replace=False).tolist()) for _ in range(number)]
        judged[size] = sets, marginals.marginals(records, sets)
    return records, judged


def answers(noise, method, epsilon, rng):
    """A release by one of METHODS: a function from sets to tables."""
    records, normal = asked()[0], noise == "Gaussian"
    if method in VIEWS:
        views = VIEWS[method]
        synopsis = (
            gaussian_views(records, views, epsilon, rng) if normal else marginals.priview(records, views, epsilon, rng)
        )
        return lambda sets: [marginals.answer(synopsis, some) for some in sets]
    if method == DIRECT:
        pairs = marginals.covering_design(16, 2, 2)
        if normal:
            bought = marginals.gaussian_marginals(records, pairs, epsilon, DELTA, rng)
        else:
            bought = marginals.direct_marginals(records, pairs, epsilon, rng)
        return lambda sets: [marginals.answer(marginals.Synopsis(pairs, bought), some) for some in sets]
    if method == WAVES:
        if normal:
            waves = marginals.gaussian_waves(records, 2, epsilon, DELTA, rng)
        else:
            waves = marginals.fourier_marginals(records, 2, epsilon, rng, shares=marginals.cube_root_shares(16, 2))
        return lambda sets: [marginals.table_from(waves, some) for some in sets]
    if method in (BAYES, TWICE):
        made = marginals.privbayes(records, 2, epsilon * (2 if method == TWICE else 1), rng)
        return lambda sets: marginals.marginals(made, sets)
    if method == DULL:
        full = np.full((2,) * 16, len(records) / 2**16)
    elif method == FLAT and normal:
        (full,) = marginals.gaussian_marginals(records, [range(16)], epsilon, DELTA, rng)
    elif method == FLAT:
        full = marginals.flat_table(records, epsilon, rng)
    else:
        rounds, passes = MWEM[method]
        full = marginals.mwem(records, 2, rounds, len(records), epsilon, rng, passes=passes)
    return lambda sets: [marginals.project(full, range(16), some) for some in sets]


def gaussian_views(records, views, epsilon, rng):
    """What `priview` does, with Gaussian noise: Ripple's threshold is again a quarter of the noise's scale."""
    noisy = marginals.gaussian_marginals(records, views, epsilon, DELTA, rng)
    threshold = gaussian_scale(math.sqrt(len(views)), epsilon, DELTA) / 4
    tables = [marginals.ripple(table, threshold, 5) for table in marginals.consistent(views, noisy)]
    return marginals.Synopsis(views, marginals.consistent(views, tables))


def race(noise, method, epsilon, rng):
    """The mean error of pairs and, where the release holds them, of triples."""
    tell, (records, judged) = answers(noise, method, epsilon, rng), asked()
    found = {}
    for size, name in ((2, "pairs"), (3, "triples")):
        if size == 2 or method not in (DIRECT, WAVES):
            sets, truths = judged[size]
            off = [marginals.table_error(table, truth) for table, truth in zip(tell(sets), truths, strict=True)]
            found[name] = np.mean(off) / len(records)
    return found


SETTINGS = [
    setting for noise, methods in METHODS.items() for setting in grid(noise=[noise], method=methods, epsilon=[1.0])
]
TABLES = {"race": stored.Table(race, SETTINGS, lambda _: DRAWS, stored.SPREAD)}

if __name__ == "__main__":
    stored.compute(STEM, TABLES)
