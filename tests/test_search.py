"""The search that chapters 10 and 11 share: exact laws by enumeration, ledgers that sum to epsilon, and its limits.

Neighbours are add/remove unless a test says replace. Nothing here is statistical: where a law is tested, the ends of
its pieces are looked at with set uniform numbers, or every way that the choices can fall is run and weighed.
"""

import itertools

import numpy as np
import pytest

from dpbook import search
from dpbook.claims.listening import Transcript
from dpbook.search import (
    enhanced_exponential_mechanism,
    exponential_search,
    genetic_search,
    loss_spread,
    select_candidates,
)
from tests.generators import assert_chooses_by
from tests.refusals import NOT_POSITIVE, NOT_WHOLE, assert_refuses

LOSSES = np.array([3.0, 0.5, 1.25, 7.0])
RNG = np.random.default_rng(1)


def ways(run):
    """Every way that the choices of `run(rng)` can fall: (outcomes, output, ln of its chance)."""
    todo, seen = [()], {}
    while todo:
        start = todo.pop()
        transcript = Transcript(outcomes=list(start))
        output = run(transcript)
        outcomes = tuple(choice.outcome for choice in transcript.choices)
        chance = sum(np.log(choice.chances[choice.outcome]) for choice in transcript.choices)
        seen[outcomes] = output, chance
        for place in range(len(start), len(outcomes)):
            for other in range(transcript.choices[place].chances.size):
                if other != outcomes[place]:
                    todo.append((*outcomes[:place], other))
    return [(outcomes, *rest) for outcomes, rest in sorted(seen.items())]


# The spread


def test_the_spread_is_the_widest_row():
    assert loss_spread([[0, 1, 5], [10, 10, 10], [-3, 4, 0]]) == 7
    assert loss_spread([[2.0], [9.0]]) == 0


def test_what_all_candidates_have_in_common_does_not_count():
    """Delta_1 is the largest loss, Delta_2 the spread: for losses of at least 0 the spread is never above it."""
    table = np.random.default_rng(2).uniform(0, 3, (50, 4)) + 100
    assert loss_spread(table) <= 3 and table.max() > 100


def test_the_spread_of_nearby_places_is_at_most_how_far_they_lie_apart():
    """A loss that moves by at most the distance: +- s on one coordinate gives 2 s (spec of ExpSearch)."""
    records, step = np.linspace(-1, 1, 401), 0.1
    assert loss_spread(np.abs(records[:, None] - [0.5 - step, 0.5, 0.5 + step])) == pytest.approx(2 * step)


# One choice


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
@pytest.mark.parametrize("spread", [0.7, 4.0])
def test_the_weights_are_exp_minus_epsilon_loss_by_spread_exactly(spread, epsilon):
    law = np.exp(-epsilon * LOSSES / spread)
    assert_chooses_by(law, lambda rng: enhanced_exponential_mechanism(LOSSES, spread, epsilon, rng))
    for wrong in (law**0.5, law**1.05, 1 / law):  # the 2 of 004; epsilon 5 % off; the sign of Algorithm 8
        with pytest.raises(AssertionError):
            assert_chooses_by(wrong, lambda rng: enhanced_exponential_mechanism(LOSSES, spread, epsilon, rng))


def test_a_spread_of_nothing_makes_all_alike():
    assert_chooses_by(np.ones(4), lambda rng: enhanced_exponential_mechanism(LOSSES, 0, 5.0, rng))


@pytest.mark.parametrize("table", [[[0, 1], [1, 0]], [[0, 2, 1], [2, 0, 0.5], [1, 1, 1]], [[5, 5.5], [5.5, 5]]])
def test_one_record_loses_at_most_epsilon_and_a_replaced_one_twice(table):
    """Over all datasets of up to 6 records of the domain; some pair comes near."""
    table, epsilon = np.array(table, dtype=float), 3.0
    spread, rows = loss_spread(table), range(len(table))

    def log_law(data):
        log_weights = -epsilon * table[list(data)].sum(axis=0) / spread
        return log_weights - np.log(np.exp(log_weights).sum())

    datasets = [data for size in range(6) for data in itertools.combinations_with_replacement(rows, size)]
    joined = [np.abs(log_law(data) - log_law((*data, more))).max() for data in datasets for more in rows]
    swapped = [np.abs(log_law((*d, a)) - log_law((*d, b))).max() for d in datasets for a in rows for b in rows]
    assert 0.99 * epsilon < max(joined) <= epsilon * (1 + 1e-12)
    assert 1.9 * epsilon < max(swapped) <= 2 * epsilon * (1 + 1e-12)


def test_the_least_loss_wins_as_epsilon_grows():
    assert enhanced_exponential_mechanism(LOSSES, 1.0, 1e9, np.random.default_rng(1)) == 1
    assert select_candidates(LOSSES, 1.0, 3, 1e9, np.random.default_rng(1)).tolist() == [1, 2, 0]


# Some of many


def test_two_of_three_follow_the_peeling_law():
    """All six ordered pairs: the first by its weight at half of epsilon, the second by its weight among the others."""
    losses, spread, epsilon = np.array([0.0, 1.0, 0.4]), 0.8, 1.7
    weights = np.exp(-epsilon / 2 * losses / spread)
    found = ways(lambda rng: select_candidates(losses, spread, 2, epsilon, rng))
    assert len(found) == 6 and sum(np.exp(chance) for *_, chance in found) == pytest.approx(1, abs=1e-12)
    for _, (first, second), chance in found:
        law = weights[first] / weights.sum() * weights[second] / (weights.sum() - weights[first])
        assert np.exp(chance) == pytest.approx(law, rel=1e-12) and first != second


def test_all_of_them_are_a_permutation():
    assert sorted(select_candidates(LOSSES, 1.0, 4, 1.0, np.random.default_rng(3))) == [0, 1, 2, 3]


# Where epsilon goes


class Ledger:
    """In the place of the selection: notes the epsilon of each, and takes the least loss."""

    def __init__(self, monkeypatch):
        self.spent, self.chosen_from = [], []
        monkeypatch.setattr(search, "exponential_mechanism", self)

    def __call__(self, quality, sensitivity, epsilon, rng, *, monotonic):
        self.spent.append(epsilon)
        self.chosen_from.append(len(quality))
        assert monotonic
        return int(np.argmax(quality))


@pytest.mark.parametrize(("rounds", "selected"), [(1, 1), (2, 3), (12, 10)])
def test_a_genetic_search_spends_epsilon(monkeypatch, rounds, selected):
    """(r - 1) m' selections at epsilon / (r m'), and one at epsilon / r."""
    ledger = Ledger(monkeypatch)
    candidates = np.linspace(-1, 1, 12)
    genetic_search(candidates, np.abs, lambda c: 1.0, lambda parents, rng: candidates, rounds, selected, 0.9, RNG)
    assert sum(ledger.spent) == pytest.approx(0.9)
    assert len(ledger.spent) == (rounds - 1) * selected + 1 and ledger.spent[-1] == pytest.approx(0.9 / rounds)


def test_a_local_search_spends_epsilon_in_all_its_rounds(monkeypatch):
    """Algorithm 10 prints a loop to r - 1 at epsilon / r: 3/4 of it here."""
    ledger = Ledger(monkeypatch)
    exponential_search([0.0, 0.0], lambda c: c[:, 0], np.ptp, 0.5, 0.9, 4, 0.8, RNG)
    np.testing.assert_allclose(ledger.spent, [0.2] * 4)
    assert ledger.chosen_from == [5] * 4


# The searches


def test_a_genetic_search_goes_on_with_what_was_bred():
    seen = []

    def loss(candidates):
        seen.append(candidates.tolist())
        return np.abs(candidates - 7.25)

    found = genetic_search(
        np.arange(3.0), loss, lambda c: 1.0, lambda parents, rng: np.append(parents, parents + 3), 3, 2, 1e9, RNG
    )
    assert seen == [[0, 1, 2], [2, 1, 5, 4], [5, 4, 8, 7]]
    assert found.candidate == 7 and found.path.tolist() == [2, 5, 7]


def test_candidates_may_be_tables_and_paths_hold_them():
    tables = np.random.default_rng(4).uniform(-1, 1, (6, 3, 2))
    found = genetic_search(
        tables, lambda c: np.square(c).sum(axis=(1, 2)), lambda c: 6.0, lambda parents, rng: parents, 2, 4, 1e9, RNG
    )
    best = tables[np.argmin(np.square(tables).sum(axis=(1, 2)))]
    assert np.array_equal(found.candidate, best) and found.path.shape == (2, 3, 2)


def test_a_local_search_without_noise_descends_by_coordinates_and_may_stay():
    def loss(places):
        return np.abs(places - [0.7, -0.2]).sum(axis=1)

    found = exponential_search([0.0, 0.0], loss, lambda c: 1.0, 0.5, 0.8, 60, 1e9, RNG)
    assert found.path.shape == (61, 2) and np.array_equal(found.path[0], [0, 0])
    np.testing.assert_allclose(found.candidate, [0.7, -0.2], atol=1e-4)
    assert found.path[1].tolist() == [0.5, 0] and np.any(np.all(np.diff(found.path, axis=0) == 0, axis=1))
    assert np.array_equal(found.candidate, found.path[-1])


def test_candidates_stand_in_the_order_that_is_said():
    """A loss may count on it: where the search is, then more in each coordinate, then less."""
    seen = []
    exponential_search([1.0, 2.0], lambda c: seen.append(c) or np.zeros(5), lambda c: 1.0, 0.5, 0.5, 1, 1.0, RNG)
    assert seen[0].tolist() == [[1, 2], [1.5, 2], [1, 2.5], [0.5, 2], [1, 1.5]]


def test_all_paths_of_two_rounds_have_the_law_of_their_steps():
    """One coordinate, 3 x 3 paths: the worst ratio between neighbours over all of them is at most epsilon."""
    epsilon, data = 1.5, np.array([-1.0, 0.25, 1.0])

    def run(data):
        def loss(places):
            return np.abs(places - data).sum(axis=1)

        return ways(lambda rng: exponential_search([0.0], loss, np.ptp, 0.5, 0.5, 2, epsilon, rng))

    here, there = run(data), run(np.append(data, 1.0))
    assert len(here) == 9 and sum(np.exp(chance) for *_, chance in here) == pytest.approx(1)
    for (one, found, p), (other, same, q) in zip(here, there, strict=True):
        assert one == other and np.array_equal(found.path, same.path) and abs(p - q) <= epsilon
    places = {round(float(found.candidate[0]), 2) for _, found, _ in here}
    assert places == {-0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75}


# Bad input


NOT_LOSSES = ([], [np.nan], [1, np.inf], "a", [[1.0, 2.0]])
CHOICE = {"losses": [1, 2], "spread": 1, "epsilon": 1.0, "rng": RNG}
GENETIC = {"candidates": [1.0, 2.0], "loss": np.abs, "spread": np.ptp, "breed": lambda parents, rng: parents}
LOCAL = {"start": [0.0], "loss": np.sum, "spread": np.ptp, "step": 1, "shrink": 1}
REFUSED = {
    loss_spread: ({}, {"losses": ([], [1.0, 2.0], [[np.nan]], [[]])}),
    enhanced_exponential_mechanism: (CHOICE, {"losses": NOT_LOSSES, "spread": (-1, np.nan, np.inf, None)}),
    select_candidates: (CHOICE | {"chosen": 1}, {"losses": NOT_LOSSES, "chosen": (*NOT_WHOLE, 3)}),
    genetic_search: (
        GENETIC | {"rounds": 1, "selected": 1, "epsilon": 1.0, "rng": RNG},
        {"candidates": ([np.nan],), "rounds": NOT_WHOLE, "selected": (*NOT_WHOLE, 3)},
    ),
    exponential_search: (
        LOCAL | {"rounds": 1, "epsilon": 1.0, "rng": RNG},
        {"start": NOT_LOSSES, "step": NOT_POSITIVE, "shrink": (*NOT_POSITIVE, 1.5), "rounds": NOT_WHOLE},
    ),
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_bad_arguments_are_refused(function):
    assert_refuses(function, *REFUSED[function])


def test_an_epsilon_that_is_none_is_refused_where_all_candidates_are_alike():
    """The others are in the table of tests/test_refusals.py."""
    assert_refuses(enhanced_exponential_mechanism, CHOICE | {"spread": 0}, {"epsilon": NOT_POSITIVE})
