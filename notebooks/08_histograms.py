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
# # 08 Histograms that answer ranges
#
# "How many people saw a doctor between 5 and 20 times?" A histogram answers every such *range query* from counts that
# are released once, with noise; this page finds out which counts to release.
#
# <details><summary>About 35 minutes, after 03: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [07 Local privacy: randomized response](07_local.ipynb) · **Next:** [09 Partitions: where do the cells come from?](09_partitions.ipynb)
#
# **Assignment 08:** [five tasks, checked in a second](../exercises/releases/08_histograms.ipynb)
#
# **You will** see why noise on the bins adds up along a range, and which nodes of a tree of counts answer it. You will
# choose the tree's branching factor by an exact formula, and make all its counts agree, which costs nothing. You will
# compare flat, tree and Haar for up to 65,536 bins, and see when a plain histogram wins.
#
# **You need** the Laplace mechanism ([03](03_laplace.ipynb)), and variances of sums of independent numbers.
#
# **Time:** about 35 minutes. A good place to stop is before *Shares of the budget*.
#
# **Real and synthetic:** the doctor visits are real records (RAND health insurance experiment). The net trace is a
# *synthetic* stand-in with 65,536 bins.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import itertools
from functools import cache

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba

from dpbook import data
from dpbook.amounts import counted
from dpbook.histograms import (
    hierarchical_counts,
    level_sizes,
    range_nodes,
    sum_leaves,
    sum_nodes,
)
from dpbook.live import choice, live, slider
from dpbook.plots import COLOURS, figure, set_verdict_text, verdict_text, x_axis, y_axis

# %% jupyter={"source_hidden": true}
# Figure: hierarchical_counts(capped, b, 1, rng), and the blocks that range_nodes adds up
WIDE = 64
visits = data.health_insurance()["mdvis"]
capped = np.bincount(np.minimum(visits.values, WIDE - 1), minlength=WIDE)
fig, ax = figure(height=2.5)
empty = [[(0, 0), (1, 0), (1, 1)]]
tree = ax.add_collection(PolyCollection(empty, edgecolors="white", linewidths=0.8))
ax.spines["left"].set_visible(False)
tree_told = verdict_text(ax)
ends = [ax.axvline(x, color=COLOURS.other, linewidth=2) for x in (0, 1)]
look = {"ha": "center", "va": "center", "color": "white", "size": 8}
labels = [ax.text(0, 0, "", **look) for _ in range(20)]
x_axis(ax, "visits to a doctor in the year (63: 63 or more)", (0, WIDE))
y_axis(ax, "single bins below,\nlarger blocks above", (0, 1), [])


@cache
def blocks(b):
    """One rectangle (left, bottom, right, top) a node, leaves first, a row for each level."""
    sizes = level_sizes(WIDE, b)
    every = [(level, node) for level, size in enumerate(sizes) for node in range(size)]
    level, node = np.array(every).T
    left, right = node * b**level, np.minimum((node + 1) * b**level, WIDE)
    return np.column_stack([left, level / len(sizes), right, (level + 0.9) / len(sizes)])


def update(first, last, b):
    first, last = sorted((first, last))
    levels = hierarchical_counts(capped, b, 1, np.random.default_rng(1))
    noisy, corners = np.concatenate(levels), blocks(b)
    lit, length = range_nodes(first, last + 1, b, len(levels), WIDE), last + 1 - first
    starts = np.cumsum([0, *level_sizes(WIDE, b)])
    places = [starts[level] + node for level, node in lit]
    tree.set_verts([[(x, y), (xx, y), (xx, yy), (x, yy)] for x, y, xx, yy in corners])
    faces = np.tile(to_rgba(COLOURS.pale), (starts[-1], 1))
    faces[places] = to_rgba(COLOURS.noisy)
    tree.set_facecolors(faces)
    for line, x in zip(ends, (first, last + 1), strict=True):
        line.set_xdata([x, x])
    labelled = [place for place in places if corners[place, 2] - corners[place, 0] >= 4]
    for label, place in itertools.zip_longest(labels, labelled, fillvalue=0):
        label.set_text(f"{round(noisy[place]):,}" if place else "")
        label.set_position((corners[place, :2] + corners[place, 2:]) / 2)
    answer, truth = sum_nodes(levels, first, last + 1, b), sum_leaves(capped, first, last + 1)
    added = counted(len(lit), "block") if len(lit) < length else "single bins"
    told = f"{counted(round(answer), 'record')} (true: {truth:,.0f}), from {added}"
    asked = counted(first, "visit") if first == last else f"{first} to {last} visits"
    set_verdict_text(tree_told, None, f"{asked}: {told}")
    units = counted(len(lit) * len(levels) ** 2, "unit")
    return (
        f"Tree: {counted(len(lit), 'node')}, height {len(levels)}, variance {len(lit)} × "
        f"{len(levels)}² = {units}; flat histogram {counted(length, 'unit')} (of 2/ε², ε = 1)"
    )


live(
    fig,
    update,
    "A tree of counts drawn as rows of blocks over 64 bins, single bins at the bottom. The "
    "fewest blocks that make up the range between two vertical lines are dark; large ones "
    "show their noisy count.",
    task="drag *to* and watch small blocks give way to large ones.",
    play="last",
    first=slider(0, WIDE - 1, 5, label="from"),
    last=slider(0, WIDE - 1, 20, label="to"),
    b=choice([2, 3, 4, 8, 16, 64], 2, label="b, blocks that merge"),
)

# %% [markdown]
# A large block replaces many bins, so fewer noisy numbers are added up. Try [all but the first and the last
# bin](#move:first=1&last=62&b=2), the range that needs most blocks. Then see [blocks of eight](#move:first=5&last=20&b=8) and
# [no blocks at all](#move:first=5&last=20&b=64). The line below the picture shows the price. Every level of the tree costs
# part of the budget, so each single count has more noise.
#
# ## The data and the question
#
# A record is one person in one year, with the number of visits to a doctor. The bins must be public. So they are all
# numbers that are possible, 0 to 365, and do not end at the largest number in the data.

# %%

bins = visits.bounds[1] + 1
counts = np.bincount(visits.values, minlength=bins)
print(visits.describe())
print(f"{bins} bins, {counts.sum():,} records, {np.sum(counts == 0)} bins are empty")
print(f"records with 5 to 20 visits: {counts[5:21].sum():,}")

# %% [markdown]
# Li, Lyu, Su and Yang (2016; *the textbook*) call bins *dense* if the true counts stand out from the noise. This page
# follows their methods for dense bins. Where bins are sparse, or nobody can list them, one must first find the bins
# ([09](09_partitions.ipynb), [20](20_alp.ipynb)). On this page errors are means over the noise and over all ranges;
# they do not depend on the data.
#
# > **Definition 8.1 (ranges and their error).** Let there be $m$ bins. A range is a run of consecutive bins. Neighbours
# > are two datasets of which one has **one record more** (add/remove). The unit of errors is
# > $$V_u = 2/\varepsilon^2,$$
# > the variance of one count with Laplace noise of scale $1/\varepsilon$. The *mean squared absolute
# > error*, MSAE, is the mean over all $m (m+1)/2$ ranges of the expected squared difference from the true answer.
#
# ## A naive attempt: noise on every range
#
# Answer all ranges, each with its own noise. One record in bin $u$ (from 0) is counted by every range that holds $u$:
# there are $(u+1)(m-u)$ of them. The sensitivity of the whole list is the largest of these numbers.

# %%
u = np.arange(bins)
ranges_with_u = (u + 1) * (bins - u)
print(f"ranges: {bins * (bins + 1) // 2:,}; sensitivity: {ranges_with_u.max():,}")
print(
    f"noise scale at epsilon 1: {ranges_with_u.max():,} records, on counts of at most "
    f"{counts.sum():,}"
)
assert ranges_with_u.max() > counts.sum()

# %% [markdown]
# The noise is larger than the whole dataset. Ranges overlap, so a record pays for every range that holds it. Bins do
# not overlap.
#
# ## The flat histogram
#
# > **Proposition 8.2 (flat histogram).** To release each bin with Laplace noise of scale $1/\varepsilon$ is
# > $\varepsilon$-DP. A range of $r$ bins, summed from it, has the variance $r\, V_u$.
#
# <details><summary>Proof: a record is in one bin, and variances of independent noises add up.</summary>
#
# A record is in one bin, so the sensitivity of all $m$ counts together is 1. Sums of released counts are
# post-processing, and $r$ independent noises add up their variances. $\square$
#
# </details>

# %% jupyter={"source_hidden": true}
# What the next sections import
import math

from dpbook.guesses import predict
from dpbook.histograms import flat_error, flat_histogram, squared_error, tree_counts
from dpbook.live import log_slider, new_noise, show_source, span
from dpbook.plots import curves, legend_above, marked_range, set_curves, set_steps, steps

# %%
show_source(flat_histogram)


# %% jupyter={"source_hidden": true}
# Figure: flat_histogram(counts, epsilon, rng), and the error of every sum of its bars
def over_a_walk():
    """A thin strip for the histogram, and below it a picture for the errors of its sums."""
    fig, (strip, walks) = figure(rows=2, height=3.8, sharex=True, height_ratios=[1, 3])
    strip.set_yscale("symlog", linthresh=10)
    steps(strip, counts, COLOURS.true, label="true")
    released = steps(strip, counts, COLOURS.noisy, label="released")
    y_axis(strip, "records\n(log)", (-60, 10_000), {0: "0", 100: "100", 10_000: "10,000"})
    x_axis(walks, "x, visits in the year", (0, bins))
    y_axis(walks, 'error of "at most x", records', (-100, 100), [-100, -50, 0, 50, 100])
    walks.axhline(0, color=COLOURS.grey, linewidth=0.8)
    return fig, strip, walks, released


fig, strip, walks, noisy_steps = over_a_walk()
look = {"color": COLOURS.amber, "alpha": 0.3}
marked = [marked_range(strip, 5, 41, **look), marked_range(walks, 5, 41, **look)]
walk = steps(walks, np.zeros(bins), COLOURS.third, label="error")
spread = curves(walks, u, {"± its standard deviation": "other --", "": "other --"})
range_told = verdict_text(strip)
legend_above(fig, 5)


def update(between, epsilon, seed):
    first, last = between
    noisy = flat_histogram(counts, epsilon, np.random.default_rng(seed))
    set_steps(noisy_steps, noisy)
    set_steps(walk, np.cumsum(noisy - counts))
    deviations = np.sqrt(2 * (u + 1)) / epsilon
    set_curves(spread, [deviations, -deviations])
    for span_of_bins in marked:
        span_of_bins.set(x=first, width=last + 1 - first)
    truth, answer = (sum_leaves(histogram, first, last + 1) for histogram in (counts, noisy))
    reach = deviations[last - first]
    told = f"true {truth:,.0f}, released {round(answer):,}, give or take {reach:,.3g}"
    set_verdict_text(range_told, None, told)
    asked = counted(first, "visit") if first == last else f"{first} to {last} visits"
    return (
        f"{asked}, {counted(last + 1 - first, 'bin')}: true {truth:,.0f}, "
        f"released {answer:,.1f} records; standard deviation of the error {reach:.1f}"
    )


question = "The range of all 366 bins, epsilon 1: what is the standard deviation of its error?"
live(
    fig,
    update,
    "A thin strip with the true and the released histogram of doctor visits. Below, the "
    "error of the released number of records with at most x visits, which wanders off as x "
    "grows, beside lines at plus and minus its standard deviation.",
    task="widen the shaded range to the right, far into the empty bins: the true answer "
    "hardly changes, the released one does. Then press *New noise* a few times: the error "
    "walks away from zero, because every further bin adds its own noise.",
    guess=predict(question, (1, 300, " records"), r"error ([\d.]+)$", between=(0, 365)),
    between=span(0, 365, (5, 40), label="visits, from and to"),
    epsilon=log_slider(0.3, 10, 1.0),
    seed=new_noise(1),
)

# %% [markdown]
# ## The error of a flat range
#
# The mean length of a range is $(m+2)/3$, and so is the MSAE of the flat histogram, in units of $V_u$.
#
# The mean *absolute* error of a range of $r$ bins is often given as $\sqrt r/\varepsilon$, which is right for one bin
# only (erratum [E14](22_errata.ipynb#E14)). The exact value is $2r\binom{2r}{r}4^{-r}/\varepsilon$, which tends to
# $(2/\sqrt\pi)\,\sqrt r/\varepsilon$.

# %% jupyter={"source_hidden": true}
# Computed: the error of all ranges, by definition and in one pass over prefix sums
left, right = np.triu_indices(bins)
right = right + 1
noisy = flat_histogram(counts, 1, np.random.default_rng(1))
misses = sum_leaves(noisy, left, right) - sum_leaves(counts, left, right)
print(
    f"mean length of the {left.size:,} ranges: {np.mean(right - left):.3f}; (m + 2)/3 = "
    f"{flat_error(bins):.3f}"
)
print(f"mean squared error of one release: {np.mean(misses**2) / 2:.3f} V_u, range by range,")
print(f"and {squared_error(noisy, counts) / 2:.3f} V_u, in one pass over prefix sums")

# %% jupyter={"source_hidden": true}
# Computed: the mean absolute error of a range, by the square root, exactly, and drawn
rng = np.random.default_rng(2)
for r in (1, 4, 16, 64):
    exact = 2 * r * math.comb(2 * r, r) / 4**r
    drawn = np.abs(rng.laplace(size=(40_000, r)).sum(axis=1)).mean()
    print(
        f"r = {r:>2}: mean absolute error by the root {math.sqrt(r):5.3f}, exact "
        f"{exact:5.3f}, of 40,000 draws {drawn:4.2f}"
    )
print(f"the root is too small, for long ranges, by a factor of {2 / math.sqrt(math.pi):.3f}")

# %% [markdown]
# ## The idea: a tree of counts
#
# Release larger blocks too: blocks of $b$ consecutive bins, of $b^2$, and so on. This is a tree in which every node
# counts the records under it, with *branching factor* $b$. A long range then consists of a few large blocks. Below is
# the tree with $b = 2$ over eight bins, leaves first, and what one more record in bin 5 changes.
#
# The total, the root, is *not* released: it would cost one more level, and it answers a single query. The
# *height* $h$ counts the released levels (erratum [E16](22_errata.ipynb#E16)).

# %%
few = counts[2:10]
one_more = few + (np.arange(8) == 5)
for level, (nodes, after) in enumerate(
    zip(tree_counts(few, 2), tree_counts(one_more, 2), strict=True)
):
    print(
        f"level {level}: {nodes.astype(int)}, one more record moves it by "
        f"{np.abs(after - nodes).sum():.0f}"
    )
print("height:", len(level_sizes(8, 2)))

# %% [markdown]
# > **Theorem 8.3 (tree of counts; Hay, Rastogi, Miklau, Suciu, 2010).** A tree of height $h$ in which every node has
# > Laplace noise of scale $h/\varepsilon$, and so the variance $h^2 V_u$, is $\varepsilon$-DP.
#
# <details><summary>Proof: a record is counted once on each level.</summary>
#
# So the L1 sensitivity of the whole tree is $h$. (The log ratio of the densities reaches $h \cdot \varepsilon/h$.)
# $\square$
#
# </details>

# %%
show_source(hierarchical_counts)

# %% [markdown]
# Any number of bins and any $b \ge 2$ will do. Where the bins do not fill the tree, its last nodes are smaller.
#
# ## Which nodes answer a range
#
# The fewest that make it up: large blocks where they fit, and smaller ones at both ends. Each level but the top one
# needs at most $b - 1$ nodes at either end, the top one $b - 2$ between them. So in a full tree ($m = b^h$) the worst
# range needs $2(b-1)(h-1) + b - 2$ nodes (or $b$, if that is more).

# %% jupyter={"source_hidden": true}
# Computed: the nodes of one range, and the most that any range needs
print(f"366 bins: nodes per level with b = 8: {level_sizes(366, 8)}", end=" ")
print(f"  with b = 20: {level_sizes(366, 20)}")
print("(level, node):", range_nodes(1, 5, branching=2, height=3))
for b, h in ((2, 5), (4, 3), (10, 3)):
    starts, stops = np.triu_indices(b**h)
    most = sum_nodes(
        [np.ones(size) for size in level_sizes(b**h, b)], starts, stops + 1, b
    ).max()  # a tree of ones
    print(
        f"{b**h:>5} bins, b = {b:>2}: the worst range needs {most:.0f} nodes: "
        f"{most * h**2:.0f} V_u; flat {b**h} V_u"
    )
    assert most == max(2 * (b - 1) * (h - 1) + b - 2, b)
starts, stops = np.triu_indices(64)
nodes = sum_nodes([np.ones(size) for size in level_sizes(64, 2)], starts, stops + 1, 2)
dearer = 36 * nodes / (stops + 1 - starts)
print(
    f"   64 bins, b =  2: every range has {dearer.min():.3f} to {dearer.max():.0f} times the "
    "variance of flat"
)
print(
    "a float logarithm makes 125 bins with b = 5 a tree of height "
    f"{math.ceil(math.log(125, 5))}",
    end="; ",
)
print(f"counting makes it {len(level_sizes(125, 5))}")

# %% [markdown]
# At 64 bins every range has a larger error with the binary tree: few nodes, but each with $h^2$ times the variance.
# With more bins the tree wins: its error grows like $\log^3 m$ ($h^2$ times the nodes), that of flat like $m$.
#
# ## How many nodes, exactly
#
# A node is used by the ranges that hold it and do not hold its parent. Counting these ranges gives the average number of
# nodes on each level, for any tree. Roughly, a level needs $(b-1)/2$ nodes at either end of a range, so $b - 1$ nodes.
# Near the top it needs fewer.

# %% jupyter={"source_hidden": true}
# What the next sections import
from fractions import Fraction

import pandas as pd
from scipy.optimize import brentq

from dpbook.amounts import amount
from dpbook.histograms import (
    approximate_error,
    average_error,
    average_nodes,
    best_branching,
    constrained_inference,
    haar_error,
    inferred_error,
    siblings,
)
from dpbook.plots import own_point, set_own_point

# %%
for b in (2, 16):
    print(f"65,536 bins, b = {b}, nodes used on each level, leaves first:")
    print("   ", *(f"{used:.2f}" for used in average_nodes(65_536, b)))
show_source(average_nodes)

# %% [markdown]
# > **Theorem 8.4 (error of a full tree; after Qardaji, Yang, Li, 2013).** With equal shares of the budget and $m = b^h$
# > the MSAE is
# > $$h^2\,\frac{m}{m+1}\Big[(b-1)h-\tfrac23(b+1)+\frac{2(b-1)h+\frac23(b+1)}{m}+\frac{2b}{m^2}\Big]\,V_u .$$
#
# <details><summary>Side result: the textbook keeps the large terms only, and for small trees they are negative.</summary>
#
# The exact error is $h^2$ times the sum of the average numbers of nodes; the cell below computes it so. The textbook's
# large terms are $\big((b-1)h^3-\frac23(b+1)h^2\big)V_u$ (4.3). Its Lemma 4.1 has the same between brackets, with a
# remainder of the order of $bh/m$; but what is left out there is of the order of $b h^3/m$ (erratum
# [E15](22_errata.ipynb#E15)). For two bins the large terms are $-1$, for four ($b = 2$) they are 0; no error can be
# that.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: the exact error of full trees, the textbook's large terms, and what they leave out
rows = []
for b, h in ((2, 1), (2, 2), (2, 3), (2, 10), (4, 3), (16, 2), (16, 4), (256, 2)):
    m = b**h
    error, large = average_error(m, b), approximate_error(m, b)
    left_over = error * (m + 1) / m - large
    rows.append((m, b, h, error, large, left_over, left_over * m / (b * h), h**2))
names = ["m", "b", "h", "exact, V_u", "large terms", "remainder", "in units of b h / m", "h²"]
print(pd.DataFrame(rows, columns=names).round(3).to_string(index=False))

# %% [markdown]
# ## Choosing the branching factor
#
# A larger $b$ makes the tree lower, with less noise in a node, and its families larger, with more nodes in a range.
# The exact error can be computed for every $b$. The next figure divides its root by that of the flat histogram, for
# the tree, the tree with *constrained inference* (explained below) and Haar. Below 1 a method beats flat, whatever
# $\varepsilon$ is.

# %%
net = data.net_trace()
GRID = [*range(2, 17), 18, 20, 22, 24, 28, 32, 33, 40, 48, 64, 65, 80, 96, 128, 160, 192, 256]
SIZES = [64, 256, 1024, 4096, 16_384, 65_536]


def coarse(m):
    """The net trace in m equal bins."""
    return net.values.reshape(m, -1).sum(axis=1)


@cache
def exact_errors(m):
    """Mean squared errors in V_u for every b of GRID, before and after inference; then flat
    and Haar.
    """
    per_b = [[error(m, b) for b in GRID] for error in (average_error, inferred_error)]
    return np.array(per_b), flat_error(m), haar_error(m)


@cache
def measured(m, b, seed):
    """What releases at epsilon 1 did: mean squared errors before and after inference; few
    releases for many bins.
    """
    rng, truth = np.random.default_rng(seed), coarse(m)
    start, last = np.sort(rng.integers(0, m, (2, 2000)), axis=0)
    stop = last + 1
    weights = np.where(start == last, 2, 1)  # one bin: drawn half as often as other ranges
    misses = []
    for _ in range(max(1, min(20, 16_384 // m))):
        levels = hierarchical_counts(truth, b, 1, rng)
        missed = sum_nodes(levels, start, stop, b) - sum_leaves(truth, start, stop)
        leaves = constrained_inference(levels, b)[0]
        misses.append([np.average(missed**2, weights=weights), squared_error(leaves, truth)])
    return np.mean(misses, axis=0)


for m in SIZES:  # now, so that no slider waits for them
    exact_errors(m)
print("bins with their exact errors:", SIZES)

# %% jupyter={"source_hidden": true}
# Figure: exact_errors(m): the exact error of every b; measured(m, b, seed) of releases
fig, ax = figure(height=3.6)
looks = {"tree": "true", "inference": "noisy", "Haar": "third -.", "flat": "other :"}
lines = curves(ax, GRID, looks, ends=True, linewidth=2)
measured_points = [own_point(ax, colour=getattr(COLOURS, name)) for name in ("true", "noisy")]
best_b = own_point(ax, marker="D", colour=COLOURS.amber, markersize=11, mec="black")
x_axis(ax, "branching factor b", (1.9, 270), [2, 4, 8, 16, 32, 64, 128, 256], log=2)
y_axis(ax, "error of a range / that of flat", (0, 3))
branching_told = verdict_text(ax)


def update(m, b, seed):
    per_b, flat, haar = exact_errors(m)
    set_curves(lines, [*np.sqrt(per_b / flat), math.sqrt(haar / flat), 1])
    before, after = np.sqrt(measured(m, b, seed))
    for point, error in zip(measured_points, (before, after), strict=True):
        set_own_point(point, b, error / math.sqrt(2 * flat))
    least, best = math.sqrt(per_b[1].min() / flat), GRID[per_b[1].argmin()]
    set_own_point(best_b, best, least)
    told = f"b = {best}: {amount(100 * least, 2)}% of flat's error"
    told = told if least < 1 else "flat: no tree has a smaller error"
    set_verdict_text(branching_told, None, told)
    expected = np.sqrt(2 * per_b[:, GRID.index(b)])
    return (
        f"{m:,} bins, smallest error at b = {best}. At b = {b}, height "
        f"{len(level_sizes(m, b))}, ε = 1: exact "
        f"{expected[0]:.1f}, with inference {expected[1]:.1f}; measured {before:.1f} and "
        f"{after:.1f}; flat {math.sqrt(2 * flat):.1f}"
    )


question = "With 4,096 bins and inference, which branching factor has the smallest error?"
live(
    fig,
    update,
    "Root mean squared error of a range, divided by that of the flat histogram, against the "
    "branching factor: the tree, the tree with inference, Haar and flat as lines, measured "
    "errors as dots, and a diamond at the best b with inference.",
    task="go from 64 bins to 65,536, one step at a time. Where does the diamond go, and when "
    "does a tree without inference first beat flat? The dots are what releases did at your "
    "$b$.",
    guess=predict(question, (2, 70, ""), r"smallest error at b = (\d+)", m=4096),
    m=choice(SIZES, 1024, label="bins m"),
    b=choice(GRID, 16, label="branching factor b"),
    seed=new_noise(1),
)

# %% [markdown]
# The dots rest on few releases, and on one at [65,536 bins](#move:m=65536), so they scatter. The curves are exact. Below
# is the best $b$ for several sizes ("flat" where no tree is better). The rule for large $m$ is to minimise
# $(b-1)/\ln^3 b$, that is, to solve $b \ln b - 3b + 3 = 0$.

# %% jupyter={"source_hidden": true}
# Computed: the best branching factor for several numbers of bins, and the rule for many bins
rows = []
for m in (64, 256, 366, 1024, 4096, 11_342, 16_384):
    bests = [(best_branching(m, error), error) for error in (average_error, inferred_error)]
    listed = [
        cell for b, error in bests for cell in ("flat" if b == m else str(b), error(m, b))
    ]
    rows.append((m, *listed, average_error(m, 2), flat_error(m)))
names = ["m", "best b", "error", "best b, inference", "error ", "error, b = 2", "error, flat"]
print(
    "best b for large m, by that rule: "
    f"{brentq(lambda b: b * math.log(b) - 3 * b + 3, 5, 50):.1f}"
)
print(f"best b at 65,536 bins, exactly: {best_branching(65_536)}; below, errors in V_u\n")
print(pd.DataFrame(rows, columns=names).round(1).to_string(index=False))

# %% [markdown]
# The rule of thumb, 16, is good. But heights are whole numbers, so a $b$ that just fills a tree ($\sqrt m$, $\sqrt[3] m$)
# is often better.
#
# ## Counts that contradict each other
#
# A parent's noisy count and the sum of its children's counts are two estimates of one number, and the noise makes them
# disagree. If their errors are *independent*, the best use is an average with weights inversely proportional to their
# variances. With dependent errors those weights can do harm (erratum [E19](22_errata.ipynb#E19); end of the cell).

# %% jupyter={"source_hidden": true}
# Computed: a noisy tree over eight bins whose parents and children disagree
noisy = hierarchical_counts(few, 2, 1, np.random.default_rng(3))
for level, nodes in enumerate(noisy):
    print(f"level {level}:", nodes.round(1))
print("sums of the children of level 2:", siblings(noisy[1], 2).sum(axis=1).round(1))

weight = 4 / (1 + 4)
actual = weight**2 * 1 + (1 - weight) ** 2 * 4 + 2 * weight * (1 - weight) * 1.5
print(
    f"variance for independent errors {1 * 4 / (1 + 4)}, with covariance 1.5: {actual:.2f}, "
    "worse than the first alone"
)

# %% [markdown]
# In the tree, a node's own noise and its children's are independent, and two passes are enough. By hand, with two
# parents of two leaves each: the leaves' sum has twice the variance of the parent's own count. So that sum weighs a third.

# %%
tops, bottom = np.array([15.0, 6.0]), np.array([4.0, 8.0, 3.0, 6.0])  # noisy, easy numbers
family_sums = siblings(bottom, 2).sum(axis=1)
better = 2 / 3 * tops + 1 / 3 * family_sums
print(f"up:   parents {tops}, leaf sums {family_sums}: weighted average {better}")
misfit = better - family_sums
shared = bottom + np.repeat(misfit / 2, 2)
print(f"down: the sums miss it by {misfit}; half to each leaf: {bottom} become {shared}")
by_function = constrained_inference([bottom, tops], 2)
assert np.allclose(by_function[0], shared) and np.allclose(by_function[1], better)

# %% [markdown]
# In general, let $z_v$ be the noisy count of node $v$, and let the subtree of $v$ have $i$ levels. Leaves start with
# $z' = z$; the top nodes end with $\bar z = z'$.
#
# 1. **Up**, leaves to top: each node becomes the weighted average of its own count and its children's sum,
#    $$z'_v = \frac{b^i - b^{i-1}}{b^i - 1}\, z_v + \frac{b^{i-1} - 1}{b^i - 1} \sum_{u \text{ child of } v} z'_u .$$
# 2. **Down**, top to leaves (*mean consistency*): the difference between a parent and its family is divided equally,
#    $$\bar z_u = z'_u + \frac1b \Big( \bar z_v - \sum_{w \text{ child of } v} z'_w \Big).$$
#
# > **Theorem 8.5 (constrained inference; Hay and others, 2010).** In a full tree with equal noise, the result is the
# > least-squares estimate of all counts given that every parent is the sum of its children: of all unbiased linear
# > estimates the one with the smallest variance for every range. It uses only what was released, so it spends no privacy.
#
# The listing weights by the actual variances, so it needs neither.

# %%
show_source(constrained_inference)

# %%
inferred = constrained_inference(noisy, 2)
for level, nodes in enumerate(inferred):
    print(f"level {level}:", nodes.round(1))
for children, parents in itertools.pairwise(inferred):
    assert np.allclose(siblings(children, 2).sum(axis=1), parents)
equations = np.vstack(
    [np.kron(np.eye(8 // 2**level), np.ones(2**level)) for level in range(3)]
)
by_library = np.linalg.lstsq(equations, np.concatenate(noisy), rcond=None)[0]
print(
    "the same as a library's least squares:", np.allclose(by_library, inferred[0], atol=1e-9)
)

# %% [markdown]
# <details><summary>Side result: what becomes of each count, as in the textbook's Figure 4.1.</summary>
#
# The estimate is linear in the noisy counts. Give the inference a 1 for one count and 0 for all others, and it returns
# that count's coefficients. The cell does so for eight bins and $b = 2$; nodes are numbered from the top, $n_1, n_2$;
# the first leaf is $n_7$.
#
# </details>

# %%
order = [*range(7, 15), *range(3, 7), 1, 2]
coefficients = {}
for node, impulse in zip(order, np.eye(14), strict=True):
    levels = [impulse[:8], impulse[8:12], impulse[12:]]
    coefficients[node] = constrained_inference(levels, 2)[0]


def listed(values):
    """Coefficients that are not zero, as fractions."""
    exact = {
        node: Fraction(float(value)).limit_denominator(1000)
        for node, value in sorted(values.items())
    }
    return ", ".join(f"{value} n{node}" for node, value in exact.items() if value)


query = {node: leaves[:3].sum() for node, leaves in coefficients.items()}
variance = sum(value**2 for value in query.values())
print("first leaf n7':", listed({node: leaves[0] for node, leaves in coefficients.items()}))
print("first three q :", listed(query))
print(
    f"Var[q] = {variance * 441:.0f}/441 = {variance:.3f} of a node's variance; before, n3 + "
    "n9 had 2"
)

# %% [markdown]
# ## Inference on and off

# %% jupyter={"source_hidden": true}
# What the next sections import
from dpbook.histograms import geometric_shares, haar_histogram, hierarchical_histogram
from dpbook.live import switch
from dpbook.plots import show

# %% jupyter={"source_hidden": true}
# Figure: hierarchical_counts, then constrained_inference(levels, b); the error of every range
fig, strip, walks, leaf_steps = over_a_walk()
flat_walk = steps(walks, np.zeros(bins), COLOURS.other, label="error of flat")
tree_walk = steps(walks, np.zeros(bins), COLOURS.third, label="error of the tree")
truths = sum_leaves(counts, left, right)
inference_told = verdict_text(strip)
legend_above(fig, 4)


def update(inference, b, epsilon, seed):
    flat = flat_histogram(counts, epsilon, np.random.default_rng([seed, 1]))
    levels = hierarchical_counts(counts, b, epsilon, np.random.default_rng([seed, 2]))
    if inference:
        levels = constrained_inference(levels, b)
    misses = sum_nodes(levels, left, right, b) - truths
    gaps = [
        np.abs(siblings(children, b).sum(axis=1) - parents).max()
        for children, parents in itertools.pairwise(levels)
    ]
    set_steps(leaf_steps, levels[0])
    set_steps(flat_walk, np.cumsum(flat - counts))
    set_steps(tree_walk, misses[:bins])  # the first m ranges are those from bin 0 on
    tree_error, flat_error_now = np.sqrt([np.mean(misses**2), squared_error(flat, counts)])
    told = f"error of a range: tree {tree_error:.1f} records, flat {flat_error_now:.1f}"
    set_verdict_text(inference_told, None, told)
    return (
        f"root mean squared error over all {truths.size:,} ranges: tree {tree_error:.1f}, "
        f"flat {flat_error_now:.1f} records; largest gap between a parent and its children "
        f"{max(gaps):.1f}"
    )


live(
    fig,
    update,
    "A thin strip with the true histogram of visits and the leaves of the noisy tree. Below, "
    "the errors of tree and flat for the number of records with at most x visits.",
    task="switch the inference off and on, and watch the error of the tree beside that of the "
    r"flat histogram with the same $\varepsilon$. Then do the same with $b = 2$, where "
    "inference has most to gain.",
    inference=switch(True),
    b=choice([2, 3, 4, 5, 8, 10, 16, 20, 28, 40], 20, label="branching factor b"),
    epsilon=log_slider(0.3, 10, 1.0),
    seed=new_noise(4),
)

# %% [markdown]
# See it with [b = 2 and no inference](#move:b=2&inference=off), then [with inference](#move:b=2&inference=on).
#
# ## How much inference gains
#
# The error after inference can be computed exactly too. The textbook says "Approximately ... by a factor of 3". The
# gain depends on the tree (erratum [E18](22_errata.ipynb#E18)): a tall tree has many contradictions to use, and a good
# $b$ leaves less to gain.

# %% jupyter={"source_hidden": true}
# Computed: the exact error before and after inference, for eight trees
rows = []
for b, sizes in ((2, (4, 64, 256, 65_536)), (8, (64,)), (16, (256, 4096, 65_536))):
    for m in sizes:
        before, after = average_error(m, b), inferred_error(m, b)
        rows.append((m, b, before, after, before / after))
names = ["m", "b", "before, V_u", "after, V_u", "gain"]
print(pd.DataFrame(rows, columns=names).round(1).to_string(index=False))

# %% [markdown]
# > **A good place to stop.** You have the tools: flat, tree, inference, and a branching factor. The US census of
# > 2020 was published from such a tree (nation, states, counties, tracts, blocks) with Gaussian (normal) noise on every level, made
# > consistent from top to bottom (Abowd and others, 2022). Next come other budgets, trees and errors.
#
# ## Shares of the budget
#
# Must all levels get the same part of $\varepsilon$? Some authors give each level $\sqrt[3]{b}$ times the budget of
# its parent level, since it has $b$ times as many nodes. For range queries that is a bad idea. A
# long range needs about $b - 1$ nodes on a level, however many it has.

# %% jupyter={"source_hidden": true}
# Figure: inferred_error(4096, b, shares) for every ratio of neighbouring levels' budgets
fig, ax = figure(height=3.8)
ratios = np.geomspace(0.7, 3, 60)
for b, look in ((2, "other --"), (4, "noisy"), (16, "third -.")):
    height = len(level_sizes(4096, b))
    powers = [ratio ** -np.arange(height) for ratio in ratios]
    errors = [inferred_error(4096, b, each / each.sum()) for each in powers]
    (line,) = curves(ax, ratios, {f"b = {b}": look}, [errors])
    equal = inferred_error(4096, b)
    geometric = inferred_error(4096, b, geometric_shares(height, b))
    name = None if b < 16 else "cube root of b"
    ax.plot(np.cbrt(b), geometric, "o", color=line.get_color(), label=name)
    print(
        f"4,096 bins, b = {b:>2}, height {height:>2}: equal {equal:5.1f} V_u, geometric "
        f"{geometric:5.1f} V_u"
    )
ax.axvline(1, color=COLOURS.grey, linewidth=0.8)
ticks = {0.7: "0.7", 1: "1: equal", 1.26: "1.26", 1.59: "1.59", 2.52: "2.52"}
x_axis(ax, "budget of a level / budget of its parent level", ticks=ticks, log=True)
ticks = [100, 200, 500, 1000, 2000]
y_axis(ax, "mean squared error, $V_u$", (80, 4000), ticks, log=True)
legend_above(fig, 4)
show(
    fig,
    "Mean squared error of a range at 4,096 bins with inference against the ratio of "
    "neighbouring levels' shares, for b = 2, 4 and 16. It is lowest near equal shares; dots "
    "at the cube root of b lie far higher.",
)

# %% [markdown]
# Starving some levels does help. Take a binary tree over 65,536 bins and leave almost nothing to three of every four
# levels: what remains is a tree with $b = 16$. So a good split turns a bad $b$ into a good one.
#
# With unequal shares the noise differs between levels, and inference must use the variances. The printed
# weights assume equal noise and a full tree (erratum [E17](22_errata.ipynb#E17)). After a geometric split they waste
# accuracy.

# %% jupyter={"source_hidden": true}
# Computed: the error with equal, sparse and geometric shares, and with the printed weights
sparse_shares = np.where(np.arange(16) % 4 == 0, 1.0, 1e-6)
sparse_shares /= sparse_shares.sum()
print(f"65,536 bins, b =  2, equal shares:           {inferred_error(65_536, 2):.1f} V_u")
print(
    "65,536 bins, b =  2, nearly all on 4 levels: "
    f"{inferred_error(65_536, 2, sparse_shares):.1f} V_u"
)
print(f"65,536 bins, b = 16, equal shares:           {inferred_error(65_536, 16):.1f} V_u")

rng, zeros, squares = np.random.default_rng(5), np.zeros(256), []
shares = geometric_shares(8, 2)
for _ in range(300):
    levels = hierarchical_counts(zeros, 2, 1, rng, shares=shares)
    leaves = [constrained_inference(levels, 2, weights)[0] for weights in (None, shares)]
    squares.append([squared_error(one, zeros) / 2 for one in leaves])
as_printed, by_variance = np.mean(squares, axis=0)
print(
    f"256 bins, b = 2, geometric: weights as printed {as_printed:.0f} V_u, by variance "
    f"{by_variance:.0f} V_u",
    end=" ",
)
print(f"(exact: {inferred_error(256, 2, shares):.0f})")

# %% [markdown]
# ## The Haar wavelet
#
# Another set of counts to release (*Privelet*): the total, and for each node of a *binary* tree the difference "left
# half minus right half". All counts can be rebuilt from them.
#
# > **Theorem 8.6 (Haar wavelet; Xiao, Wang and Gehrke, 2011).** Let $m$ be a power of two (add empty bins if not). The
# > total and all differences, each with Laplace noise of scale $(1 + \log_2 m)/\varepsilon$, are $\varepsilon$-DP.
#
# <details><summary>Proof: a record moves the total and one difference on each level, each by 1.</summary>
#
# The differences that it moves belong to the $\log_2 m$ nodes above it; it is on one side or the other, never on both.
# $\square$
#
# Often the coefficients are written as averages: $h_v = (a_\ell - a_r)/2$, with $a_\ell$ and $a_r$ the average leaf of
# the left and the right half. They are our differences, divided by the number of leaves under the node. Their
# noise must be divided likewise, which is what "weighted" noise means. A leaf is then the average, plus or minus the
# coefficients above it. The cell shows it for the **third** of four leaves. (A printed example has $v_3$ in its
# words and $v_4$ in its formula: erratum [E27](22_errata.ipynb#E27).)
#
# </details>

# %%
show_source(haar_histogram)

# %% jupyter={"source_hidden": true}
# Computed: what one record moves in the Haar coefficients; a leaf from its coefficients
unit = np.arange(8) == 5
moves = [unit.sum()]
for width in (8, 4, 2):
    halves = unit.reshape(-1, 2, width // 2).sum(axis=2)
    moves.extend(halves[:, 0] - halves[:, 1])
print(
    "one record more in bin 5 of 8 moves the coefficients by",
    *moves,
    " sum:",
    sum(map(abs, moves)),
    "= 1 + log2(8)",
)

leaves = np.array([7, 5, 6, 2])
average, root = leaves.mean(), (leaves[:2].mean() - leaves[2:].mean()) / 2
below = (leaves[2] - leaves[3]) / 2
print(
    f"leaves {leaves}: average {average}, root {root}, right child {below}: {average} - "
    f"{root} + {below} =",
    leaves[2],
)
assert average - root + below == leaves[2]

# %% [markdown]
# ## Flat, tree and Haar side by side
#
# The net trace (synthetic) has 65,536 addresses; with fewer bins, neighbouring addresses are counted together. Above
# are the single bins, the true ones in black. Below is the error of the number of connections from all addresses below
# $x$. Its unit is the flat histogram's standard deviation at the right end, $\sqrt{2m}/\varepsilon$.

# %% jupyter={"source_hidden": true}
# Figure: flat_histogram, hierarchical_histogram, haar_histogram of the trace; their errors
ADDRESSES = net.values.size
fig, axes = figure(columns=3, rows=2, height=4.0, sharex=True, sharey="row")
methods = {"flat": COLOURS.other, "tree": COLOURS.noisy, "Haar": COLOURS.third}
edges = np.linspace(0, ADDRESSES, 65)
pieces = []
for (top, bottom), colour in zip(axes.T, methods.values(), strict=True):
    look = {"baseline": np.zeros(64), "fill": True, "color": colour, "alpha": 0.5, "lw": 2}
    band = top.stairs(np.zeros(64), edges, **look)
    true = steps(top, np.zeros(64), colour=COLOURS.true, edges=edges)
    pieces.append((band, true, steps(bottom, np.zeros(64), colour=colour, edges=edges)))
    bottom.axhline(0, color=COLOURS.grey, linewidth=0.8)
axes[0, 0].set_yscale("symlog", linthresh=1)
y_axis(axes[0, 0], "connections an\naddress (log)", (-1500, 3000), [-1000, -10, 0, 10, 1000])
x_axis(axes[1], "address x", (0, ADDRESSES), [0, ADDRESSES // 2])
y_axis(axes[1, 0], "error of a\nprefix, relative", (-2.5, 2.5))
titles = [verdict_text(bottom) for bottom in axes[1]]


@cache
def expected_errors(m, b):
    """Of flat, tree and Haar at epsilon 1, in connections."""
    return np.sqrt(2 * np.array([flat_error(m), inferred_error(m, b), exact_errors(m)[2]]))


def update(m, b, epsilon, seed):
    truth, rng = coarse(m), np.random.default_rng(seed)
    releases = [
        flat_histogram(truth, epsilon, rng),
        hierarchical_histogram(truth, b, epsilon, rng),
        haar_histogram(truth, epsilon, rng),
    ]
    narrower = m / ADDRESSES  # from connections of a bin to those of an address
    for (band, true, walk), release in zip(pieces, releases, strict=True):
        low, high = np.quantile(release.reshape(64, -1) * narrower, [0.1, 0.9], axis=1)
        band.set_data(values=high, baseline=low)
        set_steps(true, truth.reshape(64, -1).mean(axis=1) * narrower)
        set_steps(walk, np.cumsum(release - truth) * (epsilon / math.sqrt(2 * m)))
    errors = [math.sqrt(squared_error(release, truth)) for release in releases]
    expected = expected_errors(m, b) / epsilon
    told = []
    for title, name, error, mean in zip(titles, methods, errors, expected, strict=True):
        set_verdict_text(title, None, f"{name}: error {error:,.0f}")
        told.append(f"{name} {error:,.1f} ({mean:,.1f})")
    return "root mean squared error over all ranges (expected), connections: " + ", ".join(
        told
    )


live(
    fig,
    update,
    "Three columns: flat, tree with inference, Haar. Above, in black the true net trace, and "
    "a band that holds 8 of 10 released bins. Below, the error of the number of connections "
    "of all addresses below x: with many bins large for flat, small for tree and Haar.",
    task="at 65,536 bins, compare the upper pictures with the lower ones: flat has the best "
    "bins and the worst ranges. Then go down to 64 bins.",
    m=choice(SIZES, 65_536, label="bins m"),
    b=choice([2, 4, 8, 16, 32, 64], 16, label="branching factor b"),
    epsilon=log_slider(0.05, 5, 0.2),
    seed=new_noise(3),
)

# %% [markdown]
# ## Error against the length of the range
#
# Few ranges are short, so a mean over all says little about short ones. Here is the error by length.


# %%
def by_length(histogram, truth, lengths):
    """The mean squared error of all ranges of each length."""
    prefix = np.concatenate([[0], np.cumsum(histogram - truth)])
    return np.array([np.mean((prefix[r:] - prefix[:-r]) ** 2) for r in lengths])


@cache
def length_curves(m, b, seed):
    """Lengths, and the mean squared errors of tree and Haar at epsilon 1: the mean of a few
    releases.
    """
    rng, truth = np.random.default_rng(seed), coarse(m)
    lengths = np.unique(np.geomspace(1, m, 25).astype(int))
    runs = range(max(1, min(30, 16_384 // m)))
    tree = [by_length(hierarchical_histogram(truth, b, 1, rng), truth, lengths) for _ in runs]
    haar = [by_length(haar_histogram(truth, 1, rng), truth, lengths) for _ in runs]
    return lengths, np.mean(tree, axis=0), np.mean(haar, axis=0)


# %% jupyter={"source_hidden": true}
# Figure: length_curves(m, b, seed): the error of a range against its length
fig, ax = figure(height=3.8)
looks = {"flat (exact)": "other --", "tree with inference": "noisy", "Haar": "third -."}
length_lines = curves(ax, [1, 2], looks, linewidth=2)
ticks = [1, 10, 100, 1000, 10_000]
x_axis(ax, "length of the range, bins", (1, ADDRESSES), ticks, log=True)
y_axis(ax, "root mean squared error, connections", (0.4, 5000), [1, 10, 100, 1000], log=True)
length_told = verdict_text(ax)
legend_above(fig, 3)


def update(m, b, epsilon, seed):
    lengths, tree, haar = length_curves(m, b, seed)
    set_curves(length_lines, np.sqrt([2 * lengths, tree, haar]) / epsilon, lengths)
    over = np.log(tree / (2 * lengths))  # below 0 where the tree is better
    first, verdict = np.argmax(over < 0), "nowhere"
    if over[first] < 0:
        near = [first, max(first - 1, 0)]
        crossing = np.exp(np.interp(0, over[near], np.log(lengths[near])))
        verdict = f"from ranges of about {counted(round(crossing), 'bin')} on"
    if b >= m:
        verdict = "nowhere: a tree of one level is flat"
    set_verdict_text(length_told, None, f"the tree beats flat {verdict}")
    return (
        f"{m:,} bins: tree beats flat {verdict}; its error for one bin is "
        f"{math.sqrt(tree[0] / 2):.1f} times flat's"
    )


question = "With 64 bins, how many times larger is the tree's error for a single bin?"
live(
    fig,
    update,
    "Root mean squared error against the length of the range, on log scales. The flat line "
    "rises with the square root of the length; tree and Haar start higher, rise more slowly, "
    "and cross it.",
    task="find the length where flat and tree cross. How does it move with the number of "
    "bins, and with $b$?",
    guess=predict(question, (0.5, 5, " times"), r"is ([\d.]+) times", m=64),
    m=choice(SIZES, 4096, label="bins m"),
    b=choice([2, 4, 8, 16, 32, 64], 16, label="branching factor b"),
    epsilon=log_slider(0.1, 3, 1.0),
    seed=new_noise(1),
)

# %% [markdown]
# With [64 bins](#move:m=64&b=16) the lines cross near 40% of all, with
# [65,536](#move:m=65536&b=16) below 1%.
#
# ## When flat wins
#
# Flat wins for few bins (below 45, says the textbook's section 4.2.6), for short ranges, and whenever single bins
# matter. Our trees need not be full, so the first one wins a little earlier; without inference, much later.
#
# A rule of thumb calls a histogram dense enough with $5/\varepsilon$ records per bin on average. The mean absolute noise
# $1/\varepsilon$ is then a fifth of the mean count. The visits pass this test at $\varepsilon = 1$, but an average says
# little about a skewed histogram.

# %% jupyter={"source_hidden": true}
# Computed: the fewest bins at which a tree beats flat; the visits by the rule of thumb
first = next(m for m in itertools.count(2) if best_branching(m, inferred_error) < m)
b = best_branching(first, inferred_error)
print(f"first tree better than flat, with inference: m = {first}, b = {b}:", end=" ")
print(f"{inferred_error(first, b):.2f} against {flat_error(first):.2f} V_u")
first = next(m for m in itertools.count(3) if best_branching(m) < m)
print(
    f"first tree better than flat, without inference: m = {first}, b = {best_branching(first)}"
)
print(
    f"visits: mean count {counts.mean():.1f}, but only {np.sum(counts >= 5)} of {bins} bins "
    "have at least 5"
)

# %% [markdown]
# ### Relative error
#
# <details><summary>Side result: relative errors, on two histograms, against rivals that see no bin.</summary>
#
# > **Definition 8.7 (relative error).** $|\text{answer} - \text{truth}| / \max(\theta, \text{truth})$,
# > with a threshold $\theta > 0$ that keeps the divisor away from 0.
#
# Flat is then said to be hard to beat: single bins are its strength, and long ranges, where it is weak, have large true
# answers. We test this on the visits and on the ages of the voters, at $\varepsilon = 1$, with $\theta$ a thousandth of
# all records. The table has the mean over all ranges, and of that the median of 20 releases. Two dull rivals look at no
# bin: *zeros*, and *even*, which divides the (exact!) total equally among all bins.
#
# For the ages flat has the smaller relative error and the tree the smaller absolute one, as the textbook says. For the
# visits the tree has both. Most ranges lie in the empty tail, where only the error grows with the length. There a dull
# rival beats flat and Haar: zeros are never off by more than the whole. (At $\varepsilon = 0.1$ the errors of
# these three are ten times as large. Then zeros beat them in relative error, on both histograms.)
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: absolute and relative errors on two histograms, with two dull rivals
age_counts = np.bincount(data.election()["age"].values - 18, minlength=103)
rows = {}
for histogram, b in ((counts, 20), (age_counts, 11)):
    starts, stops = np.triu_indices(histogram.size)
    wanted = sum_leaves(histogram, starts, stops + 1)
    base = np.maximum(0.001 * histogram.sum(), wanted)
    releases = {
        "flat": [
            flat_histogram(histogram, 1.0, np.random.default_rng(seed)) for seed in range(20)
        ],
        "tree with inference": [
            hierarchical_histogram(histogram, b, 1.0, np.random.default_rng(s))
            for s in range(20)
        ],
        "Haar": [
            haar_histogram(histogram, 1.0, np.random.default_rng(seed)) for seed in range(20)
        ],
        "zeros": [np.zeros(histogram.size)],
        "even": [np.full(histogram.size, histogram.mean())],
    }
    for method, released in releases.items():
        gaps = [np.abs(sum_leaves(one, starts, stops + 1) - wanted) for one in released]
        found = np.median([[gap.mean(), np.mean(gap / base)] for gap in gaps], axis=0)
        rows.setdefault(method, []).extend([f"{found[0]:,.0f}", f"{found[1]:.2f}"])
names = ["visits: error", "relative", "ages: error", "relative "]
pd.DataFrame(rows, index=names).T

# %% [markdown]
# Say which ranges matter before you choose a method by a mean relative error.
#
# ## Where it breaks
#
# 1. **A tree with the noise of one level.** The most tempting mistake is scale $1/\varepsilon$ on every node. The log
#    ratio of the densities is then $h\varepsilon$. A root that is released but not counted as a level is the same
#    mistake.
# 2. **A record is not a person.** In the insurance data a person has up to five records, one a year. *User-level
#    privacy*, which hides a person, needs noise for all of them: five times the sensitivity. (Five is public: the length
#    of the study.)
# 3. **Replacing a record** moves up to two nodes of a level. What is $\varepsilon$-DP under add/remove is
#    $2\varepsilon$-DP under replace.
# 4. **Choosing $b$ or the bins by looking at the counts** is a release too. The error formulas of this page need no data;
#    use those.

# %% jupyter={"source_hidden": true}
# Computed: the privacy loss of a tree with undivided epsilon, and of all of a person's records
for m, b in ((366, 8), (65_536, 2), (65_536, 16)):
    h = len(level_sizes(m, b))
    print(
        f"{m:>6} bins, b = {b:>2}: undivided, the loss is {h} epsilon; root for nothing, "
        f"{(h + 1) / h:.2f} epsilon"
    )
person = data.health_insurance_person()
busiest = np.bincount(person).argmax()
others = np.bincount(visits.values[person != busiest], minlength=bins)
moved = sum(
    np.abs(a - b).sum()
    for a, b in zip(tree_counts(counts, 8), tree_counts(others, 8), strict=True)
)
print(
    f"all records of one person move the tree with b = 8, height 3, by {moved:.0f}: a loss "
    f"of {moved / 3:.0f} epsilon"
)

# %% [markdown]
# ## Two dimensions and more
#
# Let there be $d$ attributes with $n$ values each, $m = n^d$ cells, and let a query be a box: a range in each
# attribute. A tree cuts every side into $b$ parts at once, so a node has $b^d$ children (a *quadtree* for $d = 2$, $b =
# 2$). Everything on this page still works, but the gain shrinks. A box needs small nodes along its *border*. The border
# of a range is two points, and that of a rectangle a line. In $d$ dimensions it has of the order of $m^{(d-1)/d}$
# cells. Up to logarithms the error grows at this rate: the *curse of dimensionality*.
#
# <details><summary>Formula: for full trees after inference the error falls apart into the levels.</summary>
#
# The levels are nested projections. Average a range over blocks of $b^j$; let $c_j$ be the mean squared length of what is left of it, over all
# ranges. Then the MSAE is
# $h^2 \sum_j (c_j^d - c_{j+1}^d) / (1 + b^d + \dots + b^{jd})$, with $c_h = 0$, and that of flat is $c_0^d$. The cell
# finds the size from which *some* tree beats flat. (Printed formulas for it: erratum [E20](22_errata.ipynb#E20).)
#
# </details>

# %% jupyter={"source_hidden": true}
# What the next sections import
from dpbook.histograms import all_ranges, matrix_mechanism, strategy_error


# %%
def kept(n, width):
    """The mean, over all ranges of n bins, of the squared length of the range averaged over
    blocks of `width`.
    """
    pairs = np.multiply.outer(np.arange(1, n + 1), np.arange(n, 0, -1))
    both = np.minimum(pairs, pairs.T)  # how many ranges hold bins u and v
    blocks = both.reshape(n // width, width, n // width, width)
    inside = np.einsum("iaib->", blocks)  # the sum over bins u and v of the same block
    return inside / width / (n * (n + 1) / 2)


def grid_error(b, height, d):
    """The MSAE of all boxes in d dimensions, b^height values each, from a full tree with
    inference, in V_u.
    """
    c = [kept(b**height, b**j) ** d for j in range(height)] + [0.0]
    nodes = np.cumsum([float(b) ** (d * j) for j in range(height)])
    return height**2 * sum((c[j] - c[j + 1]) / nodes[j] for j in range(height))


assert np.isclose(grid_error(8, 2, 1), inferred_error(64, 8))
assert np.isclose(grid_error(2, 4, 1), inferred_error(16, 2))
rectangles, quarters = np.kron(all_ranges(4), all_ranges(4)), np.kron(np.eye(2), np.ones(2))
# the 4 x 4 grid: cells, then quarters
quadtree = np.vstack([np.eye(16), np.kron(quarters, quarters)])
assert np.isclose(grid_error(2, 2, 2), strategy_error(quadtree, rectangles))

trees = sorted((b**h, b, h) for b in range(2, 28) for h in range(2, 10) if b**h <= 800)
rows = []
for d, printed in ((1, "45"), (2, "4,096"), (3, "1,700,000"), (4, "2.18 × 10⁹")):
    best = min(grid_error(b, h, d) for n, b, h in trees if n == 256)
    gain = ((256 + 2) / 3) ** d / best
    n, b = next((n, b) for n, b, h in trees if grid_error(b, h, d) < ((n + 2) / 3) ** d)
    size = f"{n**d:,}" if d < 3 else amount(float(n**d))
    rows.append((d, n, b, size, printed, f"{gain:.2f}"))
names = ["d", "n", "b", "a full tree wins from m =", "in the textbook", "gain at n = 256"]
pd.DataFrame(rows, columns=names).set_index("d")

# %% [markdown]
# At $n = 256$ a tree gains a factor of two for ranges and for rectangles, but only one and a half in three dimensions.
# In four, with four billion cells, it gains almost nothing. Most cells are then empty, and only noise is left:
# [09](09_partitions.ipynb) and [13](13_marginals.ipynb) are about that.
#
# ## One idea behind them all: the matrix mechanism
#
# Write each query as a vector of zeros and ones over the bins. The queries that we want to answer are the *workload*
# $W$. The queries that we ask, perhaps different ones, are the *strategy* $A$. Ask $A$ with noise, and solve for the
# workload by least squares.
#
# > **Theorem 8.8 (matrix mechanism; Li, Hay, Rastogi, Miklau, McGregor, 2010).** Let $x$ be the counts, $A^{+}$ the
# > pseudo-inverse of a strategy whose rows span those of $W$, and $\lVert A\rVert_1$ the largest L1 norm of a column.
# > Then $W A^{+}\,(A x + \text{noise})$ with Laplace noise of scale $\lVert A\rVert_1/\varepsilon$ is $\varepsilon$-DP
# > and unbiased, and its mean squared error is $\lVert A\rVert_1^2$ times the mean squared norm of the rows of
# > $W A^{+}$, in $V_u$.
#
# <details><summary>Proof: one record adds one column of A, and the rest is post-processing.</summary>
#
# So the sensitivity of $Ax$ is the largest L1 norm of a column. $\square$
#
# </details>
#
# Flat is $A = I$; a tree and Haar are other matrices; constrained inference is the least squares.

# %%
show_source(matrix_mechanism)

# %% jupyter={"source_hidden": true}
# Computed: the error of trees, Haar, flat and all ranges as strategies over 32 bins
workload = all_ranges(32)
strategies = {
    f"tree, b = {b}": np.column_stack(
        [np.concatenate(tree_counts(one_bin, b)) for one_bin in np.eye(32)]
    )
    for b in (2, 4, 6)
}
haar_rows = [
    np.kron(np.eye(32 // width), np.repeat([1, -1], width // 2)) for width in (32, 16, 8, 4, 2)
]
strategies |= {
    "Haar": np.vstack([np.ones(32), *haar_rows]),
    "flat": np.eye(32),
    "all ranges": workload,
}
for name, strategy in strategies.items():
    print(
        f"{name:<12} {len(strategy):>3} queries, error "
        f"{strategy_error(strategy, workload):8,.2f} V_u"
    )
assert np.isclose(strategy_error(strategies["tree, b = 4"], workload), inferred_error(32, 4))
assert np.isclose(strategy_error(strategies["Haar"], workload), haar_error(32))

# %% [markdown]
# Which strategy is the best? A search takes $O(m^6)$ steps, and approximations (Li and Miklau, 2012; Yuan and others,
# 2012) $O(m^3)$. At sizes where this can be done, flat is said to win. At 32 bins no tree beats flat, yet a single extra query does. Ask for each bin and, with half the weight, for the count of the 16 bins in the
# middle. Then scale every column to sum 1:

# %%
middle = np.zeros(32)
middle[8:24] = 0.5
one_extra = np.vstack([np.eye(32), middle])
one_extra /= one_extra.sum(axis=0)
print(
    f"flat {flat_error(32):.2f} V_u, with one extra query "
    f"{strategy_error(one_extra, workload):.2f} V_u",
    end="; ",
)
rng = np.random.default_rng(7)
misses = [matrix_mechanism(np.zeros(32), workload, one_extra, 1, rng) for _ in range(1000)]
print(f"measured over 1,000 releases {np.mean(np.square(misses)) / 2:.2f} V_u")

# %% [markdown]
# Generality has a price: for all ranges the matrix has $m(m+1)/2$ rows. At 65,536 bins it cannot be stored, while the two
# passes over the tree visit each node twice.
#
# ## On your own
#
# A hint and an answer for each: [exercises/answers/08_histograms](../exercises/answers/08_histograms.ipynb).
#
# **Assignment 08:** [five tasks, checked in a second](../exercises/releases/08_histograms.ipynb).
#
# 1. *Warm-up.* In the figure of the tree, take $b = 4$, then 8. Which range needs the most nodes, and how many? Check
#    against the formula for the worst case.
# 2. Some inferred leaves are negative. Set them to zero and compute `squared_error` again, for the visits and for the
#    net trace. Is it post-processing? Does it help ranges, or only bins? Why is the total now too large?
# 3. Take `data.search_logs()` (32,768 bins, synthetic). Which $b$ is best with inference, and how much smaller is its
#    error, in searches, than that of $b = 2$ and of Haar, at $\varepsilon = 0.1$?
# 4. Your queries are all of length 1 or 2. Compute the mean squared error of flat and of a tree with $b = 16$ for them
#    with `strategy_error`, on 64 bins. What would you release if half of the queries ask for the total?
# 5. Divide the budget among the levels, for $b = 16$ and 4,096 bins, so that it beats equal parts after inference. How much can one gain
#    at most?
# 6. *Challenge.* `one_extra` beats flat at 32 bins by a little. How much can one gain? Let the weights of one, two
#    and three extra rows be free (each column of the strategy sums to 1). Search for the smallest `strategy_error` over
#    all ranges with `scipy.optimize.minimize`, from several starts. What does each further row gain over flat, and
#    do the rows look like the blocks of a tree?
#
# ## When to use it, and when not
#
# With a small $\delta$, Gaussian noise is an option as well. Its scale grows with the root of the number of levels,
# which helps a deep tree but not a shallow one ([24](24_gaussian.ipynb)).
#
# Root mean squared errors over all ranges at $\varepsilon = 1$, in records:

# %% jupyter={"source_hidden": true}
# Computed: the errors of flat, Haar and trees for six numbers of bins
rows = []
for m in (16, 64, 366, 1024, 4096, 16_384):
    b = best_branching(m, inferred_error)
    errors = [flat_error(m), haar_error(m), inferred_error(m, 2), inferred_error(m, b)]
    rows.append((m, *np.sqrt(2 * np.array(errors)), "flat" if b == m else f"tree, b = {b}"))
names = ["bins", "flat", "Haar", "tree, b = 2", "best", "which is"]
print(pd.DataFrame(rows, columns=names).round(1).to_string(index=False))

# %% [markdown]
# - **Flat**: up to some forty bins; or if people will ask for single bins, or for ranges of a few bins.
# - **Tree with inference**, $b$ from `best_branching(m, inferred_error)`, equal budgets: ranges over hundreds of bins or
#   more. A tree without inference is never the choice, since inference is free.
# - **Haar**: nearly the same as a binary tree with inference, so rarely the choice. It matters again
#   where the data itself is sparse in it ([16 Compressive mechanism](16_compressive.ipynb)).
# - **None of them**, if there are many bins and most are empty. Then merge bins by what the data look like
#   ([09](09_partitions.ipynb)), or count only what is there ([20](20_alp.ipynb)).
# - **Records that every tool can read**, of several attributes: [28](28_synthetic.ipynb).
#
# ## Sources
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to Practice*, Morgan &
#   Claypool, 2016, [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018): sections
#   4.1 and 4.2 (definitions, Lemma 4.1, Figure 4.1, section 4.2.6). Where this page differs from it, a cell above
#   computes the number.
#
# <details><summary>Seven more papers: trees, Privelet, branching factors, the matrix mechanism, the census.</summary>
#
# - Michael Hay, Vibhor Rastogi, Gerome Miklau, Dan Suciu: *Boosting the accuracy of differentially private histograms
#   through consistency*, PVLDB 3, 2010, [arXiv:0904.0942](https://arxiv.org/abs/0904.0942): trees and constrained
#   inference.
# - Xiaokui Xiao, Guozhang Wang, Johannes Gehrke: *Differential privacy via wavelet transforms*, IEEE TKDE 23, 2011,
#   [doi:10.1109/TKDE.2010.247](https://doi.org/10.1109/TKDE.2010.247): Privelet.
# - Wahbeh Qardaji, Weining Yang, Ninghui Li: *Understanding hierarchical methods for differentially private histograms*,
#   PVLDB 6, 2013, [doi:10.14778/2556549.2556576](https://doi.org/10.14778/2556549.2556576): the branching factor, many
#   dimensions.
# - Chao Li, Michael Hay, Vibhor Rastogi, Gerome Miklau, Andrew McGregor: *Optimizing linear counting queries under
#   differential privacy*, PODS 2010, [doi:10.1145/1807085.1807104](https://doi.org/10.1145/1807085.1807104): the matrix
#   mechanism.
# - Chao Li, Gerome Miklau: *An adaptive mechanism for accurate query answering under differential privacy*, PVLDB 5,
#   2012, [arXiv:1202.3807](https://arxiv.org/abs/1202.3807); Ganzhao Yuan and others: *Low-rank mechanism: optimizing
#   batch queries under differential privacy*, PVLDB 5, 2012, [arXiv:1208.0094](https://arxiv.org/abs/1208.0094).
# - John Abowd and others: *The 2020 Census disclosure avoidance system TopDown algorithm*, Harvard Data Science Review,
#   2022, [arXiv:2204.08986](https://arxiv.org/abs/2204.08986).
#
# </details>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [07 Local privacy: randomized response](07_local.ipynb) · **Next:** [09 Partitions: where do the cells come from?](09_partitions.ipynb)
