"""What can be asked on paper about an assignment: its mistakes, calls of its solutions, and its explanation."""

import random
import re
from dataclasses import dataclass

import numpy as np

from dpbook.check import draws_here
from tools.classroom import assignments
from tools.classroom.lessons import lessons
from tools.classroom.verdicts import ELSEWHERE, calls_of, verdict_of

SHORT = 8  # numbers at most in an argument or a result on paper
LINES = 16  # of a mistake's code
MISTAKE, CALL = 4, 2  # points
ASKED = 3  # mistakes of a task that one asks about aloud


@dataclass(frozen=True)
class Question:
    """What stands on the paper and in the scheme, both Markdown, and its points."""

    title: str
    points: int
    text: str
    scheme: str


@dataclass(frozen=True)
class Bank:
    """All that an assignment has to ask: for each task its mistakes, or its calls; and its explanation."""

    stem: str
    title: str
    mistakes: dict
    calls: dict
    explanation: Question


def bank(source):
    """The `Bank` of the assignment in a source: of its mistakes those that are short, and that a sentence explains."""
    assignment, taught = assignments.read(source), lessons(source)
    texts, places, title = statements(source)
    mistakes, calls = {}, {}
    for task in assignment.tasks:
        lesson, text = taught[places[task.name]], texts[places[task.name]]
        heading = f"{lesson.title} ({assignment.stem})"
        if not task.check:
            scheme = f"{_plain(written(task))}\n\n{_plain(assignments.mark_scheme(task))}"
            explanation = Question(heading, lesson.points, _with_tasks(text, texts), scheme)
            continue
        found = [wrong for wrong in told(task) if wrong.code.count("\n") <= LINES]
        mistakes[task.name] = [_mistake(assignment, task, wrong, heading, text) for wrong in found]
        calls[task.name] = _calls(assignment, task, heading, text)
    return Bank(assignment.stem, title, mistakes, {name: some for name, some in calls.items() if some}, explanation)


def statements(source):
    """What each text of a task says to somebody with a pencil, with the code that it needs; where each task stands.

    And the assignment's title. A text may be that of two tasks.
    """
    texts, places, title = [], {}, ""
    for cell in assignments.release(source).cells:
        if name := cell.metadata.get("nbgrader", {}).get("grade_id"):
            places.setdefault(name, len(texts) - 1)
        if cell.cell_type == "markdown" and cell.source.startswith("# "):
            title = cell.source.splitlines()[0][2:]
        elif cell.cell_type == "markdown" and re.match(r"## \d\. ", cell.source):
            parts = cell.source.split("\n\n")[1:]
            texts.append("\n\n".join(part for part in parts if not part.startswith(("*You learn*", "*Graded"))))
        elif texts and cell.cell_type == "markdown" and cell.source.strip() != assignments.TEXT_STUB:
            texts[-1] += f"\n\n{cell.source}"
        elif texts and "setup" in cell.metadata.get("tags", ()) and not cell.metadata.get("jupyter"):
            texts[-1] += f"\n\n{code(cell.source)}"
    return texts, places, title


def told(task):
    """The mistakes of a task that have a sentence of their own: not only that something else is wrong, or is unseen."""
    return [wrong for wrong in task.wrong if not wrong.diagnosis.isupper() and wrong.diagnosis not in ELSEWHERE]


def _with_tasks(text, texts):
    """A text with those of the tasks that it names before it."""
    named = sorted({int(number) for number in re.findall(r"\btasks? (\d)\b", text)})
    return "\n\n".join([*(f"*Task {number}:* {texts[number - 1]}" for number in named), text])


def code(text):
    return f"```python\n{text.strip()}\n```"


def written(task):
    """The solution, without the marks around it and without a mark scheme."""
    text = task.answer.partition("### BEGIN MARK SCHEME")[0].rstrip().removesuffix("#")
    return "\n".join(line for line in text.splitlines() if "### " not in line).rstrip()


def _plain(text):
    """Text of a Markdown cell's scheme without the marks of a source."""
    return re.sub(r"^# ?", "", text, flags=re.M)


def _mistake(assignment, task, wrong, heading, text):
    """A function that makes the question, for what the grader says of a mistake takes a grading."""

    def question():
        ask = "A student answers as below. (a) In one sentence, what is wrong? (b) Change the lines that must change."
        return Question(
            heading,
            MISTAKE,
            f"{text}\n\n{ask}\n\n{code(wrong.code)}",
            f"(a) *{wrong.name}*: {line_on(assignment, task, wrong)}. Two points.\n\n"
            f"(b) For example, two points:\n\n{code(written(task))}",
        )

    return question


def line_on(assignment, task, wrong):
    """What the grader says of a mistake; of one that only data show which nobody sees, what it is known by."""
    namespace = {}
    exec(assignment.setup, namespace)
    exec(wrong.code, namespace)
    line = verdict_of(assignment, task, draws_here(namespace[task.name])).line
    return wrong.diagnosis if ELSEWHERE in line else line.removeprefix("keep going: ").removeprefix("not yet: ")


def _calls(assignment, task, heading, text):
    """A question for each call of the visible checks that fits on paper: its answer is what the solution returns."""
    namespace, found = {}, []
    exec(assignment.setup, namespace)
    exec(task.answer, namespace)
    for call in calls_of(assignment, task):
        if not all(_fits(one) for one in call):
            continue
        result = namespace[task.name](*call)
        if _fits(result) and np.size(result):
            shown = ", ".join(map(_shown, call))
            ask = f"What does `{task.name}({shown})` return? Three digits are enough. Show the way."
            found.append(
                Question(heading, CALL, f"{text}\n\n{ask}", f"**{_shown(result)}**, and one point for the way.")
            )
    return found


def _fits(value):
    """Whether somebody can write it down."""
    if isinstance(value, str):
        return len(value) <= 4 * SHORT
    if isinstance(value, list | tuple):
        return len(value) <= SHORT and all(_fits(one) for one in value)
    return isinstance(value, bool | int | float | np.number | np.ndarray) and np.size(value) <= SHORT


def _shown(value):
    """A value as one writes it down: arrays as lists, and four digits."""
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_shown, value)) + "]"
    if np.ndim(value):
        return "[" + ", ".join(map(_shown, value)) + "]"
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)


def versions(banks, number, seed):
    """For each version a list of questions: of each assignment two mistakes of two tasks, a call, and its explanation.

    Which tasks is drawn once for all versions; no version has what another one has as long as there are enough.
    """
    rng, papers = random.Random(seed), [[] for _ in range(number)]
    for one in banks:
        tasks = rng.sample(sorted(name for name, some in one.mistakes.items() if some), 2)
        for pile in (one.mistakes[name] for name in tasks):
            _deal(papers, rng.sample(pile, len(pile)))
        others = sorted(set(one.calls) - set(tasks)) or sorted(one.calls)
        if others:
            pile = one.calls[rng.choice(others)]
            _deal(papers, [lambda question=question: question for question in rng.sample(pile, len(pile))])
        for paper in papers:
            paper.append(one.explanation)
    return papers


def _deal(papers, pile):
    """One question of a pile to each paper, and from the start again where there are more papers."""
    for place, paper in enumerate(papers):
        paper.append(pile[place % len(pile)]())


def aloud(source):
    """What to ask somebody about an answer that they handed in, Markdown: a task's mistakes, and what to listen for."""
    assignment, taught, lines = assignments.read(source), lessons(source), []
    _, places, _ = statements(source)
    for task in assignment.tasks:
        lesson = taught[places[task.name]]
        if not task.check:
            continue
        lines += [f"### {lesson.number}. {lesson.title}", ""]
        lines += [f"They learn {lesson.goal}. Which line of the answer does that?", ""]
        for wrong in told(task)[:ASKED]:
            lines += [f"- What would this mistake do: *{wrong.name}*? Listen for: {line_on(assignment, task, wrong)}."]
        if "epsilon" in written(task):
            lines += ["- What changes if epsilon is halved? And if a record can move the answer twice as far?"]
        lines += [""]
    return "\n".join(lines)
