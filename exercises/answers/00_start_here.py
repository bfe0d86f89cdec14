# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     name: python3
# ---

# %% [markdown]
# # Answers to 00 Start here
#
# A hint and a computed answer for each task "On your own" of the page. Try first.

# %%
import pathlib
import tempfile

import numpy as np
from scipy import stats

from dpbook import data
from dpbook.laplace import laplace_mechanism

voters = data.election()
before = np.bincount(voters["income"].values, minlength=25)[1:]

# %% [markdown]
# ## 1. Negative counts
#
# *Hint.* What does the step that sets them to zero look at?

# %%
released = laplace_mechanism(before, 1, 0.01, np.random.default_rng(1))
clean = np.maximum(released, 0)
print(f"{np.sum(released < 0)} of {released.size} released counts are below zero")
errors = [np.abs(one - before).mean() for one in (released, clean)]
print(f"mean error {errors[0]:.0f} voters as released, {errors[1]:.0f} after the step")

# %% [markdown]
# *Answer.* It looks only at the released numbers, never at a voter. Anyone with the release could do it too, so it
# reveals nothing new (post-processing, chapter 02). It even helps: no true count is below zero.

# %% [markdown]
# ## 2. Ages in bins of ten years
#
# *Hint.* The noise is the same for every bin; what it is to be compared with is the size of a count.

# %%
ages = np.histogram(voters["age"].values, bins=np.arange(10, 101, 10))[0]
for name, counts in (("24 classes of income", before), ("9 bins of age", ages)):
    print(f"{name}: the highest count is {counts.max()}")
    for epsilon in (0.05, 0.1, 0.5):
        rng = np.random.default_rng(2)
        worst = [np.abs(laplace_mechanism(counts, 1, epsilon, rng) - counts).max() for _ in range(200)]
        share = np.median(worst) / counts.max()
        print(f"{name}, epsilon {epsilon}: largest error {share:.0%} of the highest count")

# %% [markdown]
# *Answer.* Fewer and larger bins keep their shape at a smaller $\varepsilon$: the ages at about 0.1, the incomes at
# about 0.5. The noise depends on $\varepsilon$ alone, and the highest bin of ten years holds 245 voters, the highest
# class of income 103. Nine draws also go less far than twenty-four.

# %% [markdown]
# ## 3. A file of your own
#
# *Hint.* One count a line is enough.

# %%
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "counts.txt"
    path.write_text("12\n0\n7\n31\n")
    mine = data.read_counts(path)
print("true    ", mine)
print("released", laplace_mechanism(mine, 1, 0.5, np.random.default_rng(3)).round(1))

# %% [markdown]
# *Answer.* Noise of scale $1/\varepsilon = 2$, as for the voters: one record more in your file moves one count by one.

# %% [markdown]
# ## 4. Two publications
#
# *Hint.* Both reveal something about a voter who is in both. What may each spend?


# %%
def fits_the_law(mechanism, scale):
    """p-value of the hypothesis that the noise is Laplace with this scale."""
    noise = mechanism(np.zeros(20_000), np.random.default_rng(1))
    return stats.kstest(noise, stats.laplace(scale=scale).cdf).pvalue


half = fits_the_law(lambda values, rng: laplace_mechanism(values, 1, 0.5, rng), 2)
whole = fits_the_law(lambda values, rng: laplace_mechanism(values, 1, 1.0, rng), 2)
print(f"scale 2 with half of epsilon: p = {half:.2f}; with all of it in each: p = {whole:.2g}")

# %% [markdown]
# *Answer.* Each spends $\varepsilon$, a voter in both twice as much (chapter 02). If both together may spend 1, each
# gets a half, and the noise has scale 2.

# %% [markdown]
# ## 5. Rounding
#
# *Hint.* What is left of the grid $2^{-53}$ when only whole numbers come out?

# %%
rng = np.random.default_rng(5)
for truth in (0.0, 1.0):
    release = laplace_mechanism(np.full(100_000, truth), 1, 1.0, rng)
    for name, numbers in (("as released", release), ("rounded", np.round(release))):
        near_zero = numbers[np.abs(numbers) < 0.25]
        told = np.mean(near_zero * 2.0**53 % 1 != 0)
        print(f"true count {truth:.0f}, {name}: {told:.0%} of those near 0 cannot come from 1")

# %% [markdown]
# *Answer.* The trace is gone: every rounded number near 0 can come from either count. Rounding is post-processing, so on paper
# it costs nothing. The noise itself was still drawn with floats: chapter 21 looks closer.
