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
# # 18 Compressed sensing on tables
#
# CSM, the compressed sensing mechanism, measures each column of a table by a few noisy numbers and rebuilds it from them.
# Its privacy theorem is false, and from epsilon 0.1 on a curator's plain Laplace noise has less squared error for
# ranges on every table here.
#
# <details><summary>About 35 minutes, after 03, 08 and 16: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [17 Continual counting](17_continual.ipynb) · **Next:** [19 Projection: compressing the records themselves](19_projection.ipynb)
#
# **Assignment 18:** [five tasks, checked in a second](../exercises/releases/18_sensing.ipynb)
#
# The mechanism is CSM of Zheng, Wang, Wen and others (2019), "the paper" on this page. Its letters are kept: here $\Psi$
# measures and $\Phi$ holds the atoms.
#
# **What you will do:** find the compression ratio with the smallest error. Watch a privacy meter catch the theorem.
# Compare the answers to 20,000 queries. Find a border inside which CSM can beat plain Laplace noise.
#
# **Time:** about 35 minutes. A stopping point: "Why: $k$ times the noise". If you have read page
# [16](16_compressive.ipynb), you know the main lesson. New here are the sensitivity of the matrix that was *drawn*, units, and the tail of
# an answer's error.
#
# **You need:** [03 the Laplace mechanism](03_laplace.ipynb); [16 the compressive
# mechanism](16_compressive.ipynb), whose samples, bases and matching pursuit are used again. Trees and wavelets from
# [08 histograms](08_histograms.ipynb) are rivals.
#
# **Real and synthetic:** doctor visits and payments (RAND health insurance experiment) and marriages (Fair's survey)
# are of real people. The network table is a *synthetic stand-in*. The paper's own data (AOL, Retail, Adult, TPC-E)
# are not here: where we say that a claim is not confirmed, we mean on these tables.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import functools
import itertools
import math

import numpy as np
import pandas as pd

from dpbook import data
from dpbook.amounts import amount
from dpbook.guesses import predict
from dpbook.laplace import laplace_mechanism, laplace_probability
from dpbook.live import choice, live, log_slider, new_noise, show_source, slider
from dpbook.plots import (
    COLOURS,
    curves,
    figure,
    legend_above,
    meter,
    own_point,
    set_curves,
    set_meter,
    set_own_point,
    set_steps,
    set_verdict_text,
    show,
    steps,
    verdict_text,
    x_axis,
    y_axis,
)
from dpbook.sensing import dictionary, rebuild, spike_basis
from dpbook.sparse import haar_basis, hadamard_operator

# %% jupyter={"source_hidden": true}
# Figure: one column of a table measured at random, and rebuilt from its noisy measurements
rand = data.health_insurance()
plan = np.unique(rand["lncoins"].values, return_inverse=True)[1]  # 0, 25, 50, 95 or 100% paid
visits_to_a_doctor = rand["mdvis"].values[plan == 0]  # of those whose care was free
first_column = np.bincount(visits_to_a_doctor, minlength=512).astype(float)
both_kinds_of_atoms = dictionary(haar_basis(512), spike_basis(512))
RATIOS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0]
fig, sheet_ax = figure(height=2.75)
sheet_verdict = verdict_text(sheet_ax)
steps(sheet_ax, first_column[:40], COLOURS.pale, fill=True, label="true column")
sheet_found = steps(sheet_ax, np.zeros(40), COLOURS.noisy, label="rebuilt by CSM")
x_axis(sheet_ax, "visits to a doctor in a year (the first 40 of 512 rows)", (0, 40))
y_axis(sheet_ax, "people", (-0.25 * first_column.max(), 1.1 * first_column.max()))
legend_above(fig)


def sheet(ratio, epsilon, seed):
    k, rng = round(ratio * 512), np.random.default_rng(seed)
    operator = hadamard_operator(k, 512, np.random.default_rng(0))
    noisy = laplace_mechanism(operator @ first_column, math.sqrt(k), epsilon, rng)
    released = rebuild(noisy, operator, both_kinds_of_atoms, 10, math.sqrt(k) / epsilon)
    set_steps(sheet_found, released[:40])
    flat = laplace_mechanism(first_column, 1, epsilon, np.random.default_rng(seed))
    csm_error, flat_error = (np.linalg.norm(made - first_column) for made in (released, flat))
    words = f"{k} measurements, 512 rows: error {csm_error:,.0f}, Laplace {flat_error:,.0f}"
    set_verdict_text(sheet_verdict, None, words)
    return f"{words} (Euclidean length of the difference to the true column)"


sheet_figure = live(
    fig,
    sheet,
    "A column of a table filled in grey and the column that CSM releases, as an outline. With "
    "few measurements or a small epsilon the outline has peaks where there are none.",
    task=(
        r"play the compression ratio. Then raise $\varepsilon$ to 10 and lower the ratio "
        r"until the rebuilt column falls apart. Is it ever better than Laplace noise?"
    ),
    play="ratio",
    ratio=choice(RATIOS, 0.4, label="compression ratio"),
    epsilon=log_slider(0.01, 10, 1.0),
    seed=new_noise(1),
)
sheet_figure

# %% jupyter={"source_hidden": true}
# What this page imports
from dpbook.histograms import haar_histogram, hierarchical_histogram
from dpbook.sensing import (
    answer_counting,
    answer_ranges,
    column_sums,
    compressed_sensing_mechanism,
    counting_queries,
    fourier_histogram,
    fourier_sensitivity,
    gaussian_operator,
    measurement_loss,
    range_queries,
    sense,
    sensing_sensitivity,
    theorem_2_claim,
)
from dpbook.sparse import (
    bernoulli_operator,
    generalised_omp,
    keep_largest,
    matrix_operator,
)

# %% [markdown]
# [At ratio 0.05](#move:ratio=0.05) the column falls apart. [At epsilon 10](#move:epsilon=10) hardly any noise is left,
# and Laplace noise on every row is still better.
#
# ## Two models
#
# Each section of this page keeps to one of two models:
#
# | model | who adds the noise | a column | neighbours | sections |
# |---|---|---|---|---|
# | **curator** | a curator | a group of records; rows are cells of a domain | one entry changes by 1 (add/remove) | all but one |
# | **local** | each person | one person; rows are attributes | a whole column (replace) | "A column for each person" |
#
# The paper names no model. By its letters it is the local one: a column is one tuple, and is measured by itself. But
# most methods that it compares CSM with have a curator.
#
# ## Tables
#
# A table $D$ has $d$ rows and $n$ columns. An entry is the number of the group's records in the cell. Empty
# rows fill the table up to a power of two, which is public.
#
# <details><summary>The paper's own signs: there a column is one person, and the rows are attributes.</summary>
#
# There $D$ is $d \times n$ as well, with $d$ *attributes* (15 to 50 of them) and $n$ *tuples*, one a person. The *domain
# size* is another number, $N = \prod_i |A_i|$, the number of cells. Figures 2, 4 and 5 of the paper are tried with a
# curator only, Figure 3 in both models.
#
# | sign | here | in the paper (Zheng et al. 2019) |
# |---|---|---|
# | $d$ | rows of the table: cells of a domain | attributes |
# | $n$ | columns: groups of records | tuples: persons |
# | $N$ | | cells of the domain |
# | $k$, $S$, $r$ | measurements a column, atoms a column, $k/d$ | $s$, $K$, $\tau$ (and $s$ for the ratio, too) |
# | $\Psi$, $\Phi$ | matrix of measurements, dictionary | the same |
#
# </details>


# %%
def crosstab(row, column, rows):
    """Count records in a table: `row` and `column` are whole numbers, one a record."""
    columns = column.max() + 1
    counts = np.bincount(row * columns + column, minlength=rows * columns)
    return counts.reshape(rows, columns).astype(float)


def codes(column):
    """The values of a column as 0, 1, 2, ... in their order."""
    return np.unique(column.values, return_inverse=True)[1]


fair = data.affairs()
payment = np.minimum((rand["lpi"].values / rand["lpi"].bounds[1] * 256).astype(int), 255)
# six ages, six numbers of children
domain = (codes(fair["yrs_married"]) * 6 + codes(fair["age"])) * 6 + codes(fair["children"])
TABLES = {
    "visits": crosstab(rand["mdvis"].values, plan, 512),
    "payments": crosstab(payment, plan, 256),
    "marriages": crosstab(domain, codes(fair["religious"]), 256),
    "network": data.net_trace().values.reshape(4, 256, 64).sum(axis=2).T.astype(float),
}
ROWS = {
    "visits": "visits to a doctor in a year",
    "payments": "log of a payment, in 256 bins",
    "marriages": "years married × age × children",
    "network": "block of 64 addresses (synthetic)",
}
for name, table in TABLES.items():
    (d, n), filled, empty = table.shape, np.mean(table > 0), np.sum(table.sum(axis=0) == 0)
    print(f"{name:<10} {d} x {n}, {table.sum():>9,.0f} units,", end=" ")
    print(f"{filled:>4.0%} of the cells filled, {empty} columns empty")
    print(f"           rows: {ROWS[name]}")

# %% [markdown]
# ## Measure, then add noise: a first attempt
#
# The idea of the paper: multiply each column by a public random matrix $\Psi$ with $k$ rows, $k$ smaller than $d$.
# (Page [16](16_compressive.ipynb) has the letters the other way round: $\Phi$ samples, $\Psi$ is the basis.)
# The $k \times n$ numbers $\Psi D$ are the *measurements*. Put noise on them and not on the $d \times n$ entries.
#
# Let the entries of $\Psi$ be $\pm 1/\sqrt k$. One record more moves each measurement of its column by $1/\sqrt k$. So
# noise of scale $1/(\sqrt k\, \varepsilon)$ on each seems enough:


# %%
def too_little_noise(column, operator, epsilon, rng):
    """BROKEN: the noise hides a record in ONE measurement, but the record is in all k."""
    k = operator.shape[0]
    return laplace_mechanism(operator @ column, 1 / math.sqrt(k), epsilon, rng)


column, k, epsilon = TABLES["visits"][:, 0], 154, 0.3
psi = bernoulli_operator(k, 512, np.random.default_rng(1))
more = column + np.eye(512)[7]  # one record more, with 7 visits
guesses = []
for seed in range(200):
    truth = (column, more)[seed % 2]
    seen = too_little_noise(truth, psi, epsilon, np.random.default_rng(seed))
    misfit = [np.abs(seen - psi @ candidate).sum() for candidate in (column, more)]
    guesses.append(misfit[1] < misfit[0])
right = np.mean(np.array(guesses) == np.arange(200) % 2)
best = 1 / (1 + math.exp(-epsilon))
print(f"epsilon {epsilon}: the record was recognised in {right:.0%} of 200 releases;", end=" ")
print(f"allowed {best:.1%}")
print(f"loss: k x epsilon = {k * epsilon:.1f}")

# %% [markdown]
# The record is in all $k$ measurements. What counts is how far it moves them *together*, in L1 length.
#
# ## The sensitivity of a measurement
#
# Call $\Psi_j$ the $j$-th column of the matrix. One unit in row $j$ of the table moves the measurements by $\Psi_j$,
# so the sensitivity is
#
# $$\Delta = \max_j \|\Psi_j\|_1 .$$
#
# > **Theorem 18.1 (measure, then add noise).** Noise of scale $b$ on each measurement has privacy loss exactly
# > $\Delta/b$, for one record more or less; $b = \Delta/\varepsilon$ gives $\varepsilon$-DP.
#
# <details><summary>Proof: the Laplace mechanism, with a case in which the bound is attained.</summary>
#
# The log of the ratio of densities is $\sum_i (|y_i - c'_i| - |y_i - c_i|)/b$, at most $\|c - c'\|_1/b \le
# \Delta/b$. The first $\le$ is equality where every $y_i$ lies beyond $c_i$, as seen from $c'_i$. For the worst row
# $j$ the second is, too. $\square$
#
# </details>
#
# A record is in one column of the table, so each column gets the whole $\varepsilon$ ([parallel composition](02_composition.ipynb)). $\Psi$ is
# drawn without the data, and is public.

# %%
show_source(column_sums)
show_source(sensing_sensitivity)

# %% jupyter={"source_hidden": true}
# Computed: a small Hadamard matrix and the L1 length of each of its columns
tiny = hadamard_operator(4, 8, np.random.default_rng(2))
print("entries of a 4 x 8 Hadamard matrix, times sqrt 4:")
print((2 * np.column_stack([tiny @ unit for unit in np.eye(8)])).round().astype(int))
print("L1 length of each column:", column_sums(tiny))

# %% [markdown]
# A *Bernoulli* matrix has independent signs, a *Hadamard* matrix has signs that can be multiplied fast. In both, every
# column has L1 length $k/\sqrt k = \sqrt k$. In a *Gaussian* matrix, with independent entries from $N(0, 1/k)$, the
# columns differ. There the sensitivity must be read off the matrix that was drawn:

# %% jupyter={"source_hidden": true}
# Computed: the sensitivity of three kinds of matrices, for four numbers of measurements
d, rows = 256, []
for k in (26, 77, 154, 256):
    makers = bernoulli_operator, hadamard_operator
    signs = [sensing_sensitivity(make(k, d, np.random.default_rng(k))) for make in makers]
    gauss = column_sums(gaussian_operator(k, d, np.random.default_rng(k)))
    assert np.allclose(signs, math.sqrt(k))
    rows.append([k, *signs, gauss.max(), math.sqrt(2 * k / math.pi), 1 / math.sqrt(k)])
names = ["k", "Bernoulli", "Hadamard", "Gaussian", "Gaussian, on average"]
names += ["standard deviation"]
pd.DataFrame(rows, columns=names).set_index("k").round(2)

# %% [markdown]
# In the paper's proof of Proposition 1 the sensitivity "is regarded as the distribution parameter or the number of
# vectors selected from the matrices". The last column is the nearest thing to such a parameter (erratum
# [E83](22_errata.ipynb#E83)). It is far too small: a meter below shows by how much.
#
# `sense` measures and adds the noise. It is the only step that spends budget.

# %%
show_source(sense)

# %% [markdown]
# <details><summary>Weights on the noise do not pay for signs: equal weights have the smallest squared noise.</summary>
#
# Definition 5 of the paper allows each measurement its own noise, of scale $b/H_i$, with a *magnitude function* $H > 0$,
# as Privelet does. The loss is then $\max_j \sum_i H_i |\Psi_{ij}|/b$. It can pay where the rows of $\Psi$ differ in
# kind, as with wavelets. For signs $\pm1/\sqrt k$ it cannot. The sum is $\sum_i H_i/\sqrt k$ in every column. With that
# sum fixed, $\sum_i 1/H_i^2$, the squared noise, is smallest for equal weights (power means).
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: the error with equal weights and with others, for wavelets and for signs, epsilon 1
rng, wavelets = np.random.default_rng(20), haar_basis(256)
levels = np.repeat(np.arange(9), [1, *(2 ** np.arange(8))])  # coarse to fine
matrix = np.column_stack([wavelets.forward(unit) for unit in np.eye(256)])
asked_ranges = range_queries(10_000, (256, 1), rng)
weightings = {"equal weights": np.ones(256), "weights as Privelet's": 2 ** -(levels / 2)}
for title, weights in weightings.items():
    scales = (weights[:, None] * np.abs(matrix)).sum(axis=0).max() / weights  # loss exactly 1
    mistakes = [wavelets.inverse(rng.laplace(scale=scales)) for _ in range(100)]
    mse = np.mean([answer_ranges(mistake[:, None], asked_ranges) ** 2 for mistake in mistakes])
    print(f"256 Haar coefficients, {title:<21}:", end=" ")
    print(f"mean squared error of a range {mse:.0f}, 100 releases")
weightings = {"equal weights": np.ones(77), "weights 1 to 2": np.linspace(1, 2, 77)}
for title, weights in weightings.items():
    scales = weights.sum() / math.sqrt(77) / weights
    print(f"77 measurements by signs, {title:<14}: squared noise {2 * np.sum(scales**2):,.0f}")

# %% [markdown]
# ## Rebuilding in a dictionary
#
# There are fewer measurements than rows, so more than one column fits them. We want the simplest. Take a
# public *dictionary* $\Phi$ of *atoms*, columns of $d$ numbers. We expect few of them to suffice: $D_i = \Phi x_i$ for column
# $i$, with at most $S$ weights in $x_i$ that are not 0.
#
# Our dictionaries: **Haar** wavelets (flat stretches), **spikes** (single rows), and both together, $2d$ atoms.

# %%
show_source(dictionary)


@functools.cache
def dictionary_of(kind, d):
    """A dictionary by its name, for d rows."""
    makers = {"Haar": haar_basis, "spikes": spike_basis}
    return dictionary(*(makers[name](d) for name in kind.split(" + ")))


KINDS = ["Haar", "spikes", "Haar + spikes"]

# %% jupyter={"source_hidden": true}
# Computed: how many atoms a step and a spike need in each dictionary
step_and_spike = np.where(np.arange(64) < 16, 20.0, 0) + 100 * np.eye(64)[40]
seen, one_by_one = matrix_operator(np.eye(64)), {"atoms_a_pass": 1, "over_run": 1}
for kind in KINDS:
    atoms = dictionary_of(kind, 64)
    weights = generalised_omp(step_and_spike, seen, atoms, 20, **one_by_one)
    used = np.abs(weights) > 1e-6
    assert np.allclose(atoms.inverse(weights), step_and_spike)
    print(f"a step and a spike, in {kind:<13} ({atoms.n:>3} atoms):", end=" ")
    print(f"{used.sum():>2} atoms used")

# %% [markdown]
# *Orthogonal matching pursuit* (OMP, from [chapter 16](16_compressive.ipynb)) finds the atoms. It takes the atom whose
# measurements look most like what is still unexplained. It fits all atoms taken so far by least squares, subtracts the
# fit, and repeats. Rebuilding sees the noisy measurements only: it is post-processing.

# %%
show_source(rebuild)
show_source(compressed_sensing_mechanism)

# %% [markdown]
# Measure, add noise, rebuild: that is CSM, the compressed sensing mechanism. The *compression ratio* is $r = k/d$. The
# next cell makes public matrices and queries for each table.


# %%
@functools.cache
def drawn(name, ratio, seed=0):
    """A public Hadamard matrix for a table, and its sensitivity: sqrt(k), as for all signs."""
    d = len(TABLES[name])
    operator = hadamard_operator(round(ratio * d), d, np.random.default_rng(seed))
    return operator, math.sqrt(operator.shape[0])


def noisy_and_rebuilt(clean, operator, atoms, S, epsilon, rng):
    """CSM from noiseless measurements by signs, whose sensitivity is sqrt(k)."""
    sensitivity = math.sqrt(operator.shape[0])
    noisy = laplace_mechanism(clean, sensitivity, epsilon, rng)  # as `sense` does
    return rebuild(noisy, operator, atoms, S, sensitivity / epsilon)


@functools.cache
def asked(name):
    """10,000 random ranges and 10,000 random counting queries for a table."""
    rng, shape = np.random.default_rng(18), TABLES[name].shape
    return range_queries(10_000, shape, rng), counting_queries(10_000, shape, rng)


def one_column(name, ratio, kind, S, epsilon, seed):
    """Column 0 of a table, released by CSM."""
    (operator, _), column = drawn(name, ratio), TABLES[name][:, 0]
    atoms, rng = dictionary_of(kind, column.size), np.random.default_rng(seed)
    return noisy_and_rebuilt(operator @ column, operator, atoms, S, epsilon, rng)


def range_error(errors):
    """Mean squared error of the ranges of one column: of all of them, both ends uniform."""
    ends = np.append(0, np.cumsum(errors))
    left, right, many = ends[:-1], ends[1:], np.arange(1, errors.size + 1)
    squares = many * right**2 - 2 * right * np.cumsum(left) + np.cumsum(left**2)
    return (2 * squares.sum() - np.sum(errors**2)) / errors.size**2


def counting_error(errors):
    """The same of all counting queries: each row is counted or not by a fair coin."""
    return (errors.sum() ** 2 + np.sum(errors**2)) / 4


# %% [markdown]
# ## Queries and their errors
#
# As in the paper, a release is judged by queries of two kinds. Here each is about one column.
#
# - A **range query** counts the records in rows $a$ to $b$, both ends uniform.
# - A **counting query** counts each row or not, by a fair coin.
#
# Queries are linear, so the error of an answer is the same query applied to the *error* of the table. We take the mean
# squared error (MSE) of the answers over *all* queries of a kind. It has a closed form, `range_error` and
# `counting_error` above. The cell compares it with 10,000 random queries:

# %% jupyter={"source_hidden": true}
# Computed: the MSE of Laplace noise, over 10,000 random queries and over all
release = laplace_mechanism(TABLES["payments"], 1, 1.0, np.random.default_rng(3))
mistake = release - TABLES["payments"]
ranges, countings = asked("payments")
for kind, answers, exact in (
    ("counting", answer_counting(mistake, countings), counting_error),
    ("range", answer_ranges(mistake, ranges), range_error),
):
    of_all = np.mean([exact(column) for column in mistake.T])
    print(f"{kind:<8} queries:", end=" ")
    print(f"MSE {np.mean(answers**2):.0f} over 10,000, {of_all:.0f} over all")

# %% [markdown]
# ### The rivals
#
# All get the same $\varepsilon$ and the same neighbours, column by column.
#
# - **Laplace:** noise of scale $1/\varepsilon$ on every entry.
# - **Haar** (Privelet) and **hierarchical** (trees, here with 16 children and inference): chapter
#   [08](08_histograms.ipynb).
# - **Fourier:** noise on the lowest $m$ Fourier coefficients of a column, zeros for the rest. Li et al. (2016, section
#   4.3) give its sensitivity as $\sqrt m$, which belongs to a scaled transform. numpy's `rfft` is not scaled. The right
#   number is again that of the transform in use:

# %%
show_source(fourier_histogram)

# %% jupyter={"source_hidden": true}
# Computed: the honest sensitivity of Fourier coefficients, and the loss of noise for sqrt m
for kept in (4, 16, 64, 129):
    honest = fourier_sensitivity(256, kept)
    loss = honest / math.sqrt(kept)
    print(f"m = {kept:>3}: moduli sum to {kept:>3}, honest {honest:>6.2f};", end=" ")
    print(f"noise for sqrt m has loss {loss:.1f} epsilon")

# %% [markdown]
# ## Error against the compression ratio
#
# The paper's Figure 2: as the ratio grows, the MSE "first declines, and then stabilizes, and finally increases". We run
# CSM with $S = 30$ on one column of a table after another: 20 releases, each with another matrix and other noise. The
# dictionary is the one that did best *with the true data*: not private, and in CSM's favour.


# %%
def column_of(name, draw):
    """The column that a draw releases: they take turns."""
    return TABLES[name][:, draw % TABLES[name].shape[1]]


@functools.cache
def csm_draw(name, ratio, epsilon, S, draw):
    """The error of a column released by CSM, with a matrix and noise of its own."""
    operator, _ = drawn(name, ratio, draw)
    column, rng = column_of(name, draw), np.random.default_rng(100 + draw)
    atoms = dictionary_of(SUITED[name], column.size)
    return noisy_and_rebuilt(operator @ column, operator, atoms, S, epsilon, rng) - column


def mean_and_error(name, squares):
    """The mean over the draws and its standard error, between draws of one column."""
    by_column = np.reshape(squares, (-1, TABLES[name].shape[1]))
    variances = by_column.var(axis=0, ddof=1) / len(by_column)
    return np.array([np.mean(squares), math.sqrt(variances.sum()) / variances.size])


def of_zeros(name, error=range_error):
    """The error of printing zeros."""
    return np.mean([error(column) for column in TABLES[name].T])


# %%
SUITED = {
    "visits": "spikes",
    "payments": "Haar + spikes",
    "marriages": "Haar + spikes",
    "network": "Haar",
}
DRAWS = 20

SWEPT = [0.05, 0.1, 0.2, 0.4, 0.7, 1.0]
sweep = {}
for name in TABLES:
    for e in (1, 0.1):
        found = []
        for r in SWEPT:
            squares = [range_error(csm_draw(name, r, e, 30, draw)) for draw in range(DRAWS)]
            found.append(mean_and_error(name, squares))
        sweep[name, e] = np.transpose(found)

# %% jupyter={"source_hidden": true}
# Figure: the errors computed above, against the compression ratio
fig, axes = figure(columns=2, rows=2, height=5.0, sharex=True)
x_axis(axes[1], "compression ratio")
y_axis(axes, log=True)
y_axis(axes[:, 0], "MSE of a range")
for ax, name in zip(axes.flat, TABLES, strict=True):
    ax.set_title(name)
    for e, mark, colour in ((0.1, "o", COLOURS.other), (1, "^", COLOURS.noisy)):
        error, standard_error = sweep[name, e]
        looks = {"marker": mark, "color": colour, "capsize": 3, "label": f"epsilon {e}"}
        ax.errorbar(SWEPT, error, 2 * standard_error, **looks)
    ax.axhline(of_zeros(name), color=COLOURS.true, linestyle=":", label="printing zeros")
legend_above(fig)
show(
    fig,
    "Mean squared error of range queries against the compression ratio, four tables, two "
    "epsilons each, bars of two standard errors: at epsilon 1 a steep fall up to a ratio of "
    "0.2 or 0.4, then level or slightly rising. At epsilon 0.1 the error is higher and falls "
    "less; for visits and marriages it is near the line of zeros.",
)


# %%
def laplace_range_error(d, epsilon):
    """Exact: a range has (d^2 - 1) / 3d + 1 rows on average, variance 2 / epsilon^2 each."""
    return ((d * d - 1) / (3 * d) + 1) * 2 / epsilon**2


# %% jupyter={"source_hidden": true}
# Computed: the best ratio of CSM, and its error as a multiple of that of zeros and of Laplace

rows = {}
for (name, e), (errors, standard_errors) in sweep.items():
    least, flat = errors.argmin(), laplace_range_error(len(TABLES[name]), e)
    shares = errors[[0, -1]] / errors[least], errors[least] / [of_zeros(name), flat]
    told = [amount(share, 2) for share in (*np.ravel(shares), standard_errors[least] / flat)]
    rows[f"{name}, epsilon {e}"] = [SWEPT[least], *told]
names = ["best ratio", "at 0.05 / best", "at 1 / best", "best / zeros", "best / Laplace"]
names += ["standard error"]
print("MSE of CSM on ranges, as multiples; the standard error is that of the last one")
pd.DataFrame.from_dict(rows, orient="index", columns=names)

# %% [markdown]
# Falls, flat, rises? *Falls:* yes, where there is a signal to rebuild. *Rises:* mostly, since the noise on each
# measurement has variance $2k/\varepsilon^2$. *Flat:* where both are small beside a third part, what $S$ atoms cannot
# express. So Figure 2 is right about the shape. But it lacks the column *best / Laplace*. Even at its *best* ratio
# CSM has several times the error of Laplace noise.

# %% jupyter={"source_hidden": true}
# Figure: range_error of one_column(...) for every ratio, beside Laplace and zeros
fig, ratio_ax = figure(height=3.2)
ratio_verdict = verdict_text(ratio_ax)
x_axis(ratio_ax, "compression ratio", (0, 1.02))
y_axis(ratio_ax, "error of a range\n(root mean square, log scale)", (0.5, 2e4), log=True)
looks = {"CSM": "noisy o-", "Laplace": "grey", "printing zeros": "true :"}
ratio_lines = curves(ratio_ax, RATIOS, looks, ends=True)


def ratio_curve(S, epsilon, table, kind):
    truth = TABLES[table][:, 0]
    releases = [one_column(table, r, kind, S, epsilon, 1) for r in RATIOS]
    errors = [range_error(release - truth) for release in releases]
    flat = laplace_range_error(truth.size, epsilon)
    set_curves(ratio_lines, np.sqrt([errors, [flat] * 8, [range_error(truth)] * 8]))
    best = int(np.argmin(errors))
    off, flat_off = math.sqrt(errors[best]), math.sqrt(flat)
    words = f"at its best ratio CSM is off by {off:,.0f}, Laplace by {flat_off:,.0f}"
    set_verdict_text(ratio_verdict, None, words)
    words = f"smallest mean square (MSE) {errors[best]:,.0f} at ratio {RATIOS[best]}"
    return f"{words}, {amount(errors[best] / flat)} times that of Laplace"


for table in TABLES:  # so that no first move waits
    ratio_curve(10, 1.0, table, "spikes")

question = "With S = 1, how many times the MSE of Laplace is the smallest MSE of CSM?"
ratio_figure = live(
    fig,
    ratio_curve,
    "Root mean square error of ranges against the compression ratio for one column, and level "
    "lines for Laplace noise and for printing zeros. At the start the curve falls steeply to "
    "a ratio of 0.1 and is then nearly level, far above Laplace and below zeros.",
    task=(
        r"find the three parts of the curve. Raise $S$ to 30: which part goes down? Then "
        r"lower $\varepsilon$ until the curve meets the dotted line."
    ),
    guess=predict(question, (1, 10_000, " times"), r"([\d.,]+) times that", S=1),
    S=choice([1, 3, 10, 30], 10, label="S, most atoms"),
    epsilon=log_slider(0.01, 10, 1.0),
    table=choice(list(TABLES), "visits"),
    kind=choice(KINDS, "spikes", label="dictionary"),
)
ratio_figure

# %% [markdown]
# [Take S to 30](#move:S=30): what ten spikes left out is now there, and so is the noise of twenty more. This is one
# release at each ratio, and a lucky one may come near Laplace; the figure before averages 20.
#
# ## Why: k times the noise
#
# Suppose that a column *is* a sum of $S$ atoms of an orthonormal dictionary, and OMP finds them all. The measured atoms
# are nearly orthonormal. So least squares leaves the noise of one measurement on each weight:
#
# | | noise on | variance of each | squared error of the column |
# |---|---|---|---|
# | Laplace | $d$ rows | $2/\varepsilon^2$ | $2d/\varepsilon^2$ |
# | CSM, all atoms found | $S$ weights | $2\Delta^2/\varepsilon^2 = 2k/\varepsilon^2$ | $2Sk/\varepsilon^2$ |
#
# Their quotient is $Sk/d = S r$. With all $S$ atoms fitted CSM beats plain Laplace noise, row by row, **only if**
# $S\,r < 1$, whatever $d$, $n$ and $\varepsilon$. The paper's experiments have $r = 0.3$ and $0.4$. With a curator CSM
# can win there only on columns of at most 3 or 2 atoms.


# %%
@functools.cache
def sparse_column(d, S, ratio):
    """A column of exactly S large Haar atoms; its noiseless measurements; the matrix."""
    rng, basis = np.random.default_rng(S), haar_basis(d)
    weights = np.zeros(d)
    weights[rng.choice(d, S, replace=False)] = rng.choice([-1e7, 1e7], S)
    column, operator = basis.inverse(weights), hadamard_operator(round(ratio * d), d, rng)
    return column, operator @ column, operator


def as_multiples(d, ratio, seed):
    """For each S of `WIN_S` the squared error of CSM over that of Laplace, epsilon 1."""
    found_multiples = []
    for S in WIN_S:
        truth, clean, operator = sparse_column(d, int(S), ratio)
        several = np.repeat(clean[:, None], max(1, 8 // S), axis=1)  # releases, to average
        atoms, rng = dictionary_of("Haar", d), np.random.default_rng(seed)
        found = noisy_and_rebuilt(several, operator, atoms, int(S), 1.0, rng)
        error = np.mean(np.sum((found - truth[:, None]) ** 2, axis=0))
        found_multiples.append(error / (2 * d))
    return np.array(found_multiples)


WIN_S = np.array([1, 2, 3, 5, 10, 15, 20, 30])

# %% jupyter={"source_hidden": true}
# Figure: sparse_column(d, S, ratio) released and rebuilt: where it beats Laplace
fig, win_ax = figure(height=3.2)
win_verdict = verdict_text(win_ax)
x_axis(win_ax, "S, atoms in the column", (0.9, 34), WIN_S, log=True)
y_axis(win_ax, "squared error,\nas a multiple of Laplace's", (0.01, 100), log=True)
looks = {"measured": "noisy o", "S r, by the formula": "third", "Laplace": "grey"}
win_lines = curves(win_ax, WIN_S, looks | {"atoms missed": "other x"}, markersize=8)
legend_above(fig)


def win(ratio, d, seed):
    multiples = as_multiples(d, ratio, seed)
    beyond = multiples > 99
    seen, missed = np.where(beyond, np.nan, multiples), np.where(beyond, 80, np.nan)
    set_curves(win_lines, [seen, ratio * WIN_S, 1, missed])
    k = round(ratio * d)
    most = math.ceil(d / k) - 1
    words = f"CSM can win up to S = {most}" if most else "CSM cannot win"
    set_verdict_text(win_verdict, None, f"by the formula {words}")
    return f"k = {k:,} of {d:,}: by the formula {words}"


HEIGHTS = [128, 256, 512, 1024]
for d, S, ratio in itertools.product(HEIGHTS, WIN_S, RATIOS):  # so that no first move waits
    sparse_column(d, int(S), ratio)

question = "At ratio 0.05 with 256 rows, up to which S can CSM win?"
win_figure = live(
    fig,
    win,
    "Squared error of CSM over that of Laplace noise against the number of atoms, log axes: "
    "points along a rising line that crosses the level 1 at S = 1 / ratio; crosses at the top "
    "where rebuilding failed.",
    task=(
        "play the ratio: at which $S$ do the points cross the level 1? *New noise* shows how "
        "far averages of a few releases scatter. At 0.05, why do the points leave the line?"
    ),
    guess=predict(question, (0, 50), r"S = (\d+)$", ratio=RATIOS[0]),
    play="ratio",
    ratio=choice(RATIOS, 0.3, label="compression ratio"),
    d=choice(HEIGHTS, 256, label="d, rows"),
    seed=new_noise(3),
)
win_figure

# %% [markdown]
# So far the comparison was row by row. For queries it can be worse. All the noise of CSM lies in the span of the $S$ atoms.
# A query along such an atom meets $k$ times the variance that it meets with Laplace noise. Ranges, and above all the
# total, lie mostly along coarse atoms:

# %% jupyter={"source_hidden": true}
# Computed: the error of the total, as a multiple of Laplace's
truth, clean, operator = sparse_column(256, 3, 0.3)
truth = truth + 1e6  # the total is an atom, too
clean, k = operator @ truth, operator.shape[0]
totals = []
for seed in range(300):
    atoms, rng = dictionary_of("Haar", 256), np.random.default_rng(seed)
    found = noisy_and_rebuilt(clean, operator, atoms, 4, 1.0, rng)
    totals.append((found - truth).sum() ** 2)
times = np.mean(totals) / (2 * 256)
print(f"k = {k}, d = 256, S = 4: MSE of the total is {times:.0f} times Laplace's")

# %% [markdown]
# About $k$ times, on data made for CSM.
#
# > **A good place to stop.** Next: the paper's other figures, and its theorem.
#
# ## Error against the domain size
#
# The paper's Figure 3 ($\varepsilon = 0.1$, ratio 0.3): from $N = 128$ to 8,192
# the errors of data-independent rivals grow linearly. Those of DPPro and CSM "remain the same because their errors rely
# on data dimensionality (after projection or compression)".
#
# ### A column for each person: the local model
#
# This section alone is in the local model. The 6,366 women have a column each, with eight rows for the eight questions. Each answer is cut into $v$ classes,
# so $N = v^8$. Three random sums of a column get noise, and the shortest column that fits them is rounded to answers. A
# query counts the women in a range of the $N$ cells. Means of 20 releases:


# %%
def women_counted(answers, v, ranges):
    """How many women are in each range of the v^8 cells."""
    places = np.sort(np.ravel_multi_index(answers, 8 * [v]))
    first, last = ranges
    return np.searchsorted(places, last, side="right") - np.searchsorted(places, first)


def column_for_each_woman(answers, v, epsilon, rng, matrix=None):
    """CSM in the paper's model: epsilon-DP for a replaced column, without a curator."""
    matrix = rng.choice([-1, 1], (3, 8)) / math.sqrt(3) if matrix is None else matrix
    # an answer moves by up to its range, up or down
    sensitivity = np.abs(matrix @ SIGNS).sum(axis=0).max()
    noisy = laplace_mechanism(matrix @ (answers / (v - 1)), sensitivity, epsilon, rng)
    return np.clip(np.rint(np.linalg.pinv(matrix) @ noisy * (v - 1)), 0, v - 1).astype(int)


# %% jupyter={"source_hidden": true}
# Computed: the error of a column for each woman, and of Laplace with a curator
QUESTIONS = np.array([codes(fair[name]) for name in fair if name != "affairs"])
SIGNS = np.array(np.meshgrid(*8 * [[-1, 1]])).reshape(8, -1)  # moves as far as it can

rows = []
for v in (2, 3, 4, 5, 6):
    answers, cells = QUESTIONS * v // (QUESTIONS.max(axis=1, keepdims=True) + 1), v**8
    squares = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        which = np.sort(rng.integers(0, cells, (2, 10_000)), axis=0)
        truth = women_counted(answers, v, which)
        released = women_counted(column_for_each_woman(answers, v, 0.1, rng), v, which)
        even = QUESTIONS.shape[1] * (which[1] - which[0] + 1) / cells  # no data but n
        sums = column_for_each_woman(answers, v, 1e9, rng)  # three, as good as without noise
        eight = column_for_each_woman(answers, v, 0.1, rng, np.eye(8))
        found = [released, *(women_counted(made, v, which) for made in (sums, eight)), even]
        squares.append([np.mean((made - truth) ** 2) for made in found])
    flat = ((cells**2 - 1) / (3 * cells) + 1) * 2 / 0.1**2
    numbers = [amount(number, 2) for number in (*np.mean(squares, axis=0), flat)]
    rows.append([f"{cells:,}", *numbers])
names = ["N, cells", "CSM, a column a woman", "without noise", "without compression"]
names += ["spread evenly", "Laplace on N cells, curator"]
print("MSE of a range at epsilon 0.1; the second and third column are CSM without one step")
pd.DataFrame(rows, columns=names).set_index("N, cells")

# %% [markdown]
# The paper is right about the shape: from 256 to 1,679,616 cells CSM's error grows three- to fivefold, Laplace's in
# proportion, and they cross. But a flat error is no merit here. Spreading the women evenly over all cells, without asking
# anybody, has less error at every $N$. Compression and noise on each person ([07](07_local.ipynb)) are both to blame.
# Three sums *without* noise have about CSM's error or more; all eight answers *with* noise have a third of it or more.
#
# ### The same with a curator
#
# In the curator's model the number of rows $d$ *is* the number of cells, and at a fixed ratio $k$ grows with it. We cut
# the same records into finer and finer rows: the addresses of the network, the payments. Below the picture are the
# errors for a made-up column of five Haar atoms.


# %%
def network_column(d):
    return data.net_trace().values.reshape(d, -1).sum(axis=1).astype(float)


def payment_column(d):
    rows = (rand["lpi"].values / rand["lpi"].bounds[1] * d).astype(int)
    return np.bincount(np.minimum(rows, d - 1), minlength=d).astype(float)


@functools.cache
def wide(d):
    """A matrix of ratio 0.3 and its sensitivity, known for signs: sqrt(k)."""
    operator = hadamard_operator(round(0.3 * d), d, np.random.default_rng(4))
    return operator, math.sqrt(operator.shape[0])


def csm_column(column, kind, S, epsilon, rng):
    operator, atoms = wide(column.size)[0], dictionary_of(kind, column.size)
    return noisy_and_rebuilt(operator @ column, operator, atoms, S, epsilon, rng)


def range_errors(column, kind, kept, rng):
    """MSE of ranges for one release of a column by each mechanism, epsilon 0.1."""
    releases = {
        "CSM": csm_column(column, kind, 30, 0.1, rng),
        "Laplace": laplace_mechanism(column, 1, 0.1, rng),
        "Haar": haar_histogram(column, 0.1, rng),
        "hierarchical": hierarchical_histogram(column, 16, 0.1, rng),
        "Fourier": fourier_histogram(column, kept, 0.1, rng),
    }
    return {name: range_error(release - column) for name, release in releases.items()}


# %%

SIZES, rng = [128, 512, 2048, 8192], np.random.default_rng(5)
assert math.isclose(sensing_sensitivity(wide(512)[0]), wide(512)[1])
domain_errors = {}
for source, kind, kept, make in (
    ("network", "Haar", 64, network_column),
    ("payments", "Haar + spikes", 16, payment_column),
):
    for d in SIZES:
        runs = [range_errors(make(d), kind, kept, rng) for _ in range(DRAWS)]
        domain_errors |= {
            (source, d, name): np.mean([run[name] for run in runs]) for name in runs[0]
        }

# %% jupyter={"source_hidden": true}
# Figure: the errors computed above, against the number of rows
LOOKS = {"CSM": "noisy o-", "Laplace": "grey s-", "Haar": "third ^-"}
LOOKS |= {"hierarchical": "other D-", "Fourier": "fourth v-"}
fig, axes = figure(columns=2, height=3.4)
x_axis(axes, "d, rows", ticks=SIZES, log=True)
y_axis(axes, log=True)
y_axis(axes[0], "MSE of a range")
for ax, source in zip(axes, ("network", "payments"), strict=True):
    ax.set_title(source)
    found = [[domain_errors[source, d, name] for d in SIZES] for name in LOOKS]
    curves(ax, SIZES, LOOKS, found, ends=True)
show(
    fig,
    "Mean squared error of ranges, means of 20 releases, against the number of rows, two "
    "tables: Laplace grows in proportion, hierarchical and Haar slowly and below it for many "
    "rows, CSM above all of them, Fourier level and met by Laplace at the most rows.",
)

# %% jupyter={"source_hidden": true}
# Computed: how the errors grow with the rows, and the error of a column of five Haar atoms
rows, rng = [], np.random.default_rng(6)
for d in SIZES:
    column = haar_basis(d).inverse(np.append(np.full(5, 1e6), np.zeros(d - 5)))
    released = [csm_column(column, "Haar", 5, 0.1, rng) for _ in range(DRAWS)]
    error = np.mean([range_error(one - column) for one in released])
    flat = laplace_range_error(d, 0.1)
    k = wide(d)[0].shape[0]
    row = f"{d:,}", f"{k:,}", amount(error, 2), f"{flat:,.0f}", amount(error / flat, 2)
    rows.append(row)
for source in ("network", "payments"):
    exact = {d: laplace_range_error(d, 0.1) for d in SIZES}  # of Laplace noise
    least = min(domain_errors[source, d, "CSM"] / exact[d] for d in SIZES)
    trees = [domain_errors[source, d, "hierarchical"] for d in SIZES]
    print(f"{source}: CSM has {amount(least, 2)} times the MSE of Laplace, or more;")
    print("    from d = 128 to 8,192", end=" ")
    print(f"Laplace grows {exact[8192] / exact[128]:.0f} times,", end=" ")
    print(f"hierarchical {trees[-1] / trees[0]:.0f}")
print("a column of five coarse Haar atoms: MSE of a range at epsilon 0.1, means of 20")
pd.DataFrame(rows, columns=["d", "k", "CSM, S = 5", "Laplace", "CSM / Laplace"]).set_index("d")

# %% [markdown]
# With five coarse atoms and nothing else, the error of CSM grows like $d^2$. Both $k$ and the rows of a coarse atom grow
# with $d$. Laplace grows like $d$, trees and wavelets as a power of $\log d$
# ([chapter 08](08_histograms.ipynb)).
#
# ## Error against epsilon
#
# The paper's Figure 5 (ratio 0.4, $N = 256$): CSM has "a considerably lower MSE than the other mechanisms", and its
# conclusion speaks of orders of magnitude. The errors of all, "except LM" (Laplace), fall slowly. Here is a like
# comparison, with the $S$ of CSM and the $m$ of Fourier chosen with the true data, in their favour. **Not run here:
# PrivBayes and DPPro**, of the paper's six rivals the two that are made for many attributes. PrivBayes builds a small
# model of the joint distribution, DPPro projects every record at random ([13](13_marginals.ipynb)).


# %%
def released_by_each(name, epsilon, draw):
    """The errors of one column, released by every mechanism, with several S and m."""
    column, rng = column_of(name, draw), np.random.default_rng(draw)
    releases = {
        ("Laplace", 0): laplace_mechanism(column, 1, epsilon, rng),
        ("Haar", 0): haar_histogram(column, epsilon, rng),
        ("hierarchical", 0): hierarchical_histogram(column, 16, epsilon, rng),
        ("zeros", 0): 0 * column,
    }
    for m in (4, 16, 64, column.size // 2 + 1):
        releases["Fourier", m] = fourier_histogram(column, m, epsilon, rng)
    sparse = {("CSM", S): csm_draw(name, 0.4, epsilon, S, draw) for S in (10, 30)}
    return sparse | {made: release - column for made, release in releases.items()}


@functools.cache
def twenty_releases(name, epsilon):
    return [released_by_each(name, epsilon, draw) for draw in range(DRAWS)]


@functools.cache
def versus(name, epsilon, error=range_error):
    """The mean MSE of each mechanism and its standard error, for its best S or m."""
    runs, found = twenty_releases(name, epsilon), {}
    for mechanism, option in runs[0]:
        squares = [error(run[mechanism, option]) for run in runs]
        made = mean_and_error(name, squares)
        found[mechanism] = min(found.get(mechanism, made), made, key=lambda both: both[0])
    return found


# %%
EPSILONS = (0.1, 0.5, 0.9)

by_epsilon = {(name, e): versus(name, e) for name in TABLES for e in EPSILONS}

# %% jupyter={"source_hidden": true}
# Figure: the errors computed above, against epsilon
fig, axes = figure(columns=2, rows=2, height=5.2, sharex=True)
x_axis(axes[1], "epsilon", ticks=EPSILONS)
y_axis(axes, log=True)
y_axis(axes[:, 0], "MSE of a range")
for ax, name in zip(axes.flat, TABLES, strict=True):
    ax.set_title(name)
    means = np.array([[by_epsilon[name, e][made] for e in EPSILONS] for made in LOOKS])
    found = [*means[:, :, 0], by_epsilon[name, 0.1]["zeros"][0]]
    lines = curves(ax, EPSILONS, LOOKS | {"zeros": "true :"}, found, ends=True)
    for line, (error, standard_error) in zip(lines, means.swapaxes(1, 2), strict=False):
        look = {"fmt": "none", "color": line.get_color(), "capsize": 3}
        ax.errorbar(EPSILONS, error, 2 * standard_error, **look)
    set_curves(lines, found)  # the bars have moved the axis, and so where the lines end
show(
    fig,
    "Mean squared error of ranges against epsilon for five mechanisms on four tables, log "
    "scale, bars of two standard errors: hierarchical, Haar and Laplace low and falling, CSM "
    "one to three orders of magnitude above. Fourier is between them for payments, low for "
    "marriages, and about as high as CSM or higher for visits and network.",
)

# %% jupyter={"source_hidden": true}
# Computed: how often CSM has less error than Laplace, and the errors at epsilon 0.5
wins = sum(errors["CSM"][0] < errors["Laplace"][0] for errors in by_epsilon.values())
print(f"ranges: CSM has less error than Laplace in {wins} of {len(by_epsilon)} comparisons")
for mechanism in LOOKS:
    falls = [
        by_epsilon[name, 0.1][mechanism][0] / by_epsilon[name, 0.9][mechanism][0]
        for name in TABLES
    ]
    print(f"  {mechanism:<12} MSE from 0.1 to 0.9 falls", end=" ")
    print(f"{min(falls):>4.0f} to {max(falls):.0f} times")
both, kinds = {}, {"ranges": range_error, "counting": counting_error}
for name, (kind, error) in itertools.product(TABLES, kinds.items()):
    for mechanism, (mean, standard_error) in versus(name, 0.5, error).items():
        told = f"{amount(mean)} ± {amount(standard_error, 1)}"
        both.setdefault((name, kind), {})[mechanism] = told
print("MSE at epsilon 0.5, means of 20 releases ± a standard error, over all queries:")
pd.DataFrame(both).T

# %% [markdown]
# The MSE of every mechanism that only adds noise falls like $1/\varepsilon^2$: 81 times from 0.1 to 0.9. CSM and Fourier
# leave something out, and fall more slowly once they are at that level. An error that hardly falls beyond
# $\varepsilon = 0.5$ is no merit.
#
# ## Usefulness
#
# The paper's Figure 4: a mechanism is *$(\mu, \eta)$-useful* if an answer is off by $\mu$ or more with probability at most
# $\eta$. (So Proposition 2 has it. In Definition 6 the two letters change places.) Proposition 2 then claims for CSM
#
# $$\eta = \tfrac12 \exp\!\left(-\frac{\mu}{s\,\Delta_{ss}}\right),$$
#
# with $s$ the number of measurements (our $k$), and a sensitivity $\Delta_{ss}$, here $\Delta/0.4$.
# Neither the data nor the query occurs in it (erratum [E82](22_errata.ipynb#E82)). Our copy of the paper has lost every
# $\varepsilon$. We put one before $\mu$, where the scale $\Delta/\varepsilon$ of the noise would have it.

# %%
MU = np.logspace(-1, 6, 120)


def by_column(name, release):
    return np.column_stack([release(column) for column in TABLES[name].T])


@functools.cache
def csm(name, ratio, epsilon):
    """A whole table released by CSM: all columns by one matrix."""
    (operator, _), rng = drawn(name, ratio), np.random.default_rng(100)
    measured = by_column(name, operator.forward)
    atoms = dictionary_of(SUITED[name], operator.shape[1])
    return noisy_and_rebuilt(measured, operator, atoms, 30, epsilon, rng)


@functools.cache
def unit_errors(name, queries, kept=16):
    """Errors of the answers: pure noise at epsilon 1, and what Fourier leaves out."""
    rng, table = np.random.default_rng(8), TABLES[name]
    wanted, answer = asked(name)[0], answer_ranges
    if queries == "counting":
        wanted, answer = asked(name)[1], answer_counting
    noise = {
        "Laplace": laplace_mechanism(table, 1, 1.0, rng) - table,
        "Haar": by_column(name, lambda c: haar_histogram(c, 1.0, rng)) - table,
        "hierarchical": by_column(name, lambda c: hierarchical_histogram(c, 16, 1.0, rng) - c),
        "Fourier": by_column(name, lambda c: fourier_histogram(0 * c, kept, 1.0, rng)),
        "left out": by_column(name, lambda c: np.fft.irfft(np.fft.rfft(c)[:kept], n=c.size))
        - table,
    }
    return {mechanism: answer(error, wanted) for mechanism, error in noise.items()}


def exceeds(errors):
    """The fraction of the errors that are at least mu in size, for every mu."""
    return 1 - np.searchsorted(np.sort(np.abs(errors)), MU) / errors.size


# %% jupyter={"source_hidden": true}
# Figure: exceeds(errors): the fraction of answers off by mu or more
fig, useful_ax = figure(height=3.4)
useful_verdict = verdict_text(useful_ax)
x_axis(useful_ax, "μ, records (log scale)", (0.1, 1e5), [0.1, 10, 1_000, 100_000], log=True)
y_axis(useful_ax, "η: fraction of answers\noff by μ or more", (-0.02, 1.05))
looks = {"CSM": "noisy", "Laplace": "grey", "Haar": "third -."}
looks |= {"Fourier": "fourth -.", " ": "true --"}
useful_lines = curves(useful_ax, MU, looks, linewidth=1.8)
useful_ax.text(0.12, 0.42, "claimed for CSM")
legend_above(fig)


def usefulness(epsilon, table, queries):
    errors = {name: error / epsilon for name, error in unit_errors(table, queries).items()}
    errors["Fourier"] = errors["Fourier"] + errors.pop("left out") * epsilon
    answer, which = ((answer_ranges, 0), (answer_counting, 1))[queries == "counting"]
    errors["CSM"] = answer(csm(table, 0.4, epsilon) - TABLES[table], asked(table)[which])
    operator, sensitivity = drawn(table, 0.4)
    claimed = np.exp(-epsilon * 0.4 * MU / (operator.shape[0] * sensitivity)) / 2
    found = [exceeds(errors[name]) for name in looks if name in errors]
    set_curves(useful_lines, [*found, claimed])
    csm_off, flat_off = (np.median(np.abs(errors[name])) for name in ("CSM", "Laplace"))
    words = f"half off by {csm_off:,.0f} or more (CSM), by {flat_off:,.0f} (Laplace)"
    if csm_off < 0.5:
        words = f"half within 0.5 (CSM), half off by {flat_off:,.0f} or more (Laplace)"
    set_verdict_text(useful_verdict, None, words)
    return f"answers: {words}"


useful_figure = live(
    fig,
    usefulness,
    "The fraction of answers off by mu or more against mu on a log axis, falling to 0 for "
    "each of four mechanisms, CSM and Fourier mostly last; a dashed curve, claimed for CSM, "
    "that starts at one half.",
    task=(
        "compare the dashed line with CSM's own. Then find the mechanism with the leftmost "
        "curve on each table."
    ),
    epsilon=log_slider(0.01, 10, 1.0),
    table=choice(list(TABLES), "payments"),
    queries=choice(["ranges", "counting"], "ranges"),
)
useful_figure

# %% [markdown]
# Three of the network's columns are empty, and so are most rows of the visits. About half of CSM's answers to ranges
# there, or more, are exact; the others are often far off.
#
# Three things are wrong with the formula.
#
# - The error of an answer has both signs, so the factor $\tfrac12$ must go.
# - Equation (15) mistakes a distribution function for its tail.
# - The formula is the distribution of one noise term, not of a query on a rebuilt column.

# %% jupyter={"source_hidden": true}
# Computed: the tail of Laplace noise, as it is and as printed, and counted errors
scale, rng = 10.0, np.random.default_rng(9)
noise = np.abs(rng.laplace(scale=scale, size=400_000))
print("P(|noise| >= mu) for Laplace noise of scale 10:", end=" ")
print("counted, exp(-mu / scale), printed half of it")
for mu in (0, 10, 30):
    above, tail = np.mean(noise >= mu), math.exp(-mu / scale)
    print(f"  mu = {mu:>2}: {above:.2f}, {tail:.3f}, {tail / 2:.3f}")
print(f"equation (15) has {1 - math.exp(-1) / 2:.3f} for 'noise above 10';", end=" ")
print("that is 'noise 10 or less, or negative'")
operator, sensitivity = drawn("payments", 0.4)
for e in (10, 1, 0.1):
    off, mu = csm("payments", 0.4, e) - TABLES["payments"], 1000
    answers = np.abs(answer_ranges(off, asked("payments")[0]))
    printed = math.exp(-e * 0.4 * mu / (operator.shape[0] * sensitivity)) / 2
    part = amount(np.mean(answers >= mu), 2)
    print(f"payments, epsilon {e:>4}: {part} of the answers off by {mu:,};", end=" ")
    print(f"printed {printed:.2f}")

# %% [markdown]
# ## The theorem that is false
#
# Zheng et al. (2019), Theorem 2: with noise of scale $\Delta_{ss}$, CSM is $\frac{2\tau}{\Delta_{ss}}$-differentially
# private. (Our copy has lost every $\varepsilon$. With one in the scale, the loss and the claim both grow with it.)
# Here $\tau$ is the "compression coefficient", which we take for the ratio. The "sensing sensitivity" $\Delta_{ss}$ is
# the sensitivity over $\tau$. We check it by a number: take $k = 100$ measurements with entries $\pm 0.1$, so the
# sensitivity is 10. Let $\tau = 1$ for the most generous claim; then the noise has scale 10. The event: every
# measurement lies beyond where one more record would put it (erratum [E81](22_errata.ipynb#E81)).

# %% jupyter={"source_hidden": true}
# Computed: the exact loss on this event, and what the theorem claims
psi = bernoulli_operator(100, 100, np.random.default_rng(10))
assert math.isclose(sensing_sensitivity(psi), 10)
shift = psi @ np.eye(100)[0]  # one record more in row 0 of an empty column
logs = {}
for name, centre in (("empty", 0 * shift), ("one record", shift)):
    low, high = np.where(shift > 0, shift, -np.inf), np.where(shift > 0, np.inf, shift)
    logs[name] = np.log(laplace_probability(low, high, centre, 10, 1)).sum()
loss = logs["one record"] - logs["empty"]
print("log probability of the event:", end=" ")
print(f"{logs['one record']:.2f} with the record, {logs['empty']:.2f} without")
claim = theorem_2_claim(10, 1.0)
print(f"loss {loss:.2f}; claimed by Zheng et al. {claim:.2f};", end=" ")
print(f"by measurement_loss {measurement_loss(psi, 10):.2f}")
assert loss > 4 * claim

# %% [markdown]
# The loss of noise of scale $b$ is $\Delta/b$: here 1, and at another ratio it is $\tau$. The claim cannot even be of
# the right kind. A privacy loss has no unit, but $\Delta_{ss}$ is a number of records. Count in dozens instead, and
# scale the noise along. The release is the same in another unit, but the claim changes:

# %% jupyter={"source_hidden": true}
# Computed: the loss and the claim in three units
for unit, size in (("records", 1), ("dozens", 12), ("grosses", 144)):
    claim = theorem_2_claim(10 / size, 1.0)
    loss_then = measurement_loss(psi, 10 / size, record_bound=1 / size)
    print(f"in {unit:<8} sensitivity and scale {10 / size:>6.3f}:", end=" ")
    print(f"loss {loss_then:.0f}, claimed {claim:>5.2f}")

# %% [markdown]
# <details><summary>Where the printed proof goes wrong: a ratio of densities gets a minus sign in the exponent.</summary>
#
# Its first inequality bounds a ratio of densities by $\exp(-H|q - q^*|/\lambda)$, with a minus sign. A ratio of two
# densities exceeds 1 somewhere, and here the triangle inequality gives a plus. Then $H$ is dropped, a logarithm is
# missing, and the "neighbour" $D^*$ is the released table.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: the log ratio of our event: printed, with the right sign, and as it is
wrong, correct = -np.abs(shift).sum() / 10, np.abs(shift).sum() / 10
print(f"printed: log ratio at most {wrong:+.2f};", end=" ")
print(f"with the right sign at most {correct:+.2f}; it is {loss:+.2f}")

# %% [markdown]
# **The meter.** Five ways to set the noise, each with what is claimed for it. Those with a Gaussian matrix take as
# sensitivity its "distribution parameter" (the standard deviation, Proposition 1), the average column, or the largest.


# %%
@functools.lru_cache(maxsize=64)
def gauss_sums(k):
    return column_sums(gaussian_operator(k, 128, np.random.default_rng(11)))


# %% jupyter={"source_hidden": true}
# Figure: the exact loss of each setting beside its claim
SETTINGS = ["signs: √k / τ (Theorem 2)", "signs: √k / ε", "Gaussian: its parameter"]
SETTINGS += ["Gaussian: average column", "Gaussian: largest column"]
fig, meter_ax = figure(height=3.2)
loss_verdict = verdict_text(meter_ax)
loss_meter = meter(meter_ax, SETTINGS, 8, "privacy loss of one record")
paper_claim = own_point(
    meter_ax, "claimed by the paper", "D", "black", markerfacecolor="white"
)
legend_above(fig)


def privacy(ratio, epsilon, neighbours):
    k = round(ratio * 128)
    moved = {"one record more": 1, "one record replaced": 2}[neighbours]
    largest = gauss_sums(k).max()
    chosen = np.array([1 / math.sqrt(k), math.sqrt(2 * k / math.pi), largest])
    losses = moved * np.array([ratio, epsilon, *(largest / chosen * epsilon)])
    claims = [theorem_2_claim(math.sqrt(k) / ratio, ratio), *[epsilon] * 4]
    set_meter(loss_meter, losses, claims)
    loss_meter.claim.set_xdata([epsilon] * 2)  # of all but the first
    set_own_point(paper_claim, claims[0], 0)
    broken = np.sum(losses > np.array(claims) + 1e-9)
    words = f"{broken} of 5 guarantees are broken"
    set_verdict_text(loss_verdict, bool(broken == 0), words)
    paper = f"The paper claims {claims[0]:.3f}, the loss is {losses[0]:.2f}"
    return f"k = {k} of 128, {words}. {paper}; the parameter has loss {losses[2]:,.1f}"


question = (
    "At ratio 1, how large is the loss of a Gaussian matrix with noise for its parameter?"
)
meter_figure = live(
    fig,
    privacy,
    "Five bars of privacy loss with what is claimed for each: the noise of the paper, the "
    "Gaussian parameter and the Gaussian average are broken; signs with sqrt k over epsilon "
    "and the largest Gaussian column are within, unless a record is replaced.",
    task=(
        "play the ratio and watch the first bar and its diamond. Then take neighbours with "
        "one record *replaced*: an entry falls by 1, one rises by 1, and every loss doubles."
    ),
    guess=predict(question, (1, 1_000), r"parameter has loss ([\d.,]*\d)", ratio=1.0),
    play="ratio",
    ratio=slider(0.05, 1.0, 0.3, 0.05, label="compression ratio"),
    epsilon=log_slider(0.1, 3, 1.0),
    neighbours=choice(["one record more", "one record replaced"], "one record more"),
)
meter_figure

# %% [markdown]
# If replaced records must be protected too, say so: `record_bound=2` doubles the noise, and the guarantee holds.
#
# ## More that does not hold
#
# ### A dictionary learned from the table
#
# The paper does not say whether its dictionary $\Phi$ may depend on the data. It must be public, for the release is a
# sum of atoms. Here the only atom is the table's own first column, scaled. Then one record arrives in an empty row:

# %% jupyter={"source_hidden": true}
# Computed: how often an empty row is exactly 0 in the release, before and after one record
column = TABLES["visits"][:, 0]
empty = int(np.flatnonzero(column == 0)[0])
psi = hadamard_operator(52, 512, np.random.default_rng(12))
for name, now in (("before", column), ("after ", column + np.eye(512)[empty])):
    atom, zeros = now / np.linalg.norm(now), []
    for seed in range(50):
        noisy = sense(now, psi, 0.01, np.random.default_rng(seed))
        measured = psi @ atom
        released = atom * (measured @ noisy) / (measured @ measured)
        zeros.append(released[empty] == 0)
    print(f"{name}:", end=" ")
    print(f"row {empty} is exactly 0 in {np.mean(zeros):.0%} of 50 releases at epsilon 0.01")

# %% [markdown]
# The loss is infinite, however large the noise (erratum [E85](22_errata.ipynb#E85)). Learn dictionaries from public
# data, or with a budget of their own.
#
# <details><summary>Smaller slips of the paper: two more errata.</summary>
#
# Line 2 of Algorithm 1 measures the *weights* $X$, where equation (5) and the proof of Proposition 1 measure the table.
# Their sensitivities differ (erratum [E84](22_errata.ipynb#E84)). Its datasets have, as we read Table II, up to
# $2^{77}$ cells; the largest domain that it tries has 8,192 (erratum [E87](22_errata.ipynb#E87)).
#
# </details>

# %% [markdown]
# ## Use the sparsity without compressing
#
# If few atoms suffice, that helps *every* release. Put Laplace noise on the table and keep the $S$ largest weights: it
# costs no privacy ([chapter 16](16_compressive.ipynb)). The noise on each weight then has variance $2/\varepsilon^2$, not
# $2k/\varepsilon^2$. The paper's comparisons lack this rival (erratum [E86](22_errata.ipynb#E86)).

# %% jupyter={"source_hidden": true}
# Computed: the errors of CSM, of Laplace with 30 weights kept, of Laplace and of zeros
rows, times = {}, []
for name, table in TABLES.items():
    basis = spike_basis(len(table)) if SUITED[name] == "spikes" else haar_basis(len(table))
    for e in (1, 0.1):
        made = {"CSM, S = 30": [], "Laplace, 30 kept": [], "Laplace": [], "zeros": []}
        for draw in range(DRAWS):
            column = column_of(name, draw)
            flat = laplace_mechanism(column, 1, e, np.random.default_rng(draw))
            kept = keep_largest(flat, basis, 30)
            errors = csm_draw(name, 0.4, e, 30, draw), kept - column, flat - column, -column
            for release, error in zip(made, errors, strict=True):
                made[release].append((np.mean(error**2), range_error(error)))
        means = {release: np.mean(both_kinds, axis=0) for release, both_kinds in made.items()}
        times.append(means["CSM, S = 30"] / means["Laplace, 30 kept"])
        row = rows[f"{name}, epsilon {e}"] = {}
        for release, (place, kind) in itertools.product(made, enumerate(("rows", "ranges"))):
            mean, standard_error = mean_and_error(name, np.array(made[release])[:, place])
            row[f"{release}: {kind}"] = f"{amount(mean)} ± {amount(standard_error, 1)}"
of_rows, of_ranges = map(amount, np.min(times, axis=0), (2, 2))
print(f"CSM has {of_rows} times the error of Laplace with 30 kept, or more, on rows;")
print(f"    on ranges {of_ranges} times, or more")
print("MSE of rows and of ranges, means of 20 releases ± a standard error")
pd.DataFrame(rows).T

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/18_sensing](../exercises/answers/18_sensing.ipynb).
#
# **Assignment 18:** [five tasks, checked in a second](../exercises/releases/18_sensing.ipynb).
#
# 1. *Warm-up.* In the figure of ratios take $\varepsilon = 1$ and ratio 0.4. Find for each table the dictionary and $S$
#    with the smallest error of a range. Is any below Laplace? Does your choice survive other noise (the seed of
#    `one_column`), and could you have made it without the data?
# 2. In the same figure take each table with its suited dictionary (`SUITED`) and $S = 10$. Lower $\varepsilon$ until the
#    curve at ratio 0.4 meets the dotted line of zeros: at which $\varepsilon$ does it? Below that, is CSM at its *best*
#    ratio worse than zeros, too?
# 3. In the figure of $S r$: at $d = 256$, how many measurements does it take to find $S = 10$ atoms without a miss?
#    Does CSM win there?
# 4. Let `drawn` make a `gaussian_operator` (only up to some hundreds of rows: the matrix is kept), and return its
#    `sensing_sensitivity`. Compare that with $\sqrt k$, and the range errors of visits and payments at ratio 0.4. What
#    is gained or lost? Would `csm` be private with $\sqrt k$, as `drawn` has it now?
# 5. The meter takes *replaced* records to lie in two columns of the table. How much less noise is enough if both lie in
#    one column? Compute $\max_{j,j'} \|\Psi_j - \Psi_{j'}\|_1$ for Bernoulli matrices with $k = 26$, 77 and 154 rows (a
#    start is below) and divide by $2\sqrt k$. Where does that fraction go as $k$ grows?
# 6. *Challenge.* Release the total of a column by Laplace noise with a tenth of $\varepsilon$, and subtract it before
#    measuring. Does that rescue the ranges?
#
# A start for exercise 5:

# %%
psi = bernoulli_operator(77, 256, np.random.default_rng(16))
of_rows = np.column_stack([psi @ unit for unit in np.eye(256)])
apart = [np.abs(of_rows - of_rows[:, [j]]).sum(axis=0).max() for j in range(256)]
print(f"one pair: {apart[0]:.2f}, 2 sqrt k = {2 * math.sqrt(77):.2f}")

# %% [markdown]
# ## When to use it, when not, by numbers

# %% jupyter={"source_hidden": true}
# Computed: the mechanisms on data made for CSM, their order on each table, numbers sent
truth, clean, operator = sparse_column(512, 2, 0.1)
made = {"CSM": [], "Laplace": [], "Laplace, 2 kept": []}
for seed in range(20):
    rng = np.random.default_rng(seed)
    found = noisy_and_rebuilt(clean, operator, dictionary_of("Haar", 512), 2, 1.0, rng)
    flat = laplace_mechanism(truth, 1, 1.0, rng)
    releases = found, flat, keep_largest(flat, haar_basis(512), 2)
    for name, release in zip(made, releases, strict=True):
        made[name].append(np.mean((release - truth) ** 2))
print("made for CSM: two Haar atoms in 512 rows, ratio 0.1, epsilon 1;", end=" ")
print("squared error of a row, means of 20:")
print("  " + ", ".join(f"{name} {np.mean(errors):.3f}" for name, errors in made.items()))
for name in TABLES:
    errors = versus(name, 0.1)
    order = sorted(errors, key=lambda made: errors[made][0])
    told = order[0]
    for one, other in itertools.pairwise(order):
        gap = errors[other][0] - errors[one][0]
        spread = math.hypot(errors[one][1], errors[other][1])
        told += f" {'<' if gap > 2 * spread else '≈'} {other}"
    print(f"epsilon 0.1 {name:<9} ranges: {told}")
print("    (≈: within two standard errors of each other)")
sent = {
    "CSM, ratio 0.4": 102 * 5,
    "Laplace, 30 kept": 2 * 30 * 5,
    "Fourier, m = 16": 2 * 16 * 5,
    "Laplace, trees": 256 * 5,
}
print("numbers sent, payments:")
print("    " + "; ".join(f"{count:,} by {name}" for name, count in sent.items()))

# %% [markdown]
# To send *less*, compress after the noise: 30 values and their places are fewer numbers than CSM's measurements.
#
# **Use it** when the party that adds the noise can *measure* only $k$ random sums a column. The columns
# must be *very* sparse in a publicly known dictionary ($S r < 1$), and the questions about single rows.
#
# **Do not** use it for a table that the curator holds: Laplace noise with the largest weights kept has less error. Do not
# use it for ranges (take a tree, [chapter 08](08_histograms.ipynb)), or for data that no public dictionary fits.
#
# **Check** that the noise is $\max_j\|\Psi_j\|_1$ *of the matrix that was drawn* over $\varepsilon$, times 2 if records
# may be replaced.
#
# ## Sources
#
# - **001** Zhigao Zheng, Tao Wang, Jinming Wen, Shahid Mumtaz, Ali Kashif Bashir, Sajjad Hussain Chauhdary:
#   *Differentially Private High-Dimensional Data Publication in Internet of Things*. IEEE Internet of Things Journal
#   2019. [doi:10.1109/JIOT.2019.2955503](https://doi.org/10.1109/JIOT.2019.2955503). Sections III (dictionary, equations
#   (3) to (9); its Theorem 1 is Lemma 16.4 of [page 16](16_compressive.ipynb)), IV (Algorithm 1, Propositions 1 and 2,
#   Definitions 5 and 6, Theorem 2), V (Figures 2 to 6). Corrected on this page: Theorem 2 and its proof, both
#   propositions, the noise left open in Algorithm 1 and its line 2, the sizes of Table II.
#
# <details><summary>The other 9 sources of this page.</summary>
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to Practice*. Morgan and
#   Claypool 2016. [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018). Section 4.3:
#   the Fourier mechanism.
# - **000** Yang D. Li, Zhenjie Zhang, Marianne Winslett, Yin Yang: *Compressive Mechanism*. WPES 2011.
#   [arXiv:1107.3350](https://arxiv.org/abs/1107.3350). The same idea for one histogram, page 16.
# - Xiaokui Xiao, Guozhang Wang, Johannes Gehrke: *Differential Privacy via Wavelet Transforms*. IEEE Transactions on
#   Knowledge and Data Engineering 2011. [doi:10.1109/TKDE.2010.247](https://doi.org/10.1109/TKDE.2010.247). Privelet and
#   its weights.
# - Boaz Barak, Kamalika Chaudhuri, Cynthia Dwork, Satyen Kale, Frank McSherry, Kunal Talwar: *Privacy, Accuracy, and
#   Consistency Too*. PODS 2007. [doi:10.1145/1265530.1265569](https://doi.org/10.1145/1265530.1265569). Fourier
#   coefficients.
# - Y. C. Pati, R. Rezaiifar, P. S. Krishnaprasad: *Orthogonal Matching Pursuit*. Asilomar 1993.
#   [doi:10.1109/ACSSC.1993.342465](https://doi.org/10.1109/ACSSC.1993.342465).
# - Joel Tropp, Anna Gilbert: *Signal Recovery from Random Measurements via Orthogonal Matching Pursuit*. IEEE
#   Transactions on Information Theory 2007.
#   [doi:10.1109/TIT.2007.909108](https://doi.org/10.1109/TIT.2007.909108).
# - Emmanuel Candès, Terence Tao: *Decoding by Linear Programming*. IEEE Transactions on Information Theory 2005.
#   [doi:10.1109/TIT.2005.858979](https://doi.org/10.1109/TIT.2005.858979). The restricted isometry property.
# - Jun Zhang, Graham Cormode, Cecilia Procopiuc, Divesh Srivastava, Xiaokui Xiao: *PrivBayes*. ACM Transactions on
#   Database Systems 2017. [doi:10.1145/3134428](https://doi.org/10.1145/3134428). Not run here.
# - Chugui Xu, Ju Ren, Yaoxue Zhang, Zhan Qin, Kui Ren: *DPPro: Differentially Private High-Dimensional Data Release via
#   Random Projection*. IEEE Transactions on Information Forensics and Security 2017. Not
#   run here.
#
# `dpbook` is for learning, not for real releases ([00](00_start_here.ipynb) says why).
#
# </details>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [17 Continual counting](17_continual.ipynb) · **Next:** [19 Projection: compressing the records themselves](19_projection.ipynb)
