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
# A total is published at every step. If each step's noise takes back a part of the noise before it, all totals become
# better, and nobody learns more.
#
# <details><summary>About 20 minutes, after 24 and 25: what you do, what you need, the data, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [29 Without a curator](29_parties.ipynb) · **Next:** [31 What a model remembers, and how to test it](31_memory.ipynb)
#
# **What you will do:** let noise cancel itself, and count what that costs. See a famous tree lose to no tree at all.
# Let a person come back four times, and decide who may toss coins.
#
# **You need:** the Gaussian mechanism ([24](24_gaussian.ipynb)) and accounts ([25](25_accounting.ipynb)). *Helpful:* the
# counter and DP-SGD, of chapters 17 and 26.
#
# **Time:** about 20 minutes. A stopping point: before *A person comes back*.
#
# **Real and synthetic:** the women of Fair's survey are real; all else on this page is a matter of matrices.
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
from dpbook.guesses import predict
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
    back = strategy[1, 0]
    words = f"rms {found.rms:.2f} at T = {T}; independent {hero_errors[1].rms:.2f}"
    set_verdict_text(hero_verdict, None, words)
    return (
        f"a step takes back {back:.0%} of the noise before it; rms in units of one "
        f"release's noise, which is {unit:.3g} items"
    )


live(
    fig,
    remembering,
    "Above, the noise added at each of 64 steps as bars; below, the error of the running "
    "total, within a band of two deviations that narrows as the noise remembers more.",
    task="play *bands*: the bars begin to alternate, and the band narrows.",
    guess=predict(
        "All 64 bands, the square root: how much of the last noise does a step take back?",
        (0, 100, "%"),
        r"takes back (\d+)%",
        bands=64,
    ),
    play="bands",
    bands=choice([1, 2, 4, 8, 16, 32, 64], 1),
    epsilon=log_slider(0.5, 4, 1.0),
    seed=new_noise(1),
)

# %% [markdown]
# With [one band](#move:bands=1) each step has noise of its own, and the totals drift. With [all
# bands](#move:bands=64) a step takes back half of the last noise, an eighth of the one before, a sixteenth of the next.

# %% jupyter={"source_hidden": true}
# What this page imports
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
from dpbook.data.predictions import affairs_prediction
from dpbook.gaussian import gaussian_epsilon
from dpbook.gradients import Recipe, train, training_multiplier
from dpbook.live import show_source, slider
from dpbook.plots import own_point, set_own_point
from dpbook.regression import unit_ball

# %% [markdown]
# ## Two naive attempts
#
# $T$ numbers come in, one a step, and after each step the total so far is published. Neighbours differ by one unit in
# one item (add/remove). Errors on this page are in units of the noise that one number of sensitivity 1 would need.
#
# - *Noise on each item*: an item is in one release, so the noise is 1. But totals add it up: $\sqrt T$ at the end.
# - *Noise on each total*: an item is in up to $T$ totals, so the L2 sensitivity is $\sqrt T$. All of them pay it.

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
# This is the **matrix mechanism** of [08](08_histograms.ipynb), with normal noise. One unit in an item moves $Cx$ by a
# column of $C$: the sensitivity is the longest column, $\|C\|_{1 \to 2}$. The account is that of one Gaussian, exactly,
# and $B$ is post-processing. It is the same to add $C^{-1} z$ to the items and sum up.

# %%
show_source(correlated_noise)

# %% [markdown]
# The loop behind it: `y[t] = (z[t] - C[t, :t] @ y[:t]) / C[t, t]`. With $b$ **bands** only the last $b - 1$ noises are
# remembered.

# %%
show_source(correlated_totals)

# %% [markdown]
# <details><summary>Items may depend on the releases before them. Why is the guarantee the same?</summary>
#
# $C$ is lower triangular: what is released at step $t$ uses the items and noises up to $t$. Given the past, step $t$ is a
# Gaussian mechanism on $(Cx)_t$. Gaussians compose adaptively, and their squared shifts add up to the squared length
# of $C u$. For normal noise the same holds for every $C$, since the distribution of $z$ looks the same in every rotation (Denisov and others 2022).
#
# </details>
#
# ## The tree is a strategy
#
# The binary counter of [17](17_continual.ipynb) sums blocks. Its $C$ has ones and zeros, and columns of at most
# $1 + \log_2 T$ ones. At $T = 16$ it is worse than no tree at all.

# %% jupyter={"source_hidden": true}
# Figure: the error of four strategies over T, precomputed, and the nuclear bound
LENGTHS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
makers = {"independent": np.eye, "tree": tree_strategy, "square root": root_strategy}
curve_errors = {
    name: [strategy_errors(make(n), prefix_workload(n)) for n in LENGTHS]
    for name, make in makers.items()
}
best_errors = [
    strategy_errors(optimal_strategy(prefix_workload(n)), prefix_workload(n))
    for n in LENGTHS[:8]
]
bounds = [np.linalg.svd(prefix_workload(n), compute_uv=False).sum() / n for n in LENGTHS]
fig, ax = figure(height=3.2)
length_looks = {
    "independent": "grey", "tree": "other", "square root": "noisy", "least rms (to "
    "128)": "true --"
}  # fmt: skip
length_lines = curves(ax, LENGTHS, length_looks)
length_mark = own_point(ax)
x_axis(ax, "steps T (log scale)", (1, 512), LENGTHS, log=True)
y_axis(ax, "error (units, log scale)", (0.9, 30), [1, 2, 5, 10, 20], log=True)
length_verdict = verdict_text(ax)
legend_above(fig, 4)


def error_over_lengths(steps, measure):
    place = LENGTHS.index(steps)
    values = [[getattr(one, measure) for one in curve_errors[name]] for name in makers]
    best = [getattr(one, measure) for one in best_errors] + [np.nan] * (len(LENGTHS) - 8)
    set_curves(length_lines, [*values, best])
    now = {name: row[place] for name, row in zip(makers, values, strict=True)}
    set_own_point(length_mark, steps, now["square root"])
    ratio = curve_errors["square root"][place].rms / bounds[place]
    words = f"T = {steps}: the root's rms is {ratio:.2f} times the bound"
    set_verdict_text(length_verdict, None, words)
    better = "independent noise" if now["independent"] < now["tree"] else "the tree"
    return (
        f"{measure}: independent {now['independent']:.2f}, tree {now['tree']:.2f}, "
        "square root "
        f"{now['square root']:.2f}; better of the first two: {better}"
    )


live(
    fig,
    error_over_lengths,
    "Errors of four strategies against the number of steps. Independent noise rises fastest, "
    "the tree overtakes it near 21 steps, the square root stays far below both.",
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
# Choose $B = C$, a square root of $A$. As power series, $A$ is $1/(1 - x)$, so $C$ is $(1 - x)^{-1/2}$: the coefficients
# $1, \tfrac12, \tfrac38, \tfrac5{16}, \dots$, that is $\binom{2k}{k} / 4^k$. And $C^{-1}$ is $(1 - x)^{1/2}$.

# %%
show_source(root_coefficients)

# %%
print("C:      ", root_coefficients(5))
print("inverse:", np.linalg.inv(root_strategy(5))[4, ::-1])
for length in (16, 256, 1024):
    largest = np.sum(root_coefficients(length) ** 2)
    theory = (math.log(length) + np.euler_gamma + 4 * math.log(2)) / math.pi
    print(f"T = {length}: largest error {largest:.4f}, Landau's formula {theory:.4f}")

# %% [markdown]
# The largest error grows like $\ln T / \pi + 1.07$. Noise of one step still looks as large as that of a single release. An
# account of each step's *marginal* noise is therefore wrong: if you add up steps, you see less noise.

# %%
root = root_strategy(256)
unit = gaussian_scale(1, 1.0, DELTA)
row = np.linalg.norm(np.linalg.inv(root), axis=1).max()
true = gaussian_epsilon(strategy_sensitivity(root), unit / row, DELTA)
print(f"each step's noise as large as one Gaussian's for epsilon 1: true epsilon {true:.3f}")

# %% [markdown]
# ## The best there is
#
# The smallest rms error over all strategies is a convex problem: minimise $\mathrm{tr}(A^\top A X^{-1})$ over $X = C^\top C$
# with a diagonal of at most 1. A fixed point of its dual solves it. No strategy is below the nuclear norm of $A$ over $T$.

# %%
for length in (16, 64):
    workload = prefix_workload(length)
    best = strategy_errors(optimal_strategy(workload), workload).rms
    root_rms = strategy_errors(root_strategy(length), workload).rms
    bound = np.linalg.svd(workload, compute_uv=False).sum() / length
    print(
        f"T = {length}: bound {bound:.4f}, best {best:.4f}, square root {root_rms:.4f},",
        f"{root_rms / best - 1:.1%} above the best",
    )

# %% [markdown]
# The square root is a few per cent above the best. BLT, with two to five decaying buffers, comes nearly as near with little memory.
#
# ## A person comes back
#
# In a training a person is used once each pass. Then $k$ columns of $C$ move together, and the sensitivity is the length
# of their sum. The rule for who may be used when is the *participation schema*. If the columns do not meet, the squares
# add up: $\sqrt k$ times one column. If they meet, it is more.

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
    return (
        f"{uses} uses, {apart} apart: {all_uses / one:.2f} times; with noise for the root of "
        f"{uses}, epsilon 1 is truly {rooted:.3f}"
    )


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
    apart=slider(1, 16, 8),
    kind=choice(list(schemas), "square root"),
)

# %% [markdown]
# [Bands of 8, used 8 apart](#move:uses=4&apart=8&kind=8%20bands) never meet. [The square root](#move:uses=4&apart=8&kind=square%20root)
# always does. Four passes of 64 steps, rms error:

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
    once = gaussian_epsilon(found.sensitivity, unit * strategy_sensitivity(strategy), DELTA)
    print(f"{name:21} rms {found.rms:5.2f}; noise for one use has epsilon {once:.2f} for 1")

# %% [markdown]
# A **restart** helps the tree and hurts the root. Draw fresh noise after it: with the same seed, differences of two
# passes have no noise at all.
#
# **Momentum** is post-processing of the same releases, so it costs nothing. Only the workload changes:

# %%
heavy = momentum_workload(256, 0.9)
for name, make in makers.items():
    print(f"momentum 0.9, {name}: rms {strategy_errors(make(256), heavy).rms:.1f}")

# %% [markdown]
# ## Bands, and coins again
#
# DP-SGD tosses a coin for each record at each step, and that hides who took part. A fixed order has no such coins, and may
# not claim their account. Bands can have both. Each record is in one of $b$ groups, by a coin of its own; step $t$ tosses
# coins of $bq$ within group $t \bmod b$. The columns used do not meet, so it is DP-SGD with $\lceil T/b \rceil$ steps.

# %%
show_source(banded_multiplier)

# %% jupyter={"source_hidden": true}
# Figure: rms over bands with coins for six epsilons, 42 multipliers, beside a fixed order
BANDS, EPSILONS, LONG = [1, 2, 4, 8, 16, 32, 64], [0.5, 1.0, 2.0, 4.0, 8.0, 16.0], 400
banded_rms = [
    strategy_errors(root_strategy(LONG, bands=b), prefix_workload(LONG)).rms for b in BANDS
]
coin_rms = {
    e: [
        banded_multiplier(b, LONG, 0.01, e, DELTA) * rms
        for b, rms in zip(BANDS, banded_rms, strict=True)
    ]
    for e in EPSILONS
}
ORDER = {"participations": 4, "separation": 100, "fixed": True}
order_rms = strategy_errors(root_strategy(LONG, bands=100), prefix_workload(LONG), **ORDER).rms
fig, ax = figure(height=3.0)
coin_looks = {"bands with coins": "noisy o-", "fixed order, 100 bands": "other --"}
coin_lines = curves(ax, BANDS, coin_looks)
x_axis(ax, "bands b (log scale)", (0.9, 70), BANDS, log=True)
y_axis(ax, "rms error of the totals", (2, 80), [2, 5, 10, 20, 50], log=True)
coin_verdict = verdict_text(ax)
legend_above(fig)


def bands_and_coins(epsilon):
    rms, order = coin_rms[epsilon], gaussian_scale(1, epsilon, DELTA) * order_rms
    set_curves(coin_lines, [rms, order])
    best = BANDS[int(np.argmin(rms))]
    winner = "coins win" if min(rms) < order else "the fixed order wins"
    set_verdict_text(coin_verdict, None, winner)
    return f"with coins best at {best} bands: {min(rms):.3g}; fixed order {order:.3g}"


live(
    fig,
    bands_and_coins,
    "The rms error against the number of bands, with coins, and a line for a fixed order. "
    "At small epsilon few bands are best; at large epsilon the fixed order wins.",
    task="from which epsilon on does the fixed order win?",
    guess=predict(
        "At epsilon 0.5, with coins: how many bands are best?",
        ["1", "2", "4", "16"],
        lambda caption: caption.split(" at ")[1].split()[0],
        epsilon=0.5,
    ),
    epsilon=choice(EPSILONS, 1.0),
)

# %% [markdown]
# ## DP-FTRL beside DP-SGD
#
# **DP-FTRL** is DP-SGD with such noise, with batches in a fixed order, and no coins. Nobody can draw a random
# sample of telephones, but a server can see to it that each is used at most once in $b$ rounds.

# %%
show_source(dp_ftrl)

# %% [markdown]
# A record's batch number is its own: it does not depend on who else is there. (By its place in a list, one record less
# would move all that follow.) Four passes over 5,000 women, 400 steps, 1,366 women held out. The best of five step
# sizes is *chosen on the held-out women*, who are then treated as public.

# %% jupyter={"source_hidden": true}
# Computed: accuracy of 20 models on held-out women, the median, the best of five step sizes
survey = affairs_prediction()
rows, answers = unit_ball(survey.features, survey.bounds), survey.answers
shuffled = np.random.default_rng(30).permutation(len(rows))
held, kept = shuffled[:1366], shuffled[1366:]
batches = np.random.default_rng(31).integers(100, size=len(kept))
majority = max(np.mean(answers[held] > 0), np.mean(answers[held] < 0))
print(f"majority {majority:.3f}")
for epsilon in (0.5, 8.0):
    said = []
    for name, strategy in (
        ("independent", np.eye(LONG)),
        ("square root", root_strategy(LONG)),
        ("100 bands", root_strategy(LONG, bands=100)),
    ):
        scores = []
        for size in (0.01, 0.02, 0.05, 0.1, 0.2):
            recipe = Recipe(0.01, LONG, 1.0, size, 0.5)
            models = dp_ftrl(
                rows[kept], answers[kept], batches, 100, recipe, strategy, epsilon, DELTA,
                np.random.default_rng(1), models=20,
            )  # fmt: skip
            right = answers[held] * (models.weights @ rows[held].T) > 0
            scores.append(np.median(right.mean(axis=1)))
        said.append(f"{name} {max(scores):.3f}")
    coins = Recipe(1.0, LONG, 0.01, 1.0, 0.5)
    noise, scores = training_multiplier(coins, epsilon, DELTA), []
    for size in (0.0001, 0.0002, 0.0005, 0.001, 0.002):
        rng, recipe = np.random.default_rng(1), coins._replace(step_size=size)
        models = [train(rows[kept], answers[kept], recipe, noise, rng) for _ in range(20)]
        right = answers[held] * (np.array([one.weights for one in models]) @ rows[held].T) > 0
        scores.append(np.median(right.mean(axis=1)))
    print(f"epsilon {epsilon:g}: {', '.join(said)}, DP-SGD with coins {max(scores):.3f}")

# %% [markdown]
# "DP-FTRL beats DP-SGD" is not what we see. Where coins may be tossed, DP-SGD is ahead, if by little. In
# the same fixed order, noise that remembers is ahead of independent noise at small epsilon.
#
# ## On your own
#
# A hint and an answer for each: [exercises/answers/30_correlated](../exercises/answers/30_correlated.ipynb).
#
# 1. *Warm-up.* From which $T$ on is the tree better than independent noise, in both errors?
# 2. Four passes of 16 steps: is a restart of the tree better, and a restart of the root?
# 3. With coins, $T = 400$ and $q = 0.01$: how many bands are best at epsilon 2?
# 4. *Challenge.* After a restart somebody uses the same seed. What do two passes tell about one item?
#
# ## When to use it, and when not
#
# - **Use it** for totals that are published as they grow, and for trainings whose order is fixed.
# - **Bands** no wider than a pass when people come back; the square root when each comes once.
# - **Coins** where you may toss them, and epsilon is small.
# - **Not** for one total at the end: one release of noise 1 is enough.
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
# - Kalinin, Lampert, 2024, arXiv 2405.13763. Xu and others, 2023, arXiv 2305.18465 (Gboard). McMahan and others, 2024,
#   arXiv 2408.08868 (BLT).
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [29 Without a curator](29_parties.ipynb) · **Next:** [31 What a model remembers, and how to test it](31_memory.ipynb)
