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
import numpy as np

from dpbook.laplace import geometric_log_probability
from dpbook.parties import (
    clones_epsilon,
    geometric_share,
    geometric_share_loss,
    masked,
    modular_sum,
    shuffled_epsilon,
)

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
# nearly always the worst.
#
# **Answer.** The clones ask for more than twice as many people. Their bound holds for any local report. The exact number
# holds for bits, and here for a dataset whose other bits are all 0. The worst dataset asks for one person more: 494.

# %%
for name, epsilon_at in (
    ("clones", lambda people: clones_epsilon(people, 2.0, 1e-6)),
    ("exact, others 0", lambda people: shuffled_epsilon(people, 2.0, 1e-6, ones=0)),
):
    low, high = 10, 100_000
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if epsilon_at(middle) <= 0.5 else (middle, high)
    print(f"{name:>15}: {high:,} people, epsilon {epsilon_at(high):.4f}")
for people in (high, high + 1):
    print(f"{'exact, worst':>15}: {people:,} people, epsilon {shuffled_epsilon(people, 2.0, 1e-6):.4f}")

# %% [markdown]
# ## 3. Ten pieces
#
# **Hint.** Draw an array of ten rows with `size=(10, 200_000)`, and add up its columns. The probabilities are
# `np.exp(geometric_log_probability(number, 0, 1, 1.0))`.
#
# **Answer.** The frequencies are those of the geometric mechanism, up to the luck of 200,000 draws. A single piece is 0 in
# nine of ten draws.

# %%
pieces = geometric_share(10, 1, 1.0, np.random.default_rng(1), size=(10, 200_000))
sums = pieces.sum(axis=0)
for number in (-2, -1, 0, 1, 2, 5):
    probability = np.exp(geometric_log_probability(number, 0, 1, 1.0))
    print(f"{number:>2}: frequency {np.mean(sums == number):.4f}, probability {probability:.4f}")
print(f"a single piece is 0 with frequency {np.mean(pieces == 0):.3f}")

# %% [markdown]
# ## 4. A party that sends 100
#
# **Hint.** Theorem 29.1 says how the reports are distributed, whatever the values.
#
# **Answer.** The reports show nothing but their sum: each is uniform on 0 to 127. The sum is 106, but at most 12
# people have the property. Here the server sees that something is wrong, and not who did it. Had the party sent 3,
# nobody would see anything. Only a proof that each value is a bit helps.

# %%
values = np.array([1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 100])
reports = masked(values, 128, np.random.default_rng(1))
print("reports:", reports.tolist())
print("sum:", modular_sum(reports, 128, 0))

# %% [markdown]
# ## 5. Reports of the server
#
# **Hint.** The server knows its own reports, so they hide nobody. If h of 1,000 people are honest, they have the guarantee
# of h people.
#
# **Answer.** Nearly three quarters of them at local 1. Epsilon falls with the root of the number of honest people: a
# quarter of them has about twice the epsilon. At local 3 it is fewer than half, because few honest people hide such
# reports badly.

# %%
for local in (1.0, 3.0):
    whole = clones_epsilon(1000, local, 1e-6)
    low, high = 1, 1000
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if clones_epsilon(middle, local, 1e-6) <= 2 * whole else (middle, high)
    print(f"local {local:g}: epsilon {whole:.4f} with 1,000 honest", end="; ")
    print(f"{clones_epsilon(high, local, 1e-6):.4f} with {high}: {1000 - high} of the server")
