"""How far a secret code shows in a model: its rank among all codes, in bits, and how far privacy lets it show.

Source: beyond the seeds; Carlini and others 2019.  Notebook: 31_memory.
"""

import math

import numpy as np

from dpbook import arguments
from dpbook.memory.text import END, LETTERS, checked_counts, letters_of

DIGITS = slice(LETTERS.index("0"), LETTERS.index("9") + 1)
LONGEST_CODE = 7  # digits: ten million scores


def code_scores(counts, start, digits, smoothing):
    """The log probability of every code of so many `digits` after `start`: an array of 10**digits numbers.

    Given the letters before it, a letter has probability (max(count, 0) + smoothing) / (sum + 38 smoothing). The sum is
    over these max(count, 0). Entry 7294 is the code "7294". Post-processing: as private as the counts.
    Raises ValueError for counts that are not a table of grams, a start outside LETTERS, digits outside 1..7, or a
    smoothing not above 0.
    Source: Carlini and others 2019.  Notebook: 31_memory.
    """
    counts, context = checked_counts(counts), np.ndim(counts) - 1
    digits, smoothing = arguments.whole("digits", digits, 1, LONGEST_CODE), arguments.positive("smoothing", smoothing)
    before = ([END] * context + letters_of("start", start, empty=True))[-context:]
    scores = np.zeros((1,) * digits)
    for place in range(digits):
        seen = min(place, context)  # digits among the letters that the model looks back at
        rows = np.maximum(counts[(*before[seen:], *(DIGITS,) * seen)], 0) + smoothing
        logs = np.log(rows[..., DIGITS] / rows.sum(axis=-1, keepdims=True))
        scores = scores + logs.reshape((1,) * (place - seen) + logs.shape + (1,) * (digits - 1 - place))
    return scores.ravel()


def exposure(scores, secret):
    """log2(N) - log2(rank) of the `secret` (its place) among N scores, the highest first; in bits.

    Equal scores share the middle of their ranks: among N equal ones the exposure is about 1, and log2 N is the most.
    As private as the scores. Raises ValueError for no scores, scores that are not finite, or a secret that is none of
    them. Source: Carlini and others 2019.  Notebook: 31_memory.
    """
    scores = arguments.vector("scores", scores)
    secret = arguments.whole("secret", secret, 0, scores.size - 1)
    rank = np.count_nonzero(scores > scores[secret]) + (np.count_nonzero(scores == scores[secret]) + 1) / 2
    return math.log2(scores.size / rank)


def exposure_limit(candidates, epsilon, *, delta=0):
    """The largest mean exposure, in bits, of a code drawn evenly from `candidates` ones, under (epsilon, delta)-DP.

    Let ties be broken by lot. Without the code's message an even code has an even rank. With it: Pr[rank <= r] <=
    e^epsilon r / N + delta, and the mean is largest where the best ranks are filled so far. At epsilon 0 it is 1.44
    bits already for many candidates, and it stays below (1 + epsilon) / ln 2 for delta 0. `exposure` gives ties the
    middle of their ranks instead, which lowers the mean.
    Raises ValueError for candidates below 1, an epsilon below 0, or a delta outside [0, 1).
    Source: beyond the seeds.  Notebook: 31_memory.
    """
    ranks = np.arange(1, arguments.whole("candidates", candidates, 1) + 1)
    grow = math.exp(min(arguments.nonnegative("epsilon", epsilon), 600))  # beyond that the best rank is certain anyway
    filled = np.minimum(1.0, grow * ranks / ranks.size + arguments.share_below_one("delta", delta))
    return float(np.diff(filled, prepend=0.0) @ np.log2(ranks.size / ranks))
