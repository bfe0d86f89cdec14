"""What a reader could not see in a live figure as its controls stand; what a task asks for and cannot be set; and where
there is too much to set.

By the boxes and outlines of the artists, in milliseconds: the check of pages asks it at the ends of every slider.
"""

import re

import numpy as np
from ipywidgets import Button
from matplotlib.axis import Axis
from matplotlib.collections import Collection
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.path import Path
from matplotlib.spines import Spine
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from livefig.controls import named_options
from livefig.drawing import ONE_AT_A_TIME


def unseen(figure):
    """Sentences on a live figure: an axes without anything that moves in it, a legend over something that moves, words
    that reach over the edge of the picture.
    """
    return _found(figure, _blank, _covered, _cut)


def cut(figure):
    """The last of these alone: with several controls at their ends, all of the data may lie beyond the axes."""
    return _found(figure, _cut)


def _found(figure, *faults):
    with ONE_AT_A_TIME:  # a finer picture may be drawn meanwhile, with larger boxes
        moving = [artist for artist, _ in figure.drawing.artists() if artist in figure.drawing.moving]
        shown = [artist for artist in moving if artist.get_visible() and not isinstance(artist, (Axis, Spine, Legend))]
        return [sentence for fault in faults for sentence in fault(figure.fig, shown)]


def _blank(fig, shown):
    for number, ax in enumerate(fig.axes):
        mine = [artist for artist in shown if artist.axes is ax]
        data = [artist for artist in mine if not isinstance(artist, Text) and _is_data(artist)]
        words = [artist for artist in mine if isinstance(artist, Text) and len(artist.get_text()) > 2]
        if data and not any(_touches(artist, ax.bbox.padded(-1)) for artist in (*data, *words)):
            yield f"nothing that moves is to be seen in axes {number}"


def _is_data(artist):
    """Whether it has a place on both axes: a line at one value, right across the picture, shows nothing by itself."""
    both = artist.get_transform().contains_branch_seperately(artist.axes.transData)
    return all(both) or isinstance(artist, Collection)


def _covered(fig, shown):
    legends = [*fig.legends, *(ax.get_legend() for ax in fig.axes if ax.get_legend())]
    for legend in legends:
        box = legend.get_window_extent().padded(-2)
        for artist in shown:
            seen = Bbox.intersection(box, artist.axes.bbox) if artist.axes and artist.get_clip_on() else box
            if seen is not None and _touches(artist, seen):
                name = artist.get_label() if not artist.get_label().startswith("_") else type(artist).__name__
                yield f"a legend covers {name!r}"


def _cut(fig, shown):
    paper = fig.bbox.padded(1)
    for artist in shown:
        if isinstance(artist, Text) and artist.get_text().strip() and not _is_clipped(artist):
            words = _box(artist)
            if words.overlaps(paper) and not all(paper.contains(*corner) for corner in (words.min, words.max)):
                yield f"the edge of the picture cuts {artist.get_text()!r}"


def _is_clipped(words):
    """Whether words end at the edge of an axes: a title is said to be clipped, and has nothing that clips it."""
    return words.get_clip_on() and (words.get_clip_box() or words.get_clip_path()) is not None


def _touches(artist, box):
    """Whether some of the artist lies in a box of the screen."""
    if isinstance(artist, Text):
        return bool(artist.get_text()) and _box(artist).overlaps(box)
    if isinstance(artist, Line2D) and (len(artist.get_xydata()) == 1 or _unjoined(artist)):
        return _points(artist.get_transform().transform(artist.get_xydata()), box)
    if isinstance(artist, (Line2D, Patch)):
        path = _known(artist.get_transform().transform_path(artist.get_path()))
        filled = isinstance(artist, Patch) and artist.get_fill()
        return len(path.vertices) > 1 and bool(path.intersects_bbox(box, filled))
    if isinstance(artist, Collection):
        offsets = artist.get_offset_transform().transform(np.ma.filled(artist.get_offsets(), np.nan))
        if len(artist.get_paths()) <= 1 < len(offsets):
            return _points(offsets, box)
        paths = [artist.get_transform().transform_path(Path(path.vertices, path.codes)) for path in artist.get_paths()]
        return any(len(path.vertices) and path.intersects_bbox(box, False) for path in paths) or _points(offsets, box)
    return artist.get_window_extent().overlaps(box)


def _box(words):
    """Where words stand, in dots of the figure as it is, and not of the last picture of it: that may be a finer one."""
    return words.get_window_extent(words.get_figure().canvas.get_renderer())


def _unjoined(line):
    """Whether a line is drawn as its points only."""
    return line.get_linestyle() in ("None", "none", "", " ")


def _known(path):
    """The path without the places that are no numbers; the line breaks there."""
    known = np.isfinite(path.vertices).all(axis=1)
    if known.all():
        return path
    broken = ~np.concatenate([[False], known[:-1]])
    return Path(path.vertices[known], np.where(broken, Path.MOVETO, Path.LINETO)[known])


def _points(places, box):
    """Whether one of these points lies in the box."""
    x, y = places[:, 0], places[:, 1]
    return bool(np.any((x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1)))


MOST_CONTROLS = 4


def crowded(figure):
    """Sentences on a live figure that asks more of a reader than so many choices; buttons are none."""
    names = [name for name, control in figure.controls.items() if not isinstance(control, Button)]
    if len(names) > MOST_CONTROLS:
        yield f"{len(names)} controls, {MOST_CONTROLS} at most: {', '.join(names)}"


GREEK = r"\\(varepsilon|epsilon|alpha|beta|delta)"


def out_of_reach(figure):
    """Sentences on a task that names a value (*name* to 3, $\\varepsilon = 0.3$) which its control cannot take."""
    task = re.sub(GREEK, lambda found: found[1].removeprefix("var"), figure.task)
    task = re.sub(r"[$*]", "", task)
    for name, control in figure.controls.items():
        names = {name.replace("_", " "), control.description, control.description.split(",")[0]} - {""}
        words = "|".join(re.escape(one) for one in sorted(names, key=len, reverse=True))
        for value in re.findall(rf"(?<!\w)(?:{words}) *(?:=|to|at) *(\d(?:[\d.,]*\d)?)", task):
            if not _can_take(control, float(value.replace(",", ""))):
                yield f"the task sets {name} to {value}, the control cannot"


def _can_take(control, value):
    if hasattr(control, "options"):
        numbers = [option for _, option in named_options(control) if isinstance(option, (int, float))]
        return not numbers or any(abs(option - value) <= 1e-9 * abs(value) for option in numbers)
    if not hasattr(control, "step"):
        return True
    steps = (value - control.min) / control.step
    return control.min <= value <= control.max and abs(steps - round(steps)) < 1e-6
