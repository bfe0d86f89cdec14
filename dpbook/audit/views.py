"""Ways to look at the outputs of a mechanism: each turns an output into one number, whose events can be counted.

A scalar is looked at as it is. A vector is looked at through its entries, their sum, extremes and two projections
learnt from the samples. A sequence (of yes and no, of words) is looked at through its pattern. An event of the scores
is always an event of the outputs, so a view can be a poor choice but never a wrong one.
Source: beyond the seeds.  Notebook: 21_audit.
"""

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

MOST_VALUES = 10_000  # up to this many distinct values each is a cell of its own
MOST_ENTRIES = 16  # so many single entries of a vector are looked at
TAIL = 2.0 ** -np.arange(1, 16) / 64
LEVELS = np.concatenate([np.arange(1, 128) / 128, TAIL, 1 - TAIL])  # quantiles at which other scores are cut


@dataclass(frozen=True)
class View:
    """One way to look at outputs: `score` turns an array of outputs into one number each, `word` a score into words.

    Without `ordered` the scores are mere codes, and larger or smaller means nothing.
    """

    name: str
    score: Callable
    word: Callable = "{:.5g}".format
    ordered: bool = True


def as_outputs(first, second):
    """Two batches of outputs in one form: float arrays, a row an output (NaN as inf), or else arrays of tuples.

    The form is chosen for both together: what an event says must depend on the output alone.
    """
    if all(isinstance(batch, np.ndarray) for batch in (first, second)) and first.shape[1:] == second.shape[1:]:
        both = np.concatenate([first, second])
    else:
        both = [*first, *second]
    outputs = as_numbers(both)
    outputs = as_tuples(both) if outputs is None else outputs
    return outputs[: len(first)], outputs[len(first) :]


def as_numbers(outputs):
    """Outputs as a float array of one or two dimensions, or None where that would lose something."""
    if not isinstance(outputs, np.ndarray):
        if any(_mixed(one) for one in outputs if isinstance(one, (tuple, list))):
            return None
        try:
            outputs = np.asarray(outputs)
        except ValueError:  # ragged: the length is part of the output
            return None
    if outputs.dtype.kind not in "biuf" or outputs.size == 0:
        return None
    outputs = outputs.astype(float)
    outputs[np.isnan(outputs)] = np.inf
    return outputs if outputs.ndim == 1 else outputs.reshape(len(outputs), -1)


def _mixed(sequence):
    """Whether answers that are not numbers (True, None, a word) stand in the sequence."""
    return any(not isinstance(entry, numbers.Real) or isinstance(entry, bool) for entry in sequence)


def as_tuples(outputs):
    """An object array with a tuple for each output, so that outputs of any shape can be told apart."""
    tuples = np.empty(len(outputs), dtype=object)
    for place, one in enumerate(outputs):
        one = one.tolist() if isinstance(one, (np.ndarray, np.generic)) else one
        tuples[place] = tuple(one) if isinstance(one, (list, tuple)) else (one,)
    return tuples


def views(outputs, other):
    """The ways to look at these two arrays of outputs, learnt from them: a list of `View`."""
    if outputs.dtype == object:
        return list(_pattern_views(outputs, other))
    if outputs.ndim == 1:
        return [View("output", np.asarray)]
    return list(_vector_views(outputs, other))


def _vector_views(outputs, other):
    """Entries, their sum, extremes and the place of the largest; two learnt projections; patterns where they repeat."""
    both = np.concatenate([outputs, other])
    finite = _tame(both)
    deviation = finite.std(axis=0)
    shift = finite[: len(outputs)].mean(axis=0) - finite[len(outputs) :].mean(axis=0)
    apart = np.abs(shift) / np.where(deviation > 0, deviation, 1)
    for entry in sorted(np.argsort(-apart, kind="stable")[:MOST_ENTRIES].tolist()):
        yield View(f"entry {entry}", lambda rows, entry=entry: rows[:, entry])
    if outputs.shape[1] > 1:
        yield View("sum of the entries", partial(_projection, np.ones(outputs.shape[1])))
        yield View("largest entry", lambda rows: rows.max(axis=1))
        yield View("smallest entry", lambda rows: rows.min(axis=1))
        yield View("place of the largest entry", lambda rows: rows.argmax(axis=1).astype(float), "{:.0f}".format, False)
        scatter = np.cov(finite, rowvar=False) + np.diag(1e-9 * deviation**2 + 1e-300)
        direction = np.linalg.lstsq(scatter, shift, rcond=None)[0]
        if direction.any():
            direction = direction / np.abs(direction).max()
            yield View(_direction_words(direction), partial(_projection, direction))
        yield View("learnt likelihood score", _likelihood_score(outputs, other))
    codes = _row_codes(both)
    known, first = np.unique(codes, return_index=True)
    if len(known) <= min(MOST_VALUES, len(both) // 4):
        rows = both[first]
        yield View("output", partial(_row_place, known), lambda place: _row_words(rows, place), False)


def _tame(rows):
    """The rows with 0 for entries too large to be multiplied."""
    return np.where(np.abs(rows) < 1e100, rows, 0)


def _projection(direction, rows):
    return _tame(rows) @ direction


def _direction_words(direction):
    """The projection as a sum that a reader can redo, if it is a short one."""
    if len(direction) > 4:
        return "projection on a learnt direction"
    return "the sum " + " + ".join(f"({weight:.3g} x entry {entry})" for entry, weight in enumerate(direction))


def _likelihood_score(outputs, other):
    """Sum over the entries of the log likelihood ratio of the entry's cell: the best score for independent entries."""
    cuts, gains = [], []
    for entry in range(outputs.shape[1]):
        cut = cell_cuts(outputs[:, entry], other[:, entry])
        counts, rare = (
            np.bincount(np.searchsorted(cut, side[:, entry]), minlength=len(cut) + 1) for side in (outputs, other)
        )
        cuts.append(cut)
        gains.append(np.log((counts + 1.0) / (rare + 1.0)))
    return lambda rows: sum(g[np.searchsorted(c, rows[:, e])] for e, (c, g) in enumerate(zip(cuts, gains, strict=True)))


def _row_codes(rows):
    """One whole number for each row: equal rows have equal codes, and different rows all but surely different ones."""
    weights = 2 * np.random.default_rng(1).integers(2**62, size=rows.shape[1], dtype=np.uint64) + np.uint64(1)
    bits = np.ascontiguousarray(rows + 0.0).view(np.uint64)  # + 0.0 makes -0 a 0
    return ((bits ^ (bits >> np.uint64(29))) * weights).sum(axis=1, dtype=np.uint64)


def _row_place(known, rows):
    codes = _row_codes(rows)
    place = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    return np.where(known[place] == codes, place, -1).astype(float)


def _row_words(rows, place):
    return "(" + ", ".join(f"{value:.5g}" for value in rows[int(place)]) + ")" if place >= 0 else "any other"


def _pattern_views(outputs, other):
    """Sequences: their pattern, with 'a number' for every number; and the pattern with the size of the first number."""
    both = np.concatenate([outputs, other])
    firsts = _first_numbers(both)
    levels = [np.empty(0)]
    if np.isfinite(firsts).any():
        levels.append(np.unique(np.quantile(firsts[np.isfinite(firsts)], np.arange(1, 16) / 16)))
    for cuts in levels:
        keys = list(dict.fromkeys(_keys(both, cuts)))
        places = {key: place for place, key in enumerate(keys)}
        yield View("output", partial(_key_place, places, cuts), partial(_key_words, keys, cuts), False)


def _is_number(entry):
    return isinstance(entry, float)


def _first_numbers(outputs):
    return np.array([next((entry for entry in one if _is_number(entry)), np.nan) for one in outputs])


def _keys(outputs, cuts):
    cells = np.searchsorted(cuts, _first_numbers(outputs)).tolist()
    patterns = (tuple("a number" if _is_number(entry) else entry for entry in one) for one in outputs)
    return zip(patterns, cells, strict=True)


def _key_place(places, cuts, outputs):
    return np.array([places.get(key, -1) for key in _keys(outputs, cuts)], dtype=float)


def _key_words(keys, cuts, place):
    if place < 0:
        return "any other"
    pattern, cell = keys[int(place)]
    words = "(" + ", ".join(str(entry) for entry in pattern) + ")"
    if len(cuts) == 0 or "a number" not in pattern:
        return words
    low, high = np.r_[-np.inf, cuts, np.inf][[cell, cell + 1]]
    return f"{words} with {low:.5g} < the first number <= {high:.5g}"


def cell_cuts(scores, other):
    """Where to cut the line: cell k holds the scores with cuts[k-1] < score <= cuts[k].

    Scores that repeat (atoms, whole numbers, codes) get a cell of their own, and so do all scores where the values are
    few. The rest is cut at the quantiles of both samples together, more finely in the tails.
    """
    return cuts_of_sorted(np.sort(scores), np.sort(other))


def cuts_of_sorted(scores, other):
    """The same for scores that are in order."""
    both = np.sort(np.concatenate([scores, other]), kind="stable")  # which finds the two halves and merges them
    starts = np.flatnonzero(np.r_[True, both[1:] != both[:-1]])
    atoms, edges, repeats = both[starts], both[:0], np.diff(np.r_[starts, len(both)])
    mostly_rare = len(atoms) > len(LEVELS) and 2 * np.count_nonzero(repeats >= 3) < len(atoms)
    if mostly_rare or len(atoms) > min(MOST_VALUES, len(both) // 4):
        frequent = np.argsort(-repeats, kind="stable")[:MOST_VALUES]
        atoms = atoms[frequent[repeats[frequent] >= 3]]
        edges = both[(LEVELS * (len(both) - 1)).astype(int)]
    return np.unique(np.concatenate([edges, atoms, np.nextafter(atoms, -np.inf)]))
