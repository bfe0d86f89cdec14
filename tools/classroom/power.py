"""The smallest violation that each task's checks catch: `python -m tools.classroom.power [--only TASK ...]`.

Every mechanism of the assignments is spoilt a little, and more and more, until its checks refuse it: the task's own
solution, run here with another epsilon, or, where it adds Laplace or normal noise, with other noise. A violation counts
as caught at a size if all `TRIES` gradings refuse it, each with hidden data and seeds of its own. How often a solution
as it is was refused is counted by `tools.classroom.honest`.
"""

import argparse
import inspect
from functools import partial

import numpy as np
from joblib import Parallel, delayed

from dpbook.check import Unusable, collect, own_seed
from tools.classroom import assignments
from tools.classroom.students import sources
from tools.classroom.verdicts import verdict_of

TRIES = 20
BUDGETS = ("epsilon", "budgets", "multiplier")  # the arguments that are privacy budgets, or give the noise
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


class Constant(np.random.Generator):
    """A generator whose Laplace and normal numbers are all the same, in units of their scale."""

    def __init__(self, number, seed=1):
        super().__init__(np.random.PCG64(seed))
        self.number = number

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return loc + np.multiply(scale, np.full(np.shape(scale) if size is None else size, self.number))

    normal = laplace


class Spoilt(np.random.Generator):
    """A generator whose normal numbers are those of another one, changed by `change(noise, rng)`."""

    def __init__(self, rng, change):
        super().__init__(rng.bit_generator)
        self.change = change

    def normal(self, loc=0.0, scale=1.0, size=None):
        noise = super().normal(size=np.shape(scale) if size is None else size)
        return loc + scale * self.change(noise.reshape(1, -1), self).reshape(noise.shape)


def sometimes(share, other):
    """In a share of the releases, all their noise as `other` makes it."""
    return lambda noise, rng: np.where(rng.random((len(noise), 1)) < share, other(noise), noise)


def to_bits(bits):
    """Noise from so many random bits and a sign, as a generator with few of them would give."""
    return lambda noise, _: -np.sign(noise) * np.log(np.ceil(np.exp(-np.abs(noise)) * 2.0**bits) / 2.0**bits)


def turned(noise, _):
    """Every second noise is the one before, turned round."""
    return np.repeat(noise[::2], 2, axis=0)[: len(noise)] * np.resize([1, -1], len(noise))[:, None]


def at_times_true(function, share):
    """The function, but a share of its releases is the true answer: that without noise, or of a choice the best."""
    best = with_budget(function, lambda budget, _: ENOUGH * budget**0)

    def spoilt(*call):
        if call[-1].random() >= share:
            return function(*call)
        silent = function(*call[:-1], Constant(0.0))
        return best(*call) if _is_drawn(function, call[:-1], np.ravel(silent), 8) else silent

    return spoilt


# Of each violation: its name, the sizes tried, least first, how a size is written, and what it makes of a function...
OF_BUDGETS = (
    (
        "epsilon times",
        (1.01, 1.02, 1.03, 1.05, 1.1, 1.2, 1.5),
        "{:g}",
        lambda s: lambda function: with_budget(function, lambda e, _: s * e),
    ),
    (
        "true answer in",
        (3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1),
        "{:.3%}",
        lambda s: lambda function: at_times_true(function, s),
    ),
)
# ... or of Laplace noise in units of its scale, an array (releases, entries).
OF_NOISE = (
    ("epsilon times", (1.005, 1.01, 1.015, 1.02, 1.03, 1.05), "{:g}", lambda s: lambda z, _: z / s),
    ("true answer in", (1e-5, 3e-5, 1e-4, 3e-4, 1e-3), "{:.3%}", lambda s: sometimes(s, lambda z: 0 * z)),
    ("scale too large by", (0.005, 0.01, 0.015, 0.02, 0.03, 0.05), "{:.1%}", lambda s: lambda z, _: z * (1 + s)),
    ("nearly exact in", (1e-5, 3e-5, 1e-4, 3e-4, 1e-3), "{:.3%}", lambda s: sometimes(s, lambda z: 1e-7 * z)),
    ("far out in", (1e-5, 3e-5, 1e-4, 3e-4, 1e-3), "{:.3%}", lambda s: sometimes(s, lambda z: z + 1e5)),
    ("tails cut at", (10, 9, 8, 7, 6), "{:g} scales", lambda s: lambda z, _: np.where(np.abs(z) > s, z / 2, z)),
    ("bias of", (0.005, 0.01, 0.02, 0.03, 0.05), "{:g} scales", lambda s: lambda z, _: z + s),
    ("noise of few bits", (32, 30, 28, 26, 24, 20), "{} bits", to_bits),
    ("noise turned round", (1,), "caught", lambda _: turned),
    ("entries of equal size", (1,), "caught", lambda _: lambda z, _: np.sign(z) * np.abs(z[:, :1])),
    ("shared by entries in", (1e-4, 1e-3, 1e-2, 0.05), "{:.2%}", lambda s: sometimes(s, lambda z: z[:, :1] + 0 * z)),
)
# Of normal noise, in units of its deviation: one release at a time, so nothing that goes from one to the next.
LEFT_OUT = ("noise of few bits", "noise turned round")
OF_NORMAL = tuple(
    (name, (5, 4.5, 4, 3.5, 3, 2.5) if name == "tails cut at" else sizes, words, change)
    for name, sizes, words, change in OF_NOISE
    if name not in LEFT_OUT
)


def additive_draws(function, change, seed, noise="laplace"):
    """Draws of a mechanism that adds one Laplace or normal number to each entry of an answer: all releases at once.

    The answer, and the scales, are what the function itself gives with noise 0 and noise 1. Where the answer is drawn
    too (that of a sample), the function makes one release at a time.
    """
    seeds = np.random.SeedSequence(seed)

    def draw(calls, samples=None, shape=(), seed=None):
        chosen, outputs = seeds.spawn(1)[0] if seed is None else own_seed(seeds, seed), []
        rng = np.random.default_rng(chosen)
        for call in calls:
            truth, moved = (np.asarray(function(*call, Constant(number)), float).ravel() for number in (0.0, 1.0))
            if noise == "normal" and _is_drawn(function, call, truth):
                one_by_one = partial(_with_noise, function, change)
                outputs += list(collect(one_by_one, [call], samples, shape, chosen.spawn(1)[0]))
                continue
            noises = change(getattr(rng, noise)(size=(samples, truth.size)), rng)
            outputs.append((truth + (moved - truth) * noises).reshape(samples, *shape))
        return np.array(outputs)

    return draw


def _is_drawn(function, call, truth, times=40):
    """Whether the answer without noise is another one with one of so many other seeds."""
    silent = (Constant(0.0, seed) for seed in range(2, times + 2))
    return any(np.any(np.ravel(function(*call, rng)) != truth) for rng in silent)


def _with_noise(function, change, *call):
    """A release of a mechanism that adds normal noise, with other noise."""
    return function(*call[:-1], Spoilt(call[-1], change))


def draws_of(function, change, seed):
    """Draws from a function of our own, changed."""
    return run_here(change(function), seed)


def run_here(function, seed):
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


normal_draws = partial(additive_draws, noise="normal")
KINDS = {"laplace": (additive_draws, OF_NOISE), "normal": (normal_draws, OF_NORMAL), "": (draws_of, OF_BUDGETS)}


def solutions(only=()):
    """The tasks with a check, each with its assignment, its function, and the noise that this adds: "" if none."""
    for source in sources():
        assignment = assignments.read(source)
        for task in assignment.tasks:
            namespace = {}
            exec(assignment.setup, namespace)
            if task.check and (not only or task.name in only):
                exec(task.answer, namespace)
                noise = next((kind for kind in ("laplace", "normal") if f"{kind}_law(" in task.check), "")
                yield assignment, task, namespace[task.name], noise


def mechanisms(only=()):
    """Those of `solutions` that have a privacy budget and a generator."""
    for assignment, task, function, noise in solutions(only):
        if {"rng", *BUDGETS} & set(inspect.signature(function).parameters) > {"rng"}:
            yield assignment, task, function, noise


def refused(assignment, task, draws, tries, first=1):
    """How many of so many gradings refuse what `draws(seed)` draws; RuntimeError if one cannot run it."""
    lines = [verdict_of(assignment, task, draws(seed), seed).line for seed in range(first, first + tries)]
    if broken := [line for line in lines if line.startswith("not yet")]:
        raise RuntimeError(f"{task.name}: {broken[0]}")
    return sum(line != "right" for line in lines)


def always_refused(assignment, task, draws, tries):
    """Whether each of so many gradings refuses it; those after the first that does not are not made."""
    return all(refused(assignment, task, draws, 1, first) for first in range(1, tries + 1))


def table(only=(), tries=TRIES):
    """Lines of a table in Markdown, a task a line."""
    names = [name for name, *_ in OF_NOISE]
    yield f"| task | {' | '.join(names)} |"
    yield "|" + "---|" * (len(names) + 1)
    yield from Parallel(n_jobs=-1, return_as="generator")(
        delayed(_row)(task.name, tries, names) for _, task, *_ in mechanisms(only)
    )


def _row(task_name, tries, names):
    """The line of one task."""
    (assignment, task, function, noise), row = next(mechanisms([task_name])), {}
    make, violations = KINDS[noise]
    for name, sizes, words, change in violations:
        caught = (s for s in sizes if always_refused(assignment, task, partial(make, function, change(s)), tries))
        size = next(caught, None)
        row[name] = "-" if size is None else words.format(size)
    return f"| `{task.name}` | {' | '.join(row.get(name, '') for name in names)} |"


def main(words=None):
    parser = argparse.ArgumentParser(prog="python -m tools.classroom.power", description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=(), help="names of tasks")
    parser.add_argument("--tries", type=int, default=TRIES, help="gradings a size")
    chosen = parser.parse_args(words)
    for line in table(chosen.only, chosen.tries):
        print(line, flush=True)


if __name__ == "__main__":
    main()
