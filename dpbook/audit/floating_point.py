"""Laplace noise as computers add it, and what its gaps give away: NOT private, kept to be attacked.

A uniform number on a grid has few values, so the noise made from it has few, and so has the release. Which ones depends
on the true value. An output that only one of two neighbours can give settles the matter, whatever epsilon.
Source: beyond the seeds; I. Mironov, On significance of the least significant bits for differential privacy, 2012.
Notebook: 21_audit.
"""

import math

import numpy as np

from dpbook import arguments
from dpbook.laplace import noise_scale
from dpbook.verdict import Law


def round_to_bits(numbers, bits):
    """Each number rounded to the nearest one with a significand of `bits` binary digits (double precision has 53)."""
    significand, exponent = np.frexp(arguments.array("numbers", numbers))
    return np.ldexp(np.round(significand * 2.0**bits), exponent - bits)


def leaky_laplace_law(value, sensitivity, bits, epsilon):
    """All that the textbook's Laplace noise gives in arithmetic of `bits` bits: a `Law` of outputs. NOT private.

    Noise = a random sign x scale x -ln(U), U uniform on 1/2^bits, 2/2^bits, ..., 1, each step rounded to `bits` bits.
    Its privacy loss is infinite: some outputs betray `value`. Outputs ascend; their probabilities add up to 1.
    Raises ValueError for a value that is not a finite number, bits outside 2..20, and as `laplace_mechanism`.
    Source: Mironov 2012.  Notebook: 21_audit.
    """
    value = arguments.number("value", value)
    bits = arguments.whole("bits", bits, 2, 20)
    noise = _noise(np.arange(1, 2**bits + 1), noise_scale(sensitivity, epsilon), bits)
    outputs, times = np.unique(round_to_bits(value + np.concatenate([noise, -noise]), bits), return_counts=True)
    return Law(outputs, times / times.sum())


def leaky_laplace(value, sensitivity, bits, epsilon, rng, *, size=None):
    """Release `value` (a float, or an array of `size`) as likely as in `leaky_laplace_law`. NOT private: see there.

    Raises ValueError as `leaky_laplace_law`. Source: Mironov 2012.  Notebook: 21_audit.
    """
    value = arguments.number("value", value)
    bits = arguments.whole("bits", bits, 2, 20)
    scale, generator = noise_scale(sensitivity, epsilon), arguments.generator("rng", rng)
    noise = _noise(generator.integers(1, 2**bits, size, endpoint=True), scale, bits)
    noisy = round_to_bits(value + generator.choice([-1, 1], size) * noise, bits)
    return noisy if size is not None else float(noisy)


def _noise(steps, scale, bits):
    """The size of the noise for U = steps / 2^bits, each operation rounded."""
    logs = round_to_bits(-np.log(np.asarray(steps) / 2.0**bits), bits)
    return round_to_bits(scale * logs, bits) + 0.0


def betrayed(first, second):
    """The probability that an output of the `Law` `first` is impossible under `second`; their events are outputs.

    Raises ValueError for outputs and probabilities of different lengths.
    Notebook: 21_audit.
    """
    for name, (outputs, probabilities) in (("first", first), ("second", second)):
        if len(outputs) != len(probabilities):
            arguments.refuse(name, (len(outputs), len(probabilities)), "outputs with one probability each")
    return float(np.sum(np.asarray(first[1])[~np.isin(first[0], second[0])]))


def can_come_from(outputs, value, scale):
    """Whether numpy's Laplace generator, in full double precision, can turn `value` into each of `outputs`.

    numpy draws U, a multiple of 2^-53, and returns scale x ln(2U) below one half, -scale x ln(2 - 2U) above. Here the
    few U that could have given an output are tried out. False means impossible: the output came from another value.
    Raises ValueError for outputs or a value that are not finite, or a scale that is not above 0.
    Source: Mironov 2012.  Notebook: 21_audit.
    """
    outputs = arguments.array("outputs", outputs)
    value, scale = arguments.number("value", value), arguments.positive("scale", scale)
    half = np.exp(-np.abs(outputs - value) / scale) / 2
    near = np.round(half[..., None] * 2.0**53) + np.arange(-8, 9)  # U in units of 2^-53, and its neighbours
    low = np.clip(near, 1, 2.0**52 - 1) * 2.0**-53
    high = np.clip(2.0**53 - near, 2.0**52, 2.0**53 - 1) * 2.0**-53
    made = np.concatenate([value + scale * _log(low + low), value - scale * _log(2 - high - high)], axis=-1)
    return np.any(made == outputs[..., None], axis=-1)


def _log(numbers):
    """The C library's logarithm, the one that numpy's generators use (numpy.log may differ in the last bit)."""
    return np.vectorize(math.log, otypes=[float])(numbers)
