"""The six averages: their laws, exact losses over all pairs of small datasets, and what section 2.5 of 004 claims.

Neighbours are add/remove unless a test says replace. Losses come from probabilities of events (atoms, cells between
cuts), never from bare densities. What a mechanism makes of the numbers that it draws is looked at number by number.
"""

from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from dpbook.audit import exact_loss
from dpbook.averages import (
    centred_average,
    clamped_average,
    clamped_law,
    clamped_loss,
    clipped_average,
    clipped_error,
    exponential_average,
    exponential_loss,
    median_average,
    median_law,
    redrawn_average,
    repaired_clamped_epsilon,
    repaired_resampling_epsilon,
    resampling_average,
    resampling_law,
    resampling_loss,
    simple_average,
    simple_loss,
    true_average,
)
from dpbook.exponential import selection_probabilities
from tests.generators import Fixed, Spy, assert_chooses_by
from tests.refusals import NO_GENERATOR, NOT_POSITIVE, assert_refuses

MECHANISMS = [
    simple_average,
    resampling_average,
    clamped_average,
    centred_average,
    exponential_average,
    median_average,
]
WITHIN_BOUNDS = [resampling_average, clamped_average, exponential_average, median_average]
UNIT = (0, 1)
LN2 = np.log(2)
EPSILONS = (0.05, 0.5, 1.0, 1.3862, 2.0, 5.0)
# Cells of the unit interval: fine near the ends and around the averages 1/2, 1/3, 2/3, 1/4, 3/4.
NEAR = np.add.outer([1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4], [-1e-7, 0, 1e-7]).ravel()
CUTS = np.unique([*np.linspace(0, 1, 121), 1e-7, 1 - 1e-7, *NEAR])
DATASETS = [d for n in range(6) for d in combinations_with_replacement((0.0, 0.3, 1.0), n)]
PAIRS = [(d, (*d, one)) for d in DATASETS if len(d) < 5 for one in (0.0, 0.3, 1.0)]
FAMILY = [((0.0,) * n, (0.0,) * n + (1.0,)) for n in (1, 2, 3, 5, 10, 30, 300)]


def loss(law, pair, epsilon):
    """The exact loss on a pair of datasets, over the cells and atoms of `law(values, UNIT, CUTS, epsilon)`."""
    return exact_loss(*(law(list(side), UNIT, CUTS, epsilon) for side in pair)).loss


def ranges_of_median(values, bounds, cuts, epsilon):
    return median_law(values, bounds, epsilon, ranges=200)


# ---------------------------------------------------------------- laws


def test_clamped_law_has_the_probabilities_that_the_book_integrates():
    """004, proof of Proposition 2.22: the two atoms, for no records and for some, and what lies between them."""
    values, (low, high), epsilon = [3.0, 5.0, 4.5], (2.0, 6.0), 0.7
    rate, n = epsilon / (high - low), len(values)
    cuts = [low, 2.5, 4.0, high]
    events, law = clamped_law(values, (low, high), cuts, epsilon)
    assert events.tolist() == [[2, 2], [2, 2.5], [2.5, 4], [4, 6], [6, 6]]
    assert np.isclose(law[0], np.exp(rate * (n * low - sum(values))) / 2)
    assert np.isclose(law[-1], np.exp(-rate * (n * high - sum(values))) / 2)
    assert np.allclose(law[1:-1], np.diff(stats.laplace(np.mean(values), 1 / (n * rate)).cdf(cuts)))
    empty = clamped_law([], (low, high), cuts, epsilon).probabilities
    assert np.allclose(empty[[0, -1]], np.exp(-epsilon / 2) / 2)
    assert np.allclose(empty[1:-1], (1 - np.exp(-epsilon / 2)) * np.diff(cuts) / 4)


def test_the_loop_draws_again_exactly_when_the_average_is_outside():
    """Algorithm 2 to the letter: the noise of every round, and the first average within the bounds."""
    values, (low, high), epsilon = [1.0, 9.0], (-1, 9), 0.7
    rounds = set()
    for seed in range(150):  # each ends at the third round with probability 1/8: in one of 150, but for 2e-9
        spy = Spy(seed)
        release = redrawn_average(values, (low, high), epsilon, spy)
        averages = [(sum(values) + noise) / 2 for noise in spy.gave("laplace")]
        assert all(scale == pytest.approx(10 / epsilon, rel=1e-12) for scale in spy.asked("laplace", "scale"))
        assert not any(low <= average <= high for average in averages[:-1])
        assert release == averages[-1] and low <= release <= high
        rounds.add(len(averages))
    assert {1, 2, 3} <= rounds


@pytest.mark.parametrize("values", [[0.2, 0.2, 0.9], [1.0], []])
def test_exponential_average_is_the_exponential_mechanism_on_a_fine_grid(values):
    """Section 2.5.1: quality -|sum - count o|, sensitivity high - low; and resampling at half of epsilon."""
    epsilon, points = 1.7, 20_000
    grid = (np.arange(points) + 0.5) / points
    chances = selection_probabilities(-np.abs(sum(values) - len(values) * grid), 1, epsilon)
    cuts = np.linspace(0, 1, 21)
    law = resampling_law(values, UNIT, cuts, epsilon / 2)
    assert np.allclose(chances.reshape(20, -1).sum(axis=1), law.probabilities, rtol=1e-3)
    half = resampling_average(values, UNIT, epsilon / 2, np.random.default_rng(6), size=9)
    assert np.array_equal(half, exponential_average(values, UNIT, epsilon, np.random.default_rng(6), size=9))


@pytest.mark.parametrize("values", [[2.0, 5.0, 5.0, 9.0], [], [10.0]])
def test_noisy_sums_and_counts_have_exactly_the_promised_scales(values):
    """What simple, centred and clamped average ask of the generator, and what they make of it."""
    bounds, epsilon, n = (2.0, 10.0), 1.5, len(values)
    for mechanism, centre, scale in ((simple_average, 0.0, 16 / epsilon), (centred_average, 6.0, 8 / epsilon)):
        spy = Spy(2)
        releases = mechanism(values, bounds, epsilon, spy, size=9)
        assert spy.asked("laplace", "scale") == [pytest.approx(scale, rel=1e-12), 2 / epsilon]
        total, count = sum(values) - n * centre + spy.gave("laplace")[0], n + spy.gave("laplace")[1]
        assert total.shape == count.shape == (9,)
        assert releases == pytest.approx(np.where(count > 1, centre + total / count, 6.0))
    spy = Spy(2)
    release = clamped_average(values, bounds, epsilon, spy)
    if n:
        assert spy.asked("laplace", "scale") == [pytest.approx(8 / epsilon, rel=1e-12)]
        assert release == pytest.approx(np.clip((sum(values) + spy.gave("laplace")[0]) / n, *bounds))
    assert len(spy.calls) == 1


@pytest.mark.parametrize("values", [[], [0.0], [0.0, 1.0], [0.3, 0.3, 1.0]])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_one_uniform_number_is_turned_into_the_average_by_exactly_its_law(values, epsilon):
    """Inverting a distribution function: the release at u has probability u below it."""
    for u in (1e-6, 0.01, 0.3, 0.5, 0.77, 1 - 1e-6):
        for mechanism, spent in ((resampling_average, epsilon), (exponential_average, epsilon / 2)):
            release = mechanism(values, UNIT, epsilon, Fixed(u))
            below, _ = resampling_law(values, UNIT, [0.0, release, 1.0], spent).probabilities
            assert below == pytest.approx(u, rel=1e-6)
    for u in (0.01, 0.2, 0.5, 0.77, 0.99) if not values else ():
        release = clamped_average(values, UNIT, epsilon, Fixed(u))
        atoms = clamped_law([], UNIT, [0.0, 1.0], epsilon).probabilities[[0, -1]]
        assert (release in (0.0, 1.0)) == (u < atoms[0] or u > 1 - atoms[1])
        if 0 < release < 1:
            assert clamped_law([], UNIT, [0.0, release, 1.0], epsilon).probabilities[:2].sum() == pytest.approx(u)


@pytest.mark.parametrize("values", [[20, 30, 30, 31, 44, 70], []])
def test_median_average_chooses_its_range_by_exactly_its_law_and_a_point_in_it_evenly(values):
    law = median_law(values, (18, 120), 0.8, ranges=30)
    assert law.events[0, 0] == 18 and law.events[-1, 1] == 120 and np.isclose(law.probabilities.sum(), 1)
    assert values or np.allclose(law.probabilities, 1 / 30)

    def chosen(rng):
        release = median_average(values, (18, 120), 0.8, rng, ranges=30)
        place = int(np.searchsorted(law.events[:, 0], release, side="right")) - 1
        left, right = law.events[place]
        assert release == pytest.approx(left + (right - left) * rng.number)
        return place

    assert_chooses_by(law.probabilities, chosen, shift=1e-7)


# ---------------------------------------------------------------- limits and structure


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_large_epsilon_gives_the_truth(mechanism):
    """The average, to the noise that is left; for the median, to one of its ranges."""
    values, bounds = [37.0, 38.0, 38.0, 38.5, 39.0], (36, 42)
    truth, reach = (38.0, 0.006) if mechanism is median_average else (38.1, 1e-6)
    release = mechanism(values, bounds, 1e9, np.random.default_rng(8))
    assert isinstance(release, float) and abs(release - truth) <= reach


@pytest.mark.parametrize("mechanism", WITHIN_BOUNDS)
@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("values", [[], [36.0], [42.0], [36.1] * 3 + [41.9]])
def test_four_of_the_six_stay_within_bounds(mechanism, epsilon, values):
    releases = mechanism(values, (36, 42), epsilon, np.random.default_rng(9), size=500)
    assert releases.shape == (500,) and np.isfinite(releases).all()
    assert releases.min() >= 36 and releases.max() <= 42


def test_the_other_two_may_leave_the_bounds():
    """Erratum B29: clamping them afterwards is free."""
    for mechanism in (simple_average, centred_average):
        releases = mechanism([37.0] * 10, (36, 42), 0.5, np.random.default_rng(10), size=1_000)
        assert releases.min() < 36 and releases.max() > 42


@pytest.mark.parametrize("mechanism", [m for m in MECHANISMS if m is not simple_average])
def test_five_of_the_six_do_not_care_where_zero_is(mechanism):
    """The same noise on shifted and stretched records gives the shifted and stretched release."""
    values = np.array([0.1, 0.4, 0.9])
    plain = mechanism(values, UNIT, 1.3, np.random.default_rng(11), size=50)
    moved = mechanism(100 + 8 * values, (100, 108), 1.3, np.random.default_rng(11), size=50)
    assert np.allclose(moved, 100 + 8 * plain)


def test_the_seed_decides_the_release_and_size_asks_for_an_array():
    """And true_average is Eq. (2.8)."""
    for mechanism in MECHANISMS:
        one, again = (mechanism([1.0, 2.0], (0, 4), 1, np.random.default_rng(12)) for _ in range(2))
        assert one == again and isinstance(one, float)
        assert mechanism([1.0, 2.0], (0, 4), 1, np.random.default_rng(12), size=1).shape == (1,)
    assert true_average([1, 2], (0, 4)) == 1.5 and true_average([], (36, 42)) == 39


# ---------------------------------------------------------------- exact losses over all pairs


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_no_pair_of_small_datasets_loses_more_than_the_exact_loss(epsilon):
    """All pairs of up to five records out of {0, 0.3, 1}, and long runs of zeros; each bound is nearly reached."""

    def exponential_law(values, bounds, cuts, epsilon):
        return resampling_law(values, bounds, cuts, epsilon / 2)

    for law, bound, tight in (
        (clamped_law, clamped_loss(epsilon), 1e-4),
        (resampling_law, resampling_loss(epsilon), 0.01),
        (exponential_law, exponential_loss(epsilon), 0.01),
        (ranges_of_median, epsilon, 0.1),
    ):
        worst = max(loss(law, pair, epsilon) for pair in PAIRS + FAMILY)
        assert worst <= bound * (1 + 1e-9)
        assert worst >= bound - tight * max(1, epsilon)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_more_is_lost_only_where_the_smaller_dataset_is_likelier(epsilon):
    """The direction that the notebook's proof bounds by e^epsilon, for the resampling average."""
    for small, large in PAIRS + FAMILY:
        one_fewer, one_more = (resampling_law(list(side), UNIT, CUTS, epsilon).probabilities for side in (small, large))
        assert (one_more <= np.exp(epsilon) * one_fewer * (1 + 1e-9) + 1e-300).all()


def test_replacing_a_record_loses_at_most_twice_as_much():
    """Replace: same size, one record changed."""
    replaced = [((*d, 0.0), (*d, 1.0)) for d in DATASETS if len(d) < 4]
    for law, bound in ((clamped_law, clamped_loss), (resampling_law, resampling_loss)):
        assert max(loss(law, pair, 1.0) for pair in replaced) <= 2 * bound(1.0)


def log_tail(total, count, bound, total_scale, count_scale):
    """ln Pr[S/C > bound, C > 1] where count <= 1 and total <= bound: the integral over C in closed form."""
    rate = 1 / count_scale + bound / total_scale
    return np.log(1 / (4 * count_scale * rate)) + (count - 1) / count_scale + (total - bound) / total_scale


@pytest.mark.parametrize("bounds", [(0, 1), (-3, 1), (-1, 1), (36, 42), (100, 101), (-7, -2)])
@pytest.mark.parametrize("epsilon", [0.2, 1.0])
def test_simple_average_loses_simple_loss_and_centred_average_epsilon(bounds, epsilon):
    """The event "beyond the far end", on no records and on one there (mirrored where the low end is the farther)."""
    low, high = bounds if abs(bounds[1]) >= abs(bounds[0]) else (-bounds[1], -bounds[0])
    width, middle = high - low, (low + high) / 2
    simple = [log_tail(s, n, high, 2 * width / epsilon, 2 / epsilon) for s, n in ((high, 1), (0, 0))]
    assert np.isclose(simple[0] - simple[1], simple_loss(bounds, epsilon))
    centred = [log_tail(s, n, high - middle, width / epsilon, 2 / epsilon) for s, n in ((high - middle, 1), (0, 0))]
    assert np.isclose(centred[0] - centred[1], epsilon)
    # The closed form is that of the mechanism's noise, by an independent quadrature.
    noisy_total, noisy_count = stats.laplace(high, 2 * width / epsilon), stats.laplace(1, 2 / epsilon)
    exact, _ = quad(lambda count: noisy_count.pdf(count) * noisy_total.sf(high * count), 1, np.inf)
    assert np.isclose(np.exp(simple[0]), exact, rtol=1e-6)


# ---------------------------------------------------------------- refutations of the book


def test_clamped_loss_meets_epsilon_at_two_ln_two():
    assert np.isclose(clamped_loss(2 * LN2), 2 * LN2) and clamped_loss(3) == 3
    assert clamped_loss(1.386) > 1.386
    assert np.isclose(clamped_loss(1e-6), LN2, atol=1e-6)


@pytest.mark.parametrize("epsilon", [0.7, 0.9, 1.2, 1.386, 1.5, 4.0])
def test_repairs_lose_what_they_promise(epsilon):
    """The internal epsilons are the inverses of the losses, and the exact laws agree (all pairs)."""
    assert np.isclose(resampling_loss(repaired_resampling_epsilon(epsilon)), epsilon)
    assert repaired_resampling_epsilon(epsilon) > epsilon / 2
    assert np.isclose(exponential_loss(2 * repaired_resampling_epsilon(epsilon)), epsilon)
    assert clamped_loss(repaired_clamped_epsilon(epsilon)) <= epsilon * (1 + 1e-12)
    worst = [
        max(loss(law, pair, repaired(epsilon)) for pair in PAIRS + FAMILY)
        for law, repaired in ((clamped_law, repaired_clamped_epsilon), (resampling_law, repaired_resampling_epsilon))
    ]
    assert max(worst) <= epsilon * (1 + 1e-9) and min(worst) > epsilon - 0.02


def test_repair_of_the_clamped_average_between_ln_2_and_2_ln_2():
    assert np.isclose(repaired_clamped_epsilon(1.0), 2 * (1 - LN2))
    assert repaired_clamped_epsilon(2 * LN2) <= 2 * LN2 and repaired_clamped_epsilon(3) == 3
    with pytest.raises(ValueError, match=r"epsilon must be above ln 2"):
        repaired_clamped_epsilon(LN2)


def test_small_and_large_epsilons_lose_no_precision():
    assert np.isclose(repaired_resampling_epsilon(1e-12), 5e-13, rtol=1e-6)
    assert np.isclose(resampling_loss(1e-12), 2e-12, rtol=1e-6)
    assert np.isclose(repaired_resampling_epsilon(800), 800 - LN2) and np.isclose(resampling_loss(800), 800 + LN2)


# The clipped average: neighbours are replace, the number of records is public.


@pytest.mark.parametrize(("bounds", "epsilon"), [((0, 1), 0.5), ((36, 42), 1.0), ((-3, 5), 2.0)])
@pytest.mark.parametrize("values", [[0.2], [0.0, 1.0, 40.0], [-5.0, 0.5, 99.0, 0.9, 0.1]])
def test_clipped_average_is_the_average_of_clipped_values_with_noise_for_one_replaced(values, bounds, epsilon):
    """Laplace noise of scale W / (n epsilon); its row of the claims runs it on every pair of small datasets."""
    spy = Spy(11)
    release = clipped_average(values, bounds, epsilon, spy)
    assert spy.asked("laplace", "scale") == [pytest.approx(np.ptp(bounds) / (len(values) * epsilon), rel=1e-12)]
    assert release == pytest.approx(np.clip(values, *bounds).mean() + spy.gave("laplace")[0])
    assert isinstance(release, float)
    several = clipped_average(values, bounds, epsilon, spy, size=3)
    _, noise = spy.gave("laplace")
    assert noise.shape == (3,) and several == pytest.approx(np.clip(values, *bounds).mean() + noise)


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 5.0])
def test_clipped_error_is_the_mean_error(epsilon):
    """Against a quadrature of |c + noise|, for a bias that matters and for none."""
    for values in ([0.1, 0.4, 0.7], [0.5, 2.0, 0.1, 30.0]):
        bias, scale = np.clip(values, 0, 1).mean() - np.mean(values), 1 / (len(values) * epsilon)
        law = stats.laplace(bias, scale)
        parts = [
            quad(lambda x, law=law: abs(x) * law.pdf(x), *ends, limit=200)[0]
            for ends in pairwise(sorted([bias - 50 * scale, min(bias, 0), max(bias, 0) + 1e-12, bias + 50 * scale + 1]))
        ]
        assert clipped_error(values, UNIT, epsilon) == pytest.approx(sum(parts), rel=1e-6)


# ---------------------------------------------------------------- bad input

RNG = np.random.default_rng(1)
GOOD = {"values": [1.0, 2.0], "bounds": (0, 4), "epsilon": 1.0}
BAD_VALUES = ([1.0, np.nan], [1.0, np.inf], [1.0, 4.5], [-0.1, 1.0], [[1.0, 2.0]], 1.0, ["one"])
BAD = {"values": BAD_VALUES, "bounds": ((4, 0), (0, 0), (0, np.inf), 4), "epsilon": NOT_POSITIVE}
RELEASED, BAD_RELEASED = GOOD | {"rng": RNG}, BAD | {"rng": NO_GENERATOR}
MANY = (RELEASED, BAD_RELEASED | {"size": (0, 2.5)})
CUT = GOOD | {"cuts": [0, 4]}, BAD | {"cuts": ([0, 1], [1, 4], [0, 3, 2, 4], [0], [0, np.nan, 4], 4)}
ANY_VALUES = {"values": ([], [np.nan], [[0.5]])}  # clipped, they may lie outside the bounds
REFUSED = {
    **dict.fromkeys(MECHANISMS, MANY),
    median_average: (RELEASED, MANY[1] | {"ranges": (0, 2.5, True)}),
    redrawn_average: (RELEASED, BAD_RELEASED | {"values": (*BAD_VALUES, [])}),
    clipped_average: (RELEASED, MANY[1] | ANY_VALUES),
    clipped_error: (GOOD, BAD | ANY_VALUES),
    true_average: ({"values": [1.0], "bounds": (0, 4)}, {"values": BAD_VALUES, "bounds": BAD["bounds"]}),
    clamped_law: CUT,
    resampling_law: CUT,
    median_law: (GOOD, BAD | {"ranges": (0, 2.5, True)}),
    simple_loss: ({"bounds": (0, 1), "epsilon": 1.0}, {"bounds": ((1, 0),), "epsilon": NOT_POSITIVE}),
    resampling_loss: ({}, {"epsilon": NOT_POSITIVE}),
    exponential_loss: ({}, {"epsilon": NOT_POSITIVE}),
    clamped_loss: ({}, {"epsilon": NOT_POSITIVE}),
    repaired_resampling_epsilon: ({}, {"epsilon": NOT_POSITIVE}),
    repaired_clamped_epsilon: ({}, {"epsilon": (LN2, *NOT_POSITIVE)}),
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_bad_arguments_are_refused(function):
    assert_refuses(function, *REFUSED[function])
