"""Marginal tables, counted and released: Flat (all cells at once), Direct (each wanted table), and how errors are told.

`records` is an array (N, d) of whole numbers: one row a record, one column an attribute. The values are 0 or 1, unless
the public `sizes` say how many values 0, ..., size - 1 each attribute can take. A set of attributes is a tuple of
columns. A table over it has one axis an attribute, in the tuple's order, and holds counts, not fractions. Errors are
squared errors summed over a whole table, expected, in V_u = 2 / epsilon^2 (004 equations 6.2 to 6.4).
Source: 004 sections 6.1 to 6.2.2.  Notebook: 13_marginals.
"""

import itertools
import math

import numpy as np

from dpbook import arguments
from dpbook.laplace import laplace_mechanism

MOST_CELLS = 2**20  # of a table over all attributes: 8 MB
WORTH_SORTING = 64  # tables that are counted faster after equal records were put together


def marginal(records, attributes, *, sizes=None):
    """The marginal table of `records` over `attributes`: how many records have each combination. Not private.

    One pass over the records, whatever their number of attributes. Returns a float array with one axis an attribute.
    Raises ValueError for records that are not a table of whole numbers within their sizes. Also raises it for
    attributes that are not different columns, or a table of more than 2**20 cells.
    Source: 004 section 6.1.  Notebook: 13_marginals.
    """
    return marginals(records, [attributes], sizes=sizes)[0]


def marginals(records, sets, *, sizes=None):
    """The marginal tables over each of `sets`, as a list. Not private. Arguments and errors as for `marginal`."""
    records, sizes = checked_records(records, sizes)
    sets = [checked_set("sets", attributes, len(sizes)) for attributes in sets]
    for attributes in sets:
        table_size(attributes, sizes)
    records, many = distinct(records, sizes) if len(sets) >= WORTH_SORTING else (records, None)
    return counted(records, many, sets, sizes)


def distinct(records, sizes):
    """The different records, and how many there are of each (None: not looked for, where they are too wide)."""
    if math.prod(sizes) > 2**62:
        return records, None
    steps = np.cumprod([1, *sizes[:-1]], dtype=np.int64)
    codes, many = np.unique(records @ steps, return_counts=True)
    return codes[:, None] // steps % np.array(sizes), many.astype(float)


def counted(records, many, sets, sizes):
    """The tables over sets that are as they should be, of different records and their numbers (None: of all)."""
    needed = sorted({attribute for attributes in sets for attribute in attributes})
    columns = dict(zip(needed, np.ascontiguousarray(records[:, needed].T), strict=True))
    return [_count(columns, attributes, [sizes[a] for a in attributes], len(records), many) for attributes in sets]


def _count(columns, attributes, shape, n, many):
    """One pass: the number of each record's cell, in the smallest integers that hold it, then a histogram of them."""
    cells = math.prod(shape)
    place = np.zeros(n, np.min_scalar_type(cells - 1))
    for attribute, size in zip(attributes, shape, strict=True):
        place *= place.dtype.type(size % cells)  # a size as large as all cells multiplies only zeros
        place += columns[attribute].astype(place.dtype)
    return np.bincount(place.astype(np.intp), many, cells).astype(float).reshape(shape)


def project(table, attributes, onto):
    """The table over `onto`, summed from a `table` over `attributes`; axes in the order of `onto`. Costs no privacy.

    Raises ValueError if `onto` is not a part of `attributes`, or the table has another number of axes.
    Source: 004 section 6.3, T_A[A'].  Notebook: 13_marginals.
    """
    table, attributes = arguments.array("table", table), tuple(attributes)
    if table.ndim != len(attributes):
        arguments.refuse("table", f"{table.ndim} axes", f"one axis for each of the attributes {attributes}")
    onto = tuple(onto)
    if not set(onto) <= set(attributes) or len(set(onto)) < len(onto):
        arguments.refuse("onto", onto, f"different attributes of {attributes}")
    left = [attribute for attribute in attributes if attribute in onto]
    sizes = dict(zip(attributes, table.shape, strict=True))
    runs = [(kept, list(run)) for kept, run in itertools.groupby(attributes, onto.__contains__)]
    joined = table.reshape([math.prod(sizes[a] for a in run) for _, run in runs])
    summed = joined.sum(axis=tuple(place for place, (kept, _) in enumerate(runs) if not kept))
    return summed.reshape([sizes[a] for a in left]).transpose([left.index(attribute) for attribute in onto])


def flat_table(records, epsilon, rng, *, sizes=None):
    """Release the table over all attributes with epsilon-DP (add/remove): noise of scale 1/epsilon on every cell.

    Returns an array with one axis an attribute, at most 2**20 cells. Any marginal of it, by `project`, is
    post-processing. Raises ValueError as `marginal` does, and for an epsilon that is not a finite number above 0.
    Source: 004 section 6.2.1.  Notebook: 13_marginals.
    """
    records, sizes = checked_records(records, sizes)
    truth = marginal(records, range(len(sizes)), sizes=sizes)
    return laplace_mechanism(truth, 1, epsilon, rng)


def direct_marginals(records, sets, epsilon, rng, *, sizes=None):
    """Release the tables over each of `sets` with epsilon-DP (add/remove): noise of scale len(sets)/epsilon on each.

    A record is in one cell of every table, so it moves all of them together by len(sets). The tables contradict each
    other. Returns a list of arrays. Raises ValueError as `marginal` does, for no sets, and for a bad epsilon.
    Source: 004 section 6.2.2.  Notebook: 13_marginals.
    """
    tables = marginals(records, checked_sets("sets", sets), sizes=sizes)
    return [laplace_mechanism(table, len(tables), epsilon, rng) for table in tables]


def flat_error(d, order):
    """Expected squared error of a binary table over `order` attributes by `flat_table`, in V_u: 2**d for any order.

    Source: 004 equation (6.3).  Notebook: 13_marginals.
    """
    d, _ = checked_order(d, order)
    return 2.0**d


def direct_error(d, order):
    """Expected squared error of a binary table over `order` attributes, all of them by `direct_marginals`, in V_u.

    Source: 004 equation (6.4).  Notebook: 13_marginals.
    """
    d, order = checked_order(d, order)
    return 2.0**order * math.comb(d, order) ** 2


def table_error(table, truth):
    """The distance of two tables, the root of the summed squares of their cells' differences, in records.

    Raises ValueError for tables of different shapes. Source: 004 section 6.1.  Notebook: 13_marginals.
    """
    table, truth = arguments.array("table", table), arguments.array("truth", truth)
    if table.shape != truth.shape:
        arguments.refuse("table", f"shape {table.shape}", f"a table of the shape of truth, {truth.shape}")
    return float(np.linalg.norm(table - truth))


def table_divergence(table, truth):
    """Jensen and Shannon's divergence between two tables, each divided by its total, in nats: 0 to ln 2.

    Undefined for tables with a negative cell, which noisy tables often have: those are refused, make them
    non-negative first. Raises ValueError for that, a total of 0, or different shapes.
    Source: 004 equation (6.1), whose log is natural.  Notebook: 13_marginals.
    """
    parts = []
    for name, cells in (("table", table), ("truth", truth)):
        cells = arguments.array(name, cells)
        if cells.min(initial=0) < 0 or not cells.sum() > 0:
            arguments.refuse(name, cells, "a table of counts with no cell below 0 and a total above 0")
        parts.append(cells / cells.sum())
    if parts[0].shape != parts[1].shape:
        arguments.refuse("table", f"shape {parts[0].shape}", f"a table of the shape of truth, {parts[1].shape}")
    middle = (parts[0] + parts[1]) / 2
    halves = [part * np.log(np.divide(part, middle, out=np.ones_like(part), where=part > 0)) for part in parts]
    return float(sum(half.sum() for half in halves) / 2)


def checked_records(records, sizes=None):
    """The records as a two-dimensional integer array and the attributes' sizes as a tuple, or ValueError."""
    records = arguments.entries("records", records)
    if records.ndim != 2 or records.shape[1] == 0 or records.dtype.kind not in "biuf":
        came = f"an array of shape {records.shape} and type {records.dtype}"
        arguments.refuse("records", came, "a table of whole numbers, one row a record, one column an attribute")
    d = records.shape[1]
    sizes = (2,) * d if sizes is None else tuple(arguments.whole("sizes", size, 1) for size in sizes)
    if len(sizes) != d:
        arguments.refuse("sizes", sizes, f"the number of values of each of the {d} attributes")
    whole = records if records.dtype.kind in "biu" else arguments.integers("records", records)
    whole = whole.view(np.uint8) if whole.dtype.kind == "b" else whole
    if len(whole) and (whole.min() < 0 or whole.max() >= min(sizes)):
        for attribute, (low, high) in enumerate(zip(whole.min(axis=0), whole.max(axis=0), strict=True)):
            if low < 0 or high >= sizes[attribute]:
                came = f"{low} to {high} in column {attribute}"
                arguments.refuse("records", came, f"whole numbers from 0 to {sizes[attribute] - 1} there")
    return whole, sizes


def checked_set(name, attributes, d=None):
    """Different columns, as a tuple of ints below `d`."""
    expected = "different columns" + ("" if d is None else f" from 0 to {d - 1}")
    try:
        chosen = tuple(a if type(a) is int else arguments.whole(name, a, 0) for a in attributes)
    except (TypeError, ValueError):
        arguments.refuse(name, attributes, expected)
    if len(set(chosen)) < len(chosen) or (chosen and not 0 <= min(chosen) <= max(chosen) < (d or math.inf)):
        arguments.refuse(name, attributes, expected)
    return chosen


def checked_sets(name, sets, d=None):
    """A non-empty list of sets of attributes, as a list of tuples of ints."""
    sets = [checked_set(name, attributes, d) for attributes in sets]
    if not sets:
        arguments.refuse(name, sets, "at least one set of attributes")
    return sets


def checked_order(d, order):
    """The number of attributes and of those in a wanted table, as ints."""
    d = arguments.whole("d", d, 1)
    return d, arguments.whole("order", order, 0, d)


def table_size(attributes, sizes):
    """The number of cells of a table, refused where it would not fit into memory."""
    cells = math.prod(sizes[attribute] for attribute in attributes)
    if cells > MOST_CELLS:
        expected = "with at most 2**20 cells (20 yes-or-no attributes); publish marginals of fewer attributes instead"
        arguments.refuse("table", f"{cells:,} cells over {len(attributes)} attributes", expected)
    return cells
