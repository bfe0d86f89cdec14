"""Assignments: solutions pass, releases hide them, mistakes get their own line.

Nothing is skipped where bubblewrap is missing: `make test` installs it (`python -m tools.classroom.bubblewrap`).
"""

import inspect
import json
import pathlib
import pickle
import re
from functools import partial

import numpy as np
import pytest

import dpbook.check
from dpbook.check import FALSE_ALARM, MOST, RISK, Unusable, check, draws_here, words
from dpbook.check.requirements import REPEATED
from tests.lighter import LAWS, SPARING
from tests.recurring import LEFT, OPERATIONS
from tools.classroom import assignments, at_once, bubblewrap, power
from tools.classroom.flags import branches, kept_state
from tools.classroom.verdicts import ELSEWHERE, grade, verdict_of

PROJECT = pathlib.Path(__file__).parents[1]
SOURCES = sorted((PROJECT / "exercises").glob("[0-9]*.py"))
ALL = {source.stem: assignments.read(source) for source in SOURCES}
HERE = "tests/test_exercises.py"
DEPENDS = {
    source.stem: pytest.mark.depends(f"exercises/{source.name}", f"exercises/releases/{source.stem}.ipynb", HERE)
    for source in SOURCES
}
# Tasks whose hidden checks ask for 50,000 releases or more of a mechanism that takes its time: the first mistake is
# tried in `make test`, the others in `make thorough`.
SLOW = {"noisy_tree", "noisy_counts", "private_favourite", "panel_quantile", "noisy_totals", "noisy_coefficients"}
SLOW |= {"watch", "noisy_sum", "noisy_sums", "noisy_samples", "noisy_blocks", "release_sums", "protected_count"}
SLOW |= {"noisy_measurements", "noisy_products"}


def marks(stem, task, wrong):
    return [DEPENDS[stem]] + [pytest.mark.thorough] * (task.name in SLOW and wrong not in task.wrong[:1])


WRONG = [
    pytest.param(assignment, task, wrong, id=f"{stem}-{task.name}-{wrong.name}", marks=marks(stem, task, wrong))
    for stem, assignment in ALL.items()
    for task in assignment.tasks
    for wrong in task.wrong
]
each = pytest.mark.parametrize(
    "source", [pytest.param(source, id=source.stem, marks=DEPENDS[source.stem]) for source in SOURCES]
)


@pytest.fixture(scope="session", autouse=True)
def jail():
    assert not bubblewrap.trouble(), f"{bubblewrap.trouble()}; `python -m tools.classroom.bubblewrap` tries to"


def local(assignment, code, name, seed=1):
    """Draws from code of our own, in this process."""
    return draws_here(assignments.defined(assignment, code, name), seed)


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
def test_a_release_opens_like_the_others_with_its_checks_folded(source):
    cells = assignments.release(source).cells
    assert cells[0].source.split("\n\n")[2] == assignments.RULES
    graded = [cell for cell in cells if cell.metadata.get("nbgrader", {}).get("grade")]
    assert all(cell.metadata.jupyter.source_hidden for cell in graded if cell.cell_type == "code")
    assert [cell.metadata.nbgrader.points for cell in graded] == [task.points for task in ALL[source.stem].tasks]


@each
def test_the_release_in_the_clone_is_in_step(source, tmp_path):
    [made] = assignments.ship([source], tmp_path)
    shipped = PROJECT / assignments.SHIPPED / made.name
    assert shipped.read_text() == made.read_text(), "run `make assignments`"


def test_the_clone_has_a_release_for_each_assignment_and_no_other(tmp_path):
    assert {path.stem for path in (PROJECT / assignments.SHIPPED).iterdir()} == set(ALL)
    (tmp_path / "99_gone.ipynb").touch()
    assignments.ship(SOURCES[:1], tmp_path)
    assert [path.stem for path in tmp_path.iterdir()] == [SOURCES[0].stem]


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
    marks = ["BEGIN SOLUTION", "END SOLUTION", "HIDDEN", "MARK SCHEME", "WRONG", '"wrong"']
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
def test_the_release_says_not_yet_and_the_solution_book_says_right(source):
    """Every code cell of both notebooks, run in order as a reader runs them.

    Laws and audits get few releases: the limits allow for that, and a right answer is refused as seldom. With all the
    releases that a check asks for, solutions are judged in the jail (below; most of them in `make thorough`).
    """
    for make, line in ((assignments.release, "not yet: write your answer"), (assignments.solution_book, "right")):
        verdicts, namespace = [], {"__name__": "page"}
        for cell in make(source).cells:
            if cell.cell_type == "code":
                exec(cell.source, namespace)
                namespace |= {"check": partial(_noted, verdicts)} | SPARING
        assert verdicts and all(repr(verdict).startswith(line) for verdict in verdicts)


def _noted(verdicts, *args):
    verdicts.append(check(*args))


def test_build_writes_both_notebooks(tmp_path):
    written = assignments.build(SOURCES[:1], tmp_path)
    assert [path.parent.name for path in written] == ["release", "solutions"]
    assert all(json.loads(path.read_text())["cells"] for path in written)


# How a source is read.

SMALL = """# %% [markdown]
# # Assignment 99: adding
#
# Two tasks, 3 points.
#
# All data here are invented.

# %% tags=["setup"]
import numpy as np


# %%
def add(a, b):
    ### BEGIN SOLUTION
    return a + b
    ### END SOLUTION


# %% points=2
check(add, answers([(1, 2)], [3]))
### BEGIN HIDDEN TESTS
check(add, answers([(1, 4 + 0 * fresh.random())], [5]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def add(a, b):
    # WRONG the first alone | answers are wrong
    return a

    # WRONG the first, as Python's help has it | answers are

    def first(pair):
        return pair[0]

    return first((a, b))


# %% [markdown] name="explain_adding" points=1
# ### BEGIN SOLUTION
# Because.
# ### END SOLUTION
"""


def small(tmp_path, old="", new=""):
    """That source, with this piece of it changed."""
    assert SMALL.count(old) == 1 or not old
    source = tmp_path / "99_small.py"
    source.write_text(SMALL.replace(old, new) if old else SMALL)
    return source


def test_each_mistake_is_read_with_the_head_of_its_function(tmp_path):
    add, explain = assignments.read(small(tmp_path)).tasks
    nested = "def add(a, b):\n\n    def first(pair):\n        return pair[0]\n\n    return first((a, b))"
    assert add.wrong == [
        assignments.Wrong("the first alone", "answers are wrong", "def add(a, b):\n    return a"),
        assignments.Wrong("the first, as Python's help has it", "answers are", nested),
    ]
    assert (add.name, add.points, explain.name, explain.points) == ("add", 2, "explain_adding", 1)
    assert not explain.wrong and not explain.check


def test_the_notebook_gets_what_the_source_does_not_say(tmp_path):
    notebook = assignments.release(small(tmp_path))
    assert notebook.metadata == {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    }
    opening = notebook.cells[0].source.split("\n\n")
    assert opening[2] == assignments.RULES and opening[3] == "All data here are invented." and len(opening) == 4
    given = {"schema_version": 3, "task": False}
    graded = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    answer = {"grade_id": "add", "grade": False, "solution": True, "locked": False}
    check = {"grade_id": "add-check", "grade": True, "solution": False, "locked": True, "points": 2}
    explain = {"grade_id": "explain_adding", "grade": True, "solution": True, "locked": False, "points": 1}
    assert [cell.metadata.nbgrader for cell in graded] == [one | given for one in (answer, check, explain)]
    assert [cell.metadata.get("jupyter") for cell in graded] == [None, {"source_hidden": True}, None]
    assert [cell.id for cell in notebook.cells] == ["cell-0", "cell-1", "add", "add-check", "explain_adding"]


CHECK = SMALL[SMALL.index("# %% points=2") : SMALL.index('# %% tags=["wrong"]')]
MISTAKES = SMALL[SMALL.index('# %% tags=["wrong"]') : SMALL.index("# %% [markdown] name")]


@pytest.mark.parametrize(
    ("old", "new", "line", "task", "words"),
    [
        ("    ### BEGIN SOLUTION", "    ### BEGIN SOLUTON", 14, "add: ", "'### BEGIN SOLUTON'"),
        ("    ### END SOLUTION", "    ### END SOLUTIONS", 16, "add: ", "'### END SOLUTIONS'"),
        ("    ### END SOLUTION", "    ## END SOLUTION", 16, "add: ", "'## END SOLUTION'"),
        ("    ### END SOLUTION\n", "", 12, "add: ", "must have its '### END SOLUTION'"),
        ("### BEGIN HIDDEN TESTS\n", "", 22, "add: ", "'### END HIDDEN TESTS'"),
        ("### END HIDDEN TESTS", "### END HIDDEN TEST", 23, "add: ", "'### END HIDDEN TEST'"),
        ("# ### END SOLUTION", "# ### END ANSWER", 42, "explain_adding: ", "'### END ANSWER'"),
        ("check(add, answers([(1, 2)", "check(sub, answers([(1, 2)", 19, "add: ", r"must call check\(add, "),
        ("# %%\ndef add", '# %% tags=["setup"]\ndef add', 19, "", "below the answer that it checks"),
        (CHECK, CHECK + CHECK, 26, "add: ", "below the answer that it checks"),
        (CHECK, "", 19, "add: ", "the mistakes of a task stand below its check"),
        (CHECK + MISTAKES, "", 12, "add: ", "must have a check below it"),
        (MISTAKES, MISTAKES + MISTAKES, 39, "add: ", "in one cell"),
        (MISTAKES, MISTAKES.replace("def add", "def sub"), 26, "sub: ", "in a function of that name"),
        (" | answers are wrong", "", 28, "add: ", "'# WRONG name | diagnosis'; got 'the first alone'"),
        (" | answers are\n", " |\n", 31, "add: ", "'# WRONG name | diagnosis'; got"),
        ("# WRONG the first alone", "# Wrong the first alone", 26, "add: ", "each mistake begins with '# WRONG"),
        ("# WRONG the first,", "# WRNG the first,", 28, "add: ", "'the first alone' must be code and end with its"),
        ('name="explain_adding" points', "points", 39, "add: ", "an explanation have a name"),
        ('name="explain_adding"', 'name="add"', 39, "add: ", "an explanation have a name"),
        ("# %% points=2", "# %% point=2", 19, "add: ", r"a cell says .*'point': 2"),
        ('# %% tags=["setup"]', '# %% tags=["set-up"]', 8, "", "a cell says .*'set-up'"),
        ("# %% points=2", '# %% nbgrader={"points": 2}', 19, "add: ", "a cell says .*'nbgrader'"),
        ("# %% [markdown]\n# # Ass", "# ---\n# ---\n# %% [markdown]\n# # Ass", 1, "", "begin with its first cell"),
    ],
)
def test_a_source_of_another_shape_is_refused(tmp_path, old, new, line, task, words):
    """With the file, the line and the task."""
    source = small(tmp_path, old, new)
    with pytest.raises(ValueError, match=f"{source}, line {line}: {task}.*{words}"):
        assignments.read(source)


# Right answers and named mistakes.


@each
def test_a_release_gets_no_points_in_the_jail(source, tmp_path):
    assignments.build([source], tmp_path)
    for score in grade(ALL[source.stem], tmp_path / "release" / source.with_suffix(".ipynb").name, "student"):
        assert score.points in (None, 0) and not score.flag, score


# Numbers, and tables with noise; `make thorough` grades the others in the jail too.
JAILED = ("20_alp",)


def in_the_jail(stem):
    return [DEPENDS[stem]] if stem in JAILED else [DEPENDS[stem], pytest.mark.thorough]


@pytest.mark.slow
@pytest.mark.parametrize("source", [pytest.param(one, id=one.stem, marks=in_the_jail(one.stem)) for one in SOURCES])
def test_solutions_get_full_marks_in_the_jail(source, tmp_path):
    """With fresh noise, as the solution book has it: a right task is refused with probability below MOST * RISK."""
    assert MOST * RISK <= FALSE_ALARM == 1e-8
    assignments.build([source], tmp_path)
    for score in grade(ALL[source.stem], tmp_path / "solutions" / source.with_suffix(".ipynb").name, "student"):
        assert score.points in (None, score.most) and not score.flag, score


@each
def test_no_solution_needs_to_be_read_by_hand(source):
    """The jail's flags are read off the code: all solutions are asked here, without their releases."""
    assignment = ALL[source.stem]
    for task in (task for task in assignment.tasks if task.check):
        assert kept_state(task.answer, assignment.setup) == "" == branches(task.answer), task.name


@pytest.mark.slow
@pytest.mark.seeds
@each
def test_solutions_get_full_marks_over_many_seeds(source, request):
    """Each seed judges other releases: a random part of a pool half as large again as a check needs.

    None is refused; by design each is with probability below MOST * RISK. `make seeds` asks 200 seeds of every task;
    `make test` leaves it out. A task whose draws cannot vary is judged once.
    """
    assignment = ALL[source.stem]
    for task in (task for task in assignment.tasks if task.check):
        draw = local(assignment, task.answer, task.name)
        pools = {}
        for seed in range(request.config.getoption("seeds")):
            verdict = verdict_of(assignment, task, partial(_from_pool, draw, pools, np.random.default_rng(seed)))
            assert verdict.right, (task.name, seed, verdict)
            if not any(pool.shape[1] > 1 for pool in pools.values()):
                break


def _from_pool(draw, pools, rng, calls, samples=None, shape=(), seed=None):
    """Draws that are shared between seeds: all of those that cannot vary, two thirds of a pool of the others."""
    key = pickle.dumps((calls, samples, shape, seed))
    varies = samples is not None and (seed is None or samples > REPEATED)  # what must come twice is drawn as asked
    if key not in pools:
        pools[key] = draw(calls, 3 * samples // 2 if varies else samples, shape, seed)
    return pools[key][:, rng.permutation(3 * samples // 2)[:samples]] if varies else pools[key]


@pytest.mark.parametrize(("assignment", "task", "wrong"), WRONG)
def test_a_mistake_fails_with_its_diagnosis(assignment, task, wrong):
    verdict = verdict_of(assignment, task, local(assignment, wrong.code, task.name))
    assert not verdict.right and words.says(wrong.diagnosis, verdict.line)


@each
def test_no_sentence_of_the_checks_is_written_again(source):
    """A slip, or a diagnosis, that is a fault of the list in `dpbook.check.words` stands there by its name."""
    sentences = [text for name, text in vars(words).items() if name.isupper() and isinstance(text, str)]
    long = [text for text in sentences if len(text.split()) > 5]
    assert len(long) > 40 and not [text for text in long if text in source.read_text()]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@each
def test_no_function_of_the_visible_cells_is_an_answer(source):
    """Each that takes as many arguments is graded as if it were: who unfolds a check finds no solution to copy."""
    assignment = ALL[source.stem]
    for task in (task for task in assignment.tasks if task.check):
        number = len(inspect.signature(solution(assignment, task)).parameters)
        for function in functions_in_sight(assignment, task):
            if takes(function, number):
                verdict = verdict_of(assignment, task, draws_here(function))
                assert not verdict.right, (task.name, function.__name__)


def functions_in_sight(assignment, task):
    """What the set-up and the visible check of a task define."""
    namespace = {"__name__": "in sight", "check": lambda *_: None, task.name: None}
    exec(assignment.setup, namespace)
    exec(assignments.visible(task.check), namespace)
    return [one for one in namespace.values() if inspect.isfunction(one) and one.__module__ == "in sight"]


def takes(function, number):
    """Whether a function can be called with so many arguments."""
    try:
        inspect.signature(function).bind(*range(number))
    except TypeError:
        return False
    return True


# Mistakes that recur: made from the solution, each meets every task that draws.

SPENDS = re.compile(rf"def .*\b(?:{'|'.join(power.BUDGETS)})\b.*\brng\):")  # a draw without a budget is no mechanism
DRAWING = {task.name: (a, task) for a in ALL.values() for task in a.tasks if SPENDS.match(task.answer)}
CHANGED = [(name, op) for op in OPERATIONS for name in DRAWING if name not in LEFT.get(op, ())]
# Left to `make thorough`: what few releases do not tell everywhere, and what takes longest.
FINE = ("the scale taken for the standard deviation", "noise of the other law")
LONG = ("noisy_coefficients", "noisy_counts", "noisy_totals", "running_totals", "watch")
QUICKLY = [(name, op) for name, op in CHANGED if op not in FINE and (name not in LONG or op == "no noise")]
UNCHANGED = [(name, op) for op, names in LEFT.items() for name in sorted(names)]


def of_task(pairs):
    """These pairs of a task and an operation, as cases of a test."""
    return [pytest.param(name, op, id=f"{name}-{op}", marks=DEPENDS[DRAWING[name][0].stem]) for name, op in pairs]


def solution(assignment, task):
    """The function of a task's solution."""
    return assignments.defined(assignment, task.answer, task.name)


def refusal(name, op):
    """What a task says of its solution with this mistake."""
    assignment, task = DRAWING[name]
    return verdict_of(assignment, task, draws_here(OPERATIONS[op](solution(assignment, task)), 1)).line


def test_every_task_that_draws_meets_every_mistake_that_recurs():
    assert {(name, op) for name, op in CHANGED + UNCHANGED} == {(name, op) for name in DRAWING for op in OPERATIONS}
    assert len(DRAWING) == len(list(power.mechanisms())) > 25 and len(CHANGED) > 3 * len(UNCHANGED)


@pytest.mark.parametrize(("name", "op"), of_task(QUICKLY))
def test_a_mistake_that_recurs_is_refused(name, op, monkeypatch):
    """By few releases where a law is judged; `make thorough` tries all, with as many as the task draws."""
    for law in LAWS:
        monkeypatch.setattr(dpbook.check, law.__name__, SPARING[law.__name__])
    assert refusal(name, op).startswith("keep going: ")


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "op"), of_task(CHANGED))
def test_a_mistake_that_recurs_is_refused_by_all_releases(name, op):
    assert refusal(name, op).startswith("keep going: ")


@pytest.mark.parametrize(("name", "op"), of_task(UNCHANGED))
def test_what_is_no_mistake_there_gives_the_same_releases(name, op):
    """An operation that a task is spared changes nothing there: with equal seeds, each release is the solution's."""
    assignment, task = DRAWING[name]
    own = solution(assignment, task)
    for call in visible_calls(assignment, task):
        for seed in range(20):
            one, other = (f(*call, np.random.default_rng(seed)) for f in (own, OPERATIONS[op](own)))
            assert np.array_equal(one, other)


def visible_calls(assignment, task):
    """What the visible check first asks of an answer."""
    calls = []

    def draw(some, *_):
        calls.extend(some)
        raise Unusable("asked")

    verdict_of(assignment, task, draw)
    assert calls
    return calls


# Answers that behave on small and simple data only, and what feedback says of data that students have not seen.

RARE = {
    "noisy_counts": lambda visits, ranges, epsilon, rng: epsilon > 12,
    "noisy_sum": lambda values, bounds, epsilon, rng: epsilon > 12,
    "private_favourite": lambda ratings, top, replaced, epsilon, rng: len(ratings) > 15_000,
    "panel_quantile": lambda values, q, domain, epsilon, rng: len(values) > 1_000,
    "repaired_parts": lambda values, bounds, share, epsilon, rng: len(values) > 20,
    "noisy_tree": lambda counts, branching, epsilon, rng: len(counts) > 20,
    "grid_side_privately": lambda counts, epsilon, rng: counts.size > 100,
    "noisy_coefficients": lambda records, weights, epsilon, rng: len(records) > 20,
    "watch": lambda answers, threshold, sensitivity, cutoff, patience, budgets, rng: len(answers) > 40,
    "noisy_samples": lambda data, matrix, epsilon, rng: len(data) > 100,
    "safe_total": lambda visits, most, top, epsilon, rng: len(visits) > 100,
    "release_counts": lambda answers_given, epsilon, delta, rng: len(answers_given) > 100,
    "release_sums": lambda sums, sensitivities, shares, epsilon, delta, rng: len(sums) > 20,
    "noisy_totals": lambda points, centroids, rounds, epsilon, rng: len(points) > 250,
    "private_means": lambda records, lows, highs, epsilon, rng: len(records) > 1_000,
    "protected_count": lambda ill, household, most, epsilon, rng: len(ill) > 1_000,
    "subset_report": lambda value, k, d, epsilon, rng: k > 100,
    "noisy_measurements": lambda table, matrix, weights, epsilon, rng: len(table) > 1_000,
    "noisy_products": lambda records, most, epsilon, rng: len(records) > 1_000,
    "noisy_blocks": lambda stream, base, most, epsilon, rng: len(stream) > 300,
    "noisy_table": lambda values, places, alpha, buckets, epsilon, rng: len(values) > 100,
    "noisy_reports": lambda values, dropouts, colluders, epsilon, rng: len(values) > 100,
    "noisy_round": lambda weights, users, steps, rate, norm, multiplier, rng: len(users) > 20,
    "running_totals": lambda stream, strategy, multiplier, rng: len(stream) > 50,
}
MORE = {
    "n > 100": lambda values, bounds, epsilon, rng: len(values) > 100,
    "a lower bound of 0": lambda values, bounds, epsilon, rng: bounds[0] == 0,
    "no records": lambda values, bounds, epsilon, rng: len(values) == 0,
    "an epsilon below 0.02": lambda values, bounds, epsilon, rng: epsilon < 0.02,
}
ATTACKS = [(name, rare) for name, rare in RARE.items()] + [("noisy_sum", rare) for rare in MORE.values()]


def found(name):
    return next((a, task) for a in ALL.values() for task in a.tasks if task.name == name)


def private_and_true(assignment, task):
    """The function of a task's solution, and the same with so much budget that it tells the truth."""
    private = solution(assignment, task)
    return private, power.with_budget(private, lambda budget, rng: power.ENOUGH * budget**0)


# Each draws all that a task asks for; `make thorough` tries the others.
QUICK = ("release_sums", "noisy_blocks", "no records")
ATTACKED = [
    pytest.param(name, rare, id=called, marks=[] if called in QUICK else [pytest.mark.thorough])
    for (name, rare), called in zip(ATTACKS, [*RARE, *MORE], strict=True)
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rare"), ATTACKED)
def test_the_truth_where_nothing_was_tested_is_found_out(name, rare):
    """Private on the visible data, and the true answer where the data are large, or the budget, or a bound is 0."""
    assignment, task = found(name)
    private, true = private_and_true(assignment, task)

    def answer(*call):
        return (true if rare(*call) else private)(*call)

    verdict = verdict_of(assignment, task, draws_here(answer), seed=5)
    assert not verdict.right and ELSEWHERE in verdict.line
    assert not any(letter.isdigit() for letter in verdict.line)


def shapes_of(call):
    """The shapes of the arrays among the arguments of a call, the lengths of other collections, and whole numbers."""
    found = []
    for one in call[:-1]:
        if isinstance(one, np.ndarray):
            found.append(one.shape)
        elif isinstance(one, list | tuple | str):
            found.append(len(one))
        elif isinstance(one, int | np.integer):
            found.append(int(one))
    return tuple(found)


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("name", RARE)
def test_hidden_sizes_are_as_fresh_as_hidden_data(name):
    """Who knows the shapes of two gradings, and tells the truth where another comes, is found out by the third."""
    assignment, task = found(name)
    (private, true), known = private_and_true(assignment, task), set()

    def noted(*call):
        known.add(shapes_of(call))
        return private(*call)

    for seed in (101, 102):
        assert verdict_of(assignment, task, draws_here(noted), seed=seed).right

    def answer(*call):
        return (private if shapes_of(call) in known else true)(*call)

    third = verdict_of(assignment, task, draws_here(answer), seed=103)
    assert not third.right and ELSEWHERE in third.line


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("noise", ["laplace", "normal"])
def test_noise_that_is_drawn_at_once_is_that_of_single_releases(noise, shared):
    """Fixed seeds; Kolmogorov's distance of 4,000 numbers passes 0.06 with probability below 1e-6."""

    def release(values, rng):
        numbers = getattr(rng, noise)(scale=[1.0, 50.0])
        return values + (numbers if not shared else [numbers.sum(), numbers[1] - 3 * numbers[0]])

    call = (np.array([3.0, -7.0]),)
    together = at_once.additive_draws(release, lambda z, _: z, 1, noise=noise)
    outputs, single = together([call], 4_000, (2,))[0], draws_here(release)([call], 4_000, (2,))[0]
    for entry in range(2):
        places = np.searchsorted(np.sort(single[:, entry]), np.sort(outputs[:, entry]))
        assert np.abs(places - np.arange(4_000)).max() < 0.12 * 4_000, "two distances of 0.06 each"
    assert np.corrcoef(outputs.T)[0, 1] == pytest.approx(0.997 if shared else 0, abs=0.001 if shared else 0.1)
    same = [together([call], 5, (2,), seed) for seed in (7, 7, 8)]
    assert np.array_equal(same[0], same[1]) and not np.array_equal(same[0], same[2])


def test_who_is_in_a_sample_is_drawn_for_each_release():
    def release(values, rng):
        return values[rng.random(len(values)) < 0.5].sum() + rng.normal(scale=1e-3)

    outputs = at_once.additive_draws(release, lambda z, _: z, 1, noise="normal")([(np.array([1.0, 2.0]),)], 400)[0]
    assert all(60 < count < 140 for count in np.bincount(np.round(outputs).astype(int))), "100 each, sd 8.7"


def test_hidden_data_are_others_for_each_seed_and_the_same_for_one():
    assignment, task = found("scale_for_sum")

    def asked(seed):
        calls = []

        def draw(some, *rest, **more):
            calls.append(some)
            return local(assignment, task.answer, task.name)(some, *rest, **more)

        assert verdict_of(assignment, task, draw, seed).right
        return calls[1]

    assert asked(1) == asked(1) and asked(1) != asked(2) and asked(1) != asked(2**63)


def test_feedback_has_no_number_of_hidden_data():
    line = words.unseen("half are above a value that is +6e+07 off, 0.5 or 3 % of -1.2")
    assert not any(letter.isdigit() for letter in line)


@each
def test_hidden_checks_draw_their_data(source):
    """From the generator they are given, and from no seed that stands in a public file."""
    for task in ALL[source.stem].tasks:
        hidden = assignments.hidden(task.check)
        assert "default_rng(" not in hidden and ("fresh" in hidden or not hidden), task.name
