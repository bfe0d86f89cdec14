"""What epsilon means: intervals of probabilities and beliefs, and the bounds on them, each reached by a mechanism.

Neighbours are add/remove unless said. No test is statistical: random cases have fixed seeds and the bounds are exact.
"""

import math

import numpy as np
import pytest

from dpbook.laplace import geometric_log_probability, laplace_log_density
from dpbook.meaning import (
    belief_interval,
    closeness_interval,
    epsilon_for_belief,
    group_epsilon,
    largest_distance,
    posterior,
    statistical_distance,
)
from tests.refusals import NOT_POSITIVE, NOT_WHOLE, assert_refuses

EPSILONS = [0.01, 0.1, 1, 5, 10]
# 004 Table 3.1, as printed: p, then (low, high) for each epsilon.
TABLE = {
    0.001: [(0.0010, 0.0010), (0.0009, 0.0011), (0.0004, 0.0027), (0.0000, 0.1484), (0.0000, 1.0000)],
    0.01: [(0.0099, 0.0101), (0.0090, 0.0111), (0.0037, 0.0272), (0.0001, 0.9933), (0.0000, 1.0000)],
    0.1: [(0.0990, 0.1010), (0.0905, 0.1105), (0.0368, 0.2718), (0.0007, 0.9939), (0.0000, 1.0000)],
    0.5: [(0.4950, 0.5050), (0.4524, 0.5476), (0.1839, 0.8161), (0.0034, 0.9966), (0.0000, 1.0000)],
    0.75: [(0.7475, 0.7525), (0.7237, 0.7738), (0.3204, 0.9080), (0.0051, 0.9983), (0.0000, 1.0000)],
    0.99: [(0.9899, 0.9901), (0.9889, 0.9910), (0.9728, 0.9963), (0.0067, 0.9999), (0.0000, 1.0000)],
}


def is_close(p, q, epsilon):
    """Equation (3.3), with a little room for rounding."""
    most = math.exp(epsilon) * (1 + 1e-9)
    return p <= most * q and q <= most * p and 1 - p <= most * (1 - q) and 1 - q <= most * (1 - p)


# Probabilities of events.


@pytest.mark.parametrize("p", TABLE)
def test_table_3_1_is_as_printed(p):
    """All 60 numbers, to the four digits that the book prints."""
    for epsilon, printed in zip(EPSILONS, TABLE[p], strict=True):
        assert closeness_interval(p, epsilon) == pytest.approx(printed, abs=0.5001e-4)


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1, 4])
@pytest.mark.parametrize("p", [0.001, 0.2, 0.5, 0.8, 0.9999])
def test_the_ends_are_close_and_what_lies_beyond_is_not(p, epsilon):
    """So a mechanism with two outputs reaches each end: "yes" with probability p here, and `end` on a neighbour."""
    low, high = closeness_interval(p, epsilon)
    assert low < p < high
    assert is_close(p, low, epsilon) and is_close(p, high, epsilon)
    assert not is_close(p, low - 1e-6 * low, epsilon)
    assert not is_close(p, high + 1e-6 * (1 - high), epsilon)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.5])
def test_every_event_of_a_private_count_lies_within(epsilon):
    """The geometric mechanism on the counts 4 and 5 (add/remove), every event "at most t"."""
    outputs = np.arange(-200, 210)
    here, there = (np.cumsum(np.exp(geometric_log_probability(outputs, n, 1, epsilon))) for n in (4, 5))
    low, high = closeness_interval(np.clip(here, 0, 1), epsilon)
    assert np.all(low <= there + 1e-12) and np.all(there <= high + 1e-12)


def test_the_smallest_chance_of_a_float_is_close_to_certainty_at_the_largest_epsilons():
    """1e-307 e^710 is 22, so any chance is close; e^700 is only 1e304."""
    assert closeness_interval(1e-307, 710.0) == (0, 1)
    assert closeness_interval(2.3e-308, 1000.0) == (0, 1)


def test_closeness_goes_both_ways_and_turns_round():
    p, epsilon = np.linspace(0.01, 0.99, 50), 0.7
    low, high = closeness_interval(p, epsilon)
    assert low.shape == high.shape == (50,)
    assert closeness_interval(high, epsilon)[0] == pytest.approx(p)
    turned_low, turned_high = closeness_interval(1 - p, epsilon)
    assert turned_low == pytest.approx(1 - high) and turned_high == pytest.approx(1 - low)


def test_limits_of_closeness():
    assert closeness_interval(0.3, 1e-12) == pytest.approx((0.3, 0.3))
    assert closeness_interval(0.3, 1000) == pytest.approx((0, 1))
    for certain in (0.0, 1.0):
        for epsilon in (0.1, 10, 1000):
            assert closeness_interval(certain, epsilon) == (certain, certain)
    assert isinstance(closeness_interval(0.3, 1)[0], float)


# Beliefs.


@pytest.mark.parametrize("epsilon", [0.01, 1, 5])
def test_belief_interval_moves_the_odds_and_stays_inside_closeness(epsilon):
    belief = np.array([1e-6, 0.001, 0.3, 0.5, 0.99])
    low, high = belief_interval(belief, epsilon)
    odds = belief / (1 - belief)
    assert high / (1 - high) == pytest.approx(odds * math.exp(epsilon))
    assert low / (1 - low) == pytest.approx(odds * math.exp(-epsilon))
    least, most = closeness_interval(belief, epsilon)
    assert np.all(least < low) and np.all(high < most)
    assert belief_interval(0.5, epsilon)[1] == pytest.approx(math.exp(epsilon) / (1 + math.exp(epsilon)))


def test_belief_interval_at_the_ends():
    assert belief_interval(0, 3) == (0, 0)
    assert belief_interval(1, 3) == (1, 1)
    assert belief_interval(0.2, 2000) == (0, 1)


@pytest.mark.parametrize(("prior", "epsilon"), [(0.001, 0.5), (0.3, 2.0), (0.5, 5.0)])
def test_epsilon_for_belief_turns_belief_interval_round(prior, epsilon):
    assert epsilon_for_belief(prior, belief_interval(prior, epsilon)[1]) == pytest.approx(epsilon)


def test_posterior_by_hand():
    """Prior 1/4, 3/4; the release is twice as likely under the first: 2/4 against 3/4."""
    assert posterior([0.25, 0.75], np.log([0.2, 0.1])) == pytest.approx([0.4, 0.6])
    many = posterior([0.25, 0.75], np.log([[0.2, 0.1], [0.1, 0.1]]) - 5000)
    assert many == pytest.approx(np.array([[0.4, 0.6], [0.25, 0.75]]))
    assert posterior([0.5, 0.5, 0], [-np.inf, 0.0, 0.0]) == pytest.approx([0, 1, 0])


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_somebody_who_knows_all_other_records_stays_in_the_interval_and_reaches_it(epsilon):
    """Is the record in? Laplace noise on a count, add/remove."""
    released = np.linspace(-30, 30, 601)
    logs = np.column_stack([laplace_log_density(released, n, 1, epsilon) for n in (1, 0)])
    believed = posterior([0.2, 0.8], logs)[:, 0]
    low, high = belief_interval(0.2, epsilon)
    assert believed.min() == pytest.approx(low) and believed.max() == pytest.approx(high)


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_for_or_against_moves_the_odds_by_twice_epsilon_and_leaves_table_3_1(epsilon):
    """004 section 3.4.1 reads Table 3.1 as beliefs. For minus against, add/remove, sensitivity 1: odds x e^(2 epsilon).

    In the world without the record nothing is learned: the belief there is the prior.
    """
    prior, far = [0.5, 0.5], 40.0
    real = posterior(prior, [laplace_log_density(far, vote, 1, epsilon) for vote in (1, -1)])[0]
    ideal = posterior(prior, [laplace_log_density(far, 0, 1, epsilon)] * 2)[0]
    assert ideal == 0.5
    assert real == pytest.approx(belief_interval(0.5, 2 * epsilon)[1])
    assert real > closeness_interval(ideal, epsilon)[1] > belief_interval(ideal, epsilon)[1]


# Distances between beliefs.


def test_statistical_distance_is_the_largest_difference_on_an_event():
    first, second = np.array([0.1, 0.6, 0.3]), np.array([0.3, 0.3, 0.4])
    events = (np.arange(8)[:, None] >> np.arange(3)) & 1
    assert statistical_distance(first, second) == pytest.approx(np.abs(events @ first - events @ second).max())
    assert statistical_distance([first, second], [second, second]) == pytest.approx([0.3, 0])


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1, 3])
def test_largest_distance_of_outputs_is_tanh_and_reached(epsilon):
    p = 1 / (1 + math.exp(epsilon))
    assert closeness_interval(p, epsilon)[1] - p == pytest.approx(largest_distance(epsilon))
    grid = np.linspace(0, 1, 20_001)
    assert (closeness_interval(grid, epsilon)[1] - grid).max() <= largest_distance(epsilon) + 1e-12


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1, 3])
def test_a_private_mechanism_and_a_belief_reach_tanh_where_the_book_has_more(epsilon):
    """B26. Two records a, b; "yes" is released with probability u e^epsilon for (1, 1), u e^-epsilon for (0, 0), and u
    for every other dataset, also those with fewer records: epsilon-DP, as (1, 1) and (0, 0) are no neighbours."""
    u = 0.01
    prior = [1 / (1 + math.exp(epsilon)), math.exp(epsilon) / (1 + math.exp(epsilon))]  # of (1, 1) and of (0, 0)
    yes = {"11": u * math.exp(epsilon), "00": u * math.exp(-epsilon), "other": u}
    for name in ("11", "00"):
        p, q = yes[name], yes["other"]
        assert abs(math.log(p / q)) <= epsilon * (1 + 1e-12) and abs(math.log((1 - p) / (1 - q))) <= epsilon
    real, ideal = posterior(prior, np.log([yes["11"], yes["00"]])), posterior(prior, np.log([u, u]))
    assert statistical_distance(real, ideal) == pytest.approx(largest_distance(epsilon))
    assert largest_distance(epsilon) < math.expm1(epsilon)


def test_the_books_bound_says_nothing_from_ln_2_on():
    assert math.expm1(math.log(2)) == pytest.approx(1)
    assert largest_distance(math.log(2)) == pytest.approx(1 / 3)
    assert largest_distance(1) < 0.47 < 1 < math.expm1(1)


# Groups.


@pytest.mark.parametrize("members", [1, 2, 5])
def test_a_family_that_falls_ill_together_moves_the_odds_by_e_to_the_k_epsilon(members):
    """Example 3.3: all ill or none. In the world without Bob, k - 1 are left: real and ideal odds differ by epsilon."""
    epsilon, prior = 0.4, [0.1, 0.9]
    released = np.linspace(-60, 60, 1201)

    def log_odds(ill):
        believed = posterior(prior, np.column_stack([laplace_log_density(released, n, 1, epsilon) for n in (ill, 0)]))
        return np.log(believed[:, 0] / believed[:, 1]) - math.log(1 / 9)

    real, ideal = log_odds(members), log_odds(members - 1)
    assert np.abs(real).max() == pytest.approx(group_epsilon(members, epsilon))
    assert np.abs(real - ideal).max() == pytest.approx(epsilon)


# Bad input.

NO_CHANCES = (-0.1, 1.1, np.nan, np.inf, "0.5", None, [0.5, 2])
NO_PRIORS = ([0.5, 0.6], [0.5, 0.5001], [1.5, -0.5], 1.0, [[0.5, 0.5]], [], [np.nan, 1], "half")
NO_LOGS = (0.0, [0.0], [0.0, np.nan], [0.0, np.inf], [0.0, 0.0, 0.0], [-np.inf, 0.0], "x")
REFUSED = {
    closeness_interval: ({"p": 0.5, "epsilon": 1}, {"p": NO_CHANCES, "epsilon": NOT_POSITIVE}),
    belief_interval: ({"belief": 0.5, "epsilon": 1}, {"belief": NO_CHANCES, "epsilon": NOT_POSITIVE}),
    largest_distance: ({}, {"epsilon": NOT_POSITIVE}),
    group_epsilon: ({"members": 2, "epsilon": 1}, {"members": NOT_WHOLE, "epsilon": NOT_POSITIVE}),
    epsilon_for_belief: ({"prior": 0.5, "most": 0.7}, {"prior": (0, 1), "most": (1, 0.5, 0.4)}),
    posterior: (
        {"prior": [1.0, 0.0], "log_likelihoods": [0.0, 0.0]},
        {"prior": NO_PRIORS, "log_likelihoods": NO_LOGS},
    ),
    statistical_distance: (
        {"first": [1.0], "second": [1.0]},
        {"first": ([2.0], [np.nan]), "second": ([0.5, 0.5], 0.5, [np.nan])},
    ),
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_bad_arguments_are_refused(function):
    assert_refuses(function, *REFUSED[function])


def test_who_knows_all_but_one_record_changes_belief_by_e_to_the_epsilon_at_most_and_somebody_reaches_it():
    """Page 06, Theorem 6.9: random laws over five datasets, any two within e^epsilon, and a prior that gets there."""
    rng, epsilon = np.random.default_rng(12), 0.8
    laws = np.exp(rng.uniform(-epsilon / 2, epsilon / 2, (2_000, 5)))  # likelihoods of one release
    priors = rng.dirichlet(np.full(5, 0.4), 2_000)
    believed = priors * laws / (priors * laws).sum(axis=1, keepdims=True)
    statement = np.array([1, 1, 0, 0, 1])
    change = np.log(believed @ statement) - np.log(priors @ statement)
    assert np.abs(change).max() <= epsilon
    small = 1e-9
    (belief, _) = posterior([small, 1 - small], [epsilon, 0.0])
    assert math.log(belief / small) == pytest.approx(epsilon, rel=1e-6)
