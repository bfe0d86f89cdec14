"""Choosing one of many: the exponential mechanism, and the mode, median and quantiles that it selects.

A quality function scores every candidate on the data; a higher score makes a candidate exponentially more likely.
`domain` is an ascending array of possible outputs (numbers), fixed before anyone looks at the data: a domain read off
the data is a leak. Every guarantee here is for add/remove neighbours among non-empty datasets (an empty list is refused
as bad input), and in exact arithmetic. A draw made with floats never gives an event of probability far below 1e-16, so
this is for teaching, not for real releases.

Source: 004 section 2.4.  Notebook: 04_exponential.
"""

import numpy as np

from dpbook import arguments


def log_weights(quality, sensitivity, epsilon, monotonic=False):
    """The exponent of each candidate's weight, shifted so that the best has 0: no quality is too large for a float.

    Same arguments and errors as `selection_probabilities`; only differences between exponents matter.
    Source: 004 Definition 2.17; without the 2, section 2.4.2.  Notebook: 04_exponential.
    """
    quality = arguments.vector("quality", quality)
    sensitivity, epsilon = arguments.positive("sensitivity", sensitivity), arguments.positive("epsilon", epsilon)
    slope = arguments.positive("epsilon / sensitivity", epsilon / sensitivity)
    slope /= 1 if arguments.flag("monotonic", monotonic) else 2
    with np.errstate(over="ignore"):
        quality -= quality.max()  # a copy: a million scores need no second one
        quality *= slope
    return quality


def selection_probabilities(quality, sensitivity, epsilon, monotonic=False):
    """The probability of each candidate under the exponential mechanism, epsilon-DP for the relation of `sensitivity`.

    Proportional to exp(epsilon quality / (2 sensitivity)); with `monotonic` the 2 goes. `quality` is a list of scores,
    one a candidate, higher is better; `sensitivity` is the most that any one score moves between two neighbours.
    `monotonic=True` is epsilon-DP only under add/remove, and only if one more record never moves two scores in opposite
    directions (counts: yes; the median: no). Under replace its privacy loss is at most 2 epsilon.
    Raises ValueError unless `quality` is a non-empty list of finite numbers, sensitivity and epsilon are finite and
    above 0, and `monotonic` is True or False.
    Source: 004 Definition 2.17, Theorem 2.18, Corollary 2.19.  Notebook: 04_exponential.
    """
    weights = np.exp(log_weights(quality, sensitivity, epsilon, monotonic))
    return weights / weights.sum()


def exponential_mechanism(quality, sensitivity, epsilon, rng, *, monotonic=False, size=None):
    """Select a candidate with epsilon-DP, for the relation of `sensitivity`: the index of one entry of `quality`.

    Draws from `selection_probabilities(quality, sensitivity, epsilon, monotonic)`, which says what the arguments mean
    and when `monotonic` may be True. It inverts the cumulative sum of the weights: one uniform number for a list of
    any length. Below a chance of about 1e-16 that sum is too coarse: such a candidate may never be drawn, where a
    neighbour's data give it a chance. Returns an int, or an array of `size` independent ones, for study or an audit:
    together they have `size` times the privacy loss. Raises ValueError as that function does, and for a `size` that is
    not a whole number of at least 1.
    Source: 004 section 2.4.  Notebook: 04_exponential.
    """
    exponents = log_weights(quality, sensitivity, epsilon, monotonic)
    possible = np.flatnonzero(exponents > -746)  # exp of all others is 0: most of them, where many score
    cumulative = np.cumsum(np.exp(exponents[possible]))
    draws = None if size is None else arguments.whole("size", size, 1)
    point = arguments.generator("rng", rng).random(draws) * cumulative[-1]  # never rounds up to the total
    chosen = possible[np.searchsorted(cumulative, point, side="right")]
    return int(chosen) if size is None else chosen


def log_selection_probabilities(quality, sensitivity, epsilon, monotonic=False):
    """The natural log of `selection_probabilities`, right even where the probability is too small for a float.

    Same arguments, same errors. Source: 004 Definition 2.17.  Notebook: 04_exponential.
    """
    exponents = log_weights(quality, sensitivity, epsilon, monotonic)
    return exponents - np.log(np.exp(exponents).sum())


def privacy_loss(quality, neighbour_quality, sensitivity, epsilon, monotonic=False):
    """The exact loss between two neighbours: the largest |ln(p / p')|, at most any epsilon that holds.

    `quality` and `neighbour_quality` are the scores of the same candidates on the two datasets; the further arguments
    and the errors are those of `selection_probabilities`. Raises ValueError too if the two differ in length.
    Source: 004 Eq. (2.2).  Notebook: 04_exponential.
    """
    quality = arguments.vector("quality", quality)
    neighbour_quality = arguments.vector("neighbour_quality", neighbour_quality)
    if quality.size != neighbour_quality.size:
        arguments.refuse("neighbour_quality", neighbour_quality.size, f"as long as quality, {quality.size} scores")
    moves = log_weights(neighbour_quality - quality, sensitivity, epsilon, monotonic)  # exact for large counts too
    moved = log_selection_probabilities(quality, sensitivity, epsilon, monotonic) + moves
    return float(np.abs(moves - moved.max() - np.log(np.exp(moved - moved.max()).sum())).max())


def mode_quality(values, domain):
    """How many of `values` equal each candidate: sensitivity 1 and monotonic under add/remove (not private itself).

    `values` are the records, `domain` the ascending candidates, in the same unit; returns one whole number a candidate.
    Raises ValueError for a value that is not a candidate, an empty or non-finite list, or a domain that is not strictly
    ascending. A value that is no candidate would count for nobody: round or group the values first.
    Source: 004 section 2.4.3, Example 2.20.  Notebook: 04_exponential.
    """
    values, domain = arguments.vector("values", values), arguments.ascending("domain", domain)
    place = np.searchsorted(domain, values)
    strangers = values[domain[np.minimum(place, domain.size - 1)] != values]
    if strangers.size:
        arguments.refuse("values", strangers[:5].tolist(), "numbers that are all in the domain")
    return np.bincount(place, minlength=domain.size)


def quantile_quality(values, q, domain):
    """Minus the number of records by which each candidate misses the rank q n: sensitivity max(q, 1 - q), add/remove.

    A candidate x owns the ranks from n_<x (how many `values` lie below x) to n_<=x (below or equal). Its quality is 0
    if q n is among them, else minus the distance from q n to them. Not monotonic: one more record helps some
    candidates and hurts others. Under replace the sensitivity is 1. Values outside the domain, or between candidates,
    count with their rank like all others. Returns floats, one a candidate; not private itself.
    Raises ValueError for a q not strictly between 0 and 1, an empty or non-finite list of values, or a domain not
    strictly ascending. Source: 004 section 2.4.3, Example 2.21, which reads n_<(x+1) for n_<=x and gives sensitivity
    1/2 only for the median.  Notebook: 04_exponential.
    """
    domain, ranked = arguments.ascending("domain", domain), np.sort(arguments.vector("values", values))
    target = arguments.probability("q", q) * ranked.size
    below, up_to = np.searchsorted(ranked, domain, side="left"), np.searchsorted(ranked, domain, side="right")
    return np.minimum(0, np.minimum(target - below, up_to - target))


def median_quality(values, domain):
    """`quantile_quality` at q = 1/2: sensitivity 1/2 under add/remove (1 under replace), not monotonic.

    Returns floats, one a candidate, not private themselves; raises ValueError as `quantile_quality` does.
    Source: 004 section 2.4.3, Example 2.21.  Notebook: 04_exponential.
    """
    return quantile_quality(values, 0.5, domain)


def range_quality(values, q, edges):
    """`quantile_quality` for ranges instead of points: sensitivity max(q, 1 - q) under add/remove (1 under replace).

    Range i is [edges[i], edges[i + 1]), and the last one includes its right end; values outside the edges count with
    their rank. Returns floats, one a range (one fewer than the edges), not private themselves; raises ValueError as
    `quantile_quality` does, and for fewer than two edges. Source: 004 section 2.4.3, Example 2.21, second paragraph.
    Notebook: 04_exponential.
    """
    edges, ranked = arguments.ascending("edges", edges, least=2), np.sort(arguments.vector("values", values))
    target = arguments.probability("q", q) * ranked.size
    below, inside_last = np.searchsorted(ranked, edges[:-1]), np.searchsorted(ranked, edges[-1], side="right")
    return np.minimum(0, np.minimum(target - below, np.append(below[1:], inside_last) - target))


def private_mode(values, domain, epsilon, rng):
    """Release the most frequent value with epsilon-DP under add/remove (2 epsilon under replace).

    Weights exp(epsilon count), the monotonic case. Returns a float of the domain, which may not be among `values`.
    Raises ValueError as `mode_quality` does (a value outside the domain is refused, not dropped), or for a bad epsilon
    or rng. Source: 004 section 2.4.3, Example 2.20.  Notebook: 04_exponential.
    """
    chosen = exponential_mechanism(mode_quality(values, domain), 1, epsilon, rng, monotonic=True)  # spends epsilon
    return float(domain[chosen])


def private_quantile(values, q, domain, epsilon, rng):
    """Release the q-quantile with epsilon-DP under add/remove (epsilon / max(q, 1 - q) under replace).

    Weights exp(epsilon quality / (2 max(q, 1 - q))). Returns a float of the domain; values outside it count with their
    rank. Raises ValueError as `quantile_quality` does, or for a bad epsilon or rng.
    Source: 004 section 2.4.3, after Example 2.21.  Notebook: 04_exponential.
    """
    chosen = exponential_mechanism(quantile_quality(values, q, domain), max(q, 1 - q), epsilon, rng)  # spends epsilon
    return float(domain[chosen])


def private_median(values, domain, epsilon, rng):
    """Release the median with epsilon-DP under add/remove (2 epsilon under replace).

    Weights exp(epsilon quality): sensitivity 1/2 and the general factor 1/2 cancel. Returns a float of the domain;
    values outside it count with their rank. Raises ValueError as `private_quantile` does.
    Source: 004 section 2.4.3, Example 2.21.  Notebook: 04_exponential.
    """
    return private_quantile(values, 0.5, domain, epsilon, rng)


def private_quantile_in_ranges(values, q, edges, epsilon, rng):
    """Release the q-quantile with epsilon-DP under add/remove: select a range, then draw a point in it uniformly.

    For outputs on a continuous scale: `edges` cut it into ranges, fixed before anyone looks at the data. Returns a
    float between the first and the last edge. Under replace the loss is at most epsilon / max(q, 1 - q). Raises
    ValueError as `range_quality` does, or for a bad epsilon or rng.
    Source: 004 section 2.4.3, Example 2.21, second paragraph.  Notebook: 04_exponential.
    """
    chosen = exponential_mechanism(range_quality(values, q, edges), max(q, 1 - q), epsilon, rng)  # spends epsilon
    return float(rng.uniform(edges[chosen], edges[chosen + 1]))
