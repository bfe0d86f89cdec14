"""Private k-means against what users would run instead, side by side in one run: `python -m benchmarks.clustering`.

Each row is the median of a few runs of both, taken in turn. scikit-learn's has no privacy and the same starts and
rounds; with diffprivlib 0.6.6 in the environment (it needs scikit-learn below 1.9) its KMeans is measured too.
"""

import importlib.util
import warnings

import numpy as np
from sklearn.cluster import KMeans

from benchmarks.side_by_side import show
from dpbook.clustering import dplloyd, eugkm, privgene_kmeans, spread_centroids


def mixture(dimensions, k, n=100_000):
    """Points around k places in the unit box, and a public start."""
    rng = np.random.default_rng(dimensions)
    middles = rng.uniform(-0.7, 0.7, (k, dimensions))
    points = np.clip(middles[rng.integers(0, k, n)] + 0.1 * rng.normal(size=(n, dimensions)), -1, 1)
    return points, spread_centroids(dimensions, k, rng)


def against_scikit_learn(dimensions, k):
    points, start = mixture(dimensions, k)
    rng, theirs = np.random.default_rng(1), KMeans(k, init=start, n_init=1, max_iter=5, tol=0, algorithm="lloyd")
    return lambda: dplloyd(points, start, 5, 1.0, rng), lambda: theirs.fit(points), 5


def against_diffprivlib(dimensions, k):
    from diffprivlib.models import KMeans as PrivateKMeans

    warnings.simplefilter("ignore")
    points, start = mixture(dimensions, k)
    bounds, rng = (-np.ones(dimensions), np.ones(dimensions)), np.random.default_rng(1)
    theirs = PrivateKMeans(k, epsilon=1.0, bounds=bounds, random_state=1)
    rounds = theirs.fit(points).n_iter_
    return lambda: dplloyd(points, start, rounds, 1.0, rng), lambda: theirs.fit(points), 1


def grid():
    """The other way round: our seven rounds are what is compared with, EUGkM what is measured."""
    points, start = mixture(2, 8)
    rng = np.random.default_rng(1)
    return lambda: eugkm(points, 100, 8, 1.0, rng), lambda: dplloyd(points, start, 7, 1.0, rng), 5


def evolution():
    points, start = mixture(2, 3, 6_000)
    rng = np.random.default_rng(1)

    def loop():
        """The costs of 200 sets of centroids, one set after the other; twice, as two rounds ask."""
        sets = rng.uniform(-1, 1, (200, 3, 2))
        for _ in range(2):
            [np.square(points[:, None] - one).sum(axis=2).min(axis=1).sum() for one in sets]

    assert start.shape == (3, 2)
    return lambda: privgene_kmeans(points, 3, 2, 1.0, rng), loop, 3


ROWS = {
    "DPLloyd, d = 2, k = 8, 5 rounds | scikit-learn KMeans": lambda: against_scikit_learn(2, 8),
    "DPLloyd, d = 16, k = 16, 5 rounds | scikit-learn KMeans": lambda: against_scikit_learn(16, 16),
    "EUGkM, side 100, 5 starts, 20 rounds | DPLloyd, 7 rounds": grid,
    "PrivGene, 6,000 points, 2 rounds | one set of centroids at a time": evolution,
}
if importlib.util.find_spec("diffprivlib"):
    ROWS["DPLloyd, d = 2, k = 8 | diffprivlib KMeans"] = lambda: against_diffprivlib(2, 8)
    ROWS["DPLloyd, d = 16, k = 16 | diffprivlib KMeans"] = lambda: against_diffprivlib(16, 16)


if __name__ == "__main__":
    show(ROWS, "100,000 points: work | instead")
