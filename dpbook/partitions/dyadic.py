"""DAWA: choose blocks whose bins look alike, then count them. A sound choice, the shipped one (BROKEN), and our repair.

A block of L bins costs sum |x - mean| + bucket_cost; one record moves that by at most 2 (1 - 1/L). `bucket_cost` is
1/epsilon2, what counting the block with the rest of the budget will cost; `epsilon` is always that of the choice alone.
We could read the code that ships with DAWA, not the article: "as shipped" says so. Neighbours add or remove one record.
Source: 004 section 4.3.3.  Notebook: 09_partitions.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.histograms import hierarchical_histogram
from dpbook.laplace import laplace_mechanism, noise_scale
from dpbook.partitions import ranks
from dpbook.partitions.blocks import Blocks, deviations, totals, walk_back, whole_counts

MOST_IN_SEARCH = 65_536  # bins of the search over blocks of 1, 2, 4, ... bins: some seconds
MOST_IN_LAW = 16
SHORT = 32  # up to this length a block's deviations are summed one by one


def block_sensitivity(length):
    """How far one record moves sum |x - mean| of a block of `length` bins: 2 (1 - 1/length), reached in empty bins.

    Raises ValueError unless every length is a whole number of at least 1. Source: Li et al. 2014; 004 section 4.3.3.
    """
    length = arguments.integers("length", length)
    if np.any(length < 1):
        arguments.refuse("length", length, "whole numbers of at least 1")
    return 2 * (1 - 1 / length)


class Windows(NamedTuple):
    """All blocks of 2**j neighbouring bins with any start, by length: for each length one vector, a number a start."""

    lengths: list
    deviations: list


def _checked(counts, bucket_cost, epsilon):
    counts = whole_counts("counts", counts)
    return counts, arguments.positive("bucket_cost", bucket_cost), arguments.positive("epsilon", epsilon)


def windows(counts):
    """sum |x - mean| of all blocks of 1, 2, 4, ... bins: `Windows`, not private. Takes n log(n)**2 steps.

    Raises ValueError for counts that are not whole, or above 65,536 bins.  Source: 004 section 4.3.3.
    """
    counts = whole_counts("counts", counts)
    arguments.whole("number of bins", counts.size, 1, MOST_IN_SEARCH)
    lengths = [2**power for power in range(counts.size.bit_length())]
    found = [_slid(counts, length) for length in lengths if length <= SHORT]
    if lengths[-1] > SHORT:
        ranked, prefix = ranks.rank(counts), np.concatenate([[0.0], np.cumsum(counts)])
        for length in lengths[len(found) :]:
            left = np.arange(counts.size - length + 1)
            found.append(deviations(ranked, prefix, left, left + length))
    return Windows(lengths, found)


def _slid(counts, length):
    """sum |x - mean| of all windows of a short length, from the definition."""
    view = np.lib.stride_tricks.sliding_window_view(counts, length)
    return np.abs(view - view.mean(axis=1, keepdims=True)).sum(axis=1)


def cheapest(costs, bins):
    """The edges of the cheapest partition into blocks of 1, 2, 4, ... bins, whose costs are given by length and start.

    Dynamic programming over the last block, bins * log(bins) steps.
    """
    least, last = [0.0], [0]
    costs = [vector.tolist() for vector in costs]
    for end in range(1, bins + 1):
        fitting = range(end.bit_length())
        offers = [least[end - 2**power] + costs[power][end - 2**power] for power in fitting]
        best = min(fitting, key=offers.__getitem__)
        least.append(offers[best])
        last.append(end - 2**best)
    return walk_back(last, bins)


def noisy_partition(counts, bucket_cost, epsilon, rng):
    """Release edges with epsilon-DP (add/remove one record): noise on the cost of EVERY block, then the cheapest.

    Blocks have 1, 2, 4, ... bins and any start. The cost of one of L bins gets Laplace noise of scale
    (2 (1 - 1/L) + 2 (1 - 1/Lmax))/epsilon. Single bins get it too, and no cost is cut off. The proof fixes all noise
    but that of the chosen block with the record. The other partitions move by at most 2 (1 - 1/Lmax) against it.
    Returns ascending whole numbers from 0 to the number of bins.
    Raises ValueError for counts that are not whole, a bucket_cost or epsilon not above 0, above 65,536 bins, bad rng.
    Source: 004 section 4.3.3, "a certain noise"; the proof is ours.  Notebook: 09_partitions.
    """
    counts, bucket_cost, epsilon = _checked(counts, bucket_cost, epsilon)
    arguments.generator("rng", rng)
    if counts.size == 1:
        return np.array([0, 1])
    lengths, costs = windows(counts)
    most = block_sensitivity(lengths[-1])
    noisy = [
        laplace_mechanism(vector + bucket_cost, block_sensitivity(length) + most, epsilon, rng)
        for length, vector in zip(lengths, costs, strict=True)
    ]
    return cheapest(noisy, counts.size)


def shipped_partition(counts, bucket_cost, epsilon, rng):
    """NOT private as claimed: edges as the published code of DAWA chooses them: privacy loss about bins * epsilon.

    Half the noise of `noisy_partition` on each block, none on single bins, and no cost below `bucket_cost`. All bins
    stay alone only if every block of two or more costs too much. Their losses add up, one for each block that holds the
    record (see `shipped_loss`: 2.6 epsilon for 4 bins, 13.7 epsilon for 16). The cut-off at `bucket_cost` makes it
    accurate, and breaks the guarantee even with all the noise of `noisy_partition`.
    Arguments, returns and errors as `noisy_partition`.
    Source: the code that ships with Li et al. 2014, read and run.  Notebook: 09_partitions.
    """
    counts, bucket_cost, epsilon = _checked(counts, bucket_cost, epsilon)
    arguments.generator("rng", rng)
    lengths, costs = windows(counts)
    noisy = [costs[0] + bucket_cost]
    for length, vector in zip(lengths[1:], costs[1:], strict=True):
        scale = (block_sensitivity(length) + block_sensitivity(lengths[-1])) / 2
        noisy.append(np.maximum(laplace_mechanism(vector + bucket_cost, scale, epsilon, rng), bucket_cost))
    return cheapest(noisy, counts.size)


def alone_log_probability(counts, bucket_cost, epsilon, *, noise=0.5):
    """ln Pr["every bin stays alone"] of `shipped_partition`, exactly; `noise` 1 gives it the noise of the sound one.

    That is so if every block of L >= 2 bins costs more than L single bins. Each block's cost has noise of its own: a
    product of Laplace tails. Raises ValueError as `shipped_partition` does, or for a noise not above 0.
    Source: our own.  Notebook: 09_partitions.
    """
    counts, bucket_cost, epsilon = _checked(counts, bucket_cost, epsilon)
    noise, (lengths, costs) = arguments.positive("noise", noise), windows(counts)
    log = 0.0
    for length, vector in zip(lengths[1:], costs[1:], strict=True):
        scale = noise_scale(noise * (block_sensitivity(length) + block_sensitivity(lengths[-1])), epsilon)
        needed = ((length - 1) * bucket_cost - vector) / scale  # of the noise; the log of the tail never underflows
        log += np.sum(np.where(needed > 0, -needed - math.log(2), np.log1p(-np.exp(-np.abs(needed)) / 2)))
    return float(log)


def shipped_loss(bins, bucket_cost, epsilon, *, noise=0.5):
    """The exact loss of `shipped_partition` at "every bin stays alone", from no records to one in the middle bin.

    A lower bound on its privacy loss; it claims `epsilon`. Raises ValueError for bins below 1, and as
    `alone_log_probability`.  Source: our own.  Notebook: 09_partitions.
    """
    empty = np.zeros(arguments.whole("bins", bins, 1))
    one = empty + (np.arange(bins) == bins // 2)
    return abs(
        alone_log_probability(one, bucket_cost, epsilon, noise=noise)
        - alone_log_probability(empty, bucket_cost, epsilon, noise=noise)
    )


def _halves(counts, bucket_cost, epsilon):
    """Levels of aligned blocks, single bins first: exponents ln(1 of the weight of leaving a block alone), as vectors.

    The last block of a level may be ragged: bins that do not exist do not count.
    """
    bins = counts.size
    slope = epsilon / (2 * block_sensitivity(bins)) if bins > 1 else 1.0
    levels, prefix = [np.full(bins, -slope * bucket_cost)], np.concatenate([[0.0], np.cumsum(counts)])
    for power in range(1, (bins - 1).bit_length() + 1):
        left = np.arange(0, bins, 2**power)
        right = np.minimum(left + 2**power, bins)
        mean = (prefix[right] - prefix[left]) / (right - left)
        deviation = np.add.reduceat(np.abs(counts - np.repeat(mean, right - left)), left)
        levels.append(-slope * (deviation + bucket_cost))
    return levels


def _log_weights(levels):
    """For each level ln of the weight of all that a block may become, and of being cut (-inf: it cannot be)."""
    whole, cut = [levels[0]], [np.full(levels[0].size, -np.inf)]
    for stay in levels[1:]:
        below, halves = whole[-1], math.log(0.5) + whole[-1][0::2]
        pairs = below.size // 2
        split, kept = np.full(stay.size, -np.inf), math.log(0.5) + stay
        split[:pairs] = halves[:pairs] + below[1::2]
        if below.size % 2:  # the last block has no right half: it is its left half, and nothing is chosen
            split[-1], kept[-1] = below[-1], -np.inf
        cut.append(split)
        whole.append(np.logaddexp(kept, split))
    return whole, cut


def sampled_partition(counts, bucket_cost, epsilon, rng):
    """Release edges with epsilon-DP (add/remove one record): one draw among all partitions into aligned blocks.

    This is the exponential mechanism over whole partitions: a block of 2**j bins that starts at a multiple of 2**j
    stays or is halved. A partition's weight is (1/2 a choice) exp(-epsilon (sum of the costs) / (2 Delta)),
    Delta = 2 (1 - 1/bins). Weights of all partitions are summed up the tree, then one is drawn down it: exact, n log n
    steps, nothing is divided. Where the bins are no power of two, what lies beyond the last does not exist.
    Arguments, returns and errors as `noisy_partition`, for any number of bins.
    Source: ours, to replace stage 1 of DAWA, 004 section 4.3.3.  Notebook: 09_partitions.
    """
    counts, bucket_cost, epsilon = _checked(counts, bucket_cost, epsilon)
    arguments.generator("rng", rng)
    whole, cut = _log_weights(_halves(counts, bucket_cost, epsilon))
    nodes, edges = np.zeros(1, dtype=np.intp), []  # the blocks that are reached, and where those that stay begin
    for power in range(len(whole) - 1, 0, -1):
        halved = rng.random(nodes.size) < np.exp(cut[power] - whole[power])[nodes]
        edges.append(nodes[~halved] << power)
        nodes = (2 * nodes[halved][:, None] + [0, 1]).ravel()
        nodes = nodes[nodes < whole[power - 1].size]
        if not nodes.size:
            break
    return np.append(np.sort(np.concatenate([*edges, nodes])), counts.size)


def split_chances(counts, bucket_cost, epsilon):
    """For each level of aligned blocks, single bins first, the chance that `sampled_partition` halves one it reaches.

    Not private: for pictures and tests. Raises ValueError as `sampled_partition` does.  Notebook: 09_partitions.
    """
    whole, cut = _log_weights(_halves(*_checked(counts, bucket_cost, epsilon)))
    return [np.exp(split - total) for split, total in zip(cut, whole, strict=True)]


def partition_law(counts, bucket_cost, epsilon):
    """The exact distribution of `sampled_partition`: a dict from edges to their probability; for at most 16 bins.

    Every partition is written out and weighed by itself. Raises ValueError as there, or for more bins.
    Source: ours.  Notebook: 09_partitions.
    """
    counts, bucket_cost, epsilon = _checked(counts, bucket_cost, epsilon)
    bins = arguments.whole("number of bins", counts.size, 1, MOST_IN_LAW)
    slope = epsilon / (2 * block_sensitivity(bins)) if bins > 1 else 1.0

    def ways(left, length):
        """Each way to part the block, as (its right edges, ln of its weight)."""
        right = min(left + length, bins)
        if length > 1 and left + length // 2 >= bins:
            return ways(left, length // 2)
        values = counts[left:right]
        kept = -slope * (np.abs(values - values.mean()).sum() + bucket_cost)
        if length == 1:
            return [((right,), kept)]
        halves = [ways(left, length // 2), ways(left + length // 2, length // 2)]
        pairs = [(a + b, math.log(0.5) + u + v) for a, u in halves[0] for b, v in halves[1]]
        return [((right,), math.log(0.5) + kept), *pairs]

    found = ways(0, 2 ** (bins - 1).bit_length())
    logs = np.array([log for _, log in found])
    chances = np.exp(logs - np.logaddexp.reduce(logs))
    return {(0, *edges): float(chance) for (edges, _), chance in zip(found, chances, strict=True)}


def dawa(counts, share, branching, epsilon, rng, *, choose=sampled_partition):
    """Release a histogram of blocks with epsilon-DP (add/remove one record), if `choose` keeps its own. As `Blocks`.

    `choose` is `sampled_partition` or `noisy_partition`; `shipped_partition` breaks its guarantee. The choice spends
    share * epsilon on edges, with bucket_cost 1/((1 - share) epsilon). The rest is spent on the blocks' totals, as a
    tree with this branching and constrained inference. The published second stage, GreedyH, weighs the tree by a
    workload.
    Raises ValueError for counts that are not whole, a `share` not strictly between 0 and 1, or a bad branching, epsilon
    or rng.
    Source: 004 section 4.3.3 (Li et al. 2014), which has no word about this stage.  Notebook: 09_partitions.
    """
    counts = whole_counts("counts", counts)
    share, epsilon = arguments.probability("share", share), arguments.positive("epsilon", epsilon)
    rest = (1 - share) * epsilon
    edges = choose(counts, 1 / rest, share * epsilon, rng)  # spends share * epsilon
    return Blocks(edges, hierarchical_histogram(totals(counts, edges), branching, rest, rng))
