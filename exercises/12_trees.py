# %% [markdown]
# # Assignment 12: Decision trees from private counts
#
# Five tasks, 18 points. You need chapter 12, *Decision trees from private counts*.
#
# A *table* of a question is an array (answers, classes): how many records there are of each answer and class. All data here
# are invented. Yours may differ from those of others. The relation is add/remove unless a task says otherwise.

# %% tags=["setup"]
from functools import partial

import numpy as np

from dpbook.check import answers, check, discrete_law, own_order, private, repeatable
from dpbook.trees import gini_score, information_score, majority_score

VARIANT = 0  # of 6
UNIT = 1 + VARIANT / 2  # of your own numbers
mine = partial(own_order, variant=VARIANT)

# %% [markdown]
# ## 1. Which way does it move? (3 points)
#
# *You learn* what one record does to the three scores of a split. About 20 minutes, easy.
#
# A record joins the table `counts`, in row `answer` and column `label`. Write `score_moves(counts, answer, label)`:
# three numbers, by how much this changes (new minus old)
#
# 1. the majority score $\sum_j \max_c t_{jc}$,
# 2. the Gini score $-\sum_j t_j (1 - \sum_c (t_{jc}/t_j)^2)$,
# 3. the information score $\sum_{jc} t_{jc} \log_2 (t_{jc} / t_j)$.
#
# Here $t_{jc}$ is the count in row $j$ and column $c$, and $t_j$ is the sum of row $j$. A row without records adds 0 to
# each score, and a cell without records adds 0 to the third.


# %%
def score_moves(counts, answer, label):
    ### BEGIN SOLUTION
    def scores(table):
        totals = table.sum(axis=1, keepdims=True)
        shares = table / np.maximum(totals, 1)
        logs = np.log2(np.where(shares > 0, shares, 1))
        return np.array([table.max(axis=1).sum(), (table * shares).sum() - table.sum(), (table * logs).sum()])

    more = counts + 0
    more[answer, label] += 1
    return scores(more) - scores(counts)
    ### END SOLUTION


# %% points=3
small_table, wide_table = np.array([[6, 0], [2, 5]]), np.array([[3, 1, 0], [0, 0, 0], [4, 4, 2], [0, 7, 0]])
joins = [(small_table, 0, 1), (small_table, 1, 1), (wide_table, 3, 0), (wide_table, 2, 2), (wide_table, 0, 1)]
right_moves = [[0, -1.71428571, -4.14170945], [1, -0.14285714, -0.44838102], [0, -1.75, -4.34851555]]
right_moves = np.array([*right_moves, [0, -0.87272727, -2.07957935], [0, -0.9, -1.60964047]])
check(
    score_moves,
    answers(
        joins,
        right_moves,
        slips={
            "new minus old is asked: yours has the other sign": -right_moves,
            "an impurity alone is not the score: it is counted in records, not divided by them": [
                [0, -0.10675039, -0.26263944],
                [1, 0.00549451, 0.00116973],
                [0, -0.06244589, -0.15769358],
                [0, -0.02256985, -0.05456011],
                [0, -0.02380952, -0.03319926],
            ],
            "the third score is in bits: its logarithm has base 2": right_moves * [1, 1, np.log(2)],
            "each answer has a majority of its own: add them up": np.column_stack(
                [[0, 0, 0, 0, 1], right_moves[:, 1:]]
            ),
            "rows are answers and columns are classes: you have them the other way round": [
                [0, -1.66666667, -3.90013453],
                [1, 0, 0],
                [0, -1.32142857, -4.34851555],
                [1, 0, 0],
                [0, -1.19230769, -3.08616633],
            ],
        },
        variant=VARIANT,
    ),
)


### BEGIN HIDDEN TESTS
def with_one(table, answer, label):
    return table + np.outer(np.arange(len(table)) == answer, np.arange(len(table[0])) == label)


def true_scores(table):
    return np.array([score(table) for score in (majority_score, gini_score, information_score)])


asked = []
for rows, columns, most in ((2, 2, 4), (3, 2, 40), (5, 4, 3), (2, 6, 900), (7, 2, 1)):
    for _ in range(6):
        table = fresh.integers(0, most + 1, (rows, columns)) * (fresh.random((rows, columns)) < 0.7)
        asked.append((table, int(fresh.integers(rows)), int(fresh.integers(columns))))
check(score_moves, answers(asked, [true_scores(with_one(*one)) - true_scores(one[0]) for one in asked], tolerance=1e-5))
### END HIDDEN TESTS


# %% tags=["wrong"]
def score_moves(counts, answer, label):
    more = counts.copy()
    more[answer, label] += 1

    def scores(table, log=np.log2):
        totals = table.sum(axis=1, keepdims=True)
        shares = table / np.maximum(totals, 1)
        logs = log(np.where(shares > 0, shares, 1))
        return np.array([table.max(axis=1).sum(), (table * shares).sum() - table.sum(), (table * logs).sum()])

    # WRONG old minus new | yours has the other sign
    return scores(counts) - scores(more)

    # WRONG impurities divided by the records | counted in records, not divided by them
    divided = [scores(table) / [1, table.sum(), table.sum()] for table in (more, counts)]
    return divided[0] - divided[1]

    # WRONG natural logarithms | its logarithm has base 2
    return scores(more, np.log) - scores(counts, np.log)

    # WRONG one majority for all | each answer has a majority of its own
    moves = scores(more) - scores(counts)
    moves[0] = more.sum(axis=0).max() - counts.sum(axis=0).max()
    return moves

    # WRONG classes down, answers across | you have them the other way round
    return scores(more.T) - scores(counts.T)

    # WRONG empty rows divided by zero | NOT_FINITE
    def careless(table):
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = table / table.sum(axis=1, keepdims=True)
            logs = np.log2(shares)
            return np.array([table.max(axis=1).sum(), (table * shares).sum() - table.sum(), (table * logs).sum()])

    return careless(more) - careless(counts)


# %% [markdown]
# ## 2. Choose a question (5 points)
#
# *You learn* to call the exponential mechanism without waste. About 30 minutes, medium.
#
# `tables` is an array (questions, answers, classes): the tables of several questions about the same records. Write
# `choose_question(tables, epsilon, rng)`: the number (from 0) of one question, drawn with $\varepsilon$-DP by the
# exponential mechanism with the Gini score of task 1. Its sensitivity is 2, and the chapter proves something more
# about it: use that, and make the choice as sharp as the guarantee allows. Some rows may have no records, and there may
# be none at all.

# %% tags=["setup"]
clinic = np.array([[[9, 2], [3, 8]], [[7, 4], [5, 6]], [[12, 9], [0, 1]], [[6, 5], [6, 5]]])
clinic = np.array(mine(clinic))


# %%
def choose_question(tables, epsilon, rng):
    ### BEGIN SOLUTION
    totals = tables.sum(axis=2)
    score = ((tables**2).sum(axis=2) / np.maximum(totals, 1) - totals).sum(axis=1)
    # A record that joins lowers every score, or leaves it: the moves go one way, so no 2 beside the sensitivity.
    weights = np.exp(epsilon * (score - score.max()) / 2)
    return rng.choice(len(score), p=weights / weights.sum())
    ### END SOLUTION


# %% points=5
check(
    choose_question,
    discrete_law(
        (clinic, 0.8),
        np.arange(4),
        mine([0.518414, 0.161926, 0.179654, 0.140006]),
        slips={
            "private, but half of epsilon is wasted: the scores all move one way": mine(
                [0.374919, 0.209535, 0.220708, 0.194838]
            ),
            "too sharp: one record moves the Gini score by nearly 2, not by 1": mine(
                [0.774839, 0.075594, 0.093054, 0.056513]
            ),
            "the worst question is the likeliest: a high score is good": mine([0.092679, 0.296715, 0.267435, 0.343171]),
            "the score is counted in records: yours is divided by their number": mine(
                [0.260167, 0.246764, 0.247932, 0.245137]
            ),
            "your draws fit the majority score: the Gini score is asked for": mine(
                [0.649718, 0.131176, 0.131176, 0.08793]
            ),
            "that is the law of a blind choice, or nearly: the data play no part, or hardly any": np.full(4, 0.25),
        },
    ),
    discrete_law((np.array([[[9, 2], [3, 8]], [[7, 4], [5, 6]]]), 3.0), [0, 1], [0.987428, 0.012572]),
    repeatable((clinic, 0.8)),
    private((clinic, 1.0), (clinic + np.array([[0, 1], [0, 0]]), 1.0), epsilon=1.0, samples=4000),
)
### BEGIN HIDDEN TESTS
from dpbook.check import all_private


def choices(tables, epsilon, samples):
    """The exact law of the choice, by 1 / 2 for the sensitivity and no further 2."""
    score = epsilon / 2 * gini_score(tables)
    return discrete_law(
        (tables, epsilon), np.arange(len(tables)), np.exp(score - np.logaddexp.reduce(score)), None, samples
    )


pairs = []
shapes = np.column_stack([fresh.integers([2, 80, 2, 3], [5, 130, 6, 20]), fresh.integers(2, 6, (4, 2))])
shapes[1, 1:] = 2  # of many questions: a loop over all cells takes its time
for (questions, rows, columns), most in zip(shapes, fresh.integers([5, 40, 3, 2000], [20, 100, 6, 6000]), strict=True):
    people = fresh.integers(0, rows, (most, questions))
    classes_of = fresh.integers(0, columns, most)
    some = np.zeros((questions, rows, columns), dtype=int)
    for question in range(questions):
        np.add.at(some[question], (people[:, question], classes_of), 1)
    width = max(np.ptp(gini_score(some)), 1e-3)
    slope, drawn = (fresh.uniform(1, 4), 5000) if questions < 80 else (fresh.uniform(0.5, 1), 8000)  # the best is rare
    check(choose_question, choices(some, float(slope / width), drawn))
    near = some.copy()
    near[np.arange(questions), fresh.integers(0, rows, questions), 0] += 1
    pairs.append(((some, 1.0), (near, 1.0), 1.0))
check(choose_question, choices(clinic * 0, 1.0, 5000))
half = int(fresh.integers(1000, 3000))
sharp = fresh.permutation([[[2 * half, 0], [0, 2 * half]], [[half, half], [half, half]]])
check(choose_question, choices(sharp, fresh.uniform(1, 4), 300))
check(choose_question, all_private(pairs, samples=2000))
### END HIDDEN TESTS


# %% tags=["wrong"]
def choose_question(tables, epsilon, rng):
    totals = tables.sum(axis=2)
    score = ((tables**2).sum(axis=2) / np.maximum(totals, 1) - totals).sum(axis=1)

    def drawn(score, slope=epsilon / 2, rng=rng):
        weights = np.exp(slope * (score - score.max()))
        return rng.choice(len(score), p=weights / weights.sum())

    # WRONG the 2 of the general mechanism | half of epsilon is wasted
    return drawn(score, epsilon / 4)

    # WRONG sensitivity 1 | moves the Gini score by nearly 2
    return drawn(score, epsilon)

    # WRONG the impurity preferred | the worst question is the likeliest
    return drawn(-score)

    # WRONG divided by the number of records | yours is divided by their number
    return drawn(score / max(tables[0].sum(), 1))

    # WRONG the majority score | your draws fit the majority score
    return drawn(tables.max(axis=2).sum(axis=1))

    # WRONG the best question, always | NOT_DRAWN
    return int(np.argmax(score))

    # WRONG weights that overflow where scores lie far apart | with other data, which you have not seen
    with np.errstate(all="ignore"):
        weights = np.exp(epsilon * (score - score.min()) / 2)
        return rng.choice(len(score), p=weights / weights.sum())

    # WRONG a generator of its own | NOT_FROM_RNG
    return drawn(score, rng=np.random.default_rng())


# %% [markdown]
# ## 3. What a tree costs (3 points)
#
# *You learn* to add up a budget down the paths of a tree. About 15 minutes, easy to medium.
#
# A tree has been grown. Node $i$ has the parent `parents[i]` (-1 for the root; a parent stands before its children).
# Everything that was released about the records *in* node $i$ is together `spent[i]`-DP. Which records a node holds
# follows from what was released above it. Write `tree_epsilon(parents, spent)`: the smallest $\varepsilon$ for which
# these numbers show that the whole release is $\varepsilon$-DP under add/remove.


# %%
def tree_epsilon(parents, spent):
    ### BEGIN SOLUTION
    down_to = np.zeros(len(parents))  # what a record has met when it is in a node
    for node, parent in enumerate(parents):
        down_to[node] = spent[node] + (down_to[parent] if parent >= 0 else 0)
    return down_to.max()
    ### END SOLUTION


# %% points=3
grown = [
    (np.array([-1, 0, 0]), np.array([0.5, 0.25, 0.375])),
    (np.array([-1, 0, 0, 1, 1, 2]), np.array([0.2, 0.4, 0.1, 0.05, 0.1, 0.3])),
    (np.array([-1, 0, 0, 0, 2, 2, 5]), np.array([0.1, 0.9, 0.2, 0.3, 0.1, 0.2, 0.1])),
    (np.array([-1]), np.array([0.7])),
]
grown = [(parents, UNIT * spent) for parents, spent in grown]


check(
    tree_epsilon,
    answers(
        grown,
        [0.875, 0.7, 1, 0.7],
        slips={
            "a record is not in every node: siblings hold different records": [1.125, 1.15, 1.9, 0.7],
            "a record is in more than one node: it meets all those on its way down": [0.5, 0.4, 0.9, 0.7],
            "safe, but not the least: the dearest nodes of two levels need not lie on one path": [0.875, 0.9, 1.3, 0.7],
            "the longest path need not be the dearest": [0.75, 0.65, 0.6, 0.7],
            "the leaves alone are not all: what was released above them counts as well": [0.375, 0.3, 0.9, 0.7],
            "that is the guarantee under replace: two paths": [1.75, 1.4, 2, 1.4],
        },
        unit=UNIT,
    ),
)
### BEGIN HIDDEN TESTS
others = []
for nodes in (1, 2, 7, 30, 200, 200):
    parents = np.array([-1, *(int(fresh.integers(node)) for node in range(1, nodes))])
    others.append((parents, fresh.uniform(0.01, 1.0, nodes)))
dearest = []
for parents, own in others:
    met = []
    for parent, cost in zip(parents, own, strict=True):
        met.append(cost + (met[parent] if parent >= 0 else 0))
    dearest.append(max(met))
check(tree_epsilon, answers(others, dearest))
### END HIDDEN TESTS


# %% tags=["wrong"]
def tree_epsilon(parents, spent):
    level, met = np.zeros(len(parents), dtype=int), np.zeros(len(parents))
    for node, parent in enumerate(parents):
        level[node] = 0 if parent < 0 else level[parent] + 1
        met[node] = spent[node] + (0 if parent < 0 else met[parent])

    # WRONG all nodes added | siblings hold different records
    return spent.sum()

    # WRONG the dearest node | it meets all those on its way down
    return spent.max()

    # WRONG the dearest node of each level | need not lie on one path
    return sum(spent[level == one].max() for one in range(level.max() + 1))

    # WRONG the longest path | the longest path need not be the dearest
    return met[np.argmax(level)]

    # WRONG the leaves alone | what was released above them counts as well
    return max(spent[node] for node in range(len(parents)) if node not in parents)

    # WRONG two paths | that is the guarantee under replace
    return 2 * met.max()


# %% [markdown]
# ## 4. Break it under replace (4 points)
#
# *You learn* why the factor 2 is there at all. About 30 minutes, hard.
#
# Somebody chooses one of two yes-or-no questions with weights $e^{\varepsilon q}$, where $q$ is the majority score of a
# question. ("One record moves all scores the same way, so no 2 is needed.") The claim is $\varepsilon$-DP under
# **replace**. Write `counterexample(epsilon)`: an array of whole numbers of shape (2, 2, 2, 2). That is two datasets,
# each with the tables (answer, class) of two questions, such that
#
# - in each dataset, both questions are about the same records: their tables have the same number of records of each class;
# - the two datasets are neighbours: *one* record changes, in its answers, its class, or both;
# - the privacy loss of the choice between them is more than $1.9\,\varepsilon$.
#
# No count may exceed 10,000. $\varepsilon$ lies between 0.05 and 2.

# %% tags=["setup"]
from dpbook.check import Unusable


def one_replaced(before, after):
    """Whether each question's table loses one record and gains one, of the same classes for both questions."""
    moves = after - before
    lost, gained = np.maximum(-moves, 0), np.maximum(moves, 0)
    if not (lost.sum(axis=(1, 2)) <= 1).all() or not (gained.sum(axis=(1, 2)) <= 1).all():
        return False
    classes = [set(np.nonzero(table)[1]) for table in moves]
    return np.array_equal(*moves.sum(axis=1)) and (classes[0] == classes[1] or not all(classes))


def breaks_under_replace(epsilons):
    """The answer must break the guarantee of the choice by majority for each of these."""

    def requirement(draw):
        for epsilon in epsilons:
            both = draw([(epsilon,)], shape=(2, 2, 2, 2))[0, 0]
            if both.min() < 0 or both.max() > 10_000 or np.any(both != np.round(both)):
                raise Unusable("counts must be whole numbers from 0 to 10,000")
            by_class = both.sum(axis=2)
            if not np.array_equal(by_class[:, 0], by_class[:, 1]):
                return "the two questions of a dataset are not about the same records: count each class in both tables"
            if abs(by_class[0, 0].sum() - by_class[1, 0].sum()) == 1:
                return "these are neighbours under add/remove: under replace the number of records stays"
            if not one_replaced(*both):
                return "more than one record changes between the two datasets"
            score = both.max(axis=3).sum(axis=2) * epsilon
            logs = score - np.logaddexp(score[:, 0], score[:, 1])[:, None]
            lost = np.abs(logs[0] - logs[1]).max() / epsilon
            if lost <= 1e-12:
                return "the choice loses nothing between these two: no score moves, or both move alike"
            if lost <= 1.0 + 1e-9:
                return f"the choice loses {lost:.3g} epsilon here, which is within the guarantee"
            if lost <= 1.9:
                return (
                    f"a loss of {lost:.3g} epsilon breaks the guarantee, but more is asked: how likely is the outcome?"
                )
        return ""

    return requirement


# %%
def counterexample(epsilon):
    ### BEGIN SOLUTION
    # A person of class 0 changes both answers: in the first question from a minority into a majority (+1), in the second from
    # a majority into a minority (-1). The first question is far worse than the second, so its probability grows by e^(2 eps).
    gap = 1000
    before = np.array([[[gap, gap + 9], [9, 0]], [[gap + 9, 0], [0, gap + 9]]])
    after = before + np.array([[[-1, 0], [1, 0]], [[-1, 0], [1, 0]]])
    return np.array([before, after])
    ### END SOLUTION


# %% points=4
check(counterexample, breaks_under_replace([1.0, 0.1 * UNIT]))
### BEGIN HIDDEN TESTS
check(counterexample, breaks_under_replace([0.05, 2.0, *fresh.uniform(0.05, 2.0, 4).tolist()]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def counterexample(epsilon):
    def moved(before, moves):
        """The two tables of a dataset, and what becomes of them."""
        return np.array([before, before + np.array(moves)])

    # WRONG a record more | these are neighbours under add/remove
    return moved([[[50, 60], [9, 0]], [[59, 0], [0, 60]]], [[[0, 0], [1, 0]], [[0, 0], [1, 0]]])

    # WRONG both scores alike | no score moves, or both move alike
    return moved([[[60, 50], [9, 0]], [[60, 50], [9, 0]]], [[[-1, 1], [0, 0]], [[-1, 1], [0, 0]]])

    # WRONG only one score moves | which is within the guarantee
    return moved([[[1000, 1009], [9, 0]], [[1009, 0], [0, 1009]]], [[[-1, 0], [1, 0]], [[0, 0], [0, 0]]])

    # WRONG two questions of the same worth | how likely is the outcome
    return moved([[[50, 60], [60, 0]], [[60, 0], [50, 60]]], [[[-1, 0], [1, 0]], [[-1, 0], [1, 0]]])

    # WRONG other records in each table | not about the same records
    return moved([[[50, 60], [9, 0]], [[1000, 0], [0, 60]]], [[[-1, 0], [1, 0]], [[-1, 0], [1, 0]]])

    # WRONG another person for each question | more than one record changes
    return moved([[[1000, 1009], [9, 0]], [[1009, 0], [0, 1009]]], [[[-1, 0], [1, 0]], [[0, 1], [0, -1]]])

    # WRONG a hundred people change | more than one record changes
    return moved([[[1000, 1109], [109, 0]], [[1109, 0], [0, 1109]]], [[[-100, 0], [100, 0]], [[-100, 0], [100, 0]]])


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* to tell a false lemma from a false promise. About 20 minutes, medium.
#
# PrivPfC chooses a grid with weights $e^{-q\,\varepsilon/2}$, where $q$ is the number of errors that its noisy
# histogram is expected to make. Ada says: "$q$ counts errors, so one record moves it by at most 1, and the choice is
# $\varepsilon$-DP." Ben says: "One record can move it by 1.0889. So Ada's proof is wrong, and the choice is not
# $\varepsilon$-DP." Answer in three to five sentences. What is right and what is wrong in what each of them says? What
# decides whether the choice is $\varepsilon$-DP?

# %% [markdown] name="explain_spread" points=3
# ### BEGIN SOLUTION
# Ada's lemma is false, because an expected number of errors is not a count. A record that joins the smaller class of a
# cell makes one more error certain. It also narrows the gap, so that the noise flips the cell more often; together that
# is up to 1.0889. So Ben is right about her proof, and wrong about privacy: a wrong proof is no counterexample. In the
# weights, what all grids have in common cancels. The loss is at most epsilon/2 times the difference between the largest
# and the smallest move of a grid. Moves lie between -0.0889 and 1.0889, so that this difference is at most 1.1778 and
# the loss at most 0.589 epsilon. The printed weights are private with room to spare, and weights with 1.1778 instead of
# the 2 are epsilon-DP.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each:
#
# - (a) Ada: the sensitivity is not 1, with the reason. (The gap gets narrower; or a larger gap is safer, so that the
#   expected errors move by more than the count.)
# - (b) Ben: a sensitivity above 1 does not by itself break privacy; a failed proof is no loss shown.
# - (c) What decides is the difference of the moves of two grids, here at most 1.1778, which is below 2. (Accept:
#   common moves cancel, or "almost one-way".)
#
# No point (c) for "the 2 covers it" alone, without saying what is compared with the 2.
# ### END MARK SCHEME
