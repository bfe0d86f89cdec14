"""Models and choices that leak: noise on seen cells alone, the best of a fixed number, the best on the training data.

Source: beyond the seeds; Liu, Talwar 2019; Papernot, Steinke 2022.  Notebook: 31_memory.
"""

import numpy as np

from dpbook import arguments
from dpbook.gradients.training import checked_records
from dpbook.laplace import laplace_mechanism
from dpbook.memory.text import gram_counts
from dpbook.memory.tuning import best_pair


def seen_cells_model(messages, context, most, epsilon, rng):
    """BROKEN: `laplace_model` with noise on the cells above 0 alone. Loses infinity when a message comes or goes.

    Which cells have noise tells which grams anybody wrote. Returns floats of shape (38,) * (context + 1).
    Raises ValueError as `laplace_model` does. Source: folklore.  Notebook: 31_memory.
    """
    counts = gram_counts(messages, context, most)
    seen = counts > 0
    counts[seen] = laplace_mechanism(counts[seen], most, epsilon, rng)
    return counts


def best_of_fixed(run, tries, rng):
    """BROKEN where it is said to cost a few epsilon: the best of a fixed number of tries loses up to tries x epsilon.

    `run(rng)` gives a pair (score, output), one epsilon-DP release; so does this. The first of equals is kept.
    Raises ValueError for tries below 1, or a score that is not finite.
    Source: Liu, Talwar 2019.  Notebook: 31_memory.
    """
    rng = arguments.generator("rng", rng)
    return best_pair(run(rng) for _ in range(arguments.whole("tries", tries, 1)))


def best_by_training_accuracy(features, labels, tries, train, rng):
    """BROKEN: the weights, of so many private trainings, that get most of the training records right. No bound holds.

    `train(rng)` gives weights. The exact count of right answers reads the records again, without noise. Under
    add/remove even trainings that never saw a record then lose (tries - 1) ln 2 and more. The first of equals is kept.
    Raises ValueError for features or labels that are not finite, labels other than 1 and -1, or tries below 1.
    Source: Papernot, Steinke 2022, section 1.  Notebook: 31_memory.
    """
    features, labels = checked_records(features, labels)
    signed = labels[:, None] * features
    return best_of_fixed(lambda rng: _scored(train(rng), signed), tries, rng)[1]


def _scored(weights, signed):
    return np.count_nonzero(signed @ weights > 0), weights
