"""The claims of chapter 24: normal noise, continuous and whole, each at an epsilon and a delta."""

import math

import numpy as np

from dpbook import gaussian
from dpbook.claims.trial import Trial
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim
from dpbook.neighbours import ADD_REMOVE, REPLACE

CHAPTER = "24"
DELTA = 1e-6
COUNT = [(0, 1)]  # a count, and the same with one record more
ONE_IN_ALL = [(np.zeros(16), np.ones(16))]  # sixteen counts, and the same with a person who is in all of them
EXCHANGED = [(np.array([4, 1, 0]), np.array([3, 2, 0]))]  # a histogram, and the same with a record in another bin
WHOLE = np.arange(-60, 62)


def claims():
    """The rows of chapter 24."""
    noisy, whole, of_scale = gaussian.gaussian_mechanism, gaussian.discrete_gaussian_mechanism, gaussian.gaussian_scale
    steps = Trial(whole_law, lambda outputs: np.where(np.abs(outputs) < 61, outputs + 60, WHOLE.size), [0, 1])
    cells = Trial(exchanged_law, exchanged_place, [histogram for pair in EXCHANGED for histogram in pair])
    small, formula = {"delta": DELTA}, "its formula at epsilon {}"
    four_times = gaussian.gaussian_epsilon(4, of_scale(1, 1.0, DELTA), DELTA)
    root = gaussian.gaussian_epsilon(1, math.sqrt(of_scale(1, 1.0, DELTA)), DELTA)
    return [
        Claim(noisy, "a count", ADD_REMOVE, BY_STEPS, normal(1), COUNT, **small),
        Claim(noisy, "16 counts, L2 sensitivity 4", ADD_REMOVE, BY_STEPS, normal(4), ONE_IN_ALL, **small),
        Claim(noisy, "a histogram, sensitivity 1.41", REPLACE, BY_STEPS, normal(math.sqrt(2)), EXCHANGED, **small),
        Claim(
            noisy, "16 counts, sensitivity of one", ADD_REMOVE, BY_STEPS, normal(1), ONE_IN_ALL,
            loses=four_times, false=True, **small,
        ),
        Claim(
            of_scale, "taken for a variance", ADD_REMOVE, BY_STEPS, with_its_root, COUNT,
            loses=root, false=True, **small,
        ),
        Claim(
            gaussian.classical_scale, "a count, epsilon 0.5", ADD_REMOVE, BY_STEPS, classical, COUNT, 0.5,
            loses=formula_loss(0.5), **small,
        ),
        *(
            Claim(
                gaussian.classical_scale, formula.format(epsilon), ADD_REMOVE, BY_STEPS, classical, COUNT,
                epsilon=float(epsilon), loses=formula_loss(epsilon), false=epsilon > 8, **small,
            )
            for epsilon in (5, 10, 20)
        ),
        Claim(whole, "a count", ADD_REMOVE, BY_LAW, whole_counts, COUNT, law=whole_law, trial=steps, **small),
        Claim(
            whole, "a histogram, sensitivity 1.41", REPLACE, BY_LAW, exchanged, EXCHANGED, 2.0, 1e-3,
            law=exchanged_law, trial=cells,
        ),
    ]  # fmt: skip


def normal(sensitivity):
    """The mechanism as the run of a claim, at DELTA."""
    return lambda value, epsilon, rng: gaussian.gaussian_mechanism(value, sensitivity, epsilon, DELTA, rng)


def with_its_root(count, epsilon, rng):
    """A count with noise whose variance is the deviation that is needed."""
    return count + rng.normal(scale=math.sqrt(gaussian.gaussian_scale(1, epsilon, DELTA)))


def classical(count, epsilon, rng):
    """A count with the classical formula's noise, which falls like 1 / epsilon, beyond its proof as well."""
    return count + rng.normal(scale=gaussian.classical_scale(1, 0.5, DELTA) * 0.5 / epsilon)


def formula_loss(epsilon):
    """The exact epsilon of the classical formula's noise at DELTA."""
    return gaussian.gaussian_epsilon(1, math.sqrt(2 * math.log(1.25 / DELTA)) / epsilon, DELTA)


def whole_counts(count, epsilon, rng, size):
    """One count, released `size` times with whole-number noise."""
    return gaussian.discrete_gaussian_mechanism(np.full(size, count), 1, epsilon, DELTA, rng)


def whole_law(count, epsilon):
    """ln of the probabilities of `whole_counts` at the whole numbers that are looked at."""
    return gaussian.discrete_gaussian_log_probability(WHOLE, count, 1, epsilon, DELTA)


def exchanged(counts, epsilon, rng, size):
    """The two bins between which a record moves, released `size` times."""
    return gaussian.discrete_gaussian_mechanism(np.tile(counts[:2], (size, 1)), math.sqrt(2), epsilon, 1e-3, rng)


def exchanged_law(counts, epsilon):
    """Of all pairs of numbers from -20 to 25."""
    numbers = np.arange(-20, 26)
    one, two = (
        gaussian.discrete_gaussian_log_probability(numbers, int(count), math.sqrt(2), epsilon, 1e-3)
        for count in counts[:2]
    )
    return one[:, None] + two


def exchanged_place(outputs):
    """Which cell of the table of `exchanged_law` a pair of counts is; the last where it lies outside."""
    places = np.asarray(outputs) + 20
    inside = np.all((places >= 0) & (places < 46), axis=1)
    return np.where(inside, places[:, 0] * 46 + places[:, 1], 46**2)
