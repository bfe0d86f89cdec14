# %% [markdown]
# # Assignment 03: Laplace noise
#
# Five tasks, 16 points. You need chapter 03, *The Laplace mechanism*; the fourth task looks ahead to chapter 21.
#
# All data here are invented. Yours may differ from those of others.

# %% tags=["setup"]
import numpy as np

from dpbook.check import answers, check, private, repeatable, shows_loss
from dpbook.check import laplace_law
from dpbook.laplace import laplace_mechanism

VARIANT = 0  # of 6
UNIT = 1 + VARIANT / 2  # of your own numbers

# %% [markdown]
# ## 1. How much noise? (2 points)
#
# *You learn* to read the sensitivity of a sum off its public bounds. About 10 minutes, easy.
#
# A clinic will release the *sum* of one number per patient. Each number lies between the public bounds `low` and
# `high`, and neighbours differ by *adding or removing* one patient. Return the scale of the Laplace noise that makes
# the release $\varepsilon$-DP: no larger than needed.


# %%
def scale_for_sum(low, high, epsilon):
    ### BEGIN SOLUTION
    return max(abs(low), abs(high)) / epsilon
    ### END SOLUTION


# %% points=2
check(
    scale_for_sum,
    answers(
        [(0, 40 * UNIT, 0.5), (-20 * UNIT, 15 * UNIT, 2.0)],
        [80.0, 10.0],
        slips={
            "that is for neighbours who *replace* a record; here one is added or removed": [80.0, 17.5],
            "a record below zero moves the sum too: try low = -20 and high = 15": [80.0, 7.5],
            "a smaller epsilon guarantees more, so it needs more noise": [20.0, 40.0],
            "epsilon plays no part in your answer": [40.0, 20.0],
            "the scale is asked for, not the standard deviation": [80 * 2**0.5, 10 * 2**0.5],
        },
        unit=UNIT,
    ),
)
### BEGIN HIDDEN TESTS
lows, widths = np.round(fresh.uniform(-300, 200, 60), 1), np.round(fresh.uniform(0.1, 400, 60), 1)
lows[:10], lows[10:20] = 0, -widths[10:20]
promises = np.exp(fresh.uniform(np.log(0.01), np.log(20), 60))
farthest = np.maximum(np.abs(lows), np.abs(lows + widths))
check(scale_for_sum, answers(list(zip(lows, lows + widths, promises, strict=True)), farthest / promises))
### END HIDDEN TESTS


# %% tags=["wrong"]
def scale_for_sum(low, high, epsilon):
    # WRONG the sensitivity under the other relation | neighbours who *replace* a record
    return (high - low) / epsilon

    # WRONG the upper bound only | a record below zero moves the sum too
    return high / epsilon

    # WRONG multiplied by epsilon | needs more noise
    return max(abs(low), abs(high)) * epsilon

    # WRONG epsilon forgotten | epsilon plays no part
    return max(abs(low), abs(high))

    # WRONG the standard deviation | not the standard deviation
    return np.sqrt(2) * max(abs(low), abs(high)) / epsilon


# %% [markdown]
# ## 2. A private sum (5 points)
#
# *You learn* to clip first, and to scale the noise to what one record can do then. About 25 minutes, easy to medium.
#
# Eight patients tried a diet; `changes` are their changes of weight in kilograms. The protocol says in public that a
# change counts as at least -20 and at most 15. One number was typed in grams.

# %% tags=["setup"]
changes = np.array([-3.5, 0.2 + UNIT, -8.0, 0.4, 2.6, -1.1, 6.5, -900.0])
bounds = (-20, 15)

# %% [markdown]
# Write `noisy_sum(values, bounds, epsilon, rng)`, where `bounds` is a pair (low, high): move each record outside the
# bounds to the nearest bound, and release the sum. It must be $\varepsilon$-DP when one record is added or removed,
# with Laplace noise no larger than needed. The release is one number, neither rounded nor cut. There may be no records.


# %%
def noisy_sum(values, bounds, epsilon, rng):
    ### BEGIN SOLUTION
    low, high = bounds
    total = np.clip(values, low, high).sum()
    return laplace_mechanism(total, max(abs(low), abs(high)), epsilon, rng)
    ### END SOLUTION


# %% points=5
check(
    noisy_sum,
    laplace_law(
        (changes, bounds),
        truth=-22.9 + UNIT,
        sensitivity=20,
        epsilon=0.5,
        centres={"the typing error is in the sum: move each record to the bounds before you add": -902.9 + UNIT},
        sensitivities={
            "this noise is for neighbours who *replace* a record; here one is added or removed": 35,
        },
        sums={"noise once, on the sum, is enough: noise on each of the eight records adds up": 8},
    ),
    laplace_law(
        (changes[:-1], bounds),
        truth=-2.9 + UNIT,
        sensitivity=20,
        epsilon=0.5,
        sensitivities={"the noise follows the largest record, which is secret: use the public bounds": 8},
    ),
    repeatable((changes, bounds, 0.5)),
    private((changes, bounds, 1.0), (changes[:-1], bounds, 1.0), epsilon=1.0, samples=4000, additive=True),
)
### BEGIN HIDDEN TESTS
from dpbook.check import all_private

promises = fresh.permutation([0.01, 0.03, 0.1, 0.8, 3.0, 10.0, 20.0]) * fresh.uniform(0.75, 1.0, 7)
a, b = fresh.uniform(1, 40, (2, 7)).round(1)
kinds = fresh.permutation([(0, 1), (0, 1), (-1, 0), (-1, 0), (-1, 1), (-3, -2), (2, 3)])
sizes = fresh.integers([0, 1, 2, 10, 80, 400, 1500], [1, 2, 9, 60, 250, 1200, 4500])
draws = (20_000, 20_000, 20_000, 20_000, 10_000, 4000, 1000)  # time for slow answers
for size, samples, promise, (left, right), one, two in zip(sizes, draws, promises, kinds, a, b, strict=True):
    ends = (left * one, right * (two if left * right <= 0 else one))
    people = fresh.uniform(ends[0] - one, ends[1] + two, size)
    total = sum(min(max(person, ends[0]), ends[1]) for person in people)
    check(noisy_sum, laplace_law((people, ends), float(total), max(map(abs, ends)), promise, samples=samples))
steady = fresh.uniform(0.4, 0.6, 60)
pairs = []
for ends, typo in (((-2, 9), 1e6), ((-30.0, -10.0), -1e6), ((0, 0.6), 1e6)):
    promise = fresh.uniform(0.5, 3)
    pairs.append(((steady, ends, promise), (np.append(steady, typo), ends, promise), promise))
check(noisy_sum, all_private(pairs, samples=4000, additive=True))
### END HIDDEN TESTS


# %% tags=["wrong"]
def noisy_sum(values, bounds, epsilon, rng):
    # WRONG output of the true value | NO_NOISE
    return np.clip(values, *bounds).sum()

    # WRONG half the noise | HALF
    return laplace_mechanism(np.clip(values, *bounds).sum(), np.abs(bounds).max() / 2, epsilon, rng)

    # WRONG sensitivity forgotten | OF_ONE
    return np.clip(values, *bounds).sum() + rng.laplace(scale=1 / epsilon)

    # WRONG sensitivity under the other relation | this noise is for neighbours who *replace* a record
    return laplace_mechanism(np.clip(values, *bounds).sum(), bounds[1] - bounds[0], epsilon, rng)

    # WRONG scale taken for the standard deviation | NOT_DEVIATION
    return np.clip(values, *bounds).sum() + rng.laplace(scale=np.abs(bounds).max() / epsilon / np.sqrt(2))

    # WRONG noise that does not depend on epsilon | UNCHANGED
    return np.clip(values, *bounds).sum() + rng.laplace(scale=40.0)

    # WRONG multiplied by epsilon | yours was multiplied by 2
    return np.clip(values, *bounds).sum() + rng.laplace(scale=np.abs(bounds).max() * epsilon)

    # WRONG seed fixed | SAME_EACH_TIME
    rng = np.random.default_rng(42)
    return laplace_mechanism(np.clip(values, *bounds).sum(), np.abs(bounds).max(), epsilon, rng)

    # WRONG a generator of its own | NOT_FROM_RNG
    return np.clip(values, *bounds).sum() + np.random.default_rng().laplace(scale=np.abs(bounds).max() / epsilon)

    # WRONG one-sided noise | ONE_SIDED
    return np.clip(values, *bounds).sum() + abs(rng.laplace(scale=np.abs(bounds).max() / epsilon))

    # WRONG records not moved to the bounds | the typing error is in the sum
    return laplace_mechanism(values.sum(), np.abs(bounds).max(), epsilon, rng)

    # WRONG the release clipped as well | CUT
    release = laplace_mechanism(np.clip(values, *bounds).sum(), np.abs(bounds).max(), epsilon, rng)
    return np.clip(release, *bounds)

    # WRONG the true value, once in a hundred times | REPEATED
    total = np.clip(values, *bounds).sum()
    return total if rng.random() < 0.01 else laplace_mechanism(total, np.abs(bounds).max(), epsilon, rng)

    # WRONG rounded | WHOLE
    return round(laplace_mechanism(np.clip(values, *bounds).sum(), np.abs(bounds).max(), epsilon, rng))

    # WRONG normal noise | NORMAL
    return np.clip(values, *bounds).sum() + rng.normal(scale=np.sqrt(2) * np.abs(bounds).max() / epsilon)

    # WRONG noise on each record | noise once, on the sum, is enough
    return laplace_mechanism(np.clip(values, *bounds), np.abs(bounds).max(), epsilon, rng).sum()

    # WRONG scaled to the largest record | the noise follows the largest record, which is secret
    kept = np.clip(values, *bounds)
    return laplace_mechanism(kept.sum(), np.abs(kept).max(), epsilon, rng)


# %% [markdown]
# ## 3. Attack: the same noise twice (3 points)
#
# *You learn* that two releases with one noise give the truth away. About 20 minutes, medium.
#
# A clinic releases one count twice: for its patients at $\varepsilon_1$, for researchers at $\varepsilon_2$. Both
# releases add Laplace noise of scale $1/\varepsilon$, and both generators were made *with the same seed*, which you do
# not know:


# %% tags=["setup"]
def two_releases(count, first_epsilon, second_epsilon, seed):
    epsilons = first_epsilon, second_epsilon
    return [laplace_mechanism(count, 1, e, np.random.default_rng(seed)) for e in epsilons]


# %% [markdown]
# Write `recover_count(first, first_epsilon, second, second_epsilon)`: the exact count, from the two releases. The two
# epsilons differ. (Your number may be off by the computer's rounding.) With fresh noise the two releases together would
# have been $(\varepsilon_1 + \varepsilon_2)$-DP.


# %%
def recover_count(first, first_epsilon, second, second_epsilon):
    ### BEGIN SOLUTION
    # The noise is X / epsilon with one X: multiply each release by its epsilon, subtract, and X is gone.
    return (first_epsilon * first - second_epsilon * second) / (first_epsilon - second_epsilon)
    ### END SOLUTION


# %% points=3
# The check
counts = np.array([412, 87, 1203, 9, 55]) + VARIANT
pairs = [two_releases(count, 0.1, 0.5, seed) for seed, count in enumerate(counts)]
check(
    recover_count,
    answers(
        [(first, 0.1, second, 0.5) for first, second in pairs],
        counts,
        slips={
            "an average keeps the noise: find a combination in which it cancels": np.mean(pairs, axis=1),
            "the weighted average is the best guess from *fresh* noise; this noise cancels": np.dot(pairs, [1, 5]) / 6,
            "more exact, but still noisy: use both releases": [second for _, second in pairs],
            "the noise cancels if the release with the larger epsilon weighs more: swap": np.dot(pairs, [1.25, -0.25]),
        },
        tolerance=0.01,
    ),
)
### BEGIN HIDDEN TESTS
secret_counts = fresh.integers(0, 5000, 200)
few = fresh.permuted(np.tile([0.01, 0.05, 0.3, 1.0, 2.5, 20.0], (200, 1)), axis=1)[:, :2]
secret_epsilons = few * fresh.uniform(0.8, 1.0, few.shape)
plays = [
    (*two_releases(count, *epsilons, int(fresh.integers(2**40))), *epsilons)
    for count, epsilons in zip(secret_counts, secret_epsilons, strict=True)
]
check(recover_count, answers([(a, e, b, f) for a, b, e, f in plays], secret_counts, tolerance=0.01))
### END HIDDEN TESTS


# %% tags=["wrong"]
def recover_count(first, first_epsilon, second, second_epsilon):
    # WRONG the average | an average keeps the noise
    return (first + second) / 2

    # WRONG the average weighted by epsilon | the weighted average is the best guess from *fresh* noise
    return (first_epsilon * first + second_epsilon * second) / (first_epsilon + second_epsilon)

    # WRONG the less noisy release | more exact, but still noisy
    return first if first_epsilon > second_epsilon else second

    # WRONG weights swapped | weighs more: swap
    return (second_epsilon * first - first_epsilon * second) / (second_epsilon - first_epsilon)

    # WRONG only for a second epsilon that is five times the first | SOME_WRONG
    return 1.25 * second - 0.25 * first


# %% [markdown]
# ## 4. Challenge: find the records that give it away (3 points)
#
# *You learn* why noise must not follow the data. About 25 minutes, medium.
#
# A colleague argues: "The more the largest record can move the sum, the more noise I add, so everyone is covered." Here
# is the colleague's mechanism, which claims $\varepsilon = 1$ under add/remove for records between 0 and 40:


# %% tags=["setup"]
def scaled_to_data(values, rng, size):
    return values.sum() + rng.laplace(scale=values.max() / 1.0, size=size)


# %% [markdown]
# Write `revealing_records()`: five numbers between 0 and 40, as an array. Removing the *last* of them must change the
# releases so much that the audit of chapter 21 certifies a loss of at least 3. To try some, import
# `epsilon_lower_bound` from `dpbook.audit`, and print `epsilon_lower_bound(scaled_to_data, records, records[:-1],
# 10_000, np.random.default_rng(), 0.99)`.


# %%
def revealing_records():
    ### BEGIN SOLUTION
    # Without the 40 the noise has scale 1, with it 40: a release far from 4 all but proves that the 40 is there.
    return np.array([1.0, 1.0, 1.0, 1.0, 40.0])
    ### END SOLUTION


# %% points=3
check(revealing_records, shows_loss(scaled_to_data, (), 5, (0, 40), least=3))


# %% tags=["wrong"]
def revealing_records():
    # WRONG nobody stands out | 3 is asked
    return np.full(5, 20.0)

    # WRONG the largest record is not the one removed | 3 is asked
    return np.array([40.0, 1.0, 1.0, 1.0, 1.0])

    # WRONG outside the bounds | OUTSIDE
    return np.array([1.0, 1.0, 1.0, 1.0, 1000.0])


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* what may be done to a release, and what not to the noise. About 20 minutes, medium.
#
# The clinic of task 2 releases its noisy sum of changes. A newspaper rounds the sum to whole kilograms, and prints zero
# if the result is above zero. Is the printed number still $\varepsilon$-DP? Is it right on average (unbiased)? And if
# the clinic itself rounded the *noise* to whole kilograms before adding it to the sum, would the release still be
# $\varepsilon$-DP? Three to six sentences.

# %% [markdown] name="explain_rounding" points=3
# ### BEGIN SOLUTION
# Rounding and cutting look only at the release, so the printed number is post-processing of an $\varepsilon$-DP
# release and $\varepsilon$-DP itself. It is not right on average: what would have been above zero is moved down to
# zero, and the noise no longer cancels. The larger the true sum, the larger is this bias; far below zero it is small.
# Rounding the noise is another matter. Weights are no whole numbers, so the release would keep the fraction of the
# true sum. A fraction that only one of two neighbours can have tells them apart with certainty: no $\varepsilon$ holds.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each; no point for a bare yes or no:
#
# - (a) private, *because* it is post-processing, or by the definition applied to the events of the rounded release;
# - (b) biased downwards, with a reason (only one side is cut);
# - (c) rounded noise lets the fraction of the true sum through. Accept an example of two neighbours.
# ### END MARK SCHEME
