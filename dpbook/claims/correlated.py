"""The claims of chapter 30: totals and trainings with noise that remembers, for one use and many, and false accounts.

All but that of `banded_multiplier` are run as their proof says: the noise z is moved by C (x - x'). Here x is what each
step adds up on the released path. The run on the neighbour must then give the same releases. Streams gain a unit in the
items named.
"""

import functools
import math

import numpy as np
import scipy

from dpbook import correlated
from dpbook.claims.gradients import CANARY, THREE
from dpbook.claims.trial import Trial, between
from dpbook.claims.verdicts import BY_LAW, Claim
from dpbook.gaussian import gaussian_epsilon, gaussian_scale, normal_probability
from dpbook.gradients import Recipe, clipped_gradient
from dpbook.neighbours import ADD_REMOVE, count_pairs

CHAPTER = "30"
DELTA, RARE = 1e-6, 1e-3
STREAM = np.resize([3.0, 0, 1, 4, 1, 5, 9, 2, 6, 5], 24)
SHORT = count_pairs(STREAM[:13])  # 13 items: a tree with a block that nobody finishes
LONG = [(STREAM, STREAM + np.isin(np.arange(24), used)) for used in ([0, 8, 16], [3, 11, 23], [7, 23])]
THRICE = {"participations": 3, "separation": 8}
RECIPE = Recipe(0.5, 6, 1.0, 0.1, 0.1)
CYCLE, BATCHES = 3, np.array([0, 2, 1, 0])  # batch numbers of THREE, and of the canary
JOINED = [(THREE, np.vstack([THREE, CANARY]))]
ROOT, BANDS = correlated.root_strategy(6), correlated.root_strategy(6, bands=3)
COINS, TOSSED = correlated.root_strategy(4, bands=2), 0.25  # expected batch over records: half of a group each step
PLANE = np.concatenate([[-np.inf], np.linspace(-6, 8, 43), [np.inf]])  # of what each of two columns shows, in pulls


def claims():
    """The rows of chapter 30."""
    small, root = {"relation": ADD_REMOVE, "delta": DELTA}, correlated.root_strategy(24)
    trees, bands = correlated.tree_strategy(13), correlated.root_strategy(24, bands=8)

    def totals(mechanism, setting, strategy, pairs, uses=None, **more):
        run = functools.partial(totalled, mechanism, strategy, uses or {})
        method = by_shift(lambda stream, released: strategy @ stream)
        return Claim(mechanism, setting, run=lambda *call: run(*call), method=method, pairs=pairs, **small, **more)

    def training(mechanism, setting, strategy, run, **more):
        return Claim(mechanism, setting, run=run, method=by_shift(pulls(strategy)), pairs=JOINED, **small, **more)

    def lost(true, said):
        """What a release of sensitivity `true` loses with the noise of one of sensitivity `said`."""
        return gaussian_epsilon(true, gaussian_scale(said, 1.0, DELTA), DELTA)

    uses = {"participations": 2, "separation": CYCLE, "fixed": True}
    once, twice = (correlated.strategy_sensitivity(ROOT, **more) for more in ({}, uses))
    thrice = correlated.strategy_sensitivity(root, **THRICE)
    inverse = scipy.linalg.solve_triangular(root, np.eye(24), lower=True)
    coins = {"law": coins_law, "trial": Trial(coins_law, between(PLANE), [1, 0])}
    return [
        totals(correlated.correlated_totals, "13 items, square root", correlated.root_strategy(13), SHORT),
        totals(correlated.correlated_totals, "13 items, tree", trees, SHORT),
        totals(correlated.correlated_totals, "24 items, square root, 3 uses 8 apart", root, LONG, THRICE),
        totals(correlated.correlated_totals, "24 items, 8 bands, 3 uses 8 apart", bands, LONG[:1], THRICE),
        training(correlated.dp_ftrl, "2 passes of 3 batches, square root", ROOT, ordered(correlated.dp_ftrl, ROOT)),
        training(correlated.dp_ftrl, "2 passes of 3 batches, 3 bands", BANDS, ordered(correlated.dp_ftrl, BANDS)),
        training(
            correlated.correlated_training, "2 passes of 3 batches, noise of their account", ROOT,
            trained(ROOT, lambda epsilon: gaussian_scale(twice, epsilon, DELTA)),
        ),
        Claim(
            correlated.banded_multiplier, "4 steps, 2 bands, coins, delta 0.001", ADD_REMOVE, BY_LAW, tossed, [(1, 0)],
            delta=RARE, **coins,
        ),
        training(
            correlated.one_use_ftrl, "2 passes of 3 batches, square root", ROOT,
            ordered(correlated.one_use_ftrl, ROOT), loses=lost(twice, once), false=True,
        ),
        totals(
            correlated.marginal_account_totals, "24 items, square root", root, count_pairs(STREAM),
            loses=lost(np.linalg.norm(root, axis=0).max() * np.linalg.norm(inverse, axis=1).max(), 1), false=True,
        ),
        training(
            correlated.correlated_training, "square root, its column times the root of 2 uses", ROOT,
            trained(ROOT, lambda epsilon: gaussian_scale(math.sqrt(2) * once, epsilon, DELTA)),
            loses=lost(twice, math.sqrt(2) * once), false=True,
        ),
        training(
            correlated.correlated_training, "3 bands, a fixed order with the account of coins", BANDS,
            trained(BANDS, unearned), loses=gaussian_epsilon(math.sqrt(2), unearned(1.0) / longest(BANDS), DELTA),
            false=True,
        ),
        Claim(
            correlated.correlated_noise, "added to a stream, 24 items, 3 uses 8 apart", run=beside(root, thrice),
            method=by_shift(lambda stream, released: root @ stream), pairs=LONG[:1], **small,
        ),
    ]  # fmt: skip


class Moved(np.random.Generator):
    """A generator whose normal draws are moved by hand; it notes their scales."""

    def __init__(self, moves=0.0):
        super().__init__(np.random.PCG64(1))
        self.moves, self.scales = moves, []

    def normal(self, loc=0.0, scale=1.0, size=None):
        self.scales.append(scale)
        return super().normal(loc, scale, size) + np.reshape(self.moves, np.shape(self.moves) and size)


def by_shift(encoded):
    """A method of a claim: what the noise loses by the move that hides a record, exactly; inf where it hides nothing.

    `encoded(data, released)` is C x, x being what each step adds up on that released path. The neighbour is run with z
    moved by the difference: then all releases must be the same, up to rounding.
    """

    def method(claim):
        return max(_shifted(claim, encoded, *pair) for one in claim.pairs for pair in (one, one[::-1]))

    return method


def _shifted(claim, encoded, data, neighbour):
    first = Moved()
    released = claim.run(data, claim.given, first)
    moves = encoded(data, released) - encoded(neighbour, released)
    second = Moved(moves)
    other = claim.run(neighbour, claim.given, second)
    if len(first.scales) != 1 or first.scales != second.scales or not np.allclose(released, other, rtol=0, atol=1e-9):
        return math.inf
    return gaussian_epsilon(float(np.linalg.norm(moves)), first.scales[0], claim.delta)


def totalled(mechanism, strategy, uses, stream, epsilon, rng):
    """Running totals of a stream, at DELTA."""
    return mechanism(stream, strategy, epsilon, DELTA, rng, **uses)


def beside(strategy, sensitivity):
    """A stream with the noise itself added, z as large as this sensitivity needs."""

    def run(stream, epsilon, rng):
        return stream + correlated.correlated_noise(strategy, gaussian_scale(sensitivity, epsilon, DELTA), rng)

    return run


def ordered(mechanism, strategy):
    """A training of people in their batches, its path and all, at DELTA."""

    def run(people, epsilon, rng):
        features, labels, batches = people[:, :-1], people[:, -1], BATCHES[: len(people)]
        return mechanism(features, labels, batches, CYCLE, RECIPE, strategy, epsilon, DELTA, rng).path

    return run


def trained(strategy, multiplier):
    """The same with noise that is told."""

    def run(people, epsilon, rng):
        features, labels, batches = people[:, :-1], people[:, -1], BATCHES[: len(people)]
        noise = multiplier(epsilon)
        return correlated.correlated_training(features, labels, batches, CYCLE, RECIPE, strategy, noise, rng).path

    return run


def pulls(strategy):
    """C x for trainings: x are the sums of clipped gradients at the weights of the released path."""

    def encoded(people, path):
        sums = np.zeros((RECIPE.steps, people.shape[1] - 1))
        for step, weights in enumerate(path[:-1]):
            batch = people[BATCHES[: len(people)] == step % CYCLE]
            sums[step] = clipped_gradient(weights, batch[:, :-1], batch[:, -1], RECIPE.norm)
        return strategy @ sums

    return encoded


def longest(strategy):
    """The length of the longest column."""
    return correlated.strategy_sensitivity(strategy)


@functools.cache
def unearned(epsilon):
    """The noise of bands with coins, a tenth of the records a step, where nobody tosses any."""
    return correlated.banded_multiplier(CYCLE, RECIPE.steps, 0.1, epsilon, DELTA) * longest(BANDS)


@functools.cache
def with_coins(epsilon):
    """The account of four steps in two groups."""
    return correlated.banded_multiplier(2, 4, TOSSED, epsilon, RARE)


def tossed(records, epsilon, rng, size):
    """What the two columns of one group show of `records` records that pull by 1 where their coin says so.

    Steps 1 and 3 are the group's. Two such columns do not meet: C x + z along each, in units of its length.
    """
    scale = correlated.banded_multiplier(2, 4, TOSSED, epsilon, RARE) * longest(COINS)
    contributions = np.zeros((4, size))
    contributions[::2] = records * (rng.random((2, size)) < 2 * TOSSED)
    noisy = COINS @ (contributions + correlated.correlated_noise(COINS, scale, rng, width=size))
    return (noisy.T @ COINS[:, ::2]) / np.sum(COINS[:, ::2] ** 2, axis=0)


def coins_law(records, epsilon):
    """Each column's number is normal about its coin, and the two are independent: the cells of a plane."""
    ends = (PLANE[:, None] - np.arange(2)) / with_coins(epsilon)
    chances = np.array([1 - 2 * TOSSED, 2 * TOSSED]) if records else np.array([1.0, 0])
    with np.errstate(divide="ignore"):
        logs = np.log(normal_probability(ends[:-1], ends[1:]) @ chances)
    return logs[:, None] + logs
