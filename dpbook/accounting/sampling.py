"""Sampling: what a release guarantees when each record takes part by a coin of its own, and nobody sees the coins.

A Poisson sample holds each record with probability `sampling`, independently. Neighbours differ by one record more or
less (add/remove). The two directions differ: the record may be removed from, or added to, the first dataset.
Source: beyond the seeds.  Notebook: 25_accounting.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.accounting.losses import DEVIATIONS, LossDistribution, checked_ratio, on_grid
from dpbook.gaussian import Promise, gaussian_delta, normal_probability


class Directions(NamedTuple):
    """The losses of both directions: of the data with the record against without it (removed), and the reverse."""

    removed: LossDistribution
    added: LossDistribution

    def repeat(self, times):
        """Both, `times` over; each direction composes by itself."""
        return Directions(self.removed.repeat(times), self.added.repeat(times))

    def delta(self, epsilon):
        """The larger delta of both."""
        return np.maximum(self.removed.delta(epsilon), self.added.delta(epsilon))

    def epsilon(self, delta):
        """The larger epsilon of both."""
        return max(self.removed.epsilon(delta), self.added.epsilon(delta))


def amplified(sampling, epsilon, delta):
    """What an (epsilon, delta)-DP mechanism guarantees on a Poisson sample, under add/remove: a `Promise`.

    It is (ln(1 + q (e^epsilon - 1)), q delta) with q = `sampling`. The mechanism's guarantee must be for add/remove,
    and neither the sample nor its size may be published. The same numbers hold under replace for a sample of fixed size
    m of n, with q = m / n. The mechanism's guarantee must then be for replace. For Poisson under replace, or a fixed
    size under add/remove (where n is secret), they do not hold.
    Raises ValueError for an epsilon below 0, a delta outside [0, 1), or a sampling outside (0, 1].
    Source: Li, Qardaji and Su 2012; Balle, Barthe and Gaboardi 2018, Theorems 8 and 9.  Notebook: 25_accounting.
    """
    sampling = checked_sampling(sampling)
    epsilon, delta = arguments.nonnegative("epsilon", epsilon), arguments.share_below_one("delta", delta)
    if sampling == 1:
        return Promise(epsilon, delta)
    if epsilon > 700:
        return Promise(float(np.logaddexp(math.log1p(-sampling), math.log(sampling) + epsilon)), sampling * delta)
    return Promise(math.log1p(sampling * math.expm1(epsilon)), sampling * delta)


def sampled_gaussian_delta(sampling, sensitivity, scale, epsilon):
    """The smallest delta at `epsilon` of one sum with normal noise over a Poisson sample, under add/remove: exact.

    The larger of both directions; `scale` is the noise's deviation, `sensitivity` what one sampled record moves the
    sum by (L2); `epsilon` a number or an array, none below 0.
    Raises ValueError for a sampling outside (0, 1], and as `gaussian.gaussian_delta`.
    Source: Balle, Barthe and Gaboardi 2018; both directions: Zhu, Dong and Wang 2022.  Notebook: 25_accounting.
    """
    return np.maximum(*sampled_gaussian_deltas(sampling, sensitivity, scale, epsilon))[()]


def sampled_gaussian_deltas(sampling, sensitivity, scale, epsilon):
    """The pair of deltas, removed and added, whose larger one `sampled_gaussian_delta` gives: exact.

    Under add/remove. Raises ValueError as `sampled_gaussian_delta`. Source: as there.  Notebook: 25_accounting.
    """
    q, epsilon = checked_sampling(sampling), arguments.array("epsilon", epsilon)
    if np.any(epsilon < 0):
        arguments.refuse("epsilon", epsilon, "at least 0")
    base = epsilon + np.log1p(-np.expm1(-epsilon) * (1 / q - 1))  # ln(1 + (e^epsilon - 1) / q)
    removed = q * gaussian_delta(sensitivity, scale, base)
    weight = -(np.expm1(epsilon) * (1 - q)) + q  # 1 - e^epsilon (1 - q)
    covered = np.where(weight > 0, weight, 1.0)
    inner = np.where(weight > 0, math.log(q) + epsilon - np.log(covered), 0.0)
    added = covered * gaussian_delta(sensitivity, scale, np.maximum(inner, 0))
    return removed, np.where(weight > 0, added, 0.0)[()]


def sampled_gaussian_losses(sampling, sensitivity, scale, step, *, side="upper"):
    """The losses of one sum with normal noise over a Poisson sample, under add/remove, as `Directions`.

    A bound on every delta of each direction, from `side`. `scale` is the noise's deviation, `sensitivity` what one
    sampled record moves the sum by (L2), `step` the grid's in nats.
    Raises ValueError for a sampling not strictly between 0 and 1, and as `accounting.gaussian_losses`.
    Source: Koskela, Jaelkoe and Honkela 2020; Zhu, Dong and Wang 2022.  Notebook: 25_accounting.
    """
    q = arguments.probability("sampling", sampling)
    mu = checked_ratio(sensitivity, scale)

    def place(loss):
        """The output whose loss, with the record against without, this is."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            above = np.log(-np.expm1(np.minimum(math.log1p(-q) - loss, 0)))
            return (np.where(np.isinf(loss), loss, loss - math.log(q) + above) + mu**2 / 2) / mu

    def masses(low, high):
        left, right = place(low), place(high)
        without = normal_probability(left, right)
        return (1 - q) * without + q * normal_probability(left - mu, right - mu), without

    def mirrored(low, high):
        return masses(-high, -low)[::-1]

    def loss(output):
        return float(np.logaddexp(math.log1p(-q), math.log(q) + mu * output - mu**2 / 2))

    removed = on_grid(masses, math.log1p(-q), loss(mu + DEVIATIONS), step, side)
    return Directions(removed, on_grid(mirrored, -loss(DEVIATIONS), -math.log1p(-q), step, side))


def checked_sampling(sampling):
    """A probability above 0, at most 1, as a float."""
    if not 0 < arguments.number("sampling", sampling, "above 0 and at most 1") <= 1:
        arguments.refuse("sampling", sampling, "above 0 and at most 1")
    return float(sampling)
