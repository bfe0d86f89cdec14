"""Privacy without a trusted curator: everyone randomises their own answer, and frequencies are estimated from reports.

Every guarantee here is local. For any two values that one person may hold, any report is at most e^epsilon times as
likely from one as from the other. For the whole dataset that is epsilon-DP under replace; that a person took part is
not hidden. Reports are independent between people. A report says yes to some answers, and one pair of chances
(`Chances`) rules both how it is drawn and how it is counted.

The probabilities are exact on paper. In floats a chance below 1e-16 never happens, so this is for teaching, not for
releases.
Source: 004 sections 2.6 and 3.3.2.  Notebook: 07_local.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from scipy.stats import binom, norm

from dpbook import arguments


class Chances(NamedTuple):
    """How likely a report says yes to the answer that its person holds, and to one that the person does not hold."""

    yes_if_true: float
    yes_if_false: float


def binary_chances(epsilon):
    """How likely randomized response says yes: the truth has the odds e^epsilon.

    Raises ValueError for a bad epsilon.
    Source: 004 section 2.6, whose p is e^epsilon / (1 + e^epsilon) here.  Notebook: 07_local.
    """
    epsilon = arguments.positive("epsilon", epsilon)
    return Chances(float(expit(epsilon)), float(expit(-epsilon)))


def k_ary_chances(categories, epsilon):
    """How likely `k_ary_response` reports a value: the true one is e^epsilon times as likely as each other one.

    Raises ValueError for a bad epsilon, or categories that are not a whole number of at least 2.
    Source: 004 section 2.6, its condition met with equality.  Notebook: 07_local.
    """
    others = arguments.whole("categories", categories, 2) - 1
    other = math.exp(-arguments.positive("epsilon", epsilon))
    return Chances(1 / (1 + others * other), other / (1 + others * other))


def unary_chances(epsilon):
    """How likely a RAPPOR-style bit is set: `binary_chances(epsilon / 2)`, since two values differ in two bits.

    Raises ValueError for a bad epsilon. Source: Erlingsson, Pihur, Korolova 2014 (f / 2 is yes_if_false).
    Notebook: 07_local.
    """
    return binary_chances(arguments.positive("epsilon", epsilon) / 2)


def optimised_chances(epsilon):
    """How likely a bit is set, to estimate rare answers best at this epsilon: 1/2 if true, seldom if false.

    Raises ValueError for a bad epsilon. Source: Wang, Blocki, Li, Jha 2017, optimised unary encoding.
    Notebook: 07_local.
    """
    return Chances(0.5, binary_chances(epsilon).yes_if_false)


def randomized_response(bits, epsilon, rng):
    """Report each bit with epsilon-DP (local; replace of one bit): the truth with odds e^epsilon.

    `bits` is an array of 0 and 1 (or booleans) of any shape, one bit a person. Several bits of one
    person cost epsilon each. Returns whole numbers of the same shape (an int for a single bit).
    Raises ValueError for anything but 0 and 1, or an epsilon that is not a finite number above 0.
    Source: 004 section 2.6 (Warner 1965).  Notebook: 07_local.
    """
    bits = _bits("bits", bits)
    keep = binary_chances(epsilon).yes_if_true
    lie = arguments.generator("rng", rng).random(bits.shape) >= keep
    reports = bits ^ lie
    return reports if reports.ndim else int(reports)


def k_ary_response(values, categories, epsilon, rng):
    """Report each value with epsilon-DP (local; replace of one value): the truth, or any other.

    `values` are whole numbers from 0 to `categories` - 1, of any shape, one a person. Returns
    whole numbers of the same shape.
    Raises ValueError for a value outside that range, fewer than 2 categories, or a bad epsilon.
    Source: 004 section 2.6, not binary (generalised randomized response).  Notebook: 07_local.
    """
    keep = k_ary_chances(categories, epsilon).yes_if_true
    values, rng = _values("values", values, categories), arguments.generator("rng", rng)
    lie = rng.random(values.shape) >= keep
    reports = ((values + lie * rng.integers(1, categories, values.shape)) % categories).astype(np.intp)
    return reports if reports.ndim else int(reports)


def unary_encoding(values, categories, epsilon, rng, *, chances=unary_chances):
    """Report each value with epsilon-DP (local; replace of one value): one randomised bit a category.

    `values` are whole numbers from 0 to `categories` - 1, a list with one a person. Bit v of a
    row says "my value is v"; `chances(epsilon)` says how likely it is set, for the true bit and
    for each other. `unary_chances` (RAPPOR-style) and `optimised_chances` have privacy loss epsilon;
    for others see `unary_loss`. Returns 0 and 1 as int8, shape (people, categories).
    Raises ValueError for a value outside that range, fewer than 2 categories, or a bad epsilon.
    Source: 004 section 3.3.2 (RAPPOR, 2014, without its hashing).  Notebook: 07_local.
    """
    values = np.atleast_1d(_values("values", values, arguments.whole("categories", categories, 2)))
    if values.ndim != 1:
        arguments.refuse("values", values, "a list, one value a person")
    chance = _chances("chances", chances(arguments.positive("epsilon", epsilon)), certain=True)
    told = arguments.generator("rng", rng).random((values.size, categories))
    reports = (told < chance.yes_if_false).astype(np.int8)
    people = np.arange(values.size)
    reports[people, values] = told[people, values] < chance.yes_if_true
    return reports


def unary_loss(chances):
    """The exact privacy loss of a unary encoding with these `Chances`, p and q: ln(p (1 - q) / (q (1 - p))).

    Raises ValueError for chances that are not 0 < yes_if_false < yes_if_true < 1.
    Source: two values differ in two bits; each bit's ratio is largest at one report.  Notebook: 07_local.
    """
    p, q = _chances("chances", chances)
    return math.log(p / q) + math.log1p(-q) - math.log1p(-p)


def estimate_frequencies(yes, people, chances):
    """Unbiased estimates of the fraction of `people` that hold each answer, from its yes reports.

    `yes` is a number or an array: for k-ary reports `np.bincount`, for unary ones the sum of the
    rows. Estimates may leave [0, 1]. Post-processing: it costs no privacy.
    Raises ValueError unless yes is from 0 to people, people whole and at least 1, and 0 <=
    yes_if_false < yes_if_true <= 1.
    Source: the expected fraction of yes is q + frequency (p - q), solved.  Notebook: 07_local.
    """
    yes, people = arguments.array("yes", yes), arguments.whole("people", people, 1)
    if np.any((yes < 0) | (yes > people)):
        arguments.refuse("yes", yes, f"from 0 to people = {people}")
    p, q = _chances("chances", chances, certain=True)
    return (yes / people - q) / (p - q)


def frequency_deviation(frequency, people, chances):
    """The exact standard deviation of `estimate_frequencies` when a fraction `frequency` of `people` holds the answer.

    In fractions, over the randomness of the reports alone: that others might have been asked is not in it.
    Raises ValueError for a frequency outside [0, 1], and as `estimate_frequencies` does. People may be an array.
    Source: a sum of independent yes-or-no reports.  Notebook: 07_local.
    """
    frequency, people = arguments.array("frequency", frequency), arguments.array("people", people)
    if np.any((frequency < 0) | (frequency > 1)):
        arguments.refuse("frequency", frequency, "shares from 0 to 1")
    if np.any(people < 1):
        arguments.refuse("people", people, "at least 1")
    p, q = _chances("chances", chances, certain=True)
    return np.sqrt((frequency * p * (1 - p) + (1 - frequency) * q * (1 - q)) / people) / (p - q)


def estimate_frequency(reports, epsilon):
    """Unbiased estimate of the fraction of ones, from the reports of `randomized_response`.

    `reports` are 0 and 1, at least one. Returns a float, maybe outside [0, 1]. Post-processing:
    it costs no privacy. `frequency_interval` says how far to trust it.
    Raises ValueError for anything but 0 and 1, no reports, or a bad epsilon.
    Source: 004 section 2.6 (Warner 1965).  Notebook: 07_local.
    """
    reports = _bits("reports", reports, least=1)
    return float(estimate_frequencies(reports.sum(), reports.size, binary_chances(epsilon)))


def frequency_interval(reports, confidence, epsilon):
    """An interval (low, high) for the true fraction of ones among the people asked.

    It holds that fraction with probability about `confidence`. It reaches from the estimate to each
    side by a normal quantile times the exact standard deviation, which is the same whatever the truth.
    Not cut to [0, 1]. It does not cover the error of having asked these people and not others.
    Raises ValueError for a confidence not strictly between 0 and 1, and as `estimate_frequency`.
    Source: the central limit theorem; `report_count_probabilities` is exact.
    Notebook: 07_local.
    """
    estimate, people = estimate_frequency(reports, epsilon), np.size(reports)
    quantile = norm.isf((1 - arguments.probability("confidence", confidence)) / 2)
    reach = float(quantile * frequency_deviation(0.5, people, binary_chances(epsilon)))
    return estimate - reach, estimate + reach


def report_count_probabilities(ones, people, epsilon):
    """The exact probabilities that 0, 1, ..., `people` of the people report 1 if `ones` of them hold it.

    A sum of two binomials, so time grows as ones (people - ones). Raises ValueError for ones or people that are
    not whole, ones not within 0 and people, or a bad epsilon. Source: 004 section 2.6.  Notebook: 07_local.
    """
    people = arguments.whole("people", people, 1)
    ones = arguments.whole("ones", ones, 0, people)
    lie = binary_chances(epsilon).yes_if_false  # and not 1 - lie, which rounds to 1
    truthful = binom.pmf(np.arange(ones, -1, -1), ones, lie)
    return np.convolve(truthful, binom.pmf(np.arange(people - ones + 1), people - ones, lie))


def response_log_probability(report, bit, epsilon):
    """Natural log of the chance that `randomized_response` reports `report` for `bit`, entry by entry.

    Raises ValueError as the mechanism does. Source: 004 section 2.6.  Notebook: 07_local.
    """
    return k_ary_log_probability(_bits("report", report), _bits("bit", bit), 2, epsilon)


def k_ary_log_probability(report, value, categories, epsilon):
    """Natural log of the chance that `k_ary_response` reports `report` for `value`, entry by entry.

    Raises ValueError as the mechanism does. Source: 004 section 2.6.  Notebook: 07_local.
    """
    epsilon, others = arguments.positive("epsilon", epsilon), arguments.whole("categories", categories, 2) - 1
    report, value = (_values(name, given, categories) for name, given in (("report", report), ("value", value)))
    return -epsilon * (report != value) - math.log1p(others * math.exp(-epsilon))


def unary_log_probability(report, value, epsilon, chances=unary_chances):
    """Natural log of the chance that `unary_encoding` reports the row `report` for `value` (rows or values broadcast).

    `report` has shape (..., categories), `value` the shape before the last axis. Raises ValueError as the mechanism
    does. Source: 004 section 3.3.2; independent bits.  Notebook: 07_local.
    """
    report = _bits("report", report)
    if report.ndim == 0 or report.shape[-1] < 2:
        arguments.refuse("report", report, "rows of at least 2 bits")
    p, q = _chances("chances", chances(arguments.positive("epsilon", epsilon)))
    truth = np.arange(report.shape[-1]) == _values("value", value, report.shape[-1])[..., np.newaxis]
    set_bit, clear_bit = np.where(truth, math.log(p), math.log(q)), np.where(truth, math.log1p(-p), math.log1p(-q))
    return np.where(report == 1, set_bit, clear_bit).sum(axis=-1)


def _bits(name, values, least=0):
    expected = "bits, each 0 or 1" + (f", at least {least}" if least else "")
    bits = arguments.array(name, values, expected)
    if bits.size < least or np.any((bits != 0) & (bits != 1)):
        arguments.refuse(name, values, expected)
    return bits.astype(np.intp)


def _values(name, values, categories):
    whole = arguments.integers(name, values)
    if np.any((whole < 0) | (whole >= categories)):
        arguments.refuse(name, values, f"whole numbers from 0 to categories - 1 = {categories - 1}")
    return whole.astype(np.intp)


def _chances(name, chances, certain=False):
    expected = "a pair (yes_if_true, yes_if_false), the second smaller, both chances"
    expected += "" if certain else " strictly between 0 and 1"
    pair = arguments.vector(name, chances, expected)
    if pair.size != 2 or not 0 <= pair[1] < pair[0] <= 1 or not (certain or 0 < pair[1] < pair[0] < 1):
        arguments.refuse(name, chances, expected)
    return Chances(*pair.tolist())
