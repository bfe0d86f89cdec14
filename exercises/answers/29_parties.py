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
# # Answers to chapter 29
#
# One hint and one computed answer for each task "On your own" of
# [29 Without a curator](../../notebooks/29_parties.ipynb). Read the hint first.

# %%
from dpbook.parties import clones_epsilon, geometric_share_loss, shuffled_epsilon

# %% [markdown]
# ## 1. Ninety of a hundred
#
# **Hint.** `geometric_share_loss` takes the fraction of the noise that came.
#
# **Answer.** The loss is 1.099, a little less than 1/0.9. Nine tenths of the noise are not "epsilon over 0.9": the distribution of
# the sum changes too, most of all near 0.

# %%
print(f"the loss {geometric_share_loss(0.9, 1.0):.4f}, epsilon over the share {1 / 0.9:.4f}")

# %% [markdown]
# ## 2. Local 2, and epsilon 0.5
#
# **Hint.** Both fall with the number of people: bisect. For many people take the dataset where all others hold 0, which is
# nearly the worst.
#
# **Answer.** The clones ask for more than twice as many people. Their bound holds for any local report, and the exact number for
# bits alone.

# %%
for name, epsilon_at in (
    ("clones", lambda people: clones_epsilon(people, 2.0, 1e-6)),
    ("exact", lambda people: shuffled_epsilon(people, 2.0, 1e-6, ones=0)),
):
    low, high = 10, 100_000
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if epsilon_at(middle) <= 0.5 else (middle, high)
    print(f"{name:>6}: {high:,} people, epsilon {epsilon_at(high):.4f}")

# %% [markdown]
# ## 3. Shills
#
# **Hint.** Reports of the server hide nobody: 1,000 people of whom h are honest have the guarantee of h people.
#
# **Answer.** Nearly three quarters of them. Epsilon falls with the root of the number of honest people: a quarter of
# them has about twice the epsilon.

# %%
whole = clones_epsilon(1000, 1.0, 1e-6)
low, high = 1, 1000
while high - low > 1:
    middle = (low + high) // 2
    low, high = (low, middle) if clones_epsilon(middle, 1.0, 1e-6) <= 2 * whole else (middle, high)
print(f"epsilon {whole:.4f} with 1,000 honest; {clones_epsilon(high, 1.0, 1e-6):.4f} with {high}: {1000 - high} shills")
