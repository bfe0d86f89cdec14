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
# # Answers to chapter 31
#
# One hint and one computed answer for each task "On your own" of
# [31 What a model remembers](../../notebooks/31_memory.ipynb). Read the hint first.

# %%
import math

import numpy as np

from dpbook import data
from dpbook.memory import consistent_blocks, exposure_limit, gram_counts, laplace_model, one_run_bound

# %% [markdown]
# ## 1. A code of two people
#
# *Hint.* Two people are a group of two.

# %%
print(f"one person {exposure_limit(10_000, 1.0):.2f} bits, two {exposure_limit(10_000, 2.0):.2f} bits")

# %% [markdown]
# *Answer.* The two messages are two steps between neighbours, so the bound is that of 2 epsilon: 4.32 bits on average
# (with delta = 0). A code drawn at random has 1.44 bits on average, even if no model ever saw it.
#
# ## 2. Refute a claim of 2
#
# *Hint.* Try the numbers of right guesses from the lowest on.

# %%
right = next(v for v in range(101) if one_run_bound(1000, 100, v, 0.95) > 2)
print(f"{right} of 100 right: epsilon is at least {one_run_bound(1000, 100, right, 0.95):.3f}")

# %% [markdown]
# *Answer.* Of 100 guesses 94 must be right. At epsilon 2 a guess is right with probability 0.88 at most, so 94 of 100
# would be rare luck.
#
# ## 3. A block with noise
#
# *Hint.* Add noise to each median and each sum, round, and search.

# %%
exact = {"white": (3, 24, 72), "male": (3, 30, 132), "black female": (3, 36, 110), "female": (4, 30, 134)}
for groups in (3, 4):
    fitting = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        noisy = {
            group: (count, *(round(one + rng.laplace(scale=5)) for one in numbers))
            for group, (count, *numbers) in list(exact.items())[:groups]
        }
        fitting.append(len(consistent_blocks({**noisy, "all": (7, None, None)})))
    print(f"{groups} groups, tables that fit, 20 draws of the noise: {sorted(fitting)}")

# %% [markdown]
# *Answer.* With the trios alone none in many draws, and up to hundreds in others, all wrong. With *female* too, none in
# nearly all draws, here in all 20: noisy statistics contradict each other. A search for *exact* fits ends here. An
# attacker would now look for the likeliest table instead, so the noise must be chosen by a proof, as everywhere in this
# book.
#
# ## 4. Which grams come back
#
# *Hint.* Count the grams that somebody wrote. Take as many of the largest noisy cells. Which grams are among them?

# %%
texts = data.messages()
truth, noisy = gram_counts(texts, 3, 20), laplace_model(texts, 3, 20, 16.0, np.random.default_rng(1))
written = np.count_nonzero(truth)
largest = np.zeros(truth.size, dtype=bool)
largest[np.argsort(-noisy, axis=None, kind="stable")[:written]] = True
print(f"{written} grams were written by somebody; of the {written} largest noisy cells")
for low, high in ((20, math.inf), (15, 20), (10, 15), (1, 10)):
    some = (truth.ravel() >= low) & (truth.ravel() < high)
    who = f"{low} messages or more" if math.isinf(high) else f"{low} to {high - 1} messages"
    print(f"    {np.sum(largest & some):>3} are of the {np.sum(some):>3} grams in {who}")
print(f"    {np.sum(largest & (truth.ravel() == 0)):>3} are grams that nobody wrote")
print(f"the largest noise of {truth.size:,} cells: {np.max(noisy - truth):.1f}")

# %% [markdown]
# *Answer.* Grams in 15 messages or more nearly all come back. Those in fewer than ten drown among two million cells
# of noise. At epsilon 16 the noise has the scale 20/16, and the largest of two million is in the last line. Your own
# messages behave alike: what many people write survives, and what one person writes does not.
