"""Structure first: the edges are chosen privately, one after the other; then each block's total gets noise.

StructureFirst draws edges from the right against the best that is left over; P-HPartition cuts blocks level by level.
The exact distribution of StructureFirst's edges stands beside it, for few bins. Neighbours add or remove one record
(replace: twice).
Source: 004 sections 4.3.3 and 4.3.4.  Notebook: 09_partitions.
"""

import numpy as np

from dpbook import arguments
from dpbook.exponential import exponential_mechanism, selection_probabilities
from dpbook.laplace import laplace_mechanism
from dpbook.partitions import ranks
from dpbook.partitions.blocks import Blocks, deviations, totals, whole_counts

MOST_IN_TABLE = 2048  # bins of a table of costs: 32 MB
MOST_IN_LAW = 16


def median_costs(counts):
    """sum |x - median| of every interval: a table of bins x (bins + 1), [left, right], 0 where right <= left.

    One more record moves each entry by at most 1. The sum of squared errors would move by up to 2 F + 1 for counts of
    at most F. Not private. Raises ValueError above 2,048 bins: the table would need too much memory.
    Source: Xu et al. 2013; 004 section 4.3.3 has "expected error".  Notebook: 09_partitions.
    """
    counts = whole_counts("counts", counts)
    arguments.whole("number of bins", counts.size, 1, MOST_IN_TABLE)
    left, right = np.triu_indices(counts.size)
    right = right + 1
    prefix = np.concatenate([[0.0], np.cumsum(counts)])
    lower_half, middle = ranks.smallest(ranks.rank(counts), left, right, (right - left) // 2)
    odd = (right - left) % 2 == 1
    costs = np.zeros((counts.size, counts.size + 1))
    costs[left, right] = prefix[right] - prefix[left] - 2 * lower_half - np.where(odd, middle, 0)
    return costs


def least_costs(costs, blocks):
    """D[k, r], k = 1 ... blocks: the lowest cost of k blocks over the first r bins; inf where there are too few."""
    bins = len(costs)
    least = np.full((blocks + 1, bins + 1), np.inf)
    least[1] = costs[0]
    least[1, 0] = np.inf
    open_ended = np.where(np.arange(bins)[:, None] < np.arange(bins + 1), costs, np.inf)  # a block has a bin at least
    for k in range(2, blocks + 1):
        least[k] = np.min(least[k - 1, k - 1 : bins, None] + open_ended[k - 1 :], axis=0)
    return least


def structure_first(counts, blocks, share, epsilon, rng):
    """Release a histogram of `blocks` blocks with epsilon-DP (add/remove one record), edges first. As `Blocks`.

    The edges spend share * epsilon in blocks - 1 choices, the last edge first. The quality of an edge is minus (lowest
    cost of what lies left of it + cost of the block to its right). The cost is sum |x - median|, the sensitivity 1. The
    totals get Laplace noise of scale 1/((1 - share) epsilon). `blocks` is public; the source's guess is a tenth of the
    bins.
    Raises ValueError for counts that are not whole, blocks outside 1..bins, a `share` outside (0, 1), bad epsilon or
    rng, or above 2,048 bins.
    Source: 004 section 4.3.3 (Xu et al. 2012), which says k choices.  Notebook: 09_partitions.
    """
    counts = whole_counts("counts", counts)
    blocks = arguments.whole("blocks", blocks, 1, counts.size)
    share, epsilon = arguments.probability("share", share), arguments.positive("epsilon", epsilon)
    arguments.generator("rng", rng)
    edges = [counts.size]
    if blocks > 1:
        costs = median_costs(counts)
        least = least_costs(costs, blocks - 1)
        for k in range(blocks - 1, 0, -1):
            quality = _edge_quality(costs, least, k, edges[-1])
            edges.append(k + exponential_mechanism(quality, 1, share * epsilon / (blocks - 1), rng))  # spends a part
    edges = np.array([*edges, 0][::-1])
    return Blocks(edges, laplace_mechanism(totals(counts, edges), 1, (1 - share) * epsilon, rng))


def _edge_quality(costs, least, k, right):
    """The quality of each place from k to right - 1 as the end of the first k blocks, when the next ends at `right`."""
    return -(least[k, k:right] + costs[k:right, right])


def structure_law(counts, blocks, epsilon):
    """The exact distribution of the edges of `structure_first`: a dict from edges to probability; for at most 16 bins.

    `epsilon` is what the edges spend together. Raises ValueError for bad counts, blocks outside 1..bins, bad epsilon,
    or more bins.  Source: 004 section 4.3.3.  Notebook: 09_partitions.
    """
    counts = whole_counts("counts", counts)
    arguments.whole("number of bins", counts.size, 1, MOST_IN_LAW)
    blocks, epsilon = arguments.whole("blocks", blocks, 1, counts.size), arguments.positive("epsilon", epsilon)
    costs = median_costs(counts)
    least, law = least_costs(costs, blocks), {(counts.size,): 1.0}
    for k in range(blocks - 1, 0, -1):
        longer = {}
        for edges, chance in law.items():
            chances = selection_probabilities(_edge_quality(costs, least, k, edges[0]), 1, epsilon / (blocks - 1))
            longer |= {(k + place, *edges): chance * float(part) for place, part in enumerate(chances)}
        law = longer
    return {(0, *edges): chance for edges, chance in law.items()}


class _Costs:
    """sum |x - mean| + price of blocks of one histogram."""

    def __init__(self, counts, price):
        self.ranked, self.price, self.known = ranks.rank(counts), price, {}
        self.prefix = np.concatenate([[0.0], np.cumsum(counts)])

    def __call__(self, left, right):
        return deviations(self.ranked, self.prefix, left, right) + self.price

    def cuts(self, blocks):
        """For each block the quality of leaving it alone, and of cutting it at each place: as many numbers as bins."""
        if unknown := [block for block in blocks if ("block", *block) not in self.known]:
            left, right = np.array(unknown).T
            sizes = right - left
            left, right, first = (np.repeat(each, sizes) for each in (left, right, np.cumsum(sizes) - sizes))
            cut = left + np.arange(left.size) - first  # a cut at the left end is none
            ends = np.where(cut > left, cut, right)
            before, after = np.split(self(np.append(left, cut), np.append(ends, right)), 2)
            offers = np.split(-np.where(cut > left, before + after, before), np.cumsum(sizes)[:-1])
            self.known.update({("block", *block): offer for block, offer in zip(unknown, offers, strict=True)})
        return [self.known["block", *block] for block in blocks]

    def whole(self, edges):
        """The quality of a partition."""
        if edges not in self.known:
            self.known[edges] = -float(np.sum(self(np.array(edges[:-1]), np.array(edges[1:]))))
        return self.known[edges]


def p_hpartition(counts, share, depth, epsilon, rng):
    """Release a histogram of blocks with epsilon-DP (add/remove one record): cut level by level. As `Blocks`.

    On each of `depth` levels, left to right, each block that was cut out on the level before stays for good or is cut
    once. The choice spends share * epsilon / (2 depth). Its quality is minus sum |x - mean| minus
    1/((1 - share) epsilon) a block, with sensitivity 2. Blocks of a level share no record, so a level is paid for once.
    Of all partitions seen on the way one is chosen with share * epsilon / 2, and its totals get the rest.
    Raises ValueError for counts that are not whole, a `share` not strictly between 0 and 1, a depth below 1, bad
    epsilon or rng.  Source: 004 section 4.3.4 (Acs et al. 2012).  Notebook: 09_partitions.
    """
    counts, depth = whole_counts("counts", counts), arguments.whole("depth", depth, 1)
    share, epsilon = arguments.probability("share", share), arguments.positive("epsilon", epsilon)
    arguments.generator("rng", rng)
    costs, each = _Costs(counts, 1 / ((1 - share) * epsilon)), share * epsilon / (2 * depth)
    seen, fresh = [(0, counts.size)], [(0, counts.size)] if counts.size > 1 else []
    qualities = [costs.whole(seen[0])]
    for _ in range(depth):
        cut_out = []
        for (left, right), offers in zip(fresh, costs.cuts(fresh), strict=True):
            chosen = exponential_mechanism(offers, 2, each, rng)  # spends, once a level
            if chosen:
                seen.append(tuple(sorted((*seen[-1], left + chosen))))
                qualities.append(qualities[-1] + offers[chosen] - offers[0])
                cut_out += [(left, left + chosen), (left + chosen, right)]
        fresh = [block for block in cut_out if block[1] - block[0] > 1]
    edges = np.array(seen[exponential_mechanism(qualities, 2, share * epsilon / 2, rng)])
    return Blocks(edges, laplace_mechanism(totals(counts, edges), 1, (1 - share) * epsilon, rng))
