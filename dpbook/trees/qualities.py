"""How good is a split? Three scores of a table of counts, with the most that one record moves them.

A table (values, classes) counts the records of each value and class; the score is higher the better the values tell
the classes apart. All three are one-way movers: a record that joins never raises information gain and Gini, and never
lowers the majority. So the exponential mechanism needs no 2 for them under add/remove.
Source: 004 section 5.3.2; Friedman and Schuster 2010. The exact sensitivities and the one way are new here.
Notebook: 12_trees.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from dpbook import arguments


@dataclass(frozen=True)
class Quality:
    """A score of tables of counts, and the most that one record moves it: under add/remove, and always the same way.

    `score(counts)` takes tables (..., values, classes) and gives a number each. `sensitivity` holds as long as there
    are at most `most` records, a public bound. A mechanism refuses more. Not private itself.
    """

    score: Callable
    sensitivity: float
    most: float = math.inf


def majority_score(counts):
    """How many records are right if each value gets its largest class: one more record moves it by 0 or 1. NOT private.

    `counts` are tables (..., values, classes); one number each. Source: named in 004 5.5.3.  Notebook: 12_trees.
    """
    return np.max(counts, axis=-1).sum(axis=-1)


def gini_score(counts):
    """Minus the Gini impurity, added over all records: one more record moves it by 0 to -2 (n - 1) / n. NOT private.

    That is -sum_j t_j (1 - sum_c p_jc^2) with t_j records of value j, a fraction p_jc of them of class c.
    `counts` as in `majority_score`. Source: Friedman and Schuster 2010; 004 does not name it.  Notebook: 12_trees.
    """
    counts = np.asarray(counts, dtype=float)
    totals = counts.sum(axis=-1)
    return ((counts**2).sum(axis=-1) / np.maximum(totals, 1e-300) - totals).sum(axis=-1)


def information_score(counts):
    """Minus the records times the entropy of their class, value by value, in bits. NOT private.

    That is sum_jc t_jc log2(t_jc / t_j): information gain times n, less what all attributes have in common. One more
    record moves it by 0 to -`information_sensitivity`(n). `counts` as in `majority_score`.
    Source: 004 section 5.3.2; Friedman and Schuster 2010.  Notebook: 12_trees.
    """
    counts = np.asarray(counts, dtype=float)
    totals = counts.sum(axis=-1)
    within = scipy.special.xlogy(counts, counts).sum(axis=-1) - scipy.special.xlogy(totals, totals)
    return within.sum(axis=-1) / math.log(2)


def information_sensitivity(most):
    """The most that one record moves `information_score` among at most `most` records (add/remove): exact, in bits.

    It is n log2 n - (n - 1) log2(n - 1) for n = `most`. It is reached when a record of a new class joins n - 1 of
    another. The published bound log2(n + 1) + 1 / ln 2 is a little larger. `most` must be public, and not be the number
    of records of the data.
    Raises ValueError for a `most` that is not a whole number of at least 1.
    Source: Friedman and Schuster 2010, made exact.  Notebook: 12_trees.
    """
    most = arguments.whole("most", most, 1)
    return (math.log(most) - (most - 1) * math.log1p(-1 / most)) / math.log(2) if most > 1 else 0.0


def information_gain(most):
    """Information gain as a `Quality` for at most `most` records, a public bound of at least 2.

    Raises ValueError for another `most`. Source: Friedman and Schuster 2010.  Notebook: 12_trees.
    """
    return Quality(information_score, information_sensitivity(arguments.whole("most", most, 2)), most)


MAJORITY = Quality(majority_score, 1.0)
GINI = Quality(gini_score, 2.0)


def normalised_gain(counts):
    """Information gain as it is published, H(C) - H(C | A) in bits, from 0 to log2(classes). NOT private.

    Its sensitivity is its whole range: one record can move it from 0 to log2(classes). `counts` as in `majority_score`.
    Source: 004 section 5.5.3; Mohammed and others 2011.  Notebook: 12_trees.
    """
    counts = np.asarray(counts, dtype=float)
    together = counts.sum(axis=-2, keepdims=True)
    records = np.maximum(together.sum(axis=(-2, -1)), 1)
    return (information_score(counts) - information_score(together)) / records


def gain_ratio(counts):
    """Information gain over the entropy of the split, as C4.5 uses it. NOT private, and of no use here: see below.

    The entropy can be next to nothing. So one record moves the ratio by almost its whole range, however many records
    there are. It is 0 where all records have one value. `counts` as in `majority_score`.
    Source: Friedman and Schuster 2010, who leave it out for this reason; not in 004.  Notebook: 12_trees.
    """
    counts = np.asarray(counts, dtype=float)
    split = -information_score(counts.sum(axis=-1)[..., None, :]) / np.maximum(counts.sum(axis=(-2, -1)), 1)
    return np.where(split > 0, normalised_gain(counts) / np.where(split > 0, split, 1), 0.0)
