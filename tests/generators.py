"""Generators that show what a mechanism asks of them, or say what we want: exact where drawing sees only 5 %."""

import itertools

import numpy as np

# What numpy's methods call their arguments, in order.
ARGUMENTS = {
    "laplace": ("loc", "scale", "size"),
    "exponential": ("scale", "size"),
    "standard_exponential": ("size",),
    "normal": ("loc", "scale", "size"),
    "binomial": ("n", "p", "size"),
    "integers": ("low", "high", "size"),
    "choice": ("a", "size"),
    "random": ("size",),
    "uniform": ("low", "high", "size"),
}


def seeded(seed=1):
    """numpy's own generator, from a fixed seed."""
    return np.random.default_rng(seed)


class Spy(np.random.Generator):
    """A generator whose `calls` list what was asked for: (method, its arguments by name, what it gave)."""

    def __init__(self, seed=1):
        super().__init__(np.random.PCG64(seed))
        self.calls = []

    def asked(self, method, name):
        """The argument `name` of every call of `method`, in order; None where it was left out."""
        return [given.get(name) for called, given, _ in self.calls if called == method]

    def gave(self, method):
        """What every call of `method` returned, in order."""
        return [answer for called, _, answer in self.calls if called == method]


def _noted(method):
    original = getattr(np.random.Generator, method)

    def noted(self, *args, **named):
        answer = original(self, *args, **named)
        given = dict(zip(ARGUMENTS[method], args, strict=False)) | named
        self.calls.append((method, given, np.array(answer)))
        return answer

    return noted


for _method in ARGUMENTS:
    setattr(Spy, _method, _noted(_method))


class Fixed(np.random.Generator):
    """A generator whose uniform numbers are all the one it is given: `random`, and `uniform` between its ends."""

    def __init__(self, uniform):
        super().__init__(np.random.PCG64(1))
        self.number = uniform

    def random(self, size=None):
        return self.number if size is None else np.full(size, self.number)

    def uniform(self, low=0.0, high=1.0, size=None):
        number = low + (high - low) * self.number
        return number if size is None else np.full(size, number)


def assert_chooses_by(probabilities, choose, shift=1e-9):
    """A choice made by one uniform number has this law, exactly: at each end of a piece of it the choice changes.

    `choose(rng)` gives the index chosen. `shift` is how near to each end the law is looked at; pieces shorter than
    twice that are passed over.
    """
    ends = np.append(0, np.cumsum(probabilities) / np.sum(probabilities))
    looked_at = 0
    for index, (left, right) in enumerate(itertools.pairwise(ends)):
        if right - left > 2 * shift:
            looked_at += 1
            assert choose(Fixed(left + shift)) == index, f"candidate {index} has too small a share, or another's place"
            assert choose(Fixed(right - shift)) == index, f"candidate {index} has too small a share, or another's place"
    assert looked_at, "no piece of the law is long enough"
