"""Trees over a map: the quadtree, whose cuts cost nothing, and k-d trees, whose cuts look at the data and are paid for.

A cut is drawn by the exponential mechanism with quality -|records on one side - half of the box|, sensitivity 1/2.
Boxes of one level share no record: a level is paid for once, a path as often as it has private cuts. Neighbours add or
remove one record (replace: twice).
Source: 004 section 4.3.4.  Notebook: 09_partitions.
"""

import numpy as np

from dpbook import arguments
from dpbook.exponential import exponential_mechanism
from dpbook.histograms import geometric_shares, hierarchical_histogram
from dpbook.laplace import laplace_mechanism
from dpbook.partitions.grids import Cells, boundaries, corner_sums, sums_in, uniform_grid, whole_grid

MOST_DEPTH = 16
MOST_SIDE = 64  # cells a side of the grid that `kd_cell` searches


def quadtree(counts, depth, epsilon, rng, *, shares=None):
    """Release a map with epsilon-DP (add/remove one record) by a tree of squares, each cut into four: an array.

    Levels 1 ... depth of 4**i squares are counted; the whole map is not. Inference makes them agree, and the smallest
    squares are spread over their bins. `shares` of the budget go from the smallest squares up. By default they grow by
    cbrt(2) a level towards the smallest: the border of a rectangle cuts about 2**i squares of level i. In Z-order it is
    a 4-ary tree.
    Raises ValueError for a map that is not square with a power of two a side, a depth outside 1..log2(side), bad
    shares, epsilon or rng.
    Source: 004 section 4.3.4 (Cormode et al. 2012); 4.2.4 reports cbrt(b), in one dimension.  Notebook: 09_partitions.
    """
    counts = whole_grid("counts", counts)
    side = len(counts)
    if counts.shape != (side, side) or side < 2 or side & (side - 1):
        arguments.refuse("counts", f"shape {counts.shape}", "a square with a power of two a side (pad with empty bins)")
    depth = arguments.whole("depth", depth, 1, side.bit_length() - 1)
    width = side >> depth
    squares = counts.reshape(side // width, width, side // width, width).sum(axis=(1, 3))
    shares = geometric_shares(depth, 2) if shares is None else shares
    order = _z_order(depth)
    released = np.empty(squares.size)
    released[order] = hierarchical_histogram(squares.ravel()[order], 4, epsilon, rng, shares=shares)
    return (released.reshape(squares.shape) / width**2).repeat(width, axis=0).repeat(width, axis=1)


def _z_order(depth):
    """The places of 4**depth squares, row by row, such that each four of one parent follow one another."""
    axes = [axis for level in range(depth) for axis in (level, depth + level)]
    return np.arange(4**depth).reshape([2] * (2 * depth)).transpose(axes).ravel()


def tree_inference(counts, parents, variances):
    """Least-squares counts of any tree from noisy ones: every parent becomes the sum of its children. Post-processing.

    `counts` has a number a node, `parents` the place of each node's parent (-1 for a root), level by level from the
    roots; `variances` those of the noise, inf for a node that was not published (its count is not looked at). Returns
    a number a node. Equals `histograms.constrained_inference` on its trees.
    Raises ValueError for lengths that differ, a parent not before its child, a variance not above 0, or a leaf that was
    not published.
    Source: 004 section 4.2.3 (Hay et al. 2010), for any variances.  Notebook: 09_partitions.
    """
    counts, parents, variances = _checked_tree(counts, parents, variances)
    best, spread = counts.copy(), variances.copy()
    total, doubt = np.zeros(counts.size), np.zeros(counts.size)
    levels = _levels(parents)
    for level in reversed(levels):
        inner = level[doubt[level] > 0]
        known = inner[np.isfinite(variances[inner])]
        best[inner], spread[inner] = total[inner], doubt[inner]
        trust = doubt[known] / (doubt[known] + variances[known])
        best[known] = trust * counts[known] + (1 - trust) * total[known]
        spread[known] = trust * variances[known]
        if parents[level[0]] >= 0:
            np.add.at(total, parents[level], best[level])
            np.add.at(doubt, parents[level], spread[level])
    for level in levels[1:]:
        above = parents[level]
        best[level] += spread[level] * (best[above] - total[above]) / doubt[above]
    return best


def _checked_tree(counts, parents, variances):
    variances = arguments.array("variances", variances, finite=False)
    parents = arguments.integers("parents", parents).astype(np.intp)
    counts = arguments.entries("counts", counts)
    if counts.shape == variances.shape:
        counts = np.where(np.isinf(variances), 0.0, counts)
    counts = arguments.vector("counts", counts)
    if parents.shape != counts.shape or variances.shape != counts.shape:
        arguments.refuse("parents", parents.shape, f"as long as counts, {counts.size}")
    if np.any(parents >= np.arange(parents.size)) or parents.min() < -1:
        arguments.refuse("parents", parents, "places before the child, or -1 for a root")
    is_leaf = np.bincount(parents[parents >= 0], minlength=counts.size) == 0
    if np.any(variances <= 0) or np.any(np.isinf(variances[is_leaf])):
        arguments.refuse("variances", variances, "numbers above 0; inf only for nodes with children")
    return counts, parents, variances


def _levels(parents):
    """The nodes of each level, roots first."""
    levels = [np.flatnonzero(parents < 0)]
    while levels[-1].size:
        levels.append(np.flatnonzero(np.isin(parents, levels[-1])))
    return levels[:-1]


def cut_quality(corners, box, axis):
    """-|records above (left of) the cut - half of the box| for each place where a box can be cut along an axis.

    `corners` are the map's prefix sums (`grids.corner_sums`), axis 0 cuts between rows. One record in the box moves
    each number by 1/2, one outside moves none. Not private.  Source: 004 section 4.3.4.
    """
    top, bottom, left, right = box
    if axis == 0:
        edge = corners[top : bottom + 1, right] - corners[top : bottom + 1, left]
    else:
        edge = corners[bottom, left : right + 1] - corners[top, left : right + 1]
    return -np.abs(edge[1:-1] - (edge[0] + edge[-1]) / 2)


def _halves(box, axis, place):
    """The two boxes left of a cut after `place` + 1 rows (columns)."""
    top, bottom, left, right = box
    middle = (top if axis == 0 else left) + int(place) + 1
    if axis == 0:
        return (top, middle, left, right), (middle, bottom, left, right)
    return (top, bottom, left, middle), (top, bottom, middle, right)


def _alternating(box, level, corners, epsilon, rng):
    """Cut along the level's axis, or the other one where that has one bin: in the middle, or (epsilon) at a median."""
    sizes = box[1] - box[0], box[3] - box[2]
    axis = level % 2 if sizes[level % 2] > 1 else 1 - level % 2
    if epsilon is None:
        return _halves(box, axis, sizes[axis] // 2 - 1)
    return _halves(box, axis, exponential_mechanism(cut_quality(corners, box, axis), 0.5, epsilon, rng))


def _balanced(box, level, corners, epsilon, rng):
    """Cut where the exponential mechanism says, among the cuts along both axes."""
    qualities = [cut_quality(corners, box, axis) for axis in (0, 1)]
    place = exponential_mechanism(np.concatenate(qualities), 0.5, epsilon, rng)
    axis = int(place >= qualities[0].size)
    return _halves(box, axis, place - axis * qualities[0].size)


def _grown(shape, depth, cut):
    """All boxes of a tree, level by level, and their parents; `cut(box, level)` gives two boxes."""
    boxes, parents, level = [(0, shape[0], 0, shape[1])], [-1], [0]
    for number in range(depth):
        level = [node for node in level if (boxes[node][1] - boxes[node][0]) * (boxes[node][3] - boxes[node][2]) > 1]
        first = len(boxes)
        for node in level:
            boxes += cut(boxes[node], number)
            parents += [node, node]
        level = range(first, len(boxes))
    return np.array(boxes), np.array(parents)


def _counted(counts, boxes, parents, epsilon, rng):
    """Noisy counts of all boxes but the first, after inference: the leaves. Shares grow by 2**(1/6) a level."""
    levels = _levels(parents)
    growth = 2 ** (np.arange(len(levels)) / 6)
    shares = np.repeat(growth / growth[1:].sum(), [level.size for level in levels])
    noisy, truth = np.zeros(len(boxes)), sums_in(corner_sums(counts), boxes)
    variances = 2 / (shares * epsilon) ** 2
    variances[0] = np.inf
    for level in levels[1:]:
        noisy[level] = laplace_mechanism(truth[level], 1, shares[level[0]] * epsilon, rng)  # spends the level's share
    is_leaf = np.bincount(parents[1:], minlength=parents.size) == 0
    return Cells(boxes[is_leaf], tree_inference(noisy, parents, variances)[is_leaf])


def kd_tree(counts, depth, halved, split_share, epsilon, rng):
    """Release a map with epsilon-DP (add/remove one record) by a k-d tree: boxes cut at private medians. `Cells`.

    Cuts alternate between rows and columns. The first `halved` levels are cut in the middle, for nothing. With 0 this
    is the standard tree, with more the hybrid; with `depth` no cut is private, and all of epsilon is for counts. The
    cuts on the other levels spend split_share epsilon / (depth - halved) each. All levels below the root are counted
    with the rest, in shares that grow by the sixth root of 2, and inference makes them agree.
    Raises ValueError for counts that are not a grid of whole numbers, a map of one bin, or a depth outside 1..16. Also
    raises it for halved outside 0..depth, a split_share outside (0, 1), bad epsilon or rng.
    Source: 004 section 4.3.4 (Cormode et al. 2012, whose split_share is 0.3).  Notebook: 09_partitions.
    """
    counts, depth, split_share, epsilon = _checked_cuts(counts, depth, split_share, epsilon, rng)
    halved = arguments.whole("halved", halved, 0, depth)
    corners, private = corner_sums(counts), depth - halved
    each = split_share * epsilon / private if private else None

    def cut(box, level):
        return _alternating(box, level, corners, each if level >= halved else None, rng)

    boxes, parents = _grown(counts.shape, depth, cut)  # spends split_share epsilon on each path
    return _counted(counts, boxes, parents, (1 - split_share) * epsilon if private else epsilon, rng)


def balanced_tree(counts, depth, split_share, epsilon, rng):
    """Release a map with epsilon-DP (add/remove one record) by a tree of cuts along either axis. `Cells`.

    As `kd_tree` with halved = 0, but each cut is one choice among those along both axes.
    Arguments and errors as there.  Source: 004 section 4.3.4 (Qardaji, Li 2012).  Notebook: 09_partitions.
    """
    counts, depth, split_share, epsilon = _checked_cuts(counts, depth, split_share, epsilon, rng)
    corners, each = corner_sums(counts), split_share * epsilon / depth
    boxes, parents = _grown(counts.shape, depth, lambda box, level: _balanced(box, level, corners, each, rng))
    return _counted(counts, boxes, parents, (1 - split_share) * epsilon, rng)


def _checked_cuts(counts, depth, split_share, epsilon, rng):
    counts = whole_grid("counts", counts)
    arguments.whole("number of bins", counts.size, 2)
    arguments.generator("rng", rng)
    depth = arguments.whole("depth", depth, 1, MOST_DEPTH)
    return counts, depth, arguments.probability("split_share", split_share), arguments.positive("epsilon", epsilon)


def kd_cell(counts, side, slack, epsilon, rng):
    """Release a map with epsilon-DP (add/remove one record) by a tree cut where a NOISY grid looks even. `Cells`.

    Half of epsilon counts side x side cells; all cuts look only at these. A box of s cells stays whole once
    sum |y - mean| - s/h <= slack sqrt(s)/h, with h = epsilon/2. That is what noise alone would do; the rule is ours.
    Any other box is cut where the sum of both parts is lowest. The other half counts the boxes afresh; both counts are
    averaged by variance.
    Raises ValueError for counts that are not a grid of whole numbers, or a side outside 1..64 or above rows or columns.
    Also raises it for a slack below 0, bad epsilon or rng.
    Source: 004 section 4.3.4 (Xiao et al. 2010: DPCube).  Notebook: 09_partitions.
    """
    counts = whole_grid("counts", counts)
    side = arguments.whole("side", side, 1, min(MOST_SIDE, *counts.shape))
    arguments.nonnegative("slack", slack)
    half = arguments.positive("epsilon", epsilon) / 2
    noisy = uniform_grid(counts, side, half, rng).counts.reshape(side, side)  # spends half of epsilon
    cells = np.array(_even_boxes(noisy, slack, 1 / half))
    rows, columns = (boundaries(size, side) for size in counts.shape)
    boxes = np.column_stack([rows[cells[:, :2]], columns[cells[:, 2:]]])
    fresh = laplace_mechanism(sums_in(corner_sums(counts), boxes), 1, half, rng)  # spends the other half
    many = (cells[:, 1] - cells[:, 0]) * (cells[:, 3] - cells[:, 2])
    summed = sums_in(corner_sums(noisy), cells)
    return Cells(boxes, (summed / many + fresh) / (1 / many + 1))


def _even_boxes(noisy, slack, scale):
    """The boxes of cells that are left when every uneven one has been cut."""
    done, open_boxes = [], [(0, len(noisy), 0, len(noisy))]
    while open_boxes:
        box = open_boxes.pop()
        part = noisy[box[0] : box[1], box[2] : box[3]]
        if np.abs(part - part.mean()).sum() - part.size * scale <= slack * np.sqrt(part.size) * scale or part.size == 1:
            done.append(box)
            continue
        offers = [_unevenness(part), _unevenness(part.T)]
        axis = int(offers[1].min(initial=np.inf) < offers[0].min(initial=np.inf))
        open_boxes += _halves(box, axis, offers[axis].argmin())
    return done


def _unevenness(part):
    """sum |y - mean| of both parts, for each place where these rows can be cut in two."""
    rows, width = part.shape
    above = np.arange(rows) < np.arange(1, rows)[:, None]
    sums, size = part.sum(axis=1).cumsum(), np.arange(1, rows)
    means = sums[:-1] / (size * width), (sums[-1] - sums[:-1]) / ((rows - size) * width)
    level = np.where(above, means[0][:, None], means[1][:, None])
    return np.abs(part - level[:, :, None]).sum(axis=(1, 2))
