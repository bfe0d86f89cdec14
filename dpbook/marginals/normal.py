"""Gaussian noise: (epsilon, delta) for the root of the number of tables, where pure epsilon-DP pays for their number.

One record moves one cell of each of m tables by 1: by m in L1, and by sqrt(m) in L2.
Source: beyond the seeds; Li, Miklau, 2013, for the bound that `fourth_root_scales` attains.  Notebook: 13_marginals.
"""

import math

import numpy as np

from dpbook.gaussian import gaussian_mechanism
from dpbook.marginals.fourier import walsh_coefficients
from dpbook.marginals.tables import checked_order, checked_sets, marginals


def gaussian_marginals(records, sets, epsilon, delta, rng, *, sizes=None):
    """Release the tables over each of `sets` with (epsilon, delta)-DP (add/remove): one Gaussian noise for all cells.

    The tables together have L2 sensitivity sqrt(len(sets)). Returns a list of arrays, which disagree where sets
    overlap. Raises ValueError as `marginal` does, for no sets, and for a bad epsilon or delta.
    Source: beyond the seeds; 004 section 6.2.2 has Laplace noise.  Notebook: 13_marginals.
    """
    tables = marginals(records, checked_sets("sets", sets), sizes=sizes)
    cells = np.concatenate([table.ravel() for table in tables])
    noisy = gaussian_mechanism(cells, math.sqrt(len(tables)), epsilon, delta, rng)
    parts = np.split(noisy, np.cumsum([table.size for table in tables])[:-1])
    return [part.reshape(table.shape) for part, table in zip(parts, tables, strict=True)]


def gaussian_waves(records, order, epsilon, delta, rng):
    """Release the Walsh coefficients of all sets of up to `order` attributes with (epsilon, delta)-DP (add/remove).

    A coefficient is divided by its size's number of `fourth_root_scales`; all together then have L2 sensitivity 1.
    They get one Gaussian noise and are multiplied back. Returns a dict from set to noisy number, for `table_from`.
    Raises ValueError for records that are no table of 0 and 1, an order above their attributes, or a bad epsilon or
    delta. Source: beyond the seeds; 004 section 6.2.3 has Laplace noise.  Notebook: 13_marginals.
    """
    truth = walsh_coefficients(records, order)
    scales = fourth_root_scales(np.shape(records)[1], order)[[len(chosen) for chosen in truth]]
    noisy = gaussian_mechanism(np.array(list(truth.values())) / scales, 1, epsilon, delta, rng) * scales
    return dict(zip(truth, noisy.tolist(), strict=True))


def fourth_root_scales(d, order):
    """The relative scales of Gaussian noise, one a size of set, with the smallest error over all tables of `order`.

    A coefficient of j attributes serves C(d - j, order - j) tables, and its scale is proportional to the inverse fourth
    root of that. The sum of 1 / scale**2 over all sets is 1. No matrix mechanism has a smaller sum of squared errors.
    Raises ValueError for an order above d. Source: Li, Miklau, 2013 (the bound).  Notebook: 13_marginals.
    """
    d, order = checked_order(d, order)
    serves = np.array([math.comb(d - size, order - size) for size in range(order + 1)], float)
    numbers = np.array([math.comb(d, size) for size in range(order + 1)], float)
    return np.sqrt(numbers @ np.sqrt(serves)) / serves**0.25


def gaussian_wave_error(d, order):
    """Expected squared error of a binary table of `order` attributes by `gaussian_waves`.

    In the variance of one count that is released alone with the same epsilon and delta.
    Raises ValueError for an order above d. Source: ours.  Notebook: 13_marginals.
    """
    d, order = checked_order(d, order)
    squares = fourth_root_scales(d, order) ** 2
    return float(sum(math.comb(order, size) * square for size, square in enumerate(squares)) / 2**order)
