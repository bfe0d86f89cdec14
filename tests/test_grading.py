"""The grader: broken submissions get zero and a reason, cheats gain nothing, nothing stops the grading of the others.

Nothing is skipped where bubblewrap is missing: `make test` installs it (`python -m tools.classroom.bubblewrap`).
"""

import csv
import dataclasses
import html
import io
import json
import os
import pathlib
import platform
import re
import resource
import subprocess
import sys
import tempfile
import textwrap
import time

import numpy as np
import pytest

from dpbook.check import Unusable, draws_here, words
from tools.classroom import assignments, bubblewrap, grading, kept, pages, single, submission, worker
from tools.classroom.at_once import additive_draws
from tools.classroom.flags import branches, kept_state
from tools.classroom.jail import Limits, jailed_draws
from tools.classroom.verdicts import BY_HAND, Score, grade, grade_taken, told, verdict_of

pytestmark = pytest.mark.depends("dpbook", "exercises", "tests/test_grading.py", "tools/classroom")

PROJECT = pathlib.Path(__file__).parents[1]
SOURCE = PROJECT / "exercises/03_laplace.py"
LAPLACE = assignments.read(SOURCE)
SUM = dataclasses.replace(LAPLACE, tasks=[task for task in LAPLACE.tasks if task.name == "noisy_sum"])
QUICK = dataclasses.replace(LAPLACE, tasks=[task for task in LAPLACE.tasks if task.name == "scale_for_sum"])
RIGHT = {task.name: task.answer for task in LAPLACE.tasks if task.check}


def with_check(assignment, check):
    """An assignment of one task, with this check in the place of its own."""
    return dataclasses.replace(assignment, tasks=[dataclasses.replace(assignment.tasks[0], check=check)])


VISIBLE = with_check(SUM, assignments.visible(SUM.tasks[0].check))


@pytest.fixture(scope="session", autouse=True)
def jail():
    assert not bubblewrap.trouble(), f"{bubblewrap.trouble()}; `python -m tools.classroom.bubblewrap` tries to"


def handed_in(folder, name="student", **answers):
    """A submitted notebook with these answer cells."""
    cells = [
        {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": grade_id}}, "source": source}
        for grade_id, source in answers.items()
    ]
    path = folder / f"{name}.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    return path


def quick_source(folder):
    """The first task of the assignment as an assignment of its own."""
    source, text = folder / "quick.py", SOURCE.read_text()
    source.write_text(text[: text.index("# %% [markdown]\n# ## 2. A private sum")])
    return source


# Submissions that are broken.


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("\0", "syntax error"),
        ("scale_for_sum = 3", "does not define this function"),
        ("def scale_for_sum(low, high, epsilon):\n    return np.ones(3)", "something else than the number"),
        ("def scale_for_sum(low, high, epsilon):\n    import pandas", "imports what the grader does not have"),
        ("raise SystemExit", "stops with an error"),
    ],
)
def test_a_broken_answer_gets_zero_and_a_reason(code, words, tmp_path):
    """In other ways than those of `tests/test_failures.py`, which has one for each reason that there is."""
    (score,) = grade(QUICK, handed_in(tmp_path, scale_for_sum=code), "ada")
    assert score.points == 0 and words in score.reason and score.reason.startswith("not yet: ")


def test_one_broken_answer_costs_only_its_own_task(tmp_path):
    answers = {name: answer for name, answer in RIGHT.items() if name != "noisy_sum"}
    points = {s.task: s.points for s in grade(LAPLACE, handed_in(tmp_path, **answers, noisy_sum="def"), "ada")}
    assert points == {
        "scale_for_sum": 2, "noisy_sum": 0, "recover_count": 3, "revealing_records": 3, "explain_rounding": 0,
    }  # fmt: skip


def cell(grade_id, source, kind="code", **more):
    return {"cell_type": kind, "metadata": {"nbgrader": {"grade_id": grade_id}}, "source": source, **more}


def quick_points(tmp_path, *cells, **more):
    path = tmp_path / "student.ipynb"
    path.write_text(json.dumps({"cells": cells, **more}))
    (score,) = grade(QUICK, path, "ada")
    return score


def test_copied_split_and_renamed_cells_are_answers(tmp_path):
    """What JupyterLab makes of two keys; an id that was lost is found as the cell's own."""
    answer, stub = RIGHT["scale_for_sum"], assignments.stub(QUICK.tasks[0])
    head, body = answer.split("\n", 1)
    own = {"cell_type": "code", "metadata": {}, "id": "scale_for_sum", "source": answer}
    renamed = cell("renamed", answer, id="scale_for_sum")
    worth = cell("scale_for_sum", answer)
    worth["metadata"]["nbgrader"].update(points=500, grade=True, locked=False)
    for cells in (
        [worth, cell("scale_for_sum-check", "", metadata={"nbgrader": {"points": 100}})],
        [cell("scale_for_sum", answer)] * 2,
        [cell("scale_for_sum", head), cell("scale_for_sum", body)],
        [cell("scale_for_sum", answer), cell("scale_for_sum", stub)],
        [own],
        [renamed],
        [cell("unknown", "1 / 0"), cell("scale_for_sum", answer), cell("scale_for_sum-check", "x"), cell(["?"][0], "")],
        [cell("scale_for_sum", "notes", "markdown"), cell("scale_for_sum", [answer])],
        [cell("scale_for_sum", answer), cell("other", "1 / 0", id="scale_for_sum")],
    ):
        assert quick_points(tmp_path, *cells).points == 2, cells


def test_what_is_taken_and_what_it_may_cost(tmp_path):
    """Outputs, metadata and further cells never count; each limit has its own sentence."""
    answer = RIGHT["scale_for_sum"]
    printed = [{"output_type": "stream", "name": "stdout", "text": "x" * 12_000_000}]
    assert quick_points(tmp_path, cell("scale_for_sum", answer, outputs=printed)).points == 2
    assert quick_points(tmp_path, cell("scale_for_sum", answer), *[cell("x", "1")] * 3000).points == 2
    assert quick_points(tmp_path, cell("scale_for_sum", answer), metadata={"x": [[]] * 500_000}).points == 2
    for text in ("x=1\n" * 30_000, "x" * 10_000_000):
        assert "longer than 100000 characters" in quick_points(tmp_path, cell("scale_for_sum", text)).reason
    path = tmp_path / "large.ipynb"
    with path.open("wb") as file:
        file.truncate(submission.LARGEST + 1)
    (score,) = grade(QUICK, path, "ada")
    assert "clear its outputs" in score.reason


def test_a_file_costs_no_memory_outside_the_jail(tmp_path, monkeypatch):
    """A notebook of empty lists would be a gigabyte of Python: the jail refuses it, and the grader never parses it."""
    path = tmp_path / "bomb.ipynb"
    path.write_text('{"cells": [], "metadata": [' + "[]," * 8_000_000 + "[]]}")
    monkeypatch.setattr(submission, "LIMITS", Limits(20, 400))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (score,) = grade(QUICK, path, "ada")
    assert score.points == 0 and "clear its outputs" in score.reason
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000, "kilobytes"


def test_an_explanation_is_shown_letter_by_letter():
    """No character that Markdown, HTML or TeX knows is left, so nothing in it can cost time or lead elsewhere."""
    text = "\\begin{a}" * 2000 + "[x](javascript:alert(1)) <b> $x<y$ `z` \u00e9\n\n* one & two"
    shown = submission.as_typed(text)
    inside = shown[shown.index(">") + 1 : shown.rindex("<")].replace("<br>", "")
    assert not set(re.sub(r"&#\d+;", "", inside)) - submission.PLAIN - {"\u00e9"}
    assert html.unescape(shown[shown.index(">") + 1 : shown.rindex("<")].replace("<br>", "\n")) == text
    long = handed_text("x" * (submission.EXPLANATION + 1))
    assert "longer than 20000 characters" in long.reason and long.points == 0


def handed_text(text):
    taken = submission.Submission({}, {})
    with tempfile.TemporaryDirectory() as folder:
        path = handed_in(pathlib.Path(folder), explain_rounding=text)
        taken = submission.read(LAPLACE, path)
    words = dataclasses.replace(LAPLACE, tasks=[task for task in LAPLACE.tasks if not task.check])
    return grade_taken(words, taken, "ada")[0]


def test_a_byte_order_mark_is_no_trouble(tmp_path):
    path = handed_in(tmp_path, scale_for_sum=RIGHT["scale_for_sum"])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert grade(QUICK, path, "ada")[0].points == 2


# Submissions, directories and workers that must not stop the others.

BOMBS = {
    "nested attributes": "np" + ".a" * 1500 + " = 1\n",
    "nested calls": "x = " + "f(" * 90 + ")" * 90 + "\n",
    "nested lists": "x = " + "[" * 3000 + "]" * 3000 + "\n",
    "many lines": "x=1\n" * 20_000,
    "a long sum": "x = " + "+".join(["1"] * 20_000) + "\n",
    "lone surrogates": "x = '\ud800'\n",
}


def test_no_submission_stops_the_others(tmp_path):
    """One line, a directory, a file that is not there: a row each, and the honest one has its points."""
    source = quick_source(tmp_path)
    honest = handed_in(tmp_path, "honest", scale_for_sum=RIGHT["scale_for_sum"])
    bombs = [handed_in(tmp_path, name, scale_for_sum=code + "1 +") for name, code in BOMBS.items()]
    (tmp_path / "folder.ipynb").mkdir()
    os.mkfifo(tmp_path / "pipe.ipynb")
    paths = [*bombs, *(tmp_path / f"{name}.ipynb" for name in ("folder", "pipe", "gone")), honest]
    rows = [result.scores[0] for result in grading.grade_all(source, paths, tmp_path / "kept")]
    assert [row.student for row in rows] == [*BOMBS, "folder", "pipe", "gone", "honest"]
    assert [row.points for row in rows] == [0] * (len(rows) - 1) + [2]
    assert all("no file that can be read" in rows[place].reason for place in (-4, -2))


def test_a_dead_or_hanging_worker_is_a_row_and_is_tried_again(tmp_path, monkeypatch):
    source, keep = quick_source(tmp_path), tmp_path / "kept"
    path = handed_in(tmp_path, "ada", scale_for_sum=RIGHT["scale_for_sum"])
    with monkeypatch.context() as patch:
        patch.setattr(worker, "__name__", "this")  # prints a poem, not a result
        (result,) = grading.grade_all(source, [path], keep)
    assert "ask your instructor" in result.scores[0].reason and result.scores[0].student == "ada"
    assert "the grading process ended" in result.scores[0].flag and not keep.exists()
    with monkeypatch.context() as patch:
        patch.setattr(single, "PATIENCE", 0.05 - single.LIMITS.total - 2 * single.LIMITS.seconds - 120)
        (late,) = grading.grade_all(source, [path], keep)
    assert "it took longer than" in late.scores[0].flag
    (again,) = grading.grade_all(source, [path], keep)
    assert again.scores[0].points == 2 and len(list(keep.iterdir())) == 1
    next(keep.iterdir()).write_text('{"scores": [')
    assert grading.grade_all(source, [path], keep)[0].scores[0].points == 2, "a result that was written by half"


def test_a_worker_killed_from_outside_is_a_row(tmp_path, monkeypatch):
    """As the kernel kills one that takes too much memory; what it started ends too."""
    script, started = tmp_path / "dpbook_dies.py", tmp_path / "started"
    start = "import os, signal, subprocess\nquiet = dict.fromkeys(('stdin', 'stdout', 'stderr'), subprocess.DEVNULL)\n"
    start += f"print(subprocess.Popen(['sleep', '99'], **quiet).pid, file=open({str(started)!r}, 'w'), flush=True)\n"
    script.write_text(start + "os.kill(os.getpid(), signal.SIGKILL)\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{PROJECT}")
    monkeypatch.setattr(worker, "__name__", "dpbook_dies")
    path = handed_in(tmp_path, "ada", scale_for_sum=RIGHT["scale_for_sum"])
    (result,) = grading.grade_all(quick_source(tmp_path), [path])
    assert "exit code -9" in result.scores[0].flag
    state, until = pathlib.Path(f"/proc/{int(started.read_text())}/stat"), time.monotonic() + 5
    while state.exists() and ") Z " not in state.read_text():
        assert time.monotonic() < until, "it still runs"


def test_all_answers_together_have_a_time_limit(tmp_path):
    slow = "import time\ntime.sleep(1.5)\n"
    answers = {name: slow + answer for name, answer in RIGHT.items()}
    scores = grade(LAPLACE, handed_in(tmp_path, **answers), "ada", limits=Limits(20, 2048, total=2))
    assert "together took too long" in scores[3].reason and scores[3].points == 0


def test_grading_never_forks_a_process_with_threads(tmp_path):
    """Python 3.12 warns of it: here no Python of ours forks at all, and the work stands in processes started anew."""
    texts = [file.read_text() for file in (PROJECT / "tools/classroom").glob("*.py")]
    assert not [text for text in texts if "multiprocessing" in text or "ProcessPool" in text or "os.fork(" in text]
    assert not [text for text in texts if "preexec_fn" in text]


def test_a_worker_has_a_keyring_and_where_it_may_a_memory_group_of_its_own():
    code = (
        "import ctypes, json, pathlib, resource; from tools.classroom import worker; k = ctypes.CDLL(None).syscall; "
        "before = k(250, 0, -3, 0); worker.own_keyring(); after = k(250, 0, -3, 0); worker.own_memory(); "
        "groups = [str(f) for f, _ in worker.group_folders() if f.exists()]; "
        "print(json.dumps([before, after, groups, pathlib.Path('/proc/self/cgroup').read_text(), "
        "resource.getrlimit(resource.RLIMIT_AS)[0]]))"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    before, after, groups, lines, size = json.loads(out)
    assert size == worker.MEGABYTES * 2**20
    if platform.machine() == "x86_64" and before > 0:
        assert after > 0 and after != before
    for group in groups:
        assert "dpbook-" in group and "dpbook-" in lines
        pathlib.Path(group).rmdir()


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
    (score,) = grade(QUICK, path, "ada")
    assert score.points == 0 and "cannot be read as a notebook" in score.reason


def test_a_check_that_stumbles_costs_the_points_and_asks_for_a_human(tmp_path):
    one = with_check(QUICK, "check(scale_for_sum, lambda draw: 1 / 0)")
    (score,) = grade(one, handed_in(tmp_path, scale_for_sum="x = 1"), "ada")
    assert score.points == 0 and "could not be judged" in score.reason and "ZeroDivisionError" in score.flag


def marks(assignment, task):
    """`make test` tries one task of each assignment, `make thorough` all of them."""
    first = next(one for one in assignment.tasks if one.wrong)
    return [] if task is first else [pytest.mark.thorough]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "wrong"),
    [
        pytest.param(task, wrong, id=f"{assignment.stem}-{task.name}-{wrong.name}", marks=marks(assignment, task))
        for assignment in map(assignments.read, sorted((PROJECT / "exercises").glob("[0-9]*.py")))
        for task in assignment.tasks
        for wrong in task.wrong[-1:]
    ],
)
def test_a_mistake_gets_no_points_in_the_jail(task, wrong, request, tmp_path):
    """The last of each task; the others differ only in their numbers, and the jail changes none (below)."""
    assignment = assignments.read(PROJECT / "exercises" / f"{request.node.callspec.id.split('-')[0]}.py")
    one = dataclasses.replace(assignment, tasks=[task])
    (score,) = grade(one, handed_in(tmp_path, **{task.name: wrong.code}), "ada", seed=3)
    assert score.points == 0 and words.says(wrong.diagnosis, score.reason)


def test_the_jail_changes_no_number():
    code = "def noise(values, rng):\n    return values * rng.laplace(size=2)\n"
    namespace = {}
    exec(code, namespace)
    calls = [(np.array([1.0, 2.0]),), (np.array([3.0, 4.0]),)]
    for seed in (None, 5):
        inside = jailed_draws("", code, "noise", 9)(calls, 4, (2,), seed)
        same, other = (draws_here(namespace["noise"], own)(calls, 4, (2,), seed) for own in (9, 8))
        assert np.array_equal(inside, same) and not np.array_equal(inside, other)


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
    "remove asserts through the AST": """
        import ast
        class NoAsserts(ast.NodeTransformer):
            def visit_Assert(self, node):
                return ast.Pass()
        get_ipython().ast_transformers.append(NoAsserts())
    """,
    "detect the grader by its modules": """
        import sys
        if "IPython" not in sys.modules:
            laplace_mechanism = lambda total, sensitivity, epsilon, rng: total
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
        while "pipe" not in frame.f_locals:
            frame = frame.f_back
        for calls, samples, shape, seed in frame.f_locals["request"]["batches"]:
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
    (score,) = grade(SUM, handed_in(tmp_path, noisy_sum=code), "ada")
    assert score.points == 0
    assert score.reason.startswith(("not yet: ", "keep going: "))


ONE_LAW = """
from dpbook.check import laplace_law
check(noisy_sum, laplace_law((np.ones(2), (0.0, 1.0)), 2.0, 1.0, 1.0))
"""
BY_ONE_LAW = with_check(SUM, ONE_LAW)
LOOKS = {
    "the name of the caller": """
        frames = (frame for frame in [1])
        def caller():
            yield own[0].gi_frame.f_back.f_back.f_code.co_name
        own = [caller()]
        tested = next(own[0]) == "collect"
    """,
    "the names beside the caller": "import sys\ntested = 'repeat' in sys._getframe(1).f_locals",
    "the name of the module of the caller": "import sys\ntested = sys._getframe(1).f_globals['__name__'] != '__main__'",
    "whether arrays may be changed": "tested = not values.flags.writeable",
    "whether arrays are copied": "tested = np.require(values, None, 'W') is not values",
}


@pytest.mark.parametrize("look", LOOKS)
def test_an_answer_that_is_private_while_it_is_tested_only_gains_no_point(look, tmp_path):
    """It would release the truth in a notebook, and here its law is right: the grader asks from a cell as well."""
    body = textwrap.indent(textwrap.dedent(LOOKS[look]).strip(), "    ")
    signature = RIGHT["noisy_sum"].splitlines()[0]
    honest = RIGHT["noisy_sum"].replace("def noisy_sum", "def honest")
    code = f"{honest}\n{signature}\n{body}\n    noise = honest(values, bounds, epsilon, rng)\n"
    code += "    return noise if tested else np.clip(values, *bounds).sum()\n"
    (score,) = grade(BY_ONE_LAW, handed_in(tmp_path, noisy_sum=code), "ada")
    assert (score.points, score.reason) == (0, f"keep going: {words.CALLER}")
    assert score.flag


def test_an_answer_that_fails_only_outside_the_tests_is_told_so():
    """What it raises where it was not asked before, and no word of right noise."""
    draw = draws_here(lambda values, bounds, epsilon, rng: values.sum() + rng.laplace(scale=1 / epsilon))

    def again():
        raise Unusable("it raised an error")

    draw.again = again
    assert verdict_of(SUM, BY_ONE_LAW.tasks[0], draw).line == "not yet: it raised an error"


STOPPERS = {
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
    paths = {"cheat": code, "honest": RIGHT["scale_for_sum"]}
    paths = [handed_in(tmp_path, name, scale_for_sum=text) for name, text in paths.items()]
    cheat, honest = (grade(QUICK, path, "ada", limits=limits)[0] for path in paths)
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


def test_what_is_drawn_ahead_is_what_would_be_drawn_one_by_one():
    """In one process, with the same numbers; where that ends badly, each as if nothing had been tried."""
    code = "calls = []\ndef count(x, rng):\n    calls.append(x)\n    return [x, len(calls), rng.random()]\n"
    asks = [([(5.0,), (6.0,)], 2, (3,)), ([(7.0,)], 1, (3,))]
    ahead, alone = (jailed_draws("", code, "count", 4) for _ in range(2))
    ahead.ahead(asks)
    together, apart = ([draw(*asked) for asked in asks] for draw in (ahead, alone))
    for one, other in zip(together, apart, strict=True):
        assert np.array_equal(one[..., [0, 2]], other[..., [0, 2]])
    assert together[1][0, 0, 1] == 5 and apart[1][0, 0, 1] == 1, "the fifth call of its process, and the first"
    assert np.array_equal(ahead(*asks[0], seed=7)[..., 2], alone(*asks[0], seed=7)[..., 2])
    assert ahead(*asks[1])[0, 0, 2] == alone(*asks[1])[0, 0, 2], "and so it goes on"
    draw = jailed_draws("", code.replace("[x,", "[1 / (7 - x),"), "count", 4)
    draw.ahead(asks)
    assert np.array_equal(draw(*asks[0])[..., 2], apart[0][..., 2])
    with pytest.raises(Unusable, match="it raised a ZeroDivisionError"):
        draw(*asks[1])
    draw.ahead(asks)
    with pytest.raises(ValueError, match="in the same order"):
        draw(*asks[1])


def test_hidden_laws_are_drawn_together_and_no_pair_is():
    """Seven laws of other data each in one process; both sides of each pair, and all that is visible, in their own."""
    together, alone, seed = [], [], 5

    def draw(calls, samples=None, shape=(), seed=None):
        alone.append(calls)
        return draws(calls, samples, shape, seed)

    namespace = {}
    exec(LAPLACE.setup + "\n" + RIGHT["noisy_sum"], namespace)
    draws, draw.ahead = additive_draws(namespace["noisy_sum"], lambda noise, _: noise, seed), together.append
    assert verdict_of(LAPLACE, SUM.tasks[0], draw, seed).right
    ((*asks,),) = together
    sizes = [{len(values) for values, *_ in calls} for calls, *_ in asks]
    assert sizes[:2] == [{0}, {1}]
    assert [len(one) for one in sizes] == [1] * 7, "one call each, at epsilon and twice that"
    assert sizes == sorted(sizes, key=max) and max(sizes[-1]) >= 1500
    first = next(place for place, calls in enumerate(alone) if calls is asks[0][0])
    assert [calls is asked[0] for calls, asked in zip(alone[first:], asks, strict=False)] == [True] * 7
    sides = [{len(values) for values, *_ in calls} for calls in alone[first + 7 :]]
    assert sides == [{60}, {61}] and len(alone[:first]) == 6


def test_a_task_of_more_requirements_than_its_risk_has_parts_is_the_authors_mistake():
    pairs = "[((1.0,), (1.0,), 1.0)] * 25"
    check = f"from dpbook.check import all_private\nask = all_private({pairs})\ncheck(f, ask)\n"
    task = assignments.Task("f", 1, "", f"{check}### BEGIN HIDDEN TESTS\ncheck(f, ask)\n### END HIDDEN TESTS")
    draw = draws_here(lambda x, rng: rng.random())
    with pytest.raises(ValueError, match=r"at most 49 requirements.*got 50"):
        verdict_of(LAPLACE, task, draw)
    assert verdict_of(LAPLACE, dataclasses.replace(task, check=check), draw).right


PROBE_STRINGS = """
import gc, os, sys
def strings(probe, marks):
    seen, found, ones = set(), 0, [globals(), sys._getframe(), sys.modules, *gc.get_objects()]
    frame = sys._getframe()
    while frame is not None:
        ones += [frame.f_locals, frame.f_code.co_consts]
        frame = frame.f_back
    while ones:
        one = ones.pop()
        if id(one) in seen or len(seen) > 2_000_000:
            continue
        seen.add(id(one))
        if isinstance(one, bytes):
            found += any(mark in one[::-1].decode("latin-1") for mark in marks)
        if isinstance(one, str):
            found += any(mark in one[::-1] for mark in marks)
        elif not isinstance(one, (int, float)):
            ones += gc.get_referents(one)
    os.lseek(0, 0, 0)
    sent = b"".join(iter(lambda: os.read(0, 2**20), b""))
    return float(found + sum(mark[::-1].encode() in sent for mark in marks))
"""


def test_no_string_of_a_check_is_in_the_jail(tmp_path):
    """Nothing that an answer reaches, objects, frames or what was sent to its process, has a sentence or an id of ours.

    The marks stand backwards in the answer, so that it does not find itself; one that is sent is found.
    """
    marks = [text[::-1] for text in ("typing error", "BEGIN HIDDEN", "noise follows the largest", "Mallory Student")]
    code = PROBE_STRINGS + f"def noisy_sum(values, bounds, epsilon, rng=None):\n    return strings(0, {marks!r})\n"
    check = """
from dpbook.check import answers
check(noisy_sum, answers([(1.0, 1.0, 1.0)], [0.0], slips={"the typing error is in the sum": [1.0]}))
### BEGIN HIDDEN TESTS
hint = "the noise follows the largest"
check(noisy_sum, answers([(2.0, 1.0, 1.0)], [0.0]), answers([(3.0, 1.0, 1.0)], [0.0]))
### END HIDDEN TESTS
"""
    (score,) = grade(with_check(SUM, check), handed_in(tmp_path, noisy_sum=code), "Mallory Student")
    assert score.reason == "right"
    sent = jailed_draws("HINT = 'the typing error is in the sum'", code, "noisy_sum", 1)
    assert sent([(1.0, 1.0, 1.0)]).item() >= 2, "among the objects, and in what was sent"


def test_what_numpy_starts_without_is_there_when_it_is_asked_for():
    """The library's own modules, not what stood in their place; generators without a seed still differ."""
    code = "import secrets, numpy as np, numpy.typing as t\ndef f(rng):\n    t.NDArray[np.float64]\n"
    code += "    return [len(secrets.token_bytes(9)), np.random.default_rng().random()]"
    first, second = (jailed_draws("", code, "f", 1)([()], 1, (2,))[0, 0] for _ in range(2))
    assert first[0] == second[0] == 9 and first[1] != second[1]


def test_an_answer_finds_pythons_collector_on():
    assert jailed_draws("", "import gc\ndef on():\n    return gc.isenabled()\n", "on", 1)([()]).item() == 1


# Many submissions, and hints for a human.


def test_name_file_seed_and_kept_result_are_of_one_student(tmp_path, monkeypatch):
    """Whoever is graded now, and whoever was before."""
    asked, entered, source = [], [], quick_source(tmp_path)

    def graded(request):
        asked.append(request)
        score = Score(request["student"], "scale_for_sum", 2, 2, request["path"].read_text())
        return single.Result([score], {"texts": {}, "troubles": {}})

    def said():
        enter = lambda path, result: entered.append((path.stem, result.scores[0].student))  # noqa: E731
        results = grading.grade_all(source, paths, tmp_path / "kept", secret=b"secret", enter=enter)
        return [(result.scores[0].student, result.scores[0].reason) for result in results]

    monkeypatch.setattr(single, "in_a_process", graded)
    monkeypatch.setattr(grading, "_compile", lambda: None)
    monkeypatch.chdir(tmp_path)  # where the grading process does not stand
    paths = [pathlib.Path(f"{name}.ipynb") for name in ("ada", "bob", "cem")]
    for path in paths:
        path.write_text(path.stem)
    assert said() == [("ada", "ada"), ("bob", "bob"), ("cem", "cem")]
    assert len({request["seed"] for request in asked}) == 3
    paths[1].write_text("again")
    assert said() == said() == [("ada", "ada"), ("bob", "again"), ("cem", "cem")]
    assert [(one["student"], one["path"]) for one in asked[3:]] == [("bob", tmp_path / "bob.ipynb")]
    assert entered == [(name, name) for name in ("ada", "bob", "cem", "bob")]
    paths.reverse()
    assert said() == [("cem", "cem"), ("bob", "again"), ("ada", "ada")] and len(asked) == 4


def test_another_machine_gets_no_more_than_a_file_of_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(grading, "LARGEST", 3)
    path = tmp_path / "ada.ipynb"
    path.write_text("12345")
    assert grading._content(path) == b"1234", "one byte more than is read: it is refused there"
    (tmp_path / "link.ipynb").symlink_to(path)
    os.mkfifo(tmp_path / "pipe.ipynb")
    assert [grading._content(tmp_path / f"{name}.ipynb") for name in ("link", "gone", "pipe")] == [None, None, b""]


def test_a_kept_grade_depends_on_whatever_it_was_made_from(tmp_path, monkeypatch):
    """The submission, the assignment, the seed, the jail, the pages, each judging file, the versions of the rest."""
    path, source, judge = tmp_path / "ada.ipynb", tmp_path / "source.py", tmp_path / "judge.py"
    for file in (path, source, judge):
        file.write_text("before")
    monkeypatch.setattr(kept, "JUDGES", [judge])
    start = (source, path, None, False, False)
    changed = [(source, path, 1, False, False), (source, path, None, True, False), (source, path, None, False, True)]
    keys = [kept.key_of(*key) for key in (start, start, *changed)]
    for file in (path, source, judge):
        file.write_text("after")
        keys.append(kept.key_of(*start))
    monkeypatch.setattr(kept, "VERSIONS", ["another Python"])
    keys.append(kept.key_of(*start))
    keys += [kept.key_of(*start, *more) for more in ((b"secret",), (b"other",), (b"secret", 1))]
    assert keys[0] == keys[1] and len(set(keys)) == 11


def test_every_file_that_judges_is_among_the_judges():
    judging = {"tools/classroom/assignments.py", "tools/classroom/jail.py", "dpbook/arguments.py", "dpbook/laplace.py"}
    names = {str(file.relative_to(PROJECT)) for file in kept.JUDGES}
    assert judging <= names
    wanted = [file for folder in ("dpbook", "tools/classroom") for file in (PROJECT / folder).rglob("*.py")]
    assert len(wanted) > 40 and {str(file.relative_to(PROJECT)) for file in wanted} <= names
    assert any("numpy" in version for version in kept.VERSIONS)


OUTSIDE, OF_JAILS = "code outside its functions", "only a jail may raise"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("calls = []\ndef f(x, rng):\n    calls.append(1)\n    return x", "line 3: calls calls.append"),
        ("def f(x, rng, n=[0]):\n    n[0] += 1\n    return x", "a default value that can change"),
        ("def f(x, rng):\n    f.n = 1\n    return x", "changes f.n"),
        ("def f(x, rng):\n    global n\n    n = 1", "global n"),
        ("def f(x, rng):\n    import numpy as np\n    np.seen = 1", "changes np.seen"),
        ("import functools\n@functools.lru_cache\ndef f(x):\n    return x", "lru_cache"),
        ("class A:\n    @cache\n    def g(self):\n        return 1\ndef f(x):\n    return 1", "line 1: code outside"),
        ("def f(x):\n    return functools.cache(g)(x)", "line 2: cache"),
        ("import time\ndef f(x):\n    return time.time()", "import time"),
        ("counter = iter(range(9))\ndef f(x):\n    return next(counter)", "code outside its functions"),
        ("seen = set()\ndef f(x):\n    return len(seen)", "line 1: code outside its functions"),
        ("def f(x):\n    return x.__class__", ".__class__"),
        ("def f(x):\n    return x if __name__ == 'answer' else 0", "__name__"),
        ("def f(x):\n    return __builtins__['exec']", "__builtins__"),
        ("import copy\ndef f(x, rng):\n    return copy.deepcopy(rng).random()", "import copy"),
        ("import random\ndef f(x):\n    return random.random()", "import random"),
        ("import sys\ndef f(x, rng):\n    return sys._getframe(1).f_locals['samples']", "import sys"),
        ("def f(x):\n    try:\n        x[0] = x[0]\n    except ValueError:\n        return 0", "tries x[0]"),
        ("def f(x):\n    return np.array('now', dtype='M8[s]')", "'now'"),
        ("from numpy.random import PCG64\ndef f(x):\n    return 1", "import PCG64"),
        ("def f(x, rng):\n    return x if '5' in str(rng) else 0", "str(rng)"),
        ("def f(x, rng):\n    return x if '5' in f'{rng}' else 0", "rng as a text"),
        ("def f(x):\n    t = np.typecodes\n    t['k'] = 1\n    return x", "changes t['k']"),
        ("def f(x):\n    t = s = np.typecodes\n    u = t\n    u['k'] = 1\n    return x", "changes u['k']"),
        ("def f(x):\n    for t in [np.typecodes]:\n        t.update(k=1)\n    return x", "calls t.update"),
        ("LEVELS = [1]\ndef f(x):\n    LEVELS.append(1)\n    return x", "calls LEVELS.append"),
        ("LEVELS = [1]\ndef f(x):\n    a = LEVELS\n    a[0] += 1\n    return x", "changes a[0]"),
        ("LEVELS = [[]]\ndef f(x):\n    return x", "code outside its functions"),
        ("@(lambda f: (lambda n: lambda x: n.append(x) or f(x))([]))\ndef f(x):\n    return x", "@lambda f"),
        ("def f(x):\n    g = (1 for _ in x)\n    return '{0.gi_frame.f_back}'.format(g)", ".format"),
        ("def f(x, rng):\n    return '{0[state]}'.format_map(x)", ".format_map"),
        ("def f(x, text):\n    return text.format(x)", ".format"),
        ("from operator import attrgetter\ndef f(x):\n    return attrgetter('gi_frame.f_back')(x)", "attrgetter"),
        ("import operator\ndef f(x):\n    return operator.methodcaller('sort')(x)", ".methodcaller"),
        ("def f(x):\n    match x:\n        case object(gi_frame=y):\n            return y", "case with .gi_frame"),
        ("LEVELS = [1, 2]\ndef f(x, rng):\n    rng.shuffle(LEVELS)\n    return LEVELS[0]", "writes with rng.shuffle"),
        ("def f(x):\n    np.add(x, 1, out=GIVEN)\n    return x", "writes with np.add"),
        ("def f(x):\n    np.copyto(GIVEN[0], x)\n    return x", "writes with np.copyto"),
        ("import pathlib\ndef f(x):\n    return pathlib.os.path.exists('/jail')", ".os"),
        ("def f(x):\n    x" + ".a" * 1200 + " = 1", "nested so deep"),
        ("def f(x):\n    def g():\n        nonlocal x\n        x = 1\n    return x", "nonlocal x"),
        ("LEVELS = [1]\ndef g(z):\n    z.append(1)\ndef f(x):\n    g(LEVELS)\n    return x", "hands on LEVELS"),
        ("LEVELS = [1]\ndef f(x):\n    a = max(LEVELS, [])\n    a.append(1)\n    return x", "hands on LEVELS"),
        ("LEVELS = [1]\ndef f(x):\n    [0 for LEVELS in x]\n    LEVELS.append(1)", "calls LEVELS.append"),
        ("LEVELS = [1]\ndef f(x):\n    [a.append(1) for a in [LEVELS]]\n    return x", "calls a.append"),
        ("LEVELS = [1]\ndef f(x):\n    def g():\n        LEVELS = 1\n    LEVELS.append(1)", "calls LEVELS.append"),
        ("def f(x: print(1)):\n    return x", "an annotation that does something"),
        ("def f(x) -> list(SEEN):\n    return x", "an annotation that does something"),
        ("a: print(1) = 1\ndef f(x):\n    return x", "line 1: code outside its functions"),
        ("a = [1]\na[0 * len([b := iter(a)])] = 1\ndef f(x):\n    return next(b)", f"line 2: {OUTSIDE}"),
        ("np.clip = lambda *x: 0\ndef f(x):\n    return x", "line 1: code outside its functions"),
        ("import heapq, csv\ndef f(x):\n    return csv.field_size_limit(1)", "import csv"),
        ("from numpy.random import *\ndef f(x):\n    return random()", "import *"),
        ("def f(x):\n    try:\n        return noisy_mean(x)\n    except NameError:\n        return 0", OF_JAILS),
        ("def f(x):\n    try:\n        return x.y\n    except:\n        return 0", OF_JAILS),
        ("def f(x):\n    return get_ipython()", "get_ipython"),
        ("def f(x):  # \u202e x nruter\n    return 0", "line 1: letters that turn its order round"),
        ("x = 1\n" * 6_000, "too long to be looked through"),
    ],
)
def test_kept_state_is_flagged(code, words):
    assert words in kept_state(code)


def test_names_are_those_of_the_grader():
    """With the cells before it: what only a notebook has, and what of theirs can be changed elsewhere."""
    before = "import numpy as np\nNUMBERS = np.ones(3)\nLEAST = 2\ndef helper(x):\n    return x"
    own = "def mine(z):\n    return z\ndef f(x):\n    return mine(LEAST) + helper(x) + np.sum(NUMBERS) + NUMBERS[0]"
    assert kept_state(own, before) == ""
    assert "noisy_mean, which the grader does not have" in kept_state("def f(x):\n    return noisy_mean(x)", before)
    assert "exit, which the grader does not have" in kept_state("def f(x):\n    return exit", before)
    assert "hands on NUMBERS" in kept_state(own.replace("LEAST", "NUMBERS"), before)
    assert "hands on NUMBERS" in kept_state("def f(x):\n    a = np.asarray(NUMBERS)\n    a[0] += 1", before)


def test_a_long_chain_of_names_is_looked_through_in_a_moment():
    """It took hours, outside the jail: so many passes as names, in so many steps."""
    chain = "".join(f" a{i}=a{i + 1}\n" for i in range(2_000))
    started = time.process_time()
    assert "calls a0.append" in kept_state(f"SEEN = [1]\ndef f(x):\n{chain} a2000=SEEN\n a0.append(1)")
    assert time.process_time() - started < 20, "it is a second; it was minutes"


def test_the_jail_does_not_see_where_hidden_data_come_from(tmp_path):
    """With the seed an answer could draw them once more; and no flag is longer than somebody reads."""
    code = "import sys\nSEEN = 7\ndef noisy_sum(values, bounds, epsilon, rng=None):\n"
    code += "    return sys._getframe(1).f_locals['seed'].entropy % 2**53\n"
    check = "from dpbook.check import answers\ncheck(noisy_sum, answers([(1.0, 1.0, 1.0)], [12345.0]))"
    one = with_check(SUM, check)
    (score,) = grade(one, handed_in(tmp_path, noisy_sum=code), "ada", seed=12345)
    assert score.points == 0 and "answers are wrong" in score.reason
    tests = "".join(f"    len(values) > {10**40 + place}\n" for place in range(200))
    (score,) = grade(one, handed_in(tmp_path, noisy_sum=f"{code}{tests}"), "ada", seed=12345)
    assert 2_000 < len(score.flag) < 2_010


WATCHED = """
gi_frame cr_frame ag_frame tb_frame f_back f_code f_globals f_locals f_lasti gi_code co_name tb_next with_traceback
bit_generator flags seed_seq spawn setflags RandomState PCG64DXSM Philox SFC64 MT19937 SeedSequence set_state seterrcall
datetime64 set_printoptions seterr busday_count get_state seed PCG64 require default_rng fromfile
"""
CALLED = "globals locals vars exec eval compile open getattr setattr delattr hasattr dir id breakpoint"
GIVEN = {
    "x.{}": WATCHED,
    "{}(x)": CALLED,
    "np.{}(SEEN, x, x)": "copyto put place putmask put_along_axis fill_diagonal",
    "SEEN.{}(x)": "append add update extend insert pop popitem remove discard clear setdefault sort reverse fill put",
}


@pytest.mark.parametrize("form", GIVEN)
def test_each_way_to_keep_or_to_look_is_flagged(form):
    for word in GIVEN[form].split():
        assert word in kept_state(f"def f(x, rng):\n    return {form.format(word)}"), word


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\nLIMIT = 3\ndef f(x, rng):\n    out = []\n    out.append(LIMIT)\n    return np.array(out)",
        "def f(x, rng):\n    table = {}\n    table[1] = x\n    return table[1]",
        "def f(x rng):",
        "",
        "def f(x, rng):\n    return np.append(x, 1) + np.add(x, 2) + np.insert(x, 0, 1)",
        "LEVELS = [1, 2]\ndef f(x):\n    y = np.zeros(2)\n    np.copyto(y, LEVELS)\n    return y",
        "LEVELS = [1, 2]\ndef f(x):\n    y = np.zeros(2)\n    y[0] = LEVELS[0]\n    y[1] = 1\n    return y",
        "NAME: str\nLOW = -1\nPAIR = (1, 2)\nHALF = 1 / 2\nprint('debug')\ndef f(x, y=-1, z=(1, 2)):\n    return x\n",
        "def f(x, rng):\n    x = x.copy()\n    x[0] = 1\n    return x",
        "def f(x, rng):\n    with np.errstate(divide='ignore'):\n        return np.log(x)",
        "def f(x, rng):\n    try:\n        return 1 / x\n    except ZeroDivisionError:\n        return 0",
        "def f(x, rng):\n    return next(one for one in x if one > rng.random())",
        "import itertools\ndef f(x, rng):\n    return list(itertools.product(x, x))",
        "LEVELS = [1, 2]\ndouble = lambda x: 2 * x\ndef f(x, rng):\n    return double(sum(LEVELS)) + int(str(x))",
        "def f(x, rng):\n    out = np.zeros(3)\n    for i in range(len(x)):\n        out[i] = x[i]\n    return out",
        "def f(x, rng):\n    out = np.sort(x)\n    out.sort()\n    np.add(out, 1, out=out)\n    return out",
        "def f(x, rng):\n    order = list(x)\n    rng.shuffle(order)\n    return '{:.2f}'.format(x[0])",
        "def f(x, rng):\n    row = x[:, np.newaxis].copy()\n    row[0] = 1\n    return row",
        "def f(x):\n    @functools.cache\n    def best(i):\n        return i\n    return best(x)",
        "def f(x, rng):\n    with np.nditer(x) as it:\n        return rng.laplace(size=len(x)) + np.random.poisson(1)",
    ],
)
def test_plain_answers_are_not_flagged(code):
    assert kept_state(code) == "" == branches(code)


@pytest.mark.parametrize(
    ("test", "flagged"),
    [
        ("len(x) > 300", True),
        ("x.size < 2000", True),
        ("x.shape[1] > 5", True),
        ("epsilon > 2.5", True),
        ("LIMIT < len(x)", True),
        ("n - 2 >= 60", True),
        ("20 < np.size(x) < 200", True),
        ("len(x) == 0", False),
        ("x.size < 1", False),
        ("not len(x)", False),
        ("len(x) == len(x)", False),
        ("x[0] > 300", False),
        ("max(x) > 300", False),
        ("i < n", False),
    ],
)
def test_another_way_by_sizes_or_epsilon_is_flagged(test, flagged):
    """In whatever form: an `if`, a factor, or np.where."""
    head = "LIMIT = 300\ndef f(x, epsilon, rng):\n    n = len(x)\n    i = 0\n    "
    for body in (f"if {test}:\n        return 1", f"return 1 if {test} else 0", f"return x * ({test})"):
        assert (test in branches(head + body)) == flagged


def test_no_solution_of_the_book_is_flagged():
    sources = sorted((PROJECT / "exercises").glob("[0-9]*.py"))
    tasks = [task for source in sources for task in assignments.read(source).tasks]
    assert len(tasks) > 80
    assert not [task.name for task in tasks if task.check and (kept_state(task.answer) or branches(task.answer))]


def test_a_mechanism_with_another_way_for_large_data_is_flagged_when_it_is_graded(tmp_path):
    other = "    if len(values) > 10**6:\n        return 0.0\n"
    way = RIGHT["noisy_sum"].replace("    low, high", f"{other}    low, high", 1)
    (score,) = grade(VISIBLE, handed_in(tmp_path, noisy_sum=way), "ada")
    assert score.points == 5 and score.flag == "goes other ways by sizes or epsilon (line 3: len(values) > 10 ** 6)"


HIDDEN = """check(noisy_sum, answers([({0}, (0, 1), {1})], [0.0]))
### BEGIN HIDDEN TESTS
check(noisy_sum, answers([({2}, (0, 1), {3}), ({2}, (0, 2), {3})], [0.0, 0.0]))
### END HIDDEN TESTS"""


@pytest.mark.parametrize(
    ("values", "epsilon", "case"),
    [
        ("np.empty(0)", "0.1", "(values is empty, a small epsilon)"),
        ("[0.0, 1.0]", "np.float64(9)", "(values is short, a large epsilon)"),
        ("np.ones(2)", "9.0", "(values is short, a large epsilon)"),
        ("np.arange(200.0)", "1.0", "(values is long)"),
        ("np.ones(9)", "1.0", "not seen: "),
    ],
)
def test_a_miss_of_hidden_data_says_the_case_in_words_and_no_number(values, epsilon, case):
    one = with_check(SUM, "from dpbook.check import answers\n" + HIDDEN.format("np.ones(5)", 1, values, epsilon))
    answer = draws_here(lambda values, bounds, epsilon: float(len(values) != 5 or epsilon != 1))
    line = verdict_of(one, one.tasks[0], answer).line
    assert case in line and not any(letter.isdigit() for letter in line.replace("… of …", ""))


def test_a_lottery_and_entries_of_hidden_data_are_said_in_words():
    lottery = words.OFTEN.format(outcome="3, 4", share="9.6%", right="0.0%")
    assert words.unseen(lottery) == words.OFTEN_UNSEEN
    assert words.unseen(words.entries(0, 3)) == "entries share their noise: each needs fresh noise of its own"
    line = words.unseen(words.ENTRY.format(entry=2, fault=words.OFF_CENTRE_BY.format(off=2.5)))
    assert line.startswith("an entry of the release: the releases do not centre") and "2" not in line


def test_right_is_said_to_be_no_proof_where_it_is_none():
    by_name = {task.name: task for task in LAPLACE.tasks}
    assert told(by_name["noisy_sum"], "right") == words.NOT_A_PROOF and "no test found" in words.NOT_A_PROOF
    assert told(by_name["scale_for_sum"], "right") == "right"
    assert told(by_name["noisy_sum"], "keep going") == "keep going"


def test_a_mechanism_that_behaves_at_first_scores_and_is_flagged(tmp_path):
    """Inherent to tests of outputs: what is private as long as it is tested gets the points, and a human's look.

    By the visible check alone, which suffices for that.
    """
    turns = "    calls.append(1)\n    if len(calls) > 1e6:\n        return 0\n    low, high"
    code = "calls = []\n" + RIGHT["noisy_sum"].replace("    low, high", turns, 1)
    (score,) = grade(VISIBLE, handed_in(tmp_path, noisy_sum=code), "ada")
    assert score.points == 5 and "calls.append" in score.flag


# Whole pages, run in the jail.


def test_a_page_shows_texts_pictures_and_errors_and_nothing_else():
    picture = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
    page = "from IPython.display import HTML\nHTML('<b>bold</b>')"
    checked = "from dpbook.check import answers, check\ncheck(lambda x: x, answers([(1,)], [1]))"
    shown = pages.outputs(["print('hello')\n2 + 3", "1 / 0", picture, page, checked])
    assert shown[0] == [{"output_type": "stream", "name": "stdout", "text": "hello\n5\n"}]
    assert shown[1][0]["ename"] == "ZeroDivisionError"
    assert list(shown[2][-1]["data"]) == ["image/png"]  # an old matplotlib warns before it
    assert "HTML object" in shown[3][0]["text"]
    assert shown[4][0]["text"] == "right\n"


def test_a_check_that_was_made_is_not_made_again(tmp_path):
    """On its page stands what the grader said, whatever `check` was made before; without that it is asked."""
    cells = ["from dpbook.check import answers, check", "check = 1", "check(len, answers([('a',)], [2]))", "print(7)"]
    shown = pages.outputs(cells, said={2: "right, as was said"})
    assert shown[2][0]["text"] == "right, as was said\n" and shown[3][0]["text"] == "7\n"
    assert "keep going" in pages.outputs([cells[0], cells[2]])[1][0]["text"]
    path = handed_in(tmp_path, scale_for_sum="def scale_for_sum(low, high, epsilon):\n    return high / epsilon")
    code = assignments.code(SOURCE)
    graded = worker.graded(QUICK, code, path, "ada", 1, False, single.LIMITS, pages.LIMITS)
    place = [name for name, _ in code].index("scale_for_sum-check")
    assert graded["page"]["outputs"][place][0]["text"] == graded["scores"][0]["reason"] + "\n" != "right\n"


@pytest.mark.parametrize("stop", ["import os; os._exit(0)", "while True: pass"])
def test_a_page_that_stops_says_where(stop):
    shown = pages.outputs(["print(1)", stop, "print(2)"], Limits(seconds=4, megabytes=2048))
    assert shown[0][0]["text"] == "1\n" and shown[1][0]["ename"] == "Stopped" and shown[2] == []


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        json.dumps({"text": "x"}),
        json.dumps([["html", "<script>alert(1)</script>"]]),
        json.dumps([["picture", "PHN2Zz4="]]),
        json.dumps([["text", ["a"]], 3]),
        "[" * 5000,
    ],
)
def test_what_a_page_forges_shows_nothing(line):
    code = f"""import os
for fd in range(3, 20):
    try:
        os.write(fd, {line.encode()!r} + bytes([10]))
    except OSError:
        pass
os._exit(0)"""
    assert pages.outputs([code], Limits(seconds=4, megabytes=2048)) == [[]]


def test_a_page_is_jailed():
    """As answers are; its /tmp is there, in memory, but takes no byte."""
    write = "able(lambda: os.write(os.open('/tmp/x', os.O_CREAT | os.O_WRONLY), b'x'))"
    tries = [PROBES[name] for name in ("read the project", "fork", "open a socket", "have rights")] + [write]
    said = pages.outputs([f"{ABLE}\nprint([bool(x) for x in ({', '.join(tries)})])"])[0][0]["text"]
    assert said == f"{[False] * 5}\n"


def test_a_submissions_page_is_the_release_with_its_answers(tmp_path):
    """Whatever else stands in the file: its checks, its own cells, its metadata."""
    forged = {"scale_for_sum-check": "print('5 / 5')", "own": "print('5 / 5')"}
    path = handed_in(tmp_path, scale_for_sum=RIGHT["scale_for_sum"], **forged)
    notebook = submission.page(LAPLACE, submission.read(LAPLACE, path))
    release = assignments.release(SOURCE)
    differ = [cell.id for cell, other in zip(notebook.cells, release.cells, strict=True) if cell != other]
    assert differ == ["scale_for_sum"]
    code = submission.code(LAPLACE, assignments.code(SOURCE), submission.read(LAPLACE, path))
    assert code == [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert "5 / 5" not in str(pages.page_of(code))


# The command line.


def test_the_summary_says_how_many_want_a_human_and_for_what():
    by_hand, right = Score("a", "e", None, 3, BY_HAND), Score("a", "s", 2, 2, "right")
    flagged = dataclasses.replace(right, flag="import sys")
    stopped = Score("a", "s", 0, 2, f"not yet: {single.STOPPED}", "x")
    taken, unread = {"texts": {}, "troubles": {}}, Score("a", "s", 0, 2, "not yet: unreadable")
    results = [single.Result(scores, taken) for scores in ([right, by_hand], [flagged, by_hand], [right])]
    results += [single.Result([score], {}) for score in (unread, stopped)]
    assert grading.summary(results) == (
        "5 submissions: 2 with explanations to grade by hand, 1 flagged, 1 unreadable, 1 not graded"
    )


def test_scores_come_out_as_a_table(tmp_path):
    answers = {"scale_for_sum": RIGHT["scale_for_sum"], "explain_rounding": "Because."}
    paths = [str(handed_in(tmp_path, name, **answers)) for name in ("ada", "=bób")]
    source, table = str(SOURCE), tmp_path / "scores.csv"
    assert grading.main([source, *paths, "--csv", str(table), "--seed", "1"]) is None
    rows = list(csv.DictReader(table.open(encoding="utf-8")))
    assert len(rows) == 2 * len(LAPLACE.tasks)
    right = {"student": "ada", "task": "scale_for_sum", "points": "2", "of": "2", "reason": "right", "flag": ""}
    assert rows[0] == right
    assert rows[4]["points"] == "" and rows[4]["reason"] == BY_HAND and rows[-1]["student"] == "'=bób"


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["submitted/ada.ipynb"], ["ada"]),
        (["submitted/ada/03_laplace/03_laplace.ipynb"], ["ada"]),
        (["inj/ada/03_laplace.ipynb", "inj/bob/03_laplace.ipynb"], ["ada", "bob"]),
        (["d1/ada.ipynb", "d2/ada.ipynb"], ["d1", "d2"]),
        (["ada/1/03_laplace.ipynb", "bob/1/03_laplace.ipynb"], ["ada", "bob"]),
    ],
)
def test_names_come_from_files_or_from_folders(paths, names):
    assert grading.names(LAPLACE, paths) == names


@pytest.mark.parametrize("name", ["=cmd|' !A0", "@SUM(1)", "-2+3", "+1", "\t=1", " =1"])
def test_no_cell_of_a_table_is_a_formula(name):
    file = io.StringIO()
    grading.write_csv([Score(name, "task", 1.5, 2, "=1+1", "-x")], file)
    (row,) = list(csv.reader(io.StringIO(file.getvalue())))[1:]
    assert all(row[place].startswith("'") for place in (0, 4, 5)) and row[2:4] == ["1.5", "2"]


def test_without_bubblewrap_nothing_is_graded(monkeypatch, tmp_path):
    path = str(handed_in(tmp_path, scale_for_sum=RIGHT["scale_for_sum"]))
    monkeypatch.setattr(bubblewrap, "installed", lambda: None)
    sentence = grading.main([str(SOURCE), path])
    assert "apt-get install bubblewrap" in sentence and "--unsafe" in sentence
    assert "" == single.refusal(unsafe=True)
    (score,) = grade(QUICK, pathlib.Path(path), "ada", unsafe=True)
    assert score.points == 2


def test_without_user_namespaces_nothing_is_graded(monkeypatch):
    monkeypatch.setattr(bubblewrap, "installed", lambda: "/bin/false")
    assert "user namespaces" in single.refusal(unsafe=False)


def test_a_batch_that_is_too_large_is_the_authors_mistake():
    with pytest.raises(ValueError, match="at most"):
        jailed_draws("", "", "f", 1)([()], 10**9)
    with pytest.raises(Unusable):
        jailed_draws("", "", "f", 1)([()])
