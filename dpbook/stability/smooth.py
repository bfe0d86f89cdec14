"""How far can a statistic move, here and within k replacements: local and smooth sensitivity. Nothing here is private.

Source: 004 section 8.1; Nissim, Raskhodnikova and Smith 2007.  Notebook: 15_stability.
"""

import math

import numpy as np

from dpbook import arguments
from dpbook.neighbours import small_datasets

LEAST = float(np.finfo(float).tiny)  # the floor of a smooth bound: a constant, so smooth as well


def lower_median(values):
    """The value of rank (n + 1) // 2 of a list of numbers; not private. Raises ValueError for an empty list or NaN.

    Source: 004 Example 8.1, where n is odd.  Notebook: 15_stability.
    """
    values = arguments.vector("values", values)
    place = (values.size - 1) // 2
    return float(np.partition(values, place)[place])


def median_sensitivity_at(values, bounds, distance):
    """The most that one replacement can move the median, over all datasets within `distance` replacements; not private.

    A(k) is the largest x_(m+t) - x_(m+t-k-1) for t from 0 to k + 1, with low and high beyond both ends of the ranks.
    A(0) is the local sensitivity. In the values' unit.
    Raises ValueError for values outside `bounds`, an empty list, or a distance that is not whole and at least 0.
    Source: 004 Example 8.1 for k = 0; Nissim, Raskhodnikova and Smith 2007, section 3.1.  Notebook: 15_stability.
    """
    ranked, low, high = ranked_within(values, bounds)
    distance = min(arguments.whole("distance", distance, 0), ranked.size)
    return steepest(around_median(ranked, low, high, distance + 1), distance)


def smooth_sensitivity(sensitivities, beta):
    """The largest e^(-beta k) sensitivities[k]: a beta-smooth bound under the relation of the distances; not private.

    `sensitivities[k]` is the largest local sensitivity within k changes; the list goes on to where it grows no more.
    Raises ValueError for a list that is empty or has numbers below 0, or a beta that is not a finite number above 0.
    Source: 004 Definition 8.3.  Notebook: 15_stability.
    """
    sensitivities = arguments.counts("sensitivities", sensitivities)
    return float(np.max(np.exp(-arguments.positive("beta", beta) * np.arange(sensitivities.size)) * sensitivities))


def median_smooth_sensitivity(values, bounds, beta):
    """The beta-smooth sensitivity of the median under replace, for values within public `bounds`; not private.

    The largest e^(-beta (j-i-1)) (x_j - x_i) over ranks i <= m <= j, with low and high beyond both ends. Never below
    2.2e-308: where it underflows, a constant stands in for it, which is smooth too. For n values it takes a sort, and
    K log K for the K ranks around the median that can matter. Beyond them e^(-beta k) times the whole width is too
    small.
    Raises ValueError as `median_sensitivity_at` does, or for a beta that is not a finite number above 0.
    Source: 004 Definition 8.3; Nissim, Raskhodnikova and Smith 2007, section 3.1.  Notebook: 15_stability.
    """
    ranked, low, high = ranked_within(values, bounds)
    beta, best, k = arguments.positive("beta", beta), LEAST, 0
    log_width = math.log(high - low)
    while k <= ranked.size and log_width - beta * k > math.log(best):  # a first good one: distances 0, 1, 3, 7, ...
        best, k = max(best, math.exp(-beta * k) * steepest(around_median(ranked, low, high, k + 1), k)), 2 * k + 1
    reach = min(ranked.size, int(max(0.0, log_width - math.log(best)) / beta)) + 1
    around = around_median(ranked, low, high, reach)
    return max(best, _best_pair(around[reach::-1], around[reach:], beta))


def plain_median_smooth_sensitivity(values, bounds, beta):
    """The number of `median_smooth_sensitivity`, from all pairs of ranks around the median; slow, and not private.

    Same arguments and errors.
    Source: 004 Definition 8.3; Nissim, Raskhodnikova and Smith 2007, section 3.1.  Notebook: 15_stability.
    """
    ranked, low, high = ranked_within(values, bounds)
    beta, largest = arguments.positive("beta", beta), LEAST
    n, middle = ranked.size, (ranked.size + 1) // 2
    x = [low, *ranked, high]  # x[1], ..., x[n], with the bounds beyond both ends
    for i in range(middle + 1):
        for j in range(max(middle, i + 1), n + 2):
            k = j - i - 1  # so many replacements make x[i] and x[j] next to each other
            largest = max(largest, (x[j] - x[i]) * math.exp(-beta * k))
    return float(largest)


def minimum_smooth_sensitivity(values, bounds, beta):
    """The beta-smooth sensitivity of the minimum under replace, for values within public `bounds`; not private.

    The largest e^(-beta k) max(x_(k+1) - low, x_(k+2) - x_1), with high beyond the last rank. For the maximum take
    -values and (-high, -low). Never below 2.2e-308. Raises ValueError as `median_smooth_sensitivity` does.
    Source: 004 section 8.1 calls it simple and does not give it.  Notebook: 15_stability.
    """
    ranked, low, high = ranked_within(values, bounds)
    padded = np.append(ranked, [high, high])
    return max(LEAST, smooth_sensitivity(np.maximum(padded[:-1] - low, padded[1:] - ranked[0]), beta))


def listed_sensitivities(statistic, values, domain):
    """The local sensitivity within k = 0, 1, ..., n replacements, by listing every dataset on `domain`; not private.

    `statistic` takes an array of records and gives a number; for a few records and values only (the oracle of tests).
    Raises ValueError for more than 10,000 datasets, or values that are not all in the domain.
    Source: 004 Eq. (8.1) and Definition 8.3, word by word.  Notebook: 15_stability.
    """
    domain, values = arguments.ascending("domain", domain), np.sort(arguments.vector("values", values))
    if not np.isin(values, domain).all():
        arguments.refuse("values", values.tolist(), "numbers that are all in the domain")
    datasets = np.array(small_datasets(domain, values.size))
    counts = (datasets[:, :, None] == domain).sum(axis=1)
    answers = np.array([statistic(data) for data in datasets])
    local = [
        np.abs(answers[_distances(counts, one) <= 1] - answer).max()
        for one, answer in zip(counts, answers, strict=True)
    ]
    away = _distances(counts, (values[:, None] == domain).sum(axis=0))
    return np.array([np.max(np.array(local)[away <= k]) for k in range(values.size + 1)])


def _distances(counts, one):
    """How many records must be replaced to come from the dataset with counts `one` to each of the others."""
    return np.maximum(counts - one, 0).sum(axis=1)


def ranked_within(values, bounds):
    """The values in ascending order, and both bounds; refuses what lies outside."""
    low, high = arguments.interval("bounds", bounds)
    ranked = np.sort(arguments.vector("values", values))
    if ranked[0] < low or ranked[-1] > high:
        outside = ranked[0] if ranked[0] < low else ranked[-1]
        arguments.refuse("values", float(outside), f"within the bounds ({low:g}, {high:g})")
    return ranked, low, high


def around_median(ranked, low, high, reach):
    """The 2 reach + 1 values of the ranks around the median, with low and high beyond the ends."""
    middle = (ranked.size - 1) // 2
    inside = ranked[max(0, middle - reach) : middle + reach + 1]
    ends = max(0, reach - middle), max(0, middle + reach + 1 - ranked.size)
    return np.concatenate([np.full(ends[0], low), inside, np.full(ends[1], high)])


def steepest(around, distance):
    """A(distance), from the values around the median."""
    middle = around.size // 2
    return float(np.max(around[middle : middle + distance + 2] - around[middle - distance - 1 : middle + 1]))


def _best_pair(below, above, beta):
    """The largest (above[j] - below[i]) e^(-beta (i + j - 1)), i and j counting ranks away from the median.

    The best j never rises with i: half of the rows first, then those between them, each between its neighbours' best.
    """
    rows, best = below.size, 0.0
    chosen = np.zeros(rows + 2, dtype=int)  # of row i in place i + 1
    chosen[0] = above.size - 1
    step = 1 << rows.bit_length()
    while step > 1:
        half = step // 2
        place = np.arange(half, rows + 1, step)
        first = chosen[np.minimum(place + half, rows + 1)]
        lengths = chosen[place - half] - first + 1
        starts = np.cumsum(lengths) - lengths
        j, i = np.arange(lengths.sum()) - np.repeat(starts - first, lengths), np.repeat(place - 1, lengths)
        found = (above[j] - below[i]) * np.exp(-beta * np.maximum(i + j - 1, 0))
        most = np.maximum.reduceat(found, starts)
        reached = np.flatnonzero(found == np.repeat(most, lengths))
        chosen[place] = j[reached[np.searchsorted(reached, starts)]]
        best, step = max(best, float(most.max())), half
    return best
