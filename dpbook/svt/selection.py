"""Selecting the top queries: by going round and round with SVT, or by the exponential mechanism; and how good it was.

Source: 004 section 7.4.  Notebook: 14_svt.
"""

import numpy as np

from dpbook import arguments
from dpbook.exponential import exponential_mechanism
from dpbook.svt.exact import log_cdf
from dpbook.svt.variants import ALG12, queries

FAR = 30  # in logarithms: -ln(1 - e^-z / 2) is e^-z / 2 from here on, and e^z visits need no rounding, to 13 digits


def retraversal_selection(answers, thresholds, sensitivity, cutoff, epsilon, rng, *, variant=ALG12, monotonic=False):
    """Select exactly `cutoff` queries by going round and round those not yet selected: as private as one SVT run.

    That is `variant.loss_bound(cutoff, epsilon, monotonic)`-DP, for negatives cost nothing. Neighbours: no answer moves
    by more than `sensitivity`; with `monotonic`, no two move in opposite directions. Threshold noise is drawn once,
    query noise at each visit; `variant` is ALG12, ALG15 or an `alg18`. The round of each query's first positive has a
    geometric distribution, so the rounds are drawn at once, however high the threshold. Returns indices in the order of
    selection.
    Raises ValueError as `sparse_vector` does, or for more positives asked than queries given. It also does so for a row
    that refreshes the threshold, releases numbers, adds no query noise, never stops, or takes absolute values.
    Source: 004 section 7.4, SVT with Retraversal.  Notebook: 14_svt.
    """
    answers, thresholds = queries(answers, thresholds)
    scales = retraversal_scales(variant, sensitivity, cutoff, epsilon, monotonic)
    arguments.whole("cutoff", cutoff, 1, answers.size)
    shift = arguments.generator("rng", rng).laplace(scale=scales.threshold)  # spends epsilon_1
    gap = (thresholds + shift - answers) / scales.query
    log_rate = np.where(gap > FAR, -gap - np.log(2), np.log(-log_cdf(np.minimum(gap, FAR))))
    with np.errstate(divide="ignore"):
        wait = np.log(rng.standard_exponential(answers.size)) - log_rate
    visit = np.where(wait < FAR, np.log(np.maximum(np.ceil(np.exp(np.minimum(wait, FAR))), 1)), wait)
    return np.argsort(visit, kind="stable")[:cutoff]  # each spends epsilon_2 / cutoff


def retraversal_scales(variant, sensitivity, cutoff, epsilon, monotonic):
    """The scales of a row's noise, for a row that can go round and round; ValueError for any other."""
    scales = variant.scales(sensitivity, cutoff, epsilon, monotonic)
    odd = variant.refreshes_threshold or variant.releases_numbers or variant.noise_inside_absolute
    if odd or not variant.stops_at_cutoff or scales.query == 0:
        arguments.refuse("variant", variant.name, "a row that keeps its threshold, stops, and only says above or below")
    return scales


def exponential_selection(answers, sensitivity, cutoff, epsilon, rng, *, monotonic=False):
    """Select `cutoff` queries with epsilon-DP by the exponential mechanism, one after the other without replacement.

    Neighbours: no answer moves by more than `sensitivity`; with `monotonic`, no two move in opposite directions. Each
    selection spends epsilon / cutoff, with the answer as quality; no threshold is needed. Returns indices in the order
    of selection. Raises ValueError as `exponential_mechanism` does, or for a cutoff that is not whole, below 1 or
    above the number of answers. Source: 004 section 7.4, EM or SVT.  Notebook: 14_svt.
    """
    answers = arguments.vector("answers", answers)
    cutoff = arguments.whole("cutoff", cutoff, 1, answers.size)
    share = arguments.positive("epsilon", epsilon) / cutoff
    pool, selected = np.arange(answers.size), []
    for _ in range(cutoff):
        chosen = exponential_mechanism(
            answers[pool], sensitivity, share, rng, monotonic=monotonic
        )  # spends epsilon / cutoff
        selected.append(pool[chosen])
        pool = np.delete(pool, chosen)
    return np.array(selected)


def false_negative_rate(selected, answers, cutoff):
    """The fraction of the true top `cutoff` that the selection missed; ties with the last of the top count as top.

    `selected` holds at most `cutoff` different indices into `answers`. Not private: it compares with the truth.
    Raises ValueError for indices that are not such, or a cutoff beyond the number of answers.
    Source: the usual rate, for the comparison of 004 section 7.4.1.  Notebook: 14_svt.
    """
    chosen, best = _selection(selected, answers, cutoff)
    return float(1 - np.count_nonzero(chosen >= best.min()) / cutoff)


def score_error_rate(selected, answers, cutoff):
    """The part of the true top's total that the selection missed: 1 - sum over selected / sum over the top `cutoff`.

    Same arguments and errors as `false_negative_rate`; in a selection short of `cutoff`, what is missing counts as 0.
    Raises ValueError too for a top whose total is not above 0. Not private.
    Source: our own sums, for the comparison of 004 section 7.4.1.  Notebook: 14_svt.
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
