"""The claims of chapters 01 to 08 as rows: noise for numbers, choices, averages, answers, histograms, and their sums.

`claims` has all rows, `claims_verdicts` says what a row is. Epsilon is 1 where nothing else is said.
Notebook: 21_audit.
"""

import itertools

import numpy as np
from scipy.stats import binom

from dpbook import audit, averages, composition, exponential, histograms, incidents, laplace, local
from dpbook.claims.verdicts import ANSWERS, BY_DRAW, BY_LAW, BY_NOISE, ONE_MORE, REPLACED, Claim, called
from dpbook.neighbours import add_record, count_pairs, record_pairs, replace_record

COUNT = [(0, 1)]  # a count, and the same with one record more
COUNTS = np.array([3.0, 0, 1, 4, 1, 5, 9, 2, 6, 5])
LINE = np.concatenate([[-np.inf], np.linspace(-10, 10, 201), [np.inf]])


def composition_claims():
    """Chapter 02: what several releases lose together."""
    shares, half, keep = (0.2, 0.3, 0.5), COUNTS.size // 2, local.binary_chances(0.1).yes_if_true
    moved = [(COUNTS, np.append(COUNTS[:-1] + (np.arange(9) == bin), 4)) for bin in range(9)]

    def spent(count, rng):
        budget = composition.Budget(1.0)
        return [laplace.laplace_mechanism(count, 1, budget.spend(share, "a count"), rng) for share in shares]

    def answers_law(bit):
        laws = [local.response_log_probability(np.arange(2), bit, share) for share in shares]
        return laws[0][:, None, None] + laws[1][:, None] + laws[2]

    def parts(counts, rng):
        halves = (counts[:half], 0.5), (counts[half:], 1.0)
        return [histograms.flat_histogram(part, epsilon, rng) for part, epsilon in halves]

    def truths_law(chance):
        return binom.logpmf(np.arange(101), 100, chance)

    def at_delta(law, pairs):
        return BY_LAW(law, pairs, delta=1e-5)

    largest, twice = (composition.parallel([0.5, 1.0], relation) for relation in (ONE_MORE, REPLACED))
    total, least = (bound(0.1, 100, 1e-5) for bound in (composition.advanced, composition.optimal))
    answers = [(keep, 1 - keep)]
    return [
        Claim(composition.Budget, "spent in three parts", ONE_MORE, BY_NOISE, spent, COUNT),
        Claim(composition.sequential, "three answers", REPLACED, BY_LAW, answers_law, COUNT),
        Claim(composition.parallel, "two parts", ONE_MORE, BY_NOISE, parts, count_pairs(COUNTS), largest),
        Claim(composition.parallel, "two parts", REPLACED, BY_NOISE, parts, moved, twice),
        Claim(composition.advanced, "100 answers, delta 0.00001", REPLACED, at_delta, truths_law, answers, total),
        Claim(composition.optimal, "100 answers, delta 0.00001", REPLACED, at_delta, truths_law, answers, least),
    ]


def laplace_claims():
    """Chapter 03, and the attack of chapter 21."""
    sums = record_pairs(add_record, (36, 39, 42), 3)

    def law(count):
        return np.log(laplace.laplace_probability(LINE[:-1], LINE[1:], count, 1, 1.0))

    def whole_law(count):
        return laplace.geometric_log_probability(np.arange(-40, 42), count, 1, 1.0)

    def noisy_sum(sensitivity):
        return lambda values, rng: laplace.laplace_mechanism(values.sum(), sensitivity, 1.0, rng)

    right, wrong = noisy_sum(laplace.sum_sensitivity((36, 42), "add/remove")), noisy_sum(42 - 36)
    noisy, whole, leaky = laplace.laplace_mechanism, laplace.geometric_mechanism, audit.leaky_laplace
    return [
        Claim(noisy, "a count", ONE_MORE, BY_LAW, law, COUNT),
        Claim(noisy, "a sum within 36 and 42", ONE_MORE, BY_NOISE, right, sums),
        Claim(noisy, "sensitivity as in 004 Ex. 2.14", ONE_MORE, BY_NOISE, wrong, sums, false=True),
        Claim(whole, "a count", ONE_MORE, BY_LAW, whole_law, COUNT),
        Claim(leaky, "a count, 11-bit arithmetic", ONE_MORE, BY_LAW, _leaky_law, COUNT, false=True),
    ]


def _leaky_law(count):
    laws = [audit.leaky_laplace_law(one, 1, 1.0, 11) for one in (0, 1)]
    outputs = np.union1d(laws[0][0], laws[1][0])
    with np.errstate(divide="ignore"):
        return np.log(np.bincount(np.searchsorted(outputs, laws[count][0]), laws[count][1], outputs.size))


def exponential_claims():
    """Chapter 04: the law is read off the one uniform number that each of these draws."""
    qualities = [np.array(quality) for quality in itertools.product((0.0, 10.0), repeat=2)]
    one_up = [pair for quality in qualities for pair in count_pairs(quality)]
    both_ways = [(q, q + move) for q in qualities for move in itertools.product((-1, 1), repeat=2)]
    values, same = [np.repeat([0.0, 1, 3], sizes) for sizes in ((4, 5, 0), (4, 6, 1), (1, 7, 1))], np.zeros(8)
    more, replaced = (_neighbours(relation, values, (0, 1, 3)) for relation in (add_record, replace_record))
    voted, moved = (_neighbours(relation, [same], (0, 1, 2)) for relation in (add_record, replace_record))
    chosen, mode, median = exponential.exponential_mechanism, exponential.private_mode, exponential.private_median
    quantile, in_ranges = exponential.private_quantile, exponential.private_quantile_in_ranges
    general, monotonic = called(chosen, 1, 1.0), called(chosen, 1, 1.0, monotonic=True)
    most = called(mode, np.arange(3), 1.0)
    middle, quarter = called(median, [0, 2], 1.0), called(quantile, 0.25, [0, 2], 1.0)
    quarter_range = called(in_ranges, 0.25, [-0.5, 0.5, 1.5, 2.5], 1.0)
    return [
        Claim(chosen, "any qualities", ANSWERS, BY_DRAW, general, both_ways),
        Claim(chosen, "counts, monotonic", ONE_MORE, BY_DRAW, monotonic, one_up),
        Claim(chosen, "monotonic, moved both ways", ANSWERS, BY_DRAW, monotonic, both_ways, false=True),
        Claim(mode, "three candidates", ONE_MORE, BY_DRAW, most, voted),
        Claim(mode, "three candidates", REPLACED, BY_DRAW, most, moved, 2.0),
        Claim(median, "two candidates", ONE_MORE, BY_DRAW, middle, more),
        Claim(median, "two candidates", REPLACED, BY_DRAW, middle, replaced, 2.0),
        Claim(quantile, "quarter, two candidates", ONE_MORE, BY_DRAW, quarter, more),
        Claim(quantile, "quarter, two candidates", REPLACED, BY_DRAW, quarter, replaced, 4 / 3),
        Claim(in_ranges, "quarter, three ranges", ONE_MORE, BY_DRAW, quarter_range, more),
    ]


def _neighbours(relation, datasets, domain):
    return [(data, neighbour) for data in datasets for neighbour in relation(data, domain)]


def average_claims():
    """Chapter 05: three of the six claim more than they keep; two of these can be repaired."""
    unit, far, cuts = (0.0, 1.0), (36.0, 42.0), np.linspace(0, 1, 2001)
    zeros = [(np.zeros(count), np.append(np.zeros(count), 1)) for count in (0, 1, 10, 40)]
    small = [([], [value]) for value in (0.0, 0.5, 1.0)] + record_pairs(add_record, (0, 0.5, 1), 3)
    near, off = record_pairs(add_record, (-1, 0, 1), 3), record_pairs(add_record, far, 3)

    def law(of, epsilon):
        return lambda values: np.log(of(values, unit, epsilon, cuts))

    def above_law(values):
        """ln Pr[release > 42] for records at 42: the count's noise over 1 - n, the sum's over 42 times that."""
        return [-(1 - len(values)) * (0.5 + 42 * 0.5 / 6) - np.log(4 * 8)]

    def median_law(values):
        return np.log(averages.median_law(values, unit, 1.0, 20)[1])

    simple, centred = averages.simple_average, averages.centred_average
    resampled, resampled_law = averages.resampling_average, averages.resampling_law
    clamped, clamped_law = averages.clamped_average, averages.clamped_law
    redrawn, cut = law(resampled_law, 1.0), law(clamped_law, 1.0)
    mended = law(resampled_law, averages.repaired_resampling_epsilon(1.0))
    mended_cut = law(clamped_law, averages.repaired_clamped_epsilon(1.0))
    return [
        Claim(simple, "bounds -1 and 1", ONE_MORE, BY_NOISE, called(simple, (-1, 1), 1.0), near),
        Claim(simple, "bounds 36 and 42 (004 Alg. 1)", ONE_MORE, BY_LAW, above_law, [([], [42])], false=True),
        Claim(centred, "bounds 36 and 42", ONE_MORE, BY_NOISE, called(centred, far, 1.0), off),
        Claim(resampled, "004 Algorithm 2", ONE_MORE, BY_LAW, redrawn, zeros, false=True),
        Claim(resampled, "repaired", ONE_MORE, BY_LAW, mended, zeros),
        Claim(averages.exponential_average, "bounds 0 and 1", ONE_MORE, BY_LAW, law(resampled_law, 0.5), zeros),
        Claim(clamped, "004 Proposition 2.22", ONE_MORE, BY_LAW, cut, zeros, false=True),
        Claim(clamped, "repaired", ONE_MORE, BY_LAW, mended_cut, zeros),
        Claim(averages.median_average, "20 ranges", ONE_MORE, BY_LAW, median_law, small),
    ]


def people_claims():
    """Chapters 01 and 07: averages of a table of people, and answers that people randomise themselves."""
    values, reports = [(0, 1), (1, 2), (2, 0)], np.array(list(itertools.product((0, 1), repeat=3)))
    table = np.array([[0.0, 0, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]])
    tables = [(table, np.vstack([person, table[1:]])) for person in ([1, 1, 0, 0], [0, 1, 1, 1])]

    def law(bit):
        return local.response_log_probability(np.arange(2), bit, 1.0)

    def k_ary_law(value):
        return local.k_ary_log_probability(np.arange(3), value, 3, 1.0)

    def unary_law(chances):
        return lambda value: local.unary_log_probability(reports, value, 1.0, chances)

    rappor, optimised = unary_law(local.unary_chances), unary_law(local.optimised_chances)
    shared, unary = incidents.private_averages, local.unary_encoding
    return [
        Claim(shared, "3 people, 4 attributes", REPLACED, BY_NOISE, called(shared, 1.0), tables),
        Claim(local.randomized_response, "a bit", REPLACED, BY_LAW, law, COUNT),
        Claim(local.k_ary_response, "three values", REPLACED, BY_LAW, k_ary_law, values),
        Claim(unary, "three values, RAPPOR", REPLACED, BY_LAW, rappor, values),
        Claim(unary, "three values, optimised", REPLACED, BY_LAW, optimised, values),
    ]


def histogram_claims():
    """Chapter 08: one record more in each bin in turn, by what it moves over the scale of the noise."""
    pairs, bins = count_pairs(COUNTS), COUNTS.size
    strategy = np.vstack([np.eye(bins), np.ones(bins)])
    flat, haar, matrix = histograms.flat_histogram, histograms.haar_histogram, histograms.matrix_mechanism
    levels, tree = histograms.hierarchical_counts, histograms.hierarchical_histogram
    unequal = called(levels, 3, 1.0, shares=histograms.geometric_shares(3, 3))
    ranges = called(matrix, histograms.all_ranges(bins), strategy, 1.0)
    return [
        Claim(flat, "10 bins", ONE_MORE, BY_NOISE, called(flat, 1.0), pairs),
        Claim(levels, "10 bins, 3 children", ONE_MORE, BY_NOISE, unequal, pairs),
        Claim(tree, "10 bins, 2 children", ONE_MORE, BY_NOISE, called(tree, 2, 1.0), pairs),
        Claim(haar, "10 bins", ONE_MORE, BY_NOISE, called(haar, 1.0), pairs),
        Claim(matrix, "ranges through bins and total", ONE_MORE, BY_NOISE, ranges, pairs),
    ]
