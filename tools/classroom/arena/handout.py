"""The notebook that students fill in: the task, the rules, cells for the mechanism and the attack, one to try both."""

from tools.classroom.arena.rendering import METADATA

RULES = """
**How to play.** Write your mechanism and your attack into the two cells below and hand in this notebook. In the arena
every mechanism meets every attack, with 20,000 releases of each of the two neighbours. An attack *strikes* where it is
certified that more than the claimed epsilon is lost (wrong on one board in a thousand at most).

- Each of the two cells sees the rules above and not the other one. Besides Python there are numpy, scipy and
  `dpbook`; no files, no network. All randomness of a mechanism comes from `rng`; each call is a release by itself
  and leaves `data` as it is: change a copy.
- 20,000 releases may take 10 seconds of processor time: half a millisecond each.
- A mechanism that raises an error, or releases a NaN or another shape, on *any* data that the rules allow, is out.
- An attack first names two neighbours. `examples` are the very data on which the errors are measured: who is careless
  there is careless under attack. Then `score` gives each release a number, larger, smaller or simply another one where
  it may have come from the one data set and not the other. It knows the two, and not which of them it was.
- Struck mechanisms are shown with their code in the second round. Mend yours, and attack again.
"""
MECHANISM = """
def mechanism(data, epsilon, rng):
    raise NotImplementedError  # your mechanism: one release of data
"""
ATTACK = """
def neighbours(examples, rng):
    raise NotImplementedError  # your attack: return data, neighbour


def score(output, data, neighbour):
    raise NotImplementedError  # a number for this output
"""
TRY = """
# Try it: your mechanism's error, and your attack on it (with fewer releases than in the arena, so it certifies less).
from dpbook.audit import epsilon_lower_bound

rng = np.random.default_rng()
examples = np.array([typical(rng) for _ in range(3)])


def draws(data, rng, size):
    return tidy(np.array([np.asarray(mechanism(data, EPSILON, rng), dtype=float) for _ in range(size)]))


print("error:", np.mean([errors(draws(data, rng, 1000), data).mean() for data in examples]))
data, neighbour = neighbours(examples, rng)
print(refused(np.asarray(data), np.asarray(neighbour)) or "these are neighbours")
scores = [[score(output, data, neighbour) for output in draws(one, rng, 4000)] for one in (data, neighbour)]
print(epsilon_lower_bound(lambda side, rng, size: np.array(scores[side], dtype=float), 0, 1, 4000, rng, 0.999))
"""


def notebook(arena):
    """The notebook, with nbgrader's names on the cells that are taken."""
    from nbformat import v4

    def answer(name, text):
        return v4.new_code_cell(text.strip(), id=name, metadata={"nbgrader": {"grade_id": name}})

    cells = [
        v4.new_markdown_cell(arena.text.strip(), id="task"),
        v4.new_code_cell(arena.setup.strip(), id="setup"),
        v4.new_markdown_cell(RULES.strip(), id="rules"),
        answer("mechanism", MECHANISM),
        answer("attack", ATTACK),
        v4.new_code_cell(TRY.strip(), id="try"),
    ]
    return v4.new_notebook(cells=cells, metadata=METADATA)
