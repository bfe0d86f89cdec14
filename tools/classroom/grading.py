"""Grade notebooks: `python -m tools.classroom.grading exercises/03_laplace.py submitted/*.ipynb --csv scores.csv`.

Several submissions at a time; with `--keep FOLDER` the results stay there, and the next run grades only what changed.
A student is the file's name, or, in nbgrader's folders (<student>/<assignment>/<assignment>.ipynb), the folder's.
"""

import argparse
import csv
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib import metadata

from tqdm import tqdm

from tools.classroom import assignments, bubblewrap
from tools.classroom.pages import page_of
from tools.classroom.verdicts import Score, grade

PROJECT = pathlib.Path(__file__).resolve().parents[2]
# Every file that a grade can depend on, and the versions of what is not ours.
JUDGES = sorted([*PROJECT.glob("tools/classroom/**/*.py"), *PROJECT.glob("dpbook/**/*.py")])
VERSIONS = [sys.version, *(f"{name} {metadata.version(name)}" for name in ("numpy", "scipy", "PyWavelets"))]


@dataclasses.dataclass(frozen=True)
class Result:
    """What is known of one submission: its `scores`, one a task, and what its `page` shows when it is run, if asked."""

    scores: list
    page: dict | None = None


def grade_all(source, paths, keep=None, seed=None, unsafe=False, pages=False, jobs=None):
    """The `Result` of every submission to the assignment `source`, in order; `jobs` (all processors) at a time.

    `keep` is a folder of earlier results: what stands there is graded again only if the submission, the assignment, or
    the code that judges changed. `pages` runs the whole pages as well.
    """
    paths = [pathlib.Path(path) for path in paths]
    keys = {path: _key(source, path, seed, unsafe, pages) for path in paths}
    results = {path: _kept(keep, keys[path]) for path in paths}
    new = [path for path in paths if results[path] is None]
    work = functools.partial(_grade_one, assignments.read(source), seed=seed, unsafe=unsafe, pages=pages)
    with ProcessPoolExecutor(jobs or os.cpu_count()) as pool:
        each = pool.map if len(new) > 1 else map  # one alone is graded here: nbgrader's server, with threads, asks so
        graded = zip(new, each(work, new), strict=True)
        for path, result in tqdm(graded, total=len(new), unit="submission", desc=source.stem, disable=None):
            results[path] = result
            if keep is not None:
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{keys[path]}.json").write_text(json.dumps(dataclasses.asdict(result)))
    return [results[path] for path in paths]


def _grade_one(assignment, path, seed, unsafe, pages):
    scores = grade(assignment, path, student_name(assignment, path), seed, unsafe=unsafe)
    return Result(scores, page_of(assignment, path, unsafe) if pages else None)


def _key(source, path, seed, unsafe, pages):
    """A name for the result of one submission, which changes with whatever it was made from."""
    digest = hashlib.sha256(repr((path.resolve().parts, seed, unsafe, pages, VERSIONS)).encode())
    for file in (path, source, *JUDGES):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _kept(keep, key):
    """The result of an earlier run under this key, or None."""
    if keep is None or not (keep / f"{key}.json").exists():
        return None
    stored = json.loads((keep / f"{key}.json").read_text())
    return Result([Score(**score) for score in stored["scores"]], stored["page"])


def student_name(assignment, path):
    """Whose submission this is."""
    path = pathlib.Path(path).resolve()
    return path.parents[1].name if path.stem == assignment.stem else path.stem


def write_csv(scores, file):
    """The scores as a table with a head, one row for each student and task; no points where a human must grade."""
    table = csv.writer(file)
    table.writerow(["student", "task", "points", "of", "reason", "flag"])
    for score in scores:
        points = "" if score.points is None else score.points
        table.writerow([score.student, score.task, points, score.most, score.reason, score.flag])


def refusal(unsafe):
    """The sentence with which grading is refused here; "" if it may go on."""
    sentence = "" if unsafe else bubblewrap.trouble()
    return sentence and (
        f"Nothing was graded: {sentence}. Without it students' code would run with your rights on your files; "
        "--unsafe does that all the same."
    )


def main(words=None):
    """The command line; returns a sentence where it refuses."""
    parser = argparse.ArgumentParser(prog="python -m tools.classroom.grading", description="Grade submitted notebooks.")
    parser.add_argument("source", type=pathlib.Path, help="the assignment, for example exercises/03_laplace.py")
    parser.add_argument("submissions", type=pathlib.Path, nargs="+", help="submitted notebooks")
    parser.add_argument("--csv", type=pathlib.Path, help="where to write the scores (default: print them)")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder of results: grade only what changed since")
    parser.add_argument("--jobs", type=int, help="submissions at a time (default: one a processor)")
    parser.add_argument("--seed", type=int, help="repeat a grading exactly (default: fresh noise)")
    parser.add_argument("--unsafe", action="store_true", help="no jail: students' code runs with your rights")
    chosen = parser.parse_args(words)
    if sentence := refusal(chosen.unsafe):
        return sentence
    results = grade_all(
        chosen.source, chosen.submissions, chosen.keep, chosen.seed, unsafe=chosen.unsafe, jobs=chosen.jobs
    )
    scores = [score for result in results for score in result.scores]
    if chosen.csv is None:
        write_csv(scores, sys.stdout)
    else:
        with chosen.csv.open("w", newline="", encoding="utf-8") as file:
            write_csv(scores, file)
    return None


if __name__ == "__main__":
    sys.exit(main())
