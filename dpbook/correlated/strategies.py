"""Workloads and strategies: what is to be released at each of T steps, and through which matrix the noise comes.

All here are public: no data, no draws.
Source: beyond the seeds.  Notebook: 30_correlated.
"""

import numpy as np
import scipy

from dpbook import arguments


def prefix_workload(steps):
    """The workload A of running totals: a T x T lower triangular matrix of ones; public.

    Raises ValueError unless `steps` = T is a whole number of at least 1.
    Source: Dwork, Naor, Pitassi and Rothblum 2010.  Notebook: 30_correlated.
    """
    return np.tri(arguments.whole("steps", steps, 1))


def momentum_workload(steps, momentum):
    """The workload of gradient descent with momentum m: weights after t steps; (1 - m^(t-s+1)) / (1 - m); public.

    Entry (t, s) is how much of step s is in the weights after step t, in step sizes; T x T, lower triangular.
    Raises ValueError for steps < 1 or a momentum outside [0, 1).
    Source: Denisov and others 2022.  Notebook: 30_correlated.
    """
    steps, momentum = arguments.whole("steps", steps, 1), arguments.share_below_one("momentum", momentum)
    return scipy.linalg.toeplitz(np.cumsum(momentum ** np.arange(steps)), np.zeros(steps))


def tree_strategy(steps):
    """The strategy of the binary counter: row t sums the items of the block that ends at step t; public.

    The block is as long as the lowest bit of t, as in `continual.node_sums`. A column has at most 1 + floor(log2 T)
    ones. Raises ValueError for steps < 1.
    Source: Dwork, Naor, Pitassi and Rothblum 2010; Chan, Shi and Song 2011.  Notebook: 30_correlated.
    """
    times = np.arange(1, arguments.whole("steps", steps, 1) + 1)
    ago = times[:, None] - times
    return np.where((ago >= 0) & (ago < (times & -times)[:, None]), 1.0, 0.0)


def root_coefficients(steps):
    """The first T coefficients of (1 - x)^(-1/2): 1, 1/2, 3/8, 5/16, ..., binomial(2k, k) / 4^k; public.

    By recursion, so that nothing overflows. Raises ValueError for steps < 1.
    Source: Fichtenberger, Henzinger and Upadhyay 2023.  Notebook: 30_correlated.
    """
    lags = np.arange(1, arguments.whole("steps", steps, 1))
    return np.append(1.0, np.cumprod((2 * lags - 1) / (2 * lags)))


def root_strategy(steps, *, bands=None):
    """The square root of the running totals, C C = A: the lower Toeplitz matrix of `root_coefficients`; public.

    With `bands` = b its coefficients are 0 from lag b on, and its noise remembers b - 1 noises; None keeps all.
    Raises ValueError for steps < 1 or bands outside 1..T.
    Source: Fichtenberger, Henzinger and Upadhyay 2023; Kalinin and Lampert 2024.  Notebook: 30_correlated.
    """
    column = root_coefficients(steps)
    if bands is not None:
        column[arguments.whole("bands", bands, 1, column.size) :] = 0
    return scipy.linalg.toeplitz(column, np.zeros(column.size))


def optimal_strategy(workload, *, rounds=100):
    """The strategy of the least rms error for one use, of all there are: lower triangular, columns of norm 1 at most.

    Minimises tr(A^T A X^-1) over X = C^T C with no diagonal entry above 1. It runs a fixed-point iteration on the dual
    for `rounds` rounds, each O(T^3). The result is public. Raises ValueError for a workload that is not square, lower
    triangular, finite and with a full diagonal, or rounds < 1.
    Source: Denisov and others 2022; Li and others 2010.  Notebook: 30_correlated.
    """
    workload, rounds = checked_matrix("workload", workload), arguments.whole("rounds", rounds, 1)
    gram, dual = workload.T @ workload, np.ones(len(workload))
    for _ in range(rounds):
        half = np.sqrt(dual)
        squares, vectors = np.linalg.eigh(half[:, None] * gram * half)
        root = (vectors * np.sqrt(np.maximum(squares, 0))) @ vectors.T
        dual = np.diag(root)
    product = root / np.outer(half, half)  # X
    backwards = np.linalg.cholesky(product[::-1, ::-1])  # from the last step to the first
    strategy = backwards[::-1, ::-1].T
    return strategy / np.sqrt(np.sum(strategy**2, axis=0).max())


def checked_matrix(name, matrix):
    """A square, lower triangular, finite float matrix with a full diagonal, or a ValueError that names it."""
    expected = "a square, lower triangular matrix of finite numbers with no 0 on its diagonal"
    found = arguments.array(name, matrix, expected)
    square = found.ndim == 2 and len(found) == found.shape[1] > 0
    if not square or np.any(np.triu(found, 1)) or not np.all(np.diag(found)):
        arguments.refuse(name, matrix if found.size < 10 else f"an array of shape {found.shape}", expected)
    return found


def width_of(strategy):
    """How many bands a strategy has, its diagonal included: 1 for independent noise."""
    rows, columns = np.nonzero(strategy)
    return int(np.max(rows - columns)) + 1
