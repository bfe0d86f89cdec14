"""The sparse vector technique (SVT): any row of the book's Figure 7.2, run as written.

SVT compares the answers of a stream of queries with a threshold and says for each "below" (False) or "above" (True).
Only the positives are meant to cost. Rows 12, 13 and 18 are private; 14 to 17 are NOT what they were published as.
`Variant.loss_bound` bounds the privacy loss of each, `privacy_loss` is that of one output. Neighbours and monotonic
queries: see `dpbook.svt.variants`.

Source: 004 chapter 7.  Notebook: 14_svt.
"""

from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.laplace import PIECE, laplace_noise
from dpbook.svt.variants import ALG12, alg18, queries

CHUNK = PIECE  # queries at a time: their noise comes fastest, and a run that stops early draws no more


def sparse_vector(answers, thresholds, sensitivity, cutoff, epsilon, rng, *, variant=ALG12, monotonic=False):
    """Say which answers are above their thresholds, with `variant.loss_bound(cutoff, epsilon, monotonic)`-DP.

    That is epsilon-DP for ALG12, ALG13 and `alg18`, (1 + 6 cutoff) / 4 epsilon for ALG15, nothing for ALG14, 16, 17.
    `answers` are the true answers in order, `thresholds` one number or one a query, in the same unit. Neighbours are
    datasets between which no answer moves by more than `sensitivity`. Returns an array that ends after `cutoff`
    positives or with the queries (ALG16 and ALG17 have no cutoff). It holds booleans, or, where the row releases
    numbers, objects: False or a float. Tell these apart by type: 0.0 == False.
    Raises ValueError for answers that are not a non-empty list of finite numbers, thresholds of another length, and as
    `Variant.scales` does. Source: 004 Figure 7.1.  Notebook: 14_svt.
    """
    return trace(answers, thresholds, sensitivity, cutoff, epsilon, rng, variant=variant, monotonic=monotonic).outputs


def generalized_sparse_vector(answers, thresholds, sensitivity, cutoff, budgets, rng, *, monotonic=False):
    """Algorithm 18: `sparse_vector` with `budgets` (epsilon_1, epsilon_2, epsilon_3), which is sum(budgets)-DP.

    Neighbours: no answer moves by more than `sensitivity`; with `monotonic`, no two move in opposite directions.
    Returns booleans if epsilon_3 is 0, else False or the answer with fresh noise. Same errors, and those of `alg18`.
    Source: 004 section 7.3.1, Theorems 7.6 and 7.7.  Notebook: 14_svt.
    """
    if len(budgets) != 3:
        arguments.refuse("budgets", budgets, "three numbers: epsilon_1, epsilon_2, epsilon_3")
    row = alg18(*budgets)
    return sparse_vector(answers, thresholds, sensitivity, cutoff, sum(budgets), rng, variant=row, monotonic=monotonic)


class Trace(NamedTuple):
    """A run laid open: its outputs, and the noisy answers and noisy thresholds, which must stay secret."""

    outputs: np.ndarray
    noisy_answers: np.ndarray
    noisy_thresholds: np.ndarray


def trace(answers, thresholds, sensitivity, cutoff, epsilon, rng, *, variant=ALG12, monotonic=False):
    """The run that `sparse_vector` makes from the same seed, with its secrets, as a `Trace`. NOT private: for pictures.

    Same arguments, same errors. The three arrays are equally long. Source: 004 Figure 7.1.  Notebook: 14_svt.
    """
    answers, thresholds = queries(answers, thresholds)
    scales = variant.scales(sensitivity, cutoff, epsilon, monotonic)
    limit = cutoff if variant.stops_at_cutoff else answers.size
    above, noisy, shifts = _compare(answers, thresholds, scales, limit, arguments.generator("rng", rng), variant)
    outputs = above
    if variant.releases_numbers:
        outputs, released = above.astype(object), noisy[above]
        if variant.answer_share:
            released = answers[: above.size][above] + rng.laplace(scale=scales.answer, size=released.size)  # epsilon_3
        outputs[above] = released
    shift = np.array(shifts)[np.cumsum(above) - above] if variant.refreshes_threshold else shifts[0]
    return Trace(outputs, noisy, thresholds[: above.size] + shift)


def _compare(answers, thresholds, scales, limit, rng, variant):
    """Which answers come out above, until `limit` have; the noisy answers; the threshold noise of each round."""
    noisy, positives, found, stop = np.empty(answers.size), [], 0, 0
    shifts = [rng.laplace(scale=scales.threshold)]  # spends epsilon_1
    while found < limit and stop < answers.size:
        start, stop = stop, min(stop + CHUNK, answers.size)
        noisy[start:stop] = answers[start:stop] + laplace_noise(scales.query, (stop - start,), rng)
        if variant.noise_inside_absolute:
            noisy[start:stop] = np.abs(noisy[start:stop])
        while start < stop and found < limit:
            hits = start + np.flatnonzero(noisy[start:stop] - thresholds[start:stop] >= shifts[-1])[: limit - found]
            start = stop
            if variant.refreshes_threshold and hits.size:
                hits, start = hits[:1], hits[0] + 1
                shifts.append(rng.laplace(scale=scales.threshold))  # spends epsilon_1 / cutoff again
            positives.append(hits)  # each spends epsilon_2 / cutoff
            found += hits.size
    positives = np.concatenate(positives)
    length = positives[-1] + 1 if found == limit and variant.stops_at_cutoff else answers.size
    above = np.zeros(length, dtype=bool)
    above[positives] = True
    return above, noisy[:length], shifts
