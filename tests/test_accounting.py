"""Accounting: loss distributions against closed forms and quadrature, sampling, Renyi, zCDP, trade-off curves."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from dpbook.accounting import (
    Converted,
    Directions,
    LossDistribution,
    ZcdpBudget,
    amplified,
    gaussian_losses,
    gaussian_tradeoff,
    laplace_losses,
    law_tradeoff,
    listed_losses,
    promise_tradeoff,
    renyi_epsilon,
    renyi_gaussian,
    renyi_laplace,
    renyi_response,
    renyi_sampled_gaussian,
    sampled_gaussian_delta,
    sampled_gaussian_deltas,
    sampled_gaussian_losses,
    zcdp_epsilon,
    zcdp_gaussian,
    zcdp_pure,
)
from dpbook.composition import BudgetExceeded, advanced, optimal
from dpbook.gaussian import gaussian_delta, gaussian_epsilon, gaussian_scale, laplace_delta, privacy_profile
from dpbook.laplace import laplace_log_density
from tests.refusals import NOT_POSITIVE, NOT_WHOLE, assert_refuses

ROUNDING = 1e-13  # of the transforms, in delta
LINE = np.linspace(-60, 61, 242_001)  # for Simpson's rule, with the kinks of Laplace noise at even places


def both_sides(losses, *given):
    return [losses(*given, side=side) for side in ("upper", "lower")]


def assert_between(losses, epsilons, truth):
    """The delta of an upper bound and of a lower one, on their sides of the truth."""
    upper, lower = (side.delta(epsilons) for side in losses)
    assert np.all(upper >= truth - ROUNDING) and np.all(lower <= truth + ROUNDING)


def response(epsilon):
    """The log law of a truthful answer with odds e^epsilon, and that of the other truth."""
    law = np.array([-np.logaddexp(0, -epsilon), -np.logaddexp(0, epsilon)])
    return law, law[::-1]


def response_delta(epsilon, total):
    return max(0.0, (math.exp(epsilon) - math.exp(total)) / (1 + math.exp(epsilon)))


# Loss distributions of one release: bounds on both sides, equal at the points of the grid.


@pytest.mark.parametrize("step", [0.3, 0.05, 1e-3])
@pytest.mark.parametrize("mu", [0.03, 0.5, 1.0, 4.0])
def test_the_normal_loss_on_a_grid_is_bounded_on_both_sides(mu, step):
    epsilons = np.random.default_rng(1).uniform(0, mu**2 + 4 * mu, 200)
    truth = gaussian_delta(mu, 1, epsilons)
    upper, lower = both_sides(gaussian_losses, 2 * mu, 2, step)
    assert_between((upper, lower), epsilons, truth)
    at_grid = upper.losses[(upper.losses >= 0) & (upper.losses < mu**2 + 4 * mu)]
    assert upper.delta(at_grid) == pytest.approx(gaussian_delta(mu, 1, at_grid), abs=1e-9)
    assert upper.probabilities.min() >= 0 and lower.probabilities.min() >= 0
    assert upper.probabilities.sum() + upper.infinite == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("step", [0.3, 0.07, 1e-3])
@pytest.mark.parametrize("pure", [0.1, 1.0, 2.1])
def test_the_laplace_loss_on_a_grid_is_bounded_on_both_sides(pure, step):
    epsilons = np.random.default_rng(2).uniform(0, 1.2 * pure, 200)
    truth = laplace_delta(pure, 1, epsilons)
    upper, lower = both_sides(laplace_losses, pure, 1, step)
    assert_between((upper, lower), epsilons, truth)
    at_grid = step * np.arange(math.floor(pure / step) + 1)
    assert upper.delta(at_grid) == pytest.approx(laplace_delta(pure, 1, at_grid), abs=1e-9)
    assert upper.probabilities.sum() == pytest.approx(1, abs=1e-12)
    assert upper.infinite == 0


@pytest.mark.parametrize("step", [0.25, 0.3, 1e-3])
def test_a_listed_loss_is_bounded_on_both_sides_and_exact_on_the_grid(step):
    """Three outcomes, one of them impossible without the record; both directions."""
    with np.errstate(divide="ignore"):
        p, q = np.log([0.5, 0.3, 0.2]), np.log([0.25, 0.75, 0.0])
    epsilons = np.linspace(0, 2, 50)
    for one, other in ((p, q), (q, p)):
        truth = np.array([np.maximum(np.exp(one) - math.exp(e) * np.exp(other), 0).sum() for e in epsilons])
        assert_between(both_sides(listed_losses, one, other, step), epsilons, truth)
    assert listed_losses(p, q, step).infinite == pytest.approx(0.2)
    assert listed_losses(q, p, step).infinite == 0
    both = [listed_losses(*pair, 0.5).delta(epsilons) for pair in (response(1.0), response(1.0)[::-1])]
    assert both[0] == pytest.approx([response_delta(1.0, e) for e in epsilons], abs=1e-12)
    assert both[0] == pytest.approx(both[1])


def test_an_upper_bound_on_one_release_is_exact_at_the_grid():
    """Each output's mass goes to the two points beside its loss so that P and Q keep theirs: nothing is lost there."""
    p, q = np.log(np.random.default_rng(2).dirichlet(np.ones(9), 2))
    grid = 0.25 * np.arange(8)
    assert listed_losses(p, q, 0.25).delta(grid) == pytest.approx(
        np.maximum(np.exp(p) - np.exp(grid[:, None] + q), 0).sum(axis=1), abs=1e-14
    )


def test_laws_with_nothing_in_common_lose_everything():
    with np.errstate(divide="ignore"):
        losses = listed_losses(np.log([1.0, 0.0]), np.log([0.0, 1.0]), 0.1)
    assert losses.delta(3.0) == 1 and losses.epsilon(0.5) == math.inf
    assert losses.repeat(5).delta(3.0) == 1


def test_a_grid_over_hundreds_of_nats():
    """Losses from -400 to 800: their weights e^-loss are kept in stretches that doubles can hold."""
    losses = gaussian_losses(20, 1, 0.01)
    epsilons = np.linspace(100, 320, 2_201)
    assert losses.delta(epsilons) == pytest.approx(gaussian_delta(20, 1, epsilons), rel=1e-4, abs=1e-10)
    assert losses.epsilon(1e-6) == pytest.approx(gaussian_epsilon(20, 1, 1e-6), rel=1e-5)


def test_epsilon_is_the_inverse_of_delta():
    for losses in (gaussian_losses(1, 2, 0.01), laplace_losses(1, 1, 0.01), gaussian_losses(1, 2, 0.01, side="lower")):
        for delta in (1e-10, 1e-5, 0.02):
            epsilon = losses.epsilon(delta)
            assert losses.delta(epsilon) == pytest.approx(delta, rel=1e-6)
        assert losses.epsilon(0.9) == 0
    pure = laplace_losses(1, 1, 0.25)
    assert pure.epsilon(1e-15) == pytest.approx(1)


# Composed.


@pytest.mark.parametrize(
    ("mu", "times", "step"), [(1 / 30, 100, 1e-3), (0.5, 7, 1e-3), (2, 3, 1e-3), (0.1, 5_000, 1e-3)]
)
def test_normal_noise_repeated_is_one_normal_loss_bounded_on_both_sides(mu, times, step):
    together = math.sqrt(times) * mu
    upper, lower = (losses.repeat(times) for losses in both_sides(gaussian_losses, mu, 1, step))
    for delta in (1e-9, 1e-5, 1e-2):
        truth = gaussian_epsilon(together, 1, delta)
        assert lower.epsilon(delta) <= truth * (1 + 1e-9) <= upper.epsilon(delta) * (1 + 2e-9)
        assert upper.epsilon(delta) - lower.epsilon(delta) < 0.005 * max(1, times / 100)
    assert upper.probabilities.sum() + upper.infinite == pytest.approx(1, abs=1e-11)


def test_halving_the_step_quarters_the_excess():
    truth = gaussian_epsilon(10, 30, 1e-5)
    excess = [gaussian_losses(1, 30, step).repeat(100).epsilon(1e-5) - truth for step in (8e-3, 4e-3, 2e-3, 1e-3)]
    assert np.divide(excess[:-1], excess[1:]) == pytest.approx(4, rel=0.02)
    assert truth == pytest.approx(1.271088, rel=1e-6)
    assert truth + excess[-1] == pytest.approx(1.271193, rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("times", [1, 10, 100])
def test_responses_repeated_are_optimal_composition(epsilon, times):
    """On the grid `step = epsilon` nothing is rounded: the two programs must agree, but for the transform."""
    losses = listed_losses(*response(epsilon), epsilon).repeat(times)
    for delta in (1e-7, 1e-5, 1e-2):
        assert losses.epsilon(delta) == pytest.approx(optimal(epsilon, times, delta), rel=1e-5, abs=1e-12)
    assert losses.probabilities.sum() == pytest.approx(1, abs=1e-12)


def test_two_laplace_releases_by_quadrature():
    """delta of two = the mean over the first release of delta of one at what is left of epsilon."""

    def one(epsilon):
        """The profile of Laplace noise at any epsilon, below 0 as well: Pr[x < c] - e^epsilon Pr'[x < c]."""
        cut = np.where(epsilon > -1, (1 - epsilon) / 2, np.inf)
        return np.where(epsilon < 1, stats.laplace.cdf(cut) - np.exp(epsilon) * stats.laplace.cdf(cut - 1), 0)

    upper, lower = (losses.repeat(2) for losses in both_sides(laplace_losses, 1, 1, 1e-3))
    density, loss = np.exp(laplace_log_density(LINE, 0, 1, 1.0)), np.abs(LINE - 1) - np.abs(LINE)
    for epsilon in (0.3, 1.0, 1.7):
        truth = integrate.simpson(density * one(epsilon - loss), x=LINE)
        assert lower.delta(epsilon) <= truth + 1e-9
        assert upper.delta(epsilon) >= truth - 1e-9
        assert upper.delta(epsilon) - lower.delta(epsilon) < 1e-5


def test_unlike_releases_in_any_order():
    parts = gaussian_losses(1, 5, 1e-4), laplace_losses(1, 2, 1e-4), listed_losses(*response(1.0), 1e-4)
    totals = [a @ b @ c for a, b, c in itertools.permutations(parts)]
    assert [total.delta(1.0) for total in totals] == pytest.approx(6 * [0.16476969], abs=1e-8)
    assert [total.epsilon(1e-6) for total in totals] == pytest.approx(6 * [2.2892137], abs=1e-6)
    assert np.ptp([total.delta(1.0) for total in totals]) < ROUNDING


def test_a_product_is_a_repetition():
    one = laplace_losses(1, 3, 1e-3)
    epsilons = np.linspace(0, 1, 11)
    assert (one @ one @ one).delta(epsilons) == pytest.approx(one.repeat(3).delta(epsilons), abs=ROUNDING)
    assert (one @ one).repeat(50).epsilon(1e-6) == pytest.approx(one.repeat(100).epsilon(1e-6), abs=1e-8)


def test_a_product_of_lower_bounds_is_one():
    """Losses of 0.5 and 0.45, both moved up to 0.6 on a grid of 0.3: the product allows for both moves."""
    epsilons = np.linspace(0, 1.2, 25)
    laws = [response(loss)[0] for loss in (0.5, 0.45)]
    both = np.add.outer(*laws).ravel()
    truth = privacy_profile(both, both[::-1], epsilons)
    one, other = (listed_losses(law, law[::-1], 0.3, side="lower") for law in laws)
    for product in (one @ other, other @ one):
        assert product.slack == pytest.approx(0.25)
        assert np.all(product.delta(epsilons) <= truth + ROUNDING)


def test_infinite_losses_add_up():
    with np.errstate(divide="ignore"):
        leak = listed_losses(np.log([0.999, 0.001]), np.log([1.0, 0.0]), 0.1)
    assert leak.repeat(50).infinite == pytest.approx(1 - 0.999**50, rel=1e-9)
    assert (leak @ gaussian_losses(1, 1, 0.1)).infinite == pytest.approx(0.001, rel=1e-9)
    assert (leak @ leak).infinite == pytest.approx(1 - 0.999**2, rel=1e-9)


def test_what_a_product_rounds_is_allowed_for():
    """One transform a product: 2e-16 added to an upper bound's infinite loss, and taken from a lower one's."""
    for side, rounded in (("upper", 2e-16), ("lower", -2e-16)):
        one = listed_losses(np.log([0.5, 0.5]), np.log([0.5, 0.5]), 0.1, side=side)
        assert (one @ one).infinite == pytest.approx(rounded, rel=0.2, abs=0)


def test_what_is_cut_off_an_upper_bound_counts_as_an_infinite_loss():
    """A tail below 1e-15 in one step, and what Chernoff's bound leaves beyond the window of a repetition."""
    tail = LossDistribution(0.1, 0, np.array([0.5, 0.5 - 4e-16, 4e-16]), 0.0)
    assert tail.repeat(1).probabilities.size == 2 and tail.repeat(1).infinite == 4e-16
    many = laplace_losses(1, 10, 1e-2).repeat(500)
    assert (
        many.probabilities.size < 500 * 20 and 2e-15 <= many.infinite - 1e-13 <= 4e-15
    )  # 1e-15 for each end of the window
    assert -1.5e-13 <= laplace_losses(1, 10, 1e-2, side="lower").repeat(500).infinite <= -1e-13


def test_what_the_transforms_lift_to_0_does_not_raise_a_lower_bound():
    """Half a million losses, most of them impossible: their rounding, cut off below 0, adds up to over 1e-13."""
    epsilon, times, heads = 0.1, 1_000, np.arange(1_001)
    law = -np.logaddexp(0, [-epsilon, epsilon])
    one = listed_losses(law, law[::-1], epsilon / 1_000, side="lower")
    half, losses = one.repeat(times // 2), (2 * heads - times) * epsilon
    for total in (12.65, 15.8, 19.0):
        beyond = -np.expm1(np.minimum(total - losses, 0))
        truth = stats.binom.pmf(heads, times, 1 / (1 + math.exp(-epsilon))) @ beyond
        for composed in (one.repeat(times), half @ half):
            assert truth - 1e-11 <= composed.delta(total) <= truth


def test_two_lower_bounds_composed_have_no_more_mass_than_the_product():
    """What the transform lifts to 0 among a hundred thousand impossible losses is 2e-14, and is subtracted again."""
    law = -np.logaddexp(0, [-0.1, 0.1])
    one = listed_losses(law, law[::-1], 1e-6, side="lower")
    mass = [math.fsum(each.probabilities) + each.infinite for each in (one, one @ one)]
    assert mass[1] <= mass[0] ** 2 + 1e-15


@pytest.mark.parametrize("times", [2, 100, 1_000, 3_000])
@pytest.mark.parametrize("mu", [0.3, 1, 3])
def test_bounds_are_bounds_at_tiny_deltas_too(times, mu):
    """Of exact Gaussians: what the transforms round is allowed for, 2e-16 for each release, on either side."""
    upper, lower = (losses.repeat(times) for losses in both_sides(gaussian_losses, mu / math.sqrt(times), 1, 1e-3))
    for delta in (1e-9, 1e-10, 1e-11, 1e-12, 1e-14):
        assert lower.epsilon(delta) <= gaussian_epsilon(mu, 1, delta) <= upper.epsilon(delta)
    assert upper.epsilon(1.9e-16 * times) == math.inf


def test_100_laplace_releases_by_every_account():
    total, lower = (losses.repeat(100).epsilon(1e-6) for losses in both_sides(laplace_losses, 1, 10, 1e-4))
    orders = 1 + np.geomspace(0.05, 500, 400)
    renyi = renyi_epsilon(orders, 100 * renyi_laplace(1, 10, orders), 1e-6)
    zcdp = zcdp_epsilon(100 * zcdp_pure(0.1), 1e-6)
    assert total == pytest.approx(4.692667, abs=1e-6) and total - lower < 1e-6
    assert zcdp == pytest.approx(5.221534, rel=1e-6)
    assert total < optimal(0.1, 100, 1e-6) < zcdp < advanced(0.1, 100, 1e-6)
    assert total < renyi.epsilon < 4.997 < zcdp
    assert renyi == Converted(*renyi) and renyi.order in orders


# Sampling.


@pytest.mark.parametrize("q", [0.01, 0.5, 0.99])
@pytest.mark.parametrize("epsilon", [0.005, 0.1, 0.5, 2.0])
def test_sampled_normal_noise_both_ways_by_its_best_events(q, epsilon):
    """The likelihood ratio rises with the output: the best events are all above a cut, or all below it."""
    cuts = np.linspace(-12, 12, 200_001)
    above = (1 - q) * special.ndtr(-cuts) + q * special.ndtr(1 - cuts), special.ndtr(-cuts)
    below = special.ndtr(cuts), (1 - q) * special.ndtr(cuts) + q * special.ndtr(cuts - 1)
    found = [np.max(likely - math.exp(epsilon) * unlikely) for likely, unlikely in (above, below)]
    assert sampled_gaussian_deltas(q, 2, 2, epsilon) == pytest.approx(found, rel=1e-6, abs=1e-12)
    assert sampled_gaussian_delta(q, 2, 2, epsilon) == pytest.approx(max(found), rel=1e-6, abs=1e-12)


def test_sampled_normal_noise_at_the_ends_of_sampling_and_epsilon():
    assert sampled_gaussian_delta(1, 1, 1, 1.0) == pytest.approx(gaussian_delta(1, 1, 1.0))
    assert sampled_gaussian_deltas(0.3, 1, 1, 0.0) == pytest.approx(2 * [0.3 * gaussian_delta(1, 1, 0.0)])


@pytest.mark.parametrize("q", [0.01, 0.3, 0.99, 1 - 1e-9])
@pytest.mark.parametrize("step", [0.05, 1e-3])
def test_sampled_losses_are_bounded_on_both_sides_in_both_directions(q, step):
    most = math.log1p(q * math.expm1(4))
    epsilons = np.random.default_rng(4).uniform(0, most, 200)
    truth = sampled_gaussian_deltas(q, 3, 3, epsilons)
    for direction, losses in enumerate(zip(*both_sides(sampled_gaussian_losses, q, 3, 3, step), strict=True)):
        assert_between(losses, epsilons, truth[direction])
        upper = losses[0]
        at_grid = upper.losses[(upper.losses >= 0) & (upper.losses < most)]
        at = sampled_gaussian_deltas(q, 1, 1, at_grid)[direction]
        assert upper.delta(at_grid) == pytest.approx(at, abs=1e-9)
        assert upper.probabilities.sum() + upper.infinite == pytest.approx(1, abs=1e-12)


def test_two_sampled_steps_by_quadrature_in_both_directions():
    q, epsilon = 0.2, 0.4

    def output(loss):
        inner = (np.exp(loss) - 1 + q) / q
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(inner > 0, np.log(inner) + 1 / 2, -np.inf)

    def below(x):
        """The probability of an output below x, with the record and without."""
        return (1 - q) * special.ndtr(x) + q * special.ndtr(x - 1), special.ndtr(x)

    losses = [side.repeat(2) for side in both_sides(sampled_gaussian_losses, q, 1, 1, 1e-3)]
    without, loss = stats.norm.pdf(LINE), np.log(1 - q + q * np.exp(LINE - 1 / 2))
    present, absent = below(output(epsilon - loss))
    removed = ((1 - q) * without + q * stats.norm.pdf(LINE - 1)) * (1 - present - np.exp(epsilon - loss) * (1 - absent))
    present, absent = below(output(-epsilon - loss))
    added = without * (absent - np.exp(epsilon + loss) * present)
    for direction, excess in enumerate((removed, added)):
        truth = integrate.simpson(excess, x=LINE)
        high, low = (both[direction].delta(epsilon) for both in losses)
        assert low <= truth + 1e-9 and high >= truth - 1e-9
        assert high - low < 1e-4
    assert losses[0].delta(epsilon) == max(part.delta(epsilon) for part in losses[0])


def test_a_thousand_sampled_steps_lie_between_two_bounds():
    upper, lower = both_sides(sampled_gaussian_losses, 0.01, 1, 1, 1e-4)
    upper, lower = (losses.repeat(1000).epsilon(1e-5) for losses in (upper, lower))
    assert upper == pytest.approx(1.82824, abs=1e-5)
    assert upper - 3e-4 < lower < upper


def test_amplified_promises():
    assert amplified(0.01, 1, 0).epsilon == pytest.approx(0.0170369, rel=1e-5)
    assert amplified(0.1, 1, 1e-6) == (pytest.approx(0.1585651, rel=1e-6), pytest.approx(1e-7))
    assert amplified(1, 1, 1e-6) == (1, 1e-6)
    assert amplified(0.5, 0, 0.5) == (pytest.approx(0, abs=1e-15), 0.25)
    assert amplified(0.5, 800, 1e-6) == (pytest.approx(800 - math.log(2)), 5e-7)


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_an_amplified_promise_holds_and_is_reached(q):
    """A response on a sample: with probability q the record is asked, else the answer has a fixed law."""
    for epsilon in (0.3, 1.0, 4.0):
        there, base = (np.exp(law) for law in response(epsilon))
        promise = amplified(q, epsilon, 0)
        mixed = np.log(q * there + (1 - q) * base)
        assert privacy_profile(mixed, np.log(base), promise.epsilon) == pytest.approx(0, abs=1e-12)
        assert privacy_profile(mixed, np.log(base), promise.epsilon - 1e-6) > 0
        assert promise.epsilon > q * epsilon


def test_a_sample_of_fixed_size_under_replace():
    """Row 13: reached when all the others are -C: a sum of m records at +-1 with normal noise; C = 1, q = .01."""
    q, epsilon = 0.01, 0.5
    base = math.log1p(math.expm1(epsilon) / q)
    promised = amplified(q, base, float(gaussian_delta(2, 1, base)))
    assert promised == (pytest.approx(epsilon), pytest.approx(7.19362e-4, rel=1e-5))
    # All others are -1: the sum is -m, or -m + 2 if the record that is +1 was drawn; replaced by -1 it is -m for sure.
    assert sampled_gaussian_deltas(q, 2, 1, epsilon)[0] == pytest.approx(promised.delta, rel=1e-9)


# Renyi and zCDP.


def renyi_by_quadrature(log_p, log_q, order):
    return math.log(integrate.simpson(np.exp(order * log_p + (1 - order) * log_q), x=LINE)) / (order - 1)


@pytest.mark.parametrize("order", [1.5, 2, 10])
def test_renyi_divergences_by_quadrature(order):
    laplace = [laplace_log_density(LINE, at, 1, 1.0) for at in (0, 1)]
    assert renyi_laplace(2, 2, order) == pytest.approx(renyi_by_quadrature(*laplace, order), rel=1e-9)
    normal = [stats.norm.logpdf(LINE, at) for at in (0, 0.7)]
    assert renyi_gaussian(1.4, 2, order) == pytest.approx(renyi_by_quadrature(*normal, order), rel=1e-9)
    p, q = (np.exp(law) for law in response(1.0))
    assert renyi_response(1, order) == pytest.approx(math.log(p**order @ q ** (1 - order)) / (order - 1), rel=1e-12)


@pytest.mark.parametrize("order", [2, 3, 8])
@pytest.mark.parametrize("q", [0.01, 0.4, 1.0])
def test_the_sampled_divergence_by_quadrature_and_the_other_direction_is_never_larger(order, q):
    plain, present = stats.norm.logpdf(LINE), stats.norm.logpdf(LINE, 1)
    with np.errstate(divide="ignore"):
        mixed = np.logaddexp(np.log1p(-q) + plain, math.log(q) + present)
    found = renyi_sampled_gaussian(q, 2, 2, order)
    assert found == pytest.approx(renyi_by_quadrature(mixed, plain, order), rel=1e-7)
    assert renyi_by_quadrature(plain, mixed, order) <= found * (1 + 1e-9)


def test_divergences_of_a_large_epsilon():
    assert renyi_response(500, 2) == pytest.approx(500) and renyi_laplace(500, 1, 1000) == pytest.approx(500, rel=0.01)


def test_no_release_diverges_more_than_the_response_and_zcdp_covers_it():
    orders = 1 + np.geomspace(1e-3, 1e3, 60)
    for epsilon in (0.1, 1.0, 5.0):
        assert np.all(renyi_laplace(epsilon, 1, orders) <= renyi_response(epsilon, orders) * (1 + 1e-9))
        assert np.all(renyi_response(epsilon, orders) <= zcdp_pure(epsilon) * orders * (1 + 1e-9))
        least = np.max(renyi_response(epsilon, orders) / orders)
        assert least == pytest.approx(epsilon * math.tanh(epsilon / 2), rel=2e-3)
    assert renyi_gaussian(3, 2, orders) == pytest.approx(zcdp_gaussian(3, 2) * orders)


@pytest.mark.parametrize("delta", [1e-9, 1e-5, 1e-2])
@pytest.mark.parametrize("times", [1, 30])
def test_zcdp_is_never_below_renyi_and_renyi_never_below_the_law(times, delta):
    orders = 1 + np.geomspace(1e-2, 1e4, 2_000)
    releases = [
        (gaussian_losses(1, 5, 1e-3), renyi_gaussian(1, 5, orders), zcdp_gaussian(1, 5)),
        (laplace_losses(1, 5, 1e-3), renyi_laplace(1, 5, orders), zcdp_pure(0.2)),
        (listed_losses(*response(0.2), 1e-3), renyi_response(0.2, orders), zcdp_pure(0.2)),
    ]
    for losses, divergences, rho in releases:
        law = losses.repeat(times).epsilon(delta)
        renyi = renyi_epsilon(orders, times * divergences, delta).epsilon
        zcdp = zcdp_epsilon(times * rho, delta)
        assert law <= renyi + 1e-3 <= zcdp * (1 + 1e-3) + 2e-3
    assert optimal(0.2, times, delta) <= min(advanced(0.2, times, delta), times * 0.2) * (1 + 1e-12)


def test_a_conversion_holds_for_a_law_that_is_known():
    """A listed law, its divergences by summation: the converted epsilon has at least the true delta."""
    rng = np.random.default_rng(5)
    orders = np.array([1.2, 1.5, 2, 4, 8, 32.0])
    for _ in range(40):
        p, q = rng.dirichlet(np.full(5, 0.6), 2)
        divergences = np.log((p[:, None] ** orders * q[:, None] ** (1 - orders)).sum(axis=0)) / (orders - 1)
        for delta in (1e-6, 1e-2, 0.3):
            epsilon = renyi_epsilon(orders, divergences, delta).epsilon
            assert np.maximum(p - math.exp(epsilon) * q, 0).sum() <= delta * (1 + 1e-12)


def test_a_zcdp_budget_is_a_filter():
    budget = ZcdpBudget(0.5)
    assert budget.spend(0.2, "an average") == 0.2
    budget.spend(0.3, "a histogram")
    assert budget.ledger == (("an average", 0.2), ("a histogram", 0.3)) and budget.remaining == 0 and budget.rho == 0.5
    before = budget.ledger
    with pytest.raises(BudgetExceeded, match=r"^rho for 'more' must be at most the 0 left of 0\.5; got 0\.01"):
        budget.spend(0.01, "more")
    assert budget.ledger == before
    assert budget.promise(1e-6) == (zcdp_epsilon(0.5, 1e-6), 1e-6)
    assert repr(budget) == "ZcdpBudget(0.5): 0 left after 2 spendings"
    tenths = ZcdpBudget(0.7)
    for _ in range(7):
        tenths.spend(0.1, "a share")


# Trade-off curves.


def test_tradeoff_curves_in_numbers():
    assert gaussian_tradeoff(1, 0.05) == pytest.approx(0.740489, abs=1e-6)
    assert gaussian_tradeoff(1 / gaussian_scale(1, 1, 1e-6), 0.05) == pytest.approx(0.920457, abs=1e-6)
    assert promise_tradeoff(1, 1e-6, 0.05) == pytest.approx(0.864085, abs=1e-6)
    shares = np.linspace(0, 1, 100_001)
    assert np.max(1 - shares - gaussian_tradeoff(1, shares)) == pytest.approx(0.382925, abs=1e-6)
    assert gaussian_tradeoff(1, [0, 1]) == pytest.approx([1, 0])
    assert promise_tradeoff(0, 0.1, [0, 0.5, 0.95]) == pytest.approx([0.9, 0.4, 0])


def test_the_tradeoff_of_a_listed_law_holds_its_profile():
    """Symmetrised it is convex and below the coin, and delta(epsilon) = 1 + its conjugate at -e^epsilon."""
    rng = np.random.default_rng(6)
    shares = np.linspace(0, 1, 20_001)
    for _ in range(20):
        p, q = np.log(rng.dirichlet(np.full(6, 0.5), 2))
        both = [law_tradeoff(*pair, shares) for pair in ((p, q), (q, p))]
        for curve in both:
            assert np.all(np.diff(curve, 2) > -1e-9) and np.all(curve <= 1 - shares + 1e-12)
        for epsilon in (0.0, 0.5, 2.0):
            conjugate = max(np.max(1 - math.exp(epsilon) * shares - curve) for curve in both)
            assert max(0, conjugate) == pytest.approx(privacy_profile(p, q, epsilon), abs=1e-3)
            delta = min(0.999, privacy_profile(p, q, epsilon))
            assert np.all(np.minimum(*both) >= promise_tradeoff(epsilon, delta, shares) - 1e-9)


def test_the_tradeoff_of_a_law_by_all_its_tests():
    """Every deterministic test of five outcomes lies on or above the curve, and the best ones on it."""
    rng = np.random.default_rng(7)
    p, q = rng.dirichlet(np.ones(5), 2)
    tests = np.array(list(itertools.product((0, 1), repeat=5)))
    alarms, missed = np.minimum(tests @ p, 1), 1 - tests @ q  # a sum of all may be rounded up beyond 1
    curve = law_tradeoff(np.log(p), np.log(q), alarms)
    assert np.all(missed >= curve - 1e-12)
    assert np.count_nonzero(np.isclose(missed, curve)) >= 6


def test_a_tradeoff_with_impossible_outcomes():
    with np.errstate(divide="ignore"):
        p, q = np.log([0.5, 0.5, 0.0, 0.0]), np.log([0.0, 0.6, 0.4, 0.0])
    assert law_tradeoff(p, q, [0, 0.25, 0.5, 1]) == pytest.approx([0.6, 0.3, 0, 0])


# Bad input.

LAW, NO_LAW = np.log([0.3, 0.7]), (np.log([0.5, 0.4]), np.log([0.5, 0.25, 0.25]))
LOSSES = gaussian_losses(1, 1, 0.1)
OTHERS = (gaussian_losses(1, 1, 0.2), gaussian_losses(1, 1, 0.1, side="lower"))
NOT_DELTA, BELOW_0 = (0, 1, -1e-6, np.nan, None), (-1, np.nan, None)
NO_SHARE, NO_SAMPLING = (-0.1, 1.1, np.nan), (0, 1.1, -0.5, np.nan)
NO_ORDER = (1, [2, 1], 0.5, np.nan)
SAMPLED = {"sampling": 0.1, "sensitivity": 1, "scale": 1}
RATIO = {"sensitivity": NOT_POSITIVE, "scale": NOT_POSITIVE}
# A step that is too fine is refused however fine, and no loss is counted down to it.
NO_GRID = {"step": (*NOT_POSITIVE, 1e-8, 1e-9, 1e-15, 1e-200, 1e-310), "side": ("middle", "both", None)}
REFUSED = {
    gaussian_losses: ({"sensitivity": 1, "scale": 1, "step": 0.1}, RATIO | NO_GRID),
    laplace_losses: ({"sensitivity": 1, "scale": 1, "step": 0.1}, RATIO | NO_GRID),
    listed_losses: ({"log_p": LAW, "log_q": LAW[::-1], "step": 0.1}, {"log_p": NO_LAW[:1], "log_q": NO_LAW} | NO_GRID),
    sampled_gaussian_losses: (SAMPLED | {"step": 0.1}, {"sampling": (*NO_SAMPLING, 1)} | RATIO | NO_GRID),
    LOSSES.repeat: ({"times": 2}, {"times": NOT_WHOLE}),
    LOSSES.epsilon: ({"delta": 0.1}, {"delta": NOT_DELTA}),
    LOSSES.delta: ({"epsilon": 1}, {"epsilon": (np.nan, None)}),
    LOSSES.__matmul__: ({"other": LOSSES}, {"other": OTHERS}),
    sampled_gaussian_delta: (SAMPLED | {"epsilon": 1}, {"sampling": NO_SAMPLING, **RATIO, "epsilon": BELOW_0}),
    amplified: (
        {"sampling": 0.5, "epsilon": 1, "delta": 0},
        {"sampling": NO_SAMPLING, "epsilon": BELOW_0, "delta": (1, -1e-6, np.nan)},
    ),
    renyi_gaussian: ({"sensitivity": 1, "scale": 1, "orders": 2}, RATIO | {"orders": NO_ORDER}),
    renyi_laplace: ({"sensitivity": 1, "scale": 1, "orders": 2}, RATIO | {"orders": NO_ORDER}),
    renyi_response: ({"epsilon": 1, "orders": 2}, {"epsilon": NOT_POSITIVE, "orders": NO_ORDER}),
    renyi_sampled_gaussian: (SAMPLED | {"orders": 2}, {"sampling": NO_SAMPLING, **RATIO, "orders": (*NO_ORDER, 2.5)}),
    renyi_epsilon: (
        {"orders": [2], "divergences": [1], "delta": 0.1},
        {"orders": NO_ORDER, "divergences": ([1, 1], [-1]), "delta": NOT_DELTA},
    ),
    zcdp_pure: ({"epsilon": 1}, {"epsilon": NOT_POSITIVE}),
    zcdp_gaussian: ({"sensitivity": 1, "scale": 1}, RATIO),
    ZcdpBudget: ({"rho": 1}, {"rho": NOT_POSITIVE}),
    ZcdpBudget(1).spend: ({"rho": 0.1, "purpose": "x"}, {"rho": NOT_POSITIVE, "purpose": (" ", None)}),
    ZcdpBudget(1).promise: ({"delta": 1e-6}, {"delta": NOT_DELTA}),
    gaussian_tradeoff: ({"mu": 1, "false_alarms": 0.5}, {"mu": NOT_POSITIVE, "false_alarms": NO_SHARE}),
    promise_tradeoff: (
        {"epsilon": 1, "delta": 0, "false_alarms": 0.5},
        {"epsilon": BELOW_0, "delta": (1, -1e-6, np.nan), "false_alarms": NO_SHARE},
    ),
    law_tradeoff: ({"log_p": LAW, "log_q": LAW, "false_alarms": 0.5}, {"log_q": NO_LAW, "false_alarms": NO_SHARE}),
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: getattr(function, "__qualname__", None))
def test_bad_arguments_are_refused(function):
    assert_refuses(function, *REFUSED[function])


def test_a_loss_distribution_is_no_number():
    losses = gaussian_losses(1, 1, 0.1)
    assert isinstance(losses, LossDistribution) and isinstance(sampled_gaussian_losses(0.5, 1, 1, 0.1), Directions)
    with pytest.raises(TypeError):
        losses @ 2
    with pytest.raises(AttributeError):
        losses.step = 1


# Computed with 400 digits: of Laplace noise, and of randomized response.
@pytest.mark.parametrize(
    ("order", "pure", "laplace", "response"),
    [
        (1 + 1e-9, 1e-6, 4.9999983383337483e-13, 5.0000000049995833e-13),
        (1 + 1e-9, 1e-3, 4.9983337549150141e-7, 4.9999995883333744e-7),
        (1 + 1e-9, 0.5, 0.10653065981563239, 0.12245933131935643),
        (1.01, 1e-6, 5.0499983166670786e-13, 5.0499999999995703e-13),
        (1.01, 0.5, 0.10755995924294966, 0.12363338647683191),
        (2, 1e-6, 9.9999966666641658e-13, 9.9999999999958324e-13),
        (50, 1e-3, 2.4981475235577698e-5, 2.4989796249861168e-5),
        (50, 0.5, 0.48605924806721543, 0.49032495950652844),
    ],
)
def test_small_divergences_keep_full_precision(order, pure, laplace, response):
    assert renyi_laplace(pure, 1, order) == pytest.approx(laplace, rel=1e-10, abs=0)
    assert renyi_response(pure, order) == pytest.approx(response, rel=1e-10, abs=0)


@pytest.mark.parametrize(
    ("sampling", "scale", "order", "exact"),
    [
        (1e-12, 1, 2, 1.7182818284590452e-24),
        (1e-6, 1, 3, 2.5774297080276434e-12),
        (1e-3, 1e4, 32, 1.6000000084795121e-13),
        (0.01, 1, 8, 8.9364390760603189e-4),
    ],
)
def test_a_rare_sample_has_a_small_divergence_and_not_none(sampling, scale, order, exact):
    assert renyi_sampled_gaussian(sampling, 1, scale, order) == pytest.approx(exact, rel=1e-11, abs=0)


def test_a_small_amplified_epsilon_keeps_full_precision():
    assert amplified(1e-6, 1e-12, 0).epsilon == pytest.approx(1e-18, rel=1e-11, abs=0)
    assert amplified(1e-12, 30, 0).epsilon == pytest.approx(math.log1p(1e-12 * math.expm1(30)), rel=1e-12)
    assert amplified(1e-300, 705, 0).epsilon == pytest.approx(705 - 300 * math.log(10), rel=1e-6)
    assert amplified(0.5, 2000, 0).epsilon == pytest.approx(2000 - math.log(2), rel=1e-12)


@pytest.mark.parametrize("epsilon", [1e16, 1e17, 1e300, 1e306])
def test_a_delta_far_beyond_all_losses_is_what_is_infinite(epsilon):
    losses = gaussian_losses(1, 1, 1e-3)
    assert losses.delta(epsilon) == losses.infinite
    assert losses.delta(-epsilon) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(("sensitivity", "scale"), [(1e200, 1e-200), (1e200, 1.0), (1e-300, 1e300)])
def test_a_ratio_whose_square_is_no_number_is_refused(sensitivity, scale):
    for losses, first in ((gaussian_losses, ()), (laplace_losses, ()), (sampled_gaussian_losses, (0.1,))):
        with pytest.raises(ValueError, match=r"^sensitivity / scale must be"):
            losses(*first, sensitivity, scale, 1.0)
