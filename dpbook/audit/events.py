"""Which event gives a mechanism away? Sets of outputs, learnt on samples from two neighbouring datasets.

The scores of a view are cut into cells. Cells are gathered from below, from above, outwards from a place, or in the
order of their likelihood ratio. Any such set is an event that a privacy claim speaks of. Which one is likely to show
most is learnt on some samples and judged on others. So luck in the first does not count twice.
Source: beyond the seeds; events and not densities, 004 section 2.1.  Notebook: 21_audit.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpbook.audit.views import cuts_of_sorted, views


@dataclass(frozen=True)
class Event:
    """A set of outputs: `words` says which, `holds(outputs)` says which of an array of outputs are in it."""

    words: str
    holds: Callable

    def __str__(self):
        return self.words


def best_events(learn, judge, certifying, delta, caution):
    """The events likely to give the highest bounds: a list of (Event, likelier), likelier 0 or 1, at most four.

    `learn` and `judge` are pairs of output arrays from the two datasets. Cells and their order come from the first
    pair, the choice between events from the second. `certifying` outputs a dataset will then put each to the test, at
    `caution` standard deviations. For each direction there is a modest choice, which distrusts what it saw of rare
    events, and a bold one, which does not.
    """
    best = {choice: (-np.inf, None) for choice in itertools.product((0, 1), (2, 0))}
    for view in views(*learn):
        scores = [[np.sort(view.score(side)) for side in pair] for pair in (learn, judge)]
        cuts = cuts_of_sorted(*scores[0])
        seen, judged = (np.array([_cell_counts(cuts, side) for side in pair]) for pair in scores)
        by_ratio = np.argsort(-(seen[0] + 1.0) / (seen[1] + 1.0), kind="stable")
        for likelier in (0, 1):
            stretches = _stretches(seen[likelier], seen[1 - likelier]) if view.ordered else ()
            orders = np.array([*stretches, by_ratio[::-1] if likelier else by_ratio])
            hits, other = (judged[side][orders].cumsum(axis=1) for side in (likelier, 1 - likelier))
            for modesty in (2, 0):
                bounds = promised(hits, other, len(judge[0]), certifying, delta, caution, modesty)
                for row, top in enumerate(np.argmax(bounds, axis=1)):
                    margin = 0.01 * (row == len(stretches))  # an interval says more to a reader, where it does as well
                    if bounds[row, top] > best[likelier, modesty][0] + margin:
                        best[likelier, modesty] = bounds[row, top], (view, cuts, orders[row, : top + 1])
    chosen = {
        (likelier, view.name, cells.tobytes()): (view, cuts, cells)
        for (likelier, _), (_, (view, cuts, cells)) in best.items()
    }
    return [(_event(*found), likelier) for (likelier, *_), found in chosen.items()]


def _stretches(seen, other):
    """Cells from below, from above, and outwards from where the ratio of the counts, smoothed, is highest."""
    cells, wide = np.arange(seen.size), np.ones(9)
    smooth = [np.convolve(counts, wide, "same") + 1.0 for counts in (seen, other)]
    peak = np.argmax(np.log(smooth[0] / smooth[1]) - 2 / np.sqrt(smooth[0]))
    return cells, cells[::-1], np.argsort(np.abs(cells - peak), kind="stable")


def _cell_counts(cuts, scores):
    """How many scores each cell holds, of scores in order: looking few cuts up among them takes half the time."""
    return np.diff(np.searchsorted(scores, cuts, side="right"), prepend=0, append=len(scores))


def promised(hits, other, judged, certifying, delta, caution, modesty):
    """About the bound that events with `hits` and `other` hits of `judged` would get from `certifying` fresh outputs.

    Poisson limits after Wilson and Hilferty. The counts are guesses themselves, and the best of many guesses flatters:
    `modesty` of their own standard deviations are taken off as well.
    """
    scale = certifying / judged
    caution = caution + modesty * (np.sqrt(scale) - 1)
    few, many = np.maximum(hits * scale, 1e-9), other * scale + 1.0
    down = caution * np.sqrt(np.maximum(1 - hits / judged, 1e-9) / few)
    up = caution * np.sqrt(np.maximum(1 - other / judged, 1e-9) / many)
    least = np.maximum(1 - 1 / (9 * few) - down / 3, 0)
    most = 1 - 1 / (9 * many) + up / 3
    low = few * least * least * least / certifying - delta  # a power takes as long as all the rest
    high = many * most * most * most / certifying
    return np.where(low > 0, np.log(np.maximum(low, 1e-300) / high), -1e9)


def _event(view, cuts, cells):
    """The union of `cells` as an event, in as few intervals as it has."""
    inside = np.zeros(len(cuts) + 1, dtype=bool)
    inside[cells] = True
    ends = np.flatnonzero(np.diff(np.r_[False, inside, False].astype(int)))
    edges = np.r_[-np.inf, cuts, np.inf]
    pieces = [(edges[s] if s else None, edges[e]) for s, e in zip(ends[::2], ends[1::2], strict=True)]

    def holds(outputs):
        scores = view.score(outputs)
        if len(pieces) > 8:
            return inside[np.searchsorted(cuts, scores)]
        return np.logical_or.reduce([_between(scores, low, high) for low, high in pieces])

    said = " or ".join(_piece_words(view, cuts, low, high) for low, high in pieces[:3])
    words = said + (f" or any of {len(pieces) - 3} more" if len(pieces) > 3 else "")
    return Event(words, holds)


def _between(scores, low, high):
    """low < score <= high; the lowest cell has no low end."""
    if low is None:
        return scores <= high
    return scores > low if high == np.inf else (scores > low) & (scores <= high)


def _piece_words(view, cuts, low, high):
    """The outputs with low < score <= high; a cut just below a value is said by the value."""
    if low is not None and np.nextafter(high, -np.inf) == low:
        return f"{view.name} = {view.word(high)}"
    if not view.ordered:
        return f"{view.name} = a rarer one"
    above, below = (np.inf if end is None else np.nextafter(end, np.inf) for end in (low, high))
    start = f">= {view.word(above)}" if above in cuts else f"> {view.word(low)}" if low is not None else ""
    stop = f"< {view.word(below)}" if below in cuts else f"<= {view.word(high)}" if high < np.inf else ""
    limits = " and ".join(limit for limit in (start, stop) if limit)
    return f"{view.name} {limits}" if limits else "any output"
