# %% [markdown]
# # Assignment 05: Averages that break, and repairs
#
# Five tasks, 18 points. You need chapter 05, *Averages, six ways*.
#
# Throughout, records lie between public bounds $L$ and $H$, `low` and `high`; $W = H - L$ is their width. Neighbours
# differ by *adding or removing* one record, so the number of records is secret. All data here are invented. Yours may
# differ from those of others.

# %% tags=["setup"]
from functools import partial

import numpy as np

from dpbook.averages import clamped_average
from dpbook.check import answers, check, own_order, private, repeatable, words
from dpbook.check import laplace_law
from dpbook.laplace import laplace_mechanism, laplace_probability

VARIANT = 0  # of 6
mine = partial(own_order, variant=VARIANT)

# %% [markdown]
# ## 1. How far can one record move it? (2 points)
#
# *You learn* to work out sensitivities over all datasets, the empty one included. About 20 minutes, easy to medium.
#
# Return four sensitivities, as an array, each over *all* datasets within the bounds, the empty one included: of
#
# 0. the sum of the records;
# 1. the sum of their distances from the middle of the bounds (below the middle a distance is negative);
# 2. the number of records;
# 3. the average of the records, where the average of no records is the middle of the bounds.


# %%
def sensitivities(low, high):
    ### BEGIN SOLUTION
    half = (high - low) / 2
    # The average moves most in tiny datasets: a first record at a bound, or a second one at the other bound.
    return np.array([max(abs(low), abs(high)), half, 1, half])
    ### END SOLUTION


# %% points=2
# The check
def entry_by_entry(bounds, sums, distances, counts, averages, slips=({}, {}, {}, {})):
    def requirement(draw):
        given = draw(bounds, shape=(4,))
        for place, expected in enumerate((sums, distances, counts, averages)):
            judged = answers(bounds, expected, slips[place])
            if sentence := judged(lambda *_, column=given[..., place], **__: column):
                return f"entry {place} (from 0): {sentence}"
        return ""

    return requirement


check(
    sensitivities,
    entry_by_entry(
        mine([(36, 42), (-20, 15), (-9, -3)]),
        sums=mine([42, 20, 9]),
        distances=mine([3, 17.5, 3]),
        counts=[1, 1, 1],
        averages=mine([3, 17.5, 3]),
        slips=[
            {sentence: mine(row) for sentence, row in slips.items()}
            for slips in (
                {
                    "the width is not how far one record moves a sum: let a person of 42 degrees join": [6, 35, 6],
                    "a record below zero moves the sum too: try low = -20 and high = 15": [42, 15, -3],
                    "a record far below zero moves the sum too: try low = -20 and high = 15": [42, 15, 3],
                    "that is for the distances of entry 1; here the records themselves are added": [3, 17.5, 3],
                },
                {
                    "no record is a whole width away from the middle": [6, 35, 6],
                    "these are distances from the middle, not from zero": [42, 20, 9],
                },
                {"that is for neighbours who *replace* a record; here one joins or leaves": [0, 0, 0]},
                {
                    "start from no records, whose average is the middle: can one record move it by a whole width?": (
                        [6, 35, 6]
                    ),
                    "an average stays within the bounds: it cannot move as far as a sum": [42, 20, 9],
                    "nobody said that there are many records: think of a tiny dataset": [0, 0, 0],
                },
            )
        ],
    ),
)
### BEGIN HIDDEN TESTS
lows, widths = fresh.uniform(-300, 200, 12).round(1), fresh.uniform(0.1, 400, 12).round(1)
lows[0], lows[1] = 0, -widths[1]
farthest, halves = np.maximum(np.abs(lows), np.abs(lows + widths)), widths / 2
check(
    sensitivities,
    entry_by_entry(list(zip(lows, lows + widths, strict=True)), farthest, halves, np.ones(12), halves),
)
### END HIDDEN TESTS


# %% tags=["wrong"]
def sensitivities(low, high):
    # WRONG the width for the sum, as printed | entry 0 (from 0): the width is not how far
    return np.array([high - low, (high - low) / 2, 1, (high - low) / 2])

    # WRONG the upper bound for the sum | entry 0 (from 0): a record below zero
    return np.array([high, (high - low) / 2, 1, (high - low) / 2])

    # WRONG the whole width for the distances | entry 1 (from 0): no record is a whole width away
    return np.array([max(abs(low), abs(high)), high - low, 1, (high - low) / 2])

    # WRONG the count under the other relation | entry 2 (from 0): that is for neighbours who *replace*
    return np.array([max(abs(low), abs(high)), (high - low) / 2, 0, (high - low) / 2])

    # WRONG the whole width for the average | entry 3 (from 0): start from no records
    return np.array([max(abs(low), abs(high)), (high - low) / 2, 1, high - low])


# %% [markdown]
# ## 2. Repair a broken average (5 points)
#
# *You learn* to repair a sum and a count with the smallest noise. About 30 minutes, medium.
#
# Here is Algorithm 1 of the textbook, whose average is the quotient of the two noisy numbers. A part of $\varepsilon$,
# the public `share` (half, in the textbook), goes to the sum and the rest to the count.


# %% tags=["setup"]
def printed_parts(values, bounds, share, epsilon, rng):
    """The noisy sum and the noisy count of Algorithm 1: claims epsilon-DP."""
    low, high = bounds
    noisy_sum = laplace_mechanism(np.sum(values), high - low, share * epsilon, rng)
    noisy_count = laplace_mechanism(len(values), 1, (1 - share) * epsilon, rng)
    return np.array([noisy_sum, noisy_count])


temperatures = np.array([38.1 + VARIANT / 10, 37.7, 38.4, 38.9, 37.9, 38.2, 40.1])

# %% [markdown]
# For body temperatures between 36 and 42 it is not 1-DP. The audit of chapter 21 certifies, at 99%, a loss of more
# than 1 when one patient of 42 degrees joins an empty dataset.


# %%
from dpbook.audit import epsilon_lower_bound


def printed(values, rng):
    return printed_parts(values, (36, 42), 0.5, 1.0, rng)


bound = epsilon_lower_bound(printed, np.array([]), np.array([42.0]), 10_000, np.random.default_rng(5), 0.99)
print(f"claimed: epsilon = 1; certified: {bound.epsilon:.2f} or more")

# %% [markdown]
# Write `repaired_parts(values, bounds, share, epsilon, rng)`: two numbers, from which this function makes the average:


# %% tags=["setup"]
def average_of_parts(parts, bounds):
    """The released average: post-processing, so it costs no privacy."""
    low, high = bounds
    distance = parts[0] / parts[1] if parts[1] > 1 else 0.0
    return np.clip((low + high) / 2 + distance, low, high)


# %% [markdown]
# So `parts[0]` is the noisy sum of the records' distances from the middle of the bounds (negative below the middle).
# And `parts[1]` is the noisy count. Both together must be $\varepsilon$-DP when one record is added or removed, for
# all bounds. A part `share` of $\varepsilon$ is spent on the first and the rest on the second. The Laplace noise is
# no larger than needed. Neither number is rounded or cut.


# %%
def repaired_parts(values, bounds, share, epsilon, rng):
    ### BEGIN SOLUTION
    middle, reach = sum(bounds) / 2, (bounds[1] - bounds[0]) / 2
    distances = laplace_mechanism(np.sum(values - middle), reach, share * epsilon, rng)
    return np.array([distances, laplace_mechanism(len(values), 1, (1 - share) * epsilon, rng)])
    ### END SOLUTION


# %% points=5
# The check
nobody, hottest = np.array([]), np.array([42.0])
OTHER = 1e9  # a mistake that only one of the two numbers can have
centres = {
    "this is the sum of the records: how far from the middle is each?": 269.3 + VARIANT / 10,
    "a distance below the middle is negative": 5.9 - VARIANT / 10,
    "the middle is taken off once; each record has its own distance": 230.3 + VARIANT / 10,
    "these are distances from the lower bound, not from the middle": 17.3 + VARIANT / 10,
    "half the width is not the middle of the bounds": 248.3 + VARIANT / 10,
}


def seen_with_less_noise(requirement):
    """Where the noise is so large that no centre is known, a release with hardly any noise may show it."""

    def looking(draw):
        sentence = requirement(draw)
        if words.OFF_CENTRE not in sentence:
            return sentence
        total = draw([(temperatures, (36, 42), 0.65, 1e4)], 1, (2,))[0, 0, 0]
        for known, centre in centres.items():
            if abs(centre - total) < 0.1:
                return words.ENTRY.format(entry=0, fault=f"{known}; the noise, too, is not that of distances")
        return sentence

    return looking


check(
    repaired_parts,
    seen_with_less_noise(
        laplace_law(
            (temperatures, (36, 42), 0.65),
            truth=[-3.7 + VARIANT / 10, 7],
            sensitivity=[3 / 0.65, 1 / 0.35],
            epsilon=0.8,
            centres={sentence: [centre, OTHER] for sentence, centre in centres.items()},
            sensitivities={
                "each of the two numbers may spend only its part of epsilon": [3, 1],
                "the shares are the wrong way round: `share` is for the sum": [3 / 0.35, 1 / 0.65],
                "this noise is for half of epsilon, or for a whole width and all of epsilon; the task says `share`": (
                    [6, 2]
                ),
                "this is one noise scale for both numbers; the task says `share`": [4, 4],
                "no record is a whole width away from the middle": [6 / 0.65, OTHER],
                "this noise is for the sum of the records; distances are what you add": [42 / 0.65, OTHER],
                "the noise follows the farthest record, which is secret: use the public bounds": [1.3 / 0.65, OTHER],
            },
        )
    ),
    repeatable((temperatures, (36, 42), 0.6, 0.8), shape=(2,)),
    private((nobody, (36, 42), 0.5, 1.0), (hottest, (36, 42), 0.5, 1.0), epsilon=1.0, shape=(2,), additive=True),
)
### BEGIN HIDDEN TESTS
promises = fresh.permutation([0.01, 0.1, 0.5, 1.5, 5.0, 20.0]) * fresh.uniform(0.75, 1.0, 6)
lows = fresh.permutation([0, 0, -60, -5.5, 30, 12.5])
sizes = fresh.integers([0, 1, 2, 12, 100, 1500], [1, 2, 10, 80, 900, 4500])
for size, promise, low, share in zip(sizes, promises, lows, fresh.uniform(0.1, 0.9, 6), strict=True):
    width = round(fresh.uniform(1, 50), 1)
    people = fresh.uniform(low, low + width, size)
    check(
        repaired_parts,
        laplace_law(
            (people, (low, low + width), share),
            truth=[sum(person - low - width / 2 for person in people), size],
            sensitivity=[width / 2 / share, 1 / (1 - share)],
            epsilon=promise,
            samples=1000 if size > 999 else 8000,
        ),
    )
last = np.append(fresh.uniform(7, 8, 12), -5.0)
call, without = (last, (-5, 20), 0.9, 3.0), (last[:-1], (-5, 20), 0.9, 3.0)
check(repaired_parts, private(call, without, epsilon=3.0, shape=(2,), additive=True))
### END HIDDEN TESTS


# %% tags=["wrong"]
def repaired_parts(values, bounds, share, epsilon, rng):
    middle, reach = sum(bounds) / 2, (bounds[1] - bounds[0]) / 2
    total = np.sum(values - middle)

    def noisy(sum_scale, count_scale):
        """The sum of distances and the count, with Laplace noise of these scales."""
        return np.array([total + rng.laplace(scale=sum_scale), len(values) + rng.laplace(scale=count_scale)])

    # WRONG as printed | this is the sum of the records
    return printed_parts(values, bounds, share, epsilon, rng)

    # WRONG the middle taken off once, with the noise of the records | each record has its own distance
    total = np.sum(values) - middle
    return noisy(np.abs(bounds).max() / share / epsilon, 1 / (1 - share) / epsilon)

    # WRONG distances with the printed noise | no record is a whole width away from the middle
    return printed_parts(values - middle, bounds, share, epsilon, rng)

    # WRONG budget not divided | may spend only its part of epsilon
    return noisy(reach / epsilon, 1 / epsilon)

    # WRONG shares swapped | the shares are the wrong way round
    return noisy(reach / (1 - share) / epsilon, 1 / share / epsilon)

    # WRONG halves | this noise is for half of epsilon
    return noisy(2 * reach / epsilon, 2 / epsilon)

    # WRONG exact count | entry 1 (from 0) of the release: this is the true answer
    return noisy(reach / share / epsilon, 0)

    # WRONG one noise for both | SHARED
    noise = rng.laplace(scale=1 / epsilon)
    return np.array([total + noise * reach / share, len(values) + noise / (1 - share)])

    # WRONG scaled to the farthest record | the noise follows the farthest record
    return noisy(np.abs(values - middle).max() / share / epsilon, 1 / (1 - share) / epsilon)

    # WRONG scale taken for the standard deviation | NOT_DEVIATION
    return noisy(reach / share / epsilon / np.sqrt(2), 1 / (1 - share) / epsilon / np.sqrt(2))

    # WRONG no noise for no records | LOSS
    if len(values) == 0:
        return np.zeros(2)
    return noisy(reach / share / epsilon, 1 / (1 - share) / epsilon)


# %% [markdown]
# ## 3. Attack: the average that was proved private (3 points)
#
# *You learn* to find the event that a proof has missed. About 35 minutes, hard.
#
# Algorithm 3 divides a noisy sum, with noise of scale $W/\varepsilon$, by the *exact* count. It moves the result to the
# nearer bound if it lies outside. A proof over three pages says that this is $\varepsilon$-DP. The chapter's
# counterexample has a single record, and another that joins it. A defender of the proof replies: "With five people or
# more, nothing happens." Here is the exact loss of one event, on six records against the first five:


# %% tags=["setup"]
def event_loss(records, left, right, bounds, epsilon):
    """How far ln Pr[left < release < right] moves when the last record goes; for an event within the bounds."""
    low, high = bounds
    logs = []
    for rest in (records, records[:-1]):
        ends = len(rest) * left, len(rest) * right  # of the noisy sum
        logs.append(np.log(laplace_probability(*ends, np.sum(rest), high - low, epsilon)))
    return abs(logs[0] - logs[1])


# %% [markdown]
# Write `telling_event(low, high)`: eight numbers as an array, six records and then `left` and `right`. The sixth record
# is the one that goes. At $\varepsilon = 0.1$ the loss of the event must be at least 0.263, more than two and a half
# times what is claimed. (On six records no event has a loss above 0.2657.) Records and event lie within the bounds, and
# the event is at least $W/1000$ wide.


# %%
def telling_event(low, high):
    ### BEGIN SOLUTION
    # The density of the release is that of the noise times the count: a factor 6/5, and the noise adds to it where the
    # larger dataset has its average while the smaller one is far from it: at low + W/6.
    peak = low + (high - low) / 6
    return np.array([low, low, low, low, low, high, peak, peak + (high - low) / 100])
    ### END SOLUTION


# %% points=3
# The check
def convicts(low, high):
    def requirement(draw):
        *records, left, right = draw([(low, high)], shape=(8,))[0, 0]
        if min(records) < low or max(records) > high:
            return words.OUTSIDE
        if not low <= left < right <= high:
            return "the event must be low <= left < right <= high"
        if right - left < 0.999 * (high - low) / 1000:
            return "the event is narrower than a thousandth of the width"
        loss = event_loss(records, left, right, (low, high), 0.1)
        if loss >= 0.263:
            return ""
        if loss <= 0.1:
            return f"this event loses {loss:.4f}, no more than the 0.1 that is claimed: it refutes nothing"
        if abs(records[-1] - np.mean(records[:-1])) < (high - low) / 2:
            return f"loss {loss:.4f}, a refutation; but the record that leaves, the last, could stand out more"
        if right - left > (high - low) / 10:
            return f"loss {loss:.4f}, a refutation; but a wide event mixes high ratios with low ones"
        return f"loss {loss:.4f}, a refutation; the ratio is higher elsewhere: where is the noise itself of most help?"

    return requirement


check(telling_event, convicts(0, 1), convicts(36, 42 + VARIANT))
### BEGIN HIDDEN TESTS
for start, width in zip(fresh.uniform(-100, 100, 4).round(1), fresh.uniform(0.5, 365, 4).round(1), strict=True):
    check(telling_event, convicts(start, start + width))
check(telling_event, convicts(0, fresh.uniform(1, 9)))
### END HIDDEN TESTS


# %% tags=["wrong"]
def telling_event(low, high):
    # WRONG the pair of the chapter's figure, at the lower bound | it refutes nothing
    return np.array([low, low, low, low, low, high, low, low + (high - low) / 1000])

    # WRONG six equal records | could stand out more
    return np.array([low, low, low, low, low, low, low, low + (high - low) / 1000])

    # WRONG the record that stands out is not the last | could stand out more
    peak = low + (high - low) / 6
    return np.array([high, low, low, low, low, low, peak, peak + (high - low) / 100])

    # WRONG strictly inside, as for a single record | a wide event mixes
    return np.array([low, low, low, low, low, high, low, high])

    # WRONG around the middle, as for a single record | the ratio is higher elsewhere
    middle = (low + high) / 2
    return np.array([low, low, low, low, low, high, middle, middle + (high - low) / 100])

    # WRONG only for bounds 0 and 1 | OUTSIDE
    return np.array([0, 0, 0, 0, 0, 1, 1 / 6, 0.18])

    # WRONG a single point | the event must be low <= left < right <= high
    peak = low + (high - low) / 6
    return np.array([low, low, low, low, low, high, peak, peak])


# %% [markdown]
# ## 4. Challenge: repair it with people who do not exist (4 points)
#
# *You learn* to bound a loss by public dummy records, and to count how many it takes. About 35 minutes, hard.
#
# The chapter has a repair for $\varepsilon > \ln 2$ only. Here is one for every $\varepsilon$, with the exact count and
# the noise that the book prints. Before anything else, add some invented records to *every* dataset, each exactly in
# the middle of the bounds. Their number is public:


# %% tags=["setup"]
def steadied_average(values, bounds, dummies, epsilon, rng):
    """Algorithm 3 on the records and as many public dummy records."""
    return clamped_average([*values, *[sum(bounds) / 2] * dummies], bounds, epsilon, rng)


# %% [markdown]
# Write `dummies_needed(epsilon)`: the *smallest* number of dummies with which `steadied_average` is $\varepsilon$-DP,
# for every dataset and every neighbour of it (add/remove). It is 0 where Algorithm 3 is $\varepsilon$-DP without
# help, and it exists for every $\varepsilon > 0$.
#
# Find out first which neighbours have the largest loss when there are $k$ dummies, and on which event. Use
# `clamped_law` of `dpbook.averages` (a loss there may exceed its exact value by a rounding error), or work on paper
# with the chapter's ratio.


# %%
def dummies_needed(epsilon):
    ### BEGIN SOLUTION
    # With N records, k of them dummies, the ratio inside is at most (N + 1)/N exp(epsilon (N - k/2)/(N + 1)): a record
    # joins at one bound, all people are at the other, and the event is around the new average. That is at most
    # e^epsilon when (N + 1) ln(1 + 1/N) <= epsilon (1 + k/2). The left side falls with N: the dummies alone, N = k, are
    # the worst. The bounds themselves, and the other direction, lose at most epsilon.
    if epsilon >= 2 * np.log(2):
        return 0
    k = 1
    while (k + 1) * np.log1p(1 / k) > epsilon * (1 + k / 2):
        k += 1
    return k
    ### END SOLUTION


# %% points=4
# The check
def fewest(epsilons, expected, slips=None):
    judged = answers([(epsilon,) for epsilon in epsilons], expected, slips)

    def requirement(draw):
        given = draw([(epsilon,) for epsilon in epsilons])[:, 0]
        sentence = judged(lambda *_, **__: given[:, None])
        if not sentence or sentence in (slips or {}):
            return sentence
        if np.any(given != np.round(given)):
            return "the number of dummies is a whole number"
        if np.any(given < expected):
            return "too few for at least one epsilon: some neighbours lose more than it"
        return "these are enough, but for at least one epsilon fewer would do"

    return requirement


check(
    dummies_needed,
    fewest(
        mine([3.0, 0.6, 1.0, 0.5, 0.2, 0.1]),
        mine([0, 3, 1, 3, 9, 19]),
        slips={
            "none at all: below 2 ln 2 Algorithm 3 does not keep its guarantee": [0, 0, 0, 0, 0, 0],
            "one dummy takes the place of one person: then the factor is 3/2, still too much for a small epsilon": mine([
                0, 1, 1, 1, 1, 1,
            ]),
            "that covers the factor of the count; the noise adds to the ratio as well": mine([0, 2, 1, 2, 5, 10]),
            "that covers the event 'strictly inside'; a narrower one loses more": mine([0, 1, 1, 2, 4, 8]),
            "that is enough where there is a person already; one may also join the dummies alone": mine([
                0, 2, 1, 3, 9, 19,
            ]),
            "a factor of the count is there for large epsilons too; is the guarantee broken by it?": mine([
                1, 3, 1, 3, 9, 19,
            ]),
        },
    ),
)  # fmt: skip
### BEGIN HIDDEN TESTS
few = np.arange(1, 6)  # dummies, and a little more and less than the least epsilon for which they do
just = np.outer([0.99, 1.01], (few + 1) * np.log1p(1 / few) / (1 + few / 2)).ravel()
asked = np.concatenate([fresh.uniform(0.02, 1.5, 12), [fresh.uniform(1.4, 20), 20.0, 0.01], just])
enough = []
for promise in asked:
    numbers = np.arange(1, 500)
    held = (numbers + 1) * np.log1p(1 / numbers) <= promise * (1 + numbers / 2)
    enough.append(0 if promise >= 2 * np.log(2) else numbers[held][0])
check(dummies_needed, fewest(asked, np.array(enough)))
### END HIDDEN TESTS


# %% tags=["wrong"]
def dummies_needed(epsilon):
    # WRONG none | none at all
    return 0

    # WRONG one for every epsilon | one dummy takes the place of one person
    return int(epsilon < 2 * np.log(2))

    # WRONG the factor of the count alone | that covers the factor of the count
    return 0 if epsilon >= 2 * np.log(2) else int(np.ceil(1 / np.expm1(epsilon)))

    # WRONG the event strictly inside | a narrower one loses more
    k = 0 if epsilon >= 2 * np.log(2) else 1
    while k and 1 - (np.exp(-epsilon * (k / 2 + 1)) + np.exp(-epsilon * k / 2)) / 2 > np.exp(epsilon) * (
        1 - np.exp(-epsilon * k / 2)
    ):
        k += 1
    return k

    # WRONG half of epsilon for the count, rounded up | fewer would do
    return 0 if epsilon >= 2 * np.log(2) else int(np.ceil(1 / np.expm1(epsilon / 2)))

    # WRONG one person beside the dummies | one may also join the dummies alone
    k = 0
    while np.log((k + 2) / (k + 1)) + epsilon / 2 > epsilon:
        k += 1
    return k

    # WRONG a formula for large numbers of dummies | one may also join the dummies alone
    return 0 if epsilon >= 2 * np.log(2) else max(1, int(np.ceil(2 / epsilon - 1.5)))

    # WRONG the logarithm's series, cut off | fewer would do
    k = 0 if epsilon >= 2 * np.log(2) else 1
    while k and 1 + 1 / (2 * k) - 1 / (6 * k**2) + 1 / (12 * k**3) > epsilon * (1 + k / 2):
        k += 1
    return k

    # WRONG off by one | too few for at least one epsilon
    k = 1
    while (k + 1) * np.log1p(1 / k) > epsilon * (1 + k / 2):
        k += 1
    return k - 1

    # WRONG not a whole number | a whole number
    return 0 if epsilon >= 2 * np.log(2) else 1 / np.expm1(epsilon / 2)


# %% [markdown]
# ## 5. Explain (4 points)
#
# *You learn* to find the false step in a proof of privacy. About 25 minutes, medium to hard.
#
# The proof for Algorithm 3 says this. The release is $z$ exactly when the noise has one particular value. So the ratio
# for neighbours with $n$ and $n + 1$ records is the ratio of the noise's density at two places, at most
# $e^\varepsilon$.
#
# - (a) What is missing?
# - (b) For which $\varepsilon$ would more noise on the sum save Algorithm 3 as it stands, without dummies?
# - (c) Is it $\varepsilon$-DP if neighbours *replace* a record?
# - (d) A colleague says: "We always have more than 1,000 patients, so we need no repair." What has to be true of
#   the data, and of $\varepsilon$?
#
# Four to six sentences.

# %% [markdown] name="explain_proof" points=4
# ### BEGIN SOLUTION
# (a) The release is the noisy sum divided by the count, so its density is the density of the noise *times the count*.
# The ratio lacks a factor $(n+1)/n$. (The probability of a single value $z$ is 0 on both sides; small cells show it.)
#
# (b) Between $\ln 2$ and $2 \ln 2$. The factor does not depend on the noise. Take one record and two, at the two ends of
# the bounds: the probability of a release strictly inside doubles for every scale. So no noise helps at $\ln 2$ or below.
# Above it, run at $\varepsilon' = 2 (\varepsilon - \ln 2)$: the loss is $\max(\varepsilon', \ln 2 + \varepsilon'/2)$. At
# $2 \ln 2$ or more nothing need be saved.
#
# (c) Yes. The count is then the same for both and public. The sum moves by at most $W$, so the noisy sum is
# $\varepsilon$-DP; dividing by a public number and moving to a bound are post-processing.
#
# (d) The guarantee is about every pair of neighbours, not about usual ones. That there are at least $n = 1{,}000$ records
# must be certain and public, for the smaller dataset too. Then the loss is the larger of $\varepsilon$ and
# $\varepsilon\, n/(n+1) + \ln(1 + 1/n)$. So $\varepsilon$ must be at least $(n+1) \ln(1 + 1/n) = 1.0005$. For a smaller
# one the loss is above $\varepsilon$, by less than 0.001. Looking at the data first, and running only if there are
# enough, gives away whether there are.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each, none for a bare yes or no:
#
# - (a) The factor $(n+1)/n$, with a reason (density of a scaled variable, Jacobian, cells of width $n\,dz$).
# - (b) Only above $\ln 2$, because the factor 2 is there for every scale ("Pr[inside] doubles always" is a reason). Both
#   the limit and the reason must be there. Not asked: that nothing need be saved at $2 \ln 2$ or more, or at which
#   $\varepsilon'$ to run it. No point for "for none".
# - (c) Yes: the count is equal and the sum moves by at most $W$. Accept: the noise of the average is $W/(n \varepsilon)$
#   with public $n$.
# - (d) Of the data: a bound that is certain and public, for all datasets or both neighbours. And of $\varepsilon$: at least
#   $(n+1) \ln(1 + 1/n)$, which is about 1. Accept "above 1", or that a smaller $\varepsilon$ is exceeded by a little,
#   which has to be stated. Both are needed. Not enough: "1,000 is large".
# ### END MARK SCHEME
