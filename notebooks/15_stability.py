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
# # 15 Stability
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [14 The sparse vector technique](14_svt.ipynb) · **Next:** [16 The compressive mechanism](16_compressive.ipynb)
#
# **Assignment 15:** [five tasks, checked in a second](../exercises/releases/15_stability.ipynb)
#
# **What you will see:** most datasets are calm: no single person moves their median by much. The promise, though, is
# about all datasets, the nervous ones too.
#
# <details><summary>About 75 minutes, after 03, 04 and 24: what you do, what you need, the data</summary>
#
# Three ways to use the calm without leaking it: noise on a bound that changes slowly, votes of many parts of the
# data, and a test before the release. For each, what Li, Lyu, Su and Yang (2016), "the textbook", print and what
# holds.
#
# **What you will do:** read a true median off its own noise; watch a staircase climb under a
# rising curve; look far out, where Laplace noise gives two neighbours away and Cauchy noise
# does not; find the number of blocks that errs least; turn a $\delta$ that changes nothing.
#
# **You need:** [03 the Laplace mechanism](03_laplace.ipynb), [04 the exponential
# mechanism](04_exponential.ipynb), and from [24](24_gaussian.ipynb) what a $\delta$ allows.
#
# **Time:** about 75 minutes. A good place to stop is before *Sample and aggregate*, at about
# 40.
#
# **Real and synthetic:** the voters (1996 election study), the patients (RAND health insurance
# experiment, the first record of each person) and the women (Fair's survey) are real. What is
# synthetic says so. The relation is **replace**: one record changed, their number $n$ public,
# for that is what chapter 8 of the textbook uses. Values lie within public bounds.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import functools
import math

import numpy as np
import pandas as pd

from dpbook import data
from dpbook.amounts import amount, probability
from dpbook.choosing import group_threshold, threshold_release
from dpbook.exponential import exponential_mechanism, median_quality
from dpbook.gaussian import gaussian_scale
from dpbook.guesses import predict
from dpbook.laplace import laplace_mechanism
from dpbook.live import choice, live, log_slider, show_source, slider, switch
from dpbook.plots import (
    COLOURS,
    curves,
    figure,
    legend_above,
    own_point,
    set_curves,
    set_own_point,
    set_steps,
    set_verdict_text,
    show,
    steps,
    verdict_text,
    x_axis,
    y_axis,
)
from dpbook.stability import (
    block_votes,
    cauchy_loss,
    cauchy_release,
    cauchy_scale,
    interquartile_range,
    listed_sensitivities,
    local_noise_release,
    lower_median,
    median_sensitivity_at,
    median_smooth_sensitivity,
    median_stable_distance,
    minimum_smooth_sensitivity,
    pass_probability,
    printed_private_scale,
    private_scale,
    propose_test_release,
    sample_and_aggregate,
    scale_distance,
    smooth_laplace_beta,
    smooth_laplace_delta,
    smooth_laplace_release,
    smooth_sensitivity,
    stable_mode,
    subsampled_votes,
    subsampling_plan,
    vote_distance,
)
from dpbook.verdict import verdict

# %%
voters, patients = data.election(), data.health_insurance()
first_record = np.unique(data.health_insurance_person(), return_index=True)[1]
PEOPLE = {
    "ages of voters": (voters["age"].values, voters["age"].bounds),
    "incomes of voters (codes)": (voters["income"].values, voters["income"].bounds),
    "visits of patients": (patients["mdvis"].values[first_record], patients["mdvis"].bounds),
    "disease index": (patients["disea"].values[first_record], patients["disea"].bounds),
    "ln payment": (patients["lpi"].values[first_record], patients["lpi"].bounds),
}
for name, (column, bounds) in PEOPLE.items():
    print(
        f"{name:25} {column.size:>5,} people within {bounds[0]:g} and {bounds[1]:.4g}, "
        f"{np.unique(column).size} different values, median {lower_median(column):.4g}"
    )

# %% [markdown]
# ## A naive attempt that fails: noise for this dataset
#
# The median of $n$ ranked values $x_1 \le \dots \le x_n$ is $x_m$, $m = \lfloor (n+1)/2
# \rfloor$ (of an even number the lower middle one). Its sensitivity is the whole width of the
# bounds: with half of the values at the one end and half at the other, a single person
# decides. Laplace noise for that is of no use.
#
# But *these* people are no such crowd. Replace one of them, and the median moves to a
# neighbouring value at most. The largest move from a given dataset is its **local
# sensitivity**, $LS(D) = \max(x_m - x_{m-1},\, x_{m+1} - x_m)$ (Li et al. 2016, equation 8.1, Example 8.1).
# Why not add noise for that? Below, five releases each.

# %%
rng = np.random.default_rng(15)
print("five releases of each median at epsilon 0.1, noise from the local sensitivity:")
for name, (column, bounds) in PEOPLE.items():
    middle, local = lower_median(column), median_sensitivity_at(column, bounds, 0)
    drawn = [local_noise_release(middle, local, 0.1, rng) for _ in range(5)]
    print(f"    {name:26} sensitivity {local:g}; releases", *np.round(drawn, 3))

# %% [markdown]
# People's data have ties, and with ties around the median the local sensitivity is 0: the
# "private" release **is the true median**, every time. The attack is as short as can be: five
# people with a value of 0 or 1; in $D'$ one more of them has a 1.

# %%
for people in ((0, 0, 0, 0, 1), (0, 0, 0, 1, 1)):
    local = median_sensitivity_at(people, (0, 1), 0)
    drawn = [local_noise_release(lower_median(people), local, 1.0, rng) for _ in range(4)]
    print(people, "local sensitivity", local, "releases:", *np.round(drawn, 2))

# %% [markdown]
# A release other than 0 is impossible for the first five and certain for the second: the
# loss is infinite. The noise is a message; its *size* tells what the answer alone would not.
# Three repairs that come to mind, and do not help:
#
# - *"LS plus a bit"*, or the larger of LS and a constant: the size still jumps between
#   neighbours, in proportion as much as before.
# - *Averaging the two middles* of an even number: changes the value, not the problem (and
#   halves the formula: a person who *joins* moves the mean of the middles by half a gap. The
#   source says $LS$ is a whole gap and does not say that it replaces people.)
# - *Bounds from the data*: then the width is a message too.

# %%
five = np.array([0.0, 1, 2, 4, 4])
joins = max(abs(np.median(np.append(five, new)) - np.median(five)) for new in range(5))
print(
    "of 0, 1, 2, 4, 4: somebody is replaced:",
    median_sensitivity_at(five, (0, 4), 0),
    "- somebody joins:",
    joins,
)
for people in (
    np.zeros(99),
    np.append(np.zeros(50), np.ones(49)),
    np.append(np.zeros(49), np.ones(50)),
):
    noise = max(0.01, median_sensitivity_at(people, (0, 1), 0))
    print(f"{int(people.sum()):>2} of 99 have a 1: LS or 0.01, whichever is more: {noise:g}")

# %% [markdown]
# ## The idea: a bound that changes slowly
#
# The size of the noise may depend on the data if it changes little from neighbour to
# neighbour. A function $S$ of the dataset is a **$\beta$-smooth bound** (Li et al. 2016, Definition 8.2)
# if for all neighbours $D, D'$
#
# $$S(D) \ge LS(D), \qquad S(D) \le e^{\beta} S(D').$$
#
# A constant, the global sensitivity, is one. The smallest of all looks at every other dataset,
# and discounts it by how far away it is: the **smooth sensitivity** (Definition 8.3)
#
# $$S^*_\beta(D) = \max_{D''} LS(D'')\, e^{-\beta\, d(D, D'')} = \max_{k \ge 0} A(k)\, e^{-\beta k},$$
#
# with $d$ the number of records that differ and $A(k)$ the largest local sensitivity within
# $k$ replacements. *It is smooth:* a dataset that is $k$ away from $D$ is at most $k + 1$ away
# from $D'$. For five records with five possible values the definition can be worked out by
# listing all 126 datasets:

# %%
show_source(listed_sensitivities)
listed = listed_sensitivities(lower_median, five, np.arange(5))
for beta in (0.5, 0.1):
    print(
        f"A(0), A(1), ... = {listed}; beta {beta}: smooth sensitivity "
        f"{smooth_sensitivity(listed, beta):.6f}"
    )

# %% [markdown]
# ## Smooth sensitivity of the median
#
# The textbook says that for the minimum computing it "is simple", and gives no formula for that
# or for the median. Put low and high beyond both ends of the ranked values. With $k$
# replacements one can empty $k$ places around the median, and one more replacement then jumps
# over $k + 1$ gaps:
#
# $$A(k) = \max_{0 \le t \le k+1} \big(x_{m+t} - x_{m+t-k-1}\big).$$
#
# In $S^*_\beta = \max_{i \le m \le j} (x_j - x_i)\, e^{-\beta (j-i-1)}$ the best $j$ never
# rises when $i$ falls, so it is found in $K \log K$ steps; and ranks farther away than $K =
# \ln(\text{width} / S^*)/\beta$ cannot matter.

# %%
show_source(median_smooth_sensitivity)
every = 0
for size in (1, 2, 3, 4):
    for place in np.ndindex(*(5,) * size):
        if np.all(np.diff(place) >= 0):
            people = np.array(place, dtype=float)
            oracle = listed_sensitivities(lower_median, people, np.arange(5))
            assert [
                median_sensitivity_at(people, (0, 4), k) for k in range(size + 1)
            ] == oracle.tolist()
            assert math.isclose(
                median_smooth_sensitivity(people, (0, 4), 0.3), smooth_sensitivity(oracle, 0.3)
            )
            every += 1
print(f"equal to the listing on all {every} datasets of one to four people with values 0 to 4")
print(
    "the minimum has a formula too: 1, 1, 3, 4 at beta 0.5: "
    f"{minimum_smooth_sensitivity((1, 1, 3, 4), (0, 4), 0.5):.6f}"
)

# %% [markdown]
# In the figure: on the left the ranked values. On the right the staircase $A(k)$, and the
# curve $S^* e^{\beta k}$, the lowest of its kind that lies above all steps: $S^*$ is where it
# starts.

# %%
crowd_rng = np.random.default_rng(3)
CROWDS = {
    "calm": np.linspace(20, 80, 61),
    "two camps": np.repeat([10.0, 90.0], [31, 30]) + np.linspace(-5, 5, 61),
    "ages of voters": np.minimum(voters["age"].values, 100).astype(float),
    "100,000 synthetic": np.sort(crowd_rng.normal(50, 12, 100_000).clip(0, 100)),
}
STEPS_SHOWN = 61


def one_moved(crowd, beta, moved):
    """A crowd with the person in the middle moved, its A(k), and its smooth sensitivity."""
    people = CROWDS[crowd].copy()
    people[people.size // 2] = moved
    people = np.sort(people)
    reached = [median_sensitivity_at(people, (0, 100), k) for k in range(STEPS_SHOWN)]
    return people, reached, median_smooth_sensitivity(people, (0, 100), beta)


# %% jupyter={"source_hidden": true}
# Figure: one_moved(crowd, beta, moved): the values, the staircase A(k), and S*
fig, (ranks_ax, stair_ax) = figure(columns=2, height=3.7, gridspec_kw={"width_ratios": [2, 3]})
(rank_dots,) = curves(ranks_ax, [], {"values by rank": "grey ."}, markersize=4)
moved_dot = own_point(ranks_ax, "the moved person", "D", markersize=7)
median_dot = own_point(ranks_ax, "median", colour=COLOURS.true, markersize=8)
x_axis(ranks_ax, "value", (-2, 102))
y_axis(ranks_ax, "rank / n", (-0.03, 1.03))
stairs = steps(stair_ax, np.zeros(STEPS_SHOWN), COLOURS.light, label="A(k)", fill=True)
envelope = curves(
    stair_ax, np.arange(STEPS_SHOWN) + 0.5, {r"$S^* e^{\beta k}$": "noisy"}, linewidth=2.2
)
start_dot = own_point(stair_ax, "S*", "s", COLOURS.noisy, markersize=8)
x_axis(stair_ax, "replacements k", (-1, STEPS_SHOWN))
y_axis(stair_ax, "value units", (0, 106))
stair_verdict = verdict_text(ranks_ax)
legend_above(fig, 6, fontsize=9, handlelength=1.1, columnspacing=0.8, frameon=False)


def staircase(crowd, beta, moved):
    people, reached, smooth = one_moved(crowd, beta, moved)
    shown = np.linspace(0, people.size - 1, min(people.size, 400)).astype(int)
    rank_dots.set_data(people[shown], (shown + 1) / people.size)
    set_own_point(moved_dot, moved, (np.searchsorted(people, moved) + 1) / people.size)
    set_own_point(median_dot, lower_median(people), 0.5)
    set_steps(stairs, reached)
    rising = smooth * np.exp(np.minimum(beta * np.arange(STEPS_SHOWN), 50))
    set_curves(envelope, [np.minimum(rising, 1e4)])
    set_own_point(start_dot, 0.5, smooth)
    words = f"local sensitivity {reached[0]:.3g}, smooth sensitivity {smooth:.3g}"
    set_verdict_text(stair_verdict, None, words)
    return (
        f"{people.size:,} people: median {lower_median(people):.4g}, local sensitivity "
        f"{reached[0]:.4g}, smooth sensitivity {smooth:.4g} at β = {beta:.3g}"
    )


staircase_figure = live(
    fig,
    staircase,
    "Left, values by rank with the median marked. Right, bars A(k) that grow with the number "
    "k of replacements, and an exponential curve that starts at the smooth sensitivity and "
    "touches the highest bar from above.",
    task=(
        r"with the calm crowd, take $\beta$ from 0.5 down to 0.001: $S^*$ climbs to the width."
        " "
        "Then the two camps: what is the first step while person 31 stands at 50, and once "
        "that "
        r"person joins a camp? Then, calm again, $\beta = 0.5$, move the person in the middle "
        "to 100."
    ),
    guess=[
        predict(
            "The calm crowd, beta 0.1 instead of 0.5: how large is the smooth sensitivity "
            "of the median?",
            (1, 100),
            r"smooth sensitivity ([\d.]+) at",
            beta=0.1,
        ),
        predict(
            "Two camps, beta 0.5: what is the smooth sensitivity?",
            (0, 100),
            r"smooth sensitivity ([\d.e+-]+) at",
            crowd="two camps",
        ),
    ],
    crowd=choice(list(CROWDS), "calm"),
    beta=log_slider(0.001, 2, 0.5),
    moved=slider(0, 100, 50, label="move person 31 to"),
)
staircase_figure

# %% [markdown]
# ## Which noise? Not Laplace
#
# The textbook goes on: "adding noise proportional to a smooth upper bound on the local
# sensitivity yields a private output perturbation mechanism." (Nissim and others show it for
# noise with suitable tails.) Which noise, the textbook does not say (erratum [E65](22_errata.ipynb#E65)). With **Laplace noise of
# scale $S/\varepsilon$ that is false**, for every $\varepsilon$. Take neighbours with the same
# median and $S(D) = e^{\beta} S(D')$ (three people: 0, 0, 1 against 0, 0, 0, bounds 0 and 1).
# Far out, the wider noise is likelier by a factor that grows without limit:

# %%
edge, calm = np.array([0.0, 0, 1]), np.zeros(3)
wide, narrow = (median_smooth_sensitivity(people, (0, 1), 0.1) for people in (edge, calm))
print(
    f"medians {lower_median(edge):g} and {lower_median(calm):g}, smooth bounds {wide:.4f} "
    f"and {narrow:.4f}"
)
for z in (1, 10, 100, 1000, 10_000):
    log_ratio = z * (1 / narrow - 1 / wide) * narrow + math.log(narrow / wide)
    print(f"|noise| = {z:>6} narrow bounds: Laplace log ratio {log_ratio:10.3f}, promised 1")

# %% [markdown]
# The log density of Laplace noise falls in a straight line, and two lines with different
# slopes part for ever. What is needed is a density whose log flattens out. The **Cauchy** law
# with place $a$ and scale $s$ has the density $\frac1\pi \frac{s}{s^2 + (z - a)^2}$.
#
# > **Theorem 15.1 (after Nissim, Raskhodnikova and Smith, 2007).** For a $\beta$-smooth bound
# > $S$ and $0 < \beta < \varepsilon$, the release $f(D) + \frac{S(D)}{\varepsilon - \beta} Z$,
# > $Z$ standard Cauchy, is $\varepsilon$-DP.
#
# *Proof.* Go from $D$ to $D'$ in two steps. Shift: in units of the scale the value moves by at
# most $\varepsilon - \beta$, and the slope of $\ln(1 + z^2)$ is at most 1. Scale: multiplying
# the scale by $e^{\beta}$ changes the log density by at most $\beta$. Together $\varepsilon$.
# $\square$
#
# Both steps can be had exactly, and in one. Two Cauchy laws $(a, s)$, $(b, t)$ have log ratios
# between $-L$ and $L$, both reached, with
#
# $$\cosh L = 1 + \frac{(a - b)^2 + (s - t)^2}{2 s t}.$$
#
# *Proof.* The ratio of the densities is $\frac{s}{t} R(z)$ with $R(z) = \frac{t^2 + (z-b)^2}{s^2 +
# (z-a)^2}$. A level $\lambda$ of $R$ is an extreme where $t^2 + (z-b)^2 = \lambda\,(s^2 + (z-a)^2)$
# has a double root: where $\lambda^2 s^2 - \lambda\,(s^2 + t^2 + (a-b)^2) + t^2 = 0$. Both roots
# times $s/t$ have the product 1, so they are $e^{\pm L}$. Their sum $2\cosh L$ is $(s^2 + t^2 +
# (a-b)^2)/(st)$. $\square$
#
# That is the distance of
# two points in the hyperbolic half-plane. Neighbours have $|a - b| \le$ both bounds, and
# bounds a factor $e^{\beta}$ apart at most; the worst is at an end: equal bounds, or
# $e^{\beta}$ apart.

# %%
show_source(cauchy_loss)
show_source(cauchy_release)

# %%
z = np.concatenate([-np.geomspace(1e-3, 1e8, 20_000)[::-1], np.geomspace(1e-3, 1e8, 20_000)])
for words, beta, scale in (
    ("published: beta 1/6, scale 6 S", 1 / 6, 6.0),
    ("the theorem: beta 1/6, scale 1.2 S", 1 / 6, 1.2),
    ("the theorem: beta 1/2, scale 2 S", 1 / 2, 2.0),
    ("the least scale for beta 1/2", 1 / 2, cauchy_scale(1 / 2, 1.0)),
    ("the least scale for beta 0.73", 0.73, cauchy_scale(0.73, 1.0)),
):
    pairs = [(1.0, 1.0), (math.exp(-beta), math.exp(-beta)), (0.0, math.exp(-beta))]
    on_the_grid = max(
        np.abs(
            np.log((scale * factor) ** 2 + (z - shift) ** 2)
            - np.log(scale**2 + z**2)
            - math.log(factor)
        ).max()
        for shift, factor in pairs
    )
    print(
        f"{words:35} {scale:.4f} S: exact loss {cauchy_loss(beta, scale):.5f}, on a grid to "
        f"1e8 {on_the_grid:.5f}"
    )

# %% [markdown]
# At $\varepsilon = 1$ the published constants ($\beta = \varepsilon/6$, scale
# $6S/\varepsilon$) are safe and lose less than a quarter of what is promised (erratum [E66](22_errata.ipynb#E66)). The theorem's
# scale at the same $\beta$ is five times smaller; the exact least scale, $S / (2
# \sinh(\varepsilon/2))$ as long as $\beta \le \ln(2 \cosh \varepsilon - 1)$, six times, at a
# $\beta$ four times larger, which makes $S$ smaller too.


# %%
def log_ratios(noise, beta, scale):
    """The absolute log density ratios of neighbours: Laplace and Cauchy noise with bounds
    e^beta apart, and Cauchy noise where the value moves by S.
    """
    away, other = np.maximum(noise, 1e-12), scale * math.exp(-beta)
    laplace = away * (1 / other - 1 / scale) - beta
    scaled = np.log(other**2 + away**2) - np.log(scale**2 + away**2) + beta
    shifted = np.log(scale**2 + (away + 1) ** 2) - np.log(scale**2 + away**2)
    return [np.abs(line) for line in (laplace, scaled, shifted)]


# %% jupyter={"source_hidden": true}
# Figure: log_ratios(noise, beta, scale) of neighbours; cauchy_loss(beta, scale)
fig, far_ax = figure(height=3.7)
axis_far = np.concatenate([np.linspace(0, 1, 100)[:-1], np.geomspace(1, 1.0001e4, 300)])
far_lines = curves(
    far_ax,
    axis_far / axis_far[-1],
    {
        "Laplace, bounds $e^\\beta$ apart": "other --",
        "Cauchy, bounds $e^\\beta$ apart": "noisy",
        "Cauchy, value moved by S": "third :",
    },
    linewidth=2.2,
)
far_ax.axhline(1, color=COLOURS.true, linewidth=1.3, linestyle="-.", label="promised")
x_axis(far_ax, "|noise| as a part of the window", (0, 1))
y_axis(far_ax, "|log density ratio|", (0, 3))
far_verdict = verdict_text(far_ax)
legend_above(fig, 2, frameon=False)


def far_out(beta, scale, window):
    set_curves(far_lines, log_ratios(axis_far / axis_far[-1] * window, beta, scale))
    exact = cauchy_loss(beta, scale)
    said = verdict(exact, 1.0, certain=True)
    at_end = log_ratios(np.array([window]), beta, scale)[0][0]
    words = f"Cauchy's worst loss is {exact:.3f}, promised 1: {said}"
    set_verdict_text(far_verdict, said, words)
    return (
        f"Cauchy, scale {scale:.3g} S: exact worst loss {exact:.4f}, promised 1: {said}. "
        f"Laplace at |noise| = {window:,g} S: {amount(at_end, 4)}, and no end"
    )


far_figure = live(
    fig,
    far_out,
    "Log density ratio of two neighbours against the size of the noise: the Laplace line "
    "rises for ever and leaves the picture, two Cauchy curves bend and stay below the "
    "promised line at 1.",
    task=(
        "take the window of $z$ from 10 to 10,000: the Laplace line leaves every limit, the "
        "Cauchy curves bend. Then lower the scale until the verdict is BROKEN."
    ),
    guess=[
        predict(
            "Laplace noise of 1,000 S: what is the log ratio?",
            (1, 1000),
            r"1,000 S: ([\d.,]+), and",
            window=1000,
        ),
        predict(
            "Beta 0.5 and scale 1 S, where the theorem asks for 2 S: is the promise of 1 "
            "kept?",
            ["within", "BROKEN"],
            beta=0.5,
            scale=1.0,
        ),
    ],
    beta=slider(0.05, 0.95, 0.15, 0.05),
    scale=slider(0.4, 6.0, 1.2, 0.1, label="scale, in units of S"),
    window=choice([10, 30, 100, 1000, 10_000], 30, label="window of |noise|, in S"),
)
far_figure

# %% [markdown]
# **With a $\delta$ Laplace noise will do**, since far out is rare: scale $2S/\varepsilon$ with
# $\beta = \varepsilon / (2 \ln(2/\delta))$ is $(\varepsilon, \delta)$-DP. How much of $\delta$
# does it use (erratum [E67](22_errata.ipynb#E67))? The least $\delta$ can be computed exactly: the worst event is where the log
# ratio exceeds $\varepsilon$, and that ratio is made of straight pieces.

# %%
for delta in (1e-3, 1e-6, 1e-9):
    beta = smooth_laplace_beta(1.0, delta)
    used = smooth_laplace_delta(beta, 1.0)
    print(
        f"promised delta {amount(delta)}: beta {beta:.4f}, exact delta {amount(used)}, "
        f"{delta / used:.0f} times too careful"
    )

# %% [markdown]
# ## Sample and aggregate
#
# A second way needs no formula for the statistic at all: split the people at random into $m$
# disjoint blocks, work out the statistic in each, **clip** the results to public bounds,
# average them, add Laplace noise of scale $(\text{high} - \text{low})/(m \varepsilon)$ (Li et al. 2016,
# Algorithm 19).
#
# > **Theorem 15.2.** That is $\varepsilon$-DP, for every statistic and every public $m$.
#
# *Proof.* One person is in one block. Its clipped result moves by at most the width, the
# average by a share $1/m$ of that. If each record draws its block on its own, this holds for a
# record that joins as well. $\square$

# %%
show_source(sample_and_aggregate)

# %% [markdown]
# **Without clipping there is no privacy guarantee:** the result of a block may go anywhere.

# %%
payments, payment_bounds = PEOPLE["ln payment"]
with_liar = np.append(payments[:-1].astype(float), 1e6)


class NoNoise(np.random.Generator):
    """To look at what the noise would be added to."""

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return 0.0


for words, ends in (
    ("clipped to 0 and 9.21", payment_bounds),
    ("hardly clipped", (-1e9, 1e9)),
):
    pair = [
        sample_and_aggregate(people, np.mean, ends, 32, 1.0, NoNoise(np.random.PCG64(1)))
        for people in (payments, with_liar)
    ]
    scale = (payment_bounds[1] - payment_bounds[0]) / 32
    print(
        f"{words}: one person moves the average by {pair[1] - pair[0]:.3f}; noise for the "
        f"bounds {scale:.3f}"
    )

# %% [markdown]
# **How many blocks?** The textbook takes $m = n^{0.4}$, rounded down (erratum [E68](22_errata.ipynb#E68)). More blocks, less noise; but the statistic of a small block is not that of all. For a
# mean that does no harm, for a quantile far out it does. Below: the 95% quantile of the
# patients' visits. $m$ must be public: whoever tries some and keeps the one with the best
# result has released nothing private.

# %%
visits, visit_bounds = PEOPLE["visits of patients"]
MS = np.unique(np.geomspace(4, 1500, 24).astype(int))


def high_quantile(people):
    return np.sort(people)[math.ceil(0.95 * len(people)) - 1]


@functools.cache
def blocks_of(m):
    """The results of all blocks, four random splits of them."""
    found = []
    for seed in range(4):
        place = np.random.default_rng(seed).integers(0, m, visits.size).astype(np.intp)
        order, ends = np.lexsort((visits, place)), np.cumsum(np.bincount(place, minlength=m))
        sizes = np.diff(ends, prepend=0)
        at = ends - sizes + np.ceil(0.95 * sizes).astype(int) - 1
        found.append(visits[order][at[sizes > 0]].astype(float))
    return found


def block_errors(clip, epsilon):
    """Mean size of the noise, of what the blocks miss, and roughly both, for each m of MS."""
    noise = clip / (MS * epsilon)
    missed = [
        np.mean(
            [abs(np.minimum(one, clip).mean() - true_quantile) for one in blocks_of(int(m))]
        )
        for m in MS
    ]
    return noise, np.array(missed), np.hypot(noise * math.sqrt(2), missed)


for m in MS:
    blocks_of(int(m))
true_quantile = high_quantile(visits)
print(
    f"the 95% quantile of {visits.size:,} people: {true_quantile} visits; n^0.4 = "
    f"{math.floor(visits.size**0.4)}"
)
print(
    "n^0.4 rounded down for 100,000, 5,912 and 944 people:",
    *(math.floor(n**0.4) for n in (100_000, 5_912, 944)),
)

# %% jupyter={"source_hidden": true}
# Figure: results of m blocks, and the error of their clipped, noisy average for each m
fig, (dots_ax, split_ax) = figure(columns=2, height=3.7)
(block_dots,) = dots_ax.plot([], [], ".", color=COLOURS.noisy, markersize=5, label="block")
clip_word = dots_ax.text(0.02, 108, "", va="top", color=COLOURS.other)
clip_line = dots_ax.axhline(
    100, color=COLOURS.other, linewidth=1.8, linestyle="--", label="clipped above"
)
dots_ax.axhline(true_quantile, color=COLOURS.true, linewidth=1.2, label="truth")
x_axis(dots_ax, "blocks", (0, 1), ticks=[])
y_axis(dots_ax, "95% quantile, visits", (0, 110))
error_curves = curves(
    split_ax, MS, {"noise": "other --", "blocks": "noisy :", "together": "true"}
)
chosen_m = own_point(split_ax, colour=COLOURS.true, markersize=8)
look = {"color": COLOURS.grey, "linewidth": 1, "linestyle": "-."}
split_ax.axvline(visits.size**0.4, label="$m = n^{0.4}$", **look)
x_axis(split_ax, "blocks m", (4, 1500), ticks=[10, 100, 1000], log=True)
y_axis(split_ax, "error, visits (log scale)", (0.05, 300), ticks=[0.1, 1, 10, 100], log=True)
blocks_verdict = verdict_text(dots_ax)
legend_above(fig, 7, fontsize=9, handlelength=1.2, columnspacing=0.8, frameon=False)


def split_up(m, clip, epsilon):
    results = blocks_of(m)[0]
    places = (np.arange(results.size) + 0.5) / results.size
    block_dots.set_data(places, np.minimum(results, 108))
    clip_line.set(ydata=[clip] * 2, visible=clip <= 110)
    clip_word.set_text("" if clip <= 110 else f"clipped at {clip}, above this picture")
    noise, missed, both = block_errors(clip, epsilon)
    set_curves(error_curves, [np.maximum(one, 1e-3) for one in (noise, missed, both)])
    place, best = int(np.flatnonzero(MS == m)[0]), MS[np.argmin(both)]
    set_own_point(chosen_m, m, both[place])
    off = f"{m:,} blocks: off by {amount(both[place], 2)}; {best:,} blocks, the best: by "
    set_verdict_text(blocks_verdict, None, off + amount(both.min(), 2))
    return (
        f"{m:,} blocks of about {visits.size / m:,.0f} people: noise {amount(noise[place])}, "
        f"missed by the blocks {amount(missed[place])}; best m {best:,} with an error of "
        f"{amount(both.min())}"
    )


blocks_figure = live(
    fig,
    split_up,
    "Left, the results of the blocks as dots with the clipping bound and the truth. Right, "
    "against "
    "the number of blocks, the noise, which falls, the block error, which grows, and both.",
    task=(
        r"at $\varepsilon = 1$ find the lowest point of the black curve. How far is "
        "$n^{0.4}$ from it? Then clip at 20, below the truth of many blocks: which curve "
        "goes up?"
    ),
    guess=predict(
        "Clipped at 365: how many blocks err least?", (4, 1500), r"best m (\d+) with", clip=365
    ),
    m=choice([int(m) for m in MS], int(MS[7]), label="blocks m"),
    clip=choice([10, 20, 40, 100, 365], 100, label="clip at (public)"),
    epsilon=log_slider(0.1, 10, 1.0),
)
blocks_figure

# %% [markdown]
# The GUPT system (Mohan and others, 2012) publishes k-means in this way, with $k$ centres a
# block (Li et al. 2016, equation 8.2): page [10](10_clustering.ipynb) has it. A warning goes with it: a centre has $d$ coordinates,
# so the noise of the printed scale is too small by the factor $d$, and the centres of
# different blocks must be put in one order before they are averaged. Where an answer has many
# coordinates, each with its own bounds, **Gaussian noise** is the better choice, at the price of
# a $\delta$: the L1 sensitivity grows as $d$, the L2 sensitivity as $\sqrt d$.

# %%
print("standard deviation of the noise on each of d averages, in units of width / blocks:")
for coordinates in (1, 6, 24):
    laplace, normal = (
        math.sqrt(2) * coordinates,
        gaussian_scale(math.sqrt(coordinates), 1.0, 1e-6),
    )
    print(
        f"    d = {coordinates:>2}: Laplace {laplace:5.2f}, Gaussian at epsilon 1, delta "
        f"1e-6 {normal:5.2f}"
    )
even = (
    gaussian_scale(1.0, 1.0, 1e-6) ** 2 / 2
)  # where sqrt 2 d is the Gaussian scale times sqrt d
print(f"    Gaussian noise is the smaller one from d = {math.ceil(even)} on")

# %% [markdown]
# ## Votes: an exact answer, or none
#
# If the answers are not numbers to be averaged but one of a few words, let the blocks vote.
# Where the winner is clear, one person cannot change it, so it may be released **without
# noise**. Whether it is clear must be tested with noise. With $\text{count}_1, \text{count}_2$
# the two highest numbers of votes, and at most `touched` votes in one person's reach,
#
# $$\hat d = \frac{\text{count}_1 - \text{count}_2}{2\,\text{touched}} - 1 .$$
#
# > **Theorem 15.3 (after Thakurta and Smith, 2013; Li et al. 2016, Algorithm 20).** Releasing the winner
# > if $\hat d + \mathrm{Lap}(1/\varepsilon) > \ln(1/\delta)/\varepsilon$, and else nothing, is
# > $(\varepsilon, \delta)$-DP.
#
# *Proof.* One person moves the gap by at most 2 touched, $\hat d$ by 1. If the neighbour has
# the same winner, only the noise tells them apart: $\varepsilon$. If it has another, the gap
# can be at most 2 touched, so $\hat d \le 0$, and the winner comes out with probability at
# most $\frac12 e^{-\ln(1/\delta)} = \delta/2$. $\square$

# %%
show_source(stable_mode)
for words, first, second in (
    ("60 votes to 4", 60, 4),
    ("30 votes to 2", 30, 2),
    ("33 to 31", 33, 31),
):
    winner, away = vote_distance(np.repeat(["a", "b"], [first, second]), 1)
    chance = pass_probability(away, 1.0, math.log(1e6))
    print(
        f"{words}: d = {away:g}, released with probability {chance:.7f} at epsilon 1, delta "
        "1e-6"
    )
print(
    f"the gap for an even chance: {2 * (1 + math.log(1e6)):.1f} votes; for all but delta: "
    f"{2 * (1 + 2 * math.log(1e6)):.1f}"
)

# %% [markdown]
# Two questions to real people, one with a clear winner and one close race, by disjoint blocks
# (touched = 1):


# %%
def most_frequent(people):
    kinds, counts = np.unique(people, return_counts=True)
    return kinds[np.argmax(counts)]


for words, people in (
    ("years married, 6,366 women", data.affairs()["yrs_married"].values),
    ("party identification, 944 voters", voters["PID"].values),
):
    rng, answered = np.random.default_rng(7), []
    kinds, largest = np.unique(people), 0
    for _ in range(100):
        votes = block_votes(people, most_frequent, 100, rng)
        answered.append(stable_mode(*votes, 1.0, 1e-6, rng))
        counts = np.array([np.sum(votes.votes == kind) for kind in kinds])
        noisy = laplace_mechanism(
            counts, 2, 1.0, rng
        )  # one vote that moves changes two counts
        largest += kinds[np.argmax(noisy)] == most_frequent(people)
    heard = [one for one in answered if one is not None]
    right = sum(one == most_frequent(people) for one in heard)
    print(f"{words}: {len(heard)} of 100 runs gave an answer, {right} of them the right one;")
    print(f"    the largest of noisy counts answers always, right in {largest} of 100")

# %% [markdown]
# **Votes for learning: PATE** (Papernot, Abadi, Erlingsson, Goodfellow and Talwar, 2017). The
# last line releases the *noisy maximum* of the votes: it has no $\delta$ and is never silent. PATE
# trains one model, a teacher, on each block. The teachers vote on public questions, and a
# student learns from the noisy maxima, which is post-processing. Each question spends, so the
# number of questions decides. The noise on each count, for all questions together:

# %%
for questions in (1, 10, 100, 1000):
    laplace = math.sqrt(2) * 2 * questions
    normal = gaussian_scale(math.sqrt(2 * questions), 1.0, 1e-6)
    print(
        f"{questions:>5,} questions at epsilon 1: standard deviation in votes, Laplace "
        f"{amount(laplace)}, Gaussian with delta 1e-6 {amount(normal)}"
    )

# %% [markdown]
# For one question Laplace noise is the better one, from ten on Gaussian noise: a record moves
# all answers together, and in L2 they move by the root of their number only
# ([24](24_gaussian.ipynb)). A hundred questions need some hundreds of teachers.
#
# **Votes for a list that nobody wrote: thresholded histograms.** Let each record be a vote for a
# word, and let the words be unknown: search terms, or the exact dollars that were paid out. To
# publish a word that one person has used is a leak, noise or not. Add noise to the counts of the
# words *that occur* and publish those above a threshold that grows with $\ln(1/\delta)/\varepsilon$
# (Korolova, Kenthapadi, Mishra and Ntoulas, 2009; Bun, Nissim and Stemmer, 2016). It is the test of
# Theorem 15.3 for each word: is it far from not occurring? `threshold_release` is page
# [27](27_choosing.ipynb)'s; neighbours add or remove a person.

# %%
payments_made = np.round(np.exp(PEOPLE["ln payment"][0]), 2)
print(f"{np.unique(payments_made).size} different payments, threshold", end=" ")
print(f"{group_threshold(1, 1.0, 1e-6):.2f} people at epsilon 1, delta 1e-6")
published = threshold_release(
    np.arange(payments_made.size), payments_made, 1, 1.0, 1e-6, np.random.default_rng(4)
)
print(
    f"{len(published)} payments come out; among them 450 dollars, with "
    f"{published[450.0]:.1f} people (truth: {np.sum(payments_made == 450)})"
)

# %% [markdown]
# **Subsamples, as printed.** Algorithm 20 does not split; it draws $m$ subsamples, each
# position in each with probability $q$, and draws again until nobody is in more than $2mq$ of
# them. Then touched = $2mq$ (its text and its two constants: erratum [E69](22_errata.ipynb#E69)). The plan for a million people:

# %%
for words, constant in (("Algorithm 20, constant 32", 32), ("the text after it, 64", 64)):
    plan = subsampling_plan(1_000_000, 1.0, 1e-6, constant)
    print(
        f"{words}: q = {plan.rate:.5f}, so {1e6 * plan.rate:,.0f} people a subsample; m = "
        f"{plan.subsamples:,} subsamples"
    )
agreed = 0.75 - 0.25
d_hat = agreed / (4 * subsampling_plan(1_000_000, 1.0, 1e-6).rate) - 1
print(
    f"32 suffices: if 3 of 4 subsamples agree, d = {d_hat:.1f}, and 2 ln(1/delta) / epsilon "
    f"= {2 * math.log(1e6):.1f}"
)
votes = subsampled_votes(
    voters["vote"].values, most_frequent, 0.05, 400, np.random.default_rng(1)
)
winner, away = vote_distance(*votes)
print(
    f"the voters, public plan m = 400, q = 0.05: touched {votes.touched:g}, winner {winner}, "
    f"d = {away:.2f}:"
)
print(
    f"    released with probability {amount(pass_probability(away, 1.0, math.log(1e6)), 2)} "
    f"at delta {amount(1e-6)}"
)

# %% [markdown]
# The two constants differ by a factor of four in the number of subsamples. For *privacy*
# neither matters: it holds for every public $m$ and $q$, since touched says it all. They are
# about being released. Millions of subsamples of two thousand people each are out of reach.
# The largest $\hat d$ possible is $1/(4q) - 1$, so a test with $\delta = 10^{-6}$ needs a tiny
# $q$; disjoint blocks reach $m/2 - 1$.


# %%
def passed(share, blocks, epsilon, delta, subsamples):
    """Votes for the winner and the rest, touched, their distance, the threshold, and the
    probability of a release.
    """
    first = round(share * blocks)
    touched = 2 * blocks * 0.05 if subsamples else 1.0
    away = (first - (blocks - first)) / (2 * touched) - 1
    threshold = math.log(1 / delta) / epsilon
    chance = pass_probability(away, epsilon, threshold)
    return first, blocks - first, touched, away, threshold, chance


# %% jupyter={"source_hidden": true}
# Figure: passed(share, blocks, epsilon, delta, subsamples), and the curve that it lies on
fig, (count_ax, pass_ax) = figure(columns=2, height=3.5, gridspec_kw={"width_ratios": [2, 3]})
vote_bars = count_ax.bar(
    [0, 1], [1, 1], color=[COLOURS.noisy, COLOURS.amber], edgecolor="black", width=0.6
)
x_axis(count_ax, ticks={0: "winner", 1: "second"})
y_axis(count_ax, "share of the votes", (0, 1))
AWAY = np.linspace(-1, 200, 403)
pass_curve = curves(pass_ax, AWAY, {"chance of a release": "noisy"}, linewidth=2.2)
here_dot = own_point(pass_ax, "these votes", colour=COLOURS.true)
threshold_line = pass_ax.axvline(1, color=COLOURS.other, linestyle="--", label="threshold")
x_axis(pass_ax, "distance d", (-5, 205))
y_axis(pass_ax, "probability", (-0.03, 1.03))
vote_verdict = verdict_text(count_ax)
legend_above(fig, 3, frameon=False)


def count_votes(share, blocks, epsilon, delta, subsamples):
    first, rest, touched, away, threshold, chance = passed(
        share, blocks, epsilon, delta, subsamples
    )
    for bar, votes_of in zip(vote_bars, (first, rest), strict=True):
        bar.set_height(votes_of / blocks)
    set_curves(pass_curve, [[pass_probability(one, epsilon, threshold) for one in AWAY]])
    threshold_line.set_xdata([threshold] * 2)
    set_own_point(here_dot, away, chance)
    words = f"{first} to {rest} votes: released with probability {probability(chance)}"
    set_verdict_text(vote_verdict, None, words)
    return (
        f"{first} to {rest} votes, touched {touched:g}: d = {away:.3g}, threshold "
        f"{threshold:.3g}, released with probability {probability(chance)}; with another "
        f"winner next door at most {amount(delta / 2)}"
    )


vote_figure = live(
    fig,
    count_votes,
    "Left, bars with the shares of the two highest counts. Right, the probability of a "
    "release "
    "against the distance d, which rises around the threshold, with a dot for these votes.",
    task=(
        r"64 blocks, the winner's share at 0.94: find the $\delta$ at which it is released "
        "half the time. Then switch to subsamples with the same number of votes."
    ),
    guess=predict(
        "60 votes to 4, but subsamples with q = 0.05: what is the distance d?",
        (-1, 30),
        r"d = (-?[\d.]+),",
        subsamples=True,
    ),
    share=slider(0.5, 1.0, 0.94, 0.01, label="share of the winner"),
    blocks=choice([8, 16, 32, 64, 100, 200, 400], 64, label="votes m"),
    epsilon=log_slider(0.2, 5, 1.0),
    delta=choice([1e-9, 1e-6, 1e-4, 1e-2], 1e-6),
    subsamples=switch(False, label="subsamples with q = 0.05 instead of blocks"),
)
vote_figure

# %% [markdown]
# ## Propose, test, release
#
# The third way (Dwork and Lei, 2009): *propose* a public bound $b$ on the local sensitivity;
# *test*, with noise, whether the data are far from any dataset that exceeds it; and only then
# *release* with noise for $b$. Let $\gamma(D)$ be the number of replacements to the nearest
# dataset whose local sensitivity is above $b$. The textbook gives no threshold for the general
# form; it must be $\ln(1/\delta)/\varepsilon$:
#
# > **Theorem 15.4.** If $\gamma + \mathrm{Lap}(1/\varepsilon) > \ln(1/\delta)/\varepsilon$,
# > release $f + \mathrm{Lap}(b/\varepsilon)$, else nothing: $(2\varepsilon, \delta)$-DP.
#
# *Proof.* $\gamma$ moves by at most 1 between neighbours. If $\gamma(D) = 0$, the test passes
# with probability at most $\delta/2$. Else $LS(D) \le b$, so the value moves by at most $b$,
# and test and release cost $\varepsilon$ each. $\square$
#
# For the median $\gamma = \min\{k : A(k) > b\}$: nothing new to compute. The test must not be
# followed by a release with the *true* distance, nor repeated until it passes: each try
# spends.

# %%
show_source(propose_test_release)
print(
    "0, 1, 2, 4, 4 within (0, 4):",
    {b: median_stable_distance(five, (0, 4), b) for b in (2, 3)},
)
print("distance for b = 0.5, 1, 2, and the probability of passing at b = 1, (1, 1e-6):")
for name, (column, bounds) in PEOPLE.items():
    away = {b: median_stable_distance(column, bounds, b) for b in (0.5, 1.0, 2.0)}
    chance = pass_probability(away[1.0], 0.5, math.log(1e6) / 0.5)
    listed = ", ".join(f"{distance:g}" for distance in away.values())
    print(f"    {name:26} {listed:<16} {chance:.6f}")

# %% [markdown]
# A test that forgets to divide by $\varepsilon$, with the threshold $\ln(1/\delta)$, lets a
# dataset at distance 0 pass with $\delta^{\varepsilon}/2$. At $\varepsilon = 0.5$ and $\delta
# = 10^{-6}$:

# %%
for words, threshold in (
    ("ln(1/delta) / epsilon", math.log(1e6) / 0.5),
    ("ln(1/delta)", math.log(1e6)),
):
    print(
        f"threshold {words:22} a dataset at distance 0 passes with "
        f"{amount(pass_probability(0, 0.5, threshold), 2)}"
    )

# %% [markdown]
# **A scale without bounds.** The interquartile range (IQR) has no finite sensitivity, and no
# useful $b$ in its own unit. On the log scale it has: cut $\log_2$ IQR into bins $[k, k+1)$ of
# length 1, and let $A_0$ be the fewest replacements that move it out of its bin. If $A_0 \ge
# 2$, all neighbours are in the same bin, so $\log_2$ IQR moves by less than 1. Who lies near
# an edge gets a second chance with bins shifted by a half. Pass, and IQR $\cdot\,
# 2^{\mathrm{Lap}(1/\varepsilon)}$ comes out.
#
# > **Theorem 15.5.** With the threshold $1 + \ln(1/\delta)/\varepsilon$ for both tests this is
# > $(4\varepsilon, \delta)$-DP, and even $(3\varepsilon, \delta)$.
#
# *Proof.* Two tests of sensitivity 1 and one number that comes out (the textbook counts two): $3
# \varepsilon$, if one of the two $A_0 \ge 2$. If both are at most 1, each test passes with at
# most $\delta/2$, together $\delta$. $\square$
#
# **Algorithm 21 prints the threshold $1 + \ln(1/\varepsilon)$** (erratum [E70](22_errata.ipynb#E70)). There is no $\delta$ in it.
# So what should be refused, $A_0 \le 1$, passes with $\frac12 e^{-\varepsilon
# \ln(1/\varepsilon)} = \varepsilon^{\varepsilon}/2$ a test:

# %%
show_source(printed_private_scale)
for epsilon in (0.1, 1 / math.e, 0.5, 1.0):
    print(
        f"epsilon {epsilon:.3f}: false acceptance "
        f"{pass_probability(1, epsilon, 1 - math.log(epsilon)):.4f}, whatever delta"
    )
tied, torn = np.array([0, 0, 0, 0, 0, 1, 1e6, 1e6]), np.array([0, 0, 0, 0, 1, 1e6, 1e6, 1e6])
print("two neighbours: ranges", interquartile_range(tied), interquartile_range(torn))


def released_below(people, limit, epsilon, threshold):
    """The exact probability that a range below `limit` comes out."""
    one, two = (
        pass_probability(scale_distance(people, shift), epsilon, threshold)
        for shift in (0, 0.5)
    )
    up = epsilon * (math.log2(limit) - math.log2(interquartile_range(people)))
    below = 1 - math.exp(-up) / 2 if up >= 0 else math.exp(up) / 2
    return (one + (1 - one) * two) * below


p, q = (released_below(people, 1000, 0.5, 1 - math.log(0.5)) for people in (tied, torn))
print(
    f"printed, epsilon 0.5: Pr[release < 1000] {p:.4f} and {q:.4f}; least delta at 4 epsilon "
    f"{p - math.exp(2) * q:.4f}"
)
rng = np.random.default_rng(1)
drawn = [
    [printed_private_scale(people, 0.5, 1e-9, rng) for _ in range(4000)]
    for people in (tied, torn)
]
print(
    "in 4,000 runs each:",
    *(np.mean([one is not None and one < 1000 for one in runs]) for runs in drawn),
)
right_p = released_below(tied, 1000, 0.5, 1 + math.log(1e9) / 0.5)
print(f"with 1 + ln(1/delta) / epsilon, delta {amount(1e-9)}: {amount(right_p, 2)}")

# %% [markdown]
# (A range of 0 has no logarithm, and gets no answer.)


# %%
def both_tests(people, epsilon, delta, printed):
    """The range, its two distances A0, both thresholds and the one in use, the chances to
    pass it, and that of a dataset which must be refused.
    """
    column = PEOPLE[people][0] if people in PEOPLE else tied
    aways = [scale_distance(column, shift) for shift in (0, 0.5)]
    rules = 1 + math.log(1 / delta) / epsilon, 1 - math.log(epsilon)
    rule = rules[int(printed)]
    *chances, bad = (pass_probability(away, epsilon, rule) for away in (*aways, 1))
    return interquartile_range(column), aways, rules, rule, chances, bad


# %% jupyter={"source_hidden": true}
# Figure: both_tests(people, epsilon, delta, printed): distances in bins, and chances to pass
fig, (bins_ax, accept_ax) = figure(columns=2, height=3.6)
for edge_at in range(-2, 8):
    bins_ax.plot([edge_at] * 2, [0.6, 1.0], color=COLOURS.grey, linewidth=1)
    bins_ax.plot([edge_at - 0.5] * 2, [0.1, 0.5], color=COLOURS.grey, linewidth=1)
(range_mark,) = curves(bins_ax, [], {"log₂ of the range": "other"}, linewidth=2.4)
distance_words = [bins_ax.text(-2, y, "", va="bottom") for y in (1.01, 0.51)]
x_axis(bins_ax, "log₂ of the scale", (-2.2, 6.6))
y_axis(bins_ax, limits=(0, 1.25), ticks={0.3: "shifted", 0.8: "bins"})
AWAYS = np.arange(0, 121)
rule_curves = curves(
    accept_ax,
    AWAYS,
    {"1 + ln(1/δ)/ε": "noisy", "printed: 1 + ln(1/ε)": "other --"},
    linewidth=2.2,
)
test_dots = own_point(accept_ax, "both tests, rule in use", colour=COLOURS.true, markersize=8)
refused_mark = own_point(accept_ax, "to be refused: A₀ = 1", "X", COLOURS.amber)
x_axis(accept_ax, "distance A₀", (-3, 121))
y_axis(accept_ax, "chance to pass (log scale)", (1e-10, 3), log=True)
scale_verdict = verdict_text(bins_ax)
legend_above(fig, 3, frameon=False, columnspacing=1)


def accept(people, epsilon, delta, printed):
    size, aways, rules, rule, chances, bad = both_tests(people, epsilon, delta, printed)
    range_mark.set_data([math.log2(size)] * 2, [0.05, 1.0])
    for words, away in zip(distance_words, aways, strict=True):
        words.set_text(f"A₀ = {away:g}")
    passing = [[pass_probability(int(away), epsilon, one) for away in AWAYS] for one in rules]
    set_curves(rule_curves, passing)
    set_own_point(test_dots, aways, chances)
    answered = chances[0] + (1 - chances[0]) * chances[1]
    set_own_point(refused_mark, 1, bad)
    words = f"to be refused, and passes with {amount(bad)}; allowed {amount(delta / 2)}"
    set_verdict_text(scale_verdict, None, words)
    return (
        f"range {size:.4g}: threshold {rule:.4g}, an answer with probability "
        f"{probability(answered)}; a dataset that must be refused (A₀ = 1) passes a test "
        f"with {amount(bad)}, δ/2 is {amount(delta / 2)}"
    )


scale_figure = live(
    fig,
    accept,
    "Left, the log2 axis cut into bins and shifted bins, the range marked. Right, the "
    "probability "
    "to pass against A0 for both thresholds; a cross for data that must be refused.",
    task=(
        r"the printed rule, and $\delta$ from $10^{-3}$ to $10^{-9}$: nothing moves. Then "
        "the right one."
    ),
    guess=predict(
        "The printed rule, delta 1e-9: who must be refused passes a test with which "
        "probability?",
        (0, 1),
        r"a test with ([\d.e-]+), δ",
        delta=1e-9,
    ),
    people=choice(["ln payment", "ages of voters", "eight numbers (synthetic)"], "ln payment"),
    epsilon=log_slider(0.1, 2, 0.5),
    delta=choice([1e-9, 1e-6, 1e-3, 1e-2], 1e-3),
    printed=switch(True, label="the printed rule"),
)
scale_figure

# %%
rng = np.random.default_rng(3)
for name, (column, _) in PEOPLE.items():
    runs = [private_scale(column, 0.5, 1e-6, rng) for _ in range(40)]
    found = np.array([one for one in runs if one is not None])
    aways = [scale_distance(column, shift) for shift in (0, 0.5)]
    middle = f"median release {np.median(found):.3g}" if found.size else "no release"
    print(
        f"{name:26} IQR {interquartile_range(column):.4g}, A0 {aways}, {found.size:>2} of 40 "
        f"answered, {middle}"
    )

# %% [markdown]
# ## What the exponential mechanism for the median is
#
# Page [04](04_exponential.ipynb) chooses a median among candidates by how many ranks each misses.
# Put it in this chapter's words: let $\text{len}(D, y)$ be the number of records that must be
# replaced for $y$ to be the median. One replacement changes it by at most 1. So the choice of $y$
# with weights $e^{-\varepsilon\, \text{len}(D, y)/2}$ is $\varepsilon$-DP. That is the **inverse
# sensitivity mechanism** (Asi and Duchi, 2020), and `private_median` at $\varepsilon/2$ is it, up
# to one rank.
#
# > **Theorem 15.6.** Let the candidates be $m$ in number, the median one of them. With probability
# > $1 - p$ the output needs at most $K = \frac{2}{\varepsilon} \ln \frac{m}{p}$ replacements, and so its
# > error is at most $\omega(K)$, the farthest that $K$ replacements move *the median of this dataset*.
#
# *Proof.* The median has weight 1. Each candidate with $\text{len} > K$ has a weight below
# $e^{-\varepsilon K/2} = p/m$, and there are fewer than $m$ of these. $\square$
#
# Smooth sensitivity asks for more: its $A(k)$ is how far the median moves in *one* step from any
# dataset $k$ steps away. Asi and Duchi show that among mechanisms without bias none is much
# better than this one on any dataset. Here are the theorem's bound and what 2,000 releases did:


# %%
def replacements_needed(column, candidates):
    """len(D, y): how many records must be replaced for each candidate to be the median."""
    rank, ranked = (column.size + 1) // 2, np.sort(column)
    below = np.searchsorted(ranked, candidates)
    up_to = np.searchsorted(ranked, candidates, side="right")
    return np.maximum(0, np.maximum(below - rank + 1, rank - up_to))


def farthest_move(column, bounds, k):
    """omega(k): how far k replacements can move the median of this dataset."""
    padded = np.concatenate([np.full(k, bounds[0]), np.sort(column), np.full(k, bounds[1])])
    middle = k + (column.size + 1) // 2 - 1
    return max(padded[middle + k] - padded[middle], padded[middle] - padded[middle - k])


for name in ("ages of voters", "incomes of voters (codes)", "visits of patients"):
    column, bounds = PEOPLE[name]
    grid = np.arange(bounds[0], bounds[1] + 1)
    quality = median_quality(column, grid)
    assert np.abs(quality + replacements_needed(column, grid)).max() <= 1
    for epsilon in (0.1, 1.0):
        reach = math.floor(2 / epsilon * math.log(grid.size / 0.05))
        chosen = exponential_mechanism(
            quality, 0.5, epsilon / 2, np.random.default_rng(6), size=2_000
        )
        off = np.quantile(np.abs(grid[chosen] - lower_median(column)), 0.95)
        print(
            f"{name:26} epsilon {epsilon:<3}: K = {reach:>3}, error in 95 of 100 releases at "
            f"most {farthest_move(column, bounds, min(reach, column.size // 2)):g}; measured "
            f"{off:g}"
        )

# %% [markdown]
# ## Error against epsilon, beside the exponential mechanism
#
# The textbook says of the median that this "performs worse than the exponential method" of
# chapter 2, page [04](04_exponential.ipynb), and of the whole field that "there exists no
# efficient stability-based algorithms that perform better or close to the best". The table has
# median absolute errors over 200 releases (Cauchy noise has no mean), and of ten such
# medians, with ten seeds, the median. The exponential mechanism chooses among the whole numbers
# within the bounds or, for the logarithms of payments, among the logarithms of whole dollars;
# `median_quality` has sensitivity 1 under replace, twice that of its page, so it gets half of
# $\varepsilon$. Two dull rivals: Laplace noise for the whole
# width, and the middle of the bounds, which looks at nobody. *Laplace* $2S/\varepsilon$ needs
# $\delta = 10^{-6}$; the other methods need no $\delta$.

# %%
EPSILONS, DELTA, DRAWS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0), 1e-6, 200


def candidates_of(column, bounds):
    """Public candidates: the whole numbers, or the logarithms of whole dollars."""
    if np.issubdtype(column.dtype, np.integer):
        return np.arange(bounds[0], bounds[1] + 1)
    return np.log(np.arange(1, round(math.exp(bounds[1])) + 1))


def median_errors(column, bounds, epsilon, seed):
    """The median absolute error of each method."""
    middle, rng = lower_median(column), np.random.default_rng(seed)
    grid = candidates_of(column, bounds)

    def smooth(beta):
        return median_smooth_sensitivity(column, bounds, beta)

    def cauchy(part, scale):
        beta = part * epsilon
        return cauchy_release(
            middle,
            smooth(beta),
            beta,
            epsilon,
            np.random.default_rng(seed),
            scale=scale,
            size=DRAWS,
        )

    tight = min(0.9 * epsilon, math.log(2 * math.cosh(epsilon) - 1))
    half = 0.5 if epsilon < 0.6 else tight / epsilon
    releases = {
        "exponential mechanism": grid[
            exponential_mechanism(
                median_quality(column, grid), 0.5, epsilon / 2, rng, size=DRAWS
            )
        ],
        "Cauchy, published 6 S": cauchy(1 / 6, 6 / epsilon),
        "Cauchy, S/(epsilon - beta)": cauchy(1 / 2, None),
        "Cauchy, least scale": cauchy(half, cauchy_scale(half * epsilon, epsilon)),
        "Laplace 2 S/epsilon, delta": smooth_laplace_release(
            middle,
            smooth(smooth_laplace_beta(epsilon, DELTA)),
            epsilon,
            np.random.default_rng(seed),
            size=DRAWS,
        ),
        "Laplace, whole width": laplace_mechanism(
            np.full(DRAWS, middle), bounds[1] - bounds[0], epsilon, rng
        ),
        "middle of the bounds": [sum(bounds) / 2],
    }
    return {
        name: float(np.median(np.abs(np.array(found) - middle)))
        for name, found in releases.items()
    }


SEEDS = range(1, 11)
runs = {
    name: np.array(
        [
            [
                list(median_errors(*PEOPLE[name], epsilon, seed).values())
                for epsilon in EPSILONS
            ]
            for seed in SEEDS
        ]
    )
    for name in (
        "ages of voters",
        "visits of patients",
        "ln payment",
        "incomes of voters (codes)",
    )
}
methods = list(median_errors(*PEOPLE["ages of voters"], 1.0, 1))
errors = {
    name: pd.DataFrame(np.median(found, axis=0).T, methods, EPSILONS)
    for name, found in runs.items()
}
for name, frame in errors.items():
    column, _ = PEOPLE[name]
    print(f"\n{name}: median error by epsilon")
    print(frame.map(lambda error: amount(error, 2)).to_string())
    spread = runs[name].std(axis=0) / math.sqrt(len(SEEDS))
    relative = np.where(frame.T > 1e-6, spread / frame.T.clip(lower=1e-6), 0)
    print(f"standard errors: at most {relative.max():.0%} of the number")

# %% [markdown]
# Ties at the median decide. How many people have exactly the median, and how many ranks is the
# middle from the nearest other value?

# %%
for name, (column, _) in PEOPLE.items():
    middle, rank = lower_median(column), (column.size + 1) // 2
    below, up_to = np.sum(column < middle), np.sum(column <= middle)
    print(
        f"{name:26} {up_to - below:>3} of {column.size:>5,} have the median; other values "
        f"begin {rank - below} ranks below and {up_to - rank + 1} above"
    )

# %% jupyter={"source_hidden": true}
# Figure: median errors of seven private medians, from the table above
fig, compared_axes = figure(columns=3, height=4.0, sharey=True)
looks = ("true o-", "other s--", "amber ^-.", "noisy v-", "third D:", "grey --", "grey :")
shown = ("ages of voters", "visits of patients", "ln payment")
for compared_ax, name in zip(compared_axes, shown, strict=True):
    heights = np.maximum(errors[name].to_numpy(), 1e-5)
    curves(
        compared_ax, EPSILONS, dict(zip(methods, looks, strict=True)), heights, markersize=5
    )
    x_axis(compared_ax, "epsilon", log=True)
    y_axis(compared_ax, limits=(5e-6, 1e4), log=True)
    compared_ax.set_title(name)
compared_axes[0].set_ylabel("median error (below 10⁻⁵: drawn there)")
legend_above(fig, 3, fontsize=8)
show(
    fig,
    "Median error against epsilon for seven ways to release a median: the exponential "
    "mechanism "
    "is best for small epsilon, noise on smooth sensitivity falls below it for large epsilon "
    "and tied data.",
)

# %%
for name, frame in errors.items():
    cauchy_rows = frame.loc[
        ["Cauchy, published 6 S", "Cauchy, S/(epsilon - beta)", "Cauchy, least scale"]
    ]
    exponential = frame.loc["exponential mechanism"]
    pairs = [(exponential[e], cauchy_rows[e].min()) for e in EPSILONS]
    won = [
        "both" if max(pair) < 1e-5 else ("exp.", "Cauchy")[int(np.argmin(pair))]
        for pair in pairs
    ]
    ahead = cauchy_rows.loc["Cauchy, published 6 S"] / cauchy_rows.loc[
        "Cauchy, least scale"
    ].clip(lower=1e-12)
    print(
        f"{name}\n    less error:",
        ", ".join(f"{e:g} {w}" for e, w in zip(EPSILONS, won, strict=True)),
    )
    print(
        "    published error / that of the least scale:",
        *(amount(ahead[e]) for e in EPSILONS[:4]),
    )

# %% [markdown]
# **What is true in the sentence.** For the ages and the incomes the exponential mechanism wins
# everywhere, at small $\varepsilon$ by a factor of tens or hundreds. At large $\varepsilon$ it hits
# the median exactly; noise on $S^*$ is then off by less than half a unit, and rounding it,
# which is free, makes it as good. For the payments the order turns near $\varepsilon = 0.1$,
# though the median is among the candidates. The reason is the *tie* at the median: 638
# people were paid exactly 450 dollars. To move the median off that value takes tens of replacements
# in one direction and hundreds in the other. So $S^*$ is nearly 0, and Cauchy noise vanishes.
# The exponential mechanism sees only ranks: 449 dollars are 50 ranks from the middle, not
# much worse than 450 at small $\varepsilon$. So "worse" holds for few ties and small
# $\varepsilon$, and not in general. Most of the gap that one reads about is the published
# constants.
#
# Now propose-test-release, and what sample and aggregate makes of the same median with
# $n^{0.4}$ blocks. The bound $b$ is a public choice. For whole numbers every $b < 1$ has the
# same distance $\gamma$, since a move by less than 1 is no move. So a tiny $b$ costs nothing, and
# the noise $b/\varepsilon$ all but vanishes. As $b \to 0$ this is Theorem 15.3: the exact answer, or
# none.

# %%
for name in ("ages of voters", "visits of patients"):
    column, bounds = PEOPLE[name]
    middle, blocks = lower_median(column), math.floor(column.size**0.4)
    for epsilon in (0.1, 0.5, 1.0):
        rng, said = np.random.default_rng(5), []
        for b in (1.0, 0.001):
            away = median_stable_distance(column, bounds, b)
            tried = [
                propose_test_release(middle, away, b, epsilon / 2, DELTA, rng)
                for _ in range(200)
            ]
            heard = np.array([one for one in tried if one is not None])
            error = f", error {np.median(np.abs(heard - middle)):.2g}" if heard.size else ""
            said.append(f"b = {b:g}: {heard.size:>3} answers{error}")
        split = [
            sample_and_aggregate(column, np.median, bounds, blocks, epsilon, rng)
            for _ in range(200)
        ]
        print(
            f"{name:18} epsilon {epsilon}, of 200 {'; '.join(said)}; blocks: error "
            f"{np.median(np.abs(np.array(split) - middle)):.2g}"
        )

# %% [markdown]
# With $b$ below the unit of the data, the patients' median comes out all but exactly from
# $\varepsilon = 0.5$ on. At 0.1 the test is silent; $b = 1$ answers there, and errs by many
# visits.
#
# ## On your own
#
# A hint and an answer for each: [exercises/answers/15_stability](../exercises/answers/15_stability.ipynb).
#
# **Assignment 15:** [five tasks, checked in a second](../exercises/releases/15_stability.ipynb).
#
# 1. *Warm-up.* In the first live figure, what is the least $\beta$ at which the calm crowd's
#    $S^*$ is its local sensitivity? First by sight, then from $A(k) = k + 1$.
# 2. "Add to the noise's scale a constant 0.1, so that it is never 0." For which neighbours
#    does that help least? Compute the loss of $LS + 0.1$ on the five people with 0 and 1.
# 3. The *maximum* of the voters' ages within (18, 120), by the mirror of the minimum, at
#    $\beta = 0.1$ and at $\beta = 1$. Would you release it?
# 4. How many blocks does `stable_mode` need at $\varepsilon = 1$ and $\delta = 10^{-9}$ if
#    nine of ten blocks agree and the rest vote alike, to answer with probability 0.99?
# 5. Find data with $A_0 \ge 20$ in one of the two ways to cut and $A_0 = 1$ in the other.
# 6. *Challenge.* Which noise has a density that falls like $|z|^{-3}$, and what scale does it
#    need? Work out its worst loss on a grid for $\beta = \varepsilon/3$, and compare median
#    errors with the Cauchy noise of the same loss.
#
# A start for task 6:

# %%
z = np.linspace(-50, 50, 5)
print(
    np.round(-1.5 * np.log1p(z**2), 3)
)  # a log density up to a constant: Student's law with 2 degrees, scaled

# %% [markdown]
# ## When to use it
#
# - **Smooth sensitivity** for a median or another statistic whose $A(k)$ you can compute, at
#   $\varepsilon$ of about 1 or more: Cauchy noise with the least scale, and a $\beta$ well
#   above $\varepsilon/6$.
# - **The exponential mechanism** for a quantile at small $\varepsilon$, or from few people:
#   Theorem 15.6 bounds its error.
# - **Votes of blocks** for one word with a clear winner: exact, or silent. **Sample and
#   aggregate** only where a statistic is a black box; clip, and keep $m$ public.
# - **Propose-test-release** where a bound is known to hold for calm data, with $b$ below the
#   unit of the data. Tell readers that "no answer" is an answer, and count every try.
# - **Thresholded histograms** for words that nobody listed; **PATE** for a model that learns from
#   votes.
#
# **Check** that nothing about the noise, its size, a bound, $m$ or a threshold comes from the
# data except through a smooth bound; that the noise's tails fit (no Laplace without $\delta$);
# that every threshold has both $\varepsilon$ and $\delta$ in it.
#
# ## Sources and further reading
#
# - Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to
#   Practice*, 2016, chapter 8 (004 here): local sensitivity, sample and aggregate, Algorithms
#   19 to 21.
# - Kobbi Nissim, Sofya Raskhodnikova, Adam Smith: *Smooth sensitivity and sampling in private
#   data analysis*, 2007: smooth bounds, the median, Cauchy noise, sample and aggregate.
# - Cynthia Dwork, Jing Lei: *Differential privacy and robust statistics*, 2009:
#   propose-test-release.
# - Adam Smith: *Privacy-preserving statistical estimation with optimal convergence rates*,
#   2011; Prashanth Mohan and others: *GUPT*, 2012: sample and aggregate in use.
# - Abhradeep Thakurta, Adam Smith: *Differentially private feature selection via stability
#   arguments*, 2013: distance to instability, Algorithm 20.
# - Aleksandra Korolova, Krishnaram Kenthapadi, Nina Mishra, Alexandros Ntoulas: *Releasing search
#   queries and clicks privately*, 2009; Mark Bun, Kobbi Nissim, Uri Stemmer: *Simultaneous private
#   learning of multiple concepts*, 2016: thresholded histograms.
# - Nicolas Papernot, Martín Abadi, Úlfar Erlingsson, Ian Goodfellow, Kunal Talwar:
#   *Semi-supervised knowledge transfer for deep learning from private training data*, 2017: PATE.
# - Hilal Asi, John Duchi: *Near instance-optimality in differential privacy*, 2020: inverse
#   sensitivity. Mark Bun, Thomas Steinke: *Average-case averages*, 2019: noise with lighter tails
#   than Cauchy's on smooth sensitivity.
# - Dong Su and others: *Differentially private k-means clustering*, 2016: why sample and
#   aggregate errs much.
#
# `dpbook` is for learning, not for real releases ([00](00_start_here.ipynb) says why).
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [14 The sparse vector technique](14_svt.ipynb) · **Next:** [16 The compressive mechanism](16_compressive.ipynb)
