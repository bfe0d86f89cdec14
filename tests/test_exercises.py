"""Assignments and their grader: solutions pass, releases hide them, mistakes are named, cheats gain nothing.

Nothing is skipped where bubblewrap is missing: `python -m tools.bubblewrap` installs it (as `make test` does).
"""

import csv
import dataclasses
import json
import pathlib
import textwrap
import time
from functools import partial

import numpy as np
import pytest

from dpbook.check import MOST, RISK, Unusable, check, draws_here
from tools import assignments, bubblewrap, grading
from tools.grading_jail import Limits, jailed_draws

PROJECT = pathlib.Path(__file__).parents[1]
SOURCES = sorted((PROJECT / "exercises").glob("[0-9]*.py"))
ALL = {source.stem: assignments.read(source) for source in SOURCES}
WRONG = [
    pytest.param(assignment, task, wrong, id=f"{stem}-{task.name}-{wrong.name}")
    for stem, assignment in ALL.items()
    for task in assignment.tasks
    for wrong in task.wrong
]
each = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
LAPLACE = ALL["03_laplace"]
SUM = dataclasses.replace(LAPLACE, tasks=[task for task in LAPLACE.tasks if task.name == "noisy_sum"])
QUICK = dataclasses.replace(LAPLACE, tasks=[task for task in LAPLACE.tasks if task.name == "scale_for_sum"])
RIGHT = {task.name: task.answer for task in LAPLACE.tasks if task.check}


@pytest.fixture(scope="module", autouse=True)
def jail():
    assert not bubblewrap.trouble(), f"{bubblewrap.trouble()}; `python -m tools.bubblewrap` tries to"


def submission(folder, name="student", **answers):
    """A submitted notebook with these answer cells."""
    cells = [
        {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": grade_id}}, "source": source}
        for grade_id, source in answers.items()
    ]
    path = folder / f"{name}.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    return path


def local(assignment, code, name, seed=1):
    """Draws from code of our own, in this process."""
    namespace = {}
    exec(assignment.setup, namespace)
    exec(code, namespace)
    return draws_here(namespace[name], seed)


# The sources, the releases and the solution books.


@each
def test_an_assignment_has_what_it_must_have(source):
    tasks = ALL[source.stem].tasks
    assert 3 <= len(tasks) <= 6
    assert sum(len(task.wrong) for task in tasks) >= 8
    assert all(task.wrong for task in tasks if task.check)
    assert any("private(" in task.check for task in tasks), "a mechanism graded by audit"
    assert any(not task.check for task in tasks), "an explanation graded by hand"
    assert "BEGIN MARK SCHEME" in source.read_text() and "BEGIN HIDDEN TESTS" in source.read_text()


@each
def test_a_release_leaks_nothing(source):
    """No line of a solution, a hidden check, a mark scheme or a wrong answer, unless it is in the task as well."""
    secret = secret_lines(source)
    assert len(secret) > 20
    assert leaks(assignments.release(source), secret) == []
    assert len(leaks(assignments.solution_book(source), secret)) > 10, "this test would not see a leak"
    for task in ALL[source.stem].tasks:
        assert {line for line in _lines(assignments.visible(task.answer)) if not line.startswith("def ")} <= secret


def leaks(notebook, secret):
    """The secret lines and the marks of secret regions that the notebook's file holds."""
    text = json.dumps(notebook, ensure_ascii=False)
    marks = ["BEGIN SOLUTION", "END SOLUTION", "HIDDEN", "MARK SCHEME", "WRONG", "DIAGNOSIS", '"wrong"']
    return [line for line in [*marks, *secret] if json.dumps(line, ensure_ascii=False)[1:-1] in text or line in text]


def secret_lines(source):
    """The lines of a source that its release must not have."""
    shown = {line for cell in assignments.release(source).cells for line in _lines(cell.source)}
    book = {line for cell in assignments.solution_book(source).cells for line in _lines(cell.source)}
    wrong = {line for task in ALL[source.stem].tasks for one in task.wrong for line in _lines(one.code)}
    return (book - shown) | {line for line in wrong - shown if not line.startswith("def ")}


def _lines(text):
    lines = {line.strip().removeprefix("# ") for line in text.splitlines()}
    return {line for line in lines if len(line) > 8 and not line.startswith(("### ", "check(", "def "))}


@each
def test_a_release_is_the_same_each_time_and_keeps_the_points(source):
    first, again = assignments.release(source), assignments.release(source)
    assert first == again
    points = [
        cell.metadata.nbgrader["points"] for cell in first.cells if cell.metadata.get("nbgrader", {}).get("grade")
    ]
    assert points == [task.points for task in ALL[source.stem].tasks]


@each
def test_the_release_says_not_yet_and_the_solution_book_says_right(source):
    """Every code cell of both notebooks, run in order as a reader runs them."""
    for make, line in ((assignments.release, "not yet: write your answer"), (assignments.solution_book, "right")):
        verdicts, namespace = [], {"__name__": "page"}
        for cell in make(source).cells:
            if cell.cell_type == "code":
                exec(cell.source, namespace)
                namespace["check"] = partial(_noted, verdicts)
        assert verdicts and all(repr(verdict).startswith(line) for verdict in verdicts)


def _noted(verdicts, *args):
    verdicts.append(check(*args))


def test_build_writes_both_notebooks(tmp_path):
    written = assignments.build(SOURCES[:1], tmp_path)
    assert [path.parent.name for path in written] == ["release", "solutions"]
    assert all(json.loads(path.read_text())["cells"] for path in written)


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ('# %% tags=["wrong"]\ndef f(): pass\n', "WRONG and DIAGNOSIS"),
        ('# %% tags=["wrong"]\n# WRONG f: a\n# DIAGNOSIS: b\nf = 1\n', "f must have a check"),
        ('# %% nbgrader={"grade_id": "f-check", "grade": true, "points": 1, "solution": false}\n1\n', "an answer cell"),
    ],
)
def test_a_source_of_another_shape_is_refused(tmp_path, cell, words):
    (tmp_path / "99_x.py").write_text(cell)
    with pytest.raises(ValueError, match=words):
        assignments.read(tmp_path / "99_x.py")


# Right answers and named mistakes.


@each
def test_solutions_get_full_marks_and_releases_none(source, tmp_path):
    """In the jail with fresh noise: a right task is refused with probability below MOST * RISK."""
    assert MOST * RISK < 1e-6
    assignments.build([source], tmp_path)
    for kind, share in (("solutions", 1), ("release", 0)):
        for score in grading.grade(ALL[source.stem], tmp_path / kind / source.with_suffix(".ipynb").name):
            assert score.points in (None, share * score.most), score


@pytest.mark.slow
@each
def test_solutions_get_full_marks_over_many_seeds(source):
    assignment = ALL[source.stem]
    for task in (task for task in assignment.tasks if task.check):
        for seed in range(3):
            verdict = grading.verdict_of(assignment, task, local(assignment, task.answer, task.name, seed))
            assert verdict.right, (task.name, seed, verdict)


@pytest.mark.slow
def test_the_private_sum_gets_full_marks_over_200_seeds():
    """The law of its solution drawn all at once: none of 200 is refused (each with probability MOST * RISK)."""
    (task,) = SUM.tasks

    def ideal(seed):
        seeds = np.random.SeedSequence(seed)

        def draw(calls, samples, shape=(), seed=None):
            ((values, bounds, epsilon),) = calls
            rng = np.random.default_rng(seeds.spawn(1)[0] if seed is None else seed)
            scale = np.abs(bounds).max() / epsilon
            return np.clip(values, *bounds).sum() + rng.laplace(scale=scale, size=(1, samples))

        return draw

    assert all(grading.verdict_of(SUM, task, ideal(seed)).right for seed in range(200))


@pytest.mark.parametrize(("assignment", "task", "wrong"), WRONG)
def test_a_mistake_fails_with_its_diagnosis(assignment, task, wrong):
    verdict = grading.verdict_of(assignment, task, local(assignment, wrong.code, task.name))
    assert not verdict.right and wrong.diagnosis in verdict.line


@pytest.mark.slow
@pytest.mark.parametrize(("assignment", "task", "wrong"), WRONG)
def test_a_mistake_gets_no_points_in_the_jail(assignment, task, wrong, tmp_path):
    one = dataclasses.replace(assignment, tasks=[task])
    (score,) = grading.grade(one, submission(tmp_path, **{task.name: wrong.code}), seed=3)
    assert score.points == 0 and wrong.diagnosis in score.reason


# Submissions that are broken.


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def scale_for_sum(low, high epsilon):", "the cell has a syntax error"),
        ("\0", "syntax error"),
        ("def scale_of_sum(low, high, epsilon):\n    return 1", "does not define this function"),
        ("scale_for_sum = 3", "does not define this function"),
        ("1 / 0", "stops with an error when it is run"),
        ("def scale_for_sum(low, high, epsilon):\n    return hihg / epsilon", "a name that is not defined"),
        ("def scale_for_sum(low, high):\n    return high", "TypeError"),
        ("def scale_for_sum(low, high, epsilon):\n    return str(high / epsilon)", "something else than the number"),
        ("def scale_for_sum(low, high, epsilon):\n    return None", "something else than the number"),
        ("def scale_for_sum(low, high, epsilon):\n    return np.ones(3)", "something else than the number"),
        ("def scale_for_sum(low, high, epsilon):\n    return np.nan", "NaN or infinite"),
        ("def scale_for_sum(low, high, epsilon):\n    raise KeyError", "it raised an error"),
        ("raise SystemExit", "stops with an error"),
    ],
)
def test_a_broken_answer_gets_zero_and_a_reason(code, words, tmp_path):
    (score,) = grading.grade(QUICK, submission(tmp_path, scale_for_sum=code))
    assert score.points == 0 and words in score.reason and score.reason.startswith("not yet: ")


def test_one_broken_answer_costs_only_its_own_task(tmp_path):
    answers = {name: answer for name, answer in RIGHT.items() if name != "noisy_sum"}
    points = {s.task: s.points for s in grading.grade(LAPLACE, submission(tmp_path, **answers, noisy_sum="def"))}
    assert points == {
        "scale_for_sum": 2, "noisy_sum": 0, "recover_count": 3, "revealing_records": 3, "explain_rounding": None,
    }  # fmt: skip


def test_missing_and_copied_cells_get_zero(tmp_path):
    (score,) = grading.grade(QUICK, submission(tmp_path, other=RIGHT["scale_for_sum"]))
    assert score.points == 0 and "is missing" in score.reason
    path = submission(tmp_path, scale_for_sum=RIGHT["scale_for_sum"])
    twice = json.loads(path.read_text())
    path.write_text(json.dumps({"cells": twice["cells"] * 2}))
    (score,) = grading.grade(QUICK, path)
    assert score.points == 0 and "there 2 times" in score.reason


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not json",
        "[]",
        "{}",
        '{"cells": 3}',
        '{"cells": [1]}',
        "[" * 100_000,
        '{"cells": [{"cell_type": "code", "metadata": {"nbgrader": {"grade_id": "scale_for_sum"}}, "source": 3}]}',
    ],
)
def test_any_file_is_graded(text, tmp_path):
    path = tmp_path / "student.ipynb"
    path.write_text(text)
    (score,) = grading.grade(QUICK, path)
    assert score.points == 0 and "cannot be read as a notebook" in score.reason


# Submissions that cheat. Each is graded by the task of the private sum, beside which nothing else may stop.

TRUTH = "def noisy_sum(values, bounds, epsilon, rng):\n    return np.clip(values, *bounds).sum()\n"
CHEATS = {
    "patch numpy's generator": """
        import numpy
        class Quiet:
            def __getattr__(self, name):
                return lambda *args, **options: numpy.zeros(options.get("size") or ())
        numpy.random.default_rng = numpy.random.Generator = lambda *args: Quiet()
    """,
    "patch the audit and the checks": """
        import dpbook.audit, dpbook.check, dpbook.laplace
        dpbook.audit.epsilon_lower_bound = dpbook.check._audit = lambda *args, **options: 0.0
        dpbook.check.judge = dpbook.check.check = lambda *args: dpbook.check.Verdict(True, "right")
        dpbook.check.RISK = 1.0
    """,
    "redefine the checks": """
        class Always:
            right, line = True, "right"
        check = judge = laplace_law = private = repeatable = lambda *args, **options: Always()
    """,
    "leave early": "import os; os._exit(0)",
    "leave with a number of its own": "import os; os._exit(43)",
    "print scores": "import sys; print('noisy_sum: 5 / 5', flush=True); sys.stderr.write('5/5'); sys.stdout.flush()",
    "forge too few bytes": "import os; [os.write(fd, b'right') for fd in (3, 4, 5, 6) if 0 == 0]",
    "forge too many bytes": """
        import os
        for fd in range(3, 20):
            try:
                os.write(fd, bytes(8 * 10_000))
            except OSError:
                pass
    """,
    "forge exactly the bytes": """
        import os, sys
        frame = sys._getframe()
        while "request" not in frame.f_locals:
            frame = frame.f_back
        calls, samples, shape, seed = frame.f_locals["request"]["call"]
        os.write(frame.f_locals["pipe"], bytes(8 * len(calls) * (samples or 1)))
        os._exit(0)
    """,
    "patch what collects": """
        import sys
        collected = lambda function, calls, samples, *rest: np.full((len(calls), samples or 1), calls[0][0].sum())
        sys._getframe(1).f_locals["collect"] = collected
        sys.modules["dpbook.check"].collect = collected
    """,
    "give an object that equals everything": """
        class Any(float):
            __eq__ = __le__ = __ge__ = lambda self, other: True
        TRUE = Any(0)
        np.clip = lambda values, *bounds: np.array([TRUE])
    """,
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_cheat_gains_no_point(cheat, tmp_path):
    code = textwrap.dedent(CHEATS[cheat]) + "\n" + TRUTH
    (score,) = grading.grade(SUM, submission(tmp_path, noisy_sum=code))
    assert score.points == 0
    assert score.reason.startswith(("not yet: ", "keep going: "))


STOPPERS = {
    "loop for ever": "while True: pass",
    "sleep for ever": "import time; time.sleep(1e6)",
    "fill memory": "hoard = [bytearray(2**26) for _ in range(10_000)]",
    "flood the pipe": "import os, sys\nwhile True: os.write(sys._getframe(1).f_locals['pipe'], bytes(2**20))",
    "fork for ever": "import os\nwhile True: os.fork()",
    "close the pipe and wait": "import os, time\nos.closerange(1, 64)\ntime.sleep(1e6)",
    "nest without end": "(" * 100_000,
}


@pytest.mark.parametrize("stopper", STOPPERS)
def test_nothing_stops_the_grading_of_the_others(stopper, tmp_path):
    started = time.monotonic()
    code = STOPPERS[stopper] + "\n" + RIGHT["scale_for_sum"]
    limits = Limits(seconds=2, megabytes=1024)
    paths = [
        submission(tmp_path, "cheat", scale_for_sum=code),
        submission(tmp_path, "honest", scale_for_sum=RIGHT["scale_for_sum"]),
    ]
    cheat, honest = (grading.grade(QUICK, path, limits=limits)[0] for path in paths)
    assert (cheat.points, honest.points) == (0, 2), (cheat, honest)
    assert time.monotonic() - started < 60  # far above what it takes: only a hang fails here


PROBES = {
    "read the project": f"os.path.exists({str(PROJECT / 'exercises')!r}) or os.path.exists({str(PROJECT / 'tests')!r})",
    "read a home": "any(os.path.exists(p) for p in ('/home', '/etc', '/proc', '/tmp', '/var', '/work'))",
    "read the environment": "any(name[-8:] != '_THREADS' for name in os.environ if name not in ('PWD', 'LC_CTYPE'))",
    "write a file": "any(able(lambda: open(os.path.join(p, 'x'), 'w').write('x')) for p in FOLDERS)",
    "make a folder": "any(able(lambda: os.mkdir(os.path.join(p, 'x'))) for p in FOLDERS)",
    "fork": "able(os.fork)",
    "start a program": "able(lambda: __import__('subprocess').run([__import__('sys').executable, '-c', '1']))",
    "start a thread": "able(__import__('threading').Thread(target=int).start)",
    "open a socket": "able(__import__('socket').socket)",
    "open a local socket": "able(lambda: __import__('socket').socketpair())",
    "see other processes": "os.getppid() > 1",
    "make a namespace": "able(lambda: __import__('ctypes').CDLL(None).unshare(0x10000000) and 1 / 0)",
    "have rights": "os.getuid() == 0 or able(lambda: os.setuid(0))",
    "raise its limits": "able(lambda: __import__('resource').setrlimit(0, (-1, -1)))",
}
ABLE = """
import os, sysconfig
FOLDERS = ["/", "/jail", "/jail/site", "/jail/site/dpbook", "/dev/shm", "/tmp", "/lib", "/usr/lib"]
FOLDERS += [*sysconfig.get_paths().values(), os.path.dirname(os.__file__)]
def able(act):
    try:
        act()
    except Exception:
        return False
    return True
"""


@pytest.mark.parametrize("probe", PROBES)
def test_the_jail_holds(probe):
    code = f"{ABLE}\ndef probe():\n    return float({PROBES[probe]})\n"
    assert jailed_draws("", code, "probe", 1)([()]).item() == 0


def test_the_probes_can_succeed_outside():
    """Without the jail the project can be seen: the probe above can fail."""
    code = f"{ABLE}\ndef probe():\n    return float({PROBES['read the project']})\n"
    assert jailed_draws("", code, "probe", 1, unsafe=True)([()]).item() == 1


def test_each_batch_is_a_fresh_process():
    code = "calls = []\ndef count(x):\n    calls.append(x)\n    return len(calls)\n"
    draw = jailed_draws("", code, "count", 1)
    assert draw([(5,), (5,)]).tolist() == [[1], [2]] and draw([(5,)]).item() == 1


def test_the_same_seed_gives_the_same_draws_and_another_does_not():
    first, again, other = (
        jailed_draws("", "def noise(rng):\n    return rng.random(2)\n", "noise", seed)([()], 3, (2,))
        for seed in (1, 1, 2)
    )
    assert first.shape == (1, 3, 2) and np.array_equal(first, again) and not np.array_equal(first, other)


# The command line.


def test_scores_come_out_as_a_table(tmp_path):
    paths = [str(submission(tmp_path, name, scale_for_sum=RIGHT["scale_for_sum"])) for name in ("ada", "=bob")]
    source, table = str(SOURCES[0]), tmp_path / "scores.csv"
    assert grading.main([source, *paths, "--csv", str(table), "--seed", "1"]) is None
    rows = list(csv.DictReader(table.open()))
    assert len(rows) == 2 * len(LAPLACE.tasks)
    assert rows[0] == {"student": "ada", "task": "scale_for_sum", "points": "2", "of": "2", "reason": "right"}
    assert rows[4]["points"] == "" and rows[4]["reason"] == grading.BY_HAND


def test_names_come_from_files_or_from_nbgraders_folders():
    assert grading.student_name(LAPLACE, "submitted/ada.ipynb") == "ada"
    assert grading.student_name(LAPLACE, "submitted/ada/03_laplace/03_laplace.ipynb") == "ada"


def test_without_bubblewrap_nothing_is_graded(monkeypatch, tmp_path):
    path = str(submission(tmp_path, scale_for_sum=RIGHT["scale_for_sum"]))
    monkeypatch.setattr(bubblewrap, "installed", lambda: None)
    sentence = grading.main([str(SOURCES[0]), path])
    assert "apt-get install bubblewrap" in sentence and "--unsafe" in sentence
    assert "" == grading.refusal(unsafe=True)
    (score,) = grading.grade(QUICK, pathlib.Path(path), unsafe=True)
    assert score.points == 2


def test_without_user_namespaces_nothing_is_graded(monkeypatch):
    monkeypatch.setattr(bubblewrap, "installed", lambda: "/bin/false")
    assert "user namespaces" in grading.refusal(unsafe=False)


def test_a_batch_that_is_too_large_is_the_authors_mistake():
    with pytest.raises(ValueError, match="at most"):
        jailed_draws("", "", "f", 1)([()], 10**9)
    with pytest.raises(Unusable):
        jailed_draws("", "", "f", 1)([()])
