"""Noise in pieces: each party adds a share, and their sum has a law whose privacy is known. And what wraps around.

A count moves by 1 when one party's bit is replaced. Laws on the whole numbers are summed term by term.
Source: beyond the seeds; Goryczka, Xiong 2017; Kairouz, Liu, Steinke 2021; Agarwal, Kairouz, Liu 2021.
Notebook: 29_parties.
"""

import functools
import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import hyp2f1, ive
from scipy.stats import nbinom

from dpbook import arguments
from dpbook.gaussian import gaussian_scale, normal_probability
from dpbook.laplace import noise_scale

WIDEST = 2.0**26  # the largest variance whose law is summed term by term
MANY = 10_000  # parties whose rounded noise is added up exactly
BESIDE_HALF = 2.0**-17  # closer to a share of one half the loss is interpolated


def geometric_share(parties, sensitivity, epsilon, rng, *, size=None):
    """One party's share of the noise: `parties` of them add up to that of `geometric_mechanism`: epsilon-DP (replace).

    The difference of two negative binomial numbers of 1 / `parties` failures each. One share alone hides next to
    nothing: it is 0 most of the time. Returns an int, or an int64 array of shape `size`.
    Raises ValueError for parties or a sensitivity below 1 or not whole, a bad epsilon, or a scale above 2**46.
    Source: Goryczka, Xiong 2017 (the geometric law is infinitely divisible).  Notebook: 29_parties.
    """
    parties = arguments.whole("parties", parties, 1)
    scale = noise_scale(arguments.whole("sensitivity", sensitivity, 1), epsilon)
    if scale > 2**46:
        arguments.refuse("sensitivity / epsilon", scale, "at most 2**46 for whole-number noise")
    shape = () if size is None else tuple(np.atleast_1d(size))
    odds = -math.exp(-1 / scale) / math.expm1(-1 / scale)  # a / (1 - a)
    rates = arguments.generator("rng", rng).gamma(1 / parties, odds, size=(2, *shape))
    up, down = rng.poisson(rates)  # of gamma rates: negative binomial
    noise = np.asarray(up - down, dtype=np.int64)
    return noise if size is not None else int(noise)


def geometric_share_loss(share, epsilon):
    """The privacy loss of a count whose noise has only this share of its pieces, planned for `epsilon`; replace.

    Attained at 0 against 1; `share` 1 loses epsilon. It is not epsilon / share.
    Raises ValueError for a share not above 0 and at most 1, or a bad epsilon.
    Source: the law of differences of negative binomial numbers.  Notebook: 29_parties.
    """
    share, epsilon = _share(share), arguments.positive("epsilon", epsilon)
    if 0 < abs(share - 0.5) < BESIDE_HALF:  # scipy's function is inexact there; a chord is never below
        ends = [0.5 - BESIDE_HALF, 0.5 + BESIDE_HALF]
        return float(np.interp(share, ends, [geometric_share_loss(end, epsilon) for end in ends]))
    square = math.exp(-2 * epsilon)
    if share < 0.5:
        ratio = hyp2f1(share, share, 1, square) / hyp2f1(share, share + 1, 2, square)
    else:  # Euler's transformation: both are finite at 1
        ratio = hyp2f1(1 - share, 1 - share, 1, square) / hyp2f1(2 - share, 1 - share, 2, square)
    return epsilon + math.log(ratio / share)


def share_probabilities(share, epsilon, reach):
    """The law of this share of a count's noise: probabilities of -reach, ..., reach. Not random, promises nothing.

    Raises ValueError for a share not above 0 and at most 1, a bad epsilon, or a reach not from 0 to a million.
    Source: two negative binomial numbers, convolved.  Notebook: 29_parties.
    """
    share, epsilon = _share(share), arguments.positive("epsilon", epsilon)
    reach = arguments.whole("reach", reach, 0, 1_000_000)
    one = nbinom.pmf(np.arange(reach + math.ceil(40 / epsilon) + 2), share, -math.expm1(-epsilon))
    side = np.array([one[k:] @ one[: one.size - k] for k in range(reach + 1)])
    return np.concatenate([side[:0:-1], side])


def skellam_delta(sensitivity, variance, epsilon):
    """The least delta at `epsilon` of Skellam noise (Poisson minus Poisson) on a whole number that moves so far.

    For the relation of the sensitivity, a whole number: one number, and no row of them. Exact: summed over the whole
    numbers. Shares of any number of parties add up to the same law, their variances added.
    Raises ValueError for a sensitivity below 1 or not whole, a variance outside (0, 2**26], or an epsilon below 0.
    Source: Agarwal, Kairouz, Liu 2021.  Notebook: 29_parties.
    """
    sensitivity = arguments.whole("sensitivity", sensitivity, 1)
    if arguments.positive("variance", variance) > WIDEST:
        arguments.refuse("variance", variance, "at most 2**26 for a sum over all outputs")
    epsilon = arguments.nonnegative("epsilon", epsilon)
    reach = math.ceil(40 * math.sqrt(variance)) + 200
    law = ive(np.abs(np.arange(-reach, reach + sensitivity + 1)), variance)
    return _shift_delta(law, sensitivity, epsilon)


def skellam_epsilon(sensitivity, variance, delta):
    """The least epsilon at `delta` of Skellam noise, to one part in 10^10 and never below; 0 where none is needed.

    Raises ValueError as `skellam_delta` does, or for a delta not strictly between 0 and 1.
    Source: Agarwal, Kairouz, Liu 2021.  Notebook: 29_parties.
    """
    delta = arguments.probability("delta", delta)
    return least_epsilon(lambda epsilon: skellam_delta(sensitivity, variance, epsilon), delta)


def lattice_sum(values, epsilon, delta, rng):
    """The sum of bits, each with a discrete normal share of scale sigma / sqrt(n): BROKEN where shares are small.

    Said to be (epsilon, delta)-DP under replace, sigma being `gaussian_scale(1, ...)`: as if the sum of discrete normal
    numbers had the variance of normal ones. Loses what `lattice_sum_delta` says. Returns an int.
    Raises ValueError for values that are not 0 and 1, none, or a bad epsilon or delta.
    Source: folklore; Kairouz, Liu, Steinke 2021 say from where on it holds.  Notebook: 29_parties.
    """
    return _with_shares(values, epsilon, delta, rng, _lattice_law)


def lattice_sum_delta(parties, scale, epsilon):
    """The least delta at `epsilon` of a count with discrete normal shares of `scale` each, under replace.

    Exact, but for what is rarer than 1e-28: it is let go while shares are added up.
    Raises ValueError for parties not from 1 to 10,000, a scale outside (0, 100], or an epsilon below 0.
    Source: Kairouz, Liu, Steinke 2021, whose bound it does not need.  Notebook: 29_parties.
    """
    return _sum_delta(_lattice_law, parties, scale, epsilon)


def rounded_sum(values, epsilon, delta, rng):
    """BROKEN: the sum of bits, each with a normal share of deviation sigma / sqrt(n) that is rounded: often all are 0.

    Said to be (epsilon, delta)-DP under replace, sigma being `gaussian_scale(1, ...)`; loses what `rounded_sum_delta`
    says. Returns an int. Raises ValueError as `lattice_sum` does.
    Source: folklore.  Notebook: 29_parties.
    """
    return _with_shares(values, epsilon, delta, rng, _rounded_law)


def rounded_sum_delta(parties, scale, epsilon):
    """The least delta at `epsilon` of a count with BROKEN shares: normal, of deviation `scale` each, rounded; replace.

    1,000 shares of 0.0949: their sum is 0 with 0.9999. Raises ValueError as `lattice_sum_delta` does.
    Source: folklore.  Notebook: 29_parties.
    """
    return _sum_delta(_rounded_law, parties, scale, epsilon)


def wrap_chance(value, modulus, lowest, epsilon):
    """The chance that `value` with the noise of a count (sensitivity 1) leaves the window: wrong by m or more.

    The window goes from `lowest` to `lowest` + m - 1. It costs no privacy.
    Raises ValueError for a value, modulus or lowest that is not whole, a modulus below 2, or a bad epsilon.
    Source: the geometric law's tails.  Notebook: 29_parties.
    """
    value = arguments.whole("value", value, -(2**40), 2**40)
    modulus = arguments.whole("modulus", modulus, 2, 2**40)
    lowest = arguments.whole("lowest", lowest, -(2**40), 2**40)
    epsilon = arguments.positive("epsilon", epsilon)
    return float(_tail(lowest + modulus - value, epsilon) + _tail(value - lowest + 1, epsilon))


def least_epsilon(delta_at, delta, most=None):
    """Where the falling `delta_at` comes down to `delta`, from above; `most` is an epsilon at which it surely has."""
    if delta_at(0.0) <= delta:
        return 0.0
    low, high = 0.0, 1.0 if most is None else most
    while most is None and delta_at(high) > delta:
        low, high = high, 2 * high

    def excess(epsilon):
        return math.log(max(delta_at(epsilon), 1e-323)) - math.log(delta)

    while high - low > 1e-3 * high and excess((low + high) / 2) < -10:  # far out the logarithm bends
        high = (low + high) / 2
    found = brentq(excess, low, high, xtol=1e-15, rtol=1e-11)
    while delta_at(found) > delta:
        found *= 1 + 2e-11
    return float(min(found, high))


def _with_shares(values, epsilon, delta, rng, law):
    """The sum of bits with a share for each, drawn from the law of one share's scale."""
    values, rng = arguments.integers("values", values), arguments.generator("rng", rng)
    epsilon, delta = arguments.positive("epsilon", epsilon), arguments.probability("delta", delta)
    if values.ndim != 1 or not values.size or np.any((values != 0) & (values != 1)):
        arguments.refuse("values", values.tolist(), "a list of 0 and 1, at least one")
    cumulated = _cumulated(law, values.size, epsilon, delta)
    drawn = np.searchsorted(cumulated[:-1], rng.random(values.size), side="right")
    return int(values.sum() + drawn.sum() - values.size * (cumulated.size // 2))


@functools.lru_cache(maxsize=16)
def _cumulated(law, parties, epsilon, delta):
    """The distribution function of one share, made once for each promise."""
    return np.cumsum(law(gaussian_scale(1, epsilon, delta) / math.sqrt(parties)))


def _lattice_law(scale):
    """Discrete normal numbers: the probabilities of -reach, ..., reach."""
    reach = math.ceil(12 * scale) + 4
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * scale**2))
    return weights / weights.sum()


def _rounded_law(scale):
    """Normal numbers, rounded."""
    reach = math.ceil(12 * scale) + 4
    whole = np.arange(-reach, reach + 1)
    return normal_probability((whole - 0.5) / scale, (whole + 0.5) / scale)


def _sum_delta(law, parties, scale, epsilon):
    parties = arguments.whole("parties", parties, 1, MANY)
    if arguments.positive("scale", scale) > 100:
        arguments.refuse("scale", scale, "at most 100 for a sum over all outputs")
    return _shift_delta(_repeated(law(scale), parties), 1, arguments.nonnegative("epsilon", epsilon))


def _repeated(law, times):
    """The law of a sum of so many, by squaring; what is rarer than 1e-30 on both sides is let go."""
    total = np.ones(1)
    while times:
        if times % 2:
            total = _trimmed(np.convolve(total, law))
        times //= 2
        if times:
            law = _trimmed(np.convolve(law, law))
    return total


def _trimmed(law):
    """A symmetric law without its farthest tails."""
    cut = min(int(np.searchsorted(np.cumsum(law), 1e-30)), law.size // 2)
    return law[cut : law.size - cut]


def _shift_delta(law, shift, epsilon):
    """The sum of (P(z) - e^epsilon P(z + shift))_+ of a symmetric law: the other direction is the same."""
    wide = np.concatenate([np.zeros(shift), law, np.zeros(shift)])
    here, there = wide[:-shift], wide[shift:]
    with np.errstate(over="ignore"):
        covered = np.multiply(np.exp(epsilon), there, where=there > 0, out=np.zeros(there.size))
    return float(np.maximum(here - covered, 0).sum())


def _tail(least, epsilon):
    """Pr[noise >= least] of the noise of a count."""
    if least > 0:
        return math.exp(-least * epsilon) / (1 + math.exp(-epsilon))
    return 1 - math.exp((least - 1) * epsilon) / (1 + math.exp(-epsilon))


def _share(share):
    if arguments.share("share", share) == 0:
        arguments.refuse("share", share, "a number above 0 and at most 1")
    return float(share)
