"""What a dataset is, and how files are read: the book's own tables, a column of the reader's own, a file of counts.

Notebook: 00_start_here.
"""

import csv
import decimal
import gzip
import importlib.util
import io
import math
import pathlib
from dataclasses import dataclass, field

import numpy as np

TABLES = pathlib.Path(__file__).parent / "tables"
PUBLIC_DOMAIN = "public domain"
COUNTS = (0, math.inf)  # the bounds of a count


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


def table_lines(name):
    """The lines of a table that comes with the book, as `tables/README.md` lists them."""
    with gzip.open(TABLES / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return file.read().splitlines()


def package_file(module, package, *parts):
    """Where an installed package keeps one of its data sets; the package itself is not imported."""
    found = importlib.util.find_spec(module)
    if found is None:
        raise ModuleNotFoundError(f"the real data come with the {package} package: pip install {package}")
    return pathlib.Path(found.origin).parent.joinpath("datasets", *parts)


def read_counts(path):
    """A histogram from the reader's own file: one count a line, as a read-only array of whole numbers.

    Raises ValueError, with the line number, for text, NaN, a fraction, a negative count, a blank line before the end,
    or an empty file.
    """
    lines = text_of(path).rstrip().split("\n")
    if lines == [""]:
        raise ValueError(f"{path} must hold one count a line; it is empty")
    expected = "a whole number from 0 to 2**53"
    counts = [number_in(text, path, line, expected) for line, text in enumerate(lines, 1)]
    for line, count in enumerate(counts, 1):
        written = decimal.Decimal(lines[line - 1].strip())  # a float may be another number
        if not 0 <= count <= 2**53 or written != int(count):
            raise ValueError(f"{path}, line {line}: expected {expected}; got {lines[line - 1].strip()!r}")
    return read_only(np.array(counts, dtype=np.int64))


def read_column(path, column):
    """One column of the reader's own CSV file, by the name in its first line, as a read-only array of numbers.

    Raises ValueError for an empty file, or a column that is there twice or not at all (the message names those
    that are). With the line number it refuses text, NaN, an empty cell, or a line with another number of cells.
    """
    expected = f"a finite number in column {column!r}"
    return read_only(np.array([number_in(cell, path, line, expected) for line, (cell,) in cells_of(path, [column])]))


def cells_of(path, columns):
    """The cells of these columns of the reader's own CSV file, one record after the other, each with its line number.

    Blank lines are left out. Raises ValueError as `read_column`, but for what stands in a cell.
    """
    lines, records = csv.reader(io.StringIO(text_of(path), newline="")), 0
    header = [title.strip() for title in next(lines, [])]
    if not header:
        raise ValueError(f"{path} must be a CSV file with the column names in its first line; it is empty")
    for column in columns:
        if header.count(column) != 1:
            problem = "no" if column not in header else "more than one"
            raise ValueError(f"{path} has {problem} column {column!r}; its columns are {', '.join(header)}")
    places = [header.index(column) for column in columns]
    for cells in filter(None, lines):
        if len(cells) != len(header):
            raise ValueError(f"{path}, line {lines.line_num}: expected {len(header)} cells; got {len(cells)}")
        records += 1
        yield lines.line_num, [cells[place] for place in places]
    if not records:
        raise ValueError(f"{path} must have records below its first line; there are none")


def text_of(path):
    """The text of a UTF-8 file, with or without a byte-order mark; ValueError, with its name, for any other."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} must be text in UTF-8; {error}") from error


def number_in(text, path, line, expected):
    """The finite number in a cell of a file; ValueError with the file, the line and what was expected there."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{path}, line {line}: expected {expected}; got {text.strip()!r}")
    return value


def read_only(values):
    """The same array, which nobody can change any more."""
    values.flags.writeable = False
    return values
