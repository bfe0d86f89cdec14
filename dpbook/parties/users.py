"""Federated averaging with a user as the unit: local steps, one clipped update a user, noise on their sum.

Neighbours add or remove one user with all of the user's records. A user's update is accounted for as a record's
gradient is in chapter 26.
Source: beyond the seeds; McMahan and others 2017, 2018.  Notebook: 29_parties.
"""

from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.gradients import Recipe, Training, clip_rows, poisson_sample, training_multiplier
from dpbook.gradients.training import checked_records


class Plan(NamedTuple):
    """The public numbers of a federated training: choosing them by the data would be a release of its own.

    `rounds` is how many there are, `sampling` the probability with which each user takes part in one (1: all).
    `local_steps` and `local_rate` say what a user does at home. `norm` is the length to which the update is clipped,
    `server_rate` the factor of the sum of updates.
    """

    rounds: int
    sampling: float
    local_steps: int
    local_rate: float
    norm: float
    server_rate: float


def clipped_update(weights, features, labels, plan):
    """One user's update: how far the weights go in local steps on that user's records, clipped to `plan.norm`.

    NOT private. One user more or less (add/remove) moves the sum of updates by at most the norm, in L2. `features` are
    (records, attributes), `labels` 1 or -1; each step goes along the mean of the logistic loss's gradients.
    Raises ValueError for features, labels or weights of unlike shapes or not finite, no records, other labels, or a bad
    plan. Source: McMahan and others 2018, Algorithm 1.  Notebook: 29_parties.
    """
    plan, (features, labels) = checked_plan(plan), checked_records(features, labels)
    if not len(features):
        arguments.refuse("features", "no records", "at least one record")
    weights = arguments.of_length("weights", weights, features.shape[1])
    records = _Records(features * labels[:, None], np.zeros(len(features), np.intp))
    return _updates(weights, records, np.zeros(1, np.intp), plan)[0]


def federated_training(features, labels, users, plan, epsilon, delta, rng):
    """Logistic regression by rounds of federated averaging, (epsilon, delta)-DP under add/remove of a user.

    For the whole path. In each round, each user takes part by a coin of its own. The sum of the clipped updates gets
    normal noise of deviation multiplier x norm in each coordinate. The weights move by server_rate / sampling times
    that; the sum is never divided by how many users came. `users` names the user of each record, a whole number.
    Returns a `gradients.Training`. Noise by the server: who sees the updates without it is trusted.
    Raises ValueError for records as `clipped_update` does, users that are not one whole number a record, a bad plan,
    epsilon or delta.
    Source: McMahan and others 2018, Algorithm 1, in sum form.  Notebook: 29_parties.
    """
    return noisy_rounds(features, labels, users, plan, epsilon, delta, rng, lambda total, came: total / plan.sampling)


def averaged_training(features, labels, users, plan, epsilon, delta, rng):
    """BROKEN: as `federated_training`, but the noisy sum is divided by the number of users who came. Loses more.

    Said to be (epsilon, delta)-DP under add/remove of a user. The noise is as wide as one over their number: it tells
    how many came, the more surely the more weights there are. In a round where nobody came nothing moves.
    Raises ValueError as that does. Source: folklore.  Notebook: 29_parties.
    """
    return noisy_rounds(features, labels, users, plan, epsilon, delta, rng, lambda total, came: total / max(came, 1))


def noisy_rounds(features, labels, users, plan, epsilon, delta, rng, along):
    """Train by steps of `server_rate` times along(noisy sum, users who came). Private only if `along` ignores who came.

    Arguments, errors and what is returned as in `federated_training`, whose `along` divides by a public number.
    """
    plan = checked_plan(plan)
    rng = arguments.generator("rng", rng)
    number, records = _by_user(features, labels, users)
    multiplier = training_multiplier(Recipe(0.0, plan.rounds, plan.sampling, 1.0, plan.norm), epsilon, delta)
    path = np.zeros((plan.rounds + 1, records.signed.shape[1]))
    for turn in range(plan.rounds):
        came = poisson_sample(number, plan.sampling, rng)
        total = _updates(path[turn], records, came, plan).sum(axis=0)
        noise = rng.normal(scale=multiplier * plan.norm, size=total.shape)
        path[turn + 1] = path[turn] + plan.server_rate * along(total + noise, came.size)
    return Training(path[-1].copy(), path, multiplier)


def checked_plan(plan):
    """The six numbers, clean; raises ValueError naming the one that is not as it must be."""
    if not isinstance(plan, Plan):
        arguments.refuse("plan", plan, "a dpbook.parties.Plan")
    sampling = arguments.share("sampling", plan.sampling)
    if sampling == 0:
        arguments.refuse("sampling", plan.sampling, "a number above 0 and at most 1")
    return Plan(
        arguments.whole("rounds", plan.rounds, 1),
        sampling,
        arguments.whole("local_steps", plan.local_steps, 1),
        arguments.positive("local_rate", plan.local_rate),
        arguments.positive("norm", plan.norm),
        arguments.positive("server_rate", plan.server_rate),
    )


class _Records(NamedTuple):
    """Label times features, sorted by user; and the user of each, as a place from 0 on."""

    signed: np.ndarray
    places: np.ndarray


def _by_user(features, labels, users):
    """How many users there are, and their records."""
    features, labels = checked_records(features, labels)
    users = arguments.integers("users", users)
    if users.shape != labels.shape:
        arguments.refuse("users", f"shape {users.shape}", f"one whole number for each of {labels.size} records")
    names, places = np.unique(users, return_inverse=True)
    order = np.argsort(places, kind="stable")
    return names.size, _Records((features * labels[:, None])[order], places[order])


def _updates(weights, records, came, plan):
    """The clipped update of each user who came."""
    if not came.size:
        return np.zeros((0, weights.size))
    here = np.isin(records.places, came)
    signed, places = records.signed[here], np.searchsorted(came, records.places[here])
    own, starts = np.tile(weights, (came.size, 1)), np.searchsorted(places, np.arange(came.size))
    numbers = np.bincount(places, minlength=came.size)
    for _ in range(plan.local_steps):
        with np.errstate(over="ignore", invalid="ignore"):  # where the pull is 0, or of records too long for a product
            pulls = 1 / (1 + np.exp(np.einsum("ij,ij->i", own[places], signed)))
            own = own + plan.local_rate * np.add.reduceat(pulls[:, None] * signed, starts, axis=0) / numbers[:, None]
    moved = own - weights
    return clip_rows(np.where(np.isfinite(moved).all(axis=1, keepdims=True), moved, 0.0), plan.norm)
