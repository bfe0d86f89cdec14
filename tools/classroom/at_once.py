"""Draws of mechanisms of our own, all releases at once where that can be: tables need more than a class waits for.

As `draws_here` they are, for `verdict_of`: of added noise by the answer and the scales, of one choice or one number by
its distribution, each taken from the function's own program; else release by release.
"""

import functools

import numpy as np

from dpbook.check import collect, draws_here, own_seed
from dpbook.claims.listening import Transcript


class Constant(np.random.Generator):
    """A generator whose Laplace and normal numbers are all the same, in units of their scale."""

    def __init__(self, number, seed=1):
        super().__init__(np.random.PCG64(seed))
        self.number = number

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return loc + np.multiply(scale, np.full(np.shape(scale) if size is None else size, self.number))

    normal = laplace


class Given(np.random.Generator):
    """A generator whose Laplace and normal numbers, in units of their scale, are these, one after the other.

    Where they end it draws more, normal ones; `drawn` are all that it has handed out.
    """

    def __init__(self, numbers=()):
        super().__init__(np.random.PCG64(1))
        self.numbers, self.drawn = np.asarray(numbers, float), np.zeros(0)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        shape = np.shape(scale) if size is None else size
        given = self.numbers[self.drawn.size :][: int(np.prod(shape))]
        now = np.append(given, super().normal(size=int(np.prod(shape)) - given.size))
        self.drawn = np.append(self.drawn, now)
        return loc + np.multiply(scale, now.reshape(shape))

    normal = laplace


class Spoilt(np.random.Generator):
    """A generator whose normal numbers are those of another one, changed by `change(noise, rng)`."""

    def __init__(self, rng, change):
        super().__init__(rng.bit_generator)
        self.change = change

    def normal(self, loc=0.0, scale=1.0, size=None):
        noise = super().normal(size=np.shape(scale) if size is None else size)
        return loc + scale * self.change(noise.reshape(1, -1), self).reshape(noise.shape)


def additive_draws(function, change, seed, noise="laplace"):
    """Draws of a mechanism that adds Laplace or normal numbers to the entries of an answer: all releases at once.

    Each entry has a number of its own, or sums of them with weights. The answer, scales and weights are what the
    function itself gives with noise 0, noise 1, and one number 1. Where the answer is drawn too (that of a sample), the
    function makes one release at a time.
    """
    seeds = np.random.SeedSequence(seed)

    def draw(calls, samples=None, shape=(), seed=None):
        chosen, outputs = seeds.spawn(1)[0] if seed is None else own_seed(seeds, seed), []
        rng = np.random.default_rng(chosen)
        for call in calls:
            truth, moved = (_numbers(function, call, Constant(number)) for number in (0.0, 1.0))
            if noise == "normal" and is_drawn(function, call, truth):
                one_by_one = functools.partial(_with_noise, function, change)
                outputs += list(collect(one_by_one, [call], samples, shape, chosen.spawn(1)[0]))
                continue
            weights = _weights(function, call, truth, moved)
            noises = change(getattr(rng, noise)(size=(samples, len(weights))), rng)
            noises = noises * weights if weights.ndim == 1 else noises @ weights
            outputs.append((truth + noises).reshape(samples, *shape))
        return np.array(outputs)

    return draw


def _weights(function, call, truth, moved):
    """By how much each number that is drawn moves its own entry; where entries share, all of them, a row a number."""
    given = Given()
    once = _numbers(function, call, given)
    if given.drawn.size == truth.size and np.allclose(once, truth + (moved - truth) * given.drawn):
        return moved - truth
    ones = np.eye(given.drawn.size)
    weights = np.array([_numbers(function, call, Given(one)) for one in ones]).reshape(len(ones), truth.size) - truth
    if not np.allclose(once, truth + given.drawn @ weights):
        raise ValueError("the answer is no weighted sum of the numbers that are drawn")
    return weights


def _numbers(function, call, rng):
    return np.asarray(function(*call, rng), float).ravel()


def is_drawn(function, call, truth, times=40):
    """Whether the answer without noise is another one with one of so many other seeds."""
    silent = (Constant(0.0, seed) for seed in range(2, times + 2))
    return any(np.any(np.ravel(function(*call, rng)) != truth) for rng in silent)


def _with_noise(function, change, *call):
    """A release of a mechanism that adds normal noise, with other noise."""
    return function(*call[:-1], Spoilt(call[-1], change))


def quick_draws(function, seed):
    """Draws of a mechanism; where all that a call draws is one choice, or one number, all releases at once."""
    seeds, here = np.random.SeedSequence(seed), draws_here(function, seed)

    def draw(calls, samples=None, shape=(), seed=None):
        ways = [samples and (_by_choice(function, call, shape) or _by_number(function, call, shape)) for call in calls]
        if not all(ways):
            return here(calls, samples, shape, seed)
        rng = np.random.default_rng(seeds.spawn(1)[0] if seed is None else own_seed(seeds, seed))
        return np.array([way(rng, samples) for way in ways])

    return draw


def _by_choice(function, call, shape):
    """Releases of a call by the law of its one choice, and by the output that each outcome gives; None without it."""
    law = one_choice(function, call)
    if law is None:
        return None

    def releases(rng, samples):
        outcomes, places = np.unique(rng.choice(law.size, samples, p=law / law.sum()), return_inverse=True)
        forced = [functools.partial(_with_outcome, function, outcome) for outcome in outcomes]
        return np.array([collect(one, [call], None, shape, None)[0, 0] for one in forced])[places]

    return releases


def _by_number(function, call, shape):
    """Releases of a call that draws one number and gives one that rises or falls with it; or None.

    The number is Laplace noise, or that of `geometric_mechanism`. The output is asked of the function where the sorted
    numbers have another to their left than to their right: a count, or a winner, stays the same over long stretches.
    That nothing else lies between is tried at 20 places.
    """
    law = None if shape else one_number(function, call)
    if law is None:
        return None

    def output(number):
        return collect(lambda *call: function(*call, _Told(number)), [call], None, (), None)[0, 0]

    def releases(rng, samples):
        order, ranks = np.unique(law(rng, samples), return_inverse=True)
        outputs, stretches = np.empty(order.size), [(0, order.size - 1)]
        outputs[[0, -1]] = output(order[0]), output(order[-1])
        while stretches:
            low, high = stretches.pop()
            if outputs[low] == outputs[high]:
                outputs[low:high] = outputs[low]
            elif (middle := (low + high) // 2) > low:
                outputs[middle] = output(order[middle])
                stretches += [(low, middle), (middle, high)]
        tried = rng.integers(order.size, size=20)
        if any(output(order[place]) != outputs[place] for place in tried):
            raise ValueError("the output neither rises nor falls with the number that is drawn")
        return outputs[ranks]

    return releases


def one_choice(function, call):
    """The law of the one choice that a call makes; None where it draws other numbers, or more of them."""
    listener, drawn = Transcript(), np.random.PCG64(1)
    try:
        function(*call, listener)
    except (AttributeError, TypeError, ValueError):  # numbers whose use cannot be followed
        return None
    states = [drawn.state, drawn.advance(1).state]  # the choice names its law, or inverts it with one number
    alone = not listener.noises and len(listener.choices) == 1 and listener.bit_generator.state in states
    return listener.choices[0].chances if alone and not listener.choices[0].coins else None


class _Told(Constant):
    """A generator that is told its one number: Laplace noise in units of its scale, or a whole one; others it draws."""

    def __init__(self, number):
        super().__init__(number)
        self.laws = []

    def laplace(self, loc=0.0, scale=1.0, size=None):
        noise = super().laplace(loc, scale, size)
        self.laws += [lambda rng, samples: rng.laplace(size=samples)] * np.size(noise)
        return noise

    normal = np.random.Generator.normal

    def standard_exponential(self, size=None, **options):
        return _Exponentials(self) if size == (2,) else super().standard_exponential(size, **options)


class _Exponentials:
    """Two exponential numbers whose whole parts, times a scale, have the difference that a generator is told."""

    __array_ufunc__ = None  # so numpy leaves `scale * numbers` to this class

    def __init__(self, rng):
        self.rng = rng

    def __rmul__(self, scale):

        def law(rng, samples):
            return np.subtract(*np.floor(scale * rng.standard_exponential((2, samples))))

        self.rng.laws.append(law)
        return np.array([max(self.rng.number, 0), max(-self.rng.number, 0)]) + 0.5


def one_number(function, call):
    """The law of the one number that a call draws, as `law(rng, samples)`; None where it draws others, or more."""
    rng = _Told(1)
    try:
        function(*call, rng)
    except (AttributeError, TypeError, ValueError):  # numbers whose use cannot be followed
        return None
    return rng.laws[0] if len(rng.laws) == 1 and rng.bit_generator.state == _Told(1).bit_generator.state else None


def _with_outcome(function, outcome, *call):
    return function(*call, Transcript(outcomes=[outcome]))
