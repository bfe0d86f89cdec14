"""DiffGen: start with everything generalised, specialise one value after the other, publish the noisy counts.

Source: 004 section 5.5.3; Mohammed, Chen, Fung, Yu 2011.  Notebook: 12_trees.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.exponential import exponential_mechanism
from dpbook.laplace import laplace_mechanism
from dpbook.trees.grids import checked_taxonomies
from dpbook.trees.people import checked, merged, merging

MOST_CELLS = 1_000_000


class Partition(NamedTuple):
    """What DiffGen publishes: the `cuts`, the `cells` that they make, and the noisy `counts` (cells, classes).

    `cuts` says what was specialised, in order, as (attribute, its values). `cells` has, for each attribute, the group
    of each value. In `counts` the last attribute's group is counted fastest.
    """

    cuts: tuple
    cells: tuple
    counts: np.ndarray


def diffgen(records, labels, taxonomies, classes, specialisations, quality, epsilon, rng):
    """Release a partition and its noisy class counts with epsilon-DP under add/remove (2 epsilon under replace).

    `specialisations` times, a group of values is split into its children in the taxonomy, in all cells. Each choice
    spends epsilon / (2 specialisations). It goes by how much the split adds to the quality, summed over the cells. A
    gain moves either way, by at most the quality's sensitivity, so the 2 stays. The other half of epsilon pays for the
    counts of all cells, empty ones too. Stops early if nothing is left to split. Returns a `Partition`.
    Raises ValueError as `privpfc` and `diffpid3` do, for specialisations below 1, or beyond a million cells.
    Source: 004 section 5.5.3; Mohammed and others 2011.  Notebook: 12_trees.
    """
    taxonomies = checked_taxonomies(taxonomies)
    people = checked(records, labels, [taxonomy.shape[1] for taxonomy in taxonomies], classes)
    steps = arguments.whole("specialisations", specialisations, 1)
    share = arguments.positive("epsilon", epsilon) / (2 * steps)
    if people.labels.size > quality.most:
        arguments.refuse("records", f"{people.labels.size} of them", f"at most {quality.most}, as the quality says")
    arguments.generator("rng", rng)
    groups, cuts = [taxonomy[0] for taxonomy in taxonomies], []
    for _ in range(steps):
        candidates = specialisable(taxonomies, groups)
        if not candidates:
            break
        gains = specialisation_gains(people, groups, candidates, quality)
        attribute, values, children = candidates[
            exponential_mechanism(gains, quality.sensitivity, share, rng)  # general: a gain may rise or fall
        ]
        cuts.append((attribute, tuple(int(value) for value in values)))
        groups[attribute] = split_group(groups[attribute], values, children)
        _few(math.prod(int(group.max()) + 1 for group in groups))
    noisy = laplace_mechanism(_cell_counts(people, groups), 1, epsilon / 2, rng)
    return Partition(tuple(cuts), tuple(groups), noisy)


def _few(cells):
    if cells > MOST_CELLS:
        arguments.refuse("specialisations", f"{cells} cells", f"so few that there are at most {MOST_CELLS} cells")


def specialisable(taxonomies, groups):
    """All groups that have children in their taxonomy: (attribute, values, the child of each). Looks at no data."""
    return [
        (attribute, values, children)
        for attribute, (taxonomy, row) in enumerate(zip(taxonomies, groups, strict=True))
        for group in range(row.max() + 1)
        for values in [np.flatnonzero(row == group)]
        for children in [_children(taxonomy, values)]
        if children is not None
    ]


def _children(taxonomy, values):
    """The child, from 0, of each of the values of one group: by the first row that tells any two of them apart."""
    for row in taxonomy:
        if np.any(row[values] != row[values[0]]):
            return np.unique(row[values], return_inverse=True)[1]
    return None


def split_group(row, values, children):
    """The groups after the one with these values has been split: numbered by their first value."""
    marked = row * row.size + 0
    marked[values] += children
    _, first, place = np.unique(marked, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]


def specialisation_gains(people, groups, candidates, quality):
    """How much each candidate would add to the quality, summed over the cells. NOT private.

    One record moves each gain by at most the quality's sensitivity, up or down.
    """
    tables = {attribute: _value_tables(people, groups, attribute) for attribute, _, _ in candidates}
    gains = []
    for attribute, values, children in candidates:
        parts = merged(tables[attribute][:, values], merging(children), 1)  # (other cells, children, classes)
        whole = parts.sum(axis=1, keepdims=True)
        gains.append(float(np.sum(quality.score(parts) - quality.score(whole))))
    return np.array(gains)


def _value_tables(people, groups, attribute):
    """Class counts (cells of the other attributes, values of this one, classes)."""
    code, cells = np.zeros(people.labels.size, np.intp), 1
    for other, row in enumerate(groups):
        if other != attribute and row.max():
            code, cells = code * (row.max() + 1) + row[people.columns[other]], cells * (int(row.max()) + 1)
    size, classes = people.sizes[attribute], people.classes
    code = (code * size + people.columns[attribute]) * classes + people.labels
    return np.bincount(code, minlength=cells * size * classes).reshape(cells, size, classes)


def _cell_counts(people, groups):
    """Class counts (cells, classes) of the product of all groups."""
    code, cells = np.zeros(people.labels.size, np.intp), 1
    for column, row in zip(people.columns, groups, strict=True):
        code, cells = code * (row.max() + 1) + row[column], cells * (int(row.max()) + 1)
    return np.bincount(code * people.classes + people.labels, minlength=cells * people.classes).reshape(
        cells, people.classes
    )
