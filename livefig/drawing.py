"""A figure that is drawn again and again: only what moved, over a saved background, and encoded at once.

matplotlib draws in one thread at a time; JupyterLab moves sliders in another than the one that runs cells.
"""

import contextlib
import io
import itertools
import struct
import threading
import zlib

import numpy as np
from matplotlib.axis import Axis
from matplotlib.legend import Legend
from matplotlib.spines import Spine
from matplotlib.text import Text

from livefig.lettering import Canvas

try:
    from isal.isal_zlib import compress  # eight times as fast as zlib on such pictures, and no larger
except ModuleNotFoundError:  # in a browser
    from zlib import compress

ONE_AT_A_TIME = threading.RLock()


class Drawing:
    """The pixels of `fig`, laid out once; afterwards nothing jumps, and what has never moved is not drawn again.

    There are two backgrounds under what moves (`moving`): the figure without the axes whose scales, ticks or labels
    have ever changed (`rescaled`), and the figure with them. Such a change redraws these axes and no others, without
    the scale that stays: of two, mostly one changes. What moves is drawn from back to front, and what lies behind the
    first of it that has changed is kept as well (`_under`). `complete` is how often everything was drawn: only when
    something moves that never moved before.
    For screens of high density there are more pixels for the same figure (`scale`), with backgrounds of their own.
    """

    @classmethod
    def of(cls, fig):
        """The drawing of a figure: one, however many live figures are made of it."""
        if not isinstance(getattr(fig, "drawing", None), cls):
            fig.drawing = cls(fig)
        return fig.drawing

    def __init__(self, fig):
        self.fig, self.moving, self.rescaled, self._canvases = fig, set(), set(), {}
        self._changed_scales = set()
        self._without, self._backgrounds, self._under, self.complete = {}, {}, {}, 0
        with ONE_AT_A_TIME:
            if fig.get_layout_engine() is not None:
                fig.get_layout_engine().execute(fig)
            for artist, _ in self.artists():
                artist.stale = False
        fig.set_layout_engine("none")

    def png(self, scale=1):
        """The picture as PNG bytes, `scale` times as many pixels each way as the figure has dots."""
        return png(self.rgba(scale))

    def rgba(self, scale=1):
        """The pixels, drawing again only what changed since the last time; valid until the next drawing."""
        with ONE_AT_A_TIME:
            self._note(artist for artist, _ in self.artists() if artist.stale)
            with self._sized(scale) as canvas:
                if scale not in self._without:
                    self._draw_the_rest(canvas)
                    self._without[scale] = canvas.copy_from_bbox(self.fig.bbox)
                if scale not in self._backgrounds:
                    canvas.restore_region(self._without[scale])
                    with _hidden(self._lasting_scales()):
                        for ax in self._in_order(self.rescaled):
                            ax.draw(canvas.get_renderer())
                    for artist, _ in self.artists():
                        artist.stale = False
                    self._backgrounds[scale] = canvas.copy_from_bbox(self.fig.bbox)
                self._draw_the_layer(canvas, scale)
                for artist in self.moving:
                    artist.stale = False
                return np.asarray(canvas.buffer_rgba())

    def svg(self):
        """The picture as an SVG file's bytes; drawing goes on afterwards as if nothing had been."""
        kept = io.BytesIO()
        with ONE_AT_A_TIME:
            self.fig.savefig(kept, format="svg")
            for artist, _ in self.artists():
                artist.stale = False
        return kept.getvalue()

    def ghost(self, scale=1):
        """What moves, without its words, on white: to be laid over the figure while it goes on moving."""
        with ONE_AT_A_TIME, self._sized(scale):
            canvas = Canvas(self.fig)
            shown = self._layer() if self.moving else [artist for artist, _ in self.artists()]
            for artist in shown:
                if not isinstance(artist, (Text, Axis, Spine, Legend)):
                    artist.draw(canvas.get_renderer())
            drawn = np.asarray(canvas.buffer_rgba()).astype(float)
        opaque = drawn[:, :, 3:] / 255
        drawn[:, :, :3] = opaque * drawn[:, :, :3] + (1 - opaque) * 255
        drawn[:, :, 3] = 255
        return drawn.round().astype(np.uint8)

    def _draw_the_layer(self, canvas, scale):
        """What moves, over the background; what lies behind the first that has changed is kept for the next time."""
        layer, renderer = self._layer(), canvas.get_renderer()
        still = list(itertools.takewhile(lambda artist: not artist.stale, layer))
        self._under = {at: kept for at, kept in self._under.items() if not any(one.stale for one in kept[0])}
        kept, region = self._under.get(scale, ([], self._backgrounds[scale]))
        if kept != still[: len(kept)]:
            kept, region = [], self._backgrounds[scale]
        canvas.restore_region(region)
        for artist in still[len(kept) :]:
            artist.draw(renderer)
        if len(still) > len(kept):
            self._under[scale] = still, canvas.copy_from_bbox(self.fig.bbox)
        for artist in layer[len(still) :]:
            artist.draw(renderer)

    def _note(self, changed):
        """Let go of the backgrounds that no longer hold, now that these artists have changed."""
        scales = {artist for artist in changed if artist not in self.moving}
        moving = {artist for artist in scales if not isinstance(artist, (Axis, Spine))}
        rescaled = {artist.axes for artist in scales - moving}
        if rescaled or moving:
            self._backgrounds.clear()
            self._under.clear()
        if moving or not scales - moving <= self._changed_scales or not rescaled <= self.rescaled:
            self._without.clear()
            self.moving |= moving | self._waiting(moving)
            self._changed_scales |= scales - moving
            self.rescaled |= {ax for ax in self.fig.axes for other in rescaled if ax.bbox.overlaps(other.bbox)}
            for artist in self._layer():
                artist.set_animated(True)

    def _waiting(self, moving):
        """What shows nothing yet, of a kind of which some move: it would be the next for which everything is drawn."""
        kinds = {(type(artist), artist.axes) for artist in moving}
        return {artist for artist, _ in self.artists() if (type(artist), artist.axes) in kinds and _is_blank(artist)}

    def _draw_the_rest(self, canvas):
        """The figure without what moves and without the axes that are rescaled, but for their scales that stay."""
        self.complete += 1
        with _hidden(self.rescaled):
            canvas.draw()
        for axis in self._lasting_scales():
            axis.draw(canvas.get_renderer())

    def _lasting_scales(self):
        """The scales of rescaled axes that have never changed, and of which nothing lies within any axes."""
        alone = [ax for ax in self.rescaled if sum(ax.bbox.overlaps(other.bbox) for other in self.fig.axes) == 1]
        scales = [axis for ax in alone for axis in (ax.xaxis, ax.yaxis) if axis not in self._changed_scales]
        return [axis for axis in scales if _outside(axis, "major") and _outside(axis, "minor")]

    def _in_order(self, axes):
        return sorted((ax for ax in self.fig.axes if ax in axes), key=lambda ax: ax.zorder)

    def forget(self, scale):
        """Give back the memory of a scale that will not be asked for soon."""
        if scale != 1:
            self._canvases.pop(scale, None)
            self._without.pop(scale, None)
            self._backgrounds.pop(scale, None)
            self._under.pop(scale, None)

    @contextlib.contextmanager
    def _sized(self, scale):
        """The figure on a canvas with `scale` times as many dots an inch; as it was before, afterwards."""
        canvas, dpi = self.fig.canvas, self.fig.dpi
        try:
            if scale != 1:
                self.fig.dpi = scale * dpi
            if scale not in self._canvases:
                self._canvases[scale] = Canvas(self.fig)
            self.fig.set_canvas(self._canvases[scale])
            yield self.fig.canvas
        finally:
            self.fig.set_canvas(canvas)
            self.fig.dpi = dpi

    def artists(self):
        """Every artist with the number of the part (an axes, or what stands beside all axes) that holds it."""
        parts = [*(ax.get_children() for ax in self.fig.axes), *([one] for one in (*self.fig.texts, *self.fig.legends))]
        paper = {ax.patch for ax in self.fig.axes}
        return [(artist, part) for part, artists in enumerate(parts) for artist in artists if artist not in paper]

    def _layer(self):
        """The moving artists and, in each part, what lies above them (a legend, a label), from back to front."""
        layer, covered = [], set()
        for artist, part in sorted(self.artists(), key=lambda pair: (pair[1], pair[0].zorder)):
            if artist in self.moving:
                covered.add(part)
            if part in covered and not isinstance(artist, (Axis, Spine)):
                layer.append(artist)
        return layer


def _outside(axis, which):
    """Whether the ticks of a scale point outwards and have no lines through the picture."""
    how = axis.get_tick_params(which)
    return not how.get("gridOn") and how.get("direction", "out") == "out"


def _is_blank(artist):
    return not artist.get_visible() or (isinstance(artist, Text) and not artist.get_text())


@contextlib.contextmanager
def _hidden(artists):
    """While these are left out of what is drawn; they are as they were afterwards."""
    for artist in artists:
        artist.set_animated(True)
    try:
        yield
    finally:
        for artist in artists:
            artist.set_animated(False)


def png(rgba):
    """PNG bytes of an (height, width, 4) array of opaque 8-bit pixels: fastest first, not smallest."""
    height, width = rgba.shape[:2]
    rgb = np.empty((height, width, 3), dtype=np.uint8)
    for colour in range(3):  # three times as fast as all at once
        rgb[:, :, colour] = rgba[:, :, colour]
    rows = np.full(
        (height, 1 + 3 * width), 2, dtype=np.uint8
    )  # each row begins with a 2: what it has more than the last
    rows[0, 1:] = rgb[0].ravel()
    np.subtract(rgb[1:].reshape(height - 1, -1), rgb[:-1].reshape(height - 1, -1), out=rows[1:, 1:])
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", compress(rows, 1)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
