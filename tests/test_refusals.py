"""Bad arguments, one table for every mechanism of the claims: a refusal names the argument and what it must be.

The good call is the one that the mechanism's own row makes, seen while the row runs; then one argument after the other
is replaced by what no mechanism may take. What only one function must refuse stands in that chapter's own tests.
"""

import inspect
import sys

import numpy as np
import pytest

from dpbook.claims import CLAIMS

NO_NUMBER = (None, "1", float("nan"), [1.0, 2.0])
NOT_POSITIVE = (*NO_NUMBER, 0, -1, float("inf"))
NOT_WHOLE = (*NO_NUMBER, -1, 1.5, float("inf"))
NO_DATA = (None, "1", [[1], [1, 2]], float("nan"), np.array([np.nan]), np.array([[np.nan, 1.0]]), np.array([np.inf]))
NO_CHANCE = (*NO_NUMBER, -0.1, 1.1)
KINDS = [
    ("epsilon alpha beta rho sensitivity smooth_bound regularisation theta", NOT_POSITIVE),
    (
        "k depth rounds cutoff branching degree blocks side starts population passes steps categories kept order",
        NOT_WHOLE,
    ),
    ("order sparsity classes most selected", NOT_WHOLE),
    ("delta share split_share count_share q", NO_CHANCE),
    ("counts records values value points features labels stream answers bits data x rows losses", NO_DATA),
    ("centroids thresholds", NO_DATA),
    ("multiplier", (*NO_NUMBER, -1, float("inf"))),
    ("rng", (None, 1, "seed", np.random)),
]
BAD = {name: bad for names, bad in KINDS for name in names.split()}
PLAIN = {name: BAD[name] for name in ("records", "labels", "classes", "depth")}
OPEN = {"values": [bad for bad in NO_DATA if isinstance(bad, np.ndarray)]}  # whatever the statistic takes, NaN too
ALLOWED = {
    "plain_diffpid3": PLAIN,  # a loop to read: `diffpid3`, which readers call, checks
    "dplloyd": {"count_share": [None]},  # then the best share is worked out
    **dict.fromkeys(("sample_and_aggregate", "unclipped_aggregate", "block_votes"), OPEN),
}


class Called(Exception):
    """The arguments are seen: the row need not go on."""


def good_call(claim):
    """The arguments with which a claim's row calls its mechanism; None where the row calls an accountant instead."""
    code = inspect.unwrap(claim.mechanism).__code__ if inspect.isfunction(claim.mechanism) else None
    code = code or claim.mechanism.__init__.__code__

    def note(frame, event, _):
        if event == "call" and frame.f_code is code:
            raise Called({name: frame.f_locals[name] for name in inspect.signature(claim.mechanism).parameters})

    size = {"size": 3} if "size" in inspect.signature(claim.run).parameters else {}
    epsilon = claim.epsilon if isinstance(claim.epsilon, float) else 1.0
    sys.setprofile(note)
    try:
        claim.run(claim.pairs[0][0], epsilon, np.random.default_rng(1), **size)
    except Called as called:
        return called.args[0]
    finally:
        sys.setprofile(None)
    return None


CALLS = {claim.mechanism: call for claim in reversed(CLAIMS) if (call := good_call(claim))}


def call(mechanism, given):
    parameters = inspect.signature(mechanism).parameters.values()
    positional = [given[p.name] for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    result = mechanism(*positional, **{p.name: given[p.name] for p in parameters if p.kind is p.KEYWORD_ONLY})
    return next(result) if inspect.isgenerator(result) else result  # a generator checks when it is first asked


@pytest.mark.parametrize("mechanism", CALLS, ids=lambda mechanism: mechanism.__name__)
def test_bad_arguments_are_refused_by_name(mechanism):
    good, allowed = CALLS[mechanism], ALLOWED.get(mechanism.__name__, {})
    for name in BAD.keys() & good.keys():
        for bad in BAD[name]:
            if not any(bad is one for one in allowed.get(name, ())):
                with pytest.raises(ValueError, match=rf"^{name}\b.* must be"):
                    call(mechanism, {**good, name: bad})


def test_the_table_reaches_nearly_every_mechanism():
    """Rows that call an accountant in place of a mechanism have no good call to look at, and few others."""
    missing = {claim.mechanism for claim in CLAIMS} - CALLS.keys()
    assert len(missing) < len(CALLS) / 10
    assert all(BAD.keys() & good.keys() for good in CALLS.values())
