"""Noise on the weights, noise in the objective, and the exact density of what the second releases.

The noise is a vector whose density falls like exp(-rate |b|) with its Euclidean length. Guarantees are for neighbours
that add or remove one record, at a public regularisation; N stays secret.
Source: 004 section 5.2.1; Chaudhuri and Monteleoni 2008; Chaudhuri, Monteleoni and Sarwate 2011.
Notebook: 11_regression.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.regression.losses import (
    checked_features,
    checked_labels,
    checked_loss,
    checked_weights,
    minimiser,
    second_derivatives,
)

MARGINS = 40.0  # beyond it a logistic loss has no curvature that a float sees


class Repair(NamedTuple):
    """What objective perturbation may spend on its noise, and how much regularisation is added to be allowed to."""

    epsilon: float
    extra: float


def vector_noise(dimensions, rate, rng, *, size=None):
    """Noise with density proportional to exp(-rate |b|), |b| the Euclidean length: (d,), or (size, d).

    A uniform direction times a length from the distribution Gamma(dimensions, 1 / rate). In one dimension this is
    Laplace noise; in more it is not Laplace noise in each coordinate. Added to a value of L2 sensitivity s it is
    (rate s)-DP, for the relation of s. Raises ValueError for dimensions or a size below 1, or a rate that is not a
    finite number above 0.
    Source: 004 section 5.2.1.  Notebook: 11_regression.
    """
    dimensions, rate = arguments.whole("dimensions", dimensions, 1), arguments.positive("rate", rate)
    many = 1 if size is None else arguments.whole("size", size, 1)
    rng = arguments.generator("rng", rng)
    direction = rng.standard_normal((many, dimensions))
    length = rng.gamma(dimensions, 1 / rate, (many, 1))
    noise = length * direction / np.linalg.norm(direction, axis=1, keepdims=True)
    return noise[0] if size is None else noise


def output_perturbation(features, labels, regularisation, loss, epsilon, rng, *, size=None):
    """Release the weights of `fit` with epsilon-DP under add/remove (2 epsilon under replace), by noise on them.

    One more record pulls with a slope of at most 1 against a curvature of at least `regularisation`. So the weights
    move by at most 1 / regularisation (2 / regularisation under replace), and the noise has rate regularisation
    epsilon. The arguments are those of `fit`. Returns d weights, or `size` draws of them, (size, d), each of which
    spends epsilon. Raises ValueError as `fit` does, or for an epsilon that is not a finite number above 0.
    Source: Chaudhuri and Monteleoni 2008; 004 section 5.1.3.  Notebook: 11_regression.
    """
    features, labels, regularisation, loss = _checked(features, labels, regularisation, loss)
    rate = regularisation * arguments.positive("epsilon", epsilon)
    noise = vector_noise(features.shape[1], rate, rng, size=size)
    return minimiser(features, labels, regularisation, loss, np.zeros((1, features.shape[1])))[0] + noise


def repaired_epsilon(regularisation, loss, epsilon):
    """How objective perturbation keeps its guarantee: the epsilon left for the noise, and regularisation to add.

    One record multiplies the determinant of the Hessian by at most 1 + c / regularisation, where c is the loss's
    `curviest`. This costs ln(1 + c / regularisation), and the noise may spend the rest. Where less than half of epsilon
    would be left, enough regularisation is added that half is. Returns a `Repair`.
    Raises ValueError for a regularisation or epsilon that is not a finite number above 0, or no `Loss`.
    Source: Chaudhuri, Monteleoni and Sarwate 2011, Algorithm 2, who count the logarithm twice; once is enough under
    add/remove.  Notebook: 11_regression.
    """
    regularisation, epsilon = (
        arguments.positive("regularisation", regularisation),
        arguments.positive("epsilon", epsilon),
    )
    left = epsilon - math.log1p(checked_loss(loss).curviest / regularisation)
    if left >= epsilon / 2:
        return Repair(left, 0.0)
    return Repair(epsilon / 2, loss.curviest / math.expm1(epsilon / 2) - regularisation)


def objective_perturbation(features, labels, regularisation, loss, epsilon, rng, *, size=None):
    """Release weights with epsilon-DP under add/remove (2 epsilon under replace), by noise in the objective.

    Minimises sum_i L(y_i w.x_i) + (regularisation + extra) / 2 |w|^2 + b.w, where b is `vector_noise` of rate
    `repaired_epsilon(...).epsilon`, which also says the extra. The arguments are those of `fit`. Returns d weights, or
    `size` draws of them, (size, d), each of which spends epsilon.
    Raises ValueError as `fit` does, or for an epsilon that is not a finite number above 0.
    Source: Chaudhuri, Monteleoni and Sarwate 2011, Algorithm 2; 004 section 5.2.1 without the repair.
    Notebook: 11_regression.
    """
    features, labels, regularisation, loss = _checked(features, labels, regularisation, loss)
    repair = repaired_epsilon(regularisation, loss, epsilon)
    noise = vector_noise(features.shape[1], repair.epsilon, rng, size=1 if size is None else size)
    weights = minimiser(features, labels, regularisation + repair.extra, loss, noise)
    return weights[0] if size is None else weights


def approximate_minima_perturbation(
    features, labels, regularisation, loss, tolerance, epsilon, rng, *, share=0.99, size=None
):
    """Release weights with epsilon-DP under add/remove (2 epsilon under replace), by a solver that may stop early.

    `objective_perturbation` at `share` of epsilon, stopped where the gradient is no longer than `tolerance`. With r the
    regularisation plus the extra, such a point is within tolerance / r of the exact minimum. Noise of
    rate r (1 - share) epsilon / (2 tolerance) on it hides where the solver stopped. No gradient gets shorter than its
    rounding, about 1e-10 sqrt(records): the guarantee is for a `tolerance` above that. The other arguments are those of
    `fit`. Returns d weights, or `size` draws of them, (size, d), each of which spends epsilon and is solved on its own.
    Raises ValueError as `fit` does, for a tolerance or epsilon not above 0, or a `share` not strictly between 0 and 1.
    Source: Iyengar, Near, Song, Thakkar, Thakurta and Wang 2019, here without a delta.  Notebook: 11_regression.
    """
    features, labels, regularisation, loss = _checked(features, labels, regularisation, loss)
    tolerance, share = arguments.positive("tolerance", tolerance), arguments.probability("share", share)
    epsilon, many = arguments.positive("epsilon", epsilon), 1 if size is None else size
    repair = repaired_epsilon(regularisation, loss, share * epsilon)
    spring, dimensions = regularisation + repair.extra, features.shape[1]
    inside = vector_noise(dimensions, repair.epsilon, rng, size=many)  # spends share epsilon, at the exact minimum
    stopped = [minimiser(features, labels, spring, loss, b[None], tolerance)[0] for b in inside]
    rate = spring * (1 - share) * epsilon / (2 * tolerance)
    weights = np.array(stopped) + vector_noise(dimensions, rate, rng, size=many)  # spends the rest
    return weights[0] if size is None else weights


def printed_objective_perturbation(features, labels, regularisation, loss, epsilon, rng, *, size=None):
    """BROKEN as 004 prints it: claims epsilon-DP under replace; `objective_loss` is its privacy loss, however large.

    As `objective_perturbation`, with noise of rate epsilon / 2 and no repair. The proof inverts the noise and forgets
    that the inverse stretches space, by the determinant of a Hessian that one record changes. For the logistic loss it
    keeps its claim under replace if regularisation epsilon >= 2. Under add/remove, where the slope is half, it would
    keep epsilon / 2 if regularisation epsilon / 2 >= 1. At a regularisation of .01 and epsilon 1 it loses 3.5 there.
    Raises ValueError as `objective_perturbation` does. Source: 004 Proposition 5.1 (E34).
    Notebook: 11_regression.
    """
    features, labels, regularisation, loss = _checked(features, labels, regularisation, loss)
    rate = arguments.positive("epsilon", epsilon) / 2
    noise = vector_noise(features.shape[1], rate, rng, size=1 if size is None else size)
    weights = minimiser(features, labels, regularisation, loss, noise)
    return weights[0] if size is None else weights


def _checked(features, labels, regularisation, loss):
    features = checked_features(features)
    labels = checked_labels(labels, len(features))
    return features, labels, arguments.positive("regularisation", regularisation), checked_loss(loss)


def objective_log_density(weights, features, labels, regularisation, rate, loss):
    """Natural log of the density, in units of the weights, of objective perturbation with noise of `rate` at `weights`.

    Exact in any dimension: the density of the one noise b(w) that makes w the minimiser, times the determinant of the
    Hessian at w. The determinant accounts for the change of variables from b to w. The other arguments are those of
    `fit`. `weights` is (d,), which gives a float, or (k, d), which gives k of them. Not private.
    Raises ValueError as `fit` does, for other widths, or for a rate that is not a finite number above 0.
    Source: the change of variables that the proof of 004 Proposition 5.1 leaves out.  Notebook: 11_regression.
    """
    features, labels, regularisation, loss = _checked(features, labels, regularisation, loss)
    dimensions, rate = features.shape[1], arguments.positive("rate", rate)
    places = np.atleast_2d(checked_weights(weights, dimensions))
    margins = labels * (places @ features.T)
    noise = -((labels * loss.slope(margins)) @ features + regularisation * places)
    hessian = second_derivatives(features, loss.curvature(margins), regularisation)
    sphere = math.log(2) + dimensions / 2 * math.log(math.pi) - math.lgamma(dimensions / 2)
    constant = dimensions * math.log(rate) - math.lgamma(dimensions) - sphere
    density = constant - rate * np.linalg.norm(noise, axis=1) + np.linalg.slogdet(hessian)[1]
    return float(density[0]) if np.ndim(weights) == 1 else density


def objective_loss(regularisation, rate, loss):
    """The exact privacy loss of objective perturbation with noise of `rate` under add/remove: a supremum over all data.

    The largest rate |L'(m)| + ln(1 + L''(m) / regularisation) over the margins m of one record of length 1. Many others
    with tiny features put b anywhere and the weights too, at no curvature, so no smaller number would do. For the
    logistic loss it is `rate` itself exactly if regularisation rate >= 1. For a `huber` loss it is always
    rate + ln(1 + c / regularisation), where c is its `curviest`. Of a loss of your own the margins from -40 to 40 are
    searched, at first in steps of 0.2: a bend that is narrower may be missed.
    Raises ValueError as `objective_log_density` does.
    Source: beyond 004, which claims `rate`.  Notebook: 11_regression.
    """
    regularisation, rate = arguments.positive("regularisation", regularisation), arguments.positive("rate", rate)
    if checked_loss(loss).steep_bend:
        return rate + math.log1p(loss.curviest / regularisation)
    low, high, worst = -MARGINS, MARGINS, 0.0
    for _ in range(12):
        margins = np.linspace(low, high, 401)
        losses = rate * np.abs(loss.slope(margins)) + np.log1p(loss.curvature(margins) / regularisation)
        best = int(np.argmax(losses))
        worst = max(worst, float(losses[best]))
        low, high = margins[max(best - 1, 0)], margins[min(best + 1, 400)]
    return worst
