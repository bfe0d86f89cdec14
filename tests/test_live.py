"""live: the picture follows the controls and equals a full drawing; an error is shown where the reader looks."""

import asyncio
import base64
import inspect
import io
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from matplotlib import image
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg, get_hinting_flag
from matplotlib.font_manager import FontProperties

from dpbook import arguments
from dpbook.guesses import predict
from dpbook.laplace import laplace_mechanism
from dpbook.live import choice, live, log_slider, new_noise, png, show_source, slider, span, switch
from dpbook.plots import COLOURS, figure, set_steps, steps, verdict_text
from livefig import listing
from livefig.controls import stops_of
from livefig.drawing import Drawing
from livefig.lettering import KNOWN, Canvas, Spacing
from tools.book import faults

pytestmark = pytest.mark.depends("tests/test_live.py")

COUNTS = np.arange(64.0) % 17


@pytest.fixture(autouse=KNOWN)
def lines_on_whole_pixels(monkeypatch):
    """matplotlib's own drawing, with which ours is compared, puts lines of text on whole pixels as ours does."""
    draw_text = RendererAgg.draw_text

    def on_whole_pixels(self, gc, x, y, *line, **more):
        draw_text(self, gc, round(x), round(y), *line, **more)

    monkeypatch.setattr(RendererAgg, "draw_text", on_whole_pixels)


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


def test_picture_follows_every_control_there_and_back():
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0), seed=new_noise(1))
    first = made.picture.value
    seen = {first}
    for epsilon in (0.5, 0.1, 2.0):
        made.controls["epsilon"].value = epsilon
        seen.add(made.picture.value)
    made.controls["seed"].click()
    assert made.controls["seed"].value == 2
    seen.add(made.picture.value)
    assert len(seen) == 5 and made.error == ""
    assert made.caption == "noise of scale 0.50 people"
    made.controls["seed"].value, made.controls["epsilon"].value = 1, 1.0
    assert made.picture.value == first


def test_moved_picture_is_the_full_drawing():
    """Drawing only what moved gives the pixels of drawing everything (a spine may be overdrawn by a bar's edge)."""
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0), seed=new_noise(1))
    for epsilon in (0.2, 3.0):
        made.controls["epsilon"].value = epsilon
    moved = pixels(made.picture.value)
    full = in_full(made)
    assert moved.shape == full.shape
    assert np.mean(np.abs(moved - full).max(axis=2) > 8) < 0.002


@pytest.mark.parametrize("grid", [False, True])
def test_new_limits_leave_the_other_scale_as_it_was(grid, monkeypatch):
    """Its ticks are not drawn again, for the same pixels; where it has lines across the picture they must be."""
    pictures = []
    for every_time in (False, True):
        if every_time:
            monkeypatch.setattr(Drawing, "_lasting_scales", lambda drawing: [])
        fig, ax = figure()
        (line,) = ax.plot([0, 1], [0, 1])
        ax.set(yscale="log", ylim=(1e-3, 2), ylabel="share", xlabel="people")
        ax.grid(grid, axis="y")

        def update(right, ax=ax, line=line):
            line.set_xdata([0, right])
            ax.set_xlim(0, right)

        made, drawn = live(fig, update, "a line", right=slider(1, 100, 1)), []
        made.controls["right"].value = 50
        plain = ax.yaxis.label.draw
        ax.yaxis.label.draw = lambda renderer, drawn=drawn, plain=plain: (drawn.append("y"), plain(renderer))
        for right in (90, 7, 100):
            made.controls["right"].value = right
        pictures.append(pixels(made.picture.value))
        assert made.error == "" and len(drawn) == (3 if grid or every_time else 0)
    assert np.array_equal(*pictures)


def test_a_scale_that_changes_later_than_the_other_is_drawn_anew():
    fig, ax = figure()

    def update(right):
        ax.set_xlim(0, right)
        if right > 50:
            ax.set_ylim(0, right)

    made = live(fig, update, "empty axes", right=slider(1, 100, 1))
    made.controls["right"].value = 40
    before = pixels(made.picture.value)
    made.controls["right"].value = 90
    after = pixels(made.picture.value)
    assert not np.array_equal(before[:-60, :70], after[:-60, :70])
    assert np.abs(after - in_full(made)).max() <= 1


def test_new_limits_draw_their_own_axes_again_and_nothing_else():
    fig, (left, right) = figure(columns=2)
    (line,), (still,) = left.plot([0, 1], [0, 1]), right.plot([0, 1], [1, 0])
    right.set(xlabel="fixed", ylabel="fixed")
    drawn = []
    plain = still.draw
    still.draw = lambda renderer: (drawn.append("still"), plain(renderer))

    def update(top):
        line.set_ydata([0, top])
        left.set_ylim(0, top)
        left.set_title(f"up to {top}")

    made = live(fig, update, "two lines", top=slider(1, 100, 1))
    made.controls["top"].value = 50
    complete = made.drawing.complete
    assert drawn
    drawn.clear()
    for top in (90, 7, 100):
        made.controls["top"].value = top
        picture = pixels(made.picture.value)
        assert not drawn
        assert np.mean(np.abs(picture - in_full(made)).max(axis=2) > 8) < 0.002  # where the line crosses a spine
        drawn.clear()
    assert made.drawing.complete == complete


def test_what_lies_behind_the_first_that_changes_is_kept_and_right_at_every_scale():
    fig, (left, right) = figure(columns=2)
    (behind,), (before,) = left.plot([0, 1], [0, 1], linewidth=5), right.plot([0, 1], [1, 0], linewidth=5)
    drawn, plain = [], behind.draw
    behind.draw = lambda renderer: (drawn.append("behind"), plain(renderer))

    def update(low, high):
        for line, height in ((behind, low), (before, high)):
            if line.get_ydata()[1] != height:
                line.set_ydata([0, height])

    made = live(fig, update, "two lines", low=slider(0.1, 1, 1), high=slider(0.1, 1, 0.1))
    for low, high in ((0.5, 0.4), (0.3, 0.4), (0.3, 0.5), (0.3, 0.2), (0.9, 0.2), (0.9, 0.6)):
        made.controls["low"].value, made.controls["high"].value = low, high
        assert np.array_equal(pixels(made.picture.value), in_full(made))
        finer = made.drawing.rgba(2).copy()
        made.drawing.forget(2)
        assert np.array_equal(finer, made.drawing.rgba(2)), "kept, and drawn from nothing"
    made.controls["high"].value = 0.3  # from here on the line behind has not changed since it was last drawn
    drawn.clear()
    for high in (0.8, 0.4, 0.7):
        made.controls["high"].value = high
        assert not drawn and np.array_equal(pixels(made.picture.value)[:, :100], in_full(made)[:, :100])
        drawn.clear()


def in_full(made):
    """The pixels of drawing everything."""
    animated = [artist for artist, _ in made.drawing.artists() if artist.get_animated()]
    for artist in animated:
        artist.set_animated(False)
    made.fig.canvas.draw()
    for artist in animated:
        artist.set_animated(True)
    for artist, _ in made.drawing.artists():  # of matplotlib 3.9, drawing leaves some scales stale
        artist.stale = False
    return np.asarray(made.fig.canvas.buffer_rgba())[:, :, :3].astype(int)


@pytest.mark.parametrize("scale", [1, 2.5])
def test_kept_letters_are_the_pixels_of_matplotlib(scale):
    """Formulas, turned and touching letters, a line at another place; the first time and when they are kept."""
    fig, ax = figure()
    ax.set_title("AVAToff ε = 0.123, $\\sqrt{x^2+1}/\\alpha_0$", alpha=0.5)
    ax.set(ylabel=r"people $\frac{a}{b}$ AV", xlabel="two\nlines", yscale="log", ylim=(1, 1e4))
    words = [ax.text(k / 5, 10 + k, f"{k} % o\u0338f AW", rotation=25 * k, style="italic") for k in range(5)]
    fig.canvas.draw()
    fig.set_layout_engine("none")
    fig.dpi *= scale
    ours, theirs = Canvas(fig), FigureCanvasAgg(fig)
    for place in (0.1, 0.1, 0.7):
        words[0].set_x(place)
        ours.draw()
        theirs.draw()
        assert np.array_equal(ours.buffer_rgba(), theirs.buffer_rgba())


@pytest.mark.depends("notebooks", "tests/test_live.py")
@pytest.mark.skipif(not KNOWN, reason="any other matplotlib draws as it always did")
def test_a_line_of_known_letters_is_placed_as_matplotlib_places_it():
    """Lines of every page's words in another order, with numbers, Greek, signs and letters that are written as one."""
    pages = (Path(__file__).parents[1] / "notebooks").glob("*.py")
    words = {word for page in pages for word in page.read_text().split()} | {"office", "ﬂag", "ε≤½", "naïve"}
    words = np.array(sorted(words))  # once: of a list each choice would make an array
    rng, theirs, prop = np.random.default_rng(1), RendererAgg(900, 400, 100), FontProperties(size=11)
    spacing, font, learnt, kept = Spacing(), theirs._prepare_font(prop), 0, {"flags": get_hinting_flag()}
    for _ in range(1500):
        line = " ".join([*rng.choice(words, 3), f"{rng.normal():,.3f}"])
        room = theirs.get_text_width_height_descent(line, prop, False)
        if spacing.room(line) is None:
            assert spacing.placed(line) is None
            spacing.learn(line, room[0], font)
            continue
        shaped = font._layout(line, **kept)
        assert spacing.room(line) == room
        assert spacing.placed(line) == ([item.glyph_index for item in shaped], [item.x for item in shaped])
        learnt += 1
    assert learnt > 500 and {"fi", "ffi"} <= set(spacing.joined)


@pytest.mark.skipif(not KNOWN, reason="any other matplotlib draws as it always did")
@pytest.mark.parametrize("line", ["o\u0338f", "אבג", "אבא", "\u202eabc", "ab\u200dc", ""])
def test_a_line_whose_letters_do_more_than_follow_one_another_is_not_learnt(line):
    theirs, spacing = RendererAgg(900, 400, 100), Spacing()
    spacing.learn(line, 1.0, theirs._prepare_font(FontProperties(size=11)))
    assert spacing.room(line) is None and spacing.placed(line) is None


def test_what_waits_to_be_shown_is_not_waited_for():
    """Words and bars that show nothing at first: the second that is shown needs no drawing of everything."""
    fig, ax = figure()
    words, bars = [ax.text(k, 0.5, "") for k in range(4)], ax.bar(range(4), np.ones(4), visible=False)
    ax.set(ylim=(-1, 2))

    def update(k):
        for place, (word, bar) in enumerate(zip(words, bars, strict=True)):
            word.set_text("here" if place == k else "")
            bar.set_visible(place == k)

    made = live(fig, update, "bars with words", k=slider(-1, 3, -1))
    made.controls["k"].value = 0
    complete = made.drawing.complete
    for k in (1, 3, 2):
        made.controls["k"].value = k
        assert made.drawing.complete == complete
        assert np.array_equal(pixels(made.picture.value), in_full(made))


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


def test_error_is_shown_beside_the_picture_with_the_readers_line_and_goes_away():
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0))
    made.controls["epsilon"].value = 10
    source, first = inspect.getsourcelines(histogram_figure)
    line = first + next(number for number, text in enumerate(source) if "raise ValueError" in text)
    assert made.error.startswith(f"ValueError: epsilon is too large for this picture (line {line}: raise ValueError(")
    assert 'role="alert"' in made._below.value and "too large" in made._below.value
    made.controls["epsilon"].value = 2.0
    assert made.error == "" and "alert" not in made._below.value


def test_an_error_deep_inside_names_the_readers_line():
    fig, ax = figure()
    ax.plot([0, 1])

    def update(epsilon):
        return str(
            laplace_mechanism(COUNTS, 1, epsilon - 1, np.random.default_rng(1)),
        )

    made = live(fig, update, "nothing", epsilon=log_slider(0.1, 10, 2.0))
    made.controls["epsilon"].value = 0.5
    assert made.error.startswith("ValueError: epsilon must be") and "laplace_mechanism(COUNTS, 1," in made.error


def test_a_figure_that_fails_at_the_start_fails_its_cell_as_the_reader_wrote_it():
    """The original exception; the last line of the cell that its traceback holds is the one that failed."""
    with pytest.raises(ValueError, match="too large") as caught:
        histogram_figure(epsilon=log_slider(0.1, 10, 10.0))
    assert "raise ValueError" in str(caught.traceback[-1].statement)


def test_error_text_cannot_inject_markup():
    fig, _ = figure()

    def update(k):
        if k:
            raise ValueError("<img src=x>")

    made = live(fig, update, "nothing", k=slider(0, 3, 0))
    made.controls["k"].value = 1
    assert "img src" in made._below.value and "<img" not in made._below.value


PAGE = """
from dpbook.live import live, slider
from dpbook.plots import figure

factor = 10

def scaled(height):
    return factor * height

fig, ax = figure()
(line,) = ax.plot([0, 1], [0, 1])

def update(height):
    line.set_ydata([0, height])
    return f"height {scaled(height)}, {[factor for _ in range(1)]}"

made = live(fig, update, "a line", height=slider(0.0, 1.0, 0.5, 0.25))
"""


def test_a_copied_figure_and_a_later_name_leave_the_first_as_it_was():
    page = {"__name__": "__main__"}
    exec(PAGE, page)
    first, its_line = page["made"], page["line"]
    exec(PAGE.replace("factor = 10", "factor = 7"), page)
    before = first.picture.value
    first.controls["height"].value = 1.0
    assert first.caption == "height 10.0, [10]" and list(its_line.get_ydata()) == [0, 1.0]
    assert first.picture.value != before and first.error == ""
    page["made"].controls["height"].value = 0.25
    assert page["made"].caption == "height 1.75, [7]" and list(its_line.get_ydata()) == [0, 1.0]


def test_controls_stand_in_columns_with_what_has_no_track_behind():
    kinds = {"a": slider(0, 3, 1), "b": log_slider(0.1, 10, 1.0), "c": choice(["x", "y"], "x"), "d": switch(True)}
    kinds |= {"e": span(0, 9, (1, 2)), "f": new_noise(1), "g": choice([1, 2], 1)}
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0), **kinds)
    grid = made._box().children[1]
    *rows, last = grid.children
    names = ["epsilon", "a", "b", "c", "e", "g"]
    assert rows == [made.controls[name] for name in names]
    assert list(last.children) == [made.controls["d"], made.controls["f"], made._note]
    wide = [row for row in (*rows, last) if "live-wide" in row._dom_classes]
    assert wide == [made.controls["c"], made.controls["e"], last], "four narrow ones: the last has a row to itself"
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0), seed=new_noise(1))
    _, last, note = made._box().children[1].children
    assert list(last.children) == [made.controls["seed"]] and "live-wide" not in last._dom_classes
    assert note is made._note and "live-wide" in note._dom_classes


def test_shown_figure_stores_a_picture_with_alt_text_and_then_the_widget():
    InteractiveShell.instance()
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0))
    with capture_output() as shown:
        made._ipython_display_()
    picture, caption, widget = shown.outputs
    assert picture.metadata["image/png"] == {"alt": "a noisy histogram", "width": 828, "height": 408}
    assert read(picture.data["image/png"]).shape[:2] == (816, 1656), "two pixels a dot"
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
    assert slider(0, 2_000, 1_000).readout_format == ",d"
    assert [slider(0.0, 2, 1, step).readout_format for step in (0.5, 0.05, 1.0)] == [".1f", ".2f", ".0f"]
    assert choice([64, 1024, 65536], 1024).value == 1024
    assert [name for name, _ in choice([1e-9, 0.001, 65536, np.inf], 0.001).options] == ["10⁻⁹", "0.001", "65,536", "∞"]
    assert choice(["mode", "median"], "median").value == "median"
    assert choice({"age 18": 18, "age 65": 65}, 65).value == 65
    assert switch(True).value is True
    assert span(0, 64, (3, 9)).value == (3, 9)
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0, label="ε"), max_bins=slider(1, 5, 2), seed=new_noise(1))
    assert [control.description for control in made.controls.values()] == ["ε", "max bins", "New noise"]


def test_every_control_has_the_label_that_it_is_given_and_six_digits():
    kinds = [log_slider(0.1, 10, 1, label="ε"), slider(1, 5, 2, label="ε"), slider(0.0, 1.0, 0.5, 0.1, label="ε")]
    kinds += [choice([1, 2], 1, label="ε"), choice(["a", "b"], "a", label="ε"), switch(True, label="ε")]
    kinds += [span(0, 9, (1, 2), label="ε")]
    assert {(kind.description, kind.style.description_width) for kind in kinds} == {("ε", "initial")}
    assert [choice([1 / 3, 2], 2).options[0][0], log_slider(1 / 3, 2, 2).options[0][0]] == ["0.333333"] * 2


def test_png_is_what_other_readers_see():
    rgba = np.random.default_rng(1).integers(0, 256, size=(37, 53, 4), dtype=np.uint8)
    assert np.array_equal(read(png(rgba)), rgba[:, :, :3])


class Listed:
    """A class to be listed.

    Its rest: a < b.
    """

    def method(self):
        """One line."""
        return "a string  that is long"  # and a comment


@pytest.mark.parametrize("function", [laplace_mechanism, Listed, png])
def test_a_listing_is_the_source_with_the_rest_of_its_docstring_folded(function):
    InteractiveShell.instance()
    with capture_output() as shown:
        show_source(function)
    source, listing = shown.outputs[0].data["text/plain"], shown.outputs[0].data["text/html"]
    assert source == inspect.getsource(function)
    tree = ElementTree.fromstring(listing)
    said = "".join(tree.itertext()).replace(" …", "")
    assert "".join(said.split()) == "".join(source.split()), "nothing is left out"
    first, *rest = [line.strip() for line in inspect.getdoc(function).split("\n") if line.strip()]
    folded = ["".join(details.find("pre").itertext()) for details in tree.iter("details")]
    seen = ["".join(pre.itertext()) for pre in tree.findall("pre")]
    assert all(first not in text for text in (*folded, *seen)) == bool(rest) and len(folded) == bool(rest)
    assert all(line in folded[0] for line in rest)
    styles = [part.get("style") for kind in ("pre", "summary") for part in tree.iter(kind)]
    assert all("space: pre-wrap;" in style and "break: normal" in style for style in styles)
    lines = [line for line in tree.iter("span") if "block" in line.get("style", "")]
    shown = ["".join(line.itertext()) for line in lines]
    assert [line.rstrip(" …\n") for line in shown] == source.rstrip().split("\n"), "each line is a line"
    for line, text in zip(lines, shown, strict=True):  # what does not fit goes on further in than the line begins
        further = len(text) - len(text.lstrip(" ")) + 4
        assert f"padding-left: {further}ch; text-indent: -{further}ch" in line.get("style")


def with_checks(data, low, epsilon):
    """Some checks, in and between what a reader wants to see."""
    data = arguments.vector("data", data)
    if low > 1:
        arguments.refuse("low", low, "at most 1")
    ends = arguments.interval("low", low)
    epsilon = arguments.positive("epsilon", epsilon) / 2
    epsilon = arguments.positive("epsilon", epsilon)
    return data + epsilon + ends[0]


def test_checks_of_arguments_are_folded_where_they_do_nothing_else():
    """Two lines or more; what names something new, or computes, stays in sight."""
    tree = ElementTree.fromstring(listing.listing(inspect.getsource(with_checks)))
    [folded] = tree.findall("details")
    assert "".join(folded.find("summary").itertext()) == "    # data, low: checked …"
    assert len("".join(folded.find("pre").itertext()).splitlines()) == 3
    seen = "".join("".join(pre.itertext()) for pre in tree.findall("pre"))
    for line in ("ends = ", "/ 2", 'epsilon = arguments.positive("epsilon", epsilon)\n', "return"):
        assert line in seen


@pytest.mark.parametrize(
    ("low", "high", "start"), [(0.01, 10, 1.0), (0.005, 2, 0.1), (0.05, 7, 1 / 3), (1, 100, 1), (0.0005, 0.95, 0.05)]
)
def test_a_log_slider_ends_where_it_says_and_has_the_numbers_that_people_name(low, high, start):
    control = log_slider(low, high, start)
    names, stops = zip(*control.options, strict=True)
    assert (stops[0], control.value, stops[-1]) == (low, start, high) and start in stops
    named = {float(f"{number}e{decade}") for number in (1, 1.5, 2, 3, 5, 8) for decade in range(-4, 3)}
    far = {number for number in named if low < number < high and abs(np.log(number / start)) > 0.1}
    assert far <= set(stops), "as it is written, to the last digit"
    assert list(stops) == sorted(stops) and len(set(names)) == len(names)
    steps = np.diff(np.log(stops))
    assert 0.03 < steps.min() and steps.max() < 0.2


def test_a_log_slider_takes_the_nearest_of_its_numbers_and_none_beyond_its_ends():
    control = log_slider(0.1, 10, 1.0)
    control.value = 4.7
    assert control.value == 4.5 and control.label == "4.5"
    with pytest.raises(ValueError, match=r"from 0\.1 to 10\.0, got 11"):
        control.value = 11
    assert control.value == 4.5
    for ends in ((0.1, 10, 11), (1, np.inf, 1), (1e-300, 1e300, 1)):
        with pytest.raises(ValueError, match="0 < low"):
            log_slider(*ends)


@pytest.mark.parametrize("numbers", [(0, 5, 6), (0, 5, 1, 0), (5, 0, 3), (0.0, np.inf, 1.0), (np.nan, 1, 0.5)])
def test_a_slider_that_cannot_be_is_refused(numbers):
    with pytest.raises(ValueError, match="a slider needs low <= start <= high and a step above 0"):
        slider(*numbers)


def test_a_finer_picture_follows_when_the_slider_rests(monkeypatch):
    """Where the screen gives a dot two pixels; not before, and with one pixel a dot never."""
    monkeypatch.setattr("livefig.figure.REST", 0.02)
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0))

    async def move(*values):
        for value in values:
            made.controls["epsilon"].value = value
            seen.append(pixels(made.picture.value).shape[:2])
        await asyncio.sleep(0.1)
        seen.append(pixels(made.picture.value).shape[:2])

    seen = []
    asyncio.run(move(2.0, 3.0))
    made.page.ratio = 2.0
    asyncio.run(move(0.1, 5.0))
    assert seen == [(408, 828)] * 5 + [(816, 1656)]
    fine = pixels(made.picture.value)
    made.page.ratio = 1.0
    coarse = pixels(made.picture.value)
    assert coarse.shape[:2] == (408, 828), "on another screen"
    assert np.abs(fine.reshape(408, 2, 828, 2, 3).mean(axis=(1, 3)) - coarse).mean() < 3, "not that of 0.1"


def test_a_screen_of_any_density_gets_its_pixels():
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0))
    for ratio, shape in ((1.5, (612, 1242)), (9.0, (1224, 2484))):
        made.page.ratio = ratio
        assert pixels(made.picture.value).shape[:2] == shape
    assert (made.fig.dpi, made.fig.canvas.get_width_height()) == (120, (828, 408)), "update sees the figure as it was"


def test_two_live_figures_of_one_figure_leave_no_ghost():
    """A reader who copies the line with `live` has two pictures of the same artists."""
    fig, ax = figure()
    ax.set(xlim=(0, 10), ylim=(0, 1))
    blue, red = ax.axvline(2, color="blue"), ax.axvline(5, color="red")
    first = live(fig, lambda x: blue.set_xdata([x, x]), "a line", x=slider(1, 9, 2))
    second = live(fig, lambda y: red.set_xdata([y, y]), "another", y=slider(1, 9, 5))
    first.controls["x"].value = 7
    second.controls["y"].value = 8
    first.controls["x"].value = 3
    picture = pixels(first.picture.value)
    for channel in (0, 2):
        coloured = (picture[:, :, channel] > 200) & (picture[:, :, 2 - channel] < 60)
        assert 1 <= np.flatnonzero(coloured.any(axis=0)).size <= 6


def count_to(top, start, **more):
    """A live figure that says what its slider says, and its player."""
    fig, _ = figure()
    made = live(fig, lambda time, **_: f"{time}", "nothing", play="time", time=slider(1, top, start), **more)
    (player,) = (box for box in made._box().children[1].children[-1].children if "live-play" in box._dom_classes)
    return made, player.children[0]


def test_a_player_takes_its_slider_to_the_end_and_the_slider_its_player():
    made, play = count_to(16, 13)
    assert (play.value, play.max, play.playing) == (12, 15, False) and made.caption == "13"
    for _ in range(3):
        play.value += 1
    assert made.caption == "16"
    made.controls["time"].value = 3
    assert play.value == 2 and made.caption == "3"


def test_a_long_slider_plays_in_few_pictures_from_end_to_end():
    made, play = count_to(923, 100)
    assert made.caption == "100", "a slider between two pictures stays where it is"
    said = [made.caption for play.value in range(play.max + 1)]
    assert len(set(said)) == len(said) <= 60 and (said[0], said[-1]) == ("1", "923")


def test_a_slider_whose_steps_do_not_end_at_its_end_plays_to_its_end():
    for end in (9, 10, 11, 12):
        assert stops_of(slider(0, end, 0, 4)) == [0, 4, 8, end]
    assert stops_of(slider(0.0, 0.3, 0.0, 0.1)) == [0, 0.1, 0.2, 0.3]
    assert stops_of(slider(0.0, 1.0, 0.0, 0.35)) == [0, 0.35, 0.7, 1]


def test_only_a_slider_that_is_there_plays_and_not_before_the_guess(monkeypatch, tmp_path):
    monkeypatch.setenv("DPBOOK_GUESSES", str(tmp_path / "guesses.jsonl"))
    with pytest.raises(ValueError, match=r"one of the controls \['epsilon'\], got 'time'"):
        histogram_figure(epsilon=log_slider(0.1, 10, 1.0), play="time")
    with pytest.raises(ValueError, match="one handle"):
        histogram_figure(epsilon=log_slider(0.1, 10, 1.0), seed=new_noise(1), play="seed")._box()
    made, play = count_to(9, 1, guess=predict("How far?", (0, 10), r"(\d+)", time=9))
    assert play.disabled
    made.panel.guess(9, 0.9)
    assert not play.disabled and play.value == 8


def test_the_page_of_a_figure_is_told_that_somebody_is_there(monkeypatch):
    """It asks when it has waited; and it has its script and its style from files."""
    made, sent = histogram_figure(epsilon=log_slider(0.1, 10, 1.0)), []
    assert made.page is made._box().children[-1]
    monkeypatch.setattr(made.page, "send", sent.append)
    made.page._handle_custom_msg({"kind": "there?"}, [])
    assert sent == [{"kind": "there"}]
    shown = made.page.get_state()
    assert "export default { render }" in shown["_esm"] and ".live-figure" in shown["_css"]


def figure_with_legend(corner, **style):
    """A live point, curve, outline or text that moves to the right under a legend."""
    fig, ax = figure()
    ax.set(xlim=(0, 10), ylim=(0, 10))
    ax.plot([0, 10], [20, 20], label="a legend")
    ax.legend(loc=corner)
    kinds = {
        "point": lambda: ax.plot([1], [9.5], "o", **style)[0],
        "curve": lambda: ax.plot([0, 1], [9.5, 9.5])[0],
        "cloud": lambda: ax.scatter([1, 1], [9.5, 9]),
        "box": lambda: ax.bar([1], [10], width=0.5)[0],
        "words": lambda: ax.text(1, 9.3, "words"),
        "guide": lambda: ax.axvline(1),
    }
    return fig, ax, kinds


def set_place(kind, artist, x):
    if kind == "curve":
        artist.set_xdata([0, x])
    elif kind == "guide":
        artist.set_xdata([x, x])
    elif kind == "cloud":
        artist.set_offsets([[x, 9.5], [x, 9]])
    elif kind == "point":
        artist.set_xdata([x])
    else:
        artist.set_x(x)


@pytest.mark.parametrize("kind", ["point", "curve", "cloud", "box", "words", "guide"])
def test_what_lies_under_a_legend_or_out_of_the_picture_is_found(kind):
    fig, _, kinds = figure_with_legend("upper right")
    artist = kinds[kind]()
    made = live(fig, lambda x: set_place(kind, artist, x), "something", x=slider(-20, 30, 1))
    found = {}
    for made.controls["x"].value in (2, 9, 20, -15):
        found[made.controls["x"].value] = list(faults.unseen(made))
    assert found[2] == [] and len(found[9]) == 1 and "legend covers" in found[9][0]
    gone = [] if kind in ("words", "guide") else ["nothing that moves is to be seen in axes 0"]
    assert found[-15] == gone, "words and guides alone are no picture that could be empty"
    if kind == "curve":
        artist.set_data([1, 8, np.nan, 2], [5, 5, 9.5, 5])
        assert faults.unseen(made) == [], "it breaks where there is no number, and goes round the legend"
    else:
        assert found[20] == gone


def test_words_may_stand_in_an_empty_picture():
    fig, ax, kinds = figure_with_legend("upper left")
    point, words = kinds["point"](), ax.text(5, 5, "")

    def update(x):
        point.set_xdata([x])
        words.set_text("none in this window" if x > 10 else "")

    made = live(fig, update, "a point", x=slider(5, 30, 6))
    made.controls["x"].value = 20
    assert faults.unseen(made) == []


def test_a_figure_with_more_controls_than_four_is_found():
    fig, ax = figure()
    line = ax.plot([0, 1], [0, 1])[0]
    controls = {name: slider(0, 9, 1) for name in "abcd"} | {"seed": new_noise(1)}
    kept = live(fig, lambda **values: line.set_ydata([0, values["a"]]), "a line", **controls)
    assert list(faults.crowded(kept)) == []
    kept.controls["e"] = slider(0, 9, 1)
    assert list(faults.crowded(kept)) == ["5 controls, 4 at most: a, b, c, d, e"]


def test_words_that_the_edge_of_the_picture_cuts_are_found():
    fig, ax, kinds = figure_with_legend("upper left")
    point, words = kinds["point"](), ax.text(5, 5, "? 1.94 not refuted")
    made = live(fig, lambda x: (point.set_xdata([5]), words.set_x(x))[0], "some words", x=slider(-20, 30, 5))
    found = {}
    for made.controls["x"].value in (6, 9, -1, 25):
        found[made.controls["x"].value] = list(faults.unseen(made))
    assert found == {6: [], 9: ["the edge of the picture cuts '? 1.94 not refuted'"], -1: found[9], 25: []}


def test_a_title_that_the_edge_of_the_picture_cuts_is_found():
    fig, axes = figure(columns=2)
    told = verdict_text(axes[1])

    def update(x):
        told.set_text(f"{x} words in bold letters")

    made = live(fig, update, "a title", x=choice(["three", "three dozen, or yet more and more, big"], "three"))
    assert faults.unseen(made) == []
    made.controls["x"].value = "three dozen, or yet more and more, big"
    assert "the edge of the picture cuts" in faults.unseen(made)[0]


def test_a_finer_picture_changes_nothing_of_what_is_seen():
    fig, ax, kinds = figure_with_legend("upper left")
    point, words = kinds["point"](), ax.text(5, 5, "words in the middle")
    made = live(fig, lambda x: (point.set_xdata([5]), words.set_x(x))[0], "some words", x=slider(4, 6, 5))
    made.drawing.rgba(3)
    assert faults.unseen(made) == []


def test_a_line_of_one_point_is_seen():
    fig, ax = figure()
    ax.set(xlim=(0, 10), ylim=(0, 1))
    (line,) = ax.plot([1, 2], [0.5, 0.5], "o-")
    made = live(fig, lambda x: line.set_data([x], [0.5]) or str(x), "A point that moves.", x=slider(1, 20, 5))
    assert faults.unseen(made) == []
    made.controls["x"].value = 15
    assert faults.unseen(made) == ["nothing that moves is to be seen in axes 0"]


def test_a_value_that_a_task_names_and_no_control_takes_is_found():
    task = "set *records* to 3, then *lead time* to 2.5, take $\\varepsilon = 0.9$ and $\\varepsilon$ to 40; "
    task += "**q** at 0.35"
    controls = {"records": slider(2, 10, 4, 2), "lead": slider(0.0, 5, 1, 0.5, label="lead time, days")}
    made = histogram_figure(epsilon=log_slider(0.1, 10, 1.0), q=choice([0.3, 0.35], 0.3), task=task, **controls)
    beyond = ("epsilon to 40", "records to 3")
    assert list(faults.out_of_reach(made)) == [f"the task sets {what}, the control cannot" for what in beyond]
