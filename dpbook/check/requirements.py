"""Instant feedback on an exercise: one plain line, in seconds, the same judgement that the grader makes later.

`check(function, requirement, ...)` tries the requirements in order and says "right", or what the first one that fails
has to say. That is "keep going: ..." where an answer is wrong, "not yet: ..." where there is nothing to judge. A
requirement is a function of `draw` that returns "" or a sentence. `draw` is the only way to the student's function,
which may run here or in another process. One that draws once says in its `asks` what it will ask for, so that this may
be drawn before. One that stands for several has their number in its `statements`. Each requirement fails a right answer
with probability at most RISK, and a task has at most MOST of them. So a right answer is refused with probability at
most FALSE_ALARM. What is wrong is worked out only after a failure.
The laws that releases must have are in `dpbook.check.laws`; what is wrong with noise, in `dpbook.check.diagnoses`;
what all noise of a task says, in `dpbook.check.noise`.
Source: beyond the seeds.  Notebooks: the exercises.
"""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice, permutations

import numpy as np

from dpbook import arguments
from dpbook.check import words
from dpbook.check.cells import runs, stale
from dpbook.check.noise import divergence, trouble

SAMPLES = 10_000  # releases that a requirement draws for one dataset
MOST = 50  # requirements in a task, with the one about all its noise
FALSE_ALARM = 1e-8  # the most that a right answer is refused with
REPEATED = 100  # releases that must come twice: a choice that falls alike at 4 of 5 does it with probability 2e-10
COUPLED, COUPLING = 200, 20_11  # releases of two neighbours that are compared, and the seed that both get
RISK = FALSE_ALARM / MOST  # the most that a requirement adds to that


runs()  # from here on, in a notebook: see `check`


class Unusable(Exception):
    """There is nothing to judge; the message says why."""


class WrongOutput(Exception):
    """A function gave something that is no number, or numbers of another shape than was asked for."""


class GaveNothing(WrongOutput):
    """A function came to its end without a value."""


class NotRight(AssertionError):
    """What `check` found while nbgrader validates a page, where a line alone would count as right."""


@dataclass(frozen=True)
class Verdict:
    """What a check found: `right` or not, and the `line` that says so.

    `hint` is for a human who grades: what is right may still deserve a look. `asks` is what the requirement that failed
    has asked for, where it says that.
    """

    right: bool
    line: str
    hint: str = ""
    asks: tuple = field(default=(), compare=False)

    def __repr__(self):
        return self.line


def check(function, *requirements):
    """The `Verdict` on a function, called here and with the same seeds each time; a notebook shows its line.

    It judges what the cell above defines: where that has run once more and failed, it says so and judges nothing older.
    `nbgrader validate` knows only cells that fail and cells that do not. So while it runs a page, what is not right
    raises `NotRight` with the line.
    """
    if stale(function):
        verdict = Verdict(False, f"not yet: {words.STALE.format(name=function.__name__)}")
    else:
        verdict = judge(draws_here(function), requirements)
    if not verdict.right and os.environ.get("NBGRADER_EXECUTION") == "validate":
        raise NotRight(verdict.line)
    return verdict


def judge(draw, requirements, noise=None):
    """The `Verdict` on whatever `draw` draws from: of the first requirement that fails, or "right".

    `draw(calls, samples=None, shape=(), seed=None)` calls the function once with each tuple of arguments in `calls`. If
    `samples` is given, it calls it that many times for each, with a generator as last argument. It returns a float
    array (calls, samples or 1, *shape), and raises `Unusable` where it cannot. `noise` is a list that takes up the
    noise for `judge_noise`, which otherwise is asked here, at the end. A requirement may have a `hint(draw)`, for a
    human, which takes no points.
    Raises ValueError for no requirements or more than `MOST`.
    """
    arguments.whole("number of requirements", len(requirements), 1, MOST - 1)
    heard = [] if noise is None else noise
    finite = _finite(draw, heard)
    try:
        for requirement in requirements:
            if sentence := requirement(finite):
                return Verdict(False, f"keep going: {sentence}", asks=getattr(requirement, "asks", ()))
        hints = [requirement.hint(finite) for requirement in requirements if hasattr(requirement, "hint")]
    except Unusable as reason:
        return Verdict(False, f"not yet: {reason}")
    last = judge_noise(heard) if noise is None else Verdict(True, words.RIGHT)
    return Verdict(last.right, last.line, "; ".join(filter(None, hints)))


def judge_noise(noise):
    """The `Verdict` on all the noise, and all the choices, that requirements took up."""
    sentence = trouble(noise, RISK)
    return Verdict(not sentence, f"keep going: {sentence}" if sentence else words.RIGHT)


def _finite(draw, noise):
    """The same draws, unusable if one is NaN or infinite; requirements add to its list `noise`."""

    def finite_draw(*args, **options):
        outputs = draw(*args, **options)
        if not np.isfinite(outputs).all():
            raise Unusable(words.NOT_FINITE)
        return outputs

    finite_draw.noise = noise
    return finite_draw


def draws_here(function, seed=1):
    """A `draw` that calls `function` in this process; `seed` is where the generators of its calls come from."""
    seeds = np.random.SeedSequence(arguments.whole("seed", seed, 0))
    name = getattr(function, "__name__", "the answer")

    def draw(calls, samples=None, shape=(), seed=None):
        seed = seeds.spawn(1)[0] if seed is None else own_seed(seeds, seed)
        try:
            return collect(function, calls, samples, shape, seed)
        except NotImplementedError:
            raise Unusable(words.NO_ANSWER) from None
        except WrongOutput as wrong:
            raise Unusable(words.GAVE.format(name=name, what=wrong)) from None
        except Exception as error:  # the student's own code: whatever it raises is a line of feedback
            kind, message = type(error).__name__, str(error)[:120]
            raise Unusable(words.RAISED.format(name=name, kind=kind, message=message)) from None

    return draw


def own_seed(seeds, seed):
    """The seed that a requirement asks for, made one that only who draws knows: `seeds` are where theirs come from."""
    return np.random.SeedSequence([seeds.entropy, seed])


def collect(function, calls, samples, shape, seed):
    """The outputs of `function`, called as `judge` says, as a float array (calls, samples or 1, *shape).

    It gets its arrays read-only. Raises WrongOutput for other outputs than real numbers of `shape`.
    """
    extra = () if samples is None else (np.random.default_rng(seed),)
    shape = tuple(shape)
    outputs = np.empty((len(calls), samples or 1, *shape))
    for place, call in enumerate(calls):
        call = [_read_only(argument) for argument in call]
        row = outputs[place]
        for repeat in range(len(row)):
            output = function(*call, *extra)
            row[repeat] = output if type(output) in (float, np.float64) and not shape else _numbers(output, shape)
    return outputs


def _read_only(argument):
    if isinstance(argument, np.ndarray):
        argument = argument.copy()
        argument.setflags(write=False)
    elif type(argument) in (list, tuple):  # of arrays, as one a person
        argument = type(argument)(_read_only(one) for one in argument)
    return argument


def _numbers(output, shape):
    if output is None:
        raise GaveNothing(words.NOTHING)
    given = np.asarray(output)
    if given.dtype.kind not in "biuf":
        raise WrongOutput(words.OTHER.format(what=f"a {type(output).__name__}", wanted=_shape_words(shape)))
    if given.shape != shape:
        raise WrongOutput(words.OTHER.format(what=_shape_words(given.shape), wanted=_shape_words(shape)))
    return given


def _shape_words(shape):
    return words.AN_ARRAY.format(shape=shape) if shape else words.A_NUMBER


def own_order(things, variant):
    """The same things in a list, the last three in one of six orders: `variant` 0 leaves them as they are."""
    last = islice(permutations(things[-3:]), variant % math.factorial(len(things[-3:])), None)
    return [*things[:-3], *next(last)]


def answers(calls, expected, slips=None, tolerance=1e-6, share=1.0, variant=0, unit=1) -> Callable:
    """Calls must give their expected number, or array, within `tolerance`; at least a `share` of them.

    `expected` has one row a call, in units of `unit`. `slips` maps a sentence to what a known mistake gives for the
    same calls, likewise. All of them stand in the order of this `variant`.
    """
    expected = unit * arguments.array("expected", expected)
    slips = {sentence: unit * arguments.array("slips", values) for sentence, values in (slips or {}).items()}
    if variant:
        calls, places = own_order(calls, variant), own_order(range(len(calls)), variant)
        expected, slips = expected[places], {sentence: values[places] for sentence, values in slips.items()}
    needed = math.ceil(share * len(calls))
    asks = calls, None, expected.shape[1:]

    def requirement(draw):
        given = draw(*asks)[:, 0]
        right = _same(given, expected, tolerance)
        if np.count_nonzero(right) >= needed:
            return ""
        for sentence, values in slips.items():
            if np.all(_same(given, values, tolerance)):
                return sentence
        if share < 1:
            return words.SOME_RIGHT.format(right=np.count_nonzero(right), calls=len(calls), needed=needed)
        return words.SOME_WRONG.format(wrong=np.count_nonzero(~right), calls=len(calls))

    requirement.asks = asks
    return requirement


def _same(given, expected, tolerance):
    """For each call, whether all its numbers are within `tolerance`."""
    return np.all(np.abs(given - expected) <= tolerance, axis=tuple(range(1, given.ndim)))


def repeatable(call, shape=()) -> Callable:
    """Two generators with the same seed must give the same outputs: all the randomness comes from `rng`."""

    def requirement(draw):
        first, second = (draw([call], REPEATED, shape, seed=7) for _ in range(2))
        return "" if np.array_equal(first, second) else words.NOT_FROM_RNG

    return requirement


def accurate(call, truth, within, share, shape=(), error=None) -> Callable:
    """At least a `share` of the releases must lie `within` of the truth: the mechanism must be of use as well.

    `error(releases, truth)` gives one number a release; by default the largest absolute difference of its entries. A
    mechanism that does this with probability `share` or more is refused with probability at most RISK (Chernoff).
    """
    share, error = arguments.probability("share", share), error or _largest_error

    def requirement(draw):
        errors = error(draw([call], SAMPLES, shape)[0], truth)
        hits = np.count_nonzero(errors <= within)
        if hits >= share * SAMPLES or SAMPLES * divergence(hits / SAMPLES, share) <= -np.log(RISK):
            return ""
        return words.NOT_NEAR.format(share=hits / SAMPLES, within=within, needed=share)

    return requirement


def _largest_error(releases, truth):
    return np.abs(releases - truth).reshape(len(releases), -1).max(axis=1)


def private(call, neighbour_call, epsilon, shape=(), samples=SAMPLES, additive=False, *, delta=0) -> Callable:
    """The audit must not refute `epsilon` (at `delta`) on two calls whose data are neighbours: the caller's word.

    Where the mechanism is `additive` (an answer and noise), both neighbours get the same seeds. A human is told if
    these add different noise to the two. A right answer may do so, but so does noise that hides something of the data.
    The audit stands as it is: its limits hold for each side by itself, and releases of a side are independent.
    """
    return all_private([(call, neighbour_call, epsilon)], shape, samples, additive, delta=delta)


def all_private(pairs, shape=(), samples=SAMPLES, additive=False, *, delta=0) -> Callable:
    """`private` on several pairs (call, neighbour_call, epsilon), each an audit of its own.

    All first calls are drawn together and all neighbours together: where that is in two processes, none of them sees
    both sides of a pair.
    """
    chance, first = {"seed": COUPLING} if additive else {}, []
    arguments.whole("number of pairs", len(pairs), 1, MOST - 1)

    def requirement(draw):
        sides = [draw([pair[side] for pair in pairs], samples, shape, **chance) for side in (0, 1)]
        first[:] = [side[:, :COUPLED] for side in sides]
        for (_, _, epsilon), *outputs in zip(pairs, *sides, strict=True):
            bound = _audit(lambda data, rng, size: data, *outputs, samples, delta)
            if bound > epsilon:
                return words.LOSS.format(bound=bound, epsilon=epsilon)
        return ""

    def hint(_):
        alike = [_moved_alike(one, other) for one, other in zip(*first, strict=True)]
        return "" if all(alike) else words.UNLIKE

    if additive:
        requirement.hint = hint
    requirement.statements = len(pairs)
    return requirement


def _moved_alike(one, other):
    """Whether all releases of one side are as far from those of the other, up to rounding."""
    exactly = 64 * np.finfo(float).eps * max(np.abs(one).max(), np.abs(other).max())
    return np.ptp(one - other, axis=0).max() <= exactly


def shows_loss(mechanism, call, records, bounds, least) -> Callable:
    """The function must give `records` records within `bounds` on which the audit convicts `mechanism(data, rng)`.

    The neighbour is the dataset without its last record; the loss certified must be `least`. The audit's seed is
    fixed, so the same records always get the same verdict.
    """
    low, high = arguments.interval("bounds", bounds)

    def requirement(draw):
        data = draw([call], shape=(records,))[0, 0]
        if data.min() < low or data.max() > high:
            return words.OUTSIDE
        bound = _audit(mechanism, data, data[:-1])
        return words.TOO_LITTLE.format(bound=bound, least=least) if bound < least else ""

    return requirement


def _audit(mechanism, data, neighbour, samples=SAMPLES, delta=0):
    """The loss certified between two datasets; above the true loss with probability at most RISK."""
    from dpbook.audit import epsilon_lower_bound  # only here: it needs scipy, and jailed runs have no time for that

    rng = np.random.default_rng(1)
    return epsilon_lower_bound(mechanism, data, neighbour, samples, rng, 1 - RISK, delta=delta).epsilon
