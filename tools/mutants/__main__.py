"""Try mutants: `python -m tools.mutants` all, `python -m tools.mutants svt alp` some; prints those that survive.

Works on copies of the files that git tracks, one a worker. Each mutant meets the tests of its room, stopping at the
first that fails; one that survives there, and lies in `dpbook`, meets the tests of the claims as well. Ends with 1 if a
privacy mutant survives, or if the tests fail without any change.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from tools.mutants import ROOT, read_mutants

CLAIMS = ("tests/test_claims.py",)
MARKS = "not browser and not install and not slow"
LIMIT = 900  # seconds for one run of the tests: a mutant that hangs is noticed


def copy_of_tree(folder):
    """A copy of what git tracks, as it stands in the working tree."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def passes(tests, tree):
    """Whether the tests pass in this copy; one that takes longer than the limit does not."""
    # No bytecode: a file that changes twice in a second would not be compiled again.
    environment = os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", MARKS]
    try:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
        return not subprocess.run([*command, *tests], cwd=tree, env=environment, timeout=LIMIT, **quiet).returncode
    except subprocess.TimeoutExpired:
        return False


def survives(mutant, tree):
    """Whether no test of its room, nor of the claims, notices the mutant in this copy."""
    path = tree / mutant.file
    source = path.read_text()
    path.write_text(mutant.changed(source))
    try:
        claims = CLAIMS if mutant.file.startswith("dpbook/") and mutant.kind == "privacy" else ()
        return passes(mutant.tests, tree) and (not claims or passes(claims, tree))
    finally:
        path.write_text(source)


def main():
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__.partition("\n\n")[0])
    parser.add_argument("stems", nargs="*", help="the rooms to try, such as svt; all of them if none is named")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    mutants, began = read_mutants(options.stems), time.monotonic()
    trees = Queue()

    def borrowed(work, *arguments):
        tree = trees.get()
        try:
            return work(*arguments, tree)
        finally:
            trees.put(tree)

    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(options.workers) as pool:
        for worker in range(options.workers):
            trees.put(copy_of_tree(Path(folder) / str(worker)))
        rooms = sorted({mutant.tests for mutant in mutants})
        sound = list(pool.map(lambda tests: borrowed(passes, tests), rooms))
        failing = [tests for tests, fine in zip(rooms, sound, strict=True) if not fine]
        for tests in failing:
            print(f"fails without any change: {' '.join(tests)}", flush=True)
        alive = []
        tried = [mutant for mutant in mutants if mutant.tests not in failing]
        results = pool.map(lambda mutant: borrowed(survives, mutant), tried)
        for number, (mutant, lives) in enumerate(zip(tried, results, strict=True), 1):
            if lives:
                alive.append(mutant)
                print(
                    f"survives: {mutant}" + (f"\n          because {mutant.reason}" * bool(mutant.reason)), flush=True
                )
            if number % 25 == 0:
                print(f"{number} of {len(tried)} tried, {len(alive)} survive", flush=True)
    unexplained = [mutant for mutant in alive if not mutant.reason]
    worst = [mutant for mutant in alive if mutant.kind == "privacy" and not mutant.reason]
    minutes = (time.monotonic() - began) / 60
    print(
        f"{len(tried)} mutants, {len(tried) - len(alive)} noticed, {len(alive)} survive, {len(unexplained)} without a"
    )
    print(f"reason, {len(worst)} of them break privacy; {minutes:.0f} minutes")
    return 1 if worst or failing else 0


if __name__ == "__main__":
    sys.exit(main())
