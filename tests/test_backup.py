"""A course is backed up as exercises/README.md says, destroyed, and restored: nothing of it is lost, no point moves."""

import pathlib
import re
import shutil
import subprocess

import nbformat
import pytest
from nbgrader.api import Gradebook

from tools.classroom import assignments, bubblewrap
from tools.classroom import course as courses

PROJECT = pathlib.Path(__file__).parents[1]
pytestmark = pytest.mark.depends("dpbook", "exercises", "tests/test_backup.py", "tools/classroom")
ANSWERS = {
    "ada": "def scale_for_sum(low, high, epsilon):\n    return max(abs(low), abs(high)) / epsilon",
    "bob": "def scale_for_sum(low, high, epsilon):\n    return high / epsilon",
}


def first_and_last_task(folder):
    """03 with its first task and its explanation alone."""
    text = (PROJECT / "exercises/03_laplace.py").read_text()
    second, last = (text.index(f"# %% [markdown]\n# ## {head}") for head in ("2. A private sum", "5. Explain"))
    source = folder / "03_laplace.py"
    source.write_text(text[:second] + text[last:])
    return source


def hand_in(course, source, student):
    notebook = assignments.release(source)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "scale_for_sum":
            cell.source = ANSWERS[student]
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "explain_rounding":
            cell.source = f"So says {student}."
    path = course / "submitted" / student / source.stem / f"{source.stem}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)


def tables(course):
    return [(course / name).read_text() for name in ("points.csv", "grades.csv")]


def commands():
    """The two lines of the page, for backing up and for restoring."""
    page = (PROJECT / "exercises/README.md").read_text(encoding="utf-8")
    back_up, restore = re.findall(r"`(tar -\w+ course-\S+\.tgz[^`]*)`", page)
    return back_up, restore


def test_a_course_that_is_destroyed_comes_back_with_every_point(tmp_path):
    assert not bubblewrap.trouble(), f"{bubblewrap.trouble()}; `python -m tools.classroom.bubblewrap` tries to"
    source, course = first_and_last_task(tmp_path), tmp_path / "course"
    courses.set_up(course, [source])
    for student in ANSWERS:
        hand_in(course, source, student)
    courses.autograde(course)
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        grade = gradebook.find_grade("explain_rounding", source.stem, source.stem, "bob")
        grade.manual_score, grade.needs_manual_grade = 2.0, False
        gradebook.db.commit()
    courses.feedback(course)
    before, secret = tables(course), (course / "secret").read_bytes()
    back_up, restore = commands()

    subprocess.run(back_up, shell=True, cwd=tmp_path, check=True)
    shutil.rmtree(course)
    subprocess.run(restore, shell=True, cwd=tmp_path, check=True)
    assert courses.set_up(course, [source]) == [] and courses.autograde(course) == 0
    assert tables(course) == before and (course / "secret").read_bytes() == secret
    assert course.stat().st_mode & 0o777 == 0o700 and (course / "secret").stat().st_mode & 0o777 == 0o600

    elsewhere = tmp_path / "another disk"
    elsewhere.mkdir()
    subprocess.run(restore.replace("course-", "../course-"), shell=True, cwd=elsewhere, check=True)
    shutil.rmtree(course)
    courses.set_up(elsewhere / "course", [source])
    courses.autograde(elsewhere / "course")
    courses.feedback(elsewhere / "course")
    assert tables(elsewhere / "course") == before, "graded anew, with the same hidden data"
    assert [line.split(",")[3] for line in before[0].splitlines()[1:]] == ["2.0", "", "0.0", "2.0"]
