"""Chapter 29: the noise of the sum, the exact loss between neighbours, the error that is promised, refusals."""

import math

import numpy as np
import pytest

from dpbook.claims.losses import loss_from_noise
from dpbook.parties import noisy_total, total_error
from tests.alarms import assert_laplace


@pytest.mark.parametrize("more", [[0.0], [3.0], [10.0], [1e9]])
def test_one_record_more_loses_what_it_adds_to_the_clipped_sum(more):
    values = np.array([1.0, 5, 2])
    loss = loss_from_noise(lambda data, rng: noisy_total(data, 10, 0.7, rng), [(values, np.append(values, more))])
    assert loss == pytest.approx(0.7 * min(more[0], 10) / 10)


def test_the_noise_is_laplace_noise_of_bound_over_epsilon():
    rng = np.random.default_rng(1)
    releases = np.array([noisy_total([4, 50], 10, 0.5, rng) for _ in range(40_000)])
    assert_laplace(releases - 14, 20)


def test_the_error_is_exceeded_as_often_as_it_says():
    for confidence in (0.5, 0.95):
        error = total_error(10, 0.5, confidence)
        assert math.exp(-error / 20) == pytest.approx(1 - confidence), "the two tails of a Laplace number"


@pytest.mark.parametrize("call", [lambda: total_error(1, 1, 1), lambda: total_error(1, 1, 0)])
def test_bad_confidence_is_refused(call):
    with pytest.raises(ValueError, match=r"^confidence must be"):
        call()
