"""The claims of chapter 09: blocks, cells and waves; two programs as shipped, and a grid whose side is the data's.

Where cells are chosen and then counted, a run loses what its choices lose and what its counts lose. On these small
datasets the choices rarely lose all that they may. `loses` is what it comes to, from the laws where there are some.
"""

import itertools

import numpy as np

from dpbook import partitions
from dpbook.claims.trial import Trial
from dpbook.claims.verdicts import BY_COUPLING, BY_LAW, BY_STEPS, Claim, called
from dpbook.laplace import laplace_probability
from dpbook.neighbours import ADD_REMOVE, count_pairs
from dpbook.partitions import dyadic

CHAPTER = "09"
COUNTS = np.array([3.0, 0, 1, 4, 1, 5, 9, 2, 6, 5])
SHORT = np.array([9.0, 9, 0, 0, 1])
EIGHT = np.array([0.0, 0, 7, 7, 7, 0, 0, 1])
MAP = np.array([[3.0, 0, 1, 4], [1, 5, 9, 2], [6, 5, 3, 5], [8, 9, 7, 9]])
SMALL = np.array([[5.0, 0, 1], [0, 9, 2]])


def claims():
    """The rows of chapter 09."""
    return [*block_claims(), *shipped_claims(), *cell_claims()]


def row(mechanism, setting, run, pairs, method=BY_STEPS, **rest):
    """A row under add/remove, checked step by step where nothing else is said."""
    return Claim(mechanism, setting, ADD_REMOVE, method, run, pairs, **rest)


def block_claims():
    """One dimension, and waves."""
    first, structure, levels = partitions.noisy_first, partitions.structure_first, partitions.p_hpartition
    drawn, sound, dawa = partitions.sampled_partition, partitions.noisy_partition, partitions.dawa
    waves, few, four = partitions.enhanced_fourier, count_pairs(SHORT), count_pairs(SHORT[:4])
    edges = of_law(few, lambda counts: partitions.structure_law(counts, 3, 0.5))
    whole, part = (
        of_law(few, lambda counts, e=e, price=price: partitions.partition_law(counts, price, e))
        for e, price in ((1.0, 1.0), (0.25, 1 / 0.75))
    )
    return [
        row(first, "10 bins, penalty 2", called(first, 2), count_pairs(COUNTS)),
        row(structure, "5 bins, 3 blocks", called(structure, 3, 0.5), few, loses=edges + 0.5),
        row(levels, "4 bins, depth 2", called(levels, 0.5, 2), four, loses=0.592434303),
        row(drawn, "5 bins", called(drawn, 1.0), few, loses=whole),
        row(sound, "8 bins, as its proof moves the noise", called(sound, 1.0), count_pairs(EIGHT), BY_COUPLING,
            coupling=moved_noise),
        row(dawa, "5 bins, one draw", called(dawa, 0.25, 2), few, loses=part + 0.75),
        row(waves, "5 bins", called(waves, 0.5), few, loses=0.624621578),
    ]  # fmt: skip


def of_law(pairs, law):
    """The worst |ln| of a ratio of probabilities in a dict of them."""
    laws = [(law(counts), law(more)) for counts, more in pairs]
    return max(abs(float(np.log(here[key] / there[key]))) for here, there in laws for key in here)


def moved_noise(counts, more):
    """How the proof of `noisy_partition` moves its noise: only that of the chosen block which holds the record.

    It goes down by what its cost moved and by the most that a rival's may move, so that no rival passes it.
    """
    edges = partitions.noisy_partition(counts, 1.0, 1.0, np.random.Generator(np.random.PCG64(1)))
    place = int(np.argmax(more != counts))
    left, right = next((a, b) for a, b in itertools.pairwise(edges) if a <= place < b)
    lengths, before = dyadic.windows(counts)
    moves, power = [np.zeros(vector.size) for vector in before], int(right - left).bit_length() - 1
    risen = dyadic.windows(more).deviations[power][left] - before[power][left]
    moves[power][left] = -risen - partitions.block_sensitivity(lengths[-1])
    return np.concatenate(moves)


def shipped_claims():
    """What published programs claim, and a rule that looks at the data: each held against its law, noise and all."""
    shipped, angles, uniform = partitions.shipped_partition, partitions.magnitude_only_fourier, partitions.uniform_grid

    def exact_side(counts, epsilon, rng):
        return uniform(counts, partitions.grid_side(counts.sum(), 10, 1.0), epsilon, rng)

    alone = Trial(alone_law, lambda outputs: [int(len(edges) < 5) for edges in outputs], [np.array([0.0, 2, 0, 2])])
    return [
        row(shipped, "4 bins, as shipped", called(shipped, 0.75), [(np.zeros(4), np.array([0.0, 1, 0, 0]))], BY_LAW,
            law=alone_law, trial=alone, false=True),
        row(angles, "the angles kept", called(angles, 2), [WAVES], BY_LAW, law=angle_law,
            trial=Trial(angle_law, angle_place, list(WAVES)), false=True),
        row(uniform, "a side from the exact N", exact_side, [JUMP], BY_LAW, law=side_law,
            trial=Trial(side_law, side_place, list(JUMP)), false=True),
    ]  # fmt: skip


WAVES = np.array([5.0, 0, 2, 0]), np.array([5.0, 1, 2, 0])
JUMP = np.array([[7.0, 5], [5, 5]]), np.array([[8.0, 5], [5, 5]])  # 22 records: one cell; 23: two a side
CUTS = np.concatenate([[-np.inf], np.arange(-8.0, 36, 2), [np.inf]])


def alone_law(counts, epsilon):
    """Every bin stays alone, or not."""
    log = partitions.alone_log_probability(counts, 0.75, epsilon)
    return [log, np.log1p(-np.exp(log))]


def cells_of(value, scale, which):
    """ln of the chance that the noisy value lies in each cell of `CUTS`, in row `which` of two; the other is empty."""
    logs = np.full((2, CUTS.size - 1), -np.inf)
    with np.errstate(divide="ignore"):
        logs[which] = np.log(laplace_probability(CUTS[:-1], CUTS[1:], value, scale, 1.0))
    return logs.ravel()


def place_of(which, value):
    """Which event an output is: `which` of two kinds, and between which cuts its `value` lies."""
    return which * (CUTS.size - 1) + int(np.searchsorted(CUTS, value, side="right")) - 1


def angle_law(counts, epsilon):
    """Whether the first wave lies along an axis, and the noisy sum of all counts."""
    return cells_of(counts.sum(), np.sqrt(2) / epsilon, int(counts[1] > 0))


def angle_place(outputs):
    """The event of `angle_law`: whether the wave has turned, and where the total lies."""
    waves = [np.fft.rfft(output) for output in outputs]
    return [place_of(int(abs(np.sin(np.angle(one[1]))) > 1e-6), one[0].real) for one in waves]


def side_law(counts, epsilon):
    """One cell or four, and the noisy count of the first."""
    one = counts.sum() <= 22
    return cells_of(counts.sum() if one else counts[0, 0], 1 / epsilon, int(not one))


def side_place(outputs):
    """The event of `side_law`: one cell or several, and where the count of the first lies."""
    return [place_of(int(len(cells.counts) > 1), cells.counts[0]) for cells in outputs]


def cell_claims():
    """Two dimensions."""
    uniform, adaptive, quad = partitions.uniform_grid, partitions.adaptive_grid, partitions.quadtree
    tree, balanced, cells = partitions.kd_tree, partitions.balanced_tree, partitions.kd_cell
    private, boxes = partitions.privtree, partitions.privtree_boxes
    pairs, few = map_pairs(MAP), map_pairs(SMALL)
    return [
        row(uniform, "3 x 3 cells", called(uniform, 3), pairs),
        row(adaptive, "2 x 2 cells, then leaves", called(adaptive, 2, 0.5, 2.0), pairs),
        row(quad, "4 x 4 bins, depth 2", called(quad, 2), pairs),
        row(tree, "private medians, depth 2", called(tree, 2, 0, 0.3), few, loses=0.788893702),
        row(tree, "the first cut in the middle", called(tree, 2, 1, 0.3), few, loses=0.903665924),
        row(tree, "all cuts in the middle", called(tree, 3, 3, 0.3), pairs),
        row(balanced, "both axes, depth 2", called(balanced, 2, 0.3), few, loses=0.859424924),
        row(cells, "cut by a noisy grid", called(cells, 2, 1.0), pairs),
        row(private, "4 x 4 bins", called(private, 0.5, THETA), [FOUR], BY_LAW, law=counted_tree_law,
            trial=Trial(counted_tree_law, counted_tree_place, list(FOUR))),
        row(boxes, "4 x 4 bins", called(boxes, THETA), [FOUR], BY_LAW, law=tree_law,
            trial=Trial(tree_law, tree_place, list(FOUR))),
    ]  # fmt: skip


THETA = 2.0  # the threshold of PrivTree
FOUR = (
    np.array([[4.0, 1, 0, 0], [1, 2, 0, 1], [0, 0, 9, 3], [0, 2, 4, 6]]),
    np.array([[5.0, 1, 0, 0], [1, 2, 0, 1], [0, 0, 9, 3], [0, 2, 4, 6]]),
)
LEAF = np.array([-np.inf, 0, 3, 6, 9, 15, 25, 36, np.inf])


def tree_chances(counts, epsilon):
    """The probability of each tree of a 4 x 4 map: the root alone, or a set of quarters that are cut."""
    decay, chances = np.log(4) * 7 / 3 / epsilon, []
    quarters = [counts[i : i + 2, j : j + 2].sum() for i in (0, 2) for j in (0, 2)]
    lowered = np.maximum([counts.sum(), *(quarter - decay for quarter in quarters)], THETA - decay)
    root, *parts = laplace_probability(THETA, np.inf, lowered, 7 / 3, epsilon)
    for cut in itertools.product((0, 1), repeat=4):
        chances.append(root * np.prod([part if one else 1 - part for part, one in zip(parts, cut, strict=True)]))
    return np.array([1 - root, *chances])


def tree_law(counts, epsilon):
    """ln of the probability of each tree."""
    return np.log(tree_chances(counts, epsilon))


def tree_place(outputs):
    """The number of each tree, as `tree_chances` has them."""
    return [tree_number(boxes) for boxes in outputs]


def tree_number(boxes):
    """0 for the root alone; else 1 and a bit for each quarter that is cut, the first the highest."""
    corners = {tuple(box[[0, 2]]) for box in boxes if box[1] - box[0] == 1}
    cut = [int((i, j) in corners) for i in (0, 2) for j in (0, 2)]
    return 0 if len(boxes) == 1 else 1 + int("".join(map(str, cut)), 2)


def counted_tree_law(counts, epsilon):
    """The trees at half of epsilon, and where the noisy count of the leaf with the first bin lies."""
    logs = []
    for tree, log in enumerate(tree_law(counts, epsilon / 2)):
        inside = counts if tree == 0 else counts[:2, :2] if tree < 9 else counts[:1, :1]
        logs.append(log + np.log(laplace_probability(LEAF[:-1], LEAF[1:], inside.sum(), 1, epsilon / 2)))
    return np.concatenate(logs)


def counted_tree_place(outputs):
    """The event of `counted_tree_law`."""
    first = [cells.counts[(cells.boxes[:, [0, 2]] == 0).all(axis=1)][0] for cells in outputs]
    leaves = np.searchsorted(LEAF, first, side="right") - 1
    return [tree_number(cells.boxes) * (LEAF.size - 1) + int(at) for cells, at in zip(outputs, leaves, strict=True)]


def map_pairs(grid):
    """A map with each map that has one record more."""
    return [(grid, more.reshape(grid.shape)) for _, more in count_pairs(grid.ravel())]
