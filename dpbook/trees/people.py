"""Records of coded attributes with a class each: what is checked of them, and their tables of counts.

`records` is a table (n, a) of whole numbers, column j from 0 to `sizes[j]` - 1; `labels` holds n classes from 0 to
`classes` - 1. Sizes, classes and taxonomies are public. No records at all are data as well.
Source: 004 sections 5.3.2, 5.5.3 and 5.5.4.  Notebook: 12_trees.
"""

from typing import NamedTuple

import numpy as np

from dpbook import arguments


class People(NamedTuple):
    """Checked records: `columns` (a, n), `labels` (n,), `sizes` (a,) and the number of classes."""

    columns: np.ndarray
    labels: np.ndarray
    sizes: tuple
    classes: int


def checked(records, labels, sizes, classes):
    """`People`, or a ValueError that says what is wrong with records, labels, sizes or classes."""
    sizes = tuple(arguments.whole("sizes", int_of(size), 1) for size in np.ravel(np.asarray(sizes, dtype=object)))
    if not sizes:
        arguments.refuse("sizes", sizes, "the number of values of at least one attribute")
    columns = coded(records, sizes)
    classes = arguments.whole("classes", classes, 2)
    labels = whole_numbers("labels", labels)
    if labels.shape != columns.shape[1:]:
        arguments.refuse("labels", f"shape {labels.shape}", f"one class a record, {columns.shape[1]}")
    if labels.size and not 0 <= labels.min() <= labels.max() < classes:
        arguments.refuse("labels", f"{labels.min()} to {labels.max()}", f"classes from 0 to {classes - 1}")
    return People(columns, labels, sizes, classes)


def coded(records, sizes):
    """Records as columns (a, n), each in one piece; raises ValueError for a value outside its attribute's size."""
    records = whole_numbers("records", records)
    if records.ndim != 2 or records.shape[1] != len(sizes):
        arguments.refuse("records", f"shape {records.shape}", f"a table with {len(sizes)} columns, one an attribute")
    columns = np.ascontiguousarray(records.T)
    if columns.size:
        for column, (low, high, size) in enumerate(zip(columns.min(1), columns.max(1), sizes, strict=True)):
            if low < 0 or high >= size:
                arguments.refuse("records", f"{low} to {high} in column {column}", f"values from 0 to {size - 1} there")
    return columns


def whole_numbers(name, values):
    """Whole numbers of any shape, as indices."""
    given = arguments.entries(name, values)
    whole = given if given.dtype.kind in "iu" else arguments.integers(name, given)
    return whole.astype(np.intp)


def int_of(value):
    """A whole number that numpy may have made, as Python's."""
    return int(value) if isinstance(value, np.integer) else value


def class_counts(values, labels, size, classes):
    """How many records of each class have each value: a table (size, classes). NOT private.

    `values` are n whole numbers from 0 to `size` - 1, `labels` n classes. Raises ValueError for others.
    Source: 004 section 5.3.2.  Notebook: 12_trees.
    """
    values = whole_numbers("values", values)
    if values.ndim != 1:
        arguments.refuse("values", f"shape {values.shape}", "a list of whole numbers, one a record")
    people = checked(values[:, None], labels, (size,), classes)
    table = np.bincount(people.columns[0] * classes + people.labels, minlength=size * classes)
    return table.reshape(size, classes)


def node_tables(people, place, nodes, attribute):
    """An attribute's tables (nodes, size, classes), one a node; `place` is each record's node, `nodes` for none."""
    size, classes = people.sizes[attribute], people.classes
    code = (place * size + people.columns[attribute]) * classes + people.labels
    return np.bincount(code, minlength=(nodes + 1) * size * classes)[: nodes * size * classes].reshape(
        nodes, size, classes
    )


def merging(groups):
    """How `merged` adds up values by their groups 0, 1, ..., none of them empty: an order of the values, and starts."""
    order = np.argsort(groups, kind="stable")
    sorted_groups = groups[order]
    starts = np.append(0, np.flatnonzero(sorted_groups[1:] != sorted_groups[:-1]) + 1)
    return None if np.array_equal(order, np.arange(order.size)) else order, starts


def merged(table, plan, axis):
    """A table of counts with the values along `axis` added up as the plan that `merging` made says."""
    order, starts = plan
    table = table if order is None else np.take(table, order, axis=axis)
    return table if starts.size == table.shape[axis] else np.add.reduceat(table, starts, axis=axis)
