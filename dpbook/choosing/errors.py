"""How far off is a release? The exact error of the book's mechanisms, and the epsilon that an error needs.

A function with a `confidence` gives the error that is exceeded with probability at most 1 - `confidence`. So "within 6
people in 95 of 100 releases" is `confidence` 0.95. Only `dropping_error` sees data. The others give the largest error
over all data where it depends on them, and their docstrings say which data reach it.
Source: our own, from the noise of the mechanisms that each docstring names.  Notebook: 27_choosing.
"""

import math

import numpy as np
import scipy
from scipy.special import ndtri

from dpbook import arguments
from dpbook.gaussian import discrete_gaussian_log_probability, discrete_gaussian_scale, gaussian_scale
from dpbook.histograms import inferred_error
from dpbook.laplace import noise_scale

FINEST, COARSEST = 1e-9, 1e9  # between these epsilons `least_epsilon` looks
SPREAD = 40.0  # so many scales of Laplace noise leave 4e-18 outside
NODES, WEIGHTS = np.polynomial.legendre.leggauss(64)  # to integrate over the noise of a count


def laplace_error(sensitivity, confidence, epsilon, *, numbers=1):
    """The largest error of `numbers` releases with Laplace noise, all of scale sensitivity / epsilon: exact.

    In the units of the sensitivity. `sensitivity` is the L1 sensitivity of all the numbers together, as
    `laplace_mechanism` is told. With several numbers the error is that of the worst of them.
    Raises ValueError for a sensitivity or epsilon that is not a finite number above 0, or a confidence not strictly
    between 0 and 1. Also for numbers that are not whole or below 1.
    Source: the distribution of 004 section 2.3.1.  Notebook: 27_choosing.
    """
    return noise_scale(sensitivity, epsilon) * -math.log(_miss(confidence, numbers))


def geometric_error(sensitivity, confidence, epsilon, *, numbers=1):
    """The largest error of `numbers` releases of `geometric_mechanism`: exact, a whole number.

    The smallest k for which Pr[|noise| > k] = 2 a^(k + 1) / (1 + a) is at most the miss of one number. Here
    a = e^(-epsilon / sensitivity). Raises ValueError as `laplace_error`, and for a sensitivity that is not whole.
    Source: the distribution of Ghosh, Roughgarden and Sundararajan 2009.  Notebook: 27_choosing.
    """
    slope = 1 / noise_scale(arguments.whole("sensitivity", sensitivity, 1), epsilon)
    miss = _miss(confidence, numbers)
    log_tail = math.log(2) - math.log1p(math.exp(-slope))  # ln Pr[|noise| > k] + (k + 1) slope
    return float(max(0, math.ceil((log_tail - math.log(miss)) / slope * (1 - 1e-12)) - 1))


def gaussian_error(sensitivity, confidence, epsilon, delta, *, numbers=1):
    """The largest error of `numbers` releases of `gaussian_mechanism`: exact, in the units of the sensitivity.

    `sensitivity` is the L2 sensitivity of all the numbers together. Raises ValueError as `laplace_error`, and for a
    delta not strictly between 0 and 1. Source: the normal distribution.  Notebook: 27_choosing.
    """
    return gaussian_scale(sensitivity, epsilon, delta) * float(-ndtri(_miss(confidence, numbers) / 2))


def discrete_gaussian_error(sensitivity, confidence, epsilon, delta, *, numbers=1):
    """The largest error of `numbers` releases of `discrete_gaussian_mechanism`: exact, a whole number.

    The smallest k that |noise| exceeds with no more than the miss of one number. `sensitivity` is the L2 sensitivity of
    all the numbers together. Raises ValueError as `gaussian_error`, and as `discrete_gaussian_scale`; also for a scale
    beyond 2**17, whose distribution is too long to add up.
    Source: the distribution of Canonne, Kamath and Steinke 2020, Definition 1.  Notebook: 27_choosing.
    """
    miss, scale = _miss(confidence, numbers), discrete_gaussian_scale(sensitivity, epsilon, delta)
    if scale > 2**17:
        arguments.refuse("scale, from sensitivity, epsilon and delta,", scale, "at most 2**17 for a sum over all noise")
    noise = np.arange(math.ceil(SPREAD * scale) + 1)
    chances = np.exp(discrete_gaussian_log_probability(noise, 0, sensitivity, epsilon, delta))
    beyond = 2 * np.cumsum(chances[::-1])[::-1]  # Pr[|noise| >= k], from k = 1 on
    return float(np.argmax(np.append(beyond[1:], 0.0) <= miss))


def tree_error(bins, branching, epsilon):
    """The root of the mean squared error of a range, over all ranges, from `hierarchical_histogram`: exact, in people.

    No confidence here: it is a mean over ranges and releases. Raises ValueError for a bad epsilon, and as
    `inferred_error`. Source: 004 section 4.2.3, our `inferred_error`.  Notebook: 27_choosing.
    """
    return math.sqrt(2 * inferred_error(bins, branching)) / arguments.positive("epsilon", epsilon)


def mean_error(people, bounds, confidence, epsilon):
    """The error of `centred_average` of `people` records whose values lie within `bounds`: exact, in the values' units.

    The largest over all data: that of people who all have the same value, one of the two bounds. The sum gets noise X
    and the count Y, so the error is |X - r Y| / (people + Y). Here r is the true mean's distance from the middle; where
    the noisy count is at most 1, the error is r. Integrated over Y numerically, to 1e-9.
    Raises ValueError for people that are not whole or below 1, bounds not in order, a bad confidence or epsilon.
    Source: 004 Algorithm 4 and its noise.  Notebook: 27_choosing.
    """
    people, bounds = arguments.whole("people", people, 1), arguments.interval("bounds", bounds)
    miss, epsilon = _miss(confidence, 1), arguments.positive("epsilon", epsilon)
    beyond, most = lambda error: _mean_miss(people, error, epsilon) - miss, 1.0 + 4 * SPREAD / epsilon
    return (bounds[1] - bounds[0]) / 2 * scipy.optimize.brentq(beyond, 0.0, most, xtol=1e-300, rtol=1e-12)


def _mean_miss(people, error, epsilon):
    """The probability that the error of `centred_average` exceeds `error`, in half widths, where all sit on a bound."""
    scale = 2 / epsilon  # of the sum in half widths, and of the count
    least, most = max(1.0 - people, -SPREAD * scale), SPREAD * scale  # of the count's noise
    bends = [0.0, -error * people / (1 + error), *([error * people / (1 - error)] if error < 1 else [])]
    ends = np.unique(np.clip([least, *bends, most], least, most))
    left, width = ends[:-1, np.newaxis], np.diff(ends)[:, np.newaxis]
    noise = left + width * (1 + NODES) / 2
    away = error * (people + noise)  # by so much the sum's noise must differ from the count's
    outside = _laplace_tail((away + noise) / scale) + _laplace_tail((away - noise) / scale)
    chances = np.exp(-np.abs(noise) / scale) / (2 * scale) * outside * WEIGHTS * width / 2
    too_few = float(_laplace_tail((people - 1.0) / scale)) if error < 1 else 0.0  # then the middle: off by 1
    return float(chances.sum()) + too_few


def _laplace_tail(away):
    """The probability that Laplace noise of scale 1 exceeds `away`."""
    away = np.asarray(away, dtype=float)
    return np.where(away > 0, np.exp(-np.abs(away)) / 2, 1 - np.exp(-np.abs(away)) / 2)


def selection_error(candidates, sensitivity, confidence, epsilon, *, monotonic=False, picks=1):
    """By how much the quality of a choice falls short of the best candidate's: at most this, for all data.

    For `exponential_mechanism` among this many `candidates`. Several `picks` are the top k, each chosen among those
    that are left, each with epsilon / picks. By the union bound, the error holds for all of them together. Of one pick
    the bound is as small as can be: it is reached where all candidates but one fall short by just so much.
    Raises ValueError for candidates that are not whole or below 2, picks that are not fewer, or as `laplace_error`.
    Source: 004 Theorem 2.18's weights; sharper than the usual 2 s (ln m + t) / epsilon.  Notebook: 27_choosing.
    """
    candidates = arguments.whole("candidates", candidates, 2)
    picks = arguments.whole("picks", picks, 1, candidates - 1)
    miss = (1 - arguments.probability("confidence", confidence)) / picks
    scale = picks * noise_scale(sensitivity, epsilon) * (1 if arguments.flag("monotonic", monotonic) else 2)
    return max(0.0, scale * (math.log(candidates - 1) + math.log1p(-miss) - math.log(miss)))


def quantile_error(candidates, q, confidence, epsilon):
    """By how many people `private_quantile` misses its rank, beyond what the best candidate misses: at most this.

    `selection_error` with the sensitivity of `quantile_quality` (add/remove). In people, not in the units of the
    values: how far apart people of neighbouring ranks lie, only the data know. Raises ValueError for a q not strictly
    between 0 and 1, and as `selection_error`. Source: 004 section 2.4.3.  Notebook: 27_choosing.
    """
    q = arguments.probability("q", q)
    return selection_error(candidates, max(q, 1 - q), confidence, epsilon)


def dropping_error(contributions, most, epsilon):
    """The mean error of a noisy total when each person keeps `most` records, bias and noise: exact, NOT private.

    `contributions` are the numbers of records of each person. The error is |bias| + b e^(-|bias| / b) with
    b = most / epsilon, the mean of |bias + Laplace noise|. Raises ValueError for contributions that are not a list of
    whole numbers of at least 0. Also for a most that is not whole or below 1, or a bad epsilon.
    Source: as `averages.clipped_error`.  Notebook: 27_choosing.
    """
    records = arguments.counts("contributions", arguments.integers("contributions", contributions))
    scale = noise_scale(arguments.whole("most", most, 1), epsilon)
    lost = float(np.maximum(records - most, 0).sum())
    return lost + scale * math.exp(-lost / scale)


def least_epsilon(error, wanted):
    """The smallest epsilon at which `error(epsilon)`, which falls as epsilon grows, is at most `wanted`.

    Found by halving, to one part in 10^9, rounded up: `error` of it keeps what was wanted. Where 10^-9 is enough, it is
    10^-9. For example
    `least_epsilon(lambda epsilon: laplace_error(1, 0.95, epsilon), 10)`.
    Raises ValueError for a wanted error that is not a finite number above 0, or that no epsilon up to 10^9 reaches.
    Notebook: 27_choosing.
    """
    wanted = arguments.positive("wanted", wanted)
    low, high = math.log(FINEST), math.log(FINEST)
    while error(math.exp(high)) > wanted:
        if high >= math.log(COARSEST):
            arguments.refuse("wanted", wanted, f"within reach: at epsilon {COARSEST:g} it is {error(COARSEST):g}")
        low, high = high, min(high + 1.0, math.log(COARSEST))
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if error(math.exp(middle)) > wanted else (low, middle)
    return math.exp(high)


def _miss(confidence, numbers):
    """With what probability one of `numbers` independent errors may be larger, for all to keep the confidence."""
    confidence = arguments.probability("confidence", confidence)
    return -math.expm1(math.log(confidence) / arguments.whole("numbers", numbers, 1))
