"""Private regression: fits, noise on weights and in objectives, coefficients, searches; exact laws where known.

Numbers of five digits and more were worked out twice, apart from this program.
"""

import functools
import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats
from sklearn.linear_model import LogisticRegression

from dpbook import data
from dpbook.audit import exact_loss
from dpbook.claims.listening import Transcript
from dpbook.claims.losses import loss_from_steps
from dpbook.gaussian import gaussian_scale
from dpbook.laplace import laplace_probability
from dpbook.regression import (
    LOGISTIC,
    Repair,
    accuracy,
    approximate_minima_perturbation,
    candidate_spread,
    fit,
    functional_linear_regression,
    functional_logistic_regression,
    functional_sensitivity,
    huber,
    minimised,
    noisy_coefficients,
    objective_log_density,
    objective_loss,
    objective_perturbation,
    output_perturbation,
    packed,
    printed_objective_perturbation,
    privgene_regression,
    repaired_epsilon,
    search_regression,
    sufficient_statistics_regression,
    unit_ball,
    unpacked,
    vector_noise,
)
from dpbook.regression.searches import offspring
from tests.alarms import FALSE_ALARM, assert_laplace
from tests.generators import Spy
from tests.refusals import NO_GENERATOR, NOT_POSITIVE, assert_refuses

HUGE = 1e9
FEATURES = np.array(
    [[0.6, 0.5], [0.3, -0.7], [-0.5, 0.2], [-0.4, -0.6], [0.8, 0.1], [-0.7, 0.6], [0.2, 0.4], [-0.1, -0.3]]
)
LABELS = np.array([1, 1, -1, 1, -1, -1, 1, -1.0])
ONE_FEATURE = np.array([[0.3], [-1.0], [1.0], [-0.3]])
ONE_LABEL = np.array([1.0, -1, -1, 1])


def rows(records, dimensions, seed=1):
    """Features within the unit ball, and labels that lean on the first of them."""
    rng = np.random.default_rng(seed)
    features = rng.uniform(-1, 1, (records, dimensions)) / math.sqrt(dimensions)
    return features, np.where(rng.random(records) < 1 / (1 + np.exp(-4 * features[:, 0])), 1.0, -1.0)


def noise_of(weights, features, labels, regularisation, loss):
    """The one noise with which the objective has its minimum at each of the one-dimensional `weights`."""
    margins = labels * np.multiply.outer(weights, features[:, 0])
    return -(regularisation * weights + (labels * loss.slope(margins)) @ features[:, 0])


# Losses and the fit.


@pytest.mark.parametrize("loss", [LOGISTIC, huber(0.5), huber(0.01)], ids=lambda loss: loss.name)
def test_losses_slopes_and_curvatures_belong_together_and_keep_their_bounds(loss):
    margins = np.linspace(-5.0003, 5, 2001)
    step = 1e-6
    slope = (loss.value(margins + step) - loss.value(margins - step)) / (2 * step)
    assert loss.slope(margins) == pytest.approx(slope, abs=1e-4 if loss.curviest > 1 else 1e-8)
    smooth = np.abs(np.abs(margins - 1) - 1 / (2 * loss.curviest)) > 2 * step if "huber" in loss.name else margins < 9
    curvature = (loss.slope(margins + step) - loss.slope(margins - step)) / (2 * step)
    assert loss.curvature(margins)[smooth] == pytest.approx(curvature[smooth], abs=1e-6)
    assert np.all((loss.slope(margins) <= 0) & (loss.slope(margins) >= -1))
    assert loss.curvature(margins).max() <= loss.curviest * (1 + 1e-12) and np.all(loss.curvature(margins) >= 0)
    assert loss.value(np.array([-800.0, 800.0])) == pytest.approx([800 + ("huber" in loss.name), 0])


def test_the_smooth_hinge_tends_to_the_hinge_and_its_ends_have_the_full_slope_and_curvature():
    margins = np.linspace(-3, 3, 61)
    assert huber(1e-9).value(margins) == pytest.approx(np.maximum(0, 1 - margins), abs=1e-9)
    half = huber(0.5)
    assert (half.curviest, half.slope(0.5), half.curvature(0.5), half.curvature(0.499)) == (1, -1, 1, 0)


def test_the_fit_is_that_of_scikit_learn():
    features, labels = rows(500, 5)
    for regularisation in (0.01, 1.0, 300.0):
        other = LogisticRegression(C=1 / regularisation, fit_intercept=False, tol=1e-12, max_iter=10_000)
        assert fit(features, labels, regularisation, LOGISTIC) == pytest.approx(
            other.fit(features, labels).coef_[0], abs=1e-6
        )


@pytest.mark.parametrize("loss", [LOGISTIC, huber(0.5), huber(0.01)], ids=lambda loss: loss.name)
@pytest.mark.parametrize("regularisation", [1e-4, 1.0, 1e3])
def test_the_gradient_of_a_fit_is_0_and_no_place_nearby_is_lower(loss, regularisation):
    features, labels = rows(300, 3)
    weights = fit(features, labels, regularisation, loss)
    gradient = (labels * loss.slope(labels * (features @ weights))) @ features + regularisation * weights
    assert np.linalg.norm(gradient) <= 1e-9 * math.sqrt(300)

    def objective(w):
        return loss.value(labels * (features @ w)).sum() + regularisation / 2 * w @ w

    nearby = weights + 1e-3 * np.random.default_rng(1).standard_normal((50, 3))
    assert all(objective(place) > objective(weights) for place in nearby)


def test_a_fit_of_no_record_and_of_separable_ones():
    assert fit(np.zeros((0, 3)), [], 1.0, LOGISTIC) == pytest.approx(np.zeros(3))
    for loss in (LOGISTIC, huber(0.01)):
        weights = fit([[1.0], [-1.0]], [1, -1], 1e-6, loss)
        assert accuracy(weights, [[1.0], [-1.0]], [1, -1]) == 1


def test_the_unit_ball_holds_every_record_and_maps_one_at_a_time():
    features = np.array([[0.0, 10.0], [4.0, 30.0], [2.0, 20.0]])
    scaled = unit_ball(features, ([0, 10], [4, 30]))
    assert scaled == pytest.approx(np.array([[-1, -1, 1], [1, 1, 1], [0, 0, 1]]) / math.sqrt(3))
    assert unit_ball(features[1:2], ([0, 10], [4, 30])) == pytest.approx(scaled[1:2])
    assert unit_ball(features, (0, 30)).shape == unit_ball(features, ([0, 0], 30)).shape == (3, 3)
    assert unit_ball(np.zeros((0, 2)), (0, 1)).shape == (0, 3)


def test_accuracy_of_one_and_of_many():
    assert accuracy([1.0, 0], FEATURES, LABELS) == 0.75
    assert accuracy([[1.0, 0], [-1, 0]], FEATURES, LABELS).tolist() == [0.75, 0.25]
    assert accuracy([0.0, 0], FEATURES[:3], LABELS[:3]) == pytest.approx(1 / 3), "a score of 0 is a no"


# Noise vectors.


@pytest.mark.parametrize("dimensions", [1, 2, 5])
def test_the_length_of_the_noise_is_gamma_and_its_direction_uniform(dimensions):
    """False alarms 1e-6 each; a rate 5 % off, and independent Laplace noise, are refused."""
    noise = vector_noise(dimensions, 2.5, np.random.default_rng(1), size=45_000)
    length = np.linalg.norm(noise, axis=1)

    def pvalue(rate):
        return stats.kstest(length, stats.gamma(dimensions, scale=1 / rate).cdf).pvalue

    assert pvalue(2.5) > FALSE_ALARM > max(pvalue(2.5 * 1.05), pvalue(2.5 / 1.05))
    if dimensions == 1:
        assert_laplace(noise, 1 / 2.5)
        return
    first = (noise[:, 0] / length) ** 2
    assert stats.kstest(first, stats.beta(0.5, (dimensions - 1) / 2).cdf).pvalue > FALSE_ALARM
    assert abs(np.mean(noise > 0) - 0.5) < 5 / math.sqrt(noise.size)
    boxed = np.random.default_rng(1).laplace(scale=1 / 2.5, size=(40_000, dimensions))
    angle = (boxed[:, 0] / np.linalg.norm(boxed, axis=1)) ** 2
    assert stats.kstest(angle, stats.beta(0.5, (dimensions - 1) / 2).cdf).pvalue < FALSE_ALARM


# Output perturbation.


@pytest.mark.parametrize("dimensions", [1, 2, 4])
def test_output_perturbation_adds_the_noise_of_the_ball_to_the_fit(dimensions):
    """Exactly, from the same draws."""
    features, labels = rows(30, dimensions)
    released = output_perturbation(features, labels, 3.0, huber(0.5), 0.7, np.random.default_rng(3), size=9)
    noise = vector_noise(dimensions, 3.0 * 0.7, np.random.default_rng(3), size=9)
    assert released == pytest.approx(fit(features, labels, 3.0, huber(0.5)) + noise)


def small_tables(most):
    """All datasets of up to `most` records of one feature among five, with either label."""
    records = list(itertools.product((-1.0, -0.3, 0.0, 0.3, 1.0), (-1.0, 1.0)))
    for size in range(most + 1):
        for chosen in itertools.combinations_with_replacement(records, size):
            table = np.array(chosen).reshape(-1, 2)
            yield table[:, :1], table[:, 1]


@pytest.mark.parametrize("loss", [LOGISTIC, huber(0.5)], ids=lambda loss: loss.name)
@pytest.mark.parametrize("regularisation", [0.1, 10.0])
def test_one_record_never_moves_the_fit_by_more_than_one_over_the_regularisation(loss, regularisation):
    for features, labels in small_tables(1 if regularisation > 1 else 2):
        before = fit(features, labels, regularisation, loss)
        for record, label in itertools.product((-1.0, 0.3), (-1, 1)):
            after = fit(np.vstack([features, [[record]]]), np.append(labels, label), regularisation, loss)
            assert abs(after - before)[0] <= 1 / regularisation * (1 + 1e-12)


# Objective perturbation: exact densities and losses.


@pytest.mark.parametrize("loss", [LOGISTIC, huber(0.5)], ids=lambda loss: loss.name)
@pytest.mark.parametrize(("regularisation", "epsilon"), [(1.0, 1.0), (0.01, 1.0), (10.0, 0.1)])
def test_no_event_of_weights_loses_more_than_epsilon_on_small_datasets(loss, regularisation, epsilon):
    """From the exact probabilities of the cells between fixed weights: no Jacobian is needed."""
    repair = repaired_epsilon(regularisation, loss, epsilon)
    spring, cuts, laws, worst = regularisation + repair.extra, np.sinh(np.linspace(-4, 4, 161)), {}, 0.0
    for features, labels in small_tables(2):
        noise = np.concatenate([[np.inf], noise_of(cuts, features, labels, spring, loss), [-np.inf]])
        key = tuple(sorted(zip(features[:, 0].tolist(), labels.tolist(), strict=True)))
        laws[key] = np.log(laplace_probability(noise[1:], noise[:-1], 0.0, 1, repair.epsilon))
    for key, law in laws.items():
        for place in range(len(key)):
            worst = max(worst, exact_loss(law, laws[key[:place] + key[place + 1 :]]).loss)
    assert epsilon / 2 < worst <= objective_loss(spring, repair.epsilon, loss) + 1e-9
    assert worst <= epsilon * (1 + 1e-9)


def test_the_density_integrates_to_1_and_is_that_of_the_cells():
    for loss in (LOGISTIC, huber(0.5)):
        law = functools.partial(
            objective_log_density, features=ONE_FEATURE, labels=ONE_LABEL, regularisation=0.4, rate=0.7, loss=loss
        )
        places = np.linspace(-60, 60, 60_001)[:, None]
        assert integrate.trapezoid(np.exp(law(places)), dx=0.002) == pytest.approx(1, abs=2e-3)
        ends = noise_of(np.array([0.1, 0.12]), ONE_FEATURE, ONE_LABEL, 0.4, loss)
        cell = laplace_probability(ends[1], ends[0], 0.0, 1, 0.7)
        assert math.exp(law([0.11])) * 0.02 == pytest.approx(cell, rel=1e-3)
    grid = np.linspace(-50, 50, 201)
    places = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    density = np.exp(objective_log_density(places, FEATURES, LABELS, 0.5, 0.9, LOGISTIC))
    assert density.sum() * 0.5**2 == pytest.approx(1, abs=5e-3)
    assert density[:2] == pytest.approx(
        [math.exp(objective_log_density(w, FEATURES, LABELS, 0.5, 0.9, LOGISTIC)) for w in places[:2]]
    )


@pytest.mark.parametrize(
    ("regularisation", "rate", "expected"),
    [(1, 0.1, 0.27626), (0.01, 1, 3.82115), (1, 1, 1), (2, 0.5, 0.5), (1, 2, 2), (1, 0.776856, 0.785732)],
)
def test_the_exact_loss_of_the_logistic_loss(regularisation, rate, expected):
    assert objective_loss(regularisation, rate, LOGISTIC) == pytest.approx(expected, abs=1e-5)


def test_the_printed_proposition_is_true_for_the_logistic_loss_from_regularisation_times_rate_1_on():
    for regularisation, rate in itertools.product((0.003, 0.1, 1.0, 30.0), (0.01, 0.1, 1.0, 10.0)):
        loss = objective_loss(regularisation, rate, LOGISTIC)
        assert loss >= rate
        assert (loss <= rate * (1 + 1e-9)) == (regularisation * rate >= 1)
        assert loss <= rate + math.log1p(0.25 / regularisation)


def test_the_smooth_hinge_has_no_such_mercy():
    assert objective_loss(10, 0.5, huber(0.5)) == pytest.approx(0.59531, abs=1e-5)
    for regularisation, width in itertools.product((0.1, 10.0), (0.05, 0.5)):
        expected = 0.5 + math.log1p(1 / (2 * width * regularisation))
        assert objective_loss(regularisation, 0.5, huber(width)) == pytest.approx(expected, rel=1e-9)
    wide = itertools.product((1e-12, 1.0, 1e3), (1e-6, 0.01, 0.5, 1e3, 1e6), (1e-6, 0.5, 700.0))
    for regularisation, width, rate in wide:  # a bend that a search over margins steps over, or that lies beyond it
        expected = rate + math.log1p(1 / (2 * width * regularisation))
        assert objective_loss(regularisation, rate, huber(width)) == pytest.approx(expected, rel=1e-12)


def test_the_exact_loss_bounds_every_density_and_tiny_features_bring_it_near():
    """One record more, among 40,000 of feature 1e-3 that put noise and weight anywhere almost for free."""
    regularisation, rate = 1.0, 0.1
    bound, places = objective_loss(regularisation, rate, LOGISTIC), np.linspace(-6, 6, 241)[:, None]
    worst = 0.0
    for features, labels in small_tables(2):
        before, after = (
            objective_log_density(places, table, answers, regularisation, rate, LOGISTIC)
            for table, answers in (
                (features, labels),
                (np.vstack([features, [[1.0]]]), np.append(labels, 1.0)),
            )
        )
        worst = max(worst, np.abs(after - before).max())
    assert 0.2 < worst <= bound + 1e-9
    many, ones = np.full((40_000, 1), -1e-3), np.ones(40_000)
    place = np.array([[-0.2]])
    before = objective_log_density(place, many, ones, regularisation, rate, LOGISTIC)
    after = objective_log_density(place, np.vstack([many, [[1.0]]]), np.append(ones, 1), regularisation, rate, LOGISTIC)
    assert abs(after - before)[0] == pytest.approx(bound, abs=5e-3)


def test_the_ridge_is_four_deviations_of_the_noise_on_one_coefficient():
    rng, epsilon = np.random.default_rng(5), 0.7
    features, labels = rng.uniform(-0.5, 0.5, (40, 3)), rng.choice([-1.0, 1.0], 40)
    for kind, release, linear, share in (
        ("linear", functional_linear_regression, -2.0, 1.0),
        ("logistic", functional_logistic_regression, -0.5, 1 / 8),
    ):
        sensitivity = functional_sensitivity(3, kind)
        sums = linear * (labels @ features), share * features.T @ features
        noisy = noisy_coefficients(*sums, sensitivity, epsilon, np.random.default_rng(9))
        expected = minimised(*noisy, 4 * math.sqrt(2) * sensitivity / epsilon)
        found = release(features, labels, epsilon, np.random.default_rng(9))
        assert found == pytest.approx(expected, rel=1e-9) and np.linalg.norm(found) > 1e-4


def test_the_repair_in_numbers_and_the_loss_that_it_leaves():
    assert repaired_epsilon(1.0, LOGISTIC, 1.0) == Repair(pytest.approx(0.776856, abs=1e-6), 0)
    assert 1 - 2 * math.log1p(0.25) == pytest.approx(0.553713, abs=1e-6), "as printed in 2011"
    assert repaired_epsilon(0.01, LOGISTIC, 1.0) == Repair(0.5, pytest.approx(0.375374, abs=1e-6))
    assert repaired_epsilon(0.3, LOGISTIC, 1.0) == Repair(0.5, pytest.approx(0.085374, abs=1e-6)), "0.39 would be left"
    for loss, regularisation, epsilon in itertools.product(
        (LOGISTIC, huber(0.5), huber(0.01)), (1e-3, 1.0, 100.0), (0.01, 1.0, 5.0)
    ):
        repair = repaired_epsilon(regularisation, loss, epsilon)
        assert repair.epsilon >= epsilon / 2 and repair.extra >= 0
        left = repair.epsilon + math.log1p(loss.curviest / (regularisation + repair.extra))
        assert left == pytest.approx(epsilon, rel=1e-9)
        assert objective_loss(regularisation + repair.extra, repair.epsilon, loss) <= epsilon * (1 + 1e-9)


def test_many_draws_are_each_the_exact_minimiser_of_the_objective_with_its_noise():
    """With the repair's noise and spring; as printed with half the rate, and no spring more."""
    features, labels = rows(40, 3)
    for loss, regularisation in itertools.product((LOGISTIC, huber(0.05)), (1e-3, 2.0)):
        repair = repaired_epsilon(regularisation, loss, 1.0)
        for mechanism, rate, extra in (
            (objective_perturbation, repair.epsilon, repair.extra),
            (printed_objective_perturbation, 0.5, 0.0),
        ):
            once = mechanism(features, labels, regularisation, loss, 1.0, np.random.default_rng(7))
            many = mechanism(features, labels, regularisation, loss, 1.0, np.random.default_rng(7), size=1)
            assert many.shape == (1, 3) and once == pytest.approx(many[0])
            released = mechanism(features, labels, regularisation, loss, 1.0, np.random.default_rng(8), size=200)
            noise = vector_noise(3, rate, np.random.default_rng(8), size=200)
            slopes = (labels * loss.slope(labels * (released @ features.T))) @ features
            assert np.abs(slopes + (regularisation + extra) * released + noise).max() < 1e-8


# The functional mechanism.


def coefficients(x, y, kind):
    """One record's coefficients of the quadratic, each monomial once."""
    pairs = list(itertools.combinations_with_replacement(range(len(x)), 2))
    products = [x[i] * x[j] * (1 if i == j else 2) for i, j in pairs]
    if kind == "linear":
        return np.concatenate([-2 * y * x, products])
    return np.concatenate([-y * x / 2, np.array(products) / 8])


@pytest.mark.parametrize(("kind", "expected"), [("linear", 8), ("logistic", 1.5)])
def test_functional_sensitivities_in_four_dimensions_are_reached_by_the_diagonal(kind, expected):
    assert functional_sensitivity(4, kind) == expected
    for dimensions in (1, 2, 3, 4, 9):
        diagonal = np.ones(dimensions) / math.sqrt(dimensions)
        most = functional_sensitivity(dimensions, kind)
        assert np.abs(coefficients(diagonal, 1.0, kind)).sum() == pytest.approx(most)
        directions = np.random.default_rng(9).standard_normal((400, dimensions))
        for x in directions / np.linalg.norm(directions, axis=1, keepdims=True):
            assert np.abs(coefficients(x, -1.0, kind)).sum() <= most * (1 + 1e-12)


def test_noisy_coefficients_noise_every_monomial_once_and_keep_the_matrix_symmetric():
    """The noise of a cross term is halved in the matrix, where it stands twice."""
    diagonal, spy = np.arange(5.0), Spy()
    linear, matrix = noisy_coefficients(diagonal, np.diag(diagonal), 6.0, 2.0, spy)
    (noise,) = spy.gave("laplace")
    assert spy.asked("laplace", "scale") == [3.0] and np.array_equal(matrix, matrix.T)
    added = [linear - diagonal, np.diag(matrix) - diagonal, 2 * matrix[np.triu_indices(5, 1)]]
    assert np.sort(np.concatenate(added)) == pytest.approx(np.sort(noise))


@pytest.mark.parametrize("twice", [2.0, math.sqrt(2)])
def test_packing_is_undone_and_keeps_monomials_or_the_length(twice):
    rng = np.random.default_rng(4)
    for dimensions in (1, 2, 5):
        x = rng.normal(size=dimensions)
        linear, quadratic = rng.normal(size=dimensions), np.outer(x, x)
        coefficients = packed(linear, quadratic, twice)
        assert coefficients.size == dimensions * (dimensions + 3) // 2
        again = unpacked(coefficients, dimensions, twice)
        assert again[0] == pytest.approx(linear) and again[1] == pytest.approx(quadratic)
        squares = coefficients[dimensions:]
        if twice == 2:
            assert np.abs(squares).sum() == pytest.approx(np.abs(x).sum() ** 2)
        else:
            assert np.linalg.norm(squares) == pytest.approx(x @ x)


@pytest.mark.parametrize(("adaptive", "sums"), [(False, 2), (True, 3)])
def test_the_sums_of_a_regression_have_the_gaussian_noise_of_their_sensitivity(adaptive, sums):
    """X'y, X'X and the smallest eigenvalue each move by at most 1, the noise has one scale, and the loss is epsilon."""

    def run(table, rng):
        return sufficient_statistics_regression(table[:, :-1], table[:, -1], 0.8, 1e-5, rng, adaptive=adaptive)

    heard = Transcript()
    features, labels = rows(60, 3)
    run(np.column_stack([features, labels]), heard)
    (noise,) = heard.noises
    assert noise.scale == gaussian_scale(math.sqrt(sums), 0.8, 1e-5) and noise.value.size == 9 + adaptive
    if adaptive:
        assert noise.value[0] == pytest.approx(np.linalg.eigvalsh(features.T @ features)[0])
    few = np.column_stack([features[:5], labels[:5]])
    rng, losses = np.random.default_rng(3), []
    for _ in range(20):
        record = rng.normal(size=3)
        more = np.vstack([few, [*record / np.linalg.norm(record), rng.choice([-1.0, 1.0])]])
        losses.append(loss_from_steps(run, [(few, more)], delta=1e-5))
    assert max(losses) <= 0.8 + 1e-9
    if not adaptive:
        assert losses == pytest.approx([0.8] * 20)


def test_the_adaptive_ridge_is_what_the_smallest_eigenvalue_lacks():
    """Many even records: no ridge, the least squares of the noisy sums; few: the whole ridge."""
    many, answers = np.vstack([np.eye(2)] * 4000), np.tile([0.5, -0.25], 4000)
    heard = Transcript()
    weights = sufficient_statistics_regression(many, answers, 1.0, 1e-6, heard, adaptive=True)
    linear, matrix = unpacked(heard.noises[0].noisy[1:], 2, math.sqrt(2))
    assert weights == pytest.approx(np.linalg.solve(matrix, linear))
    heard, scale = Transcript([np.zeros(6)]), gaussian_scale(math.sqrt(3), 1.0, 1e-6)
    heard.noisy = [np.array([0.0, 1.0, 2.0, 5.0, 0.0, 7.0])]
    weights = sufficient_statistics_regression(many, answers, 1.0, 1e-6, heard, adaptive=True)
    assert weights == pytest.approx([1 / (5 + 2 * scale), 2 / (7 + 2 * scale)])


def test_what_has_no_minimum_is_left_out():
    assert minimised([2.0, 2.0], np.diag([1.0, -3.0]), 0.0) == pytest.approx([-1, 0])
    assert minimised([2.0, 2.0], np.diag([1.0, -3.0]), 4.0) == pytest.approx([-0.2, -1])
    assert minimised([2.0, 2.0], -np.eye(2), 0.5) == pytest.approx([0, 0])
    assert minimised([0.0, 0.0], np.zeros((2, 2)), 0.0) == pytest.approx([0, 0])


# Searches.


def totals(places, features, labels, loss):
    """The total loss of each row of weights."""
    return np.array([loss.value(labels * (features @ place)).sum() for place in places])


@pytest.mark.parametrize("loss", [LOGISTIC, huber(0.2)], ids=lambda loss: loss.name)
def test_the_spread_bounds_what_any_record_can_tell_and_is_near_it(loss):
    rng = np.random.default_rng(12)
    for _ in range(20):
        candidates = 2 * rng.standard_normal((4, 3))
        spread = candidate_spread(candidates)
        assert spread == pytest.approx(max(math.dist(one, two) for one, two in itertools.combinations(candidates, 2)))
        records = rng.standard_normal((300, 3))
        margins = (records / np.linalg.norm(records, axis=1, keepdims=True)) @ candidates.T
        assert np.ptp(loss.value(margins), axis=1).max() <= spread * (1 + 1e-12)
    far = np.array([[-9.0], [-8.0]])
    assert np.ptp(loss.value(far), axis=0)[0] == pytest.approx(candidate_spread(far), rel=1e-3)
    assert candidate_spread([[3.0, 4.0]]) == 0


def test_a_search_without_noise_is_the_descent_by_coordinates_and_comes_near_the_optimum():
    features, labels = rows(400, 3)
    found = search_regression(features, labels, LOGISTIC, 60, HUGE, np.random.default_rng(1))
    place, step = np.zeros(3), 0.5
    for chosen in found.path[1:]:
        candidates = np.vstack([place, *(place + sign * step * axis for sign in (1, -1) for axis in np.eye(3))])
        place = candidates[np.argmin(totals(candidates, features, labels, LOGISTIC))]
        assert chosen == pytest.approx(place)
        step *= 0.95
    optimum = fit(features, labels, 1e-9, LOGISTIC)
    assert np.abs(found.candidate - optimum).max() < 0.02 and np.array_equal(found.candidate, found.path[-1])


def test_a_search_stands_still_where_nothing_is_better_and_takes_its_own_step_and_shrink():
    found = search_regression([[0.0]], [1], LOGISTIC, 5, 1.0, np.random.default_rng(1), step=2.0, shrink=0.5)
    steps = np.abs(np.diff(found.path[:, 0]))
    assert all(step in (0, size) for step, size in zip(steps, 2.0 * 0.5 ** np.arange(5), strict=True))
    features, labels = rows(200, 2)
    wide = search_regression(features, labels, LOGISTIC, 1, HUGE, np.random.default_rng(1), step=2.0)
    assert wide.candidate.tolist() == [2.0, 0.0]


def test_breeding_without_noise_improves_and_follows_public_draws():
    features, labels = rows(400, 3)
    once, again = (
        privgene_regression(features, labels, LOGISTIC, 25, HUGE, np.random.default_rng(2), population=60)
        for _ in range(2)
    )
    assert np.array_equal(once.path, again.path) and once.path.shape == (25, 3)
    best = totals([fit(features, labels, 1e-9, LOGISTIC)], features, labels, LOGISTIC)[0]
    losses = totals(once.path, features, labels, LOGISTIC)
    assert losses[-1] < losses[0] and losses[-1] < best + 5


def test_two_children_share_out_what_their_parents_have():
    """Where nothing is moved: what one child has of the mother the other has of the father."""
    parents = np.array([[0.0] * 6, [1.0] * 6])
    first, second = np.split(offspring(parents, 40, 0.0, np.random.default_rng(1)), 2)
    together = first + second
    assert np.all(together == together[:, :1]) and set(together[:, 0]) == {0.0, 1.0, 2.0}
    assert any(0 < row.sum() < 6 for row in first), "tails are changed inside too"


@pytest.mark.parametrize("search", [search_regression, privgene_regression])
def test_searches_of_no_record(search):
    found = search(np.zeros((0, 2)), [], LOGISTIC, 7, 0.7, np.random.default_rng(1))
    assert found.candidate.shape == (2,) and len(found.path) == (8 if search is search_regression else 7)


# A solver that stops early.


@pytest.mark.parametrize("tolerance", [1e-3, 0.1, 3.0])
def test_the_solver_stops_within_its_tolerance_and_the_second_noise_hides_where(tolerance):
    """Both noises are drawn again: the gradient at the stop is no longer than said, and not that of the minimum."""
    features, labels = rows(400, 4)
    epsilon, share, lengths = 0.8, 0.75, []
    repair = repaired_epsilon(2.0, LOGISTIC, share * epsilon)
    spring = 2.0 + repair.extra
    for seed in range(20):
        rng = np.random.default_rng(seed)
        found = approximate_minima_perturbation(
            features, labels, 2.0, LOGISTIC, tolerance, epsilon, rng, share=share, size=3
        )
        again = np.random.default_rng(seed)
        inside = vector_noise(4, repair.epsilon, again, size=3)
        stops = found - vector_noise(4, spring * (1 - share) * epsilon / (2 * tolerance), again, size=3)
        for stop, b in zip(stops, inside, strict=True):
            slopes = labels * LOGISTIC.slope(labels * (features @ stop))
            lengths.append(np.linalg.norm(slopes @ features + spring * stop + b))
    assert 1e-7 < np.median(lengths) and max(lengths) <= tolerance * (1 + 1e-9)


# As epsilon grows: what there would be without privacy.


def test_without_noise_each_way_gives_its_algorithm():
    features, labels = rows(400, 4)
    rng, truth = np.random.default_rng(11), fit(features, labels, 0.5, LOGISTIC)
    for mechanism in (output_perturbation, objective_perturbation, printed_objective_perturbation):
        assert mechanism(features, labels, 0.5, LOGISTIC, HUGE, rng) == pytest.approx(truth, abs=1e-6)
        hinge = mechanism(features, labels, 0.5, huber(0.5), HUGE, rng)
        assert hinge == pytest.approx(fit(features, labels, 0.5, huber(0.5)), abs=1e-6)
    least = np.linalg.lstsq(features, labels, rcond=None)[0]
    assert functional_linear_regression(features, labels, HUGE, rng) == pytest.approx(least, abs=1e-6)
    assert functional_logistic_regression(features, labels, HUGE, rng) == pytest.approx(2 * least, abs=1e-6)
    for adaptive in (False, True):
        weights = sufficient_statistics_regression(features, labels, HUGE, 1e-6, rng, adaptive=adaptive)
        assert weights == pytest.approx(least, abs=1e-4)
    early = approximate_minima_perturbation(features, labels, 0.5, LOGISTIC, 1e-9, HUGE, rng)
    assert early == pytest.approx(fit(features, labels, 0.5, LOGISTIC), abs=1e-6)


# Data.


@pytest.mark.parametrize(
    ("table", "records", "width", "share"),
    [(data.affairs_prediction, 6366, 8, 0.322495), (data.election_prediction, 944, 5, 0.416314)],
)
def test_tables_with_labels(table, records, width, share):
    names, features, bounds, labels = table()
    assert features.shape == (records, width) == (len(labels), len(names))
    assert np.mean(labels > 0) == pytest.approx(share, abs=1e-6) and set(labels) == {-1.0, 1.0}
    assert unit_ball(features, bounds).shape == (records, width + 1)
    assert not features.flags.writeable and not labels.flags.writeable


def test_visits_of_one_year_a_person():
    names, features, bounds, answers = data.visits_prediction()
    assert features.shape == (5912, 9) and len(names) == 9 and np.abs(answers).max() <= 1
    scaled = unit_ball(features, bounds)
    weights = np.linalg.lstsq(scaled, answers, rcond=None)[0]
    assert np.mean((scaled @ weights - answers) ** 2) == pytest.approx(0.0744, abs=1e-4)
    assert np.var(answers) == pytest.approx(0.0823, abs=1e-4)


# Shapes and bad input.


def test_seeds_shapes_and_inputs_that_stay_as_they_are():
    features, labels = rows(20, 3)
    for array in (features, labels):
        array.flags.writeable = False
    for mechanism in (output_perturbation, objective_perturbation, printed_objective_perturbation):
        once, again = (mechanism(features, labels, 1.0, LOGISTIC, 1.0, np.random.default_rng(1)) for _ in range(2))
        assert once.shape == (3,) and np.array_equal(once, again)
        assert mechanism(features, labels, 1.0, LOGISTIC, 1.0, np.random.default_rng(1), size=4).shape == (4, 3)
        assert mechanism(np.zeros((0, 3)), [], 1.0, LOGISTIC, 1.0, np.random.default_rng(1)).shape == (3,)
    for mechanism in (functional_linear_regression, functional_logistic_regression):
        assert mechanism(features, labels, 1.0, np.random.default_rng(1)).shape == (3,)
        assert mechanism(np.zeros((0, 3)), [], 1.0, np.random.default_rng(1)).shape == (3,)


RNG = np.random.default_rng(0)
LABELLED = {"features": FEATURES, "labels": LABELS, "loss": LOGISTIC, "epsilon": 1.0, "rng": RNG}
NOT_LABELLED = {  # and what no mechanism may take: `test_refusals`
    "features": (FEATURES * 2, FEATURES[0], np.zeros((8, 0))),
    "labels": (LABELS[:-1], (LABELS + 1) / 2, LABELS[:, None]),
    "loss": (None, "logistic", np.tanh),
}
FITTED = LABELLED | {"regularisation": 1.0}
TARGETS = {"features": NOT_LABELLED["features"], "targets": (2 * LABELS, LABELS[1:])}
NO_SQUARE = {"quadratic": (np.eye(3),)}
REFUSED = [
    *((f, FITTED, NOT_LABELLED) for f in (output_perturbation, objective_perturbation, printed_objective_perturbation)),
    (fit, (FEATURES, LABELS, 1, LOGISTIC), NOT_LABELLED | {"regularisation": NOT_POSITIVE}),
    (huber, (1,), {"width": NOT_POSITIVE}),
    (unit_ball, (FEATURES, (-1, 1)), {"bounds": ((1, -1), ([-1, -1, -1], 1), 1)}),
    (unit_ball, ([[0.3, 0.3]], (0.15, 0.5)), {"features": ([[0.3, 0.1]], [[0.6, 0.3]])}),
    (accuracy, ([1.0, 2.0], FEATURES, LABELS), {"weights": ([1.0],)}),
    (accuracy, ([1.0, 2.0], FEATURES, []), {"features": (np.zeros((0, 2)),)}),
    (vector_noise, (2, 1.0, RNG), {"dimensions": (0,), "rate": NOT_POSITIVE, "size": (0,), "rng": NO_GENERATOR}),
    (repaired_epsilon, (1, LOGISTIC, 1), {"regularisation": (0,), "epsilon": NOT_POSITIVE, "loss": (None,)}),
    (objective_loss, (1, 1, LOGISTIC), {"regularisation": (0,), "rate": NOT_POSITIVE, "loss": ("huber",)}),
    (objective_log_density, ([1.0, 1], FEATURES, LABELS, 1.0, 1.0, LOGISTIC), {"weights": ([1.0],), "rate": (0,)}),
    (functional_sensitivity, (2, "linear"), {"dimensions": (0,), "kind": ("svm",)}),
    (noisy_coefficients, ([1.0, 2], np.eye(2), 1, 1, RNG), {"quadratic": (np.eye(3), [[1.0, 2], [0, 1]])}),
    (minimised, ([1.0, 2], np.eye(2), 1), NO_SQUARE | {"ridge": (-1,)}),
    (functional_linear_regression, (FEATURES, LABELS, 1, RNG), TARGETS),
    (functional_logistic_regression, (FEATURES, LABELS, 1, RNG), {"labels": (LABELS / 2,)}),
    (unpacked, ([1.0, 2], 1), {"coefficients": ([1.0],)}),
    (packed, ([1.0], np.eye(1)), {"quadratic": (np.eye(2),)}),
    (sufficient_statistics_regression, (FEATURES, LABELS, 1, 1e-6, RNG), TARGETS | {"delta": (1,)}),
    (approximate_minima_perturbation, FITTED | {"tolerance": 1}, {"tolerance": (0,), "share": (1.0,)}),
    (candidate_spread, ([[1.0]],), {"candidates": ([1.0],)}),
    (search_regression, LABELLED | {"rounds": 2}, NOT_LABELLED | {"rounds": (0,), "step": (0,), "shrink": (1.1,)}),
    (
        privgene_regression,
        LABELLED | {"rounds": 2, "population": 9, "selected": 9},
        {"population": (1,), "reach": (0,), "step": (-1,), "selected": (10,)},
    ),
]


@pytest.mark.parametrize(("function", "good", "refused"), REFUSED)
def test_bad_arguments_are_refused(function, good, refused):
    assert_refuses(function, good, refused)


def test_a_length_of_1_may_be_rounded():
    longer = np.array([[1 + 5e-10, 0.0]])
    assert fit(longer, [1], 1.0, LOGISTIC).shape == (2,)
    with pytest.raises(ValueError, match=r"^features must be rows of length at most 1"):
        fit(longer * (1 + 1e-8), [1], 1.0, LOGISTIC)
