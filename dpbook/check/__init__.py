"""Instant feedback on an exercise: one plain line, in seconds, the same judgement that the grader makes later.

`requirements` has the frame and what an answer can be asked for, `laws` the laws that releases must have. It starts
without scipy: each batch of a student's answers starts it anew.
Source: beyond the seeds.  Notebooks: the exercises.
"""

from dpbook.check.laws import discrete_law, laplace_law, normal_law
from dpbook.check.requirements import (
    MOST,
    RISK,
    SAMPLES,
    Unusable,
    Verdict,
    WrongOutput,
    accurate,
    answers,
    check,
    collect,
    divergence,
    draws_here,
    judge,
    private,
    repeatable,
    shows_loss,
)

__all__ = [
    "MOST",
    "RISK",
    "SAMPLES",
    "Unusable",
    "Verdict",
    "WrongOutput",
    "accurate",
    "answers",
    "check",
    "collect",
    "discrete_law",
    "divergence",
    "draws_here",
    "judge",
    "laplace_law",
    "normal_law",
    "private",
    "repeatable",
    "shows_loss",
]
