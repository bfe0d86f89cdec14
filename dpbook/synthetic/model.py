"""From noisy tables to one model: buy tables, and fit the distribution nearest to them.

The model is a graphical one, a product of a factor for each table bought; a junction tree makes all sums over it small.
Source: beyond the seeds; McKenna, Sheldon, Miklau 2019 (Private-PGM).  Notebook: 28_synthetic.
"""

import itertools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.marginals.tables import checked_set, checked_sets, marginals, table_size
from dpbook.synthetic.junction import JunctionTree, junction_tree

CLOSE = 1e-13  # a step that promises less of the loss than this is the last


class Measurement(NamedTuple):
    """A table that was bought: its `attributes`, its `noisy` counts, one axis an attribute, and the noise's `scale`."""

    attributes: tuple
    noisy: np.ndarray
    scale: float


def measure(records, sets, rho, rng, *, sizes=None):
    """Release the tables over each of `sets` with rho-zCDP (add/remove): normal noise of deviation sqrt(m / (2 rho)).

    One record moves one cell of each of the m tables by 1, so all together by sqrt(m). As one Gaussian release they are
    (gaussian_epsilon(sqrt(2 rho), 1, delta), delta)-DP for every delta. Returns a list of `Measurement`.
    Raises ValueError as `marginal` does, for no sets, or a rho that is not a finite number above 0.
    Source: Bun and Steinke 2016, Proposition 1.6.  Notebook: 28_synthetic.
    """
    sets = checked_sets("sets", sets)
    tables, rho = marginals(records, sets, sizes=sizes), arguments.positive("rho", rho)
    scale, rng = math.sqrt(len(sets) / (2 * rho)), arguments.generator("rng", rng)
    noisy = [table + rng.normal(scale=scale, size=table.shape) for table in tables]
    return [Measurement(attributes, table, scale) for attributes, table in zip(sets, noisy, strict=True)]


def estimated_total(measurements):
    """The number of records, from the totals of bought tables: their mean, weights 1 / (cells scale^2). Free.

    May be below 0. Raises ValueError for no measurements, or one whose table does not fit its attributes.
    Source: McKenna, Miklau, Sheldon 2021, section 4.  Notebook: 28_synthetic.
    """
    totals, variances = zip(
        *((one.noisy.sum(), one.noisy.size * one.scale**2) for one in _checked(measurements)), strict=True
    )
    return float(np.average(totals, weights=1 / np.array(variances)))


@dataclass(frozen=True)
class Model:
    """A fitted distribution: `tables` over the cliques of `tree`, in records of `total`; `losses` of the fit's rounds.

    Post-processing of what was bought: everything that is asked of it is free.
    """

    sizes: tuple
    total: float
    tree: JunctionTree
    tables: tuple
    losses: tuple

    def marginal(self, attributes):
        """The model's table over `attributes`, in their order: of at most 2**20 cells, whatever was bought.

        Raises ValueError for attributes that are not different columns, or a table of more cells.
        """
        attributes = checked_set("attributes", attributes, len(self.sizes))
        table_size(attributes, self.sizes)
        kept = self._around(set(attributes))
        used = sorted({a for place in kept for a in self.tree.cliques[place]} | set(attributes))
        label, parts, parents = {a: number for number, a in enumerate(used)}, [], dict(map(reversed, self.tree.edges))
        for place in kept:
            clique, table = self.tree.cliques[place], self.tables[place]
            if parents.get(place) in kept:
                table = _conditional(table, clique, self.tree.cliques[parents[place]])
            parts += [table, [label[a] for a in clique]]
        return np.einsum(*parts, [label[a] for a in attributes], optimize="greedy")

    def _around(self, wanted):
        """The fewest cliques, joined, that hold the wanted attributes: ends that bring nothing new are left away."""
        kept, edges = set(range(len(self.tree.cliques))), set(self.tree.edges)
        while True:
            ends = [(place, edge) for edge in edges for place in edge if sum(place in other for other in edges) == 1]
            idle = [
                (place, edge)
                for place, edge in ends
                if wanted & set(self.tree.cliques[place]) <= set(self.tree.cliques[sum(edge) - place])
            ]
            if not idle:
                return sorted(kept)
            place, edge = min(idle)
            kept.remove(place)
            edges.remove(edge)


def _conditional(table, clique, parent):
    """A clique's table divided by its table over what it shares with its parent: 0 where there is nobody."""
    axes = tuple(axis for axis, a in enumerate(clique) if a not in parent)
    below = table.sum(axis=axes, keepdims=True)
    return np.divide(table, below, out=np.zeros(table.shape), where=below > 0)


def fit_model(measurements, sizes, *, rounds=200, total=None, impossible=()):
    """The model nearest to bought tables: it minimises the sum of |table - noisy|^2 / (2 scale^2). Free.

    Over all tables that *some* distribution of `total` records has (default: `estimated_total`, at least 1); of all
    minimisers it is the one of largest entropy. At most `rounds` steps are made. `impossible` lists public zeros, as
    pairs (attributes, cell); reading them off the data would leak. Attributes that nobody bought come out uniform.
    Raises ValueError for no measurements, tables that do not fit, impossible cells that leave nothing, bad rounds.
    Source: McKenna, Sheldon, Miklau 2019, algorithm 1.  Notebook: 28_synthetic.
    """
    measurements, sizes = _checked(measurements, sizes), tuple(sizes)
    total = max(1.0, estimated_total(measurements)) if total is None else arguments.positive("total", total)
    rounds, zeros = arguments.whole("rounds", rounds, 1), _zeros(impossible, sizes)
    tree = junction_tree([attributes for attributes, *_ in (*measurements, *zeros)], len(sizes))
    plan, logs = _places(tree, measurements), _start(tree, zeros, sizes)
    tables = beliefs(tree, logs, total)
    if not np.isfinite(tables[0]).all():
        arguments.refuse("impossible", impossible, "cells that leave some record possible")
    tables, losses = _descent(tree, plan, logs, tables, total, rounds)
    return Model(sizes, total, tree, tuple(tables), tuple(losses))


def _descent(tree, plan, logs, tables, total, rounds):
    """Mirror descent: a step that brought half of what the slope says is kept and made longer, another is halved."""
    loss, slopes = misfit(plan, tables)
    step, losses = 1 / (total * sum(1 / one.scale**2 for one, _, _ in plan)), [loss]
    for _ in range(rounds):
        tried = [log - step * slope for log, slope in zip(logs, slopes, strict=True)]
        moved = beliefs(tree, tried, total)
        lower, next_slopes = misfit(plan, moved)
        promised = sum(np.sum(s * (now - then)) for s, now, then in zip(slopes, tables, moved, strict=True))
        if promised <= CLOSE * (1 + loss):
            break
        if loss - lower >= promised / 2 and lower <= loss:
            logs, tables, loss, slopes, step = tried, moved, lower, next_slopes, 1.5 * step
        else:
            step /= 2
        losses.append(loss)
    return tables, losses


def beliefs(tree, logs, total):
    """The tables over the cliques of the distribution whose log is the sum of `logs`: messages to the root and back."""
    logs, sent = list(logs), {}
    for parent, child in reversed(tree.edges):  # up: each child tells its parent
        sent[child] = _summed(logs[child], tree.cliques[child], tree.cliques[parent])
        logs[parent] = logs[parent] + _spread(sent[child], tree.cliques[child], tree.cliques[parent])
    for parent, child in tree.edges:  # down: each parent tells its child, less what the child said itself
        news = _summed(logs[parent], tree.cliques[parent], tree.cliques[child])
        back = _spread(news, tree.cliques[parent], tree.cliques[child])
        known = _spread(sent[child], tree.cliques[child], tree.cliques[child])
        logs[child] = logs[child] + (back - np.where(known == -np.inf, 0, known))
    return [_scaled(log, total) for log in logs]


def _scaled(log, total):
    with np.errstate(invalid="ignore"):  # nothing is possible: NaN, which `fit_model` refuses
        cells = np.exp(log - log.max())
    return cells * (total / cells.sum())


def misfit(plan, tables):
    """The loss of the tables, and its slope, an array a clique; `plan`: each noisy table, its clique, axes to sum."""
    loss, slopes = 0.0, [np.zeros(table.shape) for table in tables]
    for one, place, axes in plan:
        off = tables[place].sum(axis=axes, keepdims=True) - one.noisy
        loss += float(np.sum(off**2)) / (2 * one.scale**2)
        slopes[place] += off / one.scale**2
    return loss, slopes


def _summed(log, clique, other):
    """The log of the sums over the attributes that `other` lacks; these axes stay, with length 1."""
    axes = tuple(axis for axis, a in enumerate(clique) if a not in other)
    top = log.max(axis=axes, keepdims=True)
    top[top == -np.inf] = 0
    with np.errstate(divide="ignore"):
        return np.log(np.exp(log - top).sum(axis=axes, keepdims=True)) + top


def _spread(log, clique, other):
    """A message from `clique`, to be added to a table over `other`: both are ascending, so only lengths change."""
    length = dict(zip(clique, log.shape, strict=True))
    return log.reshape([length[a] if a in length else 1 for a in other])


def _places(tree, measurements):
    """For each measurement: itself, with the axes of the first clique that holds it; that clique; the axes summed."""
    plan = []
    for one in measurements:
        place = next(p for p, clique in enumerate(tree.cliques) if set(one.attributes) <= set(clique))
        clique = tree.cliques[place]
        inner = one.noisy.transpose(np.argsort(one.attributes))
        length = dict(zip(sorted(one.attributes), inner.shape, strict=True))
        wide = inner.reshape([length.get(a, 1) for a in clique])
        summed = tuple(axis for axis, a in enumerate(clique) if a not in length)
        plan.append((one._replace(noisy=wide), place, summed))
    return plan


def _start(tree, zeros, sizes):
    """Log tables of the uniform distribution over what is possible."""
    logs = [np.zeros([sizes[a] for a in clique]) for clique in tree.cliques]
    for attributes, cell in zeros:
        place = next(p for p, clique in enumerate(tree.cliques) if set(attributes) <= set(clique))
        at = dict(zip(attributes, cell, strict=True))
        logs[place][tuple(at.get(a, slice(None)) for a in tree.cliques[place])] = -np.inf
    return logs


def _zeros(impossible, sizes):
    """The public zeros, clean: attributes, and a cell of their table."""
    zeros = []
    for attributes, cell in impossible:
        attributes = checked_set("impossible", attributes, len(sizes))
        zeros.append((attributes, checked_set_of_places("impossible", cell, [sizes[a] for a in attributes])))
    return zeros


def checked_set_of_places(name, cell, lengths):
    """A cell of a table: one place an axis, each within it."""
    cell = tuple(arguments.whole(name, place, 0) for place in cell)
    if len(cell) != len(lengths) or any(place >= length for place, length in zip(cell, lengths, strict=False)):
        arguments.refuse(name, cell, f"a cell of a table of shape {tuple(lengths)}")
    return cell


def _checked(measurements, sizes=None):
    """Measurements whose tables fit their attributes, and their sizes where these are known."""
    measurements = [Measurement(*one) for one in measurements]
    if not measurements:
        arguments.refuse("measurements", measurements, "at least one table that was bought")
    if sizes is not None:
        sizes = [arguments.whole("sizes", size, 1) for size in sizes]
    known, checked = {}, []
    for attributes, noisy, scale in measurements:
        attributes = checked_set("measurements", attributes, None if sizes is None else len(sizes))
        noisy, scale = arguments.array("measurements", noisy), arguments.positive("scale", scale)
        if noisy.ndim != len(attributes):
            arguments.refuse(
                "measurements", f"shape {noisy.shape}", f"one axis for each of the attributes {attributes}"
            )
        for a, size in zip(attributes, noisy.shape, strict=True):
            if known.setdefault(a, size if sizes is None else sizes[a]) != size:
                arguments.refuse("measurements", f"{size} values of attribute {a}", f"{known[a]} values of it")
        checked.append(Measurement(attributes, noisy, scale))
    return checked


def workload_parts(workload):
    """All parts of two attributes or more of the sets of a workload, ascending, each once."""
    parts = set()
    for attributes in workload:
        inner = sorted(attributes)
        parts |= {part for size in range(2, len(inner) + 1) for part in itertools.combinations(inner, size)}
    return sorted(parts, key=lambda part: (len(part), part))
