"""The same statistic on many parts of the data: their clipped average with noise, or their winner if it is clear.

Source: 004 sections 8.2 and 8.3.  Notebook: 15_stability.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments

ENTRIES = 4_000_000  # memberships drawn at once


class Votes(NamedTuple):
    """The answers of many parts of the data (`votes`, an array), and how many of them one record may have `touched`."""

    votes: np.ndarray
    touched: float


class Plan(NamedTuple):
    """How to subsample: each record is in each of `subsamples` with probability `rate`."""

    rate: float
    subsamples: int


def sample_and_aggregate(values, statistic, bounds, blocks, epsilon, rng):
    """Release the average of a statistic over random blocks with epsilon-DP, under replace and under add/remove.

    `values` are the records (an array, one a row). `statistic` takes some of them and gives a number, which is clipped
    to the public `bounds`. Each record goes to one of `blocks` at random, on its own. One record is in one block and
    moves the average by (high - low) / blocks at most. Where a block is empty, or its number is NaN, the middle of the
    bounds stands in, also where there are no records at all. `blocks` must be public; 004 takes n^0.4. Returns a
    float, which may leave the bounds.
    Raises ValueError for values that are no list, bounds out of order, or blocks below 1.
    Source: 004 Algorithm 19, which forgets to round m.  Notebook: 15_stability.
    """
    low, high = arguments.interval("bounds", bounds)
    epsilon, blocks = arguments.positive("epsilon", epsilon), arguments.whole("blocks", blocks, 1)
    results = _block_numbers(values, statistic, (low + high) / 2, blocks, rng)
    return float(np.clip(results, low, high).mean() + rng.laplace(scale=(high - low) / (blocks * epsilon)))


def unclipped_aggregate(values, statistic, bounds, blocks, epsilon, rng):
    """BROKEN: `sample_and_aggregate` without clipping; claims epsilon-DP under replace; its privacy loss is unlimited.

    What a block gives may lie far outside of `bounds`, and one record may be the cause. Same arguments and errors.
    Source: 004 Algorithm 19 without its one important line.  Notebook: 15_stability.
    """
    low, high = arguments.interval("bounds", bounds)
    epsilon, blocks = arguments.positive("epsilon", epsilon), arguments.whole("blocks", blocks, 1)
    results = _block_numbers(values, statistic, (low + high) / 2, blocks, rng)
    return float(results.mean() + rng.laplace(scale=(high - low) / (blocks * epsilon)))


def block_votes(values, statistic, blocks, rng):
    """What the statistic says of each of some disjoint random blocks: `Votes`, touched = 1; not private.

    `statistic` takes some of the records and gives a number or a word, always of one type; an empty block has no vote.
    One record is in one block, under replace and under add/remove.
    Raises ValueError for values that are no list, or blocks below 1.
    Source: beyond 004; the test is that of its Algorithm 20.  Notebook: 15_stability.
    """
    parts = _parts(values, arguments.whole("blocks", blocks, 1), rng)
    return Votes(np.array([statistic(part) for part in parts if len(part)]), 1.0)


def subsampled_votes(values, statistic, rate, subsamples, rng):
    """What the statistic says of each of some random subsamples: `Votes`, touched = 2 subsamples rate; not private.

    Each record is in each subsample with probability `rate`, and in at most `touched` of them: a record that is in more
    is drawn again. Algorithm 20 of 004 draws all of them again; since records are drawn one by one, that comes to the
    same. An empty subsample has no vote. Replace or add/remove.
    Raises ValueError for values that are no list, a rate outside (0, 1), or subsamples or 2 subsamples rate below 1.
    Source: 004 Algorithm 20, lines 1 to 4.  Notebook: 15_stability.
    """
    values, rate = _records(values), arguments.probability("rate", rate)
    subsamples, rng = arguments.whole("subsamples", subsamples, 1), arguments.generator("rng", rng)
    touched, chunk = 2 * subsamples * rate, max(1, ENTRIES // subsamples)
    if touched < 1:
        arguments.refuse("rate", rate, f"at least 1 / {2 * subsamples}, or no record may be in any subsample")
    inside = np.concatenate([
        _memberships(min(chunk, len(values) - start), rate, subsamples, touched, rng)
        for start in range(0, max(1, len(values)), chunk)  # once for no records
    ])  # fmt: skip
    return Votes(np.array([statistic(values[one]) for one in inside.T if one.any()]), touched)


def vote_distance(votes, touched):
    """The winner of the votes, and (count1 - count2) / (2 touched) - 1, which one record moves by 1 at most.

    Replace or add/remove; not private. If the winner could be another one, it is 0 or less. A tie goes to the first in
    sorted order. Raises ValueError for no votes or a touched that is not a finite number above 0.
    Source: 004 Algorithm 20, lines 5 to 8.  Notebook: 15_stability.
    """
    touched, votes = arguments.positive("touched", touched), arguments.entries("votes", votes)
    if votes.ndim != 1 or votes.size == 0:
        arguments.refuse("votes", votes.tolist(), "a non-empty list of votes")
    votes = votes + 0.0 if votes.dtype.kind == "f" else votes  # of -0.0 and 0.0 a vote could show its own
    kinds, counts = np.unique(votes, return_counts=True)
    second, first = np.sort(np.append(counts, 0))[-2:]
    return kinds[np.argmax(counts)].item(), float(first - second) / (2 * touched) - 1


def stable_mode(votes, touched, epsilon, delta, rng):
    """Release the most frequent vote, exactly, with (epsilon, delta)-DP under replace and add/remove; or None.

    It is released if `vote_distance` and Laplace noise of scale 1 / epsilon exceed ln(1 / delta) / epsilon. One record
    changes `touched` votes at most. Even (epsilon, delta / 2). No votes give None: an error would tell that all
    subsamples were empty. Else it raises ValueError as `vote_distance` does, or for a bad epsilon, delta or rng.
    Source: 004 Algorithm 20; Thakurta and Smith 2013.  Notebook: 15_stability.
    """
    epsilon, delta = arguments.positive("epsilon", epsilon), arguments.probability("delta", delta)
    if np.size(votes) == 0:
        return None
    winner, distance = vote_distance(votes, touched)
    noisy = distance + arguments.generator("rng", rng).laplace(scale=1 / epsilon)  # spends epsilon
    return winner if noisy > math.log(1 / delta) / epsilon else None  # delta: if the neighbour has another winner


def subsampling_plan(size, epsilon, delta, constant=32):
    """The rate and the number of subsamples that Algorithm 20 of 004 takes for `size` records: a `Plan`.

    rate = epsilon / (constant ln(1/delta)), subsamples = ln(size/delta) / rate^2, rounded up. The algorithm prints 32,
    the text after it 64. Privacy does not need it (replace or add/remove, any plan): it is about being released.
    Raises ValueError for a size below 1, a bad epsilon, delta or constant, or a rate of 1 or more.
    Source: 004 Algorithm 20.  Notebook: 15_stability.
    """
    epsilon, delta = arguments.positive("epsilon", epsilon), arguments.probability("delta", delta)
    rate = epsilon / (arguments.positive("constant", constant) * math.log(1 / delta))
    arguments.probability("rate, from epsilon, delta and constant,", rate)
    return Plan(rate, math.ceil(math.log(arguments.whole("size", size, 1) / delta) / rate**2))


def _records(values):
    """Records, one a row; there may be none: an error would tell that somebody was the only one."""
    values = arguments.entries("values", values)
    if values.ndim == 0:
        arguments.refuse("values", values, "a list of records")
    return values


def _parts(values, blocks, rng):
    """The records of each block; each record draws its block on its own."""
    values = _records(values)
    place = arguments.generator("rng", rng).integers(0, blocks, len(values))
    order = np.argsort(place.astype(np.uint16) if blocks <= 2**16 else place, kind="stable")
    return np.split(values[order], np.cumsum(np.bincount(place.astype(np.intp), minlength=blocks))[:-1])


def _block_numbers(values, statistic, middle, blocks, rng):
    parts = _parts(values, blocks, rng)
    results = np.array([statistic(part) if len(part) else middle for part in parts], dtype=float)
    return np.where(np.isnan(results), middle, results)


def _memberships(records, rate, subsamples, touched, rng):
    """Which records are in which subsamples, none in more than `touched`."""
    inside = rng.random((records, subsamples)) < rate
    again = np.flatnonzero(inside.sum(axis=1) > touched)
    while again.size:
        inside[again] = rng.random((again.size, subsamples)) < rate
        again = again[inside[again].sum(axis=1) > touched]
    return inside
