"""A computer with 32-bit addresses, played on one with 64: `python -m tests.addresses notebooks/NN_stem.py` runs a
page there, with `--everything` all of its cells and controls; without a page, the mechanism of every claim.

In a browser an address (`np.intp`, which numpy also makes of Python's whole numbers) has 32 bits, and `np.bincount`,
`np.repeat`, `np.take` and `reduceat` refuse an array of int64 there. Here numpy has two kinds of 64 bits, long and long
long, which differ in name only: long plays the address, long long plays int64. So within `narrow` what a generator
draws, and what is cast to `np.int64`, is long long; what comes of it mostly is, too; `.astype(np.intp)` makes an
address of it. What loses the name on its way (a remainder, a shift) is not noticed: `make lite-test` notices it.
"""

import contextlib
import functools
import pathlib
import sys
import types

import numpy as np
from pandas._libs import parsers

WIDE = np.longlong
TOO_WIDE = "qQLI"  # long long, and the unsigned numbers that an address of 32 bits does not hold
DRAWN = ("integers", "choice", "binomial", "poisson", "geometric", "negative_binomial", "hypergeometric", "multinomial")


class Refused(TypeError):
    """What numpy says where addresses have 32 bits."""


def address(values):
    """The values, unless they are an array that numpy would not cast to an address of 32 bits."""
    if isinstance(values, np.ndarray) and values.dtype.char in TOO_WIDE:
        raise Refused("Cannot cast array data from dtype('int64') to dtype('int32') according to the rule 'safe'")
    return values


class Generator(np.random.Generator):
    """A generator whose whole numbers are int64, as they are everywhere."""


def _wide(method):
    original = getattr(np.random.Generator, method)

    @functools.wraps(original)
    def drawn(self, *args, **named):
        made = original(self, *args, **named)
        return made.astype(WIDE) if isinstance(made, np.ndarray) and made.dtype.char == "l" else made

    return drawn


for _method in DRAWN:
    setattr(Generator, _method, _wide(_method))


class Ufunc:
    """One of numpy's functions, whose `reduceat` looks at the addresses it is given."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *args, **named):
        return self.function(*args, **named)

    def __getattr__(self, name):
        return getattr(self.function, name)

    def reduceat(self, array, indices, *args, **named):
        return self.function.reduceat(array, address(indices), *args, **named)


@contextlib.contextmanager
def narrow():
    """Within this, what asks for addresses refuses int64, and what draws whole numbers gives int64."""
    bincount, repeat, take, default_rng = np.bincount, np.repeat, np.take, np.random.default_rng
    played = {
        "int64": WIDE,
        "bincount": lambda x, *args, **named: bincount(address(x), *args, **named),
        "repeat": lambda a, repeats, axis=None: repeat(a, address(repeats), axis),
        "take": lambda a, indices, *args, **named: take(a, address(indices), *args, **named),
        **{name: Ufunc(getattr(np, name)) for name in ("add", "minimum", "maximum")},
    }
    kept = {name: getattr(np, name) for name in played}
    theirs = types.ModuleType("numpy")  # pandas asks numpy for int64 by this name while it reads
    theirs.__dict__.update(vars(np))
    np.random.default_rng = lambda seed=None: Generator(default_rng(seed).bit_generator)
    try:
        for name, thing in played.items():
            setattr(np, name, thing)
        parsers.np = theirs
        yield
    finally:
        parsers.np = np
        np.random.default_rng = default_rng
        for name, thing in kept.items():
            setattr(np, name, thing)


def run(source, everything=False):
    """Run the cells of a page that its figures need; or all of them, and every control moved to its ends.

    The first refusal is raised.
    """
    import scipy.optimize  # before numpy is played with: it is made for the real one
    import scipy.stats  # noqa: F401
    from IPython.core.interactiveshell import InteractiveShell

    from tools.book import sliders
    from tools.book.site import films

    InteractiveShell.instance(colors="NoColor")
    space = {}
    exec(sliders.FIGURES, space)
    with narrow():
        for _, figure, starts in films.run(source, everything):
            for name, control in figure.controls.items() if everything else ():
                for value in space["_ends"](control):
                    figure.update(**(starts | {name: value}))


def run_claims():
    """Run the mechanism of every claim of the book, on both sides of its first pair. The first refusal is raised."""
    from dpbook.claims import CLAIMS
    from dpbook.claims.losses import parameters

    with narrow():
        for claim in CLAIMS:
            size = {"size": 3} if "size" in parameters(claim.run) else {}
            epsilon = claim.epsilon if isinstance(claim.epsilon, float) else 1.0
            for data in claim.pairs[0]:
                claim.run(data, epsilon, np.random.default_rng(1), **size)


if __name__ == "__main__":
    if sys.argv[1:]:
        run(pathlib.Path(sys.argv[1]).absolute(), "--everything" in sys.argv)
    else:
        run_claims()
