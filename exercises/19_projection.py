# %% [markdown]
# # Assignment 19: Projection
#
# Five tasks, 19 points. You need chapter 19, *Projection: compressing the records themselves*.
#
# All data here are invented. Yours may differ from those of others. A table $X$ has $n$ records, one a row, with $p$
# numbers each. Its projection to $m$ rows has the distribution of $\Phi X$, with independent entries of $\Phi$ from
# $N(0, 1/m)$. A record's leverage is $h = v^\top A^{-1} v$, $A = X^\top X$.

# %% tags=["setup"]
import numpy as np

from dpbook.check import answers, check, draws_here, laplace_law, private, repeatable
from dpbook.laplace import laplace_mechanism

VARIANT = 0  # of 6

# %% [markdown]
# ## 1. Company (3 points)
#
# *You learn* what lowers a leverage, and how fast. About 25 minutes, easy to medium.
#
# `others` is a table without a certain woman, `record` is her record. If further women with exactly the same record
# join as well, her leverage falls. Write `company(others, record, most)`: the smallest number of *further* such women
# with which her leverage in the whole table is at most `most`. The whole table has the others, her own record and the
# further ones; the number may be 0. There may be directions in which the others have nothing, and `record` may point
# there. Where $A$ is singular, leverage is taken as in the chapter, within the directions that the whole table has.


# %%
def company(others, record, most):
    ### BEGIN SOLUTION
    # Alone among the others she has h; with c further such records, h / (1 + c h).
    vectors, sizes, _ = np.linalg.svd(np.vstack([others, record]), full_matrices=False)
    h = np.sum(vectors[-1, sizes > 1e-9 * sizes[0]] ** 2)
    return max(0, np.ceil(1 / most - 1 / h))
    ### END SOLUTION


# %% points=3
# The check
five = np.array([[1.0, 0.5], [-1.0, 1.0], [0.5, -0.5], [1.0, 1.0], [0.0, -1.0]])
flat = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 0.0]])
agreeing = np.array([[1.0, 1.0, 2.0], [2.0, 2.0, 1.0], [-1.0, -1.0, 3.0], [0.5, 0.5, 0.0]])
check(
    company,
    answers(
        [
            (five, np.array([1.0, -0.5]), 0.12),
            (flat, np.array([1.0, 0.0, 0.5]), 0.3),
            (agreeing, np.array([3.0, 3.0, -1.0]), 0.17),
        ],
        [5, 3, 5],
        slips={
            "she is one of them herself: how many *further* ones?": [6, 4, 6],
            "that would be so if she were alone in her direction; the others are company as well": [8, 3, 5],
            "twins share with the others, too: leverage does not fall like 1 over their number": [2, 3, 3],
            "so many are just too few": [4, 2, 4],
            "that is her share of what the *others* have; she is in the table herself": [3, 3333333, 9],
            "in a direction where nobody else points she has leverage 1, whatever a pseudo-inverse says": [5, 1, 5],
            "it is not length that counts, but what the others have in her direction": [1, 0, 4],
        },
        variant=VARIANT,
    ),
)


### BEGIN HIDDEN TESTS
def leverage_among(others, record, twins):
    """From the singular vectors of the whole table, twins and all."""
    vectors, sizes, _ = np.linalg.svd(np.vstack([others, *[record] * (twins + 1)]), full_matrices=False)
    return np.sum(vectors[-1, sizes > 1e-9 * sizes[0]] ** 2)


cases, wanted = [], []


def ask(crowd, her, limit):
    """A case, unless rounding decides it."""
    twins = next(count for count in range(999) if leverage_among(crowd, her, count) <= limit)
    edge = [leverage_among(crowd, her, count) for count in (twins, max(twins - 1, 0))]
    if np.abs(np.array(edge) / limit - 1).min() > 1e-6:
        cases.append((crowd, her, limit))
        wanted.append(twins)


for women, asked in ((1, 1), (4, 2), (30, 6), (3, 8), (900, 12), (60, 3)):
    for alone in (False, True):
        crowd = fresh.normal(size=(women, asked)) * np.exp(fresh.uniform(-1, 1, asked))
        her = fresh.normal(size=asked) * 3 if alone else fresh.normal(size=women) @ crowd
        if alone and asked > 1:
            crowd[:, 0] = 0
        ask(crowd, her, float(fresh.uniform(0.03, 0.6)))
for women, asked in ((20, 2), (40, 3), (30, 4), (60, 2), (250, 3)):  # features go together: her signs and places count
    crowd = fresh.normal(size=(women, 1)) + fresh.normal(size=(women, asked)) * np.geomspace(0.4, 1, asked)
    her = fresh.uniform(0.5, 1.5, asked) * np.where(np.arange(asked) % 2, -1, 1)
    ask(crowd, her, float(leverage_among(crowd, her, 0) * fresh.uniform(0.3, 0.8)))
crowd = fresh.normal(size=(60, 3))
apart = crowd * [0.0, 1.0, 1.0], np.array([2.0, 0.0, 0.0]), 1 / fresh.integers(300, 3000) + 1e-7  # alone: 1 / most
check(company, answers([*cases, (crowd, crowd[0] / 9, 0.3), apart], [*wanted, 0, np.floor(1 / apart[2])]))  # 0: enough
### END HIDDEN TESTS


# %% tags=["wrong"]
def company(others, record, most):
    # WRONG she counts herself | how many *further* ones
    from dpbook.projection import leverages

    return next(c for c in range(1, 99) if leverages(np.vstack([others, *[record] * c]))[-1] <= most)

    # WRONG alone in her direction | the others are company as well
    return np.ceil(1 / most) - 1

    # WRONG leverage over their number | does not fall like 1 over their number
    from dpbook.projection import leverages

    return max(1, np.ceil(leverages(np.vstack([others, record]))[-1] / most)) - 1

    # WRONG rounded down | just too few
    from dpbook.projection import leverages

    h = leverages(np.vstack([others, record]))[-1]
    share = 1 / h - 1
    return max(1, np.floor(1 / most - share)) - 1

    # WRONG less than none | with other data, which you have not seen
    from dpbook.projection import leverages

    return np.ceil(1 / most - 1 / leverages(np.vstack([others, record]))[-1])

    # WRONG the pseudo-inverse | whatever a pseudo-inverse says
    return max(1, np.ceil(1 / most - 1 / (record @ np.linalg.pinv(others.T @ others) @ record))) - 1

    # WRONG her length beside the others' | it is not length that counts
    return max(1, np.ceil(record @ record / most / np.sum(others**2))) - 1


# %% [markdown]
# ## 2. The plain rival (5 points)
#
# *You learn* to bound a record yourself, and to count in how many products it is. About 30 minutes, medium.
#
# Each record has $p$ answers from $-1$ to 1; 0 says that there is none. The form allows no more than `most` answers,
# but some records break the rules. An answer beyond $-1$ or 1 counts as the nearer of the two. Of a record with more
# than `most` answers only the first `most` that are not 0 count. Here are six:

# %% tags=["setup"]
replies = np.array(
    [
        [1.0, -0.5, 0.0, 0.5, 0.0],
        [0.5, 1.0, -1.0, 0.5, 1.0],
        [0.0, 0.0, 3.0, -1.0, 0.5],
        [-1.0, 0.0, 0.5, 0.0, -2.0],
        [0.5, 0.5, -0.5, -0.5, 0.25],
        [0.0, 0.0, 0.0, 0.0, 0.0],
    ]
)
replies = np.roll(replies, VARIANT, axis=0)


def upper(products):
    """Of a square array, the entries on and above the diagonal, row by row."""
    places = np.arange(len(products))
    return products[places[:, None] <= places]


# %% [markdown]
# Write `noisy_products(records, most, epsilon, rng)`: the sums of products $(X^\top X)_{ij}$ on and above the diagonal,
# $i \le j$, in the order of `upper`. These are $p(p+1)/2$ numbers with Laplace noise of one scale for all. They must be
# $\varepsilon$-DP together when one record is added or removed, whatever it says, with noise no larger than needed.
# `most` may be above $p$, and there may be no records.


# %%
def noisy_products(records, most, epsilon, rng):
    ### BEGIN SOLUTION
    first = np.cumsum(records != 0, axis=1) <= most
    kept = np.clip(records, -1, 1) * first
    answered = min(most, records.shape[1])  # so many squares, and their pairs: each moves by 1 at most
    products = upper(kept.T @ kept)
    return laplace_mechanism(products, answered * (answered + 1) / 2, epsilon, rng)
    ### END SOLUTION


# %% points=5
# The check
sums = [2.5, 0.25, -1.25, 0.5, 1, 1.5, -1.25, 0, 0, 2.5, -1.25, 0, 1.75, -0.5, 1.25]
check(
    noisy_products,
    laplace_law(
        (replies, 4),
        truth=sums,
        sensitivity=10,
        epsilon=10.0,
        centres={
            "two records have five answers: only the first four of each count": [
                *(2.5, 0.25, -1.25, 0.5, 1.625, 1.5, -1.25, 0, 1.125, 2.5, -1.25, -1.125, 1.75, -0.125, 2.3125)
            ],
            "an answer beyond 1 counts as 1: without that no noise is enough": [
                *(2.5, 0.25, -1.25, 0.5, 2, 1.5, -1.25, 0, 0, 10.5, -3.25, 0.5, 1.75, -0.5, 4.25)
            ],
            "the first four *answers* count, wherever they stand, not the first four columns": [
                *(2.5, 0.25, -1.25, 0.5, 0, 1.5, -1.25, 0, 0, 2.5, -1.25, 0, 1.75, 0, 0)
            ],
            "four answers of a record count, not three": [
                *(2.5, 0.25, -1.25, 0.5, 1, 1.5, -1.25, -0.25, 0, 2.5, -1, 0, 1.25, -0.5, 1.25)
            ],
            "a record that breaks the rules is cut to them, not left out": [
                *(1.0, -0.5, 0, 0.5, 0, 0.25, 0, -0.25, 0, 0, 0, 0, 0.25, 0, 0)
            ],
            "the first four answers that are not 0 count, not the four largest": [
                *(2.5, 0.25, -1.25, 0.25, 1.5, 1.5, -1.25, -0.5, 1, 2.5, -0.75, -1, 1.5, -0.5, 2.25)
            ],
            "sums are asked for, not means": np.array(sums) / 6,
        },
        sensitivities={
            "a record has at most `most` answers, not five": 15,
            "each product of two answers is released once, not twice": 16,
            "those are the squares; the pairs of answers move as well": 4,
            "those are the pairs; the squares of answers move as well": 6,
            "a record is in several products, not in one": 1,
            "Laplace noise is paid by the sum of all changes, not by their Euclidean length": 10**0.5,
            "one record is added or removed, not replaced": 20,
        },
        samples=3000,
    ),
    repeatable((replies, 4, 1.0), shape=(15,)),
    private(
        (replies, 4, 1.0),
        (np.vstack([replies, [-9.0, 9.0, 9.0, 9.0, 9.0]]), 4, 1.0),
        epsilon=1.0,
        shape=(15,),
        samples=1500,
        additive=True,
    ),
)


### BEGIN HIDDEN TESTS
def products_by_hand(records, most):
    """Record by record, answer by answer."""
    p = records.shape[1]
    found = {(i, j): 0.0 for i in range(p) for j in range(i, p)}
    for record in records:
        said = [(i, min(max(value, -1), 1)) for i, value in enumerate(record) if value != 0][:most]
        for place, (i, one) in enumerate(said):
            for j, other in said[place:]:
                found[i, j] += one * other
    return np.array(list(found.values()))


promises = fresh.permutation([0.01, 0.2, 1.0, 5.0, 20.0]) * fresh.uniform(0.75, 1.0, 5)
shapes = fresh.integers(
    [[0, 2, 1], [1, 1, 3], [10, 4, 2], [200, 3, 2], [1200, 4, 1]],
    [[1, 5, 4], [2, 2, 6], [100, 9, 5], [900, 7, 6], [3000, 7, 4]],
)
for (women, asked, limit), draws, promise in zip(shapes, (1000, 2000, 1000, 1000, 500), promises, strict=True):
    given = np.round(fresh.normal(size=(women, asked)) * 0.8, 2) * (fresh.random((women, asked)) < 0.5)
    counted = range(1, min(limit, asked) + 1)
    check(
        noisy_products,
        laplace_law((given, limit), products_by_hand(given, limit), float(sum(counted)), promise, samples=draws),
    )
one_each = np.eye(5)[fresh.integers(0, 5, 30)]  # the fullest record has fewer answers than the form allows
check(noisy_products, laplace_law((one_each, 3), products_by_hand(one_each, 3), 6.0, 0.8, samples=2000))
weak = fresh.uniform(-0.4, 0.4, (40, 5)) * [1.0, 0, 0, 1.0, 0]  # answers to two questions, none near 1
check(noisy_products, laplace_law((weak, 3), products_by_hand(weak, 3), 6.0, 0.8, samples=2000))
none, her = np.zeros((1, 3)), np.array([[0.0, 0.0, 0.0], [-1e6, 1e6, 1e6]])
check(
    noisy_products,
    private((none, 2, 2.0), (her, 2, 2.0), epsilon=2.0, shape=(6,), samples=2000, additive=True),
)
### END HIDDEN TESTS


# %% tags=["wrong"]
def noisy_products(records, most, epsilon, rng):
    # WRONG no noise | NO_NOISE
    kept = np.clip(records, -1, 1) * (np.cumsum(records != 0, axis=1) <= most)
    return upper(kept.T @ kept)

    # WRONG answers not cut | an answer beyond 1 counts as 1
    kept = records * (np.cumsum(records != 0, axis=1) <= most)
    return laplace_mechanism(upper(kept.T @ kept), most * (most + 1) / 2, epsilon, rng)

    # WRONG as many answers as there are | only the first four of each count
    kept = np.clip(records, -1, 1)
    return laplace_mechanism(upper(kept.T @ kept), most * (most + 1) / 2, epsilon, rng)

    # WRONG rule breakers left out | is cut to them, not left out
    good = (np.abs(records).max(axis=1) <= 1) & ((records != 0).sum(axis=1) <= most)
    kept = records[good]
    return laplace_mechanism(upper(kept.T @ kept), most * (most + 1) / 2, epsilon, rng)

    # WRONG one answer too few | not three
    kept = np.clip(records, -1, 1) * (np.cumsum(records != 0, axis=1) < most)
    return laplace_mechanism(upper(kept.T @ kept), most * (most + 1) / 2, epsilon, rng)

    # WRONG the first columns | not the first four columns
    kept = np.clip(records, -1, 1) * (np.arange(records.shape[1]) < most)
    return laplace_mechanism(upper(kept.T @ kept), most * (most + 1) / 2, epsilon, rng)

    # WRONG all columns answered | not five
    p, kept = records.shape[1], np.clip(records, -1, 1) * (np.cumsum(records != 0, axis=1) <= most)
    return laplace_mechanism(upper(kept.T @ kept), p * (p + 1) / 2, epsilon, rng)

    # WRONG both halves of the matrix | once, not twice
    kept = np.clip(records, -1, 1) * (np.cumsum(records != 0, axis=1) <= most)
    return laplace_mechanism(upper(kept.T @ kept), most**2, epsilon, rng)

    # WRONG the squares alone | the pairs of answers move as well
    kept = np.clip(records, -1, 1) * (np.cumsum(records != 0, axis=1) <= most)
    return laplace_mechanism(upper(kept.T @ kept), most, epsilon, rng)

    # WRONG the Euclidean length | not by their Euclidean length
    kept = np.clip(records, -1, 1) * (np.cumsum(records != 0, axis=1) <= most)
    scale = np.sqrt(most * (most + 1) / 2)
    return laplace_mechanism(upper(kept.T @ kept), scale, epsilon, rng)

    # WRONG more answers than columns | with other data, which you have not seen
    kept = np.clip(records, -1, 1) * (np.cumsum(records != 0, axis=1) <= most)
    return laplace_mechanism(upper(kept.T @ kept), most * (most + 1) / 2, epsilon, rng)

    # WRONG the fullest record | with other data, which you have not seen
    kept = np.clip(records, -1, 1) * (np.cumsum(records != 0, axis=1) <= most)
    answered = (kept != 0).sum(axis=1).max(initial=0) or min(most, records.shape[1])
    return laplace_mechanism(upper(kept.T @ kept), answered * (answered + 1) / 2, epsilon, rng)

    # WRONG one noise for all | SHARED
    kept = np.clip(records, -1, 1) * (np.cumsum(records != 0, axis=1) <= most)
    sums = upper(kept.T @ kept)
    return sums + rng.laplace(scale=most * (most + 1) / 2 / epsilon)


# %% [markdown]
# ## 3. How many rows does this ballast carry? (4 points)
#
# *You learn* to turn a guarantee round: from the weight to the rows. About 25 minutes, medium.
#
# Among the records stand $p$ public ones, $w e_1, \dots, w e_p$, with $w$ = `weight`; no other record is longer than
# `bound`. Write `most_rows(weight, bound, epsilon, delta)`: the largest number of rows to which the whole may be
# projected. The release must be $(\varepsilon, \delta)$-DP for *every* such table, when one record that is not public
# is added or removed. Return 0 if even one row is too much. You may use `dpbook`. The answer may be a million.


# %%
def most_rows(weight, bound, epsilon, delta):
    ### BEGIN SOLUTION
    from dpbook.projection import projection_delta

    leverage = bound**2 / (bound**2 + weight**2)  # the largest that a record can have, in any company
    low, high = 0, 1
    while projection_delta(leverage, high, epsilon) <= delta:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        kept = projection_delta(leverage, middle, epsilon) <= delta
        low, high = (middle, high) if kept else (low, middle)
    return low
    ### END SOLUTION


# %% points=4
# The check
check(
    most_rows,
    answers(
        [(18.0, 2.0, 1.0, 1e-6), (30.0, 3.0, 0.5, 1e-5), (12.0, 1.5, 2.0, 1e-4)],
        [638, 343, 2595],
        slips={
            "a record adds to what is there: it is among those that its leverage is a share of": [621, 335, 2513],
            "leverage is a share of squares": [0, 0, 27],
            "both lengths are squared": [0, 0, 9],
            "both lengths are squared, and the record itself counts": [0, 0, 19],
            "that keeps the *chance* of a loss above epsilon below delta: more than is asked": [462, 209, 1951],
            "cutting epsilon and delta into equal parts for the rows is safe, but far from the most": [8, 7, 21],
            "the exact delta is the larger of two ways, not their sum": [591, 308, 2354],
            "with one row more than you may have the guarantee breaks: yours is that one": [639, 344, 2596],
        },
        tolerance=0.01,
        variant=VARIANT,
    ),
)


### BEGIN HIDDEN TESTS
def delta_of(leverage, rows, epsilon):
    """From the gamma laws of the loss with the record and without it, whichever way is worse."""
    from scipy import stats

    shift = rows / 2 * np.log1p(-leverage)
    here, there = (stats.gamma(rows / 2, shift, scale) for scale in (leverage / (1 - leverage), leverage))
    grown = np.exp(epsilon)
    return max(here.sf(epsilon) - grown * there.sf(epsilon), there.cdf(-epsilon) - grown * here.cdf(-epsilon))


asked, carried = [], []
for heavy in (0.5, 3.0, 8.0, 25.0, 80.0, 250.0):
    size, promise, share = fresh.uniform(0.5, 3), np.exp(fresh.uniform(-2, 1.5)), 10.0 ** -fresh.uniform(3, 8)
    h = 1 / (1 + heavy**2)
    count, step = 0, 2**22
    while step:
        if delta_of(h, count + step, promise) <= share:
            count += step
        step //= 2
    near = [abs(delta_of(h, rows, promise) / share - 1) for rows in (max(count, 1), count + 1)]
    if count < 10**6 and min(near) > 1e-6:
        asked.append((heavy * size, size, promise, share))
        carried.append(count)
check(most_rows, answers(asked, carried, tolerance=0.01))
### END HIDDEN TESTS


# %% tags=["wrong"]
def most_rows(weight, bound, epsilon, delta):
    # WRONG the record forgotten | it is among those that its leverage is a share of
    from dpbook.projection import projection_delta

    return next(m for m in range(10**6) if projection_delta(bound**2 / weight**2, m + 1, epsilon) > delta)

    # WRONG lengths for squares | leverage is a share of squares
    from dpbook.projection import projection_delta

    return next(m for m in range(10**6) if projection_delta(bound / (bound + weight), m + 1, epsilon) > delta)

    # WRONG the weight not squared | both lengths are squared
    from dpbook.projection import projection_delta

    leverage = bound**2 / (bound**2 + weight)
    return next(m for m in range(10**6) if projection_delta(leverage, m + 1, epsilon) > delta)

    # WRONG the chance of a larger loss | more than is asked
    from dpbook.projection import loss_tail

    leverage = bound**2 / (bound**2 + weight**2)
    return next(m for m in range(10**6) if loss_tail(leverage, m + 1, epsilon) > delta)

    # WRONG each row by itself | far from the most
    from dpbook.projection import projection_delta

    leverage = bound**2 / (bound**2 + weight**2)
    return next(m - 1 for m in range(1, 10**6) if m * projection_delta(leverage, 1, epsilon / m) > delta)

    # WRONG the first that is too many | yours is that one
    from dpbook.projection import projection_delta

    leverage = bound**2 / (bound**2 + weight**2)
    return next(m for m in range(1, 10**6) if projection_delta(leverage, m, epsilon) > delta)


# %% [markdown]
# ## 4. Attack: is she among them? (4 points)
#
# *You learn* to weigh each direction by what the others have in it. About 35 minutes, medium to hard.
#
# A hospital publishes projections: "Every row is a mixture of everybody. There is no record in it." Somebody knows the table
# of all others, and what her record would be. Write `was_there(release, others, record)`: 1 if the release is of the table with
# her record, 0 if it is of the others alone. Both are equally likely beforehand. You must be right in 93% of the
# releases. Most of her leverage lies in a direction in which the others have little.


# %% jupyter={"source_hidden": true} tags=["setup"]
# What the check needs
def tells(variables, women, rows, leverage, seed, least=0.93):
    """A requirement: of 200 releases, for so many it is told whether her record is in them."""
    rng = np.random.default_rng(seed)
    plays, truth = [], np.tile([0, 1], 100)
    for table in range(4):
        others = rng.normal(size=(women, variables)) * np.geomspace(1, 30, variables)
        sizes, directions = np.linalg.eigh(others.T @ others)
        along = np.eye(variables)[0] * 0.85 + np.eye(variables)[-1] * np.sqrt(1 - 0.85**2)
        record = directions @ (np.sqrt(sizes) * along) * np.sqrt(leverage / (1 - leverage))
        for there in truth[table::4]:
            mixed = np.vstack([others, record * there])
            plays.append((rng.normal(scale=rows**-0.5, size=(rows, women + 1)) @ mixed, others, record))
    truth = np.concatenate([truth[table::4] for table in range(4)])

    def requirement(draw):
        given = draw(plays)[:, 0]
        if not np.isin(given, (0, 1)).all():
            return "an answer is neither 0 nor 1: say whether she was there, not how likely it is"
        share = np.mean(given == truth)
        if share >= least:
            return ""
        hint = "compare how likely the release is with her record in the table, and without it"
        if np.ptp(given) == 0:
            hint = "you say the same of every release"
        elif share < 0.4:
            hint = "and the contrary more often: which is 1, and which 0?"
        elif np.mean(given == [nearer(*play) for play in plays]) > 0.95:
            hint = "the long directions drown hers: measure each by what the others have in it"
        elif abs(given[truth == 1].mean() - given[truth == 0].mean() - 2 * share + 1) < 1e-9 and (
            min(given[truth == 1].mean(), 1 - given[truth == 0].mean()) < share - 0.1
        ):
            side = "seldom" if given[truth == 1].mean() < share else "often"
            hint = f"you say 1 too {side}: where is a release as likely with her as without?"
        return f"you are right in {share:.0%} of the releases, where {least:.0%} are asked; {hint}"

    return requirement


def nearer(release, others, record):
    """Whether the sums of products of the release are nearer to those with her record."""
    seen, without = release.T @ release, others.T @ others
    return np.linalg.norm(seen - without - np.outer(record, record)) < np.linalg.norm(seen - without)


# %%
def was_there(release, others, record):
    ### BEGIN SOLUTION
    # Theorem 19.2: the log of the ratio of the two densities; 0 is where both are equally likely.
    from dpbook.projection import projection_loss

    return projection_loss(release, np.vstack([others, record]), len(others)) > 0
    ### END SOLUTION


# %% points=4
# The check
check(was_there, tells(5, 50, 30, 0.7, seed=19 + VARIANT))


### BEGIN HIDDEN TESTS
def by_densities(release, others, record):
    """The two normal densities of all rows, as scipy has them."""
    from scipy.stats import multivariate_normal

    grams = (others.T @ others, others.T @ others + np.outer(record, record))
    logs = [multivariate_normal(cov=gram / len(release)).logpdf(release).sum() for gram in grams]
    return float(logs[1] > logs[0])


for size, company_of, m, h in ((3, 12, 60, 0.6), (8, 400, 30, 0.75), (int(fresh.integers(4, 7)), 60, 150, 0.4)):
    trouble = "draw again"
    while trouble:
        seed = int(fresh.integers(2**40))
        trouble = tells(size, company_of, m, h, seed, least=0.96)(draws_here(by_densities))
    check(was_there, tells(size, company_of, m, h, seed))
### END HIDDEN TESTS


# %% tags=["wrong"]
def was_there(release, others, record):
    # WRONG the nearer sums of products | the long directions drown hers
    seen, without = release.T @ release, others.T @ others
    return np.linalg.norm(seen - without - np.outer(record, record)) < np.linalg.norm(seen - without)

    # WRONG without the determinants | the same of every release
    without = others.T @ others
    forms = [np.sum(release @ np.linalg.inv(gram) * release) for gram in (without, without + np.outer(record, record))]
    return forms[1] < forms[0]

    # WRONG more than the average with her | you say 1 too seldom
    gram = others.T @ others + np.outer(record, record)
    direction = np.linalg.solve(gram, record)
    return np.sum((release @ direction) ** 2) > record @ direction

    # WRONG the wrong way round | which is 1, and which 0
    from dpbook.projection import projection_loss

    return projection_loss(release, np.vstack([others, record]), len(others)) < 0

    # WRONG the ratio itself | neither 0 nor 1
    from dpbook.projection import projection_loss

    return projection_loss(release, np.vstack([others, record]), len(others))

    # WRONG a row like her | right in
    likeness = release @ record / np.linalg.norm(record) / np.linalg.norm(release, axis=1)
    return np.abs(likeness).max() > 0.99


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* to tell a fact about a table from a guarantee about all of them. About 20 minutes, medium.
#
# (1) "The release has 200 rows, the table had 6,366: far fewer equations than unknowns. So nobody's record can be computed, and
# that is differential privacy." What is right, and what does not follow? (2) "We have computed the leverages of our table. The
# largest is 0.01, so the release is $(1, 10^{-6})$-DP." What is true, and what does it guarantee? Which table
# breaks it? (3) A colleague truncates: releases are drawn again until $\tilde X^\top \tilde X$ lies in a box around the
# *true* $X^\top X$, "and then the loss has a bound". Does it? Name one repair that protects everybody, and what
# it costs. Three to six sentences.

# %% [markdown] name="explain_hospital" points=3
# ### BEGIN SOLUTION
# It is true that the table cannot be computed from the release. But differential privacy asks how much likelier a release is
# with one record than without it, for somebody who knows all the others. That ratio can be huge: a woman who is alone in a
# direction has leverage 1, and the release shows her with certainty. The largest leverage is a fact about this table. For
# this table and its records the exact delta may well be that small. But a guarantee is one for all tables: project a
# table in which one woman alone has a diagnosis, and delta is 1. And to publish or use the largest leverage is a release
# of its own. Around the true matrix neighbours accept different releases. Some can come from one of them only, which is an
# infinite loss; the box must be chosen without the data. Everybody is protected by ballast, public records along each variable,
# if records have bounded length; its error grows with its weight. Another way is noise on the sums of products.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each.
#
# - (a) "cannot be computed" is no bound on the ratio between neighbours. This needs an example or the reason (leverage, a woman
#   who is alone, a rare direction).
# - (b) It is a fact about this table; a guarantee must hold for every table, with a table that breaks it. Or: the claim itself
#   is computed from the data.
# - (c) No: around its own matrix each table accepts other releases, so the loss is infinite. One repair with its price must be
#   named. It is ballast (bounded records, error), or Laplace or Gaussian noise on the sums. A public reference alone bounds the
#   loss only between tables within the constraint: accept
#   it only with that restriction.
# ### END MARK SCHEME
