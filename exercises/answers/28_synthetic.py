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
# # Answers to chapter 28
#
# One hint and one computed answer for each task "On your own" of
# [28 Synthetic records](../../notebooks/28_synthetic.ipynb). Read the hint first.

# %%
import itertools
import math

import numpy as np

from dpbook.data.attributes import affairs_attributes, exclusive_or
from dpbook.gaussian import gaussian_epsilon, zcdp_rho
from dpbook.marginals import marginal, marginals
from dpbook.synthetic import draw_records, fit_model, measure, mst, table_variation, workload_error

names, survey = affairs_attributes()
people, d = survey.shape
pairs = list(itertools.combinations(range(d), 2))
truth = marginals(survey, pairs)
DELTA = 1e-6

# %% [markdown]
# ## 1. A tree of eight
#
# **Hint.** A tree joins eight attributes without a circle.
#
# **Answer.** Seven pairs. About 16 of the 28 are right to 0.02. Besides the seven these are pairs whose attributes
# depend on each other through the tree only, or hardly at all. At epsilon 10 their number hardly differs from epsilon
# 1: what is left is bias.

# %%
for epsilon in (1.0, 10.0):
    counts = []
    for seed in range(5):
        model = mst(survey, epsilon, DELTA, np.random.default_rng(seed)).model
        errors = [table_variation(model.marginal(pair), true) for pair, true in zip(pairs, truth, strict=True)]
        counts.append(sum(error <= 0.02 for error in errors))
    print(f"epsilon {epsilon:>4g}: {d - 1} pairs bought, right to 0.02 in five releases:", *counts)

# %% [markdown]
# ## 2. The noise of MST
#
# **Hint.** A third of $\rho$ for $m$ tables is a deviation of $\sqrt{3m / 2\rho}$. A replaced record leaves one cell of a table and
# enters another.
#
# **Answer.** Under replace each table moves by $\sqrt 2$ instead of 1, and a score by 2 instead of 1. So the tables cost twice their
# $\rho$ and the choices four times theirs. For the same guarantee the noise grows by $\sqrt 2$, and the choices get half of epsilon.

# %%
rho = zcdp_rho(1.0, DELTA)
single, pair = math.sqrt(3 * d / (2 * rho)), math.sqrt(3 * (d - 1) / (2 * rho))
print(
    f"add/remove: singles {single:.2f}, pairs {pair:.2f} people; replace: {math.sqrt(2) * single:.2f}, {math.sqrt(2) * pair:.2f}"
)
print(f"the tables alone, two thirds of rho: epsilon {gaussian_epsilon(math.sqrt(4 * rho / 3), 1, DELTA):.3f}", end="")
print(f"; under replace {gaussian_epsilon(math.sqrt(8 * rho / 3), 1, DELTA):.3f}")

# %% [markdown]
# ## 3. Exclusive or
#
# **Hint.** Every two of the three attributes are independent. Which distribution with such pairs has the largest entropy?
#
# **Answer.** The uniform one. So the model puts an eighth of the records into each of the eight cells. The data have
# a quarter in each of four: a variation of one half, however large epsilon is. Only the table of all three shows it.

# %%
_, xor = exclusive_or()
three = xor[:, :3]
bought = measure(three, [(0, 1), (0, 2), (1, 2)], rho, np.random.default_rng(1))
told = fit_model(bought, (2, 2, 2)).marginal((0, 1, 2))
print(np.round(told.ravel()).astype(int), "instead of", marginal(three, (0, 1, 2)).ravel().astype(int))
print(f"variation {table_variation(told, marginal(three, (0, 1, 2))):.3f}")

# %% [markdown]
# ## 4. Rounding
#
# **Hint.** `draw_records(model, 1000, rng, rounding=False)` draws them one by one.
#
# **Answer.** One by one, a count of 250 of 1,000 has a deviation of about 14. With rounding, the pairs of the tree are within a few
# records, and only pairs outside the tree are left to chance.

# %%
model = mst(survey, 1.0, DELTA, np.random.default_rng(1)).model
told = [model.marginal(pair) * (1000 / model.total) for pair in pairs]
for rounding in (True, False):
    errors = [
        workload_error(marginals(draw_records(model, 1000, np.random.default_rng(s), rounding=rounding), pairs), told)
        for s in range(20)
    ]
    print(f"rounding {rounding!s:>5}: mean variation of the pairs of 1,000 records {np.median(errors):.4f}")

# %% [markdown]
# ## 5. A table that contains the group
#
# **Hint.** Measure MST's tables once more, with one table of three attributes besides, and fit all of them.
#
# **Answer.** It falls most where the two answers and the question are all in the table: from nearly 3 points to
# less than 1. It also falls for many groups with two of the three attributes, because at most one of the table's three
# pairs had been bought. It stays for groups without any of the three. Below, the table is that of *age 30+*,
# *children* and *religious*. One such group is young mothers, and the question is how many of them are religious.

# %%
trio = (names.index("age 30+"), names.index("children"), names.index("religious"))
threes = list(itertools.combinations(range(d), 3))


def rates(table):
    """The percentage of 1 in each of three attributes, for all answers to the other two."""
    return np.array([100 * table.take(1, axis) / table.sum(axis) for axis in range(3)])


true = [marginal(survey, three) for three in threes]
errors, mothers = {}, {}
for seed in range(5):
    rng = np.random.default_rng(seed)
    made = mst(survey, 1.0, DELTA, rng).measurements
    for label, extra in (("MST alone", []), ("with the table", measure(survey, [trio], rho / 10, rng))):
        model = fit_model(made + extra, (2,) * d)
        found = [
            np.abs(rates(model.marginal(three)) - rates(one)).mean() for three, one in zip(threes, true, strict=True)
        ]
        errors.setdefault(label, []).append(found)
        mothers.setdefault(label, []).append(rates(model.marginal(trio))[2][0, 1])
shared = np.array([len({*three} & {*trio}) for three in threes])
for label, found in errors.items():
    means = [f"{np.mean(found, axis=0)[shared == number].mean():.2f}" for number in (3, 2, 1, 0)]
    print(f"{label:>14}: mean error in points, groups with 3, 2, 1, 0 attributes of the table:", *means)
    print(f"{'':>14}  young mothers: {np.median(mothers[label]):.1f}% religious")
print(f"true: {rates(marginal(survey, trio))[2][0, 1]:.1f}%")
print(f"the table costs a tenth of rho more: epsilon {gaussian_epsilon(math.sqrt(0.2 * rho), 1, DELTA):.3f} by itself")
