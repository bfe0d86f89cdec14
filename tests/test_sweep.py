"""Sweeps: the same numbers whoever computes them, nothing lost but the chunk in flight, failures told.

The measures stand at the top level: processes and a cluster import them. Everything here is exact.
"""

import itertools
import os
import pathlib

import numpy as np
import pytest

from dpbook.laplace import laplace_mechanism
from tools.book.papers import sweep as room
from tools.book.papers.sweep import Failure, generator, grid, results, summaries, sweep, write_table

SETTINGS = grid(epsilon=[0.1, 1.0], name=["a", "b"])


def noisy(epsilon, name, rng):
    """A Laplace release of 3, and one more draw."""
    return {"release": laplace_mechanism(3.0, 1, epsilon, rng), "second": rng.normal() + len(name)}


def all_of(folder, settings=SETTINGS):
    return [results(folder, setting) for setting in settings]


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serial")
    outcome = sweep(noisy, SETTINGS, 7, folder, chunk=3)
    assert outcome == (28, 0, [])
    return all_of(folder)


def test_a_draw_has_a_generator_of_its_own():
    first = [generator(setting, draw).random() for setting, draw in itertools.product(SETTINGS, range(50))]
    assert len(set(first)) == 200
    assert generator({"b": 1, "a": 2}, 0).random() == generator({"a": 2, "b": 1}, 0).random()
    assert generator({"a": 1}, 0).random() != generator({"a": 1.5}, 0).random()


def test_the_numbers_are_those_of_the_mechanism(serial):
    for setting, drawn in zip(SETTINGS, serial, strict=True):
        assert drawn == {draw: noisy(**setting, rng=generator(setting, draw)) for draw in range(7)}


def test_neither_order_nor_chunks_nor_more_draws_change_a_number(tmp_path, serial):
    turned = [dict(reversed(setting.items())) for setting in SETTINGS[::-1]]
    sweep(noisy, turned, 2, tmp_path, chunk=1)
    sweep(noisy, turned, 9, tmp_path, chunk=100)
    assert [{draw: drawn[draw] for draw in range(7)} for drawn in all_of(tmp_path)] == serial


def test_two_processes_give_the_same(tmp_path, serial):
    assert sweep(noisy, SETTINGS, 7, tmp_path, chunk=2, workers=2) == (28, 0, [])
    assert all_of(tmp_path) == serial


@pytest.mark.slow
def test_a_cluster_of_two_workers_gives_the_same(tmp_path, serial):
    from distributed import LocalCluster

    with LocalCluster(2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as cluster:
        address = cluster.scheduler_address
        assert sweep(noisy, SETTINGS, 7, tmp_path, chunk=2, cluster=address) == (28, 0, [])
        assert all_of(tmp_path) == serial
        (failure,) = sweep(fails, grid(n=[1, 2]), 2, tmp_path / "failed", cluster=address).failures
        assert failure.setting == {"n": 2} and "ZeroDivisionError" in failure.error


class Interrupted(BaseException):
    pass


def test_an_interrupted_sweep_loses_a_chunk_and_goes_on(tmp_path, serial):
    calls = itertools.count(1)

    def stopped(**setting):
        if next(calls) == 12:  # the second draw of the fifth chunk, the second of the second setting
            raise Interrupted
        return noisy(**setting)

    with pytest.raises(Interrupted):
        sweep(stopped, SETTINGS, 7, tmp_path, chunk=3)
    assert [len(drawn) for drawn in all_of(tmp_path)] == [7, 3, 0, 0]
    seen = []

    def told(rng, **setting):
        seen.append(setting)
        return noisy(rng=rng, **setting)

    assert sweep(told, SETTINGS, 7, tmp_path, chunk=3) == (18, 10, [])
    assert len(seen) == 18 and SETTINGS[0] not in seen
    assert all_of(tmp_path) == serial


def test_a_file_is_replaced_in_one_step(tmp_path, monkeypatch):
    """Stopped between writing and moving, the old file stands and what was written beside it is no result."""
    sweep(noisy, SETTINGS[:1], 3, tmp_path)
    before = all_of(tmp_path, SETTINGS[:1])

    def stop(*_):
        raise Interrupted

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(Interrupted):
        sweep(noisy, SETTINGS[:1], 6, tmp_path)
    monkeypatch.undo()
    assert all_of(tmp_path, SETTINGS[:1]) == before
    assert sweep(noisy, SETTINGS[:1], 6, tmp_path) == (3, 3, [])


def fails(n, rng):
    return {"share": 1 / (n - 2), "draw_of_its_own": rng.random()}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_chunk_that_fails_twice_is_told_and_the_others_stand(tmp_path, workers):
    outcome = sweep(fails, grid(n=[1, 2, 3]), 4, tmp_path, chunk=2, workers=workers)
    assert outcome.computed == 8 and len(outcome.failures) == 2
    assert all(isinstance(one, Failure) for one in outcome.failures)
    assert sorted(one.draws for one in outcome.failures) == [(0, 1), (2, 3)]
    assert {one.setting["n"] for one in outcome.failures} == {2}
    assert all("ZeroDivisionError: " in one.error for one in outcome.failures)
    assert [len(drawn) for drawn in all_of(tmp_path, grid(n=[1, 2, 3]))] == [4, 0, 4]


def test_a_chunk_that_fails_once_is_tried_again(tmp_path, serial):
    tries = []

    def at_second_sight(**setting):
        tries.append(setting["name"])
        if len(tries) == 1:
            raise OSError("no room")
        return noisy(**setting)

    assert sweep(at_second_sight, SETTINGS, 7, tmp_path, chunk=7) == (28, 0, [])
    assert len(tries) == 29 and all_of(tmp_path) == serial


@pytest.mark.parametrize("workers", [1, 2])
def test_few_chunks_are_in_flight_and_no_result_is_held(tmp_path, monkeypatch, workers):
    """What is taken from the list of chunks, less what has been written, never grows with the list."""
    taken, written, most = itertools.count(1), [0], [0]
    tasks, add = room._tasks, room._add

    def counted(*arguments):
        for task in tasks(*arguments):
            most[0] = max(most[0], next(taken) - written[0])
            yield task

    def noted(*arguments):
        written[0] += 1
        add(*arguments)

    monkeypatch.setattr(room, "_tasks", counted)
    monkeypatch.setattr(room, "_add", noted)
    sweep(noisy, grid(epsilon=[1.0], name=["a", "bb"]), 40, tmp_path, chunk=1, workers=workers)
    assert written[0] == 80 and most[0] <= (1 if workers == 1 else 4 * workers)


def test_summaries(tmp_path, serial):
    sweep(noisy, SETTINGS, 7, tmp_path)
    rows = summaries(tmp_path, [*SETTINGS, {"epsilon": 9.0, "name": "none"}])
    values = np.array([one["release"] for one in serial[0].values()])
    assert len(rows) == 4 and rows[0]["draws"] == 7 and rows[0]["epsilon"] == 0.1
    assert rows[0]["release"] == pytest.approx(values.mean()) and rows[0]["release_median"] == np.median(values)
    assert rows[0]["release_error"] == pytest.approx(values.std(ddof=1) / 7**0.5)
    write_table(tmp_path / "table.csv", rows)
    lines = (tmp_path / "table.csv").read_text().splitlines()
    assert len(lines) == 5 and lines[0].startswith("epsilon,name,draws,release,release_error,release_median,second")
    assert not list(pathlib.Path(tmp_path).glob(".table*"))


def test_bad_input(tmp_path):
    for bad in ({"draws": 0}, {"chunk": 0}, {"workers": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            sweep(noisy, SETTINGS, **{"draws": 1, "folder": tmp_path} | bad)
    with pytest.raises(ValueError, match="each setting once"):
        sweep(noisy, SETTINGS + SETTINGS[:1], 1, tmp_path)
    with pytest.raises(ValueError, match="setting\\['n'\\]"):
        sweep(noisy, [{"n": np.array([1])}], 1, tmp_path)
    sweep(noisy, SETTINGS[:1], 1, tmp_path)
    path = room._path(tmp_path, SETTINGS[0])
    path.write_text(path.read_text().replace("0.1", "0.2", 1))
    with pytest.raises(ValueError, match="the setting"):
        results(tmp_path, SETTINGS[0])
