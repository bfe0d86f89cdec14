# %% [markdown]
# # Assignment 10: Clusters with noise
#
# Five tasks, 18 points. You need chapter 10, *Clustering*.
#
# All data here are invented. Yours may differ from those of others. The relation is add/remove unless a task says
# otherwise.

# %% tags=["setup"]
from functools import partial

import numpy as np

from dpbook.check import answers, check, laplace_law, own_order, private, repeatable
from dpbook.laplace import laplace_mechanism

VARIANT = 0  # of 6
UNIT = 1 + VARIANT / 2  # of your own numbers
mine = partial(own_order, variant=VARIANT)

# %% [markdown]
# ## 1. How far one record moves them (3 points)
#
# *You learn* to count what a record moves in a round, in all rounds, and in averages. About 20 minutes, easy to medium.
#
# Points have `d` coordinates, each from $-r$ to $r$. k-means runs for `t` rounds, with `k` centroids (2 or more). In
# each round every point belongs to the cluster of its nearest centroid; these centroids are public. A round publishes,
# for each of the `k` clusters, the sum of each coordinate and the count. Another program, GkM, deals the records into
# `m` blocks and takes `k` centroids from each block. It publishes the averages over the blocks: `k` times `d` numbers.
#
# Write `sensitivities(d, r, t, k, m)`; it returns four L1 sensitivities in a list:
#
# - of one round, add/remove;
# - of all `t` rounds together, add/remove;
# - of one round, if a record is *replaced* by another;
# - of GkM's averages, if the centroids of one record's block may change to any others in the box.


# %%
def sensitivities(d, r, t, k, m):
    ### BEGIN SOLUTION
    one = d * r + 1  # a record adds its coordinates to one cluster's sums, and 1 to its count
    return [one, t * one, 2 * one, 2 * r * k * d / m]
    ### END SOLUTION


# %% points=3
ASKED = [(2, UNIT, 5, 3, 40), (1, UNIT, 1, 2, 7), (7, UNIT / 2, 3, 4, 100), (3, 10 * UNIT, 20, 8, 251)]
D, R, T, K, M = np.array(ASKED).T
ONE = D * R + 1
RIGHT = np.column_stack([ONE, T * ONE, 2 * ONE, 2 * R * K * D / M])


def instead(places, values):
    """The right answers with other columns in some places."""
    table = RIGHT.copy()
    table[:, places] = np.reshape(values, (len(RIGHT), -1))
    return table


check(
    sensitivities,
    answers(
        ASKED,
        RIGHT,
        slips={
            "a record is in the sums, and also in a count": instead(
                [0, 1, 2], np.column_stack([D * R, T * D * R, 2 * D * R])
            ),
            "each round asks the data again: t rounds move by t times as much": instead([1], ONE),
            "a replaced record leaves one cluster and enters another: two rows change": instead([2], ONE),
            "one block moves all the coordinates of its centroids; as printed in the book, d is forgotten": instead(
                [3], 2 * R * K / M
            ),
            "one block gives k centroids, and all of them may move": instead([3], 2 * R * D / M),
            "from -r to r is a way of 2 r": instead([3], R * K * D / M),
            "a replaced record may change its count's cluster too: the 1 is there twice": instead([2], 2 * D * R),
            "an average over m blocks moves by one block's share": instead([3], 2 * R * K * D),
        },
    ),
)
### BEGIN HIDDEN TESTS
others = [
    (int(fresh.integers(1, 20)), float(fresh.uniform(0.1, 30)), int(fresh.integers(1, 90)), int(fresh.integers(2, 30)),
     int(fresh.integers(1, 900)))
    for _ in range(30)
]  # fmt: skip
truths = [[d * r + 1, t * (d * r + 1), 2 * (d * r + 1), 2 * r * k * d / m] for d, r, t, k, m in others]
check(sensitivities, answers(others, truths))
### END HIDDEN TESTS


# %% tags=["wrong"]
def sensitivities(d, r, t, k, m):
    # WRONG the count forgotten | and also in a count
    return [d * r, t * d * r, 2 * d * r, 2 * r * k * d / m]

    # WRONG once for all rounds | each round asks the data again
    return [d * r + 1, d * r + 1, 2 * (d * r + 1), 2 * r * k * d / m]

    # WRONG the same under replace | leaves one cluster and enters another
    return [d * r + 1, t * (d * r + 1), d * r + 1, 2 * r * k * d / m]

    # WRONG the printed scale | d is forgotten
    return [d * r + 1, t * (d * r + 1), 2 * (d * r + 1), 2 * r * k / m]

    # WRONG one centroid a block | one block gives k centroids
    return [d * r + 1, t * (d * r + 1), 2 * (d * r + 1), 2 * r * d / m]

    # WRONG half the range | a way of 2 r
    return [d * r + 1, t * (d * r + 1), 2 * (d * r + 1), r * k * d / m]

    # WRONG a replaced record stays in its cluster | the 1 is there twice
    return [d * r + 1, t * (d * r + 1), 2 * d * r, 2 * r * k * d / m]

    # WRONG the blocks not averaged | moves by one block's share
    return [d * r + 1, t * (d * r + 1), 2 * (d * r + 1), 2 * r * k * d]


# %% [markdown]
# ## 2. One noisy round (5 points)
#
# *You learn* to release sums and counts of clusters with one noise for all. About 30 minutes, medium.
#
# Write `noisy_totals(points, centroids, rounds, epsilon, rng)`: the table that *one* of `rounds` rounds of DPLloyd
# publishes, with `k` rows of `d` sums and, last, a count. All rounds together are $\varepsilon$-DP, and each gets an
# equal part of $\varepsilon$. `points` is an array (n, d) in the unit box $[-1,1]^d$, `centroids` (k, d) is public. A
# point belongs to its nearest centroid. Every number gets fresh Laplace noise, of one scale for all, no larger than
# needed. Nothing is rounded or cut, and no quotient is formed yet.

# %% tags=["setup"]
people = np.repeat(
    [[-0.7, -0.55], [-0.7, 0.1], [-0.6, -0.4], [0.3, 0.9], [0.8, -0.2], [0.7, 0.5], [0.07, -0.06], [-0.2, -0.7]],
    5,
    axis=0,
)
people = np.roll(people, VARIANT, axis=0)
starts = np.array([[-0.4, -0.3], [0.55, 0.2], [-0.9, 0.95]])  # nobody is nearest to the last


# %%
def noisy_totals(points, centroids, rounds, epsilon, rng):
    ### BEGIN SOLUTION
    distances = np.linalg.norm(points[:, None] - centroids, axis=2)
    member = np.argmin(distances, axis=1)[:, None] == np.arange(len(centroids))
    table = np.column_stack([member.T @ points, member.sum(axis=0)])
    # In the unit box a record adds at most d to the sums of one cluster and 1 to its count.
    return laplace_mechanism(table, (points.shape[1] + 1) * rounds, epsilon, rng)
    ### END SOLUTION


# %% points=5
TABLE = np.array([[-10.65, -8.05, 25], [9, 6, 15], [0, 0, 0]])
MEANS = np.array([[-0.426, -0.322, 25], [0.6, 0.4, 15], [0, 0, 0]])


def own_noise(draw):
    """Twenty releases show whether a row has no noise, or one noise for all its numbers."""
    noise = draw([(people, starts, 5, 2.0)], 20, (3, 3))[0] - TABLE
    still = np.all(np.abs(noise) < 1e-9, axis=0)
    if still.any() and not still.all():
        return "some numbers come without noise: whether a cluster is empty is a fact about somebody too"
    if not still.any() and np.ptp(noise, axis=2).max() < 1e-9:
        return "a row has one noise for all its numbers: their differences are published exactly"
    return ""


check(
    noisy_totals,
    own_noise,
    laplace_law(
        (people, starts, 5),
        truth=TABLE,
        sensitivity=15,
        epsilon=10.0,
        centres={
            "these clusters are made of the points that are *farthest* from a centroid: an inequality is reversed": (
                [[1.5, 4.5, 5], [-3.5, 0.5, 5], [0.35, -7.05, 30]]
            ),
            "a centroid moved before the next cluster was made: a record can be counted in several": (
                [[-10.65, -8.05, 25], [9.35, 5.7, 20], [0, 0, 0]]
            ),
            "sums are asked for, not means: the sensitivity of a mean hangs on a secret count": MEANS,
            "the count comes last in a row": np.roll(TABLE, 1, axis=1),
        },
        sensitivities={
            "this is all of epsilon for one round: there are more, and each costs": 3,
            "a record moves d sums, and a count as well": 10,
            "the sums alone have d numbers: what is the noise of one number worth if all d + 1 move?": 5,
            "this noise is for neighbours who *replace* a record; here one is added or removed": 30,
            "the noise follows the largest record in the data: that is secret, the box is public": 11.25,
            "a record is in one cluster, not in all of them": 45,
        },
        samples=5000,
    ),
    repeatable((people, starts, 5, 2.0), (3, 3)),
    private(
        (people, starts, 1, 1.0),
        (np.vstack([people, [1.0, 1.0]]), starts, 1, 1.0),
        epsilon=1.0,
        shape=(3, 3),
        samples=5000,
        additive=True,
    ),
)


### BEGIN HIDDEN TESTS
def totals_of(points, centroids):
    chosen = np.linalg.norm(points[:, None] - centroids, axis=2).argmin(axis=1)
    rows = [[*points[chosen == j].sum(axis=0), np.sum(chosen == j)] for j in range(len(centroids))]
    return np.array(rows, dtype=float)


promises = fresh.permutation([0.05, 0.8, 4.0, 20.0]) * fresh.uniform(0.75, 1.0, 4)
shapes = [(1, 1, 2), (6, 1, 4), (300, 2, 5), (25, 5, 3)]
for (size, width, many), promise in zip(shapes, promises, strict=True):
    crowd, places = fresh.uniform(-1, 1, (size, width)), fresh.uniform(-1, 1, (many, width))
    rounds = int(fresh.integers(1, 9))
    truth = totals_of(crowd, places)
    drawn = 800 if size == 300 else 2000  # a loop over many points takes its time
    check(noisy_totals, laplace_law((crowd, places, rounds), truth, rounds * (width + 1.0), promise, samples=drawn))
crowd, places = fresh.uniform(-1, 1, (30, 2)), fresh.uniform(-1, 1, (3, 2))
joined = np.vstack([crowd, fresh.choice([-1.0, 1.0], 2)])
check(
    noisy_totals,
    private((crowd, places, 2, 2.0), (joined, places, 2, 2.0), 2.0, shape=(3, 3), samples=5000, additive=True),
)
### END HIDDEN TESTS


# %% tags=["wrong"]
def noisy_totals(points, centroids, rounds, epsilon, rng):
    distances = np.linalg.norm(points[:, None] - centroids, axis=2)
    member = np.argmin(distances, axis=1)[:, None] == np.arange(len(centroids))
    table = np.column_stack([member.T @ points, member.sum(axis=0)])
    moved = (points.shape[1] + 1) * rounds

    # WRONG the printed inequality | an inequality is reversed
    member = np.argmax(distances, axis=1)[:, None] == np.arange(len(centroids))
    table = np.column_stack([member.T @ points, member.sum(axis=0)])
    return laplace_mechanism(table, moved, epsilon, rng)

    # WRONG all of epsilon in each round | there are more, and each costs
    return laplace_mechanism(table, points.shape[1] + 1, epsilon, rng)

    # WRONG the count forgotten in the sensitivity | and a count as well
    return laplace_mechanism(table, points.shape[1] * rounds, epsilon, rng)

    # WRONG one number's noise | if all d + 1 move
    return laplace_mechanism(table, rounds, epsilon, rng)

    # WRONG noise on the means | sums are asked for, not means
    counts = member.sum(axis=0)
    table = np.column_stack([member.T @ points / np.maximum(counts, 1)[:, None], counts])
    return laplace_mechanism(table, moved, epsilon, rng)

    # WRONG in place | a record can be counted in several
    here, rows = centroids.copy(), []
    for j in range(len(here)):
        mine = points[np.argmin(np.linalg.norm(points[:, None] - here, axis=2), axis=1) == j]
        rows.append([*mine.sum(axis=0), len(mine)])
        here[j] = mine.mean(axis=0) if len(mine) else here[j]
    return laplace_mechanism(np.array(rows), moved, epsilon, rng)

    # WRONG the largest record of the data | that is secret, the box is public
    largest = np.abs(points).sum(axis=1).max() + 1
    return laplace_mechanism(table, largest * rounds, epsilon, rng)

    # WRONG one noise for a row | their differences are published exactly
    return table + laplace_mechanism(np.zeros((len(centroids), 1)), moved, epsilon, rng)

    # WRONG an empty cluster without noise | whether a cluster is empty
    return np.where(table[:, -1:] > 0, laplace_mechanism(table, moved, epsilon, rng), table)

    # WRONG noise for replaced records | here one is added or removed
    return laplace_mechanism(table, 2 * moved, epsilon, rng)

    # WRONG the true table | NO_NOISE
    return table.astype(float)


# %% [markdown]
# ## 3. A centroid that stands still (3 points)
#
# *You learn* that one number without noise breaks every guarantee. About 30 minutes, medium.
#
# `careless_round` below saves work where a cluster is empty. Show that it is not private for any epsilon: write
# `exposing(centroids)`. Its public `centroids` (k, 2) are two or more, distinct, and strictly inside the unit box. It
# returns an array of 21 points in the box, one a row; none may have two nearest centroids. The first twenty are a
# dataset, the last is one person more. Some centroid must stand still, bit for bit, *always* without that person and
# *never* with her.


# %% tags=["setup"]
def careless_round(points, centroids, epsilon, rng):
    """BROKEN: one round of noisy means, but an empty cluster keeps its centroid, without noise."""
    labels = np.argmin(np.linalg.norm(points[:, None] - centroids, axis=2), axis=1)
    moved = centroids.copy()
    for j in np.unique(labels):
        own = points[labels == j]
        noisy = laplace_mechanism(np.append(own.sum(axis=0), len(own)), 3, epsilon, rng)
        moved[j] = np.clip(noisy[:2] / noisy[2], -1, 1)
    return moved


# %%
def exposing(centroids):
    ### BEGIN SOLUTION
    # Everybody sits on the first centroid, and the one more on the second, whose cluster was empty.
    return np.vstack([np.repeat(centroids[:1], 20, axis=0), centroids[1:2]])
    ### END SOLUTION


# %% points=3
def stands_still(centroids):
    """The requirement: the last of the points is alone in a cluster; then the event has probability 1, and 0 with her."""

    def requirement(draw):
        points = draw([(centroids,)], shape=(21, 2))[0, 0]
        if not np.all(np.abs(points) <= 1):
            return "a point lies outside the unit box: the mechanism would have refused it"
        away = np.linalg.norm(points[:, None] - centroids, axis=2)
        labels, clear = np.argmin(away, axis=1), np.partition(away, 1, axis=1)[:, :2]
        if np.any(clear[:, 1] - clear[:, 0] < 1e-9):
            return "a point lies just between two centroids: rounding would decide where it belongs"
        sizes = np.bincount(labels[:-1], minlength=len(centroids))
        if not sizes[labels[-1]]:
            return ""
        if np.count_nonzero(sizes) == 1 and len(set(labels)) == 1:
            return "the one more is in the cluster of all the others: the empty ones are empty with and without her"
        if 1 in np.bincount(labels):
            return "a cluster holds one person, but not the *last* of the points"
        return "the cluster of the one more has people in it already: its centroid moves with and without her"

    return requirement


check(
    exposing,
    stands_still(np.array([[-0.5, -0.5], [0.5, 0.5]])),
    stands_still(np.array(mine([[0.1, 0.9], [0.1, 0.8], [-0.3, 0.2], [0.95, -0.9]]))),
)
### BEGIN HIDDEN TESTS
for many in (2, 3, 5, 12, 40):
    check(exposing, stands_still(fresh.uniform(-1, 1, (many, 2))))
check(exposing, stands_still(fresh.uniform(0.9, 1, (4, 2)) * fresh.choice([-1.0, 1.0], 2)))
### END HIDDEN TESTS


# %% tags=["wrong"]
def exposing(centroids):
    # WRONG near the others | empty with and without her
    return np.repeat(centroids[:1], 21, axis=0)

    # WRONG outside the box | outside the unit box
    return np.vstack([np.repeat(centroids[:1], 20, axis=0), 3 * centroids[1:2]])

    # WRONG the empty cluster filled in both | its centroid moves with and without her
    return np.vstack([np.repeat(centroids[:1], 10, axis=0), np.repeat(centroids[1:2], 11, axis=0)])

    # WRONG the one more comes first | but not the *last* of the points
    return np.vstack([centroids[1:2], np.repeat(centroids[:1], 20, axis=0)])

    # WRONG in the middle between two | just between two centroids
    return np.vstack([np.repeat(centroids[:1], 20, axis=0), centroids[:2].mean(axis=0)])


# %% [markdown]
# ## 4. How fine a grid? (3 points)
#
# *You learn* to turn a guideline into whole numbers. About 15 minutes, easy.
#
# For EUGkM the guideline puts $M=(N\varepsilon/10)^{2d/(2+d)}$ cells into the unit box. There is the same whole number
# of cells along each side, as near as possible to the $d$-th root of $M$ and at least 1. $N$ is `noisy_count`, which
# has been paid for. It may be negative, and then counts as 0. Write `plan_grid(noisy_count, d, epsilon)`; it returns
# two numbers, that of the cells per side and that of all cells.


# %%
def plan_grid(noisy_count, d, epsilon):
    ### BEGIN SOLUTION
    side = max(1, round((max(noisy_count, 0) * epsilon / 10) ** (2 / (2 + d))))
    return [side, side**d]
    ### END SOLUTION


# %% points=3
PLANS = [
    (100_000.0, 2, 1.0),
    (5912.3, 2, 0.1),
    (100_000.0, 3, 0.5),
    (20_000.0, 1, 0.2),
    (31.0, 2, 0.1),
    (-14.2, 3, 1.0),
]
check(
    plan_grid,
    answers(
        PLANS,
        [[100, 10000], [8, 64], [30, 27000], [54, 54], [1, 1], [1, 1]],
        slips={
            "M is the number of all cells; a side has its d-th root": (
                [[10000, 100000000], [59, 3481], [27464, 20715306873344], [54, 54], [1, 1], [1, 1]]
            ),
            "the exponent of a side is 2/(2+d): M has 2d/(2+d), and the root divides by d": (
                [[100, 10000], [8, 64], [166, 4574296], [7, 7], [1, 1], [1, 1]]
            ),
            "epsilon belongs under the power, with N": [[100, 10000], [2, 4], [20, 8000], [32, 32], [1, 1], [1, 1]],
            "a grid of 0 cells holds nobody: at least 1 a side": (
                [[100, 10000], [8, 64], [30, 27000], [54, 54], [1, 1], [0, 0]]
            ),
            "the nearest whole number is asked for: you rounded down": (
                [[100, 10000], [7, 49], [30, 27000], [54, 54], [1, 1], [1, 1]]
            ),
            "the nearest whole number is asked for: you rounded up": (
                [[100, 10000], [8, 64], [31, 29791], [55, 55], [1, 1], [1, 1]]
            ),
            "the cells must be a whole number of sides to the power d: round the side, not M": (
                [[100, 10000], [8, 59], [30, 27464], [54, 54], [1, 1], [1, 1]]
            ),
            "in d dimensions there are side^d cells": [[100, 200], [8, 16], [30, 90], [54, 54], [1, 2], [1, 3]],
        },
        tolerance=0.0,
        variant=VARIANT,
    ),
)
### BEGIN HIDDEN TESTS
plans = [(float(fresh.uniform(-50, 10 ** fresh.uniform(1, 6))), int(fresh.integers(1, 6)), float(10 ** fresh.uniform(-2, 0.5)))
         for _ in range(200)]  # fmt: skip
roots = [(max(n, 0) * e / 10) ** (2 / (2 + d)) for n, d, e in plans]
plans = [plan for plan, root in zip(plans, roots, strict=True) if abs(root % 1 - 0.5) > 1e-6] + [(0.0, 4, 1.0)]
sides = [max(1, round((max(n, 0) * e / 10) ** (2 / (2 + d)))) for n, d, e in plans]
check(plan_grid, answers(plans, [(m, m**d) for m, (_, d, _) in zip(sides, plans, strict=True)], tolerance=0.0))
### END HIDDEN TESTS


# %% tags=["wrong"]
def plan_grid(noisy_count, d, epsilon):
    def grid(side):
        return [side, side**d]

    records = max(noisy_count, 0)

    # WRONG all the cells along a side | a side has its d-th root
    return grid(max(1, round((records * epsilon / 10) ** (2 * d / (2 + d)))))

    # WRONG another exponent | the exponent of a side is 2/(2+d)
    return grid(max(1, round((records * epsilon / 10) ** (d / (2 + d)))))

    # WRONG epsilon outside the power | epsilon belongs under the power
    return grid(max(1, round((records / 10) ** (2 / (2 + d)) * epsilon)))

    # WRONG a grid of nothing | a grid of 0 cells holds nobody
    return grid(round((records * epsilon / 10) ** (2 / (2 + d))))

    # WRONG rounded down | you rounded down
    return grid(max(1, int((records * epsilon / 10) ** (2 / (2 + d)))))

    # WRONG M rounded, and not the side | round the side, not M
    many = max(1, round((records * epsilon / 10) ** (2 * d / (2 + d))))
    return [max(1, round(many ** (1 / d))), many]

    # WRONG sides added up | there are side^d cells
    side = max(1, round((records * epsilon / 10) ** (2 / (2 + d))))
    return [side, side * d]


# %% [markdown]
# ## 5. Explain (4 points)
#
# *You learn* when trying again is free, and when every try is paid. About 20 minutes, medium.
#
# k-means depends on its start, so everybody tries many starts and keeps the best. A colleague does so with both private
# programs. EUGkM tries ten starts on its one noisy grid and keeps the one of smallest cost there. DPLloyd is run ten times,
# each with the whole $\varepsilon$, and the run of smallest cost is published. Why are ten starts free for the one and not
# for the other? What does the choice by cost look at in each? What could the colleague do with DPLloyd instead? Four to six
# sentences.

# %% [markdown] name="explain_restarts" points=4
# ### BEGIN SOLUTION
# EUGkM asks the data once, for noisy counts. All ten runs work on what is released already, and so does the cost by which
# the best is chosen. This is post-processing, and adds no privacy loss, however often it is done. Each run of DPLloyd asks
# the data again, in every round. Ten runs at epsilon are 10 epsilon, even if nine are thrown away, for the choice among
# them has seen all ten. And the true cost is a number of the data without any noise. Which run is best can flip when one
# person joins. So the loss of the choice has no bound at all, whatever was paid for the runs. Instead divide epsilon: ten
# runs at a part of it each, and the choice by the exponential mechanism with another part. (The sum of squared distances
# moves by at most what one record can cost.) Or take one run from one good public start, or take the start from a noisy
# grid (the hybrid).
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each. For (a): EUGkM's restarts are post-processing of one release. For (b): each DPLloyd run spends, and
# runs that are thrown away have been paid for all the same. The total is 10 epsilon (or: each must get epsilon / 10).
# For (c): choosing by the true cost reads the data without noise; EUGkM's cost is that on the noisy grid. For (d): one
# thing that would be private. It may be epsilon divided over runs and a private choice (exponential mechanism, noisy
# cost). It may be a fixed public start, or the start from a noisy grid. It may be one noisy grid on which all ten
# results are compared. It may be a random number of tries, and private selection for two or three times the epsilon
# (Liu and Talwar 2019; page 26). No point for "because EUGkM has less noise".
# ### END MARK SCHEME
