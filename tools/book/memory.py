"""What need not be done again: what was built, and what was checked, from files that are still the same.

Whatever is made from some files stands for those files, for all of the project that they import, directly or not, and
for the versions of Python and of all that is installed. The memory is `build/done-<Python>.json`; without it everything
is done.
"""

import ast
import functools
import hashlib
import json
import pathlib
import platform
import subprocess
import sys

PROJECT = pathlib.Path(__file__).parents[2]
ROOTS = ("dpbook", "livefig", "tools", "tests")  # what is imported by these names is the project's
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # where statements hold statements
HANDS = ("tools/book/notebooks.py", "tools/book/sliders.py", "tools/book/nbval_pages.py", "tools/book/forks.py")


def page(source):
    """The files that a page is made from, as names within the project; its modules come with what it imports."""
    name = f"notebooks/{source.stem}"
    return (f"{name}.py", f"{name}.ipynb", *beside(source), *HANDS)


def beside(source):
    """The data that a page reads beside itself: .toml and .json files, or all .csv files of a folder, that it names."""
    text, folder = source.read_text(encoding="utf-8") if source.exists() else "", source.parent
    tables = [*folder.glob("*.toml"), *folder.glob("*.json"), *folder.glob("*/*.csv")]
    named = {path for path in tables if f'"{path.name}"' in text or f'"{path.parent.name}/' in text}
    return sorted(f"notebooks/{path.relative_to(folder)}" for path in named)


def files(names, project=PROJECT, known=None):
    """The files that these files are or these folders hold, and those of the project that they import, directly or not.

    `known` is a dict that keeps what each file imports, for callers that ask about many.
    """
    known = {} if known is None else known
    places = [project / name for name in names]
    found, todo = set(), [file for place in places for file in (held(place) if place.is_dir() else [place])]
    while todo:
        file = todo.pop()
        if file not in found:
            found.add(file)
            if file not in known:
                known[file] = imported(file, project) if file.suffix == ".py" and file.exists() else []
            todo += known[file]
    return sorted(found)


def held(folder):
    """The files in a folder and below, but for what is hidden or compiled."""
    found = {path: path.relative_to(folder).parts for path in folder.rglob("*") if path.is_file()}
    return [path for path, parts in found.items() if not any(part[0] == "." or part == "__pycache__" for part in parts)]


def imported(file, project=PROJECT):
    """The files of the project that a file imports. A folder of `dpbook` is all that it holds: it may look for it."""
    here = file.relative_to(project).parent.parts
    names = [name for name in imports(file.read_text(), here) if name[0] in ROOTS]
    parts = {name[:length] for name in names for length in range(1, len(name) + 1)}
    places = {part: project.joinpath(*part) for part in parts}
    modules = [place.with_name(f"{place.name}.py") for place in places.values()]
    modules += [place / "__init__.py" for place in places.values()]
    folders = [place for part, place in places.items() if part[0] == "dpbook" and len(part) > 1 and place.is_dir()]
    modules += [file for folder in folders for file in held(folder)]
    if any(part[0] == "livefig" for part in places):  # what its page runs is read when it is imported
        modules += [project / "livefig" / name for name in ("browser.css", "browser.js")]
    return [*filter(pathlib.Path.is_file, modules)]


@functools.cache
def imports(text, here):
    """The names that a text imports, as tuples of their parts; `here` is the folder for relative ones."""
    lines = ["" if line.lstrip().startswith(("%", "!")) else line for line in text.splitlines()]
    found = {("dpbook", "__init__")}
    todo = [ast.parse("\n".join(lines))]
    while todo:  # `ast.walk` would look into every expression, and an import is a statement
        node = todo.pop()
        todo += [part for held in BLOCKS for part in getattr(node, held, ())]
        if isinstance(node, ast.Import):
            found |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = here[: len(here) - node.level + 1] if node.level else ()
            module = (*start, *(node.module or "").split("."))
            found |= {(*module, alias.name) for alias in node.names}
    return found


@functools.cache
def versions():
    """Python's version and that of each installed distribution, in one line: their folders are called by them."""
    installed = {found.stem for place in sys.path for found in pathlib.Path(place or ".").glob("*.dist-info")}
    return " ".join([platform.python_version(), *sorted(installed)])


@functools.cache
def everything(project=PROJECT):
    """Every file of the project that git keeps or would keep, as names within it; None where git does not know."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return tuple(sorted(filter(None, listed.split("\0"))))


def key(names, project=PROJECT, known=None):
    """All that these files stand for, as it is now, in 64 letters; `known` as for `files`."""
    digest = hashlib.sha256(versions().encode())
    for file in files(names, project, known):
        name, text = str(file.relative_to(project)).encode(), file.read_bytes() if file.exists() else b""
        digest.update(hashlib.sha256(name).digest() + hashlib.sha256(text).digest())
    return digest.hexdigest()


class Memory:
    """What was done, and with which key: `Memory("built")` and `Memory("checked")` are two that share a file."""

    def __init__(self, what, project=PROJECT):
        self.what, self.path = what, project / "build" / f"done-{platform.python_version()}.json"

    def _all(self):
        return json.loads(self.path.read_text()) if self.path.exists() else {}

    def has(self, name, key):
        """Whether this was done with this key."""
        return self._all().get(self.what, {}).get(name) == key

    def keep(self, keys):
        """Remember name -> key."""
        everything = self._all()
        everything[self.what] = everything.get(self.what, {}) | keys
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(everything, indent=1, sort_keys=True))
