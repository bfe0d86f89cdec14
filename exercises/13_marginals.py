# %% [markdown]
# # Assignment 13: Marginal tables of many attributes
#
# Five tasks, 18 points. You need chapter 13, *Marginal tables of many attributes*.
#
# Attributes are yes-or-no questions, numbered from 0. A table over some of them has one axis for each attribute, in the
# order given: index 0 is no, 1 is yes. Neighbours differ by *adding or removing* one record. All data here are
# invented. Yours may differ from those of others.

# %% tags=["setup"]
import itertools
from functools import partial

import numpy as np

from dpbook.check import answers, check, laplace_law, own_order, private, repeatable
from dpbook.marginals import consistent, covering_design, from_walsh, marginal, view_error, walsh

VARIANT = 0  # of 6
UNIT = 1 + VARIANT / 2  # of your own numbers
mine = partial(own_order, variant=VARIANT)

# %% [markdown]
# ## 1. A table from waves (3 points)
#
# *You learn* to read a table off its Walsh coefficients. About 25 minutes, medium.
#
# A hospital publishes the Walsh coefficients of its table over *all* $d$ attributes, as an array of shape
# $(2, \dots, 2)$. The one at index $(1, 0, 1)$ belongs to the set of attributes 0 and 2. Write
# `table_over(coefficients, attributes)`: the table over `attributes`, whose axes come in the order of `attributes`.
# This is a tuple that need not ascend. It may be empty: then the table is a single number, the total.

# %% tags=["setup"]
hospital = np.array([[[41, 5], [5, 25]], [[-1, 3], [15, 3]]])  # 41 patients, three attributes


# %%
def table_over(coefficients, attributes):
    ### BEGIN SOLUTION
    kept = tuple(slice(None) if a in attributes else 0 for a in range(coefficients.ndim))
    ascending = sorted(attributes)
    return from_walsh(coefficients[kept]).transpose([ascending.index(a) for a in attributes])
    ### END SOLUTION


# %% points=3
pair_calls = [(hospital, pair) for pair in ((0, 1), (2, 0), (1, 2), (2, 1))]
pair_tables = np.array([[[15, 5], [8, 13]], [[12, 11], [8, 10]], [[19, 4], [4, 14]], [[19, 4], [4, 14]]])
check(
    table_over,
    answers(
        pair_calls,
        pair_tables,
        slips={
            "this is the table times its number of cells: undo the sum over the cells": 4 * pair_tables,
            "you divide by the cells of all attributes: this table has fewer cells than the full one": (
                pair_tables / 2
            ),
            "a minus for every cell that has a yes in the set: two yeses of a set make a plus": [
                [[15, 5], [8, 5.5]],
                [[12, 11], [8, 8.5]],
                [[19, 4], [4, 1.5]],
                [[19, 4], [4, 1.5]],
            ],
            "right for ascending attributes: the axes must come in the order asked": [
                [[15, 5], [8, 13]],
                [[12, 8], [11, 10]],
                [[19, 4], [4, 14]],
                [[19, 4], [4, 14]],
            ],
            "as if the attributes were independent: where are the sets of two or more?": [
                [[11.25, 8.75], [11.75, 9.25]],
                [[11.25, 11.75], [8.75, 9.25]],
                [[12.75, 10.25], [10.25, 7.75]],
                [[12.75, 10.25], [10.25, 7.75]],
            ],
            "sets that hold another attribute say nothing about this table: leave them out": [
                [[24, 0], [14, 8]],
                [[24, 14], [6, 2]],
                [[24, 6], [0, 10]],
                [[24, 0], [6, 10]],
            ],
        },
        variant=VARIANT,
    ),
    answers(
        [(hospital, (2, 0, 1)), (hospital, (1, 0, 2))],
        [[[[12, 0], [7, 4]], [[3, 5], [1, 9]]], [[[12, 3], [7, 1]], [[0, 5], [4, 9]]]],
    ),
    answers([(hospital, ())], [41]),
)
### BEGIN HIDDEN TESTS
for people, d in ((0, 2), (1, 3), (40, 1), (200, 5), (300, 7), (5000, 10)):
    patients = fresh.integers(0, 2, (people, d)) * (fresh.random(d) < 0.9)
    patients[:, -1] = patients[:, 0] | patients[:, d // 2]
    waves = walsh(marginal(patients, range(d)))
    for size in {0, 1, min(d, 2), min(d, 3), min(d, int(fresh.integers(1, 7)))}:
        orders = [tuple(int(place) for place in fresh.permutation(d)[:size]) for _ in range(8)]
        check(table_over, answers([(waves, o) for o in orders], [marginal(patients, o) for o in orders]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def table_over(coefficients, attributes):
    k, d = len(attributes), coefficients.ndim
    turned = np.moveaxis(coefficients, attributes, range(k))
    kept = turned[(..., *[0] * (d - k))]  # of the sets that hold no other attribute

    # WRONG the division by the number of cells forgotten | undo the sum over the cells
    return walsh(kept)

    # WRONG divided by the cells of the full table | this table has fewer cells than the full one
    return walsh(kept) / 2**d

    # WRONG minus wherever a yes is in the set | two yeses of a set make a plus
    table = np.zeros(kept.shape)
    for x in np.ndindex(kept.shape):
        for b in np.ndindex(kept.shape):
            table[x] += -kept[b] if np.dot(b, x) else kept[b]
    return table / 2**k

    # WRONG the attributes sorted | the axes must come in the order asked
    return from_walsh(coefficients[tuple(slice(None) if a in attributes else 0 for a in range(d))])

    # WRONG only the total and the single attributes | where are the sets of two
    size = np.indices(kept.shape).sum(axis=0)
    return from_walsh(np.where(size <= 1, kept, 0))

    # WRONG all coefficients, the others' too | sets that hold another attribute say nothing
    return from_walsh(turned.sum(axis=tuple(range(k, d))))


# %% [markdown]
# ## 2. Private coefficients (5 points)
#
# *You learn* to give coefficients unequal shares of one budget. About 40 minutes, medium to hard.
#
# For all tables of two attributes one needs the coefficients of all sets of up to two. They are released together,
# each with a part of $\varepsilon$ that depends on the size of its set. `weights` are three numbers above 0, for the
# sets of no, one and two attributes. *The parts are in proportion to the weights*, and they add up to $\varepsilon$
# over all sets.


# %% tags=["setup"]
def sets_up_to_two(d):
    """All sets of up to two of d attributes: the empty one, then the singles, then the pairs."""
    return [chosen for size in range(3) for chosen in itertools.combinations(range(d), size)]


def true_coefficients(records):
    """The coefficient of each set of `sets_up_to_two`, in that order, from records (one a row, 0 or 1). Not private."""
    signs = 1 - 2 * np.asarray(records, float)
    return np.array([signs[:, list(chosen)].prod(axis=1).sum() for chosen in sets_up_to_two(signs.shape[1])])


ward = np.array([[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]])
ward = ward[:, mine(range(4))]

# %% [markdown]
# Write `noisy_coefficients(records, weights, epsilon, rng)`: these coefficients in the order of `sets_up_to_two`, all
# together with $\varepsilon$-DP. Each has fresh Laplace noise, no larger than its part of $\varepsilon$ needs. How many
# records there are is not public; there may be none.


# %%
def noisy_coefficients(records, weights, epsilon, rng):
    ### BEGIN SOLUTION
    # One record moves each coefficient by 1, up or down: what each pays is its share of epsilon.
    share = np.array([weights[len(chosen)] for chosen in sets_up_to_two(np.shape(records)[1])], float)
    truth, share = true_coefficients(records), share / share.sum()
    return truth + rng.laplace(scale=1 / (epsilon * share))
    ### END SOLUTION


# %% points=5
# The check
def by_size(none, one, two):
    """A number for each of the eleven sets, by how many attributes it has."""
    return np.repeat([none, one, two], [1, 4, 6])


check(
    noisy_coefficients,
    laplace_law(
        (ward, np.array([8.0, 2.0, 4.0])),
        truth=true_coefficients(ward),
        sensitivity=by_size(5, 20, 10),
        epsilon=0.5,
        sensitivities={
            "this noise would do if that coefficient were all you release: what do the others cost?": 1,
            "the three sizes share epsilon in your answer: *all sets* share it, in proportion to their weights": by_size(
                1.75, 7, 3.5
            ),
            "the empty set's coefficient, the number of records, is released too: it needs its share": by_size(
                4, 16, 8
            ),
            "only the pairs seem to pay: the single attributes and the total are released too": by_size(3, 12, 6),
            "equal shares: use the weights": 11,
            "a larger weight means a larger share of epsilon, hence *less* noise": by_size(29, 7.25, 14.5),
            "this noise is for neighbours who *replace* a record; here one is added or removed": by_size(10, 40, 20),
        },
    ),
    repeatable((ward, np.array([8.0, 2.0, 4.0]), 0.5), (11,)),
    private(
        (ward, np.array([1.0, 1.0, 1.0]), 1.0),
        (ward[1:], np.array([1.0, 1.0, 1.0]), 1.0),
        epsilon=1.0,
        shape=(11,),
        samples=5000,
    ),
)
### BEGIN HIDDEN TESTS
promises = fresh.permutation([0.01, 0.1, 0.6, 3.0, 20.0]) * fresh.uniform(0.75, 1.0, 5)
sizes, wide = fresh.integers([0, 1, 2, 25, 200], [1, 2, 5, 40, 300]), fresh.integers([2, 1, 5, 2, 3], [5, 2, 9, 4, 4])
draws = 2000, 2000, 2000, 1000, 200  # a loop over many records takes its time
for people, d, promise, drawn in zip(sizes, wide, promises, draws, strict=True):
    asked_once = fresh.integers(0, 2, (people, d))
    importance = np.exp(fresh.uniform(-2, 2, 3))
    sizes_here = np.array([len(chosen) for chosen in sets_up_to_two(d)])
    odd = [asked_once[:, list(chosen)].sum(axis=1) % 2 for chosen in sets_up_to_two(d)]
    check(
        noisy_coefficients,
        laplace_law(
            (asked_once, importance),
            truth=[float(people - 2 * np.sum(ones)) for ones in odd],
            sensitivity=importance[sizes_here].sum() / importance[sizes_here],
            epsilon=promise,
            samples=drawn,
        ),
    )
left_one, some_weights = fresh.integers(0, 2, (6, 3)), np.exp(fresh.uniform(-1, 1, 3))
check(
    noisy_coefficients,
    private((left_one, some_weights, 2.0), (left_one[:-1], some_weights, 2.0), 2.0, (7,), samples=3000, additive=True),
)
### END HIDDEN TESTS


# %% tags=["wrong"]
def noisy_coefficients(records, weights, epsilon, rng):
    truth = true_coefficients(records)
    sizes = np.array([len(chosen) for chosen in sets_up_to_two(records.shape[1])])
    weight = np.array(weights)[sizes]

    # WRONG no noise | NO_NOISE
    return truth

    # WRONG the whole of epsilon for each | what do the others cost
    return truth + rng.laplace(scale=1 / epsilon, size=truth.shape)

    # WRONG normalised over the sizes | *all sets* share it
    return truth + rng.laplace(scale=sum(weights) / (epsilon * weight))

    # WRONG a part for each size, shared equally | *all sets* share it
    parts = weight / np.bincount(sizes)[sizes] / sum(weights)
    return truth + rng.laplace(scale=1 / (epsilon * parts))

    # WRONG the total not counted | it needs its share
    return truth + rng.laplace(scale=weight[1:].sum() / (epsilon * weight))

    # WRONG only the pairs counted | only the pairs seem to pay
    return truth + rng.laplace(scale=weight[-6:].sum() / (epsilon * weight))

    # WRONG equal shares | use the weights
    return truth + rng.laplace(scale=len(weight) / epsilon * np.ones(len(weight)))

    # WRONG weights the wrong way round | hence *less* noise
    return truth + rng.laplace(scale=weight * np.sum(1 / weight) / epsilon)

    # WRONG the other relation | neighbours who *replace* a record
    return truth + rng.laplace(scale=2 * weight.sum() / (epsilon * weight))

    # WRONG the exact total | entry 0 (from 0) of the release: this is the true answer
    noise = rng.laplace(scale=weight.sum() / (epsilon * weight))
    return truth + np.where(sizes, noise, 0)

    # WRONG one noise for all | SHARED
    return truth + rng.laplace() * weight.sum() / (epsilon * weight)

    # WRONG a generator of its own | the same each time
    return truth + np.random.default_rng(13).laplace(scale=weight.sum() / (epsilon * weight))


# %% [markdown]
# ## 3. Challenge: views that agree (4 points)
#
# *You learn* to make unequal views agree by least squares. About 60 minutes, hard.
#
# Views of *different sizes* are bought with *different parts* of $\varepsilon$: every cell of view $i$ has independent
# noise of scale `scales[i]`. Write `agree(views, scales, cells)`: the tables over the views that agree on everything
# they have in common and fit the noisy ones best. That is weighted least squares: the squared difference in each cell
# is divided by the variance of its noise.
#
# `cells` is one long vector: the tables of the views in order, each flattened as `table.ravel()` does; return one of the
# same form. `walsh` and `from_walsh` are at hand, and each view holds a noisy copy of some waves: what is the variance of
# a copy? `consistent` of the chapter knows nothing of different scales.


# %%
def agree(views, scales, cells):
    ### BEGIN SOLUTION
    # A copy of a wave sums all cells of its view with signs, so its variance goes with cells times scale squared.
    copies, start = [], 0
    for view, scale in zip(views, scales, strict=True):
        table = cells[start : start + 2 ** len(view)].reshape((2,) * len(view))
        waves, start = walsh(table), start + table.size
        names = [frozenset(itertools.compress(view, index)) for index in np.ndindex(table.shape)]
        copies.append((names, waves, 1 / (table.size * scale**2)))
    mass, total = {}, {}
    for names, waves, weight in copies:
        for name, value in zip(names, waves.ravel(), strict=True):
            mass[name] = mass.get(name, 0) + weight
            total[name] = total.get(name, 0) + weight * value
    tables = []
    for names, waves, _ in copies:
        best = np.array([total[name] / mass[name] for name in names]).reshape(waves.shape)
        tables.append(from_walsh(best).ravel())
    return np.concatenate(tables)
    ### END SOLUTION


# %% points=4
# The check
two_views, two_scales = ((0, 1), (1,)), UNIT * np.array([1.0, 3.0])
check(
    agree,
    answers(
        [(two_views, two_scales, np.array([30, -30, 20, 40, 44, 60]))],
        [[29.4545454545, -25.4545454545, 19.4545454545, 44.5454545455, 48.9090909091, 19.0909090909]],
        slips={
            "the plain mean of the copies: these copies are not equally good": [[28.5, -17.5, 18.5, 52.5, 47, 35]],
            "weights for the sizes of the views only: it knows nothing of the scales": [
                [28, -13.3333333333, 18, 56.6666666667, 46, 43.3333333333]
            ],
            "weights for the scales only: a copy from a large view sums more noises": [
                [29.7, -27.5, 19.7, 42.5, 49.4, 15]
            ],
            "a variance goes with the *square* of the scale": [[28.8, -20, 18.8, 50, 47.6, 30]],
            "the noisier copy counts for more: your weights are the wrong way round": [
                [27.5454545455, -9.5454545455, 17.5454545455, 60.4545454545, 45.0909090909, 50.9090909091]
            ],
            "the tables that fit best may be negative: cutting them makes them disagree again": [
                [29.4545454545, 0, 19.4545454545, 44.5454545455, 48.9090909091, 19.0909090909]
            ],
            "the first view's waves were kept as they are: the other views know something too": [
                [30, -30, 20, 40, 50, 10]
            ],
            "the totals agree; the views must agree on everything they share, here also on attribute 1": [
                [32, -28, 22, 42, 26, 42]
            ],
        },
    ),
)


### BEGIN HIDDEN TESTS
def any_views(d, number):
    """So many different views of d attributes, each of one to six of them, in any order."""
    drawn = [fresh.permutation(d)[: fresh.integers(1, min(d, 6) + 1)] for _ in range(number)]
    return tuple({frozenset(view.tolist()): tuple(view.tolist()) for view in drawn}.values())


lists = [((0, 1), (1, 2), (2, 0)), ((3, 0, 1), (1, 2), (4,), (4, 3, 2)), ((0, 1, 2, 3), (3, 1), (2, 0, 3)), ((0,),)]
lists += [any_views(d, number) for d, number in ((2, 3), (5, 6), (8, 12), (10, 30))]
for many_views in lists:
    many_scales = np.exp(fresh.uniform(-2, 2, len(many_views))) * fresh.choice([0.05, 1.0, 20.0])
    points = np.array(list(np.ndindex((2,) * (1 + max(max(view) for view in many_views)))))
    sums = np.array(
        [(points[:, list(view)] == index).all(axis=1) for view in many_views for index in np.ndindex((2,) * len(view))],
        float,
    )
    spread = np.repeat(many_scales, [2 ** len(view) for view in many_views])
    bought = fresh.poisson(fresh.uniform(0, 99), len(sums)) + fresh.laplace(scale=spread)
    fitted = sums @ np.linalg.lstsq(sums / spread[:, None], bought / spread, rcond=None)[0]
    check(agree, answers([(many_views, many_scales, bought)], [fitted]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def agree(views, scales, cells):
    size = np.array([2 ** len(view) for view in views])
    tables = [part.reshape((2,) * len(v)) for part, v in zip(np.split(cells, np.cumsum(size)[:-1]), views, strict=True)]
    waves = np.concatenate([walsh(table).ravel() for table in tables])
    names = [sum(2**a for a in itertools.compress(v, index)) for v in views for index in np.ndindex((2,) * len(v))]
    _, first, which = np.unique(names, return_index=True, return_inverse=True)

    def tables_with(values):
        best = zip(np.split(values[which], np.cumsum(size)[:-1]), tables, strict=True)
        return np.concatenate([from_walsh(part.reshape(table.shape)).ravel() for part, table in best])

    def averaged(weights):
        held = np.repeat(weights, size)
        return tables_with(np.bincount(which, held * waves) / np.bincount(which, held))

    # WRONG the plain mean | these copies are not equally good
    return averaged(np.ones(len(views)))

    # WRONG the chapter's function | it knows nothing of the scales
    return np.concatenate([table.ravel() for table in consistent(views, tables)])

    # WRONG weights for the scales only | a copy from a large view sums more noises
    return averaged(1 / scales**2)

    # WRONG scales not squared | a variance goes with the *square*
    return averaged(1 / (size * scales))

    # WRONG weights upside down | the wrong way round
    return averaged(size * scales**2)

    # WRONG the right end, then cut at zero | may be negative
    return np.maximum(averaged(1 / (size * scales**2)), 0)

    # WRONG the first view copied | the other views know something too
    return tables_with(waves[first])

    # WRONG only the totals agree | also on attribute 1
    total = np.average([table.sum() for table in tables], weights=1 / (size * scales**2))
    return np.concatenate([table.ravel() + (total - table.sum()) / table.size for table in tables])


# %% [markdown]
# ## 4. Which views? (3 points)
#
# *You learn* to compare designs by exact errors, before any data. About 30 minutes, medium.
#
# A registry knows which tables its readers will ask for, and must choose a *design*, a list of views, before it looks
# at any data. The views get equal parts of $\varepsilon$ and are made to agree; a table is read off a view that holds
# it. Write `choose_views(designs, asked)`: the number (from 0) of the design with the smallest exact expected squared
# error, averaged over the `asked` tables. A design that does not hold all of them is no choice; there are no ties.
# `view_error(views, attributes)` of the chapter is at hand.


# %% tags=["setup"]
def pairs_of(d):
    """All pairs of d attributes."""
    return tuple(itertools.combinations(range(d), 2))


def offer(d, *sizes):
    """Designs that hold all pairs of d attributes, one for each size of view."""
    return tuple(tuple(covering_design(d, size, 2)) for size in sizes)


around_0 = tuple((0, other) for other in range(1, 8))
rings = (((0, 1, 2), (3, 4, 5)), ((0, 1, 2, 3), (2, 3, 4, 5), (0, 1, 4, 5)), (tuple(range(6)),))
couples = ((0, 1), (2, 3), (4, 5))
uneven = (((0, 1), (2, 3, 4, 5, 6, 7)), ((0, 1, 4), (2, 3, 5, 6, 7)), ((0, 1), (2, 3), (4, 5), (6, 7), (4, 6)))
offers = [  # (designs, asked)
    (offer(6, 6, 4, 2), pairs_of(6)),
    (offer(16, 8, 4, 2), pairs_of(16)[::7]),
    ((*offer(8, 4), around_0, (tuple(range(8)),)), around_0),
    (rings, pairs_of(6)),
    (offer(9, 3, 6, 9, 2), pairs_of(9)),
    ((couples, ((0, 1, 2, 3), (2, 3, 4, 5)), (tuple(range(6)),)), couples),
    (offer(12, 12, 4, 8, 5), ((0, 1), (0, 5), (3, 7), (2, 9))),
    (offer(13, 8, 4, 13), pairs_of(13)[::5]),
    (uneven, ((0, 1), (2, 3))),
]


# %%
def choose_views(designs, asked):
    ### BEGIN SOLUTION
    def error(views):
        held = all(any(set(table) <= set(view) for view in views) for table in asked)
        return np.mean([view_error(views, table) for table in asked]) if held else np.inf

    return int(np.argmin([error(views) for views in designs]))
    ### END SOLUTION


# %% points=3
check(
    choose_views,
    answers(
        offers,
        [0, 1, 1, 2, 1, 0, 3, 1, 1],
        slips={
            "the fewest views: what does a cell of a large view carry?": [0, 0, 2, 2, 2, 2, 0, 2, 0],
            "the smallest views have the least to sum up, but many small views share epsilon": (
                [2, 2, 1, 0, 3, 0, 1, 1, 2]
            ),
            "the noise of views that cost nothing: with their number the share of each gets smaller": (
                [2, 2, 1, 1, 3, 0, 1, 1, 2]
            ),
            "the scale grows with the number of views, so in a squared error that number counts squared": (
                [2, 1, 1, 1, 0, 0, 1, 1, 2]
            ),
            "the error of a single view that holds the table: agreement averages over the others too": (
                [0, 1, 1, 2, 2, 0, 2, 1, 1]
            ),
            "by the guide of (6.7): it is not the exact error, and knows nothing of what is asked": (
                [0, 1, 2, 2, 1, 2, 2, 1, 1]
            ),
            "a design must hold every asked table: what no view holds has no noise, because it is not known": (
                [0, 1, 1, 0, 1, 0, 3, 1, 1]
            ),
            "the error of the worst asked table: the average over them is asked": [0, 1, 1, 2, 1, 0, 3, 1, 2],
            "the error of one asked table: the average over them is asked": [0, 1, 1, 2, 1, 0, 3, 1, 0],
            "the first design that holds what is asked: compare their errors": [0, 0, 0, 1, 0, 0, 0, 0, 0],
        },
        variant=VARIANT,
    ),
)


### BEGIN HIDDEN TESTS
def exact_design_error(views, some, largest=9):
    """Of the `some` tables added up; of their sets only those of up to `largest` attributes."""
    total = 0
    for table in some:
        if not any(set(table) <= set(view) for view in views):
            return np.inf
        for index in np.ndindex((2,) * len(table)):
            chosen = set(itertools.compress(table, index))
            held = sum(2.0 ** -len(view) for view in views if chosen <= set(view))
            total += len(views) ** 2 / held / 2 ** len(table) if len(chosen) <= largest else 0
    return total


other_offers = [((((0, 1), (1, 2)), ((0, 1, 2),), ((0, 1), (2,))), ((0, 1, 2),)), ((((0,),), ((0, 1),)), ((0,),))]
for d, sizes in ((2, (2,)), (7, (7, 3, 2, 5)), (10, (4, 10, 7, 2)), (14, (6, 8, 4, 14)), (20, (4, 8, 5))):
    listed, designs = pairs_of(d), offer(d, *sizes)
    names = fresh.permutation(d)  # the same designs, of attributes with other numbers
    moved = [tuple(tuple(sorted(int(names[a]) for a in view)) for view in views) for views in designs]
    partial_one = moved[0][: max(1, len(moved[0]) - 1)]  # it may lack a pair
    for number in (1, 3, 12):
        some = tuple(listed[place] for place in fresh.permutation(len(listed))[:number])
        in_order = fresh.permutation(len(moved) + 1)
        other_offers.append((tuple([*moved, partial_one][place] for place in in_order), some))
while len(other_offers) < 28:  # others are the best on average, for the worst table and for the first; then by roots
    some = tuple(tuple(sorted(fresh.choice(7, 2, replace=False).tolist())) for _ in range(3))
    many = tuple(
        tuple(tuple(sorted({*table, *fresh.choice(7, fresh.integers(5)).tolist()})) for table in some) for _ in range(5)
    )
    each = np.array([[exact_design_error(views, [table]) for table in some] for views in many])
    mean, *rest, roots = (one.argmin() for one in (each.mean(1), each.max(1), each[:, 0], np.sqrt(each).mean(1)))
    if len({mean, *rest}) == 3 if len(other_offers) < 24 else roots != mean:
        other_offers.append((many, some))
while len(other_offers) < 36:  # tables of unlike sizes: the best by the error of a cell, or of small sets, is another
    some = tuple(tuple(sorted(fresh.choice(7, size, replace=False).tolist())) for size in (1, 2, 3, 4))
    many = tuple(
        tuple(tuple(sorted({*table, *fresh.choice(7, fresh.integers(4)).tolist()})) for table in some) for _ in range(5)
    )
    each = np.array([[exact_design_error(views, [table]) for table in some] for views in many])
    pairs = np.array([[exact_design_error(views, [table[:2]]) for table in some] for views in many])
    small = np.array([[exact_design_error(views, [table], 2) for table in some] for views in many])
    rivals = each / [2, 4, 8, 16], pairs, small, small * [2, 4, 8, 16]
    if each.mean(1).argmin() != rivals[len(other_offers) % 4].mean(1).argmin():
        other_offers.append((many, some))
clear, least = [], []
for many, some in other_offers:
    errors = [exact_design_error(views, some) for views in many]
    if np.sort(errors)[1] > 1.000001 * min(errors):  # there are no ties
        clear.append((many, some))
        least.append(int(np.argmin(errors)))
check(choose_views, answers(clear, least))
### END HIDDEN TESTS


# %% tags=["wrong"]
def choose_views(designs, asked):
    held = [all(any(set(table) <= set(view) for view in views) for table in asked) for views in designs]

    def least(error):
        return int(np.argmin([error(views) if holds else np.inf for views, holds in zip(designs, held, strict=True)]))

    # WRONG the fewest views | what does a cell of a large view carry
    return min(range(len(designs)), key=lambda place: len(designs[place]))

    # WRONG the smallest views | many small views share epsilon
    return min(range(len(designs)), key=lambda place: max(map(len, designs[place])))

    # WRONG noise that does not grow with the number of views | with their number the share of each
    return least(lambda views: sum(view_error(views, table) for table in asked) / len(views) ** 2)

    # WRONG the number of views not squared | counts squared
    return least(lambda views: sum(view_error(views, table) for table in asked) / len(views))

    # WRONG one view that holds the table | agreement averages over the others
    def error(views):
        one = [min(2 ** len(v) for v in views if set(table) <= set(v)) for table in asked]
        return len(views) ** 2 * np.mean(one)

    return least(error)

    # WRONG the book's guide | the guide of (6.7)
    def guide(views):
        d, size = 1 + max(map(max, views)), max(map(len, views))
        return 2**size * len(views) * d * (d - 1) / (size * (size - 1))

    return least(guide)

    # WRONG a table that no view holds | must hold every asked table
    def error(views):
        total = 0
        for table in asked:
            for size in range(len(table) + 1):
                for chosen in itertools.combinations(table, size):
                    copies = sum(2.0 ** -len(view) for view in views if set(chosen) <= set(view))
                    total += len(views) ** 2 / copies / 2 ** len(table) if copies else 0
        return total / len(asked)

    return int(np.argmin([error(views) for views in designs]))

    # WRONG the worst table | the error of the worst asked table
    return least(lambda views: max(view_error(views, table) for table in asked))

    # WRONG the first table alone | the error of one asked table
    return least(lambda views: view_error(views, asked[0]))

    # WRONG the error of a cell | with other data, which you have not seen
    return least(lambda views: sum(view_error(views, table) / 2 ** len(table) for table in asked))

    # WRONG sets of up to two only | with other data, which you have not seen
    def error(views):
        total = 0
        for table in asked:
            for chosen in (one for size in range(3) for one in itertools.combinations(table, size)):
                copies = sum(2.0 ** -len(view) for view in views if set(chosen) <= set(view))
                total += len(views) ** 2 / copies / 2 ** len(table)
        return total

    return least(error)

    # WRONG the first design that holds everything | compare their errors
    return held.index(True)


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* what consistent views may still lack, and which choice must be paid. About 20 minutes, medium.
#
# A health office bought six views of eight attributes and made them agree. (a) It now sets all cells below zero to 0.
# It prints how many people smoke, summed from 128 cells: a few full ones, the others nearly empty. Is this private? Is
# it right on average? (b) A colleague says: "the views agree, so there is a table of all sixteen attributes with these
# marginals." Is there? (c) Next year the office will look for the ten pairs with the strongest connection. It will
# print only these, each with noise of scale $10/\varepsilon$. Is that $\varepsilon$-DP? Three to six sentences.

# %% [markdown] name="explain_views" points=3
# ### BEGIN SOLUTION
# Cutting at zero looks only at what was released: post-processing, so it is as private as before. It is not right on
# average: an empty cell keeps its positive noise and drops the negative. Over a hundred such cells these gains add up,
# so the number of smokers comes out too large. Views that agree need not have any non-negative table in common. For
# example, a unlike b, b unlike c and a unlike c agree on every single attribute, but of three answers two are always
# alike. Printing only the strongest pairs looks at the data once more when it chooses. One record can change which
# pairs are printed, and noise on their cells does not hide that. The choice has to be paid for (the exponential
# mechanism) or made without the data.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each:
#
# - (a) Private because post-processing, *and* biased upwards because only one sign of the noise is removed and it adds
#   up over nearly empty cells.
# - (b) No, with an example or with the reason that non-negativity is a further condition. (Accept: with noise there
#   may be none.)
# - (c) Not $\varepsilon$-DP, because *which* tables are printed depends on the data without noise.
#
# No point for a bare yes or no. For (c) accept a neighbour that changes the list; do not ask for the remedy.
# ### END MARK SCHEME
