"""How good is it, and is it safe? Errors of tables, and two things about distances that prove nothing.

Source: beyond the seeds; Ganev, De Cristofaro 2023.  Notebook: 28_synthetic.
"""

import numpy as np

from dpbook import arguments
from dpbook.marginals.tables import checked_records

AT_ONCE = 2**22  # distances in memory: 16 MB


def table_variation(table, truth):
    """The total variation of a table from the `truth`: half of their L1 distance, divided by the truth's total.

    Where the table has another total, that counts too. Not private. Raises ValueError for tables of different shapes,
    or a truth without records. Source: McKenna, Miklau, Sheldon 2021.  Notebook: 28_synthetic.
    """
    table, truth = arguments.array("table", table), arguments.array("truth", truth)
    if table.shape != truth.shape:
        arguments.refuse("table", f"shape {table.shape}", f"a table of the shape of truth, {truth.shape}")
    if not truth.sum() > 0:
        arguments.refuse("truth", truth, "a table with a total above 0")
    return float(np.abs(table - truth).sum() / (2 * truth.sum()))


def workload_error(tables, truths):
    """The mean of `table_variation` over a workload. Not private.

    Raises ValueError for no tables or unlike numbers of them. Source: McKenna and others 2022.  Notebook: 28_synthetic.
    """
    tables, truths = list(tables), list(truths)
    if not tables or len(tables) != len(truths):
        arguments.refuse("tables", f"{len(tables)} tables", f"as many as truths, {len(truths)}, and at least one")
    return float(np.mean([table_variation(*pair) for pair in zip(tables, truths, strict=True)]))


def closest_distances(synthetic, records):
    """For each synthetic record: in how many attributes it differs from the closest of `records`. Not private.

    Hamming's distance; the "distance to the closest record" of reports: no evidence of privacy, a leak if published.
    Raises ValueError for tables of unlike width, or no records. Source: Ganev, De Cristofaro 2023.
    Notebook: 28_synthetic.
    """
    synthetic, records = _whole("synthetic", synthetic), _whole("records", records)
    if synthetic.shape[1] != records.shape[1] or not len(records):
        came = f"{len(records)} of {records.shape[1]} columns"
        arguments.refuse("records", came, f"at least one, of as many columns as synthetic, {synthetic.shape[1]}")
    different, back = np.unique(synthetic, axis=0, return_inverse=True)
    targets = np.unique(records, axis=0)
    values = max(different.max(initial=0), targets.max(initial=0)) + 1
    same = _one_hot(targets, values).T
    step = max(1, AT_ONCE // len(targets))
    nearest = [
        (_one_hot(different[at : at + step], values) @ same).max(axis=1) for at in range(0, len(different), step)
    ]
    return (synthetic.shape[1] - np.concatenate([np.empty(0), *nearest]).astype(int))[back.ravel()]


def empty_balls(synthetic, targets, radius):
    """For each target: whether no synthetic record lies within `radius` of it (Hamming); booleans. An attack.

    Of a generator that keeps away from its records an empty ball says: the target was among them. Raises ValueError as
    `closest_distances` does, or for a radius below 0. Source: Ganev, De Cristofaro 2023.  Notebook: 28_synthetic.
    """
    return closest_distances(targets, synthetic) > arguments.whole("radius", radius, 0)


def _one_hot(records, values):
    return (records[:, :, None] == np.arange(values)).reshape(len(records), -1).astype(np.float32)


def _whole(name, records):
    records = arguments.integers(name, records)
    if records.ndim != 2 or not records.shape[1]:
        arguments.refuse(name, f"shape {records.shape}", "a table of whole numbers, one row a record")
    checked_records(records, [int(records.max(initial=0)) + 1] * records.shape[1])
    return records
