"""The parts of a planned release: what each spends, how far off it will be, its loss, and the lines that make it.

Each part is a frozen dataclass with the same four methods: `name`, `line(people, epsilon, delta)`, `losses(line)`,
`code(line)`. Another mechanism for the planner is another such class.
Source: our own, from the mechanisms that the lines call.  Notebook: 27_choosing.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.accounting import (
    laplace_losses,
    listed_losses,
    renyi_gaussian,
    renyi_laplace,
    renyi_response,
    zcdp_gaussian,
)
from dpbook.choosing.errors import (
    discrete_gaussian_error,
    geometric_error,
    laplace_error,
    mean_error,
    quantile_error,
)
from dpbook.gaussian import discrete_gaussian_log_probability, discrete_gaussian_scale

CONFIDENCE = 0.95  # the errors of a plan are those that 95 of 100 releases keep
DEVIATIONS = 10.0  # how far out whole-number noise is looked at: what lies beyond, 1e-23, is an infinite loss
ORDERS = 1 + np.geomspace(0.01, 1000, 200)  # of Renyi's divergences


class Line(NamedTuple):
    """One part of a plan: what it spends, and the error that 95 of 100 releases keep, in its unit."""

    name: str
    epsilon: float
    delta: float
    error: float
    unit: str


class Loss(NamedTuple):
    """The privacy loss of one step of a release: its rho of zCDP, its Renyi divergences, its distribution on a grid."""

    rho: float
    divergences: np.ndarray
    law: Callable


class Code(NamedTuple):
    """Lines of a program, and the import that they need."""

    needs: str
    lines: tuple


@dataclass(frozen=True)
class Counts:
    """How many people have more than `above` of an attribute, for each of several `questions` (attribute, above).

    One person may be in all k counts: L1 sensitivity k, L2 sensitivity sqrt k. Whole-number noise: the geometric
    mechanism, or the discrete Gaussian where a delta is there to be spent and that is more exact.
    """

    questions: tuple
    weight: float = 1.0

    @property
    def name(self):
        return "counts"

    def line(self, people, epsilon, delta):
        if not self.questions:
            arguments.refuse("questions", self.questions, "a non-empty list of (attribute, above)")
        number = len(self.questions)
        whole = geometric_error(number, CONFIDENCE, epsilon)
        normal = discrete_gaussian_error(math.sqrt(number), CONFIDENCE, epsilon, delta) if delta else math.inf
        if normal < whole:
            return Line(self.name, epsilon, delta, normal, "people")
        return Line(self.name, epsilon, 0.0, whole, "people")

    def losses(self, line):
        number = len(self.questions)
        if line.delta:
            return [whole_loss(math.sqrt(number), line.epsilon, line.delta)] * number
        return [pure_loss(line.epsilon / number)] * number

    def code(self, line):
        number = len(self.questions)
        asked = ", ".join(f"({attribute!r}, {above!r})" for attribute, above in self.questions)
        spent = f"budget.spend({line.epsilon!r}, 'counts'" + (f", delta={line.delta!r})" if line.delta else ")")
        source, mechanism, sensitivity, delta = (
            ("gaussian", "discrete_gaussian_mechanism", f"np.sqrt({number})", f", {line.delta!r}")
            if line.delta
            else ("laplace", "geometric_mechanism", f"{number}", "")
        )
        return Code(
            f"from dpbook.{source} import {mechanism}",
            (
                f"questions = [{asked}]",
                "counts = [np.count_nonzero(table[attribute] > above) for attribute, above in questions]",
                f"epsilon = {spent}",
                f"released['counts'] = {mechanism}(counts, {sensitivity}, epsilon{delta}, rng)",
            ),
        )


@dataclass(frozen=True)
class Histogram:
    """How many people have an attribute in each bin between ascending `edges`; anyone outside is not counted."""

    attribute: str
    edges: tuple
    weight: float = 1.0

    @property
    def name(self):
        return f"histogram of {self.attribute}"

    def line(self, people, epsilon, delta):
        arguments.ascending("edges", self.edges, least=2)
        return Line(self.name, epsilon, 0.0, laplace_error(1, CONFIDENCE, epsilon), "people")

    def losses(self, line):
        return [laplace_loss(line.epsilon)]

    def code(self, line):
        return Code(
            "from dpbook.histograms import flat_histogram",
            (
                f"bins, _ = np.histogram(table[{self.attribute!r}], {listed(self.edges)})",
                f"epsilon = budget.spend({line.epsilon!r}, {self.name!r})",
                f"released[{self.name!r}] = flat_histogram(bins, epsilon, rng)",
            ),
        )


@dataclass(frozen=True)
class Mean:
    """The mean of an attribute whose values are clipped to public `bounds`: half of epsilon for sum, half for count."""

    attribute: str
    bounds: tuple
    weight: float = 1.0

    @property
    def name(self):
        return f"mean of {self.attribute}"

    def line(self, people, epsilon, delta):
        error = mean_error(people, self.bounds, CONFIDENCE, epsilon)
        return Line(self.name, epsilon, 0.0, error, f"units of {self.attribute}")

    def losses(self, line):
        return [laplace_loss(line.epsilon / 2)] * 2

    def code(self, line):
        low, high = self.bounds
        return Code(
            "from dpbook.averages import centred_average",
            (
                f"values = np.clip(table[{self.attribute!r}], {low!r}, {high!r})",
                f"epsilon = budget.spend({line.epsilon!r}, {self.name!r})",
                f"released[{self.name!r}] = centred_average(values, ({low!r}, {high!r}), epsilon, rng)",
            ),
        )


@dataclass(frozen=True)
class Quantile:
    """The q-quantile of an attribute: one of the ascending `candidates`, chosen by the exponential mechanism."""

    attribute: str
    q: float
    candidates: tuple
    weight: float = 1.0

    @property
    def name(self):
        return f"median of {self.attribute}" if self.q == 0.5 else f"{self.q:g}-quantile of {self.attribute}"

    def line(self, people, epsilon, delta):
        candidates = arguments.ascending("candidates", self.candidates, least=2)
        error = quantile_error(candidates.size, self.q, CONFIDENCE, epsilon)
        return Line(self.name, epsilon, 0.0, error, "people in rank")

    def losses(self, line):
        return [pure_loss(line.epsilon)]

    def code(self, line):
        return Code(
            "from dpbook.exponential import private_quantile",
            (
                f"values, candidates = table[{self.attribute!r}], {listed(self.candidates)}",
                f"epsilon = budget.spend({line.epsilon!r}, {self.name!r})",
                f"released[{self.name!r}] = private_quantile(values, {self.q!r}, candidates, epsilon, rng)",
            ),
        )


PARTS = Counts, Histogram, Mean, Quantile


def pure_loss(epsilon):
    """Of any epsilon-DP step, for its relation: no loss is worse than that of randomized response."""
    log_p, log_q = (-np.logaddexp(0, np.array(ends)) for ends in ([-epsilon, epsilon], [epsilon, -epsilon]))
    rho = epsilon * math.tanh(epsilon / 2)
    return Loss(rho, renyi_response(epsilon, ORDERS), lambda step: listed_losses(log_p, log_q, step))


def laplace_loss(epsilon):
    """Of Laplace noise on one number that spends epsilon, for its relation; its rho is that of any epsilon-DP step."""
    rho = epsilon * math.tanh(epsilon / 2)
    return Loss(rho, renyi_laplace(epsilon, 1, ORDERS), lambda step: laplace_losses(epsilon, 1, step))


def whole_loss(sensitivity, epsilon, delta):
    """Of `discrete_gaussian_mechanism` with this L2 sensitivity, on one count that a person moves by 1: add/remove.

    The losses of the counts of a vector add up: their noises are independent.
    """
    scale = discrete_gaussian_scale(sensitivity, epsilon, delta)
    reach = math.ceil(DEVIATIONS * scale) + 1
    outputs = np.arange(-reach, reach + 2)
    laws = [discrete_gaussian_log_probability(outputs, count, sensitivity, epsilon, delta) for count in (0, 1)]
    return Loss(zcdp_gaussian(1, scale), renyi_gaussian(1, scale, ORDERS), lambda step: listed_losses(*laws, step))


def listed(numbers):
    """Ascending numbers as Python: a range where they are whole and evenly spaced, else a list."""
    numbers = list(numbers)
    steps = {high - low for low, high in itertools.pairwise(numbers)}
    if len(numbers) > 3 and len(steps) == 1 and all(isinstance(number, int) for number in numbers):
        step = steps.pop()
        return f"np.arange({numbers[0]}, {numbers[-1] + 1}{f', {step}' if step > 1 else ''})"
    return repr(numbers)
