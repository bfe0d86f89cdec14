"""Two dimensions: maps of counts, released as cells. The uniform grid, the adaptive grid, and exact errors.

A map is a grid (rows, columns) of whole counts. A cell is a box of its bins, (top, bottom, left, right), half-open as a
slice; its count is spread evenly over them. The boundaries of m cells on n bins are at round(i n / m).
Neighbours add or remove one record (replace: twice). The number of records is not public: a rule that needs it must be
given a noisy one that was paid for.
Source: 004 sections 4.3.1 and 4.3.2.  Notebook: 09_partitions.
"""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.laplace import laplace_mechanism


class Cells(NamedTuple):
    """A map in cells: `boxes`, k rows (top, bottom, left, right) that tile it exactly once, and `counts`, k totals."""

    boxes: np.ndarray
    counts: np.ndarray


def whole_grid(name, values):
    """A map: a two-dimensional array of whole counts, none below 0, as floats. Raises ValueError for anything else."""
    expected = "a two-dimensional array of whole counts, none below 0"
    grid = arguments.array(name, values, expected)
    if grid.ndim != 2 or grid.size == 0 or grid.min() < 0 or np.any(grid != np.floor(grid)):
        arguments.refuse(name, f"an array of shape {grid.shape}", expected)
    return grid


def boundaries(bins, cells):
    """Where `cells` equal cells on `bins` bins begin and end: round(i bins / cells), cells + 1 whole numbers.

    Raises ValueError unless 1 <= cells <= bins.  Source: 004 section 4.3.1.
    """
    cells = arguments.whole("cells", cells, 1, arguments.whole("bins", bins, 1))
    return np.rint(np.arange(cells + 1) * bins / cells).astype(np.intp)


def corner_sums(grid):
    """The sum of all that lies above and to the left of each corner: (rows + 1) x (columns + 1) numbers."""
    sums = np.zeros((grid.shape[0] + 1, grid.shape[1] + 1))
    sums[1:, 1:] = grid
    return _running_sums(sums)


def _running_sums(grid):
    """Down the columns and along the rows, in place. Row upon row is four times as fast as numpy's sum of columns."""
    for above, row in pairwise(grid):
        row += above
    return np.cumsum(grid, axis=1, out=grid)


def sums_in(corners, boxes):
    """The sum in each box, from `corner_sums`."""
    top, bottom, left, right = boxes.T
    return corners[bottom, right] - corners[top, right] - corners[bottom, left] + corners[top, left]


def rectangle_error(estimate, counts):
    """The mean squared error over all rectangles that this estimate of a map makes, in the counts' units squared.

    Exact, in one pass. Let S be the prefix sums of the difference, centred along rows and columns. The error is
    (r + 1)(c + 1) sum S**2 / (all pairs of row ends x all pairs of column ends). Not private.
    Raises ValueError unless both are two-dimensional and of one shape.
    Source: our own, the square of the identity behind `squared_error` (chapter 08).  Notebook: 09_partitions.
    """
    estimate, counts = arguments.table("estimate", estimate), arguments.table("counts", counts)
    if estimate.shape != counts.shape:
        arguments.refuse("estimate", estimate.shape, f"of the shape of counts, {counts.shape}")
    sums = corner_sums(estimate - counts)
    sums -= sums.mean(axis=0)
    sums -= sums.mean(axis=1, keepdims=True)
    pairs = math.comb(sums.shape[0], 2) * math.comb(sums.shape[1], 2)
    return float(sums.size * np.sum(sums**2) / pairs)


def grid_noise_error(rows, columns, side):
    """The exact mean squared error over all rectangles that the noise of a side x side grid makes, in 2/epsilon**2.

    A rectangle holds a part of each cell it cuts, so the errors of rows and columns multiply. No data.
    Raises ValueError unless the side is at most the rows and the columns.
    Source: our own; 004 section 4.3.1 has r m**2 instead.  Notebook: 09_partitions.
    """
    most = min(arguments.whole("rows", rows, 1), arguments.whole("columns", columns, 1))
    side = arguments.whole("side", side, 1, most)
    return _line_noise(rows, side) * _line_noise(columns, side)


def _line_noise(bins, side):
    """The mean over all ranges of sum over cells of (share of the cell that the range holds)**2."""
    edges = boundaries(bins, side)
    held = np.minimum(np.maximum(np.arange(bins + 1)[:, None] - edges[:-1], 0), np.diff(edges)) / np.diff(edges)
    squares = np.sum((held - held.mean(axis=0)) ** 2)
    return float((bins + 1) * squares) / math.comb(bins + 1, 2)


def fill(cells, shape):
    """The map of this shape that the cells stand for, each count spread evenly over its bins. Post-processing.

    Differences at the corners of the boxes, then two running sums: no loop over cells.
    Raises ValueError for boxes that do not fit the counts or the shape, or do not tile it exactly once.
    Source: 004 section 4.3 (the uniformity assumption).  Notebook: 09_partitions.
    """
    boxes, counts = arguments.integers("boxes", cells[0]).astype(np.intp), arguments.vector("counts", cells[1])
    if boxes.shape != (counts.size, 4):
        arguments.refuse("boxes", f"shape {boxes.shape}", f"{counts.size} rows (top, bottom, left, right)")
    (rows, columns), (top, bottom, left, right) = shape, boxes.T
    sizes = (bottom - top) * (right - left)
    if top.min() < 0 or left.min() < 0 or bottom.max() > rows or right.max() > columns or np.any(sizes <= 0):
        arguments.refuse("boxes", "a box outside the map, or empty", f"boxes within {tuple(shape)}")
    if np.flatnonzero(_steps(boxes, np.ones(counts.size), rows, columns)[:rows, :columns]).tolist() != [0]:
        arguments.refuse("boxes", "boxes that overlap or leave gaps", f"a tiling of {tuple(shape)}")
    return _running_sums(_steps(boxes, counts / sizes, rows, columns))[:rows, :columns]


def _steps(boxes, heights, rows, columns):
    """Differences at corners, whose running sums are the sum of the heights of the boxes over each bin.

    Of boxes of height 1 that tile the map there is one difference, at its first corner.
    """
    top, bottom, left, right = boxes.T
    width = columns + 1
    places = np.concatenate([top * width + left, bottom * width + right, top * width + right, bottom * width + left])
    steps = np.bincount(places, np.concatenate([heights, heights, -heights, -heights]), (rows + 1) * width)
    return steps.reshape(rows + 1, width)


def grid_side(total, constant, epsilon, *, dimensions=2):
    """The guideline's cells a side, sqrt(total epsilon / constant), rounded, at least 1. Not private by itself.

    `total` is the number of records, or a noisy one; below 0 it counts as 0. The source quotes 10 for `constant`. For
    d `dimensions`, which chapter 10 needs, the root is the power 2 / (2 + d).
    Raises ValueError for a total that is no number, a constant or epsilon not above 0, or dimensions below 1.
    Source: 004 equation (4.5), where both m and M are the grid size, and (5.5).  Notebook: 09_partitions.
    """
    total, power = max(arguments.number("total", total), 0.0), 2 / (2 + arguments.whole("dimensions", dimensions, 1))
    return max(1, round((total * arguments.positive("epsilon", epsilon) / _constant(constant)) ** power))


def first_side(total, constant, epsilon):
    """The guideline's first level of the adaptive grid: a quarter of sqrt(total epsilon / constant), up, at least 10.

    Arguments and errors as `grid_side`.
    Source: 004 section 4.3.2, which rounds before it takes the quarter.  Notebook: 09_partitions.
    """
    total = max(arguments.number("total", total), 0.0)
    return max(10, math.ceil(math.sqrt(total * arguments.positive("epsilon", epsilon) / _constant(constant)) / 4))


def leaf_side(count, alpha, constant, epsilon):
    """The guideline's leaves a side in cells with these noisy counts: sqrt(2 count (1 - alpha) epsilon / constant), up.

    At least 1; a count below 0 counts as 0. `count` is a number or an array. Errors as `grid_side`.
    Source: 004 equation (4.6).  Notebook: 09_partitions.
    """
    count = np.maximum(arguments.array("count", count), 0)
    rest = (1 - arguments.probability("alpha", alpha)) * arguments.positive("epsilon", epsilon)
    sides = np.maximum(1, np.ceil(np.sqrt(count * rest / (_constant(constant) / 2)))).astype(np.intp)
    return sides if sides.ndim else int(sides)


def _constant(constant):
    return arguments.positive("constant", constant)


def equal_boxes(shape, side):
    """The boxes of a side x side grid, row by row. Raises ValueError unless 1 <= side <= rows, columns."""
    side = arguments.whole("side", side, 1, min(shape))
    rows, columns = (boundaries(size, side) for size in shape)
    i, j = np.divmod(np.arange(side * side), side)
    return np.column_stack([rows[i], rows[i + 1], columns[j], columns[j + 1]])


def uniform_grid(counts, side, epsilon, rng):
    """Release a map in side x side equal cells with epsilon-DP (add/remove one record): noise 1/epsilon each. `Cells`.

    `side` is public (`grid_side` of a noisy total). Raises ValueError for counts that are no grid of whole numbers, a
    side outside 1..rows or columns, bad epsilon or rng.
    Source: 004 section 4.3.1 (UG, Qardaji et al. 2013).  Notebook: 09_partitions.
    """
    counts = whole_grid("counts", counts)
    boxes = equal_boxes(counts.shape, side)
    return Cells(boxes, laplace_mechanism(sums_in(corner_sums(counts), boxes), 1, epsilon, rng))


def consistent_leaves(cells, leaves, owner, alpha):
    """Make noisy leaves add up to the best estimate of their cell: least squares, post-processing, new leaves.

    `cells` were counted with alpha epsilon, the leaves with (1 - alpha) epsilon; `owner` says whose each leaf is. With
    M leaves, v' = (a**2 M v + (1-a)**2 sum u) / (a**2 M + (1-a)**2). Each leaf is moved by (v' - sum u) / M.
    Raises ValueError for an alpha not strictly between 0 and 1, or leaves and owners of different lengths.
    Source: 004 section 4.3.2, whose formula for the leaves lacks the 1/M.  Notebook: 09_partitions.
    """
    cells, leaves, owner, many, sums = _family(cells, leaves, owner)
    own, theirs = arguments.probability("alpha", alpha) ** 2 * many, (1 - alpha) ** 2
    best = (own * cells + theirs * sums) / (own + theirs)
    return leaves + ((best - sums) / many)[owner]


def printed_leaves(cells, leaves, owner, alpha):
    """NOT what it is meant to be: the leaves by the printed formula, which adds the whole gap v' - sum u to each leaf.

    Private like any post-processing; M leaves then miss v' by M - 1 times the gap. Arguments as `consistent_leaves`.
    Source: 004 section 4.3.2, as printed.  Notebook: 09_partitions.
    """
    cells, leaves, owner, many, sums = _family(cells, leaves, owner)
    own, theirs = arguments.probability("alpha", alpha) ** 2 * many, (1 - alpha) ** 2
    return leaves + ((own * cells + theirs * sums) / (own + theirs) - sums)[owner]


def own_leaves(cells, leaves, owner, alpha):
    """The leaves as they were counted: no inference. Arguments as `consistent_leaves`."""
    return _family(cells, leaves, owner)[1]


def _family(cells, leaves, owner):
    cells, leaves, owner = (
        arguments.vector("cells", cells),
        arguments.vector("leaves", leaves),
        arguments.integers("owner", owner).astype(np.intp),
    )
    if owner.shape != leaves.shape or not np.all((owner >= 0) & (owner < cells.size)):
        arguments.refuse("owner", owner, f"for each leaf the number of its cell, 0 to {cells.size - 1}")
    many = np.bincount(owner, minlength=cells.size)
    if many.min() == 0:
        arguments.refuse("owner", owner, "at least one leaf in each cell")
    return cells, leaves, owner, many, np.bincount(owner, leaves, cells.size)


def adaptive_grid(counts, first, alpha, constant, epsilon, rng, *, infer=consistent_leaves):
    """Release a map with epsilon-DP (add/remove one record): coarse cells, finer ones where many records are. `Cells`.

    A grid of first x first cells spends alpha epsilon. By its NOISY count each cell is cut into `leaf_side` x
    `leaf_side` leaves (never more than it has bins), which spend the rest. `infer` makes the two agree. `first` and
    `constant` are public.
    Raises ValueError for counts that are not a grid of whole numbers, or a first outside 1..rows or columns. Also
    raises it for an alpha outside (0, 1), a constant not above 0, bad epsilon or rng.
    Source: 004 section 4.3.2 (AG, Qardaji et al. 2013).  Notebook: 09_partitions.
    """
    counts = whole_grid("counts", counts)
    arguments.whole("first", first, 1, min(counts.shape))
    epsilon, alpha = arguments.positive("epsilon", epsilon), arguments.probability("alpha", alpha)
    boxes, corners = equal_boxes(counts.shape, first), corner_sums(counts)
    noisy = laplace_mechanism(sums_in(corners, boxes), 1, alpha * epsilon, rng)  # spends alpha epsilon
    leaves, owner = _leaf_boxes(boxes, leaf_side(noisy, alpha, constant, epsilon))
    below = laplace_mechanism(sums_in(corners, leaves), 1, (1 - alpha) * epsilon, rng)  # spends the rest
    return Cells(leaves, infer(noisy, below, owner, alpha))


def _leaf_boxes(boxes, sides):
    """Each box cut into side x side equal leaves (no more than its bins), and whose each leaf is."""
    heights, widths = boxes[:, 1] - boxes[:, 0], boxes[:, 3] - boxes[:, 2]
    kinds = np.column_stack([heights, widths, np.minimum(sides, heights), np.minimum(sides, widths)])
    kinds, kind = np.unique(kinds, axis=0, return_inverse=True)
    leaves, owner = [], []
    for number, (height, width, rows, columns) in enumerate(kinds):
        members = np.flatnonzero(kind.ravel() == number)
        i, j = np.divmod(np.arange(rows * columns), columns)
        down, across = boundaries(height, int(rows)), boundaries(width, int(columns))
        inside = np.column_stack([down[i], down[i + 1], across[j], across[j + 1]])
        corner = boxes[members][:, [0, 0, 2, 2]]
        leaves.append((corner[:, None, :] + inside).reshape(-1, 4))
        owner.append(np.repeat(members, rows * columns))
    return np.concatenate(leaves), np.concatenate(owner)
