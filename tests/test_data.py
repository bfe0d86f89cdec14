"""The datasets are what they say they are, and the readers of the reader's own file refuse what they should."""

import gzip
import importlib
import importlib.resources
import math
import re
import subprocess
import sys

import numpy as np
import pytest
import pywt
import scipy.fft

from dpbook import data
from dpbook.data import files

pytestmark = pytest.mark.depends("tests/test_data.py")

TABLES = {data.health_insurance: (20_190, 10), data.affairs: (6_366, 9), data.election: (944, 10)}
STAND_INS = {data.social_network: 11_342, data.search_logs: 32_768, data.net_trace: 65_536, data.tcp_trace: 7_865}
COLUMNS = [dataset for table in TABLES for dataset in table().values()]
HISTOGRAMS = [stand_in() for stand_in in STAND_INS] + list(data.smoking().values())


@pytest.mark.parametrize("table", TABLES)
def test_each_table_has_its_records_and_columns(table):
    records, columns = TABLES[table]
    assert len(table()) == columns
    assert all(len(dataset) == records and dataset.name == name for name, dataset in table().items())


@pytest.mark.parametrize("dataset", COLUMNS + HISTOGRAMS, ids=lambda dataset: dataset.name)
def test_each_dataset_says_what_it_is_and_keeps_its_bounds(dataset):
    low, high = dataset.bounds
    assert low < high and low <= dataset.values.min() and dataset.values.max() <= high
    assert all((dataset.name, dataset.unit, dataset.source, dataset.licence, dataset.meaning))
    assert not dataset.values.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        dataset.values[0] = 0
    assert repr(dataset) == f"Dataset({dataset.describe()})"
    assert ("synthetic" in repr(dataset)) == dataset.synthetic == ("stand-in" in dataset.name)


def test_bounds_of_open_ended_attributes_are_not_the_data_extremes():
    """A bound read off the records would leak them; here the codebook or common sense is wider than the data."""
    wider = [("mdvis", data.health_insurance), ("affairs", data.affairs), ("age", data.election)]
    for column, table in wider:
        dataset = table()[column]
        assert dataset.bounds[1] > dataset.values.max()


def test_affairs_bound_follows_from_the_codebook():
    """The measure is partners x meetings / years; both codes stop at 12 and the shortest marriage is 0.5 years."""
    survey = data.affairs()
    products = np.unique(np.round(survey["affairs"].values * survey["yrs_married"].values, 3))
    assert products.max() == 12 * 12
    assert survey["affairs"].bounds[1] == 12 * 12 / survey["yrs_married"].bounds[0]


@pytest.mark.parametrize(
    "table, package, words",
    [
        (data.health_insurance, "randhie", "public domain"),
        (data.affairs, "fair", "permission of the author"),
        (data.election, "anes96", "public domain"),
    ],
)
def test_values_and_licences_are_those_of_statsmodels(table, package, words):
    original = importlib.import_module(f"statsmodels.datasets.{package}")
    assert words in original.COPYRIGHT
    frame = original.load_pandas().data
    for name, dataset in table().items():
        assert words in dataset.licence and f"statsmodels.datasets.{package}" in dataset.source
        assert np.array_equal(dataset.values, frame[name])


def test_smoking_tables_are_those_of_statsmodels():
    frame = (
        importlib.import_module("statsmodels.datasets.china_smoking")
        .load_pandas()
        .data.rename(index={"Nanjng": "Nanjing"})
    )
    assert list(data.smoking()) == list(frame.index)
    for city, table in data.smoking().items():
        assert table.values.shape == (2, 2)
        assert table.values.ravel().tolist() == frame.loc[city].tolist()
    assert sum(table.values.sum() for table in data.smoking().values()) == 8_419


def test_health_insurance_records_are_years_of_fewer_people():
    """The full table of the experiment names the person; its rows are in the order of the short table."""
    import pandas
    import statsmodels.datasets.randhie as randhie

    full = pandas.read_csv(randhie.__path__[0] + "/src/randhie.csv")
    for column in ("mdvis", "disea", "physlm", "idp"):
        assert np.allclose(full[column], data.health_insurance()[column].values)
    person = data.health_insurance_person()
    records = np.bincount(person)
    assert (records.size, records.min(), records.max()) == (5_912, 1, 5)
    assert np.array_equal(person[:-1] == person[1:], full.zper[:-1].to_numpy() == full.zper[1:].to_numpy())
    with pytest.raises(ValueError, match="read-only"):
        person[0] = 1


def test_the_photograph_is_that_of_scikit_learn():
    """And it is read without importing scikit-learn, a second of waiting."""
    picture = data.photograph()
    assert picture.values.shape == (427, 640, 3) and picture.values.dtype == np.uint8
    assert (picture.values.min(), picture.values.max()) == picture.bounds == (0, 255)
    with pytest.raises(ValueError, match="read-only"):
        picture.values[0] = 0
    code = "import sys; from dpbook import data; data.photograph(); print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    from sklearn.datasets import load_sample_image

    assert np.array_equal(picture.values, load_sample_image("china.jpg"))


@pytest.mark.parametrize("stand_in", STAND_INS)
def test_stand_ins_are_counts_of_the_reported_size_and_the_same_each_time(stand_in):
    first = stand_in()
    stand_in.cache_clear()
    assert stand_in() is not first
    assert np.array_equal(stand_in().values, first.values)
    assert first.values.shape == (STAND_INS[stand_in],)
    assert first.values.dtype == np.int64 and first.values.min() >= 0
    assert first.synthetic and first.bounds == (0, math.inf)


@pytest.mark.parametrize(
    "stand_in, total, length",
    [(data.net_trace, 25_714, 2_444), (data.search_logs, 335_889, 4_729), (data.social_network, 674_708, 8_608)],
)
def test_stand_ins_have_the_total_and_the_length_of_the_originals(stand_in, total, length):
    """The public files behind source 000's figures: total exactly, Euclidean length to the nearest whole number."""
    counts = stand_in().values
    assert counts.sum() == total
    assert np.linalg.norm(counts) == pytest.approx(length, abs=0.5)


def test_sorted_stand_ins_are_sorted_as_their_originals():
    assert np.all(np.diff(data.net_trace().values) <= 0)
    assert np.all(np.diff(data.social_network().values) >= 0)


def test_totals_of_the_stand_ins_do_not_drift():
    """Pages print numbers that follow from these; a numpy that draws otherwise must be noticed here first."""
    totals = [int((stand_in().values ** 2).sum()) for stand_in in STAND_INS]
    assert totals == [74_097_656, 22_363_441, 5_972_268, 57_473_051]


def share_of_top_percent(counts):
    return np.sort(counts)[-(len(counts) // 100) :].sum() / counts.sum()


@pytest.mark.parametrize(
    "stand_in, share", [(data.social_network, 0.05), (data.search_logs, 0.1), (data.net_trace, 0.5)]
)
def test_tails_are_heavy(stand_in, share):
    counts = stand_in().values
    assert share_of_top_percent(counts) > share
    assert counts.max() > 20 * max(np.median(counts), 1)


def test_the_tcp_trace_has_the_noise_of_a_count():
    """Neighbouring bins share their rate, so half the mean squared difference is the variance, and that is the mean."""
    counts = data.tcp_trace().values
    assert np.mean(np.diff(counts) ** 2) / 2 == pytest.approx(counts.mean(), rel=0.05)


def error_left_by(coefficients, kept):
    """Relative L2 error of a signal of which only the `kept` largest orthonormal coefficients are used."""
    energy = np.sort(coefficients**2)
    return math.sqrt(energy[:-kept].sum() / energy.sum())


def haar(counts):
    return np.concatenate(pywt.wavedec(counts.astype(float), "haar", mode="periodization"))


def cosine(counts):
    return scipy.fft.dct(counts.astype(float), norm="ortho")


def test_net_trace_is_mostly_zero_and_compressible_in_haar_not_in_cosines():
    counts = data.net_trace().values
    assert np.mean(counts == 0) > 0.8
    assert error_left_by(haar(counts), 50) < 0.02 < 0.2 < error_left_by(cosine(counts), 50)


def test_tcp_trace_is_periodic_and_nearly_sparse_in_cosines_not_in_haar():
    counts = data.tcp_trace().values
    padded = np.pad(counts, (0, 8_192 - counts.size), mode="edge")
    noise = math.sqrt(counts.sum()) / np.linalg.norm(counts)  # of a count: no basis gets below it
    assert noise / 2 < error_left_by(cosine(counts), 10) < 1.1 * noise < 0.3 < error_left_by(haar(padded), 10)
    largest = np.argsort(-np.abs(cosine(counts)))[:2]
    assert set(largest) == {0, 60}  # the mean, and 30 days at half a turn a coefficient


def test_search_logs_are_quiet_and_then_burst():
    early, late = np.split(data.search_logs().values, [14_000])
    assert late.max() > 5 * early.max() and late.mean() > 5 * early.mean()


def test_tables_cannot_be_changed_for_others():
    with pytest.raises(TypeError):
        data.affairs()["age"] = None
    with pytest.raises(AttributeError):
        data.affairs()["age"].bounds = (0, 1)


def test_reading_the_data_needs_no_statistics_package():
    code = "import sys; from dpbook import data; data.affairs(); print({'statsmodels', 'pandas'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.parametrize("table", sorted(files.TABLES.glob("*.gz")), ids=lambda table: table.name)
def test_the_tables_are_those_of_statsmodels_to_the_byte(table):
    """Each is named, with its licence, in the README beside it."""
    row = re.search(
        rf"(?m)^\| `{re.escape(table.name)}` \|.*\| `(.*)` \| (.+) \|$", (files.TABLES / "README.md").read_text()
    )
    original = importlib.resources.files("statsmodels.datasets") / row[1]
    assert gzip.decompress(table.read_bytes()) == original.read_bytes() and row[2]


@pytest.fixture
def written(tmp_path):
    def write(text, encoding="utf-8"):
        path = tmp_path / "own.txt"
        path.write_bytes(text.encode(encoding))
        return path

    return write


@pytest.mark.parametrize(
    "text", ["3\n0\n12\n", "3\n0\n12", "3\r\n0\r\n12\r\n\r\n", " 3 \n0.0\n1.2e1\n", "\ufeff3\n0\n12\n"]
)
def test_read_counts(written, text):
    counts = data.read_counts(written(text))
    assert counts.tolist() == [3, 0, 12] and counts.dtype == np.int64
    with pytest.raises(ValueError, match="read-only"):
        counts[0] = 1


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("1\ntwo\n3\n", "line 2: expected a whole number from 0 to 2.* got 'two'"),
        ("1\n2\nnan\n", "line 3: .* got 'nan'"),
        ("inf\n", "line 1: .* got 'inf'"),
        ("5\n-1\n", "line 2: .* got '-1'"),
        ("5\n1.5\n", "line 2: .* got '1.5'"),
        ("5\n\n6\n", "line 2: .* got ''"),
        ("1e300\n", "line 1: .* got '1e300'"),
        ("4 5\n", "line 1: .* got '4 5'"),
    ],
)
def test_read_counts_refuses(written, text, message):
    with pytest.raises(ValueError, match=message):
        data.read_counts(written(text))


@pytest.mark.parametrize(
    "text",
    [
        "age,income\n30,1.5\n41,-2\n",
        '"age", income\r\n"30",1.5\r\n41,-2\r\n',
        "\ufeffage,income\n30,1.5\n\n41,-2\n",
        'name,age,income\n"Li, A.",30,1.5\n"two\nlines",41,-2',
    ],
)
def test_read_column(written, text):
    path = written(text)
    assert data.read_column(path, "income").tolist() == [1.5, -2]
    assert data.read_column(path, "age").tolist() == [30, 41]
    assert not data.read_column(path, "age").flags.writeable


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "is empty"),
        ("age,income\n", "must have records below its first line"),
        ("years,income\n30,2\n", "no column 'age'; its columns are years, income"),
        ("age,age\n30,2\n", "more than one column 'age'"),
        ("age,income\n30,2\nold,3\n", "line 3: expected a finite number in column 'age'; got 'old'"),
        ("age,income\nNaN,2\n", "line 2: .* got 'NaN'"),
        ("age,income\n,2\n", "line 2: .* got ''"),
        ("age,income\ninf,2\n", "line 2: .* got 'inf'"),
        ("age,income\n30,2\n41\n", "line 3: expected 2 cells; got 1"),
        ("age,income\n30,2,9\n", "line 2: expected 2 cells; got 3"),
        ('name,age\n"two\nlines",30\nx,old\n', "line 4: .* got 'old'"),
    ],
)
def test_read_column_refuses(written, text, message):
    with pytest.raises(ValueError, match=message):
        data.read_column(written(text), "age")


@pytest.mark.parametrize("read", [data.read_counts, lambda path: data.read_column(path, "age")])
def test_readers_refuse_what_is_not_text_or_not_there(written, tmp_path, read):
    with pytest.raises(ValueError, match="must be text in UTF-8"):
        read(written("âge\n1\n", "latin-1"))
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nowhere.txt")


@pytest.mark.parametrize("text", ["9007199254740993", "9007199254740991.4", "4.0000000000000000001"])
def test_a_count_that_no_double_holds_is_refused_and_not_rounded(tmp_path, text):
    path = tmp_path / "counts.txt"
    path.write_text(f"5\n{text}\n")
    with pytest.raises(ValueError, match="line 2: expected a whole number"):
        data.read_counts(path)
    path.write_text("9007199254740992\n1e3\n 7 \n")
    assert data.read_counts(path).tolist() == [2**53, 1000, 7]
