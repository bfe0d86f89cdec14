"""Does the program follow the law that is claimed for it? Draws from the call, against the law on the law's own events.

Pearson's chi-square, with false alarms below `FALSE_ALARM` and a fixed seed. How many outputs to draw is worked out
from the laws: so many that the same test refuses the law at 1.1 epsilon.
Source: beyond the seeds.  Notebook: 21_audit.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.stats import chi2

from dpbook import arguments
from dpbook.claims.losses import parameters

FALSE_ALARM = 1e-6
FEWEST = 2_000  # outputs that a trial draws where it is free to choose
RARE = 20  # events expected less often than this are counted together
OVER = 1.1  # the trial must be able to tell the law at epsilon from the law at this many epsilon
DEVIATIONS = 3.0  # by how many standard deviations it must be able to: it then fails to once in a thousand times


@dataclass(frozen=True)
class Trial:
    """How to compare a program with its law: `law(data, epsilon)` gives the log probabilities of disjoint events,

    `place(outputs)` the index of the event that each of a list of outputs is (negative: none of them, which refuses
    the program), and `datasets` are what to draw on. The events may leave out a rest, which then counts as one more.
    """

    law: Callable
    place: Callable
    datasets: list

    def __post_init__(self):
        object.__setattr__(self, "law", _remembered(self.law))


def _remembered(law):
    """The same law, worked out once for each dataset and epsilon."""
    known = {}

    def remembered(data, epsilon):
        key = np.asarray(data, dtype=float).tobytes(), np.shape(data), epsilon
        if key not in known:
            known[key] = np.asarray(law(data, epsilon), dtype=float)
        return known[key]

    return remembered


class Outcome(NamedTuple):
    """What a trial on one dataset saw: chi-square, its degrees of freedom, and the outputs that no event has."""

    statistic: float
    freedom: int
    strays: int

    @property
    def refuses(self):
        return bool(self.strays or self.statistic > chi2.isf(FALSE_ALARM, self.freedom))


class Drawn(NamedTuple):
    """What was drawn on one dataset: how often each event came, the rest last, and how many outputs were no event;

    with the chances of the events, and those that they would have at 1.1 epsilon (None if too few were drawn to tell).
    """

    counts: np.ndarray
    strays: int
    chances: np.ndarray
    other: np.ndarray | None

    @property
    def refuses(self):
        """Whether the draws refute the law."""
        return compare(self.counts, self.chances, self.strays).refuses

    @property
    def could_refuse(self):
        """Whether the same draws refute the law at 1.1 epsilon."""
        return compare(self.counts, self.other, self.strays).refuses


def draws(claim, most, seed=1):
    """What the claim's call gave on each dataset of its trial, a list of `Drawn`: at most `most` outputs each.

    A program that follows the law is refused with probability FALSE_ALARM a dataset.
    """
    trial, rng, drawn = claim.trial, np.random.default_rng(seed), []
    for data in trial.datasets:
        chances = probabilities(trial, data, claim.given)
        other = None if most < FEWEST else probabilities(trial, data, OVER * claim.given)
        size = most if other is None else min(needed(chances, other), most)
        drawn.append(Drawn(*_counts(claim, data, size, chances.size, rng), chances, other))
    return drawn


def probabilities(trial, data, epsilon):
    """The probabilities of the trial's events on `data`, the rest last."""
    chances = np.exp(np.ravel(trial.law(data, epsilon)))
    total = chances.sum()
    if not total <= 1 + 1e-6:
        arguments.refuse("law", total, "probabilities of disjoint events: at most 1 together")
    return np.append(chances, max(0.0, 1 - total) if total < 1 - 1e-6 else 0.0)


def needed(chances, other):
    """So many outputs of a law of `chances` that the test refuses the `other` law: from the distance between them."""
    possible = other > 0
    if np.any(chances[~possible] > 1e-3):
        return 20_000
    distance = np.sum((chances - other)[possible] ** 2 / other[possible])
    freedom = max(1, np.count_nonzero(possible) - 1)
    wanted = chi2.isf(FALSE_ALARM, freedom) - freedom
    wanted += DEVIATIONS * math.sqrt(2 * freedom + 4 * max(wanted, 1))
    return FEWEST if distance <= 1e-9 else max(FEWEST, math.ceil(wanted / distance))


def compare(counts, chances, strays=0):
    """The `Outcome` for `counts` of events of these `chances`; those that are expected rarely are counted together."""
    size = counts.sum()
    expected = size * chances
    strays += int(counts[chances <= 0].sum())
    rare = expected < RARE
    counts, expected = (np.append(values[~rare], values[rare].sum()) for values in (counts, expected))
    if expected[-1] < RARE and expected.size > 1:  # what is rare even together joins the rarest of the others
        least = int(np.argmin(expected[:-1]))
        for values in (counts, expected):
            values[least] += values[-1]
        counts, expected = counts[:-1], expected[:-1]
    statistic = np.sum((counts - expected) ** 2 / np.maximum(expected, 1e-300))
    return Outcome(float(statistic), max(1, counts.size - 1), strays)


def _counts(claim, data, size, events, rng):
    """How often each of the `events` came, the rest last, in `size` runs; and how many outputs were none of them."""
    if "size" in parameters(claim.run):
        outputs = claim.run(data, claim.given, rng, size)
    else:
        outputs = [claim.run(data, claim.given, rng) for _ in range(size)]
    places = np.asarray(claim.trial.place(outputs), dtype=int)
    kept = (places >= 0) & (places < events)
    return np.bincount(places[kept], minlength=events).astype(float), int(np.count_nonzero(~kept))


def between(cuts):
    """`place` for numbers, or vectors of one law an entry: which of the cells between `cuts` each lies in.

    A vector of numbers lies in a cell of the product, counted with the last entry fastest.
    """
    cuts = arguments.array("cuts", cuts, finite=False)
    cells = cuts.size - 1

    def place(outputs):
        cell = np.searchsorted(cuts, np.asarray(outputs, dtype=float), side="right") - 1
        if cell.ndim == 1:
            return cell
        return np.ravel_multi_index(tuple(np.clip(cell, 0, cells - 1).T), (cells,) * cell.shape[1])

    return place


def among(outcomes):
    """`place` for outputs that are one of `outcomes`: words, numbers, or sequences of such; -1 for any other."""
    index = {_key(outcome): place for place, outcome in enumerate(outcomes)}
    return lambda outputs: [index.get(_key(output), -1) for output in outputs]


def _key(output):
    if isinstance(output, (list, tuple, np.ndarray)):
        return tuple(_key(entry) for entry in output)
    return output.item() if isinstance(output, np.generic) else output
