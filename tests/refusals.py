"""What public functions refuse: beside a call that each takes, for every argument what may not stand in its place."""

import inspect

import numpy as np
import pytest

NOT_POSITIVE = (0, -1, np.nan, np.inf, "1", None, True, [1.0])
NOT_WHOLE = (0, -1, 2.5, 3.0, None, "3", True)
NOT_FINITE = (None, np.nan, np.inf, "1")
NO_GENERATOR = (None, 0, np.random, np.random.RandomState(0))


def assert_refuses(function, good, refused):
    """Each bad value of `refused`, put for its argument into the `good` call, raises an error that names it.

    `good` has arguments by name, or is a tuple of those that stand first.
    """
    good = inspect.signature(function).bind_partial(*good).arguments if isinstance(good, tuple) else good
    for name, values in refused.items():
        for bad in values:
            with pytest.raises(ValueError, match=rf"^{name} must be .*; got "):
                function(**(good | {name: bad}))
