"""Sliders to one picture: `live` turns a figure and a plain function into a live figure. The only room with widgets.

`controls` makes the sliders, `drawing` the pixels (`lettering` those of text), `figure` joins them, `browser` is what
the page itself does, `names` keeps a figure's names its own, `listing` shows the source of a function.
"""

from dpbook.live.controls import NoiseButton, NumberSlider, choice, log_slider, new_noise, slider, span, switch
from dpbook.live.drawing import png
from dpbook.live.figure import LiveFigure, live, odds
from dpbook.live.listing import show_source

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
