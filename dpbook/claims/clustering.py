"""The claims of chapter 10: noisy rounds, a grid, blocks, evolution; and three that are false.

A record in a corner moves all d sums and a count by 1 each: there a round loses all it may. The points of the pairs lie
off the lines between centroids, so that rounding moves nobody.
"""

import itertools

import numpy as np
from scipy.special import logsumexp

from dpbook import clustering
from dpbook.claims.trial import Trial
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim, called
from dpbook.laplace import laplace_mechanism, laplace_probability
from dpbook.neighbours import ADD_REMOVE, REPLACE

CHAPTER = "10"
START = np.array([[-0.4, -0.3], [0.5, 0.2]])
PEOPLE = np.array([[-0.9, -0.8], [-0.7, 0.1], [0.3, 0.9], [0.8, -0.2], [0.9, 0.7]])
CORNERS = np.array(list(itertools.product((-1.0, 0.07, 1.0), repeat=2)))


def claims():
    """The rows of chapter 10."""
    rounds, in_place, starts = clustering.dplloyd, clustering.inplace_dplloyd, clustering.forgy_centroids
    blocks, printed = clustering.gkm, clustering.printed_gkm
    joined = [(PEOPLE, np.vstack([PEOPLE, corner])) for corner in CORNERS]
    moved = [(np.vstack([PEOPLE, [-1.0, -1.0]]), np.vstack([PEOPLE, [1.0, 1.0]]))]
    alone = [(np.array([[-1.0, -1.0]]), np.array([[1.0, 1.0]]))]
    second = [(np.array([[-1.0, -1.0]]), np.array([[-1.0, -1], [1, 1]]))]
    spent = {"shares": clustering.growing_shares(4), "count_share": clustering.balanced_count_share(2)}
    nobody = [(np.empty((0, 2)), np.array([[1.0, -1.0]]))]
    return [
        row(rounds, "five rounds", called(rounds, START, 5), joined + nobody),
        row(rounds, "four rounds, growing shares, counts apart", called(rounds, START, 4, **spent), joined),
        row(rounds, "a record in the centre", called(rounds, START, 5), [(PEOPLE, np.vstack([PEOPLE, [0.0, 0.0]]))],
            epsilon=1 / 3, at=1.0),
        row(rounds, "one round", called(rounds, START, 1), moved, REPLACE, epsilon=2.0, at=1.0),
        row(in_place, "004 Alg. 6, three centroids, one round", called(in_place, THREE, 1), [CROWDS], loses=3.0,
            false=True),
        row(clustering.eugkm, "3 x 3 cells", called(clustering.eugkm, 3, 2), joined + nobody),
        row(clustering.eugkm, "3 x 3 cells", called(clustering.eugkm, 3, 2), moved, REPLACE, epsilon=2.0, at=1.0),
        row(clustering.hybrid_kmeans, "3 x 3 cells, one round", called(clustering.hybrid_kmeans, 3, 2), joined),
        row(blocks, "one block, one record more", called(blocks, 1, 1, 3), second, loses=0.5),
        row(blocks, "three blocks, one record", called(blocks, 3, 1, 3), alone, REPLACE),
        row(printed, "004 (8.2), three blocks, one record", called(printed, 3, 1, 3), alone, REPLACE, loses=2.0,
            false=True),
        row(clustering.privgene_kmeans, "two rounds, two of four", evolved, joined[::4],
            loses=evolved_loss(joined[::4])),
        Claim(starts, "one of the records, and a noisy size", ADD_REMOVE, BY_LAW, started, [FEW], law=start_law,
              trial=Trial(start_law, start_place, list(FEW)), loses=np.inf, false=True),
    ]  # fmt: skip


def row(mechanism, setting, run, pairs, relation=ADD_REMOVE, **rest):
    """A row that is checked step by step."""
    return Claim(mechanism, setting, relation, BY_STEPS, run, pairs, **rest)


# A record in the corner (1, 1) that Algorithm 6's loop counts three times. Each crowd is large enough to carry its
# centroid off to the left, noise or not, as soon as the record has been counted there; then the next is the nearest.
THREE = np.array([[1.0, 0.9], [1.0, 0.6], [1.0, 0.3]])
CROWD = np.repeat([[-1.0, 1.0], [0.02, 0.6], [1.0, -1.0]], 3000, axis=0)
CROWDS = CROWD, np.vstack([CROWD, [1.0, 1.0]])


def evolved(points, epsilon, rng):
    """Two rounds of PrivGene with four sets of one centroid."""
    return clustering.privgene_kmeans(points, 1, 2, epsilon, rng, population=4, selected=2)


def evolved_loss(pairs):
    """The worst |ln p / p'| over all twelve pairs of parents and the four of the last round, from the weights alone."""
    return max(float(np.abs(evolved_law(one) - evolved_law(other)).max()) for one, other in pairs)


def evolved_law(points):
    """ln of the chance of each way: two parents at 1/4 of epsilon 1 each, then one of their generation at 1/2."""
    rng, ways = np.random.Generator(np.random.PCG64(1)), []
    candidates = rng.uniform(-1, 1, (4, 1, 2))
    rng.random(2)  # the two selections draw one number each
    after = rng.bit_generator.state
    for first, second in itertools.permutations(range(4), 2):
        rng.bit_generator.state = after
        born = clustering.breed_centroids(candidates[[first, second]], 4, rng)
        left = [place for place in range(4) if place != first]
        # the spread is that of the whole generation, in which `first` was when the round began
        both = log_weights(points, candidates, 0.25)
        chance = both[first] - logsumexp(both) + both[second] - logsumexp(both[left])
        last = log_weights(points, born, 0.5)
        ways.append(chance + last - logsumexp(last))
    return np.concatenate(ways)


def log_weights(points, candidates, epsilon):
    """-epsilon (sum of squared distances) / (far corner's squared distance), for sets of one centroid."""
    losses = np.square(points - candidates).sum(axis=(1, 2))
    return -epsilon * losses / np.square(1 + np.abs(candidates)).sum(axis=(1, 2)).max()


FEW = np.array([[-0.5], [0.0], [0.5]]), np.array([[-0.5], [0.0], [0.5], [1.0]])
CUTS = np.concatenate([[-np.inf], np.arange(0.5, 7), [np.inf]])


def started(points, epsilon, rng):
    """Forgy's start for one centroid, and the number of records with noise."""
    return clustering.forgy_centroids(points, 1, rng)[0, 0], laplace_mechanism(len(points), 1, epsilon, rng)


def start_law(points, epsilon):
    """ln of the chance of each place in [-.5, 0, .5, 1] to start, by where the noisy size lies."""
    with np.errstate(divide="ignore"):
        size = np.log(laplace_probability(CUTS[:-1], CUTS[1:], len(points), 1, epsilon))
        start = np.log(np.isin(FEW[1][:, 0], points[:, 0]) / len(points))
    return (start[:, None] + size).ravel()


def start_place(outputs):
    """The cell of a record that became a start, and of the noisy size beside it."""
    cells = CUTS.size - 1
    return [round(2 * x + 1) * cells + int(np.searchsorted(CUTS, size, side="right")) - 1 for x, size in outputs]
