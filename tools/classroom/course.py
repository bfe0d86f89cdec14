"""A course in nbgrader: `python -m tools.classroom.course set-up | collect | autograde | formgrader | feedback`.

`set-up` makes the course (its folder is `--course`) and its releases; run it again when an assignment changed.
`collect 03_laplace *.ipynb` puts files named after students where nbgrader looks for them. `autograde` grades what
changed and writes the feedback, `points.csv` and `grades.csv`; `formgrader` opens nbgrader's pages for grading by hand;
`feedback` writes feedback and tables once more afterwards.
"""

import argparse
import csv
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import warnings

import nbformat
from nbgrader.apps.api import NbGraderAPI
from nbgrader.plugins import CsvExportPlugin
from tqdm import tqdm
from traitlets.config import PyFileConfigLoader

from tools.classroom import assignments, grading
from tools.classroom.steps import record, source_of
from tools.classroom.verdicts import UNREADABLE

CONFIG = """import sys

sys.path.insert(0, {project!r})
c = get_config()
c.CourseDirectory.course_id = "dpbook"
# Students' code runs in a jail, and points come from there: never put nbgrader's own Execute or SaveAutoGrades here.
c.Autograde.autograde_preprocessors = [
    "tools.classroom.steps.MakeHarmless",
    "tools.classroom.steps.RunInJail",
    "nbgrader.preprocessors.LimitOutput",
    "tools.classroom.steps.SaveScores",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.OverwriteCells.add_missing_cells = True
c.ClearSolutions.code_stub = {{"python": {code!r}}}
c.ClearSolutions.text_stub = {text!r}
"""


def set_up(course, sources):
    """Make the course, or bring it up to date: its settings, its sources, its releases; the stems released anew."""
    course.mkdir(parents=True, exist_ok=True)
    settings = course / "nbgrader_config.py"
    if not settings.exists():
        words = {"project": str(grading.PROJECT), "code": assignments.CODE_STUB, "text": assignments.TEXT_STUB}
        settings.write_text(CONFIG.format(**words))
    here = f"sys.path.insert(0, {str(grading.PROJECT)!r})"  # the clone may have moved; all else stays as it was edited
    settings.write_text(re.sub(r"(?m)^sys\.path\.insert\(0, .*\)$", lambda _: here, settings.read_text()))
    (course / "solutions").mkdir(exist_ok=True)
    changed = []
    for source in sources:
        nbformat.write(assignments.solution_book(source), course / "solutions" / f"{source.stem}.ipynb")
        target = course / "source" / source.stem / f"{source.stem}.ipynb"
        text = nbformat.writes(assignments.teaching_copy(source)) + "\n"
        if target.exists() and target.read_text() == text and (course / "release" / source.stem).exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        _done(_nbgrader(course).generate_assignment(source.stem), f"the release of {source.stem}")
        changed.append(source.stem)
    return changed


def collect(course, stem, files):
    """Copy each file to where nbgrader looks for the submission of the student whose name it bears."""
    known = {path.name for path in (course / "source").glob("*")}
    if stem not in known:
        raise ValueError(f"the assignment must be one of {', '.join(sorted(known))}; got {stem!r}")
    for file in files:
        if not re.fullmatch(r"[\w.@+-]*\w", file.stem):
            raise ValueError(f"a file must be named after its student, like ada.ipynb; got {file.name!r}")
        target = course / "submitted" / file.stem / stem / f"{stem}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


def autograde(course, jobs=None, unsafe=False):
    """Grade every submission that changed, and write its scores and its feedback; the number graded."""
    api, new = _nbgrader(course, unsafe), []
    for stem in sorted({path.name for path in (course / "submitted").glob("*/*") if source_of(path.name).exists()}):
        paths = sorted((course / "submitted").glob(f"*/{stem}/{stem}.ipynb"))
        results = grading.grade_all(source_of(stem), paths, course / "results", unsafe=unsafe, pages=True, jobs=jobs)
        new += [
            (stem, path.parents[1].name, result)
            for path, result in zip(paths, results, strict=True)
            if _is_new(course, stem, path, result)
        ]
    for stem, student, result in tqdm(new, unit="submission", desc="gradebook", disable=None):
        if not api.autograde(stem, student)["success"]:
            _record_only(api, stem, student, result)
        _write_feedback(api, course, stem, student)
        _told(course, stem, student).parent.mkdir(exist_ok=True)
        _told(course, stem, student).write_text(_words(result))
    write_tables(course)
    return len(new)


def _told(course, stem, student):
    """The file that holds what the gradebook was told of a submission."""
    return course / "results" / stem / f"{student}.json"


def _words(result):
    return json.dumps(dataclasses.asdict(result), indent=1)


def _is_new(course, stem, path, result):
    """Whether the gradebook does not have this result yet."""
    told = _told(course, stem, path.parents[1].name)
    return not told.exists() or told.read_text() != _words(result)


def _record_only(api, stem, student, result):
    """The scores of a file that nbgrader cannot read, without a page to look at."""
    with api.gradebook as gradebook:
        gradebook.update_or_create_student(student)
        gradebook.update_or_create_submission(stem, student)
        record(gradebook, stem, student, result.scores)


def _write_feedback(api, course, stem, student):
    """The page that the student gets; for a file that cannot be read, the reason alone."""
    if (course / "autograded" / student / stem / f"{stem}.ipynb").exists():
        _done(api.generate_feedback(stem, student), f"the feedback for {student}")
        return
    page = course / "feedback" / student / stem / f"{stem}.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"<!DOCTYPE html><title>{stem}</title><p>{UNREADABLE}</p>\n")


def feedback(course):
    """Write all feedback and both tables again, with what was graded by hand since; the number of pages."""
    api, written = _nbgrader(course), 0
    for page in sorted((course / "autograded").glob("*/*/*.ipynb")):
        _write_feedback(api, course, page.stem, page.parents[1].name)
        written += 1
    write_tables(course)
    return written


def formgrader(course, more=()):
    """Open the course in JupyterLab, at the pages where explanations are graded by hand, until it is stopped."""
    root = ["--allow-root"] if os.geteuid() == 0 else []
    words = [*root, "--log-level=WARN", "--LabApp.default_url=/formgrader", *more]
    without = {name: value for name, value in os.environ.items() if name != "JUPYTER_CONFIG_PATH"}
    lab = grading.PROJECT / "tools" / "book" / "lab.py"
    subprocess.run([sys.executable, str(lab), *words], cwd=course, env=without, check=False)


def write_tables(course):
    """`points.csv`, a row for each student and task with points and reasons; `grades.csv`, nbgrader's totals."""
    totals = CsvExportPlugin(to=str(course / "grades.csv"))
    with _nbgrader(course).gradebook as gradebook, (course / "points.csv").open("w", newline="") as file:
        totals.export(gradebook)
        table = csv.writer(file)
        table.writerow(["student", "assignment", "task", "points", "of", "by_hand", "reason", "flag"])
        for assignment in gradebook.assignments:
            for submission in sorted(assignment.submissions, key=lambda one: one.student.id):
                table.writerows(_rows(course, assignment.name, submission))


def _rows(course, stem, submission):
    """A row for each task of a submission; no points where a human must still grade, no reasons if there are none."""
    student, told = submission.student.id, _told(course, stem, submission.student.id)
    scores = {score["task"]: score for score in json.loads(told.read_text())["scores"]} if told.exists() else {}
    for grade in submission.notebooks[0].grades:
        task = grade.name.removesuffix("-check")
        score = scores.get(task, {"points": None, "reason": "", "flag": ""})
        by_hand = "wanted" if grade.needs_manual_grade else "done" if grade.manual_score is not None else ""
        reason = "no answer" if score["points"] is None and grade.auto_score == 0 else score["reason"]
        points = "" if grade.auto_score is None and grade.manual_score is None else grade.score
        yield [student, stem, task, points, grade.max_score, by_hand, reason, score["flag"]]


def _nbgrader(course, unsafe=False):
    """nbgrader's own interface, with the settings of this course."""
    warnings.filterwarnings("ignore", module="nbgrader")  # SQLAlchemy, about nbgrader's own tables
    if not shutil.which("alembic"):  # nbgrader calls this program, which stands beside Python, by its bare name
        os.environ["PATH"] = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    config = PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()
    config.CourseDirectory.root = str(course.resolve())
    config.RunInJail.unsafe = config.SaveScores.unsafe = unsafe
    return NbGraderAPI(config=config)


def _done(result, what):
    if not result["success"]:
        raise RuntimeError(f"nbgrader could not make {what}:\n{result.get('log')}\n{result.get('error')}")


def main(words=None):
    """The command line; returns a sentence where it refuses."""
    parser = argparse.ArgumentParser(prog="python -m tools.classroom.course", description="A course in nbgrader.")
    parser.add_argument("--course", type=pathlib.Path, default=pathlib.Path("build/course"), help="its folder")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("set-up", help="make the course, or bring it up to date")
    collector = commands.add_parser("collect", help="take files named after students as their submissions")
    collector.add_argument("assignment", help="for example 03_laplace")
    collector.add_argument("files", type=pathlib.Path, nargs="+")
    grader = commands.add_parser("autograde", help="grade what changed")
    grader.add_argument("--jobs", type=int, help="submissions at a time (default: one a processor)")
    grader.add_argument("--unsafe", action="store_true", help="no jail: students' code runs with your rights")
    viewer = commands.add_parser("formgrader", help="open nbgrader's pages to grade explanations by hand")
    viewer.add_argument("more", nargs="*", help="further words for JupyterLab, after --")
    commands.add_parser("feedback", help="write feedback and tables again, after grading by hand")
    chosen = parser.parse_args(words)
    course = chosen.course
    if chosen.command != "set-up" and not (course / "nbgrader_config.py").exists():
        return f"There is no course in {course}: run make classroom first."
    if chosen.command == "set-up":
        released = set_up(course, sorted((grading.PROJECT / "exercises").glob("[0-9]*.py")))
        print(f"The course is in {course}; released: {', '.join(released) or 'nothing new'}.")
        print(f"Hand out {course}/release; put what comes back into {course}/submitted/<student>/<assignment>/.")
    elif chosen.command == "collect":
        collect(course, chosen.assignment, chosen.files)
    elif chosen.command == "formgrader":
        formgrader(course, chosen.more)
    elif chosen.command == "feedback":
        print(f"{feedback(course)} pages of feedback; they, points.csv and grades.csv are in {course}.")
    elif sentence := grading.refusal(chosen.unsafe):
        return sentence
    else:
        graded = autograde(course, chosen.jobs, chosen.unsafe)
        print(f"{graded} submissions graded; feedback, points.csv and grades.csv are in {course}.")
    return None


if __name__ == "__main__":
    sys.exit(main())
