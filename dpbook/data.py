"""The data of the book: real records that the statsmodels package carries, synthetic counts, and the reader's own file.

Every array is read-only, so no cell can change what another cell sees.  Notebook: 00_start_here.
"""

import csv
import functools
import importlib.util
import io
import math
import pathlib
import types
from dataclasses import dataclass, field

import numpy as np
import scipy.optimize
import scipy.special

PUBLIC_DOMAIN = "public domain"
COUNTS = (0, math.inf)  # the bounds of a count
SYNTHETIC_SOURCE = (
    "made by dpbook.data; size, total, length as its docstring says are the original's, the rest invented"
)


@dataclass(frozen=True)
class Dataset:
    """One attribute of some records, or one histogram: what the values are, and what is publicly known about them.

    `bounds` come from the codebook or from common knowledge, never from the data: a bound read off the records would
    itself be a release.  `synthetic` says whether real people are behind the values.
    """

    name: str
    values: np.ndarray = field(repr=False, compare=False)
    unit: str
    bounds: tuple[float, float]
    source: str = field(repr=False)
    licence: str = field(repr=False)
    synthetic: bool
    meaning: str = field(default="", repr=False)

    def __post_init__(self):
        values = np.array(self.values)
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    def __len__(self):
        return len(self.values)

    def __repr__(self):
        return f"Dataset({self.describe()})"

    def describe(self):
        """One line of text: name, number of values, unit, bounds, real or synthetic."""
        low, high = (f"{bound:,.6g}" for bound in self.bounds)
        kind = "synthetic" if self.synthetic else "real"
        return f"{self.name}: {self.values.size:,} values, unit {self.unit}, bounds [{low}, {high}], {kind}"


@functools.cache
def health_insurance():
    """RAND health insurance experiment, 1974 to 1982: 20,190 records of 5,912 people, one a person and year.

    A dict from column name to `Dataset`.  A person has up to 5 records (see `health_insurance_person`): to protect a
    person, a count needs 5 times the noise that protects a record.  Source: statsmodels.datasets.randhie.
    """
    columns = {
        "mdvis": ("visits", (0, 365), "outpatient visits to a doctor in the year; at most daily"),
        "lncoins": (
            "ln(1 + %)",
            (0, math.log(101)),
            "log of 1 + the share of cost the patient pays, 0 to 100 %",
        ),
        "idp": ("0 or 1", (0, 1), "1 if the plan has an individual deductible"),
        "lpi": (
            "ln(dollars)",
            (0, math.log(10_000)),
            "log of the yearly payment for taking part; at most 10,000 assumed",
        ),
        "fmde": ("ln(dollars)", (0, math.log(4_000)), "log of the largest yearly expense over the coinsurance share"),
        "physlm": ("0 to 1", (0, 1), "1 if the person has a physical limitation; a fraction if imputed"),
        "disea": ("index", (0, 100), "index of chronic diseases at the start; at most 100 assumed"),
        "hlthg": ("0 or 1", (0, 1), "1 if the person calls their health good"),
        "hlthf": ("0 or 1", (0, 1), "1 if the person calls their health fair"),
        "hlthp": ("0 or 1", (0, 1), "1 if the person calls their health poor"),
    }
    source = "RAND Corporation, Health Insurance Experiment; through statsmodels.datasets.randhie"
    return _table("randhie", columns, source, PUBLIC_DOMAIN)


@functools.cache
def health_insurance_person():
    """Whose record it is: for each record of `health_insurance`, the number of the person, 0 to 5,911, read-only.

    Source: the experiment's full table, statsmodels.datasets.randhie, file src/randhie.csv, column zper.
    """
    full_table = _statsmodels_file("randhie", "src", "randhie.csv")
    person_id = np.loadtxt(full_table, delimiter=",", skiprows=1, usecols=5)
    return _read_only(np.unique(person_id, return_inverse=True)[1])


@functools.cache
def affairs():
    """Fair's survey of affairs, 1974: 6,366 married women who answered a magazine, one record each.

    A dict from column name to `Dataset`.  Source: statsmodels.datasets.fair; R. Fair, J. Political Economy, 1978.
    """
    columns = {
        "rate_marriage": ("code", (1, 5), "the marriage is 1 very poor, 2 poor, 3 fair, 4 good, 5 very good"),
        "age": ("years", (17.5, 42), "middle of a band: under 20 is 17.5, 40 and over is 42"),
        "yrs_married": ("years", (0.5, 23), "years married, by the middle of the band"),
        "children": ("children", (0, 5.5), "number of children; 5.5 stands for more than 4"),
        "religious": ("code", (1, 4), "1 not, 2 mildly, 3 fairly, 4 strongly religious"),
        "educ": ("years", (9, 20), "9 grade school, 12 high school, 16 college, 20 advanced degree"),
        "occupation": (
            "code",
            (1, 6),
            "1 student, 2 unskilled, 3 clerk, 4 teacher, 5 manager, 6 expert",
        ),
        "occupation_husb": ("code", (1, 6), "the husband's occupation, same codes"),
        "affairs": (
            "a year",
            (0, 288),
            "partners x meetings / years married; largest code 12 x 12 / 0.5",
        ),
    }
    source = "R. Fair, Journal of Political Economy, February 1978; through statsmodels.datasets.fair"
    return _table("fair", columns, source, "included in statsmodels with permission of the author")


@functools.cache
def election():
    """American National Election Study of 1996: 944 voters, one record each.

    A dict from column name to `Dataset`.  Source: statsmodels.datasets.anes96.
    """
    left_right = "1 most liberal to 7 most conservative"
    columns = {
        "popul": (
            "thousands",
            (0, 7_323),
            "people in the place; New York had 7,323 thousand in 1990",
        ),
        "TVnews": ("times a week", (0, 7), "how often the voter watches television news"),
        "selfLR": ("code", (1, 7), f"the voter: {left_right}"),
        "ClinLR": ("code", (1, 7), f"Bill Clinton in the voter's eyes: {left_right}"),
        "DoleLR": ("code", (1, 7), f"Bob Dole in the voter's eyes: {left_right}"),
        "PID": ("code", (0, 6), "party: 0 strong Democrat, 3 independent, 6 strong Republican"),
        "age": ("years", (18, 120), "age; voters are at least 18, at most 120 assumed"),
        "educ": ("code", (1, 7), "1 grades 1-8, 3 high school, 5 college, 6 master's degree, 7 PhD"),
        "income": ("code", (1, 24), "household income: 1 under $3,000 to 24 at least $105,000"),
        "vote": ("0 or 1", (0, 1), "expected vote: 0 Clinton, 1 Dole"),
    }
    source = "American National Election Studies, 1996; through statsmodels.datasets.anes96"
    return _table("anes96", columns, source, PUBLIC_DOMAIN, delimiter="\t")


def _table(name, columns, source, licence, delimiter=","):
    """A table of the statsmodels package as a read-only dict from column name to `Dataset`."""
    with open(_statsmodels_file(name, f"{name}.csv"), encoding="utf-8") as file:
        header = [title.strip("\"' ") for title in file.readline().strip().split(delimiter)]
        table = np.loadtxt(file, delimiter=delimiter, unpack=True)
    values = dict(zip(header, table, strict=True))
    return types.MappingProxyType(
        {
            column: Dataset(column, _whole_if_exact(values[column]), unit, bounds, source, licence, False, meaning)
            for column, (unit, bounds, meaning) in columns.items()
        }
    )


def _statsmodels_file(*parts):
    """Where the installed statsmodels keeps a data file; the package itself, half a second to import, is not needed."""
    package = importlib.util.find_spec("statsmodels")
    if package is None:
        raise ModuleNotFoundError("the real data come with the statsmodels package: pip install statsmodels")
    return pathlib.Path(package.origin).parent.joinpath("datasets", *parts)


@functools.cache
def smoking():
    """Smoking and lung cancer in eight cities of China: 8,419 people, a 2 x 2 table for each city.

    A dict from city to `Dataset`; the rows of its values are smokers and others, its columns lung cancer and none.
    People with cancer were sought out, so the tables say nothing of how frequent it is.
    Source: statsmodels.datasets.china_smoking.
    """
    source = "Z. Liu, Int. J. Epidemiology 21:197-201, 1992; through statsmodels.datasets.china_smoking"
    meaning = "people by smoking (rows: yes, no) and lung cancer (columns: yes, no)"
    with open(_statsmodels_file("china_smoking", "china_smoking.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    licence = "table of counts transcribed from the article"
    return types.MappingProxyType(
        {
            city: Dataset(
                city, np.reshape(counts, (2, 2)).astype(np.int64), "people", COUNTS, source, licence, False, meaning
            )
            for city, *counts in rows
        }
    )


def _whole_if_exact(values):
    whole = values.astype(np.int64)
    return whole if np.array_equal(whole, values) else values


@functools.cache
def social_network():
    """Synthetic stand-in: friends of each of 11,342 students, from the fewest to the most; a heavy tail.

    Bins, total (674,708), Euclidean length (8,608) and order are those of the original (source 000, section 7); the
    counts are the quantiles of a lognormal law.  One friendship is in two bins, one person in many.
    """
    shape = np.exp(scipy.special.ndtri((np.arange(11_342) + 0.5) / 11_342))
    friends = np.sort(_counts_like(shape, 674_708, 8_608))
    return _stand_in("social network (stand-in)", friends, "friends", "friends of each student, fewest to most")


@functools.cache
def search_logs():
    """Synthetic stand-in: searches for one name in each of 32,768 spans of 90 minutes; quiet, then bursts.

    Bins, total (335,889) and Euclidean length (4,729) are those of the original (source 000, section 7); where the
    bursts are, and that each bin has the noise of a count, is invented.
    """
    rng = np.random.default_rng(32_768)
    bins = np.arange(32_768)
    rate = 0.2 + 6 / (1 + np.exp(-(bins - 22_000) / 900))
    for start, height, length in zip(
        rng.integers(14_000, bins.size, 25), 30 * rng.pareto(1.2, 25), rng.uniform(40, 700, 25), strict=True
    ):
        rate[start:] += height * np.exp(-(bins[start:] - start) / length)
    searches = _counts_like(rng.poisson(rate) + 0.05, 335_889, 4_729)
    return _stand_in("search logs (stand-in)", searches, "searches", "searches for one name, 90 minutes a bin")


@functools.cache
def net_trace():
    """Synthetic stand-in: connections of each of 65,536 network addresses, from the most to the fewest; a power law.

    Bins, total (25,714), Euclidean length (2,444) and order are those of the original (source 000, section 7).
    """
    connections = -np.sort(-_counts_like(1 / np.arange(1.0, 65_537), 25_714, 2_444))
    return _stand_in("net trace (stand-in)", connections, "connections", "connections of each address, most to fewest")


@functools.cache
def tcp_trace():
    """Synthetic stand-in: connections opened in each of 7,865 bins of 30 days, about five and a half minutes a bin.

    A day's rhythm, nearly sparse in the cosine basis, with the noise of a count: Poisson around the rhythm.  Only the
    number of bins and the 30 days are those of the original (source 000, section 7).
    """
    rng = np.random.default_rng(7_865)
    day = 30 * (np.arange(7_865) + 0.5) / 7_865
    rhythm = 77 - 48 * np.cos(2 * np.pi * day) + 12 * np.cos(4 * np.pi * day) - 5 * np.cos(6 * np.pi * day)
    trend = 9 * np.cos(np.pi * day / 30) + 6 * np.cos(8 * np.pi * day / 30)
    connections = rng.poisson(np.maximum(rhythm + trend, 0))
    return _stand_in("TCP trace (stand-in)", connections, "connections", "connections opened, 5.5 minutes a bin")


def _counts_like(shape, total, length):
    """Whole numbers with this total and, nearly, this Euclidean length: proportional to a power of `shape`.

    Rounding goes along the running sum, so that it adds up; a larger power makes the counts more uneven and longer.
    """
    logs = np.log(shape)

    def counts(power):
        weights = np.exp(power * (logs - logs.max()))
        running = np.append(0, np.cumsum(weights)) * (total / weights.sum())
        return np.diff(np.rint(running)).astype(np.int64)

    return counts(scipy.optimize.brentq(lambda power: np.linalg.norm(counts(power)) - length, 0.05, 6))


def _stand_in(name, counts, unit, meaning):
    return Dataset(name, counts, unit, COUNTS, SYNTHETIC_SOURCE, "that of dpbook (BSD-3-Clause)", True, meaning)


def read_counts(path):
    """A histogram from the reader's own file: one count a line, as a read-only array of whole numbers.

    Raises ValueError, with the line number, for text, NaN, a fraction, a negative count, a blank line before the end,
    or an empty file.
    """
    lines = _text(path).rstrip().split("\n")
    if lines == [""]:
        raise ValueError(f"{path} must hold one count a line; it is empty")
    expected = "a whole number from 0 to 2**53"
    counts = [_number(text, path, line, expected) for line, text in enumerate(lines, 1)]
    for line, count in enumerate(counts, 1):
        if not 0 <= count <= 2**53 or count != int(count):
            raise ValueError(f"{path}, line {line}: expected {expected}; got {lines[line - 1].strip()!r}")
    return _read_only(np.array(counts, dtype=np.int64))


def read_column(path, column):
    """One column of the reader's own CSV file, by the name in its first line, as a read-only array of numbers.

    Raises ValueError for an empty file, a column that is not there (the message names those that are) or is there
    twice, and, with the line number, for text, NaN, an empty cell, or a line with too few cells.
    """
    lines = csv.reader(io.StringIO(_text(path), newline=""))
    header = [title.strip() for title in next(lines, [])]
    if not header:
        raise ValueError(f"{path} must be a CSV file with the column names in its first line; it is empty")
    if header.count(column) != 1:
        problem = "no" if column not in header else "more than one"
        raise ValueError(f"{path} has {problem} column {column!r}; its columns are {', '.join(header)}")
    position, values = header.index(column), []
    for cells in lines:
        if not cells:
            continue
        if len(cells) != len(header):
            raise ValueError(f"{path}, line {lines.line_num}: expected {len(header)} cells; got {len(cells)}")
        values.append(_number(cells[position], path, lines.line_num, f"a finite number in column {column!r}"))
    if not values:
        raise ValueError(f"{path} must have records below its first line; there are none")
    return _read_only(np.array(values))


def _text(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} must be text in UTF-8; {error}") from error


def _number(text, path, line, expected):
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{path}, line {line}: expected {expected}; got {text.strip()!r}")
    return value


def _read_only(values):
    values.flags.writeable = False
    return values
