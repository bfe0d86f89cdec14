"""Questions on paper from the assignments' sources: `python -m tools.exam 03_laplace 14_svt --versions 4`.

Nothing is written twice: a question is a mistake of a task (what is wrong here, and mend it), a call of its solution
(what does it return), or its explanation. All versions ask about the same tasks, with other mistakes and other calls as
far as there are enough, so they are about equally hard. `questions` finds them; `paper` sets versions, their schemes
and a sheet for asking aloud, as pages that print. What a scheme says is what the grader says, and what the solution
returns: both are run.
"""
