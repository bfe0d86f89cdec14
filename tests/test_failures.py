"""Every way in which a submission can fail is made to happen: its row names the student and says what to do.

A new way without such words fails here: `HAPPENS` must have them all, and no module of the grader may say its own.
"""

import ast
import dataclasses
import json
import pathlib
from functools import partial

import pytest

from tools.classroom import assignments, bubblewrap, failures, grading, runner, submission, worker
from tools.classroom.jail import Limits
from tools.classroom.verdicts import grade

PROJECT = pathlib.Path(__file__).parents[1]
SOURCE = PROJECT / "exercises/03_laplace.py"
LAPLACE = assignments.read(SOURCE)
QUICK = dataclasses.replace(LAPLACE, tasks=LAPLACE.tasks[:1])
(TASK,) = QUICK.tasks
HEAD = "def scale_for_sum(low, high, epsilon):\n    "
SMALL = Limits(megabytes=600)
pytestmark = pytest.mark.depends("dpbook", "exercises/03_laplace.py", "tests/test_failures.py", "tools/classroom")


def graded(folder, text, assignment=QUICK, name="scale_for_sum", limits=SMALL):
    """The row of a student whose notebook has this answer."""
    path = folder / "ada.ipynb"
    cell = {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": name}}, "source": text}
    path.write_text(json.dumps({"cells": [cell]}))
    return grade(assignment, path, "ada", limits=limits)[0]


def of_file(folder, content):
    """The row of a student whose file holds this; None: there is none."""
    path = folder / "ada.ipynb"
    if content is not None:
        path.write_bytes(content)
    return grade(QUICK, path, "ada")[0]


def too_large(folder):
    with (folder / "ada.ipynb").open("wb") as file:
        file.truncate(submission.LARGEST + 1)
    return grade(QUICK, folder / "ada.ipynb", "ada")[0]


def stumbling(folder):
    task = dataclasses.replace(TASK, check="check(scale_for_sum, lambda draw: 1 / 0)")
    return graded(folder, HEAD + "return 1", dataclasses.replace(QUICK, tasks=[task]))


def stopped(folder):
    (folder / "ada.ipynb").write_text("{}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "__name__", "this")  # prints a poem, not a result
        return grading.grade_all(SOURCE, [folder / "ada.ipynb"])[0].scores[0]


ANSWERS = {
    runner.NO_ANSWER: assignments.stub(TASK),
    runner.SYNTAX: "def scale_for_sum(low, high epsilon):",
    runner.CELL: "1 / 0",
    runner.MISSING: "x = 1",
    runner.OUTPUT: HEAD + "return 'a'",
    runner.NAME: HEAD + "return hihg",
    runner.TYPE: "def scale_for_sum(low):\n    return low",
    runner.MEMORY: HEAD + "return len(bytearray(700 * 2**20))",
    runner.NOTHING: HEAD + "high / epsilon",
    runner.ERROR: HEAD + "raise Exception",
    runner.IMPORT: "import pandas",
}
ANSWERS |= {code: HEAD + f"raise {kind.__name__}" for kind, code in runner.OF_ERRORS.items()}
HAPPENS = {
    **{failures.OF_CODE[code]: partial(graded, text=text) for code, text in ANSWERS.items()},
    failures.SLOW: lambda folder: graded(folder, "while True: pass", limits=Limits(seconds=1)),
    failures.ALL_SLOW: lambda folder: graded(folder, TASK.answer, limits=Limits(total=0)),
    failures.OTHER_END: lambda folder: graded(folder, "import os; os._exit(0)"),
    failures.INFINITE: lambda folder: graded(folder, HEAD + "return np.nan"),
    failures.NO_CELL: lambda folder: graded(folder, TASK.answer, name="other"),
    failures.TOO_LONG: lambda folder: graded(folder, "x=1\n" * 30_000),
    failures.UNJUDGED: stumbling,
    failures.NO_FILE: lambda folder: of_file(folder, None),
    failures.TOO_LARGE: too_large,
    failures.UNREADABLE: lambda folder: of_file(folder, b"no notebook"),
    failures.STOPPED: stopped,
}


@pytest.mark.parametrize("failure", failures.FAILURES, ids=lambda failure: failure.what[:40])
def test_its_row_names_the_student_and_says_what_to_do(failure, tmp_path):
    assert not bubblewrap.trouble(), f"{bubblewrap.trouble()}; `python -m tools.classroom.bubblewrap` tries to"
    row = HAPPENS[failure](tmp_path)
    start = "not yet: " + failure.what.split("{")[0]
    assert row.points == 0 and row.reason.startswith(start) and row.reason.endswith(": " + failure.do), row
    assert row.student == "ada" and len(failure.do.split()) >= 2 and "{" not in row.reason
    if failure.do == "ask your instructor":
        assert row.flag.endswith(": " + failures.FLAGS[failure].do)
    else:
        assert not row.flag or row.flag.startswith("may keep state")


def test_no_failure_is_left_out():
    """Neither here, nor of those that have a name or a code, nor one without a word for the instructor."""
    named = {one for one in vars(failures).values() if isinstance(one, failures.Failure)}
    assert set(failures.FAILURES) == named | set(failures.OF_CODE.values()) == set(HAPPENS)
    assert set(failures.OF_CODE) == {*runner.CODES, *runner.OF_ERRORS.values()} == set(ANSWERS)
    assert set(failures.FLAGS) == {one for one in failures.FAILURES if one.do == "ask your instructor"}


def own_words(text):
    """The lines where a program refuses a submission, or begins a line of feedback, in words of its own."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Raise):
            inside = list(ast.walk(node))
            refuses = any(isinstance(one, ast.Name) and one.id in ("Unusable", "Unreadable") for one in inside)
            said = refuses and any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in inside)
        else:
            words = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            said = words.startswith("not yet: ") and words != "not yet: "  # the rest comes from elsewhere
        if said:
            found.add(node.lineno)
    return sorted(found)


def test_the_grader_has_no_words_of_its_own():
    own = {"power.py", "failures.py"}  # the first grades our solutions only
    files = [one for one in (PROJECT / "tools/classroom").glob("*.py") if one.name not in own]
    assert len(files) > 15 and not {one.name: lines for one in files if (lines := own_words(one.read_text()))}
    for line in (
        'raise Unusable("it failed")',
        "raise Unusable(f'it {x}')",
        'v("not yet: it failed")',
        "f'not yet: it {x}'",
    ):
        assert own_words(line) == [1], line
    assert own_words("raise Unusable(SLOW)\nf'not yet: {SLOW}'\nraise ValueError('x')") == []


def test_of_one_id_no_more_comes_out_of_a_file_than_the_grader_reads():
    """Cells that bear nbgrader's name before those of the same id; a hundred, and twice so much text as is allowed."""
    named = {"cell_type": "code" * 9, "metadata": {"nbgrader": {"grade_id": "a"}}, "source": ["x" * 10]}
    own = {"cell_type": "code", "id": "a", "source": "another"}
    kept = json.loads(runner.take(json.dumps({"cells": [own, *[named] * 300]}), {"a": 4, "b": 4}))
    assert kept["a"] == [["codecodeco", "x" * size] for size in (5, 3, *[0] * 98)] and kept["b"] == []
    assert json.loads(runner.take(json.dumps({"cells": [own]}), {"a": 9})) == {"a": [["code", "another"]]}


@pytest.mark.parametrize(("size", "kept"), [(0, "picture"), (1, "text")])
def test_a_picture_that_is_too_large_leaves_its_words(size, kept):
    """Of the words of any output, as much as a page keeps."""
    picture = "x" * (runner.PICTURE + size)
    [[kind, content]] = runner._kept({"image/png": picture, "text/plain": "w" * (runner.TEXT + 1), "text/html": "<b>"})
    assert (kind, len(content)) == (kept, len(picture) if kept == "picture" else runner.TEXT)
    assert runner._kept({"text/html": "<b>"}) == []
