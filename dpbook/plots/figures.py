"""The house figure, its axes and its legend, and how it is shown.

A figure belongs to the cell that made it: there is no pyplot, and nothing is global.
"""

from types import SimpleNamespace

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator, ScalarFormatter

from dpbook.amounts import amount
from livefig import palette
from livefig.stored import SHARP, store

# What each colour of the palette stands for.
COLOURS = SimpleNamespace(
    true=palette.BLACK,
    noisy=palette.BLUE,
    other=palette.VERMILION,
    third=palette.GREEN,
    fourth=palette.PURPLE,
    light=palette.SKY,
    amber=palette.ORANGE,
    grey=palette.GREY,
    pale=palette.PALE,
)
DPI = 120  # 10-point type is then 17 pixels high: readable at 1280 px and from the back of a room
MOST_LABELS = 4  # in a legend


class Grouped(ScalarFormatter):
    """The numbers at a linear scale, thousands apart: 2,000 and not 2000."""

    def __call__(self, value, position=None):
        words = super().__call__(value, position)
        if abs(value) < 1000 or "." in words or self.get_offset():  # its offset stands at the end of the scale
            return words
        return self.fix_minus(f"{value:,.0f}")


def figure(columns=1, rows=1, width=6.9, height=3.4, **subplots):
    """A figure in the house style with its axes: `fig, ax = figure()` or `fig, (left, right) = figure(columns=2)`.

    `width` and `height` are in inches at 120 dots an inch (6.9 is 828 pixels, what a page leaves free on a screen of
    1280). Further keywords go to `Figure.subplots`. The layout is fitted when the figure is first shown.
    """
    fig = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(fig)
    axes = fig.subplots(rows, columns, **subplots)
    for ax in np.ravel(axes):
        ax.spines[["top", "right"]].set_visible(False)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(Grouped())
    return fig, axes


def show(fig, alt, caption=""):
    """Display one picture of `fig` with its alternative text `alt`, and a line of text under it.

    The alternative text goes into the image's metadata, its plain-text form, and a description that only screen readers
    see (JupyterLab itself gives stored pictures none). The picture has twice as many pixels each way as the page gives
    it, for screens of high density.
    """
    dots = fig.dpi
    fig.dpi = SHARP * dots
    fig.canvas.draw()
    store(np.asarray(fig.canvas.buffer_rgba()), alt, caption)
    fig.dpi = dots


def legend_above(fig, columns=None, handles=None, **style):
    """One legend over all axes of `fig`, where it can cover nothing: each label once.

    `columns` a row: as many as there are labels, and no more than fit the width. `handles` are the artists that it
    names, in order (default: all that have labels). Call it when the artists are there; further keywords go to
    `Figure.legend`.
    Raises ValueError for more than four labels: nobody keeps five colours in mind. The others stand where their lines
    end (`curves(ends=True)`).
    """
    named = {}
    found = [ax.get_legend_handles_labels() for ax in fig.axes]
    every = [pair for pairs in found for pair in zip(*pairs, strict=True)]
    for handle, label in every if handles is None else ((handle, handle.get_label()) for handle in handles):
        named.setdefault(label, handle)
    if len(named) > MOST_LABELS:
        raise ValueError(f"a legend names at most {MOST_LABELS} artists, got {[*named]}; see curves(ends=True)")
    for count in [columns] if columns else range(len(named), 0, -1):
        legend = fig.legend([*named.values()], [*named], loc="outside upper center", ncols=count, **style)
        if count == (columns or 1) or legend.get_window_extent().width < fig.bbox.width:
            return legend
        legend.remove()


def x_axis(ax, label=None, limits=None, ticks=None, log=False):
    """Set up the x axis of `ax` (one, or an array of them) in one call: its label, its limits, its ticks, its scale.

    `ticks` are numbers, written as `amount` writes them (1,000 and 0.001), or a dict of numbers and words. With them a
    log axis has no others. `log=True` is a log axis, `log=2` one with that base.
    """
    for one in np.ravel(ax):
        _axis(one.xaxis, one.set_xlabel, one.set_xlim, one.set_xscale, label, limits, ticks, log)


def y_axis(ax, label=None, limits=None, ticks=None, log=False):
    """Set up the y axis of `ax` in one call, as `x_axis` does the x axis."""
    for one in np.ravel(ax):
        _axis(one.yaxis, one.set_ylabel, one.set_ylim, one.set_yscale, label, limits, ticks, log)


def _axis(axis, set_label, set_limits, set_scale, label, limits, ticks, log):
    if log:
        set_scale("log", base=10 if log is True else log)
    if label is not None:
        set_label(label)
    if ticks is not None:
        words = ticks.values() if isinstance(ticks, dict) else [amount(tick).replace("-", "−") for tick in ticks]
        axis.set_ticks(list(ticks), list(words))
        axis.set_minor_locator(NullLocator())
    if limits is not None:
        set_limits(*limits)  # last, as ticks beyond them would move them
