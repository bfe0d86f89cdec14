"""Tests that need not be run again: a pytest plugin.

A test marked `depends(file, ...)` depends on those files (or folders), on what they import from the project, and on
nothing else that changes. Pages have this mark by themselves. A test without it, unless it is slow, depends on what its
file imports, if that is but the book's package, what tests share, and libraries that open no file of the project; else
on every file that git keeps. That a test opens no other file of the project is watched while it runs.

With `--changed` a test is left out if all those of its file with the same mark have passed, in one run, as things stand
(`tools.book.memory`), but for those that have a target of their own.
"""

import collections
import functools
import os
import pathlib
import sys

import pytest

from tools.book.memory import Memory, everything, files, imports, key

ELSEWHERE = ("thorough", "seeds", "browser", "site", "hub", "arena", "install")  # run by targets of their own
SETTINGS = ("conftest.py", "pyproject.toml")  # what every test runs under
# What a file of tests may import and still open no file of the project.
BLIND = set(
    "__future__ collections copy dataclasses decimal fractions functools inspect io itertools json math operator "
    "pickle re string time tracemalloc types typing warnings IPython PIL ipywidgets matplotlib numpy pytest pywt scipy "
    "sklearn statsmodels dpbook livefig tests".split()
)


def pytest_addoption(parser):
    parser.addoption("--changed", action="store_true", help="leave out what has passed and depends on no changed file")


def pytest_configure(config):
    """Remember what passes: not in a worker of pytest-xdist, which sees a part, nor where parts of files are run."""
    parts = config.getoption("lf", False) or any("::" in argument for argument in config.args)
    if not hasattr(config, "workerinput") and not parts:
        config.pluginmanager.register(Passed(Memory("checked", config.rootpath)), "what passed")
    config.pluginmanager.register(Opened(config.rootpath), "what is opened")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Note with each test what it depends on, as it is before the run; with --changed leave out what is known."""
    groups = collections.defaultdict(list)
    for item in items:
        if not any(item.get_closest_marker(name) for name in ELSEWHERE) and (names := depends(item)):
            groups[item.nodeid.partition("::")[0], names].append(item)
    memory, known, imported, keys = Memory("checked", config.rootpath), set(), {}, {}
    for (file, names), group in groups.items():
        name = f"{file}: {'everything' if names is everything(config.rootpath) else ' '.join(names)}"
        now = keys[names] = keys.get(names) or key(names, config.rootpath, imported)
        for item in group:
            item.user_properties.append(("depends", [name, now, len(group)]))
        if config.option.changed and memory.has(name, now):
            known |= set(group)
    if known:
        config.hook.pytest_deselected(items=[item for item in items if item in known])
        items[:] = [item for item in items if item not in known]


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.option.changed:
        session.exitstatus = pytest.ExitCode.OK  # all that was asked for has passed before


def depends(item):
    """The files that a test depends on; none for one that always runs."""
    if mark := item.get_closest_marker("depends"):
        return mark.args
    return () if item.get_closest_marker("slow") else _unmarked(item.path, item.config.rootpath)


@functools.cache
def _unmarked(path, project):
    """The files that the tests of a file depend on where no mark says so."""
    file = path.relative_to(project)
    blind = {name[0] for name in imports(path.read_text(encoding="utf-8"), file.parts[:-1])} <= BLIND
    return (str(file), *SETTINGS) if blind else everything(project)


class Passed:
    """Counts what passes in each group of tests with the same mark; the groups of which all did are remembered."""

    def __init__(self, memory):
        self.memory, self.keys, self.left = memory, {}, {}

    def pytest_runtest_logreport(self, report):
        for name, now, size in (value for what, value in report.user_properties if what == "depends"):
            self.keys[name] = now
            self.left.setdefault(name, size)
            self.left[name] -= report.when == "call" and report.passed
            self.left[name] += report.failed  # once, and the group is never complete

    def pytest_sessionfinish(self):
        if passed := {name: self.keys[name] for name, left in self.left.items() if left == 0}:
            self.memory.keep(passed)


class Opened:
    """Fails a test that opens a file of the project on which, by its mark or by what it imports, it does not depend."""

    def __init__(self, project):
        self.project, self.names, self.imported = project, None, {}
        sys.addaudithook(self.hear)

    def hear(self, event, arguments):
        """Note a file of the project that is opened while a test runs; not what Python has compiled of one."""
        if event == "open" and self.names is not None and isinstance(arguments[0], str | os.PathLike):
            path = pathlib.Path(os.path.abspath(arguments[0]))
            if path.is_relative_to(self.project) and path.suffix != ".pyc":
                self.names.add(str(path.relative_to(self.project)))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        names = depends(item)
        if isinstance(item, pytest.Function) and names and names is not everything(self.project):
            self.names = set()
        try:
            result = yield
        finally:
            opened, self.names = self.names or set(), None
        if opened := opened & set(everything(self.project) or ()):
            known = {str(file.relative_to(self.project)) for file in files(names, self.project, self.imported)}
            assert opened <= known, f"opened {', '.join(opened - known)}: say so with pytest.mark.depends"
        return result
