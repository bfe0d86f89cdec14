"""What the assignments say about themselves: a goal, minutes and a level for each task, and which tasks are alike."""

import pathlib
import re

import pytest

from tools.classroom import assignments, teaching
from tools.classroom.lessons import LEVELS, lessons

PROJECT = pathlib.Path(__file__).parents[1]
SOURCES = sorted((PROJECT / "exercises").glob("[0-9]*.py"))
TASKS = {task.name: task for task in assignments.read(PROJECT / "exercises/03_laplace.py").tasks}


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
    paragraph = re.search(r"\*\*Tasks that should not be given together\*\*(.*?)Each task says", text)[1]
    groups = re.findall(r"((?:\d\d\.\d(?:, | and )?)+) \(([^)]+)\)", paragraph)
    named = [re.findall(r"\d\d\.\d", numbers) for numbers, _ in groups]
    there = {f"{source.stem[:2]}.{lesson.number}" for source in SOURCES for lesson in lessons(source)}
    assert len(groups) >= 6 and all(len(numbers) >= 2 for numbers in named)
    assert {number for numbers in named for number in numbers} <= there


# The teaching pages.


def test_every_chapter_has_a_teaching_page_in_step():
    """`make teaching` writes them; the questions stand beside them."""
    made = teaching.pages()
    assert {file.name for file in made} == {file.name for file in teaching.FOLDER.glob("[0-9]*.md")}
    behind = [file.name for file, text in made.items() if file.read_text(encoding="utf-8") != text]
    assert not behind, "run `make teaching`"


def test_a_teaching_page_says_goals_minutes_mistakes_and_questions():
    page = (teaching.FOLDER / "03_laplace.md").read_text(encoding="utf-8")
    assert re.search(r"About \d+ minutes to read\.", page)
    assert "**What students do:** guess which of two datasets" in page
    assert "| 2. A private sum | 5 | 25 | easy to medium |" in page
    assert "| `noisy_sum` | " in page and TASKS["noisy_sum"].wrong[0].name in page
    for page in teaching.FOLDER.glob("[0-9]*.md"):
        text = page.read_text(encoding="utf-8")
        assert len(re.findall(r"^- \*\*.+\?\*\* .+\.$", text, flags=re.M)) >= 2, page.name
        for target in re.findall(r"\]\(([^)#:\s]+)\)", text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_syllabus_names_chapters_and_assignments_that_exist():
    text = (teaching.FOLDER / "README.md").read_text(encoding="utf-8")
    chapters = {one["number"]: one for one in teaching.chapters()}
    plans = re.findall(r"^\| \d+ \| ([^|]+) \| ([^|]+) \|$", text, flags=re.M)
    assert len(plans) == 6 + 14
    for read, given in plans:
        assert set(re.findall(r"\d\d", read)) <= set(chapters), read
        assert given == "-" or (given in read and list((PROJECT / "exercises").glob(f"{given}_*.py"))), given
    day = re.findall(r"^\| (?:morning|afternoon) \| (\d\d) ([^|(]+?)(?: \([^|]+)? \| (\d+) \|$", text, flags=re.M)
    assert len(day) == 5 and sum(int(minutes) for *_, minutes in day) <= 300
    assert all(chapters[number]["title"].startswith(title) for number, title, _ in day)
    assert text.count("](http") == 4, "four public courses"
