"""The laws that the releases of an exercise must have, as requirements of `dpbook.check`.

`laplace_law` and `normal_law` are for numbers and vectors with such noise, `discrete_law` for choices, yes-and-no
answers, and whatever else has few possible outputs. All judge the whole distribution against the exact one, so that a
mechanism that is private only by far too much noise does not pass.
Source: beyond the seeds.  Notebooks: the exercises.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from dpbook import arguments
from dpbook.check import words
from dpbook.check.diagnoses import (
    atoms,
    constant,
    laplace_diagnosis,
    laplace_distance,
    normal_diagnosis,
    normal_distance,
    one_sided,
)
from dpbook.check.noise import Choices, Noise, divergence
from dpbook.check.requirements import RISK, SAMPLES

STEEPER = 1.05  # times epsilon: what `discrete_law` compares with


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
            fault = laplace_diagnosis(one, *law, epsilon, *known, sums or {})
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
        if said := constant(columns) or atoms(first, truth.flat[0]) or one_sided(columns.ravel(), 1.0):
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
        if not (each.any() or together.any()) and normal_distance(columns.ravel()) <= limit:
            if hasattr(draw, "noise"):
                draw.noise.append(_as_laplace(_scaled(noise.reshape(samples, -1), truth, scale)))
            return ""
        slips, rest = {name: value / scale.ravel() for name, value in known.items()}, columns[:, ~each]
        said = normal_diagnosis(columns, slips)
        if said in slips or not each.any() or not rest.size or _strays(rest.reshape(-1, 1), truth.size).any():
            return said
        entry = each.argmax()  # the others are right
        fault = normal_diagnosis(columns[:, [entry]], {name: value[[entry]] for name, value in slips.items()})
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
    distances = [laplace_distance(n, law[1], e) for n, e in zip(noise, (epsilon, 2 * epsilon), strict=True)]
    return max(distances) <= limit and not atoms(noise[0], law[0])


def _shared_noise(columns):
    """Whether two entries' signs agree more, or less, often than those of fresh noise."""
    signs = np.sign(columns)
    pairs = max(1, signs.shape[1] * (signs.shape[1] - 1) // 2)
    agree = np.abs(np.triu(signs.T @ signs / len(signs), 1))
    if agree.max() <= np.sqrt(2 * np.log(2 / (RISK / (2 * pairs))) / len(signs)):
        return ""
    first, second = np.unravel_index(agree.argmax(), agree.shape)
    return words.entries(first, second)


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
