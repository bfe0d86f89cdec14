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
# # 29 Without a curator
#
# **What you will see:** one sentence, or two, that say what the figure below shows. Replace both.
#
# <details><summary>About 10 minutes, after 03: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [28 Synthetic records](28_synthetic.ipynb) · **Next:** [90 Reference](90_reference.ipynb)
#
# **Assignment 29:** [five tasks, checked in a second](../exercises/releases/29_parties.ipynb)
#
# **What you will do:** one sentence.
#
# **You need:** [03 The Laplace mechanism](03_laplace.ipynb).
#
# **Time:** about 10 minutes.
#
# **Real and synthetic:** which data are real, and which are made up.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import numpy as np

from dpbook.amounts import amount
from dpbook.guesses import predict
from dpbook.live import live, log_slider, new_noise, show_source, slider
from dpbook.parties import noisy_total, total_error
from dpbook.plots import (
    curves,
    figure,
    legend_above,
    set_curves,
    set_verdict_text,
    verdict_text,
    x_axis,
    y_axis,
)

# %% jupyter={"source_hidden": true}
# Figure: 40 noisy sums of four wages, each clipped to a bound, beside the true sum
wages = np.array([1.5, 4.0, 2.5, 7.0])
fig, ax = figure(height=2.6)
sums = curves(ax, np.arange(1, 41), {"noisy sums": "noisy o", "true sum": "true -"})
x_axis(ax, "release", (0, 41))
y_axis(ax, "sum (dollars an hour)", (-60, 90))
legend_above(fig)
line = verdict_text(ax)


def forty_sums(high, epsilon, seed):
    rng = np.random.default_rng(seed)
    releases = [noisy_total(wages, high, epsilon, rng) for _ in range(40)]
    set_curves(sums, [releases, wages.sum()])
    error = amount(total_error(high, epsilon, 0.95))
    set_verdict_text(
        line, True, f"95 of 100 sums are within {error} dollars of the clipped sum"
    )
    return f"bound {high:g}, epsilon {epsilon:g}: within {error} dollars, 95 times in 100"


live(
    fig,
    forty_sums,
    "Dots: 40 noisy sums of four wages. Black line: the true sum, 15 dollars.",
    task="move the bound below 7, the largest wage. What do the dots gather round?",
    high=slider(1, 20, 8, 1),
    epsilon=log_slider(0.1, 10, 1.0),
    seed=new_noise(1),
)

# %% [markdown]
# ## A naive attempt
#
# What goes wrong without the mechanism, shown by a number that a cell prints.

# %%
print(f"with the largest wage {wages.sum():.1f}, without it {wages[:-1].sum():.1f}")

# %% [markdown]
# The exact sum gives the missing wage away.

# %% [markdown]
# ## The idea
#
# Clip each record to public bounds, then add noise for what one record can do.

# %%
print(f"clipped to 5: {np.clip(wages, 0, 5)}")

# %% [markdown]
# ## The mechanism

# %%
show_source(noisy_total)

# %% [markdown]
# *Guarantee.* Neighbours differ by adding or removing one record, which moves the clipped sum by at most the bound.
#
# <details><summary>Proof: the densities of two neighbours differ by a factor of at most $e^\varepsilon$.</summary>
#
# The whole proof stands here.
#
# </details>

# %% [markdown]
# ## Error against epsilon

# %%
show_source(total_error)

# %%
for epsilon in (0.1, 1.0, 10.0):
    print(f"epsilon {epsilon:>4}: within {total_error(10, epsilon, 0.95):.1f} dollars")

# %% [markdown]
# The error is proportional to the bound, and inversely proportional to epsilon.

# %% jupyter={"source_hidden": true}
# Figure: the error of the sum against epsilon, for a bound that you choose
fig, ax = figure(height=2.6)
epsilons = np.geomspace(0.1, 10, 40)
errors = curves(ax, epsilons, {"error": "noisy"})
x_axis(ax, "epsilon", (0.1, 10), log=True)
y_axis(ax, "error (dollars an hour)", (0.1, 1_000), log=True)
headline = verdict_text(ax)


def error_curve(high, epsilon):
    set_curves(errors, [[total_error(high, one, 0.95) for one in epsilons]])
    error = amount(total_error(high, epsilon, 0.95))
    set_verdict_text(headline, True, f"within {error} dollars, 95 times in 100")
    return f"at epsilon {epsilon:g} within {error} dollars"


live(
    fig,
    error_curve,
    "The error that the sum exceeds five times in 100.",
    task="halve epsilon. What happens to the error?",
    guess=[
        predict(
            "Without a curator: with bound 10, how far off is the sum at epsilon 0.1?",
            (0, 500),
            r"within (.+) dollars",
            high=10,
            epsilon=0.1,
        ),
        predict(
            "Without a curator: with bound 10, how far off is the sum at epsilon 1?",
            (0, 500),
            r"within (.+) dollars",
            high=10,
            epsilon=1.0,
        ),
        predict(
            "Without a curator: with bound 20, how far off is the sum at epsilon 1?",
            (0, 500),
            r"within (.+) dollars",
            high=20,
            epsilon=1.0,
        ),
    ],
    high=slider(1, 20, 8, 1),
    epsilon=log_slider(0.1, 10, 1.0),
)

# %% [markdown]
# ## Where it breaks
#
# A bound that is taken from the data is no public bound.

# %%
for largest in (7.0, 70.0):
    print(f"largest wage {largest:g}: noise of scale {largest:g} at epsilon 1")

# %% [markdown]
# The noise itself now says how large the largest wage is.

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/29_parties](../exercises/answers/29_parties.ipynb).
#
# **Assignment 29:** [five tasks, checked in a second](../exercises/releases/29_parties.ipynb).
#
# 1. *Warm-up.* Double the bound. What happens to the error?
#
# A start:

# %%
print(f"{total_error(10, 1.0, 0.95):.1f}")

# %% [markdown]
# ## When to use it
#
# **Use it** where ... **Do not use it** where ...

# %% [markdown]
# ## Sources
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to Practice*, Morgan &
#   Claypool, 2016: section 2.3.
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [28 Synthetic records](28_synthetic.ipynb) · **Next:** [90 Reference](90_reference.ipynb)
