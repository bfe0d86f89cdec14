"""Mistakes that recur from task to task, each as a change of a task's own solution that is made while it runs.

They are the commonest names among the mistakes of the assignments, where each is written out for the tasks that have a
line of their own for it. Made from the solution, every mechanism meets all of them. A change that leaves all releases
of a mechanism as they were is no mistake there: `LEFT` says which, and why.
"""

import inspect
import types

import numpy as np

from tools.classroom import power

MECHANISMS = ("laplace_mechanism", "geometric_mechanism", "exponential_mechanism")


class Shared(np.random.Generator):
    """A generator that gives one Laplace or normal number, in units of its scale, for all it is asked for."""

    def __init__(self, rng):
        super().__init__(rng.bit_generator)
        self.number = None

    def _noise(self, method, loc, scale, size):
        if self.number is None:
            self.number = getattr(super(), method)()
        return loc + np.multiply(scale, np.full(np.shape(scale) if size is None else size, self.number))

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return self._noise("laplace", loc, scale, size)

    def normal(self, loc=0.0, scale=1.0, size=None):
        return self._noise("normal", loc, scale, size)


class Swapped(np.random.Generator):
    """A generator that draws normal numbers for Laplace ones and the other way round, of the same deviation."""

    def __init__(self, rng):
        super().__init__(rng.bit_generator)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return super().normal(loc, np.multiply(scale, 2**0.5), size)

    def normal(self, loc=0.0, scale=1.0, size=None):
        return super().laplace(loc, np.divide(scale, 2**0.5), size)


def _budget(change):
    """The function with another budget; a multiplier of noise is one over a budget."""

    def changed(function):
        inverse = "multiplier" in inspect.signature(function).parameters
        return power.with_budget(function, lambda budget, _: 1 / change(1 / budget) if inverse else change(budget))

    return changed


def _generator(change):
    return lambda function: lambda *call: function(*call[:-1], change(call[-1]))


def _output(change):
    return lambda function: lambda *call: change(function(*call))


def _insensitive(function):
    """The function with the sensitivity 1 in every mechanism of the book that it calls."""

    def forgetful(mechanism):
        return lambda value, _, *rest, **named: mechanism(value, 1, *rest, **named)

    known = function.__globals__
    return types.FunctionType(
        function.__code__, known | {name: forgetful(known[name]) for name in MECHANISMS if name in known}
    )


OPERATIONS = {
    "no noise": _budget(lambda epsilon: power.ENOUGH + 0 * epsilon),  # but `noisy_table` flips as before: other levels
    "half the noise": _budget(lambda epsilon: 2 * epsilon),
    "the scale taken for the standard deviation": _budget(lambda epsilon: 2**0.5 * epsilon),
    "multiplied by epsilon": _budget(lambda epsilon: 1 / epsilon),
    "epsilon forgotten": _budget(lambda epsilon: epsilon**0),
    "sensitivity forgotten": _insensitive,
    "seed fixed": _generator(lambda _: np.random.default_rng(42)),
    "a generator of its own": _generator(lambda _: np.random.default_rng()),
    "one noise for all": _generator(Shared),
    "noise of the other law": _generator(Swapped),
    "rounded": _output(np.round),
    "rounded down": _output(np.floor),
}

CHOICES = set("private_favourite panel_quantile subset_report pick choose_question noisy_table safe_total".split())
CHOICES |= {"noisy_reports"}
ONE_NUMBER = set("noisy_sum protected_count grid_side_privately noisy_value stable_winner".split())
WHOLE = CHOICES | set("grid_side_privately watch stable_winner".split())
SENSITIVITY_1 = {"panel_quantile", "grid_side_privately"}
OWN_SCALE = set("private_means private_favourite subset_report pick choose_question noisy_coefficients watch".split())
OWN_SCALE |= set("noisy_value stable_winner noisy_measurements noisy_table release_counts release_sums".split())
OWN_SCALE |= {"noisy_gradient", "noisy_reports", "noisy_round", "running_totals"}
LEFT = {  # what an operation leaves as it is
    "one noise for all": CHOICES | ONE_NUMBER,  # no Laplace or normal noise is drawn, or one number
    "noise of the other law": CHOICES,  # no such noise is drawn
    "rounded": WHOLE,  # releases are whole numbers already
    "rounded down": WHOLE,
    "sensitivity forgotten": SENSITIVITY_1 | OWN_SCALE,  # it is 1, or stands in no argument of its own
}
