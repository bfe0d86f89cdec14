"""Trees grown from counts: ID3, what it becomes with noisy counts (SuLQ), and with private choices (DiffPID3).

All grow level by level: one table of counts for each attribute and level, for all its nodes at once. Neighbours are
add/remove. A record lies in one node of each level, so what is done to the nodes of a level is paid for once. Under
replace two nodes of a level change, and every epsilon is twice as large.
Source: 004 section 5.3.2, Algorithm 7.  Notebook: 12_trees.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.exponential import exponential_mechanism
from dpbook.laplace import laplace_mechanism
from dpbook.trees.people import checked, node_tables


class Tree(NamedTuple):
    """A node of a tree: a leaf, or an `attribute` with one of `children` for each of its values. `predict` reads it.

    At a leaf `counts` are its (noisy) class counts. Elsewhere they are its noisy size (in `id3` its class counts, in
    `random_tree` 0).
    """

    counts: np.ndarray
    attribute: int = -1
    children: tuple = ()


class Level(NamedTuple):
    """The nodes of one level, before it is decided which of them split.

    `totals` are class counts (nodes, classes), `tables` one table an attribute (nodes, size, classes). `free` are the
    attributes that each node may still split on, `left` is how many levels may follow.
    """

    totals: np.ndarray
    tables: dict
    free: list
    left: int

    def may_split(self, node):
        return bool(self.left and self.free[node])


def id3(records, labels, sizes, classes, depth, quality):
    """The tree that splits each node on the attribute of the best quality, the first of equals. NOT private.

    Down to `depth` splits, until no attribute is left or nobody is in a node. `records` are n records of a attributes
    with values from 0 to sizes[j] - 1, `labels` n classes from 0 to `classes` - 1.
    Raises ValueError for values outside their size, labels outside the classes, or a depth below 0.
    Source: 004 section 5.3.2; Quinlan 1986.  Notebook: 12_trees.
    """

    def decide(level):
        chosen = np.full(len(level.free), -1)
        scores = _scores(level, quality)
        for node, free in enumerate(level.free):
            if level.may_split(node) and level.totals[node].any():
                chosen[node] = free[int(np.argmax([scores[a][node] for a in free]))]
        return chosen, list(level.totals)

    return _grow(_asked(records, labels, sizes, classes, depth, quality), depth, decide)


def diffpid3(records, labels, sizes, classes, depth, quality, epsilon, rng, *, monotonic=True):
    """A decision tree with epsilon-DP under add/remove (2 epsilon under replace): Algorithm 7.

    Every node spends epsilon / (2 (depth + 1)) twice. It pays for its noisy size, and for the choice of an attribute
    or, at a leaf, its class counts. A node becomes a leaf at `depth`, without attributes, or when its noisy size is
    below `least_size`. The qualities move one way, so that the choice needs no 2: `monotonic=False` is the general
    form, which uses half of what it pays for. Data as for `id3`; no records are data as well. Returns a `Tree`.
    Raises ValueError as `id3` does, for more records than the quality is made for, or a bad epsilon or rng.
    Source: 004 section 5.3.2, Algorithm 7; Friedman and Schuster 2010.  Notebook: 12_trees.
    """
    people = _asked(records, labels, sizes, classes, depth, quality)
    shares = [arguments.positive("epsilon", epsilon) / (2 * (depth + 1))] * (depth + 1)
    return _noisy_tree(people, depth, quality, shares, monotonic, arguments.generator("rng", rng))


def recomputing_id3(records, labels, sizes, classes, depth, quality, epsilon, rng):
    """NOT epsilon-DP: Algorithm 7 with its epsilon' worked out again at each call, with the depth that is left.

    On sizes alone the levels then spend epsilon / 2 (1 + 1/2 + ... + 1 / (depth + 1)). They spend as much on the rest:
    in all 2.45 epsilon for depth 5. Arguments and errors as for `diffpid3`.
    Source: a way to read 004 Algorithm 7, which hands its epsilon' down.  Notebook: 12_trees.
    """
    people = _asked(records, labels, sizes, classes, depth, quality)
    shares = [arguments.positive("epsilon", epsilon) / (2 * (left + 1)) for left in range(depth + 1)]
    return _noisy_tree(people, depth, quality, shares, True, arguments.generator("rng", rng))


def _noisy_tree(people, depth, quality, shares, monotonic, rng):
    """Algorithm 7; `shares[left]` is epsilon' of a level above which `left` levels may follow."""

    def decide(level):
        share = shares[level.left]
        noisy = laplace_mechanism(level.totals.sum(axis=1), 1, share, rng)  # a record is in one node of the level
        chosen, scores = np.full(len(level.free), -1), _scores(level, quality)
        for node, free in enumerate(level.free):
            if level.may_split(node) and noisy[node] >= _least_size(people.sizes, free, people.classes, share):
                of_node = np.array([scores[attribute][node] for attribute in free])
                chosen[node] = free[
                    exponential_mechanism(of_node, quality.sensitivity, share, rng, monotonic=monotonic)
                ]
        return chosen, _released(level, chosen, noisy, share, rng)

    return _grow(people, depth, decide)


def _released(level, chosen, noisy, share, rng):
    """The counts of each node: noisy classes of a leaf, which cost `share`, and the noisy size of another."""
    leaves = laplace_mechanism(level.totals[chosen < 0], 1, share, rng) if np.any(chosen < 0) else ()
    leaf = iter(leaves)
    return [next(leaf) if attribute < 0 else size for attribute, size in zip(chosen, noisy, strict=True)]


def least_size(sizes, classes, depth, epsilon):
    """The noisy size below which `diffpid3` makes a node a leaf, in records: t classes sqrt 2 / epsilon'.

    Here t is the most values of an attribute that the node may still ask for (here: of any), and epsilon' = epsilon
    / (2 (depth + 1)). One noisy count has deviation sqrt 2 / epsilon'. In a smaller node that would exceed the
    average class count of its children.
    Raises ValueError for sizes, classes, a depth or an epsilon that `diffpid3` refuses.
    Source: 004 Algorithm 7.  Notebook: 12_trees.
    """
    people = checked(np.zeros((0, len(sizes)), int), [], sizes, classes)
    share = arguments.positive("epsilon", epsilon) / (2 * (arguments.whole("depth", depth, 0) + 1))
    return _least_size(people.sizes, range(len(people.sizes)), people.classes, share)


def _least_size(sizes, free, classes, share):
    return max((sizes[attribute] for attribute in free), default=1) * classes * math.sqrt(2) / share


def random_tree(records, labels, sizes, classes, depth, epsilon, rng):
    """A decision tree with epsilon-DP under add/remove (2 epsilon under replace) that asks its questions at random.

    Every node draws one of the attributes that are left, without a look at the data, down to `depth`. All of epsilon
    pays for the class counts of the leaves, which are disjoint. Data, result and errors are those of `diffpid3`.
    Source: Fletcher and Islam 2019, a survey; the way of diffprivlib's tree.  Notebook: 12_trees.
    """
    people = _asked(records, labels, sizes, classes, depth, None)
    arguments.positive("epsilon", epsilon)
    arguments.generator("rng", rng)

    def decide(level):
        chosen = np.array(
            [rng.choice(free) if level.may_split(node) else -1 for node, free in enumerate(level.free)], dtype=np.intp
        )
        return chosen, _released(level, chosen, np.zeros(chosen.size), epsilon, rng)

    return _grow(people, depth, decide)


def sulq_id3(records, labels, sizes, classes, depth, epsilon, rng):
    """A decision tree with epsilon-DP under add/remove (2 epsilon under replace), every count asked for with noise.

    As `diffpid3` with information gain, but a node spends its second epsilon' on the tables of all its A attributes.
    Each noisy count of a value, and of a value and class, gets epsilon' / (2 A). Data, result and errors are those of
    `id3` and `diffpid3`. Source: 004 section 5.3.2; Blum and others 2005, as Friedman and Schuster (2010) write it
    down.  Notebook: 12_trees.
    """
    people = _asked(records, labels, sizes, classes, depth, None)
    share = arguments.positive("epsilon", epsilon) / (2 * (depth + 1))
    arguments.generator("rng", rng)

    def decide(level):
        noisy = laplace_mechanism(level.totals.sum(axis=1), 1, share, rng)
        chosen = np.full(len(level.free), -1)
        for node, free in enumerate(level.free):
            if level.may_split(node) and noisy[node] >= _least_size(people.sizes, free, people.classes, share):
                scores = [
                    _noisy_gain(level.tables[attribute][node], share / (2 * len(free)), rng) for attribute in free
                ]
                chosen[node] = free[int(np.argmax(scores))]
        return chosen, _released(level, chosen, noisy, share, rng)

    return _grow(people, depth, decide)


def _noisy_gain(table, share, rng):
    """Minus n H(class | value) from noisy counts; of a count that came out below 0 nothing is counted."""
    values = laplace_mechanism(table.sum(axis=1), 1, share, rng)
    cells = np.maximum(laplace_mechanism(table, 1, share, rng), 0)
    ratio = np.divide(cells, values[:, None], out=np.ones_like(cells), where=(values[:, None] > cells) & (cells > 0))
    return float((cells * np.log2(ratio)).sum())


# Growing.


def _asked(records, labels, sizes, classes, depth, quality):
    """The checked data of a tree."""
    people = checked(records, labels, sizes, classes)
    arguments.whole("depth", depth, 0)
    if quality is not None and people.labels.size > quality.most:
        arguments.refuse("records", f"{people.labels.size} of them", f"at most {quality.most}, as the quality says")
    return people


def _scores(level, quality):
    """The quality of each attribute at each node: a dict attribute -> (nodes,)."""
    return {attribute: quality.score(tables) for attribute, tables in level.tables.items()}


def _grow(people, depth, decide):
    """The tree that `decide(level)` makes: it gives an attribute a node, -1 for a leaf, and each node's counts."""
    place, free, levels = np.zeros(people.labels.size, np.intp), [tuple(range(len(people.sizes)))], []
    for left in range(depth, -1, -1):
        totals = np.bincount(place * people.classes + people.labels, minlength=(len(free) + 1) * people.classes)
        totals = totals[: len(free) * people.classes].reshape(-1, people.classes)
        wanted = sorted(set().union(*free)) if left else []
        tables = {attribute: node_tables(people, place, len(free), attribute) for attribute in wanted}
        chosen, counts = decide(Level(totals, tables, free, left))
        levels.append((chosen, counts))
        if np.all(chosen < 0):
            break
        place, free = _descend(people, place, chosen, free)
    return _assembled(levels, people.sizes)


def _descend(people, place, chosen, free):
    """Each record's node in the next level, and the attributes that those nodes may split on."""
    children = [people.sizes[attribute] if attribute >= 0 else 0 for attribute in chosen]
    first = np.append(0, np.cumsum(children))
    column = np.append(chosen, -1)[place]
    value = people.columns[np.maximum(column, 0), np.arange(place.size)]
    below = [
        tuple(other for other in free[node] if other != attribute)
        for node, attribute in enumerate(chosen)
        if attribute >= 0
        for _ in range(people.sizes[attribute])
    ]
    return np.where(column < 0, first[-1], first[place] + value), below


def _assembled(levels, sizes):
    """The tree, from its last level to the first."""
    below = iter(())
    for chosen, counts in reversed(levels):
        below = iter(
            [
                Tree(count)
                if attribute < 0
                else Tree(count, int(attribute), tuple(next(below) for _ in range(sizes[attribute])))
                for attribute, count in zip(chosen, counts, strict=True)
            ]
        )
    return next(below)
