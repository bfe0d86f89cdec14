"""DP-FTRL: noisy gradient descent with batches in a fixed order, no coins, and noise that remembers.

Source: beyond the seeds.  Notebook: 30_correlated.
"""

import math

import numpy as np

from dpbook import arguments
from dpbook.correlated.noise import correlated_noise
from dpbook.correlated.sensitivity import strategy_sensitivity
from dpbook.correlated.strategies import checked_matrix
from dpbook.gaussian import gaussian_scale
from dpbook.gradients import Training
from dpbook.gradients.account import checked_recipe
from dpbook.gradients.training import clipped_sums, signed_records


def dp_ftrl(features, labels, batches, cycle, recipe, strategy, epsilon, delta, rng, *, models=None):
    """Logistic regression by noisy steps in a fixed order, (epsilon, delta)-DP under add/remove: the whole path.

    `correlated_training` with the noise of a record that is used every `cycle` steps, and its arguments and errors.
    A record brings its own batch number: nobody else's moves when it joins. Exact: one Gaussian.
    Raises ValueError as `correlated_training`, `strategy_sensitivity` and `gaussian_scale` do.
    Source: Kairouz and others 2021; Choquette-Choo and others 2023a.  Notebook: 30_correlated.
    """
    uses = math.ceil(checked_recipe(recipe).steps / arguments.whole("cycle", cycle, 1))
    sensitivity = strategy_sensitivity(strategy, participations=uses, separation=cycle, fixed=True)
    multiplier = gaussian_scale(sensitivity, epsilon, delta)
    return correlated_training(features, labels, batches, cycle, recipe, strategy, multiplier, rng, models=models)


def correlated_training(features, labels, batches, cycle, recipe, strategy, multiplier, rng, *, models=None):
    """Logistic regression by `recipe.steps` steps with correlated noise: a `gradients.Training`, under add/remove.

    Step t, counted from 0, takes the records whose batch number is t mod `cycle`, if any. It gives w - step_size (sum
    of their clipped gradients + noise of step t + regularisation w). The noise is C^-1 z, with z of deviation
    `multiplier` x norm. As private as one Gaussian of the strategy's sensitivity and that deviation; multiplier 0 is
    NOT private. `batches` are numbers below `cycle`, one a record, that depend on nobody else; `cycle` is public.
    `models` = k trains k models.
    Raises ValueError for batches that are not whole numbers from 0 to cycle - 1, one a record, and as `gradients.train`
    does. Raises it too for coins (sampling other than 1), a strategy of another length, or a multiplier below 0.
    Source: Kairouz and others 2021; Choquette-Choo and others 2023a.  Notebook: 30_correlated.
    """
    recipe, strategy = checked_recipe(recipe), checked_matrix("strategy", strategy)
    multiplier = arguments.nonnegative("multiplier", multiplier)
    number = 1 if models is None else arguments.whole("models", models, 1)
    groups = _groups(features, labels, batches, cycle, recipe, strategy)
    steps, width = len(strategy), groups[0][0].shape[1]
    noise = correlated_noise(strategy, multiplier * recipe.norm, rng, width=number * width)
    path = np.zeros((steps + 1, number, width))
    for t in range(steps):
        along = clipped_sums(path[t], *groups[t % len(groups)], 1.0, rng)[0] + noise[t].reshape(number, width)
        path[t + 1] = path[t] - recipe.step_size * (along + recipe.regularisation * path[t])
    path = path[:, 0] if models is None else np.moveaxis(path, 0, 1)
    return Training(path[..., -1, :].copy(), path, multiplier)


def _groups(features, labels, batches, cycle, recipe, strategy):
    """For each batch: labels times features, and the largest slope at which a record's gradient is not too long."""
    signed, most = signed_records(features, labels, recipe.norm)
    cycle, found = arguments.whole("cycle", cycle, 1), arguments.integers("batches", batches)
    if found.shape != most.shape or np.any((found < 0) | (found >= cycle)):
        arguments.refuse("batches", batches, f"a whole number from 0 to {cycle - 1} for each of {most.size} records")
    if recipe.sampling != 1:
        arguments.refuse("recipe.sampling", recipe.sampling, "1: no coins are tossed in a fixed order")
    if recipe.steps != len(strategy):
        arguments.refuse("strategy", f"a matrix of {len(strategy)} steps", f"one of recipe.steps, {recipe.steps}")
    members = (np.flatnonzero(found == batch) for batch in range(min(cycle, recipe.steps)))
    return [(signed[chosen], most[chosen]) for chosen in members]
