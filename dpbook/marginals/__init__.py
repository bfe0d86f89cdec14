"""Marginal tables of many attributes, released: which tables to buy, with which noise, and how to make them agree.

Records are rows of 0 and 1 (or of small whole numbers, where `sizes` is an option). Guarantees are for neighbours that
add or remove one record, unless a first line says otherwise.
Source: 004 chapter 6; the rivals: 001.  Notebook: 13_marginals.
"""

from dpbook.marginals.designs import choose_cubes, covering_bound, covering_design, covers, cube_error
from dpbook.marginals.fits import Fit, least_norm, least_violation, maximum_entropy
from dpbook.marginals.fourier import (
    cube_root_shares,
    fourier_error,
    fourier_marginals,
    from_walsh,
    nonnegative_table,
    table_from,
    walsh,
    walsh_coefficients,
)
from dpbook.marginals.mwem import Round, multiplicative_update, mwem, mwem_rounds
from dpbook.marginals.negatives import cut_at_zero, nearest_nonnegative, ripple
from dpbook.marginals.normal import fourth_root_scales, gaussian_marginals, gaussian_wave_error, gaussian_waves
from dpbook.marginals.plain import plain_consistent
from dpbook.marginals.polynomial import (
    Polynomial,
    best_polynomial,
    polynomial_error,
    polynomial_marginals,
    polynomial_sensitivity,
    polynomial_table,
)
from dpbook.marginals.rivals import (
    Link,
    Projected,
    dependence_quality,
    dppro,
    information_quality,
    information_sensitivity,
    kenthapadi_scale,
    private_network,
    privbayes,
    quality_sensitivity,
    squared_distances,
)
from dpbook.marginals.tables import (
    direct_error,
    direct_marginals,
    flat_error,
    flat_table,
    marginal,
    marginals,
    project,
    table_divergence,
    table_error,
)
from dpbook.marginals.views import (
    Synopsis,
    answer,
    consistent,
    guideline_error,
    mutual_consistency,
    noisy_views,
    printed_consistency,
    priview,
    view_error,
)
