"""Compressive mechanism (source 000): bases, operators, reconstruction, noise law, exact loss, choice of S.

Neighbours are data at L1 distance at most 1, one unit more or less in one bin (add/remove), unless a test says replace.
"""

import functools
import inspect
import math
import tracemalloc

import numpy as np
import pytest
import pywt

from dpbook import compressive, sparse
from dpbook.compressive import choose_sparsity, compressive_mechanism, denoised_error_bound, error_bound, expected_error
from dpbook.exponential import selection_probabilities
from dpbook.laplace import laplace_mechanism
from dpbook.sparse import (
    basis_pursuit,
    bernoulli_operator,
    cosamp,
    cosine_basis,
    generalised_omp,
    haar_basis,
    hadamard_operator,
    keep_largest,
    matrix_operator,
    measurements,
    noise_length,
    pad_to_power_of_two,
    plain_hadamard_matrix,
    reconstruct,
)
from tests.generators import Spy, assert_chooses_by
from tests.refusals import NO_GENERATOR, NOT_POSITIVE, assert_refuses

BASES = [
    (haar_basis, 2),
    (haar_basis, 64),
    (cosine_basis, 2),
    (cosine_basis, 3),
    (cosine_basis, 45),
    (cosine_basis, 64),
]
OPERATORS = [bernoulli_operator, hadamard_operator]
METHODS = [generalised_omp, cosamp, basis_pursuit]


def matrix_of(operator):
    return np.column_stack([operator @ unit for unit in np.eye(operator.shape[1])])


def sparse_data(basis, sparsity, rng, flat, size=1.0):
    coefficients = np.zeros(basis.n)
    signs = rng.choice([-1.0, 1.0], sparsity)
    sizes = np.ones(sparsity) if flat else 0.1 + np.abs(rng.normal(size=sparsity))
    coefficients[rng.choice(basis.n, sparsity, replace=False)] = size * signs * sizes
    return basis.inverse(coefficients)


# Bases


@pytest.mark.parametrize(("make", "n"), BASES)
def test_basis_is_orthonormal_and_its_atoms_and_spread_are_those_of_its_matrix(make, n):
    basis = make(n)
    rows = np.column_stack([basis.forward(unit) for unit in np.eye(n)])  # row i holds atom i
    np.testing.assert_allclose(rows @ rows.T, np.eye(n), atol=1e-12)
    np.testing.assert_allclose(np.abs(rows).sum(axis=0).max(), basis.spread, rtol=1e-12)
    for i in range(n):
        values, start = basis.atom(i)
        atom = np.zeros(n)
        atom[start : start + len(values)] = values
        np.testing.assert_allclose(atom, rows[i], atol=1e-12)


@pytest.mark.parametrize(("make", "n"), [(haar_basis, 65_536), (cosine_basis, 65_536), (cosine_basis, 7_865)])
def test_inverse_undoes_forward_and_lengths_are_kept_at_full_size(make, n):
    data = np.random.default_rng(1).normal(size=n)
    basis = make(n)
    coefficients = basis.forward(data)
    np.testing.assert_allclose(np.linalg.norm(coefficients), np.linalg.norm(data), rtol=1e-12)
    np.testing.assert_allclose(basis.inverse(coefficients), data, atol=1e-10)


def test_haar_basis_agrees_with_pywavelets():
    data = np.random.default_rng(2).normal(size=1024)
    expected = np.concatenate(pywt.wavedec(data, "haar", mode="periodization"))
    np.testing.assert_allclose(haar_basis(1024).forward(data), expected, atol=1e-12)


def test_erratum_a20_the_constant_c5_is_constant_for_haar_and_grows_like_sqrt_n_for_cosines():
    assert all(haar_basis(2**j).spread < 1 + math.sqrt(2) for j in range(1, 20))
    assert haar_basis(2**19).spread > 2.41
    assert cosine_basis(1024).spread == pytest.approx(28.82, abs=0.005)
    assert cosine_basis(65_536).spread == pytest.approx(2 * math.sqrt(2) / math.pi * 256, rel=0.002)


def test_no_bin_of_the_cosine_basis_spreads_further_than_the_first():
    for n in range(2, 130):  # even, odd, prime and composite: the sums over a bin depend on its common factors with n
        basis = cosine_basis(n)
        columns = np.column_stack([basis.forward(unit) for unit in np.eye(n)])
        assert np.abs(columns).sum(axis=0).max() == pytest.approx(basis.spread, rel=1e-12)


def test_padding_adds_empty_bins_up_to_a_power_of_two():
    assert pad_to_power_of_two([3, 1, 2]).tolist() == [3, 1, 2, 0]
    assert pad_to_power_of_two([3, 1]).tolist() == [3, 1]
    assert pad_to_power_of_two([3]).tolist() == [3, 0]
    assert pad_to_power_of_two(np.ones(11_342)).shape == (16_384,)


@pytest.mark.parametrize("make", [haar_basis, cosine_basis])
def test_keep_largest_is_the_best_approximation_with_that_many_atoms(make):
    basis = make(64)
    data = np.random.default_rng(3).normal(size=64)
    sizes = np.sort(np.abs(basis.forward(data)))
    for sparsity in (1, 5, 63, 64):
        lost = np.linalg.norm(data - keep_largest(data, basis, sparsity))
        assert lost == pytest.approx(np.linalg.norm(sizes[: 64 - sparsity]), abs=1e-12)


# Operators


@pytest.mark.parametrize("make", OPERATORS)
@pytest.mark.parametrize(("k", "n"), [(1, 1), (1, 5), (5, 5), (8, 64), (13, 40), (20, 333), (33, 64)])
def test_operator_is_a_matrix_of_signs_over_sqrt_k(make, k, n):
    operator = make(k, n, np.random.default_rng(k))
    matrix = matrix_of(operator)
    assert matrix.shape == operator.shape == (k, n)
    np.testing.assert_allclose(np.abs(matrix) * math.sqrt(k), 1, rtol=1e-12)
    np.testing.assert_allclose(np.abs(matrix).sum(axis=0), math.sqrt(k), rtol=1e-12)  # the sensitivity
    np.testing.assert_allclose(np.column_stack([operator.T @ unit for unit in np.eye(k)]), matrix.T, atol=1e-12)
    assert operator.T.shape == (n, k)


@pytest.mark.parametrize("make", OPERATORS)
def test_operator_on_part_of_the_bins_is_that_part_of_the_matrix(make):
    rng = np.random.default_rng(4)
    operator = make(13, 100, rng)
    matrix = matrix_of(operator)
    for start, stop in ((0, 100), (0, 1), (15, 17), (16, 32), (7, 93), (99, 100)):
        values = rng.normal(size=stop - start)
        np.testing.assert_allclose(operator.forward(values, start), matrix[:, start:stop] @ values, atol=1e-12)


@pytest.mark.parametrize("make", OPERATORS)
def test_operator_is_adjoint_and_nearly_isometric_at_full_size(make):
    rng = np.random.default_rng(5)
    operator = make(777, 65_536, rng)
    data, samples = rng.normal(size=65_536), rng.normal(size=777)
    assert samples @ (operator @ data) == pytest.approx(data @ (operator.T @ samples), rel=1e-9)
    assert np.linalg.norm(operator @ data) / np.linalg.norm(data) == pytest.approx(1, abs=0.15)  # 6 standard deviations


@pytest.mark.parametrize(("make", "most"), [(bernoulli_operator, 20e6), (hadamard_operator, 8e6)])
def test_operator_never_holds_the_matrix(make, most):
    tracemalloc.start()
    operator = make(777, 65_536, np.random.default_rng(6))
    operator.T @ (operator @ np.ones(65_536))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < most < 777 * 65_536 * 8 / 20  # bytes; the matrix of floats has 407 million


def test_bernoulli_signs_are_fair_and_independent_of_one_another():
    matrix = matrix_of(bernoulli_operator(64, 400, np.random.default_rng(7))) * 8
    assert abs(matrix.sum()) < 5 * math.sqrt(matrix.size)  # false alarm below 1e-6
    between = (matrix.T @ matrix)[np.triu_indices(400, 1)] / 8  # sums of 64 products of signs, in standard deviations
    assert between.var() == pytest.approx(1, abs=0.03)  # 79,800 pairs, standard error 0.005
    assert np.abs(matrix.sum(axis=1)).max() < 6 * 20


@pytest.mark.parametrize(
    ("k", "n"), [(1, 1), (1, 5), (2, 2), (2, 3), (3, 3), (4, 8), (5, 8), (5, 21), (8, 64), (33, 100), (64, 64)]
)
def test_the_matrix_that_is_shown_is_the_one_that_is_multiplied_by(k, n):
    for seed in range(5):
        matrix = plain_hadamard_matrix(k, n, np.random.default_rng(seed))
        operator = hadamard_operator(k, n, np.random.default_rng(seed))
        assert matrix.shape == operator.shape and np.allclose(np.abs(matrix), 1 / math.sqrt(k), rtol=1e-15)
        np.testing.assert_allclose(matrix_of(operator), matrix, rtol=1e-14)
        np.testing.assert_allclose(np.column_stack([operator.T @ unit for unit in np.eye(k)]), matrix.T, rtol=1e-14)


def test_hadamard_rows_are_orthogonal_and_columns_of_different_blocks_are_not_alike():
    matrix = matrix_of(hadamard_operator(50, 256, np.random.default_rng(8)))
    np.testing.assert_allclose(matrix @ matrix.T, 256 / 50 * np.eye(50), atol=1e-9)
    inner = np.abs(matrix.T @ matrix - np.eye(256))
    assert inner.max() < 0.9  # no two bins look the same to the samples
    assert inner[:64, :64].std() < inner[:64, 64:].std() * 1.2


def test_operators_are_the_same_for_the_same_seed_and_different_for_another():
    data = np.arange(100.0)
    for make in OPERATORS:
        first, again, other = (make(9, 100, np.random.default_rng(seed)) @ data for seed in (1, 1, 2))
        assert np.array_equal(first, again)
        assert not np.allclose(first, other)


# Reconstruction


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make_operator", OPERATORS)
@pytest.mark.parametrize(("basis", "sparsity"), [(haar_basis(512), 8), (cosine_basis(300), 6)])
@pytest.mark.parametrize("flat", [True, False], ids=["flat", "random"])
def test_sparse_data_come_back_exactly_from_noiseless_samples(method, make_operator, basis, sparsity, flat):
    k = measurements(sparsity, basis.n, 2.5)
    for seed in range(2):
        rng = np.random.default_rng(seed)
        data = sparse_data(basis, sparsity, rng, flat)
        operator = make_operator(k, basis.n, rng)
        estimate = reconstruct(operator @ data, operator, basis, sparsity, method)
        np.testing.assert_allclose(estimate, data, atol=1e-8)


@pytest.mark.parametrize("flat", [True, False], ids=["flat", "random"])
def test_full_size_data_come_back_exactly_from_777_samples(flat):
    basis, rng = haar_basis(65_536), np.random.default_rng(9)
    data = sparse_data(basis, 50, rng, flat)
    k = measurements(50, basis.n, 1.5)
    assert k == 777
    operator = hadamard_operator(k, basis.n, rng)
    np.testing.assert_allclose(reconstruct(operator @ data, operator, basis, 50, generalised_omp), data, atol=1e-9)


def test_generalised_omp_recovers_flat_signals_on_which_plain_omp_fails():
    plain = functools.partial(generalised_omp, atoms_a_pass=1, over_run=1)
    basis, exact = haar_basis(1024), {plain: 0, generalised_omp: 0}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        data = sparse_data(basis, 30, rng, flat=True)
        operator = hadamard_operator(measurements(30, 1024, 1.5), 1024, rng)
        for method in exact:
            exact[method] += np.allclose(reconstruct(operator @ data, operator, basis, 30, method), data, atol=1e-6)
    assert exact[generalised_omp] == 20
    assert exact[plain] < 20


def test_basis_pursuit_takes_the_passes_it_needs_where_samples_are_few():
    """60 samples of 20 among 128: the passes that it has by default find all of 5 signals, 60 passes fewer."""
    basis, hasty = haar_basis(128), functools.partial(basis_pursuit, passes=60)
    exact = {basis_pursuit: 0, hasty: 0}
    for seed in range(5):
        rng, coefficients = np.random.default_rng(seed), np.zeros(128)
        coefficients[rng.choice(128, 20, replace=False)] = rng.normal(size=20) * 10
        data, operator = basis.inverse(coefficients), bernoulli_operator(60, 128, rng)
        for method in exact:
            exact[method] += np.allclose(reconstruct(operator @ data, operator, basis, 20, method), data, atol=1e-6)
    assert exact[basis_pursuit] >= exact[hasty] + 2  # fixed seeds


@pytest.mark.parametrize("method", METHODS)
def test_at_most_sparsity_coefficients_come_back_and_none_for_silent_samples(method):
    basis, rng = haar_basis(128), np.random.default_rng(10)
    operator = hadamard_operator(40, 128, rng)
    noise = rng.normal(size=40)
    assert np.count_nonzero(method(noise, operator, basis, 7)) == 7
    assert not np.any(reconstruct(np.zeros(40), operator, basis, 7, method))
    assert not np.any(reconstruct(noise, operator, basis, 7, method, noise=2 * np.linalg.norm(noise)))


@pytest.mark.parametrize("method", METHODS)
def test_methods_leave_alone_what_the_noise_explains(method):
    """Three large coefficients, noise of known length: allowing for it must not lose them, and must keep less noise."""
    basis, rng = haar_basis(1024), np.random.default_rng(11)
    data = sparse_data(basis, 3, rng, flat=True, size=1e4)
    operator = hadamard_operator(200, 1024, rng)
    samples = operator @ data + rng.normal(size=200)
    wary, greedy = (reconstruct(samples, operator, basis, 20, method, noise) for noise in (math.sqrt(200), 0.0))
    assert np.linalg.norm(wary - data) < 0.001 * np.linalg.norm(data)
    assert np.linalg.norm(wary - data) <= np.linalg.norm(greedy - data) * (1 + 1e-9)


def test_a_plain_array_serves_as_operator():
    matrix = np.array([[1.0, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]]) / math.sqrt(3)
    data = np.array([2.0, 2, 2, 2])
    estimate = reconstruct(matrix @ data, matrix, haar_basis(4), 1, generalised_omp)
    np.testing.assert_allclose(estimate, data)
    np.testing.assert_allclose(matrix_of(matrix_operator(matrix)), matrix)


@pytest.mark.parametrize("method", [generalised_omp, cosamp])
def test_of_atoms_that_look_alike_the_first_is_taken_however_a_processor_rounds(method):
    columns = np.array([[1, 0, 1, 0], [2, 0, 2, 0.5], [0, 1, 0, 0.25]])
    atoms = np.array([haar_basis(4).inverse(one) for one in np.eye(4)])
    for alike in (0, 2):  # which of the two equal columns, 0 and 2, rounding favours
        rounded = columns.copy()
        rounded[:, alike] *= 1 + 1e-14
        found = method(columns[:, 0], matrix_operator(rounded @ atoms), haar_basis(4), 1)
        assert np.flatnonzero(found).tolist() == [0]


@pytest.mark.parametrize("method", [generalised_omp, cosamp])
def test_atoms_that_look_the_same_to_few_samples_do_not_blow_each_other_up(method):
    """512 atoms in 8 samples: many are equal or opposite but for rounding, and least squares must not notice."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        operator = hadamard_operator(8, 512, rng)
        assert np.abs(reconstruct(rng.normal(size=8), operator, haar_basis(512), 2, method)).max() < 1e3


# The mechanism: noise law, exact loss


def listening(heard):
    """A stand-in for a reconstruction method: keeps the samples and the operator that the mechanism hands over."""

    def method(samples, operator, basis, sparsity, noise):
        heard.append((samples, operator, noise))
        return np.zeros(basis.n)

    return method


@pytest.mark.parametrize("make_operator", OPERATORS)
def test_noise_on_the_samples_is_laplace_of_scale_sqrt_k_over_epsilon(make_operator):
    spy, heard, data = Spy(12), [], np.random.default_rng(12).poisson(30, size=2048)
    compressive_mechanism(data, haar_basis(2048), 60, 0.5, spy, operator=make_operator, method=listening(heard))
    k, [(samples, operator, noise)] = measurements(60, 2048, 1.5), heard
    assert spy.asked("laplace", "scale") == [math.sqrt(k) / 0.5]
    np.testing.assert_allclose(samples - operator @ data, *spy.gave("laplace"), atol=1e-9)
    assert noise == noise_length(k, 0.5) == pytest.approx(math.sqrt(2) * k / 0.5)


def test_same_seed_same_estimate_of_full_length_and_the_data_stay_as_they_were():
    data = np.random.default_rng(15).poisson(5, size=256)
    before = data.copy()
    first, again = (compressive_mechanism(data, haar_basis(256), 9, 1.0, np.random.default_rng(1)) for _ in range(2))
    assert first.shape == (256,) and np.array_equal(first, again)
    assert np.array_equal(data, before)


@pytest.mark.parametrize("make_operator", OPERATORS)
def test_replacing_a_record_can_cost_up_to_two_epsilon(make_operator):
    matrix = matrix_of(make_operator(6, 60, np.random.default_rng(18)))
    moved = np.abs(matrix[:, :, None] - matrix[:, None, :]).sum(axis=0)  # L1 distance of the samples, per pair of bins
    assert moved.max() / math.sqrt(6) == pytest.approx(2)  # some pair of bins has opposite columns
    assert moved.max() <= 2 * math.sqrt(6) * (1 + 1e-12)


def test_the_estimate_is_post_processing_data_with_the_same_samples_get_the_same_estimate():
    basis, seed = haar_basis(64), 19
    heard, data = [], np.random.default_rng(20).normal(size=64) * 50
    compressive_mechanism(data, basis, 4, 1.0, np.random.default_rng(seed), method=listening(heard))
    invisible = np.linalg.svd(matrix_of(heard[0][1]))[2][-1] * 1000  # the operator sends this to 0
    estimates = [compressive_mechanism(d, basis, 4, 1.0, np.random.default_rng(seed)) for d in (data, data + invisible)]
    np.testing.assert_allclose(estimates[0], estimates[1], atol=1e-6)
    assert np.linalg.norm(invisible) > 999


def test_error_is_that_of_noise_on_the_right_coefficients_and_beats_laplace_only_if_s_k_is_below_n():
    """Large coefficients, so the support is found: error sqrt(2 S k) / epsilon against sqrt(2 n) / epsilon."""
    n, rng = 4096, np.random.default_rng(21)
    basis = haar_basis(n)
    for sparsity in (5, 40):
        k = measurements(sparsity, n, 2.5)
        data = sparse_data(basis, sparsity, rng, flat=True, size=1e6)
        estimates = [compressive_mechanism(data, basis, sparsity, 1.0, rng, constant=2.5) for _ in range(30)]
        errors = np.linalg.norm(np.subtract(estimates, data), axis=1)
        typical, plain = np.sqrt(np.mean(np.square(errors))), math.sqrt(2 * n)
        assert typical == pytest.approx(math.sqrt(2 * sparsity * k), rel=0.25)
        assert (typical < plain) == (sparsity * k < n)


@pytest.mark.parametrize("make", [haar_basis, cosine_basis])
def test_theorem_16_8_bounds_the_error_of_the_denoised_laplace_histogram(make):
    """Sparse and dense data, also where coefficients drown. 400 releases, beta 1e-9 each: false alarm 4e-7."""
    basis, rng = make(512), np.random.default_rng(41)
    sparse = sparse_data(basis, 8, rng, flat=True, size=30)  # as large as the noise: wrong ones are kept
    for data in (sparse, 1e4 * sparse, rng.poisson(20, size=512)):
        beyond = np.linalg.norm(keep_largest(data, basis, 8) - data)
        releases = [keep_largest(laplace_mechanism(data, 1, 0.2, rng), basis, 8) for _ in range(66)]
        worst = np.linalg.norm(np.subtract(releases, data), axis=1).max()
        assert worst - beyond <= denoised_error_bound(8, 512, 1e-9, 0.2)
    assert denoised_error_bound(8, 512, 0.01, 0.2) == pytest.approx(
        3 * math.sqrt(2 * 8) * math.log(4 * 512 / 0.01) / 0.2
    )


# Choosing S


@pytest.mark.parametrize("prediction", [error_bound, expected_error])
@pytest.mark.parametrize("basis", [haar_basis(256), cosine_basis(256)], ids=["haar", "cosine"])
def test_predicted_errors_move_by_at_most_their_sensitivity_and_empty_data_nearly_reach_it(basis, prediction):
    sparsities, rng = np.arange(1, 95), np.random.default_rng(24)
    for data in (np.zeros(256), rng.poisson(9, size=256), np.full(256, 100.0), 500 * np.eye(256)[7]):
        for unit in np.eye(256)[rng.integers(256, size=40)]:
            before, limits = prediction(data, basis, sparsities, 1.0)
            after, _ = prediction(data + unit, basis, sparsities, 1.0)
            assert np.all(np.abs(after - before) <= limits * (1 + 1e-9) + 1e-9)
    empty, one = (prediction(data, basis, sparsities, 1.0)[0] for data in (np.zeros(256), np.eye(256)[0]))
    assert (one - empty)[0] > 0.65 * limits[0]


def test_predictions_are_the_formulas_on_a_small_example():
    basis, data = haar_basis(8), np.array([9.0, 1, 0, 0, 2, 0, 0, 5])
    coefficients = np.sort(np.abs(basis.forward(data)))[::-1]
    errors, sensitivities = error_bound(data, basis, [1, 2], 0.5, constant=2)
    noise = math.sqrt(2) * 2 / 0.5
    assert errors[0] == pytest.approx(coefficients[1:].sum() + noise * 1 * 3)
    assert errors[1] == pytest.approx(coefficients[2:].sum() / math.sqrt(2) + noise * 2 * 2)
    assert sensitivities == pytest.approx([basis.spread, basis.spread / math.sqrt(2)])
    errors, sensitivities = expected_error(data, basis, [1, 2], 0.5, constant=2)
    assert errors[1] == pytest.approx(np.linalg.norm(coefficients[2:]) + math.sqrt(2 * 2 * 2 * 2 * 2) / 0.5)
    assert sensitivities.tolist() == [1, 1]


@pytest.mark.parametrize("prediction", [error_bound, expected_error])
def test_choose_sparsity_draws_from_the_law_of_the_exponential_mechanism(prediction):
    basis, rng = haar_basis(64), np.random.default_rng(25)
    data = rng.poisson(4, size=64)
    errors, sensitivities = prediction(data, basis, np.arange(1, 24), 9 * 0.3)
    law = selection_probabilities(-errors, sensitivities.max(), 0.3)
    assert_chooses_by(law, lambda rng: choose_sparsity(data, basis, 0.3, rng, prediction=prediction) - 1)
    assert isinstance(choose_sparsity(data, basis, 0.3, rng, prediction=prediction), int)


def test_choice_takes_the_candidates_and_the_epsilon_of_the_mechanism_that_follows():
    data, basis = 1000 * np.eye(256)[3], haar_basis(256)
    few = {choose_sparsity(data, basis, 0.1, np.random.default_rng(s), sparsities=[4, 64]) for s in range(30)}
    assert few <= {4, 64}
    # Nine coefficients hold everything: with little noise ahead S grows to cover them, with much noise it does not.
    roomy = choose_sparsity(data, basis, 1e3, np.random.default_rng(1), mechanism_epsilon=100.0)
    tight = choose_sparsity(data, basis, 1e3, np.random.default_rng(1), mechanism_epsilon=0.01)
    assert (roomy, tight) == (9, 1)

    def error(sign):
        return lambda data, basis, candidates, *_: (sign * candidates.astype(float), np.ones(1))

    ends = [choose_sparsity(data, basis, 1e3, np.random.default_rng(1), prediction=error(sign)) for sign in (1, -1)]
    assert ends == [1, 94], "of 1 to 256 / e"


# Bad input


BASIS, COSINES = haar_basis(16), cosine_basis(5)
DATA = np.arange(16.0)
RNG = np.random.default_rng(0)
OPERATOR = hadamard_operator(8, 16, RNG)
NO_DATA = (DATA[1:], [np.nan] * 16)
NO_AMOUNTS = dict.fromkeys(("epsilon", "constant"), NOT_POSITIVE)
NO_SPARSITIES = ([], [0, 1], [1.5], [17])
REFUSED = [
    (haar_basis, (16,), {"n": (12, 1, 16.0)}),
    (cosine_basis, (16,), {"n": (1, True)}),
    (BASIS.forward, (DATA,), {"data": NO_DATA}),
    (BASIS.inverse, (DATA,), {"coefficients": (np.zeros((4, 4)),)}),
    (COSINES.forward, (DATA[:5],), {"data": ([1, 2, 3],)}),
    (COSINES.inverse, (DATA[:5],), {"coefficients": (["a"] * 5,)}),
    (pad_to_power_of_two, (DATA,), {"counts": ([], [1, np.inf])}),
    (keep_largest, (DATA, BASIS, 2), {"sparsity": (0, 17), "data": NO_DATA}),
    (bernoulli_operator, (4, 16, RNG), {"k": (0,), "n": (0,), "rng": NO_GENERATOR}),
    (hadamard_operator, (1, 16, RNG), {"k": (17, 2.5), "n": (-3,), "rng": NO_GENERATOR}),
    (plain_hadamard_matrix, (1, 16, RNG), {"k": (17, 2.5), "n": (-3,), "rng": NO_GENERATOR}),
    (matrix_operator, (np.eye(3),), {"matrix": (np.zeros(3),)}),
    (OPERATOR.__matmul__, (DATA,), {"vector": (np.zeros(8),)}),
    (OPERATOR.T.__matmul__, (np.zeros(8),), {"vector": (DATA,)}),
    (
        reconstruct,
        (np.zeros(8), OPERATOR, BASIS, 2, cosamp),
        {"samples": ([],), "operator": (np.eye(16), np.eye(8)), "sparsity": (0,), "noise": (-1,)},
    ),
    (measurements, (5, 16, 1.5), {"sparsity": (16, 7, 0), "n": (2,), "constant": (0, 3)}),
    (noise_length, (4, 1), {"k": (0,), "epsilon": NOT_POSITIVE}),
    (compressive_mechanism, (DATA, BASIS, 2, 1, RNG), {"data": NO_DATA, "sparsity": (6,)}),
    *[
        (prediction, (DATA, BASIS, [1], 1), {"data": NO_DATA, "sparsities": NO_SPARSITIES, **NO_AMOUNTS})
        for prediction in (error_bound, expected_error)
    ],
    (denoised_error_bound, (2, 16, 0.1, 1), {"sparsity": (17,), "beta": (1,), "epsilon": NOT_POSITIVE}),
    (choose_sparsity, (DATA, BASIS, 1, RNG), {"data": NO_DATA, "sparsities": ([6], [2, 16])}),
    (lambda epsilon: choose_sparsity(DATA, BASIS, 1, RNG, mechanism_epsilon=epsilon), (1,), {"epsilon": (0, -1)}),
]


@pytest.mark.parametrize(("function", "good", "refused"), REFUSED)
def test_bad_input_is_refused_by_name(function, good, refused):
    assert_refuses(function, good, refused)


def test_every_public_function_of_the_room_says_where_it_comes_from():
    rooms = [*inspect.getmembers(compressive, inspect.isfunction), *inspect.getmembers(sparse, inspect.isfunction)]
    own = {one for name, one in rooms if not name.startswith("_")}
    assert {compressive_mechanism, sparse.generalised_omp} <= own
    for one in own:
        text = inspect.getdoc(one)
        assert text and len(text.splitlines()[0]) < 117, one


def test_matching_pursuit_takes_no_atom_twice():
    """Where one atom explains everything all other scores are 0, and the first atom must not be drawn again."""
    flat = np.full(8, 3.0)
    assert np.allclose(reconstruct(flat, matrix_operator(np.eye(8)), haar_basis(8), 2, generalised_omp), flat)


@pytest.mark.parametrize("method", [generalised_omp, cosamp, basis_pursuit])
def test_samples_that_see_nothing_give_zeros(method):
    assert reconstruct([1.0, 2.0], np.zeros((2, 4)), cosine_basis(4), 1, method).tolist() == [0, 0, 0, 0]
