"""plots: histogram outlines of any length, the meter's verdicts, pictures with alternative text."""

import io

import numpy as np
import pytest
from matplotlib.patches import StepPatch
from PIL import Image

from dpbook.plots import COLOURS, PIXEL_COLUMNS, figure, meter, set_meter, set_steps, small_png, steps


def test_short_histogram_is_drawn_bin_by_bin():
    _, ax = figure()
    patch = steps(ax, [3, 1, 4], COLOURS.noisy, edges=[0, 10, 20, 40])
    drawn = patch.get_data()
    assert drawn.values.tolist() == [3, 1, 4] and drawn.edges.tolist() == [0, 10, 20, 40]


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
    assert all(
        middle[[int(place / 65_536 * len(middle)) + shift for shift in (-1, 0, 1)]].max() > 0.9 for place in places
    )
    assert ink[:, len(middle) // 6].max() > 0.8


def test_many_bins_look_as_if_a_line_went_around_them():
    """The band that is filled half a line wider covers what the fill and the line around it cover."""
    values = np.random.default_rng(1).laplace(size=65_536)
    pictures = []
    for draw in (type(steps(figure()[1], [1.0], COLOURS.true)).draw, StepPatch.draw):
        _, ax = figure()
        ax.axis("off")
        patch = steps(ax, values, COLOURS.true)
        patch.draw = lambda renderer, draw=draw, patch=patch: draw(patch, renderer)
        pictures.append(shade(ax))
    band, line = pictures
    assert band.sum() == pytest.approx(line.sum(), rel=0.03)
    assert np.abs(band - line).mean() < 0.02


def test_set_steps_keeps_the_stretch_of_the_axis_for_another_number_of_bins():
    _, ax = figure()
    patch = steps(ax, np.ones(64), COLOURS.noisy, edges=np.linspace(18, 82, 65))
    set_steps(patch, np.ones(8))
    assert patch.get_data().edges.tolist() == np.linspace(18, 82, 9).tolist()


def test_filled_steps_reach_down_to_zero():
    _, ax = figure()
    low = steps(ax, [3.0, -1.0], COLOURS.pale, fill=True).get_data().baseline
    assert low.tolist() == [0.0, -1.0]


def test_axes_have_room_for_the_values():
    _, ax = figure()
    steps(ax, [3.0, 90.0], COLOURS.pale)
    assert ax.get_ylim()[1] >= 90 and ax.get_xlim()[0] <= 0 and ax.get_xlim()[1] >= 2


def test_meter_says_its_verdict_in_words():
    _, ax = figure()
    pieces = meter(ax, ["private", "broken", "boundless", "unknown"], most=5)
    set_meter(pieces, [1.0, 3.0, np.inf, np.nan], claimed=1.0)
    words = [verdict.get_text() for verdict in pieces.verdicts]
    assert words == ["✓ 1 within", "✗ 3 BROKEN", "✗ ∞ BROKEN", "– no answer"]
    assert [bar.get_width() for bar in pieces.bars] == [1.0, 3.0, 5.0, 0.0]
    assert pieces.claim.get_xdata()[0] == 1.0


@pytest.mark.parametrize("exact", [True, False])
def test_the_meter_forgives_no_more_than_rounding(exact):
    """A thousandth of a percent over the claim is over the claim; the last digits of a double are not."""
    _, ax = figure()
    pieces = meter(ax, ["at it", "rounded", "over"], most=5)
    set_meter(pieces, [2.0, 2.0 * (1 + 1e-12), 2.0 * (1 + 1e-5)], claimed=2.0, exact=exact)
    assert ["BROKEN" in verdict.get_text() for verdict in pieces.verdicts] == [False, False, True]


def test_a_lower_bound_never_proves_a_claim():
    _, ax = figure()
    pieces = meter(ax, ["a", "b"], most=5)
    set_meter(pieces, [0.9, 1.2], claimed=1.0, exact=False)
    assert [verdict.get_text() for verdict in pieces.verdicts] == ["? 0.9 not refuted", "✗ 1.2 BROKEN"]


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
