"""Small wrong changes of the code, one at a time, and whether the tests notice: `make mutants`.

`tools/mutants/<stem>.toml` lists the mutants of one room, found by itself: `file` and `tests` for all of them (a
chapter's own where they are left out), then a `[[mutant]]` each: the exact text to `find`, which stands once in its
file, what to `replace` it with, and what is at stake, its `kind`:

privacy   a promise is broken: the tests must notice
accuracy  the answer gets worse, the promise holds
guard     bad input, or a bad submission, is let through
tool      anything else

A mutant that may survive says so by a `reason`. `file` and `tests` may stand in a mutant as well.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
KINDS = ("privacy", "accuracy", "guard", "tool")


@dataclass(frozen=True)
class Mutant:
    """One change of one text in one file, and the tests that should notice it."""

    stem: str
    number: int
    file: str
    find: str
    replace: str
    kind: str
    tests: tuple
    reason: str = ""

    @property
    def name(self):
        return f"{self.stem}-{self.number}"

    def changed(self, source):
        """The source with the change; raises ValueError unless the text to find stands in it exactly once."""
        if source.count(self.find) != 1:
            raise ValueError(f"{self.name}: {self.find!r} stands {source.count(self.find)} times in {self.file}")
        return source.replace(self.find, self.replace)

    def __str__(self):
        was, now = (text.strip() for text in (self.find, self.replace))
        return f"{self.name:18} {self.kind:9} {self.file}: {was}  ->  {now}"


def read_mutants(stems=()):
    """The mutants of these stems, or of all, in the order of the files."""
    paths = sorted(Path(__file__).parent.glob("*.toml"))
    unknown = set(stems) - {path.stem for path in paths}
    if unknown:
        raise ValueError(f"stems must be among {[path.stem for path in paths]}; got {sorted(unknown)}")
    return [mutant for path in paths if not stems or path.stem in stems for mutant in _of_file(path)]


def _of_file(path):
    room = tomllib.loads(path.read_text())
    shared = {
        "file": room.get("file", f"dpbook/{path.stem}.py"),
        "tests": room.get("tests", [f"tests/test_{path.stem}.py"]),
    }
    for number, entry in enumerate(room["mutant"], 1):
        fields = shared | entry
        yield Mutant(path.stem, number, **(fields | {"tests": tuple(fields["tests"])}))
