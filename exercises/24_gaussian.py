# %% [markdown]
# # Assignment 24: Delta and normal noise
#
# Five tasks, 18 points. You need chapter 24, *The Gaussian mechanism*.
#
# All data here are invented. Yours may differ from those of others. The relation is add/remove unless a task says
# otherwise.

# %% tags=["setup"]
from functools import partial

import numpy as np
from scipy.special import ndtr

from dpbook.check import answers, check, normal_law, own_order, private, repeatable
from dpbook.gaussian import gaussian_delta, gaussian_scale

VARIANT = 0  # of 6
mine = partial(own_order, variant=VARIANT)

# %% [markdown]
# ## 1. Steps and lengths (3 points)
#
# *You learn* to tell the sum of the changes from their length. About 25 minutes, medium.
#
# A dataset holds the records of many people, each about a yes-or-no question. To protect a *person*, neighbours differ
# in all that one person contributes. Under "add/remove" the person joins or leaves, under "replace" the person is
# exchanged for another. Write `sensitivities(query, size, relation)`; it returns two numbers, the L1 and the L2
# sensitivity of everything that the query publishes. `query` is one of
#
# - `"count"`: how many people say yes; one record a person (`size` plays no part);
# - `"histogram"`: how many people are in each of some bins; one record a person (`size` plays no part);
# - `"tree"`: counts of people in a tree with `size` levels below a root that is not published; one record a person;
# - `"counts"`: `size` yes-or-no questions, each answered by everybody, and a count for each;
# - `"one count"`: *one* count of yes over all records, with up to `size` records of a person;
# - `"yearly counts"`: `size` yearly counts of yes, with one record of a person in each year.


# %%
def sensitivities(query, size, relation):
    ### BEGIN SOLUTION
    entries, change = {
        "count": (1, 1),
        "histogram": (1, 1),
        "tree": (size, 1),
        "counts": (size, 1),
        "one count": (1, size),
        "yearly counts": (size, 1),
    }[query]
    if relation == "replace" and query in ("histogram", "tree"):  # one place loses, another gains
        entries = 2 * entries
    return [entries * change, np.sqrt(entries) * change]
    ### END SOLUTION


# %% points=3
ASKED = [
    (query, 5, relation)
    for relation in ("add/remove", "replace")
    for query in ("count", "histogram", "tree", "counts", "one count", "yearly counts")
]
L1 = np.array([1, 1, 5, 5, 5, 5, 1, 2, 10, 5, 5, 5.0])
L2 = np.array([1, 1, 5**0.5, 5**0.5, 5, 5**0.5, 1, 2**0.5, 10**0.5, 5**0.5, 5, 5**0.5])
STAYS = "a person who is replaced still answers each question: %s move by 1 each, and not by 2"


TWO_BINS = np.where(L1 == 2, 2, np.where(L1 == 10, 2 * 5**0.5, L2))
HEIGHTS = np.where(np.isin(np.arange(12), [2, 8]), L1, L2)
JOINED = np.column_stack([L1, L2])[:6]


def with_entries(rows, entries):
    """What is right, but for these rows, where so many entries move by 1."""
    table = np.column_stack([L1, L2])
    table[rows] = entries, entries**0.5
    return table


check(
    sensitivities,
    answers(
        ASKED,
        np.column_stack([L1, L2]),
        slips={
            "L2 is no root of L1: five records in one count move that one number by 5": np.column_stack([L1, L1**0.5]),
            "a replaced person moves two bins by 1 each: how long is that move?": np.column_stack([L1, TWO_BINS]),
            "the L2 sensitivity of a tree is a length: the root of a sum of squares": np.column_stack([L1, HEIGHTS]),
            "the two are not the same number: L2 is the length of the move": np.column_stack([L1, L1]),
            "under replace a person leaves one bin and enters another": np.vstack([JOINED, JOINED]),
            "a count and yearly counts move by no more if somebody is replaced": np.vstack([JOINED, 2 * JOINED]),
            "under replace a person leaves one path of the tree and enters another": with_entries([8], 5),
            STAYS % "counts": with_entries([9], 10),
            STAYS % "yearly counts": with_entries([11], 10),
            STAYS % "counts and yearly counts": with_entries([9, 11], 10),
        },
        variant=VARIANT,
    ),
)
### BEGIN HIDDEN TESTS
for many in (1, int(fresh.integers(2, 60)), int(fresh.integers(1000, 9000))):
    ones = np.ones(12)
    sizes = ones * [1, 1, many, many, 1, many, 1, 2, 2 * many, many, 1, many]
    lifts = ones * [1, 1, 1, 1, many, 1, 1, 1, 1, 1, many, 1]
    check(
        sensitivities,
        answers(
            [(query, many, relation) for query, _, relation in ASKED],
            np.column_stack([sizes * lifts, sizes**0.5 * lifts]),
        ),
    )
### END HIDDEN TESTS


# %% tags=["wrong"]
def sensitivities(query, size, relation):
    entries, change = {"count": (1, 1), "histogram": (1, 1), "one count": (1, size)}.get(query, (size, 1))
    moved = 2 * entries if relation == "replace" and query in ("histogram", "tree") else entries
    # WRONG the root of L1 | L2 is no root of L1
    return [moved * change, np.sqrt(moved * change)]

    # WRONG replace doubles the length | how long is that move
    return [moved * change, moved / entries * np.sqrt(entries) * change]

    # WRONG the height for the tree | the root of a sum of squares
    return [moved * change, moved if query == "tree" else np.sqrt(moved) * change]

    # WRONG L1 twice | L2 is the length of the move
    return [moved * change, moved * change]

    # WRONG the relation forgotten | leaves one bin and enters another
    return [entries * change, np.sqrt(entries) * change]

    # WRONG the tree as without replace | leaves one path of the tree
    if query == "tree":
        moved = entries
    return [moved * change, np.sqrt(moved) * change]

    # WRONG counts doubled under replace | still answers each question: counts and yearly counts
    if relation == "replace" and query not in ("count", "one count"):
        entries = 2 * entries
    return [entries * change, np.sqrt(entries) * change]

    # WRONG everything doubled under replace | move by no more if somebody is replaced
    twice = 2 if relation == "replace" else 1
    return [twice * entries * change, twice * np.sqrt(entries) * change]


# %% [markdown]
# ## 2. The smallest delta of a table (4 points)
#
# *You learn* to compute the smallest delta of a table of any size. About 20 minutes, easy to medium.
#
# A mechanism has some possible outputs. `with_you` and `without_you` are their probabilities on two neighbours; some may
# be 0. Write `least_delta(with_you, without_you, epsilon)`: the smallest $\delta$ for which
# $(\varepsilon, \delta)$-DP holds between the two, for all events and in both directions. There may be a thousand outputs.


# %%
def least_delta(with_you, without_you, epsilon):
    ### BEGIN SOLUTION
    pairs = (with_you, without_you), (without_you, with_you)
    # The worst event holds just the outputs that exceed e^epsilon times their other probability.
    return max(np.maximum(p - np.exp(epsilon) * q, 0).sum() for p, q in pairs)
    ### END SOLUTION


# %% points=4
here, there = np.array([0.4, 0.3, 0.2, 0.1, 0.0]), np.array([0.1, 0.3, 0.1, 0.3, 0.2])
CASES = [(here, there, 0.0), (here, there, np.log(1.5)), (there, here, np.log(1.5)), (here, there, np.log(3.0))]
CASES.append((np.array([0.5, 0.4, 0.1, 0.0]), np.array([0.24, 0.21, 0.35, 0.2]), np.log(2.0)))
# ln 1.5: with against without .25 + .05, without against with .15 + .2; ln 3: .1 against .2
check(
    least_delta,
    answers(
        CASES,
        [0.4, 0.35, 0.35, 0.2, 0.35],
        slips={
            "one direction is not enough: with you against without you, and the reverse": [0.4, 0.3, 0.35, 0.1, 0.02],
            "one direction is not enough: without you against with you, and the reverse": [0.4, 0.35, 0.3, 0.2, 0.35],
            "the larger delta of the two directions is needed, not the smaller": [0.4, 0.3, 0.3, 0.1, 0.02],
            "an event may hold many outputs; you looked at the worst single one": [0.3, 0.25, 0.25, 0.2, 0.2],
            "outputs that need no help must not be counted against the others": [0.0, -0.5, -0.5, -2.0, -1.0],
            "that is the probability of a loss above epsilon; e^epsilon covers most of it": [0.6, 0.6, 0.6, 0.4, 0.55],
            "each direction needs a delta, and one delta serves both: not their sum": [0.8, 0.65, 0.65, 0.3, 0.37],
            "e^epsilon multiplies the other law; you divided by it": [0.4, 17 / 30, 17 / 30, 11 / 15, 0.675],
            "an output that is impossible on one side counts as well": [0.4, 0.3, 0.3, 0.1, 0.15],
        },
        tolerance=1e-9,
        variant=VARIANT,
    ),
)
### BEGIN HIDDEN TESTS
tables = [fresh.dirichlet(np.full(size, 0.3), 2) for size in (2, 5, 40, 1000, 5000)]
for table in tables[1:]:  # outputs that are impossible on one side, or on both
    table[0, : fresh.integers(1, 3)] = table[1, fresh.integers(0, 3, 2)] = 0
    table /= table.sum(axis=1, keepdims=True)
tables += [np.array([[1.0]] * 2), tables[2][[0, 0]]]
runs = [(*table, e) for table in tables for e in (0.0, 0.01, *fresh.uniform([0, 2], [2, 20]), 20.0)]
covered = [[np.minimum(a, np.exp(e) * b).sum() for a, b in ((p, q), (q, p))] for p, q, e in runs]
check(least_delta, answers(runs, 1 - np.min(covered, axis=1), tolerance=1e-9))
check(least_delta, answers([(np.array([1.0, 0.0]), np.array([0.0, 1.0]), fresh.uniform(0, 20))], [1.0]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def least_delta(with_you, without_you, epsilon):
    pairs = (with_you, without_you), (without_you, with_you)
    # WRONG one direction | with you against without you, and the reverse
    return np.maximum(with_you - np.exp(epsilon) * without_you, 0).sum()

    # WRONG the other direction only | without you against with you, and the reverse
    return np.maximum(without_you - np.exp(epsilon) * with_you, 0).sum()

    # WRONG the smaller of the two | not the smaller
    return min(np.maximum(p - np.exp(epsilon) * q, 0).sum() for p, q in pairs)

    # WRONG the worst single output | you looked at the worst single one
    return max(0, *(np.max(p - np.exp(epsilon) * q) for p, q in pairs))

    # WRONG all outputs | must not be counted against the others
    return max(np.sum(p - np.exp(epsilon) * q) for p, q in pairs)

    # WRONG the probability of a loss above epsilon | covers most of it
    return max(p[p > np.exp(epsilon) * q + 1e-12].sum() for p, q in pairs)

    # WRONG both directions added | not their sum
    return sum(np.maximum(p - np.exp(epsilon) * q, 0).sum() for p, q in pairs)

    # WRONG divided by e to the epsilon | you divided by it
    return max(np.maximum(p - np.exp(-epsilon) * q, 0).sum() for p, q in pairs)

    # WRONG impossible outputs left out | impossible on one side counts as well
    both = (with_you > 0) & (without_you > 0)
    return max(np.maximum(p - np.exp(epsilon) * q, 0)[both].sum() for p, q in pairs)


# %% [markdown]
# ## 3. A hundred counts (5 points)
#
# *You learn* to calibrate normal noise for many answers at once. About 25 minutes, medium.
#
# Each row of `answers_given` is one person, each column a yes-or-no question (1 or 0). Write
# `release_counts(answers_given, epsilon, delta, rng)`: it releases how many said yes to each question. It is
# $(\varepsilon, \delta)$-DP in all when one person (a row) is added or removed. Its normal noise has the smallest
# standard deviation for that. `gaussian_scale` of chapter 24 is there to be used. The release is neither rounded nor
# cut. The number of questions is public; there may be no people. The grader's data have other numbers of columns, up to
# 160, and $\varepsilon$ may be above 1.

# %% tags=["setup"]
survey = np.random.default_rng(5 + VARIANT).random((40, 100))
survey = (survey < np.linspace(0.1, 0.9, 100)).astype(int)
everything = np.vstack([survey, np.ones((1, 100), dtype=int)])


# %%
def release_counts(answers_given, epsilon, delta, rng):
    ### BEGIN SOLUTION
    counts = answers_given.sum(axis=0)
    scale = gaussian_scale(np.sqrt(counts.size), epsilon, delta)  # a person may say yes to all of them
    return counts + rng.normal(scale=scale, size=counts.size)
    ### END SOLUTION


# %% points=5
least, most = gaussian_scale(10, 1.0, 1e-3), survey.sum(axis=1).max()
check(
    release_counts,
    normal_law(
        (survey, 1.0, 1e-3),
        survey.sum(axis=0),
        least,
        scales={
            "this noise is for one count: a person is in a hundred of them": least / 10,
            "epsilon and delta were shared out among the counts: that wastes noise": gaussian_scale(1, 0.01, 1e-5),
            "the L1 sensitivity is 100, but normal noise needs the length of the move": least * 10,
            "the standard deviation is the root of what you used": least**2,
            "the noise follows the largest row: that is secret": gaussian_scale(most**0.5, 1.0, 1e-3),
        },
    ),
    normal_law(
        (survey[:, :25], 3.0, 1e-5),
        survey[:, :25].sum(axis=0),
        gaussian_scale(5, 3.0, 1e-5),
        scales={
            "that is the classical formula: it is proved for epsilon below 1 only, and wastes noise": (
                (50 * np.log(1.25e5)) ** 0.5 / 3
            ),
            "the number of questions is a property of the data you are given": gaussian_scale(10, 3.0, 1e-5),
        },
    ),
    repeatable((survey, 1.0, 1e-6), shape=(100,)),
    private((survey, 1.0, 1e-6), (everything, 1.0, 1e-6), epsilon=1.0, shape=(100,), samples=1_000, delta=1e-6),
)
### BEGIN HIDDEN TESTS
promises = fresh.permutation([0.01, 0.1, 0.9, 4.0, 20.0]) * fresh.uniform(0.75, 1.0, 5)
sizes = fresh.integers(
    [[0, 4], [1, 1], [3, 90], [1500, 15], [2, 60]], [[1, 14], [2, 4], [20, 160], [4500, 60], [6, 160]]
)
for (people, asked), promise in zip(sizes, promises, strict=True):
    said, share = (fresh.random((people, asked)) < fresh.random(asked)).astype(int), 10.0 ** -fresh.integers(3, 12)
    noise = gaussian_scale(asked**0.5, promise, share)
    check(release_counts, normal_law((said, promise, share), [sum(column) for column in said.T], noise))
crowd = fresh.integers(0, 2, (12, 64))
call, joined = (crowd, 2.0, 1e-5), (np.vstack([crowd, np.ones((1, 64), int)]), 2.0, 1e-5)
check(release_counts, private(call, joined, 2.0, (64,), samples=1000, delta=1e-5, additive=True))
### END HIDDEN TESTS


# %% tags=["wrong"]
def release_counts(answers_given, epsilon, delta, rng):
    counts = answers_given.sum(axis=0)
    right = gaussian_scale(np.sqrt(counts.size), epsilon, delta)
    classical = np.sqrt(2 * np.log(1.25 / delta) * counts.size) / epsilon

    def noisy(scale):
        return counts + rng.normal(scale=scale, size=counts.size)

    # WRONG no noise | NO_NOISE
    return counts

    # WRONG noise for one count | this noise is for one count
    return noisy(gaussian_scale(1, epsilon, delta))

    # WRONG epsilon and delta shared out | shared out among the counts
    return noisy(gaussian_scale(1, epsilon / counts.size, delta / counts.size))

    # WRONG the L1 sensitivity | normal noise needs the length of the move
    return noisy(gaussian_scale(counts.size, epsilon, delta))

    # WRONG the variance as scale | is the root of what you used
    return noisy(right**2)

    # WRONG the classical formula | the standard deviation is 1.4
    return noisy(classical)

    # WRONG the classical formula above 1 | that is the classical formula
    return noisy(classical if epsilon > 1 else right)

    # WRONG Laplace noise | LAPLACE
    return counts + rng.laplace(scale=counts.size / epsilon, size=counts.size)

    # WRONG the same noise for all | SHARED
    return counts + rng.normal(scale=right)

    # WRONG always a hundred questions | a property of the data you are given
    return noisy(gaussian_scale(10, epsilon, delta))

    # WRONG the largest row | that is secret
    return noisy(gaussian_scale(np.sqrt(answers_given.sum(axis=1).max()), epsilon, delta))

    # WRONG rounded | WHOLE
    return np.round(noisy(right))

    # WRONG a generator of its own | NOT_FROM_RNG
    return counts + np.random.default_rng().normal(scale=right, size=counts.size)


# %% [markdown]
# ## 4. Break a formula (3 points)
#
# *You learn* where the classical formula stops holding. About 25 minutes, medium.
#
# Somebody adds normal noise with the standard deviation $\sqrt{2 \ln(1.25/\delta)}/\varepsilon$ to a count, for *every*
# $\varepsilon$, and claims $(\varepsilon, \delta)$. On two neighbours the count is 1 (with you) and 0 (without you).
#
# Write `counterexample(delta)`: three numbers, an $\varepsilon$ of at most 500, a threshold $t$, and the excess
# $\Pr[\text{release} > t] - e^\varepsilon \Pr{}'[\text{release} > t]$ of the event "the release exceeds $t$". The
# excess must be above $\delta$, so that the claim is broken, and right to one part in a million.

# %% tags=["setup"]
from dpbook.check import Unusable


def breaks(deltas):
    """The answer must break the formula's guarantee for each of these deltas, and say by how much."""

    def requirement(draw):
        for delta in deltas:
            epsilon, threshold, excess = draw([(delta,)], shape=(3,))[0, 0]
            if not 0 < epsilon <= 500:
                raise Unusable("epsilon must be above 0 and at most 500")
            deviation = (2 * np.log(1.25 / delta)) ** 0.5 / epsilon
            here, there = ndtr((np.array([1, 0]) - threshold) / deviation)
            true = here - np.exp(epsilon) * there
            if gaussian_delta(1, deviation, epsilon) <= delta:
                return (
                    f"at epsilon {epsilon:.3g} and delta {delta:g} no event breaks it: the formula is still safe there"
                )
            if true <= delta:
                return f"your event does not show it: its excess is {true:.3g}, and delta is {delta:g}"
            if abs(excess / true - 1) > 1e-6:
                return f"the event is good, but its excess is {true:.7g}, not {excess:.7g}"
        return ""

    return requirement


# %%
def counterexample(delta):
    ### BEGIN SOLUTION
    epsilon = 20.0  # the formula breaks from about 10.3 on at delta 1e-12, and earlier at larger ones
    scale = np.sqrt(2 * np.log(1.25 / delta)) / epsilon
    threshold = 0.5 + epsilon * scale**2  # from here on the log ratio (x - 1/2) / scale^2 exceeds epsilon
    excess = ndtr((1 - threshold) / scale) - np.exp(epsilon) * ndtr(-threshold / scale)
    return [epsilon, threshold, excess]
    ### END SOLUTION


# %% points=3
check(counterexample, breaks([1e-12, *mine([1e-6, 1e-5, 1e-3])]))
### BEGIN HIDDEN TESTS
check(counterexample, breaks([1e-9, 1e-4, 1e-2, 1e-12, *10 ** fresh.uniform(-12, -2, 30)]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def counterexample(delta):
    def event(epsilon, side=1):
        """The threshold on this side of the middle, and the probabilities of more, with you and without."""
        scale = np.sqrt(2 * np.log(1.25 / delta)) / epsilon
        threshold = 0.5 + side * epsilon * scale**2
        return threshold, ndtr((1 - threshold) / scale), ndtr(-threshold / scale)

    # WRONG just above 1 | no event breaks it: the formula is still safe there
    threshold, here, there = event(1.5)
    return [1.5, threshold, here - np.exp(1.5) * there]

    # WRONG at epsilon 8 | no event breaks it: the formula is still safe there
    threshold, here, there = event(8.0)
    return [8.0, threshold, here - np.exp(8.0) * there]

    # WRONG at epsilon 10 | no event breaks it: the formula is still safe there
    threshold, here, there = event(10.0)  # enough from a delta of about 1e-11 on
    return [10.0, threshold, here - np.exp(10.0) * there]

    # WRONG the middle as threshold | your event does not show it
    threshold, here, there = event(20.0, side=0)
    return [20.0, threshold, here - np.exp(20.0) * there]

    # WRONG without e to the epsilon | the event is good, but its excess is
    threshold, here, there = event(20.0)
    return [20.0, threshold, here - there]

    # WRONG the probability of the event | the event is good, but its excess is
    threshold, here, there = event(20.0)
    return [20.0, threshold, here]

    # WRONG the wrong side | your event does not show it
    threshold, here, there = event(20.0, side=-1)
    return [20.0, threshold, (1 - there) - np.exp(20.0) * (1 - here)]


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* what a delta guarantees, and what it does not. About 20 minutes, medium.
#
# A data protection officer writes: "The Gaussian mechanism is $(1, 10^{-6})$-DP. That means: with probability
# $1 - 10^{-6}$ it is 1-DP, and with probability $10^{-6}$ privacy fails and somebody's record may be published." For normal
# noise that is just $(1, 10^{-6})$-DP, chapter 24 computes the probability of a loss above 1. In three to five sentences: what
# is false in each half of this explanation, and what is true?

# %% [markdown] name="explain_delta" points=3
# ### BEGIN SOLUTION
# The first half is false: the probability of a loss above 1 is 2.01e-5, which is 20.1 times delta. Delta is less than that
# probability. Of an output whose loss is a little above epsilon, most is covered by e^epsilon times its other probability.
# Delta is the sum of the rest, over all outputs. (The other way round it holds: if a larger loss has probability at most delta,
# the guarantee holds.) The second half is false for this mechanism: no output publishes a record. Losses a little above 1 are
# the usual ones above 1, and larger ones quickly become very improbable (the profile goes on falling). It is true of *some*
# mechanism with the same pair, "print the record with probability delta". The pair alone cannot tell the two apart. That is why
# delta should be far below one over the number of people.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each.
#
# - (a) The probability of a loss above epsilon is not delta but larger, here 20 times. The number is not needed if "delta is
#   less than that probability" is said.
# - (b) What delta is: the sum of what exceeds e^epsilon times the other probability. Accept "the part that e^epsilon does not
#   cover", or the smallest allowance over all events.
# - (c) No record is published by normal noise; the same pair allows a mechanism that does. Or: the profile says more than the
#   pair. No point for "delta is the probability of a catastrophe" in any wording, unless it is said of that other mechanism.
# ### END MARK SCHEME
