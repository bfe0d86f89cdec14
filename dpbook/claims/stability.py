"""The claims of chapter 15: noise on a bound that the data made, votes, tests before a release; and what is printed.

Datasets are small, and neighbours replace one record. Where there may be no answer, that is the first event of a law.
"""

import numpy as np

from dpbook import stability
from dpbook.claims.trial import Trial
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim
from dpbook.laplace import laplace_probability
from dpbook.neighbours import ADD_REMOVE, REPLACE
from dpbook.stability import lower_median, median_smooth_sensitivity, median_stable_distance, pass_probability

CHAPTER = "15"
UNIT = (0.0, 1.0)
CALM, EDGE, OTHER = np.zeros(3), np.array([0.0, 0, 1]), np.array([0.0, 1, 1])  # smooth bounds e^-beta, 1, 1
STEPWISE = [(CALM, EDGE), (EDGE, OTHER)]  # the bound moves; the median moves by the whole width
QUIET, TELLING = np.array([0.0, 0, 0, 0, 1]), np.array([0.0, 0, 0, 1, 1])  # local sensitivity 0 and 1
CUTS = np.concatenate([[-np.inf], np.linspace(-100, 100, 81), np.linspace(-6, 7, 261), [np.inf]])
CUTS = np.unique(CUTS)
FIVE = (0.0, 4.0)  # the bounds of five records
STEADY = np.array([2.0, 2, 4, 4, 4]), np.array([2.0, 2, 2, 4, 4])  # bound 2: the median moves by 2
JUMPS = np.array([0.0, 0, 0, 4, 4]), np.array([0.0, 0, 4, 4, 4])  # bound 1/4: it moves by 4
TIED, TORN = np.array([0.0, 0, 0, 0, 0, 1, 1e6, 1e6]), np.array([0.0, 0, 0, 0, 1, 1e6, 1e6, 1e6])
TWO_SIZES = np.repeat([4.0, 8.0], [11, 13])
SCALES = np.concatenate([[0.0], 2.0 ** np.arange(-12, 34.0), [np.inf]])


def claims():
    """The rows of chapter 15."""
    return [*noise_claims(), *vote_claims(), *test_claims()]


def row(mechanism, setting, run, pairs, law, draws_on, place=None, **rest):
    """A row under replace whose law is known; `place` finds the cell of an output."""
    trial = Trial(law, place or cells, draws_on)
    return Claim(mechanism, setting, REPLACE, BY_LAW, run, pairs, law=law, trial=trial, **rest)


# Noise on a bound.


def noise_claims():
    """Noise on a bound that the data made."""
    cauchy, laplace = stability.cauchy_release, stability.smooth_laplace_release
    local, printed = stability.local_noise_release, stability.printed_smooth_release
    return [
        row(local, "median, noise for this dataset", local_noise, [(QUIET, TELLING)], local_law, [QUIET, TELLING],
            exactly_zero, false=True),
        row(printed, "median, beta 0.1", smooth_laplace(printed, beta), STEPWISE[:1], smooth_law(1, beta), [EDGE],
            false=True),
        row(cauchy, "median, beta epsilon/2", smooth_cauchy(0.5), STEPWISE, cauchy_law(0.5), [EDGE]),
        row(cauchy, "median, the least scale", smooth_cauchy(0.7, True), STEPWISE, cauchy_law(0.7, True), [EDGE]),
        row(laplace, "median, beta for delta 0.001", smooth_laplace(laplace, for_delta), STEPWISE,
            smooth_law(2, for_delta), [EDGE], delta=1e-3),
    ]  # fmt: skip


def beta(epsilon):
    """A smoothness of 0.1, whatever epsilon is."""
    return 0.1


def for_delta(epsilon):
    """The smoothness that delta 0.001 asks for."""
    return stability.smooth_laplace_beta(epsilon, 1e-3)


def bound_of(data, smoothness):
    """The smooth bound of the median between 0 and 1."""
    return median_smooth_sensitivity(data, UNIT, smoothness)


def local_noise(data, epsilon, rng, size):
    """Medians with noise for this dataset."""
    middle, local = lower_median(data), stability.median_sensitivity_at(data, UNIT, 0)
    return [stability.local_noise_release(middle, local, epsilon, rng) for _ in range(size)]


def local_law(data, epsilon):
    """Whether the release is 0, the true median of both."""
    calm = data[3] == 0
    rest = np.full(CUTS.size - 1, -np.inf) if calm else log_cells(0.0, 1.0 / epsilon)
    return np.append(0.0 if calm else -np.inf, rest)


def exactly_zero(outputs):
    """Cell 0 for a release of exactly 0, else the cell between `CUTS` and 1."""
    outputs = np.asarray(outputs)
    return np.where(outputs == 0, 0, 1 + cells(outputs))


def smooth_laplace(mechanism, smoothness):
    """Medians with Laplace noise on their smooth bound."""

    def run(data, epsilon, rng, size):
        return mechanism(lower_median(data), bound_of(data, smoothness(epsilon)), epsilon, rng, size=size)

    return run


def smooth_law(factor, smoothness):
    """Laplace noise of scale factor S / epsilon."""
    return lambda data, epsilon: log_cells(lower_median(data), factor * bound_of(data, smoothness(epsilon)) / epsilon)


def smooth_cauchy(part, least=False):
    """Cauchy noise with beta = part epsilon, and its usual scale or the least."""

    def run(data, epsilon, rng, size):
        scale = stability.cauchy_scale(part * epsilon, epsilon) if least else None
        middle, smooth = lower_median(data), bound_of(data, part * epsilon)
        return stability.cauchy_release(middle, smooth, part * epsilon, epsilon, rng, scale=scale, size=size)

    return run


def cauchy_law(part, least=False):
    """Cauchy noise on the smooth bound, in the cells between `CUTS`."""

    def law(data, epsilon):
        unit = stability.cauchy_scale(part * epsilon, epsilon) if least else 1 / (epsilon - part * epsilon)
        away = (CUTS - lower_median(data)) / (unit * bound_of(data, part * epsilon))
        left, right = away[:-1], away[1:]
        with np.errstate(divide="ignore"):
            near = np.arctan(right) - np.arctan(left)
            far = np.abs(np.arctan(1 / left) - np.arctan(1 / right))  # the same, to full precision in the tails
        return np.log(np.where(left * right > 1, far, near) / np.pi)

    return law


def log_cells(value, scale):
    """ln of the chance that the value and Laplace noise lie in each of the cells between `CUTS`."""
    return np.log(laplace_probability(CUTS[:-1], CUTS[1:], value, scale, 1.0))


def cells(outputs):
    """The cell between `CUTS` in which each output lies."""
    return np.searchsorted(CUTS, np.asarray(outputs, dtype=float), side="right") - 1


# Blocks and votes.


def vote_claims():
    """Blocks, and votes."""
    average, mode, blocks = stability.sample_and_aggregate, stability.stable_mode, stability.block_votes
    twelve, raised, more = np.zeros(12), np.append(np.zeros(11), 1.0), np.append(np.zeros(12), 1.0)
    clear, close, tied = votes(14, 6), votes(13, 7), votes(10, 10)
    return [
        Claim(average, "largest of each block", REPLACE, BY_STEPS, aggregated(average), [(twelve, raised)]),
        Claim(average, "largest of each block", ADD_REMOVE, BY_STEPS, aggregated(average), [(twelve, more)]),
        Claim(
            stability.unclipped_aggregate, "without clipping", REPLACE, BY_STEPS,
            aggregated(stability.unclipped_aggregate), [(twelve, 50 * raised)], loses=50.0, false=True,
        ),
        row(mode, "a vote moves, delta 0.01", elected, [(clear, close), (tied, votes(9, 11))], vote_law,
            [clear], elected_place, delta=0.01),
        Claim(blocks, "then stable_mode", REPLACE, BY_STEPS, block_mode, [(np.zeros(60), 1.0 * (np.arange(60) == 59))]),
    ]  # fmt: skip


def aggregated(mechanism):
    """The largest number of each of three blocks, averaged."""
    return lambda data, epsilon, rng: mechanism(data, np.max, UNIT, 3, epsilon, rng)


def votes(first, second):
    """So many votes for 0, and so many for 1."""
    return np.repeat([0, 1], [first, second])


def elected(data, epsilon, rng):
    """The released winner, at delta 0.01."""
    return stability.stable_mode(data, 1, epsilon, 0.01, rng)


def vote_law(data, epsilon):
    """No answer, 0, 1."""
    winner, distance = stability.vote_distance(data, 1)
    passes = pass_probability(distance, epsilon, np.log(100) / epsilon)
    with np.errstate(divide="ignore"):
        return np.log([1 - passes, *(passes * (winner == kind) for kind in (0, 1))])


def elected_place(outputs):
    """Cell 0 for no answer, then one a winner."""
    return [0 if output is None else 1 + output for output in outputs]


def block_mode(data, epsilon, rng):
    """Twenty blocks vote on whether they hold a 1."""
    return stability.stable_mode(*stability.block_votes(data, np.max, 20, rng), epsilon, 0.01, rng)


# Tests before a release.


def test_claims():
    """Tests before a release."""
    tested, scale, printed = stability.propose_test_release, stability.private_scale, stability.printed_private_scale
    sound, said = scale_law(scale, 0.02), scale_law(printed, 0.5)
    one_more = [(TWO_SIZES, np.append(TWO_SIZES[1:], 8.0)), (TIED, TORN)]
    return [
        row(tested, "median of five, delta 0.1", median_test(2, 0.1), [STEADY], median_test_law(2, 0.1),
            [STEADY[0]], answered, epsilon=2.0, at=1.0, delta=0.1),
        row(tested, "threshold ln(1/delta), epsilon 0.5", median_test(0.25, 1e-3, True), [JUMPS],
            median_test_law(0.25, 1e-3, True), [np.zeros(5)], answered, epsilon=1.0, at=0.5, delta=1e-3, false=True),
        row(scale, "range of 24 numbers, delta 0.02", scaled(scale, 0.02), one_more, sound, [TWO_SIZES],
            scale_place, epsilon=4.0, at=1.0, delta=0.02),
        row(scale, "the same: one number comes out", scaled(scale, 0.02), one_more, sound, [TWO_SIZES],
            scale_place, epsilon=3.0, at=1.0, delta=0.02),
        row(printed, "004 Alg. 21, epsilon 0.5, delta 0.5", scaled(printed, 0.5), [(TIED, TORN)], said, [TIED],
            scale_place, epsilon=2.0, at=0.5, delta=0.5, false=True),
    ]  # fmt: skip


def median_test(bound, delta, forgotten=False):
    """Propose-test-release of a median; forgotten, with a delta that makes the threshold ln(1/delta)."""

    def run(data, epsilon, rng, size):
        middle, distance = lower_median(data), median_stable_distance(data, FIVE, bound)
        given = delta**epsilon if forgotten else delta
        return [stability.propose_test_release(middle, distance, bound, epsilon, given, rng) for _ in range(size)]

    return run


def median_test_law(bound, delta, forgotten=False):
    """No answer, or the median with Laplace noise, in cells."""

    def law(data, epsilon):
        threshold = np.log(1 / delta) / (1 if forgotten else epsilon)
        passes = pass_probability(median_stable_distance(data, FIVE, bound), epsilon, threshold)
        return np.append(np.log(1 - passes), np.log(passes) + log_cells(lower_median(data), bound / epsilon))

    return law


def answered(outputs):
    """Cell 0 for no answer, then those between `CUTS`."""
    return [0 if output is None else 1 + int(cells(output)) for output in outputs]


def scaled(mechanism, delta):
    """A released scale, at this delta."""
    return lambda data, epsilon, rng: mechanism(data, epsilon, delta, rng)


def scale_law(mechanism, delta):
    """No answer, or the range times 2^noise, in the cells between `SCALES`: either of the two tests may pass."""

    def law(data, epsilon):
        threshold = 1 - (np.log(epsilon) if mechanism is stability.printed_private_scale else np.log(delta) / epsilon)
        size = stability.interquartile_range(data)
        one, two = (pass_probability(stability.scale_distance(data, shift), epsilon, threshold) for shift in (0, 0.5))
        passes = (one + (1 - one) * two) * (size > 0)
        with np.errstate(divide="ignore"):
            ends = np.log2(SCALES) - np.log2(max(size, 1e-300))
            spread = laplace_probability(ends[:-1], ends[1:], 0.0, 1.0, epsilon)
            return np.log(np.append(1 - passes, passes * spread))

    return law


def scale_place(outputs):
    """Cell 0 for no answer, then those between `SCALES`."""
    return [0 if output is None else 1 + int(np.searchsorted(SCALES, output, side="right")) - 1 for output in outputs]
