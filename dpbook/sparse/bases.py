"""Sparse signals: orthonormal bases as fast transforms, and random +-1/sqrt(k) matrices that are never written out.

A basis turns data into coefficients and back; an operator turns n bins into k samples. Both are
public: they are built from n, k and public randomness alone, and guarantee nothing by themselves.
Source: 000 sections 3.2 and 7.  Notebook: 16_compressive.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from dpbook import arguments


@dataclass(frozen=True)
class Basis:
    """An orthonormal basis of n bins: `forward(data)` gives n coefficients, `inverse(coefficients)` the data again.

    `spread` is the largest L1 change of the coefficients when one bin changes by one unit (the norm
    ||Psi^T||_{1->1}; a constant C_5 in source 000 section 5.3). `atom(index)` is one basis vector as (values, start):
    the values of the bins starting at `start`, all other bins being 0.
    """

    n: int
    spread: float
    forward: Callable
    inverse: Callable
    atom: Callable


@dataclass(frozen=True)
class Operator:
    """A k x n matrix that is never written out: `operator @ data` gives k samples, `operator.T @ samples` n numbers.

    `forward(values, start=0)` applies it to data that are 0 outside the bins start, start + 1, ... (of `.T` it takes
    all numbers, without `start`). `adjoint(samples)` applies its transpose. `@` raises ValueError for a vector of the
    wrong length.
    """

    shape: tuple
    forward: Callable
    adjoint: Callable

    def __matmul__(self, vector):
        return self.forward(arguments.of_length("vector", vector, self.shape[1]))

    @property
    def T(self):
        return Operator(self.shape[::-1], self.adjoint, self.forward)


def haar_basis(n):
    """The orthonormal Haar wavelets on n bins, n a power of two; public. Their `spread` is at most 1 + sqrt 2 = 2.414.

    Coefficient 0 is the scaled total. Coefficients 2^l to 2^(l+1) - 1 compare the left and right halves of the blocks
    of n / 2^l bins, from left to right. A transform takes O(n). Raises ValueError unless n is a power of two,
    at least 2: `pad_to_power_of_two` makes such data.
    Source: 000 section 7.1.  Notebook: 16_compressive.
    """
    n = arguments.whole("n", n, 2)
    if n & (n - 1):
        arguments.refuse("n", n, "a power of two (pad_to_power_of_two adds empty bins)")
    level_sizes = np.concatenate([[1], 2 ** np.arange(n.bit_length() - 1)])
    scales = np.repeat(np.sqrt(level_sizes / n), level_sizes)

    def forward(data):
        coefficients, sums = np.empty(n), arguments.of_length("data", data, n)
        while sums.size > 1:
            left, right = sums[::2], sums[1::2]
            np.subtract(left, right, out=coefficients[left.size : sums.size])
            sums = left + right
        coefficients[0] = sums[0]
        return coefficients * scales

    def inverse(coefficients):
        scaled = arguments.of_length("coefficients", coefficients, n) * scales
        data = scaled[:1]
        while data.size < n:
            finer, detail = np.empty(2 * data.size), scaled[data.size : 2 * data.size]
            np.add(data, detail, out=finer[::2])
            np.subtract(data, detail, out=finer[1::2])
            data = finer
        return data

    def atom(index):
        if index == 0:
            return np.full(n, scales[0]), 0
        width = n >> (int(index).bit_length() - 1)
        values = np.full(width, scales[index])
        values[width // 2 :] *= -1
        return values, (int(index) * width) % n

    return Basis(n, float(scales[0] + np.sqrt(0.5 ** np.arange(1, n.bit_length())).sum()), forward, inverse, atom)


def cosine_basis(n):
    """The orthonormal cosines (DCT-II) on n bins, any n of at least 2; public. Their `spread` is about 0.9003 sqrt n.

    Coefficient i is the part of the data that swings i/2 times over the n bins. A transform takes O(n
    log n). Raises ValueError unless n is a whole number of at least 2.
    Source: 000 section 7.2.  Notebook: 16_compressive.
    """
    n = arguments.whole("n", n, 2)

    def forward(data):
        return scipy.fft.dct(arguments.of_length("data", data, n), norm="ortho")

    def inverse(coefficients):
        return scipy.fft.idct(arguments.of_length("coefficients", coefficients, n), norm="ortho")

    side = math.isqrt(n - 1) + 1

    def atom(index):
        if index == 0:
            return np.full(n, math.sqrt(1 / n)), 0
        angle = math.pi * int(index) / (2 * n)  # cos((2j + 1) angle) for j = side * a + b, as cos(x + y): O(n)
        x, y = 2 * side * angle * np.arange(-(-n // side)), angle * (2 * np.arange(side) + 1)
        wave = np.stack([np.cos(x), -np.sin(x)], axis=1) @ np.stack([np.cos(y), np.sin(y)])
        return math.sqrt(2 / n) * wave.ravel()[:n], 0

    first_bin = np.bincount([0], minlength=n)  # no bin spreads further than bin 0
    return Basis(n, float(np.abs(forward(first_bin)).sum()), forward, inverse, atom)


def pad_to_power_of_two(counts):
    """Add empty bins at the end until the number of bins is a power of two, as the Haar basis needs.

    The new bins are public: they are 0 in every data set, so neighbours stay neighbours. Drop them
    from the estimate. Raises ValueError for an empty list or one that is not finite numbers.
    Notebook: 16_compressive.
    """
    counts = arguments.vector("counts", counts)
    return np.pad(counts, (0, (1 << max(1, (counts.size - 1).bit_length())) - counts.size))


def keep_largest(data, basis, sparsity):
    """The best approximation of `data` by `sparsity` atoms of the basis; after a release it costs no privacy.

    Keeps the `sparsity` coefficients largest in size and puts 0 for the others; returns n numbers.
    Raises ValueError for data that do not fit the basis or a sparsity outside 1..n.
    Source: 000 section 3.2 (x_S).  Notebook: 16_compressive.
    """
    sparsity = arguments.whole("sparsity", sparsity, 1, basis.n)
    coefficients = basis.forward(data)
    coefficients[np.argpartition(np.abs(coefficients), -sparsity)[:-sparsity]] = 0
    return basis.inverse(coefficients)


def bernoulli_operator(k, n, rng):
    """k x n independent fair signs over sqrt(k): public; each column has L1 norm sqrt(k).

    A sign takes one bit (eight rows of a bin share a byte): n = 65,536 and k = 777 take 6.4 MB. `rng`
    is a numpy Generator. Raises ValueError unless k and n are whole numbers of at least 1.
    Source: 000 section 3.2.  Notebook: 16_compressive.
    """
    k, n = arguments.whole("k", k, 1), arguments.whole("n", n, 1)
    groups = -(-k // 8)
    packed = arguments.generator("rng", rng).integers(0, 256, size=(groups, n), dtype=np.uint8)
    signs = (2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1) - 1) / math.sqrt(k)  # byte -> 8 signs

    def forward(values, start=0):
        window = packed[:, start : start + len(values)]
        by_byte = np.stack([np.bincount(row, weights=values, minlength=256) for row in window])
        return (by_byte @ signs).ravel()[:k]

    def adjoint(samples):
        sums = np.pad(samples, (0, 8 * groups - k)).reshape(groups, 8) @ signs.T
        total = np.zeros(n)
        for row, sums_of_row in zip(packed, sums, strict=True):
            total += sums_of_row[row]
        return total

    return Operator((k, n), forward, adjoint)


def hadamard_operator(k, n, rng):
    """k rows of a randomised Hadamard matrix over sqrt(k): public; each column has L1 norm sqrt(k).

    The bins form blocks of m, the smallest power of two that is at least k. All blocks use the same k rows of the m x m
    Hadamard matrix. Each has its own random signs on its bins and on these rows. Every entry is +-1/sqrt(k), a product
    costs O(n sqrt k) (two small matrices a block), and any n will do. `rng` is a numpy Generator.
    Raises ValueError unless k and n are whole numbers with 1 <= k <= n.
    Source: 000 section 3.2 (instead of its independent signs).  Notebook: 16_compressive.
    """
    n = arguments.whole("n", n, 1)
    k = arguments.whole("k", k, 1, n)
    rng = arguments.generator("rng", rng)
    bits = (k - 1).bit_length()
    size, blocks = 1 << bits, -(-n >> bits)
    left = scipy.linalg.hadamard(1 << bits // 2).astype(float)
    right = scipy.linalg.hadamard(1 << bits - bits // 2).astype(float)
    rows = rng.choice(size, k, replace=False)
    bin_signs = rng.choice([-1.0, 1.0], size=blocks * size)
    row_signs = rng.choice([-1.0, 1.0], size=(blocks, size)) / math.sqrt(k)

    def transform(blocks_of_bins):
        grid = blocks_of_bins.reshape(-1, len(left), len(right))
        return (left @ (grid @ right)).reshape(-1, size)

    def forward(values, start=0):
        first, stop = start >> bits, start + len(values)
        window = np.zeros((-(-stop >> bits) - first) * size)
        window[start - first * size : stop - first * size] = values * bin_signs[start:stop]
        spectrum = transform(window)
        return np.einsum("bm,bm->m", row_signs[first : first + len(spectrum)], spectrum)[rows]

    def adjoint(samples):
        spectrum = np.zeros(size)
        spectrum[rows] = samples
        bins = transform(row_signs * spectrum).ravel()
        return np.multiply(bins, bin_signs, out=bins)[:n]

    return Operator((k, n), forward, adjoint)


def matrix_operator(matrix):
    """A k x n array as an Operator, for small examples and for matrices of your own; raises ValueError unless 2-D."""
    matrix = arguments.array("matrix", matrix)
    if matrix.ndim != 2:
        arguments.refuse("matrix", matrix.shape, "a two-dimensional array")
    return Operator(
        matrix.shape,
        lambda values, start=0: matrix[:, start : start + len(values)] @ values,
        lambda samples: matrix.T @ samples,
    )


def measurements(sparsity, n, constant):
    """How many samples recover S coefficients of n: constant * S * log2(n / S), rounded up; public.

    S runs to n / e only: beyond, the formula falls again, to no samples at all at S = n. Raises
    ValueError for a sparsity outside 1..n/e, a constant not above 0, or more samples than bins.
    Source: 000 section 3.2.  Notebook: 16_compressive.
    """
    n = arguments.whole("n", n, 3)
    sparsity = arguments.whole("sparsity", sparsity, 1, int(n / math.e))
    k = math.ceil(arguments.positive("constant", constant) * sparsity * math.log2(n / sparsity))
    if k > n:
        arguments.refuse("constant", constant, f"small enough for {n} samples (it asks for {k})")
    return k


def noise_length(k, epsilon):
    """The root mean square Euclidean length of k draws from Lap(sqrt(k) / epsilon): sqrt(2) k / epsilon; public.

    Reconstruction stops here: what is left of the samples is noise. Raises ValueError unless k >= 1
    and epsilon > 0.
    Source: 000 appendix B; the theta of Lemma 1, which must not depend on the noise that was drawn.
    """
    return math.sqrt(2) * arguments.whole("k", k, 1) / arguments.positive("epsilon", epsilon)
