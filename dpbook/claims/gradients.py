"""The claims of chapter 26: noisy training by the full batch and by samples, its account, and the bugs of others.

A record is a row: its features, then its label. The worst pair known: a canary, who alone has a feature, beside nobody.
"""

import functools
import math

import numpy as np
from scipy import stats

from dpbook import gradients
from dpbook.claims.trial import Trial, between
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim
from dpbook.gaussian import gaussian_epsilon, gaussian_scale, normal_probability
from dpbook.neighbours import ADD_REMOVE, REPLACE

CHAPTER = "26"
DELTA, RARE = 1e-6, 1e-3
FULL = gradients.Recipe(0.5, 5, 1.0, 0.1, 0.1)
LONG = FULL._replace(steps=50, step_size=0.01)
ONE = gradients.Recipe(0.0, 1, 0.2, 0.1, 0.1)
SAMPLED = ONE._replace(steps=10, step_size=0.02)
SELDOM = gradients.Recipe(0.0, 1, 0.01, 1.0, 1.0)
HALF_SURE = gradients.Recipe(0.0, 1, 1.0, 1.0, 0.005)
THREE = np.array([[0.6, 0.3, 0, 1], [-0.2, 0.5, 0, -1], [0.4, -0.7, 0, 1]])
CANARY = np.array([[0, 0, 1.0, 1]])
JOINED = [(THREE, np.vstack([THREE, CANARY]))]
TURNED = [(np.vstack([THREE, CANARY]), np.vstack([THREE, CANARY * [1, 1, 1, -1]]))]
ALONE = [tuple(np.vstack([np.tile([0, 1.0], (63, 1)), [[1, label]]]) for label in (1, -1))]
BLANK = [tuple(np.column_stack([np.zeros((n, 10)), np.ones(n)]) for n in (499, 500))]
TWINS = np.array([[1.0, 0, 1], [0, 1.0, 1]])  # two canaries: drawn by coins of their own, and not one of the two
HALVES = gradients.Recipe(0.0, 1, 0.5, 0.1, 0.1)
PLANE = np.concatenate([[-np.inf], np.linspace(-8, 9, 18), [np.inf]])  # of each canary's weight, in noise and pulls
LINE = np.concatenate([[-np.inf], np.linspace(-6, 7, 105), [np.inf]])  # of the canary's weight, in noise and pulls
SQUARES = np.concatenate([[0.0], np.geomspace(0.02, 20, 60), [np.inf]])


def claims():
    """The rows of chapter 26."""
    small, often = {"delta": DELTA}, {"delta": RARE, "pairs": JOINED, "method": BY_LAW}
    single, several, counted = (
        {"run": canary_weight(recipe, noise), "law": (law := canary_law(recipe, noise)), "trial": trial(law)}
        for recipe, noise in ((ONE, calibrated), (SAMPLED, calibrated), (SAMPLED, inverse))
    )
    unrooted = gaussian_epsilon(math.sqrt(LONG.steps), gaussian_scale(1, 1.0, DELTA), DELTA)
    twice = gaussian_epsilon(2, gaussian_scale(1, 1.0, DELTA), DELTA)
    mean = gaussian_epsilon(2 * 64, calibrated(LONG, 1.0, DELTA), DELTA)
    squares = Trial(floored_law, lambda outputs: np.searchsorted(SQUARES, outputs, side="right") - 1, list(BLANK[0]))
    return [
        Claim(gradients.dp_sgd, "5 full steps, the whole path", ADD_REMOVE, BY_STEPS, trained(FULL), JOINED, **small),
        Claim(
            gradients.dp_sgd, "5 full steps", REPLACE, BY_STEPS, trained(FULL), TURNED,
            loses=twice, false=True, **small,
        ),
        Claim(
            gradients.train, "50 full steps, noise of their account", ADD_REMOVE, BY_STEPS, with_noise(calibrated),
            JOINED, **small,
        ),
        Claim(
            gradients.train, "50 full steps, noise of one", ADD_REMOVE, BY_STEPS, with_noise(of_one_step), JOINED,
            loses=unrooted, false=True, **small,
        ),
        Claim(gradients.dp_sgd, "one sampled step, delta 0.001", ADD_REMOVE, **often, **single),
        Claim(
            gradients.train, "one model alone, half of two records", ADD_REMOVE, BY_LAW, twins, [(TWINS, TWINS[:1])],
            delta=RARE, law=twins_law, trial=Trial(twins_law, between(PLANE), [TWINS, TWINS[:1]]),
        ),
        Claim(gradients.dp_sgd, "ten sampled steps, the last weights, delta 0.001", ADD_REMOVE, **often, **several),
        Claim(
            gradients.training_epsilon, "ten sampled steps, multiplier 1, delta 0.001", ADD_REMOVE, at=1.0,
            epsilon=lambda: gradients.training_epsilon(SAMPLED, 1.0, RARE), **often, **counted,
        ),
        Claim(
            gradients.mean_clipped_training, "64 records, norm 0.005, the first of 50 steps", REPLACE, BY_STEPS,
            mean_clipped, ALONE, loses=mean, false=True, **small,
        ),
        Claim(
            gradients.floored_training, "10 weights, 499 or 500 records", ADD_REMOVE, BY_LAW, floored, BLANK,
            law=floored_law, trial=squares, false=True, **small,
        ),
    ]  # fmt: skip


@functools.cache
def calibrated(recipe, epsilon, delta):
    """The multiplier of the account: computed once for each recipe."""
    return gradients.training_multiplier(recipe, epsilon, delta)


def of_one_step(recipe, epsilon, delta):
    """The noise of a single release, whatever the number of steps: the forgotten root of T."""
    return gaussian_scale(1, epsilon, delta)


def inverse(recipe, epsilon, delta):
    """The multiplier in the place of an epsilon: its inverse."""
    return 1 / epsilon


def trained(recipe):
    """A full-batch training of people, its path and all, at DELTA."""
    return lambda people, epsilon, rng: (
        gradients.dp_sgd(people[:, :-1], people[:, -1], recipe, epsilon, DELTA, rng).path
    )


def with_noise(multiplier):
    """Fifty full steps with this multiplier, at DELTA."""

    def run(people, epsilon, rng):
        return gradients.train(people[:, :-1], people[:, -1], LONG, multiplier(LONG, epsilon, DELTA), rng).path

    return run


def canary_weight(recipe, multiplier):
    """The last weight of trainings with samples, in pulls of the canary, at RARE."""

    def run(people, epsilon, rng, size):
        features, labels = people[:, :-1], people[:, -1]
        if multiplier is calibrated:
            models = gradients.dp_sgd(features, labels, recipe, epsilon, RARE, rng, models=size)
        else:
            models = gradients.train(features, labels, recipe, multiplier(recipe, epsilon, RARE), rng, models=size)
        pull = recipe.step_size * recipe.norm / recipe.sampling
        return models.weights[:, -1] / pull / math.sqrt(recipe.steps)

    return run


def canary_law(recipe, multiplier):
    """Normal noise about the number of steps that saw the canary: the law of its weight, in cells."""
    steps = np.arange(recipe.steps + 1)
    chances = stats.binom(recipe.steps, recipe.sampling).pmf(steps)

    def law(people, epsilon):
        if not people[-1, -2]:
            return _log_cells(np.zeros(1), np.ones(1), multiplier(recipe, epsilon, RARE))
        return _log_cells(steps / math.sqrt(recipe.steps), chances, multiplier(recipe, epsilon, RARE))

    return law


def twins(people, epsilon, rng, size):
    """The weights of two canaries after one sampled step, in pulls: each model trained by itself, as a user does."""
    noise, pull = calibrated(HALVES, epsilon, RARE), HALVES.step_size * HALVES.norm / HALVES.sampling
    features, labels = people[:, :-1], people[:, -1]
    models = (gradients.train(features, labels, HALVES, noise, rng) for _ in range(size))
    return np.array([model.weights for model in models]) / pull


def twins_law(people, epsilon):
    """Each canary's weight has its noise, and its pull where its own coin says so: the product of both laws."""
    noise, (here, there) = calibrated(HALVES, epsilon, RARE), people[:, :-1].sum(axis=0)
    halves = [
        _log_cells(np.arange(2), np.array([0.5, 0.5]) if present else np.array([1.0, 0]), noise, PLANE)
        for present in (here, there)
    ]
    return halves[0][:, None] + halves[1]


def _log_cells(middles, chances, scale, line=LINE):
    ends = (line[:, None] - middles) / scale
    with np.errstate(divide="ignore"):
        return np.log(normal_probability(ends[:-1], ends[1:]) @ chances)


def trial(law):
    """Draws with the canary there, set against its law's cells."""
    return Trial(law, lambda outputs: np.searchsorted(LINE, outputs, side="right") - 1, [JOINED[0][1]])


def mean_clipped(people, epsilon, rng):
    """One full step of 64 records, its mean clipped, with the noise of one of 50 steps."""
    multiplier = calibrated(LONG, epsilon, DELTA)
    return gradients.mean_clipped_training(people[:, :-1], people[:, -1], HALF_SURE, multiplier, rng).path


def floored(people, epsilon, rng, size):
    """The squared lengths of the weights after a step in which nobody pulls."""
    multiplier = calibrated(SELDOM, epsilon, DELTA)
    models = gradients.floored_training(people[:, :-1], people[:, -1], SELDOM, multiplier, rng, models=size)
    return np.sum(models.weights**2, axis=1)


def floored_law(people, epsilon):
    """A chi-square law with ten degrees, in cells: its scale is the noise over floor(records / 100)."""
    scale = calibrated(SELDOM, epsilon, DELTA) / (len(people) // 100)
    with np.errstate(divide="ignore"):
        return np.log(np.diff(stats.chi2(10).cdf(SQUARES / scale**2)))
