"""A live figure that moves without a kernel: `film` sweeps its controls and keeps the pictures.

Each control is moved with the others where they start; the two of the figure's main pair are moved together. Equal
pictures are kept once; of all but the first only what differs from the first is kept, to be laid over it. What a reader
cannot get from a film is said in words: a control of a kind that has no places to go through, or a figure that
remembers what was done to it.
"""

import io
import itertools
import math
from typing import NamedTuple

import ipywidgets
import numpy as np
from PIL import Image

from dpbook.amounts import amount
from livefig.controls import SeedButton, named_options

PLACES = 8  # of one control, at most, beside those that a question asks for
TOGETHER = 42  # pictures of a pair, at most
DRAWS = 5  # of new noise, beside the first
SHARP = 1.25  # pixels of a picture for each of the figure's, where that is light enough
LEVELS = 32  # of red, of green, of blue: nobody tells such a chart from the figure, and it takes half the bytes
FEWER = np.rint(np.rint(np.arange(256) * (LEVELS - 1) / 255) * 255 / (LEVELS - 1)).astype(np.uint8).tobytes()
MARGIN = 3  # pixels around what differs: or a browser that shrinks the pictures would let the edges shine through
EXACT = {"lossless": True, "method": 1, "quality": 20}
ROUGH = [{"quality": quality, "method": 2} for quality in (60, 40, 20, 5)]
LARGEST = 400_000  # bytes of all pictures of a film, beyond which they are made less sharp: 150 films share 150 MB


class Reel(NamedTuple):
    """One control: `values` are the places it can go to, `words` say each; `start` is the number of its first place.

    `kind` is "range" (an ordered scale), "choice", "switch", "press" (new noise) or "span" (two handles).
    """

    name: str
    label: str
    kind: str
    values: tuple
    words: tuple
    start: int


class Asked(NamedTuple):
    """A question of the figure with its answer; `at` are the places of all reels where it is asked."""

    question: object
    truth: object
    at: tuple


class Film(NamedTuple):
    """What `film` makes. `shots` maps the places of all reels to (number of a picture, number of a caption).

    The first of `pictures` is whole; every other is transparent where it is like the first, and is laid over it.
    """

    reels: tuple
    pair: tuple
    shots: dict
    pictures: tuple
    captions: tuple
    asked: tuple
    still: tuple
    size: tuple

    @property
    def start(self):
        return tuple(reel.start for reel in self.reels)

    @property
    def remembers(self):
        """Whether the figure depends on what was done before: then there is no film of it."""
        return not self.shots


def film(figure, starts=None):
    """The film of a live figure, from `starts` (name -> value; by default where its controls stand now).

    Its pair is `figure.pair`, or the first two of its controls that can be moved by steps. The figure is left as it
    was. `still` names the controls that do not move in the film; `pictures` are WebP files. A figure that shows
    something else when it comes back to its start gets no shots.
    Raises ValueError where the figure's update fails.
    """
    starts = starts or {name: control.value for name, control in figure.controls.items()}
    pair = tuple(figure.pair or _first_two(figure.controls))
    reels, still = all_reels(figure, starts)
    reels = _thinned(tuple(reels), pair, [question.at for question in figure.panel.questions])
    for ratio, ways in ((SHARP, [EXACT]), (1, [EXACT, *ROUGH])):
        camera = _Camera(figure, starts, reels, ratio)
        try:
            if ratio == SHARP and camera.expects(pair) > LARGEST:
                continue
            shots, asked = camera.sweep(pair)
        finally:
            camera.leave()
        for how in ways:
            if how is ROUGH[-1] or camera.weight(how, len(camera.frames)) <= LARGEST:
                pictures, size = camera.pictures(how)
                if sum(map(len, pictures)) <= LARGEST or how is ROUGH[-1]:
                    pair = tuple(reel.name for reel in reels if reel.name in pair)
                    return Film(reels, pair, shots, pictures, tuple(camera.captions), asked, tuple(still), size)


def all_reels(figure, starts):
    """The reels of a figure's controls with all their places, those that its questions need among them; and `still`."""
    needed, reels, still = [question.at for question in figure.panel.questions], [], []
    for name, control in figure.controls.items():
        reel = _reel(name, control, starts[name], [at[name] for at in needed if name in at])
        reels.append(reel) if reel else still.append(control.description or name)
    return reels, still


class _Camera:
    """Takes the pictures of one figure: each that is equal to another is kept once."""

    def __init__(self, figure, starts, reels, ratio):
        self.figure, self.starts, self.reels, self.ratio = figure, starts, reels, ratio
        self.known, self.frames, self.captions, self.first = {}, [], {}, None
        self.questions = [(question, _places(reels, question.at)) for question in figure.panel.questions]

    def shoot(self, places):
        """The numbers of the picture and the caption at these places."""
        moved = {reel.name: reel.values[place] for reel, place in zip(self.reels, places, strict=True)}
        pixels, caption = self.figure.shot(self.starts | moved, self.ratio)
        levels = pixels.tobytes().translate(FEWER)
        known = hash(levels)  # of 64 bits, within this process
        if known not in self.known:
            self.known[known] = len(self.frames)
            frame = np.frombuffer(levels, dtype=np.uint8).reshape(pixels.shape)
            self.first = frame if self.first is None else self.first
            self.frames.append(difference(self.first, frame) if self.frames else frame[..., :3])
        return self.known[known], self.captions.setdefault(caption, len(self.captions))

    def stops(self, pair):
        """Where pictures are taken, the start first: at the questions, along each reel, and over the pair's plane."""
        start = tuple(reel.start for reel in self.reels)
        stops = dict.fromkeys([start, *(at for _, at in self.questions)])
        moving = [(number,) for number in range(len(self.reels))]
        moving += [tuple(number for number, reel in enumerate(self.reels) if reel.name in pair)]
        for numbers in moving:
            for going in itertools.product(*(range(len(self.reels[number].values)) for number in numbers)):
                places = list(start)
                for number, place in zip(numbers, going, strict=True):
                    places[number] = place
                stops[tuple(places)] = None
        return list(stops)

    def expects(self, pair):
        """About how many bytes the pictures of a sweep would have, from every eighth of them."""
        stops = self.stops(pair)
        some = [self.shoot(places) for places in stops[::8]]
        return self.weight(EXACT, len(self.frames) * len(stops) / len(some), 1)

    def sweep(self, pair):
        """All shots and the questions; no shots of a figure that is not the same when it comes back."""
        shots = {places: self.shoot(places) for places in self.stops(pair)}
        captions, start = list(self.captions), tuple(reel.start for reel in self.reels)
        asked = tuple(Asked(question, question.read(captions[shots[at][1]]), at) for question, at in self.questions)
        return (shots if self.shoot(start) == shots[start] else {}), asked

    def weight(self, how, count, step=8):
        """About how many bytes `count` pictures would have that way: the first, and as the others are on average."""
        first, *others = (len(webp(Image.fromarray(frame), how)) for frame in (self.frames[0], *self.frames[1::step]))
        return first + sum(others) * (count - 1) / max(len(others), 1)

    def pictures(self, how):
        """The pictures as WebP files, and the size (width, height) at which they are shown."""
        first, *others = map(Image.fromarray, self.frames)
        size = tuple(round(side / self.ratio) for side in self.first.shape[1::-1])
        return (webp(first), *(webp(frame, how) for frame in others)), size

    def leave(self):
        """The figure as it was: its controls have not moved."""
        self.figure.drawing.forget(self.ratio)
        self.figure.shot({name: control.value for name, control in self.figure.controls.items()})


def difference(first, frame):
    """A picture, (height, width, 4) levels, as what is laid over the first: transparent where both are alike."""
    before, now = (np.ascontiguousarray(picture).view(np.uint32)[..., 0] for picture in (first, frame))
    differs = before != now
    for axis in (0, 1):
        grown = differs.copy()
        for step in range(1, MARGIN + 1):
            ahead, behind = ([slice(None)] * 2 for _ in range(2))
            ahead[axis], behind[axis] = slice(step, None), slice(None, -step)
            grown[tuple(ahead)] |= differs[tuple(behind)]
            grown[tuple(behind)] |= differs[tuple(ahead)]
        differs = grown
    return np.where(differs, now, np.uint32(0))[..., None].view(np.uint8)


def webp(frame, how=EXACT):
    """A picture as the bytes of a WebP file, without loss unless another way is asked for."""
    stored = io.BytesIO()
    frame.save(stored, "webp", **how)
    return stored.getvalue()


def _first_two(controls):
    """The names of the controls to move together if the figure names none: epsilon first, then in their order."""
    scales = [name for name, control in controls.items() if _kind(control) in ("range", "choice", "switch")]
    return sorted(scales, key=lambda name: name != "epsilon")[:2]


def _kind(control):
    """What a control is on the site; "" for one that has no places to go through."""
    if isinstance(control, SeedButton):
        return "press"
    if isinstance(control, ipywidgets.Checkbox | ipywidgets.ToggleButton):
        return "switch"
    if isinstance(control, ipywidgets.SelectionSlider):
        return "range"
    if hasattr(control, "options"):
        return "choice" if not isinstance(control.value, tuple) else ""
    if isinstance(control, ipywidgets.Play | ipywidgets.Text):
        return ""
    if hasattr(control, "min") and hasattr(control, "max"):
        return "span" if isinstance(control.value, tuple) else "range"
    return ""


def _reel(name, control, start, asked):
    """The reel of one control with all its places, or None."""
    kind = _kind(control)
    if not kind:
        return None
    if kind == "press":
        values = [start + number for number in range(DRAWS + 1)]
        words = [f"draw {number + 1}" for number in range(DRAWS + 1)]
    elif kind == "switch":
        values, words = [False, True], ["off", "on"]
    elif hasattr(control, "options"):
        words, values = zip(*named_options(control), strict=True)
    elif kind == "span":
        corners = _spread(control.min, control.max, 1, 7, [*start, *itertools.chain(*asked)])
        values = [pair for pair in itertools.product(corners, corners) if pair[0] <= pair[1]]
        words = [f"{amount(low)} to {amount(high)}" for low, high in values]
    else:
        values = _spread(control.min, control.max, control.step or 1, math.inf, [start, *asked])
        words = [amount(value) for value in values]
    here = min(range(len(values)), key=lambda number: not _same(values[number], start))
    if not _same(values[here], start):
        raise ValueError(f"{name}: its start {start!r} is none of its places {values!r}")
    label = control.description or name.replace("_", " ")
    return Reel(name, label, kind, tuple(values), tuple(map(str, words)), here)


def _spread(low, high, step, most, needed):
    """Numbers from `low` to `high` by steps: at most `most` of them, and the needed ones."""
    count = round((high - low) / step)
    chosen = _few(count + 1, most, ())
    numbers = [low + number * step for number in chosen]
    if all(isinstance(number, int) for number in (low, high, step)):
        return sorted({*numbers, *needed})
    return sorted({_nearest(numbers, value, float): value for value in (*numbers, *needed)}.values())


def _nearest(steps, value, scale):
    return min(range(len(steps)), key=lambda number: abs(scale(steps[number]) - scale(value)))


def _few(count, most, needed):
    """At most `most` of the numbers 0 .. count - 1, evenly and with both ends, and the needed ones."""
    if count <= most:
        return list(range(count))
    return sorted({round(number * (count - 1) / (most - 1)) for number in range(most)} | set(needed))


def _thinned(reels, pair, needed):
    """The reels with few enough places: fewer for the two of the pair, whose places are multiplied."""
    lengths = {reel.name: min(len(reel.values), PLACES) for reel in reels}
    two = [reel.name for reel in reels if reel.name in pair]
    while len(two) > 1 and math.prod(lengths[name] for name in two) > TOGETHER:
        lengths[max(two, key=lengths.get)] -= 1
    return tuple(_thin(reel, lengths[reel.name], needed) for reel in reels)


def _thin(reel, most, needed):
    """A scale with at most `most` places, and the needed ones; every other kind keeps all it has."""
    if reel.kind != "range":
        return reel
    asked = [at[reel.name] for at in needed if reel.name in at]
    kept = _few(len(reel.values), most, {reel.start, *(_place(reel, value) for value in asked)})
    return reel._replace(
        values=tuple(reel.values[number] for number in kept),
        words=tuple(reel.words[number] for number in kept),
        start=kept.index(reel.start),
    )


def _places(reels, values):
    """Where the reels stand at `values`, those that are not named at their start."""
    return tuple(_place(reel, values[reel.name]) if reel.name in values else reel.start for reel in reels)


def _place(reel, value):
    """The place of a value: an equal one, else the nearest."""
    same = [number for number, other in enumerate(reel.values) if _same(other, value)]
    return same[0] if same else _nearest(reel.values, value, math.log if reel.values[0] > 0 else float)


def _same(one, other):
    """Whether two values are one: numbers nearly, and anything else as it is."""
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12) if numbers else one == other
