"""What Canvas and Moodle write: the names of files that they let one download, times, and tables for grades.

Names: `named`; a student chooses only what stands behind the part that is read there. Times: `times`, from Moodle's
worksheet or from a table with a column `submitted_at`, as Canvas's interface gives it. Grades go back in the platform's
own export, with the points of this course in the right cells.

Feedback goes back under the part of the name that the platform gave (`feedback_name`).

Canvas: the file of Grades, Export; a column of an assignment's name (`03_laplace (4711)`) is filled in, or added.
Moodle: the grading worksheet of one assignment, whose column `Grade` is filled in. All other cells stay as they came,
so that the platform knows its rows again. A grade that still waits for a human stays empty, and is named.
Where the platform counts an assignment out of other points than the course, `other_maxima` says so.
"""

import csv
import datetime
import io
import re
from dataclasses import dataclass

from tools.classroom import roster

# finnfay_LATE_4711_081516_03_laplace-1, Eve Miller_123_assignsubmission_file_03_laplace
CANVAS = re.compile(r"(?P<whose>(?P<name>[^_]+)_(?P<late>LATE_)?(?P<number>\d+)_\d+_).*", re.S)
MOODLE = re.compile(r"(?P<whose>(?P<name>[^_]+)_(?P<number>\d+)_assignsubmission_)(file|onlinetext)(_.*)?", re.S)
TIMES = ("%A, %d %B %Y, %I:%M %p", "%A, %B %d, %Y, %I:%M %p", "%A, %d %B %Y, %H:%M", "%d/%m/%y, %H:%M")  # Moodle's
COLUMN = re.compile(r"(?P<stem>[\w-]+)(?: \(\d+\))?")


@dataclass(frozen=True)
class Named:
    """What a platform's name of a file or folder tells: whose it is there, and whether it is called late."""

    platform: str
    name: str
    number: str
    late: bool

    @property
    def student(self):
        return roster.word(f"{self.name.strip()}-{self.number}")


def named(name):
    """The `Named` of a file or folder, without its suffix; None if no platform calls anything so."""
    if match := CANVAS.fullmatch(name):
        return Named("Canvas", match["name"], match["number"], bool(match["late"]))
    if match := MOODLE.fullmatch(name):
        return Named("Moodle", match["name"], match["number"], False)
    return None


def feedback_name(origin, stem):
    """What feedback on a file is called so that the file's platform knows whose it is; None for one of no platform.

    `origin` is where the file came from, with its archive, as `collect` noted it. Both read a flat name: Canvas up to
    its number of the file (Upload Submissions), Moodle up to `file` (Upload multiple feedback files in a zip).
    """
    inside = origin.partition(".zip: ")[2] or origin
    for part in inside.split("/"):
        plain = part.removesuffix(".ipynb")
        if match := CANVAS.fullmatch(plain):
            return f"{match['whose']}{stem}.html"
        if match := MOODLE.fullmatch(plain):
            return f"{match['whose']}file_{stem}.html"
    return None


def times(file):
    """When who handed in, by a table of the platform: a dict from its numbers, or our names, to times of this machine.

    Understood are Moodle's grading worksheet, and a table with the columns `submitted_at` (2027-03-01T22:59:00Z) and
    `ID`, `user_id` or `student`. Of several attempts the last counts. Rows without a time are left out;
    `roster.Unclear` for a time of another form.
    """
    rows = roster.read_table(file)
    head = [cell.strip() for cell in rows[0]] if rows else []
    who = next((name for name in ("Identifier", "user_id", "ID", "student") if name in head), None)
    when = next((name for name in ("Last modified (submission)", "submitted_at") if name in head), None)
    if who is None or when is None:
        raise roster.Unclear(f"{file}: neither Moodle's worksheet nor a table with submitted_at and ID; got {head[:6]}")
    found = {}
    for row in rows[1:]:
        cells = dict(zip(head, map(str.strip, row), strict=False))
        number = roster.PARTICIPANT.fullmatch(cells.get(who, ""))
        if cells.get(when, "-") not in ("", "-"):
            whose, at = number[1] if number and who != "student" else cells[who], _time(file, cells[when])
            found[whose] = max(at, found.get(whose, at))
    return found


def _time(file, text):
    """A time as a platform writes it, by this machine's clock."""
    try:
        at = datetime.datetime.fromisoformat(text)
        return at.astimezone().replace(tzinfo=None) if at.tzinfo else at
    except ValueError:
        pass
    for form in TIMES:
        try:
            return datetime.datetime.strptime(text, form)
        except ValueError:
            continue
    raise roster.Unclear(f"{file}: a time is like 2027-03-01T22:59:00Z or Monday, 1 March 2027, 10:59 PM; got {text!r}")


def filled(file, grades_and_members, stem=None):
    """The text of the platform's table with the grades in it, and what is still missing, a line each.

    They are a dict from (student, assignment) to points, or to words that say why there are none, and the roster's
    members. `stem` says whose worksheet a Moodle file is.
    Raises `roster.Unclear` for a table of another kind or of nobody on the roster, and for a Moodle worksheet without
    `stem`, or with one that has no grades.
    """
    rows, (grades, members) = roster.read_table(file), grades_and_members
    head, known = rows[0] if rows else [], {one.id: one.student for one in roster.numbered(members, file) if one.id}
    if {"Student", "ID"} <= set(head):
        return _canvas(rows, grades, known)
    if {"Identifier", "Grade"} <= set(head):
        if stem is None:
            raise roster.Unclear("a Moodle worksheet is of one assignment: say which, for example 03_laplace")
        return _moodle(rows, grades, known, stem)
    raise roster.Unclear(f"{file}: neither Canvas's export nor Moodle's grading worksheet; got {head[:6]}")


def other_maxima(file, maxima, stem=None):
    """Where the platform's table has another maximum than the course, a line each; `maxima`: of each assignment."""
    rows, found = roster.read_table(file), {}
    if {"Student", "ID"} <= set(rows[0]):
        row = next((row for row in rows[1:] if row[0].strip() == "Points Possible"), [])
        found = {match["stem"]: cell for name, cell in zip(rows[0], row, strict=False) if (match := _column(name))}
    elif "Maximum grade" in rows[0] and rows[1:]:
        found[stem] = rows[1][rows[0].index("Maximum grade")]
    there = {name: cell.strip().replace(",", ".") for name, cell in found.items() if name in maxima}
    return [
        f"{name} has {maxima[name]:g} points, but a maximum of {cell or 'none'} in {file.name}: "
        f"set {maxima[name]:g} there before the import"
        for name, cell in there.items()
        if not _is(cell, maxima[name])
    ]


def _column(name):
    return COLUMN.fullmatch(name.strip())


def _is(cell, number):
    try:
        return float(cell) == number
    except ValueError:
        return False


def _canvas(rows, grades, members):
    head, stems = list(rows[0]), sorted({stem for _, stem in grades})
    places = {match["stem"]: place for place, cell in enumerate(head) if (match := _column(cell))}
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
