"""What a privacy claim is, how it is put to the test, and the verdict in words: the frame of the table in `claims`.

Source: beyond the seeds.  Notebook: 21_audit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from dpbook.claims.loss import loss_from_draw, loss_from_law, loss_from_noise, loss_from_outputs

WITHIN, NOT_REFUTED, BROKEN = "within", "not refuted", "BROKEN"
ONE_MORE, REPLACED, ANSWERS = "add/remove", "replace", "each answer by 1"
BY_LAW, BY_DRAW, BY_NOISE, BY_OUTPUTS = loss_from_law, loss_from_draw, loss_from_noise, loss_from_outputs


@dataclass(frozen=True)
class Claim:
    """One claim: `mechanism`, used as `setting` says, loses at most `epsilon` between neighbours under `relation`.

    `method(run, pairs)` computes the worst loss found over the chosen `pairs` of neighbours: one of the functions of
    `claims_loss`, of which only `loss_from_outputs` is statistical, or one like them. `run` is what that function asks
    for, the mechanism or its law. A source's claim that is `false` is a row too; its verdict ought to be BROKEN.
    """

    mechanism: Callable
    setting: str
    relation: str
    method: Callable
    run: Callable
    pairs: list
    epsilon: float = 1.0
    false: bool = False

    @property
    def statistical(self):
        return self.method is BY_OUTPUTS

    @property
    def stated(self):
        """The verdict that the book gives: "within", "not refuted" (all that samples can show) or "BROKEN"."""
        return BROKEN if self.false else NOT_REFUTED if self.statistical else WITHIN


def called(mechanism, *arguments, **options):
    """The mechanism as a function of (data, rng) alone, the `run` of a claim."""
    return lambda data, rng: mechanism(data, *arguments, rng, **options)


class Finding(NamedTuple):
    """What the check of one claim found: the worst loss, and the verdict on it."""

    claim: Claim
    loss: float
    verdict: str

    @property
    def as_stated(self):
        return self.verdict == self.claim.stated

    @property
    def words(self):
        if not self.as_stated:
            return f"{self.verdict}, but said: {self.claim.stated}"
        return f"{self.verdict} as said" if self.verdict == BROKEN else self.verdict


def check(claim):
    """Run the check of one `Claim`: a `Finding`. A loss may exceed the claim by rounding (one part in 10^9)."""
    loss = float(claim.method(claim.run, claim.pairs))
    kept = NOT_REFUTED if claim.statistical else WITHIN
    return Finding(claim, loss, kept if loss <= claim.epsilon * (1 + 1e-9) else BROKEN)


def table(findings):
    """The findings as rows of words, one dict a claim, the same on any machine."""
    return [
        {
            "mechanism": claim.mechanism.__name__,
            "used": claim.setting,
            "neighbours": claim.relation,
            "checked": "statistical" if claim.statistical else "exact",
            "claim": f"{claim.epsilon:.2f}",
            "worst loss": f"{loss:.2f}",
            "verdict": Finding(claim, loss, verdict).words,
        }
        for claim, loss, verdict in findings
    ]
