"""What the corner of a figure and the links of its page ask for: move, go back, pin, save, move together.

The page sends a message, and what is done here is what a reader would do by hand.
"""

import asyncio
import contextlib
import html
import math
import sys
import weakref

from livefig.controls import put, stops_of
from livefig.stored import SHARP, address, small_png

REST = 0.2  # seconds without a move, then the other figures follow
LIVING = weakref.WeakValueDictionary()  # the newest figure of each description


class Corner:
    """Hears the page of a live figure. It knows where the controls stood when the figure was made."""

    def __init__(self, figure):
        self.figure, self.page = figure, figure.page
        self.starts = {name: control.value for name, control in figure.controls.items()}
        self._later, self._follows = None, False
        LIVING[figure.alt] = figure
        self.page.on_msg(self._heard)
        if self.page.shared:
            figure.controls[self.page.shared].observe(self._moved, "value")

    def _heard(self, page, content, buffers):
        kind = content.get("kind")
        if kind == "move":
            self.move(content["values"])
        elif kind == "reset":
            self.reset()
        elif kind == "pin":
            self.pin()
        elif kind == "save":
            self.page.send({"kind": "saved", "format": content["format"]}, buffers=[self.saved(content["format"])])
        elif kind == "together":
            self.together(content["on"])

    def move(self, values):
        """Move controls to what a link says: name -> words. What cannot be is said under the picture."""
        for name, words in values.items():
            try:
                put(self.figure.controls[name], words)
            except ValueError as error:
                self.figure.say(f'<span class="live-error" role="alert">{html.escape(str(error))}</span>')
                return

    def reset(self):
        """All controls where they stood when the figure was made."""
        for name, value in self.starts.items():
            self.figure.controls[name].value = value

    def pin(self):
        """Keep what moves, as it is now, under what comes; a second time: let it go."""
        if self.page.pinned:
            self.page.pinned = ""
            return
        self.page.pinned = address(small_png(self.figure.drawing.ghost(SHARP))).decode()

    def saved(self, form):
        """The picture as a file's bytes: svg, or png at twice the size."""
        drawing = self.figure.drawing
        if form == "svg":
            return drawing.svg()
        picture = small_png(drawing.rgba(SHARP))
        drawing.forget(SHARP)
        return picture

    def together(self, on):
        """Let the shared control move in all figures that have it, or each by itself again."""
        for other in self._others():
            other.page.together = on
        self.page.together = on
        if on:
            self._share()

    def _others(self):
        """The figures that have the shared control too."""
        return [one for one in LIVING.values() if one is not self.figure and one.page.shared == self.page.shared]

    def _moved(self, _=None):
        """Another value: when it has rested for a moment, the other figures get it."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        if self.page.together and not self._follows:
            try:
                self._later = asyncio.get_running_loop().call_later(REST, self._share)
            except RuntimeError:  # nothing runs here later
                self._share()

    def _share(self):
        self._later = None
        for other in self._others():
            if not other.panel.open:  # one that waits for a guess does not give its answer away
                other.corner.follow(self.figure.controls[self.page.shared].value)

    def follow(self, value):
        """Take the shared control where another figure's went, or as near as it can go; the others are not told."""
        control = self.figure.controls[self.page.shared]
        self._follows = True
        with contextlib.suppress(ValueError):  # buttons with names know no nearest
            control.value = min(stops_of(control), key=lambda stop: _apart(stop, value))
        self._follows = False


def _apart(one, other):
    """How far apart two numbers are: by their ratio where they have one. To infinity the largest is the nearest."""
    one, other = (min(number, sys.float_info.max) for number in (one, other))
    return abs(math.log(one) - math.log(other)) if one > 0 and other > 0 else abs(one - other)
