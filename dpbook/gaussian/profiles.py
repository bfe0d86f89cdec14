"""Privacy profiles: the smallest delta at each epsilon, of normal, Laplace and listed noise; the smallest scales.

Source: beyond the seeds.  Notebook: 24_gaussian.
"""

import functools
import math
from typing import NamedTuple

import numpy as np
import scipy

from dpbook import arguments

NARROW = 0.03  # deviations: a shorter shift is integrated over, for there both tails would cancel
NODES, WEIGHTS = np.polynomial.legendre.leggauss(3)


class Promise(NamedTuple):
    """An (epsilon, delta) that a mechanism keeps: Pr[T] <= e^epsilon Pr'[T] + delta for every event T, both ways."""

    epsilon: float
    delta: float


def gaussian_delta(sensitivity, scale, epsilon):
    """The smallest delta at `epsilon` of normal noise of deviation `scale` on a value of L2 `sensitivity`: exact.

    For the relation that the sensitivity was worked out for; a shorter shift has a smaller loss, in every dimension.
    `epsilon` is a number or an array, none below 0. With mu = sensitivity / scale it is
    Phi(mu / 2 - epsilon / mu) - e^epsilon Phi(-mu / 2 - epsilon / mu). It has full relative precision.
    Raises ValueError for a sensitivity or scale that is not a finite number above 0, or an epsilon below 0.
    Source: Balle and Wang 2018, Theorem 8.  Notebook: 24_gaussian.
    """
    mu = _ratio(sensitivity, scale)
    return np.exp(log_normal_delta(mu, _not_negative("epsilon", epsilon)))[()]


def gaussian_epsilon(sensitivity, scale, delta):
    """The smallest epsilon at `delta` of normal noise of deviation `scale` on a value of L2 `sensitivity`: exact.

    For the relation of the sensitivity; rounded up, and 0 where epsilon 0 needs no more than `delta`.
    Raises ValueError as `gaussian_delta` does, or for a delta not strictly between 0 and 1.
    Source: Balle and Wang 2018, Theorem 8, inverted.  Notebook: 24_gaussian.
    """
    mu, log_delta = _ratio(sensitivity, scale), math.log(arguments.probability("delta", delta))
    if log_normal_delta(mu, 0.0) <= log_delta:
        return 0.0
    most = mu**2 / 2 + mu * math.sqrt(-2 * log_delta)  # there the loss exceeds it with probability below delta
    epsilon = crossing(lambda e: log_delta - float(log_normal_delta(mu, e)), 0.0, 1.01 * most)
    return raised(epsilon, lambda e: np.exp(log_normal_delta(mu, e)) <= delta)


def gaussian_scale(sensitivity, epsilon, delta):
    """The smallest deviation of normal noise that is (epsilon, delta)-DP for a value of L2 `sensitivity`: exact.

    For the relation of the sensitivity; rounded up, valid for every epsilon above 0.
    Raises ValueError for a sensitivity or epsilon that is not a finite number above 0, or a delta not strictly
    between 0 and 1.
    Source: Balle and Wang 2018, the analytic Gaussian mechanism.  Notebook: 24_gaussian.
    """
    sensitivity, epsilon = arguments.positive("sensitivity", sensitivity), arguments.positive("epsilon", epsilon)
    delta = arguments.probability("delta", delta)
    unit = 1 / _largest_ratio(epsilon, delta)  # the scale for sensitivity 1, up to rounding
    scale = raised(sensitivity * unit, lambda s: gaussian_delta(sensitivity, s, epsilon) <= delta)
    return arguments.positive("scale, from sensitivity and epsilon,", scale)


@functools.lru_cache(maxsize=256)
def _largest_ratio(epsilon, delta):
    """The sensitivity, in deviations, at which the normal profile meets delta."""
    return math.exp(root(lambda log_mu: float(log_normal_delta(math.exp(log_mu), epsilon)) - math.log(delta)))


def classical_scale(sensitivity, epsilon, delta):
    """A deviation of normal noise that is (epsilon, delta)-DP for a value of L2 `sensitivity` and epsilon below 1.

    sqrt(2 ln(1.25 / delta)) sensitivity / epsilon, for the relation of the sensitivity: more noise than
    `gaussian_scale`. Its proof needs epsilon < 1, so others are refused. The formula itself stays safe for some way
    beyond 1, and then it breaks: at delta 1e-6 from epsilon 8.8 on.
    Raises ValueError as `gaussian_scale` does, and for an epsilon of 1 or more.
    Source: Dwork and Roth 2014, Theorem A.1.  Notebook: 24_gaussian.
    """
    sensitivity, delta = arguments.positive("sensitivity", sensitivity), arguments.probability("delta", delta)
    if arguments.positive("epsilon", epsilon) >= 1:
        arguments.refuse("epsilon", epsilon, "below 1: the classical formula is proved for no other")
    return sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def laplace_delta(sensitivity, scale, epsilon):
    """The smallest delta at `epsilon` of Laplace noise of `scale` on a number of L1 `sensitivity`: exact.

    For the relation of the sensitivity: 1 - e^((epsilon - t) / 2) up to epsilon = t = sensitivity / scale, then 0.
    `epsilon` is a number or an array. Raises ValueError as `gaussian_delta` does.
    Source: Balle, Barthe and Gaboardi 2018.  Notebook: 24_gaussian.
    """
    pure = _ratio(sensitivity, scale)
    return (0 - np.expm1(np.minimum(_not_negative("epsilon", epsilon) - pure, 0) / 2))[()]


def privacy_profile(log_p, log_q, epsilons):
    """The smallest delta at each of `epsilons` between two listed distributions, the larger of both directions: exact.

    `log_p` and `log_q` are the natural logs of the probabilities of the same outcomes on two neighbours (whatever the
    relation), -inf where impossible; `epsilons` a number or an array, none below 0.
    Raises ValueError for lists of different length or that do not add up to 1, or an epsilon below 0.
    Source: Barthe and Olmedo 2013; Balle, Barthe and Gaboardi 2018.  Notebook: 24_gaussian.
    """
    log_p, log_q = checked_laws(log_p, log_q)
    epsilons = _not_negative("epsilons", epsilons)
    pairs = (log_p, log_q), (log_q, log_p)
    both = [[_excess(*pair, epsilon) for epsilon in epsilons.flat] for pair in pairs]
    return np.max(both, axis=0).reshape(epsilons.shape)[()]


def group_promise(size, epsilon, delta):
    """What an (epsilon, delta)-DP mechanism guarantees a group of `size` records, one relation: a `Promise`.

    (size epsilon, delta (1 + e^epsilon + ... + e^((size - 1) epsilon))), its delta at most 1. A mechanism whose profile
    is known may guarantee more: the Gaussian has `size` times the sensitivity.
    Raises ValueError for an epsilon below 0, a delta outside [0, 1), or a size that is not whole or below 1.
    Source: Dwork and Roth 2014, Theorem 2.2, with the delta that its proof gives.  Notebook: 24_gaussian.
    """
    epsilon, delta = float(_not_negative("epsilon", epsilon)), arguments.share_below_one("delta", delta)
    size = arguments.whole("size", size, 1)
    with np.errstate(over="ignore"):
        grown = np.expm1(size * epsilon) / np.expm1(epsilon) if epsilon else size
    return Promise(size * epsilon, float(min(1.0, delta * grown)) if delta else 0.0)


def zcdp_epsilon(rho, delta):
    """The epsilon at `delta` of a rho-zCDP mechanism (D_a <= rho a for every order a > 1), for its relation: a bound.

    It is the smallest over a of rho a + ln(1 - 1/a) - (ln delta + ln a) / (a - 1). Every order gives an upper bound.
    Raises ValueError for a rho that is not a finite number above 0 or a delta not strictly between 0 and 1.
    Source: Canonne, Kamath and Steinke 2020, Corollary 13.  Notebook: 25_accounting.
    """
    rho, log_delta = arguments.positive("rho", rho), math.log(arguments.probability("delta", delta))

    middle, reach = math.log(-log_delta / rho) / 2, 6.0
    if delta > 0.5:  # the best order 1 + x has rho x^2 + ln(1 + x) = -ln delta: then x may be far below the first guess
        middle = min(middle, math.log(1 - delta) - log_delta)
    for _ in range(4):  # each round looks fifty times as closely around the best order
        above = np.exp(np.linspace(middle - reach, middle + reach, 101))
        bounds = rho * (1 + above) - np.log1p(1 / above) - (log_delta + np.log1p(above)) / above
        middle, reach = math.log(above[np.argmin(bounds)]), reach / 50
    return max(0.0, float(bounds.min()))


def zcdp_rho(epsilon, delta):
    """The largest rho whose rho-zCDP gives (epsilon, delta)-DP by `zcdp_epsilon`: its inverse, rounded down.

    Raises ValueError for an epsilon that is not a finite number above 0 or a delta not strictly between 0 and 1.
    Source: Canonne, Kamath and Steinke 2020, Corollary 13, inverted.  Notebook: 28_synthetic.
    """
    return _zcdp_rho(arguments.positive("epsilon", epsilon), arguments.probability("delta", delta))


@functools.lru_cache(maxsize=256)
def _zcdp_rho(epsilon, delta):
    start = 2 * math.log(epsilon) - math.log(4 * (epsilon - math.log(delta)))
    rho = math.exp(root(lambda log_rho: zcdp_epsilon(math.exp(log_rho), delta) - epsilon, start))
    return 1 / raised(1 / rho, lambda inverse: zcdp_epsilon(1 / inverse, delta) <= epsilon)


def root(rises, start=0.0):
    """Where a function that rises through 0 does so, looked for on both sides of `start`."""
    low, high, step = start, start, 0.25
    while rises(low) > 0:
        low, step = low - step, 2 * step
    step = 0.25
    while rises(high) < 0:
        high, step = high + step, 2 * step
    return crossing(rises, low, high)


def crossing(rises, low, high):
    """Where a function that is not above 0 at `low` and not below at `high` crosses it: Illinois' false position.

    Where that comes to a stop beside the crossing, since the function is flat, Brent's method goes on.
    """
    at_low, at_high, found = rises(low), rises(high), low
    for _ in range(200):
        last, slope = found, (at_high - at_low)
        found = high - at_high * (high - low) / slope if 0 < slope < np.inf else (low + high) / 2
        found = found if low < found < high else (low + high) / 2
        at = rises(found)
        if at == 0 or abs(found - last) <= 4e-16 * abs(found):
            break
        if at < 0:
            at_high = at_high / 2 if low == last else at_high
            low, at_low = found, at
        else:
            at_low = at_low / 2 if high == last else at_low
            high, at_high = found, at
    beside = 1e-9 * abs(found)
    if at == 0 or rises(found - beside) <= 0 <= rises(found + beside):
        return found
    return scipy.optimize.brentq(rises, low, high, xtol=1e-300)


def raised(number, enough):
    """The number, raised by as little as doubles allow (a few roundings) until it is `enough`."""
    nudge = 2.0**-52
    while not enough(number):
        number, nudge = number * (1 + nudge), 2 * nudge
    return number


def log_normal_delta(mu, epsilon):
    """Natural log of the normal profile, from the nearer tail, so that nothing cancels and nothing overflows."""
    near, far = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    if mu < NARROW:
        return _log_narrow_delta(mu, np.asarray(near))
    beyond = np.maximum(near, 0)
    with np.errstate(divide="ignore"):
        mills = scipy.special.erfcx(beyond / math.sqrt(2)) - scipy.special.erfcx(far / math.sqrt(2))
        tail = -(beyond**2) / 2 - math.log(2) + np.log(mills)
        log_p = scipy.special.log_ndtr(-np.minimum(near, 0))
        body = log_p + np.log(-np.expm1(epsilon + scipy.special.log_ndtr(-far) - log_p))
    return np.where(near > 0, tail, body)


def _log_narrow_delta(mu, near):
    """The same for a small mu: the density at `near`, times the integral of 1 - x Mills(x) over the next mu."""
    x = near[..., None] + mu * (1 + NODES) / 2
    with np.errstate(divide="ignore", over="ignore"):
        mills = math.sqrt(math.pi / 2) * scipy.special.erfcx(x / math.sqrt(2))
        integrand = np.where(x < 1000, 1 - x * mills, 1 / x**2)  # beyond 1000 the density is 0 anyway
        return np.log(integrand @ WEIGHTS) + math.log(mu / math.sqrt(8 * math.pi)) - near**2 / 2


def _excess(log_p, log_q, epsilon):
    """The sum of (p - e^epsilon q)_+; an outcome impossible under q counts whole."""
    possible = log_p > -np.inf
    log_p, log_q = log_p[possible], log_q[possible]
    return np.exp(log_p) @ -np.expm1(np.minimum(epsilon - (log_p - log_q), 0))


def _ratio(sensitivity, scale):
    ratio = arguments.positive("sensitivity", sensitivity) / arguments.positive("scale", scale)
    return arguments.positive("sensitivity / scale", ratio)


def _not_negative(name, numbers):
    given = arguments.array(name, numbers)
    if np.any(given < 0):
        arguments.refuse(name, numbers, "at least 0")
    return given


def checked_laws(log_p, log_q):
    """Two arrays of log probabilities of the same outcomes; ValueError unless each adds up to 1, within 1e-6."""
    expected = "the natural logs of probabilities that add up to 1"
    laws = [arguments.array(name, law, expected, finite=False) for name, law in (("log_p", log_p), ("log_q", log_q))]
    for name, law in zip(("log_p", "log_q"), laws, strict=True):
        if law.ndim != 1 or law.size == 0 or not abs(np.exp(law).sum() - 1) <= 1e-6:
            arguments.refuse(name, law, expected)
    if laws[0].size != laws[1].size:
        arguments.refuse("log_q", laws[1].size, f"as long as log_p: {laws[0].size} outcomes")
    return laws
