# %% [markdown]
# # Assignment 14: The sparse vector technique
#
# Five tasks, 20 points. You need chapter 14, *The sparse vector technique* (SVT).
#
# All data here are invented. Yours may differ from those of others. In tasks 1 and 2, neighbours are datasets between
# which no query's answer moves by more than `sensitivity`. Unless queries are called monotonic, some may rise while
# others fall. Thresholds, cutoffs and budgets are public.

# %% tags=["setup"]
from dataclasses import replace
from itertools import product

import numpy as np

from dpbook.check import answers, check, private, repeatable
from dpbook.check import discrete_law
from dpbook.svt import ALG17, alg18, log_output_probability, privacy_loss

VARIANT = 0  # of 6
UNIT = 1 + VARIANT / 2  # of your own numbers

# %% [markdown]
# ## 1. Share out the budget (3 points)
#
# *You learn* to split a budget for the smallest variance. About 25 minutes, medium.
#
# Algorithm 18 has three budgets: $\varepsilon_1$ pays for the threshold and $\varepsilon_2$ for the comparisons.
# $\varepsilon_3$ pays for the answers of up to `cutoff` positives, each released with fresh Laplace noise. Your users
# insist that this last noise has scale `spread`. Return the array $(\varepsilon_1, \varepsilon_2, \varepsilon_3)$. It
# must add up to `epsilon` and give the released answers noise of exactly that scale. The comparisons (noisy answer
# less noisy threshold) must have the smallest variance that the rest can buy. `monotonic` is True where, between
# neighbours, all answers move in one direction; then the comparisons need less noise.


# %%
def three_budgets(sensitivity, cutoff, epsilon, spread, monotonic):
    ### BEGIN SOLUTION
    released = cutoff * sensitivity / spread
    ratio = (cutoff if monotonic else 2 * cutoff) ** (2 / 3)
    rest = epsilon - released
    return np.array([rest / (1 + ratio), rest * ratio / (1 + ratio), released])
    ### END SOLUTION


# %% points=3
check(
    three_budgets,
    answers(
        [(1, 4, 2.0 * UNIT, 8.0 / UNIT, False), (5, 8, 1.4 * UNIT, 50.0 / UNIT, True)],
        [[0.3, 1.2, 0.5], [0.12, 0.48, 0.8]],
        slips={
            "an even split of the rest adds more noise than is needed: a comparison holds two noises of unlike size": [
                [0.75, 0.75, 0.5],
                [0.3, 0.3, 0.8],
            ],
            "the noise of the comparisons grows with the cutoff, the threshold's does not: swap the first two": [
                [1.2, 0.3, 0.5],
                [0.48, 0.12, 0.8],
            ],
            "the third budget pays for one released answer only: there may be `cutoff` of them": [
                [0.375, 1.5, 0.125],
                [0.26, 1.04, 0.1],
            ],
            "monotonic queries need less noise in the comparisons, so they have a split of their own": [
                [0.3, 1.2, 0.5],
                [0.081637, 0.518363, 0.8],
            ],
            "this is the split for monotonic queries: in the first example they are not": [
                [0.426160, 1.073840, 0.5],
                [0.12, 0.48, 0.8],
            ],
            "monotonic queries need less noise in the comparisons, but none less on a number that is released": [
                [0.3, 1.2, 0.5],
                [0.2, 0.8, 0.4],
            ],
            "variances are to be small, not scales: work out again where their sum is least": [
                [0.166667, 1.333333, 0.5],
                [0.066667, 0.533333, 0.8],
            ],
            "the three add up to more than epsilon: the third budget comes out of it as well": [
                [0.4, 1.6, 0.5],
                [0.28, 1.12, 0.8],
            ],
            "`spread` is the scale of the noise, not its standard deviation": [
                [0.258579, 1.034315, 0.707107],
                [0.053726, 0.214903, 1.131371],
            ],
            "the sensitivity plays no part in your answer": [[0.3, 1.2, 0.5], [0.248, 0.992, 0.16]],
        },
        tolerance=1e-5,
        unit=UNIT,
    ),
)
### BEGIN HIDDEN TESTS
budget_calls, expected_budgets = [], []
for c in (1, 2, 5, 40, 3000):
    for m in (False, True):
        s, e, part = fresh.uniform(0.1, 9), fresh.uniform(0.01, 20), fresh.uniform(0.05, 0.9)
        first = (1 - part) * e / (1 + ((1 if m else 2) * c) ** (2 / 3))
        budget_calls.append((s, c, e, s * c / (part * e), m))
        expected_budgets.append([first, (1 - part) * e - first, part * e])
check(three_budgets, answers(budget_calls, expected_budgets))
### END HIDDEN TESTS


# %% tags=["wrong"]
def three_budgets(sensitivity, cutoff, epsilon, spread, monotonic):
    # WRONG even split of the rest | an even split of the rest adds more noise
    released = cutoff * sensitivity / spread
    return np.array([(epsilon - released) / 2, (epsilon - released) / 2, released])

    # WRONG budget not divided among the released answers | there may be `cutoff` of them
    released = sensitivity / spread
    ratio = (cutoff if monotonic else 2 * cutoff) ** (2 / 3)
    return np.array([(epsilon - released) / (1 + ratio), (epsilon - released) * ratio / (1 + ratio), released])

    # WRONG monotonic forgotten | they have a split of their own
    released = cutoff * sensitivity / spread
    ratio = (2 * cutoff) ** (2 / 3)
    return np.array([(epsilon - released) / (1 + ratio), (epsilon - released) * ratio / (1 + ratio), released])

    # WRONG monotonic factor misused | none less on a number that is released
    factor = 1 if monotonic else 2
    released = factor / 2 * cutoff * sensitivity / spread
    ratio = (factor * cutoff) ** (2 / 3)
    return np.array([(epsilon - released) / (1 + ratio), (epsilon - released) * ratio / (1 + ratio), released])

    # WRONG budget spent twice | add up to more than epsilon
    ratio = (cutoff if monotonic else 2 * cutoff) ** (2 / 3)
    return np.array([epsilon / (1 + ratio), epsilon * ratio / (1 + ratio), cutoff * sensitivity / spread])


# %% [markdown]
# ## 2. An impatient watchman (6 points)
#
# *You learn* to write the sparse vector technique with a stop of your own. About 45 minutes, medium to hard.
#
# A hospital watches the number of reports of side effects, drug by drug, and wants to hear of those at or above a
# threshold. Write `watch(answers, threshold, sensitivity, cutoff, patience, budgets, rng)`: a run of Algorithm 18. It
# is $(\varepsilon_1 + \varepsilon_2)$-DP, with no more noise than Algorithm 18 needs for up to `cutoff` positives.
# `budgets` is $(\varepsilon_1, \varepsilon_2)$: for the threshold, and for the comparisons. It only says above or below
# ($\varepsilon_3 = 0$). The queries are **not** monotonic, and there is one threshold for all.
#
# There are at least `cutoff` queries, and a run ends after `cutoff` positives. To spare the staff, it also ends after `patience` negatives in succession.
# Return an array as long as `answers`, in their order. It has 1 for above, 0 for below, and -1 for each query that
# the run no longer answered.

# %% tags=["setup"]
reports = np.array([14.0, 26.0, 4.0, 15.0, 19.0]) + VARIANT

# %% [markdown]
# To try your answer, `outputs = possible_outputs(5, cutoff, patience)` lists the outputs that a run on these five can
# have. `chances(outputs, reports, threshold, sensitivity, cutoff, epsilon, alg18(*budgets))` gives their exact
# probabilities, where `epsilon` is the sum of the two budgets.


# %% jupyter={"source_hidden": true} tags=["setup"]
# What the check needs
def broken_rule(output, cutoff, patience):
    """The rule that an output breaks, whatever the answers were; "" if none."""
    if set(output) - {-1, 0, 1}:
        return "an output holds something else than 1, 0 and -1: no other number may leave the house"
    text = "".join("-01"[int(mark) + 1] for mark in output)
    said = text.rstrip("-")
    if "-" in said or not said:
        return "-1 belongs behind the last answer and nowhere else, and the first query is always answered"
    if said[:-1].count("1") >= cutoff:
        return "the run goes on after its last positive: what it does not answer any more is -1"
    if "0" * patience in said[:-1]:
        return "the run goes on after `patience` negatives in a row: what it does not answer any more is -1"
    if said == text or said.count("1") == cutoff or said.endswith("0" * patience):
        return ""
    if said.count("0") == patience:
        return "the run ends too early: only negatives in a row count, and a positive interrupts the row"
    return "the run ends too early, before its last positive and before its patience is at an end"


def possible_outputs(queries, cutoff, patience):
    """All outputs that a run can have, one a row."""
    every = np.array(list(product((-1, 0, 1), repeat=queries)))
    return np.array([output for output in every if not broken_rule(output, cutoff, patience)])


def chances(outputs, answers, threshold, sensitivity, cutoff, epsilon, row):
    """The exact probability of each output, with the noise of a row of the book's table."""
    words = [output[output >= 0] == 1 for output in outputs]
    rest = (threshold, sensitivity, cutoff, epsilon, row)
    return np.exp([log_output_probability(said, answers[: said.size], *rest) for said in words])


# %%
def watch(answers, threshold, sensitivity, cutoff, patience, budgets, rng):
    ### BEGIN SOLUTION
    output = np.full(len(answers), -1)
    level = threshold + rng.laplace(scale=sensitivity / budgets[0])  # spends epsilon_1
    positives = negatives_in_a_row = 0
    for place, answer in enumerate(answers):
        if answer + rng.laplace(scale=2 * cutoff * sensitivity / budgets[1]) >= level:
            output[place], positives, negatives_in_a_row = 1, positives + 1, 0  # spends epsilon_2 / cutoff
        else:
            output[place], negatives_in_a_row = 0, negatives_in_a_row + 1
        if positives == cutoff or negatives_in_a_row == patience:
            break
    return output
    ### END SOLUTION


# %% points=6
# The check
def keeps_the_rules(call):
    def requirement(draw):
        outputs = np.unique(draw([call], 1_500, (len(call[0]),))[0], axis=0)
        return next(filter(None, (broken_rule(output, *call[3:5]) for output in outputs)), "")

    return requirement


def has_the_law(call, samples=20_000):
    answers, threshold, sensitivity, cutoff, patience, (first, second) = call
    outputs, right = possible_outputs(len(answers), cutoff, patience), alg18(first, second)
    total, alike = first + second, {"answers": answers, "threshold": threshold, "sensitivity": sensitivity}

    def law(row=right, epsilon=total, outputs=outputs, cutoff=cutoff, **other):
        return chances(outputs, cutoff=cutoff, epsilon=epsilon, row=row, **(alike | other))

    def slips():
        above = np.array([law(outputs=np.ones((1, 1)), answers=answers[[place]])[0] for place in range(len(answers))])
        one_positive = replace(right, query_noise_times_cutoff=False)
        refreshed = replace(right, refreshes_threshold=True)
        return {
            "the threshold has no noise, or far too little: then nothing pays for the negatives": law(
                alg18(1e6, second), 1e6 + second
            ),
            "the threshold gets fresh noise for each query: negatives are free only under one and the same noise": (
                np.select([outputs == 1, outputs == 0], [above, 1 - above], 1).prod(axis=1)
            ),
            "the threshold gets fresh noise after a positive, which would have to be paid for": law(refreshed),
            "that is as private as Algorithm 13, but noisier than need be: the threshold is drawn only once": (
                law(replace(refreshed, threshold_noise_times_cutoff=True))
            ),
            "the threshold has too much noise: it is paid for once, not at each positive": (
                law(replace(right, threshold_noise_times_cutoff=True))
            ),
            "the answers have no noise of their own: then one run can tell two neighbours apart for certain": (
                law(replace(right, query_noise=0))
            ),
            "the noise of the answers is that of a single positive: a run may have more": law(one_positive),
            "the noise of the answers would do for monotonic queries: these are not": law(
                replace(right, query_noise=1)
            ),
            "the noise of the answers is far too small: how many positives may there be, and what does one of them lose?": (
                law(replace(one_positive, query_noise=1))
            ),
            "each noise is made for the whole budget: the two have to share it": law(alg18(total, total), 2 * total),
            "the noise of the answers is too large for its budget: is each budget in its place?": law(
                alg18(second, first)
            ),
            "the budget is split evenly: it is given to you in two parts": law(alg18(total / 2, total / 2)),
            "the noise is that of answers that move by 1: these move by `sensitivity`": law(sensitivity=1),
            "the noise of the answers is that of answers that move by 1: these move by `sensitivity`": (
                law(alg18(first, second * sensitivity), first + second * sensitivity)
            ),
            "the noise is too small by the square root of 2: a scale is not a standard deviation": (
                law(alg18(first * 2**0.5, second * 2**0.5), total * 2**0.5)
            ),
            "every query is paid for: negatives are free, so less noise will do": law(cutoff=len(answers)),
        }

    more = law(alg18(1.05 * first, 1.05 * second), 1.05 * total)
    return discrete_law(call, outputs, law(), slips, samples, more)


def hides_the_answers(call, most=3):
    """`most` runs of 5,000 may say truly for each of many queries whether it is above: noise does so hardly ever."""

    def requirement(draw):
        truly = np.all(draw([call], 5_000, (len(call[0]),))[0] == (call[0] >= call[1]), axis=1)
        return f"{truly.mean():.1%} of the runs give all answers without noise" if truly.sum() > most else ""

    return requirement


level = 12 + VARIANT
example = (reports, level, 4, 3, 3, (2.0, 8.0))
modest = (reports, level, 4, 3, 3, (0.5, 1.0)), (reports + np.array([4, -4, 4, -4, -4]), level, 4, 3, 3, (0.5, 1.0))
many = np.tile([3.0, -3.0], 15)  # all right at once: probability 2e-9 by `chances`
check(
    watch,
    keeps_the_rules(example),
    keeps_the_rules((reports - 8, level, 4, 2, 4, (1.0, 1.0))),
    has_the_law(example),
    repeatable(example, (5,)),
    hides_the_answers((many, 0, 1, 30, 30, (0.5, 0.5))),
    private(*modest, 1.5, (5,)),
)


### BEGIN HIDDEN TESTS
def patient(queries, spend):
    """Hardly ever above at first, and only the first positive counts: an output is where it comes, of many places."""
    leads = np.linspace(-3, 1, queries) * 2 / spend[1]
    call = (leads, 0.0, 1.0, 1, queries + 1, spend)
    runs = np.tril(np.zeros((queries + 1, queries)), -1)
    for place in range(queries):
        runs[place, place], runs[place, place + 1 :] = 1, -1
    chance, more = (
        chances(runs, leads, 0.0, 1.0, 1, sum(e), alg18(*e)) for e in (spend, (1.05 * spend[0], 1.05 * spend[1]))
    )
    return discrete_law(call, runs, chance, samples=20_000, steeper=more)


s = fresh.uniform(0.5, 9)
level_calls = (
    (np.zeros(7), 0, s, 1, 10, tuple(fresh.uniform(0.3, 3, 2))),  # ties, and patience that does not run out
    (
        np.array([-6.5, -5.0, -7.0, -6.0]),
        -6.0,
        0.5,
        2,
        1,
        tuple(fresh.uniform(0.5, 4, 2)),
    ),  # the first negative ends it
    (np.array([40.0]), 38, 5, 1, 2, tuple(fresh.uniform(1, 20, 2))),  # one query, whose negative ends nothing
    (np.array([40.0, 37.0]), 38, 5, 2, 3, tuple(fresh.uniform(1, 20, 2))),  # one positive of two ends nothing
    (s * fresh.uniform(-1, 1, 6), 0, s, int(fresh.integers(2, 4)), 3, tuple(fresh.uniform(1, 9, 2))),
)
for level_call in level_calls:
    check(watch, keeps_the_rules(level_call), has_the_law(level_call, 20_000))
blind = (fresh.permutation([-1.0, 1.0, 1.0, -1.0, 1.0, -1.0]), 0.0, 1.0, 6, 6, tuple(fresh.uniform(0.005, 0.02, 2)))
check(watch, has_the_law(blind, 20_000))
short, long, longest = (int(fresh.integers(size, 3 * size // 2)) for size in (12, 50, 3000))  # nobody knows all three
check(watch, patient(short, tuple(fresh.uniform(0.5, 2, 2))), patient(long, tuple(fresh.uniform(2, 10, 2))))
long_call = (fresh.uniform(-9e4, -8e4, longest), 0.0, 1.0, 2, 2 * longest, (0.5, 0.5))  # all far below
check(watch, discrete_law(long_call, np.zeros((1, longest)), [1.0], samples=20))
quiet_calls = [(low, 0.5, 1, 1, 12, (0.5, 0.5)) for low in (np.zeros(10), np.ones(10))]
check(watch, private(*quiet_calls, 1.0, (10,)))
### END HIDDEN TESTS


# %% tags=["wrong"]
def watch(answers, threshold, sensitivity, cutoff, patience, budgets, rng):
    level = threshold + rng.laplace(scale=sensitivity / budgets[0])

    def noisy(scale):
        return answers + rng.laplace(scale=scale, size=answers.size)

    def until_it_ends(above):
        outputs = [np.where(np.arange(answers.size) <= k, above, -1) for k in range(answers.size)]
        return next(output for output in outputs if not broken_rule(output, cutoff, patience))

    # WRONG output of the true value | NOT_DRAWN
    return until_it_ends(answers >= threshold)

    # WRONG threshold not noised | the threshold has no noise
    return until_it_ends(noisy(2 * cutoff * sensitivity / budgets[1]) >= threshold)

    # WRONG threshold noise drawn for each query | the threshold gets fresh noise for each query
    levels = threshold + rng.laplace(scale=sensitivity / budgets[0], size=answers.size)
    return until_it_ends(noisy(2 * cutoff * sensitivity / budgets[1]) >= levels)

    # WRONG threshold noise drawn again after a positive | the threshold gets fresh noise after a positive
    above = np.zeros(answers.size, dtype=bool)
    for place, answer in enumerate(answers):
        above[place] = answer + rng.laplace(scale=2 * cutoff * sensitivity / budgets[1]) >= level
        if above[place]:
            level = threshold + rng.laplace(scale=sensitivity / budgets[0])
    return until_it_ends(above)

    # WRONG no noise on the answers | the answers have no noise of their own
    return until_it_ends(answers >= level)

    # WRONG noise not scaled with the cutoff | the noise of the answers is that of a single positive
    return until_it_ends(noisy(2 * sensitivity / budgets[1]) >= level)

    # WRONG monotonic factor misused | would do for monotonic queries
    return until_it_ends(noisy(cutoff * sensitivity / budgets[1]) >= level)

    # WRONG budget not divided | each noise is made for the whole budget
    level = threshold + rng.laplace(scale=sensitivity / sum(budgets))
    return until_it_ends(noisy(2 * cutoff * sensitivity / sum(budgets)) >= level)

    # WRONG sensitivity forgotten | these move by `sensitivity`
    level = threshold + rng.laplace(scale=1 / budgets[0])
    return until_it_ends(noisy(2 * cutoff / budgets[1]) >= level)

    # WRONG negatives paid for | every query is paid for
    return until_it_ends(noisy(2 * answers.size * sensitivity / budgets[1]) >= level)

    # WRONG never stops | the run goes on after
    return noisy(2 * cutoff * sensitivity / budgets[1]) >= level

    # WRONG releases the query value | no other number may leave the house
    numbers = noisy(2 * cutoff * sensitivity / budgets[1])
    said = until_it_ends(numbers >= level)
    return np.where(said == 1, numbers, said)

    # WRONG negatives counted over the whole run | only negatives in a row count
    above = noisy(2 * cutoff * sensitivity / budgets[1]) >= level
    stops = [k for k in range(1, answers.size + 1) if above[:k].sum() == cutoff or (~above[:k]).sum() == patience]
    return np.where(np.arange(answers.size) < min(stops, default=answers.size), above, -1)

    # WRONG seed fixed | NOT_DRAWN
    rng = np.random.default_rng(14)
    level = threshold + rng.laplace(scale=sensitivity / budgets[0])
    return until_it_ends(noisy(2 * cutoff * sensitivity / budgets[1]) >= level)


# %% [markdown]
# ## 3. Attack: was Ann there? (4 points)
#
# *You learn* what answers without noise show under a noisy threshold. About 35 minutes, medium.
#
# Algorithm 16 adds noise to the threshold, once, and none to the answers. Its claim is a small $\varepsilon$:


# %% tags=["setup"]
def run_of_algorithm_16(answers, thresholds, epsilon, rng):
    return np.where(answers >= thresholds + rng.laplace(scale=2 / epsilon), 1.0, 0.0)


# %% [markdown]
# You see the outputs (1 above, 0 below) and the public thresholds, one for each query. You happen to know all records
# but one, so you know what the answers are `without` Ann's record, and what they are `with_ann`. One of these two lists
# went into the run; you do not know the noise. Write `was_ann_there(outputs, thresholds, without, with_ann)`: 1 if the
# run proves that she was, -1 if it proves that she was not, 0 if both are possible.
#
# When you have it, try it on runs of your own with $\varepsilon = 0.01$ and answers that lie anywhere within 200 of
# their thresholds. How often is it certain after 60 queries, and after a thousand?

# %% tags=["setup"]
examples = [  # outputs, thresholds, answers without Ann, and with her
    ([0, 0, 1, 0], [8, 10, 11, 12], [8, 8, 11, 10], [7, 7, 11.5, 11]),
    ([1, 0, 1, 0], [8, 10, 9, 12], [13, 9, 13, 11], [14, 9.5, 13, 12]),
    ([0, 0, 0, 1], [8, 12, 10, 10], [8, 7, 12, 13], [9, 8, 12.5, 12.5]),
    ([0, 0, 0, 0], [12, 9, 10, 11], [8, 8, 11, 8], [7, 7.5, 10.5, 7.5]),
    ([0, 1, 0, 1], [9, 9, 11, 11], [8, 7, 7, 10], [7, 8, 7.5, 10]),
    ([1, 1, 1, 1], [10, 12, 12, 8], [13, 13, 10, 13], [12.5, 13.5, 10, 13]),
    ([1, 1, 0, 1], [8, 10, 11, 10], [13, 9, 9, 9], [13, 8.5, 10, 10]),
    ([1, 0, 0, 0], [8, 9, 11, 12], [11, 10, 10, 10], [10.5, 9, 11, 10.5]),
]
examples = [
    (np.array(outputs, dtype=float), *(np.array(row, dtype=float) + VARIANT for row in rest))
    for outputs, *rest in examples
]


# %%
def was_ann_there(outputs, thresholds, without, with_ann):
    ### BEGIN SOLUTION
    def can_explain(answers):
        # Below says noise > answer - threshold, above says noise <= answer - threshold: is there such a noise?
        lead = answers - thresholds
        return lead[outputs == 0].max(initial=-np.inf) < lead[outputs == 1].min(initial=np.inf)

    return int(can_explain(with_ann)) - int(can_explain(without))
    ### END SOLUTION


# %% points=4
check(
    was_ann_there,
    answers(
        examples,
        [1, 0, -1, 0, 1, 0, -1, 0],
        slips={
            "some of these runs do give it away: which noises would explain the outputs?": [0] * 8,
            "the signs are the wrong way round: 1 is for a run that cannot have come about without her record": (
                [-1, 0, 1, 0, -1, 0, 1, 0]
            ),
            "each query has its own threshold, and your answer does without them": [0, 0, -1, 0, 1, 0, 0, -1],
            "the answers were compared with noisy thresholds, not with the public ones": [1, -1, 0, 0, 0, 0, 0, 0],
            "how well a list fits the public thresholds proves nothing: they were not what it was compared with": (
                [1, -1, 0, 0, 0, 0, 1, -1]
            ),
            "where both are possible the answer is 0, however likely one of them may be": [1, -1, -1, 1, 1, 1, -1, -1],
            "look at ties: one noise cannot put one query above and another, with the same lead, below": (
                [0, 0, 0, 0, 1, 0, -1, 0]
            ),
            "a run that is possible with her record proves nothing if it is possible without it": (
                [1, 1, -1, 1, 1, 1, -1, 1]
            ),
            "a run that is possible without her record does not prove that she was not there": (
                [1, -1, -1, -1, 1, -1, -1, -1]
            ),
        },
    ),
)
### BEGIN HIDDEN TESTS
play_rng, plays, verdicts = fresh, [], []
for play in range(300):
    size = play_rng.integers(1, 3000 if play < 4 else 60)
    levels, others = play_rng.integers(-5, 6, size) / 2, play_rng.integers(-4, 5, size) / 2
    everyone = others + play_rng.choice([-1, -0.5, 0, 0.5, 1], size)
    if play % 3 == 2:  # any numbers, and also far from each other
        levels, (lead, move) = play_rng.uniform(-900, 900, size), play_rng.uniform(-1, 1, (2, size))
        others = levels + lead * play_rng.choice([3, 200])
        everyone = others + move
    said = run_of_algorithm_16((others, everyone)[play % 2], levels, 1.0, play_rng)
    clashes = [np.any((x - levels)[said == 0, None] >= (x - levels)[said == 1]) for x in (others, everyone)]
    plays.append((said, levels, others, everyone))
    verdicts.append(float(clashes[0]) - float(clashes[1]))
check(was_ann_there, answers(plays, verdicts))
### END HIDDEN TESTS


# %% tags=["wrong"]
def was_ann_there(outputs, thresholds, without, with_ann):
    # WRONG thresholds left out | each query has its own threshold
    below, above = outputs == 0, outputs == 1
    fits = [x[below].max(initial=-np.inf) < x[above].min(initial=np.inf) for x in (without, with_ann)]
    return int(fits[1]) - int(fits[0])

    # WRONG the noise forgotten | compared with noisy thresholds
    fits = [np.array_equal(x >= thresholds, outputs) for x in (without, with_ann)]
    return int(fits[1]) - int(fits[0])

    # WRONG the better fit | fits the public thresholds proves nothing
    fits = [np.sum((x >= thresholds) == outputs) for x in (without, with_ann)]
    return np.sign(fits[1] - fits[0])

    # WRONG signs swapped | the signs are the wrong way round
    leads = [x - thresholds for x in (without, with_ann)]
    fits = [x[outputs == 0].max(initial=-np.inf) < x[outputs == 1].min(initial=np.inf) for x in leads]
    return int(fits[0]) - int(fits[1])

    # WRONG off by a tie | look at ties
    leads = [x - thresholds for x in (without, with_ann)]
    fits = [x[outputs == 0].max(initial=-np.inf) <= x[outputs == 1].min(initial=np.inf) for x in leads]
    return int(fits[1]) - int(fits[0])

    # WRONG possible taken for certain | proves nothing if it is possible without it
    lead = with_ann - thresholds
    return 1 if lead[outputs == 0].max(initial=-np.inf) < lead[outputs == 1].min(initial=np.inf) else -1


# %% [markdown]
# ## 4. Challenge: the counterexample of Algorithm 17 (3 points)
#
# *You learn* to look for the output on which a mechanism loses most. About 35 minutes, hard.
#
# "Algorithm 16 lacks noise on the answers", says a colleague. "Algorithm 17 has it. It never stops, but my queries are
# counts: when one patient leaves, no count rises, and none falls by more than 1. The book's counterexample moves
# answers both ways, so for my counts the claim $\varepsilon = 1$ holds." Show that it does not.
#
# Write `counterexample()`: an array with three rows of 20 whole numbers. First the counts, from 0 to 100; then the
# counts after *one patient has left*; then an output, 1 for above and 0 for below. The threshold is 10 for all queries.
# The exact loss of Algorithm 17 on that output must be at least 3 or at most -3: three times what was promised. Work it
# out with `loss_of_algorithm_17`.


# %% tags=["setup"]
def loss_of_algorithm_17(counts, counts_after, output):
    return privacy_loss(output == 1, counts, counts_after, 10, 1, 1, 1.0, ALG17)


# %%
def counterexample():
    ### BEGIN SOLUTION
    # Below is likelier for the ten that fell. A threshold higher by 1 would have made it as likely before, but it makes
    # above less likely for the ten that stayed: no threshold noise excuses both halves.
    counts = np.full(20, 10)
    falls = np.repeat([1, 0], 10)
    return np.array([counts, counts - falls, 1 - falls])
    ### END SOLUTION


# %% points=3
# The check
def breaks_the_claim(draw):
    counts, counts_after, output = given = draw([()], shape=(3, 20))[0, 0]
    falls = counts - counts_after
    rules = {
        "counts are whole numbers": np.array_equal(given, np.round(given)),
        "a count is below 0 or above 100": np.isin(given[:2], range(101)).all(),
        "the last row is the output: 1 for above, 0 for below": np.isin(output, (0, 1)).all(),
        "a count rises, though a patient has left": falls.min() >= 0,
        "a count falls by more than 1: only one patient has left": falls.max() <= 1,
        "no count changes, so nothing can be lost": falls.any(),
        "all outputs are below: another threshold noise excuses any number of these at once": output.any(),
        "all outputs are above: another threshold noise excuses any number of these at once": not output.all(),
        "every count falls, so a noisy threshold lower by 1 excuses everything: which should stay?": not falls.all(),
    }
    if broken := next((sentence for sentence, kept in rules.items() if not kept), ""):
        return broken
    loss = abs(loss_of_algorithm_17(counts, counts_after, output))
    if loss >= 3:
        return ""
    hint = "which threshold noise would excuse the most? Make that one improbable"
    if np.unique(output[falls == 1]).size == 2:
        hint = "of the counts that fall, those above and those below speak against each other"
    return f"the exact loss is {loss:.2f} in size, and 3 is asked: {hint}"


check(counterexample, breaks_the_claim)


# %% tags=["wrong"]
def counterexample():
    # WRONG the book's, which moves both ways | a count rises, though a patient has left
    return np.array([np.full(20, 10), 10 + np.repeat([1, -1], 10), np.repeat([0, 1], 10)])

    # WRONG negatives only | all outputs are below
    return np.array([np.full(20, 10), np.full(20, 9), np.zeros(20)])

    # WRONG every count falls | which should stay?
    return np.array([np.full(20, 10), np.full(20, 9), np.repeat([0, 1], 10)])

    # WRONG three that stay | and 3 is asked: which threshold noise
    falls = np.repeat([1, 0], [17, 3])
    return np.array([np.full(20, 10), 10 - falls, 1 - falls])

    # WRONG output at random | speak against each other
    return np.array([np.full(20, 10), 10 - np.repeat([1, 0], 10), np.tile([0, 1], 10)])


# %% [markdown]
# ## 5. Explain (4 points)
#
# *You learn* why negatives are free and positives are not. About 25 minutes, medium to hard.
#
# Return to task 2. Why do any number of negatives cost no more than $\varepsilon_1$, while each positive costs again?
# Why may the watchman lose patience without paying for it? The hospital would also like to see, with each positive,
# the noisy answer that was compared with the noisy threshold. Why is the guarantee then gone? Four to six sentences.

# %% [markdown] name="explain_costs" points=4
# ### BEGIN SOLUTION
# Compare a run on one dataset, with threshold noise $z$, with a run on its neighbour, with noise $z + \Delta$. The
# density of the noise changes by at most $e^{\varepsilon_1}$, once for the whole run. Under the raised threshold each
# negative is at least as likely as before, because no answer rose by more than $\Delta$. So any number of them is
# covered. A positive is not: its answer may be lower by $\Delta$, and its threshold is higher by $\Delta$. Its own
# noise has to make up for $2 \Delta$, at the price of $\varepsilon_2 / c$ each time, for at most $c$ positives. Where
# a run ends by patience can be read off the outputs so far. So stopping is post-processing of a run that would have
# gone on. A compared answer that is released says that the noisy threshold was not above it. Then the threshold can
# no longer be moved up freely. Every negative has to be explained, and paid for, by its own noise.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each.
# - (a) Negatives: one and the same threshold noise, moved by the sensitivity, covers all of them, at a cost of
#   $\varepsilon_1$ once. "The noise is shared" alone is not enough. The move, or what it does to the probability of
#   below, must be named.
# - (b) Positives: the same move works against a positive. Each pays from its own noise, $\varepsilon_2 / c$ for
#   $2\Delta$.
# - (c) Patience: it depends only on outputs that are already released, hence post-processing. Accept: the same proof
#   holds for every prefix of a run. Do not accept "it answers fewer queries".
# - (d) Released answers: they bound the noisy threshold from above, and (a) fails. Accept Algorithm 14 with its
#   counterexample, or that two uses are made of one noise, if the threshold is mentioned. No point for a bare yes or
#   no.
# ### END MARK SCHEME
