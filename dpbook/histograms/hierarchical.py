"""Histograms that answer range queries: flat, trees of counts (H_b) with constrained inference, Haar wavelets.

A tree over `bins` leaves comes as a list of levels, leaves first. Level i holds the sums of branching**i neighbouring
bins; the root (the total) is not published. Where the leaves do not fill the tree, the missing ones are known to be
empty. They get no noise, carry no weight and are never returned, so a last node may have fewer children.
A range is (left, right): the bins left, left + 1, ..., right - 1, as in a slice.
Source: 004 sections 4.1 and 4.2.  Notebook: 08_histograms.
"""

import itertools
import math

import numpy as np

from dpbook import arguments
from dpbook.laplace import laplace_mechanism


def flat_histogram(counts, epsilon, rng):
    """Release a histogram with epsilon-DP (add/remove one record; 2 epsilon under replace) by Laplace noise.

    Its scale is 1 / epsilon, in records: one record moves one bin by 1. `counts` holds the number of records in each
    bin; returns as many noisy counts.
    Raises ValueError for empty, negative or non-finite counts or a bad epsilon.
    Source: 004 section 4.2.1.  Notebook: 08_histograms.
    """
    return laplace_mechanism(arguments.counts("counts", counts), 1, epsilon, rng)


def level_sizes(bins, branching):
    """How many nodes each published level has, leaves first; as many levels as the tree is high.

    The height is the smallest h >= 1 with branching**h >= bins, counted in whole numbers (a float logarithm errs).
    Raises ValueError unless bins >= 1 and branching >= 2 are whole numbers.  Source: 004 section 4.2.2.
    """
    sizes, branching = [arguments.whole("bins", bins, 1)], arguments.whole("branching", branching, 2)
    while sizes[-1] > branching:
        sizes.append(-(-sizes[-1] // branching))
    return sizes


def geometric_shares(height, branching):
    """Shares of the budget, leaves first, each level's cbrt(branching) times its parent level's; they sum to 1.

    Raises ValueError for a height below 1 or a branching below 2.  Source: 004 section 4.2.4.
    """
    levels = np.arange(arguments.whole("height", height, 1))
    shares = arguments.whole("branching", branching, 2) ** (-levels / 3)
    return shares / shares.sum()


def level_shares(shares, height):
    """One share of the budget for each level, leaves first: the ones given, or equal ones where none are given.

    Raises ValueError for shares that are not `height` numbers above 0 with sum 1.  Source: 004 section 4.2.4.
    """
    if shares is None:
        return np.full(height, 1 / height)
    expected = f"{height} numbers above 0 that sum to 1, one for each level, leaves first"
    values = arguments.vector("shares", shares, expected)
    if values.size != height or values.min() <= 0 or abs(values.sum() - 1) > 1e-9:
        arguments.refuse("shares", shares, expected)
    return values


def siblings(level, branching):
    """A level's values with siblings in one row; the last row is filled up with zeros, the missing nodes' values.

    Arguments are trusted: a one-dimensional array, and a whole number of at least 2. Source: 004 section 4.2.2.
    """
    missing = -level.size % branching
    filled = np.concatenate([level, np.zeros(missing)]) if missing else level
    return filled.reshape(-1, branching)


def _sums(level, branching):
    """The sum of each family of siblings."""
    return np.einsum("ij->i", siblings(level, branching))


def tree_counts(counts, branching):
    """The tree's true counts, not private: level i sums branching**i neighbouring bins; leaves first, no root.

    Raises ValueError for bad counts or branching.  Source: 004 section 4.2.2.
    """
    levels = [arguments.counts("counts", counts)]
    for _ in level_sizes(levels[0].size, branching)[1:]:
        levels.append(_sums(levels[-1], branching))
    return levels


def hierarchical_counts(counts, branching, epsilon, rng, *, shares=None):
    """Release every node of a tree of counts with epsilon-DP (add/remove one record; 2 epsilon under replace).

    Returns the noisy levels, leaves first, no root, in records. One record is counted once in each of the h published
    levels, so level i spends shares[i] * epsilon. Without `shares` each level spends epsilon / h and every node gets
    Laplace noise of scale h / epsilon.
    Raises ValueError for bad counts, branching or epsilon, or shares that are not h numbers above 0 with sum 1.
    Source: 004 sections 4.2.2 and 4.2.4.  Notebook: 08_histograms.
    """
    levels = tree_counts(counts, branching)
    shares = level_shares(shares, len(levels))
    epsilon = arguments.positive("epsilon", epsilon)
    return [laplace_mechanism(level, 1, share * epsilon, rng) for level, share in zip(levels, shares, strict=True)]


def _checked_levels(levels, branching):
    """The levels as float arrays whose sizes are those of one tree."""
    expected = f"a list of the levels of one tree with branching {branching}, leaves first, no root"
    if not isinstance(levels, (list, tuple)) or not levels:
        arguments.refuse("levels", levels, expected)
    arrays = [arguments.vector("levels", level, expected) for level in levels]
    sizes = [array.size for array in arrays]
    if sizes != level_sizes(sizes[0], branching):
        arguments.refuse("levels", f"levels of sizes {sizes}", expected)
    return arrays


def constrained_inference(levels, branching, shares=None):
    """Least-squares counts from noisy ones: every parent becomes the sum of its children. Post-processing: no budget.

    `levels` and `shares` are those of `hierarchical_counts`. The estimates are weighted by variance, so equal and
    unequal shares, full and ragged trees all give (weighted) least squares exactly. Returns levels of the same sizes.
    Two passes: up, each node averages its own count with its children's sum; down, each family shares out its gap.
    Raises ValueError for levels that are not one tree's, or bad shares.
    Source: 004 section 4.2.3 (there for equal noise and full trees).  Notebook: 08_histograms.
    """
    best = _checked_levels(levels, branching)
    noise = 1 / level_shares(shares, len(best)) ** 2
    variance, sums = [np.full(best[0].size, noise[0])], []
    for i in range(1, len(best)):  # up: own count and children's sum, each trusted by its variance
        sums.append((_sums(best[i - 1], branching), _sums(variance[i - 1], branching)))
        total, doubt = sums[-1]
        trust = doubt / (doubt + noise[i])
        best[i] = trust * best[i] + (1 - trust) * total
        variance.append(trust * noise[i])
    for i in reversed(range(len(best) - 1)):  # down: a family's gap, shared out by variance
        total, doubt = sums[i]
        gap_per_doubt = (best[i + 1] - total) / doubt
        correction = siblings(variance[i], branching) * gap_per_doubt[:, None]
        best[i] = best[i] + correction.ravel()[: best[i].size]
    return best


def hierarchical_histogram(counts, branching, epsilon, rng, *, shares=None):
    """Release a histogram with epsilon-DP (add/remove one record; 2 epsilon under replace): a noisy tree's leaves.

    They come after `constrained_inference`: one float a bin. Arguments, errors and noise as in `hierarchical_counts`.
    Any range is then a difference of two prefix sums.
    Source: 004 sections 4.2.2 and 4.2.3.  Notebook: 08_histograms.
    """
    return constrained_inference(
        hierarchical_counts(counts, branching, epsilon, rng, shares=shares), branching, shares
    )[0]


def haar_histogram(counts, epsilon, rng):
    """Release a histogram with epsilon-DP (add/remove one record; 2 epsilon under replace) by noisy Haar coefficients.

    The coefficients are the total and, for each node of the binary tree, left sum minus right sum. One record moves
    each of the 1 + log2(n) on its path by 1 (n: bins, filled up to a power of two). Each gets Laplace noise of scale
    (1 + log2(n)) / epsilon. Returns as many noisy counts, in records, as `counts` has. Known as Privelet.
    Raises ValueError for bad counts or epsilon.  Source: 004 section 4.2.5.  Notebook: 08_histograms.
    """
    counts = arguments.counts("counts", counts)
    height = (counts.size - 1).bit_length()
    sums, differences = np.concatenate([counts, np.zeros(2**height - counts.size)]), []
    while sums.size > 1:
        left, right = sums[0::2], sums[1::2]
        sums, differences = left + right, [left - right, *differences]
    sums = laplace_mechanism(sums, 1 + height, epsilon, rng)
    for difference in differences:
        noisy = laplace_mechanism(difference, 1 + height, epsilon, rng)
        sums = np.stack([sums + noisy, sums - noisy], axis=1).ravel() / 2
    return sums[: counts.size]


def _checked_ranges(left, right, bins):
    """The ends of ranges as whole-number arrays of one shape, 0 <= left < right <= bins."""
    left, right = arguments.integers("left", left), arguments.integers("right", right)
    if not np.all((left >= 0) & (left < right) & (right <= bins)):
        arguments.refuse("(left, right)", (left, right), f"ranges with 0 <= left < right <= {bins}")
    return np.broadcast_arrays(left, right)


def _runs(left, right, branching, sizes):
    """For each level the two runs of nodes, (start, stop) each, that answer the ranges; the second after the first."""
    for size, parents in zip(sizes, [*sizes[1:], 0], strict=True):
        up_left = -(-left // branching)
        up_right = np.where(right == size, parents, right // branching)
        last = up_left >= up_right
        yield (
            (left, np.where(last, right, up_left * branching)),
            (np.where(last, right, np.minimum(up_right * branching, right)), right),
        )
        left, right = np.where(last, 0, up_left), np.where(last, 0, up_right)


def range_nodes(left, right, branching, height, bins=None):
    """The fewest published nodes that make up the bins left ... right - 1, as (level, node) pairs, leaves' level 0.

    The tree has branching**height leaves, or `bins` where it is not full: its last nodes then end at the last bin.
    Raises ValueError unless 0 <= left < right <= bins, or where that many bins need another height.
    Source: 004 section 4.2.2 and Figure 4.1.  Notebook: 08_histograms.
    """
    height, branching = arguments.whole("height", height, 1), arguments.whole("branching", branching, 2)
    sizes = level_sizes(branching**height if bins is None else bins, branching)
    if len(sizes) != height:
        arguments.refuse("height", height, f"{len(sizes)}, the height for {sizes[0]} bins and branching {branching}")
    left, right = _checked_ranges(left, right, sizes[0])
    levels = enumerate(_runs(left, right, branching, sizes))
    return [(level, node) for level, runs in levels for run in runs for node in range(*map(int, run))]


def sum_nodes(levels, left, right, branching):
    """Answer range queries (arrays of ends) from the fewest nodes of a tree, as one must before inference.

    Raises ValueError for levels that are not one tree's, or unless 0 <= left < right <= bins.
    Source: 004 section 4.2.2.  Notebook: 08_histograms.
    """
    levels = _checked_levels(levels, branching)
    left, right = _checked_ranges(left, right, levels[0].size)
    answers = np.zeros(left.shape)
    for level, runs in zip(levels, _runs(left, right, branching, [level.size for level in levels]), strict=True):
        prefix = np.concatenate([[0.0], np.cumsum(level)])
        answers += sum(prefix[stop] - prefix[start] for start, stop in runs)
    return answers[()]


def sum_leaves(histogram, left, right):
    """Answer range queries (arrays of ends) from a histogram, by the difference of two prefix sums.

    Raises ValueError for a bad histogram or unless 0 <= left < right <= bins.  Source: 004 section 4.2.1.
    """
    histogram = arguments.vector("histogram", histogram)
    left, right = _checked_ranges(left, right, histogram.size)
    prefix = np.concatenate([[0.0], np.cumsum(histogram)])
    return prefix[right] - prefix[left]


def average_nodes(bins, branching):
    """For each level, leaves first, how many of its nodes answer a range on average over all ranges, exactly.

    A node is used by the ranges that hold it whole and not its parent: (start + 1)(bins - stop + 1) hold it.
    Raises ValueError for bad bins or branching.  Source: 004 Lemma 4.1 (which has only the leading terms).
    """
    held = []
    for level, size in enumerate(level_sizes(bins, branching)):
        start = np.arange(size) * branching**level
        held.append((start + 1.0) * (bins - np.minimum(start + branching**level, bins) + 1.0))
    inner = [np.repeat(parents, branching)[: level.size].sum() for level, parents in itertools.pairwise(held)]
    totals = np.array([level.sum() for level in held]) - [*inner, 0.0]  # less those that hold the parent too
    return totals / (bins * (bins + 1) / 2)


def average_error(bins, branching):
    """Exact mean squared error over all ranges, from a tree with equal shares of the budget and no inference.

    In units of 2/epsilon**2, the variance of one flat count. branching >= bins is the flat histogram, (bins + 2)/3.
    For full trees it is h**2 m/(m+1) [(b-1)h - 2(b+1)/3 + (2(b-1)h + 2(b+1)/3)/m + 2b/m**2], m bins, height h.
    Raises ValueError for bad bins or branching.  Source: 004 Lemma 4.1, whose remainder is too small by h**2.
    """
    nodes = average_nodes(bins, branching)
    return float(nodes.size**2 * nodes.sum())


def approximate_error(bins, branching):
    """The book's approximation of `average_error`, (b-1)h**3 - 2(b+1)h**2/3: wrong for small trees, even below 0.

    In units of 2/epsilon**2.  Raises ValueError for bad bins or branching.  Source: 004 equations (4.3) and (4.4).
    """
    height = len(level_sizes(bins, branching))
    return (branching - 1) * height**3 - 2 * (branching + 1) * height**2 / 3


def best_branching(bins, error=average_error):
    """The branching from 2 to `bins` with the smallest error(bins, branching); `bins` itself means a flat histogram.

    Tries 2 ... sqrt(bins) + 1 and flat: in between, a wider tree of two levels only gets worse.
    Raises ValueError unless bins >= 1 is a whole number.  Source: 004 section 4.2.2.
    """
    widest = math.isqrt(arguments.whole("bins", bins, 1)) + 1
    candidates = {*range(2, widest + 1), max(bins, 2)}
    return min(sorted(candidates), key=lambda branching: error(bins, branching))
