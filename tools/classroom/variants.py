"""Variants: each student's own data, parameters and orders: `python -m tools.classroom.variants COURSE [names.txt]`.

An assignment has variants if one line of its set-up is `VARIANT = 0  # of 6`. Its set-up and its visible checks hang on
that number: data in another order or of another scale, another seed, and numbers that stand to each other as before, so
that all variants are equally hard. Tasks, functions and hidden checks are the same for all. Which variant a student has
follows from the name and the course's secret: nobody has to keep a list, and a release can be made again at any time.
The releases go to COURSE/variants/<student>/; from then on this course is graded with everybody's own variant.
"""

import argparse
import dataclasses
import hmac
import pathlib
import re
import sys

from tools.classroom import assignments, roster
from tools.classroom.places import SECRET

FOLDER = "variants"
LINE = re.compile(r"^VARIANT = \d+(  # of (\d+))$", re.M)
NAME = re.compile(r"[\w][\w.@+ -]*")


def variant(student, secret, stem, count):
    """Which of `count` variants of the assignment `stem` a student has, in the course with this secret (bytes)."""
    digest = hmac.digest(secret, repr(("variant", stem, roster.composed(student))).encode(), "sha256")
    return int.from_bytes(digest[:8], "big") % count


def how_many(text):
    """How many variants a set-up has; 1 if it has no such line."""
    line = LINE.search(text)
    return int(line[2]) if line else 1


def with_number(text, number):
    """The text of a cell with the number of the variant in its place; one without such a line, as it is."""
    return LINE.sub(lambda line: f"VARIANT = {number}{line[1]}", text)


def number_of(assignment, student, secret):
    """The number of the student's variant of an assignment."""
    return variant(student, secret, assignment.stem, how_many(assignment.setup))


def own(assignment, number):
    """The assignment as a student with this variant has it."""
    return dataclasses.replace(assignment, setup=with_number(assignment.setup, number))


def own_page(notebook, number):
    """The notebook, with this variant in its place: changed where it stands, and returned."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = with_number(cell.source, number)
    return notebook


def given(course):
    """Whether students of this course have variants."""
    return (course / FOLDER).is_dir()


def build(sources, students, secret, course):
    """Write each student's releases below COURSE/variants; the paths written.

    Raises ValueError, before anything is written, for a name that cannot be a folder's.
    """
    import nbformat

    for student in students:
        if not NAME.fullmatch(student):
            raise ValueError(f"a student's name must be that of a folder in submitted/; got {student!r}")
    written = []
    for source in sources:
        assignment, release = assignments.read(source), assignments.release(source)
        for student in students:
            target = course / FOLDER / student / source.stem / f"{source.stem}.ipynb"
            target.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(own_page(release, number_of(assignment, student, secret)), target)
            written.append(target)
    return written


def _students(course, names):
    """Those whom a file names, a line each; without one, those of the course's roster."""
    if names is None:
        return [one.student for one in roster.known(course)]
    lines = roster.composed(names.read_text(encoding="utf-8-sig")).splitlines()
    return list(dict.fromkeys(filter(None, map(str.strip, lines))))


def main(words=None):
    """The command line; returns a sentence where it refuses."""
    parser = argparse.ArgumentParser(prog="python -m tools.classroom.variants", description=__doc__.splitlines()[0])
    parser.add_argument("course", type=pathlib.Path, help="the folder of a course that make classroom has made")
    words_on_names = "a file with a student a line, named as in submitted/ (default: the course's roster)"
    parser.add_argument("names", type=pathlib.Path, nargs="?", help=words_on_names)
    chosen = parser.parse_args(words)
    if not (chosen.course / SECRET).exists():
        return f"There is no course in {chosen.course}: run make classroom first."
    if not (students := _students(chosen.course, chosen.names)):
        return "Nothing was written: whose? Say NAMES=names.txt, a student a line, or make a roster first."
    sources = sorted((chosen.course / "assignments").glob("*.py"))
    try:
        written = build(sources, students, (chosen.course / SECRET).read_bytes(), chosen.course)
    except ValueError as refused:
        return f"Nothing was written: {refused}."
    print(f"{len(written)} releases for {len(students)} students are in {chosen.course / FOLDER}.")
    return None


if __name__ == "__main__":
    sys.exit(main())
