"""An audit by one training: every canary is in by a coin of its own, and a guesser names some of the coins.

The data are the canaries' coins; neighbours add or remove one canary.
Source: beyond the seeds; Steinke, Nasr, Jagielski 2023.  Notebook: 31_memory.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import binom

from dpbook import arguments
from dpbook.gradients.training import checked_records

EXACT = 1e-9  # how closely the bound on epsilon is found


def coin_canaries(features, labels, canaries, rng):
    """Add canaries to a training set, each by a fair coin of its own: (features, labels, coins).

    A canary has label 1 and a feature that no other record has; these are the last columns, one a canary. Only the
    canaries whose coin is 1 are rows. Not private: this is what an auditor does before a training.
    Raises ValueError for features or labels that are not finite, labels other than 1 and -1, unlike lengths, or
    canaries below 1. Source: Steinke, Nasr, Jagielski 2023, Algorithm 1.  Notebook: 31_memory.
    """
    (features, labels), canaries = checked_records(features, labels), arguments.whole("canaries", canaries, 1)
    coins = arguments.generator("rng", rng).integers(2, size=canaries)
    alone = np.pad(np.eye(canaries)[coins == 1], ((0, 0), (features.shape[1], 0)))
    known = np.pad(features, ((0, 0), (0, canaries)))
    return np.vstack([known, alone]), np.append(labels, np.ones(len(alone))), coins


def one_run_p_value(canaries, guesses, right, epsilon, *, delta=0):
    """How likely an (epsilon, delta)-DP training lets `right` or more of `guesses` coins be named, at most.

    It is Pr[Binomial(guesses, q) >= right] with q = e^epsilon / (1 + e^epsilon). A delta adds 2 x canaries x delta
    times the largest Pr[right > Binomial >= right - i] / i, i from 1 to right. The number of guesses is fixed before
    the coins are compared. Add/remove of one canary. Returns a number of at most 1.
    Raises ValueError for canaries below 1, guesses beyond the canaries or right beyond the guesses, an epsilon below
    0, or a delta outside [0, 1).
    Source: Steinke, Nasr, Jagielski 2023, Corollary 5.4.  Notebook: 31_memory.
    """
    canaries = arguments.whole("canaries", canaries, 1)
    guesses = arguments.whole("guesses", guesses, 0, canaries)
    right = arguments.whole("right", right, 0, guesses)
    law = binom(guesses, expit(arguments.nonnegative("epsilon", epsilon)))
    tail, delta = float(law.sf(right - 1)), arguments.share_below_one("delta", delta)
    if delta and right:
        below = np.cumsum(law.pmf(np.arange(right - 1, -1, -1)))  # Pr[right > Binomial >= right - i]
        tail += 2 * canaries * delta * float(np.max(below / np.arange(1, right + 1)))
    return min(1.0, tail)


def one_run_bound(canaries, guesses, right, confidence, *, delta=0):
    """The least epsilon that `right` of `guesses` named coins leave possible: a lower bound, with this confidence.

    0 if even epsilon 0 is possible. A bound near 0 says nothing about privacy: the guesser may be bad, or the canaries
    may hide one another. Raises ValueError as `one_run_p_value` does, or for a confidence outside (0, 1).
    Source: Steinke, Nasr, Jagielski 2023.  Notebook: 31_memory.
    """
    risk = 1 - arguments.probability("confidence", confidence)

    def excess(epsilon):
        return one_run_p_value(canaries, guesses, right, epsilon, delta=delta) - risk

    if excess(0) >= 0:
        return 0.0
    high = 1.0
    while excess(high) < 0:
        high *= 2
    return max(0.0, brentq(excess, 0, high, xtol=EXACT) - EXACT)  # never above the true bound
