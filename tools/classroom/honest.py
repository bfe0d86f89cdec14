"""How often a right answer is refused: `python -m tools.classroom.honest 1000 [--only 03_laplace noisy_sum ...]`.

Each task's own solution is graded as it is, so many times, each time with hidden data and seeds of its own, by as many
processes as there are processors. `exercises/honest.json` keeps the count, a line a task, and the next run goes on from
there: nights add up. Where a task has changed since, or what judges it, its count begins anew.
"""

import argparse
import functools
import hashlib
import json
import os

import numpy as np

from dpbook.check import collect, draws_here, own_seed
from dpbook.claims.listening import Transcript
from tools.classroom.places import PROJECT
from tools.classroom.power import Constant, additive_draws, solutions
from tools.classroom.verdicts import verdict_of

KEPT = PROJECT / "exercises" / "honest.json"
JUDGES = [*sorted(PROJECT.glob("dpbook/check/*.py")), PROJECT / "tools/classroom/verdicts.py"]
CHUNK = 10  # gradings between two looks at the file


@functools.cache
def tasks():
    """Assignment, task, solution and kind of noise of every task with a check, under `03_laplace.noisy_sum`."""
    return {f"{one[0].stem}.{one[1].name}": one for one in solutions()}


def version(name):
    """What a task and its judges are known by."""
    assignment, task, *_ = tasks()[name]
    texts = [assignment.setup, task.answer, task.check, *(path.read_text(encoding="utf-8") for path in JUDGES)]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def quick_draws(function, seed):
    """Draws of a mechanism; where all that a call draws is one choice, or one number, all releases at once."""
    seeds, here = np.random.SeedSequence(seed), draws_here(function, seed)

    def draw(calls, samples=None, shape=(), seed=None):
        ways = [samples and (_by_choice(function, call, shape) or _by_number(function, call, shape)) for call in calls]
        if not all(ways):
            return here(calls, samples, shape, seed)
        rng = np.random.default_rng(seeds.spawn(1)[0] if seed is None else own_seed(seeds, seed))
        return np.array([way(rng, samples) for way in ways])

    return draw


def _by_choice(function, call, shape):
    """Releases of a call by the law of its one choice, and by the output that each outcome gives; None without it."""
    law = one_choice(function, call)
    if law is None:
        return None

    def releases(rng, samples):
        outcomes, places = np.unique(rng.choice(law.size, samples, p=law / law.sum()), return_inverse=True)
        forced = [functools.partial(_with_outcome, function, outcome) for outcome in outcomes]
        return np.array([collect(one, [call], None, shape, None)[0, 0] for one in forced])[places]

    return releases


def _by_number(function, call, shape):
    """Releases of a call that draws one number and gives one that rises or falls with it; or None.

    The number is Laplace noise, or that of `geometric_mechanism`. The output is asked of the function where the sorted
    numbers have another to their left than to their right: a count, or a winner, stays the same over long stretches.
    That nothing else lies between is tried at 20 places.
    """
    law = None if shape else one_number(function, call)
    if law is None:
        return None

    def output(number):
        return collect(functools.partial(_with_number, function, number), [call], None, (), None)[0, 0]

    def releases(rng, samples):
        order, ranks = np.unique(law(rng, samples), return_inverse=True)
        outputs, stretches = np.empty(order.size), [(0, order.size - 1)]
        outputs[[0, -1]] = output(order[0]), output(order[-1])
        while stretches:
            low, high = stretches.pop()
            if outputs[low] == outputs[high]:
                outputs[low:high] = outputs[low]
            elif (middle := (low + high) // 2) > low:
                outputs[middle] = output(order[middle])
                stretches += [(low, middle), (middle, high)]
        tried = rng.integers(order.size, size=20)
        if any(output(order[place]) != outputs[place] for place in tried):
            raise ValueError("the output neither rises nor falls with the number that is drawn")
        return outputs[ranks]

    return releases


def one_choice(function, call):
    """The law of the one choice that a call makes; None where it draws other numbers, or more of them."""
    listener, drawn = Transcript(), np.random.PCG64(1)
    try:
        function(*call, listener)
    except (AttributeError, TypeError, ValueError):  # numbers whose use cannot be followed
        return None
    states = [drawn.state, drawn.advance(1).state]  # the choice names its law, or inverts it with one number
    alone = not listener.noises and len(listener.choices) == 1 and listener.bit_generator.state in states
    return listener.choices[0].chances if alone and not listener.choices[0].coins else None


class _Told(Constant):
    """A generator that is told its one number: Laplace noise in units of its scale, or a whole one; others it draws."""

    def __init__(self, number):
        super().__init__(number)
        self.laws = []

    def laplace(self, loc=0.0, scale=1.0, size=None):
        noise = super().laplace(loc, scale, size)
        self.laws += [lambda rng, samples: rng.laplace(size=samples)] * np.size(noise)
        return noise

    normal = np.random.Generator.normal

    def standard_exponential(self, size=None, **options):
        return _Exponentials(self) if size == (2,) else super().standard_exponential(size, **options)


class _Exponentials:
    """Two exponential numbers whose whole parts, times a scale, have the difference that a generator is told."""

    __array_ufunc__ = None  # so numpy leaves `scale * numbers` to this class

    def __init__(self, rng):
        self.rng = rng

    def __rmul__(self, scale):
        self.rng.laws.append(
            lambda rng, samples: np.subtract(*np.floor(scale * rng.standard_exponential((2, samples))))
        )
        return np.array([max(self.rng.number, 0), max(-self.rng.number, 0)]) + 0.5


def one_number(function, call):
    """The law of the one number that a call draws, as `law(rng, samples)`; None where it draws others, or more."""
    rng = _Told(1)
    try:
        function(*call, rng)
    except (AttributeError, TypeError, ValueError):  # numbers whose use cannot be followed
        return None
    return rng.laws[0] if len(rng.laws) == 1 and rng.bit_generator.state == _Told(1).bit_generator.state else None


def _with_number(function, number, *call):
    return function(*call, _Told(number))


def _with_outcome(function, outcome, *call):
    return function(*call, Transcript(outcomes=[outcome]))


def refusals(name, first, gradings):
    """The gradings of a task that refuse its solution, of so many: seed and line; the seed of the first is `first`."""
    assignment, task, function, noise = tasks()[name]
    draws = functools.partial(quick_draws, function)
    if noise:
        draws = functools.partial(additive_draws, function, lambda z, _: z, noise=noise)
    lines = [(seed, _line(assignment, task, draws(seed), seed)) for seed in range(first, first + gradings)]
    return [(seed, line) for seed, line in lines if line != "right"]


def _line(assignment, task, draw, seed):
    try:
        return verdict_of(assignment, task, draw, seed).line
    except Exception as error:  # hidden data on which the check itself stumbles: the student would get nothing
        return f"{type(error).__name__}: {error}"


def read():
    """What is kept of each task: its version, how many gradings, and how many of them refused it."""
    return json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}


def write(kept):
    """Keep this, a line a task, whole or not at all."""
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(kept[name])}" for name in sorted(kept))
    beside = KEPT.with_name(f".{KEPT.name}.{os.getpid()}")
    beside.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    beside.replace(KEPT)


def chunks(kept, names, gradings):
    """What is still to be graded, in order: name, first seed, number; tasks that changed begin in `kept` anew."""
    for name in names:
        if kept.get(name, {}).get("version") != version(name):
            kept[name] = {"version": version(name), "gradings": 0, "refused": 0}
        for first in range(kept[name]["gradings"], gradings, CHUNK):
            yield name, first + 1, min(CHUNK, gradings - first)


def grade(names, gradings, jobs):
    """Grade each of these tasks so many times, less what is kept; a line for each refusal and for each task done."""
    from joblib import Parallel, delayed

    kept = {name: row for name, row in read().items() if name in tasks()}
    work = list(chunks(kept, names, gradings))
    write(kept)
    found = Parallel(jobs, return_as="generator", batch_size=1)(delayed(refusals)(*chunk) for chunk in work)
    for (name, first, number), those in zip(work, found, strict=True):
        kept = read()  # another run may have written
        if kept[name]["gradings"] != first - 1:
            yield f"{name}: {number} gradings from seed {first} are not counted, another run has counted them"
            continue
        kept[name]["gradings"] += number
        kept[name]["refused"] += len(those)
        write(kept)
        yield from (f"{name}, seed {seed}: {line}" for seed, line in those)
        if kept[name]["gradings"] >= gradings:
            yield f"{name}: {kept[name]['refused']} of {kept[name]['gradings']} refused"


def main(words=None):
    parser = argparse.ArgumentParser(prog="python -m tools.classroom.honest", description=__doc__.splitlines()[0])
    parser.add_argument("gradings", type=int, help="of each task, with those that are kept")
    parser.add_argument("--only", nargs="+", help="assignments, tasks, or both: 03_laplace noisy_sum 14_svt.watch")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    chosen = parser.parse_args(words)
    if chosen.only and (unknown := [word for word in chosen.only if not any(_meant(word, name) for name in tasks())]):
        parser.error(f"no task is called {unknown[0]}")
    names = [name for name in tasks() if not chosen.only or any(_meant(word, name) for word in chosen.only)]
    for line in grade(names, chosen.gradings, chosen.jobs):
        print(line, flush=True)
    rows = [row for name, row in read().items() if name in names]
    print(f"{len(rows)} tasks, at least {min(row['gradings'] for row in rows)} gradings each, ", end="")
    print(f"{sum(row['refused'] for row in rows)} refused")


def _meant(word, name):
    return word == name or word in name.split(".")


if __name__ == "__main__":
    from tools.classroom import honest  # by its name, under which the processes that grade look it up

    honest.main()
