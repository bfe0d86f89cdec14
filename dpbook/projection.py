"""Compressing the records: a table of n records becomes m random Gaussian mixtures of them. What it keeps, and hides.

n records of p variables are the rows of an array. The release depends on them only through their p x p Gram matrix, the
sums of products of two variables. Neighbours differ by one record (add/remove) unless a function says "replace".
Source: 002, whose formulas and letters our copy has lost.  Notebook: 19_projection.
"""

import math

import numpy as np
from scipy import optimize, special

from dpbook import arguments
from dpbook.gaussian import gaussian_scale
from dpbook.laplace import laplace_mechanism

# 2.5044 and 7.6885: of the paper that the source's Lemma B.1 cites
C1, C2 = 4 * math.e / math.sqrt(6 * math.pi), math.e * math.sqrt(8)


def gaussian_projection(records, rows, rng):
    """Mix the records into `rows` random combinations. NOT differentially private: no epsilon holds.

    `records` is an n x p array; the release is Phi @ records, m x p, m = `rows`. Phi holds m x n independent normal
    numbers of variance 1 / m, so the release's Gram matrix is on average that of the records. Each of its rows is
    normal with mean 0 and covariance records.T @ records / m. `projection_delta` says which delta holds for a record.
    Raises ValueError for records that are not a table of finite numbers, or rows not whole or
    below 1.  Source: 002 sections 1 and 3 (the variance is lost in our copy).  Notebook: 19_projection.
    """
    records, rows = _table("records", records), arguments.whole("rows", rows, 1)
    scale = 1 / math.sqrt(rows)
    mixing = arguments.generator("rng", rng).normal(scale=scale, size=(rows, len(records)))
    return mixing @ records


def projection_from_gram(gram, rows, rng):
    """A table as likely as from `gaussian_projection`, drawn from the records' Gram matrix alone.

    `gram` is records.T @ records, p x p. Has the same losses, and is fast for any number of
    records. Raises ValueError for a gram that is not symmetric or has a direction below 0, or for
    rows not whole or below 1.  Notebook: 19_projection.
    """
    values, vectors = np.linalg.eigh(_symmetric("gram", gram))
    if values[0] < -1e-9 * max(values[-1], 0):
        arguments.refuse("gram", values[0], "a Gram matrix: no eigenvalue below 0")
    root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T
    rows = arguments.whole("rows", rows, 1)
    return arguments.generator("rng", rng).normal(scale=1 / math.sqrt(rows), size=(rows, len(root))) @ root


def leverages(records):
    """The leverage of each record, from 0 to 1: v . inverse(records.T @ records) . v, n numbers.

    1 means that without this record a direction is empty; the leverages add up to the rank, at
    most p. Not private. Raises ValueError for records that are not a table of finite numbers.
    Notebook: 19_projection.
    """
    left, sizes, _ = np.linalg.svd(_table("records", records), full_matrices=False)
    return np.sum(left[:, sizes > 1e-12 * sizes[0]] ** 2, axis=1)


def projection_loss(release, records, index):
    """The privacy loss of one release: ln(density with record `index` / density without it).

    `release` is as `gaussian_projection` gives it, or a stack of k releases, k x m x p, for k losses. The loss is inf
    if the other records leave a direction empty.
    Raises ValueError for tables that do not fit, or if all records together leave a direction empty.
    Source: 002 appendix C, the ratio of the two densities.  Notebook: 19_projection.
    """
    records, release = _table("records", records), _table("release", release, stacked=True)
    if release.shape[-1] != records.shape[1]:
        arguments.refuse("release", f"shape {release.shape}", f"a table of {records.shape[1]} columns")
    record = records[arguments.whole("index", index, 0, len(records) - 1)]
    if np.linalg.matrix_rank(records) < records.shape[1]:
        arguments.refuse("records", f"rank below {records.shape[1]}", "a table with no empty direction")
    direction = np.linalg.solve(records.T @ records, record)
    leverage = record @ direction
    if leverage >= 1 - 1e-12:
        return np.full(release.shape[:-2], np.inf)[()]
    rows = release.shape[-2]
    along = rows * np.sum((release @ direction) ** 2, axis=-1)
    return rows / 2 * math.log1p(-leverage) + along / 2 / (1 - leverage)


def projection_delta(leverage, rows, epsilon):
    """The exact delta at which a projection is (epsilon, delta)-DP for ONE record of this leverage.

    For the table with the record and its neighbour without it, both ways; `rows` is m, `leverage` h. With the record
    the loss is m / 2 ln(1 - h) + h / (2 (1 - h)) chi-square(m). Without it the loss is
    m / 2 ln(1 - h) + h / 2 chi-square(m). It has no bound, so delta is never 0 for h above 0. Delta grows with h.
    A difference of two chances: nine digits hold for an epsilon of 0.001 to 100 and a delta above 1e-15.
    Raises ValueError for a leverage outside 0 ... 1, rows not whole or below 1, or an epsilon outside
    (0, inf).  Notebook: 19_projection.
    """
    leverage, rows = arguments.share("leverage", leverage), arguments.whole("rows", rows, 1)
    epsilon = arguments.positive("epsilon", epsilon)
    if leverage in (0, 1):
        return leverage
    shift = rows / 2 * math.log1p(-leverage)
    high, low = 2 * (epsilon - shift) / leverage, 2 * (-epsilon - shift) / leverage
    added = special.chdtrc(rows, high * (1 - leverage)) - _times_exp(special.chdtrc(rows, high), epsilon)
    removed = 0.0  # for the table without the record the loss is at most -shift
    if low > 0:
        removed = special.chdtr(rows, low) - _times_exp(special.chdtr(rows, low * (1 - leverage)), epsilon)
    return float(max(added, removed, 0.0))


def loss_tail(leverage, rows, epsilon):
    """The probability that the loss about a record of this leverage exceeds epsilon (record there).

    Never 0 for a leverage above 0. Arguments and errors of `projection_delta`.
    Notebook: 19_projection.
    """
    leverage, rows = arguments.share("leverage", leverage), arguments.whole("rows", rows, 1)
    epsilon = arguments.positive("epsilon", epsilon)
    if leverage in (0, 1):
        return leverage
    shift = rows / 2 * math.log1p(-leverage)
    return float(special.chdtrc(rows, 2 * (epsilon - shift) * (1 - leverage) / leverage))


def ballast(rows, bound, epsilon, delta):
    """How much to add to each variable so that a projection is (epsilon, delta)-DP for all records.

    The field's word is regularisation, w^2 I added to the Gram matrix; here it is p public records
    w e_1, ..., w e_p. Among them no record of Euclidean length up to `bound` has a leverage above
    bound^2 / (bound^2 + w^2). Returns the smallest such w, in the unit of the records.
    Raises ValueError for rows not whole or below 1, a bound or epsilon outside (0, inf), or a delta outside (0, 1).
    It also does so if w / bound would be below e^-15 or above e^20.
    Not in the source; after Blocki, Blum, Datta, Sheffet 2012.  Notebook: 19_projection.
    """
    bound, delta = arguments.positive("bound", bound), arguments.probability("delta", delta)

    def excess(log_ratio):
        return projection_delta(1 / (1 + math.exp(log_ratio)), rows, epsilon) - delta

    if not excess(-30) > 0 > excess(40):
        arguments.refuse("delta", delta, f"one that a w of e^-15 to e^20 bounds gives at epsilon = {epsilon}")
    most = optimize.brentq(excess, -30, 40, xtol=1e-12) + 1e-9  # ln(w^2 / bound^2), on the safe side
    return bound * math.exp(most / 2)


def ballast_projection(records, rows, bound, epsilon, delta, rng):
    """Release an m x p projection of records and ballast, (epsilon, delta)-DP (add/remove).

    As `gaussian_projection`, of the records and of w e_1, ..., w e_p with w = `ballast(...)`. Its Gram matrix is on
    average records.T @ records + w^2 I, which has the same principal directions as the records. Records must have
    Euclidean length at most `bound`, in their unit; they are not shortened here.
    Raises ValueError for a longer record, and as `gaussian_projection` and `ballast` do; no records are data as well.
    Not in the source; after Blocki, Blum, Datta, Sheffet 2012.  Notebook: 19_projection.
    """
    records = _table("records", records, empty=True)
    weight = ballast(rows, _within("records", records, bound), epsilon, delta)
    gram = records.T @ records + weight**2 * np.eye(records.shape[1])
    return projection_from_gram(gram, rows, rng)  # spends epsilon and delta


def laplace_gram(records, bound, epsilon, rng):
    """Release the p x p sums of products with epsilon-DP (add/remove) by Laplace noise.

    Each entry of records.T @ records on and above the diagonal gets noise of scale bound^2 (p + 1) / 2 / epsilon. Those
    below mirror them. A record of Euclidean length at most `bound` moves them by at most bound^2 (p + 1) / 2 in all.
    Returns a symmetric array, which may have directions below 0. No records are data as well.
    Raises ValueError for a longer record, records that are not a table of finite numbers, or a bound or epsilon outside
    (0, inf).  Notebook: 19_projection.
    """
    records = _table("records", records, empty=True)
    _within("records", records, bound)
    p = records.shape[1]
    upper, released = np.triu_indices(p), np.zeros((p, p))
    released[upper] = laplace_mechanism((records.T @ records)[upper], bound**2 * (p + 1) / 2, epsilon, rng)
    return released + np.triu(released, 1).T


def gaussian_gram(gram, bound, epsilon, delta, rng):
    """Release the p x p sums of products with (epsilon, delta)-DP (add/remove) by Gaussian noise.

    `gram` is records.T @ records of records of Euclidean length at most `bound` (the caller's word). A record moves the
    diagonal, and sqrt 2 times the entries above it, by at most bound^2 in Euclidean length. Noise on the diagonal has
    the deviation that this L2 sensitivity asks for, noise above it 1 / sqrt 2 of that. The entries below mirror those
    above. Returns a symmetric array, which may have directions below 0.
    Raises ValueError for a gram that is not symmetric, a bound or epsilon outside (0, inf), or a delta outside (0, 1).
    Source: Dwork, Talwar, Thakurta, Zhang 2014; the deviation after Balle, Wang 2018.  Notebook: 19_projection.
    """
    gram = _symmetric("gram", gram)
    deviation = gaussian_scale(arguments.positive("bound", bound) ** 2, epsilon, delta)
    upper, released = np.triu_indices(len(gram)), np.zeros_like(gram)
    scales = np.where(upper[0] == upper[1], deviation, deviation / math.sqrt(2))
    released[upper] = gram[upper] + arguments.generator("rng", rng).normal(scale=scales)  # spends epsilon and delta
    return released + np.triu(released, 1).T


def normalise_columns(records):
    """Each column divided by its root mean square, as the source asks for. Not private.

    The divisor is an exact statistic of the records: one record that changes it changes the rows of
    all others. Raises ValueError for a column of zeros, or records that are not a table of finite
    numbers.  Source: 002 equation (4).  Notebook: 19_projection.
    """
    records = _table("records", records)
    sizes = np.sqrt(np.mean(records**2, axis=0))
    if np.any(sizes == 0):
        arguments.refuse(
            "records", f"only zeros in column {int(np.argmin(sizes))}", "a number other than 0 in each column"
        )
    return records / sizes


def truncated_projection(records, rows, reference, width, rng, *, tries=10_000):
    """Draw projections until one has a Gram matrix near `reference`, entry by entry. NOT private.

    A release Y is accepted if |Y.T @ Y / n - reference| <= `width` in each entry; `reference` is p x p. This bounds the
    loss (`truncated_loss`) only between tables whose own matrices are known to be close. It does so only if `reference`
    is chosen without the data. The number n of records is public (replace).
    Raises ValueError for shapes that do not fit, a width outside (0, inf), or if none of `tries` releases is accepted.
    That last error itself tells something about the records.
    Source: 002 Procedure 4.1.  Notebook: 19_projection.
    """
    records, reference = _table("records", records), _symmetric("reference", reference)
    width = arguments.positive("width", width)
    if len(reference) != records.shape[1]:
        arguments.refuse("reference", f"shape {reference.shape}", f"as wide as the records, {records.shape[1]}")
    gram = records.T @ records
    for _ in range(arguments.whole("tries", tries, 1)):
        release = projection_from_gram(gram, rows, rng)
        if np.all(np.abs(release.T @ release / len(records) - reference) <= width):
            return release
    arguments.refuse("width", width, f"so wide that one of {tries} releases is accepted")


def truncation_width(n, p, rows):
    """The width AROUND THE RECORDS' OWN MATRIX that rejects with probability at most 1 / n^2 (normalised columns).

    By the source's Lemma B.1 with those constants, for all p (p + 1) / 2 entries at once. They do for up to
    55 ln(p (p + 1) n^2) rows, by Chernoff's bound. For many more they are too small: n = 1,000, p = 1 and 10,000 rows
    reject with probability 3.2 / n^2. Around another reference, as privacy needs, add the largest distance of an entry
    from it. That is at most 1 for normalised columns and the identity.
    Raises ValueError for an n, p or rows that is not whole or below 1 (n: 2).
    Source: 002 Lemmas 4.4 and B.1, whose constants are taken from the paper that it cites.  Notebook: 19_projection.
    """
    n, p, rows = arguments.whole("n", n, 2), arguments.whole("p", p, 1), arguments.whole("rows", rows, 1)
    exponent = math.log(p * (p + 1) * n**2)
    return (exponent * C2 + math.sqrt((exponent * C2) ** 2 + 4 * rows * exponent * C1)) / (2 * rows)


def truncated_loss(gram, neighbour_gram, rows, reference, width):
    """The largest |ln ratio| of two projections' densities over the releases that are accepted.

    Before the densities are divided by their chances to be accepted, which the source ignores as nearly 1.
    All three matrices are p x p and in one unit (sums of products, divided by n). Exact if the
    corners of the box are Gram matrices, as for small widths; else a bound. inf where one matrix
    has an empty direction. `neighbour_gram` may be a stack of k neighbours, k x p x p: k losses.
    Raises ValueError for matrices that are not symmetric or do not fit, rows not whole or below 1,
    or a negative width.
    Source: 002 Theorem 4.6 and appendix C.  Notebook: 19_projection.
    """
    one, centre = _symmetric("gram", gram), _symmetric("reference", reference)
    others = _symmetric("neighbour_gram", neighbour_gram, stacked=True)
    if not one.shape == others.shape[-2:] == centre.shape:
        arguments.refuse("reference", [one.shape, others.shape, centre.shape], "matrices of one shape")
    arguments.nonnegative("width", width)
    ranks = [np.linalg.matrix_rank(matrix, hermitian=True) for matrix in (one, others)]
    full, losses = np.minimum(*ranks) == len(one), np.full(others.shape[:-2], np.inf)
    if np.any(full):
        difference = np.linalg.inv(others[full]) - np.linalg.inv(one)
        volumes = np.linalg.slogdet(others[full])[1] - np.linalg.slogdet(one)[1]
        middle = volumes + np.sum(difference * centre, axis=(-2, -1))
        losses[full] = np.abs(middle) + width * np.abs(difference).sum(axis=(-2, -1))
    return arguments.whole("rows", rows, 1) / 2 * losses[()]


def principal_angle(gram, estimate, components):
    """The largest angle, in degrees, between the leading directions of two Gram matrices.

    `components` is how many. 0 means the same subspace, 90 that one holds a direction at right
    angles to all of the other. `estimate` may be a stack of k estimates, k x p x p: k angles.
    Raises ValueError for matrices that are not symmetric or differ in shape, or components not
    whole or not within 1 ... p.  Source: 002 Proposition 3.4.  Notebook: 19_projection.
    """
    gram, estimate = _symmetric("gram", gram), _symmetric("estimate", estimate, stacked=True)
    if gram.shape != estimate.shape[-2:]:
        arguments.refuse("estimate", estimate.shape, f"of the shape of gram, {gram.shape}")
    leading = arguments.whole("components", components, 1, len(gram))
    one, other = (np.linalg.eigh(matrix)[1][..., -leading:] for matrix in (gram, estimate))
    outside = np.linalg.norm(other - one @ (one.T @ other), 2, axis=(-2, -1))  # the sine: exact for small angles too
    return np.degrees(np.arcsin(np.minimum(outside, 1)))


def _table(name, values, stacked=False, empty=False):
    """An n x p float array of finite numbers, p not 0, n only if `empty`; if `stacked`, k of them are allowed too."""
    expected = "a table of finite numbers, one row a record"
    values = arguments.array(name, values, expected)
    if values.ndim not in ((2, 3) if stacked else (2,)) or 0 in values.shape[empty:]:
        arguments.refuse(name, f"shape {values.shape}", expected)
    return values


def _symmetric(name, values, stacked=False):
    """A symmetric p x p float array of finite numbers; if `stacked`, k of them are allowed too."""
    values = _table(name, values, stacked)
    turned = values.swapaxes(-1, -2)
    if turned.shape != values.shape or not np.allclose(values, turned, rtol=1e-9, atol=1e-12):
        arguments.refuse(name, f"shape {values.shape}", "a symmetric square array")
    return values


def _times_exp(chance, epsilon):
    """The smaller of 1 and chance * e^epsilon, without an overflow."""
    return math.exp(min(0, epsilon + math.log(chance))) if chance > 0 else 0.0


def _within(name, records, bound):
    """`bound`, if no record is longer than it."""
    longest = np.linalg.norm(records, axis=1).max(initial=0)
    if longest > arguments.positive("bound", bound) * (1 + 1e-12):
        arguments.refuse(name, f"one of length {longest:.6g}", f"records of length at most {bound:.6g}")
    return float(bound)
