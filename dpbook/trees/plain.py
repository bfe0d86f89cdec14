"""Algorithm 7 as a recursion, as the book prints it: one node, its size, its question, its children.

`dpbook.trees.induction` grows all nodes of a level at once, from the same random numbers; a test holds them together.
Source: 004 section 5.3.2, Algorithm 7.  Notebook: 12_trees.
"""

import math

import numpy as np

from dpbook import arguments
from dpbook.exponential import exponential_mechanism
from dpbook.laplace import laplace_mechanism
from dpbook.trees.induction import Tree
from dpbook.trees.people import class_counts


def plain_diffpid3(records, labels, sizes, classes, depth, quality, epsilon, rng):
    """The tree of `diffpid3`, with epsilon-DP under add/remove (2 epsilon under replace).

    Same arguments; for correct data, which `diffpid3` checks. Raises ValueError for a bad epsilon or rng.
    Source: 004 Algorithm 7; Friedman and Schuster 2010.  Notebook: 12_trees.
    """
    records, labels = np.asarray(records), np.asarray(labels)
    share = arguments.positive("epsilon", epsilon) / (2 * (depth + 1))  # set once: every node gets it twice

    def grow(inside, free, left):
        size = laplace_mechanism(inside.sum(), 1, share, rng)  # spends epsilon'
        t = max((sizes[attribute] for attribute in free), default=1)
        if left == 0 or not free or size < t * classes * math.sqrt(2) / share:
            counts = np.bincount(labels[inside], minlength=classes)
            return Tree(laplace_mechanism(counts, 1, share, rng))  # a leaf: spends epsilon'
        tables = [class_counts(records[inside, a], labels[inside], sizes[a], classes) for a in free]
        scores = np.array([quality.score(table) for table in tables])
        chosen = exponential_mechanism(scores, quality.sensitivity, share, rng, monotonic=True)  # spends epsilon'
        best, rest = free[chosen], free[:chosen] + free[chosen + 1 :]
        parts = [inside & (records[:, best] == value) for value in range(sizes[best])]
        return Tree(size, best, tuple(grow(part, rest, left - 1) for part in parts))

    return grow(np.ones(len(labels), bool), tuple(range(len(sizes))), depth)
