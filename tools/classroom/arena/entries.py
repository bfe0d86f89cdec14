"""What was handed in: a folder with a file for each student, `ada.py` or `ada.ipynb`, or `ada/` with one such file.

Names that Canvas and Moodle give to what they let you download are understood (`platforms.named`), and so is their zip
archive in the place of the folder. Of a notebook only the cells `mechanism` and `attack` are taken, and it is
read in the jail, as submissions are; of a Python file the whole text is both. A student's name is the file's, or the
folder's, or what the platform made of it.
"""

import os
import pathlib
import re
import tempfile
import zipfile
import zlib
from dataclasses import dataclass

from tools.classroom import failures, platforms, roster, submission

LONGEST = 20_000  # characters of a mechanism, and of an attack
PARTS = ("mechanism", "attack")
KINDS = (".py", ".ipynb")
HIDDEN = (".", "__MACOSX")  # how names begin that a system makes beside the students' files
NAME = re.compile(r"[\w@+][\w.@+ -]{0,249}")  # whatever `platforms.named` gives: none of them stops the others' board


@dataclass(frozen=True)
class Entry:
    """What a student handed in: the code of each part, and for a part that is not there why."""

    student: str
    parts: dict
    troubles: dict


def read(folder, unsafe=False):
    """The entries in a folder or archive, by students' names; ValueError, with what to do, if it is out of order."""
    if folder.is_file() and folder.suffix.casefold() == ".zip":
        with tempfile.TemporaryDirectory() as place:
            return read(_unpacked(folder, pathlib.Path(place)), unsafe)
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}: give the folder with the students' files as ENTRIES=")
    files = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith(HIDDEN):
            continue
        folded = path.is_dir() and not path.is_symlink()
        inside = [file for file in (sorted(path.iterdir()) if folded else [path]) if _counts(file)]
        if folded or inside:
            name = roster.composed(path.name if folded else path.stem)
            known = platforms.named(name)
            files.setdefault(known.student if known else name, []).extend(inside)
    for student, found in files.items():
        if not NAME.fullmatch(student):
            raise ValueError(f"{student!r} is no student's name: use letters, digits, blanks, dots, dashes, @, +")
        if len(found) > 1:
            several = ", ".join(str(file.relative_to(folder)) for file in found)
            raise ValueError(f"{student} has {len(found)} files ({several}): keep the one that counts")
    return [_entry(student, found, unsafe) for student, found in sorted(files.items())]


def _counts(file):
    """Whether a file, by its name, is one to hand in."""
    return file.suffix.casefold() in KINDS and not file.name.startswith(HIDDEN)


def _unpacked(archive, place):
    """The students' files of an archive in the folder `place`, each with the folder that was around it."""
    try:
        with zipfile.ZipFile(archive) as opened:
            for member in opened.infolist():
                inside = pathlib.PurePosixPath(member.filename)
                if {"..", "__MACOSX"} & set(inside.parts) or inside.name.startswith("."):
                    continue
                around = [part for part in inside.parts[:-1] if platforms.named(part)] or [inside.parent.name]
                target = place / around[0] / inside.name  # the platform's folder, not one that a student made in it
                (target if member.is_dir() else target.parent).mkdir(parents=True, exist_ok=True)
                if target.exists() and not member.is_dir():
                    raise ValueError(f"{archive} has two files {around[0]}/{inside.name}: keep the one that counts")
                if _counts(inside) and not member.is_dir():
                    with opened.open(member) as file:
                        target.write_bytes(file.read(submission.LARGEST))
    except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError):
        raise ValueError(f"{archive} cannot be unpacked: do it yourself, and give the folder") from None
    return place


def _entry(student, files, unsafe):
    try:
        if not files:
            raise submission.Unreadable("there is no .ipynb and no .py in the folder: hand in one of them")
        texts = _of_python(files[0]) if files[0].suffix.casefold() == ".py" else _of_notebook(files[0], unsafe)
    except submission.Unreadable as reason:
        return Entry(student, {}, dict.fromkeys(PARTS, str(reason)))
    troubles = {}
    for part in PARTS:
        if not texts[part].strip():
            troubles[part] = f"the cell {part!r} is missing or empty: write into the notebook that was handed out"
        elif len(texts[part]) > LONGEST:
            troubles[part] = f"the code is longer than {LONGEST:,} characters: shorten it"
    return Entry(student, {part: texts[part] for part in PARTS if part not in troubles}, troubles)


def _of_python(path):
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), encoding="utf-8-sig") as file:
            return dict.fromkeys(PARTS, file.read(LONGEST + 1))
    except OSError as error:
        raise submission.Unreadable(failures.NO_FILE.of(why=error.strerror)) from None
    except UnicodeDecodeError:
        raise submission.Unreadable("the file is no text in UTF-8: save it as such and hand it in again") from None


def _of_notebook(path, unsafe):
    pieces = submission.pieces(path, dict.fromkeys(PARTS, LONGEST), unsafe)
    codes = {part: [text for kind, text in pieces[part] if kind == "code"] for part in PARTS}
    return {part: "\n".join(dict.fromkeys(texts)) for part, texts in codes.items()}
