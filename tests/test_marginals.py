"""Marginal tables, waves, data cubes, multiplicative weights, polynomials: 004 sections 6.1 and 6.2.

Neighbours: one record more or less. Every statistical test draws from a fixed seed; its false-alarm rate is said there.
"""

import itertools
import math

import numpy as np
import pytest

from dpbook.claims.losses import loss_from_noise
from dpbook.exponential import selection_probabilities
from dpbook.gaussian import gaussian_delta, gaussian_scale
from dpbook.marginals import (
    best_polynomial,
    choose_cubes,
    covering_bound,
    covering_design,
    covers,
    cube_error,
    cube_root_shares,
    cut_at_zero,
    direct_error,
    direct_marginals,
    flat_error,
    flat_table,
    fourier_error,
    fourier_marginals,
    fourth_root_scales,
    from_walsh,
    gaussian_marginals,
    gaussian_wave_error,
    gaussian_waves,
    marginal,
    marginals,
    multiplicative_update,
    mwem,
    mwem_rounds,
    nonnegative_table,
    polynomial_error,
    polynomial_marginals,
    polynomial_sensitivity,
    polynomial_table,
    project,
    table_divergence,
    table_error,
    table_from,
    walsh,
    walsh_coefficients,
)
from tests.generators import Spy, assert_chooses_by, seeded

THREE = np.array(list(itertools.product((0, 1), repeat=3)))
PAIRS = list(itertools.combinations(range(3), 2))


def one_more():
    """Four small datasets of three attributes, each with every record that could be added."""
    datasets = [THREE[:0], THREE[:1], THREE[[0, 3, 5, 7, 7]], np.repeat(THREE, 2, axis=0)]
    return [(data, np.vstack([data, record])) for data in datasets for record in THREE]


def called(mechanism, *arguments, **options):
    return lambda data, rng: mechanism(data, *arguments, rng, **options)


def brute_force(records, attributes, sizes):
    table = np.zeros([sizes[a] for a in attributes])
    for record in records:
        table[tuple(record[a] for a in attributes)] += 1
    return table


def within_six_errors(errors, expected):
    """Whether the mean of `errors` is within 6 standard errors of `expected` (false alarm about 2e-9 if normal)."""
    assert abs(np.mean(errors) - expected) < 6 * np.std(errors) / math.sqrt(len(errors))


# Tables.


@pytest.mark.parametrize("attributes", [(), (2,), (1, 0), (3, 0, 2), (0, 1, 2, 3), (3, 2, 1, 0)])
def test_a_marginal_counts_each_combination_in_the_order_asked(attributes):
    sizes = (2, 3, 5, 2)
    records = np.column_stack([seeded(size + place).integers(0, size, 60) for place, size in enumerate(sizes)])
    expected = brute_force(records, attributes, sizes)
    assert np.array_equal(marginal(records, attributes, sizes=sizes), expected)
    whole = marginal(records, range(4), sizes=sizes)
    assert np.array_equal(project(whole, range(4), attributes), expected)
    assert np.array_equal(project(whole.transpose(2, 0, 3, 1), (2, 0, 3, 1), attributes), expected)


def test_a_marginal_of_eight_attributes_of_any_integer_type():
    records = seeded().integers(0, 2, (300, 9))
    for kind in (bool, np.uint8, np.int64, float):
        assert np.array_equal(
            marginal(records.astype(kind), (8, *range(7))), brute_force(records, (8, *range(7)), [2] * 9)
        )
    assert marginal(records[:0], (1, 2)).tolist() == [[0, 0], [0, 0]]
    large = np.array([[255, 0], [3, 1]])
    assert marginal(large, (0, 1), sizes=(256, 2))[255, 0] == 1 and marginal(large, (0,), sizes=(256, 2))[3] == 1


def test_the_errors_of_a_table():
    """004 (6.1): the worked numbers; the divergence's log is natural."""
    assert table_error([6, 2, 1, 1], [5, 3, 2, -1]) == pytest.approx(math.sqrt(7))
    assert table_divergence([6, 2, 1, 1], cut_at_zero([5, 3, 2, -1])) == pytest.approx(0.0504621, abs=5e-8)
    assert table_divergence([1, 0], [0, 3]) == pytest.approx(math.log(2))
    with pytest.raises(ValueError, match="no cell below 0"):
        table_divergence([6, 2, 1, 1], [5, 3, 2, -1])


# Flat, Direct and Fourier: what is released, and how exact it is.


@pytest.mark.parametrize(
    "mechanism",
    [
        called(direct_marginals, [(2, 0), (1,), (0, 2)], 0.7),
        called(fourier_marginals, 3, 0.7),
        called(fourier_marginals, 1, 0.7, shares=[0.4, 0.2]),
        called(polynomial_marginals, 2, 1, 0.7),
    ],
)
def test_one_record_more_loses_exactly_epsilon(mechanism):
    """Every record moves these releases by the same L1 distance, so the loss is epsilon; the claims ask the others."""
    assert loss_from_noise(released_numbers(mechanism), one_more()) == pytest.approx(0.7, rel=1e-12)


def released_numbers(mechanism):
    """The release as arrays only."""

    def numbers(data, rng):
        release = mechanism(data, rng)
        release = release.tables if hasattr(release, "tables") else release
        return list(release.values()) if isinstance(release, dict) else release

    return numbers


def test_categories_lose_epsilon_too():
    records = np.array([[2, 0, 3], [0, 1, 1]])
    more = [(records, np.vstack([records, [2, 1, 3]]))]
    for run in (
        called(flat_table, 0.3, sizes=(3, 2, 4)),
        called(direct_marginals, [(0, 2), (1,)], 0.3, sizes=(3, 2, 4)),
    ):
        assert loss_from_noise(run, more) == pytest.approx(0.3)


def test_without_much_noise_everything_is_exact():
    records = seeded(3).integers(0, 2, (200, 6))
    truth = marginal(records, (4, 1, 3))
    noisy = fourier_marginals(records, 3, 1e12, seeded())
    polynomial = polynomial_marginals(records, 3, 3, 1e12, seeded())
    flat = project(flat_table(records, 1e12, seeded()), range(6), (4, 1, 3))
    tables = [table_from(noisy, (4, 1, 3)), polynomial_table(polynomial, (4, 1, 3)), flat]
    tables.append(direct_marginals(records, [(4, 1, 3)], 1e12, seeded())[0])
    for table in tables:
        assert np.allclose(table, truth, atol=1e-6)


def test_walsh_is_the_alternating_sum():
    table = seeded(4).normal(size=(2, 2, 2, 2))
    for index in np.ndindex(table.shape):
        signs = np.prod([1 - 2 * (b * x) for b, x in zip(index, np.indices(table.shape), strict=True)], axis=0)
        assert walsh(table)[index] == pytest.approx(np.sum(signs * table))
    assert np.allclose(from_walsh(walsh(table)), table)


@pytest.mark.parametrize("order", [0, 1, 2, 3, 4, 5])
def test_all_coefficients_at_once_are_those_of_the_tables(order):
    records = seeded(5).integers(0, 2, (9000, 5))  # more records than one piece of the product
    coefficients = walsh_coefficients(records, order)
    assert len(coefficients) == sum(math.comb(5, j) for j in range(order + 1))
    whole = walsh(marginal(records, range(5)))
    for chosen, value in coefficients.items():
        assert value == whole[tuple(int(a in chosen) for a in range(5))]


def test_no_other_shares_do_better():
    best, rng = fourier_error(9, 3, shares=cube_root_shares(9, 3)), seeded(6)
    for _ in range(50):
        shares = cube_root_shares(9, 3) * rng.uniform(0.8, 1.25, 4)
        shares /= shares @ [math.comb(9, j) for j in range(4)]
        assert fourier_error(9, 3, shares=shares) >= best


def test_measured_errors_are_the_formulas():
    records, rng = seeded(7).integers(0, 2, (500, 5)), seeded(8)
    truth, shares = marginal(records, (3, 1)), cube_root_shares(5, 2)
    pairs = list(itertools.combinations(range(5), 2))
    methods = {
        flat_error(5, 2): lambda: project(flat_table(records, 1, rng), range(5), (3, 1)),
        direct_error(5, 2): lambda: direct_marginals(records, pairs, 1, rng)[pairs.index((1, 3))].T,
        fourier_error(5, 2): lambda: table_from(fourier_marginals(records, 2, 1, rng), (3, 1)),
        fourier_error(5, 2, shares=shares): lambda: table_from(
            fourier_marginals(records, 2, 1, rng, shares=shares), (3, 1)
        ),
        polynomial_error(5, 2, 2): lambda: polynomial_table(polynomial_marginals(records, 2, 2, 1, rng), (3, 1)),
    }
    assert len(methods) == 5
    for expected, release in methods.items():
        within_six_errors([table_error(release(), truth) ** 2 / 2 for _ in range(400)], expected)


def test_the_linear_programme_gives_a_table_without_negative_cells():
    records = seeded(9).integers(0, 2, (40, 5))
    coefficients = walsh_coefficients(records, 5)
    assert np.allclose(nonnegative_table(coefficients, 5), marginal(records, range(5)), atol=1e-6)
    noisy = fourier_marginals(records, 2, 0.5, seeded(10))
    table = nonnegative_table(noisy, 5)
    assert table.min() >= 0
    waves = walsh(table)
    off = max(abs(waves[tuple(int(a in b) for a in range(5))] - value) for b, value in noisy.items())
    true = max(abs(coefficients[b] - value) for b, value in noisy.items())
    assert off <= true + 1e-6, "the true table is a candidate"


# Designs and cubes.


@pytest.mark.parametrize(
    ("d", "size", "strength", "views"),
    [
        *((9, 6, 2, 3), (12, 8, 2, 3), (16, 8, 2, 6), (26, 8, 2, 13), (32, 8, 2, 20), (16, 8, 3, 14), (31, 6, 2, 31)),
        *((16, 4, 2, 20), (25, 5, 2, 30), (57, 8, 2, 57), (64, 8, 2, 72), (8, 4, 3, 14), (7, 3, 2, 7)),
    ],
)
def test_closed_forms_cover_with_few_views(d, size, strength, views):
    design = covering_design(d, size, strength)
    assert covers(design, d, strength) and len(design) == views and max(map(len, design)) <= size
    assert len(design) >= covering_bound(d, size, strength)


@pytest.mark.parametrize(
    ("d", "size", "strength"), [(10, 4, 2), (13, 5, 3), (20, 7, 2), (12, 6, 4), (6, 5, 3), (5, 1, 1)]
)
def test_every_design_covers_and_is_the_same_each_time(d, size, strength):
    design = covering_design(d, size, strength)
    assert covers(design, d, strength) and max(map(len, design)) <= size
    assert len(design) >= covering_bound(d, size, strength) and design == covering_design(d, size, strength)
    assert not covers(design[1:], d, strength)


def test_data_cubes_do_not_always_choose_the_full_table():
    """D24: for pairs of 11 attributes the seven lines of Fano's plane have a cell variance of 392 V_u, flat has 512."""
    for d in range(2, 11):
        assert choose_cubes(d, 2) == [tuple(range(d))] or cube_error(choose_cubes(d, 2), 2) == 2 ** (d - 2)
    assert cube_error(choose_cubes(9, 2), 2) == 128
    fano = choose_cubes(11, 2)
    assert len(fano) == 7 and covers(fano, 11, 2) and cube_error(fano, 2) == 392 < 2**9
    assert cube_error(choose_cubes(12, 2), 2) == 576 < 1024
    assert cube_error(covering_design(10, 6, 2), 2) >= 256
    assert cube_error(covering_design(16, 4, 2), 2) == 1600
    for d in range(4, 11):
        least = min(covering_bound(d, size, 2) ** 2 * 2 ** (size - 2) for size in range(2, d + 1))
        assert least >= 2 ** (d - 2), "no design of views of one size can beat the full table up to ten attributes"


# Multiplicative weights.


def test_one_update_by_hand():
    updated = multiplicative_update(np.full((2, 2), 5.0), (0,), [16, 4])
    assert updated == pytest.approx(np.array([[5.7444252] * 2, [20 / 2 - 5.7444252] * 2]), abs=5e-8)
    table, wanted = seeded(11).uniform(1, 2, (2, 3, 2, 2)), seeded(12).uniform(1, 9, (2, 3))
    grown = table * np.exp((wanted - project(table, range(4), (3, 1))) / (2 * table.sum())).T[None, :, None, :]
    assert np.allclose(multiplicative_update(table, (3, 1), wanted), grown * table.sum() / grown.sum())


def test_a_round_loses_its_share_and_the_rounds_add_up():
    """Selection: the law of one choice, sensitivity 1 by enumeration; the bought table: the noise of its own run.

    The generator is told which marginal to choose (by its uniform number), so the noise alone can be heard.
    """
    for data, more in one_more():
        table = seeded(13).dirichlet(np.ones(8)).reshape(2, 2, 2) * 5
        laws = []
        for records in (data, more):
            wrong = [table_l1(marginal(records, pair), project(table, range(3), pair)) for pair in PAIRS]
            laws.append((wrong, selection_probabilities(wrong, 1, 0.4)))
        assert np.abs(np.subtract(laws[0][0], laws[1][0])).max() <= 1 + 1e-12
        assert np.abs(np.log(laws[0][1] / laws[1][1])).max() <= 0.4 + 1e-12
    for rounds in (1, 3):
        worst = loss_from_noise(called(mwem_with_choices, rounds, 0.8), one_more())
        assert worst == pytest.approx(0.4), "half of epsilon buys tables, the other half chooses them"


def table_l1(one, two):
    return np.abs(one - two).sum()


def mwem_with_choices(data, rounds, epsilon, rng):
    """MWEM that always chooses the first pair: a generator whose uniform numbers are 0."""
    rng.random = lambda size=None: 0.0
    return mwem(data, 2, rounds, 10, epsilon, rng)


def test_the_choice_follows_the_exponential_mechanism_with_its_share():
    records = np.repeat([[0, 0, 0], [1, 1, 0], [1, 1, 1]], [3, 9, 2], axis=0)
    wrong = [table_l1(marginal(records, pair), 14 / 4) for pair in PAIRS]
    assert_chooses_by(
        selection_probabilities(wrong, 1, 1.0 / 4),
        lambda rng: PAIRS.index(next(mwem_rounds(records, 2, 2, 14, 1.0, rng, passes=1)).attributes),
    )


@pytest.mark.parametrize("sizes", [(2, 2, 2, 2), (3, 2, 4)])
def test_the_step_that_is_shown_is_the_step_that_runs(sizes):
    """MWEM once more with `multiplicative_update`, one step after the other, from what its rounds have bought."""
    records = seeded(19).integers(0, sizes, (60, len(sizes)))
    table, bought = np.full(sizes, 50 / math.prod(sizes)), []
    for step in mwem_rounds(records, 2, 4, 50, 2.0, seeded(20), passes=3, sizes=sizes):
        bought.append(step)
        for one in bought * 3:
            table = multiplicative_update(table, one.attributes, one.noisy)
        assert np.allclose(step.table, table, rtol=1e-9)


def test_many_rounds_without_much_noise_find_the_pairs():
    records = (seeded(15).random((400, 5)) < [0.2, 0.5, 0.7, 0.5, 0.1]).astype(int)
    records[:, 3] = records[:, 1]
    table = mwem(records, 2, 40, 400, 1e9, seeded(16), passes=30)
    assert table.min() >= 0 and table.sum() == pytest.approx(400)
    for pair in itertools.combinations(range(5), 2):
        assert np.allclose(project(table, range(5), pair), marginal(records, pair), atol=3)


# Gaussian noise.


@pytest.mark.parametrize("sets", [[(0,)], PAIRS, [(0, 1, 2), (1,), (0, 2)]])
def test_gaussian_tables_lose_epsilon_at_delta(sets):
    """Exactly: of m tables one record moves m cells by 1 each, and the noise is the smallest for a shift of sqrt(m)."""
    spread = gaussian_scale(math.sqrt(len(sets)), 0.7, 1e-6)
    for data, more in one_more():
        moved = [np.subtract(*pair) for pair in zip(marginals(more, sets), marginals(data, sets), strict=True)]
        shift = math.sqrt(sum(np.sum(part**2) for part in moved))
        assert gaussian_delta(shift, spread, 0.7) == pytest.approx(1e-6)
    spy = Spy()
    noisy = gaussian_marginals(THREE, sets, 0.7, 1e-6, spy)
    assert spy.asked("normal", "scale") == [pytest.approx(spread)]
    noise = [np.ravel(table - true) for table, true in zip(noisy, marginals(THREE, sets), strict=True)]
    assert np.allclose(np.concatenate(noise), *spy.gave("normal"))


def test_gaussian_waves_have_the_scales_that_they_say():
    """The normalised noise is what was drawn; every record moves the scaled coefficients by a vector of length 1."""
    scales = fourth_root_scales(3, 2)
    truth = walsh_coefficients(THREE[[0, 3, 5]], 2)
    for record in THREE:
        more = walsh_coefficients(np.vstack([THREE[[0, 3, 5]], record]), 2)
        assert sum(((more[b] - truth[b]) / scales[len(b)]) ** 2 for b in truth) == pytest.approx(1)
    spy = Spy()
    noisy = gaussian_waves(THREE[[0, 3, 5]], 2, 0.7, 1e-6, spy)
    assert spy.asked("normal", "scale") == [pytest.approx(gaussian_scale(1, 0.7, 1e-6))]
    assert np.allclose([(noisy[b] - truth[b]) / scales[len(b)] for b in truth], *spy.gave("normal"))


@pytest.mark.parametrize(("d", "order"), [(3, 1), (5, 2), (6, 3)])
def test_no_matrix_mechanism_beats_the_fourth_roots(d, order):
    """The bound of Li and Miklau, (sum of singular values)^2 / cells, from the workload matrix itself."""
    cells = np.array(list(np.ndindex((2,) * d)))
    rows = [
        (cells[:, list(some)] == values).all(axis=1)
        for some in itertools.combinations(range(d), order)
        for values in np.ndindex((2,) * order)
    ]
    bound = np.linalg.svd(np.array(rows, float), compute_uv=False).sum() ** 2 / 2**d
    assert math.comb(d, order) * gaussian_wave_error(d, order) == pytest.approx(bound)


# Polynomials.


def test_the_least_gammas():
    """A12 and D25: degree k is exact; for k = 4 the least gammas of lower degrees."""
    assert best_polynomial(2, 1).gamma == pytest.approx(1 / 3)
    assert [best_polynomial(4, p).gamma for p in range(5)] == pytest.approx([1, 0.6, 0.2, 1 / 15, 0])
    for order, degree in ((3, 2), (5, 3), (4, 4)):
        values, gamma, differences = best_polynomial(order, degree)
        assert values[0] == pytest.approx(1) and np.abs(values[1:]).max() == pytest.approx(gamma)
        s = np.arange(order + 1)
        newton = sum(np.array([math.comb(n, j) for n in s]) * difference for j, difference in enumerate(differences))
        assert np.allclose(newton, values)


def test_the_polynomials_sensitivity_and_error():
    assert polynomial_sensitivity(16, 2, 1) == pytest.approx(35 / 3)
    assert polynomial_error(16, 2, 2) == pytest.approx(4**2 * fourier_error(16, 2))
    release = polynomial_marginals(np.zeros((0, 32), int), 4, 2, 1.0, seeded())
    assert sum(table.size for table in release.tables.values()) == 1 + 64 + 1984


def test_a_polynomial_of_low_degree_is_biased_by_at_most_gamma():
    records = seeded(17).integers(0, 2, (300, 4))
    release = polynomial_marginals(records, 3, 2, 1e12, seeded())
    off = np.abs(polynomial_table(release, (2, 0, 3)) - marginal(records, (2, 0, 3)))
    assert 1 < off.max() <= best_polynomial(3, 2).gamma * 300


# Bad input.


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: marginal([1, 0], (0,)), "records must be a table"),
        (lambda: marginal([[1, 2]], (0,)), "0 to 1 there"),
        (lambda: marginal([[1, -1]], (0,)), "records"),
        (lambda: marginal([[1, 0.5]], (0,)), "records must be whole"),
        (lambda: marginal([["a", "b"]], (0,)), "records"),
        (lambda: marginal([[1, 0]], (0, 2)), "from 0 to 1"),
        (lambda: marginal([[1, 0]], (0, 0)), "different columns"),
        (lambda: marginal([[1, 0]], 1), "different columns"),
        (lambda: marginal([[1, 2]], (0,), sizes=(2,)), "each of the 2"),
        (lambda: marginal([[1, 2]], (0,), sizes=(2, 2)), "in column 1"),
        (lambda: marginal(np.zeros((2, 21), int), range(21)), "at most 2\\*\\*20 cells"),
        (lambda: flat_table(np.zeros((2, 21), int), 1, seeded()), "20 yes-or-no"),
        (lambda: direct_marginals([[1, 0]], [], 1, seeded()), "at least one set"),
        (lambda: fourier_marginals([[1, 0]], 3, 1, seeded()), "order"),
        (lambda: fourier_marginals([[1, 0]], 1, 1, seeded(), shares=[0.5, 0.5]), "adding up to 1"),
        (lambda: fourier_marginals([[1, 0]], 1, 1, seeded(), shares=[1, 0]), "above 0"),
        (lambda: table_from({(): 5.0}, (0,)), "one for every subset"),
        (lambda: walsh(np.zeros((2, 3))), "yes-or-no"),
        (lambda: nonnegative_table({(): 1.0}, 11), "d must"),
        (lambda: nonnegative_table({(5,): 1.0}, 3), "from 0 to 2"),
        (lambda: project(np.zeros((2, 2)), (0, 1), (2,)), "onto"),
        (lambda: project(np.zeros((2, 2)), (0, 1, 2), (2,)), "one axis"),
        (lambda: table_error([1, 2], [1, 2, 3]), "shape"),
        (lambda: covering_design(5, 6, 2), "order"),
        (lambda: covering_design(5, 3, 4), "strength"),
        (lambda: covers([], 3, 2), "at least one"),
        (lambda: covers([(0, 5)], 3, 2), "views"),
        (lambda: choose_cubes(15, 2), "d must"),
        (lambda: mwem([[1, 0]], 2, 0, 5, 1, seeded()), "rounds"),
        (lambda: mwem([[1, 0]], 2, 1, 0, 1, seeded()), "total"),
        (lambda: mwem([[1, 0]], 3, 1, 5, 1, seeded()), "order"),
        (lambda: mwem(np.zeros((1, 21), int), 2, 1, 5, 1, seeded()), "2\\*\\*20"),
        (lambda: mwem([[1, 0]], 2, 1, 5, 1, seeded(), passes=0), "passes"),
        (lambda: multiplicative_update(np.ones((2, 2)), (0,), [1, 2, 3]), "wanted"),
        (lambda: multiplicative_update(np.zeros((2, 2)), (0,), [1, 2]), "total"),
        (lambda: best_polynomial(3, 4), "degree"),
        (lambda: polynomial_marginals([[1, 0]], 3, 1, 1, seeded()), "order"),
        (lambda: polynomial_table(polynomial_marginals([[1, 0]], 2, 1, 1, seeded()), (0,)), "2 of the released"),
        (lambda: flat_error(3, 4), "order"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_many_tables_in_one_call_are_those_of_many_calls():
    records = seeded(18).integers(0, 2, (50, 4))
    for table, pair in zip(marginals(records, [(0, 3), (2, 1)]), [(0, 3), (2, 1)], strict=True):
        assert np.array_equal(table, marginal(records, pair))
