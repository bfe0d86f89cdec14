"""What is wrong with noise that has not the law it must have: one sentence of `words`, for who wrote the mechanism.

`constant`, `atoms`, `one_sided` and the distances decide: `laws` refuses by them. The other sentences are chosen after
a law has refused, so that their tolerances decide no points.
Source: beyond the seeds.  Notebooks: the exercises.
"""

import math

import numpy as np

from dpbook.amounts import counted
from dpbook.check import words
from dpbook.check.noise import off, on_grid
from dpbook.laplace import laplace_probability

# From 10,000 numbers the mean size of Laplace noise is known to 1%, so the 4% below are four of its deviations.


def laplace_diagnosis(noise, truth, sensitivity, epsilon, centres, sensitivities, sums):
    """What is wrong with noise, drawn at epsilon and at 2 epsilon, that is not Laplace: a sentence."""
    first, scale = noise[0], sensitivity / epsilon
    return (
        constant(first)
        or atoms(first, truth)
        or one_sided(first, scale)
        or _off_centre(first, truth, scale, centres)
        or _wrong_with_epsilon(noise)
        or _known_spread(first, {sentence: _added(draws) * scale for sentence, draws in sums.items()})
        or _wrong_shape(first)
        or _known_spread(first, {sentence: value / epsilon for sentence, value in sensitivities.items()})
        or _wrong_spread(first, scale, sensitivity)
        or words.OTHER_SHAPE
    )


def normal_diagnosis(columns, scales):
    """What is wrong with noise, one column an entry, in units of the scale it must have: a sentence."""
    spreads = np.abs(columns - np.median(columns, axis=0)).mean(axis=0) * np.sqrt(np.pi / 2)
    shape = np.mean(columns**2) / np.mean(np.abs(columns)) ** 2 * 2 / np.pi
    ratio = np.sqrt(np.mean(spreads**2))
    if abs(np.median(columns)) > ratio / 10:
        return words.OFF_CENTRE
    if abs(shape * np.mean(spreads) ** 2 / np.mean(spreads**2) - 4 / np.pi) < 0.06:
        return words.LAPLACE
    for sentence, value in scales.items():
        if np.all(np.abs(spreads / value - 1) < 0.2) and abs(ratio / np.sqrt(np.mean(value**2)) - 1) < 0.03:
            return sentence
    return words.scale(ratio, words.DEVIATION)


def constant(noise):
    """That the noise is the same each time, or none; or ""."""
    if np.ptp(noise) > 1e-9 * (1 + np.abs(noise).max()):
        return ""
    if np.abs(noise).max() < 1e-6:
        return words.NO_NOISE
    return words.SAME_EACH_TIME


def atoms(noise, truth):
    """That releases or noise are rounded, on a grid or repeated, as continuous noise never is; or ""."""
    releases = noise + truth
    if np.abs(releases - np.round(releases)).max() < 1e-9:
        return words.WHOLE
    for what, numbers in (("release", releases), ("noise", noise)):
        if digits := _digits(numbers):
            return words.DECIMALS.format(what=what, digits=counted(digits, "decimal"))
    if on_grid(noise, 8 * np.finfo(float).eps * (abs(truth) + np.abs(noise).max())):
        return words.ON_GRID
    most = np.unique(noise, return_counts=True)[1].max()
    if most > len(noise) / 20:
        return words.CUT
    return words.REPEATED if most > 2 else ""


def _digits(numbers):
    """To how many decimals, up to 12, all numbers are rounded; 0 if they are not."""
    powers = 10.0 ** np.arange(1, 13)
    exactly = 16 * np.finfo(float).eps * np.abs(numbers).max() * powers
    likely = (exactly < 0.01) & np.all(off(numbers[:9, None] * powers) < 0.1, axis=0)  # a few first: most fail there
    for power, known in zip(powers[likely], exactly[likely], strict=True):
        if off(numbers * power).max() <= max(known, 1e-6):
            return round(np.log10(power))
    return 0


def one_sided(noise, scale):
    """That the noise has one sign only, and begins at 0; or ""."""
    nearest = min(abs(noise.min()), abs(noise.max()))
    same_sign = noise.min() >= 0 or noise.max() <= 0
    return words.ONE_SIDED if same_sign and nearest < scale / 20 else ""


def _off_centre(noise, truth, scale, centres):
    middle = np.median(noise)
    if abs(middle) < max(scale, _spread(noise)) / 10:
        return ""
    for sentence, value in centres.items():
        if abs(middle + truth - value) < scale / 10:
            return sentence
    return words.OFF_CENTRE_BY.format(off=middle)


def _wrong_with_epsilon(noise):
    once, twice = (np.median(np.abs(n - np.median(n))) for n in noise)  # medians: heavy tails do not move them
    ratio = twice / once
    if abs(ratio - 0.5) < max(0.05, 4 / np.sqrt(len(noise[0]))):  # four of its deviations, where there are few draws
        return ""
    yours = words.UNCHANGED if abs(ratio - 1) < 0.1 else words.MULTIPLIED.format(ratio=ratio)
    return words.EPSILON.format(yours=yours)


def _known_spread(noise, scales):
    """The sentence whose scale is within 4% of the noise's, or ""."""
    return next((sentence for sentence, scale in scales.items() if abs(_spread(noise) / scale - 1) < 0.04), "")


def _added(draws):
    """The mean size of so many Laplace draws of scale 1, added up."""
    return 2 * draws * math.comb(2 * draws, draws) / 4**draws


def _wrong_shape(noise):
    """Whose size says nothing: a normal law, or one farther from a Laplace law of its size than 4% of size explain."""
    if abs(noise.std() / _spread(noise) - np.sqrt(np.pi / 2)) < 0.02:
        return words.NORMAL
    return words.OTHER_SHAPE if laplace_distance(noise - np.median(noise), _spread(noise), 1.0) > 0.04 else ""


def _wrong_spread(noise, scale, sensitivity):
    ratio = _spread(noise) / scale
    if abs(ratio - 1) < 0.04:
        return ""
    usual = {
        words.OF_ONE: scale / sensitivity,
        words.HALF: scale / 2,
        words.NOT_DEVIATION: scale / np.sqrt(2),
        words.NO_ROOT: scale * np.sqrt(2),
    }
    return _known_spread(noise, usual) or words.scale(ratio, words.SIZE)


def _spread(noise):
    return np.abs(noise - np.median(noise)).mean()


def laplace_distance(noise, sensitivity, epsilon):
    """Kolmogorov's distance between the noise and the Laplace law."""
    return _distance(laplace_probability(-np.inf, np.sort(noise), 0, sensitivity, epsilon))


def normal_distance(noise):
    """Kolmogorov's distance between numbers and the standard normal law."""
    from dpbook.gaussian import normal_probability  # only here: see `requirements`

    return _distance(normal_probability(-np.inf, np.sort(noise)))


def _distance(below):
    """How far the empirical distribution is from the one whose values at the numbers, in order, are `below`."""
    steps = np.arange(len(below) + 1) / len(below)
    return max(np.max(steps[1:] - below), np.max(below - steps[:-1]))
