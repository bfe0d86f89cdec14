"""Is it private? The exact loss where the probabilities are known, a certified lower bound for a black box.

`loss` compares two known distributions. `bound` certifies a lower bound from outputs: `views` looks at them, `events`
chooses what to count. `floating_point` shows how doubles betray a private release. The package starts without scipy.
Source: beyond the seeds; the definition is 004 section 2.1.  Notebook: 21_audit.
"""

from dpbook.audit.bound import EpsilonBound, WorstPair, batched, clopper_pearson, epsilon_lower_bound, worst_neighbours
from dpbook.audit.events import best_events
from dpbook.audit.floating_point import betrayed, can_come_from, leaky_laplace, leaky_laplace_law, round_to_bits
from dpbook.audit.loss import ExactLoss, exact_loss, law_events, loss_over_outputs, yes_no_patterns
from dpbook.neighbours import add_record, add_to_count, remove_record, replace_record, small_datasets


def meter(ax, names, most):
    """A live picture of a claim on `ax`, drawn by `dpbook.plots.result_meter`, which says how to use it."""
    from dpbook.plots import result_meter  # only here: the audit itself draws nothing

    return result_meter(ax, names, most)
