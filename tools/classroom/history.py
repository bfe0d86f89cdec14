"""When what was handed in, and how late: history.csv, a row for each file that `collect` took, and late.csv from it.

What a hub took in has no row there, but its time beside the file, in nbgrader's timestamp.txt: late.csv knows it too.

`due.toml` in the course says when assignments are due, and how many late days a student has in all:

    late_days = 5
    03_laplace = 2027-03-01T23:59:00

A late day is a day begun after that, of the last file taken. What follows from it is yours: no point is taken off.
All times are those of the clock of this machine.
"""

import csv
import datetime
import math
import tomllib

from tools.classroom import collect, roster

FILE, DUE, LATE = "history.csv", "due.toml", "late.csv"
HEAD = ["student", "assignment", "handed in", "file"]


def note(course, stem, taken, at=None):
    """Write down whose files were taken for an assignment, and when they were handed in (`at`; now)."""
    at = (at or datetime.datetime.now()).replace(microsecond=0, tzinfo=None)
    new = not (course / FILE).exists()
    with (course / FILE).open("a", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerows([HEAD] if new else [])
        table.writerows([student, stem, at.isoformat(sep=" "), one.origin] for student, one in taken.items())


def due(course):
    """When assignments are due, and the late days of a student (None: nobody counts them)."""
    if not (course / DUE).exists():
        return {}, None
    said = tomllib.loads((course / DUE).read_text(encoding="utf-8"))
    allowed = said.pop("late_days", None)
    if wrong := [stem for stem, when in said.items() if not isinstance(when, datetime.datetime)]:
        raise roster.Unclear(
            f"{DUE}: when is {wrong[0]} due? A time is like 2027-03-01T23:59:00; got {said[wrong[0]]!r}"
        )
    return {stem: when.replace(tzinfo=None) for stem, when in said.items()}, allowed


def late(course):
    """A row for each student and assignment with a due time: handed in, due, late days, and how many of how many."""
    times, allowed = due(course)
    last, spent, rows = {}, {}, []
    for student, stem, at, _ in [*_rows(course), *_stamped(course)]:
        last[student, stem] = max(at, last.get((student, stem), at))
    for (student, stem), at in sorted(last.items(), key=lambda one: (one[0][0], one[1])):
        if stem in times:
            handed = datetime.datetime.fromisoformat(at)
            days = max(0, math.ceil((handed - times[stem]) / datetime.timedelta(days=1)))
            spent[student] = spent.get(student, 0) + days
            over = "" if allowed is None else max(0, spent[student] - allowed)
            rows.append([student, stem, at, times[stem].isoformat(sep=" "), days, spent[student], over])
    return ["student", "assignment", "handed in", "due", "late days", "so far", "too many"], rows


def _rows(course):
    if not (course / FILE).exists():
        return []
    with (course / FILE).open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def _stamped(course):
    """Such rows for what lies in `submitted/` with a timestamp.txt; `Unclear` for one that holds no time."""
    for file in sorted(course.glob(f"submitted/*/*/{collect.TIME}")):
        words = file.read_text(encoding="utf-8", errors="replace").strip().removesuffix(" UTC")
        try:
            at = datetime.datetime.fromisoformat(words)
        except ValueError:
            raise roster.Unclear(f"{file}: a time is like 2027-03-01 23:59:00 UTC; got {words[:40]!r}") from None
        at = (at if at.tzinfo else at.replace(tzinfo=datetime.UTC)).astimezone().replace(microsecond=0, tzinfo=None)
        yield [file.parents[1].name, file.parent.name, at.isoformat(sep=" "), str(file)]
