"""Every privacy claim of the book as one row: mechanism, claim, relation, and the check that could refute it.

`CLAIMS` are the rows, in the order of the chapters: `[check(claim) for claim in CLAIMS]` puts all to the test, `table`
says in words what came out, as `make audit` and the notebook do. A row is checked on chosen neighbours, the worst ones
known for its mechanism; the proofs are on the pages. Claims of the sources that are false stand here too, with a pair
that breaks them. This room imports every chapter, and no chapter imports it.
Notebook: 21_audit.
"""

from dpbook import basic_claims, sparse_claims
from dpbook.verdicts import Claim, Finding, check, table

__all__ = ["CLAIMS", "Claim", "Finding", "check", "table"]

CLAIMS = [
    *basic_claims.people_claims(),
    *basic_claims.composition_claims(),
    *basic_claims.laplace_claims(),
    *basic_claims.exponential_claims(),
    *basic_claims.average_claims(),
    *basic_claims.histogram_claims(),
    *sparse_claims.svt_claims(),
    *sparse_claims.compressive_claims(),
    *sparse_claims.continual_claims(),
    *sparse_claims.sensing_claims(),
    *sparse_claims.alp_claims(),
]
