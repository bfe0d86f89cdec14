"""SVT in a loop that reads like the book's algorithms: one query, one comparison, one decision at a time.

`dpbook.svt.runs` does the same for 100,000 queries at once, from the same random numbers; a test holds them together.
`dpbook.svt.selection` draws the rounds of a selection at once; tests hold it together with the loop round after round.
Source: 004 Figure 7.1 and section 7.4.  Notebook: 14_svt.
"""

import itertools

import numpy as np

from dpbook import arguments
from dpbook.laplace import laplace_noise
from dpbook.svt.selection import retraversal_scales
from dpbook.svt.variants import ALG12, queries


def plain_sparse_vector(answers, thresholds, sensitivity, cutoff, epsilon, rng, *, variant=ALG12, monotonic=False):
    """What `sparse_vector` releases, as a list, with `variant.loss_bound(cutoff, epsilon, monotonic)`-DP.

    Same arguments, neighbours and errors. Source: 004 Figure 7.1.  Notebook: 14_svt.
    """
    answers, thresholds = queries(answers, thresholds)
    scales = variant.scales(sensitivity, cutoff, epsilon, monotonic)
    shift = arguments.generator("rng", rng).laplace(scale=scales.threshold)  # spends epsilon_1
    outputs, positives = [], 0
    for answer, threshold in zip(answers, thresholds, strict=True):
        noisy = answer + laplace_noise(scales.query, (), rng)
        if variant.noise_inside_absolute:
            noisy = abs(noisy)
        if noisy - threshold < shift:
            outputs.append(False)  # costs nothing
            continue
        positives += 1  # spends epsilon_2 / cutoff
        if variant.answer_share:
            outputs.append(answer + rng.laplace(scale=scales.answer))  # spends epsilon_3 / cutoff
        else:
            outputs.append(noisy if variant.releases_numbers else True)
        if variant.stops_at_cutoff and positives == cutoff:
            break
        if variant.refreshes_threshold:
            shift = rng.laplace(scale=scales.threshold)
    return outputs


def plain_retraversal_selection(
    answers, thresholds, sensitivity, cutoff, epsilon, rng, *, variant=ALG12, monotonic=False
):
    """What `retraversal_selection` selects, as likely and with the same guarantee: query by query, round after round.

    It is `variant.loss_bound(cutoff, epsilon, monotonic)`-DP. Slow, and without end where the threshold is far above
    all answers. Same arguments, neighbours and errors.
    Source: 004 section 7.4, SVT with Retraversal.  Notebook: 14_svt.
    """
    answers, thresholds = queries(answers, thresholds)
    scales = retraversal_scales(variant, sensitivity, cutoff, epsilon, monotonic)
    arguments.whole("cutoff", cutoff, 1, answers.size)
    rng = arguments.generator("rng", rng)
    shift = rng.laplace(scale=scales.threshold)  # spends epsilon_1, once for all rounds
    selected = []
    for query in itertools.cycle(range(answers.size)):  # from the last query back to the first
        if query in selected:
            continue
        noisy = answers[query] + rng.laplace(scale=scales.query)  # new noise at each visit
        if noisy - thresholds[query] < shift:
            continue  # a negative costs nothing
        selected.append(query)  # spends epsilon_2 / cutoff
        if len(selected) == cutoff:
            return np.array(selected)
