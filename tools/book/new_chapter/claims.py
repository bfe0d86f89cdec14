"""The claims of chapter 99: one record more, at the bound."""

import numpy as np

from dpbook import example
from dpbook.claims.verdicts import BY_STEPS, Claim, called
from dpbook.neighbours import ADD_REMOVE

CHAPTER = "99"
VALUES = np.array([1.0, 5, 2])


def claims():
    """The rows of chapter 99."""
    pairs = [(VALUES, np.append(VALUES, 10.0))]
    return [Claim(example.noisy_total, "sum, bound 10", ADD_REMOVE, BY_STEPS, called(example.noisy_total, 10), pairs)]
