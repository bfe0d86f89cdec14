"""Right noise in other ways: generators that make the same distributions from other numbers.

With each of them in the place of its own, every solution that draws is an answer written by somebody else: noise by the
inverse of its distribution, as a difference of two, as a mixture, from products of normal numbers, by sign and size.
What is not drawn by one of these methods is drawn as before.
"""

import numpy as np
from scipy.special import ndtri

BITS = 53  # of a uniform double


class Inverse(np.random.Generator):
    """By the inverse of the distribution, from one uniform number each."""

    def __init__(self, rng):
        super().__init__(rng.bit_generator)

    def random(self, size=None, **more):
        return 1 - super().random(size, **more)

    def above_0(self, size=None):
        """Uniform numbers between 0 and 1, neither of them included."""
        return (super().integers(2**BITS, size=size) + 0.5) / 2**BITS

    def unit_laplace(self, size):
        uniform = self.above_0(size)
        return np.where(uniform < 0.5, np.log(2 * uniform), -np.log(2 - 2 * uniform))

    def unit_normal(self, size):
        return ndtri(self.above_0(size))

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return loc + scale * self.unit_laplace(_size(loc, scale, size))[()]

    def normal(self, loc=0.0, scale=1.0, size=None):
        return loc + scale * self.unit_normal(_size(loc, scale, size))[()]

    def standard_normal(self, size=None):
        return self.normal(size=size)

    def place(self, chances, size):
        """The place where the sum of the probabilities passes a uniform number."""
        sums = np.cumsum(chances)
        return np.minimum(np.searchsorted(sums, self.above_0(size) * sums[-1]), len(chances) - 1)

    def choice(self, a, size=None, replace=True, p=None, **more):
        if p is None or not replace:
            return super().choice(a, size, replace, p, **more)
        return (np.arange(a) if np.ndim(a) == 0 else np.asarray(a))[self.place(np.asarray(p, float), size)]

    def negative_binomial(self, n, p, size=None):
        """A Poisson number whose rate is a gamma number."""
        return super().poisson(super().gamma(n, (1 - np.asarray(p)) / p, size))


class Differences(Inverse):
    """Noise as a difference of two exponential numbers, or as a sum of two smaller normal ones."""

    def random(self, size=None, **more):
        return super(Inverse, self).integers(2**BITS, size=size) / 2.0**BITS

    def unit_laplace(self, size):
        up, down = self.standard_exponential((2, *size))
        return up - down

    def unit_normal(self, size):
        one, other = super(Inverse, self).standard_normal((2, *size))
        return 0.6 * one + 0.8 * other

    def place(self, chances, size):
        """The largest logarithm with Gumbel's noise."""
        with np.errstate(divide="ignore"):
            return np.argmax(np.log(chances) + self.gumbel(size=(*_size(0, 0, size), len(chances))), axis=-1)

    def negative_binomial(self, n, p, size=None):
        one = super(Inverse, self).negative_binomial
        return one(np.asarray(n) / 2, p, size) + one(np.asarray(n) / 2, p, size)


class Mixtures(Differences):
    """Laplace noise as normal noise of a size that is drawn; normal noise by Box and Muller."""

    def random(self, size=None, **more):
        one, other = super().random((2, *_size(0, 0, size)))
        return ((one + other) % 1)[()]

    def unit_laplace(self, size):
        return np.sqrt(2 * self.standard_exponential(size)) * super(Inverse, self).standard_normal(size)

    def unit_normal(self, size):
        return np.sqrt(2 * self.standard_exponential(size)) * np.cos(2 * np.pi * self.above_0(size))

    def place(self, chances, size):
        """The first of exponential clocks."""
        with np.errstate(divide="ignore"):
            return np.argmin(self.standard_exponential((*_size(0, 0, size), len(chances))) / chances, axis=-1)


class Products(Differences):
    """Laplace noise as a sum of two products of normal numbers; normal noise as half of the sum of four."""

    def random(self, size=None, **more):
        return np.exp(-self.standard_exponential(size))

    def unit_laplace(self, size):
        a, b, c, d = super(Inverse, self).standard_normal((4, *size))
        return a * b + c * d

    def unit_normal(self, size):
        return super(Inverse, self).standard_normal((4, *size)).sum(axis=0) / 2

    def place(self, chances, size):
        """A place at random, kept with its probability over the largest; else another try."""
        found = np.empty(_size(0, 0, size), dtype=int)
        for at in np.ndindex(found.shape):
            while True:
                place = super(Inverse, self).integers(len(chances))
                if self.above_0() * np.max(chances) < chances[place]:
                    break
            found[at] = place
        return found[()]


class Signs(Differences):
    """A sign and a size."""

    def sign(self, size):
        return 2.0 * super(Inverse, self).integers(2, size=size) - 1

    def unit_laplace(self, size):
        return self.sign(size) * self.standard_exponential(size)

    def unit_normal(self, size):
        return self.sign(size) * np.sqrt(2 * super(Inverse, self).gamma(0.5, size=size))

    def random(self, size=None, **more):
        high, low = super(Inverse, self).integers(2**26, size=size), super(Inverse, self).integers(2**27, size=size)
        return (high * 2.0**27 + low) / 2.0**BITS

    def place(self, chances, size):
        """From the last to the first."""
        return len(chances) - 1 - Inverse.place(self, chances[::-1], size)


def _size(loc, scale, size):
    """The shape of the numbers that are asked for."""
    if size is None:
        return np.broadcast_shapes(np.shape(loc), np.shape(scale))
    return tuple(size) if np.ndim(size) else (size,)


WAYS = {"inverse": Inverse, "differences": Differences, "mixtures": Mixtures, "products": Products, "signs": Signs}
