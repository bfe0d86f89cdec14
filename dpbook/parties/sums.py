"""Secure sums: each party adds its share of the noise and its mask; the server has the noisy sum, and nothing else.

Source: beyond the seeds; Bonawitz and others 2017; Goryczka, Xiong 2017.  Notebook: 29_parties.
"""

import numpy as np

from dpbook import arguments
from dpbook.parties.masks import LARGEST, masked, modular_sum
from dpbook.parties.noise import geometric_share


def secure_sum(values, most, honest, modulus, epsilon, rng):
    """Release the sum of the parties' values with epsilon-DP (replace), against the server and all but `honest` others.

    Each cuts its value to 0..`most`, adds a `geometric_share` for `honest` parties, and masks. With more honest parties
    than planned the noise is wider and epsilon stays; with fewer the loss is larger: `geometric_share_loss`. `values`
    are whole numbers, one a party. Returns an int, in the window of m numbers about 0..parties x most; noise that
    leaves it wraps around.
    Raises ValueError for values that are not a list of whole numbers, a most below 1, or honest outside 1..parties.
    Also raises it for a modulus not above parties x most or beyond 2**40, or a bad epsilon.
    Source: Goryczka, Xiong 2017; Bonawitz and others 2017.  Notebook: 29_parties.
    """
    values, most = _values("values", values), arguments.whole("most", most, 1)
    honest = arguments.whole("honest", honest, 1, values.size)
    highest = values.size * most
    modulus = _above(modulus, highest)
    noisy = np.clip(values, 0, most) + geometric_share(honest, most, epsilon, rng, size=values.size)
    lowest = -((modulus - highest) // 2)
    return modular_sum(masked(noisy, modulus, rng), modulus, lowest)


def secure_histogram(choices, bins, honest, modulus, epsilon, rng):
    """Release how many parties chose each bin with epsilon-DP (replace), against the server and all but `honest`.

    Each sends a row with one 1, with shares of noise in each bin and masks. Another choice moves two bins by 1: the
    shares are for epsilon / 2. `choices` are whole numbers from 0 to `bins` - 1. Returns an int64 array (bins,).
    Raises ValueError for choices outside that range, bins below 2, honest outside 1..parties, a modulus not above
    parties or beyond 2**40, or a bad epsilon.
    Source: as `secure_sum`.  Notebook: 29_parties.
    """
    choices, bins = _values("choices", choices), arguments.whole("bins", bins, 2)
    if choices.min() < 0 or choices.max() >= bins:
        arguments.refuse("choices", choices.tolist(), f"whole numbers from 0 to bins - 1 = {bins - 1}")
    honest = arguments.whole("honest", honest, 1, choices.size)
    modulus = _above(modulus, choices.size)
    share = geometric_share(honest, 1, arguments.positive("epsilon", epsilon) / 2, rng, size=(choices.size, bins))
    noisy = (choices[:, None] == np.arange(bins)) + share
    return modular_sum(masked(noisy, modulus, rng), modulus, -((modulus - choices.size) // 2))


def bare_threshold(counts, threshold):
    """BROKEN: the places and counts of the bins that at least `threshold` people are in, without noise. Infinity.

    "At least k people" under add/remove and replace: k people against k - 1 tell with certainty. Returns an int64 array
    with a row (place, count) for each bin that comes out. Raises ValueError for counts that are not a list of whole
    numbers of at least 0, or a threshold below 1.
    Source: folklore; STAR (Davidson and others 2022) says that it is not differentially private.  Notebook: 29_parties.
    """
    counts, threshold = _values("counts", counts), arguments.whole("threshold", threshold, 1)
    if counts.min() < 0:
        arguments.refuse("counts", counts.tolist(), "whole numbers of at least 0")
    places = np.flatnonzero(counts >= threshold)
    return np.column_stack([places, counts[places]]).astype(np.int64)


def _values(name, values):
    values = arguments.integers(name, values)
    if values.ndim != 1 or not values.size:
        arguments.refuse(name, f"shape {values.shape}", "a list of whole numbers, at least one")
    return values


def _above(modulus, highest):
    if arguments.whole("modulus", modulus, 2, LARGEST) <= highest:
        arguments.refuse("modulus", modulus, f"above the largest possible sum, {highest}")
    return modulus
