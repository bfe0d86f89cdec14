"""Synthetic records from a noisy Bayesian network (PrivBayes), and records behind a random projection (DPPro).

Both are compared with in source 001. Their authors take the number of records as public: neighbours REPLACE a record.
Source: 001 sections II and V.  Notebook: 13_marginals.
"""

import itertools
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.exponential import exponential_mechanism
from dpbook.gaussian import gaussian_scale
from dpbook.laplace import laplace_mechanism
from dpbook.marginals.tables import checked_records, counted, distinct, marginals


class Link(NamedTuple):
    """One arrow of a Bayesian network: an `attribute` and the `parents` it depends on."""

    attribute: int
    parents: tuple


def dependence_quality(table):
    """R: half the summed distance of a table's fractions from independence of axis 0 from the rest; 0 to 1.

    Between neighbours under replace, N records, it moves by at most 3/N + 2/N^2 (published). For up to 8 records the
    truth is 2 (N - 1)/N^2, by enumeration. Not private.
    Source: 001 section II; Zhang, Cormode, Procopiuc, Srivastava, Xiao, 2017.  Notebook: 13_marginals.
    """
    counts = np.reshape(table, (len(table), -1))
    rows, columns = counts.sum(axis=1, keepdims=True), counts.sum(axis=0)
    total = rows.sum()
    return float(np.abs(total * counts - rows * columns).sum() / (2 * total**2))


def quality_sensitivity(n):
    """The published sensitivity of `dependence_quality` under replace, n records: 3/n + 2/n^2, 1.5 times too much."""
    n = arguments.whole("n", n, 1)
    return 3 / n + 2 / n**2


def information_quality(table):
    """I: the mutual information of axis 0 and the rest of a table of counts, in bits; 0 to 1 for yes and no.

    The older score of PrivBayes: between neighbours under replace it moves by at most `information_sensitivity`, more
    than R does against what dependence adds to it. Not private.
    Source: 001 section II; Zhang, Cormode, Procopiuc, Srivastava, Xiao, 2014.  Notebook: 13_marginals.
    """
    counts = np.reshape(table, (len(table), -1))
    total = counts.sum()
    independent = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0)
    some = counts > 0
    return max(0.0, float(np.sum(counts[some] * np.log2(counts[some] * total / independent[some])) / total))


def information_sensitivity(n, *, binary=True):
    """How far `information_quality` moves at most under replace, n records: attained where one side is yes or no.

    log2(n)/n + (n - 1)/n log2(n/(n - 1)). Where neither side is `binary`: 2/n log2((n + 1)/2) + (n - 1)/n
    log2((n + 1)/(n - 1)). One record has no information to lose: as for two.
    Raises ValueError for an n below 1. Source: Zhang et al. 2014; 001 section II.  Notebook: 13_marginals.
    """
    n = max(2, arguments.whole("n", n, 1))
    if arguments.flag("binary", binary):
        return float(np.log2(n) / n + (n - 1) / n * np.log2(n / (n - 1)))
    return float(2 / n * np.log2((n + 1) / 2) + (n - 1) / n * np.log2((n + 1) / (n - 1)))


SCORES = {
    "distance": (dependence_quality, lambda n, sizes: quality_sensitivity(n)),
    "information": (information_quality, lambda n, sizes: information_sensitivity(n, binary=max(sizes) <= 2)),
}


def private_network(records, degree, epsilon, rng, *, score="distance", sizes=None):
    """Choose a Bayesian network with epsilon-DP (replace, the number of records is public): a list of `Link`.

    The first attribute is drawn blindly. Each further one comes with `degree` parents among those before it (all of
    them while there are fewer). The exponential mechanism chooses both, each time with an equal part of epsilon. The
    score is `dependence_quality` ("distance") or `information_quality` ("information").
    Raises ValueError for records that will not do or are none, a degree not from 1 to d - 1, a bad epsilon or score.
    Source: 001 section II; Zhang et al. 2017.  Notebook: 13_marginals.
    """
    records, sizes = _some_records(records, sizes)
    d, share = len(sizes), arguments.positive("epsilon", epsilon) / max(1, len(sizes) - 1)
    degree = arguments.whole("degree", degree, 1, d - 1)
    quality_of, moves = SCORES[arguments.one_of("score", score, SCORES)]
    sensitivity, tables = moves(len(records), sizes), {}
    chosen = [int(arguments.generator("rng", rng).integers(d))]
    network, quality, (different, many) = [Link(chosen[0], ())], {}, distinct(records, sizes)
    while len(chosen) < d:
        parents = list(itertools.combinations(sorted(chosen), min(degree, len(chosen))))
        links = [Link(a, some) for a in range(d) if a not in chosen for some in parents]
        sets = {tuple(sorted((link.attribute, *link.parents))) for link in links} - tables.keys()
        tables.update(zip(sets, counted(different, many, sets, sizes), strict=True))
        for link in links:
            if link not in quality:
                together = sorted((link.attribute, *link.parents))
                table = np.moveaxis(tables[tuple(together)], together.index(link.attribute), 0)
                quality[link] = quality_of(table)
        place = exponential_mechanism([quality[link] for link in links], sensitivity, share, rng)
        network.append(links[place])
        chosen.append(links[place].attribute)
    return network


def privbayes(records, degree, epsilon, rng, *, network_share=0.3, score="distance", sizes=None):
    """Release as many synthetic records with epsilon-DP (replace, the number of records is public): PrivBayes.

    `network_share` of epsilon chooses a `private_network`. The rest buys the d - degree tables of an attribute with its
    `degree` parents; a replaced record moves each by 2. Cells below zero are set to 0, the tables are scaled to sum 1,
    and records are drawn from them, attribute by attribute. Returns an integer array of the shape of `records`.
    Raises ValueError as `private_network` does, and for a `network_share` that is not between 0 and 1.
    Source: 001 section II; Zhang, Cormode, Procopiuc, Srivastava, Xiao, 2017.  Notebook: 13_marginals.
    """
    records, sizes = _some_records(records, sizes)
    for_network = arguments.probability("network_share", network_share) * arguments.positive("epsilon", epsilon)
    network = private_network(records, degree, for_network, rng, score=score, sizes=sizes)
    wide = [(link.attribute, *link.parents) for link in network[degree:]]
    truth, left = marginals(records, wide, sizes=sizes), (epsilon - for_network) / len(wide)
    noisy = [np.maximum(laplace_mechanism(table, 2, left, rng), 0) for table in truth]
    return _sampled(network, degree, wide, noisy, sizes, len(records), rng)


def _sampled(network, degree, wide, tables, sizes, n, rng):
    """Records drawn along the network. The first `degree` attributes are the parents in the first table."""
    made = np.zeros((len(sizes), n), np.int64)
    first = _shares(tables[0].sum(axis=0))
    cells = (rng.random(n) >= np.cumsum(first)[:-1, None]).sum(axis=0)
    made[list(wide[0][1:])] = np.unravel_index(cells, first.shape)
    for (attribute, *parents), table in zip(wide, tables, strict=True):
        given = table.reshape(len(table), -1)
        totals = given.sum(axis=0)
        chances = np.where(totals > 0, given / np.where(totals > 0, totals, 1), 1 / len(given))
        row = np.ravel_multi_index(tuple(made[parents]), [sizes[parent] for parent in parents])
        edges = np.cumsum(chances, axis=0)[:-1, row]
        made[attribute] = (rng.random(n) >= edges).sum(axis=0)
    return np.ascontiguousarray(made.T)


def _shares(table):
    total = table.sum()
    return table / total if total > 0 else np.full(table.shape, 1 / table.size)


def _some_records(records, sizes):
    records, sizes = checked_records(records, sizes)
    if not len(records):
        arguments.refuse("records", "none", "at least one record: their number is public here")
    return records, sizes


class Projected(NamedTuple):
    """What DPPro publishes: the noisy rows `release` (N, s), the `matrix` (d, s), the `scale` of the normal noise."""

    release: np.ndarray
    matrix: np.ndarray
    scale: float


def dppro(records, directions, epsilon, delta, rng, *, protects="record"):
    """Release one noisy row a record with (epsilon, delta)-DP (replace): the records times a random matrix, plus noise.

    The matrix is d x `directions` with entries +-1/sqrt(directions). Every number gets normal noise of the smallest
    scale for a shift of length `row_shift(matrix, protects)`. `protects` says whether a whole "record" is replaced, or
    one "attribute" of it.
    Raises ValueError for records that are no table of 0 and 1, fewer than 1 direction, or a bad epsilon or delta.
    Source: 001 section II; Xu, Ren, Zhang, Qin, Ren, 2017; Kenthapadi et al. 2013.  Notebook: 13_marginals.
    """
    records, _ = checked_records(records)
    directions = arguments.whole("directions", directions, 1)
    signs = arguments.generator("rng", rng).choice([-1.0, 1.0], size=(records.shape[1], directions))
    matrix = signs / np.sqrt(directions)
    scale = gaussian_scale(row_shift(matrix, protects), epsilon, delta)
    return Projected(records @ matrix + rng.normal(scale=scale, size=(len(records), directions)), matrix, scale)


def row_shift(matrix, protects):
    """How far one row of the projection moves if one "attribute" of a record changes, or a whole "record" (a bound)."""
    if arguments.one_of("protects", protects, ("attribute", "record")) == "attribute":
        return float(np.linalg.norm(matrix, axis=1).max())
    return float(np.sqrt(len(matrix)) * np.linalg.norm(matrix, 2))


def squared_distances(projected, first, second):
    """Unbiased estimates of the squared distances between records `first` and `second` (places) from a `Projected`.

    Over the random matrix and the noise; they may be negative. Post-processing. Source: Kenthapadi et al. 2013.
    Notebook: 13_marginals.
    """
    apart = projected.release[first] - projected.release[second]
    return (apart**2).sum(axis=-1) - 2 * apart.shape[-1] * projected.scale**2


def kenthapadi_scale(sensitivity, epsilon, delta):
    """The published scale of normal noise for a shift of length `sensitivity`: (epsilon, delta)-DP, larger than needed.

    For a delta of at most 1/2: above that the formula keeps nothing, and is refused. Raises ValueError for another
    delta, or a sensitivity or epsilon that is not a finite number above 0.
    Source: Kenthapadi, Korolova, Mironov, Mishra, 2013; 1.30 times the smallest at (1, 1e-5).  Notebook: 13_marginals.
    """
    sensitivity, epsilon = arguments.positive("sensitivity", sensitivity), arguments.positive("epsilon", epsilon)
    if arguments.probability("delta", delta) > 1 / 2:
        arguments.refuse("delta", delta, "a probability above 0 and at most 1/2")
    return float(sensitivity * np.sqrt(2 * (np.log(1 / (2 * delta)) + epsilon)) / epsilon)
