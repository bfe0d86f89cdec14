"""The claims of chapter 13: a record of three yes-or-no attributes more, or replaced for the rivals of source 001.

What a row loses on its pairs is worked out beside it. It is all of epsilon where one record moves every release alike.
Otherwise it comes from the qualities by which a choice is made and the cells that a record leaves and enters.
"""

import itertools
from functools import partial

import numpy as np

from dpbook import exponential, marginals
from dpbook.claims.verdicts import BY_STEPS, Claim, called
from dpbook.neighbours import ADD_REMOVE, REPLACE

CHAPTER = "13"
PEOPLE = np.array(list(itertools.product((0, 1), repeat=3)))
PAIRS = list(itertools.combinations(range(3), 2))
TOTAL = 6.0  # what MWEM is told of the number of records
SHARE, DELTA = 0.3, 1e-5
START = int(np.random.default_rng(1).integers(3))  # where a network begins, drawn blindly: public, as the claims run it


def claims():
    """The rows of chapter 13."""
    more = [(data, np.vstack([data, person])) for data in (PEOPLE[:0], PEOPLE[[0, 3, 5, 7, 7]]) for person in PEOPLE]
    replaced = [
        (data, np.vstack([person, data[1:]]))
        for data in (PEOPLE[[1, 6]], PEOPLE[[0, 3, 6]])
        for person in PEOPLE
        if (person != data[0]).any()
    ]
    one_answer = [(PEOPLE[[0, 3]], PEOPLE[[place, 3]]) for place in (1, 2, 4)]
    thirds = marginals.cube_root_shares(3, 2)

    def row(mechanism, setting, run, pairs=more, relation=ADD_REMOVE, **rest):
        return Claim(mechanism, setting, relation, BY_STEPS, run, pairs, **rest)

    def mwem_run(data, epsilon, rng):
        return marginals.mwem(data, 2, 1, TOTAL, epsilon, rng, passes=2)

    def mwem_rounds_run(data, epsilon, rng):
        rounds = marginals.mwem_rounds(data, 2, 1, TOTAL, epsilon, rng, passes=2)
        return [part for step in rounds for part in (step.attributes, step.noisy, step.table)]

    def polynomial(degree):
        def run(data, epsilon, rng):
            return list(marginals.polynomial_marginals(data, 3, degree, epsilon, rng).tables.values())

        return run

    def normal(mechanism, public):
        return lambda data, epsilon, rng: mechanism(data, public, epsilon, DELTA, rng)

    def projected(data, epsilon, rng):
        return marginals.dppro(data, 4, epsilon, DELTA, rng, protects="attribute").release

    waves, views, mwem = marginals.fourier_marginals, marginals.noisy_views, marginals.mwem
    network, synthetic, by_degree = marginals.private_network, marginals.privbayes, marginals.polynomial_marginals
    chosen = max(0.5 + choice_loss(*pair) for pair in more)
    few = pairs_of_two(replaced)[:3]  # a kind of change each; the others repeat them
    links = max(max(network_losses(*pair, 1.0).values()) for pair in replaced)
    return [
        row(marginals.flat_table, "8 cells", called(marginals.flat_table)),
        row(marginals.direct_marginals, "three pairs", called(marginals.direct_marginals, PAIRS)),
        row(waves, "up to two of three", called(waves, 2)),
        row(waves, "up to two of three, cube roots", called(waves, 2, shares=thirds)),
        row(views, "three pairs", called(views, PAIRS)),
        row(marginals.priview, "three pairs", called(marginals.priview, PAIRS)),
        row(by_degree, "three literals, degree 2", polynomial(2)),
        row(by_degree, "three literals, degree 3", polynomial(3)),
        row(mwem, "one round, total public", mwem_run, loses=chosen),
        row(marginals.mwem_rounds, "one round, total public", mwem_rounds_run, loses=chosen),
        row(network, "one parent", called(network, 1), replaced, REPLACE, loses=links),
        row(
            synthetic, "one parent", called(synthetic, 1, network_share=SHARE), few, REPLACE,
            loses=max(map(synthetic_loss, few)),
        ),
        Claim(
            marginals.gaussian_marginals, "three pairs, delta 0.00001", ADD_REMOVE, BY_STEPS,
            normal(marginals.gaussian_marginals, PAIRS), more, delta=DELTA, loses=1.0,
        ),
        Claim(
            marginals.gaussian_waves, "up to two of three, delta 0.00001", ADD_REMOVE, BY_STEPS,
            normal(marginals.gaussian_waves, 2), more, delta=DELTA, loses=1.0,
        ),
        Claim(
            marginals.dppro, "an attribute, delta 0.00001", REPLACE, BY_STEPS, projected, one_answer, delta=DELTA,
            loses=1.0,
        ),
    ]  # fmt: skip


def pairs_of_two(pairs):
    """The pairs of datasets of two records: a synthetic record is a coin an attribute, and all ways are tried."""
    return [pair for pair in pairs if len(pair[0]) == 2]


def choice_loss(data, neighbour):
    """What MWEM's first choice loses at half of epsilon 1: from the uniform table, by the pairs' L1 errors."""
    wrong = [
        [np.abs(table - TOTAL / 4).sum() for table in marginals.marginals(records, PAIRS)]
        for records in (data, neighbour)
    ]
    return exponential.privacy_loss(*wrong, 1, 0.5)


def network_losses(data, neighbour, epsilon):
    """For each network of one parent that begins with START: what its two choices lose together."""
    losses = {}
    for path in itertools.permutations({0, 1, 2} - {START}):
        for parent in (START, path[0]):
            links, ratio = ((path[0], START), (path[1], parent)), 0.0
            for place, link in enumerate(links):
                chosen = (START, *path[:place])
                one, other = (log_chance(records, chosen, link, epsilon) for records in (data, neighbour))
                ratio += one - other
            losses[links] = abs(ratio)
    return losses


def log_chance(records, chosen, link, epsilon):
    """The natural log of the probability that `link` is the next, after the attributes `chosen`."""
    links = [(a, parent) for a in range(3) if a not in chosen for parent in sorted(chosen)]
    quality = [marginals.dependence_quality(marginals.marginal(records, one)) for one in links]
    sensitivity = marginals.quality_sensitivity(len(records))
    return exponential.log_selection_probabilities(quality, sensitivity, epsilon / 2)[links.index(link)]


def synthetic_loss(pair):
    """The worst over the networks: their choices at SHARE, and 1 - SHARE for the cells that a record changes."""
    losses = []
    for links, loss in network_losses(*pair, SHARE).items():
        moved = sum(np.abs(np.subtract(*map(partial(marginals.marginal, attributes=one), pair))).sum() for one in links)
        losses.append(loss + (1 - SHARE) * moved / 4)
    return max(losses)
