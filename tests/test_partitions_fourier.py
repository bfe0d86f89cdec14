"""Waves: 004 section 4.3.3, FPA and EFPA. Neighbours: add or remove one record."""

import itertools
import math

import numpy as np
import pytest

from dpbook import sensing
from dpbook.claims.listening import Transcript
from dpbook.claims.losses import loss_from_noise
from dpbook.neighbours import count_pairs
from dpbook.partitions import (
    enhanced_fourier,
    fourier,
    fourier_histogram,
    fourier_sensitivity,
    kept_law,
    magnitude_only_fourier,
    wave_noise,
    wave_quality,
)
from tests.generators import seeded
from tests.refusals import NOT_POSITIVE, assert_refuses

COUNTS = np.array([3.0, 0, 1, 4, 1, 5, 9, 2, 6, 5])


def moved(bins, kept):
    """By how much one record in each bin moves the lowest waves, in L1: from the transform itself."""
    waves = np.fft.rfft(np.eye(bins), axis=1)[:, :kept]
    return (np.abs(waves.real) + np.abs(waves.imag)).sum(axis=1)


def test_sensing_hands_the_same_functions_on():
    assert sensing.fourier_histogram is fourier_histogram and sensing.fourier_sensitivity is fourier_sensitivity


@pytest.mark.parametrize("bins", [1, 2, 3, 8, 9, 64, 100])
def test_sensitivities_are_those_of_the_worst_bin(bins):
    for kept in range(1, bins // 2 + 2):
        assert fourier_sensitivity(bins, kept) == pytest.approx(moved(bins, kept).max())
    assert fourier._sensitivities(bins) == pytest.approx([moved(bins, k).max() for k in range(1, bins // 2 + 2)])


def test_the_bound_above_4096_bins_is_one():
    exact, bound = fourier._sensitivities(4096), 1 + math.sqrt(2) * np.arange(2049)
    assert np.all(exact <= bound + 1e-9) and np.max(bound / exact) < 1.12
    assert fourier._sensitivities(4097)[63] == 1 + math.sqrt(2) * 63


@pytest.mark.parametrize("kept", [1, 3, 6])
def test_the_noise_loses_epsilon_at_most_and_the_worst_bin_all_of_it(kept):
    rows = [(pair, 0.8 * moved(10, kept)[bin] / moved(10, kept).max()) for bin, pair in enumerate(count_pairs(COUNTS))]
    for pair, loss in rows:
        assert loss_from_noise(lambda c, rng: fourier_histogram(c, kept, 0.8, rng), [pair]) == pytest.approx(loss)


@pytest.mark.parametrize("bins, kept", [(64, 1), (64, 5), (64, 33), (63, 32), (1, 1), (2, 2)])
def test_expected_noise(bins, kept):
    """What each noisy number alone makes of nothing, squared and summed, times the variance of a number."""
    heard, squares = Transcript(), []
    fourier_histogram(np.zeros(bins), kept, 0.5, heard)
    for unit in np.eye(2 * kept).reshape(-1, 2, kept):
        squares.append(np.sum(fourier_histogram(np.zeros(bins), kept, 0.5, Transcript(noisy=[unit])) ** 2))
    assert wave_noise(bins, 0.5)[kept - 1] == pytest.approx(2 * heard.noises[0].scale ** 2 * sum(squares))


def test_quality_is_tail_and_noise_and_one_record_moves_it_by_at_most_one():
    quality = wave_quality(COUNTS, 0.5)
    for kept in range(1, 7):
        waves = np.fft.rfft(COUNTS)
        waves[kept:] = 0
        tail = np.linalg.norm(COUNTS - np.fft.irfft(waves, n=10))
        assert quality[kept - 1] == pytest.approx(-(tail + math.sqrt(wave_noise(10, 0.5)[kept - 1])))
    moves = [np.abs(wave_quality(more, 0.5) - wave_quality(COUNTS, 0.5)).max() for _, more in count_pairs(COUNTS)]
    assert max(moves) <= 1
    first = np.abs(wave_quality(np.eye(10)[3], 0.5) - wave_quality(np.zeros(10), 0.5)).max()
    assert first == pytest.approx(math.sqrt(0.9)), "all of the record but its mean"
    assert np.abs(wave_quality([1], 1.0) - wave_quality([0], 1.0)).max() <= 1


def test_the_law_of_kept_keeps_its_share():
    for counts in itertools.product(range(3), repeat=4):
        for here, more in count_pairs(np.array(counts, float)):
            assert np.abs(np.log(kept_law(here, 0.4, 1.0) / kept_law(more, 0.4, 1.0))).max() <= 0.4 + 1e-12
    quality = wave_quality(COUNTS, 1.2)
    weights = np.exp(0.8 * quality / 2)
    assert kept_law(COUNTS, 0.4, 2.0) == pytest.approx(weights / weights.sum()), "share 0.4 of 2 chooses, 1.2 releases"


@pytest.mark.parametrize("place", range(6))
def test_enhanced_fourier_follows_the_law_and_spends_the_rest_on_noise(place):
    heard = Transcript(outcomes=[place])
    assert enhanced_fourier(COUNTS, 0.3, 2.0, heard).kept == place + 1
    assert heard.choices[0].chances == pytest.approx(kept_law(COUNTS, 0.3, 2.0))
    assert heard.noises[0].scale == pytest.approx(fourier_sensitivity(10, place + 1) / 1.4)


def test_no_noise_gives_the_truth():
    for bins in (1, 2, 9, 10):
        counts = seeded(4).poisson(5, bins)
        assert enhanced_fourier(counts, 0.5, 1e12, seeded()).counts == pytest.approx(counts, abs=1e-6)
        assert fourier_histogram(counts, bins // 2 + 1, 1e12, seeded()) == pytest.approx(counts, abs=1e-6)


RNG, NO_COUNTS = seeded(), ([-1, 2], [np.nan, 2], [])
REFUSED = [
    (enhanced_fourier, ([1, 2], 0.5, 1, RNG), {"counts": NO_COUNTS, "share": (1,)}),
    (kept_law, ([1, 2], 0.5, 1), {"share": (0,)}),
    (magnitude_only_fourier, ([1, 2], 1, 1, RNG), {"kept": (0, 3)}),
    (fourier_histogram, ([1, 2], 1, 1, RNG), {"counts": NO_COUNTS, "kept": (0, 3)}),
    (fourier_sensitivity, (16, 1), {"bins": (0,), "kept": (10,)}),
    (wave_noise, (1, 1), {"bins": (0,)}),
    (wave_quality, ([1, 2], 1), {"epsilon": NOT_POSITIVE}),
]


@pytest.mark.parametrize(("function", "good", "refused"), REFUSED)
def test_bad_arguments_are_refused(function, good, refused):
    assert_refuses(function, good, refused)
