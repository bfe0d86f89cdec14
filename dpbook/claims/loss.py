"""The worst privacy loss over chosen pairs of neighbours: from a law, from one draw, from the noise, from outputs.

Each function takes `pairs`, a list of (data, neighbour), and returns the largest loss over them, in both directions. A
mechanism is called as `mechanism(data, rng)`. Three of the four are exact and can settle a pair: `loss_from_draw` and
`loss_from_noise` run the mechanism itself with a generator that watches it, so that a wrong scale in its code shows.
The fourth, `loss_from_outputs`, is a certified lower bound. Pairs that were not chosen may be worse.
Source: beyond the seeds; the definition is 004 section 2.1.  Notebook: 21_audit.
"""

from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.audit import epsilon_lower_bound, exact_loss

SMALLEST = 2.0**-52  # how finely the place of a jump is sought on the scale from 0 to 1


def loss_from_law(log_law, pairs, *, delta=0):
    """The worst exact loss over `pairs`, where `log_law(data)` gives the log probabilities of the same events.

    Raises ValueError as `exact_loss` does.
    """
    return max(exact_loss(log_law(data), log_law(neighbour), delta=delta).loss for data, neighbour in pairs)


def loss_from_draw(mechanism, pairs):
    """The worst exact loss over `pairs` of a mechanism that draws one uniform number and, as it grows, never goes back.

    The law is read off the mechanism: where on the scale from 0 to 1 does its output change? So it is for every
    exponential mechanism, which draws by inverting a cumulative sum. Probabilities are right to 1e-15.
    Raises ValueError for a mechanism that draws no such number.
    """
    datasets = {_name(data): data for pair in pairs for data in pair}
    laws = {name: _law_of_draw(mechanism, data) for name, data in datasets.items()}

    def log_law(data, outputs):
        with np.errstate(divide="ignore"):
            return np.log([laws[_name(data)].get(output, 0.0) for output in outputs])

    outputs = sorted(set().union(*laws.values()))
    return loss_from_law(lambda data: log_law(data, outputs), pairs)


def _name(data):
    return np.asarray(data).tobytes()


class _Dial(np.random.Generator):
    """A generator whose first uniform number is set by hand."""

    def __init__(self, uniform):
        super().__init__(np.random.PCG64(1))
        self.uniform_number, self.draws = uniform, 0

    def random(self, size=None):
        self.draws += 1
        return self.uniform_number if size is None else np.full(size, self.uniform_number)

    def uniform(self, low=0.0, high=1.0, size=None):
        return low if size is None else np.full(size, low)


def _law_of_draw(mechanism, data):
    """The probability of each output, as a dict: the lengths of the pieces of [0, 1) on which it does not change."""

    def output(uniform):
        dial = _Dial(uniform)
        came = mechanism(data, dial)
        if dial.draws != 1:
            arguments.refuse("mechanism", f"{dial.draws} uniform draws", "one that calls rng.random() once")
        return came

    pieces, law = [(0.0, output(0.0), 1.0, output(1 - SMALLEST))], {}
    while pieces:
        left, first, right, last = pieces.pop()
        if first == last or right - left <= SMALLEST:
            law[first] = law.get(first, 0.0) + right - left
        else:
            middle = (left + right) / 2
            came = output(middle)
            pieces += [(left, first, middle, came), (middle, came, right, last)]
    return law


class Heard(NamedTuple):
    """One call for Laplace noise: the numbers it was added to, its scale, and the noisy numbers."""

    value: np.ndarray
    scale: float
    noisy: np.ndarray


class _Listener(np.random.Generator):
    """A generator that notes what its Laplace noise is added to; with `script` the sums are those of an earlier run."""

    def __init__(self, script=()):
        super().__init__(np.random.PCG64(1))
        self.heard, self.script = [], list(script)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return _Noise(self, scale, super().laplace(loc, scale, size))


class _Noise:
    """Laplace noise that tells the listener what it is added to."""

    __array_ufunc__ = None  # so numpy leaves `value + noise` to this class

    def __init__(self, listener, scale, noise):
        self.listener, self.scale, self.noise = listener, scale, noise

    def __radd__(self, value):
        noisy, place = value + self.noise, len(self.listener.heard)
        if place < len(self.listener.script) and np.shape(self.listener.script[place]) == np.shape(noisy):
            noisy = self.listener.script[place]
        self.listener.heard.append(Heard(np.array(value), self.scale, noisy))
        return np.array(noisy)[()]


def loss_from_noise(mechanism, pairs):
    """The worst exact loss over `pairs` of all the numbers to which a mechanism adds Laplace noise, taken together.

    That is the sum of |difference| / scale. The mechanism is run on the neighbour once more with the same noisy
    numbers: if it then gives another output, or asks for other noise, data flow around the noise, and the loss is inf.
    If the output is only post-processing of the noisy numbers, it loses no more than they do.
    Raises ValueError for a mechanism that adds no Laplace noise to anything.
    """
    return max(_noise_loss(mechanism, data, neighbour) for data, neighbour in pairs)


def _noise_loss(mechanism, data, neighbour):
    first = _Listener()
    output = mechanism(data, first)
    second = _Listener([call.noisy for call in first.heard])
    other = mechanism(neighbour, second)
    if not first.heard:
        arguments.refuse("mechanism", "no Laplace noise", "one that adds Laplace noise by rng.laplace")
    alike = len(first.heard) == len(second.heard) and all(
        np.shape(one.value) == np.shape(two.value) and np.array_equal(one.scale, two.scale)
        for one, two in zip(first.heard, second.heard, strict=True)
    )
    if not alike or not _same(output, other):
        return np.inf
    shifts = (np.abs(one.value - two.value) / one.scale for one, two in zip(first.heard, second.heard, strict=True))
    return float(sum(np.sum(shift) for shift in shifts))


def _same(output, other):
    """Whether two outputs are the same: numbers, arrays, or lists of such."""
    if isinstance(output, (list, tuple)):
        return len(output) == len(other) and all(_same(one, two) for one, two in zip(output, other, strict=True))
    return np.array_equal(output, other)


def loss_from_outputs(mechanism, pairs, *, samples=5000, confidence=0.999, delta=0):
    """The largest certified lower bound over `pairs`, from `samples` outputs of each dataset, always the same ones.

    Each bound is wrong with probability 1 - `confidence`. Raises ValueError as `audit.epsilon_lower_bound` does.
    """
    rng = np.random.default_rng(1)
    return max(epsilon_lower_bound(mechanism, *pair, samples, rng, confidence, delta=delta).epsilon for pair in pairs)
