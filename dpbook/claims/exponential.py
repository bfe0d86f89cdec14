"""The claims of chapter 04: the law is read off the one uniform number that each of these draws.

What a row loses on its pairs is worked out beside it, from the qualities alone.
"""

import itertools

import numpy as np

from dpbook import exponential
from dpbook.claims.verdicts import BY_DRAW, Claim, called
from dpbook.neighbours import ADD_REMOVE, ANSWERS, REPLACE, add_record, count_pairs, replace_record

CHAPTER = "04"


def claims():
    """The rows of chapter 04."""
    qualities = [np.array(quality) for quality in itertools.product((0.0, 10.0), repeat=2)]
    one_up = [pair for quality in qualities for pair in count_pairs(quality)]
    both_ways = [(q, q + move) for q in qualities for move in itertools.product((-1, 1), repeat=2)]
    values, same = [np.repeat([0.0, 1, 3], sizes) for sizes in ((4, 5, 0), (4, 6, 1), (1, 7, 1))], np.zeros(8)
    more, replaced = (_neighbours(relation, values, (0, 1, 3)) for relation in (add_record, replace_record))
    voted, moved = (_neighbours(relation, [same], (0, 1, 2)) for relation in (add_record, replace_record))
    chosen, mode, median = exponential.exponential_mechanism, exponential.private_mode, exponential.private_median
    quantile, in_ranges = exponential.private_quantile, exponential.private_quantile_in_ranges
    ranges = [-0.5, 0.5, 1.5, 2.5]

    def votes(data):
        return exponential.mode_quality(data, np.arange(3))

    def middle(data):
        return exponential.median_quality(data, [0, 2])

    def quarter(data):
        return exponential.quantile_quality(data, 0.25, [0, 2])

    def quarter_range(data):
        return exponential.range_quality(data, 0.25, ranges)

    def row(mechanism, setting, relation, run, pairs, quality, sensitivity, *, monotonic=False, **rest):
        rest["loses"] = max(
            exponential.privacy_loss(quality(one), quality(other), sensitivity, 1.0, monotonic) for one, other in pairs
        )
        return Claim(mechanism, setting, relation, BY_DRAW, run, pairs, **({"at": 1.0} | rest))

    general, monotonic = called(chosen, 1), called(chosen, 1, monotonic=True)
    most, mid = called(mode, np.arange(3)), called(median, [0, 2])
    low, low_range = called(quantile, 0.25, [0, 2]), called(in_ranges, 0.25, ranges)
    up = {"quality": np.asarray, "sensitivity": 1, "monotonic": True}
    return [
        row(chosen, "any qualities", ANSWERS, general, both_ways, np.asarray, 1),
        row(chosen, "counts, monotonic", ADD_REMOVE, monotonic, one_up, **up),
        row(chosen, "monotonic, moved both ways", ANSWERS, monotonic, both_ways, **up, false=True),
        row(mode, "three candidates", ADD_REMOVE, most, voted, votes, 1, monotonic=True),
        row(mode, "three candidates", REPLACE, most, moved, votes, 1, monotonic=True, epsilon=2.0),
        row(median, "two candidates", ADD_REMOVE, mid, more, middle, 0.5),
        row(median, "two candidates", REPLACE, mid, replaced, middle, 0.5, epsilon=2.0),
        row(quantile, "quarter, two candidates", ADD_REMOVE, low, more, quarter, 0.75),
        row(quantile, "quarter, two candidates", REPLACE, low, replaced, quarter, 0.75, epsilon=4 / 3),
        row(in_ranges, "quarter, three ranges", ADD_REMOVE, low_range, more, quarter_range, 0.75),
    ]


def _neighbours(relation, datasets, domain):
    return [(data, neighbour) for data in datasets for neighbour in relation(data, domain)]
