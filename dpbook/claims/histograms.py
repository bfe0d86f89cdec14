"""The claims of chapter 08: one record more in each bin in turn."""

import numpy as np

from dpbook import histograms
from dpbook.claims.verdicts import BY_STEPS, Claim, called
from dpbook.neighbours import ADD_REMOVE, count_pairs

CHAPTER = "08"
COUNTS = np.array([3.0, 0, 1, 4, 1, 5, 9, 2, 6, 5])


def claims():
    """The rows of chapter 08."""
    strategy = np.vstack([np.eye(COUNTS.size), np.ones(COUNTS.size)])
    flat, haar, matrix = histograms.flat_histogram, histograms.haar_histogram, histograms.matrix_mechanism
    levels, tree = histograms.hierarchical_counts, histograms.hierarchical_histogram
    unequal = called(levels, 3, shares=histograms.geometric_shares(3, 3))
    ranges = called(matrix, histograms.all_ranges(COUNTS.size), strategy)

    def row(mechanism, setting, run):
        return Claim(mechanism, setting, ADD_REMOVE, BY_STEPS, run, count_pairs(COUNTS))

    return [
        row(flat, "10 bins", called(flat)),
        row(levels, "10 bins, 3 children", unequal),
        row(tree, "10 bins, 2 children", called(tree, 2)),
        row(haar, "10 bins", called(haar)),
        row(matrix, "ranges through bins and total", ranges),
    ]
