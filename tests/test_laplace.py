"""The Laplace and geometric mechanisms: their laws, their exact epsilon inequality over neighbours, their refusals."""

import numpy as np
import pytest
from scipy import stats

from dpbook.laplace import (
    PIECE,
    geometric_log_probability,
    geometric_mechanism,
    laplace_log_density,
    laplace_mechanism,
    laplace_noise,
    laplace_probability,
    sum_sensitivity,
)
from tests.alarms import OFF, assert_counts
from tests.generators import Spy
from tests.refusals import NO_GENERATOR, NOT_FINITE, NOT_POSITIVE, assert_refuses

EPSILONS = (0.01, 0.5, 1.0, 3.0)


def event_loss(low, high, value, neighbour, sensitivity, epsilon):
    """|ln Pr[low < output < high]| for `value` over that for `neighbour`."""
    chances = [laplace_probability(low, high, at, sensitivity, epsilon) for at in (value, neighbour)]
    return np.abs(np.log(chances[0] / chances[1]))


# The noise law. Fixed seeds: these results do not change from run to run.


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, 1), (0.25, 4), (100, 0.5)])
def test_laplace_noise_is_what_the_generator_gave_for_exactly_that_scale(sensitivity, epsilon):
    spy = Spy()
    released = laplace_mechanism([7.0, -3.0], sensitivity, epsilon, spy)
    assert spy.asked("laplace", "scale") == [sensitivity / epsilon] and len(spy.calls) == 1
    assert np.array_equal(released, [7.0, -3.0] + spy.gave("laplace")[0])


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, 1), (1, 0.05), (3, 2)])
def test_geometric_noise_is_two_sided_geometric(sensitivity, epsilon):
    noise = geometric_mechanism(np.zeros(400_000, dtype=int), sensitivity, epsilon, np.random.default_rng(2))
    edge = int(4 * sensitivity / epsilon)
    outputs = np.arange(-edge, edge + 1)
    seen = np.bincount(np.clip(noise, -edge, edge) + edge, minlength=outputs.size)

    def chances(scale):
        law = stats.dlaplace(1 / scale)
        return np.concatenate([[law.cdf(-edge)], law.pmf(outputs[1:-1]), [law.sf(edge - 1)]])

    assert_counts(seen, *(chances(off * sensitivity / epsilon) for off in (1, OFF, 1 / OFF)))


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.SFC64])
@pytest.mark.parametrize("shape", [(), (PIECE - 1,), (PIECE,), (PIECE + 1,), (3, PIECE), (50, 4, 500)])
def test_many_noises_are_those_of_the_generator(kind, shape):
    """In every bit but the last, which a logarithm may round; and so the next numbers."""
    ours, theirs = (np.random.Generator(kind(7)) for _ in range(2))
    noise, other = laplace_noise(2.5, shape, ours), theirs.laplace(scale=2.5, size=shape)
    assert np.shape(noise) == shape and np.allclose(noise, other, rtol=5e-16, atol=0)
    assert np.size(noise) >= PIECE or np.array_equal(noise, other)
    assert ours.random() == theirs.random()
    assert np.array_equal(laplace_noise(0, shape, None), np.zeros(shape))


def test_noise_is_finite_where_the_uniform_number_is_0():
    """Once in 2**53 numbers; numpy draws again then, and here it is the farthest that noise can come, 36.7 scales."""
    zeros = np.random.MT19937()
    zeros.state = {**zeros.state, "state": {"key": np.zeros(624, dtype=np.uint32), "pos": 0}}
    assert np.allclose(laplace_noise(2.0, (PIECE,), np.random.Generator(zeros)), -2 * 53 * np.log(2))


def test_entries_get_independent_noise():
    noise = laplace_mechanism(np.zeros((2, 50_000)), 1, 1, np.random.default_rng(4))
    assert abs(np.corrcoef(noise)[0, 1]) < 0.02
    whole = geometric_mechanism(np.zeros((2, 50_000), dtype=int), 1, 1, np.random.default_rng(4))
    assert abs(np.corrcoef(whole)[0, 1]) < 0.02


# Limits, shapes and seeds.


@pytest.mark.parametrize("mechanism", [laplace_mechanism, geometric_mechanism])
def test_a_large_epsilon_gives_the_truth(mechanism):
    value = np.array([[0, 5], [-3, 10**6]])
    assert mechanism(value, 1, 1e12, np.random.default_rng(5)) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("mechanism", [laplace_mechanism, geometric_mechanism])
@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 2)])
def test_the_shape_is_kept_and_the_argument_is_not_changed(mechanism, shape):
    value = np.full(shape, 4)
    value.flags.writeable = False
    assert np.shape(mechanism(value, 1, 1, np.random.default_rng(6))) == shape


def test_types_of_the_outputs():
    rng = np.random.default_rng(7)
    assert type(laplace_mechanism(3, 1, 1, rng)) is float
    assert type(geometric_mechanism(3, 1, 1, rng)) is int
    assert type(geometric_mechanism(3.0, 1, 1, rng)) is int
    assert geometric_mechanism([3, 4], 1, 1, rng).dtype == np.int64
    assert laplace_mechanism([3, 4], 1, 1, rng).dtype == float


def test_one_seed_gives_the_same_noise_rescaled():
    for mechanism in (laplace_mechanism, geometric_mechanism):
        once, again = (mechanism([5] * 100, 1, 0.01, np.random.default_rng(8)) for _ in range(2))
        assert np.array_equal(once, again)
    coarse, fine = (laplace_mechanism(np.zeros(100), 1, epsilon, np.random.default_rng(8)) for epsilon in (0.1, 1))
    assert coarse == pytest.approx(10 * fine)


def test_geometric_noise_stays_exact_where_it_is_largest():
    noise = geometric_mechanism(np.zeros(1_000, dtype=int), 2**46, 1, np.random.default_rng(9))
    assert np.abs(noise).max() < 2**53
    assert (noise % 2).any()


# The exact inequality. Neighbours: two answers whose L1 distance is the sensitivity, whatever the relation behind it.


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("sensitivity", [0.5, 1, 40])
def test_every_interval_obeys_epsilon_exactly(sensitivity, epsilon):
    """Counts or sums `sensitivity` apart: the tightest events are those beyond both of them."""
    value, neighbour, scale = 700.0, 700.0 + sensitivity, sensitivity / epsilon
    rng = np.random.default_rng(10)
    low = 700 + rng.uniform(-30, 30, 5_000) * scale
    high = low + rng.exponential(scale, 5_000)
    losses = event_loss(low, high, value, neighbour, sensitivity, epsilon)
    assert losses.max() <= epsilon * (1 + 1e-9)
    for low, high in ((neighbour, np.inf), (neighbour + scale, neighbour + 2 * scale), (-np.inf, value)):
        assert event_loss(low, high, value, neighbour, sensitivity, epsilon) == pytest.approx(epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_sensitivity_set_too_small_breaks_the_promise(epsilon):
    """Counts 1 apart, noise for 1/2: the loss is 2 epsilon, not epsilon."""
    assert event_loss(6, 7, 5, 6, sensitivity=0.5, epsilon=epsilon) == pytest.approx(2 * epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("sensitivity", [1, 3])
def test_every_output_of_the_geometric_mechanism_obeys_epsilon_and_the_far_ones_reach_it(sensitivity, epsilon):
    """Counts `sensitivity` apart. Single outputs suffice: a sum of probabilities keeps the bound of its terms."""
    outputs = np.arange(-60, 60)
    here = geometric_log_probability(outputs, 5, sensitivity, epsilon)
    there = geometric_log_probability(outputs, 5 + sensitivity, sensitivity, epsilon)
    assert np.abs(here - there).max() == pytest.approx(epsilon)
    assert np.abs(here - there)[outputs <= 5] == pytest.approx(epsilon)


# The laws themselves, against scipy and against each other.


def test_the_density_and_the_probabilities_are_those_of_scipy():
    outputs = np.linspace(-30, 40, 141)
    law = stats.laplace(loc=3, scale=2 / 0.7)
    assert laplace_log_density(outputs, 3, 2, 0.7) == pytest.approx(law.logpdf(outputs))
    assert laplace_probability(-np.inf, outputs, 3, 2, 0.7) == pytest.approx(law.cdf(outputs))
    assert laplace_probability(outputs, np.inf, 3, 2, 0.7) == pytest.approx(law.sf(outputs))
    assert laplace_probability(outputs[:-1], outputs[1:], 3, 2, 0.7) == pytest.approx(np.diff(law.cdf(outputs)))
    assert laplace_probability(-np.inf, np.inf, 3, 2, 0.7) == 1


def test_probabilities_keep_their_precision_in_both_tails_and_in_short_intervals():
    assert laplace_probability(200, 201, 0, 1, 1) == pytest.approx(np.exp(-200) * (1 - np.exp(-1)) / 2, rel=1e-12)
    assert laplace_probability(-201, -200, 0, 1, 1) == pytest.approx(np.exp(-200) * (1 - np.exp(-1)) / 2, rel=1e-12)
    assert laplace_probability(-1e-12, 2e-12, 0, 1, 1) == pytest.approx(1.5e-12, rel=1e-9)


@pytest.mark.parametrize(("low", "width", "scale"), [(100.0, 1e-10, 4.0), (-1e6, 1e-6, 30_000.0)])
def test_a_narrow_cell_far_out_is_as_exact_as_a_wide_one(low, width, scale):
    high = low + width
    expected = np.exp(-abs((low + high) / 2 - 0.1) / scale) * (high - low) / scale / 2  # the density is straight here
    assert laplace_probability(low, high, 0.1, scale, 1) == pytest.approx(expected, rel=1e-9, abs=0)


def test_the_geometric_law_is_that_of_scipy_and_sums_to_1():
    outputs = np.arange(-300, 301)
    logs = geometric_log_probability(outputs, 2, 2, 0.3)
    assert logs == pytest.approx(stats.dlaplace(0.15).logpmf(outputs - 2))
    assert np.exp(logs).sum() == pytest.approx(1)


# Example 2.14 gives the size of the domain as the sensitivity of a sum, for add/remove neighbours.


@pytest.mark.parametrize(
    ("bounds", "added", "replaced"),
    [((0, 10), 10, 10), ((-3, 10), 10, 13), ((-10, 3), 10, 13), ((36, 42), 42, 6), ((-42, -36), 42, 6)],
)
def test_sum_sensitivity_is_reached_by_a_pair_of_datasets(bounds, added, replaced):
    assert sum_sensitivity(bounds, "add/remove") == added
    assert sum_sensitivity(bounds, "replace") == replaced
    records = np.linspace(*bounds, 13)
    assert np.abs(records).max() == added
    assert np.ptp(records) == replaced


# Bad input.

ONE = {"value": 1, "sensitivity": 1, "epsilon": 1.0}
RELEASED = ONE | {"rng": np.random.default_rng(0)}
BAD_ONE = {"value": (np.inf, None, "1"), "sensitivity": (0, -1), "epsilon": NOT_POSITIVE}
BAD_NOISE = {"epsilon": NOT_POSITIVE, "rng": NO_GENERATOR}
BAD_OUTPUTS = (np.nan, np.inf, "1")
NO_VALUES = (np.nan, [1, np.inf], "one", "1", None, [[1], [1, 2]], np.datetime64("2026-01-01"))
NOT_WHOLE_VALUES = (1.5, [1, 2.5], np.nan, [np.inf], "1", None, True, 2**63, 2**62 + 1, 1e300)
REFUSED = {
    laplace_mechanism: (
        RELEASED,
        BAD_NOISE | {"value": NO_VALUES, "sensitivity": (0, -1, np.nan, np.inf, None, [1, 1])},
    ),
    geometric_mechanism: (
        RELEASED,
        BAD_NOISE | {"value": NOT_WHOLE_VALUES, "sensitivity": (0, -1, 1.5, 1.0, np.nan, None, True)},
    ),
    laplace_log_density: (ONE | {"output": 1}, BAD_ONE | {"output": BAD_OUTPUTS}),
    geometric_log_probability: (
        ONE | {"output": 1},
        BAD_ONE | {"output": (*BAD_OUTPUTS, 1.5), "value": (*NOT_FINITE, 0.5), "sensitivity": (0, -1, 1.5)},
    ),
    laplace_probability: (
        ONE | {"low": 1, "high": 2},
        BAD_ONE | {"low": (2, 3, np.nan, "1", [0, 2]), "high": (np.nan, None)},
    ),
    sum_sensitivity: (
        {"bounds": (0, 1), "relation": "replace"},
        {
            "bounds": ((1, 1), (2, 1), (0, np.inf), (0, np.nan), 3, (0, 1, 2)),
            "relation": ("add", None, "", ["replace"]),
        },
    ),
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_bad_arguments_are_refused(function):
    assert_refuses(function, *REFUSED[function])


@pytest.mark.parametrize("mechanism", [laplace_mechanism, geometric_mechanism])
@pytest.mark.parametrize("epsilon", [1e-320, 1e-310])
def test_a_scale_that_overflows_is_refused(mechanism, epsilon):
    with pytest.raises(ValueError, match="sensitivity / epsilon must be"):
        mechanism(1, 10**3, epsilon, np.random.default_rng(0))


def test_a_scale_that_underflows_to_no_noise_is_refused():
    with pytest.raises(ValueError, match="sensitivity / epsilon must be"):
        laplace_mechanism(1, 1e-200, 1e200, np.random.default_rng(0))


def test_a_scale_too_large_for_exact_whole_numbers_is_refused():
    with pytest.raises(ValueError, match="sensitivity / epsilon must be"):
        geometric_mechanism(1, 1, 2.0**-47, np.random.default_rng(0))


def test_an_interval_may_be_narrower_than_the_rounding_about_the_value():
    assert laplace_probability(1, 2, 1e17, 1, 1e-17) == pytest.approx(np.exp(-1) / 2 * 1e-17, rel=1e-12)
