# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Answers to chapter 15
#
# One hint and one computed answer for each task "On your own" of
# [15 Stability](../../notebooks/15_stability.ipynb). Read the hint first.

# %%
import math

import numpy as np
from scipy.stats import t as student

from dpbook import data
from dpbook.stability import (
    cauchy_scale,
    interquartile_range,
    median_sensitivity_at,
    median_smooth_sensitivity,
    minimum_smooth_sensitivity,
    pass_probability,
    scale_distance,
)

# %% [markdown]
# ## 1. The smallest beta
#
# **Hint.** $S^*$ is the local sensitivity, 1, if no later step counts more: $A(k)\, e^{-\beta k} \le 1$ for every $k$.
# Which $k$ asks for the largest $\beta$?
#
# **Answer.** $\beta \ge \ln(A(k)) / k$ for all $k \ge 1$. With $A(k) = k + 1$ the first step asks most: $\ln 2$. (The
# jump to the bounds at $k = 30$ asks for much less.)

# %%
calm = np.linspace(20, 80, 61)
asked = [math.log(median_sensitivity_at(calm, (0, 100), k)) / k for k in range(1, 62)]
print(
    f"largest at k = {1 + int(np.argmax(asked))}: {max(asked):.6f}; ln 2 = {math.log(2):.6f}; k = 30: {asked[29]:.3f}"
)
for beta in (0.68, 0.70):
    print(f"beta {beta}: smooth sensitivity {median_smooth_sensitivity(calm, (0, 100), beta):.4f}")
assert median_smooth_sensitivity(calm, (0, 100), 0.70) == 1 < median_smooth_sensitivity(calm, (0, 100), 0.68)

# %% [markdown]
# ## 2. A constant on top
#
# **Hint.** Who has $LS = 0$ and a neighbour with $LS = 1$? What is the ratio of the two scales, and of the two densities
# far out?
#
# **Answer.** For all neighbours with different $LS$: two scales that differ are enough, as the page shows for Laplace
# noise. The five people of the page have the scales 0.1 and 1.1 over epsilon: e^beta would be 11. The event "the
# release is larger than z" has a loss that grows with z and has no limit: still infinite, only harder to see.

# %%
epsilon = 1.0
for z in (1, 5, 20):
    loss = z * epsilon / 0.1 - z * epsilon / 1.1
    print(f"release above {z:>2}: log of the ratio of its probabilities {loss:.1f}, promised {epsilon:g}")
assert loss > 100

# %% [markdown]
# ## 3. The oldest voter
#
# **Hint.** The maximum of the ages is minus the minimum of minus the ages; the bounds change places and signs.
#
# **Answer.** It is the same for both. The oldest voter may be replaced by one as old as the bounds allow, and no
# later step counts more. The bound is small only where the data reach up to the end of the bounds. With noise of that
# size the release says little about the oldest. No: a maximum is one person's value.

# %%
ages = data.election()["age"].values
for beta in (0.1, 1.0):
    bound = minimum_smooth_sensitivity(-ages, (-120, -18), beta)
    print(f"oldest {ages.max()}, beta {beta}: smooth sensitivity {bound:.2f} years")
assert bound > 10

# %% [markdown]
# ## 4. How many blocks?
#
# **Hint.** Nine of ten for the winner and one of ten for the second: the gap is 0.8 m. The noise must not fall more than
# the distance exceeds the threshold, but for a probability of 0.01.
#
# **Answer.** The distance is 0.4 m - 1, and it must exceed $\ln(1/\delta) + \ln(50)$ at epsilon 1.

# %%
for m in range(10, 200, 10):
    away = (0.9 * m - 0.1 * m) / 2 - 1
    if pass_probability(away, 1.0, math.log(1e9)) >= 0.99:
        break
needed = (math.log(1e9) + math.log(50) + 1) / 0.4
print(f"{needed:.1f} blocks; the first multiple of ten that does it: {m}")
assert m - 10 < needed <= m

# %% [markdown]
# ## 5. Near an edge, and not
#
# **Hint.** A range of exactly 1 lies at the lower edge of the bin [1, 2). One replacement that makes it a little
# smaller moves it out. In the shifted bin it lies in the middle. How long is the way to both ends there, if values
# are evenly spaced?
#
# **Answer.** 400 values, evenly spaced, so that the range is 200 steps and 1 long:

# %%
even = np.arange(400) / 200
found = [scale_distance(even, shift) for shift in (0, 0.5)]
print(f"range {interquartile_range(even)}, distances {found}")
assert found[0] == 1 and found[1] >= 20

# %% [markdown]
# ## 6. A lighter tail
#
# **Hint.** Take Student's t with two degrees of freedom. Stretching a density with a tail $|z|^{-3}$ by $e^{\beta}$
# costs $2 \beta$ far out, so $\beta$ must be below $\varepsilon/2$. Search for the smallest scale by halving, on a
# grid that reaches far out. Take the worst of three ends: a shift alone, a shift with the narrower bound, a stretch
# alone.
#
# **Answer.** At beta 1/3 it needs a larger scale than Cauchy noise. Half of Student's noise is below 0.82 scales, of Cauchy
# noise below 1; so who wins is a matter of numbers:


# %%
def worst_loss(beta, scale):
    """The largest log ratio on a grid, over what smoothness allows at its ends and between."""
    z = np.concatenate([np.linspace(-30, 30, 6001), np.geomspace(30, 1e6, 2000), -np.geomspace(30, 1e6, 2000)])
    worst = 0.0
    for factor in np.exp(-np.linspace(0, beta, 4)):
        for shift in (0.0, factor):
            ratio = student.logpdf(z, 2, 0, scale) - student.logpdf(z, 2, shift, scale * factor)
            worst = max(worst, np.abs(ratio).max())
    return worst


low, high = 0.1, 20.0
for _ in range(22):
    scale = math.sqrt(low * high)
    low, high = (low, scale) if worst_loss(1 / 3, scale) <= 1 else (scale, high)
half_of_noise = student.ppf(0.75, 2)
print(f"Student, beta 1/3: least scale {high:.4f} S, median error {high * half_of_noise:.4f} S")
print(f"Cauchy, beta 1/3:  least scale {cauchy_scale(1 / 3, 1.0):.4f} S, median error {cauchy_scale(1 / 3, 1.0):.4f} S")
betas, same = np.arange(0.34, 0.95, 0.01), cauchy_scale(1 / 3, 1.0) * (1 + 1e-9)
most = max(beta for beta in betas if cauchy_scale(beta, 1.0) <= same)
print(f"Cauchy may take beta {most:.2f} with the same scale, which makes S smaller; Student must stay below 0.5")
print(f"mean error of Student's noise: {high * math.sqrt(2):.3f} S; Cauchy noise has none")
