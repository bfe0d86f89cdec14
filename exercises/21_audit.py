# %% [markdown]
# # Assignment 21: Is it private?
#
# Five tasks, 17 points. You need chapter 21, *Is it private? Testing a claim*, and from chapter 03 the geometric
# mechanism.
#
# All data here are invented. Yours may differ from those of others.

# %% tags=["setup"]
import functools
import itertools

import numpy as np

from dpbook.check import RISK, answers, check, private, repeatable, words
from dpbook.check import discrete_law
from dpbook.audit.floating_point import leaky_laplace, leaky_laplace_law
from dpbook.laplace import geometric_log_probability, geometric_mechanism, laplace_probability

VARIANT = 0  # of 6

# %% [markdown]
# ## 1. Where the law is known (2 points)
#
# *You learn* to compute the smallest delta of two known distributions. About 15 minutes, easy to medium.
#
# A mechanism has finitely many outputs. Two arrays of the same length, `first` and `second`, hold the probability of each
# output on two neighbouring datasets. Some are 0, and each array adds up to 1. Return the smallest $\delta$ for which the
# mechanism is $(\varepsilon, \delta)$-DP on this pair. It must hold for every event, whichever of the two datasets is the
# real one.
#
# The last example is Laplace noise in half precision (11 bits), with $\varepsilon = 1$, added to a count of 0 and to a
# count of 1. On paper $\delta = 0$ would do. Look at `exact_delta(*half_precision, 1.0)`: that is the price of rounding.

# %% tags=["setup"]
half_laws = [leaky_laplace_law(count, 1, 11, 1.0) for count in (0, 1)]
half_outputs = np.union1d(half_laws[0][0], half_laws[1][0])
half_precision = np.zeros((2, len(half_outputs)))
for row, (made, chances) in zip(half_precision, half_laws, strict=True):
    row[np.searchsorted(half_outputs, made)] = chances


# %%
def exact_delta(first, second, epsilon):
    ### BEGIN SOLUTION
    # The worst event has all the outputs that exceed e^epsilon times their probability on the other side, and no more.
    over = first - np.exp(epsilon) * second, second - np.exp(epsilon) * first
    return max(excess[excess > 0].sum() for excess in over)
    ### END SOLUTION


# %% points=2
# The check
one_law = *np.roll([[0.5, 0.3, 0.1, 0.1, 0.0], [0.15, 0.2, 0.25, 0.2, 0.2]], VARIANT, axis=1), np.log(2)
other_law = *np.roll([[0.1, 0.1, 0.4, 0.4], [0.5, 0.4, 0.05, 0.05]], VARIANT, axis=1), np.log(3)


def is_no_epsilon(draw):
    """A requirement: what is given is a delta, and not the epsilon that a law loses."""
    given = draw([other_law])[0, 0]
    return "that is the epsilon that these laws lose; asked is a delta" if abs(given - np.log(8)) < 1e-6 else ""


check(
    exact_delta,
    is_no_epsilon,
    answers(
        [one_law, other_law],
        [0.25, 0.5],
        slips={
            "you look at what the first dataset makes likely; the second may be the real one": [0.2, 0.5],
            "you look at what the second dataset makes likely; the first may be the real one": [0.25, 0.3],
            "the two directions are two guarantees: the worse one counts, not their sum": [0.45, 0.8],
            "an event may hold several outputs; you look at them one at a time": [0.2, 0.25],
            "outputs that are possible on both sides can break the guarantee too": [0.2, 0.0],
            "epsilon plays no part in your answer": [0.45, 0.7],
            "the guarantee allows e^epsilon times the other probability, not epsilon times": [0.557398, 0.690139],
            "the guarantee allows e^epsilon times the other probability; yours is below 1 times": [0.625, 5 / 6],
            "0 would mean that the guarantee holds here without a delta: does it, for every event?": [0.0, 0.0],
            "a delta is never below 0: which outputs speak against the guarantee?": [-1.0, -2.0],
        },
        tolerance=1e-5,
    ),
    answers([(*half_precision, 1.0)], [0.66626], tolerance=1e-5),
)
### BEGIN HIDDEN TESTS
drawn = fresh.dirichlet(np.full(6, 0.5), (12, 2)).round(3) + 1e-9
drawn[:4, 0, :2] = drawn[2:6, 1, 4:] = 0
drawn[6:8, 1] = drawn[6:8, 0]
drawn /= drawn.sum(axis=2, keepdims=True)
masks = np.array(list(itertools.product((0, 1), repeat=6)))
epsilons = np.tile([0.0, 0.01, fresh.uniform(0.1, 3), 20.0], 3)
worst = [  # every event, one after the other
    max((masks @ (p - np.exp(e) * q)).max(), (masks @ (q - np.exp(e) * p)).max())
    for (p, q), e in zip(drawn, epsilons, strict=True)
]
check(exact_delta, answers([(p, q, e) for (p, q), e in zip(drawn, epsilons, strict=True)], worst))
certain = np.array([1.0, 0.0])
check(exact_delta, answers([(certain, certain, 1.0), (certain, certain[::-1], 3.0)], [0.0, 1.0]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def exact_delta(first, second, epsilon):
    # WRONG one direction | you look at what the first dataset makes likely
    return np.maximum(first - np.exp(epsilon) * second, 0).sum()

    # WRONG the directions added | the worse one counts, not their sum
    return np.sum([np.maximum(p - np.exp(epsilon) * q, 0) for p, q in ((first, second), (second, first))])

    # WRONG the worst single output | an event may hold several outputs
    return max((first - np.exp(epsilon) * second).max(), (second - np.exp(epsilon) * first).max(), 0)

    # WRONG the impossible outputs only | outputs that are possible on both sides can break the guarantee too
    return max(first[second == 0].sum(), second[first == 0].sum())

    # WRONG the epsilon of the laws | asked is a delta
    possible = (first > 0) & (second > 0)
    return np.abs(np.log(first[possible] / second[possible])).max()

    # WRONG the event of all outputs | a delta is never below 0
    return max((first - np.exp(epsilon) * second).sum(), (second - np.exp(epsilon) * first).sum())


# %% [markdown]
# ## 2. Where there are only samples (3 points)
#
# *You learn* to turn counts of events into a loss that is certain. About 30 minutes, medium.
#
# Now the mechanism is a black box. Before it was run, $m$ events were chosen, each of them because it seemed likelier on
# the dataset than on its neighbour. In `samples` releases of the dataset event $k$ came up `hits[k]` times; in as many
# releases of the neighbour, `others[k]` times.
#
# Return the largest privacy loss that these events certify: a number that exceeds the true loss with probability at
# most `risk`. Use the Clopper-Pearson limits of the chapter, here for all events at once. Compute only the limits you
# need, and give each an equal part of the whole risk. No loss is below 0.


# %% tags=["setup"]
def limits(hits, samples, risk):
    """Clopper-Pearson limits for `hits`: arrays low and high, each entry wrong with probability `risk` at most."""
    from dpbook.audit import clopper_pearson  # only here, because it is slow to load

    return np.array([clopper_pearson(k, samples, risk) for k in hits]).T


# %%
def certified_loss(hits, others, samples, risk):
    ### BEGIN SOLUTION
    share = risk / (2 * len(hits))  # two limits for each event, and all of them must hold
    low, high = limits(hits, samples, share)[0], limits(others, samples, share)[1]
    return np.log(np.maximum(low / high, 1)).max()
    ### END SOLUTION


# %% points=3
# The check
one_event = np.array([600]), np.array([150]), 1000, 0.01
three_events = np.array([30, 400, 9]), np.array([3, 180, 1]), 1000, 0.05
luckless = np.array([180, 20]), np.array([400, 25]), 1000, 0.05
never_seen = np.array([50, 0]), np.array([0, 0]), 200, 0.01
check(
    certified_loss,
    answers(
        [one_event, three_events, luckless],
        [1.126589, 0.593896, 0],
        slips={
            "the ratio of the counts is no bound: half of the time luck makes it too large": [1.386294, 2.302585, 0],
            "the ratio of the counts is no bound, and no loss is below 0": [1.386294, 2.302585, -0.223144],
            "the whole risk for each limit is too much: one of many is wrong more often": [1.150824, 1.030362, 0],
            "each event tried needs its share of the risk, even if one is picked in the end": [1.126589, 0.84398, 0],
            "an event needs two limits, and either may be wrong: share the risk once more": [1.150824, 0.746268, 0],
            "four limits for an event are two too many: which do you need?": [1.104208, 0.517338, 0],
            "yours is the largest loss that one can believe in, not the least": [1.656011, 7.728353, 0.754714],
            "no loss is below 0": [1.126589, 0.593896, -1.042883],
            "an event turned round after its hits were seen is one more event tried": [1.126589, 0.593896, 0.558561],
            "one direction was chosen beforehand: two limits an event will do": [1.104208, 0.517338, 0.531923],
            "the best event counts; losses of events do not add up": [1.126589, 1.136594, 0],
            "the largest log ratio counts; those of several events do not add up": [1.126589, 0.442488, 0],
            "`risk` is how often a limit may be wrong, not how often it must be right": [1.647011, 4.871628, 0.665602],
            "two upper limits: how small may the probability on the first dataset be?": [1.261327, 1.490379, 0],
            "the normal approximation is no limit where hits are few": [1.140245, 0.872498, 0],
        },
        tolerance=1e-4,
        variant=VARIANT,
    ),
    answers(
        [never_seen],
        [1.748433],
        slips={"an event that the neighbour never showed has an upper limit too: do not pass it over": [0.0]},
        tolerance=1e-4,
    ),
)
### BEGIN HIDDEN TESTS
trials = [
    (np.array([0]), np.array([0]), 100, 0.1),
    (np.array([100]), np.array([0]), 100, 0.001),
    (np.array([100, 100]), np.array([100, 90]), 100, 0.2),
    (np.array([4000, 1200, 37, 9000]), np.array([1500, 400, 0, 8500]), 10_000, 1e-6),
    (np.array([5, 9, 60, 140, 7, 8]), np.array([1, 0, 22, 70, 6, 9]), 500, 0.05),
]
for events in (1, 3, 40):
    drawn = int(fresh.integers(50, 5000))
    hits = fresh.integers(0, drawn + 1, events)
    trials.append((hits, fresh.binomial(hits, fresh.uniform(0, 0.7)), drawn, fresh.uniform(1e-6, 0.3)))
certified = []
for hits, others, samples, risk in trials:
    each = risk / 2 / len(hits)
    ratios = limits(hits, samples, each)[0] / limits(others, samples, each)[1]
    certified.append(np.log(max(1.0, ratios.max())))
check(certified_loss, answers(trials, certified, tolerance=1e-5))
### END HIDDEN TESTS


# %% tags=["wrong"]
def certified_loss(hits, others, samples, risk):
    # WRONG the ratio of the counts | the ratio of the counts is no bound: half of the time
    return max(0.0, np.log(hits / others).max())

    # WRONG the risk is not shared | the whole risk for each limit is too much
    low, high = limits(hits, samples, risk)[0], limits(others, samples, risk)[1]
    return np.log(np.maximum(low / high, 1)).max()

    # WRONG the most striking event, picked on the hits that certify it | even if one is picked in the end
    best = [np.argmax(hits / np.maximum(others, 1))]
    low, high = limits(hits[best], samples, risk / 2)[0], limits(others[best], samples, risk / 2)[1]
    return np.log(np.maximum(low / high, 1)).max()

    # WRONG the risk is shared among the events, not between their limits | share the risk once more
    share = risk / len(hits)
    low, high = limits(hits, samples, share)[0], limits(others, samples, share)[1]
    return np.log(np.maximum(low / high, 1)).max()

    # WRONG two-sided intervals | two too many
    share = risk / (4 * len(hits))
    low, high = limits(hits, samples, share)[0], limits(others, samples, share)[1]
    return np.log(np.maximum(low / high, 1)).max()

    # WRONG the wrong ends of the intervals | the largest loss that one can believe in
    share = risk / (2 * len(hits))
    low, high = limits(hits, samples, share)[1], limits(others, samples, share)[0]
    return np.log(np.maximum(low / high, 1)).max()

    # WRONG the losses of the events added | the best event counts
    share = risk / (2 * len(hits))
    low, high = limits(hits, samples, share)[0], limits(others, samples, share)[1]
    return np.log(np.maximum(low / high, 1)).sum()

    # WRONG the log ratios added | the largest log ratio counts
    share = risk / (2 * len(hits))
    low, high = limits(hits, samples, share)[0], limits(others, samples, share)[1]
    return max(0.0, np.log(low / high).sum())

    # WRONG below zero | no loss is below 0
    share = risk / (2 * len(hits))
    low, high = limits(hits, samples, share)[0], limits(others, samples, share)[1]
    return np.log(low / high).max()

    # WRONG the direction chosen afterwards | turned round after its hits were seen
    share = risk / (2 * len(hits))
    hits, others = np.maximum(hits, others), np.minimum(hits, others)
    low, high = limits(hits, samples, share)[0], limits(others, samples, share)[1]
    return np.log(np.maximum(low / high, 1)).max()

    # WRONG events that the neighbour never showed are left out | do not pass it over
    share = risk / (2 * len(hits))
    low, high = limits(hits, samples, share)[0], limits(others, samples, share)[1]
    return np.log(np.maximum(low / high, 1)[others > 0]).max(initial=0)


# %% [markdown]
# ## 3. A total without last digits (4 points)
#
# *You learn* to release whole numbers from a bounded total. About 35 minutes, medium.
#
# A clinic counts visits: `visits` has one whole number for each person. Two rules are public: a person's visits beyond
# `most` do not count, and the release is a whole number from 0 to `top`.

# %% tags=["setup"]
visits = np.roll([1, 0, 3, 2, 1, 9], VARIANT)

# %% [markdown]
# Write `safe_total(visits, most, top, epsilon, rng)`: release the total, $\varepsilon$-DP when one person is *added or
# removed*. The noise is whole-number noise of the geometric distribution, no larger than needed, so that no last digit
# can reveal the total. A noisy total below 0 is shown as 0, one above `top` as `top`. There may be no people.


# %% jupyter={"source_hidden": true} tags=["setup"]
# What the check needs
def shown_law(total, sensitivity, epsilon, top):
    """The probabilities of 0, 1, ..., top for a total with geometric noise of that sensitivity and epsilon."""
    shown = np.arange(top + 1)
    chances = np.exp(geometric_log_probability(shown, total, sensitivity, epsilon))
    ratio = np.exp(-epsilon / sensitivity)  # of the chances of a noise and of one that is larger by 1
    if total >= 0:
        chances[0] = ratio**total / (1 + ratio)
    if total <= top:
        chances[top] = ratio ** (top - total) / (1 + ratio)
    if total > top:
        chances[top] = 1 - chances[:top].sum()
    return chances


def whole_from_zero(call, top):
    """A requirement: every release is a whole number from 0 to `top`."""

    def requirement(draw):
        releases = draw([call], 1000)[0]
        if np.any(releases != np.round(releases)):
            return "a release is no whole number: its last digits can betray the total"
        outside = releases.min() < 0 or releases.max() > top
        return f"a release lies outside the public range from 0 to {top}" if outside else ""

    return requirement


# %%
def safe_total(visits, most, top, epsilon, rng):
    ### BEGIN SOLUTION
    total = np.minimum(visits, most).sum()
    # With whole-number noise each shown number is possible from each total; what is cut off is post-processing.
    return min(max(geometric_mechanism(total, most, epsilon, rng), 0), top)
    ### END SOLUTION


# %% points=4
# The check
noise = np.exp(geometric_log_probability(np.arange(-400, 401), 0, 4, 0.8))
six_times = np.bincount(np.clip(np.arange(-2389, 2412), 0, 20), functools.reduce(np.convolve, [noise] * 6))
upwards = np.bincount(np.clip(np.arange(11, 412), 0, 20), noise[400:] / noise[400:].sum())
halves = np.r_[-np.inf, np.arange(0.5, 8), np.inf]
check(
    safe_total,
    whole_from_zero((visits, 4, 20, 0.8), 20),
    discrete_law(
        (visits, 4, 20, 0.8),
        np.arange(21),
        shown_law(11, 4, 0.8, 20),
        slips={
            "this is the true total, without any noise": shown_law(11, 1, 1e3, 20),
            "one person counts 9 visits here: a person's visits beyond `most` do not count": shown_law(16, 4, 0.8, 20),
            "one person can move the total by more than 1: this noise is for a sensitivity of 1": shown_law(
                11, 1, 0.8, 20
            ),
            words.HALF: shown_law(11, 2, 0.8, 20),
            words.TWICE: shown_law(11, 8, 0.8, 20),
            "noise once, on the total, is enough: noise for each of the six people adds up": six_times,
            words.ONE_SIDED: upwards,
            "epsilon plays no part in the noise": shown_law(11, 4, 1.0, 20),
            "a number out of range is shown as the end it is beyond: drawing again makes some numbers likelier, and how "
            "much likelier depends on the data": noise[389:410] / noise[389:410].sum(),
        },
    ),
    discrete_law(
        (np.array([1, 0]), 2, 8, 4.0),
        np.arange(9),
        shown_law(1, 2, 4.0, 8),
        slips={
            "the noise follows the largest record, which is secret: use the public limit": shown_law(1, 1, 4.0, 8),
            "rounded Laplace noise is private on paper, but it is not the geometric law": laplace_probability(
                halves[:-1], halves[1:], 1, 2, 4.0
            ),
        },
    ),
    discrete_law(
        (visits, 4, 5, 0.8),
        np.arange(6),
        shown_law(11, 4, 0.8, 5),
        slips={"it is the noisy total that is cut at `top`, not the total before the noise": shown_law(5, 4, 0.8, 5)},
        samples=3000,
    ),
    repeatable((visits, 4, 20, 0.8)),
    private((visits, 4, 20, 1.0), (visits[visits < 9], 4, 20, 1.0), epsilon=1.0),
)
### BEGIN HIDDEN TESTS
promises = fresh.permutation([0.01, 0.1, 0.8, 3.0, 20.0]) * fresh.uniform(0.75, 1.0, 5)
for size, promise, limit in zip((0, 1, 20, 150, 3000), promises, fresh.permutation([1, 2, 3, 6, 9]), strict=True):
    people = fresh.integers(0, 12, size)
    total, reach = int(sum(min(visits, limit) for visits in people)), int(np.ceil(2 * limit / promise))
    for highest in {max(1, total - reach // 2), total + min(reach, 400) + 1}:
        check(
            safe_total,
            discrete_law(
                (people, limit, highest, promise),
                np.arange(highest + 1),
                shown_law(total, limit, promise, highest),
                samples=1000 if size > 999 else 10_000,
                steeper=shown_law(total, limit, 1.05 * promise, highest),
            ),
        )
people = fresh.integers(0, 12, 20)
total = int(np.minimum(people, 3).sum())
for promise, highest in ((fresh.uniform(0.02, 0.05), total + 250), (fresh.uniform(0.5, 1), total + 40)):
    chances, steeper = (shown_law(total, 3, e, highest) for e in (promise, 1.05 * promise))
    call = (people, 3, highest, promise)
    check(safe_total, discrete_law(call, np.arange(highest + 1), chances, samples=20_000, steeper=steeper))
crowd = np.tile([0, 2, 7], 30)
check(safe_total, private((crowd[:2], 7, 12, 1.0), (crowd[:3], 7, 12, 1.0), epsilon=1.0))
low_top = shown_law(16, 8, 0.9, 3)  # one person's visits may be more than `top`
check(safe_total, discrete_law((np.array([2, 8, 6]), 8, 3, 0.9), np.arange(4), low_top))
check(safe_total, discrete_law((crowd, 10, 100, 4.0), [100.0], [1.0], samples=500))  # 170 beyond the top, scale 2.5
### END HIDDEN TESTS


# %% tags=["wrong"]
def safe_total(visits, most, top, epsilon, rng):
    # WRONG output of the true value | this is the true total, without any noise
    return min(np.minimum(visits, most).sum(), top)

    # WRONG visits not limited | visits beyond `most` do not count
    return min(max(geometric_mechanism(visits.sum(), most, epsilon, rng), 0), top)

    # WRONG sensitivity forgotten | this noise is for a sensitivity of 1
    return min(max(geometric_mechanism(np.minimum(visits, most).sum(), 1, epsilon, rng), 0), top)

    # WRONG scaled to the largest record | the noise follows the largest record
    kept = np.minimum(visits, most)
    return min(max(geometric_mechanism(kept.sum(), kept.max(), epsilon, rng), 0), top)

    # WRONG half the noise | HALF
    return min(max(geometric_mechanism(np.minimum(visits, most).sum(), most, 2 * epsilon, rng), 0), top)

    # WRONG epsilon forgotten | epsilon plays no part in the noise
    return min(max(geometric_mechanism(np.minimum(visits, most).sum(), most, 1.0, rng), 0), top)

    # WRONG drawn again until in range | drawing again makes some numbers likelier
    while True:
        release = geometric_mechanism(np.minimum(visits, most).sum(), most, epsilon, rng)
        if 0 <= release <= top:
            return release

    # WRONG rounded Laplace noise | it is not the geometric law
    return np.clip(round(np.minimum(visits, most).sum() + rng.laplace(scale=most / epsilon)), 0, top)

    # WRONG Laplace noise | a release is no whole number
    return np.clip(np.minimum(visits, most).sum() + rng.laplace(scale=most / epsilon), 0, top)

    # WRONG the total is cut, and then the noise is added | outside the public range
    return geometric_mechanism(min(np.minimum(visits, most).sum(), top), most, epsilon, rng)

    # WRONG the total cut before the noise | it is the noisy total that is cut
    total = min(np.minimum(visits, most).sum(), top)
    return min(max(geometric_mechanism(total, most, epsilon, rng), 0), top)

    # WRONG noise for each person | noise once, on the total, is enough
    return min(max(geometric_mechanism(np.minimum(visits, most), most, epsilon, rng).sum(), 0), top)

    # WRONG seed fixed | NOT_DRAWN
    rng = np.random.default_rng(21)
    return min(max(geometric_mechanism(np.minimum(visits, most).sum(), most, epsilon, rng), 0), top)


# %% [markdown]
# ## 4. Challenge: break your colleagues' mechanisms (5 points)
#
# *You learn* to look for the neighbours on which a mechanism fails. About 60 minutes, hard.
#
# Five colleagues each wrote a mechanism for `values`, numbers from 0 to `top`. How many there are is public, and so is
# `top`; neighbours differ by *replacing* one value. Each colleague claims $\varepsilon = 1$, has an argument, and has
# tested the mechanism on a pair of neighbours where all went well. One of the five is right (if we take doubles for
# real numbers, as the audit does).


# %% tags=["setup"]
def small_counts_hidden(values, top, rng, size):
    """How many values are above half of `top`.

    "Counts below 3 are shown as 0, so that nobody stands out."
    """
    count = np.count_nonzero(values > top / 2)
    return count + rng.laplace(scale=1.0, size=size) if count >= 3 else np.zeros(size)


def median_with_noise_of_its_own(values, top, rng, size):
    """The median.

    "I add noise for the farthest that a new value can move the median of these very values."
    """
    ranked, middle = np.sort(values), len(values) // 2
    farthest = max(ranked[middle + 1] - ranked[middle], ranked[middle] - ranked[middle - 1])
    return ranked[middle] + rng.laplace(scale=farthest, size=size)


def average_kept_in_range(values, top, rng, size):
    """The average.

    "One value moves the sum by `top` at most; what leaves the range after that is cut."
    """
    return np.clip((values.sum() + rng.laplace(scale=top, size=size)) / len(values), 0, top)


def changes_added_up(values, top, rng, size):
    """How far it is from value to value, all in all.

    "A step is `top` at most, and there is noise for `top`."
    """
    return np.abs(np.diff(values)).sum() + rng.laplace(scale=top, size=size)


def half_precision_total(values, top, rng, size):
    """The sum.

    "Laplace noise of scale `top`, by the book; our chip computes with 11 bits."
    """
    return leaky_laplace(values.sum(), top, 11, 1.0, rng, size=size)


COLLEAGUES = (
    small_counts_hidden,
    median_with_noise_of_its_own,
    average_kept_in_range,
    changes_added_up,
    half_precision_total,
)


def audited(colleague, data, neighbour, top):
    """What the audit certifies for a colleague, 0 to 4, from 60,000 releases of each dataset."""
    from dpbook.audit import epsilon_lower_bound

    def mechanism(values, rng, size):
        return COLLEAGUES[colleague](values, top, rng, size)

    return epsilon_lower_bound(mechanism, data, neighbour, 60_000, np.random.default_rng(1), 1 - RISK)


# %%
# No harm done, on this pair.
first_value = audited(3, np.array([40.0, 0, 0, 0, 0]), np.array([0.0, 0, 0, 0, 0]), 40)
print(f"certified: {first_value.epsilon:.2f}, by the event {first_value.event}")

# %% [markdown]
# Write `breaking_pair(colleague, records, top)`: an array with two rows of `records` values from 0 to `top`. The rows are
# two neighbours (they differ in one place) on which the audit certifies 1.5 or more for that colleague, 0 to 4. For the one
# whose claim holds return two equal rows. `records` is odd, at least 5 and perhaps dozens; `top` is above 0.


# %%
def breaking_pair(colleague, records, top):
    ### BEGIN SOLUTION
    half = records // 2
    tops, changed = [  # so many values at the top in both rows, the others 0; and the place that goes to the top
        (2, [2]),  # 2 are hidden without noise, 3 are shown with noise
        (half - 1, [half - 1]),  # one step before a value can move the median: the noise is 0 there, and then `top`
        (0, []),  # with a public number of values nothing depends on the data but the sum: the claim holds
        (0, [1]),  # a value between two others takes part in two steps
        (0, [0]),  # near 0 floating-point numbers lie close together, and the gaps in the noise are seen best
    ][colleague]
    pair = np.zeros((2, records))
    pair[:, :tops] = top
    pair[1, changed] = top
    return pair
    ### END SOLUTION


# %% points=5
# The check
questions = (
    "Which counts does this mechanism treat in different ways?",
    "Look at the noise of both datasets, not only at their medians.",
    "Can one value move this by more than the noise is made for?",
    "Is there a value that can move the answer farther?",
    "Where are the gaps between the numbers of the chip easiest to see?",
)


def breaks(records, top, least=1.5):
    """A requirement: neighbours on which the audit certifies `least`, but for one colleague, who is acquitted."""
    names = [colleague.__name__ for colleague in COLLEAGUES]

    def requirement(draw):
        calls = [(colleague, records, top) for colleague in range(len(COLLEAGUES))]
        pairs = draw(calls, shape=(2, records))[:, 0]
        places = np.count_nonzero(pairs[:, 0] != pairs[:, 1], axis=1)
        if pairs.min() < 0 or pairs.max() > top:
            return f"with top = {top:g} a value lies outside 0 to {top:g}"
        if places.max() > 1:
            return f"{names[places.argmax()]}: the rows differ in {places.max()} places; neighbours differ in one"
        for colleague in np.flatnonzero(places):
            bound = audited(colleague, *pairs[colleague], top).epsilon
            if bound < least:
                found = f"{names[colleague]}: on this pair the audit certifies {bound:.2f}; {least} is asked"
                return f"{found}. {questions[colleague]}"
        acquitted = np.flatnonzero(places == 0)
        if len(acquitted) == 1:
            return ""
        return f"you acquit {' and '.join(names[one] for one in acquitted)}; only one claim holds"

    return requirement


check(breaking_pair, breaks(5, 40), breaks(65, 39 - VARIANT))
### BEGIN HIDDEN TESTS
other_pairs = breaks(9, 3.0), breaks(7, 250.0), breaks(int(fresh.choice([5, 13, 45])), float(fresh.integers(2, 400)))
check(breaking_pair, *other_pairs)
### END HIDDEN TESTS


# %% tags=["wrong"]
def breaking_pair(colleague, records, top):
    half = records // 2

    def rows(tops, changed, value=top):
        pair = np.zeros((2, records))
        pair[:, :tops], pair[1, changed] = value, value
        return pair

    # WRONG the count that is 0 is hidden best | Which counts does this mechanism treat in different ways?
    return rows(*[(0, [0]), (half - 1, [half - 1]), (0, []), (0, [1]), (0, [0])][colleague])

    # WRONG where the median jumps | Look at the noise of both datasets
    return rows(*[(2, [2]), (half, [half]), (0, []), (0, [1]), (0, [0])][colleague])

    # WRONG the average said to be broken, as under the other relation | Can one value move this by more
    return rows(*[(2, [2]), (half - 1, [half - 1]), (0, [0]), (0, [1]), (0, [0])][colleague])

    # WRONG the first value | Is there a value that can move the answer farther?
    return rows(*[(2, [2]), (half - 1, [half - 1]), (0, []), (0, [0]), (0, [0])][colleague])

    # WRONG the gaps in the noise where it is large | Where are the gaps
    return rows(*[(2, [2]), (half - 1, [half - 1]), (0, []), (0, [1]), (records - 1, [-1])][colleague])

    # WRONG the chip is believed | you acquit average_kept_in_range and half_precision_total
    return rows(*[(2, [2]), (half - 1, [half - 1]), (0, []), (0, [1]), (0, [])][colleague])

    # WRONG always 40 | a value lies outside
    return rows(*[(2, [2]), (half - 1, [half - 1]), (0, []), (0, [1]), (0, [0])][colleague], value=40)

    # WRONG no neighbours | small_counts_hidden: the rows differ in 5 places
    return rows(0, list(range(records)))

    # WRONG values outside the range | a value lies outside 0 to 40
    return rows(0, [1], value=100 * top)


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* the meaning of a confidence, of an audit that passes, and of a sample. About 20 minutes, medium.
#
# Three reports about three mechanisms, each of which claims $\varepsilon = 1$:
#
# 1. "I drew 20,000 releases of each of two neighbours, cut them into 80 bins, and took the bin with the largest ratio.
#    Its Clopper-Pearson limits, at 99%, certify a loss of 1.2. The claim is refuted."
# 2. "`epsilon_lower_bound` certifies 0.97 at 99.9% from a million releases. The claim is confirmed."
# 3. "The mechanism keeps the noise of its first 50,000 releases in a list and uses the list again after that. The audit
#    passed it, from 20,000 releases of each of two neighbours. So the list does no harm."
#
# What is wrong with each conclusion, and what would you do instead? Three to six sentences.

# %% [markdown] name="explain_reports" points=3
# ### BEGIN SOLUTION
# The first chose the bin on the very releases that then certify it. Among 80 bins some look bad by luck, and limits at 99%
# hold for an event that was fixed beforehand. Choose on some releases and certify on fresh ones, or give each limit of each
# bin a part of the risk. The second is a lower bound: it says that the loss is at least 0.97, and puts no limit on it from
# above. Another pair of neighbours, or an event too rare to be seen, may have a much larger loss. Only a proof, or the
# exact loss over all neighbours, confirms a claim. The third mechanism was watched for 40,000 calls, in which the list was
# never used. The audit assumes that calls do not depend on each other, and here they do. After call 50,000 the same noise
# comes back, and two releases with the same noise reveal the difference of their answers. Read the program, or audit the
# whole sequence of releases as one output.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point for each report, for the reason, not for "wrong". For (a): the event was chosen on the releases that certify it,
# or: the risk of 80 events was not divided. Accept either remedy. For (b): a lower bound that stays below the claim refutes
# nothing and proves nothing (absence of evidence). One thing must be named that it can have missed: another pair, a rare
# event; accept "needs a proof". For (c): the audit assumes calls that are independent and alike, or: it stopped before the
# list was used. Accept that a second use of the same noise cancels it. No point in (c) for "the audit needs more samples"
# alone.
# ### END MARK SCHEME
