"""The exact privacy loss of ALP: of a move in one entry, and of any two short vectors by all their roundings.

Neighbours are vectors at L1 distance at most 1, unless a function says otherwise.  Source: 003.  Notebook: 20_alp.
"""

import itertools
import math

import numpy as np
from scipy.stats import binom

from dpbook import arguments
from dpbook.alp.sketch import hashed, sparse_entries

MOST_ENTRIES = 12  # `alp_log_probability` goes through all 2**12 roundings


def move_loss(distance, alpha, epsilon):
    """The exact privacy loss of `alp_projection` when ONE entry moves by `distance`, worst case.

    A move of distance epsilon is n whole levels of alpha and a rest r: n ln(1 + alpha) + ln(1 + r).
    That is below distance epsilon, which only a move spread over many entries comes near to.
    `distance` is in the unit of x. Raises ValueError for one that is below 0 or not finite, or an
    alpha or epsilon that is not a finite number above 0.
    Source: 003 Lemma 4.1, which bounds it.  Notebook: 20_alp.
    """
    arguments.nonnegative("distance", distance)
    levels, rest = divmod(distance * arguments.positive("epsilon", epsilon), arguments.positive("alpha", alpha))
    return levels * math.log1p(alpha) + math.log1p(rest)


def one_entry_epsilon(alpha, epsilon):
    """The parameter for `alp_projection` with which a move of 1 in ONE entry has privacy loss `epsilon`.

    With it the sketch of a histogram is epsilon-DP under add/remove, where a record moves one entry
    by 1 (2 epsilon under replace). It is larger than epsilon, so the error is smaller; for vectors
    that differ by small moves in many entries the guarantee would be broken.
    Raises ValueError for an epsilon or alpha that is not a finite number above 0.
    Not in the source: `move_loss` solved for its epsilon.  Notebook: 20_alp.
    """
    alpha = arguments.positive("alpha", alpha)
    levels, rest = divmod(arguments.positive("epsilon", epsilon), math.log1p(alpha))
    return levels * alpha + math.expm1(rest)


def tail_bound(error, alpha, epsilon):
    """The most probability that the estimate of an entry up to beta is off by `error` or more, without collisions.

    Then a highest place of the walk lies at least L = floor(error epsilon / alpha) levels from the true end of the
    ones. On each side the chance of that is at most P(S >= 0) + P(S > 0). S is the sum of L steps, each up with
    probability p = 1 / (alpha + 2), else down. Both sides together are at most 4 (4 p (1 - p))^(L / 2). `error` is in
    the unit of x; a number or an array. Raises ValueError for an error that is not finite numbers, or a bad alpha or
    epsilon.
    Source: Theorem 20.3 of the page; 003 has a bound with the same base, cut short in our copy.  Notebook: 20_alp.
    """
    flip = 1 / (arguments.positive("alpha", alpha) + 2)
    steps = np.maximum(np.floor(arguments.array("error", error) * arguments.positive("epsilon", epsilon) / alpha), 0)
    at_least, above = binom.sf(np.ceil(steps / 2) - 1, steps, flip), binom.sf(np.floor(steps / 2), steps, flip)
    return np.minimum(2 * (at_least + above), 1)


def alp_log_probability(sketch, x):
    """The natural log of the probability that x gives the bits of `sketch`, its hash functions given.

    `x` as in `alp_projection`, with the d of the sketch and at most 12 entries that are not 0: all
    their roundings are gone through. Raises ValueError for any other x.  Notebook: 20_alp.
    """
    keys, values, d = sparse_entries(x)
    if d != sketch.d or keys.size > MOST_ENTRIES:
        arguments.refuse("x", f"{keys.size} of {d}", f"{sketch.d} numbers, at most {MOST_ENTRIES} above 0")
    levels, flip = np.arange(sketch.levels), 1 / (sketch.alpha + 2)
    released = np.unpackbits(sketch.bits, axis=1, count=sketch.buckets, bitorder="little").astype(bool)
    places = hashed(keys[:, None], levels, sketch.buckets, sketch.seed)
    low, part = np.divmod(values * sketch.epsilon / sketch.alpha, 1)
    flips, weights = [], []
    for up in itertools.product((0, 1), repeat=keys.size):
        entry, level = np.nonzero(levels < (low + up)[:, None])
        table = np.zeros_like(released)
        table[level, places[entry, level]] = True
        flips.append(np.count_nonzero(table != released))
        weights.append(np.prod(np.where(up, part, 1 - part)))
    possible = np.array(weights) > 0
    flips, weights = np.array(flips)[possible], np.array(weights)[possible]
    logs = flips * math.log(flip) + (released.size - flips) * math.log1p(-flip)
    return float(logs.max() + math.log(weights @ np.exp(logs - logs.max())))
