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
# # 05 Averages, six ways
#
# How often do people see a doctor in a year, on average? You *clip* the visits of the few who go very often: a low bound
# biases the average, a high one drowns it in noise.
#
# <details><summary>About 40 minutes, after 03 and 04: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [04 The exponential mechanism](04_exponential.ipynb) · **Next:** [06 What does epsilon promise?](06_meaning.ipynb)
#
# **Assignment 05:** [five tasks, checked in a second](../exercises/releases/05_averages.ipynb)
#
# **You will see** the average that most people will use: values clipped, number of records public. Then what changes
# when that number is itself a secret. There are six ways: three are always private and three are not. A textbook
# proves one of the bad three private. You compute events that refute each.
#
# **You will do:** choose where to clip. Move a range away from zero until a mechanism breaks. Find the counterexample
# that a textbook missed. Watch one person double a probability. Repair two mechanisms exactly. Measure which is best.
#
# **You need:** [03 The Laplace mechanism](03_laplace.ipynb) (sensitivity, privacy loss) and
# [04 The exponential mechanism](04_exponential.ipynb) (quality, median).
#
# **Time:** about 40 minutes. A good place to stop is after *The average that you will use*. The rest shows
# how a proof of privacy goes wrong.
#
# **Data:** ages of 944 voters, doctor visits of 5,912 people in their first year of the RAND health insurance
# experiment, schooling of 6,366 women. All are real people, one record each. Only the tiny datasets of
# the counterexamples are made up: a guarantee must hold for every dataset. Neighbours are add/remove (one dataset has
# one record more) unless the text says replace.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import numpy as np

from dpbook import data
from dpbook.amounts import amount
from dpbook.live import choice, live, log_slider
from dpbook.plots import (
    COLOURS,
    curves,
    figure,
    legend_above,
    own_point,
    set_curves,
    set_own_point,
    set_verdict_text,
    verdict_text,
    x_axis,
    y_axis,
)

# %% jupyter={"source_hidden": true}
# Figure: releases of the average clipped at C; noise C / (n epsilon), bias and mean error
voters, insured, women = data.election(), data.health_insurance(), data.affairs()
first_year = np.unique(data.health_insurance_person(), return_index=True)[1]
shuffled = np.random.default_rng(5).permutation
columns = {
    "ages": (shuffled(voters["age"].values), voters["age"].bounds, "years"),
    "doctor visits": (shuffled(insured["mdvis"].values[first_year]), (0, 365), "visits"),
    "schooling": (shuffled(women["educ"].values), women["educ"].bounds, "years"),
}
visits = columns["doctor visits"][0]
CLIPS = np.unique(np.round(np.geomspace(1, 365, 70)).astype(int))
around = np.linspace(0, 7, 281)
fig, (left, right) = figure(columns=2, height=2.45)
(tent,) = curves(left, around, {" ": "noisy"}, linewidth=2)
truth = left.axvline(0, color=COLOURS.third, linewidth=3, label="true average")
clipped_line = left.axvline(0, color=COLOURS.amber, linestyle="--")
error_now = verdict_text(left)
x_axis(left, "released average, visits", (0, 7))
y_axis(left, "relative density", (0, 1.08))
looks = {"noise alone": "noisy --", "bias alone": "other :", "mean error": "true"}
clip_curves = curves(right, CLIPS, looks, linewidth=2)
clip_here = own_point(right, None, "D", COLOURS.amber)
x_axis(right, "clipped at", (0.9, 420), [1, 10, 100], log=True)
y_axis(right, "error, visits", (1e-3, 2e3), [0.001, 0.1, 10, 1_000], log=True)
legend_above(fig, 4)


def clip_at(clip, some_people, epsilon):
    some = visits[:some_people]
    biases = some.mean() - np.minimum(some[:, None], CLIPS).mean(axis=0)
    noises = CLIPS / (some.size * epsilon)
    error = biases + noises * np.exp(-biases / noises)
    set_curves(clip_curves, [noises, np.maximum(biases, 1e-9), error])
    at = int(np.searchsorted(CLIPS, clip))
    set_own_point(clip_here, CLIPS[at], error[at])
    truth.set_xdata([some.mean()] * 2)
    middle = some.mean() - biases[at]
    clipped_line.set_xdata([middle] * 2)
    places = np.sort(np.append(around, middle))
    set_curves([tent], [np.exp(-np.abs(places - middle) / noises[at])], places)
    best = f"best {amount(error.min())} at {CLIPS[error.argmin()]}"
    told = f"clipped at {CLIPS[at]}: error {amount(error[at])}, {best}"
    set_verdict_text(error_now, None, told)
    parts = f"noise {amount(noises[at])}, bias {amount(biases[at])}"
    best = f"{amount(error.min())}, at {CLIPS[error.argmin()]} (which only the data know)"
    told = f"{parts}, mean error {amount(error[at])}, in visits; smallest {best}"
    return f"clipped at {CLIPS[at]}: {told}"


live(
    fig,
    clip_at,
    "Left: a tent of possible releases over the clipped average, beside the true average. "
    "Right, on log axes: noise rises with the clip, bias falls, and the mean error has a "
    "valley between.",
    task="press *play*: the tent of releases moves to the true average and widens. Where "
    "would you stop?",
    play="clip",
    clip=choice([int(c) for c in CLIPS], 2, label="clip at"),
    some_people=choice([30, 100, 300, 1_000, 5_912], 300, label="people"),
    epsilon=log_slider(0.01, 10, 0.1),
)

# %% [markdown]
# **What you saw.** Amber: the clipped average. The best bound depends on how much noise there is. With
# [300 people at epsilon 0.1](#move:some_people=300&epsilon=0.1) you would clip low; with
# [5,912 people](#move:some_people=5912&epsilon=1) you can afford a wide bound.

# %% jupyter={"source_hidden": true}
# Computed: the three columns of this page, their public bounds and their averages
for name, (values, bounds, unit) in columns.items():
    print(f"{name:<14} {values.size:>5,} people,", end=" ")
    print(f"bounds {bounds!s:<9} average {values.mean():6.2f} {unit}")

# %% [markdown]
# The bounds are public: the codebook's, or at most one visit a day. They never come from the records.
#
# ## A naive attempt that fails
#
# An average of 944 ages is an average of 944 people. Whom could it give away? The person who joined last:

# %% jupyter={"source_hidden": true}
# Computed: the last voter's age, from two exact averages
ages, age_bounds, _ = columns["ages"]
before, after = ages[:-1].mean(), ages.mean()
print(f"average of 943 voters {before:.4f}; of 944 voters {after:.4f}")
last = 944 * after - 943 * before
print(f"944 x {after:.4f} - 943 x {before:.4f} = {last:.1f}: the age of the last voter")
assert np.isclose(last, ages[-1])

# %% [markdown]
# ## The average that you will use
#
# Let neighbours differ by *replacing* one record. Both then have $n$ records, and $n$ may be public: a survey says how
# many took part.
#
# > **Theorem 5.1 (clipped average).** Let $L < H$ be public, $W = H - L$, and let $\mathrm{clip}(x)$ move a record $x$
# > to the nearer of $L$, $H$ if it lies outside of them. Under *replace*, with $n$ records,
# > $$M(D) = \frac1n \sum_i \mathrm{clip}(x_i) + \mathrm{Lap}\Big( \frac{W}{n\, \varepsilon} \Big) \qquad \text{is } \varepsilon\text{-DP}.$$
#
# <details><summary>Proof: clipping bounds what one person can do.</summary>
#
# Replacing a record moves its clipped value, and so the sum, by at most $W$; the average moves by at most $W/n$. That
# is its sensitivity ([03](03_laplace.ipynb)). Records outside the bounds are allowed. $\square$
#
# </details>
#
# Choose the bounds with care. Wide ones cost noise; narrow ones cost *bias*, as the values beyond are counted as if
# they lay at the bound. With a bias of $c$ and noise of scale $b = W/(n \varepsilon)$ the mean (absolute) error is
# $|c| + b\, e^{-|c|/b}$.

# %% jupyter={"source_hidden": true}
# What this page imports
import functools
from itertools import combinations_with_replacement, product

import pandas as pd
from matplotlib.colors import ListedColormap

from dpbook.amounts import counted
from dpbook.audit import epsilon_lower_bound, exact_loss
from dpbook.averages import (
    centred_average,
    clamped_average,
    clamped_law,
    clamped_loss,
    clipped_average,
    clipped_error,
    exponential_average,
    exponential_loss,
    median_average,
    median_law,
    redrawn_average,
    repaired_clamped_epsilon,
    repaired_resampling_epsilon,
    resampling_average,
    resampling_law,
    resampling_loss,
    simple_average,
    simple_loss,
    true_average,
)
from dpbook.claims.losses import loss_from_steps
from dpbook.exponential import private_quantile
from dpbook.guesses import predict
from dpbook.laplace import laplace_log_density, laplace_mechanism, laplace_probability
from dpbook.live import new_noise, show_source, slider, switch
from dpbook.plots import meter, set_meter, show
from dpbook.verdict import exceeds, verdict

# %%
show_source(clipped_average)
seven = np.sort(visits)[-7:]
print(f"the seven with most visits: {seven};", end=" ")
print(f"average {seven.mean():.1f}, clipped at 60: {np.clip(seven, 0, 60).mean():.1f}")
released = clipped_average(seven, (0, 60), 1.0, np.random.default_rng(1))
print("released at epsilon 1:", round(released, 1))

# %% [markdown]
# The best bound depends on the data, and a bound read off the data is a leak. Three ways are honest: the public
# bound; a guess fixed beforehand; or a private 0.99-quantile ([04](04_exponential.ipynb)) for a tenth of $\varepsilon$.
# The *oracle* takes the best bound from the secret data. The table has mean errors in visits; for the quantile, the
# median of 40 draws.


# %%
def clip_errors(n, epsilon):
    """Mean errors of the clipped average of n people's visits for four ways to choose the
    bound.
    """
    some, levels = visits[:n], np.arange(1, 366)
    # under replace the loss of `private_quantile` is what it is handed / max(q, 1 - q)
    handed = 0.1 * epsilon * 0.99
    dice = [np.random.default_rng([9, i]) for i in range(40)]
    chosen = [private_quantile(some, 0.99, levels, handed, rng) for rng in dice]
    errors = [clipped_error(some, (0, c), 0.9 * epsilon) for c in chosen]
    return {
        "n times epsilon": n * epsilon,
        "public 365": clipped_error(some, (0, 365), epsilon),
        "guessed 30": clipped_error(some, (0, 30), epsilon),
        "private quantile": np.median(errors),
        "its bound": np.median(chosen),
        "oracle": min(clipped_error(some, (0, int(c)), epsilon) for c in CLIPS),
    }


# %% jupyter={"source_hidden": true}
# Computed: the mean errors of four ways to choose the bound
cases = [(n, e) for n in (300, 5_912) for e in (0.03, 0.1, 1.0)] + [(5_912, 3.0)]
rows = {(f"{n:,}", e): clip_errors(n, e) for n, e in cases}
pd.DataFrame(rows).T.rename_axis(["people", "epsilon"]).map(amount)

# %% [markdown]
# A guess not far off is hard to beat: it is ahead in every row but the last. The private quantile is drawn almost
# blindly until $n \varepsilon$ is about ten thousand. Then it clips near 20, and bias outweighs noise.
#
# > **A good place to stop.** For most uses this is all. Publish $n$, fix the bounds, clip, add noise, and move a
# > release outside the bounds back to the nearer one.
#
# ## When the number is a secret too
#
# Often $n$ is *not* public. Li, Lyu, Su and Yang (2016, section 2.5; *the textbook*) ask for an average over patients
# "who have been smoking for more than 15 years". There $n$ counts the people who match, and joining changes it. Below,
# neighbours are add/remove. All records lie within the bounds; $S$ is their sum, $n$ their number.
#
# > **Definition 5.2 (average).** $\mathrm{avg}(D) = S/n$, and the middle of the bounds for no records.
#
# We add Laplace noise to it. How much? The sensitivity of an average is what one record can do to it *in the worst
# dataset*, and the worst is a tiny one. We try every small dataset:

# %% jupyter={"source_hidden": true}
# Computed: the largest move of an average over all small datasets, and the noise it needs
grid = np.linspace(0, 1, 5)
small = [records for n in range(5) for records in combinations_with_replacement(grid, n)]
moves = [
    abs(true_average((*d, x), (0, 1)) - true_average(d, (0, 1))) for d in small for x in grid
]
print(f"{len(moves)} pairs of neighbours within [0, 1]:", end=" ")
print(f"the average moves by at most {max(moves):.2f}")
for epsilon in (0.1, 1.0, 10.0):
    scale = (age_bounds[1] - age_bounds[0]) / 2 / epsilon
    print(f"epsilon {epsilon:>4}: mean error of the average age {scale:6.1f} years,", end=" ")
    print("for any number of voters")

# %% [markdown]
# Half of the width, $W/2$. The release is private and useless: a million voters would get the same noise. (With $n =
# 944$ public it was $n/2$ times smaller.)
#
# ## The idea: a sum, a count, a quotient
#
# An average is a sum $S$ divided by a count $n$. A record moves the sum by a bounded amount and the count by 1, however
# many records there are. So add the noise *there*, and the error of the quotient falls with $n$. (This is *sufficient
# statistics perturbation*.) The textbook discusses these ways; the names are this book's:
#
# | way | what it does | the textbook says |
# |---|---|---|
# | `simple_average` | noisy sum / noisy count | private (Algorithm 1) |
# | `centred_average` | the same for distances from the middle | private (Algorithm 4) |
# | `resampling_average` | noisy sum / exact count, redrawn until within the bounds | not private (Algorithm 2) |
# | `exponential_average` | exponential mechanism, quality $-\lvert S - n\,o \rvert$ of output $o$ | private |
# | `clamped_average` | noisy sum / exact count, moved to the nearer bound | private (Algorithm 3, proved) |
# | `median_average` | another statistic altogether | private |
#
# What does each lose at $\varepsilon = 1$, and what repairs it? The sections below explain this table:

# %% jupyter={"source_hidden": true}
# Computed: the loss that each way claims at epsilon 1, the loss that it has, and its repair
claim, narrow = 1.0, (36.0, 42.0)
one_low = [narrow[0] + 1.5 * (narrow[1] - narrow[0]) / 1000]  # in the second of 1,000 ranges
bad_pair = [median_law(some, narrow, claim) for some in (one_low, [*one_low, narrow[1]])]
watched = loss_from_steps(
    lambda some, rng: centred_average(some, narrow, claim, rng), [([], [narrow[1]])]
)  # the program runs on both datasets with the same noisy numbers
repairs = repaired_resampling_epsilon(claim), repaired_clamped_epsilon(claim)
true_losses = {
    "simple": (simple_loss(narrow, claim), "centre it first"),
    "centred": (watched, "none is needed"),
    "resampling": (resampling_loss(claim), f"run at {repairs[0]:.3f}"),
    "exponential": (exponential_loss(claim), "none is needed"),
    "clamped": (clamped_loss(claim), f"run at {repairs[1]:.3f}"),
    "median": (exact_loss(*bad_pair).loss, "none is needed"),
}
print(f"bounds {narrow}, add/remove;", end=" ")
print("the claim for resampling is that of PINQ, not the textbook's;")
print("the loss of the median is that of one bad pair, all others are worst cases")
rows = [(claim, f"{loss:.3f}", repair) for loss, repair in true_losses.values()]
pd.DataFrame(rows, list(true_losses), ["claimed loss", "true loss", "repair"])

# %%
ways = {
    "simple": simple_average,
    "centred": centred_average,
    "resampling": resampling_average,
    "exponential": exponential_average,
    "clamped": clamped_average,
    "median": median_average,
}
for name, way in ways.items():
    release = way(ages, age_bounds, 1.0, np.random.default_rng(1))
    print(f"{name:<12} {release:.2f} years released at epsilon 1;", end=" ")
    print(f"true average {ages.mean():.2f}")

# %% [markdown]
# ## Live: six ways, the same people
#
# Each row shows 60 possible releases of one way (dots) and the one that is published (diamond). At the right is the
# mean error of 1,000 releases.

# %% jupyter={"source_hidden": true}
# Figure: 1,000 releases of the average in each of six ways
fig, ways_ax = figure(height=3.8)
rows, jitter = np.arange(len(ways)), np.linspace(-0.25, 0.25, 60)
look = {"color": COLOURS.grey, "markersize": 5, "zorder": 1}
dots = [ways_ax.plot(jitter, row + jitter, ".", **look)[0] for row in rows]
look = {"color": COLOURS.noisy, "markersize": 8, "label": "published"}
(published,) = ways_ax.plot(np.zeros(6), rows, "D", **look)
look = {"color": COLOURS.true, "linewidth": 1.5, "label": "true average (secret)"}
truth_line = ways_ax.axvline(0, **look)
look = {"color": COLOURS.other, "linestyle": "--", "linewidth": 1.5}
ends = [ways_ax.axvline(0, label=label, **look) for label in ("bounds", None)]
x_axis(ways_ax, "released average")
y_axis(ways_ax, None, (5.6, -0.6), dict(enumerate(ways)))
place = {"transform": ways_ax.get_yaxis_transform(), "va": "center"}
errors_text = [ways_ax.text(1.01, row, "error 888.8888 years", **place) for row in rows]
best_way = verdict_text(ways_ax)
legend_above(fig, 3)


def in_units(error, unit):
    words = amount(error, 2)
    return f"{words} {unit.removesuffix('s') if words == '1' else unit}"


def six_ways(column, people, epsilon, seed):
    values, (low, high), unit = columns[column]
    values, middle, width = values[:people], (low + high) / 2, high - low
    if (ends[0].get_xdata()[0], ends[1].get_xdata()[0]) != (low, high):
        reach = (middle - 0.8 * width, middle + 0.8 * width)
        x_axis(ways_ax, f"released average, {unit}", reach)
        ends[0].set_xdata([low] * 2)
        ends[1].set_xdata([high] * 2)
    truth_line.set_xdata([values.mean()] * 2)
    first, found = [], {}
    for row, (name, way) in enumerate(ways.items()):
        releases = way(values, (low, high), epsilon, np.random.default_rng(seed), size=1_000)
        dots[row].set_xdata(releases[1:61])
        found[name] = error = np.abs(releases - values.mean()).mean()
        errors_text[row].set_text(f"error {in_units(error, unit)}")
        first.append(releases[0])
    published.set_xdata(first)
    best = min(found, key=found.get)
    told = f"smallest mean error: {best}, {in_units(found[best], unit)}"
    set_verdict_text(best_way, None, told)
    outside = sum(not low <= release <= high for release in first)
    lie = "lies" if outside == 1 else "lie"
    told = f"{outside} of the 6 published averages {lie} outside the bounds"
    return f"true average {values.mean():.2f} {unit}; {told}"


live(
    fig,
    six_ways,
    "Six rows of dots, one row for each way to release an average, with the true average as "
    "a vertical line and the bounds dashed; the mean error of each way is written at the "
    "right.",
    task=r"with 900 ages take $\varepsilon$ from 1 down to 0.01. Which rows spread beyond the "
    "bounds? Then switch to the doctor visits, whose average lies close to its lower "
    "bound.",
    column=choice(list(columns), "ages"),
    people=choice([10, 30, 100, 300, 900], 900),
    epsilon=log_slider(0.003, 10, 0.1, label="claimed epsilon"),
    seed=new_noise(1),
)

# %% [markdown]
# No picture of one dataset can show privacy. For that we need the distributions on *neighbours*.
#
# ## 1. Simple: a noisy sum over a noisy count
#
# $$\tilde S = S + \mathrm{Lap}\Big(\frac{2W}{\varepsilon}\Big), \quad
# \tilde C = n + \mathrm{Lap}\Big(\frac{2}{\varepsilon}\Big), \quad
# \text{release } \tilde S / \tilde C \ \text{ (the middle if } \tilde C \le 1).$$
#
# Each gets half of $\varepsilon$; the quotient is post-processing. ($\mathrm{Lap}(b)$ is Laplace noise of scale $b$.)
# For the sensitivity of the sum the textbook takes the size of the domain, $W$ (Example 2.14). Five voters by hand,
# with the same noise:

# %%
show_source(simple_average)
five, rng = ages[:5], np.random.default_rng(2)
noisy_sum = laplace_mechanism(float(five.sum()), 102, 0.5, rng)  # 102 years: high - low
noisy_count = laplace_mechanism(5.0, 1, 0.5, rng)
print(f"ages {five}: sum {five.sum()}, count 5, average {five.mean():.1f}")
quotient = noisy_sum / noisy_count
print(f"noisy sum {noisy_sum:.1f}, noisy count {noisy_count:.2f}, released {quotient:.1f}")
by_function = simple_average(five, age_bounds, 1.0, np.random.default_rng(2))
assert np.isclose(quotient, by_function)

# %% [markdown]
# ### Where it breaks: a range away from zero
#
# Body temperatures lie within $[36, 42]$. A new record moves the sum by up to 42, but the noise is made for $W = 6$.
# Under add/remove the sensitivity of a sum is $\max(|L|, |H|)$. This is at most $W$ exactly when 0 lies within the
# bounds (erratum [E01](22_errata.ipynb#E01)).
#
# > **Theorem 5.3 (exact loss of the simple average).** Over all neighbours (add/remove) it is
# > $\frac{\varepsilon}{2} \big(1 + \max(|L|, |H|) / W\big)$.
#
# <details><summary>Proof: the count costs half, the sum its true sensitivity over the scale of its noise.</summary>
#
# By composition no pair loses more. The event below, or its mirror image if $|L| > |H|$, reaches it. $\square$
#
# </details>
#
# Take no records, and one record at $H$. On the left is the noisy sum of each. The steeper the tents and the further
# apart, the more one release reveals. On the right is the exact loss.

# %% jupyter={"source_hidden": true}
# Figure: simple_loss(bounds, 1) for every lower bound; the densities of the two noisy sums
sums, lows = np.linspace(-60, 140, 401), np.linspace(-40, 60, 401)
fig, (left, right) = figure(columns=2)
sum_curves = curves(left, sums, {"no record": "other --", "one record at H": "noisy"})
x_axis(left, "noisy sum", (-60, 140))
ticks = {1e-5: "0.00001", 1e-3: "0.001", 0.1: "0.1"}
y_axis(left, "density / highest density", (1e-6, 3), ticks, log=True)
range_verdict = verdict_text(left)
loss_curves = curves(right, lows, {"exact loss": "true", "guaranteed": "third --"})
here = own_point(right, None, "D")
x_axis(right, "lower bound L", (-40, 60))
y_axis(right, "loss / epsilon", (0.5, 60), [0.5, 1, 2, 5, 10, 20, 50], log=True)
legend_above(fig, 4)


def away_from_zero(low, width):
    logs = [laplace_log_density(sums, total, width, 0.5) for total in (0, low + width)]
    set_curves(sum_curves, np.exp(np.array(logs) + np.log(4 * width)))
    farther = np.maximum(np.abs(lows), np.abs(lows + width))
    set_curves(loss_curves, [(1 + farther / width) / 2, 1])
    loss = simple_loss((low, low + width), 1)
    set_own_point(here, low, loss)
    said = verdict(loss, 1, certain=True)
    set_verdict_text(range_verdict, said, f"loss {loss:.3g} ε: {said}")
    told = f"of it 0.5 for the count and {loss - 0.5:.3g} for the sum: {said}"
    return f"bounds [{low}, {low + width}]: exact loss {loss:.3g} epsilon, {told}"


question = "If the lower bound is 0, how many times the claimed epsilon is the loss?"
live(
    fig,
    away_from_zero,
    "Left: tents of the noisy sum for no record and for one at the upper bound. Right: the "
    "exact loss by lower bound, at most 1 where the bounds contain zero, above 1 elsewhere.",
    task="take the lower bound from 36 down to 0. Where does the guarantee begin to hold? "
    "Then lower the width at 36.",
    guess=predict(question, (0, 10), r"exact loss ([\d.]+)", low=0),
    low=slider(-40, 60, 36, label="lower bound L"),
    width=slider(1, 60, 6, label="width W"),
)

# %% [markdown]
# [Take the lower bound to 0](#move:low=0) and the guarantee holds. Is this the loss of what is *released*, or only of
# the sum that nobody sees? Take the event that the released average is above $H$. We compute its probability exactly,
# and count it in a million releases. The codebook bounds below do not contain 0, either.

# %% jupyter={"source_hidden": true}
# Computed: the loss of one event, exactly and in a million releases; of three columns
low, high, epsilon = 36, 42, 1.0
rate = epsilon / 2 + high * epsilon / (2 * (high - low))
log_chance = np.log(epsilon / 8 / rate)  # one record, at high
log_chance_none = log_chance - epsilon / 2 - high * epsilon / (2 * (high - low))
for name, values, log_p in (("{42}", [high], log_chance), ("{}", [], log_chance_none)):
    rng = np.random.default_rng(3)
    releases = simple_average(values, (low, high), epsilon, rng, size=1_000_000)
    counted_part = np.mean(releases > high)
    print(f"{name:<5} Pr[release > 42] = {np.exp(log_p):.5f}; counted {counted_part:.4f}")
loss, formula = log_chance - log_chance_none, simple_loss((low, high), epsilon)
print(f"loss {loss:.3f} = simple_loss {formula:.3f}, promised {epsilon}")
print(f"[100, 101]: loss {simple_loss((100, 101), 1.0):.0f}, promised 1")
assert np.isclose(loss, formula)
real = {"age": voters["age"], "income code": voters["income"], "schooling": women["educ"]}
for name, column in real.items():
    loss = simple_loss(column.bounds, 1)
    print(f"{name:<12} {column.bounds!s:<10} loss {loss:.3f} at epsilon 1")

# %% [markdown]
# ## 2. Centred: a repair
#
# Sum the signed distances from the middle $(L + H)/2$ instead. No record is further from it than $W/2$, wherever the
# bounds are. So half of the noise is enough (Li et al. 2016, Algorithm 4; erratum [E09](22_errata.ipynb#E09)).
#
# > **Theorem 5.4 (centred average).** It is $\varepsilon$-DP under add/remove, for all bounds, and its exact loss is
# > $\varepsilon$. (Half is for the count and half for the sum; the same event as above reaches both.)
#
# Moving a release back to the nearer bound is post-processing, and helps a lot when $\varepsilon n$ is small.

# %%
show_source(centred_average)

# %% jupyter={"source_hidden": true}
# Computed: how often two ways leave the bounds, and their errors, raw and clamped
for epsilon in (0.003, 0.01, 0.1):
    for name in ("simple", "centred"):
        releases = ways[name](ages, age_bounds, epsilon, np.random.default_rng(4), size=20_000)
        out = np.mean((releases < age_bounds[0]) | (releases > age_bounds[1]))
        both = releases, np.clip(releases, *age_bounds)
        raw, clamped = (np.abs(one - ages.mean()).mean() for one in both)
        print(f"epsilon {epsilon:<5} {name:<8} {out:4.0%} outside;", end=" ")
        print(f"mean error {raw:5.1f} years, clamped {clamped:4.1f}")

# %% [markdown]
# ## 3. Without noise on the count?
#
# The noisy count costs half of the budget. But the count is not published! Could it stay exact? The textbook writes
# down
#
# $$\frac{S + \mathrm{Lap}(W / \varepsilon)}{n} \qquad \text{(2.9)}$$
#
# and compares the probabilities of one release $z$ for neighbours with $n$ and $n + 1$ records (sums $s$ and $s + a'$).
# A release is noise *divided by the count*, so its density carries that count as a factor:
#
# $$\text{ratio} = \frac{n + 1}{n}\; e^{\frac{\varepsilon}{W} \left( |n z - s| - |(n + 1) z - s - a'| \right)}.$$
#
# The textbook prints $e^{z - a'}$ (erratum [E03](22_errata.ipynb#E03)). The probabilities of small cells around $z$
# decide:

# %% jupyter={"source_hidden": true}
# Computed: the ratio of the probabilities of small cells, by formula and as printed
s, n, new = 1.2, 3, 0.8  # three records within [0, 1], one more of 0.8
epsilon, cell = 0.5, 1e-6
for z in (0.2, 0.45, 0.9, 5.0, 20.0):
    with_new = laplace_probability((n + 1) * z, (n + 1) * (z + cell), s + new, 1, epsilon)
    without = laplace_probability(n * z, n * (z + cell), s, 1, epsilon)
    formula = (n + 1) / n * np.exp(epsilon * (abs(n * z - s) - abs((n + 1) * z - s - new)))
    told = [amount(ratio, 4) for ratio in (with_new / without, formula, np.exp(z - new))]
    print(f"z = {z:>5}: cells {told[0]:>11}   formula {told[1]:>11}   printed {told[2]}")

# %% [markdown]
# The conclusion stands: far out the ratio falls towards 0, below every $e^{-\varepsilon}$, so (2.9) is not private. The
# textbook then discusses two ways to stay within the bounds.
#
# ### Redraw until it fits
#
# Draw the noise again while the average lies outside. This was the average of PINQ, a system for private queries. The
# result is Laplace noise around the true average, *truncated* to the bounds and scaled up by one over the mass kept.

# %%
show_source(redrawn_average)

# %% [markdown]
# `resampling_average` draws from the same distribution in one step; a test compares the two.
#
# It is not private, as the textbook says, since the scaling depends on the data. The textbook's counterexample is $D
# = \{-1\}$, $D' = \{-1, 1\}$ on $[-1, 1]$, at the release $-1$, with a ratio of $2 e^\varepsilon$. But on $D'$ the
# noise is divided by 2, so the density of the *release* is twice that of the noise (erratum
# [E02](22_errata.ipynb#E02)):

# %% jupyter={"source_hidden": true}
# Computed: the textbook's ratio, and that of a small event
epsilon = 1.0
one = epsilon / (2 * (1 - np.exp(-epsilon)))
other = epsilon * np.exp(-epsilon) / (4 * (1 - np.exp(-epsilon)))
print(f"printed: {one:.4f} / {other:.4f} = {one / other:.4f} = 2 e")
cuts = [-1, -1 + 1e-6, 0, 1]
laws = [resampling_law(values, (-1, 1), cuts, epsilon) for values in ([-1], [-1, 1])]
one, other = (law.probabilities[0] for law in laws)
print(f"Pr[-1 < release < -1 + 10⁻⁶]: {amount(one, 5)} / {amount(other, 5)}", end=" ")
print(f"= {one / other:.4f} = e")
assert np.isclose(one / other, np.e, atol=1e-4)

# %% [markdown]
# The ratio is exactly $e^\varepsilon$: that pair is within the guarantee. So where is it broken?
#
# ## Live: find the right counterexample
#
# Stretched to $[0, 1]$, the textbook's pair is $\{0\}$ and $\{0, 1\}$: one zero, and a one joins. Let there be $n$
# zeros.

# %% jupyter={"source_hidden": true}
# Figure: resampling_law(values, (0, 1), cuts, epsilon) of two neighbours; the ratio at a cut
cuts = np.unique([*np.geomspace(1e-6, 1, 80), *np.linspace(0, 1, 121)])
middles = (cuts[1:] + cuts[:-1]) / 2
fig, (left, right) = figure(columns=2)
pair_curves = curves(left, middles, {"n zeros": "noisy", "and the new record": "other --"})
x_axis((left, right), "released average")
y_axis(left, "density", (1e-3, 1e3), [0.001, 0.01, 0.1, 1, 10, 100, 1_000], log=True)
zeros_verdict = verdict_text(left)
(loss_of_output,) = curves(right, middles, {"": "true"})
for limit, name in ((1, "guaranteed"), (-1, None)):
    right.axhline(limit, color=COLOURS.third, linestyle="--", label=name)
worst_point = own_point(right, "worst", "D")
y_axis(right, "ln(n zeros / with new) / epsilon", (-1.2, 2.1))
legend_above(fig, 4)


def zeros_and_one(zeros, new, epsilon):
    pair = np.zeros(zeros), np.append(np.zeros(zeros), new)
    chances = [resampling_law(values, (0, 1), cuts, epsilon).probabilities for values in pair]
    set_curves(pair_curves, chances / np.diff(cuts))
    losses = np.log(chances[0] / chances[1]) / epsilon
    loss_of_output.set_ydata(losses)
    worst = int(np.argmax(np.abs(losses)))
    set_own_point(worst_point, middles[worst], losses[worst])
    loss = epsilon * abs(losses[worst])
    said = verdict(loss, epsilon, certain=True)
    set_verdict_text(zeros_verdict, said, f"loss {loss / epsilon:.3g} ε: {said}")
    ratio, most = np.exp([loss, epsilon])
    return f"largest ratio {ratio:.3f}, guaranteed at most e^ε = {most:.3f}: {said}"


question = "If a one joins two zeros, what does the figure say of the guarantee?"
live(
    fig,
    zeros_and_one,
    "Left: densities of the released average for n zeros and with a new record, on a log "
    "axis. Right: the log of their ratio over epsilon, with dashed lines at 1 and minus 1, "
    "which it leaves when a one joins two zeros or more.",
    task="the figure starts at the textbook's pair. Press the arrow key once to make it *two* "
    "zeros. Then look for the $n$ and the new record that break the guarantee most.",
    guess=predict(question, ["within", "BROKEN"], zeros=2),
    zeros=choice([1, 2, 3, 5, 10, 20, 50, 100], 1, label="zeros, n"),
    new=slider(0.0, 1.0, 1.0, 0.05, label="new record"),
    epsilon=log_slider(0.1, 5, 1.0, label="claimed epsilon"),
)

# %% [markdown]
# Releases near 0 break it. With zeros only, half of the noise or more lands outside, and truncation at least
# doubles the density inside.
# A one that joins pulls the sum inwards, so less is cut off. For $n$ zeros and a one the ratio at 0 is $\frac{n}{n+1}
# \big( e^\varepsilon + \frac{e^\varepsilon - 1}{1 - e^{-\varepsilon n}} \big)$. That is $e^\varepsilon$ for $n = 1$,
# more for every larger $n$, and $2 e^\varepsilon - 1$ in the limit.

# %% jupyter={"source_hidden": true}
# Computed: the ratio near 0 for n zeros and a one, and its limit
for zeros in (1, 2, 3, 10, 100, 10_000):
    pair = [
        resampling_law(v, (0, 1), [0, 1e-9, 1], 1.0) for v in ([0] * zeros, [0] * zeros + [1])
    ]
    near_zero = pair[0].probabilities[0] / pair[1].probabilities[0]
    some = counted(zeros, "zero", "zeros")
    print(f"{some:<12} and a one: ratio {near_zero:.3f}; promised {np.e:.3f}")
limit = resampling_loss(1.0)
print(f"the limit 2 e - 1 = {np.exp(limit):.3f}: a loss of {limit:.3f} instead of 1")

# %% [markdown]
# > **Theorem 5.5 (exact loss of the resampling average).** Over all neighbours (add/remove) it is
# > $\ln(2 e^\varepsilon - 1)$: approached, but not reached.
#
# <details><summary>Proof: bound the ratio of densities from both sides; all records at 0 are the worst case.</summary>
#
# Let the bounds be $[0, 1]$. For $n$ records with sum $S$ the density at $z$ is $w_n(z) / Z_n$, with
# $w_n(z) = e^{-\varepsilon |n z - S|}$ and $Z_n = \int_0^1 w_n$. Both datasets have densities of the same output $z$,
# so no factor is missing. The new record is $a$; write $x = e^{-\varepsilon}$.
#
# *The smaller dataset is likelier.* By symmetry $a \ge 1/2$, so $w_n / w_{n+1} \le e^{\varepsilon a}$. With $p = x^S /
# 2$ and $q = x^{n - S} / 2$ the integrals are $Z_n = \frac{2}{\varepsilon n}(1 - p - q)$ and $Z_{n+1} =
# \frac{2}{\varepsilon (n+1)} (1 - p x^a - q x^{1-a})$. So the ratio is at most $\frac{n}{n+1} \cdot
# \frac{e^{\varepsilon a} - p - q e^{\varepsilon (2a - 1)}}{1 - p - q}$. It grows with $a$: its derivative has the sign
# of $e^{\varepsilon a} - 2 q e^{\varepsilon (2 a - 1)} \ge 0$. At $a = 1$ it is $\frac{n}{n+1} \big( e^\varepsilon +
# (e^\varepsilon - 1) \frac{p}{1 - p - q} \big)$. The product $p q$ is fixed and the fraction grows with $p$, so $p =
# 1/2$ is the worst: all records at 0. This is the ratio above, and it is at most $2 e^\varepsilon - 1$. With $t = 1 +
# x + \dots + x^{n-1}$ that says $n (t + 1) \le (n + 1)(2 - x) t = (n + 1)(t + 1 - x^n)$, and indeed $t + 1 \ge (n + 1)
# x^n$.
#
# *The larger dataset is likelier.* $w_{n+1} / w_n$ is largest at $z = (S + a)/(n + 1)$, where it is
# $e^{\varepsilon |S - n a| / (n + 1)}$; by symmetry $n a \le S$. The log of the ratio is then convex in $a$ (minus the
# log of a concave $Z_{n+1}$), so only $a = S/n$ and $a = 0$ matter. At $a = S / n$ the weights do not help, and
# $Z_n \le e^\varepsilon Z_{n+1}$. At $a = 0$, putting $z = n u / (n + 1)$ gives
# $Z_{n+1} \ge \frac{n}{n+1} \big( Z_n + \frac1n x^{n - S + 1} \big)$, and with $Z_n \le 1$ the ratio is at most
# $x^{-S/(n+1)} (n + 1) / (n + x^{n - S + 1})$. By the inequality of arithmetic and geometric means this is at most
# $x^{-S/(n+1)}\, x^{-(n - S + 1)/(n + 1)} = e^\varepsilon$.
#
# *No records.* Then the release is uniform. Its density 1 stands against $\frac{\varepsilon}{2} e^{-\varepsilon |z -
# a|} / (1 - \frac12 x^a - \frac12 x^{1-a})$. The ratio lies between $e^{-\varepsilon}$ and $\varepsilon / (1 -
# e^{-\varepsilon}) \le e^\varepsilon$. $\square$
#
# </details>
#
# A loss that is known exactly can be repaired exactly. Run the mechanism at $\ln\frac{1 + e^\varepsilon}{2}$ instead of
# $\varepsilon$, and its loss is $\varepsilon$. We check all datasets of up to four records, each 0, 0.3 or 1:

# %%
places = (0.0, 0.3, 1.0)
tiny = [records for n in range(5) for records in combinations_with_replacement(places, n)]
peaks = np.add.outer([1 / 2, 1 / 3, 1 / 4, 1 / 6, 1 / 11], [-1e-7, 1e-7]).ravel()
cells = np.unique([*np.linspace(0, 1, 121), *peaks, 1e-6, 1 - 1e-6])


def worst_loss(law, epsilon):
    """The largest exact loss, over the cells, when a record joins a tiny dataset or 200
    zeros.
    """
    losses = []
    for records in [*tiny, (0.0,) * 200]:
        without = law(list(records), (0, 1), cells, epsilon)
        for joining in places:
            joined = law([*records, joining], (0, 1), cells, epsilon)
            losses.append(exact_loss(without, joined).loss)
    return max(losses)


# %% jupyter={"source_hidden": true}
# Computed: the loss of the resampling average as printed, and repaired
for epsilon in (0.5, 1.0, 2.0):
    inside = repaired_resampling_epsilon(epsilon)
    print(f"claimed {epsilon}: loss {worst_loss(resampling_law, epsilon):.3f};", end=" ")
    print(f"run at {inside:.3f} its loss is {worst_loss(resampling_law, inside):.3f}")

# %% [markdown]
# ## 4. The exponential mechanism is the same thing
#
# > **Corollary 5.6 (exponential mechanism for the average).** With the quality $-|S - n\,o|$ of an output $o$ it is the
# > resampling average at $\varepsilon/2$, and its exact loss is $\ln(2 e^{\varepsilon/2} - 1) < \varepsilon$.
#
# That quality is best at the true average, and one record $a$ changes it by at most $|a - o| \le W$. So the density
# of $o$ is proportional to $e^{-\varepsilon |S - n o| / (2 W)}$ within the bounds. That is Laplace noise around the
# average, truncated to the bounds: the resampling average *at half of* $\varepsilon$.

# %%
some, cuts_of_some = [0.2, 0.9, 0.4], np.linspace(0, 1, 21)
fine = (np.arange(20_000) + 0.5) / 20_000
weights = np.exp(-np.abs(sum(some) - 3 * fine) / 2)
by_definition = weights.reshape(20, -1).sum(axis=1) / weights.sum()
as_resampling = resampling_law(some, (0, 1), cuts_of_some, 0.5).probabilities
print("by the definition ", by_definition[:6].round(6))
print("resampling at half", as_resampling[:6].round(6))
assert np.allclose(by_definition, as_resampling, atol=1e-6)
show_source(exponential_average)

# %% [markdown]
# So one mechanism is private at one setting and not at another. The general proof of the exponential mechanism says
# $\varepsilon$; the exact loss is smaller:

# %% jupyter={"source_hidden": true}
# Computed: the exact loss of the exponential mechanism, and the noise it could have
rows = []
for e in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0):
    made_for, may_be = e / 2, repaired_resampling_epsilon(e)
    rows.append((e, exponential_loss(e), made_for, may_be, may_be / made_for))
names = ["epsilon", "its exact loss", "noise made for", "may be made for", "gain"]
pd.DataFrame(rows, columns=names).set_index("epsilon").round(3)

# %% [markdown]
# For a large $\varepsilon$ the repaired version is almost twice as accurate, for the same guarantee.
#
# ## 5. Clamped: the one that is proved private
#
# Move an average that falls outside to the nearer bound. Each bound gets a probability of its own (an *atom*); the rest
# is a density. For no records the atoms have $\frac12 e^{-\varepsilon/2}$ each; the rest is uniform. The textbook
# proves over three pages that this is $\varepsilon$-DP (Proposition 2.22). It is not (erratum
# [E04](22_errata.ipynb#E04)):
#
# > **Theorem 5.7 (exact loss of the clamped average).** Over all neighbours (add/remove) it is
# > $\max(\varepsilon,\; \ln 2 + \varepsilon/2)$.

# %%
show_source(clamped_average)

# %% [markdown]
# ## Live: one person doubles a probability
#
# Take $\{0\}$ and $\{0, 1\}$ on $[0, 1]$. The release is 0, or 1, or strictly inside: three events, on the left. On
# the right the line is the worst loss over *all* pairs, $\max(\varepsilon, \ln 2 + \varepsilon/2)$; the diamond is
# the loss of the pair shown.

# %% jupyter={"source_hidden": true}
# Figure: clamped_law(values, (0, 1), cells, inside) of two neighbours; exact_loss of the pair
claims = np.linspace(0.05, 3, 60)
fig, (left, right) = figure(columns=2)
doubling_marks = [
    own_point(left, "zeros", "o", COLOURS.noisy, markersize=11),
    own_point(left, "zeros and a one", "D", COLOURS.amber, markersize=11),
]
(inside_gap,) = left.plot([0.88, 1.12], [1, 2], color=COLOURS.true, linewidth=1.5, zorder=1)
times = left.text(1, 1, "", ha="center", va="top", size=12, weight="bold")
x_axis(left, "released average", (-0.5, 2.5), {0: "= 0", 1: "inside", 2: "= 1"})
y_axis(left, "probability", (6e-4, 1.5), [0.001, 0.01, 0.1, 1], log=True)
doubled_verdict = verdict_text(left)
looks = {"claimed": "third --", "all pairs": "true"}
curves(right, claims, looks, [claims, [clamped_loss(e) for e in claims]], ends=True)
pair_point = own_point(right, "this pair", "D")
x_axis(right, "claimed epsilon", (0, 3.05))
y_axis(right, "exact privacy loss", (0, 3.05))
no_pair = right.text(0.1, 2.8, "", va="top", size=12)
legend_above(fig, 3)


def doubled(epsilon, zeros, repaired):
    impossible = repaired and epsilon <= np.log(2)
    no_pair.set_text("no pair to show" if impossible else "")
    if impossible:
        for marks in (*doubling_marks, inside_gap, pair_point):
            marks.set_ydata(np.full(len(marks.get_xdata()), np.nan))
        times.set(text="no repair", y=0.05)
        set_verdict_text(doubled_verdict, False, "no repair at or below ln 2")
        told = f"at or below ln 2 = {np.log(2):.3f} the exact count alone costs more"
        return f"no repair: {told}, however large the noise"
    inside = repaired_clamped_epsilon(epsilon) if repaired else epsilon
    pair = np.zeros(zeros), np.append(np.zeros(zeros), 1.0)
    laws = [clamped_law(values, (0, 1), cells, inside) for values in pair]
    masses = [law.probabilities[1:-1].sum() for law in laws]
    for marks, law, inner, shift in zip(doubling_marks, laws, masses, (-1, 1), strict=True):
        three = np.array([law.probabilities[0], inner, law.probabilities[-1]])
        set_own_point(marks, np.arange(3) + 0.12 * shift, np.maximum(three, 1e-3))
    inside_gap.set_ydata(masses)
    ratio, loss = masses[1] / masses[0], exact_loss(*laws).loss
    times.set(text=f"× {ratio:.3g}", y=0.55 * min(masses))
    set_own_point(pair_point, epsilon, loss)
    said = verdict(loss, epsilon, certain=True)
    set_verdict_text(doubled_verdict, said, f"loss {loss:.3g}, claimed {epsilon:.3g}")
    told = f"Pr[inside] {masses[0]:.4f} and {masses[1]:.4f}, {ratio:.3f} times"
    return f"{told}; loss of the pair {loss:.3f}, claimed {epsilon:.3g}: {said}"


question = "If only 0.05 is claimed instead of 0.5, what is the loss of the pair?"
live(
    fig,
    doubled,
    "Left: three pairs of marks on a log axis: the probabilities that the clamped average is "
    "0, is strictly inside, or is 1, for zeros and for zeros and a one; inside, the second "
    "is twice the first for one zero. Right: the worst loss of all pairs, above the claim up "
    "to 2 ln 2, and this pair as a diamond.",
    task=r"take $\varepsilon$ from 0.05 to 3 and watch the gap between the two marks named "
    "*inside*. Does it ever change? Then add zeros, and at last switch on the repair.",
    guess=predict(question, (0, 1), r"loss of the pair ([\d.]+)", epsilon=0.05),
    epsilon=slider(0.05, 3.0, 0.5, 0.05, label="claimed epsilon"),
    zeros=choice([1, 2, 3, 5, 10], 1, label="zeros"),
    repaired=switch(False, label="repaired"),
)

# %% [markdown]
# The probability of *inside* doubles for **every** $\varepsilon$, however small. From 0, noise of scale $W /
# \varepsilon$ stays inside on one side, up to $W$. From the middle, noise of half that scale stays inside on *both*
# sides, up to $W/2$. In numbers:

# %% jupyter={"source_hidden": true}
# Computed: the probability of inside, doubled, and the loss of the pair
for epsilon in (0.01, 0.1, 0.5, 1.0, 1.386, 2.0):
    alone, together = (clamped_law(v, (0, 1), cells, epsilon) for v in ([0.0], [0.0, 1.0]))
    one, two = (law.probabilities[1:-1].sum() for law in (alone, together))
    loss, most = exact_loss(alone, together).loss, clamped_loss(epsilon)
    print(f"epsilon {epsilon:<5}: Pr[inside] {one:.5f}, {two:.5f},", end=" ")
    print(f"{two / one:.4f} times; loss {loss:.4f}, all pairs {most:.4f}")
    assert np.isclose(two, 2 * one) and loss <= most * (1 + 1e-9)

# %% [markdown]
# <details><summary>What the textbook's proof misses: the density of the release is not that of the noise.</summary>
#
# Case 1 takes the density of the *noise* for that of the *release*, and so misses the factor $(n+1)/n$. Case 2 (no
# records) has its densities right. Corrected, for $n \ge 1$: inside, the ratio (of $n + 1$ records to $n$) is at most
# $\frac{n+1}{n} e^{\varepsilon n/(n+1)}$, and its inverse at most $e^\varepsilon$. For $\varepsilon < 2 \ln 2$ the
# worst $n$ is 1, with $2 e^{\varepsilon/2}$. At the atoms (the two ends, which have probabilities of their own) it is
# at most $e^\varepsilon$. That is Theorem 5.7. At $\varepsilon = 2 \ln 2$ and above the proposition is true.
#
# </details>
#
# A black-box test ([21 Audit](21_audit.ipynb)) needs no formulas, only releases. It certifies a lower bound on the
# loss, here with a false-alarm rate of one in a thousand:

# %%
suspects = [
    ("clamped", (0, 1), ([0.0], [0.0, 1.0])),
    ("resampling", (0, 1), ([0.0] * 20, [0.0] * 20 + [1.0])),
    ("simple", (36, 42), ([], [42.0])),
    ("centred", (36, 42), ([], [42.0])),
    ("exponential", (0, 1), ([0.0] * 20, [0.0] * 20 + [1.0])),
]


def audited(way, bounds):
    """This way at epsilon 0.5, in the form that the test calls."""
    return lambda values, rng, size: way(values, bounds, 0.5, rng, size=size)


for name, bounds, pair in suspects:
    suspect, rng = audited(ways[name], bounds), np.random.default_rng(6)
    bound = epsilon_lower_bound(suspect, *pair, 200_000, rng, 0.999)
    said = verdict(bound.loss, 0.5, bound.certain)
    print(f"{name:<12} claims 0.5;", end=" ")
    print(f"200,000 releases certify a loss of at least {bound.epsilon:.2f}: {said}")

# %% [markdown]
# ### The repair
#
# For a loss of $\varepsilon$ between $\ln 2$ and $2 \ln 2$, run it at $2(\varepsilon - \ln 2)$. Above $2 \ln 2$ change
# nothing. At $\ln 2$ or less no noise *on the sum* helps: the exact count alone costs $\ln 2$.

# %% jupyter={"source_hidden": true}
# Computed: the exact loss of the repaired clamped average, and where there is no repair
for epsilon in (0.75, 1.0, 1.25, 2 * np.log(2), 2.0):
    inside = repaired_clamped_epsilon(epsilon)
    print(f"for a loss of {epsilon:.3f} run at {inside:.3f}:", end=" ")
    print(f"exact loss {worst_loss(clamped_law, inside):.3f}")
try:
    repaired_clamped_epsilon(0.5)
except ValueError as error:
    print(f"ValueError: {error}")

# %% [markdown]
# ## 6. The median as an average
#
# The textbook's surprise: at a small $\varepsilon$ the private *median* may be the better average. Its noise acts on
# ranks, not on values, and the middle of a dense crowd is easy to find. The bounds are cut into 1,000 ranges (51 in the
# figure); the exponential mechanism draws one by its ranks, then a point in it ([04](04_exponential.ipynb)). For all
# 944 ages at $\varepsilon = 0.01$, where do the releases fall? The figure has the exact distributions of three ways.

# %%
show_source(median_law)
show_source(median_average)

# %% jupyter={"source_hidden": true}
# Figure: median_law, resampling_law and clamped_law of all ages at epsilon 0.01
epsilon, bins = 0.01, np.linspace(*age_bounds, 52)
ranges = median_law(ages, age_bounds, epsilon, ranges=51).probabilities
cut_noise = resampling_law(ages, age_bounds, bins, epsilon / 2).probabilities
clamped = clamped_law(ages, age_bounds, bins, epsilon).probabilities
fig, ax = figure(height=3.0)
ax.stairs(ranges, bins, color=COLOURS.fourth, linewidth=2, label="median")
ax.stairs(cut_noise, bins, color=COLOURS.noisy, label="exponential")
ax.stairs(clamped[1:-1], bins, color=COLOURS.other, linestyle="--", label="clamped")
ax.plot(age_bounds, clamped[[0, -1]], "D", color=COLOURS.other, clip_on=False)
ax.axvline(ages.mean(), color=COLOURS.true, linewidth=1.5, label="true average")
x_axis(ax, "released average age, years", (15, 123))
y_axis(ax, "probability of each 2 years")
legend_above(fig, 4)
show(
    fig,
    "Exact distributions of three private averages of 944 ages at epsilon 0.01: the median "
    "is a narrow peak near the true average, the exponential mechanism is wide, the clamped "
    "average has a diamond at each bound.",
    "The diamonds are the probabilities of the two bounds themselves, for the clamped "
    "average.",
)

# %% jupyter={"source_hidden": true}
# Computed: the average and the median of the ages
print(f"average {ages.mean():.1f}, median {np.median(ages):.0f}:", end=" ")
print("the median's error cannot fall below the gap between")

# %% [markdown]
# ## Live: who keeps the guarantee?
#
# The meter shows the exact loss of all six, in multiples of the claim. (For the median the bar is the loss on one bad
# pair, within two thousandths of $\varepsilon$; by [04](04_exponential.ipynb) no pair loses more than $\varepsilon$.)

# %% jupyter={"source_hidden": true}
# Figure: the exact loss of six averages with these bounds, against the claimed epsilon
fig, ax = figure(height=3.4)
promise = meter(ax, list(ways), most=3, unit="exact privacy loss / ε (dashed: the claim)")
private = verdict_text(ax)
BOUNDS = {"visits [0, 365]": (0, 365), "ages [18, 120]": (18, 120)}
BOUNDS |= {"[9, 20]": (9, 20), "[36, 42]": (36, 42)}


def promises(epsilon, bounds):
    low, high = bounds
    one = [low + 1.5 * (high - low) / 1000]
    laws = [median_law(values, bounds, epsilon) for values in (one, [*one, high])]
    losses = {
        "simple": simple_loss(bounds, epsilon),
        "centred": epsilon,
        "resampling": resampling_loss(epsilon),
        "exponential": exponential_loss(epsilon),
        "clamped": clamped_loss(epsilon),
        "median": exact_loss(*laws).loss,
    }
    set_meter(promise, [losses[name] / epsilon for name in ways], 1)
    kept = [name for name, loss in losses.items() if not exceeds(loss, epsilon)]
    set_verdict_text(private, None, f"{len(kept)} of 6 averages are {epsilon:.3g}-DP")
    return f"claimed {epsilon:.3g}; kept by {', '.join(kept)}"


live(
    fig,
    promises,
    "Six bars of exact privacy loss, one for each way, beside a dashed line at the claimed "
    "epsilon: centred, exponential and median stay within it; simple, resampling and clamped "
    "may not.",
    task=r"with the bounds of the visits, raise $\varepsilon$ until the clamped average turns "
    "green. Which way is still broken? And which others break with other bounds?",
    epsilon=slider(0.05, 3.0, 0.5, 0.05, label="claimed epsilon"),
    bounds=choice(BOUNDS, (0, 365)),
)

# %% [markdown]
# ## Which is best?
#
# The textbook (section 2.5.6) ranks them by experience: clamped, centred, exponential, simple. For a small
# $\varepsilon$, it says, the median is much better than all of them. Does this order hold when we measure it? And when
# each is run so that its *exact* loss is the guaranteed one?


# %%
def settings(bounds, epsilon, fair):
    """The epsilon to hand to each way: the guaranteed one, or (fair) the one whose exact loss
    is the guaranteed one.
    """
    if not fair:
        return dict.fromkeys(ways, epsilon)
    return {
        "simple": epsilon / simple_loss(bounds, 1),
        "centred": epsilon,
        "resampling": repaired_resampling_epsilon(epsilon),
        "exponential": 2 * repaired_resampling_epsilon(epsilon),
        "clamped": repaired_clamped_epsilon(epsilon) if epsilon > np.log(2) else np.nan,
        "median": epsilon,
    }


def mean_errors(values, bounds, epsilon, fair, clamp, releases=1_000):
    """The mean error of each way, as a part of the width of the bounds; NaN where a way cannot
    keep the guarantee.
    """
    errors = {}
    for name, inside in settings(bounds, epsilon, fair).items():
        if np.isnan(inside):
            errors[name] = np.nan
            continue
        drawn = ways[name](values, bounds, inside, np.random.default_rng(7), size=releases)
        drawn = np.clip(drawn, *bounds) if clamp else drawn
        errors[name] = np.abs(drawn - values.mean()).mean() / (bounds[1] - bounds[0])
    return errors


def percent(people, epsilons, fair, clamp):
    """Mean errors of the ages in percent of the width, as a table."""
    some = ages[:people]
    found = {e: mean_errors(some, age_bounds, e, fair, clamp, 20_000) for e in epsilons}
    return 100 * pd.DataFrame(found).rename_axis("epsilon =", axis=1)


# %% jupyter={"source_hidden": true}
# Computed: the mean errors of six averages, as printed, and at the same exact loss
print("944 ages, each way as printed: mean error in % of the width of the bounds")
five = (0.001, 0.01, 0.1, 1.0, 4.0)
print(percent(944, five, fair=False, clamp=False).map(amount), end="\n\n")

print("944 ages, each way at the same exact loss, clamped:", end=" ")
print("mean error in % of the width of the bounds")
print(f"(a guess of the middle, with no data: {abs(ages.mean() - 69) / 1.02:.1f}%)")
kept = percent(944, five, fair=True, clamp=True)
kept.map(amount)

# %% [markdown]
# The first table has the textbook's order for $\varepsilon$ of 0.1 and above; its last two have about twice the error.
# At 0.01 the median leads. In the second table the guarantee is *really kept*, and every release is clamped for free.
# The clamped average cannot run at a small $\varepsilon$, and at 1 the centred one is ahead of it. At 0.001 all are
# worse than a guess that needs no data.
#
# ## Live: error against epsilon


# %%
def exact_losses(bounds, epsilon):
    """The exact loss, as printed, of the three ways that may exceed epsilon."""
    losses = simple_loss(bounds, epsilon), resampling_loss(epsilon), clamped_loss(epsilon)
    return dict(zip(("simple", "resampling", "clamped"), losses, strict=True))


# %% jupyter={"source_hidden": true}
# Figure: mean_errors(values, bounds, e, fair, clamp) of six averages at every epsilon
epsilons = np.geomspace(1e-3, 10, 17)
looks = {"simple": "amber -.", "centred": "third", "resampling": "grey :"}
looks |= {"exponential": "noisy --", "clamped": "other", "median": "fourth"}
fig, ax = figure(height=3.4)
way_curves = curves(ax, epsilons, looks, ends=True, linewidth=2)
broken = "guarantee broken (not shown: resampling)"
crosses = own_point(ax, broken, "x", COLOURS.true, markersize=6)
x_axis(ax, "guaranteed epsilon", (1e-3, 10), [0.001, 0.01, 0.1, 1, 10], log=True)
label, ticks = "mean error, % of the width", [0.001, 0.01, 0.1, 1, 10, 100, 1000]
y_axis(ax, label, (1e-3, 1e3), ticks, log=True)
best_now = verdict_text(ax)
legend_above(fig, 1)


@functools.lru_cache(maxsize=64)
def errors_by_epsilon(column, people, fair, clamp):
    values, bounds, _ = columns[column]
    rows = [mean_errors(values[:people], bounds, e, fair, clamp) for e in epsilons]
    return pd.DataFrame(rows)


for setting in product(columns, (10, 30, 100, 300, 900), (False, True), (False, True)):
    errors_by_epsilon(*setting)  # before the first move


def error_curves(column, people, fair, clamp):
    found, bounds = errors_by_epsilon(column, people, fair, clamp), columns[column][1]
    set_curves(way_curves, [100 * found[name] for name in looks])
    losses = pd.DataFrame([{} if fair else exact_losses(bounds, e) for e in epsilons])
    broken = losses.reindex(columns=list(looks)).gt(epsilons * (1 + 1e-9), axis=0)
    broken["resampling"] = False  # its crosses would lie on the line of the clamped average
    at, which = np.nonzero(broken.to_numpy())
    set_own_point(crosses, epsilons[at], 100 * found[list(looks)].to_numpy()[at, which])
    best = found.drop(columns="resampling").idxmin(axis=1)
    told = f"resampling aside, the best at ε = {epsilons[8]:.2g} is {best[8]}"
    set_verdict_text(best_now, None, told)
    five = [f"{best[i]} at {epsilons[i]:.2g}" for i in (0, 4, 8, 12, 16)]
    return "best (without resampling): " + ", ".join(five)


live(
    fig,
    error_curves,
    "Mean error of the six averages against the guaranteed epsilon, on log axes: at a large "
    "epsilon all fall as one over epsilon but the median, which is flat at the gap between "
    "median and average; crosses where a guarantee breaks.",
    task="*same true loss* off and on, for the ages. Crosses mark points where the guarantee "
    "is broken (as printed, resampling's always is). Then find a setting in which the median "
    "is the *worst* of all (try the doctor visits, few people), and one in which clamping "
    "the release helps most.",
    column=choice(list(columns), "ages"),
    people=choice([10, 30, 100, 300, 900], 900),
    fair=switch(False, label="same true loss"),
    clamp=switch(False, label="clamp every release (free)"),
)

# %% [markdown]
# ## Live: a map of winners
#
# The map shows the best way for each $\varepsilon$ and each number of people. In cells without a letter even the
# winner errs by more than a tenth of the width of the bounds. At the same exact loss the clamped average cannot run
# left of the dashed line, at $\ln 2$.

# %%
peoples = [3, 10, 30, 100, 300, 900]
map_epsilons = np.array(
    [0.01, 0.03, 0.1, 0.3, 0.5, 0.75, 0.9, 1.0, 1.1, 1.2, 1.3, 1.5, 2, 3, 5, 10]
)
letters = {"simple": "S", "centred": "C", "exponential": "E", "clamped": "L", "median": "M"}
winners = {}
for column, fair in product(columns, (False, True)):
    values, bounds, _ = columns[column]
    found = np.zeros((len(peoples), map_epsilons.size, len(letters)))
    for (row, people), (at, e) in product(enumerate(peoples), enumerate(map_epsilons)):
        errors = mean_errors(values[:people], bounds, e, fair, True, 2_000)
        found[row, at] = [errors[name] for name in letters]
    winners[column, fair] = found
colours = {name: line.get_color() for name, line in zip(looks, way_curves, strict=True)}
paints = ListedColormap([*(colours[name] for name in colours if name in letters), "#FFFFFF"])

# %% jupyter={"source_hidden": true}
# Figure: which average has the smallest mean error, for every epsilon and number of people
fig, ax = figure(height=3.9)
look = {"cmap": paints, "vmin": -0.5, "vmax": 5.5, "aspect": "auto", "origin": "lower"}
tiles = ax.imshow(np.zeros((6, map_epsilons.size)), alpha=0.55, **look)
look = {"ls": "", "markersize": 9, "mew": 0}
signs = [rf"$\mathbf{{{letter}}}$" for letter in letters.values()]
marks = [ax.plot([], [], "k", marker=sign, **look)[0] for sign in signs]
cannot_run = ax.axvline(np.sum(map_epsilons < np.log(2)) - 0.5, color=COLOURS.true, ls="--")
x_axis(ax, "guaranteed epsilon", ticks={at: f"{e:g}" for at, e in enumerate(map_epsilons)})
ax.tick_params(axis="x", labelsize=9)
y_axis(ax, "people", ticks=dict(enumerate(peoples)))
for way, (name, letter) in enumerate(letters.items()):
    ax.text(1.01, 0.9 - 0.2 * way, f"{letter}: {name}", transform=ax.transAxes, va="center")
map_verdict = verdict_text(ax)


def winner_map(column, fair, median):
    errors = np.nan_to_num(winners[column, fair][..., : 5 if median else 4], nan=np.inf)
    best, useful = errors.argmin(axis=-1), errors.min(axis=-1) <= 0.1
    tiles.set_data(np.where(useful, best, 5))
    cannot_run.set_alpha(float(fair))
    for way, mark in enumerate(marks):
        mark.set_data(*np.nonzero(useful & (best == way))[::-1])
    parts = {name: np.mean(best[useful] == way) for way, name in enumerate(letters)}
    wins = ", ".join(f"{name} {part:.0%}" for name, part in parts.items() if part)
    set_verdict_text(map_verdict, None, wins)
    return f"of the {useful.sum()} useful cells: {wins}"


live(
    fig,
    winner_map,
    "A map with epsilon across and the number of people upwards; each cell is coloured and "
    "lettered by the way with the smallest mean error there, and white where none is useful.",
    task="*same true loss* on. Where did the L go, and who took its place? Then compare the "
    "ages with the visits.",
    column=choice(list(columns), "ages"),
    fair=switch(False, label="same true loss"),
    median=switch(True, label="with the median"),
)

# %% [markdown]
# ## Does the ranking hold?
#
# We test the textbook's claims on all cells of the three maps in which some way is useful and both rivals run:

# %% jupyter={"source_hidden": true}
# Computed: in how many cells each claim of the textbook holds
for fair, title in ((False, "as printed"), (True, "at the same true loss")):
    errors = np.concatenate([winners[column, fair].reshape(-1, 5) for column in columns])
    at = np.tile(map_epsilons, len(errors) // map_epsilons.size)
    simple, centred, exponential, clamped, median = errors.T
    useful, four = np.nanmin(errors, axis=1) <= 0.1, np.nanmin(errors[:, :4], axis=1)
    print(f"{title}: {useful.sum()} useful cells")
    below, from_1 = (at > 0.7) & (at < 0.95), (at > 0.95) & (at < 1.35)
    for claim, better, worse, where in (
        ("clamped beats centred, epsilon 0.75 and 0.9", clamped, centred, below),
        ("clamped beats centred, 1.0 to 1.3", clamped, centred, from_1),
        ("clamped beats centred, above", clamped, centred, at > 1.35),
        ("centred beats exponential, epsilon below 1.35", centred, exponential, at < 1.35),
        ("centred beats exponential, above", centred, exponential, at > 1.35),
        ("exponential beats simple", exponential, simple, at > 0),
        ("median beats the four, epsilon below 0.2", median, four, at < 0.2),
        ("median beats the four, above", median, four, at > 0.2),
    ):
        cells_counted = where & useful & np.isfinite(better) & np.isfinite(worse)
        share = np.mean((better < worse)[cells_counted])
        print(f"   {claim:<46} in {share:4.0%} of {cells_counted.sum()}")

# %% [markdown]
# <details><summary>Where clamped and centred change places depends on where the average lies.</summary>
#
# Let $t = |\mathrm{avg} - \text{middle}| / (W/2)$, and let clamping be rare. The noise of the count moves the centred
# average in proportion to $t$. Its mean error is $\frac{W}{n \varepsilon}\, g(t)$ with $g(t) = (1 + t + t^2)/(1 + t)$:
# 1 in the middle, 1.5 at a bound. That of the clamped one is $W / (2 n (\varepsilon - \ln 2))$. They are equal at
# $\varepsilon^* = \frac{2 g}{2 g - 1} \ln 2$: at $2 \ln 2$ for an average in the middle, at $\frac32 \ln 2$ for one at
# a bound.
#
# </details>
#
# The formula beside a measurement, in steps of 0.04, with 50,000 releases each and 900 people:

# %% jupyter={"source_hidden": true}
# Computed: where clamped and centred change places, by formula and measured
near = np.round(np.arange(0.96, 1.5, 0.04), 2)
for name, (values, bounds, _) in columns.items():
    some_values = values[:900]
    t = abs(some_values.mean() - sum(bounds) / 2) / (bounds[1] - bounds[0]) * 2
    g = (1 + t + t * t) / (1 + t)
    gaps = []
    for e in near:
        errors, repaired = [], repaired_clamped_epsilon(e)
        for way, inside in ((centred_average, e), (clamped_average, repaired)):
            drawn = way(some_values, bounds, inside, np.random.default_rng(8), size=50_000)
            errors.append(np.abs(drawn - some_values.mean()).mean())
        gaps.append(errors[0] - errors[1])
    crossed, formula = near[np.argmax(np.array(gaps) > 0)], 2 * g / (2 * g - 1) * np.log(2)
    print(f"{name:<14} t = {t:.2f}: equal at {formula:.2f} by the formula,", end=" ")
    print(f"{crossed:.2f} measured")

# %% [markdown]
# **Verdict.** As printed, the order holds except at its end: the exponential mechanism does not always beat the simple
# average. But the clamped average comes first with a guarantee that is not kept below $2 \ln 2$. At the same exact loss
# it cannot run up to $\ln 2$. With ten people or more it overtakes the centred one between $\frac32 \ln 2$ and $2 \ln 2$.
# The exponential mechanism, set by its exact loss, overtakes the centred average at a large $\varepsilon$, unless the
# average is near the middle. The median leads in about half of the cells with a small $\varepsilon$. There median and
# average are close, or the bounds are far wider than the crowd. Its error stops falling at the gap between the two.
#
# ## On your own
#
# A hint and an answer for each: [exercises/answers/05_averages](../exercises/answers/05_averages.ipynb).
#
# **Assignment 05:** [five tasks, checked in a second](../exercises/releases/05_averages.ipynb).
#
# 1. *Warm-up.* In the figure of section 1, find bounds for which the loss of the simple average is *below*
#    $\varepsilon$. Which bounds have the smallest loss?
# 2. Before you look: at which $\varepsilon$ do $n$ zeros and a one break the clamped average for $n = 2$? Set the ratio
#    $\frac32 e^{2\varepsilon/3}$ against $e^\varepsilon$, then check with the figure.
# 3. Split the budget of the centred average unevenly: a part $t$ for the sum, $1 - t$ for the count. Where should $t$
#    go for the visits (average near a bound), and where for the ages? May you choose $t$ after looking at the data?
# 4. Add one public dummy record in the middle of the bounds to every dataset before the clamped average. What is the
#    worst ratio inside now? What does the dummy cost in accuracy at $n = 10$ and $n = 900$?
# 5. The textbook's loop for the resampling average redraws until the average fits. How many rounds does it need for $n$
#    zeros, and for $n$ records in the middle? What does a stopwatch reveal to an attacker?
# 6. *Challenge.* How does the clipped average (Theorem 5.1, replace) compare with the six? First the errors: print
#    `clipped_error(ages, age_bounds, epsilon) / 102` beside `mean_errors(ages, age_bounds, epsilon, False, False)` at
#    $\varepsilon = 0.01$, 0.1 and 1. Which of the six is it most like? Then the guarantee. With `laplace_log_density`
#    compare its density for $n = 10$ and 11 equal records at 1, 5 and 20 widths from them. What is its loss under
#    add/remove, and why does moving its release to the bounds make the loss finite?

# %%
# Room for your own experiments: columns, ways, mean_errors and worst_loss are there.
for dummies in (0, 1, 3):
    pair = [0.5] * dummies + [0.0], [0.5] * dummies + [0.0, 1.0]
    loss = exact_loss(*(clamped_law(values, (0, 1), cells, 0.5) for values in pair)).loss
    print(f"dummy records {dummies}: loss {loss:.3f} on one pair, claimed 0.5")

# %% [markdown]
# ## When to use it, and when not
#
# All this is pure $\varepsilon$-DP. A small $\delta$ gains nothing for a single average, but does for the averages of
# *many* attributes of the same people ([24](24_gaussian.ipynb)).
#
# Which $\varepsilon$ brings the mean error to 1% of the width of the bounds, at the same exact loss and clamped?

# %% jupyter={"source_hidden": true}
# Computed: the epsilon that each way needs, for three columns and three numbers of people
fine_epsilons = np.geomspace(0.01, 20, 150)
needed = {}
for column, (values, bounds, _) in columns.items():
    for people in (30, 300, 900):
        some = values[:people]
        found = [mean_errors(some, bounds, e, True, True) for e in fine_epsilons]
        good = pd.DataFrame(found) <= 0.01
        needed[column, people] = [
            f"{fine_epsilons[good[name].argmax()]:.2g}" if good[name].any() else "never"
            for name in letters
        ]
pd.DataFrame(needed, index=list(letters)).T.rename_axis(["column", "people"])

# %% [markdown]
# **Use the clipped average** when the number of records is public and *replace* is the relation you want.
#
# **Use the centred average**, clamped to the bounds, when the number is a secret. It is private for every
# $\varepsilon$ and all bounds, with nothing to tune. Above $2 \ln 2$, from ten people on, the clamped average is simpler
# and more accurate.
#
# **Use the median** at a small $\varepsilon$, if it is close to the average or the bounds are far wider than the crowd
# (the visits). But say that it is a median.
#
# **Do not use** the simple average (the centred one is better, but for tiny $n \varepsilon$), or the resampling
# average as printed.
#
# **Use something else** when the bounds are so wide that the noise drowns everything: clip first, as above. For a
# whole distribution use a histogram ([08](08_histograms.ipynb)). When a person has several records, make each
# person's average one record.
#
# A proof must compare densities of the *release*, not of the noise inside it. And an
# exact quantity that nobody publishes (the count) can still show in the width of the noise.

# %% [markdown]
# ## Sources
#
# <details><summary>The textbook and the papers that this page uses.</summary>
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to Practice*, Morgan &
#   Claypool, 2016, [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018): section
#   2.5, Algorithms 1 to 4, equations 2.8 and 2.9, Proposition 2.22; Examples 2.14 and 2.21.
# - Frank McSherry: *Privacy integrated queries*, SIGMOD 2009,
#   [doi:10.1145/1559845.1559850](https://doi.org/10.1145/1559845.1559850): the system whose average resamples.
# - Naoise Holohan, Spiros Antonatos, Stefano Braghin, Pol Mac Aonghusa: *The bounded Laplace mechanism in differential
#   privacy*, Journal of Privacy and Confidentiality 10, 2020,
#   [doi:10.29012/jpc.715](https://doi.org/10.29012/jpc.715): Laplace noise cut to a range, and the scale that it needs.
# - Adam Smith: *Privacy-preserving statistical estimation with optimal convergence rates*, STOC 2011,
#   [doi:10.1145/1993636.1993743](https://doi.org/10.1145/1993636.1993743): private quantiles as bounds for an average.
#
# </details>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [04 The exponential mechanism](04_exponential.ipynb) · **Next:** [06 What does epsilon promise?](06_meaning.ipynb)
