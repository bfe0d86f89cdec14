"""Which epsilon? Errors of releases turned into epsilons and back, what an attacker gains, persons and groups, plans.

`errors` says exactly how far off a release is, and the inverse; `attacker` what a guarantee leaves to guess;
`groups` counts persons with many records, in groups that are listed or not; `parts` and `plans` compose a release, say
what it costs and how exact it is, and write its program. Unlike other chapters this one leans on several: choosing an
epsilon is comparing them.
Source: beyond the seeds.  Notebook: 27_choosing.
"""

from dpbook.choosing.attacker import advantage, guess_chance, largest_belief, told_to_people
from dpbook.choosing.errors import (
    discrete_gaussian_error,
    dropping_error,
    gaussian_error,
    geometric_error,
    laplace_error,
    least_epsilon,
    mean_error,
    quantile_error,
    selection_error,
    tree_error,
)
from dpbook.choosing.groups import (
    group_counts,
    group_threshold,
    kept_contributions,
    published_chance,
    threshold_delta,
    threshold_release,
)
from dpbook.choosing.parts import Counts, Histogram, Line, Mean, Quantile
from dpbook.choosing.plans import Plan
