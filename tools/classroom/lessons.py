"""What each task of an assignment teaches, how long it takes and how hard it is, as its source says it.

Under the heading of every task stands one line: `*You learn* to clip first. About 25 minutes, easy to medium.`
"""

import pathlib
import re
from dataclasses import dataclass

LEVELS = ("easy", "easy to medium", "medium", "medium to hard", "hard")
TASK = re.compile(
    r"^# ## (?P<number>\d)\. (?P<title>.+) \((?P<points>\d+) points\)\n#\n"
    r"# \*You learn\* (?P<goal>.+?)\. About (?P<minutes>\d+) minutes, (?P<level>[a-z ]+)\.\n#\n",
    re.M,
)


@dataclass(frozen=True)
class Lesson:
    """One task: its number and title, its points, what one learns, in how many minutes, and how hard it is."""

    number: int
    title: str
    points: int
    goal: str
    minutes: int
    level: str


def lessons(source):
    """The `Lesson` of each task in a source, in order; ValueError for a heading without such a line."""
    text = pathlib.Path(source).read_text(encoding="utf-8")
    found = [
        Lesson(int(one["number"]), one["title"], int(one["points"]), one["goal"], int(one["minutes"]), one["level"])
        for one in TASK.finditer(text)
    ]
    headings = re.findall(r"^# ## (\d)\. ", text, flags=re.M)
    missing = [number for number in headings if int(number) not in [lesson.number for lesson in found]]
    wrong = [lesson.level for lesson in found if lesson.level not in LEVELS]
    if missing or wrong:
        needed = f"a goal, minutes and one of {LEVELS} for each task"
        raise ValueError(f"{source}: {needed}; got {wrong}, none for {missing}")
    return found
