"""How many of a stretch of numbers are small, and what they add up to: for many stretches at once, in log n steps each.

A wavelet matrix sorts the ranks of the numbers by one binary digit after the other, the highest first. Prefix sums are
kept after each digit. Nothing here is private, and nothing is released: the partitions are chosen from it.
Source: our own; the costs are those of 004 section 4.3.3.  Notebook: 09_partitions.
"""

from typing import NamedTuple

import numpy as np


class Ranks(NamedTuple):
    """The numbers in order of size, and for each binary digit of their ranks where the zeros go, and prefix sums."""

    sorted_values: np.ndarray
    zeros: list
    prefixes: list


def rank(values):
    """The `Ranks` of a vector of n numbers: n log n steps, once."""
    order = np.argsort(values, kind="stable")
    ranks, prefixes, zeros = np.empty(order.size, dtype=np.intp), [], []
    ranks[order] = np.arange(order.size)
    for digit in reversed(range(order.size.bit_length())):
        low = (ranks >> digit) & 1 == 0
        zeros.append(np.concatenate([[0], np.cumsum(low)]))
        ranks = np.concatenate([ranks[low], ranks[~low]])
        prefixes.append(np.concatenate([[0.0], np.cumsum(values[order][ranks])]))
    return Ranks(values[order], zeros, prefixes)


def below(ranks, left, right, threshold):
    """How many of the numbers left ... right - 1 are among the `threshold` smallest of all, and their sum: arrays."""
    count, total = np.zeros(np.shape(left), dtype=np.intp), np.zeros(np.shape(left))
    for level, (zeros, prefix) in enumerate(zip(ranks.zeros, ranks.prefixes, strict=True)):
        low_left, low_right = zeros[left], zeros[right]
        high = (threshold >> (len(ranks.zeros) - 1 - level)) & 1 == 1
        count += np.where(high, low_right - low_left, 0)
        total += np.where(high, prefix[low_right] - prefix[low_left], 0)
        left = np.where(high, zeros[-1] + left - low_left, low_left)
        right = np.where(high, zeros[-1] + right - low_right, low_right)
    return count, total


def smallest(ranks, left, right, many):
    """The sum of the `many` smallest of the numbers left ... right - 1, and the next one in order: arrays."""
    total, place = np.zeros(np.shape(left)), np.zeros(np.shape(left), dtype=np.intp)
    for level, (zeros, prefix) in enumerate(zip(ranks.zeros, ranks.prefixes, strict=True)):
        low_left, low_right = zeros[left], zeros[right]
        high = many >= low_right - low_left
        total += np.where(high, prefix[low_right] - prefix[low_left], 0)
        many = np.where(high, many - (low_right - low_left), many)
        place += high.astype(np.intp) << (len(ranks.zeros) - 1 - level)
        left = np.where(high, zeros[-1] + left - low_left, low_left)
        right = np.where(high, zeros[-1] + right - low_right, low_right)
    return total, ranks.sorted_values[place]
