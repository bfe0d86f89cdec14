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
# # Answers to chapter 27
#
# One hint and one computed answer for each task "On your own" of
# [27 Which epsilon?](../../notebooks/27_choosing.ipynb). Read the hint first.

# %%
import numpy as np

from dpbook import data
from dpbook.choosing import (
    Counts,
    Histogram,
    Plan,
    Quantile,
    geometric_error,
    group_threshold,
    guess_chance,
    least_epsilon,
    mean_error,
    published_chance,
)

# %% [markdown]
# ## 1. Bullied pupils
#
# **Hint.** One count, whole-number noise, sensitivity 1. `least_epsilon` wants a function of epsilon alone.
#
# **Answer.** The number of pupils in the school plays no part in the noise; it decides whether an error of 5 is small.

# %%
epsilon = least_epsilon(lambda e: geometric_error(1, 0.95, e), 5)
print(f"epsilon {epsilon:.4f}; at even odds a guess is right at most {guess_chance(0.5, epsilon, 0):.2%} of the time")

# %% [markdown]
# ## 2. A count a week
#
# **Hint.** At even odds and without a delta, being right 60 times in 100 means e^epsilon = 60/40 in all. That is for 52 weeks.
#
# **Answer.** An honest year costs a large error in each week. (If each week has other people, parallel composition gives
# each of them the whole budget. The town should say which of the two it is.)

# %%
year = np.log(0.6 / 0.4)
assert np.isclose(guess_chance(0.5, year, 0), 0.6)
week = year / 52
print(f"epsilon {year:.3f} a year, {week:.5f} a week: each count within {geometric_error(1, 0.95, week):.0f} people")

# %% [markdown]
# ## 3. How many people for a mean
#
# **Hint.** The error falls like one over the number of people. Two halvings show the size; then look between.
#
# **Answer.** By halving an interval of whole numbers:

# %%
few, enough = 100, 10_000
while enough - few > 1:
    middle = (few + enough) // 2
    few, enough = (middle, enough) if mean_error(middle, (0, 100), 0.95, 0.5) > 1 else (few, middle)
print(
    f"{enough} people: {mean_error(enough, (0, 100), 0.95, 0.5):.4f}; {few}: {mean_error(few, (0, 100), 0.95, 0.5):.4f}"
)

# %% [markdown]
# ## 4. Large enough to be seen
#
# **Hint.** The noisy count must exceed the threshold: `published_chance` knows the distribution of the noise.
#
# **Answer.** Not just the threshold, but some people more: with exactly as many as the threshold the probability is a half.

# %%
chances = published_chance(np.arange(1, 60), 1, 1.0, 1e-6)
people = int(np.argmax(chances >= 0.95)) + 1
print(
    f"threshold {group_threshold(1, 1.0, 1e-6):.2f}; from {people} voters on with probability {chances[people - 1]:.3f}"
)

# %% [markdown]
# ## 5. Two groups each
#
# **Hint.** Two things change: the noise has to hide a move in two counts, and either of two groups may give a person away.
#
# **Answer.** The scale doubles, and delta is shared by two chances. So the threshold more than doubles at this
# epsilon. (Above an epsilon of 2 ln 2 it does not: the 1 in it stays.)

# %%
for groups in (1, 2, 4):
    print(f"{groups} groups a person: threshold {group_threshold(groups, 1.0, 1e-6):.2f}")

# %% [markdown]
# ## 6. A release of your own
#
# **Hint.** The counts' error depends on their part of epsilon. `least_epsilon` can invert a whole plan: give it a function
# that builds the plan and reads the error of one line.
#
# **Answer.** With equal weights a third of epsilon goes to each part. The program is run as it stands.


# %%
def women(epsilon):
    parts = (
        Counts((("affairs", 0), ("children", 2))),
        Histogram("age", (17, 20, 25, 30, 35, 40, 45)),
        Quantile("age", 0.5, tuple(range(15, 46))),
    )
    return Plan("data.affairs()", parts, 6_000, epsilon)


epsilon = least_epsilon(lambda e: women(e).lines[0].error, 30)
print(f"smallest epsilon in all: {epsilon:.4f}")
for line in women(epsilon).lines:
    print(f"{line.name:<20} epsilon {line.epsilon:.4f}  within {line.error:.1f} {line.unit}")
program = {}
exec(women(epsilon).code(), program)
records = {name: column.values for name, column in data.affairs().items()}
again = program["release"](records, program["Budget"](epsilon), np.random.default_rng(1))
print({name: np.round(value).astype(int).tolist() for name, value in again.items()})
