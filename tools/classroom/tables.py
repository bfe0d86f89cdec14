"""The tables of a course: what spreadsheets and learning platforms read."""

import csv
import io
import json
import pathlib
import tempfile

from nbgrader.plugins import CsvExportPlugin

from tools.classroom import grading, history
from tools.classroom import report as reports
from tools.classroom.places import told


def write(api, course):
    """`points.csv`, a row for each student and task with points and reasons; `grades.csv`, nbgrader's totals.

    Of an assignment that nobody handed in there is no row.
    """
    with api.gradebook as gradebook, tempfile.TemporaryDirectory() as folder:
        totals = pathlib.Path(folder) / "grades.csv"
        CsvExportPlugin(to=str(totals)).export(gradebook)
        rows = []
        for assignment in gradebook.assignments:
            for submission in sorted(assignment.submissions, key=lambda one: one.student.id):
                rows += _rows(course, assignment.name, submission)
        _table(course / "points.csv", POINTS, rows)
        _write_totals(course / "grades.csv", totals, rows)
    head, late = history.late(course)
    if late:
        _table(course / history.LATE, head, late)


def grades(course):
    """What grades.csv says: a dict from (student, assignment) to points, or to the words why there are none yet."""
    found = {}
    for row in read(course / "grades.csv"):
        done = row["open"] == "0 to grade by hand"
        found[row["student_id"], row["assignment"]] = float(row["score"]) if done else row["open"]
    return found


def maxima(course):
    """The points that each graded assignment has, by grades.csv."""
    return {row["assignment"]: float(row["max_score"]) for row in read(course / "grades.csv")}


def read(file):
    """The rows of one of our tables, a dict each."""
    with file.open(newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def report(course, stems):
    """Write mistakes.csv, mistakes.png, similar.csv and books_own.csv from what was graded; the files."""
    found = reports.mistakes(read(course / "points.csv"))
    _table(course / "mistakes.csv", ["assignment", "task", "line", "students", "of"], found)
    alike, own = (reports.of_course(course, stems, look) for look in (reports.similar, reports.books_own))
    _table(course / "similar.csv", ["assignment", "task", "one", "other", "in common"], alike)
    _table(course / "books_own.csv", ["assignment", "task", "student", "imported"], own)
    written = [course / name for name in ("mistakes.csv", "similar.csv", "books_own.csv")]
    if found:
        reports.picture(found, course / "mistakes.png")
        written.append(course / "mistakes.png")
    return written


POINTS = ["student", "assignment", "task", "points", "of", "by_hand", "reason", "flag"]


def _write_totals(file, totals, rows):
    """nbgrader's totals of what was handed in, and in a last column what they still lack."""
    table = list(csv.reader(io.StringIO(totals.read_text())))
    place, student = table[0].index("assignment"), table[0].index("student_id")
    score = table[0].index("score")
    wanted = {}
    for row in rows:
        wanted.setdefault((row[0], row[1]), []).append(row[5] == "wanted" and row[3] == "")
    given = {stem for _, stem in wanted}
    kept = []
    for row in table[1:]:
        open_tasks = wanted.get((row[student], row[place]))
        if row[place] not in given:
            continue
        if open_tasks is None:
            row[score] = ""
        kept.append([*row, "not handed in" if open_tasks is None else f"{sum(open_tasks)} to grade by hand"])
    _table(file, [*table[0], "open"], kept)


def _table(file, head, rows):
    """A table, none of whose cells a spreadsheet takes for a formula."""
    with file.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([head, *([grading.plain(value) for value in row] for row in rows)])


def _rows(course, stem, submission):
    """A row for each task of a submission; no points where a human must still grade, no reasons if there are none."""
    student, known = submission.student.id, told(course, stem, submission.student.id)
    scores = {score["task"]: score for score in json.loads(known.read_text())["scores"]} if known.exists() else {}
    for grade in submission.notebooks[0].grades:
        task = grade.name.removesuffix("-check")
        score = scores.get(task, {"points": None, "reason": "", "flag": ""})
        by_hand = "wanted" if grade.needs_manual_grade else "done" if grade.manual_score is not None else ""
        reason = "graded by hand" if by_hand == "done" and score["points"] is None else score["reason"]
        points = "" if grade.auto_score is None and grade.manual_score is None else grade.score
        yield [student, stem, task, points, grade.max_score, by_hand, reason, score["flag"]]
