"""The Gaussian mechanism, the probabilities of its releases, and the normal distribution to full relative precision.

Source: beyond the seeds.  Notebook: 24_gaussian.
"""

import math

import numpy as np
import scipy

from dpbook import arguments
from dpbook.gaussian.profiles import gaussian_scale


def gaussian_mechanism(value, sensitivity, epsilon, delta, rng):
    """Release `value` with (epsilon, delta)-DP by adding normal noise of deviation `gaussian_scale` to each entry.

    `value` is a number or an array of any shape; `sensitivity` is the L2 sensitivity of that whole array under the
    neighbouring relation it was worked out for, which is the relation of the guarantee. Returns a float or a float
    array of the same shape. The guarantee is one on paper: the rounding of doubles leaks a little more.
    Raises ValueError for a value that is not finite, and as `gaussian_scale` does.
    Source: Balle and Wang 2018, Algorithm 1.  Notebook: 24_gaussian.
    """
    value = arguments.array("value", value)
    scale = gaussian_scale(sensitivity, epsilon, delta)
    noisy = value + arguments.generator("rng", rng).normal(scale=scale, size=value.shape)
    return noisy if value.ndim else float(noisy)


def normal_probability(left, right):
    """The probability that a standard normal number lies between `left` and `right`, elementwise; left <= right.

    To nine digits, in the tails too: from the nearer tail, and by the midpoint where the two tails would cancel.
    Raises nothing. Source: the normal distribution.  Notebook: 24_gaussian.
    """
    left, right = np.broadcast_arrays(np.asarray(left, float), np.asarray(right, float))
    upper = left > 0
    near, far = np.where(upper, -left, right), np.where(upper, -right, left)
    with np.errstate(invalid="ignore", over="ignore"):
        width, middle = right - left, (left + right) / 2
        short = width * (1 + np.abs(middle)) < 1e-3
        height = np.exp(-(middle**2) / 2) / math.sqrt(2 * math.pi)
        beside = width * height * (1 + width**2 * (middle**2 - 1) / 24)
    return np.where(short, np.where(width > 0, beside, 0.0), scipy.special.ndtr(near) - scipy.special.ndtr(far))[()]
