"""(epsilon, delta) and the Gaussian mechanism: profiles, the smallest noise for a guarantee, and the discrete twin.

The profile of a mechanism is delta(epsilon), the smallest delta at which it keeps each epsilon, the larger of both
directions. `sensitivity` is the L2 sensitivity of the whole value (L1 in `dpbook.laplace` and `laplace_delta`).
`scale` is the standard deviation of normal noise; `delta` lies strictly between 0 and 1 and comes after `epsilon`.
Source: beyond the seeds (004 is about pure epsilon-DP).  Notebook: 24_gaussian.
"""

from dpbook.gaussian.discrete import (
    discrete_gaussian_delta,
    discrete_gaussian_log_probability,
    discrete_gaussian_mechanism,
    discrete_gaussian_scale,
    discrete_gaussian_variance,
)
from dpbook.gaussian.noise import gaussian_mechanism, normal_probability
from dpbook.gaussian.profiles import (
    Promise,
    classical_scale,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_scale,
    group_promise,
    laplace_delta,
    privacy_profile,
    zcdp_epsilon,
    zcdp_rho,
)
