# %% [markdown]
# # Assignment 15: Stability
#
# Five tasks, 18 points. You need chapter 15, *Stability*.
#
# All data here are invented. Yours may differ from those of others. Neighbours differ by **replacing** one record; the
# number of records is public. The median of $n$ values is the one of rank $\lfloor (n+1)/2 \rfloor$. So for an even
# number it is the lower of the two in the middle.

# %% tags=["setup"]
import numpy as np

from dpbook.check import answers, check, discrete_law, laplace_law, private, repeatable, words

VARIANT = 0  # of 6
UNIT = 1 + VARIANT / 2  # of your own numbers


# %% [markdown]
# ## 1. How far can it move? (3 points)
#
# *You learn* to see how far one more replacement can move a median. About 25 minutes, medium.
#
# `values` lie within the public bounds `low` and `high`. A record may be replaced by any value within them. Let $A(k)$
# be the most that *one* further replacement can move the median after any $k$ replacements. Write
# `steps(values, low, high)`: the four numbers $A(0), A(1), A(2), A(3)$. There may be thousands of values.


# %%
def steps(values, low, high):
    ### BEGIN SOLUTION
    # k replacements empty the ranks between two that are k + 1 apart; one more moves the median across that gap.
    ranked, middle = np.sort(values), (len(values) - 1) // 2
    padded = np.concatenate([np.full(5, low), ranked, np.full(5, high)])
    middle += 5
    return [max(padded[middle + t] - padded[middle + t - k - 1] for t in range(k + 2)) for k in range(4)]
    ### END SOLUTION


# %% points=3
STEP_CALLS = [
    (np.array([6.0, 1.0, 3.0, 10.0, 2.0]), 0, 12),
    (np.array([9.0, 0.0, 5.0, 6.0]), -1, 9),
    (np.array([4.0]), 1, 9),
]
check(
    steps,
    answers(
        [(values + VARIANT, low + VARIANT, high + VARIANT) for values, low, high in STEP_CALLS],
        [[3, 7, 9, 10], [5, 6, 9, 10], [5, 8, 8, 8]],
        slips={
            "that is for a median that becomes a mean of two when somebody joins: a replaced person moves it a whole gap": [
                [1.5, 3.5, 4.5, 5],
                [2.5, 3, 4.5, 5],
                [2.5, 4, 4, 4],
            ],
            "a replaced person may get any value within the bounds, also one beyond all the others": [
                [3, 7, 8, 9],
                [5, 6, 9, 9],
                [0, 0, 0, 0],
            ],
            "gaps are not all alike: A(k) is no multiple of A(0)": [[3, 6, 9, 12], [5, 10, 15, 20], [5, 10, 15, 20]],
            "of an even number of values the median is the lower of the two in the middle": [
                [3, 7, 9, 10],
                [3, 6, 9, 10],
                [5, 8, 8, 8],
            ],
            "the values come in any order: rank them first": [[7, 9, 9, 11], [5, 6, 9, 9], [5, 8, 8, 8]],
            "k replacements come first, and then one more that makes the move": [
                [0, 3, 7, 9],
                [0, 5, 6, 9],
                [0, 5, 8, 8],
            ],
        },
    ),
)
### BEGIN HIDDEN TESTS
from dpbook.stability import median_sensitivity_at

step_calls = []
for size in (1, 2, 3, 8, 41, 2000):
    least, most = np.sort(fresh.uniform(-50, 50, 2))
    ends = least, most + 1
    step_calls.append((fresh.uniform(*ends, size), *ends))
    step_calls.append((np.round(fresh.uniform(0, 4, size)), 0, int(fresh.integers(4, 9))))
expected_steps = [[median_sensitivity_at(v, (low, high), k) for k in range(4)] for v, low, high in step_calls]
check(steps, answers(step_calls, expected_steps))
### END HIDDEN TESTS


# %% tags=["wrong"]
def steps(values, low, high):
    ranked, middle = np.sort(values), (len(values) - 1) // 2 + 5
    padded = np.concatenate([np.full(5, low), ranked, np.full(5, high)])

    def gap(k):
        return max(padded[middle + t] - padded[middle + t - k - 1] for t in range(k + 2))

    # WRONG half a gap | somebody joins
    return [gap(k) / 2 for k in range(4)]

    # WRONG bounds forgotten | may get any value within the bounds
    padded = np.concatenate([np.full(5, ranked[0]), ranked, np.full(5, ranked[-1])])
    return [gap(k) for k in range(4)]

    # WRONG k + 1 times the local sensitivity | gaps are not all alike
    return [(k + 1) * gap(0) for k in range(4)]

    # WRONG the upper middle | the lower of the two
    middle = len(values) // 2 + 5
    return [gap(k) for k in range(4)]

    # WRONG not ranked | the values come in any order
    padded = np.concatenate([np.full(5, low), values, np.full(5, high)])
    return [gap(k) for k in range(4)]

    # WRONG one replacement too few | one more that makes the move
    return [max(padded[middle + t] - padded[middle + t - k] for t in range(k + 1)) for k in range(4)]


# %% [markdown]
# ## 2. A bound that changes slowly (4 points)
#
# *You learn* to compute a smooth bound without listing datasets. About 35 minutes, medium to hard.
#
# Write `smooth_bound(values, low, high, beta)`: the smooth sensitivity of the median, the largest $A(k)\, e^{-\beta k}$ over
# all $k \ge 0$, with the $A$ of task 1. There may be a thousand values; they may be tied, and there may be an even number
# of them.


# %%
def smooth_bound(values, low, high, beta):
    ### BEGIN SOLUTION
    size, middle = len(values), (len(values) - 1) // 2 + len(values) + 1
    padded = np.concatenate([np.full(size + 1, low), np.sort(values), np.full(size + 1, high)])
    best = 0.0
    for k in range(size + 1):
        step = np.max(padded[middle : middle + k + 2] - padded[middle - k - 1 : middle + 1])
        best = max(best, np.exp(-beta * k) * step)
    return best
    ### END SOLUTION


# %% points=4
BOUND_CALLS = [
    (np.array([6.0, 1.0, 3.0, 10.0, 2.0]), 0, 12, 0.7),
    (np.array([2.0, 2.5, 7.0, 2.2, 2.4, 2.1, 2.6]), 0, 20, 0.005),
    (np.array([5.0, 5.0, 4.0, 9.0]), 2, 11, 0.3),
    (np.array([9.0, 1.0, 8.0]), 0, 10, 2.0),
]
check(
    smooth_bound,
    answers(
        [(values + VARIANT, low + VARIANT, high + VARIANT, beta) for values, low, high, beta in BOUND_CALLS],
        [3.476097127, 19.31210833, 3.292869817, 7],
        slips={
            "k = 0 counts as well: the bound must not be below the local sensitivity": (
                [3.476097127, 19.31210833, 3.292869817, 1.082682266]
            ),
            "no replacement, no discount: at k = 0 the factor is 1": (
                [1.726178748, 19.21578878, 2.439417958, 0.9473469827]
            ),
            "with a small beta it pays to replace more than half of the records": (
                [3.476097127, 17.33797014, 3.292869817, 7]
            ),
            "the median can jump down as well, and from a place below it to one above": (
                [3.476097127, 17.33797014, 3.292869817, 1]
            ),
            "the values come in any order: rank them first": [7, 19.31210833, 3.292869817, 7],
            "the bounds are public, and wider than the data: replaced values may lie at their ends": (
                [3.476097127, 4.87654956, 2.963272883, 7]
            ),
            "it is the largest of the terms, not their sum": [10.95131337, 94.07641486, 12.81287822, 8.272310538],
        },
    ),
)
### BEGIN HIDDEN TESTS
from dpbook.stability import median_smooth_sensitivity

bound_calls = []
for size in (1, 2, 3, 20, 61, 1000):
    least, most = np.sort(fresh.uniform(-50, 50, 2))
    ends = least, most + 1
    for slow in np.exp(fresh.uniform(np.log(0.002), np.log(2), 2)):
        bound_calls.append((fresh.uniform(*ends, size), *ends, slow))
    bound_calls.append((np.round(fresh.uniform(0, 4, size)), 0, int(fresh.integers(4, 9)), fresh.uniform(0.01, 1)))
bound_calls.append((fresh.permutation(np.repeat([0.0, 1], [40, 41])), 0, 1, 0.02))
bound_calls.append((fresh.uniform(0, 9, 1000), 0, 9, fresh.uniform(0.0003, 0.0006)))  # all must be replaced
in_heaps = np.repeat([0.0, 4, 5, 6, 10], [60, 40, 1, 40, 60]) + fresh.uniform(0, 0.01, 201)
bound_calls.append((fresh.permutation(in_heaps), -1, 11, 0.01))  # the terms fall for a long time, and then rise
check(
    smooth_bound,
    answers(bound_calls, [median_smooth_sensitivity(v, (low, high), b) for v, low, high, b in bound_calls]),
)
### END HIDDEN TESTS


# %% tags=["wrong"]
def smooth_bound(values, low, high, beta):
    size, middle = len(values), (len(values) - 1) // 2 + len(values) + 1
    padded = np.concatenate([np.full(size + 1, low), np.sort(values), np.full(size + 1, high)])

    def step(k):
        return np.max(padded[middle : middle + k + 2] - padded[middle - k - 1 : middle + 1])

    # WRONG from one replacement on | k = 0 counts as well
    return max(np.exp(-beta * k) * step(k) for k in range(1, size + 1))

    # WRONG discounted once too often | no replacement, no discount
    return max(np.exp(-beta * (k + 1)) * step(k) for k in range(size + 1))

    # WRONG stopped at half | more than half of the records
    return max(np.exp(-beta * k) * step(k) for k in range(size // 2 + 1))

    # WRONG upwards only | the median can jump down as well
    return max(np.exp(-beta * k) * (padded[middle + k + 1] - padded[middle]) for k in range(size + 1))

    # WRONG not ranked | the values come in any order
    padded = np.concatenate([np.full(size + 1, low), values, np.full(size + 1, high)])
    return max(np.exp(-beta * k) * step(k) for k in range(size + 1))

    # WRONG the data's own bounds | the bounds are public
    padded = np.concatenate([np.full(size + 1, min(values)), np.sort(values), np.full(size + 1, max(values))])
    return max(np.exp(-beta * k) * step(k) for k in range(size + 1))

    # WRONG a sum | the largest of the terms
    return sum(np.exp(-beta * k) * step(k) for k in range(size + 1))


# %% [markdown]
# ## 3. Release (4 points)
#
# *You learn* to put the constants of a published rule in their places. About 30 minutes, medium.
#
# With a $\delta$, Laplace noise scaled to a smooth bound gives $(\varepsilon, \delta)$-DP, if the bound is smooth
# enough and the scale has the right constant. Chapter 15 quotes a published rule for both. First, for one point, write
# `smoothness(epsilon, delta)`: the $\beta$ of this rule.


# %%
def smoothness(epsilon, delta):
    ### BEGIN SOLUTION
    return epsilon / (2 * np.log(2 / delta))
    ### END SOLUTION


# %% points=1
check(
    smoothness,
    answers(
        [(UNIT * epsilon, delta) for epsilon, delta in [(1.0, 1e-06), (0.3, 0.001), (2.0, 0.05)]],
        [0.03446218175, 0.01973449874, 0.2710850307],
        slips={
            "the bound must be twice as smooth: half of epsilon pays for the shift": (
                [0.06892436351, 0.03946899748, 0.5421700614]
            ),
            "under the logarithm it is 2 / delta: both tails count": [0.03619120683, 0.0217147241, 0.3338082007],
            "delta, not its half, stands below the 2": [0.03289083123, 0.01808525467, 0.2282049114],
            "the logarithm is the natural one": [0.07935210598, 0.04544036261, 0.6241963506],
            "that beta belongs to Cauchy noise: with a delta Laplace noise will do, and delta must come in here": (
                [0.1666666667, 0.05, 0.3333333333]
            ),
        },
        tolerance=1e-7,
        unit=UNIT,
    ),
)
### BEGIN HIDDEN TESTS
promises = [(e, d) for e, d in zip(fresh.uniform(0.05, 5, 8), np.exp(fresh.uniform(-25, -1, 8)), strict=True)]
check(smoothness, answers(promises, [e / (2 * np.log(2 / d)) for e, d in promises], tolerance=1e-9))
### END HIDDEN TESTS


# %% tags=["wrong"]
def smoothness(epsilon, delta):
    # WRONG the 2 in front forgotten | twice as smooth
    return epsilon / np.log(2 / delta)

    # WRONG ln(1/delta) | under the logarithm it is 2 / delta
    return epsilon / (2 * np.log(1 / delta))

    # WRONG half of delta | delta, not its half, stands below the 2
    return epsilon / (2 * np.log(4 / delta))

    # WRONG decimal logarithm | the logarithm is the natural one
    return epsilon / (2 * np.log10(2 / delta))

    # WRONG pure noise's beta | that beta belongs to Cauchy noise
    return epsilon / 6


# %% [markdown]
# Then, for three points, write `noisy_value(value, smooth_bound, epsilon, rng)`. It releases `value` with Laplace
# noise, with the scale of the same rule. `smooth_bound` is a bound on its local sensitivity that is as smooth as the
# rule asks. The release is neither rounded nor cut.


# %%
def noisy_value(value, smooth_bound, epsilon, rng):
    ### BEGIN SOLUTION
    return value + rng.laplace(scale=2 * smooth_bound / epsilon)
    ### END SOLUTION


# %% points=3
# The check
def not_cauchy(draw):
    """A requirement: of 4,000 sizes the 40th largest is at most 20 times the middle one (Laplace noise: 6.6)."""
    sizes = np.sort(np.abs(draw([(0.0, 1.0, 1.0)], 4000)[0]))
    if sizes[-40] <= 20 * sizes[2000]:
        return ""
    return "noise of Cauchy's kind needs no delta: the rule has one, and Laplace noise will do"


check(
    noisy_value,
    not_cauchy,
    laplace_law(
        (5.0 + VARIANT / 10, 1.5),
        5.0 + VARIANT / 10,
        3.0,
        0.5,
        sensitivities={
            "that is the scale for a global sensitivity: half of epsilon must be left for the bound that changes": 1.5,
            "twice, not half: the noise grows where the bound may change": 0.75,
            "four times the bound over epsilon is private, and wastes accuracy": 6.0,
            "the noise does not depend on the bound: that was the idea": 2.0,
            "6 S / epsilon is the published scale of Cauchy noise": 9.0,
        },
    ),
    laplace_law((-2.0 * UNIT, 0.2), -2.0 * UNIT, 0.4, 4.0),
    repeatable((5.0 + VARIANT / 10, 1.5, 0.5)),
    private((1.0, 1.0, 1.5), (2.0, 1.0, 1.5), 1.5, additive=True),
)
### BEGIN HIDDEN TESTS
for middle, smooth, promise in zip(
    fresh.uniform(-40, 90, 5),
    np.exp(fresh.uniform(-4, 4, 5)),
    fresh.permutation([0.01, 0.1, 1.0, 4.0, 20.0]),
    strict=True,
):
    check(noisy_value, laplace_law((middle, smooth), middle, 2 * smooth, promise))
hardly = np.exp(fresh.uniform(-14, -8))  # a bound so small needs noise so small
check(noisy_value, laplace_law((0.0, hardly), 0.0, 2 * hardly, 0.8))
check(noisy_value, private((0.0, 3.0, 1.0), (3.0, 3.0, 1.0), 1.0, additive=True))
### END HIDDEN TESTS


# %% tags=["wrong"]
def noisy_value(value, smooth_bound, epsilon, rng):
    # WRONG the scale of a global sensitivity | half of epsilon must be left
    return value + rng.laplace(scale=smooth_bound / epsilon)

    # WRONG half the bound | twice, not half
    return value + rng.laplace(scale=smooth_bound / 2 / epsilon)

    # WRONG four times | wastes accuracy
    return value + rng.laplace(scale=4 * smooth_bound / epsilon)

    # WRONG without the bound | that was the idea
    return value + rng.laplace(scale=2 / epsilon)

    # WRONG the published Cauchy scale | published scale of Cauchy noise
    return value + rng.laplace(scale=6 * smooth_bound / epsilon)

    # WRONG Cauchy noise | noise of Cauchy's kind
    return value + 6 * smooth_bound / epsilon * rng.standard_cauchy()

    # WRONG normal noise | NORMAL
    return value + rng.normal(scale=2 * np.sqrt(2) * smooth_bound / epsilon)

    # WRONG rounded | WHOLE
    return np.round(value + rng.laplace(scale=2 * smooth_bound / epsilon))

    # WRONG noise on a log scale | OTHER_SHAPE
    return value * np.exp(rng.laplace(scale=0.1 * smooth_bound / epsilon))

    # WRONG the value itself | NO_NOISE
    return value + 0.0


# %% [markdown]
# ## 4. A stable vote (4 points)
#
# *You learn* to test a distance that moves by 1, and to release only where the test passes. About 35 minutes, medium to hard.
#
# A dataset was split into disjoint blocks, and each block gave one vote, a whole number that is not negative: `votes`.
# One record is in one block, so between neighbours one vote changes at most. Write `stable_winner(votes, epsilon,
# delta, rng)`: it returns the most frequent vote, or -1 for "no answer", with $(\varepsilon, \delta)$-DP, by the test
# of Theorem 15.3. Its distance is $\hat d = (\text{count}_1 - \text{count}_2)/2 - 1$, with the two highest counts, or
# 0 for the second if all votes are alike. The noise is Laplace noise; noise and threshold are those of the theorem.
# Where votes are tied, the winner is the smallest of them.


# %%
def stable_winner(votes, epsilon, delta, rng):
    ### BEGIN SOLUTION
    kinds, counts = np.unique(votes, return_counts=True)
    second, first = np.sort(np.append(counts, 0))[-2:]
    distance = (first - second) / 2 - 1
    if distance + rng.laplace(scale=1 / epsilon) > np.log(1 / delta) / epsilon:
        return kinds[counts.argmax()]
    return -1
    ### END SOLUTION


# %% points=4
clear = np.repeat([3, 8], [18, 6]) + VARIANT
close = np.repeat([7, 0, 2], [12, 9, 4]) + VARIANT
tied = np.repeat([4, 2], [9, 9]) + VARIANT
check(
    stable_winner,
    discrete_law(
        (clear, 0.5, 0.05),
        [-1, 3 + VARIANT, 8 + VARIANT],
        [0.695437650982, 0.304562349018, 0.0],
        slips={
            "delta must be in the threshold, and nothing else says how rare a mistake is": (
                [0.0820849986239, 0.917915001376, 0.0]
            ),
            "one block that changes its vote moves the gap by two": [0.0408677143846, 0.959132285615, 0.0],
            "the task's distance is half the gap, less 1: your release behaves as if the 1 were missing": (
                [0.497870683679, 0.502129316321, 0.0]
            ),
            "the noise has the scale 1 / epsilon, and the threshold must grow with it": (
                [0.183547636856, 0.816452363144, 0.0]
            ),
            words.HALF: [0.814483551122, 0.185516448878, 0.0],
            "the distance moves by one, not by two: this is twice the noise": [0.609767794116, 0.390232205884, 0.0],
        },
    ),
    discrete_law((close, 1.0, 0.2), [-1, *np.add(VARIANT, [7, 0, 2])], [0.83512787293, 0.16487212707, 0, 0]),
    discrete_law((np.repeat([5, 1], [30, 1]), 2.0, 0.01), [-1, 5], [9.39764932539e-11, 0.999999999906]),
    discrete_law(
        (tied, 0.5, 0.4),
        [-1, 2 + VARIANT, 4 + VARIANT],
        [0.878693868058, 0.121306131942, 0.0],
        slips={"where votes are tied, the smallest of them wins": [0.878693868058, 0.0, 0.121306131942]},
    ),
    repeatable((clear, 0.5, 0.05)),
    private((np.repeat([0, 1], [11, 10]), 0.5, 0.05), (np.repeat([0, 1], [10, 11]), 0.5, 0.05), 0.5, delta=0.05),
)
### BEGIN HIDDEN TESTS
from dpbook.stability import pass_probability, vote_distance


def elected(people, promise, rare):
    """The exact law of the winner of these votes, in this order, at `promise` and at 1.05 times that."""
    winner, away = vote_distance(people, 1)
    chances = [pass_probability(away, e, np.log(1 / rare) / e) for e in (promise, 1.05 * promise)]
    law, more = ([1 - chance, chance] for chance in chances)
    return discrete_law((people, promise, rare), [-1, winner], law, steeper=more)


def led(gap, promise, rare):
    """A winner whose gap lies about `gap` noises over the threshold."""
    lead = max(1, round(2 * (np.log(1 / rare) + gap) / promise) + 2)
    least = int(fresh.integers(1, 30))
    return fresh.permutation(
        np.repeat(fresh.permutation(2000)[:3], [least + lead, least, int(fresh.integers(0, least))])
    )


for promise in fresh.permutation([0.02, 0.3, 1.0, 10.0]) * fresh.uniform(0.8, 1, 4):
    rare = np.exp(fresh.uniform(-14, -6))
    gap = -5 if promise < 0.1 else fresh.uniform(-1, 1)  # where the winner is rare, a few that had no noise are seen
    check(stable_winner, elected(led(gap, promise, rare), promise, rare))
same = np.full(int(fresh.integers(8, 20)), int(fresh.integers(0, 9)))
check(stable_winner, elected(same, 0.5, 0.1))
pair = fresh.permutation(2000)[:2]
for order in (pair, pair[::-1]):  # the smaller of the two comes first, or last
    check(stable_winner, elected(np.repeat(order, 9), 0.5, 0.4))
check(stable_winner, elected(led(0, 0.3, 1e-9), 0.3, 1e-9), elected(np.array([6]), 1.0, 0.5))
### END HIDDEN TESTS


# %% tags=["wrong"]
def stable_winner(votes, epsilon, delta, rng):
    kinds, counts = np.unique(votes, return_counts=True)
    second, first = np.sort(np.append(counts, 0))[-2:]
    winner, half = kinds[counts.argmax()], (first - second) / 2

    # WRONG the threshold forgets delta | delta must be in the threshold
    passes = half - 1 + rng.laplace(scale=1 / epsilon) > np.log(1 / epsilon) / epsilon
    return winner if passes else -1

    # WRONG the gap not halved | moves the gap by two
    passes = first - second - 1 + rng.laplace(scale=1 / epsilon) > np.log(1 / delta) / epsilon
    return winner if passes else -1

    # WRONG one too far | as if the 1 were missing
    passes = half + rng.laplace(scale=1 / epsilon) > np.log(1 / delta) / epsilon
    return winner if passes else -1

    # WRONG the threshold without epsilon | the threshold must grow with it
    passes = half - 1 + rng.laplace(scale=1 / epsilon) > np.log(1 / delta)
    return winner if passes else -1

    # WRONG half the noise | HALF
    passes = half - 1 + rng.laplace(scale=0.5 / epsilon) > np.log(1 / delta) / epsilon
    return winner if passes else -1

    # WRONG twice the noise | the distance moves by one, not by two
    passes = half - 1 + rng.laplace(scale=2 / epsilon) > np.log(1 / delta) / epsilon
    return winner if passes else -1

    # WRONG no noise | NOT_DRAWN
    return winner if half - 1 > np.log(1 / delta) / epsilon else -1

    # WRONG noise, and then the true test | NOT_DRAWN
    noisy = half - 1 + rng.laplace(scale=1 / epsilon)
    return winner if noisy > 1e9 or half - 1 > np.log(1 / delta) / epsilon else -1

    # WRONG noise on the counts | OFTEN
    noisy = counts + rng.laplace(scale=1 / epsilon, size=counts.size)
    second, first = np.sort(np.append(noisy, 0))[-2:]
    return kinds[np.argmax(noisy)] if (first - second) / 2 - 1 > np.log(1 / delta) / epsilon else -1

    # WRONG the noisy winner always | OFTEN
    return kinds[np.argmax(counts + rng.laplace(scale=1 / epsilon, size=counts.size))]

    # WRONG of tied votes the first that was given | the smallest of them wins
    places = np.unique(votes, return_index=True)[1]
    passes = half - 1 + rng.laplace(scale=1 / epsilon) > np.log(1 / delta) / epsilon
    return votes[places[counts == first].min()] if passes else -1

    # WRONG None for no answer | stable_winner gave
    passes = half - 1 + rng.laplace(scale=1 / epsilon) > np.log(1 / delta) / epsilon
    return winner if passes else None

    # WRONG the number of votes | IMPOSSIBLE
    passes = half - 1 + rng.laplace(scale=1 / epsilon) > np.log(1 / delta) / epsilon
    return first if passes else -1


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* what the test of propose-test-release protects, and what delta pays for. About 20 minutes, medium to hard.
#
# Somebody objects to propose-test-release: "On my data the test passes almost surely. That says something about my
# data only. With my neighbour's data the median may jump from one end to the other. There the noise for the small
# bound $b$ would be far too little. So how can the release be private?" Answer in three to five sentences. Why is it
# private all the same? What does $\delta$ pay for? And why may one not test with the exact distance instead of a noisy
# one?

# %% [markdown] name="explain_test" points=3
# ### BEGIN SOLUTION
# The distance to data with a larger local sensitivity moves by at most 1 from neighbour to neighbour. If the test
# passes almost surely on my data, their distance is large, so my neighbour's is nearly as large. Such wild data cannot
# be next door: no neighbour can move my median by more than b, and the noise for b is enough. The noise would be too
# little only for a dataset at distance 0, where a neighbour may be farther away than b. There the test passes with
# probability at most delta / 2 because the threshold is ln(1/delta) / epsilon, and that is what delta pays for. With
# the exact distance the test would have no noise. Whether there is an answer would then tell two neighbours apart with
# certainty, one just above the threshold and one just below it. The noisy test costs epsilon, the release another.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each:
#
# - (a) The distance moves by 1 at most between neighbours. So a dataset that passes almost surely has no neighbour
#   that jumps by more than b. (Accept: local sensitivity at most b as soon as the distance is at least 1.)
# - (b) Delta pays for a dataset at distance 0 that passes by luck, at most delta / 2 by the threshold ln(1/delta) /
#   epsilon.
# - (c) With an exact test "answer or none" is itself a function of the data without noise. That is an infinite loss on
#   the pair across the threshold.
#
# No point for "delta is the probability that privacy fails" without saying which event.
# ### END MARK SCHEME
