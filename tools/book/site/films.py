"""The films of the live figures: a page that has changed is run once, in a process of its own, and each figure filmed.

`python -m tools.book.site.films notebooks/NN_stem.py FOLDER` films one page: `FOLDER/NN_stem/CELL.js` for the reader's
browser, and `films.json`, which says what is in them.
"""

import base64
import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from tqdm import tqdm

from tools.book import memory
from tools.book.site.needed import needed

MADE_BY = ("tools/book/films.py", "tools/book/site/films.py", "tools/book/site/needed.py")


def make(names, folder, workers=2):
    """Film the pages that have changed since they were last filmed here; returns how many were."""
    todo = [memory.PROJECT / "notebooks" / f"{name}.py" for name in names if is_old(name, folder)]
    with ThreadPoolExecutor(workers) as pool, tqdm(total=len(todo), unit="page", desc="films", disable=None) as bar:
        for _ in pool.map(lambda source: _filmed(source, folder), todo):
            bar.update()
    return len(todo)


def is_old(name, folder):
    """Whether a page has changed since it was filmed, itself or what it imports; so has one that never was."""
    kept = folder / name / "key"
    return not kept.exists() or kept.read_text() != _key(name)


def _key(name):
    source = memory.PROJECT / "notebooks" / f"{name}.py"
    return memory.key((f"notebooks/{name}.py", *memory.beside(source), *MADE_BY))


def _filmed(source, folder):
    """Film one page, and remember what it was filmed from, whatever becomes of the others."""
    key = _key(source.stem)
    _in_its_own_process(source, folder)
    (folder / source.stem / "key").write_text(key)


def _in_its_own_process(source, folder):
    """Each page in a fresh process, as in a kernel; its guesses are nobody's."""
    with tempfile.TemporaryDirectory() as empty:
        asked = dict(os.environ, DPBOOK_GUESSES=f"{empty}/guesses", PYTHONPATH=str(memory.PROJECT))
        words = [sys.executable, "-m", "tools.book.site.films", str(source), str(folder)]
        done = subprocess.run(words, env=asked, cwd=memory.PROJECT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{source.name} could not be filmed:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")


def run(source, everything=False):
    """Run what a page's figures need: [(number of the cell, live figure, where its controls stood when shown), ...]."""
    import jupytext
    from IPython.core.interactiveshell import InteractiveShell

    from livefig.figure import LiveFigure

    shown, cells = [], []

    def show(figure):
        shown.append((len(cells) - 1, figure, {name: control.value for name, control in figure.controls.items()}))

    LiveFigure._ipython_display_ = show
    shell = InteractiveShell.instance()
    os.chdir(source.parent)
    page = jupytext.read(source).cells
    wanted = iter(needed([cell.source for cell in page if cell.cell_type == "code"]))
    for cell in page:
        cells.append(cell)
        if cell.cell_type == "code" and (next(wanted) or everything):
            with contextlib.redirect_stdout(io.StringIO()):
                result = shell.run_cell(cell.source, silent=False)
            result.raise_error()
    return shown


def film_page(source, folder):
    """Run a page and write its films."""
    from tools.book.films import film

    place = folder / source.stem
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    contents = {}
    for number, figure, starts in run(source):
        name, made = f"{source.stem}/{number}", film(figure, starts)
        contents[number] = said = words(made, figure)
        if not made.remembers:
            file, shown = place / f"{number}.js", json.dumps(frames(made), allow_nan=False)
            file.write_text(f"dpbookFilm({json.dumps(name)}, {shown});\n")
            said["bytes"] = file.stat().st_size
    (place / "films.json").write_text(json.dumps(contents, indent=1))


def words(made, figure):
    """What the page says of a film before it is loaded."""
    reels = [reel._asdict() | {"values": [_number(value) for value in reel.values]} for reel in made.reels]
    questions = [one.question for one in made.asked]
    asked = [{"text": one.text, "tolerance": one.tolerance()} | _scale(one) for one in questions]
    plays = any(reel.name == figure.play and reel.kind == "range" for reel in made.reels)
    promises = any(reel.name == "epsilon" and reel.label.startswith(("epsilon", "ε")) for reel in made.reels)
    said = {"reels": reels, "pair": made.pair, "play": figure.play if plays else "", "asked": asked}
    said |= {"still": made.still, "size": made.size, "remembers": made.remembers, "promises": promises}
    return said | {"pictures": len(made.pictures), "alt": figure.alt}


def _number(value):
    """A value for a script that computes with it: only epsilon and delta are."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _scale(question):
    """How the answer is given: names, or a scale of numbers."""
    if not question.is_number:
        return {"answers": list(question.answers)}
    low, high = map(float, question.answers[:2])
    return {"low": low, "high": high, "unit": question.unit, "log": question.is_log}


def frames(made):
    """What is loaded when a reader first touches the figure."""
    return {
        "shots": {",".join(map(str, places)): shot for places, shot in made.shots.items()},
        "pictures": [base64.b64encode(picture).decode() for picture in made.pictures],
        "captions": made.captions,
        "asked": [_answer(one) for one in made.asked],
    }


def _answer(asked):
    truth = asked.truth if isinstance(asked.truth, str) else float(asked.truth)
    return {"truth": truth, "says": asked.question.say(asked.truth), "at": asked.at}


if __name__ == "__main__":
    film_page(pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2]).absolute())
