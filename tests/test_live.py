"""live: the picture follows the controls and equals a full drawing; an error is shown where the reader looks."""

import base64
import io

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from matplotlib import image

from dpbook.laplace import laplace_mechanism
from dpbook.live import choice, live, log_slider, new_noise, png, show_source, slider, span, switch
from dpbook.plots import COLOURS, figure, set_steps, steps

COUNTS = np.arange(64.0) % 17


def histogram_figure(**controls):
    """A live noisy histogram with its artists: something that moves below a legend, and a title that changes."""
    fig, ax = figure()
    steps(ax, COUNTS, COLOURS.pale, label="true", fill=True)
    noisy_steps = steps(ax, COUNTS, COLOURS.noisy, label="noisy")
    ax.set(ylim=(-20, 40), xlabel="bin", ylabel="people")
    ax.legend(loc="upper right")

    def update(epsilon, seed=0, **_):
        if epsilon > 9:
            raise ValueError("epsilon is too large for this picture")
        set_steps(noisy_steps, laplace_mechanism(COUNTS, 1, epsilon, np.random.default_rng(seed)))
        ax.set_title(f"epsilon = {epsilon:.3g}")
        return f"noise of scale {1 / epsilon:.2f} people"

    return live(fig, update, "a noisy histogram", **controls)


def pixels(address):
    """The pixels, without their transparency, of a picture whose bytes are in its address."""
    kind, _, text = bytes(address).partition(b",")
    assert kind == b"data:image/png;base64"
    return read(base64.b64decode(text))[:, :, :3]


def read(png_bytes):
    return np.round(image.imread(io.BytesIO(png_bytes), format="png") * 255).astype(int)


def test_picture_follows_every_control():
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0), seed=new_noise(1))
    seen = {made.picture.value}
    for epsilon in (0.5, 0.1, 2.0):
        made.controls["epsilon"].value = epsilon
        seen.add(made.picture.value)
    made.controls["seed"].click()
    assert made.controls["seed"].value == 2
    seen.add(made.picture.value)
    assert len(seen) == 5 and made.error == ""
    assert made.caption == "noise of scale 0.50 people"


def test_same_controls_give_the_same_picture():
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0), seed=new_noise(1))
    first = made.picture.value
    made.controls["epsilon"].value = 0.3
    assert made.picture.value != first
    made.controls["epsilon"].value = 1.0
    assert made.picture.value == first


def test_moved_picture_is_the_full_drawing():
    """Drawing only what moved gives the pixels of drawing everything (a spine may be overdrawn by a bar's edge)."""
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0), seed=new_noise(1))
    for epsilon in (0.2, 3.0):
        made.controls["epsilon"].value = epsilon
    moved = pixels(made.picture.value)
    for artist, _ in made._artists():
        artist.set_animated(False)
    made.fig.canvas.draw()
    full = np.asarray(made.fig.canvas.buffer_rgba())[:, :, :3].astype(int)
    assert moved.shape == full.shape
    assert np.mean(np.abs(moved - full).max(axis=2) > 8) < 0.002


def test_an_axis_that_changes_is_drawn_again():
    fig, ax = figure()
    (line,) = ax.plot([0, 1], [0, 1])

    def update(top):
        line.set_ydata([0, top])
        ax.set_ylim(0, top)

    made = live(fig, update, "a line", top=slider(1, 100, 1))
    before = pixels(made.picture.value)
    made.controls["top"].value = 90
    after = pixels(made.picture.value)
    labels = np.s_[:, :70]
    assert not np.array_equal(before[labels], after[labels])


def test_an_artist_that_starts_to_move_later_leaves_no_ghost():
    fig, ax = figure()
    ax.set(xlim=(0, 10), ylim=(0, 1))
    point, mark = ax.axvline(2, color="red"), ax.axvline(5, color="blue")

    def update(x):
        point.set_xdata([x, x])
        if x > 3:
            mark.set_xdata([x + 4, x + 4])

    made = live(fig, update, "two lines", x=slider(1, 5, 2))
    made.controls["x"].value = 5
    picture = pixels(made.picture.value)
    blue = (picture[:, :, 2] > 200) & (picture[:, :, 0] < 60)
    assert np.flatnonzero(blue.any(axis=0)).size <= 6


def test_error_is_shown_beside_the_picture_and_goes_away():
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0))
    made.controls["epsilon"].value = 10
    assert made.error == "ValueError: epsilon is too large for this picture"
    assert 'role="alert"' in made._below.value and "too large" in made._below.value
    made.controls["epsilon"].value = 2.0
    assert made.error == "" and "alert" not in made._below.value


def test_a_figure_that_fails_at_the_start_fails_its_cell():
    made = histogram_figure(epsilon=log_slider(0.1, 10, 10.0))
    with pytest.raises(ValueError, match="too large"):
        made._ipython_display_()


def test_error_text_cannot_inject_markup():
    fig, _ = figure()

    def update(k):
        raise ValueError("<img src=x>")

    assert "<img" not in live(fig, update, "nothing", k=slider(0, 3, 1))._below.value


def test_shown_figure_stores_a_picture_with_alt_text_and_then_the_widget():
    InteractiveShell.instance()
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0))
    with capture_output() as shown:
        made._ipython_display_()
    picture, caption, widget = shown.outputs
    assert picture.data["image/png"] and picture.metadata["image/png"]["alt"] == "a noisy histogram"
    assert caption.data["text/plain"] == "noise of scale 1.00 people"
    assert list(widget.data) == ["application/vnd.jupyter.widget-view+json"]


def test_the_task_stands_over_the_picture_and_the_controls():
    InteractiveShell.instance()
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0), task="set $\\varepsilon$ to 2")
    assert "task" not in made.controls
    with capture_output() as shown:
        made._ipython_display_()
    task, picture, *_ = shown.outputs
    assert task.data["text/markdown"].endswith("set $\\varepsilon$ to 2") and picture.data["image/png"]


def test_controls_have_values_names_and_units():
    assert log_slider(0.01, 10, 1.0).value == 1.0
    assert isinstance(slider(1, 5, 2).value, int) and isinstance(slider(0.0, 1.0, 0.5, 0.1).value, float)
    assert choice([64, 1024, 65536], 1024).value == 1024
    assert choice(["mode", "median"], "median").value == "median"
    assert choice({"age 18": 18, "age 65": 65}, 65).value == 65
    assert switch(True).value is True
    assert span(0, 64, (3, 9)).value == (3, 9)
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0, label="ε"), max_bins=slider(1, 5, 2), seed=new_noise(1))
    assert [control.description for control in made.controls.values()] == ["ε", "max bins", "New noise"]


def test_png_is_what_other_readers_see():
    rgba = np.random.default_rng(1).integers(0, 256, size=(37, 53, 4), dtype=np.uint8)
    assert np.array_equal(read(png(rgba)), rgba)


def test_show_source_shows_the_function_itself():
    InteractiveShell.instance()
    with capture_output() as shown:
        show_source(laplace_mechanism)
    assert shown.outputs[0].data["text/plain"].startswith("def laplace_mechanism(")


@pytest.mark.parametrize(("low", "high", "start"), [(0.01, 10, 1.0), (0.005, 2, 0.1), (0.05, 7, 1.0), (1, 100, 1)])
def test_log_slider_starts_on_its_grid(low, high, start):
    """The browser rounds a value to the nearest step from `low`; the start must be one of them."""
    control = log_slider(low, high, start)
    position = (np.log10(start) - control.min) / control.step
    assert abs(position - round(position)) < 1e-6 and control.value == start
    assert low <= 10**control.min * 1.000001 and high / 1.2 < 10**control.max <= high * 1.000001
