"""Numbers beyond 2^31, which a browser's numpy makes of whole numbers only where it is told to: 32 bits is its default.

`wide()` is the same here and there, or a sum has passed 2^31 in silence; `tools.book.lite.batch` compares.
"""

import pathlib
import tempfile

import numpy as np

from dpbook import arguments, data, histograms, laplace, marginals, partitions


def wide():
    """What mechanisms make of wide numbers: name -> list of numbers."""
    rng = np.random.default_rng(1)
    records = rng.integers(0, 2, (200, 45), dtype=np.uint8)
    pairs = [(first, second) for first in range(0, 45, 2) for second in (1, 13, 31, 43)]
    many = np.full(8, 2**30)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "counts.csv"
        file.write_text(f"{2**40}\n{2**40}\n")
        read = data.read_counts(file)
    return {
        "marginals of 45 attributes": np.concatenate([one.ravel() for one in marginals.marginals(records, pairs)]),
        "whole numbers": arguments.integers("values", [2**40, 1]) * 3,
        "counts that were read": read.cumsum(),
        "geometric noise on 2^40": laplace.geometric_mechanism([2**40, 2**41], 1, 1.0, rng),
        "a histogram of 2^33": histograms.flat_histogram(many, 1e9, rng).round(),
        "a tree of 2^33": histograms.hierarchical_histogram(many, 2, 1e9, rng).round(),
        "blocks of 2^33": partitions.spread(partitions.noisy_first(many, 1.0, 1e9, rng)).round(),
    }


def as_numbers():
    """The same as plain lists, to be compared."""
    return {name: np.asarray(values, dtype=float).tolist() for name, values in wide().items()}
