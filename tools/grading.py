"""Grade notebooks: `python -m tools.grading exercises/03_laplace.py submitted/*.ipynb --csv scores.csv`.

Of a submission only the answer cells are taken, by their grade_id; checks, data and all judging are the source's own.
Each batch of outputs comes from a fresh jailed process (`tools.grading_jail`). A task gives all its points or none; the
reason is the line of the first check that failed. Explanations are left for a human. A student is the file's name, or,
in nbgrader's folders (<student>/<assignment>/<assignment>.ipynb), the folder's.
"""

import argparse
import csv
import json
import pathlib
import secrets
import sys
from dataclasses import dataclass

from tqdm import tqdm

from dpbook.check import Verdict, judge
from tools import assignments, bubblewrap
from tools.grading_jail import jailed_draws

LARGEST = 10 * 2**20  # bytes of a submitted notebook
BY_HAND = "to be graded by hand"


@dataclass(frozen=True)
class Score:
    """What one student got for one task: `points` of `most` (None: by hand) and the reason in one line."""

    student: str
    task: str
    points: float | None
    most: float
    reason: str


class Unreadable(Exception):
    """A submission, or an answer in it, that cannot be taken from the file; the message says why."""


def grade(assignment, path, seed=None, limits=None, unsafe=False):
    """The list of `Score`, one a task, of the submission at `path`.

    `seed` gives the generators of the student's functions; None is a fresh one each time. Any file is graded: what
    cannot be read gets zero and says why.
    """
    student = student_name(assignment, path)
    seed = secrets.randbits(64) if seed is None else seed
    try:
        cells = read_cells(path)
    except Unreadable as reason:
        return [Score(student, task.name, 0, task.points, f"not yet: {reason}") for task in assignment.tasks]
    return [_score(student, assignment, task, cells, seed, limits, unsafe) for task in assignment.tasks]


def _score(student, assignment, task, cells, seed, limits, unsafe):
    if not task.check:
        return Score(student, task.name, None, task.points, BY_HAND)
    try:
        answer = answer_cell(cells, task.name)
    except Unreadable as reason:
        return Score(student, task.name, 0, task.points, f"not yet: {reason}")
    draw = jailed_draws(assignment.setup, answer, task.name, seed, limits, unsafe)
    verdict = verdict_of(assignment, task, draw)
    return Score(student, task.name, task.points if verdict.right else 0, task.points, verdict.line)


def verdict_of(assignment, task, draw):
    """The `Verdict` of a task's checks, visible and hidden, on the answer that `draw` draws from.

    The checks are the source's own code and run here; after the first that fails the others are not asked.
    """
    verdicts = []

    def check(answer, *requirements):
        if all(verdict.right for verdict in verdicts):
            verdicts.append(judge(answer, requirements))

    namespace = {"__name__": "judging"}
    exec(assignment.setup, namespace)
    namespace.update({"check": check, task.name: draw})
    exec(task.check, namespace)
    if not verdicts:
        raise ValueError(f"the check of {task.name} never calls check(...)")
    return next((verdict for verdict in verdicts if not verdict.right), Verdict(True, "right"))


def read_cells(path):
    """The code cells of a notebook with a grade_id, as a list of (grade_id, source); `Unreadable` if it is none."""
    try:
        if path.stat().st_size > LARGEST:
            raise Unreadable("the notebook is too large")
        found = [
            (cell["metadata"]["nbgrader"]["grade_id"], cell["source"])
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
            if cell["cell_type"] == "code" and "nbgrader" in cell["metadata"]
        ]
        return [(name, "".join(source)) for name, source in found]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise Unreadable("this file cannot be read as a notebook of this assignment") from None


def answer_cell(cells, name):
    """The source of the one cell with this grade_id; `Unreadable` where there is none, or more than one."""
    found = [source for grade_id, source in cells if grade_id == name]
    if len(found) != 1:
        trouble = "missing" if not found else f"there {len(found)} times"
        raise Unreadable(f"the answer cell {name} is {trouble}: was it deleted or copied?")
    return found[0]


def student_name(assignment, path):
    """Whose submission this is."""
    path = pathlib.Path(path).resolve()
    return path.parents[1].name if path.stem == assignment.stem else path.stem


def write_csv(scores, file):
    """The scores as a table with a head, one row for each student and task; no points where a human must grade."""
    table = csv.writer(file)
    table.writerow(["student", "task", "points", "of", "reason"])
    for score in scores:
        table.writerow(
            [score.student, score.task, "" if score.points is None else score.points, score.most, score.reason]
        )


def refusal(unsafe):
    """The sentence with which grading is refused here; "" if it may go on."""
    sentence = "" if unsafe else bubblewrap.trouble()
    return sentence and (
        f"Nothing was graded: {sentence}. Without it students' code would run with your rights on your files; "
        "--unsafe does that all the same."
    )


def main(words=None):
    """The command line; returns a sentence where it refuses."""
    parser = argparse.ArgumentParser(prog="python -m tools.grading", description="Grade submitted notebooks.")
    parser.add_argument("source", type=pathlib.Path, help="the assignment, for example exercises/03_laplace.py")
    parser.add_argument("submissions", type=pathlib.Path, nargs="+", help="submitted notebooks")
    parser.add_argument("--csv", type=pathlib.Path, help="where to write the scores (default: print them)")
    parser.add_argument("--seed", type=int, help="repeat a grading exactly (default: fresh noise)")
    parser.add_argument("--unsafe", action="store_true", help="no jail: students' code runs with your rights")
    chosen = parser.parse_args(words)
    if sentence := refusal(chosen.unsafe):
        return sentence
    assignment = assignments.read(chosen.source)
    scores = []
    for path in tqdm(chosen.submissions, unit="submission", disable=None):
        scores += grade(assignment, path, chosen.seed, unsafe=chosen.unsafe)
    if chosen.csv is None:
        write_csv(scores, sys.stdout)
    else:
        with chosen.csv.open("w", newline="", encoding="utf-8") as file:
            write_csv(scores, file)
    return None


if __name__ == "__main__":
    sys.exit(main())
