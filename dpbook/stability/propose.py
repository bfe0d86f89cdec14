"""Propose a bound, test whether the data are far from all that exceed it, and only then release.

Source: 004 section 8.4; Dwork and Lei 2009.  Notebook: 15_stability.
"""

import math

import numpy as np

from dpbook import arguments
from dpbook.stability.smooth import around_median, ranked_within, steepest

LARGEST = 2.0**1023  # from here on a bin of the scale has no upper end among doubles


def median_stable_distance(values, bounds, bound):
    """The fewest replacements to a dataset whose median has local sensitivity above `bound`; inf if none; not private.

    One replacement moves it by 1 at most. Raises ValueError for values outside `bounds`, or a bound that is not a
    finite number above 0. Source: 004 section 8.4.  Notebook: 15_stability.
    """
    ranked, low, high = ranked_within(values, bounds)
    if arguments.positive("bound", bound) >= high - low:
        return math.inf
    return float(_first(lambda k: steepest(around_median(ranked, low, high, k + 1), k) > bound, ranked.size))


def propose_test_release(value, distance, bound, epsilon, delta, rng):
    """Release `value` with (2 epsilon, delta)-DP under replace by Laplace noise of scale bound / epsilon; or None.

    It is released if `distance` and Laplace noise of scale 1 / epsilon exceed ln(1/delta) / epsilon. `distance` must be
    at most the number of replacements to a dataset whose local sensitivity exceeds `bound`. Between neighbours it must
    move by at most 1; inf always passes. It is even (2 epsilon, delta / 2)-DP. Returns a float or None.
    Raises ValueError for a value that is not finite, a distance below 0, or a bound, epsilon or delta out of range.
    Source: 004 section 8.4, which gives no threshold; Dwork and Lei 2009.  Notebook: 15_stability.
    """
    value, bound = arguments.number("value", value), arguments.positive("bound", bound)
    epsilon, delta = arguments.positive("epsilon", epsilon), arguments.probability("delta", delta)
    noisy = _distance(distance) + arguments.generator("rng", rng).laplace(scale=1 / epsilon)  # spends epsilon, delta
    if noisy <= math.log(1 / delta) / epsilon:
        return None
    return float(value + rng.laplace(scale=bound / epsilon))  # spends epsilon


def pass_probability(distance, epsilon, threshold):
    """The probability that `distance` and Laplace noise of scale 1 / epsilon exceed `threshold`: exact.

    Between neighbours (any relation that moves the distance by 1 at most) it differs by a factor e^epsilon at most.
    Raises ValueError for a distance that is no number (inf is one), a bad epsilon or a threshold that is not finite.
    Source: 004 Algorithms 20 and 21.  Notebook: 15_stability.
    """
    distance = math.inf if distance == math.inf else arguments.number("distance", distance)
    over = arguments.positive("epsilon", epsilon) * (arguments.number("threshold", threshold) - distance)
    return math.exp(-over) / 2 if over >= 0 else 1 - math.exp(over) / 2


def interquartile_range(values):
    """The value of rank ceil(3n/4) less that of rank ceil(n/4); not private.

    Raises ValueError for an empty list or values that are not finite.
    Source: 004 section 8.4.  Notebook: 15_stability.
    """
    ranked = np.sort(arguments.vector("values", values))
    first, third = _quartiles(ranked.size)
    with np.errstate(over="ignore"):  # no warning: it would tell of records so far apart
        return float(ranked[third] - ranked[first])


def scale_distance(values, shift):
    """A_0: the fewest replacements, by any numbers, that move log2 of the interquartile range out of its bin.

    Not private; one replacement moves it by 1 at most. The bins are [k + shift, k + 1 + shift) for whole k; `shift` is
    0 or 0.5. Section 8.4 of 004 closes the bins at both ends, so that they overlap. A range of 0 has no logarithm:
    distance 0.
    Raises ValueError for an empty list, values that are not finite, or another shift.
    Source: 004 section 8.4, Algorithm 21.  Notebook: 15_stability.
    """
    ranked = np.sort(arguments.vector("values", values))
    return float(_scale_distance(ranked, arguments.one_of("shift", shift, (0, 0.5))))


def private_scale(values, epsilon, delta, rng):
    """Release the interquartile range with (4 epsilon, delta)-DP under replace, times 2^noise; or None.

    Two ways to cut the log2 scale into bins are tried in turn. One passes if `scale_distance` plus noise exceeds
    1 + ln(1/delta) / epsilon. The first that passes releases the range times 2^noise. All noise is Laplace of scale
    1 / epsilon. As just one number comes out, it is (3 epsilon, delta). Scale-free: no bounds. A range of 0 always
    gives None.
    Raises ValueError for an empty list, values that are not finite, or a bad epsilon or delta.
    Source: 004 Algorithm 21 with another threshold; Dwork and Lei 2009.  Notebook: 15_stability.
    """
    epsilon, delta = arguments.positive("epsilon", epsilon), arguments.probability("delta", delta)
    return _tested_scale(values, 1 + math.log(1 / delta) / epsilon, epsilon, rng)


def printed_private_scale(values, epsilon, delta, rng):
    """BROKEN: `private_scale` with the threshold 1 + ln(1/epsilon) that 004 prints: delta never enters.

    Claims (4 epsilon, delta)-DP under replace; what should be refused passes with probability epsilon^epsilon / 2 up to
    epsilon 1, whatever delta is. At epsilon 0.5 it is not (2, delta)-DP for any delta below 0.565. Errors as above.
    Source: 004 Algorithm 21 as printed.  Notebook: 15_stability.
    """
    epsilon = arguments.positive("epsilon", epsilon)
    arguments.probability("delta", delta)  # and that was all
    return _tested_scale(values, 1 + math.log(1 / epsilon), epsilon, rng)


def _tested_scale(values, threshold, epsilon, rng):
    ranked, rng = np.sort(arguments.vector("values", values)), arguments.generator("rng", rng)
    scale = interquartile_range(ranked)
    for shift in (0, 0.5):
        noisy = _scale_distance(ranked, shift) + rng.laplace(scale=1 / epsilon)  # spends epsilon
        if noisy > threshold and scale > 0:
            with np.errstate(over="ignore"):
                return float(np.exp2(np.log2(scale) + rng.laplace(scale=1 / epsilon)))  # spends epsilon
    return None


def _quartiles(size):
    """The places, from 0, of the first and third quartile among the ranked values."""
    return -(-size // 4) - 1, -(-3 * size // 4) - 1


def _scale_distance(ranked, shift):
    """A_0 by bisection: what j replacements can make of the range, at most and at least."""
    first, third = _quartiles(ranked.size)
    with np.errstate(over="ignore"):
        scale = ranked[third] - ranked[first]
    if not 0 < scale < LARGEST:
        return 0
    lower, upper = _bin(scale, shift)
    padded = np.concatenate([np.full(first + 1, -np.inf), ranked, np.full(ranked.size, np.inf)])
    first, third = 2 * first + 1, third + first + 1  # the same two in the padded list

    def leaves(j):
        with np.errstate(over="ignore"):
            widest = np.max(padded[third : third + j + 1] - padded[first - j : first + 1])
            narrowest = np.min(padded[third - j : third + 1] - padded[first : first + j + 1])
        return widest >= upper or narrowest < lower

    return _first(leaves, first // 2 + 1)


def _bin(scale, shift):
    """The ends of the bin of `scale`, as numbers: 2^(k + shift) <= scale < 2^(k + 1 + shift)."""
    k = math.floor(math.log2(scale) - shift)
    k += int(scale >= 2.0 ** (k + 1 + shift)) - int(scale < 2.0 ** (k + shift))
    return 2.0 ** (k + shift), 2.0 ** (k + 1 + shift)


def _first(holds, most):
    """The first k from 0 to `most` at which `holds` turns true (it holds at `most`): doubling first, then halving."""
    low, high = -1, 0
    while high < most and not holds(high):
        low, high = high, min(2 * high + 1, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _distance(distance):
    """A number of replacements, inf included."""
    return math.inf if distance == math.inf else arguments.nonnegative("distance", distance)
