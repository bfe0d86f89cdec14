"""Films: what a live figure shows without a kernel is what it shows with one."""

import io

import ipywidgets
import numpy as np
import pytest
from PIL import Image

from dpbook.guesses import predict
from dpbook.live import choice, live, log_slider, new_noise, slider, span, switch
from dpbook.plots import figure
from tools.book import films
from tools.book.films import film


@pytest.fixture(autouse=True)
def nobody(monkeypatch, tmp_path):
    monkeypatch.setenv("DPBOOK_GUESSES", str(tmp_path / "guesses"))


def bar(**controls):
    """A live figure whose line stands at the sum of its values, and a list of what was asked of it."""
    fig, ax = figure(height=1.5)
    (line,) = ax.plot([0, 0], [0, 1])
    ax.set(xlim=(0, 200), ylim=(0, 1))
    asked = []

    def update(**values):
        asked.append(values)
        at = sum(np.sum(value) if not isinstance(value, str) else len(value) for value in values.values())
        line.set_xdata([at, at])
        return f"at {at:.3f}"

    options = {name: controls.pop(name) for name in ("guess", "pair") if name in controls}
    return live(fig, update, "A line at the sum of the values, for a test.", **options, **controls), asked


def pixels(made, places):
    """What a reader sees there: the first picture, and what is laid over it."""
    number = made.shots[places][0]
    first, over = (Image.open(io.BytesIO(made.pictures[one])).convert("RGBA") for one in (0, number))
    return np.asarray((Image.alpha_composite(first, over) if number else first).convert("RGB"))


def test_each_control_moves_alone_and_the_pair_together():
    moving, _ = bar(epsilon=log_slider(0.1, 10, 1.0), b=slider(2, 16, 4), c=switch(False))
    made = film(moving)
    assert made.pair == ("epsilon", "b")
    epsilon, b, c = made.reels
    assert epsilon.words[0] == "0.1" and epsilon.words[-1] == "10" and epsilon.words[epsilon.start] == "1"
    for places in np.ndindex(len(epsilon.values), len(b.values)):
        assert made.captions[made.shots[(*places, c.start)][1]] == (
            f"at {epsilon.values[places[0]] + b.values[places[1]]:.3f}"
        )
    others = [places for places in made.shots if places[2] != c.start]
    assert others == [(epsilon.start, b.start, 1)], "the third moves with the others where they start"


def test_a_figure_names_its_pair_and_only_controls_of_its_own():
    moving, _ = bar(pair=("b", "c"), epsilon=log_slider(0.1, 10, 1.0), b=slider(2, 5, 4), c=switch(False))
    made = film(moving)
    assert made.pair == ("b", "c")
    assert (made.start[0], 0, 1) in made.shots
    with pytest.raises(ValueError, match="pair must name controls"):
        bar(pair=("b", "nothing"), b=slider(2, 5, 4))


def test_a_picture_is_what_the_figure_shows_there():
    moving, _ = bar(b=slider(0, 100, 50, 10))
    made = film(moving)
    for place, value in enumerate(made.reels[0].values):
        truth = moving.shot({"b": value}, films.SHARP)[0][..., :3]
        shown = pixels(made, (place,))
        assert shown.shape == truth.shape
        assert np.abs(shown.astype(int) - truth).max() <= 4, "32 levels, none of them seen to differ"
    assert len(made.pictures) == len(made.reels[0].values)
    assert made.size == tuple(round(side / films.SHARP) for side in truth.shape[1::-1])


def test_equal_pictures_are_kept_once():
    moving, _ = bar(kind=choice(["one", "two", "four"], "one"), b=slider(1, 3, 1))
    made = film(moving, {"kind": "one", "b": 1})
    assert len(made.pictures) < len(made.shots) == 9
    assert made.shots[(0, 0)][0] == made.shots[(1, 0)][0], "one and two have three letters"


def test_every_kind_of_control_has_its_places():
    controls = {
        "x": slider(0.5, 4.0, 1.0, 0.5),
        "n": choice([1, 10, 100], 10),
        "kind": choice({"first": 1, "second": 2}, 1),
        "on": switch(True),
        "seed": new_noise(7),
        "range_": span(0, 6, (1, 4)),
    }
    made = film(bar(**controls)[0])
    assert [reel.kind for reel in made.reels] == ["range", "range", "choice", "switch", "press", "span"]
    words = {reel.name: (reel.words[0], reel.words[-1], reel.words[reel.start]) for reel in made.reels}
    assert words == {
        "x": ("0.5", "4", "1"),
        "n": ("1", "100", "10"),
        "kind": ("first", "second", "first"),
        "on": ("off", "on", "on"),
        "seed": ("draw 1", "draw 6", "draw 1"),
        "range_": ("0 to 0", "6 to 6", "1 to 4"),
    }
    assert made.reels[4].values == (7, 8, 9, 10, 11, 12)
    assert not made.still


def test_a_long_scale_is_thinned_and_keeps_its_ends_its_start_and_what_is_asked():
    question = predict("Where is it at 777?", (0, 2000), r"at ([\d.]+)", b=777)
    made = film(bar(guess=question, b=slider(0, 1000, 333))[0])
    (reel,) = made.reels
    assert {0, 1000, 333, 777} <= set(reel.values) and len(reel.values) <= films.PLACES + 2
    (asked,) = made.asked
    assert asked.truth == 777.0 and reel.values[asked.at[0]] == 777 and asked.at in made.shots


def test_a_figure_that_remembers_has_no_shots():
    fig, ax = figure(height=1.5)
    (line,) = ax.plot([0, 1], [0, 0])
    before = []

    def update(b):
        before.append(b)
        line.set_ydata([0, len(before) / 100])
        return f"moved {len(before)} times"

    made = film(live(fig, update, "A line that rises each time, for a test.", b=slider(1, 3, 1)))
    assert made.remembers and not made.shots


def test_the_figure_is_left_as_it_was():
    moving, asked = bar(b=slider(0, 100, 50, 10))
    before, size = moving.shot({"b": 50})[0], moving.fig.get_dpi()
    film(moving, {"b": 20})
    assert asked[-1] == {"b": 50} and moving.fig.get_dpi() == size
    assert (moving.shot({"b": 50})[0] == before).all()
    seen = moving.picture.value
    moving.controls["b"].value = 60
    assert moving.picture.value != seen and not moving.error


def test_pictures_are_made_smaller_until_they_are_light(monkeypatch):
    heavy = film(bar(b=slider(0, 100, 50, 10))[0])
    monkeypatch.setattr(films, "LARGEST", sum(map(len, heavy.pictures)) - 1)
    light = film(bar(b=slider(0, 100, 50, 10))[0])
    assert sum(map(len, light.pictures)) < sum(map(len, heavy.pictures))
    assert pixels(light, (0,)).shape[1] < pixels(heavy, (0,)).shape[1]
    assert light.size == heavy.size


def test_pictures_full_of_noise_are_light_too(monkeypatch):
    monkeypatch.setattr(films, "LARGEST", 110_000)
    fig, ax = figure(height=1.5)
    image = ax.imshow(np.zeros((120, 300)), vmin=0, vmax=1)

    def update(seed):
        image.set_data(np.random.default_rng(seed).random((120, 300)))
        return f"draw {seed}"

    made = film(live(fig, update, "Grey noise, for a test.", seed=new_noise(1)))
    assert sum(map(len, made.pictures)) <= 110_000 and len(made.pictures) == films.DRAWS + 1


def test_what_is_laid_over_hides_all_that_was_there_and_its_edges():
    first, frame = np.full((40, 60, 4), 255, dtype=np.uint8), np.full((40, 60, 4), 255, dtype=np.uint8)
    first[20, 30, :3], frame[5, 0, :3] = 0, 10
    over = films.difference(first, frame)
    seen = over[..., 3] > 0
    assert (over[seen] == frame[seen]).all() and (first[~seen] == frame[~seen]).all()
    wide = films.MARGIN
    assert seen[20 - wide : 21 + wide, 30 - wide : 31 + wide].all() and seen[5 - wide : 6 + wide, : 1 + wide].all()
    assert seen.sum() == (2 * wide + 1) ** 2 + (2 * wide + 1) * (wide + 1)


def test_a_field_to_type_in_has_no_places_to_go_through():
    """Though the check of the pages knows two words to type in it, as `min` and `max`: that of page 21."""

    class Box(ipywidgets.Text):
        min, max = "count", "count + 1"

    assert films._kind(Box("count")) == ""


def test_a_choice_may_have_a_value_that_is_no_number():
    assert films._same(1, 1 + 1e-12) and films._same(None, None) and films._same("all", "all")
    assert not films._same(None, 4.0) and not films._same(4, None) and not films._same("4", 4.0)
