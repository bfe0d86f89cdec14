"""How published data gave people away: linkage, k-anonymity and what it leaves open, membership in published averages.

A table of quasi-identifiers is a two-dimensional array of numbers, one record a row, one attribute a column. Records
with the same row form a class. Nothing here is private but `private_averages`: the rest are attacks, and properties
that a table may have while its people are known.
Source: 004 sections 1.1 and 3.1.  Notebook: 01_incidents.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom

from dpbook import arguments
from dpbook.laplace import laplace_mechanism, noise_scale


def candidates(released, public):
    """For each record of `released`, how many of `public` have its quasi-identifiers: 1 is a person found again.

    Both are tables of the same columns. Returns whole numbers, one a released record.
    Raises ValueError for tables that are empty, not finite, or of different width.
    Source: 004 section 1.1.1 (Sweeney 2002).  Notebook: 01_incidents.
    """
    released_class, public_class = _classes(released, public)
    return np.bincount(public_class, minlength=released_class.max() + 1)[released_class]


def link(released, public):
    """For each record of `released`, the row of `public` that alone has its quasi-identifiers.

    -1 where no row has them, or several. If every person of `released` is in `public`, each such
    link is right. Raises ValueError as `candidates` does.
    Source: 004 section 1.1.1 (Sweeney 2002).  Notebook: 01_incidents.
    """
    released_class, public_class = _classes(released, public)
    # row[c]: the last public row of class c, asked for only where it is the only one
    row = np.full(max(released_class.max(), public_class.max()) + 1, -1)
    row[public_class] = np.arange(public_class.size)
    return np.where(candidates(released, public) == 1, row[released_class], -1)


def class_sizes(table):
    """For each record of `table`, how many have the same quasi-identifiers, itself included.

    Raises ValueError for a table that is empty or not finite.
    Source: 004 Definition 3.1.  Notebook: 01_incidents.
    """
    (classes,) = _classes(table)
    return np.bincount(classes)[classes]


def k_anonymity(table):
    """The largest k for which `table` is k-anonymous: the size of its smallest class. No privacy.

    Raises ValueError for a table that is empty or not finite.
    Source: 004 Definition 3.1 (Samarati 2001, Sweeney 2002).  Notebook: 01_incidents.
    """
    return int(class_sizes(table).min())


def class_diversity(table, sensitive):
    """For each record, how many different `sensitive` values its class holds: 1 tells them all.

    `sensitive` has one number a record. The smallest entry is the l of (distinct) l-diversity;
    that is no privacy.
    Raises ValueError for a bad table, or sensitive values not finite or not one a record.
    Source: 004 section 3.1 (Machanavajjhala and others 2006).  Notebook: 01_incidents.
    """
    (classes,) = _classes(table)
    sensitive = arguments.vector("sensitive", sensitive)
    if sensitive.size != classes.size:
        arguments.refuse("sensitive", sensitive.size, f"one number a record, {classes.size}")
    kinds = np.unique(np.column_stack([classes, sensitive]), axis=0)
    return np.bincount(kinds[:, 0].astype(np.intp))[classes]


def banded(values, width, start):
    """Coarser values: the lower end of each one's band [start + i width, start + (i + 1) width).

    Raises ValueError for values or a start not finite, or a width not a finite number above 0.
    Source: generalisation, as k-anonymity uses it; 004 section 3.1.  Notebook: 01_incidents.
    """
    width, start = arguments.positive("width", width), arguments.number("start", start)
    return start + width * np.floor((arguments.array("values", values) - start) / width)


def not_private_duplicates(records, k):
    """Every record k times: a k-anonymous table that hides nothing.

    Raises ValueError for a k that is not a whole number of at least 1, or records without a length.
    Source: 004 section 3.1 (Li, Qardaji, Su 2012).  Notebook: 01_incidents.
    """
    if np.ndim(records) == 0:
        arguments.refuse("records", records, "a list or a table of records")
    return np.repeat(np.asarray(records), arguments.whole("k", k, 1), axis=0)


def homer_statistic(records, published, reference):
    """How much nearer each record is to the published averages than to those of the population.

    The sum over attributes of |y - reference| - |y - published|. `records` has the attributes in
    its last axis, all numbers from 0 to 1. A high value speaks for a member of the group.
    Raises ValueError for numbers that are not finite, or lengths that differ.
    Source: 004 section 1.1.1 (Homer and others 2008).  Notebook: 01_incidents.
    """
    records, published, reference = _attributes(records, published, reference)
    return (np.abs(records - reference) - np.abs(records - published)).sum(axis=-1)


def centred_statistic(records, published, reference):
    """Homer's statistic of yes-or-no records, less its mean over the population: a better attack.

    For bits and averages in [0, 1] Homer's statistic is the sum of (2 y - 1) (published -
    reference). Its mean over the population, given what is published, can be computed. Without it
    there remains the sum of 2 (y - reference) (published - reference), which also takes noisy
    averages beyond [0, 1]. Raises ValueError as `homer_statistic` does.
    Source: the inner product of Dwork and others 2015, twice.  Notebook: 01_incidents.
    """
    records, published, reference = _attributes(records, published, reference)
    weights = 2 * (published - reference)
    return records @ weights - reference @ weights


def whitened_statistic(records, published, reference, covariance):
    """The membership score of an attacker who knows how the attributes hang together.

    (y - reference)' covariance^-1 (published - reference): the best linear score for a group drawn
    from a normal population with that covariance. `covariance` is a positive definite matrix.
    Raises ValueError as `homer_statistic` does, and for a covariance of another shape or a singular one.
    Source: the likelihood ratio behind Sankararaman and others 2009.  Notebook: 01_incidents.
    """
    records, published, reference = _attributes(records, published, reference)
    matrix, size = arguments.array("covariance", covariance), reference.size
    try:
        weights = np.linalg.solve(matrix.reshape(size, size), published - reference)
    except (ValueError, np.linalg.LinAlgError):
        arguments.refuse("covariance", matrix.shape, f"an invertible matrix of {size} rows and columns")
    return records @ weights - reference @ weights


class Moments(NamedTuple):
    """Mean and standard deviations of `centred_statistic`; for those outside the group the mean is 0."""

    mean_inside: float
    deviation_inside: float
    deviation_outside: float


def attack_moments(frequencies, people, scale):
    """The exact moments of `centred_statistic` for independent yes-or-no attributes.

    `frequencies` are the fractions of yes in the population, one an attribute. The group holds
    `people` drawn from it; its averages have Laplace noise of `scale` (0: none). Members have
    the mean 2 V / people, V = sum p (1 - p), outsiders 0.
    Raises ValueError for frequencies outside [0, 1], people below 1 or not whole, a scale below 0.
    Source: worked out here for the statistic of Homer and others 2008.  Notebook: 01_incidents.
    """
    frequencies = arguments.vector("frequencies", frequencies)
    people = arguments.whole("people", people, 1)
    if frequencies.min() < 0 or frequencies.max() > 1:
        arguments.refuse("frequencies", frequencies, "shares from 0 to 1")
    arguments.nonnegative("scale", scale)
    variance = frequencies * (1 - frequencies)
    outside = 4 * np.sum(variance**2 / people + variance * 2 * scale**2)
    inside = outside + 4 * np.sum(variance * (1 - 5 * variance)) / people**2
    return Moments(float(2 * variance.sum() / people), math.sqrt(inside), math.sqrt(outside))


def attack_rates(threshold, moments):
    """The attack's (false positives, true positives) if it accuses all above `threshold`, by the normal distribution.

    Fractions of outsiders and members, nearly right for many attributes; `fair_attack_rates` is exact where it applies.
    Raises ValueError for a threshold that is not finite, or moments that are not finite with deviations above 0.
    Source: the central limit theorem.  Notebook: 01_incidents.
    """
    threshold, (mean, inside, outside) = arguments.array("threshold", threshold), moments
    inside, outside = arguments.positive("moments", inside), arguments.positive("moments", outside)
    return ndtr(-threshold / outside), ndtr(-(threshold - arguments.number("moments", mean)) / inside)


def fair_attack_rates(threshold, attributes, people):
    """The exact (false positives, true positives) for attributes that half of the population has, no noise.

    Then people times the statistic is a binomial draw, less its mean; a member adds attributes / 2.
    Raises ValueError for a threshold that is not finite, or attributes or people not whole or below 1.
    Source: each attribute's term is a sum of fair coins.  Notebook: 01_incidents.
    """
    attributes, people = arguments.whole("attributes", attributes, 1), arguments.whole("people", people, 1)
    least = people * arguments.array("threshold", threshold)
    coins, others = people * attributes, (people - 1) * attributes
    return binom.sf(np.floor(least + coins / 2 + 1e-9), coins, 0.5), binom.sf(
        np.floor(least - attributes / 2 + others / 2 + 1e-9), others, 0.5
    )


def private_averages(records, epsilon, rng):
    """Release the average of every attribute, all together with epsilon-DP (replace one person).

    `records` is a table of numbers from 0 to 1, one person a row; the number of people is public.
    One person moves each average by at most 1 / people: L1 sensitivity attributes / people.
    Raises ValueError for records outside [0, 1], an empty table, or a bad epsilon.
    Source: 004 Theorem 2.15 on a vector of averages.  Notebook: 01_incidents.
    """
    records = _table("records", records)
    if records.min() < 0 or records.max() > 1:
        arguments.refuse("records", records, "numbers from 0 to 1")
    people, attributes = records.shape
    return laplace_mechanism(records.mean(axis=0), attributes / people, epsilon, rng)


def averages_scale(attributes, people, epsilon):
    """The scale of the noise in `private_averages`: attributes / (people epsilon).

    Raises ValueError for attributes or people that are not whole or below 1, or a bad epsilon.
    Source: 004 Theorem 2.15.  Notebook: 01_incidents.
    """
    attributes, people = arguments.whole("attributes", attributes, 1), arguments.whole("people", people, 1)
    return noise_scale(attributes / people, epsilon)


def most_true_positives(false_positives, epsilon):
    """The largest fraction of members that any test can find from an epsilon-DP release (replace one person).

    `false_positives` is the fraction of outsiders it accuses: at most e^epsilon times that, and at
    most 1 - e^-epsilon (1 - false_positives).
    Raises ValueError for fractions outside [0, 1] or a bad epsilon.
    Source: 004 Eq. (2.1) for the event "accused" and its opposite.  Notebook: 01_incidents.
    """
    share = arguments.array("false_positives", false_positives)
    epsilon = arguments.positive("epsilon", epsilon)
    if np.any((share < 0) | (share > 1)):
        arguments.refuse("false_positives", false_positives, "shares from 0 to 1")
    with np.errstate(over="ignore", invalid="ignore"):
        by_accused = np.where(share > 0, np.exp(epsilon) * share, 0)
    return np.minimum(by_accused, 1 - np.exp(-epsilon) * (1 - share))[()]


def _classes(*tables):
    """The number of each record's class, table by table; records of different tables may share one."""
    names = ("released", "public") if len(tables) == 2 else ("table",)
    arrays = [_table(name, table) for name, table in zip(names, tables, strict=True)]
    if arrays[0].shape[1] != arrays[-1].shape[1]:
        arguments.refuse("public", arrays[-1].shape, f"a table of {arrays[0].shape[1]} columns")
    numbers = np.unique(np.concatenate(arrays), axis=0, return_inverse=True)[1].ravel()
    return np.split(numbers, [len(arrays[0])])[: len(arrays)]


def _table(name, values):
    expected = "a non-empty table of finite numbers, one record a row"
    return arguments.table(name, values, expected)


def _attributes(records, published, reference):
    records, published = arguments.array("records", records), arguments.vector("published", published)
    reference = arguments.vector("reference", reference)
    if records.ndim == 0 or records.shape[-1] != reference.size:
        arguments.refuse("records", records.shape, f"records of {reference.size} attributes, as the reference has")
    if published.size != reference.size:
        arguments.refuse("published", published.size, f"one average an attribute, {reference.size}")
    return records, published, reference
