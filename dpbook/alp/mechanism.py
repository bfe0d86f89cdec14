"""The ALP mechanism: a sparse vector with large entries in a small table of noisy bits, each entry read on its own.

ALP is short for approximate Laplace projection. Neighbours here are vectors at L1 distance at most 1, such as two
histograms of which one has a record more (add/remove).
Source: 003, with the corrections that the notebook shows.  Notebook: 20_alp.
"""

import itertools
import math

import numpy as np

from dpbook import arguments
from dpbook.alp.sketch import Sketch, ThresholdRelease, hashed, read_bits, sparse_entries

MOST_BITS = 2**33  # a gigabyte: a larger table is a slip of the pen
KEYS, LEVELS = 1_024, 64  # read at once: such a block stays in the processor's cache


def alp_projection(x, alpha, beta, buckets, epsilon, rng):
    """Release a `Sketch` of x with epsilon-DP, for vectors at L1 distance at most 1 (add/remove).

    `x` holds d numbers, none below 0: a list, or (indices, values, d) with the entries that are
    not 0. An entry becomes ceil(beta epsilon / alpha) bits, one a level: the first
    x epsilon / alpha of them, rounded at random, are 1. On level b a public hash function puts
    them into `buckets` places, where ones win. Then each bit of the table is flipped with
    probability 1 / (alpha + 2). Entries above `beta`, in the unit of x, count as beta.
    Raises ValueError for an x that is not as said, or an alpha, beta or epsilon that is not a
    finite number above 0. Also for `buckets` not whole or below 1, or a table of more than 2**33
    bits.
    Source: 003 Algorithms 2 and 4.  Notebook: 20_alp.
    """
    keys, values, d = sparse_entries(x)
    levels = table_levels(alpha, beta, buckets, epsilon)
    seed = int(arguments.generator("rng", rng).integers(2**62))  # public, and blind to the data
    heights = np.minimum(np.floor(values * epsilon / alpha + rng.random(values.size)), levels)
    tallest = np.argsort(-heights)
    heights, keys = heights[tallest], keys[tallest]
    bits, parts = [], min(levels, math.ceil(levels * buckets / 2**18))  # 262,144 bits at a time
    for block in np.array_split(np.arange(levels), parts):
        table = np.zeros((block.size, buckets), dtype=bool)
        reach = np.searchsorted(-heights, -block[:1])[0]  # the keys with a bit above this level
        rows, entries = np.nonzero(heights[:reach] > block[:, None])
        table[rows, hashed(keys[entries], block[rows], buckets, seed)] = True
        table ^= coins(table.shape, 1 / (alpha + 2), rng)  # all levels together spend epsilon
        bits.append(np.packbits(table, axis=1, bitorder="little"))
    return Sketch(np.concatenate(bits), d, buckets, float(alpha), float(beta), float(epsilon), seed)


def table_levels(alpha, beta, buckets, epsilon):
    """How many levels the table has, ceil(beta epsilon / alpha).

    Raises ValueError as `alp_projection` does.
    """
    ratio = arguments.positive("beta", beta) * arguments.positive("epsilon", epsilon)
    ratio = arguments.positive("beta epsilon / alpha", ratio / arguments.positive("alpha", alpha))
    if math.ceil(ratio) * arguments.whole("buckets", buckets, 1) > MOST_BITS:
        arguments.refuse("buckets", buckets, f"at most 2**33 bits over {math.ceil(ratio)} levels")
    return math.ceil(ratio)


def coins(shape, chance, rng):
    """Booleans, each True with probability `chance`: one random byte, and a float in 1 of 256 cases."""
    sure, rest = divmod(256 * chance, 1)
    size = math.prod(shape)
    thrown = rng.integers(2**64 - 1, size=-(-size // 8), dtype=np.uint64, endpoint=True).view(np.uint8)[:size]
    heads = thrown < sure
    undecided = np.flatnonzero(thrown == sure)
    heads[undecided] = rng.random(undecided.size) < rest
    return heads.reshape(shape)


def alp_estimate(sketch, indices, steps=None, patience=None):
    """The estimates of the entries `indices` of x, in the unit of x: costs no privacy.

    A walk reads the entry's bits level by level: up by 1 at a one, down by 1 at a zero. The
    estimate is alpha / epsilon times the average of all positions, 0 included, where the walk
    stands highest. `steps` is a function of the sketch that gives other steps, as two arrays
    (up, down) with a number a level, such as `likelihood_steps`. With a `patience` a walk is left
    once it stands that much below its top: faster, and the same but for very rare walks.
    Returns floats of the shape of `indices`. Raises ValueError for indices that are not whole or
    not within 0 ... d - 1, or a patience that is not above 0.
    Source: 003 Algorithms 3 and 5.  Notebook: 20_alp.
    """
    keys = arguments.integers("indices", indices)
    if keys.size and (keys.min() < 0 or keys.max() >= sketch.d):
        arguments.refuse("indices", indices, f"whole numbers from 0 to {sketch.d - 1}")
    patience = np.inf if patience is None else arguments.positive("patience", patience)
    up, down = (steps or unit_steps)(sketch)
    parts = [keys.ravel()[start : start + KEYS] for start in range(0, keys.size, KEYS)]
    places = [highest_places(sketch, part, up, down, patience) for part in parts]
    return sketch.alpha / sketch.epsilon * np.concatenate([*places, []]).reshape(keys.shape)


def highest_places(sketch, keys, up, down, patience):
    """For each key the average of the positions where its walk stands highest (see `alp_estimate`).

    A walk is also left when its remaining steps cannot bring it back to its top.
    """
    height, top, total, ties = np.zeros((4, keys.size))
    ties += 1  # position 0, at height 0
    still = np.arange(keys.size)
    for first in range(0, sketch.levels, LEVELS):
        block = np.arange(first, min(first + LEVELS, sketch.levels))
        bits = read_bits(sketch, keys[still], block)
        walk = np.where(bits, up[block, None], down[block, None])
        for before, here in itertools.pairwise(walk):  # np.cumsum(walk, axis=0) in half its time
            here += before
        walk += height[still]
        best = walk.max(axis=0)
        at_best = walk == best
        keep, add = best <= top[still], best >= top[still]
        ties[still] = ties[still] * keep + at_best.sum(axis=0) * add
        total[still] = total[still] * keep + (block + 1.0) @ at_best * add
        top[still], height[still] = np.maximum(top[still], best), walk[-1]
        hope = min(up[block[-1] + 1 :].sum(), patience)
        still = still[top[still] - height[still] <= hope]
    return total / ties


def unit_steps(sketch):
    """The source's steps for `alp_estimate`: up 1 at a one, down 1 at a zero, on every level."""
    return np.ones(sketch.levels), -np.ones(sketch.levels)


def likelihood_steps(sketch):
    """Steps for `alp_estimate` that know how full each level is: the walk is a log likelihood.

    A one counts ln(Pr[1 | the entry's own] / Pr[1 | none of its own]): little where a level is
    nearly full. The fraction of ones on each level, read off the released bits, tells how full it
    is, so this costs no privacy.  Not in the source.  Notebook: 20_alp.
    """
    flip = 1 / (sketch.alpha + 2)
    ones = np.clip(sketch.ones, flip, 1 - flip)  # only chance leads out of these
    return np.log((1 - flip) / ones), np.log(flip / (1 - ones))


def threshold_vector(x, threshold, epsilon, rng):
    """Release which entries of x + Laplace noise reach `threshold`, and their noisy values.

    epsilon-DP for vectors at L1 distance at most 1 (add/remove). Returns (indices, noisy values),
    by ascending index: as likely as with noise on all d entries, in the time of the non-zero ones.
    `x` as in `alp_projection`. Raises ValueError for an x that is not as said, or a threshold or epsilon
    that is not a finite number above 0.
    Source: 003 Algorithm 6, which tests y_i where the noisy v_i is meant.  Notebook: 20_alp.
    """
    keys, values, d = sparse_entries(x)
    scale = 1 / arguments.positive("epsilon", epsilon)
    threshold = arguments.positive("threshold", threshold)
    noisy = values + arguments.generator("rng", rng).laplace(scale=scale, size=keys.size)
    zeros = d - keys.size  # their noise is drawn only where it reaches the threshold
    zeros_above = rng.binomial(zeros, math.exp(-threshold / scale) / 2)
    ranks = rng.choice(zeros, zeros_above, replace=False) if zeros_above else np.empty(0, dtype=int)
    zero_keys = ranks + np.searchsorted(keys - np.arange(keys.size), ranks, side="right")
    indices = np.concatenate([keys[noisy >= threshold], zero_keys])
    excess = rng.exponential(scale, zeros_above)
    values = np.concatenate([noisy[noisy >= threshold], threshold + excess])
    order = np.argsort(indices)  # the order must not tell the zeros from the others
    return indices[order], values[order]


def threshold_vector_as_printed(x, threshold, epsilon, rng):
    """NOT private for any epsilon: which TRUE entries of x reach `threshold`, and their noisy values.

    Which entries are released tells exactly what the data are near the threshold: the loss is infinite. Arguments,
    returned arrays and errors as in `threshold_vector`, which is what is meant.
    Source: 003 Algorithm 6, if its y_i, not defined in our copy, is read as the true x_i.  Notebook: 20_alp.
    """
    keys, values, _ = sparse_entries(x)
    scale = 1 / arguments.positive("epsilon", epsilon)
    noisy = values + arguments.generator("rng", rng).laplace(scale=scale, size=keys.size)
    above = values >= arguments.positive("threshold", threshold)
    return keys[above], noisy[above]


def zero_threshold(d, epsilon):
    """The threshold ln(d / 2) / epsilon: of d zeros with noise Lap(1 / epsilon), on average one reaches it.

    Raises ValueError for a d that is not whole or below 3, or an epsilon that is not a finite
    number above 0.  Source: 003 Lemma 5.2.  Notebook: 20_alp.
    """
    return math.log(arguments.whole("d", d, 3) / 2) / arguments.positive("epsilon", epsilon)


def threshold_alp(x, alpha, buckets, epsilon, rng, *, share=0.5):
    """Release a `ThresholdRelease` of x with epsilon-DP, for vectors at L1 distance at most 1.

    Entries whose noisy value reaches the threshold stand by themselves (`threshold_vector`), a
    sketch with beta = the threshold holds the others. The threshold is
    `zero_threshold(d, share epsilon)`: `share` of epsilon buys the entries, the rest the sketch.
    Arguments and errors are those of `alp_projection`; ValueError too for a `share` that is not
    strictly between 0 and 1.  Source: 003 Algorithm 7.  Notebook: 20_alp.
    """
    entries = sparse_entries(x)
    for_list = arguments.positive("epsilon", epsilon) * arguments.probability("share", share)
    threshold = zero_threshold(entries[2], for_list)
    table_levels(alpha, threshold, buckets, epsilon - for_list)  # raises before anything is spent
    above = threshold_vector(entries, threshold, for_list, rng)
    sketch = alp_projection(entries, alpha, threshold, buckets, epsilon - for_list, rng)
    return ThresholdRelease(*above, sketch)


def threshold_estimate(release, indices, steps=None, patience=None):
    """The estimates from a `ThresholdRelease`: the stored value where there is one, else the walk.

    Arguments, shapes and errors are those of `alp_estimate`. Source: 003 Algorithm 8.
    Notebook: 20_alp.
    """
    estimates = alp_estimate(release.sketch, indices, steps, patience)
    if release.indices.size:
        keys = arguments.integers("indices", indices)
        place = np.minimum(np.searchsorted(release.indices, keys), release.indices.size - 1)
        estimates = np.where(release.indices[place] == keys, release.values[place], estimates)
    return estimates
