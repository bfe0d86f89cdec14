"""The claims of chapters 14 to 20 as rows: sparse vector technique, sparse data, streams, tables, sparse vectors.

`claims` has all rows, `claims_verdicts` says what a row is. Epsilon is 1 where nothing else is said.
Notebook: 21_audit.
"""

import itertools
from dataclasses import replace

import numpy as np
from scipy import optimize, stats

from dpbook import alp, compressive, continual, exponential, laplace, projection, sensing, svt
from dpbook.claims.verdicts import ANSWERS, BY_DRAW, BY_LAW, BY_NOISE, BY_OUTPUTS, ONE_MORE, Claim, called
from dpbook.neighbours import count_pairs

COUNTS = np.array([3.0, 0, 1, 4, 1, 5, 9, 2, 6, 5])


def svt_claims():
    """Chapter 14: each row of the book's Figure 7.2 on the pair that is made for its flaw; two selections."""
    seven = [(np.repeat([0.0, 1], [6, 1]), np.repeat([1.0, 0], [6, 1]))]
    four = [(np.array([0.0, 0, 20, 20]), np.array([1.0, 1, 19, 19]))]

    def row(variant, setting, of=svt.sparse_vector, epsilon=1.0, *, false=False, monotonic=False, start=0):
        outputs, answers, neighbour = svt.counterexample(variant, 2, 200, monotonic)

        def law(answers):
            log = svt.output_probability(outputs, answers, start, 1, 2, 1.0, variant, monotonic)
            return [log] if variant.releases_numbers else [log, np.log1p(-np.exp(log))]

        relation = ONE_MORE if monotonic else ANSWERS
        return Claim(of, setting, relation, BY_LAW, law, [(answers + start, neighbour + start)], epsilon, false)

    def pair_law(answers):
        """Ordered pairs, the second one among the rest, half of epsilon for each."""
        first = exponential.log_selection_probabilities(answers, 1, 0.5)
        rest = [exponential.log_selection_probabilities(np.delete(answers, i), 1, 0.5) for i in range(4)]
        return first[:, None] + rest

    chosen = called(svt.retraversal_selection, 1.0, 1, 1, 4.0)
    return [
        row(svt.ALG12, "Algorithm 12"),
        row(svt.ALG12, "Algorithm 12, monotonic", monotonic=True),
        row(svt.ALG13, "Algorithm 13 (Dwork, Roth)"),
        row(svt.ALG14, "Algorithm 14 (Roth)", false=True),
        row(svt.ALG15, "Algorithm 15 (Lee, Clifton)", false=True),
        row(svt.ALG15, "Algorithm 15, what it keeps", epsilon=svt.ALG15.loss_bound(1.0, 2)),
        row(svt.ALG16, "Algorithm 16 (Stoddard et al.)", false=True),
        row(svt.ALG17, "Algorithm 17 (Chen et al.)", false=True),
        row(svt.NOISE_INSIDE, "noise inside | | (004 7.2.4)", start=200),
        row(svt.alg18(0.2, 0.5, 0.3), "Algorithm 18, with numbers", svt.generalized_sparse_vector),
        Claim(svt.retraversal_selection, "one of seven, epsilon 4", ANSWERS, BY_OUTPUTS, chosen, seven, 4.0),
        Claim(svt.exponential_selection, "two of four", ANSWERS, BY_LAW, pair_law, four),
    ]


def compressive_claims():
    """Chapter 16: noisy samples of sparse data; the number of coefficients, whose sensitivity depends on the basis."""
    data, even = count_pairs(np.repeat([50.0, 9, 0, 0], 16)), count_pairs(np.full(32, 2.0))[:2]
    wavelets, cosines = compressive.haar_basis, compressive.cosine_basis
    of, size = compressive.compressive_mechanism, compressive.choose_sparsity
    constant = called(size, replace(cosines(32), spread=1.0), 1.0)
    expected = called(size, cosines(32), 1.0, prediction=compressive.expected_error)
    return [
        Claim(of, "64 bins, wavelets", ONE_MORE, BY_NOISE, called(of, wavelets(64), 3, 1.0), data),
        Claim(of, "64 bins, cosines", ONE_MORE, BY_NOISE, called(of, cosines(64), 3, 1.0), data),
        Claim(size, "32 bins, wavelets", ONE_MORE, BY_DRAW, called(size, wavelets(32), 1.0), even),
        Claim(size, "32 bins, expected_error", ONE_MORE, BY_DRAW, expected, even),
        Claim(size, "32 bins, cosines", ONE_MORE, BY_DRAW, called(size, cosines(32), 1.0), even),
        Claim(size, "cosines, spread 1 (000 5.3)", ONE_MORE, BY_DRAW, constant, even, false=True),
    ]


def continual_claims():
    """Chapter 17: one unit more in each item of a stream in turn."""
    pairs, times = count_pairs(COUNTS), np.arange(1, COUNTS.size + 1)
    signs = np.where(np.random.default_rng(1).random((4, COUNTS.size)) < 0.5, -1.0, 1.0)
    intrusions = list(itertools.product(range(1, 17), range(17)))

    def each(stream, rng):
        return [continual.binary_counter(row * stream, 1.0, rng) for row in signs]

    def by_shifts(counter, pairs):
        """The noise that must move to hide a unit in an item, whenever the intruder comes, over its scale."""
        moves = [continual.hiding_shifts(item, intrusion, counter.steps) for item, intrusion in pairs]
        return max(abs(first) + sum(map(abs, others.values())) for first, others in moves) / counter.scale

    counter = continual.PanPrivateCounter(16, 1.0, np.random.default_rng(1))
    binary, sketches = continual.binary_counter, continual.compressive_counter
    kept = called(sketches, times, 2, 1.0)
    return [
        Claim(binary, "10 items", ONE_MORE, BY_NOISE, called(binary, 1.0), pairs),
        Claim(continual.PanPrivateCounter, "16 items, one intrusion", ONE_MORE, by_shifts, counter, intrusions),
        Claim(continual.pan_private_counter, "16 items", ONE_MORE, by_shifts, counter, intrusions),
        Claim(sketches, "10 items", ONE_MORE, BY_NOISE, kept, pairs),
        Claim(sketches, "4 counters, epsilon each (000)", ONE_MORE, BY_NOISE, each, pairs, false=True),
    ]


def sensing_claims():
    """Chapter 18: measurements of tables; 001 Theorem 2 claims less than noise of the scale it takes can keep."""
    tables = [(COUNTS.reshape(5, 2), more.reshape(5, 2)) for _, more in count_pairs(COUNTS)]
    signs = compressive.bernoulli_operator(4, 5, np.random.default_rng(1))
    normal = sensing.gaussian_operator(4, 5, np.random.default_rng(1))
    atoms = sensing.dictionary(sensing.spike_basis(5), compressive.cosine_basis(5))
    sense, whole, fourier = sensing.sense, sensing.compressed_sensing_mechanism, sensing.fourier_histogram
    printed = sensing.theorem_2_claim(sensing.sensing_sensitivity(signs), 4 / 5)
    return [
        Claim(sense, "signs", ONE_MORE, BY_NOISE, called(sense, signs, 1.0), tables),
        Claim(sense, "normal numbers", ONE_MORE, BY_NOISE, called(sense, normal, 1.0), tables),
        Claim(sense, "001 Theorem 2", ONE_MORE, BY_NOISE, called(sense, signs, 1.0), tables, printed, false=True),
        Claim(whole, "5 bins, 2 columns", ONE_MORE, BY_NOISE, called(whole, normal, atoms, 2, 1.0), tables),
        Claim(fourier, "10 bins, 3 kept", ONE_MORE, BY_NOISE, called(fourier, 3, 1.0), count_pairs(COUNTS)),
    ]


def projection_claims():
    """Chapter 19: a record of length 1 more; 002 claims privacy of mixtures, whose loss the leverage knows exactly."""
    rows, delta, width, nothing = 10, 1e-5, 0.2, np.zeros((1, 2))
    pairs = [(nothing, np.vstack([nothing, record])) for record in ([1.0, 0], [0, -1], [0.6, 0.8])]
    alone = [(np.array([[1.0, 0], [2, 0]]), np.array([[1.0, 0], [2, 0], [0, 1]]))]
    single = [(np.array([[1.0]]), np.array([[1.0], [0.5]]))]

    def by_leverage(weight, pairs):
        """The least epsilon at delta for the record added last, beside `weight` on each variable."""
        tables = [np.vstack([weight * np.eye(2), more]) for _, more in pairs]
        worst = max(projection.leverages(table)[-1] for table in tables)
        if worst > 1 - 1e-9:
            return np.inf
        return optimize.brentq(lambda epsilon: projection.projection_delta(worst, rows, epsilon) - delta, 1e-3, 1e3)

    def own_reference_law(records):
        """The Gram number of a release kept only within `width` of the records' own, cut where either law ends."""
        own = np.sum(records**2)
        ends = np.clip([1 - width, 1.25 - width, 1 + width, 1.25 + width], own - width, own + width)
        pieces = np.diff(stats.chi2(rows, scale=own / rows).cdf(ends))
        with np.errstate(divide="ignore"):
            return np.log(pieces / pieces.sum())

    mixed, gram, kept = projection.gaussian_projection, projection.projection_from_gram, projection.truncated_projection
    sums, weight = projection.laplace_gram, projection.ballast(rows, 1.0, 1.0, delta)
    return [
        Claim(mixed, "002, with delta 0.00001", ONE_MORE, by_leverage, 0.0, alone, false=True),
        Claim(gram, "002, with delta 0.00001", ONE_MORE, by_leverage, 0.0, alone, false=True),
        Claim(kept, "reference from the data (002)", ONE_MORE, BY_LAW, own_reference_law, single, false=True),
        Claim(projection.ballast_projection, "delta 0.00001", ONE_MORE, by_leverage, weight, pairs),
        Claim(sums, "two columns", ONE_MORE, BY_NOISE, called(sums, 1.0, 1.0), pairs),
    ]


def alp_claims():
    """Chapter 20: all tables that a small sketch can be, its hash functions given; large entries by themselves."""
    spread, moved = [(np.zeros(4), np.full(4, 0.25))], [(np.zeros(2), np.array([1.0, 0]))]
    halves = [(np.array([2.0, 0.5]), np.array([1.5, 1.0]))]
    ends = np.concatenate([np.linspace(1.5, 8, 40), [np.inf]])

    def law(alpha, epsilon, levels, buckets):
        tables = [
            np.packbits(np.reshape(bits, (levels, buckets)), axis=1, bitorder="little")
            for bits in itertools.product((0, 1), repeat=levels * buckets)
        ]

        def log_law(x):
            return np.array([
                alp.alp_log_probability(alp.Sketch(bits, len(x), buckets, alpha, levels * alpha, epsilon, 1), x)
                for bits in tables
            ])  # fmt: skip

        return log_law

    def entries_law(x, epsilon=1.0):
        """Each entry below the threshold 1.5, or in an interval above it; the entries are independent."""
        cuts = np.concatenate([[-np.inf], ends])
        first, second = (np.log(laplace.laplace_probability(cuts[:-1], cuts[1:], v, 1, epsilon)) for v in x)
        return first[:, None] + second

    def both_law(x):
        return entries_law(x, 0.5)[..., None] + law(1.0, 0.5, 3, 2)(x)

    def printed_law(x):
        """Is entry 0 released, if its true value is tested?"""
        return np.where([x[0] >= 2, x[0] < 2], 0, -np.inf)

    sketch, large, whole = alp.alp_projection, alp.threshold_vector, alp.threshold_alp
    one = law(1.0, alp.one_entry_epsilon(1.0, 1.0), 4, 1)
    return [
        Claim(sketch, "a unit over four entries", ONE_MORE, BY_LAW, law(1.0, 1.0, 1, 8), spread),
        Claim(sketch, "a unit in one entry", ONE_MORE, BY_LAW, law(1.0, 1.0, 4, 1), moved),
        Claim(sketch, "one entry, one_entry_epsilon", ONE_MORE, BY_LAW, one, moved),
        Claim(large, "two entries", ONE_MORE, BY_LAW, entries_law, halves),
        Claim(large, "003 Algorithm 6 as printed", ONE_MORE, BY_LAW, printed_law, halves, false=True),
        Claim(whole, "two entries", ONE_MORE, BY_LAW, both_law, halves),
    ]
