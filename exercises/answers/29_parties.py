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
# # Answers to 29 Without a curator
#
# A hint and a computed answer for each task "On your own" of [the page](../../notebooks/29_parties.ipynb).

# %%
from dpbook.parties import total_error

# %% [markdown]
# ## 1. A bound for the wages
#
# *Hint.* The error is proportional to the bound.

# %%
for high in (10, 20):
    print(f"bound {high}: within {total_error(high, 1.0, 0.95):.1f}")

# %% [markdown]
# *Answer.* Twice the bound, twice the error. The noise has the scale high / epsilon, and the error grows with it. What
# clipping takes away shrinks instead, so the best bound lies between. Say here what a reader should have seen, and
# which other answers are as good.
