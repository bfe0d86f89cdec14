"""What is taken from a submitted file: the answers by their ids, as text, and nothing else.

The file is read in the jail, which bounds what a file can cost whoever reads it. Outputs, metadata and cells of a
student's own are left behind. Cells with the same id, as copying or splitting one makes them, are one answer, in
their order. The page that nbgrader and the reader get is made anew, of the release and these answers; an explanation
stands on it as it was typed, letter by letter, so that no link, image or script of a student's is left in it.
"""

import json
import os
from dataclasses import dataclass

from tools.classroom import assignments, failures, jail

LARGEST = 100 * 2**20  # bytes of a submitted notebook, with its outputs
LIMITS = jail.Limits(seconds=20, megabytes=2048)
ANSWER, EXPLANATION = 100_000, 20_000  # characters
NOT_TAKEN = "# This answer was too long to be taken."
PLAIN = frozenset(" abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")


class Unreadable(Exception):
    """A submission, or an answer in it, that cannot be taken from the file; the message says why."""


@dataclass(frozen=True)
class Submission:
    """The texts of the answers that were found, by the task's name, and for the others why there is none."""

    texts: dict
    troubles: dict


def read(assignment, path, unsafe=False):
    """The `Submission` in the file at `path`; `Unreadable`, with what to do, if it is no notebook or too large."""
    most = {task.name: ANSWER if task.check else EXPLANATION for task in assignment.tasks}
    found = pieces(path, most, unsafe)
    texts, troubles = {}, {}
    for task in assignment.tasks:
        written = [text for kind, text in found[task.name] if kind == "code" or not task.check]
        written = _own(written, assignments.stub(task))
        text = ("\n" if task.check else "\n\n").join(written)
        if not written:
            troubles[task.name] = failures.NO_CELL.of(name=task.name)
        elif len(text) > most[task.name]:
            troubles[task.name] = failures.TOO_LONG.of(most=most[task.name])
        else:
            texts[task.name] = text
    return Submission(texts, troubles)


def pieces(path, most, unsafe):
    """For each id in `most`, the kinds and texts of its cells, read in the jail; raises `Unreadable`."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            notebook = file.read(LARGEST + 1)
        if len(notebook) > LARGEST:
            raise Unreadable(failures.TOO_LARGE)
        request = {"notebook": notebook, "most": most}
    except OSError as error:
        raise Unreadable(failures.NO_FILE.of(why=error.strerror)) from None
    written, code, late = jail.run(request, 7 * 4 * sum(most.values()) + 10_000, LIMITS, unsafe)
    if late or code in (-24, 128 + 24, -9, 128 + 9, jail.MEMORY):
        raise Unreadable(failures.TOO_LARGE)
    try:
        found = json.loads(written)
        return {name: [(str(kind), str(text)) for kind, text in found[name]] for name in most}
    except (ValueError, LookupError, TypeError, RecursionError):
        raise Unreadable(failures.UNREADABLE) from None


def _own(written, stub):
    """The pieces of an answer, without copies and, unless it is all there is, without what the release had."""
    written = list(dict.fromkeys(written))
    return [piece for piece in written if piece.strip() != stub.strip()] or written[:1]


def answered(task, text):
    """Whether the text is more than what the release had."""
    return bool(text.strip()) and text.strip() != assignments.stub(task).strip()


def page(assignment, submission):
    """The notebook of the release with the answers of a submission, for nbgrader and for its readers."""
    import nbformat

    notebook, shown = assignments.release(assignment.source), _shown(assignment, submission)
    for cell in notebook.cells:
        cell.source = shown.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
    nbformat.validate(notebook)
    return notebook


def code(assignment, release, submission):
    """The code of that page, cell by cell, where `release` is the code of the release (`assignments.code`)."""
    shown = _shown(assignment, submission)
    return [shown.get(name, source) for name, source in release]


def _shown(assignment, submission):
    """What stands in the cells of answers, by their ids, where it is not what the release has."""
    shown = {name: NOT_TAKEN for name, trouble in submission.troubles.items() if "longer" in trouble}
    for task in assignment.tasks:
        text = submission.texts.get(task.name, "")
        if answered(task, text):
            shown[task.name] = text if task.check else as_typed(text)
    return shown


def as_typed(text):
    """A text as HTML that shows it as it was typed: whatever is no letter, digit or blank is a character reference.

    So neither Markdown, nor HTML, nor MathJax (which passes over this class) finds anything to follow in it.
    """
    shown = "".join(letter if letter in PLAIN or letter > "\x7f" else f"&#{ord(letter)};" for letter in text.strip())
    shown = shown.replace("&#13;", "").replace("&#10;", "<br>")
    return f'<div class="tex2jax_ignore mathjax_ignore" style="white-space: pre-wrap">{shown}</div>'
