"""The course in nbgrader: what students get, what their code cannot do, what comes out as points and feedback.

One course with six submissions is made and graded once; the tests look at it.
"""

import csv
import html
import json
import pathlib
import re

import nbformat
import pytest
from nbgrader.api import Gradebook
from test_exercises import SOURCES, leaks, secret_lines

from tools.classroom import assignments, bubblewrap, pages, steps
from tools.classroom import course as courses
from tools.classroom.jail import Limits

SOURCE = pathlib.Path(__file__).parents[1] / "exercises/03_laplace.py"
STEM = SOURCE.stem
pytestmark = pytest.mark.depends("exercises/03_laplace.py", "tests/test_classroom.py", "tools/classroom")
RIGHT = {task.name: task.answer for task in assignments.read(SOURCE).tasks if task.check}
SUM = """def noisy_sum(values, bounds, epsilon, rng):
    return np.clip(values, *bounds).sum()
"""
CHEAT = """
import pathlib, sqlite3
from IPython.display import HTML, display
print("noisy_sum: 5 / 5")
display(HTML("<script>alert('cheat')</script>"))
for path in [*pathlib.Path("/").glob("*/*/*"), pathlib.Path("../../../gradebook.db")]:
    if path.name == "gradebook.db":
        print("reach" + "ed", sqlite3.connect(path).execute("UPDATE grade SET manual_score = 99"))
"""
REMEMBERS = "calls = []\n" + RIGHT["noisy_sum"].replace("    low, high", "    calls.append(1)\n    low, high", 1)


def page(answers, explanation=None, scratch=""):
    """A submitted page: the release with these answers, an explanation, and a cell of the student's own."""
    notebook = assignments.release(SOURCE)
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = answers.get(grade_id, cell.source)
        if grade_id == "explain_rounding" and explanation:
            cell.source = explanation
    notebook.cells.insert(1, nbformat.v4.new_code_cell(scratch, metadata={"tags": ['"><script>alert("tag")</script>']}))
    return nbformat.writes(notebook)


SUBMISSIONS = {
    "ada": page(RIGHT, "It is *post-processing* <script>alert('text')</script> where 3<4."),
    "bob": page(RIGHT | {"noisy_sum": SUM}),
    "eve": page({name: CHEAT + (SUM if name == "noisy_sum" else "") for name in RIGHT}, scratch=CHEAT),
    "kim": page(RIGHT | {"noisy_sum": REMEMBERS}, "Yes.", scratch="while True: pass"),
    "lee": "this is no notebook",
    "new": page({}),
}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    assert not bubblewrap.trouble(), f"{bubblewrap.trouble()}; `python -m tools.classroom.bubblewrap` tries to"
    folder = tmp_path_factory.mktemp("course")
    assert courses.set_up(folder, [SOURCE]) == [STEM]
    downloads = tmp_path_factory.mktemp("downloads")
    for student, text in SUBMISSIONS.items():
        (downloads / f"{student}.ipynb").write_text(text)
    courses.collect(folder, STEM, sorted(downloads.iterdir()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "LIMITS", Limits(seconds=8, megabytes=4096))
        assert courses.autograde(folder) == len(SUBMISSIONS)
    return folder


def rows(course):
    with (course / "points.csv").open() as file:
        return {(row["student"], row["task"]): row for row in csv.DictReader(file)}


def feedback(course, student):
    return (course / "feedback" / student / STEM / f"{STEM}.html").read_text()


def words(page):
    """What a reader of an HTML page sees."""
    return html.unescape(re.sub(r"<style.*?</style>|<[^>]+>", "", page, flags=re.S))


def test_nbgraders_release_is_ours(tmp_path):
    """Of every assignment, cell by cell; and no file of the release or of nbgrader's source leaks what is hidden."""
    courses.set_up(tmp_path, SOURCES)
    for source in SOURCES:
        ours = assignments.release(source)
        theirs = nbformat.read(tmp_path / "release" / source.stem / f"{source.stem}.ipynb", 4)
        assert [cell.source.rstrip() for cell in theirs.cells] == [cell.source.rstrip() for cell in ours.cells]
        assert leaks(theirs, secret_lines(source)) == []
        taught = (tmp_path / "source" / source.stem / f"{source.stem}.ipynb").read_text()
        assert "HIDDEN" not in taught and "MARK SCHEME" not in taught and "BEGIN SOLUTION" in taught


def test_a_course_is_brought_up_to_date(tmp_path):
    source = tmp_path / "03_laplace.py"
    source.write_text(SOURCE.read_text())
    assert courses.set_up(tmp_path / "course", [source]) == [STEM]
    assert courses.set_up(tmp_path / "course", [source]) == []
    source.write_text(SOURCE.read_text().replace("One point each: (a)", "One point for each: (a)"))
    assert courses.set_up(tmp_path / "course", [source]) == [], "students see nothing of this"
    assert "One point for each: (a)" in (tmp_path / "course" / "solutions" / f"{STEM}.ipynb").read_text()
    source.write_text(SOURCE.read_text().replace("All data here are invented.", "All data are invented."))
    assert courses.set_up(tmp_path / "course", [source]) == [STEM]


def test_points_are_those_of_the_grader(course):
    points = {key: row["points"] for key, row in rows(course).items()}
    assert [points["ada", name] for name in RIGHT] == ["2.0", "5.0", "3.0", "3.0"]
    assert [points["bob", name] for name in RIGHT] == ["2.0", "0.0", "3.0", "3.0"]
    assert {points["eve", name] for name in RIGHT} == {"0.0"}
    assert [points["kim", name] for name in RIGHT] == ["2.0", "5.0", "3.0", "3.0"]
    assert {points["lee", name] for name in (*RIGHT, "explain_rounding")} == {"0.0"}
    assert {points["new", name] for name in (*RIGHT, "explain_rounding")} == {"0.0"}
    assert points["ada", "explain_rounding"] == ""


def test_totals_are_nbgraders_own(course):
    with (course / "grades.csv").open() as file:
        totals = {row["student_id"]: (row["score"], row["max_score"]) for row in csv.DictReader(file)}
    assert totals["kim"] == ("13.0", "16.0") and totals["lee"] == ("0.0", "16.0")


def test_the_table_says_why_and_who_is_wanted(course):
    table = rows(course)
    assert "without any noise" in table["bob", "noisy_sum"]["reason"]
    assert "cannot be read as a notebook" in table["lee", "noisy_sum"]["reason"]
    assert table["ada", "explain_rounding"]["by_hand"] == "wanted"
    assert table["new", "explain_rounding"]["reason"] == "no answer"
    assert table["kim", "noisy_sum"]["by_hand"] == "wanted" and "calls.append" in table["kim", "noisy_sum"]["flag"]
    assert table["ada", "noisy_sum"]["by_hand"] == table["ada", "noisy_sum"]["flag"] == ""


def test_feedback_has_the_reasons_and_nothing_hidden(course):
    for student in SUBMISSIONS:
        text, given = words(feedback(course, student)), json.dumps(SUBMISSIONS[student])
        assert not [line for line in secret_lines(SOURCE) if line in text and json.dumps(line)[1:-1] not in given]
        assert "may keep state" not in text
    assert "low, high = bounds" in words(feedback(course, "ada")), "this test would see a line"
    assert "keep going: this is the true answer, without any noise" in feedback(course, "bob")
    assert "cannot be read as a notebook" in feedback(course, "lee")


def test_what_a_page_shows_comes_from_the_jail(course):
    assert "right" in feedback(course, "ada")
    assert "did not come to its end" in feedback(course, "kim")
    eve = feedback(course, "eve")
    assert "noisy_sum: 5 / 5" in eve and "reached" not in eve


@pytest.mark.parametrize("student", ["ada", "eve"])
def test_no_script_of_a_student_runs_where_it_is_read(course, student):
    """Neither in the feedback nor in the page that nbgrader's formgrader shows to the instructor."""
    graded = (course / "autograded" / student / STEM / f"{STEM}.ipynb").read_text()
    assert "<script>alert" not in feedback(course, student).replace("&lt;script&gt;", "")
    notebook = json.loads(graded)
    assert not [c for c in notebook["cells"] if c["cell_type"] != "code" and "<script" in "".join(c["source"])]
    assert all(set(cell["metadata"]) <= {"nbgrader"} for cell in notebook["cells"])
    kinds = {
        kind for cell in notebook["cells"] for output in cell.get("outputs", []) for kind in output.get("data", {})
    }
    assert kinds <= {"image/png"}


def test_hand_grading_is_kept_and_comes_out(course):
    """A human's points survive a new grading of the same student, and reach the table and the feedback."""
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        grade = gradebook.find_grade("explain_rounding", STEM, STEM, "ada")
        grade.manual_score, grade.needs_manual_grade = 2.0, False
        gradebook.find_comment("explain_rounding", STEM, STEM, "ada").manual_comment = "Why downwards?"
        gradebook.db.commit()
    courses.feedback(course)
    assert rows(course)["ada", "explain_rounding"]["points"] == "2.0"
    assert rows(course)["ada", "explain_rounding"]["by_hand"] == "done"
    assert "Why downwards?" in feedback(course, "ada")


def test_only_what_changed_is_graded_again(course):
    assert courses.autograde(course) == 0
    path = course / "submitted" / "bob" / STEM / f"{STEM}.ipynb"
    path.write_text(page(RIGHT))
    assert courses.autograde(course) == 1
    assert rows(course)["bob", "noisy_sum"]["points"] == "5.0"
    assert rows(course)["ada", "noisy_sum"]["points"] == "5.0"


def test_nbgraders_own_autograde_goes_through_the_jail_too(course):
    """As its command and the button of its formgrader run it: the same points, and the table has them."""
    new = course / "submitted" / "zoe" / STEM / f"{STEM}.ipynb"
    new.parent.mkdir(parents=True)
    new.write_text(page(RIGHT | {"noisy_sum": CHEAT + SUM}, scratch="print('reach' + 'ed')"))
    assert courses._nbgrader(course).autograde(STEM, "zoe")["success"]
    courses.feedback(course)
    assert [rows(course)["zoe", name]["points"] for name in RIGHT] == ["2.0", "0.0", "3.0", "3.0"]
    assert "reached" in feedback(course, "zoe"), "the page was run"


def test_without_a_jail_nothing_runs(course, monkeypatch):
    monkeypatch.setattr(bubblewrap, "installed", lambda: None)
    assert "apt-get install bubblewrap" in courses.main(["--course", str(course), "autograde"])
    monkeypatch.chdir(course)
    with pytest.raises(RuntimeError, match="Nothing was graded"):
        steps.result_of({"assignment": STEM, "student": "ada"}, unsafe=False)


def test_the_command_line(tmp_path, capsys):
    assert "run make classroom first" in courses.main(["--course", str(tmp_path / "none"), "autograde"])
    assert courses.main(["--course", str(tmp_path / "course"), "set-up"]) is None
    assert STEM in capsys.readouterr().out
    file = tmp_path / "ada.ipynb"
    file.write_text(page({}))
    assert courses.main(["--course", str(tmp_path / "course"), "collect", STEM, str(file)]) is None
    assert (tmp_path / "course" / "submitted" / "ada" / STEM / f"{STEM}.ipynb").read_text() == file.read_text()


def test_what_cannot_be_collected_is_refused(course, tmp_path):
    with pytest.raises(ValueError, match="the assignment must be one of"):
        courses.collect(course, "99_none", [])
    with pytest.raises(ValueError, match="named after its student"):
        courses.collect(course, STEM, [tmp_path / "a b.ipynb"])
