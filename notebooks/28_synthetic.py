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
# # 28 Synthetic records
#
# Every tool can read records of people who do not exist, drawn from a model of noisy tables. Which
# tables does the model get right, what does each step cost, and who pays for what was left out?
#
# <details><summary>About 35 minutes, after 04, 13, 24 and 25: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [27 Which epsilon?](27_choosing.ipynb) · **Next:** [29 Without a curator](29_parties.ipynb)
#
# **Assignment 28:** [five tasks, checked in a second](../exercises/releases/28_synthetic.ipynb)
#
# **What you will do:** Break three "synthetic" releases. Draw a tree by lottery, and fit a model to tables that contradict
# each other. Race the methods against dull rivals, and attack a generator with perfect marks.
#
# **Time:** about 35 minutes. A stopping point: before *Who wins*.
#
# **You need:** the exponential mechanism ([04](04_exponential.ipynb)), marginal tables ([13](13_marginals.ipynb)),
# the Gaussian mechanism ([24](24_gaussian.ipynb)) and zCDP ([25](25_accounting.ipynb)).
#
# **Real and synthetic:** Fair's survey and the RAND health insurance experiment are real. RAND has up to five records a
# person, so protecting a person costs more. Points in squares and cubes are *synthetic*, drawn from fixed seeds.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import functools
import itertools
import json
import math
import pathlib

import numpy as np

from dpbook.data.attributes import affairs_attributes
from dpbook.live import choice, live, slider
from dpbook.marginals import marginals
from dpbook.plots import (
    COLOURS,
    curves,
    figure,
    legend_above,
    maps,
    own_point,
    set_curves,
    set_maps,
    set_own_point,
    set_verdict_text,
    verdict_text,
    x_axis,
    y_axis,
)
from dpbook.synthetic import draw_records, fit_model, mst, table_variation

# %% jupyter={"source_hidden": true}
# Figure: mst(survey, epsilon, delta, rng) in stages: the tree of pairs, the error of all 28 pairs
names, survey = affairs_attributes()
people, d = survey.shape
pairs = list(itertools.combinations(range(d), 2))
pair_truth = marginals(survey, pairs)
DELTA = 1e-6
STAGES = ["singles", "exact tree", "noisy tree", "records"]
singles = [(a,) for a in range(d)]


@functools.cache
def stages(epsilon, seed):
    """The tree, and the error of every pair after each stage."""
    made = mst(survey, epsilon, DELTA, np.random.default_rng(seed), rounds=60)
    alone, bought = made.measurements[:d], made.measurements[d:]
    tree = [one.attributes for one in bought]
    true = zip(bought, marginals(survey, tree), strict=True)
    exact = [one._replace(noisy=table) for one, table in true]
    models = [fit_model(some, (2,) * d, rounds=60) for some in (alone, exact)]
    drawn = draw_records(made.model, people, np.random.default_rng(seed))
    told = [[one.marginal(pair) for pair in pairs] for one in (*models, made.model)]
    told.append(marginals(drawn, pairs))
    return tree, [list(map(table_variation, some, pair_truth)) for some in told]


EPSILONS = [0.05, 0.2, 1.0, 5.0, 10.0]
for epsilon, seed in itertools.product(EPSILONS, (1, 2, 3)):
    stages(epsilon, seed)
fig, (tree_ax, error_ax) = figure(columns=2, height=2.75, width_ratios=(1, 1.25))
angle = 2 * np.pi * np.arange(d) / d
places = np.column_stack([np.cos(angle), np.sin(angle)])
(links,) = tree_ax.plot([], [], "o-", color=COLOURS.noisy, linewidth=3, markersize=11)
tree_ax.plot(*places.T, "o", color=COLOURS.true)
for (x, y), name in zip(1.25 * places, names, strict=True):
    side = "center" if abs(x) < 0.1 else "left" if x > 0 else "right"
    tree_ax.text(x, 1.1 * y, name, ha=side, va="center", fontsize=8)
tree_ax.set(xlim=(-2.1, 2.1), ylim=(-1.4, 1.4))
tree_ax.axis("off")
grid = maps([error_ax], extent=(-0.5, d - 0.5, -0.5, d - 0.5), vmax=0.15, cmap="magma_r")
error_ax.set(xticks=range(d), yticks=range(d), xticklabels=range(1, d + 1), yticklabels=names)
error_ax.tick_params(labelsize=8)
error_ax.set_xlabel("the same eight, from the bottom up")
fig.colorbar(grid[0], ax=error_ax, label="error of a pair's table")
hero_line = verdict_text(fig)


def synthesis(stage, epsilon, seed):
    name, (tree, errors) = STAGES[stage - 1], stages(epsilon, seed)
    off, shown = errors[stage - 1], np.zeros((d, d))
    for (a, b), one in zip(pairs, off, strict=True):
        shown[a, b] = shown[b, a] = one
    bought = tree if stage > 1 else singles
    lines = [[*places[list(one)], [np.nan] * 2] for one in bought]
    links.set_data(*np.concatenate(lines).T)
    set_maps(grid, shown)
    right, (a, b) = sum(one <= 0.02 for one in off), pairs[int(np.argmax(off))]
    words, worst = f"{name}: {right} of 28 pairs right to 0.02", f"{names[a]} × {names[b]}"
    set_verdict_text(hero_line, None, f"{words}; worst off by {max(off):.2f}")
    return f"epsilon {epsilon:g}, {words}; the worst: {worst}, off by {max(off):.3f}"


live(
    fig,
    synthesis,
    "Left: eight questions on a circle, from stage 2 on joined by the pairs that were bought. "
    "Right: a square of the errors of "
    "all 28 pairs, dark where the model is wrong.",
    task="play the stages. Which pairs stay dark when the tree has no noise?",
    play="stage",
    stage=slider(1, 4, 3, label="stage"),
    epsilon=choice(EPSILONS, 1.0),
    seed=choice([1, 2, 3], 1, label="noise"),
)

# %% [markdown]
# Dark squares are pairs that the model gets wrong. [Take epsilon to 10](#move:epsilon=10), and most stay dark: the noise
# is nearly gone, but only 7 of the 28 pairs were *bought* (released with noise).
# [With exact tables](#move:stage=2&epsilon=10) nothing changes. For the other pairs one sees the *model's* answer, not the data's.
#
# One guarantee covers all later questions, since drawing and asking are post-processing. Here that guarantee is for
# **add/remove**: one more record adds 1 to one cell of each table. Under *replace* everything costs more.
#
# ## "Records, without names": three attempts that leak
#
# 1. **Resample** the records, without names. A record that only one person has may appear. Without that person it never
#    does.
# 2. **Smooth**: add a prior count $a$ to each cell, then draw. This is private, but its loss grows with *every record drawn*:
#    $m \ln(1 + 1/a)$ for $m$ records under replace.
# 3. **Choose without noise**: take the most dependent pairs, and put noise on their tables only. But the choice of pairs is
#    an answer, too.

# %% jupyter={"source_hidden": true}
# Computed: what the three attempts give away
from dpbook.synthetic import copied_records, smoothed_loss, unpaid_tree

lone = np.zeros((1000, 1), int)
lone[-1] = 1
seen = [copied_records(lone, 1000, np.random.default_rng(s)).any() for s in range(2000)]
chance = f"{1 - 0.999**1000:.8f} ({np.mean(seen):.3f} seen)"
print("resampling 1,000 of 1,000: a lone record appears with probability", chance)
print(f"10 of 1,000: {1 - 0.999**10:.8f}; without its owner: 0")
for prior, number in ((1, 1), (1, 1000), (100, 1000)):
    loss = smoothed_loss(prior, number)
    print(f"smoothing, prior {prior}, {number:>5,} records drawn: loss {loss:.5g}")
loss = f"ln(2 x 5/6) = {math.log(2 * 5 / 6):.4f} (three cells, three records, prior 1)"
print(f"add/remove moves the total too: {loss}")
cube = np.array(list(itertools.product((0, 1), repeat=3)))
few = cube[[0, 0, 0, 1, 1, 3, 3, 3, 5, 7]]
for who, some in (("10 records", few), ("one more", np.vstack([few, cube[6]]))):
    unpaid = unpaid_tree(some, 1.0, DELTA, np.random.default_rng(1))[3:]
    print(f"the unpaid tree of {who:>10}: {sorted(one.attributes for one in unpaid)}")

# %% [markdown]
# The last two trees differ, whatever the noise: the loss is infinite. "Plausible, so private" fails in the same way. A
# rule that publishes only records that $k$ others could have led to is a test on the data. It needs noise itself
# (Bindschaedler, Shokri and Gunter 2017).
#
# ## Choose, buy, generate
#
# All methods of this page have one pattern:
#
# - **choose** which tables to buy, by lottery: the exponential mechanism (costs privacy)
# - **buy** them: the Gaussian mechanism (costs privacy)
# - **fit** a model and **draw** records (free)
#
# The account is zCDP: `zcdp_rho` turns $(\varepsilon, \delta)$ into a budget $\rho$. One record moves $m$ tables together by
# $\sqrt m$ in $L_2$, so their noise has $\sigma = \sqrt{m / 2\rho}$.

# %% jupyter={"source_hidden": true}
# What this page imports
from dpbook.amounts import amount, probability
from dpbook.gaussian import gaussian_epsilon, zcdp_epsilon, zcdp_rho
from dpbook.live import log_slider, show_source
from dpbook.synthetic import edge_scores, measure, selection_epsilon, spanning_tree

# %%
show_source(measure)
rho = zcdp_rho(1.0, DELTA)
print(f"(1, 1e-6) is rho = {rho:.10f}; (0.1, 1e-6) is {zcdp_rho(0.1, DELTA):.8e}")

# %% [markdown]
# **The price of a choice.** Every $\varepsilon$-DP mechanism is $\varepsilon^2/2$-zCDP. The exponential mechanism is four times
# cheaper:
#
# > **Theorem 28.1 (a choice in zCDP; Cesar and Rogers 2021).** The exponential mechanism with $\varepsilon$ is
# > $\varepsilon^2/8$-zCDP, for the neighbours of its sensitivity. So a budget of $\rho$ buys a choice at $\varepsilon = \sqrt{8\rho}$.
#
# <details><summary>Proof: its loss lies in an interval of length epsilon, not of 2 epsilon.</summary>
#
# Let $P$ and $Q$ be the distributions for two neighbours. A score changes by at most the sensitivity, so the weight of an
# option changes by a factor from $e^{-\varepsilon/2}$ to $e^{\varepsilon/2}$. The sum of all weights changes, too, but that is one
# factor for all options. So the loss $L = \ln(P/Q)$ lies in some interval $[t - \varepsilon, t]$.
#
# The function $\ln E_Q[e^{\alpha L}]$ of $\alpha$ is 0 at 0 and at 1, since $E_Q[e^L] = 1$. Its second derivative is the
# variance of $L$ under a reweighted $Q$. On an interval of length $\varepsilon$ that is at most $\varepsilon^2/4$. So for $\alpha > 1$
# the function is at most $\alpha(\alpha - 1)\varepsilon^2/8$. The Rényi divergence of order $\alpha$ is the function divided by
# $\alpha - 1$, at most $\alpha\varepsilon^2/8$. $\square$
#
# </details>

# %%
tight = 1 / math.expm1(1) - 1 - math.log(1 / math.expm1(1))
print(f"epsilon 1: every 1-DP mechanism 0.5, a choice {1 / 8}, the tightest bound {tight:.7f}")

# %% [markdown]
# ## A tree by lottery: MST
#
# MST (McKenna, Miklau and Sheldon 2021) spends $\rho$ in thirds: on $d$ single tables, on choosing a tree of
# $d - 1$ pairs, and on buying those. A pair's score is its distance from independence,
# $\|T_{ab} - E_{ab}\|_1$. Here $E_{ab}$ is the product of the **released** single tables, so it is public, and a record
# moves the score by at most 1.

# %%
show_source(edge_scores)
show_source(spanning_tree)
thirds = math.sqrt(3 * 16 / (2 * rho)), math.sqrt(3 * 15 / (2 * rho))
bought = f"singles {thirds[0]:.4f}, pairs {thirds[1]:.4f} people of noise"
print(f"16 attributes at (1, 1e-6): {bought},")
print(f"each of 15 choices at epsilon {selection_epsilon(rho / 3 / 15):.7f}")
dear = math.sqrt(15 / (2 * zcdp_rho(1 / 3, DELTA / 3)))
print(f"thirds of epsilon and delta instead of rho: pairs {dear:.1f} people of noise")

# %% [markdown]
# Thirds of $\varepsilon$ and $\delta$ would here give the same guarantee with 1.7 times the noise.
#
# Against the data's *own* margins one record beside $n$ others moves the score by up to $4n/(n + 1)$, because the product
# changes, too. Since $n$ is secret, the lottery must then be flatter by a factor of 4.

# %% jupyter={"source_hidden": true}
# Computed: how far one record moves a pair's score, over all 56 tables of five other people
bars_of = np.array(list(itertools.combinations(range(8), 3)))
before = (np.diff(bars_of, axis=1, prepend=-1, append=8) - 1.0).reshape(-1, 1, 2, 2)
beside = before + np.eye(4).reshape(4, 2, 2)
of_5 = before.sum(axis=3, keepdims=True) * before.sum(axis=2, keepdims=True) / 5
of_6 = beside.sum(axis=3, keepdims=True) * beside.sum(axis=2, keepdims=True) / 6
own = "the data's own margins", of_5, of_6
for what, product, product_now in (("a released product", 1.25, 1.25), own):
    score = np.abs(before - product).sum(axis=(2, 3))
    score_now = np.abs(beside - product_now).sum(axis=(2, 3))
    print(f"against {what}: by up to {np.abs(score_now - score).max():.4f}")

# %%
released = measure(survey, singles, rho / 3, np.random.default_rng(1))
scores = edge_scores(dict(zip(pairs, pair_truth, strict=True)), released)
heavy = np.array([scores[pair] for pair in pairs])


def joined(tree):
    """Which group each attribute is in when these pairs are linked."""
    group = list(range(d))
    for a, b in tree:
        group = [group[a] if one == group[b] else one for one in group]
    return group


best = []
for a, b in sorted(pairs, key=scores.get, reverse=True):
    if joined(best)[a] != joined(best)[b]:
        best.append((a, b))
PARTS = [part for size in range(d) for part in itertools.combinations(range(d - 1), size)]
OPEN = {}  # once a part of the best links is drawn: which pairs can still be drawn
for part in PARTS:
    group = joined([best[link] for link in part])
    OPEN[part] = np.array([group[a] != group[b] for a, b in pairs])


def best_tree_chance(slope):
    """The probability that the lottery draws the heaviest tree, in whatever order."""
    reached = {(): 1.0}
    for part in PARTS[:-1]:
        weights = np.exp(slope * np.minimum(heavy - heavy[OPEN[part]].max(), 0))
        each = reached[part] / weights[OPEN[part]].sum()
        for link in set(range(d - 1)) - set(part):
            after = tuple(sorted((*part, link)))
            reached[after] = reached.get(after, 0) + each * weights[pairs.index(best[link])]
    return reached[tuple(range(d - 1))]


# %% jupyter={"source_hidden": true}
# Figure: the lottery of spanning_tree: how likely each pair is drawn first, and the best tree at all
order = np.argsort(-heavy)
fig, lottery_ax = figure(height=2.6)
(dots,) = curves(lottery_ax, range(1, 29), {"probability": "noisy o"})
x_axis(lottery_ax, "pair, from the highest score down", (0, 29))
rungs = {1: "1", 1e-2: "0.01", 1e-4: "0.0001", 1e-6: "1e-6 or less"}
y_axis(lottery_ax, "probability to\nbe drawn first", (4e-7, 1.8), rungs, log=True)
lottery_line = verdict_text(lottery_ax)
PRODUCTS = {"released singles": "released", "own margins": "own"}


def lottery(epsilon, product):
    slope = epsilon / (2 if product == "released" else 2 * 4)  # 4 n / (n + 1) < 4
    weights = np.exp(slope * (heavy - heavy.max()))
    set_curves([dots], [np.maximum((weights / weights.sum())[order], 1e-6)])
    chance = best_tree_chance(slope)
    words = f"the heaviest tree comes with probability {amount(chance)}"
    set_verdict_text(lottery_line, None, words)
    drawn = f"the heaviest tree is drawn with probability {probability(chance)}"
    return f"epsilon {epsilon:g} a choice: {drawn}"


live(
    fig,
    lottery,
    "The probability of each of 28 pairs to be drawn first, on a log scale: falling dots, "
    "steeper for larger epsilon; what is below one in a million stands there.",
    task="at which epsilon of a choice is the heaviest tree almost certain?",
    epsilon=log_slider(0.001, 1, 0.01, label="epsilon of a choice"),
    product=choice(PRODUCTS, "released", label="compared with"),
)

# %% [markdown]
# With 6,366 women, [choices at epsilon 0.1](#move:epsilon=0.1) find the best tree more often than not.
# [Against own margins](#move:epsilon=0.1&product=own%20margins) the same epsilon decides less.
#
# ## From noisy tables to one model
#
# The bought tables contradict each other, and have negative cells. **Private-PGM** (McKenna, Sheldon and Miklau 2019) looks
# for the distribution whose tables $\mu_r$ are nearest to the bought $y_r$:
#
# $$\min \sum_r \frac{\|\mu_r - y_r\|^2}{2\sigma_r^2} \quad\text{over tables that some distribution has.}$$
#
# The minimiser is a product of factors $e^{\theta_r}$, one for each bought table, or a limit of such products. Of all distributions that fit as well, it has
# the largest entropy: it adds nothing that was not bought. A *junction tree*, groups of attributes that contain the bought
# tables, keeps its sums small. *Mirror descent* finds it: $\theta_r \leftarrow \theta_r - \eta\,(\mu_r - y_r)/\sigma_r^2$.
#
# How large the junction tree is depends on *which* tables were bought, not only on how many:

# %% jupyter={"source_hidden": true}
# What this page imports
from dpbook.guesses import predict
from dpbook.marginals import covering_design
from dpbook.synthetic import estimated_total, tree_cells
from dpbook.synthetic.model import Measurement, beliefs, misfit

# %%
show_source(beliefs)
show_source(misfit)
views = covering_design(16, 4, 2)
for what, sets, width in (
    ("a circle of 4 pairs", [(0, 1), (1, 2), (2, 3), (0, 3)], 4),
    ("a ring of 6 pairs", [(i, (i + 1) % 6) for i in range(6)], 6),
    ("a chain of 15 pairs", [(i, i + 1) for i in range(15)], 16),
    (f"{len(views)} tables of 4", views, 16),
):
    print(f"{what:>20}: {tree_cells(sets, [2] * width):>6,} cells")
totals = [
    Measurement((0,), np.array([60.0, 42]), 1.0),
    Measurement((1, 2), np.full((2, 2), 24.0), 1.0),
]
print(f"totals of 102 (2 cells) and 96 (4 cells), weighted: {estimated_total(totals):.0f}")

# %% [markdown]
# The number of people is secret, too. It is estimated from the totals of bought tables, with weights
# $1/(\text{cells} \cdot \sigma^2)$.
#
# <details><summary>A fit by hand: three yes-or-no attributes, two tables.</summary>
#
# The tables of $(a, b)$ and $(b, c)$ were bought with equal noise, and they disagree about $b$. Take the mean of what they say,
# here 40 and 60 people. Spread the difference evenly over the cells of each column of the first table, and of each row of the
# second. If no cell falls below 0, these are the nearest tables that agree. Now $a$ and $c$ depend on each other only
# through $b$: that is the largest entropy. So the joint table is
# $$P(a, b, c) = \mu_{ab}\, \mu_{bc} / \mu_b.$$
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: the fit by hand of two tables, its eight cells, and those of fit_model
first, second = np.array([[30.0, 10], [8, 52]]), np.array([[20.0, 22], [40, 18]])
shared = (first.sum(axis=0) + second.sum(axis=1)) / 2
first_fit = first + (shared - first.sum(axis=0)) / 2
second_fit = second + ((shared - second.sum(axis=1)) / 2)[:, None]
joint = first_fit[:, :, None] * second_fit / shared[:, None]
both = [Measurement((0, 1), first, 1.0), Measurement((1, 2), second, 1.0)]
fitted = fit_model(both, (2, 2, 2)).marginal((0, 1, 2))
print("b:", shared, " (a, b):", first_fit.tolist(), " (b, c):", second_fit.tolist())
for cell in np.ndindex(2, 2, 2):
    print(cell, f"by hand {joint[cell]:.3f}, fit_model {fitted[cell]:.3f}")
print(f"largest difference {np.abs(joint - fitted).max():.0e}")

# %% [markdown]
# Three pairs leave the joint table open. One more person in the cells with an even number of ones, and one less in the
# others, changes no pair:

# %% jupyter={"source_hidden": true}
# Computed: three contradictory pairs: all joint tables that fit best, and the one that is taken
three_pairs = [
    Measurement((0, 1), np.array([[30.0, 20], [20, 30]]), 1.0),
    Measurement((0, 2), np.array([[28.0, 22], [18, 32]]), 1.0),
    Measurement((1, 2), np.array([[33.0, 17], [19, 31]]), 1.0),
]
best_fit = fit_model(three_pairs, (2, 2, 2), rounds=1000, total=100)
taken = best_fit.marginal((0, 1, 2))
even = np.indices((2, 2, 2)).sum(axis=0) % 2 == 0
down, up = taken[even].min(), taken[~even].min()
print(f"least loss {best_fit.losses[-1]:.3f}, cell 000 of the fit {taken[0, 0, 0]:.2f}")
ends = f"{taken[0, 0, 0] - down:.1f} to {taken[0, 0, 0] + up:.1f}"
print(f"as good: all with cell 000 from {ends}")
for what, moved in (("lowest", -down), ("fit", 0), ("highest", up)):
    cells = np.maximum(taken + np.where(even, moved, -moved), 1e-12) / 100
    print(f"entropy, {what:>7}: {-(cells * np.log(cells)).sum():.3f}")

# %%
PAIRS_OF_4 = list(itertools.combinations(range(4), 2))
SETS = {
    "chain": [(0, 1), (1, 2), (2, 3)],
    "circle": [(0, 1), (1, 2), (2, 3), (0, 3)],
    "all pairs": PAIRS_OF_4,
}
STEPS = [1, 2, 3, 5, 8, 12, 20, 40, 80, 200]
four = survey[:100, [0, 2, 4, 7]]
TARGETS = {
    name: measure(four, sets, 0.005, np.random.default_rng(4)) for name, sets in SETS.items()
}
TARGETS["negative"] = [Measurement((0,), np.array([-5.0, 105.0]), 1.0)]
FITS = {
    name: [fit_model(bought, (2,) * 4, rounds=steps, total=100) for steps in STEPS]
    for name, bought in TARGETS.items()
}

# %% jupyter={"source_hidden": true}
# Figure: fit_model(measurements, sizes, rounds=steps): loss by steps, and one table's cells
fig, (loss_ax, cell_ax) = figure(columns=2, height=2.7)
(loss_line,) = curves(loss_ax, range(201), {"loss": "noisy"})
loss_dot = own_point(loss_ax)
x_axis(loss_ax, "steps", (0, 200))
y_axis(loss_ax, "loss (log scale)", (1, 2e4), log=True)
target_marks, cell_marks = curves(
    cell_ax, range(4), {"bought": "true x", "fitted": "noisy o"}, linestyle=""
)
x_axis(cell_ax, "cell of the first table", (-0.5, 3.5), range(4))
y_axis(cell_ax, "people", (-30, 170))
cell_ax.axhline(0, color=COLOURS.grey, linewidth=1)
legend_above(fig, handles=[target_marks, cell_marks])
fit_line = verdict_text(loss_ax)


def descent(steps, bought):
    model, first = FITS[bought][STEPS.index(steps)], TARGETS[bought][0]
    losses = np.array(FITS[bought][-1].losses)
    set_curves([loss_line], [np.append(losses, np.full(201 - len(losses), losses[-1]))])
    set_own_point(loss_dot, steps, model.losses[-1])
    cells, wanted = model.marginal(first.attributes).ravel(), first.noisy.ravel()
    target_marks.set_data(np.arange(wanted.size), wanted)
    cell_marks.set_data(np.arange(cells.size), cells)
    set_verdict_text(fit_line, None, f"step {steps}: loss {model.losses[-1]:.4g}")
    told = f"first cell {cells[0]:.1f} of 100 people; all: "
    told += ", ".join(f"{cell:.1f}" for cell in cells)
    return f"step {steps}: loss {model.losses[-1]:.3f}; {told}"


live(
    fig,
    descent,
    "Left: the loss falling with the steps, on a log scale. Right: the cells that were "
    "bought, as crosses, and those of the "
    "fitted model, as dots.",
    guess=predict(
        "A bought table says −5 and 105 of 100 people. What does the fit put into the "
        "first cell?",
        (-10, 20, " people"),
        r"first cell ([\d.-]+)",
        steps=200,
        bought="negative",
    ),
    play="steps",
    steps=choice(STEPS, 3),
    bought=choice({name: name for name in TARGETS}, "circle"),
)

# %% [markdown]
# The loss never rises: a step that brings less than half of what the slope promises is halved and tried again. Contradictions
# leave a loss that no distribution can avoid. [All pairs](#move:bought=all%20pairs&steps=200) contradict each other more
# than [the chain](#move:bought=chain&steps=200).
#
# ## AIM: ask where the model is wrong by more than noise
#
# MST chooses all its pairs before it has seen the table of any. AIM (McKenna, Mullins, Sheldon and Miklau 2022) chooses,
# buys and fits in rounds. The score of a table is the model's error *minus the noise that buying would bring*:
#
# $$w_r \left(\|T_r - M_r\|_1 - \sqrt{2/\pi}\,\sigma\,n_r\right), \qquad n_r \text{ cells.}$$
#
# The weight $w_r$ counts attributes that $r$ shares with the wanted tables, the *workload*. Without the penalty large tables
# win. After a round that taught less than its noise, later rounds get four times the budget. The budget depends on released
# numbers only, so the ledger is a *filter* ([25](25_accounting.ipynb)).

# %% jupyter={"source_hidden": true}
# What this page imports
from dpbook.synthetic import aim
from dpbook.synthetic.selection import wrongness

# %%
show_source(wrongness)
triples = list(itertools.combinations(range(d), 3))
asked = aim(survey, triples, 24, 1.0, DELTA, np.random.default_rng(1))
for purpose, spent in asked.ledger[:5]:
    print(f"{purpose:>22}: rho {spent:.6f}")
together = sum(spent for _, spent in asked.ledger)
print(f"... {len(asked.ledger)} entries, together {together:.10f} of {rho:.10f}")

# %% [markdown]
# At a small epsilon the penalty decides. Without it the largest candidate has the highest score: here the whole table of
# 256 cells, whose noise drowns the data.

# %% jupyter={"source_hidden": true}
# Computed: the highest scores at epsilon 0.1 by the size of a table, with weight 1, after the singles
price = zcdp_rho(0.1, DELTA) / 24  # of a round
alone_now = measure(survey, singles, 0.9 * price * d, np.random.default_rng(1))
known, noises = fit_model(alone_now, (2,) * d), (0, math.sqrt(1 / (2 * 0.9 * price)))
for size in (2, 3, 4, 8):
    sets = list(itertools.combinations(range(d), size))
    truths, told = marginals(survey, sets), [known.marginal(some) for some in sets]
    plain, fined = (wrongness(truths, told, 1, noise).max() for noise in noises)
    print(f"{size} attributes: error {plain:,.0f} people, minus the noise {fined:,.0f}")

# %% [markdown]
# ## Whole records
#
# If records are drawn one by one, their counts vary as those of a survey do. Here, at epsilon 1, this error is larger than that of the noise.
# **Systematic sampling** avoids it: add up the expected counts, from the first cell to the last. Add one uniform
# $u \in [0, 1)$ to each of these sums, and round down. The differences are whole counts, unbiased, within one of what is
# expected, and have the right sum.

# %% jupyter={"source_hidden": true}
# What this page imports
from dpbook.synthetic import whole_counts

# %%
show_source(whole_counts)
counts = whole_counts([0.5, 0.9, 0.6], 2, np.random.default_rng(1))
print(counts, "people in cells that expect 0.5, 0.9 and 0.6")

# %% jupyter={"source_hidden": true}
# Computed: what drawing costs, a biased way to round, zeros, and intervals from synthetic records
alone = math.sqrt(20_190 * 3 / 16)
varied = f"a count of a quarter has deviation {alone:.2f}"
print(f"20,190 records drawn one by one: {varied}, MST's noise has {thirds[1]:.2f};")
print(f"    together {math.hypot(alone, thirds[1]):.1f}")
p = np.array([0.5, 0.9, 0.6]) / 2
inside = [p[i] + sum(p[j] * p[i] / (1 - p[j]) for j in range(3) if j != i) for i in range(3)]
inside = np.round(inside, 4)
print("choice(p=fractions, replace=False) keeps .5, .9, .6 with probability", inside)
told, drawn = (np.mean(stages(1.0, 1)[1][place]) for place in (2, 3))
print(f"MST of the first figure: pairs off by {told:.4f}, those of its records {drawn:.4f}")
ghosts = 1000 * 20 / math.sqrt(2 * math.pi)
print(f"1,000 impossible cells, noise 20, cut at 0: {ghosts:,.0f} people who cannot exist")
zeros = fit_model(three_pairs, (2, 2, 2), impossible=[((0, 2), (0, 1))])
print(f"the pair (0, 1) declared impossible: {zeros.marginal((0, 2))[0, 1]:.0f} people in it")
for noise in (0, 30):
    spread_out = math.sqrt(2 * 0.25 / 1000 + (noise / 1000) ** 2)
    covered = math.erf(1.959964 * math.sqrt(0.25 / 1000) / spread_out / math.sqrt(2))
    covers = f"noise {noise} on the count: covers {covered:.4f}"
    print(f"a 95% interval from 1,000 synthetic records, {covers}")

# %% [markdown]
# So no standard error that is computed *from* synthetic records can be trusted: they were drawn from an estimate. Public
# zeros (no child is widowed) cost nothing: pass them as `impossible=`. Zeros, categories and bins read off the data have an
# infinite loss.
#
# Last, a model for each of many public groups: if they are disjoint, one record pays for one group only (add/remove). The
# size of a group is secret, too: estimate it from the group's own tables.

# %% jupyter={"source_hidden": true}
# Computed: one model for each of many groups, from tables alone and with choices
print("rho 0.1 a group: epsilon at 1e-6   tables without a choice   MST or AIM, at most")
for tables, choices, what in (  # times rho; under replace a choice costs four times as much
    (1, 1, "disjoint groups, add/remove"),
    (2, 4, "the same, replace"),
    (10, 10, "ten overlapping, add/remove"),
):
    alone = gaussian_epsilon(math.sqrt(0.2 * tables), 1, DELTA)
    print(f"{what:>32} {alone:>18.4f} {zcdp_epsilon(0.1 * choices, DELTA):>24.4f}")

# %% [markdown]
# ## Who wins
#
# Errors are total variations (half of $\|T - T'\|_1 / N$) over at most 60 tables of a size, $\delta = 10^{-6}$, medians of
# 20 releases. *No selection* is the dull rival. For 8 attributes it is the full table with Gaussian noise. For 16 it is 20
# fixed tables of 4 that cover all pairs, fitted by Private-PGM. MWEM, PrivBayes and PriView are those of
# [13](13_marginals.ipynb), at pure epsilon. PrivBayes is for replace, and is judged by its records.
#
# **What nobody paid for.** MWEM is told the number of records. Rounds were set by hand on these data: 24 and 40 for AIM, 8
# and 12 for MWEM. So were the 2 parents of PrivBayes and the size of fixed tables. MST has nothing to set.

# %%
raced = json.loads(pathlib.Path("28_synthetic.json").read_text(encoding="utf-8"))
RACED, DULL = {}, ("full table", "20 fixed views")
for row in raced["races"]:
    label = "no selection" if row["method"] in DULL else row["method"]
    RACED.setdefault((row["attributes"], label), []).append(row)

# %% jupyter={"source_hidden": true}
# Figure: error against epsilon for six methods, from 28_synthetic.json (papers/synthetic.py)
METHODS = {
    "independent": "grey",
    "MST": "noisy",
    "AIM": "other",
    "no selection": "true --",
    "PrivBayes": "fourth",
    "MWEM": "third",
}
at = [row["epsilon"] for row in RACED[8, "MST"]]
fig, race_ax = figure(height=2.9)
race_lines = curves(race_ax, at, METHODS, ends=True, linewidth=2, marker="o", markersize=4)
x_axis(race_ax, "epsilon", (0.03, 10), [0.03, 0.1, 0.3, 1, 3, 10], log=True)
y_axis(race_ax, "mean error of a table", (0.0005, 0.5), [0.001, 0.01, 0.1], log=True)
(here,) = race_ax.plot([1, 1], [1e-5, 1], ":", color=COLOURS.true)
race_line = verdict_text(fig)


def race(attributes, size, epsilon):
    of = f"of {size}_median"
    errors = {name: [row[of] for row in RACED[attributes, name]] for name in METHODS}
    set_curves(race_lines, errors.values())
    here.set_xdata([epsilon, epsilon])
    now = {name: error[at.index(epsilon)] for name, error in errors.items()}
    first, second = sorted(now, key=now.get)[:2]
    words = f"{attributes} attributes, epsilon {epsilon:g}: {first} has the lowest median"
    set_verdict_text(race_line, None, words)
    best = f"{first} {now[first]:.4f}, {second} {now[second]:.4f}"
    return f"{words}, tables of {size}: {best}; MST {now['MST']:.4f}"


live(
    fig,
    race,
    "Error against epsilon on log axes, a line for each of six methods. Most lines fall; "
    "independent single tables stay "
    "level.",
    task="which line still falls at epsilon 10, and which are level?",
    guess=predict(
        "Sixteen attributes, tables of three, epsilon 1: which method has the smallest error?",
        ["MST", "AIM", "no selection"],
        lambda said: said.split(": ")[2].split(" 0")[0],
        attributes=16,
        size=3,
        epsilon=1.0,
    ),
    attributes=choice([8, 16], 8),
    size=choice([2, 3, 4], 2, label="attributes of a table"),
    epsilon=choice(at, 1.0),
)

# %% [markdown]
# From epsilon 0.1 on, a fixed design beats both selections at 16 attributes: its model of 65,536 cells still fits into
# memory. So does one that the figure lacks at 8 attributes, six tables of 4:

# %% jupyter={"source_hidden": true}
# Computed: pairs of 8 attributes by six fixed tables of 4, medians of 20, and by the best above
six = covering_design(8, 4, 2)
for epsilon in (0.03, 0.1, 0.3, 1.0, 3.0):
    rng, off = np.random.default_rng(1), []
    for _ in range(20):
        bought = measure(survey, six, zcdp_rho(epsilon, DELTA), rng)
        model = fit_model(bought, (2,) * 8, rounds=120)
        told = map(model.marginal, pairs)
        off.append(np.mean(list(map(table_variation, told, pair_truth))))
    lowest = min(RACED[8, name][at.index(epsilon)]["of 2_median"] for name in METHODS)
    found = f"{np.median(off):.4f} ± {1.25 * np.std(off) / math.sqrt(20):.4f}"
    words = f"epsilon {epsilon:<4g}: {len(six)} fixed tables off by {found}"
    print(f"{words}, the best in the figure by {lowest:.4f}")

# %% [markdown]
# For 32 attributes a joint model would not fit. PriView fits tables one by one and gives no records, so it still can do
# without selection:

# %% jupyter={"source_hidden": true}
# Computed: PriView of chapter 13, with 20 fixed tables: of 4 attributes at 16, of 8 at 32
for attributes, labels in ((16, ("PriView", "no selection", "MST")), (32, ("PriView", "MST"))):
    for label, epsilon in itertools.product(labels, (0.1, 1.0)):
        (row,) = [one for one in RACED[attributes, label] if one["epsilon"] == epsilon]
        errors = ", ".join(f"{row[f'of {size}_median']:.4f}" for size in (2, 3, 4))
        words = f"{attributes} attributes, {label:>12}, epsilon {epsilon:g}"
        print(f"{words:<41}: tables of 2, 3, 4 off by {errors}")
wide = covering_design(32, 4, 2)
for row in raced["steps"]:
    found = f"{row['steps']} steps: pairs off by {row['of 2_median']:.4f}"
    print(f"no selection, epsilon 10, {found}")
print(f"{len(wide)} tables of 4 cover all pairs of 32: {tree_cells(wide, [2] * 32):,} cells")

# %% [markdown]
# So selection pays at 32 attributes where epsilon is small, or where records are wanted.
# MST, MWEM and the single tables level off. What remains is bias, which no epsilon removes. At 16
# attributes AIM and *no selection* level off, too; the latter, for pairs, because its fit stops after 120 steps.
#
# **One question.** Users often want one thing: a rule that predicts "affair" from the other answers. Draw 5,000 records
# from each release and fit a straight line to them by least squares. Then let it rank the 1,366 women whom no release
# has seen. Its *AUC* is the probability that a woman with an affair ranks above one without; a coin has 0.5. The dull rival
# buys only the seven pairs of "affair" with another answer.

# %% jupyter={"source_hidden": true}
# Computed: AUC on women held back, medians of 20 releases, from 28_synthetic.json
LEARNT = {}
for row in raced["predicting"]:
    found = row["auc_median"], 1.25 * row["auc_error"]  # of a median: sqrt(pi / 2) the mean's
    LEARNT.setdefault(row["method"], []).append(found)
((real, _),) = LEARNT.pop("real records")
print("AUC ± standard error\nepsilon       0.03              0.1               1")
for method, aucs in LEARNT.items():
    print(f"{method:<13}", "   ".join(f"{auc:.4f} ± {error:.4f}" for auc, error in aucs))
print(f"real records: {real:.4f}")

# %% [markdown]
# Up to epsilon 0.1 the seven pairs win, since all of the budget goes to the question. They level off, since their model
# takes the seven answers as independent, given "affair". At epsilon 1 AIM and the full table come near the real records.
#
# The metric picks the winner, too: at epsilon 0.1 AIM's tables are better than the full table's, and its rule is worse.
#
# ## Small groups pay
#
# Take the people who gave two answers, and the rate of a third answer among them. Noise of deviation $\sigma$ on cells moves
# a rate near 1/2 in a group of $n$ by about $\sigma / (\sqrt 2\, n)$. But is it the noise that hurts small groups?

# %% jupyter={"source_hidden": true}
# Computed: the deviation of a rate of one half by MST's noise, by the formula and by 200,000 draws
shaken = np.random.default_rng(1).normal(scale=thirds[1], size=(200_000, 2))
for size in (100, 1000):
    cells = np.maximum(size / 2 + shaken, 1e-9)
    ends = np.quantile(cells[:, 0] / cells.sum(axis=1), (0.1587, 0.8413))
    rule, half = thirds[1] / math.sqrt(2) / size, (ends[1] - ends[0]) / 2
    words = f"{size:>5,} people, noise {thirds[1]:.1f}: {rule:.4f}"
    print(f"{words}, half of the middle 68% of draws {half:.3f}")

# %% jupyter={"source_hidden": true}
# Figure: median error of a third answer's rate against the size of the group, from 28_synthetic.json
GROUPED = {(row["method"], row["epsilon"]): row for row in raced["groups"]}
SIZES = [20, 100, 300, 1_000, 3_000, 10_000]
LEVELS = {"0.1": 0.1, "1": 1.0, "no noise": max(epsilon for _, epsilon in GROUPED)}
fig, group_ax = figure(height=2.7)
looks = {"epsilon 0.1": "other", "epsilon 1": "noisy", "no noise": "true --"}
group_lines = curves(group_ax, SIZES, looks, ends=True, linewidth=2, marker="o")
x_axis(group_ax, "people in the group, from", (20, 10_000), SIZES, log=True)
y_axis(group_ax, "error of a rate, points", (0.05, 50), [0.1, 1, 10], log=True)
group_dot = own_point(group_ax, colour=COLOURS.amber, markeredgecolor="black")
group_line = verdict_text(group_ax)


def groups(method, size, level):
    cuts = [f"from {one}_median" for one in SIZES]
    rows = {name: [GROUPED[method, e][cut] for cut in cuts] for name, e in LEVELS.items()}
    set_curves(group_lines, rows.values())
    now = {name: row[SIZES.index(size)] for name, row in rows.items()}
    set_own_point(group_dot, size, now[level])
    gain = max(0, 100 * (1 - now["no noise"] / now["1"]))
    doubt = 1.25 * GROUPED[method, LEVELS[level]][f"from {size}_error"]
    words = f"{method}, groups from {size:,}: off by {now[level]:.1f} ± {doubt:.1f} points"
    set_verdict_text(group_line, None, words)
    removed = f"taking away the noise of epsilon 1 removes {gain:.0f}% of the error"
    return f"{words} (epsilon: {level}); {removed}"


live(
    fig,
    groups,
    "Error in percentage points against the size of the group on log axes: three falling "
    "lines, for two epsilons and no noise.",
    task="change the method. For which one is more epsilon a remedy?",
    guess=predict(
        "MST, groups of 20 to 100 people: how much of the error goes away without any noise?",
        (0, 100, "%"),
        r"removes (-?\d+)%",
        method="MST",
        size=20,
        level="1",
    ),
    method=choice({"MST": "MST", "20 fixed views": "20 fixed views"}, "MST"),
    size=choice(SIZES, 100, label="group, from"),
    level=choice({name: name for name in LEVELS}, "1", label="epsilon"),
)

# %% [markdown]
# For MST at epsilon 1 it is the model's bias, not the noise. Such a tree gives the group rates of larger groups. "More
# epsilon helps minorities" is false for MST from epsilon 1 on: buy a table that *contains the group*.
#
# That pays where its noise is small. [At epsilon 0.1](#move:level=0.1&size=100&method=20%20fixed%20views) the 20 fixed tables
# are worse than MST for groups below 1,000.
#
# ## Distances prove nothing
#
# Many reports show the "distance to the closest record": if no synthetic record is close to a real one, nobody was copied.
# Here is a generator with perfect marks: it keeps away from everybody, so holes show where people are.


# %%
def closest(points, others):
    """How far each point is from the closest of the others."""
    return np.sqrt(((points[:, None] - others) ** 2).sum(axis=2)).min(axis=1)


crowd = np.random.default_rng(28).random((80, 2))
members, outsiders = crowd[:40], crowd[40:]
tossed = np.random.default_rng(29).random((8000, 2))
gaps = closest(tossed, members)


@functools.cache
def accused(distance, number):
    """The points, the least gap, how many members and outsiders have none so near."""
    kept = tossed[gaps >= distance][:number]
    near, far = closest(members, kept), closest(outsiders, kept)
    least = max(distance, 1e-9)
    return kept, near.min(), int(np.sum(near >= least)), int(np.sum(far >= least))


# %% jupyter={"source_hidden": true}
# Figure: random points that keep a distance from 40 people, and an attack that looks for holes
fig, (square_ax, marks_ax) = figure(columns=2, height=2.9, width_ratios=(1, 1))
(dust,) = square_ax.plot([], [], ".", color=COLOURS.noisy, markersize=2)
square_ax.plot(*members.T, "o", color=COLOURS.other, markersize=4)
square_ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=[], yticks=[])
square_ax.set_xlabel("40 people (dots), synthetic points")
looks = {"members": "other", "outsiders": "grey"}
called = curves(marks_ax, np.linspace(0, 0.1, 21), looks, ends=True, linewidth=2)
x_axis(marks_ax, "distance kept", (0, 0.1))
y_axis(marks_ax, "called members, of 40", (0, 42))
holes_dot = own_point(marks_ax)
holes_line = verdict_text(fig)


def holes(distance, number):
    rows = [accused(round(float(one), 3), number)[2:] for one in np.linspace(0, 0.1, 21)]
    set_curves(called, np.transpose(rows))
    kept, nearest, hits, wrong = accused(distance, number)
    dust.set_data(*kept.T)
    set_own_point(holes_dot, distance, hits)
    told = f"members called: {hits} of 40, outsiders: {wrong}"
    words = f"closest record {nearest:.3f} away; {told}"
    set_verdict_text(holes_line, None, words.replace("record ", ""))
    return f"distance {distance:g}, {number:,} records: {words}"


for number in (100, 500, 2000, 5000):
    holes(0.05, number)

live(
    fig,
    holes,
    "Left: a square full of synthetic points with 40 people, each in a round hole whose "
    "radius is the distance kept. Right: members and outsiders whom the attack "
    "calls members, against the distance kept.",
    task="raise the distance: the marks improve. And the attack?",
    distance=slider(0.0, 0.1, 0.05, 0.005),
    number=choice([100, 500, 2000, 5000], 2000, label="records"),
)

# %% jupyter={"source_hidden": true}
# Computed: the same with 16 answers and a clinic of 60, and the loss
from dpbook.data.attributes import health_attributes
from dpbook.synthetic import avoiding_records, closest_distances, empty_balls

health = health_attributes()[1][:, :16]
shuffled = health[np.random.default_rng(5).permutation(len(health))]
clinic, others = shuffled[:60], shuffled[60:2060]
far = closest_distances(others, clinic) > 1
made = avoiding_records(clinic, health.mean(axis=0), 20_000, 2, np.random.default_rng(1))
least = closest_distances(made, clinic).min()
print(f"20,000 records, each at least {least} answers from everybody in the clinic")
held, alone, alike = (empty_balls(made, some, 1) for some in (clinic, others, others[far]))
print(
    f"an empty ball: {held.sum()} of 60 members, {alone.mean():.1%} of {len(others):,} others,"
)
unlike = f"{far.sum():,} others who differ from every member in at least two answers"
print(f"    {alike.mean():.1%} of the {unlike}")
print(f"256 cells, 40 taken, 500 records: delta {1 - (1 - 1 / 217) ** 500:.4f} at any epsilon")
print(f"a generator that never saw the data has {40 / 256:.1%} of its records at distance 0")

# %% [markdown]
# Distance is a property of one output. Privacy is a property of two distributions.
#
# ## Private Evolution in small
#
# When a *public* generator exists (an image model, say), ask it for candidates. Private points vote for the nearest
# candidate, the votes get Gaussian noise, and candidates with many votes are varied (Lin and others 2023). Under add/remove
# $T$ turns are one Gaussian release of sensitivity $\sqrt T$. The guarantee is void if the generator has seen the data.

# %% jupyter={"source_hidden": true}
# What this page imports
from scipy import stats

from dpbook import data
from dpbook.gaussian import gaussian_scale
from dpbook.synthetic import nearest_votes, private_evolution

# %%
show_source(private_evolution)
print(f"10 turns at (1, 1e-5): noise {gaussian_scale(math.sqrt(10), 1, 1e-5):.5f} votes")
print(f"the same under replace: {gaussian_scale(math.sqrt(20), 1, 1e-5):.5f}")
for cut in (0, 1, 2):
    false_votes = 200 * 10 * (stats.norm.pdf(cut) - cut * stats.norm.sf(cut))
    words = f"200 empty candidates, noise 10, threshold {cut} deviations"
    print(f"{words}: {false_votes:.1f} false votes")

# %% jupyter={"source_hidden": true}
# Figure: private_evolution(points, start, vary, 8, threshold, epsilon, delta, rng), turn by turn
points = data.three_clusters()
small = np.array([0.8, 0.2])
true_part = np.mean(np.linalg.norm(points - small, axis=1) < 0.12)


def vary(some, turn, rng):
    """A public generator: the same points, moved a little; less in every turn."""
    return np.clip(some + rng.normal(scale=0.12 * 0.75**turn, size=some.shape), 0, 1)


@functools.lru_cache(maxsize=64)
def evolved(epsilon, threshold, candidates):
    rng = np.random.default_rng(28)
    start = rng.random((candidates, 2))
    return private_evolution(points, start, vary, 8, threshold, epsilon, 1e-5, rng)


fig, evolution_ax = figure(height=2.9)
evolution_ax.plot(*points.T, ".", color=COLOURS.grey, markersize=2)
crowd_dots = evolution_ax.scatter([], [], s=[], color=COLOURS.noisy, alpha=0.5)
evolution_ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
evolution_ax.set_xlabel("candidates, by their votes")
evolution_line = verdict_text(evolution_ax)


def evolution(turn, epsilon, threshold, candidates):
    found = evolved(epsilon, threshold, candidates)
    now, noisy = found.history[turn] if turn < 8 else (found.points, np.zeros(candidates))
    kept = np.maximum(noisy - threshold * found.scale, 0)
    crowd_dots.set_offsets(now)
    voted = 2 + 100 * kept / max(kept.max(), 1)
    crowd_dots.set_sizes(voted if turn < 8 else np.full(candidates, 20.0))
    close = np.mean(np.sqrt(((now - small) ** 2).sum(axis=1)) < 0.12)
    false_votes = kept[nearest_votes(points, now) == 0].sum() / max(kept.sum(), 1)
    words = f"turn {turn}: {close:.0%} in the small cluster (true {true_part:.0%})"
    set_verdict_text(evolution_line, None, words)
    told = f"; {false_votes:.0%} of the votes are false" if turn < 8 else ""
    return f"turn {turn}, epsilon {epsilon:g}: {close:.1%} in the small cluster{told}"


live(
    fig,
    evolution,
    "Grey points in three clusters; blue candidates, larger with more votes, which "
    "at epsilon 1 gather on the clusters turn by turn.",
    task="play the turns; then lower epsilon until the small cluster is lost.",
    play="turn",
    turn=slider(0, 8, 3),
    epsilon=log_slider(0.1, 30, 1.0),
    threshold=slider(0.0, 3.0, 1.0, 0.5, label="threshold (deviations)"),
    candidates=choice([50, 100, 200, 400], 200),
)

# %% [markdown]
# [Epsilon 0.3 without threshold](#move:turn=7&epsilon=0.3&threshold=0) keeps false candidates alive;
# [a threshold of 2](#move:turn=7&epsilon=0.3&threshold=2) cuts them, and here the small cluster with them.
#
# **Against dull rivals.** Cut each axis into equal parts, and buy the whole table with Gaussian noise. Cut it at 0, and draw
# points uniformly in its cells: the *grid*. It has 10 parts an axis in two dimensions, and 5, 2 and 2 in 4, 6 and 8. Or
# run MST on 10 parts. A judge cuts the axes, too, and compares the tables of all pairs of axes. The points of more
# dimensions lie in three such clusters; $\delta = 10^{-5}$, medians of 20 releases ± a standard error. *Level* is within two.

# %% jupyter={"source_hidden": true}
# Figure: error of pairs of axes against the judge's cells, for three methods, from 28_synthetic.json
JUDGED = {(row["axes"], row["method"], row["epsilon"]): row for row in raced["points"]}
JUDGES = list(range(4, 21))
fig, judge_ax = figure(height=2.8)
looks = {"grid": "grey", "MST": "noisy", "Evolution": "other"}
judge_lines = curves(judge_ax, JUDGES, looks, ends=True, linewidth=2, marker="o", markersize=4)
x_axis(judge_ax, "parts of an axis, of the judge", (4, 20), [4, 5, 8, 10, 12, 16, 20])
y_axis(judge_ax, "error of a pair of axes", (0, 0.8))
(judge_mark,) = judge_ax.plot([8, 8], [0, 0.8], ":", color=COLOURS.true)
judge_line = verdict_text(judge_ax)


def judge(dimensions, epsilon, parts):
    rows = {name: JUDGED[dimensions, name, epsilon] for name in looks}
    errors = [[row[f"cells {one}_median"] for one in JUDGES] for row in rows.values()]
    set_curves(judge_lines, errors)
    judge_mark.set_xdata([parts, parts])
    now = {name: row[f"cells {parts}_median"] for name, row in rows.items()}
    doubts = {name: 1.25 * row[f"cells {parts}_error"] for name, row in rows.items()}
    first, second = sorted(now, key=now.get)[:2]
    wins = now[second] - now[first] > 2 * math.hypot(doubts[first], doubts[second])
    best = f"{first} wins" if wins else f"{first} and {second} are level"
    words = f"judged on {parts} parts an axis: {best}"
    set_verdict_text(judge_line, None, words)
    told = ", ".join(f"{name} off by {now[name]:.3f} ± {doubts[name]:.3f}" for name in now)
    return f"{dimensions} dimensions, epsilon {epsilon:g}, {words}: {told}"


live(
    fig,
    judge,
    "Error against the number of parts into which the judge cuts an axis: in two dimensions "
    "at epsilon 1 the lines of grid and MST drop at 5 and at 10, and that of Evolution rises.",
    task="move the judge from 8 to 10. Then go to eight dimensions.",
    guess=predict(
        "Two dimensions, epsilon 1. Grid and MST have 10 parts an axis. Who wins before a "
        "judge with 8?",
        ["grid", "MST", "Evolution"],
        lambda said: said.split(": ")[1].split(" wins")[0],
        dimensions=2,
        epsilon=1.0,
        parts=8,
    ),
    dimensions=choice([2, 4, 6, 8], 2),
    epsilon=choice([0.1, 0.3, 1.0, 3.0, 10.0], 1.0),
    parts=choice([4, 5, 8, 10, 12, 16, 20], 8, label="judge's parts"),
)

# %% [markdown]
# In two dimensions at epsilon 1 the rivals win on their own parts, and Evolution wins
# [on 8 parts](#move:parts=8&dimensions=2&epsilon=1). The metric picks the winner.
#
# [In four dimensions](#move:dimensions=4&parts=10&epsilon=1) the grid is lost: 5 parts an axis are coarse, and noise falls
# into their 625 cells. MST still wins on its own parts. [In eight dimensions](#move:dimensions=8&parts=10&epsilon=1) it is
# level with Evolution. But much of Evolution was set by hand on these points: 300 candidates, 8 turns, the threshold (one
# deviation), and steps that suit such clusters.
#
# ## Your own file
#
# Records of categories come from `read_categories` ([13](13_marginals.ipynb#Your-own-file)); give their public `sizes`.

# %%
mine = np.random.default_rng(3).integers(0, (3, 2, 4), (500, 3))
model = mst(mine, 1.0, DELTA, np.random.default_rng(1), sizes=(3, 2, 4)).model
synthetic = draw_records(model, 4, np.random.default_rng(1))
print(synthetic.tolist(), "of about", round(model.total), "people")

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/28_synthetic](../exercises/answers/28_synthetic.ipynb).
#
# **Assignment 28:** [five tasks, checked in a second](../exercises/releases/28_synthetic.ipynb).
#
# 1. *Warm-up.* How many pairs of Fair's survey does MST buy? How many of all 28 are right to 0.02 in its model at
#    epsilon 10?
# 2. What is the noise of MST on 8 attributes at $(1, 10^{-6})$? And under replace, for the same guarantee?
# 3. Take the first three attributes of `exclusive_or()` (`dpbook.data.attributes`, chapter 13), and buy their three
#    pairs. What does the model say of all three together?
# 4. Draw 1,000 records from MST's model of Fair's survey at epsilon 1. How far are their pairs from the model's, with
#    rounding and without?
# 5. *Challenge.* Add one table of three attributes to MST's purchase. For which group of two answers does the error fall?
#
# ## When to use it, and when not
#
# - **Use it** when many people want many tools on the same data, and the tables that matter can be named or learnt.
# - **Up to 16 attributes:** a fixed design from epsilon 0.1 on, AIM or MST below. **Few, and a large epsilon:** the full
#   table ([13](13_marginals.ipynb)). **More:** AIM or MST for records, PriView for tables at a large epsilon.
# - **One question:** at a small epsilon buy only the few tables that answer it.
# - **Say** which tables were bought, and give no standard errors computed from the records.
# - **Not** for small groups that no bought table contains, nor for rare events.
# - **Left out:** generative adversarial networks and language models, noise-aware intervals, merging of rare values.
#
# ## Sources
#
# - McKenna, Miklau, Sheldon, *Winning the NIST contest* (MST), Journal of Privacy and Confidentiality 2021, arXiv 2108.04978.
# - McKenna, Mullins, Sheldon, Miklau, *AIM*, 2022, arXiv 2201.12677. McKenna, Sheldon, Miklau, *Graphical-model based
#   estimation and inference* (Private-PGM), 2019, arXiv 1901.09136.
# - Cesar, Rogers, *Bounding, concentrating, and truncating*, 2021, arXiv 2004.07223. Bindschaedler, Shokri, Gunter, 2017,
#   arXiv 1708.07975. Ganev, De Cristofaro, 2023, arXiv 2312.05114. Lin and others, 2023, arXiv 2305.15560.
# - Hardt, Ligett, McSherry, 2012 (MWEM). Machanavajjhala and others, 2008. Lauritzen, Spiegelhalter, 1988.
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [27 Which epsilon?](27_choosing.ipynb) · **Next:** [29 Without a curator](29_parties.ipynb)
