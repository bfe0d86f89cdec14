"""Every way in which a submission can fail before there is anything to judge: what its row says, and what to do then.

A line of the grader that begins with "not yet: " is one of these, and nothing else in the grader says such a line:
`tests/test_failures.py` makes each of them happen. What students read, `str(failure)`, is for them to mend; where it is
the instructor's turn, the row's flag says so.
"""

from dataclasses import dataclass

from dpbook.check import words
from tools.classroom import runner


@dataclass(frozen=True)
class Failure:
    """`what` happened, with places for what is known of it, and what to `do` about it."""

    what: str
    do: str

    def __str__(self):
        return f"{self.what}: {self.do}"

    def of(self, **known):
        """The line, with what is known in its places."""
        return str(self).format(**known)


MEND = "try it on no data, few and many, and mend what stops"
ADVICE = {ValueError: "try it on no data, few and many, change only copies of what it is given, and mend what stops"}

# Of one answer. The jailed process ends with a number that says which.
OF_CODE = {
    runner.NO_ANSWER: Failure("the cell is as it was handed out", "write your answer into it"),
    runner.SYNTAX: Failure("the cell has a syntax error", "run it, and mend the line that Python names"),
    runner.CELL: Failure(
        "the cell stops with an error when it is run", "restart the kernel, run all cells, and mend what stops"
    ),
    runner.MISSING: Failure("the cell does not define this function", "give it the name that the task says"),
    runner.OUTPUT: Failure(
        "it gave something else than the number, or the array of numbers, that was asked for",
        "return that, whatever the data",
    ),
    runner.NOTHING: Failure("it gave nothing", "did you forget return?"),
    runner.NAME: Failure(
        "it used a name that is not defined in its cell or in the cells before that come with the assignment",
        "define all that it needs in its own cell",
    ),
    runner.TYPE: Failure("it raised a TypeError", "let it take the arguments that the task says"),
    runner.MEMORY: Failure("it ran out of memory", "keep fewer numbers at a time"),
    runner.ERROR: Failure("it raised an error", MEND),
    runner.IMPORT: Failure("it imports what the grader does not have", "do without; numpy, scipy and dpbook are there"),
}
OF_CODE |= {
    code: Failure(f"it raised {'an' if kind.__name__[0] in 'AIOU' else 'a'} {kind.__name__}", ADVICE.get(kind, MEND))
    for kind, code in runner.OF_ERRORS.items()
}
SLOW = Failure(
    "it took too long, or too much memory",
    "work on whole arrays, not entry by entry, and look for a loop that does not end",
)
ALL_SLOW = Failure("all answers of this notebook together took too long", "make the slow ones quicker")
OTHER_END = Failure(
    "it ended in another way than by returning its numbers", "leave processes, files and Python's insides alone"
)
INFINITE = Failure(*words.NOT_FINITE.split(": "))
NO_CELL = Failure(
    "the answer cell {name} is missing",
    "take a fresh copy of the assignment, put your answers into it, and hand it in again",
)
TOO_LONG = Failure("the answer is longer than {most} characters", "shorten it")
UNJUDGED = Failure("what it gave could not be judged", "ask your instructor")

# Of the whole file.
NO_FILE = Failure("there is no file that can be read ({why})", "hand in the .ipynb file itself")
TOO_LARGE = Failure(
    "the file is too large", "clear its outputs (Edit, Clear Outputs of All Cells), save, and hand it in again"
)
UNREADABLE = Failure("this file cannot be read as a notebook of this assignment", "hand in the .ipynb file itself")
STOPPED = Failure("it could not be graded", "ask your instructor")

FAILURES = (
    *OF_CODE.values(), SLOW, ALL_SLOW, OTHER_END, INFINITE, NO_CELL, TOO_LONG, UNJUDGED, NO_FILE, TOO_LARGE, UNREADABLE,
    STOPPED,
)  # fmt: skip

# What a flag tells the instructor where students are told to ask.
FLAGS = {
    UNJUDGED: Failure("the check raised {error}", "read the answer, and give its points by hand"),
    STOPPED: Failure("the grading process ended ({trouble})", "grade again; if it ends so each time, grade by hand"),
}
