"""Waves instead of blocks: the Fourier perturbation algorithm (FPA), how many waves to keep (EFPA), and a broken one.

numpy's `rfft`, unscaled: one record moves coefficient f by a turn on the unit circle. Neighbours add or remove one
record (replace: twice).
Source: 004 section 4.3.3.  Notebooks: 09_partitions, 18_sensing.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.exponential import exponential_mechanism, selection_probabilities
from dpbook.laplace import laplace_mechanism

EXACT_BINS = 4096  # up to here the sensitivities of all numbers of waves are exact (bins**2 steps), then bounded


class Waves(NamedTuple):
    """A histogram released through its `kept` lowest waves: `counts`, real numbers, one a bin."""

    kept: int
    counts: np.ndarray


def fourier_sensitivity(bins, kept):
    """How far one unit in the worst bin moves the first `kept` Fourier coefficients, in L1; public.

    Real and imaginary parts, in numpy's unscaled `rfft`. It is exactly max_j of the sum over f < kept of
    |cos(2 pi j f / bins)| + |sin(...)|. Raises ValueError unless `kept` is from 1 to bins // 2 + 1.
    Source: 004 section 4.3.3 reports at most sqrt(kept), true for moduli of a scaled transform.  Notebooks:
    09_partitions, 18_sensing.
    """
    bins = arguments.whole("bins", bins, 1)
    kept = arguments.whole("kept", kept, 1, bins // 2 + 1)
    turns = np.exp(2j * np.pi * np.arange(bins) / bins)
    size, place = np.abs(turns.real) + np.abs(turns.imag), np.arange(bins // 2 + 1)  # bin -j moves as bin j
    return float(sum(size[place * frequency % bins] for frequency in range(kept)).max())


def fourier_histogram(counts, kept, epsilon, rng):
    """Release a histogram with epsilon-DP (add/remove one record) by its `kept` lowest Fourier waves.

    `kept` is public. Real and imaginary parts get Laplace noise of scale `fourier_sensitivity` /
    epsilon; the other coefficients are published as 0. Raises ValueError for bad counts, kept,
    epsilon.
    Source: 004 section 4.3 (FPA, here with the lowest `kept` given).  Notebooks: 09_partitions, 18_sensing.
    """
    counts = arguments.counts("counts", counts)
    sensitivity = fourier_sensitivity(counts.size, kept)
    lowest = np.fft.rfft(counts)[: int(kept)]
    noisy = laplace_mechanism(np.stack([lowest.real, lowest.imag]), sensitivity, epsilon, rng)
    return np.fft.irfft(noisy[0] + 1j * noisy[1], n=counts.size)


@functools.cache
def _sensitivities(bins):
    """`fourier_sensitivity` for kept = 1, 2, ..., bins // 2 + 1: exact to 4,096 bins, then 1 + sqrt(2) (kept - 1)."""
    if bins > EXACT_BINS:
        found = 1 + math.sqrt(2) * np.arange(bins // 2 + 1)
    else:
        turns = np.exp(2j * np.pi * np.arange(bins) / bins)
        size, place = np.abs(turns.real) + np.abs(turns.imag), np.arange(bins // 2 + 1)
        moved, found = np.zeros(place.size), np.empty(place.size)
        for frequency in place:
            moved += size[place * frequency % bins]
            found[frequency] = moved.max()
    found.flags.writeable = False
    return found


def wave_noise(bins, epsilon):
    """The expected sum of squared errors over all bins that the noise makes, for kept = 1, 2, ..., bins // 2 + 1.

    By Parseval it is 2 scale**2 / bins for each real number that comes back. These are 1 for the mean, 4 a wave (two
    parts, and the conjugate), and 1 for the last wave if bins is even. Spends nothing: no data.
    Raises ValueError for bad bins or epsilon.  Source: 004 section 4.3.3.  Notebook: 09_partitions.
    """
    bins, epsilon = arguments.whole("bins", bins, 1), arguments.positive("epsilon", epsilon)
    numbers = 1 + 4 * np.arange(bins // 2 + 1)
    if bins > 1 and bins % 2 == 0:
        numbers[-1] -= 3
    return numbers * 2 * (_sensitivities(bins) / epsilon) ** 2 / bins


def wave_quality(counts, epsilon):
    """The quality of keeping 1, 2, ..., bins // 2 + 1 waves: minus (length of the tail + root of `wave_noise`).

    The tail is the waves left out, in the transform that keeps lengths (divided by sqrt(bins)). One record has length 1
    there, so the sensitivity is 1. `epsilon` is what the waves will be released with. Not private.
    Raises ValueError for bad counts or epsilon.  Source: 004 section 4.3.3 (Acs et al. 2012).
    """
    counts = arguments.counts("counts", counts)
    power = np.abs(np.fft.rfft(counts)) ** 2 / counts.size
    power[1:] *= 2
    if counts.size > 1 and counts.size % 2 == 0:
        power[-1] /= 2
    tail = np.append(np.cumsum(power[:0:-1])[::-1], 0.0)
    return -(np.sqrt(tail) + np.sqrt(wave_noise(counts.size, epsilon)))


def _checked(counts, share, epsilon):
    counts, epsilon = arguments.counts("counts", counts), arguments.positive("epsilon", epsilon)
    return counts, arguments.probability("share", share), epsilon


def kept_law(counts, share, epsilon):
    """The exact probabilities that `enhanced_fourier` keeps 1, 2, ..., bins // 2 + 1 waves.

    epsilon-DP with share * epsilon by itself (add/remove one record). Arguments and errors as there.
    Source: 004 section 4.3.3 (Acs et al. 2012).  Notebook: 09_partitions.
    """
    counts, share, epsilon = _checked(counts, share, epsilon)
    return selection_probabilities(wave_quality(counts, (1 - share) * epsilon), 1, share * epsilon)


def enhanced_fourier(counts, share, epsilon, rng):
    """Release a histogram with epsilon-DP (add/remove one record) by its lowest waves, their number chosen: `Waves`.

    share * epsilon chooses how many (`wave_quality`), the rest releases them by `fourier_histogram`. Above 4,096
    bins the choice expects the noise of a bound on the sensitivity, 1 + sqrt(2) (kept - 1), up to a ninth more.
    Raises ValueError for bad counts, a `share` not strictly between 0 and 1, bad epsilon or rng.
    Source: 004 section 4.3.3 (EFPA, Acs et al. 2012).  Notebook: 09_partitions.
    """
    counts, share, epsilon = _checked(counts, share, epsilon)
    rest = (1 - share) * epsilon
    kept = 1 + exponential_mechanism(wave_quality(counts, rest), 1, share * epsilon, rng)  # spends share * epsilon
    return Waves(kept, fourier_histogram(counts, kept, rest, rng))  # spends the rest


def magnitude_only_fourier(counts, kept, epsilon, rng):
    """NOT private at all: noise on the length of each wave, its phase released as it is. The loss is infinite.

    The phase of one wave of whole counts takes few values: it tells datasets apart whatever the noise. The noise would
    be too small as well: sqrt(kept)/epsilon here, sqrt(2 kept - 1)/epsilon as shipped, on lengths that one record moves
    by up to kept together.
    Arguments and errors as `fourier_histogram`.
    Source: EFPA as published code has it, 004 section 4.3.3.  Notebook: 09_partitions.
    """
    counts = arguments.counts("counts", counts)
    kept = arguments.whole("kept", kept, 1, counts.size // 2 + 1)
    lowest = np.fft.rfft(counts)[:kept]
    noisy = laplace_mechanism(np.abs(lowest), math.sqrt(kept), epsilon, rng)
    return np.fft.irfft(noisy * np.exp(1j * np.angle(lowest)), n=counts.size)
