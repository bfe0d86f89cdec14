"""The claims of chapter 25: the accountant works the promise out, the program runs, the exact loss is held to it."""

import math

import numpy as np
from scipy import stats

from dpbook import accounting, gaussian, laplace, local
from dpbook.claims.composition import hundred_answers, truths_law
from dpbook.claims.trial import Trial, between
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim
from dpbook.composition import BudgetExceeded
from dpbook.neighbours import ADD_REMOVE, REPLACE

CHAPTER = "25"
COUNT = [(0, 1)]
PRESENT = [(0, 1)]  # how many records there are: none, or the one
MOVED = [(1, -1)]  # the value of the one record
LINE = np.concatenate([[-np.inf], np.linspace(-5, 6, 111), [np.inf]])
SHARE, RARE = 0.2, 1e-3  # of records that are drawn; the delta of one sampled sum
PRINTED = 0.2  # 20 answers print with probability 0.18: so much of the delta is the infinite loss
ORDERS = 1 + np.geomspace(0.05, 500, 400)


def claims():
    """The rows: what is composed, what is drawn on samples of the records, and what a sample is said to do."""
    return [*composed(), *sampled_sums(), *amplified()]


def composed():
    """Answers and normal sums, one or a hundred, by the ways of adding up that the chapter has."""
    hundred, one = gaussian.gaussian_epsilon(10, 30, 1e-5), gaussian.gaussian_epsilon(1, 1, 1e-6)
    normal = {"method": BY_STEPS, "run": normal_sum, "pairs": COUNT, "at": 1.0, "delta": 1e-6, "loses": one}
    truths = Trial(truths_law, lambda outputs: outputs, [1])
    return [
        Claim(
            accounting.listed_losses, "100 answers, delta 0.00001", REPLACE, BY_LAW, hundred_answers, COUNT,
            epsilon=answers_promise, at=0.1, delta=1e-5, law=truths_law, trial=truths,
        ),
        Claim(
            accounting.listed_losses, "20 answers that print one in a hundred", REPLACE, BY_LAW, printing, COUNT,
            epsilon=printing_promise, at=0.3, delta=PRINTED, law=printing_law,
            trial=Trial(printing_law, lambda outputs: outputs, [0, 1]),
        ),
        Claim(
            accounting.gaussian_losses, "100 normal sums, delta 0.00001", ADD_REMOVE, BY_STEPS, hundred_sums, COUNT,
            epsilon=lambda: accounting.gaussian_losses(1, 30, 1e-3).repeat(100).epsilon(1e-5),
            at=1.0, delta=1e-5, loses=hundred,
        ),
        Claim(
            accounting.zcdp_epsilon, "a normal sum, rho 0.5", ADD_REMOVE,
            epsilon=lambda: accounting.zcdp_epsilon(0.5, 1e-6), **normal,
        ),
        Claim(
            accounting.renyi_epsilon, "a normal sum", ADD_REMOVE,
            epsilon=lambda: accounting.renyi_epsilon(ORDERS, accounting.renyi_gaussian(1, 1, ORDERS), 1e-6).epsilon,
            **normal,
        ),
        Claim(
            accounting.ZcdpBudget, "rho 0.5 in three parts", ADD_REMOVE, BY_STEPS, spent, COUNT,
            epsilon=lambda: accounting.ZcdpBudget(0.5).promise(1e-6).epsilon, at=0.5, delta=1e-6, loses=one,
        ),
    ]  # fmt: skip


def sampled_sums():
    """Normal sums over samples, and two promises that are made of them and not kept."""
    often, seldom = ({"pairs": PRESENT, "at": 1.0, **sampled(q)} for q in (SHARE, 0.01))
    return [
        Claim(
            accounting.sampled_gaussian_losses, "a sampled sum, delta 0.001", ADD_REMOVE, BY_LAW,
            epsilon=lambda: accounting.sampled_gaussian_losses(SHARE, 1, 1, 1e-3).epsilon(RARE), delta=RARE, **often,
        ),
        Claim(
            accounting.sampled_gaussian_losses, "fixed batches taken for samples", ADD_REMOVE, BY_STEPS, fixed_batches,
            [(np.zeros(100), np.eye(100)[0])],
            epsilon=lambda: accounting.sampled_gaussian_losses(0.01, 1, 1, 1e-3).repeat(100).epsilon(1e-5),
            at=1.0, delta=1e-5, loses=gaussian.gaussian_epsilon(1, 1, 1e-5), false=True,
        ),
        Claim(
            gaussian.gaussian_epsilon, "central limit of 1000 sampled sums", ADD_REMOVE, least_loss,
            epsilon=lambda: gaussian.gaussian_epsilon(0.01 * math.sqrt(1000 * math.expm1(1)), 1, 1e-5),
            delta=1e-5, false=True, **seldom,
        ),
    ]  # fmt: skip


def amplified():
    """Pure promises on samples: the formula, q times epsilon, and the formula under the other relation."""
    trial = Trial(asked_law, np.asarray, [0, 1])
    asked = {"run": sampled_answers, "pairs": PRESENT, "at": 1.0, "law": asked_law, "trial": trial}
    summed = Trial(moved_law, between(LINE), [1, -1])
    return [
        Claim(
            accounting.amplified, "an answer on a sample", ADD_REMOVE, BY_LAW,
            epsilon=lambda: accounting.amplified(SHARE, 1, 0).epsilon, **asked,
        ),
        Claim(
            local.randomized_response, "on a sample, q times epsilon", ADD_REMOVE, BY_LAW, epsilon=SHARE, false=True,
            **asked,
        ),
        Claim(
            accounting.amplified, "a Laplace sum on a sample", REPLACE, BY_LAW, moved_sums, MOVED,
            epsilon=lambda: accounting.amplified(SHARE, 1, 0).epsilon,
            at=1.0, law=moved_law, trial=summed, false=True,
        ),
    ]  # fmt: skip


def printing(bit, epsilon, rng, size):
    """How many of 20 noisy answers are 1; or 21 + the bit itself, where one of them was printed, 1 in 100 of them."""
    printed = rng.random((size, 20)) < 0.01
    answers = local.randomized_response(np.full(size * 20, bit), epsilon, rng).reshape(size, 20)
    return np.where(printed.any(axis=1), 21 + bit, answers.sum(axis=1))


def printing_law(bit, epsilon):
    """ln of the probabilities of the 23 outputs of `printing`."""
    chances = np.exp(local.response_log_probability(np.arange(2), bit, epsilon))
    clean = 0.99**20
    with np.errstate(divide="ignore"):
        return np.log(np.append(clean * stats.binom(20, chances[1]).pmf(np.arange(21)), (1 - clean) * np.eye(2)[bit]))


def printing_promise():
    """What the loss of one such answer at 0.3, 20 times, promises at a delta a little above the infinite loss."""
    truth, lie = np.log(0.99) - np.logaddexp(0, -0.3), np.log(0.99) - np.logaddexp(0, 0.3)
    laws = np.array([[np.log(0.01), -np.inf, truth, lie], [-np.inf, np.log(0.01), lie, truth]])
    return accounting.listed_losses(*laws, 0.3).repeat(20).epsilon(PRINTED) * (1 + 1e-9)


def answers_promise():
    """What the loss of one answer at 0.1, a hundred times, promises at delta 0.00001, with room for rounding."""
    law = np.array([-np.logaddexp(0, -0.1), -np.logaddexp(0, 0.1)])
    return accounting.listed_losses(law, law[::-1], 0.1).repeat(100).epsilon(1e-5) * (1 + 1e-9)


def normal_sum(value, epsilon, rng):
    """A sum with noise of deviation 1 / epsilon."""
    return value + rng.normal(scale=1 / epsilon)


def hundred_sums(value, epsilon, rng):
    """A sum a hundred times, each with noise of deviation 30 / epsilon."""
    return [value + rng.normal(scale=30 / epsilon) for _ in range(100)]


def fixed_batches(sums, epsilon, rng):
    """The sums of batches in a public order, each with noise of deviation 1 / epsilon."""
    return sums + rng.normal(scale=1 / epsilon, size=sums.size)


def spent(value, rho, rng):
    """A sum three times, with the noise that its share of a budget in zCDP pays for, and once more if it may."""
    budget, sums = accounting.ZcdpBudget(rho), []
    for part in (0.2, 0.3, 0.5, 0.5):
        try:
            scale = 1 / math.sqrt(2 * budget.spend(part * rho, "a sum"))
        except BudgetExceeded:  # as the budget is spent, the fourth sum is refused
            return sums
        sums.append(value + rng.normal(scale=scale))
    return sums


def sampled(q):
    """The run, the law and the trial of sums over Poisson samples of `present` records of 1; noise 1 / epsilon."""

    def run(present, epsilon, rng, size):
        return rng.binomial(present, q, size) + rng.normal(scale=1 / epsilon, size=size)

    def law(present, epsilon):
        mixed = [_normal_cells(epsilon * (LINE - at)) for at in (0, 1)]
        with np.errstate(divide="ignore"):
            return np.log((1 - q) * mixed[0] + q * mixed[1] if present else mixed[0])

    return {"run": run, "law": law, "trial": Trial(law, between(LINE), [1])}


def _normal_cells(edges):
    return gaussian.normal_probability(edges[:-1], edges[1:])


def least_loss(claim):
    """A certified lower bound on what 1000 sampled sums lose."""
    sums = accounting.sampled_gaussian_losses(0.01, 1, 1 / claim.given, 2e-3, side="lower")
    return sums.repeat(1000).epsilon(claim.delta)


def sampled_answers(present, epsilon, rng, size):
    """The answer of the record where it is drawn, and else that of a person who says no."""
    bits = (rng.random(size) < SHARE).astype(int) * present
    return local.randomized_response(bits, epsilon, rng)


def asked_law(present, epsilon):
    """ln of the probabilities of the two answers of `sampled_answers`."""
    no, yes = (np.exp(local.response_log_probability(np.arange(2), bit, epsilon)) for bit in (0, 1))
    return np.log((1 - SHARE) * no + SHARE * yes if present else no)


def moved_sums(value, epsilon, rng, size):
    """Sums with Laplace noise over samples of one record, which is 1 or -1."""
    return laplace.laplace_mechanism(value * rng.binomial(1, SHARE, size), 1, epsilon, rng)


def moved_law(value, epsilon):
    """ln of the probabilities of `moved_sums` in the cells of `LINE`."""
    parts = [laplace.laplace_probability(LINE[:-1], LINE[1:], at, 1, epsilon) for at in (0, value)]
    return np.log((1 - SHARE) * parts[0] + SHARE * parts[1])
