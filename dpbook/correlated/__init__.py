"""Noise that remembers: running totals and trainings whose noises are correlated, so that later ones cancel earlier.

T steps, numbered 1 to T, T public. A strategy C (the encoder) is a T x T lower triangular matrix with no 0 on its
diagonal: C^-1 z is the noise added to what the steps add up, z normal and independent. Neighbours add or remove one
record, which contributes at most `participations` times, at least `separation` steps apart. Each contribution is a
number or a vector of length at most 1 (in trainings: `norm`). `strategies` holds the matrices and what they cost,
`noise` the noise, the totals and the account, `training` DP-FTRL, `broken` two accounts that forget something.
Source: beyond the seeds.  Notebook: 30_correlated.
"""

from dpbook.correlated.broken import marginal_account_totals, one_use_ftrl
from dpbook.correlated.noise import banded_multiplier, correlated_noise, correlated_totals
from dpbook.correlated.sensitivity import Errors, strategy_errors, strategy_sensitivity
from dpbook.correlated.strategies import (
    momentum_workload,
    optimal_strategy,
    prefix_workload,
    root_coefficients,
    root_strategy,
    tree_strategy,
)
from dpbook.correlated.training import correlated_training, dp_ftrl
