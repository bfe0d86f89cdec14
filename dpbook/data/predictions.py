"""What is to be foretold from what: tables of features with public bounds, and a label or a number for each record.

Every array is read-only. The bounds are the codebooks', as in `people`.
Notebook: 11_regression.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from dpbook.data.files import read_only
from dpbook.data.people import affairs, election, health_insurance, health_insurance_person


class Prediction(NamedTuple):
    """`features`, (records, d), in the units of their `names`; `bounds` = (lows, highs), public; an answer a record.

    `answers` are labels, +1 or -1, or numbers in [-1, 1].
    """

    names: tuple
    features: np.ndarray
    bounds: tuple
    answers: np.ndarray


@functools.cache
def affairs_prediction():
    """Any affair (+1) or none (-1), from the 8 other answers of 6,366 women: a `Prediction`; source: `affairs`."""
    table = dict(affairs())
    return _prediction(table, [name for name in table if name != "affairs"], _labels(table["affairs"].values > 0))


@functools.cache
def election_prediction():
    """A vote for Dole (+1) or Clinton (-1) from 5 answers of 944 voters: a `Prediction`; source: `election`."""
    table = election()
    return _prediction(table, ["PID", "selfLR", "age", "educ", "income"], _labels(table["vote"].values == 1))


@functools.cache
def visits_prediction():
    """ln(1 + visits to a doctor) in the first year of each of 5,912 people, from 9 attributes: a `Prediction`.

    The answers are scaled by their public bounds, 0 to ln 366, to [-1, 1]. One record a person: a record is a person
    here. Source: `health_insurance`.
    """
    table, first = health_insurance(), np.unique(health_insurance_person(), return_index=True)[1]
    visits = 2 * np.log1p(table["mdvis"].values[first]) / math.log1p(365) - 1
    return _prediction(table, [name for name in table if name != "mdvis"], visits, first)


def _labels(yes):
    return np.where(yes, 1.0, -1.0)


def _prediction(table, names, answers, rows=slice(None)):
    features = np.column_stack([table[name].values[rows] for name in names]).astype(float)
    lows, highs = (
        read_only(np.array(ends, dtype=float)) for ends in zip(*(table[n].bounds for n in names), strict=True)
    )
    return Prediction(tuple(names), read_only(features), (lows, highs), read_only(np.array(answers, dtype=float)))
