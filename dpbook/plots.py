"""Pictures that many chapters share: a house figure, its axes, and artists: outlines, curves, maps, points, the meter.

Knows matplotlib, no widgets and no pyplot: a figure belongs to the cell that made it, and nothing is global.
Every piece is made once and then changed in place (`set_...`), so that a live figure can redraw only what moved.
"""

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.legend_handler import HandlerPatch
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.ticker import NullLocator, ScalarFormatter
from matplotlib.transforms import IdentityTransform, ScaledTranslation

from dpbook.amounts import amount
from dpbook.verdict import BROKEN, NOT_REFUTED, WITHIN
from dpbook.verdict import verdict as verdict_of
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
PIXEL_COLUMNS = 820  # a histogram with more bins than this is drawn by its extremes in each pixel column


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
    1280); further keywords go to `Figure.subplots`. The layout is fitted when the figure is first shown.
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

    The alternative text goes into the image's metadata, into its plain-text form, and into a description that only
    screen readers see (JupyterLab itself gives stored pictures none). The picture has twice as many pixels each way
    as the page gives it, for screens of high density.
    """
    dots = fig.dpi
    fig.dpi = SHARP * dots
    fig.canvas.draw()
    store(np.asarray(fig.canvas.buffer_rgba()), alt, caption)
    fig.dpi = dots


class Shown(NamedTuple):
    """What `steps` shows: the high end of each bin, the edges, the low ends."""

    values: np.ndarray
    edges: np.ndarray
    baseline: np.ndarray


class Steps(Patch):
    """What `steps` draws. Up to 820 bins have a line around them; the extremes of more are a band, filled half a line
    beyond itself on every side: the same picture, for a line around thousands of corners takes five times as long.
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


def marked_range(ax, left, right, **style):
    """Mark what lies from `left` to `right`, over the whole height; return the artist, with `x` and `width` to set.

    matplotlib's own `axvspan` has them since 3.9.
    """
    return ax.add_patch(Rectangle((left, 0), right - left, 1, transform=ax.get_xaxis_transform(), **style))


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


def set_image(image, values):
    """Show these values in an image; one that shows them already stays as it is, and need not be drawn again."""
    if not np.array_equal(image.get_array(), values):
        image.set_data(values)


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

    `ticks` are numbers, written as `amount` writes them (1,000 and 0.001), or a dict of numbers and words; with them a
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


def maps(axes, titles=None, extent=None, xlabel=None, ylabel=None, **look):
    """Empty pictures side by side on `axes`, in one look and with one extent; returns the images, for `set_maps`.

    The first row is at the bottom and colours run from 0 to 1, dark to bright (`cividis`), unless `look` (keywords of
    `Axes.imshow`) says otherwise. `ylabel` stands left of the first only.
    """
    axes = np.ravel(axes)
    shared = {"origin": "lower", "cmap": "cividis", "aspect": "auto", "vmin": 0, "vmax": 1, "interpolation": "nearest"}
    images = [ax.imshow(np.zeros((2, 2)), extent=extent, **shared | look) for ax in axes]
    for ax, title in zip(axes, titles or [None] * len(axes), strict=True):
        ax.set(xlim=extent[:2], ylim=extent[2:]) if extent else None
        ax.set_title(title or "")
        ax.set_xlabel(xlabel or "")
    axes[0].set_ylabel(ylabel or "")
    return images


def set_maps(images, *values):
    """Show these values in the images made by `maps`, one array each; what has not changed is not drawn again."""
    for image, one in zip(images, values, strict=True):
        set_image(image, one)


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


# How each verdict looks: its colour, its hatch, its mark, and the colour of its words on white.
LOOKS = {
    WITHIN: (COLOURS.third, "", "✓", "#00684A"),
    NOT_REFUTED: (COLOURS.amber, "..", "?", "#7A5200"),
    BROKEN: (COLOURS.other, "//", "✗", "#A03C00"),
}
LARGE = {"fontsize": 13, "fontweight": "bold"}  # read from the back of a room


def verdict_text(place):
    """A line over an axes, or over a whole figure, for what the picture decides; fill it with `set_verdict_text`.

    It is large, and its room is kept from the beginning. Returns the artist.
    """
    if isinstance(place, Figure):
        return place.suptitle("–", x=0.01, ha="left", **LARGE)
    return place.set_title("–", loc="left", **LARGE)


def set_verdict_text(line, found, words=None):
    """Say in the picture what was found: by a mark, by words and by colour.

    `found` is a verdict of `dpbook.verdict`; or True or False, right or wrong; or None, nothing yet. `words` stand
    after the mark instead of the verdict's own.
    """
    if found is None:
        return line.set(text=words or "–", color=COLOURS.true)
    known = {True: (WITHIN, "right"), False: (BROKEN, "wrong")}
    looks, said = known[bool(found)] if isinstance(found, (bool, np.bool_)) else (found, found)
    _, _, mark, colour = LOOKS[looks]
    return line.set(text=f"{mark} {words or said}", color=colour)


class Meter(NamedTuple):
    """The artists of a privacy meter: one bar and one verdict a row, and the line of the claim."""

    bars: list
    verdicts: list
    claim: object
    most: float


def meter(ax, names, most, unit="privacy loss"):
    """An empty privacy meter: one row a name, losses from 0 to `most`, and a line at what is claimed.

    Fill it with `set_meter`. A verdict is told by a word, a mark and a hatch as well as by colour.
    """
    bars = ax.barh(range(len(names)), np.zeros(len(names)), height=0.7, edgecolor="black", linewidth=0.8)
    ax.set(xlim=(0, most), ylim=(len(names) - 0.4, -0.6), yticks=range(len(names)), yticklabels=names, xlabel=unit)
    claim = ax.axvline(0, color=COLOURS.true, linewidth=2, linestyle="--", label="claimed")
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    size = 12 if len(names) <= 8 else 10
    verdicts = [ax.text(0, row, "", va="center", bbox=box, size=size, weight="bold") for row in range(len(names))]
    return Meter(list(bars), verdicts, claim, most)


def set_meter(pieces, losses, claimed, exact=True):
    """Show `losses` (one a row, `inf` and `nan` allowed) against `claimed` (one number, or one a row for the verdicts).

    Exact losses are "within" or "BROKEN". A lower bound on a loss (`exact=False`) can refute a claim and can never
    prove it: then the verdict is "not refuted", in amber.
    """
    claims = np.broadcast_to(claimed, len(losses))
    pieces.claim.set_xdata([np.max(claims)] * 2)
    for bar, verdict, loss, claim in zip(pieces.bars, pieces.verdicts, losses, claims, strict=True):
        if np.isnan(loss):
            colour, hatch, words, ink = COLOURS.pale, "", "– no answer", COLOURS.true
        else:
            found = verdict_of(loss, claim, exact)
            colour, hatch, mark, ink = LOOKS[found]
            words = f"{mark} {amount(loss)} {found}"
        shown = min(np.nan_to_num(loss, posinf=pieces.most), pieces.most)
        bar.set(width=shown, facecolor=colour, hatch=hatch)
        inside = shown > 0.5 * pieces.most
        verdict.set(
            text=words, color=ink, x=shown + (-0.01 if inside else 0.01) * pieces.most, ha="right" if inside else "left"
        )


def result_meter(ax, names, most):
    """A live picture of a claim on `ax`, one row a name, losses from 0 to `most`; returns `read(results, claimed)`.

    `read` sets it in place: `results` has one entry a row, something with a `loss` that says whether it is `certain`
    (an `ExactLoss` is, an `EpsilonBound` is not), the number of an exact loss, or None for no answer; `claimed` is the
    epsilon claimed, drawn as a line. Words and marks say what the colours say.
    Notebook: 21_audit.
    """
    pieces = meter(ax, names, most)

    def read(results, claimed):
        for row, result in enumerate(results):
            loss = np.nan if result is None else getattr(result, "loss", result)
            one = pieces._replace(bars=pieces.bars[row : row + 1], verdicts=pieces.verdicts[row : row + 1])
            set_meter(one, [loss], claimed, exact=getattr(result, "certain", True))

    return read
