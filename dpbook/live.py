"""Sliders to one picture: `live` turns a figure and a plain function into a live figure. The only room with widgets.

A live figure keeps its artists. After each move it draws the ones that changed over a saved background, encodes the
pixels itself and hands them to ONE image widget. No figure is made twice and nothing flickers. The observers are
synchronous: a slider holds back its newer values until the last one is drawn, so the latest value wins.
"""

import base64
import html
import inspect
import math
import numbers
import struct
import zlib

import ipywidgets
import numpy as np
import traitlets
from IPython.display import display
from matplotlib.axis import Axis
from matplotlib.spines import Spine
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from dpbook.guesses import Panel, Question
from dpbook.plots import show

# Where the widget lives, the stored picture and its caption before it step back.
STYLE = """<style>
.jp-OutputArea-child:has(+ .jp-OutputArea-child .live-figure),
.jp-OutputArea-child:has(+ .jp-OutputArea-child + .jp-OutputArea-child .live-figure) { display: none; }
.live-figure .noUi-handle:focus-visible { outline: 3px solid #0072B2; outline-offset: 1px; }
.live-error { color: #B00020; font-weight: bold; }
</style>"""

LISTING = "border-left: 3px solid #0072B2; padding-left: 0.8em; overflow-x: auto; font-size: 0.92em"
WIDE = {"description_width": "initial"}


def log_slider(low, high, start, label=None):
    """A slider over positive floats, even on a log scale, about twenty steps a decade: the one for epsilon.

    The steps are fitted so that `low`, `start` and, to within a step, `high` lie on them: the browser moves a value
    that is off the grid.
    """
    below = math.log10(start / low)
    step = below / max(1, round(20 * below)) if below > 0 else 0.05
    steps_above = math.floor(math.log10(high / start) / step + 1e-9)
    ends = {"min": math.log10(low), "max": math.log10(start) + steps_above * step, "step": step}
    return ipywidgets.FloatLogSlider(value=start, **ends, readout_format=".3g", **_look(label))


def slider(low, high, start, step=1, label=None):
    """A slider from `low` to `high`: whole numbers if all of low, high, start, step are whole, else floats."""
    ends = {"min": low, "max": high, "step": step}
    if all(isinstance(number, numbers.Integral) for number in (low, high, start, step)):
        return ipywidgets.IntSlider(value=start, **ends, **_look(label))
    return ipywidgets.FloatSlider(value=start, **ends, readout_format=".3g", **_look(label))


def choice(options, start, label=None):
    """One of several: a slider over an ordered list of numbers; buttons for a list of names or a dict name -> value."""
    if not isinstance(options, dict) and all(isinstance(option, numbers.Real) for option in options):
        return ipywidgets.SelectionSlider(options=[(f"{o:,g}", o) for o in options], value=start, **_look(label))
    buttons = ipywidgets.ToggleButtons(options=options, value=start, **_look(label, width="max-content"))
    buttons.style.button_width, buttons.layout.flex_flow = "auto", "row nowrap"
    return buttons


def switch(start, label=None):
    """On or off."""
    return ipywidgets.Checkbox(value=start, indent=False, **_look(label, width="auto"))


def span(low, high, start, label=None):
    """Two handles on a range of whole numbers; the value is the pair (left, right)."""
    return ipywidgets.IntRangeSlider(value=start, min=low, max=high, **_look(label, width="560px"))


class NoiseButton(ipywidgets.Button):
    """A button whose value, a seed, grows by one with each press."""

    value = traitlets.Int()


def new_noise(seed, label="New noise", icon="refresh"):
    """A button that draws new noise; its value is the seed that the figure hands to its generator."""
    button = NoiseButton(description=label, value=seed, icon=icon, layout={"width": "auto"})

    def press(_):
        button.value += 1

    button.on_click(press)
    return button


def _look(label, width="340px"):
    return {"description": label or "", "style": WIDE, "layout": {"width": width, "margin": "2px 16px 2px 2px"}}


class Picture(ipywidgets.Image):
    """An image widget whose tooltip becomes its accessible name (the browser side asks for an empty description).

    Its value is a data URL: the browser has it at once, where bytes, to which it gives an address of its own and asks
    itself for what is there, take 4 ms more.
    """

    description = traitlets.Unicode("").tag(sync=True)


class LiveFigure:
    """What `live` returns: `controls` (name -> widget; set `.value` to move it), `picture`, `error` ("" if none)."""

    def __init__(self, fig, update, alt, controls, questions=(), task="", pair=()):
        self.fig, self.update, self.alt, self.controls, self.task = fig, update, alt, controls, task
        self.pair, self._ratio = tuple(pair), 1
        if not set(self.pair) <= set(controls):
            raise ValueError(f"pair must name controls of the figure, {list(controls)}, got {pair!r}")
        self.error = self.caption = ""
        self._moving, self._background = set(), None
        self._fit()
        width, height = fig.canvas.get_width_height()
        size = {"width": f"{width}px", "height": f"{height}px", "min_height": f"{height}px"}
        self.picture = Picture(format="url", tooltip=alt, layout=size | {"max_width": "none"})
        self._below, self._odds = ipywidgets.HTML(), ipywidgets.HTML()
        for name, control in controls.items():
            control.description = control.description or name.replace("_", " ")
            control.observe(self._move, "value")
        self._promises = "epsilon" in controls and controls["epsilon"].description.startswith(("epsilon", "ε"))
        self._move()
        self.panel = Panel(questions, self)

    def _ipython_display_(self):
        if self.error:
            raise ValueError(self.error)
        if self.task:
            display({"text/markdown": f"**Try first:** {self.task}", "text/plain": self.task}, raw=True)
        show(self.fig, self.alt, self.caption)
        controls = [*self.controls.values(), *([self._odds] if self._promises else [])]
        row = ipywidgets.HBox(controls, layout={"flex_flow": "row wrap", "align_items": "center"})
        style = ipywidgets.HTML(STYLE, layout={"display": "contents"})
        box = ipywidgets.VBox([style, self.panel, row, self.picture, self._below])
        box.add_class("live-figure")
        view = box._repr_mimebundle_()
        view.pop("text/plain", None)
        display(view, raw=True)

    def _move(self, _=None):
        """Bring the picture up to the sliders; an error is shown beside it, where the reader looks."""
        try:
            values = {name: control.value for name, control in self.controls.items()}
            self.caption = self.update(**values) or ""
            self._odds.value = odds(**values) if self._promises else ""
            self.picture.value = b"data:image/png;base64," + base64.b64encode(self._draw())
            self.error, below = "", html.escape(self.caption)
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"
            below = f'<span class="live-error" role="alert">{html.escape(self.error)}</span>'
        self._below.value = f'<div aria-live="polite">{below}</div>'

    def shot(self, values, ratio=1):
        """The figure at `values` (name -> value, one for each control) while its controls stay: pixels and caption.

        The pixels are an (height, width, 4) array, `ratio` of them for each of the figure's.
        """
        if ratio != self._ratio:
            self.fig.set_dpi(self.fig.get_dpi() * ratio / self._ratio)
            self._ratio, self._background = ratio, None
        caption = self.update(**values) or ""
        self._draw()
        return np.asarray(self.fig.canvas.buffer_rgba()).copy(), caption

    def _fit(self):
        """Lay the figure out once; afterwards nothing jumps."""
        self.fig.canvas.draw()
        self.fig.set_layout_engine("none")

    def _draw(self):
        """The figure as PNG bytes, drawing again only what changed since the last time."""
        canvas = self.fig.canvas
        changed = {artist for artist, _ in self._artists() if artist.stale}
        if self._background is None or not changed <= self._moving:
            self._moving |= {artist for artist in changed if not isinstance(artist, (Axis, Spine))}
            for artist in self._layer():
                artist.set_animated(True)
            canvas.draw()
            for artist, _ in self._artists():
                artist.stale = False
            self._background = canvas.copy_from_bbox(self.fig.bbox)
        canvas.restore_region(self._background)
        for artist in self._layer():
            artist.draw(canvas.get_renderer())
        for artist in self._moving:
            artist.stale = False
        return png(np.asarray(canvas.buffer_rgba()))

    def _artists(self):
        """Every artist with the number of the part (an axes, or the figure itself) that holds it."""
        parts = [*(ax.get_children() for ax in self.fig.axes), [*self.fig.texts, *self.fig.legends]]
        paper = {ax.patch for ax in self.fig.axes}
        return [(artist, part) for part, artists in enumerate(parts) for artist in artists if artist not in paper]

    def _layer(self):
        """The moving artists and, in each part, what lies above them (a legend, a label), from back to front."""
        layer, covered = [], set()
        for artist, part in sorted(self._artists(), key=lambda pair: (pair[1], pair[0].zorder)):
            if artist in self._moving:
                covered.add(part)
            if part in covered and not isinstance(artist, (Axis, Spine)):
                layer.append(artist)
        return layer


def odds(epsilon, delta=0, **_):
    """What epsilon means, in a line: the best guess between two neighbours who seemed equally likely."""
    most = (1 + delta * math.exp(-epsilon)) / (1 + math.exp(-epsilon))
    return f"<small>promised: at even odds a guess is right at most {100 * min(most, 1):.3g} % of the time</small>"


def live(fig, update, alt, guess=(), task="", pair=(), **controls):
    """A live figure: `update(**values)` is called with the controls' values and changes the artists of `fig` in place.

    `fig` comes from `plots.figure` with its artists made; `update` only sets data, text or limits, and may return a
    line of text, shown under the picture. It reads the names of its cell when it runs: give each figure's artists
    names of their own. A legend beside the axes (`fig.legend(loc="outside upper center")`) is drawn once, one inside
    again over whatever moves. `alt` says what the picture shows to those who cannot see it. `controls` are
    `log_slider`, `slider`, `choice`, `switch`, `span`, `new_noise` (or any widget with a `value`). Beside one that is
    called `epsilon` (with `delta`, if there) stands what it promises, unless its label says that it is no promise.
    `task` (Markdown) is what to try first; it stands over the controls, in the stored page too. `pair` names the two
    controls that can be moved together where there is no kernel (`dpbook.film`); by default epsilon and the next one.
    `guess` is a question of `guesses.predict`, or several: the controls wait for the reader's answer. As the last
    expression of a cell it shows itself: a picture that is stored with the page, and over it the live one.
    Raises ValueError, when shown, if `update` fails at the starting values.
    """
    return LiveFigure(fig, update, alt, controls, [guess] if isinstance(guess, Question) else guess, task, pair)


def png(rgba):
    """PNG bytes of an (height, width, 4) array of 8-bit pixels: fastest first, not smallest."""
    height, width = rgba.shape[:2]
    rows = np.zeros((height, 1 + 4 * width), dtype=np.uint8)  # each row begins with a 0: no filter
    rows[:, 1:] = rgba.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )


def show_source(function):
    """The source of a function or class of the book as a highlighted listing in the page."""
    listing = HtmlFormatter(noclasses=True, nobackground=True, cssstyles=LISTING)
    source = inspect.getsource(function)
    display({"text/html": highlight(source, PythonLexer(), listing), "text/plain": source}, raw=True)
