"""Noisy gradient descent: clip each record's gradient, toss a coin for each record, add up, add noise, step.

Source: beyond the seeds.  Notebook: 26_gradients.
"""

from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.accounting.sampling import checked_sampling
from dpbook.gradients.account import checked_recipe, training_multiplier

BLOCK = 2**17  # models x records that are worked on at once: they stay in the processor's cache


class Training(NamedTuple):
    """What a training releases: the last `weights`, the whole `path` (steps + 1 rows, the first 0), and the noise.

    With k models at once the first axis of both is the model. The noise on each sum had deviation `multiplier` x norm.
    """

    weights: np.ndarray
    path: np.ndarray
    multiplier: float


def dp_sgd(features, labels, recipe, epsilon, delta, rng, *, models=None):
    """Logistic regression by noisy steps, (epsilon, delta)-DP under add/remove, for the whole path of weights.

    `train` with the noise of `training_multiplier`, and its arguments and errors. Under replace the full batch keeps
    what `training_epsilon` says of half the multiplier; for samples under replace nothing is guaranteed here.
    Raises ValueError as both do.
    Source: Song, Chaudhuri and Sarwate 2013; Bassily, Smith and Thakurta 2014; Abadi and others 2016, Algorithm 1.
    Notebook: 26_gradients.
    """
    multiplier = training_multiplier(recipe, epsilon, delta)
    return train(features, labels, recipe, multiplier, rng, models=models)


def train(features, labels, recipe, multiplier, rng, *, models=None):
    """Logistic regression by `recipe.steps` noisy steps: a `Training`. Private as `training_epsilon` says, add/remove.

    One step gives w - step_size ((sum of the sampled records' clipped gradients + noise) / sampling + regularisation
    w). The noise is normal with deviation `multiplier` x norm in each coordinate. The sum is divided by the public
    sampling, never by the size of the batch, which is a secret. `features` are (records, attributes), `labels` 1 or -1;
    no record is too long: clipping is the guard. `multiplier` 0 is NOT private. `models` = k trains k models at once,
    each with samples and noise of its own.
    Raises ValueError for features or labels that are not finite, labels other than 1 and -1, unlike lengths, or models
    below 1. Raises it too for steps below 1, a norm or step size not above 0, a multiplier below 0, or a sampling
    outside (0, 1].
    Source: Abadi and others 2016, Algorithm 1, in sum form.  Notebook: 26_gradients.
    """
    recipe, multiplier = checked_recipe(recipe), arguments.nonnegative("multiplier", multiplier)
    generator = arguments.generator("rng", rng)

    def noisy(total, batch):
        noise = generator.normal(scale=multiplier * recipe.norm, size=total.shape)
        return (total + noise) / recipe.sampling

    return walked(features, labels, recipe, multiplier, generator, models, recipe.norm, noisy)


def walked(features, labels, recipe, multiplier, generator, models, norm, estimate):
    """The `Training` with steps along `estimate(total, batch)`: the sum of gradients clipped at `norm`, and sizes."""
    signed, most = signed_records(features, labels, norm)
    shape = (1 if models is None else arguments.whole("models", models, 1), recipe.steps + 1, signed.shape[1])
    path, block = np.zeros(shape), max(1, BLOCK // max(1, len(signed)))
    for begin in range(0, shape[0], block):
        part = path[begin : begin + block]
        for step in range(recipe.steps):
            weights = part[:, step]
            along = estimate(*clipped_sums(weights, signed, most, recipe.sampling, generator))
            part[:, step + 1] = weights - recipe.step_size * (along + recipe.regularisation * weights)
    path = path[0] if models is None else path
    return Training(path[..., -1, :].copy(), path, multiplier)


def clipped_sums(weights, signed, most, sampling, rng):
    """For each model: the sum of the sampled records' clipped gradients, and how many there were.

    A record's gradient is -slope x its signed row, so that clipping it is a limit on the slope: no gradient is ever
    stored. The coins are tossed before the noise is drawn.
    """
    batch = np.full((len(weights), 1), len(signed))
    if len(weights) == 1 and sampling < 1:
        chosen = poisson_sample(len(signed), sampling, rng)
        signed, most, batch = signed[chosen], most[chosen], np.array([[chosen.size]])
    with np.errstate(over="ignore", invalid="ignore"):  # where the pull is 0, or of records too long for a product
        pulls = np.fmin(1 / (1 + np.exp(weights @ signed.T)), most)
    if len(weights) > 1 and sampling < 1:
        taken = rng.random(pulls.shape) < sampling
        pulls, batch = pulls * taken, taken.sum(axis=1, keepdims=True)
    return -(pulls @ signed), batch


def signed_records(features, labels, norm):
    """Label times features, and the largest slope at which each record's gradient is no longer than `norm`."""
    features, labels = checked_records(features, labels)
    with np.errstate(divide="ignore"):
        return labels[:, None] * features, norm / np.sqrt(np.einsum("ij,ij->i", features, features))


def checked_records(features, labels):
    """A table of features, and as many labels of 1 or -1; or a ValueError."""
    expected = "a table of finite numbers with a row for each record"
    features, labels = arguments.array("features", features, expected), arguments.array("labels", labels)
    if features.ndim != 2 or features.shape[1] == 0:
        arguments.refuse("features", features, expected)
    if labels.shape != features.shape[:1] or np.any(np.abs(labels) != 1):
        arguments.refuse("labels", labels, f"1 or -1 for each of {len(features)} records")
    return features, labels


def clip_rows(rows, norm):
    """Each row g of a table, shortened to length `norm` where it is longer: g min(1, norm / |g|). Draws nothing.

    A row whose squares are beyond all doubles (from 1e154 on) becomes 0. Then one row more or less (add/remove) moves
    the sum of the rows by at most `norm`. A replaced row moves it by at most 2 norm. Raises ValueError for rows that
    are no table of finite numbers, or a norm not above 0.
    Source: Abadi and others 2016, section 3.1.  Notebook: 26_gradients.
    """
    rows, norm = arguments.array("rows", rows), arguments.positive("norm", norm)
    if rows.ndim != 2:
        arguments.refuse("rows", rows, "a table of finite numbers")
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return rows * (norm / np.maximum(lengths, norm))[:, None]


def clipped_gradient(weights, features, labels, norm):
    """The sum over records of the logistic loss's gradient at `weights`, each clipped to `norm`. NOT private.

    One record moves it by at most `norm` under add/remove, by 2 norm under replace. Shapes and errors as in `train`.
    Source: Abadi and others 2016; Goodfellow 2015 (no table of gradients is needed).  Notebook: 26_gradients.
    """
    signed, most = signed_records(features, labels, arguments.positive("norm", norm))
    weights = arguments.of_length("weights", weights, signed.shape[1])
    return clipped_sums(weights[None], signed, most, 1.0, None)[0][0]


def poisson_sample(records, sampling, rng):
    """The indices of a Poisson sample of `records` records, each in by a coin of its own. Guarantees nothing by itself.

    The size is random and a secret, like the sample; it may be 0. Without coins for a sampling of 1.
    Raises ValueError for records below 0 or a sampling outside (0, 1].
    Source: Abadi and others 2016; Balle, Barthe and Gaboardi 2018.  Notebook: 26_gradients.
    """
    records, sampling = arguments.whole("records", records, 0), checked_sampling(sampling)
    generator = arguments.generator("rng", rng)
    if sampling == 1:
        return np.arange(records)
    return np.flatnonzero(generator.random(records) < sampling)


def add_canary(features, labels):
    """The same records with a canary more: a record, labelled 1, that alone has a feature (a new last column of 1).

    Returns (features, labels). While its slope stays above the clipping norm, the canary moves the last weight as much
    as any record can. Nobody else moves it, which is what an audit wants. Its neighbour under add/remove is the same
    table without the last row. Raises ValueError as `train` does for records.
    Source: Nasr and others 2021.  Notebook: 26_gradients.
    """
    features, labels = arguments.array("features", features), arguments.array("labels", labels)
    signed_records(features, labels, 1.0)
    wider = np.zeros((len(features) + 1, features.shape[1] + 1))
    wider[:-1, :-1], wider[-1, -1] = features, 1.0
    return wider, np.append(labels, 1.0)
