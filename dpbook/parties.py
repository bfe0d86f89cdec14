"""A sum of numbers that are clipped to public bounds, with Laplace noise: replace it by the chapter's own mechanisms.

Source: 004 section 2.3.  Notebook: 29_parties.
"""

import math

import numpy as np

from dpbook import arguments
from dpbook.laplace import laplace_mechanism


def noisy_total(values, high, epsilon, rng):
    """Release the sum of `values`, each clipped to [0, high], with epsilon-DP (add/remove one record).

    `values` is a list of finite numbers, which may be empty; one record moves the sum by at most `high`, in the units
    of the values. Returns a float. Raises ValueError for values that are not finite, or a high or epsilon not above 0.
    Source: 004 section 2.3, Theorem 2.15.  Notebook: 29_parties.
    """
    clipped = np.clip(arguments.array("values", values), 0, arguments.positive("high", high))
    return laplace_mechanism(clipped.sum(), high, epsilon, rng)


def total_error(high, epsilon, confidence):
    """How far off `noisy_total` is at most, with this probability, in the units of the values; not private, not random.

    Exact for the noise; what clipping takes away is not in it. Raises ValueError for a confidence not strictly between
    0 and 1, or a high or epsilon not above 0.
    Source: the Laplace distribution.  Notebook: 29_parties.
    """
    scale = arguments.positive("high", high) / arguments.positive("epsilon", epsilon)
    return -scale * math.log(1 - arguments.probability("confidence", confidence))
