# %% [markdown]
# # Assignment 08: Histograms that answer ranges
#
# Five tasks, 18 points. You need chapter 08, *Histograms that answer ranges*.
#
# A range is (left, right): the bins left, left + 1, ..., right - 1, as in a slice. Neighbours differ by *adding or
# removing* one record, which moves the count of one bin by 1. All data here are invented. Yours may differ from those of
# others.

# %% tags=["setup"]
from functools import partial

import numpy as np

from dpbook.check import answers, check, own_order, private, repeatable
from dpbook.check import laplace_law
from dpbook.histograms import hierarchical_counts, level_sizes, range_nodes, sum_leaves, sum_nodes, tree_counts
from dpbook.laplace import laplace_mechanism

VARIANT = 0  # of 6
TIMES = 1 + VARIANT  # as many records
mine = partial(own_order, variant=VARIANT)

# %% [markdown]
# ## 1. Which tree? (3 points)
#
# *You learn* to choose a tree for the ranges that will be asked, before looking at the data. About 30 minutes, medium.
#
# A clinic knows which ranges its readers ask for, and must fix a branching factor before it looks at any data. It releases
# a tree as in the chapter (`hierarchical_counts`), with equal parts of $\varepsilon$ for the published levels, no total,
# and no inference. Each range is answered from the fewest nodes (`range_nodes`). A branching factor equal to the number of
# bins is the flat histogram.

# %% tags=["setup"]
workloads = [  # (ranges, bins, candidates)
    (np.array([(a, a + 14) for a in range(0, 364, 14)]), 364, (2, 7, 14, 364)),
    (np.array([(0, x) for x in range(25, 1001, 25)]), 1000, (2, 5, 10, 32, 1000)),
    (np.array([(a, a + 1) for a in range(0, 64, 5)] + [(0, 64), (0, 64)]), 64, (2, 4, 8, 64)),
    (np.array([(0, 30), (25, 55), (50, 80), (75, 105)]), 125, (2, 5, 12, 125)),
    (np.array([(9, 100), (27, 100), (54, 100), (72, 100)]), 100, (2, 3, 9, 100)),
    (np.array([(1, 4095), (5, 3000), (700, 4000), (1234, 3456)]), 4096, (2, 4, 8, 16, 64, 4096)),
]

# %% [markdown]
# Write `choose_branching(ranges, bins, candidates)`: the one of `candidates` with the smallest exact mean squared error,
# averaged over the rows (left, right) of `ranges`. There are no ties.


# %%
def choose_branching(ranges, bins, candidates):
    ### BEGIN SOLUTION
    def error(branching):
        height = len(level_sizes(bins, branching))
        nodes = [len(range_nodes(left, right, branching, height, bins)) for left, right in ranges]
        return height**2 * np.mean(nodes)

    return min(candidates, key=error)
    ### END SOLUTION


# %% points=3
check(
    choose_branching,
    answers(
        workloads,
        [14, 10, 8, 5, 9, 16],
        slips={
            "that is the best for *all* ranges: here only the listed ones are asked": [364, 32, 64, 125, 100, 16],
            "the fewest nodes are not the least error: what does another level do to each node?": [14, 5, 2, 5, 3, 2],
            "the scale grows with the height; how does the *squared* error of a node grow?": [14, 5, 8, 5, 3, 4],
            "the total is not published here, so it is no level to pay for": [14, 5, 8, 5, 9, 16],
            "the mean of the *squared* errors is asked, not of their roots": [14, 10, 64, 5, 9, 16],
            "a tree answers a range from its nodes: you counted the bins": [364, 1000, 64, 125, 100, 4096],
            "a range ends before its right end, as a slice does: yours are a bin too long": [364, 10, 64, 5, 9, 16],
            "a height is one too large: a float logarithm of 125 to base 5 is above 3": [14, 10, 8, 125, 9, 16],
            "100 bins do not fill a tree with b = 9: its last nodes are smaller": [14, 10, 8, 5, 100, 16],
        },
        variant=VARIANT,
    ),
)
### BEGIN HIDDEN TESTS
picks = fresh
other_workloads = [
    (np.array([(x, 150) for x in range(12, 138, 12)]), 150, (2, 12, 150)),
    (np.array([(x, x + 12 + x % 24) for x in range(0, 120, 12)]), 150, (2, 12, 150)),
]
for bins, candidates in (
    (81, (2, 3, 9, 81)),
    (125, (2, 3, 5, 11, 125)),
    (216, (2, 4, 6, 15, 216)),
    (366, (2, 3, 8, 20, 366)),
    (1000, (2, 3, 6, 10, 32, 1000)),
    (2048, (2, 4, 8, 13, 46, 2048)),
    (7, (2, 3, 7)),
):
    for power in (0.3, 1, 3):  # mostly long ranges, any, mostly short ones; the last four end with the last bin
        lengths = np.ceil(picks.random(12) ** power * bins).astype(int)
        starts = np.where(np.arange(12) < 8, picks.integers(0, bins - lengths + 1), bins - lengths)
        other_workloads.append((np.column_stack([starts, starts + lengths]), bins, candidates))


def exact_error(ranges, bins, branching):
    sizes = level_sizes(bins, branching)
    return len(sizes) ** 2 * sum_nodes([np.ones(size) for size in sizes], *ranges.T, branching).mean()


least, clear = [], []
for ranges, m, candidates in other_workloads:
    errors = [exact_error(ranges, m, b) for b in candidates]
    if np.sort(errors)[1] > 1.000001 * min(errors):  # there are no ties
        clear.append((ranges, m, candidates))
        least.append(candidates[int(np.argmin(errors))])
check(choose_branching, answers(clear, least))
### END HIDDEN TESTS


# %% tags=["wrong"]
def choose_branching(ranges, bins, candidates):
    def height(branching):
        return len(level_sizes(bins, branching))

    def nodes(branching):
        return [len(range_nodes(*ends, branching, height(branching), bins)) for ends in ranges]

    def least(error):
        return min(candidates, key=error)

    # WRONG the best for all ranges | here only the listed ones are asked
    from dpbook.histograms import average_error

    return least(lambda b: average_error(bins, b))

    # WRONG the fewest nodes | the fewest nodes are not the least error
    return least(lambda b: sum(nodes(b)))

    # WRONG the height not squared | how does the *squared* error of a node grow
    return least(lambda b: height(b) * sum(nodes(b)))

    # WRONG the total counted as a level | the total is not published here
    return least(lambda b: (height(b) + 1) ** 2 * sum(nodes(b)))

    # WRONG the mean of standard deviations | not of their roots
    return least(lambda b: height(b) * sum(many**0.5 for many in nodes(b)))

    # WRONG every tree taken for a full one | its last nodes are smaller
    return least(lambda b: height(b) ** 2 * sum(len(range_nodes(*ends, b, height(b))) for ends in ranges))

    # WRONG bins counted instead of nodes | you counted the bins
    return least(lambda b: height(b) ** 2 * np.diff(ranges).sum())

    # WRONG the right end taken into the range | yours are a bin too long
    def error(b):
        return height(b) ** 2 * sum(len(range_nodes(a, min(z + 1, bins), b, height(b), bins)) for a, z in ranges)

    return least(error)

    # WRONG the height by a float logarithm | a height is one too large
    return least(lambda b: np.ceil(np.log(bins) / np.log(b)) ** 2 * sum(nodes(b)))


# %% [markdown]
# ## 2. A noisy tree, with its total (5 points)
#
# *You learn* to count the levels that one record is in, the total too. About 30 minutes, medium.
#
# The clinic counts its stays by the number of nights; a record is one stay. It will release a tree and, since readers ask
# for it, the total as well. This is one release, with a number for each node in the order of `all_nodes`.

# %% tags=["setup"]
stays = TIMES * np.array([4, 31, 17, 9, 12, 3, 0, 5, 1, 2])


def all_nodes(counts, branching):
    """The true count of each node: the leaves, then each level above them, the total last. Not private."""
    levels = [np.asarray(counts, float)]
    for size in level_sizes(len(counts), branching):
        levels.append(np.add.reduceat(levels[-1], np.arange(0, size, branching)))
    return np.concatenate(levels)


# %% [markdown]
# Write `noisy_tree(counts, branching, epsilon, rng)`: all these counts, released together with $\varepsilon$-DP. Every
# level, the total among them, gets an equal part of $\varepsilon$, and each node fresh Laplace noise, no larger than
# needed. The release is neither rounded nor cut. The number of bins is public; a single bin has its total, too.


# %%
def noisy_tree(counts, branching, epsilon, rng):
    ### BEGIN SOLUTION
    # A record is counted once on each level and once in the total, so it moves the whole vector by levels + 1.
    published = len(level_sizes(len(counts), branching)) + 1
    return laplace_mechanism(all_nodes(counts, branching), published, epsilon, rng)
    ### END SOLUTION


# %% points=5
# The check
def own_noise(draw):
    """Twenty releases show whether a node has no noise, or only that of the leaves."""
    noise = draw([(stays, 2, 0.5)], 20, (21,))[0] - all_nodes(stays, 2)
    still = np.ptp(noise, axis=0) < 1e-9
    if still.any() and not still.all():
        return "some nodes are released without fresh noise: a record moves every level, so each must be paid for"
    if not still.any() and np.abs(noise[:, 20] - noise[:, :10].sum(axis=1)).max() < 1e-6:
        return (
            "the total has exactly the noise of the leaves: private perhaps, but each node must have noise of its own"
        )
    return ""


check(
    noisy_tree,
    own_noise,
    laplace_law(
        (stays, 2),
        truth=all_nodes(stays, 2),
        sensitivity=5,
        epsilon=0.5,
        centres={
            "the leaves come first and the total last": np.append(
                TIMES * np.array([84, 81, 3, 61, 20, 3, 35, 26, 15, 5, 3]), stays
            )
        },
        sensitivities={
            "this noise would do if that node were all you release: how many of the 21 does one record move?": 1,
            "this noise would do without the total, which is not free": 4,
            "count the levels, the total too: the part of epsilon is the same for every level, and no logarithm": 3.32,
            "the total takes half of epsilon, but it is one level among five": 8,
            "that is twice too much: one record is added or removed, and is in one node of each level": 10,
            "you share epsilon among all nodes, but a record moves only some of them": 21,
        },
    ),
    repeatable((stays, 2, 0.5), (21,)),
    private(
        (stays, 2, 1.0),
        (stays + (np.arange(10) == 3), 2, 1.0),
        epsilon=1.0,
        shape=(21,),
        samples=5000,
        additive=True,
    ),
)
### BEGIN HIDDEN TESTS
promises = fresh.permutation([0.01, 0.2, 1.0, 4.0, 20.0]) * fresh.uniform(0.75, 1.0, 5)
wards = [(7, 9), (1, 2), (18, 4), (33, int(fresh.integers(2, 6))), (140, int(fresh.integers(3, 12)))]
for (bins, children), promise, most in zip(wards, promises, (1, 6, 300, 40, 2000), strict=True):
    nights, levels, group = fresh.integers(0, most, bins), 1, children
    while group < bins:
        levels, group = levels + 1, group * children
    check(noisy_tree, laplace_law((nights, children), all_nodes(nights, children), levels + 1.0, promise, samples=2000))
stay = np.eye(18, dtype=int)[17]
wards = fresh.integers(1, 250, 18)
call, without = (wards, 4, 2.0), (wards - stay, 4, 2.0)
check(noisy_tree, private(call, without, epsilon=2.0, shape=(26,), samples=5000, additive=True))
### END HIDDEN TESTS


# %% tags=["wrong"]
def noisy_tree(counts, branching, epsilon, rng):
    nodes, published = all_nodes(counts, branching), len(level_sizes(len(counts), branching)) + 1

    # WRONG output of the true values | NO_NOISE
    return nodes

    # WRONG budget not divided | how many of the 21 does one record move
    return laplace_mechanism(nodes, 1, epsilon, rng)

    # WRONG the total released on top | which is not free
    levels = hierarchical_counts(counts, branching, epsilon, rng)
    total = laplace_mechanism(counts.sum(), len(levels), epsilon, rng)
    return np.concatenate([*levels, [total]])

    # WRONG half of epsilon for the total | it is one level among five
    levels = hierarchical_counts(counts, branching, epsilon / 2, rng)
    return np.append(np.concatenate(levels), laplace_mechanism(counts.sum(), 1, epsilon / 2, rng))

    # WRONG the exact total | released without fresh noise
    return np.append(np.concatenate(hierarchical_counts(counts, branching, epsilon, rng)), counts.sum())

    # WRONG noise on the leaves, exact parents | released without fresh noise
    nodes[: len(counts)] += rng.laplace(scale=1 / epsilon, size=len(counts))
    return nodes

    # WRONG parents summed up from noisy leaves | exactly the noise of the leaves
    levels = [laplace_mechanism(counts, 1, epsilon, rng)]
    for size in level_sizes(len(counts), branching)[1:]:
        filled = np.append(levels[-1], np.zeros(size * branching - len(levels[-1])))
        levels.append(filled.reshape(size, branching).sum(axis=1))
    return np.concatenate([*levels, [levels[-1].sum()]])

    # WRONG sensitivity under the other relation | that is twice too much
    return laplace_mechanism(nodes, 2 * published, epsilon, rng)

    # WRONG epsilon shared among the nodes | you share epsilon among all nodes
    return laplace_mechanism(nodes, len(nodes), epsilon, rng)

    # WRONG one seed for all levels | SHARED
    seed, levels = rng.integers(2**63), [*tree_counts(counts, branching), np.array([counts.sum()])]
    noisy = [laplace_mechanism(level, len(levels), epsilon, np.random.default_rng(seed)) for level in levels]
    return np.concatenate(noisy)

    # WRONG seed fixed | SAME_EACH_TIME
    return laplace_mechanism(nodes, published, epsilon, np.random.default_rng(8))

    # WRONG the total first | the leaves come first
    levels = [*tree_counts(counts, branching), [counts.sum()]]
    return laplace_mechanism(np.concatenate(levels[::-1]), len(levels), epsilon, rng)

    # WRONG the levels of the example | TOO_LARGE
    return laplace_mechanism(nodes, 5, epsilon, rng)


# %% [markdown]
# ## 3. Challenge: counts that agree (4 points)
#
# *You learn* to fit counts that add up by two passes. About 45 minutes, hard.
#
# In a noisy tree a parent is not the sum of its children. Take a *full* tree with its total, as released in task 2.
# `bins` is a power of `branching`, leaves come first and the total last, and each node has the same noise. Write
# `make_consistent(released, bins, branching)`: the counts that do add up and are closest to the released ones, in the
# same order. (The sum of squared differences over all nodes is smallest.)
#
# The chapter's `constrained_inference` knows no total and refuses it. Two passes like its own will do. On the way up,
# each node becomes a weighted average of its own count and its children's sum. On the way down, each family divides the
# gap that is left. The children's sum is an estimate too: how exact is it, once the children have been improved?


# %%
def make_consistent(released, bins, branching):
    ### BEGIN SOLUTION
    own = np.split(released, np.cumsum(level_sizes(bins, branching)))
    best, variance = own[:1], 1.0  # of a node of the level reached, where that of a released node is 1
    for node in own[1:]:
        total, doubt = best[-1].reshape(-1, branching).sum(axis=1), branching * variance
        best.append((doubt * node + total) / (doubt + 1))  # each counts for more, the more uncertain the other is
        variance = doubt / (doubt + 1)
    for level in reversed(range(len(own) - 1)):
        gap = best[level + 1] - best[level].reshape(-1, branching).sum(axis=1)
        best[level] = best[level] + np.repeat(gap / branching, branching)
    return np.concatenate(best)
    ### END SOLUTION


# %% points=4
# The check
def least_squares(call, expected, slips=None):
    """The expected nodes; else the line of a known slip, or whether the counts add up and how far off they are."""
    released, bins, branching = call
    compare = answers([call], [expected], {sentence: [nodes] for sentence, nodes in (slips or {}).items()})

    def requirement(draw):
        sentence = compare(draw)
        if not sentence.endswith("answers are wrong"):
            return sentence
        given = draw([call], shape=(len(expected),))[0, 0]
        if np.abs(given - all_nodes(given[:bins], branching)).max() > 1e-6:
            return "your counts do not add up: a parent is not the sum of its children"
        far, least = (np.linalg.norm(nodes - released) for nodes in (given, np.array(expected)))
        return f"your counts add up, but lie {far:.4g} from the released ones, where {least:.4g} is possible"

    return requirement


check(
    make_consistent,
    least_squares(
        (np.array([10.0, 3, 7, 14, 23, 4, 20]), 4, 2),
        [12, 5, 0, 7, 17, 7, 24],
        slips={
            "this is only the way up: now the leaves must learn from the total": [
                v / 3 for v in (30, 9, 21, 42, 59, 29, 72)
            ],
            "this is only the way down: the total and the parents must first learn from the leaves": [
                v / 4 for v in (53, 25, -13, 15, 78, 2, 80)
            ],
            "a node and the sum of its children are not equally noisy, so they do not weigh the same": [
                v / 16 for v in (179, 67, 23, 135, 246, 158, 404)
            ],
            "the more certain of the two estimates must weigh more: yours are the wrong way round": [
                v / 12 for v in (125, 41, 35, 119, 166, 154, 320)
            ],
            "right for the lowest parents; but the total's children are no longer as noisy as released": [
                v / 9 for v in (106, 43, -2, 61, 149, 59, 208)
            ],
            "a family lacks something once: each child gets its share of the gap, not all of it": [
                v / 3 for v in (34, 13, -29, -8, 43, 13, 72)
            ],
            "on the way down the gap is to the *improved* children, not to the released ones": [
                v / 12 for v in (151, 67, 7, 91, 218, 98, 288)
            ],
            "these counts add up, but parents and total have taught them nothing": [10, 3, 7, 14, 13, 21, 34],
        },
    ),
    least_squares((np.array([*mine([10.0, 20, 30]), 48]), 3, 3), [*mine([7, 17, 27]), 51]),
)
### BEGIN HIDDEN TESTS
for bins, branching in ((2, 2), (32, 2), (27, 3), (64, 4), (5, 5), (49, 7)):
    design = np.column_stack([all_nodes(bin_of_one, branching) for bin_of_one in np.eye(bins)])
    released = fresh.laplace(scale=fresh.uniform(0.1, 99), size=len(design)) + np.arange(len(design)) % 5
    fitted = design @ np.linalg.lstsq(design, released, rcond=None)[0]
    check(make_consistent, least_squares((released, bins, branching), fitted))
### END HIDDEN TESTS


# %% tags=["wrong"]
def make_consistent(released, bins, branching):
    own = np.split(released, np.cumsum(level_sizes(bins, branching)))

    def families(level):
        return level.reshape(-1, branching).sum(axis=1)

    def trust(level):
        return (branching**level - branching ** (level - 1)) / (branching**level - 1)

    def up(weight=trust):
        """Each node becomes an average of its own count, of this weight, and its children's sum."""
        best = own[:1]
        for level, node in enumerate(own[1:], start=2):
            best.append(weight(level) * node + (1 - weight(level)) * families(best[-1]))
        return best

    def down(best, children=None, parts=branching):
        """Each child gets one of so many parts of the gap."""
        for i in reversed(range(len(own) - 1)):
            gap = best[i + 1] - families((children or best)[i])
            best[i] = best[i] + np.repeat(gap / parts, branching)
        return np.concatenate(best)

    # WRONG only the way up | this is only the way up
    return np.concatenate(up())

    # WRONG only the way down | this is only the way down
    return down(list(own))

    # WRONG equal weights | so they do not weigh the same
    return down(up(lambda level: 1 / 2))

    # WRONG weights swapped | yours are the wrong way round
    return down(up(lambda level: 1 - trust(level)))

    # WRONG the weights of the lowest parents everywhere | right for the lowest parents
    return down(up(lambda level: trust(2)))

    # WRONG the whole gap to each child | each child gets its share of the gap
    return down(up(), parts=1)

    # WRONG the gap to the released children | to the *improved* children
    return down(up(), children=own)

    # WRONG the gap always halved | your counts do not add up
    return down(up(), parts=2)

    # WRONG the leaves summed up | have taught them nothing
    done = [released[:bins]]
    while len(done[-1]) > 1:
        done.append(families(done[-1]))
    return np.concatenate(done)

    # WRONG the total left as released | but lie 13.96 from the released ones, where 12.92 is possible
    design = np.column_stack([all_nodes(one, branching) for one in np.eye(bins)])
    known = np.linalg.lstsq(design[:-1], released[:-1], rcond=None)[0]
    return design @ (known + (released[-1] - known.sum()) / bins)


# %% [markdown]
# ## 4. Attack: every range, with fresh noise (3 points)
#
# *You learn* to put many noisy ranges together into one exact answer. About 30 minutes, medium.
#
# Another clinic keeps no tree. Its server answers any range, as often as one likes, and adds fresh Laplace noise of
# scale $1/\varepsilon$ to each answer: "each answer is $\varepsilon$-DP".


# %% tags=["setup"]
def answer_each(counts, ranges, epsilon, rng):
    """The server: one noisy answer for each row (left, right) of `ranges`."""
    return sum_leaves(counts, *ranges.T) + rng.laplace(scale=1 / epsilon, size=len(ranges))


def every_range(bins):
    """All ranges over the bins, one a row."""
    left, right = np.triu_indices(bins)
    return np.column_stack([left, right + 1])


# %% [markdown]
# Write `recover_counts(ranges, noisy, bins)`: the counts of all bins, from the list of ranges asked and the server's
# answers `noisy`. (The ranges come in any order, some several times, not always all of them.) 90% of the counts or more
# must be less than 0.5 off, that is, exact when you round them. Then work out the guarantee of all answers *together*
# whose ranges hold one particular bin. (This is not graded.)


# %%
def recover_counts(ranges, noisy, bins):
    ### BEGIN SOLUTION
    # The inference of task 3, on the attacker's side: the counts that fit all the answers best.
    places = np.arange(bins)
    holds = (ranges[:, :1] <= places) & (places < ranges[:, 1:])
    return np.linalg.lstsq(holds.astype(float), noisy, rcond=None)[0]
    ### END SOLUTION


# %% points=3
# The check
def recovers(counts, ranges, noisy, slips=None):
    """At least 90% of the counts exact; else the line of a known slip, or how badly the counts fit the answers."""

    def requirement(draw):
        given = draw([(ranges, noisy, len(counts))], shape=counts.shape)[0, 0]
        exact = np.mean(np.abs(given - counts) < 0.5)
        if exact >= 0.9:
            return ""
        for sentence, guess in (slips or {}).items():
            if np.abs(given - guess).max() < 1e-6:
                return f"{exact:.0%} of the counts are exact, 90% are asked: {sentence}"
        misses = [np.sqrt(np.mean((sum_leaves(each, *ranges.T) - noisy) ** 2)) for each in (given, counts)]
        hint = "; check which bins a range holds" if misses[0] > 3 * misses[1] else ""
        return (
            f"{exact:.0%} of the counts are exact, 90% are asked: summed up over the ranges, yours miss the answers by "
            f"{misses[0]:.2f} (root mean square), the true ones by {misses[1]:.2f}{hint}"
        )

    return requirement


arrivals = np.tile([4, 31, 17, 9, 12, 3, 0, 5], 3)
five_times = np.random.default_rng(11 + VARIANT).permutation(np.tile(every_range(24), (5, 1)))
heard = answer_each(arrivals, five_times, 1.0, np.random.default_rng(10 + VARIANT))
mean_answer = {tuple(ends): heard[(five_times == ends).all(axis=1)].mean() for ends in every_range(24)}
check(
    recover_counts,
    recovers(
        arrivals,
        five_times,
        heard,
        slips={
            "the answers about single bins are not the only ones that speak of them": [
                mean_answer[u, u + 1] for u in range(24)
            ],
            "ranges that do not begin at bin 0 speak of these bins too": np.diff(
                [0, *(mean_answer[0, u + 1] for u in range(24))]
            ),
        },
    ),
)
### BEGIN HIDDEN TESTS
for bins, asked, epsilon in ((40, 4000, 1.0), (15, 4000, 0.5), (60, 3000, 2.0), (8, 900, 20.0)):
    exact = 0
    while exact < 0.95:  # what least squares can do with these; now and then the noise is too large for it
        secret = fresh.integers(0, 900, bins)
        some = every_range(bins)[fresh.integers(0, bins * (bins + 1) // 2, asked)]
        told = answer_each(secret, some, epsilon, fresh)
        inside = (some[:, :1] <= np.arange(bins)) & (np.arange(bins) < some[:, 1:])
        exact = np.mean(np.abs(np.linalg.pinv(inside.astype(float)) @ told - secret) < 0.5)
    check(recover_counts, recovers(secret, some, told))
### END HIDDEN TESTS


# %% tags=["wrong"]
def recover_counts(ranges, noisy, bins):
    # WRONG only the answers about single bins | the answers about single bins are not the only ones
    alone = ranges[:, 1] - ranges[:, 0] == 1
    asked = ranges[alone, 0]
    return np.bincount(asked, noisy[alone], bins) / np.bincount(asked, minlength=bins)

    # WRONG differences of prefixes | ranges that do not begin at bin 0 speak of these bins too
    first = ranges[:, 0] == 0
    ends = ranges[first, 1] - 1
    return np.diff(np.bincount(ends, noisy[first], bins) / np.bincount(ends, minlength=bins), prepend=0)

    # WRONG the right end taken into the range | check which bins a range holds
    holds = (ranges[:, :1] <= np.arange(bins)) & (np.arange(bins) <= ranges[:, 1:])
    return np.linalg.lstsq(holds.astype(float), noisy, rcond=None)[0]

    # WRONG only short ranges | yours miss the answers by
    short = np.diff(ranges)[:, 0] <= 2
    holds = (ranges[:, :1] <= np.arange(bins)) & (np.arange(bins) < ranges[:, 1:])
    return np.linalg.lstsq(holds[short].astype(float), noisy[short], rcond=None)[0]


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* what post-processing keeps, where it biases, and which choice is a new query. About 20 minutes, medium.
#
# The clinic of task 2 releases its noisy tree and makes it consistent as in task 3. Then it sets the leaves below zero to
# zero and prints the leaves. Is what it prints $\varepsilon$-DP? Take a long range of bins that are nearly all empty: is
# the sum of its printed leaves still right on average? Next year the clinic wants to draw trees with several branching
# factors, each of them $\varepsilon$-DP. It would print only the one closest to the true counts. Is that $\varepsilon$-DP?
# Three to six sentences.

# %% [markdown] name="explain_printed_leaves" points=3
# ### BEGIN SOLUTION
# To make the tree consistent and to cut it at zero looks only at the release: post-processing of an $\varepsilon$-DP
# release is $\varepsilon$-DP. The leaves were right on average before they were cut. The cut moves only the negative ones,
# and only up, so an empty bin is above zero on average. Over a long range these gains do not cancel but add up, one for
# each bin. So the sum is too large, and more so for a longer range. Next year's choice is another matter. It looks at the
# true counts once more, so it is no post-processing. The choice of the tree reveals more than the tree's own guarantee
# allows. Private and free would be to choose by the exact error, which needs no data (task 1).
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each. For (a): private, *because* inference and cutting use only the release (post-processing). For (b): too
# large, with a reason: the cut goes one way only, and over many empty bins it adds up. For (c): not $\varepsilon$-DP,
# because the choice uses the true counts. (It is a query of its own, or all trees are used and each spends its budget.) No
# point for a bare yes or no. For (b) accept a computed example. For (c) accept "$k$ trees and a choice that is itself paid
# for", or a neighbour for which another tree is chosen. Also accept the remark that without noise the closest tree favours
# unusually small noise. Do not ask for the remedy.
# ### END MARK SCHEME
