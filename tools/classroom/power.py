"""The smallest violation that each task's checks catch: `python -m tools.classroom.power [--only TASK ...]`.

Every mechanism of the assignments is spoilt a little, and more and more, until its checks refuse it: the task's own
solution, run here, with another epsilon, or with a generator whose Laplace numbers are changed. A violation counts as
caught at a size if all `TRIES` gradings refuse it, each with hidden data and seeds of its own. `--honest N` grades the
solutions as they are, N times, and says how many were refused.
"""

import argparse
import inspect
from functools import partial

import numpy as np

from dpbook.check import Unusable, collect, own_seed
from tools.classroom import assignments
from tools.classroom.students import sources
from tools.classroom.verdicts import verdict_of

TRIES = 3
BUDGETS = ("epsilon", "budgets")  # the arguments that are privacy budgets
ENOUGH = 1e7  # an epsilon with which a release is the true answer


def with_budget(function, change):
    """The function, with its privacy budget changed for each call by `change(budget, rng)`."""
    place = next(i for i, name in enumerate(inspect.signature(function).parameters) if name in BUDGETS)

    def changed(*call):
        call = list(call)
        budget = change(np.asarray(call[place], float), call[-1])
        call[place] = tuple(budget) if budget.shape else float(budget)
        return function(*call)

    return changed


class Changed(np.random.Generator):
    """A generator whose Laplace numbers, in units of their scale, are changed."""

    def __init__(self, rng, change, memory):
        super().__init__(rng.bit_generator)
        self._change, self._memory = change, memory

    def laplace(self, loc=0.0, scale=1.0, size=None):
        shape = np.broadcast_shapes(np.shape(loc), np.shape(scale)) if size is None else size
        return loc + np.multiply(scale, self._change(super().laplace(size=shape), self, self._memory))


def with_noise(function, change):
    """The function, called with a generator that changes its noise; what it remembers goes from call to call."""
    memory = {}
    return lambda *call: function(*call[:-1], Changed(call[-1], change, memory))


def turns(noise, rng, memory):
    """Every second noise is the one before, turned round."""
    if "last" in memory and memory["last"].shape == np.shape(noise):
        return -memory.pop("last")
    memory["last"] = np.asarray(noise)
    return noise


def sometimes(share, other):
    return lambda noise, rng, _: np.where(rng.random() < share, other(np.asarray(noise)), noise)


def to_bits(bits):
    """Noise from so many random bits and a sign, as a generator with few of them would give."""

    def change(noise, *_):
        whole = np.ceil(np.exp(-np.abs(noise)) * 2.0**bits)
        return -np.sign(noise) * np.log(whole / 2.0**bits)

    return change


def alike(noise, *_):
    """The sizes of the entries of a release are those of the first."""
    noise = np.asarray(noise)
    return np.sign(noise) * np.abs(noise.ravel()[0]) if noise.ndim and noise.size else noise


# Of each violation: its name, the sizes tried, least first, how a size is written, and the spoilt function.
OF_BUDGETS = (
    ("epsilon times", (1.01, 1.02, 1.03, 1.05, 1.1, 1.2, 1.5), "{:g}", lambda f, s: with_budget(f, lambda e, _: s * e)),
    (
        "true answer in",
        (3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1),
        "{:.3%}",
        lambda f, s: with_budget(f, lambda e, rng: np.where(rng.random() < s, ENOUGH * e**0, e)),
    ),
)
OF_NOISE = (
    ("scale too small by", (0.01, 0.015, 0.02, 0.03, 0.05, 0.1), "{:.1%}", lambda s: lambda z, *_: z * (1 - s)),
    ("scale too large by", (0.01, 0.015, 0.02, 0.03, 0.05, 0.1), "{:.1%}", lambda s: lambda z, *_: z * (1 + s)),
    ("nearly exact in", (3e-5, 1e-4, 3e-4, 1e-3, 1e-2), "{:.3%}", lambda s: sometimes(s, lambda z: 1e-7 * z)),
    ("far out in", (3e-5, 1e-4, 3e-4, 1e-3, 1e-2), "{:.3%}", lambda s: sometimes(s, lambda z: z + 1e5)),
    ("tails cut at", (10, 9, 8, 7, 6, 5), "{:g} scales", lambda s: lambda z, *_: np.where(np.abs(z) > s, z / 2, z)),
    ("bias of", (0.01, 0.02, 0.03, 0.05, 0.1), "{:g} scales", lambda s: lambda z, *_: z + s),
    ("noise of few bits", (30, 28, 26, 24, 20, 16), "{} bits", to_bits),
    ("antithetic noise", (1,), "caught", lambda s: turns),
    ("entries of equal size", (1,), "caught", lambda s: alike),
)


def draws_of(function, seed):
    """Draws from a function of our own, as `check` makes them."""
    seeds = np.random.SeedSequence(seed)

    def draw(calls, samples=None, shape=(), seed=None):
        try:
            return collect(
                function, calls, samples, shape, seeds.spawn(1)[0] if seed is None else own_seed(seeds, seed)
            )
        except (ValueError, FloatingPointError, ZeroDivisionError) as error:
            raise Unusable(str(error)) from None

    return draw


def mechanisms(only=()):
    """The tasks whose solution has a privacy budget and a generator, each with its assignment and its function."""
    for source in sources():
        assignment = assignments.read(source)
        for task in assignment.tasks:
            namespace = {}
            exec(assignment.setup, namespace)
            if task.check and (not only or task.name in only):
                exec(task.answer, namespace)
                if {"rng", *BUDGETS} & set(names := inspect.signature(namespace[task.name]).parameters) > {"rng"}:
                    yield assignment, task, namespace[task.name], "laplace_law(" in task.check and list(names)


def refused(assignment, task, function, tries, first=1):
    """How many of so many gradings refuse the function; RuntimeError if one cannot run it."""
    lines = [verdict_of(assignment, task, draws_of(function, seed), seed).line for seed in range(first, first + tries)]
    if broken := [line for line in lines if line.startswith("not yet")]:
        raise RuntimeError(f"{task.name}: {broken[0]}")
    return sum(line != "right" for line in lines)


def smallest(assignment, task, spoil, sizes, tries):
    """The smallest size at which all gradings refuse; None if there is none."""
    return next((size for size in sizes if refused(assignment, task, spoil(size), tries) == tries), None)


def table(only=(), tries=TRIES):
    """Lines of a table in Markdown, a task a line."""
    names = [name for name, *_ in OF_BUDGETS + OF_NOISE]
    yield f"| task | {' | '.join(names)} |"
    yield "|" + "---|" * (len(names) + 1)
    for assignment, task, function, additive in mechanisms(only):
        spoilers = [(sizes, words, partial(spoil, function)) for _, sizes, words, spoil in OF_BUDGETS]
        spoilers += [
            (sizes, words, partial(_noisy, function, spoil)) for _, sizes, words, spoil in OF_NOISE if additive
        ]
        found = [(smallest(assignment, task, spoil, sizes, tries), words) for sizes, words, spoil in spoilers]
        row = ["-" if size is None else words.format(size) for size, words in found] + [""] * (len(names) - len(found))
        yield f"| `{task.name}` | {' | '.join(row)} |"


def _noisy(function, change, size):
    return with_noise(function, change(size))


def main(words=None):
    parser = argparse.ArgumentParser(prog="python -m tools.classroom.power", description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=(), help="names of tasks")
    parser.add_argument("--tries", type=int, default=TRIES, help="gradings a size")
    parser.add_argument("--honest", type=int, help="grade the solutions so many times instead")
    chosen = parser.parse_args(words)
    if chosen.honest:
        for assignment, task, function, _ in mechanisms(chosen.only):
            print(f"{task.name}: {refused(assignment, task, function, chosen.honest)} of {chosen.honest} refused")
    else:
        for line in table(chosen.only, chosen.tries):
            print(line, flush=True)


if __name__ == "__main__":
    main()
