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
# # Answers to 08 Histograms that answer ranges
#
# A hint and a computed answer for each task "On your own" of the page. Try first; there is more than one good answer.

# %%
import math

import numpy as np
import pandas as pd
from scipy.optimize import minimize, minimize_scalar

from dpbook import data
from dpbook.histograms import (
    all_ranges,
    best_branching,
    flat_error,
    haar_error,
    hierarchical_histogram,
    inferred_error,
    level_sizes,
    range_nodes,
    squared_error,
    strategy_error,
    sum_nodes,
)

# %% [markdown]
# ## 1. The worst range
#
# *Hint.* A block saves most where a range *just* misses it. Leave out one bin at each end.

# %%
starts, stops = np.triu_indices(64)
for b in (2, 4, 8):
    ones = [np.ones(size) for size in level_sizes(64, b)]  # a tree of ones counts its nodes
    nodes, height = sum_nodes(ones, starts, stops + 1, b), len(ones)
    formula = max(2 * (b - 1) * (height - 1) + b - 2, b)
    worst = [f"{starts[k]} to {stops[k]}" for k in np.flatnonzero(nodes == nodes.max())]
    print(f"b = {b}: most nodes {nodes.max():.0f}, by the formula {formula}, for bins", *worst)
print("b = 4, (level, node):", range_nodes(1, 63, 4, 3))

# %% [markdown]
# *Answer.* All bins but the first and the last, as for $b = 2$. Each level but the top one gives $b - 1$ nodes at
# either end, the top one $b - 2$ between them. No other range needs as many.
#
# ## 2. Negative leaves
#
# *Hint.* What does the cut look at, and which way does it go? Measure bins and ranges apart.

# %%
visits = data.health_insurance()["mdvis"]
inputs = {
    "visits": np.bincount(visits.values, minlength=visits.bounds[1] + 1),
    "net trace": data.net_trace().values,
}
rows = []
for name, counts in inputs.items():
    b = 16 if counts.size > 10_000 else best_branching(counts.size, inferred_error)
    runs = []
    for seed in range(20):
        leaves = hierarchical_histogram(counts, b, 1.0, np.random.default_rng(seed))
        for way in (leaves, np.maximum(leaves, 0)):
            bins = math.sqrt(np.mean((way - counts) ** 2))
            ranges = math.sqrt(squared_error(way, counts))
            runs.append((bins, ranges, way.sum() - counts.sum()))
    medians = np.median(np.array(runs).reshape(20, 6), axis=0).reshape(2, 3)
    rows += [(name, b, "as is", *medians[0]), (name, b, "cut", *medians[1])]
names = ["input", "b", "leaves", "error, a bin", "error, a range", "total - true"]
print(pd.DataFrame(rows, columns=names).round(1).to_string(index=False))

# %% [markdown]
# *Answer.* It looks at the release only: post-processing, free. It helps bins, since no true count is negative. It
# ruins ranges. The cut only ever adds, so over a run of empty bins the gains do not cancel as noise does. About
# every second empty bin has a leaf below zero, and each of these makes the total larger. A release may hold both: the
# leaves for ranges, and the cut ones for a picture.
#
# ## 3. Search logs
#
# *Hint.* `best_branching(m, inferred_error)` needs no data, and $V_u = 2/\varepsilon^2$ turns its error into
# searches.

# %%
searches = data.search_logs().values
m, epsilon = searches.size, 0.1
best = best_branching(m, inferred_error)
errors = {f"tree, b = {best}": inferred_error(m, best), "tree, b = 2": inferred_error(m, 2)}
errors |= {"tree, b = 16": inferred_error(m, 16), "Haar": haar_error(m), "flat": flat_error(m)}
in_searches = {name: math.sqrt(2 * error) / epsilon for name, error in errors.items()}
least = min(in_searches.values())
for name, error in in_searches.items():
    print(f"{name:<13} {error:>8,.0f} searches, {error - least:>7,.0f} more than the best")
heights = {b: len(level_sizes(m, b)) for b in (best - 1, best, 16)}
print("heights:", ", ".join(f"{height} with b = {b}" for b, height in heights.items()))
measured = []
for seed in range(20):
    leaves = hierarchical_histogram(searches, best, epsilon, np.random.default_rng(seed))
    measured.append(squared_error(leaves, searches))
print(f"measured, 20 releases: {math.sqrt(np.mean(measured)):,.0f} searches")

# %% [markdown]
# *Answer.* The first line: the smallest $b$ that needs no more levels than 16 does. It is the fourth root of the
# number of bins, rounded up. The last column says how much smaller its error is than that of $b = 2$ and of Haar.
# None of it needs the data; the measured error agrees.
#
# ## 4. Short queries, and the total
#
# *Hint.* A workload is a matrix with a row for each query; a query that is asked more often has more rows. One extra
# row $(t, \dots, t)$, with $1 - t$ for each bin, spends the fraction $t$ of the budget on the total.

# %%
bins = np.eye(64)
short = np.vstack([bins, bins[:-1] + bins[1:]])
total = np.ones((len(short), 64))
tree = np.vstack([bins, np.kron(np.eye(4), np.ones(16))])


def with_total(t):
    """Bins and their total, with a share t of the budget for the total."""
    return np.vstack([(1 - t) * bins, np.full((1, 64), t)])


workloads = {"length 1 or 2": short, "half of them the total": np.vstack([short, total])}
for name, workload in workloads.items():

    def error(t, workload=workload):
        return strategy_error(with_total(t), workload)

    t = minimize_scalar(error, bounds=(1e-6, 0.9)).x
    print(f"{name}: flat {strategy_error(bins, workload):.2f} V_u,", end=" ")
    print(f"tree {strategy_error(tree, workload):.2f},", end=" ")
    print(f"flat and total {error(t):.2f} at t = {t:.3f}")

# %% [markdown]
# *Answer.* For short queries flat is by far the best of these. A tree pays for blocks that nobody asks for, and a
# total is worth nothing ($t$ is 0). If half of the queries ask for the total, release it beside the bins with the
# fraction $t$ of the budget. From the bins alone the total has the noise of all of them. The least squares of the
# matrix mechanism still use both.
#
# ## 5. Shares that beat equal ones
#
# *Hint.* Three levels, so two free numbers: minimise `inferred_error(4096, 16, shares)`. Logs keep all parts above 0.


# %%
def softmax(logs):
    """Shares that sum to 1."""
    weights = np.exp(np.append(0.0, logs))
    return weights / weights.sum()


def of_shares(logs):
    """The error with these shares of the budget."""
    return inferred_error(4096, 16, softmax(logs))


found = minimize(of_shares, [0, 0], method="Nelder-Mead")
equal = inferred_error(4096, 16)
print(f"height {len(level_sizes(4096, 16))}; equal shares {equal:.2f} V_u")
print(f"best shares, leaves first: {softmax(found.x).round(3)}: {found.fun:.2f} V_u")
print(f"gain {1 - found.fun / equal:.1%} of the mean squared error,", end=" ")
print(f"{1 - math.sqrt(found.fun / equal):.1%} of its root")

# %% [markdown]
# *Answer.* A little more for the leaves. The gain is as small as printed: with inference, equal parts are nearly the
# best for this tree.
#
# ## 6. Challenge: extra rows
#
# *Hint.* Let $A$ be the strategy (columns of sum 1) and $G = W^{\top} W$. The error is the trace of $G (A^{\top}
# A)^{-1}$ over the number of queries. Its derivative by $A$ is $-2 A (A^{\top} A)^{-1} G (A^{\top} A)^{-1}$ over that
# number. Give each bin's weights as a softmax, so that they stay above 0 and sum to 1.

# %%
workload = all_ranges(32)
gram = workload.T @ workload


def weighted(logs):
    """The weights in each column, the bin's own and the extra rows', and the strategy."""
    weights = np.exp(np.vstack([np.zeros(32), logs.reshape(-1, 32)]))
    weights /= weights.sum(axis=0)
    return weights, np.vstack([np.diag(weights[0]), weights[1:]])


def error_and_slope(logs):
    weights, strategy = weighted(logs)
    inverse = np.linalg.inv(strategy.T @ strategy)
    slope = -2 * strategy @ inverse @ gram @ inverse / len(workload)
    slope = np.vstack([np.diag(slope[:32]), slope[32:]])
    by_logs = weights * (slope - (weights * slope).sum(axis=0))
    return np.trace(gram @ inverse) / len(workload), by_logs[1:].ravel()


def search(rows, starts=6):
    """The best of several searches from random starts."""
    best = None
    for seed in range(starts):
        start = np.random.default_rng(seed).normal(-1.5, 1, rows * 32)
        bounds = [(-10, 10)] * start.size  # or a bin's own weight may vanish
        how = {"method": "L-BFGS-B", "bounds": bounds, "options": {"ftol": 1e-14, "maxfun": 100_000}}
        found = minimize(error_and_slope, start, jac=True, **how)
        best = found if best is None or found.fun < best.fun else best
    return weighted(best.x)


flat = flat_error(32)
middle = np.vstack([np.eye(32), np.where(abs(np.arange(32) - 15.5) < 8, 0.5, 0)])
before = strategy_error(middle / middle.sum(axis=0), workload)
print(f"flat {flat:.2f} V_u; `one_extra` {before:.2f}, saves {1 - before / flat:.1%}")
for rows in (1, 2, 3):
    weights, strategy = search(rows)
    error = strategy_error(strategy, workload)
    print(f"{rows} free: {error:.2f} V_u, saves {1 - error / flat:.1%};", end=" ")
    print("every fourth bin, in twentieths:")
    shares = (20 * weights[1:, 2::4]).round().astype(int)
    print(np.array(sorted(shares.tolist(), reverse=True)))

# %% [markdown]
# *Answer.* Smooth bumps. One row is a bell over the middle. Two rows are two bells that divide the bins between them,
# each falling slowly towards its end of the histogram. Where the bells are high, the bins' own weights are low. A
# bell of free shape gains nearly all that the search finds, the second adds little, and a third adds nothing. About
# half of all ranges hold the middle, more than any other place, so a soft count of the middle serves them. Its soft
# ends suit ranges that end anywhere, while a tree's blocks have hard ends. (The search finds a minimum near its
# start, which need not be the smallest of all: compare the starts.)
