"""Histograms for range queries: 004 sections 4.1 and 4.2. Neighbours: add or remove one record, unless said."""

import functools
import itertools
import math

import numpy as np
import pytest
import pywt

from dpbook.claims.losses import loss_from_noise
from dpbook.histograms import (
    all_ranges,
    approximate_error,
    average_error,
    average_nodes,
    best_branching,
    constrained_inference,
    flat_error,
    flat_histogram,
    geometric_shares,
    haar_error,
    haar_histogram,
    hierarchical_counts,
    hierarchical_histogram,
    inferred_error,
    level_shares,
    level_sizes,
    matrix_mechanism,
    over_all_ranges,
    range_nodes,
    reconstruction_matrix,
    siblings,
    squared_error,
    strategy_error,
    sum_leaves,
    sum_nodes,
    tree_counts,
)
from dpbook.neighbours import count_pairs
from tests.generators import Spy, seeded
from tests.refusals import assert_refuses

SHAPES = [(1, 2), (2, 2), (5, 2), (8, 2), (9, 3), (10, 3), (17, 4), (25, 5), (26, 5), (30, 7), (6, 16)]


def every_range(bins):
    return np.array([(left, right) for left in range(bins) for right in range(left + 1, bins + 1)]).T


def tree_matrix(bins, branching):
    """One row a published node, leaves first: a 1 for each bin under it."""
    rows = []
    for level, size in enumerate(level_sizes(bins, branching)):
        first = np.arange(size)[:, None] * branching**level
        rows.append((first <= np.arange(bins)) & (np.arange(bins) < first + branching**level))
    return np.vstack(rows).astype(float)


def haar_matrix(bins):
    """The total, then left sum minus right sum for each node of the binary tree; bins is a power of two."""
    rows, width = [np.ones(bins)], bins
    while width > 1:
        for start in range(0, bins, width):
            row = np.zeros(bins)
            row[start : start + width // 2], row[start + width // 2 : start + width] = 1, -1
            rows.append(row)
        width //= 2
    return np.array(rows)


# The tree.


def test_the_height_counts_published_levels_and_not_the_root():
    """Erratum B6: Figure 4.1 has 8 leaves and 3 published levels; its n1, n2 are the top, the root is not there."""
    assert level_sizes(8, 2) == [8, 4, 2]
    assert level_sizes(9, 2) == [9, 5, 3, 2]
    assert level_sizes(16, 16) == [16]
    assert level_sizes(17, 16) == [17, 2]
    assert level_sizes(1, 2) == [1]


@pytest.mark.parametrize("branching", [2, 3, 5, 6, 10, 16])
def test_the_height_of_a_full_tree_is_exact(branching):
    """math.log(125, 5) is 3.0000000000000004: a float logarithm would add a level, and h times the noise."""
    assert math.ceil(math.log(125, 5)) == 4
    for height in range(1, 6):
        assert len(level_sizes(branching**height, branching)) == height
        assert len(level_sizes(branching**height + 1, branching)) == height + 1


def test_levels_hold_sums_of_neighbours_and_no_padding():
    assert [level.tolist() for level in tree_counts([1, 2, 3, 4, 5], 2)] == [[1, 2, 3, 4, 5], [3, 7, 5], [10, 5]]


def test_siblings_fill_the_last_family_with_zeros():
    assert siblings(np.arange(1.0, 6), 3).tolist() == [[1, 2, 3], [4, 5, 0]]


def test_geometric_shares_grow_by_the_cube_root_of_b_towards_the_leaves():
    shares = geometric_shares(4, 8)
    assert shares.sum() == pytest.approx(1)
    assert shares[:-1] / shares[1:] == pytest.approx(2)


# What the mechanisms publish: law, privacy, limits.


@pytest.mark.parametrize("shares", [None, [0.5, 0.1, 0.1, 0.2, 0.1]])
def test_every_node_of_a_tree_gets_its_own_laplace_noise_of_the_scale_of_its_level(shares):
    """Exactly: one call of the generator a level, for as many numbers as the level has nodes, added as they are."""
    counts, spy = seeded().poisson(5, 4_000), Spy()
    truth = tree_counts(counts, 7)
    noisy = hierarchical_counts(counts, 7, 0.5, spy, shares=shares)
    spent = [1 / 5] * 5 if shares is None else shares
    assert spy.asked("laplace", "scale") == pytest.approx([1 / (0.5 * share) for share in spent], rel=1e-12)
    assert [level.size for level in noisy] == level_sizes(4_000, 7)
    for level, exact, noise in zip(noisy, truth, spy.gave("laplace"), strict=True):
        assert noise.shape == exact.shape and np.array_equal(level, exact + noise)


@pytest.mark.parametrize("bins", [1, 2, 5, 37, 63, 64, 100])
def test_haar_adds_the_noise_that_orthonormal_coefficients_would_get(bins):
    """PyWavelets divides the coefficient of a node with 2**j leaves by sqrt(2**j), and its noise with it."""
    counts, rng = seeded().poisson(5, bins), seeded(4)
    height = (bins - 1).bit_length()
    coefficients = pywt.wavedec(np.pad(counts * 1.0, (0, 2**height - bins)), "haar", mode="periodization", level=height)
    scales = [(1 + height) / 0.5 / 2 ** (power / 2) for power in (height, *range(height, 0, -1))]
    noisy = [
        values + rng.laplace(scale=scale, size=values.size) for values, scale in zip(coefficients, scales, strict=True)
    ]
    expected = pywt.waverec(noisy, "haar", mode="periodization")[:bins]
    assert np.allclose(haar_histogram(counts, 0.5, seeded(4)), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize(("bins", "branching"), SHAPES)
@pytest.mark.parametrize("uneven", [False, True])
def test_exact_loss_of_the_published_tree(bins, branching, uneven):
    """One record moves one node of each level by 1, so the loss is the sum of 1/scale: epsilon exactly, no more."""
    epsilon, height = 0.7, len(level_sizes(bins, branching))
    options = {"branching": branching, "shares": geometric_shares(height, branching) if uneven else None}
    for pair in count_pairs(seeded().poisson(3, bins)):
        for mechanism in (hierarchical_counts, hierarchical_histogram):
            release = functools.partial(mechanism, epsilon=epsilon, **options)
            assert loss_from_noise(lambda c, rng, f=release: f(c, rng=rng), [pair]) == pytest.approx(epsilon)


def test_a_replaced_record_costs_twice_epsilon():
    """Replacing one record moves two nodes of a level, unless both bins are under one node."""
    counts = np.full(16, 3)
    losses = []
    for old, new in itertools.permutations(range(16), 2):
        moved = tree_counts(counts, 2), tree_counts(counts - np.eye(16)[old] + np.eye(16)[new], 2)
        losses.append(sum(np.abs(a - b).sum() for a, b in zip(*moved, strict=True)) / 4)
    assert max(losses) == 2
    assert min(losses) == 0.5


@pytest.mark.parametrize("bins", [1, 5, 64, 100])
def test_without_privacy_the_truth_comes_back(bins):
    counts = seeded().poisson(30, bins)
    assert flat_histogram(counts, 1e12, seeded()) == pytest.approx(counts, abs=1e-6)
    assert hierarchical_histogram(counts, 3, 1e12, seeded()) == pytest.approx(counts, abs=1e-6)
    assert haar_histogram(counts, 1e12, seeded()) == pytest.approx(counts, abs=1e-6)


@pytest.mark.parametrize(
    "mechanism", [flat_histogram, haar_histogram, lambda c, e, r: hierarchical_histogram(c, 4, e, r)]
)
def test_the_mechanisms_keep_their_input(mechanism):
    counts = np.array([5, 0, 40, 3, 0, 7])
    mechanism(counts, 1, seeded(7))
    assert counts.tolist() == [5, 0, 40, 3, 0, 7]


# Constrained inference.


@pytest.mark.parametrize(("bins", "branching"), SHAPES)
@pytest.mark.parametrize("uneven", [False, True])
def test_inference_is_weighted_least_squares(bins, branching, uneven):
    sizes = level_sizes(bins, branching)
    shares = geometric_shares(len(sizes), branching) if uneven else None
    levels = hierarchical_counts(seeded().poisson(4, bins), branching, 0.3, seeded(9), shares=shares)
    matrix, weight = tree_matrix(bins, branching), np.repeat(level_shares(shares, len(sizes)), sizes)
    leaves = np.linalg.lstsq(matrix * weight[:, None], np.concatenate(levels) * weight, rcond=None)[0]
    inferred = constrained_inference(levels, branching, shares)
    assert np.concatenate(inferred) == pytest.approx(matrix @ leaves)
    for children, parents in itertools.pairwise(inferred):
        assert siblings(children, branching).sum(axis=1) == pytest.approx(parents)


def test_the_book_s_two_phases_are_what_is_computed():
    """Section 4.2.3's z and n-bar, as printed, for a full tree with equal noise (erratum B7: level 1 is the leaves)."""
    branching = 3
    levels = hierarchical_counts(seeded().poisson(4, 27), branching, 0.3, seeded(10))
    z = [levels[0]]
    for i in (2, 3):
        below = siblings(z[-1], branching).sum(axis=1)
        own = (branching**i - branching ** (i - 1)) / (branching**i - 1)
        z.append(own * levels[i - 1] + (branching ** (i - 1) - 1) / (branching**i - 1) * below)
    final = [None, None, z[2]]
    for i in (1, 0):
        gap = (final[i + 1] - siblings(z[i], branching).sum(axis=1)) / branching
        final[i] = z[i] + np.repeat(gap, branching)
    for ours, printed in zip(constrained_inference(levels, branching), final, strict=True):
        assert ours == pytest.approx(printed)


def test_consistent_levels_stay_as_they_are():
    levels = tree_counts(seeded().poisson(4, 50), 3)
    for before, after in zip(levels, constrained_inference(levels, 3, [0.7, 0.1, 0.1, 0.1]), strict=True):
        assert after == pytest.approx(before)


def test_inference_leaves_its_input_alone():
    levels = hierarchical_counts(np.arange(8), 2, 0.3, seeded(9))
    copies = [level.copy() for level in levels]
    constrained_inference(levels, 2)
    assert all(np.array_equal(a, b) for a, b in zip(levels, copies, strict=True))


# Range queries.


def test_the_nodes_of_figure_4_1():
    """Section 4.2.2: [v_2, v_5] is n_8 + n_4 + n_11, here bins 1 to 4, leaf 1, parent 1, leaf 4."""
    assert sorted(range_nodes(1, 5, 2, 3)) == [(0, 1), (0, 4), (1, 1)]
    assert range_nodes(0, 8, 2, 3) == [(2, 0), (2, 1)]
    assert range_nodes(3, 4, 2, 3) == [(0, 3)]


@pytest.mark.parametrize(("bins", "branching"), SHAPES)
def test_range_nodes_make_up_the_range_with_the_fewest_nodes(bins, branching):
    sizes = level_sizes(bins, branching)
    held = {
        (lv, j): (j * branching**lv, min((j + 1) * branching**lv, bins)) for lv, s in enumerate(sizes) for j in range(s)
    }
    fewest = np.full((bins + 1, bins + 1), np.inf)
    np.fill_diagonal(fewest, 0)
    for left in reversed(range(bins)):
        for right in range(left + 1, bins + 1):
            fewest[left, right] = min(1 + fewest[b, right] for a, b in held.values() if a == left and b <= right)
    for left, right in every_range(bins).T:
        nodes = range_nodes(left, right, branching, len(sizes), bins)
        covered = sorted(itertools.chain.from_iterable(range(*held[node]) for node in nodes))
        assert covered == list(range(left, right))
        assert len(nodes) == fewest[left, right]


@pytest.mark.parametrize(("bins", "branching"), SHAPES)
def test_answers_to_all_ranges(bins, branching):
    left, right = every_range(bins)
    noisy = hierarchical_counts(seeded().poisson(4, bins), branching, 0.3, seeded(11))
    one_by_one = [
        sum(noisy[level][node] for level, node in range_nodes(a, b, branching, len(noisy), bins))
        for a, b in zip(left, right, strict=True)
    ]
    assert sum_nodes(noisy, left, right, branching) == pytest.approx(one_by_one)
    leaves = constrained_inference(noisy, branching)
    assert sum_leaves(leaves[0], left, right) == pytest.approx(sum_nodes(leaves, left, right, branching))
    assert sum_leaves(leaves[0], left, right) == pytest.approx(all_ranges(bins) @ leaves[0])


def test_one_range_gives_one_number():
    assert sum_nodes(tree_counts([1, 2, 3], 2), 0, 3, 2) == 6
    assert np.ndim(sum_nodes(tree_counts([1, 2, 3], 2), 0, 3, 2)) == np.ndim(sum_leaves([1, 2, 3], 0, 3)) == 0


# Errors.


@pytest.mark.parametrize(("bins", "branching"), SHAPES)
def test_average_error_against_all_ranges(bins, branching):
    height = len(level_sizes(bins, branching))
    used = [range_nodes(left, right, branching, height, bins) for left, right in every_range(bins).T]
    per_level = [np.mean([sum(lv == level for lv, _ in nodes) for nodes in used]) for level in range(height)]
    assert average_nodes(bins, branching) == pytest.approx(per_level)
    assert average_error(bins, branching) == pytest.approx(height**2 * np.mean([len(nodes) for nodes in used]))


@pytest.mark.parametrize(("b", "h"), [(2, 1), (2, 2), (2, 10), (3, 4), (16, 2), (16, 4), (256, 2)])
def test_the_closed_form_of_erratum_b5(b, h):
    m = b**h
    bracket = (b - 1) * h - 2 * (b + 1) / 3 + (2 * (b - 1) * h + 2 * (b + 1) / 3) / m + 2 * b / m**2
    assert average_error(m, b) == pytest.approx(h**2 * m / (m + 1) * bracket)


def test_the_book_s_approximation_goes_below_zero():
    """Erratum B5: (4.4) is -1 at two bins and 0 at four; the truth is 4/3 and 5.6."""
    assert (approximate_error(2, 2), approximate_error(4, 2)) == (-1, 0)
    assert average_error(2, 2) == pytest.approx(4 / 3)
    assert average_error(4, 2) == pytest.approx(5.6)


@pytest.mark.parametrize("bins", [1, 2, 9, 40])
def test_a_flat_histogram_is_a_tree_of_one_level(bins):
    left, right = every_range(bins)
    assert flat_error(bins) == pytest.approx((right - left).mean())
    assert average_error(bins, max(bins, 2)) == pytest.approx(flat_error(bins))
    assert inferred_error(bins, max(bins, 2)) == pytest.approx(flat_error(bins))


@pytest.mark.parametrize("bins", [*range(1, 60), 256, 300])
def test_best_branching_is_best_of_all(bins):
    for error in (average_error, inferred_error) if bins < 60 else (average_error,):
        best = min(error(bins, branching) for branching in range(2, bins + 2))
        assert error(bins, best_branching(bins, error)) == pytest.approx(best)


@pytest.mark.parametrize(("bins", "branching"), SHAPES)
@pytest.mark.parametrize("uneven", [False, True])
def test_inferred_error_against_dense_least_squares(bins, branching, uneven):
    sizes = level_sizes(bins, branching)
    shares = geometric_shares(len(sizes), branching) if uneven else None
    weighted = tree_matrix(bins, branching) * np.repeat(level_shares(shares, len(sizes)), sizes)[:, None]
    rebuild = all_ranges(bins) @ np.linalg.pinv(weighted)
    assert inferred_error(bins, branching, shares) == pytest.approx((rebuild**2).sum(axis=1).mean())


@pytest.mark.parametrize("bins", [1, 2, 5, 8, 16, 21])
def test_haar_error_against_dense_matrices(bins):
    filled = 1 << (bins - 1).bit_length()
    queries = np.hstack([all_ranges(bins), np.zeros((bins * (bins + 1) // 2, filled - bins))])
    assert haar_error(bins) == pytest.approx(strategy_error(haar_matrix(filled), queries))


def test_haar_is_close_to_a_binary_tree_with_inference_and_behind_sixteen():
    """Section 4.2.5's comparison, at 65,536 bins."""
    assert haar_error(65_536) == pytest.approx(inferred_error(65_536, 2), rel=0.01)
    assert haar_error(65_536) > 2 * inferred_error(65_536, 16)


def test_squared_error_is_the_mean_over_all_ranges():
    counts, estimate = seeded().poisson(4, 30), seeded(14).normal(4, 3, 30)
    left, right = every_range(30)
    misses = sum_leaves(estimate, left, right) - sum_leaves(counts, left, right)
    assert squared_error(estimate, counts) == pytest.approx((misses**2).mean())


# The matrix mechanism.


@pytest.mark.parametrize(("bins", "branching"), [(8, 2), (9, 3), (10, 3), (6, 16)])
def test_trees_and_flat_are_strategies(bins, branching):
    assert strategy_error(np.eye(bins), all_ranges(bins)) == pytest.approx(flat_error(bins))
    tree = tree_matrix(bins, branching)
    assert strategy_error(tree, all_ranges(bins)) == pytest.approx(inferred_error(bins, branching))
    counts = seeded().poisson(4, bins)
    answers = matrix_mechanism(counts, all_ranges(bins), tree, 0.5, seeded(15))
    leaves = hierarchical_histogram(counts, branching, 0.5, seeded(15))
    assert answers == pytest.approx(all_ranges(bins) @ leaves)


def test_matrix_mechanism_scales_its_noise_to_the_largest_column():
    """Exactly: three noises of that scale, one for each question of the strategy, and what is made of them."""
    strategy, spy = np.array([[1.0, 0], [2, 1], [-1, 1]]), Spy()
    released = matrix_mechanism([0, 0], np.eye(2), strategy, 0.5, spy)
    (noise,) = spy.gave("laplace")
    assert spy.asked("laplace", "scale") == [4 / 0.5] and noise.shape == (3,) and len(spy.calls) == 1
    assert released == pytest.approx(reconstruction_matrix(np.eye(2), strategy) @ noise, rel=1e-12)


# What is refused.

RNG = np.random.default_rng(1)
LEVELS = tree_counts(np.arange(8), 2)
NO_BINS, ONE_CHILD, NO_COUNTS = (0, 1.5, True, None), (1, 0, 2.5, 2.0, True, "2"), ([], [-1, 2], [[1, 2]])
NO_SHARES = ([0.5, 0.5], [0.5, 0.3, 0.2001], [1.2, -0.1, -0.1], [1, 0, 0], "equal", [0.1, 0.2, 0.3], [1, 1, 1])
NO_LEVELS = ([], LEVELS[:2], LEVELS[::-1], [*LEVELS, [28.0]], 3, [[np.nan, 1.0]], None)
NOT_ASKED = {"left": (0.5, "0", None), "right": (1.5,)}
REFUSED = [  # the mechanisms' other arguments: `test_refusals`
    *((f, (np.arange(8), 1, RNG), {"counts": NO_COUNTS}) for f in (flat_histogram, haar_histogram)),
    (tree_counts, (np.arange(8), 2), {"counts": NO_COUNTS, "branching": ONE_CHILD}),
    *(
        (f, (np.arange(8), 2, 1, RNG), {"counts": NO_COUNTS, "branching": ONE_CHILD, "shares": NO_SHARES})
        for f in (hierarchical_counts, hierarchical_histogram)
    ),
    (matrix_mechanism, ([1, 2], np.eye(2), np.eye(2), 1, RNG), {"counts": NO_COUNTS, "strategy": (np.eye(3),)}),
    (constrained_inference, (LEVELS, 2), {"branching": ONE_CHILD, "shares": NO_SHARES, "levels": NO_LEVELS}),
    *(
        (f, (8, 2), {"bins": NO_BINS, "branching": ONE_CHILD})
        for f in (level_sizes, average_nodes, average_error, approximate_error, inferred_error)
    ),
    (inferred_error, (8, 2), {"shares": NO_SHARES}),
    *((f, (8,), {"bins": NO_BINS}) for f in (best_branching, flat_error, haar_error, all_ranges)),
    (level_shares, ([0.5, 0.5], 2), {"shares": ([0.5, 0.6],)}),
    (geometric_shares, (2, 2), {"height": (0,), "branching": (1,)}),
    (sum_nodes, (LEVELS, 0, 8, 2), NOT_ASKED | {"levels": NO_LEVELS}),
    (sum_leaves, ([1, 2], 0, 1), NOT_ASKED | {"histogram": ([], [np.nan], [[1]])}),
    (range_nodes, (0, 2, 2, 3), {"left": (0.5,), "height": (0, 1.5), "branching": ONE_CHILD, "bins": (0,)}),
    *((range_nodes, (0, 2, 2, 3, bins), {"height": (3,)}) for bins in (4, 9)),
    (squared_error, ([1, 2], [1, 2]), {"estimate": ([1], [np.nan, 1], [[1, 2]]), "counts": ([], [np.nan, 1])}),
    *(
        (f, {"workload": np.eye(2), "strategy": np.eye(2)}, {"strategy": ([[1, 1, 1]], [[1, 1]])})
        for f in (reconstruction_matrix, strategy_error)
    ),
    *(
        (f, {"workload": [1.0, 2.0], "strategy": np.eye(2)}, {"strategy": ([1.0, 2.0],)})
        for f in (reconstruction_matrix, strategy_error)
    ),
]


@pytest.mark.parametrize(("function", "good", "refused"), REFUSED)
def test_bad_arguments_are_refused(function, good, refused):
    assert_refuses(function, good, refused)


@pytest.mark.parametrize(("left", "right"), [(-1, 2), (3, 3), (0, 9)])
def test_what_is_no_range_is_refused(left, right):
    for ask in (
        lambda: sum_nodes(LEVELS, left, right, 2),
        lambda: sum_leaves(np.arange(8), left, right),
        lambda: range_nodes(left, right, 2, 3),
    ):
        with pytest.raises(ValueError, match=r"^\(left, right\) must be .*; got "):
            ask()


def test_over_all_ranges_is_an_identity_on_prefix_sums():
    prefix = seeded().normal(size=20)
    left, right = every_range(20)
    both = np.concatenate([[0], prefix])
    mean = ((both[right] - both[left]) ** 2).mean()
    assert over_all_ranges((prefix**2).sum(), prefix.sum() ** 2, 20) == pytest.approx(mean)
