"""One rate of false alarms for every test that draws, and tests of noise that see 5 % in its scale.

numpy promises no streams between its releases, so a test that draws may meet other numbers one day. At this rate all
of them together then cry wolf once in thousands of renewals. A test that accepts a law must also refuse it with a
parameter 5 % off; where drawing cannot see that in reasonable time, `generators` says how to look exactly.
"""

import numpy as np
import pytest
from scipy import stats

FALSE_ALARM = 1e-6
OFF = 1.05  # what every accepted law is multiplied with, to be refused


def laplace_pvalue(noise, scale):
    """For independent Laplace noise of this scale: twice the smaller of two exact p-values, of its shape and its size.

    The shape is tested by Kolmogorov and Smirnov; for the size, the sum of |noise| / scale has a gamma law.
    """
    noise = np.ravel(noise)
    size = stats.gamma(noise.size)
    total = np.abs(noise).sum() / scale
    by_size = 2 * min(size.cdf(total), size.sf(total))
    return min(1.0, 2 * min(by_size, stats.kstest(noise, stats.laplace(scale=scale).cdf).pvalue))


def assert_laplace(noise, scale):
    """The noise passes for Laplace noise of this scale, and not for one 5 % larger or smaller.

    With 42,000 draws it is not luck that both can be told, but for one seed in a million.
    """
    assert np.size(noise) >= 42_000
    assert laplace_pvalue(noise, scale) > FALSE_ALARM
    for wrong in (OFF * scale, scale / OFF):
        assert laplace_pvalue(noise, wrong) < FALSE_ALARM, f"{np.size(noise)} draws are too few to see 5 %"


def assert_normal(noise, scale):
    """The same for independent normal noise of this deviation: the sum of its squares has a chi-square law."""
    noise = np.ravel(noise)
    assert noise.size >= 20_000
    size, shape = stats.chi2(noise.size), stats.kstest(noise, stats.norm(scale=scale).cdf).pvalue

    def by_size(scale):
        total = np.sum((noise / scale) ** 2)
        return 4 * min(size.cdf(total), size.sf(total))

    assert min(2 * shape, by_size(scale)) > FALSE_ALARM
    for wrong in (OFF * scale, scale / OFF):
        assert by_size(wrong) < FALSE_ALARM, f"{noise.size} draws are too few to see 5 %"


def counts_pvalue(counts, chances):
    """The chi-square p-value of counted outcomes against their chances, those expected fewer than 5 times as one."""
    counts, expected = np.asarray(counts, dtype=float), np.sum(counts) * np.asarray(chances, dtype=float)
    if counts[expected == 0].any():
        return 0.0
    rare = expected < 5
    if rare.any():
        counts = np.append(counts[~rare], counts[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    kept = expected > 0
    return stats.chisquare(counts[kept], expected[kept] * counts.sum() / expected[kept].sum()).pvalue


def assert_counts(counts, chances, *wrong_chances):
    """The counts fit the chances, and fit none of the wrong ones: the law with epsilon or a scale 5 % off."""
    assert counts_pvalue(counts, chances) > FALSE_ALARM
    for wrong in wrong_chances:
        assert counts_pvalue(counts, wrong) < FALSE_ALARM, f"{np.sum(counts)} draws are too few to see what is off"


def repeats(number):
    """So many repeats of a statistical test in `make thorough`, a fifth of them in `make test`."""
    return pytest.mark.parametrize("number", [number // 5, pytest.param(number, marks=pytest.mark.thorough)])
