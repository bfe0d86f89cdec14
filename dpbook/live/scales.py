"""Scales whose ticks are worked out once and whose marks are drawn at once: they take most of a figure's time.

matplotlib works out the ticks of a scale four times for one drawing, for title and label again, and draws each mark as
a line of its own: of a log scale dozens, each with an empty label whose place is worked out as well. Here the ticks are
worked out once, marks that look alike are drawn at once, and empty labels left out: the same pixels as there.
"""

import contextlib

import numpy as np
from matplotlib.axis import Axis

from dpbook.live.lettering import KNOWN


@contextlib.contextmanager
def drawn_at_once(axes):
    """While the scales of these axes are drawn; any matplotlib whose scales are not known draws as it always did."""
    scales = [axis for ax in axes for axis in (ax.xaxis, ax.yaxis)] if KNOWN else []
    for axis in scales:
        names = {"_update_ticks": _first(axis._update_ticks), "_get_ticklabel_bboxes": _first(_boxes(axis))}
        vars(axis).update(names, draw=_drawing(axis))
    try:
        yield
    finally:
        for axis in scales:
            for name in ("_update_ticks", "_get_ticklabel_bboxes", "draw"):
                del vars(axis)[name]


def outside(axis, which):
    """Whether the ticks of a scale point outwards and have no lines through the picture."""
    how = axis.get_tick_params(which)
    return not how.get("gridOn") and how.get("direction", "out") == "out"


def _drawing(axis):
    """What `Axis.draw` of matplotlib 3.11 does, for this axis, but for its marks."""

    def draw(renderer):
        if not axis.get_visible():
            return
        ticks = axis._update_ticks()
        shown = [tick for tick in ticks if tick.get_visible()]
        for tick in shown:
            if tick.gridline.get_visible():
                tick.gridline.draw(renderer)
        _draw_marks([mark for tick in shown for mark in (tick.tick1line, tick.tick2line)], renderer)
        for words in [words for tick in _with_words(shown) for words in (tick.label1, tick.label2)]:
            if words.get_visible():
                words.draw(renderer)
        axis._update_label_position(renderer)
        axis.label.draw(renderer)
        axis._update_offset_text_position(*axis._get_ticklabel_bboxes(ticks, renderer))
        axis.offsetText.set_text(axis.major.formatter.get_offset())
        axis.offsetText.draw(renderer)
        axis.stale = False

    return draw


def _boxes(axis):
    """What `Axis._get_ticklabel_bboxes` does, without looking at empty labels."""
    return lambda ticks, renderer: Axis._get_ticklabel_bboxes(axis, _with_words(ticks), renderer)


def _draw_marks(marks, renderer):
    """Those that look alike are drawn by the first of them."""
    alike = {}
    for mark in marks:
        if mark.get_visible():
            edge = mark.get_markeredgewidth(), str(mark.get_markeredgecolor())
            look = mark.get_marker(), mark.get_markersize(), *edge, mark.get_alpha(), id(mark.get_transform())
            alike.setdefault(look, []).append(mark)
    for first, *others in alike.values():
        own = first.get_data(orig=True)
        first.set_data(*np.hstack([own, *(mark.get_data(orig=True) for mark in others)]))
        first.draw(renderer)
        first.set_data(*own)


def _with_words(ticks):
    """Those with a label; all, if none has one: the place of an empty one counts only where there is no other."""
    return [tick for tick in ticks if tick.label1.get_text()] or ticks


def _first(ask):
    """Asks once and gives the same answer ever after."""
    answers = []

    def answer(*about):
        if not answers:
            answers.append(ask(*about))
        return answers[0]

    return answer
