"""Noise for numbers: the Laplace mechanism and its integer twin, the geometric mechanism, with exact probabilities.

Source: 004 section 2.3.  Notebook: 03_laplace.
"""

import math

import numpy as np

from dpbook import arguments

PIECE = 16_384  # numbers: so many stay in the processor's cache while they are worked on


def noise_scale(sensitivity, epsilon):
    """The scale sensitivity / epsilon of the noise that gives epsilon-DP under the relation of `sensitivity`.

    In the query's units. It is the scale of Laplace noise (the standard deviation is sqrt(2) times that), and of its
    integer twin. Raises ValueError for a sensitivity, an epsilon or a quotient of them that is not a finite number
    above 0.
    Source: 004 section 2.3.1, Theorem 2.12.  Notebook: 03_laplace.
    """
    scale = arguments.positive("sensitivity", sensitivity) / arguments.positive("epsilon", epsilon)
    return arguments.positive("sensitivity / epsilon", scale)


def sum_sensitivity(bounds, relation):
    """The sensitivity of a sum whose records lie within public `bounds` = (low, high), in the records' unit.

    Under `relation` "add/remove" it is max(|low|, |high|), under "replace" high - low. Raises ValueError for bounds
    that are not finite and in order, or for another relation.
    Source: 004 Example 2.14, which gives high - low although it adds and removes records: too small when both bounds
    have the same sign.  Notebook: 03_laplace.
    """
    low, high = arguments.interval("bounds", bounds)
    by_relation = {"add/remove": max(abs(low), abs(high)), "replace": high - low}
    return by_relation[arguments.one_of("relation", relation, by_relation)]


def laplace_mechanism(value, sensitivity, epsilon, rng):
    """Release `value` with epsilon-DP by adding Laplace noise of scale sensitivity / epsilon to each entry.

    `value` is a number or an array of any shape, in the query's own units; `sensitivity` is the L1 sensitivity of
    that whole array under the neighbouring relation it was worked out for, which is the relation of the guarantee.
    Returns a float or a float array of the same shape; its entries may leave the query's range. The guarantee is one
    on paper: the rounding of doubles leaks a little more.
    Raises ValueError for a value that is not finite, or a sensitivity or epsilon that is not a finite number above 0.
    Source: 004 section 2.3, Theorems 2.12 and 2.15.  Notebook: 03_laplace.
    """
    value = arguments.array("value", value)
    scale = noise_scale(sensitivity, epsilon)
    noisy = value + laplace_noise(scale, value.shape, rng)
    return noisy if value.ndim else float(noisy)


def laplace_noise(scale, shape, rng):
    """Laplace noise: the numbers of `rng.laplace(scale=scale, size=shape)`, a million of them in a third of the time.

    `scale` is at least 0 (with 0 it is all zeros, and none is drawn), `shape` a tuple of whole numbers. Returns a float
    array of that shape, `PIECE` or more with a last bit that may be another: processors round logarithms their way. The
    guarantee is that of the mechanism that adds it. A generator of another class, which may listen, is asked itself.
    Raises ValueError for a scale that is not a finite number of at least 0, or an rng that is asked and no generator.
    Source: 004 section 2.3.1, the inverse of the distribution function.  Notebook: 03_laplace.
    """
    scale, size = arguments.nonnegative("scale", scale), math.prod(shape)
    if scale == 0:
        return np.zeros(shape)
    if type(arguments.generator("rng", rng)) is not np.random.Generator or size < PIECE:
        return rng.laplace(scale=scale, size=shape)
    noise = np.empty(size)
    for begin in range(0, size, PIECE):
        piece = noise[begin : begin + PIECE]
        uniform = rng.random(piece.size)
        tail = np.maximum(np.minimum(uniform + uniform, 2 - uniform - uniform), 2.0**-53)
        np.copysign(scale * np.log(tail), uniform - 0.5, out=piece)
    return noise.reshape(shape)


def geometric_mechanism(value, sensitivity, epsilon, rng):
    """Release whole numbers with epsilon-DP by adding whole-number noise z, each as likely as exp(-|z| / scale).

    The scale is sensitivity / epsilon, as in the Laplace mechanism. `value` is a whole number or an array of them, of
    any shape. `sensitivity`, a whole number of at least 1, is the L1 sensitivity of that whole array under the
    neighbouring relation it was worked out for. The guarantee is for that relation. Returns an int or an int64 array of
    the same shape; counts may come out negative. The distribution is exact as far as numpy's exponentials are.
    Raises ValueError for values or a sensitivity that are not whole, or an epsilon that is not a finite number above 0.
    Raises it too for a scale above 2**46, where the noise would no longer be exact.
    Source: the integer twin of 004 section 2.3 (Ghosh, Roughgarden, Sundararajan, 2009).  Notebook: 03_laplace.
    """
    value = arguments.integers("value", value)
    scale = noise_scale(arguments.whole("sensitivity", sensitivity, 1), epsilon)
    if scale > 2**46:
        arguments.refuse("sensitivity / epsilon", scale, "at most 2**46 for whole-number noise")
    up, down = np.floor(scale * arguments.generator("rng", rng).standard_exponential((2, *value.shape)))
    noisy = value + np.asarray(up - down).astype(np.int64)
    return noisy if value.ndim else int(noisy)


def laplace_log_density(output, value, sensitivity, epsilon):
    """Natural log of the density of `laplace_mechanism(value, ...)` at `output`, entry by entry.

    `output` and `value` broadcast; for a vector sum the entries. It is the log of a density per unit of the query. A
    density is no probability: it may exceed 1.
    Raises ValueError as the mechanism does. Source: 004 section 2.3.1, proof of Theorem 2.12.  Notebook: 03_laplace.
    """
    scale = noise_scale(sensitivity, epsilon)
    return -np.abs(arguments.array("output", output) - arguments.array("value", value)) / scale - np.log(2 * scale)


def laplace_probability(low, high, value, sensitivity, epsilon):
    """The probability that `laplace_mechanism(value, ...)` releases a number between `low` and `high`, entry by entry.

    The three broadcast; the ends may be infinite. Full relative precision in both tails.
    Raises ValueError for low not below high, and as the mechanism does.
    Source: 004 section 2.3.1, integrated.  Notebook: 03_laplace.
    """
    value, scale = arguments.array("value", value), noise_scale(sensitivity, epsilon)
    ends = [arguments.array(name, end, "numbers", finite=False) for name, end in (("low", low), ("high", high))]
    left, right = ((end - value) / scale for end in ends)
    if not np.all(ends[0] < ends[1]):
        arguments.refuse("low", low, f"below high = {high!r}")
    away = np.maximum(np.maximum(left, -right), 0)
    beside = np.exp(-away) * -np.expm1((ends[0] - ends[1]) / scale) / 2
    around = -(np.expm1(np.minimum(left, 0)) + np.expm1(-np.maximum(right, 0))) / 2
    return np.where(away > 0, beside, around)[()]


def geometric_log_probability(output, value, sensitivity, epsilon):
    """Natural log of the probability that `geometric_mechanism(value, ...)` releases `output`, entry by entry.

    `output` and `value` are whole and broadcast; for a vector sum the entries.
    Raises ValueError as the mechanism does. Source: Ghosh, Roughgarden, Sundararajan, 2009.  Notebook: 03_laplace.
    """
    scale = noise_scale(arguments.whole("sensitivity", sensitivity, 1), epsilon)
    distance = np.abs(arguments.integers("output", output) - arguments.integers("value", value))
    return -distance / scale + np.log(np.tanh(1 / (2 * scale)))
