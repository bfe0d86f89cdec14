"""An arena is one source, exercises/arenas/<name>.py: the task, its rules, and the house's own mechanisms and attacks.

Its cells are in the percent format: `# %% [markdown]` the task; `# %% setup` the rules, which everybody's code sees as
well; then, each with a name, `# %% honest: ...` and `# %% broken: ...` (a `mechanism`) and `# %% attack: ...`
(`neighbours` and `score`). The rules define EPSILON, which everybody claims, DATA and OUTPUT, the shapes of the data
(whole numbers) and of a release, and four functions: `typical(rng)` draws data, `refused(data, neighbour)` says in
words why two arrays are no data or no neighbours, `tidy(outputs)` brings releases into the range that counts, and
`errors(outputs, data)` gives one number a release.
"""

import pathlib
import re
from dataclasses import dataclass

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "exercises" / "arenas"
KINDS = ("honest", "broken", "attack")
EXAMPLES = 3  # data sets on which each mechanism's error is measured


@dataclass(frozen=True)
class Player:
    """A mechanism or an attack: its name on the board, its code, and its kind.

    The kind is `student`, or of the house's own `honest`, `broken` or `attack`.
    """

    name: str
    code: str
    kind: str = "student"


@dataclass(frozen=True)
class Arena:
    """An arena as its source says it, with the rules as a dict of names."""

    name: str
    text: str
    setup: str
    rules: dict
    mechanisms: tuple
    attacks: tuple

    @property
    def epsilon(self):
        return float(self.rules["EPSILON"])

    @property
    def data(self):
        return tuple(self.rules["DATA"])

    @property
    def output(self):
        return tuple(self.rules["OUTPUT"])

    def examples(self, seed):
        """The data sets on which errors are measured."""
        rng = np.random.default_rng(seed)
        return np.array([self.rules["typical"](rng) for _ in range(EXAMPLES)], dtype=np.int64)


def names():
    """The arenas that there are."""
    return sorted(path.stem for path in FOLDER.glob("*.py"))


def read(name):
    """The `Arena` of this name; ValueError if there is none."""
    if name not in names():
        raise ValueError(f"the arena must be one of {', '.join(names())}; got {name!r}")
    parts = re.split(r"^# %% (.*)\n", (FOLDER / f"{name}.py").read_text(encoding="utf-8"), flags=re.M)[1:]
    cells = [(title.strip(), body.strip() + "\n") for title, body in zip(parts[::2], parts[1::2], strict=True)]
    text = "\n".join(re.sub(r"^# ?", "", body, flags=re.M) for title, body in cells if title == "[markdown]")
    (setup,) = (body for title, body in cells if title == "setup")
    rules = {}
    exec(setup, rules)
    house = [(*title.partition(": ")[::2], body) for title, body in cells if title.split(":")[0] in KINDS]
    players = [Player(f"house: {words}", body, kind) for kind, words, body in house]
    attacks = tuple(player for player in players if player.kind == "attack")
    return Arena(name, text, setup, rules, tuple(player for player in players if player not in attacks), attacks)
