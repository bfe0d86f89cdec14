"""One dimension: blocks of neighbouring bins, what they cost, and merging after the noise (NoisyFirst).

Neighbours add or remove one record, which moves one bin by 1. A replaced record moves two bins, and every epsilon of
this package is then worth 2 epsilon. A block's count is spread evenly over its bins: the uniformity assumption.
V_u = 2/epsilon**2 is the variance of one noisy count.
Source: 004 section 4.3.3.  Notebook: 09_partitions.
"""

from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.laplace import laplace_mechanism
from dpbook.partitions import ranks

MOST_BINS = 16_384  # of the quadratic dynamic programme: half a minute; below 4,096, a second


class Blocks(NamedTuple):
    """A histogram of unequal bins: `edges`, k + 1 ascending whole numbers from 0 to n, and `counts`, k totals."""

    edges: np.ndarray
    counts: np.ndarray


def whole_counts(name, values):
    """A histogram of whole numbers of at least 0, as floats: one record is then a step of 1 in one bin.

    Raises ValueError for anything else.
    """
    histogram = arguments.counts(name, values)
    if np.any(histogram != np.floor(histogram)):
        arguments.refuse(name, values, "a non-empty list of whole counts, none below 0")
    return histogram


def spread(blocks):
    """One number a bin: each block's count, spread evenly over its bins. Post-processing, spends nothing.

    `blocks` is a `Blocks` (or a pair of edges and counts); returns n floats.
    Raises ValueError for edges that do not ascend from 0, or counts that are not one a block.
    Source: 004 section 4.3 (the uniformity assumption).  Notebook: 09_partitions.
    """
    edges = arguments.integers("edges", blocks[0]).astype(np.intp)
    counts = arguments.vector("counts", blocks[1])
    if edges.ndim != 1 or edges.size != counts.size + 1 or edges[0] != 0 or np.any(np.diff(edges) <= 0):
        arguments.refuse("edges", blocks[0], f"{counts.size + 1} whole numbers that ascend from 0")
    return np.repeat(counts / np.diff(edges), np.diff(edges))


def totals(counts, edges):
    """The sum of each block of `counts`: not private."""
    return np.add.reduceat(counts, np.asarray(edges[:-1], dtype=np.intp))


def interval_deviations(counts, left, right):
    """sum |x - mean| over each of many intervals left ... right - 1 (arrays of ends): not private.

    n bins and q intervals take (n + q) log n steps. One record more in an interval of s bins moves it by at most
    2 (1 - 1/s). Raises ValueError for bad counts or unless 0 <= left < right <= bins.
    Source: the cost of DAWA, 004 section 4.3.3.  Notebook: 09_partitions.
    """
    counts = arguments.vector("counts", counts)
    left, right = np.broadcast_arrays(arguments.integers("left", left), arguments.integers("right", right))
    if not np.all((left >= 0) & (left < right) & (right <= counts.size)):
        arguments.refuse("(left, right)", (left, right), f"intervals with 0 <= left < right <= {counts.size}")
    return deviations(ranks.rank(counts), np.concatenate([[0.0], np.cumsum(counts)]), left, right)


def deviations(ranked, prefix, left, right):
    """`interval_deviations` from the ranks and the prefix sums: twice what the numbers below the mean lack."""
    mean = (prefix[right] - prefix[left]) / (right - left)
    count, total = ranks.below(ranked, left, right, np.searchsorted(ranked.sorted_values, mean, side="right"))
    return np.maximum(2 * (count * mean - total), 0)


def best_blocks(values, penalty):
    """The edges with the smallest sum of squared errors + penalty * blocks; among equals the fewest blocks.

    `values` are n numbers (released ones, or the guarantee is lost: this is not private by itself), `penalty` is in
    their units squared. Costs are equal where they differ by less than a block's 1e-12 of the squares about the mean,
    which is rounding. Dynamic programming over the last edge: n**2 steps, so at most 16,384 bins.
    Raises ValueError for values that are not numbers, more bins than that, or a penalty below 0.
    Source: 004 section 4.3.3 (NoisyFirst), whose summary has no penalty.  Notebook: 09_partitions.
    """
    values = arguments.vector("values", values)
    arguments.nonnegative("penalty", penalty)
    bins = arguments.whole("number of values", values.size, 1, MOST_BINS)
    centred = values - values.mean()
    sums, squares = (np.concatenate([[0.0], np.cumsum(centred**power)]) for power in (1, 2))
    penalty += 1e-12 * (squares[-1] + penalty)  # rounding must not make a block; among equals the fewest
    best, last = np.zeros(bins + 1), np.zeros(bins + 1, dtype=int)  # best: least cost, less squares
    share = 1 / np.arange(bins, 0, -1.0)
    for end in range(1, bins + 1):
        gain = sums[end] - sums[:end]
        gain *= gain
        gain *= share[bins - end :]
        np.subtract(best[:end], gain, out=gain)
        last[end] = start = gain.argmin()
        best[end] = gain[start] + penalty
    return walk_back(last, bins)


def walk_back(last, bins):
    """The edges from the table of where the block that ends at each place begins."""
    edges = [bins]
    while edges[-1]:
        edges.append(int(last[edges[-1]]))
    return np.array(edges[::-1])


def noisy_first(counts, penalty, epsilon, rng):
    """Release a histogram of blocks with epsilon-DP (add/remove one record): flat noise, then merge. As `Blocks`.

    Each bin gets Laplace noise of scale 1/epsilon; the rest is post-processing. `penalty` is in V_u a block. With 0
    nothing is merged: a block of one bin has no squared error. With 2, SSE + penalty is an unbiased estimate of the
    error of any one fixed partition. Of thousands of partitions the smallest estimate is too good to be true;
    2 + 2 ln(bins) is our guard.
    Raises ValueError for counts that are not whole, a penalty below 0, bad epsilon or rng, or above 16,384 bins.
    Source: 004 section 4.3.3 (Xu et al. 2012).  Notebook: 09_partitions.
    """
    counts = whole_counts("counts", counts)
    arguments.whole("number of bins", counts.size, 1, MOST_BINS)
    arguments.nonnegative("penalty", penalty)
    noisy = laplace_mechanism(counts, 1, epsilon, rng)
    apart = np.arange(counts.size + 1)
    edges = best_blocks(noisy, penalty * 2 / epsilon**2) if penalty else apart
    return Blocks(edges, totals(noisy, edges))


def merge_small(noisy, threshold):
    """Merge each run of neighbouring noisy counts below `threshold` into one block: post-processing, `Blocks`.

    Raises ValueError for values or a threshold that are not finite numbers.
    Source: a conjecture of 004 section 4.3.3.  Notebook: 09_partitions.
    """
    noisy = arguments.vector("noisy", noisy)
    small = noisy < arguments.number("threshold", threshold)
    starts = np.flatnonzero(~(small & np.concatenate([[False], small[:-1]])))
    edges = np.append(starts, noisy.size)
    return Blocks(edges, totals(noisy, edges))


def pool_small(noisy, threshold):
    """Give all noisy counts below `threshold`, wherever they stand, their common mean: post-processing, n floats.

    BIASED: a count that is kept apart because its noise is small has small noise. Empty bins with noise of scale b that
    fall below 2 b have mean -0.2177 b; their sum is wrong by that times their number.
    Raises ValueError for values or a threshold that are not finite numbers.
    Source: a remark of 004 section 4.3.3 ("avoids non-uniformity errors"), wrong.  Notebook: 09_partitions.
    """
    noisy = arguments.vector("noisy", noisy)
    small = noisy < arguments.number("threshold", threshold)
    return np.where(small, noisy[small].mean() if small.any() else 0.0, noisy)
