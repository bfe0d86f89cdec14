"""Noise in proportion to a bound that the data made: Cauchy noise is private on it, Laplace noise only with a delta.

`smooth_bound` is beta-smooth: at least the local sensitivity, and between neighbours a factor e^beta apart at most.
Source: 004 section 8.1; Nissim, Raskhodnikova and Smith 2007.  Notebook: 15_stability.
"""

import math

import numpy as np

from dpbook import arguments
from dpbook.laplace import laplace_probability


def local_noise_release(value, local_sensitivity, epsilon, rng):
    """BROKEN: claims epsilon-DP under replace for a value with noise for THIS dataset, and loses inf.

    Laplace noise of scale local_sensitivity / epsilon: where that is 0, the value itself. Raises ValueError for a value
    that is not finite, a local sensitivity below 0, or an epsilon that is not a finite number above 0.
    Source: 004 Example 8.1, which shows the flaw.  Notebook: 15_stability.
    """
    scale = arguments.nonnegative("local_sensitivity", local_sensitivity) / arguments.positive("epsilon", epsilon)
    return arguments.number("value", value) + arguments.generator("rng", rng).laplace(scale=scale)


def printed_smooth_release(value, smooth_bound, epsilon, rng, *, size=None):
    """BROKEN: claims epsilon-DP under replace for Laplace noise of scale smooth_bound / epsilon, and loses inf.

    Far out the ratio of two Laplace densities with different scales has no limit. `size` draws many at once.
    Raises ValueError as `cauchy_release` does.
    Source: 004 section 8.1, "adding noise proportional to a smooth upper bound".  Notebook: 15_stability.
    """
    scale = arguments.positive("smooth_bound", smooth_bound) / arguments.positive("epsilon", epsilon)
    return arguments.number("value", value) + arguments.generator("rng", rng).laplace(scale=scale, size=size)


def cauchy_release(value, smooth_bound, beta, epsilon, rng, *, scale=None, size=None):
    """Release `value` with epsilon-DP under replace by Cauchy noise of scale smooth_bound / (epsilon - beta).

    `smooth_bound` is a beta-smooth bound on the local sensitivity of the value, in its unit; 0 < beta < epsilon.
    `scale` in units of the bound may be any other that loses no more than epsilon: `cauchy_scale` gives the least.
    Returns a float, or `size` of them. Cauchy noise has no mean: look at median errors. On paper, as all noise here.
    Raises ValueError for a value that is not finite, or a bound, beta or epsilon outside (0, inf). It also does so for
    a beta of epsilon or more, or a scale that loses more than epsilon.
    Source: Nissim, Raskhodnikova and Smith 2007, section 2.4, with scale 6 and beta = epsilon / 6.
    Notebook: 15_stability.
    """
    value, smooth_bound = arguments.number("value", value), arguments.positive("smooth_bound", smooth_bound)
    epsilon, beta = _beta_below(epsilon, beta)
    unit = 1 / (epsilon - beta) if scale is None else arguments.positive("scale", scale)
    if cauchy_loss(beta, unit) > epsilon * (1 + 1e-12):
        arguments.refuse("scale", scale, f"at least {cauchy_scale(beta, epsilon)!r}, in units of the bound")
    uniform = arguments.generator("rng", rng).random(size)
    return value + unit * smooth_bound * np.tan(math.pi * (uniform - 0.5))


def cauchy_loss(beta, scale):
    """The exact worst loss of Cauchy noise of `scale` times a beta-smooth bound, over all that smoothness allows.

    Under the relation of the bound. Two Cauchy distributions with locations a, b and scales s, t have log ratios
    between -L and L. Here cosh L = 1 + ((a - b)^2 + (s - t)^2) / (2 s t). So L is the hyperbolic distance between
    (a, s) and (b, t). Neighbours have |a - b| <= both bounds, and bounds up to e^beta apart; the worst is at one of the
    two ends.
    Raises ValueError for a beta or scale that is not a finite number above 0.
    Source: beyond the seeds; the proof is on the page.  Notebook: 15_stability.
    """
    beta, half = arguments.positive("beta", beta), 0.5 / arguments.positive("scale", scale)
    return 2 * math.asinh(max(half, math.hypot(math.sinh(beta / 2), math.exp(-beta / 2) * half)))  # sinh(L / 2)


def cauchy_scale(beta, epsilon):
    """The least scale, in units of a beta-smooth bound, at which Cauchy noise is epsilon-DP for the bound's relation.

    The inverse of `cauchy_loss`: 1 / (2 sinh(epsilon / 2)) for every beta up to ln(2 cosh(epsilon) - 1). For small
    epsilon it is about 1 / sqrt(epsilon^2 - beta^2). Raises ValueError unless 0 < beta < epsilon.
    Source: beyond the seeds.  Notebook: 15_stability.
    """
    epsilon, beta = _beta_below(epsilon, beta)
    apart = math.sinh((epsilon - beta) / 2) * math.sinh((epsilon + beta) / 2)  # sinh^2(epsilon/2) - sinh^2(beta/2)
    return 0.5 / min(math.sinh(epsilon / 2), math.sqrt(apart) * math.exp(beta / 2))


def smooth_laplace_beta(epsilon, delta):
    """The smoothness epsilon / (2 ln(2 / delta)) that Laplace noise of scale 2 smooth_bound / epsilon asks for.

    The source has it for an epsilon below 1. For a large one it fails: at epsilon 20 the exact delta is 5.8 times 1e-3.
    Raises ValueError there, for an epsilon that is not a finite number above 0, or a delta not between 0 and 1.
    Source: Nissim, Raskhodnikova and Smith 2007, section 2.4.  Notebook: 15_stability.
    """
    beta = arguments.positive("epsilon", epsilon) / (2 * math.log(2 / arguments.probability("delta", delta)))
    if (exact := smooth_laplace_delta(beta, epsilon)) > delta:
        arguments.refuse("epsilon", epsilon, f"smaller: the formula for beta has an exact delta of {exact:.3g} here")
    return beta


def smooth_laplace_release(value, smooth_bound, epsilon, rng, *, size=None):
    """Release `value` with (epsilon, delta)-DP under replace by Laplace noise of scale 2 smooth_bound / epsilon.

    `smooth_bound` must be `smooth_laplace_beta(epsilon, delta)`-smooth: delta comes in there, and nowhere else. Returns
    a float, or `size` of them. Raises ValueError as `cauchy_release` does.
    Source: Nissim, Raskhodnikova and Smith 2007, section 2.4.  Notebook: 15_stability.
    """
    scale = 2 * arguments.positive("smooth_bound", smooth_bound) / arguments.positive("epsilon", epsilon)
    return arguments.number("value", value) + arguments.generator("rng", rng).laplace(scale=scale, size=size)


def smooth_laplace_delta(beta, epsilon):
    """The exact least delta at `epsilon` of Laplace noise of scale 2 / epsilon times a beta-smooth bound (replace).

    Over all that smoothness allows: bounds e^beta apart or equal, and the value moved by the smaller of them, or not.
    Raises ValueError for a beta or epsilon that is not a finite number above 0, or an epsilon above 700.
    Source: beyond the seeds.  Notebook: 15_stability.
    """
    beta, unit = arguments.positive("beta", beta), 2 / arguments.positive("epsilon", epsilon)
    if epsilon > 700:
        arguments.refuse("epsilon", epsilon, "at most 700, for e^epsilon to be a number")
    narrow = math.exp(-beta)
    laws = [((0.0, unit), (shift, unit * narrow)) for shift in (0.0, narrow)] + [((0.0, unit), (1.0, unit))]
    return max(_laplace_pair_delta(*pair, epsilon) for pair in laws + [(two, one) for one, two in laws])


def _laplace_pair_delta(one, two, epsilon):
    """The sum of (P - e^epsilon Q)_+ for two Laplace laws (place, scale): cells cut where the log ratio crosses it."""

    def excess(z):
        """ln p - ln q - epsilon."""
        away = np.abs(z - two[0]) / two[1] - np.abs(z - one[0]) / one[1]
        return math.log(two[1] / one[1]) + away - epsilon

    kinks = np.sort([one[0], two[0]])
    nodes = np.array([kinks[0] - 1, kinks[0], kinks[1], kinks[1] + 1])
    heights, cuts = excess(nodes), [-np.inf, *kinks, np.inf]
    for a, b, left, right in zip(nodes[:-1], nodes[1:], heights[:-1], heights[1:], strict=True):
        if left != right:
            cuts.append(a + (b - a) * left / (left - right))  # where this straight piece, made longer, is 0
    cuts = np.unique(cuts)
    cuts = cuts[np.append(True, np.diff(cuts) > 1e-12 * min(one[1], two[1]))]  # no cell that rounding would empty
    p, q = (laplace_probability(cuts[:-1], cuts[1:], place, scale, 1.0) for place, scale in (one, two))
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def _beta_below(epsilon, beta):
    epsilon, beta = arguments.positive("epsilon", epsilon), arguments.positive("beta", beta)
    if beta >= epsilon:
        arguments.refuse("beta", beta, f"below epsilon = {epsilon:g}")
    return epsilon, beta
