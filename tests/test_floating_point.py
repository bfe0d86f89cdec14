"""Laplace noise in few bits and in double precision: what its gaps betray, and that whole-number noise has none.

Neighbours: a count and the count plus one (add/remove).
"""

import numpy as np
import pytest
from scipy import stats

from dpbook.audit import exact_loss
from dpbook.audit.floating_point import betrayed, can_come_from, leaky_laplace, leaky_laplace_law, round_to_bits
from dpbook.laplace import geometric_log_probability, laplace_mechanism
from tests.alarms import OFF, assert_counts
from tests.refusals import NO_GENERATOR, NOT_FINITE, NOT_POSITIVE, assert_refuses


def rng(seed=1):
    return np.random.default_rng(seed)


def test_eleven_bits_are_half_precision():
    """numpy's float16 has a significand of 11 bits; 53 bits change no double."""
    numbers = rng().uniform(1, 2, 2000) * 2.0 ** rng(2).integers(-14, 15, 2000) * rng(3).choice([-1, 1], 2000)
    assert np.array_equal(round_to_bits(numbers, 11), numbers.astype(np.float16).astype(float))
    assert np.array_equal(round_to_bits(numbers, 53), numbers)
    assert round_to_bits([0.0, -3.0, 1.3], 2) == pytest.approx([0, -3, 1.5])


def test_two_thirds_of_the_outputs_betray_the_count():
    """Mironov 2012: 66.6 % of the outputs for 0 cannot come from 1, in 11-bit arithmetic at epsilon 1."""
    laws = [leaky_laplace_law(count, 1, 11, 1.0) for count in (0, 1)]
    assert betrayed(*laws) == pytest.approx(0.666, abs=5e-4)
    assert betrayed(*laws[::-1]) == pytest.approx(0.602, abs=5e-4)
    assert betrayed(laws[0], laws[0]) == 0


def test_the_same_in_half_precision():
    """The textbook's line of code in float16, over all 2,048 values of U: the same outputs, and the same two thirds."""
    uniform = (np.arange(1, 2049) / 2048).astype(np.float16)
    noise = np.concatenate([-np.log(uniform), np.log(uniform)])
    outputs = [np.float16(count) + noise for count in (0, 1)]
    assert all(one.dtype == np.float16 for one in outputs)
    assert np.mean(~np.isin(*outputs)) == pytest.approx(betrayed(*(leaky_laplace_law(c, 1, 11, 1.0) for c in (0, 1))))


def test_no_finite_epsilon_without_a_large_delta():
    laws = [dict(zip(*leaky_laplace_law(count, 1, 11, 1.0), strict=True)) for count in (0, 1)]
    outputs = sorted(set(laws[0]) | set(laws[1]))
    with np.errstate(divide="ignore"):
        logs = [np.log([law.get(output, 0.0) for output in outputs]) for law in laws]
    assert exact_loss(*logs).loss == np.inf
    assert exact_loss(*logs, delta=0.66).loss == np.inf
    assert exact_loss(*logs, delta=0.67).loss < 3


def test_law_and_mechanism_agree():
    outputs, probabilities = leaky_laplace_law(3, 1, 6, 0.5)
    assert probabilities.sum() == pytest.approx(1) and np.all(np.diff(outputs) > 0)
    drawn = leaky_laplace(3, 1, 6, 0.5, rng(), size=100_000)
    assert np.isin(drawn, outputs).all()
    assert_counts(np.bincount(np.searchsorted(outputs, drawn), minlength=outputs.size), probabilities)
    assert not np.isin(drawn, leaky_laplace_law(3, 1, 6, OFF * 0.5)[0]).all()
    assert type(leaky_laplace(3, 1, 6, 0.5, rng())) is float


def test_many_bits_approach_laplace():
    outputs, probabilities = leaky_laplace_law(0, 1, 16, 2.0)
    for at in (-1, -0.1, 0.2, 0.7):
        assert probabilities[outputs <= at].sum() == pytest.approx(stats.laplace(scale=0.5).cdf(at), abs=1e-3)


@pytest.mark.parametrize(("count", "epsilon", "least"), [(0, 1.0, 0.7), (10, 0.1, 0.5), (100, 0.1, 0.05)])
def test_double_precision_betrays_a_count_too(count, epsilon, least):
    """The book's own Laplace mechanism: its outputs can come from the true count, and many not from the next one."""
    outputs = laplace_mechanism(np.full(3000, count), 1, epsilon, rng())
    assert can_come_from(outputs, count, 1 / epsilon).all()
    assert np.mean(~can_come_from(outputs, count + 1, 1 / epsilon)) > least


def test_whole_number_noise_has_no_gaps():
    outputs = np.arange(-60, 61)
    logs = [geometric_log_probability(outputs, count, 1, 1.0) for count in (0, 1)]
    assert np.isfinite(logs).all() and exact_loss(*logs).loss == pytest.approx(1)


def test_what_is_refused():
    good = {"value": 0, "sensitivity": 1, "bits": 11, "epsilon": 1.0}
    bad = {"sensitivity": NOT_POSITIVE, "bits": (1, 21, 11.0, None), "epsilon": NOT_POSITIVE}
    assert_refuses(leaky_laplace_law, good, bad | {"value": NOT_FINITE})
    assert_refuses(leaky_laplace, good | {"rng": rng()}, bad | {"value": ([1, 2], *NOT_FINITE), "rng": NO_GENERATOR})
    good = {"outputs": [1.0], "value": 0, "scale": 1}
    assert_refuses(can_come_from, good, {"outputs": ([np.inf],), "value": NOT_FINITE, "scale": NOT_POSITIVE})
    assert_refuses(round_to_bits, {"numbers": [1.0], "bits": 11}, {"numbers": ([np.nan],)})
    with pytest.raises(ValueError, match=r"must be .*; got "):
        betrayed(([1], [0.5, 0.5]), ([1], [1]))
