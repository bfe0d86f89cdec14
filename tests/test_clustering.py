"""Private k-means: exact losses of every round, noise as asked for, limits without noise, and what 004 gets wrong.

Neighbours are add/remove. Losses are read off the noise that a run asks for (`Transcript`); those of the claims, under
replace too, stand in `dpbook/claims/clustering.py`.
"""

import itertools
import math

import numpy as np
import pytest

from dpbook import search
from dpbook.claims.listening import Transcript
from dpbook.claims.losses import loss_from_steps
from dpbook.clustering import (
    balanced_count_share,
    breed_centroids,
    candidate_spread,
    cost,
    dplloyd,
    eugkm,
    forgy_centroids,
    from_unit_box,
    gkm,
    grid_centres,
    grid_counts,
    grid_side,
    growing_shares,
    halving_shares,
    hybrid_kmeans,
    inplace_dplloyd,
    lei_side,
    lloyd,
    nearest,
    printed_gkm,
    privgene_kmeans,
    privgene_rounds,
    spread_centroids,
    suggested_rounds,
    unit_box,
)
from dpbook.partitions import grid_side as guideline_of_maps
from tests.generators import Spy
from tests.refusals import NOT_POSITIVE, assert_refuses

RNG = np.random.default_rng(0)
START = np.array([[-0.4, -0.3], [0.5, 0.2]])
EXACT = 1e12  # an epsilon so large that no noise is left


def blobs(n=600, seed=1, dimensions=2, k=3):
    """Points around k centres in the unit box, and the centres."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-0.7, 0.7, (k, dimensions))
    return np.clip(centres[rng.integers(0, k, n)] + 0.1 * rng.normal(size=(n, dimensions)), -1, 1), centres


def slow_totals(points, centroids):
    """The sums and counts of the clusters, a point at a time; a point belongs to the first of its nearest."""
    table = np.zeros((len(centroids), len(centroids[0]) + 1))
    for point in points:
        distances = [sum((a - b) ** 2 for a, b in zip(point, centre, strict=True)) for centre in centroids]
        table[distances.index(min(distances))] += [*point, 1]
    return table


def slow_lloyd(points, centroids, rounds):
    for _ in range(rounds):
        table = slow_totals(points, centroids)
        centroids = np.array([row[:-1] / row[-1] if row[-1] else o for row, o in zip(table, centroids, strict=True)])
    return centroids


# The box, and k-means without privacy


def test_the_unit_box_and_back():
    points, bounds = np.array([[0.0, 100], [5, 300], [10, 200]]), ([0, 100], [10, 300])
    boxed = unit_box(points, bounds)
    assert boxed.tolist() == [[-1, -1], [0, 1], [1, 0]]
    np.testing.assert_allclose(from_unit_box(boxed, bounds), points)
    assert unit_box([[3], [-3]], (-3, 3)).tolist() == [[1], [-1]]
    within = np.array([[2.0, 150], [4, 250]])  # the bounds count, not the data's own smallest and largest
    np.testing.assert_allclose(unit_box(within, bounds), [[-0.6, -0.5], [-0.2, 0.5]])
    ends = unit_box(np.array([[0.1], [0.7]]), (0.1, 0.7))
    assert np.all(np.abs(ends) <= 1)


@pytest.mark.parametrize(("dimensions", "k"), [(1, 2), (2, 3), (5, 7)])
def test_cost_nearest_and_lloyd_are_those_of_plain_loops(dimensions, k):
    points, _ = blobs(80, dimensions, dimensions, k)
    centroids = np.random.default_rng(5).uniform(-1, 1, (k, dimensions))
    distances = np.square(points[:, None] - centroids).sum(axis=2)
    assert np.array_equal(nearest(points, centroids), distances.argmin(axis=1))
    assert cost(points, centroids) == pytest.approx(distances.min(axis=1).mean(), abs=1e-12)
    released = lloyd(points, centroids, 4)
    assert released.path.shape == (5, k, dimensions) and np.array_equal(released.path[0], centroids)
    for rounds in range(1, 5):
        np.testing.assert_allclose(released.path[rounds], slow_lloyd(points, centroids, rounds), atol=1e-12)
    assert np.array_equal(released.centroids, released.path[-1])


def test_a_point_belongs_to_the_first_of_its_nearest():
    assert nearest([[0.0, 0], [1, 1]], [[0.5, 0], [-0.5, 0], [0.5, 0]]).tolist() == [0, 0]


@pytest.mark.parametrize("d", range(2, 6))
def test_one_point_more_leaves_the_others_where_they_were(d):
    """Points just between two centroids: a product of matrices rounds them in another way when there is one more."""
    rng = np.random.default_rng(d)
    for _ in range(500):
        centroids = np.round(rng.uniform(-1, 1, (int(rng.integers(2, 5)), d)), 1)
        points = np.tile((centroids[0] + centroids[1]) / 2, (int(rng.integers(1, 10)), 1))
        more = np.vstack([points, np.round(rng.uniform(-1, 1, (1, d)), 1)])
        assert np.array_equal(nearest(more, centroids)[:-1], nearest(points, centroids))


def test_a_cluster_without_points_stays_and_costs_fall():
    points, _ = blobs()
    path = lloyd(points, [[0.9, -0.9], [0.0, 0.0], [0.1, 0.1], [-1.0, -1.0]], 20).path
    costs = [cost(points, centroids) for centroids in path]
    assert np.all(np.diff(costs) <= 1e-12)
    assert lloyd(np.empty((0, 2)), START, 3).centroids.tolist() == START.tolist()


# Starts


def test_a_public_start_sees_the_generator_alone():
    one, same = (spread_centroids(3, 5, np.random.default_rng(7)) for _ in range(2))
    assert one.shape == (5, 3) and np.array_equal(one, same) and np.all(np.abs(one) <= 1)


@pytest.mark.parametrize(("dimensions", "k"), [(1, 1), (1, 6), (2, 4), (2, 16), (16, 16)])
def test_spread_starts_keep_away_from_walls_and_each_other(dimensions, k):
    for seed in range(5):
        centroids = spread_centroids(dimensions, k, np.random.default_rng(seed))
        apart = [math.dist(one, other) for one, other in itertools.combinations(centroids, 2)]
        wall = 1 - np.abs(centroids).max()
        fits = [a for a in 0.5 ** np.arange(1, 12) if wall >= a and min(apart, default=2) >= 2 * a]
        assert fits and (dimensions == 1 or k > 4 or fits[0] >= 1 / 8)


def test_spread_starts_halve_their_distance_where_they_do_not_fit():
    """Four places 2 a apart, a from the walls: a = 1/2 would leave only the corners of a square of 1, so a is less."""
    outermost = [np.abs(spread_centroids(2, 4, np.random.default_rng(seed))).max() for seed in range(50)]
    assert np.median(outermost) > 0.5 and max(outermost) <= 0.75


def test_forgy_starts_at_records():
    points, _ = blobs(50)
    start = forgy_centroids(points, 4, np.random.default_rng(1))
    assert len({tuple(row) for row in start}) == 4 and {tuple(row) for row in start} <= {tuple(row) for row in points}


# DPLloyd


@pytest.mark.parametrize("rounds", [1, 5])
def test_every_pair_on_a_grid_loses_exactly_what_the_record_weighs(rounds):
    """epsilon (|x|_1 + 1) / (d + 1), over t rounds: all of epsilon in a corner, a third of it in the centre."""
    epsilon, grid = 0.3, np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=2)))

    def run(points, rng):
        return dplloyd(points, START, rounds, epsilon, rng)

    datasets = [grid[list(some)] for size in range(3) for some in itertools.combinations(range(9), size)]
    for data in datasets[:: 1 if rounds == 1 else 5]:
        for x in grid:
            loss = loss_from_steps(run, [(data, np.vstack([data, x]))])
            assert loss == pytest.approx(epsilon * (np.abs(x).sum() + 1) / 3, rel=1e-12)


@pytest.mark.parametrize("dimensions", [1, 2, 5])
@pytest.mark.parametrize("shares", [None, halving_shares(4) / (1 - 2.0**-4), growing_shares(4)])
@pytest.mark.parametrize("count_share", [None, 0.1, 0.7])
def test_a_corner_loses_epsilon_however_it_is_shared_out(dimensions, shares, count_share):
    points, _ = blobs(40, 3, dimensions)
    start, corner = spread_centroids(dimensions, 3, np.random.default_rng(2)), np.ones((1, dimensions))

    def run(points, rng):
        return dplloyd(points, start, 4, 0.8, rng, shares=shares, count_share=count_share)

    assert loss_from_steps(run, [(points, np.vstack([points, corner]))]) == pytest.approx(0.8, rel=1e-12)


def test_the_table_that_gets_noise_is_that_of_one_partition_and_the_scale_is_that_of_all_rounds():
    points, _ = blobs(60)
    heard = Transcript()
    released = dplloyd(points, START, 5, 0.5, heard)
    assert len(heard.noises) == 5
    for noise, before, after in zip(heard.noises, released.path, released.path[1:], strict=False):
        np.testing.assert_allclose(noise.value, slow_totals(points, before), atol=1e-12)
        assert noise.scale == pytest.approx(3 * 5 / 0.5)  # (d + 1) t / epsilon
        sums, counts = noise.noisy[:, :-1], noise.noisy[:, -1:]
        np.testing.assert_array_equal(after, np.where(counts > 1, np.clip(sums / counts, -1, 1), before))


def test_counts_apart_have_scales_of_their_own():
    heard = Transcript()
    dplloyd(blobs(60)[0], START, 2, 1.0, heard, shares=[0.25, 0.5], count_share=0.2)
    assert [noise.scale for noise in heard.noises] == pytest.approx([2 / 0.2, 1 / 0.05, 2 / 0.4, 1 / 0.1])


def test_a_cluster_with_a_noisy_count_up_to_one_stays_and_what_leaves_the_box_is_cut():
    points = np.zeros((3, 2))
    for count, expected in ((1.0, [-0.4, -0.3]), (-7.0, [-0.4, -0.3]), (1.5, [1, -0.2]), (10.0, [0.3, -0.03])):
        noisy = np.array([[3.0, -0.3, count], [0, 0, 0]])
        released = dplloyd(points, START, 1, 1.0, Transcript(noisy=[noisy]))
        np.testing.assert_allclose(released.centroids, [expected, START[1]])


@pytest.mark.parametrize(("dimensions", "k"), [(1, 2), (2, 3), (7, 5)])
def test_without_noise_it_is_lloyd_round_by_round(dimensions, k):
    points, centres = blobs(300, dimensions, dimensions, k)
    start = np.clip(centres + 0.1 * np.random.default_rng(4).normal(size=centres.shape), -1, 1)
    exact = lloyd(points, start, 5).path
    assert min(np.bincount(nearest(points, o), minlength=k).min() for o in exact) > 1, "no cluster that would stay"
    for options in ({}, {"count_share": 0.3}, {"shares": growing_shares(5)}):
        private = dplloyd(points, start, 5, EXACT, np.random.default_rng(1), **options)
        np.testing.assert_allclose(private.path, exact, atol=1e-6)
        assert np.array_equal(private.centroids, private.path[-1])


def test_no_records_at_all_are_a_dataset_too():
    released = dplloyd(np.empty((0, 2)), START, 3, 1.0, np.random.default_rng(1))
    assert released.path.shape == (4, 2, 2)


# The loop of Algorithm 6


def test_without_noise_the_loop_in_place_moves_one_centroid_at_a_time():
    points, _ = blobs(200)
    moving = START.copy()
    for j in range(2):
        table = slow_totals(points, moving)
        if table[j, -1]:  # a centroid without points stays
            moving[j] = table[j, :-1] / table[j, -1]
    np.testing.assert_allclose(inplace_dplloyd(points, START, 1, EXACT, RNG).centroids, moving, atol=1e-6)


# Sharing epsilon out


def test_shares():
    np.testing.assert_allclose(halving_shares(3), [0.5, 0.25, 0.125])
    assert halving_shares(5).sum() == 1 - 2**-5 and halving_shares(5)[-1] * 5 == 0.15625
    np.testing.assert_allclose(growing_shares(4), [0.1, 0.2, 0.3, 0.4])
    assert balanced_count_share(2) == pytest.approx(0.27004, abs=5e-6)


def test_the_balanced_share_makes_the_error_least():
    """The error of a sum over a count: d (sum's scale)^2 + (|o| count's scale)^2, per count squared."""
    for dimensions in (1, 2, 8):
        share = np.linspace(0.01, 0.99, 9801)
        error = dimensions * (dimensions / (1 - share)) ** 2 + dimensions * 0.45**2 / share**2
        assert balanced_count_share(dimensions) == pytest.approx(share[error.argmin()], abs=2e-4)


def test_suggested_rounds():
    x = math.cbrt(2 * 0.45**2)
    least = math.sqrt(500 * 8**3 / 5912**2 * (2 + x) ** 3)
    for epsilon in (0.01, 0.5, 1.0, 3.0, 50.0):
        assert suggested_rounds(5912, 2, 8, epsilon) == int(np.clip(epsilon / least, 2, 7))
    assert suggested_rounds(-3, 2, 8, 1.0) == 2 and suggested_rounds(1e5, 2, 8, 10.0) == 7


# Grids


def test_sides():
    assert grid_side(100_000, 2, 1.0) == 100 == guideline_of_maps(100_000, 10, 1.0)
    assert [grid_side(100_000, d, 1.0) for d in (1, 2, 4, 8, 16)] == [464, 100, 22, 6, 3]
    assert grid_side(-5, 2, 1.0) == grid_side(0, 3, 1.0) == 1 and grid_side(5912, 2, 0.1) == 8
    assert grid_side(1000, 2, 1.0, theta=40) == 5
    assert lei_side(100_000, 2) == 172 and lei_side(1, 2) == lei_side(-4, 2) == 1
    assert lei_side(100_000, 3) == round(29_471.8 ** (2 / 5))


@pytest.mark.parametrize(("side", "dimensions"), [(1, 2), (4, 1), (3, 2), (5, 3)])
def test_counts_lie_where_the_centres_say(side, dimensions):
    points, _ = blobs(300, 2, dimensions)
    points = np.vstack([points, np.ones(dimensions), -np.ones(dimensions)])
    centres, counts = grid_centres(side, dimensions), grid_counts(points, side)
    assert counts.shape == (side**dimensions,) and counts.sum() == len(points)
    for centre, count in zip(centres, counts, strict=True):
        inside = np.all((points >= centre - 1 / side - 1e-12) & (points < centre + 1 / side - 1e-12), axis=1)
        last = np.all((points <= centre + 1 / side + 1e-12) & (points >= centre - 1 / side - 1e-12), axis=1)
        assert inside.sum() <= count <= last.sum()
    assert np.array_equal(grid_counts(centres, side), np.ones(side**dimensions))


def test_centroids_of_a_grid_come_from_its_noisy_counts_alone():
    noisy = np.random.default_rng(1).normal(5, 10, 36)
    one, other = (eugkm(blobs(seed=seed)[0], 6, 3, 1.0, Transcript(noisy=[noisy])) for seed in (1, 2))
    assert np.array_equal(one.centroids, other.centroids) and np.array_equal(one.counts, noisy)


def test_cells_below_zero_weigh_nothing_and_the_cheapest_start_is_kept():
    noisy = np.random.default_rng(2).normal(2, 10, 25)
    centres, weights, rng = grid_centres(5, 2), np.maximum(noisy, 0), Transcript(noisy=[noisy])
    released = eugkm(blobs()[0], 5, 2, 1.0, rng, rounds=3, starts=4)
    rng = Transcript(noisy=[noisy])
    noisy + rng.laplace(scale=1.0, size=25)  # as the mechanism draws it
    ends = []
    for _ in range(4):
        centroids = spread_centroids(2, 2, rng)
        for _ in range(3):
            labels = nearest(centres, centroids)
            heavy = [weights[labels == j].sum() for j in range(2)]
            sums = [weights[labels == j] @ centres[labels == j] for j in range(2)]
            centroids = np.array([sums[j] / heavy[j] if heavy[j] else centroids[j] for j in range(2)])
        distances = np.square(centres[:, None] - centroids).sum(axis=2).min(axis=1)
        ends.append((weights @ distances, sorted(centroids.tolist())))  # two starts may end alike, in another order
    np.testing.assert_allclose(sorted(released.centroids.tolist()), min(ends)[1], atol=1e-12)


def test_without_noise_a_fine_grid_finds_lloyds_optimum_to_within_a_cell():
    points, _ = blobs(2000)
    ends = [lloyd(points, spread_centroids(2, 3, np.random.default_rng(s)), 30).centroids for s in range(10)]
    best = min(ends, key=lambda end: cost(points, end))
    found = eugkm(points, 60, 3, EXACT, np.random.default_rng(1), rounds=50, starts=10)
    assert np.array_equal(np.round(found.counts), grid_counts(points, 60))
    for centre in best:
        assert np.abs(found.centroids - centre).max(axis=1).min() < 2 / 60
    hybrid = hybrid_kmeans(points, 60, 3, EXACT, np.random.default_rng(1), rounds=50, starts=10)
    assert hybrid.path.shape == (2, 3, 2) and np.array_equal(hybrid.centroids, hybrid.path[-1])
    np.testing.assert_allclose(hybrid.path[0], found.centroids, atol=1e-9)
    np.testing.assert_allclose(hybrid.centroids, lloyd(points, hybrid.path[0], 1).centroids, atol=1e-6)


def test_a_grid_without_any_heavy_cell_releases_its_start():
    released = eugkm(np.empty((0, 2)), 2, 3, 1.0, Transcript(noisy=[-np.ones(4)]))
    assert released.centroids.shape == (3, 2) and released.counts.tolist() == [-1] * 4


# Blocks


def sorted_rows(centroids):
    return np.array(sorted(map(tuple, centroids)))


def test_one_block_without_noise_is_lloyd_sorted():
    points, _ = blobs()
    rng = np.random.default_rng(6)
    found = gkm(points, 1, 3, 8, EXACT, rng)
    start = spread_centroids(2, 3, np.random.default_rng(6))
    np.testing.assert_allclose(found, sorted_rows(lloyd(points, start, 8).centroids), atol=1e-6)


@pytest.mark.parametrize(("mechanism", "scale"), [(gkm, 2 * 3 * 2 / (5 * 0.7)), (printed_gkm, 2 * 3 / (5 * 0.7))])
def test_blocks_are_averaged_and_the_scale_is_that_of_one_block(mechanism, scale):
    """k d (max - min) / (m epsilon); as printed, without the d."""
    points, _ = blobs(50)
    spy, heard = Spy(9), Transcript()
    mechanism(points, 5, 3, 4, 0.7, spy)
    mechanism(points, 5, 3, 4, 0.7, heard)
    (assigned,) = spy.gave("integers")
    assert assigned.shape == (50,) and set(assigned.tolist()) == set(range(5))
    (noise,) = heard.noises
    assert noise.scale == pytest.approx(scale) and noise.value.shape == (3, 2)
    assert spy.asked("laplace", "scale") == [pytest.approx(scale)]
    start = spread_centroids(2, 3, np.random.default_rng(9))
    blocks = [sorted_rows(lloyd(points[assigned == b], start, 4).centroids) for b in range(5)]
    quiet = mechanism(points, 5, 3, 4, EXACT, np.random.default_rng(9))
    np.testing.assert_allclose(quiet, np.mean(blocks, axis=0), atol=1e-6)


def test_blocks_and_evolution_answer_for_no_records_too():
    """No record is a neighbour of one record: an error would tell that somebody was the only one."""
    pairs = [(np.empty((0, 2)), np.array([corner])) for corner in itertools.product((-1.0, 0.0, 1.0), repeat=2)]
    for blocks in (1, 3):
        assert 0.1 < loss_from_steps(lambda data, rng, b=blocks: gkm(data, b, 1, 2, 1.0, rng), pairs) <= 1
    bred = {"population": 3, "selected": 2}
    assert 0.1 < loss_from_steps(lambda data, rng: privgene_kmeans(data, 1, 2, 1.0, rng, **bred), pairs) <= 1


# Evolution


def test_rounds_of_evolution():
    assert privgene_rounds(100_000, 1.0) == 12 and privgene_rounds(100_000, 1.0, selected=5) == 25
    assert privgene_rounds(5912, 1.0) == privgene_rounds(-9, 1.0) == 2


def test_the_spread_bounds_what_any_record_can_cost():
    rng = np.random.default_rng(1)
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    for _ in range(50):
        candidates = rng.uniform(-1, 1, (4, 2, 3))
        costs = np.square(corners[:, None, None] - candidates).sum(axis=3).min(axis=2)
        assert search.loss_spread(costs) <= costs.max() <= candidate_spread(candidates) + 1e-12 <= 4 * 3 + 1e-12
    one = rng.uniform(-1, 1, (5, 1, 3))  # one centroid: its far corner is a record that costs all of it
    costs = np.square(corners[:, None] - one[:, 0]).sum(axis=2)
    assert candidate_spread(one) == pytest.approx(costs.max())
    assert candidate_spread([[[0.0, 0], [1, 1]]]) == 2


def test_children_come_from_their_parents_and_stay_in_the_box():
    rng = np.random.default_rng(2)
    parents = rng.uniform(-1, 1, (3, 4, 2))
    born = breed_centroids(parents, 40, rng)
    assert born.shape == (40, 4, 2) and np.array_equal(born[:3], parents) and np.abs(born).max() <= 1
    for child in born[3:]:
        kept = [any(np.array_equal(child[j], parent[j]) for parent in parents) for j in range(4)]
        near = [any(np.abs(child[j] - parent[j]).max() <= 0.2 for parent in parents) for j in range(4)]
        assert sum(kept) >= 3 and all(near)
    assert np.any(np.ptp(breed_centroids(parents, 500, rng)[3:], axis=0) > 0)


def test_evolution_without_noise_takes_the_cheapest_and_gets_better():
    points, _ = blobs(300)
    candidates = np.random.default_rng(5).uniform(-1, 1, (30, 3, 2))
    best = min(candidates, key=lambda one: cost(points, one))
    found = privgene_kmeans(points, 3, 1, EXACT, np.random.default_rng(5), population=30, selected=4)
    assert np.array_equal(found.candidate, best)
    longer = privgene_kmeans(points, 3, 60, EXACT, np.random.default_rng(5), population=60, selected=4)
    optimum = min(cost(points, lloyd(points, spread_centroids(2, 3, RNG), 30).centroids) for _ in range(10))
    costs = [cost(points, one) for one in longer.path]
    assert len(costs) == 60 and np.all(np.diff(costs) <= 1e-12) and costs[-1] < 1.1 * optimum


# Bad input

POINT = [[0.1, 0.2]]
NO_POINTS = ([[0.0, 1.001]], [[np.nan, 0]], [[np.inf, 0]], [0.1, 0.2], "ab", [[[0.0, 1]]], np.empty((3, 0)), None)
MECHANISMS = {
    dplloyd: (POINT, START, 2, 1.0, RNG),
    inplace_dplloyd: (POINT, START, 2, 1.0, RNG),
    eugkm: (POINT, 3, 2, 1.0, RNG),
    hybrid_kmeans: (POINT, 3, 2, 1.0, RNG),
    gkm: (POINT, 3, 2, 2, 1.0, RNG),
    printed_gkm: (POINT, 3, 2, 2, 1.0, RNG),
    privgene_kmeans: (POINT, 2, 2, 1.0, RNG),
}
WITHOUT = {
    cost: (POINT, START),
    nearest: (POINT, START),
    lloyd: (POINT, START, 1),
    forgy_centroids: (POINT, 1, RNG),
    grid_counts: (POINT, 3),
}
REFUSED = [
    *((function, good, {"points": NO_POINTS}) for function, good in (MECHANISMS | WITHOUT).items()),
    (gkm, MECHANISMS[gkm], {"points": (np.empty((0, 0)),), "rounds": (0,), "blocks": (0,)}),
    (privgene_kmeans, MECHANISMS[privgene_kmeans], {"points": (np.empty(0),)}),
    (cost, (POINT, START), {"points": (np.empty((0, 2)),)}),
    (unit_box, ([[1.0]], (0, 10)), {"points": ([[1.0], [11]],)}),
    (unit_box, ([[1.0, 2]], (0, 10)), {"bounds": (([0, 3], [1, 3]), ([0, 3, 1], [1, 4, 2]))}),
    (from_unit_box, ([[0.1]], (0, 1)), {"bounds": ((0, np.nan), 3)}),
    (
        dplloyd,
        MECHANISMS[dplloyd],
        {"centroids": ([[0.1]],), "rounds": (0,), "shares": ([0.5, 0.51], [1, 0], [1.0]), "count_share": (1,)},
    ),
    (lloyd, (POINT, START, 1), {"centroids": ([[0, 2]],), "rounds": (1.5,)}),
    (nearest, (POINT, START), {"centroids": (np.empty((0, 2)),)}),
    (eugkm, MECHANISMS[eugkm], {"rounds": (0,), "starts": (0,), "k": (0,), "side": (0,)}),
    (forgy_centroids, (POINT, 1, RNG), {"k": (2,)}),
    (spread_centroids, (2, 2, RNG), {"k": (0,), "dimensions": (0,)}),
    (grid_counts, (np.zeros((1, 16)), 1), {"side": (3,)}),
    (grid_centres, (1, 2), {"side": (4097,)}),
    (privgene_rounds, (10, 1.0), {"selected": (0,)}),
    (privgene_kmeans, (POINT, 2, 2, 1.0, RNG), {"selected": (201,)}),
    (breed_centroids, (np.zeros((1, 2, 2)), 1, RNG), {"population": (0,)}),
    (candidate_spread, ([[[0.1, 0.2]]],), {"candidates": (POINT,)}),
    (grid_side, (10, 2, 1.0), {"count": (np.nan,), "theta": NOT_POSITIVE}),
    (lei_side, (10, 1), {"dimensions": (0,)}),
    (balanced_count_share, (2,), {"spread": NOT_POSITIVE}),
    *((shares, (1,), {"rounds": (0,)}) for shares in (halving_shares, growing_shares)),
    (suggested_rounds, (10, 2, 3, 1.0), {"count": (None,)}),
]


@pytest.mark.parametrize(("function", "good", "refused"), REFUSED)
def test_bad_arguments_are_refused(function, good, refused):
    assert_refuses(function, good, refused)


def test_arguments_are_left_as_they_were():
    points, _ = blobs(30)
    copies = points.copy(), START.copy()
    for mechanism, (_, *rest) in MECHANISMS.items():
        mechanism(points, *rest)
    assert np.array_equal(points, copies[0]) and np.array_equal(START, copies[1])


def test_enough_parents_have_no_children():
    parents = RNG.uniform(-1, 1, (10, 2, 3))
    assert np.array_equal(breed_centroids(parents, 5, RNG), parents)
    assert len(breed_centroids(parents, 12, RNG)) == 12
