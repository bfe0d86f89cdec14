"""Bars that look alike and do not touch, drawn at once: for each hatched path, Agg draws its hatch anew.

That takes longer than all else of a bar. One path of several bars has the same pixels, as long as they lie apart.
"""

import itertools

import numpy as np
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.transforms import IdentityTransform

from dpbook.live.lettering import KNOWN


def in_bunches(artists):
    """What to draw in place of these artists, from back to front: bars that stand together, by their looks."""
    for are_bars, some in itertools.groupby(artists, lambda artist: KNOWN and isinstance(artist, Rectangle)):
        some = list(some)
        yield from _bunches(some) if are_bars and sum(bool(bar.get_hatch()) for bar in some) > 1 else some


def _bunches(bars):
    """These bars by their looks; as they are, if two of them touch."""
    corners = [bar.get_transform().transform(bar.get_path().vertices) for bar in bars]
    alike = {}
    for place, bar in enumerate(bars):
        alike.setdefault(_look(bar), []).append(place)
    line = max(bar.get_linewidth() for bar in bars) * bars[0].get_figure().dpi / 72
    if len(alike) == len(bars) or not _apart(np.array(corners), line):
        return bars
    shapes = [[Path(corners[place], bars[place].get_path().codes) for place in places] for places in alike.values()]
    return [_one_patch(bars[places[0]], some) for places, some in zip(alike.values(), shapes, strict=True)]


def _look(bar):
    """All that its pixels depend on but its place."""
    colours = bar.get_facecolor(), bar.get_edgecolor(), str(bar.get_hatchcolor()), bar.get_alpha()
    lines = bar.get_linewidth(), bar.get_linestyle(), bar.get_hatch(), bar.get_hatch_linewidth()
    return bar.axes, bar.get_visible(), *colours, *lines, bar.get_clip_on(), str(bar.get_path_effects())


def _apart(corners, line):
    """Whether no two of these bars (n, corners, 2), with a line around them, touch or share a pixel; all in pixels."""
    low, high = corners.min(axis=1)[:, None], corners.max(axis=1)[:, None] + line + 2
    meet = np.all((low < high.swapaxes(0, 1)) & (low.swapaxes(0, 1) < high), axis=2)
    return meet.sum() == len(corners)


def _one_patch(first, shapes):
    """A patch that looks like the first of some bars and has the shapes of all, in pixels."""
    patch = PathPatch(Path.make_compound_path(*shapes))
    patch.update_from(first)
    patch.set_transform(IdentityTransform())
    patch.set_figure(first.get_figure())
    return patch
