"""The claims of chapter 02: what releases lose together. The accountant works the promise out, the program runs.

Where a delta is claimed, the releases are 100 randomized responses, of which the number of truths says all.
"""

import contextlib

import numpy as np
from scipy.stats import binom

from dpbook import composition, histograms, laplace, local
from dpbook.claims.trial import Trial, spelled
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim
from dpbook.neighbours import ADD_REMOVE, REPLACE, count_pairs

CHAPTER = "02"
COUNTS = np.array([3.0, 0, 1, 4, 1, 5, 9, 2, 6, 5])
SHARES = (0.2, 0.3, 0.5)


def claims():
    """The rows of chapter 02."""
    moved = [(COUNTS, np.append(COUNTS[:-1] + (np.arange(9) == bin), 4)) for bin in range(9)]
    bits, hundred = [(0, 1)], "100 answers, delta 0.00001"
    three = Trial(three_answers_law, spelled, [0, 1])
    truths = Trial(truths_law, lambda outputs: outputs, [1])
    halves = {"run": two_parts, "at": 1.0, "method": BY_STEPS}
    answers = {"run": hundred_answers, "pairs": bits, "at": 0.1, "delta": 1e-5, "law": truths_law, "trial": truths}

    def parallel(relation):
        return lambda: composition.parallel([0.5, 1.0], relation)

    def bound(of):
        return lambda: of(0.1, 100, 1e-5)

    least = composition.optimal(0.1, 100, 1e-5)
    return [
        Claim(composition.Budget, "spent in three parts", ADD_REMOVE, BY_STEPS, spent, bits),
        Claim(composition.Budget, "asked for 1.4 times what it has", ADD_REMOVE, BY_STEPS, asked_for_more, bits),
        Claim(
            composition.sequential, "three answers", REPLACE, BY_LAW, three_answers, bits,
            epsilon=lambda: composition.sequential(SHARES), law=three_answers_law, trial=three,
        ),
        Claim(
            composition.parallel, "two parts", ADD_REMOVE, pairs=count_pairs(COUNTS), epsilon=parallel(ADD_REMOVE),
            **halves,
        ),
        Claim(composition.parallel, "two parts", REPLACE, pairs=moved, epsilon=parallel(REPLACE), **halves),
        Claim(
            composition.advanced, hundred, REPLACE, BY_LAW, epsilon=bound(composition.advanced), loses=least, **answers
        ),
        Claim(composition.optimal, hundred, REPLACE, BY_LAW, epsilon=bound(composition.optimal), **answers),
    ]  # fmt: skip


def spent(count, epsilon, rng):
    """A count three times, each with its share of one budget."""
    budget = composition.Budget(epsilon)
    return [laplace.laplace_mechanism(count, 1, budget.spend(share * epsilon, "a count"), rng) for share in SHARES]


def asked_for_more(count, epsilon, rng):
    """A count for each part that one budget grants; it has to refuse the third."""
    budget, released = composition.Budget(epsilon), []
    for share in (0.5, 0.3, 0.4, 0.2):
        with contextlib.suppress(composition.BudgetExceeded):
            released.append(laplace.laplace_mechanism(count, 1, budget.spend(share * epsilon, "a count"), rng))
    return released


def three_answers(bit, epsilon, rng, size):
    """One bit answered three times: a row of three reports a run."""
    return np.stack([local.randomized_response(np.full(size, bit), share * epsilon, rng) for share in SHARES], axis=1)


def three_answers_law(bit, epsilon):
    """ln of the probabilities of all eight triples of answers: those of the three add up."""
    laws = [local.response_log_probability(np.arange(2), bit, share * epsilon) for share in SHARES]
    return laws[0][:, None, None] + laws[1][:, None] + laws[2]


def two_parts(counts, epsilon, rng):
    """Two halves of a histogram, the first at half of epsilon."""
    half = counts.size // 2
    return [
        histograms.flat_histogram(counts[:half], epsilon / 2, rng),
        histograms.flat_histogram(counts[half:], epsilon, rng),
    ]


def hundred_answers(bit, epsilon, rng, size):
    """How many of 100 reports of one bit, each at epsilon, say 1."""
    return local.randomized_response(np.full((size, 100), bit), epsilon, rng).sum(axis=1)


def truths_law(bit, epsilon):
    """ln of the probabilities that 0, 1, ..., 100 of the hundred answers are 1."""
    chances = local.binary_chances(epsilon)
    return binom.logpmf(np.arange(101), 100, chances.yes_if_true if bit else chances.yes_if_false)
