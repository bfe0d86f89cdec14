"""Randomized response, k-ary and unary reports: their laws, the exact local inequality, estimates, intervals, refusals.

Neighbours here are any two values of one person (local model); for a dataset that is the relation "replace".
"""

import itertools
import math

import numpy as np
import pytest

from dpbook.local import (
    Chances,
    binary_chances,
    estimate_frequencies,
    estimate_frequency,
    frequency_deviation,
    frequency_interval,
    k_ary_chances,
    k_ary_log_probability,
    k_ary_response,
    optimised_chances,
    randomized_response,
    report_count_probabilities,
    response_log_probability,
    unary_chances,
    unary_encoding,
    unary_log_probability,
    unary_loss,
)
from tests.alarms import OFF, assert_counts
from tests.generators import assert_chooses_by
from tests.refusals import NO_GENERATOR, NOT_POSITIVE, NOT_WHOLE, assert_refuses

EPSILONS = (0.01, 0.5, 1.0, math.log(9), 6.0)
UNARY = (unary_chances, optimised_chances)


def rows(categories):
    """Every possible row of a unary report."""
    return np.array(list(itertools.product((0, 1), repeat=categories)))


# The exact inequality: every output, every pair of values of one person. Single outputs suffice: a sum of
# probabilities keeps the bound of its terms.


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_every_report_of_one_bit_has_a_loss_of_exactly_epsilon(epsilon):
    logs = np.array([response_log_probability([0, 1], bit, epsilon) for bit in (0, 1)])
    assert np.abs(logs[0] - logs[1]) == pytest.approx([epsilon] * 2)
    assert np.exp(logs).sum(axis=1) == pytest.approx([1, 1])


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("categories", [2, 3, 10])
def test_every_pair_of_values_obeys_epsilon_under_k_ary_response(epsilon, categories):
    everything = np.arange(categories)
    logs = k_ary_log_probability(everything, everything[:, np.newaxis], categories, epsilon)
    losses = np.abs(logs[:, np.newaxis] - logs[np.newaxis])
    assert losses.max() == pytest.approx(epsilon)
    assert np.exp(logs).sum(axis=1) == pytest.approx(np.ones(categories))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("categories", [2, 3, 6])
@pytest.mark.parametrize("chances", UNARY)
def test_every_pair_of_values_obeys_epsilon_under_unary_encoding(epsilon, categories, chances):
    outputs = rows(categories)
    logs = np.array([unary_log_probability(outputs, value, epsilon, chances) for value in range(categories)])
    losses = np.abs(logs[:, np.newaxis] - logs[np.newaxis])
    assert losses.max() == pytest.approx(epsilon)
    assert unary_loss(chances(epsilon)) == pytest.approx(epsilon)
    assert np.exp(logs).sum(axis=1) == pytest.approx(np.ones(categories))


def test_unary_bits_each_kept_with_epsilon_would_lose_twice_epsilon():
    """RAPPOR with f = 1/2: each bit tells the truth with 3/4, ln 3 a bit, and the value loses 2 ln 3 = ln 9."""
    logs = np.array([unary_log_probability(rows(3), value, math.log(3), binary_chances) for value in range(3)])
    assert np.abs(logs[0] - logs[1]).max() == pytest.approx(math.log(9))
    assert unary_loss(Chances(0.75, 0.25)) == pytest.approx(math.log(9))
    assert unary_chances(math.log(9)) == pytest.approx((0.75, 0.25))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_number_of_yes_reports_obeys_epsilon_when_one_bit_is_replaced(epsilon):
    here, there = (report_count_probabilities(ones, 12, epsilon) for ones in (4, 5))
    losses = np.abs(np.log(here / there))
    assert losses.max() == pytest.approx(epsilon)  # reached where nobody, or everybody, reports 1


@pytest.mark.parametrize("epsilon", [20.0, 35.0, 40.0, 300.0])
def test_the_number_of_yes_reports_is_exact_where_the_truth_is_all_but_certain(epsilon):
    """1 - 1 / (1 + e^epsilon) rounds to 1 from 37 on; yet all of two people may lie, with the square of that chance."""
    lie = 1 / (1 + math.exp(epsilon))
    expected = [lie**2, 2 * lie * (1 - lie), (1 - lie) ** 2]
    assert report_count_probabilities(2, 2, epsilon) == pytest.approx(expected, rel=1e-12, abs=0)
    here, there = (report_count_probabilities(ones, 1, epsilon) for ones in (0, 1))
    assert np.abs(np.log(here / there)).max() == pytest.approx(epsilon, rel=1e-12)


# The laws of what is drawn. Fixed seeds: these results do not change from run to run.


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("held", [0, 1])
def test_reports_are_true_with_exactly_the_stated_chance(held, epsilon):
    """Of the one uniform number that decides: below that chance it gives the truth, from there on a lie."""
    one_bit = np.exp(response_log_probability([held, 1 - held], held, epsilon))
    assert_chooses_by(one_bit, lambda rng: int(randomized_response(held, epsilon, rng) != held))
    of_five = k_ary_chances(5, epsilon).yes_if_true
    assert_chooses_by([of_five, 1 - of_five], lambda rng: int(k_ary_response(held, 5, epsilon, rng) != held))


def test_k_ary_response_reports_by_its_law():
    reports = k_ary_response(np.full(400_000, 2), 5, 1.0, np.random.default_rng(2))
    laws = [np.exp(k_ary_log_probability(np.arange(5), 2, 5, off)) for off in (1, OFF, 1 / OFF)]
    assert_counts(np.bincount(reports, minlength=5), *laws)


@pytest.mark.parametrize("chances", UNARY)
def test_unary_encoding_reports_by_its_law(chances):
    """All 2^4 rows, so that bits that hang together would be seen."""
    reports = unary_encoding(np.full(400_000, 1), 4, 1.0, np.random.default_rng(3), chances=chances)
    assert reports.dtype == np.int8 and reports.shape == (400_000, 4)
    seen = np.bincount(reports @ [8, 4, 2, 1], minlength=16)
    assert_counts(seen, *(np.exp(unary_log_probability(rows(4), 1, off, chances)) for off in (1, OFF, 1 / OFF)))


def test_reports_of_different_people_are_independent():
    reports = randomized_response(np.zeros((2, 40_000), dtype=int), 0.5, np.random.default_rng(4))
    assert abs(np.corrcoef(reports)[0, 1]) < 0.025


def test_binary_reports_are_k_ary_reports_with_two_categories():
    assert k_ary_chances(2, 1.3) == pytest.approx(binary_chances(1.3))


# Limits, shapes and seeds.


def test_a_large_epsilon_gives_the_truth():
    rng, values = np.random.default_rng(5), np.arange(10) % 4
    assert np.array_equal(randomized_response(values % 2, 1e12, rng), values % 2)
    assert np.array_equal(k_ary_response(values, 4, 1e12, rng), values)
    assert np.array_equal(unary_encoding(values, 4, 1e12, rng), np.eye(4)[values])
    assert estimate_frequency(values % 2, 1e12) == 0.5


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 2)])
def test_the_shape_is_kept_and_the_argument_is_not_changed(shape):
    bits = np.ones(shape, dtype=int)
    bits.flags.writeable = False
    assert np.shape(randomized_response(bits, 1.0, np.random.default_rng(7))) == shape
    assert np.shape(k_ary_response(bits, 3, 1.0, np.random.default_rng(7))) == shape


def test_types_of_the_outputs():
    rng = np.random.default_rng(8)
    assert type(randomized_response(True, 1.0, rng)) is int
    assert type(k_ary_response(1, 2, 1.0, rng)) is int
    assert randomized_response([True, False], 1.0, rng).dtype == np.int64
    assert unary_encoding(0, 2, 1.0, rng).shape == (1, 2)
    assert type(estimate_frequency([0, 1], 1.0)) is float


def test_more_epsilon_with_the_same_seed_only_takes_lies_away():
    truth = np.zeros(5_000, dtype=int)
    lies = [randomized_response(truth, epsilon, np.random.default_rng(9)) for epsilon in (0.1, 1.0, 4.0)]
    assert np.all(lies[0] >= lies[1]) and np.all(lies[1] >= lies[2]) and lies[2].any()


# Estimates: unbiased, with the exact deviation, and an interval that covers as it says.


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("ones", [0, 7, 40])
def test_the_estimate_is_unbiased_with_the_exact_deviation(epsilon, ones):
    """Over the exact law of the number of reports that say 1, from 40 people of whom `ones` hold 1."""
    law, yes = report_count_probabilities(ones, 40, epsilon), np.arange(41)
    estimates = estimate_frequencies(yes, 40, binary_chances(epsilon))
    assert law @ estimates == pytest.approx(ones / 40, abs=1e-9)
    deviation = math.sqrt(law @ (estimates - ones / 40) ** 2)
    assert frequency_deviation(ones / 40, 40, binary_chances(epsilon)) == pytest.approx(deviation)
    assert deviation == pytest.approx(1 / (2 * math.sqrt(40) * math.sinh(epsilon / 2)))


def test_estimate_frequency_is_the_estimate_of_the_number_of_ones():
    reports = [0, 1, 1, 0, 0]
    assert estimate_frequency(reports, 1.0) == pytest.approx(float(estimate_frequencies(2, 5, binary_chances(1.0))))
    assert estimate_frequency(np.array(reports, dtype=bool), 1.0) == estimate_frequency(reports, 1.0)


@pytest.mark.parametrize(
    ("respond", "chances"),
    [(lambda v, rng: np.bincount(k_ary_response(v, 6, 1.0, rng), minlength=6), k_ary_chances(6, 1.0))]
    + [(lambda v, rng, c=c: unary_encoding(v, 6, 1.0, rng, chances=c).sum(axis=0), c(1.0)) for c in UNARY],
)
def test_estimates_of_many_values_are_unbiased_with_the_stated_deviation(respond, chances):
    """300 runs on 500 people. |z| of a mean stays below 5 except with probability 6e-7 a value; deviations to 20 %."""
    values = np.repeat(np.arange(6), [250, 120, 80, 40, 10, 0])
    truth, rng = np.bincount(values, minlength=6) / 500, np.random.default_rng(10)
    estimates = np.array([estimate_frequencies(respond(values, rng), 500, chances) for _ in range(300)])
    deviation = frequency_deviation(truth, 500, chances)
    assert np.all(np.abs(estimates.mean(axis=0) - truth) < 5 * deviation / math.sqrt(300))
    assert estimates.std(axis=0) == pytest.approx(deviation, rel=0.2)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, math.log(9)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("ones", [0, 130, 400])
def test_the_interval_covers_the_truth_as_often_as_it_says(epsilon, confidence, ones):
    """Exact coverage over the law of 400 people's reports; the normal approximation is off by less than 1.5 points."""
    law, covered = report_count_probabilities(ones, 400, epsilon), np.zeros(401)
    for yes in np.flatnonzero(law > 1e-12):
        low, high = frequency_interval(np.repeat([1, 0], [yes, 400 - yes]), confidence, epsilon)
        covered[yes] = low <= ones / 400 <= high
    assert law @ covered == pytest.approx(confidence, abs=0.015)


def test_the_optimised_bit_has_the_smallest_deviation_for_rare_answers():
    """Among all bits that lose epsilon, searched over yes_if_true on a grid."""
    for epsilon in (0.5, 1.0, math.log(9)):
        p = np.linspace(0.01, 0.99, 99)
        q = 1 / (1 + np.exp(epsilon) * (1 - p) / p)
        deviations = [frequency_deviation(0, 1, pair) for pair in zip(p, q, strict=True)]
        assert p[np.argmin(deviations)] == pytest.approx(0.5)
        assert unary_loss((p[20], q[20])) == pytest.approx(epsilon)
        assert frequency_deviation(0, 1, optimised_chances(epsilon)) == pytest.approx(min(deviations))


def test_the_law_of_the_count_is_that_of_a_simulation():
    truth = np.repeat([1, 0], [3, 5])
    seen = randomized_response(np.tile(truth, (400_000, 1)), 1.0, np.random.default_rng(11)).sum(axis=1)
    laws = [report_count_probabilities(3, 8, off) for off in (1, OFF, 1 / OFF)]
    assert_counts(np.bincount(seen, minlength=9), *laws)
    assert report_count_probabilities(2_000, 6_366, 0.5).sum() == pytest.approx(1)


# Bad input.

BAD_BITS = (2, -1, [0, 0.5], np.nan, "1", None, [[1], [1, 0]])
BAD_VALUES = (3, -1, [0, 1.5], np.nan, "1", None, [0, 3])
BAD_CATEGORIES = (1, -2, *NOT_WHOLE)
BAD_PAIRS = (None, 0.5, (0.5,), (0.5, 0.5), (0.2, 0.4), (1.2, 0.1), (0.5, -0.1), "ab")
BAD_CHANCES = ({"epsilon": 1.0}, {"epsilon": NOT_POSITIVE})
OF_CATEGORIES = (
    {"values": [0, 1, 2], "categories": 3, "epsilon": 1.0, "rng": np.random.default_rng(0)},
    {"values": BAD_VALUES, "categories": BAD_CATEGORIES, "epsilon": NOT_POSITIVE, "rng": NO_GENERATOR},
)
REFUSED = {
    randomized_response: (
        {"bits": [0, 1], "epsilon": 1.0, "rng": np.random.default_rng(0)},
        {"bits": BAD_BITS, "epsilon": NOT_POSITIVE, "rng": NO_GENERATOR},
    ),
    k_ary_response: OF_CATEGORIES,
    unary_encoding: OF_CATEGORIES,
    binary_chances: BAD_CHANCES,
    unary_chances: BAD_CHANCES,
    optimised_chances: BAD_CHANCES,
    k_ary_chances: ({"categories": 3, "epsilon": 1.0}, {"categories": BAD_CATEGORIES, "epsilon": NOT_POSITIVE}),
    unary_loss: ({}, {"chances": (*BAD_PAIRS, (1.0, 0.5), (0.5, 0.0))}),
    estimate_frequencies: (
        {"yes": 3, "people": 10, "chances": (0.75, 0.25)},
        {"yes": (-1, 11, [0, 11], np.nan, "1", None), "people": NOT_WHOLE, "chances": BAD_PAIRS},
    ),
    frequency_deviation: (
        {"frequency": 0.3, "people": 10, "chances": (0.75, 0.25)},
        {
            "frequency": (-0.1, 1.1, [0.5, 1.1], np.nan, None, "1"),
            "people": (0, -1, [1, 0], np.nan, None),
            "chances": BAD_PAIRS,
        },
    ),
    estimate_frequency: ({"reports": [0, 1], "epsilon": 1.0}, {"reports": (*BAD_BITS, []), "epsilon": NOT_POSITIVE}),
    frequency_interval: (
        {"reports": [0, 1], "confidence": 0.95, "epsilon": 1.0},
        {"reports": (*BAD_BITS, []), "confidence": (0, 1, 95, -0.5, np.nan, None), "epsilon": NOT_POSITIVE},
    ),
    report_count_probabilities: (
        {"ones": 3, "people": 10, "epsilon": 1.0},
        {"ones": (-1, 11, 2.5, None), "people": NOT_WHOLE, "epsilon": NOT_POSITIVE},
    ),
    response_log_probability: (
        {"report": 1, "bit": 0, "epsilon": 1.0},
        {"report": BAD_BITS, "bit": BAD_BITS, "epsilon": NOT_POSITIVE},
    ),
    k_ary_log_probability: (
        {"report": 1, "value": 0, "categories": 3, "epsilon": 1.0},
        {"report": BAD_VALUES, "value": BAD_VALUES, "categories": BAD_CATEGORIES, "epsilon": NOT_POSITIVE},
    ),
    unary_log_probability: (
        {"report": [1, 0, 0], "value": 0, "epsilon": 1.0},
        {"report": ([0, 2], None, [0.5, 1], 1, [1], []), "value": BAD_VALUES, "epsilon": NOT_POSITIVE},
    ),
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_bad_arguments_are_refused(function):
    assert_refuses(function, *REFUSED[function])


def test_unary_encoding_refuses_tables_and_chances_that_are_none():
    with pytest.raises(ValueError, match=r"^values must be a list"):
        unary_encoding([[0], [1]], 3, 1.0, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"^chances must be"):
        unary_encoding([0], 3, 1.0, np.random.default_rng(0), chances=lambda epsilon: (0.2, 0.7))
    with pytest.raises(ValueError, match=r"the second smaller, both chances; got \(0\.2, 0\.7\)"):
        estimate_frequencies(1, 2, (0.2, 0.7))
    with pytest.raises(ValueError, match="both chances strictly between 0 and 1; got"):
        unary_loss((1.0, 0.5))
