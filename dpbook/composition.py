"""What several private releases cost together: a budget with a ledger, and the composition theorems as functions.

Source: 004 sections 2.1.1 and 2.2, and for `advanced` and `optimal` the papers that they name.
Notebook: 02_composition.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy

from dpbook import arguments
from dpbook.amounts import counted
from dpbook.gaussian import Promise

ROUNDING = 1e-12  # of the budget: 0.1 spent seven times must fit a budget of 0.7


class BudgetExceeded(ValueError):
    """A spending that the budget does not cover; nothing was spent."""


class Spending(NamedTuple):
    """One line of a ledger."""

    purpose: str
    epsilon: float


class SpendingWithDelta(NamedTuple):
    """One line of the ledger of a budget with a delta."""

    purpose: str
    epsilon: float
    delta: float


class Budget:
    """A privacy budget: releases that each spend from it are together epsilon-DP, or (epsilon, delta)-DP.

    All under one neighbouring relation. `epsilon` is the whole budget, and so is `delta` (0: none). Each release, and
    what it spends, may be chosen after seeing the earlier ones: sums stay valid (`advanced` and `optimal` need every
    epsilon fixed beforehand). `ledger` is a tuple of (purpose, epsilon), or of (purpose, epsilon, delta) where the
    budget has a delta; `remaining` and `remaining_delta` are what is left. Sums are exact up to rounding: spendings may
    add up to (1 + 1e-12) of the budget. It only keeps the account: it cannot see what a mechanism really does. A budget
    in zCDP is `accounting.ZcdpBudget`.
    Raises ValueError for an epsilon that is not a finite number above 0, or a delta outside [0, 1).
    Source: 004 section 2.2.1, Corollary 2.4; with delta Dwork and Roth 2014, Theorem 3.16.  Notebook: 02_composition.
    """

    def __init__(self, epsilon, *, delta=0.0):
        self._epsilon = arguments.positive("epsilon", epsilon)
        self._delta = arguments.share_below_one("delta", delta)
        self._ledger = ()

    @property
    def epsilon(self):
        """The epsilon of the whole budget."""
        return self._epsilon

    @property
    def delta(self):
        """The delta of the whole budget; 0 for none."""
        return self._delta

    @property
    def ledger(self):
        """What has been spent, in order: a tuple of `Spending`, or of `SpendingWithDelta` where there is a delta."""
        return self._ledger

    @property
    def remaining(self):
        """The epsilon that is left to spend."""
        return left(self._epsilon, (line.epsilon for line in self._ledger))

    @property
    def remaining_delta(self):
        """The delta that is left to spend; 0 where the budget has none."""
        return left(self._delta, (line.delta for line in self._ledger)) if self._delta else 0.0

    def spend(self, epsilon, purpose, *, delta=0.0):
        """Enter `epsilon` (and `delta`) for `purpose` (a text) in the ledger and return epsilon, for the mechanism.

        Raises BudgetExceeded, and spends nothing, if either is more than remains; ValueError for an
        epsilon that is not a finite number above 0, a delta outside [0, 1), or a purpose that is not a text.
        """
        purpose, epsilon = purpose_text(purpose), arguments.positive("epsilon", epsilon)
        delta = arguments.share_below_one("delta", delta)
        must_fit("epsilon", epsilon, self._epsilon, (line.epsilon for line in self._ledger), purpose)
        if not self._delta:
            must_fit("delta", delta, self._delta, (), purpose)
            self._ledger = (*self._ledger, Spending(purpose, epsilon))
            return epsilon
        must_fit("delta", delta, self._delta, (line.delta for line in self._ledger), purpose)
        self._ledger = (*self._ledger, SpendingWithDelta(purpose, epsilon, delta))
        return epsilon

    def __repr__(self):
        whole = f"{self._epsilon:g}, delta={self._delta:g}" if self._delta else f"{self._epsilon:g}"
        rest = f" and {self.remaining_delta:g}" if self._delta else ""
        return f"Budget({whole}): {self.remaining:g}{rest} left after {counted(len(self._ledger), 'spending')}"


def left(most, spent):
    """What remains of `most` after the amounts `spent`: 0 where only rounding remains.

    Arguments are trusted. Source: the subtraction that 004 Corollary 2.4 allows.  Notebook: 02_composition.
    """
    rest = most - math.fsum(spent)
    return rest if rest > ROUNDING * most else 0.0


def must_fit(name, amount, most, spent, purpose):
    """Raise BudgetExceeded if `amount` with the amounts already `spent` is more than `most`, beyond rounding.

    `name` and `purpose` are for its message; the other arguments are trusted.
    Source: 004 section 2.2.1, Corollary 2.4.  Notebook: 02_composition.
    """
    spent = list(spent)
    if math.fsum([*spent, amount]) > most * (1 + ROUNDING):
        raise BudgetExceeded(
            f"{name} for {purpose!r} must be at most the {left(most, spent):.6g} left of {most:.6g}; got {amount!r}"
        )


def sequential(epsilons):
    """The epsilon of releases from the same records, each `epsilons[i]`-DP, one relation: the sum.

    It holds too if each release is chosen after seeing the earlier ones. Raises ValueError for an
    empty list, or an entry that is not a finite number above 0.
    Source: 004 section 2.2.1, Proposition 2.3 and Corollary 2.4.  Notebook: 02_composition.
    """
    return math.fsum(_epsilons(epsilons))


def basic(epsilons, deltas):
    """What releases from the same records guarantee together, by `epsilons` and `deltas`: the sums, a `Promise`.

    Release i is (`epsilons[i]`, `deltas[i]`)-DP, all for one relation, even if each release is chosen after seeing the
    earlier ones. A delta may be 0; the sum is at most 1. Raises ValueError for empty lists, lists of different
    length, an epsilon that is not a finite number above 0, or a delta outside [0, 1).
    Source: Dwork, Kenthapadi, McSherry, Mironov and Naor 2006, Theorem 1.  Notebook: 24_gaussian.
    """
    epsilons = _epsilons(epsilons)
    deltas = [arguments.share_below_one(f"deltas[{i}]", delta) for i, delta in enumerate(deltas)]
    if len(deltas) != len(epsilons):
        arguments.refuse("deltas", deltas, f"as many as epsilons: {len(epsilons)}")
    return Promise(math.fsum(epsilons), min(1.0, math.fsum(deltas)))


def parallel(epsilons, relation):
    """The epsilon of releases from disjoint parts, part i `epsilons[i]`-DP under add/remove.

    `relation` is that of the whole. "add/remove": the largest entry. "replace": twice the largest,
    for a replaced record may leave one part and enter another. Each record chooses its part by
    itself, and the number of parts is fixed beforehand. Mechanisms that are private only under
    "replace" guarantee nothing here: their parts may publish exact counts (Proposition 2.7).
    Raises ValueError for an empty list, an entry that is not a finite number above 0, or another
    relation.
    Source: 004 section 2.2.2, Propositions 2.5 and 2.7, and section 2.1.1.
    Notebook: 02_composition.
    """
    times = {"add/remove": 1, "replace": 2}
    return times[arguments.one_of("relation", relation, times)] * max(_epsilons(epsilons))


def advanced(epsilon, k, delta):
    """Advanced composition: the total epsilon, at `delta`, of `k` epsilon-DP releases.

    It is epsilon sqrt(2 k ln(1 / delta)) + k epsilon (e^epsilon - 1). The whole is (that, delta)-DP,
    for any one relation, even if each release is chosen after seeing the earlier ones. With few
    releases it is more than `sequential`, which needs no delta: take the smaller of the two.
    Raises ValueError unless epsilon is finite and above 0, k a whole number of at least 1, and
    delta strictly between 0 and 1.
    Source: Dwork, Rothblum, Vadhan 2010, as Theorem 3.20 of Dwork and Roth 2014 puts it, for
    releases with no delta of their own. Chapter 7 of 004 quotes it.
    Notebook: 02_composition.
    """
    epsilon, k = arguments.positive("epsilon", epsilon), arguments.whole("k", k, 1)
    spread = math.sqrt(2 * k * -math.log(arguments.probability("delta", delta)))
    with np.errstate(over="ignore"):  # beyond an epsilon of 700 the bound is infinite, and says nothing
        return float(epsilon * spread + k * epsilon * np.expm1(epsilon))


def optimal(epsilon, k, delta):
    """The smallest total epsilon, at `delta`, that holds for any `k` epsilon-DP releases, for any one relation.

    No bound that knows only their epsilon can be smaller: `k` randomized responses reach it. Their
    total loss is (2 j - k) epsilon, with j binomial. For every m, delta must cover Pr[j >= m] -
    e^total Pr'[j >= m]. Releases of a known kind may have a smaller loss. For 100 counts with
    Laplace noise for epsilon 1 it is 71.5 at delta 1e-6, where this says 83.5. As with `advanced`,
    each release may be chosen after seeing the earlier ones. Needs memory for k numbers.
    Raises ValueError as `advanced` does.
    Source: Kairouz, Oh, Viswanath 2015, Theorem 3.3.  Notebook: 02_composition.
    """
    epsilon, k = arguments.positive("epsilon", epsilon), arguments.whole("k", k, 1)
    delta, j = arguments.probability("delta", delta), np.arange(k + 1)
    ways = scipy.special.gammaln(k + 1) - scipy.special.gammaln(j + 1) - scipy.special.gammaln(k - j + 1)
    log_with = ways - j * np.log1p(np.exp(-epsilon)) - (k - j) * np.logaddexp(0, epsilon)
    log_tail, log_other_tail = (
        np.logaddexp.accumulate(log_terms[::-1])[::-1] for log_terms in (log_with, log_with - (2 * j - k) * epsilon)
    )
    with np.errstate(divide="ignore"):  # of Pr[j >= m] - delta, which is -inf where delta covers all
        if delta < 0.5:
            log_excess = log_tail + np.log(-np.expm1(np.minimum(math.log(delta) - log_tail, 0)))
        else:
            below = np.exp(np.logaddexp.accumulate(np.append(-np.inf, log_with[:-1])))
            log_excess = np.log(np.maximum(1 - delta - below, 0))
    return max(0.0, float(np.max(log_excess - log_other_tail)))


def _epsilons(epsilons):
    try:
        listed = list(epsilons)
    except TypeError:
        listed = []
    if not listed:
        arguments.refuse("epsilons", epsilons, "a non-empty list of finite numbers above 0")
    return [arguments.positive(f"epsilons[{i}]", epsilon) for i, epsilon in enumerate(listed)]


def purpose_text(purpose):
    """The `purpose` itself: a text that says what is spent for. For ledgers; nothing private.

    Raises ValueError for anything that is not a text, or a text of blanks alone. Source: none; our own bookkeeping.
    """
    if not isinstance(purpose, str) or not purpose.strip():
        arguments.refuse("purpose", purpose, "a text that says what the epsilon is spent on")
    return purpose
