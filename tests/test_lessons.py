"""What the assignments say about themselves: a goal, minutes and a level for each task, and which tasks are alike."""

import pathlib
import re

import pytest

from tools.classroom import assignments
from tools.classroom.lessons import LEVELS, lessons

PROJECT = pathlib.Path(__file__).parents[1]
SOURCES = sorted((PROJECT / "exercises").glob("[0-9]*.py"))


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_each_task_says_what_one_learns_how_long_it_takes_and_how_hard_it_is(source):
    taught = lessons(source)
    assert [lesson.number for lesson in taught] == list(range(1, len(taught) + 1)) and len(taught) == 5
    assert all(lesson.level in LEVELS and 10 <= lesson.minutes <= 60 for lesson in taught)
    assert all(20 < len(lesson.goal) < 110 for lesson in taught)
    points = sum(task.points for task in assignments.read(source).tasks)
    assert sum(lesson.points for lesson in taught) == points and 16 <= points <= 20
    assert f"Five tasks, {points} points." in source.read_text(encoding="utf-8")


def test_no_goal_stands_twice():
    goals = [lesson.goal for source in SOURCES for lesson in lessons(source)]
    assert len(set(goals)) == len(goals) == 5 * len(SOURCES)


@pytest.mark.parametrize("spoilt", ["# *You learn* to add", "# *You learn* to add. About 5 minutes, trivial."])
def test_a_task_without_its_line_is_refused(tmp_path, spoilt):
    (tmp_path / "99_x.py").write_text(f"# ## 1. Add (2 points)\n#\n{spoilt}\n#\n# Add them.\n")
    with pytest.raises(ValueError, match="a goal, minutes and one of"):
        lessons(tmp_path / "99_x.py")


def test_tasks_that_should_not_be_given_together_exist():
    """exercises/README.md names them by chapter.task, each group with its reason."""
    text = (PROJECT / "exercises" / "README.md").read_text(encoding="utf-8").replace("\n", " ")
    paragraph = re.search(r"\*\*Tasks that should not be given together\*\*(.*?)  ", text)[1]
    groups = re.findall(r"((?:\d\d\.\d(?:, | and )?)+) \(([^)]+)\)", paragraph)
    named = [re.findall(r"\d\d\.\d", numbers) for numbers, _ in groups]
    there = {f"{source.stem[:2]}.{lesson.number}" for source in SOURCES for lesson in lessons(source)}
    assert len(groups) >= 6 and all(len(numbers) >= 2 for numbers in named)
    assert {number for numbers in named for number in numbers} <= there
