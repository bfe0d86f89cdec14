# %% [markdown]
# # Assignment 29: without a curator
#
# Five tasks, 19 points. You need chapter 29, *Without a curator*.
#
# All data here are invented. Neighbours *replace* one party's value.

# %% tags=["setup"]
import numpy as np
from scipy.stats import binom, nbinom

from dpbook.check import answers, check, discrete_law, private, repeatable

# %% [markdown]
# ## 1. Mask (3 points)
#
# *You learn* how masks hide reports, and cancel in the sum. About 20 minutes, medium.
#
# `values` has a whole number for each party. Write `masked(values, modulus, rng)`: the reports of all parties. Each two parties
# share a uniform number from 0 to `modulus` - 1, which the first adds and the second subtracts. Reports are whole numbers from 0
# to `modulus` - 1.


# %%
def masked(values, modulus, rng):
    ### BEGIN SOLUTION
    reports = np.array(values)
    for i in range(len(reports)):
        for j in range(i + 1, len(reports)):
            shared = rng.integers(modulus)
            reports[i] += shared
            reports[j] -= shared
    return reports % modulus
    ### END SOLUTION


# %% points=3
def all_reports(values, modulus):
    """Every row of reports, each party's after the other."""
    return np.stack(np.meshgrid(*[np.arange(modulus)] * len(values), indexing="ij"), axis=-1).reshape(-1, len(values))


def uniform_given_sum(values, modulus):
    outcomes = all_reports(values, modulus)
    fits = outcomes.sum(axis=1) % modulus == sum(values) % modulus

    def law(allowed):
        return allowed / allowed.sum()

    same = np.all((outcomes - np.array(values)) % modulus == ((outcomes - np.array(values)) % modulus)[:, :1], axis=1)
    slips = {
        "each two parties need a mask of their own: one mask for all tells every difference": law(1.0 * same),
        "one of the two adds, the other subtracts: your masks do not cancel": law(np.ones(len(fits))),
    }
    return discrete_law((np.array(values), modulus), outcomes, law(1.0 * fits), slips if len(values) == 3 else None)


check(
    masked,
    uniform_given_sum([1, 0, 2], 3),
    uniform_given_sum([1, 0], 4),
    repeatable((np.array([3, 1, 4]), 10), shape=(3,)),
)
### BEGIN HIDDEN TESTS
check(masked, uniform_given_sum([0, 1, 1, 0], 2), uniform_given_sum([7], 5), uniform_given_sum([3, 2, 2], 4))
check(masked, uniform_given_sum(fresh.integers(0, 30, 3).tolist(), 3))
### END HIDDEN TESTS


# %% tags=["wrong"]
def masked(values, modulus, rng):
    # WRONG one mask for all | a mask of their own
    return (np.array(values) + rng.integers(modulus)) % modulus

    # WRONG both add | do not cancel
    reports = np.array(values)
    for i in range(len(reports)):
        reports[i] += rng.integers(modulus)
    return reports % modulus

    # WRONG no modulus | IMPOSSIBLE
    reports = np.array(values)
    for i in range(len(reports)):
        for j in range(i + 1, len(reports)):
            shared = rng.integers(modulus)
            reports[i] += shared
            reports[j] -= shared
    return reports


# %% [markdown]
# ## 2. A piece of noise (5 points)
#
# *You learn* noise that can be added up by many. About 30 minutes, medium.
#
# Write `piece(parties, epsilon, rng)`: one party's whole number, such that the sum of `parties` independent ones is geometric noise
# $z$ with probabilities proportional to $e^{-\varepsilon |z|}$. A negative binomial number may have a number of failures that is not
# whole: `rng.negative_binomial(r, 1 - a)`.


# %%
def piece(parties, epsilon, rng):
    ### BEGIN SOLUTION
    up, down = rng.negative_binomial(1 / parties, 1 - np.exp(-epsilon), size=2)
    return up - down
    ### END SOLUTION


# %% points=5
FAR = 60


def difference(failures, epsilon):
    """The law of the difference of two negative binomial numbers, from -FAR to FAR."""
    one = nbinom.pmf(np.arange(2 * FAR), failures, 1 - np.exp(-epsilon))
    side = np.array([one[k:] @ one[: one.size - k] for k in range(FAR + 1)])
    law = np.concatenate([side[:0:-1], side])
    return law / law.sum()


def one_piece(parties, epsilon):
    one_sided = np.concatenate([np.zeros(FAR), nbinom.pmf(np.arange(FAR + 1), 1 / parties, 1 - np.exp(-epsilon))])
    slips = {
        "that is the whole noise: each adds a piece, with 1 / parties failures": difference(1.0, epsilon),
        "noise has two sides: subtract a second number": one_sided / one_sided.sum(),
        "more parties, smaller pieces: 1 / parties failures, and not parties": difference(parties, epsilon),
        "the failures are divided by the parties, and not epsilon": difference(1.0, epsilon / parties),
    }
    return discrete_law(
        (parties, epsilon), np.arange(-FAR, FAR + 1), difference(1 / parties, epsilon), slips if parties > 1 else None
    )


def noisy_sum(values, epsilon, rng):
    return sum(values) + sum(piece(len(values), epsilon, rng) for _ in values)


check(piece, one_piece(2, 1.0), one_piece(4, 1.5), repeatable((3, 1.0)))
check(noisy_sum, private(([1, 0], 1.0), ([1, 1], 1.0), epsilon=1.0))
### BEGIN HIDDEN TESTS
for number in (1, 3, 10):
    check(piece, one_piece(number, float(fresh.uniform(0.8, 2))))
### END HIDDEN TESTS


# %% tags=["wrong"]
def piece(parties, epsilon, rng):
    # WRONG the whole noise | the whole noise
    up, down = rng.negative_binomial(1, 1 - np.exp(-epsilon), size=2)
    return up - down

    # WRONG one-sided | two sides
    return rng.negative_binomial(1 / parties, 1 - np.exp(-epsilon))

    # WRONG as many failures as parties | smaller pieces
    up, down = rng.negative_binomial(parties, 1 - np.exp(-epsilon), size=2)
    return up - down

    # WRONG epsilon divided | not epsilon
    up, down = rng.negative_binomial(1, 1 - np.exp(-epsilon / parties), size=2)
    return up - down

    # WRONG a real number | IMPOSSIBLE
    return rng.laplace(scale=1 / epsilon / parties)


# %% [markdown]
# ## 3. Plan for dropouts (4 points)
#
# *You learn* what a plan for few costs when all come. About 15 minutes, easy to medium.
#
# Of `parties` parties, at most `dropouts` stay away and at most `colluders` tell the server their noise. The noise of a count is
# planned in equal pieces, so that it is $\varepsilon$-DP in every case. Return the standard deviation of the sum's noise when all
# parties come.


# %%
def planned_deviation(parties, dropouts, colluders, epsilon):
    ### BEGIN SOLUTION
    honest = parties - dropouts - colluders
    central = np.sqrt(2) * np.exp(epsilon / 2) / np.expm1(epsilon)
    return central * np.sqrt(parties / honest)
    ### END SOLUTION


# %% points=4
PLANS = [(10, 2, 3, 1.0), (100, 10, 40, 0.5), (8, 0, 2, 2.0)]


def for_plans(honest, power=0.5):
    return [(2 * np.exp(-e) / (1 - np.exp(-e)) ** 2 * n / honest(n, out, told)) ** power for n, out, told, e in PLANS]


check(
    planned_deviation,
    answers(
        PLANS,
        for_plans(lambda n, out, told: n - out - told),
        slips={
            "noise for all: too little is left when some stay away or tell": for_plans(lambda n, out, told: n),
            "those who tell take their noise away as well": for_plans(lambda n, out, told: n - out),
            "those who stay away take their noise away as well": for_plans(lambda n, out, told: n - told),
            "that is the variance": for_plans(lambda n, out, told: n - out - told, 1),
        },
    ),
)
### BEGIN HIDDEN TESTS
PLANS = [(n, n // 5, n // 4, float(e)) for n, e in zip((20, 50, 1000, 7), fresh.uniform(0.2, 3, 4), strict=True)]
check(planned_deviation, answers(PLANS, for_plans(lambda n, out, told: n - out - told)))
### END HIDDEN TESTS


# %% tags=["wrong"]
def planned_deviation(parties, dropouts, colluders, epsilon):
    # WRONG for all | too little is left
    return np.sqrt(2) * np.exp(epsilon / 2) / np.expm1(epsilon)

    # WRONG without colluders | those who tell
    return np.sqrt(2) * np.exp(epsilon / 2) / np.expm1(epsilon) * np.sqrt(parties / (parties - dropouts))

    # WRONG without dropouts | those who stay away
    return np.sqrt(2) * np.exp(epsilon / 2) / np.expm1(epsilon) * np.sqrt(parties / (parties - colluders))

    # WRONG the variance | the variance
    return 2 * np.exp(epsilon) / np.expm1(epsilon) ** 2 * parties / (parties - dropouts - colluders)


# %% [markdown]
# ## 4. Shuffled, exactly (4 points)
#
# *You learn* what shuffled bits lose, exactly. About 30 minutes, medium to hard.
#
# Each of `people` people reports a bit by randomized response: the truth with probability $e^l/(1 + e^l)$, with $l$ = `local`. The
# server sees how many reports are 1. Write `shuffled_delta(people, local, epsilon)`: the smallest $\delta$ for which the count is
# $(\varepsilon, \delta)$-DP, for the *worst* dataset and in both directions.


# %%
def shuffled_delta(people, local, epsilon):
    ### BEGIN SOLUTION
    truth = 1 / (1 + np.exp(-local))

    def law(ones):
        yes = binom.pmf(np.arange(ones + 1), ones, truth)
        return np.convolve(yes, binom.pmf(np.arange(people - ones + 1), people - ones, 1 - truth))

    laws = [law(ones) for ones in range(people + 1)]
    pairs = [(laws[k], laws[k + 1]) for k in range(people)] + [(laws[k + 1], laws[k]) for k in range(people)]
    return max(np.maximum(one - np.exp(epsilon) * other, 0).sum() for one, other in pairs)
    ### END SOLUTION


# %% points=4
SURVEYS = [(30, 1.0, 0.1), (12, 2.0, 0.5), (7, 1.0, 0.3)]


def counted(n, local, ones):
    odds, law = np.exp(local), np.ones(1)
    for person in range(n):
        yes = (odds if person < ones else 1) / (1 + odds)
        law = np.convolve(law, [1 - yes, yes])
    return law


def excess(one, other, epsilon):
    return float(np.sum(np.clip(one - np.exp(epsilon) * other, 0, None)))


def above(one, other, epsilon):
    return float(np.sum(one[one > np.exp(epsilon) * other]))


def worst(surveys, part=excess, held=lambda n: range(n), both=True, fewer=0):
    found = []
    for n, local, epsilon in surveys:
        size = n - fewer
        pairs = [[counted(size, local, k + i) for i in (0, 1)] for k in held(size)]
        ways = [part(*pair, epsilon) for pair in pairs] + [part(*pair[::-1], epsilon) for pair in pairs if both]
        found.append(max(ways))
    return found


check(
    shuffled_delta,
    answers(
        SURVEYS,
        worst(SURVEYS),
        slips={
            "half of the people is not the worst dataset": worst(SURVEYS, held=lambda n: [n // 2]),
            "all alike is nearly the worst, and not always": worst(SURVEYS, held=lambda n: [0]),
            "the person is one of the people: you have one too few": worst(SURVEYS, fewer=1),
            "subtract what the neighbour explains: delta is no probability of a large loss": worst(SURVEYS, above),
        },
        tolerance=1e-10,
    ),
)
### BEGIN HIDDEN TESTS
MORE = [(int(n), float(own), float(own * part)) for n, own, part in fresh.uniform((2, 0.2, 0), (25, 3, 1), (8, 3))]
MORE += [(1, 1.0, 0.4)]
check(shuffled_delta, answers(MORE, worst(MORE), tolerance=1e-10))
### END HIDDEN TESTS


# %% tags=["wrong"]
def shuffled_delta(people, local, epsilon):
    # WRONG half and half | half of the people
    truth, k = 1 / (1 + np.exp(-local)), people // 2
    one, other = (
        np.convolve(binom.pmf(range(h + 1), h, truth), binom.pmf(range(people - h + 1), people - h, 1 - truth))
        for h in (k, k + 1)
    )
    return max(np.maximum(p - np.exp(epsilon) * q, 0).sum() for p, q in ((one, other), (other, one)))

    # WRONG all alike | nearly the worst
    truth = 1 / (1 + np.exp(-local))
    one, other = (
        np.convolve(binom.pmf(range(h + 1), h, truth), binom.pmf(range(people - h + 1), people - h, 1 - truth))
        for h in (0, 1)
    )
    return max(np.maximum(p - np.exp(epsilon) * q, 0).sum() for p, q in ((one, other), (other, one)))

    # WRONG one too few | one too few
    truth, people = 1 / (1 + np.exp(-local)), people - 1
    laws = [
        np.convolve(binom.pmf(range(h + 1), h, truth), binom.pmf(range(people - h + 1), people - h, 1 - truth))
        for h in range(people + 1)
    ]
    pairs = [(laws[k], laws[k + 1]) for k in range(people)] + [(laws[k + 1], laws[k]) for k in range(people)]
    return max(np.maximum(one - np.exp(epsilon) * other, 0).sum() for one, other in pairs)

    # WRONG the chance of a large loss | no probability of a large loss
    truth = 1 / (1 + np.exp(-local))
    laws = [
        np.convolve(binom.pmf(range(h + 1), h, truth), binom.pmf(range(people - h + 1), people - h, 1 - truth))
        for h in range(people + 1)
    ]
    pairs = [(laws[k], laws[k + 1]) for k in range(people)] + [(laws[k + 1], laws[k]) for k in range(people)]
    return max(one[one > np.exp(epsilon) * other].sum() for one, other in pairs)


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* whom such systems trust. About 15 minutes, medium.
#
# A company writes: "Your phone masks its answer, so our server learns nothing but the exact sum, which is private. Each phone proves
# that its answer is 0 or 1, so nobody can lie. You need not trust anyone." In three to seven sentences: what is wrong with each
# of the three claims?

# %% [markdown] name="explain_claims" points=3
# ### BEGIN SOLUTION
# An exact sum is not private. If all others together subtract their own answers, the last one's is left. And the sums of
# two days show the answer of a person who joined in between. Noise is needed, in pieces if no server may see the sum. The
# proof says that an answer is 0 or 1, and not that it is true. A liar still moves the sum by one. The phones are trusted
# to stay and not to tell: their masks and noise protect the others. The server is trusted to follow the rules and to invent
# no phones.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each. (a) The exact sum tells the last value. Accept: the difference of two sums. (b) A proof of a
# range is not a proof of truth. (c) One trusted party is named. Accept: other clients, the server, a second server.
# ### END MARK SCHEME
