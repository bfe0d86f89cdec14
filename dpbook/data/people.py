"""Real people's records, from the tables that come with the book: `tables/README.md` has their sources and licences.

Notebook: 00_start_here.
"""

import csv
import functools
import math
import types

import numpy as np

from dpbook.data.files import COUNTS, PUBLIC_DOMAIN, Dataset, read_only, table_lines


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
            "log of 1 + the share of cost the patient pays, 0 to 100%",
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
    person_id = np.loadtxt(table_lines("randhie_all"), delimiter=",", skiprows=1, usecols=5)
    return read_only(np.unique(person_id, return_inverse=True)[1])


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
    """A table of the book as a read-only dict from column name to `Dataset`."""
    titles, *lines = table_lines(name)
    header = [title.strip("\"' ") for title in titles.strip().split(delimiter)]
    table = np.loadtxt(lines, delimiter=delimiter, unpack=True)
    values = dict(zip(header, table, strict=True))
    return types.MappingProxyType(
        {
            column: Dataset(column, _whole_if_exact(values[column]), unit, bounds, source, licence, False, meaning)
            for column, (unit, bounds, meaning) in columns.items()
        }
    )


@functools.cache
def smoking():
    """Smoking and lung cancer in eight cities of China: 8,419 people, a 2 x 2 table for each city.

    A dict from city to `Dataset`; the rows of its values are smokers and others, its columns lung cancer and none.
    People with cancer were sought out, so the tables say nothing of how frequent it is.
    Source: statsmodels.datasets.china_smoking.
    """
    source = "Z. Liu, Int. J. Epidemiology 21:197-201, 1992; through statsmodels.datasets.china_smoking"
    meaning = "people by smoking (rows: yes, no) and lung cancer (columns: yes, no)"
    table = csv.reader(table_lines("china_smoking"))
    rows = [(city.replace("Nanjng", "Nanjing"), *counts) for city, *counts in table][1:]
    licence = "table of counts transcribed from the article"
    return types.MappingProxyType(
        {
            city: Dataset(
                city, np.reshape(counts, (2, 2)).astype(np.intp), "people", COUNTS, source, licence, False, meaning
            )
            for city, *counts in rows
        }
    )


def _whole_if_exact(values):
    whole = values.astype(np.intp)
    return whole if np.array_equal(whole, values) else values
