"""One submission, graded in a process of its own: `python -m tools.classroom.worker`, as `single` starts it.

The request comes pickled on standard input, the result leaves as JSON on standard output. Whatever happens to this
process costs this submission only: it has limits of time and memory, and before it looks at a student's file it takes
a keyring and, where it may, a memory cgroup of its own, which its jails share with no other's.
"""

import contextlib
import ctypes
import dataclasses
import json
import os
import pathlib
import pickle
import platform
import resource
import sys

MEGABYTES = 6144  # of this process and all its jails together, where there is a cgroup
JOIN_SESSION_KEYRING = 1
KEYCTL = {"x86_64": 250, "aarch64": 219}
GROUPS = pathlib.Path("/sys/fs/cgroup")


def main():
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    own_keyring()
    own_memory()
    out.write(json.dumps(graded(**pickle.load(sys.stdin.buffer))))
    out.close()


def graded(assignment, release, path, student, seed, unsafe, limits, page_limits):
    """The fields of a `single.Result`; no page is run if there are no limits for it."""
    from tools.classroom import failures, pages, submission, verdicts

    try:
        taken = submission.read(assignment, path, unsafe)
    except submission.Unreadable as reason:
        rows = verdicts.unread(assignment, student, str(reason))
        return {"scores": [dataclasses.asdict(row) for row in rows], "taken": {}, "page": None}
    rows = verdicts.grade_taken(assignment, taken, student, seed, limits, unsafe)
    code = submission.code(assignment, release, taken)
    tasks = {task.name: task for task in assignment.tasks}
    lines = {f"{row.task}-check": verdicts.told(tasks[row.task], row.reason) for row in rows}
    said = {place: lines[name] for place, (name, _) in enumerate(release) if name in lines}
    if page_limits and any(str(failures.SLOW) in row.reason for row in rows):
        page_limits = pages.HURRIED  # most likely it will not end here either
    page = pages.page_of(code, unsafe, page_limits, said) if page_limits else None
    scores = [dataclasses.asdict(row) for row in rows]
    return {"scores": scores, "taken": dataclasses.asdict(taken), "page": page}


def own_keyring():
    """Leave the keyring of the session, in which other jails and the instructor may keep keys."""
    number = KEYCTL.get(platform.machine())
    if number is not None:
        ctypes.CDLL(None).syscall(number, JOIN_SESSION_KEYRING, None)


def own_memory():
    """No more memory for this process than that, and for it with its jails where a cgroup can be made."""
    size = MEGABYTES * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.getrlimit(resource.RLIMIT_AS)[1]))
    for folder, limit in group_folders():
        with contextlib.suppress(OSError):
            folder.mkdir()
            try:
                (folder / limit).write_text(str(size))
                (folder / "cgroup.procs").write_text(str(os.getpid()))
                return
            except OSError:
                folder.rmdir()


def group_folders(process="self", name=None):
    """Where a cgroup for this process could stand, and the file with its limit: version 1 or 2, inside or beside."""
    name = name or f"dpbook-{os.getpid()}"
    lines = pathlib.Path(f"/proc/{process}/cgroup").read_text().splitlines()
    for line in lines:
        _, kinds, place = line.split(":", 2)
        if kinds == "memory":
            yield GROUPS / "memory" / place.lstrip("/") / name, "memory.limit_in_bytes"
        elif not kinds:
            for parent in (GROUPS / place.lstrip("/"), (GROUPS / place.lstrip("/")).parent):
                if parent.is_relative_to(GROUPS):
                    yield parent / name, "memory.max"


if __name__ == "__main__":
    main()
