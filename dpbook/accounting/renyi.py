"""Renyi divergences and zCDP: two accounts that add up, what they give in (epsilon, delta), and a budget in zCDP.

D_a(P, Q) = ln(E_Q[(P / Q)^a]) / (a - 1) for orders a > 1. Independent releases add theirs up, order by order; rho-zCDP
says D_a <= rho a for all a > 1, and adds up too.
Source: beyond the seeds.  Notebook: 25_accounting.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy

from dpbook import arguments
from dpbook.accounting.sampling import checked_sampling
from dpbook.amounts import counted
from dpbook.composition import left, must_fit, purpose_text
from dpbook.gaussian import Promise, zcdp_epsilon


class Converted(NamedTuple):
    """An epsilon, and the order whose divergence gave it."""

    epsilon: float
    order: float


class Share(NamedTuple):
    """One line of the ledger of a budget in zCDP."""

    purpose: str
    rho: float


def renyi_gaussian(sensitivity, scale, orders):
    """The Renyi divergences of normal noise of deviation `scale` on a value of L2 `sensitivity`: exact, a mu^2 / 2.

    For the relation of the sensitivity, the same in both directions; `orders` a number or an array, above 1.
    Raises ValueError for a sensitivity or scale that is not a finite number above 0, or an order of 1 or less.
    Source: Mironov 2017, Proposition 7.  Notebook: 25_accounting.
    """
    return zcdp_gaussian(sensitivity, scale) * _orders(orders)


def renyi_laplace(sensitivity, scale, orders):
    """The Renyi divergences of Laplace noise of `scale` on a number of L1 `sensitivity`: exact.

    For the relation of the sensitivity, the same in both directions. Raises ValueError as `renyi_gaussian`.
    Source: Mironov 2017, Proposition 6.  Notebook: 25_accounting.
    """
    pure = arguments.positive("sensitivity", sensitivity) / arguments.positive("scale", scale)
    a = _orders(orders)
    a_few = np.minimum((a - 1) * pure, 1)  # so that nothing overflows
    rest = a * _beyond_tangent(a_few) + (a - 1) * _beyond_tangent(-a * pure)
    likely = np.log(a / (2 * a - 1)) + (a - 1) * pure
    far = np.logaddexp(likely, np.log((a - 1) / (2 * a - 1)) - a * pure)
    return np.where(a_few < 1, np.log1p(rest / (2 * a - 1)), far)[()] / (a - 1)


def _beyond_tangent(x):
    """e^x - 1 - x, with full relative precision at 0 as well."""
    return np.where(np.abs(x) < 0.1, x**2 / 2 * scipy.special.hyp1f1(1, 3, x), np.expm1(x) - x)


def renyi_response(epsilon, orders):
    """The Renyi divergences of randomized response with odds e^epsilon: exact, and the most of any epsilon-DP release.

    For the relation of the guarantee. Raises ValueError for an epsilon that is not a finite number above 0, or orders
    as `renyi_gaussian`.
    Source: Mironov 2017, Proposition 5; Kairouz, Oh and Viswanath 2015.  Notebook: 25_accounting.
    """
    epsilon, a = arguments.positive("epsilon", epsilon), _orders(orders)
    few = np.minimum((a - 1) * epsilon, 1)  # so that nothing overflows
    near = np.log1p(2 * np.sinh(few / 2) ** 2 + math.tanh(epsilon / 2) * np.sinh(few))
    truth, lie = scipy.special.expit([epsilon, -epsilon])
    far = (a - 1) * epsilon + np.log(truth + lie * np.exp(-2 * (a - 1) * epsilon))
    return np.where(few < 1, near, far)[()] / (a - 1)


def renyi_sampled_gaussian(sampling, sensitivity, scale, orders):
    """The Renyi divergences of one sum with normal noise over a Poisson sample, under add/remove: exact, whole orders.

    The direction with the record against without, which is never below the other. `orders` are whole, at least 2.
    Raises ValueError for other orders, a sampling outside (0, 1], and as `renyi_gaussian`.
    Source: Mironov, Talwar and Zhang 2019, section 3.3.  Notebook: 25_accounting.
    """
    q, rho = checked_sampling(sampling), zcdp_gaussian(sensitivity, scale)
    a = _orders(orders)
    if np.any(a != np.floor(a)):
        arguments.refuse("orders", orders, "whole numbers of at least 2")
    return np.array([_moment(q, rho, int(order)) / (order - 1) for order in a.flat]).reshape(a.shape)[()]


def _moment(q, rho, order):
    """ln E[(1 - q + q e^loss)^order] over the data without the record: binomial, the 1 that is in it apart."""
    j = np.arange(2, order + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        absent = np.where(order > j, (order - j) * np.log1p(-q), 0.0)
    ways = scipy.special.gammaln(order + 1) - scipy.special.gammaln(j + 1) - scipy.special.gammaln(order - j + 1)
    grown = j * (j - 1) * rho + np.log(-np.expm1(-j * (j - 1) * rho))  # ln(e^(j (j - 1) rho) - 1)
    terms = ways + absent + j * math.log(q) + grown
    return np.logaddexp(0, terms.max() + math.log(np.exp(terms - terms.max()).sum()))


def renyi_epsilon(orders, divergences, delta):
    """The epsilon at `delta` of a release with these Renyi divergences at `orders`, for its relation: a bound.

    The smallest over the orders of D + ln(1 - 1/a) - (ln delta + ln a) / (a - 1), but at least 0. Returns it with its
    order, as a `Converted`. Raises ValueError for orders of 1 or less, lists of different length, a divergence below 0,
    or a delta not strictly between 0 and 1.
    Source: Canonne, Kamath and Steinke 2020, Proposition 12.  Notebook: 25_accounting.
    """
    a, divergences = np.atleast_1d(_orders(orders)), np.atleast_1d(arguments.array("divergences", divergences))
    if a.shape != divergences.shape or np.any(divergences < 0):
        arguments.refuse("divergences", divergences, f"{a.size} numbers of at least 0, one an order")
    log_delta = math.log(arguments.probability("delta", delta))
    bounds = divergences + np.log1p(-1 / a) - (log_delta + np.log(a)) / (a - 1)
    best = int(np.argmin(bounds))
    return Converted(max(0.0, float(bounds[best])), float(a[best]))


def zcdp_pure(epsilon):
    """The rho of zCDP that every epsilon-DP release keeps, for its relation: epsilon^2 / 2.

    The smallest such rho is epsilon tanh(epsilon / 2), of randomized response. Raises ValueError for an epsilon that is
    not a finite number above 0.
    Source: Bun and Steinke 2016, Proposition 1.4.  Notebook: 25_accounting.
    """
    return arguments.positive("epsilon", epsilon) ** 2 / 2


def zcdp_gaussian(sensitivity, scale):
    """The rho of zCDP of normal noise of deviation `scale`, of either kind, on a value of L2 `sensitivity`: exact.

    For the relation of the sensitivity. Raises ValueError for a sensitivity or scale that is not a finite number above
    0. Source: Bun and Steinke 2016, Proposition 1.6.  Notebook: 25_accounting.
    """
    return (arguments.positive("sensitivity", sensitivity) / arguments.positive("scale", scale)) ** 2 / 2


class ZcdpBudget:
    """A privacy budget in zCDP: releases that each spend their rho from it are together rho-zCDP (for one relation).

    A filter: each release, and the rho it spends, may be chosen after seeing the earlier ones. `ledger` is a tuple of
    (purpose, rho), `remaining` what is left, up to rounding (1e-12 of the budget).
    Raises ValueError for a rho that is not a finite number above 0.
    Source: Bun and Steinke 2016; as a filter Feldman and Zrnic 2021, Whitehouse and others 2023.
    Notebook: 25_accounting.
    """

    def __init__(self, rho):
        self._rho, self._ledger = arguments.positive("rho", rho), ()

    @property
    def rho(self):
        return self._rho

    @property
    def ledger(self):
        return self._ledger

    @property
    def remaining(self):
        return left(self._rho, (line.rho for line in self._ledger))

    def spend(self, rho, purpose):
        """Enter `rho` for `purpose` (a text) in the ledger and return it, for the mechanism's scale.

        Raises composition.BudgetExceeded, and spends nothing, if it is more than remains; ValueError for a rho that is
        not a finite number above 0, or a purpose that is not a text.
        """
        line = Share(purpose_text(purpose), arguments.positive("rho", rho))
        must_fit("rho", line.rho, self._rho, (entry.rho for entry in self._ledger), purpose)
        self._ledger = (*self._ledger, line)
        return line.rho

    def promise(self, delta):
        """The (epsilon, delta) of the *whole* budget, spent or not: a `Promise` for all releases together."""
        return Promise(zcdp_epsilon(self._rho, delta), float(delta))

    def __repr__(self):
        return f"ZcdpBudget({self._rho:g}): {self.remaining:g} left after {counted(len(self._ledger), 'spending')}"


def _orders(orders):
    given = arguments.array("orders", orders)
    if np.any(given <= 1):
        arguments.refuse("orders", orders, "above 1")
    return given
