"""Instant feedback on an exercise: one plain line, in seconds, the same judgement that the grader makes later.

`check(function, requirement, ...)` tries the requirements in order and says "right", or what the first one that fails
has to say: "keep going: ..." where an answer is wrong, "not yet: ..." where there is nothing to judge. A requirement is
a function of `draw` that returns "" or a sentence; `draw` is the only way to the student's function, which may run here
or in another process. Each requirement fails a right answer with probability at most RISK, and MOST of them make a
task, so a right answer is refused less than once in a million times. What is wrong is worked out only after a failure.
Source: beyond the seeds.  Notebooks: the exercises.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpbook import arguments
from dpbook.laplace import laplace_probability, noise_scale

SAMPLES = 10_000  # releases that a requirement draws for one dataset
RISK = 1e-8  # the most that a requirement adds to the probability of refusing a right answer
MOST = 50  # requirements in a task


class Unusable(Exception):
    """There is nothing to judge; the message says why."""


class WrongOutput(Exception):
    """A function gave something that is no number, or numbers of another shape than was asked for."""


@dataclass(frozen=True)
class Verdict:
    """What a check found: `right` or not, and the `line` that says so."""

    right: bool
    line: str

    def __repr__(self):
        return self.line


def check(function, *requirements):
    """The `Verdict` on a function, called here and with the same seeds each time; a notebook shows its line."""
    return judge(draws_here(function), requirements)


def judge(draw, requirements):
    """The `Verdict` on whatever `draw` draws from: of the first requirement that fails, or "right".

    `draw(calls, samples=None, shape=(), seed=None)` calls the function once with each tuple of arguments in `calls`, or
    `samples` times with a generator as last argument, and returns a float array (calls, samples or 1, *shape); it
    raises `Unusable` where it cannot. Raises ValueError for no requirements or more than `MOST`.
    """
    arguments.whole("number of requirements", len(requirements), 1, MOST)
    try:
        for requirement in requirements:
            if sentence := requirement(_finite(draw)):
                return Verdict(False, f"keep going: {sentence}")
    except Unusable as reason:
        return Verdict(False, f"not yet: {reason}")
    return Verdict(True, "right")


def _finite(draw):
    """The same draws, unusable if one is NaN or infinite."""

    def finite_draw(*args, **options):
        outputs = draw(*args, **options)
        if not np.isfinite(outputs).all():
            raise Unusable("a result is NaN or infinite")
        return outputs

    return finite_draw


def draws_here(function, seed=1):
    """A `draw` that calls `function` in this process; `seed` is where the generators of its calls come from."""
    seeds = np.random.SeedSequence(arguments.whole("seed", seed, 0))
    name = getattr(function, "__name__", "the answer")

    def draw(calls, samples=None, shape=(), seed=None):
        seed = seeds.spawn(1)[0] if seed is None else seed
        try:
            return collect(function, calls, samples, shape, seed)
        except NotImplementedError:
            raise Unusable("write your answer into the cell above, and run it") from None
        except WrongOutput as wrong:
            raise Unusable(f"{name} gave {wrong}") from None
        except Exception as error:  # the student's own code: whatever it raises is a line of feedback
            raise Unusable(f"{name} raised {type(error).__name__}: {str(error)[:120]}") from None

    return draw


def collect(function, calls, samples, shape, seed):
    """The outputs of `function`, called as `judge` says, as a float array (calls, samples or 1, *shape).

    It gets its arrays read-only. Raises WrongOutput for other outputs than real numbers of `shape`.
    """
    extra = () if samples is None else (np.random.default_rng(seed),)
    outputs = np.empty((len(calls), samples or 1, *shape))
    for place, call in enumerate(calls):
        call = [_read_only(argument) for argument in call]
        for repeat in range(outputs.shape[1]):
            outputs[place, repeat] = _numbers(function(*call, *extra), tuple(shape))
    return outputs


def _read_only(argument):
    if isinstance(argument, np.ndarray):
        argument = argument.copy()
        argument.setflags(write=False)
    return argument


def _numbers(output, shape):
    given = np.asarray(output)
    if given.dtype.kind not in "biuf":
        raise WrongOutput(f"a {type(output).__name__} where {_shape_words(shape)} was asked for")
    if given.shape != shape:
        raise WrongOutput(f"{_shape_words(given.shape)} where {_shape_words(shape)} was asked for")
    return given


def _shape_words(shape):
    return f"an array of shape {shape}" if shape else "a number"


def answers(calls, expected, slips=None, tolerance=1e-6) -> Callable:
    """Each call must give its expected number, within `tolerance`.

    `slips` maps a sentence to the numbers that a known mistake gives for the same calls.
    """
    expected = arguments.vector("expected", expected)
    slips = {sentence: arguments.vector("slips", values) for sentence, values in (slips or {}).items()}

    def requirement(draw):
        given = draw(calls)[:, 0]
        if np.all(np.abs(given - expected) <= tolerance):
            return ""
        for sentence, values in slips.items():
            if np.all(np.abs(given - values) <= tolerance):
                return sentence
        return f"{np.count_nonzero(np.abs(given - expected) > tolerance)} of {len(calls)} answers are wrong"

    return requirement


def repeatable(call) -> Callable:
    """Two generators with the same seed must give the same outputs: all the randomness comes from `rng`."""

    def requirement(draw):
        first, second = (draw([call], 5, seed=7) for _ in range(2))
        same = "with the same generator twice, the releases differ: draw all noise from rng"
        return "" if np.array_equal(first, second) else same

    return requirement


def laplace_law(data, truth, sensitivity, epsilon, centres=None, sensitivities=None) -> Callable:
    """`function(*data, epsilon, rng)` must release `truth` with Laplace noise of scale sensitivity / epsilon.

    Judged at epsilon and at 2 epsilon by the largest distance between the empirical distribution and the exact one,
    which exceeds sqrt(ln(2 / risk) / 2n) with probability at most `risk` (Dvoretzky, Kiefer, Wolfowitz; Massart 1990);
    and by whole releases or one number three times, which 10,000 draws of 53 random bits give less often than RISK.
    `centres` and `sensitivities` map a sentence to the value that a known mistake has in place of the right one.
    Raises ValueError for a truth beyond a million scales, where doubles are too coarse for that.
    """
    if abs(truth) > 1e6 * noise_scale(sensitivity, epsilon):
        arguments.refuse("truth", truth, "within a million scales of 0")
    limit = np.sqrt(np.log(2 / (RISK / 2)) / (2 * SAMPLES))

    def requirement(draw):
        noise = [draw([(*data, e)], SAMPLES)[0] - truth for e in (epsilon, 2 * epsilon)]
        distances = [_distance(n, sensitivity, e) for n, e in zip(noise, (epsilon, 2 * epsilon), strict=True)]
        if max(distances) <= limit and not _atoms(noise[0], truth):
            return ""
        return noise_diagnosis(noise, truth, sensitivity, epsilon, centres or {}, sensitivities or {})

    return requirement


def _distance(noise, sensitivity, epsilon):
    """Kolmogorov's distance between the noise and the Laplace law."""
    below = laplace_probability(-np.inf, np.sort(noise), 0, sensitivity, epsilon)
    steps = np.arange(len(noise) + 1) / len(noise)
    return max(np.max(steps[1:] - below), np.max(below - steps[:-1]))


def noise_diagnosis(noise, truth, sensitivity, epsilon, centres, sensitivities):
    """What is wrong with noise, drawn at epsilon and at 2 epsilon, that is not Laplace: a sentence."""
    first, scale = noise[0], sensitivity / epsilon
    return (
        _constant(first)
        or _atoms(first, truth)
        or _one_sided(first, scale)
        or _off_centre(first, truth, scale, centres)
        or _wrong_with_epsilon(noise)
        or _known_spread(first, {sentence: value / epsilon for sentence, value in sensitivities.items()})
        or _wrong_shape(first)
        or _wrong_spread(first, scale, sensitivity)
        or "the spread is right, but the noise does not have the Laplace distribution"
    )


def _constant(noise):
    if np.ptp(noise) > 1e-9 * (1 + np.abs(noise).max()):
        return ""
    if np.abs(noise).max() < 1e-6:
        return "this is the true answer, without any noise"
    return "the release is the same each time: use the generator you are given, not one with a seed of its own"


def _atoms(noise, truth):
    releases = noise + truth
    if np.abs(releases - np.round(releases)).max() < 1e-9:
        return "every release is a whole number: rounding costs no privacy, but here the noise is asked for unrounded"
    most = np.unique(noise, return_counts=True)[1].max()
    if most > len(noise) / 20:
        return "many releases are the same number, so the release is cut or rounded: only the records have bounds"
    return "now and then the very same number is released: noise never repeats" if most > 2 else ""


def _one_sided(noise, scale):
    nearest = min(abs(noise.min()), abs(noise.max()))
    one_sided = noise.min() >= 0 or noise.max() <= 0
    return "the noise has only one sign: it must go up and down" if one_sided and nearest < scale / 20 else ""


def _off_centre(noise, truth, scale, centres):
    middle = np.median(noise)
    if abs(middle) < scale / 10:
        return ""
    for sentence, value in centres.items():
        if abs(middle + truth - value) < scale / 10:
            return sentence
    return f"the releases do not centre on the right answer: half of them are above a value that is {middle:+.3g} off"


def _spread(noise):
    return np.abs(noise - np.median(noise)).mean()


def _wrong_with_epsilon(noise):
    ratio = _spread(noise[1]) / _spread(noise[0])
    if abs(ratio - 0.5) < 0.05:
        return ""
    yours = "did not change" if abs(ratio - 1) < 0.1 else f"was multiplied by {ratio:.2g}"
    return f"with epsilon doubled the spread should halve; yours {yours}"


def _wrong_shape(noise):
    normal = abs(noise.std() / _spread(noise) - np.sqrt(np.pi / 2)) < 0.02
    return "this noise is normal, not Laplace: far out its ratios have no limit" if normal else ""


def _known_spread(noise, scales):
    """The sentence whose scale is within 4 % of the noise's, or ""."""
    return next((sentence for sentence, scale in scales.items() if abs(_spread(noise) / scale - 1) < 0.04), "")


def _wrong_spread(noise, scale, sensitivity):
    ratio = _spread(noise) / scale
    if abs(ratio - 1) < 0.04:
        return ""
    usual = {
        "the noise is that of a query with sensitivity 1: how far can one record move this one?": scale / sensitivity,
        "the spread is half of what it must be": scale / 2,
        "the scale is the mean absolute noise, not the standard deviation": scale / np.sqrt(2),
        "the scale is the mean absolute noise: no square root of 2 belongs there": scale * np.sqrt(2),
    }
    cost = "so the promise is broken" if ratio < 1 else "which is private but wastes accuracy"
    return _known_spread(noise, usual) or f"the spread is {ratio:.2g} times what it must be, {cost}"


def private(call, neighbour_call, epsilon) -> Callable:
    """The audit must not refute `epsilon` on two calls whose data are neighbours (the caller's word, and relation)."""

    def requirement(draw):
        outputs = [draw([one], SAMPLES)[0] for one in (call, neighbour_call)]
        bound = _audit(lambda data, rng, size: data, *outputs)
        return f"two neighbours lose {bound:.2f}, where {epsilon:g} is promised" if bound > epsilon else ""

    return requirement


def shows_loss(mechanism, call, records, bounds, least) -> Callable:
    """The function must give `records` records within `bounds` on which the audit convicts `mechanism(data, rng)`.

    The neighbour is the dataset without its last record; the loss certified must be `least`. The audit's seed is
    fixed, so the same records always get the same verdict.
    """
    low, high = arguments.interval("bounds", bounds)

    def requirement(draw):
        data = draw([call], shape=(records,))[0, 0]
        if data.min() < low or data.max() > high:
            return "a record lies outside the public bounds"
        bound = _audit(mechanism, data, data[:-1])
        return f"on these records the audit certifies {bound:.2f}; {least:g} is asked" if bound < least else ""

    return requirement


def _audit(mechanism, data, neighbour):
    """The loss certified between two datasets; above the true loss with probability at most RISK."""
    from dpbook.audit import epsilon_lower_bound  # with scipy: half a second that the jailed runs need not spend

    return epsilon_lower_bound(mechanism, data, neighbour, SAMPLES, np.random.default_rng(1), 1 - RISK).epsilon
