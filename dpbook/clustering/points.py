"""The unit box, the k-means objective, Lloyd's algorithm without privacy, and where to start.

Source: 004 section 5.1.1.  Notebook: 10_clustering.
"""

import functools
from typing import NamedTuple

import numpy as np

from dpbook import arguments

TRIES = 100  # places that `spread_centroids` tries before it halves its distance


class Clusters(NamedTuple):
    """What a clustering by rounds publishes: the last `centroids` (k, d), and in `path` those of every round.

    `path` is (rounds + 1, k, d), the public start first: all of it is published and paid for.
    """

    centroids: np.ndarray
    path: np.ndarray


def unit_box(points, bounds):
    """Points (n, d) in their own units, taken to the unit box [-1, 1]^d: not private, and no release.

    `bounds` = (low, high), numbers or lists of d numbers in the units of the columns, are public: from a codebook,
    never from the points. Raises ValueError for bounds that are not finite and in order, or a point outside them.
    Source: 004 section 5.3.1, "normalized to [-r, r]", with r = 1.  Notebook: 10_clustering.
    """
    points = _numbers("points", points)
    low, high = _bounds(bounds, points.shape[1])
    outside = np.flatnonzero(np.any((points < low) | (points > high), axis=1))
    if outside.size:
        arguments.refuse("points", f"{outside.size} points outside, the first in row {outside[0]}", "within bounds")
    return np.clip(2 * ((points - low) / (high - low)) - 1, -1, 1)  # the clip undoes rounding only


def from_unit_box(points, bounds):
    """The way back from the unit box to the units of `bounds`, for centroids: (n, d) numbers; post-processing.

    Raises ValueError for bounds that are not finite and in order, or points that are not a finite (n, d) array.
    """
    points = _numbers("points", points)
    low, high = _bounds(bounds, points.shape[1])
    return low + (points + 1) / 2 * (high - low)


def cost(points, centroids):
    """The mean squared distance of the points to their nearest centroids (NICV): NOT private.

    `points` (n, d), at least one, and `centroids` (k, d) lie in the unit box; so the unit is that of the box,
    squared.
    Raises ValueError for points or centroids outside it, of another width, or NaN, and for no points.
    Source: 004 equation (5.1).  Notebook: 10_clustering.
    """
    points = box_points("points", points)
    if not len(points):
        arguments.refuse("points", "no points", "at least one point")
    centroids = box_centroids(centroids, points.shape[1])
    return float(np.mean(functools.reduce(np.minimum, squared_distances(points, centroids).T)))


def nearest(points, centroids):
    """The number of each point's nearest centroid, the first of equals: n whole numbers. NOT private.

    Raises ValueError as `cost` does; no points are fine.
    Source: 004 section 5.1.1.  Notebook: 10_clustering.
    """
    points = box_points("points", points)
    return labels_of(points, box_centroids(centroids, points.shape[1]))


def lloyd(points, centroids, rounds):
    """Lloyd's k-means from a start: `Clusters`. NOT private.

    Each of the `rounds` sends the points (n, d) to their nearest `centroids` (k, d), then moves each centroid to the
    mean of its points. A centroid without points stays where it is (004 divides by 0 there).
    Raises ValueError for points or centroids outside the unit box, of another width, or NaN, or rounds below 1.
    Source: 004 equation (5.2) (Lloyd 1982).  Notebook: 10_clustering.
    """
    points = box_points("points", points)
    path, columns = [box_centroids(centroids, points.shape[1])], np.ascontiguousarray(points.T)
    for _ in range(arguments.whole("rounds", rounds, 1)):
        table = totals(columns, labels_of(points, path[-1]), len(path[-1]))
        path.append(quotients(table, path[-1], least=0))
    return Clusters(path[-1], np.array(path))


def forgy_centroids(points, k, rng):
    """Forgy's start: k of the points themselves. NOT private: it releases k records, a loss without bound.

    Kept because it is the usual start. Raises ValueError for points outside the unit box, or k not from 1 to n.
    Source: 004 section 5.1.1 (Forgy 1965).  Notebook: 10_clustering.
    """
    points = box_points("points", points)
    k = arguments.whole("k", k, 1, max(1, len(points)))
    return points[arguments.generator("rng", rng).choice(len(points), k, replace=False)]


def spread_centroids(dimensions, k, rng):
    """A public start that is spread out: k centroids in the unit box, (k, d); sees no data.

    Centroids are drawn one by one, at least a from the walls and 2 a from each other, with a = 1/2 at first. When 100
    places in a row are too near, the draw begins anew with a halved. Raises ValueError for dimensions or k below 1.
    Source: Su, Cao, Li, Bertino and Jin 2016, section 3.  Notebook: 10_clustering.
    """
    k, dimensions = arguments.whole("k", k, 1), arguments.whole("dimensions", dimensions, 1)
    arguments.generator("rng", rng)
    away, chosen = 0.5, []
    while len(chosen) < k:
        places = rng.uniform(away - 1, 1 - away, (TRIES, dimensions))
        apart = [np.linalg.norm(places - other, axis=1) >= 2 * away for other in chosen]
        good = np.flatnonzero(np.all(apart, axis=0)) if chosen else [0]
        away, chosen = (away, [*chosen, places[good[0]]]) if len(good) else (away / 2, [])
    return np.array(chosen)


def box_points(name, points):
    """Points in the unit box as a float array (n, d); n may be 0. Raises ValueError for anything else."""
    points = _numbers(name, points)
    if points.size and not (points.min() >= -1 and points.max() <= 1):
        row = int(np.argmax(np.any((points < -1) | (points > 1), axis=1)))
        arguments.refuse(name, f"a point outside in row {row}", "within the unit box [-1, 1]^d: see `unit_box`")
    return points


def box_centroids(centroids, dimensions):
    """Centroids (k, d) in the unit box, k at least 1, of the points' width."""
    centroids = box_points("centroids", centroids)
    if not len(centroids) or centroids.shape[1] != dimensions:
        arguments.refuse("centroids", f"an array of shape {centroids.shape}", f"(k, {dimensions}), k at least 1")
    return centroids


def squared_distances(points, centroids):
    """All squared distances, (n, k): without an n x k x d array."""
    scores = -2 * centroids @ points.T
    scores += np.square(centroids).sum(axis=1)[:, None]
    scores += np.einsum("ij,ij->i", points, points)
    return np.maximum(scores, 0, out=scores).T


def labels_of(points, centroids):
    """As `nearest`, unchecked: the largest x . o - |o|^2 / 2.

    Column by column: a matrix product rounds by the number of points, and a record would move another's label.
    """
    for label, centroid in enumerate(centroids):
        score = sum(map(np.multiply, points.T, centroid), -np.square(centroid).sum() / 2)
        if label == 0:
            best, labels = score, np.zeros(len(points), dtype=np.intp)
        np.copyto(labels, label, where=score > best)
        np.maximum(best, score, out=best)
    return labels


def totals(columns, labels, k, weights=None):
    """The sums and, last, the counts of the k clusters: (k, d + 1); a point may count `weights` times."""
    rows = columns if weights is None else columns * weights
    sums = [np.bincount(labels, row, k) for row in rows]
    return np.column_stack([*sums, np.bincount(labels, weights, k)])


def quotients(table, centroids, least=1.0):
    """The centroids that totals (k, d + 1) give: sum / count cut to the box; those with a count up to `least`
    stay."""
    sums, counts = table[:, :-1], table[:, -1:]
    return np.where(counts > least, np.clip(sums / np.where(counts > least, counts, 1), -1, 1), centroids)


def _numbers(name, points):
    expected = "an array of shape (n, d), d at least 1, of finite numbers"
    try:
        given = np.asarray(points)
        table = given.astype(float, copy=False) if given.dtype.kind in "biuf" else np.empty(0)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.ndim != 2 or table.shape[1] == 0:
        arguments.refuse(name, f"{type(points).__name__} of shape {np.shape(table)}", expected)
    if table.size and not np.isfinite(table.min() + table.max()):
        arguments.refuse(name, "NaN or infinite numbers", expected)
    return table


def _bounds(bounds, dimensions):
    """Two vectors of d numbers, low < high."""
    expected = f"a pair (low, high), each a finite number or a list of {dimensions}, with low < high"
    try:
        low, high = (np.broadcast_to(arguments.array("bounds", end, expected), dimensions) for end in bounds)
    except (TypeError, ValueError):
        arguments.refuse("bounds", bounds, expected)
    if np.any(low >= high):
        arguments.refuse("bounds", bounds, expected)
    return low, high
