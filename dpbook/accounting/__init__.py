"""Accounting: what many releases guarantee together, from the distribution of the privacy loss to its shortcuts.

`LossDistribution` composes the whole distribution of the loss (upper and lower bounds); Renyi divergences and zCDP are
sums that forget some of it; sampling hides who took part; trade-off curves state the same guarantee for a test.
`basic`, `advanced` and `optimal` composition live in `dpbook.composition` and are taught here too.
Source: beyond the seeds.  Notebook: 25_accounting.
"""

from dpbook.accounting.losses import LossDistribution, gaussian_losses, laplace_losses, listed_losses
from dpbook.accounting.renyi import (
    Converted,
    ZcdpBudget,
    renyi_epsilon,
    renyi_gaussian,
    renyi_laplace,
    renyi_response,
    renyi_sampled_gaussian,
    zcdp_gaussian,
    zcdp_pure,
)
from dpbook.accounting.sampling import (
    Directions,
    amplified,
    sampled_gaussian_delta,
    sampled_gaussian_deltas,
    sampled_gaussian_losses,
)
from dpbook.accounting.tradeoff import gaussian_tradeoff, law_tradeoff, promise_tradeoff
from dpbook.gaussian import zcdp_epsilon
