"""Boosting of one attribute at a time: a private additive model (DP-EBM), whose parts can be drawn and read.

Source: Nori, Caruana, Bu, Shen and Kulkarni 2021.  Notebook: 12_trees.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.gaussian import gaussian_scale
from dpbook.trees.people import checked


class Additive(NamedTuple):
    """`scores`: for each attribute a number for each of its values; class 1 is predicted where their sum is above 0."""

    scores: tuple


def boosted_additive(records, labels, sizes, rounds, rate, epsilon, delta, rng):
    """An additive model of two classes with (epsilon, delta)-DP under add/remove: noisy boosting (DP-EBM).

    Each of `rounds` visits each attribute in turn. To the score of each of its values it adds `rate` times the noisy
    mean residual of the records with that value. A residual is the label minus the predicted probability, at most 1 in
    size. A record has one value an attribute. So the counts of values and the `rounds` sums of all a attributes
    together have L2 sensitivity sqrt(a (rounds + 1)). All Gaussian noise has the scale that this asks for. Data as for
    `id3` with labels 0 and 1; no records are data as well. Returns an `Additive`.
    Raises ValueError as `id3` does, for rounds below 1, a rate not above 0, or a bad epsilon, delta or rng.
    Source: Nori and others 2021, Algorithm 2, with a bin a value and exact Gaussian noise.  Notebook: 12_trees.
    """
    people = checked(records, labels, sizes, 2)
    rounds, rate = arguments.whole("rounds", rounds, 1), arguments.positive("rate", rate)
    attributes = range(len(people.sizes))
    scale = gaussian_scale(math.sqrt(len(attributes) * (rounds + 1)), epsilon, delta)
    rng = arguments.generator("rng", rng)

    def noisy(attribute, weights=None):
        size = people.sizes[attribute]
        sums = np.bincount(people.columns[attribute], weights=weights, minlength=size)
        return sums + rng.normal(scale=scale, size=size)  # one of a (rounds + 1) that share epsilon and delta

    people_of = [np.maximum(noisy(attribute), scale) for attribute in attributes]
    scores, totals = [np.zeros(size) for size in people.sizes], np.zeros(people.labels.size)
    for _ in range(rounds):
        for attribute in attributes:
            with np.errstate(over="ignore"):  # no warning: it would tell of a record with such scores
                residuals = people.labels - 1 / (1 + np.exp(-totals))
            step = rate * noisy(attribute, residuals) / people_of[attribute]
            scores[attribute] = scores[attribute] + step
            totals = totals + step[people.columns[attribute]]
    return Additive(tuple(scores))
