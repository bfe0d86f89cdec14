"""003, ALP: what sections 4 and 5 say of error and size (our excerpt has no figure); all vectors are made."""

import numpy as np

from dpbook.alp import alp_estimate, alp_projection, threshold_alp, threshold_estimate, zero_threshold
from tools.book.papers import Experiment
from tools.book.papers.sweep import grid


def sparse_vector(d, entries, rng):
    """d numbers, `entries` of them between 1 and 100, the others 0."""
    x = np.zeros(d)
    x[rng.choice(d, entries, replace=False)] = rng.integers(1, 101, entries)
    return x


def by_alpha(alpha, rng):
    """Section 4.3: the mean error of an entry that is not 0, epsilon 1, 65,536 entries, 100 of them not 0."""
    x = sparse_vector(65_536, 100, rng)
    sketch = alp_projection(x, alpha, 128, 4096, 1.0, rng)
    some = np.flatnonzero(x)
    return {"error": float(np.mean(np.abs(alp_estimate(sketch, some) - x[some]))), "bits": float(sketch.size_in_bits)}


def by_size(power, entries, rng):
    """Lemmas 4.14 and 5.5: mean and largest error of 500 entries, and the size, as d and the entries grow."""
    x = sparse_vector(2**power, entries, rng)
    # 64 buckets an entry: few strangers in a crowd
    sketch = alp_projection(x, 3.0, 128, 64 * entries, 1.0, rng)
    some = np.concatenate([np.flatnonzero(x), np.flatnonzero(x == 0)[: 500 - min(entries, 400)]])[:500]
    errors = np.abs(alp_estimate(sketch, some) - x[some])
    return {"mean": float(errors.mean()), "largest": float(errors.max()), "bits": float(sketch.size_in_bits)}


def thresholded(power, rng):
    """Section 5: with a threshold of order log d / epsilon large entries are stored: largest error, and size."""
    x = sparse_vector(2**power, 64, rng)
    release = threshold_alp(x, 3.0, 4096, 1.0, rng)
    some = np.flatnonzero(x)
    errors = np.abs(threshold_estimate(release, some) - x[some])
    largest, most = float(errors.max()), zero_threshold(2**power, 0.5)
    return {"largest": largest, "in_thresholds": largest / most, "bits": float(release.size_in_bits)}


EXPERIMENTS = [
    Experiment("003_section_4_alpha", by_alpha, grid(alpha=[0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0])),
    Experiment("003_lemma_4_14", by_size, grid(power=[10, 12, 14, 16, 18], entries=[32, 128])),
    Experiment("003_lemma_5_5", thresholded, grid(power=[10, 12, 14, 16, 18])),
]
