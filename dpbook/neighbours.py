"""When are two datasets neighbours? The relations, with one spelling for all, and lists of neighbours to test on.

A guarantee of differential privacy speaks of pairs of neighbours; under another relation it is another guarantee. The
names below are the words that docstrings, claims, sensitivities and pages use.
Source: 004 section 2.1.1.  Notebook: 02_composition.
"""

import itertools
import math

import numpy as np

from dpbook import arguments

ADD_REMOVE = "add/remove"  # one record more or less: "unbounded" in 004
REPLACE = "replace"  # one record changed, their number is public: "bounded" in 004
ANSWERS = "each answer by 1"  # no query's answer moves by more than its sensitivity, for SVT and selections


def add_record(values, domain):
    """The datasets with one record more than `values`: one for each value of `domain` (add/remove, "unbounded")."""
    return [np.append(values, value) for value in domain]


def remove_record(values, domain):
    """The datasets with one record less than `values`: one for each distinct record; `domain` plays no part."""
    return [np.delete(values, place) for place in np.unique(values, return_index=True)[1]]


def replace_record(values, domain):
    """The datasets with one record of `values` changed into another value of `domain` (replace, "bounded")."""
    firsts = zip(*np.unique(values, return_index=True), strict=True)
    return [np.append(np.delete(values, place), new) for old, place in firsts for new in domain if new != old]


def add_to_count(counts, domain):
    """The histograms with one person more than `counts`: one for each bin listed in `domain` (add/remove)."""
    return [np.asarray(counts) + (np.arange(len(counts)) == place) for place in domain]


def small_datasets(domain, records):
    """Every dataset of `records` records with values in `domain`, as a list of arrays; order does not count.

    Raises ValueError if they are more than 10,000, or for fewer than one record or an empty domain.
    """
    domain = arguments.vector("domain", domain)
    records = arguments.whole("records", records, 1)
    many = math.comb(len(domain) + records - 1, records)
    if many > 10_000:
        arguments.refuse("domain, records", f"{many} datasets", "few enough for 10,000 datasets")
    return [np.array(one) for one in itertools.combinations_with_replacement(domain, records)]


def record_pairs(relation, domain, most):
    """Every dataset of 1 to `most` records with values in `domain`, with each of its neighbours under `relation`.

    `relation` is a function of (data, domain), such as `add_record`. Raises ValueError as `small_datasets` does, or for
    `most` below 1.
    """
    most = arguments.whole("most", most, 1)
    datasets = [data for size in range(1, most + 1) for data in small_datasets(domain, size)]
    return [(data, neighbour) for data in datasets for neighbour in relation(data, domain)]


def count_pairs(counts):
    """The histogram `counts` with each histogram that has one record more (add/remove)."""
    return [(np.asarray(counts), more) for more in add_to_count(counts, range(len(counts)))]
