"""Plan a release: its parts, the error of each, the account of all, and the Python that makes it.

A plan sees no data. `Plan(table, parts, people, epsilon, delta)` splits epsilon over its parts by their weights;
`lines` says what each part spends and how far off it will be. `account()` says what the parts guarantee together by
each of the book's ways of adding up. `code()` is a program of `dpbook` that makes the release and runs as it stands.
All under add/remove of one record.

Why here: a plan composes mechanisms of many chapters, and belongs to none of theirs. Page 27 is where a reader asks
what a release will cost, and `dpbook.choosing` is where its name leads.
Source: our own.  Notebook: 27_choosing.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np

from dpbook import arguments
from dpbook.accounting import renyi_epsilon, zcdp_epsilon
from dpbook.choosing.parts import ORDERS, PARTS

CELLS = 4_000  # of the grid of losses, from 0 to the sum of the epsilons
PROGRAM = '''import numpy as np

{imports}


def release(table, budget, rng):
    """Everything that is published, by name; neighbours: one record added or removed."""
    released = {{}}
{body}
    return released


table = {{name: column.values for name, column in {table}.items()}}
budget = Budget({whole})
rng = np.random.default_rng()  # no seed: whoever has it can subtract the noise
released = release(table, budget, rng)
'''


@dataclass(frozen=True)
class Plan:
    """A release planned for about `people` people from `table`, epsilon (and delta) in all; add/remove of one record.

    `table` is the Python that gives the data, a dict from attribute to `Dataset`, such as "data.election()". `parts`
    are `Counts`, `Histogram`, `Mean`, `Quantile`, of different names; `epsilon` is split by their weights. A `delta`
    may be spent by the counts, where the discrete Gaussian is more exact. `people` is a guess that is made without the
    data: only the error of a mean uses it.
    Raises ValueError for no parts, parts with weights, edges, bounds or candidates that cannot be, or a bad people,
    epsilon or delta. Notebook: 27_choosing.
    """

    table: str
    parts: tuple
    people: int
    epsilon: float
    delta: float = 0.0

    def __post_init__(self):
        arguments.whole("people", self.people, 1)
        arguments.positive("epsilon", self.epsilon)
        arguments.share_below_one("delta", self.delta)
        if not self.parts or not all(isinstance(part, PARTS) for part in self.parts):
            arguments.refuse("parts", self.parts, "a non-empty list of Counts, Histogram, Mean, Quantile")
        names = [part.name for part in self.parts]
        if len(set(names)) < len(names):
            arguments.refuse("parts", names, "parts of different names")
        self.lines  # noqa: B018 - bad parts are refused here

    @functools.cached_property
    def lines(self):
        """A `Line` for each part: its part of epsilon, and how far off it will be."""
        total = math.fsum(arguments.positive("weight", part.weight) for part in self.parts)
        shares = [self.epsilon * part.weight / total for part in self.parts]
        return [part.line(self.people, share, self.delta) for part, share in zip(self.parts, shares, strict=True)]

    def account(self):
        """The epsilon of the whole release by each way of adding up, a dict; all at this delta.

        "sum" is basic composition (004 Proposition 2.3). With a delta also "zCDP", "Renyi" and "loss distributions", as
        in chapter 25. Each is a bound for the parts as the program makes them, so the smallest counts.
        """
        totals = {"sum": math.fsum(line.epsilon for line in self.lines)}
        if not self.delta:
            return totals
        losses = [loss for part, line in self._pairs() for loss in part.losses(line)]
        divergences = np.sum([loss.divergences for loss in losses], axis=0)
        return totals | {
            "zCDP": zcdp_epsilon(math.fsum(loss.rho for loss in losses), self.delta),
            "Renyi": renyi_epsilon(ORDERS, divergences, self.delta).epsilon,
            "loss distributions": self._composed(losses, totals["sum"] / CELLS).epsilon(self.delta),
        }

    def code(self):
        """The Python that makes this release: it runs as it stands, and its function `release` can be called again."""
        pieces = [part.code(line) for part, line in self._pairs()]
        needed = {piece.needs for piece in pieces} | {
            "from dpbook import data",
            "from dpbook.composition import Budget",
        }
        body = "\n".join(f"    {line}" for piece in pieces for line in piece.lines)
        whole = f"{self.epsilon!r}, delta={self.delta!r}" if self.delta else f"{self.epsilon!r}"
        return PROGRAM.format(imports="\n".join(sorted(needed)), body=body, whole=whole, table=self.table)

    def _pairs(self):
        return zip(self.parts, self.lines, strict=True)

    @staticmethod
    def _composed(losses, step):
        """The distribution of all losses together: those that are the same at one stroke."""
        different = {id(loss): loss for loss in losses}
        times = [sum(one is loss for one in losses) for loss in different.values()]
        laws = [loss.law(step).repeat(often) for loss, often in zip(different.values(), times, strict=True)]
        return functools.reduce(lambda one, other: one @ other, laws)
