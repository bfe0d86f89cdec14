"""The mechanisms against what a user would write or call instead, side by side in one run: `make bench`.

Each row is the median of a few runs of both, taken in turn, so that the ratio holds when the machine's speed drifts.

Laplace noise is that of numpy's own generator, number for number, worked out in pieces that stay in the processor's
cache: two rows say what that gains.
"""

import numpy as np
from scipy import integrate, sparse
from sklearn.linear_model import orthogonal_mp

from benchmarks.side_by_side import show
from dpbook.alp import alp_estimate, alp_projection
from dpbook.exponential import exponential_mechanism
from dpbook.histograms import constrained_inference, hierarchical_counts, range_nodes, sum_leaves
from dpbook.laplace import laplace_mechanism
from dpbook.sparse import generalised_omp, haar_basis, hadamard_operator, reconstruct
from dpbook.svt import ALG12, log_output_probability, sparse_vector


def laplace_million():
    counts, rng = np.ones(1_000_000), np.random.default_rng(1)

    def loop():
        return [count + rng.laplace() for count in counts]

    return lambda: laplace_mechanism(counts, 1, 1.0, rng), loop, 3


def laplace_numpy():
    counts, rng = np.ones(1_000_000), np.random.default_rng(1)
    return lambda: laplace_mechanism(counts, 1, 1.0, rng), lambda: counts + rng.laplace(size=counts.size), 7


def exponential_flat():
    return chosen_from(np.random.default_rng(1).normal(size=1_000_000))


def exponential_million():
    return chosen_from(np.random.default_rng(1).integers(0, 1_000_000, 1_000_000).astype(float))


def chosen_from(quality):
    rng = np.random.default_rng(2)

    def choice():
        weights = np.exp((quality - quality.max()) / 2)
        return rng.choice(quality.size, p=weights / weights.sum())

    return lambda: exponential_mechanism(quality, 1, 1.0, rng), choice, 7


def tree_inference():
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 50, 4096).astype(float)
    levels = hierarchical_counts(counts, 16, 1.0, rng)
    rows = [sparse.identity(4096, format="csr")]
    for size in (256, 16):
        rows.append(sparse.csr_matrix(np.kron(np.eye(size), np.ones(4096 // size))))
    strategy, noisy = sparse.vstack(rows).tocsc(), np.concatenate(levels)

    def normal_equations():
        return sparse.linalg.spsolve((strategy.T @ strategy).tocsc(), strategy.T @ noisy)

    assert np.allclose(constrained_inference(levels, 16)[0], normal_equations())
    return lambda: constrained_inference(levels, 16), normal_equations, 3


def range_queries():
    rng = np.random.default_rng(1)
    histogram = rng.laplace(size=65_536)
    left, right = np.sort(rng.choice(65_536, (10_000, 2)), axis=1).T
    right += 1

    def sums():
        return [histogram[a:b].sum() for a, b in zip(left, right, strict=True)]

    assert len(range_nodes(0, 65_535, 16, 4)) > 0
    return lambda: sum_leaves(histogram, left, right), sums, 3


def svt_stream():
    answers, rng = np.zeros(100_000), np.random.default_rng(1)

    def loop():
        threshold, found, outputs = 500 + rng.laplace(scale=2.0), 0, []
        for answer in answers:
            above = answer + rng.laplace(scale=200.0) >= threshold + 2_000
            outputs.append(above)
            found += above
            if found == 50:
                break
        return outputs

    return lambda: sparse_vector(answers, 2_500, 1, 50, 1.0, rng), loop, 5


def svt_probability():
    answers = np.linspace(-3, 3, 30)
    outputs = [False] * 29 + [True]

    def quadrature():
        def below(z):
            return np.prod(laplace_cdf(z - answers[:-1], 4.0)) * (1 - laplace_cdf(z - answers[-1], 4.0))

        return integrate.quad(lambda z: np.exp(-abs(z) / 2) / 4 * below(z), -80, 80, points=[0], limit=400)[0]

    assert np.isclose(log_output_probability(outputs, answers, 0, 1, 1, 1.0, ALG12), np.log(quadrature()))
    return lambda: log_output_probability(outputs, answers, 0, 1, 1, 1.0, ALG12), quadrature, 7


def alp_reads():
    rng = np.random.default_rng(1)
    keys, values = rng.choice(1_000_000, 1_000, replace=False), np.minimum(20 * (1 + rng.pareto(1, 1_000)), 1e4)
    sketch = alp_projection((keys, values, 1_000_000), 3.0, 1e4, 16_000, 1.0, rng)
    some = rng.choice(1_000_000, 1_000, replace=False)
    assert np.mean(alp_estimate(sketch, some, patience=64) == alp_estimate(sketch, some)) > 0.99
    return lambda: alp_estimate(sketch, some, patience=64), lambda: alp_estimate(sketch, some), 5


def laplace_cdf(x, scale):
    return np.where(x < 0, np.exp(np.minimum(x, 0) / scale) / 2, 1 - np.exp(-np.maximum(x, 0) / scale) / 2)


def sparse_reconstruction():
    n, sparsity, k = 16_384, 20, 300
    rng, basis = np.random.default_rng(1), haar_basis(16_384)
    coefficients = np.zeros(n)
    coefficients[rng.choice(n, sparsity, replace=False)] = rng.normal(size=sparsity) * 100
    operator = hadamard_operator(k, n, rng)
    samples = operator @ basis.inverse(coefficients)
    dense = np.column_stack([operator @ basis.inverse(unit) for unit in np.eye(n, dtype=np.float32)])

    def scikit_learn():
        return orthogonal_mp(dense, samples, n_nonzero_coefs=sparsity)

    assert np.allclose(reconstruct(samples, operator, basis, sparsity, generalised_omp), basis.inverse(scikit_learn()))
    return lambda: reconstruct(samples, operator, basis, sparsity, generalised_omp), scikit_learn, 3


ROWS = {
    "Laplace noise on a million counts | a Python loop": laplace_million,
    "Laplace noise on a million counts | numpy's Generator.laplace alone": laplace_numpy,
    "exponential mechanism, a million candidates | Generator.choice": exponential_million,
    "the same, no candidate out of reach | Generator.choice": exponential_flat,
    "1,000 reads of an ALP sketch, d = 1,000,000, patience 64 | without": alp_reads,
    "inference on a 16-ary tree of 4,096 bins | sparse normal equations": tree_inference,
    "10,000 range queries on 65,536 bins | slices and sums": range_queries,
    "SVT over 100,000 queries | a Python loop": svt_stream,
    "exact probability of an SVT run of 30 queries | scipy quad": svt_probability,
    "reconstruction, n = 16,384, S = 20 | scikit-learn OMP, dense": sparse_reconstruction,
}


if __name__ == "__main__":
    show(ROWS)
