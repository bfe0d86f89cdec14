"""Synthetic records that leak: copies without names, smoothing that is drawn from often, a tree that nobody paid for.

Source: beyond the seeds; Machanavajjhala and others 2008; Bindschaedler, Shokri, Gunter 2017.  Notebook: 28_synthetic.
"""

import itertools
import math

import numpy as np

from dpbook import arguments
from dpbook.gaussian import zcdp_rho
from dpbook.marginals.tables import checked_records, marginals
from dpbook.synthetic.judging import closest_distances
from dpbook.synthetic.model import Measurement, measure
from dpbook.synthetic.selection import edge_scores

TRIES = 200  # batches of random records before `avoiding_records` gives up


def copied_records(records, number, rng):
    """BROKEN: "synthetic" records that are the old ones without names, drawn with replacement. Loses infinity.

    Under add/remove and replace: a record that only one person has shows with probability 1 - (1 - 1/n)^number, and
    without that person never. Raises ValueError for no records, or a number below 0.
    Source: folklore.  Notebook: 28_synthetic.
    """
    records = arguments.integers("records", records)
    checked_records(records, [int(records.max(initial=0)) + 1] * (records.shape[1] if records.ndim == 2 else 1))
    if not len(records):
        arguments.refuse("records", "none", "at least one record to copy")
    number = arguments.whole("number", number, 0)
    return records[arguments.generator("rng", rng).integers(len(records), size=number)]


def smoothed_records(records, prior, number, rng, *, sizes=None):
    """Draw records from counts that got `prior` in every cell; loses `smoothed_loss(prior, number)` under replace.

    Private, but its loss grows with every record drawn, which is rarely said. One drawn with a prior of 1 costs ln 2, a
    thousand 693. Returns an integer array (number, d), drawn from (count + prior) / (n + cells x prior).
    Raises ValueError as `marginal` does, for a prior that is not above 0, or a number below 0.
    Source: Machanavajjhala, Kifer, Abowd, Gehrke, Vilhuber 2008.  Notebook: 28_synthetic.
    """
    records, sizes = checked_records(records, sizes)
    number, prior = arguments.whole("number", number, 0), arguments.positive("prior", prior)
    (table,) = marginals(records, [range(len(sizes))], sizes=sizes)
    cumulated = np.cumsum(table + prior)
    points = arguments.generator("rng", rng).random(number) * cumulated[-1]
    return np.column_stack(np.unravel_index(np.searchsorted(cumulated, points, side="right"), sizes))


def smoothed_loss(prior, number):
    """The privacy loss of `smoothed_records` under replace: number x ln(1 + 1 / prior), attained.

    The worst: all drawn records have the values that one person alone had. Raises ValueError as that function does.
    Source: Machanavajjhala and others 2008.  Notebook: 28_synthetic.
    """
    return arguments.whole("number", number, 0) * math.log1p(1 / arguments.positive("prior", prior))


def unpaid_tree(records, epsilon, delta, rng):
    """BROKEN: the d - 1 pairs farthest from independent, looked up and not paid for, and noise on their tables alone.

    Said to be (epsilon, delta)-DP under add/remove. One record can change which pairs come out: it loses infinity.
    Returns a list of `Measurement`: d single tables and d - 1 pairs, one Gaussian release.
    Raises ValueError as `mst` does. Source: folklore (a Chow-Liu tree).  Notebook: 28_synthetic.
    """
    records, sizes = checked_records(records)
    ones, pairs = [(a,) for a in range(len(sizes))], list(itertools.combinations(range(len(sizes)), 2))
    truth = [Measurement(one, table, 1.0) for one, table in zip(ones, marginals(records, ones), strict=True)]
    scores = edge_scores(dict(zip(pairs, marginals(records, pairs), strict=True)), truth)
    group, chosen = list(ones), []
    for a, b in sorted(pairs, key=lambda pair: -scores[pair]):  # the largest first: no lottery
        if group[a] != group[b]:
            group = [group[a] if one == group[b] else one for one in group]
            chosen.append((a, b))
    return measure(records, ones + chosen, zcdp_rho(epsilon, delta), rng)


def avoiding_records(records, rates, number, least, rng):
    """BROKEN: records that differ from everybody's in at least `least` answers, and so tell who is there. Infinity.

    Independent yes-or-no answers with the chances `rates`, drawn again until they keep away from all `records`. Their
    marks for "distance to the closest record" are the best there are. What never comes out is somebody's surroundings.
    Under add/remove and replace. Returns an integer array (number, d).
    Raises ValueError unless records are a table of 0 and 1, with one rate from 0 to 1 an attribute. It also does so for
    a number or a distance below 0, or if hardly any record can keep away.
    Source: Ganev, De Cristofaro 2023.  Notebook: 28_synthetic.
    """
    records, sizes = checked_records(records)
    rates = np.array([arguments.share("rates", rate) for rate in arguments.of_length("rates", rates, len(sizes))])
    number, least = arguments.whole("number", number, 0), arguments.whole("least", least, 0)
    made, rng = np.empty((0, len(sizes)), np.int64), arguments.generator("rng", rng)
    for _ in range(TRIES):
        if len(made) >= number:
            return made[:number]
        tried = (rng.random((2 * number + 16, len(sizes))) < rates).astype(np.int64)
        apart = closest_distances(tried, records) if len(records) else np.full(len(tried), len(sizes))
        made = np.vstack([made, tried[apart >= least]])
    arguments.refuse("least", least, f"a distance that more than one in {2 * TRIES} random records keeps")
