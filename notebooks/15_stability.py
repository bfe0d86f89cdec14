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
# In most datasets no single person moves the median by much, so why not add only a little noise? Move one person and
# see why the amount of noise must not follow the data too closely.
#
# <details><summary>About 35 minutes, after 03, 04 and 24: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [14 The sparse vector technique](14_svt.ipynb) · **Next:** [16 The compressive mechanism](16_compressive.ipynb)
#
# **Assignment 15:** [five tasks, checked in a second](../exercises/releases/15_stability.ipynb)
#
# In *calm* data no single person moves the answer by much. There are three ways to profit from that and stay private.
# Add noise for a bound that changes slowly; let many parts of the data vote; or test before you release. For each we
# see what Li, Lyu, Su and Yang (2016), "the textbook", print and what holds.
#
# **What you will do:** read a true median off its own noise. Watch a staircase climb under a rising curve. Look far out
# in the tails, where Laplace noise tells two neighbours apart and Cauchy noise does not. Find the number of blocks with
# the smallest error. Change a $\delta$ that has no effect.
#
# **You need:** [03 the Laplace mechanism](03_laplace.ipynb), [04 the exponential mechanism](04_exponential.ipynb), and from
# [24](24_gaussian.ipynb) what a $\delta$ allows.
#
# **Time:** about 35 minutes. A good place to stop is before *Sample and aggregate*.
#
# **Real and synthetic:** the voters (1996 election study) and the women (Fair's survey) are real. So are the patients (RAND
# health insurance experiment, the first record of each person). What is synthetic says so. The
# relation is **replace**, which section 8.1 of the textbook uses: one record changed, their number $n$ public. Values
# lie within public bounds.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import numpy as np

from dpbook import data
from dpbook.live import choice, live, log_slider, slider
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
    steps,
    verdict_text,
    x_axis,
    y_axis,
)
from dpbook.stability import lower_median, median_sensitivity_at, median_smooth_sensitivity

# %% jupyter={"source_hidden": true}
# Figure: one_moved(crowd, beta, moved): the values, the staircase A(k), and S*
voters = data.election()
CROWDS = {
    "two camps": np.repeat([10.0, 90.0], [32, 29]),
    "calm": np.linspace(20, 80, 61),
    "ages of voters": np.sort(np.minimum(voters["age"].values, 100).astype(float)),
    "10,000 synthetic": np.random.default_rng(3).normal(50, 12, 10_000).clip(0, 100),
}
CROWDS["10,000 synthetic"].sort()
STEPS_SHOWN = 61


def one_moved(crowd, beta, moved):
    """A crowd with the person in the middle moved, its A(k), and its smooth sensitivity."""
    people = CROWDS[crowd].copy()
    people[people.size // 2] = moved
    people = np.sort(people)
    reached = [median_sensitivity_at(people, (0, 100), k) for k in range(STEPS_SHOWN)]
    return people, reached, median_smooth_sensitivity(people, (0, 100), beta)


fig, (ranks_ax, stair_ax) = figure(columns=2, height=2.9, width_ratios=[2, 3])
stair_verdict = verdict_text(ranks_ax)
(rank_dots,) = curves(ranks_ax, [], {" ": "grey ."}, markersize=4)
moved_dot = own_point(ranks_ax, "the moved person", "D", markersize=7)
median_dot = own_point(ranks_ax, "median", colour=COLOURS.true, markersize=8)
x_axis(ranks_ax, "value", (-2, 102))
y_axis(ranks_ax, "rank / n", (-0.03, 1.03))
stairs = steps(stair_ax, np.zeros(STEPS_SHOWN), COLOURS.light, label="A(k)", fill=True)
places = np.arange(STEPS_SHOWN) + 0.5
envelope = curves(stair_ax, places, {r"$S^* e^{\beta k}$": "noisy"}, linewidth=2.2)
start_dot = own_point(stair_ax, None, "s", COLOURS.noisy, markersize=8)
x_axis(stair_ax, "replacements k", (-1, STEPS_SHOWN))
y_axis(stair_ax, "move of the median", (0, 106))
legend_above(fig, frameon=False)


def staircase(crowd, beta, moved):
    people, reached, smooth = one_moved(crowd, beta, moved)
    shown = np.linspace(0, people.size - 1, min(people.size, 400)).astype(int)
    rank_dots.set_data(people[shown], (shown + 1) / people.size)
    set_own_point(moved_dot, moved, np.searchsorted(people, moved, "right") / people.size)
    set_own_point(median_dot, lower_median(people), 0.5)
    set_steps(stairs, reached)
    rising = smooth * np.exp(np.minimum(beta * np.arange(STEPS_SHOWN), 50))
    set_curves(envelope, [np.minimum(rising, 1e4)])
    set_own_point(start_dot, 0.5, smooth)
    words = f"noise for this dataset: {reached[0]:.3g}; smooth bound: {smooth:.3g}"
    set_verdict_text(stair_verdict, None, words)
    words = f"local sensitivity {reached[0]:.4g}, smooth sensitivity {smooth:.4g}"
    middle = lower_median(people)
    return f"{people.size:,} people: median {middle:.4g}, {words} at β = {beta:.3g}"


live(
    fig,
    staircase,
    "Left, values by rank with the median marked. Right, bars A(k) that grow with the number "
    "k of replacements. An exponential curve starts at the smooth sensitivity; it passes "
    "over the middle of every bar or touches it.",
    task="play the person in the middle from one camp to the other, and watch the headline.",
    play="moved",
    crowd=choice(list(CROWDS), "two camps"),
    beta=log_slider(0.001, 2, 0.1),
    moved=slider(0, 100, 10, label="middle person at"),
)

# %% [markdown]
# **What you saw.** 32 people stand at 10 and 29 at 90. No single move changes their median, so noise for this dataset
# is no noise. Take [one person to the other camp](#move:moved=90&crowd=two%20camps), and the next one to move shifts
# the median by 80. Noise that jumps from 0 to 80 gives that person away. The *smooth* bound on the right, defined
# below, rises by a factor $e^{\beta}$ at most.

# %% jupyter={"source_hidden": true}
# What this page imports
import functools
import math

import pandas as pd

from dpbook.amounts import amount, counted, probability
from dpbook.choosing import group_threshold, threshold_release
from dpbook.exponential import exponential_mechanism, median_quality
from dpbook.gaussian import gaussian_scale
from dpbook.guesses import predict
from dpbook.laplace import laplace_mechanism
from dpbook.live import show_source, switch
from dpbook.plots import show
from dpbook.stability import (
    block_votes,
    cauchy_loss,
    cauchy_release,
    cauchy_scale,
    interquartile_range,
    listed_sensitivities,
    local_noise_release,
    median_stable_distance,
    minimum_smooth_sensitivity,
    pass_probability,
    plain_median_smooth_sensitivity,
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

# %% jupyter={"source_hidden": true}
# Computed: five columns of real people, and their medians
patients = data.health_insurance()
first_record = np.unique(data.health_insurance_person(), return_index=True)[1]
PEOPLE = {
    "ages of voters": (voters["age"].values, voters["age"].bounds),
    "incomes of voters (codes)": (voters["income"].values, voters["income"].bounds),
    "visits of patients": (patients["mdvis"].values[first_record], patients["mdvis"].bounds),
    "disease index": (patients["disea"].values[first_record], patients["disea"].bounds),
    "ln payment": (patients["lpi"].values[first_record], patients["lpi"].bounds),
}
for name, (column, bounds) in PEOPLE.items():
    print(f"{name:25} {column.size:>5,} people", end=" ")
    print(f"within {bounds[0]:g} and {bounds[1]:.4g},", end=" ")
    print(f"{np.unique(column).size} different values, median {lower_median(column):.4g}")

# %% [markdown]
# ## A naive attempt that fails: noise for this dataset
#
# The median of $n$ ranked values $x_1 \le \dots \le x_n$ is $x_m$ with $m = \lfloor (n+1)/2 \rfloor$: of an even
# number, the lower of the two in the middle. Its (global) sensitivity under replace is the whole width of the bounds:
# with half of the values at each end, one person decides. Laplace noise of that size is useless.
#
# But replacing one person moves the median to the next value at most, and in calm data that is close. The largest move
# from a given dataset is its **local sensitivity**, $LS(D) = \max(x_m - x_{m-1},\, x_{m+1} - x_m)$ (Li et al. 2016,
# equation 8.1, Example 8.1). Why not add noise for that?

# %%
rng = np.random.default_rng(15)
print("five releases of each median at epsilon 0.1, noise from the local sensitivity:")
for name, (column, bounds) in PEOPLE.items():
    middle, local = lower_median(column), median_sensitivity_at(column, bounds, 0)
    drawn = [local_noise_release(middle, local, 0.1, rng) for _ in range(5)]
    print(f"    {name:26} sensitivity {local:g}; releases", *np.round(drawn, 3))

# %% [markdown]
# Data about people have ties, and with ties around the median the local sensitivity is 0: the "private" release **is
# the true median**, every time. Of five people, one has a 1 and the others a 0; in the neighbour, two have a 1.

# %%
for people in ((0, 0, 0, 0, 1), (0, 0, 0, 1, 1)):
    local = median_sensitivity_at(people, (0, 1), 0)
    drawn = [local_noise_release(lower_median(people), local, 1.0, rng) for _ in range(4)]
    print(people, "local sensitivity", local, "releases:", *np.round(drawn, 2))

# %% [markdown]
# A release other than 0 is impossible for the first dataset and certain for the second: the privacy loss is infinite.
# The *size* of the noise reveals what the answer alone would not.
#
# <details><summary>Three repairs that come to mind do not help: the size of the noise still follows the data.</summary>
#
# - *"LS plus a bit"*, or the larger of LS and a constant: the size still jumps between neighbours, by a large factor.
# - *Averaging the two middle values* of an even number: this changes the median, not the problem. A person who *joins*
#   then moves the median by half a gap, a person who is *replaced* by up to a whole one. The textbook's formula has the
#   whole gap, so it means replace, as its distance shows.
# - *Bounds from the data*: then the width reveals something, too.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: local sensitivity when somebody joins, and how a floor on the noise still jumps
five = np.array([0.0, 1, 2, 4, 4])
joins = max(abs(np.median(np.append(five, new)) - np.median(five)) for new in range(5))
replaced = median_sensitivity_at(five, (0, 4), 0)
print("of 0, 1, 2, 4, 4: somebody is replaced:", replaced, "- somebody joins:", joins)
for ones in (0, 49, 50):
    people = np.repeat([0.0, 1.0], [99 - ones, ones])
    noise = max(0.01, median_sensitivity_at(people, (0, 1), 0))
    print(f"{ones:>2} of 99 have a 1: LS or 0.01, whichever is larger: {noise:g}")

# %% [markdown]
# ## The idea: a bound that changes slowly
#
# The size of the noise may depend on the data if it changes little between neighbours. A function $S$ of the dataset is a
# **$\beta$-smooth bound** (the textbook's Definition 8.2) if for all neighbours $D, D'$
#
# $$S(D) \ge LS(D), \qquad S(D) \le e^{\beta} S(D').$$
#
# The global sensitivity, a constant, is one. The smallest takes the local sensitivity of every dataset, discounted by
# its distance. It is the **smooth sensitivity** (Definition 8.3 there)
#
# $$S^*_\beta(D) = \max_{D''} LS(D'')\, e^{-\beta\, d(D, D'')} = \max_{k \ge 0} A(k)\, e^{-\beta k},$$
#
# with $d$ the number of records that differ and $A(k)$ the largest local sensitivity within $k$ replacements. *It is
# smooth:* a dataset at distance $k$ from $D$ is at most $k + 1$ from $D'$, where it counts for at most $e^{\beta}$
# times less. For five records with five possible values we can compute it by listing all 126 datasets:

# %%
show_source(listed_sensitivities)

# %% jupyter={"source_hidden": true}
# Computed: A(k) and the smooth sensitivity of five records, by listing
listed = listed_sensitivities(lower_median, five, np.arange(5))
for beta in (0.5, 0.1):
    smooth = smooth_sensitivity(listed, beta)
    print(f"A(0), A(1), ... = {listed}; beta {beta}: smooth sensitivity {smooth:.6f}")

# %% [markdown]
# ## Smooth sensitivity of the median
#
# The textbook gives no formula for the median. Let $x_i$ be the lower bound for $i < 1$, the upper bound for $i > n$.
# $k$ replacements can remove the $k$ values next to the median. One more then moves it over $k + 1$ gaps:
#
# $$A(k) = \max_{0 \le t \le k+1} \big(x_{m+t} - x_{m+t-k-1}\big).$$
#
# So $S^*_\beta$ is the maximum of $(x_j - x_i)\, e^{-\beta (j-i-1)}$ over $i \le m \le j$.
#
# <details><summary>How <code>median_smooth_sensitivity</code> takes K log K steps: the best j never rises when i falls.</summary>
#
# So the best $j$ for the middle $i$ splits the rest in two, and each half is searched in its own part. Ranks farther away than
# $K = \ln(\text{width} / S^*)/\beta$ cannot matter.
#
# </details>

# %%
show_source(plain_median_smooth_sensitivity)

# %% jupyter={"source_hidden": true}
# Computed: the formula is equal to the listing on every small dataset
every = 0
for size in (1, 2, 3, 4):
    for place in np.ndindex(*(5,) * size):
        if np.all(np.diff(place) >= 0):
            people = np.array(place, dtype=float)
            oracle = listed_sensitivities(lower_median, people, np.arange(5))
            formula = [median_sensitivity_at(people, (0, 4), k) for k in range(size + 1)]
            assert formula == oracle.tolist()
            smooth = median_smooth_sensitivity(people, (0, 4), 0.3)
            assert math.isclose(smooth, smooth_sensitivity(oracle, 0.3))
            every += 1
print(f"equal to the listing on all {every} datasets of one to four people with values 0 to 4")
of_minimum = minimum_smooth_sensitivity((1, 1, 3, 4), (0, 4), 0.5)
print(f"the minimum has a formula too: 1, 1, 3, 4 at beta 0.5: {of_minimum:.6f}")

# %% [markdown]
# In the figure above, the staircase on the right is $A(k)$. The curve is $S^* e^{\beta k}$, the lowest of its kind
# above all steps: $S^*$ is where it starts. With [the calm crowd](#move:crowd=calm&moved=50&beta=0.5) take [beta down
# to 0.001](#move:beta=0.001): $S^*$ nears the width.
#
# ## Which noise? Not Laplace
#
# Nissim and others (2007) showed that "adding noise proportional to a smooth upper bound on the local sensitivity
# yields a private output perturbation mechanism." So says the textbook, and does not name their noise (erratum
# [E65](22_errata.ipynb#E65)). With **Laplace noise of scale $S/\varepsilon$ this is false**, for every $\varepsilon$.
# Take neighbours with the same median and $S(D) = e^{\beta} S(D')$: three people 0, 0, 1 against 0, 0, 0, with bounds 0
# and 1. Far out, the wider noise is likelier by a factor that grows without limit:

# %% jupyter={"source_hidden": true}
# Computed: the log ratio of two Laplace densities with different scales, far out
edge, calm = np.array([0.0, 0, 1]), np.zeros(3)
wide, narrow = (median_smooth_sensitivity(people, (0, 1), 0.1) for people in (edge, calm))
print(f"medians {lower_median(edge):g} and {lower_median(calm):g},", end=" ")
print(f"smooth bounds {wide:.4f} and {narrow:.4f}")
for z in (1, 10, 100, 1000, 10_000):
    log_ratio = z * (1 / narrow - 1 / wide) * narrow + math.log(narrow / wide)
    print(f"|noise| = {z:>6} times the narrow scale:", end=" ")
    print(f"Laplace log ratio {log_ratio:10.3f}, allowed 1")

# %% [markdown]
# The log density of Laplace noise falls in a straight line, and two lines with different slopes diverge. We need a density
# whose logarithm flattens out. The **Cauchy** distribution with location $a$ and scale $s$ has the density $\frac1\pi
# \frac{s}{s^2 + (z - a)^2}$.
#
# > **Theorem 15.1 (after Nissim, Raskhodnikova and Smith, 2007).** For a positive $\beta$-smooth bound $S$ and
# > $0 < \beta < \varepsilon$, the release $f(D) + \frac{S(D)}{\varepsilon - \beta} Z$, $Z$ standard Cauchy, is
# > $\varepsilon$-DP.
#
# <details><summary>Proof: first shift, which costs ε − β, then rescale, which costs β; and the exact loss in one step.</summary>
#
# Go from $D$ to $D'$ in two steps. Shift: in units of the scale the value moves by at most $\varepsilon - \beta$, and the slope
# of $\ln(1 + z^2)$ is at most 1. Scale: multiplying the scale by $e^{\beta}$ changes the log density by at most $\beta$.
# Together that is $\varepsilon$. $\square$
#
# Both steps can be computed exactly, and in one. The log ratio of two Cauchy distributions $(a, s)$, $(b, t)$ lies between $-L$
# and $L$. It attains both (if $a = b$, one of them only in the limit, far out), with
#
# $$\cosh L = 1 + \frac{(a - b)^2 + (s - t)^2}{2 s t}.$$
#
# The ratio of the densities is $\frac{s}{t} R(z)$ with $R(z) = \frac{t^2 + (z-b)^2}{s^2 + (z-a)^2}$. A level $\lambda$ of $R$ is
# an extreme where $t^2 + (z-b)^2 = \lambda\,(s^2 + (z-a)^2)$ has a double root. That is where $\lambda^2 s^2 - \lambda\,(s^2 +
# t^2 + (a-b)^2) + t^2 = 0$. The product of both roots times $s/t$ is 1, so they are $e^{\pm L}$. Their sum is $2\cosh L =
# (s^2 + t^2 + (a-b)^2)/(st)$. $\square$
#
# That is the distance of two points in the hyperbolic half-plane. Neighbours have $|a - b|$ no larger than either
# bound, and bounds at most a factor $e^{\beta}$ apart. The worst case is at an end: equal bounds, or bounds $e^{\beta}$
# apart.
#
# </details>

# %%
show_source(cauchy_loss)
show_source(cauchy_release)

# %% jupyter={"source_hidden": true}
# Computed: the exact loss of Cauchy noise at published and at best constants
z = np.concatenate([-np.geomspace(1e-3, 1e8, 20_000)[::-1], np.geomspace(1e-3, 1e8, 20_000)])
for words, beta, scale in (
    ("published: beta 1/6, scale 6 S", 1 / 6, 6.0),
    ("the theorem: beta 1/6, scale 1.2 S", 1 / 6, 1.2),
    ("the theorem: beta 1/2, scale 2 S", 1 / 2, 2.0),
    ("the smallest scale for beta 1/2", 1 / 2, cauchy_scale(1 / 2, 1.0)),
    ("the smallest scale for beta 0.73", 0.73, cauchy_scale(0.73, 1.0)),
):
    pairs = [(1.0, 1.0), (math.exp(-beta), math.exp(-beta)), (0.0, math.exp(-beta))]
    largest = []
    for shift, factor in pairs:
        moved = np.log((scale * factor) ** 2 + (z - shift) ** 2) - math.log(factor)
        largest.append(np.abs(moved - np.log(scale**2 + z**2)).max())
    print(f"{words:35} {scale:.4f} S: exact loss {cauchy_loss(beta, scale):.5f},", end=" ")
    print(f"on a grid to 1e8 {max(largest):.5f}")

# %% [markdown]
# At $\varepsilon = 1$ the published constants ($\beta = \varepsilon/6$, scale $6S/\varepsilon$) are safe and use less
# than a quarter of the privacy budget. The theorem's scale at the same $\beta$ is
# five times smaller. The exact smallest scale is $S / (2 \sinh(\varepsilon/2))$, as long as
# $\beta \le \ln(2 \cosh \varepsilon - 1)$. That is six times below the published scale, with a $\beta$ four times
# larger, which makes $S$ smaller too.


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


axis_far = np.concatenate([np.linspace(0, 1, 100)[:-1], np.geomspace(1, 1.0001e4, 300)])

# %% jupyter={"source_hidden": true}
# Figure: log_ratios(noise, beta, scale) of neighbours; cauchy_loss(beta, scale)
fig, far_ax = figure(height=3.4)
far_verdict = verdict_text(far_ax)
far_looks = {
    "Laplace, bounds $e^\\beta$ apart": "other --",
    "Cauchy, bounds $e^\\beta$ apart": "noisy",
    "Cauchy, value moved by S": "third :",
}
far_lines = curves(far_ax, axis_far / axis_far[-1], far_looks, linewidth=2.2)
far_ax.axhline(1, color=COLOURS.true, linewidth=1.3, linestyle="-.", label="allowed")
x_axis(far_ax, "|noise| as a part of the window", (0, 1))
y_axis(far_ax, "|log density ratio|", (0, 3))
legend_above(fig, 2, frameon=False)


far_question = "How large is the log ratio where Laplace noise is 1,000 S?"
first_guess = predict(far_question, (1, 1000), r"1,000 S: ([\d.,]+), and", window=1000)
question = "The theorem asks for scale 2 S at beta 0.5. Is scale 1 S still private?"


def far_out(beta, scale, window):
    set_curves(far_lines, log_ratios(axis_far / axis_far[-1] * window, beta, scale))
    exact = cauchy_loss(beta, scale)
    said = verdict(exact, 1.0, certain=True)
    at_end = log_ratios(np.array([window]), beta, scale)[0][0]
    words = f"Cauchy, both moves at once: {exact:.3f}, allowed 1: {said}"
    set_verdict_text(far_verdict, said, words)
    words = f"Cauchy, scale {scale:.3g} S: exact worst loss {exact:.4f}, allowed 1: {said}"
    return f"{words}. Laplace at |noise| = {window:,g} S: {amount(at_end, 4)}, and no end"


live(
    fig,
    far_out,
    "Log density ratio of neighbours by the size of the noise: Laplace's grows without end, "
    "two for Cauchy noise bend and stay bounded, at the start below the line at 1.",
    task="lower the scale until the verdict is BROKEN.",
    guess=[first_guess, predict(question, ["within", "BROKEN"], beta=0.5, scale=1.0)],
    beta=slider(0.05, 0.95, 0.15, 0.05),
    scale=slider(0.4, 6.0, 1.2, 0.1, label="scale, in units of S"),
    window=choice([10, 30, 100, 1000, 10_000], 30, label="window of |noise|, in S"),
)

# %% [markdown]
# [Look as far as 10,000 S](#move:window=10000): the Laplace line exceeds every limit, the Cauchy curves bend.
#
# **With a $\delta$ Laplace noise will do**, since noise that far out is rare. Scale $2S/\varepsilon$ with
# $\beta = \varepsilon / (2 \ln(2/\delta))$ is $(\varepsilon, \delta)$-DP for $\varepsilon \le 7$ and $\delta \le 1/2$.
# How much of $\delta$ does it use? The smallest $\delta$ can be computed exactly:
# the log ratio is piecewise linear, and the worst event is where it exceeds $\varepsilon$.

# %% jupyter={"source_hidden": true}
# Computed: the exact delta of smooth Laplace noise
for delta in (1e-3, 1e-6, 1e-9):
    beta = smooth_laplace_beta(1.0, delta)
    used = smooth_laplace_delta(beta, 1.0)
    print(f"claimed delta {amount(delta)}:", end=" ")
    print(f"beta {beta:.4f}, exact delta {amount(used)}, {delta / used:.0f} times too careful")

# %% [markdown]
# ## Sample and aggregate
#
# A second way needs no formula for the statistic (Algorithm 19). Split the people at random into $m$ disjoint blocks and compute
# the statistic in each. **Clip** the results to public bounds, average them, and add Laplace noise of scale $(\text{high} -
# \text{low})/(m \varepsilon)$.
#
# > **Theorem 15.2.** That is $\varepsilon$-DP, for every statistic and every public $m$.
#
# <details><summary>Proof: one person is in one block of m.</summary>
#
# The clipped result of that block moves by at most the width, the average by $1/m$ of it. If each record draws its block
# independently, this holds for a record that joins as well. $\square$
#
# </details>

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


# %% jupyter={"source_hidden": true}
# Computed: how far one liar moves the average, with and without clipping
scale = (payment_bounds[1] - payment_bounds[0]) / 32
clips = {"clipped to 0 and 9.21": payment_bounds, "hardly clipped": (-1e9, 1e9)}
for words, ends in clips.items():
    before, after = (
        sample_and_aggregate(people, np.mean, ends, 32, 1.0, NoNoise(np.random.PCG64(1)))
        for people in (payments, with_liar)
    )
    print(f"{words}: one person moves the average by {after - before:.3f};", end=" ")
    print(f"noise for the bounds {scale:.3f}")

# %% [markdown]
# **How many blocks?** The textbook takes $m = n^{0.4}$; we round down (erratum [E68](22_errata.ipynb#E68)). More blocks
# mean less noise, but a small block's statistic is not that of all data. In a mean these differences cancel; in an
# extreme quantile they do not. Below: the 95% quantile of the patients' visits. $m$ must be public: to try several and
# keep the best result breaks the guarantee.

# %%
visits, _ = PEOPLE["visits of patients"]
MS = np.unique(np.geomspace(4, 1500, 24).astype(int))
true_quantile = np.sort(visits)[math.ceil(0.95 * visits.size) - 1]


@functools.cache
def blocks_of(m):
    """The results of all blocks, four random splits of them."""
    found = []
    for seed in range(4):
        place = np.random.default_rng(seed).integers(0, m, visits.size).astype(np.intp)
        order, sizes = np.lexsort((visits, place)), np.bincount(place, minlength=m)
        starts = np.cumsum(sizes) - sizes  # block after block, the visits of each sorted
        at = starts + np.ceil(0.95 * sizes).astype(int) - 1
        found.append(visits[order][at[sizes > 0]].astype(float))
    return found


def block_errors(clip, epsilon):
    """Deviation of the noise, what the blocks miss, and roughly both, for each m of MS."""
    noise = math.sqrt(2) * clip / (MS * epsilon)
    missed = []
    for m in MS:
        averages = [np.minimum(results, clip).mean() for results in blocks_of(int(m))]
        missed.append(np.mean(np.abs(np.array(averages) - true_quantile)))
    return noise, np.array(missed), np.hypot(noise, missed)


for m in MS:
    blocks_of(int(m))  # before the first move

# %% jupyter={"source_hidden": true}
# Computed: the true quantile, and the textbook's number of blocks
print(f"the 95% quantile of {visits.size:,} people: {true_quantile} visits;", end=" ")
print(f"n^0.4 = {math.floor(visits.size**0.4)}")
rounded = [math.floor(n**0.4) for n in (100_000, 5_912, 944)]
print("n^0.4 rounded down for 100,000, 5,912 and 944 people:", *rounded)

# %% jupyter={"source_hidden": true}
# Figure: results of m blocks, and the error of their clipped, noisy average for each m
fig, (dots_ax, split_ax) = figure(columns=2, height=3.3)
blocks_verdict = verdict_text(dots_ax)
(block_dots,) = dots_ax.plot([], [], ".", color=COLOURS.noisy, markersize=5)
clip_line = dots_ax.axhline(100, color=COLOURS.amber, lw=1.8, ls="-.", label="clipped above")
dots_ax.axhline(true_quantile, color=COLOURS.true, linewidth=1.2)
x_axis(dots_ax, "blocks", (0, 1), ticks=[])
y_axis(dots_ax, "95% quantile (black: of all)", (0, 110))
error_curves = curves(split_ax, MS, {"noise": "other --", "blocks": "noisy :", "both": "true"})
chosen_m = own_point(split_ax, colour=COLOURS.true)
split_ax.axvline(visits.size**0.4, color=COLOURS.grey, lw=1, ls="-.")
ticks = {10: "10", visits.size**0.4: "$n^{0.4}$", 100: "100", 1000: "1,000"}
x_axis(split_ax, "blocks m", (4, 1500), ticks=ticks, log=True)
y_axis(split_ax, "error, visits", (0.05, 300), ticks=[0.1, 1, 10, 100], log=True)
legend_above(fig, frameon=False)


def split_up(m, clip, epsilon):
    results = np.minimum(blocks_of(m)[0], 108)
    block_dots.set_data((np.arange(results.size) + 0.5) / results.size, results)
    clip_line.set_ydata([min(clip, 109)] * 2)
    noise, missed, both = block_errors(clip, epsilon)
    set_curves(error_curves, [np.maximum(one, 1e-3) for one in (noise, missed, both)])
    place, best = MS.tolist().index(m), MS[np.argmin(both)]
    set_own_point(chosen_m, m, both[place])
    words = f"{m:,} blocks: off by {amount(both[place], 2)} visits; best: {best:,} blocks"
    set_verdict_text(blocks_verdict, None, words)
    words = f"noise {amount(noise[place])}, blocks off by {amount(missed[place])}"
    words = f"{words}; best m {best:,} with {amount(both.min())}"
    return f"{visits.size / m:,.0f} people a block, clip {clip}: {words}"


question = "Which number of blocks is best if we clip at 365?"
live(
    fig,
    split_up,
    "Left, the results of the blocks as dots with the clipping bound and the truth. Right, "
    "by the number of blocks, falling noise, block error that grows in the end, and both.",
    task=r"find the lowest point of the black curve. How far is $n^{0.4}$ from it?",
    guess=predict(question, (4, 1500), r"best m (\d+) with", clip=365),
    m=choice([int(m) for m in MS], int(MS[7]), label="blocks m"),
    clip=choice([10, 20, 40, 100, 365], 100, label="clip at (public)"),
    epsilon=log_slider(0.1, 10, 1.0),
)

# %% [markdown]
# [Clip at 10](#move:clip=10), below the results of many blocks: which curve goes up?
#
# <details><summary>Side result: for many coordinates Gaussian noise is better, and GUPT's printed scale is too small.</summary>
#
# The GUPT system (Mohan and others, 2012) publishes k-means in this way, with $k$ centres a block (equation 8.2): page
# [10](10_clustering.ipynb) has it. A centre has $d$ coordinates, so the noise of the printed scale is too small by the factor
# $d$. And the centres of different blocks must be put in one order before they are averaged. For an answer of many coordinates,
# each with its own bounds, **Gaussian noise** is the better choice, at the price of a $\delta$. The $L_1$ sensitivity grows as
# $d$, the $L_2$ sensitivity as $\sqrt d$.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: Laplace and Gaussian noise on d averages
print("standard deviation of the noise on each of d averages, in units of width / blocks:")
for coordinates in (1, 6, 24):
    laplace = math.sqrt(2) * coordinates
    normal = gaussian_scale(math.sqrt(coordinates), 1.0, 1e-6)
    print(f"    d = {coordinates:>2}:", end=" ")
    print(f"Laplace {laplace:5.2f}, Gaussian at epsilon 1, delta 1e-6 {normal:5.2f}")
# where sqrt 2 d is the Gaussian scale times sqrt d
even = gaussian_scale(1.0, 1.0, 1e-6) ** 2 / 2
print(f"    Gaussian noise is smaller if d is at least {math.ceil(even)}")

# %% [markdown]
# ## Votes: an exact answer, or none
#
# If the answer is not a number but one of a few words, let the blocks vote. Where the winner is clear, one person
# cannot change it, so it may be released **without noise**. Whether it is clear must be tested with noise. Let
# $\text{count}_1, \text{count}_2$ be the two highest numbers of votes, and let one person influence at most `touched`
# votes:
#
# $$\hat d = \frac{\text{count}_1 - \text{count}_2}{2\,\text{touched}} - 1 .$$
#
# > **Theorem 15.3 (after Thakurta and Smith, 2013; Li et al. 2016, Algorithm 20).** Releasing the winner if $\hat d +
# > \mathrm{Lap}(1/\varepsilon) > \ln(1/\delta)/\varepsilon$, and else nothing, is $(\varepsilon, \delta)$-DP.
#
# <details><summary>Proof: the distance has sensitivity 1, and is at most 0 where the winner may change.</summary>
#
# One person moves the gap by at most 2 touched, $\hat d$ by 1. If the neighbour has the same winner, only the noise tells them
# apart: $\varepsilon$. If it has another, the gap is at most 2 touched, so $\hat d \le 0$. Then the winner comes out with
# probability at most $\frac12 e^{-\ln(1/\delta)} = \delta/2$. $\square$
#
# </details>

# %%
show_source(stable_mode)

# %% jupyter={"source_hidden": true}
# Computed: three votes of 64, and the gap that an answer needs
three = {"60 votes to 4": (60, 4), "30 votes to 2": (30, 2), "33 to 31": (33, 31)}
for words, votes in three.items():
    _, away = vote_distance(np.repeat(["a", "b"], votes), 1)
    chance = pass_probability(away, 1.0, math.log(1e6))
    print(f"{words}: d = {away:g},", end=" ")
    print(f"released with probability {chance:.7f} at epsilon 1, delta 1e-6")
even, all_but_delta = 2 * (1 + math.log(1e6)), 2 * (1 + 2 * math.log(1e6))
print(f"the gap for an even chance: {even:.1f} votes; for all but delta: {all_but_delta:.1f}")

# %% [markdown]
# Two questions to real people, one with a clear winner and one close, by disjoint blocks (touched = 1):


# %%
def most_frequent(people):
    kinds, counts = np.unique(people, return_counts=True)
    return kinds[np.argmax(counts)]


# %% jupyter={"source_hidden": true}
# Computed: how often blocks answer, and how often the largest of noisy counts is right
years = data.affairs()["yrs_married"].values
columns = {"years married, 6,366 women": years}
columns["party identification, 944 voters"] = voters["PID"].values
for words, people in columns.items():
    rng, answered = np.random.default_rng(7), []
    kinds, largest = np.unique(people), 0
    for _ in range(100):
        votes = block_votes(people, most_frequent, 100, rng)
        answered.append(stable_mode(*votes, 1.0, 1e-6, rng))
        counts = np.array([np.sum(votes.votes == kind) for kind in kinds])
        # one vote that moves changes two counts
        noisy = laplace_mechanism(counts, 2, 1.0, rng)
        largest += kinds[np.argmax(noisy)] == most_frequent(people)
    heard = [one for one in answered if one is not None]
    right = sum(one == most_frequent(people) for one in heard)
    print(f"{words}: {len(heard)} of 100 runs gave an answer, {right} of them the right one;")
    print(f"    the largest of noisy counts always answers, right in {largest} of 100")

# %% [markdown]
# **Votes for learning: PATE** (Papernot, Abadi, Erlingsson, Goodfellow and Talwar, 2017). The last line printed
# is *report noisy max*: it has no $\delta$ and always answers. PATE trains one model, a teacher, on each block. The
# teachers vote on public questions. A student learns from the noisy maxima, which is post-processing. Each question
# spends budget. Here is the noise on each count that protects all answers together:

# %% jupyter={"source_hidden": true}
# Computed: the noise on a vote for 1 to 1,000 questions, Laplace and Gaussian
for questions in (1, 10, 100, 1000):
    laplace = math.sqrt(2) * 2 * questions
    normal = gaussian_scale(math.sqrt(2 * questions), 1.0, 1e-6)
    print(f"{counted(questions, 'question'):>15} at epsilon 1:", end=" ")
    print(f"standard deviation in votes, Laplace {amount(laplace)},", end=" ")
    print(f"Gaussian with delta 1e-6 {amount(normal)}")

# %% [markdown]
# For one question Laplace noise is better, for ten or more Gaussian noise. A record may change every answer, but in
# $L_2$ only by the square root of their number ([24](24_gaussian.ipynb)). A hundred questions need some hundreds of
# teachers.
#
# **Votes for words that nobody listed: thresholded histograms.** Let each record vote for a word, and let the words be
# unknown: search terms, or the exact dollars that were paid out. Publishing a word that one person has used is a leak,
# with or without noise. So add noise to the counts of the words *that occur*, and publish those above a threshold of
# order $\ln(1/\delta)/\varepsilon$ (Korolova and others, 2009). For each word it is the test of Theorem 15.3: is it far
# from disappearing? `threshold_release` comes from page [27](27_choosing.ipynb); neighbours add or remove a person.

# %% jupyter={"source_hidden": true}
# Computed: the payments that a thresholded histogram publishes
payments_made = np.round(np.exp(PEOPLE["ln payment"][0]), 2)
print(f"{np.unique(payments_made).size} different payments, threshold", end=" ")
print(f"{group_threshold(1, 1.0, 1e-6):.2f} people at epsilon 1, delta 1e-6")
who, rng = np.arange(payments_made.size), np.random.default_rng(4)
published = threshold_release(who, payments_made, 1, 1.0, 1e-6, rng)
print(f"{len(published)} payments come out; among them 450 dollars,", end=" ")
print(f"with {published[450.0]:.1f} people (truth: {np.sum(payments_made == 450)})")

# %% [markdown]
# <details><summary>Side result: Algorithm 20 as printed draws overlapping subsamples, and needs millions of them.</summary>
#
# Algorithm 20 does not split. It draws $m$ subsamples, each position in each with probability $q$, and draws again
# until nobody is in more than $2mq$ of them. Then touched = $2mq$ (its text and its two constants: erratum
# [E69](22_errata.ipynb#E69)). With the two constants, the numbers of subsamples differ by a factor of four.
# For *privacy* neither matters: it holds for every public $m$ and $q$. They serve to make a release likely. Millions of
# subsamples of two thousand people each are out of reach. The largest possible $\hat d$ is $1/(4q) - 1$, so a test with
# $\delta = 10^{-6}$ needs a tiny $q$. Disjoint blocks reach $m/2 - 1$.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: Algorithm 20's plan for a million people, with both constants
for words, constant in (("Algorithm 20, constant 32", 32), ("the text after it, 64", 64)):
    plan = subsampling_plan(1_000_000, 1.0, 1e-6, constant)
    print(f"{words}: q = {plan.rate:.5f},", end=" ")
    print(f"so {1e6 * plan.rate:,.0f} people a subsample; m = {plan.subsamples:,} subsamples")
agreed = 0.75 - 0.25
d_hat = agreed / (4 * subsampling_plan(1_000_000, 1.0, 1e-6).rate) - 1
print(f"32 suffices: if 3 of 4 subsamples agree, d = {d_hat:.1f},", end=" ")
print(f"and 2 ln(1/delta) / epsilon = {2 * math.log(1e6):.1f}")
rng = np.random.default_rng(1)
votes = subsampled_votes(voters["vote"].values, most_frequent, 0.05, 400, rng)
winner, away = vote_distance(*votes)
print("the voters, public plan m = 400, q = 0.05:", end=" ")
print(f"touched {votes.touched:g}, winner {winner}, d = {away:.2f}:")
chance = amount(pass_probability(away, 1.0, math.log(1e6)), 2)
print(f"    released with probability {chance} at delta {amount(1e-6)}")


# %%
def passed(share, blocks, epsilon, delta, subsamples):
    """Votes for the winner and the rest, touched, their distance, the threshold, and the
    probability of a release.
    """
    first = round(share * blocks)
    touched = max(2 * blocks * 0.05, 1.0) if subsamples else 1.0
    away = (first - (blocks - first)) / (2 * touched) - 1
    threshold = math.log(1 / delta) / epsilon
    chance = pass_probability(away, epsilon, threshold)
    return first, blocks - first, touched, away, threshold, chance


# %% jupyter={"source_hidden": true}
# Figure: passed(share, blocks, 1, delta, subsamples), and the curve that it lies on
fig, (count_ax, pass_ax) = figure(columns=2, height=3.2, width_ratios=[2, 3])
vote_verdict = verdict_text(count_ax)
vote_bars = count_ax.bar([0, 1], [1, 1], color=[COLOURS.noisy, COLOURS.amber], width=0.6)
x_axis(count_ax, ticks={0: "winner", 1: "second"})
y_axis(count_ax, "fraction of the votes", (0, 1))
AWAY = np.linspace(-1, 200, 403)
pass_curve = curves(pass_ax, AWAY, {"probability of a release": "noisy"}, linewidth=2.2)
here_dot = own_point(pass_ax, "these votes", colour=COLOURS.true)
threshold_line = pass_ax.axvline(1, color=COLOURS.other, linestyle="--", label="threshold")
x_axis(pass_ax, "distance d", (-5, 205))
y_axis(pass_ax, "probability", (-0.03, 1.03))
legend_above(fig, frameon=False)


def count_votes(share, blocks, delta, subsamples):
    votes = passed(share, blocks, 1.0, delta, subsamples)
    first, rest, touched, away, threshold, chance = votes
    for bar, votes_of in zip(vote_bars, (first, rest), strict=True):
        bar.set_height(votes_of / blocks)
    set_curves(pass_curve, [[pass_probability(one, 1.0, threshold) for one in AWAY]])
    threshold_line.set_xdata([threshold] * 2)
    set_own_point(here_dot, away, chance)
    words = f"{first} to {rest} votes: released with probability {probability(chance)}"
    set_verdict_text(vote_verdict, None, words)
    told = f"released with probability at most {amount(delta / 2)}"
    words = f"touched {touched:g}, epsilon 1: d = {away:.3g}, threshold {threshold:.3g}"
    return f"{words}; with another winner next door {told}"


question = "What is the distance d with subsamples?"
live(
    fig,
    count_votes,
    "Left, bars for the winner's and the second's votes. Right, the probability of a release "
    "against the distance d, which rises around the threshold, with a dot for these votes.",
    task=r"lower the winner's fraction until he is released half the time. What does a "
    r"smaller $\delta$ ask of the votes?",
    guess=predict(question, (-1, 30), r"d = (-?[\d.]+),", subsamples=True),
    share=slider(0.5, 1.0, 0.94, 0.01, label="the winner's fraction"),
    blocks=choice([8, 16, 32, 64, 100, 200, 400], 64, label="votes m"),
    delta=choice([1e-9, 1e-6, 1e-4, 1e-2], 1e-6),
    subsamples=switch(False, label="subsamples with q = 0.05"),
)

# %% [markdown]
# ## Propose, test, release
#
# The third way (Dwork and Lei, 2009) has three steps. *Propose* a public bound $b$ on the local sensitivity. *Test*,
# with noise, whether the data are far from any dataset that exceeds it. Only then *release* with noise for $b$. Let
# $\gamma(D)$ be the number of replacements to the nearest dataset whose local sensitivity is above $b$. The textbook
# gives no threshold for the general form; $\ln(1/\delta)/\varepsilon$ is enough:
#
# > **Theorem 15.4.** If $\gamma + \mathrm{Lap}(1/\varepsilon) > \ln(1/\delta)/\varepsilon$, release $f +
# > \mathrm{Lap}(b/\varepsilon)$, else nothing: $(2\varepsilon, \delta)$-DP.
#
# <details><summary>Proof: the distance has sensitivity 1; at distance 0 the test rarely passes, and else b is enough noise.</summary>
#
# If $\gamma(D) = 0$, the test passes with probability at most $\delta/2$. Else $LS(D) \le b$, so the value moves by at most $b$.
# Test and release cost $\varepsilon$ each. $\square$
#
# </details>
#
# For the median $\gamma = \min\{k : A(k) > b\}$: nothing new to compute. Never publish the *true* distance
# after the test, and do not repeat the test until it passes: each try spends budget.

# %%
show_source(propose_test_release)

# %% jupyter={"source_hidden": true}
# Computed: the distances of five medians, and the probability that the test passes
distances = {b: median_stable_distance(five, (0, 4), b) for b in (2, 3)}
print("0, 1, 2, 4, 4 within (0, 4):", distances)
print("distance for b = 0.5, 1, 2, and the probability of passing at b = 1, (1, 1e-6):")
for name, (column, bounds) in PEOPLE.items():
    away = {b: median_stable_distance(column, bounds, b) for b in (0.5, 1.0, 2.0)}
    chance = pass_probability(away[1.0], 0.5, math.log(1e6) / 0.5)
    listed = ", ".join(f"{distance:g}" for distance in away.values())
    print(f"    {name:26} {listed:<16} {chance:.6f}")

# %% [markdown]
# A test that forgets to divide by $\varepsilon$, with the threshold $\ln(1/\delta)$, lets a dataset at distance 0 pass with
# probability $\delta^{\varepsilon}/2$. At $\varepsilon = 0.5$ and $\delta = 10^{-6}$:

# %% jupyter={"source_hidden": true}
# Computed: how often a dataset at distance 0 passes, with the right and the wrong threshold
thresholds = {"ln(1/delta) / epsilon": math.log(1e6) / 0.5, "ln(1/delta)": math.log(1e6)}
for words, threshold in thresholds.items():
    chance = amount(pass_probability(0, 0.5, threshold), 2)
    print(f"threshold {words:22} a dataset at distance 0 passes with {chance}")

# %% [markdown]
# **A scale without bounds.** The interquartile range (IQR) has no finite sensitivity, and no useful $b$ in its own
# unit. On the log scale there is one. Cut $\log_2$ IQR into bins $[k, k+1)$ of length 1. Let $A_0$ be the fewest
# replacements that move it out of its bin. If $A_0 \ge 2$, all neighbours are in the same bin, so $\log_2$ IQR moves by
# less than 1. Data near an edge get a second chance with bins shifted by a half. If a test passes, IQR
# $\cdot\, 2^{\mathrm{Lap}(1/\varepsilon)}$ comes out.
#
# > **Theorem 15.5.** With the threshold $1 + \ln(1/\delta)/\varepsilon$ for both tests this is $(4\varepsilon, \delta)$-DP, and
# > even $(3\varepsilon, \delta)$.
#
# <details><summary>Proof: two tests of sensitivity 1 and one number.</summary>
#
# If one of the two $A_0 \ge 2$, two tests and one released number cost $3 \varepsilon$ (the $4 \varepsilon$ that the
# textbook reports counts two numbers). If both are at most 1, each test passes with probability at most $\delta/2$,
# together $\delta$. $\square$
#
# </details>
#
# **Algorithm 21 prints the threshold $1 + \ln(1/\varepsilon)$** (erratum [E70](22_errata.ipynb#E70)). There is no
# $\delta$ in it. So for $\varepsilon \le 1$, data with $A_0 = 1$, which should be refused, pass a test with probability
# $\frac12 e^{-\varepsilon \ln(1/\varepsilon)} = \varepsilon^{\varepsilon}/2$:

# %%
show_source(printed_private_scale)
tied, torn = np.array([0, 0, 0, 0, 0, 1, 1e6, 1e6]), np.array([0, 0, 0, 0, 1, 1e6, 1e6, 1e6])


def released_below(people, limit, epsilon, threshold):
    """The exact probability that a range below `limit` comes out."""
    aways = [scale_distance(people, shift) for shift in (0, 0.5)]
    one, two = (pass_probability(away, epsilon, threshold) for away in aways)
    up = epsilon * (math.log2(limit) - math.log2(interquartile_range(people)))
    below = 1 - math.exp(-up) / 2 if up >= 0 else math.exp(up) / 2
    return (one + (1 - one) * two) * below


# %% jupyter={"source_hidden": true}
# Computed: what the printed threshold lets pass, exactly and in 4,000 runs
for epsilon in (0.1, 1 / math.e, 0.5, 1.0):
    wrongly = pass_probability(1, epsilon, 1 - math.log(epsilon))
    print(f"epsilon {epsilon:.3f}: false acceptance {wrongly:.4f}, whatever delta")
ranges = (f"{interquartile_range(people):,.0f}" for people in (tied, torn))
print("two neighbours: ranges", *ranges)
p, q = (released_below(people, 1000, 0.5, 1 - math.log(0.5)) for people in (tied, torn))
print(f"printed, epsilon 0.5: Pr[release < 1000] {p:.4f} and {q:.4f};", end=" ")
print(f"smallest delta at 4 epsilon {p - math.exp(2) * q:.4f}")
rng, below = np.random.default_rng(1), []
for people in (tied, torn):
    drawn = [printed_private_scale(people, 0.5, 1e-9, rng) for _ in range(4000)]
    below.append(np.mean([one is not None and one < 1000 for one in drawn]))
print("in 4,000 runs each:", *map(amount, below))
right_p = released_below(tied, 1000, 0.5, 1 + math.log(1e9) / 0.5)
print(f"with 1 + ln(1/delta) / epsilon, delta {amount(1e-9)}: {amount(right_p, 2)}")


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
fig, (bins_ax, accept_ax) = figure(columns=2, height=3.4)
scale_verdict = verdict_text(bins_ax)
for edge_at in range(-2, 8):
    bins_ax.vlines(edge_at, 0.6, 1.0, color=COLOURS.grey, linewidth=1)
    bins_ax.vlines(edge_at - 0.5, 0.1, 0.5, color=COLOURS.grey, linewidth=1)
(range_mark,) = curves(bins_ax, [], {" ": "other"}, linewidth=2.4)
distance_words = [bins_ax.text(-2, y, "", va="bottom") for y in (1.01, 0.51)]
x_axis(bins_ax, "log₂ of the interquartile range", (-2.2, 6.6))
y_axis(bins_ax, limits=(0, 1.25), ticks={0.3: "shifted", 0.8: "bins"})
AWAYS = np.arange(0, 121)
rules_looks = {"1 + ln(1/δ)/ε": "noisy", "printed: 1 + ln(1/ε)": "other --"}
rule_curves = curves(accept_ax, AWAYS, rules_looks, linewidth=2.2)
test_dots = own_point(accept_ax, "both tests", colour=COLOURS.true, markersize=8)
refused_mark = own_point(accept_ax, "must be refused", "X", COLOURS.amber)
x_axis(accept_ax, "distance A₀", (-3, 121))
y_axis(accept_ax, "probability to pass", (1e-10, 3), [1e-9, 1e-6, 0.001, 1], log=True)
legend_above(fig, 2, frameon=False, columnspacing=1)


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
    words = f"must be refused: passes with {amount(bad)}, allowed {amount(delta / 2)}"
    set_verdict_text(scale_verdict, bool(bad <= delta / 2 * (1 + 1e-9)), words)
    words = f"a test with {amount(bad)}, δ/2 is {amount(delta / 2)}"
    words = f"a dataset that must be refused (A₀ = 1) passes {words}"
    likely = f"an answer with probability {probability(answered)}"
    return f"range {size:.4g}: threshold {rule:.4g}, {likely}; {words}"


question = "By the printed rule, with which probability do data pass that must be refused?"
live(
    fig,
    accept,
    "Left, the log2 axis cut into bins and shifted bins, the range marked. Right, the "
    "probability to pass against A0 for both thresholds; a cross for data to be refused.",
    task=r"the printed rule, and $\delta$ from $10^{-3}$ to $10^{-9}$: what moves?",
    guess=predict(question, (0, 1), r"a test with ([\d.e-]+), δ", delta=1e-9),
    people=choice(["ln payment", "ages of voters", "eight numbers (synthetic)"], "ln payment"),
    epsilon=log_slider(0.1, 2, 0.5),
    delta=choice([1e-9, 1e-6, 1e-3, 1e-2], 1e-3),
    printed=switch(True, label="the printed rule"),
)

# %% [markdown]
# [The printed rule at a delta of a billionth](#move:delta=1e-9&printed=on) still accepts, just as often, what it must
# refuse. [The right rule](#move:printed=off) does not. (A range of 0 has no logarithm, and gets no answer.)

# %% jupyter={"source_hidden": true}
# Computed: forty private scales of five columns
rng = np.random.default_rng(3)
for name, (column, _) in PEOPLE.items():
    runs = [private_scale(column, 0.5, 1e-6, rng) for _ in range(40)]
    found = np.array([one for one in runs if one is not None])
    aways = [scale_distance(column, shift) for shift in (0, 0.5)]
    middle = f"median release {np.median(found):.3g}" if found.size else "no release"
    print(f"{name:26} IQR {interquartile_range(column):.4g}, A0 {aways},", end=" ")
    print(f"{found.size:>2} of 40 answered, {middle}")

# %% [markdown]
# ## What the exponential mechanism for the median is
#
# Page [04](04_exponential.ipynb) chooses a median among candidates by how many ranks each misses. Let
# $\text{len}(D, y)$ be the number of records that must be replaced for $y$ to be the median. One replacement changes it
# by at most 1. So choosing $y$ with weight $e^{-\varepsilon\, \text{len}(D, y)/2}$ is $\varepsilon$-DP. That is
# the **inverse sensitivity mechanism** (Asi and Duchi, 2020), and `private_median` at $\varepsilon/2$ equals it, up to one
# rank.
#
# > **Theorem 15.6.** Take $m$ candidates, the median one of them. With probability at least $1 - p$ the output needs at
# > most $K = \frac{2}{\varepsilon} \ln \frac{m}{p}$ replacements. So its error is at most $\omega(K)$, the farthest
# > that $K$ replacements move *the median of this dataset*.
#
# <details><summary>Proof: candidates far away have little weight, and there are fewer than m of them.</summary>
#
# The median has weight 1. Each candidate with $\text{len} > K$ has a weight below $e^{-\varepsilon K/2} = p/m$, and there are
# fewer than $m$ of these. $\square$
#
# Smooth sensitivity asks for more: its $A(k)$ is how far the median moves in *one* step from any dataset $k$ steps away. Asi and
# Duchi show that among mechanisms without bias none is much better than this one on any dataset.
#
# </details>
#
# The theorem's bound, and the errors of 2,000 releases:


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


# %% jupyter={"source_hidden": true}
# Computed: the theorem's bound on the error, and the measured error
for name in ("ages of voters", "incomes of voters (codes)", "visits of patients"):
    column, bounds = PEOPLE[name]
    grid = np.arange(bounds[0], bounds[1] + 1)
    quality = median_quality(column, grid)
    assert np.abs(quality + replacements_needed(column, grid)).max() <= 1
    for epsilon in (0.1, 1.0):
        reach = math.floor(2 / epsilon * math.log(grid.size / 0.05))
        rng = np.random.default_rng(6)
        most = farthest_move(column, bounds, min(reach, column.size // 2))
        chosen = exponential_mechanism(quality, 0.5, epsilon / 2, rng, size=2_000)
        off = np.quantile(np.abs(grid[chosen] - lower_median(column)), 0.95)
        print(f"{name:26} epsilon {epsilon:<3}: K = {reach:>3},", end=" ")
        print(f"error in 95 of 100 releases at most {most:g}; measured {off:g}")

# %% [markdown]
# ## Error against epsilon, beside the exponential mechanism
#
# Smooth sensitivity for the median, says the textbook, "performs worse than the exponential method" of page
# [04](04_exponential.ipynb). Of the whole field it says: "there exists no efficient stability-based algorithms that
# perform better or close to the best". The table has median absolute errors over 200 releases (Cauchy noise has no
# mean), again in the median over ten seeds. The exponential mechanism chooses among the whole numbers within the bounds
# or, for the logarithms of payments, among the logarithms of whole dollars. Its `median_quality` has sensitivity 1
# under replace, half of that under add/remove, so it gets half of $\varepsilon$. Two baselines: Laplace noise for the
# whole width, and the middle of the bounds, which ignores the data. *Laplace* $2S/\varepsilon$ needs
# $\delta = 10^{-6}$; the others need none.

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
        beta, dice = part * epsilon, np.random.default_rng(seed)
        bound = smooth(beta)
        return cauchy_release(middle, bound, beta, epsilon, dice, scale=scale, size=DRAWS)

    tight = min(0.9 * epsilon, math.log(2 * math.cosh(epsilon) - 1))
    best = max(0.5, tight / epsilon)  # of epsilon, for beta
    quality, width = median_quality(column, grid), bounds[1] - bounds[0]
    chosen = exponential_mechanism(quality, 0.5, epsilon / 2, rng, size=DRAWS)
    bound, dice = smooth(smooth_laplace_beta(epsilon, DELTA)), np.random.default_rng(seed)
    with_delta = smooth_laplace_release(middle, bound, epsilon, dice, size=DRAWS)
    releases = {
        "exponential mechanism": grid[chosen],
        "Cauchy, published 6 S": cauchy(1 / 6, 6 / epsilon),
        "Cauchy, S/(epsilon - beta)": cauchy(1 / 2, None),
        "Cauchy, smallest scale": cauchy(best, cauchy_scale(best * epsilon, epsilon)),
        "Laplace 2 S/epsilon, delta": with_delta,
        "Laplace, whole width": laplace_mechanism(np.full(DRAWS, middle), width, epsilon, rng),
        "middle of the bounds": [sum(bounds) / 2],
    }
    off = {name: np.abs(np.array(found) - middle) for name, found in releases.items()}
    return {name: float(np.median(one)) for name, one in off.items()}


# %% jupyter={"source_hidden": true}
# Computed: the median error of seven private medians of four columns
SEEDS = range(1, 11)
tried = ["ages of voters", "visits of patients", "ln payment", "incomes of voters (codes)"]
methods, errors = list(median_errors(*PEOPLE["ages of voters"], 1.0, 1)), {}
for name in tried:
    runs = [[[*median_errors(*PEOPLE[name], e, s).values()] for e in EPSILONS] for s in SEEDS]
    errors[name] = frame = pd.DataFrame(np.median(runs, axis=0).T, methods, EPSILONS)
    print(f"\n{name}: median error by epsilon")
    print(frame.map(lambda error: amount(error, 2)).to_string())
    spread = np.std(runs, axis=0) / math.sqrt(len(SEEDS))
    relative = np.where(frame.T > 1e-6, spread / frame.T.clip(lower=1e-6), 0)
    print(f"standard errors: at most {relative.max():.0%} of the number")

# %% [markdown]
# How many people have exactly the median, and how many ranks away is the nearest other value?

# %% jupyter={"source_hidden": true}
# Computed: how many people have exactly the median, in five columns
for name, (column, _) in PEOPLE.items():
    middle, rank = lower_median(column), (column.size + 1) // 2
    below, up_to = np.sum(column < middle), np.sum(column <= middle)
    print(f"{name:26} {up_to - below:>3} of {column.size:>5,} have the median;", end=" ")
    print(f"other values begin {rank - below} ranks below and {up_to - rank + 1} above")

# %% jupyter={"source_hidden": true}
# Figure: median errors of four of the seven private medians in the table above
fig, compared_axes = figure(columns=3, height=4.0, sharey=True)
looks = {
    "exponential mechanism": "true o-",
    "Cauchy, published 6 S": "other s--",
    "Cauchy, smallest scale": "noisy v-",
    "Laplace, whole width": "grey --",
}
shown = ("ages of voters", "visits of patients", "ln payment")
for compared_ax, name in zip(compared_axes, shown, strict=True):
    heights = np.maximum(errors[name].loc[[*looks]].to_numpy(), 1e-5)
    curves(compared_ax, EPSILONS, looks, heights, markersize=5)
    x_axis(compared_ax, "epsilon", log=True)
    y_axis(compared_ax, limits=(5e-6, 1e4), log=True)
    compared_ax.set_title(name)
compared_axes[0].set_ylabel("median error (below 10⁻⁵: drawn there)")
legend_above(fig, 2)
show(
    fig,
    "Median error against epsilon for four ways to release a median: the exponential "
    "mechanism is lowest, or level at the foot, except for payments. There noise of the "
    "smallest scale on smooth sensitivity meets it at epsilon 0.1 and is below it up to 0.5.",
)

# %% jupyter={"source_hidden": true}
# Computed: where Cauchy noise beats the exponential mechanism, and what the best scale gains
for name, frame in errors.items():
    cauchy = frame.loc[[method for method in frame.index if method.startswith("Cauchy")]]
    exponential, won = frame.loc["exponential mechanism"], []
    for e, one, other in zip(EPSILONS, exponential, cauchy.min(), strict=True):
        # both: no more than chance apart, or next to nothing
        both = max(one, other) < max(1e-5, 1.3 * min(one, other))
        won.append(f"{e:g} {'both' if both else 'exponential' if one <= other else 'Cauchy'}")
    print(f"{name}\n    smaller error:", ", ".join(won))
    smallest = frame.loc["Cauchy, smallest scale"].clip(lower=1e-12)
    ahead = frame.loc["Cauchy, published 6 S"] / smallest
    ahead = [amount(ahead[e], 2) for e in EPSILONS[:4]]
    print("    published error / that of the smallest scale:", *ahead)

# %% [markdown]
# **What is true in the sentence.** For ages, visits and incomes the exponential mechanism is never behind, at
# $\varepsilon \le 0.1$ ahead of Cauchy noise by a factor of at least 8. At large $\varepsilon$ it is exact. Noise of the
# smallest scale is then off by less than half a unit, and free rounding makes it as good.
#
# For the payments the order is reversed above $\varepsilon = 0.1$. One reason is the *tie* at the median: 638 people
# were paid exactly 450 dollars. Moving the median off that value takes tens of replacements in one direction and
# hundreds in the other. So $S^*$ is nearly 0. The other is the candidates: 449 dollars are only 50 ranks from the
# middle, and at small $\varepsilon$ not much worse than 450. Among tens of dollars the exponential mechanism is ahead.
# So "worse" holds only at small $\varepsilon$. The published constants alone cost a factor of 6 to 12 (ages and
# incomes, $\varepsilon \le 0.2$).
#
# Finally propose-test-release, and sample and aggregate for the same median with $n^{0.4}$ blocks. For whole numbers
# every $b < 1$ has the same distance $\gamma$. So a tiny $b$ costs nothing, and the noise $b/\varepsilon$ nearly
# vanishes.

# %% jupyter={"source_hidden": true}
# Computed: propose-test-release with two bounds, and sample and aggregate, on two medians
for name in ("ages of voters", "visits of patients"):
    column, bounds = PEOPLE[name]
    middle, blocks = lower_median(column), math.floor(column.size**0.4)
    for epsilon in (0.1, 0.5, 1.0):
        rng, said = np.random.default_rng(5), []
        for b in (1.0, 0.001):
            tested = middle, median_stable_distance(column, bounds, b), b, epsilon / 2, DELTA
            drawn = [propose_test_release(*tested, rng) for _ in range(200)]
            heard = np.array([one for one in drawn if one is not None])
            error = f", error {np.median(np.abs(heard - middle)):.2g}" if heard.size else ""
            said.append(f"b = {b:g}: {heard.size:>3} answered{error}")
        given = column, np.median, bounds, blocks, epsilon
        split = np.array([sample_and_aggregate(*given, rng) for _ in range(200)])
        print(f"{name:18} epsilon {epsilon}, of 200 {'; '.join(said)};", end=" ")
        print(f"blocks: error {np.median(np.abs(split - middle)):.2g}")
away = median_stable_distance(*PEOPLE["visits of patients"], 0.001)
chance = pass_probability(away, 0.1 / 2, math.log(1 / DELTA) / (0.1 / 2))
print(f"patients, epsilon 0.1, b = 0.001: the test passes once in {1 / chance:,.0f} runs")

# %% [markdown]
# With $b$ below the unit of the data, the patients' median comes out almost exactly at $\varepsilon = 0.5$ and above.
# At 0.1 the test passes once in 4,000 runs. With $b = 1$ it passes, but the answer is off by many visits.
#
# ## On your own
#
# A hint and an answer for each: [exercises/answers/15_stability](../exercises/answers/15_stability.ipynb).
#
# **Assignment 15:** [five tasks, checked in a second](../exercises/releases/15_stability.ipynb).
#
# 1. *Warm-up.* In the first live figure, put the calm crowd's middle person at 50. What is
#    the smallest $\beta$ at which $S^*$ is the local sensitivity? First by sight, then from $A(k) = k + 1$.
# 2. "Add to the noise's scale a constant 0.1, so that it is never 0." For which neighbours does that not help at all?
#    Compute the loss of $LS + 0.1$ on the five people with 0 and 1.
# 3. The *maximum* of the voters' ages within (18, 120), by the mirror of the minimum, at
#    $\beta = 0.1$ and at $\beta = 1$. Would you release it?
# 4. How many blocks does `stable_mode` need at $\varepsilon = 1$ and $\delta = 10^{-9}$ to answer with probability
#    0.99? Nine of ten blocks agree, and the rest all vote for one other answer.
# 5. Find data with $A_0 \ge 20$ in one of the two ways to cut and $A_0 = 1$ in the other.
# 6. *Challenge.* Which noise has a density that falls like $|z|^{-3}$, and what scale does it
#    need? Work out its worst loss on a grid for $\beta = \varepsilon/3$, and compare median
#    errors with the Cauchy noise of the same loss.
#
# A start for task 6:

# %%
z = np.linspace(-50, 50, 5)
# a log density up to a constant: Student's t with 2 degrees, scaled
print(np.round(-1.5 * np.log1p(z**2), 3))

# %% [markdown]
# ## When to use it
#
# - **Smooth sensitivity** for a median or another statistic whose $A(k)$ you can compute, at
#   $\varepsilon$ about 1 or more. Use Cauchy noise with the smallest scale, and a $\beta$ well
#   above $\varepsilon/6$.
# - **The exponential mechanism** for a quantile at small $\varepsilon$, or from few people:
#   Theorem 15.6 bounds its error.
# - **Votes of blocks** for one word: exact if the winner is clear, or silent. The largest noisy
#   count always answers, without a $\delta$. **Sample and aggregate** only where a statistic is a black
#   box; clip, and keep $m$ public.
# - **Propose-test-release** where a bound is known to hold for calm data, with $b$ below the
#   unit of the data. Tell readers that "no answer" is an answer, and count every try.
# - **Thresholded histograms** for words that nobody listed; **PATE** for a model that learns from
#   votes.
#
# **Check:** neither the size of the noise nor a bound, $m$ or a threshold may come from the data, except through a
# smooth bound. On a smooth bound, no Laplace noise without $\delta$. Every threshold has both $\varepsilon$ and $\delta$.
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
