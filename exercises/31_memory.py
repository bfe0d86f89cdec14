# %% [markdown]
# # Assignment 31: What a model remembers
#
# Five tasks, 20 points. You need chapter 31, *What a model remembers, and how to test it*.
#
# All data here are invented. Yours may differ from those of others. Neighbours differ by *adding or removing* one person:
# one message, or one canary.

# %% tags=["setup"]
from functools import partial
from itertools import pairwise

import numpy as np
from scipy.special import bdtrc

from dpbook.check import all_private, answers, check, laplace_law, own_order, private, repeatable
from dpbook.laplace import laplace_mechanism

VARIANT = 0  # of 6
mine = partial(own_order, variant=VARIANT)

# %% [markdown]
# ## 1. Exposure (3 points)
#
# *You learn* to say in bits how far a secret shows in a model. About 15 minutes, easy.
#
# A secret code was drawn uniformly from $N$ codes, and one training message holds it. `losses` has the model's loss of
# each of the $N$ codes: minus its log probability, so the likeliest code has the smallest loss. Write
# `exposure_in_bits(losses, secret)`, where `secret` is the place of the secret code in `losses` (from 0). It is
# $\log_2 N - \log_2 \text{rank}$, and rank 1 is the likeliest code. Codes with equal losses all get the middle of their
# ranks: two in ranks 4 and 5 both have rank 4.5.
#
# *Example.* With the losses 5, 3, 3, 8 the code in place 0 has rank 3. Its exposure is $2 - \log_2 3 = 0.415$ bits.
#
# *Graded:* your numbers, to 0.000001, with up to 10,000 codes.


# %%
def exposure_in_bits(losses, secret):
    ### BEGIN SOLUTION
    below = np.count_nonzero(losses < losses[secret])
    alike = np.count_nonzero(losses == losses[secret])  # the secret code is one of them
    return np.log2(len(losses) / (below + (alike + 1) / 2))
    ### END SOLUTION


# %% points=3
LOSSES = np.array([9.1, 4.2, 6.0, 4.2, 7.7, 6.0, 6.0, 5.5])
RANKS = np.array([5, 1.5, 3, 7, 5])  # of places 2, 1, 7, 4 and 6
TIES = "equal losses share the middle of their ranks"
check(
    exposure_in_bits,
    answers(
        [(LOSSES, place) for place in (2, 1, 7, 4, 6)],
        np.log2(8 / RANKS),
        slips={
            "exposure is in bits: the logarithms have base 2": np.log(8 / RANKS),
            "the likeliest code has rank 1, not 0": np.log2(8 / (RANKS - 1)),
            f"{TIES}, and you took the best of these": np.log2(8 / np.array([4, 1, 3, 7, 4])),
            f"{TIES}, and you took the worst of these": np.log2(8 / np.array([6, 2, 3, 7, 6])),
            f"{TIES}: the place in the list says nothing": np.log2(8 / np.array([4, 1, 3, 7, 6])),
            "the smallest loss has rank 1: your order is turned round": np.log2(8 / (9 - RANKS)),
            "the rank is counted among all codes, and the logarithm of N is missing": -np.log2(RANKS),
            "that is the logarithm of the rank: take it from the logarithm of N": np.log2(RANKS),
        },
        variant=VARIANT,
    ),
    answers([(np.array([3.0, 1.0, 2.0]), 1), (np.ones(4), 2), (np.array([2.5]), 0)], [1.5849625, 0.67807191, 0.0]),
)
### BEGIN HIDDEN TESTS
for size, kinds in ((2, 2), (10, 4), (100, 1), (1_000, 30), (10_000, 3_000), (10_000, 10**9)):
    some = fresh.integers(0, kinds, size) / 8 - 3
    ranks = [(np.sum(some < one) + np.sum(some <= one) + 1) / 2 for one in some[:6]]
    asked = [(some, place) for place in range(len(ranks))]
    asked.append((some, int(np.argmin(some))))
    ranks.append((1 + np.sum(some == some.min())) / 2)
    check(exposure_in_bits, answers(asked, np.log2(size) - np.log2(ranks)))
close = fresh.permutation(300)  # losses that differ by little are not equal
check(exposure_in_bits, answers([(9 + close * 2.0**-40, place) for place in range(9)], np.log2(300 / (1 + close[:9]))))
### END HIDDEN TESTS


# %% tags=["wrong"]
def exposure_in_bits(losses, secret):
    rank = np.sum(losses < losses[secret]) + (np.sum(losses == losses[secret]) + 1) / 2

    # WRONG natural logarithm | the logarithms have base 2
    return np.log(len(losses) / rank)

    # WRONG rank from 0 | rank 1, not 0
    return np.log2(len(losses)) - np.log2(rank - 1)

    # WRONG ties at their best | you took the best of these
    return np.log2(len(losses) / (1 + np.sum(losses < losses[secret])))

    # WRONG ties at their worst | you took the worst of these
    return np.log2(len(losses) / np.sum(losses <= losses[secret]))

    # WRONG ties by their place | the place in the list says nothing
    return np.log2(len(losses) / (1 + list(np.argsort(losses, kind="stable")).index(secret)))

    # WRONG order turned round | your order is turned round
    return np.log2(len(losses) / (len(losses) + 1 - rank))

    # WRONG minus the logarithm of the rank | the logarithm of N is missing
    return -np.log2(rank)


# %% [markdown]
# ## 2. Private counts (5 points)
#
# *You learn* to bound what one message adds to a table of counts, and to hide it. About 30 minutes, medium.
#
# A model that types needs to know which letter follows which. A *pair* is two letters side by side in a message. Write
# `private_counts(messages, letters, most, epsilon, rng)`, which releases the counts of pairs with $\varepsilon$-DP.
# Each message counts its first `most` *different* pairs, once each. `messages` is a list of strings, and a message of
# one letter has no pair. `letters` is a string with all letters, in the order of the table. Return an array: row, the
# first letter of a pair; column, the second. Use Laplace noise no larger than needed, and neither round nor cut the
# result. The letters and `most` are public. `most` is never larger than the number of possible pairs: 4 with two
# letters.
#
# *Example.* The pairs of "abab" are ab, ba, ab. With `most` 2 it counts ab once and ba once; with `most` 1 only ab.
#
# *Graded:* the distribution of many releases. The grader runs your function on other messages, letters and budgets: no
# messages, thousands of them, and up to 38 letters.

# %% tags=["setup"]
notes = mine(["abab", "ba.", "aaab.ab", "b", "ab.", "aaaa", "bb.ba"])


# %%
def private_counts(messages, letters, most, epsilon, rng):
    ### BEGIN SOLUTION
    place = {letter: number for number, letter in enumerate(letters)}
    counts = np.zeros((len(letters), len(letters)))
    for message in messages:
        different = list(dict.fromkeys(pairwise(message)))  # in the order in which they come first
        for a, b in different[:most]:
            counts[place[a], place[b]] += 1
    return laplace_mechanism(counts, most, epsilon, rng)  # a message moves `most` counts by 1
    ### END SOLUTION


# %% points=5
NOTED = {  # what mistakes make of the notes, with `most` 2
    "a message counts a pair once, however often it comes: repeats move one count by more than 1": (
        [[0, 0, 0], [2, 1, 2], [1, 2, 4]]
    ),
    "a message must stop after its first different pairs: a long one moves more counts than the noise is for": (
        [[0, 1, 1], [3, 1, 3], [1, 3, 2]]
    ),
    "count a message's first different pairs: yours are cut to `most` count by count, and a message has many counts": (
        [[0, 1, 1], [3, 1, 3], [1, 5, 4]]
    ),
    "nothing bounds what a message adds: count its first different pairs, once each": (
        [[0, 1, 1], [3, 1, 3], [1, 5, 5]]
    ),
    "pairs overlap: in abc they are ab and bc": [[0, 1, 0], [0, 1, 1], [0, 3, 2]],
    "count the first different pairs of a message, in the order in which they come": (
        [[0, 1, 1], [2, 0, 2], [1, 2, 2]]
    ),
    "count the first different pairs of a message, not the last": [[0, 1, 1], [1, 0, 3], [1, 3, 1]],
    "look for repeats first, then stop: a repeat uses up none of the `most` pairs": [[0, 0, 0], [2, 1, 2], [1, 2, 2]],
    "bound what a message adds: a count may be as large as it is": [[0, 1, 1], [2, 1, 2], [1, 2, 2]],
}


def counts_under(messages, letters, most, right, known=None):
    """What the noise hides: with hardly any of it the middle of some releases."""
    right = np.array(right)
    asks = [(messages, letters, most, 1e6)], 50, right.shape

    def requirement(draw):
        releases = draw(*asks)[0]
        found = np.median(releases, axis=0)
        if np.ptp(releases, axis=0).max() > 0.4 or np.abs(found - right).max() < 0.2:
            return ""  # the law of the noise is asked for below
        if np.abs(found - right.T).max() < 0.2:
            return "the row is the first letter of a pair, and the column the second"
        for sentence, counts in (known or {}).items():
            if np.abs(found - counts).max() < 0.2:
                return sentence
        if abs(found.sum() - right.sum()) < 0.2 < np.abs(np.sort(found, axis=None) - np.sort(right, axis=None)).max():
            return "as many pairs as there are, but not each message's first ones: a `set` forgets their order"
        return "with hardly any noise, these are not the counts that the messages have"

    requirement.asks = asks
    return requirement


def noise_everywhere(messages, letters, most, epsilon, counts):
    """Noise on each count, of the size of a known mistake or not."""
    truth, scale = np.array(counts), most / epsilon
    root, of_half, normal = np.sqrt(scale), np.sqrt(scale / 2), np.sqrt(most) / epsilon
    known = {
        "most over epsilon is the scale of the noise, not its variance: no root": root,
        "most over epsilon is the scale of the noise, not its variance: no root, and no factor of 2": of_half,
        "a root of `most` is the price of normal noise: Laplace noise pays for every count that moves": normal,
        "epsilon was shared among the counts: a message moves `most` of them, not all": truth.size / epsilon,
        "neighbours add or remove a message, and none is replaced: that noise is twice what is needed": 2 * scale,
        "epsilon was shared among the messages: their noise hides each of them already": len(messages) * scale,
    }

    asks = [(messages, letters, most, epsilon)], 4_000, truth.shape

    def requirement(draw):
        noise = draw(*asks)[0] - truth
        still = np.ptp(noise, axis=0) == 0
        if still.any() and not still.all():
            return "each count needs noise, also of pairs that nobody wrote: which counts have none tells on somebody"
        sizes = np.abs(noise - np.median(noise, axis=0)).mean(axis=0)
        named = (name for name, one in known.items() if np.abs(sizes / one - 1).max() < 0.15)
        close = (name for name in named if abs(sizes.mean() / known[name] - 1) < 0.04)
        return "" if abs(sizes.mean() / scale - 1) < 0.04 else next(close, "")

    requirement.asks = asks
    return requirement


joined = [*notes, "aab.bb"]
check(
    private_counts,
    counts_under(notes, ".ba", 2, [[0, 0, 0], [2, 1, 2], [1, 3, 2]], NOTED),
    counts_under(
        ["abcabcdd", "dcba", "aabbccdd", "a"], "dabc", 3, [[0, 0, 0, 1], [0, 1, 2, 0], [0, 1, 1, 1], [0, 1, 1, 0]]
    ),
    noise_everywhere(notes, "ab.", 3, 0.4, [[2, 3, 1], [2, 1, 3], [0, 1, 0]]),
    laplace_law((notes, "ab.", 2), [[2, 3, 1], [2, 1, 2], [0, 0, 0]], 2, 0.5),
    repeatable((notes, "ab.", 2, 0.5), shape=(3, 3)),
    private((notes, "ab.", 4, 1.0), (joined, "ab.", 4, 1.0), 1.0, shape=(3, 3), samples=4_000, additive=True),
)
### BEGIN HIDDEN TESTS
LETTERS = "abcdefghijklmnopqrstuvwxyz 0123456789."


def table_of(messages, letters, most):
    table = {a + b: 0.0 for a in letters for b in letters}
    for text in messages:
        seen = []
        for pair in (text[i : i + 2] for i in range(len(text) - 1)):
            if pair not in seen and len(seen) < most:
                seen.append(pair)
                table[pair] += 1
    return np.array(list(table.values())).reshape(len(letters), len(letters))


def counted(messages, letters, most, epsilon, samples):
    return laplace_law((messages, letters, most), table_of(messages, letters, most), most, epsilon, samples=samples)


def some_letters(number):
    return "".join(fresh.permutation(list(LETTERS))[:number])


def written(letters, number, longest):
    return ["".join(fresh.choice(list(letters), int(fresh.integers(1, longest)))) for _ in range(number)]


neighbours = []
for size, number, longest, samples in (
    (0, 2, 2, 10_000),
    (1, 4, 9, 10_000),
    (7, 1, 9, 4_000),
    (25, 5, 12, 2_000),
    (150, 3, 8, 400),
    (40, 38, 30, 300),
    (2_500, 6, 5, 60),
):
    alphabet = some_letters(number)
    several, bound = written(alphabet, size, longest), min(int(fresh.integers(1, 12)), number**2)
    budget = float(np.exp(fresh.uniform(np.log(0.02), np.log(9))))
    if size < 1_000:
        check(private_counts, counts_under(several, alphabet, bound, table_of(several, alphabet, bound)))
    check(private_counts, counted(several, alphabet, bound, round(budget, 2) if size == 7 else budget, samples))
    if number == 4:
        new = "".join(fresh.permutation(list(alphabet * 3)))
        neighbours.append(((several, alphabet, 3, 0.7), ([*several, new], alphabet, 3, 0.7), 0.7))
        neighbours.append((([], alphabet, 5, 2.0), ([2 * new], alphabet, 5, 2.0), 2.0))
for number, bound in ((3, 1), (3, 9), (5, 20)):  # one pair a message; all that there are; more than most messages have
    alphabet = some_letters(number)
    several, budget = written(alphabet, 12, 40), float(fresh.uniform(0.3, 3))
    check(private_counts, counted(several, alphabet, bound, budget, 1_000))
alphabet = some_letters(4)  # short messages: none has as many pairs as it may
check(private_counts, counted(written(alphabet, 12, 4), alphabet, 6, 0.8, 2_000))
alphabet = some_letters(3)
check(private_counts, counted(["".join(fresh.choice(list(alphabet), 2_000))] * 2, alphabet, 4, 0.6, 300))
check(private_counts, all_private(neighbours, shape=(4, 4), samples=4_000, additive=True))
### END HIDDEN TESTS


# %% tags=["wrong"]
def private_counts(messages, letters, most, epsilon, rng):
    def counted(pairs_of, messages=messages):
        counts = np.zeros((len(letters), len(letters)))
        for message in messages:
            for a, b in pairs_of(message):
                counts[letters.index(a), letters.index(b)] += 1
        return counts

    def first(message):
        return list(dict.fromkeys(pairwise(message)))[:most]

    # WRONG repeats are counted | counts a pair once
    return laplace_mechanism(counted(lambda message: list(pairwise(message))[:most]), most, epsilon, rng)

    # WRONG the repeats use up the bound | a repeat uses up none
    return laplace_mechanism(counted(lambda message: set(list(pairwise(message))[:most])), most, epsilon, rng)

    # WRONG no stop | must stop after its first different pairs
    return laplace_mechanism(counted(lambda message: set(pairwise(message))), most, epsilon, rng)

    # WRONG clipped cell by cell | cut to `most` count by count
    each = [np.minimum(counted(pairwise, [message]), most) for message in messages]
    return laplace_mechanism(sum(each, np.zeros((len(letters), len(letters)))), most, epsilon, rng)

    # WRONG nothing bounded | nothing bounds what a message adds
    return laplace_mechanism(counted(pairwise), most, epsilon, rng)

    # WRONG the sum is clipped | a count may be as large as it is
    return laplace_mechanism(np.minimum(counted(pairwise), most), most, epsilon, rng)

    # WRONG first in the alphabet | in the order in which they come
    return laplace_mechanism(counted(lambda message: sorted(set(pairwise(message)))[:most]), most, epsilon, rng)

    # WRONG columns first | the row is the first letter
    return laplace_mechanism(counted(first).T, most, epsilon, rng)

    # WRONG letters in the order of the alphabet | these are not the counts
    letters = "".join(sorted(letters))
    return laplace_mechanism(counted(first), most, epsilon, rng)

    # WRONG noise on seen cells | also of pairs that nobody wrote
    counts = counted(first)
    return np.where(counts > 0, laplace_mechanism(counts, most, epsilon, rng), 0)

    # WRONG the scale as a variance | not its variance
    counts = counted(first)
    return counts + rng.laplace(scale=np.sqrt(most / epsilon), size=counts.shape)

    # WRONG the price of normal noise | Laplace noise pays for every count
    return laplace_mechanism(counted(first), np.sqrt(most), epsilon, rng)

    # WRONG noise for one count | OF_ONE
    return laplace_mechanism(counted(first), 1, epsilon, rng)

    # WRONG the longest message | with other data, which you have not seen
    longest = max((len(first(message)) for message in messages), default=0)
    return laplace_mechanism(counted(first), longest or most, epsilon, rng)

    # WRONG twice the noise | none is replaced
    return laplace_mechanism(counted(first), 2 * most, epsilon, rng)

    # WRONG cut at zero | CUT
    return np.maximum(laplace_mechanism(counted(first), most, epsilon, rng), 0)


# %% [markdown]
# ## 3. One training (5 points)
#
# *You learn* to turn the coins of one training into a bound on epsilon. About 40 minutes, medium to hard.
#
# An auditor tossed a fair coin for each canary: 1 puts it into the training set. Now each canary has a score: above 0 if the
# trained model looks as if the canary was in, below 0 if not. The guesser names the coins of the `guesses` canaries whose
# scores have the *largest absolute values*. Above 0 the guess is 1, below 0 it is 0. No score is 0, and no two have
# the same absolute value. Write `least_epsilon(coins, scores, guesses, confidence, delta)`, the audit's lower bound.
#
# With $m$ coins, $r$ guesses and $v$ of them right, an $(\varepsilon, \delta)$-DP training has this p-value (Steinke, Nasr and
# Jagielski, 2023):
#
# $$p(\varepsilon) = \Pr[B \ge v] + 2 m \delta \max_{1 \le i \le v} \frac{1}{i} \Pr[v - i \le B < v], \qquad B \sim \text{Binomial}(r,
# q), \quad q = \frac{e^\varepsilon}{1 + e^\varepsilon}.$$
#
# The bound is the smallest $\varepsilon \ge 0$ with $p(\varepsilon) \ge 1 - \text{confidence}$. Without a right guess $p$ is 1. Two
# functions are there. `bdtrc(k, r, q)` is the probability $\Pr[B > k]$, for arrays of `k` too, and 1 for negative `k`.
# `least(possible)` finds the smallest $\varepsilon$ for which `possible(epsilon)` is true.
#
# *Example.* 1,000 coins, 100 guesses, 95 of them right, confidence 0.95: the bound is 2.1724 for $\delta = 0$, and 2.1652 for
# $\delta = 0.00001$.
#
# *Graded:* your bounds, to 0.0001, with up to 2,000 coins.


# %% tags=["setup"]
def least(possible):
    """The least epsilon from 0 to 60 that is possible, to 1e-8; what is larger must be possible as well."""
    low, high = 0.0, 60.0
    while high - low > 1e-8:
        middle = (low + high) / 2
        low, high = (low, middle) if possible(middle) else (middle, high)
    return 0.0 if possible(0.0) else high


# %%
def least_epsilon(coins, scores, guesses, confidence, delta):
    ### BEGIN SOLUTION
    named = np.argsort(-np.abs(scores))[:guesses]
    right = int(np.sum((scores[named] > 0) == coins[named]))
    i = np.arange(1, right + 1)

    def possible(epsilon):
        q = 1 / (1 + np.exp(-epsilon))
        tail = bdtrc(right - 1, guesses, q)
        below = bdtrc(right - 1 - i, guesses, q) - tail
        return tail + 2 * len(coins) * delta * np.max(below / i, initial=0) >= 1 - confidence

    return least(possible)
    ### END SOLUTION


# %% points=5
from scipy.special import ndtri


def looks_tossed(canaries, strength):
    """Coins and scores that look random, and are the same everywhere."""
    place = np.arange(1.0, canaries + 1)
    coins = (place**2 * np.sqrt(2) % 1 < 0.5).astype(int)
    return coins, strength * (2 * coins - 1) + ndtri(place * np.sqrt(3) % 1)


AUDITS = [(*looks_tossed(60, 0.6), 25, 0.95, 0.0), (*looks_tossed(200, 1.0), 60, 0.9, 1e-4)]
AUDITS += [(*looks_tossed(80, 0.9), 40, 0.95, 1e-3), (*looks_tossed(120, 1.5), 30, 0.99, 1e-5)]


def not_beyond(draw):
    """Without delta, Pr[B > v] taken for Pr[B >= v]."""
    found = draw(AUDITS[:1])[0, 0]
    return "B >= v has the value v in it: bdtrc(v, ...) has not" if abs(found - 0.324744) < 1e-4 else ""


FEW = (np.array([1, 0, 0, 1, 1]), np.array([-0.5, 1.5, 3.0, -2.0, 0.1]))
HALF = (np.array([1, 0] * 10), np.arange(1.0, 21.0))
check(
    least_epsilon,
    not_beyond,
    answers(
        AUDITS,
        [0.151453, 2.341538, 1.215061, 1.78788],
        slips={
            "only the canaries whose scores are farthest from 0 are named: you named all": (
                [0, 1.060593, 0.398769, 1.436575]
            ),
            "a score far below 0 is a guess as well: out": [0, 1.898871, 0.404098, 1.78788],
            "these are bounds for two rates from many trainings: here one count of right guesses has the p-value": (
                [0, 1.631186, 0.711906, 0.823774]
            ),
            "q is e^epsilon over 1 + e^epsilon: e^epsilon times a half is more than a guess can reach": (
                [0.072862, 0.601316, 0.433331, 0.538441]
            ),
            "delta counts for every canary: 2 m stands before it": [0.151453, 2.359905, 1.298137, 1.796249],
            "delta counts twice for every canary: 2 m stands before it, not m": (
                [0.151453, 2.350781, 1.258464, 1.792097]
            ),
            "the term with delta is missing": [0.151453, 2.359951, 1.298618, 1.796283],
            "a bound of 0 for every training: is q a probability, and a half at epsilon 0?": [0, 0, 0, 0],
            "the best of many numbers of guesses must be paid for: use the one that was fixed before": (
                [0.262736, 2.612288, 1.504633, 2.723974]
            ),
            "the risk is 1 - confidence: p must reach this, not the confidence": (
                [1.583477, 3.957111, 2.896974, 7.998775]
            ),
            "the share of right guesses is no bound: with luck it is larger than q": (
                [0.944462, 3.367296, 2.197225, 27.631043]
            ),
        },
        tolerance=1e-4,
        variant=VARIANT,
    ),
    answers([(*FEW, 3, 0.95, 0.0), (*HALF, 20, 0.9, 1e-3)], [0.0, 0.0], tolerance=1e-4),
)
### BEGIN HIDDEN TESTS
from scipy import optimize, special


def toss(rng, canaries, strength):
    coins = rng.integers(2, size=canaries)
    return coins, strength * (2 * coins - 1) + rng.normal(size=canaries)


def audited(coins, scores, guesses, confidence, delta):
    """The least epsilon with a p-value of 1 - confidence."""
    far = sorted(range(len(scores)), key=lambda one: -abs(scores[one]))[:guesses]
    right = sum(int(coins[one] == (scores[one] > 0)) for one in far)
    values = np.arange(guesses + 1)
    ways = special.gammaln(guesses + 1) - special.gammaln(values + 1) - special.gammaln(guesses - values + 1)

    def too_much(epsilon):
        q = special.expit(epsilon)
        law = np.exp(ways + special.xlogy(values, q) + special.xlogy(guesses - values, 1 - q))
        below = np.cumsum(law[:right][::-1]) / np.arange(1, right + 1)
        return law[right:].sum() + 2 * len(coins) * delta * np.max(below, initial=0.0) - (1 - confidence)

    return optimize.brentq(too_much, 0, 30, xtol=1e-10) if too_much(0.0) < 0 else 0.0


asked = [(*toss(fresh, 1_000, 9.0), 1_000, 0.95, 0.0), (*toss(fresh, 1_000, 9.0), 100, 0.95, 1e-3)]
for canaries in (1, 9, 50, 400, 2_000):
    for delta in (0.0, 1e-5, 1e-3):
        number = int(fresh.integers(max(1, canaries // 20), canaries + 1))
        coins, scores = toss(fresh, canaries, fresh.uniform(0.3, 2.5))
        asked.append((coins, scores, number, float(fresh.choice([0.9, 0.95, 0.99])), delta))
check(least_epsilon, answers(asked, [audited(*one) for one in asked], tolerance=1e-4))
### END HIDDEN TESTS


# %% tags=["wrong"]
def least_epsilon(coins, scores, guesses, confidence, delta):
    named = np.argsort(-np.abs(scores))
    correct = (scores[named] > 0) == coins[named]
    right, twice = int(np.sum(correct[:guesses])), 2 * len(coins) * delta

    def q_of(epsilon):
        return 1 / (1 + np.exp(-epsilon))

    def bound(right=right, guesses=guesses, weight=twice, q_of=q_of):
        i = np.arange(1, right + 1)

        def possible(epsilon):
            q = q_of(epsilon)
            tail = bdtrc(right - 1, guesses, q)
            below = bdtrc(right - 1 - i, guesses, q) - tail
            return tail + weight * np.max(below / i, initial=0) >= 1 - confidence

        return least(possible)

    # WRONG all are named | you named all
    return bound(int(np.sum(correct)), len(coins))

    # WRONG the highest scores only | is a guess as well: out
    return bound(int(coins[np.argsort(-scores)[:guesses]].sum()))

    # WRONG Clopper and Pearson | bounds for two rates from many trainings
    from scipy.special import betaincinv

    inside, said = coins[named[:guesses]] == 1, scores[named[:guesses]] > 0
    hits, alarms = np.sum(said & inside), np.sum(said & ~inside)
    low = betaincinv(hits, inside.sum() - hits + 1, (1 - confidence) / 2)
    high = betaincinv(alarms + 1, np.sum(~inside) - alarms, (1 + confidence) / 2)
    return max(0.0, np.log(max(low - delta, 1e-12) / high))

    # WRONG e to epsilon times a half | e^epsilon times a half is more
    return bound(q_of=lambda epsilon: min(1.0, np.exp(epsilon) / 2))

    # WRONG q is e to epsilon | is q a probability
    return bound(q_of=lambda epsilon: min(1.0, np.exp(epsilon)))

    # WRONG delta once | 2 m stands before it
    return bound(weight=delta)

    # WRONG delta left out | the term with delta is missing
    return bound(weight=0)

    # WRONG the best number of guesses | must be paid for
    return max(bound(int(np.sum(correct[:r])), r) for r in range(1, len(coins) + 1))

    # WRONG more than v | has the value v in it
    return bound(right + 1)

    # WRONG the share of right guesses | the share of right guesses is no bound
    share = min(right / guesses, 1 - 1e-12)
    return max(0.0, np.log(share / (1 - share)))


# %% [markdown]
# ## 4. What fits (4 points)
#
# *You learn* what rounded sums still say about single persons. About 25 minutes, medium.
#
# Each of $n$ people has a secret bit, 0 or 1. `queries` is a table of 0 and 1, a row for each published sum: 1 where the sum
# has that person in it. `published` has these sums, each rounded to the nearest multiple of `step`. The step is an odd whole
# number, so a sum never lies in the middle of two multiples. Write `count_fits(queries, published, step)`, an array of $n + 1$
# numbers. The first is how many of the $2^n$ tables of bits fit everything that was published. Then comes, for each person, in
# how many of these tables the person's bit is 1.
#
# *Example.* Three people, step 3. The sum of all is 3 after rounding, and the sum of the first two is 0. The tables 011 and
# 101 fit, so the answer is 2, 1, 1, 2: the third person certainly has a 1.
#
# *Graded:* your counts, with up to 14 people, also where one table fits, or none.


# %%
def count_fits(queries, published, step):
    ### BEGIN SOLUTION
    people = queries.shape[1]
    tables = np.arange(2**people)[:, None] >> np.arange(people) & 1  # all of them, a row each
    fits = np.all(np.abs(tables @ queries.T - published) <= step // 2, axis=1)
    return np.append(fits.sum(), tables[fits].sum(axis=0))
    ### END SOLUTION


# %% points=4
BITS = np.array([1, 0, 1, 1, 0, 1])
ASKS = [
    np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0], [0, 0, 1, 1, 1, 0], [1, 0, 0, 1, 0, 1]]),
    np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0], [0, 1, 1, 1, 1, 1], [1, 0, 1, 1, 0, 1]]),
    np.array([[1, 1, 1, 1, 1, 0], [0, 1, 1, 1, 1, 1], [1, 0, 1, 1, 0, 1], [1, 1, 0, 0, 1, 1]]),
]


def rounded(sums, step):
    return step * np.round(np.asarray(sums) / step).astype(int)


TABLES = [(asks, rounded(asks @ BITS, step), step) for asks, step in zip(ASKS, (3, 5, 3), strict=True)]


def more_than_one(queries, published, step):
    """Something is wrong with a method, however it came to its table, if it finds one where several fit."""

    def requirement(draw):
        found = draw([(queries, published, step)], None, (queries.shape[1] + 1,))[0, 0]
        return "you have found one table, and others fit as well: try all of them" if found[0] == 1 else ""

    return requirement


FOUND = np.array([[7, 6, 3, 6, 6, 3, 3], [13, 11, 10, 11, 11, 7, 10], [31, 22, 18, 18, 18, 18, 22]])
many, ones = FOUND[:, :1], FOUND[:, 1:]
NEAREST = "to the nearest multiple, so a sum may be %s what was published, too"
check(
    count_fits,
    more_than_one(*TABLES[VARIANT % 3]),
    answers(
        TABLES,
        FOUND,
        slips={
            "the sums were rounded: a table fits if its sums round to what was published": (
                [[0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0], [4, 4, 2, 2, 2, 2, 4]]
            ),
            "a sum is off by half a step at most, not by a whole one": (
                [[44, 27, 24, 27, 27, 24, 24], [57, 31, 30, 32, 32, 29, 30], [55, 31, 30, 30, 30, 30, 31]]
            ),
            "a sum is off by half a step at most: a table that is a whole step off does not fit": (
                [[64, 32, 32, 32, 32, 32, 32], [64, 32, 32, 32, 32, 32, 32], [64, 32, 32, 32, 32, 32, 32]]
            ),
            NEAREST % "below": [[0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0], [11, 10, 8, 8, 8, 8, 10]],
            NEAREST % "above": [[23, 12, 9, 12, 12, 9, 9], [56, 30, 29, 31, 31, 28, 29], [37, 19, 16, 16, 16, 16, 19]],
            "every sum must fit, not most of them": (
                [[32, 22, 20, 22, 22, 20, 20], [22, 16, 14, 18, 18, 13, 14], [43, 25, 26, 26, 26, 26, 25]]
            ),
            "every sum must fit, not their mean": (
                [[41, 26, 25, 26, 26, 25, 25], [25, 17, 17, 19, 19, 16, 17], [41, 25, 25, 25, 25, 25, 25]]
            ),
            "in how many tables, not in which share of them": np.hstack([many, ones / many]),
            "these are the tables in which the person's bit is 0": np.hstack([many, many - ones]),
            "the people stand in the wrong order: the first column of the queries is the first person": (
                np.hstack([many, ones[:, ::-1]])
            ),
        },
        variant=VARIANT,
    ),
    answers(
        [(ASKS[0], ASKS[0] @ BITS, 1), (ASKS[2][:2], np.array([5, 0]), 1)],
        [[1, 1, 0, 1, 1, 0, 1], [0, 0, 0, 0, 0, 0, 0]],
    ),
)
### BEGIN HIDDEN TESTS
from itertools import product

for people, sums, step in ((1, 1, 1), (3, 2, 3), (5, 4, 1), (8, 6, 3), (9, 20, 3), (11, 5, 7), (14, 9, 5)):
    some = fresh.integers(0, 2, (sums, people))
    true = some @ fresh.integers(0, 2, people)
    told = rounded(true, step)
    tables = np.array(list(product((0, 1), repeat=people)))
    fits = np.array([np.all(rounded(some @ one, step) == told) for one in tables])
    check(count_fits, answers([(some, told, step)], [np.append(fits.sum(), tables[fits].sum(axis=0))]))
    check(count_fits, answers([(some, told + step * (people + 1), step)], [np.zeros(people + 1)]))
check(count_fits, answers([(np.eye(7, dtype=int), BITS[[0, 1, 2, 3, 4, 5, 0]], 1)], [[1, *BITS, 1]]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def count_fits(queries, published, step):
    tables = np.array(list(np.ndindex((2,) * queries.shape[1])))
    off = tables @ queries.T - published
    right = np.all(np.abs(off) <= step // 2, axis=1)

    def counted(fits):
        return np.append(fits.sum(), tables[fits].sum(axis=0))

    # WRONG equality only | the sums were rounded
    return counted(np.all(off == 0, axis=1))

    # WRONG linear programming | others fit as well
    from scipy.optimize import linprog

    sides, limits = np.vstack([queries, -queries]), np.append(published, -published) + step // 2
    found = linprog(np.zeros(queries.shape[1]), A_ub=sides, b_ub=limits, bounds=(0, 1))
    return np.append(1, np.round(found.x)) if found.success else np.zeros(queries.shape[1] + 1)

    # WRONG the first that fits | others fit as well
    return np.append(1, tables[right.argmax()]) if right.any() else np.zeros(queries.shape[1] + 1)

    # WRONG a whole step | a whole step off does not fit
    return counted(np.all(np.abs(off) <= step, axis=1))

    # WRONG rounded down | may be below what was published
    return counted(np.all((off >= 0) & (off < step), axis=1))

    # WRONG near in the mean | not their mean
    return counted(np.abs(off.mean(axis=1)) < step / 2)

    # WRONG shares | in which share of them
    many, *ones = counted(right)
    return np.append(many, np.array(ones) / max(1, many))

    # WRONG people turned round | in the wrong order
    many, *ones = counted(right)
    return np.append(many, ones[::-1])


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* what a choice among models costs. About 25 minutes, medium to hard.
#
# A team trains 20 models on the same records, each with $\varepsilon = 0.1$. It keeps the one that is right about most
# of these records, and publishes it. The report says: "Each run is 0.1-DP, the choice is post-processing, and the best
# of many runs costs three times one run. So the release is 0.3-DP." In three to seven sentences: what does the choice
# do, what does the rule of three times ask for, and how would you do it?
#
# *Graded by hand:* a point for each of the three questions.

# %% [markdown] name="explain_choice" points=3
# ### BEGIN SOLUTION
# The choice is no post-processing, since it reads the training records again, without noise. No epsilon covers it.
# Suppose that all models are equally good but for one record. Then this record decides which model comes out, and with
# many runs the decision is nearly certain. The loss can be as large as one likes, although the models themselves hardly
# know the records. The rule of three times is for other choices. The score must be a part of each run's private output.
# The number of runs must be random (geometric, say), and nobody may see it. For a fixed number of 20 private runs with
# private scores only composition is left. That is 2.0, and there are runs that reach it. So let each run buy a noisy
# count of right answers out of its own 0.1. Draw the number of runs from a geometric distribution, and publish the best
# model by these counts. Then 0.3 holds.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each. (a) The accuracy on the training records is computed from the data once more, exactly, so no epsilon covers it.
# Accept: one record can decide the choice. (b) The rule needs private scores inside each run and a random, unseen number of
# runs. Accept: a fixed 20 costs up to 2.0. (c) Pay for a noisy score within each run, and draw the number of runs. Accept: all
# 20 for 2.0, with noisy scores. Accept: a choice on public records. No point for "choose on held-out people" without noise:
# they are people, too.
# ### END MARK SCHEME
