"""Does the program follow the law that is claimed for it? Draws from the call, against the law on the law's own events.

Pearson's chi-square, with false alarms below `FALSE_ALARM` and a fixed seed. How many outputs to draw is worked out
from the laws: enough for the same test to refuse the law at 1.1 epsilon. An output that is none of the law's events
refutes the program at once. Every trial draws on both sides of each pair whose loss its law gives.
Source: beyond the seeds.  Notebook: 21_audit.
"""

import bisect
import functools
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.stats import chi2, ncx2

from dpbook import arguments
from dpbook.claims.losses import parameters

FALSE_ALARM = 1e-6
FEWEST = 2_000  # outputs that a trial draws where it is free to choose
RARE = 20  # events expected less often than this are counted together
OVER = 1.1  # the trial must be able to tell the law at epsilon from the law at this many epsilon
MOST = 1_000_000  # outputs for one dataset: most need far fewer
PAIRED = 2_000  # outputs for each side of a pair that the trial does not list itself: strays show in far fewer
FACTORS = (1.02, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.5, 1.75, 2, 2.5, 3, 4, 5, 7, 10, 20)  # of overspending
CAUGHT = 0.99  # an overspending counts as caught if a trial refuses it with this probability
SURE = 0.999  # the probability with which a trial that is free to draw refuses OVER


@dataclass(frozen=True)
class Trial:
    """How to compare a program with its law: by draws on `datasets` where epsilon shows.

    `law(data, epsilon)` gives the log probabilities of disjoint events, `place(outputs)` the index of the event that
    each of a list of outputs is. The events may leave out a rest, which then counts as one more and has the index after
    the last. A place that is negative, beyond that, NaN or no whole number is a stray: an output that the law does not
    list. A stray refutes the program. Where the law is that of the claim, both sides of each of its pairs are drawn on
    as well.
    """

    law: Callable
    place: Callable
    datasets: list

    def __post_init__(self):
        object.__setattr__(self, "law", _remembered(self.law))

    def also_on(self, claim):
        """The datasets of the claim's pairs that are not listed, if this law is the one that their loss comes from."""
        if claim.law is None or claim.law is not self.law.__wrapped__:
            return []
        known, others = {_name(data) for data in self.datasets}, []
        for data in itertools.chain.from_iterable(claim.pairs):
            if _name(data) not in known:
                known.add(_name(data))
                others.append(data)
        return others


def _remembered(law):
    """The same law, worked out once for each dataset and epsilon."""
    known = {}

    @functools.wraps(law)
    def remembered(data, epsilon):
        key = *_name(data), epsilon
        if key not in known:
            with np.errstate(divide="ignore"):  # of events that cannot come
                known[key] = np.asarray(law(data, epsilon), dtype=float)
        return known[key]

    return remembered


def _name(data):
    return np.asarray(data, dtype=float).tobytes(), np.shape(data)


class Outcome(NamedTuple):
    """What a trial on one dataset saw: chi-square, its degrees of freedom, and the outputs that no event has."""

    statistic: float
    freedom: int
    strays: int

    @property
    def refuses(self):
        return bool(self.strays or self.statistic > chi2.isf(FALSE_ALARM, self.freedom))


class Drawn(NamedTuple):
    """What was drawn on one dataset: how often each event came, the rest last, and how many outputs were no event.

    `chances` are those of the events, `other` what they would be at 1.1 epsilon (None if too few were drawn to tell).
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
        return self.other is not None and compare(self.counts, self.other, self.strays).refuses

    @property
    def size(self):
        """How many outputs were drawn."""
        return int(self.counts.sum()) + self.strays


def draws(claim, most, seed=1):
    """What the claim's call gave on each dataset of its trial, a list of `Drawn`: at most `most` outputs each.

    The trial's own datasets come first, then those of the pairs, on which PAIRED outputs are drawn. A program that
    follows the law is refused with probability FALSE_ALARM a dataset.
    """
    trial, rng, drawn = claim.trial, np.random.default_rng(seed), []
    for data in trial.datasets:
        chances = probabilities(trial, data, claim.given)
        other = None if most < FEWEST else probabilities(trial, data, OVER * claim.given)
        size = most if other is None else min(needed(chances, other), most)
        drawn.append(Drawn(*_counts(claim, data, size, chances.size, rng), chances, other))
    for data in trial.also_on(claim):
        chances = probabilities(trial, data, claim.given)
        drawn.append(Drawn(*_counts(claim, data, min(PAIRED, most), chances.size, rng), chances, None))
    return drawn


def probabilities(trial, data, epsilon):
    """The probabilities of the trial's events on `data`, the rest last."""
    chances = np.exp(np.ravel(trial.law(data, epsilon)))
    total = chances.sum()
    if not total <= 1 + 1e-6:
        arguments.refuse("law", total, "probabilities of disjoint events: at most 1 together")
    return np.append(chances, max(0.0, 1 - total) if total < 1 - 1e-6 else 0.0)


def heeds_epsilon(claim):
    """Whether the law of the claim's trial depends on epsilon on any of its datasets."""
    laws = (
        [probabilities(claim.trial, data, factor * claim.given) for factor in (1.0, OVER)]
        for data in claim.trial.datasets
    )
    return any(not np.array_equal(*law) for law in laws)


def needed(chances, other):
    """How many outputs tell a law of `chances` from the `other`: drawn from either, they very likely refuse the other.

    FEWEST where the two hardly differ: epsilon does not show on that dataset.
    """
    size = FEWEST
    if np.allclose(chances, other, rtol=0, atol=1e-9):
        return size
    while size < MOST and min(power(size, chances, other), power(size, other, chances)) < SURE:
        size = math.ceil(1.1 * size)
    return size


def compare(counts, chances, strays=0):
    """The `Outcome` for `counts` of events of these `chances`; those that are expected rarely are counted together."""
    strays += int(counts[chances <= 0].sum())
    counts, expected = _together(counts, counts.sum() * chances)
    return Outcome(_distance(counts, expected), max(1, counts.size - 1), strays)


def _together(counts, expected):
    """Both with the events that are expected less than RARE times joined, neighbours first, to groups of that size."""
    rare = expected < RARE
    group = np.floor(np.cumsum(expected[rare]) / (2 * RARE)).astype(int)  # each but the last is expected RARE times
    counts, expected = (
        np.append(values[~rare], np.bincount(group, values[rare], minlength=1)) for values in (counts, expected)
    )
    while expected[-1] < RARE and expected.size > 1:  # what is rare even together joins the rarest of the others
        least = int(np.argmin(expected[:-1]))
        for values in (counts, expected):
            values[least] += values[-1]
        counts, expected = counts[:-1], expected[:-1]
    return counts, expected


def _distance(counts, expected):
    """Pearson's chi-square."""
    return float(np.sum((counts - expected) ** 2 / np.maximum(expected, 1e-300)))


def power(size, chances, other):
    """The probability with which `size` outputs of a program that follows the `other` law refute that of `chances`."""
    stray = -math.expm1(size * math.log1p(-min(1 - 1e-16, float(other[chances <= 0].sum()))))
    counts, expected = _together(size * other, size * chances)
    freedom, distance = max(1, counts.size - 1), _distance(counts, expected)
    seen = ncx2.sf(chi2.isf(FALSE_ALARM, freedom), freedom, distance) if distance > 1e-9 else FALSE_ALARM
    return float(max(stray, seen))


def smallest_caught(claim, drawn):
    """The smallest of FACTORS such that these draws would very likely refute a program that takes so many epsilons.

    Infinity where none is caught: the draws are too few, or the law does not depend on epsilon.
    """
    trial = claim.trial

    def caught(factor):
        laws = (
            (one, probabilities(trial, data, factor * claim.given))
            for data, one in zip(trial.datasets, drawn[: len(trial.datasets)], strict=True)
        )
        return any(power(one.size, one.chances, other) >= CAUGHT for one, other in laws)

    place = bisect.bisect_left(FACTORS, True, key=caught)
    return FACTORS[place] if place < len(FACTORS) else math.inf


def _counts(claim, data, size, events, rng):
    """How often each of the `events` came, the rest last, in `size` runs; and how many outputs were none of them."""
    if "size" in parameters(claim.run):
        outputs = claim.run(data, claim.given, rng, size)
    else:
        outputs = [claim.run(data, claim.given, rng) for _ in range(size)]
    places = np.asarray(claim.trial.place(outputs), dtype=float)
    kept = (places >= 0) & (places < events) & (places == np.floor(places))
    return np.bincount(places[kept].astype(int), minlength=events).astype(float), int(np.count_nonzero(~kept))


def between(cuts):
    """`place` for numbers, or vectors of one law an entry: which of the cells between `cuts` each lies in.

    A vector of numbers lies in a cell of the product, counted with the last entry fastest. The place is -1 for what
    lies before the first of the cuts or after the last, and for NaN.
    """
    cuts = arguments.array("cuts", cuts, finite=False)
    cells = cuts.size - 1

    def place(outputs):
        numbers = np.asarray(outputs, dtype=float)
        cell = np.searchsorted(cuts, numbers, side="right") - 1
        cell = np.where(np.isnan(numbers) | (numbers > cuts[-1]), -1, np.minimum(cell, cells - 1))
        if cell.ndim == 1:
            return cell
        inside = np.all(cell >= 0, axis=1)
        return np.where(inside, np.ravel_multi_index(tuple(np.maximum(cell, 0).T), (cells,) * cell.shape[1]), -1)

    return place


def nothing_or(place):
    """`place` for outputs that may be nothing (None, or empty): 0 for that, else one more than `place` says.

    What `place` does not know stays a stray. So a release below its threshold is never taken for nothing.
    """

    def nothing_first(outputs):
        empty = [output is None or (np.ndim(output) > 0 and len(output) == 0) for output in outputs]
        something = [output for output, gone in zip(outputs, empty, strict=True) if not gone]
        places = np.zeros(len(empty))
        if something:
            found = np.asarray(place(something), dtype=float)
            places[~np.array(empty)] = np.where(found >= 0, found + 1, -1)
        return places

    return nothing_first


def spelled(outputs):
    """`place` for rows of bits: the number that each row spells, its first bit the largest; -1 with any other entry."""
    rows = np.asarray(outputs, dtype=float)
    numbers = rows @ 2.0 ** np.arange(rows.shape[1])[::-1]
    return np.where(np.all((rows == 0) | (rows == 1), axis=1), numbers, -1)


def among(outcomes):
    """`place` for outputs that are one of `outcomes`: words, numbers, or sequences of such; -1 for any other."""
    index = {_key(outcome): place for place, outcome in enumerate(outcomes)}
    return lambda outputs: [index.get(_key(output), -1) for output in outputs]


def _key(output):
    if isinstance(output, np.ndarray | np.generic):
        output = output.tolist()
    return tuple(map(_key, output)) if isinstance(output, list | tuple) else output
