"""What a submission is worth: the answers are taken by their grade_id, run in the jail, and judged here.

Of a submission only the answer cells are taken; checks, data and all judging are the source's own. Each batch of
outputs comes from a fresh jailed process (`tools.classroom.jail`). A task gives all its points or none; the reason is
the line of the first check that failed. Explanations are left for a human.
"""

import json
import secrets
from dataclasses import dataclass

from dpbook.check import Verdict, judge
from tools.classroom.flags import kept_state
from tools.classroom.jail import jailed_draws

LARGEST = 10 * 2**20  # bytes of a submitted notebook
BY_HAND = "to be graded by hand"
UNREADABLE = "this file cannot be read as a notebook of this assignment"


@dataclass(frozen=True)
class Score:
    """What one student got for one task: `points` of `most` (None: by hand) and the reason in one line.

    `flag` says why a human should look at the answer as well; it is not for the student.
    """

    student: str
    task: str
    points: float | None
    most: float
    reason: str
    flag: str = ""


class Unreadable(Exception):
    """A submission, or an answer in it, that cannot be taken from the file; the message says why."""


def grade(assignment, path, student, seed=None, limits=None, unsafe=False):
    """The list of `Score`, one a task, of the `student`'s submission at `path`.

    `seed` gives the generators of the student's functions; None is a fresh one each time. Any file is graded: what
    cannot be read gets zero and says why.
    """
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
    flag = kept_state(answer)
    try:
        verdict = verdict_of(assignment, task, draw)
    except Exception as error:  # a check stumbled over the numbers of an answer: that may not stop the grading
        verdict = Verdict(False, "not yet: what it gave could not be judged; ask your instructor")
        flag = f"the check raised {type(error).__name__}: {error}"
    return Score(student, task.name, task.points if verdict.right else 0, task.points, verdict.line, flag)


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
        raise Unreadable(UNREADABLE) from None


def answer_cell(cells, name):
    """The source of the one cell with this grade_id; `Unreadable` where there is none, or more than one."""
    found = [source for grade_id, source in cells if grade_id == name]
    if len(found) != 1:
        trouble = "missing" if not found else f"there {len(found)} times"
        raise Unreadable(f"the answer cell {name} is {trouble}: was it deleted or copied?")
    return found[0]
