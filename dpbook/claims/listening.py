"""Generators that listen: they note what a mechanism adds noise to and what it chooses from, and can repeat a run.

A `Transcript` is given to a mechanism in the place of its generator. It understands noise that is added (`value +
rng.laplace(...)`, also `rng.normal`) and coins (`rng.random(n) < chances`). It understands choices that name their law
(`rng.choice(n, p=law)`). It also understands choices that invert a cumulative sum, as the exponential mechanism does
(`np.searchsorted(cumulative, rng.random() * cumulative[-1])`). Other draws are public randomness, the same in every
run: data that flow through them change the output, and are seen there.
Source: beyond the seeds.  Notebook: 21_audit.
"""

import itertools
from typing import NamedTuple

import numpy as np

from dpbook import arguments

LAPLACE, GAUSSIAN = "Laplace", "Gaussian"
FEW = 16  # up to so many outcomes of a choice are all tried


class Noise(NamedTuple):
    """One call for noise: its kind, the numbers it was added to, its scale, and the noisy numbers."""

    kind: str
    value: np.ndarray
    scale: float
    noisy: np.ndarray


class Choice(NamedTuple):
    """One choice: the probability of each outcome, and the outcome; for coins, of heads for each, and all that came."""

    chances: np.ndarray
    outcome: object
    coins: bool


class Transcript(np.random.Generator):
    """A generator that notes each noise and each choice of a run.

    `noisy` and `outcomes` are what an earlier run gave: the first noises and choices are answered with them. Choices
    beyond fall on the likeliest outcome.
    """

    def __init__(self, noisy=(), outcomes=()):
        super().__init__(np.random.PCG64(1))
        self.noises, self.choices = [], []
        self.noisy, self.outcomes = list(noisy), list(outcomes)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return _Added(self, LAPLACE, scale, super().laplace(loc, scale, size))

    def normal(self, loc=0.0, scale=1.0, size=None):
        return _Added(self, GAUSSIAN, scale, super().normal(loc, scale, size))

    def random(self, size=None):
        return _Uniform(self, super().random(size))

    def uniform(self, low=0.0, high=1.0, size=None):
        numbers = super().uniform(low, high, size)
        return _Uniform(self, numbers) if np.ndim(low) == 0 and (low, high) == (0, 1) else numbers

    def choice(self, a, size=None, replace=True, p=None):
        if p is None or size is not None:
            return super().choice(a, size, replace, p)
        chosen = self.chosen(p)
        return chosen if np.ndim(a) == 0 else a[chosen]

    def chosen(self, chances, coins=False):
        """The outcome of one choice, noted."""
        chances, place = np.asarray(chances, dtype=float), len(self.choices)
        likeliest = chances >= 0.5 if coins else int(np.argmax(chances))
        outcome = self.outcomes[place] if place < len(self.outcomes) else likeliest
        if np.shape(outcome) != (chances.shape if coins else ()) or (not coins and outcome >= chances.size):
            outcome = likeliest  # another choice than in the run that is repeated: `alike` will say so
        self.choices.append(Choice(chances, outcome, coins))
        return outcome

    def noted(self, kind, value, scale, noise):
        """The noisy numbers that a noise makes of `value`, noted."""
        noisy, place = value + noise, len(self.noises)
        if place < len(self.noisy) and np.shape(self.noisy[place]) == np.shape(noisy):
            noisy = self.noisy[place]
        self.noises.append(Noise(kind, np.array(value), scale, noisy))
        return np.array(noisy)[()]

    def alike(self, other):
        """Whether two runs asked for the same noise, and for choices among as many, one after the other."""
        noises, choices = zip(self.noises, other.noises, strict=False), zip(self.choices, other.choices, strict=False)
        return (
            len(self.noises) == len(other.noises)
            and len(self.choices) == len(other.choices)
            and all(
                a.kind == b.kind and np.shape(a.value) == np.shape(b.value) and np.array_equal(a.scale, b.scale)
                for a, b in noises
            )
            and all(a.coins == b.coins and a.chances.shape == b.chances.shape for a, b in choices)
        )


class _Added:
    """Noise that tells the transcript what it is added to."""

    __array_ufunc__ = None  # so numpy leaves `value + noise` to this class

    def __init__(self, transcript, kind, scale, noise):
        self.transcript, self.kind, self.scale, self.noise = transcript, kind, scale, noise

    def __radd__(self, value):
        return self.transcript.noted(self.kind, value, self.scale, self.noise)

    __add__ = __radd__


class _Uniform:
    """Uniform numbers that tell the transcript what they choose; otherwise they are public."""

    __array_ufunc__ = None

    def __init__(self, transcript, numbers):
        self.transcript, self.numbers = transcript, numbers

    def __mul__(self, total):
        return _Point(self.transcript, self.numbers, total)

    __rmul__ = __mul__

    def __lt__(self, chances):
        return self._coins(chances)

    def __ge__(self, chances):
        return np.logical_not(self._coins(chances))

    __le__, __gt__ = __lt__, __ge__

    def _coins(self, chances):
        chances = np.broadcast_to(
            np.clip(chances, 0, 1), np.broadcast_shapes(np.shape(chances), np.shape(self.numbers))
        )
        heads = self.transcript.chosen(chances, coins=True)
        return heads if np.ndim(heads) else bool(heads)

    def __getattr__(self, name):
        arguments.refuse("mechanism", f"uniform numbers used by {name}", "one whose choices the method can follow")


class _Point(_Uniform):
    """A uniform number times a total: the place at which a cumulative sum is inverted, or a public number."""

    def __init__(self, transcript, numbers, total):
        super().__init__(transcript, numbers)
        self.total = total

    def __array_function__(self, function, types, args, kwargs):
        if function is not np.searchsorted or np.ndim(self.numbers):
            arguments.refuse(
                "mechanism", f"uniform numbers in {function.__name__}", "one that searches a cumulative sum"
            )
        ends = np.concatenate([[0.0], args[0], [self.total] if args[0][-1] < self.total else []])
        return self.transcript.chosen(np.diff(ends) / self.total)

    def __radd__(self, value):
        return value + self.numbers * self.total

    __add__ = __radd__


def turns(choice, chances_of_neighbour):
    """Other outcomes of a choice that are worth a run: all of a few, else those likeliest on one side."""
    if choice.coins:
        if choice.chances.size <= np.log2(FEW):
            every = itertools.product((False, True), repeat=choice.chances.size)
            return [np.reshape(one, choice.chances.shape) for one in every]
        return [choice.chances > chances_of_neighbour, choice.chances < chances_of_neighbour]
    if choice.chances.size <= FEW:
        return list(range(choice.chances.size))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(choice.chances) - np.log(chances_of_neighbour)
    return [int(np.nanargmax(ratio)), int(np.nanargmin(ratio))]


def log_ratio(choice, other):
    """ln of how much likelier the outcome was than in the neighbour's run: -inf, inf, or nan for neither."""
    p, q = (
        np.where(choice.outcome, chances, 1 - chances) if choice.coins else chances[choice.outcome]
        for chances in (choice.chances, other.chances)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.sum(np.log(p) - np.log(q)))
