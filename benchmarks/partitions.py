"""Partitions against the plain loops that one would write, side by side in one run: `python -m benchmarks.partitions`.

The loops do the same work and are checked to give the same numbers, where nothing is drawn. Each row is the median of
a few runs of both, taken in turn.
"""

import bisect
import itertools

import numpy as np

from benchmarks.side_by_side import show
from dpbook import partitions
from dpbook.data import maps


def uniform():
    counts, rng, edges = maps.city().counts, np.random.default_rng(1), partitions.boundaries(256, 96).tolist()

    def loop():
        rows = list(itertools.pairwise(edges))
        return [sum(map(sum, counts[a:b, c:d].tolist())) + rng.laplace(scale=10.0) for a, b in rows for c, d in rows]

    return lambda: partitions.uniform_grid(counts, 96, 0.1, rng), loop, 5


def adaptive():
    counts, rng = maps.city().counts, np.random.default_rng(1)
    edges = partitions.boundaries(256, 10).tolist()

    def loop():
        released = np.zeros(counts.shape)
        for a, b in itertools.pairwise(edges):
            for c, d in itertools.pairwise(edges):
                cell = counts[a:b, c:d]
                v = cell.sum() + rng.laplace(scale=20.0)
                side = min(partitions.leaf_side(v, 0.5, 10, 0.1), *cell.shape)
                down, across = (partitions.boundaries(size, side).tolist() for size in cell.shape)
                sides = itertools.product(itertools.pairwise(down), itertools.pairwise(across))
                boxes = [(a + i, a + j, c + k, c + m) for (i, j), (k, m) in sides]
                u = [counts[i:j, k:m].sum() + rng.laplace(scale=20.0) for i, j, k, m in boxes]
                best = (len(u) * v + sum(u)) / (len(u) + 1)
                for one, (i, j, k, m) in zip(u, boxes, strict=True):
                    released[i:j, k:m] = (one + (best - sum(u)) / len(u)) / ((j - i) * (m - k))
        return released

    return lambda: partitions.fill(partitions.adaptive_grid(counts, 10, 0.5, 10, 0.1, rng), counts.shape), loop, 5


def tree_of_squares():
    counts, rng = maps.city().counts.astype(float), np.random.default_rng(1)

    def loop(top=0, left=0, side=256, depth=0):
        """Noisy counts and the inference of one square: (its best count, its variance), recursively."""
        noisy = counts[top : top + side, left : left + side].sum() + rng.laplace(scale=80.0)
        if depth == 7:
            return noisy, 1.0
        half = side // 2
        parts = [loop(top + i, left + j, half, depth + 1) for i in (0, half) for j in (0, half)]
        total, doubt = sum(one for one, _ in parts), sum(variance for _, variance in parts)
        return (doubt * noisy + total) / (doubt + 1), doubt / (doubt + 1)

    return lambda: partitions.quadtree(counts, 7, 0.1, rng), loop, 3


def private_medians():
    counts, rng = maps.city().counts.astype(float), np.random.default_rng(1)

    def loop(box=(0, 256, 0, 256), level=0):
        """Cuts at private medians, every quality by a sum over the part."""
        top, bottom, left, right = box
        if level == 8:
            return 1
        rows = (level % 2 == 0 and bottom - top > 1) or right - left == 1
        places = range(top + 1, bottom) if rows else range(left + 1, right)
        if not places:
            return 1
        half = counts[top:bottom, left:right].sum() / 2
        parts = [counts[top:at, left:right] if rows else counts[top:bottom, left:at] for at in places]
        weights = np.exp([-0.004 * abs(part.sum() - half) for part in parts])
        at = int(rng.choice(places, p=weights / weights.sum()))
        if rows:
            return loop((top, at, left, right), level + 1) + loop((at, bottom, left, right), level + 1)
        return loop((top, bottom, left, at), level + 1) + loop((top, bottom, at, right), level + 1)

    return lambda: partitions.kd_tree(counts, 8, 0, 0.3, 0.1, rng), loop, 3


def window_costs():
    counts = maps.steps(4096).astype(float)
    lengths = [2**power for power in range(13)]
    left = np.concatenate([np.arange(4096 - length + 1) for length in lengths])
    right = left + np.repeat(lengths, [4096 - length + 1 for length in lengths])

    def sliding():
        """Each window by the sorted list of its numbers and their prefix sums, kept up to date; short ones suffice."""
        costs = []
        for length in lengths[:7]:
            window = sorted(counts[:length].tolist())
            for start in range(4096 - length + 1):
                if start:
                    del window[bisect.bisect_left(window, counts[start - 1])]
                    bisect.insort(window, counts[start + length - 1])
                mean = sum(window) / length
                below = bisect.bisect_right(window, mean)
                costs.append(2 * (below * mean - sum(window[:below])))
        return costs

    assert np.allclose(partitions.interval_deviations(counts, left, right)[: 7 * 4096 - 120], sliding(), atol=1e-6)
    return lambda: partitions.interval_deviations(counts, left, right), sliding, 3


def one_draw():
    given = maps.steps(4096), 10.0, 0.1, np.random.default_rng(1)
    return lambda: partitions.sampled_partition(*given), lambda: partitions.noisy_partition(*given), 5


def merging():
    values = maps.steps(512) + np.random.default_rng(1).laplace(scale=10.0, size=512)

    def loop():
        sums, squares = [0.0], [0.0]
        for value in values.tolist():
            sums.append(sums[-1] + value)
            squares.append(squares[-1] + value * value)
        best = [(0.0, 0)]
        for end in range(1, 513):
            off = (squares[end] - squares[a] - (sums[end] - sums[a]) ** 2 / (end - a) for a in range(end))
            best.append(min((best[a][0] + one + 400.0, a) for a, one in enumerate(off)))
        edges = [512]
        while edges[-1]:
            edges.append(best[edges[-1]][1])
        return edges[::-1]

    assert partitions.best_blocks(values, 400.0).tolist() == loop()
    return lambda: partitions.best_blocks(values, 400.0), loop, 3


def waves():
    counts, rng = maps.steps(4096).astype(float), np.random.default_rng(1)

    def loop():
        power = np.abs(np.fft.fft(counts, norm="ortho")) ** 2
        return [np.sqrt(power[kept : 4097 - kept].sum()) for kept in range(1, 2050)]

    partitions.enhanced_fourier(counts, 0.5, 0.1, rng)  # the sensitivities, once
    assert np.allclose(np.diff(loop()[:9]), np.diff(-partitions.wave_quality(counts, 1e9)[:9]), atol=1e-3)
    return lambda: partitions.enhanced_fourier(counts, 0.5, 0.1, rng), loop, 3


def all_rectangles():
    difference = np.random.default_rng(1).normal(size=(24, 24))
    ends = [(a, b) for a in range(24) for b in range(a + 1, 25)]

    def loop():
        return np.mean([difference[a:b, c:d].sum() ** 2 for a, b in ends for c, d in ends])

    assert np.isclose(partitions.rectangle_error(difference, 0 * difference), loop())
    return lambda: partitions.rectangle_error(difference, 0 * difference), loop, 3


ROWS = {
    "uniform grid, 96 x 96 cells of 256 x 256 | a Python sum a cell": uniform,
    "adaptive grid, 256 x 256 | a loop over cells and leaves": adaptive,
    "quadtree of depth 7, 256 x 256 | recursion, up only": tree_of_squares,
    "k-d tree of depth 8, 256 x 256 | recursion, a sum a candidate": private_medians,
    "costs of all dyadic windows, 4,096 bins | bisect, up to 64 bins": window_costs,
    "one draw of a partition, 4,096 bins | noise on every cost": one_draw,
    "best merge of 512 bins | the same in plain Python": merging,
    "EFPA, 4,096 bins | each tail summed up by itself": waves,
    "error over all 90,000 rectangles of 24 x 24 | one by one": all_rectangles,
}


if __name__ == "__main__":
    show(ROWS)
