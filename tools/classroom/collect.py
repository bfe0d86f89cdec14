"""Whose submission is whose: what a learning platform's download calls its files, read before anything is copied.

Understood are `ada.ipynb`, a folder for each student with one notebook in it, and what Canvas and Moodle make: files,
folders, or the zip archive as it was downloaded. Of a name only the part counts that the platform wrote, or that you
did: the outermost folder before the file, and the beginning of a name before its end, which its owner chose. A file
whose name and folder disagree, two files of one student, links, and what cannot be read are set aside with a sentence
each; the others are taken. Archives that students handed in are never opened.
"""

import dataclasses
import os
import pathlib
import re
import stat
import zipfile
from dataclasses import dataclass

from tools.classroom import history, platforms, roster
from tools.classroom.places import TIME
from tools.classroom.submission import LARGEST

COPY = re.compile(r"(-\d+| ?\(\d+\))$")  # what platforms and browsers put behind a name they have seen before
LONGEST = 200  # bytes of a student's name: of it folders and files are made
TOTAL = 2**30  # bytes of all notebooks of one call; the largest are left out first
MEMBERS = 20_000  # of an archive
STUDENTS = "a student's archive is not opened: ask for the notebook (if it is the platform's, give it alone)"


class Refused(ValueError):
    """Why nothing was taken, a line for each file."""


class Aside(str):
    """A line on a file that somebody should look at; what is no notebook has its name alone for a line."""


@dataclass(frozen=True)
class Bearer:
    """The student whom a name tells, and by what: `Canvas 4711`, `folder ada`, `name ada`.

    `number` is the platform's, and `late` whether the platform calls the file so.
    """

    student: str
    source: str
    number: str = ""
    late: bool = False


@dataclass(frozen=True)
class Found:
    """A notebook: where it comes from, the folders around it and its own name, its size, and how to get its bytes.

    `bearer` is who handed it in, and `new` whether it is another file than the one of before.
    """

    origin: str
    parts: tuple
    size: int
    read: object
    bearer: Bearer | None = None
    new: bool = True


def understood(paths, stem, members=()):
    """The notebooks of the students among these files, folders and archives, by student; and a line on each other file.

    `members` is the course's roster, if it has one: whoever is on it is known by name and by the platform's number.
    Raises `Refused` where nothing at all is clear.
    """
    found, left = _all(paths, members)
    troubles, owned = [], {}
    for one in found:
        try:
            bearer = whose(one.parts, stem, members)
            if len(bearer.student.encode()) > LONGEST:
                raise Refused(f"the name of its student is longer than {LONGEST} bytes: name the file anew")
        except Refused as trouble:
            troubles.append(Aside(f"{one.origin}: {trouble}"))
        else:
            owned.setdefault(bearer.student, []).append(dataclasses.replace(one, bearer=bearer))
    for student, ones in owned.items():
        for one, other in zip(ones, [*ones[1:], ones[0]], strict=True):
            if other is not one:
                troubles.append(Aside(f"{one.origin}: {student} has handed in another file too, {other.origin}"))
    taken = {student: ones[0] for student, ones in owned.items() if len(ones) == 1}
    left += troubles
    if not taken and any(isinstance(line, Aside) for line in left):
        raise Refused("Nothing was taken:\n" + "\n".join(left))
    return taken, left


def whose(parts, stem, members=()):
    """The `Bearer` of a notebook for the assignment `stem`, by the folders around it, from outside, and its name.

    Raises `Refused` where they disagree, or tell nobody.
    """
    *folders, own = parts
    itself = _known(own, "name", members)
    if around := next(filter(None, (_known(folder, "folder", members) for folder in folders)), None):
        if itself and itself.student != around.student and _same_platform(itself, around, members):
            raise Refused(f"its folder says {around.student}, its name {itself.student}: whose is it?")
        return around
    is_stem = COPY.sub("", own).casefold() == stem.casefold()
    if folder := next((roster.word(folder) for folder in folders if folder.casefold() != stem.casefold()), ""):
        said = itself.student if itself else own
        if not is_stem and said.casefold() != folder.casefold():
            way = f"Call it {stem}.ipynb, or give the files without their folder"
            raise Refused(f"its folder says {folder}, its name {said}: whose is it? {way}")
        return Bearer(folder, f"folder {folder}")
    if itself:
        return itself
    if is_stem or not roster.STUDENT.fullmatch(own):
        raise Refused("whose is it? Name it after its student, like ada.ipynb")
    return Bearer(own, f"name {own}")


def _known(name, kind, members):
    """The `Bearer` whom a name tells by a platform's pattern or by the roster; None if it does neither."""
    if one := platforms.named(name):
        numbers = {member.id: member.student for member in members if member.id}
        named = one.platform == "Moodle" and _named(one.name, members)  # first: its numbers are others each time
        student = named or numbers.get(one.number) or one.student
        return Bearer(student, f"{one.platform} {one.number}", one.number, one.late)
    names = {member.student.casefold(): member.student for member in members}
    if student := names.get(name.casefold()):
        return Bearer(student, f"{kind} {student}")
    return None


def _named(name, members):
    """The student whom Moodle calls so, if the roster has one of this full name and no two."""
    member = roster.recognised(name, "", members)
    return member and member.student


def _same_platform(itself, around, members):
    """Whether a file's name can tell another student than its folder: by the roster, or by the same platform."""
    on_roster = any(itself.student == member.student for member in members)
    return on_roster or itself.source.split()[0] == around.source.split()[0]


def _all(paths, members):
    """Every `Found` among the paths, with its folders below what they have in common; and a line on each other file."""
    paths = [pathlib.Path(os.path.abspath(path)) for path in paths]
    base = pathlib.Path(os.path.commonpath([path.parent for path in paths])) if paths else None
    files, left = [], []
    for path in paths:
        for one in _files(path):
            (left if isinstance(one, str) else files).append(one)
    below = _below([map(roster.composed, path.relative_to(base).parts) for path in files], members)
    found = []
    for path, (*folders, name) in zip(files, below, strict=True):
        own = pathlib.PurePath(name).stem
        if path.suffix.casefold() != ".zip":
            size = path.stat().st_size
            found.append(Found(_shown(path), (*folders, own), size, lambda path=path: _bytes(path)))
        elif folders or _known(own, "name", members):
            left.append(Aside(f"{_shown(path)}: {STUDENTS}"))
        else:
            inside, aside = _archived(path, members)
            found, left = found + inside, left + aside
    left += [Aside(f"{one.origin}: larger than {LARGEST} bytes") for one in found if one.size > LARGEST]
    return [one for one in found if one.size <= LARGEST], left


def _shown(path):
    """A path as one types it here."""
    return os.path.relpath(path) if path.is_relative_to(pathlib.Path.cwd()) else str(path)


def _files(path):
    """The notebooks and archives below a path, and a line for each other thing."""
    hidden = path.name.startswith((".", "__MACOSX"))
    if path.is_symlink():
        yield Aside(f"{_shown(path)}: a link, not a file")
    elif path.is_dir() and not hidden:
        for one in sorted(path.iterdir()):
            yield from _files(one)
    elif not path.exists():
        yield Aside(f"{_shown(path)}: there is no such file")
    elif hidden or path.suffix.casefold() not in (".ipynb", ".zip"):
        yield _shown(path)
    elif not path.is_file():
        yield Aside(f"{_shown(path)}: no file that can be read")
    else:
        yield path


def _below(all_parts, members):
    """The parts of these paths without the folders around all of them, up to the first that is a student's."""
    all_parts = [tuple(parts) for parts in all_parts]
    while all_parts and all(len(parts) > 1 for parts in all_parts) and len({parts[0] for parts in all_parts}) == 1:
        if _known(all_parts[0][0], "folder", members):
            break
        all_parts = [parts[1:] for parts in all_parts]
    return all_parts


def _archived(path, members):
    """The notebooks in an archive, and a line on each other thing in it."""
    found, left, name = [], [], _shown(path)
    try:
        with zipfile.ZipFile(path) as archive:
            inside = [one for one in archive.infolist() if not one.is_dir()]
    except Exception:  # whatever a damaged file makes of it
        return [], [Aside(f"{name}: this archive cannot be read")]
    if len(inside) > MEMBERS:
        return [], [Aside(f"{name}: this archive has more than {MEMBERS} files")]
    notebooks = []
    for one in inside:
        place, origin = pathlib.PurePosixPath(one.filename), f"{name}: {one.filename}"
        if stat.S_ISLNK(one.external_attr >> 16):
            left.append(Aside(f"{origin}: a link, not a file"))
        elif any(part.startswith((".", "__MACOSX")) and part != ".." for part in place.parts):
            left.append(f"{name}/{one.filename}")
        elif ".." in place.parts or place.is_absolute():
            left.append(Aside(f"{origin}: a file of such a name is not taken"))
        elif place.suffix.casefold() == ".zip":
            left.append(Aside(f"{origin}: {STUDENTS}"))
        elif place.suffix.casefold() != ".ipynb":
            left.append(f"{name}/{one.filename}")
        elif one.flag_bits & 1:
            left.append(Aside(f"{origin}: it is encrypted; ask for the notebook itself"))
        else:
            notebooks.append(one)
    below = _below([pathlib.PurePosixPath(roster.composed(one.filename)).parts for one in notebooks], members)
    for one, (*folders, own) in zip(notebooks, below, strict=True):
        parts = (*folders, pathlib.PurePath(own).stem)
        found.append(Found(f"{name}: {one.filename}", parts, one.file_size, lambda one=one: _member(path, one)))
    return found, left


def _bytes(path):
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        return file.read(LARGEST)


def _member(path, member):
    with zipfile.ZipFile(path) as archive, archive.open(member) as file:
        return file.read(LARGEST)


def take(course, stem, paths, ask=None, table=None):
    """Copy what was handed in to where nbgrader looks for it, an earlier one aside; who that is, and lines on the rest.

    `table` is the platform's of this assignment, if it was given: Moodle's worksheet says whose number is whose.
    Where an earlier submission was theirs by another `Bearer.source`, `ask(question)` says whether this one may take
    its place; without it the new one is set aside.
    """
    members = roster.known(course)
    taken, left = understood(paths, stem, roster.numbered(members, table) if table else members)
    before, stored, total = history.sources(course, stem), {}, 0
    for student, one in sorted(taken.items(), key=lambda pair: pair[1].size):
        total += one.size
        if total > TOTAL:
            left.append(Aside(f"{one.origin}: together the files are larger than {TOTAL} bytes"))
            continue
        try:
            text = one.read()
        except Exception as error:  # whatever a damaged file makes of it: it costs this file only
            left.append(Aside(f"{one.origin}: it cannot be read ({type(error).__name__})"))
            continue
        target = course / "submitted" / student / stem / f"{stem}.ipynb"
        new = not target.exists() or target.read_bytes() != text
        if target.exists() and new:
            earlier = "the hub" if target.with_name(TIME).exists() else before.get(student, "a way that is not known")
            words = f"{one.origin}: {student} has handed in by {earlier} before, and this is by {one.bearer.source}"
            if earlier != one.bearer.source and not (ask and ask(words)):
                left.append(Aside(words))
                continue
            _aside(course, student, stem, target)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
        stored[student] = dataclasses.replace(one, new=new)
    if taken and not stored:
        raise Refused("Nothing was taken:\n" + "\n".join(left))
    return dict(sorted(stored.items())), left


def _aside(course, student, stem, target):
    """Put an earlier submission aside; the time that a hub wrote beside it is no longer that of what lies there."""
    earlier = course / "earlier" / student / stem
    earlier.mkdir(parents=True, exist_ok=True)
    number = 1 + max((int(one.stem) for one in earlier.glob("*.ipynb")), default=0)
    target.rename(earlier / f"{number}.ipynb")
    target.with_name(TIME).unlink(missing_ok=True)


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
                wanted = "it should be <student>/<assignment>/<assignment>.ipynb"
                lines.append(f"submitted/{path} was not looked at: {wanted}")
    return lines


def submissions(course, stem):
    """The submitted files of an assignment, without links."""
    paths = sorted((course / "submitted").glob(f"*/{stem}/{stem}.ipynb"))
    return [path for path in paths if not any(one.is_symlink() for one in (path, path.parent, path.parents[1]))]
