"""Private regression beside scikit-learn and plain loops, side by side in one run: `python -m benchmarks.regression`.

scikit-learn stops at a tolerance of 1e-4 here, its default; ours goes on to the exact minimum, which the proofs need.
Each row is the median of a few runs of both, taken in turn. Where diffprivlib 0.6.6 is in the environment, its private
regressions are measured too: an environment of its own, with `pip install -e . diffprivlib==0.6.6 "scikit-learn<1.8"`.
What else that library does prints `benchmarks/regression_library.py`.
"""

import importlib.util
import math
import warnings
from functools import partial

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.side_by_side import show
from dpbook import data
from dpbook.regression import (
    LOGISTIC,
    fit,
    functional_linear_regression,
    objective_perturbation,
    search_regression,
    unit_ball,
)


def rows(dimensions, records=100_000):
    rng = np.random.default_rng(1)
    features = rng.uniform(-1, 1, (records, dimensions)) / math.sqrt(dimensions)
    return features, np.where(rng.random(records) < 1 / (1 + np.exp(-4 * features[:, 0])), 1.0, -1.0)


def newton(dimensions):
    features, labels = rows(dimensions)
    other = LogisticRegression(C=1.0, fit_intercept=False)
    exact = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10, max_iter=1_000).fit(features, labels).coef_[0]
    assert np.allclose(fit(features, labels, 1.0, LOGISTIC), exact, atol=1e-6)
    return lambda: fit(features, labels, 1.0, LOGISTIC), lambda: other.fit(features, labels), 5


def functional():
    features, labels = rows(15)
    rng = np.random.default_rng(1)

    def loop():
        totals = np.array([[features[:, i] @ features[:, j] for j in range(15)] for i in range(15)])
        return totals + rng.laplace(size=(15, 15)), labels @ features + rng.laplace(size=15)

    return lambda: functional_linear_regression(features, labels, 1.0, rng), loop, 5


def against_diffprivlib_linear(dimensions):
    """Both with an intercept, which is one of our `dimensions` and is theirs by default, and with public bounds."""
    from diffprivlib.models import LinearRegression

    features, targets = rows(dimensions)
    features[:, -1] = 1 / math.sqrt(dimensions)
    others = features[:, :-1] * math.sqrt(dimensions)
    seeded = np.random.RandomState(1)
    other = LinearRegression(epsilon=1.0, bounds_X=(-1, 1), bounds_y=(-1, 1), random_state=seeded)
    rng = np.random.default_rng(1)
    return lambda: functional_linear_regression(features, targets, 1.0, rng), lambda: other.fit(others, targets), 5


def against_diffprivlib_logistic(dimensions):
    from diffprivlib.models import LogisticRegression as Private

    features, labels = rows(dimensions)
    how = {"C": 1.0, "fit_intercept": False, "max_iter": 1_000, "random_state": np.random.RandomState(1)}
    other, rng = Private(epsilon=1.0, data_norm=1.0, **how), np.random.default_rng(1)
    ours = objective_perturbation
    return lambda: ours(features, labels, 1.0, LOGISTIC, 1.0, rng), lambda: other.fit(features, labels), 5


def many_draws():
    features, labels = rows(4, 500)

    def one_by_one():
        rng = np.random.default_rng(1)
        return [objective_perturbation(features, labels, 1.0, LOGISTIC, 1.0, rng) for _ in range(100)]

    rng = np.random.default_rng(1)
    return lambda: objective_perturbation(features, labels, 1.0, LOGISTIC, 1.0, rng, size=100), one_by_one, 3


def walk():
    women = data.affairs_prediction()
    features, labels = unit_ball(women.features, women.bounds), women.answers

    def evaluations():
        """What 60 rounds have to evaluate, and nothing else."""
        for _ in range(60):
            LOGISTIC.value(labels * (np.zeros((19, 9)) @ features.T)).sum(axis=1)

    rng = np.random.default_rng(1)
    return lambda: search_regression(features, labels, LOGISTIC, 60, 1.0, rng), evaluations, 3


ROWS = {
    "fit, 100,000 x 4 | scikit-learn, lbfgs": lambda: newton(4),
    "fit, 100,000 x 15 | scikit-learn, lbfgs": lambda: newton(15),
    "functional mechanism, 100,000 x 15 | a sum a coefficient": functional,
    "100 draws of objective perturbation, 500 x 4 | one by one": many_draws,
    "walk of 60 rounds, 6,366 x 9 | its losses alone": walk,
}
if importlib.util.find_spec("diffprivlib"):
    for title, make in (
        ("functional mechanism, 100,000 x {} | diffprivlib LinearRegression", against_diffprivlib_linear),
        ("objective perturbation, 100,000 x {} | diffprivlib Logistic", against_diffprivlib_logistic),
    ):
        ROWS |= {title.format(size): partial(make, size) for size in (4, 15)}


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # diffprivlib's, about an intercept that it does not fit
    show(ROWS)
