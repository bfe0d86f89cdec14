"""Compressed sensing mechanism on tables (source 001): sensitivity, noise law, exact loss, rebuilding, rivals, queries.

Neighbours are tables that differ by one unit in one cell (add/remove), unless a test says replace.
"""

import inspect
import math

import numpy as np
import pytest
from scipy import stats

from dpbook import sensing
from dpbook.claims.losses import loss_from_noise
from dpbook.sensing import (
    answer_counting,
    answer_ranges,
    column_sums,
    compressed_sensing_mechanism,
    counting_queries,
    dictionary,
    gaussian_operator,
    measurement_loss,
    range_queries,
    rebuild,
    sense,
    sensing_sensitivity,
    spike_basis,
    theorem_2_claim,
)
from dpbook.sparse import bernoulli_operator, cosamp, cosine_basis, generalised_omp, haar_basis, hadamard_operator
from tests.alarms import FALSE_ALARM, assert_counts
from tests.generators import Spy
from tests.refusals import NO_GENERATOR, NOT_POSITIVE, assert_refuses

OPERATORS = [bernoulli_operator, hadamard_operator, gaussian_operator]


def matrix_of(operator):
    return np.column_stack([operator @ unit for unit in np.eye(operator.shape[1])])


def sparse_table(atoms, sparsity, columns, rng, size=100.0):
    weights = np.zeros((atoms.n, columns))
    for i in range(columns):
        weights[rng.choice(atoms.n, sparsity, replace=False), i] = size * rng.choice([-1, 1], sparsity)
    return np.column_stack([atoms.inverse(column) for column in weights.T])


# Sensitivity: of the matrix that was drawn


@pytest.mark.parametrize("make", OPERATORS)
@pytest.mark.parametrize(("k", "d"), [(1, 4), (7, 20), (33, 64)])
def test_column_sums_are_the_l1_norms_of_the_columns(make, k, d):
    operator = make(k, d, np.random.default_rng(k))
    norms = np.abs(matrix_of(operator)).sum(axis=0)
    np.testing.assert_allclose(column_sums(operator), norms, rtol=1e-12)
    np.testing.assert_allclose(column_sums(matrix_of(operator)), norms, rtol=1e-12)
    assert sensing_sensitivity(operator) == pytest.approx(norms.max(), rel=1e-12)
    assert sensing_sensitivity(operator, record_bound=2) == pytest.approx(2 * norms.max(), rel=1e-12)


def test_gaussian_entries_are_normal_with_variance_one_over_k():
    entries = matrix_of(gaussian_operator(50, 80, np.random.default_rng(3))).ravel()
    assert stats.kstest(entries, stats.norm(scale=math.sqrt(1 / 50)).cdf).pvalue > FALSE_ALARM
    size, law = 50 * np.sum(entries**2), stats.chi2(entries.size)
    assert 2 * min(law.cdf(size), law.sf(size)) > FALSE_ALARM
    assert law.cdf(size / 1.1**2) < FALSE_ALARM  # a tenth too much would be refused


# Theorem 2


def test_the_claim_of_theorem_2_depends_on_the_unit_and_the_loss_does_not():
    operator = hadamard_operator(16, 64, np.random.default_rng(5))
    in_records, in_dozens = measurement_loss(operator, 4), measurement_loss(operator, 4 / 12, record_bound=1 / 12)
    assert in_records == pytest.approx(in_dozens) == pytest.approx(1)
    assert theorem_2_claim(4 / 12, 0.25) == pytest.approx(12 * theorem_2_claim(4, 0.25))
    assert theorem_2_claim(10, 1) == pytest.approx(0.2)


# Noise law and exact loss


@pytest.mark.parametrize("make", OPERATORS)
def test_noise_is_laplace_of_scale_realised_sensitivity_over_epsilon(make):
    rng, spy = np.random.default_rng(6), Spy(6)
    table, operator = rng.poisson(20, size=(64, 9)), make(50, 64, rng)
    noise = sense(table, operator, 0.5, spy) - matrix_of(operator) @ table
    assert spy.asked("laplace", "scale") == [pytest.approx(np.abs(matrix_of(operator)).sum(axis=0).max() / 0.5)]
    np.testing.assert_allclose(noise, *spy.gave("laplace"), atol=1e-9)


@pytest.mark.parametrize("make", OPERATORS)
@pytest.mark.parametrize("bound", [1, 2])
def test_exact_loss_over_all_neighbours_is_at_most_epsilon_and_reached(make, bound):
    """bound 1: one unit more in one cell (add/remove); bound 2: moved to a cell of another column (replace).

    For independent Laplace noise the largest log ratio of any event is the L1 distance over the scale, reached where
    every measurement lies beyond both centres."""
    epsilon, rng = 0.7, np.random.default_rng(7)
    operator = make(9, 12, rng)
    pairs, table = [], np.full((12, 2), 3.0)
    for j in range(12):
        for other in range(12) if bound == 2 else [None]:
            moved = table.copy()
            moved[j, 0] += 1
            if other is not None:
                moved[other, 1] -= 1
            pairs.append((table, moved))
    worst = loss_from_noise(lambda data, rng: sense(data, operator, epsilon, rng, record_bound=bound), pairs)
    assert worst == pytest.approx(epsilon, rel=1e-9)


def test_one_column_may_come_as_a_list_of_numbers():
    operator, column = hadamard_operator(8, 16, np.random.default_rng(10)), np.arange(16.0)
    flat = sense(column, operator, 1.0, np.random.default_rng(2))
    assert flat.shape == (8,)
    np.testing.assert_array_equal(flat, sense(column[:, None], operator, 1.0, np.random.default_rng(2))[:, 0])
    atoms = dictionary(haar_basis(16))
    np.testing.assert_allclose(
        rebuild(flat, operator, atoms, 3, 0.0), rebuild(flat[:, None], operator, atoms, 3, 0.0)[:, 0]
    )


# Dictionaries and rebuilding


@pytest.mark.parametrize("bases", [(haar_basis,), (spike_basis,), (haar_basis, spike_basis), (cosine_basis,) * 2])
def test_dictionary_is_its_atoms(bases):
    atoms = dictionary(*(make(16) for make in bases))
    assert (atoms.bins, atoms.n) == (16, 16 * len(bases))
    matrix = np.zeros((16, atoms.n))
    for i in range(atoms.n):
        values, start = atoms.atom(i)
        matrix[start : start + len(values), i] = values
    rng = np.random.default_rng(11)
    data, weights = rng.normal(size=16), rng.normal(size=atoms.n)
    np.testing.assert_allclose(atoms.forward(data), matrix.T @ data, atol=1e-12)
    np.testing.assert_allclose(atoms.inverse(weights), matrix @ weights, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(matrix, axis=0), 1)
    if len(bases) == 1:
        np.testing.assert_allclose(atoms.inverse(atoms.forward(data)), data, atol=1e-12)


@pytest.mark.parametrize("make", OPERATORS)
@pytest.mark.parametrize("bases", [(haar_basis,), (spike_basis,), (haar_basis, spike_basis)])
@pytest.mark.parametrize("method", [generalised_omp, cosamp])
def test_sparse_columns_come_back_exactly_without_noise(make, bases, method):
    """Of 60 columns of 20 operators. Of two bases whose atoms resemble each other up to 1 in 14 is greedily misread.

    With one basis at most 1 table in 500 is. Three tables of one basis, or 20 columns of two, may fail: false alarms
    below 1e-6.
    """
    rng, exact = np.random.default_rng(12), []
    for _ in range(20):
        atoms, operator = dictionary(*(m(128) for m in bases)), make(60, 128, rng)
        table = sparse_table(atoms, 4, 3, rng)
        found = rebuild(operator_times(operator, table), operator, atoms, 4, 0.0, method)
        exact.append(np.abs(found - table).max(axis=0) < 1e-6)
    assert np.sum(exact) >= (51 if len(bases) == 1 else 40)


def operator_times(operator, table):
    return np.column_stack([operator @ column for column in table.T])


def test_the_mechanism_is_sense_then_rebuild_and_leaves_the_table_alone():
    rng = np.random.default_rng(14)
    table, operator = rng.poisson(9, (32, 2)), gaussian_operator(20, 32, rng)
    before, atoms = table.copy(), dictionary(haar_basis(32))
    released = compressed_sensing_mechanism(table, operator, atoms, 4, 0.8, np.random.default_rng(1), record_bound=2)
    noisy = sense(table, operator, 0.8, np.random.default_rng(1), record_bound=2)
    scale = sensing_sensitivity(operator, 2) / 0.8
    np.testing.assert_array_equal(released, rebuild(noisy, operator, atoms, 4, scale))
    np.testing.assert_array_equal(table, before)


def test_a_column_uses_no_more_atoms_than_allowed_and_none_for_noise_alone():
    rng = np.random.default_rng(15)
    operator, atoms = hadamard_operator(32, 64, rng), dictionary(spike_basis(64))
    found = rebuild(rng.laplace(size=(32, 5)), operator, atoms, 3, 0.0)
    assert np.all(np.count_nonzero(found, axis=0) == 3)
    quiet = rebuild(rng.laplace(size=(32, 5)), operator, atoms, 3, 3.0)  # a third of the noise that is expected
    assert not np.any(quiet)


def test_squared_error_of_the_right_atoms_is_s_times_the_ratio_of_that_of_laplace():
    """2 S k / eps^2 against 2 d / eps^2. 200 releases; standard error of the mean about 4 %, allowed 30 %."""
    d, k, S, rng = 256, 128, 3, np.random.default_rng(16)
    atoms, operator = dictionary(haar_basis(d)), hadamard_operator(k, d, rng)
    column = sparse_table(atoms, S, 1, rng, size=1e7)[:, 0]
    noisy = sense(np.repeat(column[:, None], 200, axis=1), operator, 1.0, rng)
    found = rebuild(noisy, operator, atoms, S, math.sqrt(k))
    squared = np.mean(np.sum((found - column[:, None]) ** 2, axis=0))
    assert squared / (2 * d) == pytest.approx(S * k / d, rel=0.3)


def test_erratum_b32_measuring_the_weights_is_another_sensitivity():
    """Algorithm 1 line 2 multiplies X by Psi, equation (5) D: max_j ||Psi Phi^T e_j||_1 is not max_j ||Psi_j||_1."""
    psi, haar = bernoulli_operator(2, 256, np.random.default_rng(14)), haar_basis(256)
    moves = [np.abs(psi @ haar.forward(unit)).sum() for unit in np.eye(256)]
    assert max(moves) > 1.3 * sensing_sensitivity(psi)


def test_erratum_b32_one_column_for_each_record_costs_two_sqrt_n():
    """Local: n noisy columns, each for any record replaced by any; summed, against one noisy table (add/remove)."""
    n, operator, rng = 400, hadamard_operator(16, 64, np.random.default_rng(18)), np.random.default_rng(19)
    local = sense(np.zeros((64, n)), operator, 1.0, rng, record_bound=2)
    batches = [sense(np.zeros((64, n)), operator, 1.0, rng, record_bound=2).sum(axis=1) for _ in range(40)]
    central = math.sqrt(2) * sensing_sensitivity(operator)
    assert np.std(local) == pytest.approx(2 * central, rel=0.1)
    assert np.std(batches) == pytest.approx(2 * math.sqrt(n) * central, rel=0.2)  # 640 draws, 7 standard errors


def test_rebuilding_is_told_the_root_mean_square_length_of_the_noise_in_a_column():
    told, operator = [], hadamard_operator(50, 64, np.random.default_rng(25))

    def method(samples, operator, atoms, sparsity, noise):
        told.append(noise)
        return np.zeros(atoms.n)

    rebuild(np.zeros((50, 2)), operator, dictionary(haar_basis(64)), 3, 4.0, method)
    assert told == [4.0 * math.sqrt(2 * 50)] * 2


# Queries


def test_range_answers_are_the_sums_of_their_rows():
    rng = np.random.default_rng(22)
    table, queries = rng.normal(size=(20, 3)), range_queries(300, (20, 3), rng)
    slow = [table[left:right, column].sum() for left, right, column in zip(*queries, strict=True)]
    np.testing.assert_allclose(answer_ranges(table, queries), slow, atol=1e-12)


def test_counting_answers_are_the_sums_of_the_rows_counted():
    rng = np.random.default_rng(23)
    table, (weights, column) = rng.normal(size=(20, 3)), counting_queries(1300, (20, 3), rng)
    slow = [table[chosen, i].sum() for chosen, i in zip(weights, column, strict=True)]
    np.testing.assert_allclose(answer_counting(table, (weights, column)), slow, atol=1e-12)


def test_range_ends_and_columns_are_uniform():
    left, right, column = range_queries(60_000, (10, 4), np.random.default_rng(24))
    lengths = np.bincount(right - left, minlength=11)[1:]
    expected = np.array([1 if length == 1 else 2 for length in range(1, 11)]) * np.arange(10, 0, -1) / 100
    assert_counts(lengths, expected, np.full(10, 0.1))
    assert_counts(np.bincount(column, minlength=4), np.full(4, 0.25), [0.27, 0.25, 0.25, 0.23])
    assert left.min() == 0 and right.max() == 10
    assert [part.tolist() for part in range_queries(2, (1, 1), np.random.default_rng(24))] == [[0, 0], [1, 1], [0, 0]]


def test_counting_queries_are_fair_coins():
    weights, _ = counting_queries(5000, (16, 2), np.random.default_rng(25))
    assert weights.dtype == bool
    assert abs(weights.mean() - 0.5) < 5 / math.sqrt(4 * weights.size)  # false alarm below 1e-6


def test_mean_squared_errors_of_random_queries_have_their_closed_forms():
    """One release of Laplace noise: (sum^2 + sum of squares) / 4 for coins, (d^2 - 1) / 3d + 1 rows for ranges."""
    rng, d = np.random.default_rng(26), 64
    error = rng.laplace(size=(d, 300))
    counted = np.mean(answer_counting(error, counting_queries(10_000, error.shape, rng)) ** 2)
    assert counted == pytest.approx(np.mean(error.sum(axis=0) ** 2 + (error**2).sum(axis=0)) / 4, rel=0.1)
    ranged = np.mean(answer_ranges(error, range_queries(10_000, error.shape, rng)) ** 2)
    assert ranged == pytest.approx(2 * ((d * d - 1) / (3 * d) + 1), rel=0.25)


# Bad input

RNG, TABLE = np.random.default_rng(0), np.ones((16, 2))
PSI, ATOMS = hadamard_operator(8, 16, np.random.default_rng(0)), dictionary(haar_basis(16))
NOISY = np.zeros((8, 2))
ONE = np.ones((1, 16), dtype=bool)
RANGES, COUNTED = range_queries(3, (16, 2), RNG), counting_queries(3, (16, 2), RNG)
BEYOND_RANGES = [*(range_queries(50, shape, RNG) for shape in ((20, 2), (16, 5))), ([0], [2], [-1]), ([0], [2], [2])]
BEYOND_COUNTED = [*(counting_queries(50, shape, RNG) for shape in ((20, 2), (16, 5))), (ONE, [-1]), (ONE, [2])]
NO_TABLE = (TABLE[1:], np.full((16, 2), np.nan), np.zeros((16, 0)), np.zeros((16, 2, 2)))
NO_SPARSITY = (0, 17, 2.5)
ASKED = {"count": (0, 1.5), "shape": ((4,), (4, 0), 4), "rng": NO_GENERATOR}
REFUSED = [
    (spike_basis, (1,), {"n": (0,)}),
    (gaussian_operator, (4, 4, RNG), {"k": (0,), "n": (1.5,), "rng": NO_GENERATOR}),
    (lambda matrix: column_sums(matrix), (TABLE,), {"matrix": (np.zeros(3),)}),
    (sensing_sensitivity, (PSI,), {"record_bound": NOT_POSITIVE}),
    (measurement_loss, (PSI, 1), {"scale": NOT_POSITIVE, "record_bound": NOT_POSITIVE}),
    (theorem_2_claim, (1, 0.5), {"ratio": (1.5, 0), "sensitivity": NOT_POSITIVE}),
    (sense, (TABLE, PSI, 1, RNG), {"table": NO_TABLE, "record_bound": NOT_POSITIVE}),
    (
        rebuild,
        (NOISY, PSI, ATOMS, 2, 1),
        {
            "measurements": (NOISY[1:], NOISY + np.inf),
            "atoms": (dictionary(haar_basis(8)), haar_basis(16)),
            "sparsity": NO_SPARSITY,
            "noise_scale": (-1,),
        },
    ),
    (compressed_sensing_mechanism, (TABLE, PSI, ATOMS, 2, 1, RNG), {"table": NO_TABLE, "sparsity": NO_SPARSITY}),
    (range_queries, (5, (4, 2), RNG), ASKED),
    (counting_queries, (5, (4, 2), RNG), ASKED),
    (answer_ranges, (TABLE, RANGES), {"table": (np.ones(16),), "queries": BEYOND_RANGES}),
    (answer_counting, (TABLE, COUNTED), {"table": (np.ones(16),), "queries": BEYOND_COUNTED}),
]


@pytest.mark.parametrize(("function", "good", "refused"), REFUSED)
def test_bad_input_is_refused_by_name(function, good, refused):
    assert_refuses(function, good, refused)


@pytest.mark.parametrize("bases", [(), (haar_basis(8), haar_basis(16)), (np.eye(4),)])
def test_what_makes_no_dictionary_is_refused(bases):
    with pytest.raises(ValueError, match=r"^bases must be"):
        dictionary(*bases)


def test_every_public_function_says_where_it_comes_from():
    public = [thing for name, thing in vars(sensing).items() if getattr(thing, "__module__", "") == sensing.__name__]
    named = [thing for thing in public if not thing.__name__.startswith("_")]
    assert len(named) >= 15
    for thing in named:
        text = inspect.getdoc(thing)
        assert "Source" in text and "18_sensing" in text, thing.__name__
