"""Grades as Canvas and Moodle take them in: their own export, with the points of this course in the right cells.

Canvas: the file of Grades, Export; a column of an assignment's name (`03_laplace (4711)`) is filled in, or added.
Moodle: the grading worksheet of one assignment, whose column `Grade` is filled in. All other cells stay as they came,
so that the platform knows its rows again. A grade that still waits for a human stays empty, and is named.
"""

import csv
import io
import re

from tools.classroom import roster

COLUMN = re.compile(r"(?P<stem>[\w-]+)(?: \(\d+\))?")


def filled(file, grades_and_members, stem=None):
    """The text of the platform's table with the grades in it, and what is still missing, a line each.

    They are a dict from (student, assignment) to points, or to words that say why there are none, and one from the
    platform's numbers to students (the roster). `stem` says whose worksheet a Moodle file is.
    Raises `roster.Unclear` for a table of another kind or of nobody on the roster, and for a Moodle worksheet without
    `stem`, or with one that has no grades.
    """
    rows = roster.read_table(file)
    head = rows[0] if rows else []
    if {"Student", "ID"} <= set(head):
        return _canvas(rows, *grades_and_members)
    if {"Identifier", "Grade"} <= set(head):
        if stem is None:
            raise roster.Unclear("a Moodle worksheet is of one assignment: say which, for example 03_laplace")
        return _moodle(rows, *grades_and_members, stem)
    raise roster.Unclear(f"{file}: neither Canvas's export nor Moodle's grading worksheet; got {head[:6]}")


def _canvas(rows, grades, members):
    head, stems = list(rows[0]), sorted({stem for _, stem in grades})
    places = {match["stem"]: place for place, cell in enumerate(head) if (match := COLUMN.fullmatch(cell.strip()))}
    for stem in stems:
        if stem not in places:
            places[stem] = len(head)
            head.append(stem)
    number, missing, made, known = head.index("ID"), [], [head], 0
    for row in rows[1:]:
        row = row + [""] * (len(head) - len(row))
        student = members.get(row[number].strip()) if row[number].strip().isdigit() else None
        for stem in stems if student else ():
            row[places[stem]] = _cell(grades, student, stem, row[places[stem]], missing)
        known += bool(student)
        made.append(row)
    _some(known, rows)
    return _text(made), missing


def _moodle(rows, grades, members, stem):
    head, missing, made, known = rows[0], [], [rows[0]], 0
    if stem not in (stems := {name for _, name in grades}):
        raise roster.Unclear(f"nobody has a grade for {stem!r}; there are {', '.join(sorted(stems)) or 'none yet'}")
    for row in rows[1:]:
        row = list(row)
        number = roster.PARTICIPANT.fullmatch(row[head.index("Identifier")].strip())
        if student := number and members.get(number[1]):
            place = head.index("Grade")
            row[place] = _cell(grades, student, stem, row[place], missing)
        known += bool(student)
        made.append(row)
    _some(known, rows)
    return _text(made), missing


def _some(known, rows):
    """Refuse a table of others: nothing would be filled in, and nobody would see it."""
    if not known:
        raise roster.Unclear(
            f"none of the {len(rows) - 1} rows is of somebody on the course's roster: make the roster of an export of "
            "the same platform, and then fill in its table"
        )


def _cell(grades, student, stem, there, missing):
    """What stands in a cell afterwards: the points, or what stood there."""
    found = grades.get((student, stem))
    if isinstance(found, float):
        return f"{found:g}"
    if found:
        missing.append(f"{student}, {stem}: {found}")
    return there


def _text(rows):
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()
