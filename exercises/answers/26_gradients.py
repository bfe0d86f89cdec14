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
# # Answers to chapter 26
#
# One hint and one computed answer for each task "On your own" of
# [26 Learning by noisy steps](../../notebooks/26_gradients.ipynb). Read the hint first.

# %%
import math

import numpy as np
from scipy.optimize import brentq

from dpbook import data
from dpbook.amounts import counted
from dpbook.audit import clopper_pearson
from dpbook.gaussian import gaussian_epsilon, gaussian_scale
from dpbook.regression import LOGISTIC, accuracy, fit
from dpbook.gradients import Recipe, add_canary, clip_rows, train, training_epsilon, training_multiplier

DELTA = 1e-6

# %% [markdown]
# ## 1. Full and sampled noise
#
# **Hint.** The full batch's multiplier is `gaussian_scale(sqrt(steps), 1, delta)`. The sampled one, over $q$, is what lies on
# the whole sum.
#
# **Answer.** The full one grows like the root of the steps. The sampled one starts more than three times as high. The first
# sampled step is dear, because little noise hides little of who was drawn. Ten need only 1.4 times its noise, where full
# batches need 3.2 times. Later both grow alike, the sampled a little above. So full batches are never worse for the same
# number of steps; they only read more records.

# %%
for steps in (1, 10, 30, 100, 300):
    full = math.sqrt(steps) * gaussian_scale(1, 1.0, DELTA)
    sampled = training_multiplier(Recipe(0.0, steps, 0.1, 1.0, 1.0), 1.0, DELTA) / 0.1
    print(f"{steps:>4} steps: full {full:7.2f}, sampled / q {sampled:7.2f}, ratio {sampled / full:.3f}")
for steps in range(1, 40):
    sampled = training_multiplier(Recipe(0.0, steps, 0.1, 1.0, 1.0), 1.0, DELTA) / 0.1
    if sampled < 2 * math.sqrt(steps) * gaussian_scale(1, 1.0, DELTA):
        print(f"below twice the full noise from {steps} steps on")
        break

# %% [markdown]
# ## 2. Divided too early
#
# **Hint.** (Sum / q) + noise is (sum + q noise) / q: what is the multiplier then?
#
# **Answer.** The multiplier is $q \sigma$, a fiftieth: hardly any noise at all. The true epsilon is nearly 8,000.

# %%
recipe = Recipe(0.0, 500, 0.02, 1.0, 1.0)
sigma = training_multiplier(recipe, 1.0, DELTA)
true = training_epsilon(recipe, 0.02 * sigma, DELTA)
print(f"multiplier {sigma:.3f}, in truth {0.02 * sigma:.4f}: epsilon {true:,.0f}")
print(f"a single full look at the record (one step of the 500): epsilon {gaussian_epsilon(1, 0.02 * sigma, DELTA):.0f}")
print(f"with half the noise only, {0.5 * sigma:.3f}: epsilon {training_epsilon(recipe, 0.5 * sigma, DELTA):.3f}")

# %% [markdown]
# ## 3. Farther from the mean than the median is
#
# **Hint.** Points within 1 of the answer pull with their whole distance, all others with 1, however far they are. Let
# the mean lie above the median, and more of the far points below it.
#
# **Answer.** Take -2, -2, 0, 0 and 10, with mean 1.2 and median 0. The two points below pull with 1 each, and 10 pulls
# back with 1. So those at 0 must pull with 1/2 each: the clipped answer is -1/2.

# %%
points = np.array([-2.0, -2, 0, 0, 10])
settled = brentq(lambda w: clip_rows((w - points)[:, None], 1.0).sum(), -3, 11)
print(f"points {points.tolist()}: mean {points.mean():.3f}, median {np.median(points):.3f}, clipped {settled:.3f}")

# %% [markdown]
# ## 4. A label in the place of another
#
# **Hint.** With the other label, the gradient is $+s' x$ instead of $-s x$, and $s + s' = 1$. Clipped: both at most $C$ long.
#
# **Answer.** The sum moves by $\min(s, C/|x|) |x| + \min(s', C/|x|) |x|$: at most $\min(2C, |x|)$. In the unit ball that is
# 1 for $C \ge 1/2$, where a replaced record (anything for anything) moves it by up to $2C$. With $C = 1$, labels alone need
# half of the noise for replace: as much as add/remove.

# %%
for norm in (0.2, 0.5, 1.0):
    slopes = np.linspace(0, 1, 1_001)
    moved = max(min(s, norm) + min(1 - s, norm) for s in slopes)
    label = moved / norm * math.sqrt(50) * gaussian_scale(1, 1.0, DELTA)
    print(f"C = {norm}: a label moves the sum by {moved:.2f}, a record by up to {2 * norm:.2f}; multiplier {label:.3f}")
print(f"multiplier for a record under replace: {2 * math.sqrt(50) * gaussian_scale(1, 1.0, DELTA):.3f}")

# %% [markdown]
# ## 5. One clipped gradient a person
#
# **Hint.** `np.add.at` (or `np.bincount` for each column) sums the records' gradients by person; then `clip_rows`.
#
# **Answer.** With clipped records and noise for one, a person of five records is protected by a fifth of the multiplier only.

# %%
table, person = data.health_insurance(), data.health_insurance_person()
names = [name for name in table if name != "mdvis"]
ends = np.array([table[name].bounds for name in names]).T
columns = np.column_stack([table[name].values for name in names]).astype(float)
scaled = 2 * (columns - ends[0]) / (ends[1] - ends[0]) - 1
features = np.column_stack([scaled, np.ones(len(scaled))]) / math.sqrt(len(names) + 1)
often = np.where(table["mdvis"].values >= 2, 1.0, -1.0)


def person_training(steps, norm, multiplier, step_size, rng):
    """Full batches; the sums of each person's gradients are clipped."""
    weights = np.zeros(features.shape[1])
    for _ in range(steps):
        gradients = -(often / (1 + np.exp(often * (features @ weights))))[:, None] * features
        sums = np.column_stack([np.bincount(person, column) for column in gradients.T])
        noise = rng.normal(scale=multiplier * norm, size=weights.size)
        weights = weights - step_size * (clip_rows(sums, norm).sum(axis=0) + noise)
    return weights


sigma = math.sqrt(30) * gaussian_scale(1, 1.0, DELTA)
scores = []
for seed in range(5):
    weights = person_training(30, 1.0, sigma, 4 / 5_000, np.random.default_rng(seed))
    scores.append(np.mean((features @ weights > 0) == (often > 0)))
records = np.bincount(person)
majority = max(np.mean(often > 0), np.mean(often < 0))
print(f"accuracy: majority {majority:.3f}, with an epsilon of 1 a person {np.median(scores):.3f}")
print(f"accuracy without privacy {accuracy(fit(features, often, 1.0, LOGISTIC), features, often):.3f}")
for count in (1, 3, 5):
    people, lost = np.sum(records == count), gaussian_epsilon(count * math.sqrt(30), sigma, DELTA)
    print(f"records clipped instead: {people:,} people with {counted(count, 'record')} have epsilon {lost:.3f}")

# %% [markdown]
# ## 6. Thirty canaries at once
#
# **Hint.** Give each canary a column of its own; train in blocks with the same coins. The weight of each canary's column is one
# observation, "in" or "out".
#
# **Answer.** As much: here the canaries have nothing in common but the noise's seed, so 400 models with 30 canaries
# are like 12,000 observations. The two numbers below differ by chance, and with other seeds either is the larger.
# Clopper and Pearson's limits are for *independent* observations, though. With features of their own and independent
# noise the canaries' weights are independent once the coins are fixed. If they shared a feature, or if the audit
# chose them after looking, pooling would claim too much. (Steinke, Nasr and Jagielski 2023 show what can be said of
# one training with many canaries in general.)

# %%
recipe, coins = Recipe(0.0, 20, 1.0, 0.1, 0.1), np.random.default_rng(6)
sigma = training_multiplier(recipe, 2.0, 1e-3)
with_it, without = [], []
for _ in range(20):  # twenty sets of coins, twenty models each
    there = coins.random(30) < 0.5
    canaries = np.eye(30)[there]
    models = train(canaries, np.ones(len(canaries)), recipe, sigma, coins, models=20).weights
    with_it.append(models[:, there].ravel())
    without.append(models[:, ~there].ravel())
with_it, without = np.concatenate(with_it), np.concatenate(without)


def proved(present, absent, threshold):
    low = clopper_pearson(int(np.sum(present > threshold)), present.size, 0.025)[0]
    high = clopper_pearson(int(np.sum(absent > threshold)), absent.size, 0.025)[1]
    return max(0.0, math.log((low - 1e-3) / high)) if low > 1e-3 else 0.0


half = np.random.default_rng(7).random(with_it.size) < 0.5, np.random.default_rng(8).random(without.size) < 0.5
cuts = np.linspace(0, 1, 41)
# chosen on one half, certified on the other
cut = max(cuts, key=lambda c: proved(with_it[half[0]], without[half[1]], c))
pooled = proved(with_it[~half[0]], without[~half[1]], cut)
nobody = np.zeros((1, 1)), np.ones(1)
single = train(*add_canary(*nobody), recipe, sigma, coins, models=6_000).weights[:, -1]
empty = train(*nobody, recipe, sigma, coins, models=6_000).weights[:, -1]
apart = proved(single[3_000:], empty[3_000:], max(cuts, key=lambda c: proved(single[:3_000], empty[:3_000], c)))
print(f"claimed 2 at delta 0.001; 400 models, {with_it.size:,} canaries in", end=" ")
print(f"and {without.size:,} out: at least {pooled:.3f}")
print(f"12,000 models with one canary or none: at least {apart:.3f}")
