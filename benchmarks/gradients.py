"""Noisy training and its account against scikit-learn, dp-accounting and opacus: `python -m benchmarks.gradients`.

scikit-learn's fit is not private: it says what the steps cost. dp-accounting and opacus are no part of the book's
environment; `--python PATH` names the interpreter of one that has them (opacus without torch will do: only its moments
are asked, a file that needs none). What is missing is said plainly.
"""

import argparse
import sys

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.accounting import line, show_theirs, timed
from dpbook.data.predictions import affairs_prediction
from dpbook.gradients import Recipe, add_canary, train, training_epsilon, training_multiplier
from dpbook.regression import unit_ball

SAMPLED = Recipe(1.0, 500, 0.02, 1.0, 1.0)
CALIBRATED, ACCOUNTED = "multiplier, 500 sampled steps at (1, 1e-6)", "epsilon, 500 sampled steps, multiplier 2.1"
STEPS, FIT = "100 full steps, 6,366 x 9", "one fit, 6,366 x 9"


def ours():
    """Name of the row -> what the book computes."""
    women = affairs_prediction()
    features, labels = unit_ball(women.features, women.bounds), women.answers
    full = Recipe(1.0, 100, 1.0, 4 / 1_501, 1.0)
    quiet = Recipe(0.0, 20, 1.0, 0.1, 0.1)
    canary = add_canary(features[:60], labels[:60])

    def many_models():
        return train(*canary, quiet, 10.0, np.random.default_rng(1), models=10_000).weights[0, 0]

    return {
        CALIBRATED: lambda: training_multiplier(SAMPLED, 1.0, 1e-6),
        ACCOUNTED: lambda: training_epsilon(SAMPLED, 2.1, 1e-6),
        STEPS: lambda: train(features, labels, full, 40.0, np.random.default_rng(1)).weights[0],
        "10,000 models of 60 records, 20 steps": many_models,
    }


def without_privacy():
    women = affairs_prediction()
    features, labels = unit_ball(women.features, women.bounds), women.answers
    model = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-6, max_iter=1_000)
    return {FIT: lambda: model.fit(features, labels).coef_[0, 0]}


THEIRS = [
    (
        "dp-accounting",
        "from dp_accounting import calibrate_dp_mechanism, dp_event\n"
        "from dp_accounting.pld import PLDAccountant\n"
        "def steps(sigma):\n"
        "    one = dp_event.PoissonSampledDpEvent(0.02, dp_event.GaussianDpEvent(sigma))\n"
        "    return dp_event.SelfComposedDpEvent(one, 500)\n",
        {
            CALIBRATED: "calibrate_dp_mechanism(PLDAccountant, steps, 1.0, 1e-6)",
            ACCOUNTED: "PLDAccountant().compose(steps(2.1)).get_epsilon(1e-6)",
        },
    ),
    (
        "opacus, moments",
        "import importlib.util, pathlib\n"
        "home = pathlib.Path(importlib.util.find_spec('opacus').submodule_search_locations[0])\n"
        "file = home / 'accountants' / 'analysis' / 'rdp.py'\n"
        "spec = importlib.util.spec_from_file_location('moments', file)\n"
        "moments = importlib.util.module_from_spec(spec); spec.loader.exec_module(moments)\n"
        "orders = [1 + x / 10 for x in range(1, 100)] + list(range(12, 64))\n"
        "def account(sigma):\n"
        "    spent = moments.compute_rdp(q=0.02, noise_multiplier=sigma, steps=500, orders=orders)\n"
        "    return moments.get_privacy_spent(orders=orders, rdp=spent, delta=1e-6)[0]\n",
        {ACCOUNTED: "account(2.1)"},
    ),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has dp-accounting and opacus")
    python = parser.parse_args().python
    mine, wide = {name: timed(work) for name, work in ours().items()}, (16, 44)
    for name, timing in mine.items():
        print(line(wide, "dpbook", name, *timing))
    for name, work in without_privacy().items():
        timing = timed(work)
        print(f"{line(wide, 'scikit-learn', name, *timing)}   the steps take {mine[STEPS][0] / timing[0]:.1f} x that")
    show_theirs(THEIRS, python, mine, wide, "does not run with")


if __name__ == "__main__":
    main()
