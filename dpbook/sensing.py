"""The compressed sensing mechanism (CSM) on tables: few noisy measurements a column, then rebuilding.

A table has d rows (the bins of a histogram) and n columns (groups of records). Neighbours are tables at L1 distance at
most `record_bound`: with the default 1, one record more or less in one cell (add/remove). A replaced record moves a
table by 2. A column that is somebody's whole record moves it by as much as two records differ. In both cases set
`record_bound`. Every epsilon here holds for one column as for all of them: a record that is in one column only moves
only that one.
Source: 001.  Notebook: 18_sensing.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpbook import arguments
from dpbook.laplace import laplace_mechanism
from dpbook.partitions.fourier import fourier_histogram as fourier_histogram  # public here as well
from dpbook.partitions.fourier import fourier_sensitivity as fourier_sensitivity
from dpbook.sparse import Basis, Operator, generalised_omp, matrix_operator


@dataclass(frozen=True)
class Dictionary:
    """`n` public atoms of `bins` numbers each; guarantees nothing by itself.

    `inverse(weights)` sums the atoms up, `forward(data)` is its transpose. If there are more atoms than bins, or they
    are not orthonormal, `forward` does not give the weights back. A method of `reconstruction` then looks for few
    weights that fit. `atom(index)` is one atom as (values, start), as in `Basis`.
    Source: 001 section III.C, equation (3).  Notebook: 18_sensing.
    """

    bins: int
    n: int
    forward: Callable
    inverse: Callable
    atom: Callable


def spike_basis(n):
    """The basis whose atoms are the single bins: for data of which most bins are empty; public.

    Raises ValueError unless n is a whole number of at least 1.
    Source: the identity among the bases of 001 section III.C.  Notebook: 18_sensing.
    """
    n = arguments.whole("n", n, 1)

    def same(values):
        return arguments.of_length("values", values, n)

    return Basis(n, 1.0, same, same, lambda index: (np.ones(1), int(index)))


def dictionary(*bases):
    """The atoms of one or more orthonormal bases of the same bins, in one public dictionary.

    One basis is the source's orthogonal case, several its non-orthogonal one. The choice must not
    look at the data: a dictionary learned from them shows them, whatever noise follows. Raises
    ValueError for no basis, something that is no `Basis`, or bases of different numbers of bins.
    Source: 001 section III.C, equations (3) and (4).  Notebook: 18_sensing.
    """
    if not bases or not all(isinstance(basis, Basis) and basis.n == bases[0].n for basis in bases):
        arguments.refuse("bases", bases, "one or more Basis objects with the same number of bins")
    bins, atoms = bases[0].n, len(bases) * bases[0].n

    def forward(data):
        return np.concatenate([basis.forward(data) for basis in bases])

    def inverse(weights):
        parts = np.split(arguments.of_length("weights", weights, atoms), len(bases))
        return sum(basis.inverse(part) for basis, part in zip(bases, parts, strict=True))

    def atom(index):
        return bases[int(index) // bins].atom(int(index) % bins)

    return Dictionary(bins, atoms, forward, inverse, atom)


def gaussian_operator(k, n, rng):
    """k x n independent draws from N(0, 1/k): public.

    No two columns have the same L1 norm: see `column_sums`. The matrix is kept (8 k n bytes): for
    large n take a Hadamard or Bernoulli operator of `sparse`. `rng` is a numpy Generator. Raises
    ValueError unless k and n are whole numbers of at least 1.
    Source: 001 Proposition 1.  Notebook: 18_sensing.
    """
    shape = arguments.whole("k", k, 1), arguments.whole("n", n, 1)
    return matrix_operator(arguments.generator("rng", rng).normal(scale=1 / math.sqrt(k), size=shape))


def column_sums(operator):
    """||Psi_j||_1 for each bin j of the matrix that was drawn; public.

    How far one unit in bin j moves the measurements. `operator` is a k x n Operator or array;
    returns n numbers. Takes k products with the transpose. Raises ValueError for an array that is
    not two-dimensional.
    Source: instead of the "distribution parameter" of 001 Proposition 1.  Notebook: 18_sensing.
    """
    operator = _as_operator(operator)
    sums, unit = np.zeros(operator.shape[1]), np.zeros(operator.shape[0])
    for row in range(unit.size):
        unit[row] = 1
        sums += np.abs(operator.adjoint(unit))
        unit[row] = 0
    return sums


def sensing_sensitivity(operator, record_bound=1):
    """The L1 sensitivity of the measurements: max_j ||Psi_j||_1 times neighbours' L1 distance; public.

    `record_bound` is 1 for one unit more or less (add/remove) and 2 for one moved (replace). The maximum is sqrt(k) for
    entries +-1/sqrt(k). For Gaussian entries it has to be read off the matrix. Raises ValueError for a bound not
    above 0.
    Source: 001 Definition 2, instead of Definition 5.  Notebook: 18_sensing.
    """
    return float(column_sums(operator).max()) * arguments.positive("record_bound", record_bound)


def measurement_loss(operator, scale, record_bound=1):
    """The exact privacy loss of Psi D plus Laplace noise of this `scale`: sensitivity / scale.

    It is reached where every measurement lies beyond both centres, an event of positive
    probability. Raises ValueError for a scale or a bound not above 0.
    Source: 001 Theorem 2, corrected.  Notebook: 18_sensing.
    """
    return sensing_sensitivity(operator, record_bound) / arguments.positive("scale", scale)


def theorem_2_claim(sensitivity, ratio):
    """NOT a privacy loss: 2 ratio / sensitivity, what the source claims where the loss is `ratio`.

    The noise has scale `sensitivity`: the source's "sensing sensitivity", which is that of `sensing_sensitivity` over
    `ratio`, its compression coefficient. Raises ValueError for a ratio not above 0 and at most 1, or a sensitivity not
    above 0.
    Source: 001 Theorem 2, equation (11), which is false.  Notebook: 18_sensing.
    """
    if arguments.positive("ratio", ratio) > 1:
        arguments.refuse("ratio", ratio, "a number above 0 and at most 1")
    return 2 * ratio / arguments.positive("sensitivity", sensitivity)


def sense(table, operator, epsilon, rng, *, record_bound=1):
    """Release noisy measurements with epsilon-DP (neighbours at L1 distance `record_bound`).

    `table` is d x n (or d numbers: one column), `operator` k x d, drawn without the data. Returns k x n numbers (or k)
    with Laplace noise of scale `sensing_sensitivity` / epsilon on each. Raises ValueError for a table that is not of
    finite numbers or does not fit the operator, or an epsilon or bound not above 0.
    Source: 001 Algorithm 1, lines 2 to 4, measuring D itself: I = Psi D.  Notebook: 18_sensing.
    """
    operator = _as_operator(operator)
    measured = _each_column(operator.forward, _fitting("table", table, operator.shape[1]))
    # Spends epsilon: one unit in cell (j, i) moves column i of the measurements by ||Psi_j||_1, and nothing else.
    return laplace_mechanism(measured, sensing_sensitivity(operator, record_bound), epsilon, rng)


def rebuild(measurements, operator, atoms, sparsity, noise_scale, method=generalised_omp):
    """A table from the noisy measurements of its columns: post-processing, spends nothing.

    `measurements` are k x n (or k), `atoms` is a Dictionary, and `sparsity` is the most atoms a column may use.
    `noise_scale` is the public scale of the Laplace noise (0 for none). What is no longer than that noise is left
    unexplained. `method` is a function of `reconstruction`. Returns d x n numbers (or d). Raises ValueError for pieces
    that do not fit, a sparsity outside 1..d, a scale below 0.
    Source: 001 Algorithm 1, lines 5 and 6, and equation (8).  Notebook: 18_sensing.
    """
    operator = _as_operator(operator)
    measurements = _fitting("measurements", measurements, operator.shape[0])
    if not isinstance(atoms, Dictionary) or atoms.bins != operator.shape[1]:
        arguments.refuse("atoms", atoms, f"a Dictionary of {operator.shape[1]} bins")
    sparsity = arguments.whole("sparsity", sparsity, 1, atoms.bins)
    arguments.nonnegative("noise_scale", noise_scale)
    length = noise_scale * math.sqrt(2 * operator.shape[0])  # root mean square of the noise in one column
    return _each_column(lambda column: atoms.inverse(method(column, operator, atoms, sparsity, length)), measurements)


def compressed_sensing_mechanism(table, operator, atoms, sparsity, epsilon, rng, *, record_bound=1):
    """Release a table with epsilon-DP (neighbours at L1 distance `record_bound`): sense, then rebuild.

    Arguments, shapes and errors as there. Returns real numbers, not rounded, some below 0.
    Source: 001 Algorithm 1, with the noise that its line 3 leaves open.  Notebook: 18_sensing.
    """
    noisy = sense(table, operator, epsilon, rng, record_bound=record_bound)
    return rebuild(noisy, operator, atoms, sparsity, sensing_sensitivity(operator, record_bound) / epsilon)


def range_queries(count, shape, rng):
    """`count` random ranges of a table of this `shape`: arrays (left, right, column).

    Range i holds the rows left ... right - 1 of its column. Both ends are uniform, the column too.
    Raises ValueError unless count >= 1 and the shape is two whole numbers.
    Source: 001 section V.B.  Notebook: 18_sensing.
    """
    count, (rows, columns) = arguments.whole("count", count, 1), _checked_shape(shape)
    ends = np.sort(arguments.generator("rng", rng).integers(0, rows, (2, count)), axis=0)
    return ends[0], ends[1] + 1, rng.integers(0, columns, count)


def counting_queries(count, shape, rng):
    """`count` random linear counting queries of a table of this `shape`: (weights, column).

    Each row of one column is counted or not by a fair coin. `weights` is count x rows of True and
    False. Raises ValueError as `range_queries`.
    Source: 001 sections III.A and V.B.  Notebook: 18_sensing.
    """
    count, (rows, columns) = arguments.whole("count", count, 1), _checked_shape(shape)
    weights = arguments.generator("rng", rng).integers(0, 2, (count, rows), dtype=np.uint8).astype(bool)
    return weights, rng.integers(0, columns, count)


def answer_ranges(table, queries):
    """The answers of a d x n table to `range_queries`; spends nothing on a released table.

    Queries are linear: asked of the error of a release, they give the errors of the answers. Raises
    ValueError for a table that is not two-dimensional, or queries beyond it.
    Source: 001 section V.B.  Notebook: 18_sensing.
    """
    table = _asked(table)
    left, right, column = (arguments.integers("queries", part) for part in queries)
    inside = (0 <= left) & (left < right) & (right <= len(table)) & (0 <= column) & (column < table.shape[1])
    if not np.all(inside):
        arguments.refuse(
            "queries", "ranges beyond the table", f"within {table.shape[0]} rows, {table.shape[1]} columns"
        )
    prefix = np.vstack([np.zeros(table.shape[1]), np.cumsum(table, axis=0)])
    return prefix[right, column] - prefix[left, column]


def answer_counting(table, queries):
    """The answers of a d x n table to `counting_queries`; spends nothing on a released table.

    Linear, as ranges are. Raises ValueError for a table that is not two-dimensional, or queries
    that do not fit it.
    Source: 001 section III.A.  Notebook: 18_sensing.
    """
    table = _asked(table)
    weights, column = arguments.entries("queries", queries[0]), arguments.integers("queries", queries[1])
    if weights.shape != (column.size, len(table)) or np.any((column < 0) | (column >= table.shape[1])):
        arguments.refuse("queries", f"weights of shape {weights.shape}", f"for a table of shape {table.shape}")
    chunks = range(0, len(weights), 500)  # so that 10,000 queries over 8,192 rows never stand in memory as floats
    parts = [weights[start : start + 500].astype(float) @ table for start in chunks]
    return np.concatenate(parts)[np.arange(len(column)), column]


def _as_operator(operator):
    return operator if isinstance(operator, Operator) else matrix_operator(operator)


def _each_column(function, table):
    return function(table) if table.ndim == 1 else np.column_stack([function(column) for column in table.T])


def _fitting(name, table, rows):
    """One column or several, as floats, with this many rows."""
    table = arguments.array(name, table)
    if table.ndim not in (1, 2) or table.size == 0 or len(table) != rows:
        arguments.refuse(name, f"shape {table.shape}", f"a column or columns of {rows} rows")
    return table


def _asked(table):
    table = arguments.array("table", table)
    return table if table.ndim == 2 else arguments.refuse("table", f"shape {table.shape}", "two-dimensional")


def _checked_shape(shape):
    rows, columns = shape if np.size(shape) == 2 else arguments.refuse("shape", shape, "(rows, columns)")
    return arguments.whole("shape", rows, 1), arguments.whole("shape", columns, 1)
