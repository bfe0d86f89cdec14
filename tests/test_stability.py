"""Stability: sensitivities against a listing of all small datasets, exact losses, laws of votes and of tests, refusals.

Programs are run with noise that the test hands them (`Given`), so that scales, thresholds and orders show exactly.
What is drawn has a fixed seed and a false-alarm rate of 1e-6.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpbook.audit import exact_loss
from dpbook.claims.losses import loss_from_steps
from dpbook.laplace import laplace_probability
from dpbook.neighbours import replace_record, small_datasets
from dpbook.stability import (
    Votes,
    block_votes,
    cauchy_loss,
    cauchy_release,
    cauchy_scale,
    interquartile_range,
    listed_sensitivities,
    local_noise_release,
    lower_median,
    median_sensitivity_at,
    median_smooth_sensitivity,
    median_stable_distance,
    minimum_smooth_sensitivity,
    pass_probability,
    plain_median_smooth_sensitivity,
    printed_private_scale,
    printed_smooth_release,
    private_scale,
    propose_test_release,
    sample_and_aggregate,
    scale_distance,
    smooth_laplace_beta,
    smooth_laplace_delta,
    smooth_laplace_release,
    smooth_sensitivity,
    stable_mode,
    subsampled_votes,
    subsampling_plan,
    unclipped_aggregate,
    vote_distance,
)
from tests.alarms import assert_counts
from tests.generators import Fixed, Spy
from tests.refusals import NOT_POSITIVE, assert_refuses

DOMAIN, BOUNDS = np.array([0.0, 1, 2, 4, 7]), (0, 7)
SMALL = [data for size in (1, 2, 3, 4, 5) for data in small_datasets(DOMAIN, size)[:: 3 if size == 5 else 1]]
BETAS = (0.05, 0.4, 2.0)
TIED, TORN = np.array([0, 0, 0, 0, 0, 1, 1e6, 1e6]), np.array([0, 0, 0, 0, 1, 1e6, 1e6, 1e6])


class Given(np.random.Generator):
    """A generator whose Laplace noise is handed over, in units of the scale that is asked for; `scales` lists those."""

    def __init__(self, *units):
        super().__init__(np.random.PCG64(1))
        self.units, self.scales = list(units), []

    def laplace(self, loc=0.0, scale=1.0, size=None):
        self.scales.append(float(scale))
        return loc + scale * self.units.pop(0)


# Sensitivities.


def distance(data, other):
    """In how many records two datasets on DOMAIN differ."""
    counts = [(one[:, None] == DOMAIN).sum(axis=0) for one in (data, other)]
    return int(np.maximum(counts[0] - counts[1], 0).sum())


def test_the_listing_is_the_definition():
    """By plain loops over all lists of three records."""
    every = [np.array(data) for data in itertools.product(DOMAIN, repeat=3)]
    for data in every[::17]:
        local = {
            tuple(one): max(abs(lower_median(one) - lower_median(two)) for two in every if np.sum(one != two) <= 1)
            for one in every
            if np.all(np.diff(one) >= 0)
        }
        data = np.sort(data)
        expected = [max(value for one, value in local.items() if distance(data, np.array(one)) <= k) for k in range(4)]
        assert listed_sensitivities(lower_median, data, DOMAIN).tolist() == expected


@pytest.mark.parametrize("part", range(4))
def test_median_and_minimum_are_what_a_listing_of_all_datasets_gives(part):
    for data in SMALL[part::4]:
        listed = listed_sensitivities(lower_median, data, DOMAIN)
        found = [median_sensitivity_at(np.roll(data, 1), BOUNDS, k) for k in range(data.size + 1)]
        assert found == listed.tolist() and median_sensitivity_at(data, BOUNDS, 99) == 7
        least = listed_sensitivities(np.min, data, DOMAIN)
        for beta in BETAS:
            assert median_smooth_sensitivity(data, BOUNDS, beta) == pytest.approx(smooth_sensitivity(listed, beta))
            assert minimum_smooth_sensitivity(data, BOUNDS, beta) == pytest.approx(smooth_sensitivity(least, beta))
        for bound in (0.5, 1, 2, 3, 6.9):
            above = np.flatnonzero(listed > bound)
            assert median_stable_distance(data, BOUNDS, bound) == (above[0] if above.size else np.inf)


def test_the_minimum_in_numbers_and_the_maximum_by_its_mirror():
    assert minimum_smooth_sensitivity((1, 1, 3, 4), (0, 4), 0.5) == pytest.approx(2 * math.exp(-0.5))
    for data in SMALL[::9]:
        mirrored = minimum_smooth_sensitivity(-data, (-7, 0), 0.3)
        assert mirrored == pytest.approx(smooth_sensitivity(listed_sensitivities(np.max, data, DOMAIN), 0.3))


def test_it_is_smooth_and_an_upper_bound():
    for data in small_datasets(DOMAIN, 5)[::4]:
        for other in replace_record(data, DOMAIN):
            for smooth in (median_smooth_sensitivity, minimum_smooth_sensitivity):
                one, two = (smooth(side, BOUNDS, 0.3) for side in (data, other))
                assert one <= two * math.exp(0.3) * (1 + 1e-12)
            assert abs(lower_median(data) - lower_median(other)) <= median_smooth_sensitivity(data, BOUNDS, 0.3)


@pytest.mark.parametrize("kind", ["spread", "rounded", "one value", "two camps", "at the ends"])
def test_nothing_is_cut_off_that_counts(kind):
    rng = np.random.default_rng(3)
    values = {
        "spread": rng.normal(50, 10, 801).clip(0, 100),
        "rounded": np.round(rng.exponential(3, 800)).clip(0, 100),
        "one value": np.full(301, 40.0),
        "two camps": np.repeat([1.0, 99], [150, 151]) + rng.random(301) / 9,
        "at the ends": np.repeat([0.0, 100], [40, 61]),
    }[kind]
    steps = [median_sensitivity_at(values, (0, 100), k) for k in range(values.size + 1)]
    assert np.all(np.diff(steps) >= 0) and steps[-1] == 100
    for beta in (0.0005, 0.005, 0.05, 0.5, 3.0):
        expected = smooth_sensitivity(steps, beta)
        assert median_smooth_sensitivity(values, (0, 100), beta) == pytest.approx(max(expected, 2.3e-308), rel=1e-12)


@pytest.mark.parametrize("beta", [1e-9, 0.02, 0.3, 2.0, 800.0])
def test_the_pairs_that_are_shown_give_what_is_used(beta):
    """All small datasets, and longer ones: with ties, at both bounds, of even and odd size, and in any order."""
    rng = np.random.default_rng(7)
    longer = [rng.integers(0, 8, size) for size in (1, 2, 6, 31, 60)] + [7 * rng.random(45), np.zeros(9), np.full(8, 7)]
    for data in [*SMALL, *longer]:
        shown = plain_median_smooth_sensitivity(data, BOUNDS, beta)
        assert shown == pytest.approx(median_smooth_sensitivity(data, BOUNDS, beta), rel=1e-12, abs=0) and shown > 0


def test_the_ends_of_beta_are_the_width_and_the_local_sensitivity():
    for data in SMALL[::11]:
        local = listed_sensitivities(lower_median, data, DOMAIN)[0]
        assert median_smooth_sensitivity(data, BOUNDS, 1e-9) == pytest.approx(7)
        assert median_smooth_sensitivity(data, BOUNDS, 800.0) == pytest.approx(local, abs=1e-300)


def test_where_a_bound_underflows_it_is_a_constant_and_not_0():
    crowd = np.full(40_001, 3.0)
    assert median_smooth_sensitivity(crowd, BOUNDS, 0.5) == minimum_smooth_sensitivity(np.zeros(3), (0, 2), 900.0) > 0
    assert cauchy_release(3.0, median_smooth_sensitivity(crowd, BOUNDS, 0.5), 0.5, 1.0, Fixed(0.9)) == 3


def test_the_median_is_the_lower_of_two():
    assert lower_median([3, 0, 1, 3]) == 1 and lower_median([5]) == 5 and lower_median([9, 1, 4]) == 4


# Noise on a bound.


@pytest.mark.parametrize(("beta", "scale", "loss"), [(1 / 6, 1.2, 0.81093), (0.5, 2, 0.62753), (1 / 6, 6, 0.22614)])
def test_the_loss_of_cauchy_noise_in_numbers_and_on_a_grid(beta, scale, loss):
    """Against the densities at z up to 1e8, over shifts and factors that smoothness allows."""
    assert cauchy_loss(beta, scale) == pytest.approx(loss, abs=5e-6)
    z = np.concatenate([-np.geomspace(1e8, 1e-3, 4000), np.linspace(-9, 9, 20_001), np.geomspace(1e-3, 1e8, 4000)])
    worst = 0.0
    for factor in np.exp(np.linspace(-beta, beta, 9)):
        for shift in np.linspace(0, min(1, factor), 4):
            here = stats.cauchy.logpdf(z, 0, scale)
            there = stats.cauchy.logpdf(z, shift, scale * factor)
            worst = max(worst, np.abs(here - there).max())
    assert worst == pytest.approx(cauchy_loss(beta, scale), rel=1e-5) and worst <= cauchy_loss(beta, scale) + 1e-12


def test_the_loss_of_cauchy_noise_apart():
    """Scaling alone costs beta, shifting alone 2 asinh(d / 2): the proof's two halves."""
    assert cauchy_loss(0.7, 1e9) == pytest.approx(0.7)
    for scale in (0.3, 1.0, 5.0):
        assert cauchy_loss(1e-12, scale) == pytest.approx(2 * math.asinh(1 / (2 * scale)), rel=1e-6)
    for epsilon, part in itertools.product((0.05, 1.0, 6.0), (0.01, 1 / 6, 0.5, 0.99)):
        assert cauchy_loss(part * epsilon, 1 / (epsilon * (1 - part))) <= epsilon


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_least_scale_of_cauchy_noise(epsilon):
    border = math.log(2 * math.cosh(epsilon) - 1)
    for beta in (0.01 * epsilon, 0.5 * border, 0.999 * border, (border + epsilon) / 2):
        scale = cauchy_scale(beta, epsilon)
        assert cauchy_loss(beta, scale) == pytest.approx(epsilon, rel=1e-9)
        assert scale < 1 / (epsilon - beta) and cauchy_loss(beta, 0.999 * scale) > epsilon
        assert (scale == pytest.approx(0.5 / math.sinh(epsilon / 2), rel=1e-12)) == (beta < border)


def test_cauchy_noise_on_the_smooth_sensitivity_keeps_epsilon_on_all_small_datasets():
    """By the distance of the two laws in closed form, itself held against the densities above."""
    for part, least in ((1 / 6, False), (0.5, False), (0.7, True)):
        unit = cauchy_scale(part, 1.0) if least else 1 / (1 - part)
        worst = 0.0
        for data in small_datasets(DOMAIN, 5)[::4]:
            laws = [
                (lower_median(one), unit * median_smooth_sensitivity(one, BOUNDS, part))
                for one in [data, *replace_record(data, DOMAIN)]
            ]
            for place, scale in laws[1:]:
                apart = (place - laws[0][0]) ** 2 + (scale - laws[0][1]) ** 2
                worst = max(worst, math.acosh(1 + apart / (2 * scale * laws[0][1])))
        assert cauchy_loss(part, unit) * (1 + 1e-12) >= worst > cauchy_loss(part, unit) / 3 and worst <= 1 + 1e-12


def test_cauchy_releases_have_their_law():
    assert cauchy_release(5.0, 2.0, 0.25, 0.75, Fixed(0.75)) == pytest.approx(5 + 2 / 0.5)
    assert cauchy_release(5.0, 2.0, 0.25, 0.75, Fixed(0.5)) == pytest.approx(5)
    assert cauchy_release(5.0, 2.0, 0.25, 0.75, Fixed(0.25), scale=3.0) == pytest.approx(5 - 6)
    several = cauchy_release(1.0, 3.0, 0.5, 1.0, np.random.default_rng(1), size=4)
    assert np.unique(several).size == 4 and np.all(several != 1)
    assert isinstance(cauchy_release(1.0, 3.0, 0.5, 1.0, np.random.default_rng(1)), float)


def test_laplace_noise_on_a_smooth_bound_as_printed():
    """Row 6: bounds e^0.1 apart, medians equal. What that loses: E65 on page 22, and a row of the claims."""
    data, other = np.zeros(3), np.array([0.0, 0, 1])
    bounds = [median_smooth_sensitivity(one, (0, 1), 0.1) for one in (data, other)]
    assert bounds == [pytest.approx(math.exp(-0.1)), 1] and lower_median(data) == lower_median(other)
    rng = Given(3.0)
    assert printed_smooth_release(10.0, 0.4, 0.2, rng) == 16 and rng.scales == [2]


def test_noise_for_this_dataset_gives_it_away():
    calm, edge = np.array([0, 0, 0, 0, 1]), np.array([0, 0, 0, 1, 1])
    assert [median_sensitivity_at(one, (0, 1), 0) for one in (calm, edge)] == [0, 1]
    assert local_noise_release(0, 0, 1.0, np.random.default_rng(1)) == 0
    rng = Given(-2.0)
    assert local_noise_release(7, 3, 0.5, rng) == -5 and rng.scales == [6]


def excess_on_cells(one, two, epsilon):
    """The sum of (P - e^epsilon Q)_+ over fine cells: below the truth, and close to it."""
    cuts = np.concatenate([[-np.inf], np.linspace(-30, 30, 60_001), [np.inf]])
    p, q = (laplace_probability(cuts[:-1], cuts[1:], place, scale, 1.0) for place, scale in (one, two))
    return np.maximum(p - math.exp(epsilon) * q, 0).sum()


@pytest.mark.parametrize(("delta", "exact", "times"), [(1e-3, 7.746e-6, 129), (1e-6, 4.064e-9, 246)])
def test_laplace_noise_with_a_delta_is_far_too_careful(delta, exact, times):
    beta = smooth_laplace_beta(1.0, delta)
    assert beta == pytest.approx(1 / (2 * math.log(2 / delta)))
    found = smooth_laplace_delta(beta, 1.0)
    assert found == pytest.approx(exact, rel=1e-3) and delta / found == pytest.approx(times, abs=0.5)
    rng = Given(1.5)
    assert smooth_laplace_release(4.0, 0.5, 0.25, rng) == 10 and rng.scales == [4]


@pytest.mark.parametrize("delta", [0.9, 0.5, 1e-3, 1e-9])
def test_laplace_noise_keeps_its_delta_or_is_refused(delta):
    """The formula holds for small epsilon only: by the exact delta of each row, up to an epsilon of 60."""
    kept = 0
    for epsilon in np.geomspace(0.01, 60, 60):
        try:
            beta = smooth_laplace_beta(epsilon, delta)
        except ValueError:
            continue
        assert smooth_laplace_delta(beta, epsilon) <= delta
        kept = epsilon
    assert 7 < kept < 15


@pytest.mark.parametrize(("beta", "epsilon"), [(0.3, 0.5), (0.05, 1.0), (1.0, 2.0)])
def test_the_exact_delta_of_laplace_noise_on_a_grid(beta, epsilon):
    """No shift and no factor that smoothness allows is worse, in either direction; e^-beta S is the narrow one."""
    worst, unit = 0.0, 2 / epsilon
    for factor in np.exp(np.linspace(-beta, 0, 5)):
        for shift in np.linspace(0, factor, 4):
            pair = (0.0, unit), (shift, unit * factor)
            worst = max(worst, excess_on_cells(*pair, epsilon), excess_on_cells(*pair[::-1], epsilon))
    found = smooth_laplace_delta(beta, epsilon)
    assert worst <= found * (1 + 1e-9) and worst == pytest.approx(found, rel=0.01)


def test_the_exact_delta_of_laplace_noise_for_all_sizes():
    """Also where two places at which the log ratio turns fall together."""
    for epsilon, part in itertools.product((0.1, 1.0, 5.0), (0.01, 0.3, 0.5, 0.9, 1.5, 3.0)):
        assert 0 <= smooth_laplace_delta(part * epsilon, epsilon) < 1
    assert smooth_laplace_delta(0.9, 1.0) == pytest.approx(0.171, abs=5e-4)
    assert smooth_laplace_delta(60.0, 20.0) == pytest.approx(1)


# Blocks and votes.


def test_the_average_of_blocks_by_hand():
    values, rng = np.arange(30.0), Given(2.0)
    place = np.random.Generator(np.random.PCG64(1)).integers(0, 4, 30)
    results = [min(max(values[place == block].sum(), 10), 100) for block in range(4)]
    released = sample_and_aggregate(values, np.sum, (10, 100), 4, 0.5, rng)
    assert released == pytest.approx(np.mean(results) + 2 * 90 / (4 * 0.5)) and rng.scales == [45]
    assert min(results) < 100 == max(results), "the clipping is seen"


@pytest.mark.parametrize("statistic", [np.sum, np.median, len])
def test_one_record_moves_the_average_by_one_share(statistic):
    """Replaced, or one more at the end: the same places for the others, noise 0."""
    rng, values = np.random.default_rng(2), np.random.default_rng(1).integers(0, 9, 40)
    before = sample_and_aggregate(values, statistic, (0, 12), 8, 1.0, Given(0.0))
    for _ in range(50):
        changed = values.copy()
        changed[rng.integers(40)] = rng.choice([-1000, 1000, 0])
        for other in (changed, np.append(values, 1000)):
            assert abs(sample_and_aggregate(other, statistic, (0, 12), 8, 1.0, Given(0.0)) - before) <= 12 / 8 + 1e-12


def test_places_are_drawn_for_each_record_on_its_own():
    rng = Spy()
    sample_and_aggregate(np.zeros((50, 3)), np.mean, (0, 1), 7, 1.0, rng)
    (asked,) = [given for called, given, _ in rng.calls if called == "integers"]
    assert (asked["low"], asked["high"], asked["size"]) == (0, 7, 50)
    counted = np.bincount(np.concatenate([block_votes([0], len, 3, np.random.default_rng(s)).votes for s in (1, 2)]))
    assert counted.tolist() == [0, 2], "the empty blocks have no vote"


def test_empty_blocks_and_no_numbers_count_as_the_middle():
    assert sample_and_aggregate([5.0], np.max, (0, 6), 3, 1.0, Given(0.0)) == pytest.approx((5 + 3 + 3) / 3)
    assert sample_and_aggregate(np.ones(9), lambda part: np.nan, (0, 6), 3, 1.0, Given(0.0)) == 3


def test_without_clipping_one_record_moves_it_without_limit():
    moved = [unclipped_aggregate(np.append(np.zeros(9), far), np.sum, (0, 1), 5, 1.0, Given(0.0)) for far in (0, 1e9)]
    assert moved[1] - moved[0] == 2e8 and unclipped_aggregate(np.ones(9), np.max, (0, 1), 5, 0.5, Given(1.0)) == 1.4


def test_the_votes_of_blocks_are_those_of_disjoint_parts():
    votes, touched = block_votes(2.0 ** np.arange(12), np.sum, 4, np.random.default_rng(5))
    assert touched == 1 and votes.sum() == 2**12 - 1 and len(votes) <= 4
    assert isinstance(block_votes(np.arange(5), np.max, 2, np.random.default_rng(1)), Votes)


def memberships(records, rate, subsamples, seed):
    """Which record is in which subsample: the votes are sums of different powers of 2. An empty one is left out."""
    votes, touched = subsampled_votes(2 ** np.arange(records), np.sum, rate, subsamples, np.random.default_rng(seed))
    inside = (votes[:, None].astype(int) >> np.arange(records)) & 1
    return inside, touched


def test_no_record_is_in_more_subsamples_than_touched_and_their_number_has_its_law():
    rate, subsamples, counts = 0.25, 12, []
    for seed in range(500):
        inside, touched = memberships(40, rate, subsamples, seed)
        counts.append(inside.sum(axis=0))
        assert touched == 6 and inside.sum(axis=0).max() <= 6
    law = stats.binom.pmf(np.arange(7), subsamples, rate)
    off = [stats.binom.pmf(np.arange(7), subsamples, rate * factor) for factor in (1.05, 1 / 1.05)]
    assert_counts(np.bincount(np.ravel(counts), minlength=7), law / law.sum(), *(one / one.sum() for one in off))


@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_no_records_are_answered_as_one_record_is(blocks):
    """No record is a neighbour of one record (add/remove): an error would tell that somebody was the only one."""
    pairs = [(np.empty(0), np.array([value])) for value in (0.0, 0.25, 1.0, 7.0)]
    loss = loss_from_steps(lambda data, rng: sample_and_aggregate(data, np.max, (0, 1), blocks, 1.0, rng), pairs)
    assert loss == pytest.approx(0.5)  # from the middle of the bounds to an end
    assert sample_and_aggregate([], np.max, (2, 6), blocks, 1.0, Given(0)) == 4
    for votes, touched in (block_votes([], np.max, blocks, RNG), subsampled_votes([], np.max, 0.5, blocks, RNG)):
        assert votes.size == 0 and touched == max(1, touched) and stable_mode(votes, touched, 1.0, 0.1, RNG) is None


@pytest.mark.parametrize("zeros", [20, 39, 100])
def test_the_sign_of_a_zero_tells_of_no_vote(zeros):
    """The winner is 0.0, whoever votes for -0.0: numpy keeps the one of the two that its sorting meets first."""
    for place in range(zeros + 1):
        winner, _ = vote_distance(np.insert(np.zeros(zeros), place, -0.0), 1)
        assert math.copysign(1, winner) == 1


def test_records_that_are_far_apart_make_no_warning():
    """Their range is beyond all doubles: a warning would tell of them. The settings of the tests make it an error."""
    apart = np.array([-1e308, -1e308, -1e308, 0, 1, 1e308, 1e308, 1e308])
    assert interquartile_range(apart) == np.inf and scale_distance(apart, 0) == scale_distance(apart, 0.5) == 0
    for values in (apart, np.append(np.zeros(12), [1.0, 2, 1e308, -1e308])):
        assert private_scale(values, 1.0, 0.1, Given(-9, -9)) is None


def test_subsamples_do_not_depend_on_what_the_records_say():
    parts = [
        subsampled_votes(values, len, 0.1, 30, np.random.default_rng(8)).votes
        for values in (np.zeros(200), np.arange(200), np.full((200, 2), "a"))
    ]
    assert np.array_equal(parts[0], parts[1]) and np.array_equal(parts[0], parts[2])


def test_many_records_are_subsampled_in_pieces(monkeypatch):
    monkeypatch.setattr("dpbook.stability.votes.ENTRIES", 64)
    votes, touched = subsampled_votes(np.arange(300), len, 0.1, 20, np.random.default_rng(8))
    assert touched == 4 and abs(votes.sum() - 0.1 * 300 * 20) < 150


def test_the_distance_of_votes():
    assert vote_distance([3, 1, 3, 2, 3], 1) == (3, 0.0)
    assert vote_distance(["b"] * 60 + ["a"] * 4, 1) == ("b", 27)
    assert vote_distance([5, 5], 1) == (5, 0.0) and vote_distance([2, 1], 4) == (1, -1.0)


@pytest.mark.parametrize("touched", [1, 2])
def test_one_record_moves_the_distance_by_1_and_the_winner_only_from_0(touched):
    """All votes of six voters for three, and all ways to change `touched` of them; or to withdraw them."""
    for votes in itertools.combinations_with_replacement(range(3), 6):
        winner, here = vote_distance(votes, touched)
        others = [
            (*np.delete(votes, list(places)), *new)
            for places in itertools.combinations(range(6), touched)
            for new in [*itertools.product(range(3), repeat=touched), ()]
        ]
        for other in set(others):
            other_winner, there = vote_distance(other, touched)
            assert abs(here - there) <= 1
            assert other_winner == winner or max(here, there) <= 0


def test_a_stable_mode_comes_out_just_above_the_threshold():
    votes, epsilon, delta = np.repeat([7, 9], [14, 4]), 0.5, 0.01  # distance 4, threshold 9.2103
    over = epsilon * (math.log(1 / delta) / epsilon - 4)
    for unit, expected in ((over + 1e-9, 7), (over - 1e-9, None)):
        rng = Given(unit)
        assert stable_mode(votes, 1, epsilon, delta, rng) == expected and rng.scales == [2]
    assert pass_probability(4, epsilon, math.log(100) / epsilon) == pytest.approx(stats.laplace.sf(over), rel=1e-12)


def test_what_passes_in_numbers():
    assert 1 - pass_probability(27, 1.0, math.log(1e6)) == pytest.approx(9.4e-7, rel=2e-3)
    assert pass_probability(0, 1.0, math.log(1e6)) == pytest.approx(5e-7, rel=1e-12)
    assert pass_probability(-1, 0.3, 2.0) == pytest.approx(math.exp(-0.9) / 2, rel=1e-12)
    assert pass_probability(np.inf, 1.0, 5.0) == 1


def test_two_datasets_with_other_winners_are_told_apart_with_delta_half_at_most():
    for epsilon, delta in itertools.product((0.1, 1.0), (1e-6, 0.05)):
        for votes in ([0, 0, 1, 1, 1], [0, 1], [0, 0, 0, 1, 1]):
            chance = pass_probability(vote_distance(votes, 1)[1], epsilon, math.log(1 / delta) / epsilon)
            assert chance <= delta / 2 * (1 + 1e-12)


# Tests before a release.


def test_one_record_moves_both_distances_by_1():
    rng = np.random.default_rng(4)
    for _ in range(30):
        data = rng.choice(DOMAIN, 12)
        for other in replace_record(data, DOMAIN):
            assert abs(median_stable_distance(data, BOUNDS, 2) - median_stable_distance(other, BOUNDS, 2)) <= 1
            for shift in (0, 0.5):
                assert abs(scale_distance(data, shift) - scale_distance(other, shift)) <= 1
                ranges = interquartile_range(data), interquartile_range(other)
                if scale_distance(data, shift) >= 2:
                    assert 0.5 < ranges[0] / ranges[1] < 2


def test_propose_test_release_step_by_step():
    threshold = math.log(1000) / 0.5
    for noise, passed in ((0.5 * (threshold - 9) + 1e-9, True), (0.5 * (threshold - 9) - 1e-9, False)):
        rng = Given(noise, 2.0)
        released = propose_test_release(3.0, 9, 4.0, 0.5, 1e-3, rng)
        assert released == (3 + 2 * 4 / 0.5 if passed else None) and rng.scales == ([2, 8] if passed else [2])
    assert propose_test_release(3.0, np.inf, 4.0, 0.5, 1e-3, Given(-50.0, 0.0)) == 3


def release_law(value, passes, scale, cuts):
    """ln of the chances of no answer, then of each cell between the cuts."""
    return np.append(
        math.log1p(-passes), math.log(passes) + np.log(laplace_probability(cuts[:-1], cuts[1:], value, scale, 1.0))
    )


def test_propose_test_release_keeps_its_promise_on_all_small_datasets():
    """(2 epsilon, delta / 2), and delta / 2 is what a dataset at distance 0 passes with."""
    epsilon, delta, bound = 1.0, 0.02, 2.0
    cuts, laws = np.concatenate([[-np.inf], np.linspace(-6, 13, 58), [np.inf]]), {}
    for data in small_datasets(DOMAIN, 5):
        passes = pass_probability(median_stable_distance(data, BOUNDS, bound), epsilon, math.log(1 / delta) / epsilon)
        laws[tuple(data)] = release_law(lower_median(data), passes, bound / epsilon, cuts)
    assert min(math.exp(np.logaddexp.reduce(law[1:])) for law in laws.values()) == pytest.approx(delta / 2)
    losses = [
        exact_loss(law, laws[tuple(np.sort(other))], delta=delta / 2).loss
        for data, law in laws.items()
        for other in replace_record(np.array(data), DOMAIN)
    ]
    assert 1 < max(losses) <= 2 * epsilon


def fewest_replacements(data, shift, every):
    """How many records must change until the range leaves its bin, over all datasets `every`; inf if none does."""
    here = math.floor(math.log2(interquartile_range(data)) - shift)
    counts = {value: np.sum(data == value) for value in data}
    best = np.inf
    for other in every:
        scale = interquartile_range(other)
        if scale == 0 or math.floor(math.log2(scale) - shift) != here:
            best = min(best, data.size - sum(min(n, np.sum(other == value)) for value, n in counts.items()))
    return best


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
def test_the_distance_of_a_scale_is_that_over_all_datasets(size):
    """Replaced records may go far out, or to where another one is: that is all that can count."""
    rng, many = np.random.default_rng(size), 40 if size < 5 else 8
    for _ in range(many):
        data = np.sort(rng.choice([0.0, 1, 1.5, 2, 3, 4, 7, 8], size))
        if interquartile_range(data) == 0:
            assert scale_distance(data, 0) == scale_distance(data, 0.5) == 0
            continue
        every = small_datasets(np.unique([-1e9, *data, 1e9]), size)
        for shift in (0, 0.5):
            assert scale_distance(rng.permutation(data), shift) == fewest_replacements(data, shift, every)


def test_quartiles_are_ranks():
    assert interquartile_range(np.arange(8)) == 4 and interquartile_range([3, 9]) == 6
    assert interquartile_range(TIED) == 1 and interquartile_range(TORN) == 1e6


def test_bins_are_closed_below_and_open_above():
    """Ranges of just 1 and just 2, with ties that one replacement does not break on one side."""
    assert scale_distance(np.repeat([0.0, 1], [4, 4]), 0) == scale_distance(np.repeat([0.0, 2], [4, 4]), 0) == 2
    steps = np.repeat([0.0, 1, 2], [4, 4, 4])
    assert interquartile_range(steps) == 2
    assert scale_distance(steps, 0) == 1, "one replacement makes it 1, in the bin below"


def test_a_private_scale_step_by_step():
    values = np.repeat([4.0, 8.0], [11, 13])  # range 4; distance 6 in both cuttings
    assert [scale_distance(values, shift) for shift in (0, 0.5)] == [6, 6]
    threshold = 1 + math.log(50) / 0.5
    over = 0.5 * (threshold - 6)
    for units, expected, scales in (
        ((over + 1e-9, 1.5), 4 * 2**3, [2, 2]),
        ((over - 1e-9, over + 1e-9, -0.5), 4 * 2**-1, [2, 2, 2]),
        ((over - 1e-9, over - 1e-9), None, [2, 2]),
    ):
        rng = Given(*units)
        assert private_scale(values, 0.5, 0.02, rng) == (expected and pytest.approx(expected)) and rng.scales == scales
    rng = Given(0.5 * (1 - math.log(0.5) - 6) + 1e-9, 0.0)
    assert printed_private_scale(values, 0.5, 1e-12, rng) == pytest.approx(4)
    rng = Given(*[0.5 * (1 - math.log(0.5) - 6) - 1e-9] * 2)
    assert printed_private_scale(values, 0.5, 1e-12, rng) is None


def test_a_range_of_0_is_never_released_and_units_do_not_matter():
    rng = np.random.default_rng(1)
    assert all(private_scale(np.zeros(9), 5.0, 0.9, rng) is None for _ in range(20))
    assert printed_private_scale(np.zeros(9), 5.0, 0.9, Given(1e9, 1e9)) is None
    values = rng.normal(size=400)
    for seed in range(5):
        one, two = (private_scale(unit * values, 2.0, 1e-3, np.random.default_rng(seed)) for unit in (1, 2))
        assert two == pytest.approx(2 * one, rel=1e-12)


# Refusals, and limits.


RNG = np.random.default_rng(1)


OUTSIDE = ([1, 8], [-0.1], [], [1, np.nan])
SMOOTH = {"values": OUTSIDE, "beta": NOT_POSITIVE}
SCALE = {"values": ([], [1, np.inf]), "delta": (0, 2)}
REFUSED = [
    (median_sensitivity_at, ([1], BOUNDS, 0), {"values": OUTSIDE, "bounds": ((7, 0),), "distance": (-1, 0.5)}),
    (median_smooth_sensitivity, ([1], BOUNDS, 0.1), SMOOTH),
    (plain_median_smooth_sensitivity, ([1], BOUNDS, 0.1), SMOOTH),
    (minimum_smooth_sensitivity, ([1], BOUNDS, 0.1), SMOOTH),
    (smooth_sensitivity, ([1], 0.1), {"sensitivities": ([], [-1]), "beta": NOT_POSITIVE}),
    (listed_sensitivities, (np.min, [1], [1, 2]), {"values": ([3],)}),
    (lower_median, ([1],), {"values": ([],)}),
    (local_noise_release, (1, 1, 1.0, RNG), {"local_sensitivity": (-1,)}),
    (cauchy_release, (1, 1, 0.5, 1.0, RNG), {"value": (np.inf,), "beta": (1.0,), "scale": (0.95,)}),
    (cauchy_scale, (0.5, 1.0), {"beta": (1.0,)}),
    (cauchy_loss, (0.5, 1), {"scale": NOT_POSITIVE}),
    (smooth_laplace_beta, (1, 0.1), {"delta": (1.0,), "epsilon": NOT_POSITIVE}),
    (smooth_laplace_beta, (1, 1e-6), {"epsilon": (20, 800)}),  # the exponential of 800 is no number
    (
        sample_and_aggregate,
        ([1], np.mean, (0, 1), 2, 1.0, RNG),
        {"values": (0.5,), "bounds": ((1, 0),), "blocks": (0,)},
    ),
    (block_votes, ([1], len, 1, RNG), {"values": (3,), "blocks": (0,)}),
    (subsampled_votes, ([1], len, 0.5, 3, RNG), {"values": (1,), "rate": (1.0, 0.05), "subsamples": (0,)}),
    (vote_distance, ([1], 1), {"votes": ([],)}),
    (stable_mode, ([1], 1, 1.0, 0.1, RNG), {"touched": (0,), "delta": (0,)}),
    (subsampling_plan, (9, 1.0, 0.1), {"size": (0,)}),
    (median_stable_distance, ([1], BOUNDS, 1), {"values": OUTSIDE, "bound": NOT_POSITIVE}),
    (propose_test_release, (1, 1, 1, 1.0, 0.1, RNG), {"distance": (-1,), "bound": NOT_POSITIVE, "delta": (1,)}),
    (pass_probability, (1, 1.0, 1), {"distance": (np.nan,)}),
    (scale_distance, ([1, 2], 0), {"shift": (0.25,)}),
    (private_scale, ([1, 2], 1.0, 0.1, RNG), SCALE),
    (printed_private_scale, ([1, 2], 1.0, 0.1, RNG), SCALE),
]


@pytest.mark.parametrize(("function", "good", "refused"), REFUSED)
def test_bad_arguments_are_refused(function, good, refused):
    assert_refuses(function, good, refused)


def test_the_plan_of_the_source_and_of_its_text():
    plan, text = subsampling_plan(10**6, 1.0, 1e-6), subsampling_plan(10**6, 1.0, 1e-6, 64)
    assert plan.rate == pytest.approx(0.002262, abs=5e-7) and text.rate == pytest.approx(0.0011, abs=5e-5)
    assert (plan.subsamples, text.subsamples) == (pytest.approx(5.4e6, rel=1e-3), pytest.approx(2.16e7, rel=1e-3))


def test_a_plan_that_would_take_all_records_is_refused():
    with pytest.raises(ValueError, match=r"^rate[ ,].*must be"):
        subsampling_plan(9, 9.0, 0.9)


def test_cauchy_noise_of_a_large_scale_loses_little_and_not_nothing():
    assert cauchy_loss(1e-9, 1e9) == pytest.approx(
        math.sqrt(2) * 1e-9, rel=1e-8
    )  # the distance of (0, 1) and (t, 1 + t)
    assert cauchy_loss(1.0, 1e-3) == pytest.approx(2 * math.asinh(500), rel=1e-12)
    for epsilon, part in [(1e-9, 0.5), (1e-6, 1 - 1e-9), (700, 0.9), (1, 1 - 1e-12)]:
        assert cauchy_loss(part * epsilon, cauchy_scale(part * epsilon, epsilon)) == pytest.approx(epsilon, rel=1e-12)


def test_a_scale_beyond_the_largest_bin_has_distance_0():
    assert scale_distance([0, 1.7e308], 0) == scale_distance([0, 1.7e308], 0.5) == 0
    assert private_scale([0, 1.7e308], 1, 1e-6, Fixed(0.5)) is None


def test_no_votes_give_no_answer_and_no_error():
    empty = subsampled_votes([1.0], np.mean, 0.25, 2, Fixed(0.9))
    assert empty.votes.size == 0 and stable_mode(empty.votes, empty.touched, 1, 0.1, Fixed(0.9)) is None
