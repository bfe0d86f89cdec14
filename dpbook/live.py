"""The door to live figures: `live` turns a figure and a plain function into one that moves.

`livefig` makes what moves and what is drawn. This module adds the book's part: how numbers are written, what a slider
for epsilon guarantees, and the file of a reader's guesses.
"""

import math
import re

from dpbook import guesses
from dpbook.amounts import amount, percent
from livefig import controls as kinds
from livefig.controls import NumberSlider, slider, span, switch
from livefig.controls import SeedButton as NoiseButton
from livefig.drawing import png
from livefig.figure import LiveFigure
from livefig.listing import show_source
from livefig.questions import Question

__all__ = [
    "LiveFigure",
    "NoiseButton",
    "NumberSlider",
    "choice",
    "live",
    "log_slider",
    "new_noise",
    "odds",
    "png",
    "show_source",
    "slider",
    "span",
    "switch",
]

SELDOM = 1e-11  # a chance to be wrong that is smaller is said as this one: 100% is for where nothing is guaranteed
ELSEWHERE = " On the book's site (make site) most figures move without Python, from films."


def log_slider(low, high, start, label=None):
    """A slider over positive numbers from `low` to `high` that people write, eighteen a decade: the one for epsilon.

    Its `.value` is a float. The ends and the start are exactly those given, whatever they are. Set from code, it takes
    the nearest of its numbers (`NumberSlider`).
    Raises ValueError unless 0 < low <= start <= high and low < high.
    """
    return kinds.log_slider(low, high, start, label, amount)


def choice(options, start, label=None):
    """One of several: a slider over an ordered list of numbers; buttons for a list of names or a dict name -> value."""
    return kinds.choice(options, start, label, amount)


def new_noise(seed, label="New noise", icon="refresh"):
    """A button that draws new noise; its value is the seed that the figure hands to its generator."""
    return kinds.new_seed(seed, label, icon)


def odds(epsilon, delta=0, **_):
    """What epsilon means, in a line: the best guess between two neighbours who seemed equally likely."""
    wrong = (1 - delta) * math.exp(-epsilon) / (1 + math.exp(-epsilon))
    none = math.isinf(epsilon) or delta >= 1
    most = percent(1 if none else 1 - max(wrong, SELDOM), apart=(0.5, 1))
    sure = f"may end {most}% sure" if "over" in most else f"ends at most {most}% sure"
    width = 2 * (float(re.search(r"[\d.]+", most)[0]) - 50)
    bar = f'<span class="odds-bar" aria-hidden="true"><span style="width: {width:.4g}%"></span></span>'
    return f"someone who starts at 50 : 50 {sure} {bar}"


def live(fig, update, alt, guess=(), task="", play=None, pair=(), **controls):
    """A live figure: `update(**values)` is called with the controls' values and changes the artists of `fig` in place.

    `fig` comes from `plots.figure` with its artists made; `update` only sets data, text or limits, and may return a
    line of text, shown under the picture. It keeps the names of its page as they are now. To see a changed function or
    table in a figure, run the figure's cell again. A legend above the axes (`plots.legend_above`) is drawn once, one
    inside again over whatever moves. `alt` says what the picture shows to those who cannot see it.
    `controls` are `log_slider`, `slider`, `choice`, `switch`, `span`, `new_noise` (or any widget with a `value`).
    Beside one that is called `epsilon` (with `delta`, if there) stands what it guarantees, unless its label says that
    it is no guarantee. `task` (Markdown) is what to try first; it stands over the controls, in the stored page too.
    `play` names a slider that has a button to play it, where a sequence is the story. `pair` names the two controls
    that can be moved together where there is no kernel (on the book's site). By default they are epsilon and the next
    one. `guess` is a question of `guesses.predict`, or several: the controls wait for the reader's answer. As the last
    expression of a cell it shows itself: a picture that is stored with the page, and over it the live one.
    Whatever `update` raises at the starting values is raised here; later it is shown under the picture.
    """
    __tracebackhide__ = True
    asked = [guess] if isinstance(guess, Question) else guess
    label = controls["epsilon"].description if "epsilon" in controls else "none"
    promises = not label or label.startswith(("epsilon", "ε"))
    more = {"note": odds if promises else None, "notes": guesses, "elsewhere": ELSEWHERE}
    more["shared"] = "epsilon" if promises else ""
    return LiveFigure(fig, update, alt, controls, asked, task, play, pair, **more)
