"""From slider to pixels: `live` against `interact` + `plt.show()`, in a real JupyterLab in a real browser.

For each figure: 40 presses of an arrow key and 40 steps of a mouse drag, each from the input event to the frame that
shows the new picture, and a burst of 20 moves in 400 ms, from its last event to the last frame. Then the same watch on
the book's own pages: every slider of every figure, `KEYS` presses each; a page's row is over the medians of its
sliders, and says how long the page took to open and all its cells to run. Run by `make bench`;
`python -m benchmarks.live_figures 08_histograms` watches those pages only. `--store` keeps what it finds of them in
`live_figures.json`, and every later run prints what is stored there beside its own.
The moves fall anywhere between two frames of the screen, as a hand's do; a fixed pause after a frame would put them all
at the same place between two, and measure that.
"""

import pathlib
import shutil
import sys
import tempfile
import time

import nbformat
import numpy as np

from benchmarks import stored
from tools.book.chromium import running_chromium
from tools.book.lab_page import close_notebook, open_notebook, run_all
from tools.book.lab_server import SETTINGS, running_lab

NOTEBOOKS = pathlib.Path("notebooks")
STORED = pathlib.Path(__file__).with_suffix(".json")
MOVES = 40
KEYS = 8
FRAME = 1000 / 60  # ms

SETUP = """
import numpy as np
from dpbook import data
from dpbook.compressive import compressive_mechanism
from dpbook.sparse import haar_basis
from dpbook.laplace import laplace_mechanism
from dpbook.live import live, log_slider
from dpbook.plots import COLOURS, figure, set_steps, steps

trace = data.net_trace().values
small = trace[:1024]
"""

LIVE = """
counts = {counts}
fig, ax = figure(width=7, height=3.5)
steps(ax, counts, COLOURS.pale, label="true", fill=True)
noisy_steps_{name} = steps(ax, counts, COLOURS.noisy, label="noisy")
ax.set(xlabel="bin", ylabel="count", ylim=(-100, counts.max() + 100))
fig.legend(loc="outside upper center", ncols=2)

def update(epsilon):
    rng = np.random.default_rng(1)
    set_steps(noisy_steps_{name}, {release})

live(fig, update, "a noisy histogram", epsilon=log_slider(0.001, 10, 0.01))
"""

INTERACT = """
import ipywidgets
import matplotlib.pyplot as plt
%matplotlib inline

def draw(epsilon):
    noisy = laplace_mechanism(small, 1, epsilon, np.random.default_rng(1))
    fig, ax = plt.subplots(figsize=(7, 3.5), dpi=120, layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.stairs(small, fill=True, color=COLOURS.pale, label="true")
    ax.stairs(noisy, color=COLOURS.noisy, label="noisy")
    ax.set(xlabel="bin", ylabel="count", ylim=(-100, small.max() + 100))
    fig.legend(loc="outside upper center", ncols=2)
    plt.show()

slider = ipywidgets.FloatLogSlider(value=0.01, min=-3, max=1, step=0.05)
ipywidgets.interact(draw, epsilon=slider);
"""

FIGURES = {
    "interact + plt.show(), 1,024 bins": INTERACT,
    "live, 1,024 bins": LIVE.format(name="a", counts="small", release="laplace_mechanism(counts, 1, epsilon, rng)"),
    "live, 65,536 bins": LIVE.format(name="b", counts="trace", release="laplace_mechanism(counts, 1, epsilon, rng)"),
    "live, compressive, n = 65,536, S = 50": LIVE.format(
        name="c", counts="trace", release="compressive_mechanism(counts, haar_basis(65_536), 50, epsilon, rng)"
    ),
}

# In the page: note when each input event arrives and when each new picture has been painted.
WATCH = """() => {
    window.inputs = []; window.frames_shown = [];
    const paint = () => requestAnimationFrame(() => setTimeout(() => window.frames_shown.push(performance.now())));
    const watch = image => { image.addEventListener('load', paint); if (image.complete) paint(); };
    document.querySelectorAll('.jp-Notebook img').forEach(image => image.addEventListener('load', paint));
    new MutationObserver(changes => changes.forEach(change => change.addedNodes.forEach(node => {
        if (node.querySelectorAll) [node, ...node.querySelectorAll('img')].forEach(
            found => { if (found.tagName === 'IMG') watch(found); });
    }))).observe(document.querySelector('.jp-Notebook'), {childList: true, subtree: true});
    const note = () => window.inputs.push(performance.now());
    addEventListener('keydown', note, true);
    addEventListener('pointermove', event => { if (event.buttons) note(); }, true);
}"""


def measure(page, settle_time):
    """Milliseconds from key and from drag to pixels (`MOVES` each), after a burst, and the frames of the burst."""
    handle = page.locator(".noUi-handle").first
    handle.scroll_into_view_if_needed()
    page.evaluate(WATCH)
    handle.focus()
    pauses = 60 + FRAME * np.random.default_rng(1).permutation(MOVES) / MOVES
    keys = [one_move(page, lambda k=k: page.keyboard.press(direction(k)), pauses[k]) for k in range(MOVES)]
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    drags = [one_move(page, lambda k=k: page.mouse.move(x + 4 * (k % 20 + 1), y), pauses[k]) for k in range(MOVES)]
    page.mouse.up()
    page.wait_for_timeout(settle_time)
    page.evaluate("() => { window.inputs = []; window.frames_shown = []; }")
    handle.focus()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
        page.wait_for_timeout(15)
    page.wait_for_timeout(settle_time)
    inputs, frames = page.evaluate("() => [window.inputs, window.frames_shown]")
    return keys, drags, frames[-1] - inputs[-1], len(frames)


def direction(move):
    return "ArrowRight" if move % 20 < 10 else "ArrowLeft"


def one_move(page, act, pause):
    """Milliseconds from the input event of `act` to the first picture painted after it (nan if none in 5 s).

    `pause` is how long to rest afterwards, in milliseconds.
    """
    page.evaluate("() => { window.inputs = []; window.frames_shown = []; }")
    act()
    try:
        page.wait_for_function("window.frames_shown.length", polling=25, timeout=5_000)
    except Exception:
        return np.nan
    begun, shown = page.evaluate("() => [window.inputs[0], window.frames_shown[0]]")
    page.wait_for_timeout(pause)
    return shown - begun


SKIP = """() => [...document.querySelectorAll('.live-figure button')]
    .filter(button => button.textContent.trim() === 'Skip').map(button => button.click()).length"""
PLACE = "h => [h.ariaValueNow, h.ariaValueMin, h.ariaValueMax].map(Number)"


def watch_page(page, stem):
    """A row for each slider of a page that has run: the median of its moves, its figure's number and its label."""
    while page.evaluate(SKIP):
        page.wait_for_timeout(500)
    page.evaluate(WATCH)
    pauses, rows = 60 + FRAME * np.random.default_rng(1).permutation(KEYS) / KEYS, []
    for number, figure in enumerate(page.locator(".live-figure").all()):
        figure.scroll_into_view_if_needed()
        page.wait_for_timeout(1000)
        for slider in figure.locator(".widget-slider").all():
            handle, key, moves, pressed = slider.locator(".noUi-handle").first, "ArrowRight", [], []
            handle.focus()
            for pause in pauses:
                now, low, high = handle.evaluate(PLACE)
                key = {low: "ArrowRight", high: "ArrowLeft"}.get(now, key)
                moves.append(one_move(page, lambda key=key: page.keyboard.press(key), pause))
                pressed.append(key)
            for key in reversed(pressed):  # back to where it was: another slider may mean nothing here
                page.keyboard.press({"ArrowRight": "ArrowLeft", "ArrowLeft": "ArrowRight"}[key])
            page.wait_for_timeout(500)
            label = slider.locator(".widget-label").inner_text()
            if np.isnan(moves).all():
                print(f"{stem} figure {number}, {label}: changes nothing beside the other controls as they start")
            else:
                rows.append((np.nanmedian(moves), stem, number, label))
    return rows


def watch_pages(stems, keep):
    """Print a row for each page, beside what is stored of it, and the slowest sliders of all; store it if asked to."""
    kept = stored.read(STORED)
    titles = f"{'sliders':>9}{'median/95 %/worst':>22}{'stored':>22}{'s to open, to run':>20}"
    print(f"{'ms from input to pixels, a page':34}{titles}")
    rows = []
    with tempfile.TemporaryDirectory() as name, running_chromium() as browser:
        folder = pathlib.Path(name)
        shutil.copytree(NOTEBOOKS, folder / "notebooks", ignore=shutil.ignore_patterns(".*"))
        with running_lab(folder) as place:
            for stem in stems:
                begun = time.monotonic()
                page = open_notebook(browser, place, f"notebooks/{stem}.ipynb")
                opened = time.monotonic()
                run_all(page)
                run = time.monotonic()
                page.wait_for_timeout(2000)
                if found := watch_page(page, stem):
                    times = f"{opened - begun:.1f}, {run - opened:.1f}"
                    then = [(row["median"],) for row in kept.get(stem, {"controls": []})["controls"]]
                    print(f"{stem:34}{len(found):>9}{spread(found):>22}{spread(then):>22}{times:>20}", flush=True)
                    if keep:
                        stored.store(STORED, stem, [as_row(*one) for one in found])
                rows += found
                close_notebook(page)
                page.close()
    if rows:
        print(f"{'all':34}{len(rows):>9}{spread(rows):>22}\nthe slowest")
    for median, stem, number, label in sorted(rows, reverse=True)[:10]:
        print(f"{median:7.0f}  {stem} figure {number}, {label}")
    print(*stored.said(kept, stems), sep="\n")


def as_row(median, _, number, label):
    return {"figure": number, "control": label, "median": round(median, 1)}


def spread(rows):
    if not rows:
        return "-"
    medians = [row[0] for row in rows]
    return f"{np.median(medians):.0f}/{np.percentile(medians, 95):.0f}/{max(medians):.0f}"


def main(words):
    stems = [word for word in words if not word.startswith("-")]
    if not words:
        against_interact()
    watch_pages(stems or sorted(path.stem for path in NOTEBOOKS.glob("[0-9]*.ipynb")), "--store" in words)


def against_interact():
    print(f"{'ms from input to pixels':42}{'key':>15}{'drag':>15}{'after burst':>13}{'frames of 20':>14}")
    medians = {}
    with tempfile.TemporaryDirectory() as name, running_chromium() as browser:
        folder = pathlib.Path(name)
        for number, source in enumerate(FIGURES.values()):
            cells = [nbformat.v4.new_code_cell(text) for text in (SETUP, source)]
            nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / f"{number}.ipynb")
        shutil.copytree(SETTINGS / "labconfig", folder / "stock" / "labconfig")
        for number, title in enumerate(FIGURES):
            # What a user would pick instead runs in JupyterLab as it comes; ours in the one of `make lab`.
            with running_lab(folder, SETTINGS if number else folder / "stock") as place:
                page = open_notebook(browser, place, f"{number}.ipynb")
                run_all(page)
                page.wait_for_timeout(2000)
                keys, drags, burst, frames = measure(page, 2500)
                page.close()
            medians[title] = np.nanmedian(keys)
            both = [f"{np.nanmedian(part):.0f} / {np.nanpercentile(part, 95):.0f}" for part in (keys, drags)]
            print(f"{title:42}{both[0]:>15}{both[1]:>15}{burst:>13.0f}{frames:>14}", flush=True)
    first, second = list(medians)[:2]
    print("median / 95th percentile of 40 moves; the burst is 20 key presses in about 400 ms")
    print(f"live against interact, median key press: {medians[first] / medians[second]:.1f} times faster")


if __name__ == "__main__":
    main(sys.argv[1:])
