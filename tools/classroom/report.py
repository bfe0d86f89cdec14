"""What the class got wrong, and who wrote alike: `course report`, after grading.

`mistakes.csv` and `mistakes.png`: for each task how many are right, and how many got which line. `similar.csv`: pairs
of students whose answers to a task resemble each other, and few others; it is a hint to read both, and no more.
`books_own.csv`: who imported from `dpbook` what the solution does not.
"""

import ast
import collections
import io
import itertools
import json
import keyword
import re
import tokenize

from tools.classroom import assignments
from tools.classroom.places import source_of

NUMBER = re.compile(r"[-+]?\d[\d.,]*%?")
SHARE, LENGTH, FEW = 0.8, 30, 3  # of pieces in common; tokens of an answer; students who write one answer alike
PIECE = 5  # tokens, or words, of a piece


def mistakes(rows):
    """A row for each assignment, task and line (numbers left out), with how many students got it, the most first.

    `rows` are those of points.csv; "right" comes before what is wrong.
    """
    counted, order = collections.Counter(), {}
    for row in rows:
        key = row["assignment"], row["task"]
        order.setdefault(key, len(order))
        if row["reason"] and row["points"] != "":
            counted[*key, NUMBER.sub("…", row["reason"])] += 1
    totals = collections.Counter()
    for (stem, task, _), number in counted.items():
        totals[stem, task] += number
    ranked = sorted(counted.items(), key=lambda one: (order[one[0][:2]], one[0][2] != "right", -one[1], one[0][2]))
    return [[*key, number, totals[key[:2]]] for key, number in ranked]


def picture(found, file, most=3):
    """Draw, for each task, the share of right answers and of its commonest mistakes, a bar each."""
    from matplotlib.figure import Figure

    tasks = list(dict.fromkeys((stem, task) for stem, task, *_ in found))
    bars = []
    for key in tasks:
        lines = [row for row in found if tuple(row[:2]) == key]
        right = sum(row[3] for row in lines if row[2] == "right")
        bars.append((f"{key[0]}: {key[1]}", right / lines[0][4], "#009E73"))
        for row in [row for row in lines if row[2] != "right"][:most]:
            words = row[2].partition(": ")[2] or row[2]
            bars.append((words if len(words) < 75 else f"{words[:72]}...", row[3] / row[4], "#E69F00"))
    figure = Figure(figsize=(11, 1.2 + 0.28 * len(bars)), layout="constrained")
    ax = figure.subplots()
    places = range(len(bars))
    ax.barh(places, [100 * share for _, share, _ in bars], color=[colour for *_, colour in bars])
    ax.set_yticks(places, [name for name, *_ in bars], fontsize=8)
    ax.set(xlim=(0, 100), ylim=(len(bars) - 0.4, -0.6), xlabel="share of those who handed it in, %")
    ax.set_title("Right answers (green), and the commonest lines below each (orange)", loc="left", fontsize=10)
    figure.savefig(file, dpi=110)


def similar(assignment, answers):
    """Pairs of students whose answers to a task of this assignment are alike: (task, one, other, share).

    `answers` is a dict from students to their texts by task. What the release gave, names of variables and comments do
    not count; short answers do not, nor does what more than `FEW` students wrote alike.
    """
    found = []
    for task in assignment.tasks:
        given = pieces(assignments.stub(task), bool(task.check))
        own = {who: pieces(texts.get(task.name, ""), bool(task.check)) - given for who, texts in answers.items()}
        long = {who: some for who, some in own.items() if len(some) >= LENGTH}
        alike = [
            (one, other, len(long[one] & long[other]) / len(long[one] | long[other]))
            for one, other in itertools.combinations(sorted(long), 2)
        ]
        alike = [pair for pair in alike if pair[2] >= SHARE]
        company = collections.Counter(who for one, other, _ in alike for who in (one, other))
        few = [pair for pair in alike if max(company[pair[0]], company[pair[1]]) < FEW]
        found += [(task.name, one, other, round(share, 2)) for one, other, share in few]
    return found


def books_own(assignment, answers):
    """What students imported from the book for a task, and its solution does not: (task, student, names), in order.

    `answers` as in `similar`. That is allowed, and no points go by it: an instructor who wanted the function written
    anew sees where it was called.
    """
    found = []
    for task in assignment.tasks:
        usual = imported(task.answer) if task.check else set()
        for who, texts in sorted(answers.items()) if task.check else ():
            if more := imported(texts.get(task.name, "")) - usual:
                found.append((task.name, who, ", ".join(sorted(more))))
    return found


def imported(text):
    """The names that a program imports from `dpbook`, in full; none of one that is no Python."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    names = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and not node.level:
            names |= {f"{node.module}.{name.name}" for name in node.names}
    return {name for name in names if name.partition(".")[0] == "dpbook"}


def pieces(text, is_code):
    """The runs of tokens of a program, its variables by the order they come in; of a text, the runs of words."""
    words = _tokens(text) if is_code else re.findall(r"\w+", text.casefold())
    return {tuple(words[start : start + PIECE]) for start in range(len(words) - PIECE + 1)}


def _tokens(text):
    """The tokens of a program, but for comments; names of its own are all the same, attributes and keywords stay."""
    kept = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME and not keyword.iskeyword(token.string) and kept[-1:] != ["."]:
                kept.append("name")
            elif token.type in (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING):
                kept.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        return text.split()
    return kept


def taken(course, stem):
    """What the students of a course answered to an assignment: a dict from students to their texts by task."""
    told = sorted((course / "results" / stem).glob("*.json"))
    return {path.stem: json.loads(path.read_text())["taken"].get("texts", {}) for path in told}


def of_course(course, stems, look):
    """What `look` (`similar` or `books_own`) finds in the answers of a course, each row after its assignment."""
    seen = {stem: look(assignments.read(source_of(stem, course)), taken(course, stem)) for stem in stems}
    return [[stem, *row] for stem in stems for row in seen[stem]]
