"""What the corner of a live figure and the links of its page do: move, reset, pin, save, one slider for all figures."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from dpbook.guesses import predict
from dpbook.live import choice, live, log_slider, new_noise, slider, span, switch
from dpbook.plots import figure
from livefig import corner
from livefig.controls import put, said


def made(alt="a line at the height that the sliders say", **options):
    """A live figure whose line goes to `height` times `epsilon`; a height of 3 is refused."""
    fig, ax = figure(height=2.0)
    (line,) = ax.plot([0, 1], [0, 1])
    ax.set_ylim(0, 100)

    def update(height, epsilon, **_):
        if height == 3:
            raise ValueError("three is no height")
        line.set_data([0, 1], [0, height * epsilon])
        return f"{height} at {epsilon:g}"

    controls = {"height": slider(0, 10, 5), "epsilon": log_slider(0.1, 10, 1)}
    return live(fig, update, alt, **options, **controls, seed=new_noise(1))


def hear(shown, **message):
    """What the page sends; what it gets back."""
    sent = []
    shown.page.send = lambda content, buffers=None: sent.append((content, buffers))
    shown.corner._heard(shown.page, message, [])
    return sent


def values(shown):
    return {name: control.value for name, control in shown.controls.items()}


def test_a_link_moves_the_controls_and_reset_moves_them_back():
    shown = made()
    assert shown.page.names == ["height", "epsilon", "seed"]
    hear(shown, kind="move", values={"height": "8", "epsilon": "0.1"})
    assert values(shown) == {"height": 8, "epsilon": 0.1, "seed": 1} and shown.caption == "8 at 0.1"
    shown.controls["seed"].click()
    hear(shown, kind="reset")
    assert values(shown) == {"height": 5, "epsilon": 1, "seed": 1} and shown.caption == "5 at 1"


def test_a_link_that_cannot_be_followed_is_said_under_the_picture():
    shown = made()
    hear(shown, kind="move", values={"height": "high"})
    assert "height must be a number, got &#x27;high&#x27;" in shown._below.value and shown.controls["height"].value == 5


@pytest.mark.parametrize(
    ("control", "words", "value"),
    [
        (slider(0, 10, 5), "7", 7),
        (slider(0.0, 1.0, 0.5, 0.1), "0.7", 0.7),
        (slider(0, 10, 5), "99", 10),
        (log_slider(0.1, 10, 1), "0.33", 0.35),
        (log_slider(0.1, 10, 1), "1000", 10),
        (choice([1, 10, 1_000], 1), "1,000", 1_000),
        (choice([1, 10, 1_000], 1), "1000", 1_000),
        (choice({"a name": "x", "other": "y"}, "x"), "other", "y"),
        (switch(False), "on", True),
        (switch(True), "off", False),
        (span(0, 9, (1, 2)), "3,5", (3, 5)),
        (span(0, 9, (1, 2)), "-3, inf", (0, 9)),
        (span(0, 5_000, (1, 2)), "900 to 1,000", (900, 1_000)),
        (slider(0, 10, 5), "7.6", 8),
        (slider(0, 10, 5), "inf", 10),
        (slider(0, 10, 5), "-1e400", 0),
        (slider(0.0, 1.0, 0.5, 0.1), "inf", 1),
        (slider(0, 9_999, 5), "5,000", 5_000),
        (log_slider(0.1, 1e4, 1), "inf", 1e4),
        (log_slider(0.1, 1e4, 1), "3,010", 3_000),
        (new_noise(1), "4", 4),
    ],
)
def test_every_kind_of_control_can_be_put_where_words_say(control, words, value):
    put(control, words)
    assert control.value == value


@pytest.mark.parametrize(
    ("control", "words", "wanted"),
    [
        (choice(["a", "b"], "a"), "c", "must be one of \\['a', 'b'\\], got 'c'"),
        (switch(True), "yes", "must be on or off, got 'yes'"),
        (slider(0, 10, 5), "", "must be a number, got ''"),
        (slider(0, 10, 5), "1,0", "must be a number, got '1,0'"),
        (slider(0.0, 1.0, 0.5, 0.1), "nan", "must be a number, got 'nan'"),
        (log_slider(0.1, 10, 1), "nan", "must be a number, got 'nan'"),
        (new_noise(1), "inf", "must be a whole number, got 'inf'"),
        (span(0, 9, (1, 2)), "5,3", "must be two numbers, the lower first, got '5,3'"),
        (span(0, 9, (1, 2)), "5", "must be two numbers, the lower first, got '5'"),
    ],
)
def test_words_that_a_control_does_not_know_are_refused(control, words, wanted):
    with pytest.raises(ValueError, match=wanted):
        put(control, words)


def test_a_value_is_said_as_the_page_writes_it():
    kinds = [
        choice({"a name": "x"}, "x"),
        choice({"as in the source": False, "all four": True}, True),
        switch(True),
        span(0, 9, (1, 2)),
        slider(0, 9_999, 5_000),
        log_slider(1, 9e4, 2e4),
    ]
    words = ["a name", "all four", "on", "1 to 2", "5,000", "20,000"]
    assert [said(kind, kind.value) for kind in kinds] == words


def test_what_the_page_writes_of_a_value_puts_it_there():
    for control, value in ((slider(0, 9_999, 1), 5_000), (span(0, 9_999, (1, 2)), (3, 1_000)), (switch(False), True)):
        put(control, said(control, value))
        assert control.value == value


def picture(address):
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))).convert("L"))


def test_what_moves_is_pinned_without_its_words_and_moving_goes_on():
    shown = made()
    shown.controls["height"].value = 6
    complete = shown.drawing.complete
    hear(shown, kind="pin")
    pinned = picture(shown.page.pinned)
    assert 0.001 < (pinned < 200).mean() < 0.02, "a line, and neither scales nor words"
    shown.controls["height"].value = 9
    assert shown.drawing.complete == complete
    hear(shown, kind="pin")
    assert shown.page.pinned == ""


def test_before_anything_has_moved_there_is_something_to_pin():
    shown = made()
    hear(shown, kind="pin")
    assert (picture(shown.page.pinned) < 200).any()


def test_a_picture_is_saved_and_the_figure_is_as_before():
    shown, other = made(), made("another line at the height that the sliders say")
    for one in (shown, other):
        one.controls["height"].value = 6
    complete = shown.drawing.complete
    for form, begins, drawn in (("svg", b"<?xml", 0), ("png", b"\x89PNG", 1)):
        [(content, [saved])] = hear(shown, kind="save", format=form)
        assert content == {"kind": "saved", "format": form} and saved.startswith(begins) and len(saved) > 2_000
        for one in (shown, other):
            one.controls["height"].value += 1
        assert bytes(shown.picture.value) == bytes(other.picture.value)
        assert shown.drawing.complete == complete + drawn


def test_one_slider_moves_in_all_figures_once_that_is_asked_for():
    first, second, third = (made(f"the line of figure {number}, at a height") for number in (1, 2, 3))
    third.controls["epsilon"].value = 2
    hear(first, kind="together", on=True)
    assert second.page.together and [one.controls["epsilon"].value for one in (second, third)] == [1, 1]
    first.controls["epsilon"].value = 0.5
    assert [one.controls["epsilon"].value for one in (second, third)] == [0.5, 0.5]
    third.controls["epsilon"].value = 4
    assert [one.controls["epsilon"].value for one in (first, second)] == [4, 4]
    assert [one.controls["height"].value for one in (first, second, third)] == [5, 5, 5]
    hear(second, kind="together", on=False)
    first.controls["epsilon"].value = 0.1
    assert second.controls["epsilon"].value == 4 and not third.page.together


def line_at(alt, epsilon):
    fig, ax = figure(height=2.0)
    (line,) = ax.plot([0, 1], [0, 1])
    return live(fig, lambda epsilon: line.set_ydata([0, epsilon]), alt, epsilon=epsilon)


def test_a_figure_without_the_shared_slider_is_left_alone():
    first, (fig, ax) = line_at("a line that has the shared slider", log_slider(0.1, 10, 1)), figure(height=2.0)
    line = ax.axhline(1)
    other = live(fig, lambda height: line.set_ydata([height] * 2), "a line that has it not", height=slider(0, 10, 5))
    assert (first.page.shared, other.page.shared) == ("epsilon", "")
    hear(first, kind="together", on=True)
    first.controls["epsilon"].value = 2
    assert not other.page.together and other.controls["height"].value == 5
    hear(first, kind="together", on=False)


def test_no_noise_is_nearest_to_the_largest_epsilon():
    first = line_at("a line that may have no noise", choice([1, 10, np.inf], 1))
    others = [
        line_at("a line over a log slider", log_slider(0.1, 10, 1)),
        line_at("a line over few numbers", choice([0.5, 2.0], 0.5)),
        line_at("another line that may have no noise", choice([0.5, 2.0, np.inf], 0.5)),
    ]
    hear(first, kind="together", on=True)
    for epsilon, near in ((np.inf, [10, 2, np.inf]), (1, [1, 0.5, 0.5]), (10, [10, 2, 2])):
        first.controls["epsilon"].value = epsilon
        assert [one.controls["epsilon"].value for one in others] == near


def test_a_figure_that_waits_for_a_guess_does_not_give_its_answer_away():
    first = made("the line of a figure that asks nothing")
    question = predict("How high is the line?", (0, 50), r"([\d.]+) at", epsilon=2)
    second = made("the line of a figure that asks first", guess=question)
    hear(first, kind="together", on=True)
    first.controls["epsilon"].value = 2
    assert second.controls["epsilon"].value == 1
    hear(first, kind="together", on=False)


def test_a_figure_that_is_made_again_takes_the_place_of_the_old_one():
    alt = "the line of a figure whose cell is run twice"
    old, new = made(alt), made(alt)
    assert corner.LIVING[alt] is new is not old


def test_an_update_that_failed_says_of_what_its_picture_is():
    shown = made()
    shown.controls["epsilon"].value = 2
    shown.controls["height"].value = 3
    assert shown.page.stale and "three is no height" in shown.error
    assert "The picture is of height = 5, epsilon = 2." in shown._below.value
    shown.controls["height"].value = 4
    assert not shown.page.stale and 'data-of="height = 4, epsilon = 2"' in shown._below.value
