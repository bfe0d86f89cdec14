# %% [markdown]
# # Assignment 28: Synthetic records
#
# Five tasks, 19 points. You need chapter 28, *Synthetic records*.
#
# All data here are invented. Yours may differ from those of others. Neighbours differ by *adding or removing* one record.

# %% tags=["setup"]
from functools import partial

import numpy as np

from dpbook.check import RISK, answers, check, normal_law, own_order, private, repeatable

VARIANT = 0  # of 6
mine = partial(own_order, variant=VARIANT)

# %% [markdown]
# ## 1. The lottery (4 points)
#
# *You learn* to score a pair so that one record moves the score by 1. About 30 minutes, medium.
#
# `singles` is a list of released tables, one an attribute: noisy counts, some of them below 0. `tables` is a list of
# `(a, b, table)` with the true table of attributes a and b. Write `edge_chances(tables, singles, epsilon)`: the chance of each
# pair to be drawn first by an exponential mechanism with `epsilon`. The score of a pair is the $L_1$ distance of its table
# from the product of the two singles. For the product each single is cut at 0 and scaled to sum 1 (uniform if nothing is
# left). It is then multiplied by the total: the mean of the sums of all singles as released, or 0 if that is below 0.


# %%
def edge_chances(tables, singles, epsilon):
    ### BEGIN SOLUTION
    total = max(0.0, np.mean([one.sum() for one in singles]))
    cut = [np.maximum(one, 0) for one in singles]
    parts = [one / one.sum() if one.any() else np.full(len(one), 1 / len(one)) for one in cut]
    scores = np.array([np.abs(table - total * np.outer(parts[a], parts[b])).sum() for a, b, table in tables])
    weights = np.exp(epsilon * (scores - scores.max()) / 2)  # one record moves a score by 1
    return weights / weights.sum()
    ### END SOLUTION


# %% points=4
PAIRS = [
    (0, 1, np.array([[30.0, 10.0], [5.0, 15.0]])),
    (0, 2, np.array([[20.0, 15.0, 5.0], [9.0, 8.0, 3.0]])),
    (1, 2, np.array([[25.0, 9.0, 1.0], [4.0, 14.0, 7.0]])),
]
RELEASED = [np.array([42.0, 17.0]), np.array([33.0, 26.5]), np.array([30.0, 33.5, -3.0])]
OWN = mine(PAIRS)
CALLS = [(OWN, RELEASED, 0.1), (OWN, RELEASED, 0.4)]
CITY = [(a, b, table + 200_000 * (table == table.max())) for a, b, table in PAIRS[:2]]  # scores of 200,000


def for_calls(*rows):
    """These chances, which stand in the order of PAIRS, in that of your own pairs."""
    return [mine(row) for row in rows]


check(
    edge_chances,
    answers(
        CALLS,
        for_calls([0.328664285938, 0.201188649874, 0.470147064188], [0.187700969836, 0.026355445637, 0.785943584526]),
        slips={
            "the product is of the released singles: the data's own margins move with the record": for_calls(
                [0.38041012395, 0.114577327486, 0.505012548564], [0.24305930073, 0.002000316563, 0.754940382707]
            ),
            "a record moves these scores by 1 and not by 2: twice the noise for nothing": for_calls(
                [0.3357484945, 0.26268758924, 0.40156391626], [0.292313613668, 0.109534508931, 0.5981518774]
            ),
            "epsilon over 2: one record may move two scores in opposite directions": for_calls(
                [0.292313613668, 0.109534508931, 0.5981518774], [0.053901230088, 0.001062689455, 0.945036080457]
            ),
            "scores are counts, not fractions: divided by the total they hardly move the lottery": for_calls(
                [0.33357502774, 0.330842428899, 0.335582543361], [0.334233096091, 0.323414979394, 0.342351924514]
            ),
            "that is the best pair and no lottery": for_calls([0.0, 0.0, 1.0], [0.0, 0.0, 1.0]),
            "cut the singles at 0 before they are multiplied": for_calls(
                [0.280116339268, 0.2214071641, 0.498476496632], [0.087576726224, 0.034182326276, 0.8782409475]
            ),
        },
        tolerance=1e-9,
    ),
    answers([(PAIRS[:2], RELEASED, 0.2)], [[0.727423116418, 0.272576883582]], tolerance=1e-9),
    answers([(CITY, RELEASED, 0.2)], [[0.730061256256, 0.269938743744]], tolerance=1e-9),
)


### BEGIN HIDDEN TESTS
def lottery(tables, product, slope):
    scores = np.array([np.abs(table - product(a, b)).sum() for a, b, table in tables])
    likely = np.exp(slope * (scores - scores.max()))
    return likely / likely.sum()


def from_released(singles):
    total = max(0.0, sum(one.sum() for one in singles) / len(singles))
    kept = [np.where(one > 0, one, 0.0) for one in singles]
    scaled = [one / one.sum() if one.sum() > 0 else np.ones(len(one)) / len(one) for one in kept]
    return lambda a, b: total * scaled[a][:, None] * scaled[b][None, :]


for sizes in ((2, 2, 2), (3, 2, 4), (4, 4, 3)):
    noisy = [fresh.normal(20, 15, size) for size in sizes]
    real = [(a, b, fresh.poisson(9, (sizes[a], sizes[b])).astype(float)) for a, b in ((0, 1), (0, 2), (1, 2))]
    slope = float(fresh.uniform(0.05, 1))
    chances = lottery(real, from_released(noisy), slope)
    check(edge_chances, answers([(real, noisy, 2 * slope)], [chances], tolerance=1e-9))
empty = [-np.ones(2), np.array([0.5, -2.0]), -np.ones(3)]
check(edge_chances, answers([(PAIRS, empty, 0.3)], [lottery(PAIRS, from_released(empty), 0.15)], tolerance=1e-9))
large = [(a, b, 1e5 * table) for a, b, table in PAIRS]
check(edge_chances, answers([(large, RELEASED, 5.0)], [lottery(large, from_released(RELEASED), 2.5)], tolerance=1e-9))
### END HIDDEN TESTS


# %% tags=["wrong"]
def edge_chances(tables, singles, epsilon):
    total = max(0.0, np.mean([one.sum() for one in singles]))
    cut = [np.maximum(one, 0) for one in singles]
    parts = [one / one.sum() if one.any() else np.full(len(one), 1 / len(one)) for one in cut]

    def distances(parts):
        return np.array([np.abs(table - total * np.outer(parts[a], parts[b])).sum() for a, b, table in tables])

    def lottery(scores, slope=epsilon / 2):
        weights = np.exp(slope * (scores - scores.max()))
        return weights / weights.sum()

    scores = distances(parts)

    # WRONG the data's own margins | margins move with the record
    own = [np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum() for _, _, table in tables]
    return lottery(np.array([np.abs(table - one).sum() for (_, _, table), one in zip(tables, own, strict=True)]))

    # WRONG a sensitivity of 2 | twice the noise for nothing
    return lottery(scores, epsilon / 4)

    # WRONG the factor of a half forgotten | in opposite directions
    return lottery(scores, epsilon)

    # WRONG powers that overflow | NOT_FINITE
    with np.errstate(all="ignore"):
        weights = np.exp(epsilon * scores / 2)
        return weights / weights.sum()

    # WRONG fractions | counts, not fractions
    return lottery(scores / total)

    # WRONG the best pair | no lottery
    return 1.0 * (np.arange(len(scores)) == scores.argmax())

    # WRONG negative counts kept | cut the singles at 0
    return lottery(distances([one / one.sum() for one in singles]))


# %% [markdown]
# ## 2. Buy (4 points)
#
# *You learn* to set the noise of many tables by one zCDP budget. About 20 minutes, easy to medium.
#
# `records` is an array of 0 and 1, one row a record; `pairs` is a list of pairs of columns. Write
# `buy(records, pairs, rho, rng)`: the tables of all pairs, with fresh normal noise on every cell, so that all of them
# together are $\rho$-zCDP. The noise has one standard deviation for all cells, no larger than needed. Nothing is
# rounded or cut. There may be no records. Return one array with a row for each pair: the cells 00, 01, 10, 11, where
# the first digit is the pair's first column.


# %%
def buy(records, pairs, rho, rng):
    ### BEGIN SOLUTION
    cells = np.array([np.bincount(2 * records[:, a] + records[:, b], minlength=4) for a, b in pairs])
    scale = np.sqrt(len(pairs) / (2 * rho))  # one record moves one cell of each table: by sqrt(m) in L2
    return cells + rng.normal(scale=scale, size=cells.shape)
    ### END SOLUTION


# %% points=4
crowd = np.array([[0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1], [1, 0, 1], [0, 1, 0], [1, 1, 0]])
THREE = [(0, 1), (0, 2), (1, 2)]


CELLS = np.array([[1.0, 2, 1, 3], [2, 1, 2, 2], [1, 1, 3, 2]])  # of THREE
CELLS = np.array(mine(CELLS))
check(
    buy,
    normal_law(
        (crowd, mine(THREE), 0.08),
        CELLS,
        4.330127,
        scales={
            "that is the noise of one table: a record is in one cell of each": 2.5,
            "normal noise is paid for by the length of the move, sqrt(m), not by m": 7.5,
            "rho is (move / deviation) squared, halved: that is the variance, not the deviation": 18.75,
            "rho is no epsilon: the deviation goes with its root": 21.650635,
        },
    ),
    normal_law(
        (crowd, mine(THREE)[:1], 0.02),
        CELLS[:1],
        5.0,
        scales={
            "rho is (move / deviation) squared, halved: that is the variance, not the deviation": 25.0,
            "rho is no epsilon: the deviation goes with its root": 50.0,
        },
    ),
    repeatable((crowd, mine(THREE), 0.1), shape=(3, 4)),
)


### BEGIN HIDDEN TESTS
def bought(records, pairs, rho):
    counted = [[np.sum((records[:, a] == x) & (records[:, b] == y)) for x in (0, 1) for y in (0, 1)] for a, b in pairs]
    return normal_law((records, pairs, rho), np.array(counted, float), np.sqrt(len(pairs) / (2 * rho)))


for width, size in ((2, 40), (5, 300), (6, 1)):
    people = fresh.integers(0, 2, (size, width))
    some = [(a, b) for a in range(width) for b in range(a)][: int(fresh.integers(1, 6))]
    check(buy, bought(people, some, float(fresh.uniform(0.01, 0.4))))
check(buy, bought(np.zeros((0, 3), int), THREE, 0.05))
more = np.vstack([crowd, [[1, 0, 1]]])
pair = (crowd, THREE, 0.03), (more, THREE, 0.03)
check(buy, private(*pair, epsilon=0.68, shape=(3, 4), samples=4_000, delta=1e-3))
### END HIDDEN TESTS


# %% tags=["wrong"]
def buy(records, pairs, rho, rng):
    cells = np.array([np.bincount(2 * records[:, a] + records[:, b], minlength=4) for a, b in pairs])

    # WRONG the noise of one table | a record is in one cell of each
    return cells + rng.normal(scale=np.sqrt(1 / (2 * rho)), size=cells.shape)

    # WRONG no root | by the length of the move
    return cells + rng.normal(scale=len(pairs) / np.sqrt(2 * rho), size=cells.shape)

    # WRONG the variance | the variance, not the deviation
    return cells + rng.normal(scale=len(pairs) / (2 * rho), size=cells.shape)

    # WRONG rho as epsilon | the deviation goes with its root
    return cells + rng.normal(scale=np.sqrt(len(pairs)) / rho, size=cells.shape)

    # WRONG one noise | SHARED
    return cells + rng.normal(scale=np.sqrt(len(pairs) / (2 * rho)), size=4)

    # WRONG cut at zero | CUT
    return np.maximum(cells + rng.normal(scale=np.sqrt(len(pairs) / (2 * rho)), size=cells.shape), 0)


# %% [markdown]
# ## 3. Along the tree (4 points)
#
# *You learn* what a tree of pairs says of a whole record. About 25 minutes, medium.
#
# `tree` is a list of pairs of attributes that join all of them. In each pair but the first, the first attribute has already
# been joined and the second is new. `tables` has the pair's table of fractions, in the same order, and the tables agree on
# what they share. Write `record_chance(tables, tree, record)`: the chance of `record` (one value an attribute) in the
# distribution that has these tables and nothing else. A record that cannot come has chance 0.


# %%
def record_chance(tables, tree, record):
    ### BEGIN SOLUTION
    chance = tables[0][record[tree[0][0]], record[tree[0][1]]]
    for (a, b), table in zip(tree[1:], tables[1:], strict=True):
        below = table[record[a]].sum()  # of the attribute that is there already
        chance *= table[record[a], record[b]] / below if below > 0 else 0.0
    return chance
    ### END SOLUTION


# %% points=4
FIRST = np.array([[0.4, 0.1], [0.2, 0.3]])
NEXT = np.array([[0.3, 0.3], [0.1, 0.3]])
OTHER = np.array([[0.05, 0.35, 0.2], [0.1, 0.1, 0.2]])
HOLE = np.array([[0.0, 0.0], [0.6, 0.4]])
CHAIN, STAR = [(0, 1), (1, 2)], [(1, 0), (1, 2), (1, 3)]
ASKED = [([FIRST, NEXT], CHAIN, record) for record in ((0, 0, 0), (1, 1, 1), (0, 1, 0), (1, 0, 1))]
ASKED += [([FIRST.T, NEXT, OTHER], STAR, record) for record in ((0, 0, 1, 2), (1, 1, 0, 1), (1, 0, 0, 0))]
ASKED += [([HOLE, np.array([[0.5, 0.1], [0.3, 0.1]])], CHAIN, (1, 0, 1))]
EMPTY = [([HOLE.T, HOLE], [(0, 1), (1, 2)], (0, 0, 1))]


check(
    record_chance,
    answers(
        ASKED,
        [0.2, 0.225, 0.025, 0.1, 0.06666666667, 0.01875, 0.00833333333, 0.1],
        slips={
            "a fraction of all people for each pair: divide by what is already known": (
                [0.12, 0.09, 0.01, 0.06, 0.024, 0.003, 0.003, 0.06]
            ),
            "you divide by the attribute that is new: divide by the one that is already there": (
                [0.3, 0.15, 0.025, 0.1, 0.1, 0.01666666667, 0.05, 0.3]
            ),
            "as if the attributes were independent: a pair says more": (
                [0.12, 0.12, 0.08, 0.18, 0.072, 0.036, 0.018, 0.12]
            ),
        },
        tolerance=1e-9,
        variant=VARIANT,
    ),
    answers(EMPTY, [0.0]),
)
### BEGIN HIDDEN TESTS
for sizes, joined in (
    ((2, 3, 2, 5), [(0, 1), (1, 2), (2, 3)]),
    ((3, 2, 2, 2, 4), [(2, 0), (2, 1), (2, 3), (2, 4)]),
    ((2, 2, 3, 2, 2), [(3, 1), (1, 4), (3, 0), (4, 2)]),
):
    first = fresh.dirichlet(np.ones(sizes[joined[0][0]] * sizes[joined[0][1]]))
    known = [first.reshape(sizes[joined[0][0]], sizes[joined[0][1]])]
    margin = {joined[0][0]: known[0].sum(axis=1), joined[0][1]: known[0].sum(axis=0)}
    for a, b in joined[1:]:
        known.append(margin[a][:, None] * fresh.dirichlet(np.ones(sizes[b]), sizes[a]))
        margin[b] = known[-1].sum(axis=0)
    every = list(np.ndindex(*sizes))
    letters = [(np.array(table), pair) for table, pair in zip(known, joined, strict=True)]
    joint = np.ones(sizes)
    for place, (table, (a, b)) in enumerate(letters):
        factor = table if place == 0 else table / table.sum(axis=1, keepdims=True)
        inner = factor if a < b else factor.T
        joint = joint * inner.reshape([size if axis in (a, b) else 1 for axis, size in enumerate(sizes)])
    chosen = [every[int(place)] for place in fresh.permutation(len(every))[:40]]
    asked, wanted = [(known, joined, one) for one in chosen], [joint[one] for one in chosen]
    check(record_chance, answers(asked, wanted, tolerance=1e-9))
check(record_chance, answers(EMPTY, [0.0]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def record_chance(tables, tree, record):
    def along_the_tree(factor):
        chance = tables[0][record[tree[0][0]], record[tree[0][1]]]
        for (a, b), table in zip(tree[1:], tables[1:], strict=True):
            chance = chance * factor(table, record[a], record[b])
        return chance

    # WRONG no division | divide by what is already known
    return np.prod([table[record[a], record[b]] for (a, b), table in zip(tree, tables, strict=True)])

    # WRONG divided by the leaf | by the one that is already there
    return along_the_tree(lambda table, x, y: table[x, y] / (table[:, y].sum() or 1))

    # WRONG independent | a pair says more
    margins = {tree[0][0]: tables[0].sum(axis=1)}
    for (_, b), table in zip(tree, tables, strict=True):
        margins[b] = table.sum(axis=0)
    return np.prod([margins[a][record[a]] for a in margins])

    # WRONG 0 / 0 | NOT_FINITE
    with np.errstate(all="ignore"):
        return along_the_tree(lambda table, x, y: table[x, y] / np.asarray(table[x].sum()))

    # WRONG divided by the number of values | SOME_WRONG
    return along_the_tree(lambda table, x, y: table[x, y] * len(table))


# %% [markdown]
# ## 4. Whole records (4 points)
#
# *You learn* to round without a bias. About 30 minutes, medium to hard.
#
# A fitted table says how many people are expected in each cell: numbers with fractions, none below 0, whose sum is
# above 0. Write `whole_counts(table, number, rng)`: whole numbers, one a cell, that sum to `number`. A cell's part is
# `number` times its fraction of the table's sum. Each count must differ from its part by less than 1, and be
# *unbiased*: over many runs its mean is its part. `table` is an array of one dimension.


# %%
def whole_counts(table, number, rng):
    ### BEGIN SOLUTION
    ends = np.cumsum(table) * (number / np.sum(table))
    ends[-1] = number  # whatever rounding did to the sum
    return np.diff(np.minimum(np.floor(ends + rng.random()), number), prepend=0)  # one uniform number moves all ends
    ### END SOLUTION


# %% points=4
RUNS = 20_000


def unbiased(table, number):
    part = np.asarray(table, float) * number / np.sum(table)

    def requirement(draw):
        counts = draw([(np.asarray(table, float), number)], RUNS, part.shape)[0]
        if np.any(counts != np.round(counts)):
            return "a count of people is a whole number"
        if np.any(counts.sum(axis=1) != number):
            return "the counts must sum to the number asked, in every run"
        if np.any(np.abs(counts - part) >= 1 - 1e-9):
            return "a count is off by 1 or more: round each part up or down, no farther"
        if np.any(part % 1 > 1e-9) and not np.ptp(counts, axis=0).any():
            return "the same cells are rounded up each time: that is a bias, so let chance decide"
        limit = np.sqrt(np.log(2 * part.size / RISK) / (2 * RUNS))
        if np.any(np.abs(counts.mean(axis=0) - part) > limit):
            return "over many runs the mean of a count is not its part: a cell is rounded up with its fraction"
        return ""

    return requirement


check(
    whole_counts,
    unbiased(mine([3.3, 0.0, 1.3, 2.4]), 7),
    unbiased(mine([0.5, 0.9, 0.6]), 2),
    unbiased([1.0, 1.0, 2.0], 10),
    repeatable((np.array(mine([0.5, 0.9, 0.6])), 2), shape=(3,)),
)
### BEGIN HIDDEN TESTS
from dpbook.check import divergence


def seldom(table, parts):
    """Each of these parts, none above 1 by much, is rounded up with its fraction: by Chernoff's bound."""

    def requirement(draw):
        up = np.clip(draw([(table, 2)], RUNS, parts.shape)[0].mean(axis=0) - np.floor(parts), 0, 1)
        wrong = np.any(RUNS * divergence(up, parts % 1) > np.log(2 * parts.size / RISK))
        return "a cell is rounded up with its fraction, also where that is small" if wrong else ""

    return requirement


for cells in (2, 4, 9):
    table = fresh.exponential(size=cells) * (fresh.random(cells) < 0.9) + 0.01
    check(whole_counts, unbiased(table, int(fresh.integers(1, 40))))
check(whole_counts, unbiased([2.0, 3.0, 5.0], 20))
check(whole_counts, unbiased([0.2, 0.7], 0))
few = np.array([fresh.uniform(0.003, 0.005), 0.4, 0.6, 1.0])  # hardly anybody in a cell
check(whole_counts, seldom(few, few / few.sum() * 2))
### END HIDDEN TESTS


# %% tags=["wrong"]
def whole_counts(table, number, rng):
    parts = table * (number / table.sum())
    counts = np.floor(parts + 1e-12)
    left, rest = np.maximum(parts - counts, 0), round(number - counts.sum())

    # WRONG rounded to the nearest | sum to the number asked
    return np.round(parts)

    # WRONG drawn one by one | off by 1 or more
    return rng.multinomial(number, table / table.sum())

    # WRONG the largest remainders win | that is a bias
    counts[np.argsort(-left, kind="stable")[:rest]] += 1
    return counts

    # WRONG chosen by their fractions | rounded up with its fraction
    if rest:
        counts[rng.choice(len(left), size=rest, replace=False, p=left / left.sum())] += 1
    return counts

    # WRONG any cell is rounded up | off by 1 or more
    counts[rng.choice(len(parts), size=rest, replace=False)] += 1
    return counts

    # WRONG fractions kept | a whole number
    return parts


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* what synthetic records cannot show. About 25 minutes, medium to hard.
#
# A hospital publishes 10,000 synthetic records. Its report says: "No synthetic record is closer than two answers to a patient,
# so the release is private. From the records the rate of complication in ward 7 (30 patients) is 12% ± 4%. Should this be
# too inexact, we shall raise $\varepsilon$ from 1 to 10." In three to seven sentences: what is wrong with each of the three claims?

# %% [markdown] name="explain_report" points=3
# ### BEGIN SOLUTION
# Distance describes one output, and privacy compares the outputs of two datasets. A generator that keeps away from every
# patient leaves a hole around each. An attacker who finds the hole knows that somebody is there. Without that patient the hole would
# be filled with high probability, and with the patient it never is, so the loss is infinite. The interval treats drawn records
# as if they were patients. It counts the error of drawing 10,000 records, and leaves out that the model was estimated from 30
# patients, with noise. So it covers far too seldom, however many records are drawn. For a small ward most of the error is the
# model's bias. If no bought table contains the ward and the complication together, the model answers from what the ward has
# in common with the others. No epsilon takes that away; buying a table that contains both does.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each. (a) Keeping a distance is itself a function of the data, so holes show who is there. Accept: the distance of
# one output says nothing about neighbours. (b) Synthetic records are not a sample of patients. The interval leaves out the
# noise, or the sampling of true patients. (c) In small groups the model's bias dominates. Epsilon does not
# change it. Accept: no bought table holds this ward. No point for "epsilon 10 is not private" alone.
# ### END MARK SCHEME
