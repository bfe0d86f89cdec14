"""Composition: the budget's account, and each bound against the exact loss of mechanisms that compose."""

import itertools
import math

import numpy as np
import pytest

from dpbook.composition import Budget, BudgetExceeded, advanced, optimal, parallel, sequential
from tests.refusals import NOT_POSITIVE, NOT_WHOLE, assert_refuses


def responses_delta(total, epsilon, k):
    """The least delta at `total` for k randomized responses with odds e^epsilon, by listing all 2^k outputs."""
    honest = math.exp(epsilon) / (1 + math.exp(epsilon))
    delta = 0.0
    for lies in itertools.product([0, 1], repeat=k):
        with_bit = honest ** (k - sum(lies)) * (1 - honest) ** sum(lies)
        without_bit = honest ** sum(lies) * (1 - honest) ** (k - sum(lies))
        delta += max(0.0, with_bit - math.exp(total) * without_bit)
    return delta


# The budget.


def test_a_budget_keeps_the_account():
    budget = Budget(1.0)
    assert budget.spend(0.25, "a count") == 0.25
    budget.spend(0.5, "a histogram")
    assert (budget.remaining, budget.remaining_delta) == (0.25, 0)
    assert budget.epsilon == 1.0
    assert budget.ledger == (("a count", 0.25), ("a histogram", 0.5))
    assert budget.ledger[0].purpose == "a count"
    assert repr(budget) == "Budget(1): 0.25 left after 2 spendings"


def test_overspending_is_refused_and_leaves_the_ledger_untouched():
    budget = Budget(1)
    budget.spend(0.75, "a count")
    before = budget.ledger
    with pytest.raises(BudgetExceeded, match=r"at most the 0\.25 left of 1; got 0\.5"):
        budget.spend(0.5, "one too many")
    assert budget.ledger == before
    assert budget.remaining == 0.25
    budget.spend(0.25, "what still fits")
    assert budget.remaining == 0
    with pytest.raises(BudgetExceeded):
        budget.spend(1e-9, "anything")


@pytest.mark.parametrize(
    ("total", "spendings"),
    [
        (1, [0.1] * 10),
        (0.7, [0.1] * 7),
        (0.3, [0.1] * 3),
        (1, [1 / 6, 5 / 6]),
        (1, [1 / 3] * 3),
        (1.1, [0.011] * 100),
        (1e-3, [1e-6] * 1000),
        (100, [100 / 7] * 7),
    ],
)
def test_spendings_that_add_up_to_the_budget_fit_it(total, spendings):
    budget = Budget(total)
    for epsilon in spendings:
        budget.spend(epsilon, "a share")
    assert budget.remaining == 0
    with pytest.raises(BudgetExceeded):
        budget.spend(total / 1e6, "more")


@pytest.mark.parametrize("total", [1.0, 0.7, 3.3, 1e-5])
def test_what_remains_can_be_spent(total):
    budget = Budget(total)
    for _ in range(3):
        budget.spend(0.17 * total, "a share")
    budget.spend(budget.remaining, "the rest")
    assert budget.remaining == 0


def test_rounding_is_no_way_to_a_second_budget():
    budget = Budget(1)
    budget.spend(1, "all of it")
    granted = 0.0
    for _ in range(100):
        try:
            granted += budget.spend(4e-13, "a crumb")
        except BudgetExceeded:
            break
    assert granted <= 1e-12


def test_a_ledger_cannot_be_edited_from_outside():
    budget = Budget(1)
    budget.spend(0.5, "a count")
    with pytest.raises(AttributeError):
        budget.ledger = ()
    with pytest.raises(AttributeError):
        budget.epsilon = 100
    with pytest.raises(AttributeError):
        budget.ledger.clear()
    with pytest.raises(AttributeError):
        budget.ledger[0].epsilon = 0.0


@pytest.mark.parametrize("bad", [0, -0.1, np.nan, np.inf, "0.1", None, True])
def test_a_budget_refuses_a_bad_epsilon(bad):
    with pytest.raises(ValueError, match=r"^epsilon must be .*; got "):
        Budget(bad)
    budget = Budget(1)
    with pytest.raises(ValueError, match=r"^epsilon must be .*; got ") as caught:
        budget.spend(bad, "a count")
    assert not isinstance(caught.value, BudgetExceeded)
    assert budget.ledger == ()


@pytest.mark.parametrize("bad", ["", "  ", None, 3])
def test_a_spending_must_have_a_purpose(bad):
    budget = Budget(1)
    with pytest.raises(ValueError, match=r"^purpose must be .*; got "):
        budget.spend(0.1, bad)
    assert budget.ledger == ()


# Sequential and parallel composition. That they are reached, the rows of the claims find by running releases.


def test_parallel_composition_is_the_largest_and_twice_that_where_a_replaced_record_may_change_its_part():
    """Propositions 2.5 and 2.7."""
    assert parallel([0.3, 0.8, 0.5], "add/remove") == 0.8
    assert parallel([0.3, 0.8, 0.5], "replace") == 1.6


def test_sequential_sums_do_not_drift():
    assert sequential([0.2, 0.5, 0.7]) == pytest.approx(1.4)
    assert sequential([0.1] * 10) == 1.0
    assert sequential(np.full(1000, 0.001)) == 1.0


@pytest.mark.parametrize("combine", [sequential, lambda epsilons: parallel(epsilons, "replace")])
@pytest.mark.parametrize("bad", [[], 0.5, None, [0.1, 0], [0.1, -1], [np.nan], [np.inf], ["a"], [[0.1]]])
def test_sums_refuse_bad_epsilons(combine, bad):
    with pytest.raises(ValueError, match=r"^epsilons(\[\d\])? must be .*; got "):
        combine(bad)


@pytest.mark.parametrize("bad", ["add", "bounded", None, "", ["replace"]])
def test_parallel_refuses_other_relations(bad):
    with pytest.raises(ValueError, match=r"^relation must be one of 'add/remove', 'replace'; got "):
        parallel([1.0], bad)


# Advanced and optimal composition.


def test_advanced_composition_is_the_stated_formula():
    """k = 100 releases at 0.1, delta = e^-8: 0.1 sqrt(2 * 100 * 8) + 100 * 0.1 (e^0.1 - 1) = 4 + 10 (e^0.1 - 1)."""
    assert advanced(0.1, 100, math.exp(-8)) == pytest.approx(4 + 10 * (math.exp(0.1) - 1), rel=1e-12)


def test_advanced_is_worse_than_sequential_for_few_releases_and_better_for_many():
    assert advanced(0.1, 10, 1e-6) > sequential([0.1] * 10)
    assert advanced(0.1, 100, 1e-6) < sequential([0.1] * 100)
    assert advanced(1.0, 100_000, 1e-6) > sequential([1.0] * 100_000)
    assert advanced(800.0, 2, 1e-6) == math.inf


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("k", [1, 2, 7, 10])
@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.2])
def test_optimal_composition_is_exact_for_randomized_response(epsilon, k, delta):
    """By listing all outputs: at `optimal` the delta is just enough, at a smaller epsilon it is not."""
    total = optimal(epsilon, k, delta)
    assert responses_delta(total, epsilon, k) == pytest.approx(delta if total > 0 else responses_delta(0, epsilon, k))
    if total > 0:
        assert responses_delta(total * 0.999, epsilon, k) > delta
    else:
        assert responses_delta(0, epsilon, k) <= delta


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("k", [1, 10, 1000, 100_000])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.1])
def test_no_bound_is_below_the_optimum(epsilon, k, delta):
    assert 0 <= optimal(epsilon, k, delta) <= min(k * epsilon, advanced(epsilon, k, delta)) * (1 + 1e-9)


def test_optimal_composition_of_one_release_at_a_tiny_delta_is_its_epsilon():
    assert optimal(0.7, 1, 1e-15) == pytest.approx(0.7, abs=1e-12)
    assert optimal(0.1, 1, 0.5) == 0


@pytest.mark.parametrize("bound", [advanced, optimal])
def test_bounds_refuse(bound):
    bad = {"epsilon": NOT_POSITIVE, "k": NOT_WHOLE, "delta": (0, 1, -0.1, 1.5, np.nan, None)}
    assert_refuses(bound, {"epsilon": 0.1, "k": 10, "delta": 1e-6}, bad)


# Computed with 400 digits.
@pytest.mark.parametrize(
    ("epsilon", "k", "delta", "exact"),
    [
        (30, 1, 1 - 1e-12, 2.2707061336359346),
        (1, 1000, 1 - 1e-12, 257.22427764107813),
        (1, 5, 0.7, 0.34343600956825829),
    ],
)
def test_the_optimal_epsilon_at_a_delta_near_1(epsilon, k, delta, exact):
    assert optimal(epsilon, k, delta) == pytest.approx(exact, rel=1e-11)
