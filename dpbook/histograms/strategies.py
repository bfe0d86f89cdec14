"""Strategies for range queries: exact mean squared errors over all ranges, and the matrix mechanism behind them.

Errors are averages over all bins(bins+1)/2 ranges, in units of 2/epsilon**2 (the variance of one flat count) unless a
docstring says otherwise. They rest on one identity. A range is a difference of prefix sums S(0) = 0, S(1), ...,
S(bins). Over all pairs the mean of (S(r) - S(l))**2 is ((bins+1) sum S**2 - (sum S)**2) * 2 / (bins (bins+1)).
Source: 004 sections 4.2.3 to 4.2.5.  Notebook: 08_histograms.
"""

import numpy as np

from dpbook import arguments
from dpbook.histograms.hierarchical import level_shares, level_sizes, siblings
from dpbook.laplace import laplace_mechanism


def over_all_ranges(sum_of_squares, square_of_sum, bins):
    """The mean over all ranges of (S(r) - S(l))**2, from the sum of S(x)**2 and the square of the sum of S(x)."""
    return float(((bins + 1) * sum_of_squares - square_of_sum) * 2 / (bins * (bins + 1)))


def squared_error(estimate, counts):
    """The mean squared error over all ranges that this estimate of `counts` makes, in the counts' units squared.

    One release against the truth, in one pass over the bins; not private.
    Raises ValueError unless both are vectors of one length.  Source: 004 section 4.1.2.
    """
    counts, estimate = arguments.vector("counts", counts), arguments.vector("estimate", estimate)
    if estimate.size != counts.size:
        arguments.refuse("estimate", estimate.size, f"as long as counts, {counts.size}")
    prefix = np.cumsum(estimate - counts)
    return over_all_ranges(np.sum(prefix**2), prefix.sum() ** 2, counts.size)


def flat_error(bins):
    """Exact mean squared error of a range from a flat histogram, the mean length of a range: (bins + 2) / 3.

    Raises ValueError unless bins >= 1 is a whole number.  Source: 004 section 4.2.1.
    """
    return (arguments.whole("bins", bins, 1) + 2) / 3


def inferred_error(bins, branching, shares=None):
    """Exact mean squared error of a range from a tree after constrained inference, for any bins and shares.

    Goes up the tree once. In each family the estimates of the children, given their sum, are independent of all that
    lies above, so variances add up. They do so for the prefix sums (`weight`) and for the sum of all prefix sums
    (`slope`). `weight` is how much of a node lies before the end, summed over ends in the node. Let v be the variances
    of children, D their sum, and B the sum of those before a child. Then weight' = sum(ends B + v weight) / D, and
    slope' = sum(v slope) / D. The new v' joins D with the node's own noise: 1 / v' = 1 / D + 1 / noise.
    Raises ValueError for bad bins, branching or shares.  Source: our own; 004 section 4.2.3 says "a factor of 3".
    """
    sizes = level_sizes(bins, branching)
    noise = 1 / level_shares(shares, len(sizes)) ** 2
    variance, slope = np.full(bins, noise[0]), np.arange(bins, 0.0, -1.0)
    ends, weight, weight2 = np.ones(bins), np.ones(bins), np.ones(bins)
    squares = total_square = 0.0
    for level in range(1, len(sizes) + 1):
        carried = variance, slope, ends, weight, weight2
        variance, slope, ends, weight, weight2 = (siblings(one, branching) for one in carried)
        doubt, before = variance.sum(axis=1), np.cumsum(variance, axis=1) - variance
        squares += (ends * before + weight2 * variance).sum()
        total_square += (slope**2 * variance).sum()
        slope = (slope * variance).sum(axis=1) / doubt
        weight2 = (ends * before**2 + 2 * before * variance * weight + variance**2 * weight2).sum(axis=1) / doubt**2
        weight = (ends * before + weight * variance).sum(axis=1) / doubt
        ends = ends.sum(axis=1)
        if level < len(sizes):
            squares -= (doubt * weight2).sum()
            total_square -= (slope**2 * doubt).sum()
            variance = doubt * noise[level] / (doubt + noise[level])
    return over_all_ranges(squares, total_square, bins)


def haar_error(bins):
    """Exact mean squared error of a range from `haar_histogram`.

    Raises ValueError unless bins >= 1 is a whole number.  Source: 004 section 4.2.5.
    """
    height = (arguments.whole("bins", bins, 1) - 1).bit_length()
    ends, weights = np.arange(1.0, bins + 1), np.arange(bins, 0.0, -1.0)
    weights = np.concatenate([weights, np.zeros(2**height - bins)])
    squares, total_square = (ends**2).sum() / 4**height, (weights.sum() / 2**height) ** 2
    for power in range(1, height + 1):
        inside = ends % 2**power
        squares += (np.minimum(inside, 2**power - inside) ** 2).sum() / 4**power
        halves = weights.reshape(-1, 2, 2 ** (power - 1)).sum(axis=2)
        total_square += ((halves[:, 0] - halves[:, 1]) ** 2).sum() / 4**power
    return over_all_ranges((1 + height) ** 2 * squares, (1 + height) ** 2 * total_square, bins)


def matrix_mechanism(counts, workload, strategy, epsilon, rng):
    """Answer `workload` @ counts with epsilon-DP (add/remove one record; 2 epsilon under replace) through `strategy`.

    Both are dense matrices with a column for each bin. The strategy's answers get Laplace noise of scale (largest L1
    norm of a column of `strategy`) / epsilon. Least squares turns them into the workload's. Returns one float for
    each row of `workload`, in its unit (records, where its entries are 0 and 1).
    Raises ValueError for bad counts, matrices or epsilon, or a strategy that does not determine the workload.
    Source: 004 section 4.2.5.  Notebook: 08_histograms.
    """
    counts = arguments.counts("counts", counts)
    strategy = arguments.array("strategy", strategy)
    solve = reconstruction_matrix(workload, strategy)
    if strategy.shape[1] != counts.size:
        arguments.refuse("strategy", strategy.shape, f"a matrix with {counts.size} columns, one for each bin")
    return solve @ laplace_mechanism(strategy @ counts, np.abs(strategy).sum(axis=0).max(), epsilon, rng)


def reconstruction_matrix(workload, strategy):
    """The matrix R of smallest norm with workload = R @ strategy: it turns the strategy's answers into the workload's.

    Raises ValueError unless both are matrices of one width and the strategy determines the workload.
    Source: 004 section 4.2.5.
    """
    workload, strategy = arguments.array("workload", workload), arguments.array("strategy", strategy)
    if workload.ndim != 2 or strategy.ndim != 2 or workload.shape[1] != strategy.shape[1]:
        arguments.refuse("strategy", (workload.shape, strategy.shape), "a matrix as wide as the workload's")
    matrix = workload @ np.linalg.pinv(strategy)
    if not np.allclose(matrix @ strategy, workload, atol=1e-8):
        arguments.refuse("strategy", strategy, "a strategy whose answers determine those of the workload")
    return matrix


def strategy_error(strategy, workload):
    """Exact mean squared error of a query of `workload` answered through `strategy` by the matrix mechanism.

    The square of the strategy's L1 sensitivity times the mean squared norm of the rows that rebuild the workload.
    Raises ValueError as `reconstruction_matrix` does.  Source: 004 section 4.2.5.
    """
    rebuild = reconstruction_matrix(workload, strategy)
    sensitivity = np.abs(np.asarray(strategy)).sum(axis=0).max()
    return float(sensitivity**2 * (rebuild**2).sum(axis=1).mean())


def all_ranges(bins):
    """The workload of all ranges: a matrix of bins (bins + 1) / 2 rows, a 1 for each bin that the range holds.

    Raises ValueError unless bins >= 1 is a whole number.  Source: 004 section 4.1.2.
    """
    left, right = np.triu_indices(arguments.whole("bins", bins, 1))
    bin_numbers = np.arange(bins)
    return ((left[:, None] <= bin_numbers) & (bin_numbers <= right[:, None])).astype(float)
