"""plots: histogram outlines of any length, the meter's verdicts, pictures with alternative text."""

import io
import itertools
import pathlib
import re
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle, StepPatch
from PIL import Image

from dpbook import plots
from dpbook.plots import COLOURS, figure, legend_above, steps
from dpbook.plots.outlines import PIXEL_COLUMNS
from dpbook.plots.verdicts import LOOKS
from dpbook.verdict import BROKEN, NOT_REFUTED, WITHIN
from livefig import palette
from livefig.stored import small_png

ROOT = pathlib.Path(__file__).parents[1]
HOUSES = ("dpbook", "livefig", "notebooks", "tools/book")
LAB = "tools/book/jupyter/labextensions/dpbook-pages/static/remoteEntry.js"


@pytest.mark.depends(*HOUSES, "tests/test_plots.py")
def test_the_colours_of_the_palette_are_typed_once():
    """JupyterLab's own extension, which Python does not reach, uses no other blue than the palette's."""
    colours = {value for name, value in vars(palette).items() if name.isupper() and value not in ("#000000", "#D9D9D9")}
    assert len(colours) == 7
    kinds = (".py", ".js", ".css", ".html")
    paths = [path for house in HOUSES for path in (ROOT / house).rglob("*") if path.suffix in kinds and path.is_file()]
    typed = {str(path.relative_to(ROOT)) for path in paths if any(c in path.read_text("utf-8") for c in colours)}
    assert typed == {"livefig/palette.py", LAB}
    assert set(re.findall(r"#[0-9A-F]{6}\b", (ROOT / LAB).read_text())) <= colours


@pytest.mark.parametrize("bins", [821, 1024, 65_536, 100_003])
def test_long_histogram_keeps_every_extreme(bins):
    """No spike is lost: the drawn columns' highest and lowest values are those of the data, in place."""
    values = np.random.default_rng(1).laplace(size=bins)
    _, ax = figure()
    drawn = steps(ax, values, COLOURS.noisy).get_data()
    assert len(drawn.values) == PIXEL_COLUMNS
    assert drawn.values.max() == values.max() and drawn.baseline.min() == values.min()
    column = np.searchsorted(drawn.edges, values.argmax(), side="right") - 1
    assert drawn.values[column] == values.max()
    assert (drawn.edges[0], drawn.edges[-1]) == (0, bins)


def shade(ax):
    """How dark each pixel of the axes is drawn, from 0 (white) to 1 (black)."""
    canvas = ax.figure.canvas
    canvas.draw()
    left, bottom, right, top = ax.bbox.extents.round().astype(int)
    height = canvas.get_width_height()[1]
    return 1 - np.asarray(canvas.buffer_rgba())[height - top : height - bottom, left:right, :3].mean(axis=2) / 255


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_one_bin_in_65536_is_drawn_as_dark_as_a_line(columns):
    """Wherever it lies: full ink over nearly all of its height, and a flat histogram is a line, not a hair."""
    values = np.zeros(65_536)
    places = [700, 20_000, 33_333, 51_234]
    values[places] = 100
    _, axes = figure(columns=columns)
    ax = np.ravel(axes)[0]
    ax.set(xlim=(0, 65_536), ylim=(-20, 110))
    ax.axis("off")
    steps(ax, values, COLOURS.true)
    ink = shade(ax)
    middle = ink[ink.shape[0] // 2]
    columns_of = [int(place / 65_536 * len(middle)) for place in places]
    assert all(middle[at - 1 : at + 2].max() > 0.9 for at in columns_of)
    assert ink[:, len(middle) // 6].max() > 0.8


def test_many_bins_look_as_if_a_line_went_around_them():
    """The band that is filled half a line wider covers what the fill and the line around it cover."""
    values = np.random.default_rng(1).laplace(size=65_536)
    pictures = []
    for draw in (type(steps(figure()[1], [1.0], COLOURS.true)).draw, Patch.draw):
        _, ax = figure()
        ax.axis("off")
        patch = steps(ax, values, COLOURS.true)
        patch.draw = lambda renderer, draw=draw, patch=patch: draw(patch, renderer)
        pictures.append(shade(ax))
    band, line = pictures
    assert band.sum() == pytest.approx(line.sum(), rel=0.03)
    assert np.abs(band - line).mean() < 0.02


@pytest.mark.parametrize("fill", [True, False])
@pytest.mark.parametrize("gaps", [[], [0], [3, 4], [7], [0, 2, 7], range(8)])
def test_an_outline_is_that_of_matplotlib(fill, gaps):
    """Corner by corner, with bins that have no value, and dot by dot."""
    values, edges = np.random.default_rng(1).normal(size=8), np.linspace(-1, 5, 9) ** 3
    values[list(gaps)] = np.nan
    look = {"facecolor": COLOURS.noisy, "edgecolor": "none" if fill else COLOURS.noisy, "linewidth": 1.0}
    low = np.minimum(values, 0) if fill else values
    paths, pictures = [], []
    for ours in (True, False):
        _, ax = figure()
        ax.axis("off")
        ax.set(xlim=(-2, 130), ylim=(-3, 3))
        if ours:
            patch = steps(ax, np.zeros(8), COLOURS.noisy, edges=edges, fill=fill)
            plots.set_steps(patch, values, edges)
        else:
            patch = ax.add_patch(StepPatch(values, edges, baseline=low, fill=True, **look))
        paths.append(patch.get_path())
        pictures.append(shade(ax))
    assert np.array_equal(paths[0].vertices, paths[1].vertices) and np.array_equal(paths[0].codes, paths[1].codes)
    assert np.array_equal(*pictures) and (pictures[0].any() or len(gaps) == 8)


def test_set_steps_keeps_the_stretch_of_the_axis_for_another_number_of_bins():
    _, ax = figure()
    patch = steps(ax, np.ones(64), COLOURS.noisy, edges=np.linspace(18, 82, 65))
    plots.set_steps(patch, np.ones(8))
    assert patch.get_data().edges.tolist() == np.linspace(18, 82, 9).tolist()


def test_steps_follow_values_that_changed_in_place_or_were_set_without_us():
    fig, ax = figure()
    values = np.ones(8)
    patch = steps(ax, values, COLOURS.noisy)
    fig.canvas.draw()
    values[3] = 5
    plots.set_steps(patch, values)
    assert patch.get_data().values[3] == 5 and patch.stale
    patch.set_data(np.zeros(8))
    plots.set_steps(patch, values)
    assert patch.get_data().values[3] == 5


def test_axes_have_room_for_the_values():
    _, ax = figure()
    steps(ax, [3.0, 90.0], COLOURS.pale)
    assert ax.get_ylim()[1] >= 90 and ax.get_xlim()[0] <= 0 and ax.get_xlim()[1] >= 2


def test_meter_says_its_verdict_in_words():
    _, ax = figure()
    pieces = plots.meter(ax, ["private", "broken", "boundless", "unknown"], most=5)
    plots.set_meter(pieces, [1.0, 3.0, np.inf, np.nan], claimed=1.0)
    words = [verdict.get_text() for verdict in pieces.verdicts]
    assert words == ["✓ 1 within", "✗ 3 BROKEN", "✗ ∞ BROKEN", "– no answer"]
    assert [bar.get_width() for bar in pieces.bars] == [1.0, 3.0, 5.0, 0.0]
    assert pieces.claim.get_xdata()[0] == 1.0


@pytest.mark.parametrize(("rows", "size"), [(1, 12), (8, 12), (9, 10)])
def test_a_meter_names_its_rows_from_the_top_and_its_axis(rows, size):
    names = [f"row {number}" for number in range(rows)]
    _, ax = figure()
    pieces = plots.meter(ax, names, most=5, unit="epsilon")
    assert [label.get_text() for label in ax.get_yticklabels()] == names and list(ax.get_yticks()) == [*range(rows)]
    assert (ax.get_xlim(), ax.get_ylim(), ax.get_xlabel()) == ((0, 5), (rows - 0.4, -0.6), "epsilon")
    assert {verdict.get_fontsize() for verdict in pieces.verdicts} == {size}


def test_a_meter_of_results_takes_bounds_exact_losses_and_numbers():
    _, ax = figure()
    read = plots.result_meter(ax, ["bound", "exact", "number", "none"], most=5)
    read([SimpleNamespace(loss=0.9, certain=False), SimpleNamespace(loss=3.0, certain=True), 0.5, None], 1.0)
    said = ["? 0.9 not refuted", "✗ 3 BROKEN", "✓ 0.5 within", "– no answer"]
    assert [text.get_text() for text in ax.texts] == said
    assert [bar.get_width() for bar in ax.patches] == [0.9, 3, 0.5, 0]


@pytest.mark.parametrize("exact", [True, False])
def test_the_meter_forgives_no_more_than_rounding(exact):
    """A thousandth of a percent over the claim is over the claim; the last digits of a double are not."""
    _, ax = figure()
    pieces = plots.meter(ax, ["at it", "rounded", "over"], most=5)
    plots.set_meter(pieces, [2.0, 2.0 * (1 + 1e-12), 2.0 * (1 + 1e-5)], claimed=2.0, exact=exact)
    assert ["BROKEN" in verdict.get_text() for verdict in pieces.verdicts] == [False, False, True]


def test_stored_pictures_are_small_and_what_was_drawn():
    """Drawings have few colours: 256 of them are what was drawn. A picture of many is kept whole."""
    fig, ax = figure()
    steps(ax, np.arange(64.0) % 17, COLOURS.noisy)
    fig.canvas.draw()
    drawn = np.asarray(fig.canvas.buffer_rgba())
    many = np.random.default_rng(1).integers(0, 256, drawn.shape, dtype=np.uint8)
    many[..., 3] = 255
    for rgba, mode in ((drawn, "P"), (many, "RGB")):
        kept = Image.open(io.BytesIO(small_png(rgba)))
        off = np.abs(np.asarray(kept.convert("RGB")).astype(int) - rgba[:, :, :3])
        assert kept.mode == mode and off.max() <= 16 and off.mean() < 0.1
        assert off[(rgba == 255).all(axis=-1)].max(initial=0) == 0, "white paper stays white"


def test_an_outline_is_a_line_in_the_legend_and_a_filled_histogram_a_box():
    fig, ax = figure()
    steps(ax, [1, 2], COLOURS.pale, label="true", fill=True)
    steps(ax, [1, 2], COLOURS.noisy, label="noisy")
    box, line = legend_above(fig).legend_handles
    assert isinstance(box, Rectangle) and isinstance(line, Line2D)
    assert to_hex(line.get_color()) == COLOURS.noisy.lower() and line.get_linewidth() >= 1.5


def test_a_legend_above_covers_no_axes_and_says_each_label_once():
    fig, axes = figure(columns=2)
    for ax in axes:
        ax.plot([0, 1], label="a line")
    axes[1].plot([1, 0], label="another")
    legend = legend_above(fig)
    fig.canvas.draw()
    assert [text.get_text() for text in legend.get_texts()] == ["a line", "another"]
    box = legend.get_window_extent()
    assert not any(box.overlaps(ax.get_window_extent()) for ax in axes)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("legend", [True, False])
def test_a_verdict_in_the_picture_is_large_and_covers_nothing(whole, legend):
    fig, axes = figure(columns=2)
    axes[0].plot([0, 1], label="a line")
    over = legend_above(fig) if legend else None
    line = plots.verdict_text(fig if whole else axes[0])
    fig.canvas.draw()
    fig.set_layout_engine("none")
    before = axes[0].get_position().bounds
    told = [(BROKEN, None, "✗ BROKEN"), (NOT_REFUTED, None, "? not refuted"), (WITHIN, "kept", "✓ kept")]
    told += [(True, None, "✓ right"), (np.bool_(False), None, "✗ wrong"), (None, None, "–")]
    for found, words, said in told:
        plots.set_verdict_text(line, found, words)
        fig.canvas.draw()
        assert line.get_text() == said and axes[0].get_position().bounds == before
    plots.set_verdict_text(line, BROKEN)
    assert line.get_fontsize() >= 12 and line.get_fontweight() == "bold"
    box = line.get_window_extent()
    assert not any(box.overlaps(ax.get_window_extent()) for ax in axes)
    assert fig.bbox.y0 <= box.y0 and box.y1 <= fig.bbox.y1
    assert over is None or not box.overlaps(over.get_window_extent())


def test_verdicts_can_be_read_on_white():
    """Each ink has a contrast of 4.5 to 1 or more, as large text needs no more than 3."""
    for _, _, _, ink in LOOKS.values():
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(ink)]
        assert 1.05 / (np.dot([0.2126, 0.7152, 0.0722], linear) + 0.05) >= 4.5


def test_the_meter_writes_numbers_as_people_do():
    _, ax = figure()
    pieces = plots.meter(ax, ["a", "b"], most=2_000)
    plots.set_meter(pieces, [1_400.0, 8.88e-16], claimed=1.0)
    assert [verdict.get_text() for verdict in pieces.verdicts] == ["✗ 1,400 BROKEN", "✓ 0 within"]


@pytest.mark.parametrize(
    ("limits", "ticks", "words"),
    [
        ((-2500, 2500), (-2000, 0, 2000), ["−2,000", "0", "2,000"]),
        ((0, 1), (0, 0.5, 1), ["0.0", "0.5", "1.0"]),
        ((0, 65_536), (0, 32_768), ["0", "32,768"]),
        ((0, 3e8), (0, 2e8), ["0", "2"]),
    ],
)
def test_thousands_at_a_linear_scale_stand_apart(limits, ticks, words):
    """Where a power of ten stands at its end, the numbers are those that it multiplies."""
    fig, ax = figure()
    ax.set(xlim=limits, xticks=ticks)
    fig.canvas.draw()
    assert [label.get_text() for label in ax.get_xticklabels()] == words


def test_a_legend_above_has_as_many_columns_as_fit():
    names = [f"a line with a long name, number {n}" for n in range(4)]
    for width, rows in ((6.9, 2), (30, 1)):
        fig, ax = figure(width=width)
        for name in names:
            ax.plot([0, 1], label=name)
        legend = legend_above(fig)
        fig.canvas.draw()
        assert len({text.get_window_extent().y0 for text in legend.get_texts()}) == rows
        assert fig.bbox.x0 <= legend.get_window_extent().x0 and legend.get_window_extent().x1 <= fig.bbox.x1


def test_a_legend_names_at_most_four_lines():
    """Whoever looks at a figure keeps no fifth in mind: the others stand where their lines end."""
    fig, axes = figure(columns=2)
    for number, ax in enumerate([*axes, *axes, axes[0]]):
        ax.plot([0, 1], label=f"line {number % 4}")
    assert len(legend_above(fig).get_texts()) == 4, "the same label twice is one"
    axes[1].plot([0, 1], label="a fifth")
    with pytest.raises(ValueError, match=r"at most 4 artists, got .*'a fifth'"):
        legend_above(fig)


@pytest.mark.depends(*HOUSES, "tests/test_plots.py")
def test_every_legend_of_the_book_is_one_that_counts_its_labels():
    """matplotlib's own legends, which do not, are made in one place."""
    made = [path for house in HOUSES for path in (ROOT / house).rglob("*.py") if ".legend(" in path.read_text("utf-8")]
    assert made == [ROOT / "dpbook" / "plots" / "figures.py"]


def test_a_legend_above_names_what_it_is_told_to_in_that_order():
    fig, ax = figure()
    lines = [ax.plot([0, 1], label=name)[0] for name in "abc"]
    assert [text.get_text() for text in legend_above(fig, handles=lines[:0:-1]).get_texts()] == ["c", "b"]


def test_an_axis_is_set_up_in_one_call():
    fig, axes = figure(columns=2)
    plots.x_axis(axes, "bound", (0.5, 2_000), ticks=[1, 0.001, 1_000], log=True)
    plots.y_axis(axes[0], "gain", (-10, 10), ticks={-5: "loss", 5: "gain"})
    plots.y_axis(axes[1], ticks=[-1_000, 0], limits=(-2_000, 2_000))
    fig.canvas.draw()
    for ax in axes:
        assert ax.get_xscale() == "log" and ax.get_xlim() == (0.5, 2_000) and ax.get_xlabel() == "bound"
        assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "0.001", "1,000"]
        assert len(ax.get_xticks(minor=True)) == 0
    assert axes[0].get_yscale() == "linear" and axes[0].get_ylabel() == "gain"
    assert [tick.get_text() for tick in axes[0].get_yticklabels()] == ["loss", "gain"]
    assert [tick.get_text() for tick in axes[1].get_yticklabels()] == ["−1,000", "0"]


def test_curves_are_told_apart_and_keep_what_they_are_given():
    fig, ax = figure()
    lines = plots.curves(ax, [1, 2, 4], {"with": "noisy", "without": "other --", "": "true o:"}, linewidth=3)
    assert [to_hex(line.get_color()) for line in lines] == [
        getattr(COLOURS, name).lower() for name in ("noisy", "other", "true")
    ]
    assert [line.get_linestyle() for line in lines] == ["-", "--", ":"] and lines[2].get_marker() == "o"
    assert all(line.get_linewidth() == 3 for line in lines)
    assert [text.get_text() for text in legend_above(fig).get_texts()] == ["with", "without"]
    assert np.isnan(lines[0].get_ydata()).all() and ax.get_xlim() == pytest.approx((0.85, 4.15))
    plots.set_curves(lines, [[3, 4, 5], 7, 8])
    assert lines[0].get_ydata().tolist() == [3, 4, 5] and lines[1].get_ydata().tolist() == [7, 7, 7]
    plots.set_curves(lines, [1, 2, [5, 6]], x=[0, 9])
    assert lines[2].get_data()[0].tolist() == [0, 9] and lines[2].get_data()[1].tolist() == [5, 6]
    with pytest.raises(ValueError, match="argument"):
        plots.set_curves(lines, [1, 2])


def test_curves_that_are_drawn_at_once_fit_their_axes():
    _, ax = figure()
    plots.curves(ax, [0, 10], {"one": "noisy", "level": "grey :"}, [[5, 90], -20])
    assert ax.get_ylim()[0] < -20 and ax.get_ylim()[1] > 90


def test_names_of_curves_that_are_drawn_at_once_stand_where_these_end():
    """Also where the axes have fitted themselves to them."""
    fig, ax = figure()
    plots.y_axis(ax, "error", log=True)
    lines = plots.curves(ax, [1, 2], {"low": "noisy", "high": "other"}, [[1, 3], [900, 5_000]], ends=True)
    fig.canvas.draw()
    for line, end in zip(lines, lines.ends, strict=True):
        box = end.get_window_extent()
        assert box.y0 <= ax.transData.transform((2, line.get_ydata()[-1]))[1] <= box.y1


@pytest.mark.parametrize("heights", [(0, 0, 0, 0), (10, 10, 10, 10), (5, 5.1, 0, 10), (-50, 4, 90, np.nan)])
def test_names_at_the_ends_of_lines_touch_nothing(heights):
    """Equal lines, lines that leave the axes, a line that is nowhere: each name is readable, in the order of lines."""
    fig, axes = figure(columns=2)
    for ax in axes:
        plots.y_axis(ax, "y", (0, 10))
        lines = plots.curves(ax, [0, 1], {"a": "noisy", "b": "other", "c": "third", "dull": "grey"}, ends=True)
        fig.canvas.draw()
        plots.set_curves(lines, heights)
    fig.canvas.draw()
    for ax in axes:
        boxes = sorted((end.get_window_extent() for end in ax.texts), key=lambda box: box.y0)
        assert all(lower.y1 <= upper.y0 + 1 for lower, upper in itertools.pairwise(boxes))
        assert not any(box.overlaps(other.get_window_extent()) for box in boxes for other in axes)
        middles = [(box.y0 + box.y1) / 2 for box in boxes]
        assert ax.bbox.y0 - 3 <= middles[0] and middles[-1] <= ax.bbox.y1 + 3
    shown = [height for height in heights if not np.isnan(height)]
    placed = [end.get_position()[1] for end in axes[0].texts][: len(shown)]
    assert all(placed[i] < placed[j] for i in range(len(shown)) for j in range(len(shown)) if shown[i] < shown[j])


def test_names_of_lines_that_end_together_stand_around_their_end():
    """Three end at one height: a name is beside it, one above and one below. A fourth, far off, keeps its own place."""
    _, ax = figure()
    plots.y_axis(ax, "y", (0, 10))
    ends = plots.curves(
        ax, [0, 1], {"a": "noisy", "b": "other", "c": "third", "d": "grey"}, [5, 5, 5, 9], ends=True
    ).ends
    low, middle, high, far = (end.get_position()[1] for end in ends)
    assert (middle, far) == pytest.approx((0.5, 0.9)) and high - middle == pytest.approx(middle - low) and low < 0.5


def test_the_readers_own_point_stays_on_the_picture():
    fig, ax = figure()
    plots.x_axis(ax, "x", (1, 100), log=True)
    plots.y_axis(ax, "y", (10, -10))  # upside down
    point = plots.own_point(ax, "you")
    assert not point.get_clip_on() and not point.get_in_layout() and len(point.get_xdata()) == 0
    assert (point.get_marker(), point.get_linestyle(), point.get_markersize()) == ("o", "None", 9)
    for given, shown in (((5, 3), (5, 3)), ((0.1, 50), (1, 10)), ((1e9, -np.inf), (100, -10))):
        plots.set_own_point(point, *given)
        assert (point.get_xdata()[0], point.get_ydata()[0]) == shown
    plots.set_own_point(point, [5, 6], [np.nan, 7])
    assert point.get_xdata().tolist() == [5, 6] and np.isnan(point.get_ydata()[0])
    assert [text.get_text() for text in legend_above(fig).get_texts()] == ["you"]


def test_maps_share_a_look_and_are_drawn_only_when_they_change():
    fig, axes = figure(columns=2)
    images = plots.maps(axes, ("true", "released"), (0, 8, 0, 4), "column", "row", vmax=2)
    assert [ax.get_title() for ax in axes] == ["true", "released"]
    assert [ax.get_ylabel() for ax in axes] == ["row", ""] and axes[1].get_xlabel() == "column"
    values = np.arange(6.0).reshape(2, 3)
    plots.set_maps(images, values, values.T)
    fig.canvas.draw()
    for image in images:
        assert image.get_extent() == [0, 8, 0, 4] and image.get_clim() == (0, 2) and image.origin == "lower"
        image.stale = False
    plots.set_maps(images, values, values + 1)
    assert [image.stale for image in images] == [False, True]
    assert (images[1].get_array() == values + 1).all()


def test_rivals_stand_in_rows_with_their_numbers_even_beyond_the_axis():
    fig, ax = figure()
    pieces = plots.rival_dots(ax, ["ours", "flat", "zeros", "awful"], (1, 1_000))
    plots.set_rival_dots(pieces, [10, 200, 0.01, 5e6], deviations=[1, 200, 0, 0])
    fig.canvas.draw()
    assert pieces.own.get_xdata().tolist() == [10] and pieces.others.get_xdata().tolist() == [200, 1, 1_000]
    assert [word.get_text() for word in pieces.words] == ["10", "200", "0.01", "5,000,000"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["ours", "flat", "zeros", "awful"]
    assert ax.get_ylim() == (3.6, -0.6) and [word.get_position()[1] for word in pieces.words] == [0, 1, 2, 3]
    assert pieces.bars.get_xdata()[[0, 1, 3, 4]].tolist() == [8, 12, 1, 600], "two deviations, cut at the edge"
    for word, place in zip(pieces.words, [10, 200, 1, 1_000], strict=True):
        dot, box = ax.transData.transform((place, 0))[0], word.get_window_extent()
        assert not box.x0 <= dot <= box.x1 and box.x1 <= fig.bbox.x1
