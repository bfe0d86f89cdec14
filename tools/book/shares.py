"""How the tests are shared out between workers, so that none idles at the end: a pytest plugin for pytest-xdist.

A page is one piece of work: its cells need one kernel. So is a file of tests that share what a fixture has made once
for all of them (`scope="module"`). So are the tests of a file that get the same parameter: what the first has worked
out about it the others find (the laws of a claim, the parts of an assignment). Every other test is a piece of its own.
What takes longest comes first: what is marked `install`, the files with such fixtures, the pages, what is marked
`slow`; the small tests fill up the rest.
"""

import contextlib
import functools
import importlib
import pathlib
import re

import pytest
from xdist.scheduler import LoadScopeScheduling


class Shares(LoadScopeScheduling):
    """Hands out pieces in the order in which they were collected."""

    def _split_scope(self, nodeid):
        return piece(nodeid)


def piece(nodeid, folder=pathlib.Path()):
    """The name of the piece of work that a test belongs to: its file, or its parameter there, or the test itself."""
    file, _, test = nodeid.partition("::")
    if file.endswith(".ipynb") or shares_a_fixture(folder / file):
        return file
    _, bracket, parameter = test.partition("[")
    return f"{file}::{bracket}{parameter}" if bracket else nodeid


@functools.cache
def shares_a_fixture(file):
    return re.search(r'(?m)^@pytest.fixture\(scope="module"', file.read_text()) is not None


def rank(item):
    """0 for what comes first."""
    file = item.nodeid.partition("::")[0]
    first = [
        item.get_closest_marker("install") is not None,
        not file.endswith(".ipynb") and shares_a_fixture(item.path),
        file.endswith(".ipynb"),
        item.get_closest_marker("slow") is not None,
    ]
    return first.index(True) if any(first) else len(first)


@pytest.hookimpl
def pytest_collectstart(collector):
    """In a fresh clone pytest rewrites the asserts of each file, once for all: each worker does its share first."""
    worker = getattr(collector.config, "workerinput", None)
    if worker and isinstance(collector, pytest.Session):
        files = [file for name in collector.config.args for file in files_of(pathlib.Path(name))]
        for file in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
            with contextlib.suppress(Exception, pytest.skip.Exception):  # it will be said when the file's turn comes
                importlib.import_module(file.stem)


def files_of(place):
    """The files of tests that an argument of pytest names."""
    return sorted(place.glob("test_*.py")) if place.is_dir() else [place] if place.match("test_*.py") else []


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    config.option.loadscopereorder = False  # it would put the files with the most tests first
    return Shares(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    items.sort(key=rank)
