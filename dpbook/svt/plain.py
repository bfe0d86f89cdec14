"""SVT in a loop that reads like the book's algorithms: one query, one comparison, one decision at a time.

`dpbook.svt.runs` does the same for 100,000 queries at once, from the same random numbers; a test holds them together.
Source: 004 Figure 7.1.  Notebook: 14_svt.
"""

from dpbook import arguments
from dpbook.laplace import laplace_noise
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
