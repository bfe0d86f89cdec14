# %% [markdown]
# # Assignment 26: Noisy steps
#
# Five tasks, 19 points. You need chapter 26, *Learning by noisy steps*.
#
# All data here are invented. Yours may differ from those of others. The relation is add/remove unless a task says
# otherwise.

# %% tags=["setup"]
from functools import partial

import numpy as np

from dpbook.check import answers, check, normal_law, own_order, private, repeatable
from dpbook.gaussian import gaussian_scale

VARIANT = 0  # of 6
mine = partial(own_order, variant=VARIANT)

# %% [markdown]
# ## 1. Clip (3 points)
#
# *You learn* to clip all gradients at once. About 15 minutes, easy.
#
# Each row of `gradients` is the gradient of one record. Write `clipped_sum(gradients, norm)`: the sum of the rows, each
# shortened to length `norm` if it is longer, and left as it is if it is not. Some records have no gradient at all (only
# zeros). The grader's table is long: no loop over records.


# %%
def clipped_sum(gradients, norm):
    ### BEGIN SOLUTION
    lengths = np.linalg.norm(gradients, axis=1)
    return (norm / np.maximum(lengths, norm)) @ gradients  # a factor of 1 where the row is short
    ### END SOLUTION


# %% points=3
ROWS = np.array([[3.0, 4.0], [0.3, 0.4], [-0.6, 0.0], [0.0, 0.0], [5.0, -12.0]])
LOUD = [[0.58461538462, 0.67692307692], [0.29230769231, 0.33846153846], [11.69230769231, 13.53846153846], [6, 8]]
L1 = [[0.42268907563, 0.26554621849], [0.0756302521, 0.21848739496], [7.7, -7.6], [2.44285714286, 3.25714285714]]
check(
    clipped_sum,
    answers(
        [(ROWS, 1.0), (ROWS, 0.5), (ROWS, 20.0), (ROWS[:2], 5.0)],
        [[0.68461538462, 0.27692307692], [0.29230769231, 0.33846153846], [7.7, -7.6], [3.3, 4.4]],
        slips={
            "each record is clipped, not the sum of them: that has no bound a record must keep": (
                [[0.7117131926, -0.70247016412], [0.3558565963, -0.35123508206], [7.7, -7.6], [3, 4]]
            ),
            "each coordinate was clipped: such a row may be longer than the norm": (
                [[1.7, 0.4], [0.8, 0.4], [7.7, -7.6], [3.3, 4.4]]
            ),
            "short gradients stay as they are: a record with little to say is not made loud": LOUD,
            "the length of a row is the root of a sum of squares": L1,
        },
        tolerance=1e-9,
        variant=VARIANT,
    ),
)
### BEGIN HIDDEN TESTS
for records, wide, norm in ((20_000, 12, 1.3), (400, 1, 0.2), (7, 60, 50.0), (1, 3, 0.01)):
    table = fresh.normal(size=(records, wide)) * fresh.exponential(size=(records, 1))
    table[:: int(fresh.integers(3, 9))] *= fresh.integers(0, 2)
    long = np.sqrt((table**2).sum(axis=1)) > norm
    short = table[~long].sum(axis=0) + sum((norm / np.sqrt(row @ row)) * row for row in table[long])
    check(clipped_sum, answers([(table, norm)], [short], tolerance=1e-7))
### END HIDDEN TESTS


# %% tags=["wrong"]
def clipped_sum(gradients, norm):
    # WRONG the sum clipped | each record is clipped, not the sum
    total = gradients.sum(axis=0)
    return total * min(1, norm / np.linalg.norm(total))

    # WRONG coordinates clipped | each coordinate was clipped
    return np.clip(gradients, -norm, norm).sum(axis=0)

    # WRONG division by zero | NOT_FINITE
    lengths = np.linalg.norm(gradients, axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        return (gradients / lengths * np.minimum(lengths, norm)).sum(axis=0)

    # WRONG all made equally long | short gradients stay as they are
    lengths = np.linalg.norm(gradients, axis=1, keepdims=True)
    return (gradients * norm / np.where(lengths > 0, lengths, 1)).sum(axis=0)

    # WRONG the L1 length | the root of a sum of squares
    lengths = np.abs(gradients).sum(axis=1, keepdims=True)
    return (gradients * norm / np.maximum(lengths, norm)).sum(axis=0)

    # WRONG the squared length | SOME_WRONG
    lengths = (gradients**2).sum(axis=1, keepdims=True)
    return (gradients * norm / np.maximum(lengths, norm)).sum(axis=0)


# %% [markdown]
# ## 2. One private step (5 points)
#
# *You learn* to write one step of DP-SGD as its proof has it. About 40 minutes, medium.
#
# Write `noisy_gradient(weights, features, labels, norm, multiplier, sampling, rng)`, the noisy gradient against which
# DP-SGD takes its next step (without regularisation). Toss a coin for each record, which is in with probability `sampling`.
# Clip the gradient $-y\,x / (1 + e^{y\, w \cdot x})$ of each record that is in to length `norm`, and add them up. Add
# normal noise with standard deviation `multiplier` times `norm` in each coordinate. Divide all of it by `sampling`.
# `features` has a row for each record, `labels` are 1 or -1. There may be no records.


# %%
def noisy_gradient(weights, features, labels, norm, multiplier, sampling, rng):
    ### BEGIN SOLUTION
    drawn = rng.random(len(labels)) < sampling  # an empty sample is a step of noise alone
    x, y = features[drawn], labels[drawn]
    gradients = -(y / (1 + np.exp(y * (x @ weights))))[:, None] * x
    lengths = np.sqrt((gradients**2).sum(axis=1))
    total = (norm / np.maximum(lengths, norm)) @ gradients
    return (total + rng.normal(scale=multiplier * norm, size=total.size)) / sampling
    ### END SOLUTION


# %% points=5
from dpbook.check import RISK
from dpbook.gradients import clipped_gradient

DRAWS = 10_000
people = np.array([[0.9, 0.1, 0], [-0.5, 0.6, 0.2], [0.1, 0.2, -0.3], [2.0, -3.0, 1.0], [0.0, 0.4, 0.8], [1.0, 0, 0]])
votes = np.array([1.0, -1, 1, -1, -1, 1])
people, votes = np.roll(people, VARIANT, axis=0), np.roll(votes, VARIANT)
rest = people[:, 0] != 1
here = np.array([0.4, -0.2, 0.1])


def full_batch(w, x, y, c, sigma):
    known = {
        "the noise's deviation is the multiplier times the norm": sigma,
        "every record brought noise of its own: one noise, on the sum": sigma * c * np.sqrt(max(1, len(y))),
        "the deviation is the root of what you used": (sigma * c) ** 2,
    }
    known = {name: scale for name, scale in known.items() if abs(np.log(scale / (sigma * c))) > 0.2}
    return normal_law((w, x, y, c, sigma, 1.0), clipped_gradient(w, x, y, c), sigma * c, scales=known)


def nearly_quiet(w, x, y, c):
    """With hardly any noise the mean of some draws is the sum of the clipped gradients."""

    def requirement(draw):
        middle = draw([(w, x, y, c, 0.01, 1.0)], 50, w.shape)[0].mean(axis=0)
        total = clipped_gradient(w, x, y, 1e9)
        if np.abs(middle - clipped_gradient(w, x, y, c)).max() <= 0.02 * c:
            return ""
        if np.abs(middle - total * min(1, c / np.linalg.norm(total))).max() <= 0.02 * c:
            return "the sum was clipped: clip each record's gradient, then add"
        return "with hardly any noise, the step is not the sum of the clipped gradients"

    return requirement


def tossed(c, q, records):
    """Each record has a feature of its own, and hardly any noise: one sees who was in."""
    x, y = 2.0 * np.eye(records), np.where(np.arange(records) % 2, 1.0, -1.0)
    sigma = 0.02
    call = (np.zeros(records), x, y, c, sigma, q)

    def requirement(draw):
        outputs = draw([call], DRAWS, (records,))[0] * -y
        seen = outputs > 0.5 * c
        size = seen.sum(axis=1)
        some = size > 0
        if not some.any():
            return "no record is ever in"
        if not some.all() and not outputs[~some].any():
            return "an empty sample is a step of noise: yours has none, and so it tells that nobody was in"
        level = (outputs * seen).sum(axis=1)[some] / size[some] / c
        told = np.median(level)
        if size[some].std() and level.std() > 0.1 * told and np.corrcoef(level, size[some])[0, 1] < -0.3:
            return "divide by the public sampling, not by the size of the sample: that is a secret, and biased"
        if abs(told - 1) < 0.03:
            return "the sum of a sample stands for all records only if it is divided by the sampling"
        if abs(told * q - 1) > 0.03:
            return "a record that is in adds its clipped gradient, over the sampling"
        limit = np.sqrt(np.log(2 * (records + 1) ** 2 / RISK) / (2 * DRAWS))
        if np.all((size == 0) | (size == records)):
            return "one coin was tossed for all records: each has its own"
        if np.ptp(size) == 0:
            return "the sample has a fixed size: Poisson sampling tosses a coin for each record"
        if np.any(np.abs(seen.mean(axis=0) - q) > limit):
            return "a record is in with another probability than the sampling"
        pairs = (seen.T.astype(float) @ seen) / DRAWS
        if np.any(np.abs(pairs - q**2)[~np.eye(records, dtype=bool)] > limit):
            return "the coins of the records are not independent"
        if abs(np.mean(size == 0) - (1 - q) ** records) > limit:
            return "an empty sample is a step of noise: it is not to be drawn again"
        quiet = outputs[~seen] / (sigma * c / q)
        spread = np.sqrt(np.mean(quiet**2))
        if abs(spread - q) < 0.05 * q:
            return "the noise is divided by the sampling as well: it belongs to the sum"
        if abs(spread - 1) > 0.06:
            return f"with samples, the noise is {spread:.2f} times what it must be"
        return ""

    return requirement


whole = 0.3, gaussian_scale(1, 1.0, 1e-3), 1.0
pair = (here, people, votes, *whole), (here, people[rest], votes[rest], *whole)
check(
    noisy_gradient,
    nearly_quiet(here, people, votes, 0.3),
    full_batch(here, people, votes, 0.3, 0.8),
    tossed(0.5, 0.3, 4),
    repeatable((here, people, votes, 0.3, 1.0, 0.5), shape=(3,)),
    private(*pair, epsilon=1.0, shape=(3,), samples=4_000, delta=1e-3),
)
### BEGIN HIDDEN TESTS
for size, width in fresh.integers([[2, 1], [15, 4], [1, 1], [900, 15]], [[12, 4], [90, 9], [2, 2], [4000, 60]]):
    table, sides = fresh.normal(size=(size, width)), np.where(fresh.random(size) < 0.5, 1.0, -1.0)
    at, bound, loud = fresh.normal(size=width), *np.exp(fresh.uniform(np.log([0.05, 0.05]), np.log([3, 15])))
    check(noisy_gradient, full_batch(at, table, sides, bound, loud))
    if size > 1:  # records without a gradient: the noise alone, whoever is in
        rate, still = fresh.uniform(0.005, 0.3), np.zeros((size, width))
        check(noisy_gradient, normal_law((at, still, sides, bound, loud, rate), 0 * at, loud * bound / rate))
check(noisy_gradient, full_batch(np.zeros(3), np.zeros((0, 3)), np.zeros(0), 0.2, 3.0))
mild, sides = fresh.uniform(-0.5, 0.5, (6, 3)), np.tile([1.0, -1.0], 3)  # all gradients are shorter than the norm
check(noisy_gradient, full_batch(np.zeros(3), mild, sides, 2.0, 1.5))
some, sides = fresh.normal(size=(40, 5)) * fresh.exponential(size=(40, 1)), np.tile([1.0, -1.0], 20)
few = float(np.quantile(np.linalg.norm(some, axis=1) / 2, 0.9))  # are longer than that: a norm from the data shows
check(noisy_gradient, nearly_quiet(np.zeros(5), some, sides, few))
check(noisy_gradient, tossed(fresh.uniform(0.1, 0.9), fresh.uniform(0.15, 0.6), int(fresh.integers(4, 9))))
### END HIDDEN TESTS


# %% tags=["wrong"]
def noisy_gradient(weights, features, labels, norm, multiplier, sampling, rng):
    def gradients(drawn):
        x, y = features[drawn], labels[drawn]
        return -(y / (1 + np.exp(y * (x @ weights))))[:, None] * x

    def clipped(rows, most=norm):
        return rows * (most / np.maximum(np.linalg.norm(rows, axis=1), most))[:, None]

    def noisy(total):
        return total + rng.normal(scale=multiplier * norm, size=total.shape)

    drawn = rng.random(len(labels)) < sampling
    pulls = clipped(gradients(drawn))
    total = pulls.sum(axis=0)

    # WRONG noise without the norm | the multiplier times the norm
    return (total + rng.normal(scale=multiplier, size=total.size)) / sampling

    # WRONG divided by the batch | not by the size of the sample
    return noisy(total) / max(1, drawn.sum()) * len(labels)

    # WRONG noise for each record | every record brought noise of its own
    return noisy(pulls).sum(axis=0) / sampling

    # WRONG one coin for all | one coin was tossed for all
    drawn = np.full(len(labels), rng.random() < sampling)
    return noisy(clipped(gradients(drawn)).sum(axis=0)) / sampling

    # WRONG the noise not divided | it belongs to the sum
    return total / sampling + noisy(0 * total)

    # WRONG nothing divided | only if it is divided by the sampling
    return noisy(total)

    # WRONG a fixed size | the sample has a fixed size
    drawn = rng.permutation(len(labels))[: int(np.ceil(sampling * len(labels)))]
    return noisy(clipped(gradients(drawn)).sum(axis=0)) / sampling

    # WRONG empty samples drawn again | keep going
    while len(labels) and not drawn.any():
        drawn = rng.random(len(labels)) < sampling
    return noisy(clipped(gradients(drawn)).sum(axis=0)) / sampling

    # WRONG no noise on an empty sample | yours has none
    return noisy(total) / sampling if drawn.any() else 0 * noisy(total)

    # WRONG the norm from the data | with other data, which you have not seen
    lengths = np.linalg.norm(gradients(drawn), axis=1)
    usual = min(norm, np.median(lengths)) if lengths.any() else norm
    return noisy(clipped(gradients(drawn), usual).sum(axis=0)) / sampling

    # WRONG the sum is clipped | clip each record's gradient, then add
    return noisy(clipped(gradients(drawn).sum(axis=0, keepdims=True))[0]) / sampling

    # WRONG no noise | NO_NOISE
    return total / sampling


# %% [markdown]
# ## 3. The smallest noise (4 points)
#
# *You learn* to account for all steps as one Gaussian. About 20 minutes, medium.
#
# A training takes `steps` full-batch steps; the noise on each clipped sum has standard deviation `multiplier` times the
# norm. Write `least_multiplier(steps, epsilon, delta, relation)`: the smallest multiplier with which the whole path of
# weights is $(\varepsilon, \delta)$-DP under `relation`, "add/remove" or "replace" (one record is exchanged for another). The scale
# for one Gaussian release is `gaussian_scale(sensitivity, epsilon, delta)`.


# %%
def least_multiplier(steps, epsilon, delta, relation):
    ### BEGIN SOLUTION
    moved = 2 if relation == "replace" else 1  # in norms: another record may pull the other way
    return gaussian_scale(moved * np.sqrt(steps), epsilon, delta)  # all steps are one Gaussian
    ### END SOLUTION


# %% points=4
ASKED = [(50, 1.0, 1e-6, "add/remove"), (50, 1.0, 1e-6, "replace"), (4, 0.5, 1e-5, "add/remove")]
ASKED += [(9, 0.9, 1e-9, "replace"), (1, 1.0, 1e-6, "add/remove")]
LEAST = np.array([29.87299091, 59.74598182, 14.06365335, 36.46326947, 4.22467889])
ROOT, MOVED = np.sqrt([50, 50, 4, 9, 1]), np.array([1, 2, 1, 2, 1])
CLASSICAL = [37.46819199, 74.93638398, 19.37922105, 43.1497747, 5.29880253]
SHARED = [206.23065334, 412.46130668, 27.77905695, 108.05754962, 4.22467889]
BY_ROOT = [26.26063801, 52.52127603, 13.28552524, 34.88061897, 4.22467889]
check(
    least_multiplier,
    answers(
        ASKED,
        LEAST,
        slips={
            "that is the noise of one step: it is used in every one of them": LEAST / ROOT,
            "that many steps do not cost that much: their squares add up": LEAST * ROOT,
            "under replace a gradient may be turned round: the sum moves by twice the norm": LEAST / MOVED,
            "under replace the move is 2 norms, not the root of 2: both records lie along one line": LEAST / MOVED**0.5,
            "that is the classical formula: the least noise is smaller": CLASSICAL,
            "epsilon and delta were cut in shares, one a step: that wastes most of the noise": SHARED,
            "the epsilon of a step is not epsilon over the root of the steps at the same delta": BY_ROOT,
        },
        tolerance=1e-6,
        variant=VARIANT,
    ),
)
### BEGIN HIDDEN TESTS
trainings = [
    (int(fresh.integers(1, 900)), fresh.uniform(0.05, 6), 10 ** fresh.uniform(-9, -2), relation)
    for relation in ("replace", "add/remove", "replace", "add/remove")
]
least = [(1 + ("re" in kind[:2])) * t**0.5 * gaussian_scale(1.0, e, d) for t, e, d, kind in trainings]
check(least_multiplier, answers(trainings, least, tolerance=1e-5))
### END HIDDEN TESTS


# %% tags=["wrong"]
def least_multiplier(steps, epsilon, delta, relation):
    # WRONG the noise of one step | it is used in every one of them
    return gaussian_scale(2 if relation == "replace" else 1, epsilon, delta)

    # WRONG the steps instead of their root | their squares add up
    return steps * gaussian_scale(2 if relation == "replace" else 1, epsilon, delta)

    # WRONG add/remove for both | a gradient may be turned round
    return np.sqrt(steps) * gaussian_scale(1, epsilon, delta)

    # WRONG the root of 2 for replace | both records lie along one line
    return np.sqrt((2 if relation == "replace" else 1) * steps) * gaussian_scale(1, epsilon, delta)

    # WRONG the classical formula | that is the classical formula
    return (2 if relation == "replace" else 1) * np.sqrt(2 * steps * np.log(1.25 / delta)) / epsilon

    # WRONG equal shares | cut in shares
    return gaussian_scale(2 if relation == "replace" else 1, epsilon / steps, delta / steps)

    # WRONG epsilon over the root | not epsilon over the root of the steps
    return gaussian_scale(2 if relation == "replace" else 1, epsilon / np.sqrt(steps), delta)


# %% [markdown]
# ## 4. Build a canary (4 points)
#
# *You learn* to plant the record that shows how much a training leaks. About 50 minutes, hard.
#
# Somebody trains 40 full-batch steps from $w = 0$, with the step size 0.1 and no regularisation. She clips each gradient to
# length 0.2, and adds to each sum the noise that *one* step would need for $(1, 0.001)$-DP. You may add one record to the
# training data and look at the final weights, in thousands of trainings with it and without it. Write
# `plant(features, labels)`. It returns, one after the other in one array, your record's d features, its label (1 or -1), and d
# numbers that score a model. (The score is their product with the weights.) The book's audit then certifies an $\varepsilon$ at
# $\delta = 0.001$ from the scores; it must be at least 2.6. One of the d features is 0 in all of the records that are there.

# %% tags=["setup"]
invited = np.random.default_rng(26 + VARIANT)
crowd = np.column_stack([np.full(100, 0.6), invited.uniform(-0.7, 0.7, (100, 2)), np.zeros(100)])
sides = np.where(invited.random(100) < 0.5 + crowd[:, 1] / 2, 1.0, -1.0)


# %%
def plant(features, labels):
    ### BEGIN SOLUTION
    unused = ~features.any(axis=0)
    record = unused.astype(float)  # length 1: its slope is mostly above 0.2, so it pulls with the whole norm
    return np.concatenate([record, [1.0], record])
    ### END SOLUTION


# %% points=4
from dpbook.audit import epsilon_lower_bound
from dpbook.gradients import Recipe, train

LEAKY = Recipe(regularisation=0.0, steps=40, sampling=1.0, step_size=0.1, norm=0.2)
BAR = 2.6


def convicts(x, y):
    """The audit of the trainer with the record that is planted, against the same data without it."""

    def requirement(draw):
        d = x.shape[1]
        planted = draw([(x, y)], shape=(2 * d + 1,))[0, 0]
        record, label, score = planted[:d], planted[d], planted[d + 1 :]
        if abs(label) != 1:
            return "the label must be 1 or -1"
        unused = ~x.any(axis=0)
        with_it = np.vstack([x, record]), np.append(y, label)

        def scores(people, rng, size):
            return train(*people, LEAKY, gaussian_scale(1, 1.0, 1e-3), rng, models=size).weights @ score

        bound = epsilon_lower_bound(scores, with_it, (x, y), 4_000, np.random.default_rng(1), 1 - 1e-9, delta=1e-3)
        if bound.epsilon >= BAR:
            return ""
        said = f"the audit certifies {bound.epsilon:.2f}, {BAR:g} is asked"
        length = np.sqrt(record @ record)
        if not record[unused].any():
            return f"{said}: everybody uses your record's features, and the others pull back"
        if length / 2 <= LEAKY.norm * 1.3:
            return f"{said}: your record's gradient is shorter than the norm, so it does not pull with all its might"
        if length > 20:
            return f"{said}: after a few steps the model is sure of your record, and its gradient vanishes: make it shorter"
        if not score[unused].any():
            return f"{said}: your score looks away from the weight that your record moves"
        if any(each @ each > 1.1 * each[unused] @ each[unused] for each in (record, score)):
            return f"{said}: part of your record, or of your score, lies in features that others use"
        return said

    return requirement


check(plant, convicts(crowd, sides))
### BEGIN HIDDEN TESTS
for place in fresh.permutation(4)[:2]:
    others = fresh.uniform(-0.7, 0.7, (100, 4))
    others[:, (place + 1) % 4] = 0.6
    others[:, place] = 0
    check(plant, convicts(others, np.where(fresh.random(100) < 0.5, 1.0, -1.0)))
### END HIDDEN TESTS


# %% tags=["wrong"]
def plant(features, labels):
    unused = ~features.any(axis=0)
    # WRONG a feature that is used | the others pull back
    record = np.zeros(features.shape[1])
    record[1] = 1
    return np.concatenate([record, [1.0], record])

    # WRONG one record more like the others | the others pull back
    return np.concatenate([features[0], labels[:1], features[0]])

    # WRONG too short for the clipping | does not pull with all its might
    return np.concatenate([0.2 * unused, [1.0], unused])

    # WRONG as loud as possible | its gradient vanishes: make it shorter
    return np.concatenate([100.0 * unused, [1.0], unused])

    # WRONG like the others, and one feature more | lies in features that others use
    return np.concatenate([features.mean(axis=0) + unused, [1.0], unused])

    # WRONG the score of the other weights | your score looks away
    return np.concatenate([unused, [1.0], ~unused])

    # WRONG half of it elsewhere | lies in features that others use
    everything = np.ones(features.shape[1])
    return np.concatenate([everything, [1.0], everything])

    # WRONG a label of 0 | the label must be 1 or -1
    return np.concatenate([unused, [0.0], unused])


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* what an audit and an accuracy cannot show. About 25 minutes, medium to hard.
#
# A library divides each noisy sum of a Poisson sample by $\lfloor q n \rfloor$. Its model has 1,000 weights, an accuracy as
# good as without privacy, and passed the team's membership attack, which found nobody. In three to six sentences: what does
# the library give away, to whom, and why did neither the accuracy nor that attack show it? Under which relation is nothing
# wrong with the division?

# %% [markdown] name="explain_floor" points=3
# ### BEGIN SOLUTION
# Under add/remove $n$ is a secret. Where one record more takes $\lfloor q n \rfloor$ to the next whole number, the noise on the
# mean becomes smaller by that factor in *every* coordinate. Somebody who knows all other records need only look how widely the
# steps scatter. A thousand weights are a thousand looks at one variance. If the floor goes from 4 to 5, delta at
# epsilon 1 is nearly 1, whatever the multiplier. Accuracy does not show it, because the noise is right to within a fifth and
# the direction of the steps is right.
# Privacy is a matter of what two neighbouring datasets do, not of one. The team's attack looked for what a record does to the
# *mean* of the weights, not to their variance. Its datasets had floors that did not change. A bound of such an attack is
# a lower bound, and finding nobody proves nothing. Under replace $n$ is public, the divisor is a constant, and all is well.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each.
#
# - (a) The divisor depends on the secret n, so a record may change the scale of the noise, in all coordinates at once. No point
#   for "it leaks n" without the noise or the variance.
# - (b) Accuracy speaks of one dataset, privacy of two. The attack looked at the wrong statistic or the wrong pair; or: a lower
#   bound near 0 proves nothing.
# - (c) Replace (bounded), where n is public. Accept "if n is made public".
# ### END MARK SCHEME
