"""Publish a histogram, not a tree: PrivPfC chooses one grid among many and releases its noisy class counts.

A taxonomy of an attribute is an array (levels, size) of groups. Row 0 has everything in one group (the attribute is
left out), each row refines the one before, the last is the values themselves. A grid takes one row of each attribute's
taxonomy.
Source: 004 section 5.5.4, Algorithm 11; Su, Cao, Li, Lyu 2018.  Notebook: 12_trees.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.exponential import exponential_mechanism
from dpbook.laplace import laplace_mechanism
from dpbook.trees.people import checked, merged, merging, whole_numbers

# gap flip(gap) falls the fastest where epsilon gap = 1 + sqrt 3, with the slope -OVER.
OVER = (1 + math.sqrt(3)) / 2 * math.exp(-1 - math.sqrt(3))  # 0.0889087: one record moves errors by -OVER to 1 + OVER
SPREAD = 1 + 2 * OVER  # 1.1778174: the moves of any two grids differ by no more than this


class Grid(NamedTuple):
    """What PrivPfC publishes: the `groups` of values, and the noisy `counts` (cells, classes).

    `groups` has, for each attribute, the group of each of its values. The last attribute's group is counted fastest.
    """

    groups: tuple
    counts: np.ndarray


def halving_taxonomy(size):
    """The taxonomy of ordered values 0 to size - 1 that halves every group until each value is alone.

    Returns an int array (levels, size). Raises ValueError for a size below 1.
    Source: 004 section 5.5.3.  Notebook: 12_trees.
    """
    rows = [np.zeros(arguments.whole("size", size, 1), np.intp)]
    while rows[-1][-1] < size - 1:
        halves = [half for group in _groups(rows[-1]) for half in np.array_split(group, 2) if half.size]
        rows.append(np.repeat(np.arange(len(halves)), [half.size for half in halves]))
    return np.array(rows)


def _groups(row):
    return [np.flatnonzero(row == group) for group in range(row.max() + 1)]


def checked_taxonomies(taxonomies):
    """Taxonomies as a tuple of int arrays (levels, size); raises ValueError for what is none."""
    checked_ones = tuple(_taxonomy(place, whole_numbers("taxonomies", one)) for place, one in enumerate(taxonomies))
    if not checked_ones:
        arguments.refuse("taxonomies", (), "one taxonomy an attribute, at least one")
    return checked_ones


def _taxonomy(place, rows):
    if rows.ndim != 2 or 0 in rows.shape or rows[0].any():
        arguments.refuse(f"taxonomies[{place}]", rows.tolist(), "rows of groups, the first one all 0")
    for coarse, fine in itertools.pairwise(rows):
        parents = {(int(group), int(parent)) for group, parent in zip(fine, coarse, strict=True)}
        named = {group for group, _ in parents}
        if len(parents) > len(named) or named != set(range(len(named))):
            arguments.refuse(f"taxonomies[{place}]", rows.tolist(), "rows of groups 0, 1, ..., each refining the last")
    if rows[-1].max() + 1 != rows.shape[1]:
        arguments.refuse(f"taxonomies[{place}]", rows.tolist(), "a last row in which each value is alone")
    return rows


def enumerate_grids(taxonomies, most_cells, pool):
    """The grids of at most `most_cells` cells: first all of one attribute, then of two, ..., at most `pool` of them.

    A grid is a tuple of rows, one a taxonomy; 0 leaves its attribute out. If none fits, the list has the grid of one
    cell. Looks at no data: `most_cells`, any number, must be public or noisy.
    Raises ValueError for taxonomies that do not start with one group or do not refine, or a pool below 1.
    Source: 004 Algorithm 11, "Enumerate".  Notebook: 12_trees.
    """
    taxonomies, pool = checked_taxonomies(taxonomies), arguments.whole("pool", pool, 1)
    most_cells = arguments.number("most_cells", most_cells)
    widths = [taxonomy.max(axis=1) + 1 for taxonomy in taxonomies]
    found, level = [], [((0,) * len(widths), -1, 1)]  # a grid, its last attribute, its cells
    while level and len(found) < pool:
        level = list(itertools.islice(_joined(level, widths, most_cells), pool - len(found)))
        found += [grid for grid, _, _ in level]
    return found or [(0,) * len(widths)]


def _joined(level, widths, most_cells):
    """Each grid of a level with one attribute more, of those behind its last, as long as the cells are few enough."""
    for grid, last, cells in level:
        for attribute in range(last + 1, len(widths)):
            for row in range(1, len(widths[attribute])):
                if cells * widths[attribute][row] <= most_cells:
                    more = (*grid[:attribute], row, *grid[attribute + 1 :])
                    yield more, attribute, cells * widths[attribute][row]


def flip_probability(gap, epsilon):
    """The chance that noise of scale 1 / epsilon on two counts `gap` apart turns them round: e^-x (1 + x / 2) / 2.

    x = epsilon gap; `gap` is at least 0, a number or an array. Raises ValueError for a negative gap or a bad epsilon.
    Source: 004 section 5.5.4; Su and others 2018.  Notebook: 12_trees.
    """
    gap = arguments.array("gap", gap)
    if np.any(gap < 0):
        arguments.refuse("gap", gap.min(), "at least 0")
    x = gap * arguments.positive("epsilon", epsilon)
    return (np.exp(-x) * (1 + x / 2) / 2)[()]


def grid_error(counts, epsilon):
    """How many records a histogram gets wrong, on average, if its class counts have noise of scale 1 / epsilon.

    `counts` (cells, classes), none below 0; in each cell the class of the largest noisy count is predicted. With more
    than two classes only the two largest are taken to compete. One record more moves it by -0.0889087 to 1.0889087
    (add/remove), and two histograms of the same people by amounts that differ by at most SPREAD. NOT private.
    Raises ValueError for counts that are no such table or a bad epsilon.
    Source: 004 section 5.5.4; Su and others 2018, who use the sensitivity 1.1.  Notebook: 12_trees.
    """
    counts = arguments.table("counts", counts)
    if counts.min() < 0 or counts.shape[1] < 2:
        arguments.refuse("counts", counts, "counts of at least two classes, none below 0")
    return float(_errors(counts, arguments.positive("epsilon", epsilon)).sum())


def pool_errors(tables, epsilon):
    """The `grid_error` of each of these tables, at least one, unchecked: all their cells at once. NOT private."""
    starts = np.cumsum([0, *map(len, tables[:-1])])
    return np.add.reduceat(_errors(np.concatenate(tables), epsilon), starts)


def _errors(counts, epsilon):
    """The expected errors of each cell."""
    ranked = np.sort(counts, axis=-1)
    gap = ranked[..., -1] - ranked[..., -2]
    x = epsilon * gap
    return ranked[..., :-1].sum(axis=-1) + gap * np.exp(-x) * (1 + x / 2) / 2


def pool_counts(people, taxonomies, pool):
    """The class counts (cells, classes) of each grid of a pool, in its order. NOT private.

    Takes one pass over the records for each set of attributes that the pool uses, then sums.
    """
    known, found = {}, []
    plans = [[merging(row) for row in taxonomy] for taxonomy in taxonomies]
    for grid in pool:
        used = tuple(attribute for attribute, row in enumerate(grid) if row)
        if used not in known:
            known[used] = finest_table(people, used)
        table = known[used]
        for axis, attribute in enumerate(used):
            table = merged(table, plans[attribute][grid[attribute]], axis)
        found.append(table.reshape(-1, people.classes))
    return found


def finest_table(people, used):
    """The class counts over all values of the attributes `used`, an array (sizes..., classes). NOT private."""
    code = np.zeros(people.labels.size, np.intp)
    for attribute in used:
        code = code * people.sizes[attribute] + people.columns[attribute]
    shape = (*(people.sizes[attribute] for attribute in used), people.classes)
    return np.bincount(code * people.classes + people.labels, minlength=math.prod(shape)).reshape(shape)


def privpfc(records, labels, taxonomies, classes, pool, epsilon, rng, *, shares=(0.03, 0.37, 0.6), divisor=SPREAD):
    """Release a grid and its noisy class counts with epsilon-DP under add/remove (2 epsilon under replace): PrivPfC.

    `shares` of epsilon pay for three things. First comes the noisy number of records N, which bounds the cells by
    N epsilon_counts / 5. Then comes the choice among up to `pool` grids, with weights
    exp(-epsilon_choice errors / divisor). Last come the counts, rounded and at least 0. All cells are released, also
    those where nobody is. The printed divisor is 2; any of at least SPREAD = 1.178 keeps the guarantee. Sizes are the
    taxonomies'; no records are data as well. Returns a `Grid`.
    Raises ValueError for data as `id3` does, or for taxonomies or a pool as `enumerate_grids` does. It also does so for
    shares that are not three numbers above 0 of sum at most 1, or a bad divisor, epsilon or rng.
    Source: 004 section 5.5.4, Algorithm 11.  Notebook: 12_trees.
    """
    taxonomies = checked_taxonomies(taxonomies)
    people = checked(records, labels, [taxonomy.shape[1] for taxonomy in taxonomies], classes)
    by_size, by_choice, by_counts = _three(shares) * arguments.positive("epsilon", epsilon)
    arguments.generator("rng", rng)
    size = laplace_mechanism(people.labels.size, 1, by_size, rng)
    grids = enumerate_grids(taxonomies, 0.2 * size * by_counts, pool)
    tables = pool_counts(people, taxonomies, grids)
    errors = pool_errors(tables, by_counts)
    # Only the spread of the moves counts: a common move of all errors cancels in the weights.
    chosen = exponential_mechanism(-errors, arguments.positive("divisor", divisor), by_choice, rng, monotonic=True)
    noisy = laplace_mechanism(tables[chosen], 1, by_counts, rng)
    groups = tuple(taxonomy[row] for taxonomy, row in zip(taxonomies, grids[chosen], strict=True))
    return Grid(groups, np.maximum(np.rint(noisy), 0))


def _three(shares):
    given = arguments.of_length("shares", shares, 3)
    if given.min() <= 0 or given.sum() > 1 + 1e-12:
        arguments.refuse("shares", shares, "three numbers above 0 that add up to at most 1")
    return given
