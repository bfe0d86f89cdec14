"""ALP in loops that read like the source's algorithms: one entry, one level, one bit at a time.

`dpbook.alp.mechanism` does the same for millions of bits at once; tests hold them together.
Source: 003 Algorithms 2 to 5.  Notebook: 20_alp.
"""

import math

import numpy as np

from dpbook import arguments
from dpbook.alp.mechanism import coins, table_levels
from dpbook.alp.sketch import Sketch, hashed, read_bits, sparse_entries


def plain_alp_projection(x, alpha, beta, buckets, epsilon, rng):
    """What `alp_projection` releases, with epsilon-DP for vectors at L1 distance at most 1 (add/remove); slow.

    Same arguments and errors. The same sketch from the same random numbers, up to 262,144 bits;
    beyond, `alp_projection` flips them in parts.
    Source: 003 Algorithms 2 and 4.  Notebook: 20_alp.
    """
    keys, values, d = sparse_entries(x)
    levels = table_levels(alpha, beta, buckets, epsilon)
    seed = int(arguments.generator("rng", rng).integers(2**62))  # public, and blind to the data
    table = np.zeros((levels, buckets), dtype=bool)
    for key, value, rounding in zip(keys, values, rng.random(values.size), strict=True):
        ones = math.floor(min(value * epsilon / alpha + rounding, levels))  # rounded at random
        bucket = hashed(key, np.arange(levels), buckets, seed)  # of this entry, on each level
        for level in range(ones):
            table[level, bucket[level]] = True  # whatever was there: ones win
    noisy = table ^ coins(table.shape, 1 / (alpha + 2), rng)  # all flips together spend epsilon
    bits = np.packbits(noisy, axis=1, bitorder="little")
    return Sketch(bits, d, buckets, float(alpha), float(beta), float(epsilon), seed)


def plain_alp_estimate(sketch, index):
    """The estimate of the entry `index` of x, in the unit of x, as `alp_estimate` gives it; costs no privacy.

    A walk over the entry's bits, with the source's steps. Raises ValueError for an index that is
    not whole or not within 0 ... d - 1.
    Source: 003 Algorithms 3 and 5.  Notebook: 20_alp.
    """
    index = arguments.whole("index", index, 0, sketch.d - 1)
    bits = read_bits(sketch, np.array([index]), np.arange(sketch.levels))[:, 0]
    height, top, tops = 0, 0, [0]  # position 0 is before the first bit
    for position, bit in enumerate(bits, start=1):
        height += 1 if bit else -1
        if height > top:
            top, tops = height, [position]
        elif height == top:
            tops.append(position)
    return sketch.alpha / sketch.epsilon * float(np.mean(tops))
