"""What students get: `python -m tools.classroom.students` puts it into build/students, ready to be handed out.

The wheel of dpbook, the pages of the book with the tables that they read, and the releases of the assignments, with one
page that says how to start. Nothing of exercises/ or tools/ is there, and so no solution, hidden check, mark scheme or
grader; `leaks` looks for them in every file before anything is said to be ready.
"""

import functools
import json
import pathlib
import shutil
import subprocess
import sys
import zipfile

import nbformat

from tools.classroom import assignments
from tools.classroom.places import PROJECT

FOLDER = pathlib.Path("build/students")
PACKAGES = ("dpbook", "livefig")  # of the wheel
START = """# Differential privacy: pages and assignments

You need Python 3.11 or newer. Open a terminal in this folder; the package lies in it, in the file that ends in `.whl`:

    python3 -m venv .venv
    .venv/bin/pip install "./{wheel}[lab]"
    .venv/bin/jupyter lab

On Windows:

    py -3 -m venv .venv
    .venv\\Scripts\\python -m pip install ".\\{wheel}[lab]"
    .venv\\Scripts\\jupyter lab

The first two lines are needed once. (We have not run those for Windows.)

Begin with `notebooks/00_start_here.ipynb`, and choose *Run > Run All Cells*: only then do the figures of a page move.
The assignments are in `assignments/`. Write your answers where they say so, and run the folded cell below each. It
tells you in a line whether you are there. Hand in the notebook itself.
"""
SECRET = ("BEGIN SOLUTION", "HIDDEN TESTS", "MARK SCHEME", "# WRONG ", "# DIAGNOSIS")


def build(folder=FOLDER, project=PROJECT):
    """Write what students get below `folder`; its files. RuntimeError if one holds what students may not see."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "notebooks").mkdir(parents=True)
    (folder / "assignments").mkdir()
    wheel_file = wheel(project, folder)
    pages = project / "notebooks"
    tables = [*pages.glob("*.toml"), *pages.glob("*.json"), *pages.glob("papers/*.csv")]  # what pages read
    for file in sorted([*pages.glob("*.ipynb"), *(path for path in tables if path.name != "ruff.toml")]):
        target = folder / "notebooks" / file.relative_to(pages)
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(file, target)
    for source in sources(project):
        nbformat.write(assignments.release(source), folder / "assignments" / f"{source.stem}.ipynb")
    (folder / "README.md").write_text(START.format(wheel=wheel_file.name))
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if found := [f"{path}: {what}" for path in files for what in leaks(path, project)]:
        raise RuntimeError("students may not have this:\n" + "\n".join(found))
    return files


def sources(project=PROJECT):
    """The sources of the assignments."""
    return sorted((project / "exercises").glob("[0-9]*.py"))


def wheel(project, folder):
    """The wheel of the package, made from a copy: what lies about in a clone cannot get into it."""
    copy = folder / "clone"
    for name in PACKAGES:
        shutil.copytree(project / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copyfile(project / name, copy / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(copy)], check=True)
    shutil.rmtree(copy)
    (made,) = folder.glob("*.whl")
    return made


def leaks(path, project=PROJECT):
    """What a file holds that students may not see: marks of hidden regions, hidden lines, our own folders."""
    texts = _texts(path)
    hidden = secret_lines(project)
    found = [f"{name} in {inside}" for inside, text in texts for name in SECRET if name in text]
    found += [inside for inside, _ in texts if inside.split("/")[0] in ("exercises", "tools", "tests")]
    return found + [f"{line!r} in {inside}" for inside, text in texts for line in hidden & _lines(text)]


@functools.cache
def secret_lines(project=PROJECT):
    """The lines of solutions, hidden checks and mark schemes that neither a release nor the package shows.

    Imports tell nothing, and pages have them too.
    """
    hidden, shown = set(), set()
    for source in sources(project):
        hidden |= {line for cell in assignments.solution_book(source).cells for line in _lines(cell.source)}
        shown |= {line for cell in assignments.release(source).cells for line in _lines(cell.source)}
    for module in (module for name in PACKAGES for module in (project / name).rglob("*.py")):
        shown |= _lines(module.read_text())
    return {line for line in hidden - shown if len(line) > 30 and not line.startswith(("from ", "import "))}


def _lines(text):
    return {line.strip() for line in text.splitlines()}


def _texts(path):
    """The texts in a file, with their names: of a notebook its cells, of a wheel its files."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return [(name, wheel.read(name).decode(errors="replace")) for name in wheel.namelist()]
    if path.suffix == ".ipynb":
        return [(path.name, "\n".join("".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]))]
    return [(path.name, path.read_text(errors="replace"))]


if __name__ == "__main__":
    for file in build():
        print(file)
