# %% [markdown]
# # Assignment 09: Partitions
#
# Five tasks, 18 points. You need chapter 09, *Partitions: where do the cells come from?*
#
# Neighbours differ by *adding or removing* one record, which moves the count of one bin by 1. How many records there
# are is not public. $V_u=2/\varepsilon^2$ is the variance of one noisy count. All data here are invented. Yours may differ
# from those of others.

# %% tags=["setup"]
import math

import numpy as np

from dpbook.check import answers, check, discrete_law, private, repeatable
from dpbook.exponential import log_selection_probabilities
from dpbook.laplace import laplace_mechanism, laplace_probability

VARIANT = 0  # of 6
UNIT = 1 + VARIANT / 2  # of your own numbers

# %% [markdown]
# ## 1. A side that was paid for (3 points)
#
# *You learn* to divide a budget between a number and the choice that depends on it. About 25 minutes, medium.
#
# A city counts bicycles in the bins of a map, and will release a uniform grid. The guideline for its number of cells per
# side is $\sqrt{N\varepsilon/10}$, rounded, and at least 1. But $N$, the number of records, is secret too.
#
# Write `grid_side_privately(counts, epsilon, rng)`. Of `epsilon`, spend 5% on $N$ (Laplace noise, no larger than
# needed). Return the guideline's number of cells per side, a whole number, for the noisy $N$ and the remaining 95%.
# Where the noisy $N$ is below 0, take 0. `counts` is a two-dimensional array.


# %%
def grid_side_privately(counts, epsilon, rng):
    ### BEGIN SOLUTION
    total = laplace_mechanism(counts.sum(), 1, 0.05 * epsilon, rng)
    return max(1, round(math.sqrt(max(total, 0) * 0.95 * epsilon / 10)))
    ### END SOLUTION


# %% points=3
# The check
bicycles = np.zeros((10, 10), dtype=int)
bicycles[2 + VARIANT : 4 + VARIANT, 3:8] = 328
MOST_SIDE = 400


def side_law(total, scale, left, lower=1, most=MOST_SIDE):
    """The chances of the sides 0 ... most for noise of this scale on the total and this much epsilon left."""
    edges = 10 / left * (np.arange(most + 2) - 0.5) ** 2
    edges[: lower + 1], edges[-1] = -np.inf, np.inf
    chances = np.zeros(most + 1)
    chances[lower:] = laplace_probability(edges[lower:-1], edges[lower + 1 :], total, scale, 1.0)
    return chances / chances.sum()


def moved(law, function):
    """The law of function(side)."""
    return np.bincount([min(MOST_SIDE, function(side)) for side in range(MOST_SIDE + 1)], law, MOST_SIDE + 1)


def law_without_root(total, scale, left):
    edges = 10 / left * (np.arange(MOST_SIDE + 2) - 0.5)
    edges[:2], edges[-1] = -np.inf, np.inf
    return np.append(0, laplace_probability(edges[1:-1], edges[2:], total, scale, 1.0))


def side_slips(epsilon, total):
    right = side_law(total, 20 / epsilon, 0.95 * epsilon)
    ends = 10 / (0.95 * epsilon) * np.arange(1, MOST_SIDE + 1) ** 2
    rounded_down = np.diff([0, *laplace_probability(-np.inf, ends, total, 20 / epsilon, 1.0)], append=1)
    return {
        "this is the side for the exact N: two neighbours can then have grids of two sizes": np.eye(MOST_SIDE + 1)[
            max(1, round(math.sqrt(total * 0.95 * epsilon / 10)))
        ],
        "the noise on N is far too small, as if all of epsilon were for it: only 5% may be spent on it": side_law(
            total, 1 / epsilon, 0.95 * epsilon
        ),
        "that is M, the number of all cells: m is the number of cells a *side*": moved(right, lambda m: m * m),
        "where is the root? The cells a side go with the root of N": law_without_root(
            total, 20 / epsilon, 0.95 * epsilon
        ),
        "for the cells 95% of epsilon are left, not all of it": side_law(total, 20 / epsilon, epsilon),
        "rounded down, and so down to 0 cells: at least 1": rounded_down,
        "rounded down: the nearest whole number is asked for": moved(rounded_down, lambda m: max(1, m)),
        "rounded, but it may come out as 0: at least 1": side_law(total, 20 / epsilon, 0.95 * epsilon, lower=0),
        "the noise on N is twice too large: a record that joins or leaves moves N by 1": side_law(
            total, 40 / epsilon, 0.95 * epsilon
        ),
    }


check(
    grid_side_privately,
    discrete_law(
        (bicycles, 0.02),
        range(MOST_SIDE + 1),
        side_law(3280, 1000, 0.019),
        lambda: side_slips(0.02, 3280),
    ),
    repeatable((bicycles, 0.02)),
    private((bicycles, 0.5), (bicycles + np.eye(10, dtype=int)[:, :1] * np.eye(10, dtype=int)[:1], 0.5), epsilon=0.5),
)


### BEGIN HIDDEN TESTS
def any_map(shape, people):
    """A map with so many records, half of them in one bin."""
    spots = np.where(fresh.random(people) < 0.5, 0, fresh.integers(0, math.prod(shape), people))
    return np.bincount(spots, minlength=math.prod(shape)).reshape(shape)


def side_of(shape, people, promise, samples=10_000):
    scale, left = 20 / promise, 0.95 * promise
    highest = math.ceil(math.sqrt((people + 45 * scale) * left / 10)) + 1
    laws = [side_law(people, noise, left, most=highest) for noise in (scale, scale / 1.05)]
    call = (any_map(shape, people), promise)
    return discrete_law(call, range(highest + 1), laws[0], samples=samples, steeper=laws[1])


wide = int(fresh.integers(40, 90))
promises = np.array([20.0, 5.0, 20.0, 1.0, 0.2, 0.05, 0.01]) * fresh.uniform(0.75, 1.0, 7)
shapes, most = [(3, 3), (1, 1), (1, 12), (7, 12), (9, 40), (30, 30), (wide, 2 * wide)], fresh.uniform(1, 60, 7)
for shape, promise, people in zip(shapes, promises, [0, 1, *most[2:] / promises[2:]], strict=True):
    check(grid_side_privately, side_of(shape, int(people), promise, 10_000 if shape[0] < 40 else 4000))
dense = any_map((11, 10), 40_000)  # where the noise can hardly move the side
check(grid_side_privately, discrete_law((dense, 20.0), [276.0], [1.0], samples=300))
one_more = np.zeros((4, 25), dtype=int)
one_more[fresh.integers(4), fresh.integers(25)] = 1
block = any_map((4, 25), int(fresh.integers(0, 9)))
check(grid_side_privately, private((block, 8.0), (block + one_more, 8.0), epsilon=8.0))
### END HIDDEN TESTS


# %% tags=["wrong"]
def grid_side_privately(counts, epsilon, rng):
    def root(scale=20 / epsilon, left=0.95 * epsilon):
        """The guideline, not rounded yet, for N with noise of this scale and this much of epsilon left."""
        return math.sqrt(max(counts.sum() + rng.laplace(scale=scale), 0) * left / 10)

    # WRONG the exact N | this is the side for the exact N
    return max(1, round(math.sqrt(counts.sum() * 0.95 * epsilon / 10)))

    # WRONG noise that was not paid for | only 5% may be spent on it
    return max(1, round(root(scale=1 / epsilon)))

    # WRONG all the cells for a side | m is the number of cells a *side*
    return max(1, round(root())) ** 2

    # WRONG no root | where is the root
    return max(1, round(root() ** 2))

    # WRONG the whole of epsilon for the cells as well | for the cells 95% of epsilon are left
    return max(1, round(root(left=epsilon)))

    # WRONG rounded down to nothing | and so down to 0 cells
    return int(root())

    # WRONG rounded down, to one at least | the nearest whole number is asked for
    return max(1, int(root()))

    # WRONG not at least one | it may come out as 0
    return round(root())

    # WRONG a count that moves by 2 | the noise on N is twice too large
    return max(1, round(root(scale=2 / (0.05 * epsilon))))


# %% [markdown]
# ## 2. Leaves that add up (5 points)
#
# *You learn* to weigh two noisy estimates of one number by their variances. About 25 minutes, medium.
#
# An adaptive grid counted a cell with $\alpha\varepsilon$: its noisy count is `v`, a number. Then it cut the cell into
# leaves, and counted each with $(1-\alpha)\varepsilon$. The noisy counts `u` are a two-dimensional array, whose rows and
# columns may differ in number. (A cell that is 3 bins high has at most 3 rows of leaves.)
#
# Write `adjust_leaves(v, u, alpha)`: the array of the same shape that is the least-squares estimate of the leaves' counts,
# weighted by the variances. Its sum is then the best estimate of the cell's count. Nothing is rounded or cut.


# %%
def adjust_leaves(v, u, alpha):
    ### BEGIN SOLUTION
    # The sum of the leaves has u.size times the variance of one leaf: the precisions weigh the two estimates.
    own, theirs = alpha**2 * u.size, (1 - alpha) ** 2
    best = (own * v + theirs * u.sum()) / (own + theirs)
    return u + (best - u.sum()) / u.size
    ### END SOLUTION


# %% points=5
# The check
counted_leaves = UNIT * np.array([[3.0, -1], [0, 2.5], [1, 7]])


def shifted(shift):
    """The leaves, each moved by as much."""
    return [counted_leaves + UNIT * shift]


check(
    adjust_leaves,
    answers(
        [(9.5 * UNIT, counted_leaves, 0.3)],
        shifted(-0.26214),
        slips={
            "the whole gap goes to *each* leaf, as the book prints it: then they do not add up": shifted(-1.57282),
            "the weights are swapped: which of the two was counted with alpha epsilon?": shifted(-0.48507),
            "these are 3 x 2 leaves, not 3 x 3: count those that there are": shifted(-0.31154),
            "weigh by the inverse *variances*; yours are inverse standard deviations": shifted(-0.25609),
            "the sum of the leaves is noisier than one leaf: how many noises are in it?": shifted(-0.07759),
            "the leaves add up to the cell's own count: they know something about it, too": shifted(-0.5),
            "every leaf has the same count: what they say about their differences is lost": [
                np.full((3, 2), 1.82120 * UNIT)
            ],
            "nothing is cut at 0 here: then they do not add up": np.maximum(shifted(-0.26214), 0),
            "the leaves are unchanged": shifted(0),
        },
        tolerance=1e-3,
    ),
    answers([(8.0, np.array([[5.0]]), 0.5)], [[[6.5]]]),
)


### BEGIN HIDDEN TESTS
def least_squares(v, u, alpha):
    """Where the sum of squares, each over its variance, does not change with any leaf."""
    pull = (alpha / (1 - alpha)) ** 2
    best = (u.sum() + u.size * pull * v) / (1 + u.size * pull)
    return u + pull * (v - best)


for shape in ((1, 1), (1, 7), (5, 4), (3, 11), (1, 100), (12, 10)):
    for noise in (1.0, 0.05, 300.0):  # of counts with an epsilon from 20 down to 0.01
        here = fresh.normal(noise * fresh.uniform(-1, 9), noise, shape)
        cases = [
            (fresh.normal(here.sum(), 3 * noise), here, alpha) for alpha in fresh.uniform([0.02, 0.4], [0.4, 0.98])
        ]
        cases += [(0.0, here * (fresh.random(shape) < 0.3), 0.5)]
        close = 1e-6 * max(1.0, noise)  # 120 leaves add up to 300,000: rounding is seen there
        check(adjust_leaves, answers(cases, [least_squares(*case) for case in cases], tolerance=close))
### END HIDDEN TESTS


# %% tags=["wrong"]
def adjust_leaves(v, u, alpha):
    def best(own=alpha**2 * u.size, theirs=(1 - alpha) ** 2):
        """The estimate of the cell's count with these weights."""
        return (own * v + theirs * u.sum()) / (own + theirs)

    # WRONG the printed update | the whole gap goes to *each* leaf
    return u + (best() - u.sum())

    # WRONG the weights swapped | the weights are swapped
    return u + (best((1 - alpha) ** 2 * u.size, alpha**2) - u.sum()) / u.size

    # WRONG as many leaves as a square has | these are 3 x 2 leaves
    return u + (best(alpha**2 * max(u.shape) ** 2) - u.sum()) / u.size

    # WRONG weights by standard deviations | yours are inverse standard deviations
    return u + (best(alpha * u.size**0.5, 1 - alpha) - u.sum()) / u.size

    # WRONG the number of leaves forgotten in the weights | the sum of the leaves is noisier than one leaf
    return u + (best(alpha**2) - u.sum()) / u.size

    # WRONG the cell's count believed | the leaves add up to the cell's own count
    return u + (v - u.sum()) / u.size

    # WRONG the cell spread evenly | every leaf has the same count
    return np.full(u.shape, best() / u.size)

    # WRONG cut at zero | nothing is cut at 0 here
    return np.clip(u + (best() - u.sum()) / u.size, 0, None)


# %% [markdown]
# ## 3. Merge, but not too far (4 points)
#
# *You learn* to find the best partition of all by dynamic programming. About 40 minutes, medium to hard.
#
# A flat histogram was released with noise of scale $1/\varepsilon$. Its reader merges neighbouring bins into blocks, and
# each bin of a block gets the block's mean. She wants the smallest *estimated* error: the sum of squared differences
# between noisy and merged counts, plus $2V_u$ for each block. (Up to a constant that is unbiased, for a partition fixed
# beforehand.) She allows no block of more than `longest` bins.
#
# Write `merge(noisy, epsilon, longest)`: the merged counts, one for each bin, of the best partition of all (there are no
# ties). There are at most 60 bins.


# %%
def merge(noisy, epsilon, longest):
    ### BEGIN SOLUTION
    best = [(0.0, [])]  # the least cost of the first bins, and their merged counts
    for end in range(1, len(noisy) + 1):
        offers = []
        for start in range(max(0, end - longest), end):
            block = noisy[start:end]
            cost = best[start][0] + ((block - block.mean()) ** 2).sum() + 4 / epsilon**2
            offers.append((cost, best[start][1] + [block.mean()] * len(block)))
        best.append(min(offers, key=lambda offer: offer[0]))
    return np.array(best[-1][1])
    ### END SOLUTION


# %% points=4
# The check
merges = [  # (noisy, epsilon, longest)
    (np.array([20.1, 18.6, 14.4, 23.3, 23.5, 18.0, -5.8, 16.0, 0.9, 22.1, 23.7, 31.4]), 0.4, 4),
    (np.array([4.0, 4.9, 6.7, 17.6, 26.5, 23.6, 28.7, 14.8, 24.8, 30.4, 21.8, 31.3]), 0.25, 12),
    (np.array([26.3, 22.2, 26.0, 25.9, 25.4, 25.7, 9.6, 8.7, 8.2, 0.3, -0.1, 0.6]), 1.6, 12),
]
best_edges = [[0, 3, 6, 7, 8, 9, 11, 12], [0, 3, 12], [0, 1, 2, 6, 9, 12]]


def in_blocks(all_edges, of=np.mean):
    """The merged counts of each call, for these edges of blocks."""
    return [
        np.repeat([of(block) for block in np.split(noisy, edges[1:-1])], np.diff(edges))
        for (noisy, _, _), edges in zip(merges, all_edges, strict=True)
    ]


fine = [[0, 2, 3, 5, 6, 7, 8, 9, 11, 12], [0, 3, 4, 7, 8, 12], [0, 1, 2, 6, 7, 9, 12]]
check(
    merge,
    answers(
        merges,
        in_blocks(best_edges),
        slips={
            "squared error alone merges nothing: a block must cost something": [noisy for noisy, _, _ in merges],
            "a block costs 2 V_u, and V_u is 2/epsilon^2: you charge half of it": in_blocks(fine),
            "a block costs 2 V_u: you charge 2, whatever epsilon is": in_blocks(
                [fine[0], [0, *range(2, 13)], best_edges[2]]
            ),
            "a block costs 2 V_u, 4/epsilon^2: yours goes with 1/epsilon": in_blocks(
                [fine[0], [0, 3, 4, 7, 8, 10, 11, 12], best_edges[2]]
            ),
            "no block may have more than `longest` bins": in_blocks(
                [[0, 6, 7, 8, 9, 11, 12], best_edges[1], best_edges[2]]
            ),
            "pair by pair is not best of all: look at all partitions (what is best up to each bin?)": in_blocks(
                [best_edges[0], [0, 3, 7, 8, 12], best_edges[2]]
            ),
            "a bin gets the block's mean, not its sum": in_blocks(best_edges, np.sum),
        },
        variant=VARIANT,
    ),
)


### BEGIN HIDDEN TESTS
def least_cost(noisy, penalty, longest):
    """The merged counts with the least squared error + penalty a block: where each block begins, from the right."""
    bins = len(noisy)
    sums, squares = np.cumsum([0, *noisy]), np.cumsum([0, *noisy**2])
    cost, begins = np.full(bins + 1, np.inf), np.zeros(bins + 1, int)
    cost[0] = 0
    for end in range(1, bins + 1):
        a = np.arange(max(0, end - longest), end)
        tries = cost[a] + squares[end] - squares[a] - (sums[end] - sums[a]) ** 2 / (end - a) + penalty
        cost[end], begins[end] = tries.min(), a[tries.argmin()]
    merged, end = np.empty(bins), bins
    while end:
        merged[begins[end] : end] = noisy[begins[end] : end].mean()
        end = begins[end]
    return merged


for bins in (1, 2, 23, 60):
    cases = []
    for promise in fresh.permutation([0.01, 0.1, 0.5, 2.0, 6.0, 20.0]) * fresh.uniform(0.75, 1.0, 6):
        steps = np.repeat(fresh.exponential(9 / promise, bins), fresh.integers(1, 9, bins))[:bins]
        longest = int(fresh.choice([1, 3, 7, bins, bins + 9, 60]))
        cases.append((steps + fresh.laplace(scale=1 / promise, size=bins), promise, longest))
    check(merge, answers(cases, [least_cost(x, 4 / e**2, longest) for x, e, longest in cases]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def merge(noisy, epsilon, longest):
    def best_of_all(charge, of=np.mean):
        """What each bin gets in the partition of least squared error and `charge` a block."""
        best = [(0.0, [])]
        for end in range(1, len(noisy) + 1):
            tried = []
            for start in range(max(0, end - longest), end):
                block, (cost, merged) = noisy[start:end], best[start]
                tried.append((cost + block.var() * len(block) + charge, merged + [of(block)] * len(block)))
            best.append(min(tried, key=lambda one: one[0]))
        return np.array(best[-1][1])

    # WRONG squared error only | squared error alone merges nothing
    return noisy

    # WRONG one variance a block | you charge half of it
    return best_of_all(2 / epsilon**2)

    # WRONG two a block | you charge 2, whatever epsilon is
    return best_of_all(2)

    # WRONG the penalty by epsilon and not by its square | yours goes with 1/epsilon
    return best_of_all(4 / epsilon)

    # WRONG the limit forgotten | no block may have more than
    from dpbook.partitions import best_blocks, spread

    edges = best_blocks(noisy, 4 / epsilon**2)
    return spread((edges, np.add.reduceat(noisy, edges[:-1])))

    # WRONG pair by pair | pair by pair is not best of all
    blocks = [[x] for x in noisy]

    def gain(i):
        both = blocks[i] + blocks[i + 1]
        if len(both) > longest:
            return -1
        return 4 / epsilon**2 + sum(np.var(b) * len(b) for b in blocks[i : i + 2]) - np.var(both) * len(both)

    while len(blocks) > 1 and max(map(gain, range(len(blocks) - 1))) > 0:
        i = max(range(len(blocks) - 1), key=gain)
        blocks[i : i + 2] = [blocks[i] + blocks[i + 1]]
    return np.concatenate([np.full(len(block), np.mean(block)) for block in blocks])

    # WRONG the sum of a block in each bin | not its sum
    return best_of_all(4 / epsilon**2, np.sum)


# %% [markdown]
# ## 4. What did these cuts give away? (3 points)
#
# *You learn* to compute the exact loss of what a tree shows. About 30 minutes, medium to hard.
#
# A tree over a histogram was grown by private medians. A block of the bins `left` ... `right` - 1 is cut before the bin
# `place`, left < place < right. The place is drawn by the exponential mechanism with `epsilon` for *each* cut. Its quality
# is $-|\text{records to the left of the cut}-\tfrac12\,\text{records of the block}|$, whose sensitivity is $\tfrac12$.
#
# Write `cuts_loss(counts, more, cuts, epsilon)`: the exact loss of this list of cuts, $|\ln(P/P')|$. Here $P$ and $P'$ are
# the probabilities that exactly these cuts are drawn from `counts` and from its neighbour `more`. `cuts` has a row (left,
# right, place) for each cut.


# %%
def cuts_loss(counts, more, cuts, epsilon):
    ### BEGIN SOLUTION
    def log_chance(histogram):
        total = 0.0
        for first, end, middle in cuts:
            before = np.cumsum(histogram[first:end])[:-1]
            quality = -np.abs(before - histogram[first:end].sum() / 2)
            total += log_selection_probabilities(quality, 0.5, epsilon)[middle - first - 1]
        return total

    return abs(log_chance(counts) - log_chance(more))
    ### END SOLUTION


# %% points=3
# The check
grown = np.array([2, 0, 5, 1, 7, 3, 0, 4])
tree = np.array([[0, 8, 4], [0, 4, 2], [4, 8, 6], [4, 6, 5], [6, 8, 7]])
crooked = np.array([[0, 8, 5], [0, 5, 1], [1, 5, 4], [5, 8, 6]])


def with_one(counts, place):
    return counts + (np.arange(len(counts)) == place)


asked = [
    (grown, with_one(grown, 5), tree, 1.0),
    (grown, with_one(grown, 2), tree, 2.0),
    (with_one(grown, 3), grown, crooked, 1.5),
    (np.zeros(8, int), with_one(np.zeros(8, int), 0), tree, 0.7),
    (grown * 400, with_one(grown * 400, 4), crooked, 1.0),
]
check(
    cuts_loss,
    answers(
        asked,
        [0.304284, 0.097071, 1.070505, 0.0, 0.620115],
        slips={
            "what each cut lost, without its sign: these can cancel, and here the exact loss is asked": [
                *(0.304284, 0.097071, 1.376306, 0.0, 0.620115)
            ],
            "the sensitivity is 1/2: yours is 1, and the cuts less steep than they were": [
                *(0.141771, 0.15739, 0.243427, 0.0, 0.28093)
            ],
            "a log ratio of probabilities has a sign, and the loss is its size": [
                *(0.304284, -0.097071, -1.070505, 0.0, 0.620115)
            ],
            "you looked at the first cut only": [0.304284, 0.097071, 1.223405, 0.0, 0.0],
            "you looked at the worst cut only: all of them are released": [0.304284, 0.097071, 1.223405, 0.0, 0.620115],
            "that is what was guaranteed for all the cuts, and not what these lost": [5.0, 10.0, 6.0, 3.5, 4.0],
            "epsilon is for *each* cut: it is not shared by them": [0.042869, 0.152536, 0.008985, 0.0, 0.132792],
        },
        tolerance=1e-5,
        variant=VARIANT,
    ),
)


### BEGIN HIDDEN TESTS
def each_loss(counts, more, cuts, slope):
    """ln of the ratio of the chances of each cut, for weights exp(slope x quality)."""
    found = []
    for left, right, place in cuts:
        logs = []
        for histogram in (counts, more):
            block = histogram[left:right]
            exponents = -slope * np.abs(np.cumsum(block)[:-1] - block.sum() / 2)
            logs.append(exponents[place - left - 1] - np.logaddexp.reduce(exponents))
        found.append(logs[0] - logs[1])
    return np.array(found)


def any_tree(bins, cuts):
    """So many cuts, each of a block that is there, at any place."""
    blocks, rows = [(0, bins)], []
    for _ in range(cuts):
        left, right = blocks.pop(int(fresh.choice([i for i, (a, b) in enumerate(blocks) if b - a > 1])))
        place = int(fresh.integers(left + 1, right))
        blocks += [(left, place), (place, right)]
        rows.append((left, right, place))
    return np.array(rows)


more_asked = []
for bins, cuts, most in ((2, 1, 1), (3, 2, 4), (8, 4, 30), (8, 7, 3), (50, 12, 9), (400, 30, 200), (3000, 40, 9)):
    for promise in fresh.permutation([0.01, 0.2, 1.0, 20.0])[:3] * fresh.uniform(0.75, 1.0, 3):
        here = fresh.integers(0, most + 1, bins)
        pair = [here, with_one(here, fresh.integers(bins))]
        more_asked.append((*fresh.permutation(pair), any_tree(bins, cuts), promise))
more_asked.append((np.zeros(6, int), with_one(np.zeros(6, int), 5), any_tree(6, 3), 20.0))
check(cuts_loss, answers(more_asked, [abs(each_loss(c, m, cuts, e).sum()) for c, m, cuts, e in more_asked]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def cuts_loss(counts, more, cuts, epsilon):
    def ratios(sensitivity=0.5, promise=epsilon):
        """The log ratio of the chances of each cut."""
        found = []
        for left, right, place in cuts:
            logs = []
            for h in (counts, more):
                quality = -np.abs(np.cumsum(h[left:right])[:-1] - h[left:right].sum() / 2)
                logs.append(log_selection_probabilities(quality, sensitivity, promise)[place - left - 1])
            found.append(logs[0] - logs[1])
        return np.array(found)

    # WRONG absolute values summed | without its sign: these can cancel
    return np.abs(ratios()).sum()

    # WRONG sensitivity 1 | the sensitivity is 1/2
    return abs(ratios(sensitivity=1).sum())

    # WRONG the sign left on | the loss is its size
    return ratios().sum()

    # WRONG the first cut only | you looked at the first cut only
    return abs(ratios()[0])

    # WRONG siblings added up | that is what was guaranteed for all the cuts
    return epsilon * len(cuts)

    # WRONG the budget shared once more | it is not shared by them
    return abs(ratios(promise=epsilon / len(cuts)).sum())


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* which noise of an algorithm may not be left out. About 25 minutes, medium to hard.
#
# A colleague has two improvements. (1) "I compute a uniform and an adaptive grid, each with $\varepsilon$-DP, and release
# the one that is closer to the true map." (2) "DAWA puts noise on the cost of every block of bins before it takes the
# cheapest partition. A single bin has no deviation from its own mean, so its cost is public: I leave its noise out." Say
# for each whether the guarantee still holds and why, and what to do instead. Three to six sentences.

# %% [markdown] name="explain_two_improvements" points=3
# ### BEGIN SOLUTION
# (1) Which of the grids is closer is computed from the true map. The choice is a further release, and no post-processing.
# So the guarantee for the two grids and the choice together is weaker than $\varepsilon$ (even two grids alone would need
# $2\varepsilon$). Decide beforehand, or by what was released already, or pay for the choice. (2) The cost of a single bin
# is public indeed, but its noise was there to hide the *comparison*. If all bins stay alone, no block of that partition has
# noise of its own. So every larger block must have lost by its own noise. One record makes all of those that hold it
# likelier to lose, and their privacy losses add up. They are 2.6 epsilon for four bins, and about n epsilon for n. Put the
# noise back on every block with the scale of the proof, or draw the whole partition in one choice.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each. For (a): the choice in (1) uses the data, so it is not post-processing. (Accept: both grids were computed,
# so at least 2 epsilon, and the choice comes on top.) For (b): in (2) a block without noise forces all its rivals to lose
# at once, each by its own noise, so losses add up. (Accept the number 2.6 at four bins with the event named, or a neighbour
# worked out by hand.) "The cost of a single bin is public" alone earns nothing. For (c): a repair for either that works: a
# rule fixed beforehand or chosen privately; noise on every block, or one draw. No point for a bare yes or no.
# ### END MARK SCHEME
