"""The claims of chapter 27: persons with many records, groups that are listed and groups that are not.

A dataset is a table with one row a record: whose it is, and which group it is in. Neighbours differ by a person.
"""

import numpy as np

from dpbook import choosing
from dpbook.claims.trial import Trial
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim
from dpbook.laplace import laplace_probability
from dpbook.neighbours import ADD_REMOVE

CHAPTER = "27"
NOBODY, ALONE, TWO, FIVE = (np.array([[person, 0] for person in range(n)]).reshape(-1, 2) for n in (0, 1, 2, 5))
OTHERS = np.array([[1, 0], [1, 1], [2, 0], [3, 2]])
BUSY = np.append(OTHERS, [[9, 0], [9, 1], [9, 1], [9, 2]], axis=0)  # with person 9, in three groups
DELTA = 0.2
LOWEST = choosing.group_threshold(1, 1.0, DELTA)  # of the row's epsilon
CELLS = LOWEST + np.append(np.linspace(0, 12, 13), np.inf)


def claims():
    """The rows of chapter 27."""
    release, trial = choosing.threshold_release, Trial(one_group_law, one_group_place, [FIVE])
    return [
        Claim(choosing.group_counts, "persons in 3 groups, 2 kept", ADD_REMOVE, BY_STEPS, listed, [(OTHERS, BUSY)]),
        Claim(
            release, "one group, delta 0.2", ADD_REMOVE, BY_LAW, thresholded, [(ALONE, NOBODY), (TWO, ALONE)],
            delta=DELTA * (1 + 1e-9), law=one_group_law, trial=trial,
        ),
    ]  # fmt: skip


def listed(records, epsilon, rng):
    """How many people are in each of three listed groups; a person counts in two."""
    return choosing.group_counts(records[:, 0], records[:, 1], [0, 1, 2], 2, epsilon, rng)


def thresholded(records, epsilon, rng):
    """The groups that come to light, at delta 0.2."""
    return choosing.threshold_release(records[:, 0], records[:, 1], 1, epsilon, DELTA, rng)


def one_group_law(records, epsilon):
    """Nothing, or the group with its noisy count in one of `CELLS`; at another epsilon the threshold is another."""
    if len(records) == 0:
        return np.append(0.0, np.full(CELLS.size - 1, -np.inf))
    shown = np.maximum(CELLS, choosing.group_threshold(1, epsilon, DELTA))
    chances = np.zeros(CELLS.size - 1)
    there = shown[:-1] < shown[1:]
    chances[there] = laplace_probability(shown[:-1][there], shown[1:][there], len(records), 1, epsilon)
    with np.errstate(divide="ignore"):
        return np.log(np.append(1 - chances.sum(), chances))


def one_group_place(outputs):
    """0 for nothing, else the cell of the noisy count."""
    counts = [float(*output.values()) if output else -np.inf for output in outputs]
    return [max(0, int(np.searchsorted(CELLS, count, side="right"))) for count in counts]
