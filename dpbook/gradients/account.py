"""The recipe of a training, and what it guarantees: the account of its noisy steps.

Source: beyond the seeds.  Notebook: 26_gradients.
"""

import math
from typing import NamedTuple

from dpbook import arguments
from dpbook.accounting import sampled_gaussian_losses
from dpbook.accounting.losses import DEVIATIONS, ROUNDING, TAIL
from dpbook.accounting.sampling import checked_sampling
from dpbook.gaussian import gaussian_delta, gaussian_epsilon, gaussian_scale
from dpbook.gaussian.profiles import raised

COARSEST = 1e-3  # the widest step of a grid of losses, in nats
LEAST = 0.05  # the least multiplier that is ever asked for


class Recipe(NamedTuple):
    """The five public numbers of a training. To choose them by looking at the data would be a release of its own.

    `regularisation` is lambda of the objective (a sum over records, plus lambda / 2 |w|^2), `steps` the number of
    steps. `sampling` is the probability with which each record takes part in a step (1: the full batch). `step_size`
    is how far a step goes along the summed gradient, `norm` the length to which each record's gradient is clipped.
    """

    regularisation: float
    steps: int
    sampling: float
    step_size: float
    norm: float


def training_epsilon(recipe, multiplier, delta):
    """The epsilon at `delta` of a training with noise of deviation `multiplier` x norm on each sum, under add/remove.

    For the whole path of weights. It is exact for the full batch (all steps together are one Gaussian of sensitivity
    sqrt(steps)). For Poisson samples it is an upper bound by the distribution of the loss, in both directions. Under
    replace a record moves the full batch's sums by 2 norm: there it is the epsilon of half the multiplier.
    Raises ValueError for a recipe that `train` refuses, a multiplier not finite and above 0, or a delta not strictly
    between 0 and 1.
    Source: Abadi and others 2016; Dong, Roth and Su 2022; Koskela, Jaelkoe and Honkela 2020.  Notebook: 26_gradients.
    """
    recipe, multiplier = checked_recipe(recipe), arguments.positive("multiplier", multiplier)
    delta = arguments.probability("delta", delta)
    if recipe.sampling == 1:
        return gaussian_epsilon(math.sqrt(recipe.steps), multiplier, delta)
    return _losses(recipe, multiplier).epsilon(delta)


def training_multiplier(recipe, epsilon, delta):
    """The smallest multiplier, to 0.002%, with which a training of this recipe is (epsilon, delta)-DP under add/remove.

    `training_epsilon` of it is never above `epsilon`. For the full batch exactly sqrt(steps) times the noise of one
    Gaussian; for replace double it, for the full batch only. At least 0.05.
    Raises ValueError for a recipe that `train` refuses, an epsilon not finite and above 0, or a delta not strictly
    between 0 and 1. With samples it also refuses a delta below the rounding of the account, 4e-15 and 4e-16 for each
    step.
    Source: Abadi and others 2016, with the exact account.  Notebook: 26_gradients.
    """
    recipe, epsilon = checked_recipe(recipe), arguments.positive("epsilon", epsilon)
    delta = arguments.probability("delta", delta)
    unit = gaussian_scale(1, epsilon, delta)
    if recipe.sampling == 1:
        root = math.sqrt(recipe.steps)
        return raised(root * unit, lambda multiplier: gaussian_delta(root, multiplier, epsilon) <= delta)
    if -math.expm1(recipe.steps * math.log1p(-recipe.sampling)) <= delta:
        return LEAST  # most likely no step ever sees the record
    least_delta = 4 * TAIL + 2 * ROUNDING * recipe.steps
    if delta < least_delta:
        arguments.refuse("delta", delta, f"at least {least_delta:.2g} for so many steps")
    # The central limit is no bound, but a good place to start: q sqrt(T (e^(1 / s^2) - 1)) = 1 / unit.
    guess = 1 / math.sqrt(math.log1p(1 / (unit * recipe.sampling) ** 2 / recipe.steps))
    return _least_multiplier(lambda s: math.log(_losses(recipe, s).delta(epsilon) + 1e-300) - math.log(delta), guess)


def _least_multiplier(excess, guess):
    """Where `excess`, which falls as the multiplier rises, is not above 0: false position from both sides."""
    high = max(guess, LEAST)
    while (at_high := excess(high)) > 0:
        high *= 1.1
    low = high / 1.1
    while (at_low := excess(low)) <= 0:
        if low <= LEAST:
            return LEAST
        high, at_high, low = low, at_low, low / 1.1
    while high > (1 + 2e-5) * low:
        middle = high - at_high * (high - low) / (at_high - at_low)
        middle = min(max(middle, (1 + 5e-6) * low), (1 - 5e-6) * high)  # never an end again
        at_middle = excess(middle)
        if at_middle <= 0:
            high, at_high, at_low = middle, at_middle, at_low / 2
        else:
            low, at_low, at_high = middle, at_middle, at_high / 2
    return max(high, LEAST)


def _losses(recipe, multiplier):
    """The losses of all sampled steps, on a grid that is fine against how far one step's loss varies."""
    q, square = recipe.sampling, 1 / multiplier**2
    spread = q * math.sqrt(math.expm1(min(square, 50.0)))
    reach = math.log1p(q * math.expm1(min(square / 2 + DEVIATIONS / multiplier, 700.0)))
    step = min(COARSEST, max(spread / 32, reach / 200_000))
    return sampled_gaussian_losses(q, 1, multiplier, step).repeat(recipe.steps)


def checked_recipe(recipe):
    """The five numbers, clean; raises ValueError naming the one that is not as it must be."""
    if not isinstance(recipe, Recipe):
        arguments.refuse("recipe", recipe, "a dpbook.gradients.Recipe")
    return Recipe(
        arguments.nonnegative("regularisation", recipe.regularisation),
        arguments.whole("steps", recipe.steps, 1),
        checked_sampling(recipe.sampling),
        arguments.positive("step_size", recipe.step_size),
        arguments.positive("norm", recipe.norm),
    )
