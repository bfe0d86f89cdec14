"""Noise that remembers: strategies and their numbers, sensitivities, the law of the noise, totals and trainings.

Tests that draw have fixed seeds and false alarms of 1e-6.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import linalg, special, stats

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
from dpbook.gaussian import gaussian_scale
from dpbook.gradients import Recipe, clip_rows, clipped_gradient, dp_sgd, training_multiplier
from tests.alarms import FALSE_ALARM, assert_normal
from tests.generators import Spy
from tests.refusals import NO_GENERATOR, NOT_WHOLE, assert_refuses
from tools.book.papers import correlated as curves
from tools.book.papers import stored

UNIT = gaussian_scale(1, 1, 1e-6)
RECIPE = Recipe(0.0, 6, 1.0, 0.1, 0.2)


def seeded(seed=1):
    return np.random.default_rng(seed)


def people(records=40, attributes=3, seed=1):
    rng = seeded(seed)
    features = clip_rows(rng.normal(size=(records, attributes)) / 1.5, 1.0)
    return features, np.where(rng.random(records) < 1 / (1 + np.exp(-6 * features[:, 0])), 1.0, -1.0)


def errors(strategy, workload=None, **uses):
    """As `strategy_errors` finds them, and as they are: the sensitivity, times the length of each row of A C^-1."""
    workload = prefix_workload(len(strategy)) if workload is None else workload
    found = strategy_errors(strategy, workload, **uses)
    assert found.sensitivity == strategy_sensitivity(strategy, **uses)
    assert found.each == pytest.approx(found.sensitivity * np.linalg.norm(workload @ np.linalg.inv(strategy), axis=1))
    assert found.largest == pytest.approx(found.each.max())
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
    for bands in {1, (steps + 1) // 2, steps}:
        assert np.array_equal(root_strategy(steps, bands=bands), np.triu(root, 1 - bands))


def test_no_binomial_of_the_root_overflows():
    k = np.arange(100_000)
    wanted = np.exp(special.gammaln(k + 1 / 2) - special.gammaln(k + 1) - special.gammaln(1 / 2))
    assert root_coefficients(100_000) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("uses", [{}, {"participations": 3, "separation": 8, "fixed": True}])
@pytest.mark.parametrize("workload", [prefix_workload(24), momentum_workload(24, 0.9)])
def test_the_errors_of_every_strategy_are_what_they_say(workload, uses):
    for strategy in (3 * np.eye(24), prefix_workload(24), tree_strategy(24), root_strategy(24, bands=4)):
        errors(strategy, workload, **uses)


@pytest.mark.parametrize("steps", [1, 16, 64])
def test_the_best_strategy_is_certified(steps):
    """Primal = dual, so no strategy is better; at or below the root, never below the nuclear bound."""
    workload = prefix_workload(steps)
    best = optimal_strategy(workload)
    assert not np.triu(best, 1).any() and np.sum(best**2, axis=0).max() == pytest.approx(1, abs=1e-12)
    found = errors(best).rms
    assert np.linalg.norm(workload, "nuc") / steps - 1e-12 <= found <= errors(root_strategy(steps)).rms + 1e-12
    assert found**2 == pytest.approx(dual_bound(workload, best) / steps, rel=1e-6)


def dual_bound(workload, strategy):
    """2 tr((D^1/2 G D^1/2)^1/2) - tr D for the D that the strategy names: no strategy has less."""
    product = np.linalg.inv(strategy.T @ strategy)
    gram = workload.T @ workload
    dual = np.diag(product @ gram @ product)
    assert np.all(dual > 0)
    half = np.sqrt(dual)
    return 2 * np.sqrt(np.maximum(np.linalg.eigvalsh(half[:, None] * gram * half), 0)).sum() - dual.sum()


def test_momentum_is_post_processing():
    assert np.array_equal(momentum_workload(5, 0.0), prefix_workload(5))
    walked, speed, weights = seeded().normal(size=256), 0.0, [0.0]
    for pull in walked:
        speed = 0.9 * speed + pull
        weights.append(weights[-1] + speed)
    assert momentum_workload(256, 0.9) @ walked == pytest.approx(weights[1:])


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


def test_an_account_by_marginal_deviations_has_the_noise_of_one_number_in_the_last_step():
    spy = Spy()
    marginal_account_totals(np.zeros(256), root_strategy(256), 1.0, 1e-6, spy)
    (scale,) = spy.asked("normal", "scale")
    assert scale * np.linalg.norm(np.linalg.inv(root_strategy(256))[-1]) == pytest.approx(UNIT)
    marginal_account_totals(np.zeros(256), root_strategy(256), 1.0, 1e-6, spy, participations=4, separation=64)
    assert spy.asked("normal", "scale")[1] == pytest.approx(2 * scale)


# Bands and coins.


def test_one_band_is_the_account_of_dp_sgd():
    recipe = Recipe(0.0, 40, 0.05, 1.0, 1.0)
    assert banded_multiplier(1, 40, 0.05, 2.0, 1e-5) == training_multiplier(recipe, 2.0, 1e-5)
    wide = recipe._replace(steps=14, sampling=0.15)
    assert banded_multiplier(3, 40, 0.05, 2.0, 1e-5) == pytest.approx(training_multiplier(wide, 2.0, 1e-5), rel=1e-9)
    assert banded_multiplier(4, 8, 0.25, 1.0, 1e-6) == pytest.approx(math.sqrt(2) * UNIT)
    assert banded_multiplier(4, 400, 0.01, 1, 1e-6) == pytest.approx(2.005106, rel=1e-4), "dp-accounting's"


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


# Refusals.

X, Y = people(4)
ONES, SINGULAR = np.zeros(4, int), np.diag([1.0, 0])
NO_STRATEGY = (np.ones((2, 2)), np.tri(2, 3), SINGULAR, np.zeros((0, 0)), [[np.nan]], None)
NO_STREAM = ([1.0, 2], np.ones((3, 0)), [np.nan] * 3, None)
SPENT = {"epsilon": 1.0, "delta": 1e-6, "rng": seeded()}
TOTALS = {"stream": np.ones(3), "strategy": np.eye(3), **SPENT}
BANDED = {"bands": 3, "steps": 4, "sampling": 0.3, "epsilon": 1.0, "delta": 1e-6}
TRAINING = {"features": X, "labels": Y, "batches": ONES, "cycle": 3, "recipe": RECIPE, "strategy": np.eye(6)}
NO_BATCHES = (ONES + 3, ONES - 1, ONES[:3], ONES + 0.5, None)
TRAINED = {"cycle": NOT_WHOLE, "batches": NO_BATCHES, "strategy": (np.eye(5), *NO_STRATEGY), "labels": (2 * Y,)}
REFUSED = {
    prefix_workload: ({"steps": 4}, {"steps": NOT_WHOLE}),
    tree_strategy: ({"steps": 4}, {"steps": NOT_WHOLE}),
    root_coefficients: ({"steps": 4}, {"steps": NOT_WHOLE}),
    root_strategy: ({"steps": 4, "bands": 2}, {"steps": NOT_WHOLE, "bands": (5, 0, 1.5)}),
    momentum_workload: ({"steps": 4, "momentum": 0.5}, {"steps": NOT_WHOLE, "momentum": (1.0, -0.1, np.nan)}),
    optimal_strategy: ({"workload": np.eye(2), "rounds": 2}, {"workload": NO_STRATEGY, "rounds": NOT_WHOLE}),
    strategy_sensitivity: (
        {"strategy": np.eye(2)},
        {"strategy": NO_STRATEGY, "participations": NOT_WHOLE, "separation": NOT_WHOLE, "fixed": (1, None)},
    ),
    strategy_errors: (
        {"strategy": np.eye(2), "workload": np.eye(2)},
        {"strategy": NO_STRATEGY, "workload": (np.eye(3), *NO_STRATEGY)},
    ),
    correlated_noise: (
        {"strategy": np.eye(2), "scale": 1, "rng": seeded()},
        {"strategy": NO_STRATEGY, "scale": (-1, np.nan), "width": (0, 1.5), "rng": NO_GENERATOR},
    ),
    correlated_totals: (TOTALS, {"stream": NO_STREAM, "participations": NOT_WHOLE}),
    marginal_account_totals: (TOTALS, {"stream": NO_STREAM, "participations": NOT_WHOLE}),
    banded_multiplier: (BANDED, {"bands": (5, 0, 1.5), "steps": NOT_WHOLE, "sampling": (0.0, np.nan)}),
    dp_ftrl: (TRAINING | SPENT, TRAINED),
    correlated_training: (TRAINING | {"multiplier": 1, "rng": seeded()}, {"models": (0, 1.5), **TRAINED}),
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_bad_input_is_refused_by_name(function):
    assert_refuses(function, *REFUSED[function])


def test_what_cannot_be_searched_is_refused_and_so_are_coins_that_cannot_be():
    several = "strategy must be one with at most 1 bands, a falling Toeplitz one, or 20,000 sets of steps at most"
    with pytest.raises(ValueError, match=several):
        strategy_sensitivity(np.tril(seeded().random((200, 200))) + np.eye(200), participations=2)
    with pytest.raises(ValueError, match=r"^strategy must be one with"):
        strategy_sensitivity(tree_strategy(64), participations=6, separation=2)
    with pytest.raises(ValueError, match=r"^sampling must be at most 1 / bands"):
        banded_multiplier(3, 4, 0.4, 1.0, 1e-6)
    with pytest.raises(ValueError, match=r"^recipe\.sampling must be"):
        dp_ftrl(**TRAINING | SPENT | {"recipe": RECIPE._replace(sampling=0.5)})


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


def test_a_counter_with_normal_noise_beats_laplace_noise_from_9_levels_on():
    """At epsilon 1 and delta 1e-6: chapter 17's counter needs no delta and is better up to T = 255."""
    assert UNIT**2 / 2 == pytest.approx(8.92, abs=5e-3)
    for steps, normal_wins in ((128, False), (255, False), (256, True), (1024, True)):
        times = np.arange(1, steps + 1)
        laplace, normal = binary_counter_error(times, steps, 1.0), UNIT * errors(tree_strategy(steps)).each
        assert np.all((normal < laplace) == normal_wins)
