"""Trade-off curves: the lowest rate of missed detections that a test reaches at each rate of false alarms.

The test sees one release and guesses which of two neighbours it came from. A curve that lies higher guarantees more;
1 - a, a coin, is the most. It says the same as the profile delta(epsilon), and draws the region of chapter 02.
Source: beyond the seeds.  Notebook: 25_accounting.
"""

import numpy as np
import scipy

from dpbook import arguments
from dpbook.gaussian.profiles import checked_laws


def gaussian_tradeoff(mu, false_alarms):
    """The lowest rate of missed detections at `false_alarms` against normal noise, mu = sensitivity / scale: exact.

    mu-Gaussian DP guarantees at least these, for its relation; independent releases add up their mu^2. The same in both
    directions. Raises ValueError for a mu that is not a finite number above 0, or false alarms outside [0, 1].
    Source: Dong, Roth and Su 2022, Definition 2.6.  Notebook: 25_accounting.
    """
    return scipy.special.ndtr(-scipy.special.ndtri(_shares(false_alarms)) - arguments.positive("mu", mu))[()]


def promise_tradeoff(epsilon, delta, false_alarms):
    """The missed detections at `false_alarms` that (epsilon, delta)-DP guarantees at least, for its relation.

    The largest of 0, 1 - delta - e^epsilon a and e^-epsilon (1 - delta - a). Raises ValueError for an epsilon below 0,
    a delta outside [0, 1), or false alarms outside [0, 1].
    Source: Wasserman and Zhou 2010; Kairouz, Oh and Viswanath 2015.  Notebook: 25_accounting.
    """
    if arguments.nonnegative("epsilon", epsilon) >= 700:
        arguments.refuse("epsilon", epsilon, "below 700")
    delta = arguments.share_below_one("delta", delta)
    shares = _shares(false_alarms)
    steep, flat = 1 - delta - np.exp(epsilon) * shares, np.exp(-epsilon) * (1 - delta - shares)
    return np.maximum(0, np.maximum(steep, flat))[()]


def law_tradeoff(log_p, log_q, false_alarms):
    """The lowest rate of missed detections at `false_alarms` between two listed distributions: exact, one direction.

    `log_p` and `log_q` are natural logs of the probabilities of the same outcomes, -inf where impossible. `log_p` is
    the null: calling it the other is a false alarm. For the relation of the pair; the other direction is the call with
    both exchanged, and a guarantee for both is the lower convex hull. Raises ValueError for distributions as
    `gaussian.privacy_profile`, or false alarms outside [0, 1].
    Source: Neyman and Pearson 1933; Dong, Roth and Su 2022.  Notebook: 25_accounting.
    """
    log_p, log_q = checked_laws(log_p, log_q)
    possible = np.maximum(log_p, log_q) > -np.inf
    log_p, log_q = log_p[possible], log_q[possible]
    order = np.argsort(log_p - log_q, kind="stable")  # the likeliest for q come first
    alarms = np.append(0.0, np.cumsum(np.exp(log_p[order])))
    missed = np.append(np.cumsum(np.exp(log_q[order[::-1]]))[::-1], 0.0)
    last = np.append(alarms[1:] > alarms[:-1], True)  # of several misses at the same false alarms, the least
    return np.interp(_shares(false_alarms), alarms[last], missed[last])[()]


def _shares(false_alarms):
    shares = arguments.array("false_alarms", false_alarms)
    if np.any((shares < 0) | (shares > 1)):
        arguments.refuse("false_alarms", false_alarms, "shares from 0 to 1")
    return shares
