"""The claims of chapter 16: noisy samples of sparse data; how many coefficients, whose sensitivity is the basis's."""

from dataclasses import replace

import numpy as np

from dpbook import compressive, sparse
from dpbook.claims.verdicts import BY_DRAW, BY_STEPS, Claim, called
from dpbook.exponential import privacy_loss
from dpbook.neighbours import ADD_REMOVE, count_pairs

CHAPTER = "16"
SIZES = np.arange(1, 12)  # all S up to n / e for 32 bins


def claims():
    """The rows of chapter 16."""
    data, even = count_pairs(np.repeat([50.0, 9, 0, 0], 16)), count_pairs(np.full(32, 2.0))[:2]
    wavelets, cosines = sparse.haar_basis, sparse.cosine_basis
    of, size = compressive.compressive_mechanism, compressive.choose_sparsity

    def chosen(setting, basis, prediction=compressive.error_bound, **rest):
        """A row of the choice of S, with the loss that its predictions, and their sensitivity, have on these pairs."""

        def quality(counts):
            return -prediction(counts, basis, SIZES, 9.0, 1.5)[0]

        sensitivity = prediction(even[0][0], basis, SIZES, 9.0, 1.5)[1].max()
        loses = max(privacy_loss(quality(one), quality(other), sensitivity, 1.0) for one, other in even)
        run = called(size, basis, prediction=prediction, mechanism_epsilon=9.0)
        return Claim(size, setting, ADD_REMOVE, BY_DRAW, run, even, loses=loses, **rest)

    return [
        Claim(of, "64 bins, wavelets", ADD_REMOVE, BY_STEPS, called(of, wavelets(64), 3), data),
        Claim(of, "64 bins, cosines", ADD_REMOVE, BY_STEPS, called(of, cosines(64), 3), data),
        chosen("32 bins, wavelets", wavelets(32)),
        chosen("32 bins, expected_error", cosines(32), compressive.expected_error),
        chosen("32 bins, cosines", cosines(32)),
        chosen("cosines, C5 taken for 1", replace(cosines(32), spread=1.0), false=True),
    ]
