"""The picture that a page keeps: a still one, with its alternative text, for where nothing runs."""

import base64
import html
import io

from PIL import Image, ImageChops

SHARP = 2  # how many pixels a dot of a stored picture has each way


def store(rgba, alt, caption="", note=""):
    """Display pixels that are `SHARP` times as many each way as the page gives them, with what stands beside them.

    `note` is HTML that stands under the caption.
    """
    from IPython.display import display

    height, width = rgba.shape[:2]
    size = {"width": width // SHARP, "height": height // SHARP}
    display({"image/png": small_png(rgba), "text/plain": alt}, metadata={"image/png": {"alt": alt, **size}}, raw=True)
    hidden = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"
    below = f'<div style="{hidden}">Figure: {html.escape(alt)}</div><div>{html.escape(caption)}</div>{note}'
    display({"text/html": below, "text/plain": caption or "figure described above"}, raw=True)


def address(png):
    """A picture as an address that holds it."""
    return b"data:image/png;base64," + base64.b64encode(png)


def small_png(rgba):
    """PNG bytes of opaque pixels, for keeping: 256 colours where no eye sees the difference, a third of the bytes."""
    picture = Image.fromarray(rgba).convert("RGB")
    fewer = picture.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    paper = [255 if level > 248 else level for level in fewer.getpalette()]  # or the white of a page would be 254
    fewer.putpalette(paper)
    off = ImageChops.difference(picture, fewer.convert("RGB")).getextrema()
    stored = io.BytesIO()
    (fewer if max(most for _, most in off) <= 16 else picture).save(stored, format="png")
    return stored.getvalue()
