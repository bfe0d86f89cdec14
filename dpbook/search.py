"""Choosing the best of many candidates by the sum of their losses, once, some at a time, or in a search of many rounds.

A loss that is summed over the records moves, when a record joins, by that record's own losses. All candidates' totals
rise together by what these have in common. Only the range of the record's losses, largest minus smallest, can be
noticed. So the exponential mechanism needs no more than that range, which is often far below the largest loss. Losses
are errors: the smallest wins.
Every guarantee here is for add/remove, and in exact arithmetic; under replace each privacy loss is at most 2 epsilon.
Chapters 10 (a genetic search for centroids) and 11 (a local search for weights) use this room.

Source: 004 section 5.4.  Notebook: 11_regression.
"""

from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.exponential import exponential_mechanism


class Found(NamedTuple):
    """What a search publishes: the last candidate that was chosen, and the one that each round chose (first)."""

    candidate: np.ndarray
    path: np.ndarray


def loss_spread(losses):
    """How far apart the losses of the candidates can lie for one record: max over records of (largest - smallest).

    `losses` has one row for each record of the public DOMAIN (or of what covers it: corners, extremes) and one column
    a candidate. The rows must not be the data's own records: a `spread` read off the data is a leak.
    Raises ValueError for a table that is empty or not finite.
    Source: 004 section 5.4.3, Delta_2, with the maximum over the domain where 004 prints "x in D" (E43).
    Notebook: 11_regression.
    """
    return float(np.ptp(arguments.table("losses", losses), axis=1).max())


def enhanced_exponential_mechanism(losses, spread, epsilon, rng):
    """Select a candidate of small loss with epsilon-DP under add/remove: an index of `losses`.

    `losses` are the candidates' totals over all records, one number each. `spread` is the most by which one record's
    losses differ between two candidates (`loss_spread`), public. The weights are exp(-epsilon loss / spread), without
    the 2 of 004, which is needed under replace alone. Under replace this has privacy loss up to 2 epsilon. A `spread`
    of 0 says that no record can tell the candidates apart: then all are equally likely.
    Raises ValueError for losses that are not a non-empty list of finite numbers. It also does so for a `spread` outside
    [0, inf), or an epsilon outside (0, inf).
    Source: 004 section 5.4.3 (Zhang, Xiao, Yang, Zhang and Winslett 2013).  Notebook: 11_regression.
    """
    losses, spread = arguments.vector("losses", losses), arguments.nonnegative("spread", spread)
    if spread == 0:
        return exponential_mechanism(np.zeros(losses.size), 1, epsilon, rng, monotonic=True)
    return exponential_mechanism(-losses, spread, epsilon, rng, monotonic=True)


def select_candidates(losses, spread, chosen, epsilon, rng):
    """Select `chosen` different candidates with epsilon-DP under add/remove: their indices, in the order chosen.

    One after the other, each by `enhanced_exponential_mechanism` at epsilon / chosen among those that are left; the
    further arguments are those of that function. Under replace its privacy loss is at most 2 epsilon.
    Raises ValueError as it does, and for a `chosen` that is not whole, from 1 to the number of candidates.
    Source: 004 section 5.4.1, Algorithm 9 (DPSelect).  Notebook: 10_clustering.
    """
    losses = arguments.vector("losses", losses)
    chosen = arguments.whole("chosen", chosen, 1, losses.size)
    share, left, picked = arguments.positive("epsilon", epsilon) / chosen, np.arange(losses.size), []
    for _ in range(chosen):
        place = enhanced_exponential_mechanism(losses[left], spread, share, rng)
        picked.append(left[place])
        left = np.delete(left, place)
    return np.array(picked)


def genetic_search(candidates, loss, spread, breed, rounds, selected, epsilon, rng):
    """Search by selection and breeding with epsilon-DP under add/remove: a `Found`.

    `candidates` is an array with one candidate a row, drawn without a look at the data. A round computes
    `loss(candidates)`, their totals over the data, and selects `selected` parents at epsilon / rounds
    (`select_candidates`). It goes on with `breed(parents, rng)`; the last of the `rounds` selects one candidate.
    `spread(candidates)` and `breed` must depend on what they are given alone. `path` holds the first parent of each
    round, and last the candidate. Under replace its privacy loss is at most 2 epsilon.
    Raises ValueError for rounds or selected below 1, more selected than candidates, or an epsilon outside (0, inf). It
    also does so for losses and a `spread` that `enhanced_exponential_mechanism` refuses.
    Source: 004 section 5.4.1, Algorithm 8 (PrivGene). There a loss J that is to be small goes into the exponential
    mechanism without its minus sign (E40).  Notebook: 10_clustering.
    """
    candidates, path = arguments.array("candidates", candidates), []
    rounds, selected = arguments.whole("rounds", rounds, 1), arguments.whole("selected", selected, 1, len(candidates))
    share = arguments.positive("epsilon", epsilon) / rounds
    for _ in range(rounds - 1):
        picked = select_candidates(loss(candidates), spread(candidates), selected, share, rng)
        path.append(candidates[picked[0]])
        candidates = breed(candidates[picked], rng)
    last = select_candidates(loss(candidates), spread(candidates), 1, share, rng)[0]
    return Found(candidates[last], np.array([*path, candidates[last]]))


def exponential_search(start, loss, spread, step, shrink, rounds, epsilon, rng):
    """Search from `start`, one coordinate at a time, with epsilon-DP under add/remove: a `Found`.

    `start` is a public vector of d numbers. Each of the `rounds` selects, at epsilon / rounds, among 2 d + 1
    candidates, one a row. They are the place where the search is, then `step` more in each coordinate, then `step`
    less. After the round the step is multiplied by `shrink`. `loss(candidates)` gives their totals over the data,
    `spread(candidates)` the most by which one record's losses can differ among them, from the candidates alone. `path`
    holds the start and the choice of each round, (rounds + 1, d). Under replace its privacy loss is at most 2 epsilon.
    Raises ValueError for a start that is no list of finite numbers, a step not above 0, or a shrink outside (0, 1]. It
    also does so for rounds below 1, an epsilon not above 0, or losses and a `spread` that
    `enhanced_exponential_mechanism` refuses.
    Source: 004 section 5.4.2, Algorithm 10. It loops r - 1 times at epsilon / r, chooses large losses and offers no way
    to stay (E40).  Notebook: 11_regression.
    """
    path, step = [arguments.vector("start", start)], arguments.positive("step", step)
    if arguments.positive("shrink", shrink) > 1:
        arguments.refuse("shrink", shrink, "a number above 0 and at most 1")
    rounds = arguments.whole("rounds", rounds, 1)
    share = arguments.positive("epsilon", epsilon) / rounds
    moves = np.vstack([np.zeros(path[0].size), np.eye(path[0].size), -np.eye(path[0].size)])
    for _ in range(rounds):
        candidates = path[-1] + step * moves
        path.append(candidates[enhanced_exponential_mechanism(loss(candidates), spread(candidates), share, rng)])
        step *= shrink
    return Found(path[-1], np.array(path))
