"""What a tree, a grid or a partition predicts: post-processing of what was released, so it costs nothing.

Source: 004 sections 5.3.2 and 5.5.4.  Notebook: 12_trees.
"""

import numpy as np

from dpbook import arguments
from dpbook.trees.induction import Tree
from dpbook.trees.people import coded, whole_numbers


def predict(tree, records):
    """The class that each record gets: the largest (noisy) count of its leaf or cell, the first of equals.

    `tree` is a `Tree`, a `Grid` or a `Partition`; `records` (n, a) as it was grown from. Returns n whole numbers.
    Private if the tree is, as long as the records are not themselves secret: each prediction shows its record's cell.
    Raises ValueError for something else, or for a value that it does not know.
    Source: 004 sections 5.3.2 and 5.5.4.  Notebook: 12_trees.
    """
    if isinstance(tree, Tree):
        return _by_tree(tree, whole_numbers("records", records))
    groups = getattr(tree, "groups", getattr(tree, "cells", None))
    if groups is None:
        arguments.refuse("tree", tree, "a Tree, a Grid or a Partition")
    columns = coded(records, [row.size for row in groups])
    code = np.zeros(columns.shape[1], np.intp)
    for column, row in zip(columns, groups, strict=True):
        code = code * (row.max() + 1) + row[column]
    return np.argmax(tree.counts, axis=1)[code]


def _by_tree(tree, records):
    if records.ndim != 2:
        arguments.refuse("records", f"shape {records.shape}", "a table, one row a record")
    nodes = [tree]
    for node in nodes:  # grows while it is read: all nodes, level by level
        nodes += node.children
    attributes = np.array([node.attribute for node in nodes])
    widths = np.array([len(node.children) for node in nodes])
    first = 1 + np.append(0, np.cumsum(widths)[:-1])
    labels = np.array([int(np.argmax(node.counts)) if node.attribute < 0 else -1 for node in nodes])
    if attributes.max(initial=-1) >= records.shape[1]:
        arguments.refuse("records", f"shape {records.shape}", f"at least {attributes.max() + 1} columns")
    place, rows = np.zeros(len(records), np.intp), np.arange(len(records))
    while rows.size:
        rows = rows[attributes[place[rows]] >= 0]
        at = place[rows]
        value = records[rows, attributes[at]]
        if np.any((value < 0) | (value >= widths[at])):
            arguments.refuse("records", f"{value.min()} to {value.max()}", "values that the tree knows")
        place[rows] = first[at] + value
    return labels[place]
