"""Predict first: the sliders wait, the truth is what the figure says, the reader's file keeps the first guess."""

import gc
import json

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from dpbook import guesses
from dpbook.guesses import calibration, own_record, predict
from dpbook.live import choice, live, log_slider, odds, slider, switch
from dpbook.plots import figure, verdict_text
from livefig.figure import LiveFigure
from tools.book import sliders

pytestmark = pytest.mark.depends("tests/test_guesses.py", "tools/book/faults.py")

HOW_FAR = {"text": "How far is it at 8?", "answers": (0, 100, " km"), "truth": r"([\d.,]+) km"}


@pytest.fixture(autouse=True)
def readers_file(tmp_path, monkeypatch):
    monkeypatch.setenv("DPBOOK_GUESSES", str(tmp_path / "guesses.jsonl"))
    return tmp_path / "guesses.jsonl"


def squares(guess=()):
    """A live figure that says the square of its slider, and whether it is even."""
    fig, ax = figure()
    (line,) = ax.plot([0, 1], [0, 1])

    def update(side, way):
        line.set_ydata([0, side])
        return f"{way}: {1_000 * side**2 / 1_000:,.1f} km, {'even' if side % 2 == 0 else 'odd'}"

    return live(fig, update, "a line", guess=guess, side=slider(1, 40, 2), way=choice(["up", "down"], "up"))


def asked(**changes):
    return predict(**(HOW_FAR | changes), side=8)


def waiting(made):
    return {control.disabled for control in made.controls.values()}


def test_sliders_wait_for_the_guess_and_then_stand_where_it_was_asked(readers_file):
    made = squares(asked())
    stored = made.picture.value
    assert waiting(made) == {True} and not readers_file.exists()
    assert stored == squares().picture.value, "the picture is the same with and without a question"
    made.panel.guess(60, 0.9)
    assert waiting(made) == {False} and made.controls["side"].value == 8
    said = made.panel.children[0].value
    assert "You said 60 km, 90% sure; the figure says 64 km: right." in said
    record = json.loads(readers_file.read_text())
    assert (record["guess"], record["sure"], record["truth"], record["right"]) == (60, 0.9, 64.0, True)


def test_buttons_answer_and_skip(readers_file):
    made = squares(asked())
    question, field, row = made.panel.children
    assert "How far is it at 8?" in question.value and "within 10 km" in question.value
    field.value = 20
    assert [one.description for one in row.children[1:]] == [*(f"{sure}% sure" for sure in (50, 70, 90, 99)), "Skip"]
    row.children[2].click()
    assert '"guess": 20' in readers_file.read_text() and waiting(made) == {False}
    assert json.loads(readers_file.read_text())["sure"] == 0.7
    other = squares([asked(text="once"), asked(text="twice")])
    for _ in range(2):
        assert waiting(other) == {True}
        other.panel.children[-1].children[-1].click()
    assert waiting(other) == {False} and len(readers_file.read_text().splitlines()) == 1


def test_a_log_slider_goes_exactly_where_the_question_asks():
    fig, _ = figure()
    question = predict("What is shown?", (0.1, 10), r"([\d.]+)", epsilon=5.0)
    made = live(fig, lambda epsilon: f"{epsilon:.4f}", "nothing", guess=question, epsilon=log_slider(0.1, 10, 1.0))
    made.panel.guess(5, 0.5)
    assert made.controls["epsilon"].value == 5.0 and "says 5: right" in made.panel.children[0].value


def test_a_guess_over_decades_is_given_in_round_numbers():
    made = squares(asked(answers=(0.1, 30_000, " km")))
    field = made.panel.field
    assert (field.options[0], field.label, field.options[-1]) == (("0.1", 0.1), "60", ("30,000", 30_000.0))


@pytest.mark.parametrize(
    ("ends", "step", "middle", "written"),
    [((0, 10), 0.2, 5, ".3g"), ((0, 49), 0.98, 24.5, ".3g"), ((0, 50), 1, 25, ".0f"), ((-100, 300), 1, 100, ".0f")],
)
def test_a_number_is_guessed_in_steps_that_let_it_be_right(ends, step, middle, written):
    """A fiftieth of the scale, or whole numbers of at least fifty; a tenth of the scale is right."""
    field = squares(asked(answers=ends)).panel.field
    assert (field.min, field.max, field.value, field.readout_format) == (*ends, middle, written)
    assert field.step == pytest.approx(step) and "live-unset" in field._dom_classes
    assert field.description == "your guess" and squares(asked()).panel.field.description == "km"


def test_a_choice_waits_for_one(readers_file):
    made = squares(predict("Is its square even at 3?", ["even", "odd"], side=3))
    made.panel.children[-1].children[1].click()
    assert waiting(made) == {True}, "nothing was chosen"
    made.panel.children[1].value = "odd"
    made.panel.children[-1].children[4].click()
    record = json.loads(readers_file.read_text())
    assert record["truth"] == "odd" and record["right"] and record["sure"] == 0.99


def test_a_button_that_is_pressed_twice_answers_no_other_question(readers_file):
    """The second press comes while Python is busy: the next question stands on the middle of its scale by then."""
    made = squares([asked(text="once"), asked(text="twice"), asked(text="thrice")])
    sure, skip = made.panel.children[-1].children[1], made.panel.children[-1].children[-1]
    for button in (sure, sure, skip):
        button.click()
    assert [record["question"] for record in map(json.loads, readers_file.read_text().splitlines())] == ["once"]
    assert [question.text for question in made.panel.open] == ["twice", "thrice"] and waiting(made) == {True}
    skip = made.panel.children[-1].children[-1]
    skip.click()
    skip.click()
    assert [question.text for question in made.panel.open] == ["thrice"]


def test_a_figure_that_has_no_answer_says_so_and_lets_its_sliders_go(readers_file):
    """As where the reader has changed what its update returns."""
    made = squares(asked())
    says, made.update = made.update, lambda **values: "about 40 miles"
    made.panel.guess(60, 0.9)
    made.update = says
    made.controls["side"].value = 2
    assert waiting(made) == {False} and not readers_file.exists()
    assert "There is no answer: ValueError: the figure says nothing like" in made.panel.children[0].value


def test_a_question_at_a_control_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"controls of the figure, \['side', 'way'\], got {'height': 8}"):
        squares(predict("How far?", (0, 100), r"([\d.]+)", height=8))


def test_a_damaged_file_stops_nobody(readers_file):
    """Of another kind of question it is told as it is; what is no record of a guess counts for nothing."""
    squares(asked()).panel.guess(0, 0.5)
    whole = json.loads(readers_file.read_text())
    bad = [{"guess": None}, {"sure": float("nan")}, {"sure": 90}, {"question": [1]}, {"truth": None}]
    lines = [json.dumps(whole | change) for change in bad]
    lines += [json.dumps({name: whole[name] for name in whole if name != left}) for left in ("guess", "truth")]
    readers_file.write_bytes("\n".join(lines).encode() + b"\n\xff\xfe\n")
    assert guesses.read() == {} and own_record(944) == 420 and "No guesses yet" in calibration().value
    assert waiting(squares(asked())) == {True}
    readers_file.write_text(json.dumps(whole | {"guess": "far", "page": ["00"]}) + "\n")
    assert "You said far, 50% sure; the figure says 64 km" in squares(asked()).panel.children[0].value
    assert "1 guess on 1 page" in calibration().value


def test_a_guess_after_half_a_line_is_kept(readers_file):
    readers_file.write_text('{"question": "cut')
    squares(asked()).panel.guess(60, 0.9)
    assert list(guesses.read()) == [HOW_FAR["text"]]


def test_a_question_is_asked_once_and_its_first_guess_counts(readers_file):
    squares(asked()).panel.guess(0, 0.5)
    again = squares(asked())
    assert waiting(again) == {False} and "You said 0 km" in again.panel.children[0].value
    readers_file.write_text(readers_file.read_text() + "half a li\n[]\n" + '{"question": "How far is it at 8?"}\n')
    guesses.keep(asked(), 64.0, 0.99, 64.0)
    assert [record["guess"] for record in guesses.read().values()] == [0]


def test_the_record_that_the_reader_picks_stays_on_every_page(readers_file):
    assert own_record(944) == own_record(944) == 420 and own_record(10) == 9 and not readers_file.exists()
    assert own_record(944, 7) == own_record(944) == own_record(8) == 7
    squares(asked()).panel.guess(0, 0.5)
    assert own_record(944, 943) == own_record(944) == 943 and own_record(100) == 7, "who is not there, is not"
    assert list(guesses.read()) == [HOW_FAR["text"]], "a pick is no guess"
    readers_file.write_text(readers_file.read_text() + '{"own record": "3"}\n["own record"]\n7\n{"own record": true}\n')
    assert own_record(944) == 943


@pytest.mark.parametrize("pick", [-1, 944, 3.0, "7", True])
def test_a_pick_that_is_nobody_is_refused_and_not_kept(pick, readers_file):
    with pytest.raises(ValueError, match="pick must be a whole number of at least 0 and at most 943"):
        own_record(944, pick)
    assert not readers_file.exists()


def test_a_file_that_cannot_be_written_stops_nobody(monkeypatch, tmp_path):
    monkeypatch.setenv("DPBOOK_GUESSES", str(tmp_path / "no folder" / "guesses"))
    made = squares(asked())
    made.panel.guess(64, 0.7)
    assert own_record(944, 7) == 7
    assert waiting(made) == {False} and "cannot be written" in made.panel.children[0].value


def test_right_means_the_same_choice_a_tenth_of_the_scale_or_a_factor_of_two():
    assert asked().is_right(54, 64.0) and not asked().is_right(53.9, 64.0)
    wide = asked(answers=(0.1, 1_000, ""))
    assert wide.is_right(5, 10) and wide.is_right(20, 10) and not wide.is_right(21, 10)
    assert not wide.is_right(5, np.inf)
    assert "factor of 2" in wide.tolerance() and asked().tolerance() == "right if within 10 km"
    assert predict("?", ["a", "b"]).is_right("a", "a") and not predict("?", ["a", "b"]).is_right("a", "b")


def test_truth_is_read_from_what_the_figure_says():
    assert asked().read("about 1,234.5 km") == 1234.5
    assert predict("?", ["kept", "BROKEN"]).read("so it is BROKEN") == "BROKEN"
    assert predict("?", ["yes", "no"], lambda said: "yes" if "km" in said else "no").read("5 km") == "yes"
    assert guesses.numbers("from -1,234.5 to −2 at 1e-9") == [-1234.5, -2, 1e-9]
    with pytest.raises(ValueError, match="says nothing like"):
        asked().read("nobody knows")
    with pytest.raises(ValueError, match="must name one"):
        predict("?", ["kept", "BROKEN"]).read("kept and BROKEN")


@pytest.mark.parametrize("answers", [["one"], (5, 5), (9, 1, " km")])
def test_bad_answers_are_refused(answers):
    with pytest.raises(ValueError, match="answers must be"):
        predict("?", answers, "(.*)")


def test_a_number_needs_its_truth():
    with pytest.raises(ValueError, match="needs its truth"):
        predict("?", (0, 1))


def test_calibration_counts_every_guess_and_says_who_is_too_sure():
    assert "No guesses yet" in calibration().value
    InteractiveShell.instance()
    with capture_output() as shown:
        calibration()._ipython_display_()
    assert [list(output.data) for output in shown.outputs] == [["application/vnd.jupyter.widget-view+json"]]
    for number in range(40):
        guesses.keep(asked(text=f"{number}"), 64 if number % 2 else 0, 0.9 if number < 30 else 0.5, 64)
    table = calibration().value
    assert "<td>90%</td><td>30</td><td>15 = 50%</td>" in table and "<td>50%</td><td>10</td><td>5 = 50%</td>" in table
    assert "80% sure on average, right 50% of the time" in table and "surer than you were right" in table


@pytest.fixture
def no_other_figures(monkeypatch):
    """The check of pages looks at all figures there are: it does not see those that other tests left."""
    everything = gc.get_objects

    def figures():
        return [thing for thing in everything() if type(thing) is LiveFigure]

    others = figures()  # kept to the end, for their numbers
    numbers = {id(one) for one in others}
    monkeypatch.setattr(gc, "get_objects", lambda: [one for one in figures() if id(one) not in numbers])
    yield
    others.clear()


@pytest.mark.usefixtures("no_other_figures")
def test_the_check_of_pages_asks_the_figures_and_leaves_no_trace(readers_file, capsys):
    kept = [squares(asked()), squares(predict("At 30?", (0, 100), r"([\d,.]+) km", side=30))]
    exec(sliders.CELL, {"_links": []})
    said = capsys.readouterr().out
    assert "At 30?: no reader can answer 900.0" in said and "How far" not in said and "asked at" not in said
    assert not readers_file.exists() and {made.controls["side"].value for made in kept} == {2}


@pytest.mark.usefixtures("no_other_figures")
def test_the_check_of_pages_finds_a_question_that_is_asked_between_two_stops(capsys):
    fig, _ = figure()
    question = predict("What is shown?", (0.1, 10), r"([\d.]+)", epsilon=4.7)
    made = live(fig, lambda epsilon: f"{epsilon:.4f}", "nothing", guess=question, epsilon=log_slider(0.1, 10, 1.0))
    exec(sliders.CELL, {"_links": []})
    assert made.error == ""
    assert "asked at {'epsilon': 4.7}, and the sliders stand at {'epsilon': 4.5}" in capsys.readouterr().out


@pytest.mark.usefixtures("no_other_figures")
def test_the_check_of_pages_finds_a_link_that_moves_nothing(tmp_path, capsys):
    """Links as they stand in a page: two that a figure follows, and three that it cannot."""
    fig, ax = figure()
    line = ax.axhline(0)
    controls = {"delta": choice([0.01, 1e-9], 0.01), "printed": switch(True), "epsilon": log_slider(0.1, 10, 1.0)}
    kept = live(fig, lambda delta, printed, epsilon: line.set_ydata([delta, epsilon * printed]), "links", **controls)
    page = tmp_path / "page.py"
    asked = ["delta=1e-9&printed=off", "epsilon=3", "delta=1e-8", "printed=true", "epsilon=50", "absent=1"]
    page.write_text("".join(f"# [here](#move:{one}) and\n" for one in asked))
    exec(sliders.cell(page), {})
    said = capsys.readouterr().out.splitlines()
    told = {line.partition(" asks for ")[2] for line in said if line.startswith("a link")}
    wrong = {"delta": "1e-8"}, {"printed": "true"}, {"epsilon": "50"}
    assert told == {f"{one}, and no figure goes there" for one in wrong}
    stand = {name: control.value for name, control in kept.controls.items()}
    assert stand == {"delta": 0.01, "printed": True, "epsilon": 1.0}


@pytest.mark.usefixtures("no_other_figures")
def test_the_check_of_pages_finds_a_headline_that_is_too_long_at_two_ends_together(capsys):
    fig, ax = figure()
    told = verdict_text(ax)
    line = ax.axhline(0)

    def update(one, other):
        line.set_ydata([one / 10, other / 10])
        told.set_text("a headline" + 9 * " of words" * (one > 5 and other > 5))

    kept = live(fig, update, "a headline", one=slider(0, 10, 1), other=slider(0, 10, 1))
    exec(sliders.CELL, {"_links": []})
    assert kept.error == ""
    said = [line for line in capsys.readouterr().out.splitlines() if "a headline: {" in line]
    assert len(said) == 1 and "{'one': 10, 'other': 10}: the edge of the picture cuts 'a headline of words" in said[0]


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0), (1, 0), (1, 0.03), (3, 0.2), (np.inf, 0)])
def test_odds_are_the_right_guesses_of_the_best_guesser(epsilon, delta):
    """Against the two laws that use all of (epsilon, delta): the likelier world at each of four outputs."""
    kept = 1 - delta
    likely = kept / (1 + np.exp(-epsilon))
    laws = np.array([[delta, likely, kept - likely, 0], [0, kept - likely, likely, delta]])
    most = 100 * laws.max(axis=0).sum() / 2
    assert f"at most {most:.3g}%" in odds(epsilon, delta)


@pytest.mark.parametrize(("epsilon", "said"), [(0.001, "50.025"), (0.01, "50.25"), (5, "99.33"), (10, "99.9955")])
def test_odds_near_even_and_near_certain_are_told_from_both(epsilon, said):
    assert f"at most {said}%" in odds(epsilon)
    most = 100 / (1 + np.exp(-epsilon))
    assert abs(float(said) - most) <= 0.05 * min(most - 50, 100 - most) + 5e-7


def test_only_no_promise_at_all_is_called_certain():
    assert all("may end over 99.999999%" in odds(epsilon) for epsilon in (30, 1_000))
    assert "at most 100%" in odds(np.inf) and "at most 100%" in odds(1, 1)


def test_odds_stand_beside_an_epsilon_that_is_a_promise():
    fig, ax = figure()
    (line,) = ax.plot([0, 1], [0, 1])

    def update(epsilon):
        line.set_ydata([0, epsilon])

    made = live(fig, update, "a line", epsilon=log_slider(0.1, 10, 1.0))
    made.controls["epsilon"].value = 2.0
    assert "88.1%" in made._note.value
    assert live(fig, update, "a line", epsilon=log_slider(0.1, 10, 1.0, label="at epsilon"))._note is None
