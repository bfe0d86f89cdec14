"""One submission, graded in a process of its own, which may die or hang without harm to any other."""

import dataclasses
import json
import os
import pickle
import signal
import subprocess
import sys

from tools.classroom import bubblewrap, failures, pages, variants, worker
from tools.classroom.jail import Limits
from tools.classroom.places import PROJECT
from tools.classroom.verdicts import Score, unread

LIMITS = Limits()
PATIENCE = 120  # seconds beyond all limits after which a grading process is ended
STOPPED = str(failures.STOPPED)


@dataclasses.dataclass(frozen=True)
class Result:
    """What is known of one submission: its `scores`, one a task, the answers `taken` from it, what its `page` shows."""

    scores: list
    taken: dict
    page: dict | None = None


def request_of(assignment, release, path, student, seed, unsafe, number, page_limits=None):
    """What `in_a_process` is asked about one submission to variant `number` of an assignment, whose `release` is code.

    No page is run if there are no limits for it.
    """
    return {
        "assignment": variants.own(assignment, number),
        "release": [(name, variants.with_number(cell, number)) for name, cell in release],
        "path": path.absolute(),
        "student": student,
        "seed": seed,
        "unsafe": unsafe,
        "limits": LIMITS,
        "page_limits": page_limits,
    }


def in_a_process(request):
    """The `Result` of one submission, from a process that may die or hang without harm to any other."""
    patience = LIMITS.total + 2 * LIMITS.seconds + 2 * pages.LIMITS.seconds + PATIENCE
    command = [sys.executable, "-m", worker.__name__]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    try:
        process = subprocess.Popen(command, cwd=PROJECT, start_new_session=True, **pipes)
    except OSError as error:
        return stopped(request, f"it could not start: {error}")
    try:
        out, trouble = process.communicate(pickle.dumps(request), timeout=patience)
        return as_result(json.loads(out))
    except subprocess.TimeoutExpired:
        trouble = f"it took longer than {patience} seconds"
    except (ValueError, LookupError, TypeError):
        trouble = f"exit code {process.returncode}; {trouble.decode(errors='replace').strip()[-300:]}"
    finally:
        _end(process)
    return stopped(request, trouble)


def stopped(request, trouble):
    flag = failures.FLAGS[failures.STOPPED].of(trouble=trouble)
    return Result(unread(request["assignment"], request["student"], STOPPED, flag), {}, None)


def _end(process):
    """End what is left of a worker and its jails, and take away its cgroup."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    for folder, _ in worker.group_folders(name=f"dpbook-{process.pid}"):
        try:
            folder.rmdir()
        except OSError:
            continue


def as_result(stored):
    """The `Result` whose fields these are, as JSON has them."""
    return Result([Score(**score) for score in stored["scores"]], stored["taken"], stored["page"])


def refusal(unsafe):
    """The sentence with which grading is refused here; "" if it may go on."""
    sentence = "" if unsafe else bubblewrap.trouble()
    return sentence and (
        f"Nothing was graded: {sentence}. Without it students' code would run with your rights on your files; "
        "--unsafe does that all the same."
    )
