"""Histograms that answer range queries: flat, trees of counts (H_b), Haar wavelets, the matrix mechanism.

`hierarchical` makes the releases, `strategies` knows their exact errors over all ranges and holds the matrix mechanism.
Source: 004 sections 4.1 and 4.2.  Notebook: 08_histograms.
"""

from dpbook.histograms.hierarchical import (
    approximate_error,
    average_error,
    average_nodes,
    best_branching,
    constrained_inference,
    flat_histogram,
    geometric_shares,
    haar_histogram,
    hierarchical_counts,
    hierarchical_histogram,
    level_shares,
    level_sizes,
    range_nodes,
    siblings,
    sum_leaves,
    sum_nodes,
    tree_counts,
)
from dpbook.histograms.strategies import (
    all_ranges,
    flat_error,
    haar_error,
    inferred_error,
    matrix_mechanism,
    over_all_ranges,
    reconstruction_matrix,
    squared_error,
    strategy_error,
)
