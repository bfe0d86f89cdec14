"""Runs in Pyodide: a page's cells, each compared with what is stored, then `MORE`, a cell of which nothing is stored.

`run_page` returns JSON: what differs, what was raised, the processor's seconds, and how long each move of a control
took.
"""

import json
import os
import re
import time
import traceback

import dpbook_later
import js
import pyodide_js
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

# A picture has other pixels with another matplotlib, and a widget another number; a table's text nobody sees.
COMPARED = ("text/html", "text/markdown")


def said(text):
    """What a cell printed, without what is another each time."""
    return re.sub(r"\bat 0x[0-9a-f]+", "at 0x", text)


def seen(data):
    """What a reader sees of an output: its HTML or Markdown; else its text, where it is no picture and no widget."""
    shown = [said("".join(data[kind])) for kind in COMPARED if kind in data]
    if shown or any(kind.startswith(("image/", "application/")) for kind in data):
        return shown
    return [said("".join(data.get("text/plain", "")))]


def stored(cell):
    """What a cell printed, and what it showed, when the page was made."""
    texts = [one for one in cell["outputs"] if one["output_type"] == "stream" and one["name"] == "stdout"]
    shown = [one["data"] for one in cell["outputs"] if one["output_type"] in ("display_data", "execute_result")]
    return said("".join("".join(one["text"]) for one in texts)), [each for data in shown for each in seen(data)]


async def ran(shell, source):
    """What a cell prints, shows and raises here."""
    results = []
    shell.displayhook.write_output_prompt = lambda: None
    shell.displayhook.write_format_data = lambda data, metadata=None: results.append(data)
    await pyodide_js.loadPackagesFromImports(source)
    with capture_output() as captured:
        done = await shell.run_cell_async(source, store_history=True, transformed_cell=shell.transform_cell(source))
    error = done.error_in_exec or done.error_before_exec
    shown = [each for data in [*(one.data for one in captured.outputs), *results] for each in seen(data)]
    return said(captured.stdout), shown, error


def timed(moves):
    """Let each move of a control note how long it took."""
    from livefig.figure import LiveFigure

    move = LiveFigure._move

    def measured(figure, change=None):
        begun = time.perf_counter()
        move(figure, change)
        moves.append(time.perf_counter() - begun)

    LiveFigure._move = measured


async def run_page(name, more, expected):
    """Run the page `notebooks/NAME.ipynb`, then the cell `more`, which is to print `expected`."""
    os.chdir("/book/notebooks")
    dpbook_later.install()
    moves, differs, begun = [], [], js.processorSeconds()
    timed(moves)
    shell = InteractiveShell.instance(colors="NoColor")
    with open(f"{name}.ipynb", encoding="utf-8") as file:
        cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        printed, shown, error = await ran(shell, "".join(cell["source"]))
        if error is not None:
            differs.append([number, "raised", "", "".join(traceback.format_exception(error))[-2000:]])
            continue
        for what, here, there in zip(("printed", "showed"), (printed, shown), stored(cell), strict=True):
            if here != there:
                differs.append([number, what, str(there), str(here)])
    cells_took, begun = js.processorSeconds() - begun, js.processorSeconds()
    moves.clear()
    printed, _, error = await ran(shell, more)
    if error is not None or printed != expected:
        differs.append(["sliders", "printed", expected, printed + (repr(error) if error else "")])
    took = {"cells": len(cells), "seconds": cells_took, "moving": js.processorSeconds() - begun}
    return json.dumps({"page": name, "differs": differs, "moves": moves, **took})
