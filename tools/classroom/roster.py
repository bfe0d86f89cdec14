"""Who is in the course: `course roster FILE` makes roster.csv from a list of names or from a platform's export.

Understood are a text with a student a line; a table of our own with a column `student` (and `name`, `email`, `id`);
Canvas's gradebook export; and Moodle's grading worksheet. A student of the roster who handed in nothing has a row in
grades.csv. `collect` knows Canvas's files by the student's number there. Moodle numbers a student anew in each
assignment: there a student is the address or the full name, and a worksheet says whose number is whose (`numbered`).
"""

import csv
import pathlib
import re
import unicodedata
from dataclasses import asdict, astuple, dataclass, fields, replace

FILE = "roster.csv"
STUDENT = re.compile(r"\w[\w.@+-]*")  # what can be the name of a folder in submitted/
PARTICIPANT = re.compile(r"\D*(\d+)")


class Unclear(ValueError):
    """A file of the instructor's that was not understood; the message says what was expected."""


@dataclass(frozen=True)
class Member:
    """A student as the course knows them (`student`), and as the platform does: name, address, number."""

    student: str
    name: str = ""
    email: str = ""
    id: str = ""


def word(name):
    """A name with what a folder's name may hold, and nothing else."""
    return re.sub(r"[^\w.@+-]+", "_", composed(name).strip()).strip("_.+-")


def composed(text):
    """A text with each accent in one letter with its base (NFC): a Mac's file names may have the two apart."""
    return unicodedata.normalize("NFC", text)


def read_table(file):
    """The rows of a platform's table, as lists of texts, breaks of lines in a cell too; no byte order mark.

    A line without a cell, as spreadsheets leave it at the end, is no row.
    """
    with pathlib.Path(file).open(encoding="utf-8-sig", newline="") as opened:
        return [row for row in csv.reader(opened) if row]


def understood(file):
    """The members that a file lists. `Unclear` for a file of another kind, a bad name, or a student named twice."""
    file = pathlib.Path(file)
    rows = read_table(file)
    head = [cell.strip() for cell in rows[0]] if rows else []
    found = [dict(zip(head, row, strict=False)) for row in rows[1:]]
    if "student" in head:
        members = [Member(**{f.name: composed(row.get(f.name, "").strip()) for f in fields(Member)}) for row in found]
    elif {"Student", "ID"} <= set(head):
        members = [_of_canvas(row) for row in found if row.get("ID", "").strip().isdigit()]
    elif {"Identifier", "Full name"} <= set(head):
        members = [replace(_of_moodle(row), id="") for row in found]
    elif file.suffix == ".txt":
        lines = composed(file.read_text(encoding="utf-8-sig")).splitlines()
        members = [Member(line.strip()) for line in lines if line.strip()]
    else:
        raise Unclear(f"{file}: neither a list of names nor a table of Canvas's, Moodle's or ours; got {head[:6]}")
    if bad := [one.student for one in members if not STUDENT.fullmatch(one.student)]:
        raise Unclear(f"{file}: a student's name must be that of a folder in submitted/; got {bad[0]!r}")
    names = [one.student.casefold() for one in members]
    if twice := {name for name in names if names.count(name) > 1}:
        raise Unclear(f"{file}: named twice: {', '.join(sorted(twice))}")
    return members


def _of_canvas(row):
    """Canvas's numbers are in the names of what it lets one download; its test student has one too."""
    number, login = row["ID"].strip(), row.get("SIS Login ID", "").strip()
    student = login if STUDENT.fullmatch(login) else f"{word(row['Student'])}-{number}"
    return Member(student, row["Student"].strip(), login if "@" in login else "", number)


def _of_moodle(row):
    number = PARTICIPANT.fullmatch(row["Identifier"].strip())
    if not number:
        raise Unclear(f"the identifier must be like 'Participant 123'; got {row['Identifier']!r}")
    name, email = row["Full name"].strip(), row.get("Email address", "").strip()
    return Member(email if STUDENT.fullmatch(email) else word(name), name, email, number[1])


def recognised(name, email, members):
    """The member with this address, or else the only one with this full name (Moodle says both); None for nobody."""
    by_address = [one for one in members if email and one.email.casefold() == email.casefold()]
    named_so = [one for one in members if one.name and _spelt(one.name) == _spelt(name)]
    found = by_address or [one for one in named_so if not (email and one.email)]
    return found[0] if len(found) == 1 else None


def _spelt(name):
    """A name as it is compared: with its vowel signs, which `word` leaves out, as numbers."""
    signs = (f"{ord(letter):x}" if unicodedata.category(letter)[0] == "M" else letter for letter in composed(name))
    return word("".join(signs)).casefold()


def numbered(members, file):
    """The members with the numbers that Moodle's worksheet of an assignment gives them; by any other table as before.

    `Unclear` for an identifier of another form.
    """
    rows = read_table(file)
    head = [cell.strip() for cell in rows[0]] if rows else []
    if not {"Identifier", "Full name"} <= set(head):
        return members
    there = [_of_moodle(dict(zip(head, row, strict=False))) for row in rows[1:]]
    whose = [(recognised(one.name, one.email, members), one.id) for one in there]
    numbers = {member.student: number for member, number in whose if member}
    return [replace(one, id=numbers.get(one.student, "")) for one in members]


def write(course, members):
    """Write the course's roster, for its owner's eyes only; the file."""
    target = course / FILE
    target.touch(mode=0o600)
    with target.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[f.name for f in fields(Member)], *map(astuple, members)])
    return target


def known(course):
    """The members of the course's roster; [] without one."""
    return understood(course / FILE) if (course / FILE).exists() else []


def enrol(gradebook, members):
    """Make the members known to nbgrader, with their names."""
    for one in members:
        last, _, first = one.name.partition(", ")
        if not first:
            first, _, last = one.name.rpartition(" ")
        names = {"first_name": first, "last_name": last, "email": asdict(one)["email"]}
        gradebook.update_or_create_student(one.student, **{key: value or None for key, value in names.items()})
