# %% [markdown]
# # Assignment 20: ALP
#
# Five tasks, 18 points. You need chapter 20, *ALP: a sparse vector in a small sketch*.
#
# All data here are invented. Yours may differ from those of others. The letters are those of the chapter: resolution
# $\alpha$, a flip with probability $1/(\alpha+2)$, a level for every $\alpha/\varepsilon$ visits.

# %% tags=["setup"]
import itertools
from functools import partial

import numpy as np

from dpbook.check import RISK, answers, check, discrete_law, divergence, own_order, private, repeatable

VARIANT = 0  # of 6
mine = partial(own_order, variant=VARIANT)

# %% [markdown]
# ## 1. What one move loses, exactly (3 points)
#
# *You learn* which output gives a string of bits away, and that the place of a move matters. About 30 minutes, medium.
#
# One entry has a table to itself (one bucket), so it is released as a string of bits. The first $x\varepsilon/\alpha$
# of them, rounded at random, are 1; then all are flipped with probability $1/(\alpha+2)$. There are enough levels for
# it. Write `row_loss(x, y, alpha, epsilon)`: the exact privacy loss between an entry of $x$ and one of $y$ visits,
# neither below 0. It is the largest absolute value that the log ratio of the two probabilities takes over all strings.
# The two may be many levels apart.


# %%
def row_loss(x, y, alpha, epsilon):
    ### BEGIN SOLUTION
    # The row of ones speaks most for the larger entry, the row of zeros most for the smaller one.
    (a, p), (b, q) = (divmod(visits * epsilon / alpha, 1) for visits in sorted([x, y]))
    ones = np.log1p(q * alpha) - np.log1p(p * alpha)
    down = 1 / (1 + alpha) - 1
    zeros = np.log1p(p * down) - np.log1p(q * down)
    return (b - a) * np.log1p(alpha) + max(ones, zeros)
    ### END SOLUTION


# %% points=3
# The check
check(
    row_loss,
    answers(
        [(0, 1, 3.0, 1.0), (2.0, 4.5, 1.0, 1.0), (2.5, 3.0, 3.0, 1.0), (3.0, 0.5, 4.0, 2.0)],
        [0.6931471806, 1.791759469, 0.4054651081, 2.014903021],
        slips={
            "that is what the proof guarantees; a move of one entry loses less": [1, 2.5, 0.5, 5],
            "that is the worst place for a move of this distance; this one starts somewhere else": [
                0.6931471806,
                1.791759469,
                0.4054651081,
                2.302585093,
            ],
            "a row of ones may speak loudest, or a row of zeros: look at both": [
                0.6931471806,
                1.791759469,
                0.1335313926,
                2.014903021,
            ],
            "a row of zeros may speak loudest, or a row of ones: look at both": [
                0.2876820725,
                1.673976434,
                0.4054651081,
                1.897119985,
            ],
            "entries are rounded at random; what does that do to the chance of the next level?": [
                0,
                1.386294361,
                1.386294361,
                1.609437912,
            ],
            "entries are rounded at random, not to the nearest level": [0, 1.386294361, 0, 3.218875825],
            "two roundings are averaged as probabilities, not as logs": [
                0.4620981204,
                1.732867951,
                0.2310490602,
                2.011797391,
            ],
            "epsilon says how many visits a level stands for": [0.6931471806, 1.791759469, 0.4054651081, 0.980829253],
            "the loss is the logarithm of the ratio": [2, 6, 1.5, 7.5],
        },
        variant=VARIANT,
    ),
)


### BEGIN HIDDEN TESTS
def listed_loss(x, y, alpha, epsilon):
    """By the probabilities of all rows of nine bits."""
    rows, levels = np.array(list(itertools.product((0, 1), repeat=9))), np.arange(9)
    logs = []
    for full, part in (divmod(visits * epsilon / alpha, 1) for visits in (x, y)):
        wrong = [(rows != (levels < full + up)).sum(axis=1) for up in (0, 1)]
        few = np.minimum(*wrong)
        weights = ((1 + alpha) ** -(w - few.astype(float)) for w in wrong)
        logs.append(np.log((1 - part) * next(weights) + part * next(weights)) - few * np.log1p(alpha))
    return np.abs(logs[0] - logs[1]).max()


moves = []
for promise in (0.01, *fresh.uniform(0.05, 5, 10), 20.0):
    resolution = float(np.exp(fresh.uniform(-1, 2.5)))
    moves += [(*(fresh.uniform(0, 8, 2) * resolution / promise), resolution, promise)]
    moves += [(moves[-1][0], moves[-1][0] + fresh.uniform(0, 1) * resolution / promise, resolution, promise)]
moves = [move for move in moves if max(move[:2]) * move[3] / move[2] < 8]
check(row_loss, answers(moves, [listed_loss(*move) for move in moves], tolerance=1e-5))
start, steps, rest = int(fresh.integers(1, 900)), int(fresh.integers(1000, 3000)), fresh.uniform(0.1, 0.9)
far = (2.0 * start, 2.0 * (start + steps + rest), 2.0, 1.0)  # from the bottom of a level: the ones decide
high = (2.0 * (start + 0.9), 2.0 * (start + steps), 2.0, 1.0)  # from near the top of a level: the zeros decide
losses = [steps * np.log(3) + np.log(1 + 2 * rest), steps * np.log(3) + np.log(0.4), 0]
check(row_loss, answers([far, high, (5, 5, 1.0, 1.0)], losses, tolerance=1e-5))
### END HIDDEN TESTS


# %% tags=["wrong"]
def row_loss(x, y, alpha, epsilon):
    # WRONG the guarantee | that is what the proof guarantees
    return abs(x - y) * epsilon

    # WRONG move_loss | that is the worst place for a move of this distance
    from dpbook.alp import move_loss

    return move_loss(abs(x - y), alpha, epsilon)

    # WRONG the row of ones only | a row of ones may speak loudest
    (a, p), (b, q) = (divmod(visits * epsilon / alpha, 1) for visits in sorted([x, y]))
    return (b - a) * np.log1p(alpha) + np.log1p(q * alpha) - np.log1p(p * alpha)

    # WRONG the row of zeros only | a row of zeros may speak loudest
    (a, p), (b, q) = (divmod(visits * epsilon / alpha, 1) for visits in sorted([x, y]))
    down = 1 / (1 + alpha) - 1
    return (b - a) * np.log1p(alpha) + np.log1p(p * down) - np.log1p(q * down)

    # WRONG rounded down | the chance of the next level
    return abs(x * epsilon // alpha - y * epsilon // alpha) * np.log1p(alpha)

    # WRONG rounded to the nearest level | not to the nearest level
    return abs(round(x * epsilon / alpha) - round(y * epsilon / alpha)) * np.log1p(alpha)

    # WRONG so much a level | as probabilities, not as logs
    return abs(x - y) * epsilon / alpha * np.log1p(alpha)


# %% [markdown]
# ## 2. A small table (5 points)
#
# *You learn* to release many entries in few bits. About 35 minutes, medium.
#
# `values` has $k$ entries, none below 0. `places[i, b]` is public: it says into which of `buckets` places entry $i$
# puts its bit of level $b$ (all from 0). There are as many levels as `places` has columns. An entry that needs more has
# ones on all of them. Here are four entries, two levels, two buckets:

# %% tags=["setup"]
visits = np.array(mine([5.0, 2.4, 2.4, 0.0]))
meeting = np.array(mine([[0, 1], [1, 0], [1, 1], [0, 0]]))

# %% [markdown]
# Write `noisy_table(values, places, alpha, buckets, epsilon, rng)`: the table of definition 20.1, an array (levels, buckets) of
# 0 and 1, $\varepsilon$-DP for entries at L1 distance at most 1. Where a one and a zero meet, the one wins. There may be no
# entries, or thousands.


# %% jupyter={"source_hidden": true} tags=["setup"]
# What the check needs
def rows_of_bits(size):
    """All rows of so many bits."""
    return np.array(list(itertools.product((0, 1), repeat=size)))


def table_law(ones):
    """The law of bits that are 1 with these probabilities, independently: one number for each row of `rows_of_bits`."""
    rows = rows_of_bits(len(ones))
    return np.where(rows, ones, 1 - np.array(ones)).prod(axis=1)


def bits_at(chosen, levels, buckets, requirement):
    """A requirement on some of the bits of a table, numbered row by row."""

    def of_the_table(draw):
        def some_bits(calls, samples=None, shape=(), seed=None):
            return draw(calls, samples, (levels, buckets), seed).reshape(len(calls), samples, -1)[..., chosen]

        some_bits.noise = draw.noise
        return requirement(some_bits)

    return of_the_table


# %%
def noisy_table(values, places, alpha, buckets, epsilon, rng):
    ### BEGIN SOLUTION
    levels = np.arange(places.shape[1])
    heights = np.floor(values * epsilon / alpha + rng.random(len(values)))
    entry, level = np.nonzero(levels < heights[:, None])
    table = np.zeros((len(levels), buckets), dtype=bool)
    table[level, places[entry, level]] = True
    return table ^ (rng.random(table.shape) < 1 / (alpha + 2))
    ### END SOLUTION


# %% points=5
# The check
small = (visits, meeting, 2.0, 2, 0.5)
check(
    noisy_table,
    bits_at(
        [0, 1],
        2,
        2,
        discrete_law(
            small,
            rows_of_bits(2),
            table_law([0.75, 0.67]),
            slips={
                "no bit is ever flipped: this tells the truth": table_law([1, 0.84]),
                "levels are rounded at random, not down": table_law([0.75, 0.25]),
                "2.4 visits are 0.6 of a level, and that is rounded at random: yours always reach the first": (
                    table_law([0.75, 0.75])
                ),
                "each entry is rounded by itself: two that meet have two chances": table_law([0.75, 0.55]),
                "where a one and a zero meet the one wins, and two ones are a one": table_law([0.75, 0.49]),
                "where a one and a zero meet the one wins": table_law([0.25, 0.55]),
                "the chance of a flip is 1 / (alpha + 2)": table_law([2 / 3, 0.6133333333]),
                "the chance of a flip depends on alpha alone: epsilon is in the levels": table_law(
                    [0.6224593312, 0.5832771]
                ),
            },
            samples=20_000,  # to tell 0.49 from 0.55
        ),
    ),
    bits_at([2, 3], 2, 2, discrete_law(small, rows_of_bits(2), table_law([0.25, 0.375]))),
    repeatable(small, shape=(2, 2)),
    private(
        (np.array([0.0, 2.0]), meeting[:2], 1.0, 2, 1.0),
        (np.array([1.0, 2.0]), meeting[:2], 1.0, 2, 1.0),
        epsilon=1.0,
        shape=(2, 2),
        samples=4000,
    ),
)


### BEGIN HIDDEN TESTS
def ones_before(values, places, alpha, buckets, epsilon):
    """The chance of a one in each place of the table, before the flips: zero only if every entry there has a zero."""
    none = np.ones((places.shape[1], buckets))
    for visit, row in zip(values * epsilon / alpha, places, strict=True):
        for level, place in enumerate(row):
            none[level, place] *= 1 - min(max(visit - level, 0), 1)
    return 1 - none


def every_bit(call, chances, samples):
    """Each bit of the table must be 1 with its chance, and all together be the less likely of 0 and 1 as often.

    All bits are independent: an entry rounds one level at random. By Chernoff's bound for each bit and for all (of
    unlike chances: Hoeffding 1963, theorem 1), a right answer is refused with probability RISK at most.
    """
    asks = [call], samples, chances.shape
    limit = np.log(2 * (chances.size + 1) / RISK)

    def of_every_bit(draw):
        tables = draw(*asks)[0]
        if not np.isin(tables, (0, 1)).all():
            return "a table holds zeros and ones, and nothing else"
        if np.any(samples * divergence(tables.mean(axis=0), chances) > limit):
            return "of all bits of a table, some are one too often or too seldom: each is flipped by a coin of its own"
        unlikely, seldom = np.mean(tables != (chances > 0.5)), np.minimum(chances, 1 - chances).mean()
        if tables.size * divergence(unlikely, seldom) > limit:
            return "all bits of a table together are flipped too often or too seldom"
        return ""

    of_every_bit.asks = asks
    return of_every_bit


promises = [*fresh.permutation([0.01, 0.4, 20.0]), *fresh.permutation([0.1, 2.0])] * fresh.uniform(0.75, 1.0, 5)
sizes = fresh.integers(
    [[0, 2, 2], [4, 40, 3], [2, 2, 2], [15, 4, 6], [600, 15, 60]],
    [[1, 4, 4], [7, 60, 6], [7, 4, 4], [80, 9, 14], [2000, 30, 120]],
)
for (entries, levels, buckets), samples, promise in zip(
    sizes, (5000, 10_000, 10_000, 5000, 1500), promises, strict=True
):
    resolution = fresh.uniform(0.5, 4)
    heights = fresh.uniform(0, levels + 1, entries) * (fresh.random(entries) < (1 if entries < 9 else 0.3))
    hashes = fresh.integers(0, buckets, (entries, levels))
    call = (heights * resolution / promise, hashes, resolution, buckets, promise)
    laws = []
    for more in (1, 1.05):
        before = ones_before(*call[:4], more * promise).ravel()
        laws.append(1 / (resolution + 2) + before * resolution / (resolution + 2))
    moved = np.argsort(-np.abs(laws[1] - laws[0]), kind="stable")  # two that epsilon moves most, two others
    four = np.concatenate([moved[:2], fresh.permutation(moved[2:])[:2]])
    four_laws = [table_law(law[four]) for law in laws]
    told = discrete_law(call, rows_of_bits(len(four)), four_laws[0], samples=samples, steeper=four_laws[1])
    check(noisy_table, every_bit(call, laws[0].reshape(levels, buckets), samples))
    check(noisy_table, bits_at(four, levels, buckets, told))
rows = fresh.integers(0, 2, (2, 3))
alone, joined = np.array([1.0, 3.5]), np.array([2.0, 3.5])
check(
    noisy_table,
    private((alone, rows, 1.5, 2, 1.4), (joined, rows, 1.5, 2, 1.4), epsilon=1.4, shape=(3, 2), samples=3000),
)
### END HIDDEN TESTS


# %% tags=["wrong"]
def noisy_table(values, places, alpha, buckets, epsilon, rng):
    levels = np.arange(places.shape[1])
    table = np.zeros((len(levels), buckets), dtype=bool)
    # WRONG no flips | no bit is ever flipped
    heights = np.floor(values * epsilon / alpha + rng.random(len(values)))
    entry, level = np.nonzero(levels < heights[:, None])
    table[level, places[entry, level]] = True
    return table

    # WRONG rounded down | rounded at random, not down
    entry, level = np.nonzero(levels < np.floor(values * epsilon / alpha)[:, None])
    table[level, places[entry, level]] = True
    return table ^ (rng.random(table.shape) < 1 / (alpha + 2))

    # WRONG rounded to the nearest | 0.6 of a level, and that is rounded at random
    entry, level = np.nonzero(levels < np.round(values * epsilon / alpha)[:, None])
    table[level, places[entry, level]] = True
    return table ^ (rng.random(table.shape) < 1 / (alpha + 2))

    # WRONG rounded up | 0.6 of a level, and that is rounded at random
    entry, level = np.nonzero(levels < np.ceil(values * epsilon / alpha)[:, None])
    table[level, places[entry, level]] = True
    return table ^ (rng.random(table.shape) < 1 / (alpha + 2))

    # WRONG visits for levels | 0.6 of a level, and that is rounded at random
    entry, level = np.nonzero(levels < np.floor(values + rng.random(len(values)))[:, None])
    table[level, places[entry, level]] = True
    return table ^ (rng.random(table.shape) < 1 / (alpha + 2))

    # WRONG bits that meet are added | IMPOSSIBLE
    heights = np.floor(values * epsilon / alpha + rng.random(len(values)))
    entry, level = np.nonzero(levels < heights[:, None])
    ones = table.astype(int)
    np.add.at(ones, (level, places[entry, level]), 1)
    return np.where(rng.random(ones.shape) < 1 / (alpha + 2), 1 - ones, ones)

    # WRONG two ones cancel | and two ones are a one
    heights = np.floor(values * epsilon / alpha + rng.random(len(values)))
    for height, row in zip(heights, places, strict=True):
        table[levels, row] ^= levels < height
    return table ^ (rng.random(table.shape) < 1 / (alpha + 2))

    # WRONG the last one to come wins | where a one and a zero meet the one wins
    heights = np.floor(values * epsilon / alpha + rng.random(len(values)))
    for height, row in zip(heights, places, strict=True):
        table[levels, row] = levels < height
    return table ^ (rng.random(table.shape) < 1 / (alpha + 2))

    # WRONG another chance of a flip | the chance of a flip is 1 / (alpha + 2)
    heights = np.floor(values * epsilon / alpha + rng.random(len(values)))
    entry, level = np.nonzero(levels < heights[:, None])
    table[level, places[entry, level]] = True
    return table ^ (rng.random(table.shape) < 1 / (alpha + 1))

    # WRONG randomized response at epsilon | epsilon is in the levels
    heights = np.floor(values * epsilon / alpha + rng.random(len(values)))
    entry, level = np.nonzero(levels < heights[:, None])
    table[level, places[entry, level]] = True
    return table ^ (rng.random(table.shape) < 1 / (1 + np.exp(epsilon)))

    # WRONG some bits of large tables never flipped | of all bits of a table, some are one too often or too seldom
    heights = np.floor(values * epsilon / alpha + rng.random(len(values)))
    entry, level = np.nonzero(levels < heights[:, None])
    table[level, places[entry, level]] = True
    flipped = rng.random(table.shape) < 1 / (alpha + 2)
    flipped[9:, 0] = False
    return table ^ flipped

    # WRONG one coin for the table | OFTEN
    heights = np.floor(values * epsilon / alpha + rng.random(len(values)))
    entry, level = np.nonzero(levels < heights[:, None])
    table[level, places[entry, level]] = True
    return table ^ (rng.random() < 1 / (alpha + 2))

    # WRONG one rounding for all entries | each entry is rounded by itself
    heights = np.floor(values * epsilon / alpha + rng.random())
    entry, level = np.nonzero(levels < heights[:, None])
    table[level, places[entry, level]] = True
    return table ^ (rng.random(table.shape) < 1 / (alpha + 2))


# %% [markdown]
# ## 3. Reading with a prior (4 points)
#
# *You learn* what the walk of the chapter is: a log likelihood. About 30 minutes, medium.
#
# `bits` is the row of an entry that had a table to itself. Somebody knows beforehand how probable each number of levels is.
# `prior[h]` is the probability that the first $h$ bits were ones before the flips, $h = 0, \dots, m$ for $m$ bits. Write
# `expected_height(bits, alpha, prior)`: the expected number of ones before the flips, given `bits`. There may be thousands of
# bits, and some of the probabilities may be 0.


# %%
def expected_height(bits, alpha, prior):
    ### BEGIN SOLUTION
    # Each level more turns a zero into a one: the likelihood grows by 1 + alpha if that bit is one, and else shrinks.
    walk = np.append(0, np.cumsum(2.0 * bits - 1)) * np.log1p(alpha)
    walk = np.where(prior > 0, walk, -np.inf)
    weights = prior * np.exp(walk - walk.max())
    return weights @ np.arange(len(prior)) / weights.sum()
    ### END SOLUTION


# %% points=4
# The check
rows_read = [
    (np.array([1, 1, 0, 1, 0]), 2.0, np.array([0.9, 0.02, 0.02, 0.02, 0.02, 0.02])),
    (np.array([0, 1, 1]), 0.5, np.array([0.1, 0.2, 0.3, 0.4])),
    (np.array([0, 0, 1, 0]), 6.0, np.array([0.7, 0.1, 0.1, 0.05, 0.05])),
]
check(
    expected_height,
    answers(
        rows_read,
        [1.125, 2.235294118, 0.06056338028],
        slips={
            "some numbers of levels are likelier than others beforehand: use the prior": [
                2.892857143,
                1.72,
                0.5230769231,
            ],
            "the bits say something, too: that is the prior's mean": [0.3, 2, 0.65],
            "a step of the walk is a log likelihood: how large is it?": [1.012746617, 2.521329218, 0.1884040304],
            "a bit that agrees instead of disagreeing counts once, not twice": [2.423076923, 2.44, 0.007493188011],
            "zeros speak as well: the walk goes down at a zero": [2.425, 2.303030303, 1.71875],
            "the expected number is asked for, not the likeliest": [0, 3, 0],
            "that is the highest place of the walk, without the prior": [2, 3, 0],
            "posterior weights must add up to 1": [1.62, 2.533333333, 0.04387755102],
            "the first place of the walk is before the first bit: no level at all": [2.125, 3.235294118, 1.06056338],
        },
        tolerance=1e-5,
        variant=VARIANT,
    ),
)
### BEGIN HIDDEN TESTS
reads, means = [], []
for size in (1, 2, 7, 30, 400, int(fresh.integers(1500, 2500))):
    for spread in (0.2, 3.0):
        chances, resolution = fresh.dirichlet(np.full(size + 1, spread)), np.exp(fresh.uniform(-3, 3))
        resolution = 1.0 if size > 999 else resolution  # the chance of all bits is below the least double
        chances = np.where(chances < 1e-3 / size, 0, chances)
        seen = (fresh.random(size) < np.linspace(0.8, 0.2, size)).astype(int)
        likelihoods = [
            np.log(np.where((np.arange(size) < full) == seen, resolution + 1, 1) / (resolution + 2)).sum()
            for full in range(size + 1)
        ]
        chances = chances / chances.sum()
        top = max(word for word, chance in zip(likelihoods, chances, strict=True) if chance)
        joint = [chance * np.exp(min(word - top, 0)) for word, chance in zip(likelihoods, chances, strict=True)]
        reads.append((seen, resolution, chances))
        means.append(sum(full * part for full, part in enumerate(joint)) / sum(joint))
check(expected_height, answers(reads, means, tolerance=1e-5))
many, even = int(fresh.integers(1800, 3000)), fresh.integers(350, 900)  # 10 to this power is beyond the largest double
told, flat = (np.arange(many) < even).astype(int), np.full(many + 1, 1 / (many + 1))
check(expected_height, answers([(told, 9.0, flat)], [even], tolerance=1e-5))  # as far up as down: it cannot lean
### END HIDDEN TESTS


# %% tags=["wrong"]
def expected_height(bits, alpha, prior):
    # WRONG without the prior | use the prior
    walk = np.append(0, np.cumsum(2.0 * bits - 1)) * np.log1p(alpha)
    weights = np.exp(walk - walk.max())
    return weights @ np.arange(len(prior)) / weights.sum()

    # WRONG without the bits | the bits say something, too
    return prior @ np.arange(len(prior))

    # WRONG steps of 1 | how large is it
    weights = prior * np.exp(np.append(0, np.cumsum(2.0 * bits - 1)))
    return weights @ np.arange(len(prior)) / weights.sum()

    # WRONG steps twice as large | counts once, not twice
    weights = prior * np.exp(np.append(0, np.cumsum(2.0 * bits - 1)) * 2 * np.log1p(alpha))
    return weights @ np.arange(len(prior)) / weights.sum()

    # WRONG ones only | zeros speak as well
    weights = prior * np.exp(np.append(0, np.cumsum(bits)) * np.log1p(alpha))
    return weights @ np.arange(len(prior)) / weights.sum()

    # WRONG the likeliest | not the likeliest
    return np.argmax(prior * np.exp(np.append(0, np.cumsum(2.0 * bits - 1)) * np.log1p(alpha)))

    # WRONG the highest place | without the prior
    return np.argmax(np.append(0, np.cumsum(2.0 * bits - 1)))

    # WRONG weights as they are | must add up to 1
    weights = prior * np.exp(np.append(0, np.cumsum(2.0 * bits - 1)) * np.log1p(alpha))
    return weights @ np.arange(len(prior))

    # WRONG the chances of all bits multiplied | NOT_FINITE
    flip, full = 1 / (alpha + 2), np.arange(len(prior))
    weights = prior.copy()
    for place, bit in enumerate(bits):
        weights *= np.where((place < full) == bit, 1 - flip, flip)
    return weights @ full / weights.sum()

    # WRONG overflow | NOT_FINITE
    weights = prior * np.exp(np.append(0, np.cumsum(2.0 * bits - 1)) * np.log1p(alpha))
    return weights @ np.arange(len(prior)) / weights.sum()


# %% [markdown]
# ## 4. Attack: listed by the true number (3 points)
#
# *You learn* that who is on a list can say more than what the list says. About 15 minutes, easy.
#
# A clinic misreads the source's Algorithm 6: it takes the letter that is cut, which our copy does not define, for the
# number without noise. A card is listed if its *true* number of visits reaches the threshold, and its noisy number is
# printed beside it. It makes such a list of the same register again and again, with other thresholds. For one card,
# release $j$ had the threshold `thresholds[j]`. `listed[j]` is 1 if the card was on the list and 0 if not. `printed[j]`
# is the noisy number, or -1 where there is none:


# %% tags=["setup"]
def lists_of(visits_of_card, thresholds, epsilon, rng):
    """For each release, of one card: 1 if it is listed, else 0; the noisy number printed, or -1."""
    listed = visits_of_card >= thresholds
    noisy = visits_of_card + rng.laplace(scale=1 / epsilon, size=len(thresholds))
    return listed.astype(int), np.where(listed, noisy, -1.0)


# %% [markdown]
# Write `true_visits(thresholds, listed, printed, epsilon)`: the exact number of visits, a whole number of at least 0.
# Only one number fits the largest threshold that lists the card and the smallest that does not. The thresholds come in
# any order, and need not be whole. If the card is never listed, only 0 fits.


# %%
def true_visits(thresholds, listed, printed, epsilon):
    ### BEGIN SOLUTION
    # Listed means at least the threshold: no noise is in that. The printed numbers are not needed.
    return np.ceil(np.max(thresholds[listed == 1], initial=0))
    ### END SOLUTION


# %% points=3
# The check
def four_cards():
    rng = np.random.default_rng(20)
    plays = []
    for visits_of_card, thresholds in (
        (7, [2.5, 6.4, 7.2, 11.0]),
        (0, [0.5, 3.0]),
        (12, [12.0, 15.0, 12.7]),
        (31, [30.6, 31.9, 1.5, 2.5]),
    ):
        plays.append((np.array(thresholds), *lists_of(visits_of_card, np.array(thresholds), 0.5, rng), 0.5))
    return plays


check(
    true_visits,
    answers(
        four_cards(),
        [7, 0, 12, 31],
        slips={
            "a threshold is no number of visits: which whole number reaches it?": [6.4, 0, 12, 30.6],
            "a card is listed if it *reaches* the threshold: the number lies above it": [6, 0, 12, 30],
            "the first threshold that does not list the card is above its visits": [8, 1, 13, 32],
            "a card that reaches a whole threshold has at least that many visits": [7, 0, 13, 31],
            "the middle between two thresholds is no number of visits": [6.8, 0.25, 12.35, 31.25],
        },
        tolerance=0.01,
        variant=VARIANT,
    ),
)
### BEGIN HIDDEN TESTS
cards, counts = [], []
for count in (0, 0, 1, 2, *fresh.integers(0, 5000, 40)):
    below = count - fresh.choice([fresh.uniform(0, 0.95), 0.0])
    others = fresh.uniform(0.01, 2 * count + 9, int(fresh.integers(0, 2000)))
    others = others[(others <= below) | (others > count + 0.3)]
    bounds = np.append(others, [count + fresh.uniform(0.01, 0.99)] + [below] * int(count > 0))
    bounds, promise = fresh.permutation(bounds), np.exp(fresh.uniform(np.log(0.01), np.log(20)))
    cards.append((bounds, *lists_of(count, bounds, promise, fresh), promise))
    counts.append(count)
check(true_visits, answers(cards, counts, tolerance=0.01))
### END HIDDEN TESTS


# %% tags=["wrong"]
def true_visits(thresholds, listed, printed, epsilon):
    # WRONG the mean of what is printed | SOME_WRONG
    return np.round(printed[listed == 1].mean()) if listed.any() else 0

    # WRONG the threshold itself | is no number of visits: which whole number
    return np.max(thresholds[listed == 1], initial=0)

    # WRONG rounded down | the number lies above it
    return np.floor(np.max(thresholds[listed == 1], initial=0))

    # WRONG from above, rounded up | is above its visits
    return np.ceil(np.min(thresholds[listed == 0]))

    # WRONG one more than the threshold | that reaches a whole threshold
    reached = thresholds[listed == 1]
    return np.floor(reached.max()) + 1 if reached.size else 0

    # WRONG the middle | the middle between two thresholds
    return (np.max(thresholds[listed == 1], initial=0) + np.min(thresholds[listed == 0])) / 2


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* which parts of a sketch may be seen, and which may not look at the data. About 20 minutes, medium.
#
# A clinic will publish a sketch of its register. Its programmer says: (1) "The seed of the hash functions must stay secret, or
# everybody can see which bits belong to a card." (2) "The table gets 16 buckets for each card that was used, we just count
# them. And $\beta$ is the number of visits of the busiest card. These are only sizes, they cost no privacy." (3) "With
# $\alpha = 10$ only one bit in twelve is flipped. That is more exact but less private than $\alpha = 1$, where one in three is."
# Is each of the three right, and why? Three to six sentences.

# %% [markdown] name="explain_sketch" points=3
# ### BEGIN SOLUTION
# (1) Wrong: the guarantee is proved for fixed hash functions that everybody knows. What hides a card is the flips of its bits,
# and without the seed nobody could read an entry. (2) Wrong: both numbers are exact functions of the register. A visit with a
# card that was never used makes the table 16 buckets wider. One more visit of the busiest card may add a level. The size
# then tells two neighbours apart with certainty: the loss is infinite. They must be fixed beforehand or bought with a
# part of $\varepsilon$. (3) The first half is right for a bit, $\ln 11$ against $\ln 2$, but the guarantee is not weaker. A level
# then stands for ten times as many visits, so one visit changes a bit only with a tenth of the probability. The loss of a
# visit is at most $\varepsilon$ for every $\alpha$. What $\alpha$ trades is the coarseness of the levels and the size of the
# table against the flips.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each. (1) Wrong, because the guarantee holds with the hash functions known (the flips protect). "Needed for reading"
# alone is enough only if it says that nothing is lost by it. (2) Wrong, because sizes computed from the data without noise
# tell neighbours apart with certainty; either of the two sizes with its neighbour is enough. (3) A bit has more loss, but
# the visit has not: levels are wider, so a move reaches the next level seldom. Or: epsilon holds for every alpha by the theorem,
# with the reason "scaled by epsilon / alpha". No point for "alpha is public".
# ### END MARK SCHEME
