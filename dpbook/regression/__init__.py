"""Private regression: noise on the weights, in the objective, on its coefficients, and a private search.

A record is a vector of features of Euclidean length at most 1 and a label, +1 or -1, or a target in [-1, 1].
`unit_ball` brings features to this length by public bounds. Objectives are sums over the records plus
(regularisation / 2) |w|^2, so the number of records stays secret. Guarantees are for neighbours that add or remove one
record. The intercept is an ordinary weight.
Source: 004 sections 5.1.2 to 5.1.4, 5.2 and 5.4.  Notebook: 11_regression.
"""

from dpbook.regression.functional import (
    functional_linear_regression,
    functional_logistic_regression,
    functional_sensitivity,
    minimised,
    noisy_coefficients,
    packed,
    sufficient_statistics_regression,
    unpacked,
)
from dpbook.regression.losses import LOGISTIC, Loss, accuracy, fit, huber, unit_ball
from dpbook.regression.perturbation import (
    Repair,
    approximate_minima_perturbation,
    objective_log_density,
    objective_loss,
    objective_perturbation,
    output_perturbation,
    printed_objective_perturbation,
    repaired_epsilon,
    vector_noise,
)
from dpbook.regression.searches import candidate_spread, privgene_regression, search_regression
