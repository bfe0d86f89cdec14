"""Persons with many records, and groups that nobody listed beforehand: bounded contributions, and a threshold.

A dataset here is two arrays of one length: whose record it is (`persons`), and which group it is in (`groups`). The
labels of each are of one public kind, such as text or whole numbers. Several kinds are refused: for the sake of one
label numpy would rewrite everybody's. Neighbours are add/remove of a whole PERSON with all records. What a person does
not add is no loss to them: before anything is counted, each person keeps few of their groups, chosen at random.
Source: beyond the seeds; Korolova and others 2009, Wilson and others 2020.  Notebook: 27_choosing.
"""

import collections
import math
import numbers

import numpy as np

from dpbook import arguments
from dpbook.laplace import laplace_mechanism, noise_scale

KINDS = (str, bool | np.bool_, numbers.Integral, numbers.Real)  # of labels; others are told apart by their type


def kept_contributions(persons, groups, most, rng):
    """Which records to keep: one of each person in each group, for at most `most` groups a person. Not private itself.

    Which of a person's groups are kept is chosen at random, from the records of that person alone. So when a person
    comes or goes, counts of what is kept move by at most 1 in at most `most` groups. Returns the places of the kept
    records, ascending.
    Raises ValueError for lists of different lengths, labels of several kinds, a label that is NaN, a most that is not
    whole or below 1, or a bad rng.
    Source: Wilson and others 2020.  Notebook: 27_choosing.
    """
    persons, groups = _records(persons, groups)
    most, order = arguments.whole("most", most, 1), arguments.generator("rng", rng).permutation(persons.size)
    kept, counted = [], collections.defaultdict(set)
    for place, person, group in zip(order.tolist(), persons[order].tolist(), groups[order].tolist(), strict=True):
        if group not in counted[person] and len(counted[person]) < most:
            counted[person].add(group)
            kept.append(place)
    return np.sort(np.array(kept, dtype=np.intp))


def group_counts(persons, groups, listed, most, epsilon, rng):
    """Release how many people are in each of the groups `listed`, with epsilon-DP (add/remove of a person).

    The list is public, made before anyone looks at the data; records in other groups are left out. Each person counts
    in at most `most` of the groups, which are chosen at random: Laplace noise of scale most / epsilon. Returns a float
    for each listed group, empty ones too. Raises ValueError as `kept_contributions`, for a list that is empty or names
    a group twice, or a bad epsilon.
    Source: Wilson and others 2020.  Notebook: 27_choosing.
    """
    persons, groups = _records(persons, groups)
    listed = list(listed)
    if not listed or len(set(listed)) < len(listed):
        arguments.refuse("listed", listed, "a non-empty list of different groups")
    known = np.isin(groups, listed)
    persons, groups = persons[known], groups[known]
    kept = groups[kept_contributions(persons, groups, most, rng)]
    counts = np.array([np.count_nonzero(kept == group) for group in listed])
    return laplace_mechanism(counts, most, epsilon, rng)


def threshold_release(persons, groups, most, epsilon, delta, rng):
    """Release groups that nobody listed, and how many people are in each: (epsilon, delta)-DP (add/remove of a person).

    Each person counts in at most `most` groups. Each group that has anybody gets Laplace noise of scale most / epsilon,
    and is published, with its noisy count, if that exceeds `group_threshold`. Its exact delta is `threshold_delta`: the
    probability that a person alone in `most` groups brings one of them to light. Returns a dict from group to noisy
    count, sorted by group (the order of the data would tell more). Raises ValueError as `kept_contributions`, and for a
    bad epsilon or delta.
    Source: Korolova, Kenthapadi, Mishra and Ntoulas 2009; Wilson and others 2020.  Notebook: 27_choosing.
    """
    threshold = group_threshold(most, epsilon, delta)
    persons, groups = _records(persons, groups)
    kept = groups[kept_contributions(persons, groups, most, rng)]
    names, counts = np.unique(kept, return_counts=True)
    noisy = laplace_mechanism(counts, most, epsilon, rng)  # spends epsilon, and delta with the next line
    return {name.item(): float(count) for name, count in zip(names, noisy, strict=True) if count > threshold}


def group_threshold(most, epsilon, delta):
    """The smallest threshold for `threshold_release` at (epsilon, delta), in people: exact.

    Each of `most` groups with one person may be published with probability p = 1 - (1 - delta)^(1 / most). Up to
    p = 1/2 the threshold is 1 - (most / epsilon) ln(2 p). From there on it is 1 + (most / epsilon) ln(2 (1 - p)), which
    is at most 1. Raises ValueError for a most that is not whole or below 1, or a bad epsilon or delta.
    Source: Wilson and others 2020.  Notebook: 27_choosing.
    """
    scale = noise_scale(arguments.whole("most", most, 1), epsilon)
    miss = -math.expm1(math.log1p(-arguments.probability("delta", delta)) / most)
    if miss <= 0.5:
        return 1 - scale * math.log(2 * miss)
    return 1 + scale * math.log(2 * (1 - miss))


def threshold_delta(most, threshold, epsilon):
    """The exact delta of `threshold_release` with this `threshold`, at its epsilon (add/remove of a person).

    The probability that at least one of `most` groups with one person is published. At any larger epsilon it is the
    same: a group that nobody else is in names that person. Raises ValueError for a most that is not whole or below 1, a
    threshold that is not a finite number, or a bad epsilon.
    Source: our own; the infinite part of the loss.  Notebook: 27_choosing.
    """
    scale = noise_scale(arguments.whole("most", most, 1), epsilon)
    away = (arguments.number("threshold", threshold) - 1) / scale
    shown = math.exp(-away) / 2 if away >= 0 else 1 - math.exp(away) / 2
    return -math.expm1(most * math.log1p(-shown)) if shown < 1 else 1.0


def published_chance(people, most, epsilon, delta):
    """With what probability `threshold_release` shows a group of this many `people`: a number or an array, exact.

    For people who lose nothing to `most`. Raises ValueError for people below 0, and as `group_threshold`.
    Source: the distribution of Laplace noise.  Notebook: 27_choosing.
    """
    counts = arguments.counts("people", np.atleast_1d(people))
    away = (group_threshold(most, epsilon, delta) - counts) * epsilon / most
    tail = np.where(away > 0, np.exp(-np.abs(away)) / 2, 1 - np.exp(-np.abs(away)) / 2)
    chances = np.where(counts > 0, tail, 0.0)
    return chances if np.ndim(people) else float(chances[0])


def _records(persons, groups):
    """Two one-dimensional arrays of one length; of no records, two empty ones."""
    persons, groups = _labels("persons", persons), _labels("groups", groups)
    if persons.ndim != 1 or groups.ndim != 1 or persons.size != groups.size:
        arguments.refuse("persons, groups", (persons.shape, groups.shape), "two lists of one length")
    for name, labels in (("persons", persons), ("groups", groups)):
        if labels.dtype.kind in "fcmMO" and np.any(labels != labels):  # NaN: each would be a person
            arguments.refuse(name, "NaN", "labels that are all there, none of them NaN")
    return persons, groups + 0.0 if groups.dtype.kind == "f" else groups  # of -0.0 and 0.0 a record could show its own


def _labels(name, labels):
    """Labels as an array: numpy makes the labels of several kinds one, by a rule that looks at all of them."""
    given = arguments.entries(name, labels)
    if given.ndim != 1 or (given is labels and given.dtype != object):
        return given
    given = arguments.entries(name, given.tolist()) if given.dtype == object else given
    kinds = {next((kind for kind in KINDS if issubclass(one, kind)), one) for one in set(map(type, labels))}
    if len(kinds) > 1 or (kinds == {numbers.Integral} and given.dtype.kind not in "iu"):
        arguments.refuse(name, f"labels that numpy would make {given.dtype}", "labels of one kind, numbers below 2**63")
    return given
