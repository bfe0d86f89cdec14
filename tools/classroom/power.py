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

from dpbook.check import collect
from tools.classroom import assignments
from tools.classroom.at_once import Constant, additive_draws, is_drawn, quick_draws
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


def sometimes(share, other):
    """In a share of the releases, all their noise as `other` makes it."""
    return lambda noise, rng: np.where(rng.random((len(noise), 1)) < share, other(noise), noise)


def to_bits(bits):
    """Noise from so many random bits and a sign, as a generator with few of them would give."""
    return lambda noise, _: -np.sign(noise) * np.log(np.ceil(np.exp(-np.abs(noise)) * 2.0**bits) / 2.0**bits)


def turned(noise, _):
    """Every second noise is the one before, turned round."""
    return np.repeat(noise[::2], 2, axis=0)[: len(noise)] * np.resize([1, -1], len(noise))[:, None]


def truth(function):
    """The function without its noise; where it makes a choice, with so much epsilon that it is the best."""
    best = with_budget(function, lambda budget, _: ENOUGH * budget**0)

    def true(*call):
        silent = function(*call[:-1], Constant(0.0))
        return best(*call) if is_drawn(function, call[:-1], np.ravel(silent), 8) else silent

    return true


# Of each violation: its name, the sizes tried, least first, how a size is written, and what it makes of draws: of a
# function with another budget, or with the truth in a share of the releases...
SHARES = (3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1)
OF_BUDGETS = (
    ("epsilon times", (1.01, 1.02, 1.03, 1.05, 1.1, 1.2, 1.5), "{:g}", lambda s: partial(draws_with_budget, s)),
    ("true answer in", SHARES, "{:.3%}", lambda s: partial(draws_with_truth, s)),
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


def draws_with_budget(times, function, seed):
    """Draws of a function whose privacy budget is so many times what it is given."""
    return quick_draws(with_budget(function, lambda budget, _: times * budget), seed)


def draws_with_truth(share, function, seed):
    """Draws of a function of which a share is the true answer."""
    private, true, rng = quick_draws(function, seed), truth(function), np.random.default_rng(seed)

    def draw(calls, samples=None, shape=(), seed=None):
        outputs = private(calls, samples, shape, seed)
        chance = rng if seed is None else np.random.default_rng(seed)
        for call, row in zip(calls, outputs, strict=True):
            places = np.flatnonzero(chance.random(len(row)) < share)
            if places.size:
                row[places] = collect(true, [call], places.size, shape, chance.integers(2**63))[0]
        return outputs

    return draw


def _changed(function, change, seed):
    return change(function, seed)


normal_draws = partial(additive_draws, noise="normal")
# How draws are made, what is tried, and what leaves the draws as they are.
KINDS = {
    "laplace": (additive_draws, OF_NOISE, lambda z, _: z),
    "normal": (normal_draws, OF_NORMAL, lambda z, _: z),
    "": (_changed, OF_BUDGETS, quick_draws),
}


def solutions(only=()):
    """The tasks with a check, each with its assignment, its function, and the noise that this adds: "" if none."""
    for source in sources():
        assignment = assignments.read(source)
        for task in assignment.tasks:
            if task.check and (not only or task.name in only):
                noise = next((kind for kind in ("laplace", "normal") if f"{kind}_law(" in task.check), "")
                yield assignment, task, assignments.defined(assignment, task.answer, task.name), noise


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
    make, violations, unchanged = KINDS[noise]
    if refused(assignment, task, partial(make, function, unchanged), tries):
        raise RuntimeError(f"{task.name}: its solution is refused, so that a violation's refusal says nothing")
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
