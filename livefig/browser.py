"""The page's own part of a live figure, one anywidget: `browser.js` and `browser.css` stand beside this file.

It works wherever anywidget does: in JupyterLab, in Notebook 7, in VS Code. Where a front end has no anywidget, figures
still move: they are drawn at one pixel a dot, and the stored picture stays.
"""

import pathlib

import anywidget
import traitlets

from livefig.palette import BLUE

HERE = pathlib.Path(__file__).parent


class Page(anywidget.AnyWidget):
    """The buttons in a figure's corner; `ratio` is how many pixels of the screen a dot of the picture gets.

    A page that has waited for a picture asks whether anybody is there; the answer comes after what was asked before.
    It knows the `names` of the controls, for links that move them, and the name of the one that may move in all figures
    `together`. `pinned` is the address of a picture that is laid over the live one; `stale` says that the live one is
    not of where the controls stand, and `drawn` counts the moves that were seen to.
    """

    _esm = HERE / "browser.js"
    _css = HERE / "browser.css"
    ratio = traitlets.Float(1.0).tag(sync=True)
    accent = traitlets.Unicode(BLUE).tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    shared = traitlets.Unicode("").tag(sync=True)
    together = traitlets.Bool(False).tag(sync=True)
    pinned = traitlets.Unicode("").tag(sync=True)
    stale = traitlets.Bool(False).tag(sync=True)
    drawn = traitlets.Int(0).tag(sync=True)

    def __init__(self, **traits):
        super().__init__(**traits)
        self.on_msg(lambda page, content, buffers: content.get("kind") == "there?" and page.send({"kind": "there"}))


def stored_html(elsewhere=""):
    """What stands under a stored picture until the figure lives, on GitHub too: what moves where.

    Nothing is said of the widget that is not there.
    """
    style = ".jp-OutputArea-output.jupyter-widgets:not(:has(*)) { display: none; }"
    return (
        f'<style>{style}</style><div class="live-stored" style="font-size: 0.85em; opacity: 0.75">'
        "A stored picture: nothing moves here. In Jupyter, run this cell (Shift+Enter): every slider moves, at every "
        f"step.{elsewhere}</div>"
    )
