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
NOBODY, ALONE, TWO = (np.array([[person, 0] for person in range(size)]).reshape(-1, 2) for size in range(3))
OTHERS = np.array([[1, 0], [1, 1], [2, 0], [3, 2]])
BUSY = np.append(OTHERS, [[9, 0], [9, 1], [9, 1], [9, 2]], axis=0)  # with person 9, in three groups
DELTA = 0.05
RISING = np.linspace(0, 12, 49)  # cells above the threshold


def claims():
    """The rows of chapter 27."""
    release, suppressed = choosing.threshold_release, choosing.suppressed_counts
    trial = Trial(one_group_law, one_group_place, [ALONE, TWO])
    return [
        Claim(choosing.group_counts, "persons in 3 groups, 2 kept", ADD_REMOVE, BY_STEPS, listed, [(OTHERS, BUSY)]),
        Claim(
            release, "one group, delta 0.05", ADD_REMOVE, BY_LAW, thresholded, [(ALONE, NOBODY), (TWO, ALONE)],
            delta=DELTA, law=one_group_law, trial=trial,
        ),
        Claim(
            suppressed, "groups of 2 or more, then noise", ADD_REMOVE, BY_STEPS, made_public, [(ALONE, TWO)],
            loses=np.inf, false=True,
        ),
    ]  # fmt: skip


def listed(records, epsilon, rng):
    """How many people are in each of three listed groups; a person counts in two."""
    return choosing.group_counts(records[:, 0], records[:, 1], [0, 1, 2], 2, epsilon, rng)


def thresholded(records, epsilon, rng):
    """The groups that come to light, at delta 0.05."""
    return choosing.threshold_release(records[:, 0], records[:, 1], 1, epsilon, DELTA, rng)


def one_group_law(records, epsilon):
    """Nothing, or the group with its noisy count in the cells above the threshold."""
    people, threshold = len(records), choosing.group_threshold(1, epsilon, DELTA)
    if people == 0:
        return np.append(0.0, np.full(RISING.size, -np.inf))
    ends = np.append(threshold + RISING, np.inf)
    shown = laplace_probability(ends[:-1], ends[1:], people, 1, epsilon)
    return np.log(np.append(1 - shown.sum(), shown))


def one_group_place(outputs):
    """0 for nothing, else the cell of the noisy count; the threshold is that at epsilon 1."""
    threshold = choosing.group_threshold(1, 1.0, DELTA)
    counts = [float(*output.values()) if output else -np.inf for output in outputs]
    return [
        0 if count == -np.inf else int(np.searchsorted(threshold + RISING, count, side="right")) for count in counts
    ]


def made_public(records, epsilon, rng):
    """Names and noisy counts of the groups that truly have two people or more."""
    shown = choosing.suppressed_counts(records[:, 0], records[:, 1], 2, epsilon, rng)
    return [list(shown), list(shown.values())]
