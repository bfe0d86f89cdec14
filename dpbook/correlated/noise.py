"""Noise that remembers, running totals with it, and the account of bands with coins.

Source: beyond the seeds.  Notebook: 30_correlated.
"""

import math

import numpy as np

from dpbook import arguments
from dpbook.accounting.sampling import checked_sampling
from dpbook.correlated.sensitivity import strategy_sensitivity
from dpbook.correlated.strategies import checked_matrix, width_of
from dpbook.gaussian import gaussian_scale
from dpbook.gradients import Recipe, training_multiplier


def correlated_noise(strategy, scale, rng, *, width=None):
    """Noise C^-1 z for T steps, z independent normal numbers of deviation `scale`; promises nothing by itself.

    Added to a stream x it is as private as C x + z, under the relation for which the strategy's sensitivity was worked
    out. All z are drawn at once, first. Returns T numbers, or (T, `width`) for vectors. Scale 0 is NOT private.
    Raises ValueError for a scale below 0, a width below 1, or a strategy not square, lower triangular, finite and with
    a full diagonal.
    Source: Kairouz and others 2021; Denisov and others 2022.  Notebook: 30_correlated.
    """
    strategy, scale = checked_matrix("strategy", strategy), arguments.nonnegative("scale", scale)
    shape = (len(strategy),) if width is None else (len(strategy), arguments.whole("width", width, 1))
    noise = arguments.generator("rng", rng).normal(scale=scale, size=shape)
    return remembered(strategy, noise)


def remembered(strategy, noise):
    """C^-1 z, in place, step by step: each takes back what the strategy remembers of the noises before it."""
    memory = width_of(strategy) - 1
    for t in range(len(strategy)):
        past = slice(max(0, t - memory), t)
        noise[t] = (noise[t] - strategy[t, past] @ noise[past]) / strategy[t, t]
    return noise


def correlated_totals(stream, strategy, epsilon, delta, rng, *, participations=1, separation=1):
    """All T running totals of a stream with (epsilon, delta)-DP, under add/remove: one record's contributions.

    `stream` is (T,) or (T, d): row t is what step t adds. A neighbour moves at most `participations` rows, at least
    `separation` apart, each by at most 1 in length (one use: one unit in one item). Rows may depend on the releases
    before them. Returns an array of the stream's shape. Exact: one Gaussian of the strategy's sensitivity.
    Raises ValueError for a stream that is not finite or not as long as the strategy, and as `strategy_sensitivity` and
    `gaussian_scale` do.
    Source: Li and others 2010; Denisov and others 2022.  Notebook: 30_correlated.
    """
    stream = checked_stream(stream, strategy)
    sensitivity = strategy_sensitivity(strategy, participations=participations, separation=separation)
    scale = gaussian_scale(sensitivity, epsilon, delta)
    width = None if stream.ndim == 1 else stream.shape[1]
    return np.cumsum(stream + correlated_noise(strategy, scale, rng, width=width), axis=0)


def checked_stream(stream, strategy):
    """A stream of as many rows as the strategy has, or a ValueError."""
    steps, expected = len(checked_matrix("strategy", strategy)), "finite numbers or rows of them, one for each step"
    found = arguments.array("stream", stream, expected)
    if found.ndim not in (1, 2) or 0 in found.shape or len(found) != steps:
        arguments.refuse("stream", f"an array of shape {found.shape}", f"{expected} of the strategy ({steps})")
    return found


def banded_multiplier(bands, steps, sampling, epsilon, delta):
    """The noise of a banded training with coins, (epsilon, delta)-DP under add/remove, in units of a column's length.

    Each record joins one of b = `bands` groups by a coin of its own. Step t takes each record of group t mod b with
    probability b x `sampling`. So `sampling` is the expected batch over the records. Since no two columns used meet, it
    is a training of ceil(T / b) sampled steps. The deviation of z is this times the longest column, in norms.
    Raises ValueError for steps < 1, bands outside 1..T, bands x sampling outside (0, 1], and as
    `gradients.training_multiplier` does.
    Source: Choquette-Choo and others 2023b.  Notebook: 30_correlated.
    """
    steps = arguments.whole("steps", steps, 1)
    bands, sampling = arguments.whole("bands", bands, 1, steps), checked_sampling(sampling)
    if bands * sampling > 1:
        arguments.refuse("sampling", sampling, f"at most 1 / bands, {1 / bands:.4g}: a group has no more records")
    return training_multiplier(Recipe(0.0, math.ceil(steps / bands), bands * sampling, 1.0, 1.0), epsilon, delta)
