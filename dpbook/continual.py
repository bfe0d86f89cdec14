"""Counting a stream while it runs: the binary counter, a counter that survives an intruder, and k counters that keep
a compressed sketch.

Neighbours here are two streams that differ by at most one unit in one item: one event more or less at one time
(event-level, add/remove). A person with m events is protected at up to m epsilon only. Items are numbered by their
time, 1 to T, and T is public. In exact arithmetic; floats make this a teaching tool.
Source: 000 sections 3.3 and 6, appendices C and E.  Notebook: 17_continual.
"""

import math

import numpy as np

from dpbook import arguments
from dpbook.laplace import laplace_mechanism, noise_scale
from dpbook.sparse import (
    Operator,
    generalised_omp,
    haar_basis,
    hadamard_operator,
    measurements,
    noise_length,
    reconstruct,
)

# The tree. Node t, for t = 1 ... T, is the sum of the last lowest_bit(t) items up to time t: one node a time step.


def tree_levels(steps):
    """How many nodes hold the first item, more than any other: 1 + floor(log2 T); public.

    `steps` is T, the length of the stream. Raises ValueError unless it is a whole number of at least 1.
    Source: 000 appendix E (its 1 + log T).  Notebook: 17_continual.
    """
    return arguments.whole("steps", steps, 1).bit_length()


def _lowest_bit(times):
    """The largest power of two that divides each of some times, the number of items in that node; public."""
    return times & -times


def nodes_read(time):
    """The nodes whose sum is the running total at `time`: as many as `time` has ones in binary; public.

    A list of times, the latest first: 13 gives [13, 12, 8], the items 13, 9 to 12 and 1 to 8. Raises
    ValueError unless `time` is a whole number of at least 1.  Notebook: 17_continual.
    """
    time, nodes = arguments.whole("time", time, 1), []
    while time:
        nodes.append(time)
        time -= _lowest_bit(time)
    return nodes


def nodes_holding(item, steps):
    """The nodes of a stream of `steps` items that hold item number `item`, at most `tree_levels(steps)`; public.

    A list of times. Raises ValueError unless 1 <= item <= steps, both whole.  Notebook: 17_continual.
    """
    steps = arguments.whole("steps", steps, 1)
    node, nodes = arguments.whole("item", item, 1, steps), []
    while node <= steps:
        nodes.append(node)
        node += _lowest_bit(node)
    return nodes


def node_sums(stream):
    """The T node sums of a stream of T numbers; not private. One unit in one item moves at most `tree_levels(T)`.

    Entry t - 1 is the sum of the items up to t that node t holds. Raises ValueError unless the stream is a
    non-empty list of finite numbers.  Source: Chan, Shi, Song, 2010.  Notebook: 17_continual.
    """
    totals = np.append(0, np.cumsum(arguments.vector("stream", stream)))
    times = np.arange(1, totals.size)
    return totals[times] - totals[times - _lowest_bit(times)]


def running_totals(nodes):
    """The running totals at times 1 to T from T node sums, true or noisy, in O(T); spends nothing: post-processing.

    Raises ValueError unless `nodes` is a non-empty list of finite numbers.  Notebook: 17_continual.
    """
    totals = np.append(0, arguments.vector("nodes", nodes))
    for level in reversed(range(tree_levels(totals.size - 1))):
        size = 2**level  # the totals at odd multiples of size need one node and a total that is done
        totals[size :: 2 * size] += totals[: totals.size - size : 2 * size]
    return totals[1:]


def binary_counter(stream, epsilon, rng):
    """Release all T running totals of a stream with epsilon-DP (one unit in one item, add/remove).

    `stream` holds T numbers in order of time; `rng` is a numpy Generator. Returns T floats, neither
    rounded nor forced to grow. The release at time t uses the items up to t only, so it can run live.
    It keeps exact sums of unfinished nodes in memory, so it is not pan-private (PanPrivateCounter is).
    Raises ValueError for a stream that is empty or not finite, or an epsilon not above 0.
    Source: Chan, Shi, Song, 2010; the counter of 000 appendix E is another.  Notebook: 17_continual.
    """
    sums = node_sums(stream)
    # Spends epsilon: an item is in at most tree_levels(T) of the T sums. All else is post-processing.
    return running_totals(laplace_mechanism(sums, tree_levels(sums.size), epsilon, rng))


def binary_counter_error(times, steps, epsilon):
    """The exact root mean square error of `binary_counter` at each time: sqrt(2 ones(t)) levels / epsilon; public.

    ones(t) is the number of ones of t in binary. `times` are whole numbers from 1 to `steps` = T, of any
    shape; raises ValueError for others, or an epsilon not above 0.  Notebook: 17_continual.
    """
    times = _times(times, steps)
    ones = sum((times >> level) & 1 for level in range(tree_levels(steps)))
    return np.sqrt(2 * ones) * noise_scale(tree_levels(steps), epsilon)


# The counter of appendix E: at time t it adds the noise of every dyadic segment that holds t, and an initial noise.


def segment_levels(steps):
    """How many dyadic segments, of 1, 2, 4, ... items, hold each item: ceil(log2 T), and 1 for T = 1; public.

    The whole stream is left out. Raises ValueError unless `steps`, T, is a whole number of at least 1.
    Source: 000 appendix E, where a stream of one item has no segment, and its item no cover from an early
    intruder.  Notebook: 17_continual.
    """
    return max(1, (arguments.whole("steps", steps, 1) - 1).bit_length())


def pan_private_counter(stream, epsilon, rng):
    """Release T running totals with epsilon-DP (one unit in one item, add/remove): `PanPrivateCounter` all at once.

    With the same `rng` it returns what `PanPrivateCounter` returns item by item; only the object is
    pan-private, for this function sees the whole stream. Raises ValueError for a stream that is empty
    or not finite, or an epsilon not above 0.  Source: 000 appendix E.  Notebook: 17_continual.
    """
    totals = np.cumsum(arguments.vector("stream", stream))
    height = segment_levels(totals.size)
    starting = sum((np.arange(totals.size) % 2**level == 0).astype(int) for level in range(height))
    first = np.append(1, 1 + np.cumsum(starting))  # where the noise of the segments that start at each step begins
    # Spends epsilon: an item can be hidden by moving the initial noise and one segment a level, by one unit each.
    noise = laplace_mechanism(np.zeros(first[-1]), 1 + height, epsilon, rng)
    for level in range(height):
        totals += np.repeat(noise[first[: -1 : 2**level] + level], 2**level)[: totals.size]
    return totals + noise[0]


class PanPrivateCounter:
    """Count a stream with epsilon-DP and epsilon-pan-privacy against ONE intrusion (one unit in one item, add/remove).

    `add(item, rng)` takes the next item, forgets it, and returns the noisy running total. What the object
    holds is all that an intruder sees: `time`, `noisy_total`, and the noise of the segments under way,
    `segment_noise`. It holds no generator: anyone who sees one may be able to wind it back. Items may
    be arrays of a given `shape`; `sensitivity` is then the largest L1 change of one item. Raises ValueError for
    `steps` not whole or below 1, an epsilon or sensitivity not above 0, and once all steps are used.
    Source: 000 Definition 2, Lemma 3 and appendix E.  Notebook: 17_continual.
    """

    def __init__(self, steps, epsilon, rng, *, sensitivity=1.0, shape=()):
        self.steps, self.time = arguments.whole("steps", steps, 1), 0
        height = segment_levels(steps)
        self.scale = noise_scale(arguments.positive("sensitivity", sensitivity) * (1 + height), epsilon)
        # Spends epsilon once: items before an intrusion hide behind this noise, later ones behind their segments.
        self.noisy_total = arguments.generator("rng", rng).laplace(scale=self.scale, size=shape)
        self.segment_noise = np.zeros((height, *np.shape(self.noisy_total)))

    def add(self, item, rng):
        """The noisy total after one more item, a number or an array of the counter's shape; the item is not kept."""
        if self.time == self.steps:
            arguments.refuse("item", f"item number {self.time + 1}", f"one of {self.steps} items, as promised at first")
        item = arguments.array("item", item, "a finite number, or finite numbers of the counter's shape")
        if item.shape != np.shape(self.noisy_total):
            arguments.refuse("item", item.shape, f"of shape {np.shape(self.noisy_total)}")
        height = len(self.segment_noise)
        starting = min(_lowest_bit(self.time).bit_length(), height) if self.time else height
        noise = arguments.generator("rng", rng).laplace(scale=self.scale, size=(starting, *item.shape))
        self.segment_noise[:starting] = noise
        self.noisy_total = self.noisy_total + item
        self.time += 1
        return self.noisy_total + self.segment_noise.sum(axis=0)


def hiding_shifts(item, intrusion, steps):
    """The proof of pan-privacy, made concrete: how to move the noise of a `PanPrivateCounter` to hide one unit; public.

    If item number `item` grows by 1, moving the noises as returned leaves every output, and the memory
    after `intrusion` items, as they were. Returns (shift of the initial noise, {(level, start): shift});
    segment (level, start) holds items start + 1 to start + 2^level. At most 1 + segment_levels(steps)
    units are moved, which is why that is the sensitivity. Raises ValueError unless 1 <= item <= steps and
    0 <= intrusion <= steps.  Source: 000 Lemma 3, whose proof it leaves to its [23].  Notebook: 17_continual.
    """
    steps = arguments.whole("steps", steps, 1)
    item = arguments.whole("item", item, 1, steps)
    if arguments.whole("intrusion", intrusion, 0, steps) >= item:
        return -1, {segment: 1 for segment in _cover(0, item - 1, steps)}
    return 0, {segment: -1 for segment in _cover(item - 1, 2 ** segment_levels(steps), steps)}


def _cover(start, stop, steps):
    """The fewest segments that make up the items start + 1 to stop, one of them past `steps` if need be."""
    while start < stop:
        level = min((_lowest_bit(start) or 2 ** segment_levels(steps)).bit_length() - 1, segment_levels(steps) - 1)
        while start + 2**level > stop:
            level -= 1
        if start < steps:
            yield level, start
        start += 2**level


# k counters, each over one row of a sampling matrix: a sketch from which the stream so far can be rebuilt.


def haar_prefix(time):
    """The Haar basis for the first `time` items, padded to a power of two: later items are known to be absent; public.

    Raises ValueError unless `time` is a whole number of at least 1.
    Source: 000 section 6.1.  Notebook: 17_continual.
    """
    return haar_basis(2 ** segment_levels(arguments.whole("time", time, 1)))


def first_bins(operator, n):
    """The first n columns of a k x N operator, as an operator; public. Raises ValueError unless 1 <= n <= N."""
    n = arguments.whole("n", n, 1, operator.shape[1])
    return Operator((operator.shape[0], n), operator.forward, lambda samples: operator.adjoint(samples)[:n])


def node_sketches(stream, times, operator):
    """The k samples of each tree node that a release at any of `times` reads; not private.

    `operator` is a k x N Operator, N at least the length T of the stream. Returns the nodes, ascending, and
    an array of k numbers for each node. One unit in one item moves at most tree_levels(T) of ALL rows'
    entries, k of them a node, by 1 / sqrt(k) each. Raises ValueError for a stream that is empty, not
    finite or longer than N, or times outside 1..T.  Source: 000 section 6.1.  Notebook: 17_continual.
    """
    stream = arguments.vector("stream", stream)
    if stream.size > operator.shape[1]:
        arguments.refuse("stream", f"{stream.size} items", f"at most {operator.shape[1]} long, as wide as the operator")
    nodes = np.unique(np.concatenate([nodes_read(int(time)) for time in _times(times, stream.size).ravel()]))
    starts = nodes - _lowest_bit(nodes)
    return nodes, np.stack([operator.forward(stream[a:b], int(a)) for a, b in zip(starts, nodes, strict=True)])


def sketch_at(nodes, sketches, time):
    """The k samples of the stream up to `time` from those of the nodes it reads; spends nothing: post-processing.

    `nodes` and `sketches` are those of `node_sketches`, true or noisy. Raises ValueError for a time that
    reads a node that is not there.  Notebook: 17_continual.
    """
    reads = nodes_read(time)
    if not np.isin(reads, nodes).all():
        arguments.refuse("time", time, "a time at which only the given nodes are read")
    return sketches[np.searchsorted(nodes, reads)].sum(axis=0)


def compressive_counter(
    stream,
    times,
    sparsity,
    epsilon,
    rng,
    *,
    basis_of=haar_prefix,
    constant=1.5,
    operator=hadamard_operator,
    method=generalised_omp,
):
    """Estimate the whole stream so far at each of `times` with epsilon-DP in all (one unit in one item, add/remove).

    A binary counter keeps each of k samples of the stream. About `sparsity` coefficients of `basis_of(time)`
    should matter; `constant`, `operator` and `method` are those of `compressive_mechanism`, with the same condition
    on the operator's columns. Returns one array a time, of `time` numbers. Raises ValueError for a stream that is
    empty or not finite, times outside 1..T, a sparsity that does not fit, an epsilon not above 0.
    Source: 000 Algorithm 2, whose k counters at epsilon EACH have privacy loss k epsilon. The scale of a counter must
    be sqrt(k) levels / epsilon, k times what appendix C takes.  Notebook: 17_continual.
    """
    stream = arguments.vector("stream", stream)
    widest = basis_of(stream.size).n
    k, levels = measurements(sparsity, widest, constant), tree_levels(stream.size)
    sampling = operator(k, widest, arguments.generator("rng", rng))
    nodes, sketches = node_sketches(stream, times, sampling)
    # Spends epsilon: an item is in at most `levels` nodes, and moves each of their k samples by 1 / sqrt(k).
    noisy = laplace_mechanism(sketches, math.sqrt(k) * levels, epsilon, rng)
    return [
        prefix_estimate(sketch_at(nodes, noisy, time), sampling, basis_of(time), time, sparsity, method, noise)
        for time, noise in zip(map(int, times), sketch_noise(times, k, stream.size, epsilon), strict=True)
    ]


def prefix_estimate(sketch, operator, basis, time, sparsity, method=generalised_omp, noise=0.0):
    """Rebuild the first `time` items from k samples of them, a public operator and basis; post-processing.

    Arguments and errors as in `reconstruct`; the basis may have more bins than there are items, the
    operator more still.  Source: 000 Algorithm 2, lines 4 and 5.  Notebook: 17_continual.
    """
    most = min(sparsity, basis.n)
    return reconstruct(sketch, first_bins(operator, basis.n), basis, most, method, noise)[:time]


def sketch_noise(times, k, steps, epsilon):
    """The root mean square length of the noise in the k samples at each time; public.

    It is sqrt(2 ones(t)) k levels / epsilon. Arguments and errors as in `binary_counter_error`.
    Notebook: 17_continual.
    """
    return noise_length(k, 1) / math.sqrt(2) * binary_counter_error(times, steps, epsilon)


def _times(times, steps):
    """Times as an int64 array, each from 1 to `steps`."""
    steps, times = arguments.whole("steps", steps, 1), arguments.integers("times", times)
    if times.size == 0 or times.min() < 1 or times.max() > steps:
        arguments.refuse("times", times, f"whole numbers from 1 to {steps}")
    return times
