"""Maps whose places are worked out once: an image that is not smoothed shows in each pixel one of its own values.

matplotlib asks anew for each drawing which value that is, and works with colours of four floats where bytes will do.
Here the place of each pixel's value is kept, asked of matplotlib itself: the same pixels as there.
"""

import weakref

import numpy as np
from matplotlib.image import AxesImage

from dpbook.live.lettering import KNOWN

MOST = 2**24  # values: as many as the colours that can name them
_places = weakref.WeakKeyDictionary()  # renderer -> image -> (what its places depend on, the places, left, bottom)


class Tiles:
    """Draws an image in place of itself."""

    def __init__(self, image):
        self.image = image

    def draw(self, renderer):
        places, left, bottom = _known_places(self.image, renderer)
        if places is None:
            return self.image.draw(renderer)
        colours = np.ascontiguousarray(self.image.to_rgba(self.image.get_array(), bytes=True))
        gc = renderer.new_gc()
        if self.image.get_clip_on():
            gc.set_clip_rectangle(self.image.get_clip_box())
            gc.set_clip_path(self.image.get_clip_path())
        pixels = colours.view(np.uint32).ravel()[places].view(np.uint8)
        renderer.draw_image(gc, left, bottom, pixels.reshape(*places.shape, 4))
        gc.restore()
        self.image.stale = False


def in_tiles(artist):
    """What to draw in place of this artist: itself, but for an image whose places can be kept."""
    return Tiles(artist) if KNOWN and type(artist) is AxesImage and _is_plain(artist) else artist


def _is_plain(image):
    plain = image.get_visible() and image.get_alpha() is None and image.get_transform().is_affine
    return plain and image.get_interpolation() == "nearest" and 0 < np.prod(image.get_size()) < MOST


def _known_places(image, renderer):
    """For each pixel of the image the place of its value in the array, row by row; None if some pixels have none."""
    frame = image.get_clip_box() if image.get_clip_on() else None
    matrix, window = image.get_transform().get_matrix(), frame and frame.extents
    key = image.get_size(), tuple(image.get_extent()), image.origin, matrix.tobytes(), str(window)
    kept = _places.setdefault(renderer, weakref.WeakKeyDictionary())
    if kept.get(image, [None])[0] != key:
        kept[image] = key, *_asked_for(image, renderer)
    return kept[image][1:]


def _asked_for(image, renderer):
    """The same of matplotlib: it draws the image with a colour for each place that names it."""
    rows, columns = image.get_size()
    numbers = np.arange(rows * columns, dtype="<u4") | 0xFF000000  # the last byte of a colour says how solid it is
    named = AxesImage(image.axes, origin=image.origin, extent=image.get_extent(), interpolation="nearest")
    named.set_data(numbers.view(np.uint8).reshape(rows, columns, 4))
    named.set(transform=image.get_transform(), clip_on=image.get_clip_on())
    named.set_clip_box(image.get_clip_box())
    pixels, left, bottom, _ = named.make_image(renderer, renderer.get_image_magnification())
    if pixels is None or not (pixels[:, :, 3] == 255).all():
        return None, 0, 0
    return (np.ascontiguousarray(pixels).view("<u4")[:, :, 0] & 0xFFFFFF).astype(np.intp), left, bottom
