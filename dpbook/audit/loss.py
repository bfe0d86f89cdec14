"""The exact privacy loss between two known distributions: atoms, intervals and patterns as events, no bare densities.

A mechanism is epsilon-DP when no event is more than e^epsilon times as likely on one dataset as on its neighbour. It is
(epsilon, delta)-DP when that holds up to an additive delta. Here the distributions are known, so the loss on a pair is
a number, not an estimate.
Source: beyond the seeds; the definition is 004 section 2.1.  Notebook: 21_audit.
"""

from dataclasses import dataclass

import numpy as np

from dpbook import arguments
from dpbook.verdict import Law, exceeds

DIRECTIONS = ("likelier on data", "likelier on neighbour")


def delta_words(delta):
    """How a result says which guarantee it was held against."""
    return f"with delta = {delta:g}" if delta else "(pure, delta = 0)"


@dataclass(frozen=True)
class ExactLoss:
    """The exact privacy loss between two distributions: `loss`, the `event` that shows it, and the `direction` it goes.

    `event` is one event for delta = 0 and a list of events, whose union shows it, for delta > 0; `probabilities` are
    its logs, the likelier side first. This is the loss on one pair of datasets; a claim speaks of all of them.
    """

    loss: float
    delta: float
    event: object
    direction: str
    log_probabilities: tuple
    certain = True  # the loss itself on this pair, not a bound on it

    def within(self, epsilon):
        """Whether the loss stays within a claimed `epsilon`, but for rounding (one part in 10^9)."""
        return not exceeds(self.loss, epsilon)

    def __str__(self):
        return f"exact loss {self.loss:.6g} {delta_words(self.delta)}: {self.event} ({self.direction})"


def exact_loss(log_p, log_q, *, delta=0, events=None):
    """The exact privacy loss between two known distributions of outputs, in both directions: an `ExactLoss`.

    `log_p` and `log_q` are the natural logs of the probabilities of the same events on `data` and on `neighbour`,
    arrays of one shape. An impossible event has -inf; one that is impossible on both sides is passed over.
    For delta = 0 the loss is the largest |log_p - log_q| of one event, inf where it is impossible on one side. For
    delta > 0 it is the smallest epsilon with P(S) <= e^epsilon Q(S) + delta for every union S of the events. They must
    then be disjoint. A distribution with atoms and a continuous part comes as the events of `law_events`. A log density
    may stand for a small cell around an output only if both densities are taken in the units of that output.
    `events` names them (default: their places, a number or a tuple). Instead of the two arrays, two `Law`s of the same
    events may be given, which name them themselves.
    Raises ValueError for different shapes, `Law`s of different events, NaN or +inf, no possible event on one side, or a
    delta outside [0, 1). Also for a wrong number of `events`, and for delta > 0 if the probabilities on one side add up
    to more than 1.
    Source: 004 section 2.1; for the trap with densities 004 equation (2.9), Algorithm 2 and
    Proposition 2.22 (page 05).  Notebook: 21_audit.
    """
    delta = arguments.share_below_one("delta", delta)
    if isinstance(log_p, Law) or isinstance(log_q, Law):
        events, log_p, log_q = _same_events(log_p, log_q)
    first, second = _log_array("log_p", log_p), _log_array("log_q", log_q)
    if first.shape != second.shape:
        arguments.refuse("log_q", second.shape, f"an array of the shape of log_p, {first.shape}")
    if not np.isfinite([first.max(), second.max()]).all():
        arguments.refuse(
            "log_p and log_q", "no possible event on one side", "logs with at least one possible event each"
        )
    named = list(np.ndindex(first.shape) if first.ndim > 1 else range(first.size)) if events is None else list(events)
    if len(named) != first.size:
        arguments.refuse("events", len(named), f"one name for each of the {first.size} events")
    worst = _largest_union if delta else _largest_ratio
    found = [worst(a.ravel(), b.ravel(), delta) for a, b in ((first, second), (second, first))]
    likelier = int(found[1][0] > found[0][0])
    loss, places, logs = found[likelier]
    event = [named[place] for place in places] if delta else named[places[0]]
    return ExactLoss(max(loss, 0.0), delta, event, DIRECTIONS[likelier], logs)


def _same_events(law, other):
    """The events that two `Law`s have in common, as names, and the logs of their probabilities."""
    for name, one in (("log_p", law), ("log_q", other)):
        if not (isinstance(one, Law) and np.array_equal(one.events, law.events)):
            arguments.refuse(name, type(one).__name__, "a Law if the other is one, of the same events")
    with np.errstate(divide="ignore"):
        return [_tuple(event) for event in law.events], *(np.log(one.probabilities) for one in (law, other))


def _log_array(name, logs):
    expected = "a non-empty array of natural logs of probabilities, -inf where impossible"
    try:
        logs_array = np.asarray(logs, dtype=float)
    except (TypeError, ValueError):
        arguments.refuse(name, logs, expected)
    if logs_array.ndim == 0 or logs_array.size == 0 or np.isnan(logs_array).any() or logs_array.max() == np.inf:
        arguments.refuse(name, logs, expected)
    return logs_array


def _largest_ratio(log_p, log_q, _):
    """The event with the largest log ratio: (loss, [place], (its logs))."""
    loss = np.full(log_p.size, -np.inf)
    np.subtract(log_p, log_q, out=loss, where=log_p > -np.inf)
    place = int(np.argmax(loss))
    return float(loss[place]), [place], (float(log_p[place]), float(log_q[place]))


def _largest_union(log_p, log_q, delta):
    """The union S with the largest log((P(S) - delta) / Q(S)): some of the events of largest ratio, taken together."""
    ratio = np.full(log_p.size, -np.inf)
    np.subtract(log_p, log_q, out=ratio, where=log_p > -np.inf)
    order = np.argsort(-ratio, kind="stable")
    p, q = np.logaddexp.accumulate(log_p[order]), np.logaddexp.accumulate(log_q[order])
    if p[-1] > 1e-6:
        arguments.refuse("log_p, log_q", float(np.exp(p[-1])), "disjoint events: at most 1 together")
    over = p > np.log(delta)
    loss = np.full(log_p.size, -np.inf)
    loss[over] = p[over] + np.log(-np.expm1(np.log(delta) - p[over])) - q[over]
    last = int(np.argmax(loss))
    return float(loss[last]), sorted(order[: last + 1].tolist()), (float(p[last]), float(q[last]))


def law_events(atoms, cumulative):
    """Log probabilities of the events of a distribution with atoms and a continuous part, for `exact_loss`.

    `atoms` are the probabilities of the single outputs that have one; `cumulative` the continuous part's cumulative
    probability at the ends of the intervals, in order, from the lowest end to the highest. The events are the atoms,
    then the intervals. Both sides of a pair need the same atoms and the same cuts; a finer division can only show more.
    Raises ValueError for a probability outside [0, 1] or a cumulative probability that falls.
    Source: 004 section 2.5.4 (clamped averages have atoms at both ends).  Notebook: 21_audit.
    """
    cumulative = arguments.vector("cumulative", cumulative)
    if cumulative.min() < -1e-9 or cumulative.max() > 1 + 1e-9:
        arguments.refuse("cumulative", cumulative.tolist(), "probabilities from 0 to 1")
    pieces = np.concatenate([arguments.array("atoms", atoms).ravel(), np.diff(cumulative)])
    if pieces.min(initial=0) < 0 or pieces.sum() > 1 + 1e-9:
        arguments.refuse(
            "atoms, cumulative", pieces.tolist(), "probabilities that together are at most 1, none below 0"
        )
    with np.errstate(divide="ignore"):
        return np.log(pieces)


def loss_over_outputs(log_probability, outputs, data, neighbour, *, delta=0):
    """The exact loss over `outputs` of a mechanism with known `log_probability(output, data)`, in natural logs.

    For SVT, `lambda output, answers: log_output_probability(output, answers, thresholds, ...)` and `yes_no_patterns`.
    The loss is exact if `outputs` are all that can come out, and else a lower bound. Raises ValueError as `exact_loss`.
    Source: 004 section 7.2 (output vectors of SVT).  Notebook: 21_audit.
    """
    outputs = list(outputs)
    log_p, log_q = ([log_probability(output, side) for output in outputs] for side in (data, neighbour))
    return exact_loss(log_p, log_q, delta=delta, events=[_tuple(output) for output in outputs])


def _tuple(output):
    return tuple(np.asarray(output).tolist()) if isinstance(output, (list, np.ndarray)) else output


def yes_no_patterns(queries, cutoff):
    """Every output of an SVT run over `queries` queries that ends at `cutoff` positives: a list of tuples of bool.

    A variant that never stops has `cutoff` = `queries`.

    Raises ValueError unless queries and cutoff are whole and at least 1, queries at most 20.
    Source: 004 section 7.1.  Notebook: 21_audit.
    """
    queries = arguments.whole("queries", queries, 1, 20)
    cutoff = arguments.whole("cutoff", cutoff, 1)
    patterns = [()]
    for _ in range(queries):
        longer = ((*one, answer) if sum(one) < cutoff else one for one in patterns for answer in (False, True))
        patterns = list(dict.fromkeys(longer))
    return patterns
