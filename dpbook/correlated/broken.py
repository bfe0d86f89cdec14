"""Two accounts that forget something: that a record comes back, and that noises which cancel can be put together again.

Source: beyond the seeds.  Notebook: 30_correlated.
"""

import numpy as np
import scipy

from dpbook.correlated.noise import checked_stream, correlated_noise
from dpbook.correlated.sensitivity import strategy_sensitivity
from dpbook.correlated.strategies import checked_matrix
from dpbook.correlated.training import correlated_training
from dpbook.gaussian import gaussian_scale


def one_use_ftrl(features, labels, batches, cycle, recipe, strategy, epsilon, delta, rng, *, models=None):
    """BROKEN: `dp_ftrl` with the noise of a record that is used once, however often the order comes round.

    Under add/remove it loses what its noise gives for the sensitivity of all uses. With the square root, 256 steps and
    four uses that is epsilon 2.70 instead of 1 at delta 1e-6. Arguments and errors as `dp_ftrl`.
    Source: the k = 1 of a paper, in a loop of k passes.  Notebook: 30_correlated.
    """
    multiplier = gaussian_scale(strategy_sensitivity(strategy), epsilon, delta)
    return correlated_training(features, labels, batches, cycle, recipe, strategy, multiplier, rng, models=models)


def marginal_account_totals(stream, strategy, epsilon, delta, rng, *, participations=1, separation=1):
    """BROKEN: `correlated_totals` with the noise of each step as large as one Gaussian, as if it were independent.

    z has the deviation for sensitivity 1, times sqrt(participations), over the longest row of C^-1. Under add/remove it
    loses 2.005 instead of 1 with the square root at 256 steps, one use, delta 1e-6. Later steps take the noise back, so
    whoever adds them up sees less of it. Arguments and errors as `correlated_totals`.
    Source: the account of independent noise.  Notebook: 30_correlated.
    """
    stream, strategy = checked_stream(stream, strategy), checked_matrix("strategy", strategy)
    strategy_sensitivity(strategy, participations=participations, separation=separation)  # refuses what that refuses
    inverse = scipy.linalg.solve_triangular(strategy, np.eye(len(strategy)), lower=True)
    longest = np.sqrt(np.sum(inverse**2, axis=1).max())
    scale = gaussian_scale(float(np.sqrt(participations)), epsilon, delta) / longest
    width = None if stream.ndim == 1 else stream.shape[1]
    return np.cumsum(stream + correlated_noise(strategy, scale, rng, width=width), axis=0)
