"""The sparse vector technique (SVT): any row of the book's Figure 7.2, run as written, and what to select the top with.

SVT compares the answers of a stream of queries with a threshold and says for each "below" (False) or "above" (True);
only the positives are meant to cost. Rows 12, 13 and 18 are private; 14 to 17 are NOT what they were published as:
`Variant.loss_bound` says what each can lose, `privacy_loss` what one output does lose. Neighbours and monotonic
queries: see `dpbook.svt_variants`.

Source: 004 chapter 7.  Notebook: 14_svt.
"""

from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.exponential import exponential_mechanism
from dpbook.svt_exact import log_cdf, output_probability, privacy_loss, queries
from dpbook.svt_variants import (
    ALG12,
    ALG13,
    ALG14,
    ALG15,
    ALG16,
    ALG17,
    NOISE_INSIDE,
    Variant,
    alg18,
    counterexample,
    optimal_split,
)

__all__ = [
    "ALG12",
    "ALG13",
    "ALG14",
    "ALG15",
    "ALG16",
    "ALG17",
    "NOISE_INSIDE",
    "Trace",
    "Variant",
    "alg18",
    "counterexample",
    "exponential_selection",
    "false_negative_rate",
    "generalized_sparse_vector",
    "optimal_split",
    "output_probability",
    "privacy_loss",
    "retraversal_selection",
    "score_error_rate",
    "sparse_vector",
    "trace",
]

CHUNK = 8192  # queries at a time: their noise fits the cache, and a run that stops early draws no more


def sparse_vector(answers, thresholds, sensitivity, cutoff, epsilon, rng, variant=ALG12, monotonic=False):
    """Say which answers are above their thresholds, with `variant.loss_bound(epsilon, cutoff, monotonic)`-DP.

    That is epsilon-DP for ALG12, ALG13 and `alg18`, (1 + 6 cutoff) / 4 epsilon for ALG15, nothing for ALG14, 16, 17.
    `answers` are the true answers in order, `thresholds` one number or one a query, in the same unit; neighbours are
    datasets between which no answer moves by more than `sensitivity`. Returns an array that ends after `cutoff`
    positives or with the queries (ALG16 and ALG17 have no cutoff): booleans; or objects, False or a float, where the
    row releases numbers (tell them apart by type: 0.0 == False).
    Raises ValueError for answers that are not a non-empty list of finite numbers, thresholds of another length, and as
    `Variant.scales` does. Source: 004 Figure 7.1.  Notebook: 14_svt.
    """
    return trace(answers, thresholds, sensitivity, cutoff, epsilon, rng, variant, monotonic).outputs


def generalized_sparse_vector(answers, thresholds, sensitivity, cutoff, budgets, rng, monotonic=False):
    """Algorithm 18: `sparse_vector` with `budgets` (epsilon_1, epsilon_2, epsilon_3), which is sum(budgets)-DP.

    Returns booleans if epsilon_3 is 0, else False or the answer with fresh noise. Same errors, and those of `alg18`.
    Source: 004 section 7.3.1, Theorems 7.6 and 7.7.  Notebook: 14_svt.
    """
    if len(budgets) != 3:
        arguments.refuse("budgets", budgets, "three numbers: epsilon_1, epsilon_2, epsilon_3")
    row = alg18(*budgets)
    return sparse_vector(answers, thresholds, sensitivity, cutoff, sum(budgets), rng, row, monotonic)


class Trace(NamedTuple):
    """A run laid open: its outputs, and the noisy answers and noisy thresholds, which must stay secret."""

    outputs: np.ndarray
    noisy_answers: np.ndarray
    noisy_thresholds: np.ndarray


def trace(answers, thresholds, sensitivity, cutoff, epsilon, rng, variant=ALG12, monotonic=False):
    """The run that `sparse_vector` makes from the same seed, with its secrets, as a `Trace`. NOT private: for pictures.

    Same arguments, same errors. The three arrays are equally long. Notebook: 14_svt.
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
        noisy[start:stop] = answers[start:stop] + _noise(stop - start, scales.query, rng)
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


def _noise(size, scale, rng):
    """Laplace noise by inverting its distribution function, four times as fast as rng.laplace."""
    if scale == 0:
        return 0.0
    uniform = rng.random(size) - (0.5 - 2.0**-54)  # symmetric, and never an end of (-1/2, 1/2)
    return np.copysign(scale * np.log1p(-2 * np.abs(uniform)), uniform)


def retraversal_selection(answers, thresholds, sensitivity, cutoff, epsilon, rng, variant=ALG12, monotonic=False):
    """Select exactly `cutoff` queries by going round and round those not yet selected: as private as one SVT run.

    That is `variant.loss_bound(epsilon, cutoff, monotonic)`-DP, for negatives cost nothing. Threshold noise is drawn
    once, query noise at each visit; `variant` is ALG12, ALG15 or an `alg18`. Each query's first positive comes in a
    round with a geometric law, so the rounds are drawn at once, however high the threshold. Returns indices in the
    order of selection. Raises ValueError as `sparse_vector` does, for more positives asked than queries given, or for
    a row that refreshes the threshold, releases numbers, adds no query noise, never stops, or takes absolute values.
    Source: 004 section 7.4, SVT with Retraversal.  Notebook: 14_svt.
    """
    answers, thresholds = queries(answers, thresholds)
    scales = variant.scales(sensitivity, cutoff, epsilon, monotonic)
    odd = variant.refreshes_threshold or variant.releases_numbers or variant.noise_inside_absolute
    if odd or not variant.stops_at_cutoff or scales.query == 0:
        arguments.refuse("variant", variant.name, "a row that keeps its threshold, stops, and only says above or below")
    arguments.whole("cutoff", cutoff, 1, answers.size)
    shift = arguments.generator("rng", rng).laplace(scale=scales.threshold)  # spends epsilon_1
    gap = (thresholds + shift - answers) / scales.query
    log_rate = np.where(gap > 30, -gap - np.log(2), np.log(-log_cdf(np.minimum(gap, 30))))
    with np.errstate(divide="ignore"):
        wait = np.log(rng.standard_exponential(answers.size)) - log_rate
    visit = np.where(wait < 30, np.log(np.maximum(np.ceil(np.exp(np.minimum(wait, 30))), 1)), wait)
    return np.argsort(visit, kind="stable")[:cutoff]  # each spends epsilon_2 / cutoff


def exponential_selection(answers, sensitivity, cutoff, epsilon, rng, monotonic=False):
    """Select `cutoff` queries with epsilon-DP by the exponential mechanism, one after the other without replacement.

    Each selection spends epsilon / cutoff, with the answer as quality; no threshold is needed. Returns indices in the
    order of selection. Raises ValueError as `exponential_mechanism` does, or for a cutoff that is not whole, below 1 or
    above the number of answers. Source: 004 section 7.4, EM or SVT.  Notebook: 14_svt.
    """
    answers = arguments.vector("answers", answers)
    cutoff = arguments.whole("cutoff", cutoff, 1, answers.size)
    share = arguments.positive("epsilon", epsilon) / cutoff
    pool, selected = np.arange(answers.size), []
    for _ in range(cutoff):
        chosen = exponential_mechanism(answers[pool], sensitivity, share, rng, monotonic)  # spends epsilon / cutoff
        selected.append(pool[chosen])
        pool = np.delete(pool, chosen)
    return np.array(selected)


def false_negative_rate(selected, answers, cutoff):
    """The share of the true top `cutoff` that the selection missed; ties with the last of the top count as top.

    `selected` holds at most `cutoff` different indices into `answers`. Not private: it compares with the truth.
    Raises ValueError for indices that are not such, or a cutoff beyond the number of answers.
    Source: 004 section 7.4.1.  Notebook: 14_svt.
    """
    chosen, best = _selection(selected, answers, cutoff)
    return float(1 - np.count_nonzero(chosen >= best.min()) / cutoff)


def score_error_rate(selected, answers, cutoff):
    """The share of the true top's total that the selection missed: 1 - sum over selected / sum over the top `cutoff`.

    Same arguments and errors as `false_negative_rate`; a selection short of `cutoff` loses what it did not select.
    Raises ValueError too for a top whose total is not above 0. Not private. Notebook: 14_svt.
    """
    chosen, best = _selection(selected, answers, cutoff)
    if best.sum() <= 0:
        arguments.refuse("answers", best.sum(), "such that the top has a total above 0")
    return float(1 - chosen.sum() / best.sum())


def _selection(selected, answers, cutoff):
    """The answers of the selected queries, and those of the true top."""
    answers = arguments.vector("answers", answers)
    cutoff = arguments.whole("cutoff", cutoff, 1, answers.size)
    indices = arguments.integers("selected", selected)
    in_range = indices.size == 0 or (indices.min() >= 0 and indices.max() < answers.size)
    if indices.ndim != 1 or not in_range or indices.size > cutoff or np.unique(indices).size < indices.size:
        arguments.refuse("selected", selected, f"at most {cutoff} different indices below {answers.size}")
    return answers[indices], np.partition(answers, -cutoff)[-cutoff:]
