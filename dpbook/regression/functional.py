"""Release the coefficients of a quadratic objective, and minimise what was released: by Laplace or Gaussian noise.

Guarantees are for neighbours that add or remove one record of features of length at most 1.
Source: 004 section 5.2.2 (Zhang, Zhang, Xiao, Yang and Winslett 2012).  Notebook: 11_regression.
"""

import math

import numpy as np

from dpbook import arguments
from dpbook.gaussian import gaussian_mechanism, gaussian_scale
from dpbook.laplace import laplace_mechanism
from dpbook.regression.losses import checked_features, checked_labels

KINDS = ("linear", "logistic")
SURE = 1.645  # deviations below a noisy eigenvalue in which the true one lies with 95 percent
RIDGE = 4  # standard deviations of the noise that are added to the diagonal


def functional_sensitivity(dimensions, kind):
    """How far one record moves all the released coefficients together, L1, under add/remove (twice that: replace).

    With |x| <= 1 and |y| <= 1, "linear" gives 2 sqrt(d) + d, and "logistic" gives sqrt(d) / 2 + d / 8. The first is for
    the coefficients -2 y x_j, x_j^2 and 2 x_i x_j (i < j) of a squared error. The second is for those of
    ln 2 - m / 2 + m^2 / 8, where m is the margin. Both are reached by the record (1, ..., 1) / sqrt(d). The constant is
    not released. `dimensions` counts the intercept's column too.
    Raises ValueError for dimensions below 1 or another kind.
    Source: 004 section 5.2.2, whose 2 (d + 1)^2, without bounds on the records, is twice the replace sensitivity for
    features in a box (E36, E94).  Notebook: 11_regression.
    """
    dimensions = arguments.whole("dimensions", dimensions, 1)
    if arguments.one_of("kind", kind, KINDS) == "linear":
        return 2 * math.sqrt(dimensions) + dimensions
    return math.sqrt(dimensions) / 2 + dimensions / 8


def noisy_coefficients(linear, quadratic, sensitivity, epsilon, rng):
    """Release an objective linear.w + w' quadratic w with epsilon-DP, for the relation of `sensitivity`.

    `linear` is (d,), `quadratic` a symmetric (d, d). Each monomial is released once: w_j, w_j^2, and w_i w_j for i < j,
    whose coefficient 2 quadratic_ij is halved into the matrix again. `sensitivity` is the L1 sensitivity of them all
    together. Returns the noisy pair; the matrix is symmetric, and need not be positive.
    Raises ValueError for shapes that do not fit, NaN, or a sensitivity or epsilon not above 0.
    Source: 004 Algorithm 5.  Notebook: 11_regression.
    """
    coefficients = packed(linear, quadratic)
    noisy = laplace_mechanism(coefficients, sensitivity, epsilon, rng)  # spends epsilon
    return unpacked(noisy, len(linear))


def packed(linear, quadratic, twice=2.0):
    """The coefficients of linear.w + w' quadratic w as one list: w_j, then w_i w_j for i <= j, each once. NOT private.

    `linear` is (d,), `quadratic` a symmetric (d, d). Entries off the diagonal stand for two, so they are multiplied by
    `twice`. That is 2 for the coefficients of monomials, and sqrt 2 where the list must keep the Euclidean length (L2)
    of the matrix.
    Raises ValueError for shapes that do not fit or NaN. Source: 004 Algorithm 5.  Notebook: 11_regression.
    """
    linear = arguments.vector("linear", linear)
    quadratic, size = arguments.table("quadratic", quadratic), linear.size
    if quadratic.shape != (size, size) or not np.allclose(quadratic, quadratic.T):
        arguments.refuse("quadratic", quadratic, f"a symmetric {size} x {size} matrix")
    rows, columns = np.triu_indices(size)
    return np.concatenate([linear, np.where(rows == columns, 1.0, twice) * quadratic[rows, columns]])


def unpacked(coefficients, dimensions, twice=2.0):
    """The pair (linear, quadratic) whose `packed` list this is: post-processing, it costs nothing.

    `coefficients` has `dimensions` + `dimensions` (`dimensions` + 1) / 2 numbers. Raises ValueError for another length.
    Source: 004 Algorithm 5.  Notebook: 11_regression.
    """
    dimensions = arguments.whole("dimensions", dimensions, 1)
    rows, columns = np.triu_indices(dimensions)
    coefficients = arguments.of_length("coefficients", coefficients, dimensions + rows.size)
    matrix = np.zeros((dimensions, dimensions))
    matrix[rows, columns] = coefficients[dimensions:] / np.where(rows == columns, 1.0, twice)
    matrix[columns, rows] = matrix[rows, columns]
    return coefficients[:dimensions], matrix


def minimised(linear, quadratic, ridge):
    """The w that minimises linear.w + w' (quadratic + ridge I) w in the directions in which that has a minimum.

    Post-processing: it costs nothing. Directions of eigenvalues at or below 0, in which the objective falls for ever,
    are left out, with weight 0. Raises ValueError for shapes that do not fit, NaN, or a ridge below 0.
    Source: Zhang et al. 2012, section 6 (regularisation and spectral trimming).  Notebook: 11_regression.
    """
    linear = arguments.vector("linear", linear)
    quadratic, ridge = arguments.table("quadratic", quadratic), arguments.nonnegative("ridge", ridge)
    if quadratic.shape != (linear.size, linear.size):
        arguments.refuse("quadratic", quadratic.shape, f"a {linear.size} x {linear.size} matrix")
    heights, axes = np.linalg.eigh(quadratic + ridge * np.eye(linear.size))
    kept = heights > 1e-12 * max(np.abs(heights).max(), 1e-300)
    return -axes[:, kept] @ (axes[:, kept].T @ linear / heights[kept]) / 2


def functional_linear_regression(features, targets, epsilon, rng):
    """Release weights of a linear regression with epsilon-DP under add/remove (2 epsilon under replace).

    `features` is (records, d), rows of length at most 1, `targets` in [-1, 1]. Noisy coefficients of the squared error,
    minimised with a ridge of 4 standard deviations of the noise. As epsilon grows: the least squares.
    Raises ValueError for longer rows, targets beyond 1, lengths that differ, NaN, or an epsilon not above 0.
    Source: 004 section 5.2.2, Algorithm 5.  Notebook: 11_regression.
    """
    features, targets = _checked_targets(features, targets)
    sensitivity = functional_sensitivity(features.shape[1], "linear")
    return _functional(-2 * (targets @ features), features.T @ features, sensitivity, epsilon, rng)


def sufficient_statistics_regression(features, targets, epsilon, delta, rng, *, adaptive=False):
    """Release weights of a linear regression with (epsilon, delta)-DP under add/remove, by Gaussian noise on its sums.

    The sums X'y and X'X have L2 sensitivity sqrt 2, whatever the number of features. The ridge is scale sqrt(2 d), the
    largest eigenvalue that the noise matrix usually has. With `adaptive` (AdaSSP) the smallest eigenvalue of X'X is
    released as well, the sensitivity is sqrt 3, and only what that eigenvalue lacks is added. Arguments and errors are
    those of `functional_linear_regression`, or for a bad delta.
    Source: Vu and Slavkovic 2009; Wang 2018, Algorithm 2, with exact Gaussian noise.  Notebook: 11_regression.
    """
    features, targets = _checked_targets(features, targets)
    dimensions, squares = features.shape[1], features.T @ features
    sums, sensitivity = packed(targets @ features, squares, math.sqrt(2)), math.sqrt(2)
    if adaptive:  # one record more moves the smallest eigenvalue by 0 to 1
        sums, sensitivity = np.append(np.linalg.eigvalsh(squares)[0], sums), math.sqrt(3)
    noisy = gaussian_mechanism(sums, sensitivity, epsilon, delta, rng)  # spends epsilon and delta
    scale = gaussian_scale(sensitivity, epsilon, delta)
    ridge = scale * math.sqrt(2 * dimensions)
    if adaptive:
        ridge, noisy = max(0.0, ridge - max(0.0, noisy[0] - SURE * scale)), noisy[1:]
    linear, quadratic = unpacked(noisy, dimensions, math.sqrt(2))
    return minimised(-2 * linear, quadratic, ridge)


def _checked_targets(features, targets):
    features, targets = checked_features(features), arguments.array("targets", targets)
    if targets.shape != (len(features),) or np.any(np.abs(targets) > 1):
        arguments.refuse("targets", targets, f"a list of {len(features)} numbers from -1 to 1")
    return features, targets


def functional_logistic_regression(features, labels, epsilon, rng):
    """Release weights of a logistic regression with epsilon-DP under add/remove (2 epsilon under replace).

    The loss is replaced by its quadratic ln 2 - m / 2 + m^2 / 8 around a margin of 0. As epsilon grows this tends to
    twice the least squares on the labels +1 and -1, and not to the likeliest weights. The arguments and the errors are
    those of `functional_linear_regression`, with labels.
    Source: 004 section 5.2.2; Zhang et al. 2012, section 5.  Notebook: 11_regression.
    """
    features = checked_features(features)
    labels = checked_labels(labels, len(features))
    sensitivity = functional_sensitivity(features.shape[1], "logistic")
    return _functional(-(labels @ features) / 2, features.T @ features / 8, sensitivity, epsilon, rng)


def _functional(linear, quadratic, sensitivity, epsilon, rng):
    noisy = noisy_coefficients(linear, quadratic, sensitivity, epsilon, rng)
    return minimised(*noisy, RIDGE * math.sqrt(2) * sensitivity / epsilon)
