"""What was handed in: a folder with a file for each student, `ada.py` or `ada.ipynb`, or `ada/` with one such file.

Of a notebook only the cells `mechanism` and `attack` are taken, and it is read in the jail, as submissions are; of a
Python file the whole text is both. A student's name is the file's, or the folder's.
"""

import os
import re
from dataclasses import dataclass

from tools.classroom import submission

LONGEST = 20_000  # characters of a mechanism, and of an attack
PARTS = ("mechanism", "attack")
NAME = re.compile(r"[\w][\w.@ -]{0,59}")


@dataclass(frozen=True)
class Entry:
    """What a student handed in: the code of each part, and for a part that is not there why."""

    student: str
    parts: dict
    troubles: dict


def read(folder, unsafe=False):
    """The entries in a folder, by the students' names; ValueError, with what to do, if the folder is not in order."""
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}: give the folder with the students' files as ENTRIES=")
    files = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        folded = path.is_dir() and not path.is_symlink()
        inside = [file for file in (sorted(path.iterdir()) if folded else [path]) if file.suffix in (".py", ".ipynb")]
        if folded or inside:
            files.setdefault(path.name if folded else path.stem, []).extend(inside)
    for student, found in files.items():
        if not NAME.fullmatch(student):
            raise ValueError(f"{student!r} is no student's name: use letters, digits, blanks, dots, dashes, @")
        if len(found) > 1:
            several = ", ".join(str(file.relative_to(folder)) for file in found)
            raise ValueError(f"{student} has {len(found)} files ({several}): keep the one that counts")
    return [_entry(student, found, unsafe) for student, found in sorted(files.items())]


def _entry(student, files, unsafe):
    try:
        if not files:
            raise submission.Unreadable("there is no .ipynb and no .py in the folder: hand in one of them")
        texts = _of_python(files[0]) if files[0].suffix == ".py" else _of_notebook(files[0], unsafe)
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
        raise submission.Unreadable(f"there is no file that can be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise submission.Unreadable("the file is no text in UTF-8: save it as such and hand it in again") from None


def _of_notebook(path, unsafe):
    pieces = submission.pieces(path, dict.fromkeys(PARTS, LONGEST), unsafe)
    codes = {part: [text for kind, text in pieces[part] if kind == "code"] for part in PARTS}
    return {part: "\n".join(dict.fromkeys(texts)) for part, texts in codes.items()}
