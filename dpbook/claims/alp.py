"""The claims of chapter 20: all tables that a small sketch can be, its hash functions given; large entries in cells."""

import itertools

import numpy as np

from dpbook import alp
from dpbook.claims.trial import Trial, among
from dpbook.claims.verdicts import BY_LAW, Claim
from dpbook.laplace import laplace_probability
from dpbook.neighbours import ADD_REMOVE

CHAPTER = "20"
CUTS = np.array([-np.inf, 1.5, 3.0, 5.0, 8.0, np.inf])  # for noisy entries; before them: not released
HALVES = [(np.array([2.0, 0.5, 0]), np.array([1.5, 1.0, 0]))]
LOWEST = alp.zero_threshold(3, 0.5)  # of the row's epsilon: what is below it is not released
COARSE = np.array([-np.inf, LOWEST, 4.0, np.inf])
FINE = np.concatenate([[-np.inf], np.linspace(1.5, 8, 40), [np.inf]])


def claims():
    """The rows of chapter 20."""
    spread, moved = [(np.zeros(4), np.full(4, 0.25))], [(np.zeros(2), np.array([1.0, 0]))]

    def sketched(setting, levels, buckets, pairs, at=None, of=alp.alp_projection):
        def run(x, epsilon, rng):
            return of(x, 1.0, (levels - 0.6) / (at or 1.0), buckets, epsilon, FixedHash(rng))

        law = sketch_law(1.0, levels, buckets)
        full = np.ones(2) if levels > 1 else 0.8 * np.ceil(pairs[0][1])
        trial = Trial(law, sketch_place(levels, buckets), [pairs[0][0], full])
        promise = {"at": at, "loses": None if at else sketch_loss(law, pairs)}
        return Claim(of, setting, ADD_REMOVE, BY_LAW, run, pairs, law=law, trial=trial, **promise)

    def listed(mechanism, setting, law, cells, threshold, **rest):
        def run(x, epsilon, rng):
            return mechanism(x, threshold, epsilon, rng)

        def place(outputs):
            return entries_place(outputs, 3, CUTS)

        trial = Trial(cells, place, list(HALVES[0]))
        return Claim(mechanism, setting, ADD_REMOVE, BY_LAW, run, HALVES, law=law, trial=trial, **rest)

    list_law, false = entries_law(lambda epsilon: 1.5, FINE), {"loses": np.inf, "false": True}
    whole = Trial(both_law(COARSE), both_place, [np.array([6.0, 3.0, 0])])
    return [
        sketched("a unit over four entries", 1, 5, spread),
        sketched("the loop of the page", 1, 5, spread, of=alp.plain_alp_projection),
        sketched("a unit in one entry", 4, 1, moved),
        sketched("one entry, one_entry_epsilon", 4, 1, moved, at=alp.one_entry_epsilon(1.0, 1.0)),
        listed(alp.threshold_vector, "three entries", list_law, entries_law(lambda epsilon: 1.5), 1.5),
        listed(alp.threshold_vector_as_printed, "003 Algorithm 6, y read as x", printed_law, printed_law, 2.0, **false),
        Claim(alp.threshold_alp, "three entries", ADD_REMOVE, BY_LAW, both, HALVES, law=both_law(CUTS), trial=whole),
    ]


class FixedHash(np.random.Generator):
    """Another generator, but that the public seed of the hash functions, for which it is asked first, is 1."""

    def __init__(self, rng):
        super().__init__(rng.bit_generator)
        for name in ("random", "laplace", "exponential", "binomial", "choice"):
            setattr(self, name, getattr(rng, name))
        self.rng = rng

    def integers(self, low, *rest, **options):
        return 1 if low == 2**62 and not rest and not options else self.rng.integers(low, *rest, **options)


def tables(levels, buckets):
    """Every table of bits, packed as sketches hold it."""
    every = itertools.product((0, 1), repeat=levels * buckets)
    return [np.packbits(np.reshape(bits, (levels, buckets)), axis=1, bitorder="little") for bits in every]


def sketch_law(alpha, levels, buckets):
    """The log probability of every table, as a function of the vector and epsilon."""
    every = tables(levels, buckets)

    def law(x, epsilon):
        rest = len(x), buckets, alpha, levels * alpha / epsilon, epsilon, 1
        return np.array([alp.alp_log_probability(alp.Sketch(bits, *rest), x) for bits in every])

    return law


def sketch_place(levels, buckets):
    """Which of the tables of bits a sketch shows; none where its published seed is not 1."""
    place = among([bits.tobytes() for bits in tables(levels, buckets)])
    return lambda outputs: place([sketch.bits.tobytes() if sketch.seed == 1 else b"" for sketch in outputs])


def sketch_loss(law, pairs):
    """What these pairs lose at epsilon 1."""
    return max(float(np.abs(law(one, 1.0) - law(other, 1.0)).max()) for one, other in pairs)


def entries_law(threshold, cuts=CUTS):
    """Each of three entries: not released, or in a cell; `threshold(epsilon)` or more is released, independently."""

    def law(x, epsilon):
        least = threshold(epsilon)
        masses = []
        for value in x:
            low, high = np.maximum(cuts[:-1], least), np.maximum(cuts[1:], least + 1e-12)
            mass = np.where(cuts[1:] <= least, 0.0, laplace_probability(low, high, value, 1, epsilon))
            masses.append(np.append(laplace_probability(-np.inf, least, value, 1, epsilon), mass))
        with np.errstate(divide="ignore"):
            first, second, third = np.log(masses)
        return np.ravel(first[:, None, None] + second[:, None] + third)

    return law


def printed_law(x, epsilon):
    """003 Algorithm 6 with y_i read as x_i: an entry is released if its TRUE value reaches the threshold 2."""
    masses = [
        np.append(0.0, laplace_probability(CUTS[:-1], CUTS[1:], value, 1, epsilon))
        if value >= 2
        else np.append(1.0, np.zeros(CUTS.size - 1))
        for value in x
    ]
    with np.errstate(divide="ignore"):
        first, second, third = np.log(masses)
    return np.ravel(first[:, None, None] + second[:, None] + third)


def entries_place(lists, d, cuts):
    """The event of each (indices, noisy values): for each of d entries not released, or its cell between `cuts`."""
    cells = np.zeros((len(lists), d), dtype=int)
    for row, (indices, values) in zip(cells, lists, strict=True):
        row[indices] = np.searchsorted(cuts, values, side="right")
    return np.ravel_multi_index(tuple(cells.T), (cuts.size,) * d)


def both(x, epsilon, rng):
    """A release of the list and the sketch, with the hash functions fixed."""
    return alp.threshold_alp(x, 0.5, 2, epsilon, FixedHash(rng))


def both_law(cuts):
    """The law of the list at half of epsilon, and a sketch of one level and two buckets at the other half."""

    def law(x, epsilon):
        half = epsilon / 2
        entries = entries_law(lambda epsilon: alp.zero_threshold(3, half), cuts)(x, half)
        return np.ravel(entries[:, None] + sketch_law(0.5, 1, 2)(np.asarray(x), half))

    return law


def both_place(outputs):
    """The event of `both_law(COARSE)`: what is listed, and the bits of the sketch beside it."""
    sketches = np.array(sketch_place(1, 2)([release.sketch for release in outputs]))
    lists = entries_place([(release.indices, release.values) for release in outputs], 3, COARSE)
    return np.where(sketches < 0, -1, 4 * lists + sketches)
