# %% [markdown]
# # Assignment 07: Local privacy
#
# Five tasks, 18 points. You need chapter 07, *Local privacy: randomized response*.
#
# All data here are invented. Yours may differ from those of others. Possible answers are numbered from 0.

# %% tags=["setup"]
import itertools
from functools import partial

import numpy as np

from dpbook.check import answers, check, discrete_law, draws_here, own_order, private, repeatable

VARIANT = 0  # of 6
mine = partial(own_order, variant=VARIANT)

# %% [markdown]
# ## 1. What does this device promise? (3 points)
#
# *You learn* to read a local guarantee off any table of probabilities. About 15 minutes, easy.
#
# A device randomises one person's answer. Its maker publishes a table `chances`: `chances[x, y]` is the probability of
# report $y$ if the true answer is $x$. Each row adds up to 1. Write `local_promise(chances)`: the smallest
# $\varepsilon$ for which the device is locally $\varepsilon$-private, or -1 if there is none. A report that has
# probability 0 under every answer does not count. There are at least two answers.


# %%
def local_promise(chances):
    ### BEGIN SOLUTION
    most, least = chances.max(axis=0), chances.min(axis=0)
    used = most > 0
    if np.any(least[used] == 0):
        return -1
    return np.log(most[used] / least[used]).max()
    ### END SOLUTION


# %% points=3
# The check
three_answers = np.array([[0.7, 0.2, 0.1], [0.4, 0.3, 0.3], [0.2, 0.2, 0.6]])[:, mine(range(3))]
four_reports = np.array([[0.25, 0.25, 0.25, 0.25], [0.5, 0.2, 0.2, 0.1], [0.1, 0.3, 0.1, 0.5]])[:, mine(range(4))]
check(
    local_promise,
    answers(
        [(three_answers,), (four_reports,)],
        [1.791759469, 1.609437912],
        slips={
            "e^epsilon is the ratio: what is its logarithm?": [6, 5],
            "compare what two answers make of one report, not two reports of one answer": [1.945910149, 1.609437912],
            "any two answers must be compared, not only those that stand side by side": [1.098612289, 1.609437912],
            "any two answers must be compared, not only the first with the others": [1.791759469, 0.9162907319],
            "the guarantee is about ratios, not about differences": [0.5, 0.4],
            "it holds for each report, the worst too: losses of reports neither add up nor average": (
                [3.449987546, 4.540631665]
            ),
            "it holds for each report, the worst too, not on average": [0.8245030878, 0.7013115795],
        },
    ),
    answers(
        [(np.array([[0.9, 0.1, 0.0], [0.1, 0.9, 0.0]]),)],
        [2.197224577],
        slips={"a report that no answer leads to does no harm": [-1]},
    ),
    answers(
        [(np.array([[0.5, 0.5], [1.0, 0.0]]),)],
        [-1],
        slips={
            "a report that one answer makes impossible tells that it was another one: no epsilon holds": [0.6931471806]
        },
    ),
)
### BEGIN HIDDEN TESTS
tables = [fresh.dirichlet(np.full(reports, 2.0), size) for size, reports in ((2, 2), (3, 7), (40, 9), (6, 3000))]
tables += [np.tile(fresh.dirichlet(np.ones(5)), (4, 1))]  # blind to the answer
kept = 1 / (1 + np.exp(-np.array([0.01, fresh.uniform(0.1, 4), 20.0])))
tables += [np.array([[p, 0.0, 1 - p], [1 - p, 0.0, p]]) for p in kept]
pair = fresh.dirichlet(np.ones(6), 3)
pair[1, fresh.integers(6)] = 0
tables += [pair / pair.sum(axis=1, keepdims=True)]
losses = []
for table in tables:
    with np.errstate(divide="ignore"):
        logs = np.log(table[:, table.any(axis=0)])
    worst = max((one - other).max() for one in logs for other in logs if np.isfinite(one).all())
    losses.append(worst if np.isfinite(logs).all() else -1)
check(local_promise, answers([(table,) for table in tables], losses))
### END HIDDEN TESTS


# %% tags=["wrong"]
def local_promise(chances):
    # WRONG the ratio itself | what is its logarithm
    return (chances.max(axis=0) / chances.min(axis=0)).max()

    # WRONG along the rows | not two reports of one answer
    return np.log(chances.max(axis=1) / chances.min(axis=1)).max()

    # WRONG neighbouring rows only | that stand side by side
    return np.abs(np.diff(np.log(chances), axis=0)).max()

    # WRONG the first answer only | not only the first with the others
    return np.abs(np.log(chances[0] / chances)).max()

    # WRONG differences | not about differences
    return np.ptp(chances, axis=0).max()

    # WRONG losses added up | neither add up nor average
    return np.log(chances.max(axis=0) / chances.min(axis=0)).sum()

    # WRONG impossible reports left out | tells that it was another one
    used = chances.min(axis=0) > 0
    return np.log(chances[:, used].max(axis=0) / chances[:, used].min(axis=0)).max()

    # WRONG any zero forbids it | that no answer leads to does no harm
    if np.any(chances == 0):
        return -1
    return np.log(chances.max(axis=0) / chances.min(axis=0)).max()


# %% [markdown]
# ## 2. A report of several answers (5 points)
#
# *You learn* to turn a wanted ratio into probabilities, and to draw by them. About 30 minutes, medium.
#
# There are $k$ possible answers. The report is a *set* of $d$ different ones, $1 \le d < k$. Every set that holds the true
# answer is $e^\varepsilon$ times as likely as every set that does not. Sets of the same kind are equally likely.
#
# Write `subset_report(value, k, d, epsilon, rng)`: one such report for the true answer `value`, an array of $d$ numbers in
# ascending order. There may be thousands of answers: do not list the sets.


# %% jupyter={"source_hidden": true} tags=["setup"]
# What the check needs
def every_set(k, d):
    """All sets of d of k answers, one a row."""
    return np.array(list(itertools.combinations(range(k), d)))


def set_law(value, sets, inside):
    """The chance of each set, if all those that hold `value` together have the chance `inside`."""
    holds = (sets == value).any(axis=1)
    return np.where(holds, inside / holds.sum(), (1 - inside) / (~holds).sum())


# %%
def subset_report(value, k, d, epsilon, rng):
    ### BEGIN SOLUTION
    # Of all sets, C(k-1, d-1) hold the value and C(k-1, d) do not: that is d to k - d.
    holds = rng.random() < d / (d + (k - d) * np.exp(-epsilon))
    others = rng.choice(k - 1, d - holds, replace=False)
    others = others + (others >= value)
    return np.sort(np.append(others, value) if holds else others)
    ### END SOLUTION


# %% points=5
# The check
pairs, triples = every_set(3, 2), every_set(6, 3)
held, other = (1 + VARIANT) % 3, (4 + VARIANT) % 6
check(
    subset_report,
    discrete_law(
        (held, 3, 2, 1.0),
        pairs,
        set_law(held, pairs, 0.8446375965),
        slips={
            sentence: set_law(held, pairs, inside)
            for sentence, inside in {
                "how many sets hold the true answer, and how many do not? Each *set* is e^epsilon times as likely": (
                    0.7310585786
                ),
                "that is right for reports of one answer, or with d and k - d exchanged; a set holds d": 0.5761168848,
                "this is half of epsilon: the set is one report, and epsilon is not shared among its answers": (
                    0.7673034624
                ),
                "the true answer is in your sets too often: e^(2 epsilon) is twice the guarantee, and a set that "
                "misses it may not hold it": 0.9366210617,
                "the true answer is always in your set: a set without it rules an answer out": 1,
                "your sets do not depend on the answer: private, and useless": 2 / 3,
                "the true answer is in your sets too seldom: you made it the less likely one": 0.4238831152,
            }.items()
        },
    ),
    discrete_law((other, 6, 3, 2.0), triples, set_law(other, triples, 0.8807970780), samples=4000),
    repeatable((held, 3, 2, 1.0), shape=(2,)),
    private((0, 5, 3, 1.0), (4, 5, 3, 1.0), epsilon=1.0, shape=(3,), samples=4000),
)
### BEGIN HIDDEN TESTS
from dpbook.check import words

promises = [*fresh.permutation([0.01, 1.0, 20.0]), 4.0, 0.2, 8.0] * fresh.uniform(0.85, 1.0, 6)
sizes = ((2, 1), (5, 4), (8, 3), (60, 2), (400, 1), (2000, 1))
for (k, d), promise in zip(sizes, promises, strict=True):
    held, sets = int(fresh.choice([0, fresh.integers(k), k - 1])), every_set(k, d)
    weights = np.where((sets == held).any(axis=1), 1.0, np.exp(-promise))
    check(subset_report, discrete_law((held, k, d, promise), sets, weights / weights.sum(), samples=6000))


def of_many(k, d, promise):
    """Of so many answers that nobody can list the sets: whether a set holds the truth, and one other answer."""
    held, other = (int(place) for place in fresh.permutation(k)[:2])
    odds = d * np.exp(promise), k - d
    law = np.outer(odds, [1.0, 1.0]) / sum(odds) * [[d - 1, k - d], [d, k - 1 - d]] / (k - 1)

    def requirement(draw):
        sets = draw([(held, k, d, promise)], 500, (d,))[0]
        if not (np.isin(sets, range(k)).all() and (np.diff(sets) > 0).all()):
            return words.IMPOSSIBLE
        lacks = [(sets != answer).all(axis=1) for answer in (held, other)]
        judged = discrete_law((), range(4), law.ravel(), samples=500)
        return judged(lambda *_: np.dot([2.0, 1.0], lacks)[None])

    return requirement


many = int(fresh.integers(2000, 4000))
check(subset_report, of_many(many, many // 3, fresh.uniform(0.3, 3)))
one, other = (int(place) for place in fresh.permutation(9)[:2])
check(subset_report, private((one, 9, 4, 2.0), (other, 9, 4, 2.0), epsilon=2.0, shape=(4,), samples=3000))
### END HIDDEN TESTS


# %% tags=["wrong"]
def subset_report(value, k, d, epsilon, rng):
    def others(size):
        """So many answers other than the true one."""
        drawn = rng.choice(k - 1, size, replace=False)
        return drawn + (drawn >= value)

    def set_with(chance):
        """A set that holds the true answer with this chance."""
        return np.sort(np.append(others(d - 1), value) if rng.random() < chance else others(d))

    # WRONG the sets not counted | how many sets hold the true answer
    return set_with(1 / (1 + np.exp(-epsilon)))

    # WRONG the chance of k-ary response | right for reports of one answer
    return set_with(1 / (1 + (k - 1) * np.exp(-epsilon)))

    # WRONG epsilon shared out | epsilon is not shared among its answers
    return set_with(d / (d + (k - d) * np.exp(-epsilon / d)))

    # WRONG twice epsilon | is twice the guarantee
    return set_with(d / (d + (k - d) * np.exp(-2 * epsilon)))

    # WRONG a set that misses the truth drawn from all | may not hold it
    holds = rng.random() < d / (d + (k - d) * np.exp(-epsilon))
    return np.sort(np.append(others(d - 1), value) if holds else rng.choice(k, d, replace=False))

    # WRONG the truth among decoys | the true answer is always in your set
    return set_with(1)

    # WRONG any set | your sets do not depend on the answer
    return np.sort(rng.choice(k, d, replace=False))

    # WRONG the sign of epsilon | you made it the less likely one
    return set_with(d / (d + (k - d) * np.exp(epsilon)))

    # WRONG in the order drawn | IMPOSSIBLE
    holds = rng.random() < d / (d + (k - d) * np.exp(-epsilon))
    return np.append(others(d - 1), value) if holds else others(d)

    # WRONG k-ary responses, each for itself | IMPOSSIBLE
    from dpbook.local import k_ary_response

    return np.sort(k_ary_response([value] * d, k, epsilon / d, rng))

    # WRONG neighbours of the truth as decoys | OFTEN
    first = value - rng.integers(d) if rng.random() < d / (d + (k - d) * np.exp(-epsilon)) else value + 1
    return np.sort(np.arange(first, first + d) % k)

    # WRONG seed fixed | NOT_DRAWN
    rng = np.random.default_rng(7)
    return set_with(d / (d + (k - d) * np.exp(-epsilon)))


# %% [markdown]
# ## 3. What do the sets say? (4 points)
#
# *You learn* to make an estimate unbiased when the reports are new to you. About 25 minutes, medium.
#
# `reports` has the sets of $n$ people, made as in task 2: an array with $n$ rows of $d$ answers each. Write
# `shares_held(reports, k, epsilon)`: an array of $k$ numbers, for each answer an unbiased estimate of the fraction of
# people who hold it. Estimates may fall below 0 or above 1; do not cut them.


# %%
def shares_held(reports, k, epsilon):
    ### BEGIN SOLUTION
    n, d = reports.shape
    held = d / (d + (k - d) * np.exp(-epsilon))  # the chance that a person's own answer is in the set
    other = (d - held) / (k - 1)  # a set has d answers; what is left is shared by the k - 1 others
    return (np.bincount(reports.ravel(), minlength=k) / n - other) / (held - other)
    ### END SOLUTION


# %% points=4
# The check
sets_seen = np.array([[0, 1], [0, 3], [1, 4], [0, 4], [2, 3], [0, 2], [0, 4], [1, 3]])
sets_seen = np.sort(np.argsort(mine(range(5)))[sets_seen])
check(
    shares_held,
    answers(
        [(sets_seen, 5, 1.5)],
        [mine([0.7154126903, 0.1427319224, -0.1436084576, 0.1427319224, 0.1427319224])],
        slips={
            sentence: np.array(shares)[:, mine(range(5))]
            for sentence, shares in {
                "that is how often an answer is in a set: most of it is due to the coins": [
                    [0.625, 0.375, 0.25, 0.375, 0.375]
                ],
                "the shares of the reports add up to 1, but the coins are still in them": [
                    [0.3125, 0.1875, 0.125, 0.1875, 0.1875]
                ],
                "shares are asked for, not numbers of people": [
                    [5.723301522, 1.141855379, -1.148867661, 1.141855379, 1.141855379]
                ],
                "those are the chances of k-ary response; these sets have others": [
                    [1.2353358938, 0.6263148, 0.3218042, 0.6263148, 0.6263148]
                ],
                "those are the chances of a yes-or-no answer; these sets have others": [
                    [0.6968042, 0.3031958, 0.1063915, 0.3031958, 0.3031958]
                ],
                "an answer that one does not hold comes with other chances than 1 - p: it may stand beside the true one": [
                    [0.7507676, 0.2492324, -0.0015353, 0.2492324, 0.2492324]
                ],
                "the true answer has company in its set: an answer gets in by that, too": [
                    [0.8008587, 0.4001227, 0.1997547, 0.4001227, 0.4001227]
                ],
                "a set without the true answer holds others, too": [
                    [0.7789127, 0.3340143, 0.1115651, 0.3340143, 0.3340143]
                ],
                "an estimate that is cut is no longer unbiased": [
                    [0.7154126903, 0.1427319224, 0, 0.1427319224, 0.1427319224]
                ],
                "made to add up to 1, it is no longer unbiased": [[0.6255748, 0.1248084, 0, 0.1248084, 0.1248084]],
            }.items()
        },
        tolerance=1e-5,
    ),
)
### BEGIN HIDDEN TESTS
promises = fresh.permutation([0.01, 0.3, 1.0, 5.0, 20.0]) * fresh.uniform(0.75, 1.0, 5)
for (n, k, d), promise in zip(((1, 2, 1), (40, 3, 2), (3000, 12, 5), (9, 40, 39), (9, 1500, 3)), promises, strict=True):
    told = np.sort(fresh.permuted(np.tile(np.arange(k), (n, 1)), axis=1)[:, :d], axis=1)
    odds = np.exp(promise) * d / (k - d)
    own = odds / (1 + odds)
    strange = own * (d - 1) / (k - 1) + (1 - own) * d / (k - 1)
    seen = np.array([np.count_nonzero(told == answer) for answer in range(k)]) / n
    fit = np.linalg.solve([[own, strange], [1.0, 1.0]], [seen, np.ones(k)])  # own f + strange (1 - f) = seen
    check(shares_held, answers([(told, k, promise)], [fit[0]], tolerance=1e-5 * max(1, np.abs(fit).max())))
### END HIDDEN TESTS


# %% tags=["wrong"]
def shares_held(reports, k, epsilon):
    n, d = reports.shape
    seen = np.bincount(reports.ravel(), minlength=k)
    held = d / (d + (k - d) * np.exp(-epsilon))
    other = (d - held) / (k - 1)

    # WRONG the shares as they are seen | most of it is due to the coins
    return seen / n

    # WRONG shares of all that is reported | but the coins are still in them
    return seen / reports.size

    # WRONG numbers of people | not numbers of people
    return (seen - n * other) / (held - other)

    # WRONG the chances of k-ary response | those are the chances of k-ary response
    from dpbook.local import estimate_frequencies, k_ary_chances

    return estimate_frequencies(seen, n, k_ary_chances(k, epsilon))

    # WRONG the chances of randomized response | of a yes-or-no answer
    from dpbook.local import binary_chances, estimate_frequencies

    return estimate_frequencies(seen, n, binary_chances(epsilon))

    # WRONG one minus p | other chances than 1 - p
    return (seen / n - (1 - held)) / (2 * held - 1)

    # WRONG no company for the truth | the true answer has company in its set
    other = (1 - held) * d / (k - 1)
    return (seen / n - other) / (held - other)

    # WRONG sets with the truth only | a set without the true answer holds others
    other = held * (d - 1) / (k - 1)
    return (seen / n - other) / (held - other)

    # WRONG cut to 0 and 1 | an estimate that is cut
    return np.clip((seen / n - other) / (held - other), 0, 1)


# %% [markdown]
# ## 4. Attack: since which day? (3 points)
#
# *You learn* what fresh coins every day reveal about a *change*. About 30 minutes, medium to hard.
#
# An app asks every day whether its user is pregnant, and reports the answer by `randomized_response`, with fresh coins.
# On day $t$ (from 0) it does so at `epsilons[t]`, which is public. At first the true answer is 0; one day it becomes 1,
# and stays 1. (Or this never happens, or it is 1 from the start.) `reports` has a 0 or a 1 for each day. Write
# `first_day(reports, epsilons)`: the most likely number of days on which the true answer was 0. Beforehand all numbers
# of days, from none to all, are equally likely.


# %% jupyter={"source_hidden": true} tags=["setup"]
# What the check needs
def finds_the_day(days, low, high, seed, most):
    """A requirement: for 100 users the first day is found, and is off by at most `most` days on average."""
    rng = np.random.default_rng(seed)
    promises = np.exp(rng.uniform(np.log(low), np.log(high), (100, days)))
    true = rng.integers(0, days + 1, 100)
    lies = rng.random((100, days)) > 1 / (1 + np.exp(-promises))
    told = (np.arange(days) >= true[:, None]) ^ lies  # the law of randomized_response

    def requirement(draw):
        given = draw(list(zip(told.astype(int), promises, strict=True)))[:, 0]
        if np.any(given != np.round(given)) or given.min() < 0 or given.max() > days:
            return f"a number of days is whole, and from 0 to {days} here"
        error = np.abs(given - true).mean()
        return "" if error <= most else f"you are off by {error:.1f} days on average; at most {most:.1f} are asked"

    return requirement


# %%
def first_day(reports, epsilons):
    ### BEGIN SOLUTION
    # A report for yes rather than no moves the log odds of that day by its epsilon; a start collects what comes after.
    speaks = epsilons * (2 * reports - 1)
    return np.argmax(np.append(np.cumsum(speaks[::-1])[::-1], 0))
    ### END SOLUTION


# %% points=3
# The check
steady = np.ones(8)
few_days = [
    (np.array([0, 0, 0, 1, 1]), steady[:5]),
    (np.array([0, 1, 0, 0, 1, 1, 0, 1]), steady),
    (np.array([0, 1, 0, 0, 1]), np.array([1.0, 3.0, 1.0, 1.0, 1.0])),
    (np.array([0, 0, 0]), steady[:3]),
    (np.array([1, 1]), steady[:2]),
    (np.array([0, 1, 0, 0, 1]), np.array([1.0, 3.0, 1.6, 1.6, 1.0])),
    (np.array([1, 1, 1, 0, 0, 0]), np.array([1.0, 1.0, 1.4, 1.0, 1.0, 1.0])),
]
check(
    first_day,
    answers(
        few_days,
        [3, 4, 1, 3, 0, 4, 0],
        slips={
            "the first yes may be a lie: look at all that follows": [3, 1, 1, 0, 0, 1, 0],
            "the last no may be a lie: look at all that comes before": [3, 7, 4, 3, 0, 4, 6],
            "how often no was reported does not say when: the order counts": [3, 4, 3, 3, 0, 3, 3],
            "a day with a larger epsilon says more: how much more?": [3, 4, 4, 3, 0, 4, 0],
            "the odds are e^epsilon, and odds of days multiply: how large is the logarithm?": [3, 4, 1, 3, 0, 1, 0],
            "you look for the turn from yes to no": [0, 0, 2, 0, 2, 2, 3],
            "the most likely number is asked, not the middle of what is likely": [3, 4, 1, 3, 0, 4, 1],
            "days are counted from 0: the number of days before the turn is asked": [2, 3, 0, 2, -1, 3, -1],
        },
    ),
    finds_the_day(60, 0.2, 3.0, seed=7 + VARIANT, most=3.0),
)


### BEGIN HIDDEN TESTS
def likeliest(told, promises):
    lies = [np.where(told == (np.arange(len(told)) >= start), 0.0, promises).sum() for start in range(len(told) + 1)]
    return int(np.argmin(lies))


for days, low, high in ((2, 0.01, 20), (40, 0.1, 1), (400, 0.01, 20), (120, 0.3, 0.5)):
    seed = int(fresh.integers(2**40))
    reached = finds_the_day(days, low, high, seed, most=-1)(draws_here(likeliest))
    check(first_day, finds_the_day(days, low, high, seed, most=1.1 * float(reached.split()[4]) + 0.5))
few = [(fresh.integers(0, 2, days), np.exp(fresh.uniform(-2, 1, days))) for days in fresh.integers(3, 12, 40)]
check(first_day, answers(few, [likeliest(*run) for run in few]))
long_run = (fresh.random(3000) < np.linspace(0.3, 0.7, 3000)).astype(int), np.exp(fresh.uniform(-4, 3, 3000))
check(first_day, answers([long_run], [likeliest(*long_run)], tolerance=0.5))
### END HIDDEN TESTS


# %% tags=["wrong"]
def first_day(reports, epsilons):
    # WRONG the first yes | the first yes may be a lie
    return np.argmax(reports)

    # WRONG the last no | the last no may be a lie
    return np.max(np.flatnonzero(reports == 0), initial=-1) + 1

    # WRONG how many no | the order counts
    return np.count_nonzero(reports == 0)

    # WRONG all days weigh the same | a day with a larger epsilon says more
    return np.argmax(np.append(np.cumsum((2 * reports - 1)[::-1])[::-1], 0))

    # WRONG weighed by the odds | how large is the logarithm
    return np.argmax(np.append(np.cumsum((np.exp(epsilons) * (2 * reports - 1))[::-1])[::-1], 0))

    # WRONG weighed by 2 p - 1 | how much more
    return np.argmax(np.append(np.cumsum((np.tanh(epsilons / 2) * (2 * reports - 1))[::-1])[::-1], 0))

    # WRONG the wrong way round | the turn from yes to no
    return np.argmax(np.append(0, np.cumsum(epsilons * (2 * reports - 1))))

    # WRONG the median | not the middle of what is likely
    against = np.append(np.cumsum((epsilons * (2 * reports - 1))[::-1])[::-1], 0)
    likely = np.cumsum(np.exp(against - against.max()))
    return np.searchsorted(likely, likely[-1] / 2)

    # WRONG one day too few | the number of days before the turn is asked
    return np.argmax(np.append(np.cumsum((epsilons * (2 * reports - 1))[::-1])[::-1], 0)) - 1


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* to distinguish how often a report lies from what it guarantees. About 20 minutes, medium.
#
# A map service asks in which of 200 regions its users are, by k-ary randomized response at $\varepsilon = \ln 9$. Its boss
# looks at the probabilities: "With two answers nine reports in ten were true. Now it is one in twenty-three. So our users
# are *better* protected than in that old survey. We may raise $\varepsilon$ until nine reports in ten are true again, for
# the same privacy as there." Is the first claim right? Which $\varepsilon$ would the second need? What would it guarantee
# to a user whom a rumour places in one region with 1%? What would you do instead to get useful estimates for 200 regions?
# Three to six sentences.

# %% [markdown] name="explain_regions" points=3
# ### BEGIN SOLUTION
# The first is wrong: the guarantee is about the *ratio* of the probabilities of one report under two true answers. It is
# $e^\varepsilon = 9$ in both surveys. If you know that a user is in one of two regions, you learn exactly as much from a
# report that names one of them. That most reports lie costs accuracy and gains nothing. Nine true reports in ten among 200
# answers need $e^\varepsilon = 9 \cdot 199 = 1791$, so $\varepsilon = 7.5$, and not $\ln 9 = 2.2$. A rumour of 1%, odds of
# 1 to 99, becomes odds of up to $1791 : 99$, 95%, after one report; at $\ln 9$ it becomes 8%. Instead keep $\varepsilon$
# and take an encoding whose error does not grow with the answers: the optimised unary encoding, or the sets of
# task 2. Or ask more people, or ask for coarser regions.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each. For (a): the first claim is wrong *because* the guarantee is the ratio e^epsilon of probabilities of one
# report, which is 9 in both. A bare "wrong" gets nothing. Accept "if one knows that it is one of two regions". For (b):
# epsilon = ln(9 x 199) = ln 1791, about 7.5, and the rumour: up to about 95% (odds 1791 to 99). Accept a bound on the odds
# without the percentage. The right number must be there. Half of this point cannot be given, so both are needed. For (c): a
# way that keeps epsilon: optimised unary encoding, subset selection, hashing, coarser regions, more people. Not "add
# Laplace noise", not "cut negative estimates".
# ### END MARK SCHEME
