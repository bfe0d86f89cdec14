"""Two bugs of noisy training that no accuracy shows: the mean is clipped, or a secret number divides the noise.

Both step along a mean, as libraries do: `step_size` and `regularisation` are here n times and one n-th of those of
`train`, n being the number of records.
Source: beyond the seeds.  Notebook: 26_gradients.
"""

import numpy as np

from dpbook import arguments
from dpbook.gradients.account import checked_recipe
from dpbook.gradients.training import clip_rows, walked


def mean_clipped_training(features, labels, recipe, multiplier, rng, *, models=None):
    """BROKEN: clips the batch's mean gradient, not each record's, and adds the noise of a clipped mean.

    The noise has deviation multiplier x norm / m for a batch of m, as if one record moved the mean by norm / m. But if
    gradients have no bound, one record can turn the mean from -norm to norm. That is a shift of 2 m / multiplier for
    replace, nearly that for add/remove. With m = 64 and multiplier 29.87, delta is 0.948 at epsilon 1. A gradient m
    norm long is enough beside blank records. If none is longer than G, the shift is at most 2 min(m, G / norm) /
    multiplier. Arguments and errors as `train`, mean form.
    Source: found in the wild; Tramer and others 2022 audited one such training.  Notebook: 26_gradients.
    """
    recipe, multiplier = checked_recipe(recipe), arguments.nonnegative("multiplier", multiplier)
    generator = arguments.generator("rng", rng)

    def noisy(total, batch):
        size = np.maximum(batch, 1)
        noise = generator.normal(scale=multiplier * recipe.norm / size, size=total.shape)
        return clip_rows(total / size, recipe.norm) + noise

    return walked(features, labels, recipe, multiplier, generator, models, np.inf, noisy)


def floored_training(features, labels, recipe, multiplier, rng, *, models=None):
    """BROKEN: divides the noisy sum by floor(sampling x n), a whole number that one record can change, n being secret.

    From 499 records to 500 at sampling 0.01 it goes from 4 to 5, and the noise on the mean shrinks in every coordinate.
    Under add/remove, delta at epsilon 1 is 0.169 with 10 weights and 0.824 with 100 after one step, for any multiplier.
    With n public (replace) nothing is wrong with it. Arguments and errors as `train`, mean form; ValueError also for
    fewer than 1 / sampling records.
    Source: opacus issues 571 and 819.  Notebook: 26_gradients.
    """
    recipe, multiplier = checked_recipe(recipe), arguments.nonnegative("multiplier", multiplier)
    generator = arguments.generator("rng", rng)
    expected_batch = int(np.floor(recipe.sampling * len(arguments.table("features", features))))
    if expected_batch < 1:
        arguments.refuse("features", f"{len(features)} records", "at least 1 / sampling records")

    def noisy(total, batch):
        noise = generator.normal(scale=multiplier * recipe.norm, size=total.shape)
        return (total + noise) / expected_batch

    return walked(features, labels, recipe, multiplier, generator, models, recipe.norm, noisy)
