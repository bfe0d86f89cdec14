"""One noisy grid, and k-means on it as often as one likes: EUGkM; and a hybrid with a last noisy round.

Source: 004 sections 5.5.1, 5.5.2 and 5.6.  Notebook: 10_clustering.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.clustering.points import (
    box_points,
    labels_of,
    quotients,
    spread_centroids,
    squared_distances,
    totals,
)
from dpbook.clustering.rounds import dplloyd
from dpbook.laplace import laplace_mechanism
from dpbook.partitions import grid_side as guided_side

MOST_CELLS = 2**24


class GridClusters(NamedTuple):
    """What EUGkM publishes: `centroids` (k, d), and the noisy `counts` that they were made of, side^d of them."""

    centroids: np.ndarray
    counts: np.ndarray


def grid_side(count, dimensions, epsilon, theta=10):
    """The guideline's cells a side, (count epsilon / theta)^(2 / (2 + d)) rounded, at least 1. Not private by itself.

    `count` is the public number of records, or a noisy one that was paid for; below 0 it counts as 0. In two
    dimensions it is chapter 09's rule. Raises ValueError for a count that is no number, dimensions below 1, or
    epsilon or theta not above 0.
    Source: 004 equations (5.4) and (5.5), which give the number of cells (Su et al. 2016).  Notebook: 10_clustering.
    """
    count, theta = arguments.number("count", count), arguments.positive("theta", theta)
    return guided_side(count, theta, epsilon, dimensions=dimensions)


def lei_side(count, dimensions):
    """Lei's cells a side, (count / sqrt(ln count))^(2 / (2 + d)) rounded, at least 1. Not private by itself.

    Without epsilon: one side for every noise. The source leaves the logarithm's base open; this is the natural one.
    `count` as in `grid_side`; below 2 it gives 1. Raises ValueError for a count that is no number, or dimensions
    below 1.
    Source: 004 equation (5.6) (Lei 2011).  Notebook: 10_clustering.
    """
    count, dimensions = arguments.number("count", count), arguments.whole("dimensions", dimensions, 1)
    return 1 if count < 2 else max(1, round((count / math.sqrt(math.log(count))) ** (2 / (2 + dimensions))))


def grid_counts(points, side):
    """How many points lie in each of the side^d equal cells of the unit box, the last coordinate fastest. NOT
    private.

    A cell holds its lower walls; the last one its upper too. Raises ValueError for points outside the box, a side
    below 1, or more than 2^24 cells.
    Source: 004 section 5.5.1.  Notebook: 10_clustering.
    """
    points = box_points("points", points)
    side = _grid_of("side", side, points.shape[1])
    places = np.minimum((points + 1) * (side / 2), side - 1).astype(np.intp)
    return np.bincount(places @ side ** np.arange(points.shape[1])[::-1], minlength=side ** points.shape[1])


def grid_centres(side, dimensions):
    """The centres of the side^d cells, in the order of `grid_counts`: (side^d, d), public.

    Raises ValueError for a side or dimensions below 1, or more than 2^24 cells.
    """
    side = _grid_of("side", side, arguments.whole("dimensions", dimensions, 1))
    middles = (2 * np.arange(side) + 1) / side - 1
    return np.stack(np.meshgrid(*[middles] * dimensions, indexing="ij"), axis=-1).reshape(-1, dimensions)


def eugkm(points, side, k, epsilon, rng, *, rounds=20, starts=5):
    """k-means on a noisy grid with epsilon-DP under add/remove (2 epsilon under replace): `GridClusters`.

    The counts of the points (n, d) in side^d equal cells get Laplace noise of scale 1 / epsilon; one record is in one
    cell. The rest is post-processing, however often it is done: Lloyd's `rounds` on the cells' centres, each as heavy
    as max(0, noisy count). They run from each of `starts` spread starts, and the cheapest result on the noisy grid is
    kept. `side` is public: from a public or a paid-for number of records (`grid_side`), never from the true one or
    the true cost.
    Raises ValueError for points outside the unit box, side, k, rounds or starts below 1, more than 2^24 cells, or
    epsilon not above 0.
    Source: 004 sections 5.5.1 and 5.6, which names it (Su et al. 2016).  Notebook: 10_clustering.
    """
    points, k = box_points("points", points), arguments.whole("k", k, 1)
    rounds, starts = arguments.whole("rounds", rounds, 1), arguments.whole("starts", starts, 1)
    counts = laplace_mechanism(grid_counts(points, side), 1, epsilon, rng)
    begun = [spread_centroids(points.shape[1], k, rng) for _ in range(starts)]
    heavy = counts > 0
    best = _best(grid_centres(side, points.shape[1])[heavy], counts[heavy], begun, rounds) if heavy.any() else begun[0]
    return GridClusters(best, counts)


def hybrid_kmeans(points, side, k, epsilon, rng, *, rounds=20, starts=5):
    """EUGkM with half of epsilon, then one round of DPLloyd with the other: epsilon-DP under add/remove, `Clusters`.

    `path` holds the grid's centroids and those of the last round. Under replace its privacy loss is at most 2
    epsilon. Arguments and errors are those of `eugkm`.
    Source: beyond 004: Su, Cao, Li, Bertino, Lyu and Jin 2017, with equal halves.  Notebook: 10_clustering.
    """
    half = arguments.positive("epsilon", epsilon) / 2
    begun = eugkm(points, side, k, half, rng, rounds=rounds, starts=starts)
    return dplloyd(points, begun.centroids, 1, half, rng)


def _best(centres, weights, begun, rounds):
    """The cheapest of the weighted Lloyd's runs from each start; a run ends where nothing moves any more."""
    ends, columns = [], np.ascontiguousarray(centres.T)
    for centroids in begun:
        for _ in range(rounds):
            table = totals(columns, labels_of(centres, centroids), len(centroids), weights)
            before, centroids = centroids, quotients(table, centroids, least=0)
            if np.array_equal(before, centroids):
                break
        ends.append((float(weights @ squared_distances(centres, centroids).min(axis=1)), centroids))
    return min(ends, key=lambda end: end[0])[1]


def _grid_of(name, side, dimensions):
    """A side that gives at most 2^24 cells."""
    side = arguments.whole(name, side, 1)
    if side**dimensions > MOST_CELLS:
        expected = f"at most 2**24 cells: a grid in {dimensions} dimensions does not scale"
        arguments.refuse(name, f"{side} a side, {side**dimensions:,} cells", expected)
    return side
