"""Cells of a map: 004 sections 4.3.1, 4.3.2, 4.3.4. Neighbours: add or remove one record, which moves one bin by 1.

What a program adds noise to, and what it chooses from, is read off a `Transcript`.
"""

import itertools
import math

import numpy as np
import pytest

from dpbook.claims.listening import Transcript
from dpbook.claims.losses import loss_from_noise
from dpbook.histograms import hierarchical_histogram
from dpbook.laplace import laplace_probability
from dpbook.partitions import (
    Cells,
    adaptive_grid,
    balanced_tree,
    boundaries,
    consistent_leaves,
    corner_sums,
    cut_quality,
    cuts,
    fill,
    first_side,
    grid_noise_error,
    grid_side,
    kd_cell,
    kd_tree,
    leaf_side,
    own_leaves,
    privtree,
    privtree_boxes,
    quadtree,
    rectangle_error,
    tree_inference,
    uniform_grid,
)
from tests.generators import seeded
from tests.refusals import assert_refuses

MAP = np.random.default_rng(5).poisson(3, (8, 8)).astype(float)
WIDE = np.random.default_rng(6).poisson(2, (7, 12)).astype(float)


def one_more(grid):
    """The map with each map that has one record more."""
    places = np.ndindex(grid.shape)
    return [
        (grid, grid + (np.arange(grid.size) == np.ravel_multi_index(place, grid.shape)).reshape(grid.shape))
        for place in places
    ]


def every_rectangle(rows, columns):
    ends = (itertools.combinations(range(size + 1), 2) for size in (rows, columns))
    return np.array([(*vertical, *across) for vertical, across in itertools.product(*ends)]).T


def box_sums(cells, grid):
    return [grid[a:b, c:d].sum() for a, b, c, d in cells.boxes]


# Sums, errors, cells.


def test_the_error_over_rectangles_is_that_of_every_rectangle():
    grid, differences = seeded().normal(size=(4, 5)), seeded(2).normal(size=(4, 5))
    squares = [differences[a:b, c:d].sum() ** 2 for a, b, c, d in every_rectangle(4, 5).T]
    assert rectangle_error(grid + differences, grid) == pytest.approx(np.mean(squares))


def test_the_noise_of_a_grid_over_all_rectangles_is_the_sum_of_what_each_cell_makes():
    """169/81 of V_u for 4 x 4 cells on 8 x 8 bins, where the book's r m**2 gives 2.78."""
    assert grid_noise_error(8, 8, 4) == pytest.approx(169 / 81)
    boxes, nothing = uniform_grid(np.zeros((7, 9)), 3, 1.0, seeded()).boxes, np.zeros((7, 9))
    each = [rectangle_error(fill(Cells(boxes, unit), (7, 9)), nothing) for unit in np.eye(9)]
    assert grid_noise_error(7, 9, 3) == pytest.approx(sum(each))


@pytest.mark.parametrize("bins, cells", [(8, 3), (5, 2), (7, 7), (256, 79), (3, 2), (1, 1)])
def test_boundaries_ascend_and_are_rounded(bins, cells):
    edges = boundaries(bins, cells)
    assert edges.tolist() == [round(i * bins / cells) for i in range(cells + 1)] and np.all(np.diff(edges) > 0)


def test_fill_spreads_each_count_over_its_box():
    cells = Cells(np.array([[0, 1, 0, 3], [1, 3, 0, 1], [1, 3, 1, 3]]), np.array([6.0, 4, -8]))
    assert fill(cells, (3, 3)) == pytest.approx(np.array([[2, 2, 2], [2, -2, -2], [2, -2, -2]]))
    released = adaptive_grid(WIDE, 3, 0.5, 0.2, 2.0, seeded())
    filled = fill(released, WIDE.shape)
    assert [filled[a:b, c:d].sum() for a, b, c, d in released.boxes] == pytest.approx(released.counts)


def test_sides_by_the_guidelines():
    assert grid_side(79_250, 10, 1.0) == round(math.sqrt(7925)) and grid_side(-5, 10, 1.0) == 1
    assert first_side(317**2 * 10, 10, 1.0) == 80, "79.25 up"
    assert first_side(100, 10, 1.0) == 10 and first_side(-3.0, 10, 1.0) == 10
    assert leaf_side(np.array([-7.0, 0, 100, 1000]), 0.5, 10, 1.0).tolist() == [1, 1, 4, 10]
    assert leaf_side(90, 0.1, 10, 1.0) == math.ceil(math.sqrt(90 * 0.9 / 5))


# Uniform and adaptive grids.


@pytest.mark.parametrize(("grid", "side"), [(MAP, 3), (WIDE, 7), (WIDE, 1)])
def test_uniform_grid_is_box_sums_with_noise_of_scale_one_over_epsilon(grid, side):
    heard = Transcript()
    released = uniform_grid(grid, side, 0.6, heard)
    (noise,) = heard.noises
    assert noise.scale == pytest.approx(1 / 0.6) and len(released.counts) == side**2
    assert noise.value == pytest.approx(box_sums(released, grid)) and np.array_equal(released.counts, noise.noisy)


@pytest.mark.parametrize("alpha", [0.2, 0.7])
def test_adaptive_grid_spends_alpha_and_the_rest(alpha):
    for grid, first in ((MAP, 3), (WIDE, 2)):
        heard = Transcript()
        released = adaptive_grid(grid, first, alpha, 0.5, 1.5, heard, infer=own_leaves)
        cells, leaves = heard.noises
        assert [cells.scale, leaves.scale] == pytest.approx([1 / (1.5 * alpha), 1 / (1.5 * (1 - alpha))])
        assert cells.value == pytest.approx(box_sums(uniform_grid(grid, first, 1.0, seeded()), grid))
        assert leaves.value == pytest.approx(box_sums(released, grid))
        assert np.array_equal(released.counts, leaves.noisy)


def test_how_a_cell_is_cut_depends_on_its_noisy_count_alone():
    """By the true count the map would have 3 x 3 leaves, with one record more 4 x 4."""
    constant = 2 * MAP.sum() * 0.5 * 2.0 / 9
    assert [leaf_side(MAP.sum() + more, 0.5, constant, 2.0) for more in (0, 1)] == [3, 4]
    loss = loss_from_noise(lambda c, rng: adaptive_grid(c, 1, 0.5, constant, 2.0, rng), one_more(MAP)[::9])
    assert loss == pytest.approx(2.0)


def test_adaptive_grid_cuts_by_the_noisy_count_and_never_below_a_bin():
    grid = np.zeros((8, 8))
    grid[:4, :4] = 100
    cells = adaptive_grid(grid, 2, 0.5, 10.0, 1.0, seeded())
    areas = (cells.boxes[:, 1] - cells.boxes[:, 0]) * (cells.boxes[:, 3] - cells.boxes[:, 2])
    assert sorted(areas.tolist())[:16] == [1] * 16 and len(cells.counts) < 16 + 3 * 9
    exact = adaptive_grid(grid, 2, 0.5, 1e-9, 1e6, seeded())
    assert fill(exact, grid.shape) == pytest.approx(grid, abs=1e-3)


@pytest.mark.parametrize("many, alpha", [(4, 0.5), (6, 0.3), (1, 0.5), (9, 0.8)])
def test_consistent_leaves_are_weighted_least_squares(many, alpha):
    rng = seeded(3)
    cell, leaves = rng.normal(10, 3, 1), rng.normal(2, 3, many)
    design = np.vstack([np.ones(many), np.eye(many)]) * np.array([alpha, *[1 - alpha] * many])[:, None]
    best = np.linalg.lstsq(design, np.concatenate([alpha * cell, (1 - alpha) * leaves]), rcond=None)[0]
    assert consistent_leaves(cell, leaves, np.zeros(many, int), alpha) == pytest.approx(best, abs=1e-9)


# Trees.


def test_quadtree_is_a_four_ary_tree():
    leaf = quadtree(np.zeros((2, 2)), 1, 1.0, seeded())
    assert leaf.ravel() == pytest.approx(seeded().laplace(size=4)), "one level: four squares, noise 1/epsilon"
    assert quadtree(MAP, 3, 1e12, seeded()) == pytest.approx(MAP, abs=1e-6)
    means = MAP.reshape(4, 2, 4, 2).mean(axis=(1, 3))
    assert quadtree(MAP, 2, 1e12, seeded()) == pytest.approx(np.kron(means, np.ones((2, 2))), abs=1e-6)


def test_quadtree_shares_grow_by_the_cube_root_of_two():
    shares = cuts.geometric_shares(8, 2)
    assert shares[0] == pytest.approx(0.2449, abs=5e-5) and shares[0] / shares[1] == pytest.approx(2 ** (1 / 3))
    given = [0.7, 0.3]
    order = np.array([0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15])
    direct = hierarchical_histogram(np.arange(16.0)[order], 4, 1.0, seeded(2), shares=given)
    released = quadtree(np.arange(16.0).reshape(4, 4), 2, 1.0, seeded(2), shares=given).ravel()
    assert released[order] == pytest.approx(direct)
    weighted = hierarchical_histogram(np.arange(16.0)[order], 4, 1.0, seeded(2), shares=cuts.geometric_shares(2, 2))
    assert quadtree(np.arange(16.0).reshape(4, 4), 2, 1.0, seeded(2)).ravel()[order] == pytest.approx(weighted)


@pytest.mark.parametrize("seed", range(4))
def test_tree_inference_is_weighted_least_squares_on_any_tree(seed):
    rng = seeded(seed)
    parents = [-1] + ([-1] if seed == 3 else [])
    level = list(range(len(parents)))
    for _ in range(3):
        families = [(node, rng.integers(0, 4)) for node in level]
        level = []
        for node, many in families:
            for _ in range(many or (2 if node == 0 else 0)):
                level.append(len(parents))
                parents.append(node)
    parents = np.array(parents)
    is_leaf = ~np.isin(np.arange(parents.size), parents)
    variances = rng.uniform(0.5, 4, parents.size)
    variances[(rng.random(parents.size) < 0.3) & ~is_leaf] = np.inf
    holds = np.eye(parents.size)
    for node in reversed(range(parents.size)):
        if parents[node] >= 0:
            holds[parents[node]] += holds[node]
    design, noisy = holds[:, is_leaf], rng.normal(size=parents.size)
    weight = 1 / np.sqrt(variances)
    best = np.linalg.lstsq(design * weight[:, None], noisy * weight, rcond=None)[0]
    assert tree_inference(noisy, parents, variances) == pytest.approx(design @ best, abs=1e-9)


def test_the_quality_of_a_cut_and_its_sensitivity():
    corners = corner_sums(MAP)
    box = (1, 6, 2, 7)
    inside = MAP[1:6, 2:7]
    by_rows = [-abs(inside[:k].sum() - inside.sum() / 2) for k in range(1, 5)]
    by_columns = [-abs(inside[:, :k].sum() - inside.sum() / 2) for k in range(1, 5)]
    assert cut_quality(corners, box, 0) == pytest.approx(by_rows)
    assert cut_quality(corners, box, 1) == pytest.approx(by_columns)
    for _, more in one_more(MAP):
        for axis in (0, 1):
            moved = np.abs(cut_quality(corner_sums(more), box, axis) - cut_quality(corners, box, axis))
            outside = np.array_equal(more[1:6, 2:7], inside)
            assert moved == pytest.approx(0 if outside else 0.5), "a sibling's record moves nothing"


def spent(monkeypatch, release):
    """The sensitivities and epsilons of the choices of `release(rng)`, and the epsilon of its counts."""
    asked, heard = set(), Transcript()

    def choose(quality, sensitivity, epsilon, rng):
        asked.add((sensitivity, round(epsilon, 12)))
        return len(quality) // 2

    monkeypatch.setattr(cuts, "exponential_mechanism", choose)
    release(heard)
    return asked, sum(1 / noise.scale for noise in heard.noises)


@pytest.mark.parametrize("halved, cut, counted", [(0, 0.6, 1.4), (2, 0.6, 1.4), (4, 0, 2.0)])
def test_kd_tree_spends_its_shares_on_each_path(monkeypatch, halved, cut, counted):
    asked, epsilon = spent(monkeypatch, lambda rng: kd_tree(MAP, 4, halved, 0.3, 2.0, rng))
    assert asked == ({(0.5, round(cut / (4 - halved), 12))} if cut else set())
    assert epsilon == pytest.approx(counted)


def test_balanced_tree_spends_its_shares_on_each_path(monkeypatch):
    asked, epsilon = spent(monkeypatch, lambda rng: balanced_tree(MAP, 3, 0.25, 2.0, rng))
    assert asked == {(0.5, round(0.5 / 3, 12))} and epsilon == pytest.approx(1.5)


def test_cuts_follow_the_exponential_mechanism():
    grid, heard = np.array([[5.0, 1, 0, 2, 9]]), Transcript()
    kd_tree(grid, 1, 0, 0.5, 0.4, heard)
    weights = np.exp(0.2 * cut_quality(corner_sums(grid), (0, 1, 0, 5), 1))
    assert heard.choices[0].chances == pytest.approx(weights / weights.sum())


@pytest.mark.parametrize("place", range(3))
def test_balanced_cuts_are_one_choice_among_both_axes(place):
    grid, heard = np.array([[9.0, 0, 0], [0, 0, 9]]), Transcript(outcomes=[place])
    first = balanced_tree(grid, 1, 0.5, 0.6, heard).boxes[0]
    quality = [cut_quality(corner_sums(grid), (0, 2, 0, 3), axis) for axis in (0, 1)]
    weights = np.exp(0.3 * np.concatenate(quality))
    assert heard.choices[0].chances == pytest.approx(weights / weights.sum())
    assert first.tolist() == [[0, 1, 0, 3], [0, 2, 0, 1], [0, 2, 0, 2]][place]


@pytest.mark.parametrize("halved", [0, 3, 6])
def test_trees_tile_the_map_and_give_the_truth_without_noise(halved):
    for grid in (MAP, WIDE, np.ones((1, 9)), np.ones((2, 1))):
        for release in (kd_tree(grid, 6, halved, 0.3, 1e12, seeded()), balanced_tree(grid, 4, 0.3, 1e12, seeded())):
            assert release.counts == pytest.approx(box_sums(release, grid), abs=1e-5)
            assert fill(release, grid.shape).sum() == pytest.approx(grid.sum()), "the boxes tile the map"
    leaves = kd_tree(MAP, 6, 6, 0.3, 1.0, seeded())
    assert len(leaves.counts) == 64 and kd_tree(MAP, 7, 7, 0.3, 1.0, seeded()).boxes.shape == (64, 4)


def test_the_shares_of_a_k_d_tree_grow_by_the_sixth_root_of_two():
    heard = Transcript()
    kd_tree(MAP, 3, 3, 0.3, 1.0, heard)
    assert [noise.value.size for noise in heard.noises] == [2, 4, 8]
    epsilons = 1 / np.array([noise.scale for noise in heard.noises])
    assert epsilons.sum() == pytest.approx(1) and epsilons[1:] / epsilons[:-1] == pytest.approx(2 ** (1 / 6))


def test_kd_cell_cuts_by_the_noisy_grid_only_and_averages_by_variance():
    even = np.full((8, 8), 5.0)
    assert kd_cell(even, 4, 10.0, 1.0, seeded()).boxes.tolist() == [[0, 8, 0, 8]]
    noisy, whole = uniform_grid(even, 4, 0.5, seeded()).counts, kd_cell(even, 4, 1e9, 1.0, seeded())
    rng = seeded()
    rng.laplace(size=16)
    fresh = 320 + rng.laplace(scale=2.0)
    assert whole.counts == pytest.approx([(noisy.sum() / 16 + fresh) / (1 / 16 + 1)])
    halves = np.repeat([[9.0] * 4 + [0.0] * 4], 8, axis=0)
    cells = kd_cell(halves, 8, 10.0, 1e9, seeded())  # ten deviations of what the noise makes of an even half
    assert sorted(cells.boxes.tolist()) == [[0, 8, 0, 4], [0, 8, 4, 8]]
    assert fill(kd_cell(WIDE, 7, 0.0, 1e12, seeded()), WIDE.shape).sum() == pytest.approx(WIDE.sum())


RNG, NO_MAP = seeded(), ([1, 2], [[1, -2]], [[0.5]])
NO_TILING = ([[0, 1, 0, 1]], [[0, 1, 0, 2], [0, 1, 1, 2]], [[0, 2, 0, 2]])
NO_SQUARE = (WIDE, np.ones((6, 6)), np.zeros((4, 2)))
REFUSED = [
    (uniform_grid, (MAP, 1, 1, RNG), {"counts": NO_MAP, "side": (9, 0)}),
    (adaptive_grid, (MAP, 2, 0.5, 10, 1, RNG), {"counts": NO_MAP, "alpha": (1.0,), "constant": (0,), "first": (9,)}),
    (grid_side, (5, 10, 1), {"total": (np.nan,), "constant": (-1,)}),
    (quadtree, (MAP, 1, 1, RNG), {"counts": NO_SQUARE, "depth": (4, 0)}),
    (kd_tree, (MAP, 3, 0, 0.3, 1, RNG), {"depth": (0,), "halved": (4,), "split_share": (1,)}),
    (balanced_tree, (MAP, 3, 0.3, 1, RNG), {"depth": (17,)}),
    (kd_cell, (MAP, 4, 1, 1, RNG), {"side": (9,), "slack": (-1,)}),
    (kd_cell, (np.ones((99, 99)), 64, 1, 1, RNG), {"side": (65,)}),
    (lambda boxes: fill(Cells(boxes, [1] * len(boxes)), (1, 2)), ([[0, 1, 0, 2]],), {"boxes": NO_TILING}),
    (rectangle_error, (MAP, MAP), {"estimate": (WIDE,)}),
    (consistent_leaves, ([1.0], [1.0, 2], [0, 0], 0.5), {"owner": ([0, 1],)}),
    (privtree, (MAP, 0.5, 0, 1, RNG), {"counts": NO_SQUARE, "share": (1,), "threshold": (math.nan,)}),
    (tree_inference, ([0, 1, 2], [-1, 0, 0], [1, 1, 1]), {"counts": ([np.nan, 1, 2],)}),
    (tree_inference, ([1, 2], [-1, 0], [1, 1]), {"parents": ([-1, 0, 0], [1, -1]), "variances": ([1, np.inf],)}),
    (boundaries, (4, 4), {"cells": (5,)}),
    (grid_noise_error, (4, 9, 1), {"rows": (0,), "columns": (1.5,), "side": (5,)}),
]


@pytest.mark.parametrize(("function", "good", "refused"), REFUSED)
def test_bad_arguments_are_refused(function, good, refused):
    assert_refuses(function, good, refused)


def test_a_map_of_one_bin_has_no_tree():
    with pytest.raises(ValueError, match=r"^number of bins must be"):
        kd_tree([[3]], 1, 0, 0.3, 1, RNG)


# PrivTree.


def cut_chance(count, depth, threshold, epsilon):
    """The probability that a square with `count` records at this depth is cut, from the law of the noise alone."""
    decay = math.log(4) * 7 / 3 / epsilon
    return laplace_probability(threshold, math.inf, max(count - depth * decay, threshold - decay), 7 / 3, epsilon)


@pytest.mark.parametrize("threshold", [0.0, 5.0])
def test_a_path_of_any_depth_loses_at_most_epsilon(threshold):
    """From the root to any leaf: the worst falling counts, by dynamic programming over 12 levels, both signs."""
    epsilon = 0.5
    counts = np.arange(121)
    both = [
        [np.array([cut_chance(c + more, i, threshold, epsilon) for c in counts]) for more in (0, 1)] for i in range(12)
    ]
    for sign in (1, -1):
        worst = np.zeros(counts.size)  # below: a single bin, which is never cut
        for one, more in reversed(both):
            stays = sign * np.log((1 - more) / (1 - one))
            goes = sign * np.log(more / one) + np.maximum.accumulate(worst)
            worst = np.maximum(stays, goes)
        assert 0.5 * epsilon < worst.max() <= epsilon + 1e-9 or sign < 0
        assert worst.max() <= epsilon + 1e-9


def test_privtree_cuts_where_the_records_are():
    counts = np.zeros((16, 16))
    counts[3, 5] = 1e6
    cells = privtree(counts, 0.5, 1, 1e6, seeded())
    assert [3, 4, 5, 6] in cells.boxes.tolist()
    assert fill(cells, (16, 16)) == pytest.approx(counts, abs=0.01)


def test_privtree_adds_noise_to_counts_lowered_by_their_depth():
    """Every square of an 8 x 8 map where all are cut: exactly what is asked of the noise at each depth."""
    counts, heard = np.zeros((8, 8)), Transcript(noisy=[np.full(4**depth, 1e9) for depth in range(4)])
    counts[0, 0], counts[5, 6] = 30, 9
    privtree_boxes(counts, 2.0, 0.7, heard)
    decay = math.log(4) * 7 / 3 / 0.7
    for depth, noise in enumerate(heard.noises):
        sums = counts.reshape(2**depth, 8 >> depth, 2**depth, 8 >> depth).sum(axis=(1, 3)).ravel()
        assert np.sort(noise.value) == pytest.approx(np.sort(np.maximum(sums - depth * decay, 2 - decay)))
        assert noise.scale == pytest.approx(7 / 3 / 0.7)
    assert len(heard.noises) == 4


def test_privtree_spends_its_two_shares():
    heard = Transcript()
    cells = privtree(MAP, 0.25, 0, 1.0, heard)
    *cuts_of_levels, counted = heard.noises
    assert [noise.scale for noise in cuts_of_levels] == pytest.approx([7 / 3 / 0.25] * len(cuts_of_levels))
    assert counted.scale == pytest.approx(1 / 0.75) and np.array_equal(cells.counts, counted.noisy)
    assert counted.value == pytest.approx(box_sums(cells, MAP))


def test_the_count_of_a_node_that_was_not_published_is_not_looked_at():
    assert tree_inference([np.nan, 1, 2], [-1, 0, 0], [np.inf, 1, 1]).tolist() == [3, 1, 2]
