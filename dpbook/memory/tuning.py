"""What it costs to run a private training many times and keep the best: a random number of tries.

The number K of tries has a truncated negative binomial law with two public numbers, `shape` (eta) and `gamma`; K is
never shown. Every try is one private release, and the score by which the best is kept is a part of that release.
Source: beyond the seeds; Papernot, Steinke 2022.  Notebook: 31_memory.
"""

import math

import numpy as np
from scipy.special import gammaln

from dpbook import arguments


def tries_probability(tries, shape, gamma):
    """Pr[K = tries], elementwise: (1-gamma)^k / (gamma^-shape - 1) times the product of (l+shape)/(l+1) over l < k.

    `shape` 1 is the geometric law, `shape` 0 the logarithmic one, (1-gamma)^k / (k ln(1/gamma)).
    Raises ValueError for tries that are not whole numbers of at least 1, a shape below 0, or gamma outside (0, 1).
    Source: Papernot, Steinke 2022, Definition 1.  Notebook: 31_memory.
    """
    shape, gamma = _checked_law(shape, gamma)
    tries = arguments.integers("tries", tries)
    if tries.size and tries.min() < 1:
        arguments.refuse("tries", int(tries.min()), "whole numbers of at least 1")
    logs = tries * math.log1p(-gamma)
    if shape == 0:
        return np.exp(logs - np.log(tries) - math.log(-math.log(gamma)))
    product = gammaln(tries + shape) - gammaln(shape) - gammaln(tries + 1.0)
    return np.exp(logs + product - math.log(_odds(shape, gamma)))


def mean_tries(shape, gamma):
    """The mean number of tries: shape (1-gamma) / (gamma (1 - gamma^shape)), or its limit at shape 0.

    Raises ValueError for a shape below 0, or gamma outside (0, 1).
    Source: Papernot, Steinke 2022, Definition 1.  Notebook: 31_memory.
    """
    shape, gamma = _checked_law(shape, gamma)
    each = -1 / math.log(gamma) if shape == 0 else shape / -math.expm1(shape * math.log(gamma))
    return each * (1 - gamma) / gamma


def draw_tries(shape, gamma, rng, *, size=None):
    """A number of tries: at least 1, and capped nowhere, for a cap would be another law.

    A truncated negative binomial number is a sum of logarithmic numbers. Their number has a Poisson law of mean
    shape x ln(1/gamma), given that it is at least one. Returns an int, or an integer array of the shape `size`.
    Raises ValueError for a shape below 0, or gamma outside (0, 1).
    Source: Papernot, Steinke 2022, Definition 1.  Notebook: 31_memory.
    """
    (shape, gamma), rng = _checked_law(shape, gamma), arguments.generator("rng", rng)
    rate, number = -shape * math.log(gamma), np.ones(() if size is None else size, dtype=np.intp)
    if rate:
        first = -np.log1p(rng.random(number.shape) * math.expm1(-rate))  # when the first of them comes, before `rate`
        number = number + rng.poisson(rate - np.minimum(first, rate))
    ends = np.cumsum(number.ravel())
    added = np.concatenate([[0], np.cumsum(rng.logseries(1 - gamma, size=int(number.sum())))])
    tries = (added[ends] - added[ends - number.ravel()]).reshape(number.shape)
    return tries if tries.ndim else int(tries)


def best_of_tries(run, shape, gamma, rng):
    """Call `run(rng)` a random number of times and keep the best: a pair (score, output), the highest score's.

    `run` gives such a pair, and the whole pair must be ONE epsilon-DP release, its score included. Then the best is
    (2 + shape) epsilon-DP under the same relation. How often it ran must stay a secret. The first of equals is kept.
    Raises ValueError for a shape below 0, gamma outside (0, 1), or a score that is not finite.
    Source: Papernot, Steinke 2022, Theorem 2; Liu, Talwar 2019.  Notebook: 31_memory.
    """
    return best_pair(run(rng) for _ in range(draw_tries(shape, gamma, rng)))


def best_pair(pairs):
    """The pair with the highest score, the first of equals."""
    best = None
    for score, output in pairs:
        if best is None or arguments.number("score", score) > best[0]:
            best = arguments.number("score", score), output
    return best


def best_log_probability(log_p, shape, gamma):
    """The law of the best of the tries: log probabilities of the outcomes that one try has with those of `log_p`.

    The outcomes stand in the order of their scores, the worst first, without ties.
    Raises ValueError for probabilities that do not add up to 1, a shape below 0, or gamma outside (0, 1).
    Source: Papernot, Steinke 2022.  Notebook: 31_memory.
    """
    shape, gamma = _checked_law(shape, gamma)
    chances = np.exp(arguments.array("log_p", log_p, finite=False))
    if chances.ndim != 1 or not math.isclose(chances.sum(), 1, abs_tol=1e-9):
        arguments.refuse("log_p", log_p, "the logs of probabilities that add up to 1")
    better = np.append(np.cumsum(chances[::-1])[::-1][1:], 0.0)
    left = gamma + (1 - gamma) * better  # 1 - (1-gamma) Pr[at most this outcome]
    gain = np.log1p((1 - gamma) * chances / left)
    with np.errstate(divide="ignore"):
        if shape == 0:
            return np.log(gain / -math.log(gamma))
        before = left + (1 - gamma) * chances
        return np.log(np.expm1(shape * gain)) - math.log(_odds(shape, gamma)) - shape * np.log(before)


def tuned_epsilon(shape, epsilon):
    """What the best of the tries promises if each try is epsilon-DP: (2 + shape) epsilon, for any gamma.

    Raises ValueError for a shape below 0, or a bad epsilon.
    Source: Papernot, Steinke 2022, Theorem 2 and Corollary 3.  Notebook: 31_memory.
    """
    return (2 + arguments.nonnegative("shape", shape)) * arguments.positive("epsilon", epsilon)


def tuned_divergences(orders, divergences, shape, gamma):
    """The Rényi divergences of the best of the tries, at the same orders, from those of one try.

    eps(a) + (1+shape)(1-1/b) eps(b) + (1+shape) ln(1/gamma)/b + ln(mean tries)/(a-1), the least over the orders b.
    Feed them to `accounting.renyi_epsilon`. Raises ValueError for orders of at most 1, divergences below 0, unlike
    lengths, a shape below 0, or gamma outside (0, 1). Source: Papernot, Steinke 2022, Theorem 2.  Notebook: 31_memory.
    """
    orders = arguments.vector("orders", orders)
    divergences = arguments.of_length("divergences", divergences, orders.size)
    if orders.min() <= 1:
        arguments.refuse("orders", orders.min(), "orders above 1")
    if divergences.min() < 0:
        arguments.refuse("divergences", divergences.min(), "numbers of at least 0")
    mean = mean_tries(shape, gamma)
    choosing = (1 + shape) * np.min((1 - 1 / orders) * divergences - math.log(gamma) / orders)
    return divergences + choosing + math.log(mean) / (orders - 1)


def _odds(shape, gamma):
    """gamma^-shape - 1."""
    return math.expm1(-shape * math.log(gamma))


def _checked_law(shape, gamma):
    return arguments.nonnegative("shape", shape), arguments.probability("gamma", gamma)
