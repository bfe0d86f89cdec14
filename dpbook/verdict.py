"""What an output can be and how likely it is; and one verdict on a privacy claim, with one tolerance.

A loss that is known exactly is "within" the claim or the claim is "BROKEN". A lower bound on a loss can break a claim
and can never prove it: below the claim it is "not refuted".
The `..._law` functions return a `Law`; `audit.exact_loss` compares two.  Notebook: 21_audit.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments

WITHIN, NOT_REFUTED, BROKEN = "within", "not refuted", "BROKEN"
ROUNDING = 1e-9  # the part of a claim by which floating-point arithmetic may exceed it


def exceeds(loss, epsilon):
    """Whether a loss lies above a claimed `epsilon` by more than rounding, one part in 10^9 (and 1e-12).

    A claim of 0 says that the output does not depend on the data at all. Raises ValueError for an epsilon that is not a
    finite number of at least 0, or a loss that is NaN or below 0.
    """
    if math.isnan(loss) or loss < 0:
        arguments.refuse("loss", loss, "a privacy loss of at least 0")
    return bool(loss > arguments.nonnegative("epsilon", epsilon) * (1 + ROUNDING) + 1e-12)


def verdict(loss, epsilon, certain):
    """The verdict in words on a claim of `epsilon`: "within", "not refuted" or "BROKEN".

    `certain` says whether `loss` is the loss itself, or only a lower bound on it. Raises ValueError as `exceeds`.
    """
    return BROKEN if exceeds(loss, epsilon) else WITHIN if certain else NOT_REFUTED


class Law(NamedTuple):
    """Disjoint `events` and their `probabilities`, one each, in the same order.

    An event is one output, or a row (low, high) of an array of two columns. A row means all outputs from low to high,
    or the one output where both are the same (an atom). To be compared, two `Law`s need the same events.
    """

    events: np.ndarray
    probabilities: np.ndarray


def cells(cuts):
    """The intervals between neighbouring `cuts` as events: a row (low, high) each."""
    return np.stack([cuts[:-1], cuts[1:]], axis=-1)
