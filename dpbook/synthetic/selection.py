"""Which tables to buy: none but the single ones, a tree chosen by lottery (MST), or where the model is wrong (AIM).

Source: beyond the seeds; McKenna, Miklau, Sheldon 2021; McKenna, Mullins, Sheldon, Miklau 2022.
Notebook: 28_synthetic.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.accounting import ZcdpBudget
from dpbook.exponential import exponential_mechanism
from dpbook.gaussian import gaussian_scale, zcdp_rho
from dpbook.marginals import gaussian_marginals
from dpbook.marginals.mwem import all_parts
from dpbook.marginals.tables import MOST_CELLS, checked_records, checked_sets, marginals
from dpbook.synthetic.junction import eliminated, members, tree_cells
from dpbook.synthetic.model import Measurement, Model, estimated_total, fit_model, measure, workload_parts

BOUGHT = 0.9  # AIM's part of a round that buys the table; the rest chooses it
SPARE = 64  # cells that a tree may always have
ROUNDS = 60  # of fitting, between AIM's questions


class Synthesis(NamedTuple):
    """What is published: the `model`, the `measurements` it was fitted to, and the `ledger` of (purpose, rho)."""

    model: Model
    measurements: list
    ledger: tuple


def selection_epsilon(rho):
    """The epsilon of an exponential mechanism that is rho-zCDP: sqrt(8 rho), for the relation of its sensitivity.

    Its privacy loss lies in an interval of length epsilon, so it is epsilon^2 / 8-zCDP by Hoeffding's lemma. That is a
    quarter of the rho that holds for every epsilon-DP mechanism. Raises ValueError for a rho that is not a finite
    number above 0.
    Source: Cesar and Rogers 2021.  Notebook: 28_synthetic.
    """
    return math.sqrt(8 * arguments.positive("rho", rho))


def edge_scores(tables, singles):
    """How far each table of a pair is from independent, in L1: a dict from pairs to scores. Not private.

    `tables` is a dict from pairs to tables of counts, `singles` a `Measurement` of every attribute by itself. The
    product is that of the *released* singles, cut at 0 and scaled to their `estimated_total`. It is public, so one
    record moves each score by at most 1 under add/remove (2 under replace).
    Raises ValueError for singles that do not fit the pairs. Source: McKenna, Miklau, Sheldon 2021.
    Notebook: 28_synthetic.
    """
    total, parts = max(0.0, estimated_total(singles)), _fractions(singles)
    scores = {}
    for (a, b), table in tables.items():
        if a not in parts or b not in parts or np.shape(table) != (parts[a].size, parts[b].size):
            arguments.refuse("singles", sorted(parts), f"a released table of each attribute of {(a, b)}, of its size")
        scores[a, b] = float(np.abs(table - total * np.outer(parts[a], parts[b])).sum())
    return scores


def _fractions(singles):
    """Each attribute's released table, cut at 0 and scaled to 1; uniform where nothing is left."""
    parts = {}
    for one in singles:
        if len(one.attributes) != 1:
            arguments.refuse("singles", one.attributes, "tables over one attribute each")
        cut = np.maximum(one.noisy, 0)
        parts[one.attributes[0]] = cut / cut.sum() if cut.sum() > 0 else np.full(cut.size, 1 / cut.size)
    return parts


def spanning_tree(records, singles, rho, rng, *, sizes=None):
    """Choose d - 1 pairs that join all attributes, with rho-zCDP (add/remove): a list, in the order chosen.

    Each is drawn by the exponential mechanism with an equal part of rho, among the pairs that close no circle, by
    `edge_scores`. Under replace the choices together cost four times rho.
    Raises ValueError as `marginal` and `edge_scores` do, for fewer than 2 attributes, or a bad rho.
    Source: McKenna, Miklau, Sheldon 2021, algorithm 2.  Notebook: 28_synthetic.
    """
    records, sizes = _two_or_more(records, sizes)
    each = selection_epsilon(arguments.positive("rho", rho) / (len(sizes) - 1))
    pairs = list(itertools.combinations(range(len(sizes)), 2))
    scores = edge_scores(dict(zip(pairs, marginals(records, pairs, sizes=sizes), strict=True)), singles)
    group, chosen = list(range(len(sizes))), []
    while len(chosen) < len(sizes) - 1:
        open_pairs = [pair for pair in pairs if group[pair[0]] != group[pair[1]]]
        place = exponential_mechanism([scores[pair] for pair in open_pairs], 1, each, rng)
        a, b = open_pairs[place]
        group = [group[a] if one == group[b] else one for one in group]
        chosen.append((a, b))
    return chosen


def independent(records, epsilon, delta, rng, *, sizes=None):
    """Release the single tables with (epsilon, delta)-DP (add/remove), and the model in which they are independent.

    One Gaussian release of L2 sensitivity sqrt d, with the least noise. Returns a `Synthesis`.
    Raises ValueError as `marginal` does, and for a bad epsilon or delta.
    Source: Balle and Wang 2018.  Notebook: 28_synthetic.
    """
    records, sizes = checked_records(records, sizes)
    singles, d = [(a,) for a in range(len(sizes))], len(sizes)
    scale = gaussian_scale(math.sqrt(d), epsilon, delta)
    tables = gaussian_marginals(records, singles, epsilon, delta, rng, sizes=sizes)
    bought = [Measurement(one, table, scale) for one, table in zip(singles, tables, strict=True)]
    return Synthesis(fit_model(bought, sizes), bought, (("single tables", d / (2 * scale**2)),))


def mst(records, epsilon, delta, rng, *, sizes=None, rounds=200):
    """Release a model with (epsilon, delta)-DP (add/remove) of single tables and a tree of pairs: MST, a `Synthesis`.

    A third of rho each buys the d single tables, chooses the `spanning_tree`, and buys its d - 1 pairs; `fit_model`
    (`rounds`) is free. Published code merges rare values first; that is left out.
    Raises ValueError as `spanning_tree` and `fit_model` do, and for a bad epsilon or delta.
    Source: McKenna, Miklau, Sheldon 2021.  Notebook: 28_synthetic.
    """
    records, sizes = _two_or_more(records, sizes)
    budget = ZcdpBudget(zcdp_rho(epsilon, delta))
    third, ones = budget.rho / 3, [(a,) for a in range(len(sizes))]
    singles = measure(records, ones, budget.spend(third, "single tables"), rng, sizes=sizes)
    tree = spanning_tree(records, singles, budget.spend(third, "a tree of pairs"), rng, sizes=sizes)
    pairs = measure(records, tree, budget.spend(budget.remaining, "the tables of the tree"), rng, sizes=sizes)
    bought = singles + pairs
    return Synthesis(fit_model(bought, sizes, rounds=rounds), bought, budget.ledger)


def aim(records, workload, rounds, epsilon, delta, rng, *, sizes=None, most_cells=4096):
    """Release a model with (epsilon, delta)-DP (add/remove) that asks where it is wrong: AIM in small.

    After the single tables, each round chooses a part of a workload set by `wrongness`, buys it, fits. The price of
    a round is rho / `rounds` until one teaches less than its noise: from then on four times as much. Choices keep the
    junction tree near `most_cells`, in proportion to what is spent. Budget and rounds hang on released numbers only, so
    the ledger is a filter. Returns a `Synthesis`.
    Raises ValueError as `marginal` does, for a workload without a set of two attributes, or rounds that the d single
    tables would use up. It also does so for fewer than 1 cell, or a bad epsilon or delta.
    Source: McKenna, Mullins, Sheldon, Miklau 2022, algorithm 2, simplified.  Notebook: 28_synthetic.
    """
    records, sizes = checked_records(records, sizes)
    budget, d = ZcdpBudget(zcdp_rho(epsilon, delta)), len(sizes)
    parts, weights = _candidates(workload, d)
    rounds, most_cells = arguments.whole("rounds", rounds, d + 1), arguments.whole("most_cells", most_cells, 1)
    truths = marginals(records, parts, sizes=sizes)
    price = budget.rho / rounds
    ones = [(a,) for a in range(d)]
    bought = measure(records, ones, budget.spend(BOUGHT * price * d, "single tables"), rng, sizes=sizes)
    model, limits = fit_model(bought, sizes, rounds=ROUNDS), _Limits(sizes, most_cells)
    while budget.remaining > 0:
        last = budget.remaining < 2 * price
        price = budget.remaining if last else price
        fits = limits.within(bought, parts, 1 - (budget.remaining - price) / budget.rho)
        scale, answers = math.sqrt(1 / (2 * BOUGHT * price)), _answers(model, [parts[place] for place in fits])
        scores = wrongness([truths[place] for place in fits], answers, weights[fits], scale)
        choice = selection_epsilon(budget.spend((1 - BOUGHT) * price, "a choice"))
        place = exponential_mechanism(scores, weights[fits].max(), choice, rng)
        chosen, before = parts[fits[place]], answers[place]
        rho = budget.spend(budget.remaining if last else BOUGHT * price, f"the table {chosen}")
        bought += measure(records, [chosen], rho, rng, sizes=sizes)
        model = fit_model(bought, sizes, rounds=ROUNDS)
        taught = np.abs(model.marginal(chosen) - before).sum()
        price *= 4 if taught <= math.sqrt(2 / math.pi) * scale * before.size else 1
    return Synthesis(model, bought, budget.ledger)


def wrongness(truths, answers, weights, scale):
    """AIM's scores: weight x (L1 error of the model's table, minus what a bought one would err by). Not private.

    Under add/remove a record moves each by its weight at most. `weights` may be one number.
    Source: McKenna, Mullins, Sheldon, Miklau 2022.  Notebook: 28_synthetic.
    """
    noise = math.sqrt(2 / math.pi) * scale
    errors = [np.abs(truth - told).sum() - noise * truth.size for truth, told in zip(truths, answers, strict=True)]
    return weights * np.array(errors)


def _candidates(workload, d):
    """The parts of the workload's sets, and how many attributes each has in common with all the sets, summed."""
    workload = checked_sets("workload", workload, d)
    parts = workload_parts(workload)
    if not parts:
        arguments.refuse("workload", workload, "at least one set of two attributes or more")
    common = [sum(len(set(part) & set(wanted)) for wanted in workload) for part in parts]
    return parts, np.array(common, float)


def _answers(model, parts):
    """The model's tables over many sets: from its full table where that is small enough."""
    if math.prod(model.sizes) <= MOST_CELLS:
        return all_parts(model.marginal(range(len(model.sizes))), parts)
    return [model.marginal(part) for part in parts]


class _Limits:
    """Which candidates keep the junction tree small: it looks at what was bought, and at no data."""

    def __init__(self, sizes, most_cells):
        self.sizes, self.most, self.known = sizes, most_cells, {}

    def within(self, bought, parts, spent):
        """The places of the parts whose tree with what is bought has at most most_cells x `spent` + SPARE cells.

        Where no part's has, the smallest will do.
        """
        known = sorted(eliminated([one.attributes for one in bought], len(self.sizes)))
        cells = np.array([self._cells(known, part) for part in parts])
        return np.flatnonzero(cells <= max(self.most * spent + SPARE, cells.min()))

    def _cells(self, known, part):
        bits = sum(1 << a for a in part)
        inside = any(bits & ~clique == 0 for clique in known)
        key = tuple(known if inside else [*known, bits])
        if key not in self.known:
            self.known[key] = tree_cells([members(clique) for clique in key], self.sizes)
        return self.known[key]


def _two_or_more(records, sizes):
    records, sizes = checked_records(records, sizes)
    if len(sizes) < 2:
        arguments.refuse("records", f"{len(sizes)} column", "records of at least two attributes")
    return records, sizes
