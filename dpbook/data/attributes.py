"""Records of many attributes: real ones as yes-or-no questions with public thresholds, synthetic ones, the reader's.

Every array is read-only. The thresholds and categories are common knowledge or the codebook's, never read off the data.
Notebook: 13_marginals.
"""

import functools

import numpy as np

from dpbook import arguments
from dpbook.data.files import cells_of, read_only, table_lines
from dpbook.data.people import affairs

# What is asked of a row of RAND's table (a dict of columns), in the order of the page: name and answer.
HEALTH = {
    "female": lambda row: row["female"] == 1,
    "child": lambda row: row["child"] == 1,
    "black": lambda row: row["black"] >= 0.5,
    "free plan": lambda row: row["coins"] == 0,
    "deductible": lambda row: row["idp"] == 1,
    "baseline exam": lambda row: row["tookphys"] == 1,
    "good health": lambda row: row["hlthg"] == 1,
    "fair health": lambda row: row["hlthf"] == 1,
    "limitation": lambda row: row["physlm"] > 0,
    "chronic > 10": lambda row: row["disea"] > 10,
    "doctor": lambda row: row["mdvis"] > 0,
    "doctor 5+": lambda row: row["mdvis"] >= 5,
    "drugs": lambda row: row["drugdol"] > 0,
    "hospital": lambda row: row["totadm"] > 0,
    "therapy": lambda row: row["mentvis"] > 0,
    "other visits": lambda row: row["notmdvis"] > 0,
    "poor health": lambda row: row["hlthp"] == 1,
    "income > 8,000": lambda row: row["income"] > 8000,
    "education 12+": lambda row: row["educdec"] >= 12,  # 4 empty cells: counted as no
    "family 4+": lambda row: row["num"] >= 4,
    "age 40+": lambda row: row["xage"] >= 40,
    "age < 6": lambda row: row["xage"] < 6,
    "supplies": lambda row: row["suppdol"] > 0,
    "spent > 100": lambda row: row["meddol"] > 100,
    "spent > 1,000": lambda row: row["meddol"] > 1000,
    "drugs > 20": lambda row: row["drugdol"] > 20,
    "mental < 70": lambda row: row["mhi"] < 70,
    "year 1": lambda row: row["year"] == 1,
    "year 2": lambda row: row["year"] == 2,
    "site 1": lambda row: row["site"] == 1,
    "site 2": lambda row: row["site"] == 2,
    "site 3": lambda row: row["site"] == 3,
}


@functools.cache
def health_attributes():
    """RAND health insurance experiment as 32 yes-or-no questions: their names, and 20,190 records of 0 and 1.

    One record a person and year, up to 5 a person: to protect a person, five times the noise. An empty cell is a no.
    Source: statsmodels.datasets.randhie, file src/randhie.csv; public domain.  Notebook: 13_marginals.
    """
    header, *lines = table_lines("randhie_all")
    numbers = (line.replace(",,", ",nan,").replace(",,", ",nan,") for line in lines)
    row = dict(zip(header.split(","), np.loadtxt(numbers, delimiter=",", unpack=True), strict=True))
    return tuple(HEALTH), read_only(np.column_stack([ask(row) for ask in HEALTH.values()]).astype(np.uint8))


@functools.cache
def affairs_attributes():
    """Fair's survey as 8 yes-or-no questions: their names, and 6,366 records of 0 and 1.

    Source: `data.affairs`.  Notebook: 13_marginals.
    """
    table = {name: column.values for name, column in affairs().items()}
    asked = {
        "happy": table["rate_marriage"] >= 4,
        "age 30+": table["age"] >= 30,
        "married 9+": table["yrs_married"] >= 9,
        "children": table["children"] > 0,
        "religious": table["religious"] >= 3,
        "college": table["educ"] >= 16,
        "professional": table["occupation"] >= 4,
        "affair": table["affairs"] > 0,
    }
    return tuple(asked), read_only(np.column_stack(list(asked.values())).astype(np.uint8))


# The code lists of Fair's questionnaire, as its documentation prints them.
AFFAIRS_CODES = {
    "rate_marriage": (1, 2, 3, 4, 5),
    "age": (17.5, 22, 27, 32, 37, 42),
    "yrs_married": (0.5, 2.5, 6, 9, 13, 16.5, 23),
    "children": (0, 1, 2, 3, 4, 5.5),
    "religious": (1, 2, 3, 4),
    "educ": (9, 12, 14, 16, 17, 20),
    "occupation": (1, 2, 3, 4, 5, 6),
    "occupation_husb": (1, 2, 3, 4, 5, 6),
}


@functools.cache
def affairs_codes():
    """Fair's survey to predict from: names of 8 attributes, their numbers of values, 6,366 records, and the class.

    Records are places in the public code lists, from 0; the class is 1 for an affair, else 0.
    Source: `data.affairs`.  Notebook: 12_trees.
    """
    table = affairs()
    records = [np.searchsorted(codes, table[name].values) for name, codes in AFFAIRS_CODES.items()]
    sizes = tuple(len(codes) for codes in AFFAIRS_CODES.values())
    labels = (table["affairs"].values > 0).astype(np.intp)
    return tuple(AFFAIRS_CODES), sizes, read_only(np.column_stack(records)), read_only(labels)


@functools.cache
def exclusive_or(strength=1.0):
    """Synthetic: 20,000 records of 9 attributes; c is a xor b in a fraction `strength` of them, and six are coin flips.

    Any two attributes look independent; a, b and c together are not. Names and records.  Notebook: 13_marginals.
    """
    rng = np.random.default_rng(9)
    records = rng.integers(0, 2, (20_000, 9), dtype=np.uint8)
    told = rng.random(len(records)) < strength
    records[told, 2] = records[told, 0] ^ records[told, 1]
    return ("a", "b", "c", "n1", "n2", "n3", "n4", "n5", "n6"), read_only(records)


def read_categories(path, categories):
    """Columns of the reader's own CSV file as whole numbers: names, records (N, d) and how many values each column has.

    `categories` maps each wanted column of the file's first line to the list of its possible cells. That list must be
    known without looking at the data; a cell becomes its place in it. Read-only, ready for `sizes=`.
    Raises ValueError for an empty file, or a column that is there twice or not at all (the message names those that
    are). It refuses a list that is empty or repeats a category. With the line number it refuses a cell that is not in
    its list, or a line with another number of cells.
    """
    codes = {}
    for column, possible in categories.items():
        codes[column] = {str(category): place for place, category in enumerate(possible)}
        if not codes[column] or len(codes[column]) < len(possible) or isinstance(possible, str):
            arguments.refuse("categories", possible, f"a list of the different possible cells of column {column!r}")
    if not codes:
        arguments.refuse("categories", categories, "at least one column with its possible cells")
    records = [_coded(cells, codes, path, line) for line, cells in cells_of(path, list(codes))]
    return tuple(codes), read_only(np.array(records, np.intp)), tuple(len(known) for known in codes.values())


def _coded(cells, codes, path, line):
    record = []
    for (column, known), cell in zip(codes.items(), map(str.strip, cells), strict=True):
        if cell not in known:
            some = ", ".join(list(known)[:8]) + (", ..." if len(known) > 8 else "")
            raise ValueError(f"{path}, line {line}: expected one of {some} in column {column!r}; got {cell!r}")
        record.append(known[cell])
    return record
