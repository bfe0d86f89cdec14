"""The exact probability of an output of the sparse vector technique (SVT), and the loss between two neighbours.

Comparisons under one threshold noise make a round. Given that noise, z, they are independent. So the probability of a
round is the integral over z of its density times one factor a query (004 Eq. (7.5)). Each factor is log-concave in z
and smooth but for a kink or two, hence so is the whole: it has one peak. `log_integral` works in logs: it finds the
peak, drops what lies e^-45 below it, splits at the kinks, and halves Gauss-Legendre panels until they agree.
The functions below `privacy_loss` are its parts: their arguments are trusted.

Source: 004 Eq. (7.5), integrated numerically.  Notebook: 14_svt.
"""

from collections import defaultdict

import numpy as np

from dpbook import arguments
from dpbook.svt.variants import ALG12, queries

NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)
DROP = 45  # natural logs: what lies so far below the peak weighs 3e-20 of it
LOG_2 = np.log(2)
BLOCK = 2**16  # numbers evaluated at a time


def log_output_probability(outputs, answers, thresholds, sensitivity, cutoff, epsilon, variant=ALG12, monotonic=False):
    """ln of the probability that `sparse_vector` gives exactly `outputs`; -inf where it never does. Exact to 1e-9.

    It is a log density where numbers are released. For ALG14, and for `alg18` with epsilon_3, a positive is a float;
    all other outputs are True or False. The other arguments are those of `sparse_vector`. `answers` are all the queries
    of the run, so outputs that end early without `cutoff` positives, or go on after them, are impossible.
    Raises ValueError as `sparse_vector` does, or for an output of the wrong kind.
    Source: 004 Eq. (7.5), and (7.12) for released numbers.  Notebook: 14_svt.
    """
    answers, thresholds = queries(answers, thresholds)
    scales = variant.scales(sensitivity, cutoff, epsilon, monotonic)
    positive, released = _kinds(outputs, variant)
    if not _possible(positive, answers.size, cutoff, variant):
        return -np.inf
    size = positive.size
    answers, thresholds = answers[:size], thresholds[:size]
    ceilings, log_released = np.full(size, np.inf), 0.0
    if variant.releases_compared_answer:
        ceilings[positive] = released - thresholds[positive]  # no positive without a noisy threshold at or below it
        log_released = log_density(released - answers[positive], scales.query).sum()
    elif variant.answer_share:
        log_released = log_density(released - answers[positive], scales.answer).sum()
    rounds = np.split(np.arange(size), np.flatnonzero(positive[:-1]) + 1 if variant.refreshes_threshold else [])
    alike, table = defaultdict(list), np.array([answers, thresholds, positive, ceilings])
    for part in rounds:
        alike[table[:, part].tobytes()].append(table[:, part])
    return float(log_released + sum(len(same) * _log_round(*same[0], scales, variant) for same in alike.values()))


output_probability = log_output_probability  # the name it had before logs said so; it stays


def privacy_loss(
    outputs, answers, neighbour_answers, thresholds, sensitivity, cutoff, epsilon, variant=ALG12, monotonic=False
):
    """The exact loss ln(Pr[outputs | answers] / Pr[outputs | neighbour_answers]).

    Under epsilon-DP its size is at most epsilon. Positive where the outputs speak for `answers`, inf where only these
    can give them, -inf where only the neighbour's.
    Raises ValueError as `log_output_probability` does, or for outputs that neither can give. It also does so for
    neighbours' answers of another number, further apart than `sensitivity`, or moving both ways where `monotonic`.
    Source: 004 Eq. (7.5).  Notebook: 14_svt.
    """
    answers = arguments.vector("answers", answers)
    moves = arguments.vector("neighbour_answers", neighbour_answers)
    if moves.size != answers.size:
        arguments.refuse("neighbour_answers", moves.size, f"as many as answers, {answers.size}")
    moves = moves - answers
    if np.abs(moves).max() > arguments.positive("sensitivity", sensitivity) * (1 + 1e-9):
        arguments.refuse("neighbour_answers", moves[np.argmax(np.abs(moves))], f"within {sensitivity} of answers")
    if monotonic and moves.min() < 0 < moves.max():
        arguments.refuse("neighbour_answers", moves, "all moved in the same direction, for monotonic queries")
    rest = (thresholds, sensitivity, cutoff, epsilon, variant, monotonic)
    here = log_output_probability(outputs, answers, *rest)
    there = log_output_probability(outputs, neighbour_answers, *rest)
    if here == there == -np.inf:
        arguments.refuse("outputs", outputs, "possible for the answers or for the neighbour's")
    return here - there


def _kinds(outputs, variant):
    """Which outputs are positive, and the numbers released with them."""
    flags = np.array([isinstance(output, bool | np.bool_) for output in outputs], dtype=bool)
    released = [output for output, flag in zip(outputs, flags, strict=True) if not flag]
    if not variant.releases_numbers:
        if released:
            arguments.refuse("outputs", released[0], f"True or False for each query of {variant.name}")
        return np.array(outputs, dtype=bool), None
    if any(output for output, flag in zip(outputs, flags, strict=True) if flag):
        arguments.refuse("outputs", True, f"False or a number for each query of {variant.name}")
    return ~flags, arguments.array("outputs", released)


def _possible(positive, total, cutoff, variant):
    """Whether a run over `total` queries can end where these outputs end."""
    found = np.count_nonzero(positive)
    if variant.stops_at_cutoff and found >= cutoff:
        return found == cutoff and positive[-1] and positive.size <= total
    return positive.size == total


def _log_round(answers, thresholds, positive, ceilings, scales, variant):
    """ln of the probability of the comparisons of one round, given as a table with one row each."""
    below, above = positive == 0, (positive == 1) & (not variant.releases_compared_answer)
    gap, ceiling = answers - thresholds, ceilings.min()
    if scales.query == 0:
        floor, ceiling = gap[below].max(initial=-np.inf), gap[above].min(initial=ceiling)
        return log_mass(floor / scales.threshold, ceiling / scales.threshold)
    log_factors, kinks = side_factors(gap[below], gap[above], scales.query)
    if variant.noise_inside_absolute:
        log_factors, kinks = absolute_factors(answers, thresholds, below, above, scales.query)
    kinks = np.append(kinks, 0.0)
    block = 1 + BLOCK // kinks.size

    def log_f(z):
        parts = [log_factors(z[start : start + block]) for start in range(0, z.size, block)]
        return log_density(z, scales.threshold) + np.concatenate(parts)

    return log_integral(log_f, kinks, scales.threshold, scales.query, ceiling)


def log_density(distance, scale):
    """ln of the density of Laplace noise of this scale at `distance` from its centre."""
    return -np.abs(distance) / scale - np.log(2 * scale)


def log_cdf(x):
    """ln Pr[Z <= x] for Laplace noise Z of scale 1, entry by entry; at -x it is the log of the upper tail."""
    left = -np.abs(x)
    log_f = np.log1p(-np.exp(left) / 2)
    np.copyto(log_f, left - LOG_2, where=x < 0)
    return log_f


def log_mass(low, high):
    """ln Pr[low < Z < high] for Laplace noise Z of scale 1, entry by entry; -inf where low >= high."""
    low, high = np.broadcast_arrays(np.asarray(low, dtype=float), np.asarray(high, dtype=float))
    low, high = np.where(low > 0, -high, low), np.where(low > 0, -low, high)  # mirrored to the left: nothing cancels
    with np.errstate(divide="ignore", invalid="ignore"):
        one_side = high - LOG_2 + np.log(-np.expm1(np.minimum(low - high, 0)))
        both_sides = np.log(-np.expm1(np.minimum(low, 0)) - np.expm1(-np.maximum(high, 0))) - LOG_2
    return np.where(low < high, np.where(high <= 0, one_side, both_sides), -np.inf)[()]


def side_factors(below, above, scale):
    """ln of the product of Pr[noise < z - below] and Pr[noise >= z - above], as a function of z, and its kinks.

    `below` and `above` hold, for the queries with that outcome, the answer less the threshold.
    """
    (below, times_below), (above, times_above) = (np.unique(side, return_counts=True) for side in (below, above))
    kinks, times = np.append(below, above), np.append(times_below, times_above)
    towards = np.repeat([1, -1], [below.size, above.size]) / scale

    def log_factors(z):
        return log_cdf((z[:, None] - kinks) * towards) @ times

    return log_factors, kinks


def absolute_factors(answers, thresholds, below, above, scale):
    """The same where |answer + noise| meets the noisy threshold: the noise is inside the absolute value."""
    size = np.abs(answers) / scale

    def log_factors(z):
        level = (z[:, None] + thresholds) / scale
        log_below = log_mass(-level - size, level - size)
        near = np.log1p(-np.exp(log_mass(-level - size, np.minimum(level - size, 0))))
        far = np.logaddexp(size - level, -size - level) - LOG_2
        return log_below[:, below].sum(axis=1) + np.where(level > size, far, near)[:, above].sum(axis=1)

    return log_factors, np.concatenate([np.abs(answers) - thresholds, -thresholds])


def log_integral(log_f, kinks, scale, kink_scale, ceiling):
    """ln of the integral of exp(log_f), a concave function smooth between its kinks, over z < ceiling.

    To about 1e-12, or to the rounding of log_f where that is more. The width over which log_f turns is `kink_scale` at
    a kink, and `scale` (any of the right order) elsewhere.
    """
    peak, top = _peak(log_f, kinks, scale, ceiling)
    reach = scale * 2.0 ** np.arange(-60, 60)
    low, high = (_first(z, log_f(z) < top - DROP) for z in (peak - reach, np.minimum(peak + reach, ceiling)))
    edges = np.unique(np.concatenate([np.linspace(low, high, 17), [peak], kinks[(kinks > low) & (kinks < high)]]))
    left, right, near = edges[:-1], edges[1:], 36 * kink_scale
    wide = right - left > 2 * near  # a panel so wide would step over what happens at its ends
    edges = np.sort(np.concatenate([edges, left[wide] + near, right[wide] - near]))
    tolerance = 1e-13 + 16 * np.finfo(float).eps * abs(top)
    return top + np.log(_area(lambda z: np.exp(log_f(z) - top), edges[:-1], edges[1:], tolerance))


def _peak(log_f, kinks, scale, ceiling):
    """Where a concave function is highest, to within about 1, and its height there."""
    outside = scale * 2.0 ** np.arange(-10, 60)
    z = np.concatenate([kinks.min() - outside, [kinks.min(), kinks.max()], kinks.max() + outside])
    z = np.unique(np.minimum(z, ceiling))
    for _ in range(100):
        heights = log_f(z)
        best = int(np.argmax(heights))
        left, right = max(best - 1, 0), min(best + 1, z.size - 1)
        if heights[best] - min(heights[left], heights[right]) < 0.5:
            break
        z = np.linspace(z[left], z[right], 17)  # concave: the peak lies beside the best point of any grid
    return z[best], heights[best]


def _first(z, condition):
    """The first z where the condition holds, else the last one."""
    return z[np.argmax(condition)] if condition.any() else z[-1]


def _area(f, left, right, tolerance):
    """The integral of f over the panels, each halved until its value and that of its halves agree."""
    done, whole = 0.0, _gauss(f, left, right)
    for halving in range(50):
        middle = (left + right) / 2
        halves = _gauss(f, np.append(left, middle), np.append(middle, right)).reshape(2, -1)
        both = halves.sum(axis=0)
        rough = (np.abs(both - whole) > tolerance * (done + both.sum())) & (halving < 49)
        done += both[~rough].sum()
        if not rough.any():
            break
        left, right = np.append(left[rough], middle[rough]), np.append(middle[rough], right[rough])
        whole = halves[:, rough].ravel()
    return done


def _gauss(f, left, right):
    """The integral of f over each panel, by the Gauss-Legendre rule with six nodes."""
    half = (right - left) / 2
    z = (left + right) / 2 + half * NODES[:, None]
    return half * (WEIGHTS @ f(z.ravel()).reshape(z.shape))
