"""README's moving picture: `python -m tools.book.film` moves the sliders of page 00 in a real JupyterLab and films it.

The figure alone, as a reader sees it, into docs/page.webp: under a megabyte, so that a clone stays small.
"""

import io
import pathlib
import shutil
import tempfile

from PIL import Image

from tools.book.chromium import running_chromium
from tools.book.lab_page import open_notebook, run_all
from tools.book.lab_server import running_lab

ROOT = pathlib.Path(__file__).parents[2]
STEM, TARGET = "00_start_here", ROOT / "docs" / "page.webp"
# (slider, key, how often): more questions, then less epsilon, and back.
STORY = ((0, "Home", 1), (0, "ArrowRight", 14), (1, "ArrowLeft", 32), (1, "ArrowRight", 32))
STEP, PAUSE, MOST = 120, 1500, 1_000_000  # milliseconds a frame, at the end of each chapter; bytes


def frames(page):
    """Pictures of the first figure, one after each key of the story, with how long each stays."""
    figure = page.locator(".live-figure").first
    figure.scroll_into_view_if_needed()
    handles = figure.locator(".noUi-handle")
    for slider, key, times in STORY:
        handles.nth(slider).focus()
        for number in range(times):
            page.keyboard.press(key)
            last = number == times - 1
            if last or times < 20 or number % 3 == 0:
                page.wait_for_timeout(250)
                yield Image.open(io.BytesIO(figure.screenshot())).convert("RGB"), PAUSE if last else STEP


def film(target=TARGET):
    """Write the moving picture; its size in bytes. RuntimeError if it is too large for a README."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "notebooks").mkdir()
        shutil.copy(ROOT / "notebooks" / f"{STEM}.ipynb", folder / "notebooks")
        with running_lab(folder) as place, running_chromium() as browser:
            page = open_notebook(browser, place, f"notebooks/{STEM}.ipynb")
            run_all(page)
            pictures, stay = zip(*frames(page), strict=True)
    smaller = [picture.resize((640, round(640 * picture.height / picture.width))) for picture in pictures]
    smaller[0].save(target, save_all=True, append_images=smaller[1:], duration=list(stay), loop=0, quality=60, method=6)
    if target.stat().st_size > MOST:
        raise RuntimeError(f"{target} has {target.stat().st_size:,} bytes, more than {MOST:,}")
    return target.stat().st_size


if __name__ == "__main__":
    print(f"{TARGET.relative_to(ROOT)}: {film():,} bytes")
