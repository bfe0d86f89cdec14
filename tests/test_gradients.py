"""Noisy gradient descent: gradients and clipping, samples, the law of what comes out, the account, and the bugs.

Tests that draw have fixed seeds and false alarms of 1e-6.
"""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from dpbook.accounting import sampled_gaussian_delta, sampled_gaussian_losses, zcdp_epsilon
from dpbook.audit import epsilon_lower_bound
from dpbook.gaussian import gaussian_delta, gaussian_scale
from dpbook.gradients import (
    Recipe,
    Training,
    add_canary,
    clip_rows,
    clipped_gradient,
    dp_sgd,
    floored_training,
    mean_clipped_training,
    poisson_sample,
    train,
    training_epsilon,
    training_multiplier,
)
from tests.alarms import FALSE_ALARM
from tests.generators import Fixed, Spy

FULL = Recipe(0.0, 20, 1.0, 0.1, 0.1)
TRAINERS = [train, mean_clipped_training, floored_training]


def people(records=40, attributes=3, seed=1):
    """Rows within the unit ball, and labels that depend on them."""
    rng = np.random.default_rng(seed)
    features = clip_rows(rng.normal(size=(records, attributes)) / 1.5, 1.0)
    labels = np.where(rng.random(records) < 1 / (1 + np.exp(-4 * features[:, 0])), 1.0, -1.0)
    return features, labels


def seeded(seed=1):
    return np.random.default_rng(seed)


def loss(weights, features, labels):
    return np.logaddexp(0, -labels * (features @ weights)).sum()


def by_hand(weights, features, labels, norm):
    """The clipped sum, record by record."""
    total = np.zeros_like(weights)
    for row, label in zip(features, labels, strict=True):
        gradient = -label * row / (1 + math.exp(label * (row @ weights)))
        length = math.sqrt(gradient @ gradient)
        total += gradient * min(1, norm / length) if length else gradient
    return total


# Gradients and clipping.


def test_the_gradient_is_that_of_the_loss():
    features, labels = people()
    for weights in (np.zeros(3), np.array([1.0, -2.0, 0.5])):
        slopes = optimize.approx_fprime(weights, loss, 1e-7, features, labels)
        assert clipped_gradient(weights, features, labels, 9.0) == pytest.approx(slopes, abs=1e-4)


@pytest.mark.parametrize("norm", [0.05, 0.3, 1.0, 9.0])
@pytest.mark.parametrize("stretch", [1, 50])
def test_each_record_is_clipped_by_itself(norm, stretch):
    features, labels = people()
    features = stretch * np.vstack([features, np.zeros(3)])  # the last record has no gradient at all
    labels = np.append(labels, 1.0)
    weights = np.array([0.3, -0.1, 0.2]) / stretch
    expected = by_hand(weights, features, labels, norm)
    assert clipped_gradient(weights, features, labels, norm) == pytest.approx(expected, rel=1e-12)
    gradients = [clipped_gradient(weights, x[None], [y], norm) for x, y in zip(features, labels, strict=True)]
    lengths = np.linalg.norm(gradients, axis=1)
    assert np.all(lengths <= norm * (1 + 1e-12)) and lengths[-1] == 0
    assert (lengths.max() > 0.99 * norm) == (norm < 0.6 or stretch == 50)


def test_in_the_unit_ball_a_norm_of_1_never_bites():
    features, labels = people()
    for weights in (np.zeros(3), np.array([5.0, -9.0, 2.0])):
        plain = clipped_gradient(weights, features, labels, 1e9)
        assert np.array_equal(clipped_gradient(weights, features, labels, 1.0), plain)


def test_one_record_moves_the_sum_by_at_most_the_norm():
    """Add/remove by C, replace by up to 2C, and both are reached."""
    features, labels = people()
    huge = np.array([[1e9, 0, 0]])
    for norm in (0.1, 2.0):
        sums = [clipped_gradient(np.zeros(3), np.vstack([features, huge]), np.append(labels, y), norm) for y in (1, -1)]
        without = clipped_gradient(np.zeros(3), features, labels, norm)
        assert np.linalg.norm(sums[0] - without) == pytest.approx(norm)
        assert np.linalg.norm(sums[0] - sums[1]) == pytest.approx(2 * norm)


def test_rows_are_shortened_and_never_lengthened():
    rows = np.array([[3.0, 4.0], [0.3, 0.4], [0, 0]])
    assert clip_rows(rows, 1.0) == pytest.approx(np.array([[0.6, 0.8], [0.3, 0.4], [0, 0]]))
    assert clip_rows(rows, 5.0) == pytest.approx(rows, rel=1e-15)
    assert clip_rows(np.zeros((0, 2)), 1.0).shape == (0, 2)


def test_clipping_has_its_own_fixed_point():
    """Three for and one against: ln 3 without clipping, ln(3 / C - 1) for C below 3/4: more certain, not less."""
    features, labels = np.ones((4, 1)), [1, 1, 1, -1]
    for norm, settled in ((1, math.log(3)), (0.75, math.log(3)), (0.5, 1.6094379), (0.25, 2.3978953), (0.2, 2.6390573)):
        found = train(features, labels, Recipe(0.0, 400, 1.0, 1.0, norm), 0, seeded())
        assert found.weights[0] == pytest.approx(settled, rel=1e-7)
        if norm < 0.75:
            assert settled == pytest.approx(math.log(3 / norm - 1), rel=1e-7)


@pytest.mark.parametrize("norm", [0.3, 9.0])
def test_without_noise_it_settles_where_the_clipped_sum_and_the_regularisation_cancel(norm):
    features, labels = people(8, 2)
    found = train(features, labels, Recipe(0.5, 3_000, 1.0, 0.4, norm), 0, seeded()).weights
    zero = optimize.root(lambda w: by_hand(w, features, labels, norm) + 0.5 * w, np.zeros(2), tol=1e-13).x
    assert found == pytest.approx(zero, abs=1e-9)
    if norm == 9:
        least = optimize.minimize(lambda w: loss(w, features, labels) + w @ w / 4, np.zeros(2), tol=1e-12).x
        assert found == pytest.approx(least, abs=1e-5)


# Samples.


def test_each_record_is_in_by_its_own_coin():
    """Sizes are binomial, records in as often as each other, and independent; over 30,000 samples of 5."""
    samples = np.zeros((30_000, 5), bool)
    rng = seeded()
    for row in samples:
        row[poisson_sample(5, 0.3, rng)] = True
    patterns = np.bincount(samples @ (1 << np.arange(5)), minlength=32)
    sizes = np.array([bin(pattern).count("1") for pattern in range(32)])
    chances = 0.3**sizes * 0.7 ** (5 - sizes)
    assert stats.chisquare(patterns, 30_000 * chances).pvalue > FALSE_ALARM
    off = 0.315**sizes * 0.685 ** (5 - sizes)
    assert stats.chisquare(patterns, 30_000 * off).pvalue < FALSE_ALARM


def test_samples_at_their_ends():
    assert poisson_sample(0, 0.5, seeded()).size == 0
    spy = Spy()
    assert poisson_sample(4, 1, spy).tolist() == [0, 1, 2, 3] and not spy.calls
    assert poisson_sample(9, 1e-300, seeded()).size == 0
    assert poisson_sample(3, 0.4, Fixed(0.39)).size == 3 and poisson_sample(3, 0.4, Fixed(0.41)).size == 0


@pytest.mark.parametrize("trainer", [train, mean_clipped_training])
@pytest.mark.parametrize("models", [None, 1, 3])
def test_an_empty_batch_is_a_step_of_noise(trainer, models):
    features, labels = people(4)
    recipe = Recipe(0.0, 3, 1e-12, 1.0, 1.0)
    path = trainer(features, labels, recipe, 1.0, seeded(), models=models).path
    assert np.all(path[..., 1:, :] != 0)
    nobody = trainer(np.zeros((0, 3)), [], recipe._replace(sampling=1.0), 1.0, seeded(), models=models)
    assert nobody.path.shape == path.shape and np.all(nobody.weights != 0)


# The law of what comes out.


@pytest.mark.parametrize("sampling", [1.0, 0.4])
@pytest.mark.parametrize("models", [None, 3])
def test_what_is_asked_of_the_generator(sampling, models):
    """Before each noise the coins, one a record and model; noise of deviation sigma C in every coordinate."""
    features, labels = people(7)
    recipe, spy = Recipe(0.1, 4, sampling, 0.5, 0.25), Spy()
    train(features, labels, recipe, 3.0, spy, models=models)
    order = [called for called, _, _ in spy.calls]
    assert order == (["normal"] * 4 if sampling == 1 else ["random", "normal"] * 4)
    assert spy.asked("normal", "scale") == [3.0 * 0.25] * 4
    assert spy.asked("normal", "size") == [(models or 1, 3)] * 4
    assert [np.size(coins) for coins in spy.gave("random")] == ([] if sampling == 1 else [7 * (models or 1)] * 4)
    assert not any(spy.asked("normal", "loc"))


@pytest.mark.parametrize("sampling", [1.0, 0.4])
@pytest.mark.parametrize("models", [None, 3])
def test_each_step_by_hand(sampling, models):
    """Each path, redone from the coins and the noise that the generator gave: so it has the law of the pages."""
    features, labels = people(7)
    recipe, spy = Recipe(0.3, 5, sampling, 0.5, 0.25), Spy(3)
    trained = train(features, labels, recipe, 2.0, spy, models=models)
    coins = spy.gave("random") or [np.zeros((models or 1, 7))] * 5
    for model, path in enumerate(np.reshape(trained.path, (-1, 6, 3))):
        weights = np.zeros(3)
        for number, (tossed, noise) in enumerate(zip(coins, spy.gave("normal"), strict=True)):
            assert path[number] == pytest.approx(weights)
            drawn = np.reshape(tossed, (-1, 7))[model] < sampling
            total = by_hand(weights, features[drawn], labels[drawn], 0.25) + noise[model]
            weights = weights - 0.5 * (total / sampling + 0.3 * weights)
        assert path[-1] == pytest.approx(weights)
    assert np.array_equal(trained.weights, trained.path[..., -1, :])
    assert isinstance(trained, Training) and trained.multiplier == 2.0


def test_many_models_are_independent_and_one_is_the_same_alone():
    features, labels = people(50)
    recipe = Recipe(0.1, 3, 0.5, 0.1, 0.3)
    alone, one = (train(features, labels, recipe, 1.0, seeded(2), models=models) for models in (None, 1))
    assert np.array_equal(alone.path, one.path[0]) and one.path.shape == (1, 4, 3) and alone.path.shape == (4, 3)
    many = train(features, labels, recipe, 1.0, seeded(2), models=6_000)  # in three blocks
    assert many.weights.shape == (6_000, 3) and np.array_equal(many.path[:, -1], many.weights)
    assert len(np.unique(many.weights[:, 0])) == 6_000
    halves = many.weights[:3_000, 0], many.weights[3_000:, 0]
    assert abs(np.corrcoef(*halves)[0, 1]) < 5 / math.sqrt(3_000)


def test_same_seed_same_path_and_arguments_stay_as_they_are():
    features, labels = people()
    features.flags.writeable = labels.flags.writeable = False
    for trainer in TRAINERS:
        first, again = (trainer(features, labels, FULL, 1.0, seeded(4)) for _ in range(2))
        assert np.array_equal(first.path, again.path) and not np.array_equal(first.path[1], first.path[2])
    with_canary = add_canary(features, labels)
    assert with_canary[0].shape == (41, 4) and with_canary[1].tolist() == [*labels, 1]
    assert with_canary[0][-1].tolist() == [0, 0, 0, 1] and not with_canary[0][:-1, -1].any()
    assert np.array_equal(with_canary[0][:-1, :-1], features)


def test_accuracy_comes_back_as_epsilon_grows():
    features, labels = people(400)
    recipe = Recipe(1.0, 60, 1.0, 4 / 101, 1.0)
    exact = train(features, labels, recipe, 0, seeded()).weights
    for epsilon, off in ((1e6, 1e-2), (100.0, 0.2)):
        noisy = dp_sgd(features, labels, recipe, epsilon, 1e-6, seeded())
        assert noisy.weights == pytest.approx(exact, abs=off)
        assert noisy.multiplier == training_multiplier(recipe, epsilon, 1e-6)


@pytest.mark.parametrize("models", [None, 2])
def test_the_private_training_has_the_noise_of_its_account(models):
    features, labels = people()
    recipe = FULL._replace(sampling=0.3, steps=3)
    private = dp_sgd(features, labels, recipe, 1.0, 1e-4, seeded(), models=models)
    spelled_out = train(features, labels, recipe, training_multiplier(recipe, 1.0, 1e-4), seeded(), models=models)
    assert np.array_equal(private.path, spelled_out.path) and private.multiplier == spelled_out.multiplier


# The account.


def test_full_steps_are_one_gaussian():
    recipe = FULL._replace(steps=50)
    sigma = training_multiplier(recipe, 1.0, 1e-6)
    assert sigma == pytest.approx(29.872991, abs=1e-6) == pytest.approx(math.sqrt(50) * gaussian_scale(1, 1, 1e-6))
    assert training_epsilon(recipe, sigma, 1e-6) == pytest.approx(1, abs=1e-9)
    assert training_epsilon(recipe, sigma, 1e-6) <= 1
    assert training_epsilon(recipe, gaussian_scale(1, 1, 1e-6), 1e-6) == pytest.approx(8.885, abs=1e-3)
    assert training_epsilon(FULL._replace(steps=1), gaussian_scale(1, 1, 1e-6) / 2, 1e-6) == pytest.approx(2.1228571)
    rho = optimize.brentq(lambda r: zcdp_epsilon(r, 1e-6) - 1, 1e-6, 1)
    assert math.sqrt(50 / (2 * rho)) == pytest.approx(32.038, abs=1e-3)


@pytest.mark.parametrize(
    ("sampling", "steps", "epsilon", "delta", "sigma"),
    [
        (0.02, 500, 1.0, 1e-6, 2.09723),
        (0.05, 300, 0.1, 1e-6, None),
        (0.2, 20, 2.0, 1e-3, None),
        (0.01, 1, 1.0, 1e-6, None),
        (0.9, 3, 0.5, 1e-5, None),
        (0.002, 400, 4.0, 1e-8, None),
    ],
)
def test_the_multiplier_of_samples_keeps_its_promise_and_hardly_more(sampling, steps, epsilon, delta, sigma):
    """By bounds from both sides: the truth at the multiplier is at most epsilon, and at 1 % less above it."""
    recipe = Recipe(0.0, steps, sampling, 1.0, 1.0)
    found = training_multiplier(recipe, epsilon, delta)
    assert 0.999 * epsilon < training_epsilon(recipe, found, delta) <= epsilon
    step = min(1e-3, sampling / found / 20)
    below = sampled_gaussian_losses(sampling, 1, found * 0.99, step, side="lower").repeat(steps).epsilon(delta)
    assert below > epsilon
    if sigma:
        assert found == pytest.approx(sigma, rel=1e-4)


def test_one_sampled_step_has_its_exact_profile():
    recipe = Recipe(0.0, 1, 0.1, 1.0, 1.0)
    for sigma in (0.5, 1.0, 4.0):
        epsilon = training_epsilon(recipe, sigma, 1e-4)
        assert sampled_gaussian_delta(0.1, 1, sigma, epsilon) <= 1e-4 * (1 + 1e-9)
        assert sampled_gaussian_delta(0.1, 1, sigma, 0.99 * epsilon) > 1e-4


def test_the_account_stays_tight_where_the_noise_is_small():
    """One step's loss varies by 3.7 nats there: a grid in proportion to that would be coarse."""
    truth = sampled_gaussian_losses(0.5, 1, 0.5, 1e-3, side="lower").repeat(10).epsilon(1e-5)
    assert truth < training_epsilon(Recipe(0.0, 10, 0.5, 1.0, 1.0), 0.5, 1e-5) < truth * (1 + 1e-5)


def test_a_thousand_steps_of_chapter_25_and_where_no_noise_is_needed():
    assert training_epsilon(Recipe(0.0, 1_000, 0.01, 1.0, 1.0), 1.0, 1e-5) == pytest.approx(1.82824, abs=2e-4)
    seldom = Recipe(0.0, 2, 0.01, 1.0, 1.0)
    assert training_multiplier(seldom, 1.0, 0.02) == 0.05 and training_epsilon(seldom, 0.05, 0.021) == 0


def test_many_rare_looks_need_noise():
    """A record is seen in one step with less than delta, but not in four together."""
    often = Recipe(0.0, 4, 0.01, 1.0, 1.0)
    found = training_multiplier(often, 1.0, 0.02)
    assert found > 0.1 and training_epsilon(often, found, 0.02) <= 1


def test_samples_that_take_nearly_all_are_the_full_batch():
    full, nearly = (training_multiplier(FULL._replace(sampling=q), 1.0, 1e-5) for q in (1.0, 1 - 1e-9))
    assert nearly == pytest.approx(full, rel=1e-3)


def test_a_delta_below_the_rounding_of_the_account_is_refused():
    recipe = Recipe(0.0, 10_000, 0.01, 1.0, 1.0)
    assert training_epsilon(recipe, 1.0, 1e-12) == math.inf
    with pytest.raises(ValueError, match="delta must be at least 4e-12 for so many steps; got 1e-12"):
        training_multiplier(recipe, 1.0, 1e-12)


# Broken.


def test_a_batch_of_one_is_divided_by_one():
    """From zero weights a record with label 1 pulls by half of its feature; the mean over it alone is that pull."""
    recipe = Recipe(0.0, 1, 1.0, 1.0, 9.0)
    assert mean_clipped_training([[3.0]], [1], recipe, 0, seeded()).weights == pytest.approx([1.5])


def test_clipping_the_mean_lets_one_record_turn_it_round():
    """64 records, one step at 29.87: mu = 128 / 29.87, delta(1) = 0.94807."""
    assert gaussian_delta(128, 29.872991, 1) == pytest.approx(0.94807, abs=1e-5)
    recipe, others = Recipe(0.0, 1, 1.0, 1.0, 0.005), np.zeros((63, 1))
    ways = [
        mean_clipped_training(np.vstack([others, [[1.0]]]), [*np.ones(63), y], recipe, 0, seeded()).weights[0]
        for y in (1, -1)
    ]
    assert ways == pytest.approx([0.005, -0.005])
    spy = Spy()
    mean_clipped_training(np.zeros((64, 2)), np.ones(64), recipe, 29.87, spy, models=3)
    assert np.unique(spy.asked("normal", "scale")[0]) == pytest.approx(29.87 * 0.005 / 64)


def test_a_floor_of_a_secret_number_tells_it():
    """499 to 500 records at q = 0.01: noise 5 / 4 as large; erratum S09 has the delta in 1, 10 and 100 dimensions."""
    for records, share in ((499, 4), (500, 5)):
        blank = np.zeros((records, 3)), np.ones(records)
        recipe, spy = Recipe(0.0, 1, 0.01, 2.0, 0.5), Spy()
        weights = floored_training(*blank, recipe, 1.5, spy).weights
        assert weights == pytest.approx(-2.0 * spy.gave("normal")[0][0] / share)
        assert spy.asked("normal", "scale") == [0.75]


def test_the_broken_ones_learn_as_well():
    """Their steps are those of a mean: n times the step size, one n-th of the regularisation."""
    features, labels = people(500)
    recipe, mean = Recipe(5.0, 50, 0.1, 0.02, 1.0), Recipe(5.0 / 500, 50, 0.1, 0.02 * 500, 1.0)
    accuracies = [
        np.mean(np.sign(features @ trainer(features, labels, form, 0.1, seeded()).weights) == labels)
        for trainer, form in zip(TRAINERS, (recipe, mean, mean), strict=True)
    ]
    assert min(accuracies) > accuracies[0] - 0.03 and accuracies[0] > 0.65


# The audit.


def last_weight(recipe, multiplier, trainer=train):
    return lambda people, rng, size: trainer(*people, recipe, multiplier, rng, models=size).weights[:, -1]


def with_and_without(records=6):
    table = add_canary(*people(records))
    return table, tuple(part[:-1] for part in table)


def test_a_canary_shows_most_of_what_is_promised():
    """T = 20, C = 0.1: claimed 2 at delta 1e-3, the bounds (12,000 models) lie below, and near."""
    for claimed, sampling, least in ((2.0, 1.0, 1.1), (2.0, 0.2, 0.8)):
        recipe = FULL._replace(sampling=sampling, step_size=0.1 * sampling)
        multiplier = training_multiplier(recipe, claimed, 1e-3)
        found = epsilon_lower_bound(
            last_weight(recipe, multiplier), *with_and_without(), 12_000, seeded(), 0.95, delta=1e-3
        )
        assert least < found.epsilon <= claimed


def test_the_audit_convicts_who_forgets_the_root_of_the_steps():
    unrooted = gaussian_scale(1, 1.0, 1e-3)
    mechanism = last_weight(FULL, unrooted)
    assert epsilon_lower_bound(mechanism, *with_and_without(), 8_000, seeded(), 1 - 1e-6, delta=1e-3).epsilon > 2


# Bad input.

TABLE = {"features": np.eye(3), "labels": [1, -1, 1], "recipe": FULL, "multiplier": 1.0, "rng": np.random.default_rng()}
BAD = [
    *[("features", bad) for bad in (np.full((3, 2), np.nan), np.zeros((3, 0)), [1, 1, 1], "x")],
    *[("labels", bad) for bad in ([1, 0, 1], [1, 1], [1, np.nan, 1], [2, 1, 1], None)],
    *[("rng", bad) for bad in (None, 1)],
    *[("multiplier", bad) for bad in (-1, np.nan, None)],
    *[("models", bad) for bad in (0, 1.5, True)],
    *[("recipe", bad) for bad in (None, tuple(FULL))],
]
BAD_RECIPES = [
    *[("regularisation", bad) for bad in (-1, np.nan, None)],
    *[("steps", bad) for bad in (0, 1.5, None)],
    *[("sampling", bad) for bad in (0, 1.1, np.nan, -0.5)],
    *[("step_size", bad) for bad in (0, -1, np.inf)],
    *[("norm", bad) for bad in (0, -1, np.nan)],
]


@pytest.mark.parametrize("trainer", TRAINERS)
@pytest.mark.parametrize(("name", "bad"), BAD)
def test_training_refuses(trainer, name, bad):
    with pytest.raises(ValueError, match=rf"^{name} must be .*; got "):
        trainer(**(TABLE | {name: bad}))


@pytest.mark.parametrize(("name", "bad"), BAD_RECIPES)
def test_recipes_are_checked(name, bad):
    recipe = FULL._replace(**{name: bad})
    for call in (
        *(lambda trainer=trainer: trainer(**(TABLE | {"recipe": recipe})) for trainer in TRAINERS),
        lambda: training_epsilon(recipe, 1.0, 1e-5),
        lambda: training_multiplier(recipe, 1.0, 1e-5),
        lambda: dp_sgd(np.eye(3), [1, -1, 1], recipe, 1.0, 1e-5, seeded()),
    ):
        with pytest.raises(ValueError, match=rf"^{name} must be .*; got "):
            call()


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: training_epsilon(FULL, 0, 1e-5), "multiplier"),
        (lambda: training_epsilon(FULL, 1.0, 0), "delta"),
        (lambda: training_epsilon(FULL._replace(sampling=0.5), 1.0, 1), "delta"),
        (lambda: training_multiplier(FULL, 0, 1e-5), "epsilon"),
        (lambda: training_multiplier(FULL, 1.0, 1.5), "delta"),
        (lambda: clip_rows([1, 2], 1.0), "rows"),
        (lambda: clip_rows([[1, np.inf]], 1.0), "rows"),
        (lambda: clip_rows([[1, 2]], 0), "norm"),
        (lambda: clipped_gradient([0, 0], np.eye(3), [1, 1, 1], 1.0), "weights"),
        (lambda: clipped_gradient([0, 0, 0], np.eye(3), [1, 1, 1], -1), "norm"),
        (lambda: poisson_sample(-1, 0.5, seeded()), "records"),
        (lambda: poisson_sample(5, 0, seeded()), "sampling"),
        (lambda: poisson_sample(5, 0.5, None), "rng"),
        (lambda: add_canary(np.eye(3), [1, 0, 1]), "labels"),
        (lambda: add_canary(np.eye(3), [1, 0.5, 1]), "labels"),
        (lambda: floored_training(np.eye(3), [1, 1, 1], FULL._replace(sampling=0.3), 1.0, seeded()), "features"),
    ],
)
def test_the_others_refuse(call, name):
    with pytest.raises(ValueError, match=rf"^{name} must be .*; got "):
        call()


@pytest.mark.parametrize(("steps", "sampling", "delta"), [(2, 0.5, 0.9), (2, 1e-3, 0.0019995), (10**6, 1e-6, 0.7)])
def test_where_delta_covers_the_chance_to_be_seen_the_least_multiplier_will_do(steps, sampling, delta):
    recipe = Recipe(0, steps, sampling, 1, 1)
    assert -math.expm1(steps * math.log1p(-sampling)) <= delta < steps * sampling
    assert training_multiplier(recipe, 1, delta) == 0.05


def test_a_delta_below_what_the_account_cuts_off_is_refused_for_few_steps_too():
    for steps, delta in [(1, 5e-16), (2, 1e-15)]:
        with pytest.raises(ValueError, match="delta must be at least"):
            training_multiplier(Recipe(0, steps, 0.01, 1, 1), 1, delta)


def test_a_record_too_long_for_a_product_pulls_like_any_other():
    recipe, rng = Recipe(0, 50, 1, 1, 1), np.random.default_rng
    plain = np.ones((1, 16))
    long = train(np.vstack([1e308 * plain, plain]), [1, 1], recipe, 30, rng(0))
    np.testing.assert_allclose(long.path, train(plain, [1], recipe, 30, rng(0)).path, rtol=1e-12, atol=1e-12)


def test_a_row_whose_square_is_no_number_becomes_0():
    rows = np.array([[1e200, -1e200], [3e-200, 0], [1e308, 0], [1e150, 0]])
    assert clip_rows(rows, 2.0) == pytest.approx(np.array([[0, 0], [3e-200, 0], [0, 0], [2, 0]]), rel=1e-12)
