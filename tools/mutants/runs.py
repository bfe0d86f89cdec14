"""How a mutant is tried: a copy of the files that git tracks, one change in it, and pytest in a fresh process.

The processes are forks of one that has numpy and the like already, and neither threads nor anything of ours.
"""

import functools
import itertools
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from tools.mutants import ROOT

CLAIMS = ("tests/test_claims.py",)
VERDICT = "test_the_verdict_is_as_stated"  # of the claims' tests, the one that a change of a mechanism can fail
OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not browser and not install and not slow"]
LIMIT = 900  # seconds for one run of the tests: a mutant that hangs is noticed
PATIENCE = 20, 6  # the same once their time is known: so many seconds, and so many times as long
PASSED, FAILED, INTERRUPTED = 100, 101, 102  # pytest's exit codes, told apart from those of a run that came to grief
PRELOADED = ["tools.mutants.runs", "numpy", "scipy.stats", "scipy.optimize", "scipy.ndimage", "pywt"]
PRELOADED += ["matplotlib.figure", "pytest"]
CHANGES = itertools.count(1)


def copy_of_tree(folder):
    """A copy of what git tracks, as it stands in the working tree."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


class FastFirst:
    """A plugin of pytest: writes how long each test took, if that is not known yet; else runs the quick ones first."""

    def __init__(self, file):
        self.file, self.seconds = Path(file), {}
        self.known = json.loads(self.file.read_text()) if self.file.exists() else None

    def pytest_collection_modifyitems(self, items):
        if self.known:
            items.sort(key=lambda item: self.known.get(item.nodeid, 0.0))

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration

    def pytest_sessionfinish(self):
        if self.known is None:
            self.file.write_text(json.dumps(self.seconds))


class VerdictsOf:
    """A plugin of pytest: of the claims' tests only the verdicts on mechanisms of a room, or on all if it has none."""

    def __init__(self, room):
        self.room = room

    def pytest_collection_modifyitems(self, items):
        verdicts = [item for item in items if item.originalname == VERDICT]
        modules = [item.callspec.params["claim"].mechanism.__module__.split(".") for item in verdicts]
        items[:] = [item for item, parts in zip(verdicts, modules, strict=True) if self.room in parts] or verdicts


def run_pytest(tree, tests, room):
    """The life of one run: pytest on the tests of this copy, silent; it ends with pytest's exit code."""
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(silence, stream)
    for name in [name for name in sys.modules if name.partition(".")[0] == "tools"]:
        del sys.modules[name]  # those of the copy are meant
    sys.path[:] = [tree, *(path for path in sys.path if path not in ("", str(ROOT)))]
    os.environ |= {"PYTHONPATH": tree, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    os.chdir(tree)
    import pytest

    plugin = VerdictsOf(room) if room else FastFirst(times_of(tests, tree))
    os._exit(PASSED + pytest.main([*OPTIONS, *tests], plugins=[plugin]))


def times_of(tests, tree):
    """The file that holds how long each of these tests took."""
    return Path(tree).parent / ("-".join(Path(test).stem for test in tests) + ".json")


def patience(tests, tree):
    """How many seconds to wait for these tests."""
    known = times_of(tests, tree)
    return PATIENCE[0] + PATIENCE[1] * sum(json.loads(known.read_text()).values()) if known.exists() else LIMIT


def passes(tests, tree, room=None):
    """Whether the tests pass in this copy, of the claims' only the verdicts on a `room` if one is named.

    A run that takes longer than `patience` does not pass. Raises RuntimeError if pytest itself could not be run: that
    says nothing of the tests.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    run = context.Process(target=run_pytest, args=(str(tree), tests, room))
    run.start()
    run.join(LIMIT if room else patience(tests, tree))
    late = run.is_alive()
    run.kill()
    run.join()
    if not late and run.exitcode not in (PASSED, FAILED, INTERRUPTED):
        raise RuntimeError(f"pytest {' '.join(tests)} ended with {run.exitcode}")
    return run.exitcode == PASSED


def write(path, text):
    """Write a source with a time of its own, so that Python compiles it again even within the same second."""
    path.write_text(text, encoding="utf-8")
    moment = 1_500_000_000 + 10 * next(CHANGES)
    os.utime(path, (moment, moment))


@functools.cache
def claims_are_sound(tree, room):
    """Whether the claims' verdicts on a room are as stated in this copy, without any change."""
    return passes(CLAIMS, tree, room)


def survives(mutant, tree):
    """Whether no test of its room notices the mutant in this copy, nor, for one of privacy, the claims' verdicts."""
    path, room = tree / mutant.file, Path(mutant.file).with_suffix("").parts[1]
    source = path.read_text(encoding="utf-8")
    write(path, mutant.changed(source))
    try:
        if not passes(mutant.tests, tree):
            return False
        asked = mutant.kind == "privacy" and mutant.tests != CLAIMS
        seen = asked and not passes(CLAIMS, tree, room)
    finally:
        write(path, source)
    return not (seen and claims_are_sound(tree, room))


def in_a_copy(mutants, workers):
    """Pairs of each mutant, in order, and whether it survives; None where its tests fail without any change.

    All tests run once as the tree stands, which also tells which are quick: for a mutant these come first.
    """
    trees = Queue()

    def borrowed(work, *arguments):
        tree = trees.get()
        try:
            return work(*arguments, tree)
        finally:
            trees.put(tree)

    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(workers) as pool:
        for worker in range(workers):
            trees.put(copy_of_tree(Path(folder) / str(worker)))
        rooms = list(dict.fromkeys(mutant.tests for mutant in mutants))
        sound = dict(zip(rooms, pool.map(lambda tests: borrowed(passes, tests), rooms), strict=True))
        results = pool.map(lambda one: borrowed(survives, one) if sound[one.tests] else None, mutants)
        yield from zip(mutants, results, strict=True)
