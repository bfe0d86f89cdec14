"""The claims of chapter 18: measurements of tables; 001 Theorem 2 claims less than noise of its scale can keep."""

import numpy as np

from dpbook import sensing, sparse
from dpbook.claims.verdicts import BY_STEPS, Claim, called
from dpbook.neighbours import ADD_REMOVE, count_pairs

CHAPTER = "18"
COUNTS = np.array([3.0, 0, 1, 4, 1, 5, 9, 2, 6, 5])


def claims():
    """The rows of chapter 18."""
    tables = [(one.reshape(5, 2), more.reshape(5, 2)) for one, more in count_pairs(COUNTS)]
    signs = sparse.bernoulli_operator(4, 5, np.random.default_rng(1))
    normal = sensing.gaussian_operator(4, 5, np.random.default_rng(1))
    atoms = sensing.dictionary(sensing.spike_basis(5), sparse.cosine_basis(5))
    sense, whole, fourier = sensing.sense, sensing.compressed_sensing_mechanism, sensing.fourier_histogram
    printed = {
        "epsilon": sensing.theorem_2_claim(sensing.sensing_sensitivity(signs) / 0.8, 0.8),
        "at": 0.8,
        "loses": 0.8,
    }

    def row(mechanism, setting, run, pairs=tables, **rest):
        return Claim(mechanism, setting, ADD_REMOVE, BY_STEPS, run, pairs, **rest)

    return [
        row(sense, "signs", called(sense, signs)),
        row(sense, "normal numbers", called(sense, normal)),
        row(sense, "001 Theorem 2", called(sense, signs), **printed, false=True),
        row(whole, "5 bins, 2 columns", called(whole, normal, atoms, 2)),
        row(fourier, "10 bins, 3 kept", called(fourier, 3), count_pairs(COUNTS)),
    ]
