# %% [markdown]
# # Assignment 17: Continual counting
#
# Five tasks, 18 points. You need chapter 17, *Continual counting*.
#
# All data here are invented. Yours may differ from those of others. Item $t$ of a stream, $t = 1, \dots, T$, stands at
# index $t - 1$ of its array. $T$ is public.

# %% tags=["setup"]
import numpy as np

from dpbook.check import answers, check, draws_here, laplace_law, private, repeatable
from dpbook.laplace import laplace_mechanism

VARIANT = 0  # of 6
UNIT = (1.0, 2.5, 3.0, 3.5, 4.0, 5.0)[VARIANT]  # of your own data

# %% [markdown]
# ## 1. Reported late (3 points)
#
# *You learn* to count which blocks change when an event moves. About 20 minutes, easy to medium.
#
# A case of time `first` is reported at time `second` instead. One unit moves from one item to another, and nothing else
# changes in the stream. All $T$ = `steps` totals of the binary counter are published, with $\varepsilon$-DP for one
# unit in one item as in Theorem 17.1. Write `delay_loss(first, second, steps, epsilon)`: the exact privacy loss between
# the two streams, the largest over all outputs.


# %%
def delay_loss(first, second, steps, epsilon):
    ### BEGIN SOLUTION
    def blocks(item):
        held = set()
        while item <= steps:
            held.add(item)
            item += item & -item
        return held

    # Blocks that hold both items, or neither, have the same sum; each other block moves by 1.
    return len(blocks(first) ^ blocks(second)) * epsilon / int(steps).bit_length()
    ### END SOLUTION


# %% points=3
# The check
check(
    delay_loss,
    answers(
        [(5, 6, 16, UNIT), (1, 16, 16, 0.5 * UNIT), (3, 9, 12, 2.0 * UNIT), (7, 7, 10, UNIT)],
        [0.2, 0.4, 3, 0],
        slips={
            "that is what any two such streams may lose; how much do these lose?": [2, 1, 4, 0],
            "a unit leaves one item and enters another: two units have changed": [1, 0.5, 2, 0],
            "a block that holds both items has the same sum as before": [1.4, 0.6, 3, 1],
            "a block may hold one of the items and not the other, even if as many hold the second": [0.2, 0.4, 0, 0],
            "that many totals change, but they are computed from fewer blocks": [0.2, 1.5, 3, 0],
            "the levels are 1 + log2 T, rounded down": [0.2, 0.4, 2.4, 0],
            "an item may be in 1 + log2 T blocks: one more than log2 T": [0.25, 0.5, 4, 0],
            "losses of blocks add up, however many of them change": [0.2, 0.1, 0.5, 0],
            "blocks that the first item leaves count, and so do blocks that the second one enters": [0.2, 0.4, 1.5, 0],
        },
        unit=UNIT,
    ),
)


### BEGIN HIDDEN TESTS
def exact_delay(first, second, steps, epsilon):
    times = np.arange(1, steps + 1)
    starts = times - (times & -times)
    inside = [(starts < item) & (item <= times) for item in (first, second)]
    return np.count_nonzero(inside[0] != inside[1]) * epsilon / (1 + np.floor(np.log2(steps + 0.5)))


delays = [(1, 1, 1, 0.01), (3, 4, 9, 0.01), (1, 2, 2, 20.0)]
for steps in (3, 8, 9, 100, 1023, 1024, 5000):
    for _ in range(6):
        delays.append((*(int(item) for item in fresh.integers(1, steps + 1, 2)), steps, fresh.uniform(0.01, 20)))
check(delay_loss, answers(delays, [exact_delay(*one) for one in delays]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def delay_loss(first, second, steps, epsilon):
    def blocks(item):
        held = set()
        while item <= steps:
            held.add(item)
            item += item & -item
        return held

    left, entered, levels = blocks(first), blocks(second), int(steps).bit_length()

    # WRONG the guarantee, twice | that is what any two such streams may lose
    return 2 * epsilon if first != second else 0

    # WRONG the guarantee, once | two units have changed
    return epsilon if first != second else 0

    # WRONG all blocks of both | a block that holds both items
    return (len(left) + len(entered)) * epsilon / levels

    # WRONG numbers of blocks compared | even if as many hold the second
    return abs(len(left) - len(entered)) * epsilon / levels

    # WRONG totals for blocks | computed from fewer blocks
    return abs(first - second) * epsilon / levels

    # WRONG the logarithm rounded up | rounded down
    return len(left ^ entered) * epsilon / (1 + np.ceil(np.log2(steps)))

    # WRONG one level too few | one more than log2 T
    return len(left ^ entered) * epsilon / np.floor(np.log2(steps))

    # WRONG only what is left | and so do blocks that the second one enters
    return len(left - entered) * epsilon / levels


# %% [markdown]
# ## 2. Blocks of another base (5 points)
#
# *You learn* to find the scale of a release of many sums by the item that is in most of them. About 35 minutes, medium.
#
# At time $t$ one block is published: the sum of the last $b$ items. Here $b$ is the largest power of `base` that
# divides $t$ (1 is a power). `base` is 2 or more. These ten items have, in base 3, the ten blocks beside them:

# %% tags=["setup"]
events = UNIT * np.array([3.0, 0.0, 2.0, 1.0, 0.0, 0.0, 4.0, 1.0, 0.0, 2.0])
blocks_of_three = UNIT * np.array([3.0, 0.0, 5.0, 1.0, 0.0, 1.0, 4.0, 1.0, 11.0, 2.0])

# %% [markdown]
# Write `noisy_blocks(stream, base, most, epsilon, rng)`: all $T$ block sums, each with fresh Laplace noise, of one scale for
# all and no larger than needed. Neighbours differ in *one* item, by `most` at most. All $T$ numbers together must be
# $\varepsilon$-DP. They are neither rounded nor cut. There may be thousands of items, and `base` may be above $T$.


# %%
def noisy_blocks(stream, base, most, epsilon, rng):
    ### BEGIN SOLUTION
    times, totals = np.arange(1, len(stream) + 1), np.append(0, np.cumsum(stream))
    sizes, size, levels = np.ones(len(stream), dtype=int), base, 1
    while size <= len(stream):
        sizes[size - 1 :: size] = size
        size, levels = size * base, levels + 1
    # The first item is in a block of every size, and no item is in two of one size.
    return laplace_mechanism(totals[times] - totals[times - sizes], most * levels, epsilon, rng)
    ### END SOLUTION


# %% points=5
# The check
check(
    noisy_blocks,
    laplace_law(
        (events, 3, 2 * UNIT),
        truth=blocks_of_three,
        sensitivity=6 * UNIT,
        epsilon=0.5,
        centres={
            "at time 2 your block has two items; 1 is the largest power of 3 that divides it": np.cumsum(events),
            "this is an item alone; its block has more of them": events,
            "the *largest* power that divides the time says how long a block is": UNIT
            * np.array([3, 0, 5, 1, 0, 1, 4, 1, 5, 2]),
        },
        sensitivities={
            "an item changes by `most`, not by 1": 3.0,
            "an item is in several blocks: noise for all of them": 2.0 * UNIT,
            "item 1 is in one block more than that": 4.0 * UNIT,
            "item 1 is in one block less than that; there are fewer levels in base 3 than in base 2": 8.0 * UNIT,
            "Laplace noise is paid by the sum of all changes, not by their Euclidean length": 2 * 3**0.5 * UNIT,
            "an item is in few of the blocks, not in all of them": 20.0 * UNIT,
            "items are in that many blocks on average; the guarantee is for every item": 4.4 * UNIT,
            "the longest block has many items, but one of them changes": 18.0 * UNIT,
        },
        samples=4000,
    ),
    repeatable((events, 3, 2 * UNIT, 0.5), shape=(10,)),
    private(
        (events, 3, 2 * UNIT, 1.0),
        (events + 2 * UNIT * np.eye(10)[0], 3, 2 * UNIT, 1.0),
        epsilon=1.0,
        shape=(10,),
        samples=3000,
        additive=True,
    ),
)


### BEGIN HIDDEN TESTS
def listed_blocks(stream, base):
    """The block sums, one after the other, and in how many of them item 1 is."""
    found = []
    for time in range(1, len(stream) + 1):
        long = 1
        while time % (long * base) == 0:
            long *= base
        found.append((sum(stream[time - long : time]), long == time))
    return np.array([block for block, _ in found]), sum(first for _, first in found)


promises = fresh.permutation([0.01, 0.1, 0.7, 2.0, 5.0, 20.0]) * fresh.uniform(0.75, 1.0, 6)
shapes = (
    (243, 3, 1000),
    (1, 2, 8000),
    (9, 3, 4000),
    (40, 60, 1000),
    (64, 4, 1000),
    (1100, int(fresh.integers(2, 12)), 1000),
)
for (size, base, draws), promise in zip(shapes, promises, strict=True):
    most, items = fresh.uniform(0.3, 8), np.round(fresh.uniform(0, 9, size) * (fresh.random(size) < 0.5), 1)
    summed, held = listed_blocks(items, base)
    check(noisy_blocks, laplace_law((items, base, most), summed, most * held, promise, samples=draws))
small = np.append(np.zeros(18), fresh.uniform(0.1, 1, 2))  # few, late, and together less than an item may change
summed, held = listed_blocks(small, 3)
check(noisy_blocks, laplace_law((small, 3, 4.0), summed, 4.0 * held, 0.8, samples=2000))
quiet, unit = np.zeros(8), float(fresh.uniform(0.5, 3))
check(
    noisy_blocks,
    private(
        (quiet, 2, unit, 1.5),
        (quiet + unit * np.eye(8)[0], 2, unit, 1.5),
        epsilon=1.5,
        shape=(8,),
        samples=3000,
        additive=True,
    ),
)
### END HIDDEN TESTS


# %% tags=["wrong"]
def noisy_blocks(stream, base, most, epsilon, rng):
    times, totals = np.arange(1, len(stream) + 1), np.append(0, np.cumsum(stream))
    sizes, size, levels = np.ones(len(stream), dtype=int), base, 1
    while size <= len(stream):
        sizes[size - 1 :: size] = size
        size, levels = size * base, levels + 1
    blocks = totals[times] - totals[times - sizes]

    # WRONG no noise | NO_NOISE
    return blocks

    # WRONG noisy totals | at time 2 your block has two items
    return laplace_mechanism(totals[times], most * levels, epsilon, rng)

    # WRONG items | this is an item alone
    return laplace_mechanism(stream, most * levels, epsilon, rng)

    # WRONG base 2 | at time 2 your block has two items
    from dpbook.continual import node_sums

    return laplace_mechanism(node_sums(stream), most * levels, epsilon, rng)

    # WRONG two sizes only | the *largest* power
    blocks = totals[times] - totals[times - np.where(times % base == 0, base, 1)]
    return laplace_mechanism(blocks, most * levels, epsilon, rng)

    # WRONG a change of 1 | an item changes by `most`
    return laplace_mechanism(blocks, levels, epsilon, rng)

    # WRONG an item is in one block | an item is in several blocks
    return laplace_mechanism(blocks, most, epsilon, rng)

    # WRONG one level too few | in one block more than that
    return laplace_mechanism(blocks, most * (levels - 1), epsilon, rng)

    # WRONG the levels of base 2 | fewer levels in base 3
    return laplace_mechanism(blocks, most * len(stream).bit_length(), epsilon, rng)

    # WRONG the Euclidean length | not by their Euclidean length
    return laplace_mechanism(blocks, most * np.sqrt(levels), epsilon, rng)

    # WRONG a share for each time | not in all of them
    return laplace_mechanism(blocks, most * len(stream), epsilon, rng)

    # WRONG the largest item | with other data, which you have not seen
    moved = min(most, stream.max()) or most
    return laplace_mechanism(blocks, moved * levels, epsilon, rng)

    # WRONG a logarithm in floating point | with other data, which you have not seen
    levels = 1 + int(np.log(len(stream)) / np.log(base))
    return laplace_mechanism(blocks, most * levels, epsilon, rng)

    # WRONG one noise for all | SHARED
    return blocks + rng.laplace(scale=most * levels / epsilon)


# %% [markdown]
# ## 3. A total that is shown seldom (3 points)
#
# *You learn* to weigh noise against being late. About 25 minutes, medium.
#
# A display adds a new total only after every `every`-th item. It shows a binary counter, at $\varepsilon$, over the
# sums of whole batches of `every` items. Items after the last whole batch never come into it, and its $T$ is the number
# of batches. Between two batches the last noisy total stays on display. Before the first batch is full, the display
# shows a 0 without noise. Write `display_errors(stream, every, epsilon)`: the exact root mean square error of what is
# displayed after each item, one number an item. Errors come from the noise and from items that are not on display yet.


# %%
def display_errors(stream, every, epsilon):
    ### BEGIN SOLUTION
    batch = np.arange(1, len(stream) + 1) // every
    totals = np.cumsum(stream)
    late = totals - np.append(0, totals)[batch * every]
    ones = np.array([int(number).bit_count() for number in batch])
    levels = int(len(stream) // every).bit_length()
    return np.sqrt(2 * ones * (levels / epsilon) ** 2 + late**2)
    ### END SOLUTION


# %% points=3
# The check
arrivals = UNIT * np.array([1.0, 0.0, 2.0, 1.0, 1.0, 0.0, 3.0, 0.0, 1.0, 2.0])
check(
    display_errors,
    answers(
        [(arrivals, 3, 1 / UNIT)],
        [UNIT * np.array([1, 1, 2.8284271, 3, 3.4641016, 2.8284271, 4.1231056, 4.1231056, 4, 4.472136])],
        slips={
            "what has come in since the last batch is missing on the display": [
                UNIT * np.array([0, 0, 2.8284271, 2.8284271, 2.8284271, 2.8284271, 2.8284271, 2.8284271, 4, 4])
            ],
            "that is only what is late: what is on display has noise, too": [
                UNIT * np.array([1, 1, 0, 1, 2, 0, 3, 3, 0, 2])
            ],
            "noise has mean 0: squares add up, not errors": [
                UNIT * np.array([1, 1, 2.8284271, 3.8284271, 4.8284271, 2.8284271, 5.8284271, 5.8284271, 4, 6])
            ],
            "the counter counts batches: it has fewer levels than one that counts items": [
                UNIT * np.array([1, 1, 5.6568542, 5.7445626, 6, 5.6568542, 6.4031242, 6.4031242, 8, 8.2462113])
            ],
            "how many blocks are in the total of a *batch*?": [
                UNIT * np.array([1, 1, 4, 4.1231056, 4.472136, 4, 5, 5, 4, 4.472136])
            ],
            "a total has as many noises as its number of batches has ones, not one": [
                UNIT * np.array([1, 1, 2.8284271, 3, 3.4641016, 2.8284271, 4.1231056, 4.1231056, 2.8284271, 3.4641016])
            ],
            "Laplace noise of scale b has the variance 2 b^2": [
                UNIT * np.array([1, 1, 2, 2.236068, 2.8284271, 2, 3.6055513, 3.6055513, 2.8284271, 3.4641016])
            ],
            "before the first batch is full there is no noise": [
                UNIT * np.array([3, 3, 2.8284271, 3, 3.4641016, 2.8284271, 4.1231056, 4.1231056, 4, 4.472136])
            ],
        },
        tolerance=1e-5,
    ),
)
### BEGIN HIDDEN TESTS
for size, every in ((1, 1), (5, 9), (64, 8), (200, 3), (4000, int(fresh.integers(1, 300)))):
    items, promise = fresh.integers(0, 4, size) * fresh.uniform(0.5, 2), fresh.choice([0.01, 0.3, 2.0, 20.0])
    scale, errors, waiting = np.floor(np.log2(max(1, size // every) + 0.5)) + 1, [], 0.0
    for time, item in enumerate(items, 1):
        waiting = 0.0 if time % every == 0 else waiting + item
        errors.append((2 * bin(time // every).count("1") * (scale / promise) ** 2 + waiting**2) ** 0.5)
    check(display_errors, answers([(items, every, promise)], [errors], tolerance=1e-5))
### END HIDDEN TESTS


# %% tags=["wrong"]
def display_errors(stream, every, epsilon):
    times, totals = np.arange(1, len(stream) + 1), np.append(0, np.cumsum(stream))
    batch = times // every
    late = totals[times] - totals[batch * every]
    ones = np.array([int(number).bit_count() for number in batch])
    scale = int(len(stream) // every).bit_length() / epsilon

    # WRONG never late | is missing on the display
    return np.sqrt(2 * ones) * scale

    # WRONG late only | that is only what is late
    return late

    # WRONG added | squares add up
    return np.sqrt(2 * ones) * scale + late

    # WRONG levels of the items | it has fewer levels
    scale = len(stream).bit_length() / epsilon
    return np.hypot(np.sqrt(2 * ones) * scale, late)

    # WRONG ones of the time | in the total of a *batch*
    ones = np.array([int(number).bit_count() for number in batch * every])
    return np.hypot(np.sqrt(2 * ones) * scale, late)

    # WRONG one noise each | as its number of batches has ones
    return np.hypot(np.sqrt(2) * (batch > 0) * scale, late)

    # WRONG the variance of a scale | has the variance 2 b^2
    return np.hypot(np.sqrt(ones) * scale, late)

    # WRONG noise from the start | before the first batch is full
    return np.hypot(np.sqrt(2 * np.maximum(1, ones)) * scale, late)


# %% [markdown]
# ## 4. Attack: one noise a level (4 points)
#
# *You learn* what is lost when noise is used again. About 40 minutes, hard.
#
# A colleague's counter runs on a small device: "One noise for each size of block is enough, drawn at the start. The noise of
# each block has the right scale, after all." The items are 0 or 1; $T$ is a power of two:


# %% tags=["setup"]
def colleague(stream, epsilon, rng):
    """BROKEN: all totals of the binary counter, but all blocks of one size have the same noise."""
    levels = len(stream).bit_length()
    noise = rng.laplace(scale=levels / epsilon, size=levels)
    published = np.cumsum(stream)
    for level in range(levels):  # a total contains a block of this size if its time has this bit
        published = published + noise[level] * (np.arange(1, len(stream) + 1) >> level & 1)
    return published


# %% [markdown]
# Write `stolen_items(totals)`: the items, $T$ numbers 0 or 1, from the totals that the colleague publishes. At least
# 97% of them must be right. $T$ is at least 512, and among any 30 items at equal distances both 0 and 1 occur. Begin
# with the items of odd times.


# %% jupyter={"source_hidden": true} tags=["setup"]
# What the check needs
def steals(size, share, epsilon, seed, least=0.97):
    """A requirement: of the items of six streams, in which a share is 1, so many are found."""
    rng = np.random.default_rng(seed)
    streams = (rng.random((6, size)) < share).astype(float)
    seen = [(colleague(stream, epsilon, rng),) for stream in streams]

    def requirement(draw):
        given = draw(seen, shape=(size,))[:, 0]
        if not np.isin(given, (0, 1)).all():
            return "an item is neither 0 nor 1"
        right = given == streams
        if right.mean() >= least:
            return ""
        odd, even = right[:, ::2].mean(), right[:, 1::2].mean()
        hint = "at odd times the total grows by the item and by a noise that is always the same"
        if (given == 0).all() or (given == 1).all():
            hint = "that would be so for any totals: where is the noise the same twice?"
        elif odd > 0.97:
            hint = "the odd times are right; now take two totals that differ by a block of two items, and go on"
        elif right[:, ::2].mean(axis=1).max() > 0.97:
            hint = "the odd times of some streams are right: the noise may be of either sign, and larger than 1"
        return f"{odd:.0%} of the items at odd times and {even:.0%} of the others are right; {hint}"

    return requirement


# %%
def stolen_items(totals):
    ### BEGIN SOLUTION
    steps, before = len(totals), np.append(0, totals)
    items = np.zeros(steps)
    for level in range(steps.bit_length()):
        size = 2**level
        ends = np.arange(size, steps + 1, 2 * size)  # blocks of this size: all have the same noise
        known = np.append(0, np.cumsum(items))  # what is known of the block: all its items but the last
        rest = before[ends] - before[ends - size] - (known[ends - 1] - known[ends - size])
        items[ends - 1] = rest > rest.min() + 0.5
    return items
    ### END SOLUTION


# %% points=4
# The check
check(stolen_items, steals(1024, 0.4, 1.0, seed=20 + VARIANT), steals(512, 0.6, 0.1, seed=30 + VARIANT))


### BEGIN HIDDEN TESTS
def by_fractions(totals):
    """The two values that a block less its known items takes are the noise, and 1 more: the smaller is where 0 is."""
    found, seen = np.zeros(len(totals)), np.append(0, totals)
    for bits in range(len(totals).bit_length()):
        for_all = [time for time in range(1, len(totals) + 1) if time & -time == 1 << bits]
        left = [seen[end] - seen[end - (1 << bits)] - found[end - (1 << bits) : end - 1].sum() for end in for_all]
        found[np.array(for_all) - 1] = np.array(left) - min(left) > 0.5
    return found


for size, promise in ((512, 20.0), (1024, 0.01), (4096, fresh.uniform(0.05, 5))):
    trouble = "draw again"
    while trouble:
        seed, share = int(fresh.integers(2**40)), fresh.uniform(0.35, 0.65)
        trouble = steals(size, share, promise, seed, least=0.98)(draws_here(by_fractions))
    check(stolen_items, steals(size, share, promise, seed))
### END HIDDEN TESTS


# %% tags=["wrong"]
def stolen_items(totals):
    # WRONG differences, rounded | neither 0 nor 1
    return np.round(np.diff(totals, prepend=0))

    # WRONG differences above one half | at odd times
    return np.diff(totals, prepend=0) > 0.5

    # WRONG all zeros | that would be so for any totals
    return 0 * totals

    # WRONG odd times only | a block of two items
    grown = np.diff(totals, prepend=0)
    return grown > grown[::2].min() + 0.5

    # WRONG noise taken off by its mean | of the items at odd times
    grown = np.diff(totals, prepend=0)
    return grown > grown.mean()

    # WRONG only positive noise | may be of either sign
    grown = np.diff(totals, prepend=0)
    noise = np.abs(grown[::2]).min()
    return grown > noise + 0.5


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* to tell a guarantee for an event from one for a person. About 20 minutes, medium.
#
# A ministry publishes every day the number of positive tests with Laplace noise of scale $1/\varepsilon$; each test
# belongs to one day. (1) It also wants weekly and monthly numbers. One office would add up the published days. The
# other would release week and month from the exact data. It takes "the same noise as a day, since a test is in only one
# week and in only one month". What does each cost in privacy, and how large is the error of a weekly number in each?
# (2) The ministry says: "Every citizen is protected by $\varepsilon$." A citizen may have up to ten positive tests.
# What is true, and what could be done? Three to six sentences.

# %% [markdown] name="explain_tests" points=3
# ### BEGIN SOLUTION
# Adding up published numbers is post-processing and costs nothing. A week has the noise of seven days, an error of
# $\sqrt{14}/\varepsilon$, a month about $\sqrt{60}/\varepsilon$. The other office's weeks are more exact,
# $\sqrt2/\varepsilon$. But a test is in a day *and* in a week *and* in a month, so the whole has loss $3\varepsilon$.
# At $\varepsilon$ in all each number needs noise of three times the scale, $3\sqrt2/\varepsilon$. That is a little
# worse than the sum of days for a week, better for a month, and three times worse for a day. The ministry's sentence
# is true of a test. A citizen with ten tests has a loss of up to $10\,\varepsilon$. Either the noise is made ten
# times as large, or a citizen counts once, with the first positive test (or with few). Then the guarantee is one for
# citizens.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each.
# - (a) Adding up is free (post-processing), and the error of a week is that of seven noises, sqrt(7) times a day's.
# - (b) Day, week and month together spend 3 epsilon, or need three times the noise at epsilon. The reason is that one
#   test is in all three. "In only one week" explains parallel composition within the weeks only.
# - (c) A test is protected by epsilon, a citizen by up to 10 epsilon. One repair is due: ten times the noise, or a
#   bound on the tests that count for a citizen. "The tests of one citizen are correlated" alone is not enough.
# ### END MARK SCHEME
