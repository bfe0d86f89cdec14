"""A live figure: controls, an `update`, one picture.

A live figure keeps its artists. After each move it draws the ones that changed over a saved background, encodes the
pixels itself and hands them to ONE image widget. No figure is made twice and nothing flickers. The observers are
synchronous: a slider holds back its newer values until the last one is drawn, so the latest value wins. On a screen
of high density a finer picture follows once the slider rests.
"""

import asyncio
import contextlib
import html

import ipywidgets
import traitlets
from IPython.display import display

from livefig import browser
from livefig.controls import arranged, said
from livefig.corner import Corner
from livefig.drawing import Drawing
from livefig.names import what_went_wrong, with_names_of_now
from livefig.questions import Forgetful, Panel
from livefig.stored import SHARP, address, store

REST = 0.2  # seconds without a move, then the finer picture is drawn
FINEST = 3  # pixels a dot


class Picture(ipywidgets.Image):
    """An image widget whose tooltip becomes its accessible name (the browser side asks for an empty description).

    Its value is a data URL: the browser has it at once, where bytes, to which it gives an address of its own and asks
    itself for what is there, take 4 ms more.
    """

    description = traitlets.Unicode("").tag(sync=True)


class LiveFigure:
    """A figure that follows its `controls` (name -> widget; set `.value` to move it): `picture`, `error` ("" if none).

    `update(**values)` changes the artists of `fig` in place, and may return a line of text, shown under the picture;
    `alt` says what the picture shows to those who cannot see it. `questions` are asked before the controls may be
    moved, and `notes` remembers the answers. `task` (Markdown) is what to try first; `play` names a slider with a
    button to play it; `pair` names two controls that are moved together where there is no kernel. `note(**values)` is
    a line beside the controls, `elsewhere` what a stored picture says of other places where it moves. `shared` names a
    control that the reader may let move in all figures that have it.
    As the last expression of a cell it shows itself. Whatever `update` raises at the starting values is raised here;
    later it is shown under the picture. Raises ValueError for a name that is none of the controls.
    """

    def __init__(
        self,
        fig,
        update,
        alt,
        controls,
        questions=(),
        task="",
        play=None,
        pair=(),
        note=None,
        notes=None,
        elsewhere="",
        shared="",
    ):
        __tracebackhide__ = True
        self.fig, self.update, self.alt = fig, with_names_of_now(update), alt
        self.controls, self.task, self.play = controls, task, play
        if play is not None and play not in controls:
            raise ValueError(f"play must name one of the controls {list(controls)}, got {play!r}")
        self.pair = tuple(pair)
        if not set(self.pair) <= set(controls):
            raise ValueError(f"pair must name controls of the figure, {list(controls)}, got {pair!r}")
        questions = tuple(questions)
        for question in questions:
            if not set(question.at) <= set(controls):
                raise ValueError(f"a question must name controls of the figure, {list(controls)}, got {question.at!r}")
        self.error = self.caption = self._of = ""
        self.drawing, self._resting = Drawing.of(fig), None
        width, height = fig.canvas.get_width_height()
        self.picture = Picture(format="url", tooltip=alt, width=width, height=height)
        self.picture.layout.max_width = f"{width}px"
        self.page = browser.Page(names=[*controls], shared=shared if shared in controls else "")
        self.page.observe(self._on_another_screen, "ratio")
        self._below, self._elsewhere = ipywidgets.HTML(), elsewhere
        self._note, self._said_beside = (ipywidgets.HTML() if note else None), note
        for name, control in controls.items():
            control.description = control.description or name.replace("_", " ")
            control.observe(self._move, "value")
        self._follow()
        self.panel = Panel(questions, self, notes or Forgetful())
        self.corner = Corner(self)

    def _ipython_display_(self):
        if self.task:
            display({"text/markdown": f"**Try first:** {self.task}", "text/plain": self.task}, raw=True)
        store(self.drawing.rgba(SHARP), self.alt, self.caption, note=browser.stored_html(self._elsewhere))
        self.drawing.forget(SHARP)
        view = self._box()._repr_mimebundle_()
        view.pop("text/plain", None)
        display(view, raw=True)

    def _box(self):
        """The widget that the page shows, made anew for each place where it is shown."""
        parts = {
            "live-guess": self.panel,
            "live-controls": arranged(self.controls.values(), self.controls.get(self.play), self._note),
            "live-picture": self.picture,
            "live-below": self._below,
            "live-page": self.page,
        }
        for name, part in parts.items():
            part.add_class(name)
        return ipywidgets.VBox([*parts.values()]).add_class("live-figure")

    def _move(self, _=None):
        """Bring the picture up to the sliders; an error is shown beside it, where the reader looks."""
        try:
            self._follow()
        except Exception as error:
            self.error = what_went_wrong(error, self.update)
            self.page.stale = True
            words = f"{self.error} The picture is of {self._of}."
            self.say(f'<span class="live-error" role="alert">{html.escape(words)}</span>')
        self.page.drawn += 1

    def _follow(self):
        """The picture and the line under it as the controls stand."""
        __tracebackhide__ = True
        values = {name: control.value for name, control in self.controls.items()}
        self.caption = self.update(**values) or ""
        if self._note:
            self._note.value = self._said_beside(**values)
        self.picture.value = address(self.drawing.png())
        self._rest()
        self.error, self.page.stale = "", False
        self._of = ", ".join(f"{control.description} = {said(control, control.value)}" for control in self._told())
        self.say(html.escape(self.caption))

    def _told(self):
        """The controls whose value says something to a reader: not the number of a draw."""
        return [control for control in self.controls.values() if not isinstance(control, ipywidgets.Button)]

    def shot(self, values, ratio=1):
        """The figure at `values` (name -> value, one for each control) while its controls stay: pixels and caption.

        The pixels are an (height, width, 4) array, `ratio` of them for each of the figure's.
        """
        caption = self.update(**values) or ""
        return self.drawing.rgba(ratio).copy(), caption

    def say(self, words):
        self._below.value = f'<div data-of="{html.escape(self._of)}">{words}</div>'

    def _rest(self):
        """Draw the finer picture when nothing has moved for a while, where the screen has the pixels for it."""
        if self._resting is not None:
            self._resting.cancel()
            self._resting = None
        if self.page.ratio > 1:
            with contextlib.suppress(RuntimeError):  # nothing runs here later: nobody looks either
                self._resting = asyncio.get_running_loop().call_later(REST, self._finer)

    def _on_another_screen(self, change):
        self.drawing.forget(change.old)
        self._finer()

    def _finer(self):
        """The picture with as many pixels as the screen gives it."""
        self._resting = None
        if not self.error:
            self.picture.value = address(self.drawing.png(min(max(self.page.ratio, 1), FINEST)))
