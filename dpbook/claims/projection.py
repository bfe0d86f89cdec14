"""The claims of chapter 19: a record of length 1 more.

The mixtures of 002 are held to differential privacy here. The source does not claim that of them: its promise is for
tables that are known to be close. The leverage gives their loss.

A release is m independent rows with a normal law; the trial compares their squared length in one direction. The
mixtures of the source take no epsilon: their law is told from that on the neighbour instead.
"""

import numpy as np
from scipy import optimize, stats

from dpbook import projection
from dpbook.claims.trial import Trial
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim, called
from dpbook.neighbours import ADD_REMOVE, REPLACE

CHAPTER = "19"
ROWS, DELTA, WIDTH = 10, 1e-5, 0.2
DIRECTION = np.array([0.6, 0.8])
CUTS = np.concatenate([[0.0], np.geomspace(0.1, 1000, 80), [np.inf]])
WITHIN = np.array([1 - WIDTH, 1.25 - WIDTH, 1 + WIDTH, 1.25 + WIDTH])


def claims():
    """The rows of chapter 19."""
    nothing = np.zeros((1, 2))
    pairs = [(nothing, np.vstack([nothing, record])) for record in ([1.0, 0], [0, -1], [0.6, 0.8])]
    alone = [(np.array([[1.0, 0], [2, 0]]), np.array([[1.0, 0], [2, 0], [0, 1]]))]
    single = [(np.array([[1.0]]), np.array([[np.sqrt(1.25)]]))]
    mixed, gram, kept = projection.gaussian_projection, projection.projection_from_gram, projection.truncated_projection
    weighted, sums = projection.ballast_projection, projection.laplace_gram

    def released(mechanism, setting, run, pairs, weight, **rest):
        """A row whose loss the leverage knows, with `weight(epsilon)` public records on each variable."""

        def law(records, epsilon):
            variance = DIRECTION @ (records.T @ records + weight(epsilon) ** 2 * np.eye(2)) @ DIRECTION
            with np.errstate(divide="ignore"):
                return np.log(np.diff(stats.chi2(ROWS, scale=variance / ROWS).cdf(CUTS)))

        trial = Trial(law, squared_length, [pairs[0][1]])
        method = by_leverage(weight)
        return Claim(mechanism, setting, ADD_REMOVE, method, run, pairs, delta=DELTA, trial=trial, **rest)

    def ballast(epsilon):
        return projection.ballast(ROWS, 1.0, epsilon, DELTA)

    def summed(records, epsilon, rng):
        return projection.gaussian_gram(records.T @ records, 1.0, epsilon, DELTA, rng)

    def mixtures(records, epsilon, rng):
        return mixed(records, ROWS, rng)

    def from_gram(records, epsilon, rng):
        return gram(records.T @ records, ROWS, rng)

    false = {"weight": lambda epsilon: 0.0, "false": True, "loses": np.inf}
    return [
        released(mixed, "held to differential privacy, delta 0.00001", mixtures, alone, **false),
        released(gram, "held to differential privacy, delta 0.00001", from_gram, alone, **false),
        Claim(
            kept, "reference from the data, held to it", REPLACE, BY_LAW, near_its_own, single, law=own_reference_law,
            trial=Trial(own_reference_law, gram_cell, list(single[0])), loses=np.inf, false=True,
        ),
        released(
            weighted, "delta 0.00001", lambda records, epsilon, rng: weighted(records, ROWS, 1.0, epsilon, DELTA, rng),
            pairs, ballast,
        ),
        Claim(sums, "two columns", ADD_REMOVE, BY_STEPS, called(sums, 1.0), pairs, loses=laplace_share(pairs)),
        Claim(projection.gaussian_gram, "two columns", ADD_REMOVE, BY_STEPS, summed, pairs, delta=DELTA),
    ]  # fmt: skip


def by_leverage(weight):
    """The least epsilon at DELTA for the record added last, beside `weight(epsilon)` on each variable."""

    def method(claim):
        public = weight(claim.given) * np.eye(2)
        worst = max(projection.leverages(np.vstack([public, more]))[-1] for _, more in claim.pairs)
        if worst > 1 - 1e-9:
            return np.inf
        return optimize.brentq(lambda epsilon: projection.projection_delta(worst, ROWS, epsilon) - DELTA, 1e-3, 1e3)

    return method


def squared_length(outputs):
    """The cell of the squared length of each release, seen in one direction."""
    return np.searchsorted(CUTS, np.sum((np.stack(outputs) @ DIRECTION) ** 2, axis=1), side="right") - 1


def near_its_own(records, epsilon, rng):
    """A release kept only near the records' own Gram matrix, which is thereby told. NOT private."""
    return projection.truncated_projection(records, ROWS, records.T @ records, WIDTH, rng, tries=200)


def own_reference_law(records, epsilon):
    """The Gram number of a release kept only within WIDTH of the records' own, cut where either law ends."""
    own = np.sum(records**2)
    ends = np.clip(WITHIN, own - WIDTH, own + WIDTH)
    pieces = np.diff(stats.chi2(ROWS, scale=own / ROWS).cdf(ends))
    with np.errstate(divide="ignore"):
        return np.log(pieces / pieces.sum())


def gram_cell(outputs):
    """Between which cuts the sum of the squares of each release lies."""
    return np.searchsorted(WITHIN, [float(np.sum(release**2)) for release in outputs], side="right") - 1


def laplace_share(pairs):
    """The L1 norm of a record's products, over the sensitivity 3/2: what these records use of epsilon."""
    records = [more[-1] for _, more in pairs]
    return float(max(record[0] ** 2 + record[1] ** 2 + abs(record[0] * record[1]) for record in records) / 1.5)
