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
# # 16 The compressive mechanism
#
# **What you will see:** a histogram with 65,536 bins is squeezed into a few hundred random samples, and rebuilt from
# them with noise. Then why this works, and a simpler rival that wins.
#
# <details><summary>About 40 minutes, after 03, 04 and 08: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [15 Stability](15_stability.ipynb) · **Next:** [17 Continual counting](17_continual.ipynb)
#
# **Assignment 16:** [five tasks, checked in a second](../exercises/releases/16_compressive.ipynb)
#
# The mechanism is that of Li, Zhang, Winslett and Yang (2011), "the paper" on this page. At the end: how to choose the
# sparsity $S$ privately, and where a proof or a guarantee fails.
#
# **What you will do:** find the border between samples that suffice and samples that do not. Make the mechanism beat
# Laplace noise; make it lose. Break a guarantee with the wrong constant.
#
# **Time:** about 40 minutes. A stopping point: the table "One fair comparison".
#
# **You need:** [03 the Laplace mechanism](03_laplace.ipynb) and [04 the exponential
# mechanism](04_exponential.ipynb). H$_2$, the binary tree of [08 histograms](08_histograms.ipynb), appears for comparison.
#
# **Real and synthetic:** the doctor visits are of real people (RAND health insurance experiment). The others are
# *synthetic stand-ins*. Net trace, search logs and social network have the number of bins, the total and the
# Euclidean length of the files that the paper used. The net trace and the social network are sorted, as those are.
# Their shapes (a power law, bursts, a lognormal distribution) are invented. Of the TCP trace only the number of bins is
# the original's. It has a daily rhythm, which makes it nearly sparse in its basis, with the noise of a count. No number
# computed from them is a result about the originals; if you have the files, a cell below reads them.
#
# | sign | here | in the paper (Li et al. 2011) |
# |---|---|---|
# | $n$, $D$, $\hat D$ | bins, true counts, released counts | $n$, $\mathbf D$, $\mathbf D^*$ |
# | $\Psi$, $x$, $x_S$ | basis, coefficients, the $S$ largest of them | the same |
# | $k$, $\Phi$, $C$ | samples, sampling matrix, constant in $k = C S \log_2(n/S)$ | the same; $C$ not given |
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import functools
import itertools
import math

import numpy as np

from dpbook import data
from dpbook.amounts import amount, counted, percent
from dpbook.guesses import predict
from dpbook.laplace import laplace_mechanism
from dpbook.live import choice, live, log_slider, new_noise, show_source, slider, switch
from dpbook.plots import (
    COLOURS,
    curves,
    figure,
    legend_above,
    meter,
    own_point,
    rival_dots,
    set_curves,
    set_meter,
    set_own_point,
    set_rival_dots,
    set_steps,
    set_verdict_text,
    show,
    steps,
    verdict_text,
    x_axis,
    y_axis,
)
from dpbook.sparse import (
    generalised_omp,
    haar_basis,
    hadamard_operator,
    measurements,
    noise_length,
    reconstruct,
)

# %% jupyter={"source_hidden": true}
# Figure: the compressive mechanism in two steps: noisy samples, and what is rebuilt from them
trace = data.net_trace().values
trace_basis, trace_length = haar_basis(trace.size), np.linalg.norm(trace)
fig, (taken_ax, rebuilt_ax) = figure(rows=2, height=3.1, height_ratios=[2, 3])
two_steps_verdict = verdict_text(taken_ax)
told_steps = steps(taken_ax, [0, 0], COLOURS.light, label="samples with noise")
taken_steps = steps(taken_ax, [0, 0], COLOURS.true, label="samples")
x_axis(taken_ax, None, (0, 1), {})
y_axis(taken_ax, "sample", (-1_000, 1_000))
steps(rebuilt_ax, trace[:64], COLOURS.pale, fill=True, label="true counts")
rebuilt_steps = steps(rebuilt_ax, np.zeros(64), COLOURS.noisy, label="rebuilt from them")
x_axis(rebuilt_ax, "network address (bin), the 64 busiest of 65,536", (0, 64))
y_axis(rebuilt_ax, "connections", (-300, 1.1 * trace.max()))
legend_above(fig)


@functools.cache
def taken(S):
    """The public sampling matrix for S coefficients, and the samples without noise."""
    k = measurements(S, trace.size, 1.5)
    operator = hadamard_operator(k, trace.size, np.random.default_rng(S))
    return operator, operator @ trace


def two_steps(S, epsilon, seed):
    operator, samples = taken(S)
    k = samples.size
    told = laplace_mechanism(samples, math.sqrt(k), epsilon, np.random.default_rng(seed))
    length = noise_length(k, epsilon)
    rebuilt = reconstruct(told, operator, trace_basis, S, generalised_omp, length)
    for artist, values in ((taken_steps, samples), (told_steps, told)):
        set_steps(artist, values, np.linspace(0, 1, k + 1))
    set_steps(rebuilt_steps, rebuilt[:64])
    off = percent(np.linalg.norm(rebuilt - trace) / trace_length)
    flat = percent(math.sqrt(2 * trace.size) / epsilon / trace_length)
    words = f"{k} noisy samples rebuild {trace.size:,} bins: error {off}%"
    set_verdict_text(two_steps_verdict, None, words)
    return f"{words} of the data's Euclidean length. With noise on every bin it is {flat}%."


two_steps_figure = live(
    fig,
    two_steps,
    "Two panels. Above, the samples without noise and with noise. Below, the true counts in "
    "grey and the counts rebuilt from the noisy samples.",
    task="play $S$, the number of coefficients, and watch the shape grow out of the samples.",
    play="S",
    S=slider(2, 30, 20, label="S, coefficients"),
    epsilon=log_slider(0.03, 1, 0.3),
    seed=new_noise(1),
)
two_steps_figure

# %% [markdown]
# [With S = 2](#move:S=2) there are too few samples, and no shape. [With S = 30](#move:S=30) there is more detail and
# more noise. [At epsilon 0.03](#move:epsilon=0.03) the samples drown in noise, and no shape is left.
#
# ## Noise on every bin
#
# The net trace has a count for each of 65,536 network addresses. On this whole page, neighbours are two histograms that
# differ by one unit in one bin: one record more or less (add/remove). So Laplace noise of scale $1/\varepsilon$ on each
# bin is private. The error of an estimate $\hat D$ is its Euclidean distance $\|\hat D - D\|_2$ from the truth. For
# Laplace noise on $n$ bins that is about $\sqrt{2n}/\varepsilon$.

# %%
epsilon, n = 0.01, trace.size
noisy = laplace_mechanism(trace, 1, epsilon, np.random.default_rng(1))
print(f"{n:,} bins, {np.mean(trace == 0):.0%} of them empty; epsilon {epsilon}")
error, formula = np.linalg.norm(noisy - trace), math.sqrt(2 * n) / epsilon
print(f"error of the Laplace histogram: {error:,.0f}, by the formula {formula:,.0f}")
print(f"length of the data themselves:  {np.linalg.norm(trace):,.0f}")
in_empty = np.sum((noisy - trace)[trace == 0] ** 2) / error**2
print(f"fraction of the squared error that lies in empty bins: {in_empty:.0%}")

# %% jupyter={"source_hidden": true}
# Figure: the released counts of the first 300 bins, computed above
fig, ax = figure(height=2.8)
steps(ax, noisy[:300], colour=COLOURS.light, label="Laplace noise on every bin")
steps(ax, trace[:300], colour=COLOURS.true, label="true counts")
x_axis(ax, "network address (bin), the 300 busiest", (0, 300))
y_axis(ax, "connections")
legend_above(fig)
show(
    fig,
    "The first 300 bins: true counts that fall steeply to almost nothing, in a noise band "
    "that is as high over the quiet bins as over the busy.",
)

# %% [markdown]
# Most of that error lies in bins that hold nothing. A tempting repair is to add noise to the large bins only, and to
# publish 0 for the rest. Here the four largest of eight bins are published; then one more record arrives.


# %%
def noise_on_the_largest_only(counts, kept, epsilon, rng):
    """BROKEN: which bins are published depends on the data, and no noise hides it."""
    largest = np.argsort(-counts, kind="stable")[:kept]
    published = np.zeros(len(counts))
    published[largest] = laplace_mechanism(counts[largest], 1, epsilon, rng)
    return published


before = np.array([9, 7, 4, 4, 0, 0, 5, 0])
after = before + np.eye(8, dtype=int)[3]
for name, counts in (("before", before), ("after ", after)):
    dice = [np.random.default_rng(seed) for seed in range(1000)]
    published = [noise_on_the_largest_only(counts, 4, 1, rng)[3] != 0 for rng in dice]
    print(f"{name}: bin 3 is published in {np.mean(published):.0%} of the releases")

# %% [markdown]
# One record took bin 3 from 4 to 5, and bin 3 replaced bin 2 with certainty: the privacy loss is infinite.
# *Where* the large numbers are is itself private.
#
# ## The idea
#
# 1. Data such as these are **sparse**: in a well chosen basis, all but a few coefficients are close to zero.
# 2. A sparse vector can be rebuilt from **few random samples** of it. They are far fewer than $n$, and taken *without
#    looking at where the large coefficients are*. This is *compressed sensing*.
# 3. So put the noise on the few samples. Rebuilding from noisy samples is post-processing and costs nothing.
#
# ## Step 1: sparse in a basis
#
# A basis of $n$ orthonormal vectors, the *atoms* $\psi_1, \dots, \psi_n$, writes the data $D$ as a sum of atoms. The
# weights are the *coefficients* $x$:
#
# $$D = \Psi x, \qquad x = \Psi^{\mathsf T} D, \qquad \|x\|_2 = \|D\|_2 .$$
#
# The **Haar** basis (the simplest wavelet) compares the left half of a block with its right half, at every scale. Data
# with flat stretches have few coefficients that are not 0:

# %%
small = np.array([6.0, 6, 6, 6, 0, 0, 2, 2])
haar8 = haar_basis(8)
print("coefficients:", haar8.forward(small).round(2))
print("data again:  ", haar8.inverse(haar8.forward(small)).round(2))
assert np.isclose(np.linalg.norm(haar8.forward(small)), np.linalg.norm(small))

# %% [markdown]
# Eight numbers, three coefficients. The **cosine** basis has waves for atoms, and suits data with a daily rhythm. Both
# are fast transforms. The Haar basis needs a power of two for $n$: `pad_to_power_of_two` adds empty bins at the end,
# which are public and are cut off again.
#
# Keep the $S$ largest coefficients, set the others to 0, and call the result $x_S$. This best approximation with $S$
# atoms is not private at all. It shows what a sparse method can hope for.
#
# <details><summary>Definition: sparse and compressible, in numbers.</summary>
#
# > **Definition 16.1 (sparse, compressible).** $x$ is *$S$-sparse* if at most $S$ of its entries are not 0. It is
# > *$p$-compressible with magnitude $R$* ($0 < p < 1$) if its entries, sorted by size, obey
# > $|x_{(i)}| \le R\, i^{-1/p}$ for all $i$. Then $\|x - x_S\|_1 \le C_p\, R\, S^{1 - 1/p}$, with $C_p = p/(1-p)$:
# > sum the tail.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import pandas as pd
from scipy.optimize import isotonic_regression

from dpbook.compressive import (
    choose_sparsity,
    compressive_mechanism,
    denoised_error_bound,
    error_bound,
    expected_error,
)
from dpbook.exponential import log_selection_probabilities, selection_probabilities
from dpbook.histograms import hierarchical_histogram
from dpbook.sparse import (
    basis_pursuit,
    bernoulli_operator,
    cosamp,
    cosine_basis,
    keep_largest,
    pad_to_power_of_two,
    plain_hadamard_matrix,
)

# %%
# Have the originals? {"net trace": "nettrace.txt"} uses your file, one count a line, on all of
# this page.
OWN_FILES = {}
visits = data.health_insurance()["mdvis"].values
DATASETS = {
    "doctor visits (real)": np.bincount(visits, minlength=366),
    "net trace": trace,
    "search logs": data.search_logs().values,
    "social network": data.social_network().values,
    "TCP trace": data.tcp_trace().values,
} | {name: data.read_counts(path) for name, path in OWN_FILES.items()}
BASES = ["Haar", "cosine"]
SUITED = dict.fromkeys(DATASETS, "Haar") | {"TCP trace": "cosine"}  # known without the counts
SPARSITIES = [1, 2, 3, 5, 8, 13, 20, 30, 50]
# only these bins are drawn, at the left end; all other data in full
SHOWN = {"net trace": 60, "TCP trace": 300}


@functools.cache
def prepared(name, basis_name):
    """The counts, the same with padding where the basis needs it, and the basis."""
    counts = np.asarray(DATASETS[name], dtype=float)
    if basis_name == "Haar":
        padded = pad_to_power_of_two(counts)
        return counts, padded, haar_basis(padded.size)
    return counts, counts, cosine_basis(counts.size)


for name, counts in DATASETS.items():
    padding = pad_to_power_of_two(counts).size
    print(f"{name}: {counts.size:,} bins ({padding:,} with padding),", end=" ")
    print(f"{counts.sum():,} units, Euclidean length {np.linalg.norm(counts):,.0f}")


# %%
def fit(ax, steps_artist, counts):
    """Give an axes and its outline room for another dataset; nothing while it stays."""
    if ax.get_xlim()[1] != counts.size:
        low, high = counts.min(), counts.max()
        y_axis(ax, limits=(low - 0.25 * (high - low), high + 0.1 * (high - low)))
        x_axis(ax, limits=(0, counts.size))
        set_steps(steps_artist, counts, np.arange(counts.size + 1))


@functools.cache
def sizes_by_rank(dataset, basis):
    """The sizes of the coefficients at 1,000 ranks on a log axis; nan beyond the last."""
    _, padded, chosen_basis = prepared(dataset, basis)
    sizes = np.sort(np.abs(chosen_basis.forward(padded)))[::-1]
    at = RANKS.astype(int) - 1
    found = np.maximum(sizes[np.minimum(at, sizes.size - 1)], 1e-2)
    return np.where(at < sizes.size, found, np.nan)


RANKS = np.geomspace(1, 65_536, 1000).round()

# %% jupyter={"source_hidden": true}
# Figure: keep_largest(padded, basis, S), and what it leaves out
fig, (atoms_ax, sizes_ax) = figure(columns=2, height=3.2)
atoms_data_steps = steps(atoms_ax, np.zeros(2), colour=COLOURS.pale, fill=True, label="data")
kept_steps = steps(atoms_ax, np.zeros(2), colour=COLOURS.noisy, label="S atoms")
sparse_verdict = verdict_text(atoms_ax)
x_axis(atoms_ax, "bin")
y_axis(atoms_ax, "count")
x_axis(sizes_ax, "rank of the coefficient", (0.8, 1e5), log=True)
y_axis(sizes_ax, "size of the coefficient", (1e-1, 2e4), log=True)
sizes_line = curves(sizes_ax, RANKS, {" ": "true"})
cut_line = sizes_ax.axvline(1, color=COLOURS.noisy, linestyle="--", label="S, kept")
legend_above(fig)


def sparse_view(S, dataset, basis):
    counts, padded, chosen_basis = prepared(dataset, basis)
    approximation = keep_largest(padded, chosen_basis, S)[: counts.size]
    drawn = slice(SHOWN.get(dataset))
    fit(atoms_ax, atoms_data_steps, counts[drawn])
    set_steps(kept_steps, approximation[drawn], np.arange(counts[drawn].size + 1))
    set_curves(sizes_line, [sizes_by_rank(dataset, basis)])
    cut_line.set_xdata([S, S])
    part = np.linalg.norm(approximation - counts) / np.linalg.norm(counts)
    words = f"{counted(S, 'coefficient')} of {chosen_basis.n:,}: {percent(part)}% is missing"
    set_verdict_text(sparse_verdict, None, words)
    return f"{words}, a relative error of {part:.3f} before any noise"


question = "With 1 coefficient instead of 20, which part of the net trace's length is missing?"
sparse_figure = live(
    fig,
    sparse_view,
    "Left: a histogram filled in grey and its approximation by a few atoms. Right: "
    "coefficient sizes by rank, falling steeply, with a dashed line at the number kept.",
    task=(
        "play $S$ for the net trace. Then the TCP trace in either basis: which one is made "
        "for it, and how many coefficients does it take?"
    ),
    guess=predict(question, (0, 1), r"error of ([\d.]+)", S=SPARSITIES[0]),
    play="S",
    S=choice(SPARSITIES, 20, label="S, coefficients kept"),
    dataset=choice(list(DATASETS), "net trace"),
    basis=choice(BASES, "Haar"),
)
sparse_figure

# %% jupyter={"source_hidden": true}
# Computed: the relative error of the best approximation with 20 atoms, in both bases
missing = pd.DataFrame(index=list(DATASETS), columns=BASES, dtype=float)
for name in DATASETS:
    for basis_name in BASES:
        _, padded, basis = prepared(name, basis_name)
        left_out = np.linalg.norm(keep_largest(padded, basis, 20) - padded)
        missing.loc[name, basis_name] = left_out / np.linalg.norm(padded)
print("relative error of the best approximation with 20 atoms")
missing.assign(quotient=missing.max(axis=1) / missing.min(axis=1)).round(3)

# %% [markdown]
# Here the right basis divides the error by 2 to 177. It must be chosen *without* looking at the private data, from what
# is publicly known about data of this kind.
#
# ## Step 2: few random samples
#
# Take $k$ samples $y = \Phi D$. Each is a sum of *all* bins with random signs, divided by $\sqrt k$. The signs are
# drawn without looking at the data, and are public. The paper draws them independently (a *Bernoulli* matrix). A
# randomised *Hadamard* matrix can be multiplied fast. Here is one for 4 samples of 8 bins:

# %%
matrix = plain_hadamard_matrix(4, 8, np.random.default_rng(2))
print((math.sqrt(4) * matrix).astype(int))
print("sum of absolute values in each column:", np.abs(matrix).sum(axis=0))
show_source(plain_hadamard_matrix)  # hadamard_operator multiplies by it unwritten

# %% [markdown]
# Each column holds $k$ entries $\pm 1/\sqrt k$, whose absolute values sum to $\sqrt k$. That is the sensitivity, and
# why few samples help less than it seems.
#
# How many samples? The paper asks for $k = C\, S \log_2(n/S)$ with a constant $C$ that it does not give.

# %% jupyter={"source_hidden": true}
# Computed: how many samples the formula asks for, and the memory that their signs take
for S in (10, 50, 100):
    k = measurements(S, n, 1.5)
    print(f"n = {n:,}, S = {S:>3}, C = 1.5:", end=" ")
    print(f"k = {k:>4} samples, {n / k:.0f} times fewer than bins")
entries = measurements(50, n, 1.5) * n
print(f"a Bernoulli matrix for S = 50 in floats: {entries * 8 / 1e6:.0f} MB;", end=" ")
print(f"with one bit a sign: {entries / 8e6:.1f} MB")

# %% [markdown]
# **Rebuilding.** Many histograms have the same samples; we want the sparsest. *Matching pursuit* is greedy. It finds
# the atom whose samples look most like what is still unexplained, and fits all atoms found so far by least squares. It
# subtracts the fit and repeats. The plain version takes $S$ atoms, one at a time. One wrong atom stays for good, and
# among coefficients of equal size it sometimes picks a wrong one. The version below takes two at a time, goes on to
# $2S$, and then drops the smaller half.

# %%
show_source(generalised_omp)


def sparse_signal(basis, S, flat, rng):
    """Data with S coefficients that are not 0: all of one size, or of random sizes."""
    coefficients = np.zeros(basis.n)
    sizes = np.ones(S) if flat else 0.1 + np.abs(rng.normal(size=S))
    coefficients[rng.choice(basis.n, S, replace=False)] = sizes * rng.choice([-1, 1], S)
    return basis.inverse(coefficients)


def recovered(n, S, k, flat, method, seed):
    """Whether k noiseless samples of a random sparse signal give it back exactly."""
    rng, basis = np.random.default_rng(seed), haar_basis(n)
    signal, operator = sparse_signal(basis, S, flat, rng), hadamard_operator(k, n, rng)
    found = reconstruct(operator @ signal, operator, basis, S, method)
    return np.allclose(found, signal, atol=1e-6)


METHODS = {
    "plain matching pursuit": functools.partial(generalised_omp, atoms_a_pass=1, over_run=1),
    "two at a time": generalised_omp,
    "CoSaMP": cosamp,
    "basis pursuit": basis_pursuit,
}

# %% jupyter={"source_hidden": true}
# Computed: of 10 sparse signals, how many each method recovers exactly
k, rows = measurements(20, 256, 1.5), {}
for name, method in METHODS.items():
    rows[name] = [
        sum(recovered(256, 20, k, flat, method, s) for s in range(10))
        for flat in (True, False)
    ]
print(f"n = 256, S = 20, k = {k}: signals recovered exactly, of 10")
pd.DataFrame.from_dict(rows, orient="index", columns=["equal sizes", "random sizes"])

# %% [markdown]
# *CoSaMP* drops all but $S$ atoms in every pass. *Basis pursuit* looks for the coefficients with the smallest sum of
# absolute values that explain the samples. It is slower, and the classical theory is about it.
#
# The next picture sums up step 2, for coefficients of equal size: the fraction of signals that *two at a time* brings
# back *exactly*. There is a sharp border, and $k = C S \log_2(n/S)$ follows it.

# %%
grid_S, grid_k = np.arange(1, 41, 4), np.arange(8, 169, 14)
border = np.zeros((grid_k.size, grid_S.size))
for (row, k), (column, S) in itertools.product(enumerate(grid_k), enumerate(grid_S)):
    exact = [recovered(256, S, k, True, generalised_omp, s) for s in range(4)]
    border[row, column] = np.mean(exact)
basis256 = haar_basis(256)

# %% jupyter={"source_hidden": true}
# Figure: reconstruct(operator @ signal, operator, basis, S, method), beside the border above
fig, (left, right) = figure(columns=2, height=3.2)
extent = (-1, 39, 1, 169)
left.imshow(border, "gray", origin="lower", aspect="auto", extent=extent, vmin=-0.4, vmax=1)
asked = np.arange(1, 42)
needed = asked * np.log2(256 / asked)
looks = {"C = 1": "other :", "C = 1.5": "other", "C = 2": "other --"}
border_lines = curves(left, asked, looks, ends=True)
here = own_point(left, "S and k chosen", "D", COLOURS.light, markeredgecolor="black")
x_axis(left, "S, coefficients (white: exact)", (-1, 41))
y_axis(left, "k, samples", (1, 178))
set_curves(border_lines, [needed, 1.5 * needed, 2 * needed])  # their names follow the axes
true_steps = steps(right, np.zeros(256), colour=COLOURS.grey, label="true", linewidth=4)
found_steps = steps(right, np.zeros(256), colour=COLOURS.noisy, label="recovered")
x_axis(right, "coefficient", (0, 256))
y_axis(right, "value", (-3.2, 3.2))
transition_verdict = verdict_text(left)
legend_above(fig)


def transition(k, S, method, flat):
    rng = np.random.default_rng(1)
    signal, operator = sparse_signal(basis256, S, flat, rng), hadamard_operator(k, 256, rng)
    estimate = reconstruct(operator @ signal, operator, basis256, S, METHODS[method])
    set_own_point(here, S, k)
    set_steps(true_steps, basis256.forward(signal))
    set_steps(found_steps, np.clip(basis256.forward(estimate), -5, 5))
    error = np.linalg.norm(estimate - signal) / np.linalg.norm(signal)
    exactly = error < 1e-6
    found = "exact" if exactly else f"off by {error:.0%}"
    words = f"{method}: {found} from {k} samples"
    set_verdict_text(transition_verdict, bool(exactly), words)
    return f"k = {k} is C = {k / (S * math.log2(256 / S)):.2f}. {words} of 256 bins"


transition_figure = live(
    fig,
    transition,
    "Left: map of exact recovery over S and k, dark below a curved border and white above it, "
    "with the point chosen. Right: true coefficients and the recovered ones.",
    task=(
        "move $k$ down slowly at $S = 16$ until the recovery on the right falls apart. Switch "
        "to random sizes: does the border move?"
    ),
    k=slider(8, 168, 100, 4, label="k, samples"),
    S=slider(1, 40, 16, label="S, coefficients"),
    method=choice(list(METHODS), "two at a time"),
    flat=switch(True, label="coefficients of equal size"),
)
transition_figure

# %% jupyter={"source_hidden": true}
# Computed: of 20 signals, how many come back exactly for three constants C
exact = pd.DataFrame()
for constant, S in itertools.product((1, 1.5, 2), (1, 4, 16, 40)):
    asked = 256, S, measurements(S, 256, constant), True, generalised_omp
    back = sum(recovered(*asked, seed) for seed in range(20))
    exact.loc[f"S = {S}", f"C = {constant}"] = back
print("n = 256, coefficients of equal size: recovered exactly, of 20")
exact.astype(int)

# %% [markdown]
# For $S$ above ten, $C = 1.5$ is enough (it is the default below); for very small $S$ a larger $C$ is needed. All of
# this is public: it depends on $n$, $S$ and our own random signs.
#
# <details><summary>Why it works: Φ nearly keeps the length of every sparse vector, so two sparse vectors never share their samples.</summary>
#
# The difference of two $S$-sparse vectors has at most $2S$ coefficients.
#
# > **Definition 16.2 (restricted isometry property, RIP; Candès and Tao 2005).** $\delta_r$ is the smallest number
# > with $(1 - \delta_r)\|x\|_2^2 \le \|\Phi\Psi x\|_2^2 \le (1 + \delta_r)\|x\|_2^2$ for all $r$-sparse $x$. Loosely,
# > $\Phi$ has the RIP if $\delta_{2S}$ is well below 1.
#
# > **Theorem 16.3 (Li et al. 2011, section 3.2; Baraniuk and others 2008).** There is a constant $C$ such that
# > independent signs $\pm 1/\sqrt k$ with $S \le n/e$ and $k \ge C\, S \log_2(n/S)$ have the RIP for any fixed basis,
# > except with probability $e^{-ck}$, for a constant $c > 0$.
#
# > **Lemma 16.4 (Li et al. 2011, Lemma 1; Candès, Romberg and Tao 2006; Needell and Tropp 2009).** If $\Phi$ has the RIP and the
# > samples carry noise $e$ of length $\|e\|_2 \le \theta$, basis pursuit, and CoSaMP for $2S$ coefficients, rebuild an
# > $\hat x$ with $\|\hat x - x\|_2 \le C_2 \|x - x_S\|_1/\sqrt S + C_3\, \theta$, with constants $C_2$, $C_3$.
#
# Why $2S$? If $x$ has $S + 1$ entries of 1 and else zeros, an answer with $S$ coefficients errs by 1 or more. Without
# noise the bound is $C_2/\sqrt S$.
#
# How large a $C$ does the RIP take? On $2S$ given atoms the extreme values of $\|\Phi\Psi x\|_2^2$ are squared singular
# values. Fifty random choices of atoms give a *lower* bound on $\delta_{2S}$; the worst atoms are worse. Proofs ask for
# a $\delta_{2S}$ below about 0.4 (basis pursuit) or less (greedy methods).
#
# </details>
#
# A classical proof (folded above) needs the constant $\delta_{2S}$ below about 0.4. Is it, at $C = 1.5$?

# %% jupyter={"source_hidden": true}
# Computed: a lower bound on delta_2S for four constants C
for constant in (1.5, 6, 12, 24):
    S, atoms = 4, np.random.default_rng(14)
    k = math.ceil(constant * S * math.log2(1024 / S))
    dense = atoms.choice([-1, 1], (k, 1024)) / math.sqrt(k)  # in the basis of single bins
    supports = [dense[:, atoms.choice(1024, 2 * S, replace=False)] for _ in range(50)]
    stretch = np.linalg.svd(np.array(supports), compute_uv=False) ** 2
    delta = max(stretch.max() - 1, 1 - stretch.min())
    print(f"n = 1,024, S = {S}, C = {constant:>4}:", end=" ")
    print(f"k = {k:>4}, delta_2S is at least {delta:.2f}")

# %% [markdown]
# No, although nearly every signal came back. The theorems say how $k$ and the error *grow*. For data of our sizes their
# constants guarantee nothing, so what follows is measured.
#
# ## Step 3: the mechanism
#
# $$y^* = \Phi D + e, \qquad e_i \sim \mathrm{Lap}\!\left(\sqrt k / \varepsilon\right), \qquad
# \hat D = \Psi\,\hat x(y^*) .$$

# %%
show_source(compressive_mechanism)


def twenty_errors(counts, basis, S, epsilon, **options):
    """The Euclidean errors of twenty releases of the compressive mechanism."""
    dice = [np.random.default_rng(seed) for seed in range(20)]
    runs = [compressive_mechanism(counts, basis, S, epsilon, rng, **options) for rng in dice]
    return np.linalg.norm(np.array(runs) - counts, axis=1)


# %% [markdown]
# **Sensitivity.** One unit more in bin $j$ adds column $j$ of $\Phi$ to the samples. Its entries are $\pm 1/\sqrt k$.
# So the samples move by $k \cdot 1/\sqrt k = \sqrt k$ in L1, for every bin and every draw of the signs.
#
# > **Theorem 16.5 (Li et al. 2011, Lemma 4).** `compressive_mechanism` is $\varepsilon$-differentially private for histograms
# > that differ by one unit in one bin, whatever the data: nothing needs to be sparse.
#
# *Proof.* Given the signs, it is the Laplace mechanism on the samples, and the signs say nothing about the data.
# Rebuilding is post-processing. $\square$ The loss is attained when every noisy sample lies beyond both possible true
# values, on the side of the same neighbour:

# %% jupyter={"source_hidden": true}
# Computed: the exact loss for each bin, and the error with both kinds of signs
scale = math.sqrt(30) / 0.5
for make in (bernoulli_operator, hadamard_operator):
    operator = make(30, 64, np.random.default_rng(3))
    columns = np.column_stack([operator @ unit for unit in np.eye(64)])
    loss = np.abs(columns).sum(axis=0) / scale  # L1 move over scale
    assert np.allclose(loss, 0.5)
    replaced = np.abs(columns[:, :, None] - columns[:, None, :]).sum(axis=0).max() / scale
    print(f"{make.__name__:<19} one unit: loss {loss.min():.4f} to {loss.max():.4f};", end=" ")
    print(f"a unit moved: up to {replaced:.4f}")
print("claimed epsilon: 0.5")

signal = sparse_signal(haar_basis(4096), 10, False, np.random.default_rng(9)) * 1e4
for make in (bernoulli_operator, hadamard_operator):
    error = twenty_errors(signal, haar_basis(4096), 10, 1.0, operator=make).mean()
    print(f"{make.__name__:<19} error {error:.0f}, mean of 20 releases")

# %% [markdown]
# A *replaced* record leaves one bin and enters another. The samples can then move by $2\sqrt k$: to protect it, spend
# $\varepsilon/2$. Independent signs or Hadamard: the sensitivity is the same, and so is the error, up to chance.
#
# ## What the paper claims: a universal mechanism
#
# > **Definition 16.6 (universal mechanism; Li et al. 2011, Definition 3).** A mechanism is *universal* for a class $X$ of
# > histograms if it is $\varepsilon$-private and, for every $D$ in $X$, with probability at least 0.99,
# > $\|\hat D - D\|_2 = O(\log n/\varepsilon)$.
#
# > **Theorem 16.7 (Li et al. 2011, Theorem 1).** The compressive mechanism is universal for the histograms with a sparse
# > representation.
#
# The $O$ hides the factor $S$, because it is about one fixed $S$ while $n$ grows. The paper's Table 1, and a line that
# is missing there:
#
# | mechanism | error, in Euclidean length | with $S$ written out |
# |---|---|---|
# | compressive | $O(\log n/\varepsilon)$ | $O(S \log(n/S)/\varepsilon)$ |
# | Laplace on every bin | $O(\sqrt n/\varepsilon)$ | |
# | trees and wavelets (Hay and others; Privelet) | $\tilde O(\sqrt n/\varepsilon)$ | |
# | *Laplace, then keep the $S$ largest coefficients* | $O(\log n/\varepsilon)$ | $O(\sqrt S \log n/\varepsilon)$ |
#
# Section 5.3 adds $O(n^{2/3}/\varepsilon)$ for **any** $D$. That cannot hold, as what is left out grows with the data:

# %% jupyter={"source_hidden": true}
# Computed: the error on dense data times 1, 1,000 and a million
dense_data = np.random.default_rng(15).poisson(5, 1024).astype(float)
for factor in (1, 1e3, 1e6):
    error = amount(np.median(twenty_errors(factor * dense_data, haar_basis(1024), 20, 1)))
    print(f"any data x {factor:<9,.0f} error {error:>11}, median of 20;", end=" ")
    print(f"n^(2/3) = {1024 ** (2 / 3):.0f}")

# %% [markdown]
# ## A simpler rival
#
# The rival is the last line of the table. If the data are sparse in a public basis, *every* private release can use
# that. Take the plain Laplace histogram, transform it, keep the
# $S$ largest coefficients, transform back: `keep_largest`. That is post-processing, and costs no privacy.
#
# > **Theorem 16.8 (the rival).** Let the basis be orthonormal, and $0 < \beta < 1$. With probability at least
# > $1 - \beta$ the Laplace histogram of scale $1/\varepsilon$, with its $S$ largest coefficients kept, has error at
# > most $\|x - x_S\|_2 + 3\sqrt{2S}\,\ln(4n/\beta)/\varepsilon$. So it is universal for sparse histograms, with
# > $\sqrt S$ where the compressive mechanism has $S$.
#
# <details><summary>Proof: all coefficients of the noise are small at once, and a kept coefficient looked at least as large as a lost one.</summary>
#
# A coefficient of the noise is $w = \sum_j \psi_j e_j$ with $\sum_j \psi_j^2 = 1$. For $\lambda = \varepsilon/\sqrt 2$
# we have $\mathbb E\,e^{\lambda w} = \prod_j (1 - \psi_j^2/2)^{-1} \le (1 - \sum_j \psi_j^2/2)^{-1} = 2$, so
# $P(|w| > t) \le 4 e^{-\lambda t}$. Hence all $n$ of them are in size at most $M = \sqrt2 \ln(4n/\beta)/\varepsilon$ at
# once, except with probability $\beta$.
#
# Let $T$ be the set that is kept, $U$ that of the $S$ largest of $x$. On $T$ the error is noise, of length at most
# $\sqrt S M$. Each $i$ in $U \setminus T$ pairs with a $j$ in $T \setminus U$ that looked larger, so
# $|x_i| \le |x_j| + 2M$. What is missing is at most $\|x - x_S\|_2 + 2\sqrt S M$. $\square$
#
# </details>
#
# Why is it better? Noise of variance $2/\varepsilon^2$ on each bin is noise of the same variance on each *coefficient*.
# Through $k$ samples it is $2k/\varepsilon^2$, because each bin is in all of them. Once the coefficients are found, the
# rival's error is about $\sqrt k$ times smaller:

# %% jupyter={"source_hidden": true}
# Computed: the error through samples and of the denoised Laplace histogram, medians of 20
S, epsilon = 10, 1.0
basis = haar_basis(65_536)
signal = sparse_signal(basis, S, True, np.random.default_rng(8)) * 1e5
k = measurements(S, n, 1.5)
through, denoised = [], []
for seed in range(20):
    rng = np.random.default_rng(seed)
    estimate = compressive_mechanism(signal, basis, S, epsilon, rng)
    flat = laplace_mechanism(signal, 1, epsilon, rng)
    through.append(np.linalg.norm(estimate - signal))
    denoised.append(np.linalg.norm(keep_largest(flat, basis, S) - signal))
print(f"n = {n:,}, S = {S}, k = {k}, epsilon {epsilon}, S large coefficients; medians of 20:")
mine, rival = np.median(through), np.median(denoised)
print(f"through {k} samples {mine:.1f}; Laplace, denoised {rival:.1f};", end=" ")
print(f"ratio {mine / rival:.1f}, sqrt k = {math.sqrt(k):.1f}")
bound = denoised_error_bound(S, n, 0.01, epsilon)
print(f"Theorem 16.8 guarantees at most {bound:.0f} in 99% of releases;", end=" ")
print(f"largest of 20: {max(denoised):.1f}")

# %% [markdown]
# <details><summary>Can anything do better than log n / ε? No, by a packing argument (Hardt and Talwar 2010).</summary>
#
# The paper conjectures this, and leaves it as an open problem.
#
# > **Theorem 16.9 (lower bound).** If $X$ contains the $n$ histograms with $m$ units in one bin,
# > $m < \ln(n/2)/(2 \varepsilon)$ a whole number, every $\varepsilon$-private mechanism has an error of at least
# > $m/\sqrt 2$ on one of them, in at least half of its releases.
#
# *Proof.* Otherwise each release lands within $m/\sqrt2$ of its own histogram more than half of the time. These $n$
# balls are disjoint, and any two of the histograms are $2m$ units apart. So on the first one the balls have
# probabilities above $e^{-2m\varepsilon}/2$ each, above $n e^{-2m\varepsilon}/2 \ge 1$ together. $\square$
#
# For $S = 1$ and a small $\varepsilon$ the rival is thus within a constant factor of the best possible, and so is the
# compressive mechanism.
#
# </details>
#
# ## Live: the whole mechanism
#
# On the left, the data and the compressive release. On the right, its error (log scale) beside those of four others at
# the same $\varepsilon$. These are Laplace noise on every bin, the tree H$_2$ with constrained inference, the rival, and
# *printing zeros*, which costs no privacy.


# %%
@functools.cache
def sampled(dataset, basis_name, S):
    """What does not change with epsilon: the operator and the noiseless samples."""
    _, padded, basis = prepared(dataset, basis_name)
    k = measurements(S, basis.n, 1.5)
    operator = hadamard_operator(k, basis.n, np.random.default_rng(S))
    return operator, operator @ padded


def rebuilt_from_noisy(dataset, S, epsilon, rng):
    """The compressive release, with samples that are kept from one move to the next."""
    operator, samples = sampled(dataset, SUITED[dataset], S)
    k, (_, _, basis) = samples.size, prepared(dataset, SUITED[dataset])
    noisy = laplace_mechanism(samples, math.sqrt(k), epsilon, rng)
    return reconstruct(noisy, operator, basis, S, generalised_omp, noise_length(k, epsilon))


# %% jupyter={"source_hidden": true}
# Figure: one release of the compressive mechanism and of every rival, and their errors
RIVALS = ["compressive", "Laplace", "H$_2$", "zeros", "denoised"]
fig, (data_ax, error_ax) = figure(columns=2, height=3.2)
mechanism_verdict = verdict_text(data_ax)
data_steps = steps(data_ax, np.zeros(2), colour=COLOURS.pale, fill=True, label="data")
estimate_steps = steps(data_ax, np.zeros(2), colour=COLOURS.noisy, label="compressive release")
x_axis(data_ax, "bin")
y_axis(data_ax, "count")
errors_shown = rival_dots(error_ax, RIVALS, (5, 1e8), "error, Euclidean length")
legend_above(fig)


def whole_mechanism(epsilon, S, dataset, seed):
    counts, padded, basis = prepared(dataset, SUITED[dataset])
    rng = np.random.default_rng(seed)
    estimate = rebuilt_from_noisy(dataset, S, epsilon, rng)
    flat = laplace_mechanism(padded, 1, epsilon, rng)
    tree = hierarchical_histogram(counts, 2, epsilon, rng)
    others = [flat, tree, 0 * counts, keep_largest(flat, basis, S)]
    errors = [np.linalg.norm(other[: counts.size] - counts) for other in (estimate, *others)]
    shown = counts[: SHOWN.get(dataset)]
    fit(data_ax, data_steps, shown)
    set_steps(estimate_steps, estimate[: shown.size], np.arange(shown.size + 1))
    set_rival_dots(errors_shown, errors)
    times = errors[1] / errors[0]
    better = f"{max(times, 1 / times):.1f} times {'better' if times > 1 else 'worse'} than"
    better = "as good as" if 0.95 < times < 1.05 else better
    zeros = "better" if errors[0] < 0.99 * errors[3] else "no better"
    words = f"{better} Laplace, {zeros} than zeros"
    set_verdict_text(mechanism_verdict, None, words)
    k = measurements(S, basis.n, 1.5)
    rule = f"S k is {amount(S * k / basis.n, 2)} n"
    return f"k = {k} samples of {counts.size:,} bins: {words}; {rule}"


mechanism_figure = live(
    fig,
    whole_mechanism,
    "Left: data in grey and the compressive release. Right: dots for the errors of five "
    "methods on a log axis.",
    task=(
        "the TCP trace is made for it. Now take the search logs: better than Laplace, but "
        r"than zeros? Raise $\varepsilon$ to 1: which wins? How far can $S$ mend it? Then "
        r"$S = 50$ at $\varepsilon = 0.1$ and *New noise*: how much of a comparison is luck?"
    ),
    epsilon=log_slider(0.001, 10, 0.03),
    S=choice(SPARSITIES, 8, label="S, coefficients"),
    dataset=choice(list(DATASETS), "TCP trace"),
    seed=new_noise(1),
)
mechanism_figure

# %% [markdown]
# ## One fair comparison
#
# One draw decides nothing. Each mechanism makes 20 releases, with the same seeds. The table has the *median* error
# and, in brackets, the distance between the quartiles. The mechanism and the rival get $S$ in two ways. One is an
# *oracle* that knows the true errors, which nobody may use. The other is *private*, with a tenth of $\varepsilon$, as the
# paper proposes (see "Choosing S" below). The plain rivals are zeros, and the noisy total over $n$ in every bin.


# %%
@functools.lru_cache(maxsize=16)
def public_signs(k, size, seed):
    return hadamard_operator(k, size, np.random.default_rng([seed, k]))


def errors_of_one_draw(dataset, epsilon, seed):
    """The Euclidean error of every mechanism, each with a generator from the same seed."""
    counts, padded, basis = prepared(dataset, SUITED[dataset])

    def signs(k, size, rng):
        return public_signs(k, size, seed)

    def compressed(S, spent):
        rng = np.random.default_rng(seed)
        return compressive_mechanism(padded, basis, S, spent, rng, operator=signs)

    def laplace(spent):
        return laplace_mechanism(padded, 1, spent, np.random.default_rng(seed))

    total = laplace_mechanism(counts.sum(), 1, epsilon, np.random.default_rng(seed))
    tree = hierarchical_histogram(counts, 2, epsilon, np.random.default_rng(seed))
    rule = error_bound if SUITED[dataset] == "Haar" else expected_error  # see below
    rng, flat = np.random.default_rng(seed), laplace(epsilon)
    S = choose_sparsity(padded, basis, 0.1 * epsilon, rng, prediction=rule)
    releases = {
        "zeros": 0 * counts,
        "constant": 0 * counts + total / counts.size,
        "Laplace": flat,
        "H2": tree,
        "compressive, private S": compressed(S, 0.9 * epsilon),
        "denoised, private S": keep_largest(laplace(0.9 * epsilon), basis, S),
    }
    for s in GRID:
        releases["compressive", s] = compressed(s, epsilon)
        releases["denoised", s] = keep_largest(flat, basis, s)
    misses = {name: release[: counts.size] - counts for name, release in releases.items()}
    return {name: np.linalg.norm(miss) for name, miss in misses.items()}


# %%
@functools.cache
def draws(dataset):
    """A table for each epsilon: a row for each seed, a column for each mechanism."""
    rows = {epsilon: [] for epsilon in EPSILONS}
    for seed in range(DRAWS):  # the signs of a seed serve every epsilon
        for epsilon in EPSILONS:
            rows[epsilon].append(errors_of_one_draw(dataset, epsilon, seed))
    return {epsilon: pd.DataFrame(rows[epsilon]) for epsilon in EPSILONS}


def comparison(dataset, epsilon):
    """The table of draws with only the best S by the median, and what these S are."""
    table, best = draws(dataset)[epsilon], {}
    for kind in ("compressive", "denoised"):
        best[kind] = GRID[np.argmin([table[kind, s].median() for s in GRID])]
        table = table.assign(**{f"{kind}, oracle S": table[kind, best[kind]]})
    return table.drop(columns=[(kind, s) for kind in best for s in GRID]), best


def median_and_spread(errors):
    low, middle, high = errors.quantile([0.25, 0.5, 0.75])
    digits = 3 if high - low > middle / 100 else 4
    return f"{amount(middle, digits)} ({amount(round(high - low, 1), 2)})"


# %% jupyter={"source_hidden": true}
# Computed: the errors of 20 releases of every mechanism, on every dataset, at three epsilons
GRID, EPSILONS, DRAWS = (5, 13, 30), (0.01, 0.1, 1.0), 20

cases = [(name, epsilon) for name in DATASETS for epsilon in EPSILONS]
summary = {case: comparison(*case)[0].apply(median_and_spread) for case in cases}
for way in ("oracle S", "private S"):
    medians = pd.DataFrame([comparison(*case)[0].median() for case in cases])
    mine, plain = medians[f"compressive, {way}"], medians[["Laplace", "zeros", "constant"]]
    of_them, ahead = mine / plain.min(axis=1), mine < medians[f"denoised, {way}"]
    print(f"compressive, {way}: below Laplace, zeros and constant", end=" ")
    print(f"in {sum(of_them < 1)} of {len(cases)} cases")
    print(f"    (at best {of_them.min():.2f} times the smallest of them),", end=" ")
    print(f"below the denoised rival in {sum(ahead)}")
pd.DataFrame(summary).T.rename_axis(["dataset", "epsilon"])

# %% [markdown]
# In the Haar basis the stand-ins show what the paper shows. At $\varepsilon = 0.01$ compressing has a smaller error
# than Laplace noise; at $\varepsilon = 1$ Laplace is as good or better, on our TCP trace too. But where the mechanism is much better than Laplace, zeros or a constant do at least as well.
# Often it stops at once and returns zeros. And the denoised Laplace histogram is ahead of it in every case.
#
# > **A good place to stop.** What follows takes the error apart and then chooses $S$.
#
# H$_2$ is made for *ranges* of bins. On ranges the order changes:

# %% jupyter={"source_hidden": true}
# Computed: the error for all bins and for ranges, net trace, epsilon 0.1, medians of 20
lefts, rights = np.sort(np.random.default_rng(4).integers(0, n + 1, (2, 2000)), axis=0)
_, padded, basis = prepared("net trace", "Haar")
ranged = {
    "compressive, S = 20": lambda rng: compressive_mechanism(padded, basis, 20, 0.1, rng),
    "Laplace": lambda rng: laplace_mechanism(padded, 1, 0.1, rng),
    "Laplace, denoised, S = 20": lambda rng: keep_largest(
        laplace_mechanism(padded, 1, 0.1, rng), basis, 20
    ),
    "H2": lambda rng: hierarchical_histogram(padded, 2, 0.1, rng),
}
print("net trace, epsilon 0.1, medians of 20 releases")
for name, release in ranged.items():
    misses = np.array([release(np.random.default_rng(seed)) - padded for seed in range(20)])
    running = np.pad(np.cumsum(misses, axis=1), ((0, 0), (1, 0)))
    ranges = np.median(np.sqrt(np.mean((running[:, rights] - running[:, lefts]) ** 2, axis=1)))
    bins = np.median(np.linalg.norm(misses, axis=1))
    print(f"{name:<26} all bins {bins:>8,.0f}, a range {ranges:>8,.0f}")

# %% [markdown]
# ## What the error is made of
#
# 1. **Given up:** the coefficients beyond the $S$ largest, $\|x - x_S\|_2$. It falls with $S$ and does not depend on
#    $\varepsilon$.
# 2. **Noise on the right coefficients:** each sample has noise of variance $2k/\varepsilon^2$. Fitting $S$ coefficients
#    to them leaves *at least* that variance on each, on average: together $\sqrt{2Sk}/\varepsilon$.
# 3. **Wrong coefficients:** noise that looks like an atom, and atoms that drown in the noise. This part has no formula;
#    it is what the other two leave of the measured error.
#
# Compare part 2 with $\sqrt{2n}/\varepsilon$. **If all $S$ atoms are fitted**, the mechanism beats plain Laplace noise
# only if $S k < n$, even when they are the right ones. This is the rule of the chapter.


# %%
@functools.cache
def given_up(dataset):
    """The length of what S coefficients leave out, for each S."""
    _, padded, basis = prepared(dataset, SUITED[dataset])
    return np.maximum(expected_error(padded, basis, SPARSITIES, 1e12)[0], 1e-3)


@functools.lru_cache(maxsize=64)
def measured_and_noise(dataset, epsilon, seed):
    """For each S the error of a release, and the length of the noise on S coefficients."""
    counts, measured, noise = DATASETS[dataset], [], []
    for S in SPARSITIES:
        estimate = rebuilt_from_noisy(dataset, S, epsilon, np.random.default_rng(seed))
        measured.append(np.linalg.norm(estimate[: counts.size] - counts))
        noise.append(math.sqrt(2 * S * sampled(dataset, SUITED[dataset], S)[1].size) / epsilon)
    return measured, noise


# %% jupyter={"source_hidden": true}
# Figure: the whole mechanism for every S: its error, the noise part and the part left out
fig, ax = figure(height=3.2)
parts_verdict = verdict_text(ax)
x_axis(ax, "S, coefficients", (0.9, 60), SPARSITIES, log=True)
y_axis(ax, "error, Euclidean length", (5, 1e6), log=True)
looks = {"1 given up": "third --", "2 noise": "other :", "measured": "noisy o-"}
parts_lines = curves(ax, SPARSITIES, looks | {"Laplace": "grey"}, ends=True)


def parts(dataset, epsilon, seed):
    measured, noise = measured_and_noise(dataset, epsilon, seed)
    plain = math.sqrt(2 * len(DATASETS[dataset])) / epsilon
    set_curves(parts_lines, [given_up(dataset), noise, measured, plain])
    best = int(np.argmin(measured))
    words = f"smallest at S = {SPARSITIES[best]}: {measured[best]:,.0f}; Laplace {plain:,.0f}"
    set_verdict_text(parts_verdict, None, words)
    return words


for dataset in DATASETS:  # so that no first move waits
    parts(dataset, 0.1, 1)

question = "At epsilon 1 instead of 0.1, at which S is the measured error smallest?"
parts_figure = live(
    fig,
    parts,
    "Error against S on log axes: a falling line for what is given up, a rising line for the "
    "noise, the measured error with its lowest point marked in words, and a level line for "
    "Laplace noise on every bin.",
    task=(
        r"at $\varepsilon = 1$ compare the measured error with the two lines, left and "
        "right of its lowest point. Press *New noise*: does the best $S$ stay? Then "
        r"$\varepsilon = 10$, and 0.1: where does it go?"
    ),
    guess=predict(question, (1, 300), r"at S = (\d+)", epsilon=1.0),
    dataset=choice(list(DATASETS), "net trace"),
    epsilon=log_slider(0.001, 10, 0.1),
    seed=new_noise(1),
)
parts_figure

# %% [markdown]
# [At epsilon 1](#move:epsilon=1&dataset=net%20trace) 13 to 30 coefficients are worth their price,
# [at 10](#move:epsilon=10&dataset=net%20trace) thirty. At 0.1 the lowest point is luck.
#
# ### Where S k < n ends
#
# The best case: signals that have exactly $S$ coefficients, all large, so that nothing is given up and all are found.
# $n = 16{,}384$, $\varepsilon = 1$, length of the data 100,000, root mean square of 20 releases.

# %% jupyter={"source_hidden": true}
# Computed: the error against S k / n for exactly sparse signals
basis = haar_basis(16_384)
rows = {}
for S in (10, 25, 60):
    signal = sparse_signal(basis, S, True, np.random.default_rng(S))
    signal *= 1e5 / np.linalg.norm(signal)
    k = measurements(S, basis.n, 2)  # with 1.5 a signal is missed now and then
    squares = twenty_errors(signal, basis, S, 1.0, constant=2) ** 2
    error = math.sqrt(squares.mean())
    standard_error = squares.std(ddof=1) / math.sqrt(20) / (2 * error)
    formula, plain = math.sqrt(2 * S * k), math.sqrt(2 * basis.n)
    rows[S] = [k, S * k / basis.n, error, standard_error, formula, plain]
names = ["k", "S k / n", "error, measured", "its standard error", "by the formula", "Laplace"]
for constant in (1, 2, 4):
    largest = max(S for S in range(1, 100) if constant * S * math.log2(n / S) < math.sqrt(n))
    root = math.sqrt(n)
    print(f"n = {n:,}, C = {constant}: k < sqrt n = {root:.0f} only up to S = {largest}")
digits = {"S k / n": 2} | dict.fromkeys(names[2:], 1)
pd.DataFrame.from_dict(rows, orient="index", columns=names).rename_axis("S").round(digits)

# %% [markdown]
# It wins clearly while $S k$ is a small part of $n$, and is worse beyond. The paper's own bound on the noise beats
# Laplace only if $k < \sqrt n$; the lines above the table show how few coefficients that leaves.
#
# ### Error against epsilon
#
# The paper (section 7.1.2) finds that the advantage grows as $\varepsilon$ becomes smaller. But both noises are in
# proportion to $1/\varepsilon$. *While every coefficient stands above the noise*, the ratio for exactly sparse data
# cannot depend on $\varepsilon$. The same ten coefficients, with a length of 100,000:

# %% jupyter={"source_hidden": true}
# Computed: the error of Laplace over that of the mechanism, for six epsilons, medians of 20
S, signal_length = 10, 1e5
basis = haar_basis(65_536)
signal = sparse_signal(basis, S, True, np.random.default_rng(S))
signal *= signal_length / np.linalg.norm(signal)
print("medians of 20 releases; the length of the data is the error of printing zeros")
for epsilon in (1, 0.1, 0.01, 0.005, 0.001, 0.0001):
    pair = []
    for seed in range(20):
        for_samples, for_bins = np.random.default_rng(seed), np.random.default_rng(seed)
        estimate = compressive_mechanism(signal, basis, S, epsilon, for_samples)
        flat = laplace_mechanism(signal, 1, epsilon, for_bins)
        pair.append([np.linalg.norm(estimate - signal), np.linalg.norm(flat - signal)])
    mine, plain = np.median(pair, axis=0)
    print(f"epsilon {epsilon:<6}: Laplace has {plain / mine:>5.2f} times the error;", end=" ")
    print(f"compressive has {amount(mine / signal_length, 2):>7} times that of zeros")

# %% [markdown]
# The ratio stays the same as long as the coefficients are found, and falls when they sink into the noise. Where it
# grows again, both releases are worse than zeros. After the paper's Figures 4 and 6, without their
# HRMS, with the rival and zeros:

# %% jupyter={"source_hidden": true}
# Figure: comparison(dataset, epsilon): medians and quartiles of every method
fig, axes = figure(columns=2, rows=2, height=5.2, sharex=True, sharey=True)
kinds = {
    "compressive, oracle S": ("noisy o-", 0.9),
    "compressive, private S": ("light D-", 1.1),
    "Laplace": ("grey x-", 1),
    "denoised, oracle S": ("third ^-", 1),
}
x_axis(axes[1], "epsilon, in all", log=True)
y_axis(axes, limits=(30, 1e6), log=True)
y_axis(axes[:, 0], "error, Euclidean length")
for ax, dataset in zip(axes.flat, [*DATASETS][1:5], strict=True):
    tables = [comparison(dataset, epsilon)[0] for epsilon in EPSILONS]
    ax.set_title(f"{dataset}, {SUITED[dataset]}")
    for kind, (look, shift) in kinds.items():
        quartiles = [table[kind].quantile([0.25, 0.5, 0.75]) for table in tables]
        (low, middle, high), places = np.transpose(quartiles), shift * np.array(EPSILONS)
        (line,) = curves(ax, places, {kind: look}, [middle])
        ax.vlines(places, low, high, color=line.get_color(), linewidth=3, alpha=0.5)
    ax.axhline(tables[0]["zeros"].iloc[0], color=COLOURS.true, linestyle=":")
    ax.text(0.3, tables[0]["zeros"].iloc[0], "printing zeros", va="bottom")
legend_above(fig)
show(
    fig,
    "Median error against epsilon for four stand-ins on log axes, with quartiles: the "
    "compressive mechanism below Laplace for small epsilon only, near the dotted level of "
    "printing zeros there, and the denoised Laplace histogram below it.",
)

# %% [markdown]
# So where does compressing help? Only if the party that adds the noise **cannot hold or measure $n$ numbers**. Think of
# a sensor that measures $k$ random sums. Where the green line lies above the grey one, keep more
# coefficients, or all of them.
#
# ## Choosing S
#
# The best $S$ depends on the data, so choosing it costs budget. Predict each candidate's error, and let the
# exponential mechanism ([04](04_exponential.ipynb), with quality $q = -u$) prefer small predictions. The paper's
# equation (1) predicts, with constants $C_2$, which we take for 1, and $C_4$,
#
# $$u(D, S) = \frac{\|x - x_S\|_1}{\sqrt S} + \frac{C_4\, S \log_2(n/S)}{\varepsilon} .$$
#
# **Sensitivity.** Call the *reach* of a basis the largest L1 change of the coefficients when one bin changes by one unit,
# $\|\Psi^{\mathsf T}\|_{1\to1}$ (`basis.spread` in the code). Then $u$ moves by at most reach$/\sqrt S$. The exponential
# mechanism needs **one** number that holds for all candidates: the largest, at $S = 1$.

# %%
show_source(error_bound)
show_source(choose_sparsity)

# %% jupyter={"source_hidden": true}
# Computed: 200 private choices of S for the net trace
_, padded, basis = prepared("net trace", "Haar")
dice = [np.random.default_rng(seed) for seed in range(200)]
drawn = [choose_sparsity(padded, basis, 0.1, rng) for rng in dice]
print("net trace, Haar, epsilon 0.1 for the choice and 0.9 to follow;", end=" ")
print(f"reach {basis.spread:.3f}")
print(f"200 choices from {int(n / math.e):,} candidates:", end=" ")
print(f"{min(drawn)} to {max(drawn)}, middle {np.median(drawn):.0f}")

# %% [markdown]
# For the cosine basis the reach grows with $n$ (see below), and the choice becomes a lottery. There is a way out
# that the paper did not take. Predict with Euclidean lengths:
#
# $$u'(D, S) = \|x - x_S\|_2 + \sqrt{2Sk}/\varepsilon .$$
#
# One unit in one bin moves $x$ by a Euclidean length of one, in *every* orthonormal basis, so this prediction has
# sensitivity one. It is also closer to the true error. `choose_sparsity(..., prediction=expected_error)` uses it.

# %%
DOTS = SPARSITIES[1::2]  # rebuilding takes about S steps: every second is enough to see
PREDICTIONS = {"equation (1)": error_bound, "Euclidean": expected_error}


@functools.cache
def predicted(dataset, prediction):
    """The candidates, the two parts of their predicted errors (given up, noise at epsilon 1),
    and the sensitivity.
    """
    _, padded, basis = prepared(dataset, SUITED[dataset])
    candidates, rule = np.arange(1, int(basis.n / math.e) + 1), PREDICTIONS[prediction]
    both, sensitivities = rule(padded, basis, candidates, 1.0)
    without_noise, _ = rule(padded, basis, candidates, 1e12)
    return candidates, without_noise, both - without_noise, sensitivities.max()


@functools.lru_cache(maxsize=64)
def measured_errors(dataset, epsilon):
    """The errors of one release for each S of `DOTS`."""
    counts, padded, basis = prepared(dataset, SUITED[dataset])
    dice = [(S, epsilon, np.random.default_rng(S)) for S in DOTS]
    runs = [compressive_mechanism(padded, basis, *given) for given in dice]
    return [np.linalg.norm(run[: counts.size] - counts) for run in runs]


def on_log_axis(values):
    """A thousand of the values for S = 1, 2, 3, ...: as many as a log axis can show."""
    return values[np.geomspace(1, values.size, 1000).round().astype(int) - 1]


# %% jupyter={"source_hidden": true}
# Figure: the distribution of the private choice of S, and the errors measured and predicted
fig, (left, right) = figure(columns=2, height=3.2)
choosing_verdict = verdict_text(left)
x_axis((left, right), "S", (0.8, 3e4), log=True)
y_axis(left, "error, Euclidean length", (10, 1e7), log=True)
y_axis(right, "probability of at most S", (0, 1.03))
prediction_line = curves(left, [1], {"predicted": "true"})
actual_dots = curves(left, DOTS, {"measured, one release each": "noisy o"})
chosen_line = curves(right, [1], {" ": "noisy"})
lowest = right.axvline(1, color=COLOURS.true, linestyle="--", label="smallest prediction")
legend_above(fig)


def choosing(dataset, prediction, epsilon):
    candidates, missing_part, noise, sensitivity = predicted(dataset, prediction)
    errors = missing_part + noise / (0.9 * epsilon)
    chances = np.cumsum(selection_probabilities(-errors, sensitivity, 0.1 * epsilon))
    shown = on_log_axis(candidates)
    set_curves(prediction_line, [on_log_axis(errors)], shown)
    set_curves(actual_dots, [measured_errors(dataset, 0.9 * epsilon)])
    set_curves(chosen_line, [on_log_axis(chances)], shown)
    best = candidates[errors.argmin()]
    lowest.set_xdata([best, best])
    places = np.minimum(np.searchsorted(chances, (0.05, 0.5, 0.95)), candidates.size - 1)
    low, middle, high = candidates[places]
    words = f"best S by prediction {best:,}; nine of ten draws: {low:,} to {high:,}"
    set_verdict_text(choosing_verdict, None, words.replace("nine of ten", "9 of 10"))
    return f"sensitivity {sensitivity:.1f}; {words}; the middle of them {middle:,}"


for dataset in DATASETS:  # so that no first move waits
    choosing(dataset, "equation (1)", 1.0)

choosing_figure = live(
    fig,
    choosing,
    "Left: predicted error against S, a valley on log axes, with measured errors as dots. "
    "Right: the cumulative probability of the chosen S, with a dashed line at the S of the "
    "smallest predicted error.",
    task=(
        "the TCP trace in the cosine basis. Compare the two predictions: where does the curve "
        "on the right climb? Then the net trace in the Haar basis, where both work."
    ),
    dataset=choice(list(DATASETS), "TCP trace"),
    prediction=choice(list(PREDICTIONS), "equation (1)"),
    epsilon=log_slider(0.01, 10, 1.0, label="epsilon, in all"),
)
choosing_figure

# %% jupyter={"source_hidden": true}
# Computed: which S the two predictions choose for the TCP trace
for prediction in PREDICTIONS:
    choosing_figure.controls["prediction"].value = prediction
    print(f"TCP trace, cosine, {prediction}:", end="\n    ")
    print(*choosing_figure.caption.split("; "), sep=";\n    ")
choosing_figure.controls["prediction"].value = "equation (1)"

# %% [markdown]
# ## Where it breaks
#
# ### The winner that takes no samples
#
# The paper lets $S$ run from 1 to $n$. But $S \log_2(n/S)$ rises only up to $S = n/e$ and falls again beyond. At $S
# = n$ nothing is given up, no sample is taken ($k = 0$), and the predicted error is 0 for every dataset. That candidate
# always looks best, and it is useless. `measurements` and `choose_sparsity` stop at $n/e$.

# %% jupyter={"source_hidden": true}
# Computed: the predicted error at S = n, and how probable an S without samples is
visits, padded, basis = prepared("doctor visits (real)", "Haar")
everything = np.arange(1, basis.n + 1)
errors, sensitivities = error_bound(padded, basis, everything, 0.9)
chances = selection_probabilities(-errors, sensitivities.max(), 0.1)
print(f"n = {basis.n}: predicted error {errors[-1]:.0f} at S = n,", end=" ")
print(f"at least {errors[:-1].min():.0f} elsewhere")
starved = everything * np.log2(basis.n / everything) < everything / 10
print(f"probability of an S with S log2(n/S) < S / 10: {chances[starved].sum():.3f}")
try:
    measurements(basis.n, basis.n, 1.5)
except ValueError as error:
    print(f"ValueError: {error}")

# %% [markdown]
# ### A constant that is not constant
#
# The paper calls the sensitivity $C_5/\sqrt S$ with "a constant" $C_5$, and names no value. For one basis and one $n$
# it is a constant: the reach of the basis. For Haar it is below $1 + \sqrt 2 = 2.414$ for every $n$. For cosines it is
# about $0.9003 \sqrt n$:

# %% jupyter={"source_hidden": true}
# Computed: the reach of both bases for four sizes
for size in (64, 1024, 16_384, 65_536):
    haar, cosine = haar_basis(size).spread, cosine_basis(size).spread
    ratio = cosine / math.sqrt(size)
    print(f"n = {size:>6,}: Haar {haar:.3f}, cosine {cosine:>6.2f} = {ratio:.4f} sqrt n")

# %% [markdown]
# What if one takes $C_5 = 1$? Take two neighbours: nobody at all, and one person in bin 0. We compute the distribution of
# the chosen $S$ on both, exactly as printed. The figure also takes a thousand people in each bin and one more in bin 0.


# %%
def printed_choice(counts, basis, epsilon, c5):
    """BROKEN unless c5 is the reach: section 5.3 as printed; ln Pr[S] for S = 1 to n."""
    everything = np.arange(1, basis.n + 1)
    noise_weight = 1 / math.sqrt(2)  # makes the factor C4 of the noise 1
    errors, _ = error_bound(counts, basis, everything, epsilon, constant=noise_weight)
    return log_selection_probabilities(-errors * np.sqrt(everything), c5, epsilon)


def printed_loss(basis, epsilon, c5, everywhere=0):
    """Exact loss between `everywhere` people in each bin and one more in bin 0."""
    here = np.full(basis.n, float(everywhere))
    there = here + np.eye(1, basis.n)[0]
    one, other = (printed_choice(people, basis, epsilon, c5) for people in (here, there))
    return np.abs(one - other).max()


# %% jupyter={"source_hidden": true}
# Computed: the loss of the printed choice in the cosine basis, with both constants
cosine = cosine_basis(1024)
as_printed, mended = (printed_loss(cosine, 1.0, c5) for c5 in (1.0, cosine.spread))
print(f"cosine basis, n = 1,024, epsilon 1: loss {as_printed:.2f} with C5 = 1,", end=" ")
print(f"{mended:.2f} with C5 = the reach")

# %% jupyter={"source_hidden": true}
# Figure: printed_loss(basis, epsilon, c5, people) of both bases
fig, ax = figure(height=3.0)
constants_verdict = verdict_text(ax)
names = ["Haar, C₅ = 1", "Haar, C₅ = reach", "cosine, C₅ = 1", "cosine, C₅ = reach"]
unit = "loss of the choice in multiples of ε (dashed: the claim; bars end at 8)"
choice_meter = meter(ax, names, 8, unit)


def constants(n, epsilon):
    bases = haar_basis(n), cosine_basis(n)
    settings = [(basis, epsilon, c5) for basis in bases for c5 in (1.0, basis.spread)]
    losses = [max(printed_loss(*one, people) for people in (0, 1000)) for one in settings]
    set_meter(choice_meter, np.divide(losses, epsilon), 1)
    broken = sum(loss > epsilon + 1e-9 for loss in losses)
    set_verdict_text(constants_verdict, not broken, f"{broken} of 4 guarantees broken")
    haar, _, waves, _ = losses
    return f"n = {n:,}, claimed {epsilon:.2f}: with C5 = 1 Haar {haar:.2f}, cosine {waves:.2f}"


question = "At n = 16,384, how large is the privacy loss of the Haar basis with C5 = 1?"
constants_figure = live(
    fig,
    constants,
    "Four bars of privacy loss against the claim: with the constant 1 both bases break it "
    "from n = 64 on, the cosine basis by far and more as n grows; with the reach as "
    "constant both keep it.",
    task="play $n$. Which bars grow, and how fast?",
    guess=predict(question, (0, 20), r"Haar ([\d.]+)", n=16_384),
    play="n",
    n=choice([2**power for power in range(5, 15)], 1024),
    epsilon=log_slider(0.1, 3, 1.0),
)
constants_figure

# %% [markdown]
# ### An exponent for each candidate
#
# The printed exponent divides $u(S)$ by the sensitivity *of that candidate*, $C_5/\sqrt S$. With the right $C_5$ this
# is private: it is the exponential mechanism for the score $u(S)\sqrt S$, whose sensitivity is $C_5$. But it looks
# for the smallest $u(S)\sqrt S$, and that is another $S$:

# %% jupyter={"source_hidden": true}
# Computed: the S with the smallest predicted error, and the S that the printed rule prefers
basis, candidates = haar_basis(1024), 2 ** np.arange(9)
falling = basis.inverse(5000 * np.arange(1.0, 1025) ** (-1 / 0.6))
errors, sensitivities = error_bound(falling, basis, candidates, 1.0, constant=1 / math.sqrt(2))
best, preferred = errors.argmin(), (errors / sensitivities).argmin()
print(f"smallest error: S = {candidates[best]}, u = {errors[best]:.0f}")
print(f"most probable as printed: S = {candidates[preferred]},", end=" ")
print(f"u = {errors[preferred]:.0f}, {errors[preferred] / errors[best] - 1:.0%} more")
one_number = selection_probabilities(-errors, basis.spread, 1.0) @ errors
printed = selection_probabilities(-errors / sensitivities, 1.0, 1.0) @ errors
print(f"predicted error on average: {one_number:.0f} with one sensitivity,", end=" ")
print(f"{printed:.0f} as printed")

# %% [markdown]
# ### A length that must be public
#
# Reconstruction stops when no more than a length $\theta$ is unexplained. That length must be a public number such as
# `noise_length`. The length of the noise that was drawn is secret.
#
# ### What the guarantee is about
#
# One unit in one bin: *event-level*, not *user-level*, privacy. In the social network a friendship is a unit in *two*
# bins, so a person with $f$ friends is protected at up to $2f\varepsilon$. In the doctor visits a record is one person
# in one year, and a person has up to five.

# %% jupyter={"source_hidden": true}
# Computed: at how many epsilons a person is protected in two of the datasets
records = np.bincount(data.health_insurance_person()).max()
friends = data.social_network().values.max()
print(f"doctor visits: a person is protected at {records} epsilon")
print("social network:", end=" ")
print(f"a friendship at 2 epsilon, the busiest person at up to {2 * friends} epsilon")

# %% [markdown]
# <details><summary>Where this page differs from the paper: seven entries of the errata, and one of page 17.</summary>
#
# The claim for any $D$ [E76](22_errata.ipynb#E76), that no other known mechanism is universal
# [E77](22_errata.ipynb#E77), the candidates up to $n$ [E72](22_errata.ipynb#E72). The constant
# [E73](22_errata.ipynb#E73), the exponent [E74](22_errata.ipynb#E74), a bound in Appendix B that its proof does not
# give [E75](22_errata.ipynb#E75). What the paper's notation leaves open [E78](22_errata.ipynb#E78), and the budget of
# $k$ counters [E71](22_errata.ipynb#E71).
#
# </details>
#
# ## On your own
#
# A hint and an answer for each: [exercises/answers/16_compressive](../exercises/answers/16_compressive.ipynb).
#
# **Assignment 16:** [five tasks, checked in a second](../exercises/releases/16_compressive.ipynb).
#
# 1. *Warm-up.* In the figure of Step 1 find, for the search logs, the smallest $S$ with a relative error below 0.2, in
#    either basis. Compute it for an error below 0.1.
# 2. In the figure of the whole mechanism, take the doctor visits (real, 366 bins). Does the mechanism beat both Laplace
#    and printing zeros at any $\varepsilon$ and $S$, in most releases? Explain with parts 1 and 2 of the error.
# 3. At $\varepsilon = 0.01$ the net trace often has an error *equal* to that of printing zeros. What did the
#    reconstruction decide, and why is that sensible?
# 4. Does the better prediction choose a better $S$? Switch *prediction* in its figure: for which dataset does the middle
#    of the draws move most, and why? Run `compressive_mechanism` five times at both middles and compare the errors.
# 5. Add `"Haar noise": lambda rng: haar_histogram(padded, 0.1, rng)` to `ranged` ([chapter 08](08_histograms.ipynb);
#    import it from `dpbook.histograms`). How does it fare on bins and on ranges?
# 6. *Challenge.* `keep_largest` needs an $S$. Find a rule that needs none: keep the coefficients above a *public*
#    threshold that depends on $n$ and $\varepsilon$ only. Test it against `keep_largest` with the best $S$.
#
# A start for exercise 6, with the threshold to be found by you:

# %%
counts, padded, basis = prepared("net trace", "Haar")
coefficients = basis.forward(laplace_mechanism(padded, 1, 0.1, np.random.default_rng(11)))
threshold = 3 * math.sqrt(2) / 0.1  # three standard deviations: too low, too high?
kept = np.where(np.abs(coefficients) > threshold, coefficients, 0)
error = np.linalg.norm(basis.inverse(kept) - padded)
print(f"kept {np.count_nonzero(kept):,} coefficients, error {error:,.0f}")

# %% [markdown]
# ## When to use it
#
# **Use it** when the party that adds the noise cannot hold or measure all $n$ numbers but can take $k$ random sums. The
# data must be very sparse in a basis that is publicly known to fit, and $S k$ well below $n$.
#
# **Do not** use it for a histogram that the curator holds: denoise the Laplace histogram in the same basis. Do not use
# it for range queries (take a tree, [08](08_histograms.ipynb)), or for data that no public basis makes sparse.
#
# In numbers, for the net trace at $\varepsilon = 0.1$. Its bins are *sorted*. If their order is public, there is an
# older rival (Hay and others 2010): the closest falling line to the noisy counts, by *isotonic regression*. It needs no
# basis and no $S$. Medians of 20 releases:


# %%
def falling_line(seed):
    noisy_counts = laplace_mechanism(sorted_counts, 1, 0.1, np.random.default_rng(seed))
    return isotonic_regression(noisy_counts, increasing=False).x


# %% jupyter={"source_hidden": true}
# Computed: the median errors of all methods on the net trace, and of isotonic regression
_, sorted_counts, sorted_basis = prepared("net trace", "Haar")

falling_errors = [np.linalg.norm(falling_line(seed) - sorted_counts) for seed in range(20)]
table, best = comparison("net trace", 0.1)
numbers = table.median()
numbers["Laplace, then isotonic (order is public)"] = np.median(falling_errors)
for name, error in numbers.sort_values().items():
    print(f"{name:<41} error {error:>8,.0f}")

# %% [markdown]
# ## Sources
#
# - **000** Yang D. Li, Zhenjie Zhang, Marianne Winslett, Yin Yang: *Compressive Mechanism: Utilizing Sparse
#   Representation in Differential Privacy*. WPES 2011. [arXiv:1107.3350](https://arxiv.org/abs/1107.3350).
#   Sections 3.2 (sampling, Lemma 1), 4 (universal mechanism, Table 1), 5 (Algorithm 1, equation (1)), 7 (Figures 3, 4,
#   6), 8, appendices A, B, D.
#
# <details><summary>The other 10 sources of this page.</summary>
#
# - Emmanuel Candès, Terence Tao: *Decoding by Linear Programming*. IEEE Transactions on Information Theory 2005.
#   [doi:10.1109/TIT.2005.858979](https://doi.org/10.1109/TIT.2005.858979). The restricted isometry property.
# - Emmanuel Candès, Justin Romberg, Terence Tao: *Stable Signal Recovery from Incomplete and Inaccurate Measurements*.
#   Communications on Pure and Applied Mathematics 2006. [doi:10.1002/cpa.20124](https://doi.org/10.1002/cpa.20124).
#   Lemma 16.4; basis pursuit with noise.
# - Richard Baraniuk, Mark Davenport, Ronald DeVore, Michael Wakin: *A Simple Proof of the Restricted Isometry Property
#   for Random Matrices*. Constructive Approximation 2008.
#   [doi:10.1007/s00365-007-9003-x](https://doi.org/10.1007/s00365-007-9003-x). Theorem 16.3.
# - Deanna Needell, Joel Tropp: *CoSaMP: Iterative Signal Recovery from Incomplete and Inaccurate Samples*. Applied and
#   Computational Harmonic Analysis 2009. [doi:10.1016/j.acha.2008.07.002](https://doi.org/10.1016/j.acha.2008.07.002).
# - Jian Wang, Seokbeop Kwon, Byonghyo Shim: *Generalized Orthogonal Matching Pursuit*. IEEE Transactions on Signal
#   Processing 2012. [doi:10.1109/TSP.2012.2218810](https://doi.org/10.1109/TSP.2012.2218810).
# - Antonin Chambolle, Thomas Pock: *A First-Order Primal-Dual Algorithm for Convex Problems with Applications to
#   Imaging*. Journal of Mathematical Imaging and Vision 2011.
#   [doi:10.1007/s10851-010-0251-1](https://doi.org/10.1007/s10851-010-0251-1). How `basis_pursuit` is solved.
# - David Donoho, Iain Johnstone: *Ideal Spatial Adaptation by Wavelet Shrinkage*. Biometrika 1994.
#   [doi:10.1093/biomet/81.3.425](https://doi.org/10.1093/biomet/81.3.425). The rival's idea.
# - Moritz Hardt, Kunal Talwar: *On the Geometry of Differential Privacy*. STOC 2010.
#   [doi:10.1145/1806689.1806786](https://doi.org/10.1145/1806689.1806786). The packing argument of Theorem 16.9.
# - Michael Hay, Vibhor Rastogi, Gerome Miklau, Dan Suciu: *Boosting the Accuracy of Differentially Private Histograms
#   Through Consistency*. PVLDB 2010. [doi:10.14778/1920841.1920970](https://doi.org/10.14778/1920841.1920970). H$_2$ with
#   inference; sorted counts; the three files.
# - Xiaokui Xiao, Guozhang Wang, Johannes Gehrke: *Differential Privacy via Wavelet Transforms*. IEEE Transactions on
#   Knowledge and Data Engineering 2011. [doi:10.1109/TKDE.2010.247](https://doi.org/10.1109/TKDE.2010.247). Privelet.
#
# `dpbook` is for learning, not for real releases ([00](00_start_here.ipynb) says why).
#
# </details>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [15 Stability](15_stability.ipynb) · **Next:** [17 Continual counting](17_continual.ipynb)
