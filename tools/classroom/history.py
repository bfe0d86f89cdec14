"""When what was handed in, by what, and how late: history.csv, a row for each file that `collect` took, and late.csv.

What a hub took in has no row there, but its time beside the file, in nbgrader's timestamp.txt: late.csv knows it too.

`due.toml` in the course says when assignments are due, how many late days a student has in all, and who has longer:

    late_days = 5
    03_laplace = 2027-03-01T23:59:00

    [extensions."ada@uni.example"]
    03_laplace = 2027-03-04T23:59:00

A late day is a day begun after that, of the last file taken. What follows from it is yours: no point is taken off. All
times are those of the clock of this machine. A time is that of a platform's table, of `--at`, or else the time at which
the file was collected. Where Canvas called some files of a batch late, the others were in time, whenever you collect.
"""

import csv
import datetime
import math
import tomllib

from tools.classroom import roster
from tools.classroom.places import TIME

FILE, DUE, LATE, EXTENSIONS = "history.csv", "due.toml", "late.csv", "extensions"
HEAD = ["student", "assignment", "handed in", "file", "by", "time from"]
IN_TIME = "Canvas: in time"


def note(course, stem, taken, at=None, times=None):
    """Write down whose files were taken for an assignment, by what they are theirs, and when they were handed in.

    The time is that of `times` (by the platform's number, or the student), or else `at`, or else now. A file that was
    there already has its row, and gets another where the table now tells another time.
    """
    now = at or datetime.datetime.now()
    called_late = any(one.bearer.late for one in taken.values())
    _with_all_columns(course / FILE)
    noted = {row[0]: row[2] for row in _rows(course) if row[1] == stem}
    with (course / FILE).open("a", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        for student, one in taken.items():
            told = (times or {}).get(one.bearer.number) or (times or {}).get(student)
            canvas = one.bearer.source.startswith("Canvas ") and called_late
            known = "table" if told else "--at" if at else "collected"
            if canvas and not told:
                known = "Canvas: late" if one.bearer.late else IN_TIME
            when = _here(told or now).isoformat(sep=" ")
            if one.new or student not in noted or (told and when != noted[student]):
                table.writerow([student, stem, when, one.origin, one.bearer.source, known])


def _with_all_columns(file):
    """Begin the table, or give one of an earlier version the columns that it lacks."""
    if not file.exists():
        rows = []
    else:
        with file.open(newline="", encoding="utf-8") as opened:
            rows = list(csv.reader(opened))
        if rows and rows[0] == HEAD:
            return
    with file.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([HEAD, *(row + [""] * (len(HEAD) - len(row)) for row in rows[1:])])


def sources(course, stem):
    """By what the last file of each student for an assignment was theirs; without those of whom that is unknown."""
    return {row[0]: row[4] for row in _rows(course) if row[1] == stem and row[4]}


def origins(course, stem):
    """From where the last file of each student for an assignment came, as `collect` noted it."""
    return {row[0]: row[3] for row in _rows(course) if row[1] == stem}


def due(course):
    """When assignments are due; the late days of a student (None: nobody counts them); and a dict of extensions.

    These are by (student, assignment). `Unclear` for what is no time, and for an extension of somebody who is not on
    the roster, or for an assignment that is not due.
    """
    if not (course / DUE).exists():
        return {}, None, {}
    try:
        said = tomllib.loads((course / DUE).read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as trouble:
        raise roster.Unclear(f"{DUE}: {trouble}") from None
    allowed, longer = said.pop("late_days", None), said.pop(EXTENSIONS, {})
    times = {stem: _time(stem, when) for stem, when in said.items()}
    members = {one.student for one in roster.known(course)}
    extensions = {}
    for student, more in longer.items() if isinstance(longer, dict) else [("?", longer)]:
        student = roster.composed(student)
        if not isinstance(more, dict) or (members and student not in members):
            raise roster.Unclear(f"{DUE}: [{EXTENSIONS}.{student}] must name a student of the roster")
        for stem, when in more.items():
            if stem not in times:
                raise roster.Unclear(f"{DUE}: {student} has longer for {stem}, which is not due")
            extensions[student, stem] = _time(stem, when)
    return times, allowed, extensions


def _time(stem, when):
    if not isinstance(when, datetime.datetime):
        raise roster.Unclear(f"{DUE}: when is {stem} due? A time is like 2027-03-01T23:59:00; got {when!r}")
    return _here(when)


def _here(when):
    """A time by this machine's clock; one without a zone is that already."""
    return (when.astimezone() if when.tzinfo else when).replace(microsecond=0, tzinfo=None)


def late(course):
    """A row for each student and assignment with a due time: handed in, due, late days, and how many of how many."""
    times, allowed, extensions = due(course)
    last, spent, rows = {}, {}, []
    for student, stem, at, _, _, known in [*_rows(course), *_stamped(course)]:  # in the order in which they were taken
        last[student, stem] = at, known
    for (student, stem), (at, known) in sorted(last.items(), key=lambda one: (one[0][0], one[1])):
        if stem in times:
            handed, limit = datetime.datetime.fromisoformat(at), extensions.get((student, stem), times[stem])
            days = 0 if known == IN_TIME else max(0, math.ceil((handed - limit) / datetime.timedelta(days=1)))
            spent[student] = spent.get(student, 0) + days
            over = "" if allowed is None else max(0, spent[student] - allowed)
            rows.append([student, stem, at, limit.isoformat(sep=" "), days, spent[student], over, known])
    return ["student", "assignment", "handed in", "due", "late days", "so far", "too many", "time from"], rows


def _rows(course):
    if not (course / FILE).exists():
        return []
    with (course / FILE).open(newline="", encoding="utf-8") as file:
        return [row + [""] * (len(HEAD) - len(row)) for row in list(csv.reader(file))[1:]]


def _stamped(course):
    """Such rows for what lies in `submitted/` with a timestamp.txt; `Unclear` for one that holds no time."""
    for file in sorted(course.glob(f"submitted/*/*/{TIME}")):
        words = file.read_text(encoding="utf-8", errors="replace").strip().removesuffix(" UTC")
        try:
            at = datetime.datetime.fromisoformat(words)
        except ValueError:
            raise roster.Unclear(f"{file}: a time is like 2027-03-01 23:59:00 UTC; got {words[:40]!r}") from None
        at = (at if at.tzinfo else at.replace(tzinfo=datetime.UTC)).astimezone().replace(microsecond=0, tzinfo=None)
        yield [file.parents[1].name, file.parent.name, at.isoformat(sep=" "), str(file), "hub", "hub"]
