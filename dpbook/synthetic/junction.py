"""Junction trees: which sums over a product of tables are small enough to be made.

Public: they look at sets of attributes alone, never at records or tables.
Source: beyond the seeds; Lauritzen and Spiegelhalter 1988.  Notebook: 28_synthetic.
"""

import functools
import math
from typing import NamedTuple

from dpbook import arguments
from dpbook.marginals.tables import checked_set


class JunctionTree(NamedTuple):
    """Cliques (ascending tuples of attributes), and the `edges` between them as (parent, child), the root's first."""

    cliques: tuple
    edges: tuple


def junction_tree(sets, d):
    """A `JunctionTree` of attributes 0, ..., d - 1 in which each of `sets` lies within a clique.

    Attributes leave one by one, the one whose neighbours need fewest new links first (ties: the first); then cliques
    are joined where they share most. Public: it looks at sets alone.
    Raises ValueError for sets that are no columns of d.
    Source: Lauritzen and Spiegelhalter 1988.  Notebook: 28_synthetic.
    """
    d = arguments.whole("d", d, 1)
    sets = [checked_set("sets", attributes, d) for attributes in sets]
    cliques = [members(clique) for clique in eliminated(sets, d)]
    return JunctionTree(tuple(cliques), tuple(_joined(cliques)))


def eliminated(sets, d):
    """The maximal cliques that least-fill elimination finds, in its order: whole numbers whose bits are attributes."""
    near = [1 << a for a in range(d)]
    for attributes in sets:
        bits = sum(1 << a for a in attributes)
        for a in attributes:
            near[a] |= bits
    fills, cliques = {a: _fill(near, a) for a in range(d)}, []
    while fills:
        leaves = min(fills, key=fills.get)
        clique, links = near[leaves], fills.pop(leaves)
        touched = clique & ~(1 << leaves)
        for a in members(touched):
            near[a] = (near[a] | clique) & ~(1 << leaves)
        if links:  # then their other neighbours' neighbours are linked anew, too
            touched = functools.reduce(int.__or__, (near[a] for a in members(touched)), 0)
        fills |= {a: _fill(near, a) for a in members(touched)}
        if not any(clique & ~other == 0 for other in cliques):
            cliques.append(clique)
    return cliques


def _fill(near, a):
    """How many links are missing among the neighbours of a, counted from both ends."""
    clique, missing = near[a], 0
    for b in members(clique & ~(1 << a)):
        missing += (clique & ~near[b]).bit_count()
    return missing


@functools.lru_cache(maxsize=2**16)
def members(bits):
    """The places of the bits that are 1, ascending."""
    return tuple(a for a in range(bits.bit_length()) if bits >> a & 1)


def _joined(cliques):
    """A spanning tree of largest separators, grown from the first clique: (parent, child) in the order of growth."""
    shared = {place: (-1, 0) for place in range(1, len(cliques))}  # attributes in common with the tree, and where
    last = 0
    while True:
        for place, (most, _) in shared.items():
            common = len(set(cliques[place]) & set(cliques[last]))
            if common > most:
                shared[place] = (common, last)
        if not shared:
            return
        child = max(shared, key=lambda place: shared[place][0])
        yield shared.pop(child)[1], child
        last = child


def tree_cells(sets, sizes):
    """How many cells the cliques of the junction tree of `sets` have: what a model of these tables costs in memory.

    Raises ValueError for sets that are no columns, or a size below 1.
    Source: Lauritzen and Spiegelhalter 1988.  Notebook: 28_synthetic.
    """
    sizes = [arguments.whole("sizes", size, 1) for size in sizes]
    cliques = eliminated([checked_set("sets", attributes, len(sizes)) for attributes in sets], len(sizes))
    return sum(math.prod(sizes[a] for a in members(clique)) for clique in cliques)
