"""What can be asked on paper about an assignment: its mistakes, calls of its solutions, and its explanation."""

import ast
import inspect
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
PRINTED = 60  # numbers at most in data that are printed as they are, not as they are made
WIDE = 80  # characters of an array on one line
MACHINE = {  # tasks whose calls take hundreds of steps, or a function of the book that nobody computes with a pencil
    *("choose_branching", "choose_views", "most_rows", "certified_loss"),
    *("exact_epsilon", "least_multiplier", "shuffled_delta"),
}
UNSEEN = {  # mistakes that go wrong for few numbers only, or of which the grader's line does not say what is wrong
    *("the logarithm's series, cut off", "a formula for large numbers of dummies"),
    *("weights that underflow", "None for no answer", "without the positive part", "attributes counted"),
}


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
    said, namespace, mistakes, calls = conventions(source), {}, {}, {}
    exec(assignment.setup, namespace)
    for task in assignment.tasks:
        lesson = taught[places[task.name]]
        text = f"{said}\n\n{_with_tasks(places[task.name], texts)}".strip()
        heading = f"{lesson.title} ({assignment.stem}, task {lesson.number})"
        if not task.check:
            scheme = f"{_plain(written(task))}\n\n{_plain(assignments.mark_scheme(task))}"
            explanation = Question(heading, lesson.points, text + at_hand(text, "", namespace), scheme)
            continue
        found = [wrong for wrong in told(task) if wrong.code.count("\n") <= LINES]
        shown = [(wrong, text + at_hand(text, wrong.code, namespace)) for wrong in found]
        mistakes[task.name] = [_mistake(assignment, task, wrong, heading, all_of_it) for wrong, all_of_it in shown]
        if task.name not in MACHINE:
            calls[task.name] = _calls(assignment, task, heading, text + at_hand(text, "", namespace))
    return Bank(assignment.stem, title, mistakes, {name: some for name, some in calls.items() if some}, explanation)


def statements(source):
    """What each text of a task says to somebody with a pencil, with the code that it needs; where each task stands.

    And the assignment's title. A text may be that of two tasks.
    """
    texts, places, title, namespace = [], {}, "", {}
    for cell in assignments.release(source).cells:
        setup = cell.cell_type == "code" and "setup" in cell.metadata.get("tags", ())
        if setup:
            exec(cell.source, namespace)
        if name := cell.metadata.get("nbgrader", {}).get("grade_id"):
            places.setdefault(name, len(texts) - 1)
        if cell.cell_type == "markdown" and cell.source.startswith("# "):
            title = cell.source.splitlines()[0][2:]
        elif cell.cell_type == "markdown" and re.match(r"## \d\. ", cell.source):
            parts = cell.source.split("\n\n")[1:]
            texts.append("\n\n".join(part for part in parts if not part.startswith(("*You learn*", "*Graded"))))
        elif texts and cell.cell_type == "markdown" and cell.source.strip() != assignments.TEXT_STUB:
            texts[-1] += f"\n\n{cell.source}"
        elif texts and setup and not cell.metadata.get("jupyter"):
            if kept := _for_paper(cell.source, namespace):
                texts[-1] += f"\n\n{code(kept)}"
    return texts, places, title


def conventions(source):
    """What an assignment says of all its tasks before the first: the neighbours, and what its letters mean; or ""."""
    first = next(cell for cell in assignments.release(source).cells if cell.source.startswith("# Assignment"))
    parts = " ".join(first.source.partition(assignments.RULES)[2].split())
    for boast in ("All data here are invented.", "Yours may differ from those of others."):
        parts = parts.replace(boast, "")
    return " ".join(re.sub(r"You may use all of `dpbook`; [^.]*\.", "", parts).split())


def _for_paper(source, namespace):
    """A cell of setup with its data as they come out, without what only the checks need, which names the mistakes."""
    nodes, lines = ast.parse(source).body, source.splitlines()
    checks = [node for node in nodes if _is_check(node)]
    helpers = {name for node in checks for name in _names(node)}
    others = {name for node in nodes if node not in checks for name in _names(node)}
    gone = [*checks, *(node for node in nodes if getattr(node, "name", "") in helpers - others)]
    values = {}  # of data that a hidden name makes one's own: as they are in this copy
    for node in nodes:
        if isinstance(node, ast.Assign) and _names(node.value) & {"VARIANT", "UNIT", "TIMES", "mine"}:
            found = [(name, namespace[name]) for name in _targets(node)]
            if all(isinstance(one, np.ndarray | list) and _numbers(one) <= PRINTED for _, one in found):
                values[node] = [name for name, _ in found]
    made = {name for names in values.values() for name in names}
    for node in nodes:
        if node in gone or (isinstance(node, ast.Assign) and node not in values and made & {*_targets(node)}):
            lines[node.lineno - 1 : node.end_lineno] = [None] * (node.end_lineno - node.lineno + 1)
        elif node in values:
            shown = [f"{name} = {_data(namespace[name])}" for name in values[node]]
            rest = [None] * (node.end_lineno - node.lineno)
            lines[node.lineno - 1 : node.end_lineno] = ["\n".join(shown), *rest]
    return re.sub(r"\n{3,}", "\n\n\n", "\n".join(line for line in lines if line is not None)).strip()


def _is_check(node):
    if isinstance(node, ast.ImportFrom):
        return node.module == "dpbook.check"
    if not isinstance(node, ast.FunctionDef):
        return False
    functions = [one.name for one in ast.walk(node) if isinstance(one, ast.FunctionDef)]
    return "the checks compare" in (ast.get_docstring(node) or "") or "requirement" in functions


def _names(node):
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}


def _targets(node):
    return [one.id for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)]


def _data(value):
    """An array or a list as one types it, a long table by rows."""
    if not isinstance(value, np.ndarray):
        return repr(value)
    value = np.round(value, 9).tolist()
    rows = "\n    ".join(f"{row}," for row in value)
    return f"np.array({value})" if len(str(value)) <= WIDE else f"np.array([\n    {rows}\n])"


def _promise(function):
    """What a function does, as its first line and the sentence after it say; "" if these tell what is broken."""
    first, _, more = (inspect.getdoc(function) or "").partition("\n\n")
    more = re.split(r"(?<=[.;]) (?=[A-Z`])", " ".join(more.split()))[0]
    if more.startswith(("Raises", "Source", "Under")):
        more = ""
    return "" if "NOT" in first else re.sub(r";$", ".", " ".join(f"{first} {more}".split()))


def at_hand(text, wrong, namespace):
    """What the code of a question, or its text, takes from the book or from a hidden cell: one line for each."""
    blocks = [*re.findall(r"```python\n(.*?)\n```", text, re.S), wrong]
    nodes = [one for block in blocks for one in ast.walk(ast.parse(block))]
    defined = {getattr(one, "name", None) or getattr(one, "arg", None) for one in nodes}
    defined |= {one.id for one in nodes if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
    known = dict(namespace)
    for one in nodes:
        if isinstance(one, ast.ImportFrom) and one.module.startswith("dpbook"):
            names = {alias.name for alias in one.names}
            exec(ast.unparse(one), known)
            defined -= names
    words = set(re.findall(r"`(\w+)[`(]", re.sub(r"```.*?```", "", text, flags=re.S)))
    used = {name for one in nodes for name in _names(one)} | words
    lines = []
    for name in sorted(used - defined):
        value = known.get(name)
        if isinstance(value, int | float):
            lines.append(f"- `{name}` is {value}")
        elif inspect.isfunction(value) and (value.__module__ or "dpbook").startswith(("dpbook", "builtins")):
            form = ", ".join(one for one in inspect.signature(value).parameters)
            lines.append(f"- `{name}({form})`" + (f": {said}" if (said := _promise(value)) else ""))
    return "\n\n*At hand:*\n\n" + "\n".join(lines) if lines else ""


def told(task):
    """The mistakes of a task that have a sentence of their own: not only that something else is wrong, or is unseen."""
    plain = [wrong for wrong in task.wrong if not wrong.diagnosis.isupper() and wrong.diagnosis not in ELSEWHERE]
    return [wrong for wrong in plain if wrong.name not in UNSEEN]


def _with_tasks(place, texts):
    """The text at a place with those of the other tasks that it names before it."""
    named = {int(number) for number in re.findall(r"\btasks? (\d)\b", texts[place])} - {place + 1}
    return "\n\n".join([*(f"*Task {number}:* {texts[number - 1]}" for number in sorted(named)), texts[place]])


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
        line = line_on(assignment, task, wrong)
        line += "" if line.endswith((".", "?")) else "."
        scheme = f"(a) *{wrong.name}*: {line} Two points. Accept another fault that the code really has.\n\n"
        scheme += f"(b) For example, two points, and one if a fault is left:\n\n{code(written(task))}"
        return Question(heading, MISTAKE, f"{text}\n\n{ask}\n\n{code(wrong.code)}", scheme)

    return question


def line_on(assignment, task, wrong):
    """What the grader says of a mistake; of one that only data show which nobody sees, what it is known by."""
    line = verdict_of(assignment, task, draws_here(assignments.defined(assignment, wrong.code, task.name))).line
    line = line.removeprefix("keep going: ").removeprefix("not yet: ")
    return wrong.diagnosis if ELSEWHERE in line else re.sub(r"^entry \d+ \(from 0\) of the release: ", "", line)


def _calls(assignment, task, heading, text):
    """A question for each call of the visible checks that fits on paper: its answer is what the solution returns.

    Only those that are about as long as the longest, with as long a result: no version has an easy one.
    """
    function, found, sizes = assignments.defined(assignment, task.answer, task.name), [], []
    for call in calls_of(assignment, task):
        if not all(_fits(one) for one in call):
            continue
        result = function(*call)
        if _fits(result) and np.size(result):
            sizes.append((_numbers(result), _numbers(call)))
            shown = ", ".join(map(_shown, call))
            ask = f"What does `{task.name}({shown})` return? Three digits are enough. Show the way."
            scheme = f"**{_shown(result)}**, and one point for the way."
            found.append(Question(heading, CALL, f"{text}\n\n{ask}", scheme))
    results = [result for result, _ in sizes]
    usual = max(results, key=lambda size: (results.count(size), size), default=0)
    longest = max((size for result, size in sizes if result == usual), default=0)
    return [one for one, (result, size) in zip(found, sizes, strict=True) if result == usual and 2 * size >= longest]


def _numbers(value):
    """How many numbers and words are in a value."""
    several = isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim)
    return sum(map(_numbers, value)) if several else 1


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
    if isinstance(value, list | tuple) or np.ndim(value):
        return "[" + ", ".join(map(_shown, value)) + "]"
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)


def versions(banks, number, seed):
    """For each version a list of questions: of each assignment two mistakes of two tasks, a call of another task, and
    its explanation. (A mistake's code shows most of what a call of its task asks.)

    Which tasks is drawn once for all versions; no version has what another one has as long as there are enough.
    """
    rng, papers = random.Random(seed), [[] for _ in range(number)]
    for one in banks:
        called = rng.choice(sorted(one.calls)) if one.calls else None
        others = {name: some for name, some in one.mistakes.items() if some and name != called}
        enough = [name for name, some in others.items() if len(some) >= number]
        tasks = rng.sample(sorted(enough if len(enough) >= 2 else others), 2)
        for pile in (one.mistakes[name] for name in tasks):
            _deal(papers, rng.sample(pile, len(pile)))
        if called:
            pile = one.calls[called]
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
