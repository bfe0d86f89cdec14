"""Predict first: a question that a live figure asks before its controls may be moved.

They wait until the reader has guessed and said how sure, or has pressed *Skip*. Then they stand where the question
asked, and the truth beside the guess is what the figure itself says there. A question that was answered before is not
asked again: a reader's notes know (anything with `read` and `keep`, as `Forgetful` has them).
"""

import html
import math
import numbers
import re
from typing import NamedTuple

import ipywidgets
from IPython.display import display

from livefig.controls import plain, round_numbers
from livefig.names import what_went_wrong
from livefig.palette import ORANGE

SURE = (0.5, 0.7, 0.9, 0.99)
STYLED = f"border-left: 3px solid {ORANGE}; padding: 2px 0 2px 0.8em; margin: 2px 0"
LINE = {"width": "100%", "margin": "0"}


class Question(NamedTuple):
    """The text, the answers there may be, how the figure tells the truth, at which settings of its controls.

    `answers` are names, or (low, high) or (low, high, unit) for a number; `truth` is None (the one of the names that
    stands in what the figure says), a regular expression whose first group is the number, or a function of what it
    says; `words` is how a number is written.
    """

    text: str
    answers: tuple
    truth: object
    at: dict
    words: object = plain

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
            return abs(math.log(guess / truth)) <= math.log(2) * (1 + 1e-9) if 0 < truth < math.inf else False
        return abs(guess - truth) <= 0.1 * (self.answers[1] - self.answers[0]) * (1 + 1e-9)

    def tolerance(self):
        """The same in words; "" for a choice."""
        if not self.is_number:
            return ""
        width = 0.1 * (self.answers[1] - self.answers[0])
        return "right if within a factor of 2" if self.is_log else f"right if within {self.words(width)}{self.unit}"

    def say(self, answer):
        """An answer in words; one that was kept of another kind of question as it is."""
        is_number = self.is_number and isinstance(answer, numbers.Real)
        return f"{self.words(answer)}{self.unit}" if is_number else str(answer)

    def record(self, guess, sure, truth):
        """What is kept of an answer."""
        right = bool(self.is_right(guess, truth))
        return {"question": self.text, "guess": guess, "sure": sure, "truth": truth, "right": right}


class Forgetful:
    """Where nothing is kept: what `read` and `keep` of a reader's notes do, without the notes."""

    def read(self):
        """Question -> record, of all that were answered before."""
        return {}

    def keep(self, question, guess, sure, truth):
        """The record of an answer, after it was kept."""
        return question.record(guess, sure, truth)


class Panel(ipywidgets.VBox):
    """The questions of one live figure, one after another, above its sliders, which wait meanwhile."""

    def __init__(self, questions, figure, notes):
        self.questions, self.figure, self.notes = tuple(questions), figure, notes
        self.said = []
        super().__init__(layout={"margin": "0 0 4px 0", "flex_flow": "row wrap", "align_items": "center"})
        before = notes.read()
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
        self.field.add_class("live-field")
        buttons = [ipywidgets.Button(description=f"{sure:.0%} sure", layout={"width": "auto"}) for sure in SURE]
        skip = ipywidgets.Button(description="Skip", button_style="", layout={"width": "auto"}, tooltip="Do not guess")

        def pressed(sure):
            if self.open[:1] == [question]:  # a button that is pressed twice answers no other question
                self.skip() if sure is None else self.guess(self.field.value, sure)

        for button, sure in zip((*buttons, skip), (*SURE, None), strict=True):
            button.on_click(lambda _, sure=sure: pressed(sure))
        words = ipywidgets.HTML("I am ", layout={"margin": "2px 4px 2px 12px"})
        for part in (words, *buttons):
            part.add_class("live-sure")
        row = ipywidgets.HBox([words, *buttons, skip], layout={"flex_flow": "row wrap", "align_items": "center"})
        return [ipywidgets.HTML(text, layout=LINE), self.field, row]

    def guess(self, answer, sure):
        """What a press of *... sure* does: the figure goes where the question asks, and the truth is shown and kept.

        A figure that has no answer there, as its code was changed, says so and lets its sliders go.
        """
        if answer is None:
            return
        question = self.open.pop(0)
        try:
            said = _result(question, self.notes.keep(question, answer, sure, self.truth(question)))
        except Exception as error:
            said = html.escape(f"{question.text} There is no answer: {what_went_wrong(error, question.truth)}")
        self.said.append(said)
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
    """Where the answer is given: buttons for a choice; for a number a slider, which the page shows without a handle
    until the reader has touched it, so that it stands on no answer.
    """
    if not question.is_number:
        buttons = ipywidgets.ToggleButtons(options=question.answers, value=None, layout={"width": "max-content"})
        buttons.style.button_width, buttons.layout.flex_flow = "auto", "row wrap"
        return buttons
    low, high = question.answers[:2]
    look = {"description": question.unit.strip() or "your guess", "layout": {"width": "320px"}}
    if question.is_log:
        stops = [(question.words(number, 6), number) for number in round_numbers(low, high)]
        middle = stops[len(stops) // 2][1]
        field = ipywidgets.SelectionSlider(options=stops, value=middle, **look)
        return field.add_class("live-stops").add_class("live-unset")
    step, decimals = (1, ".0f") if high - low >= 50 else ((high - low) / 50, ".3g")
    ends = {"min": low, "max": high, "step": step}
    return ipywidgets.FloatSlider(value=(low + high) / 2, **ends, **look, readout_format=decimals).add_class(
        "live-unset"
    )


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
