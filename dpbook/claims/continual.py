"""The claims of chapter 17: one unit more in each item of a stream in turn.

Pan-privacy is run as it is proved: the noise is moved so that neither the outputs nor the memory at an intrusion show
the item. The scales are those that the program asks for. The loss so found is an upper bound.
"""

import numpy as np

from dpbook import continual
from dpbook.claims.verdicts import BY_COUPLING, BY_STEPS, Claim, called
from dpbook.neighbours import ADD_REMOVE, count_pairs

CHAPTER = "17"
COUNTS = np.array([3.0, 0, 1, 4, 1, 5, 9, 2, 6, 5])
STREAM = np.resize(COUNTS, 16)


def claims():
    """The rows of chapter 17."""
    pairs, times = count_pairs(COUNTS), np.arange(1, COUNTS.size + 1)
    binary, sketches = continual.binary_counter, continual.compressive_counter
    watched = {"method": BY_COUPLING, "coupling": object_moves, "pairs": intrusions()}
    whole = {"method": BY_COUPLING, "coupling": function_moves, "pairs": count_pairs(STREAM), "loses": 4 / 5}
    kept = called(sketches, times, 2)
    four = "4 rows, epsilon each (000 Algorithm 2)"
    return [
        Claim(binary, "10 items", ADD_REMOVE, BY_STEPS, called(binary), pairs),
        Claim(continual.PanPrivateCounter, "16 items, one intrusion", ADD_REMOVE, run=seen_by_an_intruder, **watched),
        Claim(
            continual.pan_private_counter, "16 items", ADD_REMOVE, run=called(continual.pan_private_counter), **whole
        ),
        Claim(sketches, "10 items", ADD_REMOVE, BY_STEPS, kept, pairs),
        Claim(binary, four, ADD_REMOVE, BY_STEPS, epsilon_each, pairs, loses=4.0, false=True),
    ]


def epsilon_each(stream, epsilon, rng):
    """000's Algorithm 2 on four rows of a public matrix: each row's counter spends all of epsilon. NOT epsilon-DP."""
    signs = np.where(np.random.default_rng(1).random((4, COUNTS.size)) < 0.5, -1.0, 1.0)
    return [continual.binary_counter(row * stream, epsilon, rng) for row in signs]


def intrusions():
    """Streams with the number of items after which an intruder comes, and each with a unit more in one item."""
    return [((stream, seen), (more, seen)) for stream, more in count_pairs(STREAM) for seen in range(STREAM.size + 1)]


def seen_by_an_intruder(data, epsilon, rng):
    """All running totals, and the counter's memory at the intrusion."""
    stream, intrusion = data
    counter, outputs, memory = continual.PanPrivateCounter(stream.size, epsilon, rng), [], []
    for time in range(stream.size + 1):
        if time == intrusion:
            memory = [counter.time, counter.noisy_total, counter.segment_noise.copy()]
        if time < stream.size:
            outputs.append(counter.add(stream[time], rng))
    return [outputs, *memory]


def object_moves(data, neighbour):
    """`hiding_shifts` in the order in which the counter draws: the initial noise, then at each item what starts."""
    item, intrusion = int(np.argmax(neighbour[0] != data[0])) + 1, data[1]
    return _moves(item, intrusion)


def function_moves(data, neighbour):
    """The same where nobody looks into the memory: as if an intruder came before the first item."""
    return _moves(int(np.argmax(neighbour != data)) + 1, 0)


def _moves(item, intrusion):
    first, segments = continual.hiding_shifts(item, intrusion, STREAM.size)
    height = continual.segment_levels(STREAM.size)
    order = [(level, time) for time in range(STREAM.size) for level in range(height) if time % 2**level == 0]
    return [first, *(segments.get(segment, 0) for segment in order)]
