"""What a privacy claim is, how it is put to the test, and the verdict in words: the frame of the table in `claims`.

A row that no run of the program could make fail is not a row: every claim holds the mechanism's CALL, `run(data,
epsilon, rng)`. `method` finds the worst loss. Where it does so from a law, the claim holds the law too, and `check`
compares draws of the call with it.
Source: beyond the seeds.  Notebook: 21_audit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpbook.claims import losses
from dpbook.claims.trial import MOST, Trial, draws, heeds_epsilon, smallest_caught
from dpbook.verdict import BROKEN, ROUNDING, verdict

BY_LAW, BY_DRAW, BY_STEPS = losses.by_law, losses.by_draw, losses.by_steps
BY_OUTPUTS, BY_COUPLING = losses.by_outputs, losses.by_coupling
UNLIKE = "another program"  # the verdict where the program does not follow the law


@dataclass(frozen=True)
class Claim:
    """One claim: `mechanism`, used as `setting` says, loses at most `epsilon` between neighbours under `relation`.

    `run(data, epsilon, rng)` calls the mechanism; with a further parameter `size` it gives that many outputs.
    `method(claim)` computes the worst loss over the chosen `pairs` of neighbours, in one of these ways:
    - BY_STEPS: The program runs with a generator that notes each noise and choice with its law, once for each way its
      few choices can fall. Each run is repeated on the neighbour with the same noisy numbers and choices.
    - BY_DRAW: The program draws one uniform number, off which its law is read.
    - BY_LAW: `law(data, epsilon)` gives the log probabilities of events. Then `trial` compares program and law.
    - BY_COUPLING: The program runs again on the neighbour, its noise moved as the proof says (`coupling`).
    - BY_OUTPUTS: Outputs of the program give a certified lower bound.
    A function of one's own, with a `trial`, will do too.
    `epsilon` is a number, or a function without arguments that works the promise out (an accountant is then what the
    row is about); `at` is the epsilon that the call gets, if it is not the promise. `delta` is the other half of the
    promise. `loses` is the loss that the pairs show (without a trial the whole promise, if nothing is said): that of an
    emptied mechanism differs. A source's claim that is `false` is a row too: its verdict ought to be BROKEN.
    """

    mechanism: Callable
    setting: str
    relation: str
    method: Callable
    run: Callable
    pairs: list
    epsilon: float | Callable = 1.0
    delta: float = 0.0
    at: float | None = None
    loses: float | None = None
    law: Callable | None = None
    trial: Trial | None = None
    coupling: Callable | None = None
    false: bool = False

    @property
    def promise(self):
        """The epsilon claimed."""
        return float(self.epsilon() if callable(self.epsilon) else self.epsilon)

    @property
    def given(self):
        """The epsilon that the mechanism is called with."""
        return self.promise if self.at is None else self.at

    @property
    def name(self):
        """What tells this row from all others."""
        return f"{self.mechanism.__name__}: {self.setting}, {self.relation}"

    @property
    def statistical(self):
        return self.method is BY_OUTPUTS

    @property
    def stated(self):
        """The verdict that the book gives: "within", "not refuted" (all that samples can show) or "BROKEN"."""
        return BROKEN if self.false else verdict(0.0, 1.0, certain=not self.statistical)

    @property
    def ran(self):
        """What the check runs: the program, or both the program and its law."""
        return "program" if self.trial is None else "both"


def called(mechanism, *public, **options):
    """The mechanism as the `run` of a claim: a function of (data, epsilon, rng) alone."""

    def run(data, epsilon, rng):
        return mechanism(data, *public, epsilon, rng, **options)

    return run


def many(mechanism, *public, **options):
    """As `called`, for a mechanism that has a parameter `size`."""

    def run(data, epsilon, rng, size=None):
        return mechanism(data, *public, epsilon, rng, size=size, **options)

    return run


class Finding(NamedTuple):
    """What the check of one claim found: the worst loss, the verdict on it, and the draws of its trial, if any."""

    claim: Claim
    loss: float
    verdict: str
    draws: tuple = ()

    @property
    def drawn(self):
        """How many outputs the trial drew, on all its datasets; 0 where the loss was computed from the program."""
        return sum(one.size for one in self.draws)

    @property
    def catches(self):
        """The smallest overspending that the check would catch, as a factor of epsilon; 1 where it computes the loss.

        See `trial.smallest_caught`: infinity where the draws show none, or the law does not depend on epsilon.
        """
        return smallest_caught(self.claim, self.draws) if self.draws else 1.0

    @property
    def heeds_epsilon(self):
        """Whether the check depends on epsilon at all: the laws of three mixtures of chapter 19 do not."""
        return not self.claim.trial or heeds_epsilon(self.claim)

    @property
    def as_stated(self):
        """Whether the verdict is the stated one and, where the loss is exact, the loss is the stated one too."""
        return self.verdict == self.claim.stated and (self.claim.statistical or self._loses_what_is_said())

    def _loses_what_is_said(self):
        if self.claim.loses is None and self.claim.trial is not None:
            return True  # what ties the program to this row is the trial
        said = self.claim.promise if self.claim.loses is None else self.claim.loses
        return bool(self.loss == said or abs(self.loss - said) <= 1e-6 * max(1.0, said) + ROUNDING)

    @property
    def words(self):
        if self.verdict != self.claim.stated:
            return f"{self.verdict}, but said: {self.claim.stated}"
        if not self.as_stated:
            return f"{self.verdict}, but said to lose {self.claim.loses or self.claim.promise:.6g}"
        return f"{self.verdict} as said" if self.verdict == BROKEN else self.verdict


def check(claim, most=MOST):
    """Run the check of one `Claim`: a `Finding`. A loss may exceed the claim by rounding (one part in 10^9).

    At most `most` outputs a dataset are drawn to compare a program with its law: fewer see less.
    """
    return judged(claim, draws(claim, most) if claim.trial else [])


def judged(claim, drawn):
    """The `Finding` on a claim of whose trial these are the draws."""
    loss, drawn = float(claim.method(claim)), tuple(drawn)
    if any(one.refuses for one in drawn):
        return Finding(claim, loss, UNLIKE, drawn)
    return Finding(claim, loss, verdict(loss, claim.promise, certain=not claim.statistical), drawn)


def caught_words(factor):
    """A factor of overspending in words."""
    return "any" if factor == 1 else "none" if np.isinf(factor) else f"{factor:g} ε"


def table(findings):
    """The findings as rows of words, one dict a claim, the same on any machine."""
    return [
        {
            "mechanism": finding.claim.mechanism.__name__,
            "used": finding.claim.setting,
            "neighbours": finding.claim.relation,
            "ran": finding.claim.ran,
            "drawn": f"{finding.drawn:,}" if finding.draws else "",
            "catches": caught_words(finding.catches),
            "claim": f"{finding.claim.promise:.2f}",
            "worst loss": "∞" if np.isinf(finding.loss) else f"{finding.loss:.2f}",
            "verdict": finding.words,
        }
        for finding in findings
    ]
