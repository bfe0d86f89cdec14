"""Losses of a margin, records in the unit ball, and the fit that all private ways are measured against.

Source: 004 sections 5.1.2 to 5.1.4.  Notebook: 11_regression.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from dpbook import arguments

LONGEST = 1 + 1e-9  # of a record's features, rounding allowed for
BLOCK = 4096  # records whose share of a Hessian is summed at once: what a cache holds
STEPS, HALVINGS = 500, 40  # of Newton's method and in one step of it; five to seven steps are usual, no halving


@dataclass(frozen=True)
class Loss:
    """A convex loss of the margin y w.x, twice differentiable: how wrong is a score?

    `value`, `slope` and `curvature` are functions of an array of margins; the slope lies in [-1, 0], the curvature in
    [0, `curviest`]. Every guarantee of the chapter rests on these two bounds. A caller who has the slopes already may
    hand them to `curvature`, which then need not work them out again. `steep_bend` says that the curvature is
    `curviest` right where the slope gets to -1.
    """

    name: str
    value: Callable
    slope: Callable
    curvature: Callable
    curviest: float
    steep_bend: bool = False


def _logistic_value(margins):
    return np.maximum(-margins, 0) + np.log1p(np.exp(-np.abs(margins)))


def _logistic_slope(margins):
    return -scipy.special.expit(-margins)


def _logistic_curvature(margins, slopes=None):
    right = scipy.special.expit(margins) if slopes is None else 1 + slopes
    return right * (1 - right)


LOGISTIC = Loss("logistic", _logistic_value, _logistic_slope, _logistic_curvature, 0.25)


def huber(width):
    """The hinge max(0, 1 - margin) with its corner rounded by a parabola from 1 - width to 1 + width: a `Loss`.

    Its slope is -1 below, 0 above; its curvature 1 / (2 width) between, the ends included. `width` is in units of the
    margin. A plain hinge, width 0, has no curvature at its corner, and objective perturbation no proof for it.
    Raises ValueError for a width that is not a finite number above 0.
    Source: Chaudhuri, Monteleoni and Sarwate 2011, section 3.4.2; 004 section 5.2.1.  Notebook: 11_regression.
    """
    width = arguments.positive("width", width)

    def value(margins):
        missing = np.maximum(1 + width - margins, 0)
        return np.where(margins < 1 - width, 1 - margins, missing**2 / (4 * width))

    def slope(margins):
        return -np.clip((1 + width - margins) / (2 * width), 0, 1)

    def curvature(margins, slopes=None):
        return np.where(np.abs(np.asarray(margins) - 1) <= width, 1 / (2 * width), 0.0)

    return Loss(f"huber({width:g})", value, slope, curvature, 1 / (2 * width), steep_bend=True)


def unit_ball(features, bounds):
    """The features scaled by public bounds into the unit ball, with a constant last column for the intercept.

    `features` is (records, d), each column within its `bounds` = (low, high), in the columns' units. The bounds are a
    pair of numbers or of lists of d numbers, known without a look at the data. Each column goes to [-1, 1], a 1 is
    appended, and all is divided by sqrt(d + 1): no row is longer than 1. A map of one record at a time: it costs
    nothing.
    Raises ValueError for bounds out of order, a width that differs, or a feature outside its bounds.
    Source: the usual normalisation, of which 004 section 5.2.1 has no word (E94).  Notebook: 11_regression.
    """
    features = checked_features(features, length=np.inf)
    low, high = (np.broadcast_to(end, features.shape[1:]) for end in _ends(bounds, features.shape[1]))
    if features.size and np.any((features < low) | (features > high)):
        arguments.refuse("features", (features.min(axis=0), features.max(axis=0)), f"within bounds {bounds!r}")
    scaled = 2 * (features - low) / (high - low) - 1
    return np.column_stack([scaled, np.ones(len(scaled))]) / np.sqrt(features.shape[1] + 1)


def _ends(bounds, width):
    try:
        low, high = bounds
    except (TypeError, ValueError):
        arguments.refuse("bounds", bounds, "a pair (low, high)")
    low, high = arguments.array("bounds", low), arguments.array("bounds", high)
    if {low.shape, high.shape} - {(), (width,)} or not np.all(low < high):
        arguments.refuse("bounds", bounds, f"a pair (low, high), low below high, of numbers or of {width} numbers each")
    return low, high


def checked_features(features, length=LONGEST):
    """The features as a float array (records, d), no row longer than `length`; no record at all is a dataset too.

    An array of floats is given back itself, to be read only: of 100,000 rows a copy takes a third of the mechanism.
    """
    expected = "a table of finite numbers, (records, d) with d of at least 1"
    as_it_is = isinstance(features, np.ndarray) and features.dtype == np.float64 and np.isfinite(length)
    table = features if as_it_is else None
    if table is None or table.ndim != 2:
        table = arguments.array("features", features, expected)
    if table.ndim != 2 or table.shape[1] == 0:
        arguments.refuse("features", table.shape, expected)
    if len(table) and np.isfinite(length):
        longest = np.sqrt(np.einsum("ij,ij->i", table, table).max())
        if not longest <= length:
            arguments.array("features", features, expected)  # refuses what is not finite
            arguments.refuse("features", f"a row of length {longest:.9g}", "rows of length at most 1: see unit_ball")
    return table


def checked_labels(labels, records):
    """The labels as floats, one a record, each +1 or -1."""
    expected = f"a list of {records} labels, each +1 or -1"
    values = arguments.array("labels", labels, expected)
    if values.shape != (records,) or not np.all(np.abs(values) == 1):
        arguments.refuse("labels", values.shape if values.shape != (records,) else np.unique(values), expected)
    return values


def checked_loss(loss):
    """A `Loss`, that is LOGISTIC or `huber(width)` or one of the reader's own."""
    if not isinstance(loss, Loss):
        arguments.refuse("loss", loss, "a Loss: LOGISTIC, or huber(width)")
    return loss


def fit(features, labels, regularisation, loss):
    """The weights that minimise sum_i L(y_i w.x_i) + (regularisation / 2) |w|^2: NOT private.

    `features` is (records, d), rows of length at most 1, and `labels` are +1 or -1. `regularisation` is a public number
    in the units of one record's loss (1 / C in scikit-learn, N Lambda in 004). Returns d weights, the exact minimiser
    up to rounding. The privacy proofs are about that point, not about one where a solver happens to stop.
    Raises ValueError for longer rows, other labels, lengths that differ, NaN, or a regularisation not above 0.
    Source: 004 sections 5.1.3 and 5.1.4, in sum form.  Notebook: 11_regression.
    """
    features = checked_features(features)
    labels, regularisation = checked_labels(labels, len(features)), arguments.positive("regularisation", regularisation)
    return minimiser(features, labels, regularisation, checked_loss(loss), np.zeros((1, features.shape[1])))[0]


def minimiser(features, labels, regularisation, loss, linear, tolerance=0.0):
    """For each row b of `linear`, the weights that minimise sum L + (regularisation / 2) |w|^2 + b.w: one row each.

    Newton's method on all rows at once; a step is halved while it does not shorten the gradient. It stops when no
    gradient is longer than `tolerance` or than rounding. Not private, not checked.
    """

    def gradient(weights, margins):
        slopes = loss.slope(margins)
        return slopes, (labels * slopes) @ features + regularisation * weights + linear

    weights = -linear / (regularisation + len(features))
    margins = labels * (weights @ features.T)
    slopes, slope = gradient(weights, margins)
    for _ in range(STEPS):
        length, enough = np.linalg.norm(slope, axis=1), _rounding(features, regularisation, weights, linear)
        if np.all(length <= np.maximum(enough, tolerance)):
            return weights
        hessian = second_derivatives(features, loss.curvature(margins, slopes), regularisation)
        move = -np.linalg.solve(hessian, slope[:, :, None])[:, :, 0]
        turn, share = labels * (move @ features.T), np.ones((len(linear), 1))
        for _ in range(HALVINGS):
            slopes, slope = gradient(weights + share * move, margins + share * turn)
            goal = np.maximum((1 - 0.1 * share[:, 0]) * length, enough)
            long = np.linalg.norm(slope, axis=1) > goal
            if not long.any():
                break
            share[long] /= 2
        weights, margins = weights + share * move, margins + share * turn
    arguments.refuse("regularisation", regularisation, f"large enough for Newton's method to end in {STEPS} steps")


def second_derivatives(features, curvatures, regularisation):
    """The Hessian of the objective for each row of `curvatures`, (k, records): (k, d, d); blocks spare the memory."""
    hessian = np.tile(regularisation * np.eye(features.shape[1]), (len(curvatures), 1, 1))
    for start in range(0, len(features), BLOCK):
        rows = features[start : start + BLOCK]
        hessian += (rows.T * curvatures[:, None, start : start + BLOCK]) @ rows
    return hessian


def _rounding(features, regularisation, weights, linear):
    """How long a gradient is no more than rounding: 1e-10 sqrt(n), and 1e-13 of the terms that it sums."""
    terms = len(features) + regularisation * np.linalg.norm(weights, axis=1) + np.linalg.norm(linear, axis=1)
    return 1e-10 * np.sqrt(len(features)) + 1e-13 * terms


def accuracy(weights, features, labels):
    """The fraction of records whose label the weights get right, by the rule w.x > 0: NOT private.

    `weights` is (d,) or (k, d), for k fractions at once. Raises ValueError for no record, or other widths or labels.
    Source: 004 section 5.1.4.  Notebook: 11_regression.
    """
    features = arguments.table("features", features)
    labels, weights = checked_labels(labels, len(features)), checked_weights(weights, features.shape[1])
    right = np.mean((features @ np.atleast_2d(weights).T > 0) == (labels > 0)[:, None], axis=0)
    return float(right[0]) if weights.ndim == 1 else right


def checked_weights(weights, dimensions):
    """Weights as a float array, (d,) or (k, d)."""
    values = arguments.array("weights", weights)
    if values.ndim not in (1, 2) or values.shape[-1] != dimensions:
        arguments.refuse("weights", values.shape, f"({dimensions},) or (k, {dimensions})")
    return values
