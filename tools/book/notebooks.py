"""Make the notebooks from their sources: `python -m tools.book.notebooks [--force] [notebooks/NN_stem.py ...]`.

Those that are named; else those that have changed since they were last built here (`tools.book.memory`), or with
--force all. jupytext carries the text over and keeps the cell ids; every cell is run; what differs from run to run
(widget views, execution times) is left out, so that building twice changes nothing. A page of which only words have
changed is not run: its outputs stay. A page that was edited in place is refused: its source would not know of it.
"""

import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys

import jupytext
import nbformat
from jupytext.cli import jupytext as jupytext_command
from nbclient import NotebookClient
from tqdm import tqdm

from tools.book import memory
from tools.book.saving import cells, drop_views


def carry(source):
    """Write the text of `source` into the .ipynb beside it, which keeps its cell ids and the outputs of equal cells."""
    jupytext_command(["--quiet", "--update", "--to", "ipynb", str(source)])


def build(source):
    """Write the executed .ipynb beside `source`."""
    carry(source)
    target = source.with_suffix(".ipynb")
    notebook = nbformat.read(target, as_version=4)
    folder = {"metadata": {"path": str(source.parent)}}
    steady = {"store_widget_state": False, "record_timing": False, "coalesce_streams": True}
    nobody = os.environ | {"DPBOOK_GUESSES": os.devnull}  # no reader's own file shows on a stored page
    NotebookClient(notebook, timeout=300, resources=folder, **steady).execute(env=nobody)
    settle(notebook)
    nbformat.write(notebook, target)


def settle(notebook):
    """Drop what differs from run to run: widget views (the stored picture before them stays), the Python's version."""
    drop_views(notebook)
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}


def name(source):
    """A source's place in the project: an answer has the same file name as its page."""
    return source.relative_to(memory.PROJECT).with_suffix("").as_posix()


def digest(pairs):
    return hashlib.sha256(json.dumps(pairs).encode()).hexdigest()


def code(notebook):
    return [text for kind, text in cells(notebook) if kind == "code"]


def made_from(source):
    """The files that the outputs of a page come from, but for its source: modules, data, and what builds pages."""
    names = [*map(str, memory.imported(source)), *memory.beside(source), *memory.HANDS]
    return [file.relative_to(memory.PROJECT).as_posix() for file in memory.files(names)]


def program(source):
    """What the outputs of a page come from, in 64 letters: its code, what that imports and reads; not its words."""
    return digest([memory.key(made_from(source)), code(jupytext.read(source))])


def git(*words):
    """What git answers, or None where it refuses or is not there."""
    try:
        answer = subprocess.run(["git", *words], cwd=memory.PROJECT, capture_output=True, text=True)
    except OSError:
        return None
    return answer.stdout if answer.returncode == 0 else None


def committed_as_run(source):
    """Whether the page stands as it was last committed, and of what it was run from only words have changed since."""
    page = f"{name(source)}.ipynb"
    commit = (git("log", "-1", "--format=%H", "--", page) or "").strip()
    before = git("show", f"{commit}:{name(source)}.py") if commit else None
    return (
        before is not None
        and code(jupytext.reads(before, fmt="py:percent")) == code(jupytext.read(source))
        and git("diff", "--quiet", commit, "--", page, *made_from(source)) is not None
    )


def edited_in_place(source, built):
    """Whether a page has cells that neither its source, nor its last build, nor the last commit had."""
    page = source.with_suffix(".ipynb")
    if not page.exists():
        return False
    here = cells(nbformat.read(page, as_version=4))
    if here == cells(jupytext.read(source)) or built.has(name(source), digest(here)):
        return False
    before = git("show", f"HEAD:{page.relative_to(memory.PROJECT).as_posix()}")
    return before is not None and here != cells(nbformat.reads(before, as_version=4))


def update_text(source):
    """Carry over new words alone; False, and the page as it was, if an output would be lost, or is of other code."""
    page = source.with_suffix(".ipynb")
    before = page.read_bytes()

    def runs(notebook):
        return [(cell.execution_count, cell.source) for cell in notebook.cells if "outputs" in cell]

    ran = runs(nbformat.reads(before.decode(), as_version=4))
    carry(source)
    notebook = nbformat.read(page, as_version=4)
    if runs(notebook) == ran and all(number for number, _ in ran):
        settle(notebook)
        nbformat.write(notebook, page)
        return True
    page.write_bytes(before)
    return False


def main(words):
    """Build what `words` ask for, and remember each page as it then stands."""
    parser = argparse.ArgumentParser(description="Make the notebooks from their sources.")
    parser.add_argument("sources", nargs="*", type=pathlib.Path, help="these; by default all that have changed")
    parser.add_argument("--force", action="store_true", help="all, whether they have changed or not")
    asked = parser.parse_args(words)
    built, ran, written = (memory.Memory(what) for what in ("built", "ran", "written"))
    pages = sorted((memory.PROJECT / "notebooks").glob("*.py"))
    chosen = [source.absolute() for source in asked.sources] or [
        source for source in pages if asked.force or not built.has(name(source), memory.key(memory.page(source)))
    ]
    if edited := [source.relative_to(memory.PROJECT) for source in chosen if edited_in_place(source, written)]:
        for source in edited:
            page = source.with_suffix(".ipynb")
            print(f"{page} was edited in place and would be overwritten: its source is {source}.")
        print("Make the change there (`git diff` of the page shows it), then `git checkout` the page and build again.")
        return 1
    texts = 0
    for source in tqdm(chosen, unit="notebook", disable=not chosen):
        before = program(source)
        known = not asked.force and (ran.has(name(source), before) or committed_as_run(source))
        if known and update_text(source):
            texts += 1
        else:
            build(source)
        if program(source) == before:  # else somebody wrote while it ran: it is made again next time
            built.keep({name(source): memory.key(memory.page(source))})
            ran.keep({name(source): before})
        written.keep({name(source): digest(cells(nbformat.read(source.with_suffix(".ipynb"), as_version=4)))})
    if not asked.sources:
        print(f"{len(chosen) - texts} run, {texts} with new words alone, {len(pages) - len(chosen)} as they were")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
