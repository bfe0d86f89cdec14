"""The sparse vector technique: the variants of 004 chapter 7, their exact probabilities, and what each of them loses.

Neighbours: two lists of answers, none of which moves by more than the sensitivity (1 here). Probabilities are checked
against closed forms and an exact sum of exponentials in 60 digits; runs are compared with them by the claims' trials.
"""

import functools
from collections import Counter
from dataclasses import replace
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from itertools import pairwise, permutations, product
from math import exp, lgamma, log

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from dpbook import svt
from dpbook.claims.listening import Transcript
from dpbook.exponential import selection_probabilities
from dpbook.svt import (
    ALG12,
    ALG13,
    ALG14,
    ALG15,
    ALG16,
    ALG17,
    NOISE_INSIDE,
    Variant,
    alg18,
    counterexample,
    exponential_selection,
    false_negative_rate,
    generalized_sparse_vector,
    log_output_probability,
    optimal_split,
    plain_retraversal_selection,
    plain_sparse_vector,
    privacy_loss,
    retraversal_selection,
    score_error_rate,
    sparse_vector,
    trace,
)
from tests.generators import Spy, seeded
from tests.refusals import NO_GENERATOR, NOT_POSITIVE, NOT_WHOLE, assert_refuses

ROWS = (ALG12, ALG13, ALG14, ALG15, ALG16, ALG17)
ALG14_SILENT = replace(ALG14, name="Algorithm 14 without numbers", releases_compared_answer=False)
SAYS_ONLY_WHICH = (ALG12, ALG13, ALG14_SILENT, ALG15, ALG16, ALG17, NOISE_INSIDE, alg18(1, 3))


def name(value):
    return value.name if isinstance(value, Variant) else None


def patterns(queries, cutoff, variant):
    """Every output that a run over so many queries can give, where only True and False are given."""
    if not variant.stops_at_cutoff:
        return list(product([False, True], repeat=queries))
    full = [p for p in product([False, True], repeat=queries) if sum(p) < cutoff]
    early = [
        p for n in range(cutoff, queries + 1) for p in product([False, True], repeat=n) if sum(p) == cutoff and p[-1]
    ]
    return full + early


# ---------------------------------------------------------------- the rows


def test_the_rows_are_figure_7_2():
    cutoff, epsilon = 3, 0.8
    half, quarter, rest = epsilon / 2, epsilon / 4, 3 * epsilon / 4
    scales = [row.scales(2, cutoff, epsilon) for row in ROWS]
    thresholds = [2 / half, 2 * cutoff / half, 2 / half, 2 / quarter, 2 / half, 2 / half]
    queries = [4 * cutoff / half, 4 * cutoff / half, 2 * cutoff / half, 2 / rest, 0, 2 / half]
    np.testing.assert_allclose([scale.threshold for scale in scales], thresholds)
    np.testing.assert_allclose([scale.query for scale in scales], queries)
    bounds = [row.loss_bound(cutoff, epsilon) for row in ROWS]
    np.testing.assert_allclose(bounds, [epsilon, epsilon, np.inf, (1 + 6 * cutoff) / 4 * epsilon, np.inf, np.inf])
    assert [row.refreshes_threshold for row in ROWS] == [False, True, False, False, False, False]
    assert [row.releases_numbers for row in ROWS] == [False, False, True, False, False, False]
    assert [row.stops_at_cutoff for row in ROWS] == [True, True, True, True, False, False]


def test_algorithm_18_spends_three_budgets_and_monotonic_queries_need_half_the_noise():
    row = alg18(0.1, 0.3, 0.6)
    assert row.scales(2, 5, 1.0) == pytest.approx((2 / 0.1, 2 * 2 * 5 / 0.3, 5 * 2 / 0.6))
    assert row.scales(2, 5, 1.0, monotonic=True) == pytest.approx((2 / 0.1, 2 * 5 / 0.3, 5 * 2 / 0.6))
    assert row.loss_bound(5, 1.0) == row.loss_bound(5, 1.0, monotonic=True) == pytest.approx(1.0)
    assert alg18(0.5, 0.5).scales(1, 4, 1.0) == ALG12.scales(1, 4, 1.0)


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("cutoff", [1, 5, 50])
def test_optimal_split_minimises_the_variance_of_the_comparison(cutoff, monotonic):
    def variance(epsilon1):
        scales = alg18(epsilon1, 1 - epsilon1).scales(1, cutoff, 1.0, monotonic)
        return 2 * scales.threshold**2 + 2 * scales.query**2

    best = optimize.minimize_scalar(variance, bounds=(1e-3, 0.999), method="bounded", options={"xatol": 1e-9}).x
    epsilon1, epsilon2 = optimal_split(1.0, cutoff, monotonic)
    assert epsilon1 == pytest.approx(best, abs=1e-6)
    assert epsilon1 + epsilon2 == pytest.approx(1)
    assert epsilon2 / epsilon1 == pytest.approx(((1 if monotonic else 2) * cutoff) ** (2 / 3))


# ---------------------------------------------------------------- the runs


@pytest.mark.parametrize("row", [*ROWS, alg18(0.2, 0.5, 0.3), NOISE_INSIDE], ids=name)
def test_outputs_are_the_comparisons_of_the_trace(row):
    answers = seeded(3).normal(0, 30, 20_000)
    thresholds = seeded(4).normal(40, 5, 20_000)
    for cutoff in (1, 60):
        run = trace(answers, thresholds, 1, cutoff, 2.0, seeded(5), variant=row)
        outputs = sparse_vector(answers, thresholds, 1, cutoff, 2.0, seeded(5), variant=row)
        assert np.array_equal(outputs, run.outputs)
        assert run.outputs.size == run.noisy_answers.size == run.noisy_thresholds.size
        positive = np.array([type(output) is float or output is np.True_ for output in run.outputs])
        assert np.array_equal(positive, run.noisy_answers >= run.noisy_thresholds)
        assert not row.stops_at_cutoff or (positive[-1] and positive.sum() == cutoff)
        assert run.outputs.size < answers.size if row.stops_at_cutoff else run.outputs.size == answers.size
        shifts = run.noisy_thresholds - thresholds[: run.outputs.size]
        started = np.append(True, np.abs(np.diff(shifts)) > 1e-9)
        after_positive = np.append(True, positive[:-1])
        assert np.array_equal(started, after_positive if row.refreshes_threshold else np.arange(started.size) == 0)
        assert (row.releases_numbers) == (run.outputs.dtype == object)
        if row.releases_compared_answer:
            assert list(run.outputs[positive]) == list(run.noisy_answers[positive])


@pytest.mark.parametrize(
    ("row", "monotonic"),
    [
        *((row, False) for row in (*ROWS, alg18(0.2, 0.5, 0.3), NOISE_INSIDE)),
        *((row, True) for row in (ALG12, ALG13, alg18(0.2, 0.5, 0.3))),
    ],
    ids=name,
)
def test_every_noise_has_exactly_the_scale_of_its_row(row, monotonic):
    """What the program asks of its generator, and what it makes of the answers: no 2 % can hide here."""
    spy, answers = Spy(3), np.full(200, 5.0)
    scales = row.scales(3, 2, 0.7, monotonic)
    run = trace(answers, 5.0, 3, 2, 0.7, spy, variant=row, monotonic=monotonic)
    positives = sum(output is not False and output is not np.False_ for output in run.outputs)
    assert positives > 0
    released = [scales.answer] if row.answer_share else []
    rounds = positives + 1 if row.refreshes_threshold else 1
    queries = [scales.query] if scales.query else []
    assert spy.asked("laplace", "scale") == [scales.threshold, *queries, *[scales.threshold] * (rounds - 1), *released]
    gave = spy.gave("laplace")
    noise = gave.pop(1)[: run.noisy_answers.size] if queries else np.zeros(run.noisy_answers.size)
    assert set(run.noisy_thresholds) <= set(5.0 + np.array(gave[:rounds]).ravel())
    assert np.array_equal(run.noisy_answers, np.abs(5.0 + noise) if row.noise_inside_absolute else 5.0 + noise)
    if row.answer_share:
        numbers = [output for output in run.outputs if output is not False]
        assert numbers == pytest.approx(5.0 + gave[-1], rel=1e-12)


def test_generalized_is_algorithm_18_and_algorithm_12_is_its_even_split():
    answers = seeded(0).normal(size=500) * 40
    for monotonic in (False, True):
        one = generalized_sparse_vector(answers, 60, 1, 5, (0.5, 0.5, 0.0), seeded(1), monotonic=monotonic)
        two = sparse_vector(answers, 60, 1, 5, 1.0, seeded(1), variant=ALG12, monotonic=monotonic)
        assert np.array_equal(one, two) and one.dtype == bool
    numbers = generalized_sparse_vector(answers, 60, 1, 5, (1e6, 1e6, 1e6), seeded(1))
    assert [n for n in numbers if n is not False] == pytest.approx(answers[answers > 60][:5], abs=1e-3)


def test_a_run_longer_than_a_chunk_finds_its_positives_in_all_of_it():
    answers = np.zeros(50_000)
    spikes = [0, 8191, 8192, 20_000, 49_999]
    answers[spikes] = 1e6
    for row in (ALG12, ALG13, ALG15, ALG17):
        assert np.flatnonzero(sparse_vector(answers, 5e5, 1, 9, 1.0, seeded(), variant=row)).tolist() == spikes
    assert sparse_vector(answers, 5e5, 1, 4, 1.0, seeded()).size == 20_001


# ---------------------------------------------------------------- the exact probability


def exact_log_probability(below, above, threshold_scale, query_scale, ceiling=None):
    """An independent answer: between two kinks the integrand is a sum of exponentials, added up in 60 digits."""
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 60, MAX_EMAX, MIN_EMIN
        s, b = Decimal(threshold_scale), Decimal(query_scale)
        below, above = [Decimal(float(x)) for x in below], [Decimal(float(x)) for x in above]
        ends = sorted({Decimal(0), *below, *above})
        if ceiling is not None:
            ends = [end for end in ends if end < Decimal(ceiling)] + [Decimal(ceiling)]
        ends = [None, *ends] + ([None] if ceiling is None else [])
        total = Decimal(0)
        for low, high in pairwise(ends):
            inside = high - 1 if low is None else low + 1 if high is None else (low + high) / 2
            terms = {(-1 if inside > 0 else 1) / s: 1 / (2 * s)}
            for kink, side in [(x, 1) for x in below] + [(x, -1) for x in above]:
                factor = {side / b: (-side * kink / b).exp() / 2}
                if side * (inside - kink) > 0:
                    factor = {Decimal(0): Decimal(1), -side / b: -(side * kink / b).exp() / 2}
                products = Counter()
                for (r1, c1), (r2, c2) in product(terms.items(), factor.items()):
                    products[r1 + r2] += c1 * c2
                terms = products
            for rate, weight in terms.items():
                if abs(rate) < Decimal("1e-50"):
                    total += weight * (high - low)
                    continue
                total += weight / rate * (0 if high is None else (rate * high).exp())
                total -= weight / rate * (0 if low is None else (rate * low).exp())
        return float(total.ln())


def test_the_log_probability_answers_to_its_old_name():
    assert svt.output_probability is log_output_probability


@pytest.mark.parametrize("seed", range(12))
def test_probability_is_the_exact_sum_of_exponentials(seed):
    rng = seeded(seed)
    size, cutoff, epsilon = 9, 3, float(10 ** rng.uniform(-1.5, 1))
    row = (ALG12, ALG15, ALG17, alg18(1, float(10 ** rng.uniform(-1.5, 1.5))))[seed % 4]
    answers = np.round(rng.normal(0, 10 ** rng.uniform(-1, 2), size), 2)
    thresholds = np.round(rng.normal(0, 3, size), 2)
    outputs = np.zeros(size, dtype=bool)
    outputs[[1, 4, size - 1]] = True
    scales, gap = row.scales(1, cutoff, epsilon), answers - thresholds
    exact = exact_log_probability(gap[~outputs], gap[outputs], scales.threshold, scales.query)
    assert log_output_probability(outputs, answers, thresholds, 1, cutoff, epsilon, row) == pytest.approx(
        exact, abs=1e-11
    )


@pytest.mark.parametrize("seed", range(30))
def test_probability_stays_exact_for_scales_and_answers_far_apart(seed):
    """Query noise up to 10,000 times finer or coarser than the threshold's: steps too fine to be seen from afar."""
    rng = seeded(seed)
    ratio, spread = 10 ** rng.uniform(-4, 4), 10 ** rng.uniform(-3, 4)
    row = alg18(1.0, float(ratio))
    answers = np.round(rng.normal(0, spread, 4), 3)
    outputs = [False, True, False, False]
    epsilon = 1 / row.threshold_share
    scales, signs = row.scales(1, 2, epsilon), np.array(outputs)
    exact = exact_log_probability(answers[~signs], answers[signs], scales.threshold, scales.query)
    value = log_output_probability(outputs, answers, 0, 1, 2, epsilon, row)
    assert value == pytest.approx(exact, abs=1e-11, rel=1e-13)


def test_probability_of_algorithm_13_is_a_product_of_rounds():
    answers, epsilon, cutoff = np.array([0.3, 2.0, -1.0, 1.0, 4.0, 0.5]), 0.9, 3
    outputs = [False, True, True, False, False, True]
    scales = ALG13.scales(1, cutoff, epsilon)
    rounds = [([0.3 - 1], [2.0 - 1]), ([], [-1.0 - 1]), ([1.0 - 1, 4.0 - 1], [0.5 - 1])]
    exact = sum(exact_log_probability(below, above, scales.threshold, scales.query) for below, above in rounds)
    assert log_output_probability(outputs, answers, 1, 1, cutoff, epsilon, ALG13) == pytest.approx(exact, abs=1e-11)


def test_probability_of_algorithm_14_is_the_density_of_its_numbers_times_a_cut_integral():
    answers, epsilon, cutoff = np.array([0.3, 2.0, -1.0, 1.0]), 0.9, 2
    scales = ALG14.scales(1, cutoff, epsilon)
    for numbers in ([2.5, 1.2], [-3.0, 7.0], [-40.0, 0.0]):
        outputs = [False, numbers[0], False, numbers[1]]
        ceiling = min(numbers) - 1
        exact = exact_log_probability([0.3 - 1, -1.0 - 1], [], scales.threshold, scales.query, ceiling)
        exact += stats.laplace.logpdf(numbers, loc=[2.0, 1.0], scale=scales.query).sum()
        assert log_output_probability(outputs, answers, 1, 1, cutoff, epsilon, ALG14) == pytest.approx(exact, abs=1e-11)


def test_probability_of_algorithm_18_is_that_of_its_signs_times_the_density_of_its_numbers():
    row, answers = alg18(0.2, 0.5, 0.3), np.array([0.3, 2.0, -1.0])
    signs = log_output_probability([False, True, True], answers, 1, 1, 2, 0.7, alg18(0.2, 0.5))
    numbers = stats.laplace.logpdf([9.0, -2.5], loc=[2.0, -1.0], scale=2 / 0.3).sum()
    assert log_output_probability([False, 9.0, -2.5], answers, 1, 1, 2, 1.0, row) == pytest.approx(
        signs + numbers, abs=1e-11
    )


def test_probability_of_algorithm_16_is_an_interval():
    epsilon, answers = 0.8, np.array([0.0, 1.0, -3.0])
    law = stats.laplace(scale=2 / epsilon)
    inside = log(law.cdf(1.0) - law.cdf(0.0))
    assert log_output_probability([False, True, False], answers, 0, 1, 1, epsilon, ALG16) == pytest.approx(
        inside, abs=1e-12
    )
    far = log_output_probability([False, True], [400.0, 401.0], 0, 1, 1, epsilon, ALG16)
    assert far == pytest.approx(-400 * epsilon / 2 + log((1 - exp(-epsilon / 2)) / 2), abs=1e-10)
    assert log_output_probability([True, False], [0.0, 1.0], 0, 1, 1, epsilon, ALG16) == -np.inf


@pytest.mark.parametrize(("below", "above"), [(0, 1), (3, 0), (5, 7), (1000, 0), (100_000, 50), (2, 100_000)])
def test_with_equal_answers_and_equal_scales_the_probability_is_a_beta_integral(below, above):
    """With s = b the noisy threshold's rank among equals is uniform: Pr = below! above! / (below + above + 1)!."""
    outputs = np.array([False] * below + [True] * above)
    exact = lgamma(below + 1) + lgamma(above + 1) - lgamma(below + above + 2)
    value = log_output_probability(outputs, np.full(outputs.size, 3.0), 3, 1, 1, 0.4, ALG17)
    assert value == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("spread", [3.0, 300.0])
def test_a_thousand_distinct_queries_to_1e_9_and_the_loss_too(spread):
    """Against a fixed, far finer rule without any search for the peak, all in logs."""
    answers = seeded(6).normal(0, spread, 1000)
    outputs = answers > 1.8 * spread
    cutoff, epsilon = int(outputs.sum()), 1.0
    outputs = outputs[: np.flatnonzero(outputs)[-1] + 1]
    answers = answers[: outputs.size]
    moved = answers + seeded(7).choice([-1.0, 0.5, 1.0], outputs.size)
    scales = ALG12.scales(1, cutoff, epsilon)
    nodes, weights = np.polynomial.legendre.leggauss(10)

    def fine(gap):
        edges = np.unique(np.concatenate([gap, [0], np.linspace(gap.min() - 300, gap.max() + 900, 700)]))
        half = np.diff(edges)[:, None] / 2
        z = edges[:-1, None] + half * (1 + nodes)
        heights = -np.abs(z) / scales.threshold - np.log(2 * scales.threshold) + np.log(half * weights)
        for x in gap[~outputs]:
            heights += stats_log_cdf((z - x) / scales.query)
        for x in gap[outputs]:
            heights += stats_log_cdf((x - z) / scales.query)
        return np.logaddexp.reduce(np.sort(heights.ravel()))

    def stats_log_cdf(x):
        return np.where(x < 0, x - np.log(2), np.log1p(-np.exp(-np.abs(x)) / 2))

    here = log_output_probability(outputs, answers, 0, 1, cutoff, epsilon)
    there = log_output_probability(outputs, moved, 0, 1, cutoff, epsilon)
    exact = fine(answers), fine(moved)
    assert (here, there) == pytest.approx(exact, abs=1e-9)
    loss = privacy_loss(outputs, answers, moved, 0, 1, cutoff, epsilon)
    assert loss == pytest.approx(exact[0] - exact[1], abs=1e-9)
    assert abs(loss) <= epsilon


@pytest.mark.parametrize("row", SAYS_ONLY_WHICH, ids=name)
@pytest.mark.parametrize("thresholds", [0.5, [0.0, 3.0, -1.0, 1.0]], ids=["one", "many"])
def test_probabilities_of_all_outputs_add_up_to_one(row, thresholds):
    answers = [0.0, 2.0, -1.5, 0.7]
    for cutoff in (1, 2, 4):
        rest = answers, thresholds, 1, cutoff, 1.3, row
        chances = [log_output_probability(p, *rest) for p in patterns(4, cutoff, row)]
        assert sum(np.exp(chances)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("outputs", "row"),
    [
        ([], ALG12),
        ([False], ALG12),
        ([False, False, False, False], ALG12),
        ([True, True, False], ALG12),
        ([True, True, True], ALG12),
        ([True, True], ALG17),
        ([0.5, 0.5, False], ALG14),
    ],
)
def test_outputs_that_no_run_gives_have_probability_zero(outputs, row):
    assert log_output_probability(outputs, [0.0, 1.0, 2.0], 0, 1, 2, 1.0, row) == -np.inf


# ---------------------------------------------------------------- the loss


def worst_loss(row, cutoff, epsilon, levels, thresholds, monotonic=False):
    """The largest exact |loss| over all outputs and all neighbours whose three answers are among `levels`."""
    lists = np.array(list(product(levels, repeat=3)), dtype=float)
    halved = monotonic and row.halves_if_monotonic
    outputs = patterns(3, cutoff, row)
    chances = np.array(
        [[log_output_probability(p, x, thresholds, 1, cutoff, epsilon, row, halved) for p in outputs] for x in lists]
    )
    moves = lists[:, None] - lists
    neighbours = np.abs(moves).max(axis=2) <= 1
    if monotonic:
        neighbours &= np.all(moves >= 0, axis=2) | np.all(moves <= 0, axis=2)
    return np.abs(chances[:, None] - chances)[neighbours].max()


@pytest.mark.parametrize("row", [ALG12, ALG13, ALG14_SILENT, ALG15, alg18(1, 3), NOISE_INSIDE], ids=name)
@pytest.mark.parametrize(("cutoff", "epsilon"), [(1, 2.0), (2, 0.5)])
def test_private_rows_never_lose_more_than_their_bound(row, cutoff, epsilon):
    """The exact inequality over all 27 lists of answers 0, 1, 2 and all neighbours among them."""
    bound = row.loss_bound(cutoff, epsilon)
    expected = {ALG14_SILENT: 1.5 * epsilon, ALG15: (1 + 6 * cutoff) / 4 * epsilon}.get(row, epsilon)
    assert bound == pytest.approx(expected)
    assert 0.05 * bound < worst_loss(row, cutoff, epsilon, (0, 1, 2), (1.0, 0.5, 2.0)) <= bound + 1e-9


@pytest.mark.parametrize("row", [ALG12, ALG13, ALG15, alg18(1, 3)], ids=name)
def test_with_monotonic_queries_half_the_noise_is_enough(row):
    """Theorem 7.7, and that it needs monotonic queries: the same halved noise loses more than epsilon without."""
    bound = row.loss_bound(2, 1.0, monotonic=True)
    assert worst_loss(row, 2, 1.0, (0, 1, 2), 0.5, monotonic=True) <= bound + 1e-9
    if row.halves_if_monotonic:
        outputs, answers, moved = counterexample(row, 2, 400)
        half_noise = [log_output_probability(outputs, x, 0, 1, 2, 1.0, row, monotonic=True) for x in (answers, moved)]
        assert half_noise[0] - half_noise[1] > 1.4
        with pytest.raises(ValueError, match="neighbour_answers must be all moved in the same direction"):
            privacy_loss(outputs, answers, moved, 0, 1, 2, 1.0, row, monotonic=True)


@pytest.mark.parametrize("row", [ALG12, ALG13, ALG14_SILENT, ALG15, alg18(1, 3), alg18(1, 2, 1)], ids=name)
@pytest.mark.parametrize("cutoff", [1, 4])
def test_the_bounds_of_private_rows_are_reached(row, cutoff):
    losses = [privacy_loss(*counterexample(row, cutoff, m), 0, 1, cutoff, 0.8, row) for m in (8, 30, 100, 600)]
    bound = row.loss_bound(cutoff, 0.8)
    assert np.all(np.diff(losses) > -1e-9)
    assert bound - 1e-6 < losses[-1] <= bound + 1e-9
    if row.stops_at_cutoff and not row.releases_numbers:
        pair = counterexample(row, cutoff, 600, monotonic=True)
        loss = privacy_loss(*pair, 0, 1, cutoff, 0.8, row, monotonic=row.halves_if_monotonic)
        assert loss == pytest.approx(row.loss_bound(cutoff, 0.8, monotonic=True), abs=1e-6)


def test_lemma_7_1_all_negatives_or_all_positives_lose_only_epsilon_1():
    zeros, ones, epsilon = np.zeros(500), np.ones(500), 0.6
    for row in (ALG12, ALG15, ALG16, ALG17):
        share = row.threshold_share * epsilon
        for outputs in ([False] * 500, [True] * 500):
            if row.stops_at_cutoff and outputs[0]:
                continue
            losses = [privacy_loss(outputs, *pair, 0, 1, 1, epsilon, row) for pair in ((zeros, ones), (ones, zeros))]
            assert np.abs(losses).max() <= share + 1e-9


@pytest.mark.parametrize("cutoff", [1, 3])
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_theorem_7_3_algorithm_14_loses_half_epsilon_with_every_negative(cutoff, epsilon):
    for queries in (2, 11, 101, 1001):
        negatives = queries - 1
        loss = privacy_loss(*counterexample(ALG14, cutoff, queries), 0, 1, cutoff, epsilon, ALG14)
        assert loss == pytest.approx((negatives - 1) * epsilon / (2 * cutoff), abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_theorem_7_4_algorithm_17_loses_without_bound(epsilon):
    """At least half epsilon a pair of queries, as the book proves; in truth epsilon in the limit."""
    losses = [privacy_loss(*counterexample(ALG17, 1, 2 * m), 0, 1, 1, epsilon, ALG17) for m in (5, 50, 500)]
    assert np.all(losses >= np.array([5, 50, 500]) * epsilon / 2)
    assert (losses[2] - losses[1]) / 450 == pytest.approx(epsilon, rel=0.02)


def test_theorem_7_5_algorithm_16_loses_everything_on_two_queries():
    pair = counterexample(ALG16, 1, 2)
    assert privacy_loss(*pair, 0, 1, 1, 1e-3, ALG16) == np.inf
    assert privacy_loss(pair.outputs, pair.neighbour_answers, pair.answers, 0, 1, 1, 1e-3, ALG16) == -np.inf


@pytest.mark.parametrize("cutoff", [1, 2])
def test_algorithm_13_with_cutoff_one_is_algorithm_12_and_with_two_is_not(cutoff):
    answers = [0.0, 2.0, 1.0]
    differences = [
        log_output_probability(p, answers, 1, 1, cutoff, 0.7, ALG12)
        - log_output_probability(p, answers, 1, 1, cutoff, 0.7, ALG13)
        for p in patterns(3, cutoff, ALG12)
    ]
    assert (np.abs(differences).max() < 1e-12) == (cutoff == 1)


# ---------------------------------------------------------------- noise inside the absolute value (E64)


def inside_probability(outputs, answers, thresholds, scales):
    """The direct double check: an adaptive integral over the threshold noise of products of probabilities."""
    law, noise = stats.laplace(scale=scales.threshold), stats.laplace(scale=scales.query)

    def integrand(z):
        levels = np.maximum(thresholds + z, 0)
        below = noise.cdf(levels - answers) - noise.cdf(-levels - answers)
        return law.pdf(z) * np.prod(np.where(outputs, 1 - below, below))

    kinks = np.unique(np.concatenate([np.abs(answers) - thresholds, -thresholds, [0]]))
    ends = [-200, *kinks, 200]
    return sum(integrate.quad(integrand, *piece, epsabs=1e-14, limit=200)[0] for piece in pairwise(ends))


def test_noise_inside_the_absolute_value_has_its_exact_probability():
    answers, thresholds = np.array([1.5, -0.5, 2.0, 0.0]), np.array([1.0, 2.0, 0.5, -1.0])
    scales = NOISE_INSIDE.scales(1, 2, 3.0)
    for outputs in [(False, True, False, False), (True, False, True), (True, True), (False, False, True, True)]:
        size = len(outputs)
        direct = inside_probability(np.array(outputs), answers[:size], thresholds[:size], scales)
        value = log_output_probability(outputs, answers, thresholds, 1, 2, 3.0, NOISE_INSIDE)
        assert exp(value) == pytest.approx(direct, rel=1e-6, abs=1e-12)


def test_noise_inside_the_absolute_value_saves_nothing_by_monotonic_queries():
    """|answer + noise| can go down where the answer goes up: the bound stays epsilon, and this pair comes up to it."""
    for cutoff in (1, 2, 5):
        assert NOISE_INSIDE.loss_bound(cutoff, 0.8, monotonic=True) == pytest.approx(0.8)
    answers = np.append(np.full(200, -35.0), 30.0)
    loss = privacy_loss([False] * 200 + [True], answers, answers + 1, 30, 1, 1, 1.0, NOISE_INSIDE)
    assert 0.9999 < abs(loss) <= 1 + 1e-9


# ---------------------------------------------------------------- selecting the top


def test_selections_with_a_huge_epsilon_find_the_top_in_order():
    answers = seeded(5).permutation(np.arange(400.0))
    top = np.argsort(-answers)[:20]
    assert exponential_selection(answers, 1, 20, 1e9, seeded()).tolist() == top.tolist()
    assert retraversal_selection(answers, 1000, 1, 20, 1e6, seeded()).tolist() == top.tolist()
    low = retraversal_selection(answers, -1000, 1, 20, 1e6, seeded())
    assert low.tolist() == list(range(20))


class Waits(np.random.Generator):
    """A generator that gives the threshold noise and the exponential numbers that we want, and notes the scale."""

    def __init__(self, shift, waits):
        super().__init__(np.random.PCG64(1))
        self.shift, self.waits, self.scales = shift, np.array(waits), []

    def laplace(self, loc=0.0, scale=1.0, size=None):
        self.scales.append(scale)
        return self.shift

    def standard_exponential(self, size=None):
        assert size == self.waits.size
        return self.waits


class FirstPositives(np.random.Generator):
    """A generator under which each query is positive in a given round and in no other, both by a hair; notes scales.

    `edges` is the noise that takes each query to the noisy threshold.
    """

    def __init__(self, shift, edges, rounds, cutoff):
        super().__init__(np.random.PCG64(1))
        self.scales, self.noise = [], self.noises(shift, edges, rounds, cutoff)

    def noises(self, shift, edges, rounds, cutoff):
        yield shift
        selected = 0
        for number in range(1, max(rounds) + 1):
            for edge, last in zip(edges, rounds, strict=True):
                if last >= number and selected < cutoff:
                    selected += last == number
                    yield edge + (1e-9 if last == number else -1e-9)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        self.scales.append(scale)
        return next(self.noise)


@pytest.mark.parametrize("row", [ALG12, ALG15, alg18(0.2, 1)], ids=name)
@pytest.mark.parametrize("size", [1, 2, 7, 40])
def test_the_rounds_drawn_at_once_are_those_of_the_loop_that_is_shown(row, size):
    """Told in which round each query is first positive, both select the same, in the same order, to the last query."""
    for cutoff in {1, size // 2 + 1, size}:
        draw = seeded(cutoff)
        answers, threshold, shift = draw.normal(size=size), 1.0, 0.3
        scales = row.scales(1, cutoff, 1.5)
        edges = threshold + shift - answers
        rates = -stats.laplace.logcdf(edges, scale=scales.query)
        for most in (1, 3, 50):
            rounds = draw.integers(1, most + 1, size)
            loop, given = FirstPositives(shift, edges, rounds, cutoff), (answers, threshold, 1, cutoff, 1.5)
            slow = plain_retraversal_selection(*given, loop, variant=row)
            fast = retraversal_selection(*given, Waits(shift, rates * (rounds - 0.5)), variant=row)
            assert slow.tolist() == fast.tolist() and slow.dtype.kind == fast.dtype.kind == "i"
            assert loop.scales == [scales.threshold] + [scales.query] * (len(loop.scales) - 1)
            assert next(loop.noise, None) is None, "no visit is left out"


@pytest.mark.parametrize("row", [ALG12, ALG15, alg18(0.2, 1)], ids=name)
def test_retraversal_turns_exponential_numbers_into_rounds_at_exactly_the_right_rate(row):
    """A number just below `rounds` times -ln Pr[below] comes up in that round, one just above it in the next."""
    answers, threshold, shift = np.array([0.0, 2.0]), 3.0, 0.7
    scales = row.scales(1, 2, 1.5)
    rates = -stats.laplace.logcdf(threshold + shift - answers, scale=scales.query)
    for rounds in (1, 2, 7):
        for off, order in ((1 - 1e-9, [0, 1]), (1 + 1e-9, [1, 0])):
            rng = Waits(shift, rates * [rounds * off, rounds - 0.5])
            assert retraversal_selection(answers, threshold, 1, 2, 1.5, rng, variant=row).tolist() == order
            assert rng.scales == [scales.threshold]
    edge = 31 * scales.query - shift + answers  # beyond 30 scales the rate is worked out in another way
    rates = -np.log1p(-np.exp(-31.0) / 2) * np.ones(2)
    for off, order in ((1 - 1e-9, [0, 1]), (1 + 1e-9, [1, 0])):
        rng = Waits(shift, rates * [3 * off, 2.5])
        assert retraversal_selection(answers, edge, 1, 2, 1.5, rng, variant=row).tolist() == order
    far = 400 * scales.query
    rates = (
        np.exp((answers - far - shift) / scales.query) / 2
    )  # 1 - Pr[below], where that is too small to be told from 0
    for off, order in ((1 - 1e-9, [0, 1]), (1 + 1e-9, [1, 0])):
        rng = Waits(shift, 1e15 * rates * [off, 1])
        assert retraversal_selection(answers, far, 1, 2, 1.5, rng, variant=row).tolist() == order


def test_retraversal_ends_whatever_the_threshold():
    answers = np.arange(50.0)
    for threshold in (1e3, 1e6, 1e12):
        selected = retraversal_selection(answers, threshold, 1, 10, 5.0, seeded(3))
        assert len(set(selected.tolist())) == 10


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("cutoff", [1, 3])
def test_exponential_selection_is_the_exponential_mechanism_without_replacement(cutoff, monotonic):
    """In every way that its choices can fall: each has a share of epsilon, and is among those that are left."""
    answers = np.array([0.0, 1.0, 3.0, 2.5])
    for way in permutations(range(4), cutoff):
        places = [sorted({0, 1, 2, 3} - {*way[:number]}).index(chosen) for number, chosen in enumerate(way)]
        heard = Transcript(outcomes=places)
        selected = exponential_selection(answers, 1, cutoff, 2.0, heard, monotonic=monotonic)
        assert selected.tolist() == list(way)
        for number, choice in enumerate(heard.choices):
            left = np.delete(answers, way[:number])
            assert choice.chances == pytest.approx(selection_probabilities(left, 1, 2.0 / cutoff, monotonic))


def test_errors_of_a_selection():
    answers = [10.0, 8.0, 8.0, 2.0, 1.0]
    assert false_negative_rate([0, 1], answers, 2) == 0
    assert false_negative_rate([2, 0], answers, 2) == 0  # a tie with the last of the top
    assert false_negative_rate([0, 3], answers, 2) == 0.5
    assert false_negative_rate([], answers, 2) == 1
    assert score_error_rate([0, 3], answers, 2) == pytest.approx(1 - 12 / 18)
    assert score_error_rate([0], answers, 2) == pytest.approx(1 - 10 / 18)
    assert score_error_rate([1, 0], answers, 2) == 0
    assert score_error_rate([1], [0.5, 0.25], 1) == 0.5  # any total above 0 will do


# ---------------------------------------------------------------- bad inputs

ANSWERED = {"answers": [1.0, 2.0], "sensitivity": 1, "cutoff": 1, "epsilon": 1.0}
NOT_ANSWERED = {
    "answers": ([], [[1.0]], [np.nan, 1]),
    "sensitivity": NOT_POSITIVE,
    "cutoff": NOT_WHOLE,
    "epsilon": NOT_POSITIVE,
    "monotonic": ("yes", 1),
}
RUN, NO_RUN = ANSWERED | {"thresholds": 0}, NOT_ANSWERED | {"thresholds": ([1.0, 2.0, 3.0], np.inf)}
JUDGED = RUN | {"outputs": [False, True]}
DRAWN, NOT_DRAWN = RUN | {"rng": seeded()}, NO_RUN | {"rng": NO_GENERATOR}
NOT_SELECTED = {"cutoff": (*NOT_WHOLE, 3), "variant": (ALG13, ALG14, ALG16, ALG17, NOISE_INSIDE, alg18(1, 1, 1))}
SPENT = {"epsilon": NOT_POSITIVE, "cutoff": NOT_WHOLE}
NO_TOP = {"selected": ([0, 0], [5], [-1], [0, 1, 2], [0.5], [[0]]), "cutoff": (6, 0)}
CHANGED = functools.partial(replace, ALG12)
REFUSED = [
    *((run, DRAWN, NOT_DRAWN) for run in (sparse_vector, trace)),
    *((run, DRAWN, NOT_DRAWN | NOT_SELECTED) for run in (retraversal_selection, plain_retraversal_selection)),
    (log_output_probability, JUDGED, NO_RUN),
    (privacy_loss, JUDGED | {"neighbour_answers": [1.0, 1.0]}, NO_RUN),
    (exponential_selection, ANSWERED | {"rng": seeded()}, NOT_ANSWERED | {"cutoff": (*NOT_WHOLE, 3)}),
    *(  # there is nothing to halve
        (sparse_vector, DRAWN | {"variant": row}, {"monotonic": (True,)})
        for row in (ALG14, ALG15, ALG16, ALG17, NOISE_INSIDE)
    ),
    (optimal_split, (1, 1), SPENT),
    (ALG12.loss_bound, {"cutoff": 1, "epsilon": 1}, SPENT),
    (counterexample, (ALG12, 1, 10), {"cutoff": NOT_WHOLE, "queries": (1, 2.5)}),
    (counterexample, (ALG17, 1, 10), {"monotonic": (True,)}),
    *((measure, ([0], [3.0, 2.0, 1.0], 2), NO_TOP) for measure in (false_negative_rate, score_error_rate)),
    (score_error_rate, ([0], [2.0, 1.0], 1), {"answers": ([-1.0, -2.0],)}),
    # Rows that contradict themselves.
    (CHANGED, {}, {"threshold_share": (0, 1), "answer_share": (-0.1, 0.5, np.nan), "query_noise": (-1, np.inf)}),
    *((CHANGED, {also: True}, {"query_noise": (0,)}) for also in ("releases_compared_answer", "noise_inside_absolute")),
    *(
        (CHANGED, also, {"releases_compared_answer": (True,)})
        for also in ({"answer_share": 0.1}, {"noise_inside_absolute": True})
    ),
]


@pytest.mark.parametrize(("function", "good", "refused"), REFUSED)
def test_bad_arguments_are_refused(function, good, refused):
    assert_refuses(function, good, refused)


@pytest.mark.parametrize(
    ("outputs", "row", "expected"),
    [
        ([False, 0.5], ALG12, "outputs must be True or False"),
        ([False, 1], ALG17, "outputs must be True or False"),
        ([False, None], ALG12, "outputs must be True or False"),
        ([False, True], ALG14, "outputs must be False or a number"),
        ([False, np.nan], ALG14, "outputs must be finite numbers"),
        ([False, "high"], ALG14, "outputs must be finite numbers"),
    ],
)
def test_outputs_of_the_wrong_kind_are_refused(outputs, row, expected):
    with pytest.raises(ValueError, match=expected):
        log_output_probability(outputs, [1.0, 2.0], 0, 1, 1, 1.0, row)


def test_losses_refuse_what_are_no_neighbours_and_outputs_of_neither():
    with pytest.raises(ValueError, match="neighbour_answers must be within 1 of answers"):
        privacy_loss([False, True], [0.0, 1.0], [0.0, 2.5], 0, 1, 1, 1.0)
    with pytest.raises(ValueError, match="neighbour_answers must be as many as answers"):
        privacy_loss([False, True], [0.0, 1.0], [0.0], 0, 1, 1, 1.0)
    with pytest.raises(ValueError, match="outputs must be possible"):
        privacy_loss([True, True], [0.0, 1.0], [0.0, 0.0], 0, 1, 1, 1.0)


@pytest.mark.parametrize("budgets", [(0, 1, 0), (1, -1, 0), (1, 1, -1), (1, np.nan, 0), (1, 1), (1, 1, np.inf)])
def test_budgets_of_algorithm_18_are_checked(budgets):
    with pytest.raises(ValueError, match=r"(epsilon[123]|budgets) must be"):
        generalized_sparse_vector([1.0], 0, 1, 1, budgets, seeded())


# The loop that can be read, and the fast one.


class TwoStreams(np.random.Generator):
    """The queries' noise, asked for by its shape, from one stream, all other from another: their order is no matter."""

    def __init__(self, seed):
        super().__init__(np.random.PCG64(seed))
        self.other = np.random.default_rng(seed)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return super().laplace(loc, scale, size) if isinstance(size, tuple) else self.other.laplace(loc, scale, size)


@pytest.mark.parametrize(
    "variant", [ALG12, ALG13, ALG14, ALG15, ALG16, ALG17, NOISE_INSIDE, alg18(0.2, 0.5, 0.3)], ids=lambda row: row.name
)
def test_the_loop_that_is_shown_is_the_loop_that_runs(variant):
    """The same outputs from the same random numbers, in 20 runs of each row: short, and beyond one chunk."""
    answers = np.random.default_rng(1).normal(size=300)
    many = np.repeat(answers, 60) - 40
    for seed in range(20):
        data = many if seed < 2 else answers
        slow, fast = (
            run(data, 1.0, 1, 4, 2.0, TwoStreams(seed), variant=variant) for run in (plain_sparse_vector, sparse_vector)
        )
        kinds = [[isinstance(output, bool | np.bool_) for output in outputs] for outputs in (slow, fast)]
        assert kinds[0] == kinds[1] and list(map(float, slow)) == list(map(float, fast))
