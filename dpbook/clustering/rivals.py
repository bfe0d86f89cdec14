"""Two ways to cluster privately that rarely win: blocks whose centroids are averaged (GkM), and evolution (PrivGene).

Source: 004 sections 8.2 and 5.4.1.  Notebook: 10_clustering.
"""

import functools

import numpy as np

from dpbook import arguments
from dpbook.clustering.points import box_points, lloyd, spread_centroids
from dpbook.laplace import laplace_mechanism
from dpbook.search import genetic_search

LARGEST_MOVE = 0.2  # of a coordinate of a centroid, when a child of two sets of centroids mutates


def gkm(points, blocks, k, rounds, epsilon, rng):
    """k-means in blocks, averaged, with epsilon-DP under add/remove and under replace: centroids (k, d).

    Each record goes to one of `blocks` blocks by a draw of its own. Lloyd's algorithm, from one public start, gives k
    centroids in every block, put into lexicographic order. Their average over the blocks gets Laplace noise of scale
    2 k d / (blocks epsilon) and is cut to the box. One record is in one block, whose k d coordinates move by at most
    2 each. Records may be none at all.
    Raises ValueError for points outside the unit box, blocks, k or rounds below 1, or epsilon not above 0.
    Source: 004 equation (8.2) with a d in the scale and the sum over blocks (E45; Mohan, Thakurta, Shi, Song
    and Culler 2012, GUPT).  Notebook: 10_clustering.
    """
    average = _block_average(points, blocks, k, rounds, rng)
    return np.clip(laplace_mechanism(average, 2 * average.size / blocks, epsilon, rng), -1, 1)


def printed_gkm(points, blocks, k, rounds, epsilon, rng):
    """BROKEN: as printed its privacy loss is up to d epsilon, under add/remove and replace. Centroids (k, d).

    As `gkm`, but with noise of scale k (max - min) / (blocks epsilon), where max - min = 2. That would do if one
    record moved only one coordinate of each centroid. Same arguments and errors.
    Source: 004 equation (8.2) (E45).  Notebook: 10_clustering.
    """
    average = _block_average(points, blocks, k, rounds, rng)
    return np.clip(laplace_mechanism(average, 2 * k / blocks, epsilon, rng), -1, 1)


def privgene_rounds(count, epsilon, selected=10):
    """PrivGene's number of rounds, count epsilon / (800 selected) rounded down, at least 2. Not private by itself.

    `count` is the public number of records, or a noisy one that was paid for. Raises ValueError for a count that is
    no number, epsilon not above 0, or selected below 1.
    Source: 004 section 5.4.1 (Zhang, Xiao, Yang, Zhang and Winslett 2013).  Notebook: 10_clustering.
    """
    each = 800 * arguments.whole("selected", selected, 1)
    return max(2, int(arguments.number("count", count) * arguments.positive("epsilon", epsilon) / each))


def privgene_kmeans(points, k, rounds, epsilon, rng, *, population=200, selected=10):
    """k-means by evolution with epsilon-DP under add/remove (2 epsilon under replace): `search.Found`.

    It starts from `population` random sets of k centroids. In each round the exponential mechanism selects `selected`
    of them, by the total squared distance of the points (n, d), and `breed_centroids` makes the next. The last of the
    `rounds` selects one: (rounds - 1) selected + 1 selections spend epsilon in all. `candidate` is (k, d), `path`
    (rounds, k, d). Records may be none at all.
    Raises ValueError for points outside the unit box, k, rounds, population or selected below 1, selected
    above population, or epsilon not above 0.
    Source: 004 Algorithms 8 and 9 on 5.1.1, with the fitness turned round, and without the 2 that add/remove does not
    need (E40).  Notebook: 10_clustering.
    """
    points = box_points("points", points)
    size = arguments.whole("population", population, 1), arguments.whole("k", k, 1), points.shape[1]
    candidates = arguments.generator("rng", rng).uniform(-1, 1, size)

    def loss(candidates):
        return _total_costs(points, candidates)

    def breed(parents, rng):
        return breed_centroids(parents, population, rng)

    return genetic_search(candidates, loss, candidate_spread, breed, rounds, selected, epsilon, rng)


def _total_costs(points, candidates):
    """The sum over the points of the squared distance to the nearest centroid, for each of the candidates (m, k, d).

    |p - o|^2 is |p|^2 - 2 p o + |o|^2: what the centroids change is one product of matrices for the j-th of all.
    """
    total = np.full(len(candidates), np.square(points).sum())
    for begin in range(0, len(points), 512):  # so few at a time that all fits into the processor's cache
        some = points[begin : begin + 512]
        costs = (some @ (-2 * o.T) + np.square(o).sum(axis=1) for o in candidates.swapaxes(0, 1))
        total += functools.reduce(np.minimum, costs).sum(axis=0)
    return total


def candidate_spread(candidates):
    """The most that one record in the unit box can cost under any of the `candidates` (m, k, d): a bound from them
    alone.

    It is the max over candidates of min over centroids of sum over coordinates of (1 + |o|)^2. That sum is a
    centroid's squared distance to its farthest corner; no record costs more than the smallest of them. For
    candidates in the box it is never above 4 d. Costs are at least 0, so it bounds the range of one record's costs
    too. Raises ValueError for an array that is not (m, k, d) and finite.
    Source: ours; the crude bound is 4 d.  Notebook: 10_clustering.
    """
    candidates = arguments.array("candidates", candidates)
    if candidates.ndim != 3 or candidates.size == 0:
        arguments.refuse("candidates", f"an array of shape {candidates.shape}", "of shape (m, k, d), none of them 0")
    return float(np.square(1 + np.abs(candidates)).sum(axis=2).min(axis=1).max())


def breed_centroids(parents, population, rng):
    """The next generation of `parents` (m', k, d): they themselves and children, `population` in all; sees no data.

    As many parents as that, or more, have no children. A child takes each centroid from one of two parents, by a
    coin each. Then one of its centroids moves, each coordinate by up to 0.2, within the box. Raises ValueError for
    a population below 1.
    Source: 004 section 5.4.1, crossover and mutation; the sizes are ours.  Notebook: 10_clustering.
    """
    many = max(0, arguments.whole("population", population, 1) - len(parents))
    k, dimensions = parents.shape[1:]
    mother, father = rng.integers(0, len(parents), (2, many))
    coins = rng.integers(0, 2, (many, k, 1))
    children = np.where(coins == 1, parents[mother], parents[father])
    moves = rng.uniform(-LARGEST_MOVE, LARGEST_MOVE, (many, dimensions))
    children[np.arange(many), rng.integers(0, k, many)] += moves
    return np.concatenate([parents, np.clip(children, -1, 1)])


def _block_average(points, blocks, k, rounds, rng):
    """The average over the blocks of their sorted centroids, (k, d): not private."""
    points, blocks = box_points("points", points), arguments.whole("blocks", blocks, 1)
    start = spread_centroids(points.shape[1], k, rng)
    order = rng.integers(0, blocks, len(points))
    found = [lloyd(points[order == block], start, rounds).centroids for block in range(blocks)]
    return np.mean([centroids[np.lexsort(centroids.T[::-1])] for centroids in found], axis=0)
