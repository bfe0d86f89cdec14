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
# # Answers to chapter 10
#
# One hint and one computed answer for each task "On your own" of
# [10 Clustering](../../notebooks/10_clustering.ipynb). Read the hint first.

# %%
import math

import numpy as np
from sklearn.datasets import load_iris

from dpbook import data
from dpbook.claims.losses import loss_from_steps
from dpbook.clustering import (
    cost,
    dplloyd,
    eugkm,
    grid_centres,
    grid_counts,
    grid_side,
    inplace_dplloyd,
    lloyd,
    spread_centroids,
    unit_box,
)
from dpbook.laplace import geometric_mechanism

table = data.health_insurance()
first_years = np.unique(data.health_insurance_person(), return_index=True)[1]
raw = np.column_stack([np.log1p(table["mdvis"].values), table["disea"].values])[first_years]
patients = unit_box(raw, ([0, 0], [math.log(366), 100]))


def best_cost(points, k):
    """The least cost of Lloyd's algorithm from twenty random starts among the points themselves: not private."""
    some = np.random.default_rng(1)
    starts = [points[some.choice(len(points), k, replace=False)] for _ in range(20)]
    return min(cost(points, lloyd(points, start, 15).centroids) for start in starts)


def ratio(points, run, best, draws=20):
    """The median of the costs over the best; run(rng) gives centroids."""
    return np.median([cost(points, run(np.random.default_rng(seed))) for seed in range(draws)]) / best


# %% [markdown]
# ## 1. More clusters
#
# **Hint.** A round's noise does not depend on $k$. How does a cluster's count change when there are more clusters,
# and how good is a single start?
#
# **Answer.** More centroids start where nobody is: with one start, some never find people. That is nearly all of it.
# The clusters become smaller too, so each quotient is noisier. But at this $\varepsilon$ that hardly counts: without
# any noise the same starts end no better, up to the luck of 20 draws. The best cost takes the best of many starts, and
# with more centroids people are nearer to one.

# %%
for k in range(2, 9):
    least = best_cost(patients, k)
    found = ratio(
        patients, lambda rng, k=k: dplloyd(patients, spread_centroids(2, k, rng), 5, 1.0, rng).centroids, least
    )
    still = ratio(patients, lambda rng, k=k: lloyd(patients, spread_centroids(2, k, rng), 5).centroids, least)
    print(f"k = {k}: best cost {least:.4f}, private, epsilon 1: {found:.2f} times as much, without noise {still:.2f}")

# %% [markdown]
# ## 2. What N costs
#
# **Hint.** The side grows with the root of $N\varepsilon$. How wrong may $N$ be until the rounded side changes?
#
# **Answer.** Little: at 5% of $\varepsilon=0.1$ the noisy size is off by about 200 of 5,912, and the side hardly ever
# by more than one. (The counts then have 95% of $\varepsilon$. In eight sets of 20 seeds the median rose by
# up to 6%.)

# %%
of_three = best_cost(patients, 3)
public = ratio(patients, lambda rng: eugkm(patients, grid_side(5912, 2, 0.1), 3, 0.1, rng).centroids, of_three)


def with_noisy_size(rng):
    size = geometric_mechanism(len(patients), 1, 0.005, rng)
    return eugkm(patients, grid_side(size, 2, 0.095), 3, 0.095, rng).centroids


rng = np.random.default_rng(1)
sizes = [geometric_mechanism(5912, 1, 0.005, rng) for _ in range(200)]
print(f"public size: {public:.2f} times the best; noisy size: {ratio(patients, with_noisy_size, of_three):.2f}")
print("sides from 200 noisy sizes:", np.unique([grid_side(size, 2, 0.095) for size in sizes]).tolist())

# %% [markdown]
# ## 3. Bands
#
# **Hint.** The survey has six ages and seven lengths of marriage. Where in its cell does a band lie, and where does the grid
# say that its women are?
#
# **Answer.** Every woman of a band stands on one spot, and the centre of her cell stands for her. Finer cells bring
# the centres nearer to the bands, also beyond side 12, where every pair of bands that occurs has its own cell. But
# they add empty cells, with noise. That costs more than the shift gains from some side on, here between 16 and 40:

# %%
survey = data.affairs()
women = unit_box(np.column_stack([survey["age"].values, survey["yrs_married"].values]), ([17.5, 0.5], [42, 23]))
least = best_cost(women, 3)
for side in (5, 6, 7, 8, 12, 16, 24, 40, 80):
    places = np.minimum((women + 1) * side / 2, side - 1).astype(int)
    shift = np.mean(np.sum((women - (2 * places + 1) / side + 1) ** 2, axis=1))
    full = np.count_nonzero(grid_counts(women, side))
    found = ratio(women, lambda rng, side=side: eugkm(women, side, 3, 0.3, rng).centroids, least)
    print(
        f"side {side:2}: {full:2} of {side**2:3} cells hold women, mean squared shift {shift:.4f}; {found:.2f} times the best"
    )
assert np.array_equal(grid_counts(grid_centres(5, 2), 5), np.ones(25))

# %% [markdown]
# The ages are 17.5, 22, 27, 32, 37, 42: nearly even. The codes of the questionnaire are public. So a grid of them is
# better: one cell for each pair of bands, and no shift at all.
#
# ## 4. Iris
#
# **Hint.** 50 flowers a kind, four sums and a count a cluster: write down the scale of the noise for 5 rounds.
#
# **Answer.** At $\varepsilon=1$ the scale is 25, half of a cluster. Three times the best cost takes an $\varepsilon$
# between 9 and 10, where the guarantee means nothing: too few flowers for four numbers each. Twice is harder because of
# the starts: even without noise their median is just below 2, as the last line shows. Some sets of 20 starts never
# reach it.

# %%
iris = unit_box(load_iris().data, (0, 10))
least = best_cost(iris, 3)
for epsilon in (1, 3, 6, 8, 9, 10, 30, 100):

    def private(rng, e=epsilon):
        return dplloyd(iris, spread_centroids(4, 3, rng), 5, e, rng).centroids

    found = ratio(iris, private, least, draws=100)
    print(f"epsilon {epsilon:5}: noise of scale {25 / epsilon:6.2f} on a sum, {found:6.2f} times the best")
found = ratio(iris, lambda rng: lloyd(iris, spread_centroids(4, 3, rng), 5).centroids, least, draws=100)
print(f"the same starts and rounds without noise: {found:.2f} times the best")

# %% [markdown]
# ## 5. Growing shares
#
# **Hint.** `shares` takes any list that adds up to 1. Look at more than one $\varepsilon$ before you believe a difference.
#
# **Answer.** Only where noise rules: at $\varepsilon=0.1$ budgets with $p=1$ or 2 are clearly better, and falling ones
# far worse. At 0.3 falling ones are still worse, and growing ones hardly make a difference. At 1 the steepest do a
# little harm, because the first rounds should find the way. "Later rounds should have more" is no general rule. (Medians of 100
# draws: 20 are too few for such differences.)

# %%
for epsilon in (0.1, 0.3, 1.0):
    row = []
    for power in (-1, 0, 1, 2, 4):
        shares = np.arange(1.0, 6) ** power
        shares /= shares.sum()
        row.append(
            ratio(
                patients,
                lambda rng, s=shares, e=epsilon: (
                    dplloyd(patients, spread_centroids(2, 3, rng), 5, e, rng, shares=s).centroids
                ),
                of_three,
                draws=100,
            )
        )
    print(f"epsilon {epsilon}: p = -1, 0, 1, 2, 4 give", ", ".join(f"{found:.2f}" for found in row))

# %% [markdown]
# ## 6. Three times on a line
#
# **Hint.** On a line a cluster is an interval. A centroid that moves to a mean of its own interval stays in it. The
# record changes over to the next centroid only if its own moves away on the far side, beyond the distance of the next
# one.
#
# **Answer.** Start at $o=(0.1,0.2,0.3)$ with the record at 0. A large crowd at $-1$ carries off the first. Then the
# second's interval begins near $-0.4$. A crowd at $-0.34$ carries it farther from 0 than 0.3, and the third counts
# the record too. Each count costs what it costs at once, $\varepsilon(|x|+1)/2$. Any record can be counted so: put the
# starts just beyond it, on the side away from the crowds. Near an end the loss is nearly $3\varepsilon$. With all
# three starts *at* the end, where the record is, it is all of it.

# %%
cases = [  # record, starts, where the second crowd is
    (0.0, (0.1, 0.2, 0.3), -0.34),
    (0.5, (0.55, 0.6, 0.65), -0.19),
    (0.9, (0.95, 0.96, 0.97), 0.0),
    (1.0, (1.0, 1.0, 1.0), 0.01),
]
for x, starts, second in cases:
    crowds = np.concatenate([np.full(60_000, -1.0), np.full(2_000, second)])[:, None]
    pair = crowds, np.vstack([crowds, [[x]]])
    lost = [
        loss_from_steps(lambda people, rng, m=m, o=starts: m(people, np.array(o)[:, None], 1, 1.0, rng), [pair])
        for m in (dplloyd, inplace_dplloyd)
    ]
    print(
        f"x = {x}: all at once {lost[0]:.3f}, in place {lost[1]:.3f} at epsilon 1; counted {lost[1] / lost[0]:.0f} times"
    )
