"""The desk of a course: where a student's file is taken in, with a receipt, and where feedback is given back.

`take_in` puts a notebook where the grader looks for it. Whoever asks it to must know who the student is: the hub does,
by the token of the student's own server. Nothing of a file is read here but its bytes. When it has returned, the file
is on the disk; until then the file of before is there, whole. `give_back` copies feedback to where students can read
it.
"""

import contextlib
import datetime
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
from dataclasses import asdict, dataclass

STUDENT = re.compile(r"[a-z0-9][a-z0-9_.@+-]{0,63}")  # what a name is: a part of a path, and of an address
LARGEST = 20 * 2**20  # bytes; a hundred times what an assignment with its outputs has
MOST = 200  # files of one student for one assignment
ROOM = 10 * LARGEST  # bytes of them all: a loop that hands in fills no disk
JOURNAL = "handed-in.jsonl"
ARRIVING = "arriving"  # what is not whole yet, within the course and so on the same disk


class NotTaken(ValueError):
    """Why a file was not taken, in a sentence for the student."""


@dataclass(frozen=True)
class Receipt:
    """What was taken: whose, for which assignment, when (UTC, by this machine's clock), and the SHA-256 of the file."""

    student: str
    assignment: str
    time: str
    sha256: str
    number: int

    def __str__(self):
        return (
            f"{self.assignment} of {self.student} was handed in on {self.time[:10]} at {self.time[11:19]} UTC "
            f"(number {self.number}, {self.sha256[:12]})"
        )


def assignments_of(course):
    """The assignments that the course has given out."""
    return sorted(path.stem for path in (course / "assignments").glob("*.py"))


def take_in(course, student, assignment, text, now=None):
    """Store `text`, the bytes of a notebook, as what `student` hands in; its `Receipt`.

    The file of before goes to `earlier/`, with its time. The same bytes again get the receipt that they had. `NotTaken`
    says why a file is refused. Of two at the same moment one is stored after the other.
    """
    if not STUDENT.fullmatch(student):
        raise ValueError(f"student must be a name of small letters, digits and _.@+-; got {student!r}")
    if assignment not in assignments_of(course):
        raise NotTaken(f"there is no assignment {assignment!r}: {', '.join(assignments_of(course))}")
    if len(text) > LARGEST:
        raise NotTaken(
            f"the file has {len(text):,} bytes and may have {LARGEST:,}: clear its outputs (Edit, Clear Outputs of All "
            "Cells), save it, and hand it in again"
        )
    with _journal(course) as journal:
        before = [one for one in receipts(course) if (one.student, one.assignment) == (student, assignment)]
        digest, target = hashlib.sha256(text).hexdigest(), _place(course, student, assignment)
        if before and before[-1].sha256 == digest and target.exists() and target.read_bytes() == text:
            return before[-1]
        if len(before) >= MOST:
            raise NotTaken(f"{MOST} files for {assignment} are enough: ask your instructor")
        held = sum(path.stat().st_size for path in _files(course, student, assignment) if path.exists())
        if held + len(text) > ROOM:
            raise NotTaken(f"the files for {assignment} have more than {ROOM:,} bytes in all: ask your instructor")
        now = now or datetime.datetime.now(datetime.UTC)
        receipt = Receipt(student, assignment, now.isoformat(timespec="microseconds"), digest, len(before) + 1)
        _store(course, target, text, now)
        journal.write(json.dumps(asdict(receipt)) + "\n")
        journal.flush()
        os.fsync(journal.fileno())
        return receipt


def receipts(course):
    """Every receipt that was given, in their order; a line that a power cut left half written is none."""
    lines = (course / JOURNAL).read_text().splitlines() if (course / JOURNAL).exists() else []
    found = []
    for line in lines:
        with contextlib.suppress(json.JSONDecodeError):
            found.append(Receipt(**json.loads(line)))
    return found


def lost(course):
    """Which receipts have no file any more, neither in `submitted/` nor in `earlier/`; a line each."""
    return [
        f"{one}: there is no such file in the course"
        for one in receipts(course)
        if one.sha256 not in {_digest(path) for path in _files(course, one.student, one.assignment)}
    ]


def give_back(course, folder, assignments=None):
    """Copy the feedback of these assignments (None: of all) to `folder`, a folder a student; how many pages are new."""
    new = 0
    for page in sorted((course / "feedback").glob("*/*/*.html")):
        student, stem = page.parents[1].name, page.parent.name
        if page.is_symlink() or not STUDENT.fullmatch(student) or (assignments is not None and stem not in assignments):
            continue
        target = folder / student / f"{stem}.html"
        text = page.read_bytes()
        if target.exists() and target.read_bytes() == text:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.parent.chmod(0o755)  # who may come here is the business of the folders above, and of the jail
        _replace(target, text, folder / ARRIVING, page.stat().st_mtime)
        target.chmod(0o644)
        new += 1
    return new


@contextlib.contextmanager
def _journal(course):
    """The journal, open for one more line, and to nobody else meanwhile."""
    with open(course / JOURNAL, "a+") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        journal.seek(0, os.SEEK_END)
        if journal.tell() and not _ends_in_newline(course / JOURNAL):
            journal.write("\n")
        yield journal


def _ends_in_newline(path):
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"


def _place(course, student, assignment):
    return course / "submitted" / student / assignment / f"{assignment}.ipynb"


def _files(course, student, assignment):
    return [_place(course, student, assignment), *(course / "earlier" / student / assignment).glob("*.ipynb")]


def _digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""


def _store(course, target, text, now):
    """The file in its place, the one of before aside, and the time where nbgrader looks for it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and target.read_bytes() != text:
        earlier = course / "earlier" / target.parents[1].name / target.stem
        earlier.mkdir(parents=True, exist_ok=True)
        os.link(target, earlier / f"{1 + max((int(one.stem) for one in earlier.glob('*.ipynb')), default=0)}.ipynb")
        _fsync(earlier)
    _replace(target, text, course / ARRIVING, now.timestamp())
    stamp = f"{now:%Y-%m-%d %H:%M:%S.%f} UTC\n".encode()
    _replace(target.with_name("timestamp.txt"), stamp, course / ARRIVING, now.timestamp())


def _replace(target, text, arriving, time):
    """Put `text` in the place of `target` at one stroke, with this time of change: one sees the old or the new."""
    arriving.mkdir(exist_ok=True, mode=0o700)
    new = arriving / f"{os.getpid()}-{os.urandom(8).hex()}"
    try:
        with open(new, "xb") as file:
            file.write(text)
            file.flush()
            os.utime(file.fileno(), (time, time))
            os.fsync(file.fileno())
        os.replace(new, target)
    finally:
        new.unlink(missing_ok=True)
    _fsync(target.parent)


def _fsync(folder):
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def copied(source, target):
    """Copy the file, readable by everybody who can come to it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o644)
    return pathlib.Path(target)
