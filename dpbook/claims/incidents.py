"""The claims of chapter 01: averages of a table of people, released together."""

import numpy as np

from dpbook import incidents
from dpbook.claims.verdicts import BY_STEPS, Claim, called
from dpbook.neighbours import REPLACE

CHAPTER = "01"


def claims():
    """The rows of chapter 01."""
    table = np.array([[0.0, 0, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]])
    tables = [(table, np.vstack([person, table[1:]])) for person in ([1, 1, 0, 0], [0, 1, 1, 1])]
    shared = incidents.private_averages
    return [Claim(shared, "3 people, 4 attributes", REPLACE, BY_STEPS, called(shared), tables)]
