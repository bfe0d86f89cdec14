"""Sparse signals, shared by chapters 16 to 18: bases and sampling operators, and the way back from few samples.

Nothing here draws noise on data: `bases` is public by construction, `reconstruction` is post-processing. `plain` writes
a matrix out.
Source: 000 sections 3.2 and 7.  Notebook: 16_compressive.
"""

from dpbook.sparse.bases import (
    Basis,
    Operator,
    bernoulli_operator,
    cosine_basis,
    haar_basis,
    hadamard_operator,
    keep_largest,
    matrix_operator,
    measurements,
    noise_length,
    pad_to_power_of_two,
)
from dpbook.sparse.plain import plain_hadamard_matrix
from dpbook.sparse.reconstruction import basis_pursuit, cosamp, generalised_omp, reconstruct
