"""The claims of chapter 29: one record more, at the bound."""

import numpy as np

from dpbook import parties
from dpbook.claims.verdicts import BY_STEPS, Claim, called
from dpbook.neighbours import ADD_REMOVE

CHAPTER = "29"
VALUES = np.array([1.0, 5, 2])


def claims():
    """The rows of chapter 29."""
    pairs = [(VALUES, np.append(VALUES, 10.0))]
    return [Claim(parties.noisy_total, "sum, bound 10", ADD_REMOVE, BY_STEPS, called(parties.noisy_total, 10), pairs)]
