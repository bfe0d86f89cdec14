"""How often right answers were refused: what is kept of it, and choices that are drawn at once as the program draws."""

import dataclasses
import json

import numpy as np
import pytest

from dpbook.check import draws_here
from dpbook.exponential import exponential_mechanism, selection_probabilities
from dpbook.laplace import geometric_log_probability, geometric_mechanism, laplace_mechanism, laplace_probability
from tests.alarms import OFF, assert_counts
from tools.classroom import at_once, honest

SCORES = np.array([0.0, 1.0, 2.5, 4.0])


def mechanism(scores, epsilon, rng):
    return 10 * exponential_mechanism(scores, 1, epsilon, rng)


def lottery(scores, epsilon, rng):
    return 10 * rng.choice(scores.size, p=selection_probabilities(scores, 1, epsilon))


@pytest.mark.parametrize("function", [mechanism, lottery])
def test_choices_that_are_drawn_at_once_have_the_law_of_the_program(function):
    """Fixed seed; with the same seed the same releases come again; an output is what the function makes of a choice."""
    draw = at_once.quick_draws(function, 3)
    outputs = draw([(SCORES, 1.0), (SCORES[:2], 1.0)], 400_000, ())
    assert outputs.shape == (2, 400_000) and set(outputs[1]) == {0, 10}
    law, wrong = (selection_probabilities(SCORES, 1, epsilon) for epsilon in (1, OFF))
    assert_counts([np.sum(outputs[0] == 10 * k) for k in range(4)], law, wrong)
    first, second, third = (draw([(SCORES, 1.0)], 50, (), seed) for seed in (7, 7, 8))
    assert np.array_equal(first, second) and not np.array_equal(first, third)
    assert not np.array_equal(first, draw([(SCORES, 1.0)], 50, ()))


@pytest.mark.parametrize(
    "function",
    [
        lambda scores, rng: rng.choice(2, p=[0.5, 0.5]) + rng.choice(2, p=[0.5, 0.5]),
        lambda scores, rng: rng.choice(2, p=[0.5, 0.5]) + rng.laplace(),
        lambda scores, rng: rng.choice(2, p=[0.5, 0.5]) + rng.permutation(9)[0],
        lambda scores, rng: np.sqrt(rng.random()) + rng.choice(2, p=[0.5, 0.5]),
        lambda scores, rng: rng.random() < 0.5,
        lambda scores, rng: scores[0],
    ],
    ids=["two choices", "noise", "a shuffle", "uniform numbers", "a coin", "nothing"],
)
def test_what_draws_more_than_a_choice_is_run_release_by_release(function):
    assert at_once.one_choice(function, (SCORES,)) is None
    ours, theirs = (make(function, 5)([(SCORES,)], 30, ()) for make in (at_once.quick_draws, draws_here))
    assert np.array_equal(ours, theirs)


def rounded(total, rng):
    """A Laplace number of scale 2, cut to between 0 and 5 and rounded down."""
    return np.floor(np.clip(laplace_mechanism(total, 2, 1.0, rng), 0, 5))


def clipped(total, rng):
    """A whole number of scale 2, cut to between 0 and 5."""
    return min(max(geometric_mechanism(int(total), 2, 1.0, rng), 0), 5)


def rounded_law(total, epsilon):
    return laplace_probability(np.r_[-np.inf, 1:6], np.r_[1:6, np.inf], total, 2, epsilon)


def clipped_law(total, epsilon):
    law = np.exp(geometric_log_probability(np.arange(-300, 301), total, 2, epsilon))
    return np.bincount(np.clip(np.arange(-300, 301), 0, 5), law)


@pytest.mark.parametrize(("function", "law"), [(rounded, rounded_law), (clipped, clipped_law)])
@pytest.mark.parametrize("total", [2.0, 5.0])
def test_numbers_that_are_drawn_at_once_have_the_law_of_the_program(function, law, total):
    """Fixed seed; with the same seed the same releases come again. The program is asked a few times."""
    asked = []

    def counted(total, rng):
        asked.append(total)
        return function(total, rng)

    draw = at_once.quick_draws(counted, 3)
    [outputs] = draw([(total,)], 400_000, ())
    assert_counts(np.bincount(outputs.astype(int), minlength=6), law(total, 1.0), law(total, OFF), law(total, 1 / OFF))
    assert len(asked) < 300
    first, second, third = (draw([(total,)], 50, (), seed) for seed in (7, 7, 8))
    assert np.array_equal(first, second) and not np.array_equal(first, third)


@pytest.mark.parametrize(
    "function",
    [
        lambda rng: rng.laplace() + rng.laplace(),
        lambda rng: rng.laplace(size=2).sum(),
        lambda rng: rng.laplace() + rng.normal(),
        lambda rng: rng.laplace() + rng.random(),
        lambda rng: rng.normal(),
        lambda rng: (3 * rng.standard_exponential((2,)))[0] + rng.laplace(),
        lambda rng: rng.standard_exponential((2,)).sum(),
        lambda rng: rng.standard_exponential(),
        lambda rng: 3.0,
    ],
    ids=["two", "a pair", "and normal", "and uniform", "normal", "both", "exponential", "one exponential", "nothing"],
)
def test_what_draws_more_than_a_number_is_run_release_by_release(function):
    assert at_once.one_number(function, ()) is None
    ours, theirs = (make(function, 5)([()], 30, ()) for make in (at_once.quick_draws, draws_here))
    assert np.array_equal(ours, theirs)


def test_an_output_that_neither_rises_nor_falls_is_seen():
    with pytest.raises(ValueError, match="neither rises nor falls"):
        at_once.quick_draws(lambda rng: abs(rng.laplace()) > 1, 3)([()], 1000, ())


@pytest.fixture
def graded(monkeypatch, tmp_path):
    """The chunks that were graded, a task of which seed 15 is refused, and a file of its own."""
    asked = []

    def refusals(name, first, gradings):
        asked.append((name, first, gradings))
        return [(15, "keep going: off")] if first <= 15 < first + gradings else []

    monkeypatch.setattr(honest, "KEPT", tmp_path / "honest.json")
    monkeypatch.setattr(honest, "refusals", refusals)
    return asked


NAME = "03_laplace.scale_for_sum"


def test_counts_go_on_from_where_they_stood(graded):
    assert list(honest.grade([NAME], 12, 1)) == [f"{NAME}: 0 of 12 refused"]
    said = [f"{NAME}, seed 15: keep going: off", f"{NAME}: 1 of 25 refused"]
    assert list(honest.grade([NAME], 25, 1)) == said
    assert graded == [(NAME, 1, 10), (NAME, 11, 2), (NAME, 13, 10), (NAME, 23, 3)]
    assert list(honest.grade([NAME], 25, 1)) == []


def test_a_task_that_changed_is_counted_anew_and_one_that_is_gone_is_dropped(graded):
    list(honest.grade([NAME], 10, 1))
    kept = honest.read()
    assert kept[NAME]["version"] == honest.version(NAME) != honest.version("03_laplace.noisy_sum")
    kept[NAME]["version"] = "older"
    honest.write(kept | {"03_laplace.gone": kept[NAME]})
    list(honest.grade([NAME], 20, 1))
    assert graded[1:] == [(NAME, 1, 10), (NAME, 11, 10)] and list(honest.read()) == [NAME]


def test_two_runs_at_once_lose_nothing_and_count_nothing_twice(graded, monkeypatch):
    """Meanwhile another run has counted the second chunk of this task, and all of another task."""
    alone = honest.refusals

    def beside_another(name, first, gradings):
        if first == 11:
            others = {"version": "another's", "gradings": 7, "refused": 0}
            honest.write({NAME: honest.read()[NAME] | {"gradings": 20}, "03_laplace.noisy_sum": others})
        return alone(name, first, gradings)

    monkeypatch.setattr(honest, "refusals", beside_another)
    assert list(honest.grade([NAME], 20, 1)) == [
        f"{NAME}: 10 gradings from seed 11 are not counted, another run has counted them"
    ]
    assert {name: row["gradings"] for name, row in honest.read().items()} == {NAME: 20, "03_laplace.noisy_sum": 7}


def test_what_the_judges_say_is_a_part_of_the_version(monkeypatch, tmp_path):
    before = honest.version(NAME)
    (tmp_path / "another.py").write_text("")
    monkeypatch.setattr(honest, "JUDGES", [*honest.JUDGES, tmp_path / "another.py"])
    assert honest.version(NAME) != before
    assert any(path.name == "requirements.py" for path in honest.JUDGES)


def test_a_spoilt_solution_is_refused_and_its_own_is_not(monkeypatch):
    assert honest.refusals("04_exponential.private_favourite", 1, 1) == []
    assignment, task, function, noise = honest.tasks()["04_exponential.private_favourite"]

    def steeper(ratings, top, replace, epsilon, rng):
        return function(ratings, top, replace, 1.1 * epsilon, rng)

    monkeypatch.setattr(honest, "tasks", lambda: {"steeper": (assignment, task, steeper, noise)})
    assert [seed for seed, line in honest.refusals("steeper", 1, 2) if line.startswith("keep going")] == [1, 2]


def test_a_check_that_stumbles_over_its_hidden_data_has_refused(monkeypatch):
    assignment, task, function, noise = honest.tasks()["03_laplace.scale_for_sum"]
    stumbling = dataclasses.replace(task, check=f"{task.check}\nfresh.integers(-1)")
    monkeypatch.setattr(honest, "tasks", lambda: {"stumbling": (assignment, stumbling, function, noise)})
    ((seed, line),) = honest.refusals("stumbling", 4, 1)
    assert seed == 4 and line.startswith("ValueError: ")


def test_the_counts_that_are_kept_are_of_tasks_that_stand_and_none_was_refused():
    kept = json.loads((honest.PROJECT / "exercises" / "honest.json").read_text())
    assert set(kept) <= set(honest.tasks()) and len(kept) > 90
    assert all(row["refused"] == 0 < row["gradings"] for row in kept.values())


def test_only_tasks_that_are_there_can_be_named(graded, capsys):
    with pytest.raises(SystemExit):
        honest.main(["5", "--only", "no_such_task"])
    assert "no task is called no_such_task" in capsys.readouterr().err
    honest.main(["5", "--only", NAME, "--jobs", "1"])
    assert capsys.readouterr().out == f"{NAME}: 0 of 5 refused\n1 tasks, at least 5 gradings each, 0 refused\n"
