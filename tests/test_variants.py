"""Variants: a student's own data, the same whenever they are made, as hard as those of others, and graded as such."""

import pathlib
import pickle
import re
import unicodedata

import nbformat
import numpy as np
import pytest

from dpbook.check import draws_here, judge, words
from tests.lighter import SPARING
from tools.classroom import assignments, grading, roster, variants, verdicts

PROJECT = pathlib.Path(__file__).parents[1]
VARIED = {path.stem: assignments.read(path) for path in sorted((PROJECT / "exercises").glob("[0-9]*.py"))}
pytestmark = pytest.mark.depends("dpbook", "exercises", "tests/test_variants.py", "tools/classroom")
SECRET = b"a secret of 32 bytes, or of others"
TINY = """# %% tags=["setup"]
import numpy as np

from dpbook.check import answers, check

VARIANT = 0  # of 5

# %%
def own(number):
    ### BEGIN SOLUTION
    return 10 * number
    ### END SOLUTION

# %% points=1
check(own, answers([(VARIANT,)], [10 * VARIANT]))
### BEGIN HIDDEN TESTS
check(own, answers([(VARIANT,)], [10 * VARIANT + 0 * fresh.random()]))
### END HIDDEN TESTS
"""


def test_a_variant_follows_from_the_name_the_secret_and_the_assignment():
    names = [f"student{number}" for number in range(600)]
    first = [variants.variant(name, SECRET, "03_laplace", 6) for name in names]
    assert first == [variants.variant(name, SECRET, "03_laplace", 6) for name in names]
    for other in ((b"another", "03_laplace"), (SECRET, "04_exponential")):
        same = np.mean(np.array(first) == [variants.variant(name, *other, 6) for name in names])
        assert 0.1 < same < 0.25  # as often as by chance
    assert np.bincount(first, minlength=6).min() > 70
    assert "".join(map(str, first[:30])) == "040332534152241352300303550252", "as given"
    both = ([unicodedata.normalize(form, name) for name in ("José", "Zoë", "Åsa", "Ümit")] for form in ("NFC", "NFD"))
    composed, apart = ([variants.variant(name, SECRET, "03_laplace", 6) for name in some] for some in both)
    assert composed == apart, "an accent in either form"


def visible_verdict(assignment, task, code, calls, judges=SPARING):
    """The verdict of the visible check alone, by few releases or by other `judges`; `calls` takes up what it asked."""
    namespace, found = {}, []
    exec(assignment.setup, namespace)
    draw = draws_here(assignments.defined(assignment, code, task.name))

    def asking(some, *rest, **more):
        calls.append(pickle.dumps(some))
        return draw(some, *rest, **more)

    def check(answer, *requirements):
        found.append(judge(answer, requirements))

    namespace.update({"check": check, task.name: asking} | judges)
    exec(assignments.visible(task.check), namespace)
    return next((verdict for verdict in found if not verdict.right), found[0])


QUICK = ("03_laplace", "05_averages", "08_histograms", "12_trees", "20_alp", "24_gaussian", "28_synthetic")
EACH = [  # (assignment, variants): some in `make test`, all in `make thorough`
    pytest.param(stem, numbers, marks=[] if stem in QUICK and numbers == (5,) else [pytest.mark.thorough])
    for stem in VARIED
    for numbers in ((5,), (1, 2, 3, 4))
]


@pytest.mark.parametrize("stem", VARIED)
def test_what_is_compared_is_asked_otherwise_in_each_variant(stem):
    """Six of each assignment, without running anything."""
    assert variants.how_many(VARIED[stem].setup) == 6
    for task in (task for task in VARIED[stem].tasks if task.check):
        asked = [verdicts.calls_of(variants.own(VARIED[stem], number), task) for number in range(6)]
        if any(call for calls in asked for call in calls):  # an answer to data, and nothing that is drawn
            different = len({pickle.dumps(calls) for calls in asked})
            assert different == 6 or "VARIANT" in assignments.visible(task.check), task.name


def mechanism(task):
    """Whether a task asks for something that draws."""
    return "rng" in task.answer.partition(":")[0]


def each_mistake_gets_its_line(stem, task, numbers):
    """What the visible check finds with the book's own data it finds in these variants as well, and says the same.

    With all releases that the check asks for: a few do not tell a wrong scale from a wrong law.
    """
    for wrong in task.wrong:
        book = visible_verdict(VARIED[stem], task, wrong.code, [], {}).right  # then only the hidden checks find it
        for number in numbers:
            verdict = visible_verdict(variants.own(VARIED[stem], number), task, wrong.code, [], {})
            line = words.RIGHT if book else wrong.diagnosis
            assert verdict.right == book and words.says(line, verdict.line), (task.name, number, wrong.name, verdict)


@pytest.mark.parametrize(("stem", "numbers"), EACH)
def test_variants_are_alike_but_for_their_data(stem, numbers):
    """Each has full marks for the solution and the same line for each mistake: the tasks are as hard as before."""
    for task in (task for task in VARIED[stem].tasks if task.check):
        asked = []
        for number in (0, *numbers):
            own, calls = variants.own(VARIED[stem], number), []
            assert visible_verdict(own, task, task.answer, calls).right, (task.name, number)
            asked.append(b"".join(calls))
        if not mechanism(task):
            each_mistake_gets_its_line(stem, task, numbers)
        if not task.answer.startswith(f"def {task.name}():"):  # an example is asked for: there are no data
            assert len(set(asked)) == len(asked), f"{task.name} is asked the same of everybody"


@pytest.mark.thorough
@pytest.mark.parametrize("stem", VARIED)
def test_the_mistakes_of_a_mechanism_get_the_same_lines_in_all_variants(stem):
    for task in (task for task in VARIED[stem].tasks if task.check and mechanism(task)):
        each_mistake_gets_its_line(stem, task, range(1, 6))


def test_a_release_differs_in_one_line_and_its_number_only(tmp_path):
    (tmp_path / "same").mkdir()
    (tmp_path / "same" / "90_same.py").write_text(TINY.replace("VARIANT = 0  # of 5", "VARIANT = 0"))
    sources = [PROJECT / "exercises" / "03_laplace.py", tmp_path / "same" / "90_same.py"]
    written = variants.build(sources, ["ada", "bob", "cem"], SECRET, tmp_path)
    assert len(written) == 6 and variants.given(tmp_path)
    for path in written:
        source = next(one for one in sources if one.stem == path.stem)
        number = variants.number_of(assignments.read(source), path.parents[1].name, SECRET)
        cells = [cell.source for cell in nbformat.read(path, 4).cells]
        assert [re.sub(r"(?m)^VARIANT = \d+", "VARIANT = 0", cell) for cell in cells] == [
            cell.source for cell in assignments.release(source).cells
        ]
        assert (f"VARIANT = {number}  #" in "\n".join(cells)) == (source.stem in VARIED)
        assert source.stem in VARIED or number == 0
    for name in ("../eve", "dan/../eve"):
        with pytest.raises(ValueError, match=rf"got '{re.escape(name)}'"):
            variants.build(sources, ["dan", name], SECRET, tmp_path)
    assert not (tmp_path / "variants/dan").exists()


def test_the_roster_says_who_has_variants_and_a_list_may(tmp_path, capsys):
    assert "run make classroom first" in variants.main([str(tmp_path)])
    secret = b"\t" + SECRET + b"\n"  # any bytes
    (tmp_path / "secret").write_bytes(secret)
    (tmp_path / "assignments").mkdir()
    (tmp_path / "assignments" / "90_tiny.py").write_text(TINY)
    assert "make a roster first" in variants.main([str(tmp_path)]) and not variants.given(tmp_path)
    roster.write(tmp_path, [roster.Member("ada+dp@uni.example", "Miller, Ada", "", "7"), roster.Member("bob")])
    assert variants.main([str(tmp_path)]) is None
    assert {one.name for one in (tmp_path / "variants").iterdir()} == {"ada+dp@uni.example", "bob"}
    for name in ("ada+dp@uni.example", "bob"):
        line = f"VARIANT = {variants.variant(name, secret, '90_tiny', 5)}  # of 5"
        assert line in (tmp_path / "variants" / name / "90_tiny" / "90_tiny.ipynb").read_text()
    (tmp_path / "names.txt").write_text("cem\n\n cem \n../eve\n")
    assert "Nothing was written" in variants.main([str(tmp_path), str(tmp_path / "names.txt")])
    (tmp_path / "names.txt").write_text("\ufeffcem\r\n\r\n cem \r\n", encoding="utf-8")  # as Windows has it
    assert variants.main([str(tmp_path), str(tmp_path / "names.txt")]) is None
    assert "1 releases for 1 students" in capsys.readouterr().out
    (tmp_path / "names.txt").write_text(unicodedata.normalize("NFD", "José"), encoding="utf-8")  # as a Mac has it
    assert variants.main([str(tmp_path), str(tmp_path / "names.txt")]) is None
    assert (tmp_path / "variants" / unicodedata.normalize("NFC", "José")).is_dir()


def test_each_is_graded_with_the_variant_of_that_name(tmp_path):
    """Whose answer fits only the own variant gets the point where variants are on, and only there."""
    source = tmp_path / "90_tiny.py"
    source.write_text(TINY)
    assignment = assignments.read(source)
    numbers = {name: variants.number_of(assignment, name, SECRET) for name in ("ada", "bob", "cem", "dan", "eve")}
    student, number = next((name, number) for name, number in numbers.items() if number)
    path = tmp_path / student / source.stem / f"{source.stem}.ipynb"
    path.parent.mkdir(parents=True)
    notebook = assignments.release(source)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "own":
            cell.source = f"def own(given):\n    return {10 * number}"
    nbformat.write(notebook, path)
    for varied, points in ((True, 1), (False, 0)):
        (result,) = grading.grade_all(source, [path], secret=SECRET, varied=varied, unsafe=True)
        assert [(score.student, score.points) for score in result.scores] == [(student, points)], result
