"""What a strategy costs: its sensitivity for one use or many, and the error that its noise leaves in each release.

Source: beyond the seeds.  Notebook: 30_correlated.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy

from dpbook import arguments
from dpbook.correlated.strategies import checked_matrix, width_of

MOST_SETS = 20_000  # sets of steps that are tried one by one


class Errors(NamedTuple):
    """Errors of all T releases, in units of the noise that one number of sensitivity 1 would need.

    `each` holds sensitivity x the length of each row of the decoder B = A C^-1. `largest` is the greatest of these,
    `rms` their root mean square.
    """

    sensitivity: float
    each: np.ndarray
    largest: float
    rms: float


def strategy_sensitivity(strategy, *, participations=1, separation=1, fixed=False):
    """The greatest length of C u over all that one record's contributions u can be, under add/remove; public.

    A record contributes at most `participations` times, at least `separation` steps apart (`fixed`: exactly). Each
    contribution is a number or vector of length at most 1. Then sens^2 is the largest sum of |C^T C| over the steps
    used. It is exact where C^T C has no entry below 0 on such steps, an upper bound else. For one use it is the longest
    column.
    Raises ValueError for participations or separation < 1, or a strategy not square, lower triangular, finite and
    with a full diagonal. For many uses, unless `fixed`, the strategy must have at most `separation` bands, or be a
    falling Toeplitz matrix with no entry below 0. Otherwise there may be at most 20,000 sets of steps to try.
    Source: Choquette-Choo and others 2023a; Kalinin and Lampert 2024.  Notebook: 30_correlated.
    """
    strategy, steps = checked_matrix("strategy", strategy), len(strategy)
    uses, separation = (
        arguments.whole("participations", participations, 1),
        arguments.whole("separation", separation, 1),
    )
    fixed = arguments.flag("fixed", fixed)
    squares = np.sum(strategy**2, axis=0)
    if uses == 1:
        return float(np.sqrt(squares.max()))
    if fixed:
        sets = [range(start, min(steps, start + uses * separation), separation) for start in range(steps)]
    elif width_of(strategy) <= separation:
        return math.sqrt(_best_columns(squares, uses, separation))
    elif _falls(strategy):
        sets = [range(0, min(steps, uses * separation), separation)]
    elif _number_of_sets(steps, uses, separation) <= MOST_SETS:
        sets = list(_sets(steps, uses, separation))
    else:
        expected = (
            f"one with at most {separation} bands, a falling Toeplitz one, or {MOST_SETS:,} sets of steps at most"
        )
        arguments.refuse("strategy", f"a matrix of {steps} steps used {uses} times", expected)
    products = np.abs(strategy.T @ strategy)
    return math.sqrt(max(products[np.ix_(chosen, chosen)].sum() for chosen in sets))


def strategy_errors(strategy, workload, *, participations=1, separation=1, fixed=False):
    """The `Errors` of releasing A x + B z with B = A C^-1, z as large as the sensitivity asks; public.

    Arguments, relation and errors as `strategy_sensitivity`; ValueError also for a workload of another size.
    Source: Li and others 2010; Denisov and others 2022.  Notebook: 30_correlated.
    """
    uses = {"participations": participations, "separation": separation, "fixed": fixed}
    sensitivity = strategy_sensitivity(strategy, **uses)
    strategy, workload = checked_matrix("strategy", strategy), checked_matrix("workload", workload)
    if workload.shape != strategy.shape:
        arguments.refuse("workload", workload.shape, f"of shape {strategy.shape}, as the strategy is")
    decoder = scipy.linalg.solve_triangular(strategy, workload.T, trans="T", lower=True).T
    each = sensitivity * np.sqrt(np.sum(decoder**2, axis=1))
    return Errors(sensitivity, each, float(each.max()), float(np.sqrt(np.mean(each**2))))


def _best_columns(squares, uses, separation):
    """The largest sum of at most `uses` of these numbers, at least `separation` places apart."""
    best = np.zeros(len(squares) + separation)
    for _ in range(uses):
        taken = np.append(squares + best[separation:], np.zeros(separation))
        best = np.maximum.accumulate(taken[::-1])[::-1]
    return float(best[0])


def _falls(strategy):
    """Whether it is a Toeplitz matrix whose column has no entry below 0 and never rises: then early uses are worst."""
    column = strategy[:, 0]
    falling = bool(np.all(column >= 0) and np.all(np.diff(column) <= 0))
    return falling and np.array_equal(strategy, scipy.linalg.toeplitz(column, np.zeros(column.size)))


def _number_of_sets(steps, uses, separation):
    """How many sets of at most `uses` steps are at least `separation` apart."""
    return sum(math.comb(max(0, steps - (k - 1) * (separation - 1)), k) for k in range(1, uses + 1))


def _sets(steps, uses, separation, start=0):
    """Those sets themselves, as lists."""
    for first in range(start, steps):
        yield [first]
        if uses > 1:
            for others in _sets(steps, uses - 1, separation, first + separation):
                yield [first, *others]
