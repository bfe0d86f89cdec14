"""Stability against plain loops, and against one sort of the data, side by side: `python -m benchmarks.stability`.

The loops do the same work and are checked to give the same numbers. Each row is the median of a few runs of both.
"""

import math

import numpy as np

from benchmarks.side_by_side import show, side_by_side
from dpbook.stability import (
    interquartile_range,
    median_smooth_sensitivity,
    median_stable_distance,
    sample_and_aggregate,
    scale_distance,
)

BOUNDS = (0.0, 100.0)


def people(size):
    return np.random.default_rng(1).normal(50, 10, size).clip(*BOUNDS)


def double_loop():
    values = people(2_000)

    def loop():
        """A(k) for every k, each by a loop over t."""
        ranked, middle, best = np.sort(values).tolist(), (values.size - 1) // 2, 0.0
        padded = [BOUNDS[0]] * 2_001 + ranked + [BOUNDS[1]] * 2_001
        middle += 2_001
        for k in range(2_001):
            step = max(padded[middle + t] - padded[middle + t - k - 1] for t in range(k + 2))
            best = max(best, math.exp(-0.05 * k) * step)
        return best

    assert math.isclose(loop(), median_smooth_sensitivity(values, BOUNDS, 0.05))
    return lambda: median_smooth_sensitivity(values, BOUNDS, 0.05), loop, 3


def sorting_again():
    values = people(2_000)

    def loop():
        """A0: for each j replace in every way that can count, and sort again."""
        size = interquartile_range(values)
        lower = 2.0 ** math.floor(math.log2(size))
        ranked, first, third = np.sort(values), values.size // 4, 3 * values.size // 4
        for j in range(1, values.size):
            for a in range(j + 1):
                wide, tight = ranked.copy(), ranked.copy()
                wide[first : first + a], wide[third - 1 - (j - a) : third - 1] = -1e9, 1e9
                tight[: a + 1][: a or 0], tight[values.size - (j - a) :] = 50.0, 50.0
                ranges = interquartile_range(np.sort(wide)), interquartile_range(np.sort(tight))
                if ranges[0] >= 2 * lower or ranges[1] < lower:
                    return j
        return values.size

    assert loop() == scale_distance(values, 0)
    return lambda: scale_distance(values, 0), loop, 1


def sorted_once(work):
    def make():
        values = people(100_000)
        return lambda: work(values), lambda: np.sort(values), 7

    return make


def aggregated(values):
    return sample_and_aggregate(values, lambda part: part[0], BOUNDS, 100, 1.0, np.random.default_rng(1))


LOOPS = {
    "smooth sensitivity, 2,000 values | a loop over k and t": double_loop,
    "A0, 2,000 values | sorting again after every j": sorting_again,
}
SORTS = {
    "smooth sensitivity, beta 0.05": sorted_once(lambda values: median_smooth_sensitivity(values, BOUNDS, 0.05)),
    "smooth sensitivity, beta 0.005": sorted_once(lambda values: median_smooth_sensitivity(values, BOUNDS, 0.005)),
    "distance to local sensitivity 0.5": sorted_once(lambda values: median_stable_distance(values, BOUNDS, 0.5)),
    "A0": sorted_once(lambda values: scale_distance(values, 0)),
    "sample and aggregate, 100 blocks": sorted_once(aggregated),
}


def main():
    show(LOOPS)
    print(f"{'100,000 values':70}{'ours, ms':>10}{'a sort, ms':>13}{'sorts':>8}")
    for title, make in SORTS.items():
        ours, theirs = side_by_side(*make())
        print(f"{title:70}{1e3 * ours:>10.2f}{1e3 * theirs:>13.2f}{ours / theirs:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
