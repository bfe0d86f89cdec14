"""What a guarantee of epsilon-DP means for what others may decide and believe: probabilities, odds, groups.

Three things that are easily mixed up. The probability of an *event* (a decision) moves between
neighbours within `closeness_interval`. The *belief* of somebody who knows all other records moves
within `belief_interval`. Between the world with a record and the world without it, the odds of a
belief may move by a factor of e^(2 epsilon). The belief itself moves by at most `largest_distance`.
Source: 004 chapter 3.  Notebook: 06_meaning.
"""

import math

import numpy as np
from scipy.special import expit, logit

from dpbook import arguments


def closeness_interval(p, epsilon):
    """The probabilities e^epsilon-close to `p`: the range (low, high) of an event on a neighbour.

    Let an event have probability `p` on a dataset. An epsilon-DP mechanism gives it a probability
    within this range on every neighbour, under the mechanism's own relation. For each end there is
    a mechanism that reaches it. `p` is a number or an array of any shape, from 0 to 1; low and high
    have its shape.
    Raises ValueError for a p outside [0, 1] or an epsilon that is not a finite number above 0.
    Source: 004 equation (3.3) and Table 3.1.  Notebook: 06_meaning.
    """
    p, epsilon = _chances("p", p), arguments.positive("epsilon", epsilon)
    grown, shrunk = math.exp(min(epsilon, 709)), math.exp(-epsilon)  # 2.2e-308 e^709 exceeds 1
    low = np.maximum(p * shrunk, 1 - (1 - p) * grown)
    high = np.minimum(p * grown, 1 - (1 - p) * shrunk)
    return low[()], high[()]


def belief_interval(belief, epsilon):
    """The beliefs whose odds are within a factor of e^epsilon of the odds of `belief`: (low, high).

    Where a belief can go after an epsilon-DP release, by Bayes' rule, if what is believed and its
    contrary mean two neighbouring datasets. If both are instead neighbours of a third dataset (for
    or against, where the relation is add/remove), the range is that of 2 epsilon. For k records
    that stand or fall together, it is that of k epsilon. `belief` is a number or an array, from 0
    to 1. Always inside `closeness_interval`.
    Raises ValueError for a belief outside [0, 1] or an epsilon that is not a finite number above 0.
    Source: 004 section 3.2.6 and Example 3.3.  Notebook: 06_meaning.
    """
    log_odds, epsilon = logit(_chances("belief", belief)), arguments.positive("epsilon", epsilon)
    return expit(log_odds - epsilon)[()], expit(log_odds + epsilon)[()]


def epsilon_for_belief(prior, most):
    """The largest epsilon at which a belief of `prior` cannot pass `most` (see `belief_interval`).

    Raises ValueError unless both lie strictly between 0 and 1, and `most` above `prior`.
    Source: 004 section 3.4.1, turned round.  Notebook: 06_meaning.
    """
    prior, most = arguments.probability("prior", prior), arguments.probability("most", most)
    if most <= prior:
        arguments.refuse("most", most, f"above prior = {prior}")
    return float(logit(most) - logit(prior))


def posterior(prior, log_likelihoods):
    """Beliefs after a release, by Bayes' rule: one probability for each hypothesis.

    `prior` is a list of probabilities, one for each hypothesis, adding up to 1. The last axis of
    `log_likelihoods` goes over the hypotheses: the log of the probability (or of the density) of
    the release under each. Other axes, over many releases, are kept. Likelihoods from the mechanism
    run on the data give the belief in the real world, equation (3.1). Those from the mechanism run
    on the data without the person give the belief in the ideal world, (3.2).
    Raises ValueError for a prior that is not a distribution, or logs that are NaN, +inf, or not one
    for each hypothesis. Also raises it for a release that is impossible under every hypothesis
    believed in.
    Source: 004 equations (3.1) and (3.2).  Notebook: 06_meaning.
    """
    prior = _distribution("prior", prior)
    logs = arguments.array("log_likelihoods", log_likelihoods, "logs", finite=False)
    if logs.ndim == 0 or logs.shape[-1] != prior.size or np.any(logs == np.inf):
        arguments.refuse("log_likelihoods", log_likelihoods, f"logs, the last axis {prior.size} long")
    with np.errstate(divide="ignore"):
        joint = np.log(prior) + logs
    largest = joint.max(axis=-1, keepdims=True)
    if np.any(np.isneginf(largest)):
        arguments.refuse("log_likelihoods", log_likelihoods, "possible under a hypothesis believed in")
    weights = np.exp(joint - largest)
    return weights / weights.sum(axis=-1, keepdims=True)


def statistical_distance(first, second):
    """Total variation: the most that two distributions differ on any event, over the last axis.

    Both are arrays of probabilities of the same shape. Raises ValueError for different shapes, or
    entries outside [0, 1]. Source: 004 section 3.2.3, SD(P, Q).  Notebook: 06_meaning.
    """
    first, second = _chances("first", first), _chances("second", second)
    if first.ndim == 0 or first.shape != second.shape:
        arguments.refuse("second", second.shape, f"an array of the shape of first, {first.shape}, and not a number")
    return (np.abs(first - second).sum(axis=-1) / 2)[()]


def largest_distance(epsilon):
    """tanh(epsilon / 2): the largest statistical distance that an epsilon-DP mechanism allows.

    It bounds the distance between the mechanism's outputs on two neighbours. It also bounds that
    between anybody's beliefs in the worlds with and without a record, whatever was believed before.
    Both bounds are reached.
    Raises ValueError for an epsilon that is not a finite number above 0.
    Source: the smallest bound that holds; 004 section 3.2.3 quotes e^epsilon - 1, which exceeds 1
    for epsilon above ln 2 and then bounds nothing.  Notebook: 06_meaning.
    """
    return math.tanh(arguments.positive("epsilon", epsilon) / 2)


def group_epsilon(members, epsilon):
    """The epsilon for a group of `members` records taken together: members x epsilon, same relation.

    Laplace noise on a count reaches it. Raises ValueError for an epsilon that is not a finite
    number above 0, or a number of members that is not whole or below 1.
    Source: 004 Example 3.3 and section 3.3.5.  Notebook: 06_meaning.
    """
    return arguments.whole("members", members, 1) * arguments.positive("epsilon", epsilon)


def _chances(name, values):
    expected = "probabilities from 0 to 1"
    chances = arguments.array(name, values, expected)
    if np.any((chances < 0) | (chances > 1)):
        arguments.refuse(name, values, expected)
    return chances


def _distribution(name, values):
    distribution = _chances(name, values)
    if distribution.ndim != 1 or abs(distribution.sum() - 1) > 1e-9:
        arguments.refuse(name, values, "a list of probabilities that add up to 1")
    return distribution
