"""Where things lie: this project, and in a course its secret, sources, submissions, and what was told of each."""

import pathlib

PROJECT = pathlib.Path(__file__).resolve().parents[2]
TIME = "timestamp.txt"  # beside a file that a hub took in: when, for nbgrader
SECRET = "secret"  # the file of a course whose bytes give the hidden data


def secret(course):
    """The bytes that give a course its hidden data."""
    return (course / SECRET).read_bytes()


def source_of(stem, course=None):
    """The source of an assignment as it was handed out in this course (that in which nbgrader runs)."""
    return (course or pathlib.Path.cwd()) / "assignments" / f"{stem}.py"


def told(course, stem, student):
    """The file that holds what the gradebook was told of a submission."""
    return course / "results" / stem / f"{student}.json"


def submitted(place):
    """Where the file of a submission stands, in the course in which nbgrader runs."""
    stem = place["assignment"]
    return pathlib.Path.cwd() / "submitted" / place["student"] / stem / f"{stem}.ipynb"
