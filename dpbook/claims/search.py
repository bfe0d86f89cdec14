"""The claims of the search that chapters 10 and 11 share: selections by a summed loss, and searches made of them.

The losses of the few records and candidates stand in a table. What a row loses is worked out beside it from the weights
alone, over every way that the choices can fall.
"""

import itertools

import numpy as np
from scipy.special import logsumexp

from dpbook import search
from dpbook.claims.verdicts import BY_DRAW, BY_STEPS, Claim
from dpbook.neighbours import ADD_REMOVE, REPLACE, record_pairs, replace_record

CHAPTER = "10"
TABLE = np.array([[0.0, 1, 0.4], [1, 0, 0.7], [0.2, 0.3, 1.2]])  # the domain: three records, by three candidates
SPREAD = 1.0
LONE = np.full(100, 0.01), np.append(np.full(100, 0.01), 1.0)  # the data's own largest loss: .01, then 1


def claims():
    """The rows of chapter 10."""
    one, some = search.enhanced_exponential_mechanism, search.select_candidates
    bred, local = search.genetic_search, search.exponential_search
    pairs, replaced = (pairs_of(relation) for relation in (added, replace_record))
    return [
        row(one, "three candidates", ADD_REMOVE, chosen_one, pairs, BY_DRAW, law=law_of_one),
        row(one, "three candidates", REPLACE, chosen_one, replaced, BY_DRAW, law=law_of_one, epsilon=2.0),
        Claim(one, "004 section 5.4.3, the data's own spread", ADD_REMOVE, BY_STEPS, with_own_spread, [LONE],
              loses=float(np.logaddexp(0, 50) - np.logaddexp(0, 1)), false=True),
        row(some, "two of three, in order", ADD_REMOVE, chosen_two, pairs, law=law_of_two),
        row(some, "two of three, in order", REPLACE, chosen_two, replaced, law=law_of_two, epsilon=2.0),
        row(bred, "two rounds of three candidates", ADD_REMOVE, bred_run, pairs, law=law_of_bred),
        row(local, "two rounds, one coordinate", ADD_REMOVE, local_run, pairs, law=law_of_local),
    ]  # fmt: skip


def row(mechanism, setting, relation, run, pairs, method=BY_STEPS, *, law, **rest):
    """A row whose loss is the largest |ln p / p'| over all ways the choices can fall, by its law at epsilon 1."""
    loses = max(np.abs(law(one) - law(other)).max() for one, other in pairs)
    return Claim(mechanism, setting, relation, method, run, pairs, loses=float(loses), **({"at": 1.0} | rest))


def added(values, domain):
    """All datasets with one value of the domain more."""
    return [np.append(values, value) for value in domain]


def pairs_of(relation):
    """Datasets of up to two records, each the number of a row of `TABLE`, and two of many alike, with neighbours."""
    crowds = [(crowd, other) for crowd in (np.repeat(0, 14), np.repeat(1, 14)) for other in relation(crowd, range(3))]
    pairs = record_pairs(relation, range(3), 2) + crowds
    return [(one.astype(int), np.asarray(other, dtype=int)) for one, other in pairs]


def totals(data):
    """The candidates' losses, summed over the records."""
    return TABLE[data].sum(axis=0)


def log_shares(losses, epsilon, spread=SPREAD):
    """ln of the weights exp(-epsilon loss / spread), made to sum to 1."""
    return -epsilon * losses / spread - logsumexp(-epsilon * losses / spread)


def chosen_one(data, epsilon, rng):
    """One choice among three candidates."""
    return search.enhanced_exponential_mechanism(totals(data), SPREAD, epsilon, rng)


def law_of_one(data):
    """ln of the chance of each candidate, at epsilon 1."""
    return log_shares(totals(data), 1.0)


def with_own_spread(data, epsilon, rng):
    """Two candidates, one with no loss; weights exp(-epsilon loss / (2 Delta)), Delta "max over x in D"."""
    return search.enhanced_exponential_mechanism([data.sum(), 0.0], 2 * data.max(), epsilon, rng)


def chosen_two(data, epsilon, rng):
    """Two choices, one after the other, among three candidates."""
    return search.select_candidates(totals(data), SPREAD, 2, epsilon, rng)


def law_of_two(data, epsilon=1.0):
    """ln of the chance of each ordered pair: the first by its share, the second by its share of what is left."""
    losses = totals(data)
    ways = []
    for first, second in itertools.permutations(range(3), 2):
        left = [place for place in range(3) if place != first]
        after = log_shares(losses[left], epsilon / 2)[left.index(second)]
        ways.append(log_shares(losses, epsilon / 2)[first] + after)
    return np.array(ways)


def bred_run(data, epsilon, rng):
    """Candidates are named by their column; two parents, and the parents with the columns in between as children."""
    return search.genetic_search(
        np.arange(3.0),
        lambda names: totals(data)[names.astype(int)],
        lambda names: SPREAD,
        children,
        2,
        2,
        epsilon,
        rng,
    )


def children(parents, rng):
    """The two parents, and the column that is neither."""
    return np.append(parents, 3 - parents.sum())


def law_of_bred(data):
    """Half of epsilon for the two parents, half for the last choice among the same three."""
    last = log_shares(totals(data), 0.5)
    return (law_of_two(data, 0.5)[:, None] + last).ravel()


def local_run(data, epsilon, rng):
    """Two steps of a local search on a line."""
    return search.exponential_search(
        [0.0], lambda places: place_losses(data, places[:, 0]), np.ptp, 0.5, 0.5, 2, epsilon, rng
    )


def place_losses(data, places):
    """Record 0, 1, 2 stands at -1, 0, 1, and loses its distance: no more apart than the candidates are."""
    return np.abs(places[:, None] - (np.asarray(data) - 1)).sum(axis=1)


def law_of_local(data):
    """All nine paths of two steps: stay, more, less; by .5, then by .25, half of epsilon each."""
    ways, near, nearer = [], np.array([0.0, 0.5, -0.5]), np.array([0.0, 0.25, -0.25])
    for first, chance in zip(near, log_shares(place_losses(data, near), 0.5, 1.0), strict=True):
        ways.append(chance + log_shares(place_losses(data, first + nearer), 0.5, 0.5))
    return np.concatenate(ways)
