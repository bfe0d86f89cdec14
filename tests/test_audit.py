"""The audit: exact losses, certified bounds that seldom lie and often catch, the search for bad neighbours.

Neighbours here: two scalar answers one apart (a count, add/remove), or records added, as each test says.
"""

import itertools
import re
import subprocess
import sys

import numpy as np
import pytest
from scipy import optimize, stats

from dpbook import audit
from dpbook.audit import (
    EpsilonBound,
    add_record,
    add_to_count,
    batched,
    best_events,
    clopper_pearson,
    epsilon_lower_bound,
    exact_loss,
    law_events,
    loss_over_outputs,
    meter,
    remove_record,
    replace_record,
    small_datasets,
    worst_neighbours,
    yes_no_patterns,
)
from dpbook.audit import events as audit_events
from dpbook.audit.views import View, as_numbers, views
from dpbook.averages import clamped_average
from dpbook.laplace import geometric_mechanism, laplace_mechanism
from dpbook.neighbours import record_pairs
from dpbook.svt import ALG12, ALG14, ALG16, ALG17, log_output_probability, sparse_vector
from dpbook.verdict import Law, exceeds, verdict
from tests.alarms import FALSE_ALARM, repeats
from tests.refusals import NO_GENERATOR, NOT_WHOLE, assert_refuses

pytestmark = pytest.mark.depends("tests/test_audit.py")


def rng(seed=1):
    return np.random.default_rng(seed)


def laplace(epsilon, wrong=1.0):
    """A count with Laplace noise; `wrong` = 2 loses twice the epsilon."""
    return lambda count, rng, size: count + rng.laplace(scale=1 / (epsilon * wrong), size=size)


def geometric(epsilon):
    chance = 1 - np.exp(-epsilon)
    return lambda count, rng, size: count + rng.geometric(chance, size) - rng.geometric(chance, size)


def vector_laplace(scale):
    return lambda counts, rng, size: np.asarray(counts) + rng.laplace(scale=scale, size=(size, len(counts)))


# Exact losses.


def test_randomized_response_loses_the_log_odds():
    loss = exact_loss(np.log([0.75, 0.25]), np.log([0.25, 0.75]), events=["yes", "no"])
    assert loss.loss == pytest.approx(np.log(3), rel=1e-12)
    assert loss.event in ("yes", "no") and loss.within(1.1) and not loss.within(1.09)


def test_both_directions_count():
    p, q = np.log([0.5, 0.5]), np.log([0.9, 0.1])
    for pair, direction in (((p, q), "likelier on data"), ((q, p), "likelier on neighbour")):
        loss = exact_loss(*pair)
        assert (loss.event, loss.direction) == (1, direction)
        assert loss.loss == pytest.approx(np.log(5))
        assert loss.log_probabilities == pytest.approx(np.log([0.5, 0.1]))


def test_impossible_events():
    with np.errstate(divide="ignore"):
        loss = exact_loss(np.log([0.5, 0.5, 0.0]), np.log([1.0, 0.0, 0.0]))
    assert loss.loss == np.inf and loss.event == 1
    assert not loss.within(1e6)
    assert exact_loss([0.0, -np.inf], [0.0, -np.inf]).loss == 0


def test_delta_against_every_union_of_events():
    generator = rng()
    for _ in range(20):
        p, q = generator.dirichlet(np.full(8, 0.4), 2)
        delta = generator.uniform(0.01, 0.3)
        unions = [list(places) for size in range(1, 9) for places in itertools.combinations(range(8), size)]
        best = max(
            np.log((a[s].sum() - delta) / b[s].sum()) for a, b in ((p, q), (q, p)) for s in unions if a[s].sum() > delta
        )
        loss = exact_loss(np.log(p), np.log(q), delta=delta)
        assert loss.loss == pytest.approx(max(best, 0), abs=1e-9)
        likelier, other = (p, q) if loss.direction == "likelier on data" else (q, p)
        assert np.log((likelier[loss.event].sum() - delta) / other[loss.event].sum()) == pytest.approx(best)


def gaussian_loss(spread, delta):
    """The epsilon of Gaussian noise with this standard deviation on a count, at delta (a closed form, by its root)."""

    def excess(epsilon):
        near, far = 1 / (2 * spread) - epsilon * spread, -1 / (2 * spread) - epsilon * spread
        return stats.norm.cdf(near) - np.exp(epsilon) * stats.norm.cdf(far) - delta

    return optimize.brentq(excess, 0, 50)


def test_delta_of_gaussian_noise():
    cuts = np.linspace(-30, 31, 61_001)
    laws = [law_events([], stats.norm(count, 2).cdf(cuts)) for count in (0, 1)]
    for delta in (1e-2, 1e-5):
        assert exact_loss(*laws, delta=delta).loss == pytest.approx(gaussian_loss(2, delta), abs=1e-3)


def test_a_batch_is_one_call_on_copies_of_the_data():
    noise = np.random.default_rng(4).laplace(scale=2 / 0.5, size=(5, 2))
    drawn = batched(laplace_mechanism, 2, 0.5)([3, 10], np.random.default_rng(4), 5)
    assert drawn == pytest.approx(np.array([3, 10]) + noise)
    counts = batched(geometric_mechanism, 1, 0.5)(7, np.random.default_rng(4), size=9)
    assert counts.shape == (9,) and counts.dtype == np.int64


def test_several_dimensions_and_names():
    log_p, log_q = np.log([[0.1, 0.2], [0.3, 0.4]]), np.log([[0.1, 0.5], [0.2, 0.2]])
    assert exact_loss(log_p, log_q).event == (0, 1)
    assert exact_loss(log_p, log_q, events=["a", "b", "c", "d"]).event == "b"
    assert str(exact_loss(log_p, log_q)) == "exact loss 0.916291 (pure, delta = 0): (0, 1) (likelier on neighbour)"
    assert "with delta = 0.1: [" in str(exact_loss(log_p, log_q, delta=0.1))


def test_two_laws_name_their_events_themselves():
    cells = np.array([[0, 0.5], [0.5, 1], [1, 1]])
    here, there = Law(cells, np.array([0.4, 0.6, 0.0])), Law(cells, np.array([0.5, 0.3, 0.2]))
    assert exact_loss(here, there).loss == np.inf and exact_loss(here, there).event == (1.0, 1.0)
    loss = exact_loss(here, there, delta=0.25)
    assert loss.loss == pytest.approx(np.log(0.35 / 0.3)) and loss.event == [(0.5, 1.0)]
    for other in (Law(cells + 1, there.probabilities), np.log(there.probabilities)):
        with pytest.raises(ValueError, match=r"^log_q must be a Law if the other is one, of the same events; got"):
            exact_loss(here, other)
    with pytest.raises(ValueError, match=r"^log_p must be a Law"):
        exact_loss(np.log([0.4, 0.3, 0.3]), there)


def test_patterns_of_a_run():
    assert yes_no_patterns(2, 1) == [(False, False), (False, True), (True,)]
    assert len(yes_no_patterns(5, 5)) == 32
    for queries, cutoff in ((4, 1), (6, 2), (7, 3)):
        patterns = yes_no_patterns(queries, cutoff)
        assert len(set(patterns)) == len(patterns)
        log_p = [log_output_probability(one, np.zeros(queries), 0, 1, cutoff, 1.0, ALG12) for one in patterns]
        assert np.exp(log_p).sum() == pytest.approx(1, abs=1e-9), "nothing is missing and nothing twice"


def test_loss_over_all_outputs_of_svt():
    """Every answer moves by at most 1 between the neighbours (004 section 7.2)."""
    answers, neighbour = np.array([0, 0, 1, 1.0]), np.array([1, 1, 0, 0.0])

    def loss(variant):
        def log_probability(outputs, data):
            return log_output_probability(outputs, data, 0, 1, 1, 1.0, variant)

        patterns = yes_no_patterns(4, 1 if variant.stops_at_cutoff else 4)
        return loss_over_outputs(log_probability, patterns, answers, neighbour)

    assert loss(ALG12).within(1.0)
    assert loss(ALG17).loss > 1.5 and loss(ALG17).event in ((False, False, True, True), (True, True, False, False))
    assert loss(ALG16).loss == np.inf


# The limits of a probability, exactly.


@pytest.mark.parametrize("samples", [1, 20, 75])
@pytest.mark.parametrize("risk", [0.2, 0.01])
def test_clopper_pearson_is_wrong_no_more_often_than_asked(samples, risk):
    """The chance of a wrong limit, summed over all counts, at every true probability of a fine grid."""
    limits = np.array([clopper_pearson(hits, samples, risk) for hits in range(samples + 1)])
    chances = np.linspace(0.001, 0.999, 999)
    law = stats.binom.pmf(np.arange(samples + 1), samples, chances[:, None])
    for wrong in (limits[:, 0] > chances[:, None], limits[:, 1] < chances[:, None]):
        errors = (law * wrong).sum(axis=1)
        assert errors.max() <= risk + 1e-12
        assert errors.max() > risk / 3, "and not much less often, or it would be of no use"


def test_clopper_pearson_agrees_with_scipy():
    for hits, samples in ((0, 10), (3, 10), (10, 10), (500, 10**6)):
        interval = stats.binomtest(hits, samples).proportion_ci(0.98, "exact")
        assert clopper_pearson(hits, samples, 0.01) == pytest.approx((interval.low, interval.high), rel=1e-9)


# The lower bound: how seldom it lies.


def reusing(mechanism, data, neighbour, samples, generator, confidence):
    """The same bound with the event certified on the outputs that chose it: what `epsilon_lower_bound` must not do."""
    pair = [as_numbers(mechanism(side, generator, samples)) for side in (data, neighbour)]
    tries = best_events(pair, pair, samples, 0, 2.0)
    return max(
        audit.bound._certified(e, likelier, pair, samples, 0, confidence, len(tries)).epsilon for e, likelier in tries
    )


def lottery(_, rng, size):
    """One of 40 prizes, whatever the data: true loss 0."""
    return rng.integers(40, size=size)


@pytest.mark.parametrize(("mechanism", "loss"), [(lottery, 0.0), (laplace(1.0), 1.0), (geometric(0.5), 0.5)])
@repeats(1_000)
def test_false_alarms_stay_below_the_rate_asked(mechanism, loss, number):
    """Seeded repeats at a rate of 20 %: of 1,000, more than 262 alarms have probability 1e-6 if the rate is 20 %."""
    bounds = [epsilon_lower_bound(mechanism, 0, 1, 400, rng(seed), 0.8).epsilon for seed in range(number)]
    assert sum(bound > loss + 1e-12 for bound in bounds) <= stats.binom.isf(FALSE_ALARM, number, 0.2)


def test_the_false_alarm_test_could_fail():
    alarms = sum(reusing(lottery, 0, 1, 400, rng(seed), 0.8) > 0 for seed in range(200))
    assert alarms > 150


@repeats(200)
def test_false_alarms_of_vectors_and_patterns(number):
    """Vectors of 6 counts, and yes/no patterns of 6 answers, the same on both datasets: true loss 0, rate 20 %."""

    def patterns(_, rng, size):
        return [tuple(row) for row in (rng.random((size, 6)) < 0.3).tolist()]

    for mechanism in (vector_laplace(1.0), patterns):
        bounds = [epsilon_lower_bound(mechanism, [0] * 6, [0] * 6, 400, rng(s), 0.8).epsilon for s in range(number)]
        assert sum(bound > 0 for bound in bounds) <= stats.binom.isf(FALSE_ALARM, number, 0.2)


# The lower bound: how often it catches. Fixed seeds.


def test_a_bound_refutes_only_what_lies_below_it():
    """At the claim itself nothing is refuted, nor within rounding of it; a claim one part in 10^8 below it is."""
    bound = epsilon_lower_bound(laplace(1.0), 0, 1, 10_000, rng(), 0.999)
    at = bound.epsilon
    assert not bound.refutes(at) and not bound.refutes(np.nextafter(at, 0)) and bound.refutes(at * (1 - 1e-8))


def test_a_verdict_forgives_rounding_and_no_more():
    """One part in 10^9 of the claim, and 1e-12: a loss of 0 is within a claim of 0."""
    for loss, epsilon, above in [
        (0.0, 0.0, False),
        (5e-13, 0.0, False),
        (2e-12, 0.0, True),
        (1e3 + 9e-7, 1e3, False),
        (1e3 + 2e-6, 1e3, True),
        (np.inf, 1e3, True),
    ]:
        assert exceeds(loss, epsilon) == above
        words = ("BROKEN", "BROKEN") if above else ("within", "not refuted")
        assert tuple(verdict(loss, epsilon, certain) for certain in (True, False)) == words
    for loss in (np.nan, -1e-9):
        with pytest.raises(ValueError, match="loss"):
            exceeds(loss, 1.0)


def test_an_output_that_is_no_number_counts_as_infinite():
    """Not as 0, nor as nothing: a mechanism that fails on one dataset only gives itself away."""
    assert as_numbers([np.nan, 1.0, -np.inf]).tolist() == [np.inf, 1.0, -np.inf]

    def fails(count, rng, size):
        return np.where(rng.random(size) < 0.1 * count, np.nan, 0.0)

    assert epsilon_lower_bound(fails, 0, 1, 10_000, rng(), 0.999).epsilon > 3


def test_minus_zero_is_zero_in_every_view():
    """Equal outputs must count as equal, or an event would tell them apart by nothing."""
    zero, minus = (np.array([[sign * 0.0, 1.0], [2.0, 3.0]] * 50) for sign in (1, -1))
    for view in views(zero, minus):
        assert np.array_equal(view.score(zero), view.score(minus)), view.name


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0])
def test_noise_of_half_the_scale_is_caught(epsilon):
    assert epsilon_lower_bound(laplace(epsilon, wrong=2), 0, 1, 200_000, rng(), 0.999).refutes(epsilon)
    assert not epsilon_lower_bound(laplace(epsilon), 0, 1, 200_000, rng(), 0.999).refutes(epsilon)


def test_the_bound_can_be_counted_again():
    """The event is a set of outputs: on fresh outputs it has about the probabilities that were certified."""
    mechanism, generator = laplace(2.0), rng(5)
    bound = epsilon_lower_bound(mechanism, 0, 1, 100_000, generator, 0.999)
    fresh = [np.mean(bound.event.holds(mechanism(side, generator, 200_000))) for side in (0, 1)]
    likelier, other = fresh if bound.direction == "likelier on data" else fresh[::-1]
    low, high = bound.probabilities
    assert low < likelier < low + 0.02 and high - 0.02 < other < high
    assert str(bound.event).startswith("output ") and str(bound.event) in str(bound)
    assert bound.counts[0] / bound.samples == pytest.approx(likelier, abs=0.01)


@pytest.mark.parametrize("cells", [[0], [1, 2], [0, 3, 5], [4], list(range(0, 20, 2))])
def test_an_event_holds_the_outputs_of_its_cells_and_no_others(cells):
    """Cells are open at the left and closed at the right, also where an atom lies on an edge."""
    scores = np.concatenate([np.zeros(50), np.ones(50), np.linspace(-1, 2, 4001)])
    cuts = np.array([-0.5, np.nextafter(0, -1), 0.0, 0.5, np.nextafter(1, 0), 1.0, 1.5, *np.linspace(1.6, 1.9, 20)])
    event = audit_events._event(View("output", np.asarray), cuts, np.array(cells))
    assert np.array_equal(event.holds(scores), np.isin(np.searchsorted(cuts, scores), cells))


def test_events_in_words():
    """The words of an event, read as a condition, hold for the same whole numbers as the event itself."""
    seen = set()
    for seed in range(120):
        chances = rng(seed).dirichlet(np.ones(6), 2)
        bound = epsilon_lower_bound(
            lambda side, rng, size, p=chances: rng.choice(6, size, p=p[side]), 0, 1, 4000, rng(seed), 0.99
        )
        words = str(bound.event)
        seen |= {sign for sign in ("= ", "< ", ">= ", "<= ", "> ", " or ", " and ") if sign in words}
        if " more" not in words:
            condition = re.sub(" and (?=[<>])", " and output ", words.replace(" = ", " == "))
            for output in range(6):
                assert eval(condition, {"output": output}) == bound.event.holds(np.array([float(output)]))[0], words
    assert {"= ", ">= ", "<= ", " or "} <= seen


def test_a_vector_whose_maximum_leaks():
    """Each entry alone keeps epsilon 1; a place chosen without noise tells all."""

    def noisy_but_sorted(counts, rng, size):
        noisy = np.asarray(counts) + rng.laplace(size=(size, len(counts)))
        top = np.argmax(counts)
        noisy[:, top] = noisy.max(axis=1) + 1e-9
        return noisy

    bound = epsilon_lower_bound(noisy_but_sorted, [5, 5.5, 5], [5, 5.5, 6], 20_000, rng(), 0.999)
    assert bound.epsilon > 4 and "place of the largest entry" in str(bound.event)


def test_released_numbers_of_svt():
    """Algorithm 14 releases the first answer above the noisy threshold, and so says that the threshold is below it."""
    answers, neighbour = np.r_[np.zeros(20), 0.0], np.r_[np.ones(20), 0.0]

    def run(data, rng):
        return sparse_vector(data, 0, 1, 1, 4.0, rng, variant=ALG14).tolist()

    bound = epsilon_lower_bound(run, answers, neighbour, 6000, rng(), 0.99)
    assert isinstance(bound, EpsilonBound) and bound.epsilon > 0


def test_numbers_in_sequences_are_looked_at():
    def release(count, rng):
        return [True, count + rng.normal(scale=0.1)]

    bound = epsilon_lower_bound(release, 0, 1, 2000, rng(), 0.999)
    assert bound.epsilon > 3 and "first number" in str(bound.event)


def test_rows_of_yes_and_no_as_an_array():
    """The secret is whether the first and the last two answers agree; every single answer is a fair coin."""

    def agreement(secret, rng, size):
        first, second = rng.random((2, size, 1)) < 0.5
        return np.hstack([first, second, first ^ bool(secret), second ^ bool(secret)])

    assert epsilon_lower_bound(agreement, 0, 1, 10_000, rng(), 0.999).epsilon > 5


def test_gaussian_noise_with_delta():
    """One person in a count (add/remove)."""

    def gaussian(count, rng, size):
        return count + rng.normal(scale=2.0, size=size)

    for delta in (0.01, 0.05):
        bound = epsilon_lower_bound(gaussian, 0, 1, 400_000, rng(), 0.999, delta=delta)
        assert 0.85 * gaussian_loss(2, delta) < bound.epsilon <= gaussian_loss(2, delta)
    pure = epsilon_lower_bound(gaussian, 0, 1, 400_000, rng(), 0.999)
    assert pure.refutes(gaussian_loss(2, 0.01)), "without a delta it keeps no epsilon"
    assert "delta = 0.05" in str(bound) and "delta = 0" in str(pure)


def test_what_is_rare_beside_heavy_atoms_is_cut_into_intervals():
    """Three in four outputs are 0 or 1. The others give the mechanism away, unless each is a cell of its own.

    The mean of 8 bounds is near 0.675, of deviation 0.01: 0.62 is 5 of them below.
    """

    def clamped(values, rng, size):
        return clamped_average(values, (0, 1), 0.3, rng, size=size)

    bounds = [epsilon_lower_bound(clamped, [0], [0, 1], 100_000, rng(seed), 0.999).epsilon for seed in range(8)]
    assert np.mean(bounds) > 0.62, bounds


@pytest.mark.parametrize(
    "outputs",
    [
        lambda data: "yes" if data else "no",
        lambda data: None if data else 3.5,
        lambda data: np.nan if data else 3.5,
        lambda data: [1] * (2 + data),
        lambda data: np.zeros(2 + data),
        lambda data: [True, None][data],
        lambda data: np.zeros((2, 2)) + data,
        lambda data: -np.inf if data else np.inf,
        lambda data: [],
    ],
)
def test_outputs_of_any_kind(outputs):
    """A mechanism without noise: whatever it gives, 300 samples tell the datasets apart if the outputs differ."""
    bound = epsilon_lower_bound(lambda data, rng: outputs(data), 0, 1, 300, rng(), 0.99)
    assert (bound.epsilon > 2) == (np.size(outputs(0)) > 0)


def test_the_form_of_one_side_does_not_depend_on_the_other():
    """Lists of whole numbers, of several lengths on one side only by chance: no false difference may arise."""

    def places(data, rng):
        return [7] * (1 + (rng.random() < 0.01))

    for seed in range(5):
        assert epsilon_lower_bound(places, 0, 1, 120, rng(seed), 0.99).epsilon == 0


def test_the_risk_is_shared_by_all_events_with_two_limits_each():
    bound = epsilon_lower_bound(laplace(1.0), 0, 1, 5000, rng(), 0.96)
    assert bound.false_alarm == pytest.approx(0.04) and 2 <= bound.events_tried <= 4
    limits = [clopper_pearson(hits, bound.samples, 0.04 / (2 * bound.events_tried)) for hits in bound.counts]
    assert bound.probabilities == pytest.approx((limits[0][0], limits[1][1]), rel=1e-9)
    assert bound.epsilon == pytest.approx(np.log(limits[0][0] / limits[1][1]), rel=1e-9)
    with_delta = epsilon_lower_bound(laplace(1.0), 0, 1, 5000, rng(), 0.96, delta=0.05)
    low, high = with_delta.probabilities
    assert with_delta.epsilon == pytest.approx(np.log((low - 0.05) / high), rel=1e-9)


def test_same_seed_same_bound():
    first, second = (epsilon_lower_bound(laplace(1.0), 0, 1, 5000, rng(3), 0.99) for _ in range(2))
    assert str(first) == str(second)


# The search for bad neighbours.


def test_relations():
    assert [list(one) for one in add_record([1, 2], (0, 5))] == [[1, 2, 0], [1, 2, 5]]
    assert [list(one) for one in remove_record([1, 2, 1], (0,))] == [[2, 1], [1, 1]]
    assert sorted(sorted(one) for one in replace_record([1, 1, 2], (1, 2))) == [[1, 1, 1], [1, 2, 2]]
    assert [list(one) for one in add_to_count([3, 0], (0, 1))] == [[4, 0], [3, 1]]
    assert [list(one) for one in small_datasets((0, 1), 3)] == [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    assert len(small_datasets((0, 0.5, 1), 4)) == 15


@repeats(200)
def test_the_search_does_not_add_to_the_false_alarms(number):
    """One certified pair: seeded searches over 6 pairs at a rate of 20 %, all of them innocent."""
    alarms = 0
    for seed in range(number):
        found = worst_neighbours(lottery, [[0], [1], [2]], (0, 1), (add_record,), 400, rng(seed), 0.8)
        alarms += found.bound.epsilon > 0
        assert len(found.scouted) == 6
        certified = found.bound.epsilon, "add_record", found.data, found.neighbour
        assert found.scouted[0] == certified, "the pair that was certified comes first"
    assert alarms <= stats.binom.isf(FALSE_ALARM, number, 0.2)


# The picture.


def test_meter():
    from dpbook.plots import figure

    _, ax = figure()
    read = meter(ax, ["bound", "exact", "none"], 3)
    bound = epsilon_lower_bound(laplace(1.0), 0, 1, 2000, rng(), 0.99)
    words = lambda: [text.get_text() for text in ax.texts]  # noqa: E731
    read([bound, exact_loss(np.log([0.5, 0.5]), np.log([0.9, 0.1])), None], 1.0)
    assert ["not refuted" in words()[0], "BROKEN" in words()[1], "no answer" in words()[2]] == [True] * 3
    read([bound, 0.5, np.inf], 0.1)
    assert ["BROKEN" in one for one in words()] == [True] * 3


def test_the_audit_does_not_need_a_picture():
    code = "import sys, dpbook.audit; sys.exit(any(name in sys.modules for name in ('matplotlib', 'ipywidgets')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Bad input.


def test_what_is_refused():
    good = {"mechanism": laplace(1.0), "data": 0, "neighbour": 1, "samples": 200, "rng": rng(), "confidence": 0.99}
    one_short, no_list = lambda data, rng, size: rng.random(size - 1), lambda data, rng, size: 1.0
    bad = {"mechanism": (3, one_short, no_list, lambda data, rng, size: np.array(1.0))}
    bad |= {"samples": (99, 1e4), "rng": NO_GENERATOR, "confidence": (0, 1.0, None), "delta": (-0.1, 1, np.nan)}
    assert_refuses(epsilon_lower_bound, good, bad)
    found = epsilon_lower_bound(**good)
    assert_refuses(found.refutes, {}, {"epsilon": (-1, None)})
    alike = {"log_p": [0.0], "log_q": [0.0]}
    bad = {"log_p": (["a"], [], 0.0, [np.nan]), "log_q": ([0.0, -1], [np.inf], "b"), "delta": (1, -0.1)}
    assert_refuses(exact_loss, alike, bad | {"events": (["a", "b"], [])})
    assert_refuses(exact_loss(**alike).within, {}, {"epsilon": (-1, None)})
    with pytest.raises(ValueError, match=r"^log_p and log_q must be .*; got "):
        exact_loss([-np.inf], [0.0])
    good = {"atoms": [0.1], "cumulative": [0.0, 0.6]}
    assert_refuses(law_events, good, {"cumulative": ([-0.5, 0.3], [1.2, 1.5]), "atoms": ([np.nan],)})
    good = {"hits": 1, "samples": 10, "risk": 0.1}
    assert_refuses(clopper_pearson, good, {"hits": (11, -1, 0.5), "samples": NOT_WHOLE, "risk": (0, 1, None)})
    assert_refuses(yes_no_patterns, {"queries": 3, "cutoff": 1}, {"queries": (*NOT_WHOLE, 21), "cutoff": NOT_WHOLE})
    good = {"relation": add_record, "domain": [0, 1], "most": 1}
    assert_refuses(record_pairs, good, {"most": NOT_WHOLE})


@pytest.mark.parametrize(
    "call",
    [
        lambda: exact_loss([0.0, 0.0], [-1.0, -1.0], delta=0.1),
        lambda: law_events([0.5], [0.0, 0.6]),
        lambda: law_events([-0.1], [0.0, 0.6]),
        lambda: law_events([0.1], [0.6, 0.5]),
        lambda: small_datasets((), 2),
        lambda: small_datasets((0, 1), 0),
        lambda: small_datasets(range(20), 10),
        lambda: worst_neighbours(lottery, [], (0,), (add_record,), 200, rng(), 0.9),
        lambda: worst_neighbours(lottery, [[1]], (0,), (), 200, rng(), 0.9),
        lambda: worst_neighbours(lottery, [[1]], (0,), (add_record,), 10, rng(), 0.9),
    ],
)
def test_other_refusals(call):
    with pytest.raises(ValueError, match=r"must be .*; got "):
        call()


def test_ends_that_are_allowed():
    assert clopper_pearson(1, 10, 1e-300)[1] == 1 and clopper_pearson(9, 10, 1e-300)[0] == 0
    assert law_events([], [0, 1]).tolist() == [0]
