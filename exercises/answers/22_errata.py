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
# # Answers: 22 Errata, and the papers beside what we find
#
# A hint and a computed answer for each task of [the page](../../notebooks/22_errata.ipynb). Try first.

# %%
import math
import pathlib
import tomllib
from collections import Counter

import numpy as np
from scipy import optimize

from dpbook import averages, data, regression, sparse, stability
from dpbook.compressive import choose_sparsity, compressive_mechanism
from dpbook.laplace import laplace_mechanism

# %% [markdown]
# ## 1. Which sources have the largest fraction of grave rows?
#
# *Hint.* Set *at least* to *grave*, and walk through the sources. Divide by the number of rows that each has without
# that condition.
#
# The table is small enough to be counted. Half of the rows on software are grave, and under a third of every paper's;
# two papers have none. Most of the grave rows of the textbook are broken guarantees: that is what the word was made
# for. A fraction says little where a source has few rows.

# %%
rows = tomllib.loads((pathlib.Path("../../notebooks") / "errata.toml").read_text(encoding="utf-8")).values()
rows = [row for row in rows if "withdrawn" not in row]
every = Counter(row["source"] for row in rows)
grave = Counter(row["source"] for row in rows if row["grave"] == 3)
for source, number in every.items():
    print(f"{source}: {grave[source]} of {number} grave, {grave[source] / number:.0%}")
print(Counter(row["kind"] for row in rows if row["source"] == "004" and row["grave"] == 3).most_common())

# %% [markdown]
# ## 2. Where does the clamped average lose most more than promised?
#
# *Hint.* The loss is $\max(\varepsilon, \ln 2 + \varepsilon/2)$. Subtract $\varepsilon$, then divide by it.
#
# The excess is $\ln2 - \varepsilon/2$ below $2\ln2$: largest as $\varepsilon\to0$, where it tends to $\ln 2 = 0.693$ nats,
# and the multiple $\frac12+\ln2/\varepsilon$ grows without bound. A small promise is broken worst.

# %%
for epsilon in (0.001, 0.01, 0.1, 1.0, 2 * math.log(2)):
    lost = averages.clamped_loss(epsilon)
    print(f"promised {epsilon:.3f}: lost {lost:.4f}, {lost - epsilon:.4f} more, {lost / epsilon:.4g} times")

# %% [markdown]
# ## 3. Where is Proposition 5.1 nearly true?
#
# *Hint.* `objective_loss` falls with $N\Lambda$. Solve for the place where it is 1.1 times 0.5.
#
# At $N\Lambda = 2$ it becomes exactly true ($N\Lambda\varepsilon\ge1$); a tenth too much needs 0.99 or more.

# %%
spring = optimize.brentq(lambda s: regression.objective_loss(s, 0.5, regression.LOGISTIC) - 0.55, 0.1, 2.0)
print(f"N Lambda = {spring:.4f}: loss {regression.objective_loss(spring, 0.5, regression.LOGISTIC):.4f}")
print(f"N Lambda = 2: loss {regression.objective_loss(2.0, 0.5, regression.LOGISTIC):.4f}")

# %% [markdown]
# ## 4. A threshold without its epsilon
#
# *Hint.* `pass_probability(1, epsilon, threshold)` is the chance that a dataset at distance 1, which must be refused,
# passes one test.
#
# It is $\frac12e^{-\varepsilon\ln(1/\delta)}=\delta^{\varepsilon}/2$: at $\varepsilon=0.5$ half the root of $\delta$. There
# are two tests, so the $\delta$ that she truly has is $\delta^\varepsilon$, 0.001 and not a millionth.

# %%
passes = stability.pass_probability(1, 0.5, 1 + math.log(1e6))
print(f"one test passes with {passes:.6f}; both together with at most {2 * passes:.6f}; promised 0.000001")

# %% [markdown]
# ## 5. The net trace, times a hundred
#
# *Hint.* The error of printing zeros is the length of the data; `choose_sparsity` and `compressive_mechanism` with 0.1 and
# 0.9 of $\varepsilon$ are what P04 runs.
#
# At 0.01 the mechanism is far better than Laplace, and no better than printing zeros. It stops before the first
# coefficient, or takes noise for one. Zeros win by a factor of about 2 in the median, with other seeds by 1.6. That
# depends on how many of the 30 releases stop. (These tie with zeros; the worst are four times as far off.) With
# counts a hundred times as large there is something to find, and it beats zeros. But plain Laplace noise is no
# worse there, and the denoised Laplace histogram far better.

# %%
counts = data.net_trace().values
basis = sparse.haar_basis(counts.size)
for times in (1, 100):
    truth, errors = times * counts, {"compressive": [], "Laplace": [], "denoised": []}
    for seed in range(30):
        rng = np.random.default_rng(seed)
        S = choose_sparsity(truth, basis, 0.001, rng, mechanism_epsilon=0.009)
        flat = laplace_mechanism(truth, 1, 0.01, rng)
        made = compressive_mechanism(truth, basis, S, 0.009, rng), flat, sparse.keep_largest(flat, basis, S)
        for name, release in zip(errors, made, strict=True):
            errors[name].append(np.linalg.norm(release - truth))
    zeros = np.linalg.norm(truth)
    words = ", ".join(f"{name} {np.median(found) / zeros:.3g}" for name, found in errors.items())
    print(f"counts times {times}, median errors over that of printing zeros: {words}")

# %% [markdown]
# ## 6. A row of your own
#
# *Hint.* Look for an "it is easy to see", a constant that is said to be one, or a sensitivity of a ratio. Look for a
# comparison whose plain rival is missing. Take the smallest data set on which the sentence says something: one
# record, two bins.
#
# There is no answer to compute; here is the shape of a row, as `errata.toml` has it, and what ours all have.

# %%
shape = sorted(set.intersection(*(set(row) for row in rows)))
print("a row has:", ", ".join(shape))
