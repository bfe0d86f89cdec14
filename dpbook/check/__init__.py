"""Instant feedback on an exercise: one plain line, in seconds, the same judgement that the grader makes later.

`requirements` has the frame and what an answer can be asked for. `laws` has the laws that releases must have, `noise`
what all releases of a task say together. It starts without scipy: each batch of a student's answers starts it anew.
Source: beyond the seeds.  Notebooks: the exercises.
"""

from dpbook.check.laws import discrete_law, laplace_law, normal_law
from dpbook.check.requirements import (
    FALSE_ALARM,
    MOST,
    RISK,
    SAMPLES,
    GaveNothing,
    Unusable,
    Verdict,
    WrongOutput,
    accurate,
    all_private,
    answers,
    check,
    collect,
    divergence,
    draws_here,
    judge,
    judge_noise,
    own_order,
    own_seed,
    private,
    repeatable,
    shows_loss,
)
