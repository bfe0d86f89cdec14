"""Every privacy claim of the book as one row: mechanism, claim, relation, and the check that could refute it.

`CLAIMS` are the rows, in the order of the chapters: `[check(claim) for claim in CLAIMS]` puts all to the test, `table`
says in words what came out, as `make audit` and the notebook do. A row is checked on chosen neighbours, the worst ones
known for its mechanism; the proofs are on the pages. Claims of the sources that are false stand here too, with a pair
that breaks them. This room imports every chapter, and no chapter imports it.
Notebook: 21_audit.
"""

from dpbook.claims import basic, sparse_rows
from dpbook.claims.verdicts import Claim, Finding, check, table

__all__ = ["CLAIMS", "Claim", "Finding", "check", "table"]

CLAIMS = [
    *basic.people_claims(),
    *basic.composition_claims(),
    *basic.laplace_claims(),
    *basic.exponential_claims(),
    *basic.average_claims(),
    *basic.histogram_claims(),
    *sparse_rows.svt_claims(),
    *sparse_rows.compressive_claims(),
    *sparse_rows.continual_claims(),
    *sparse_rows.sensing_claims(),
    *sparse_rows.projection_claims(),
    *sparse_rows.alp_claims(),
]
