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
    """The mutants of these stems, or of all, in the order of the files; `svt-3` is one, `svt-3-` that and all after."""
    paths = sorted(Path(__file__).parent.glob("*.toml"))
    asked = [name.partition("-") for name in stems]
    unknown = {stem for stem, _, _ in asked} - {path.stem for path in paths}
    if unknown:
        raise ValueError(f"stems must be among {[path.stem for path in paths]}; got {sorted(unknown)}")
    mutants = [mutant for path in paths for mutant in _of_file(path)]
    return [one for one in mutants if not stems or any(_asked(one, stem, which) for stem, _, which in asked)]


def _asked(mutant, stem, which):
    """Whether the mutant is of this stem, and `which` it says: none, a number, or a number and a dash."""
    from_there_on = which.endswith("-") and mutant.number >= int(which[:-1])
    return mutant.stem == stem and (not which or from_there_on or which == str(mutant.number))


def _of_file(path):
    room = tomllib.loads(path.read_text())
    shared = {"file": f"dpbook/{path.stem}.py", "tests": [f"tests/test_{path.stem}.py"]}
    for number, entry in enumerate(room.pop("mutant"), 1):
        fields = shared | room | entry
        yield Mutant(path.stem, number, **(fields | {"tests": tuple(fields["tests"])}))
