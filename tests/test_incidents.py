"""Linkage, k-anonymity and its failures, the membership attack with its error rates, the averages that stop it."""

import math

import numpy as np
import pytest

from dpbook import data
from dpbook.claims.losses import loss_from_noise
from dpbook.incidents import (
    Moments,
    attack_moments,
    attack_rates,
    averages_scale,
    banded,
    candidates,
    centred_statistic,
    class_diversity,
    class_sizes,
    fair_attack_rates,
    homer_statistic,
    k_anonymity,
    link,
    most_true_positives,
    not_private_duplicates,
    private_averages,
    whitened_statistic,
)
from tests.generators import Spy
from tests.refusals import NO_GENERATOR, NOT_FINITE, NOT_POSITIVE, NOT_WHOLE, assert_refuses

EPSILONS = (0.1, 1.0, 4.0)
TABLE = np.array([[30, 1], [30, 1], [41, 0], [30, 0], [41, 0], [30, 1]])

# Linkage.


def test_candidates_and_links_by_hand():
    public = [[30, 1], [41, 0], [41, 0], [55, 1]]
    released = [[55, 1], [41, 0], [30, 1], [30, 0]]
    assert candidates(released, public).tolist() == [1, 2, 1, 0]
    assert link(released, public).tolist() == [3, -1, 0, -1]


def test_two_released_records_may_point_to_one_person():
    assert link([[1], [1]], [[1], [2]]).tolist() == [0, 0]


# k-anonymity, and what it leaves open.


def test_class_sizes_and_k_by_hand():
    assert class_sizes(TABLE).tolist() == [3, 3, 2, 1, 2, 3]
    assert k_anonymity(TABLE) == 1
    assert k_anonymity(np.delete(TABLE, 3, axis=0)) == 2
    assert type(k_anonymity(TABLE)) is int


def test_k_anonymity_looks_at_rows_and_not_at_their_order():
    order = np.random.default_rng(2).permutation(6)
    assert class_sizes(TABLE[order]).tolist() == class_sizes(TABLE)[order].tolist()
    assert k_anonymity(TABLE[order]) == k_anonymity(TABLE)


def test_coarser_attributes_never_lower_k():
    ages = data.election()["age"].values
    ks = [k_anonymity(banded(ages, width, 18)[:, np.newaxis]) for width in (1, 2, 4, 8, 16, 32, 128)]
    assert ks == sorted(ks) and ks[-1] == ages.size


def test_banded_by_hand():
    assert banded([18, 27.9, 28, 37, 17], 10, 18).tolist() == [18, 18, 28, 28, 8]


def test_homogeneity_a_k_anonymous_class_tells_its_value():
    sensitive = [1, 1, 0, 1, 1, 1]
    assert class_diversity(TABLE, sensitive).tolist() == [1, 1, 2, 1, 2, 1]
    released = np.array([[30], [30], [30], [41], [41], [41]])
    assert k_anonymity(released) == 3
    assert class_diversity(released, [1, 1, 1, 0, 1, 0]).min() == 1


def test_duplicates_are_k_anonymous_and_hide_nothing():
    """004 section 3.1: each record k times. Every class of a unique person still has one sensitive value."""
    table, sensitive = np.unique(TABLE, axis=0), np.array([0, 1, 1])
    for k in (1, 2, 5, 100):
        copies, answers = not_private_duplicates(table, k), not_private_duplicates(sensitive, k)
        assert k_anonymity(copies) == k
        assert class_diversity(copies, answers).max() == 1
        assert np.array_equal(link(copies, table), np.repeat(np.arange(3), k))


# The membership attack.


def test_homer_statistic_by_hand():
    reference, published = np.array([0.5, 0.2, 0.6]), np.array([0.75, 0.25, 0.5])
    assert homer_statistic([1, 0, 0], published, reference) == pytest.approx(0.25 - 0.05 + 0.1)
    assert homer_statistic([[1, 0, 0], [0.5, 0.5, 0.5]], published, reference) == pytest.approx(
        [0.3, -0.25 + 0.05 + 0.1]
    )


def test_the_centred_statistic_is_homers_less_its_mean_over_the_population():
    """Every one of the 2^6 possible records, weighted by its probability, with averages inside [0, 1]."""
    rng, every = np.random.default_rng(3), np.arange(64)[:, np.newaxis] >> np.arange(6) & 1
    published, reference = rng.random(6), rng.random(6)
    weights = np.prod(np.where(every, reference, 1 - reference), axis=1)
    homer = homer_statistic(every, published, reference)
    centred = centred_statistic(every, published, reference)
    assert centred == pytest.approx(homer - weights @ homer)
    assert weights @ centred == pytest.approx(0)


@pytest.mark.parametrize("people", [1, 2, 3])
def test_the_moments_are_those_of_every_case(people):
    """One attribute, every group and every outsider, each with its probability; noise adds 2 scale^2 to the average."""
    p, scale = 0.3, 0.4
    bits = np.arange(2 ** (people + 1))[:, np.newaxis] >> np.arange(people + 1) & 1
    chances = np.prod(np.where(bits == 1, p, 1 - p), axis=1)
    published = bits[:, 1:].mean(axis=1)
    exact = []
    for who in (bits[:, 1], bits[:, 0]):
        scores = 2 * (who - p) * (published - p)
        mean = np.sum(chances * scores)
        noise = np.sum(chances * (2 * (who - p)) ** 2) * 2 * scale**2
        exact.append((mean, math.sqrt(np.sum(chances * scores**2) - mean**2 + noise)))
    moments = attack_moments([p], people, scale)
    assert (moments.mean_inside, moments.deviation_inside) == pytest.approx(exact[0])
    assert (0.0, moments.deviation_outside) == pytest.approx(exact[1], abs=1e-12)


def test_the_moments_of_independent_attributes_add_up():
    frequencies = np.linspace(0.05, 0.95, 30)
    each = np.array([attack_moments([p], 5, 0.1) for p in frequencies])
    expected = each[:, 0].sum(), *np.sqrt((each[:, 1:] ** 2).sum(axis=0))
    assert attack_moments(frequencies, 5, 0.1) == pytest.approx(expected)


def test_the_exact_rates_for_fair_attributes_are_those_of_every_case():
    """2 people, 3 attributes: all 2^6 groups times all 2^3 outsiders, counted."""
    cases = np.arange(2**9)[:, np.newaxis] >> np.arange(9) & 1
    first, second, outsider = np.split(cases, 3, axis=1)
    published, half = (first + second) / 2, np.full(3, 0.5)
    scores = [
        np.array([homer_statistic(y, m, half) for y, m in zip(who, published, strict=True)])
        for who in (outsider, first)
    ]
    for threshold in (-1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5):
        counted = [np.mean(score > threshold) for score in scores]
        assert fair_attack_rates(threshold, 3, 2) == pytest.approx(counted)


def test_the_normal_rates_are_near_the_exact_ones():
    for attributes, people in ((1_000, 20), (3_000, 200)):
        moments = attack_moments(np.full(attributes, 0.5), people, 0)
        thresholds = np.linspace(-2, 4, 25) * moments.deviation_outside
        normal, exact = attack_rates(thresholds, moments), fair_attack_rates(thresholds, attributes, people)
        assert np.abs(np.array(normal) - exact).max() < 0.005


def test_the_signal_is_the_root_of_attributes_over_people():
    """A member is sqrt(attributes / people) deviations away, whatever share of yes the attributes have in common."""
    for attributes, people, share in ((100, 100, 0.5), (10_000, 100, 0.1), (10_000, 1_000, 0.9)):
        moments = attack_moments(np.full(attributes, share), people, 0)
        assert moments.mean_inside / moments.deviation_outside == pytest.approx(math.sqrt(attributes / people))


def test_correlated_attributes_are_worth_more_to_who_knows_the_correlation():
    """A change of coordinates that mixes the attributes changes nothing for whom it is known."""
    rng = np.random.default_rng(5)
    records, reference = rng.normal(size=(400, 20)), np.zeros(20)
    published = records[:10].mean(axis=0)
    mixing = np.tril(np.ones((20, 20)))
    plain = whitened_statistic(records, published, reference, np.eye(20))
    mixed = whitened_statistic(records @ mixing.T, mixing @ published, reference, mixing @ mixing.T)
    assert mixed == pytest.approx(plain)
    assert plain == pytest.approx(records @ published)
    assert np.mean(plain[:10]) > np.quantile(plain[10:], 0.8)


# Averages with noise, and what they promise.


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_noise_of_the_averages_is_laplace_with_the_stated_scale(epsilon):
    """Each average has a draw of its own."""
    records, spy = np.random.default_rng(6).random((20, 300)), Spy(7)
    released = private_averages(records, epsilon, spy)
    assert averages_scale(300, 20, epsilon) == 300 / (20 * epsilon)
    assert spy.asked("laplace", "scale") == [300 / (20 * epsilon)]
    (noise,) = spy.gave("laplace")
    assert noise.size == 300 and np.array_equal(released, records.mean(axis=0) + noise)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_averages_obey_epsilon_exactly_when_one_person_is_replaced(epsilon):
    """Neighbours: one of 8 people replaced, worst case all zeros by all ones. The program runs on both."""
    here = np.random.default_rng(8).random((8, 5))
    here[0] = 0
    there = here.copy()
    there[0] = 1
    assert loss_from_noise(lambda d, r: private_averages(d, epsilon, r), [(here, there)]) == pytest.approx(epsilon)


def test_a_large_epsilon_gives_the_averages_and_the_argument_is_not_changed():
    records = np.eye(3)
    records.flags.writeable = False
    assert private_averages(records, 1e12, np.random.default_rng(9)) == pytest.approx([1 / 3] * 3)
    assert private_averages([[0, 1, 1]], 1.0, np.random.default_rng(9)).shape == (3,)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("attributes", "people"), [(1, 10), (50, 10), (1_000, 10), (50, 1_000)])
def test_the_attack_stays_below_what_epsilon_allows(epsilon, attributes, people):
    """At every threshold that the normal law describes well."""
    moments = attack_moments(np.full(attributes, 0.3), people, averages_scale(attributes, people, epsilon))
    accused, found = attack_rates(np.linspace(-2, 2, 41) * moments.deviation_outside, moments)
    assert np.all(found <= most_true_positives(accused, epsilon) + 1e-12)


def test_the_bound_is_reached_by_randomized_response():
    """Report membership truthfully with odds e^epsilon: false positives 1 / (1 + e^eps), true ones e^eps times that."""
    for epsilon in EPSILONS:
        accused = 1 / (1 + math.exp(epsilon))
        assert most_true_positives(accused, epsilon) == pytest.approx(math.exp(epsilon) * accused)
        assert most_true_positives(0, epsilon) == 0
        assert most_true_positives(1, epsilon) == 1
        assert most_true_positives(0.9, epsilon) == pytest.approx(1 - math.exp(-epsilon) * 0.1)
    assert most_true_positives([0.0, 0.5], 1e6).tolist() == [0, 1]


# Bad input.

BAD_TABLES = (None, [], [1, 2], 3, [[1, np.nan]], [["a", "b"]], [[1, 2], [3]], np.zeros((0, 2)), np.zeros((2, 2, 2)))
SCORED = {"records": [0, 1], "published": [0.5, 0.5], "reference": [0.4, 0.4]}
BAD_SCORES = {
    "records": (None, 1, [1], [[1, 2, 3]], [np.nan, 1], "ab"),
    "published": (None, 1, [1], [1, 2, 3], [np.nan, 1], []),
    "reference": (None, 1, [np.nan, 1], []),
}
LINKED = (
    {"released": [[1, 2]], "public": [[1, 2], [3, 4]]},
    {"released": BAD_TABLES, "public": (*BAD_TABLES, [[1]], [[1, 2, 3]])},
)
REFUSED = {
    candidates: LINKED,
    link: LINKED,
    class_sizes: ({}, {"table": BAD_TABLES}),
    k_anonymity: ({}, {"table": BAD_TABLES}),
    class_diversity: (
        {"table": [[1, 2], [3, 4]], "sensitive": [0, 1]},
        {"table": BAD_TABLES, "sensitive": (None, [], [1], [1, np.nan], "ab", 1)},
    ),
    banded: (
        {"values": [1, 2], "width": 5, "start": 0},
        {"values": (None, "a", [np.nan], [np.inf]), "width": (0, -1, *NOT_FINITE), "start": NOT_FINITE},
    ),
    not_private_duplicates: ({"records": [[1, 2]], "k": 2}, {"k": NOT_WHOLE, "records": (3, None)}),
    homer_statistic: (SCORED, BAD_SCORES),
    centred_statistic: (SCORED, BAD_SCORES),
    whitened_statistic: (
        {**SCORED, "covariance": np.eye(2)},
        {**BAD_SCORES, "covariance": (None, 1, [1, 2], np.eye(3), np.ones((2, 2)), [[1, np.nan], [0, 1]])},
    ),
    attack_moments: (
        {"frequencies": [0.5, 0.2], "people": 3, "scale": 0.1},
        {
            "frequencies": (None, [], [1.1], [-0.1], [np.nan], "a", 0.5),
            "people": NOT_WHOLE,
            "scale": (-1, *NOT_FINITE),
        },
    ),
    attack_rates: (
        {"threshold": 0.1, "moments": Moments(1.0, 1.0, 1.0)},
        {"threshold": NOT_FINITE, "moments": ((1, 0, 1), (1, 1, 0), (np.nan, 1, 1), (1, -1, 1), (None, 1, 1))},
    ),
    fair_attack_rates: (
        {"threshold": 0.1, "attributes": 10, "people": 5},
        {"threshold": NOT_FINITE, "attributes": NOT_WHOLE, "people": NOT_WHOLE},
    ),
    private_averages: (
        {"records": np.array([[0.0, 1.0], [1.0, 1.0]]), "epsilon": 1.0, "rng": np.random.default_rng(0)},
        {"records": (*BAD_TABLES, [[0, 1.1]], [[-0.1, 0]]), "epsilon": NOT_POSITIVE, "rng": NO_GENERATOR},
    ),
    averages_scale: (
        {"attributes": 10, "people": 5, "epsilon": 1.0},
        {"attributes": NOT_WHOLE, "people": NOT_WHOLE, "epsilon": NOT_POSITIVE},
    ),
    most_true_positives: (
        {"false_positives": 0.1, "epsilon": 1.0},
        {"false_positives": (-0.1, 1.1, np.nan, None, "1", [0.5, 2]), "epsilon": NOT_POSITIVE},
    ),
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_bad_arguments_are_refused(function):
    assert_refuses(function, *REFUSED[function])
