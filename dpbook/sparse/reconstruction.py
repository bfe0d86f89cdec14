"""From few samples back to a sparse signal: generalised matching pursuit, CoSaMP, and l1 basis pursuit.

A method is a function (samples, operator, basis, sparsity, noise) -> n coefficients, at most `sparsity` of them not 0.
`noise` bounds the Euclidean length of the noise in the samples. Methods see the samples only: after a private release
they are post-processing and spend nothing.
Source: 000 section 3.2 and appendix D.  Notebook: 16_compressive.
"""

import math

import numpy as np
import scipy

from dpbook import arguments
from dpbook.sparse.bases import Operator, matrix_operator

TIE = 1e-9
"""Sizes this close, as a share, are equal. Few samples show two atoms as one: which of them is taken
must hang on their places, and not on how a processor rounds.
"""


def reconstruct(samples, operator, basis, sparsity, method, noise=0.0):
    """Estimate n bins from k samples of them; spends nothing: on private samples it is post-processing.

    `operator` is a k x n Operator or array, and `basis` a Basis of n bins in which the data are nearly sparse.
    `sparsity` is the number S of coefficients to keep. `method` is a function of this module (generalised_omp, cosamp,
    basis_pursuit) or your own. `noise` is a public bound on the Euclidean length of the noise in the samples. Returns n
    numbers. Raises ValueError for samples or a basis that do not fit the operator, a sparsity outside 1..n, a noise
    below 0.
    Source: 000 section 3.2, Lemma 1, appendix D.  Notebook: 16_compressive.
    """
    operator = operator if isinstance(operator, Operator) else matrix_operator(operator)
    samples = arguments.vector("samples", samples)
    if operator.shape != (samples.size, basis.n):
        arguments.refuse(
            "operator", operator.shape, f"of shape {(samples.size, basis.n)}, samples by bins of the basis"
        )
    sparsity = arguments.whole("sparsity", sparsity, 1, basis.n)
    arguments.nonnegative("noise", noise)
    return basis.inverse(method(samples, operator, basis, sparsity, noise))


def generalised_omp(samples, operator, basis, sparsity, noise=0.0, atoms_a_pass=2, over_run=2):
    """Orthogonal matching pursuit, two atoms a pass, on to 2S; then the S largest are refitted.

    The over-run is what recovers coefficients of equal size: a wrong early atom is pruned at the end.
    With `atoms_a_pass` and `over_run` both 1 this is plain orthogonal matching pursuit, which fails
    on such signals. Stops early once the residual is no longer than `noise`.
    Source: the greedy family of 000 [38].
    """
    room = min(over_run * sparsity, samples.size, basis.n)
    chosen = []
    columns = np.zeros((room, samples.size))  # the samples of each atom chosen
    directions = np.zeros((room, samples.size))  # they span the same, at right angles, each of length 1
    residual, enough = samples, max(noise, 1e-10 * math.sqrt(samples @ samples))
    while len(chosen) < room and math.sqrt(residual @ residual) > enough:
        scores = np.abs(basis.forward(operator.adjoint(residual)))  # how much each atom's samples look like it
        scores[chosen] = -1  # never again, even where nothing else fits
        for row in range(len(chosen), min(len(chosen) + atoms_a_pass, room)):
            atom = _first_of_largest(scores)
            scores[atom] = -1
            chosen.append(atom)
            columns[row] = operator.forward(*basis.atom(atom))
            directions[row] = _new_direction(columns[row], directions[:row])
            residual = residual - (directions[row] @ residual) * directions[row]  # as after a fit of all of chosen
    return _refit(samples, np.array(chosen, dtype=int), columns[: len(chosen)].T, sparsity, basis.n)


def _first_of_largest(scores):
    """The place of the largest score, of equals the first."""
    return int(np.argmax(scores >= (1 - TIE) * scores.max()))


def _new_direction(column, directions):
    """The part of a column at right angles to all `directions`, of length 1."""
    for _ in range(2):  # Gram-Schmidt, twice for accuracy
        column = column - (directions @ column) @ directions
    return column / max(math.sqrt(column @ column), 1e-12)


def cosamp(samples, operator, basis, sparsity, noise=0.0, passes=50):
    """CoSaMP: each pass adds the 2S atoms that fit the residual best, solves least squares, and keeps the S largest.

    The S kept are fitted once more, and the residual is that of the refit. The original prunes without a refit, and
    takes the residual of the pruned estimate. Stops once the residual is no longer than `noise` or no longer shrinks.
    Source: 000 appendix D, [38] (Needell and Tropp 2009, Algorithm 2.1).
    """
    best, residual, column_of = np.zeros(basis.n), samples, {}
    enough = max(noise, 1e-10 * np.linalg.norm(samples))
    for _ in range(passes):
        if np.linalg.norm(residual) <= enough:
            break
        likely = _largest(basis.forward(operator.T @ residual), 2 * sparsity)
        atoms = np.union1d(np.flatnonzero(best), likely)
        if not atoms.size:  # no atom is seen in the samples
            break
        column_of |= {atom: operator.forward(*basis.atom(atom)) for atom in atoms if atom not in column_of}
        columns = np.column_stack([column_of[atom] for atom in atoms])
        estimate = _refit(samples, atoms, columns, sparsity, basis.n)
        smaller = samples - columns @ estimate[atoms]
        if np.linalg.norm(smaller) >= np.linalg.norm(residual):
            break
        best, residual = estimate, smaller
    return best


def basis_pursuit(samples, operator, basis, sparsity, noise=0.0, passes=500):
    """The coefficients of smallest L1 norm whose samples lie within `noise` of those given; the S largest are refitted.

    Solved by the primal-dual steps of Chambolle and Pock. Without the refit every coefficient would
    be too small.
    Source: 000 appendix D, [7], where the constraint must be on the noisy samples y*, not on y.
    """
    scale = np.abs(basis.forward(operator.T @ samples)).max() / 10  # sets the pace only, not the answer
    if scale == 0:
        return np.zeros(basis.n)
    gain = _largest_gain(operator, samples)
    estimate = ahead = np.zeros(basis.n)
    dual = np.zeros(samples.size)
    for _ in range(passes):
        target = dual + (operator @ basis.inverse(ahead) - samples) / (gain * scale)
        length = np.linalg.norm(target)
        dual = target * max(0.0, 1 - noise / (gain * scale * length)) if length else target
        step = estimate - scale / gain * basis.forward(operator.T @ dual)
        shrunk = np.sign(step) * np.maximum(np.abs(step) - scale / gain, 0)
        estimate, ahead = shrunk, 2 * shrunk - estimate
    atoms = _largest(estimate, 2 * sparsity)
    if atoms.size == 0:
        return estimate
    columns = np.column_stack([operator.forward(*basis.atom(atom)) for atom in atoms])
    return _refit(samples, atoms, columns, sparsity, basis.n)


def _largest(values, count):
    """Where the `count` entries largest in size are, the first of equals first; fewer where fewer are not 0."""
    sizes = np.abs(values)
    least = np.partition(sizes, -count)[-count] if count < sizes.size else 0.0
    where = np.flatnonzero((sizes > 0) & (sizes >= (1 - TIE) * least))
    steps = np.round(np.log(sizes[where]) / TIE)
    return where[np.argsort(-steps, kind="stable")[:count]]


def _refit(samples, atoms, columns, sparsity, n):
    """Least squares on the atoms, then again on the `sparsity` largest of them; n coefficients."""
    coefficients = np.zeros(n)
    if len(atoms) > sparsity:
        kept = _largest(_least_squares(columns, samples), sparsity)
        atoms, columns = atoms[kept], columns[:, kept]
    if len(atoms):
        coefficients[atoms] = _least_squares(columns, samples)
    return coefficients


def _least_squares(columns, samples):
    """The shortest solution: with few samples two atoms may look the same, and must not blow each other up."""
    return scipy.linalg.lstsq(columns, samples, cond=1e-9, lapack_driver="gelsy", check_finite=False)[0]


def _largest_gain(operator, samples):
    """The operator's norm by twenty power iterations, with 2% to spare."""
    for _ in range(20):
        samples = samples / np.linalg.norm(samples)
        samples = operator @ (operator.T @ samples)
    return 1.02 * np.sqrt(np.linalg.norm(samples))
