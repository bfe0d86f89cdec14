"""The compressive mechanism: sample sparse data at random, add noise to the few samples, reconstruct; choose S
privately.

Neighbours here are data sets at L1 distance at most 1: one record more or less in one bin
(add/remove). A replaced record moves the data by 2: for that relation spend epsilon / 2. In exact
arithmetic; floats make this a teaching tool. Bases, operators and reconstruction live in `sparse`.
Source: 000 section 5.  Notebook: 16_compressive.
"""

import math

import numpy as np

from dpbook import arguments
from dpbook.exponential import exponential_mechanism
from dpbook.laplace import laplace_mechanism
from dpbook.sparse import generalised_omp, hadamard_operator, measurements, noise_length, reconstruct


def compressive_mechanism(
    data,
    basis,
    sparsity,
    epsilon,
    rng,
    *,
    constant=1.5,
    operator=hadamard_operator,
    method=generalised_omp,
):
    """Estimate data with epsilon-DP (add/remove one unit in one bin) through k noisy samples of them.

    `data` are the n numbers of a histogram, `basis` one in which about `sparsity` coefficients
    matter, chosen without looking at the data; `constant` sets k (see `measurements`); `operator(k,
    n, rng)` draws the public sampling matrix, `method` reconstructs (see `reconstruct`). The guarantee
    holds for a matrix none of whose columns has an L1 norm above sqrt(k), as those of `sparse`; Gaussian
    entries have larger ones. Returns n real numbers, not rounded and not clipped. Raises ValueError for
    data that do not fit the basis, a sparsity outside 1..n/e, an epsilon not above 0.
    Source: 000 Algorithm 1, Lemma 4.  Notebook: 16_compressive.
    """
    data = arguments.of_length("data", data, basis.n)
    k = measurements(sparsity, basis.n, constant)
    sampling = operator(k, basis.n, arguments.generator("rng", rng))
    # Spends epsilon: one unit more in a bin moves each of the k samples by 1 / sqrt(k).
    noisy = laplace_mechanism(sampling @ data, math.sqrt(k), epsilon, rng)
    return reconstruct(noisy, sampling, basis, sparsity, method, noise_length(k, epsilon))


def error_bound(data, basis, sparsities, epsilon, constant=1.5):
    """Equation (1): the error of `compressive_mechanism`, predicted for each S; not private.

    ||x - x_S||_1 / sqrt(S) + sqrt(2) constant S log2(n / S) / epsilon: the coefficients given up,
    then the noise, both with factor 1. Returns two arrays: the errors, and the sensitivity of each
    (add/remove), basis.spread / sqrt(S). Raises ValueError for data that do not fit the basis, or
    sparsities outside 1..n.
    Source: 000 Eq. (1), where `basis.spread` is said to be a constant.  Notebook: 16_compressive.
    """
    sizes, sparsities = _sizes_and_sparsities(data, basis, sparsities)
    samples = arguments.positive("constant", constant) * sparsities * np.log2(basis.n / sparsities)
    noise = math.sqrt(2) * samples / arguments.positive("epsilon", epsilon)
    given_up = _sums_after(sizes)[sparsities] / np.sqrt(sparsities)
    return given_up + noise, basis.spread / np.sqrt(sparsities)


def expected_error(data, basis, sparsities, epsilon, constant=1.5):
    """A prediction of sensitivity 1 in every orthonormal basis, to use instead of `error_bound`; not private either.

    It is ||x - x_S||_2 + sqrt(2 S k) / epsilon, with k = constant S log2(n / S). The first term is what is given up.
    The second is the smallest noise left on S coefficients once all are found. A unit in one bin moves the
    coefficients, so the first term, by at most 1 in Euclidean length. Arguments, returned arrays and errors as in
    `error_bound`.  Notebook: 16_compressive.
    """
    sizes, sparsities = _sizes_and_sparsities(data, basis, sparsities)
    samples = arguments.positive("constant", constant) * sparsities * np.log2(basis.n / sparsities)
    noise = np.sqrt(2 * sparsities * samples) / arguments.positive("epsilon", epsilon)
    return np.sqrt(_sums_after(sizes**2))[sparsities] + noise, np.ones(sparsities.size)


def denoised_error_bound(sparsity, n, beta, epsilon):
    """What `keep_largest` of a Laplace histogram errs by, beyond ||x - x_S||_2, with probability 1 - beta; public.

    It is 3 sqrt(2 S) ln(4 n / beta) / epsilon for noise of scale 1 / epsilon on n bins and any orthonormal basis.
    With that probability all coefficients of the noise are at most sqrt(2) ln(4 n / beta) / epsilon in size.
    Raises ValueError for a sparsity outside 1..n, an epsilon not above 0, a beta outside (0, 1).
    Source: Theorem 16.8 of the page.  Notebook: 16_compressive.
    """
    n = arguments.whole("n", n, 1)
    largest_noise = math.sqrt(2) * math.log(4 * n / arguments.probability("beta", beta))
    sparsity = arguments.whole("sparsity", sparsity, 1, n)
    return 3 * math.sqrt(sparsity) * largest_noise / arguments.positive("epsilon", epsilon)


def choose_sparsity(
    data,
    basis,
    epsilon,
    rng,
    *,
    mechanism_epsilon=None,
    constant=1.5,
    prediction=error_bound,
    sparsities=None,
):
    """Choose S with epsilon-DP (add/remove one unit in one bin) by the exponential mechanism.

    `epsilon` is spent here; `mechanism_epsilon` is what the compressive mechanism will spend
    afterwards, 9 times as much unless given (the paper's 0.1 and 0.9). `prediction` is `error_bound`
    or `expected_error`; `sparsities` the candidates, all from 1 to n/e unless given. ONE sensitivity
    serves all candidates, the largest. Returns an int. Raises ValueError for data that do not fit the
    basis, candidates outside 1..n/e, an epsilon not above 0.
    Source: 000 section 5.3, but for S = n and its exponents.  Notebook: 16_compressive.
    """
    epsilon = arguments.positive("epsilon", epsilon)
    mechanism_epsilon = 9 * epsilon if mechanism_epsilon is None else mechanism_epsilon
    most = int(basis.n / math.e)
    candidates = np.arange(1, most + 1) if sparsities is None else np.asarray(sparsities)
    errors, sensitivities = prediction(data, basis, candidates, mechanism_epsilon, constant)
    if candidates.max() > most:
        arguments.refuse("sparsities", sparsities, f"at most n/e = {most}")
    return int(candidates[exponential_mechanism(-errors, sensitivities.max(), epsilon, rng)])


def _sizes_and_sparsities(data, basis, sparsities):
    sparsities = np.asarray(sparsities)
    whole = sparsities.ndim == 1 and sparsities.size > 0 and sparsities.dtype.kind in "iu"
    if not whole or sparsities.min() < 1 or sparsities.max() > basis.n:
        arguments.refuse("sparsities", sparsities, f"a list of whole numbers from 1 to {basis.n}")
    return np.sort(np.abs(basis.forward(arguments.of_length("data", data, basis.n))))[::-1], sparsities


def _sums_after(sizes):
    """Entry S is the sum of all but the first S: the rounding errors of the large ones stay out of it."""
    return np.append(np.cumsum(sizes[::-1])[::-1], 0)
