"""The claims of chapter 27: persons with many records, groups that are listed or not, programs of plans.

A dataset is a table with one row a record: whose it is, and which group it is in. Neighbours differ by a person. For
the programs of a plan it has one row a person, and the columns that the plan asks for.
"""

import functools
import itertools

import numpy as np

from dpbook import choosing
from dpbook.claims.trial import Trial
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim
from dpbook.composition import Budget
from dpbook.exponential import quantile_quality, selection_probabilities
from dpbook.gaussian import discrete_gaussian_log_probability
from dpbook.laplace import laplace_probability
from dpbook.neighbours import ADD_REMOVE

CHAPTER = "27"
NOBODY, ALONE, TWO, FIVE = (np.array([[person, 0] for person in range(n)]).reshape(-1, 2) for n in (0, 1, 2, 5))
BOTH = np.array([[0, 0], [0, 1]])  # a person who is alone in two groups
FOUR_PAIRS, FIVE_PAIRS = (np.array([[person, group] for person in range(n) for group in (0, 1)]) for n in (4, 5))
OTHERS = np.array([[1, 0], [1, 1], [2, 0], [3, 2]])
BUSY = np.append(OTHERS, [[9, 0], [9, 1], [9, 1], [9, 2]], axis=0)  # with person 9, in three groups
DELTA, RARE = 0.2, 1e-3
FINE, COARSE = (np.append(np.linspace(0, 12, cells), np.inf) for cells in (13, 5))  # above the row's own threshold
ATTRIBUTES = ["age", "educ"]
VOTERS = np.array([[30.0, 5.0], [60.0, 2.0], [80.0, 7.0]])
JOINED = [VOTERS, np.append(VOTERS, [[99.0, 7.0]], axis=0)]  # with somebody who is in every count, and at every bound
BINS, MEAN = choosing.Histogram("age", (0, 50, 100)), choosing.Mean("educ", (1, 7))
MEDIAN = choosing.Quantile("age", 0.5, (20, 40, 60))
FOUR = choosing.Counts((("age", 10), ("age", 50), ("educ", 1), ("educ", 4)))
SUMS = np.arange(-80, 81)  # of whole-number noise: what lies beyond has no place


def claims():
    """The rows of chapter 27."""
    release, slightly = choosing.threshold_release, {"delta": DELTA * (1 + 1e-9)}
    one, two = (groups_law(*setting) for setting in ((1, FINE), (2, COARSE)))
    return [
        Claim(choosing.group_counts, "persons in 3 groups, 2 kept", ADD_REMOVE, BY_STEPS, listed, [(OTHERS, BUSY)]),
        Claim(
            release, "one group, delta 0.2", ADD_REMOVE, BY_LAW, thresholded(1), [(ALONE, NOBODY), (TWO, ALONE)],
            law=one, trial=Trial(one, groups_place(1, FINE), [ALONE, FIVE]), **slightly,
        ),
        Claim(
            release, "two groups a person, delta 0.2", ADD_REMOVE, BY_LAW, thresholded(2),
            [(BOTH, NOBODY), (FIVE_PAIRS, FOUR_PAIRS)],
            law=two, trial=Trial(two, groups_place(2, COARSE), [BOTH, FIVE_PAIRS]), **slightly,
        ),
        Claim(
            choosing.Plan, "program: a histogram, a mean, a median", ADD_REMOVE, BY_STEPS, planned(BINS, MEAN, MEDIAN),
            [tuple(JOINED)], loses=planned_loss(),
        ),
        Claim(
            choosing.Plan, "program: four counts, delta 0.001", ADD_REMOVE, BY_LAW, planned(FOUR, delta=RARE),
            [tuple(JOINED)], delta=RARE, law=four_law, trial=Trial(four_law, four_place, JOINED),
        ),
    ]  # fmt: skip


def listed(records, epsilon, rng):
    """How many people are in each of three listed groups; a person counts in two."""
    return choosing.group_counts(records[:, 0], records[:, 1], [0, 1, 2], 2, epsilon, rng)


def thresholded(most):
    """The groups that come to light, of `most` a person, at delta 0.2."""
    return lambda records, epsilon, rng: choosing.threshold_release(
        records[:, 0], records[:, 1], most, epsilon, DELTA, rng
    )


@functools.cache
def lowest(most):
    """The threshold at the rows' epsilon, as the page has it and not as the program says."""
    return 1 + most * -np.log(2 * (1 - (1 - DELTA) ** (1 / most)))


def groups_law(most, above):
    """Each of `most` groups with as many people: not published, or its noisy count in a cell `above` the threshold."""

    def law(records, epsilon):
        people = len(records) // most
        if not people:
            return np.append(0.0, np.full(above.size**most - 1, -np.inf))
        cuts = np.maximum(lowest(most) + above, 1 + (lowest(most) - 1) / epsilon)  # that of another epsilon
        chances, there = np.zeros(above.size), cuts[:-1] < cuts[1:]
        chances[1:][there] = laplace_probability(cuts[:-1][there], cuts[1:][there], people, most, epsilon)
        chances[0] = 1 - chances.sum()
        with np.errstate(divide="ignore"):
            return np.log([np.prod(each) for each in itertools.product(chances, repeat=most)])

    return law


def groups_place(most, above):
    """Which event of `groups_law` each output is; -1 for a count that no threshold lets through, or a strange group."""

    def place(outputs):
        return [_groups_event(output, most, lowest(most) + above) for output in outputs]

    return place


def _groups_event(output, most, cuts):
    if any(count <= cuts[0] for count in output.values()) or set(output) - set(range(most)):
        return -1
    cells = [int(np.searchsorted(cuts, output[group])) if group in output else 0 for group in range(most)]
    return int(np.ravel_multi_index(cells, (cuts.size,) * most))


def planned(*parts, delta=0.0):
    """What the program of a plan releases: written, run as it stands, and its `release` called with other data."""

    def run(people, epsilon, rng, size=None):
        plan, program = choosing.Plan("data.election()", parts, 944, epsilon, delta), {}
        exec(compile(plan.code(), "plan", "exec"), program)
        table = dict(zip(ATTRIBUTES, people.T, strict=True))
        again = [program["release"](table, Budget(epsilon, delta=delta), rng) for _ in range(size or 1)]
        return [list(released.values()) for released in again] if size else list(again[0].values())

    return run


def planned_loss():
    """Of the program with a histogram, a mean and a median: a third each, of which the choice cannot use all."""
    qualities = [quantile_quality(people[:, 0], 0.5, MEDIAN.candidates) for people in JOINED]
    chances = [np.log(selection_probabilities(quality, 0.5, 1 / 3)) for quality in qualities]
    return 2 / 3 + np.abs(chances[0] - chances[1]).max()


def four_law(people, epsilon):
    """The sum of the four counts of `FOUR`, which is all that tells neighbours apart: four whole-number noises."""
    noise = np.exp(discrete_gaussian_log_probability(SUMS, 0, 2.0, epsilon, RARE))
    total = functools.reduce(np.convolve, [noise] * 4)
    moved = np.zeros(total.size + 4 * len(VOTERS) + 4)
    start = sum(int(np.sum(people[:, ATTRIBUTES.index(name)] > above)) for name, above in FOUR.questions)
    moved[start : start + total.size] = total
    with np.errstate(divide="ignore"):
        return np.log(moved)


def four_place(outputs):
    """The place of each sum of four counts in `four_law`."""
    return [int(np.sum(counts)) + 4 * SUMS[-1] for (counts,) in outputs]
