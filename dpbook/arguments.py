"""What every mechanism asks of its arguments: each check returns the clean value or raises a ValueError.

The message names the argument, what came, and what was expected. Nothing is clipped or repaired.
"""

import math
import numbers

import numpy as np


def refuse(name, came, expected):
    """Raise the ValueError that all checks share."""
    raise ValueError(f"{name} must be {expected}; got {came!r}")


def number(name, value, expected="a finite number"):
    """A finite real number, as a float."""
    real = isinstance(value, float) or (isinstance(value, numbers.Real) and not isinstance(value, bool))
    try:
        finite = real and math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        finite = False
    if not finite:
        refuse(name, value, expected)
    return float(value)


def positive(name, value):
    """A finite number above zero, as a float: epsilon, a sensitivity, a scale."""
    if isinstance(value, float) and 0 < value < math.inf:
        return float(value)
    expected = "a finite number above 0"
    if number(name, value, expected) <= 0:
        refuse(name, value, expected)
    return float(value)


def probability(name, value):
    """A number strictly between 0 and 1, as a float."""
    expected = "a probability strictly between 0 and 1"
    if not 0 < number(name, value, expected) < 1:
        refuse(name, value, expected)
    return float(value)


def nonnegative(name, value):
    """A finite number of at least zero, as a float."""
    expected = "a finite number of at least 0"
    if number(name, value, expected) < 0:
        refuse(name, value, expected)
    return float(value)


def share(name, value):
    """A number from 0 to 1, both ends included, as a float."""
    expected = "a number from 0 to 1"
    if not 0 <= number(name, value, expected) <= 1:
        refuse(name, value, expected)
    return float(value)


def share_below_one(name, value):
    """A number of at least 0 and below 1, as a float: a delta, 0 being pure epsilon-DP."""
    expected = "a number of at least 0 and below 1"
    if not 0 <= number(name, value, expected) < 1:
        refuse(name, value, expected)
    return float(value)


def flag(name, value):
    """True or False, as a bool."""
    if not isinstance(value, bool | np.bool_):
        refuse(name, value, "True or False")
    return bool(value)


def whole(name, value, least, most=None):
    """A whole number of at least `least` (and at most `most`), as an int."""
    is_whole = type(value) is int or (isinstance(value, numbers.Integral) and not isinstance(value, bool))
    if not is_whole or value < least or (most is not None and value > most):
        refuse(name, value, f"a whole number of at least {least}" + ("" if most is None else f" and at most {most}"))
    return int(value)


def array(name, values, expected="finite numbers", finite=True):
    """Numbers of any shape, as a new float array; NaN never passes, infinite ones only if `finite` is False."""
    if isinstance(values, float) and math.isfinite(values):
        return np.array(values, dtype=float)  # the one number that a mechanism is called with a thousand times
    try:
        given = np.asarray(values)
        is_real = given.dtype.kind in "biufO" and not (given.dtype == object and _has_text(given))
        values_array = given.astype(float) if is_real else np.array(np.nan)
    except (TypeError, ValueError, OverflowError):
        refuse(name, values, expected)
    passes = np.isfinite(values_array) if finite else ~np.isnan(values_array)
    if not (passes.all() if passes.ndim else passes):
        refuse(name, values, expected)
    return values_array


def _has_text(objects):
    return any(isinstance(entry, str | bytes) for entry in objects.flat)  # numpy would read numbers out of it


def entries(name, values):
    """Entries of any kind as an array; a ragged list, which is no array, is refused."""
    try:
        return np.asarray(values)
    except ValueError:
        refuse(name, values, "rows of equal length")


def vector(name, values, expected="a non-empty list of finite numbers"):
    """A non-empty one-dimensional float array of finite numbers."""
    values_array = array(name, values, expected)
    if values_array.ndim != 1 or values_array.size == 0:
        refuse(name, values, expected)
    return values_array


def of_length(name, values, length):
    """A one-dimensional float array of exactly `length` finite numbers."""
    values_array = vector(name, values)
    if values_array.size != length:
        refuse(name, f"{values_array.size} numbers", f"a list of {length} finite numbers")
    return values_array


def table(name, values, expected="a table of finite numbers, with at least one row and one column"):
    """A two-dimensional float array of finite numbers with at least one row and one column."""
    values_array = array(name, values, expected)
    if values_array.ndim != 2 or 0 in values_array.shape:
        refuse(name, values, expected)
    return values_array


def counts(name, values):
    """A histogram: a non-empty one-dimensional array of finite numbers, none below zero."""
    expected = "a non-empty list of counts, none below 0"
    histogram = vector(name, values, expected)
    if histogram.min() < 0:
        refuse(name, values, expected)
    return histogram


def ascending(name, values, least=1):
    """A strictly ascending one-dimensional float array of at least `least` finite numbers: candidates, edges."""
    expected = f"a strictly ascending list of finite numbers, at least {least} long"
    values_array = vector(name, values, expected)
    if values_array.size < least or (values_array[1:] <= values_array[:-1]).any():
        refuse(name, values, expected)
    return values_array


def interval(name, pair):
    """A pair (low, high) of finite numbers with low < high, as two floats."""
    expected = "a pair (low, high) of finite numbers with low < high"
    ends = vector(name, pair, expected)
    if ends.size != 2 or ends[0] >= ends[1]:
        refuse(name, pair, expected)
    return float(ends[0]), float(ends[1])


def generator(name, rng):
    """A numpy random Generator: the seed of the noise is always an argument."""
    if not isinstance(rng, np.random.Generator):
        refuse(name, rng, "a numpy.random.Generator, for example numpy.random.default_rng(1)")
    return rng


def integers(name, values):
    """Whole numbers of any shape, as an int64 array; floats pass where they are whole and below 2**53."""
    if type(values) is int and -(2**62) <= values <= 2**62:
        return np.array(values, dtype=np.int64)
    expected = "whole numbers, none beyond 2**62 (floats: 2**53)"
    try:
        given = np.asarray(values)
    except ValueError:
        refuse(name, values, expected)
    kind = given.dtype.kind
    limit = {"i": 2**62, "u": 2**62, "f": 2**53}.get(kind)
    if limit is None or (given.size and not -limit <= given.min() <= given.max() <= limit):
        refuse(name, values, expected)
    if kind == "f" and (given != np.floor(given)).any():
        refuse(name, values, expected)
    return given.astype(np.int64)


def one_of(name, value, options):
    """One of the few words in `options`."""
    if isinstance(value, np.ndarray) or value not in list(options):
        refuse(name, value, "one of " + ", ".join(repr(option) for option in options))
    return value
