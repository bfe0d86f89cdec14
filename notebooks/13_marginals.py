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
# # 13 Marginal tables of many attributes
#
# A survey with sixteen yes-or-no questions has 120 tables of two questions, and readers may want any of them. See which
# of four methods, each at the same $\varepsilon$ for all 120, still tells the truth about one.
#
# <details><summary>About 40 minutes, after 03, 04 and 08: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [12 Decision trees from private counts](12_trees.ipynb) · **Next:** [14 The sparse vector technique](14_svt.ipynb)
#
# **Assignment 13:** [five tasks, checked in a second](../exercises/releases/13_marginals.ipynb)
#
# **What you will do:** watch the errors of two methods cross. Rewrite tables in another basis and halve their error at no cost.
# Refute a sentence of the textbook (Li, Lyu, Su and Yang 2016, chapter 6) about data cubes. Numbers such as
# (6.3) are that chapter's. Follow multiplicative weights as it chooses its questions. Buy a few overlapping tables, make them agree, and answer what none of them holds. See who wins, and when.
#
# **You need:** the Laplace mechanism ([03](03_laplace.ipynb)) and the exponential mechanism ([04](04_exponential.ipynb)).
# Inference on a tree ([08](08_histograms.ipynb)) is the same idea as consistency here.
#
# **Time:** about 40 minutes, and as long again with all folds. A good place to stop is before *PriView*.
#
# **Real and synthetic:** the RAND health insurance experiment and Fair's survey are real. One table, in which $c = a$ xor
# $b$, is *synthetic*. The file of your own is invented.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import itertools
from functools import lru_cache

import numpy as np
from livefig.controls import round_numbers

from dpbook.amounts import amount
from dpbook.data.attributes import health_attributes
from dpbook.live import choice, live, log_slider, new_noise
from dpbook.marginals import (
    answer,
    covering_design,
    cube_root_shares,
    direct_marginals,
    flat_table,
    fourier_marginals,
    marginal,
    priview,
    project,
    table_error,
    table_from,
)
from dpbook.plots import COLOURS, figure, set_verdict_text, verdict_text, x_axis, y_axis

# %% jupyter={"source_hidden": true}
# Figure: four_releases(epsilon, seed): one table of two attributes from each method
names, people = health_attributes()
records = people[:, :16]
N, d = records.shape
pairs = list(itertools.combinations(range(d), 2))
affine = covering_design(16, 4, 2)


@lru_cache(maxsize=64)
def four_releases(epsilon, seed):
    """What each of four methods publishes about all pairs; after it any table is free."""
    rng = np.random.default_rng(seed)
    return (
        flat_table(records, epsilon, rng),
        dict(zip(pairs, direct_marginals(records, pairs, epsilon, rng), strict=True)),
        fourier_marginals(records, 2, epsilon, rng, shares=cube_root_shares(16, 2)),
        priview(records, affine, epsilon, rng),
    )


for epsilon in round_numbers(0.03, 10, 0.1):
    four_releases(epsilon, 2)  # before the first move
three = {f"{names[a]} × {names[b]}": (a, b) for a, b in ((10, 12), (10, 13), (6, 8))}

fig, four_axes = figure(columns=4, height=2.8, sharey=True)
four_verdict = verdict_text(fig)
four_looks = {"flat": "other", "direct": "fourth", "waves": "light", "views": "third"}
x_axis(four_axes, ticks=dict(enumerate(["none", "2nd", "1st", "both"])))
y_axis(four_axes, limits=(-9000, 21_000))
four_axes[0].set_ylabel("records (grey: true)")
wide_bars = [ax.bar(range(4), np.zeros(4), 0.9, color=COLOURS.pale) for ax in four_axes]
four_bars = []
for ax, colour in zip(four_axes, four_looks.values(), strict=True):
    four_bars.append(ax.bar(range(4), np.zeros(4), 0.45, color=getattr(COLOURS, colour)))
    ax.axhline(0, color=COLOURS.grey, linewidth=0.8)
    ax.set_title(" ", fontsize=10)
    ax.tick_params("x", labelsize=8)


def set_bars(bars, heights):
    for bar, height in zip(bars, np.ravel(heights), strict=True):
        bar.set_height(height)


def update_four(two, epsilon, seed):
    flat, direct, waves, views = four_releases(epsilon, seed)
    truth = marginal(records, two)
    tables = [project(flat, range(16), two), direct[two]]
    tables += [table_from(waves, two), answer(views, two)]
    worst, told = {}, []
    panels = zip(four_axes, four_looks, wide_bars, four_bars, tables, strict=True)
    for ax, name, wide, bars, table in panels:
        set_bars(wide, truth)
        set_bars(bars, table)
        worst[name] = np.abs(table - truth).max()
        told.append(f"{name} {table_error(table, truth):,.0f}")
        ax.title.set_text(f"{name}: off by {amount(worst[name], 2)}")
    best = min(worst, key=worst.get)
    words = f"best {best}, off by at most {amount(worst[best], 2)} of {N:,} records"
    set_verdict_text(four_verdict, None, f"epsilon {amount(epsilon)}: {words}")
    words = f"Grey: the true table of {names[two[0]]} × {names[two[1]]}."
    return f"{words} Error distance in records: {', '.join(told)}"


live(
    fig,
    update_four,
    "Four panels with the four cells of one table as bars: the true counts in grey, and in "
    "front of them those released by flat, direct, waves and views. At small epsilon flat "
    "and direct are far off, some bars below zero.",
    task=r"play epsilon from 0.1. Which method is the last to become accurate?",
    play="epsilon",
    two=choice(three, (10, 12), label="table"),
    epsilon=log_slider(0.03, 10, 0.1),
    seed=new_noise(2),
)

# %% [markdown]
# **What you saw.** All four methods keep the same guarantee. [At epsilon 0.03](#move:epsilon=0.03) some may report negative
# numbers of people; [at epsilon 10](#move:epsilon=10) all nearly agree with the truth. This page explains them: *flat* and *direct*
# are naive, *waves* change the basis, *views* release a few overlapping tables and make them agree.
#
# ## The data and the question
#
# One record is a person in a year: sixteen answers of 0 or 1. (Sixteen more are used near the end.) The thresholds are
# public, such as "five visits to a doctor or more". A **marginal table** (a contingency table) over some attributes
# counts the records with each combination of their values.

# %% jupyter={"source_hidden": true}
# What this page imports
import json
import math
import pathlib
import tempfile
from functools import cache

import pandas as pd

from dpbook.data.attributes import affairs_attributes, exclusive_or, read_categories
from dpbook.gaussian import gaussian_scale, normal_probability
from dpbook.guesses import predict
from dpbook.live import show_source, slider
from dpbook.marginals import (
    Synopsis,
    best_polynomial,
    choose_cubes,
    consistent,
    covering_bound,
    cube_error,
    cut_at_zero,
    direct_error,
    dppro,
    flat_error,
    fourier_error,
    fourth_root_scales,
    gaussian_wave_error,
    gaussian_waves,
    guideline_error,
    information_sensitivity,
    kenthapadi_scale,
    least_norm,
    least_violation,
    marginals,
    maximum_entropy,
    multiplicative_update,
    mutual_consistency,
    mwem,
    mwem_rounds,
    nearest_nonnegative,
    noisy_views,
    nonnegative_table,
    plain_consistent,
    polynomial_error,
    polynomial_sensitivity,
    printed_consistency,
    privbayes,
    quality_sensitivity,
    ripple,
    squared_distances,
    table_divergence,
    view_error,
    walsh,
    walsh_coefficients,
)
from dpbook.plots import curves, legend_above, own_point, set_curves, set_own_point

# %% jupyter={"source_hidden": true}
# Computed: the attributes, how many tables they have, and one of them
triples = list(itertools.combinations(range(d), 3))
print(", ".join(names[:8]) + ",")
print(", ".join(names[8:d]))
print(f"{N:,} records; tables of two {len(pairs)}, of three {len(triples)},", end=" ")
print(f"of four {math.comb(d, 4):,}")
filled = len(np.unique(records, axis=0))
print(f"the table of all {d}: {2**d:,} cells, of which {filled:,} hold somebody")
rows, columns = ["no doctor", "doctor"], ["no drugs", "drugs"]
pd.DataFrame(marginal(records, (10, 12)).astype(int), index=rows, columns=columns)

# %% [markdown]
# There are $d$ attributes and $N$ records; a table of $k$ attributes has $2^k$ cells. Neighbours are two data sets of
# which one has **one record more** (add/remove). That moves one cell of every table by 1. A person has up to five
# records here. To protect persons (user-level privacy), divide $\varepsilon$ by five.
#
# The error of a table is the distance between released and true cells, $\sqrt{\sum (\tilde T - T)^2}$, in records or divided
# by $N$. Its expected square comes in units of $V_u = 2/\varepsilon^2$, the variance of one count with noise of scale
# $1/\varepsilon$. (The textbook also uses the Jensen-Shannon divergence. It is not defined for a table with a negative cell,
# and noisy tables have such cells: erratum [E46](22_errata.ipynb#E46).)

# %% jupyter={"source_hidden": true}
# Computed: both errors of a noisy table of four cells, one of them negative
noisy_cells, true_cells = np.array([5, 3, 2, -1]), np.array([6, 2, 1, 1])
print(f"error distance {table_error(noisy_cells, true_cells):.4f} = sqrt 7")
try:
    table_divergence(noisy_cells, true_cells)
except ValueError as refused:
    print("divergence:", str(refused).split(";")[0])
divergence = table_divergence(cut_at_zero(noisy_cells), true_cells)
print(f"with the -1 cut to 0: {divergence:.7f} nats (of ln 2 at most)")

# %% [markdown]
# ## Two naive attempts
#
# **Every table with noise of scale $1/\varepsilon$**, since "each table is $\varepsilon$-DP". Each one is; all of them
# together are not. How many numbers does one record move, and how far?

# %%
tables, with_one_less = marginals(records, triples), marginals(records[:-1], triples)
moved = sum(np.abs(a - b).sum() for a, b in zip(tables, with_one_less, strict=True))
print(f"one record moves {moved:.0f} of the released numbers by 1 each")
print(f"so at 'epsilon = 1' the exact loss of the {len(triples)} tables together", end=" ")
print(f"is {moved * 1:.0f}")

# %% [markdown]
# **Only the interesting tables**: pick the pair with the strongest correlation and spend $\varepsilon$ on it alone. Its numbers
# are noisy, but the *choice* of the table is not. Below, a clinic holds 60 of the records; with one record more it publishes
# another table.


# %%
def strongest_pair(people):
    """Which table the clinic publishes: the pair whose answers agree, or disagree, most often.
    No noise.
    """
    agreement = walsh_coefficients(people[:, [0, 1, 6, 9, 10, 14]], 2)
    strength = {chosen: abs(told) for chosen, told in agreement.items() if len(chosen) == 2}
    return max(strength, key=strength.get)


# %% jupyter={"source_hidden": true}
# Computed: a clinic of 60 records, and one record that changes which table it publishes
for start in range(0, 6000, 60):
    clinic = records[start : start + 60]
    shown = strongest_pair(clinic)
    joined = (strongest_pair(np.vstack([clinic, person])) for person in records[:400])
    changed = next((pair for pair in joined if pair != shown), None)
    if changed:
        break
labels = np.array(names)[[0, 1, 6, 9, 10, 14]]
for who, pair in (("clinic", shown), ("clinic and one record more", changed)):
    print(f"{who:>26}: publishes {labels[pair[0]]} x {labels[pair[1]]}")
print("an event of probability 1 against 0:", end=" ")
print("the loss is infinite, whatever the noise on the cells")

# %% [markdown]
# So either fix the tables without looking at the data, or choose them by a mechanism that pays for the choice.
#
# ## Flat and Direct: two error laws that cross
#
# **Flat:** release the table of *all* attributes once, with noise of scale $1/\varepsilon$ on every cell, and add up
# its cells. A record is in one cell, so this is $\varepsilon$-DP. Whatever $k$ is, the noise of all $2^d$ cells ends up
# in the table: the expected squared error is $2^d\,V_u$ (6.3).
#
# **Direct:** release the $m = \binom dk$ wanted tables. A record is in one cell of each, so the noise has scale
# $m/\varepsilon$. The expected squared error is $2^k m^2\,V_u$ (6.4).

# %%
show_source(flat_table)
show_source(direct_marginals)

# %% jupyter={"source_hidden": true}
# Computed: how many attributes Direct needs to beat Flat, and both errors for sixteen
rows = []
for k in (2, 3, 4, 5):
    overtakes = next(n for n in range(2 * k + 1, 60) if direct_error(n, k) < flat_error(n, k))
    errors = [math.sqrt(2 * error(16, k)) / N for error in (flat_error, direct_error)]
    rows.append((k, overtakes, *errors))
print("Direct is better than Flat from so many attributes on;", end=" ")
print("errors for our 16, over N, at epsilon 1")
columns = ["k", "Direct from d", "Flat", "Direct"]
print(pd.DataFrame(rows, columns=columns).round(3).to_string(index=False))

# %% [markdown]
# The next figure comes from formulas alone. Waves and views are explained below. Above the dotted line the error exceeds a
# tenth of the records, which is useless to almost everyone.

# %%
WIDTHS = np.arange(4, 33, 2)


def law_lines(k, noise):
    """Errors against d for each method, in the variance of one count released alone; views of
    at most 8 attributes that cover all pairs, for k = 2 only.
    """
    return np.array([law_errors(int(n), k, noise == "Gaussian") for n in WIDTHS]).T


@cache
def law_errors(n, k, gaussian):
    """Flat, Direct, waves with equal and with the best scales, views: one error each. Under
    Gaussian noise m tables need the root of m times the noise of one, not m times.
    """
    if n < k:
        return [np.nan] * 5
    views = covering_design(n, min(n, 8), 2)
    pairs_of_n = itertools.combinations(range(n), 2)
    by_views = np.mean([view_error(views, pair) for pair in pairs_of_n]) if k == 2 else np.nan
    direct, equal = direct_error(n, k), fourier_error(n, k)
    if gaussian:
        tables, waves = math.comb(n, k), math.sqrt(equal)
        best = gaussian_wave_error(n, k)
        return [flat_error(n, k), direct / tables, equal / waves, best, by_views / len(views)]
    best = fourier_error(n, k, shares=cube_root_shares(n, k))
    return [flat_error(n, k), direct, equal, best, by_views]


def count_deviation(epsilon, noise):
    """The standard deviation of the noise of one count, released alone."""
    return gaussian_scale(1, epsilon, DELTA) if noise == "Gaussian" else math.sqrt(2) / epsilon


DELTA = 1e-6

# %% jupyter={"source_hidden": true}
# Computed: the error laws of five methods, with Laplace and with Gaussian noise
rows = []
for noise in ("Laplace", "Gaussian"):
    errors = np.sqrt(law_errors(16, 2, noise == "Gaussian")) * count_deviation(1, noise) / N
    rows.append((noise, *errors))
columns = ["noise", "flat", "direct", "waves, equal", "waves, best", "6 views of 8"]
print("a pair of our 16 attributes, epsilon 1, delta 0 or a millionth: error in N")
print(pd.DataFrame(rows, columns=columns).round(4).to_string(index=False))

# %% jupyter={"source_hidden": true}
# Figure: law_lines(k, noise), in records: the error of a table by the number of attributes
fig, law_axes = figure(height=3.4)
law_verdict = verdict_text(law_axes)
law_looks = {"flat": "other", "direct": "true", "equal waves": "light --"}
law_looks |= {"best waves": "noisy", "views of 8": "third"}
x_axis(law_axes, "attributes d", (4, 32))
y_axis(law_axes, "error distance / N", (1e-5, 1e3), [1e-4, 0.01, 1, 100], log=True)
law_curves = curves(law_axes, WIDTHS, law_looks, ends=True, linewidth=2)
law_axes.axhline(0.1, color=COLOURS.grey, linestyle=":")
law_axes.text(4.3, 0.13, "useless above", color=COLOURS.grey)
law_lines(2, "Gaussian")  # before the first move
COUNTS = [1_000, 5_000, 20_190, 100_000, 1_000_000, 10_000_000]


def update_laws(k, people_count, epsilon, noise):
    errors = np.sqrt(law_lines(k, noise)) * count_deviation(epsilon, noise) / people_count
    set_curves(law_curves, errors)
    law_curves.ends[-1].set_visible(k == 2)
    of_16 = dict(zip(law_looks, errors[:, WIDTHS.tolist().index(16)], strict=True))
    of_16 = {name: off for name, off in of_16.items() if off == off}
    best = min(of_16, key=of_16.get)
    words = f"smallest error at d = 16: {best}, {amount(100 * of_16[best], 2)}%"
    set_verdict_text(law_verdict, None, words)
    told = ", ".join(f"{name} {amount(off)}" for name, off in of_16.items())
    return f"16 attributes, k = {k}, as a fraction of {people_count:,} records: {told}"


live(
    fig,
    update_laws,
    "Error of a table, as a fraction of the records, against the number of attributes: "
    "flat grows exponentially; for pairs with Laplace noise it crosses direct, and from 14 "
    "attributes on waves and views are below both.",
    task=r"where do flat and direct cross? Does that depend on $N$ or $\varepsilon$?",
    k=choice([2, 3, 4, 5], 2, label="attributes a table, k"),
    people_count=choice(COUNTS, 20_190, label="records N"),
    epsilon=log_slider(0.01, 10, 1.0),
    noise=choice(["Laplace", "Gaussian"], "Laplace", label="noise (Gaussian: δ = 10⁻⁶)"),
)

# %% [markdown]
# **The order depends on the guarantee.** Under pure $\varepsilon$-DP the noise follows the $L_1$ sensitivity: $m$ for $m$
# tables. The Gaussian mechanism ([24](24_gaussian.ipynb)) guarantees $(\varepsilon, \delta)$-DP, and its noise follows the
# $L_2$ sensitivity, $\sqrt m$. [Switch to Gaussian noise](#move:noise=Gaussian): Flat gains nothing, Direct and the waves
# gain most, and the best waves pass the views. How many records make pairs of 32 attributes useful
# [at epsilon 0.1](#move:epsilon=0.1&noise=Laplace)?
#
# ## Waves on a cube
#
# Pairs overlap: the tables of $(a, b)$ and $(a, c)$ both say how many records have $a$, and Direct pays for that each
# time. Write a table in another basis, in which nothing is said twice. For a set $b$ of attributes let
#
# $$F_b = \sum_{\text{records } x} (-1)^{\text{number of } a \in b \text{ with } x_a = 1}.$$
#
# $F_\emptyset = N$; $F_{\{a\}}$ is the noes minus the yeses; $F_{\{a,b\}}$ is the equal pairs of answers minus the
# unequal ones. These *Walsh coefficients* (the Fourier coefficients of a table of bits, here *waves*) of the $2^k$
# subsets of $A$ **are** the table over $A$:
#
# $$T_A(x) = 2^{-k} \sum_{b \subseteq A} (-1)^{b \cdot x} F_b .$$

# %%
doctor_drugs = marginal(records, (10, 12))
print("table, doctor x drugs:", doctor_drugs.ravel())
print("its coefficients:", walsh(doctor_drugs).ravel())
counted = walsh_coefficients(records, 2)
four_sets = (), (12,), (10,), (10, 12)
print("the same, counted directly:", [counted[chosen] for chosen in four_sets])
assert np.array_equal(table_from(counted, (10, 12)), doctor_drugs)

# %% [markdown]
# All tables of up to $k$ attributes need the coefficients of all sets of up to $k$: $m = \sum_{j \le k} \binom dj$ of them.
# **One record moves each by exactly 1**, up or down. So noise of scale $m/\varepsilon$ on each makes the release
# $\varepsilon$-DP. The squared error of a table is $m^2\,V_u$, and all tables agree, since they come from one list.
#
# Equal fractions of $\varepsilon$ are not best. A coefficient of $j$ attributes is used by $\binom{d-j}{k-j}$ tables.
# Fractions in proportion to the **cube root** of that number minimise the sum of all squared errors.
#
# <details><summary>Proof: one record moves each coefficient by 1; then set a derivative to zero.</summary>
#
# The log ratio of the densities under neighbours is at most $m \cdot \varepsilon / m = \varepsilon$. A table sums $2^k$
# coefficients, each divided by $2^k$, in each of $2^k$ cells: its squared error is $2^k \cdot 4^{-k} \cdot 2^k m^2 V_u = m^2\,V_u$.
# "This has similar accuracy as the Direct method", says the textbook (6.2.3; erratum [E48](22_errata.ipynb#E48)); the table
# below shows how similar.
#
# For the fractions, minimise $\sum_j n_j u_j / s_j^2$ subject to $\sum_j n_j s_j = 1$. Here $n_j$ is the number of coefficients of
# $j$ attributes and $u_j$ the number of tables that use one. The derivative is zero where $s_j \propto u_j^{1/3}$.
#
# </details>

# %%
show_source(fourier_marginals)
show_source(cube_root_shares)

# %% jupyter={"source_hidden": true}
# Computed: Direct against waves, with equal fractions of epsilon and with cube roots
rows = []
for n, k in ((16, 2), (16, 3), (32, 2), (32, 4)):
    equal, best = fourier_error(n, k), fourier_error(n, k, shares=cube_root_shares(n, k))
    errors = direct_error(n, k), equal, best
    ratios = errors[0] / equal, equal / best
    rows.append((n, k, *(f"{error:,.0f}" for error in errors), *ratios))
columns = ["d", "k", "Direct, V_u", "equal", "cube roots", "Direct/equal", "equal/cube roots"]
told = pd.DataFrame(rows, columns=columns)
print(told.to_string(index=False, float_format="{:,.2f}".format))
for k in (2, 3):
    shares = {n: cube_root_shares(n, k) for n in range(k, 33)}
    first = next(n for n in shares if fourier_error(n, k, shares=shares[n]) < flat_error(n, k))
    print(f"tables of {k}: waves with cube roots beat Flat from {first} attributes on")

# %% [markdown]
# "Similar" turns out to be a factor of 3 to 12, and cube roots give another 2 to 6 at no cost. (Barak and others proposed the
# method in 2007, Yaroslavtsev and others the weights in 2013.)
#
# <details><summary>Proof: with Gaussian noise the waves are optimal, because they attain the singular value bound.</summary>
#
# The *matrix mechanism* ([08](08_histograms.ipynb)) releases some linear *strategy* with noise and infers the queries
# from it. **HDMM** (McKenna and others 2018) searches for good strategies of many attributes. Li and Miklau (2013)
# prove a bound that no strategy can beat. Count squared errors in units of the variance of one count, released alone
# with the same noise and guarantee. Their sum over all queries is at least $s^2/n$. Here $s$ is the sum of the singular
# values of the query matrix, and $n$ the number of cells. The waves are the singular vectors of "all tables of $k$".
# Scales with the inverse *fourth* root of the number of tables attain the bound. ResidualPlanner (Xiao and others 2023)
# does the same for attributes of any size.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: the singular value bound, and what the waves attain
some_cells = np.array(list(np.ndindex((2,) * 6)))
queries = [
    (some_cells[:, list(pair)] == values).all(axis=1)
    for pair in itertools.combinations(range(6), 2)
    for values in np.ndindex(2, 2)
]
bound = np.linalg.svd(np.array(queries, float), compute_uv=False).sum() ** 2 / 2**6
attained, of_16 = 15 * gaussian_wave_error(6, 2), gaussian_wave_error(16, 2)
print(f"all pairs of 6 attributes: bound {bound:.3f}, waves {attained:.3f}")
print(f"a pair of 16: waves {of_16:.1f}, Direct {4 * 120} variances of a count;", end=" ")
print(f"scales for 0, 1 and 2 attributes {fourth_root_scales(16, 2).round(2)}")

# %% [markdown]
# <details><summary>Side result: a linear programme removes the negative cells, and may increase the error.</summary>
#
# The tables agree, but cells can be negative. Barak's remedy is a linear programme over the full table: it finds the
# non-negative table whose largest coefficient error is smallest. It has $2^d$ unknowns, which is no trouble for the eight
# questions of Fair's survey, and it costs no privacy. It minimises the largest error of a coefficient, so the error of a
# table may well grow.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: Fair's survey, with and without the linear programme
_, women = affairs_attributes()
fair_pairs = list(itertools.combinations(range(8), 2))
fair_truth = marginals(women, fair_pairs)
rows, shares = [], cube_root_shares(8, 2)
for seed in range(20):
    rng = np.random.default_rng(seed)
    noisy_waves = fourier_marginals(women, 2, 0.1, rng, shares=shares)
    full = nonnegative_table(noisy_waves, 8)
    tables = (
        [table_from(noisy_waves, pair) for pair in fair_pairs],
        [project(full, range(8), pair) for pair in fair_pairs],
    )
    errors = [np.mean([*map(table_error, some, fair_truth)]) for some in tables]
    rows.append((*errors, *(min(table.min() for table in some) for some in tables)))
before, after, lowest, lowest_after = np.median(rows, axis=0)
print("Fair's survey, epsilon 0.1, medians of 20 releases:", end=" ")
print(f"error {before:.0f} records, with the programme {after:.0f}")
print(f"lowest cell of all pairs {lowest:.0f}, with the programme {lowest_after:.0f}")

# %% [markdown]
# ## Which tables to buy: data cubes
#
# Between Flat (one table of all attributes) and Direct (every wanted table) lies a compromise. Buy a few tables of
# middle size that *contain* all the wanted ones; with $w$ tables, each gets $\varepsilon / w$. A cell of a wanted table
# is the sum of $2^{|V|-k}$ cells of a bought one $V$, so its variance is $w^2\,2^{|V|-k}\,V_u$. Ding and others (2011)
# choose the tables by such a criterion. The textbook says (6.2.4): for yes-or-no attributes this "will lead it to
# choose to publish the full contingency table".

# %% jupyter={"source_hidden": true}
# Computed: the tables with the smallest variance of a cell, for 8 to 14 attributes
rows = []
for n in range(8, 15):
    views = choose_cubes(n, 2)
    variances = cube_error(views, 2), cube_error([tuple(range(n))], 2)
    rows.append((n, len(views), max(map(len, views)), *variances))
print("pairs: the tables with the smallest variance of a cell, in V_u")
columns = ["d", "tables", "attributes of the largest", "variance", "of the full table"]
told = pd.DataFrame(rows, columns=columns)
print(told.to_string(index=False, float_format="{:,.0f}".format))
seven = choose_cubes(11, 2)
print("eleven attributes:", *seven[:4])
print("                  ", *seven[4:])

# %% [markdown]
# For the worst cell it is true up to ten attributes and **false** beyond (erratum [E49](22_errata.ipynb#E49)). There
# the seven tables printed, with variance 392, beat the full table with 512. They are the lines of Fano's plane: seven
# points, any two on one line; four of the points stand for two attributes each. At sixteen, twenty tables of four are
# ten times better than the full table.

# %% jupyter={"source_hidden": true}
# Computed: twenty tables of four that contain every pair of sixteen attributes
print(len(affine), "tables of 4:", *affine[:4], "...")
print(f"variance of a cell of a pair: {cube_error(affine, 2):,.0f} V_u;", end=" ")
print(f"full table {2**14:,}; Direct {len(pairs) ** 2:,}")

# %% [markdown]
# ## Multiplicative weights: ask only what surprises
#
# MWEM (Hardt, Ligett, McSherry 2012) keeps a full table, uniform at first. Each of $T$ rounds has three steps:
#
# 1. **select** by the exponential mechanism the marginal that the table gets most wrong, with half of $\varepsilon/T$;
# 2. **measure** that marginal with Laplace noise, with the other half;
# 3. **update** the table multiplicatively towards everything measured so far, in several passes.
#
# The score of a marginal is $\sum |T - \tilde T|$, which one record moves by at most 1.
#
# **Look at the argument `total`.** The update needs the number of records, which is not public under add/remove
# neighbours (erratum [E58](22_errata.ipynb#E58)). Published experiments use the exact number. Then the total of the
# released table *is* $N$, and two neighbours can be told apart with certainty, at any $\varepsilon$.

# %%
show_source(mwem_rounds)
show_source(multiplicative_update)

# %% jupyter={"source_hidden": true}
# Computed: the released total of two neighbours, with the exact N and with a bought one
for some in (records[:500, :4], records[:501, :4]):
    leaky = mwem(some, 2, 3, len(some), 0.01, np.random.default_rng(1))
    bought = len(some) + np.random.default_rng(2).laplace(scale=1 / 0.005)
    honest = mwem(some, 2, 3, max(bought, 1.0), 0.005, np.random.default_rng(1))
    print(f"{len(some)} records, epsilon 0.01: total released {leaky.sum():.6f};", end=" ")
    print(f"bought with half: {honest.sum():.1f}")

# %% [markdown]
# The figure follows MWEM on the first ten attributes and takes the number of records as public.

# %%
ten = records[:, :10]
ten_pairs = list(itertools.combinations(range(10), 2))
ten_truth = marginals(ten, ten_pairs)


@lru_cache(maxsize=64)
def mwem_story(rounds, passes, epsilon, seed):
    """After each round: which pair it bought, and the mean error of all pairs, divided by
    N.
    """
    story, rng = [], np.random.default_rng(seed)
    for step in mwem_rounds(ten, 2, rounds, N, epsilon, rng, passes=passes):
        misses = walsh(step.table).ravel()[pair_waves] - true_waves
        # the error of a table of four cells, from its four waves
        errors = np.linalg.norm(misses, axis=1) / 2
        story.append((step.attributes, np.mean(errors) / N))
    return story


def waves_of(pair):
    """Where the four Walsh coefficients of a pair stand among those of ten attributes."""
    place = tuple(slice(None) if axis in pair else 0 for axis in range(10))
    return np.arange(2**10).reshape([2] * 10)[place].ravel()


pair_waves = np.array([waves_of(pair) for pair in ten_pairs])
true_waves = np.array([walsh(t).ravel() for t in ten_truth])
for epsilon in round_numbers(0.01, 10, 1.0):
    mwem_story(8, 3, epsilon, 1)  # before the first move


def mean_error(synopsis, sets, truth):
    """The mean error of the tables over `sets`, divided by N."""
    told = [answer(synopsis, some) for some in sets]
    return np.mean([table_error(table, t) for table, t in zip(told, truth, strict=True)]) / N


singles = Synopsis([(a,) for a in range(10)], [marginal(ten, (a,)) for a in range(10)])
alone = mean_error(singles, ten_pairs, ten_truth)

# %% jupyter={"source_hidden": true}
# Figure: mwem_story(rounds, passes, epsilon, seed): the error after each round
fig, mwem_axes = figure(height=3.2)
mwem_verdict = verdict_text(mwem_axes)
x_axis(mwem_axes, "round", (0.5, 24.5))
y_axis(mwem_axes, "mean error of a pair / N", (1e-4, 1), [1e-4, 0.001, 0.01, 0.1, 1], log=True)
mwem_looks = {"MWEM": "noisy o-", "flat, expected": "other --"}
mwem_looks |= {"singles, independent": "grey :"}
mwem_curves = curves(mwem_axes, np.arange(1, 25), mwem_looks, linewidth=2)
legend_above(fig)


def update_mwem(rounds, passes, epsilon, seed):
    story = mwem_story(rounds, passes, epsilon, seed)
    flat = math.sqrt(2 * flat_error(10, 2)) / epsilon / N
    errors = np.full(24, np.nan)
    errors[:rounds] = [error for _, error in story]
    set_curves(mwem_curves, [errors, flat, alone])
    words = f"{rounds} rounds: a pair is off by {story[-1][1]:.2%}, flat by {flat:.2%}"
    set_verdict_text(mwem_verdict, None, words)
    first = "; ".join(f"{names[a]} × {names[b]}" for (a, b), _ in story[:4])
    return f"chosen first: {first}. Error after {rounds} rounds {story[-1][1]:.4f} N"


question = "With 24 rounds instead of 8, what is the error at the end?"
live(
    fig,
    update_mwem,
    "Mean error of a pair after each round of MWEM, falling at first and then flat or noisy; "
    "a dashed line for the flat release and a dotted one for the true single attributes "
    "taken as independent.",
    task=r"which tables does it choose first? At $\varepsilon = 0.1$, which $T$ is best?",
    guess=predict(question, (0.001, 0.3, " N"), r"rounds ([\d.]+) N", rounds=24),
    rounds=choice([2, 4, 8, 12, 16, 24], 8, label="rounds T"),
    passes=choice([1, 2, 3, 8], 3),
    epsilon=log_slider(0.01, 10, 1.0),
    seed=new_noise(1),
)

# %% [markdown]
# With [24 rounds at epsilon 0.01](#move:rounds=24&epsilon=0.01) each round has too little budget to measure anything.
# [Eight rounds](#move:rounds=8&epsilon=0.01) do better. Passes cost no privacy: they only fit the table to what was measured.
#
# ## A database as a polynomial
#
# Thaler, Ullman and Vadhan (2012) release the coefficients of a polynomial from which every cell can be computed. For
# yes-or-no attributes waves are better: for pairs, the exact polynomial has 16 times their squared error.
#
# <details><summary>Proof: degree k is exact, and its coefficients are more sensitive than waves.</summary>
#
# A cell with $k$ literals ($x_a = v_a$) counts the records that violate none of them. With $s$ violated literals, that is the
# indicator of $s = 0$. Replace it by a polynomial $p(s)$ of low degree with $p(0) = 1$ and $|p(1)|, \dots, |p(k)| \le \gamma$.
# The textbook's table, for $k = 2$ and 4, takes $2\lceil\sqrt k\rceil \log_2(1/\gamma)$ for the degree (erratum
# [E50](22_errata.ipynb#E50)). None of its degrees is below $k$, and **degree $k$ is exact**: $\prod_j (1 - s/j)$ is 1 at 0 and
# 0 at $1, \dots, k$.
#
# How much noise? One record is in one cell of each table of $j$ attributes. So, in $L_1$, it moves all coefficients
# together by $\sum_j \binom dj |\Delta^j p(0)|$, where $\Delta^j p(0)$ are the differences of $p$ at 0. That is far
# less than in the textbook, where it grows with the number of terms and with two to the power of the degree. It is
# still too much.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: degrees, terms, sensitivity and noise of the polynomials
for order in (2, 4):
    gammas = [f"{best_polynomial(order, degree).gamma:.4f}" for degree in range(order + 1)]
    print(f"k = {order}: smallest gamma by degree 0, 1, ...:", *gammas)
print("degrees by the rule and numbers of terms, for k = 2 with d = 9 and k = 4 with d = 32:")
for gamma in (1 / 2, 1 / 4, 1 / 8):
    low, high = (2 * math.ceil(math.sqrt(k)) * round(math.log2(1 / gamma)) for k in (2, 4))
    few, many = (amount(math.comb(2 * n + k, k)) for n, k in ((9, low), (32, high)))
    print(f"    gamma {gamma}: degrees {low} and {high}, {few} and {many} terms")
print(f"exact for d = 9, k = 2 with degree 2: {math.comb(20, 2)} terms;", end=" ")
print(f"for d = 32, k = 4 {math.comb(68, 4):,},")
print(f"of which {sum(math.comb(32, j) * 2**j for j in range(5)):,} are not 0")

rows = []
for degree in (1, 2):
    moved, noise = (f(16, 2, degree) for f in (polynomial_sensitivity, polynomial_error))
    rows.append((degree, best_polynomial(2, degree).gamma, moved, noise))
columns = ["degree", "gamma", "L1 sensitivity", "noise, V_u"]
print(pd.DataFrame(rows, columns=columns).round(2).to_string(index=False))
of_waves = fourier_error(16, 2)
times = rows[1][3] / of_waves
print(f"waves: {of_waves:,.0f} V_u; the exact polynomial is {times:.0f} = 4^k times that")
bias = best_polynomial(2, 1).gamma
print(f"degree 1 has little noise, but counts ±{bias:.2f} of a record", end=" ")
print("that violates a literal: useless")

# %% [markdown]
# ## PriView: few views, made to agree
#
# Qardaji, Yang and Li (2014) buy $w$ tables of a middle size, the *views*, each with noise of scale $w/\varepsilon$.
# Then they never look at the data again. So far, data cubes. Three steps are new:
#
# 1. make the views **agree** where they overlap (consistency): each learns from all others;
# 2. deal with cells **below zero**;
# 3. answer tables that **no view holds**.
#
# Six views of eight attributes hold every pair of sixteen: four groups of four attributes, two groups to a view.

# %%
show_source(noisy_views)
show_source(priview)
eights = covering_design(16, 8, 2)
print(len(eights), "views, no design has fewer than", covering_bound(16, 8, 2))
raw = noisy_views(records, eights, 1, np.random.default_rng(1))
for view, table in zip(eights, raw, strict=True):
    print(f"total in view {view}: {table.sum():,.0f}")

# %% [markdown]
# Six views, six totals. The textbook makes the views agree on $A = V_1 \cap \dots \cap V_j$ in two steps. It averages
# their projections on $A$ (6.6). Then it distributes each view's difference evenly over the cells that add up to a cell
# of $A$. Our copy divides by $2^{|V|} - |A|$; there are $2^{|V| - |A|}$ such cells, as in its example (erratum
# [E51](22_errata.ipynb#E51)).

# %% jupyter={"source_hidden": true}
# Computed: the textbook's example with the right divisor and with that of our copy
book_views = [(1, 2), (1, 3)]
book_tables = [[[0.3, 0.3], [0.3, 0.1]], [[0.2, 0.3], [0.1, 0.4]]]
for rule in (mutual_consistency, printed_consistency):
    agreed = rule(book_views, book_tables, (1,))
    print(f"{rule.__name__}:", *(np.round(table.ravel(), 4) for table in agreed))
    pieces = zip(agreed, book_views, strict=True)
    print("    on attribute 1:", *(project(*piece, (1,)).round(4) for piece in pieces))

# %% [markdown]
# The textbook works through all intersections, smallest first. **In waves the whole procedure is one line:** average
# the copies of every $F_b$, with weights $2^{-|V|}$. That makes all views agree, in any order.
#
# <details><summary>Proof: the weighted mean of each coefficient is the least-squares fit.</summary>
#
# A view holds a noisy copy of $F_b$ for each $b \subseteq V$. A copy from a view of $2^{|V|}$ cells has variance $2^{|V|}$ times
# that of a cell, hence the weights. (The textbook's plain mean is for views of one size, as it says: erratum
# [E52](22_errata.ipynb#E52).) The transform of a view is orthogonal up to a factor. So independent errors of equal variance in the cells become
# uncorrelated errors of equal variance in the coefficients. Different views have independent noise. So the
# weighted mean, coefficient by coefficient, *is* least squares over all tables that agree.
#
# </details>

# %%
show_source(plain_consistent)  # consistent does the same for all waves at once

# %% jupyter={"source_hidden": true}
# Computed: consistent(views, tables) is least squares, on views of four sizes
mixed = [(0, 1, 2, 3), (3, 4), (1,), (4, 0, 2)]
tables = noisy_views(records, mixed, 0.05, np.random.default_rng(3))
cells = np.array(list(np.ndindex(*[2] * 5)))
design = [
    (cells[:, list(v)] == c).all(axis=1)
    for v, t in zip(mixed, tables, strict=True)
    for c in np.ndindex(t.shape)
]
design = np.array(design, dtype=float)
bought = np.concatenate([t.ravel() for t in tables])
fitted = design @ np.linalg.lstsq(design, bought, rcond=None)[0]
gap = np.abs(np.concatenate([t.ravel() for t in consistent(mixed, tables)]) - fitted).max()
assert gap < 1e-6
print("views of 4, 2, 1 and 3 attributes against least squares: equal to one millionth")

# %%
three_views = [(10, 12, 13), (10, 12, 6), (12, 13, 6)]
three_truth = marginals(records, three_views)
rules = {
    "as bought": lambda tables: tables,
    "as in our copy": lambda tables: printed_consistency(three_views, tables, (10, 12)),
    "two agree": lambda tables: mutual_consistency(three_views, tables, (10, 12)),
    "all three": lambda tables: consistent(three_views, tables),
}


# %% jupyter={"source_hidden": true}
# Figure: noisy_views(records, three_views, 1, rng), and what each rule makes of them
def paired_bars(ax, number, looks):
    """Two bars beside each other at each place; `looks` has a colour and a hatch a label."""
    style = {"width": 0.38, "ec": "black"}
    return [
        ax.bar(np.arange(number) + x, np.zeros(number), color=c, hatch=h, label=label, **style)
        for x, (label, (c, h)) in zip((-0.2, 0.2), looks.items(), strict=True)
    ]


fig, (agree_axes, view_axes) = figure(columns=2, height=3.2, sharey=True)
agree_verdict = verdict_text(agree_axes)
looks = {"with hospital": (COLOURS.noisy, ""), "with good health": (COLOURS.amber, "//")}
agree_bars = paired_bars(agree_axes, 4, looks)
view_bars = view_axes.bar(range(8), np.zeros(8), 0.7, color=COLOURS.third, ec="black")
x_axis(agree_axes, "doctor, drugs", ticks=dict(enumerate(["00", "01", "10", "11"])))
x_axis(view_axes, "doctor, drugs, hospital", ticks={n: f"{n:03b}" for n in range(8)})
y_axis(agree_axes, "error / scale of the noise", (-6, 6))
for axes in (agree_axes, view_axes):
    axes.axhline(0, color=COLOURS.grey, linewidth=0.8)
legend_above(fig)


def update_agreement(rule, seed):
    agreed = rules[rule](noisy_views(records, three_views, 1, np.random.default_rng(seed)))
    parts = [project(agreed[place], three_views[place], (10, 12)) for place in (0, 1)]
    for bars, part in zip(agree_bars, parts, strict=True):
        set_bars(bars, (part - marginal(records, (10, 12))) / len(three_views))
    set_bars(view_bars, (agreed[0] - three_truth[0]) / len(three_views))
    totals = ", ".join(f"{table.sum():,.1f}" for table in agreed)
    apart = np.abs(parts[0] - parts[1]).max()
    words = f"the two views are up to {apart:.1f} records apart"
    words = words if apart > 1e-6 else "the two views agree"
    set_verdict_text(agree_verdict, bool(apart < 1e-6), words)
    return f"largest disagreement of the two {apart:.2f} records; totals {totals} (true {N:,})"


live(
    fig,
    update_agreement,
    "Left, the errors of the four cells of doctor x drugs as two views have them; right, "
    "those of the eight cells of one view. After agreement the left bars are equal in pairs.",
    task="make the two views agree. Which rule fails? Does the third view help?",
    rule=choice(list(rules), "as bought", label="rule"),
    seed=new_noise(4),
)

# %% [markdown]
# The errors are in units of the noise's scale, so $\varepsilon$ does not matter here. [The rule
# of our copy](#move:rule=as%20in%20our%20copy) leaves a gap; [all three](#move:rule=all%20three) uses what the third view says about drugs.
#
# ## Below zero: the trap of cutting
#
# Most cells of a view of eight attributes are nearly empty, and up to half of those come out negative. Setting them to 0
# looks harmless. The textbook warns that this "dramatically increases the error", and **this is true**. Empty cells
# keep their positive noise and drop the negative, so sums over many cells are too large. *Ripple* lifts a negative cell
# to zero and takes the difference from its neighbours, the cells that differ in one attribute. So the total stays the
# same.
#
# Ripple "is guaranteed to terminate quickly", says the textbook (erratum [E55](22_errata.ipynb#E55)). It is not. The
# total never changes, so Ripple cannot end if the total is too low. Even with a healthy total it may not end at
# threshold 0:

# %%
show_source(ripple)

# %% jupyter={"source_hidden": true}
# Computed: Ripple on two small tables, round by round
after = [ripple([-1.0, -1], 0, rounds) for rounds in (1, 2, 50)]
print("(-1, -1) after 1, 2 and 50 rounds:", *after)
four = [[-3.0, 1], [1, 9]]
lowest = [amount(ripple(four, 0, rounds).min(), 2) for rounds in (1, 3, 5, 7, 41)]
print("(-3, 1, 1, 9): lowest cell after 1, 3, 5, 7, 41 rounds:", *lowest)
ended = next(rounds for rounds in range(99) if ripple(four, 0.01, rounds).min() >= -0.01)
print(f"with threshold 0.01 it ends after {ended} rounds;", end=" ")
print("ours: at most 5, and threshold w/(4 epsilon)")

# %%
view_place = 1
eight_truth = marginal(records, eights[view_place])
sorted_by_truth = np.argsort(eight_truth.ravel())[::-1]


def agreed_views(views, epsilon, seed):
    """Noisy views that were made to agree."""
    return consistent(views, noisy_views(records, views, epsilon, np.random.default_rng(seed)))


@lru_cache(maxsize=32)
def agreed_view(epsilon, seed):
    """One of the six views after they were made to agree."""
    return agreed_views(eights, epsilon, seed)[view_place]


def rescaled(table):
    cut = cut_at_zero(table)
    return cut * (max(table.sum(), 0) / cut.sum())


remedies = {
    "nothing": lambda table, *_: table,
    "cut": lambda table, *_: cut_at_zero(table),
    "cut and rescale": lambda table, *_: rescaled(table),
    "nearest": lambda table, *_: nearest_nonnegative(table),
    "Ripple": ripple,
}

# %% jupyter={"source_hidden": true}
# Figure: agreed_view(epsilon, seed), and what each remedy makes of it
fig, (cell_axes, half_axes) = figure(columns=2, height=3.3, width_ratios=[3, 2])
below_verdict = verdict_text(cell_axes)
far = [-1000, -100, 0, 100, 1000, 10_000]
cell_looks = {"released": "noisy .", "true": "true"}
cell_curves = curves(cell_axes, range(256), cell_looks, markersize=4)
in_order = eight_truth.ravel()[sorted_by_truth]
cell_axes.set_yscale("symlog", linthresh=100)
x_axis(cell_axes, "cells of the view, largest first", (-2, 257))
y_axis(cell_axes, "records (log beyond 100)", (-2000, 12_000), far)
cell_axes.axhline(0, color=COLOURS.grey, linewidth=0.8)
(half_dots,) = half_axes.plot(np.zeros(8), range(8), "o", color=COLOURS.amber, mec="black")
half_axes.grid(axis="y", color=COLOURS.pale)
half_axes.set_xscale("symlog", linthresh=100)
ticks = [-10_000, -100, 0, 100, 10_000]
x_axis(half_axes, "error of yeses (log beyond 100)", (-20_000, 20_000), ticks)
y_axis(half_axes, ticks={row: names[a] for row, a in enumerate(eights[view_place])})
half_axes.axvline(0, color=COLOURS.grey, linewidth=0.8)
legend_above(fig)


def update_below(remedy, rounds, epsilon, seed):
    table = remedies[remedy](agreed_view(epsilon, seed), len(eights) / (4 * epsilon), rounds)
    set_curves(cell_curves, [table.ravel()[sorted_by_truth], in_order])
    off = [np.moveaxis(table - eight_truth, axis, 0)[1].sum() for axis in range(8)]
    half_dots.set_xdata(off)
    below, total = f"{np.sum(table < 0)} of 256 cells below zero", table.sum()
    set_verdict_text(below_verdict, None, f"{below}; the total is off by {round(total - N):,}")
    told = f"error distance {table_error(table, eight_truth) / N:.4f} N"
    lowest = f"{below}, the lowest {amount(table.min(), 2)}"
    return f"{lowest}; total {total:,.0f} (true {N:,}); {told}"


question = "With no remedy, how many of the 256 cells are below zero?"
live(
    fig,
    update_below,
    "Left, the 256 cells of a view, sorted by their true counts. The released ones are "
    "scattered around them, far below zero only without a remedy. Right, the error of the "
    "number of yeses for each of the eight attributes: largest when cells are cut at zero.",
    task="choose *nothing*, then *cut*: what happens to the number with fair health?",
    guess=predict(question, (0, 256, " cells"), r"^(\d+) of 256", remedy="nothing"),
    remedy=choice(list(remedies), "Ripple", label="remedy"),
    rounds=choice([0, 1, 2, 5, 10, 50], 5, label="rounds of Ripple"),
    epsilon=log_slider(0.03, 3, 0.3),
    seed=new_noise(1),
)

# %% [markdown]
# [Cutting](#move:remedy=cut) moves the total; [cutting and rescaling](#move:remedy=cut%20and%20rescale) repairs the total and
# damages the large cells. Five [rounds of Ripple](#move:remedy=Ripple&rounds=5) do nearly all that fifty do.
#
# Does it matter for pairs? Medians of 20 releases: the mean error of twenty pairs in $N$, with the same noise for each
# remedy. After a remedy the views are made to agree once more.

# %%
pair_truth = marginals(records, pairs)


def after_remedies(views, epsilon, seed):
    """The mean error of twenty pairs after each remedy."""
    agreed, errors = agreed_views(views, epsilon, seed), []
    for remedy in remedies.values():
        tables = [remedy(table, len(views) / (4 * epsilon), 5) for table in agreed]
        again = Synopsis(views, consistent(views, tables))
        errors.append(mean_error(again, pairs[::6], pair_truth[::6]))
    return errors


# %% jupyter={"source_hidden": true}
# Computed: the error of pairs after each remedy, and after more turns of Ripple
rows = []
for views, epsilon in ((eights, 1), (eights, 0.1), (affine, 0.1)):
    medians = np.median([after_remedies(views, epsilon, seed) for seed in range(20)], axis=0)
    rows.append((f"{len(views)} views of {len(views[0])}", epsilon, *medians))
columns = ["", "epsilon", *remedies]
print(pd.DataFrame(rows, columns=columns).round(4).to_string(index=False))
ripples = []
for seed in range(20):
    tables = agreed_views(eights, 0.1, seed)
    ripples.append([])
    for _ in range(4):
        tables = consistent(eights, [ripple(table, len(eights) / 0.4, 5) for table in tables])
        again = Synopsis(eights, tables)
        ripples[-1].append(mean_error(again, pairs[::6], pair_truth[::6]))
once, _, _, often = np.median(ripples, axis=0)
print("Ripple and agreement four times instead of once:", end=" ")
print(f"the error is {often / once:.2f} times as large")

# %% [markdown]
# Cutting multiplies the error by 2 to 4 where cells are small, and changes little where they are large. One turn of agreement,
# Ripple, agreement is enough, as the textbook says (6.3.3).
#
# ## What no view holds
#
# A triple that lies in no view is known only through its parts. There are three ways to fill it in (6.3.2). A linear
# programme violates the views as little as possible. Of the tables that fit, least squares takes the one with the
# smallest sum of squares, and **maximum entropy** the one closest to uniform. Without noise, on triples that six views
# of eight do not hold:

# %%
show_source(maximum_entropy)

# %% jupyter={"source_hidden": true}
# Computed: the error of three reconstructions, without noise
exact = Synopsis(eights, marginals(records, eights))
uncovered = [t for t in triples if not any(set(t) <= set(view) for view in eights)]
for reconstruct in (least_violation, least_norm, maximum_entropy):
    told = [answer(exact, t, reconstruct=reconstruct) for t in uncovered[::8]]
    off = np.array([*map(table_error, told, marginals(records, uncovered[::8]))]) / N
    name = reconstruct.__name__
    print(f"{name:>16}: mean error {off.mean():.4f} N, worst {off.max():.4f} N")
print(f"{len(uncovered)} of {len(triples)} triples are in no view;", end=" ")
print("every eighth of them was tried")

# %% [markdown]
# This is what **Private-PGM** does (McKenna, Sheldon, Miklau 2019): it fits the model of maximum entropy to noisy tables.
# Theirs is one graphical model of all attributes, on a junction tree; ours is one small table at a time. **MST** (2021) and
# **AIM** (2022) fit such models and choose the tables privately, as MWEM does. They are today's usual choice for synthetic
# records: [28](28_synthetic.ipynb).
#
# **No reconstruction can see** what no view shows. In the synthetic data $c = a$ xor $b$: any two of the three look
# independent.

# %% jupyter={"source_hidden": true}
# Figure: maximum_entropy(views, tables, (0, 1, 2)) beside the truth
fig, xor_axes = figure(height=3)
xor_verdict = verdict_text(xor_axes)
xor_looks = {"true": (COLOURS.pale, "")}
xor_looks["maximum entropy from the views"] = COLOURS.noisy, "//"
xor_bars = paired_bars(xor_axes, 8, xor_looks)
x_axis(xor_axes, "a, b, c", ticks={n: f"{n:03b}" for n in range(8)})
y_axis(xor_axes, "records", (0, 6000))
legend_above(fig)
view_sets = {
    "singles": [(0,), (1,), (2,)],
    "pairs": [(0, 1), (1, 2), (0, 2)],
    "all three": [(0, 1, 2)],
}


def update_unseen(strength, views):
    _, synthetic = exclusive_or(strength)
    truth = marginal(synthetic, (0, 1, 2))
    fit = maximum_entropy(view_sets[views], marginals(synthetic, view_sets[views]), (0, 1, 2))
    set_bars(xor_bars[0], truth)
    set_bars(xor_bars[1], fit.table)
    off = table_error(fit.table, truth) / len(synthetic)
    off = amount(off) if off > 1e-6 else "below 10⁻⁶"
    set_verdict_text(xor_verdict, None, f"error {off} N; no view is contradicted")
    words = f"no view is contradicted: the gap is {fit.gap:.3f} records"
    return f"error {off} N, and {words}. There is no noise here."


question = "At strength 0.5 instead of 1, what is the error?"
live(
    fig,
    update_unseen,
    "Eight cells of the synthetic table of a, b and c: when c is a xor b, four true counts "
    "are high and four are 0, while the table fitted from views of pairs is flat.",
    task="start at strength 1 with views of pairs. Then let one view hold all three.",
    guess=predict(question, (0, 1, " N"), r"error ([\d.]+) N", strength=0.5),
    strength=slider(0.0, 1.0, 1.0, 0.1),
    views=choice(list(view_sets), "pairs", label="views"),
)

# %% [markdown]
# <details><summary>Side result: views can agree and still be impossible.</summary>
#
# Take three pairs: $a$ unlike $b$, $b$ unlike $c$, $a$ unlike $c$. Any two of the views agree on what they have in
# common (half say yes), so they are consistent in the textbook's sense (Definition 6.1). But of three yes-or-no answers two are
# always alike, so no table has these marginals (erratum [E56](22_errata.ipynb#E56)). With noise this happens all the
# time. So the functions return the *gap* of the fit: the largest cell by which it misses what a view implies.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: the gap of three reconstructions on three views that no table has
unlike = np.array([[0.0, 300], [300, 0]])
for reconstruct in (least_violation, maximum_entropy, least_norm):
    fit = reconstruct(view_sets["pairs"], [unlike] * 3, (0, 1, 2))
    print(f"{reconstruct.__name__:>16}: gap {fit.gap:.1f} of 600 records")
print("a sixth of the records is the smallest possible gap:", end=" ")
print("of three answers at least two agree")

# %% [markdown]
# ## Which views?
#
# Large views hold more tables together, small ones carry less noise. For a table inside some view, the exact expected
# squared error after consistency is
#
# $$\mathrm{ESE}(A) = 2^{-k} w^2 \sum_{b \subseteq A} \Big(\sum_{V \supseteq b} 2^{-|V|}\Big)^{-1} V_u .$$
#
# <details><summary>Side result: the textbook's guide is too pessimistic, because it averages pairs alone.</summary>
#
# The guide (6.7) counts that a pair is in about $w \ell (\ell - 1) / (d (d-1))$ views of size $\ell$, and that
# averaging over them divides the variance. Consistency does better (erratum [E53](22_errata.ipynb#E53)), since singles
# and totals are averaged over *more* views than the pair. The textbook takes designs from a repository; here they are
# constructed, with groups of attributes as the points of a plane. A design is given by $d$, $\ell$ and $t$: any $t$
# attributes are in a view.
#
# Of $\ell = 8$, or a value near it, the textbook says that it "can be used cross all settings" (erratum
# [E54](22_errata.ipynb#E54)). On these 20,190 records smaller views are better unless $\varepsilon$ is large. It also
# suggests $\varepsilon = 0.001$ for a rough count of $N$ (erratum [E57](22_errata.ipynb#E57)). That noise has a
# standard deviation of 1,414 records, and it must be paid for.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: the guide (6.7) against the exact error, for five designs
rows = []
for n, size in ((12, 8), (16, 8), (16, 4), (32, 8), (31, 6)):
    views, some = covering_design(n, size, 2), itertools.combinations(range(n), 2)
    exactly = np.mean([view_error(views, pair) for pair in some])
    guide, least = guideline_error(n, size, len(views)), covering_bound(n, size, 2)
    rows.append((n, size, len(views), least, guide, exactly, guide / exactly))
columns = ["d", "size", "views", "at least", "(6.7) squared, V_u", "exact", "ratio"]
told = pd.DataFrame(rows, columns=columns)
print(told.to_string(index=False, float_format="{:,.2f}".format))
for_pairs = {size: 2 ** (size / 2) / (size * (size - 1)) for size in range(5, 13)}
for_triples = {size: column / (size - 2) for size, column in for_pairs.items()}
least = [min(column, key=column.get) for column in (for_pairs, for_triples)]
print("the textbook's two columns that speak for size 8 are smallest", end=" ")
print(f"at sizes {least[0]} and {least[1]}")

# %% [markdown]
# The rest is **coverage** error: what the views do not show is lost even without noise. The figure has both.

# %%
SIZES = [2, 3, 4, 5, 6, 7, 8, 10, 12, 16]
designs = {size: covering_design(16, size, 2) for size in SIZES}
some_sets = {
    2: pairs[::10],
    3: triples[5::47],
    4: list(itertools.combinations(range(16), 4))[7::152],
}

true_tables = {k: marginals(records, some) for k, some in some_sets.items()}


def known_noise(views, attributes):
    """Squared noise in V_u of the known waves of a table: (6.7) done exactly, held by a view
    or not.
    """
    held = [
        sum(2.0 ** -len(view) for view in views if set(chosen) <= set(view))
        for size in range(len(attributes) + 1)
        for chosen in itertools.combinations(attributes, size)
    ]
    return len(views) ** 2 * sum(1 / mass for mass in held if mass) / 2 ** len(attributes)


def chosen_errors(synopsis, k):
    """The errors of the chosen tables of k attributes, in records."""
    told = [answer(synopsis, some) for some in some_sets[k]]
    return [table_error(table, t) for table, t in zip(told, true_tables[k], strict=True)]


@cache
def two_errors(k):
    """For each size of view: root mean squared noise (in records, at epsilon 1) and coverage
    error (in records).
    """
    noise, coverage = [], []
    for views in designs.values():
        noise.append(np.mean([2 * known_noise(views, some) for some in some_sets[k]]))
        without = Synopsis(views, marginals(records, views))
        coverage.append(np.mean(np.square(chosen_errors(without, k))))
    return np.sqrt([noise, coverage])


@lru_cache(maxsize=64)
def one_release(k, size, epsilon, seed):
    """The error of one synopsis (agreement only) over the chosen tables, in records, root mean
    square.
    """
    tables = agreed_views(designs[size], epsilon, seed)
    errors = chosen_errors(Synopsis(designs[size], tables), k)
    return np.sqrt(np.mean(np.square(errors)))


for epsilon in round_numbers(0.03, 10, 1.0):
    one_release(3, 4, epsilon, 1)  # before the first move

# %% jupyter={"source_hidden": true}
# Computed: the best size of views, for tables of 2, 3 and 4 attributes
for k in some_sets:
    noise, coverage = two_errors(k)
    best = [SIZES[np.argmin(np.hypot(noise / epsilon, coverage))] for epsilon in (10, 1, 0.1)]
    print(f"tables of {k}: best size of views at epsilon 10, 1 and 0.1: {best}")
releases = [one_release(4, 4, 0.1, seed) for seed in range(20)]
estimate = np.hypot(*(two_errors(4)[:, SIZES.index(4)] / (0.1, 1)))
times = np.sqrt(np.mean(np.square(releases))) / estimate
print("tables of 4 by views of 4, epsilon 0.1:", end=" ")
print(f"20 releases are off by {times:.2f} times noise and coverage")

# %% jupyter={"source_hidden": true}
# Figure: two_errors(k) for every size of view, and one_release(k, size, epsilon, seed)
fig, cover_axes = figure(height=3.4)
cover_verdict = verdict_text(cover_axes)
cover_looks = {"noise": "other --", "coverage": "fourth -.", "both": "noisy o-"}
x_axis(cover_axes, "attributes in a view", (1.5, 16.5), SIZES)
y_axis(cover_axes, "root mean square error / N", (3e-4, 1), [0.001, 0.01, 0.1, 1], log=True)
cover_curves = curves(cover_axes, SIZES, cover_looks, linewidth=2)
cover_dot = own_point(cover_axes, "one release", "D", COLOURS.third, markeredgecolor="black")
legend_above(fig)


def update_cover(k, size, epsilon, seed):
    noise, coverage = two_errors(k)
    both = np.hypot(noise / epsilon, coverage) / N
    set_curves(cover_curves, [noise / epsilon / N, np.maximum(coverage, 1e-9) / N, both])
    measured = one_release(k, size, epsilon, seed) / N
    set_own_point(cover_dot, size, measured)
    here, best = SIZES.index(size), int(np.argmin(both))
    words = f"off by {both[here]:.2%}; smallest error: views of {SIZES[best]}"
    set_verdict_text(cover_verdict, None, f"views of {size}: {words}")
    words = f"estimate {both[here]:.4f} N, this release {measured:.4f} N"
    words = f"{len(designs[size])} of them, {words}; smallest estimate at size {SIZES[best]}"
    return f"views of at most {size}: {words}"


live(
    fig,
    update_cover,
    "Noise error, lowest at views of 4; coverage error, which falls to 0 as the views grow, "
    "and for pairs is 0 throughout; both together, with a minimum; a diamond for one release.",
    task=r"triples at $\varepsilon = 1$: which size is best? And at 0.1?",
    k=choice([2, 3, 4], 3, label="attributes a table, k"),
    size=choice(SIZES, 4, label="size of views"),
    epsilon=log_slider(0.03, 10, 1.0),
    seed=new_noise(1),
)

# %% [markdown]
# The figure adds the squares of the two errors. Noise in what maximum entropy fills in comes on top: a fifth more for
# tables of four at $\varepsilon = 0.1$. Ten times the records have the same effect as ten times $\varepsilon$. [At
# epsilon 0.1](#move:epsilon=0.1) small views win; [at epsilon 10](#move:epsilon=10) large ones, except for pairs.
#
# ## Two rivals: synthetic records
#
# Zheng and others (2019; page [18](18_sensing.ipynb)) compare with **PrivBayes** (Zhang and others) and **DPPro** (Xu
# and others). Both take $N$ as public: neighbours *replace* a record. PrivBayes chooses a Bayesian network link by link
# with the exponential mechanism. Then it buys the table of each attribute with its parents in the network, and draws
# new records.
#
# <details><summary>Side results: PrivBayes's published sensitivity is too cautious, and DPPro's noise drowns a row.</summary>
#
# The score of a link is half the distance of the joint table from independence. Its published sensitivity is
# $3/N + 2/N^2$. Enumeration up to eight records gives $2(N-1)/N^2$, so the published bound is over 1.5 times too
# large. The older score is mutual information, in bits; for it the published sensitivity is the true one. A score is
# worth its range over its sensitivity. Two identical attributes, with half of the answers yes, have distance 1/2 and
# information 1.
#
# DPPro multiplies each record by a random $d \times s$ matrix of signs and adds normal noise. It publishes one noisy
# row a person, for distances between people, under $(\varepsilon, \delta)$-DP. The published scale is larger than
# needed. And the guarantee hides a choice: does it protect *one attribute* of a record, or the record? For one pair of
# people the noise drowns the distance. Tables from such rows are about as bad as the uniform table, whose error is 0.37
# $N$. DPPro keeps averages of many distances, and is not made for marginals.
#
# </details>

# %%
show_source(privbayes)

# %% jupyter={"source_hidden": true}
# Computed: how much one record moves the two scores of PrivBayes
print(f"sensitivity at N = 8: published {quality_sensitivity(8):.4f},", end=" ")
print(f"by enumeration (in the tests) {2 * 7 / 64:.4f}")
scores = ("distance", 0.5, quality_sensitivity), ("information", 1, information_sensitivity)
for score, most, sensitivity in scores:
    moves = sensitivity(N)
    print(f"{score}: one of the {N:,} records moves it by at most {moves:.6f};", end=" ")
    print(f"most / that = {most / moves:,.0f}")

# %% jupyter={"source_hidden": true}
# Computed: DPPro's scale, and its error on pairs and on distances
published, least_scale = kenthapadi_scale(1, 1, 1e-5), gaussian_scale(1, 1, 1e-5)
print(f"shift of length 1, epsilon 1, delta 1e-5: published {published:.4f},", end=" ")
print(f"smallest {least_scale:.4f}, {published / least_scale:.2f} times")
for protects in ("attribute", "record"):
    projected = dppro(records, 8, 1, 1e-5, np.random.default_rng(1), protects=protects)
    first, second = np.random.default_rng(2).integers(0, N, (2, 2000))
    estimated = squared_distances(projected, first, second)
    truth = (records[first].astype(float) - records[second]).astype(bool).sum(axis=1)
    guessed = ((projected.release @ projected.matrix.T) > 0.5).astype(int)
    off = np.mean([*map(table_error, marginals(guessed, pairs), pair_truth)]) / N
    print(f"protects one {protects}: scale {projected.scale:.1f};", end=" ")
    print(f"pairs from the rows: error {off:.2f} N")
    print(f"    squared distance of two people, mean {truth.mean():.1f}:", end=" ")
    print(f"estimate off by {np.std(estimated - truth):,.0f} (standard deviation)")
uniform = np.mean([table_error(np.full_like(t, N / 4), t) for t in pair_truth]) / N
print(f"a uniform table for every pair: error {uniform:.2f} N")

# %% [markdown]
# ## Who wins
#
# At $\varepsilon = 1$: the mean error in $N$ over twenty pairs and eight triples, drawn once and the same for all. We show medians
# of 20 releases, and the standard error of the median for pairs. The dull rivals come first: a uniform table,
# and sixteen noisy single attributes multiplied as if they were independent. MWEM gets the exact $N$, which is an oracle: under add/remove it
# would have to buy it. Its rounds and passes are public. Choosing the best of three settings is an oracle, too.
#
# PrivBayes protects replaced records, with $N$ public; the privacy loss of the other methods is up to $2\varepsilon$
# under *replace*. So PrivBayes at $\varepsilon = 1$ has the harder task, and at $\varepsilon = 2$ the same.

# %%
drawn = np.random.default_rng(13)
twenty = [tuple(drawn.choice(16, 2, replace=False).tolist()) for _ in range(20)]


def median_error(people, views, epsilon, sets):
    """The median error of twenty releases by PriView, divided by N."""
    errors, truth = [], marginals(people, sets)
    for seed in range(20):
        synopsis = priview(people, views, epsilon, np.random.default_rng(seed))
        errors.append(mean_error(synopsis, sets, truth))
    return np.median(errors)


error = median_error(records, affine, 1, twenty)
print(f"20 views of 4, twenty releases: median error of a pair {error:.4f} N")

# %% [markdown]
# `tools/book/papers/marginals.py` computed the other methods beforehand, in the same way:

# %% jupyter={"source_hidden": true}
# Computed: the race with Laplace and with Gaussian noise, from 13_marginals.json
raced = json.loads(pathlib.Path("13_marginals.json").read_text(encoding="utf-8"))["race"]
for noise in ("Laplace", "Gaussian"):
    rows = []
    for row in (row for row in raced if row["noise"] == noise):
        medians = row["pairs_median"], row.get("triples_median")
        rows.append((row["method"], *medians, f"{1.25 * row['pairs_error']:.5f}"))
    columns = [f"{noise}, error in N at epsilon 1", "pairs", "triples"]
    shown = pd.DataFrame(rows, columns=[*columns, "standard error of pairs"])
    print(shown.to_string(index=False, float_format="{:.4f}".format, na_rep="-"), end="\n\n")

# %% [markdown]
# MWEM with 12 rounds and 3 passes is among the worst. With 40 rounds and 10 passes only views and waves are better. With
# Gaussian noise $\delta = 10^{-6}$, and Ripple's threshold is again a quarter of the noise's scale. The waves have the best
# shares of the noise: cube roots with Laplace noise, fourth roots with Gaussian noise.
#
# Under Laplace noise Direct has four times the error of the six views; under Gaussian noise it beats them. The
# waves are then best for pairs, and Flat is out of the race.
#
# <details><summary>What can be proved in advance: a union bound over the cells of the waves.</summary>
#
# For waves with Gaussian noise, every cell of a pair is a sum of four independent normal numbers. So the largest of the 480
# errors exceeds $t$ with probability at most $480 \cdot 2\,\Phi(-t/\sigma)$, with $\sigma^2$ a quarter of the table's expected
# squared error. Nothing is assumed about the data. For MWEM Hardt and others prove a bound for every cell: $2N\sqrt{\ln|X|/T} +
# 10\,T \ln|Q|/\varepsilon$, except with probability $2T/|Q|$. Here $X$ are the cells and $Q$ the queries.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: the bound for the waves, the largest error of 20 releases, and MWEM's theorem
sigma = math.sqrt(gaussian_wave_error(16, 2) / 4) * gaussian_scale(1, 1, DELTA)
chances = {t: 480 * 2 * normal_probability(-math.inf, -t / sigma) for t in range(1, 10_000)}
promised = next(t for t, chance in chances.items() if chance < 0.05)
largest = []
for seed in range(20):
    waves = gaussian_waves(records, 2, 1, DELTA, np.random.default_rng(seed))
    told = np.array([table_from(waves, pair) for pair in pairs])
    largest.append(np.abs(told - pair_truth).max())
print("waves, epsilon 1: with probability 95% no cell errs by more than", end=" ")
print(f"{promised} records; largest of 20 releases:", end=" ")
print(f"median {np.median(largest):.0f}, highest {max(largest):.0f}")
for rounds in (12, 40):
    bound = 2 * N * math.sqrt(16 * math.log(2) / rounds) + 10 * rounds * math.log(480)
    print(f"MWEM's theorem, {rounds} rounds: {bound:,.0f} of {N:,} records:", end=" ")
    print("it says nothing here")

# %% [markdown]
# At $\varepsilon = 0.1$, with Laplace noise, the errors of Flat, Direct and waves are exactly ten times as large. What
# about the others, and about thirty-one attributes, where Flat cannot even be stored ($2^{31}$ cells)? There the 31
# lines of the projective plane over five elements serve as views of six.

# %% jupyter={"source_hidden": true}
# Computed: views at two values of epsilon, with 16 and with 31 attributes
wide = people[:, :31]
wide_pairs = [tuple(drawn.choice(31, 2, replace=False).tolist()) for _ in range(10)]
contests = [
    (records, twenty[:10], (eights, affine)),
    (wide, wide_pairs, (covering_design(31, 8, 2), covering_design(31, 6, 2))),
]
rows = []
for data, sets, designs_of_views in contests:
    attributes = data.shape[1]
    for views in ([(a,) for a in range(attributes)], *designs_of_views):
        medians = [median_error(data, views, epsilon, sets) for epsilon in (1, 0.1)]
        kind = "singles, independent" if len(views[0]) == 1 else f"views of {len(views[0])}"
        rows.append((attributes, kind, len(views), *medians))
columns = ["attributes", "pairs, error in N", "views", "epsilon 1", "epsilon 0.1"]
print(pd.DataFrame(rows, columns=columns).round(4).to_string(index=False))
few = [pair for pair in pairs if max(pair) < 8]
for name, views in (("singles", [(a,) for a in range(8)]), ("full table", [tuple(range(8))])):
    off = median_error(records[:, :8], views, 100 / N, few)
    print(f"8 attributes, epsilon N = 100: {name} {off:.2f} N")

# %% [markdown]
# Below some $\varepsilon$ twenty thousand records give no more than their single answers.
#
# ## Your own file
#
# A CSV of categories will do, with any number of values each. The possible values of a column must be **public**: a
# list read off the file would reveal that somebody has the rarest value. Views, consistency, Ripple, maximum entropy,
# MWEM and PrivBayes take `sizes`; waves and polynomials are for yes and no.

# %%
answers = "Rome,young,no\nRome,old,yes\nOslo,old,no\nRome,young,no\nOslo,young,yes\n"
possible = {"city": ["Oslo", "Paris", "Rome"], "age": ["young", "old"]}
possible["smokes"] = ["no", "yes"]
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "mine.csv"
    path.write_text("city,age,smokes\n" + answers * 400)
    columns, mine, sizes = read_categories(path, possible)
    path.write_text("city,age,smokes\nRome,young,no\nMilan,old,no\n")
    try:
        read_categories(path, possible)
    except ValueError as refused:
        print("refused:", str(refused).split("mine.csv, ")[1])
synopsis = priview(mine, [(0, 1), (1, 2)], 0.5, np.random.default_rng(1), sizes=sizes)
print(f"{len(mine):,} records, {sizes} values; city x smokes is in neither view,")
print("and comes out independent given age:")
told = answer(synopsis, (0, 2)).round(0)
pd.DataFrame(told, index=possible["city"], columns=possible["smokes"])

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/13_marginals](../exercises/answers/13_marginals.ipynb).
#
# **Assignment 13:** [five tasks, checked in a second](../exercises/releases/13_marginals.ipynb).
#
# 1. *Warm-up.* Fair's survey has eight questions (`affairs_attributes()`). Which method is
#    best for its pairs at $\varepsilon = 0.1$? Which for its triples? Why does the answer
#    differ from that for sixteen questions?
# 2. You want only the fifteen pairs that contain *hospital*. Work out the exact error, in
#    $V_u$, of a pair by Direct on those fifteen, by Flat, and by the waves that these pairs
#    need. Which other tables would you buy?
# 3. Protect *persons* (user-level privacy), with up to five records each. If a person gets
#    $\varepsilon = 1$, what is left for a record? Which size of views is then best for triples?
# 4. Twenty views of four have an exact mean error of 2,320 $V_u$ for pairs of sixteen
#    attributes. Find a better design, or convince yourself that views of one size have none.
# 5. MWEM needs the total. Buy it with a fraction of $\varepsilon$: how large should it be at
#    $\varepsilon = 0.01$ on the first ten attributes ($T = 4$, 4 passes)? Compare with the
#    exact (forbidden) total.
# 6. *Challenge.* Give the views unequal fractions of $\varepsilon$ and the means matching weights, and work out the
#    exact error. Can a design of views of 4 and one view of 1 beat equal fractions?
#
# ## When to use it, and when not
#
# - **Up to eight attributes:** release the full table. It answers everything, and nothing
#   here is much better.
# - **More, and every small table is wanted:** PriView. Use small views if records are few.
#   First look at the exact error and, on similar *public* data, the coverage.
# - **Unbiased numbers that agree:** waves, with cube roots, for pairs from 12 attributes on and triples from 19.
#   Below, Flat is better.
# - **With a $\delta$:** waves with Gaussian noise for pairs; no linear strategy has a smaller total error.
# - **A few tables are known to matter:** buy exactly those. MWEM if nobody knows which, with 20 passes, as many
#   rounds as the budget carries, and a bought total.
# - **Synthetic records are asked for:** PrivBayes, or its successors MST and AIM ([28](28_synthetic.ipynb)); say which
#   tables it measured; others can be far off.
# - **Not at all:** when $\varepsilon N$ is a few thousand or less for dozens of attributes, or a
#   hundred for eight: release single answers.
# - The guarantee is for one record, and all noise is drawn in floating point
#   ([21](21_audit.ipynb)).
#
# ## Sources
#
# <details><summary>The papers behind this page.</summary>
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to
#   Practice*, Morgan & Claypool, 2016,
#   [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018):
#   chapter 6. Corrected on this page: errata [E47](22_errata.ipynb#E47) and others above.
# - **001** Zhigao Zheng, Tao Wang, Jinming Wen, Shahid Mumtaz, Ali Kashif Bashir, Sajjad Hussain
#   Chauhdary, the paper of page [18](18_sensing.ipynb), sections II and V: PrivBayes and DPPro, as
#   comparators.
# - Barak, Chaudhuri, Dwork, Kale, McSherry, Talwar, *Privacy, accuracy, and consistency too*,
#   2007: waves, the linear programme. Yaroslavtsev, Cormode, Procopiuc, Srivastava, 2013:
#   unequal shares.
# - Ding, Winslett, Han, Li, *Differentially private data cubes*, 2011. Hardt, Ligett,
#   McSherry, *A simple and practical algorithm for differentially private data release*, 2012.
#   Thaler, Ullman, Vadhan, *Faster algorithms for privately releasing marginals*, 2012.
# - Qardaji, Yang, Li, *PriView: practical differentially private release of marginal
#   contingency tables*, 2014. Gordon, *La Jolla covering repository*, 2012.
# - Li, Miklau, *Optimal error of query sets under the differentially-private matrix mechanism*, 2013. McKenna, Miklau,
#   Hay, Machanavajjhala, *Optimizing error of high-dimensional statistical queries* (HDMM), 2018. Xiao, He, Zhang,
#   Kifer, *ResidualPlanner*, 2023. McKenna, Sheldon, Miklau, *Private-PGM*, 2019; McKenna, Miklau, Sheldon (MST), 2021;
#   McKenna, Mullins, Sheldon, Miklau (AIM), 2022.
# - Zhang, Cormode, Procopiuc, Srivastava, Xiao, *PrivBayes*, 2017. Xu, Ren, Zhang, Qin, Ren,
#   *DPPro*, 2017; its mechanism: Kenthapadi, Korolova, Mironov, Mishra, 2013.
#
# </details>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [12 Decision trees from private counts](12_trees.ipynb) · **Next:** [14 The sparse vector technique](14_svt.ipynb)
