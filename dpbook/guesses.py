"""Predict first: a question that a live figure asks before its sliders move, the reader's own file, how sure is sure.

`predict` makes a `Question`; `live(..., guess=predict(...))` puts it above the sliders, which wait until the reader has
guessed and said how sure, or has pressed *Skip*. Then they stand where the question asked, and the truth beside the
guess is what the figure itself says there. A question that was answered before is not asked again.

What was guessed stays in one file of the reader's own, one line of JSON each: `.dpbook-guesses.jsonl` in the home
folder, or the file that the environment variable DPBOOK_GUESSES names. Nothing is sent anywhere. Delete it to begin
anew. So does the record that the reader picked to be (`own_record`), one for all pages. Pages are built and tested with
a file that is empty.
"""

import html
import json
import math
import os
import pathlib
import re
from typing import NamedTuple

import ipywidgets
from IPython.display import display

from dpbook import arguments
from dpbook.amounts import amount, round_numbers

SURE = (0.5, 0.7, 0.9, 0.99)
FIRST = 420  # whom the reader is before a pick
STYLED = "border-left: 3px solid #E69F00; padding: 2px 0 2px 0.8em; margin: 2px 0"
LINE = {"width": "100%", "margin": "0"}


class Question(NamedTuple):
    """What `predict` makes: the text, the answers there may be, how the figure tells the truth, at which settings."""

    text: str
    answers: tuple
    truth: object
    at: dict

    @property
    def is_number(self):
        return not isinstance(self.answers[0], str)

    @property
    def is_log(self):
        """Whether the answers are spread over so much that factors count, not differences."""
        return self.is_number and 0 < 100 * self.answers[0] <= self.answers[1]

    @property
    def unit(self):
        return self.answers[2] if self.is_number and len(self.answers) > 2 else ""

    def read(self, caption):
        """The true answer, from what the figure says at the settings of the question."""
        if callable(self.truth):
            return self.truth(caption)
        if self.is_number:
            found = re.search(self.truth, caption)
            if not found:
                raise ValueError(f"the figure says nothing like {self.truth!r}: {caption!r}")
            return float(found[1].replace(",", ""))
        named = [answer for answer in self.answers if answer in caption]
        if len(named) != 1:
            raise ValueError(f"the figure must name one of {self.answers}, not {named}: {caption!r}")
        return named[0]

    def allows(self, truth):
        """Whether a reader can give this answer."""
        return self.answers[0] <= truth <= self.answers[1] if self.is_number else truth in self.answers

    def is_right(self, guess, truth):
        """A choice: the same. A number: within a factor of 2 on a log scale, else within a tenth of the scale."""
        if not self.is_number:
            return guess == truth
        if self.is_log:
            return abs(math.log(guess / truth)) <= math.log(2) * (1 + 1e-9) if truth > 0 else False
        return abs(guess - truth) <= 0.1 * (self.answers[1] - self.answers[0]) * (1 + 1e-9)

    def tolerance(self):
        """The same in words; "" for a choice."""
        if not self.is_number:
            return ""
        width = 0.1 * (self.answers[1] - self.answers[0])
        return "right if within a factor of 2" if self.is_log else f"right if within {amount(width)}{self.unit}"

    def say(self, answer):
        return f"{amount(answer)}{self.unit}" if self.is_number else str(answer)


def predict(text, answers, truth=None, **at):
    """A question for `live(..., guess=...)`: what will the figure say with its controls at `at`?

    `answers` is a list of names, or `(low, high)` or `(low, high, unit)` for a number. The truth is never typed: it is
    read from the caption that the figure's update returns at these settings (its other controls where they are).
    `truth` is a regular expression whose first group is the number; or a function of the caption that returns the
    answer; None: the one of the names that stands in the caption. Raises ValueError for fewer than two names, numbers
    that are not low < high, or a number without `truth`.
    """
    question = Question(text, tuple(answers), truth, at)
    if len(question.answers) < 2 or (question.is_number and not question.answers[0] < question.answers[1]):
        raise ValueError(f"answers must be two names or more, or low < high, got {answers!r}")
    if question.is_number and truth is None:
        raise ValueError(f"a number needs its truth, how it is read from the caption, got None for {text!r}")
    return question


def numbers(caption):
    """All numbers in a line of text, in order: for a `truth` that compares or counts them."""
    return [float(word.replace(",", "")) for word in re.findall(r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?", caption)]


def file():
    """Where the reader's guesses are kept."""
    return pathlib.Path(os.environ.get("DPBOOK_GUESSES") or pathlib.Path.home() / ".dpbook-guesses.jsonl")


def read():
    """All guesses so far, question -> record, the first guess of each; none where there is no file yet."""
    kept = {}
    for record in _lines():
        try:
            record["right"], record["sure"] = bool(record["right"]), float(record["sure"])
            kept.setdefault(record["question"], record)
        except (ValueError, TypeError, KeyError):
            continue  # a record picked, or not ours
    return kept


def _lines():
    """What the lines of the reader's file hold, in order; nothing where there is no file yet."""
    try:
        lines = file().read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:
            continue  # half a line


def keep(question, guess, sure, truth):
    """Add one guess to the reader's file and return its record; False in place of a file that cannot be written."""
    page = pathlib.Path(os.environ.get("JPY_SESSION_NAME", "")).stem
    right = bool(question.is_right(guess, truth))
    record = {"question": question.text, "page": page, "guess": guess, "sure": sure, "truth": truth, "right": right}
    return record if _add(record) else record | {"kept": False}


def _add(record):
    """Write one line more; whether that could be done."""
    try:
        with open(file(), "a", encoding="utf-8") as lines:
            lines.write(json.dumps(record) + "\n")
    except OSError:
        return False
    return True


def own_record(people, pick=None):
    """Which of `people` records is the reader: the one that was picked last, on whatever page; FIRST until then.

    With `pick`, a whole number from 0 to people - 1, that one from now on: it is kept in the reader's file. A number
    kept there that these people do not have counts for nothing. Raises ValueError for a pick that is none of them.
    """
    people = arguments.whole("people", people, 1)
    if pick is not None:
        pick = arguments.whole("pick", pick, 0, people - 1)
        _add({"own record": pick})
        return pick
    picked = [line["own record"] for line in _lines() if isinstance(line, dict) and "own record" in line]
    there = [one for one in picked if type(one) is int and 0 <= one < people]
    return there[-1] if there else min(FIRST, people - 1)


class Panel(ipywidgets.VBox):
    """The questions of one live figure, one after another, above its sliders, which wait meanwhile."""

    def __init__(self, questions, figure):
        self.questions, self.figure = tuple(questions), figure
        self.said = []
        super().__init__(layout={"margin": "0 0 4px 0", "flex_flow": "row wrap", "align_items": "center"})
        before = read()
        self.open = [question for question in self.questions if question.text not in before]
        for question in self.questions:
            if question.text in before:
                self.said.append(_result(question, before[question.text]))
        self._next()

    def _next(self):
        """Ask what is open; when nothing is, let the sliders go."""
        for control in self.figure.controls.values():
            control.disabled = bool(self.open)
        said = '<div class="guess-result" style="{}" aria-live="polite">{}</div>'
        rows = [ipywidgets.HTML(said.format(STYLED, words), layout=LINE) for words in self.said]
        if self.open:
            rows += self._form(self.open[0])
        self.children = rows

    def _form(self, question):
        """The widgets of one question."""
        note = f" <i>({question.tolerance()})</i>" if question.is_number else ""
        text = f'<div class="guess-first" style="{STYLED}"><b>Guess first.</b> {html.escape(question.text)}{note}</div>'
        self.field = _field(question)
        buttons = [ipywidgets.Button(description=f"{sure:.0%} sure", layout={"width": "auto"}) for sure in SURE]
        for button, sure in zip(buttons, SURE, strict=True):
            button.on_click(lambda _, sure=sure: self.guess(self.field.value, sure))
        skip = ipywidgets.Button(description="Skip", button_style="", layout={"width": "auto"}, tooltip="Do not guess")
        skip.on_click(lambda _: self.skip())
        words = ipywidgets.HTML("I am ", layout={"margin": "2px 4px 2px 12px"})
        row = ipywidgets.HBox([words, *buttons, skip], layout={"flex_flow": "row wrap", "align_items": "center"})
        return [ipywidgets.HTML(text, layout=LINE), self.field, row]

    def guess(self, answer, sure):
        """What a press of *... sure* does: the figure goes where the question asks, and the truth is shown and kept."""
        if answer is None:
            return
        question = self.open.pop(0)
        record = keep(question, answer, sure, self.truth(question))
        self.said.append(_result(question, record))
        self._next()

    def skip(self):
        self.open.pop(0)
        self._next()

    def truth(self, question):
        """Move the controls to the question's settings and read the truth from the figure."""
        for name, value in question.at.items():
            self.figure.controls[name].value = value
        return question.read(self.figure.caption)


def _field(question):
    """Where the answer is given: a slider for a number, buttons for a choice."""
    if not question.is_number:
        buttons = ipywidgets.ToggleButtons(options=question.answers, value=None, layout={"width": "max-content"})
        buttons.style.button_width, buttons.layout.flex_flow = "auto", "row wrap"
        return buttons
    low, high = question.answers[:2]
    look = {"description": question.unit.strip() or "your guess", "layout": {"width": "320px"}}
    if question.is_log:
        stops = [(amount(number, 6), number) for number in round_numbers(low, high)]
        middle = stops[len(stops) // 2][1]
        return ipywidgets.SelectionSlider(options=stops, value=middle, **look).add_class("live-stops")
    step, decimals = (1, ".0f") if high - low >= 50 else ((high - low) / 50, ".3g")
    ends = {"min": low, "max": high, "step": step}
    return ipywidgets.FloatSlider(value=(low + high) / 2, **ends, **look, readout_format=decimals)


def _result(question, record):
    """Guess and truth side by side, in words."""
    verdict = "right" if record["right"] else "wrong"
    words = f"{question.text} You said {question.say(record['guess'])}, {record['sure']:.0%} sure; "
    words += f"the figure says {question.say(record['truth'])}: {verdict}."
    return html.escape(words) + ("" if record.get("kept", True) else " <i>(not kept: the file cannot be written)</i>")


class Unstored(ipywidgets.HTML):
    """Text for the reader alone: shown without the words that a page would store in a widget's place."""

    def _ipython_display_(self):
        view = self._repr_mimebundle_()
        view.pop("text/plain", None)
        display(view, raw=True)


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
