"""PrivTree: a tree of squares that is cut as deep as the records ask, for noise that does not depend on the depth.

A node's count is lowered by a constant for each level above it, but never below a floor. So one record can matter at
few nodes of its path only: where the count is at the floor, adding a record changes nothing.
Source: beyond the seeds; Zhang, Xiao, Xie, 2016.  Notebook: 09_partitions.
"""

import math

import numpy as np

from dpbook import arguments
from dpbook.laplace import laplace_mechanism
from dpbook.partitions.grids import Cells, corner_sums, sums_in, whole_grid

PATH = 7 / 3  # what a whole path costs, in units of one noisy comparison: (2 b - 1) / (b - 1) for b = 4 children


def privtree(counts, share, threshold, epsilon, rng):
    """Release a map with epsilon-DP (add/remove one record) by squares that are cut while they look full: `Cells`.

    share * epsilon decides the cuts, on all levels together (`privtree_boxes`); the rest counts the squares that are
    left, afresh. `threshold`, in records, is public; the source has 0.
    Raises ValueError for a map that is not square with a power of two a side, or a `share` outside (0, 1). Also raises
    it for a threshold that is not a finite number, bad epsilon or rng.
    Source: Zhang, Xiao, Xie, 2016.  Notebook: 09_partitions.
    """
    share, epsilon = arguments.probability("share", share), arguments.positive("epsilon", epsilon)
    boxes = privtree_boxes(counts, threshold, share * epsilon, rng)  # spends share * epsilon
    sums = sums_in(corner_sums(whole_grid("counts", counts)), boxes)
    return Cells(boxes, laplace_mechanism(sums, 1, (1 - share) * epsilon, rng))  # spends the rest


def privtree_boxes(counts, threshold, epsilon, rng):
    """Choose the squares of a map with epsilon-DP (add/remove one record): rows (top, bottom, left, right).

    The lowered count of a square at depth i with c records is max(c - i decay, threshold - decay). The square is cut
    into four if this plus Laplace noise of scale 7/(3 epsilon) is above the threshold. The decay is ln 4 times that
    scale. A single bin is never cut.
    Arguments and errors as for `privtree`.  Source: Zhang, Xiao, Xie, 2016.  Notebook: 09_partitions.
    """
    counts, threshold = whole_grid("counts", counts), arguments.number("threshold", threshold)
    side = len(counts)
    if counts.shape != (side, side) or side & (side - 1):
        arguments.refuse("counts", f"shape {counts.shape}", "a square with a power of two a side (pad with empty bins)")
    corners, decay = corner_sums(counts), math.log(4) * PATH / arguments.positive("epsilon", epsilon)
    done, depth = [], 0
    level = np.array([[0, side, 0, side]])
    while len(level):
        lowered = np.maximum(sums_in(corners, level) - depth * decay, threshold - decay)
        cut = laplace_mechanism(lowered, PATH, epsilon, rng) > threshold
        cut &= level[:, 1] - level[:, 0] > 1
        done.append(level[~cut])
        level, depth = _quarters(level[cut]), depth + 1
    return np.concatenate(done)


def _quarters(boxes):
    """The four quarters of each square."""
    top, bottom, left, right = boxes.T
    middle, centre = (top + bottom) // 2, (left + right) // 2
    rows, columns = ((top, middle), (middle, bottom)), ((left, centre), (centre, right))
    quarters = np.array([[*row, *column] for row in rows for column in columns])  # one of four, side, box
    return quarters.transpose(0, 2, 1).reshape(-1, 4)
