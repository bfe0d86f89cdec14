"""Choosing epsilon: error laws against the mechanisms, guesses against laws, persons and groups, plans and their code.

The programs that a plan writes are run as they stand, then again with fixed seeds; where something is drawn, the rate
of false alarms is that of `tests/alarms.py`.
"""

import math
import re

import numpy as np
import pytest
from scipy import stats

from dpbook import data
from dpbook.accounting import laplace_losses
from dpbook.audit import exact_loss
from dpbook.averages import centred_average
from dpbook.choosing import (
    Counts,
    Histogram,
    Mean,
    Plan,
    Quantile,
    advantage,
    discrete_gaussian_error,
    dropping_error,
    gaussian_error,
    geometric_error,
    group_counts,
    group_threshold,
    guess_chance,
    kept_contributions,
    laplace_error,
    largest_belief,
    least_epsilon,
    mean_error,
    published_chance,
    quantile_error,
    selection_error,
    threshold_delta,
    threshold_release,
    told_to_people,
    tree_error,
)
from dpbook.claims import CLAIMS, check
from dpbook.claims.losses import loss_from_steps
from dpbook.claims.verdicts import UNLIKE
from dpbook.composition import Budget, optimal
from dpbook.exponential import quantile_quality, selection_probabilities
from dpbook.gaussian import (
    discrete_gaussian_log_probability,
    discrete_gaussian_scale,
    gaussian_epsilon,
    gaussian_scale,
    group_promise,
    normal_probability,
)
from dpbook.histograms import hierarchical_histogram, squared_error
from dpbook.laplace import geometric_log_probability, laplace_probability
from dpbook.meaning import belief_interval, largest_distance, statistical_distance
from tests.alarms import FALSE_ALARM, OFF, assert_counts
from tests.generators import Spy

EPSILONS = (0.05, 1.0, 4.0)


# The laws of the errors.


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("numbers", [1, 7])
def test_the_errors_of_added_noise_are_those_of_its_law(epsilon, confidence, numbers):
    """Probabilities from chapters 03 and 24: all of the numbers lie within, just as often as was said."""
    error = laplace_error(3, confidence, epsilon, numbers=numbers)
    assert laplace_probability(-error, error, 0, 3, epsilon) ** numbers == pytest.approx(confidence, rel=1e-12)
    error, scale = gaussian_error(3, confidence, epsilon, 1e-6, numbers=numbers), gaussian_scale(3, epsilon, 1e-6)
    assert normal_probability(-error / scale, error / scale) ** numbers == pytest.approx(confidence, rel=1e-9)
    error = geometric_error(3, confidence, epsilon, numbers=numbers)
    assert error == int(error) >= 0

    def within(log_probability, k, *promise):
        return np.exp(log_probability(np.arange(-k, k + 1), 0, 3, *promise)).sum() ** numbers if k >= 0 else 0

    assert within(geometric_log_probability, int(error), epsilon) >= confidence * (1 - 1e-12) > 0
    assert error == 0 or within(geometric_log_probability, int(error) - 1, epsilon) < confidence
    error = discrete_gaussian_error(3, confidence, epsilon, 1e-6, numbers=numbers)
    promise = int(error), epsilon, 1e-6
    assert error == int(error) >= 0
    assert within(discrete_gaussian_log_probability, *promise) >= confidence * (1 - 1e-9) > 0
    assert error == 0 or within(discrete_gaussian_log_probability, promise[0] - 1, *promise[1:]) < confidence


@pytest.mark.parametrize("epsilon", [0.4, 3.0])
@pytest.mark.parametrize("people", [3, 60])
def test_the_error_of_a_mean_is_reached_by_people_who_sit_on_a_bound(epsilon, people):
    """On either bound 1 in 10 releases is further off, neither 5 % less nor more; of spread-out people no more."""
    error, size, misses = mean_error(people, (1, 5), 0.9, epsilon), 200_000, {}
    for name, values in {"low": [1.0], "high": [5.0], "spread": [1.0, 2.0, 5.0]}.items():
        records = np.resize(values, people)
        releases = centred_average(records, (1, 5), epsilon, np.random.default_rng(1), size=size)
        off = np.abs(releases - records.mean())
        misses[name] = [np.sum(off > factor * error) for factor in (1, OFF, 1 / OFF)]
    for name in ("low", "high"):
        right, *wrong = (stats.binomtest(int(often), size, 0.1).pvalue for often in misses[name])
        if 2 / OFF < error < 2 * OFF:  # a mean is 2 off where the noisy count is at most 1: a step of the law
            assert misses[name][0] <= 0.1 * size * 1.02
        else:
            assert right > FALSE_ALARM and max(wrong) < FALSE_ALARM
    assert misses["spread"][0] < misses["low"][0]


def test_the_error_of_a_mean_falls_with_people_and_epsilon_and_grows_with_the_bounds():
    errors = [mean_error(people, (0, 1), 0.95, epsilon) for people, epsilon in ((50, 1.0), (500, 1.0), (500, 2.0))]
    assert errors[0] > errors[1] > errors[2] > 0
    assert mean_error(50, (-30, 70), 0.95, 1.0) == pytest.approx(100 * errors[0])


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("candidates", [2, 30])
def test_the_shortfall_of_a_choice_is_bounded_and_the_bound_is_reached(monotonic, candidates):
    short = selection_error(candidates, 0.5, 0.95, 1.0, monotonic=monotonic)
    worst = np.append(0.0, np.full(candidates - 1, -short))
    miss = selection_probabilities(worst, 0.5, 1.0, monotonic)[1:].sum()
    assert miss == pytest.approx(0.05, rel=1e-9)
    rng = np.random.default_rng(1)
    for _ in range(200):
        quality = -rng.exponential(2 * short, candidates)
        chances = selection_probabilities(quality, 0.5, 1.0, monotonic)
        assert chances[quality.max() - quality > short].sum() <= 0.05 + 1e-12
    assert selection_error(2, 1, 0.1, 1.0) == 0
    assert selection_error(30, 1, 0.95, 1.0, picks=3) == pytest.approx(3 * selection_error(30, 1, 1 - 0.05 / 3, 1.0))


@pytest.mark.parametrize("q", [0.5, 0.9])
def test_the_rank_of_a_quantile_is_as_far_off_as_was_said_at_most(q):
    candidates, error = np.arange(40), quantile_error(40, q, 0.95, 1.0)
    for seed in range(5):
        values = np.random.default_rng(seed).integers(0, 40, 300)
        quality = quantile_quality(values, q, candidates)
        chances = selection_probabilities(quality, max(q, 1 - q), 1.0)
        assert chances[quality.max() - quality > error].sum() <= 0.05


def test_the_rank_of_an_outer_quantile_is_farther_off_by_its_sensitivity():
    """0.9 for one record more, where that of the median is 0.5; the claims of chapter 04 run both."""
    median = quantile_error(40, 0.5, 0.95, 1.0)
    assert quantile_error(40, 0.9, 0.95, 1.0) == quantile_error(40, 0.1, 0.95, 1.0) == pytest.approx(1.8 * median)


def test_the_rank_of_a_median_is_as_far_off_as_was_said_where_all_have_one_value():
    error, misses = quantile_error(40, 0.5, 0.95, 1.0), []
    for half in (math.floor(error), math.ceil(error)):
        quality = quantile_quality(np.full(2 * half, 20), 0.5, np.arange(40))
        chances = selection_probabilities(quality, 0.5, 1.0)
        misses.append(1 - chances[20])
    assert misses[0] >= 0.05 >= misses[1] > 0.03


class OneDeviation(np.random.Generator):
    """A generator whose noise is all 0, but for one number: a standard deviation of Laplace noise. It counts them."""

    def __init__(self, place):
        super().__init__(np.random.PCG64(1))
        self.place, self.drawn = place, 0

    def laplace(self, loc=0.0, scale=1.0, size=None):
        numbers = np.arange(self.drawn, self.drawn + np.prod(size)).reshape(size)
        self.drawn += numbers.size
        return math.sqrt(2) * scale * (numbers == self.place)


def test_the_error_of_a_tree_is_what_releases_show():
    """Exactly: the release is linear in its noises, so the squared errors of one noise at a time add up."""
    counts = np.arange(16.0)
    for branching, epsilon, noises in ((4, 0.5, 20), (2, 1.0, 30), (16, 2.0, 16)):
        spies = [OneDeviation(place) for place in range(noises)]
        squares = [squared_error(hierarchical_histogram(counts, branching, epsilon, spy), counts) for spy in spies]
        assert {spy.drawn for spy in spies} == {noises}
        assert sum(squares) == pytest.approx(tree_error(16, branching, epsilon) ** 2, rel=1e-9)


def test_dropping_records_costs_bias_and_saves_noise():
    contributions = np.array([1, 1, 2, 9])
    assert dropping_error(contributions, 9, 0.5) == pytest.approx(18.0)
    assert dropping_error(contributions, 2, 1e9) == pytest.approx(7.0)
    noise = stats.laplace(scale=2 / 0.5)
    parts = [noise.expect(lambda x: abs(x - 7), lb=low, ub=high) for low, high in ((-400, 0), (0, 7), (7, 400))]
    assert dropping_error(contributions, 2, 0.5) == pytest.approx(sum(parts), rel=1e-9)


@pytest.mark.parametrize(
    "error",
    [
        lambda epsilon: laplace_error(2, 0.95, epsilon, numbers=5),
        lambda epsilon: geometric_error(3, 0.95, epsilon),
        lambda epsilon: gaussian_error(4, 0.95, epsilon, 1e-6),
        lambda epsilon: tree_error(64, 8, epsilon),
        lambda epsilon: mean_error(100, (0, 10), 0.95, epsilon),
        lambda epsilon: quantile_error(50, 0.5, 0.95, epsilon),
    ],
)
@pytest.mark.parametrize("wanted", [0.4, 5.0])
def test_the_least_epsilon_keeps_what_was_wanted_and_less_does_not(error, wanted):
    epsilon = least_epsilon(error, wanted)
    assert error(epsilon) <= wanted < error(epsilon * (1 - 1e-6))


def test_no_epsilon_reaches_what_cannot_be_reached():
    with pytest.raises(ValueError, match="wanted must be within reach: at epsilon 1e\\+09 it is 3; got 2"):
        least_epsilon(lambda epsilon: 3.0, 2.0)


# What an attacker gains.


def extreme_laws(epsilon, delta):
    """The two laws that an (epsilon, delta) promise can least hide: printed, two answers, printed the other way."""
    rest, odds = 1 - delta, math.exp(epsilon)
    with_you = [delta, rest * odds / (1 + odds), rest / (1 + odds), 0]
    return np.array(with_you), np.array(with_you[::-1])


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", [0, 1e-6, 0.2])
@pytest.mark.parametrize("prior", [0, 0.01, 0.5, 0.9, 1])
def test_the_best_guess_is_right_as_often_as_bayes_rule_says_against_the_worst_laws(epsilon, delta, prior):
    here, there = extreme_laws(epsilon, delta)
    best = np.maximum(prior * here, (1 - prior) * there).sum()
    assert guess_chance(prior, epsilon, delta) == pytest.approx(best, rel=1e-12)
    assert advantage(epsilon, delta) == pytest.approx(statistical_distance(here, there), rel=1e-9)
    assert exact_loss(*(np.log(np.maximum(law, 1e-300)) for law in (here, there)), delta=delta).loss <= epsilon + 1e-9


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_without_a_delta_it_is_what_chapter_06_says(epsilon):
    assert advantage(epsilon, 0) == pytest.approx(largest_distance(epsilon))
    assert largest_belief(0.3, epsilon) == pytest.approx(belief_interval(0.3, epsilon)[1])


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 4.0])
@pytest.mark.parametrize("delta", [0, 1e-12])
def test_what_people_are_told_holds_the_numbers_of_the_promise(epsilon, delta):
    """Never less than the truth, at most one in a hundred more, and no chance short of 1 is called 100."""
    text = told_to_people(epsilon, delta, unit="your day", releases=2, family=3)
    truths = {
        "they are right at most ([0-9.]+) times": guess_chance(0.5, 2 * epsilon, 2 * delta),
        "for one alone it would be ([0-9.]+)[.] ": guess_chance(0.5, epsilon, delta),
        "answers alike\\) is protected less: ([0-9.]+) times": guess_chance(
            0.5, *group_promise(3, 2 * epsilon, 2 * delta)
        ),
    }
    if not delta:
        truths["believe it with at most ([0-9.]+)%"] = largest_belief(0.01, 2 * epsilon)
    for pattern, chance in truths.items():
        told = float(re.search(pattern, text)[1])
        assert 100 * chance <= told < min(100 * chance + 1, 100), pattern
    assert "your day" in text and "3 people" in text and "all 2 releases" in text


def test_the_words_change_with_what_is_promised():
    plain, with_delta = (told_to_people(1.0, delta, unit="you") for delta in (0, 1e-6))
    assert "1e-06" in with_delta and "1%" in plain and "1%" not in with_delta
    assert "releases together" not in plain and "household" not in plain
    assert "household" in told_to_people(1.0, 0, unit="you", family=2)


# Persons and groups.


def test_each_person_keeps_one_record_in_few_groups():
    rng = np.random.default_rng(1)
    persons, groups = rng.integers(0, 40, 400), rng.choice(list("abcdefg"), 400)
    for most in (1, 2, 7):
        kept = kept_contributions(persons, groups, most, rng)
        pairs = set(zip(persons[kept], groups[kept], strict=True))
        assert np.all(np.diff(kept) > 0) and len(pairs) == kept.size, "no record of a group twice"
        for person in range(40):
            mine = set(groups[persons == person])
            assert np.sum(persons[kept] == person) == min(most, len(mine)), "as many as may be"
    assert kept_contributions([], [], 2, rng).size == 0


def test_which_groups_a_person_keeps_is_chosen_at_random():
    rng, seen = np.random.default_rng(1), np.zeros(3)
    for _ in range(4_000):
        seen[kept_contributions([7, 7, 7], [0, 1, 2], 1, rng)] += 1
    assert_counts(seen, [1 / 3] * 3, [0.44, 0.28, 0.28])


def test_listed_groups_are_released_whether_they_have_people_or_not():
    persons, groups = [1, 1, 2, 3, 3], ["a", "b", "a", "a", "z"]
    spy = Spy()
    counts = group_counts(persons, groups, ["c", "a", "b"], 2, 0.5, spy)
    assert counts.shape == (3,) and spy.asked("laplace", "scale") == [4.0]
    assert counts - spy.gave("laplace")[0] == pytest.approx([0, 3, 1])
    with pytest.raises(ValueError, match="listed must be"):
        group_counts(persons, groups, ["a", "a"], 1, 1.0, spy)


def test_a_person_does_not_lose_a_listed_group_to_those_that_are_left_out():
    spy = Spy()
    counts = group_counts([1] * 200, range(200), [7], 1, 0.5, spy)
    assert counts - spy.gave("laplace")[0] == pytest.approx([1])


class Given(np.random.Generator):
    """A generator whose Laplace noise is handed over, the same for all numbers; it notes the scale."""

    def __init__(self, noise):
        super().__init__(np.random.PCG64(1))
        self.noise, self.scales = noise, []

    def laplace(self, loc=0.0, scale=1.0, size=None):
        self.scales.append(scale)
        return np.full(size, self.noise)


@pytest.mark.parametrize(("most", "epsilon", "delta"), [(1, 1.0, 1e-6), (3, 0.5, 0.01), (2, 4.0, 0.9)])
def test_a_person_alone_is_published_with_probability_delta_exactly(most, epsilon, delta):
    """The threshold by the program, its delta by the law of chapter 03; the noise is as large as said."""
    threshold = group_threshold(most, epsilon, delta)
    alone = laplace_probability(threshold, np.inf, 1, most, epsilon)
    assert 1 - (1 - alone) ** most == pytest.approx(delta, rel=1e-6)
    assert threshold_delta(most, threshold, epsilon) == pytest.approx(delta, rel=1e-12)
    mine = np.full(most, 5), np.arange(most)
    for noise, shown in ((threshold - 1 + 1e-9, most), (threshold - 1 - 1e-9, 0)):
        given = Given(noise)
        assert len(threshold_release(*mine, most, epsilon, delta, given)) == shown and given.scales == [most / epsilon]


PEOPLE, TWO = [*range(40)], [1] * 20 + [2] * 20


@pytest.mark.parametrize("other", ["x", 2.5, None, True, 2**63, 2**70, np.datetime64("2020-01-01")])
def test_one_label_of_another_kind_rewrites_nobody_elses(other):
    """numpy would make all labels text, or floats, for the sake of one: then one person moves every count."""
    for persons, groups, name in (([*PEOPLE, 99], [*TWO, other], "groups"), ([*PEOPLE, other], [*TWO, 1], "persons")):
        for labels in (groups, np.array(groups, dtype=object)):
            for release, more in ((threshold_release, (1, 1.0, 1e-3)), (group_counts, ([1, 2], 1, 1.0))):
                with pytest.raises(ValueError, match=rf"^{name} must be labels of one kind"):
                    release(persons, labels, *more, np.random.default_rng(1))


def test_labels_of_one_kind_keep_their_type_however_they_are_handed_over():
    for kind, groups in (
        (int, TWO),
        (int, np.array(TWO, dtype=np.int8)),
        (int, [np.int64(1), *TWO[1:]]),
        (int, np.array(TWO, dtype=object)),
        (float, [0.5 * group for group in TWO]),
        (str, ["ab"[group - 1] for group in TWO]),
        (str, np.array(["ab"[group - 1] for group in TWO], dtype=object)),
    ):
        released = threshold_release(PEOPLE, groups, 1, 1.0, 1e-3, np.random.default_rng(1))
        assert len(released) == 2 and {type(name) for name in released} == {kind}


@pytest.mark.parametrize("zeros", [20, 39, 100])
def test_the_sign_of_a_zero_tells_of_no_person(zeros):
    """A group is named 0.0, whoever calls it -0.0: numpy keeps the one of the two that its sorting meets first."""
    for place in range(zeros + 1):
        groups, noise = np.insert(np.zeros(zeros), place, -0.0), Given(0.0)
        (name,) = threshold_release(np.arange(zeros + 1), groups, 1, 1.0, 1e-3, noise)
        assert math.copysign(1, name) == 1


def test_groups_come_out_in_their_own_order_and_with_their_own_names():
    persons, groups = np.arange(300), np.repeat(["z", "a", "m"], 100)
    released = threshold_release(persons, groups, 1, 5.0, 1e-6, np.random.default_rng(1))
    assert list(released) == ["a", "m", "z"] and all(abs(count - 100) < 20 for count in released.values())
    assert threshold_release([], [], 1, 1.0, 0.5, np.random.default_rng(1)) == {}
    chances = published_chance(np.array([0, 1, 5, 100]), 1, 1.0, 1e-6)
    threshold = group_threshold(1, 1.0, 1e-6)
    expected = [0, *(laplace_probability(threshold, np.inf, people, 1, 1.0) for people in (1, 5, 100))]
    assert chances == pytest.approx(expected, rel=1e-9)


# Plans: what they say, and what their programs do.

VOTERS = (("TVnews", 3), ("selfLR", 4), ("PID", 2), ("age", 50), ("educ", 4), ("income", 12))


def some_plan(seed):
    """A composition chosen at random: one of two tables, one to four parts, weights, epsilon, with or without delta."""
    rng = np.random.default_rng(seed)
    women = rng.random() < 0.4
    questions = (("affairs", 0), ("children", 2)) if women else tuple(VOTERS[: rng.integers(1, 7)]) * rng.integers(1, 6)
    edges = (16, 20, 25, 30, 35, 42) if women else tuple(range(18, 99, 10))
    parts = [
        Counts(questions, rng.uniform(0.5, 2)),
        Histogram("age", edges, rng.uniform(0.5, 2)),
        Mean("religious" if women else "educ", (1, 4) if women else (1, 7), rng.uniform(0.5, 2)),
        Quantile("age", float(rng.choice([0.25, 0.5, 0.9])), tuple(range(15, 100, int(rng.integers(1, 5)))), 1.0),
    ]
    chosen = tuple(part for part in parts if rng.random() < 0.7) or (parts[0],)
    table, people = ("data.affairs()", 6_366) if women else ("data.election()", 944)
    return Plan(table, chosen, people, float(np.exp(rng.uniform(-2, 2))), float(rng.choice([0, 1e-6])))


def ran(plan):
    """What running the code as it stands leaves behind."""
    left = {}
    exec(compile(plan.code(), "plan", "exec"), left)
    return left


@pytest.mark.parametrize("seed", range(15))
def test_the_code_of_a_plan_runs_and_spends_what_was_planned(seed):
    plan = some_plan(seed)
    left = ran(plan)
    assert list(left["released"]) == [line.name for line in plan.lines]
    ledger = [tuple(line) for line in left["budget"].ledger]
    planned = [(line.name, line.epsilon, *([line.delta] if plan.delta else [])) for line in plan.lines]
    assert ledger == planned and left["budget"].epsilon == plan.epsilon and left["budget"].delta == plan.delta
    assert left["budget"].remaining == 0


def exact_table(plan):
    """The true answers of the parts, from the data of the plan."""
    table = {name: column.values for name, column in getattr(data, plan.table[5:-2])().items()}
    truth = {}
    for part in plan.parts:
        if isinstance(part, Counts):
            truth[part.name] = np.array([np.sum(table[name] > above) for name, above in part.questions])
        elif isinstance(part, Histogram):
            edges, values = np.array(part.edges), table[part.attribute]
            inside = values[(values >= edges[0]) & (values <= edges[-1])]
            place = np.minimum(np.searchsorted(edges, inside, side="right") - 1, edges.size - 2)
            truth[part.name] = np.bincount(place, minlength=edges.size - 1)
        elif isinstance(part, Mean):
            truth[part.name] = np.clip(table[part.attribute], *part.bounds).mean()
        else:
            quality = quantile_quality(table[part.attribute], part.q, part.candidates)
            truth[part.name] = dict(zip(part.candidates, quality.max() - quality, strict=True))
    return table, truth


@pytest.mark.parametrize("seed", range(5))
def test_the_errors_of_a_plan_are_those_that_its_program_makes(seed):
    """Noisy numbers: as many beyond the planned error as the law says, 1 in 20. A mean, a quantile: at most so many."""
    plan, runs = some_plan(seed), 250
    left, (table, truth) = ran(plan), exact_table(plan)
    rng, beyond = np.random.default_rng(seed), {line.name: [] for line in plan.lines}
    for _ in range(runs):
        released = left["release"](table, Budget(plan.epsilon, delta=plan.delta), rng)
        for line in plan.lines:
            true = truth[line.name]
            off = true[released[line.name]] if isinstance(true, dict) else np.abs(released[line.name] - true)
            beyond[line.name] += list(np.ravel(off > line.error * (1 + 1e-9)))
    for part, line in zip(plan.parts, plan.lines, strict=True):
        often, size = np.sum(beyond[line.name]), len(beyond[line.name])
        assert stats.binom.sf(often - 1, size, 0.05) > FALSE_ALARM, line
        if isinstance(part, Histogram):
            assert stats.binom.cdf(often, size, 0.05) > FALSE_ALARM, line
        elif isinstance(part, Counts):
            within, number = np.arange(-line.error, line.error + 1), len(part.questions)
            chances = (
                discrete_gaussian_log_probability(within, 0, math.sqrt(number), line.epsilon, line.delta)
                if line.delta
                else geometric_log_probability(within, 0, number, line.epsilon)
            )
            assert stats.binom.cdf(often, size, 1 - np.exp(chances).sum()) > FALSE_ALARM, line


@pytest.mark.parametrize("seed", range(12))
def test_the_program_of_a_plan_loses_no_more_than_planned(seed):
    """Run with a generator that listens, with a voter more: the parts it can follow, all but whole-number noise."""
    plan = some_plan(seed)
    parts = tuple(part for part in plan.parts if not isinstance(part, Counts)) or (Histogram("age", (18, 42)),)
    plan = Plan(plan.table, parts, plan.people, plan.epsilon, plan.delta)
    left, (table, _) = ran(plan), exact_table(plan)
    few = max(3, min(50, int(30 / plan.epsilon)))  # with many, chances below 1e-16 are lost in a sum of floats
    small = {name: values[:few] for name, values in table.items()}
    low, high = ({name: np.append(values, end(values)) for name, values in small.items()} for end in (np.min, np.max))

    def run(columns, rng):
        records = dict(zip(small, np.transpose(columns), strict=True))
        return list(left["release"](records, Budget(plan.epsilon, delta=plan.delta), rng).values())

    rows = [np.column_stack(list(columns.values())) for columns in (small, low, high)]
    loss = loss_from_steps(run, [(rows[0], rows[1]), (rows[0], rows[2])], delta=plan.delta)
    assert loss <= plan.epsilon * (1 + 1e-6)
    if not any(isinstance(part, Quantile) for part in plan.parts):
        assert loss > 0.3 * plan.epsilon, "the record moves something"


def test_the_program_of_a_plan_adds_whole_noise_to_whole_counts():
    """With a delta and without: integers, and with a delta the noise that the line's error speaks of."""
    for delta in (0, 1e-6):
        plan = Plan("data.election()", (Counts(tuple(VOTERS) * 4),), 944, 1.0, delta)
        left = ran(plan)
        assert left["released"]["counts"].dtype == np.int64 and bool(plan.lines[0].delta) == bool(delta)
        assert ("discrete_gaussian_mechanism" in plan.code()) == bool(delta)


def test_the_account_adds_up_as_chapter_25_does():
    """One kind of part at a time, whose account is known by another way."""
    epsilon, delta, sixteen = 2.0, 1e-6, Counts(tuple(VOTERS[:4]) * 4)
    counts = Plan("data.election()", (sixteen,), 944, epsilon, 1e-12).account()  # so small a delta buys no normal noise
    assert counts["loss distributions"] == pytest.approx(optimal(epsilon / 16, 16, 1e-12), rel=1e-2)
    noisy = Plan("data.election()", (sixteen,), 944, epsilon, delta)
    assert noisy.lines[0].delta == delta
    scale = discrete_gaussian_scale(4, epsilon, delta)  # at this scale whole-number noise is as good as continuous
    assert noisy.account()["loss distributions"] == pytest.approx(gaussian_epsilon(4, scale, delta), rel=2e-3)
    assert noisy.account()["loss distributions"] < epsilon
    bins = Plan("data.election()", (Histogram("age", (18, 60, 99)),), 944, epsilon, 0.2).account()
    assert bins["loss distributions"] == pytest.approx(epsilon + 2 * math.log(1 - 0.2), rel=2e-3)
    mean = Plan("data.election()", (Mean("educ", (1, 7)),), 944, epsilon, 0.2).account()
    lower = laplace_losses(1, 1, 1e-4, side="lower").repeat(2).epsilon(0.2)
    assert lower <= mean["loss distributions"] <= lower * 1.01
    choice = Plan("data.election()", (Quantile("age", 0.5, (20, 40, 60)),), 944, epsilon, 0.2).account()
    assert choice["loss distributions"] == pytest.approx(optimal(2, 1, 0.2), rel=2e-3)
    for account in (counts, bins, mean, choice, noisy.account()):
        assert account["loss distributions"] <= account["Renyi"] * 1.001 <= account["zCDP"] * 1.02
    both = Plan("data.election()", (sixteen, Mean("educ", (1, 7))), 944, epsilon, delta)
    assert both.account()["loss distributions"] <= both.account()["sum"] * 1.001
    assert Plan("data.election()", (sixteen,), 944, epsilon).account() == {"sum": pytest.approx(epsilon)}


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Plan("data.election()", (), 944, 1.0), "parts must be"),
        (lambda: Plan("data.election()", (Counts(()),), 944, 1.0), "questions must be"),
        (lambda: Plan("data.election()", (Counts(VOTERS, 0),), 944, 1.0), "weight must be"),
        (lambda: Plan("data.election()", (Counts(VOTERS), Counts(VOTERS)), 944, 1.0), "parts must be"),
        (lambda: Plan("data.election()", (Histogram("age", (3, 2)),), 944, 1.0), "edges must be"),
        (lambda: Plan("data.election()", (Mean("age", (3, 2)),), 944, 1.0), "bounds must be"),
        (lambda: Plan("data.election()", (Quantile("age", 1.5, (1, 2)),), 944, 1.0), "q must be"),
        (lambda: Plan("data.election()", (Counts(VOTERS),), 944, 0.0), "epsilon must be"),
        (lambda: Plan("data.election()", (Counts(VOTERS),), 0, 1.0), "people must be"),
        (lambda: Plan("data.election()", (Counts(VOTERS),), 944, 1.0, 1.0), "delta must be"),
        (lambda: laplace_error(1, 1.0, 1.0), "confidence must be"),
        (lambda: laplace_error(1, 0.9, 1.0, numbers=0), "numbers must be"),
        (lambda: geometric_error(1.5, 0.9, 1.0), "sensitivity must be"),
        (lambda: mean_error(0, (0, 1), 0.9, 1.0), "people must be"),
        (lambda: selection_error(1, 1, 0.9, 1.0), "candidates must be"),
        (lambda: selection_error(5, 1, 0.9, 1.0, picks=5), "picks must be"),
        (lambda: dropping_error([1, -1], 1, 1.0), "contributions must be"),
        (lambda: guess_chance(1.1, 1.0, 0), "prior must be"),
        (lambda: largest_belief(0, 1.0), "prior must be"),
        (lambda: told_to_people(1.0, 0, unit=" "), "unit must be"),
        (lambda: told_to_people(1.0, 0, unit="you", family=0), "family must be"),
        (lambda: kept_contributions([1], [1, 2], 1, np.random.default_rng(1)), "persons, groups must be"),
        (lambda: kept_contributions([1], [1], 0, np.random.default_rng(1)), "most must be"),
        (lambda: kept_contributions([1, np.nan], [1, 1], 1, np.random.default_rng(1)), "persons must be"),
        (lambda: kept_contributions([1, 1], [2, np.nan], 1, np.random.default_rng(1)), "groups must be"),
        (lambda: threshold_release(np.array(["a", np.nan], object), [1, 1], 1, 1, 0.1, None), "persons must be"),
        (lambda: threshold_release([1], [1], 1, 1.0, 0, np.random.default_rng(1)), "delta must be"),
        (lambda: threshold_release([1], [1], 1, 1.0, 0.1, 1), "rng must be"),
    ],
)
def test_bad_input_is_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()


# The rows of the table of claims.


def row(used):
    (claim,) = [claim for claim in CLAIMS if used in claim.setting and claim.mechanism is threshold_release]
    return claim


@pytest.mark.parametrize("used", ["one group", "two groups"])
@pytest.mark.parametrize("threshold", [-1e9, 1.0])
def test_the_row_of_a_threshold_sees_that_it_is_gone(used, threshold, monkeypatch):
    """Whoever is alone would be named nearly always: counts that no threshold lets through refuse the program."""
    monkeypatch.setattr("dpbook.choosing.groups.group_threshold", lambda most, epsilon, delta: threshold)
    assert check(row(used), 2_000).verdict == UNLIKE


def test_the_row_of_two_groups_sees_a_threshold_for_one(monkeypatch):
    monkeypatch.setattr(
        "dpbook.choosing.groups.group_threshold",
        lambda most, epsilon, delta: 1 - most / epsilon * math.log(2 * delta),  # the whole delta for each group
    )
    assert check(row("two groups"), 2_000).verdict == UNLIKE


def test_a_small_advantage_keeps_full_precision():
    assert advantage(1e-12, 0) == pytest.approx(5e-13, rel=1e-12, abs=0)
    assert advantage(1e-12, 1e-12) == pytest.approx(1.5e-12, rel=1e-11, abs=0)


def test_people_are_told_when_the_guarantee_is_used_up():
    assert "right at most 100 times" in told_to_people(1, 0.5, unit="all", releases=2)
    assert "protected less: 100 times" in told_to_people(1, 0.5, unit="all", releases=2, family=2)
    assert "protected less: 100 times" in told_to_people(0.1, 0.5, unit="all", family=3)


def test_the_least_epsilon_is_found_up_to_the_end_of_its_range():
    assert least_epsilon(lambda epsilon: 1 / epsilon, 1 / 8e8) == pytest.approx(8e8, rel=1e-8)
    assert least_epsilon(lambda epsilon: 1 / epsilon, 1e12) == pytest.approx(1e-9)
    with pytest.raises(ValueError, match=r"^wanted must be within reach"):
        least_epsilon(lambda epsilon: 1 / epsilon, 0.9e-9)
