"""The laws that the releases of an exercise must have, as requirements of `dpbook.check`, and what mistakes look like.

`laplace_law` and `normal_law` are for numbers and vectors with such noise, `discrete_law` for choices, yes-and-no
answers, and whatever else has few possible outputs. All judge the whole distribution against the exact one, so that a
mechanism that is private only by far too much noise does not pass.
Source: beyond the seeds.  Notebooks: the exercises.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from dpbook import arguments
from dpbook.amounts import counted
from dpbook.check import words
from dpbook.check.noise import Choices, Noise, divergence, off, on_grid
from dpbook.check.requirements import RISK, SAMPLES
from dpbook.laplace import laplace_probability

STEEPER = 1.05  # times epsilon: what `discrete_law` compares with

# The tolerances of the diagnoses below decide no points: they only choose the sentence about an answer that is refused
# already. From 10,000 numbers the mean size of Laplace noise is known to 1%, so 4% are four of its deviations.


def laplace_law(
    data, truth, sensitivity, epsilon, centres=None, sensitivities=None, sums=None, samples=SAMPLES
) -> Callable:
    """`function(*data, epsilon, rng)` must release `truth` with Laplace noise of scale sensitivity / epsilon.

    `truth` is a number or a vector with fresh noise on each entry; `sensitivity` is one number, or one an entry.
    It is judged at epsilon and at 2 epsilon by the largest distance between the empirical distribution and the exact
    one. That exceeds sqrt(ln(2 / risk) / 2n) with probability at most `risk` (Dvoretzky, Kiefer, Wolfowitz; Massart
    1990). The signs of each two entries must agree half the time (Hoeffding). Rounded releases and one number three
    times are refused: 10,000 draws of 53 random bits give them less often than RISK.
    `centres` and `sensitivities` map a sentence to the value that a known mistake has instead of the right one, `sums`
    to how many draws of the right scale it adds up.
    Raises ValueError for a truth beyond a million scales, where doubles are too coarse for that.
    """
    truth = arguments.array("truth", truth)
    sensitivity = np.broadcast_to(arguments.array("sensitivity", sensitivity), truth.shape)
    scale = sensitivity / arguments.positive("epsilon", epsilon)
    if np.any(scale <= 0):
        arguments.refuse("sensitivity", sensitivity, "above 0")
    if np.any(np.abs(truth) > 1e6 * scale):
        arguments.refuse("truth", truth, "within a million scales of 0")
    slips = [_entries(known, truth.shape) for known in (centres, sensitivities)]
    asks = [(*data, epsilon), (*data, 2 * epsilon)], samples, truth.shape

    def requirement(draw):
        noise = draw(*asks) - truth
        columns = [n.reshape(samples, -1) for n in noise]
        for entry in range(truth.size):
            one = [c[:, entry] for c in columns]
            law = truth.flat[entry], sensitivity.flat[entry]
            if _has_law(one, law, epsilon, truth.size):
                continue
            known = [{sentence: value[entry] for sentence, value in slip.items()} for slip in slips]
            fault = noise_diagnosis(one, *law, epsilon, *known, sums or {})
            return words.ENTRY.format(entry=entry, fault=fault) if truth.ndim else fault
        if hasattr(draw, "noise"):
            draw.noise += [_scaled(c, truth, s) for c, s in zip(columns, (scale, scale / 2), strict=True)]
        return _shared_noise(columns[0])

    requirement.asks = asks
    return requirement


def normal_law(call, truth, scale, scales=None) -> Callable:
    """`function(*call, rng)` must release `truth`, a number or a vector, with fresh normal noise of deviation `scale`.

    `scale` is one number, or one an entry. All entries over their scales, at least SAMPLES numbers, are judged together
    by their largest distance from the normal distribution. That exceeds sqrt(ln(2 / risk) / 2n) with probability at
    most `risk` (Dvoretzky, Kiefer, Wolfowitz; Massart 1990). The mean of each entry is judged as well. The mean
    squares, of each entry and of all, are judged by Chernoff's bound, signs and repeated numbers as in `laplace_law`.
    `scales` maps a sentence to the scale that a known mistake has. Raises ValueError for a scale that is not above 0.
    """
    truth = arguments.array("truth", truth)
    scale = np.broadcast_to(arguments.array("scale", scale), truth.shape)
    if np.any(scale <= 0):
        arguments.refuse("scale", scale, "above 0")
    samples = max(400, -(-SAMPLES // max(1, truth.size)))
    known = {sentence: np.broadcast_to(value, truth.shape).ravel() for sentence, value in (scales or {}).items()}
    asks = [call], samples, truth.shape

    def requirement(draw):
        noise = draw(*asks)[0] - truth
        columns = noise.reshape(samples, -1) / scale.ravel()
        first = columns[:, 0] * scale.flat[0]
        if said := _constant(columns) or _atoms(first, truth.flat[0]) or _one_sided(columns.ravel(), 1.0):
            return said
        if abs(np.median(columns)) > max(1, columns.std()) / 2:
            return words.OFF_CENTRE
        middles = np.abs(columns.mean(axis=0)) / np.maximum(1, columns.std(axis=0))
        if middles.max() > np.sqrt(2 * np.log(16 * truth.size / RISK) / samples):
            fault = words.OFF_CENTRE
            return words.ENTRY.format(entry=middles.argmax(), fault=fault) if truth.ndim else fault
        if said := _shared_noise(columns):
            return said
        each, together = _strays(columns, truth.size), _strays(columns.reshape(-1, 1), truth.size)
        limit = np.sqrt(np.log(16 / RISK) / (2 * columns.size))
        if not (each.any() or together.any()) and _normal_distance(columns.ravel()) <= limit:
            if hasattr(draw, "noise"):
                draw.noise.append(_as_laplace(_scaled(noise.reshape(samples, -1), truth, scale)))
            return ""
        slips, rest = {name: value / scale.ravel() for name, value in known.items()}, columns[:, ~each]
        said = _normal_diagnosis(columns, slips)
        if said in slips or not each.any() or not rest.size or _strays(rest.reshape(-1, 1), truth.size).any():
            return said
        entry = each.argmax()  # the others are right
        fault = _normal_diagnosis(columns[:, [entry]], {name: value[[entry]] for name, value in slips.items()})
        return words.ENTRY.format(entry=entry, fault=fault)

    requirement.asks = asks
    return requirement


def _strays(columns, entries):
    """Of which columns, in units of their scale, the mean square is not that of normal noise, by Chernoff's bound."""
    squares = np.mean(columns**2, axis=0)
    return len(columns) * (squares - 1 - np.log(squares)) / 2 > np.log(16 * (entries + 1) / RISK)


def _as_laplace(noise):
    """Standard normal noise, each number in the place of the Laplace number that is as far out: for `trouble`.

    The chance of lying farther out than z falls by a factor e over a distance of at least 1 / (|z| + 1). So the grain
    is multiplied by 1 + |z|, for the largest |z|.
    """
    from scipy.special import log_ndtr  # only here: see `requirements`

    sizes = np.abs(noise.scaled)
    far = -(np.log(2) + log_ndtr(-sizes))
    return Noise(np.sign(noise.scaled) * far, noise.grain * (1 + sizes.max()))


def _normal_distance(noise):
    """Kolmogorov's distance between numbers and the standard normal law."""
    from dpbook.gaussian import normal_probability  # only here: see `requirements`

    below = normal_probability(-np.inf, np.sort(noise))
    steps = np.arange(len(noise) + 1) / len(noise)
    return max(np.max(steps[1:] - below), np.max(below - steps[:-1]))


def _normal_diagnosis(columns, scales):
    """What is wrong with noise, one column an entry, in units of the scale it must have: a sentence."""
    spreads = np.abs(columns - np.median(columns, axis=0)).mean(axis=0) * np.sqrt(np.pi / 2)
    shape = np.mean(columns**2) / np.mean(np.abs(columns)) ** 2 * 2 / np.pi
    ratio = np.sqrt(np.mean(spreads**2))
    if abs(np.median(columns)) > ratio / 10:
        return words.OFF_CENTRE
    if abs(shape * np.mean(spreads) ** 2 / np.mean(spreads**2) - 4 / np.pi) < 0.06:
        return words.LAPLACE
    for sentence, value in scales.items():
        if np.all(np.abs(spreads / value - 1) < 0.2) and abs(ratio / np.sqrt(np.mean(value**2)) - 1) < 0.03:
            return sentence
    return words.scale(ratio, words.DEVIATION)


def _scaled(columns, truth, scale):
    """Noise in units of its scale; doubles near the releases lie so far apart, and the truth is exact to as much."""
    size = np.abs(truth).ravel() + np.abs(columns).max(axis=0)
    return Noise(columns / scale.ravel(), 8 * np.finfo(float).eps * np.max(size / scale.ravel()))


def _entries(known, shape):
    """The values of slips, spread over the entries."""
    known = {sentence: arguments.array("centres and sensitivities", value) for sentence, value in (known or {}).items()}
    return {sentence: np.broadcast_to(value, shape).ravel() for sentence, value in known.items()}


def _has_law(noise, law, epsilon, entries):
    limit = np.sqrt(np.log(2 / (RISK / (4 * entries))) / (2 * len(noise[0])))
    distances = [_distance(n, law[1], e) for n, e in zip(noise, (epsilon, 2 * epsilon), strict=True)]
    return max(distances) <= limit and not _atoms(noise[0], law[0])


def _shared_noise(columns):
    """Whether two entries' signs agree more, or less, often than those of fresh noise."""
    signs = np.sign(columns)
    pairs = max(1, signs.shape[1] * (signs.shape[1] - 1) // 2)
    agree = np.abs(np.triu(signs.T @ signs / len(signs), 1))
    if agree.max() <= np.sqrt(2 * np.log(2 / (RISK / (2 * pairs))) / len(signs)):
        return ""
    first, second = np.unravel_index(agree.argmax(), agree.shape)
    return words.entries(first, second)


def _distance(noise, sensitivity, epsilon):
    """Kolmogorov's distance between the noise and the Laplace law."""
    below = laplace_probability(-np.inf, np.sort(noise), 0, sensitivity, epsilon)
    steps = np.arange(len(noise) + 1) / len(noise)
    return max(np.max(steps[1:] - below), np.max(below - steps[:-1]))


def noise_diagnosis(noise, truth, sensitivity, epsilon, centres, sensitivities, sums):
    """What is wrong with noise, drawn at epsilon and at 2 epsilon, that is not Laplace: a sentence."""
    first, scale = noise[0], sensitivity / epsilon
    return (
        _constant(first)
        or _atoms(first, truth)
        or _one_sided(first, scale)
        or _off_centre(first, truth, scale, centres)
        or _wrong_with_epsilon(noise)
        or _known_spread(first, {sentence: _added(draws) * scale for sentence, draws in sums.items()})
        or _wrong_shape(first)
        or _known_spread(first, {sentence: value / epsilon for sentence, value in sensitivities.items()})
        or _wrong_spread(first, scale, sensitivity)
        or words.OTHER_SHAPE
    )


def _constant(noise):
    if np.ptp(noise) > 1e-9 * (1 + np.abs(noise).max()):
        return ""
    if np.abs(noise).max() < 1e-6:
        return words.NO_NOISE
    return words.SAME_EACH_TIME


def _atoms(noise, truth):
    releases = noise + truth
    if np.abs(releases - np.round(releases)).max() < 1e-9:
        return words.WHOLE
    for what, numbers in (("release", releases), ("noise", noise)):
        if digits := _digits(numbers):
            return words.DECIMALS.format(what=what, digits=counted(digits, "decimal"))
    if on_grid(noise, 8 * np.finfo(float).eps * (abs(truth) + np.abs(noise).max())):
        return words.ON_GRID
    most = np.unique(noise, return_counts=True)[1].max()
    if most > len(noise) / 20:
        return words.CUT
    return words.REPEATED if most > 2 else ""


def _digits(numbers):
    """To how many decimals, up to 12, all numbers are rounded; 0 if they are not."""
    powers = 10.0 ** np.arange(1, 13)
    exactly = 16 * np.finfo(float).eps * np.abs(numbers).max() * powers
    likely = (exactly < 0.01) & np.all(off(numbers[:9, None] * powers) < 0.1, axis=0)  # a few first: most fail there
    for power, known in zip(powers[likely], exactly[likely], strict=True):
        if off(numbers * power).max() <= max(known, 1e-6):
            return round(np.log10(power))
    return 0


def _one_sided(noise, scale):
    nearest = min(abs(noise.min()), abs(noise.max()))
    one_sided = noise.min() >= 0 or noise.max() <= 0
    return words.ONE_SIDED if one_sided and nearest < scale / 20 else ""


def _off_centre(noise, truth, scale, centres):
    middle = np.median(noise)
    if abs(middle) < max(scale, _spread(noise)) / 10:
        return ""
    for sentence, value in centres.items():
        if abs(middle + truth - value) < scale / 10:
            return sentence
    return words.OFF_CENTRE_BY.format(off=middle)


def _spread(noise):
    return np.abs(noise - np.median(noise)).mean()


def _wrong_with_epsilon(noise):
    once, twice = (np.median(np.abs(n - np.median(n))) for n in noise)  # medians: heavy tails do not move them
    ratio = twice / once
    if abs(ratio - 0.5) < 0.05:
        return ""
    yours = words.UNCHANGED if abs(ratio - 1) < 0.1 else words.MULTIPLIED.format(ratio=ratio)
    return words.EPSILON.format(yours=yours)


def _wrong_shape(noise):
    """Whose size says nothing: a normal law, or one farther from a Laplace law of its size than 4% of size explain."""
    if abs(noise.std() / _spread(noise) - np.sqrt(np.pi / 2)) < 0.02:
        return words.NORMAL
    return words.OTHER_SHAPE if _distance(noise - np.median(noise), _spread(noise), 1.0) > 0.04 else ""


def _added(draws):
    """The mean size of so many Laplace draws of scale 1, added up."""
    return 2 * draws * math.comb(2 * draws, draws) / 4**draws


def _known_spread(noise, scales):
    """The sentence whose scale is within 4% of the noise's, or ""."""
    return next((sentence for sentence, scale in scales.items() if abs(_spread(noise) / scale - 1) < 0.04), "")


def _wrong_spread(noise, scale, sensitivity):
    ratio = _spread(noise) / scale
    if abs(ratio - 1) < 0.04:
        return ""
    usual = {
        words.OF_ONE: scale / sensitivity,
        words.HALF: scale / 2,
        words.NOT_DEVIATION: scale / np.sqrt(2),
        words.NO_ROOT: scale * np.sqrt(2),
    }
    return _known_spread(noise, usual) or words.scale(ratio, words.SIZE)


def discrete_law(call, outcomes, probabilities, slips=None, samples=SAMPLES, steeper=None) -> Callable:
    """`function(*call, rng)` must give each of `outcomes` with its probability, and nothing else.

    An outcome is a number, or an array: one row of `outcomes` each. No share of `samples` may be farther from its
    probability than Chernoff's bound allows at RISK over twice the number of outcomes.
    `slips` maps a sentence to the probabilities that a known mistake has instead of the right ones. It may also be a
    function that gives this dict, called only after a failure. `steeper` has the probabilities with STEEPER times the
    epsilon, where the outcomes that gain by it are not the likely ones. All draws of a task are judged by it.
    Raises ValueError for probabilities that are not one an outcome, below 0, or do not add up to 1.
    """
    outcomes = arguments.array("outcomes", outcomes)
    expected = _distribution("probabilities", probabilities, len(outcomes))
    known = slips if callable(slips) else partial(dict, slips or {})
    if not callable(slips):
        _laws(known, len(outcomes))
    growth = None if steeper is None else _growth(expected, _distribution("steeper", steeper, len(outcomes)))
    limit = np.log(2 * len(outcomes) / RISK) / samples
    asks = [call], samples, outcomes.shape[1:]

    def requirement(draw):
        shares = _shares(draw(*asks)[0], outcomes)
        if shares is None:
            return words.IMPOSSIBLE
        if np.all(divergence(shares, expected) <= limit):
            if hasattr(draw, "noise"):
                draw.noise.append(Choices(samples * shares, expected, growth))
            return ""
        for sentence, law in _laws(known, len(outcomes)).items():
            if np.all(divergence(shares, law) <= limit):
                return sentence
        if shares.max() == 1 and samples > 1:
            return words.NOT_DRAWN
        worst = np.argmax(divergence(shares, expected))
        name = ", ".join(f"{number:g}" for number in outcomes[worst].flat)
        return words.OFTEN.format(outcome=name, share=_percent(shares[worst]), right=_percent(expected[worst]))

    requirement.asks = asks
    return requirement


def _percent(share):
    """A share in per cent, never rounded to 0 or 100 if it is neither."""
    return f"{share:.1%}" if share in (0, 1) or 0.001 <= share <= 0.999 else f"{100 * share:.4g}%"


def _growth(law, steeper):
    """How ln p changes with ln epsilon, from the law with STEEPER times the epsilon."""
    possible = (law > 0) & (steeper > 0)
    return np.log(np.where(possible, steeper, 1) / np.where(possible, law, 1)) / np.log(STEEPER)


def _laws(slips, size):
    return {sentence: _distribution("slips", law, size) for sentence, law in slips().items()}


def _distribution(name, law, size):
    law = arguments.vector(name, law)
    if len(law) != size or law.min() < 0 or abs(law.sum() - 1) > 1e-9:
        arguments.refuse(name, law, f"{size} probabilities that add up to 1")
    return law


def _shares(outputs, outcomes):
    """The share of each outcome among the outputs; None if one of the outputs is no outcome."""
    both = np.concatenate([outcomes, outputs]).reshape(len(outcomes) + len(outputs), -1)
    kinds, place = np.unique(both, axis=0, return_inverse=True)
    if len(kinds) > len(outcomes):
        return None
    counted = np.bincount(place.ravel()[len(outcomes) :], minlength=len(kinds))
    return counted[place.ravel()[: len(outcomes)]] / len(outputs)
