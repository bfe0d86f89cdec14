"""Letters that are cut once: text is most of the work of a figure that is drawn again, and nearly all of it the same.

matplotlib 3.11 shapes and rasterises every letter each time it is drawn. Here what was drawn of a letter, and of a line
of text, is kept and put where it belongs, on a whole pixel; and a new line whose letters have all followed one another
before (a number has changed) needs no shaping: the same pixels as there. Any other matplotlib draws as it always did.
"""

import functools
import itertools
import math
import re

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.font_manager import fontManager, get_font

LETTERS, LINES = 8192, 1024  # how many are kept of each
PLAIN = (
    ("\x20", "\u0300"),
    ("\u0370", "\u0400"),
    ("\u2010", "\u20d0"),
    ("\u2100", "\u2800"),
)  # scripts, by their letters
KNOWN = matplotlib.__version_info__[:2] == (3, 11)  # its way to draw text is no public one, and may change


class Canvas(FigureCanvasAgg):
    """A canvas for a figure whose letters are kept."""

    def get_renderer(self):
        renderer = super().get_renderer()
        if KNOWN and not isinstance(renderer, Renderer):
            self.renderer = Renderer(renderer.width, renderer.height, renderer.dpi)
        return self.renderer


class Renderer(RendererAgg):
    """Draws as its parent does, but for lines on whole pixels, from the letters and lines that it has kept."""

    def __init__(self, width, height, dpi):
        super().__init__(width, height, dpi)
        self._lines, self._heights, self._being_drawn = {}, {}, None

    def _get_font_height_metrics(self, prop):
        """What matplotlib 3.11 asks before it places any line: how far the font reaches up and down, and its gap.

        It would look for the font and read its tables each time, for half the work of placing a line.
        """
        key = hash(prop)
        if key not in self._heights:
            if len(self._heights) >= LINES:
                self._heights.clear()
            self._heights[key] = _heights(self._font(prop), prop, self.dpi)
        return self._heights[key]

    def get_text_width_height_descent(self, s, prop, ismath):
        """How much room a line takes: worked out from its letters, or learnt from matplotlib together with them."""
        spacing = None if ismath else self._spacing(prop)
        if spacing is not None and (room := spacing.room(s)):
            return room
        room = super().get_text_width_height_descent(s, prop, ismath)
        if spacing is not None:
            spacing.learn(s, room[0], self._prepare_font(prop))
        return room

    def _font(self, prop):
        return get_font(fontManager._find_fonts_by_props(prop))

    def _spacing(self, prop):
        return _spacing(self._font(prop), prop.get_size_in_points(), self.dpi)

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        """A line, moved to the nearest whole pixel: there each letter of most lines has been before."""
        across, down = round(x), round(y)
        language = (
            mtext and (mtext.get_fontfeatures(), mtext.get_language()) if hasattr(mtext, "get_language") else None
        )
        line = (s, hash(prop), angle, ismath, gc.get_antialiased(), str(language))
        if line in self._lines:
            for sheet, left, bottom in self._lines[line]:
                self._renderer.draw_text_image(sheet, across + left, down + bottom, 0, gc)
            return
        self._being_drawn = []
        placed = None if ismath or line[-1] not in ("None", "(None, None)") else self._spacing(prop).placed(s)
        if placed is None:
            super().draw_text(gc, across, down, s, prop, angle, ismath, mtext)
        else:
            font, size = self._font(prop), prop.get_size_in_points()
            glyphs = ((font, size, glyph, 0, 1, place, 0) for glyph, place in zip(*placed, strict=True))
            self._draw_text_glyphs_and_boxes(gc, across, down, angle, glyphs, [])
        if self._being_drawn:
            if len(self._lines) >= LINES:
                self._lines.clear()
            self._lines[line] = [(sheet, left - across, bottom - down) for sheet, left, bottom in self._being_drawn]

    def _draw_text_glyphs_and_boxes(self, gc, x, y, angle, glyphs, boxes):
        """What matplotlib 3.11 calls for the letters of a line and the strokes of its formulas."""
        boxes = list(boxes)
        if boxes:
            self._being_drawn = None  # strokes are no letters: such a line is drawn anew
            return super()._draw_text_glyphs_and_boxes(gc, x, y, angle, glyphs, boxes)
        cos, sin, height = math.cos(math.radians(angle)), math.sin(math.radians(angle)), int(self.height)
        letters = []
        for font, size, index, slant, extend, dx, dy in glyphs:
            across, right = divmod(round(0x40 * (x + dx * cos - dy * sin)), 0x40)
            above, up = divmod(round(0x40 * (self.height - y + dx * sin + dy * cos)), 0x40)
            turned = (cos, sin, slant, extend)
            letter, left, top = _letter(font, size, self.dpi, index, turned, (right, up), gc.get_antialiased())
            letters.append((letter, across + left, height - (above + top) + letter.shape[0]))
        sheets = _joined([one for one in letters if one[0].size])
        for sheet, left, bottom in sheets:
            self._renderer.draw_text_image(sheet, left, bottom, 0, gc)
        if self._being_drawn is not None:
            self._being_drawn += sheets


def _heights(font, prop, dpi):
    """Ascent, descent and gap between lines in pixels, from the table that matplotlib reads; None for what has none."""
    for table, gap, ascent, descent in (
        ("OS/2", "sTypoLineGap", "sTypoAscender", "sTypoDescender"),
        ("hhea", "lineGap", "ascent", "descent"),
    ):
        if found := font.get_sfnt_table(table):
            scale = 1 / font.get_sfnt_table("head")["unitsPerEm"] * prop.get_size_in_points() * dpi / 72
            return found[ascent] * scale, -found[descent] * scale, found[gap] * scale
    return None, None, None


class Spacing:
    """How the letters of a font at a size follow one another, learnt from lines that matplotlib has shaped.

    A part of a line is a letter, or several that are written as one (fi); the step from a part to the next depends on
    these two alone (kerning) in the scripts that it learns: Latin, Greek, and signs. All lengths are in pixels.
    """

    def __init__(self):
        self.parts, self.steps, self.joined = {}, {}, ()  # part -> (glyph, lowest, highest); two parts -> length

    def learn(self, line, width, font):
        """Keep what matplotlib's shaping of a line, `width` pixels wide, says of its parts."""
        from matplotlib.backends.backend_agg import get_hinting_flag

        shaped = font._layout(line, flags=get_hinting_flag(), features=None, language=None)
        parts = [item.char for item in shaped]
        plain = all(item.ft_object is font and item.y == 0 and _is_plain(item.char) for item in shaped)
        if not line or not plain or "".join(parts) != line:
            return
        for item in shaped:
            if item.char not in self.parts:
                box = font.load_glyph(item.glyph_index, flags=get_hinting_flag()).bbox
                self.parts[item.char] = item.glyph_index, box[1] / 64, box[3] / 64
        places = [*(item.x for item in shaped), width]
        self.steps |= zip(zip(parts, [*parts[1:], ""], strict=True), np.diff(places).tolist(), strict=True)
        self.joined = sorted({*self.joined, *(part for part in parts if len(part) > 1)}, key=len, reverse=True)

    def placed(self, line):
        """The glyphs of a line and their places; None if it holds what has not been learnt."""
        parts = self._parted(line)
        steps = [self.steps.get(pair) for pair in itertools.pairwise(parts)]
        if not parts or None in steps or parts[-1] not in self.parts:
            return None
        return [self.parts[part][0] for part in parts], [0, *itertools.accumulate(steps)]

    def room(self, line):
        """Width, height and descent of a line; None if it holds what has not been learnt."""
        parts = [*self._parted(line), ""]
        steps = [self.steps.get(pair) for pair in itertools.pairwise(parts)]
        if not steps or None in steps:
            return None
        low = min(self.parts[part][1] for part in parts[:-1])
        return sum(steps), max(self.parts[part][2] for part in parts[:-1]) - low, -low

    def _parted(self, line):
        """The parts of a line, the longest that are known as one."""
        if not any(part in line for part in self.joined):
            return list(line)
        return re.findall("|".join([*map(re.escape, self.joined), "."]), line, re.DOTALL)


@functools.lru_cache(64)
def _spacing(font, size, dpi):
    return Spacing()


def _is_plain(part):
    """Whether these letters are of a script in which each stands beside the last, and none over it."""
    return part.isprintable() and all(any(low <= letter < high for low, high in PLAIN) for letter in part)


@functools.lru_cache(LETTERS)
def _letter(font, size, dpi, index, turned, part, smooth):
    """The coverage of a letter, `part` 64ths of a pixel right of a pixel and above it, and its left and top."""
    from matplotlib.backends.backend_agg import get_hinting_flag
    from matplotlib.ft2font import RenderMode

    cos, sin, slant, extend = turned
    font.set_size(size, dpi)
    matrix = 0x10000 * np.array([[cos, -sin], [sin, cos]]) @ [[extend, extend * slant], [0, 1]]
    font._set_transform(matrix.round().astype(int), list(part))
    bitmap = font._render_glyph(index, get_hinting_flag(), RenderMode.NORMAL if smooth else RenderMode.MONO)
    return np.array(bitmap.buffer) * (1 if smooth else 0xFF), bitmap.left, bitmap.top


def _joined(letters):
    """Letters (coverage, left, bottom) that do not touch as one sheet, and those that do as they are, after it."""
    if not letters:
        return []
    left, top = min(one[1] for one in letters), min(bottom - letter.shape[0] for letter, _, bottom in letters)
    right, bottom = max(start + letter.shape[1] for letter, start, _ in letters), max(one[2] for one in letters)
    sheet, alone = np.zeros((bottom - top, right - left), dtype=np.uint8), []
    for letter, start, end in letters:
        place = sheet[end - letter.shape[0] - top : end - top, start - left : start - left + letter.shape[1]]
        if np.minimum(place, letter).any():
            alone.append((letter, start, end))
        else:
            place |= letter
    return [(sheet, left, bottom), *alone]
