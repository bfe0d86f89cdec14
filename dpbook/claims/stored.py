"""The worst loss of every claim, as the last full check found it: page 21 shows these beside a few that it runs itself.

`make audit STORE=yes` writes them; `tests/test_claims.py` checks every claim in full and compares.
Source: beyond the seeds.  Notebook: 21_audit.
"""

import json
import pathlib

STORE = pathlib.Path(__file__).with_name("stored.json")


def worst_losses():
    """The worst loss that the last full check found for each claim: {name of the claim: loss}, some without bound.

    A claim that came later has none. Notebook: 21_audit.
    """
    return {name: float(loss) for name, loss in json.loads(STORE.read_text(encoding="utf-8")).items()}


def store(findings):
    """Write the worst losses of `findings` for `worst_losses` to read."""
    losses = {finding.claim.name: f"{finding.loss:.12g}" for finding in findings}
    STORE.write_text(json.dumps(losses, indent=1) + "\n", encoding="utf-8")
