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
# # 03 The Laplace mechanism
#
# A clinic publishes how many of its patients smoke, with Laplace noise. The figure shows what one release says about
# one patient, Lin.
#
# <details><summary>About 40 minutes, after 00 and 02: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [02 Composition](02_composition.ipynb) · **Next:** [04 The exponential mechanism](04_exponential.ipynb)
#
# **Assignment 03:** [five tasks, checked in a second](../exercises/releases/03_laplace.ipynb)
#
# **What you will do:** guess which of two datasets made a release, and compete with the best possible guesser.
# Find where a privacy guarantee fails. Choose a bound for a sum.
#
# **You need:** [00 Start here](00_start_here.ipynb) for the words *record*, *neighbours* and *epsilon*, the definition,
# post-processing and the budget from [02 Composition](02_composition.ipynb), and probability densities.
#
# **Time:** about 40 minutes. A good place to stop is after the section "Two neighbours and their noise".
#
# **Real and synthetic:** every record on this page is of a real person; nothing is synthetic. The data are smoking and
# lung cancer in eight cities, Fair's survey of married women, and the RAND health insurance experiment.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import numpy as np

from dpbook import data
from dpbook.amounts import percent
from dpbook.laplace import laplace_log_density, laplace_mechanism
from dpbook.live import live, log_slider, new_noise
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
# Figure: laplace_log_density(output, answer, 1, epsilon) of two answers, and one release
two_counts = data.smoking()["Beijing"].values[0, 0] - np.array([[0], [1]])  # with Lin, without
seen_counts = np.linspace(two_counts[0] - 10.5, two_counts[0] + 9.5, 401).ravel()
fig, tents_ax = figure(height=2.6)
two_tents = curves(tents_ax, seen_counts, {"with Lin": "noisy", "without Lin": "other --"})
(one_release,) = tents_ax.plot(
    [0, 0], [0, 1.05], color=COLOURS.true, linewidth=2.5, label="release"
)
x_axis(
    tents_ax,
    "released number of smokers",
    (seen_counts[0], seen_counts[-1]),
    range(116, 137, 2),
)
y_axis(tents_ax, "density / highest", (0, 1.05), [0, 0.5, 1])
opinion = verdict_text(tents_ax)
legend_above(fig, 3)


def one_patient(epsilon, seed):
    rng = np.random.default_rng([3, seed])
    lin_is_in = rng.integers(2)
    release = laplace_mechanism(int(two_counts[1 - lin_is_in, 0]), 1, epsilon, rng)
    set_curves(two_tents, np.exp(-np.abs(seen_counts - two_counts) * epsilon))
    one_release.set_xdata([np.clip(release, *tents_ax.get_xlim())] * 2)
    logs = laplace_log_density(release, two_counts.ravel(), 1, epsilon)
    believed = percent(1 / (1 + np.exp(-abs(logs[0] - logs[1]))))
    most = percent(1 / (1 + np.exp(-epsilon)))
    guess = "in" if logs[0] > logs[1] else "not in"
    told = f"{believed}% sure that Lin is {guess} (never above {most}%)"
    set_verdict_text(opinion, None, told)
    truth = "with" if lin_is_in else "without"
    return f"This release, {release:.2f}, was made {truth} Lin"


live(
    fig,
    one_patient,
    "Two tent-shaped densities, their tops one person apart, and a line at one release. As "
    "epsilon grows the tents become narrow and separate.",
    task="press *play*, and watch the two tents come apart. Then press *New release*.",
    play="epsilon",
    epsilon=log_slider(0.1, 8, 0.4),
    seed=new_noise(2, label="New release"),
)

# %% [markdown]
# **What you saw.** Each tent says how likely every released number is, with Lin's record counted or without it. A
# release says little about Lin where the tents are about equally high. [Take epsilon to 0.1](#move:epsilon=0.1), and
# they are so everywhere; [at epsilon 5](#move:epsilon=5) one release mostly settles it. Every release is the count plus
# a fresh draw of *Laplace noise*. This page shows why such noise gives the guarantee, and how much of it you need.

# %% [markdown]
# ## A count that gives a person away
#
# How many of the lung cancer patients of a clinic smoke? The study of smoking in China has the answer for Beijing. We
# turn its table back into records: each patient either smokes (1) or does not (0).

# %%
smokers, others = data.smoking()["Beijing"].values[:, 0]
patients = np.repeat([1, 0], [smokers, others])
count = int(patients.sum())
print(f"{patients.size} lung cancer patients in the Beijing study; {count} of them smoke")

# %% [markdown]
# Lin is one of these patients. Nobody publishes whether Lin smokes; only counts are published. But the clinic
# publishes a count every month, and Lin joined this month. Both counts are exact.

# %%
lin = 0
last_month = int(np.delete(patients, lin).sum())
print(
    f"last month {last_month}, this month {count}: Lin "
    f"{'smokes' if count - last_month else 'does not smoke'}"
)
assert count - last_month == patients[lin]

# %% [markdown]
# ### Two repairs that fail
#
# *Round to the nearest ten.* Most counts then stay the same when one patient joins. But the patient who lifts a count
# over an edge changes the release with certainty, and the attacker may know where the edges are. (A 5 is rounded up.)

# %% jupyter={"source_hidden": true}
# Computed: the counts at which rounding gives one record away
edge = np.arange(100, 140)
rounded = np.floor(edge / 10 + 0.5) * 10
tells = edge[rounded != np.floor((edge - 1) / 10 + 0.5) * 10]
print(
    f"between {edge[0]} and {edge[-1]}, rounding tells a count from one less when it is",
    *tells,
)

# %% [markdown]
# *Add noise that is never larger than 5.* Let the noise be uniform between -5 and 5. The largest releases of this month
# cannot come from last month's count. How often does a release give Lin away in this manner?

# %% jupyter={"source_hidden": true}
# Computed: how often bounded noise rules out last month's count
rng = np.random.default_rng(1)
releases = count + rng.uniform(-5, 5, 100_000)
print(
    f"{np.mean(releases > last_month + 5):.0%} of the releases made from {count} cannot come "
    f"from {last_month}"
)

# %% [markdown]
# Both repairs hide Lin most of the time. Differential privacy asks for more: *no* release may make one of two neighbours
# much more likely than the other.
#
# ## The idea: how far can one record move the answer?
#
# Write $f(D)$ for the answer of a query on dataset $D$. Write $D \simeq D'$ for *neighbours*: one of them has one
# record that the other lacks (add/remove, our relation unless we say otherwise).
#
# > **Definition 3.1 (sensitivity; Dwork, McSherry, Nissim, Smith, 2006).** The (global, $L_1$) sensitivity of $f$ is
# > the largest distance between the answers of neighbours, over **all** pairs of neighbours and not only those around
# > our data:
# > $$\Delta_f = \max_{D \simeq D'} |f(D) - f(D')| .$$
#
# A count moves by at most 1: a record is counted or it is not.
#
# Now let the release be $f(D)$ plus noise $X$ with density $p$. Between neighbours the density is shifted by at most
# $\Delta_f$. So it is enough that *a shift of $\Delta_f$ changes the density by a factor of at most $e^\varepsilon$*,
# everywhere. A density that falls by the same factor with every unit away from 0 uses this limit fully at each step.
#
# > **Definition 3.2 (Laplace distribution).** $\mathrm{Lap}(b)$ with *scale* $b > 0$ has the density
# > $p(x) = \frac{1}{2b}\, e^{-|x| / b}$.
#
# ## The mechanism
#
# > **Theorem 3.3 (Laplace mechanism; Dwork, McSherry, Nissim, Smith, 2006).** For a query $f$ with
# > sensitivity $\Delta_f$ the mechanism
# > $$M(D) = f(D) + X, \qquad X \sim \mathrm{Lap}(\Delta_f / \varepsilon),$$
# > is $\varepsilon$-DP, for the neighbouring relation of the sensitivity.

# %% jupyter={"source_hidden": true}
# What this page imports
import pandas as pd

from dpbook.amounts import amount, counted
from dpbook.composition import Budget, BudgetExceeded, sequential
from dpbook.guesses import predict
from dpbook.laplace import (
    geometric_log_probability,
    geometric_mechanism,
    laplace_probability,
    noise_scale,
    sum_sensitivity,
)
from dpbook.live import choice, show_source, slider, switch
from dpbook.plots import own_point, set_own_point, set_steps, show, steps
from dpbook.verdict import verdict

# %%
show_source(laplace_mechanism)

# %% [markdown]
# (`laplace_noise` draws the same numbers as numpy's `rng.laplace`, only faster.)
#
# How many of five patients have smoked for more than 15 years (Example 2.13 of Li, Lyu, Su and Yang, 2016; *the
# textbook*)? The sensitivity is 1; here are five releases at $\varepsilon = 1$:

# %%
years = np.array([3, 22, 17, 8, 31])
longer = int((years > 15).sum())
for seed in range(5):
    print(
        f"true {longer}, released "
        f"{laplace_mechanism(longer, 1, 1.0, np.random.default_rng(seed)):.2f}"
    )

# %% [markdown]
# ### The scale is not the standard deviation
#
# The scale $b$ is the *mean absolute* noise. The standard deviation is $\sqrt 2\, b$, and the median absolute noise is
# $b \ln 2$. About 95 of 100 draws stay within $b \ln 20$, since $\Pr[|X| > t] = e^{-t/b}$. The table
# compares these four measures with 400,000 draws at $\varepsilon = 0.5$; the figure shows the draws.

# %% jupyter={"source_hidden": true}
# Computed: four measures of Laplace noise, by formula and from 400,000 draws
b = noise_scale(sensitivity=1, epsilon=0.5)
noise = laplace_mechanism(np.zeros(400_000), 1, 0.5, np.random.default_rng(2))
table = pd.DataFrame(
    {
        "formula": [b, np.sqrt(2) * b, b * np.log(2), b * np.log(20)],
        "400,000 draws": [
            np.abs(noise).mean(),
            noise.std(),
            *np.quantile(np.abs(noise), [0.5, 0.95]),
        ],
    },
    index=[
        "mean absolute noise (the scale)",
        "standard deviation",
        "median absolute noise",
        "95% stay within",
    ],
)
tent_edges = np.linspace(-12, 12, 121)
drawn = np.histogram(noise, tent_edges)[0] / noise.size / np.diff(tent_edges)
table.round(1)

# %% jupyter={"source_hidden": true}
# Figure: the noise drawn so far, under laplace_log_density(tent_edges, 0, 1, 0.5)
fig, ax = figure(height=3.2)
tent_bars = steps(ax, drawn, colour=COLOURS.light, edges=tent_edges, fill=True, label="draws")
density = np.exp(laplace_log_density(tent_edges, 0, 1, 0.5))
curves(ax, tent_edges, {"density": "true"}, [density])
marks = {"scale": b, "standard deviation": np.sqrt(2) * b, "95%": b * np.log(20)}
for name, distance in marks.items():
    ax.axvline(distance, color=COLOURS.other, linestyle=":")
    ax.text(distance + 0.1, 0.54, name, rotation=90, va="top")
ax.set(xlabel="noise, people", ylabel="density, per person", xlim=(-12, 12), ylim=(0, 0.55))
tent_said = verdict_text(ax)
legend_above(fig, 2)


def tent(draws):
    counted = np.histogram(noise[:draws], tent_edges)[0] / draws / np.diff(tent_edges)
    set_steps(tent_bars, counted, tent_edges)
    sizes = np.abs(noise[:draws])
    within = percent(np.mean(sizes <= b * np.log(20)))
    set_verdict_text(tent_said, None, f"{draws:,} draws, {within}% of them within b ln 20")
    return f"{draws:,} draws: mean absolute noise {sizes.mean():.3f}, scale {b:g}"


live(
    fig,
    tent,
    "Histogram of Laplace draws that fills the tent-shaped density, with dotted lines at the "
    "scale, the standard deviation and the distance that 95 percent of the draws stay within.",
    task="move *draws* up, or press *play* in Lab: the draws build the tent. From how many on "
    "do you see its tip?",
    play="draws",
    draws=choice([30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 400_000], 300),
)

# %% [markdown]
# ### Why it is private
#
# <details><summary>Proof: a shift of the tent by at most the sensitivity divides its height by at most e to the epsilon.</summary>
#
# With $b = \Delta_f / \varepsilon$ the densities of a release $t$ from $D$ and from $D'$ have the ratio
#
# $$\frac{e^{-|t - f(D)|/b}}{e^{-|t - f(D')|/b}} = e^{(|t - f(D')| - |t - f(D)|)/b} \le e^{|f(D) - f(D')|/b}
# \le e^{\Delta_f / b} = e^{\varepsilon} .$$
#
# The factors $\frac{1}{2b}$ cancel. The first inequality is the triangle inequality, the second the definition of
# $\Delta_f$. Integrate over any set of releases: its two probabilities obey the same limit. $\square$
#
# The textbook writes the ratio with $\Pr[M(D) = t]$. For a continuous release every such probability is 0, and what is
# meant is the density, which can exceed 1. Comparing two densities *at the same release* is safe. Where an output is
# rescaled first, as in [05](05_averages.ipynb), it is not. Events are always safe.
#
# </details>
#
# The log of this ratio of densities is the *privacy loss* of the release (Definition 2.5). But a density is no
# probability, and can exceed 1. So we check the guarantee for many events, the intervals:

# %% jupyter={"source_hidden": true}
# Computed: a density, and the privacy loss of 10,000 random intervals
inside = laplace_probability(count, count + 1, count, 1, 5)
print(
    f"epsilon 5: density at {count} is {np.exp(laplace_log_density(count, count, 1, 5)):.2f} "
    "per person,"
)
print(f"           probability of a release between {count} and {count + 1} is {inside:.2f}")
rng = np.random.default_rng(3)
low = rng.uniform(100, 150, 10_000)
high = low + rng.exponential(2, 10_000)
chance, chance_without = (
    laplace_probability(low, high, answer, 1, 1) for answer in (count, last_month)
)
loss = np.abs(np.log(chance / chance_without))
print(f"epsilon 1: 10,000 random intervals, largest privacy loss {loss.max():.4f}")
assert loss.max() <= 1 + 1e-9

# %% [markdown]
# ## Live: two neighbours and their noise
#
# On the left, the two tents again, on a logarithmic axis: the gap between them is the log of their ratio. On the right,
# that log: the privacy loss of each release.

# %% jupyter={"source_hidden": true}
# Figure: laplace_log_density(outputs, answer, sensitivity, epsilon) of two counts, and the gap
outputs = np.linspace(count - 20.5, count + 19.5, 401)
fig, (left, right) = figure(columns=2)
densities = curves(left, outputs, {"with Lin": "noisy", "without Lin": "other --"})
x_axis((left, right), "released count")
y_axis(left, "density, per person", (1e-5, 10), [0.001, 0.1, 10], log=True)
looks = {"privacy loss": "true", "guaranteed, ± ε": "third --", "": "third --"}
losses = curves(right, outputs, looks)
y_axis(right, "ln(with / without)", (-6.5, 6.5), [-6, -4, -2, 0, 2, 4, 6])
ratio_verdict = verdict_text(left)
legend_above(fig, 4)


def neighbours(epsilon, sensitivity):
    logs = [
        laplace_log_density(outputs, answer, sensitivity, epsilon)
        for answer in (count, last_month)
    ]
    set_curves(densities, np.exp(logs))
    set_curves(losses, [logs[0] - logs[1], epsilon, -epsilon])
    loss = np.max(np.abs(logs[0] - logs[1]))
    said = verdict(loss, epsilon, certain=True)
    ratio, most = np.exp([loss, epsilon])
    told = f"up to {amount(ratio)} times as likely, {amount(most)} allowed: {said}"
    set_verdict_text(ratio_verdict, said, told)
    return f"largest ratio {ratio:,.2f}, at most e^ε = {most:.2f} allowed: {said}"


question = "At epsilon 2 and an assumed sensitivity of 0.5, how large can the ratio get?"
ratio_figure = live(
    fig,
    neighbours,
    "Left: two tent-shaped densities one person apart, on a log axis. Right: the log of "
    "their ratio, the privacy loss, against the released count: flat beyond the two counts, "
    "within dashed lines at plus and minus epsilon, unless the sensitivity is below 1.",
    task=r"move $\varepsilon$: the loss and the dashed lines move together. Then set "
    "*sensitivity* to 0.5, which is a lie (a person moves a count by 1). Who pays for it?",
    guess=predict(question, (1, 1_000), r"ratio ([\d,.]+),", sensitivity=0.5, epsilon=2.0),
    epsilon=log_slider(0.1, 3, 1.0, label="claimed epsilon"),
    sensitivity=slider(0.5, 4.0, 1.0, 0.5, label="sensitivity, people"),
)
ratio_figure

# %% [markdown]
# Beyond the two counts the loss is constant. At sensitivity 1 the mechanism uses the whole of $\varepsilon$ there.
# A sensitivity that is too large only costs accuracy. [A sensitivity of 0.5](#move:sensitivity=0.5) breaks the
# guarantee:

# %% jupyter={"source_hidden": true}
# Computed: the largest ratio for three assumed sensitivities
for told in (0.5, 1.0, 2.0):
    ratio_figure.controls["sensitivity"].value = told
    print(f"sensitivity {told}: {ratio_figure.caption}")
ratio_figure.controls["sensitivity"].value = 1.0

# %% [markdown]
# > **A good place to stop.** What follows is about several numbers, wrong sensitivities and whole numbers.
#
# ## Live: "for more than 15 years"
#
# Fair's survey has the years that each woman has been married (the middle of a band), and whether she reports an
# affair. How many have been married for longer than some number of years, and report one? The sensitivity is 1, however
# large the count. On the left are the counts. On the right are the errors of this release and of 150 others.

# %%
survey = data.affairs()
married, affair, rating = (
    survey[name].values for name in ("yrs_married", "affairs", "rate_marriage")
)
limits = np.unique(married)[:-1]
questions = {
    "all women": affair >= 0,
    "report an affair": affair > 0,
    "... in a very poor marriage": (affair > 0) & (rating == 1),
}
answers = {
    name: np.array([np.sum(asked & (married > limit)) for limit in limits])
    for name, asked in questions.items()
}

# %% jupyter={"source_hidden": true}
# Figure: laplace_mechanism(truth, 1, epsilon, rng), 151 times, and each error in per cent
others = np.linspace(0.05, 0.95, 150)
fig, (left, right) = figure(columns=2)
true_counts = curves(left, limits, {"true (secret)": "grey o-"}, [answers["all women"]])
(released,) = left.plot([0], [0], "D", color=COLOURS.noisy, label="released")
bar = {"color": COLOURS.light, "linewidth": 9, "solid_capstyle": "butt", "zorder": 1}
(within_left,) = left.plot([0, 0], [0, 0], label="95 of 100 releases", **bar)
x_axis(left, "married for longer than, years", (-0.5, 18))
y_axis(left, "women")
(cloud,) = curves(right, others, {"other releases": "grey ."}, markersize=4)
(released_error,) = right.plot([0.5], [0], "D", color=COLOURS.noisy)
within_right = [right.axhline(0, color=COLOURS.light, linewidth=3) for _ in range(2)]
right.set_yscale("symlog", linthresh=1, linscale=0.5)
x_axis(right, "151 possible releases", (0, 1), [])
percents = [-1_000, -100, -10, -1, 0, 1, 10, 100, 1_000]
y_axis(right, "error, % of the true count\n(log beyond ±1)", (-3_000, 3_000), percents)
off_by = verdict_text(left)
legend_above(fig, 4)


def long_marriages(question, longer_than, epsilon, seed):
    counts = answers[question]
    if true_counts[0].get_ydata()[0] != counts[0] or counts[0] > left.get_ylim()[1]:
        left.set_ylim(-0.1 * counts[0], 1.2 * counts[0])
    truth = counts[limits == longer_than][0]
    releases = laplace_mechanism(np.full(151, truth), 1, epsilon, np.random.default_rng(seed))
    errors = 100 * (releases - truth) / truth
    reach = noise_scale(1, epsilon) * np.log(20)
    set_curves(true_counts, [counts])
    released.set_data([longer_than], np.clip(releases[:1], *left.get_ylim()))
    within_left.set_data([longer_than] * 2, [truth - reach, truth + reach])
    cloud.set_ydata(errors[1:])
    released_error.set_ydata(errors[:1])
    for line, sign in zip(within_right, (-1, 1), strict=True):
        line.set_ydata([sign * 100 * reach / truth] * 2)
    off = amount(abs(errors[0]), 2)
    set_verdict_text(off_by, None, f"off by {off}%")
    women = amount(abs(releases[0] - truth))
    return f"true {truth:,}, released {releases[0]:,.1f}: off by {women}, {off}%"


question = "At epsilon 1, by how many women is this release off?"
live(
    fig,
    long_marriages,
    "Left: true numbers of women married longer than each limit, the released count, and a "
    "bar that holds 95 of 100 releases. Right: the errors of 151 releases in percent of the "
    "true count, between two lines, on an axis that is logarithmic beyond 1%.",
    task=r"at $\varepsilon = 0.1$ switch between the three questions. The noise is the same; "
    "is the answer as useful?",
    guess=predict(question, (0.01, 100, " women"), r"off by ([\d.,]+),", epsilon=1.0),
    question=choice(list(questions), "report an affair"),
    longer_than=choice([float(limit) for limit in limits], 13.0, label="longer than, years"),
    epsilon=log_slider(0.01, 10, 0.1),
    seed=new_noise(4),
)

# %% [markdown]
# The noise does not depend on the count. The same scale fits a count of thousands and a count of ten, so what differs
# is the *relative* error. [Ask about very poor marriages at epsilon
# 0.1](#move:question=...%20in%20a%20very%20poor%20marriage&epsilon=0.1) and the answer drowns:

# %% jupyter={"source_hidden": true}
# Computed: the average relative error of the three questions at epsilon 0.1
print(f"{affair.size:,} women; those married for longer than 13 years, at epsilon 0.1:")
for name, counts in answers.items():
    truth = counts[limits == 13.0][0]
    print(f"{name:<27} {truth:>5,}, off by {noise_scale(1, 0.1) / truth:.1%} on average")

# %% [markdown]
# ## A game: which dataset made this release?
#
# A coin decides whether the release is made from the data *with* Lin or *without*. You see the release and guess. By
# the definition, you are right with a probability of at most $e^\varepsilon / (1 + e^\varepsilon)$, whatever you know
# and however clever you are. The odds start at 1 : 1, and no release multiplies them by more than $e^\varepsilon$.

# %%
grid = np.geomspace(0.1, 8, 60)
bound = np.exp(grid) / (1 + np.exp(grid))


def deal(number, epsilon):
    """Round `number` of the game: is Lin in (the coin), and what is released."""
    rng = np.random.default_rng([126, number])
    lin_in = bool(rng.integers(2))
    return lin_in, laplace_mechanism(count if lin_in else last_month, 1, epsilon, rng)


class Game:
    """The rounds so far. A guess reveals what made the release; the next press deals again."""

    epsilon, presses, number, revealed, rounds, said = None, None, 0, False, (), None

    def pressed(self, epsilon, presses):
        """`presses` counts those of *with*, *without* and *Next*."""
        if epsilon != self.epsilon:
            self.number += self.revealed  # a coin that was seen is not dealt again
            self.epsilon, self.rounds, self.revealed = epsilon, [], False
        elif (self.revealed and presses != self.presses) or presses[2] != self.presses[2]:
            self.number, self.revealed = self.number + 1, False
        elif presses != self.presses:
            self.said, self.revealed = presses[0] != self.presses[0], True
            lin_in, release = deal(self.number, epsilon)
            best = release > (count + last_month) / 2
            self.rounds.append((self.said == lin_in, best == lin_in))
        self.presses = presses

    def told(self, release):
        """What was guessed, what was true, and the odds that the release gave for it."""
        lin_in, _ = deal(self.number, self.epsilon)
        logs = laplace_log_density(release, np.array([count, last_month]), 1, self.epsilon)
        odds = np.exp(logs[0] - logs[1] if lin_in else logs[1] - logs[0])
        you, truth = ("with" if each else "without" for each in (self.said, lin_in))
        return f"you said {you}; it was {truth} Lin", f"odds {amount(odds, 2)} : 1"


# %% jupyter={"source_hidden": true}
# Figure: deal(number, epsilon), and the score beside the best guesser and the bound
fig, axes = figure(rows=2, columns=2, height=4.2, height_ratios=[4, 1.1])
(table, board), (strip, call) = axes
tents = curves(table, np.zeros(401), {"with Lin": "noisy", "without Lin": "other --"})
(dealt,) = table.plot([0, 0], [0, 1.05], color=COLOURS.true, linewidth=2.5, label="release")
table.set(xlabel="released count", ylabel="density / highest density", ylim=(0, 1.05))
looks = {"": "third --", " ": "true"}
curves(board, grid, looks, [bound, 1 - np.exp(-grid / 2) / 2])
x_axis(board, "epsilon", ticks=[0.1, 1, 8], log=True)
y_axis(board, "fraction of right guesses", (-0.03, 1.03))
score = own_point(board, "you", "D", markersize=10)
best_score = own_point(board, colour=COLOURS.true, markersize=6)
board.text(0.12, 0.62, "bound", color=COLOURS.third)
board.text(1.1, 0.6, "best guesser", color=COLOURS.true)
legend_above(fig, 4, columnspacing=1.4)
LAST = 20  # the strip keeps this many rounds
hits = strip.plot([], [], "o", color=COLOURS.third, markersize=9)[0]
misses = strip.plot([], [], "X", color=COLOURS.other, markersize=9)[0]
coming = strip.plot([0, 0], [0, 1], "s", color=COLOURS.grey, mfc="none", markersize=9)[0]
x_axis(strip, None, (-0.6, LAST - 0.4), [])
y_axis(strip, None, (1.6, -0.6), {0: "you", 1: "best"})
strip.set_xlabel("rounds: ● right, ✖ wrong, □ this one", size=9)
call.axis("off")
called = call.text(0.5, 0.85, "", ha="center", va="center", size=20, weight="bold")
tally = call.text(0.5, 0.3, "", ha="center", va="center", size=11)
game = Game()


def play(epsilon, with_lin, without_lin, following):
    if epsilon != game.epsilon:
        reach = max(2.0, 4.5 / epsilon)
        near = np.linspace(count - reach, count + reach, 401)
        answers = np.array([[count], [last_month]])
        set_curves(tents, np.exp(-np.abs(near - answers) * epsilon), near)
        table.set_xlim(near[0], near[-1])
    game.pressed(epsilon, (with_lin, without_lin, following))
    lin_in, release = deal(game.number, epsilon)
    dealt.set_xdata([np.clip(release, *table.get_xlim())] * 2)
    for tent, made_it in zip(tents, (lin_in, not lin_in), strict=True):
        tent.set_linewidth(4 if game.revealed and made_it else 1.5)
    rounds = np.array(game.rounds, dtype=bool).reshape(-1, 2)
    best, most = 1 - np.exp(-epsilon / 2) / 2, np.exp(epsilon) / (1 + np.exp(epsilon))
    parts = rounds.mean(axis=0) if len(rounds) else [np.nan, best]
    for point, part in zip((score, best_score), parts, strict=True):
        set_own_point(point, epsilon, part)
    past = rounds[-LAST + 1 :]
    for marks, kind in ((hits, True), (misses, False)):
        marks.set_data(*np.nonzero(past == kind))
    coming.set_data([len(past)] * 2, [np.nan] * 2 if game.revealed else [0, 1])
    if game.revealed:
        called.set_text("RIGHT" if rounds[-1, 0] else "WRONG")
        called.set_color(COLOURS.third if rounds[-1, 0] else COLOURS.other)
        you, rival = rounds.sum(axis=0)
        said, odds = game.told(release)
        tally.set_text(f"{said}\n{odds}; you {you}, best {rival} of {len(rounds)}")
    else:
        called.set(text="your guess?", color=COLOURS.grey)
        tally.set_text("with Lin, or without?")
    return (
        f"The best guesser is right {percent(best)}% of the time, and nobody more than "
        f"{percent(most)}%. This release: {release:.2f}"
    )


live(
    fig,
    play,
    "Left: two tent-shaped densities and a line at this round's release; after your guess "
    "the tent that made it is bold. Right: right guesses against epsilon, of the best "
    "guesser, of you, and the bound. Below: a strip of the last rounds, and the verdict.",
    task=r"play ten rounds at $\varepsilon = 1$, then ten at $\varepsilon = 4$. After each "
    "guess the tent that made the release lights up; *Next*, or the space bar, deals again.",
    epsilon=choice([0.1, 0.5, 1.0, 2.0, 4.0, 8.0], 1.0),
    with_lin=new_noise(0, label="Guess: with Lin", icon="user"),
    without_lin=new_noise(0, label="Guess: without Lin", icon="user-o"),
    following=new_noise(0, label="Next", icon="step-forward"),
)

# %% [markdown]
# In a few rounds luck can carry you above the bound; over many it hardly can. The best guesser says "with" when the
# release is above the midpoint of the two counts. We play this strategy for a hundred thousand rounds, and compare it
# with its exact probability of being right, $1 - \tfrac12 e^{-\varepsilon/2}$, and with the bound:

# %% jupyter={"source_hidden": true}
# Computed: the best guesser over 100,000 rounds, its exact probability, the bound
rng = np.random.default_rng(5)
lin_in = rng.integers(2, size=100_000)
rows = []
for epsilon in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0):
    release = laplace_mechanism(last_month + lin_in, 1, epsilon, rng)
    right = np.mean((release > last_month + 0.5) == lin_in)
    rows.append(
        (epsilon, right, 1 - np.exp(-epsilon / 2) / 2, np.exp(epsilon) / (1 + np.exp(epsilon)))
    )
    assert abs(right - rows[-1][2]) < 0.01 and rows[-1][2] < rows[-1][3]
pd.DataFrame(
    rows, columns=["epsilon", "best guesser, 100,000 rounds", "exact", "bound"]
).set_index("epsilon").round(3)

# %% [markdown]
# At $\varepsilon = 0.1$ the best guesser does little better than a coin. At $\varepsilon = 4$ and above, Lin's
# presence is an open secret: a valid $\varepsilon$ is not always a useful one. The Laplace mechanism stays *below*
# the bound, because between the two counts its ratio is smaller than $e^\varepsilon$. The geometric mechanism, below,
# meets the bound exactly.
#
# ## Several numbers at once
#
# > **Theorem 3.4 (Laplace mechanism, several numbers; Li et al. 2016, Theorem 2.15).** For a query $f$ with $k$
# > numbers let
# > $$\Delta_f = \max_{D \simeq D'} \sum_{i=1}^{k} |f_i(D) - f_i(D')|$$
# > be its sensitivity, the largest total move ($L_1$ norm). Then giving *each* number its own draw of
# > $\mathrm{Lap}(\Delta_f/\varepsilon)$ is $\varepsilon$-DP.
#
# <details><summary>Proof: the log ratios of the numbers add up.</summary>
#
# As for one number, with $\|t - f(D)\|_1 = \sum_i |t_i - f_i(D)|$ instead of $|t - f(D)|$. $\square$
#
# </details>
#
# What matters is how many numbers one record touches. Take five people with their visits to a doctor, and two queries
# with four answers each. We try every way to add one record:

# %%
visits_of_five = np.array([0, 2, 2, 1, 3])


def bars(records):
    """How many records have 0, 1, 2, 3 visits."""
    return np.bincount(records, minlength=4)


def at_least(records):
    """How many records have at least 0, 1, 2, 3 visits."""
    return np.array([np.sum(records >= visits) for visits in range(4)])


def moves_of(query):
    """L1 distance of the answers when a record of 0, 1, 2 or 3 visits is added."""
    return [
        int(np.abs(query(np.append(visits_of_five, added)) - query(visits_of_five)).sum())
        for added in range(4)
    ]


of_bars, of_sums = moves_of(bars), moves_of(at_least)
print(f"histogram:          one record moves it by {of_bars}, sensitivity {max(of_bars)}")
print(f"cumulative counts:  one record moves them by {of_sums}, sensitivity {max(of_sums)}")

# %% [markdown]
# A record is in one bar, so all bars of a histogram together cost no more than one count. (By Theorem 3.4, or
# by parallel composition, Theorem 2.8.) But a record with $v$ visits is in $v + 1$ cumulative counts. If you want the
# cumulative counts, release the histogram and add up: post-processing costs nothing.
#
# The bars must be chosen without looking at the data. And the relation matters: a *replaced* record leaves one bar and
# enters another. With noise for sensitivity 1 the privacy loss of a replaced record is twice what was guaranteed. We
# compute the exact log ratio at many possible releases:

# %% jupyter={"source_hidden": true}
# Computed: the privacy loss of a replaced record, with noise for 1 and for 2
replaced = np.array([3, 2, 2, 1, 3])
print(
    "a record replaced: the bars move by "
    f"{np.abs(bars(replaced) - bars(visits_of_five)).sum()}"
)
releases = np.random.default_rng(6).uniform(-20, 25, (20_000, 4))
for sensitivity in (1, 2):
    logs = [
        laplace_log_density(releases, bars(five), sensitivity, 1).sum(axis=1)
        for five in (visits_of_five, replaced)
    ]
    worst = np.abs(logs[0] - logs[1]).max()
    print(
        f"sensitivity {sensitivity}: privacy loss of a replaced record {worst:.2f}, promised 1"
    )

# %% [markdown]
# ## Live: a histogram of visits to the doctor
#
# How often did the people of the RAND health insurance experiment see a doctor? A record is one person *in one year*.
# A person has at most five records, since the experiment took five years; this is public. The largest number that
# anybody *has* is not public: it would be read off the data. You choose who is protected, and the noise follows from it.

# %%
YEARS = 5  # public: nobody was enrolled in the experiment for longer
bins = 366  # public: a visit every day at most
visits, person = data.health_insurance()["mdvis"].values, data.health_insurance_person()
print(
    f"{visits.size:,} records of {np.unique(person).size:,} people, of {YEARS} years or "
    "fewer each"
)
assert np.bincount(person).max() <= YEARS and visits.max() < bins
histogram = np.bincount(visits, minlength=bins)

# %% jupyter={"source_hidden": true}
# Figure: laplace_mechanism(histogram, protect, epsilon, rng), and the errors of its bars
PROTECTED = {"a record more or less": 1, "a record replaced": 2}
PROTECTED["all records of a person"] = YEARS
shown, edges = slice(0, 101), np.arange(102) - 0.5
fig, ax = figure()
steps(ax, histogram[shown], COLOURS.pale, edges=edges, fill=True, label="true")
noisy_steps = steps(ax, histogram[shown], COLOURS.noisy, edges=edges, label="released")
signed = (lambda y: np.copysign(np.sqrt(np.abs(y)), y), lambda root: root * np.abs(root))
ax.set_yscale("function", functions=signed)
x_axis(ax, "visits in the year", (-0.5, 100.5))
y_axis(ax, "records (square roots)", (-300, 7_000), [-100, 0, 100, 1_000, 3_000, 6_000])
visits_told = verdict_text(ax)
legend_above(fig)


def doctor_visits(protect, epsilon, clamp, seed):
    noisy = laplace_mechanism(histogram, protect, epsilon, np.random.default_rng(seed))
    noisy = np.maximum(noisy, 0) if clamp else noisy
    set_steps(noisy_steps, noisy[shown])
    error, scale = np.abs(noisy - histogram), noise_scale(protect, epsilon)
    most, off = amount(error.max(), 2), round(noisy.sum() - histogram.sum())
    told = f"a bar errs by up to {most}, the total by {off:+,}"
    set_verdict_text(visits_told, None, told)
    return (
        f"scale {scale:.3g} record{'' if scale == 1 else 's'}; mean error "
        f"{error.mean():.1f}; total {noisy.sum():,.0f}, true {histogram.sum():,}"
    )


question = "With all records of a person protected, what is the noise's scale at epsilon 0.5?"
live(
    fig,
    doctor_visits,
    "True and released histogram of yearly visits to a doctor, on a square-root axis: the "
    "tall bars of few visits agree, and the noise shows most in the tail of few records.",
    task=r"at $\varepsilon = 0.5$ switch from *a record more or less* to *all records of a "
    "person* and look at the tail. Then switch *negative counts to zero* on: what "
    "happens to the total?",
    guess=predict(question, (0, 50, " records"), r"scale ([\d.]+)", protect=YEARS),
    protect=choice(PROTECTED, 1),
    epsilon=log_slider(0.05, 5, 0.5),
    clamp=switch(False, label="negative counts to zero"),
    seed=new_noise(7),
)

# %% [markdown]
# Setting negative counts to zero costs no privacy, because it looks only at the release. No bar gets worse, but
# their total does: on empty bars only the noise above zero is left. How far off is the *worst* bar? With
# probability at least $1 - \beta$, all of $k$ draws of $\mathrm{Lap}(b)$ stay within $b \ln(k/\beta)$, since each
# leaves that range with probability $\beta/k$:

# %% jupyter={"source_hidden": true}
# Computed: the mean error with and without negative counts, and the worst bar of 366
noisy = laplace_mechanism(np.tile(histogram, (2_000, 1)), 1, 0.1, np.random.default_rng(8))
for name, released_bars in (
    ("as released", noisy),
    ("negatives to zero", np.maximum(noisy, 0)),
):
    error = np.abs(released_bars - histogram).mean()
    total = released_bars.sum(axis=1).mean() - histogram.sum()
    print(
        f"{name:<18} mean error of a bar {error:5.1f}, total off by {total:+,.0f} on average"
    )
worst_bar = np.abs(noisy - histogram).max(axis=1)
reach = noise_scale(1, 0.1) * np.log(bins / 0.05)
within = np.mean(worst_bar <= reach), (1 - 0.05 / bins) ** bins
print(
    f"all {bins} bars within {reach:.0f} records: counted {within[0]:.1%}, exact "
    f"{within[1]:.1%}, promised at least 95%"
)

# %% [markdown]
# ### Capping each person's records
#
# Noise for five records a person is five times as large. *Contribution bounding* uses a person's first $C$ records
# only, and adds noise for $C$. Systems that guarantee *user-level privacy*, for people and not for records, rely on it.
# Here is the error of the *relative frequencies* of the bars. The bargain is that of *How high a bound for a sum?*,
# below: a small $\varepsilon$ wants a small $C$.

# %%
rank = pd.Series(person).groupby(person).cumcount().to_numpy()  # 0 for a person's first record
true_shares = histogram[:12] / histogram.sum()


def share_error(most, epsilon):
    """Largest error of the shares of 0 to 11 visits, in points of 100: the median of 40
    releases.
    """
    kept = np.bincount(visits[rank < most], minlength=bins)
    releases = laplace_mechanism(
        np.tile(kept, (40, 1)), most, epsilon, np.random.default_rng(15)
    )
    shares = releases[:, :12] / np.maximum(releases.sum(axis=1, keepdims=True), 1)
    return 100 * np.median(np.abs(shares - true_shares).max(axis=1))


# %% jupyter={"source_hidden": true}
# Computed: the error of the relative frequencies for each C, median of 40 releases
bounding = {
    f"C = {most}": [
        f"{np.sum(rank < most):,}",
        *(f"{share_error(most, epsilon):#.3g}" for epsilon in (0.01, 0.1, 1.0)),
    ]
    for most in range(1, YEARS + 1)
}
names = [f"error in points, ε = {epsilon}" for epsilon in (0.01, 0.1, 1)]
bounding = pd.DataFrame(bounding, index=["records used", *names])
bounding.T

# %% [markdown]
# ## Sums, and a sentence of the textbook that does not hold
#
# Let the values of a sum lie between public bounds $a_{\min}$ and $a_{\max}$. The textbook (Example 2.14) gives "the
# size of the domain", $a_{\max} - a_{\min}$, as its sensitivity. But its neighbours are add/remove, and *adding* a
# record of $a_{\max}$ moves the sum by $a_{\max}$, not by its distance to $a_{\min}$.
#
# > **Proposition 3.5 (sensitivity of a sum).** The sensitivity of a sum of such values is
# > $\max(|a_{\min}|, |a_{\max}|)$ under add/remove, and $a_{\max} - a_{\min}$ under replace.
#
# They agree when one bound is 0. When both bounds have the same sign, the textbook's number is too small; when the
# signs differ, it is needlessly large (erratum [E01](22_errata.ipynb#E01)).
#
# Schooling in Fair's survey lies between 9 and 20 years, a temperature between 36 and 42 degrees. The textbook's
# Algorithm 1 spends half of the budget, say 0.5 of $\varepsilon = 1$, on a sum. One record of $a_{\max}$ is added to an
# empty table, and the attacker waits for a very large release:

# %% jupyter={"source_hidden": true}
# Computed: the privacy loss of a sum with the textbook's sensitivity
for bounds in ((0, 10), (-5, 10), survey["educ"].bounds, (36, 42), (100, 101)):
    printed, needed = bounds[1] - bounds[0], sum_sensitivity(bounds, "add/remove")
    with_record, without = (
        laplace_probability(200, np.inf, total, printed, 0.5) for total in (bounds[1], 0)
    )
    loss = np.log(with_record / without)
    said = verdict(loss, 0.5, certain=True)
    print(
        f"values in {bounds!s:<10} noise for {printed:>2g}, needed {needed:>3g}: loss "
        f"{loss:6.2f} of 0.50, {said}"
    )

# %% [markdown]
# ## Live: how high a bound for a sum?
#
# How many visits to a doctor do all the records have together? The public bound is one visit a day: 365. Noise for
# 365 is large. *Clipping* first cuts every record at a lower bound $C$. Then noise for $C$ is enough, but the sum loses
# what was cut off. (Page [05](05_averages.ipynb) clips averages, page [26](26_gradients.ipynb) gradients.)

# %%
caps = np.arange(1, 366)
sums = np.array([np.minimum(visits, cap).sum() for cap in caps])
cut = (visits.sum() - sums) / visits.sum()


def mean_error(cap, epsilon):
    """Exact mean of |Lap(C / epsilon) - what was cut off|, as a share of the true sum."""
    scale = cap / epsilon / visits.sum()
    bias = cut[cap - 1]
    return bias + scale * np.exp(-bias / scale)


# %% jupyter={"source_hidden": true}
# Figure: mean_error(caps, epsilon) for every bound; a release, sums[C - 1] with sensitivity C
fig, ax = figure(height=3.6)
looks = {"cut off": "other --", "noise": "noisy -.", "both": "true"}
parts = curves(ax, caps, looks, ends=True)
best_cap = own_point(ax, "smallest mean error", "D", COLOURS.third)
your_release = own_point(ax, "one release at your C", markersize=8)
x_axis(ax, "bound C, visits", (0.9, 420), [1, 3, 10, 30, 100, 365], log=True)
percents = [0.001, 0.01, 0.1, 1, 10, 100, 1_000]
y_axis(ax, "error, % of the true sum", (1e-3, 3e3), percents, log=True)
sum_told = verdict_text(ax)
legend_above(fig)


def bounded_sum(epsilon, bound, seed):
    errors = 100 * mean_error(caps, epsilon)
    set_curves(parts, [100 * cut, 100 * caps / epsilon / visits.sum(), errors])
    best = int(caps[errors.argmin()])
    set_own_point(best_cap, best, errors.min())
    release = laplace_mechanism(sums[bound - 1], bound, epsilon, np.random.default_rng(seed))
    set_own_point(your_release, bound, 100 * abs(release / visits.sum() - 1))
    least, yours = amount(errors.min(), 2), amount(errors[bound - 1], 2)
    set_verdict_text(
        sum_told, None, f"C = {best} errs by {least}%, your C = {bound} by {yours}%"
    )
    return (
        f"smallest error {errors.min():.3g}% at C = {best}; your C = {bound}: "
        f"{errors[bound - 1]:.3g}%, released {release:,.0f}, true {visits.sum():,}"
    )


question = "At epsilon 0.1, which bound C gives the smallest error?"
live(
    fig,
    bounded_sum,
    "Error of a noisy sum against the bound at which records are cut: the part cut off "
    "falls, the noise rises, and their combined error has its minimum between.",
    task=r"at the smallest $\varepsilon$, look for the bound with the smallest error. Then "
    r"move $\varepsilon$ up and follow that bound.",
    guess=predict(question, (1, 365, " visits"), r"at C = (\d+)", epsilon=0.1),
    epsilon=log_slider(0.001, 10, 0.01),
    bound=choice([1, 3, 5, 10, 20, 40, 77, 150, 365], 365, label="your bound C"),
    seed=new_noise(9),
)

# %% [markdown]
# This picture, like the table of caps above, is drawn from the data. So it must not choose the bound for a release: the
# choice itself would reveal something. Take $C$ from what is publicly known, or spend part of the budget on a private
# quantile ([04](04_exponential.ipynb)). How much does the public bound lose against the best?

# %% jupyter={"source_hidden": true}
# Computed: the best bound at four epsilons, and the error of the public bound
for epsilon in (0.001, 0.01, 0.1, 1.0):
    best = int(caps[mean_error(caps, epsilon).argmin()])
    print(
        f"epsilon {epsilon:<5}: best bound {best:>3}, error {mean_error(best, epsilon):.2%}; "
        f"with the public bound 365: {mean_error(365, epsilon):.2%}"
    )

# %% [markdown]
# ## Whole numbers: the geometric mechanism
#
# A fraction of a smoker looks odd, and the computer's fractions leak ([00](00_start_here.ipynb) shows how). Counts
# can have whole-number noise with the same scale $b = \Delta_f/\varepsilon$, as in Definition 2.1. Such noise is the
# difference of two geometric draws, hence its name (also *discrete Laplace*).
#
# > **Theorem 3.6 (geometric mechanism; Ghosh, Roughgarden, Sundararajan, 2009).** For a query whose answer is a whole
# > number, with sensitivity $\Delta_f$, the mechanism $f(D) + Z$ is $\varepsilon$-DP, where
# > $$\Pr[Z = z] = \frac{1 - \alpha}{1 + \alpha}\, \alpha^{|z|}, \qquad \alpha = e^{-\varepsilon/\Delta_f} .$$
# > For a single count no $\varepsilon$-DP mechanism serves any user better. This holds for every prior belief and
# > every cost that grows with the distance from the truth, if the user reinterprets the release in the best way.
#
# <details><summary>Proof: as for Laplace noise, with probabilities instead of densities.</summary>
#
# The first sentence follows as in Theorem 3.3; the second is proved in their paper. For real numbers Laplace noise is
# *not* optimal. Among mechanisms that add noise, the staircase mechanism of Geng and Viswanath (2014) is; for small
# $\varepsilon$ the two hardly differ.
#
# </details>

# %%
show_source(geometric_mechanism)

# %%
print(
    "ten releases:",
    *geometric_mechanism(np.full(10, count), 1, 1.0, np.random.default_rng(10)),
)

# %% jupyter={"source_hidden": true}
# Figure: geometric_log_probability of two counts one apart, beside laplace_log_density
around = np.arange(count - 8, count + 8)
fig, ax = figure(height=2.8)
for answer, look, shift, name in (
    (count, "noisy o", 0.06, "with Lin"),
    (last_month, "other s", -0.06, "without Lin"),
):
    chances = np.exp(geometric_log_probability(around, answer, 1, 1))
    (dots,) = curves(ax, around + shift, {name: look}, [chances])
    ax.vlines(around + shift, 0, chances, color=dots.get_color(), linewidth=2)
fine = np.linspace(around[0], around[-1], 600)
density = np.exp(laplace_log_density(fine, count, 1, 1))
curves(ax, fine, {"Laplace density, with Lin": "grey"}, [density])
ax.set(xlabel="released count", ylabel="probability", ylim=(0, 0.6))
legend_above(fig)
show(
    fig,
    "Probabilities of the geometric mechanism for two counts one apart at epsilon 1: bars "
    "that fall by the same factor with each step from the count, beside the Laplace density.",
)

# %% [markdown]
# A whole number has a probability, so we can check the definition release by release. *Every* release has a ratio of
# exactly $e^\varepsilon$ or $e^{-\varepsilon}$, because no whole number lies strictly between the counts. So the best
# guesser of the game reaches the bound.

# %% jupyter={"source_hidden": true}
# Computed: the privacy loss of every release, and the best guesser
outcomes = np.arange(count - 400, count + 400)
for epsilon in (0.1, 1.0, 4.0):
    logs = np.array(
        [
            geometric_log_probability(outcomes, answer, 1, epsilon)
            for answer in (count, last_month)
        ]
    )
    guesser = np.exp(logs).max(axis=0).sum() / 2
    most = np.exp(epsilon) / (1 + np.exp(epsilon))
    print(
        f"epsilon {epsilon}: every loss is {np.abs(logs[0] - logs[1]).min():.3f}; best "
        f"guesser {guesser:.3%}"
    )
    assert np.allclose(np.abs(logs[0] - logs[1]), epsilon)
    assert np.isclose(guesser, most)

# %% [markdown]
# Laplace noise that is rounded afterwards is private too, since rounding looks only at the release. Is it as accurate?
# The exact mean absolute errors are $b$ for Laplace and $1 / \sinh(1/b)$ for the geometric mechanism. At
# $\varepsilon = 0.1$ all three are nearly equal. At 4 the geometric noise is exactly zero 96 times in 100, and its
# mechanism wins:

# %% jupyter={"source_hidden": true}
# Computed: the mean absolute error of three kinds of noise
rows = []
for epsilon in (0.1, 0.5, 1.0, 2.0, 4.0):
    distance = np.arange(1, 1_000)
    rounded = (2 * laplace_probability(distance - 0.5, np.inf, 0, 1, epsilon)).sum()
    exact = np.exp(geometric_log_probability(count, count, 1, epsilon))
    rows.append((epsilon, 1 / epsilon, rounded, 1 / np.sinh(epsilon), exact))
columns = ["epsilon", "Laplace", "Laplace, rounded", "geometric", "P[geometric noise is 0]"]
pd.DataFrame(rows, columns=columns).set_index("epsilon").round(3)

# %% [markdown]
# ## Error against epsilon, and against the alternatives
#
# How many women of Fair's survey report an affair after more than 15 years of marriage? We compare the noise with two
# other errors. The first is that of *local* privacy: each woman randomises her own answer, and nobody holds the data
# ([07](07_local.ipynb)). The second is the sampling error that a survey of this size has anyway, since other women
# might have answered.

# %%
n = affair.size
share = np.mean((affair > 0) & (married > 15))
epsilons = np.geomspace(0.01, 10, 100)
mean_absolute = np.sqrt(2 / np.pi)  # mean absolute value of a standard normal number
local = mean_absolute * np.sqrt(n) * np.exp(epsilons / 2) / np.expm1(epsilons)
sampling = mean_absolute * np.sqrt(n * share * (1 - share))

# %% jupyter={"source_hidden": true}
# Figure: the mean errors computed above, against epsilon
fig, ax = figure(height=3.2)
looks = {
    "each woman randomises (local)": "other -.",
    "sampling error": "grey :",
    "Laplace": "noisy",
    "geometric": "third --",
}
curves(ax, epsilons, looks, [local, sampling, 1 / epsilons, 1 / np.sinh(epsilons)])
x_axis(ax, "epsilon", ticks=[0.01, 0.1, 1, 10], log=True)
ticks = [0.001, 0.1, 10, 1_000, 100_000]
y_axis(ax, "mean absolute error, women", (1e-3, 1e5), ticks, log=True)
legend_above(fig, 2)
show(
    fig,
    "Mean absolute error of a count of women against epsilon, log axes: local randomisation "
    "far above, Laplace falling as one over epsilon, geometric the same until epsilon 1 and "
    "then lower, sampling error a flat line.",
)

# %% jupyter={"source_hidden": true}
# Computed: from which epsilon on the noise is smaller than the sampling error
print(
    f"{n:,} women asked: sampling error {sampling:.0f} women; the noise is smaller from "
    f"epsilon {1 / sampling:.3f} on"
)
for epsilon in (0.1, 1.0):
    at = np.argmin(np.abs(epsilons - epsilon))
    print(
        f"epsilon {epsilon}: local randomisation errs {local[at] * epsilons[at]:.0f} times "
        "as much as Laplace"
    )

# %% [markdown]
# ## Where it breaks
#
# You have seen a sum with the wrong sensitivity and a histogram with the wrong neighbours. Here are three more breaks.
#
# **1. Bounds read off the data.** If the data's own maximum scales the noise, the absence of the largest record changes
# the *scale*. Far out the ratio then has no limit:

# %% jupyter={"source_hidden": true}
# Computed: the privacy loss when the data's own maximum scales the noise
with_busiest = np.array([2, 0, 1, 3, 40])
without_busiest = with_busiest[:-1]
for far in (50, 100, 200):
    chances = [
        laplace_probability(far, np.inf, v.sum(), v.max(), 1)
        for v in (with_busiest, without_busiest)
    ]
    print(
        f"a release above {far:>3}: privacy loss {np.log(chances[0] / chances[1]):5.1f}, "
        "promised 1"
    )

# %% [markdown]
# **2. The same seed twice.** Two counts with the same noise differ by exactly Lin, at any $\varepsilon$. This book
# fixes its seeds so that you see what we describe. A release needs fresh noise that nobody can repeat.

# %%
this_month = laplace_mechanism(count, 1, 0.01, np.random.default_rng(11))
month_before = laplace_mechanism(last_month, 1, 0.01, np.random.default_rng(11))
print(f"{this_month:.2f} - {month_before:.2f} = {this_month - month_before:.2f}: Lin smokes")

# %% [markdown]
# **3. Asking again.** Fresh noise averages out. Here are a hundred answers to the same question, at $\varepsilon = 1$
# each:

# %%
asked = laplace_mechanism(np.full(100, count), 1, 1.0, np.random.default_rng(12))
for k in (1, 10, 100):
    scatter = np.sqrt(2) / np.sqrt(k)
    print(
        f"{counted(k, 'answer') + ':':<12} average {asked[:k].mean():.2f}, its standard "
        f"deviation {scatter:.2f}, epsilon {k}"
    )
assert sequential([1.0] * 100) == 100

# %% [markdown]
# The epsilons of several releases add up ([02](02_composition.ipynb)), and `Budget` refuses what it cannot cover:

# %%
budget, rng = Budget(1.0), np.random.default_rng(13)
for question in ("smokers", "smokers, again", "smokers, a third time"):
    try:
        epsilon = budget.spend(0.4, question)
        print(f"{question}: {laplace_mechanism(count, 1, epsilon, rng):.1f}")
    except BudgetExceeded as refused:
        print(f"refused: {refused}")
budget.ledger

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/03_laplace](../exercises/answers/03_laplace.ipynb).
#
# **Assignment 03:** [five tasks, checked in a second](../exercises/releases/03_laplace.ipynb).
#
# 1. *Warm-up.* In "Two neighbours and their noise", set $\varepsilon = 2$ and *sensitivity* to 2. Which other settings
#    give the same two tents? Why must it be so?
# 2. Before you run it: how large must a count be so that, at $\varepsilon = 0.1$, 95 of 100 releases are within 1% of
#    it? Check with `noise_scale(1, 0.1) * np.log(20)`.
# 3. A clinic publishes how many patients smoke in *each of eight cities* (`data.smoking()`), and the total of all
#    cities beside them. What is the sensitivity of these nine numbers? Is it better to release nine, or eight and add
#    up? Compare the error of the total by simulation.
# 4. In the cell with the budget, give a new generator with seed 13 to each release instead of the one `rng`. Which
#    break is this, and how does an attacker use it?
# 5. Show that Gaussian noise cannot give $\varepsilon$-DP. Plot the ratio of two normal densities one apart, with
#    standard deviation 5, against the release. Where does the ratio pass $e^{1}$? Does any standard deviation keep it
#    below $e^{1}$ for all releases?
# 6. *Challenge.* In the game, let Lin be *in* with probability 0.9 instead of 0.5. What is now the best strategy, how
#    often is it right, and what does $\varepsilon$ still guarantee?
#
# ## When to use it, and when not
#
# Which $\varepsilon$ keeps 95 of 100 releases of a count within 1% of it, or within 10%?

# %% jupyter={"source_hidden": true}
# Computed: the epsilon that a count of each size needs
sizes = np.array([10, 100, 1_000, 10_000, 100_000])
needs = {
    f"within {part:.0%}": noise_scale(1, 1) * np.log(20) / (part * sizes)
    for part in (0.01, 0.1)
}
needs = pd.DataFrame(needs, index=pd.Index([f"{size:,}" for size in sizes], name="count"))
needs.map(amount)

# %% [markdown]
# **Use it** for a count, a histogram with disjoint bars, a sum with public bounds, or a few such numbers. It is one
# line, needs no tuning and has a proof of three lines. The distribution of its error is known and can be published.
# For counts take the geometric mechanism. From a thousand on, $\varepsilon = 0.1$ costs an error of 1% or less on average.
#
# **Do not use it**
#
# - for small counts or the tails of a histogram: the noise may be as large as the answer. Wider or merged bars
#   ([09](09_partitions.ipynb)), and a threshold where most bars are empty ([20](20_alp.ipynb)), do better;
# - for many queries that use the same records: $k$ of them need $k$ times the noise. Range queries call for trees
#   ([08](08_histograms.ipynb)), tables of few attributes (*marginals*) for page [13](13_marginals.ipynb), and "is it
#   above the threshold?" for page [14](14_svt.ipynb);
# - when the answer is a choice (a most frequent value, a model), or is steadier in rank than in value (a median): use
#   page [04](04_exponential.ipynb);
# - when one record can move the answer far, as in averages, maxima and products: first make it insensitive
#   ([05](05_averages.ipynb), [15](15_stability.ipynb)).

# %% [markdown]
# ## Sources
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to Practice*, Morgan &
#   Claypool, 2016, [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018): section
#   2.3, Theorems 2.12 and 2.15, Examples 2.13, 2.14 and 2.16; section 2.5, Algorithm 1.
# - Cynthia Dwork, Frank McSherry, Kobbi Nissim, Adam Smith: *Calibrating noise to sensitivity in private data analysis*,
#   TCC 2006, [doi:10.1007/11681878_14](https://doi.org/10.1007/11681878_14): sensitivity and the mechanism.
# - Arpita Ghosh, Tim Roughgarden, Mukund Sundararajan: *Universally utility-maximizing privacy mechanisms*, STOC 2009,
#   [doi:10.1145/1536414.1536464](https://doi.org/10.1145/1536414.1536464): the geometric mechanism.
# - Quan Geng, Pramod Viswanath: *The optimal mechanism in differential privacy*, ISIT 2014,
#   [arXiv:1212.1186](https://arxiv.org/abs/1212.1186): the staircase.
# - Ilya Mironov: *On significance of the least significant bits for differential privacy*, CCS 2012,
#   [doi:10.1145/2382196.2382264](https://doi.org/10.1145/2382196.2382264): what fractions leak.
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [02 Composition](02_composition.ipynb) · **Next:** [04 The exponential mechanism](04_exponential.ipynb)
