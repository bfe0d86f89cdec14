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
# # Answers to chapter 24
#
# One hint and one computed answer for each task "On your own" of
# [24 The Gaussian mechanism](../../notebooks/24_gaussian.ipynb). Read the hint first.

# %%
import math

import numpy as np

from dpbook.gaussian import (
    discrete_gaussian_delta,
    gaussian_delta,
    gaussian_scale,
    privacy_profile,
)

# %% [markdown]
# ## 1. The least delta by sight
#
# **Hint.** The slider has few values of delta; the events leave the region first near the corners, and not at the far ends.
#
# **Answer.** By sight: 0.1 is enough and 0.03 is not. By the profile:

# %%
least = gaussian_delta(1, 2, 0.5)
print(f"delta(0.5) at scale 2: {least:.6f}")
assert 0.03 < least < 0.1

# %% [markdown]
# ## 2. Two hospitals
#
# **Hint.** The pair is the same; the profiles are not. The second one never falls below its delta.
#
# **Answer.** At epsilon 2 the normal noise promises a delta that is many orders of magnitude smaller. With the other, one
# patient in a million is printed whatever epsilon you name. Join the first.

# %%
scale = gaussian_scale(1, 1.0, 1e-6)
print(f"normal noise at epsilon 2: delta {gaussian_delta(1, scale, 2.0):.3g}")
print(f"response, or print the record, at epsilon 2: delta {1e-6:g}, and so at every larger epsilon")
print(f"what both need at epsilon 0.5: {gaussian_delta(1, scale, 0.5):.3g} and", end=" ")
truth, lie = ((1 - 1e-6) * share / (1 + math.e) for share in (math.e, 1))
with np.errstate(divide="ignore"):  # printed "yes", printed "no", answered "yes", answered "no"
    laws = np.log([1e-6, 0, truth, lie]), np.log([0, 1e-6, lie, truth])
print(f"{privacy_profile(*laws, 0.5):.3g}")

# %% [markdown]
# ## 3. A mean and a count
#
# **Hint.** One pupil's mark moves the mean by at most (6 - 1)/30. The length is the root of the sum of squares. If you
# multiply the mean by a public number before the noise, and divide the release by it afterwards, what changes?
#
# **Answer.** The pair moves by (1/6, 1): nearly all the length is that of the count, and the mean gets far more noise than it
# needs. With a weight w on the mean the length is sqrt(1 + (w/6)^2), and the noise of the mean is that over w. At w = 6 both
# moves are equal: the count's noise grows by a factor of about 1.4, the mean's falls by more than four.

# %%
one = gaussian_scale(1, 1.0, 1e-6)
for weight in (1, 3, 6, 12):
    length = math.hypot(1, weight / 6)
    print(f"weight {weight:>2}: L2 {length:.4f}, noise of the number of passes {length * one:6.2f},", end=" ")
    print(f"of the mean {length * one / weight:6.3f}")

# %% [markdown]
# (At w = 6 the noise is still a whole mark, on marks from 1 to 6. A larger class or a larger epsilon would help.)
#
# ## 4. Trees
#
# **Hint.** A record is in one node of each level: L1 is the number of levels, L2 its root. Compare standard deviations.
#
# **Answer.** Normal noise wins from the number of levels where its one-number scale squared is below twice the levels over
# epsilon squared:

# %%
levels = np.arange(1, 2_000)
for epsilon, delta in ((0.1, 1e-9), (1.0, 1e-6), (5.0, 1e-6)):
    unit = gaussian_scale(1, epsilon, delta)
    wins = unit * np.sqrt(levels) < math.sqrt(2) * levels / epsilon
    print(f"({epsilon:g}, {delta:g}): normal noise wins from {levels[np.argmax(wins)]} levels on")

# %% [markdown]
# ## 5. More noise, less privacy
#
# **Hint.** The bumps grow with epsilon, and are at small scales. Over one bump the worst event is the same set of
# outputs; how do its two probabilities move with the scale?
#
# **Answer.** Epsilon 3 or 4 will do, 1 or 2 will not. In a valley the worst event becomes a smaller set. From there a
# larger scale first makes it more probable, so delta rises again.

# %%
scales = np.linspace(0.2, 1.5, 1_301)
most = 1.0
for epsilon in (1.0, 2.0, 3.0, 4.0):
    deltas = np.array([discrete_gaussian_delta(s, epsilon) for s in scales])
    lowest_so_far = np.minimum.accumulate(deltas)
    t = int(np.argmax(deltas / lowest_so_far))
    s = int(np.argmin(deltas[: t + 1]))
    times = deltas[t] / deltas[s]
    print(f"epsilon {epsilon:>4}: scale {scales[s]:.3f} has delta {deltas[s]:.3g},", end=" ")
    print(f"scale {scales[t]:.3f} has {deltas[t]:.3g}: {times:.1f} times as much")
    most = max(most, times)
assert most > 2

# %% [markdown]
# ## 6. Two outputs
#
# **Hint.** A mechanism with two outputs has a profile that is linear in $e^\varepsilon$ until it reaches 0. The Gaussian's is
# convex in $e^\varepsilon$. Which lines through a point of a convex curve lie below it on one side? On both?
#
# **Answer.** A steeper line lies below on the right: randomized response with the same delta at 1. The *tangent* lies below on
# both sides: publish only whether the noisy count exceeds the threshold of the worst event. That is post-processing, so it
# can nowhere be larger, and at epsilon 1 it keeps all of the worst event.

# %%
epsilons = np.array([0.0, 0.5, 0.9, 1.0, 1.1, 1.5, 2.0])
normal = gaussian_delta(1, 1, epsilons)
target = gaussian_delta(1, 1, 1.0)
odds = (target + math.e) / (1 - target)
response = np.maximum(0, (odds - np.exp(epsilons)) / (1 + odds))
# Phi(mu/2 - 1/mu), Phi(-mu/2 - 1/mu)
here, there = (math.erfc(below / math.sqrt(2)) / 2 for below in (0.5, 1.5))
tangent = privacy_profile(np.log([here, 1 - here]), np.log([there, 1 - there]), epsilons)
for row in zip(epsilons, normal, response, tangent, strict=True):
    print("epsilon {:.1f}: normal {:.5f}, response {:.5f}, worst event only {:.5f}".format(*row))
assert np.all(tangent <= normal + 1e-12) and np.all(response[4:] < normal[4:]) and np.all(response[:3] > normal[:3])
