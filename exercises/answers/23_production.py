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
# # Answers to chapter 23
#
# One hint and one computed answer for each task "On your own" of
# [23 Libraries for real releases](../../notebooks/23_production.ipynb). Read the hint first.

# %%
import json
import math
import pathlib

import numpy as np

from dpbook.accounting import zcdp_epsilon, zcdp_gaussian
from dpbook.choosing import least_epsilon
from dpbook.gaussian import gaussian_epsilon, gaussian_scale

places = (pathlib.Path("../../notebooks/23_production.json"), pathlib.Path("23_production.json"))
STORED = json.loads(next(place for place in places if place.exists()).read_text(encoding="utf-8"))["snippets"]

# %% [markdown]
# ## 1. Two maps
#
# **Hint.** What is the data of the count: a list of all women, or of those who said yes? By how many records do the two
# lists differ when one woman changes her answer?
#
# **Answer.** If all records are counted, one record is replaced. The list is as long as before, and the count does
# not move at all. But the map only knows a distance of 2, and says 2. If only the yeses are counted, the list has one
# record more, a distance of 1: then 1 is the guarantee.

# %%
all_records, yes = [0, 1, 0, 1], [1, 1]
changed, yes_changed = [1, 1, 0, 1], [1, 1, 1]
print("records more: of all", len(changed) - len(all_records), "and of the yeses", len(yes_changed) - len(yes))

# %% [markdown]
# ## 2. Four epsilons of 0.25
#
# **Hint.** Which calls have the noise that replace needs? A record that moves between two bins changes both.
#
# **Answer.** Mean and sum keep 0.25 under replace. Each histogram has noise for one bin: under replace its privacy
# loss is twice that.

# %%
claimed = {"mean": 0.25, "sum": 0.25, "histogram 1": 0.25, "histogram 2": 0.25}
true = {name: epsilon * (2 if "histogram" in name else 1) for name, epsilon in claimed.items()}
print("claimed", math.fsum(claimed.values()), "- true under replace", math.fsum(true.values()))

# %% [markdown]
# ## 3. Epsilon from stored counts
#
# **Hint.** For whole-number noise the mean of |z| is 2a / (1 - a^2), with a = e^-epsilon; turn it round. The error of a mean of
# 10,000 numbers is their deviation over 100.
#
# **Answer.** Within a few hundredths of 1, as claimed.

# %%
stored = {int(value) - 100: number for value, number in STORED["OpenDP: a count"]["keep"]["100"].items()}
noise = np.repeat(list(stored), list(stored.values()))


def epsilon_of(mean):
    """The epsilon at which whole-number noise has this mean absolute value."""
    return least_epsilon(lambda epsilon: 2 * math.exp(-epsilon) / -math.expm1(-2 * epsilon), mean)


mean, error = np.abs(noise).mean(), np.abs(noise).std() / math.sqrt(noise.size)
low, high = sorted(epsilon_of(mean + side * error) for side in (-3, 3))
print(f"epsilon {epsilon_of(mean):.3f}, between {low:.3f} and {high:.3f} (three standard errors)")
assert low < 1 < high

# %% [markdown]
# ## 4. The price of a detour
#
# **Hint.** The exact scale is `gaussian_scale(1, 1, 1e-6)`. For 100 releases rho adds up, and so does mu squared. So
# 100 normal noises of scale s have together the privacy loss of one of scale s / 10.
#
# **Answer.** For one release about 7%. For a hundred at the same total the ratio is the same, because both accounts
# see one noise of a tenth of the scale. Only the last conversion differs.

# %%
stored_scale = STORED["OpenDP: normal noise"]["keep"]["1.0"]
exact = gaussian_scale(1, 1.0, 1e-6)
print(f"one release: {stored_scale:.4f} against {exact:.4f}: {stored_scale / exact - 1:.1%}")
rho = 100 * zcdp_gaussian(1, 10 * stored_scale)
print(
    f"a hundred, ten times the scale: {zcdp_epsilon(rho, 1e-6):.4f} by rho, exactly {gaussian_epsilon(10, 10 * stored_scale, 1e-6):.4f}"
)

# %% [markdown]
# ## 5. A project
#
# **Hint.** Begin with the half page: unit, relation, what is public, epsilon. If you cannot write it, you cannot make
# the release.
#
# **Answer.** There are as many as there are releases. What the marks look for, two points each, and how to find it in a hand-in:

# %%
MARKS = {
    "unit": "a person, or a reason why a record is one",
    "relation": "named, and the same in the text, in `map` and in the audit",
    "bounds": "public, with where they come from",
    "budget": "one owner, all calls in it, what happens when it is empty",
    "audit": "a pair of neighbours that could break it, a bound, and the word 'not refuted'",
    "text": "half a page for the people whose data it is, no formula, nothing promised that was not",
}
for name, looked_for in MARKS.items():
    print(f"{name:<9} 2  {looked_for}")
assert 2 * len(MARKS) == 12
