"""How many users hide one: `python -m tools.book.papers.parties` writes notebooks/29_parties.json; resumable.

`rounds` trains by federated averaging on some users of the RAND experiment, each the unit of privacy, and returns the
AUC of "any doctor" on the 1,493 users left out, after every second round. The rates were chosen by hand, on one seed.
"""

import functools
import math

import numpy as np
from scipy.stats import rankdata

from dpbook.data import health_insurance_person
from dpbook.data.attributes import health_attributes
from dpbook.parties import Plan, federated_training
from tools.book.papers import stored
from tools.book.papers.sweep import grid

STEM = "29_parties"
USERS, ROUNDS, DELTA = [50, 150, 500, 1_500, 4_419], 30, 1e-6
NONE = 1e6  # an epsilon at which there is no noise to speak of


@functools.cache
def people():
    """Features, labels and users of all records, and the users in a random order: the first 4,419 are trained on."""
    names, answers = health_attributes()
    asked = [names.index(one) for one in names[:10] + names[16:22] + names[26:27]]
    features = np.column_stack([2.0 * answers[:, asked] - 1, np.ones(len(answers))]) / math.sqrt(18)
    labels, users = 2.0 * answers[:, names.index("doctor")] - 1, np.asarray(health_insurance_person())
    return features, labels, users, np.random.default_rng(29).permutation(np.unique(users))


def auc(weights, features, labels):
    """The probability that a record with a doctor's visit has the higher score; of equal scores half."""
    ranks, yes = rankdata(features @ weights), labels > 0
    return (ranks[yes].sum() - yes.sum() * (yes.sum() + 1) / 2) / (yes.sum() * (~yes).sum())


def rounds(users, local_steps, epsilon, rng):
    """The AUC on other users after every second round of a training on the first `users` users."""
    features, labels, who, order = people()
    inside, outside = np.isin(who, order[:users]), ~np.isin(who, order[: USERS[-1]])
    plan = Plan(ROUNDS, 1.0, local_steps, 2.0, 0.5, 5.0 / users)
    path = federated_training(features[inside], labels[inside], who[inside], plan, epsilon, DELTA, rng).path
    return {f"round {turn}": auc(path[turn], features[outside], labels[outside]) for turn in range(0, ROUNDS + 1, 2)}


ROWS = grid(users=USERS, local_steps=[1, 5], epsilon=[0.3, 1.0, 3.0, NONE])
TABLES = {"rounds": stored.Table(rounds, ROWS, lambda _: 20, stored.SPREAD)}

if __name__ == "__main__":
    stored.compute(STEM, TABLES)
