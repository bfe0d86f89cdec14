# %% [markdown]
# # Assignment 30: Noise that remembers
#
# Five tasks, 20 points. You need chapter 30, *Noise that remembers*.
#
# All data here are invented. Yours may differ from those of others. There are $T$ steps. A *strategy* $C$ is a
# $T \times T$ array. It is lower triangular, with no 0 on its diagonal. Neighbours differ by *adding or removing* one
# person, who moves one item by at most 1; in task 4, several items.

# %% tags=["setup"]
from functools import partial

import numpy as np

from dpbook.check import answers, check, normal_law, own_order, private, repeatable, words

VARIANT = 0  # of 6
mine = partial(own_order, variant=VARIANT)


# %% jupyter={"source_hidden": true} tags=["setup"]
# What the checks need
def steady(size, rng, spare=0.9):
    """A strategy at random, of either sign, whose diagonal outweighs the rest of each row."""
    rest = np.tril(rng.normal(size=(size, size)), -1)
    c = rest * spare / np.maximum(np.abs(rest).sum(axis=1, keepdims=True), 1e-9) + np.eye(size)
    return c * np.exp(rng.uniform(-1.5, 1.5)) * np.where(rng.random(size) < 0.5, -1, 1)


# %% [markdown]
# ## 1. What a strategy costs (3 points)
#
# *You learn* to read the price of a release from two matrices. About 20 minutes, easy to medium.
#
# All $T$ running totals of a stream $x$ are released as $A(x + C^{-1} z)$, where $A$ has ones on and below its diagonal. The
# numbers $z$ are independent and normal. Their standard deviation is the *sensitivity* of $C$: how far one person can move $Cx$,
# in Euclidean length. Write `counter_cost(strategy)`. It returns an array of two numbers: the sensitivity, and the
# largest standard deviation that a total has.
#
# *Example.* Let $C$ be the unit matrix of size 4. Its sensitivity is 1, and the last total has the standard deviation 2.
#
# *Graded:* your numbers, to 0.000001, with up to 300 steps.


# %%
def counter_cost(strategy):
    ### BEGIN SOLUTION
    sensitivity = np.linalg.norm(strategy, axis=0).max()  # one person moves one item, so one column
    noise = np.cumsum(np.linalg.inv(strategy), axis=0)  # A C^-1: a row for each total
    return np.array([sensitivity, sensitivity * np.linalg.norm(noise, axis=1).max()])
    ### END SOLUTION


# %% points=3
STRATEGIES = [
    np.array([[0.8, 0, 0], [1.5, 1.2, 0], [-0.4, 0.9, 2]]),
    np.array([[1.0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, 1]]),
    np.array([[1.2, 0, 0, 0], [-0.6, 3, 0, 0], [0.3, -1.5, 0.5, 0], [0.2, 0.1, 0.4, 0.9]]),
]
check(
    counter_cost,
    answers(
        [(c,) for c in STRATEGIES],
        [[2, 2.5], [1.73205081, 2.44948974], [3.35559235, 8.73600468]],
        slips={
            "one person moves one item, so a column of C: you took a row": (
                [[2.22934968, 2.7866871], [2, 2.82842712], [3.05941171, 7.9649231]]
            ),
            "the noise comes out through A C^-1, but a person goes in through C": (
                [[1.43894289, 1.79867861], [1.41421356, 2], [2.28791781, 5.95640311]]
            ),
            "a length is the root of the sum of squares: the root is missing": (
                [[4, 6.25], [3, 6], [11.26, 76.31777778]]
            ),
            "the largest deviation is asked for, not the root mean square of all": (
                [[2, 2.07366681], [1.73205081, 1.93649167], [3.35559235, 5.91103772]]
            ),
            "the last total need not be the worst: look at all": (
                [[2, 1.86597946], [1.73205081, 1.73205081], [3.35559235, 6.56605928]]
            ),
            "z is as large as the sensitivity: multiply": (
                [[2, 1.25], [1.73205081, 1.41421356], [3.35559235, 2.60341656]]
            ),
            "that is the noise of one item: a total adds up the noises of all items so far": (
                [[2, 3.54166667], [1.73205081, 3], [3.35559235, 7.50333259]]
            ),
            "each total has a row of A C^-1, and you took a column": (
                [[2, 2.87788578], [1.73205081, 2.44948974], [3.35559235, 7.67731949]]
            ),
            "the noise is C^-1 z, and you took C z": (
                [[2, 6.93397433], [1.73205081, 7.34846923], [3.35559235, 10.26613851]]
            ),
            "normal noise pays for the length of a column, not for the sum of its absolute values": (
                [[2.7, 3.375], [3, 4.24264069], [4.6, 11.97571617]]
            ),
            "a person moves one item, and so one column: not the whole of C": (
                [[3.04959014, 3.81198767], [2.82842712, 4], [3.79605058, 9.88270094]]
            ),
            "a person may move any item: the first column is not the longest everywhere": (
                [[1.74642492, 2.18303115], [1.73205081, 2.44948974], [1.3892444, 3.61678187]]
            ),
        },
        variant=VARIANT,
    ),
)


### BEGIN HIDDEN TESTS
def costs(c):
    moved = np.sqrt(np.max(np.sum(c * c, axis=0)))
    into = np.linalg.solve(c.T, np.tri(len(c)).T)  # a column for each total
    return moved, moved * np.sqrt(np.max(np.sum(into**2, axis=0)))


several = [steady(size, fresh) for size in (1, 2, 3, 5, 8, 20, 60)]
several += [np.tri(4), np.diag(fresh.uniform(0.2, 4, 6)), np.eye(300), np.tri(7) @ np.diag(fresh.uniform(1, 3, 7))]
check(counter_cost, answers([(c,) for c in several], [costs(c) for c in several]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def counter_cost(strategy):
    noise = np.tri(len(strategy)) @ np.linalg.inv(strategy)
    moved, spread = np.linalg.norm(strategy, axis=0).max(), np.linalg.norm(noise, axis=1).max()

    def cost(moved=moved, spread=spread):
        return np.array([moved, moved * spread])

    # WRONG rows of C | you took a row
    return cost(np.linalg.norm(strategy, axis=1).max())

    # WRONG columns of the decoder | a person goes in through C
    return cost(np.linalg.norm(noise, axis=0).max())

    # WRONG squares | the root is missing
    return cost(moved**2, spread**2)

    # WRONG root mean square | not the root mean square of all
    return cost(spread=np.sqrt(np.mean(np.sum(noise**2, axis=1))))

    # WRONG the last total | need not be the worst
    return cost(spread=np.linalg.norm(noise[-1]))

    # WRONG z of deviation 1 | z is as large as the sensitivity
    return np.array([moved, spread])

    # WRONG noise of items | a total adds up the noises
    return cost(spread=np.linalg.norm(np.linalg.inv(strategy), axis=1).max())

    # WRONG columns for totals | you took a column
    return cost(spread=np.linalg.norm(noise, axis=0).max())

    # WRONG not inverted | you took C z
    return cost(spread=np.linalg.norm(np.tri(len(strategy)) @ strategy, axis=1).max())

    # WRONG absolute values | not for the sum of its absolute values
    return cost(np.abs(strategy).sum(axis=0).max())

    # WRONG the whole matrix | not the whole of C
    return cost(np.linalg.norm(strategy))

    # WRONG the first column | not the longest everywhere
    return cost(np.linalg.norm(strategy[:, 0]))


# %% [markdown]
# ## 2. A square root (4 points)
#
# *You learn* to build a strategy of any length without its matrix. About 25 minutes, medium.
#
# A lower triangular *Toeplitz* matrix has equal entries along each diagonal, so its first column determines it. Such
# matrices multiply as power series do: a column $1, c_1, c_2, \dots$ stands for $1 + c_1 x + c_2 x^2 + \cdots$. The
# matrix $A$ of running totals is $1 + x + x^2 + \cdots = 1/(1 - x)$. Its square root is the strategy with $CC = A$ and
# the first entry 1. Write `root_and_inverse(steps)`, an array of two rows: the first column of $C$, and the first
# column of $C^{-1}$, both of length $T$ = `steps`.
#
# *Example.* With three steps they are $1, 1/2, 3/8$ and $1, -1/2, -1/8$.
#
# *Graded:* your numbers, to $10^{-10}$, with up to 200,000 steps in two seconds. So a $T \times T$ array is too much, and factorials
# overflow. Each coefficient is the one before it times a fraction.


# %%
def root_and_inverse(steps):
    ### BEGIN SOLUTION
    lag = np.arange(1, steps)
    root = np.append(1, np.cumprod((lag - 1 / 2) / lag))  # of (1 - x)^(-1/2)
    inverse = np.append(1, np.cumprod((lag - 3 / 2) / lag))  # of (1 - x)^(1/2)
    return np.array([root, inverse])
    ### END SOLUTION


# %% points=4
HALF = np.array([1, 1 / 2, 3 / 8, 5 / 16, 35 / 128, 63 / 256, 231 / 1024, 429 / 2048, 6435 / 32768])
HALF = np.append(HALF, [12155 / 65536, 46189 / 262144, 88179 / 524288])
BACK = np.array([1, -1 / 2, -1 / 8, -1 / 16, -5 / 128, -7 / 256, -21 / 1024, -33 / 2048, -429 / 32768])
BACK = np.append(BACK, [-715 / 65536, -2431 / 262144, -4199 / 524288])
FRACTIONS = np.array([1, 1 / 2, 3 / 4, 5 / 6, 7 / 8, 9 / 10, 11 / 12, 13 / 14, 15 / 16, 17 / 18, 19 / 20])
BELOW = np.array([1, -1 / 2, 1 / 4, 1 / 2, 5 / 8, 7 / 10, 3 / 4, 11 / 14, 13 / 16, 5 / 6, 17 / 20])


def seen_to(rows):
    """The first steps, so many of them."""
    k, half, back = np.arange(rows), HALF[:rows], BACK[:rows]
    turned, in_turn = np.where(k, -half, 1), half * (-1.0) ** k
    of_a = (k == 0) - 1.0 * (k == 1)
    return answers(
        [(rows,)],
        [[half, back]],
        slips={
            "binomials of 2k and k, over 4^k: you have powers of 2 alone": [[0.5**k, np.append(1, -(0.5 ** k[1:]))]],
            "an inverse is not the same with its signs turned round: multiply the two and see": [[half, turned]],
            "an inverse is not the same with alternating signs: multiply the two and see": [[half, in_turn]],
            "the inverse of a matrix has not the inverse entries": [[half, 1 / half]],
            "both begin with 1: yours begin one place late": [[HALF[1 : rows + 1], BACK[1 : rows + 1]]],
            "a square root of a matrix has not the roots of its entries": [[np.ones(rows), of_a]],
            "the rows are the wrong way round: first C, then its inverse": [[back, half]],
            "the second row is C again, and its inverse was asked for": [[half, half]],
            "the second row is the inverse of A, and not that of C": [[half, of_a]],
            "a fraction per step: you have it to the power of the step": [[FRACTIONS[:rows], BELOW[:rows]]],
        },
        tolerance=1e-9,
    )


def multiplied(steps):
    """C C must be A, and C times its inverse the unit matrix: within 2e-8, if each entry is within 1e-10."""
    asks = [(steps,)], None, (2, steps)

    def requirement(draw):
        first, second = np.fft.rfft(draw(*asks)[0, 0], 2 * steps)
        whole, unit = np.fft.irfft([first * first, first * second])[:, :steps]
        if np.abs(whole - 1).max() > 2e-8 or np.abs(unit - np.eye(steps)[0]).max() > 2e-8:
            return "right for a few steps, and wrong for many: C C must be A, and C times its inverse 1"
        return ""

    requirement.asks = asks
    return requirement


check(root_and_inverse, seen_to(6 + VARIANT), seen_to(2), seen_to(1), multiplied(5_000 + VARIANT))


### BEGIN HIDDEN TESTS
from scipy.special import gammaln

for steps in fresh.integers([60, 900, 100_000], [90, 2_000, 200_000]):
    k = np.arange(steps)
    half = np.exp(gammaln(k + 0.5) - gammaln(k + 1.0) - gammaln(0.5))
    check(root_and_inverse, answers([(int(steps),)], [[half, half / (1 - 2 * k)]], tolerance=1e-10))
### END HIDDEN TESTS


# %% tags=["wrong"]
def root_and_inverse(steps):
    lags = np.arange(1, steps)
    root = np.append(1, np.cumprod(1 - 0.5 / lags))

    # WRONG powers of 2 | you have powers of 2 alone
    halves = 0.5 ** np.arange(steps)
    return np.array([halves, np.append(1, -halves[1:])])

    # WRONG signs turned | with its signs turned round
    return np.array([root, np.append(1, -root[1:])])

    # WRONG signs in turn | with alternating signs
    return np.array([root, root * np.resize([1, -1], steps)])

    # WRONG inverse entries | has not the inverse entries
    return np.array([root, 1 / root])

    # WRONG one place late | begin one place late
    lags = np.arange(1, steps + 1)
    return np.array([np.cumprod(1 - 0.5 / lags), np.cumprod(1 - 1.5 / lags)])

    # WRONG roots of entries | has not the roots of its entries
    ones = np.sqrt(np.tri(steps))
    return np.array([ones[:, 0], np.linalg.inv(ones)[:, 0]])

    # WRONG the other way round | first C, then its inverse
    return np.array([np.append(1, np.cumprod(1 - 1.5 / lags)), root])

    # WRONG the same twice | the second row is C again
    return np.array([root, root])

    # WRONG the inverse of A | and not that of C
    return np.array([root, np.append(1, -1.0 * (lags == 1))])

    # WRONG fractions alone | to the power of the step
    return np.array([np.append(1, 1 - shift / lags) for shift in (0.5, 1.5)])

    # WRONG factorials | RAISED
    from math import factorial

    root = np.array([factorial(2 * k) / factorial(k) ** 2 / 4.0**k for k in range(steps)])
    return np.array([root, root / (1 - 2 * np.arange(steps))])

    # WRONG binomials | NOT_FINITE
    from scipy.special import binom

    lags = np.arange(steps)
    root = binom(2 * lags, lags) / 4.0**lags
    return np.array([root, root / (1 - 2 * lags)])


# %% [markdown]
# ## 3. Totals with noise that remembers (5 points)
#
# *You learn* to make noise that takes back what earlier noise added. About 30 minutes, medium.
#
# Write `running_totals(stream, strategy, multiplier, rng)`, which releases all $T$ running totals of $x + y$. Here $x$ is `stream`,
# and the noise is $y = C^{-1} z$. The numbers $z$ are independent and normal, with standard deviation `multiplier` times the
# sensitivity of $C$ (as in task 1). So the guarantee is the same whatever the strategy is: that of one normal noise, of
# `multiplier` times its sensitivity.
#
# You may solve for the whole $y$ at once. Or go step by step. Since $Cy = z$, the row of step $t$ says that
# $C_{t1} y_1 + \cdots + C_{tt} y_t = z_t$. Then a stream can go on for ever.
#
# *Graded:* the distribution of all totals together, with 1 to 200 steps, strategies of either sign, and multipliers from
# 0.1 to 20.


# %%
def running_totals(stream, strategy, multiplier, rng):
    ### BEGIN SOLUTION
    sensitivity = np.linalg.norm(strategy, axis=0).max()
    noise = np.zeros(len(stream))
    for t in range(len(stream)):
        fresh_noise = rng.normal(scale=multiplier * sensitivity)
        noise[t] = (fresh_noise - strategy[t, :t] @ noise[:t]) / strategy[t, t]
    return np.cumsum(stream + noise)
    ### END SOLUTION


# %% points=5
from dpbook.gaussian import gaussian_scale


def length_of(lines):
    """The length of the longest of these rows."""
    return max(np.sqrt(np.sum(np.square(line))) for line in lines)


def decoder(c):
    """How much of each z is in each total."""
    return np.linalg.solve(c.T, np.tri(len(c)).T).T


VISITS = np.roll([1.0, 0, 3, 1, 0, 2], VARIANT)
MIXED = np.array(
    [
        [0.8, 0, 0, 0, 0, 0],
        [0.5, 1.2, 0, 0, 0, 0],
        [-0.3, 0.4, 0.7, 0, 0, 0],
        [0.2, 0, 0.5, 2, 0, 0],
        [0.1, 0.9, 0, -0.6, 1, 0],
        [0.6, 0.5, 0.4, 0.3, 1.6, 1.5],
    ]
)


def outputs_of_mistakes(c, moved):
    """What z becomes in the totals: a matrix, times its transpose the covariance of all totals."""
    whole, inverse, one = np.tri(len(c)), np.linalg.inv(c), np.eye(len(c))
    diagonal, below = np.diag(np.diag(c)), np.tril(c, -1)
    right = whole @ inverse
    anew_in_steps, anew_in_totals = (np.diag(np.linalg.norm(noise, axis=1)) for noise in (inverse, right))
    fresh_remembered = np.linalg.inv(diagonal) @ (one - below)
    matrices = {
        "C z is noise that grows: the noise is C^-1 z": whole @ c,
        "each step drew the earlier noises anew: remember them": whole @ anew_in_steps,
        "each total drew all its noise anew: then later totals take nothing back": anew_in_totals,
        "what is remembered are the noises that were added, y, and not the fresh numbers z": whole @ fresh_remembered,
        "divide by the entry on the diagonal": whole @ np.linalg.inv(one + below),
        "the earlier noise is taken back, and you add it once more": whole @ np.linalg.inv(diagonal - below),
        "this is fresh noise for each item: nothing is remembered": whole,
        "noise is added to the items, and yours to the totals: the totals of y are asked for": inverse,
        "y is in the totals already: its totals were added up twice": whole @ right,
        "rows and columns of C are exchanged": whole @ inverse.T,
    }
    lengths = {
        "z is `multiplier` times the sensitivity of C: the sensitivity is missing": 1,
        "the sensitivity is the longest column of C: you took the first": np.linalg.norm(c[:, 0]),
        "the sensitivity is the longest column of C: you took a row": length_of(c),
        "the sensitivity is the longest column of C, and not the largest factor of C": np.linalg.norm(c, 2),
        "the sensitivity is the longest column of C, and not the whole of C": np.linalg.norm(c),
        "the sensitivity is a length: its root is missing": moved**2,
        "the sensitivity is the longest column of C, and not that of the noise": length_of(right.T),
        "the sensitivity is the longest column of C: you took the last": abs(c[-1, -1]),
    }
    shapes = {sentence: moved * matrix for sentence, matrix in matrices.items()}
    return shapes | {sentence: length * right for sentence, length in lengths.items()}


def together(stream, c, multiplier):
    """The spread of all totals, and how they move together: a sentence about a known mistake, or none."""
    sums, moved = np.cumsum(stream), length_of(c.T)
    truth = moved * decoder(c)
    known = {sentence: m @ m.T for sentence, m in outputs_of_mistakes(c, moved).items()}
    unit = np.sqrt(np.diag(truth @ truth.T))

    def near(found, covariance):
        size = np.sqrt(np.diag(covariance))
        return np.abs(found - covariance).max() == 0 or np.all(np.abs(found - covariance) < 0.06 * np.outer(size, size))

    def requirement(draw):
        releases = draw([(stream, c, multiplier)], 20_000, sums.shape)[0]
        middle = np.median(releases, axis=0)
        spread = releases.std(axis=0)
        if np.all(spread < 1e-9):
            return words.NO_NOISE if np.abs(middle - sums).max() < 1e-6 else ""
        if np.array_equal(releases, np.round(releases)):
            return words.WHOLE
        if np.all(np.abs(middle - stream) < spread / 10) and np.any(np.abs(stream - sums) > spread / 5):
            return "these are the items with noise: their running totals are asked for"
        if np.any(np.abs(middle - sums) > multiplier * unit / 10 + spread / 10):
            return ""
        found = np.cov(releases.T) / multiplier**2
        if near(found, truth @ truth.T):
            return ""
        return next((sentence for sentence, covariance in known.items() if near(found, covariance)), "")

    return requirement


def inside(stream, c, multiplier):
    """What C makes of the releases: C x and the fresh numbers z, and with them the whole distribution of the totals."""
    centre, scale = c @ np.asarray(stream, float), multiplier * length_of(c.T)
    law = normal_law((stream, c, multiplier), centre, scale)

    def requirement(draw):
        def looked(calls, samples=None, shape=(), seed=None):
            return np.diff(draw(calls, samples, shape, seed), axis=-1, prepend=0) @ c.T

        if hasattr(draw, "noise"):
            looked.noise = draw.noise
        return law(looked)

    return requirement


def without_one(stream, c, step, epsilon):
    """The stream, and the same with one person more in a step."""
    multiplier = gaussian_scale(1, epsilon, 1e-3)
    more = np.asarray(stream, float) + np.eye(len(stream))[step]
    sides = [(np.asarray(stream, float), c, multiplier), (more, c, multiplier)]
    return private(*sides, epsilon=epsilon, shape=(len(stream),), samples=4_000, delta=1e-3)


check(
    running_totals,
    together(VISITS, MIXED, 0.25),
    together(np.array([2.0, 0, 1]), np.tri(3) + np.diag([0, 1.0, 0]), 1.0),
    inside(VISITS, MIXED, 0.25),
    inside(np.array([4.0]), np.array([[-2.0]]), 3.0),
    repeatable((VISITS, MIXED, 1.0), shape=(6,)),
    without_one(VISITS, MIXED, 1, 1.0),
)
### BEGIN HIDDEN TESTS
for size, spare in zip(fresh.integers([1, 2, 3, 8, 51], [2, 3, 8, 30, 90]), (0.9, 0.9, 0.9, 0.6, 0.9), strict=True):
    some, loud = fresh.integers(0, 4, size).astype(float), float(np.exp(fresh.uniform(-2.3, 3)))
    check(running_totals, inside(some, steady(size, fresh, spare), loud))
for size, bands in ((int(fresh.integers(150, 200)), 200), (int(fresh.integers(20, 40)), 3)):
    half = np.append(1, np.cumprod(1 - 0.5 / np.arange(1, size))) * (np.arange(size) < bands)
    banded = np.array([[half[i - j] if i >= j else 0.0 for j in range(size)] for i in range(size)])
    check(running_totals, inside(fresh.integers(-2, 3, size).astype(float), banded, fresh.uniform(0.2, 5)))
late = np.eye(170) + 3 * np.eye(170, k=-169) - 2 * np.eye(170, k=-150)  # the first noises come back at the end
check(running_totals, inside(np.zeros(170), late, fresh.uniform(0.5, 2)))
longest = [steady(4, fresh) for _ in range(2)]
for promise, c in zip((0.6, 2.0), longest, strict=True):
    check(running_totals, without_one(np.zeros(4), c, int(np.argmax(np.sum(c**2, axis=0))), promise))
### END HIDDEN TESTS


# %% tags=["wrong"]
def running_totals(stream, strategy, multiplier, rng):
    moved = np.linalg.norm(strategy, axis=0).max()
    z = rng.normal(scale=multiplier * moved, size=len(stream))
    y, noise = np.linalg.solve(strategy, z), np.zeros(len(stream))

    def with_sensitivity(length):
        return np.cumsum(stream + y * length / moved)

    # WRONG no noise | NO_NOISE
    return np.cumsum(stream)

    # WRONG rounded | WHOLE
    return np.round(np.cumsum(stream + y))

    # WRONG C z | the noise is C^-1 z
    return np.cumsum(stream + strategy @ z)

    # WRONG the first column | you took the first
    return with_sensitivity(np.linalg.norm(strategy[:, 0]))

    # WRONG anew in each step | drew the earlier noises anew
    for t in range(len(stream)):
        now = rng.normal(scale=multiplier * moved, size=t + 1)
        noise[t] = np.linalg.solve(strategy[: t + 1, : t + 1], now)[t]
    return np.cumsum(stream + noise)

    # WRONG anew in each total | drew all its noise anew
    for t in range(len(stream)):
        now = rng.normal(scale=multiplier * moved, size=t + 1)
        noise[t] = np.linalg.solve(strategy[: t + 1, : t + 1], now).sum()
    return np.cumsum(stream) + noise

    # WRONG the fresh numbers remembered | and not the fresh numbers z
    noise = [(z[t] - strategy[t, :t] @ z[:t]) / strategy[t, t] for t in range(len(stream))]
    return np.cumsum(stream + noise)

    # WRONG the diagonal forgotten | divide by the entry on the diagonal
    for t in range(len(stream)):
        noise[t] = z[t] - strategy[t, :t] @ noise[:t]
    return np.cumsum(stream + noise)

    # WRONG added once more | you add it once more
    for t in range(len(stream)):
        noise[t] = (z[t] + strategy[t, :t] @ noise[:t]) / strategy[t, t]
    return np.cumsum(stream + noise)

    # WRONG nothing remembered | nothing is remembered
    return np.cumsum(stream + z)

    # WRONG noise on the totals | and yours to the totals
    return np.cumsum(stream) + y

    # WRONG added up twice | added up twice
    return np.cumsum(stream + np.cumsum(y))

    # WRONG rows for columns | rows and columns of C are exchanged
    return np.cumsum(stream + np.linalg.solve(strategy.T, z))

    # WRONG no sensitivity | the sensitivity is missing
    return with_sensitivity(1)

    # WRONG the longest row | you took a row
    return with_sensitivity(np.linalg.norm(strategy, axis=1).max())

    # WRONG the spectral norm | and not the largest factor of C
    return with_sensitivity(np.linalg.norm(strategy, 2))

    # WRONG the norm of the matrix | and not the whole of C
    return with_sensitivity(np.linalg.norm(strategy))

    # WRONG squares for lengths | its root is missing
    return with_sensitivity(moved**2)

    # WRONG columns of the noise | and not that of the noise
    return with_sensitivity(np.linalg.norm(np.tri(len(stream)) @ np.linalg.inv(strategy), axis=0).max())

    # WRONG the last column | you took the last
    return with_sensitivity(np.linalg.norm(strategy[:, -1]))

    # WRONG items | their running totals are asked for
    return stream + y


# %% [markdown]
# ## 4. The sensitivity of many uses (5 points)
#
# *You learn* what it costs that a record comes back. About 40 minutes, hard.
#
# A record is now used at most `uses` times. Two uses are at least `separation` steps apart. With a `separation` of 4 it may be in
# steps 3 and 7, but not in 3 and 6. Each use moves its item by at most 1. The strategy has at most `separation` *bands*:
# entry $(i, j)$ is 0 if $i - j$ is `separation` or more. So two columns that are used never meet in a row. Write
# `uses_sensitivity(strategy, uses, separation)`, the exact sensitivity: the largest Euclidean length by which one record can
# move $Cx$.
#
# A training that begins anew after each pass over the data has such a strategy, too: blocks along the diagonal.
#
# *Graded:* your numbers, to 0.000001, with up to 400 steps and any number of uses, in a second each. Columns may have any length. So
# neither the first ones nor the longest ones need be the best.


# %%
def uses_sensitivity(strategy, uses, separation):
    ### BEGIN SOLUTION
    squares = np.sum(strategy**2, axis=0)
    best = np.zeros(len(squares) + separation)  # at place t: the best among the columns from t on
    for _ in range(min(uses, len(squares))):
        more = best.copy()
        for t in range(len(squares) - 1, -1, -1):  # leave column t out, or use it and jump
            more[t] = max(more[t + 1], squares[t] + best[t + separation])
        best = more
    return np.sqrt(best[0])
    ### END SOLUTION


# %% points=5
def bands_of(lengths, bands=1):
    """A strategy whose columns have these lengths, on so many bands: each entry is half of the one above it."""
    c = np.zeros((len(lengths), len(lengths)))
    for j, length in enumerate(lengths):
        below = np.array([0.5**i for i in range(min(bands, len(lengths) - j))])
        c[j : j + below.size, j] = below * length / np.sqrt(np.sum(below**2))
    return c


USED = [
    (bands_of([2.5, 1, 3, 1, 2.8, 1.5, 1.2, 1], 2), 2, 3),
    (bands_of([2.0, 3, 2, 0.5, 0.5, 1, 1, 2]), 3, 2),
    (bands_of([1.5, 1.4, 0.6, 1.0, 1.2, 1.0], 3), 5, 3),
    (bands_of([1.0, 1.1, 1.2, 1.3, 1.4], 2), 1, 4),
]
check(
    uses_sensitivity,
    answers(
        USED,
        [3.75366488, 3.74165739, 1.92093727, 1.4],
        slips={
            "that is the sensitivity of one use": [3, 3, 1.5, 1.4],
            "columns that never meet add up in squares: the root of the uses, and not the uses": [6, 9, 7.5, 1.4],
            "that is enough, but not exact: the longest column can be used once": (
                [4.24264069, 5.19615242, 3.35410197, 1.4]
            ),
            "so many uses fit, but only one of them has the longest column": [4.24264069, 5.19615242, 2.12132034, 1.4],
            "the first steps need not be the best": [2.6925824, 2.87228132, 1.80277564, 1],
            "uses may lie further apart than `separation`": [3.35410197, 3.20156212, 1.84390889, 1.4],
            "the longest column, then the longest that is left, is not always the best": (
                [3.35410197, 3.74165739, 1.92093727, 1.4]
            ),
            "the longest columns lie too near to each other: mind `separation`": (
                [4.10365691, 4.12310563, 2.76586334, 1.4]
            ),
            "two uses are `separation` steps apart, or more: yours may be one step nearer": (
                [4.10365691, 4.12310563, 2.06155281, 1.4]
            ),
            "two uses may be `separation` steps apart: yours are one step further": (
                [3.75366488, 3.64005494, 1.92093727, 1.4]
            ),
            "at most `uses` times, and yours is used as often as there is room": (
                [3.88458492, 3.77491722, 1.92093727, 1.72046505]
            ),
            "lengths add up where moves are along one line: columns that never meet add up in squares": (
                [5.3, 6, 2.7, 1.4]
            ),
            "that is the square: the root is missing": [14.09, 14, 3.69, 1.96],
            "normal noise pays for lengths, and not for sums of absolute values": (
                [5.0360699, 3.74165739, 2.80035712, 1.74413302]
            ),
        },
        variant=VARIANT,
    ),
)


### BEGIN HIDDEN TESTS
def by_tables(c, uses, separation):
    """Row k, place t: the best of at most k of the first t columns."""
    table, squares = np.zeros((uses + 1, len(c) + 1)), np.sum(c * c, axis=0)
    for k in range(1, uses + 1):
        for t in range(1, len(c) + 1):
            table[k, t] = max(table[k, t - 1], squares[t - 1] + table[k - 1, max(0, t - separation)])
    return np.sqrt(table[uses, len(c)])


several = [(np.array([[-3.0]]), 4, 1), (np.eye(9), 3, 4), (np.eye(9), 30, 4), (np.eye(6), 2, 50)]
several.append((np.diag(fresh.uniform(1, 2, 400)), int(fresh.integers(170, 190)), 2))  # many uses
several.append((np.diag(fresh.uniform(1, 2, 400)), 7, int(fresh.integers(40, 50))))  # far apart
for size in (2, 7, 13, 30, 90, 400):
    gap = int(fresh.integers(1, max(2, size // 3)))
    some = steady(size, fresh) * fresh.uniform(0.3, 2, size)
    several.append((np.triu(some, 1 - gap), int(fresh.integers(1, size + 3)), gap))
    several.append((np.triu(some, 1 - min(gap, 3)), int(fresh.integers(1, 6)), gap + int(fresh.integers(0, 3))))
    block = steady(gap, fresh)
    anew = np.kron(np.eye(size // gap), block)
    several.append((anew, int(fresh.integers(1, size // gap + 1)), gap))
check(uses_sensitivity, answers(several, [by_tables(*one) for one in several]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def uses_sensitivity(strategy, uses, separation):
    squares = np.sum(strategy**2, axis=0)

    def most(worth, gap):
        table = np.zeros((uses + 1, len(worth) + 1))
        for k in range(1, uses + 1):
            for t in range(1, len(worth) + 1):
                table[k, t] = max(table[k, t - 1], worth[t - 1] + table[k - 1, max(0, t - gap)])
        return table[-1, -1]

    # WRONG one use | of one use
    return np.linalg.norm(strategy, axis=0).max()

    # WRONG k times | and not the uses
    return uses * np.linalg.norm(strategy, axis=0).max()

    # WRONG root of k | the longest column can be used once
    return np.sqrt(uses) * np.linalg.norm(strategy, axis=0).max()

    # WRONG as many as fit | only one of them has the longest column
    fit = np.ceil(len(strategy) / separation)
    return np.sqrt(min(uses, fit)) * np.linalg.norm(strategy, axis=0).max()

    # WRONG from the first step | the first steps need not be the best
    return np.linalg.norm(strategy[:, ::separation][:, :uses])

    # WRONG a fixed distance | may lie further apart
    starts = range(len(strategy))
    return max(np.linalg.norm(strategy[:, first::separation][:, :uses]) for first in starts)

    # WRONG the longest first | is not always the best
    left, total = squares.copy(), 0
    for _ in range(uses):
        place = int(left.argmax())
        total += left[place]
        left[max(0, place - separation + 1) : place + separation] = 0
    return np.sqrt(total)

    # WRONG the longest ones | mind `separation`
    return np.sqrt(np.sort(squares)[::-1][:uses].sum())

    # WRONG one step nearer | may be one step nearer
    return np.sqrt(most(squares, max(1, separation - 1)))

    # WRONG one step further | are one step further
    return np.sqrt(most(squares, separation + 1))

    # WRONG any number of uses | as often as there is room
    table = np.zeros(len(strategy) + 1)
    for t in range(1, len(squares) + 1):
        table[t] = max(table[t - 1], squares[t - 1] + table[max(0, t - separation)])
    return np.sqrt(table[-1])

    # WRONG lengths added up | columns that never meet add up in squares
    return most(np.sqrt(squares), separation)

    # WRONG no root | the root is missing
    return most(squares, separation)

    # WRONG absolute values | and not for sums of absolute values
    return np.sqrt(most(np.sum(np.abs(strategy), axis=0) ** 2, separation))


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* which guarantee comes from coins, and which from an order. About 15 minutes, medium.
#
# A team writes: "We shuffled the data once and train in that order, three passes. Our noise remembers the last eight steps, so it is
# better than that of DP-SGD. A batch is 1% of the data, so we quote DP-SGD's epsilon for a sampling rate of 0.01. We took the
# sensitivity of one use, since a record is in one batch." In three to seven sentences: what is wrong with each of the two
# accounts, and which guarantee do they have, if any?
#
# *Graded by hand:* a point for each of the two accounts, and one for what they may say.

# %% [markdown] name="explain_accounts" points=3
# ### BEGIN SOLUTION
# The epsilon for a sampling rate of 0.01 needs coins: in each step every record comes with a probability of 1%, whatever came
# before. In a fixed order it is known when a record comes, and shuffling once gives no fresh coin in each step. Nor are the
# noises of the steps independent, as that account assumes. A record is in one batch of each pass, so it is used three
# times. With nine bands, and uses 100 steps apart, its three columns do not meet. So the sensitivity is up to
# the root of three, times the longest column. With the noise for one use the loss is larger than they say. They do have a
# guarantee: that of one normal noise for three uses, without any sampling. They must work it out with their noise, or
# take root three times as much. Or they draw coins within groups of batches, as the theory of bands allows.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each.
#
# - (a) An epsilon for sampling needs fresh coins in each step, and here is a fixed order. Accept: correlated noises are
#   not that account's independent ones. No point for "shuffling is not sampling" without a reason.
# - (b) Three passes are three uses: the sensitivity grows, by the root of three where columns do not meet. No point for
#   "three times" without saying when.
# - (c) What they have: one normal noise for the sensitivity of three uses, or coins within the bands' groups.
# ### END MARK SCHEME
