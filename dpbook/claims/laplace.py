"""The claims of chapter 03: noise for numbers, continuous and whole."""

import numpy as np

from dpbook import laplace
from dpbook.claims.trial import Trial, between
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim
from dpbook.neighbours import ADD_REMOVE, add_record, record_pairs

CHAPTER = "03"
COUNT = [(0, 1)]  # a count, and the same with one record more
LINE = np.concatenate([[-np.inf], np.linspace(-10, 10, 201), [np.inf]])
WHOLE = np.arange(-40, 42)


def claims():
    """The rows of chapter 03."""
    sums, within = record_pairs(add_record, (36, 39, 42), 3), (36, 42)
    noisy, whole = laplace.laplace_mechanism, laplace.geometric_mechanism
    cells = Trial(count_law, between(LINE), [0, 1])
    steps = Trial(whole_law, lambda outputs: np.where(np.abs(outputs) < 41, outputs + 40, WHOLE.size), [0, 1])

    def noisy_sum(sensitivity):
        return lambda values, epsilon, rng: noisy(values.sum(), sensitivity, epsilon, rng)

    right, wrong = noisy_sum(laplace.sum_sensitivity(within, ADD_REMOVE)), noisy_sum(42 - 36)
    return [
        Claim(noisy, "a count", ADD_REMOVE, BY_LAW, counts, COUNT, law=count_law, trial=cells),
        Claim(noisy, "a sum within 36 and 42", ADD_REMOVE, BY_STEPS, right, sums),
        Claim(noisy, "sensitivity as in 004 Ex. 2.14", ADD_REMOVE, BY_STEPS, wrong, sums, loses=42 / 6, false=True),
        Claim(whole, "a count", ADD_REMOVE, BY_LAW, whole_counts, COUNT, law=whole_law, trial=steps),
    ]


def counts(count, epsilon, rng, size):
    """One count, released `size` times."""
    return laplace.laplace_mechanism(np.full(size, count), 1, epsilon, rng)


def count_law(count, epsilon):
    """ln of the probabilities of a noisy count in the intervals of `LINE`."""
    return np.log(laplace.laplace_probability(LINE[:-1], LINE[1:], count, 1, epsilon))


def whole_counts(count, epsilon, rng, size):
    """One count, released `size` times with whole-number noise."""
    return laplace.geometric_mechanism(np.full(size, count), 1, epsilon, rng)


def whole_law(count, epsilon):
    """ln of the probabilities of `whole_counts` at the whole numbers that are looked at."""
    return laplace.geometric_log_probability(WHOLE, count, 1, epsilon)
