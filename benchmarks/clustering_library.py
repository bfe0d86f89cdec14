"""What diffprivlib's private KMeans does, to see it for oneself: `python -m benchmarks.clustering_library`.

Needs an environment of its own with diffprivlib 0.6.6 and scikit-learn below 1.9 besides dpbook (it does not import
with newer ones), so nothing else here uses it. Page 10 shows the same on mechanisms of a few lines.
"""

import math
import warnings

import numpy as np


def start_of(model_class, seed, bounds):
    """The public centroids that the library starts with, given the seed: one that sees no data."""
    model = model_class(4, epsilon=1.0, bounds=bounds, random_state=seed)
    return model._init_centers(2, random_state=np.random.RandomState(seed))


def stood_still(model_class, points, seed):
    """How many of four released centroids are, bit for bit, among those of the public start."""
    bounds = (np.full(2, -1.0), np.full(2, 1.0))
    model = model_class(4, epsilon=1.0, bounds=bounds, random_state=seed).fit(points)
    start = {tuple(row) for row in start_of(model_class, seed, bounds)}
    return sum(tuple(row) in start for row in model.cluster_centers_)


def main():
    from diffprivlib.models import KMeans

    warnings.simplefilter("ignore")
    alone = np.full((100, 2), -0.9)
    for points, who in ((alone, "100 points at (-.9, -.9)"), (np.vstack([alone, [0.9, 0.9]]), "and one at (.9, .9)")):
        still = [stood_still(KMeans, points, seed) for seed in range(200)]
        print(f"{who:25}: three or more centroids stood still in {sum(s >= 3 for s in still)} of 200 runs")
    for d in (2, 8, 16):
        x = math.cbrt(d * 0.45**2)
        epsilon_0, epsilon_i = KMeans(4, epsilon=1.0)._split_epsilon(d, 1)
        formula = (1 + d * x) / (d + x)
        print(f"d = {d:2}: a round of 1 spends {epsilon_0 + d * epsilon_i:.3f}; (1 + d x) / (d + x) = {formula:.3f}")


if __name__ == "__main__":
    main()
