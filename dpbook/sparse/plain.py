"""The Hadamard matrix of samples, written out.

`dpbook.sparse.bases.hadamard_operator` multiplies by it without writing it down; a test holds them together.
Source: 000 section 3.2.  Notebook: 16_compressive.
"""

import math

import numpy as np
import scipy

from dpbook import arguments


def plain_hadamard_matrix(k, n, rng):
    """The k x n matrix of `hadamard_operator`, from the same random numbers: public; each column has L1 norm sqrt(k).

    Takes k n numbers of memory. Same arguments and errors. Source: 000 section 3.2.  Notebook: 16_compressive.
    """
    n = arguments.whole("n", n, 1)
    k = arguments.whole("k", k, 1, n)
    rng = arguments.generator("rng", rng)
    size = 2 ** (k - 1).bit_length()  # bins in a block: the smallest power of two that is at least k
    blocks = math.ceil(n / size)
    rows = rng.choice(size, k, replace=False)  # the same rows in every block
    bin_signs = rng.choice([-1, 1], size=(blocks, size))
    row_signs = rng.choice([-1, 1], size=(blocks, size))[:, rows]
    signs = scipy.linalg.hadamard(size)[rows]  # k x size, each entry +1 or -1
    parts = [row_signs[block][:, None] * signs * bin_signs[block] for block in range(blocks)]
    return np.hstack(parts)[:, :n] / math.sqrt(k)  # the last block may be cut
