"""Reports without names: what shuffling gains, by clones, by the blanket, exactly for bits; and what a lie gains.

Each of n people sends one report with local epsilon `local`; a mixer takes off the names. Neighbours replace one
person's value. The others must be honest: for the promise `people` counts those, and the shills of a server do not.
Source: beyond the seeds; Feldman, McMillan, Talwar 2021; Balle, Bell, Gascon, Nissim 2019.  Notebook: 29_parties.
"""

import functools
import math

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from dpbook import arguments
from dpbook.local import binary_chances, k_ary_response
from dpbook.parties.noise import least_epsilon

MOST_PEOPLE = 10**7
LARGEST_LOCAL = 300  # e^local and its square are still numbers
EVERY_DATASET = 2_000  # people for whom all datasets are tried


def shuffled_reports(values, categories, local, rng):
    """Count the reports of `k_ary_response`: `local`-DP each, and as `shuffled_epsilon` or `clones_epsilon`; replace.

    What the server sees of shuffled reports is how many of each there are. `values` are whole numbers from 0 to
    `categories` - 1, one a person. Returns an int array (categories,).
    Raises ValueError as `k_ary_response` does, or for values that are no list.
    Source: Balle and others 2019.  Notebook: 29_parties.
    """
    values = arguments.entries("values", values)
    if values.ndim != 1 or not values.size:
        arguments.refuse("values", values, "a list, one value a person, at least one")
    return np.bincount(k_ary_response(values, categories, local, rng), minlength=categories)


def clones_delta(people, local, epsilon):
    """A delta at `epsilon` for n shuffled reports of any local randomiser, one report each, under replace: a bound.

    The others each hide one of both values with probability e^-local. Raises ValueError for people not from 1 to 10^7,
    a local that is not a finite number above 0, or an epsilon below 0.
    Source: Feldman, McMillan, Talwar 2021, Theorem 3.2.  Notebook: 29_parties.
    """
    people, local = _people(people), _local(local)
    epsilon = arguments.nonnegative("epsilon", epsilon)
    if epsilon >= local:
        return 0.0
    gain = -math.expm1(epsilon - local) * expit(local)  # true - e^epsilon other, of a report's two chances
    cost = math.expm1(epsilon + local) * expit(-local)  # e^epsilon true - other
    clones, chances, cut = _window(people - 1, math.exp(-local))
    # from `first` clones of one value on, the loss is above epsilon
    first = clones + 2 - np.ceil((clones + 1) * gain / (gain + cost))
    excess = gain * binom.sf(first - 2, clones, 0.5) - cost * binom.sf(first - 1, clones, 0.5)
    return float(min(chances @ np.maximum(excess, 0) + cut, 1.0))


def clones_epsilon(people, local, delta):
    """The epsilon at `delta` of `clones_delta`, for any local randomiser, under replace; from 0 to `local`.

    To one part in 10^10, and never below. Raises ValueError as that does, or for a delta not between 0 and 1.
    Source: Feldman, McMillan, Talwar 2021.  Notebook: 29_parties.
    """
    delta, local = arguments.probability("delta", delta), _local(local)
    return least_epsilon(lambda epsilon: clones_delta(people, local, epsilon), delta, local)


def clones_formula(people, local, delta):
    """The same promise in closed form, looser, and only for few epsilon and many people; replace.

    Raises ValueError as `clones_epsilon` does, or for a local above ln(n / (16 ln(2 / delta))): there it is not proved.
    Source: Feldman, McMillan, Talwar 2021, Theorem 3.1.  Notebook: 29_parties.
    """
    people, local = _people(people), _local(local)
    delta = arguments.probability("delta", delta)
    highest = math.log(people / (16 * math.log(2 / delta)))
    if local > highest:
        arguments.refuse("local", local, f"at most ln(people / (16 ln(2 / delta))) = {highest:.4f} for the formula")
    odds = math.exp(local)
    inner = 8 * math.sqrt(odds * math.log(4 / delta) / people) + 8 * odds / people
    return math.log1p(math.tanh(local / 2) * inner)


def blanket_delta(people, categories, local, epsilon):
    """A delta at `epsilon` for n shuffled `k_ary_response` reports, under replace: a bound, by the privacy blanket.

    A report is blind, all categories alike, with probability k / (e^local + k - 1); blind reports hide the others.
    Raises ValueError for people not from 1 to 10^7, categories below 2, a bad local, or an epsilon below 0.
    Source: Balle, Bell, Gascon, Nissim 2019, Theorem 5.3.  Notebook: 29_parties.
    """
    people, categories = _people(people), arguments.whole("categories", categories, 2)
    local, epsilon = _local(local), arguments.nonnegative("epsilon", epsilon)
    if epsilon >= local:
        return 0.0
    told, rest, chances, outside = _blank_reports(people, categories, local)
    gain, cost = math.exp(epsilon) * math.expm1(local - epsilon), math.expm1(epsilon + local)
    idle = math.expm1(epsilon) * rest
    first = told + 1 - np.ceil((gain * told - idle) / (gain + cost))  # so many of `told` pay for all others
    pairs = binom(np.maximum(told - 1, 0), 0.5)
    excess = told / 2 * (gain * pairs.sf(first - 2) - cost * pairs.sf(first - 1)) - idle * binom.sf(
        first - 1, told, 0.5
    )
    return float(min(chances @ np.maximum(excess, 0) / people + math.exp(local) * outside, 1.0))


def blanket_epsilon(people, categories, local, delta):
    """The epsilon at `delta` of `blanket_delta`, under replace; from 0 to `local`, and never below.

    Raises ValueError as that does, or for a delta not strictly between 0 and 1.
    Source: Balle, Bell, Gascon, Nissim 2019.  Notebook: 29_parties.
    """
    delta, local = arguments.probability("delta", delta), _local(local)
    return least_epsilon(lambda epsilon: blanket_delta(people, categories, local, epsilon), delta, local)


def shuffled_delta(people, local, epsilon, *, ones=None):
    """The exact delta at `epsilon` of n shuffled randomised responses, under replace of one bit; both directions.

    Exact up to rounding, about 1e-15. `ones` of the others hold 1; None takes the worst dataset, for at most 2,000
    people. That is nearly always one where all others are alike. Raises ValueError for people outside 1..10^7, ones
    outside 0..people - 1, more than 2,000 people without ones, a bad local, or an epsilon below 0.
    Source: chapter 07's count of reports: a sum of two binomials.  Notebook: 29_parties.
    """
    people, local = _people(people), _local(local)
    epsilon = arguments.nonnegative("epsilon", epsilon)
    if ones is not None:
        ones = arguments.whole("ones", ones, 0, people - 1)
        return _excess(*(_count_law(people, held, local)[None] for held in (ones, ones + 1)), epsilon)
    if people > EVERY_DATASET:
        arguments.refuse("people", people, f"at most {EVERY_DATASET} where all datasets are tried; else give ones")
    laws = _count_laws(people, local)
    return _excess(laws[:-1], laws[1:], epsilon)


def shuffled_epsilon(people, local, delta, *, ones=None):
    """The exact epsilon at `delta` of n shuffled randomised responses, under replace of one bit.

    To one part in 10^10, and never below. Raises ValueError as `shuffled_delta` does, or for a delta not between 0
    and 1. Source: as `shuffled_delta`.  Notebook: 29_parties.
    """
    delta, local = arguments.probability("delta", delta), _local(local)
    return least_epsilon(lambda epsilon: shuffled_delta(people, local, epsilon, ones=ones), delta, local)


def lie_gain(chances):
    """For how many people's answers one lying report counts, at these `local.Chances`: (1 - q) / (p - q).

    The estimate of an answer rises by so many people for each client that always says it. Promises nothing.
    Raises ValueError for chances that are not a pair 0 <= yes_if_false < yes_if_true <= 1.
    Source: Cheu, Smith, Ullman 2021.  Notebook: 29_parties.
    """
    expected = "a pair (yes_if_true, yes_if_false), the second smaller, from 0 to 1"
    pair = arguments.vector("chances", chances, expected)
    if pair.size != 2 or not 0 <= pair[1] < pair[0] <= 1:
        arguments.refuse("chances", chances, expected)
    return float((1 - pair[1]) / (pair[0] - pair[1]))


def _people(people):
    return arguments.whole("people", people, 1, MOST_PEOPLE)


def _local(local):
    if arguments.positive("local", local) > LARGEST_LOCAL:
        arguments.refuse("local", local, f"at most {LARGEST_LOCAL}")
    return float(local)


def _window(trials, chance):
    """The likely values of a binomial number, their probabilities, and the probability of all others."""
    spread = math.sqrt(trials * chance * (1 - chance))
    low = max(0, math.floor(trials * chance - 9.5 * spread - 40))
    values = np.arange(low, min(trials, math.ceil(trials * chance + 9.5 * spread + 40)) + 1)
    cut = binom.cdf(low - 1, trials, chance) + binom.sf(values[-1], trials, chance)
    return values, binom.pmf(values, trials, chance), float(cut)


@functools.lru_cache(maxsize=2)
def _blank_reports(people, categories, local):
    """Of the blind reports: how many tell one of the two values, how many not, the probability; and of all others."""
    blind = categories / (math.exp(local) + categories - 1)
    blank, chances, cut = _window(people, blind)
    telling = binom(blank, 2 / categories)
    span = np.arange(int(telling.ppf(1e-19).min()), min(blank[-1], int(telling.isf(1e-19).max()) + 1) + 1)
    joint = chances * binom.pmf(span[:, None], blank, 2 / categories)
    rows, columns = np.nonzero(joint > 1e-25)
    outside = cut + chances @ (telling.cdf(span[0] - 1) + telling.sf(span[-1])) + 1e-25 * joint.size
    return span[rows], blank[columns] - span[rows], joint[rows, columns], float(outside)


@functools.lru_cache(maxsize=2)
def _count_law(people, ones, local):
    """How many of `people` report 1 if `ones` of them hold it."""
    lie = binary_chances(local).yes_if_false  # and not 1 - truth, which loses its digits
    truthful = binom.pmf(np.arange(ones, -1, -1), ones, lie)
    return np.convolve(truthful, binom.pmf(np.arange(people - ones + 1), people - ones, lie))


@functools.lru_cache(maxsize=2)
def _count_laws(people, local):
    """The laws for 0, 1, ..., half of the people and one more: the others are these, mirrored."""
    return np.array([_count_law(people, ones, local) for ones in range((people + 1) // 2 + 1)])


def _excess(one, other, epsilon):
    """The largest sum of (P - e^epsilon Q)_+ over rows, both directions."""
    factor = math.exp(min(epsilon, 700.0))
    both = (np.maximum(p - factor * q, 0).sum(axis=1).max() for p, q in ((one, other), (other, one)))
    return float(min(max(both), 1.0))
