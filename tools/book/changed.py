"""Tests that need not be run again: a pytest plugin.

A test marked `depends(file, ...)` depends on those files (or folders), on what they import from `dpbook`, and on
nothing else that changes. With `--changed` it is left out if all tests with the same mark have passed, in one run, as
things stand (`tools.book.memory`), but for those that have a target of their own. Pages have this mark by themselves.
"""

import collections

import pytest

from tools.book.memory import Memory, key

ELSEWHERE = ("thorough", "seeds", "browser", "site", "hub", "arena", "install")  # run by targets of their own


def pytest_addoption(parser):
    parser.addoption("--changed", action="store_true", help="leave out what has passed and depends on no changed file")


def pytest_configure(config):
    """Remember what passes: not in a worker of pytest-xdist, which sees a part only."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Passed(Memory("checked", config.rootpath)), "what passed")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Note with each test what it depends on, as it is before the run; with --changed leave out what is known."""
    groups = collections.defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("depends")
        if mark and not any(item.get_closest_marker(name) for name in ELSEWHERE):
            groups[mark.args].append(item)
    memory, known, imported = Memory("checked", config.rootpath), set(), {}
    for names, group in groups.items():
        name, now = " ".join(names), key(names, config.rootpath, imported)
        for item in group:
            item.user_properties.append(("depends", [name, now, len(group)]))
        if config.option.changed and memory.has(name, now):
            known |= set(group)
    if known:
        config.hook.pytest_deselected(items=[item for item in items if item in known])
        items[:] = [item for item in items if item not in known]


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
