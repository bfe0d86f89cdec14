"""The course in nbgrader: what students get, what their code cannot do, what comes out as points and feedback.

One course with six submissions is made and graded once; the tests look at it.
"""

import collections
import csv
import dataclasses
import html
import html.parser
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from importlib.util import find_spec
from types import SimpleNamespace

import nbformat
import pytest
import sqlalchemy
from nbconvert import HTMLExporter
from nbgrader.api import Grade, Gradebook
from test_exercises import SOURCES, leaks, secret_lines

from dpbook.check import words as says
from tests import lighter
from tools.book.lab_server import running_lab
from tools.classroom import (
    assignments,
    bubblewrap,
    history,
    kept,
    platforms,
    roster,
    steps,
    submission,
    tables,
    verdicts,
)
from tools.classroom import collect as collecting
from tools.classroom import course as courses

PROJECT = pathlib.Path(__file__).parents[1]
HERE = tempfile.TemporaryDirectory()


SOURCE = lighter.fewer_draws(PROJECT / "exercises/03_laplace.py", HERE.name)
STEM = SOURCE.stem
pytestmark = pytest.mark.depends(
    *("Makefile", ".gitignore", "dpbook", "exercises", "tests/test_classroom.py", "tools/classroom")
)
OTHER = PROJECT / "exercises/02_composition.py"
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
ENDLESS = "from resource import *\nsetrlimit(RLIMIT_CPU, (1, 1))\nwhile True: pass"  # and has but a second for it
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


HOSTILE = """
[click](javascript:alert(1)) [x](JaVa&#115;cript:alert(1)) [r] <javascript:alert(1)> <http://attacker/a>
[r]: javascript:alert(1)
![p](http://attacker/p.png) ![](//attacker/q.png) <img src=http://attacker/r.png onerror=alert(1)> http://attacker/s
$\\href{javascript:alert(1)}{x}$ <svg onload=alert(1)> </div><a href="javascript:alert(1)">x</a> ![a][r]

    <b onclick="alert(1)">code</b>
```
<iframe src="//attacker/t"></iframe>
```
"""
SUBMISSIONS = {
    "ada": page(RIGHT, "It is *post-processing* <script>alert('text')</script> where 3<4, `a <b` and $P<Q$." + HOSTILE),
    "bob": page(RIGHT | {"noisy_sum": SUM}),
    "eve": page({name: CHEAT + (SUM if name == "noisy_sum" else "") for name in RIGHT}, scratch=CHEAT),
    "kim": page(RIGHT | {"noisy_sum": REMEMBERS, "recover_count": ENDLESS}, "Yes."),
    "lee": "this is no notebook",
    "new": page({}),
}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    assert not bubblewrap.trouble(), f"{bubblewrap.trouble()}; `python -m tools.classroom.bubblewrap` tries to"
    folder = tmp_path_factory.mktemp("my course") / "of 2027"  # a blank in its path
    assert courses.set_up(folder, [SOURCE, OTHER]) == [STEM, OTHER.stem]
    downloads = tmp_path_factory.mktemp("downloads")
    for student, text in SUBMISSIONS.items():
        (downloads / f"{student}.ipynb").write_text(text)
    courses.collect(folder, STEM, sorted(downloads.iterdir()))
    assert courses.autograde(folder) == len(SUBMISSIONS)
    return folder


def rows(course):
    return {(row["student"], row["task"]): row for row in tables.read(course / "points.csv")}


def place(course, student):
    """Where a submission lies."""
    return course / "submitted" / student / STEM / f"{STEM}.ipynb"


def hand_in(course, student, text):
    """Put a submission there; its file."""
    path = place(course, student)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def feedback(course, student):
    return (course / "feedback" / student / STEM / f"{STEM}.html").read_text()


def words(page):
    """What a reader of an HTML page sees."""
    return html.unescape(re.sub(r"<style.*?</style>|<[^>]+>", "", page, flags=re.S))


def test_nbgraders_release_is_ours(tmp_path):
    """Of a few assignments, cell by cell; and no file of the release or of nbgrader's source leaks what is hidden."""
    few = SOURCES[::9]  # one by one nbgrader takes a second and a half for each
    courses.set_up(tmp_path, few)
    for source in few:
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
    source.write_text(SOURCE.read_text().replace("- (a) private", "- (a) private, first"))
    assert courses.set_up(tmp_path / "course", [source]) == [], "students see nothing of this"
    assert "- (a) private, first" in (tmp_path / "course" / "solutions" / f"{STEM}.ipynb").read_text()
    source.write_text(SOURCE.read_text().replace("All data here are invented.", "All data are invented."))
    assert courses.set_up(tmp_path / "course", [source]) == [STEM]


def test_points_are_those_of_the_grader(course):
    points = {key: row["points"] for key, row in rows(course).items()}
    assert [points["ada", name] for name in RIGHT] == ["2.0", "5.0", "3.0", "3.0"]
    assert [points["bob", name] for name in RIGHT] == ["2.0", "0.0", "3.0", "3.0"]
    assert {points["eve", name] for name in RIGHT} == {"0.0"}
    assert [points["kim", name] for name in RIGHT] == ["2.0", "5.0", "0.0", "3.0"]
    assert {points["lee", name] for name in (*RIGHT, "explain_rounding")} == {"0.0"}
    assert {points["new", name] for name in (*RIGHT, "explain_rounding")} == {"0.0"}
    assert points["ada", "explain_rounding"] == ""


def test_totals_are_nbgraders_own(course):
    totals = {row["student_id"]: (row["score"], row["max_score"]) for row in tables.read(course / "grades.csv")}
    assert totals["kim"] == ("10.0", "16.0") and totals["lee"] == ("0.0", "16.0")


def test_grades_are_of_what_was_handed_in_and_say_what_they_lack(course):
    """The other assignments have been released too, and nobody has handed in any."""
    rows = tables.read(course / "grades.csv")
    assert {row["assignment"] for row in rows} == {STEM} and len(rows) == len(SUBMISSIONS)
    assert {row["student_id"]: row["open"] for row in rows}["ada"] == "1 to grade by hand"
    assert {row["student_id"]: row["open"] for row in rows}["lee"] == "0 to grade by hand"


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
    assert "right: no test found a violation; the proof" in feedback(course, "ada")
    assert "did not come to its end" in feedback(course, "kim")
    eve = feedback(course, "eve")
    assert "noisy_sum: 5 / 5" in eve and "reached" not in eve


class Addresses(html.parser.HTMLParser):
    """What a page has that a browser would run or fetch: scripts, handlers, addresses."""

    def __init__(self, page):
        super().__init__()
        self.found = set()
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name.startswith("on") or name in {"href", "src", "srcset", "action", "data", "xlink:href", "formaction"}:
                self.found.add((tag, name, value))
        if tag in {"script", "iframe", "object", "embed", "svg", "base", "meta"}:
            self.found.add((tag, "", str(sorted(attributes))))


@pytest.fixture(scope="module")
def viewed(course):
    """The pages of `make formgrader`, from its own server, by student; and "manage", its list of assignments."""
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        numbers = {one.student.id: one.id for one in gradebook.notebook_submissions(STEM, STEM)}
    with running_lab(course, settings=courses.FORMGRADER) as (address, token):

        def page(path):
            request = urllib.request.Request(f"{address}/{path}", headers={"Authorization": f"token {token}"})
            with urllib.request.urlopen(request) as answer:
                return answer.read().decode()

        manage = {"manage": page("formgrader/manage_assignments")}
        seen = {student: page(f"formgrader/submissions/{numbers[student]}/") for student in SUBMISSIONS}
        for closed in ("assignments/validate", "assignments", "courses", "terminals/1", "api/terminals", "lsp/status"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                page(closed)  # 405 where the button to validate is, 200 where there are terminals
        request = urllib.request.Request(f"{address}/api/kernels", b"{}", {"Authorization": f"token {token}"})
        with pytest.raises(urllib.error.HTTPError, match="500"):  # 201 where a cell of a student's could be run
            urllib.request.urlopen(request)
    return manage | {student: text.replace(numbers[student], "its-number") for student, text in seen.items()}


ROUTES = """
import sys
from jupyterlab.labapp import LabApp

def of(router):
    for rule in router.rules:
        yield from of(rule.target) if hasattr(rule.target, "rules") else [rule.target]

app = LabApp.initialize_server(["--no-browser", "--allow-root", "--port=0"]).web_app
handlers = [*of(app.default_router), *of(app.wildcard_router)]
for module in {getattr(one, "__module__", "") for one in handlers}:
    print("route", module.removesuffix(".handlers"))
"""
LABS = ("licenses", "listings", "settings", "themes", "translations", "workspaces")
HANDLERS = ("announcements", "build_handler", "plugin_manager_handler", "extension_manager_handler")  # it: "readonly"
SERVICES = ("api", "config", "contents", "events", "nbconvert", "security", "shutdown")
NONE = ("kernels", "kernels.websocket", "kernelspecs", "sessions")
ANSWERING = {
    *(f"nbgrader.server_extensions.formgrader{part}" for part in ("", ".apihandlers")),
    *("jupyterlab_server", *(f"jupyterlab_server.{part}_handler" for part in LABS)),
    *(f"jupyterlab.handlers.{part}" for part in HANDLERS),
    *("tornado.web", "jupyter_server.base", "jupyter_server.auth.login", "jupyter_server.auth.logout"),
    *("jupyter_server.view", "jupyter_server.nbconvert", "jupyter_server.kernelspecs"),
    *(f"jupyter_server.services.{part}" for part in (*SERVICES, *NONE)),
}


def routes(folder, settings):
    """Whose handlers a JupyterLab with these settings has."""
    surroundings = os.environ | {"JUPYTER_CONFIG_PATH": str(settings)}
    command = [sys.executable, "-c", ROUTES]
    said = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, check=True).stdout
    return {line.removeprefix("route ") for line in said.splitlines() if line.startswith("route ")}


def test_nothing_but_formgraders_pages_and_jupyterlab_answers(tmp_path):
    """No terminal, no language server, none of nbgrader's other pages; a new extension must be let in here."""
    assert "nbgrader.server_extensions.formgrader" in (found := routes(tmp_path, courses.FORMGRADER))
    assert found <= ANSWERING


def test_no_script_link_or_address_of_a_student_is_where_it_is_read(course, viewed):
    """Neither in the feedback nor in formgrader's page: a page has what that of an untouched notebook has."""
    for student in ("ada", "eve"):
        for page, plain in ((feedback(course, student), feedback(course, "new")), (viewed[student], viewed["new"])):
            more = Addresses(page).found - Addresses(plain).found
            assert all(tag == "img" and value.startswith("data:image/png;base64,") for tag, _, value in more), more
    notebook = json.loads((course / "autograded" / "eve" / STEM / f"{STEM}.ipynb").read_text())
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    assert {kind for output in outputs for kind in output.get("data", {})} <= {"image/png"}


def test_this_would_be_seen():
    more = Addresses(HTMLExporter().from_notebook_node(nbformat.v4.new_notebook())[0]).found
    cell = nbformat.v4.new_markdown_cell(HOSTILE)
    found = Addresses(HTMLExporter().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))[0]).found - more
    assert any("javascript:" in str(value) for _, _, value in found) and any("attacker" in str(v) for _, _, v in found)


def test_honest_text_stays_as_it_was_typed(course, viewed):
    """`<`, formulas and code are there to be read, without MathJax."""
    for page in (feedback(course, "ada"), viewed["ada"]):
        text = words(page)
        assert "where 3<4, `a <b` and $P<Q$." in text and "It is *post-processing*" in text
        assert '<b onclick="alert(1)">code</b>' in text


def foreign(page):
    """The addresses elsewhere that a page has a browser fetch; a link fetches nothing before somebody clicks on it."""
    found = [(tag, str(value)) for tag, _, value in Addresses(page).found]
    loaded = {value for tag, value in found if tag == "script" and ("http" in value or "'//" in value)}
    return loaded | {value for tag, value in found if tag != "a" and value.startswith(("http", "//"))}


def test_nothing_foreign_is_fetched_to_read_or_grade(course, viewed):
    """No formula needs an address: those of the tasks stand there as they are typed too, where no MathJax comes."""
    for page in (*(feedback(course, student) for student in SUBMISSIONS), *viewed.values()):
        assert not foreign(page) and "cdnjs" not in page
    assert "window.MathJax" in viewed["ada"], "nbgrader's script waits for its word"
    assert foreign(HTMLExporter().from_notebook_node(nbformat.v4.new_notebook())[0]), "this test would see one"


def test_who_grades_sees_the_flags_and_the_student_does_not(course, viewed):
    flag = rows(course)["kim", "noisy_sum"]["flag"]
    assert flag in words(viewed["kim"]) and flag not in words(feedback(course, "kim"))
    assert all("Flag, for you alone" not in viewed[student] for student in ("ada", "bob", "new"))
    saved = (course / "autograded" / "kim" / STEM / f"{STEM}.ipynb").read_text()
    assert "Flag, for you alone" not in saved


def test_nbgrader_validate_says_what_is_not_right(tmp_path):
    """Of a release every task of the machine's, of the solutions none; it runs them without a jail, so of ours only."""
    nbformat.write(assignments.release(SOURCE), tmp_path / "release.ipynb")
    (tmp_path / "right.ipynb").write_text(page(RIGHT, "Yes."))
    command = [sys.executable, "-m", "nbgrader", "validate", "release.ipynb", "right.ipynb"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    first, second, _ = said.partition("Success!")
    assert f"VALIDATION FAILED ON {len(RIGHT)} CELL(S)" in first and "not yet: write your answer" in first
    assert second


def test_who_grades_sees_the_mark_scheme_and_the_student_does_not(course, viewed):
    scheme = "(c) rounded noise lets the fraction of"
    assert scheme in words(viewed["ada"]) and scheme not in words(feedback(course, "ada"))
    assert words(viewed["ada"]).index("Mark scheme, for you alone") < words(viewed["ada"]).index("where 3<4")


def test_the_class_as_a_whole(course, tmp_path, capsys):
    """A roster, the class's mistakes, grades for a platform: through the commands, after grading."""

    def said(*words):
        assert (refusal := courses.main(["--course", str(course), *map(str, words)])) is None, refusal
        return capsys.readouterr().out

    export = tmp_path / "canvas.csv"
    head = "Student,ID,SIS User ID,SIS Login ID,Section,03_laplace (7)\n    Points Possible,,,,,16\n"
    export.write_text(head + '"L, Lee",1,,lee,A,\n"A, Ada",2,,ada,A,\n"G, Gus",3,,gus,A,\n')
    assert "run `course roster EXPORT` first" in courses.main(["--course", str(course), "grades", str(export)])
    assert "3 students are on the roster" in said("roster", export)
    assert courses.feedback(course)
    totals = {row["student_id"]: row for row in tables.read(course / "grades.csv")}
    assert totals["gus"]["open"] == "not handed in" and totals["ada"]["last_name"] == "A"
    shown = said("grades", export)
    with (course / "import" / "canvas.csv").open() as file:
        filled = [row[-1] for row in csv.reader(file)]
    waits = totals["ada"]["open"] != "0 to grade by hand"
    assert filled[:3] == ["03_laplace (7)", "16", "0"] and filled[4] == "" and "gus, 03_laplace: not handed in" in shown
    assert filled[3] == ("" if waits else f"{float(totals['ada']['score']):g}")
    assert "mistakes.png" in said("report")
    lines = {(row["task"], row["line"]): row for row in tables.read(course / "mistakes.csv")}
    assert lines["noisy_sum", "keep going: this is the true answer, without any noise"]["of"] == str(len(SUBMISSIONS))
    assert (course / "mistakes.png").stat().st_size > 10_000
    assert tables.read(course / "similar.csv") == [], "answers as short as these are alike by themselves"
    assert {row["student"] for row in tables.read(course / "history.csv")} == set(SUBMISSIONS)


def test_hand_grading_is_kept_and_comes_out(course):
    """A human's points survive a new grading of the same student, and reach the table and the feedback."""
    assert steps.WAITING in feedback(course, "ada")
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        grade = gradebook.find_grade("explain_rounding", STEM, STEM, "ada")
        grade.manual_score, grade.needs_manual_grade = 2.0, False
        gradebook.find_comment("explain_rounding", STEM, STEM, "ada").manual_comment = "Why downwards?"
        gradebook.db.commit()
    courses.feedback(course)
    assert rows(course)["ada", "explain_rounding"]["points"] == "2.0"
    assert rows(course)["ada", "explain_rounding"]["by_hand"] == "done"
    assert "Why downwards?" in feedback(course, "ada") and steps.WAITING not in feedback(course, "ada")
    assert rows(course)["ada", "explain_rounding"]["reason"] == "graded by hand"


@pytest.mark.thorough
def test_a_mark_by_hand_stays_and_an_unreadable_file_says_so(course):
    """Whatever is handed in later: the human's mark on a machine's task; the others get what the last file gets."""
    wrong = "def scale_for_sum(low, high, epsilon):\n    return high / epsilon"
    path = hand_in(course, "pat", page({"scale_for_sum": wrong, "recover_count": RIGHT["recover_count"]}))
    courses.autograde(course)
    assert [rows(course)["pat", name]["points"] for name in ("scale_for_sum", "recover_count")] == ["0.0", "3.0"]
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        gradebook.find_grade("scale_for_sum-check", STEM, STEM, "pat").manual_score = 1.5
        gradebook.db.commit()
    path.write_text(page({"scale_for_sum": RIGHT["scale_for_sum"], "recover_count": RIGHT["recover_count"]}))
    assert courses.autograde(course) == 1
    table = rows(course)
    assert table["pat", "scale_for_sum"]["points"] == "1.5" and table["pat", "recover_count"]["points"] == "3.0"
    path.write_text("half a notebo")
    assert courses.autograde(course) == 1
    table = rows(course)
    assert table["pat", "recover_count"]["points"] == "0.0" and table["pat", "scale_for_sum"]["points"] == "1.5"
    assert "cannot be read as a notebook" in table["pat", "recover_count"]["reason"]
    assert "cannot be read as a notebook" in feedback(course, "pat")


def test_who_is_put_before_a_human(monkeypatch):
    """Explanations, flags that have points, and tasks that a human has marked before; nobody else."""
    grades, comments, commits = {}, {}, []
    kept = SimpleNamespace(
        find_grade=lambda name, *place: grades.setdefault((name, place[-1]), SimpleNamespace(manual_score=None)),
        find_comment=lambda name, *place: comments.setdefault((name, place[-1]), SimpleNamespace()),
        db=SimpleNamespace(commit=lambda: commits.append(len(grades))),
    )
    monkeypatch.setattr(steps, "source_of", lambda stem: SOURCE)
    grades["revealing_records-check", "ada"] = SimpleNamespace(manual_score=1.0)
    told = [("scale_for_sum", 2, 2, "right"), ("noisy_sum", 5, 5, "right", "x"), ("recover_count", 0, 3, "off", "x")]
    told += [("revealing_records", 3, 3, "right"), ("explain_rounding", None, 3, verdicts.BY_HAND)]
    steps._record(kept, STEM, "ada", [verdicts.Score("ada", *one) for one in told])
    steps._record(kept, STEM, "bob", [verdicts.Score("bob", "explain_rounding", 0, 3, "no answer")])
    assert {name: (grade.auto_score, grade.needs_manual_grade) for name, grade in grades.items()} == {
        ("scale_for_sum-check", "ada"): (2, False),
        ("noisy_sum-check", "ada"): (5, True),
        ("recover_count-check", "ada"): (0, False),
        ("revealing_records-check", "ada"): (3, True),
        ("explain_rounding", "ada"): (None, True),
        ("explain_rounding", "bob"): (0, False),
    }
    said = {name: comment.auto_comment for name, comment in comments.items()}
    assert said["explain_rounding", "ada"] == steps.WAITING and said["explain_rounding", "bob"] == "no answer"
    assert said["noisy_sum", "ada"] == says.NOT_A_PROOF and said["scale_for_sum", "ada"] == "right"
    assert commits[-1] == len(grades) and grades["revealing_records-check", "ada"].manual_score == 1


def test_only_an_explanation_that_was_graded_waits_no_longer():
    waits = {"graded": False, "waiting": True, "other": False}
    grades = [SimpleNamespace(name=name, needs_manual_grade=waiting) for name, waiting in waits.items()]
    said = {"graded": steps.WAITING, "waiting": steps.WAITING, "other": "no answer"}
    comments = [SimpleNamespace(name=name, auto_comment=words) for name, words in said.items()]
    one = SimpleNamespace(notebooks=[SimpleNamespace(grades=grades, comments=comments)])
    database = SimpleNamespace(commit=lambda: None)
    steps.no_longer_waiting(SimpleNamespace(assignments=[SimpleNamespace(submissions=[one])], db=database))
    assert [comment.auto_comment for comment in comments] == [None, steps.WAITING, "no answer"]


@pytest.mark.parametrize(("text", "later"), [("other", 0), ("right", 1)])
def test_a_result_is_of_the_file_as_it_is(tmp_path, monkeypatch, text, later):
    """A file of another length, or of another time, is graded anew."""
    path, source = tmp_path / "page.ipynb", tmp_path / "source.py"
    path.write_text("right"), source.write_text("x")
    os.utime(path, ns=(0, 0))
    monkeypatch.setattr(steps, "RESULTS", {})
    steps.remember(path, source, "known")
    assert steps.RESULTS[steps._stamp(path, source)] == "known"
    path.write_text(text + "." * (not later)), os.utime(path, ns=(later, later))
    assert steps._stamp(path, source) not in steps.RESULTS


@pytest.mark.parametrize("varied", [False, True])
def test_nbgraders_steps_grade_once_with_the_seeds_and_the_variants_of_the_course(tmp_path, monkeypatch, varied):
    path, source = place(tmp_path, "ada"), tmp_path / "assignments" / f"{STEM}.py"
    for file in (path, source, tmp_path / "secret"):
        file.parent.mkdir(parents=True, exist_ok=True), file.write_text(file.name)
    if varied:
        (tmp_path / "variants").mkdir()
    asked = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(steps, "RESULTS", {})
    monkeypatch.setattr(steps.single, "refusal", lambda unsafe: "")
    monkeypatch.setattr(steps.grading, "grade_all", lambda *files, **how: asked.append((files, how)) or ["the result"])
    assert [steps.result_of({"assignment": STEM, "student": "ada"}, False) for _ in range(2)] == ["the result"] * 2
    how = {"unsafe": False, "pages": True, "secret": b"secret", "varied": varied}
    assert asked == [((source, [path], tmp_path / "results"), how)]


@pytest.mark.parametrize(("ran", "shown"), [("1 + 1", "kept"), ("1 + 2", "run now")])
def test_what_a_page_showed_is_not_shown_of_other_code(monkeypatch, ran, shown):
    def stream(text):
        return [[{"output_type": "stream", "name": "stdout", "text": text}]]

    page = {"cells": steps.pages.fingerprint([ran]), "outputs": stream("kept")}
    monkeypatch.setattr(steps, "result_of", lambda place, unsafe: SimpleNamespace(page=page))
    monkeypatch.setattr(steps.pages, "outputs", lambda sources, unsafe: stream("run now"))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")])
    notebook, _ = steps.RunInJail().preprocess(notebook, {"nbgrader": {}})
    [cell] = notebook.cells
    assert (cell.execution_count, cell.outputs[0].text) == (1, shown)


def test_only_what_changed_is_graded_again(course):
    assert courses.autograde(course) == 0
    hand_in(course, "bob", page(RIGHT))
    assert courses.autograde(course) == 1
    assert rows(course)["bob", "noisy_sum"]["points"] == "5.0"
    assert rows(course)["ada", "noisy_sum"]["points"] == "5.0"


def test_a_submission_is_graded_by_one_call_and_its_points_are_written_once(course, monkeypatch):
    """By `make autograde`, for three students, and by nbgrader's own command for one."""
    graded, written, real = [], collections.Counter(), steps.grading.grade_all

    def grade_all(source, paths, *more, **options):
        graded.extend(path.parents[1].name for path in paths if "quick" in str(path))
        return real(source, paths, *more, **options)

    def wrote(grade, value, *_):
        if "quick" in grade.notebook.student.id:
            written[grade.notebook.student.id, grade.name, value] += 1

    monkeypatch.setattr(steps.grading, "grade_all", grade_all)
    sqlalchemy.event.listen(Grade.auto_score, "set", wrote)
    try:
        for number in range(3):
            hand_in(course, f"quick-{number}", page({"scale_for_sum": RIGHT["scale_for_sum"]} if number else {}))
        assert courses.autograde(course) == 3 and not steps.RESULTS
        assert sorted(graded) == ["quick-0", "quick-1", "quick-2"]
        points = {(who, task): value for who, task, value in written if value is not None}
        assert written.total() == len(written) and len(points) == 3 * (len(RIGHT) + 1)
        assert points["quick-1", "scale_for_sum-check"] == 2 and points["quick-0", "scale_for_sum-check"] == 0
        graded.clear(), written.clear()
        assert courses._nbgrader(course).autograde(STEM, "quick-2")["success"]
        assert graded == ["quick-2"] and written.total() == len(written) == len(RIGHT) + 1
    finally:
        sqlalchemy.event.remove(Grade.auto_score, "set", wrote)


def test_nbgraders_own_autograde_goes_through_the_jail_too(course):
    """As its command and the button of its formgrader run it: the same points, and the table has them."""
    hand_in(course, "zoe", page(RIGHT | {"noisy_sum": "print('reach' + 'ed')\n" + CHEAT + SUM}))
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


@pytest.mark.thorough
def test_all_assignments_can_be_in_one_course(tmp_path, capsys):
    assert courses.main(["--course", str(tmp_path), "set-up"]) is None
    shown = capsys.readouterr().out
    assert all(source.stem in shown and (tmp_path / "release" / source.stem).is_dir() for source in SOURCES)


def test_the_command_line(tmp_path, capsys):
    assert "run make classroom first" in courses.main(["--course", str(tmp_path / "none"), "autograde"])
    assert "assignment is called 03; there are" in courses.main(["--course", str(tmp_path / "course"), "set-up", "03"])
    assert courses.main(["--course", str(tmp_path / "course"), "set-up", STEM, OTHER.stem]) is None
    assert f"released: {STEM}, {OTHER.stem}." in capsys.readouterr().out
    file = tmp_path / "ada.ipynb"
    file.write_text(page({}))
    assert courses.main(["--course", str(tmp_path / "course"), "collect", STEM, str(file)]) is None
    assert place(tmp_path / "course", "ada").read_text() == file.read_text()


def test_an_installation_may_have_an_umlaut_in_its_path_where_the_locale_knows_none(tmp_path):
    """alembic, which nbgrader calls, reads a file with that path in the encoding of the locale: here ASCII."""
    place = tmp_path / "bücher"
    place.mkdir()
    (place / "nbgrader").symlink_to(pathlib.Path(find_spec("nbgrader").origin).parent)
    words = ["-m", "tools.classroom.course", "--course", str(tmp_path / "course"), "set-up", STEM]
    settings = os.environ | {"LC_ALL": "C", "PYTHONPATH": str(place)}
    command = [sys.executable, *words]
    run = subprocess.run(command, cwd=PROJECT, env=settings, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert f"released: {STEM}." in run.stdout


def test_a_course_is_its_owners(course):
    assert course.stat().st_mode & 0o777 == 0o700
    assert (course / "secret").stat().st_mode & 0o777 == 0o600 and len((course / "secret").read_bytes()) == 32


def test_make_clean_leaves_courses():
    """The folder of courses is not among those that it deletes, and git does not know it."""
    text = (PROJECT / "Makefile").read_text()
    (removed,) = re.findall(r"(?m)^\trm -rf (.*)$", text)
    (folder,) = re.findall(r"(?m)^COURSE \?= (.*)$", text)
    assert folder == "course" and not {"course", "course/", "."} & set(removed.split())
    assert "/course/" in (PROJECT / ".gitignore").read_text().split()


def test_a_course_may_have_a_blank_in_its_path():
    """Each command of `make` has it in quotes; the course of the tests above has one."""
    text = (PROJECT / "Makefile").read_text()
    assert len(re.findall(r"\$\(COURSE\)", text)) == len(re.findall(r'"\$\(COURSE\)[/\w.]*"', text)) > 5


def test_hidden_data_come_from_the_courses_secret(course, tmp_path):
    path = place(course, "ada")
    one, other = (kept.seed_of(key, SOURCE, path) for key in (b"one", b"other"))
    assert one != other and one == kept.seed_of(b"one", SOURCE, path)
    assert one != kept.seed_of(b"one", SOURCE, place(course, "bob"))
    assert one != kept.seed_of(b"one", OTHER, path)
    keys = {kept.key_of(SOURCE, path, None, False, True, key) for key in (b"one", b"other", None)}
    assert len(keys) == 3


def test_files_that_match_nothing_are_named(course):
    for name in ("03_laplace (1).ipynb", "notes.txt"):
        (course / "submitted" / "ada" / STEM / name).write_text("")
    (course / "submitted" / "bob" / "03_Laplace").mkdir()
    (course / "submitted" / "bob" / "03_Laplace" / "03_Laplace.ipynb").write_text("")
    (course / "submitted" / "mal").symlink_to(course / "solutions")
    (course / "submitted" / "ada" / STEM / "link").symlink_to(course / "secret")
    lines = courses.left(course)
    assert len(lines) == 5 and sum("link" in line for line in lines) == 2
    assert any("ada/03_laplace/03_laplace (1).ipynb" in line for line in lines)
    for line in lines:
        path = course / line.split(" was not")[0].split(" is a link")[0]
        path.unlink()
    (course / "submitted" / "bob" / "03_Laplace").rmdir()
    assert courses.left(course) == []


def test_no_link_is_followed(course, tmp_path):
    """Neither as a submission, nor beside one: the solution would be graded, or handed out with the feedback."""
    courses.autograde(course)
    path = place(course, "mallory")
    path.parent.mkdir(parents=True)
    path.symlink_to(course / "solutions" / f"{STEM}.ipynb")
    assert path not in collecting.submissions(course, STEM)
    with pytest.raises(submission.Unreadable, match="no file that can be read"):
        submission.read(assignments.read(SOURCE), path)
    path.unlink()
    hand_in(course, "mallory", page({}))
    path.with_name("data.csv").symlink_to(course / "secret")
    assert courses.autograde(course) == 1
    given = [path.name for kind in ("autograded", "feedback") for path in (course / kind / "mallory").rglob("*.*")]
    assert sorted(given) == [f"{STEM}.html", f"{STEM}.ipynb"]
    shutil.rmtree(path.parents[1])
    assert courses.left(course) == [f"mallory keeps the grade for {STEM}, but the file is gone"]


def test_other_tasks_after_grading_are_refused_before_anything_is_lost(course, tmp_path):
    """And what was handed out goes on being graded as it was; other texts and points are taken over."""
    text = SOURCE.read_text()
    last = text[text.index("# %% [markdown]\n# ## 5. Explain") :]
    fewer = tmp_path / SOURCE.name
    fewer.write_text(text.removesuffix(last))
    release = (course / "release" / STEM / f"{STEM}.ipynb").read_bytes()
    with pytest.raises(courses.Refused, match=r"other tasks.*explain_rounding.*to a new name"):
        courses.set_up(course, [fewer])
    more = tmp_path / "more" / SOURCE.name
    more.parent.mkdir()
    more.write_text(text + last.replace("explain_rounding", "explain_more"))
    with pytest.raises(courses.Refused, match=r"other tasks.*\(explain_more\)"):
        courses.set_up(course, [more])
    assert (course / "release" / STEM / f"{STEM}.ipynb").read_bytes() == release
    assert courses.autograde(course) == 0
    edited = tmp_path / "edited" / SOURCE.name
    edited.parent.mkdir()
    edited.write_text(text.replace("Five tasks, 16 points", "Five tasks, sixteen points"))
    assert courses.set_up(course, [edited]) == [STEM]
    assert b"sixteen" in (course / "release" / STEM / f"{STEM}.ipynb").read_bytes()
    courses.set_up(course, [SOURCE])


def test_a_release_that_fails_is_put_back(course, monkeypatch):
    release = (course / "release" / STEM / f"{STEM}.ipynb").read_bytes()

    def fails(_, stem):
        shutil.rmtree(course / "release" / stem)
        return {"success": False}

    monkeypatch.setattr(courses.NbGraderAPI, "generate_assignment", fails)
    with pytest.raises(RuntimeError, match="could not make"):
        courses._release(course, STEM)
    assert (course / "release" / STEM / f"{STEM}.ipynb").read_bytes() == release
    monkeypatch.undo()
    courses.set_up(course, [SOURCE])


def test_what_nbgrader_cannot_take_stops_no_other(course, monkeypatch):
    for student in ("abe", "zed"):
        hand_in(course, student, page({"scale_for_sum": RIGHT["scale_for_sum"]}))
    real = courses.NbGraderAPI.autograde
    fails = lambda self, stem, who: 1 / 0 if who == "abe" else real(self, stem, who)  # noqa: E731
    with monkeypatch.context() as patch, pytest.raises(courses.Refused, match="abe, 03_laplace: ZeroDivisionError"):
        patch.setattr(courses.NbGraderAPI, "autograde", fails)
        courses.autograde(course)
    assert rows(course)["zed", "scale_for_sum"]["points"] == "2.0"
    assert courses.autograde(course) == 1 and rows(course)["abe", "scale_for_sum"]["points"] == "2.0"


def test_the_error_under_nbgraders_own_is_said():
    below = "[ERROR] Traceback:\n      File x, line 1\n    a.b.SomeError: Invalid character 'i'\n    ^"
    own = "  File y, line 2\n    raise NbGraderException(msg)\n"
    own += "nbgrader.x.NbGraderException: see the the above traceback"
    told = {"success": False, "log": f"[INFO] Converting\n{below}\n{own}", "error": own}
    with pytest.raises(RuntimeError, match=r"the feedback for ada: a\.b\.SomeError: Invalid character 'i'$"):
        courses._done(told, "the feedback for ada")
    assert courses._cause({"log": "no traceback", "error": None}).startswith("no traceback")


def with_cells(kind):
    """A right answer to the sum, and an explanation, in cells that two keys in JupyterLab have made others."""
    notebook = nbformat.reads(page({"noisy_sum": RIGHT["noisy_sum"]}, "Because."), 4)
    place = [cell.id for cell in notebook.cells].index("noisy_sum")
    copy = nbformat.from_dict(notebook.cells[place])
    if kind == "copied":
        copies = [nbformat.from_dict(cell) for cell in notebook.cells if "nbgrader" in cell.metadata]
        notebook.cells += [nbformat.from_dict(cell | {"id": f"c{number}"}) for number, cell in enumerate(copies)]
    if kind == "split":
        head, body = copy.source.split("\n", 1)
        notebook.cells[place].source = head
        notebook.cells.insert(place + 1, nbformat.from_dict(copy | {"id": "half", "source": body}))
    if kind == "renamed":
        notebook.cells[place].metadata.nbgrader.grade_id = "mine"
    if kind == "unknown":
        notebook.cells.append(nbformat.from_dict(copy | {"id": "more", "source": "1 / 0"}))
        notebook.cells[-1].metadata = nbformat.from_dict({"nbgrader": {**copy.metadata.nbgrader, "grade_id": "mine"}})
    if kind == "stripped":
        for cell in notebook.cells:
            cell.metadata = nbformat.from_dict({})
    return nbformat.writes(notebook)


@pytest.mark.parametrize(
    "kinds", [("copied",), pytest.param(("split", "renamed", "unknown", "stripped"), marks=pytest.mark.thorough)]
)
def test_cells_copied_split_or_renamed_have_a_page_like_all_others(course, kinds):
    """Points, feedback and the explanation to grade by hand are all there."""
    for kind in kinds:
        hand_in(course, kind, with_cells(kind))
    assert courses.autograde(course) == len(kinds)
    table = rows(course)
    for kind in kinds:
        assert [table[kind, name]["points"] for name in RIGHT] == ["0.0", "5.0", "0.0", "0.0"], kind
        assert table[kind, "explain_rounding"]["by_hand"] == "wanted"
        said = words(feedback(course, kind))
        assert "low, high = bounds" in said and "Because." in said, kind


# Downloads of learning platforms.


def downloaded(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}")
    return sorted(folder.iterdir())


@pytest.mark.parametrize(
    ("names", "students"),
    [
        (["ada.ipynb", "bob.ipynb"], ["ada", "bob"]),
        (["finnfay_4711_081516_03_laplace-1.ipynb", "eve_LATE_12_9_x.ipynb"], ["eve-12", "finnfay-4711"]),
        (["Eve Miller_123_assignsubmission_file_03_laplace.ipynb"], ["Eve_Miller-123"]),
        (
            ["Eve Miller_123_assignsubmission_file_/03_laplace.ipynb", "Bo Ek_4_assignsubmission_file_/a b.ipynb"],
            ["Bo_Ek-4", "Eve_Miller-123"],
        ),
        (  # as newer Moodles name their folders
            ["Eve Miller_123_assignsubmission_file/03_laplace.ipynb", "Bo Ek_4_assignsubmission_file/a b.ipynb"],
            ["Bo_Ek-4", "Eve_Miller-123"],
        ),
        (["ada/03_laplace.ipynb", "bob/03_laplace (1).ipynb"], ["ada", "bob"]),
        (["03_laplace/ada.ipynb", "bob.ipynb"], ["ada", "bob"]),
        (["Ada/ada.ipynb", "bob.ipynb"], ["Ada", "bob"]),
        (["ada.IPYNB", "bob/03_laplace.Ipynb"], ["ada", "bob"]),
    ],
)
def test_downloads_are_understood(tmp_path, names, students):
    paths = downloaded(tmp_path / "files", *names, "notes.txt")
    taken, left = collecting.understood(paths, STEM)
    assert sorted(taken) == students and [pathlib.Path(one).name for one in left] == ["notes.txt"]
    archive = pathlib.Path(shutil.make_archive(tmp_path / "all", "zip", tmp_path / "files"))
    taken, left = collecting.understood([archive], STEM)
    assert sorted(taken) == students and len(left) == 1
    assert {one.read() for one in taken.values()} == {b"{}"}


@pytest.mark.parametrize(
    ("handed_in", "given_back"),
    [
        ("finnfay_4711_081516_03_laplace-1.ipynb", "finnfay_4711_081516_03_laplace.html"),
        ("eve_LATE_12_9_x.ipynb", "eve_LATE_12_9_03_laplace.html"),
        ("Eve Miller_123_assignsubmission_file_mine.ipynb", "Eve Miller_123_assignsubmission_file_03_laplace.html"),
        ("Eve Miller_123_assignsubmission_file_/bo_9_9_.ipynb", "Eve Miller_123_assignsubmission_file_03_laplace.html"),
        ("Eve Miller_123_assignsubmission_file/a b.ipynb", "Eve Miller_123_assignsubmission_file_03_laplace.html"),
        ("ada.ipynb", None),
    ],
)
def test_feedback_goes_back_under_the_name_that_the_platform_gave(tmp_path, handed_in, given_back):
    """From a file and from an archive; a hidden page of somebody else, or of nobody's file, is not in it."""
    course = tmp_path / "course"
    paths = downloaded(tmp_path / "files", handed_in, "zoe.ipynb")
    for source in (paths, [pathlib.Path(shutil.make_archive(tmp_path / "all", "zip", tmp_path / "files"))]):
        shutil.rmtree(course, ignore_errors=True)
        taken, _ = collecting.take(course, STEM, source)
        history.note(course, STEM, taken)
        others = {who: dataclasses.replace(one, origin="X_7_assignsubmission_file_x") for who, one in taken.items()}
        history.note(course, OTHER.stem, others)  # in each assignment Moodle's numbers are others
        for student in taken:
            page = course / "feedback" / student / STEM / f"{STEM}.html"
            page.parent.mkdir(parents=True)
            page.write_text(f"for {student}")
        if given_back is None:
            with pytest.raises(courses.Refused, match="Canvas or Moodle"):
                courses.feedback_archive(course, STEM)
            continue
        target, others = courses.feedback_archive(course, STEM)
        assert others == ["zoe"]
        with zipfile.ZipFile(target) as archive:
            assert archive.namelist() == [given_back]
            assert archive.read(given_back).decode() == f"for {(set(taken) - {'zoe'}).pop()}"
        assert platforms.named(given_back.removesuffix(".html")) is not None, "collect would know it again"


UNCLEAR = [
    (["03_laplace (1).ipynb"], "whose is it"),
    (["03_laplace.ipynb"], "whose is it"),
    *(([f"{name}.ipynb"], "whose is it") for name in ("=cmd", "-2+3", "+1", "@x")),
    (["d1/ada.ipynb", "d2/bob.ipynb"], "whose is it"),
    (["finnfay_4711_081516_a.ipynb", "finnfay_4711_081517_a-1.ipynb"], "another file"),
]


@pytest.mark.parametrize(("names", "words"), UNCLEAR)
def test_what_is_not_clear_is_set_aside_and_named_and_the_others_are_taken(tmp_path, names, words):
    paths = downloaded(tmp_path / "files", *names, "zoe.ipynb")
    taken, left = collecting.take(tmp_path / "course", STEM, paths)
    assert set(taken) == {"zoe"} and len(left) == len(names) and all(words in line for line in left)
    with pytest.raises(collecting.Refused, match=words):
        collecting.take(tmp_path / "other", STEM, [path for path in paths if path.name != "zoe.ipynb"])
    assert not (tmp_path / "other").exists()


ADA, ANNA = ("Ada Lovelace", "4711"), ("Anna Byron", "4713")


def moodle(who, inside):
    return f"{who[0]}_{who[1]}_assignsubmission_file_{inside}"


@pytest.mark.parametrize("with_roster", [False, True])
@pytest.mark.parametrize(
    ("name", "found"),
    [  # what a student may choose is the name of the upload: it never makes the file another student's
        ("byronanna_4713_081513_x_4711_assignsubmission_file_.ipynb", "Canvas 4713"),
        ("byronanna_4713_081513_lovelaceada_4711_081514_x.ipynb", "Canvas 4713"),
        ("byronanna_LATE_4713_081513_ada.ipynb", "Canvas 4713"),
        (moodle(ANNA, "/" + moodle(ADA, ".ipynb")), ""),
        (moodle(ANNA, "/" + moodle(ADA, "/03_laplace.ipynb")), "Moodle 4713"),
        (moodle(ANNA, moodle(ADA, ".ipynb")), "Moodle 4713"),
        (moodle(ANNA, "x_4711_assignsubmission_file_.ipynb"), "Moodle 4713"),
        (moodle(ANNA, "/sub/deeper/homework.ipynb"), "Moodle 4713"),
        (moodle(ANNA, "/somebodyelse_99_1_x.ipynb"), "Moodle 4713"),
        ("anna/ada.ipynb", ""),
        ("anna/lovelaceada_4711_081514_x.ipynb", ""),
        ("anna/03_laplace.ipynb", "folder anna"),
        ("anna/anna.ipynb", "folder anna"),
    ],
)
def test_nobody_hands_in_as_somebody_else_by_the_name_of_a_file(tmp_path, name, found, with_roster):
    """Beside another student's file, as files and in an archive: Ada's place stays empty."""
    members = [roster.Member("ada", "", "", "4711"), roster.Member("anna", "", "", "4713")] if with_roster else []
    if with_roster:
        (tmp_path / "course").mkdir()
        roster.write(tmp_path / "course", members)
    paths = downloaded(tmp_path / "files", name, "zoe/03_laplace.ipynb")
    archive = pathlib.Path(shutil.make_archive(tmp_path / "all", "zip", tmp_path / "files"))
    for place, given in (("a", paths), ("b", [archive]), ("c", [tmp_path / "files"])):
        taken, left = collecting.understood(given, STEM, members)
        assert {one.bearer.source for one in taken.values()} - {"folder zoe"} == {found} - {""}, place
        assert "ada" not in taken and not any("4711" in who for who in taken)
        assert bool(left) == (not found) and all("whose is it" in line for line in left)


def test_one_file_alone_in_a_members_folder_is_that_members(tmp_path):
    downloaded(tmp_path / "files", "anna/homework.ipynb")
    archive = pathlib.Path(shutil.make_archive(tmp_path / "all", "zip", tmp_path / "files"))
    for given in (archive, tmp_path / "files"):
        assert set(collecting.understood([given], STEM, [roster.Member("anna")])[0]) == {"anna"}


def test_a_students_archive_is_never_opened(tmp_path):
    """Neither in a folder of hers, nor named by a platform or after a member, nor in the platform's archive."""
    inner = tmp_path / "inner.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("lovelaceada_4711_081513_x.ipynb", "{}")
    files = tmp_path / "files"
    downloaded(files, "zoe_1_2_x.ipynb")
    for name in ("byronanna_4713_081513_x.zip", moodle(ANNA, "/x.zip"), "folder/x.ZIP", "anna.zip"):
        (files / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(inner, files / name)
    outer = pathlib.Path(shutil.make_archive(tmp_path / "all", "zip", files))
    for given in (sorted(files.iterdir()), [files], [outer]):
        taken, left = collecting.understood(given, STEM, [roster.Member("anna")])
        assert set(taken) == {"zoe-1"} and sum("is not opened" in line for line in left) == 4
    taken, _ = collecting.understood([inner], STEM)
    assert set(taken) == {"lovelaceada-4711"}, "the platform's own, as it was downloaded, is"


def spoilt(file, changes):
    """Change bytes of an archive's entries, by their names: a dict of places in the entry of the table at its end."""
    text = bytearray(file.read_bytes())
    at = text.index(b"PK\x01\x02")
    while text[at : at + 4] == b"PK\x01\x02":
        name, extra, comment = struct.unpack_from("<HHH", text, at + 28)
        for place, value in changes.get(text[at + 46 : at + 46 + name].decode(), {}).items():
            text[at + place] = value
        at += 46 + name + extra + comment
    file.write_bytes(text)


def test_a_damaged_or_odd_archive_costs_its_own_files_and_never_the_batch(tmp_path, monkeypatch):
    """Encrypted, with a wrong checksum or an unknown compression, cut off, a bomb, a link, a path: a line each."""
    downloads = tmp_path / "downloads"
    downloaded(downloads, "ada.ipynb")
    with zipfile.ZipFile(downloads / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number, name in enumerate(("bob", "encrypted", "checksum", "deflate64", "bomb")):
            archive.writestr(f"{name}_{number}_9_x.ipynb", "{}" if name != "bomb" else b"0" * 3_000_000)
        archive.writestr("up_6_9_x/../../../cem.ipynb", "{}")
        link = zipfile.ZipInfo("link_7_9_x.ipynb")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "../../solutions/03_laplace.ipynb")
    flags, compression, checksum = 8, 10, 16
    changes = {"encrypted_1": {flags: 1}, "deflate64_3": {compression: 9}, "checksum_2": {checksum: 1}}
    spoilt(downloads / "all.zip", {f"{name}_9_x.ipynb": change for name, change in changes.items()})
    (downloads / "cut.zip").write_bytes((downloads / "all.zip").read_bytes()[:-30])
    (downloads / "empty.zip").write_bytes(b"")
    os.mkfifo(downloads / "pipe.ipynb")
    (downloads / "dir.ipynb").mkdir()
    monkeypatch.setattr(collecting, "LARGEST", 2_000_000)
    taken, left = collecting.take(tmp_path / "course", STEM, sorted(downloads.iterdir()))
    assert set(taken) == {"ada", "bob-0"}
    unread = dict.fromkeys(("checksum", "deflate64", "cut.zip", "empty.zip"), "cannot be read")
    named = {"encrypted": "it is encrypted", "bomb": "larger than", "link": "a link", "cem": "of such a name"}
    for name, words in (unread | named | {"pipe": "no file that can be read"}).items():
        assert [line for line in left if name in line and words in line], (name, left)
    assert len(left) == 9 and not list(tmp_path.rglob("cem.ipynb"))


def test_a_name_too_long_for_a_folder_costs_its_own_file_only(tmp_path):
    """The file system would refuse it in the middle of the batch."""
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr(f"{'n' * 300}_4711_1_{STEM}.ipynb", "{}")
        archive.writestr(f"bob_4712_2_{STEM}.ipynb", "{}")
    taken, left = collecting.take(tmp_path / "course", STEM, [tmp_path / "all.zip"])
    assert list(taken) == ["bob-4712"] and "longer than 200 bytes" in left[0]


def test_what_is_unpacked_has_a_limit_in_all(tmp_path, monkeypatch):
    """The largest are left out, so that nobody's bomb costs the others their files."""
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(8):
            archive.writestr(f"s{number}_{number}_9_x.ipynb", b"0" * (900_000 if number < 4 else 1_000))
    monkeypatch.setattr(collecting, "TOTAL", 2_000_000)
    taken, left = collecting.take(tmp_path / "course", STEM, [tmp_path / "all.zip"])
    assert {f"s{number}-{number}" for number in (4, 5, 6, 7)} < set(taken) and len(taken) == 6
    assert len(left) == 2 and all("together the files are larger" in line for line in left)
    monkeypatch.setattr(collecting, "MEMBERS", 7)
    with pytest.raises(collecting.Refused, match="more than 7 files"):
        collecting.understood([tmp_path / "all.zip"], STEM)


def test_links_directories_and_bad_archives_are_refused(tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    (files / "mallory.ipynb").symlink_to(SOURCE)
    with pytest.raises(collecting.Refused, match="a link, not a file"):
        collecting.understood([files], STEM)
    with zipfile.ZipFile(tmp_path / "links.zip", "w") as archive:
        link = zipfile.ZipInfo("mallory.ipynb")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "../../solutions/03_laplace.ipynb")
    (tmp_path / "bad.zip").write_text("no archive")
    with pytest.raises(collecting.Refused) as refused:
        collecting.understood([tmp_path / "links.zip", tmp_path / "bad.zip", tmp_path / "gone.ipynb"], STEM)
    assert all(words in str(refused.value) for words in ("a link", "cannot be read", "no such file"))


def collected(course, paths, ask=None):
    taken, left = collecting.take(course, STEM, paths, ask)
    history.note(course, STEM, taken)
    return taken, left


def test_an_earlier_submission_is_kept_aside(tmp_path):
    paths = downloaded(tmp_path / "files", "ada.ipynb")
    for text in ("first", "second", "second", "third"):
        paths[0].write_text(text)
        collected(tmp_path, paths)
    assert place(tmp_path, "ada").read_text() == "third"
    earlier = sorted((tmp_path / "earlier" / "ada" / STEM).iterdir())
    assert [path.read_text() for path in earlier] == ["first", "second"]
    rows = tables.read(tmp_path / "history.csv")
    assert len(rows) == 3, "a file that was there already is not handed in again"


@pytest.mark.parametrize("before", ["Canvas", "hub", "by hand"])
def test_a_submission_by_another_way_takes_a_place_only_if_somebody_says_so(tmp_path, before):
    """Without a terminal it is set aside and named; by the same way it takes the place of the earlier one."""
    roster.write(tmp_path, [roster.Member("ada", "", "", "4711")])
    file = place(tmp_path, "ada")
    if before == "Canvas":
        collected(tmp_path, downloaded(tmp_path / "one", "lovelaceada_4711_081513_x.ipynb"))
    else:
        hand_in(tmp_path, "ada", "{}")
    if before == "hub":
        file.with_name("timestamp.txt").write_text("2027-03-01 22:59:00 UTC")
    (path,) = downloaded(tmp_path / "two", "ada.ipynb")
    path.write_text("other")
    other = downloaded(tmp_path / "two", "zoe.ipynb")[1]
    other.write_text("larger, and so taken after it")
    way = {"Canvas": "Canvas 4711", "hub": "the hub", "by hand": "a way that is not known"}[before]
    taken, left = collected(tmp_path, [path, other])
    assert set(taken) == {"zoe"} and f"ada has handed in by {way} before, and this is by name ada" in left[0]
    assert file.read_text() == "{}"
    asked = []
    collected(tmp_path, [path], lambda question: asked.append(question) or True)
    assert len(asked) == 1 and file.read_text() == "other"
    assert not file.with_name("timestamp.txt").exists()
    path.write_text("third")
    collected(tmp_path, [path])
    assert file.read_text() == "third"
    ways = [row["by"] for row in tables.read(tmp_path / "history.csv") if row["student"] == "ada"]
    assert ways == ["Canvas 4711"] * (before == "Canvas") + ["name ada"] * 2


def test_what_cannot_be_collected_is_refused(course, tmp_path):
    assert "the assignment must be one of" in courses.main(["--course", str(course), "collect", "99_none", "x"])
    (tmp_path / "a b.ipynb").write_text("")
    with pytest.raises(collecting.Refused, match="Name it after its student"):
        courses.collect(course, STEM, [tmp_path / "a b.ipynb"])
