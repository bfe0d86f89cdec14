"""Which tables to buy: covering designs (few sets that hold every pair, or triple) and data cubes. No data are used.

Closed forms put the attributes into groups and take the groups as the points of a small geometry. It is three or four
points, a plane over a field of q elements, or blocks {a, b, c, a xor b xor c}. Where none fits, or none reaches
`covering_bound`, a greedy cover is tried as well.
Source: 004 sections 6.2.4 and 6.3.4, Definition 6.3.  Notebook: 13_marginals.
"""

import itertools
import math

import numpy as np

from dpbook import arguments
from dpbook.marginals.tables import checked_order, checked_sets

FIELDS = (2, 3, 4, 5, 7, 8)  # the numbers of elements of the planes' fields


def covers(views, d, strength):
    """Whether every set of `strength` of the d attributes lies within one of `views`.

    Raises ValueError for no views, a view beyond d, or a strength above d. Source: 004 Definition 6.3.
    Notebook: 13_marginals.
    """
    d, strength = checked_order(d, strength)
    covered = {c for view in checked_sets("views", views, d) for c in itertools.combinations(sorted(view), strength)}
    return len(covered) == math.comb(d, strength)


def covering_bound(d, size, strength):
    """A lower bound on the number of views of `size` attributes in any covering design: Schonheim's bound."""
    d, strength, size = _checked_design(d, size, strength)
    bound = 1
    for less in reversed(range(strength)):
        bound = -(-(d - less) * bound // (size - less))
    return bound


def covering_design(d, size, strength):
    """Views of at most `size` of d attributes such that every `strength` of them are in one: a list of tuples.

    The fewest that a closed form or the greedy cover gives, always the same ones; no repository is asked. Raises
    ValueError for a strength above the size or a size above d.
    Source: 004 Definition 6.3; in 6.3.4 N stands for d; tables: Gordon, 2012.  Notebook: 13_marginals.
    """
    d, strength, size = _checked_design(d, size, strength)
    if strength == 0 or size == d:
        return [tuple(range(size))]
    found = [_filled(blocks, d) for points, blocks in _geometries(strength) if points <= d]
    fitting = [views for views in found if max(map(len, views)) <= size]
    best = min(fitting, key=len, default=None)
    if best is None or len(best) > covering_bound(d, size, strength):
        greedy = _greedy_cover(d, size, strength)
        best = greedy if best is None or len(greedy) < len(best) else best
    return best


def _checked_design(d, size, strength):
    d, size = checked_order(d, size)
    return d, arguments.whole("strength", strength, 0, size), arguments.whole("size", size, 1)


def _geometries(strength):
    """(number of points, blocks of points) such that any `strength` points are in a block: those with a closed form."""
    if strength == 1:
        return [(points, [(point,) for point in range(points)]) for points in range(1, 65)]
    if strength == 2:
        return [(3, [(0, 1), (0, 2), (1, 2)]), *(plane for q in FIELDS for plane in _planes(q))]
    if strength == 3:
        return [(4, list(itertools.combinations(range(4), 3))), *(_xor_blocks(points) for points in (8, 16))]
    return []


def _planes(q):
    """The affine plane over q elements (points x q + y) and, with a line at infinity, the projective one."""
    add, times = _field(q)
    lines = [[x * q + add[times[slope, x], shift] for x in range(q)] for slope in range(q) for shift in range(q)]
    lines += [[x * q + y for y in range(q)] for x in range(q)]
    directions = [q * q + number // q for number in range(q * (q + 1))]  # q parallel lines meet in one point
    projective = [tuple([*line, far]) for line, far in zip(lines, directions, strict=True)]
    return [
        (q * q, [tuple(line) for line in lines]),
        (q * q + q + 1, [*projective, tuple(range(q * q, q * q + q + 1))]),
    ]


def _field(q):
    """The addition and multiplication tables of a field of q elements: a prime, 4 or 8."""
    numbers = np.arange(q)
    if q not in (4, 8):
        return np.add.outer(numbers, numbers) % q, np.multiply.outer(numbers, numbers) % q
    power, rule = {4: (2, 0b111), 8: (3, 0b1011)}[q]  # polynomials over two elements, modulo an irreducible one
    times = np.zeros((q, q), int)
    for bit in range(power):
        shifted = numbers << bit
        for high in range(2 * power, power - 1, -1):
            shifted = np.where(shifted >> high & 1, shifted ^ rule << (high - power), shifted)
        times ^= np.where(numbers[:, None] >> bit & 1, shifted[None, :], 0)
    return np.bitwise_xor.outer(numbers, numbers), times


def _xor_blocks(points):
    """Blocks {a, b, c, a xor b xor c}: any three points are in exactly one."""
    blocks = {tuple(sorted((a, b, c, a ^ b ^ c))) for a, b, c in itertools.combinations(range(points), 3)}
    return points, sorted(blocks)


def _filled(blocks, d):
    """The views that come of dealing d attributes out to the points of `blocks`, those within another left out."""
    points = 1 + max(max(block) for block in blocks)
    views = [tuple(a for a in range(d) if a % points in block) for block in blocks]
    different = list(dict.fromkeys(views))
    return [view for view in different if not any(set(view) < set(other) for other in different)]


def _greedy_cover(d, size, strength):
    """Fill one view after the other with the attribute that covers most of what is open, or is nearest to doing so."""
    open_sets = np.array(list(itertools.combinations(range(d), strength)))
    views = []
    while len(open_sets):
        inside = np.zeros(d, bool)
        inside[open_sets[0]] = True
        while inside.sum() < size:
            worth = np.repeat((d * float(len(open_sets))) ** inside[open_sets].sum(axis=1), strength)
            score = np.bincount(open_sets.ravel(), worth, minlength=d)
            score[inside] = -1
            inside[score.argmax()] = True
        views.append(tuple(np.flatnonzero(inside).tolist()))
        open_sets = open_sets[~inside[open_sets].all(axis=1)]
    return views


def cube_error(views, order):
    """The largest variance of a cell over the tables of `order` attributes when `views` are bought, in V_u.

    Each of w views gets the same part of the budget, so its cells have variance w^2. A cell that is summed from
    2^(|V| - order) of them has that many times w^2; the largest view counts. Raises ValueError for no views.
    Source: 004 section 6.2.4.  Notebook: 13_marginals.
    """
    views = checked_sets("views", views)
    return len(views) ** 2 * 2.0 ** (max(map(len, views)) - arguments.whole("order", order, 0))


def choose_cubes(d, order):
    """The views with the smallest variance of the worst cell of any table of `order` of d <= 14 attributes: data cubes.

    For each size the smallest cover that `covering_design` knows; then the size with the smallest `cube_error`. The
    lattice of all sets is not walked. Raises ValueError for a d above 14 or an order above d.
    Source: 004 section 6.2.4 (Ding, Winslett, Han, Li, 2011). It says that the full table is chosen; for pairs that is
    false from 11 attributes on (E49), and by the mean of all cells from 10 on.  Notebook: 13_marginals.
    """
    d = arguments.whole("d", d, 1, 14)
    designs = [covering_design(d, size, order) for size in range(max(1, order), d + 1)]
    return min(reversed(designs), key=lambda views: cube_error(views, order))
