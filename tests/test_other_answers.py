"""Answers that are right in another way than the solution pass; what only looks private does not: other_answers.toml.

Each is judged as a submission is, by visible and hidden checks.
"""

import ast
import pathlib
import textwrap
import tomllib

import pytest

from dpbook.check import draws_here
from tools.classroom import assignments
from tools.classroom.verdicts import ELSEWHERE, verdict_of

HERE = pathlib.Path(__file__).parent
FOUND = {  # for each task's name: its assignment, and the task
    task.name: (assignment, task)
    for source in sorted((HERE.parent / "exercises").glob("[0-9]*.py"))
    for assignment in [assignments.read(source)]
    for task in assignment.tasks
}
OTHERS = tomllib.loads((HERE / "other_answers.toml").read_text(encoding="utf-8"))
FEWEST = 5  # right answers of a task that draws
pytestmark = [
    pytest.mark.slow,
    pytest.mark.depends(
        "dpbook", "exercises", "tests/test_other_answers.py", "tests/other_answers.toml", "tools/classroom"
    ),
]


def cases(kind):
    """Each draws all that its task asks for: the first of a task in `make test`, the others in `make thorough`."""
    return [
        pytest.param(task, body, id=f"{task}-{name}", marks=[pytest.mark.thorough] * (place > 0))
        for task, kinds in OTHERS.items()
        for place, (name, body) in enumerate(kinds.get(kind, {}).items())
    ]


def verdict(name, body, seed):
    """What the grader says of a function with the head of the solution and this body."""
    assignment, task = FOUND[name]
    head = next(node for node in ast.parse(task.answer).body if isinstance(node, ast.FunctionDef) and node.name == name)
    code, namespace = f"def {name}({ast.unparse(head.args)}):\n{textwrap.indent(body, '    ')}", {}
    exec(assignment.setup, namespace)
    exec(code, namespace)
    return verdict_of(assignment, task, draws_here(namespace[name], seed), seed)


def test_a_task_that_draws_has_five_other_right_answers():
    for name, kinds in OTHERS.items():
        head = ast.parse(FOUND[name][1].answer).body[0]
        draws = any(argument.arg == "rng" for argument in head.args.args)
        assert len(kinds["right"]) >= (FEWEST if draws else 3), name
        assert not draws or len(kinds["sly"]) >= 3, name


@pytest.mark.parametrize(("task", "body"), cases("right"))
def test_an_answer_that_is_right_in_another_way_passes(task, body):
    """Each is refused with probability below 1e-8."""
    assert verdict(task, body, 11).line == "right"


@pytest.mark.parametrize(("task", "body"), cases("sly"))
def test_what_only_looks_right_is_refused(task, body):
    line = verdict(task, body, 12).line
    assert line.startswith("keep going: ")
    if ELSEWHERE in line:
        assert not any(letter.isdigit() for letter in line)
