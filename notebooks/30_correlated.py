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
# # 30 Noise that remembers
#
# A total is published at every step. If each step's noise takes back part of the noise before, all totals but the first
# few become more accurate at the same privacy loss.
#
# <details><summary>About 35 minutes, after 24 and 25: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [29 Without a curator](29_parties.ipynb) · **Next:** [31 What a model remembers, and how to test it](31_memory.ipynb)
#
# **Assignment 30:** [five tasks, checked in a second](../exercises/releases/30_correlated.ipynb)
#
# **What you will do:** let noise cancel itself, and count what that costs. See a famous tree lose to no tree at all.
# Let a person come back four times, and decide who may toss coins.
#
# **You need:** the Gaussian mechanism ([24](24_gaussian.ipynb)) and accounts ([25](25_accounting.ipynb)). *Helpful:* the
# counter and DP-SGD, of chapters 17 and 26.
#
# **Time:** about 35 minutes. A stopping point: before *A person comes back*.
#
# **Real and synthetic:** the women of Fair's survey and the voters of 1996 are real. The stream of searches is synthetic.
# All else on this page is a matter of matrices.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import math

import numpy as np

from dpbook.correlated import (
    correlated_noise,
    prefix_workload,
    root_strategy,
    strategy_errors,
)
from dpbook.gaussian import gaussian_scale
from dpbook.live import choice, live, log_slider, new_noise
from dpbook.plots import (
    COLOURS,
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
# Figure: the noise added at 64 steps, and its running totals: correlated_noise(C, scale, rng)
DELTA, T = 1e-6, 64
times, totals = np.arange(1, T + 1), prefix_workload(T)
hero = {b: root_strategy(T, bands=b) for b in (1, 2, 4, 8, 16, 32, 64)}
hero_errors = {b: strategy_errors(strategy, totals) for b, strategy in hero.items()}
fig, (noise_ax, total_ax) = figure(rows=2, height=3.0, sharex=True)
bars = noise_ax.bar(times, np.zeros(T), color=COLOURS.noisy)
looks = {"error of the total": "noisy", "2 deviations": "other --", "": "other --"}
total_lines = curves(total_ax, times, looks)
y_axis(noise_ax, "noise (items)", (-25, 25))
y_axis(total_ax, "error (items)", (-80, 80))
x_axis(total_ax, "step", (0, T + 1))
hero_verdict = verdict_text(noise_ax)
legend_above(fig)


def remembering(bands, epsilon, seed):
    strategy, found = hero[bands], hero_errors[bands]
    unit = gaussian_scale(1, epsilon, DELTA)
    noise = correlated_noise(strategy, unit * found.sensitivity, np.random.default_rng(seed))
    band = 2 * unit * found.each
    for bar, height in zip(bars, noise, strict=True):
        bar.set_height(height)
    set_curves(total_lines, [np.cumsum(noise), band, -band])
    rms, alone = (unit * one.rms for one in (found, hero_errors[1]))
    words = f"rms {rms:.1f} items at T = {T}; independent {alone:.1f}"
    set_verdict_text(hero_verdict, None, words)
    back = f"a step takes back {strategy[1, 0]:.0%} of the noise before it"
    return f"{back}; one release's noise is {unit:.3g} items"


live(
    fig,
    remembering,
    "Above, the noise added at each of 64 steps as bars; below, the error of the running "
    "total, and a band of two deviations that narrows as the noise remembers more.",
    task="play *bands*: the bars begin to alternate, and the band narrows.",
    play="bands",
    bands=choice([1, 2, 4, 8, 16, 32, 64], 1),
    epsilon=log_slider(0.5, 4, 1.0),
    seed=new_noise(1),
)

# %% [markdown]
# With [one band](#move:bands=1) each step has noise of its own, and the totals drift. With [all
# bands](#move:bands=64) each step draws new noise and takes back a part of the earlier draws. It is half of the last one, an
# eighth of the one before, a sixteenth of the one before that, and so on.

# %% jupyter={"source_hidden": true}
# What this page imports
import json
import pathlib

from matplotlib.patches import Rectangle

from dpbook import data
from dpbook.correlated import (
    banded_multiplier,
    correlated_totals,
    dp_ftrl,
    momentum_workload,
    optimal_strategy,
    root_coefficients,
    strategy_sensitivity,
    tree_strategy,
)
from dpbook.data.predictions import election_prediction
from dpbook.gaussian import gaussian_epsilon
from dpbook.gradients import Recipe, dp_sgd, training_epsilon
from dpbook.guesses import predict
from dpbook.live import show_source, slider
from dpbook.plots import maps, own_point, set_maps, set_own_point
from dpbook.regression import unit_ball

# %% [markdown]
# ## Two naive attempts
#
# $T$ numbers (*items*) come in, one at each step, and after each step the total so far is published. Neighbours differ by one
# unit in one item (add/remove). The unit of errors on this page is the standard deviation of the noise that one number of
# sensitivity 1 would need. The *largest* error is that of the worst total; *rms* is the root of the mean squared error over
# all totals.
#
# - *Noise on each item*: an item is in one release, so the noise is 1. But the totals add up this noise, and the last one has
#   $T$ of them: an error of $\sqrt T$.
# - *Noise on each total*: an item is in up to $T$ totals, so the L2 sensitivity is $\sqrt T$. Every total gets noise of
#   $\sqrt T$.

# %%
for name, strategy in (("each item", np.eye(256)), ("each total", prefix_workload(256))):
    found = strategy_errors(strategy, prefix_workload(256))
    print(f"noise on {name}: largest error {found.largest:.2f}, rms {found.rms:.2f}")

# %% [markdown]
# ## Factorise
#
# Let $A$ be the **workload**: the lower triangular matrix of ones, so that $Ax$ are the totals. Write it as $A = BC$. Here
# $C$, the **strategy** or *encoder*, says what is asked, and $B = AC^{-1}$, the *decoder*, how to answer:
#
# $$B (C x + z) = A x + B z, \qquad z \sim N(0, \sigma^2 I).$$
#
# This is the **matrix mechanism** of [08](08_histograms.ipynb), with normal noise. What is released is $Cx + z$, and $B$ is
# post-processing. Since $B = AC^{-1}$, adding the noise $C^{-1} z$ to the items and summing up gives the same numbers.
#
# > **Theorem 30.1 (correlated noise; after Li and others 2010, Denisov and others 2022).** Let $C$ be lower triangular, with no
# > zero on its diagonal, and let $\|C\|_{1 \to 2}$ be the length of its longest column. With independent normal noise $z$ of
# > deviation $\sigma$ all $T$ totals together are as private as *one* Gaussian release of sensitivity $\|C\|_{1 \to 2}$ and
# > deviation $\sigma$, for neighbours that differ by one unit in one item. This also holds if items depend on earlier releases.
#
# In the unit above the errors are $\|C\|_{1 \to 2}$ times the lengths of the rows of $B$. A good factorisation keeps both short.

# %% jupyter={"source_hidden": true}
# Figure: a strategy C, its decoder B, and what C^-1 makes of the noise, as maps
kinds = {"independent": np.eye, "tree": tree_strategy, "square root": root_strategy}
kinds["4 bands"] = lambda n: root_strategy(n, bands=4)
SMALL = {(kind, n): make(n) for n in (8, 16, 32) for kind, make in kinds.items()}
fig, map_axes = figure(columns=3, height=2.6)
names = ["C: what is asked", "B: how totals are made", "noise added: C⁻¹"]
images = maps(map_axes, names, (0, 1, 1, 0), origin="upper", cmap="RdBu_r", vmin=-1, vmax=1)
for map_ax in map_axes:
    map_ax.set(aspect="equal", xticks=[], yticks=[])
edge = {"fill": False, "edgecolor": COLOURS.fourth, "linewidth": 2}
marked_column, marked_row = (
    map_ax.add_patch(Rectangle((0, 0), 1, 1, **edge)) for map_ax in map_axes[:2]
)
fig.colorbar(images[2], ax=map_axes, label="entry")
map_line = verdict_text(fig)


def matrices(kind, steps):
    strategy = SMALL[kind, steps]
    inverse = np.linalg.inv(strategy)
    decoder = prefix_workload(steps) @ inverse
    set_maps(images, strategy, decoder, inverse)
    columns, rows = np.linalg.norm(strategy, axis=0), np.linalg.norm(decoder, axis=1)
    marked_column.set(x=columns.round(9).argmax() / steps, width=1 / steps)
    marked_row.set(y=rows.round(9).argmax() / steps, height=1 / steps)
    column, row = columns.max(), rows.max()
    words = f"longest column {column:.2f}, row {row:.2f}: largest error {column * row:.2f}"
    set_verdict_text(map_line, None, words)
    below = f"below the diagonal of C⁻¹ stands {inverse[1, 0]:.2f}"
    return f"{kind}, T = {steps}: {words}; {below}"


live(
    fig,
    matrices,
    "Three maps of triangular matrices: the strategy, the decoder, and the inverse of the "
    "strategy. Frames mark the longest column and the longest row. The inverse of the square "
    "root has minus one half below its diagonal.",
    task="which strategy makes the longest column times the longest row smallest?",
    guess=predict(
        "The square root: what stands just below the diagonal of its inverse?",
        (-1, 1),
        r"stands (-?[\d.]+)",
        kind="square root",
        steps=16,
    ),
    kind=choice(["independent", "tree", "square root", "4 bands"], "tree"),
    steps=choice([8, 16, 32], 16, label="steps T"),
)

# %%
show_source(correlated_noise)

# %% [markdown]
# The loop, with `y` for the noise added: `y[t] = (z[t] - C[t, :t] @ y[:t]) / C[t, t]`. With $b$ **bands**, the diagonal of $C$
# and the $b - 1$ below it, only the last $b - 1$ noises are remembered.

# %%
show_source(correlated_totals)

# %% [markdown]
# A stream of 256 counts: searches for one name, each count over 90 minutes (a synthetic stand-in). Neighbours differ by one
# search, with $\varepsilon = 1$ and $\delta = 10^{-6}$. The dull rivals are one noisy total at the end, and noise on each item:

# %%
unit, searches = gaussian_scale(1, 1.0, DELTA), data.search_logs().values[-256:].astype(float)
true_totals, rng = np.cumsum(searches), np.random.default_rng(30)
print(f"one total at the end, of {true_totals[-1]:,.0f} searches: error {unit:.1f}")
for name, make in (("noise on each item", np.eye), ("square root", root_strategy)):
    released = correlated_totals(searches, make(256), 1.0, DELTA, rng)
    off = np.sqrt(np.mean((released - true_totals) ** 2))
    rms = unit * strategy_errors(make(256), prefix_workload(256)).rms
    print(f"256 totals, {name}: rms error {off:.1f} this time, {rms:.1f} expected")

# %% [markdown]
# With the square root, 256 totals have less than three times the error of a single one. If you need only the last total, publish
# only that one.
#
# <details><summary>Proof of Theorem 30.1: step by step, a Gaussian.</summary>
#
# One unit in item $i$ moves $Cx$ by column $i$ of $C$, so $Cx + z$ is a Gaussian release of that sensitivity. Now let items
# depend on earlier releases. $C$ is lower triangular: what is released at step $t$ uses the items and noises up to $t$.
# Given the same past releases, two neighbours have the same items but for one unit in item $i$. So step $t$ is a Gaussian
# mechanism on $(Cx)_t$, in which they differ by the entry $C_{ti}$. Gaussians compose adaptively
# ([25](25_accounting.ipynb)), and the squares of these entries add up to the column's squared length. $\square$
#
# </details>
#
# ## The tree is a strategy
#
# The binary counter of [17](17_continual.ipynb) publishes sums of blocks. So it is a strategy, too: row $t$ of $C$ has ones
# where the block that ends at step $t$ lies. An item is in at most $1 + \log_2 T$ blocks, so no column has more ones. That costs
# little for a large $T$. At $T = 16$ the tree is worse than independent noise.
#
# The tree has $2T - 1$ blocks (*nodes*), and the counter asks for $T$ of them. Ask for all: an item is in $1 + \log_2 T$ nodes,
# so the sensitivity is the same. The noisy sums overlap, and least squares makes the best of them (Honaker 2015). But then the
# first total uses nodes that end later, and a stream has not seen these.
#
# **A turn of the noise** helps. Write the matrix of all nodes as $N = QC$, the columns of $Q$ orthonormal and $C$ lower
# triangular (the *QR decomposition*). Since $C^\top C = N^\top N$, the columns of $C$ are as long as those of $N$. From $Nx + z$
# least squares makes $x + C^{-1} Q^\top z$, and $Q^\top z$ is independent normal noise again. So $C$ has the same errors, and
# step $t$ asks only for items up to $t$. A strategy is triangular to be in time, not to be private.


# %%
def node_matrix(steps):
    """One row for each block of a tree over 2^k steps: 1 where the block lies."""
    sizes = 2 ** np.arange(steps.bit_length())
    return np.vstack([np.kron(np.eye(steps // size), np.ones(size)) for size in sizes])


def all_nodes(steps):
    """The lower triangular C with N = Q C: QR from the last column to the first."""
    return np.linalg.qr(node_matrix(steps)[:, ::-1])[1][::-1, ::-1]


nodes, levels = node_matrix(256), 9
squares = prefix_workload(256) @ np.linalg.pinv(nodes)  # the totals by least squares
later = nodes[:, 1:].any(axis=1) & (np.abs(squares[0]) > 1e-9)
print(f"{len(nodes)} nodes; the first total uses {later.sum()} that end after step 1")
lengths = math.sqrt(levels) * np.linalg.norm(squares, axis=1)
print(f"least squares: largest {lengths.max():.3f}, rms {np.sqrt(np.mean(lengths**2)):.3f}")
for name, strategy in (("after the turn", all_nodes(256)), ("counter", tree_strategy(256))):
    found = strategy_errors(strategy, prefix_workload(256))
    print(f"{name}: largest {found.largest:.3f}, rms {found.rms:.3f}")
crossing = f"from {unit**2 / 2:.2f} levels on"
print("chapter 17's Laplace noise is larger than normal noise", crossing)

# %% [markdown]
# Asking for all nodes about halves the counter's error, and no total is late. The last line is about the noise on one node at
# $\varepsilon = 1$. In [17](17_continual.ipynb) it is Laplace noise: its deviation is $\sqrt2$ times the number of levels, and it needs no
# $\delta$. Normal noise grows with the root of that number, and is smaller with 9 levels ($T = 256$) or more.

# %% jupyter={"source_hidden": true}
# Figure: the error of six strategies over T, precomputed, and the nuclear bound
LENGTHS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
makers = {"independent": np.eye, "each total": prefix_workload, "tree": tree_strategy}
makers |= {"all nodes": all_nodes, "square root": root_strategy}
workloads, curve_errors = [prefix_workload(n) for n in LENGTHS], {}
for name, make in makers.items():
    curve_errors[name] = [strategy_errors(make(len(a)), a) for a in workloads]
best_errors = [strategy_errors(optimal_strategy(a), a) for a in workloads[:8]]
bounds = [np.linalg.svd(a, compute_uv=False).sum() / len(a) for a in workloads]
fig, ax = figure(height=3.4)
length_looks = {"independent": "grey", "each total": "grey --", "tree": "other"}
length_looks |= {"all nodes": "other --", "square root": "noisy"}
length_looks |= {"least rms (to 128)": "true --", "bound": "true :"}
length_lines = curves(ax, LENGTHS, length_looks, ends=True)
length_mark = own_point(ax, colour=COLOURS.noisy)
x_axis(ax, "steps T (log scale)", (1, 1024), LENGTHS, log=True)
y_axis(ax, "error (units, log scale)", (0.9, 40), [1, 2, 5, 10, 20], log=True)
length_verdict = verdict_text(ax)


def error_over_lengths(steps, measure):
    place = LENGTHS.index(steps)
    values = [[getattr(one, measure) for one in curve_errors[name]] for name in makers]
    best = [getattr(one, measure) for one in best_errors]
    best += [np.nan] * (len(LENGTHS) - len(best))
    set_curves(length_lines, [*values, best, bounds])
    now = {name: row[place] for name, row in zip(makers, values, strict=True)}
    set_own_point(length_mark, steps, now["square root"])
    ratio = now["square root"] / bounds[place]
    words = f"T = {steps}: the root's {measure} error is {ratio:.2f} times the bound"
    set_verdict_text(length_verdict, None, words)
    better = "independent noise" if now["independent"] < now["tree"] else "the tree"
    if math.isclose(now["independent"], now["tree"]):
        better = "neither"
    told = ", ".join(f"{name} {now[name]:.2f}" for name in now if name != "each total")
    return f"{measure}: {told}; better of the first two: {better}"


live(
    fig,
    error_over_lengths,
    "Errors of six strategies against the number of steps, and a bound. Independent noise and "
    "noise on each total rise fastest, and between 16 and 32 steps the tree falls below "
    "independent noise. All nodes and the square root end far below.",
    task="find where the tree overtakes independent noise.",
    guess=predict(
        "16 steps, rms: which is better, the tree or noise on each item?",
        ["the tree", "independent noise"],
        lambda caption: caption.rpartition(": ")[2],
        steps=16,
        measure="rms",
    ),
    steps=choice(LENGTHS, 16),
    measure=choice(["rms", "largest"], "rms"),
)

# %% [markdown]
# ## The square root
#
# Choose $B = C$, so that $C$ is a square root of $A$. All matrices here have the same entries along each diagonal (*Toeplitz*).
# They multiply as power series do, the entry $k$ below the diagonal being the coefficient of $x^k$. The matrix $A$ is
# $1 + x + x^2 + \dots = 1/(1 - x)$. So $C$ is $(1 - x)^{-1/2}$, with the coefficients $\binom{2k}{k} / 4^k$: $1, \tfrac12,
# \tfrac38, \tfrac5{16}, \dots$ And $C^{-1}$, which makes the noise, is $(1 - x)^{1/2}$: $1, -\tfrac12, -\tfrac18,
# -\tfrac1{16}, \dots$

# %%
show_source(root_coefficients)

# %%
print("the noise of the last of T = 4 steps: 1 times its own draw, minus")
draws = -np.linalg.inv(root_strategy(4))[3, 2::-1]
print("   the draws z before it, latest first, times", draws)
print("or the noises y added before it (the loop), times", root_coefficients(4)[1:])
for length in (16, 256, 1024):
    largest = np.sum(root_coefficients(length) ** 2)
    theory = (math.log(length) + np.euler_gamma + 4 * math.log(2)) / math.pi
    print(f"T = {length}: largest error {largest:.4f}, Landau's formula {theory:.4f}")
smaller = np.sqrt(2 * np.arange(1, 101)) < unit * np.cumsum(root_coefficients(100) ** 2)
print(f"Laplace noise on each item: a smaller largest error up to T = {np.argmin(smaller)}")
column = root_coefficients(256)
length, absolute = np.linalg.norm(column), column.sum()
print(f"T = 256: a column's length {length:.2f}; its entries add up to {absolute:.2f}")

# %% [markdown]
# > **Theorem 30.2 (the square root; Fichtenberger, Henzinger and Upadhyay 2023).** With $B = C$ the largest error is
# > $\sum_{k < T} \binom{2k}{k}^2 / 16^k$, which grows like $\ln T / \pi + 1.07$.
#
# <details><summary>Proof: the longest row is as long as the longest column.</summary>
#
# The last row of $B$ has all $T$ coefficients, and so has the first column of $C$: no row or column is longer. The largest error
# is the product of these two lengths, the sum of the squared coefficients. Since $\binom{2k}{k}/4^k$ is close to
# $1/\sqrt{\pi k}$, the squares add up to about $\ln T / \pi$. (The constant is Landau's, $(\gamma + 4 \ln 2)/\pi$.) $\square$
#
# </details>
#
# Independent noise has an error of $\sqrt T$. It matters that the noise is normal: Laplace noise would pay for the sum of a
# column's entries. At $T = 256$ that is more than ten times its length. The noises added in two steps that follow each other are
# correlated, and so are the errors of two totals. In the first figure, with all bands, at the last two steps:

# %%
moves = {"noises added": np.linalg.inv(hero[64]), "errors of totals": hero[64]}
for name, matrix in moves.items():
    one, other = matrix[-2:] / np.linalg.norm(matrix[-2:], axis=1, keepdims=True)
    print(f"{name}: correlation {one @ other:+.4f}")

# %% [markdown]
# A warning: it is wrong to account for each step by the size of its own noise, an entry of $C^{-1} z$. If you add up steps, the
# noises cancel, and less noise is left:

# %%
root = root_strategy(256)
row = np.linalg.norm(np.linalg.inv(root), axis=1).max()
true = gaussian_epsilon(strategy_sensitivity(root), unit / row, DELTA)
print(f"each step's noise as large as one Gaussian's for epsilon 1: true epsilon {true:.3f}")

# %% [markdown]
# ## The best there is
#
# Which strategy has the smallest rms error? With $X = C^\top C$ this is a convex problem. Let the columns be no longer than 1,
# so that the diagonal of $X$ is at most 1. Then minimise $\mathrm{tr}(A^\top A X^{-1})$, which is $T$ times the squared rms
# error. An iteration on the dual problem solves it. No strategy has an rms error below the sum of the singular values of $A$
# (the *nuclear norm*), divided by $T$.

# %%
for length in (16, 64):
    workload = prefix_workload(length)
    best = strategy_errors(optimal_strategy(workload), workload).rms
    root_rms = strategy_errors(root_strategy(length), workload).rms
    bound = np.linalg.svd(workload, compute_uv=False).sum() / length
    above = f"square root {root_rms:.4f}, {root_rms / best - 1:.1%} above the best"
    print(f"T = {length}: bound {bound:.4f}, best {best:.4f}, {above}")

# %% [markdown]
# The square root is a few per cent above the best, but each step needs all earlier noises. *Buffered linear Toeplitz* matrices
# (BLT) come nearly as close with two to five buffers that decay (McMahan and others 2024).
#
# ## A person comes back
#
# A training goes through the data several times, and each person is used once in each pass. Then a person moves $Cx$ along
# $k$ columns at once. If $C$ has no negative entry, the sensitivity is the length of their sum. The rule for who may
# be used when is called the *participation schema*. If no two of the columns have an entry in the same row, their
# squared lengths add up. Then the sensitivity is at most $\sqrt k$ times the longest column. If columns overlap, it is
# more than these squares say. If uses may be further apart than they must, all sets of steps that are allowed count.
# For the square root, the earliest uses are the worst.

# %% jupyter={"source_hidden": true}
# Figure: the columns that one record moves, added up, for k uses at fixed distances
schemas = {
    "independent": np.eye(T),
    "tree": tree_strategy(T),
    "square root": root_strategy(T),
    "8 bands": root_strategy(T, bands=8),
}
fig, ax = figure(height=3.0)
moved_lines = curves(ax, times, {"one use": "grey", "all uses": "noisy"})
x_axis(ax, "entry of C x", (0, T + 1))
y_axis(ax, "moved by", (0, 4.2))
moved_verdict = verdict_text(ax)
legend_above(fig)


def coming_back(uses, apart, kind):
    strategy = schemas[kind]
    schema = {"participations": uses, "separation": apart, "fixed": True}
    one, all_uses = strategy_sensitivity(strategy), strategy_sensitivity(strategy, **schema)
    rooted = gaussian_epsilon(all_uses, unit * math.sqrt(uses) * one, DELTA)
    set_curves(moved_lines, [strategy[:, 0], strategy[:, : uses * apart : apart].sum(axis=1)])
    words = f"sensitivity {all_uses:.2f}: {all_uses / one:.2f} times one use"
    set_verdict_text(moved_verdict, None, words)
    times_one = f"uses: {uses}, {apart} apart: {all_uses / one:.2f} times"
    return f"{times_one}; with noise for the root of {uses}, epsilon 1 is truly {rooted:.3f}"


live(
    fig,
    coming_back,
    "The first column of the strategy, and the sum of the columns at the times of use: with "
    "the square root the columns overlap and add up.",
    task="find the least distance at which 8 bands pay only the root of the uses.",
    guess=predict(
        "Square root, four uses 4 steps apart: how many times the sensitivity of one use?",
        (1, 4),
        r": ([\d.]+) times",
        uses=4,
        apart=4,
        kind="square root",
    ),
    uses=slider(1, 4, 2),
    apart=slider(1, 16, 8, label="steps apart"),
    kind=choice(list(schemas), "square root"),
)

# %% [markdown]
# [Bands of 8, used 8 apart](#move:uses=4&apart=8&kind=8%20bands) never meet. [The square root](#move:uses=4&apart=8&kind=square%20root)
# always does. Four passes of 64 steps, with the true epsilon of two accounts that claim 1:

# %%
PASSES = {"participations": 4, "separation": 64, "fixed": True}
for name, strategy in (
    ("independent", np.eye(256)),
    ("tree", tree_strategy(256)),
    ("a new tree each pass", np.kron(np.eye(4), tree_strategy(64))),
    ("square root", root_strategy(256)),
    ("a new root each pass", np.kron(np.eye(4), root_strategy(64))),
    ("root, 64 bands", root_strategy(256, bands=64)),
):
    found = strategy_errors(strategy, prefix_workload(256), **PASSES)
    wrong = [unit * factor * strategy_sensitivity(strategy) for factor in (1, 2)]
    once, rooted = (gaussian_epsilon(found.sensitivity, scale, DELTA) for scale in wrong)
    claims = f"noise for one use {once:.2f}, for the root of 4 {rooted:.2f}"
    print(f"{name:21} rms {found.rms:5.2f}, largest {found.largest:5.2f}; {claims}")

# %% [markdown]
# A **restart** begins a new strategy, with fresh noise, in each pass. Here it helps the tree and hurts the root. The noise must be
# fresh: with the same seed, the difference of two passes has no noise at all.
#
# **Momentum** is post-processing of the same releases, so it costs no privacy. The sensitivity is still that of $C$, and
# gradients are clipped, not their momentum. Only the workload changes, to $W$. With momentum $m$ its power series is $1/((1 -
# x)(1 - mx))$. So its root is the root of $A$ times a second matrix: the same root, with coefficient $k$ times $m^k$:


# %%
def momentum_root(steps, momentum):
    """The square root of W: C C = W."""
    lags = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps)))
    return root_strategy(steps) @ (root_strategy(steps) * momentum**lags)


for length in (256, 64):
    heavy = momentum_workload(length, 0.9)
    rivals = {name: makers[name](length) for name in ("independent", "tree", "square root")}
    rivals["root of W"] = momentum_root(length, 0.9)
    if length == 64:
        rivals["best"] = optimal_strategy(heavy, rounds=1_000)
    found = [f"{name} {strategy_errors(one, heavy).rms:.2f}" for name, one in rivals.items()]
    print(f"momentum 0.9, T = {length}, rms: {', '.join(found)}")

# %% [markdown]
# Here the root of $W$ has a smaller error than the root of $A$. At $T = 64$ it is within a tenth of the smallest there is.
#
# ## Bands: little memory, and coins again
#
# The square root remembers all earlier noises: each is as large as the model. There are two ways to remember $b - 1$ of them.
# Keep $b$ bands of $C$, and a step needs the last $b - 1$ noises. Or keep $b$ bands of $C^{-1}$, and it needs the last $b - 1$
# draws. At $T = 256$:


# %%
def cut_inverse(bands):
    """The strategy whose inverse is that of the root, cut to so many bands."""
    return np.tril(np.linalg.inv(np.triu(np.linalg.inv(root), 1 - bands)))


for bands in (1, 4, 16, 64, 128, 256):
    pair = root_strategy(256, bands=bands), cut_inverse(bands)
    once = [strategy_errors(one, prefix_workload(256)).rms for one in pair]
    four = [strategy_errors(one, prefix_workload(256), **PASSES).rms for one in pair]
    passes = f"four passes {four[0]:5.2f} (C), {four[1]:5.2f} (inverse)"
    print(
        f"{bands:3} bands, rms: one use {once[0]:6.3f} (C), {once[1]:6.3f} (inverse); {passes}"
    )

# %% [markdown]
# With 4 or 16 bands it is better to cut the inverse (after Kalinin, McKenna, Upadhyay and Lampert 2025). For four passes 64
# bands of $C$ are best. A pass has 64 steps, so these are the most bands with which the columns do not meet. And for one use 128
# bands beat 256: the shorter column saves more than the missing memory costs.
#
# DP-SGD tosses a coin for each record at each step, and that hides who took part ([26](26_gradients.ipynb)). A fixed order has no
# such coins, and may not use their account. With $b$ bands one can have memory and coins. Put each record in one of
# $b$ groups, by a coin of its own. Step $t$ takes each record of group $t \bmod b$ with probability $bq \le 1$.
#
# > **Theorem 30.3 (bands with coins; Choquette-Choo and others 2023b).** Let $C$ have $b$ bands. Under add/remove such a training
# > is at least as private as DP-SGD with $\lceil T/b \rceil$ steps, a sampling rate of $bq$ and noise in units of the longest
# > column of $C$.
#
# <details><summary>Proof idea: the steps of one group do not overlap.</summary>
#
# The steps of a group are $b$ apart, and a column of $C$ has entries in $b$ rows only. So the columns of a group's steps have no
# row in common. Seen from one record, $Cx + z$ falls into at most $\lceil T/b \rceil$ separate pieces. In each piece the record
# takes part by one coin, and moves it by one column: a step of DP-SGD. This holds for each group, so it also holds when the
# group is drawn. $\square$
#
# </details>

# %%
show_source(banded_multiplier)

# %% [markdown]
# Two accounts are wrong. One takes DP-SGD's noise for a fixed order with four uses. The other takes $q$ for $bq$, with four
# bands. Both claim epsilon 1 for 400 steps with $q = 0.01$:

# %%
coins = banded_multiplier(1, 400, 0.01, 1.0, DELTA)
print(f"no coins, the noise of coins: true epsilon {gaussian_epsilon(2, coins, DELTA):.2f}")
rare = banded_multiplier(1, 100, 0.01, 1.0, DELTA)  # 400 / 4 steps of a group
group = Recipe(regularisation=0.0, steps=100, sampling=4 * 0.01, step_size=1.0, norm=1.0)
print(f"q for 4 q: epsilon by the right account {training_epsilon(group, rare, DELTA):.2f}")

# %% jupyter={"source_hidden": true}
# Figure: rms over bands with coins for six epsilons, 42 multipliers, beside a fixed order
BANDS, EPSILONS, LONG = [1, 2, 4, 8, 16, 32, 64], [0.5, 1.0, 2.0, 4.0, 8.0, 16.0], 400
workload, coin_rms = prefix_workload(LONG), {}
banded_rms = [strategy_errors(root_strategy(LONG, bands=b), workload).rms for b in BANDS]
for e in EPSILONS:
    multipliers = [banded_multiplier(b, LONG, 0.01, e, DELTA) for b in BANDS]
    coin_rms[e] = np.multiply(multipliers, banded_rms)
ORDER = {"participations": 4, "separation": 100, "fixed": True}
order_rms = strategy_errors(root_strategy(LONG, bands=100), workload, **ORDER).rms
fig, ax = figure(height=3.0)
coin_looks = {"bands with coins": "noisy o-", "fixed order, 100 bands": "other --"}
coin_lines = curves(ax, BANDS, coin_looks)
x_axis(ax, "bands b (log scale)", (0.9, 70), BANDS, log=True)
y_axis(ax, "rms error (items)", (2, 80), [2, 5, 10, 20, 50], log=True)
coin_verdict = verdict_text(ax)
legend_above(fig)


def bands_and_coins(epsilon):
    rms, order = coin_rms[epsilon], gaussian_scale(1, epsilon, DELTA) * order_rms
    set_curves(coin_lines, [rms, order])
    best = BANDS[int(np.argmin(rms))]
    winner = "coins win" if min(rms) < order else "the fixed order wins"
    set_verdict_text(coin_verdict, None, winner)
    return f"with coins best at b = {best}: {min(rms):.3g}; fixed order {order:.3g}"


live(
    fig,
    bands_and_coins,
    "The rms error against the number of bands, with coins, and a line for a fixed order. "
    "At small epsilon few bands are best; at large epsilon the fixed order wins.",
    task="from which epsilon on does the fixed order win?",
    guess=predict(
        "At epsilon 0.5, with coins: how many bands are best?",
        ["1", "2", "4", "16"],
        lambda caption: caption.split(" at b = ")[1].split(":")[0],
        epsilon=0.5,
    ),
    epsilon=choice(EPSILONS, 1.0),
)

# %% [markdown]
# ## DP-FTRL beside DP-SGD
#
# **DP-FTRL** (*follow the regularised leader*) is gradient descent with such noise, with batches in a fixed order and without
# coins. Nobody can draw a random sample of all telephones, because many are switched off. But a server can make sure that each
# is used at most once in $b$ rounds.

# %%
show_source(dp_ftrl)

# %% [markdown]
# A record's batch number is its own: it does not depend on who else is there. (By place in a list, removing one
# record would move all that follow.) The race has four passes in 400 steps, over 5,000 women or 700 voters. The others are
# held out. Each point is a median of 20 models, and ± means a standard error. The best step size is *chosen on those held
# out*, who are then treated as public.

# %% jupyter={"source_hidden": true}
# Figure: accuracy on people held out by steps, from 30_correlated.json (papers/correlated.py)
raced = json.loads(pathlib.Path("30_correlated.json").read_text(encoding="utf-8"))
RIVALS = {row["survey"]: row for row in raced["rivals"]}
TURNS = range(0, 401, 40)
RACE = {}
for row in raced["race"]:
    path = [row[f"step {turn}_median"] for turn in TURNS]
    ended = path, 1.25 * row["step 400_error"]  # of a median: sqrt(pi / 2) the mean's
    RACE.setdefault((row["survey"], row["epsilon"], row["method"]), {})[row["pull"]] = ended
COINS = "DP-SGD with coins"
racers = {"independent": "grey", "square root": "noisy", "100 bands": "third"}
racers[COINS] = "other --"
fig, race_ax = figure(height=3.0)
race_lines = curves(race_ax, TURNS, racers, linewidth=2)
level_lines = [race_ax.plot([0, 400], [0, 0], ":", color=COLOURS.true)[0] for _ in range(2)]
x_axis(race_ax, "step", (0, 400))
y_axis(race_ax, "accuracy", (0.5, 0.92))
race_verdict = verdict_text(race_ax)
PULLS = {"the best": None, "0.003": 0.003, "0.03": 0.03, "0.3": 0.3}
legend_above(fig, 4)


def race(survey, epsilon, size):
    found = [RACE[survey, epsilon, name] for name in racers]
    chosen = [one[size or max(one, key=lambda pull: one[pull][0][-1])] for one in found]
    set_curves(race_lines, [path for path, _ in chosen])
    named = zip(racers, chosen, strict=True)
    ends = {name: (path[-1], error) for name, (path, error) in named}
    for line, name in zip(level_lines, ("majority", "no noise"), strict=True):
        line.set_ydata([RIVALS[survey][f"{name}_median"]] * 2)
    most_right = max(right for right, _ in ends.values())
    best = ", ".join(name for name, (right, _) in ends.items() if right == most_right)
    told = {name: f"{right:.3f} ± {error:.3f}" for name, (right, error) in ends.items()}
    words = f"independent {told['independent']}, square root {told['square root']}"
    set_verdict_text(race_verdict, None, words)
    quiet, most = (RIVALS[survey][f"{name}_median"] for name in ("no noise", "majority"))
    words = f"at epsilon {epsilon:g} {words}, {COINS} {told[COINS]}; highest median: {best}"
    return f"{survey}: majority {most:.3f}, no noise {quiet:.3f}; {words}"


live(
    fig,
    race,
    "Accuracy against steps, four lines, and two dotted ones: the majority, and no noise. At "
    "epsilon 0.5, with the best step sizes, independent noise in a fixed order is last.",
    task="where does noise that remembers win, and where does it change nothing?",
    guess=predict(
        "700 voters, epsilon 0.5: what accuracy has independent noise, if no noise reaches "
        "0.898?",
        (0.5, 0.9),
        r"independent ([\d.]+) ±",
        survey="election",
        epsilon=0.5,
        size=None,
    ),
    survey=choice(["survey", "election"], "election", label="people"),
    epsilon=choice([0.5, 2.0, 8.0], 0.5),
    size=choice(PULLS, None, label="step size"),
)

# %% [markdown]
# These are medians, but you train one model, and the noise decides which. Here are 200 models of the 700 voters at epsilon 0.5,
# each method with the step size that is best above:

# %% jupyter={"source_hidden": true}
# Computed: 200 models by each method, with dp_ftrl(features, labels, batches, 100, recipe, C, ...)
voters, shuffled = election_prediction(), np.random.default_rng(30).permutation(944)
answers = voters.answers[shuffled]
features = unit_ball(voters.features, voters.bounds)[shuffled]
out, kept = slice(244), slice(244, None)
training = features[kept], answers[kept]
batches = np.random.default_rng(31).integers(100, size=700)
racing = {"independent": np.eye(LONG), "square root": root_strategy(LONG)}
racing |= {"100 bands": root_strategy(LONG, bands=100), COINS: None}
for name, strategy in racing.items():
    last = {size: path[-1] for size, (path, _) in RACE["election", 0.5, name].items()}
    step = max(last, key=last.get) * 5_000 / 700  # the table's step sizes are for 5,000 people
    rng = np.random.default_rng(32)
    if strategy is None:
        recipe = Recipe(1.0, LONG, 0.01, step / 100, 0.5)
        many = dp_sgd(*training, recipe, 0.5, DELTA, rng, models=200)
    else:
        recipe = Recipe(0.01, LONG, 1.0, step, 0.5)
        many = dp_ftrl(*training, batches, 100, recipe, strategy, 0.5, DELTA, rng, models=200)
    right = np.mean(answers[out] * (many.weights @ features[out].T) > 0, axis=1)
    middle = f"{np.median(right):.3f} ± {1.25 * np.std(right) / math.sqrt(200):.3f}"
    print(f"{name:17} median {middle}; one model in ten below {np.quantile(right, 0.1):.2f}")

# %% [markdown]
# The median hides the risk. With independent noise one model in ten is right for fewer than three voters in four. With memory
# or coins, it is still right for more than eight in ten.
#
# "DP-FTRL beats DP-SGD" is not what we see. With the best step sizes, DP-SGD with coins is nowhere behind by a standard
# error. In the same fixed order, noise that remembers is ahead of independent noise or level with it. It wins by far
# for [few people and a small epsilon](#move:survey=election&epsilon=0.5), and by less than a standard
# error for [many and a large one](#move:survey=survey&epsilon=8).
#
# ## On your own
#
# A hint and an answer for each: [exercises/answers/30_correlated](../exercises/answers/30_correlated.ipynb).
#
# **Assignment 30:** [five tasks, checked in a second](../exercises/releases/30_correlated.ipynb).
#
# 1. *Warm-up.* From which $T$ on is the tree better than independent noise, in both errors?
# 2. Draw the noise of 64 steps 10,000 times, with `root_strategy(64)` and scale 1. What are the standard deviations of the last
#    step's noise and of the last total's? Compare independent noise.
# 3. Four passes of 16 steps: is a restart of the tree better, and a restart of the root?
# 4. With coins, $T = 400$ and $q = 0.01$: how many bands are best at epsilon 2?
# 5. *Challenge.* After a restart somebody uses the same seed. What do two passes tell about an item that
#    changed in between?
#
# ## When to use it, and when not
#
# - **Use it** for many totals that are published as they grow, and for trainings whose order is fixed. Up to 46
#   totals pure Laplace noise on each item has a smaller largest error than the square root (at $\varepsilon = 1$,
#   $\delta = 10^{-6}$).
# - **Bands** no wider than a pass when people come back; the square root when each comes once.
# - **Coins** where you may toss them, and epsilon is small. Then cut $C$. With very little memory and no coins, cut $C^{-1}$.
# - **In production:** the library `jax-privacy` has banded and buffered strategies, fitted to a training.
# - **Not** for one total at the end: one Gaussian release is enough.
# - **Left out:** sliding windows, fitting BLT, the best $C$ for many uses, coins with dense strategies.
#
# ## Sources
#
# - Li, Hay, Rastogi, Miklau, McGregor, *Optimizing linear counting queries*, 2010, doi:10.1145/1807085.1807104.
# - Dwork, Naor, Pitassi, Rothblum, 2010, doi:10.1145/1806689.1806787. Chan, Shi, Song, 2011,
#   doi:10.1145/2043621.2043626.
# - Kairouz and others, *Practical and private (deep) learning without sampling or shuffling*, 2021, arXiv 2103.00039.
# - Denisov, McMahan, Rush, Smith, Thakurta, 2022, arXiv 2202.08312. Fichtenberger, Henzinger, Upadhyay, 2023, arXiv
#   2202.11205. Henzinger, Upadhyay, Upadhyay, 2023, arXiv 2211.05006.
# - Choquette-Choo and others, 2023, arXiv 2211.06530 (many uses) and arXiv 2306.08153 (bands and coins).
# - Kalinin, Lampert, 2024, arXiv 2405.13763. Kalinin, McKenna, Upadhyay, Lampert, 2025, arXiv 2505.12128 (the inverse cut).
# - Honaker, *Efficient use of differentially private binary trees*, 2015.
# - Xu and others, 2023, arXiv 2305.18465 (Gboard). McMahan and others, 2024, arXiv 2408.08868 (BLT).
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [29 Without a curator](29_parties.ipynb) · **Next:** [31 What a model remembers, and how to test it](31_memory.ipynb)
