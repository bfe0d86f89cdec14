"""(epsilon, delta), the Gaussian mechanism and its discrete twin: profiles, least scales, laws, refusals.

The numbers with twelve digits come from mpmath with 50 digits; quadratures are made here.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from dpbook.audit import exact_loss
from dpbook.composition import Budget, BudgetExceeded, basic
from dpbook.gaussian import (
    Promise,
    classical_scale,
    discrete_gaussian_delta,
    discrete_gaussian_log_probability,
    discrete_gaussian_mechanism,
    discrete_gaussian_scale,
    discrete_gaussian_variance,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_mechanism,
    gaussian_scale,
    group_promise,
    laplace_delta,
    normal_probability,
    privacy_profile,
    zcdp_epsilon,
)
from dpbook.laplace import laplace_log_density
from tests.alarms import OFF, assert_counts
from tests.generators import Spy
from tests.refusals import NOT_POSITIVE, NOT_WHOLE, assert_refuses

EPSILONS = (0.01, 0.1, 1.0, 3.0, 10.0, 30.0)
DELTAS = (1e-12, 1e-6, 1e-2)


def excess_by_quadrature(density, other, epsilon, ends, points):
    """The integral of (density - e^epsilon other)_+."""

    def over(x):
        return max(density(x) - math.exp(epsilon) * other(x), 0.0)

    cuts = sorted({*ends, *(point for point in points if ends[0] < point < ends[1])})
    return sum(integrate.quad(over, *cell, epsabs=1e-15, limit=200)[0] for cell in itertools.pairwise(cuts))


# The profile of the normal law.


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 4.0])
def test_the_profile_is_the_integral_of_what_exceeds_and_the_same_both_ways(mu, epsilon):
    here, there = stats.norm(0, 1).pdf, stats.norm(mu, 1).pdf
    border = mu / 2 - epsilon / mu
    one = excess_by_quadrature(here, there, epsilon, (-14, 14 + mu), [border])
    other = excess_by_quadrature(there, here, epsilon, (-14, 14 + mu), [mu - border])
    assert gaussian_delta(mu, 1, epsilon) == pytest.approx(one, rel=1e-8, abs=1e-14)
    assert one == pytest.approx(other, rel=1e-8, abs=1e-14)


@pytest.mark.parametrize(
    ("mu", "epsilon", "delta"),
    [
        (1, 0, 0.382924922548025955),
        (1, 1, 0.126936737506643946),
        (1, 20, 2.664706705365498e-86),
        (0.05, 1.5, 1.726887670237855e-200),
        (10, 20, 0.9980291814654276),
        (1e-6, 0, 3.98942280401266e-7),
        (0.001, 0.005, 5.359547041057213e-11),
        (60, 3, 1.0),
        (1e-17, 0.0, 3.9894228040143271e-18),
        (1e-12, 0.0, 3.9894228040143267e-13),
        (1e-12, 3e-12, 3.8215431704829655e-16),
        (1e-8, 2e-7, 1.3700126317308727e-98),
        (1e-5, 3.6e-4, 1.1602627618601887e-290),
        (0.02, 0.1, 1.1240012356922464e-9),
    ],
)
def test_the_profile_to_full_relative_precision(mu, epsilon, delta):
    """Where a difference of two tails, or e^epsilon times a tail, would lose it; and for short shifts."""
    assert gaussian_delta(2 * mu, 2, epsilon) == pytest.approx(delta, rel=1e-11, abs=0)
    assert gaussian_delta(2 * mu, 2, [epsilon, epsilon])[1] == gaussian_delta(2 * mu, 2, epsilon)


def test_the_profile_falls_is_convex_in_e_to_the_epsilon_and_starts_at_the_total_variation():
    ratios = np.linspace(1, 60, 500)
    deltas = gaussian_delta(1, 0.7, np.log(ratios))
    assert np.all(np.diff(deltas) < 0) and np.all(np.diff(deltas, 2) > 0)
    assert deltas[0] == pytest.approx(2 * stats.norm.cdf(1 / 1.4) - 1)


# Scales and epsilons: the least ones, never too small.


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("sensitivity", [1, 0.3, 1e5])
def test_the_scale_is_the_least_that_keeps_the_promise(epsilon, delta, sensitivity):
    scale = gaussian_scale(sensitivity, epsilon, delta)
    assert gaussian_delta(sensitivity, scale, epsilon) <= delta
    assert gaussian_delta(sensitivity, scale * (1 - 1e-6), epsilon) > delta
    found = gaussian_epsilon(sensitivity, scale, delta)
    assert found == pytest.approx(epsilon, rel=1e-6)
    assert gaussian_delta(sensitivity, scale, found) <= delta


@pytest.mark.parametrize(("epsilon", "scale"), [(0.1, 36.30469), (1, 4.224679), (10, 0.541087)])
def test_scales_that_three_libraries_give_too(epsilon, scale):
    assert gaussian_scale(1, epsilon, 1e-6) == pytest.approx(scale, rel=1e-6)


def test_an_epsilon_of_0_where_delta_covers_the_whole_distance():
    assert gaussian_epsilon(1, 1, 0.4) == 0
    assert gaussian_epsilon(1, 1, 0.38) > 0
    assert gaussian_epsilon(1, 1e-3, 1e-6) == pytest.approx(504_7e2, rel=0.02)


def test_the_classical_scale_is_safe_below_1_and_refuses_from_there_on():
    for epsilon, delta in itertools.product((0.05, 0.5, 0.999), (1e-12, 1e-6, 1e-3)):
        assert gaussian_delta(2, classical_scale(2, epsilon, delta), epsilon) < delta
    with pytest.raises(ValueError, match=r"^epsilon must be below 1"):
        classical_scale(1, 1.0, 1e-6)


# The mechanism's law, by what it asks of the generator and by formula.


@pytest.mark.parametrize(("sensitivity", "epsilon", "delta"), [(1, 1, 1e-6), (math.sqrt(2), 0.3, 1e-9), (40, 9, 1e-3)])
def test_gaussian_noise_is_normal_with_the_least_scale(sensitivity, epsilon, delta):
    """One draw for each number, so that they are independent."""
    spy, value = Spy(), np.arange(6.0).reshape(2, 3)
    released = gaussian_mechanism(value, sensitivity, epsilon, delta, spy)
    asked = {"scale": gaussian_scale(sensitivity, epsilon, delta), "size": value.shape}
    assert [(method, given) for method, given, _ in spy.calls] == [("normal", asked)]
    assert np.array_equal(released, value + spy.gave("normal")[0])


@pytest.mark.parametrize("left", [-30.0, -5.0, -1e-4, 0.0, 3.0, 30.0])
@pytest.mark.parametrize("width", [1e-12, 1e-6, 9e-4, 1.1e-3, 0.3])
def test_normal_probabilities_of_short_intervals_far_out(left, width):
    right = left + width
    nodes, weights = special.roots_legendre(20)
    at = (left + right) / 2 + (right - left) / 2 * nodes
    middle = (left + right) / 2
    area = weights @ np.exp((middle - at) * (middle + at) / 2) * (right - left) / 2
    expected = math.log(area) - middle**2 / 2 - math.log(2 * math.pi) / 2
    assert math.log(normal_probability(left, right)) == pytest.approx(expected, abs=3e-11)


def test_normal_probabilities_at_infinity_and_of_nothing():
    assert normal_probability(-np.inf, np.inf) == 1
    assert normal_probability(0, np.inf) == 0.5
    assert normal_probability(2, 2) == 0
    assert normal_probability([-np.inf, 39], [-39, np.inf]) == pytest.approx(0, abs=1e-300)


# Laplace, listed laws, groups.


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 0.999, 1.0, 3.0])
def test_the_profile_of_laplace_noise(epsilon):
    densities = [lambda x, at=at: math.exp(laplace_log_density(x, at, 1, 1.0)) for at in (0, 1)]
    border = (1 - epsilon) / 2
    expected = excess_by_quadrature(*densities, epsilon, (-60, 60), [0, border, 1])
    assert laplace_delta(1, 1, epsilon) == pytest.approx(expected, abs=1e-12)
    assert laplace_delta(3, 3, epsilon) == laplace_delta(1, 1, epsilon)


def test_the_profile_of_listed_laws_is_the_exact_loss_turned_round():
    rng = np.random.default_rng(3)
    for _ in range(50):
        p, q = rng.dirichlet(np.full(7, 0.4), 2)
        log_p, log_q = np.log(p), np.log(q)
        for delta in (1e-4, 1e-2, 0.1):
            loss = exact_loss(log_p, log_q, delta=delta).loss
            if loss > 0:
                assert privacy_profile(log_p, log_q, loss) == pytest.approx(delta, rel=1e-9)
        epsilons = np.array([0.0, 0.5, 2.0])
        assert privacy_profile(log_p, log_q, epsilons) == pytest.approx(privacy_profile(log_q, log_p, epsilons))


def test_the_profile_counts_what_is_impossible_on_one_side():
    with np.errstate(divide="ignore"):
        log_p, log_q = np.log([0.5, 0.5, 0.0, 0.0]), np.log([0.5, 0.25, 0.25, 0.0])
    assert privacy_profile(log_p, log_q, math.log(1.5)) == pytest.approx(0.25)
    assert privacy_profile(log_q, log_p, [50.0]) == pytest.approx([0.25])
    assert privacy_profile(log_p, log_p, 0.0) == 0


def test_merging_outputs_never_raises_the_profile_and_costs_nothing_along_the_ratio():
    """Row 3, post-processing: a random map of the outputs, and the map that keeps equal ratios together."""
    rng = np.random.default_rng(4)
    epsilons = np.linspace(0, 3, 13)
    for _ in range(30):
        p, q = rng.dirichlet(np.full(12, 0.5), 2)
        merged = [np.bincount(place, law, 5) for place in [rng.integers(0, 5, 12)] for law in (p, q)]
        used = merged[0] > 0
        before = privacy_profile(np.log(p), np.log(q), epsilons)
        after = privacy_profile(np.log(merged[0][used]), np.log(merged[1][used]), epsilons)
        assert np.all(after <= before + 1e-12)
    halves = [np.repeat(law / 2, 2) for law in (p, q)]
    assert privacy_profile(*np.log(halves), epsilons) == pytest.approx(before)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_group_promise_is_never_below_the_truth(size):
    """A chain of neighbours: an answer of m values, honest or one of the others, with a leak of delta."""
    epsilon, delta = 0.5, 1e-3

    def law(value):
        weights = np.exp(-epsilon * np.abs(np.arange(7) - value))
        law = np.append((1 - delta) * weights / weights.sum(), np.zeros(7))
        law[7 + value] = delta
        return law

    with np.errstate(divide="ignore"):
        logs = np.log([law(value) for value in range(7)])
    worst = max(privacy_profile(logs[v], logs[v + 1], epsilon) for v in range(6))
    promise = group_promise(size, epsilon, worst)
    for value in range(7 - size):
        assert privacy_profile(logs[value], logs[value + size], promise.epsilon) <= promise.delta * (1 + 1e-9)


def test_group_promises_in_numbers():
    grown = 1e-6 * sum(math.exp(0.5 * i) for i in range(5))
    assert group_promise(5, 0.5, 1e-6) == Promise(2.5, pytest.approx(grown, rel=1e-7))
    assert group_promise(3, 0, 0.1) == Promise(0, pytest.approx(0.3))
    assert group_promise(5, 300, 0.1).delta == 1
    assert group_promise(5, 1, 0) == Promise(5, 0)


def test_basic_composition_adds_and_a_budget_with_delta_refuses():
    assert basic([0.5, 0.25], [1e-6, 0]) == Promise(0.75, 1e-6)
    assert basic([1.0] * 3, [0.4] * 3).delta == 1
    budget = Budget(1.0, delta=1e-6)
    assert budget.spend(0.5, "an average", delta=5e-7) == 0.5
    budget.spend(0.25, "a count")
    assert budget.ledger == (("an average", 0.5, 5e-7), ("a count", 0.25, 0.0))
    assert (budget.remaining, budget.remaining_delta) == (0.25, pytest.approx(5e-7))
    before = budget.ledger
    with pytest.raises(BudgetExceeded, match=r"^delta for 'more' must be at most the 5e-07 left of 1e-06; got 6e-07"):
        budget.spend(0.1, "more", delta=6e-7)
    with pytest.raises(BudgetExceeded, match=r"^epsilon for 'more' must be at most the 0\.25 left"):
        budget.spend(0.3, "more", delta=1e-7)
    with pytest.raises(BudgetExceeded, match=r"^delta for 'a normal sum'"):
        Budget(1.0).spend(0.1, "a normal sum", delta=1e-9)
    assert budget.ledger == before
    assert repr(budget) == "Budget(1, delta=1e-06): 0.25 and 5e-07 left after 2 spendings"
    for bad in (-1e-9, 1.0, np.nan, None):
        with pytest.raises(ValueError, match=r"^delta must be"):
            Budget(1.0, delta=bad)
        with pytest.raises(ValueError, match=r"^delta must be"):
            budget.spend(0.1, "x", delta=bad)


@pytest.mark.parametrize(
    ("epsilons", "deltas", "name"),
    [([], [], "epsilons"), ([1], [], "deltas"), ([1, 0], [0, 0], r"epsilons\[1\]"), ([1], [1.0], r"deltas\[0\]")],
)
def test_basic_composition_refuses(epsilons, deltas, name):
    with pytest.raises(ValueError, match=rf"^{name} must be"):
        basic(epsilons, deltas)


# Whole numbers.


@pytest.mark.parametrize("scale_for", [(1, 1, 1e-6), (1, 3, 1e-2), (math.sqrt(2), 0.5, 1e-9), (1, 0.01, 1e-3)])
def test_whole_number_noise_has_its_law(scale_for):
    noise = discrete_gaussian_mechanism(np.zeros(60_000, dtype=int), *scale_for, np.random.default_rng(5))
    scale = discrete_gaussian_scale(*scale_for)
    edge = max(1, math.floor(3 * scale))
    outputs = np.arange(-edge, edge + 1)
    law = np.exp(discrete_gaussian_log_probability(outputs, 0, *scale_for))
    law[[0, -1]] += (1 - law.sum()) / 2
    seen = np.bincount(np.clip(noise, -edge, edge) + edge, minlength=outputs.size)
    whole = np.arange(-math.ceil(12 * scale), math.ceil(12 * scale) + 1)
    wrong = [np.exp(-(whole**2) / 2 / (scale * off) ** 2) for off in (OFF, 1 / OFF)]
    wrong = [np.bincount(np.clip(whole, -edge, edge) + edge, weights=chances / chances.sum()) for chances in wrong]
    assert_counts(seen, law)
    few = np.arange(law.size) // max(1, edge // 15)  # fewer cells see a scale 5 % off, where those are many
    assert_counts(*(np.bincount(few, weights=cells) for cells in (seen, law, *wrong)))
    assert np.var(noise) == pytest.approx(discrete_gaussian_variance(scale), rel=0.03)


@pytest.mark.parametrize(("scale", "below"), [(0.5, 0.25 - 0.2150126751), (1.0, 2.1123e-7), (3.9, 0.0), (50.0, 0.0)])
def test_the_variance_is_below_the_square_of_the_scale(scale, below):
    z = np.arange(-2000, 2001)
    weights = np.exp(-(z**2) / (2 * scale**2))
    assert discrete_gaussian_variance(scale) == pytest.approx(z**2 @ weights / weights.sum(), rel=1e-12)
    assert scale**2 - discrete_gaussian_variance(scale) == pytest.approx(below, abs=1e-10)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 3.0, 10.0, 20.0])
@pytest.mark.parametrize("delta", DELTAS)
def test_the_whole_number_scale_keeps_its_promise_and_a_hair_less_does_not(epsilon, delta):
    """Counts 1 apart, all outputs listed; both directions."""
    scale = discrete_gaussian_scale(1, epsilon, delta)
    reach = math.ceil(40 * scale + epsilon * scale**2) + 60
    outputs = np.arange(-reach, reach + 1)
    laws = [discrete_gaussian_log_probability(outputs, value, 1, epsilon, delta) for value in (0, 1)]
    assert np.exp(laws[0]).sum() == pytest.approx(1, abs=1e-12)
    assert privacy_profile(*laws, epsilon) == pytest.approx(delta, rel=1e-9)
    assert discrete_gaussian_delta(scale, epsilon) <= delta < discrete_gaussian_delta(scale * (1 - 1e-6), epsilon)


def test_the_whole_number_scale_in_numbers():
    """It needs a little more than continuous noise at (1, 1e-6), and less at epsilon 10."""
    assert discrete_gaussian_delta(gaussian_scale(1, 1, 1e-6), 1) == pytest.approx(1.01966e-6, rel=1e-5)
    assert discrete_gaussian_scale(1, 1, 1e-6) == pytest.approx(4.2307789, rel=1e-7)
    assert discrete_gaussian_scale(2.0, 1, 1e-6) == pytest.approx(2 * 4.5309, rel=1e-5)
    assert discrete_gaussian_scale(1, 10, 1e-6) < gaussian_scale(1, 10, 1e-6)


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(3, 1e-2), (10, 1e-2), (20, 1e-6), (5, 1e-6), (1, 1e-6), (7.32, 5.27e-5), (8, 4e-4), (12, 7e-6), (14, 1e-6)],
)
def test_no_smaller_whole_number_scale_keeps_the_promise(epsilon, delta):
    """Also where larger ones break it again, and where only a scale at which a term of the sum leaves keeps it."""
    found = discrete_gaussian_scale(1, epsilon, delta)
    kinks = np.sqrt(np.arange(0.5, 50) / epsilon)
    smaller = np.union1d(np.linspace(found / 4, found * (1 - 1e-6), 400), kinks[kinks < found * (1 - 1e-6)])
    assert all(discrete_gaussian_delta(scale, epsilon) > delta for scale in smaller)
    if (epsilon, delta) == (3, 1e-2):
        assert discrete_gaussian_delta(found * 1.1, epsilon) > delta


def test_large_whole_number_noise_is_as_the_continuous_one():
    for epsilon, delta in ((0.01, 1e-6), (1e-3, 1e-9)):
        assert discrete_gaussian_scale(1, epsilon, delta) == pytest.approx(gaussian_scale(1, epsilon, delta), rel=1e-5)
    far = discrete_gaussian_scale(1, 1e-5, 1e-6)  # by zCDP
    assert 1 < far / gaussian_scale(1, 1e-5, 1e-6) < 1.3


@pytest.mark.parametrize("shift", [(2, 0), (1, 1), (1, -1), (3, 4)])
def test_whole_number_noise_by_zcdp_covers_any_shift_of_that_length(shift):
    """Two entries, all pairs of outputs listed: where the lattice makes shifts of one length unlike each other."""
    length = math.hypot(*shift)
    for epsilon, delta in ((0.5, 1e-3), (4.0, 1e-6)):
        scale = discrete_gaussian_scale(length * (1 + 1e-12), epsilon, delta)
        z = np.arange(-math.ceil(9 * scale) - 6, math.ceil(9 * scale) + 7)
        logs = [discrete_gaussian_log_probability(z, at, length * (1 + 1e-12), epsilon, delta) for at in (0, *shift)]
        here = (logs[0][:, None] + logs[0]).ravel()
        there = (logs[1][:, None] + logs[2]).ravel()
        assert privacy_profile(here, there, epsilon) <= delta


# Shapes, seeds, limits.


@pytest.mark.parametrize("mechanism", [gaussian_mechanism, discrete_gaussian_mechanism])
@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 2)])
def test_the_shape_is_kept_and_the_argument_is_not_changed(mechanism, shape):
    value = np.full(shape, 4)
    value.flags.writeable = False
    assert np.shape(mechanism(value, 1, 1, 1e-6, np.random.default_rng(6))) == shape


def test_types_seeds_and_the_limit():
    rng = np.random.default_rng(7)
    assert type(gaussian_mechanism(3, 1, 1, 1e-6, rng)) is float
    assert type(discrete_gaussian_mechanism(3, 1, 1, 1e-6, rng)) is int
    assert discrete_gaussian_mechanism([3, 4], 1, 1, 1e-6, rng).dtype == np.int64
    for mechanism in (gaussian_mechanism, discrete_gaussian_mechanism):
        once, again = (mechanism([5] * 100, 1, 0.01, 1e-6, np.random.default_rng(8)) for _ in range(2))
        assert np.array_equal(once, again)
        assert mechanism(np.arange(4), 1, 1e9, 1e-6, rng) == pytest.approx(np.arange(4), abs=1e-3)
    whole = discrete_gaussian_mechanism(np.zeros((2, 50_000), dtype=int), 1, 1, 1e-6, np.random.default_rng(4))
    assert abs(np.corrcoef(whole)[0, 1]) < 0.02


# Bad input.

NOT_DELTA, BELOW_0 = (0, 1, -1e-6, np.nan, None, "x", [1e-6]), (-1, np.nan, None)
SENSITIVITY = {"sensitivity": (*NOT_POSITIVE, [1, 1])}
PROMISE = {"sensitivity": 1, "epsilon": 0.5, "delta": 1e-6}
NO_PROMISE = {**SENSITIVITY, "epsilon": NOT_POSITIVE, "delta": NOT_DELTA}
LAW, NO_LAW = np.log([0.5, 0.5]), (np.log([0.5, 0.4]), [0.5, np.nan], [])
ONE, NO_RATIO = {"sensitivity": 1, "scale": 1}, {**SENSITIVITY, "scale": NOT_POSITIVE}
REFUSED = {
    gaussian_scale: (PROMISE, NO_PROMISE),
    discrete_gaussian_scale: (PROMISE, NO_PROMISE),
    classical_scale: (PROMISE, NO_PROMISE),
    gaussian_delta: (ONE | {"epsilon": 1}, {**NO_RATIO, "epsilon": (*BELOW_0, [-0.1, 1])}),
    laplace_delta: (ONE | {"epsilon": 1}, {**NO_RATIO, "epsilon": (*BELOW_0, [-0.1, 1])}),
    gaussian_epsilon: (ONE | {"delta": 0.1}, {**NO_RATIO, "delta": NOT_DELTA}),
    privacy_profile: (
        {"log_p": LAW, "log_q": LAW, "epsilons": 1},
        {"log_p": NO_LAW, "log_q": (*NO_LAW, np.log([0.5, 0.25, 0.25])), "epsilons": BELOW_0},
    ),
    group_promise: (
        {"size": 2, "epsilon": 1, "delta": 1e-6},
        {"size": NOT_WHOLE, "epsilon": BELOW_0, "delta": (1, -1e-6, np.nan, None)},
    ),
    zcdp_epsilon: ({"rho": 1, "delta": 1e-6}, {"rho": NOT_POSITIVE, "delta": NOT_DELTA}),
    discrete_gaussian_delta: ({"scale": 1, "epsilon": 1}, {"scale": (*NOT_POSITIVE, 2.0**18), "epsilon": BELOW_0}),
    discrete_gaussian_variance: ({"scale": 1}, {"scale": NOT_POSITIVE}),
    discrete_gaussian_mechanism: (PROMISE | {"value": 1, "rng": np.random.default_rng(0)}, {"value": (0.5, None)}),
    discrete_gaussian_log_probability: (PROMISE | {"output": 0, "value": 0}, {"output": (0.5,), "value": (0.5,)}),
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_bad_arguments_are_refused(function):
    assert_refuses(function, *REFUSED[function])


def test_a_scale_too_large_for_whole_numbers_is_refused():
    with pytest.raises(ValueError, match=r"^scale, from sensitivity, epsilon and delta, must be .*; got "):
        discrete_gaussian_scale(3.6e11, 1, 1e-6)


# Computed with 60 digits.
@pytest.mark.parametrize(
    ("epsilon", "delta", "exact"),
    [
        (1e-6, 1e-12, 4122525.4027566017),
        (1e-6, 1e-100, 20321506.708410609),
        (1e-3, 1e-300, 36664.470095428497),
        (100, 1 - 1e-12, 0.043658777721041049),
    ],
)
def test_the_smallest_scale_at_the_ends_of_epsilon_and_delta(epsilon, delta, exact):
    assert gaussian_scale(1, epsilon, delta) == pytest.approx(exact, rel=1e-12 if delta < 0.5 else 1e-5)


@pytest.mark.parametrize("rho", [1e-6, 1e-3, 0.5, 30.0, 1e4])
@pytest.mark.parametrize("delta", [1e-30, 1e-6, 0.5, 0.99, 1 - 1e-9])
def test_zcdp_gives_the_smallest_bound_over_all_orders_and_is_above_the_truth(rho, delta):
    above = np.exp(np.linspace(-60, 60, 400_001))
    bounds = rho * (1 + above) - np.log1p(1 / above) - (math.log(delta) + np.log1p(above)) / above
    assert zcdp_epsilon(rho, delta) == pytest.approx(max(0.0, bounds.min()), rel=1e-6, abs=1e-12)
    assert zcdp_epsilon(rho, delta) >= gaussian_epsilon(math.sqrt(2 * rho), 1, delta)


def test_a_tiny_scale_of_whole_noise_is_none_and_a_huge_one_has_a_variance():
    assert discrete_gaussian_variance(1e-170) == discrete_gaussian_variance(5e-324) == 0
    assert discrete_gaussian_delta(1e-170, 1.0) == 1
    assert discrete_gaussian_variance(1e150) == pytest.approx(1e300, rel=1e-12)
    with pytest.raises(ValueError, match=r"^scale must be at most 2\*\*511"):
        discrete_gaussian_variance(1e200)
