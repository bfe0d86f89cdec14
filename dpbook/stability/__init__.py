"""Stability: noise for calm datasets, votes of blocks, and tests before a release.

Neighbours are **replace** (one record changed, the number of records public) except where a function says more. Values
lie within public `bounds` = (low, high); what lies outside is refused, never clipped. The median is the order statistic
x_m, m = (n + 1) // 2. Of an even number of values it is the lower of the two in the middle. "No answer" is `None`. What
looks at the data and adds no noise says that it is not private.
Source: 004 chapter 8.  Notebook: 15_stability.
"""

from dpbook.stability.noise import (
    cauchy_loss,
    cauchy_release,
    cauchy_scale,
    local_noise_release,
    printed_smooth_release,
    smooth_laplace_beta,
    smooth_laplace_delta,
    smooth_laplace_release,
)
from dpbook.stability.propose import (
    interquartile_range,
    median_stable_distance,
    pass_probability,
    printed_private_scale,
    private_scale,
    propose_test_release,
    scale_distance,
)
from dpbook.stability.smooth import (
    listed_sensitivities,
    lower_median,
    median_sensitivity_at,
    median_smooth_sensitivity,
    minimum_smooth_sensitivity,
    plain_median_smooth_sensitivity,
    smooth_sensitivity,
)
from dpbook.stability.votes import (
    Plan,
    Votes,
    block_votes,
    sample_and_aggregate,
    stable_mode,
    subsampled_votes,
    subsampling_plan,
    unclipped_aggregate,
    vote_distance,
)
