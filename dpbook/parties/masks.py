"""Masks and shares modulo m: what each server sees is uniform, and the sum comes out right. Nothing here is noise.

Source: beyond the seeds; Bonawitz and others 2017; Shamir 1979; Corrigan-Gibbs, Boneh 2017.  Notebook: 29_parties.
"""

import numpy as np

from dpbook import arguments

LARGEST = 2**40  # of a modulus: sums of a million reports stay whole in 64 bits
LARGEST_PRIME = 2**31  # products of two residues stay whole in 64 bits


def pairwise_masks(parties, length, modulus, rng):
    """Masks that cancel: parties i < j share a uniform number, which i adds and j subtracts. No privacy of the sum.

    Returns whole numbers (parties, length), 0 to `modulus` - 1, whose columns are 0 modulo `modulus`. Any all but one
    of the rows are uniform. One generator plays the keys that each two parties would agree on.
    Raises ValueError for parties or a length below 1, or a modulus that is not whole, from 2 to 2**40.
    Source: Bonawitz and others 2017, section 4.  Notebook: 29_parties.
    """
    parties, length = arguments.whole("parties", parties, 1), arguments.whole("length", length, 1)
    modulus, rng = checked_modulus(modulus), arguments.generator("rng", rng)
    masks = np.zeros((parties, length), dtype=np.int64)
    for party in range(parties - 1):
        shared = rng.integers(modulus, size=(parties - 1 - party, length))
        masks[party] += shared.sum(axis=0)
        masks[party + 1 :] -= shared
    return masks % modulus


def masked(values, modulus, rng):
    """What each party sends: its value and its mask, modulo m. All reports together tell the sum, and nothing else.

    Not differentially private: the sum is exact, and whoever knows all values but one reads off the last. `values` are
    whole numbers, one a party or a row of them. Returns whole numbers of that shape, from 0 to `modulus` - 1.
    Raises ValueError for values that are not whole or none, and as `pairwise_masks` does.
    Source: Bonawitz and others 2017, section 4.  Notebook: 29_parties.
    """
    values = whole_rows("values", values)
    masks = pairwise_masks(len(values), values[0].size, modulus, rng)
    return (values % modulus + masks.reshape(values.shape)) % modulus


def modular_sum(reports, modulus, lowest):
    """The sum of masked reports, decoded into the window from `lowest` to `lowest` + m - 1; a row gives an array.

    Post-processing. Right where the true sum, with its noise, lies in that window; else wrong by a multiple of m.
    Raises ValueError for reports that are not whole or none, a modulus not from 2 to 2**40, or a lowest not whole.
    Source: Bonawitz and others 2017.  Notebook: 29_parties.
    """
    reports, modulus = whole_rows("reports", reports), checked_modulus(modulus)
    lowest = arguments.whole("lowest", lowest, -LARGEST, LARGEST)
    total = lowest + ((reports % modulus).sum(axis=0) - lowest) % modulus
    return total if total.ndim else int(total)


def additive_shares(values, servers, modulus, rng):
    """Split each value into `servers` numbers that add up to it modulo m; any all but one of them are uniform.

    One honest server keeps the values secret; any server can move the result. Not differentially private: the sum is
    exact. Returns whole numbers of shape (servers, *values.shape).
    Raises ValueError for values that are not whole or none, servers below 1, or a modulus not from 2 to 2**40.
    Source: Corrigan-Gibbs, Boneh 2017, section 3.  Notebook: 29_parties.
    """
    values, servers = whole_rows("values", values), arguments.whole("servers", servers, 1)
    modulus, rng = checked_modulus(modulus), arguments.generator("rng", rng)
    shares = rng.integers(modulus, size=(servers - 1, *values.shape))
    return np.concatenate([shares, ((values - shares.sum(axis=0)) % modulus)[None]])


def shamir_shares(secret, threshold, parties, prime, rng):
    """Split a secret so that any `threshold` of the parties have it, and fewer have nothing: points of a polynomial.

    Returns the shares of the places 1, ..., `parties`, whole numbers from 0 to `prime` - 1.
    Raises ValueError for a secret outside 0..prime - 1, or parties outside threshold..prime - 1. Also raises it for a
    threshold below 1, or a `prime` that is not prime or is above 2**31.
    Source: Shamir 1979.  Notebook: 29_parties.
    """
    prime = _prime(prime)
    secret = arguments.whole("secret", secret, 0, prime - 1)
    threshold = arguments.whole("threshold", threshold, 1)
    parties = arguments.whole("parties", parties, threshold, prime - 1)
    coefficients = [secret, *arguments.generator("rng", rng).integers(prime, size=threshold - 1).tolist()]
    return np.array([_polynomial(coefficients, place, prime) for place in range(1, parties + 1)], dtype=np.int64)


def shamir_secret(places, shares, prime):
    """The secret from the shares of as many places as its threshold, or more: the polynomial's value at 0.

    With fewer the answer is some number, and tells nothing. Raises ValueError for places that are not different whole
    numbers in 1..prime - 1, or none at all. Also raises it for shares that are not one whole number in 0..prime - 1 a
    place, or a `prime` that `shamir_shares` refuses.
    Source: Shamir 1979 (Lagrange).  Notebook: 29_parties.
    """
    prime = _prime(prime)
    places, shares = arguments.integers("places", places), arguments.integers("shares", shares)
    if places.ndim != 1 or not places.size or len(set((places % prime).tolist()) - {0}) != places.size:
        arguments.refuse("places", places.tolist(), "different whole numbers, at least one, and none of them 0")
    if places.min() < 1 or places.max() >= prime:
        arguments.refuse("places", places.tolist(), f"whole numbers from 1 to prime - 1 = {prime - 1}")
    if shares.shape != places.shape or shares.min() < 0 or shares.max() >= prime:
        arguments.refuse("shares", shares.tolist(), f"one number from 0 to prime - 1 for each of {places.size} places")
    total = 0
    for place, share in zip(places.tolist(), shares.tolist(), strict=True):
        factor = share
        for other in places.tolist():
            if other != place:
                factor = factor * other * pow(other - place, -1, prime) % prime
        total += factor
    return total % prime


def bits_proved(row, challenge, prime):
    """Whether a row passes for bits at a random `challenge` r: sum of r^i x_i (x_i - 1) = 0 modulo `prime`, i from 0.

    A toy of Prio's proof, which checks this on shares and shows the servers nothing else. Entries count modulo `prime`.
    Bits pass always; a row with another entry passes at as many challenges as the polynomial has roots: fewer than it
    has entries.
    Raises ValueError for a row that is not a list of whole numbers, or a challenge outside 0..prime - 1. Also raises it
    for a `prime` that is not prime or is above 2**31.
    Source: Corrigan-Gibbs, Boneh 2017, section 4, much simplified.  Notebook: 29_parties.
    """
    prime, row = _prime(prime), arguments.integers("row", row)
    if row.ndim != 1 or not row.size:
        arguments.refuse("row", row.tolist(), "a list of at least one whole number")
    challenge = arguments.whole("challenge", challenge, 0, prime - 1)
    return _polynomial([x * (x - 1) for x in row.tolist()], challenge, prime) == 0


def whole_rows(name, values):
    """Whole numbers, one for each party or a row of them."""
    values = arguments.integers(name, values)
    if values.ndim not in (1, 2) or not values.size:
        arguments.refuse(name, f"shape {values.shape}", "whole numbers, one a party or a row of them, at least one")
    return values


def checked_modulus(modulus):
    """A modulus from 2 to 2**40."""
    return arguments.whole("modulus", modulus, 2, LARGEST)


def _polynomial(coefficients, place, prime):
    """Its value modulo the prime, the constant first."""
    value = 0
    for coefficient in reversed(coefficients):
        value = (value * place + coefficient) % prime
    return value


def _prime(prime):
    prime = arguments.whole("prime", prime, 2, LARGEST_PRIME)
    if any(prime % factor == 0 for factor in range(2, int(prime**0.5) + 1)):
        arguments.refuse("prime", prime, "a prime number")
    return prime
