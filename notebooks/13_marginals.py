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
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [12 Decision trees from private counts](12_trees.ipynb) · **Next:** [14 The sparse vector technique](14_svt.ipynb)
#
# **Assignment 13:** [five tasks, checked in a second](../exercises/releases/13_marginals.ipynb)
#
# How many people saw a doctor *and* bought drugs *and* call their health good? A survey with
# sixteen yes-or-no questions has 560 such tables of three questions, and its readers will want
# any of them. The table of all sixteen has 65,536 cells. What should be released once, so that
# every small table can be had from it?
#
# <details><summary>About 60 minutes, after 03, 04 and 08: what you do, what you need, the data</summary>
#
# **You will see** two error laws cross; turn tables into waves and halve their error for
# nothing; refute a sentence of the textbook (Li, Lyu, Su and Yang
# 2016, chapter 6) about data cubes; watch multiplicative weights ask its
# questions; buy a few overlapping tables, make them agree, and answer what none of them holds;
# and find out who wins when, and when nobody does.
#
# **You need** the Laplace mechanism ([03](03_laplace.ipynb)) and the exponential mechanism
# ([04](04_exponential.ipynb)); inference on a tree ([08](08_histograms.ipynb)) is the same
# idea as agreement here.
#
# **Time:** about 60 minutes for the text; two sittings of 90 with all figures and numbers. A good place to stop is before *PriView*.
#
# **Real and synthetic:** the RAND health insurance experiment and Fair's survey are real. One
# table, in which $c = a$ xor $b$, is *synthetic*. The file of your own is invented.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import itertools
import math
import pathlib
import tempfile
from functools import cache, lru_cache

import numpy as np
import pandas as pd
from livefig.controls import round_numbers

from dpbook.amounts import amount
from dpbook.data.attributes import (
    affairs_attributes,
    exclusive_or,
    health_attributes,
    read_categories,
)
from dpbook.gaussian import gaussian_scale, normal_probability
from dpbook.guesses import predict
from dpbook.live import choice, live, log_slider, new_noise, show_source, slider
from dpbook.marginals import (
    Synopsis,
    answer,
    best_polynomial,
    choose_cubes,
    consistent,
    covering_bound,
    covering_design,
    cube_error,
    cube_root_shares,
    cut_at_zero,
    direct_error,
    direct_marginals,
    dppro,
    flat_error,
    flat_table,
    fourier_error,
    fourier_marginals,
    fourth_root_scales,
    gaussian_marginals,
    gaussian_wave_error,
    gaussian_waves,
    guideline_error,
    information_sensitivity,
    kenthapadi_scale,
    least_norm,
    least_violation,
    marginal,
    marginals,
    maximum_entropy,
    multiplicative_update,
    mutual_consistency,
    mwem,
    mwem_rounds,
    nearest_nonnegative,
    noisy_views,
    nonnegative_table,
    polynomial_error,
    polynomial_sensitivity,
    printed_consistency,
    privbayes,
    priview,
    project,
    quality_sensitivity,
    ripple,
    squared_distances,
    table_divergence,
    table_error,
    table_from,
    view_error,
    walsh,
    walsh_coefficients,
)
from dpbook.plots import COLOURS, figure, legend_above, set_verdict_text, verdict_text

# %% [markdown]
# ## The data and the question
#
# One record is a person in a year: sixteen answers of 0 or 1 (sixteen more wait for later).
# The thresholds are public, such as "five visits to a doctor or more". A *marginal table* over
# some attributes counts the records with each combination of their values.

# %%
names, people = health_attributes()
records = people[:, :16]
N, d = records.shape
pairs = list(itertools.combinations(range(d), 2))
triples = list(itertools.combinations(range(d), 3))
print(", ".join(names[:8]) + ",")
print(", ".join(names[8:d]))
print(
    f"{N:,} records; tables of two {len(pairs)}, of three {len(triples)}, of four "
    f"{math.comb(d, 4):,}"
)
print(
    f"the table of all {d}: {2**d:,} cells, of which {len(np.unique(records, axis=0)):,} "
    "hold somebody"
)
pd.DataFrame(
    marginal(records, (10, 12)).astype(int),
    index=["no doctor", "doctor"],
    columns=["no drugs", "drugs"],
)

# %% [markdown]
# Throughout: $d$ attributes, tables of $k$ of them with $2^k$ cells, $N$ records. Neighbours
# are two datasets of which one has **one record more** (add/remove). That moves one cell of
# every table by 1. A person has up to five records here: to protect a person, divide
# $\varepsilon$ by five.
#
# The error of a table is the distance of the released cells from the true ones, $\sqrt{\sum
# (\tilde T - T)^2}$, in records or divided by $N$. Its expected square (the textbook's ESE) comes
# in units of $V_u = 2/\varepsilon^2$, the variance of one count with noise of scale
# $1/\varepsilon$. The textbook also measures by Jensen and Shannon's divergence, which is not
# defined for a table with a cell below zero, and noisy tables have such cells (erratum [E46](22_errata.ipynb#E46)).

# %%
noisy_cells, true_cells = np.array([5, 3, 2, -1]), np.array([6, 2, 1, 1])
print(f"error distance {table_error(noisy_cells, true_cells):.4f} = sqrt 7")
try:
    table_divergence(noisy_cells, true_cells)
except ValueError as refused:
    print("divergence:", str(refused).split(";")[0])
print(
    f"with the -1 cut to 0: {table_divergence(cut_at_zero(noisy_cells), true_cells):.7f} "
    "nats (of ln 2 at most)"
)

# %% [markdown]
# ## Two naive attempts
#
# **Every table with noise of scale $1/\varepsilon$**, since "each table is $\varepsilon$-DP".
# Each is. All of them together are not: how many numbers does one record move, and how far?

# %%
one_less = records[:-1]
moved = sum(
    np.abs(more - less).sum()
    for more, less in zip(
        marginals(records, triples), marginals(one_less, triples), strict=True
    )
)
print(f"one record moves {moved:.0f} of the released numbers by 1 each")
print(
    f"so at 'epsilon = 1' the exact loss of the {len(triples)} tables together is "
    f"{moved * 1:.0f}"
)

# %% [markdown]
# **Only the interesting tables**, properly: pick the pair with the strongest correlation, and
# spend $\varepsilon$ on it alone. The numbers are noisy, but *which* table was published is
# not. Below, a clinic with 60 of the records: one record more, and another table is published.


# %%
def strongest_pair(people):
    """Which table the clinic publishes: the pair whose answers agree, or disagree, most often.
    No noise.
    """
    agreement = walsh_coefficients(people[:, [0, 1, 6, 9, 10, 14]], 2)
    return max(
        (chosen for chosen in agreement if len(chosen) == 2),
        key=lambda chosen: abs(agreement[chosen]),
    )


for start in range(0, 6000, 60):
    clinic = records[start : start + 60]
    flips = [
        person
        for person in records[:400]
        if strongest_pair(clinic) != strongest_pair(np.vstack([clinic, person]))
    ]
    if flips:
        break
shown = [strongest_pair(clinic), strongest_pair(np.vstack([clinic, flips[0]]))]
labels = np.array(names)[[0, 1, 6, 9, 10, 14]]
for who, pair in zip(("clinic", "clinic and one record more"), shown, strict=True):
    print(f"{who:>26}: publishes {labels[pair[0]]} x {labels[pair[1]]}")
print(
    "an event of probability 1 against 0: the loss is infinite, whatever the noise on the "
    "cells"
)

# %% [markdown]
# What is published must be fixed without looking, or be chosen by a mechanism that pays for
# it.
#
# ## Flat and Direct: two error laws that cross
#
# **Flat:** release the table of *all* attributes once, with noise of scale $1/\varepsilon$ on
# every cell, and sum it up. A record is in one cell, so this is $\varepsilon$-DP. Whatever
# $k$, all $2^d$ noises end up in the table: the expected squared error is $2^d\,V_u$ (6.3).
#
# **Direct:** release the $m = \binom dk$ wanted tables. A record is in one cell of each, so
# the noise has scale $m/\varepsilon$: the error is $2^k m^2\,V_u$ (6.4).

# %%
show_source(flat_table)
show_source(direct_marginals)
rows = []
for k in (2, 3, 4, 5):
    overtakes = next(n for n in range(2 * k + 1, 60) if direct_error(n, k) < flat_error(n, k))
    rows.append(
        (
            k,
            overtakes,
            *(math.sqrt(2 * error(16, k)) / N for error in (flat_error, direct_error)),
        )
    )
print(
    "Direct is better than Flat from so many attributes on; errors for our 16, over N, at "
    "epsilon 1"
)
print(
    pd.DataFrame(rows, columns=["k", "Direct from d", "Flat", "Direct"])
    .round(3)
    .to_string(index=False)
)

# %% [markdown]
# Direct takes time: each record goes into $\binom dk$ tables (erratum [E47](22_errata.ipynb#E47)).
#
# The next figure is computed from formulas alone. Two of its lines, waves and views, are
# explained below. An error of a tenth of the records is hardly of use to anyone: the dotted
# line.

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
rows = []
for noise in ("Laplace", "Gaussian"):
    errors = np.sqrt(law_errors(16, 2, noise == "Gaussian")) * count_deviation(1, noise) / N
    rows.append((noise, *errors))
columns = ["noise", "flat", "direct", "waves, equal", "waves, best", "6 views of 8"]
print("a pair of our 16 attributes, epsilon 1, delta 0 or a millionth: error in N")
print(pd.DataFrame(rows, columns=columns).round(4).to_string(index=False))

# %% [markdown]
# **The order depends on the guarantee.** Under pure $\varepsilon$-DP the noise follows the L1 sensitivity: $m$ for
# $m$ tables. The Gaussian mechanism ([24](24_gaussian.ipynb)) guarantees $(\varepsilon, \delta)$-DP, and its noise
# follows the L2 sensitivity, $\sqrt m$. Flat gains nothing from that, Direct gains most, and the best waves pass
# the views. The best scales change too: with the inverse *fourth* root of the number of tables that use a
# coefficient, no longer the cube root.

# %% jupyter={"source_hidden": true}
# Figure: law_lines(k, noise), in records: the error of a table by the number of attributes
fig, law_axes = figure(height=4.0)
law_verdict = verdict_text(law_axes)


law_looks = {
    "flat": (COLOURS.other, "-"),
    "direct": (COLOURS.true, "-"),
    "waves, equal shares": (COLOURS.light, "--"),
    "waves, best shares": (COLOURS.noisy, "-"),
    "views of 8, pairs": (COLOURS.third, "-"),
}
drawn_laws = [
    law_axes.plot(WIDTHS, WIDTHS, color=colour, linestyle=dash, linewidth=2, label=label)[0]
    for label, (colour, dash) in law_looks.items()
]
law_axes.axhline(0.1, color=COLOURS.grey, linestyle=":", label="useless above")
law_axes.set(
    yscale="log",
    ylim=(1e-5, 1e3),
    xlim=(4, 32),
    xlabel="attributes d",
    ylabel="error distance / N (log scale)",
)
law_axes.yaxis.set_major_formatter(lambda error, _: amount(error))
legend_above(fig, 3, frameon=False)


def update_laws(k, people_count, epsilon, noise):
    errors = np.sqrt(law_lines(k, noise)) * count_deviation(epsilon, noise) / people_count
    for line, error in zip(drawn_laws, errors, strict=True):
        line.set_ydata(error)
    at = WIDTHS.tolist().index(16)
    views = "" if np.isnan(errors[4, at]) else f", views {amount(errors[4, at])}"
    best = int(np.nanargmin(errors[:, at]))
    set_verdict_text(
        law_verdict,
        None,
        f"16 attributes: best are {list(law_looks)[best]}, "
        f"off by {errors[best, at]:.2%} of the records",
    )
    return (
        f"16 attributes, k = {k}: flat {amount(errors[0, at])}, direct "
        f"{amount(errors[1, at])}, waves {amount(errors[2, at])}, with the best shares "
        f"{amount(errors[3, at])}{views} of {people_count:,} records"
    )


live(
    fig,
    update_laws,
    "Error of a table divided by the number of records against the number of attributes, on "
    "a log scale, for five methods: flat grows exponentially and crosses direct; waves and "
    "views stay below both for many attributes.",
    task=(
        "with $k = 2$, where do flat and direct cross? Does that depend on $N$ or "
        r"$\varepsilon$? Then: how many records make pairs of 32 attributes useful at "
        r"$\varepsilon = 0.1$? Last: Gaussian noise, and the order of the lines."
    ),
    k=choice([2, 3, 4, 5], 2, label="attributes, k"),
    people_count=choice(
        [1_000, 5_000, 20_190, 100_000, 1_000_000, 10_000_000], 20_190, label="records N"
    ),
    epsilon=log_slider(0.01, 10, 1.0),
    noise=choice(["Laplace", "Gaussian"], "Laplace", label="noise (Gaussian: δ = 10⁻⁶)"),
)

# %% [markdown]
# ## Waves on a cube
#
# Pairs overlap: the table of $(a, b)$ and that of $(a, c)$ both tell how many have $a$, and
# Direct pays for it again in each of them. Write a table in another basis, in which nothing is
# said twice. For a set $b$ of attributes let
#
# $$F_b = \sum_{\text{records } x} (-1)^{\text{number of } a \in b \text{ with } x_a = 1}.$$
#
# $F_\emptyset = N$; $F_{\{a\}}$ is the noes minus the yeses; $F_{\{a,b\}}$ counts who answers
# both alike, minus who does not. These *Walsh coefficients* of the $2^k$ subsets of $A$
# **are** the table over $A$:
#
# $$T_A(x) = 2^{-k} \sum_{b \subseteq A} (-1)^{b \cdot x} F_b .$$

# %%
doctor_drugs = marginal(records, (10, 12))
print("table, doctor x drugs:", doctor_drugs.ravel())
print("its coefficients:", walsh(doctor_drugs).ravel())
counted = walsh_coefficients(records, 2)
print(
    "the same, counted directly:", [counted[chosen] for chosen in ((), (12,), (10,), (10, 12))]
)
assert np.array_equal(table_from(counted, (10, 12)), doctor_drugs)

# %% [markdown]
# All tables of up to $k$ attributes need the coefficients of all sets of up to $k$: $m =
# \sum_{j \le k} \binom dj$ of them, and **one record moves each by exactly 1**, up or down.
# Noise of scale $m/\varepsilon$ on each makes this $\varepsilon$-DP: the log ratio of
# densities under neighbours is $m \cdot \varepsilon / m$. A table's error is $2^k \cdot 4^{-k}
# \cdot 2^k m^2 V_u = m^2\,V_u$, and all tables agree with each other, since they come from one
# list. "This has similar accuracy as the Direct method", says the textbook (6.2.3; erratum [E48](22_errata.ipynb#E48)).
#
# And equal shares of $\varepsilon$ are not the best. A coefficient of $j$ attributes is used
# by $\binom{d-j}{k-j}$ tables, and a share of $\varepsilon$ in proportion to the **cube root**
# of that minimises the sum of all errors (set the derivative of $\sum_j n_j u_j / s_j^2$ with
# $\sum_j n_j s_j = 1$ to zero).

# %%
show_source(fourier_marginals)
show_source(cube_root_shares)
rows = []
for n, k in ((16, 2), (16, 3), (32, 2), (32, 4)):
    equal, best = fourier_error(n, k), fourier_error(n, k, shares=cube_root_shares(n, k))
    rows.append(
        (n, k, direct_error(n, k), equal, best, direct_error(n, k) / equal, equal / best)
    )
print(
    pd.DataFrame(
        rows,
        columns=[
            "d",
            "k",
            "Direct, V_u",
            "equal",
            "cube roots",
            "Direct/equal",
            "equal/cube roots",
        ],
    ).to_string(index=False, float_format="{:,.2f}".format)
)

# %% [markdown]
# "Similar" is 3 to 12 times; cube roots are another 2 to 6, for nothing. (Barak and others
# proposed the method in 2007, Yaroslavtsev and others the shares in 2013.)
#
# **With Gaussian noise the waves are optimal.** The *matrix mechanism* ([08](08_histograms.ipynb)) releases some linear
# *strategy* with noise and infers the queries from it. **HDMM** (McKenna and others 2018) searches for good strategies
# of many attributes. Li and Miklau (2013) prove what none of them can beat: the sum of squared errors over all queries
# is at least (sum of the singular values of the query matrix)$^2$ / (number of cells), in the variance of one count.
# The waves are the singular vectors of "all tables of $k$", and fourth-root scales attain the bound. ResidualPlanner
# (Xiao and others 2023) does the same for attributes of any size.

# %%
some_cells = np.array(list(np.ndindex((2,) * 6)))
queries = [
    (some_cells[:, list(pair)] == values).all(axis=1)
    for pair in itertools.combinations(range(6), 2)
    for values in np.ndindex(2, 2)
]
bound = np.linalg.svd(np.array(queries, float), compute_uv=False).sum() ** 2 / 2**6
print(
    f"all pairs of 6 attributes: bound {bound:.3f}, waves {15 * gaussian_wave_error(6, 2):.3f}"
)
print(
    f"a pair of 16: waves {gaussian_wave_error(16, 2):.1f}, Direct {4 * 120} variances of a "
    f"count; scales for 0, 1 and 2 attributes {fourth_root_scales(16, 2).round(2)}"
)

# %% [markdown]
# The tables agree, but cells can be negative. Barak's remedy is a linear programme over the
# full table: the non-negative one whose largest coefficient error is least. It has $2^d$
# unknowns; for the eight questions of Fair's survey that is no trouble, and it costs no
# privacy.

# %%
fair_names, women = affairs_attributes()
fair_pairs = list(itertools.combinations(range(8), 2))
rows = []
for seed in range(20):
    noisy_waves = fourier_marginals(
        women, 2, 0.1, np.random.default_rng(seed), shares=cube_root_shares(8, 2)
    )
    full = nonnegative_table(noisy_waves, 8)
    tables = (
        [table_from(noisy_waves, pair) for pair in fair_pairs],
        [project(full, range(8), pair) for pair in fair_pairs],
    )
    rows.append(
        [
            np.mean(
                [
                    table_error(t, marginal(women, p))
                    for t, p in zip(some, fair_pairs, strict=True)
                ]
            )
            for some in tables
        ]
        + [min(table.min() for table in some) for some in tables]
    )
before, after, lowest, lowest_after = np.median(rows, axis=0)
print(
    f"Fair's survey, epsilon 0.1, medians of 20 releases: error {before:.0f} records, with "
    f"the programme {after:.0f}"
)
print(f"lowest cell of all pairs {lowest:.0f}, with the programme {lowest_after:.0f}")

# %% [markdown]
# The programme removes what is impossible. It aims at the largest error of a coefficient, so
# the error of a table may well grow.
#
# ## Which tables to buy: data cubes
#
# Between Flat (one table of all) and Direct (every wanted table) lies everything else: buy
# some tables of middle size that *hold* all the wanted ones. With $w$ bought tables, each gets
# $\varepsilon / w$; a cell of a wanted table is summed from $2^{|V|-k}$ cells of a bought one
# $V$, so its variance is $w^2\,2^{|V|-k}\,V_u$. Ding and others (2011) choose the tables by
# such a criterion. The textbook says (6.2.4): for yes-or-no attributes this "will lead it to
# choose to publish the full contingency table".

# %%
rows = []
for n in range(8, 15):
    views = choose_cubes(n, 2)
    rows.append(
        (
            n,
            len(views),
            max(map(len, views)),
            cube_error(views, 2),
            cube_error([tuple(range(n))], 2),
        )
    )
print("pairs: the tables with the least variance of a cell, in V_u")
print(
    pd.DataFrame(rows, columns=["d", "tables", "largest", "variance", "full table"]).to_string(
        index=False, float_format="{:,.0f}".format
    )
)
seven = choose_cubes(11, 2)
print("eleven attributes:", *seven[:4])
print("                  ", *seven[4:])

# %% [markdown]
# That is true up to ten attributes. From eleven on it is **false** (erratum [E49](22_errata.ipynb#E49)): the seven tables printed
# are the lines of Fano's plane (seven points, any two on one line; four of the points stand
# for two attributes each). 392 beats 512. At sixteen, twenty tables of four, the lines of an
# affine plane over a field of four elements, beat the full table ten times over. The criterion
# works better than the textbook says. (Walking all $2^d$ sets, as the
# original does, is indeed out of the question.)

# %%
affine = covering_design(16, 4, 2)
print(len(affine), "tables of 4:", *affine[:4], "...")
print(
    f"variance of a cell of a pair: {cube_error(affine, 2):,.0f} V_u; full table {2**14:,}; "
    f"Direct {len(pairs) ** 2:,}"
)

# %% [markdown]
# ## Multiplicative weights: ask only what surprises
#
# MWEM (Hardt, Ligett, McSherry 2012) keeps a full table, uniform at first. In each of $T$
# rounds it selects, by the exponential mechanism, the marginal that its table gets most wrong,
# buys that one with Laplace noise, and shifts the table towards all it has bought. Half of
# $\varepsilon/T$ pays for the choice, half for the numbers. The score of a marginal is $\sum
# |T - \tilde T|$, which one record moves by at most 1.
#
# The textbook describes a step as one update a round, and an "improved" version with many passes
# over all that was bought. That one is built here.
#
# **Look at the argument `total`.** The update needs the number of records. Under add/remove
# neighbours that number is not public (erratum [E58](22_errata.ipynb#E58)). Published experiments hand over the exact one: then the
# released table's total *is* $N$, and two neighbours are told apart with certainty, at any
# $\varepsilon$.

# %%
show_source(mwem_rounds)
show_source(multiplicative_update)
for some in (records[:500, :4], records[:501, :4]):
    leaky = mwem(some, 2, 3, len(some), 0.01, np.random.default_rng(1))
    bought = len(some) + np.random.default_rng(2).laplace(scale=1 / 0.005)
    honest = mwem(some, 2, 3, max(bought, 1.0), 0.005, np.random.default_rng(1))
    print(
        f"{len(some)} records, epsilon 0.01: total released {leaky.sum():.6f}; bought with "
        f"half: {honest.sum():.1f}"
    )

# %% [markdown]
# The figure follows MWEM on the first ten attributes, with the number of records taken as
# public.

# %%
ten = records[:, :10]
ten_pairs = list(itertools.combinations(range(10), 2))
ten_truth = marginals(ten, ten_pairs)


@lru_cache(maxsize=64)
def mwem_story(rounds, passes, epsilon, seed):
    """After each round: which pair it bought, and the mean error of all pairs, divided by
    N.
    """
    story = []
    for step in mwem_rounds(
        ten, 2, rounds, N, epsilon, np.random.default_rng(seed), passes=passes
    ):
        misses = walsh(step.table).ravel()[pair_waves] - true_waves
        errors = (
            np.linalg.norm(misses, axis=1) / 2
        )  # a table of four cells, from its four waves
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


singles = Synopsis([(a,) for a in range(10)], [marginal(ten, (a,)) for a in range(10)])
alone = (
    np.mean(
        [
            table_error(answer(singles, pair), t)
            for pair, t in zip(ten_pairs, ten_truth, strict=True)
        ]
    )
    / N
)

# %% jupyter={"source_hidden": true}
# Figure: mwem_story(rounds, passes, epsilon, seed): the error after each round
fig, mwem_axes = figure(height=3.8)
mwem_line = mwem_axes.plot([1], [1], marker="o", color=COLOURS.noisy, label="MWEM")[0]
mwem_flat = mwem_axes.axhline(0.1, color=COLOURS.other, linestyle="--", label="flat, expected")
mwem_axes.axhline(alone, color=COLOURS.grey, linestyle=":", label="independent")
mwem_axes.set(xlim=(0.5, 24.5), ylim=(1e-4, 1), yscale="log", xlabel="round")
mwem_axes.set_ylabel("mean error of a pair / N\n(log scale)")
mwem_axes.yaxis.set_major_formatter("{x:g}")
mwem_verdict = verdict_text(mwem_axes)
legend_above(fig, 3, frameon=False)


def update_mwem(rounds, passes, epsilon, seed):
    story = mwem_story(rounds, passes, epsilon, seed)
    mwem_line.set_data(np.arange(1, rounds + 1), [error for _, error in story])
    flat = math.sqrt(2 * flat_error(10, 2)) / epsilon / N
    mwem_flat.set_ydata([flat] * 2)
    set_verdict_text(
        mwem_verdict,
        None,
        f"after {rounds} rounds off by {story[-1][1]:.2%} of the records; flat: {flat:.2%}",
    )
    first = "; ".join(f"{names[a]} × {names[b]}" for (a, b), _ in story[:4])
    return f"chosen first: {first}. Error after {rounds} rounds {story[-1][1]:.4f} N"


live(
    fig,
    update_mwem,
    "Mean error of a pair after each round of MWEM, falling at first and then flat or noisy; "
    "a dashed line for the flat release and a dotted one for the true single attributes "
    "taken as independent.",
    task=(
        "$T = 4$: which tables does it choose? Then $T = 24$: each table is bought with a "
        r"sixth of the budget. Then $\varepsilon = 0.1$: where is the best $T$ now? What do "
        "the passes buy?"
    ),
    guess=predict(
        "24 rounds instead of 8: what is the error after them?",
        (0.001, 0.3, " N"),
        r"rounds ([\d.]+) N",
        rounds=24,
    ),
    rounds=choice([2, 4, 8, 12, 16, 24], 8, label="rounds T"),
    passes=choice([1, 2, 3, 8], 3),
    epsilon=log_slider(0.01, 10, 1.0),
    seed=new_noise(1),
)

# %% [markdown]
# ## A database as a polynomial
#
# Turn the view round: a cell with $k$ literals ($x_a = v_a$) counts the records that violate
# none of them. With $s$ violated literals, that is the indicator of $s = 0$; replace it by a
# polynomial $p(s)$ of low degree with $p(0) = 1$ and $|p(1)|, \dots, |p(k)| \le \gamma$, and
# release the coefficients (Thaler, Ullman, Vadhan 2012). The textbook's table, for $k = 2$ and 4,
# takes $2\lceil\sqrt k\rceil \log_2(1/\gamma)$ for the degree (erratum
# [E50](22_errata.ipynb#E50)). None of its degrees is below $k$, and **degree $k$ is exact**: $\prod_j (1 - s/j)$ is 1 at 0 and 0 at $1, \dots, k$.
#
# How much noise? One record is in one cell of each table of $j$ attributes, so it moves all
# coefficients together by $\sum_j \binom dj |\Delta^j p(0)|$, where $\Delta^j p(0)$ are the
# differences of $p$ at 0. That is far less than what the textbook has (in proportion to the
# number of terms, and to two to the power of the degree), and still dear:

# %%
for order in (2, 4):
    gammas = [best_polynomial(order, degree).gamma for degree in range(order + 1)]
    print(
        f"k = {order}: least gamma by degree 0, 1, ...:", *(f"{gamma:.4f}" for gamma in gammas)
    )
print("degrees by the rule and numbers of terms, for k = 2 with d = 9 and k = 4 with d = 32:")
for gamma in (1 / 2, 1 / 4, 1 / 8):
    degrees = [2 * math.ceil(math.sqrt(k)) * round(math.log2(1 / gamma)) for k in (2, 4)]
    terms = [
        math.comb(2 * n + degree, degree) for n, degree in zip((9, 32), degrees, strict=True)
    ]
    print(
        f"    gamma {gamma}: degrees {degrees[0]} and {degrees[1]}, {amount(terms[0])} and "
        f"{amount(terms[1])} terms"
    )
print(
    f"exact for d = 9, k = 2 with degree 2: {math.comb(20, 2)} terms; for d = 32, k = 4 "
    f"{math.comb(68, 4):,},"
)
print(f"of which {sum(math.comb(32, j) * 2**j for j in range(5)):,} are not 0")

rows = []
for degree in (1, 2):
    shape = best_polynomial(2, degree)
    rows.append(
        (
            degree,
            shape.gamma,
            polynomial_sensitivity(16, 2, degree),
            polynomial_error(16, 2, degree),
        )
    )
print(
    pd.DataFrame(rows, columns=["degree", "gamma", "L1 sensitivity", "noise, V_u"])
    .round(2)
    .to_string(index=False)
)
print(
    f"waves: {fourier_error(16, 2):,.0f} V_u; the exact polynomial is "
    f"{rows[1][3] / fourier_error(16, 2):.0f} = 4^k times that"
)
bias = best_polynomial(2, 1).gamma
print(
    f"degree 1 has little noise, but counts ±{bias:.2f} of a record that violates a literal: "
    "useless"
)

# %% [markdown]
# ## PriView: few views, made to agree
#
# Qardaji, Yang and Li (2014) buy $w$ tables, the *views*, of a middle size, each with noise of
# scale $w/\varepsilon$, and never look at the data again. So far these are data cubes. What
# follows is the good part:
#
# 1. make the views **agree** where they overlap: each learns from all others;
# 2. deal with cells **below zero**;
# 3. answer tables that **no view holds**.
#
# Six views of eight attributes hold every pair of sixteen: four groups of four attributes, two
# groups at a time.

# %%
show_source(noisy_views)
show_source(priview)
eights = covering_design(16, 8, 2)
print(len(eights), "views, no design has fewer than", covering_bound(16, 8, 2))
raw = noisy_views(records, eights, 1, np.random.default_rng(1))
for view, table in zip(eights, raw, strict=True):
    print(f"total in view {view}: {table.sum():,.0f}")

# %% [markdown]
# Six views, six totals. The textbook makes views agree on $A = V_1 \cap \dots \cap V_j$ by
# averaging their projections on $A$ (6.6) and spreading each view's difference evenly over the
# cells behind a cell of $A$. It divides by $2^{|V|} - |A|$ (erratum [E51](22_errata.ipynb#E51)). The cells behind one are $2^{|V| -
# |A|}$, and so it is in its own worked example:

# %%
book_views, book_tables = (
    [(1, 2), (1, 3)],
    [[[0.3, 0.3], [0.3, 0.1]], [[0.2, 0.3], [0.1, 0.4]]],
)
for rule in (mutual_consistency, printed_consistency):
    agreed = rule(book_views, book_tables, (1,))
    print(f"{rule.__name__}:", *(np.round(table.ravel(), 4) for table in agreed))
    print(
        "    on attribute 1:",
        *(
            project(table, view, (1,)).round(4)
            for view, table in zip(book_views, agreed, strict=True)
        ),
    )

# %% [markdown]
# All intersections are then worked off, smallest first. **In waves the whole procedure is one
# line.** A view holds a noisy copy of $F_b$ for each $b \subseteq V$. Averaging the copies of
# every $F_b$ makes all views agree on everything, in no particular order. A copy from a view
# of $2^{|V|}$ cells has variance $2^{|V|}$ times that of a cell, so views of different sizes
# get weights $2^{-|V|}$ (the textbook's plain mean is right for one size only: erratum [E52](22_errata.ipynb#E52)). The coefficients
# of one view have uncorrelated errors of one size, so this *is* least squares over all tables
# that agree.

# %%
show_source(consistent)
mixed = [(0, 1, 2, 3), (3, 4), (1,), (4, 0, 2)]
tables = noisy_views(records, mixed, 0.05, np.random.default_rng(3))
cells = np.array(list(np.ndindex(*[2] * 5)))
design = np.array(
    [
        (cells[:, list(v)] == c).all(axis=1)
        for v, t in zip(mixed, tables, strict=True)
        for c in np.ndindex(t.shape)
    ]
)
fitted = (
    design
    @ np.linalg.lstsq(
        design.astype(float), np.concatenate([t.ravel() for t in tables]), rcond=None
    )[0]
)
gap = np.abs(np.concatenate([t.ravel() for t in consistent(mixed, tables)]) - fitted).max()
assert gap < 1e-6
print("views of 4, 2, 1 and 3 attributes against least squares: equal to one millionth")

# %%
three_views = [(10, 12, 13), (10, 12, 6), (12, 13, 6)]
three_truth = marginals(records, three_views)
rules = {
    "as bought": lambda tables: tables,
    "printed rule": lambda tables: printed_consistency(three_views, tables, (10, 12)),
    "two agree": lambda tables: mutual_consistency(three_views, tables, (10, 12)),
    "all three": lambda tables: consistent(three_views, tables),
}

# %% jupyter={"source_hidden": true}
# Figure: noisy_views(records, three_views, 1, rng), and what each rule makes of them
SCALE = 3.0  # of the noise at epsilon 1
fig, (agree_axes, view_axes) = figure(columns=2, height=3.6)
CELLS = ["00", "01", "10", "11"]
agree_bars = [
    agree_axes.bar(
        np.arange(4) + shift,
        np.zeros(4),
        0.38,
        color=colour,
        edgecolor="black",
        hatch=hatch,
        label=label,
    )
    for shift, colour, hatch, label in (
        (-0.2, COLOURS.noisy, "", "with hospital"),
        (0.2, COLOURS.amber, "//", "with good health"),
    )
]
agree_axes.set(ylim=(-6, 6), xlabel="doctor, drugs", ylabel="error / scale of the noise")
agree_axes.set_xticks(range(4), CELLS)
agree_axes.axhline(0, color=COLOURS.grey, linewidth=0.8)
view_bars = view_axes.bar(range(8), np.zeros(8), 0.7, color=COLOURS.third, edgecolor="black")
view_axes.set(ylim=(-6, 6), xlabel="doctor, drugs, hospital")
view_axes.set_xticks(range(8), [f"{n:03b}" for n in range(8)])
view_axes.axhline(0, color=COLOURS.grey, linewidth=0.8)
agree_verdict = verdict_text(agree_axes)
legend_above(fig, 2, frameon=False)


def update_agreement(rule, seed):
    agreed = rules[rule](noisy_views(records, three_views, 1, np.random.default_rng(seed)))
    parts = [project(agreed[place], three_views[place], (10, 12)) for place in (0, 1)]
    for bars, part in zip(agree_bars, parts, strict=True):
        for bar, off in zip(
            bars, (part - marginal(records, (10, 12))).ravel() / SCALE, strict=True
        ):
            bar.set_height(off)
    for bar, off in zip(view_bars, (agreed[0] - three_truth[0]).ravel() / SCALE, strict=True):
        bar.set_height(off)
    totals = ", ".join(f"{table.sum():,.1f}" for table in agreed)
    apart = np.abs(parts[0] - parts[1]).max()
    set_verdict_text(
        agree_verdict,
        bool(apart < 1e-6),
        (
            "the two views agree"
            if apart < 1e-6
            else f"the two views are up to {apart:.1f} records apart"
        ),
    )
    return f"largest disagreement of the two {apart:.2f} records; totals {totals} (true {N:,})"


live(
    fig,
    update_agreement,
    "Left, the errors of the four cells of doctor x drugs as two views tell them, in units "
    "of the noise's scale; right, the errors of the eight cells of one view. After agreement "
    "the left bars are equal in pairs.",
    task=(
        "three views of three attributes; two of them share doctor x drugs. *As bought*, "
        "the two tell different stories of it. Make them agree. Then choose the printed "
        "rule. Then *all three*: the third view has something to say about drugs, too. The "
        r"bars are errors in units of the noise's scale, so $\varepsilon$ does not matter "
        "here."
    ),
    rule=choice(list(rules), "as bought", label="rule"),
    seed=new_noise(4),
)

# %% [markdown]
# ## Below zero: the trap of cutting
#
# Most cells of a view of eight attributes are nearly empty, and half of those come out
# negative. Setting them to 0 looks harmless. "Experimental results have found that simply
# changing negative numbers to 0 dramatically increases the error", says the textbook, and **this
# is true**: every empty cell keeps its positive noise and loses the negative, so sums over
# many cells are too large. *Ripple* takes what a lifted cell gained from its neighbours (the
# cells that differ in one attribute), so totals stay.
#
# "It is guaranteed to terminate quickly", says the textbook (erratum [E55](22_errata.ipynb#E55)). The total never changes, so it cannot
# end if that is too low. Even with a healthy total it may not end at threshold 0:

# %%
show_source(ripple)
print(
    "(-1, -1) after 1, 2 and 50 rounds:",
    *(ripple([-1.0, -1], 0, rounds) for rounds in (1, 2, 50)),
)
lowest = [ripple([[-3.0, 1], [1, 9]], 0, rounds).min() for rounds in (1, 3, 5, 7, 41)]
print(
    "(-3, 1, 1, 9): lowest cell after 1, 3, 5, 7, 41 rounds:",
    *(amount(cell, 2) for cell in lowest),
)
ended = next(
    rounds for rounds in range(99) if ripple([[-3.0, 1], [1, 9]], 0.01, rounds).min() >= -0.01
)
print(
    f"with threshold 0.01 it ends after {ended} rounds; ours: at most 5, and threshold w/(4 "
    "epsilon)"
)

# %%
view_place = 1
sorted_by_truth = np.argsort(marginal(records, eights[view_place]).ravel())[::-1]
eight_truth = marginal(records, eights[view_place])


@lru_cache(maxsize=32)
def agreed_view(epsilon, seed):
    """One of the six views after they were made to agree."""
    return consistent(
        eights, noisy_views(records, eights, epsilon, np.random.default_rng(seed))
    )[view_place]


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
fig, (cell_axes, half_axes) = figure(
    columns=2, height=3.8, gridspec_kw={"width_ratios": [3, 2]}
)
cell_dots = cell_axes.plot(
    range(256), np.zeros(256), ".", color=COLOURS.noisy, markersize=4, label="released"
)[0]
cell_axes.plot(
    range(256), eight_truth.ravel()[sorted_by_truth], color=COLOURS.true, label="true"
)
cell_axes.set_yscale("symlog", linthresh=100)
cell_axes.set(
    xlabel="cells of the view, largest first",
    ylabel="records",
    ylim=(-2000, 12_000),
    xlim=(-2, 257),
)
cell_axes.set_yticks(
    [-1000, -100, 0, 100, 1000, 10_000], ["−1,000", "−100", "0", "100", "1,000", "10,000"]
)
cell_axes.axhline(0, color=COLOURS.grey, linewidth=0.8)
(half_dots,) = half_axes.plot(
    np.zeros(8), range(8), "o", color=COLOURS.amber, markeredgecolor="black"
)
half_axes.grid(axis="y", color=COLOURS.pale)
half_axes.set_yticks(range(8), [names[a] for a in eights[view_place]])
half_axes.set_xscale("symlog", linthresh=100)
half_axes.set(xlim=(-20_000, 20_000), xlabel="error of the yeses, records")
half_axes.set_xticks([-10_000, 0, 10_000], ["−10,000", "0", "10,000"])
half_axes.axvline(0, color=COLOURS.grey, linewidth=0.8)
below_verdict = verdict_text(cell_axes)
legend_above(fig, 2, frameon=False)


def update_below(remedy, rounds, threshold, epsilon, seed):
    table = remedies[remedy](
        agreed_view(epsilon, seed), threshold * len(eights) / epsilon, rounds
    )
    cell_dots.set_ydata(table.ravel()[sorted_by_truth])
    off = [np.moveaxis(table - eight_truth, axis, 0)[1].sum() for axis in range(8)]
    half_dots.set_xdata(off)
    set_verdict_text(
        below_verdict,
        None,
        f"{np.sum(table < 0)} of 256 cells below zero; the total is off by "
        f"{table.sum() - N:,.0f}",
    )
    return (
        f"{np.sum(table < 0)} of 256 cells below zero, the lowest {round(table.min()):,}; "
        f"total {table.sum():,.0f} (true {N:,}); error distance "
        f"{table_error(table, eight_truth) / N:.4f} N"
    )


live(
    fig,
    update_below,
    "Left, the 256 cells of a view, sorted by their true counts, and the released ones "
    "scattered around them, many below zero. Right, the error of the number of yeses for "
    "each of the eight attributes: large when cells are cut at zero.",
    task=(
        '*nothing*, then *cut*, and watch the right picture: what happens to "how many have '
        'fair health"? *Cut and rescale* repairs the total and spoils large cells instead. '
        "Then Ripple, from 0 to 50 rounds."
    ),
    guess=predict(
        "With no remedy, how many of the 256 cells are below zero?",
        (0, 256, " cells"),
        r"^(\d+) of 256",
        remedy="nothing",
    ),
    remedy=choice(list(remedies), "Ripple", label="remedy"),
    rounds=choice([0, 1, 2, 5, 10, 50], 5, label="rounds of Ripple"),
    threshold=choice([0, 0.1, 0.25, 0.5, 1], 0.25, label="threshold, in w/epsilon"),
    epsilon=log_slider(0.03, 3, 0.3),
    seed=new_noise(1),
)

# %% [markdown]
# Does it matter for pairs? Medians of 20 releases, mean error of twenty pairs in $N$, with the
# same noise for each remedy. After a remedy the views are made to agree once more.

# %%
pair_truth = marginals(records, pairs)


def mean_error(synopsis, sets, truth):
    """The mean error of the tables over `sets`, divided by N."""
    told = [answer(synopsis, some) for some in sets]
    return np.mean([table_error(table, t) for table, t in zip(told, truth, strict=True)]) / N


def after_remedies(views, epsilon, seed):
    """The mean error of twenty pairs after each remedy."""
    agreed = consistent(
        views, noisy_views(records, views, epsilon, np.random.default_rng(seed))
    )
    errors = []
    for remedy in remedies.values():
        tables = [remedy(table, len(views) / (4 * epsilon), 5) for table in agreed]
        again = Synopsis(views, consistent(views, tables))
        errors.append(mean_error(again, pairs[::6], pair_truth[::6]))
    return errors


rows = []
for views, epsilon in ((eights, 1), (eights, 0.1), (affine, 0.1)):
    medians = np.median([after_remedies(views, epsilon, seed) for seed in range(20)], axis=0)
    rows.append((f"{len(views)} views of {len(views[0])}", epsilon, *medians))
columns = ["", "epsilon", *remedies]
print(pd.DataFrame(rows, columns=columns).round(4).to_string(index=False))


def after_ripples(views, epsilon, seed, times):
    """The error over every sixth pair where the views agree, and then so many times are
    rippled and made to agree once more."""
    tables = consistent(
        views, noisy_views(records, views, epsilon, np.random.default_rng(seed))
    )
    for _ in range(times):
        tables = consistent(
            views, [ripple(table, len(views) / (4 * epsilon), 5) for table in tables]
        )
    return mean_error(Synopsis(views, tables), pairs[::6], pair_truth[::6])


once, often = (
    np.median([after_ripples(eights, 0.1, seed, times) for seed in range(20)])
    for times in (1, 4)
)
print(
    f"Ripple and agreement four times instead of once: the error is {often / once:.2f} times "
    "as large"
)

# %% [markdown]
# Cutting multiplies the error by 2 to 4 where cells are small, and does nothing where they are
# large. (In the live figure: five rounds of Ripple do nearly all that fifty do.) And one turn of
# agreement, Ripple, agreement is enough, as the textbook says (6.3.3): four change next to nothing.
#
# ## What no view holds
#
# A triple that lies in no view is known only through its parts. Three ways to fill it in
# (6.3.2): a linear programme that violates least, the least sum of squares, or **maximum
# entropy**: the table that says no more than the views do. Without noise, on triples that six
# views of eight do not hold:

# %%
show_source(maximum_entropy)
exact = Synopsis(eights, marginals(records, eights))
uncovered = [
    triple for triple in triples if not any(set(triple) <= set(view) for view in eights)
]
for reconstruct in (least_violation, least_norm, maximum_entropy):
    off = [
        table_error(answer(exact, t, reconstruct=reconstruct), marginal(records, t)) / N
        for t in uncovered[::8]
    ]
    print(
        f"{reconstruct.__name__:>16}: mean error {np.mean(off):.4f} N, worst "
        f"{np.max(off):.4f} N"
    )
print(
    f"{len(uncovered)} of {len(triples)} triples are in no view; every eighth of them was "
    "tried"
)

# %% [markdown]
# This is what **Private-PGM** does (McKenna, Sheldon, Miklau 2019): it fits the model of maximum entropy to noisy
# tables. Theirs is one graphical model of all attributes, on a junction tree; ours is one small table at a time. **MST**
# (2021) and **AIM** (2022) fit such models and choose the tables privately, as MWEM does; they are today's usual
# choice for synthetic records.
#
# One multiplier for each known wave, Newton's method on the dual; for waves that are products
# of signs the matrix of second derivatives is a lookup in one Walsh transform.
#
# **What it cannot see** is what no view shows. In the synthetic data $c = a$ xor $b$: any two
# of the three look independent.

# %% jupyter={"source_hidden": true}
# Figure: maximum_entropy(views, tables, (0, 1, 2)) beside the truth
fig, xor_axes = figure(height=3.4)
xor_bars = [
    xor_axes.bar(
        np.arange(8) + shift,
        np.zeros(8),
        0.38,
        color=colour,
        edgecolor="black",
        hatch=hatch,
        label=label,
    )
    for shift, colour, hatch, label in (
        (-0.2, COLOURS.pale, "", "true"),
        (0.2, COLOURS.noisy, "//", "maximum entropy from the views"),
    )
]
xor_axes.set(ylim=(0, 6000), xlabel="a, b, c", ylabel="records")
xor_axes.set_xticks(range(8), [f"{n:03b}" for n in range(8)])
xor_axes.yaxis.set_major_formatter("{x:,.0f}")
xor_verdict = verdict_text(xor_axes)
legend_above(fig, 2, frameon=False)
view_sets = {
    "singles": [(0,), (1,), (2,)],
    "pairs": [(0, 1), (1, 2), (0, 2)],
    "all three": [(0, 1, 2)],
}


def update_unseen(strength, views):
    _, synthetic = exclusive_or(strength)
    truth = marginal(synthetic, (0, 1, 2))
    fit = maximum_entropy(view_sets[views], marginals(synthetic, view_sets[views]), (0, 1, 2))
    for bars, table in zip(xor_bars, (truth, fit.table), strict=True):
        for bar, cell in zip(bars, table.ravel(), strict=True):
            bar.set_height(cell)
    off = table_error(fit.table, truth) / len(synthetic)
    off = amount(off) if off > 1e-6 else "below 10⁻⁶"
    set_verdict_text(xor_verdict, None, f"error {off} N, and no view is contradicted")
    return (
        f"error {off} N, and no view is contradicted: the gap is {fit.gap:.3f} records. No "
        "noise here at all."
    )


live(
    fig,
    update_unseen,
    "Eight cells of the synthetic table of a, b and c: the true counts alternate between "
    "high and low when c is a xor b, while the table fitted from views of pairs is flat.",
    task=("strength 1 with views of pairs. Then let one view hold all three."),
    guess=predict(
        "Strength 0.5 instead of 1: what is the error now?",
        (0, 1, " N"),
        r"error ([\d.]+) N",
        strength=0.5,
    ),
    strength=slider(0.0, 1.0, 1.0, 0.1),
    views=choice(list(view_sets), "pairs", label="views"),
)

# %% [markdown]
# **Views can agree, and still be impossible.** Three pairs: $a$ unlike $b$, $b$ unlike $c$,
# $a$ unlike $c$. Any two of the views agree on what they share (half say yes), so they are
# consistent in the sense of Definition 6.1. But of three answers two are always alike: no
# table has these marginals (erratum [E56](22_errata.ipynb#E56)). With noise this happens all the time. So the functions return the
# *gap* with the fit: the largest cell by which it misses what a view implies.

# %%
unlike = np.array([[0.0, 300], [300, 0]])
for reconstruct in (least_violation, maximum_entropy, least_norm):
    fit = reconstruct(view_sets["pairs"], [unlike] * 3, (0, 1, 2))
    print(f"{reconstruct.__name__:>16}: gap {fit.gap:.1f} of 600 records")
print("a sixth of the records is the least possible: of three answers at least two agree")

# %% [markdown]
# ## One table, four ways


# %%
@lru_cache(maxsize=64)
def four_releases(epsilon, seed):
    """Everything that each of four methods publishes about all pairs; afterwards any table is
    free.
    """
    rng = np.random.default_rng(seed)
    return (
        flat_table(records, epsilon, rng),
        dict(zip(pairs, direct_marginals(records, pairs, epsilon, rng), strict=True)),
        fourier_marginals(records, 2, epsilon, rng, shares=cube_root_shares(16, 2)),
        priview(records, affine, epsilon, rng),
    )


for epsilon in round_numbers(0.03, 10, 0.1):
    four_releases(epsilon, 2)  # before the first move

# %% jupyter={"source_hidden": true}
# Figure: four_releases(epsilon, seed): the table of two attributes from each
fig, four_axes = figure(height=3.8)
four_looks = [
    ("true", COLOURS.pale, ""),
    ("flat", COLOURS.other, "//"),
    ("direct", COLOURS.fourth, ".."),
    ("waves", COLOURS.light, "\\\\"),
    ("views", COLOURS.third, "xx"),
]
four_bars = [
    four_axes.bar(
        np.arange(4) + 0.16 * (place - 2),
        np.zeros(4),
        0.13,
        color=c,
        edgecolor="black",
        hatch=h,
        label=label,
    )
    for place, (label, c, h) in enumerate(four_looks)
]
four_axes.set(
    ylim=(-9000, 23_000), ylabel="records", xlabel="first and second attribute: no 0, yes 1"
)
four_axes.yaxis.set_major_formatter("{x:,.0f}")
four_verdict = verdict_text(four_axes)
four_axes.set_xticks(range(4), CELLS)
four_axes.axhline(0, color=COLOURS.grey, linewidth=0.8)
legend_above(fig, 5, frameon=False)
four_missing = four_axes.text(1.5, 7_000, "", ha="center", weight="bold")
some_names = {names[a]: a for a in (0, 6, 8, 10, 12, 13, 14)}


def update_four(first, second, epsilon, seed):
    four_missing.set_text("twice the same: no table" if first == second else "")
    if first == second:
        for bar in itertools.chain(*four_bars):
            bar.set_height(0)
        set_verdict_text(four_verdict, None, "choose two different attributes")
        return "choose two different attributes"
    flat, direct, waves, views = four_releases(epsilon, seed)
    pair = (first, second)
    told = direct[tuple(sorted(pair))]
    tables = [
        marginal(records, pair),
        project(flat, range(16), pair),
        told if first < second else told.T,
    ]
    tables += [table_from(waves, pair), answer(views, pair)]
    for bars, table in zip(four_bars, tables, strict=True):
        for bar, cell in zip(bars, table.ravel(), strict=True):
            bar.set_height(cell)
    errors = [table_error(table, tables[0]) for table in tables[1:]]
    told = ", ".join(
        f"{name} {e:,.0f}" for (name, *_), e in zip(four_looks[1:], errors, strict=True)
    )
    least = int(np.argmin(errors))
    set_verdict_text(
        four_verdict,
        None,
        f"least error: {four_looks[1 + least][0]}, {errors[least]:,.0f} records",
    )
    return f"{names[first]} × {names[second]}: error in records: {told}"


live(
    fig,
    update_four,
    "The four cells of the table of two chosen attributes as bars: the true counts and those "
    "released by flat, direct, waves and views. At small epsilon flat and direct are far "
    "off, some bars below zero.",
    task=(
        r"doctor x drugs at $\varepsilon = 0.1$, then at 0.03. Which method is the first to "
        "show a negative number of people? Then two attributes that hardly anybody has."
    ),
    first=choice(some_names, 10, label="first"),
    second=choice(some_names, 12, label="second"),
    epsilon=log_slider(0.03, 10, 0.1),
    seed=new_noise(2),
)

# %% [markdown]
# ## Which views?
#
# Large views hold more tables together, small ones carry less noise. For the noise the textbook
# derives a guide (6.7): a pair is in about $w \ell (\ell - 1) / (d (d-1))$ views of size
# $\ell$, and averaging over them divides the variance. Agreement does better than that (erratum [E53](22_errata.ipynb#E53)), since
# singles and totals are averaged over *more* views than the pair. Exactly:
#
# $$\mathrm{ESE}(A) = 2^{-k} w^2 \sum_{b \subseteq A} \Big(\sum_{V \supseteq b} 2^{-|V|}\Big)^{-1} V_u .$$

# %%
rows = []
for n, size in ((12, 8), (16, 8), (16, 4), (32, 8), (31, 6)):
    views = covering_design(n, size, 2)
    exactly = np.mean(
        [view_error(views, pair) for pair in itertools.combinations(range(n), 2)]
    )
    guide = guideline_error(n, size, len(views))
    rows.append(
        (n, size, len(views), covering_bound(n, size, 2), guide, exactly, guide / exactly)
    )
columns = ["d", "size", "views", "at least", "(6.7) squared, V_u", "exact", "ratio"]
print(
    pd.DataFrame(rows, columns=columns).to_string(index=False, float_format="{:,.2f}".format)
)
by_size = {size: (2 ** (size / 2) / (size * (size - 1)), size - 2) for size in range(5, 13)}
least = (
    min(by_size, key=lambda size: by_size[size][0]),
    min(by_size, key=lambda size: by_size[size][0] / by_size[size][1]),
)
print(
    f"the textbook's two columns that speak for size 8 are least at sizes {least[0]} and "
    f"{least[1]}"
)

# %% [markdown]
# (The textbook looks designs up in a repository. Here they are constructed: groups of attributes
# as the points of a plane. A design is given by $d$, $\ell$ and $t$, "any $t$ attributes are
# in a view"; the textbook's text writes $N$ for $d$.)
#
# The other half is *coverage*: what the views do not show is lost even without noise. The
# figure has both. Noise of a table that no view holds is that of the waves that are known.

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


@cache
def two_errors(k):
    """For each size of view: root mean squared noise (in records, at epsilon 1) and coverage
    error (in records).
    """
    noise, coverage = [], []
    for views in designs.values():
        noise.append(np.mean([2 * known_noise(views, some) for some in some_sets[k]]))
        without = Synopsis(views, marginals(records, views))
        coverage.append(
            np.mean(
                [
                    table_error(answer(without, some), marginal(records, some)) ** 2
                    for some in some_sets[k]
                ]
            )
        )
    return np.sqrt([noise, coverage])


for k in some_sets:
    noise, coverage = two_errors(k)
    best = [SIZES[np.argmin(np.hypot(noise / epsilon, coverage))] for epsilon in (10, 1, 0.1)]
    print(f"tables of {k}: best size of views at epsilon 10, 1 and 0.1: {best}")


@lru_cache(maxsize=64)
def one_release(k, size, epsilon, seed):
    """The error of one synopsis (agreement only) over the chosen tables, in records, root mean
    square.
    """
    tables = consistent(
        designs[size],
        noisy_views(records, designs[size], epsilon, np.random.default_rng(seed)),
    )
    synopsis = Synopsis(designs[size], tables)
    errors = [
        table_error(answer(synopsis, some), truth)
        for some, truth in zip(some_sets[k], true_tables[k], strict=True)
    ]
    return np.sqrt(np.mean(np.square(errors)))


for epsilon in round_numbers(0.03, 10, 1.0):
    one_release(3, 4, epsilon, 1)  # before the first move

# %% jupyter={"source_hidden": true}
# Figure: two_errors(k) for every size of view, and one_release(k, size, epsilon, seed)
fig, cover_axes = figure(height=4)
cover_lines = [
    cover_axes.plot(SIZES, SIZES, color=c, linestyle=s, marker=m, label=label)[0]
    for label, c, s, m in (
        ("noise", COLOURS.other, "--", ""),
        ("coverage", COLOURS.fourth, "-.", ""),
        ("both", COLOURS.noisy, "-", "o"),
        ("noise by the textbook's guide, pairs", COLOURS.grey, ":", ""),
    )
]
cover_dot = cover_axes.plot(
    [8],
    [1],
    "D",
    color=COLOURS.third,
    markersize=9,
    markeredgecolor="black",
    label="one release",
    clip_on=False,
    in_layout=False,
)[0]
cover_axes.set(
    yscale="log",
    ylim=(3e-4, 1),
    xlabel="attributes in a view",
    ylabel="error / N (root mean square)",
)
cover_axes.set_xticks(SIZES)
cover_axes.yaxis.set_major_formatter("{x:g}")
cover_verdict = verdict_text(cover_axes)
legend_above(fig, 3, frameon=False)


def update_cover(k, size, epsilon, seed):
    noise, coverage = two_errors(k)
    both = np.hypot(noise / epsilon, coverage)
    guide = [
        math.sqrt(2 * guideline_error(16, s, len(v))) / epsilon if k == 2 else np.nan
        for s, v in designs.items()
    ]
    for line, error in zip(
        cover_lines, (noise / epsilon, coverage, both, np.array(guide)), strict=True
    ):
        line.set_ydata(np.maximum(error, 1e-9) / N)
    measured = one_release(k, size, epsilon, seed)
    cover_dot.set_data([size], [measured / N])
    best = int(np.argmin(both))
    set_verdict_text(
        cover_verdict,
        None,
        f"size {size}: {both[SIZES.index(size)] / N:.4f} N; least at size {SIZES[best]}, "
        f"{both[best] / N:.4f} N",
    )
    return (
        f"views of at most {size}: {len(designs[size])} of them, expected "
        f"{both[SIZES.index(size)] / N:.4f} N, this release {measured / N:.4f} N; least "
        f"expected at size {SIZES[int(np.argmin(both))]}"
    )


live(
    fig,
    update_cover,
    "Noise error rising and coverage error falling with the size of the views, and their sum "
    "with a minimum in between; a diamond for one actual release; for pairs the textbook's "
    "guide lies above the exact noise.",
    task=(
        r"triples at $\varepsilon = 1$: which size is best? And at 0.1? The two errors add "
        r"(squared); records and $\varepsilon$ trade one for one, so ten times the people "
        r"are the same as ten times $\varepsilon$."
    ),
    k=choice([2, 3, 4], 3, label="attributes, k"),
    size=choice(SIZES, 4, label="size of views"),
    epsilon=log_slider(0.03, 10, 1.0),
    seed=new_noise(1),
)

# %% [markdown]
# The textbook recommends $\ell = 8$ for every dataset (erratum [E54](22_errata.ipynb#E54)). On these 20,190 records smaller views are
# better wherever $\varepsilon$ is not large. It also suggests $\varepsilon = 0.001$ for a
# rough count of $N$ (erratum [E57](22_errata.ipynb#E57)): that noise has a standard deviation of 1414 records, and it must be paid for.
#
# Covering every *triple* ($t = 3$) takes fourteen views of eight; whether that is worth it,
# for triples, the table at the end shows.
#
# ## Two rivals: synthetic records
#
# Zheng and others (2019; page [18](18_sensing.ipynb)) compare with **PrivBayes** (Zhang and
# others) and **DPPro** (Xu and others). Both
# take $N$ as public: neighbours *replace* a record. PrivBayes chooses a Bayesian network, link
# after link, by the exponential mechanism, buys the tables of each attribute with its parents,
# and draws new records. The score of a link is half the distance of the joint table from
# independence. Its published sensitivity is $3/N + 2/N^2$; enumeration up to eight records
# gives $2(N-1)/N^2$, so the published bound is about 1.5 times too cautious. The older score is
# mutual information, in bits; for it the published sensitivity is the true one. A score is worth
# its range over its sensitivity: two equal attributes of half yeses have distance 1/2 and
# information 1.

# %%
show_source(privbayes)
print(
    f"sensitivity at N = 8: published {quality_sensitivity(8):.4f}, by enumeration (in the "
    f"tests) {2 * 7 / 64:.4f}"
)
for score, most, moves in (
    ("distance", 0.5, quality_sensitivity(N)),
    ("information", 1, information_sensitivity(N)),
):
    print(
        f"{score}: one of the {N:,} records moves it by at most {moves:.6f}; most / that = "
        f"{most / moves:,.0f}"
    )

# %% [markdown]
# DPPro multiplies each record by a random $d \times s$ matrix of signs and adds normal noise:
# one noisy row a person, for distances between people, under $(\varepsilon, \delta)$-DP. The
# published scale is larger than needed. And the promise hides a choice: is *one attribute* of
# a record protected, or the record?

# %%
published, least_scale = kenthapadi_scale(1, 1, 1e-5), gaussian_scale(1, 1, 1e-5)
print(
    f"shift of length 1, epsilon 1, delta 1e-5: published {published:.4f}, least "
    f"{least_scale:.4f}, {published / least_scale:.2f} times"
)
for protects in ("attribute", "record"):
    projected = dppro(records, 8, 1, 1e-5, np.random.default_rng(1), protects=protects)
    first, second = np.random.default_rng(2).integers(0, N, (2, 2000))
    estimated = squared_distances(projected, first, second)
    truth = (records[first].astype(float) - records[second]).astype(bool).sum(axis=1)
    guessed = ((projected.release @ projected.matrix.T) > 0.5).astype(int)
    off = (
        np.mean(
            [
                table_error(marginal(guessed, p), t)
                for p, t in zip(pairs, pair_truth, strict=True)
            ]
        )
        / N
    )
    print(
        f"protects one {protects}: scale {projected.scale:.1f}; pairs from the rows: error "
        f"{off:.2f} N\n    squared distance of two people, mean {truth.mean():.1f}: estimate "
        f"off by {np.std(estimated - truth):,.0f} (standard deviation)"
    )

# %% [markdown]
# For one pair of people the noise drowns the distance, and tables from such rows are worse
# than the uniform table (below). DPPro keeps averages of many distances, and is not made for
# marginals.
#
# ## Who wins
#
# At $\varepsilon = 1$: mean error in $N$ over twenty pairs and eight triples, drawn once and
# the same for all; medians of 20 releases with the same seeds, and of 20 others (*again*). The dull rivals come first: a
# uniform table, and sixteen noisy single attributes multiplied as if they were independent.
# MWEM gets the exact $N$: an oracle, for under add/remove it would have to buy it. Its rounds and passes are public;
# three settings show what they are worth, and choosing the best of them is an oracle, too.
#
# PrivBayes protects replaced records, with $N$ public. The other methods lose up to 2 under *replace*. So PrivBayes at
# $\varepsilon = 1$ has the harder task, and at $\varepsilon = 2$ the same.

# %%
drawn = np.random.default_rng(13)
tested = {
    size: [tuple(drawn.choice(16, size, replace=False).tolist()) for _ in range(number)]
    for size, number in ((2, 20), (3, 8))
}
tested_truth = {size: marginals(records, sets) for size, sets in tested.items()}
one_each = [(a,) for a in range(16)]
triple_views = covering_design(16, 8, 3)
bits_of_cells = np.indices((2,) * 16, dtype=np.int8).reshape(16, -1)


def from_synopsis(views):
    """Release views, and answer from them."""
    return lambda epsilon, rng: (priview(records, views, epsilon, rng), answer_all)


def answer_all(synopsis, sets):
    return [answer(synopsis, some) for some in sets]


@cache
def cell_of(some):
    """For each cell of the full table: its cell in the small one of these attributes."""
    return np.ravel_multi_index(bits_of_cells[list(some)], (2,) * len(some))


def add_up(full, sets):
    """What `project` gives, for many small tables at once."""
    small = [np.bincount(cell_of(some), full.ravel(), 2 ** len(some)) for some in sets]
    return [table.reshape((2,) * len(some)) for table, some in zip(small, sets, strict=True)]


def from_table(table):
    """Answer from a full table."""
    return table, add_up


def waves(epsilon, rng):
    shares = cube_root_shares(16, 2)
    noisy_waves = fourier_marginals(records, 2, epsilon, rng, shares=shares)
    return noisy_waves, lambda told, sets: [table_from(told, some) for some in sets]


methods = {
    "uniform table": lambda e, rng: from_table(np.full((2,) * 16, N / 2**16)),
    "16 singles, independent": from_synopsis(one_each),
    "flat": lambda e, rng: from_table(flat_table(records, e, rng)),
    "direct, all 120 pairs": lambda e, rng: (
        Synopsis(pairs, direct_marginals(records, pairs, e, rng)),
        answer_all,
    ),
    "waves to 2, cube roots": waves,
    "6 views of 8": from_synopsis(eights),
    "14 views of 8, all triples": from_synopsis(triple_views),
    "20 views of 4": from_synopsis(affine),
    "MWEM, 12 rounds, 3 passes": lambda e, rng: from_table(
        mwem(records, 2, 12, N, e, rng, passes=3)
    ),
    "MWEM, 12 rounds, 20 passes": lambda e, rng: from_table(mwem(records, 2, 12, N, e, rng)),
    "MWEM, 40 rounds, 10 passes": lambda e, rng: from_table(
        mwem(records, 2, 40, N, e, rng, passes=10)
    ),
    "PrivBayes, 2 parents": lambda e, rng: (privbayes(records, 2, e, rng), marginals),
    "the same, epsilon 2": lambda e, rng: (privbayes(records, 2, 2 * e, rng), marginals),
}


def errors_by_size(methods, label, epsilon, seed):
    """Mean errors of pairs and of triples; nan where the release has none."""
    release, tell = methods[label](epsilon, np.random.default_rng(seed))
    errors = []
    for size, sets in tested.items():
        if size > 2 and label.startswith(("direct", "waves")):
            errors.append(np.nan)
            continue
        told = tell(release, sets)
        off = [
            table_error(table, truth)
            for table, truth in zip(told, tested_truth[size], strict=True)
        ]
        errors.append(np.mean(off) / N)
    return errors


def raced(methods, label, epsilon, seeds=range(40)):
    """The median error of pairs and of triples over 20 seeds, of pairs over 20 others, and the
    standard error of such a median (1.25 standard deviations / root of 20).
    """
    errors = np.array([errors_by_size(methods, label, epsilon, seed) for seed in seeds])
    first, second = np.array_split(errors, 2) if len(errors) > 1 else (errors, errors)
    doubt = 1.25 * errors[:, 0].std() / math.sqrt(20)
    return *np.median(first, axis=0), np.median(second[:, 0]), doubt


columns = ["error in N at epsilon 1", "pairs", "triples", "pairs again", "s.e."]
rows = [
    (label, *raced(methods, label, 1, range(1 if label == "uniform table" else 40)))
    for label in methods
]
table_of_winners = pd.DataFrame(rows, columns=columns)
print(table_of_winners.to_string(index=False, float_format="{:.4f}".format, na_rep="-"))

# %% [markdown]
# MWEM with 12 rounds and 3 passes is among the worst; with 40 rounds and 10 passes only views and waves are better.
# Passes cost no privacy: they only fit the table to what was bought. The same methods with Gaussian noise,
# $\delta = 10^{-6}$, the threshold of Ripple again a quarter of the noise's scale:


# %%
def from_gaussian_views(views):
    """As `from_synopsis`, with Gaussian noise."""

    def release(epsilon, rng):
        noisy = gaussian_marginals(records, views, epsilon, DELTA, rng)
        threshold = gaussian_scale(math.sqrt(len(views)), epsilon, DELTA) / 4
        tables = [ripple(table, threshold, 5) for table in consistent(views, noisy)]
        return Synopsis(views, consistent(views, tables)), answer_all

    return release


def gaussian_wave_tables(epsilon, rng):
    noisy_waves = gaussian_waves(records, 2, epsilon, DELTA, rng)
    return noisy_waves, lambda told, sets: [table_from(told, some) for some in sets]


gaussian_methods = {
    "16 singles, independent": from_gaussian_views(one_each),
    "flat": lambda e, rng: from_table(
        gaussian_marginals(records, [range(16)], e, DELTA, rng)[0]
    ),
    "direct, all 120 pairs": lambda e, rng: (
        Synopsis(pairs, gaussian_marginals(records, pairs, e, DELTA, rng)),
        answer_all,
    ),
    "waves to 2, fourth roots": gaussian_wave_tables,
    "6 views of 8": from_gaussian_views(eights),
    "20 views of 4": from_gaussian_views(affine),
}
rows = [(label, *raced(gaussian_methods, label, 1)) for label in gaussian_methods]
with_gaussian = pd.DataFrame(rows, columns=["Gaussian, " + columns[0], *columns[1:]])
print(with_gaussian.to_string(index=False, float_format="{:.4f}".format, na_rep="-"))

# %% [markdown]
# Under Laplace noise Direct errs four times as much as the six views; under Gaussian noise it beats them. The waves are
# best for pairs, and Flat leaves the race.
#
# **What can be promised.** For waves with Gaussian noise, every cell of a pair is a sum of four independent normal
# numbers. So the largest of the 480 errors exceeds $t$ with probability at most $480 \cdot 2\,\Phi(-t/\sigma)$, with
# $\sigma^2$ a quarter of the table's expected squared error. Nothing is assumed about the data. (For MWEM Hardt and others
# prove that no cell errs by more than $2N\sqrt{\ln|X|/T} + 10\,T \ln|Q|/\varepsilon$, except with probability $2T/|Q|$;
# $X$ are the cells, $Q$ the queries.)

# %%
sigma = math.sqrt(gaussian_wave_error(16, 2) / 4) * gaussian_scale(1, 1, DELTA)
promised = next(
    t for t in range(1, 10_000) if 2 * 480 * normal_probability(-math.inf, -t / sigma) < 0.05
)
largest = []
for seed in range(20):
    told = gaussian_waves(records, 2, 1, DELTA, np.random.default_rng(seed))
    off = [
        np.abs(table_from(told, p) - t).max() for p, t in zip(pairs, pair_truth, strict=True)
    ]
    largest.append(max(off))
print(
    f"waves, epsilon 1: with probability 95% no cell errs by more than {promised} records; "
    f"largest of 20 releases: median {np.median(largest):.0f}, highest {max(largest):.0f}"
)
for rounds in (12, 40):
    bound = 2 * N * math.sqrt(16 * math.log(2) / rounds) + 10 * rounds * math.log(480)
    print(
        f"MWEM's theorem, {rounds} rounds: {bound:,.0f} of {N:,} records: it says nothing here"
    )

# %% [markdown]
# Flat, Direct and waves have ten times these errors at $\varepsilon = 0.1$, exactly. What do
# the others have? And what with thirty-one attributes, where Flat cannot even be stored
# ($2^{31}$ cells) and the lines of a projective plane over five elements are views of six?

# %%
wide = people[:, :31]
wide_pairs = [tuple(drawn.choice(31, 2, replace=False).tolist()) for _ in range(10)]
contests = [
    (records, tested[2][:10], [one_each, eights, affine]),
    (
        wide,
        wide_pairs,
        [[(a,) for a in range(31)], *(covering_design(31, k, 2) for k in (8, 6))],
    ),
]
rows = []
for data, sets, designs_of_views in contests:
    truth = marginals(data, sets)
    for views in designs_of_views:
        medians = []
        for epsilon in (1, 0.1):
            synopses = (
                priview(data, views, epsilon, np.random.default_rng(s)) for s in range(20)
            )
            medians.append(np.median([mean_error(one, sets, truth) for one in synopses]))
        kind = "singles, independent" if len(views[0]) == 1 else f"views of {len(views[0])}"
        rows.append((data.shape[1], kind, len(views), *medians))
columns = ["attributes", "pairs, error in N", "views", "epsilon 1", "epsilon 0.1"]
print(pd.DataFrame(rows, columns=columns).round(4).to_string(index=False))

# %% [markdown]
# Below some $\varepsilon$ twenty thousand records carry no more than their single answers.
# Nothing beats asking fewer questions.
#
# ## Your own file
#
# A CSV of categories will do, with any number of values each. What can stand in a column must
# be **public**: a list read off the file would tell that somebody has the rarest value. Views,
# agreement, Ripple, maximum entropy, MWEM and PrivBayes take `sizes`; waves and polynomials
# are for yes and no.

# %%
answers = "Rome,young,no\nRome,old,yes\nOslo,old,no\nRome,young,no\nOslo,young,yes\n"
possible = {
    "city": ["Oslo", "Paris", "Rome"],
    "age": ["young", "old"],
    "smokes": ["no", "yes"],
}
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
told = pd.DataFrame(
    answer(synopsis, (0, 2)), index=possible["city"], columns=possible["smokes"]
)
print(
    f"{len(mine):,} records, {sizes} values; city x smokes is in neither view,\n"
    "and comes out independent given age:"
)
told.round(0)

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/13_marginals](../exercises/answers/13_marginals.ipynb).
#
# **Assignment 13:** [five tasks, checked in a second](../exercises/releases/13_marginals.ipynb).
#
# 1. *Warm-up.* Fair's survey has eight questions (`affairs_attributes()`). Which method is
#    best for its pairs at $\varepsilon = 0.1$? Which for its triples? Why is the answer
#    another one than for sixteen questions?
# 2. You want only the fifteen pairs that contain *hospital*. Work out the exact error, in
#    $V_u$, of a pair by Direct on those fifteen, by Flat, and by the waves that these pairs
#    need. Which other tables would you buy?
# 3. Protect *persons*, with up to five records each. Which $\varepsilon$ a record does
#    $\varepsilon = 1$ a person leave, and which size of views is best for triples then?
# 4. Find a design whose exact mean error for pairs of sixteen attributes is below that of
#    twenty views of four (2,320 $V_u$), or convince yourself that views of one size have none.
# 5. MWEM needs the total. Buy it with a share of $\varepsilon$: how large should the share be
#    at $\varepsilon = 0.01$ on the first ten attributes? Compare the error with that of the
#    exact (forbidden) total.
# 6. *Challenge.* Give the views unequal shares of $\varepsilon$, the means weights to match,
#    and work out the exact error. Can a design of views of 4 and one view of 1 beat equal
#    shares?
#
# ## When to use it, and when not
#
# - **Up to some eight attributes:** release the full table. It answers everything, and nothing
#   here is much better.
# - **More, and every small table is wanted:** PriView. Small views if records are few; look at
#   the exact error and at the coverage on *public* data of the same kind, before you look at
#   yours.
# - **Only tables of up to $k$, and unbiased numbers that agree:** waves, with cube roots.
# - **With a $\delta$:** waves with Gaussian noise for pairs; nothing that only adds noise and infers is better in the sum.
# - **A few tables are known to matter:** buy exactly those. MWEM if nobody knows which, with 20 passes or so, as many
#   rounds as the budget carries, and a paid total.
# - **Synthetic records are asked for:** PrivBayes, or its successors MST and AIM; say which tables it was told, for it is
#   wrong on the others.
# - **Not at all:** when $\varepsilon N$ is a few hundred or less for dozens of attributes:
#   release single answers.
# - The guarantee is for one record. And all noise here is drawn in floating point
#   ([21](21_audit.ipynb)).
#
# ## Sources
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to
#   Practice*, Morgan & Claypool, 2016,
#   [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018):
#   chapter 6. Corrected on this page: errata [E49](22_errata.ipynb#E49), [E50](22_errata.ipynb#E50), [E51](22_errata.ipynb#E51), [E54](22_errata.ipynb#E54), and others above.
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
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [12 Decision trees from private counts](12_trees.ipynb) · **Next:** [14 The sparse vector technique](14_svt.ipynb)
