"""The claim of chapter 21's attack: Laplace noise in 11-bit arithmetic betrays its input by the gaps of its grid."""

import numpy as np

from dpbook import audit
from dpbook.claims.trial import Trial
from dpbook.claims.verdicts import BY_LAW, Claim
from dpbook.neighbours import ADD_REMOVE

CHAPTER = "21"
BITS, LINE = 11, np.linspace(-6, 7, 53)


def claims():
    """The rows of chapter 21."""
    leaky, trial = audit.leaky_laplace, Trial(coarse_law, known_cell, [0, 1])
    setting, loses = "a count, 11-bit arithmetic", {"loses": np.inf, "false": True}
    return [Claim(leaky, setting, ADD_REMOVE, BY_LAW, counts, [(0, 1)], law=law, trial=trial, **loses)]


def counts(count, epsilon, rng, size):
    """One count, released `size` times."""
    return audit.leaky_laplace(count, 1, BITS, epsilon, rng, size=size)


def law(count, epsilon):
    """The probability of each number that can come out on either side."""
    laws = [audit.leaky_laplace_law(one, 1, BITS, epsilon) for one in (0, 1)]
    outputs = np.union1d(laws[0][0], laws[1][0])
    return _log_counts(np.searchsorted(outputs, laws[count][0]), laws[count][1], outputs.size)


def coarse_law(count, epsilon):
    """The same in cells that do not depend on epsilon."""
    outputs, chances = audit.leaky_laplace_law(count, 1, BITS, epsilon)
    return _log_counts(cell(outputs), chances, LINE.size + 1)


def cell(outputs):
    """Which interval of `LINE` each output lies in."""
    return np.searchsorted(LINE, outputs)


def known_cell(outputs):
    """The same, but -1 for a number that comes out on neither side."""
    known = np.concatenate([audit.leaky_laplace_law(count, 1, BITS, 1.0)[0] for count in (0, 1)])
    return np.where(np.isin(outputs, known), cell(outputs), -1)


def _log_counts(places, chances, cells):
    with np.errstate(divide="ignore"):
        return np.log(np.bincount(places, chances, cells))
