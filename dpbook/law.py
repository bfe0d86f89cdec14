"""A law that is known: which events an output can be, and how likely each of them is.

The `..._law` functions return one; `audit.exact_loss` compares two.  Notebook: 21_audit.
"""

from typing import NamedTuple

import numpy as np


class Law(NamedTuple):
    """Disjoint `events` and their `probabilities`, one each, in the same order.

    An event is one output, or a row (low, high) of an array of two columns: all outputs from low to high, only the one
    output where both are the same (an atom). To set two laws against each other they need the same events.
    """

    events: np.ndarray
    probabilities: np.ndarray


def cells(cuts):
    """The intervals between neighbouring `cuts` as events: a row (low, high) each."""
    return np.stack([cuts[:-1], cuts[1:]], axis=-1)
