"""The claims of chapter 07: answers that people randomise themselves."""

import itertools

import numpy as np

from dpbook import local
from dpbook.claims.trial import Trial, spelled
from dpbook.claims.verdicts import BY_LAW, Claim
from dpbook.neighbours import REPLACE

CHAPTER = "07"
REPORTS = np.array(list(itertools.product((0, 1), repeat=3)))


def claims():
    """The rows of chapter 07."""
    values = [(0, 1), (1, 2), (2, 0)]

    def row(mechanism, setting, run, law, place, pairs):
        trial = Trial(law, place, list(pairs[0]))
        return Claim(mechanism, setting, REPLACE, BY_LAW, run, pairs, law=law, trial=trial)

    def unary(setting, chances):
        def reports(value, epsilon, rng, size):
            return local.unary_encoding(np.full(size, value), 3, epsilon, rng, chances=chances)

        def law(value, epsilon):
            return local.unary_log_probability(REPORTS, value, epsilon, chances)

        return row(local.unary_encoding, setting, reports, law, spelled, values)

    return [
        row(local.randomized_response, "a bit", answers, answer_law, np.asarray, [(0, 1)]),
        row(local.k_ary_response, "three values", categories, category_law, np.asarray, values),
        unary("three values, RAPPOR", local.unary_chances),
        unary("three values, optimised", local.optimised_chances),
    ]


def answers(bit, epsilon, rng, size):
    """One bit, reported by `size` people."""
    return local.randomized_response(np.full(size, bit), epsilon, rng)


def answer_law(bit, epsilon):
    """ln of the probabilities of the answers 0 and 1."""
    return local.response_log_probability(np.arange(2), bit, epsilon)


def categories(value, epsilon, rng, size):
    """One of three values, reported by `size` people."""
    return local.k_ary_response(np.full(size, value), 3, epsilon, rng)


def category_law(value, epsilon):
    """ln of the probabilities of the three categories."""
    return local.k_ary_log_probability(np.arange(3), value, 3, epsilon)
