"""Predict first: a question that a live figure asks before its sliders move, the reader's own file, how sure is sure.

`predict` makes a `Question`; `live(..., guess=predict(...))` puts it above the sliders, which wait until the reader has
guessed and said how sure, or has pressed *Skip*. Then they stand where the question asked, and the truth beside the
guess is what the figure itself says there. A question that was answered before is not asked again.

What was guessed stays in one file of the reader's own, one line of JSON each: `.dpbook-guesses.jsonl` in the home
folder, or the file that the environment variable DPBOOK_GUESSES names. Nothing is sent anywhere. Delete it to begin
anew. So does the record that the reader picked to be (`own_record`), one for all pages. Pages are built and tested with
a file that is empty.
"""

import json
import math
import os
import pathlib
import re

from dpbook import arguments
from dpbook.amounts import amount
from livefig.questions import Question, Unstored

FIRST = 420  # whom the reader is before a pick


def predict(text, answers, truth=None, **at):
    """A question for `live(..., guess=...)`: what will the figure say with its controls at `at`?

    `answers` is a list of names, or `(low, high)` or `(low, high, unit)` for a number. The truth is never typed: it is
    read from the caption that the figure's update returns at these settings (its other controls where they are).
    `truth` is a regular expression whose first group is the number; or a function of the caption that returns the
    answer; None: the one of the names that stands in the caption. Raises ValueError for fewer than two names, numbers
    that are not low < high, or a number without `truth`.
    """
    question = Question(text, tuple(answers), truth, at, amount)
    if len(question.answers) < 2 or (question.is_number and not question.answers[0] < question.answers[1]):
        raise ValueError(f"answers must be two names or more, or low < high, got {answers!r}")
    if question.is_number and truth is None:
        raise ValueError(f"a number needs its truth, how it is read from the caption, got None for {text!r}")
    return question


def numbers(caption):
    """All numbers in a line of text, in order: for a `truth` that compares or counts them."""
    text = caption.replace("−", "-")
    return [float(word.replace(",", "")) for word in re.findall(r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?", text)]


def file():
    """Where the reader's guesses are kept."""
    return pathlib.Path(os.environ.get("DPBOOK_GUESSES") or pathlib.Path.home() / ".dpbook-guesses.jsonl")


def read():
    """All guesses so far, question -> record, the first guess of each; none where there is no file yet."""
    kept = {}
    for record in _lines():
        try:
            given = {name: record[name] for name in ("question", "guess", "truth")}
            given |= {"sure": float(record["sure"]), "right": bool(record["right"])}
            given["page"] = str(record.get("page", ""))
        except (ValueError, TypeError, KeyError):
            continue  # a record picked, or not ours
        if isinstance(given["question"], str) and None not in given.values() and 0 <= given["sure"] <= 1:
            kept.setdefault(given["question"], given)
    return kept


def _lines():
    """What the lines of the reader's file hold, in order; nothing where there is no file yet."""
    try:
        lines = file().read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:
            continue  # half a line


def keep(question, guess, sure, truth):
    """Add one guess to the reader's file and return its record; False where the file cannot be written."""
    page = pathlib.Path(os.environ.get("JPY_SESSION_NAME", "")).stem
    record = question.record(guess, sure, truth) | {"page": page}
    return record if _add(record) else record | {"kept": False}


def _add(record):
    """Write one line more, after half a line on one of its own; whether that could be done."""
    try:
        with open(file(), "ab+") as lines:
            lines.seek(max(lines.tell() - 1, 0))
            begun = lines.read() not in (b"", b"\n")
            lines.write(b"\n" * begun + json.dumps(record).encode() + b"\n")
    except OSError:
        return False
    return True


def own_record(people, pick=None):
    """Which of `people` records is the reader: the one that was picked last, on whatever page; FIRST until then.

    With `pick`, a whole number from 0 to people - 1, it is that one, now and later, for the reader's file keeps it. A
    number kept there that these people do not have is ignored. Raises ValueError for a pick that is none of them.
    """
    people = arguments.whole("people", people, 1)
    if pick is not None:
        pick = arguments.whole("pick", pick, 0, people - 1)
        _add({"own record": pick})
        return pick
    picked = [line["own record"] for line in _lines() if isinstance(line, dict) and "own record" in line]
    there = [one for one in picked if type(one) is int and 0 <= one < people]
    return there[-1] if there else min(FIRST, people - 1)


def calibration():
    """How sure the reader was and how often right, over every page read so far: a widget, so no page stores it."""
    records = list(read().values())
    if not records:
        return Unstored("No guesses yet: answer a <i>Guess first</i> above a figure, then run this again.")
    rows = []
    for sure in sorted({record["sure"] for record in records}):
        right = [record["right"] for record in records if record["sure"] == sure]
        rows.append((f"{sure:.0%}", len(right), f"{sum(right)} = {sum(right) / len(right):.0%}"))
    said, true = (sum(float(record[name]) for record in records) / len(records) for name in ("sure", "right"))
    pages = len({record.get("page", "") for record in records})
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    number = f"{len(records)} guess{'es' * (len(records) > 1)} on {pages} page{'s' * (pages > 1)}"
    return Unstored(
        f"<table><tr><th>you said</th><th>guesses</th><th>of them right</th></tr>{body}</table>"
        f"<p>{number}: {said:.0%} sure on average, right {true:.0%} of the time. "
        f"{_verdict(said, true, len(records))}</p>"
    )


def _verdict(said, true, number):
    """Whether the gap between sure and right is more than luck: two standard deviations of a coin thrown so often."""
    if abs(said - true) <= 2 * math.sqrt(said * (1 - said) / number):
        return "That is as well calibrated as so few guesses can tell."
    return "You were surer than you were right." if said > true else "You knew more than you said."
