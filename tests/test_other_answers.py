"""Answers that are right in another way than the solution pass; what only looks private does not: other_answers.toml.

Each is judged as a submission is, by visible and hidden checks.
"""

import ast
import pathlib
import textwrap
import tomllib

import numpy as np
import pytest
from scipy import stats

from dpbook.check import draws_here
from tests.other_ways import WAYS
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
DRAWS = [  # tasks whose function is given a generator
    name for name, (_, task) in FOUND.items() if task.wrong and "rng):" in task.answer.split("\n    ")[0]
]
AT_ONCE = ("noisy_value", "pick", "release_sums")  # each in its own way in `make test`, the others in `make thorough`
LONG = {"noisy_round", "noisy_reports", "running_totals", "private_counts"}  # their right answers draw for 3 to 10 s
pytestmark = [
    pytest.mark.slow,
    pytest.mark.depends(
        "dpbook", "exercises", "tests/test_other_answers.py", "tests/other_answers.toml", "tools/classroom"
    ),
]


def cases(kind):
    """Each draws all that its task asks for: the first of a task in `make test`, the others in `make thorough`."""
    later = LONG if kind == "right" else ()
    return [
        pytest.param(task, body, id=f"{task}-{name}", marks=[pytest.mark.thorough] * (place > 0 or task in later))
        for task, kinds in OTHERS.items()
        for place, (name, body) in enumerate(kinds.get(kind, {}).items())
    ]


def verdict(name, body, seed):
    """What the grader says of a function with the head of the solution and this body."""
    assignment, task = FOUND[name]
    head = next(node for node in ast.parse(task.answer).body if isinstance(node, ast.FunctionDef) and node.name == name)
    code = f"def {name}({ast.unparse(head.args)}):\n{textwrap.indent(body, '    ')}"
    return verdict_of(assignment, task, draws_here(assignments.defined(assignment, code, name), seed), seed)


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


@pytest.mark.parametrize(
    ("name", "way"),
    [
        pytest.param(name, way, marks=[] if (name, way) in zip(AT_ONCE, WAYS, strict=False) else [pytest.mark.thorough])
        for name in DRAWS
        for way in WAYS
    ],
)
def test_right_noise_passes_however_it_is_made(name, way):
    """The solution, with a generator that makes the same distributions otherwise; refused once in 1e8 gradings."""
    assignment, task = FOUND[name]
    function = assignments.defined(assignment, task.answer, name)

    def otherwise(*call):
        return function(*call[:-1], WAYS[way](call[-1]))

    assert verdict_of(assignment, task, draws_here(otherwise, 13), 13).line == "right"


@pytest.mark.parametrize("way", WAYS)
def test_the_ways_make_these_distributions_and_from_other_numbers(way):
    """Kolmogorov's distance of 40,000 numbers passes 0.015 with probability below 1e-7; fixed seed."""
    rng, plain, size = WAYS[way](np.random.default_rng(3)), np.random.default_rng(3), 40_000
    for drawn, law in (
        (rng.laplace(2.0, 3.0, size), stats.laplace(2, 3)),
        (rng.laplace(scale=np.full((200, 200), 0.5)).ravel(), stats.laplace(scale=0.5)),
        (rng.normal(-1.0, 2.0, size), stats.norm(-1, 2)),
        (rng.standard_normal((200, 200)).ravel(), stats.norm()),
        (rng.random(size), stats.uniform()),
    ):
        assert stats.kstest(drawn, law.cdf).statistic < 0.015
    chances = np.array([0.5, 0.1, 0.0, 0.4])
    seen = np.bincount(rng.choice(4, size, p=chances), minlength=4) / size
    assert np.abs(seen - chances).max() < 0.015 and seen[2] == 0
    assert rng.choice(["a", "b"], p=[0.0, 1.0]) == "b" and np.ndim(rng.laplace()) == 0 == np.ndim(rng.random())
    counts = np.bincount(rng.negative_binomial(0.3, 0.4, size), minlength=30)[:3] / size
    assert np.abs(counts - stats.nbinom.pmf(range(3), 0.3, 0.4)).max() < 0.015
    assert not np.array_equal(WAYS[way](np.random.default_rng(3)).laplace(size=9), plain.laplace(size=9))


@pytest.mark.parametrize(("task", "body"), cases("sly"))
def test_what_only_looks_right_is_refused(task, body):
    line = verdict(task, body, 12).line
    assert line.startswith("keep going: ")
    if ELSEWHERE in line:
        assert not any(letter.isdigit() for letter in line)
