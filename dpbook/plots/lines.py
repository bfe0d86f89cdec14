"""Lines told apart by colour and dashes, the reader's own point, and rivals on one axis of errors."""

from typing import NamedTuple

import numpy as np
from matplotlib.transforms import ScaledTranslation

from dpbook.amounts import amount
from dpbook.plots.figures import COLOURS, x_axis


class Curves(list):
    """The lines that `curves` drew, in order; `ends` are their names where they end, if they stand there."""

    ends = ()


def curves(ax, x, looks, ys=None, ends=False, **style):
    """Draw lines over `x` that are told apart by colour and dashes; returns them, to be changed by `set_curves`.

    `looks` says for each name its colour, a name of `COLOURS`, and then its dashes or marks as matplotlib writes them:
    `{"with Lin": "noisy", "without Lin": "other --"}`. A blank name is no label. `ys` has the values of each line, an
    array or one number for a flat line (default: nothing is seen until `set_curves`). The names are for
    `legend_above`, or stand where the lines end, right of the axes, with `ends=True`. `style` goes to every line.
    """
    x, lines = np.asarray(x, dtype=float), Curves()
    for name, look in looks.items():
        colour, _, marks = look.partition(" ")
        label = {"label": name} if name.strip() and not ends else {}
        lines += ax.plot(x, np.full(x.shape, np.nan), marks, color=getattr(COLOURS, colour), **label, **style)
    ax.update_datalim(np.column_stack([x, x]), updatey=False)
    ax.autoscale_view(scaley=False)
    if ends:
        clear = ScaledTranslation(6 / 72, 0, ax.figure.dpi_scale_trans)  # of a reader's own point at the edge
        place = {"transform": ax.transAxes + clear, "va": "center"}
        inks = [line.get_color() for line in lines]
        lines.ends = [ax.text(1, 0.5, name, color=ink, **place) for name, ink in zip(looks, inks, strict=True)]
    if ys is not None:
        set_curves(lines, ys)
        ax.relim()
        ax.autoscale_view()
        if ends:
            _names_at_ends(lines)  # the axes may have moved
    return lines


def set_curves(lines, ys, x=None):
    """Give lines made by `curves` new values, one array or one number each, and all of them a new `x` if there is one.

    Names at the ends of the lines follow them, and move apart where two would touch.
    """
    for line, y in zip(lines, ys, strict=True):
        along = line.get_xdata() if x is None else np.asarray(x, dtype=float)
        line.set_data(along, np.broadcast_to(np.asarray(y, dtype=float), along.shape))
    if getattr(lines, "ends", ()):
        _names_at_ends(lines)


def _names_at_ends(lines):
    """Put each name at the height of its line's last point within the axes, in order, none on another."""
    ax = lines[0].axes
    (left, right), (bottom, top) = sorted(ax.get_xlim()), ax.bbox.intervaly
    heights = []
    for line in lines:
        x, y = line.get_data()
        seen = np.flatnonzero(np.isfinite(y) & (x >= left) & (x <= right))
        last = ax.transData.transform((x[seen[-1]], y[seen[-1]]))[1] if len(seen) else bottom
        heights.append(np.clip(np.nan_to_num(last, nan=bottom), bottom, top))
    order = np.argsort(heights, kind="stable")
    letters = lines.ends[0].get_fontsize() * ax.figure.dpi / 72
    apart = 1.3 * letters * np.arange(len(heights))
    places = _rising(np.asarray(heights)[order] - apart)  # each a line or more above the one below
    places = np.clip(places, bottom, max(top - apart[-1] - letters / 2, bottom)) + apart  # none in the title
    for place, number in zip(places, order, strict=True):
        lines.ends[number].set_y((place - bottom) / (top - bottom))


def _rising(heights):
    """The heights that never fall from one to the next and lie nearest to these (isotonic regression)."""
    blocks = []  # mean and number of neighbours that have become equal
    for height in heights:
        blocks.append((height, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (low, some), (high, more) = blocks.pop(), blocks.pop()
            blocks.append(((some * low + more * high) / (some + more), some + more))
    return np.repeat(*zip(*blocks, strict=True))


def own_point(ax, label=None, marker="o", colour=COLOURS.other, **style):
    """The reader's own point on `ax`, drawn over everything and whole at the edge too; `set_own_point` moves it.

    Nothing is seen before. `style` goes to `Axes.plot` (markersize 9 unless it says otherwise).
    """
    look = {"linestyle": "", "markersize": 9, "clip_on": False, "in_layout": False, "label": label} | style
    return ax.plot([], [], marker=marker, color=colour, **look)[0]


def set_own_point(point, x, y):
    """Move a point made by `own_point` to (x, y), numbers or one row of them each.

    What lies beyond the axes is drawn on their edge, as near as it can be.
    """
    edges = [sorted(limits) for limits in (point.axes.get_xlim(), point.axes.get_ylim())]
    point.set_data(*(np.clip(np.atleast_1d(value), *ends) for value, ends in zip((x, y), edges, strict=True)))


class RivalDots(NamedTuple):
    """The artists of `rival_dots`: the first row's dot, the others' dots, their bars, and a number a row."""

    own: object
    others: object
    bars: object
    words: list


def rival_dots(ax, names, limits, label="error (log scale)", colour=COLOURS.noisy):
    """One row a name on a log axis from `limits[0]` to `limits[1]`: a dot and its number; fill it by `set_rival_dots`.

    The first row is the method that the figure is about, in its colour; the rivals are grey.
    """
    rows = range(len(names))
    (bars,) = ax.plot([], [], color=COLOURS.grey, linewidth=1.5)
    (own,) = ax.plot([1], [0], "o", color=colour, markersize=8)
    (others,) = ax.plot(np.ones(len(names) - 1), rows[1:], "o", color=COLOURS.grey, markersize=8)
    words = [ax.text(1, row, "", va="center") for row in rows]
    x_axis(ax, label, limits, log=True)
    ax.set(ylim=(len(names) - 0.4, -0.6), yticks=rows, yticklabels=names)
    ax.grid(axis="y", color=COLOURS.pale)
    return RivalDots(own, others, bars, words)


def set_rival_dots(pieces, errors, deviations=None):
    """Show `errors`, one a row; `deviations` draws a bar of two of them to either side.

    What lies beyond the axis stands at its edge; its number is right all the same.
    """
    low, high = pieces.own.axes.get_xlim()
    shown = np.clip(errors, low, high)
    pieces.own.set_xdata(shown[:1])
    pieces.others.set_xdata(shown[1:])
    if deviations is not None:
        around = 2 * np.asarray(deviations)
        ends = np.clip([errors - around, errors + around], low, high)
        rows = np.arange(len(shown))
        pieces.bars.set_data(
            np.column_stack([*ends, np.full(len(shown), np.nan)]).ravel(), np.column_stack([rows, rows, rows]).ravel()
        )
    step = (high / low) ** 0.04
    for word, error, place in zip(pieces.words, errors, shown, strict=True):
        left = place * step**8 > high  # no room on the right
        word.set(text=amount(error), x=place / step if left else place * step, ha="right" if left else "left")
