"""Noisy gradient descent: gradients and clipping, samples, the law of what comes out, the account, and the bugs.

Tests that draw have fixed seeds and false alarms of 1e-6.
"""

import math

import numpy as np
import pytest
from scipy import optimize

from dpbook.accounting import sampled_gaussian_delta, sampled_gaussian_losses
from dpbook.gaussian import gaussian_scale
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
from tests.generators import Fixed, Spy
from tests.refusals import NO_GENERATOR, NOT_POSITIVE, assert_refuses

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


def test_rows_are_shortened_and_never_lengthened():
    rows = np.array([[3.0, 4.0], [0.3, 0.4], [0, 0]])
    assert clip_rows(rows, 1.0) == pytest.approx(np.array([[0.6, 0.8], [0.3, 0.4], [0, 0]]))
    assert clip_rows(rows, 5.0) == pytest.approx(rows, rel=1e-15)
    assert clip_rows(np.zeros((0, 2)), 1.0).shape == (0, 2)


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
    spy = Spy()
    samples = [poisson_sample(5, 0.3, spy).tolist() for _ in range(30)]
    assert spy.asked("random", "size") == [5] * 30
    assert samples == [np.flatnonzero(coins < 0.3).tolist() for coins in spy.gave("random")]


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
    """64 records, one step at 29.87: mu = 128 / 29.87; page 26 has the delta."""
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


# Bad input.

RECORDS = {"features": np.eye(3), "labels": [1, -1, 1]}
NO_RECORDS = {
    "features": (np.full((3, 2), np.nan), np.zeros((3, 0)), [1, 1, 1], "x"),
    "labels": ([1, 0, 1], [1, 0.5, 1], [1, 1], [1, np.nan, 1], [2, 1, 1], None),
}
NO_RECIPE = {
    "regularisation": (-1, np.nan, None),
    "steps": (0, 1.5, None),
    "sampling": (0, 1.1, np.nan, -0.5),
    "step_size": (0, -1, np.inf),
    "norm": (0, -1, np.nan),
}
NOT_DELTA = (0, 1, 1.5, np.nan)
TABLE = {**RECORDS, "recipe": FULL, "multiplier": 1.0, "rng": seeded()}
NO_TRAINING = {**NO_RECORDS, "multiplier": (-1, np.nan, None), "models": (0, 1.5, True), "rng": (None, 1)}
ACCOUNT = {"recipe": FULL, "delta": 1e-5}
PRIVATE = {**RECORDS, **ACCOUNT, "epsilon": 1.0, "rng": seeded()}
WITH_RECIPE = {
    **{trainer: (TABLE, NO_TRAINING) for trainer in TRAINERS},
    dp_sgd: (PRIVATE, {**NO_RECORDS, "epsilon": NOT_POSITIVE, "delta": NOT_DELTA}),
    training_epsilon: (ACCOUNT | {"multiplier": 1.0}, {"multiplier": NOT_POSITIVE, "delta": NOT_DELTA}),
    training_multiplier: (ACCOUNT | {"epsilon": 1.0}, {"epsilon": NOT_POSITIVE, "delta": NOT_DELTA}),
}
REFUSED = {
    clip_rows: ({"rows": [[1, 2]], "norm": 1.0}, {"rows": ([1, 2], [[1, np.inf]]), "norm": NOT_POSITIVE}),
    clipped_gradient: ({"weights": [0, 0, 0], **RECORDS, "norm": 1.0}, {"weights": ([0, 0],), "norm": NOT_POSITIVE}),
    poisson_sample: (
        {"records": 5, "sampling": 0.5, "rng": seeded()},
        {"records": (-1, 2.5, None), "sampling": NO_RECIPE["sampling"], "rng": NO_GENERATOR},
    ),
    add_canary: (RECORDS, NO_RECORDS),
}


@pytest.mark.parametrize("function", [*WITH_RECIPE, *REFUSED], ids=lambda function: function.__name__)
def test_bad_arguments_are_refused(function):
    assert_refuses(function, *(WITH_RECIPE | REFUSED)[function])


@pytest.mark.parametrize("function", WITH_RECIPE, ids=lambda function: function.__name__)
def test_recipes_are_checked(function):
    good, _ = WITH_RECIPE[function]
    assert_refuses(function, good, {"recipe": (None, tuple(FULL))})
    assert_refuses(lambda **recipe: function(**(good | {"recipe": Recipe(**recipe)})), FULL._asdict(), NO_RECIPE)


def test_samples_are_accounted_at_a_delta_below_1_and_a_floor_of_0_records_is_refused():
    sampled = FULL._replace(sampling=0.3)
    assert_refuses(training_epsilon, {"recipe": sampled, "multiplier": 1.0}, {"delta": NOT_DELTA})
    with pytest.raises(ValueError, match=r"^features must be .*; got "):
        floored_training(**(TABLE | {"recipe": sampled}))


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
