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
# *Answer.* Two messages more are two steps to a neighbour, so 2 epsilon: 4.32 bits at most.
# An even code has 1.44 bits already, without any model.
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
fitting = []
for seed in range(20):
    rng = np.random.default_rng(seed)
    noisy = {
        group: (count, *(round(one + rng.laplace(scale=5)) for one in numbers))
        for group, (count, *numbers) in exact.items()
    }
    fitting.append(len(consistent_blocks({**noisy, "all": (7, None, None)})))
print(f"tables that fit, 20 draws of the noise: {sorted(fitting)}")

# %% [markdown]
# *Answer.* None, most of the time: noisy statistics contradict each other. A search for *exact* fits ends here. An attacker
# would now look for the likeliest table instead, so the noise must be chosen by a proof, as everywhere in this book.
#
# ## 4. Which grams come back
#
# *Hint.* Sort the noisy cells, and compare the largest with the true ones.

# %%
texts = data.messages()
truth, noisy = gram_counts(texts, 3, 20), laplace_model(texts, 3, 20, 16.0, np.random.default_rng(1))
for number in (20, 200, 2000):
    top = [set(np.argsort(-cells, axis=None, kind="stable")[:number].tolist()) for cells in (truth, noisy)]
    print(f"of the {number:,} largest cells {len(top[0] & top[1]) / number:.0%} are right")

# %% [markdown]
# *Answer.* The common grams come back, the rare ones drown among two million cells of noise. Your own messages behave
# alike: what many people write survives, and what one person writes does not.
