"""In a page's worker: its figures at every setting. `live.js` loads it, with the program of the films as `films`.

A figure is known by the number of its cell, as its film is. The places of its controls are all that they have, where a
film has few of them.
"""

import json
import sys

import films
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from livefig.figure import LiveFigure

films.DRAWS = 1000  # of new noise: this worker's own copy of the program
FIGURES = {}  # number of the cell -> (figure, values at its start, its reels)


class Here:
    """The number of the cell that runs."""

    number = 0


def show(figure):
    """What a cell shows is not shown here, but kept."""
    starts = {name: control.value for name, control in figure.controls.items()}
    FIGURES[Here.number] = figure, starts, films.all_reels(figure, starts)[0]


LiveFigure._ipython_display_ = show


async def run(number, source):
    """Run a cell of the page."""
    import pyodide_js

    Here.number = number
    await pyodide_js.loadPackagesFromImports(source)
    shell = InteractiveShell.instance(colors="NoColor")
    with capture_output():
        done = await shell.run_cell_async(source, store_history=False, transformed_cell=shell.transform_cell(source))
    done.raise_error()


def reels(number):
    """Of the figure of a cell its controls: name, words for all places, numbers, and where each starts; JSON, or ""."""

    def plain(value):
        if not isinstance(value, int | float) or isinstance(value, bool):
            return None
        return max(min(float(value), sys.float_info.max), -sys.float_info.max)  # what has no bound, as in its film

    def told(reel):
        return reel._asdict() | {"values": [*map(plain, reel.values)]}

    return json.dumps([told(reel) for reel in FIGURES[number][2]]) if number in FIGURES else ""


def shot(number, places, ratio):
    """The picture at these places, of so many pixels for each of the figure's: width, height, RGBA bytes, caption."""
    figure, starts, found = FIGURES[number]
    moved = {reel.name: reel.values[place] for reel, place in zip(found, places, strict=True)}
    pixels, caption = figure.shot(starts | moved, ratio)
    height, width = pixels.shape[:2]
    return width, height, pixels.tobytes().translate(films.FEWER), caption
