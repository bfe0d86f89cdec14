"""What a tree, a grid or a partition predicts: post-processing of what was released, so it costs nothing.

Source: 004 sections 5.3.2 and 5.5.4.  Notebook: 12_trees.
"""

import numpy as np

from dpbook import arguments
from dpbook.trees.additive import Additive
from dpbook.trees.induction import Tree
from dpbook.trees.people import coded, whole_numbers


def predict(tree, records):
    """The class that each record gets: the largest (noisy) count of its leaf or cell, or the sign of its score.

    `tree` is a `Tree`, a `Grid`, a `Partition` or an `Additive`; `records` (n, a) as it was grown from. Returns n whole
    numbers.
    Private if the tree is, as long as the records are not themselves secret: each prediction shows its record's cell.
    Raises ValueError for something else, or for a value that it does not know.
    Source: 004 sections 5.3.2 and 5.5.4.  Notebook: 12_trees.
    """
    if isinstance(tree, Tree):
        return _by_tree(tree, whole_numbers("records", records))
    if isinstance(tree, Additive):
        columns = coded(records, [scores.size for scores in tree.scores])
        return (sum(scores[column] for scores, column in zip(tree.scores, columns, strict=True)) > 0).astype(np.intp)
    groups = getattr(tree, "groups", getattr(tree, "cells", None))
    if groups is None:
        arguments.refuse("tree", tree, "a Tree, a Grid, a Partition or an Additive")
    columns = coded(records, [row.size for row in groups])
    code = np.zeros(columns.shape[1], np.intp)
    for column, row in zip(columns, groups, strict=True):
        code = code * (row.max() + 1) + row[column]
    return np.argmax(tree.counts, axis=1)[code]


def leaf_of(tree, records):
    """The number of the leaf in which each record ends: leaves counted level by level, from the left. NOT private.

    `tree` is a `Tree`, `records` as for `predict`. Returns n whole numbers. Raises ValueError for a value that the tree
    does not know. Source: 004 section 5.3.2.  Notebook: 12_trees.
    """
    nodes, place = _walked(tree, whole_numbers("records", records))
    return (np.cumsum([node.attribute < 0 for node in nodes]) - 1)[place]


def _by_tree(tree, records):
    nodes, place = _walked(tree, records)
    is_leaf = np.array([node.attribute < 0 for node in nodes])
    labels = np.argmax([node.counts for node in nodes if node.attribute < 0], axis=1)
    return labels[(np.cumsum(is_leaf) - 1)[place]]


def _walked(tree, records):
    """All nodes, level by level, and the place among them of each record's leaf."""
    if records.ndim != 2:
        arguments.refuse("records", f"shape {records.shape}", "a table, one row a record")
    nodes = [tree]
    for node in nodes:  # grows while it is read
        nodes += node.children
    attributes = np.array([node.attribute for node in nodes])
    widths = np.array([len(node.children) for node in nodes])
    first = 1 + np.append(0, np.cumsum(widths)[:-1])
    if attributes.max(initial=-1) >= records.shape[1]:
        arguments.refuse("records", f"shape {records.shape}", f"at least {attributes.max() + 1} columns")
    flat, place = np.ravel(records), np.zeros(len(records), np.intp)
    rows = np.arange(len(records) if tree.children else 0)
    while rows.size:
        at = place[rows]
        value = flat[rows * records.shape[1] + attributes[at]]
        if value.min() < 0 or np.any(value >= widths[at]):
            arguments.refuse("records", f"{value.min()} to {value.max()}", "values that the tree knows")
        place[rows] = at = first[at] + value
        rows = rows[attributes[at] >= 0]
    return nodes, place
