"""Every privacy claim of the book as one row: mechanism, claim, relation, and the check that could refute it.

One file a stem, found by itself: `claims()` of `dpbook/claims/<stem>.py` returns the rows of that chapter, `CHAPTER` is
its number. `CLAIMS` are all rows in the order of the chapters; `[check(claim) for claim in CLAIMS]` puts them to the
test, and `table` says in words what came out, as `make audit` does. Page 21 does so for a claim of each chapter and
shows the others with `worst_losses`, as last stored. A row is checked on chosen neighbours, the worst ones known for
its mechanism; the proofs are on the pages. Claims of the sources that are false stand here too,
with a pair that breaks them. This room imports every chapter, and no chapter imports it.

To add a row, write a `Claim` with `run`, a relation from `dpbook.neighbours`, the pairs, and how to find the loss
(`Claim` lists the ways). `run` is the mechanism's call, `called(mechanism, ...)` where nothing else is needed.
`tests/test_claims.py` then asks of every row that it runs the mechanism that it names, and that its verdict is the
stated one. The row must turn red when the mechanism is emptied: no noise, always the likeliest choice, half the noise.
Notebook: 21_audit.
"""

import importlib
import pkgutil

from dpbook.claims.stored import worst_losses
from dpbook.claims.trial import Trial, among, between, nothing_or
from dpbook.claims.verdicts import (
    BY_COUPLING,
    BY_DRAW,
    BY_LAW,
    BY_OUTPUTS,
    BY_STEPS,
    Claim,
    Finding,
    called,
    check,
    many,
    table,
)

FRAME = {"listening", "losses", "stored", "trial", "verdicts"}  # the files here that are no chapter's


def _chapters():
    """The modules of this room that hold the rows of a chapter, in the order of the chapters."""
    names = [found.name for found in pkgutil.iter_modules(__path__) if found.name not in FRAME]
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return sorted(modules, key=lambda module: module.CHAPTER)


CHAPTERS = _chapters()
CLAIMS = [claim for module in CHAPTERS for claim in module.claims()]
