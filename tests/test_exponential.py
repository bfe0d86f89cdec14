"""The exponential mechanism: its law, its exact privacy over all small datasets, and what section 2.4 of 004 claims.

Neighbours are add/remove unless a test says replace. Losses are exact (probabilities of every output, in logs). What
is chosen is looked at by the one uniform number that it takes.
"""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from dpbook.exponential import (
    exponential_mechanism,
    log_selection_probabilities,
    log_weights,
    median_quality,
    mode_quality,
    privacy_loss,
    private_median,
    private_mode,
    private_quantile,
    private_quantile_in_ranges,
    quantile_quality,
    range_quality,
    selection_probabilities,
)
from dpbook.neighbours import add_record, record_pairs, replace_record
from tests.alarms import FALSE_ALARM, OFF
from tests.generators import Fixed, assert_chooses_by
from tests.refusals import NO_GENERATOR, NOT_POSITIVE, assert_refuses

DOMAIN = np.arange(5)
CROWD = np.concatenate([[0], np.linspace(1, 4, 4000), [5]])  # many candidates between two values: the worst case
CROWD_PAIRS = record_pairs(add_record, (0.5, 4.5), 4)
SPREAD = (-1, 0, 1, 2.5, 4, 9)  # some between candidates, some outside
SPREAD_PAIRS = record_pairs(add_record, SPREAD, 3)
EPSILONS = (0.1, 1.0, 3.0)


def worst_loss(quality, sensitivity, epsilon, pairs, monotonic=False):
    """The largest exact loss over the pairs; `quality` maps a dataset to its scores."""
    return max(privacy_loss(quality(a), quality(b), sensitivity, epsilon, monotonic) for a, b in pairs)


FIRST, LAST = 0.0, 1 - 2.0**-53  # the ends of what Generator.random can give


# The law


@pytest.mark.parametrize("monotonic, factor", [(False, 2), (True, 1)])
def test_probabilities_are_those_of_definition_2_17_and_corollary_2_19(monotonic, factor):
    quality, sensitivity, epsilon = np.array([3.0, 5.0, 4.0, 0.0]), 1.5, 0.8
    weights = np.exp(epsilon * quality / (factor * sensitivity))
    p = selection_probabilities(quality, sensitivity, epsilon, monotonic)
    np.testing.assert_allclose(p, weights / weights.sum(), rtol=1e-14)
    np.testing.assert_allclose(
        np.exp(log_selection_probabilities(quality, sensitivity, epsilon, monotonic)), p, rtol=1e-13
    )
    assert p.sum() == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("epsilon", [0.1, 0.7, 4.0])
@pytest.mark.parametrize("monotonic", [False, True])
def test_selection_cuts_the_uniform_numbers_at_exactly_the_right_places(monotonic, epsilon):
    quality = [0, 2, 5, 5, 1, -300]
    law = selection_probabilities(quality, 1.5, epsilon, monotonic)
    assert_chooses_by(law, lambda rng: exponential_mechanism(quality, 1.5, epsilon, rng, monotonic=monotonic))
    with pytest.raises(AssertionError):
        wrong = selection_probabilities(quality, 1.5, OFF * epsilon, monotonic)
        assert_chooses_by(wrong, lambda rng: exponential_mechanism(quality, 1.5, epsilon, rng, monotonic=monotonic))


@pytest.mark.parametrize(
    "release, law",
    [
        (private_mode, lambda v, d, e: selection_probabilities(mode_quality(v, d), 1, e, monotonic=True)),
        (private_median, lambda v, d, e: selection_probabilities(median_quality(v, d), 0.5, e)),
    ],
    ids=["mode", "median"],
)
def test_releases_are_chosen_by_exactly_their_laws(release, law):
    values, domain = [1, 1, 2, 4, 4, 4, 3, 0], np.arange(7) * 1.0
    assert_chooses_by(law(values, domain, 0.6), lambda rng: int(release(values, domain, 0.6, rng)))
    assert type(release(values, domain, 0.6, np.random.default_rng(5))) is float


@pytest.mark.parametrize("q", [0.1, 0.25, 0.5, 0.9])
def test_quantiles_are_chosen_with_the_sensitivity_of_their_own_rank_exactly(q):
    """Add/remove: max(q, 1 - q), for points and for ranges. 1/2 for all would lose up to 2 max(q, 1 - q) epsilon.

    Of a range chosen, a point is released that is uniform in it.
    """
    values, edges, epsilon = [1, 2, 2, 5, 9], np.array([0, 1, 3, 7, 10.0]), 1.3
    sensitivity = max(q, 1 - q)
    points = selection_probabilities(quantile_quality(values, q, edges), sensitivity, epsilon)
    assert_chooses_by(points, lambda rng: int(np.searchsorted(edges, private_quantile(values, q, edges, epsilon, rng))))
    ranges = selection_probabilities(range_quality(values, q, edges), sensitivity, epsilon)

    def chosen(rng):
        release = private_quantile_in_ranges(values, q, edges, epsilon, rng)
        place = int(np.searchsorted(edges, release, side="right")) - 1
        assert release == pytest.approx(edges[place] + (edges[place + 1] - edges[place]) * rng.number)
        return place

    assert_chooses_by(ranges, chosen)


# Floating point: the ends of the inverse CDF, overflow, many candidates


@pytest.mark.parametrize("uniform", [FIRST, 2.0**-53, 0.3, 0.5, 0.999, LAST])
@pytest.mark.parametrize("dead", [0, 1, 7])
def test_candidates_of_zero_weight_are_never_drawn(uniform, dead):
    for alive in ([0.0], [0.0, -0.1], [-0.3, 0.0, -2.0, 0.0], list(-np.linspace(0, 3, 50))):
        quality = np.concatenate([np.full(dead, -1e6), alive, np.full(dead, -1e6)])
        chosen = exponential_mechanism(quality, 1, 1, Fixed(uniform))
        assert dead <= chosen < dead + len(alive)


def test_the_ends_of_the_uniform_reach_the_first_and_the_last_candidate():
    for candidates in (1, 2, 3, 1000):
        quality = np.zeros(candidates)
        assert exponential_mechanism(quality, 1, 1, Fixed(FIRST)) == 0
        assert exponential_mechanism(quality, 1, 1, Fixed(LAST)) == candidates - 1


def test_largest_uniform_never_rounds_up_to_the_total():
    totals = np.random.default_rng(7).uniform(0, 1e6, 100_000)
    powers = 2.0 ** np.arange(-300, 300)
    for total in (totals, powers, np.nextafter(powers, np.inf), np.nextafter(powers, 0)):
        assert np.all(total * LAST < total)


@pytest.mark.parametrize("shift", [1e6, -1e6, 2.0**40])
def test_a_shift_of_all_scores_changes_nothing(shift):
    quality = np.array([0.0, 1.0, 7.0, 3.0])
    np.testing.assert_array_equal(
        selection_probabilities(quality + shift, 1, 1), selection_probabilities(quality, 1, 1)
    )


@pytest.mark.parametrize("monotonic", [False, True])
def test_huge_scores_do_not_overflow(monotonic):
    for quality in ([1e6, 0, 999_990], [1e6, -1e6], [1.7e308, -1.7e308, 0]):
        p = selection_probabilities(quality, 1, 1, monotonic)
        assert np.all(np.isfinite(p)) and p.sum() == pytest.approx(1)
        assert exponential_mechanism(quality, 1, 1, np.random.default_rng(1), monotonic=monotonic) == 0
    near = log_selection_probabilities([1e6, 0], 1, 1, monotonic)
    assert near[1] == pytest.approx(-1e6 if monotonic else -5e5)


def test_a_million_candidates():
    quality = np.zeros(1_000_000)
    quality[777_777] = 2 * np.log(1_000_000)  # general mechanism, epsilon 1: even odds against all the others together
    p = selection_probabilities(quality, 1, 1)
    assert p[777_777] == pytest.approx(0.5, abs=1e-6) and p.sum() == pytest.approx(1, abs=1e-9)
    rng = np.random.default_rng(8)
    drawn = exponential_mechanism(quality, 1, 1, rng, size=200)
    assert 65 < np.sum(drawn == 777_777) < 135  # 5 standard deviations: false alarm below 1e-6
    others = drawn[drawn != 777_777]
    assert stats.kstest(others / 1e6, "uniform").pvalue > FALSE_ALARM


# The quality functions


def test_mode_quality_counts():
    np.testing.assert_array_equal(mode_quality([2, 0, 2, 4, 2], DOMAIN), [1, 0, 3, 0, 1])
    np.testing.assert_array_equal(mode_quality([0.5, 2.5, 0.5], [0.5, 1.0, 2.5]), [2, 0, 1])


def brute_rank_quality(values, q, candidates):
    """Example 2.21 as printed, with the ranks from n_<x to n_<=x; the distance is over real ranks in between."""
    values, scores = np.asarray(values), []
    for x in candidates:
        ranks = np.linspace((values < x).sum(), (values <= x).sum(), 1 + 20 * (values == x).sum())
        scores.append(-np.abs(ranks - q * values.size).min())
    return np.array(scores)


@pytest.mark.parametrize("q", [0.25, 0.5, 0.75, 0.9])
def test_quantile_quality_is_minus_the_distance_in_ranks(q):
    domain, rng = np.arange(-2, 12), np.random.default_rng(9)
    for _ in range(50):
        values = rng.integers(-4, 14, rng.integers(1, 30)) / 2
        np.testing.assert_allclose(
            quantile_quality(values, q, domain), brute_rank_quality(values, q, domain), atol=1e-9
        )
        np.testing.assert_array_equal(median_quality(values, domain), quantile_quality(values, 0.5, domain))


def test_ranges_own_the_ranks_between_their_edges():
    values, edges = [1, 2, 2, 5, 9], [0, 1, 3, 7, 10]
    below = [np.sum(np.array(values) < edge) for edge in edges]
    target = 2.5
    expected = [-max(0, low - target, target - high) for low, high in pairwise(below)]
    np.testing.assert_allclose(range_quality(values, 0.5, edges), expected)
    np.testing.assert_allclose(range_quality([10, 10, 10], 0.5, edges), [-1.5, -1.5, -1.5, 0])  # the last is closed
    np.testing.assert_array_equal(range_quality([-50, 2, 99], 0.5, [0, 2, 3, 5]), [-0.5, 0, -0.5])  # two lie outside


# Exact privacy over every small dataset


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_mode_is_private_and_the_bound_is_nearly_met(epsilon):
    pairs = record_pairs(add_record, DOMAIN, 4)
    worst = worst_loss(lambda v: mode_quality(v, DOMAIN), 1, epsilon, pairs, monotonic=True)
    assert worst <= epsilon * (1 + 1e-12)
    assert worst > 0.75 * epsilon


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(
    ("quality", "candidates", "pairs", "quantiles", "least"),
    [
        (quantile_quality, DOMAIN, SPREAD_PAIRS, (0.1, 0.25, 0.5, 0.75), 0.45),
        (quantile_quality, CROWD, CROWD_PAIRS, (0.25, 0.5, 0.75), 0.95),
        (range_quality, DOMAIN, SPREAD_PAIRS, (0.25, 0.5), 0.6),
    ],
    ids=["points", "crowd", "ranges"],
)
def test_quantiles_are_private_and_a_crowd_nearly_meets_the_bound(
    quality, candidates, pairs, quantiles, least, epsilon
):
    for q in quantiles:
        worst = worst_loss(lambda v, q=q: quality(v, q, candidates), max(q, 1 - q), epsilon, pairs)
        assert least * epsilon < worst <= epsilon * (1 + 1e-12)


@pytest.mark.parametrize("q", [0.1, 0.25, 0.5, 0.75, 0.9])
def test_sensitivity_of_the_rank_is_the_larger_of_q_and_1_minus_q(q):
    for relation, move in ((add_record, max(q, 1 - q)), (replace_record, 1)):
        pairs = record_pairs(relation, SPREAD, 3)
        moves = [quantile_quality(other, q, DOMAIN) - quantile_quality(one, q, DOMAIN) for one, other in pairs]
        assert np.abs(moves).max() == pytest.approx(move)


def test_counts_are_monotonic_and_ranks_are_not():
    for small, large in record_pairs(add_record, DOMAIN, 3):
        assert np.all(mode_quality(large, DOMAIN) >= mode_quality(small, DOMAIN))
    moves = [median_quality(b, DOMAIN) - median_quality(a, DOMAIN) for a, b in record_pairs(add_record, DOMAIN, 3)]
    assert any(move.min() < 0 < move.max() for move in moves)


def test_the_monotonic_factor_breaks_the_median():
    pairs = record_pairs(add_record, DOMAIN, 3)
    for epsilon in EPSILONS:
        assert worst_loss(lambda v: median_quality(v, DOMAIN), 0.5, epsilon, pairs, monotonic=True) > 1.3 * epsilon


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 1.1])
def test_the_loss_is_exact_for_counts_of_any_size(epsilon):
    """Only differences of counts matter, up to where the floats hold every whole number."""
    few, record = np.array([0.0, 20, 17]), np.array([0, 1, 0])
    small = privacy_loss(few, few + record, 1, epsilon, monotonic=True)
    large = privacy_loss(few + 1e15, few + 1e15 + record, 1, epsilon, monotonic=True)
    assert large == pytest.approx(small, rel=1e-12)
    spread = np.array([0.0, 1e15, 1e15 - 3])  # the first candidate's chance is 0 as a float: its loss too must be right
    weights = np.exp(epsilon * np.array([0, -3])), np.exp(epsilon * np.array([1, -3]))
    expected = np.log(weights[1].sum() / weights[0].sum())
    losses = [expected, epsilon - expected]
    assert privacy_loss(spread, spread + record, 1, epsilon, monotonic=True) == pytest.approx(max(losses), rel=1e-12)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_replacing_a_record_loses_more(epsilon):
    pairs = record_pairs(replace_record, DOMAIN, 4)
    mode = worst_loss(lambda v: mode_quality(v, DOMAIN), 1, epsilon, pairs, monotonic=True)
    assert 1.05 * epsilon < mode <= 2 * epsilon * (1 + 1e-12)
    between = np.concatenate([[0, 0.7], CROWD[1:]])
    pairs = record_pairs(replace_record, (0.5, 0.9, 4.5), 4)
    for q in (0.25, 0.5, 0.75):
        loss = worst_loss(lambda v, q=q: quantile_quality(v, q, between), max(q, 1 - q), epsilon, pairs)
        limit = epsilon / max(q, 1 - q)
        assert 0.95 * limit < loss <= limit * (1 + 1e-12)


# What section 2.4 says, right and wrong


@pytest.mark.parametrize("monotonic", [False, True])
def test_many_choices_at_once_are_those_made_one_by_one(monotonic):
    quality, one_by_one = [3.0, 1.0, 2.5], np.random.default_rng(5)
    many = exponential_mechanism(quality, 1, 0.7, np.random.default_rng(5), monotonic=monotonic, size=50)
    each = [exponential_mechanism(quality, 1, 0.7, one_by_one, monotonic=monotonic) for _ in range(50)]
    assert many.tolist() == each and set(each) == {0, 1, 2} and type(each[0]) is int


def test_laplace_as_an_exponential_mechanism_has_twice_the_scale():
    """Section 2.4.4: quality -|f(D) - o| gives weights exp(-epsilon |r| / 2), and loses only about half of epsilon."""
    outputs = np.arange(-400, 401)
    p = selection_probabilities(-np.abs(outputs), 1, 0.5)
    assert p[400 + 8] / p[400] == pytest.approx(np.exp(-8 * 0.5 / 2))
    loss = privacy_loss(-np.abs(outputs), -np.abs(outputs - 1), 1, 0.5)
    assert loss == pytest.approx(0.25, abs=1e-6)


# Bad input

RNG = np.random.default_rng(0)
BAD_LISTS = ([], [[1, 2]], [np.nan], [1, np.inf], ["a"], None, 3.0)
BAD_DOMAINS = (*BAD_LISTS, [2, 1], [1, 1, 2])
STRANGERS = ([1, 2, 7], [1, 2, -1, 2], [1, 2, 1.5], [1, 2, 2, 2, 4.0000001])  # no candidates of DOMAIN
NO_QUANTILES = (0, 1, -0.1, 1.1, np.nan, "0.5", None, True)
SCORED = {"quality": [1, 2], "sensitivity": 1, "epsilon": 1, "monotonic": False}
BAD_SCORED = {
    "quality": BAD_LISTS,
    "sensitivity": NOT_POSITIVE,
    "epsilon": NOT_POSITIVE,
    "monotonic": (1, 0, "no", None),
}
RANKED = {"values": [1, 2], "domain": DOMAIN}
BAD_RANKED = {"values": BAD_LISTS, "domain": BAD_DOMAINS}
IN_RANGES = {"values": [1, 2], "edges": DOMAIN, "q": 0.3}
BAD_IN_RANGES = {"values": BAD_LISTS, "edges": (*BAD_DOMAINS, [3]), "q": NO_QUANTILES}
RELEASED = {"epsilon": 1, "rng": RNG}
BAD_RELEASED = {"epsilon": NOT_POSITIVE, "rng": NO_GENERATOR}
REFUSED = {
    log_weights: (SCORED, BAD_SCORED),
    selection_probabilities: (SCORED, BAD_SCORED),
    log_selection_probabilities: (SCORED, BAD_SCORED),
    exponential_mechanism: (SCORED | {"rng": RNG}, BAD_SCORED | {"rng": NO_GENERATOR}),
    privacy_loss: (
        SCORED | {"neighbour_quality": [1, 2]},
        BAD_SCORED | {"neighbour_quality": ([1, 2, 3], [1, np.nan])},
    ),
    mode_quality: (RANKED, BAD_RANKED | {"values": (*BAD_LISTS, *STRANGERS)}),
    median_quality: (RANKED, BAD_RANKED),
    quantile_quality: (RANKED | {"q": 0.3}, BAD_RANKED | {"q": NO_QUANTILES}),
    range_quality: (IN_RANGES, BAD_IN_RANGES),
    private_mode: (RANKED | RELEASED, BAD_RELEASED | {"values": STRANGERS}),
    private_median: (RANKED | RELEASED, BAD_RELEASED),
    private_quantile: (RANKED | RELEASED | {"q": 0.3}, BAD_RELEASED | {"q": NO_QUANTILES}),
    private_quantile_in_ranges: (IN_RANGES | RELEASED, BAD_RELEASED | {"q": NO_QUANTILES}),
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_bad_arguments_are_refused(function):
    assert_refuses(function, *REFUSED[function])


def test_a_quotient_that_no_float_holds_is_refused():
    with pytest.raises(ValueError, match=r"^epsilon / sensitivity must be"):
        log_weights([1, 2], 1e-300, 1e300)


def test_arguments_are_left_as_they_were():
    values, domain = np.array([3.0, 1.0, 2.0]), np.arange(5.0)
    for quality in (median_quality, mode_quality):
        quality(values, domain)
    assert values.tolist() == [3, 1, 2] and domain.tolist() == [0, 1, 2, 3, 4]
