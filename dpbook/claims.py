"""Every privacy claim of the book as one row: mechanism, claim, relation, and the check that could refute it.

`CLAIMS` are the rows, in the order of the chapters: `[check(claim) for claim in CLAIMS]` puts all to the test, `table`
says in words what came out, as `make audit` and the notebook do. A row is checked on chosen neighbours, the worst ones
known for its mechanism; the proofs are on the pages. Claims of the sources that are false stand here too, with a pair
that breaks them. This room imports every chapter, and no chapter imports it.
Notebook: 21_audit.
"""

from dpbook import claims_basic, claims_sparse
from dpbook.claims_verdicts import Claim, Finding, check, table

__all__ = ["CLAIMS", "Claim", "Finding", "check", "table"]

CLAIMS = [
    *claims_basic.people_claims(),
    *claims_basic.composition_claims(),
    *claims_basic.laplace_claims(),
    *claims_basic.exponential_claims(),
    *claims_basic.average_claims(),
    *claims_basic.histogram_claims(),
    *claims_sparse.svt_claims(),
    *claims_sparse.compressive_claims(),
    *claims_sparse.continual_claims(),
    *claims_sparse.sensing_claims(),
    *claims_sparse.projection_claims(),
    *claims_sparse.alp_claims(),
]
