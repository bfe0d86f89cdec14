"""Waves: 004 section 4.3.3, FPA and EFPA. Neighbours: add or remove one record.

Every statistical test draws from a fixed seed; a right mechanism would fail one with probability below 1e-6.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpbook import sensing
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

COUNTS = np.array([3.0, 0, 1, 4, 1, 5, 9, 2, 6, 5])


def seeded(seed=1):
    return np.random.default_rng(seed)


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


def test_the_printed_scale_is_eight_times_too_much():
    """sqrt(kept) Delta_2 with Delta_2 = 1 counts the whole transform; of one record the first waves have sqrt(k/n)."""
    one = np.fft.fft(np.eye(4096)[7], norm="ortho")[:64]
    assert np.linalg.norm(one) == pytest.approx(math.sqrt(64 / 4096))
    assert 1 / np.linalg.norm(one) == pytest.approx(8)


@pytest.mark.parametrize("kept", [1, 3, 6])
def test_the_noise_loses_epsilon_at_most_and_the_worst_bin_all_of_it(kept):
    rows = [(pair, 0.8 * moved(10, kept)[bin] / moved(10, kept).max()) for bin, pair in enumerate(count_pairs(COUNTS))]
    for pair, loss in rows:
        assert loss_from_noise(lambda c, rng: fourier_histogram(c, kept, 0.8, rng), [pair]) == pytest.approx(loss)


@pytest.mark.parametrize("bins, kept", [(64, 1), (64, 5), (64, 33), (63, 32), (1, 1), (2, 2)])
def test_expected_noise(bins, kept):
    """The mean of 3,000 releases of nothing, within 5 standard errors (6e-7)."""
    rng = seeded(2)
    squares = np.array([np.sum(fourier_histogram(np.zeros(bins), kept, 0.5, rng) ** 2) for _ in range(3000)])
    assert abs(squares.mean() - wave_noise(bins, 0.5)[kept - 1]) < 5 * squares.std() / math.sqrt(3000)


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


def test_enhanced_fourier_follows_the_law_and_spends_the_rest_on_noise(monkeypatch):
    rng, law = seeded(3), kept_law(COUNTS, 0.5, 1.0)
    drawn = np.bincount([enhanced_fourier(COUNTS, 0.5, 1.0, rng).kept for _ in range(8000)], minlength=7)[1:]
    assert stats.chisquare(drawn, 8000 * law).pvalue > 1e-6
    monkeypatch.setattr(fourier, "exponential_mechanism", lambda *_: 2)
    loss = loss_from_noise(lambda c, rng: enhanced_fourier(c, 0.3, 2.0, rng), count_pairs(COUNTS))
    assert loss == pytest.approx(1.4)


def test_no_noise_gives_the_truth():
    for bins in (1, 2, 9, 10):
        counts = seeded(4).poisson(5, bins)
        assert enhanced_fourier(counts, 0.5, 1e12, seeded()).counts == pytest.approx(counts, abs=1e-6)
        assert fourier_histogram(counts, bins // 2 + 1, 1e12, seeded()) == pytest.approx(counts, abs=1e-6)


def test_phases_without_noise_tell_two_datasets_apart_for_certain():
    """The same noise, one record more: another angle, so no output of one can come from the other."""
    one, more = np.array([5.0, 0, 2, 0]), np.array([5.0, 1, 2, 0])
    angles = [
        np.angle(np.fft.rfft(magnitude_only_fourier(c, 2, 1.0, seeded(s)))[1]) % np.pi
        for c in (one, more)
        for s in range(5)
    ]
    assert np.ptp(angles[:5]) < 1e-9 and np.ptp(angles[5:]) < 1e-9 and abs(angles[0] - angles[5]) > 0.1
    assert loss_from_noise(lambda c, rng: magnitude_only_fourier(c, 2, 1.0, rng), [(one, more)]) == np.inf


@pytest.mark.parametrize(
    "name, function, arguments",
    [
        ("counts", enhanced_fourier, ([-1, 2], 0.5, 1, seeded())),
        ("share", enhanced_fourier, ([1, 2], 1, 1, seeded())),
        ("share", kept_law, ([1, 2], 0, 1)),
        ("kept", magnitude_only_fourier, ([1, 2], 3, 1, seeded())),
        ("kept", fourier_histogram, ([1, 2], 0, 1, seeded())),
        ("bins", wave_noise, (0, 1)),
        ("epsilon", wave_quality, ([1, 2], -1)),
    ],
)
def test_bad_input_is_refused_by_name(name, function, arguments):
    with pytest.raises(ValueError, match=name):
        function(*arguments)
