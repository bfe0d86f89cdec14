"""What the reader moves: sliders over numbers that people write, choices, switches, a button that counts its presses.

`words` is how a number is written at its stop: a function of the number and of how many digits it may have.
"""

import math
import numbers
import re
from collections.abc import Mapping
from decimal import Decimal

import ipywidgets
import traitlets

WIDE = {"description_width": "initial"}
# The numbers that people name, in each decade: about one in ten more than the last.
ROUND = (1, 1.1, 1.2, 1.3, 1.5, 1.7, 2, 2.2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9)
APART = 1.04  # what is closer than this to a number that is given is left out
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")  # the commas of 1,000


def plain(number, digits=3):
    """A number with so many significant digits, thousands apart."""
    return f"{number:,.{digits}g}"


def round_numbers(low, high, *others):
    """The ends, the others, and the numbers between that people name, eighteen a decade: a list in order."""
    given = {float(number) for number in (low, high, *others)}
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    named = {float(f"{number}e{decade}") for decade in decades for number in ROUND}
    return sorted(given | {number for number in named if low < number < high and all(_apart(number, g) for g in given)})


def _apart(one, other):
    return abs(math.log(one / other)) > math.log(APART)


class Stop(traitlets.Any):
    """A value of a `NumberSlider`: what is set to another number becomes the nearest stop."""

    def validate(self, slider, value):
        stops = slider.stops
        if not stops[0] <= value <= stops[-1]:
            raise ValueError(f"{slider.description or 'value'} must be from {stops[0]} to {stops[-1]}, got {value!r}")
        return min(stops, key=lambda stop: abs(math.log(stop / value)))


class NumberSlider(ipywidgets.SelectionSlider):
    """A slider over `stops`, positive numbers in order; `.value` is one of them.

    Setting `.value` to another number between the ends takes the nearest stop, by its ratio to it. Raises ValueError
    for a number beyond the ends.
    """

    value = Stop()

    def __init__(self, stops, start, words=plain, **look):
        self.stops = tuple(stops)
        super().__init__(options=[(words(stop, 6), stop) for stop in self.stops], value=start, **look)
        self.add_class("live-stops")


def log_slider(low, high, start, label=None, words=plain):
    """A slider over positive numbers from `low` to `high` that people write, eighteen a decade.

    Its `.value` is a float. The ends and the start are exactly those given, whatever they are. Set from code, it takes
    the nearest of its numbers (`NumberSlider`).
    Raises ValueError unless 0 < low <= start <= high, low < high, and high / low is a finite number.
    """
    if not (0 < low <= start <= high and low < high and math.isfinite(high) and math.isfinite(high / low)):
        raise ValueError(f"a log slider needs 0 < low <= start <= high, all finite, got {low!r}, {start!r}, {high!r}")
    return NumberSlider(round_numbers(low, high, start), float(start), words, **_look(label))


def slider(low, high, start, step=1, label=None):
    """A slider from `low` to `high`: whole numbers if all of low, high, start, step are whole, else floats.

    Raises ValueError unless low <= start <= high, all finite, and the step is above 0.
    """
    if not (low <= start <= high and step > 0 and math.isfinite(high - low)):
        raise ValueError(
            f"a slider needs low <= start <= high and a step above 0, got {low!r}, {start!r}, {high!r}, {step!r}"
        )
    ends = {"min": low, "max": high, "step": step}
    if all(isinstance(number, numbers.Integral) for number in (low, high, start, step)):
        return ipywidgets.IntSlider(value=start, **ends, readout_format=",d", **_look(label))
    decimals = max(-Decimal(str(float(number))).normalize().as_tuple().exponent for number in (low, step))
    return ipywidgets.FloatSlider(value=start, **ends, readout_format=f".{max(decimals, 0)}f", **_look(label))


def choice(options, start, label=None, words=plain):
    """One of several: a slider over an ordered list of numbers; buttons for a list of names or a dict name -> value."""
    if not isinstance(options, dict) and all(isinstance(option, numbers.Real) for option in options):
        return ipywidgets.SelectionSlider(
            options=[(words(option, 6), option) for option in options], value=start, **_look(label)
        ).add_class("live-stops")
    buttons = ipywidgets.ToggleButtons(options=options, value=start, **_look(label))
    buttons.style.button_width = "auto"
    return buttons


def switch(start, label=None):
    """On or off."""
    return ipywidgets.Checkbox(value=start, indent=False, **_look(label))


def span(low, high, start, label=None):
    """Two handles on a range of whole numbers; the value is the pair (left, right)."""
    return ipywidgets.IntRangeSlider(value=start, min=low, max=high, **_look(label))


class SeedButton(ipywidgets.Button):
    """A button whose value, a seed, grows by one with each press."""

    value = traitlets.Int()


def new_seed(seed, label="New draw", icon="refresh"):
    """A button that draws anew; its value is the seed that the figure hands to its generator."""
    button = SeedButton(description=label, value=seed, icon=icon)

    def press(_):
        button.value += 1

    button.on_click(press)
    return button


FRAMES, LENGTH = 60, 8000  # at most so many pictures, in about so many milliseconds


def player(control):
    """Buttons that take a slider from where it stands to its end, and stop it, at the speed of a story.

    Nothing plays before it is asked to. Raises ValueError for what is no slider with one handle.
    """
    stops = stops_of(control)
    places = sorted({round(k * (len(stops) - 1) / (FRAMES - 1)) for k in range(FRAMES)})
    interval = round(min(max(LENGTH / len(places), 100), 800))
    play = ipywidgets.Play(min=0, max=len(places) - 1, interval=interval, show_repeat=False)
    here = False  # whether the slider is being moved by the player, or the player by the slider

    def follow(_=None):
        nonlocal here
        if not here:
            here = True
            stop = min(range(len(stops)), key=lambda k: abs(stops[k] - control.value))
            play.value = min(range(len(places)), key=lambda k: abs(places[k] - stop))
            here = False

    def lead(change):
        nonlocal here
        if not here:
            here = True
            control.value = stops[places[change.new]]
            here = False

    follow()
    control.observe(follow, "value")
    play.observe(lead, "value")
    traitlets.dlink((control, "disabled"), (play, "disabled"))
    name = control.description.partition(" (")[0]
    return ipywidgets.HBox([play, ipywidgets.Label(f"play {name}")]).add_class("live-play")


def named_options(control):
    """The options of a choice, or of a slider over a list, in order: (name, value) of each."""
    options = control.options
    options = list(options.items()) if isinstance(options, Mapping) else list(options)
    paired = all(isinstance(option, (list, tuple)) and len(option) == 2 for option in options)
    return [(str(name), value) for name, value in (options if paired else zip(options, options, strict=True))]


def put(control, words):
    """Move a control to what is written of it (in a link, in an address): a number, an option's name, on, "2, 5".

    A number beyond the ends becomes the nearer end; a slider over whole numbers takes the nearest. Raises ValueError
    for what the control cannot be.
    """
    options = dict(named_options(control)) if hasattr(control, "options") else {}
    if words in options:
        control.value = options[words]
    elif isinstance(control, NumberSlider):
        control.value = min(max(_number(control, words), control.stops[0]), control.stops[-1])
    elif options:
        named = [value for value in options.values() if words == str(value) or _is_number(value, words)]
        if not named:
            raise ValueError(f"{control.description} must be one of {[*options]}, got {words!r}")
        control.value = named[0]
    elif isinstance(control, ipywidgets.Checkbox):
        if words not in ("on", "off"):
            raise ValueError(f"{control.description} must be on or off, got {words!r}")
        control.value = words == "on"
    elif isinstance(control, ipywidgets.IntRangeSlider):
        ends = [_within(control, word) for word in words.split(" to " if " to " in words else ",")]
        if len(ends) != 2 or ends[0] > ends[1]:
            raise ValueError(f"{control.description} must be two numbers, the lower first, got {words!r}")
        control.value = ends
    elif isinstance(control, (ipywidgets.IntSlider, ipywidgets.FloatSlider)):
        control.value = _within(control, words)
    elif isinstance(control, SeedButton):
        if not math.isfinite(seed := _number(control, words)):
            raise ValueError(f"{control.description} must be a whole number, got {words!r}")
        control.value = round(seed)
    else:
        control.value = words


def _is_number(value, words):
    """Whether words write a number: 1e-9 is 1e-09."""
    try:
        return isinstance(value, numbers.Real) and float(words) == value
    except ValueError:
        return False


def _within(control, words):
    """The number that words write, or the nearer end of the slider; a whole one where the slider has no others."""
    number = min(max(_number(control, words), control.min), control.max)
    return number if isinstance(control, ipywidgets.FloatSlider) else round(number)


def _number(control, words):
    """The number that words write: 1e3 or, as pages write it, 1,000."""
    try:
        number = float(THOUSANDS.sub("", words))
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise ValueError(f"{control.description} must be a number, got {words!r}")
    return number


def said(control, value):
    """A value of a control as the page writes it: its option's name, a number, on or off."""
    if hasattr(control, "options"):
        return next((name for name, other in named_options(control) if other is value or other == value), str(value))
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return " to ".join(plain(part, 6) for part in value)
    return plain(value, 6) if isinstance(value, numbers.Number) else str(value)


def stops_of(control):
    """The values of a slider, in order."""
    if isinstance(control, ipywidgets.SelectionSlider):
        return [value for _, value in named_options(control)]
    if isinstance(control, (ipywidgets.IntSlider, ipywidgets.FloatSlider)):
        steps = math.ceil(round((control.max - control.min) / control.step, 9))  # the last one may be a short one
        return [type(control.value)(min(control.min + k * control.step, control.max)) for k in range(steps + 1)]
    raise ValueError(f"only a slider with one handle can play, got {type(control).__name__}")


def _look(label):
    return {"description": label or "", "style": WIDE}


def arranged(controls, play=None, note=None):
    """The controls in a grid: label, track, value, in one column or two; then, side by side, what has no track.

    `play` is the control that has a player; `note` is a widget with a line of text, last of all.
    """
    more = [] if play is None else [player(play)]
    more += [control for control in controls if isinstance(control, (ipywidgets.Checkbox, ipywidgets.Button))]
    rows = [control for control in controls if control not in more]
    all_of_it = (ipywidgets.ToggleButtons, ipywidgets.IntRangeSlider, ipywidgets.Text)
    wide = [control for control in rows if isinstance(control, all_of_it)]
    last = ipywidgets.Box(more).add_class("live-more")
    notes = [] if note is None else [note.add_class("live-odds")]
    if (len(rows) - len(wide)) % 2 == 0:  # a line of its own: there is room for the note
        last.children, notes = (*more, *notes), []
        wide.append(last)
    for control in (*wide, *notes):
        control.add_class("live-wide")
    return ipywidgets.Box([*rows, *([last] if last.children else []), *notes])
