"""See diffprivlib itself do what page 11 shows in five lines: `python benchmarks/regression_library.py`.

Needs an environment of its own: `pip install diffprivlib==0.6.6 "scikit-learn<1.8"` (numpy comes along). Not part of
the tests. Everything printed is a property of version 0.6.6; a later version may have repaired it.
"""

import math
import warnings

import numpy as np


def exact_sum_of_squares():
    """`LinearRegression` with public bounds (0, 1) and no intercept: the noise on the sum of squares has scale 0."""
    from diffprivlib.models import LinearRegression

    rng = np.random.default_rng(7)
    x, y = rng.random(50), rng.random(50)
    for seed in range(3):
        how = {"bounds_X": (0, 1), "bounds_y": (0, 1), "fit_intercept": False, "random_state": seed}
        released = LinearRegression(epsilon=0.1, **how).fit(x[:, None], y)._obj_coefs[2][0, 0]
        print(f"seed {seed}: released sum of squares {released!r}, true {x @ x!r}")


def rates_of_logistic_regression():
    """What `LogisticRegression` hands to its noise: the curvature bound norm / 4, where norm^2 / 4 is right."""
    from diffprivlib import mechanisms, models

    seen = []
    original = mechanisms.Vector.__init__

    def noted(self, **settings):
        seen.append(settings)
        original(self, **settings)

    mechanisms.Vector.__init__ = noted
    rng = np.random.default_rng(1)
    for norm in (1.0, 10.0, 100.0):
        x = norm * rng.uniform(-1, 1, (60, 2)) / math.sqrt(2)
        model = models.LogisticRegression(epsilon=1.0, data_norm=norm, C=1.0, fit_intercept=False, random_state=1)
        model.fit(x, rng.integers(0, 2, 60))
        curvature = seen[-1]["function_sensitivity"] * seen[-1]["data_sensitivity"]
        print(f"data_norm {norm:g}: curvature bound used {curvature:g}, right {norm**2 / 4:g}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    exact_sum_of_squares()
    rates_of_logistic_regression()
