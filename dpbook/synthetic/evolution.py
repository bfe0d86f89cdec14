"""Private Evolution in small: candidates from a public generator, bred by the noisy votes of the private points.

Source: beyond the seeds; Lin, Gopi, Kulkarni, Nori, Yekhanin 2023.  Notebook: 28_synthetic.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.gaussian import gaussian_scale


class Evolution(NamedTuple):
    """What is published: the last `points`, the `history` of (candidates, noisy votes), the noise's `scale`."""

    points: np.ndarray
    history: list
    scale: float


def nearest_votes(points, candidates):
    """How many of `points` have each candidate as their nearest; ties go to the first. Not private.

    Rows are points; one more moves one vote by 1 (add/remove). Raises ValueError for tables of unlike width.
    Source: Lin and others 2023, algorithm 2.  Notebook: 28_synthetic.
    """
    points, candidates = _points("points", points), arguments.table("candidates", candidates)
    if points.shape[1] != candidates.shape[1]:
        arguments.refuse("candidates", f"{candidates.shape[1]} columns", f"as many as points, {points.shape[1]}")
    middle = candidates.mean(axis=0)  # so that little is lost when squares are subtracted
    points, candidates = points - middle, candidates - middle
    products = sum(map(np.multiply.outer, points.T, candidates.T))  # a matrix product rounds by the number of points
    distances = (candidates**2).sum(axis=1) / 2 - products  # squared and halved, but for the point's own
    return np.bincount(distances.argmin(axis=1), minlength=len(candidates)).astype(float)


def private_evolution(points, start, vary, rounds, threshold, epsilon, delta, rng):
    """Release points like the private ones with (epsilon, delta)-DP (add/remove): Private Evolution, an `Evolution`.

    `start` are candidates of a public generator, `vary(points, turn, rng)` its variations of some. In each of `rounds`
    turns the private points vote for their nearest candidate. The votes get normal noise, lose `threshold` deviations
    of it and are cut at 0. Candidates are drawn in proportion (all alike where none is left) and varied. All turns are
    one Gaussian release of L2 sensitivity sqrt(rounds). The promise is void if the generator has seen the points.
    Raises ValueError for points and candidates of unlike width, rounds below 1, a threshold below 0, a bad epsilon.
    Source: Lin and others 2023, algorithms 1 and 2.  Notebook: 28_synthetic.
    """
    rounds, threshold = arguments.whole("rounds", rounds, 1), arguments.nonnegative("threshold", threshold)
    scale, rng = gaussian_scale(math.sqrt(rounds), epsilon, delta), arguments.generator("rng", rng)
    candidates, history = arguments.table("start", start), []
    for turn in range(rounds):
        votes = nearest_votes(points, candidates)
        noisy = votes + rng.normal(scale=scale, size=votes.size)
        history.append((candidates, noisy))
        kept = np.maximum(noisy - threshold * scale, 0)
        chances = kept / kept.sum() if kept.any() else np.full(len(kept), 1 / len(kept))
        drawn = np.repeat(candidates, rng.multinomial(len(kept), chances).astype(np.intp), axis=0)
        candidates = arguments.table("vary(points, turn, rng)", vary(drawn, turn, rng))
    return Evolution(candidates, history, scale)


def _points(name, points):
    """A table of points that may have no rows."""
    points = arguments.array(name, points)
    if points.ndim != 2 or points.shape[1] == 0:
        arguments.refuse(name, f"shape {points.shape}", "a table of finite numbers, one row a point")
    return points
