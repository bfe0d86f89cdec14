"""Noise that remembers: strategies and their numbers, sensitivities, the law of the noise, totals and trainings.

Tests that draw have fixed seeds and false alarms of 1e-6.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import linalg, stats

from dpbook.continual import binary_counter_error, node_sums
from dpbook.correlated import (
    banded_multiplier,
    correlated_noise,
    correlated_totals,
    correlated_training,
    dp_ftrl,
    marginal_account_totals,
    momentum_workload,
    one_use_ftrl,
    optimal_strategy,
    prefix_workload,
    root_coefficients,
    root_strategy,
    strategy_errors,
    strategy_sensitivity,
    tree_strategy,
)
from dpbook.gaussian import gaussian_epsilon, gaussian_scale
from dpbook.gradients import Recipe, clip_rows, clipped_gradient, dp_sgd, training_epsilon, training_multiplier
from tests.alarms import FALSE_ALARM, assert_normal
from tests.generators import Spy
from tools.book.papers import correlated as curves
from tools.book.papers import stored

UNIT = gaussian_scale(1, 1, 1e-6)
FOUR = {"participations": 4, "separation": 64, "fixed": True}
RECIPE = Recipe(0.0, 6, 1.0, 0.1, 0.2)


def seeded(seed=1):
    return np.random.default_rng(seed)


def people(records=40, attributes=3, seed=1):
    rng = seeded(seed)
    features = clip_rows(rng.normal(size=(records, attributes)) / 1.5, 1.0)
    return features, np.where(rng.random(records) < 1 / (1 + np.exp(-6 * features[:, 0])), 1.0, -1.0)


def errors(strategy, workload=None, **uses):
    found = strategy_errors(strategy, prefix_workload(len(strategy)) if workload is None else workload, **uses)
    assert found.largest == pytest.approx(found.each.max()) and len(found.each) == len(strategy)
    assert found.rms == pytest.approx(math.sqrt(np.mean(found.each**2)))
    return found


# Strategies.


@pytest.mark.parametrize("steps", [1, 2, 7, 8, 21, 64])
def test_the_tree_is_the_counter_of_chapter_17(steps):
    stream = seeded().normal(size=steps)
    assert tree_strategy(steps) @ stream == pytest.approx(node_sums(stream))
    decoder = prefix_workload(steps) @ np.linalg.inv(tree_strategy(steps))
    ones = [bin(t).count("1") for t in range(1, steps + 1)]
    assert decoder.sum(axis=1) == pytest.approx(ones) and np.allclose(decoder, np.round(decoder))


@pytest.mark.parametrize("steps", [1, 2, 16, 256])
def test_the_root_is_the_root(steps):
    root, coefficients = root_strategy(steps), root_coefficients(steps)
    assert np.allclose(root @ root, prefix_workload(steps), atol=1e-12)
    assert coefficients[:4] == pytest.approx([1, 1 / 2, 3 / 8, 5 / 16][:steps])
    found = errors(root)
    assert found.largest == pytest.approx(np.sum(coefficients**2)) == pytest.approx(found.sensitivity**2)


def test_the_numbers_of_each_strategy_for_one_use():
    eye, tree = np.eye(256), tree_strategy(256)
    for strategy, largest, rms in (
        (eye, 16, 11.335784),
        (prefix_workload(256), 16, 16),
        (tree, 8.4853, 6.0029),
        (root_strategy(256), 2.8310, 2.66878),
        (root_strategy(256, bands=1), 16, 11.335784),
        (root_strategy(256, bands=4), 8.9857, 6.409945),
        (root_strategy(256, bands=16), 5.2197, 3.858117),
        (root_strategy(256, bands=64), 3.4076, 2.799487),
        (root_strategy(256, bands=128), 3.0198, 2.65557),
    ):
        assert errors(strategy)[2:] == pytest.approx((largest, rms), abs=1e-4)
    assert errors(tree).sensitivity == 3


def test_the_noise_of_a_step_takes_back_half_of_the_last():
    inverse = np.linalg.inv(root_strategy(64))
    assert inverse[4, :5] == pytest.approx([-5 / 128, -1 / 16, -1 / 8, -1 / 2, 1])
    covariance = inverse @ inverse.T
    assert covariance[62, 63] / math.sqrt(covariance[62, 62] * covariance[63, 63]) == pytest.approx(-0.3333, abs=1e-4)
    covariance = root_strategy(64) @ root_strategy(64).T
    assert covariance[62, 63] / math.sqrt(covariance[62, 62] * covariance[63, 63]) == pytest.approx(0.7332, abs=1e-4)


@pytest.mark.parametrize("steps, rms, bound", [(1, 1, 1), (16, 1.689404, 1.62845), (64, 2.099856, 2.04013)])
def test_the_best_strategy_is_certified(steps, rms, bound):
    """Primal = dual, at or below the root, never below the nuclear bound; and no random strategy is better."""
    workload = prefix_workload(steps)
    best = optimal_strategy(workload)
    assert not np.triu(best, 1).any() and np.sum(best**2, axis=0).max() == pytest.approx(1, abs=1e-12)
    found = errors(best).rms
    assert found == pytest.approx(rms, abs=1e-5) and found <= errors(root_strategy(steps)).rms + 1e-12
    nuclear = np.linalg.svd(workload, compute_uv=False).sum() / steps
    assert nuclear == pytest.approx(bound, abs=1e-5) and found >= nuclear - 1e-12
    assert found**2 == pytest.approx(dual_bound(workload, best) / steps, rel=1e-6)
    for seed in range(20):
        other = best + np.tril(0.05 * seeded(seed).normal(size=best.shape))
        assert errors(other).rms >= found - 1e-9


def dual_bound(workload, strategy):
    """2 tr((D^1/2 G D^1/2)^1/2) - tr D for the D that the strategy names: no strategy has less."""
    product = np.linalg.inv(strategy.T @ strategy)
    gram = workload.T @ workload
    dual = np.diag(product @ gram @ product)
    assert np.all(dual > 0)
    half = np.sqrt(dual)
    return 2 * np.sqrt(np.maximum(np.linalg.eigvalsh(half[:, None] * gram * half), 0)).sum() - dual.sum()


def test_momentum_is_post_processing_and_the_root_of_its_own_workload_is_better():
    workload = momentum_workload(256, 0.9)
    assert workload[3, 0] == pytest.approx(1 + 0.9 + 0.81 + 0.729) and workload[0, 0] == 1
    assert np.array_equal(momentum_workload(5, 0.0), prefix_workload(5))
    rms = [errors(one, workload).rms for one in (np.eye(256), tree_strategy(256), root_strategy(256))]
    assert rms == pytest.approx([107.389, 40.0316, 19.2288], abs=1e-3)
    walked, speed, weights = seeded().normal(size=256), 0.0, [0.0]
    for pull in walked:
        speed = 0.9 * speed + pull
        weights.append(weights[-1] + speed)
    assert workload @ walked == pytest.approx(weights[1:])
    for steps, least, most in ((256, 17.109, 19.229), (64, 12.318, 13.628)):
        heavy, first = momentum_workload(steps, 0.9), root_coefficients(steps)
        series = np.convolve(first, first * 0.9 ** np.arange(steps))[:steps]  # the root of 1 / ((1 - x)(1 - m x))
        own = linalg.toeplitz(series, np.zeros(steps))
        assert own @ own == pytest.approx(heavy)
        found = [errors(one, heavy).rms for one in (own, root_strategy(steps))]
        assert found == pytest.approx([least, most], abs=5e-4)
    few = momentum_workload(64, 0.9)
    best = errors(optimal_strategy(few, rounds=1_000), few).rms
    assert best == pytest.approx(11.438, abs=5e-4) and 12.318 < 1.1 * best


# Sensitivity.


def allowed(steps, uses, separation):
    for number in range(1, uses + 1):
        for chosen in itertools.combinations(range(steps), number):
            if all(b - a >= separation for a, b in itertools.pairwise(chosen)):
                yield list(chosen)


@pytest.mark.parametrize("uses", [1, 2, 3])
@pytest.mark.parametrize("separation", range(1, 9))
def test_every_route_gives_what_trying_all_gives(uses, separation):
    steps, rng = 14, seeded(separation)
    banded = np.tril(rng.random((steps, steps))) + np.eye(steps)
    banded[np.subtract.outer(np.arange(steps), np.arange(steps)) >= separation] = 0
    for strategy in (banded, root_strategy(steps), np.tril(rng.random((steps, steps))) + 0.1 * np.eye(steps)):
        brute = max(np.linalg.norm(strategy[:, chosen].sum(axis=1)) for chosen in allowed(steps, uses, separation))
        found = strategy_sensitivity(strategy, participations=uses, separation=separation)
        assert found == pytest.approx(brute, rel=1e-12)


def test_a_fixed_order_uses_every_so_many_steps():
    for strategy in (root_strategy(13), tree_strategy(13)):
        for separation in (3, 4):
            uses = math.ceil(13 / separation)
            brute = max(np.linalg.norm(strategy[:, r::separation].sum(axis=1)) for r in range(separation))
            found = strategy_sensitivity(strategy, participations=uses, separation=separation, fixed=True)
            assert found == pytest.approx(brute)
    late = strategy_sensitivity(np.diag(np.arange(1.0, 7)), participations=2, separation=2, fixed=True)
    assert late == pytest.approx(math.hypot(4, 6))  # the two uses that weigh most are the last


@pytest.mark.parametrize(
    "strategy",
    [np.diag([1.0, 2, 3, 4]) + 0.5 * np.eye(4, k=-1), linalg.toeplitz([2.0, 0, 0, -3], np.zeros(4))],
    ids=["no Toeplitz matrix", "below 0"],
)
def test_early_uses_are_not_the_worst_of_every_matrix_whose_first_column_falls(strategy):
    products = np.abs(strategy.T @ strategy)
    worst = max(products[np.ix_(chosen, chosen)].sum() for chosen in allowed(4, 2, 1))
    assert products[:2, :2].sum() < 0.6 * worst
    assert strategy_sensitivity(strategy, participations=2) == pytest.approx(math.sqrt(worst))


def test_with_minus_signs_it_is_never_below_what_a_search_finds():
    rng = seeded()
    strategy = np.tril(rng.normal(size=(12, 12))) + np.eye(12)
    found = strategy_sensitivity(strategy, participations=3, separation=2)
    for _ in range(1_000):
        chosen = np.sort(rng.choice(4, 3, replace=False)) * 3 + rng.integers(2)
        pulls = rng.normal(size=(3, 2))
        pulls /= np.linalg.norm(pulls, axis=1, keepdims=True)
        assert np.linalg.norm(strategy[:, chosen] @ pulls) <= found + 1e-12


def test_contributions_of_opposite_signs_can_be_the_worst():
    """C = ((1, 0), (-1, 1)): one unit more and then one less moves C x by (1, -2); twice one more only by (1, 0)."""
    strategy = np.array([[1.0, 0], [-1, 1]])
    assert np.linalg.norm(strategy @ [1, -1]) == pytest.approx(math.sqrt(5))
    for fixed in (False, True):
        assert strategy_sensitivity(strategy, participations=2, fixed=fixed) == pytest.approx(math.sqrt(5))


def test_four_passes_of_64():
    cases = (
        (np.eye(256), 22.67, 32, 2.123, 1.0),
        (tree_strategy(256), 13.57, 19.18, 2.429, 1.141),
        (root_strategy(256), 6.63, 7.03, 2.696, 1.264),
        (root_strategy(256, bands=64), 5.60, 6.82, 2.123, 1.0),
    )
    for strategy, rms, largest, one_use, rooted in cases:
        found, once = errors(strategy, **FOUR), strategy_sensitivity(strategy)
        assert (found.rms, found.largest) == pytest.approx((rms, largest), abs=5e-3)
        true = [gaussian_epsilon(found.sensitivity, UNIT * factor * once, 1e-6) for factor in (1, 2)]
        assert true == pytest.approx([one_use, rooted], abs=5e-4)
    restarts = [errors(np.kron(np.eye(4), one(64)), **FOUR).rms for one in (tree_strategy, root_strategy)]
    assert restarts == pytest.approx([11.24, 7.36], abs=5e-3)


# Noise and totals.


def test_the_law_of_the_noise():
    strategy = root_strategy(5, bands=3)
    noise = correlated_noise(strategy, 2.0, seeded(), width=40_000)
    assert_normal(strategy @ noise, 2.0)
    inverse = np.linalg.inv(strategy)
    wanted, found = 4 * inverse @ inverse.T, noise @ noise.T / 40_000
    spread = np.sqrt((wanted**2 + np.outer(np.diag(wanted), np.diag(wanted))) / 40_000)
    limit = stats.norm.isf(FALSE_ALARM / 50)
    assert np.all(np.abs(found - wanted) < limit * spread)
    assert np.any(np.abs(found - 1.05 * wanted) > limit * spread), "5 % would show"


@pytest.mark.parametrize("width, shape", [(None, (5,)), (1, (5, 1)), (7, (5, 7))])
def test_all_noise_is_drawn_at_once_and_solves_the_encoder(width, shape):
    strategy, spy = np.tril(seeded().normal(size=(5, 5))) + 2 * np.eye(5), Spy()
    noise = correlated_noise(strategy, 0.7, spy, width=width)
    assert spy.asked("normal", "size") == [shape] and spy.asked("normal", "scale") == [0.7]
    assert np.allclose(strategy @ noise, spy.gave("normal")[0], atol=1e-12)
    assert not correlated_noise(strategy, 0, seeded()).any()


def test_the_totals_have_the_noise_of_the_account():
    strategy, spy = root_strategy(24), Spy()
    stream = seeded().normal(size=(24, 2))
    totals = correlated_totals(stream, strategy, 1.0, 1e-6, spy, participations=3, separation=8)
    assert spy.asked("normal", "scale") == pytest.approx([3.020356 * UNIT], rel=1e-6)
    # A x + B z with B = A C^-1, and here B = C: the other way to the same totals
    assert totals == pytest.approx(np.cumsum(stream, axis=0) + strategy @ spy.gave("normal")[0])
    assert correlated_totals(stream[:, 0], strategy, 1.0, 1e-6, seeded()).shape == (24,)


def test_an_account_by_marginal_deviations_is_wrong():
    spy = Spy()
    marginal_account_totals(np.zeros(256), root_strategy(256), 1.0, 1e-6, spy)
    (scale,) = spy.asked("normal", "scale")
    assert gaussian_epsilon(strategy_sensitivity(root_strategy(256)), scale, 1e-6) == pytest.approx(2.005, abs=5e-4)
    inverse = np.linalg.inv(root_strategy(256))
    assert scale * np.linalg.norm(inverse[-1]) == pytest.approx(UNIT)
    marginal_account_totals(np.zeros(256), root_strategy(256), 1.0, 1e-6, spy, participations=4, separation=64)
    assert spy.asked("normal", "scale")[1] == pytest.approx(2 * scale)


# Bands and coins.


def test_one_band_is_the_account_of_dp_sgd():
    recipe = Recipe(0.0, 40, 0.05, 1.0, 1.0)
    assert banded_multiplier(1, 40, 0.05, 2.0, 1e-5) == training_multiplier(recipe, 2.0, 1e-5)
    wide = recipe._replace(steps=14, sampling=0.15)
    assert banded_multiplier(3, 40, 0.05, 2.0, 1e-5) == pytest.approx(training_multiplier(wide, 2.0, 1e-5), rel=1e-9)
    assert banded_multiplier(4, 8, 0.25, 1.0, 1e-6) == pytest.approx(math.sqrt(2) * UNIT)


# Training.


def test_a_training_is_its_steps_by_hand():
    features, labels = people(30)
    batches, spy = seeded(2).integers(4, size=30), Spy()
    recipe, strategy = Recipe(0.3, 10, 1.0, 0.2, 0.1), root_strategy(10, bands=4)
    done = correlated_training(features, labels, batches, 4, recipe, strategy, 1.5, spy)
    assert spy.asked("normal", "scale") == pytest.approx([0.15]) and done.multiplier == 1.5
    noise, weights = np.linalg.solve(strategy, spy.gave("normal")[0]), np.zeros(3)
    for t in range(10):
        mine = batches == t % 4
        weights = weights - 0.2 * (
            clipped_gradient(weights, features[mine], labels[mine], 0.1) + noise[t] + 0.3 * weights
        )
        assert done.path[t + 1] == pytest.approx(weights)
    assert done.weights == pytest.approx(weights)


def test_many_models_have_noise_of_their_own():
    features, labels = people(30)
    batches, spy = np.arange(30) % 2, Spy()
    done = correlated_training(features, labels, batches, 2, RECIPE, root_strategy(6), 2.0, spy, models=5)
    assert done.path.shape == (5, 7, 3) and done.weights == pytest.approx(done.path[:, -1])
    assert spy.asked("normal", "size") == [(6, 15)] and np.unique(done.weights).size == 15


def test_an_empty_batch_steps_by_its_noise():
    features, labels = people(4)
    spy = Spy()
    done = correlated_training(features, labels, np.zeros(4, int), 3, RECIPE, np.eye(6), 1.0, spy)
    noise = spy.gave("normal")[0]
    for t in (1, 2, 4, 5):
        assert done.path[t] - done.path[t + 1] == pytest.approx(RECIPE.step_size * noise[t])
    none = correlated_training(np.zeros((0, 3)), np.zeros(0), np.zeros(0, int), 3, RECIPE, np.eye(6), 1.0, seeded())
    assert none.path.shape == (7, 3) and none.path[1:].all()


def test_with_independent_noise_and_one_batch_it_is_dp_sgd():
    features, labels = people(12, 2)
    recipe = Recipe(0.1, 5, 1.0, 0.2, 0.1)
    mine = dp_ftrl(features, labels, np.zeros(12, int), 1, recipe, np.eye(5), 2.0, 1e-5, seeded(), models=6_000)
    other = dp_sgd(features, labels, recipe, 2.0, 1e-5, seeded(2), models=6_000)
    assert mine.multiplier == pytest.approx(other.multiplier, rel=1e-6)
    for step in (1, 5):
        for weight in (0, 1):
            assert stats.ks_2samp(mine.path[:, step, weight], other.path[:, step, weight]).pvalue > FALSE_ALARM


@pytest.mark.parametrize("cycle, steps, uses", [(2, 6, 3), (4, 6, 2), (6, 6, 1), (9, 6, 1)])
def test_ftrl_pays_for_every_pass(cycle, steps, uses):
    features, labels = people(8)
    strategy, batches = root_strategy(steps), np.zeros(8, int)
    ours, theirs = (
        one(features, labels, batches, cycle, RECIPE, strategy, 1.0, 1e-6, seeded()).multiplier
        for one in (dp_ftrl, one_use_ftrl)
    )
    longest = np.linalg.norm(strategy[:, ::cycle].sum(axis=1))
    assert ours == pytest.approx(UNIT * longest) and len(range(0, steps, cycle)) == uses
    assert theirs == pytest.approx(UNIT * np.linalg.norm(strategy[:, 0]))


def test_ftrl_pays_for_its_own_order_and_no_other():
    """The heavy steps, the first and the last, are five apart: with a cycle of four no record is in both."""
    (features, labels), strategy = people(8), np.diag([3.0, 1, 1, 1, 1, 3])
    strategy[5, 0] = 0.1
    found = dp_ftrl(features, labels, np.zeros(8, int), 4, RECIPE, strategy, 1.0, 1e-6, seeded()).multiplier
    assert found == pytest.approx(UNIT * math.sqrt(9.01 + 1))


def test_memory_does_not_hurt_in_the_same_order():
    """2,000 records, four passes of 25 batches, epsilon 0.5; bands and root lose less than independent noise."""
    features, labels = people(2_000, 5, 3)
    batches, recipe = seeded(4).integers(25, size=2_000), Recipe(0.5, 100, 1.0, 0.02, 0.5)
    excess = []
    for strategy in (np.eye(100), root_strategy(100, bands=25), root_strategy(100)):
        models = dp_ftrl(features, labels, batches, 25, recipe, strategy, 0.5, 1e-6, seeded(5), models=20)
        margins = labels * (models.weights @ features.T)
        excess.append(np.logaddexp(0, -margins).mean())
    assert max(excess[1:]) < excess[0]


# Refusals.

LOWER = "square, lower triangular"
X, Y = people(4)
ONES = np.zeros(4, int)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: prefix_workload(0), "steps must be"),
        (lambda: tree_strategy(0), "steps must be"),
        (lambda: root_coefficients(1.5), "steps must be"),
        (lambda: root_strategy(4, bands=5), "bands must be"),
        (lambda: root_strategy(4, bands=0), "bands must be"),
        (lambda: momentum_workload(4, 1.0), "momentum must be"),
        (lambda: momentum_workload(4, -0.1), "momentum must be"),
        (lambda: momentum_workload(0, 0.5), "steps must be"),
        (lambda: optimal_strategy(np.ones((2, 2))), f"workload must be a {LOWER}"),
        (lambda: optimal_strategy(np.eye(2), rounds=0), "rounds must be"),
        (lambda: strategy_sensitivity(np.ones((2, 2))), f"strategy must be a {LOWER}"),
        (lambda: strategy_sensitivity(np.tri(2, 3)), f"strategy must be a {LOWER}"),
        (lambda: strategy_sensitivity(np.diag([1.0, 0])), f"strategy must be a {LOWER}"),
        (lambda: strategy_sensitivity(np.zeros((0, 0))), f"strategy must be a {LOWER}"),
        (lambda: strategy_sensitivity([[np.nan]]), f"strategy must be a {LOWER}"),
        (lambda: strategy_sensitivity(np.eye(2), participations=0), "participations must be"),
        (lambda: strategy_sensitivity(np.eye(2), separation=0), "separation must be"),
        (lambda: strategy_sensitivity(np.eye(2), fixed=1), "fixed must be"),
        (lambda: strategy_sensitivity(tree_strategy(64), participations=6, separation=2), "strategy must be one with"),
        (lambda: strategy_errors(np.eye(2), np.eye(3)), "workload must be of shape"),
        (lambda: strategy_errors(np.eye(2), np.ones((2, 2))), f"workload must be a {LOWER}"),
        (
            lambda: strategy_sensitivity(np.tril(seeded().random((200, 200))) + np.eye(200), participations=2),
            "strategy must be one with at most 1 bands, a falling Toeplitz one, or 20,000 sets of steps at most",
        ),
        (lambda: correlated_noise(np.eye(2), -1, seeded()), "scale must be"),
        (lambda: correlated_noise(np.eye(2), 1, seeded(), width=0), "width must be"),
        (lambda: correlated_noise(np.ones((2, 2)), 1, seeded()), f"strategy must be a {LOWER}"),
        (lambda: correlated_totals([1.0, 2], np.eye(3), 1.0, 1e-6, seeded()), "stream must be"),
        (lambda: correlated_totals(np.ones((3, 0)), np.eye(3), 1.0, 1e-6, seeded()), "stream must be"),
        (lambda: marginal_account_totals([1.0], np.eye(2), 1.0, 1e-6, seeded()), "stream must be"),
        (
            lambda: marginal_account_totals([1.0], np.eye(1), 1.0, 1e-6, seeded(), participations=0),
            "participations must be",
        ),
        (lambda: banded_multiplier(5, 4, 0.1, 1.0, 1e-6), "bands must be"),
        (lambda: banded_multiplier(3, 4, 0.4, 1.0, 1e-6), "sampling must be at most"),
        (lambda: banded_multiplier(3, 4, 0.0, 1.0, 1e-6), "sampling must be"),
        (lambda: banded_multiplier(1, 0, 0.4, 1.0, 1e-6), "steps must be"),
        (lambda: dp_ftrl(X, Y, ONES, 0, RECIPE, np.eye(6), 1.0, 1e-6, seeded()), "cycle must be"),
        (lambda: dp_ftrl(X, Y, ONES + 3, 3, RECIPE, np.eye(6), 1.0, 1e-6, seeded()), "batches must be"),
        (lambda: dp_ftrl(X, Y, ONES - 1, 3, RECIPE, np.eye(6), 1.0, 1e-6, seeded()), "batches must be"),
        (lambda: dp_ftrl(X, Y, ONES[:3], 3, RECIPE, np.eye(6), 1.0, 1e-6, seeded()), "batches must be"),
        (lambda: dp_ftrl(X, Y, ONES + 0.5, 3, RECIPE, np.eye(6), 1.0, 1e-6, seeded()), "batches must be"),
        (lambda: dp_ftrl(X, Y, ONES, 3, RECIPE, np.eye(5), 1.0, 1e-6, seeded()), "strategy must be"),
        (
            lambda: dp_ftrl(X, Y, ONES, 3, RECIPE._replace(sampling=0.5), np.eye(6), 1.0, 1e-6, seeded()),
            "recipe.sampling must be",
        ),
        (lambda: dp_ftrl(X, 2 * Y, ONES, 3, RECIPE, np.eye(6), 1.0, 1e-6, seeded()), "labels must be"),
        (lambda: correlated_training(X, Y, ONES, 3, RECIPE, np.eye(6), 1, seeded(), models=0), "models must be"),
    ],
)
def test_bad_input_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()


# The race of the page.


def test_the_race_goes_as_the_page_says():
    """With the best step size: memory wins by far for few voters at epsilon 0.5, by nothing for women at 8."""
    best = {}
    for row in stored.read(curves.STEM)["race"]:
        key = row["survey"], row["method"], row["epsilon"]
        best[key] = max(best.get(key, 0), row["step 400_median"])
    for survey, epsilon, least, most in (("election", 0.5, 0.03, 0.1), ("survey", 8.0, 0, 0.003)):
        ahead = [
            best[survey, name, epsilon] - best[survey, "independent", epsilon] for name in ("square root", "100 bands")
        ]
        assert least <= min(ahead) and max(ahead) <= most
        assert best[survey, curves.COINS, epsilon] >= best[survey, "100 bands", epsilon] - 0.002
    ends = {}
    for row in stored.read(curves.STEM)["race"]:
        if row["step 400_median"] == best[row["survey"], row["method"], row["epsilon"]]:
            ends.setdefault((row["survey"], row["method"], row["epsilon"]), row)
    for survey, epsilon in itertools.product(curves.SURVEYS, (0.5, 2.0, 8.0)):
        coins, alone, *memory = (
            ends[survey, name, epsilon] for name in (curves.COINS, "independent", "square root", "100 bands")
        )
        assert min(_ahead(coins, one) for one in (alone, *memory)) > -1
        assert min(_ahead(one, alone) for one in memory) >= 0
        if (survey, epsilon) == ("survey", 8.0):
            assert max(_ahead(one, alone) for one in memory) < 1


def _ahead(row, other):
    """By how many standard errors of the difference a stored median is above another, after 400 steps."""
    error = math.sqrt(math.pi / 2) * math.hypot(row["step 400_error"], other["step 400_error"])
    return (row["step 400_median"] - other["step 400_median"]) / error


def test_one_model_in_ten_is_bad_with_independent_noise():
    """700 voters, epsilon 0.5, the best step sizes: the median hides how far one model can be off."""
    rows, answers, batches, held, truth = curves.people("election")
    below = {}
    for name, pull in (("independent", 0.0003), ("square root", 0.0003), ("100 bands", 0.001)):
        recipe = Recipe(0.01, 400, 1.0, pull * 5_000 / 700, 0.5)
        strategy = curves.strategy(name)
        many = dp_ftrl(rows, answers, batches, 100, recipe, strategy, 0.5, 1e-6, seeded(), models=400).weights
        below[name] = np.quantile(np.mean(truth * (many @ held.T) > 0, axis=1), 0.1)
    assert len(rows) == 700 and below["independent"] < 0.7 and min(below["square root"], below["100 bands"]) > 0.8


# Strategies beside each other, T = 256 where nothing else is said: each number was worked out in two ways.


def test_a_tree_is_better_than_independent_noise_from_21_steps_on():
    """In both errors; before, it is worse in one at least. Its sensitivity costs more than it saves."""
    assert errors(tree_strategy(16))[2:] == pytest.approx((4.4721, 3.2113), abs=1e-4)
    assert errors(np.eye(16))[2:] == pytest.approx((4, 2.9155), abs=1e-4)
    better = [np.all(np.less(errors(tree_strategy(steps))[2:], errors(np.eye(steps))[2:])) for steps in range(2, 65)]
    assert better == [steps >= 21 for steps in range(2, 65)]


def test_all_nodes_of_a_tree_by_least_squares_halve_its_error():
    """511 nodes measured, totals by the pseudo-inverse: not to be had online. By QR they are: noise of the same law."""
    blocks = [np.kron(np.eye(256 // size), np.ones(size)) for size in 2 ** np.arange(9)]
    nodes = np.vstack(blocks)
    lengths = 3 * np.linalg.norm(np.tri(256) @ np.linalg.pinv(nodes), axis=1)
    assert len(nodes) == 511 and np.all(np.sum(nodes, axis=0) == 9)
    assert (lengths.max(), np.sqrt(np.mean(lengths**2))) == pytest.approx((3.7571, 3.1022), abs=1e-4)
    weights = np.abs(np.linalg.pinv(nodes)[0])  # of the first total
    assert np.sum((weights > 1e-6) & nodes[:, 1:].any(axis=1)) == 510, "all other nodes end later"
    turned = np.linalg.qr(nodes[:, ::-1])[1][::-1, ::-1]
    assert not np.triu(turned, 1).any() and turned.T @ turned == pytest.approx(nodes.T @ nodes)
    assert strategy_sensitivity(turned) == pytest.approx(3)
    assert errors(turned)[2:] == pytest.approx((3.7571, 3.1022), abs=1e-4)
    added, inverse = np.linalg.pinv(nodes), np.linalg.inv(turned)
    assert added @ added.T == pytest.approx(inverse @ inverse.T, abs=1e-9)


def test_a_counter_with_normal_noise_beats_laplace_noise_from_9_levels_on():
    """At epsilon 1 and delta 1e-6: chapter 17's counter needs no delta and is better up to T = 255."""
    assert UNIT**2 / 2 == pytest.approx(8.92, abs=5e-3)
    for steps, normal_wins in ((128, False), (255, False), (256, True), (1024, True)):
        times = np.arange(1, steps + 1)
        laplace, normal = binary_counter_error(times, steps, 1.0), UNIT * errors(tree_strategy(steps)).each
        assert np.all((normal < laplace) == normal_wins)


def test_256_totals_have_less_than_three_times_the_error_of_the_last_alone():
    *_, largest, rms = errors(root_strategy(256))
    assert rms < largest < 3
    assert UNIT * np.array([1, errors(np.eye(256)).rms, rms]) == pytest.approx([4.2, 47.9, 11.3], abs=0.05)


@pytest.mark.parametrize(
    ("bands", "once", "passes", "inverse_once", "inverse_passes"),
    [(4, 6.410, 12.82, 4.705, 9.41), (16, 3.858, 7.72, 3.008, 6.09), (64, 2.799, 5.60, 2.619, 6.17)],
)
def test_few_bands_should_be_bands_of_the_inverse(bands, once, passes, inverse_once, inverse_passes):
    """The root cut, and its inverse cut: the strategy is then the inverse of a power series, term by term."""
    cut = np.append(1.0, np.cumprod((np.arange(1, bands) - 1.5) / np.arange(1, bands)))  # (1 - x)^(1/2)
    series = np.ones(256)
    for lag in range(1, 256):
        terms = min(lag, bands - 1)
        series[lag] = -cut[1 : terms + 1] @ series[lag - terms : lag][::-1]
    other = linalg.toeplitz(series, np.zeros(256))
    for strategy, one, four in (
        (root_strategy(256, bands=bands), once, passes),
        (other, inverse_once, inverse_passes),
    ):
        assert errors(strategy).rms == pytest.approx(one, abs=5e-4)
        assert errors(strategy, **FOUR).rms == pytest.approx(four, abs=5e-3)


def test_the_price_of_the_root_is_a_logarithm():
    """Landau's constant; the sum of absolute values would cost more than ten times as much."""
    for steps, most in ((16, 1.9439), (256, 2.8310), (1024, 3.2726), (8192, 3.9345)):
        square = (
            strategy_sensitivity(root_strategy(steps)) ** 2 if steps < 2000 else np.sum(root_coefficients(steps) ** 2)
        )
        assert square == pytest.approx(most, abs=1e-4)
        rest = (np.euler_gamma + 4 * math.log(2)) / math.pi
        assert square == pytest.approx(math.log(steps) / math.pi + rest, abs=0.1 / steps)
    assert np.isfinite(root_coefficients(100_000)).all(), "no binomial overflows"
    assert np.abs(root_strategy(256)).sum(axis=0).max() == pytest.approx(18.0453, abs=1e-4)
    assert strategy_sensitivity(root_strategy(256)) == pytest.approx(1.6826, abs=1e-4)


@pytest.mark.parametrize(("steps", "bound"), [(16, 1.62845), (64, 2.04013), (256, 2.47145)])
def test_no_strategy_is_below_the_sum_of_singular_values(steps, bound):
    workload = prefix_workload(steps)
    assert np.linalg.norm(workload, "nuc") / steps == pytest.approx(bound, abs=1e-5)
    strategies = [np.eye(steps), tree_strategy(steps), root_strategy(steps)]
    strategies += [optimal_strategy(workload, rounds=30)] if steps < 100 else []
    assert all(errors(one).rms > bound for one in strategies)


def test_three_uses_of_24_steps_cost_the_root_more_than_the_root_of_three():
    several = {"participations": 3, "separation": 8}
    found = [strategy_sensitivity(one, **several) for one in (np.eye(24), root_strategy(24), tree_strategy(24))]
    assert found == pytest.approx([1.7321, 3.0204, 3.8730], abs=1e-4)
    assert strategy_sensitivity(root_strategy(24)) == pytest.approx(1.4403, abs=1e-4)


@pytest.mark.parametrize(
    ("epsilon", "bands", "rms"),
    [
        (1, 1, 16.742),
        (1, 4, 15.976),
        (1, 16, 17.561),
        (0.5, 1, 26.181),
        (0.5, 4, 27.720),
        (8, 1, 7.934),
        (8, 32, 4.139),
    ],
)
def test_few_bands_with_coins(epsilon, bands, rms):
    """400 steps, an expected batch of 1%, delta 1e-6."""
    noise = banded_multiplier(bands, 400, 0.01, epsilon, 1e-6)
    assert noise * errors(root_strategy(400, bands=bands)).rms == pytest.approx(rms, abs=2e-3)


def test_two_accounts_of_coins_are_wrong():
    """DP-SGD's noise in a fixed order with four uses, and the account of q where a group's coins have 4 q."""
    coins, rare = banded_multiplier(1, 400, 0.01, 1, 1e-6), banded_multiplier(1, 100, 0.01, 1, 1e-6)
    four = strategy_sensitivity(np.eye(400), participations=4, separation=100, fixed=True)
    assert gaussian_epsilon(four, coins, 1e-6) == pytest.approx(9.00, abs=5e-3)
    group = Recipe(0.0, 100, 0.04, 1.0, 1.0)
    assert training_epsilon(group, rare, 1e-6) == pytest.approx(3.43, abs=5e-3)
    right = banded_multiplier(4, 400, 0.01, 1, 1e-6)
    assert right == pytest.approx(2.005106, rel=1e-4), "dp-accounting's"
    assert training_epsilon(group, right, 1e-6) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(("epsilon", "bands", "rms"), [(1, 100, 24.858), (1, 400, 29.259), (8, 100, 3.842)])
def test_a_fixed_order_without_coins(epsilon, bands, rms):
    """The same steps, four uses, 100 apart: worse at epsilon 1, the best of all at 8."""
    found = errors(root_strategy(400, bands=bands), participations=4, separation=100).rms
    assert gaussian_scale(1, epsilon, 1e-6) * found == pytest.approx(rms, rel=1e-4)
