"""The data of chapter 09: maps of counts, from real records, made ones and the reader's own, and two known histograms.

A map is a grid of counts: rows go up the y axis from its lower bound, columns along the x axis. Bounds come from the
codebook or from common knowledge, never from the records. None of it holds where real people were: traces of places
identify people, so a workbook is better off without them.
Notebook: 09_partitions.
"""

import functools
import math
import types
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.data.files import PUBLIC_DOMAIN, Dataset, read_column, table_lines


class Map(NamedTuple):
    """Counts on a grid, [row, column], the bounds (left, right) and (lower, upper) of its axes, and their labels."""

    counts: np.ndarray
    x_bounds: tuple
    y_bounds: tuple
    x_label: str
    y_label: str


@functools.cache
def health_table():
    """Age, income and spending in the RAND health insurance experiment, 20,190 records: a dict of `data.Dataset`.

    The records of `data.health_insurance`: a person has up to 5, so a person's protection needs 5 times the noise.
    Dollars are of the years 1974 to 1982. Source: statsmodels.datasets.randhie, file src/randhie.csv.
    """
    columns = {
        "xage": ("years", (0, 65), "age in the year; people above 61 were not enrolled"),
        "income": ("dollars", (0, 30_000), "yearly income of the family, cut off by the study"),
        "meddol": ("dollars", (0, 100_000), "medical spending in the year; at most 100,000 assumed"),
        "outpdol": ("dollars", (0, 10_000), "outpatient spending in the year; at most 10,000 assumed"),
        "drugdol": ("dollars", (0, 10_000), "spending on drugs in the year; at most 10,000 assumed"),
    }
    titles, *lines = table_lines("randhie_all")
    header = titles.split(",")
    places = [header.index(name) for name in columns]
    values = np.loadtxt(lines, delimiter=",", usecols=places, unpack=True)
    source = "RAND Corporation, Health Insurance Experiment; through statsmodels.datasets.randhie"
    return types.MappingProxyType(
        {
            name: Dataset(name, column, unit, bounds, source, PUBLIC_DOMAIN, False, meaning)
            for (name, (unit, bounds, meaning)), column in zip(columns.items(), values, strict=True)
        }
    )


def grid(x, y, x_bounds, y_bounds, side):
    """How many records lie in each bin of a side x side map: whole numbers, [row, column]; not private.

    `x` and `y` are the records' two values; a value at an upper bound belongs to the last bin.
    Raises ValueError for lists of different lengths, a side below 1, bounds out of order, or a value outside its
    bounds. The message does not say how many values lie outside: choose bounds without looking.
    """
    side, places = arguments.whole("side", side, 1), []
    for name, values, bounds in (("x", x, x_bounds), ("y", y, y_bounds)):
        values, (low, high) = arguments.vector(name, values), arguments.interval(f"{name}_bounds", bounds)
        if values.min() < low or values.max() > high:
            arguments.refuse(
                name, "a value outside", f"within the public bounds [{low:g}, {high:g}]; widen or clip first"
            )
        places.append(np.minimum(((values - low) / (high - low) * side).astype(np.intp), side - 1))
    if places[0].size != places[1].size:
        arguments.refuse("y", f"{places[1].size} values", f"as many values as x, {places[0].size}")
    return np.bincount(places[1] * side + places[0], minlength=side * side).reshape(side, side)


def _logarithm(dataset):
    """log10(1 + dollars) and its bounds."""
    return np.log10(1 + dataset.values), (0, math.log10(1 + dataset.bounds[1]))


@functools.cache
def health_map(name, side=256):
    """A `Map` of real records: "age, income", "age, spending" or "outpatient, drugs" (spending as log10(1 + dollars)).

    Raises ValueError for another name, or a side below 1.
    """
    arguments.one_of("name", name, ("age, income", "age, spending", "outpatient, drugs"))
    table = health_table()
    age, income = (table["xage"].values, (0, 65)), (table["income"].values, (0, 30_000))
    spending, outpatient, drugs = (_logarithm(table[column]) for column in ("meddol", "outpdol", "drugdol"))
    words = "log10(1 + dollars)"
    (x, x_bounds), (y, y_bounds), *labels = {
        "age, income": (age, income, "age, years", "income, dollars"),
        "age, spending": (age, spending, "age, years", f"medical spending, {words}"),
        "outpatient, drugs": (outpatient, drugs, f"outpatient, {words}", f"drugs, {words}"),
    }[name]
    return Map(_read_only(grid(x, y, x_bounds, y_bounds, side)), x_bounds, y_bounds, *labels)


@functools.cache
def city(side=256):
    """Synthetic: 93,000 records around 40 centres of a city that does not exist, from a fixed seed. A `Map`.

    A few districts hold most of it, and far more than half of the bins are empty. Raises ValueError for a side below 1.
    """
    rng = np.random.default_rng(93_000)
    weights = rng.pareto(1.0, 40) + 0.05
    district = rng.choice(40, 93_000, p=weights / weights.sum())
    centres, widths = rng.uniform(0.08, 0.92, (40, 2)), rng.uniform(0.004, 0.05, 40)
    places = centres[district] + widths[district, None] * rng.normal(size=(93_000, 2))
    places = np.clip(places, 0, 1)
    counts = grid(places[:, 0], places[:, 1], (0, 1), (0, 1), side)
    return Map(_read_only(counts), (0, 10), (0, 10), "east, kilometres", "north, kilometres")


@functools.cache
def steps(bins=1024):
    """Synthetic: eight stretches of even counts, Poisson around 2, 40, 5, 0, 300, 8, 1, 20. The right blocks are known.

    Raises ValueError for fewer than 8 bins.
    """
    bins = arguments.whole("bins", bins, 8)
    level = np.array([2, 40, 5, 0, 300, 8, 1, 20])[np.arange(bins) * 8 // bins]
    return _read_only(np.random.default_rng(8).poisson(level))


@functools.cache
def even(bins=1024):
    """Synthetic: Poisson around 20 in every bin. One block is right.

    Raises ValueError for fewer than 1 bin.
    """
    return _read_only(np.random.default_rng(20).poisson(20, arguments.whole("bins", bins, 1)))


def read_map(path, x, y, x_bounds, y_bounds, side):
    """A `Map` from two columns of the reader's own CSV file, by their names in its first line; one record a line.

    Raises ValueError as `data.read_column` (with the line) and `grid` do.
    """
    columns = [read_column(path, column) for column in (x, y)]
    counts = grid(*columns, x_bounds, y_bounds, side)
    return Map(_read_only(counts), tuple(x_bounds), tuple(y_bounds), x, y)


def _read_only(values):
    values.flags.writeable = False
    return values
