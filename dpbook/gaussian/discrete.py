"""The discrete Gaussian mechanism: whole-number noise, its exact profile for counts, and its probabilities.

Source: beyond the seeds.  Notebook: 24_gaussian.
"""

import functools
import math

import numpy as np

from dpbook import arguments
from dpbook.gaussian.profiles import crossing, gaussian_scale, raised, root, zcdp_epsilon

FINEST = 2.0**40  # the largest scale of whole-number noise: its samples stay exact in doubles
TINY = 1e-150  # a smaller scale is as this one: 0 for certain
LISTED = 2.0**16  # up to this scale the discrete profile is summed term by term


def discrete_gaussian_scale(sensitivity, epsilon, delta):
    """A scale of discrete normal noise that is (epsilon, delta)-DP for whole numbers of L2 `sensitivity`.

    For the relation of the sensitivity. It is the smallest one for sensitivity 1, where neighbours differ by 1 in one
    entry (counts and histograms under add/remove), up to 2**16. In all other cases it comes from zCDP: 7% more at (1,
    1e-6). On the whole numbers a larger scale may be *less* private (for epsilon above 1): take the scale as it is.
    Raises ValueError as `gaussian_scale` does, or if the scale would exceed 2**40.
    Source: Canonne, Kamath and Steinke 2020, Theorem 7 and Corollary 13.  Notebook: 24_gaussian.
    """
    return _scale(
        arguments.positive("sensitivity", sensitivity),
        arguments.positive("epsilon", epsilon),
        arguments.probability("delta", delta),
    )


@functools.lru_cache(maxsize=256)
def _scale(sensitivity, epsilon, delta):
    """The search for the scale, made once for each guarantee."""
    start = gaussian_scale(sensitivity, epsilon, delta)
    if sensitivity == 1 and start < LISTED:
        return _least_lattice_scale(start, epsilon, delta)
    log_rho = root(lambda u: zcdp_epsilon(math.exp(u), delta) - epsilon, -2 * math.log(start / sensitivity))
    scale = raised(
        sensitivity / math.sqrt(2 * math.exp(log_rho)),
        lambda s: zcdp_epsilon((sensitivity / s) ** 2 / 2, delta) <= epsilon,
    )
    if scale > FINEST:
        arguments.refuse("scale, from sensitivity, epsilon and delta,", scale, "at most 2**40 for whole-number noise")
    return scale


def discrete_gaussian_mechanism(value, sensitivity, epsilon, delta, rng):
    """Release whole numbers with (epsilon, delta)-DP by adding whole noise z, as likely as exp(-z^2 / (2 scale^2)).

    `value` is a whole number or an array of them. `sensitivity` is the L2 sensitivity of the whole array under the
    relation it was worked out for, which is the relation of the guarantee. The scale is `discrete_gaussian_scale`.
    Returns an int or an int64 array of the same shape; counts may come out negative. The distribution is exact as far
    as numpy's exponentials are.
    Raises ValueError for values that are not whole, and as `discrete_gaussian_scale` does.
    Source: Canonne, Kamath and Steinke 2020, with Algorithm 3 in floating point.  Notebook: 24_gaussian.
    """
    value = arguments.integers("value", value)
    scale = discrete_gaussian_scale(sensitivity, epsilon, delta)
    noisy = value + _whole_noise(scale, value.size, arguments.generator("rng", rng)).reshape(value.shape)
    return noisy if value.ndim else int(noisy)


def discrete_gaussian_log_probability(output, value, sensitivity, epsilon, delta):
    """Natural log of the probability that `discrete_gaussian_mechanism(value, ...)` gives `output`; L2.

    `output` and `value` are whole and broadcast; for a vector sum the entries. Raises ValueError as the mechanism does.
    Source: Canonne, Kamath and Steinke 2020, Definition 1.  Notebook: 24_gaussian.
    """
    scale = discrete_gaussian_scale(sensitivity, epsilon, delta)
    away = arguments.integers("output", output) - arguments.integers("value", value)
    return _log_lattice(away, scale)


def discrete_gaussian_delta(scale, epsilon):
    """The smallest delta at `epsilon` of discrete normal noise of `scale` on a count, or a histogram, under add/remove.

    Exact: neighbours differ by 1 in one entry, and the sum goes over all whole numbers with a loss above epsilon.
    `epsilon` is one number of at least 0. Raises ValueError for a scale that is not a finite number above 0 or is
    beyond 2**17, or an epsilon below 0.
    Source: Canonne, Kamath and Steinke 2020, Theorem 7.  Notebook: 24_gaussian.
    """
    if arguments.positive("scale", scale) > 2 * LISTED:
        arguments.refuse("scale", scale, "at most 2**17 for a sum over all outputs")
    arguments.nonnegative("epsilon", epsilon)
    return math.exp(_log_lattice_delta(max(scale, TINY), epsilon))


def discrete_gaussian_variance(scale):
    """The variance of discrete normal noise of `scale`: below scale^2, hardly so from scale 1 on.

    Raises ValueError for a scale that is not a finite number above 0, or above 2**511.
    Source: Canonne, Kamath and Steinke 2020, Corollary 9.  Notebook: 24_gaussian.
    """
    scale = max(arguments.positive("scale", scale), TINY)
    if scale > 2.0**511:
        arguments.refuse("scale", scale, "at most 2**511, for its square to be a number")
    if scale > 4:
        return scale**2  # but for e^(-2 pi^2 scale^2) of it
    z = np.arange(-60, 61)
    return float(z**2 @ np.exp(_log_lattice(z, scale)))


def _log_lattice(z, scale):
    """Natural log of the probability of z, a whole number or an array of them."""
    if scale > 4:
        log_total = math.log(scale * math.sqrt(2 * math.pi))  # but for e^(-2 pi^2 scale^2) of it
    else:
        log_total = math.log(np.exp(-(np.arange(-60, 61) ** 2) / (2 * scale**2)).sum())
    return -(np.asarray(z, float) ** 2) / (2 * scale**2) - log_total


def _log_lattice_delta(scale, epsilon):
    """Natural log of the sum of (Pr[z] - e^epsilon Pr[z + 1])_+, from the first z that counts on."""
    first = math.floor(epsilon * scale**2 - 0.5) + 1  # its loss (1 + 2 z) / (2 scale^2) is above epsilon
    z = first + np.arange(math.ceil(9 * scale) + 60)
    logs = _log_lattice(z, scale)
    excess = -np.expm1(np.minimum(epsilon - (1 + 2 * z) / (2 * scale**2), 0))
    return float(logs.max() + np.log(np.exp(logs - logs.max()) @ excess))


def _least_lattice_scale(start, epsilon, delta):
    """The smallest scale near `start` that keeps it; below 4 the profile goes up and down, and all of it is tried."""

    def spare(scale):
        return math.log(delta) - _log_lattice_delta(scale, epsilon)

    lowest = min(start, 1 / math.sqrt(2 * epsilon)) / 2  # below 1 / sqrt(2 epsilon) even the likeliest number tells
    grid = np.geomspace(lowest, 1.5 * start, 250) if start < 4 else np.array([start])
    kinks = np.sqrt(np.arange(0.5, epsilon * grid[-1] ** 2) / epsilon) if start < 4 else grid
    grid = np.union1d(grid, kinks)
    first = int(np.argmax([spare(scale) > 0 for scale in grid]))
    if first:
        scale = crossing(spare, grid[first - 1], grid[first])
    else:
        scale = math.exp(root(lambda u: spare(math.exp(u)), math.log(start)))
    return raised(scale, lambda s: math.exp(_log_lattice_delta(s, epsilon)) <= delta)


def _whole_noise(scale, size, rng):
    """`size` draws: differences of geometric numbers, kept with the probability that makes them discrete normal."""
    width, kept, missing = math.floor(scale) + 1, [], size
    while missing:
        tries = int(1.4 * missing) + 16
        up, down = np.floor(width * rng.standard_exponential((2, tries)))
        off = (np.abs(up - down) - scale**2 / width) / scale
        kept.append((up - down)[rng.random(tries) < np.exp(-(off**2) / 2)][:missing])
        missing -= kept[-1].size
    return np.concatenate([np.empty(0), *kept]).astype(np.int64)
