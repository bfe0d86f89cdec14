"""DPLloyd: Lloyd's rounds with noisy sums and counts, how to split epsilon, and the loop with privacy loss k epsilon.

Source: 004 section 5.3.1.  Notebook: 10_clustering.
"""

import math

import numpy as np

from dpbook import arguments
from dpbook.clustering.points import Clusters, box_centroids, box_points, labels_of, quotients, totals
from dpbook.laplace import laplace_mechanism


def dplloyd(points, centroids, rounds, epsilon, rng, *, shares=None, count_share=None):
    """k-means by noisy rounds with epsilon-DP under add/remove (2 epsilon under replace): `Clusters`.

    A round partitions the `points` (n, d) once, by the nearest of the public `centroids` (k, d). One record then adds
    (x, 1) to one row of the k x (d + 1) table of sums and counts. That is at most d + 1 in L1. Each of the `rounds`
    releases that table with Laplace noise and moves the centroids by what was released. `shares` are the rounds'
    parts of epsilon (default: equal), above 0 and at most 1 together. `count_share` is the part of a round's epsilon
    for the counts (default: one noise for the whole table, that is 1 / (d + 1)). Records may be none at all.
    Raises ValueError for points or centroids outside the unit box, of another width, or NaN, for rounds below 1 or
    epsilon not above 0. Raises it too for shares that are not one a round, above 0 and at most 1 together. The same
    goes for a count_share not strictly between 0 and 1.
    Source: 004 Algorithm 6 with the nearest for the farthest centroid, clusters made before a centroid moves, and
    empty clusters guarded (E31 to E33; Blum, Dwork, McSherry, Nissim 2005; McSherry 2009).  Notebook:
    10_clustering.
    """
    points = box_points("points", points)
    path, columns = [box_centroids(centroids, points.shape[1])], np.ascontiguousarray(points.T)
    epsilon, shares = arguments.positive("epsilon", epsilon), _shares(shares, rounds)
    for share in shares:
        table = totals(columns, labels_of(points, path[-1]), len(path[-1]))
        noisy = _noisy_totals(table, share * epsilon, rng, count_share)
        path.append(quotients(noisy, path[-1]))
    return Clusters(path[-1], np.array(path))


def inplace_dplloyd(points, centroids, rounds, epsilon, rng):
    """BROKEN: its noisy tables have privacy loss up to k epsilon under add/remove. `Clusters` of 004's own loop.

    As `dplloyd`, but each cluster is made after the centroids before it have moved. A record that was counted for the
    first may then be nearest to the second, and be counted there again. It may count in up to k clusters of a round.
    The centroids alone have a smaller loss, but above epsilon (the notebook computes it). Same arguments and errors
    as `dplloyd` without its options.
    Source: 004 Algorithm 6, with the nearest centroid (E31, E32).  Notebook: 10_clustering.
    """
    points = box_points("points", points)
    path, columns = [box_centroids(centroids, points.shape[1])], np.ascontiguousarray(points.T)
    epsilon, k = arguments.positive("epsilon", epsilon), len(path[-1])
    for share in _shares(None, rounds):
        moving = path[-1].copy()
        for j in range(k):
            table = totals(columns, labels_of(points, moving), k)[j : j + 1]
            moving[j] = quotients(_noisy_totals(table, share * epsilon, rng, None), moving[j : j + 1])[0]
        path.append(moving)
    return Clusters(path[-1], np.array(path))


def halving_shares(rounds):
    """Shares 1/2, 1/4, ... of epsilon, for `rounds` whose number is not fixed beforehand: together 1 - 2^-rounds.

    Raises ValueError for rounds below 1.
    Source: 004 section 5.3.1 (Dwork 2011).  Notebook: 10_clustering.
    """
    return 0.5 ** np.arange(1, arguments.whole("rounds", rounds, 1) + 1)


def growing_shares(rounds):
    """Shares that grow as 1, 2, 3, ...: together 1, for a public number of `rounds`.

    Raises ValueError for rounds below 1.
    Source: 004 section 5.3.1, which says that later rounds should have more, and not how much.  Notebook:
    10_clustering.
    """
    growing = np.arange(1.0, arguments.whole("rounds", rounds, 1) + 1)
    return growing / growing.sum()


def balanced_count_share(dimensions, spread=0.45):
    """The part of a round's epsilon for the counts that makes the error of sums / counts smallest: x / (d + x).

    Here x = (d spread^2)^(1/3). `spread` is the usual distance of a centroid's coordinate from 0 in the unit box
    (0.45 is the published 0.225 of the width). Raises ValueError for dimensions below 1 or a `spread` not above 0.
    Source: Su, Cao, Li, Bertino and Jin 2016.  Notebook: 10_clustering.
    """
    dimensions = arguments.whole("dimensions", dimensions, 1)
    x = math.cbrt(dimensions * arguments.positive("spread", spread) ** 2)
    return x / (dimensions + x)


def suggested_rounds(count, dimensions, k, epsilon):
    """A guideline for the number of rounds: epsilon over what a round needs, 2 to 7. Not private by itself.

    A round needs sqrt(500 k^3 / count^2 (d + x)^3), x as in `balanced_count_share`; `count` is the public number of
    records, or a noisy one that was paid for (below 1 it counts as 1).
    Raises ValueError for a count that is no number, dimensions or k below 1, or epsilon not above 0.
    Source: Su, Cao, Li, Bertino and Jin 2016.  Notebook: 10_clustering.
    """
    count, k = max(arguments.number("count", count), 1.0), arguments.whole("k", k, 1)
    dimensions = arguments.whole("dimensions", dimensions, 1)
    whole = dimensions / (1 - balanced_count_share(dimensions))  # d + x
    return int(np.clip(arguments.positive("epsilon", epsilon) * count / math.sqrt(500 * (k * whole) ** 3), 2, 7))


def _noisy_totals(table, epsilon, rng, count_share):
    """The totals (k, d + 1) of a partition with Laplace noise, epsilon-DP under add/remove."""
    width = table.shape[1]
    if count_share is None:
        return laplace_mechanism(table, width, epsilon, rng)
    share = arguments.probability("count_share", count_share)
    sums = laplace_mechanism(table[:, :-1], width - 1, (1 - share) * epsilon, rng)
    return np.column_stack([sums, laplace_mechanism(table[:, -1], 1, share * epsilon, rng)])


def _shares(shares, rounds):
    """One share of epsilon a round, all above 0 and together at most 1."""
    rounds = arguments.whole("rounds", rounds, 1)
    if shares is None:
        return np.full(rounds, 1 / rounds)
    shares = arguments.of_length("shares", shares, rounds)
    if np.any(shares <= 0) or shares.sum() > 1 + 1e-12:
        arguments.refuse("shares", shares, "above 0, and together at most 1")
    return shares
