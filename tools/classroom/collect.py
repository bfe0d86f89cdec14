"""Whose submission is whose: what a learning platform's download calls its files, read before anything is copied.

Understood are `ada.ipynb`, a folder for each student with one notebook in it, and what Canvas and Moodle make: files,
folders, or the zip archive as it was downloaded. Whatever is not clear, two files for one student, and links are
refused with one sentence each, and then nothing is copied at all.
"""

import os
import pathlib
import re
import zipfile
from dataclasses import dataclass

from tools.classroom import roster
from tools.classroom.submission import LARGEST

CANVAS = re.compile(r"(?P<name>[^_]+)_(?:LATE_)?(?P<number>\d+)_\d+_.+")  # finnfay_LATE_4711_081516_03_laplace-1
MOODLE = re.compile(
    r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_(file|onlinetext)(_.*)?"
)  # Eve Miller_123_assign...
COPY = re.compile(r"(-\d+| ?\(\d+\))$")  # what platforms and browsers put behind a name they have seen before
TIME = "timestamp.txt"  # beside a file that a hub took in: when, for nbgrader


class Refused(ValueError):
    """What was not understood, a line each."""


@dataclass(frozen=True)
class Found:
    """A notebook: where it comes from, the names of its file and of the folder around it, and how to get its bytes."""

    origin: str
    folder: str
    stem: str
    read: object


def understood(paths, stem):
    """The notebooks of the students among these files, folders and archives, by student; and what else was there.

    Raises `Refused` where it is not clear whose a notebook is, or there are two of one student, or there is a link.
    """
    found, left, troubles, taken = [], [], [], {}
    for path in paths:
        for one in _within(pathlib.Path(path)):
            (found if isinstance(one, Found) else left if one.startswith("left") else troubles).append(one)
    for one in found:
        student = _student(one, stem, found)
        if not student:
            troubles.append(f"{one.origin}: whose is it? Name it after its student, like ada.ipynb")
        elif student in taken:
            troubles.append(f"{one.origin}: {student} has handed in another file too, {taken[student].origin}")
        else:
            taken[student] = one
    if troubles:
        raise Refused("Nothing was taken:\n" + "\n".join(troubles))
    return taken, [one.removeprefix("left ") for one in left]


def _within(path):
    """What a path holds: a `Found` for each notebook, else a line: what is left aside, or why it is refused."""
    if path.is_symlink():
        yield f"{path}: a link, not a file"
    elif path.is_dir():
        for one in sorted(path.iterdir()):
            yield from _within(one)
    elif not path.is_file():
        yield f"{path}: there is no such file"
    elif path.suffix == ".zip":
        yield from _archived(path)
    elif path.suffix != ".ipynb":
        yield f"left {path}"
    elif path.stat().st_size > LARGEST:
        yield f"{path}: larger than {LARGEST} bytes"
    else:
        yield Found(str(path), path.resolve().parent.name, path.stem, path.read_bytes)


def _archived(path):
    try:
        with zipfile.ZipFile(path) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
    except (zipfile.BadZipFile, OSError):
        yield f"{path}: this archive cannot be read"
        return
    for member in members:
        inside, origin = pathlib.PurePosixPath(member.filename), f"{path}: {member.filename}"
        if member.external_attr >> 28 == 0o12:
            yield f"{origin}: a link, not a file"
        elif inside.suffix != ".ipynb" or inside.name.startswith("._"):
            yield f"left {origin}"
        elif member.file_size > LARGEST:
            yield f"{origin}: larger than {LARGEST} bytes"
        else:
            yield Found(origin, inside.parent.name, inside.stem, lambda name=member.filename: _member(path, name))


def _member(path, name):
    with zipfile.ZipFile(path) as archive, archive.open(name) as file:
        return file.read(LARGEST)


def _student(found, stem, all_found):
    """The name of the student that a notebook bears; "" if it bears none."""
    for name in (found.stem, found.folder):
        if student := on_platform(name):
            return student
    if not COPY.sub("", found.stem).casefold() == stem.casefold():
        return found.stem if roster.STUDENT.fullmatch(found.stem) else ""
    folders = [one.folder for one in all_found]
    return roster.word(found.folder) if found.folder and folders.count(found.folder) == 1 and len(folders) > 1 else ""


def on_platform(name):
    """The student whom Canvas's or Moodle's name of a file or folder tells, with the number there; "" if it is none."""
    for pattern in (MOODLE, CANVAS):
        if match := pattern.fullmatch(name):
            return f"{roster.word(match['name'])}-{match['number']}"
    return ""


def take(course, stem, paths):
    """Copy what was handed in to where nbgrader looks for it, an earlier one aside; the students, and what was left.

    Where the course has a roster, a platform's number is the student of that number there.
    """
    taken, left = understood(paths, stem)
    taken = _by_roster(taken, {one.id: one.student for one in roster.known(course) if one.id})
    texts = {student: one.read() for student, one in taken.items()}
    for student, text in texts.items():
        target = course / "submitted" / student / stem / f"{stem}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and target.read_bytes() != text:
            earlier = course / "earlier" / student / stem
            earlier.mkdir(parents=True, exist_ok=True)
            target.rename(earlier / f"{len(list(earlier.iterdir())) + 1}.ipynb")
        target.write_bytes(text)
    return taken, left


def _by_roster(taken, numbers):
    """The same notebooks, by the students that the roster gives the platform's numbers."""
    found = {}
    for student, one in taken.items():
        name = numbers.get(student.rpartition("-")[2], student)
        if name in found:
            raise Refused(
                f"Nothing was taken:\n{one.origin}: {name} has handed in another file too, {found[name].origin}"
            )
        found[name] = one
    return found


def unmatched(course, stems):
    """The files among the submissions that nothing looks at, and links, with where they should be; a line each."""
    base, lines = course / "submitted", []
    for folder, folders, files in os.walk(base):
        place = pathlib.Path(folder).relative_to(base)
        for name in sorted(files + [one for one in folders if (pathlib.Path(folder) / one).is_symlink()]):
            path = place / name
            if (base / path).is_symlink():
                lines.append(f"submitted/{path} is a link: it was not followed")
            elif len(path.parts) != 3 or path.parts[1] not in stems or name not in (f"{path.parts[1]}.ipynb", TIME):
                lines.append(
                    f"submitted/{path} was not looked at: it should be <student>/<assignment>/<assignment>.ipynb"
                )
    return lines


def submissions(course, stem):
    """The submitted files of an assignment, without links."""
    paths = sorted((course / "submitted").glob(f"*/{stem}/{stem}.ipynb"))
    return [path for path in paths if not any(one.is_symlink() for one in (path, path.parent, path.parents[1]))]
