"""Many runs: a mechanism over a grid of settings and seeds, in chunks, on this machine or on a Dask cluster.

`sweep` calls `measure(rng=..., **setting)` for every setting and draw, and keeps what it returns, a dict from names to
numbers, in one small CSV file a setting. A draw's generator is spawned from the setting itself (`generator`), so the
numbers are the same whatever computes them, in whatever order, in chunks of whatever size. Files are replaced whole: an
interrupted sweep loses the chunks that were being computed, one a worker, and the next call goes on from there. Nothing
but the chunks in flight is held in memory.

With `workers=1` nothing is needed but numpy; more workers need joblib, a cluster Dask's `distributed`, progress tqdm:
the extra `papers`.  Notebook: 22_errata.
"""

import csv
import hashlib
import io
import itertools
import json
import os
import pathlib
from typing import NamedTuple

import numpy as np

from dpbook.arguments import refuse, whole


class Task(NamedTuple):
    """A chunk: a setting, and which of its draws."""

    setting: dict
    draws: tuple


class Failure(NamedTuple):
    """A chunk that failed twice: its setting, its draws, and the last error in words."""

    setting: dict
    draws: tuple
    error: str


class Outcome(NamedTuple):
    """What a sweep did: how many draws were computed now, how many stood there already, and which chunks failed."""

    computed: int
    kept: int
    failures: list


def grid(**choices):
    """Every combination of the choices as a setting: `grid(n=[1, 2], epsilon=[0.1])` are two; public, draws nothing."""
    return [dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values())]


def key(setting):
    """What a setting is known by: its names and values, whatever their order, as one line of JSON.

    Raises ValueError for a value that is no text, number, bool or None.
    """
    for name, value in setting.items():
        if not isinstance(value, (str, bool, int, float, type(None))):
            refuse(f"setting[{name!r}]", value, "text, a number, True, False or None")
    return json.dumps(setting, sort_keys=True)


def generator(setting, draw):
    """The generator of one draw of a setting: spawned from the setting's key, from nothing else."""
    digest = hashlib.sha256(key(setting).encode()).digest()
    sequence = np.random.SeedSequence(np.frombuffer(digest, dtype="<u4").tolist(), spawn_key=(draw,))
    return np.random.default_rng(sequence)


def sweep(measure, settings, draws, folder, *, chunk=10, workers=1, cluster=None, progress=False):
    """Run `measure(rng=..., **setting)` for `draws` draws of every setting, keep the numbers in `folder`: an `Outcome`.

    `settings` are dicts of plain values (`grid`), `chunk` draws are computed at a time, by `workers` processes of this
    machine or by the Dask `cluster` at an address such as "tcp://10.0.0.1:8786"; `measure` must then be importable
    there. Draws that stand in `folder` are not computed again. A chunk that fails is tried once more, after the others;
    what fails twice is in the outcome with its settings, and the rest stands. Spends no budget of its own: whatever
    privacy there is is that of the mechanism measured, a run at a time.
    Raises ValueError for draws, chunk or workers below 1, a setting that comes twice, a folder of other settings.
    """
    draws, chunk, workers = whole("draws", draws, 1), whole("chunk", chunk, 1), whole("workers", workers, 1)
    keys = [key(setting) for setting in settings]
    if twice := sorted({one for one in keys if keys.count(one) > 1}):
        refuse("settings", twice[0], "each setting once")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    kept = sum(len(standing(folder, setting, draws)) for setting in settings)
    bar = _bar(len(keys) * draws, kept) if progress else None
    engine = _on_cluster(cluster, 2) if cluster else _on_processes(workers) if workers > 1 else _here
    failures, computed = [], 0
    for _ in range(2):  # the second time what failed the first
        failures = []
        for task, rows, error in engine(measure, _tasks(folder, settings, draws, chunk)):
            if error:
                failures.append(Failure(task.setting, task.draws, error))
                continue
            _add(folder, task.setting, rows)
            computed += len(rows)
            if bar:
                bar.update(len(rows))
        if not failures:
            break
    if bar:
        bar.close()
    return Outcome(computed, kept, failures)


def results(folder, setting):
    """The draws of one setting: a dict from draw to a dict of its numbers, in the order of the draws; {} for none."""
    path = _path(folder, setting)
    if not path.exists():
        return {}
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    if first != f"# {key(setting)}":
        refuse(path.name, first, f"the setting {key(setting)}")
    return {int(row.pop("draw")): {name: float(value) for name, value in row.items()} for row in csv.DictReader(lines)}


def standing(folder, setting, draws):
    """Which of the first `draws` draws of a setting are there."""
    return [draw for draw in results(folder, setting) if draw < draws]


def summaries(folder, settings):
    """A row a setting: the setting, `draws`, and of each number its mean, standard error and median.

    Reads one file at a time. Settings without a draw are left out; the error of a single draw is nan.
    """
    rows = []
    for setting in settings:
        if drawn := list(results(folder, setting).values()):
            row = setting | {"draws": len(drawn)}
            for name in drawn[0]:
                values = np.array([one[name] for one in drawn])
                error = values.std(ddof=1) / np.sqrt(values.size) if values.size > 1 else np.nan
                row |= {name: values.mean(), f"{name}_error": error, f"{name}_median": np.median(values)}
            rows.append(row)
    return rows


def write_table(path, rows, digits=7):
    """Write rows, dicts with the same names, as a CSV file in one step: whoever reads sees the old one or the new."""
    text = io.StringIO()
    table = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    table.writeheader()
    for row in rows:
        table.writerow({n: f"{v:.{digits}g}" if isinstance(v, float) else v for n, v in row.items()})
    _replace(pathlib.Path(path), text.getvalue())


# Chunks, and who computes them.


def _tasks(folder, settings, draws, chunk):
    """The chunks that are still to be computed, one by one."""
    for setting in settings:
        there = set(standing(folder, setting, draws))
        missing = [draw for draw in range(draws) if draw not in there]
        for start in range(0, len(missing), chunk):
            yield Task(setting, tuple(missing[start : start + chunk]))


def _run(measure, task):
    """A task, its rows and no error; or no rows and the error in words."""
    try:
        drawn = {draw: measure(rng=generator(task.setting, draw), **task.setting) for draw in task.draws}
        rows = [{"draw": draw} | dict(numbers) for draw, numbers in drawn.items()]
    except Exception as error:
        return task, [], f"{type(error).__name__}: {error}"
    return task, rows, ""


def _here(measure, tasks):
    """One chunk after the other, in this process."""
    for task in tasks:
        yield _run(measure, task)


def _on_processes(workers):
    """As many processes of this machine, four chunks each at a time: joblib itself would run ahead of the writing."""
    from joblib import Parallel, delayed

    def engine(measure, tasks):
        with Parallel(workers, return_as="generator_unordered", batch_size=1) as pool:
            while some := list(itertools.islice(tasks, 4 * workers)):
                yield from pool(delayed(_run)(measure, task) for task in some)

    return engine


def _on_cluster(address, ahead):
    """The workers of a Dask cluster, however many there are; at most `ahead` chunks each are in flight."""
    from distributed import Client, as_completed

    def engine(measure, tasks):
        with Client(address, set_as_default=False) as client:
            places = {}
            room = ahead * max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
            running = as_completed(loop=client.loop)
            for task in itertools.islice(tasks, room):
                _submit(client, running, places, measure, task)
            for future in running:
                task = places.pop(future.key)
                lost = future.exception()  # the worker was killed: what a mechanism raises, `_run` returns
                yield (task, [], f"{type(lost).__name__}: {lost}") if lost else future.result()
                for more in itertools.islice(tasks, 1):
                    _submit(client, running, places, measure, more)

    return engine


def _submit(client, running, places, measure, task):
    future = client.submit(_run, measure, task, pure=False)
    places[future.key] = task
    running.add(future)


# Files.


def _path(folder, setting):
    return pathlib.Path(folder) / f"{hashlib.sha256(key(setting).encode()).hexdigest()[:16]}.csv"


def _add(folder, setting, rows):
    """Put the draws of a chunk into the setting's file, in order, in one step."""
    new = {row["draw"]: {n: float(v) for n, v in row.items() if n != "draw"} for row in rows}
    drawn = results(folder, setting) | new
    names = list(next(iter(drawn.values())))
    text = io.StringIO()
    text.write(f"# {key(setting)}\n")
    table = csv.DictWriter(text, ["draw", *names], lineterminator="\n")
    table.writeheader()
    table.writerows({"draw": draw} | {n: repr(v) for n, v in drawn[draw].items()} for draw in sorted(drawn))
    _replace(_path(folder, setting), text.getvalue())


def _replace(path, text):
    """Write a file beside its place, then move it there."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)


def _bar(total, kept):
    """A bar of tqdm's over all draws."""
    from tqdm import tqdm

    return tqdm(total=total, initial=kept, unit="draw", disable=None)
