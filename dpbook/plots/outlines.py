"""Histograms as outlines, of any number of bins, and a marked stretch of an axis."""

from typing import NamedTuple

import numpy as np
from matplotlib.legend import Legend
from matplotlib.legend_handler import HandlerPatch
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.transforms import IdentityTransform

PIXEL_COLUMNS = 820  # a histogram with more bins than this is drawn by its extremes in each pixel column


class Shown(NamedTuple):
    """What `steps` shows: the high end of each bin, the edges, the low ends."""

    values: np.ndarray
    edges: np.ndarray
    baseline: np.ndarray


class Steps(Patch):
    """What `steps` draws: a line around fewer than 820 bins, or the extremes of more as a band.

    The band is filled half a line beyond itself on every side. The picture is the same, but a line around thousands of
    corners takes five times as long. What is filled down to 0, or has gaps, is never a band.
    """

    def __init__(self, shown, down_to_zero, **look):
        super().__init__(fill=True, **look)
        self.shown, self.down_to_zero, self.outline = shown, down_to_zero, None

    def get_data(self):
        """What is shown, as `matplotlib.patches.StepPatch.get_data` names it: values, edges, baseline."""
        return self.shown

    def set_data(self, values=None, edges=None, baseline=None):
        """Show these; what is None stays."""
        new = {"values": values, "edges": edges, "baseline": baseline}
        new = {name: np.asarray(array, dtype=float) for name, array in new.items() if array is not None}
        self.shown, self.outline, self.stale = self.shown._replace(**new), None, True

    def get_path(self):
        """The line around all bins, made when it is asked for: a band needs none."""
        if self.outline is None:
            self.outline = _outline(*self.shown)
        return self.outline

    def draw(self, renderer):
        high, edges, low = self.shown
        if self.down_to_zero or len(high) < PIXEL_COLUMNS or not np.isfinite([high, low]).all():
            return super().draw(renderer)
        half_line = renderer.points_to_pixels(self.get_linewidth()) / 2
        to_pixels = self.get_transform().transform
        x = to_pixels(np.column_stack([edges, np.full(edges.size, low[0])]))[:, 0]
        ends = [to_pixels(np.column_stack([edges[1:], values]))[:, 1] for values in (low, high)]
        top = _rim(x, np.maximum(*ends), half_line)
        bottom = _rim(x, -np.minimum(*ends), half_line) * [1, -1]
        band = PathPatch(Path(np.concatenate([top, bottom[::-1]])))
        band.update_from(self)
        band.set(transform=IdentityTransform(), facecolor=self.get_edgecolor(), edgecolor="none")
        band.draw(renderer)
        self.stale = False


def _outline(high, edges, low):
    """The line around bins from `low` to `high`: once around each stretch of bins that have both."""
    known = ~(np.isnan(high) | np.isnan(low))
    ends = np.flatnonzero(np.diff(np.pad(known.astype(int), 1)))
    corners, codes = [np.empty((0, 2))], [np.empty(0, dtype=Path.code_type)]
    for first, last in zip(ends[::2], ends[1::2], strict=True):
        x = np.repeat(edges[first : last + 1], 2)
        top, bottom = np.repeat(high[first:last], 2), np.repeat(low[first:last], 2)[::-1]
        right, left = bottom[:1], bottom[-1:]
        there_and_back = np.concatenate([left, top, right, right, bottom, left])
        corners.append(np.column_stack([np.concatenate([x, x[::-1]]), there_and_back]))
        codes.append([Path.MOVETO] + [Path.LINETO] * (len(there_and_back) - 1))
    return Path(np.concatenate(corners), np.concatenate(codes))


class StepsInLegend(HandlerPatch):
    """A line for an outline, a box for what is filled down to 0."""

    def create_artists(self, legend, orig_handle, xdescent, ydescent, width, height, fontsize, trans):
        if orig_handle.down_to_zero:
            return super().create_artists(legend, orig_handle, xdescent, ydescent, width, height, fontsize, trans)
        look = {"color": orig_handle.get_edgecolor(), "linestyle": orig_handle.get_linestyle()}
        thick = max(orig_handle.get_linewidth(), 1.5)
        return [Line2D([0, width], [height / 2, height / 2], linewidth=thick, transform=trans, **look)]


Legend.update_default_handler_map({Steps: StepsInLegend()})


def _rim(x, heights, half_line):
    """The upper rim of columns of these heights between `x`, moved outwards by half a line. All in pixels."""
    width = abs(x[-1] - x[0]) / len(heights)
    columns = round(half_line / width)
    around = np.pad(heights, columns, constant_values=-np.inf)
    heights = np.lib.stride_tricks.sliding_window_view(around, 2 * columns + 1).max(axis=1)
    rest = half_line - columns * width
    outwards = np.concatenate([[-half_line], -rest * np.sign(np.diff(heights)), [half_line]])
    return np.column_stack([np.repeat(x + outwards, 2)[1:-1], np.repeat(heights + half_line, 2)])


def steps(ax, values, colour, label=None, edges=None, fill=False, **style):
    """Draw `values` as a histogram outline (or filled down to 0) and return the artist, to be changed by `set_steps`.

    `edges` are the bin edges, one more than the values (default 0, 1, ..., n). Any number of bins: beyond 820 each
    pixel column shows its highest and lowest value, which is what a screen can show of them.
    """
    edges = np.arange(len(values) + 1) if edges is None else edges
    look = {"facecolor": colour, "edgecolor": "none" if fill else colour, "linewidth": 1.0, "label": label} | style
    patch = Steps(Shown(np.zeros(1), np.array([edges[0], edges[-1]]), np.zeros(1)), fill, **look)
    ax.add_patch(patch)
    set_steps(patch, values, edges)
    ax.update_datalim(np.column_stack([[edges[0], edges[-1]], [np.min(values), np.max(values)]]))
    ax.autoscale_view()
    return patch


def set_steps(patch, values, edges=None):
    """Give a picture made by `steps` new values; without `edges` they fill the same stretch of the axis evenly."""
    values = np.asarray(values, dtype=float)
    if len(values) > PIXEL_COLUMNS:
        starts = np.linspace(0, len(values), PIXEL_COLUMNS, endpoint=False).astype(int)
        low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    else:
        starts, low = np.arange(len(values)), values.copy()  # its own: the caller may go on changing his
        high = low
    if edges is None:
        first, last = patch.shown.edges[[0, -1]]
        edges = np.append(starts * ((last - first) / len(values)) + first, last)
    else:
        edges = np.append(np.asarray(edges)[starts], edges[-1])
    shown = Shown(high, edges, np.minimum(low, 0) if patch.down_to_zero else low)
    if not all(np.array_equal(one, other) for one, other in zip(patch.shown, shown, strict=True)):
        patch.set_data(*shown)


def marked_range(ax, left, right, **style):
    """Mark what lies from `left` to `right`, over the whole height; return the artist, with `x` and `width` to set.

    matplotlib's own `axvspan` has them since 3.9.
    """
    return ax.add_patch(Rectangle((left, 0), right - left, 1, transform=ax.get_xaxis_transform(), **style))
