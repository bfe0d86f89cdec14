"""A language model made of counts: which letter follows the last few, with and without noise.

A message is a string of `LETTERS`, and before it stand `context` full stops. A gram is its `context` + 1 letters in a
row, the last of them a letter of the message. Neighbours add or remove one message.
Source: beyond the seeds; Carlini and others 2021.  Notebook: 31_memory.
"""

import math
import string

import numpy as np

from dpbook import arguments
from dpbook.gaussian import gaussian_mechanism
from dpbook.laplace import laplace_mechanism

LETTERS = string.ascii_lowercase + " " + string.digits + "."
END = LETTERS.index(".")
LONGEST = 3  # letters of context: a table of 38**4 cells, 17 MB
_PLACE = {letter: place for place, letter in enumerate(LETTERS)}


def gram_counts(messages, context, most):
    """How many messages hold each gram, each message counted for its first `most` different ones. NOT private.

    Returns floats of shape (38,) * (context + 1). One message more moves at most `most` cells, by 1: L1 `most`, L2
    the root of `most`, where `most` must not depend on the messages.
    Raises ValueError for an empty message, a letter outside LETTERS, a context outside 1 to 3, or most below 1.
    Source: beyond the seeds.  Notebook: 31_memory.
    """
    context, most = arguments.whole("context", context, 1, LONGEST), arguments.whole("most", most, 1)
    weights = len(LETTERS) ** np.arange(context, -1, -1)
    counts = np.zeros(len(LETTERS) ** (context + 1))
    for message in messages:
        letters = np.array([END] * context + letters_of("messages", message))
        grams = np.lib.stride_tricks.sliding_window_view(letters, context + 1) @ weights
        different, first = np.unique(grams, return_index=True)
        counts[different[np.argsort(first)[:most]]] += 1
    return counts.reshape((len(LETTERS),) * (context + 1))


def laplace_model(messages, context, most, epsilon, rng):
    """`gram_counts` with Laplace noise of scale most / epsilon on EVERY cell: epsilon-DP when a message comes or goes.

    Returns floats of the same shape. Raises ValueError as `gram_counts` and `laplace_mechanism` do.
    Source: beyond the seeds; 004 section 2.3.  Notebook: 31_memory.
    """
    return laplace_mechanism(gram_counts(messages, context, most), most, epsilon, rng)


def gaussian_model(messages, context, most, epsilon, delta, rng):
    """`gram_counts` with normal noise for an L2 sensitivity of the root of `most`: (epsilon, delta)-DP, add/remove.

    Returns floats of the same shape. Raises ValueError as `gram_counts` and `gaussian_mechanism` do.
    Source: beyond the seeds; Balle and Wang 2018.  Notebook: 31_memory.
    """
    counts = gram_counts(messages, context, most)
    return gaussian_mechanism(counts, math.sqrt(most), epsilon, delta, rng)


def complete(counts, start, length):
    """What the model types after `start`: the likeliest letter each time, at most `length`, up to a full stop.

    Returns `start` and what it typed. Counts below 0 are 0; of equal counts the first in LETTERS is typed.
    Post-processing: as private as the counts. Raises ValueError for counts that are no table of grams, a start with
    letters outside LETTERS, or a length below 0.
    Source: Carlini and others 2021.  Notebook: 31_memory.
    """
    counts, context = checked_counts(counts), np.ndim(counts) - 1
    known = [END] * context + letters_of("start", start, empty=True)
    typed = []
    while len(typed) < arguments.whole("length", length, 0) and typed[-1:] != [END]:
        row = counts[tuple((known + typed)[-context:])]
        typed.append(int(np.argmax(np.maximum(row, 0))))
    return start + "".join(LETTERS[place] for place in typed)


def checked_counts(counts):
    """A table of grams: (38,) * (context + 1) finite numbers."""
    counts = np.asarray(counts)
    if not 2 <= counts.ndim <= LONGEST + 1 or set(counts.shape) != {len(LETTERS)}:
        arguments.refuse("counts", f"shape {counts.shape}", f"(38,) * (context + 1), with a context of 1 to {LONGEST}")
    if counts.dtype.kind not in "iuf" or not np.isfinite(counts.sum()):
        arguments.refuse("counts", f"{counts.dtype} that are not all finite", "finite numbers")
    return counts


def letters_of(name, message, *, empty=False):
    """The places in LETTERS of a message's letters."""
    if not isinstance(message, str) or not (message or empty):
        arguments.refuse(name, message, "text of at least one letter")
    strange = sorted(set(message) - set(LETTERS))
    if strange:
        arguments.refuse(name, "".join(strange), "text of a to z, spaces, 0 to 9 and full stops alone")
    return [_PLACE[letter] for letter in message]
