"""Weights by private search: a walk along one coordinate at a time, and breeding. Nothing is fitted, only compared.

One record's losses under two weights differ by no more than the weights do, because slopes and features are at most 1.
This distance is the `spread` that the exponential mechanism needs. No regularisation is asked for, and no gradient.
Source: 004 section 5.4.  Notebook: 11_regression.
"""

import numpy as np
import scipy

from dpbook import arguments
from dpbook.regression.losses import checked_features, checked_labels, checked_loss
from dpbook.search import exponential_search, genetic_search


def candidate_spread(candidates):
    """The most by which the losses of one record can differ among these weights: how far the weights lie apart.

    `candidates` is (k, d), one a row. The bound holds for all records with features of length at most 1 and all losses
    with a slope of at most 1. So it is public. Raises ValueError for a table that is empty or not finite.
    Source: 004 section 5.4.3, Delta_2, bounded over the record domain.  Notebook: 11_regression.
    """
    candidates = arguments.table("candidates", candidates)
    return float(scipy.spatial.distance.pdist(candidates).max()) if len(candidates) > 1 else 0.0


def search_regression(features, labels, loss, rounds, epsilon, rng, *, step=0.5, shrink=0.95):
    """Search for weights with epsilon-DP under add/remove (2 epsilon under replace): a `search.Found`.

    From weights 0, each of the `rounds` spends epsilon / rounds to stay, or to move one weight by `step` up or down.
    Then the step is multiplied by `shrink`. The other arguments are those of `fit`, without regularisation. All numbers
    but the records are public, and chosen without them.
    Raises ValueError as `fit` and `search.exponential_search` do.
    Source: 004 section 5.4.2, Algorithm 10; step and shrink of a port of its authors' code, whose rounds are
    N epsilon / 800.  Notebook: 11_regression.
    """
    totals, dimensions = _totals(features, labels, loss)
    return exponential_search(np.zeros(dimensions), totals, candidate_spread, step, shrink, rounds, epsilon, rng)


def privgene_regression(
    features, labels, loss, rounds, epsilon, rng, *, population=200, selected=10, step=0.5, reach=2.0
):
    """Breed weights with epsilon-DP under add/remove (2 epsilon under replace): a `search.Found`.

    A `population` of weights is at first uniform from -reach to reach. Each of the `rounds` but the last selects
    `selected` parents. Their children swap tails at a random place, and one weight of each child moves by `step` up or
    down. The last round selects one candidate. The other arguments are those of `search_regression`.
    Raises ValueError as `fit` and `search.genetic_search` do, or for a population below 2.
    Source: 004 section 5.4.1, Algorithm 8; rounds in the paper: N epsilon / (800 selected).  Notebook: 11_regression.
    """
    totals, dimensions = _totals(features, labels, loss)
    population = arguments.whole("population", population, 2)
    reach, step = arguments.positive("reach", reach), arguments.positive("step", step)
    first = arguments.generator("rng", rng).uniform(-reach, reach, (population, dimensions))

    def breed(parents, rng):
        return offspring(parents, population, step, rng)

    return genetic_search(first, totals, candidate_spread, breed, rounds, selected, epsilon, rng)


def _totals(features, labels, loss):
    """The function that gives the total loss of each row of weights, and how many weights there are."""
    features = checked_features(features)
    labels, loss = checked_labels(labels, len(features)), checked_loss(loss)

    def totals(candidates):
        return loss.value(labels * (candidates @ features.T)).sum(axis=1)

    return totals, features.shape[1]


def offspring(parents, population, step, rng):
    """Weights bred of parents, two by two: tails changed at a random place, then one weight of each moved by +-step.

    `parents` is (m, d), what a round of `privgene_regression` selected; returns (population, d). Post-processing: the
    data play no part. Raises nothing. Source: 004 section 5.4.1, Algorithm 8.  Notebook: 11_regression.
    """
    dimensions, half = parents.shape[1], -(-population // 2)
    mothers, fathers = parents[rng.integers(0, len(parents), (2, half))]
    tail = np.arange(dimensions) >= rng.integers(0, dimensions + 1, (half, 1))
    children = np.concatenate([np.where(tail, fathers, mothers), np.where(tail, mothers, fathers)])[:population]
    moved = rng.integers(0, dimensions, population)
    children[np.arange(population), moved] += step * (2 * rng.integers(0, 2, population) - 1)
    return children
