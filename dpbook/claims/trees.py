"""The claims of chapter 12: trees and grids, run step by step; four ways to get their budget wrong.

A run loses what its noises and its choices lose together. A choice among few rarely loses all that it may on a small
dataset, so `loses` is mostly below the promise. The data are made up: a row has its attributes and, last, its class.
"""

import itertools

import numpy as np

from dpbook import trees
from dpbook.claims.verdicts import BY_STEPS, Claim
from dpbook.neighbours import ADD_REMOVE, REPLACE

CHAPTER = "12"
KINDS = np.array(list(itertools.product((0, 1), repeat=3)))  # two yes-or-no attributes and a class
PEOPLE = np.repeat(KINDS, [44, 13, 29, 15, 14, 30, 12, 43], axis=0)  # so many that no noise makes a node too small
FEW = np.repeat(KINDS, [6, 1, 3, 2, 1, 4, 0, 7], axis=0)
HALVES = [trees.halving_taxonomy(2)] * 2
FLAT = [np.array([[0, 0], [0, 1]]), np.array([[0, 0, 0], [0, 1, 2]])]
# The grid of the first attribute is wrong for 50 of these people, that of the second for none. One more in the first
# place makes the first a little better, and the second worse by more than 1.
SPLIT = np.repeat([[0, 0, 0], [0, 1, 1], [0, 2, 0]], [5, 54, 45], axis=0)


def claims():
    """The rows of chapter 12."""
    return [*tree_claims(), *histogram_claims()]


def called(mechanism, *public, **options):
    """The mechanism as a run on a table whose last column is the class."""

    def run(people, epsilon, rng):
        return mechanism(people[:, :-1], people[:, -1], *public, epsilon, rng, **options)

    return run


def with_one_more(people, kinds=KINDS):
    """The people, each time beside themselves with one person more."""
    return [(people, np.vstack([people, kind])) for kind in kinds]


def row(mechanism, setting, run, pairs, relation=ADD_REMOVE, **rest):
    """A row that is checked step by step."""
    return Claim(mechanism, setting, relation, BY_STEPS, run, pairs, **rest)


def tree_claims():
    """What grows level by level."""
    tree, wrong, sulq = trees.diffpid3, trees.recomputing_id3, trees.sulq_id3
    pairs, sizes, gain = with_one_more(PEOPLE), (2, 2), trees.information_gain(250)
    exchanged = [(PEOPLE, np.vstack([PEOPLE[1:], kind])) for kind in KINDS[1:]]
    majority = called(tree, sizes, 2, 1, trees.MAJORITY)
    printed = called(tree, sizes, 2, 1, trees.MAJORITY, monotonic=False)
    return [
        row(tree, "a leaf alone", called(tree, sizes, 2, 0, trees.MAJORITY), pairs),
        row(tree, "majority, depth 1", majority, pairs, loses=0.999877718),
        row(tree, "majority, depth 2", called(tree, sizes, 2, 2, trees.MAJORITY), pairs, loses=0.832305330),
        row(tree, "Gini, depth 1", called(tree, sizes, 2, 1, trees.GINI), pairs, loses=0.831383664),
        row(tree, "information, depth 1", called(tree, sizes, 2, 1, gain), pairs, loses=0.769976623),
        row(tree, "majority, with the 2", printed, pairs, loses=0.872296437),
        row(tree, "majority, depth 1", majority, exchanged, REPLACE, epsilon=2.0, at=1.0, loses=1.249877718),
        row(tree, "at half the stated loss", majority, exchanged, REPLACE, loses=1.249877718, false=True),
        row(wrong, "epsilon' computed again at each call, depth 2", called(wrong, sizes, 2, 2, trees.MAJORITY), pairs,
            loses=1.582305330, false=True),
        row(sulq, "depth 1", called(sulq, sizes, 2, 1), pairs),
        row(trees.random_tree, "depth 1", called(trees.random_tree, sizes, 2, 1), pairs),
        row(trees.plain_diffpid3, "majority, depth 2", called(trees.plain_diffpid3, sizes, 2, 2, trees.MAJORITY), pairs,
            loses=0.832305330),
        row(trees.boosted_additive, "2 rounds, delta 0.000001", boosted, pairs, delta=1e-6, loses=0.709950957),
    ]  # fmt: skip


def boosted(people, epsilon, rng):
    """Two rounds of boosting over both attributes, at a delta of one in a million."""
    return trees.boosted_additive(people[:, :-1], people[:, -1], (2, 2), 2, 0.5, epsilon, 1e-6, rng)


def histogram_claims():
    """What chooses cells and publishes their counts."""
    general, grid = trees.diffgen, trees.privpfc
    few, one = with_one_more(FEW), [(SPLIT, np.vstack([SPLIT, [0, 0, 1]]))]
    published = trees.Quality(trees.normalised_gain, 1 / 20)  # "one of twenty people moves it by a twentieth"
    lone = [(np.array([[0, 0, 0]]), np.array([[0, 0, 0], [1, 0, 1]]))]
    gain = trees.information_gain(50)
    return [
        row(general, "majority, 2 steps", called(general, HALVES, 2, 2, trees.MAJORITY), few, loses=0.579623694),
        row(general, "information, 2 steps", called(general, HALVES, 2, 2, gain), few, loses=0.521785008),
        row(general, "the published gain, as if it moved by 1/20", called(general, HALVES, 2, 1, published), lone,
            loses=4.813568168, false=True),
        row(grid, "the best of 2 grids", called(grid, FLAT, 2, 2), one, loses=0.999422628),
        row(grid, "the best of 3 grids, any record more", called(grid, HALVES, 2, 3), few, loses=0.928607273),
        row(grid, "the weights as printed", called(grid, FLAT, 2, 2, divisor=2.0), one, loses=0.847533253),
        row(grid, "as if errors had sensitivity 1 and moved one way", called(grid, FLAT, 2, 2, divisor=1.0), one,
            loses=1.065112460, false=True),
    ]  # fmt: skip
