"""What a submission is worth: its answers are run in the jail, and judged here.

Checks, data and all judging are the source's own. Each batch of outputs comes from a fresh jailed process
(`tools.classroom.jail`). A task gives all its points or none; the reason is the line of the first check that failed,
without the numbers where the check is a hidden one. Explanations are left for a human.
"""

import hashlib
import itertools
import math
import re
import secrets
import time
from dataclasses import dataclass

import numpy as np

from dpbook.check import MOST, Unusable, Verdict, judge, judge_noise, words
from tools.classroom import assignments, failures, submission
from tools.classroom.flags import branches, kept_state
from tools.classroom.jail import Limits, jailed_draws

BY_HAND = "to be graded by hand"
NO_ANSWER = "no answer"
ELSEWHERE = "with other data, which you have not seen"
LONGEST_FLAG = 2_000  # characters
FEW, MANY = 3, 100  # entries of an array: so many or fewer, so many or more
SMALL, LARGE = 0.3, 3  # epsilons


@dataclass(frozen=True)
class Score:
    """What one student got for one task: `points` of `most` (None: by hand) and the reason in one line.

    `flag` says why a human should look at the answer as well; it is not for the student.
    """

    student: str
    task: str
    points: float | None
    most: float
    reason: str
    flag: str = ""


def grade(assignment, path, student, seed=None, limits=None, unsafe=False):
    """The list of `Score`, one a task, of the `student`'s submission at `path`.

    `seed` gives the hidden data and the generators of the student's functions; None is a fresh one each time. Any file
    is graded: what cannot be read gets zero and says why.
    """
    try:
        taken = submission.read(assignment, path, unsafe)
    except submission.Unreadable as reason:
        return unread(assignment, student, str(reason))
    return grade_taken(assignment, taken, student, seed, limits, unsafe)


def unread(assignment, student, reason, flag=""):
    """Zero for every task, for this reason."""
    return [Score(student, task.name, 0, task.points, f"not yet: {reason}", flag) for task in assignment.tasks]


def grade_taken(assignment, taken, student, seed=None, limits=None, unsafe=False):
    """The scores of a `Submission`."""
    seed = secrets.randbits(64) if seed is None else seed
    limits = limits or Limits()
    until = time.monotonic() + limits.total
    return [_score(student, assignment, task, taken, seed, limits, unsafe, until) for task in assignment.tasks]


def _score(student, assignment, task, taken, seed, limits, unsafe, until):
    if task.name in taken.troubles and (task.check or "missing" not in taken.troubles[task.name]):
        return Score(student, task.name, 0, task.points, f"not yet: {taken.troubles[task.name]}")
    if not task.check:
        answered = submission.answered(task, taken.texts.get(task.name, ""))
        return Score(student, task.name, None if answered else 0, task.points, BY_HAND if answered else NO_ANSWER)
    answer, flag = taken.texts[task.name], ""
    try:
        flag = "; ".join(filter(None, (kept_state(answer, assignment.setup), branches(answer) if _draws(task) else "")))
        draw = jailed_draws(assignment.setup, answer, task.name, _of_draws(seed), limits, unsafe, until)
        verdict = verdict_of(assignment, task, draw, seed)
        flag = "; ".join(filter(None, (flag, verdict.hint)))
    except Exception as error:  # a check stumbled over the numbers of an answer: that may not stop the grading
        verdict = Verdict(False, f"not yet: {failures.UNJUDGED}")
        flag = failures.FLAGS[failures.UNJUDGED].of(error=f"{type(error).__name__}: {error}")
    flag = flag if len(flag) <= LONGEST_FLAG else f"{flag[:LONGEST_FLAG]} ..."
    return Score(student, task.name, task.points if verdict.right else 0, task.points, verdict.line, flag)


def _of_draws(seed):
    """The seed of an answer's generators. The jail sees it, and it leads nobody to the seed of the hidden data."""
    return int.from_bytes(hashlib.sha256(f"draws of {seed}".encode()).digest()[:16], "big")


def verdict_of(assignment, task, draw, seed=1):
    """The `Verdict` of a task's checks, visible and hidden, on the answer that `draw` draws from.

    The checks are the source's own code and run here; after the first that fails the others are not asked. `seed`
    gives the hidden data. The noise of all releases is judged together at the end, where the checks asked for noise.
    """
    noise, name = [], [ord(letter) for letter in task.name]
    namespace = {"__name__": "judging", "fresh": np.random.default_rng([*_words(seed), *name])}
    exec(assignment.setup, namespace)
    namespace[task.name] = draw
    visible = _asked(assignments.visible(task.check), namespace)
    verdicts = _judged(visible, noise)
    if not verdicts:
        raise ValueError(f"the check of {task.name} never calls check(...)")
    asked = len(verdicts)
    if verdicts[-1].right:
        hidden = _asked(assignments.hidden(task.check), namespace)
        _within_the_risk(task, visible + hidden)
        verdicts += _judged(hidden, noise, draw)
        verdicts.append(judge_noise(noise))
    hints = "; ".join(dict.fromkeys(verdict.hint for verdict in verdicts if verdict.hint))
    for place, verdict in enumerate(verdicts):
        if not verdict.right:
            return verdict if place < asked else _of_hidden_data(verdict, task)
    return _from_a_cell(draw, hints)


def _from_a_cell(draw, hints):
    """The `Verdict` on a right answer that is asked once more from elsewhere, if `draw` can do that."""
    try:
        same = not hasattr(draw, "again") or draw.again()
    except Unusable as reason:
        return Verdict(False, f"not yet: {reason}")
    return Verdict(same, words.RIGHT if same else f"keep going: {words.CALLER}", hints)


def calls_of(assignment, task):
    """The calls whose answers the visible checks of a task compare: tuples of arguments; none where it draws."""
    namespace = {"__name__": "judging", task.name: None}
    exec(assignment.setup, namespace)
    ones = [one for _, ones in _asked(assignments.visible(task.check), namespace) for one in ones]
    asked = [one.asks for one in ones if hasattr(one, "asks")]
    return [call for calls, samples, *_ in asked if samples is None for call in calls]


def told(task, reason):
    """A score's reason as the student reads it: where a mechanism is right, that no test proves it."""
    return words.NOT_A_PROOF if reason == words.RIGHT and _draws(task) else reason


def _draws(task):
    """Whether a task asks for a mechanism: a function with a generator."""
    return re.search(rf"def {task.name}\([^)]*\brng\b", task.answer) is not None


def _asked(code, namespace):
    """The answers and requirements with which this code calls `check`."""
    calls = []
    namespace["check"] = lambda answer, *requirements: calls.append((answer, requirements))
    exec(code, namespace)
    return calls


def _within_the_risk(task, calls):
    """ValueError for a task of so many requirements that a right answer is refused more often than FALSE_ALARM."""
    number = sum(getattr(one, "statements", 1) for _, requirements in calls for one in requirements)
    if number >= MOST:
        most = f"at most {MOST - 1} requirements, each pair of neighbours counted"
        raise ValueError(f"the check of {task.name} must have {most}; got {number}")


def _judged(calls, noise, draw=None):
    """The verdicts on these calls of `check`, up to the first that is not right.

    What they ask of `draw` one after the other is drawn at once, if `draw` can do that.
    """
    verdicts, ready = [], 0
    for place, (answer, requirements) in enumerate(calls):
        ready = ready or _drawn_ahead(calls[place:], draw)
        verdicts.append(judge(answer, requirements, noise))
        if not verdicts[-1].right:
            break
        ready = max(0, ready - len(requirements))
    return verdicts


def _drawn_ahead(calls, draw):
    """Have drawn what the first requirements will ask for, as far as they say it; how many these are."""
    if not hasattr(draw, "ahead"):
        return 0
    ones = [one if answer is draw else None for answer, requirements in calls for one in requirements]
    asks = [one.asks for one in itertools.takewhile(lambda one: hasattr(one, "asks"), ones)]
    if len(asks) > 1:
        draw.ahead(asks)
    return len(asks)


def _words(seed):
    """A seed as words of 32 bits, which a generator can take beside others."""
    return [seed >> shift & 0xFFFFFFFF for shift in range(0, max(64, math.ceil(seed.bit_length() / 32) * 32), 32)]


def _of_hidden_data(verdict, task):
    """A line about hidden data: none of their numbers, and in words what the calls that went wrong have in common."""
    kind, _, sentence = verdict.line.partition(": ")
    case = _case(task, verdict.asks[0]) if verdict.asks else ""
    return Verdict(False, f"{kind}: {ELSEWHERE}{case and f' ({case})'}: {words.unseen(sentence)}")


def _case(task, calls):
    """What all these calls of a task's function have in common, in words: `values is empty, a small epsilon`."""
    head = re.search(rf"def {task.name}\(([^)]*)\)", task.answer)
    names = [name.split("=")[0].strip() for name in head[1].split(",")] if head else []
    names = [name for name in names if name != "rng"]
    found = [list(_traits(zip(names, call, strict=True))) for call in calls if len(call) == len(names)]
    return ", ".join(trait for trait in found[0] if all(trait in other for other in found)) if found else ""


def _traits(arguments):
    """What is worth a word about the arguments of a call."""
    for name, value in arguments:
        if name == "epsilon" and isinstance(value, int | float):
            if not SMALL <= value <= LARGE:
                yield "a small epsilon" if value < SMALL else "a large epsilon"
        elif isinstance(value, np.ndarray | list) and np.ndim(value):
            size = len(value)
            if size == 0:
                yield f"{name} is empty"
            elif size <= FEW or size >= MANY:
                yield f"{name} is {'short' if size <= FEW else 'long'}"
