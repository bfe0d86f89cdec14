"""In a browser addresses have 32 bits: no page hands int64 to what wants one, and no sum of the data passes 2^31.

`tests/addresses.py` plays such a computer; `make lite-test` is the real one.
"""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

from dpbook import data
from dpbook.partitions.blocks import totals
from tests import addresses

ROOT = pathlib.Path(__file__).parents[1]
PAGES = sorted((ROOT / "notebooks").glob("*.py"))
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
pytestmark = pytest.mark.depends("dpbook", "exercises", "notebooks", "tests/test_addresses.py")


def played(*words):
    """What came of a page, or of all claims, on such a computer."""
    asked = [sys.executable, "-m", "tests.addresses", *map(str, words)]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)


def test_no_mechanism_hands_int64_to_what_wants_an_address():
    """Of every claim of the book; what only the cells of a page do is left to `make thorough`."""
    done = played()
    assert done.returncode == 0, f"`.astype(np.intp)` where it is called:\n{done.stderr[-3000:]}"


@pytest.mark.thorough
@each_page
def test_no_figure_hands_int64_to_what_wants_an_address(page):
    done = played(page)
    assert done.returncode == 0, f"`.astype(np.intp)` where it is called:\n{done.stderr[-3000:]}"


@pytest.mark.thorough
@each_page
def test_no_cell_and_no_control_does(page):
    done = played(page, "--everything")
    assert done.returncode == 0, f"`.astype(np.intp)` where it is called:\n{done.stderr[-3000:]}"


WIDE = np.array([0, 1, 1], np.longlong)
ASKED = {
    "bincount": lambda places: np.bincount(places),
    "bincount of what was drawn": lambda _: np.bincount(np.random.default_rng(1).integers(0, 3, 5)),
    "bincount of what was cast": lambda places: np.bincount(places.astype(float).astype(np.int64)),
    "bincount of a sum": lambda places: np.bincount(1 + places[[0, 1]]),
    "bincount of uint32": lambda places: np.bincount(places.astype(np.uint32)),
    "repeat": lambda places: np.repeat([4, 5, 6], places),
    "take": lambda places: np.take([4, 5, 6], places),
    "reduceat": lambda places: np.add.reduceat(np.arange(4.0), places),
    "reduceat of the largest": lambda places: np.maximum.reduceat(np.arange(4.0), places),
    "a mechanism that forgot": lambda places: blocks_that_forgot(places),
}
FINE = {
    "an address": lambda places: np.bincount(places.astype(np.intp)),
    "bytes": lambda places: np.bincount(places.astype(np.uint8)),
    "Python's numbers": lambda places: np.repeat([4, 5], [int(places[0]), 2]),
    "one for all": lambda places: np.repeat([4, 5], 2),
    "a choice of rows": lambda places: np.arange(4)[places],
    "our own": lambda places: totals(np.arange(4.0), np.append(places[[0, 1]], 4)),
}


def blocks_that_forgot(places):
    """`partitions.totals` as it would be without its cast."""
    return np.add.reduceat(np.arange(4.0), np.append(places[[0, 1]], 4)[:-1])


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_the_narrow_computer_refuses_int64(ask):
    """The other way round: each is fine here."""
    ask(WIDE)
    with addresses.narrow(), pytest.raises(addresses.Refused, match="Cannot cast"):
        ask(WIDE)


@pytest.mark.parametrize("ask", FINE.values(), ids=FINE)
def test_the_narrow_computer_takes_what_a_browser_takes(ask):
    with addresses.narrow():
        ask(WIDE)


def test_a_page_with_a_planted_fault_is_found(tmp_path):
    page = tmp_path / "fault.py"
    page.write_text("# %%\nimport numpy as np\n\nnp.bincount(np.random.default_rng(1).integers(0, 9, 5))\n")
    done = played(page, "--everything")
    assert done.returncode and "Refused: Cannot cast" in done.stderr


def test_after_it_numpy_is_as_it_was():
    before = {name: getattr(np, name) for name in ("bincount", "repeat", "take", "add", "maximum", "int64")}
    with addresses.narrow():
        assert np.bincount is not before["bincount"]
    assert before == {name: getattr(np, name) for name in before}


NUMBERS = [one for table in (data.health_insurance, data.affairs, data.election) for one in table().values()]
COUNTS = [one() for one in (data.social_network, data.search_logs, data.net_trace, data.tcp_trace)]
WHOLE = [one for one in NUMBERS + COUNTS + list(data.smoking().values()) if one.values.dtype.kind in "iu"]


@pytest.mark.parametrize("dataset", WHOLE, ids=lambda dataset: dataset.name)
def test_sums_of_whole_numbers_fit_in_32_bits(dataset):
    """In a browser numpy adds whole numbers up in 32 bits, and says nothing where they pass 2^31."""
    values = dataset.values.astype(np.int64)
    assert np.abs(values).sum() < 2**31
    assert np.square(values).sum() < 2**31, "square it as floats, and say so here"
