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

from tools.classroom.at_once import additive_draws, quick_draws
from tools.classroom.places import PROJECT
from tools.classroom.power import solutions
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
