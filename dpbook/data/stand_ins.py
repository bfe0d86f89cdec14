"""Made stand-ins for the counts of source 000, which are not for distribution; each says what of them it matches.

And points of three made clusters, which stand in for nothing.
Notebooks: 16_compressive, 28_synthetic.
"""

import functools

import numpy as np

from dpbook.data.files import COUNTS, Dataset, read_only

SYNTHETIC_SOURCE = (
    "made by dpbook.data; size, total, length as its docstring says are the original's, the rest invented"
)


@functools.cache
def social_network():
    """Synthetic stand-in: friends of each of 11,342 students, from the fewest to the most; a heavy tail.

    Bins, total (674,708), Euclidean length (8,608) and order are those of the original (source 000, section 7). The
    counts are the quantiles of a lognormal distribution.  One friendship is in two bins, one person in many.
    """
    from scipy.special import ndtri  # only here: other data start without scipy, in a browser 21 MB of it

    shape = np.exp(ndtri((np.arange(11_342) + 0.5) / 11_342))
    friends = np.sort(_counts_like(shape, 674_708, 8_608))
    return _stand_in("social network (stand-in)", friends, "friends", "friends of each student, fewest to most")


@functools.cache
def search_logs():
    """Synthetic stand-in: searches for one name in each of 32,768 spans of 90 minutes; quiet, then bursts.

    Bins, total (335,889) and Euclidean length (4,729) are those of the original (source 000, section 7). The
    places of the bursts and the noise of a count in each bin are invented.
    """
    rng = np.random.default_rng(32_768)
    bins = np.arange(32_768)
    rate = 0.2 + 6 / (1 + np.exp(-(bins - 22_000) / 900))
    for start, height, length in zip(
        rng.integers(14_000, bins.size, 25), 30 * rng.pareto(1.2, 25), rng.uniform(40, 700, 25), strict=True
    ):
        rate[start:] += height * np.exp(-(bins[start:] - start) / length)
    searches = _counts_like(rng.poisson(rate) + 0.05, 335_889, 4_729)
    return _stand_in("search logs (stand-in)", searches, "searches", "searches for one name, 90 minutes a bin")


@functools.cache
def net_trace():
    """Synthetic stand-in: connections of each of 65,536 network addresses, from the most to the fewest; a power law.

    Bins, total (25,714), Euclidean length (2,444) and order are those of the original (source 000, section 7).
    """
    connections = -np.sort(-_counts_like(1 / np.arange(1.0, 65_537), 25_714, 2_444))
    return _stand_in("net trace (stand-in)", connections, "connections", "connections of each address, most to fewest")


@functools.cache
def tcp_trace():
    """Synthetic stand-in: connections opened in each of 7,865 bins of 30 days, about five and a half minutes a bin.

    A day's rhythm, nearly sparse in the cosine basis, with the noise of a count: Poisson around the rhythm.  Only the
    number of bins and the 30 days are those of the original (source 000, section 7).
    """
    rng = np.random.default_rng(7_865)
    day = 30 * (np.arange(7_865) + 0.5) / 7_865
    rhythm = 77 - 48 * np.cos(2 * np.pi * day) + 12 * np.cos(4 * np.pi * day) - 5 * np.cos(6 * np.pi * day)
    trend = 9 * np.cos(np.pi * day / 30) + 6 * np.cos(8 * np.pi * day / 30)
    connections = rng.poisson(np.maximum(rhythm + trend, 0))
    return _stand_in("TCP trace (stand-in)", connections, "connections", "connections opened, 5.5 minutes a bin")


@functools.cache
def three_clusters():
    """Synthetic: 2,000 points of the unit square in three clusters of 1,200, 700 and 100, the last one small and far.

    Normal clouds at (0.25, 0.3), (0.7, 0.65), (0.8, 0.2) with deviations 0.06, 0.05, 0.03, clipped to the square.
    Read-only, one row a point.  Notebook: 28_synthetic.
    """
    rng = np.random.default_rng(0)
    clouds = [((0.25, 0.3), 0.06, 1200), ((0.7, 0.65), 0.05, 700), ((0.8, 0.2), 0.03, 100)]
    points = [rng.normal(middle, deviation, (many, 2)) for middle, deviation, many in clouds]
    return read_only(np.clip(np.concatenate(points), 0, 1))


def _counts_like(shape, total, length):
    """Whole numbers with this total and, nearly, this Euclidean length: proportional to a power of `shape`.

    Rounding goes along the running sum, so that it adds up; a larger power makes the counts more uneven and longer.
    """
    from scipy.optimize import brentq  # only here, as above

    logs = np.log(shape)

    def counts(power):
        weights = np.exp(power * (logs - logs.max()))
        running = np.append(0, np.cumsum(weights)) * (total / weights.sum())
        return np.diff(np.rint(running)).astype(np.intp)

    return counts(brentq(lambda power: np.linalg.norm(counts(power)) - length, 0.05, 6))


def _stand_in(name, counts, unit, meaning):
    return Dataset(name, counts, unit, COUNTS, SYNTHETIC_SOURCE, "that of dpbook (BSD-3-Clause)", True, meaning)
