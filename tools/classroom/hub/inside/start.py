"""The first program in a student's cell: it becomes the student, lays the book out in the home, and starts the server.

`python start.py NUMBER MEGABYTES WORD...`: the user to become (0: stay who you are), what each process may have (0:
all), and the words for the server. Nothing of the student's is read before it has become the student.
"""

import hashlib
import json
import os
import pathlib
import resource
import shutil
import sys

GIVEN, VARIANTS, RETURNED = pathlib.Path("/hub/given"), pathlib.Path("/hub/variants"), "/hub/returned"
RECORD = ".dpbook/given.json"


def become(number):
    """Be this user, and nobody else any more."""
    os.setgroups([])
    os.setresgid(number, number, number)
    os.setresuid(number, number, number)


def lay_out(home):
    """Copy into the home what is given out and not there, and what is there as it was given and has been changed since.

    What the student has written into stays as it is.
    """
    record = home / RECORD
    record.parent.mkdir(exist_ok=True)
    try:
        known = dict(json.loads(record.read_text()))
    except (OSError, ValueError, TypeError, RecursionError):  # whatever its owner has made of it
        known = {}
    wanted = {path.relative_to(GIVEN): path for path in GIVEN.rglob("*") if path.is_file()}
    wanted |= {pathlib.Path("assignments", path.name): path for path in VARIANTS.glob("*.ipynb")}
    for name, source in wanted.items():
        target, digest = home / name, digest_of(source)
        if target.exists():
            if known.get(str(name)) == digest or digest_of(target) != known.get(str(name)):
                continue
        target.parent.mkdir(parents=True, exist_ok=True)
        new = target.with_name(f".{target.name}.new")
        shutil.copyfile(source, new)
        os.replace(new, target)
        known[str(name)] = digest
    record.write_text(json.dumps(known))
    feedback = home / "feedback"
    if not feedback.is_symlink() and not feedback.exists():
        feedback.symlink_to(RETURNED)


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main():
    number, megabytes, words = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    if number:
        become(number)
    os.umask(0o077)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if megabytes:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20, megabytes * 2**20))
    os.chdir(pathlib.Path.home())
    try:
        lay_out(pathlib.Path.home())
    except OSError as trouble:  # a home that is full, or made strange by its owner: the server starts all the same
        print(f"the book could not be laid out: {trouble}", file=sys.stderr)
    os.execv(sys.executable, [sys.executable, "-m", "jupyterhub.singleuser", *words])


if __name__ == "__main__":
    main()
