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
# # 29 Without a curator
#
# Nobody sees the answers, and still the sum comes out: masks cancel, each party adds a piece of the noise, or reports lose
# their names. What does each cost, and whom must one still trust?
#
# <details><summary>About 40 minutes, after 03, 07 and 24: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [28 Synthetic records](28_synthetic.ipynb) · **Next:** [30 Noise that remembers](30_correlated.ipynb)
#
# **Assignment 29:** [five tasks, checked in a second](../exercises/releases/29_parties.ipynb)
#
# **What you will do:** Add up masked reports. Split noise among parties of whom some stay away. Shuffle reports, lie in a
# survey, and train a model in rounds.
#
# **You need:** geometric noise ([03](03_laplace.ipynb)), randomized response ([07](07_local.ipynb)), and a delta
# ([24](24_gaussian.ipynb)). *Helpful:* noisy training, of chapter 26.
#
# **Time:** about 40 minutes. A stopping point: before *Shuffling*.
#
# **Real and synthetic:** the RAND health insurance experiment is real. Hours and surveys are *synthetic*, from fixed seeds.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import itertools

import numpy as np

from dpbook.live import choice, live, slider, switch
from dpbook.parties import geometric_share, masked, modular_sum
from dpbook.plots import (
    COLOURS,
    curves,
    figure,
    set_steps,
    set_verdict_text,
    steps,
    verdict_text,
    x_axis,
    y_axis,
)

# %% jupyter={"source_hidden": true}
# Figure: masked(values, 128, rng) as reports arrive: the masks, the reports, their sum
HOURS = np.random.default_rng(29).integers(0, 8, 12)
fig, (ring, bar_ax) = figure(columns=2, height=2.75, width_ratios=(1, 1.35))
(done,) = ring.plot([], [], "-", color=COLOURS.noisy, linewidth=1)
(half,) = ring.plot([], [], ":", color=COLOURS.other, linewidth=1.5)
(dots,) = ring.plot([], [], "o", color=COLOURS.true, markersize=7)
ring.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")
ring.axis("off")
bars = bar_ax.bar(range(1, 13), np.zeros(12), color=COLOURS.noisy, width=0.6)
(truth,) = curves(bar_ax, range(1, 13), {"value": "true x"}, linestyle="")
x_axis(bar_ax, "party", (0, 13), range(1, 13))
y_axis(bar_ax, "hours, modulo 128", (0, 130))
hero_line = verdict_text(fig)


def masks_cancel(received, parties, noise, silent):
    rng, values = np.random.default_rng(parties), HOURS[:parties]
    pieces = geometric_share(parties, 7, 2.0, rng, size=parties) if noise else 0
    reports = masked(values + pieces, 128, rng)
    came = min(received, parties - silent)
    at = np.exp(2j * np.pi * np.arange(parties) / parties).view(float).reshape(-1, 2)
    links = {True: [[np.nan] * 2], False: [[np.nan] * 2]}
    for i, j in itertools.combinations(range(parties), 2):
        links[j < came] += [at[i], at[j], [np.nan] * 2] * (i < came)
    done.set_data(*np.array(links[True]).T)
    half.set_data(*np.array(links[False]).T)
    dots.set_data(*at.T)
    for place, bar in enumerate(bars):
        bar.set_height(reports[place] if place < came else 0)
    truth.set_data(np.arange(1, parties + 1), values)
    seen = modular_sum(reports[:came], 128, -22) if came else 0
    knows = ("the noisy sum" if noise else "the sum") if came == parties else "nothing"
    words = f"{came} of {parties} reports give {seen}: the server knows {knows}"
    set_verdict_text(hero_line, True if came == parties and noise else None, words)
    return f"{words}; true sum {values.sum()}"


live(
    fig,
    masks_cancel,
    "Left: parties in a ring; solid lines are masks that cancel, dotted ones are open. "
    "Right: bars of the reports, and crosses at the true values.",
    task="play the reports. When does the sum become right?",
    play="received",
    received=slider(0, 12, 12, label="reports"),
    parties=choice([3, 6, 9, 12], 12),
    noise=switch(False),
    silent=switch(False, label="one is silent"),
)

# %% [markdown]
# Every two parties share a random number, their *mask*: one adds it, the other subtracts it. [One report
# missing](#move:received=11&parties=12) leaves masks open, and the sum can be anything. Let all reports come and press *noise*:
# the server then has a noisy sum, and nobody ever had the true one.
#
# **Neighbours.** The list of parties is known. So neighbours **replace** one party's value, until the section on users, where a user
# is *added or removed*. `honest` counts the parties who stay and keep their secrets.
#
# ## The price of trusting nobody
#
# Count how many of $n$ people have a property. With randomized response each person adds noise, and the count's standard
# deviation is $\sqrt n\, e^{\varepsilon/2}/(e^\varepsilon - 1)$. A curator, who sees all answers, adds geometric noise once:
# $\sqrt 2\, e^{\varepsilon/2}/(e^\varepsilon - 1)$. The ratio is $\sqrt{n/2}$, and no local mechanism does much better
# (Chan, Shi and Song 2012). This page looks for something in between: little noise, and nobody who sees the answers.


# %% jupyter={"source_hidden": true}
# What this page imports
import functools
import json
import math
import pathlib

from scipy.optimize import brentq

from dpbook.amounts import counted, probability
from dpbook.gaussian import gaussian_epsilon, gaussian_scale
from dpbook.gradients import clip_rows
from dpbook.guesses import predict
from dpbook.laplace import geometric_log_probability
from dpbook.live import log_slider, show_source
from dpbook.local import binary_chances, k_ary_chances, optimised_chances
from dpbook.parties import (
    Plan,
    additive_shares,
    averaged_training,
    bare_threshold,
    bits_proved,
    blanket_epsilon,
    clipped_update,
    clones_delta,
    clones_epsilon,
    clones_formula,
    federated_training,
    geometric_share_loss,
    lattice_sum_delta,
    lie_gain,
    rounded_sum_delta,
    secure_histogram,
    secure_sum,
    shamir_secret,
    shamir_shares,
    share_probabilities,
    shuffled_delta,
    shuffled_epsilon,
    skellam_delta,
    skellam_epsilon,
    wrap_chance,
)
from dpbook.parties.users import noisy_rounds
from dpbook.plots import own_point, set_curves, set_own_point


# %%
def central_deviation(epsilon):
    """Of geometric noise on a count."""
    return math.sqrt(2) * math.exp(epsilon / 2) / math.expm1(epsilon)


central = central_deviation(1.0)
for people in (100, 10_000, 1_000_000):
    alone = math.sqrt(people / 2) * central
    print(f"{people:>9,} people, epsilon 1: local {alone:7.2f}, central {central:.3f}")

# %% [markdown]
# ## Two naive attempts
#
# 1. **Masks alone.** The exact sum is not private. If all parties but one work together, they subtract their own values
#    and have the value of the last.
# 2. **Normal noise, split.** Each of 1,000 parties adds a normal number with a thousandth of the variance, rounded because masks
#    need whole numbers. Each number is far below 1/2. So nearly always *all* of them round to zero, and the sum is exact.

# %%
known, whole = HOURS[1:].sum(), HOURS.sum()
print(f"all but one know {known}, the sum is {whole}: the first worked {HOURS[0]} hours")
small = 3 / math.sqrt(1000)
all_zero = math.erf(0.5 / small / math.sqrt(2)) ** 1000
zeros = f"all are 0 with {all_zero:.5f}, delta {rounded_sum_delta(1000, small, 1.0):.5f}"
print(f"1,000 rounded shares, deviation 3 together: {zeros}")
print(f"one such number on the sum: delta {rounded_sum_delta(1, 3.0, 1.0):.7f}")

# %% [markdown]
# ## What each server sees
#
# Parties $i < j$ share a random number $s_{ij}$, independent and uniform on $0, \dots, m - 1$. Party $i$ adds it and party $j$
# subtracts it, modulo $m$. So party $i$ reports $y_i = x_i + \sum_{j > i} s_{ij} - \sum_{j < i} s_{ji}$, and the masks cancel in the sum.
#
# > **Theorem 29.1 (masks hide all but the sum; after Bonawitz and others 2017).** Whatever the values $x_1, \dots, x_n$ are,
# > the reports are uniform on all lists of remainders whose sum is $\sum_i x_i$ modulo $m$. So two lists of values with the
# > same sum have the *same* distribution of reports.
#
# <details><summary>Proof: the masks shared with the last party are enough.</summary>
#
# Fix all masks but those shared with party $n$. Party $i < n$ adds $s_{in}$, which nobody else but party $n$ uses. So the
# reports $y_1, \dots, y_{n-1}$ are independent and uniform, whatever the values and the fixed masks are. The masks cancel in
# the sum of all reports, so the last report is the one that makes the sum right. $\square$
#
# </details>
#
# If some parties tell the server their masks, the theorem holds for the others: the server learns the sum of *their* values.
# Real numbers have no uniform distribution, so masks without a modulus would leak.

# %%
show_source(masked)


def lists_seen(hidden):
    """Every list of reports that 500 runs show, modulo 4."""
    rng = np.random.default_rng(1)
    return {tuple(masked(hidden, 4, rng).tolist()) for _ in range(500)}


one, same, other = (lists_seen(hidden) for hidden in ([1, 0, 2], [0, 3, 0], [1, 0, 1]))
print(f"values 1, 0, 2 and 0, 3, 0: {len(one)} lists of reports; the same ones: {one == same}")
print(f"values 1, 0, 1: {len(other)} lists, of which {len(one & other)} are among those")
without = np.bincount([sum(reports[:2]) % 4 for reports in one])
print("the third party is silent: the sums 0, 1, 2, 3 come from", without, "lists")

# %% [markdown]
# The first two lists of values have the same sum, and the server cannot tell them apart. The third has another sum, and the
# server sees that. If one report is missing, every remainder is equally likely.
#
# **Servers instead of pairs.** In Prio (Corrigan-Gibbs and Boneh 2017) each client splits its value into $k$ random numbers
# that add up to it, one for each server. A single honest server keeps the secret, but any server can change the result.

# %%
columns = additive_shares([1, 0, 1, 1], 3, 97, np.random.default_rng(1))
print("three servers see", columns.tolist(), "and their sums give", columns.sum() % 97)
print(f"pairs of 1,000 parties: {math.comb(1000, 2):,}")

# %% [markdown]
# **Many parties.** 1,000 of them need 499,500 shared numbers. Bell and others (2020) show that it is enough if each party
# shares one with about $\log n$ others.
#
# **A party that goes silent** leaves its masks in the sum. So each party first gives the others shares of its secret key.
# Shamir's shares are points on a polynomial: enough parties together recover the key, and fewer learn nothing. The server must not
# ask for the key of a party that is only *late*: with it, the late report shows its value.
#
# **Is it a bit?** Nobody sees the value, so a client may send 1,000 instead of 0 or 1. Prio's clients prove
# $x(x - 1) = 0$ to the servers, which hold only shares of $x$. Below, several numbers $x_i$ are tested at once: the polynomial
# with coefficients $x_i(x_i - 1)$ must be 0 at a random point. The proof shows that a value is possible, not that it is true.

# %%
shares = shamir_shares(7, 3, 5, 11, np.random.default_rng(1))
three = shamir_secret([1, 3, 5], shares[[0, 2, 4]], 11)
print("a key of 7 in five shares:", shares.tolist(), "; from three:", three)
thirds = [shamir_secret([1, 3, 5], [*shares[[0, 2]], third], 11) for third in range(11)]
print("from two, with each possible third share:", thirds)
for row in ([1, 0, 1], [1, 0, 2], [2, 0, 2]):
    passed = sum(bits_proved(row, r, 101) for r in range(101))
    print(row, "passes at", passed, "of 101 challenges")

# %% [markdown]
# ## Noise in pieces
#
# Each party adds a piece of noise before it masks. Which distribution should a piece have, so that $h$ pieces together are
# exactly the geometric noise of [03](03_laplace.ipynb)? Geometric noise is *infinitely divisible*: it can be split for every $h$.
#
# > **Theorem 29.2 (noise in pieces; Goryczka and Xiong 2017).** Let a replaced value change the sum by at most $\Delta$, and let
# > $a = e^{-\varepsilon/\Delta}$. A piece is the difference of two independent negative binomial numbers, each with $1/h$ for its
# > number of failures and $a$ for its ratio. If at least $h$ parties add a piece and do not tell it, the sum is
# > $\varepsilon$-DP under replace of one of their values, also against all other parties together.
#
# <details><summary>Proof: generating functions multiply.</summary>
#
# A negative binomial number with $1/h$ failures has the generating function $\big((1 - a)/(1 - az)\big)^{1/h}$. The product
# of $h$ of them is $(1 - a)/(1 - az)$, that of a geometric number. Geometric noise is the difference of two
# geometric numbers, so the sum is that of Theorem 3.6 and $\varepsilon$-DP. Further pieces are independent of it, and adding them is
# post-processing. So is the remainder modulo $m$. $\square$
#
# </details>
#
# If the parties are many, a piece is nearly always 0: alone it hides nobody.
#
# A **histogram** is a sum of rows with a single 1. Another choice moves *two* bins by 1, so the pieces of each bin are for
# $\varepsilon / 2$ (`secure_histogram`).

# %%
show_source(geometric_share)
show_source(secure_sum)
tenth, whole = (share_probabilities(share, 1.0, 0)[0] for share in (0.1, 1.0))
print(f"one of ten shares is 0 with probability {tenth:.4f}")
print(f"all ten add up to 0 with {whole:.6f} = tanh(1/2) = {math.tanh(0.5):.6f}")
rng = np.random.default_rng(1)
released = [secure_sum(HOURS, 7, 12, 256, 1.0, rng) for _ in range(5)]
print(f"hours, true sum {HOURS.sum()}; five secure sums:", released)
print("parties with 0 to 7 hours:", np.bincount(HOURS.astype(np.intp), minlength=8))
print("       a secure histogram:", secure_histogram(HOURS, 8, 12, 256, 1.0, rng))

# %% [markdown]
# Parties that drop out take their pieces along. Parties that tell the server their pieces count as dropped out, too. What is
# the loss of a count when only a part of the planned noise is left? One might expect $\varepsilon$ divided by that part. It can be
# less, and for a small $\varepsilon$ it can be far more.

# %% jupyter={"source_hidden": true}
# Figure: geometric_share_loss(share, epsilon), beside epsilon / part
PRESENT = np.linspace(0.05, 1, 39)
fig, loss_ax = figure(height=2.6)
loss_looks = {"loss": "noisy", "epsilon / part": "grey --"}
loss_lines = curves(loss_ax, 100 * PRESENT, loss_looks, ends=True, linewidth=2)
x_axis(loss_ax, "shares that came and stay secret (%)", (5, 100))
y_axis(loss_ax, "privacy loss", (0.05, 50), [0.1, 1, 10], log=True)
loss_dot = own_point(loss_ax)
loss_verdict = verdict_text(loss_ax)


def present_loss(present, epsilon):
    losses = [geometric_share_loss(one, epsilon) for one in PRESENT]
    set_curves(loss_lines, [losses, epsilon / PRESENT])
    lost = geometric_share_loss(present / 100, epsilon)
    set_own_point(loss_dot, present, lost)
    words = f"planned for epsilon {epsilon:g}, {present}% came: loss {lost:.3f}"
    set_verdict_text(loss_verdict, present == 100, words)
    return words


live(
    fig,
    present_loss,
    "The privacy loss against the share of noise that came, falling to epsilon at 100%. "
    "A dashed line says epsilon over that part: above the loss at epsilon 1, below at 0.1.",
    task="take the present shares to 5%. Is epsilon over that part too much, or too little? "
    "And at epsilon 0.1?",
    guess=predict(
        "Noise for epsilon 1 was planned, and half of the parties stay away. The loss is now",
        (1, 3),
        r"loss ([\d.]+)",
        present=50,
        epsilon=1.0,
    ),
    present=slider(5, 100, 70, 5, label="present (%)"),
    epsilon=log_slider(0.1, 4, 1.0, label="planned epsilon"),
)

# %% [markdown]
# [At epsilon 0.1 and 5%](#move:present=5&epsilon=0.1) the loss is larger than $\varepsilon$ over the part that came. So little noise
# is often exactly 0, even for a small $\varepsilon$.
#
# **Plan for `honest` parties**, not for all. If at least that many stay, the loss never exceeds $\varepsilon$. If everybody comes,
# there is more noise: its deviation grows by a factor of $\sqrt{n/\text{honest}}$.

# %%
for_half = central * math.sqrt(2)
print(f"planned for all: deviation {central:.3f}; for half, and all come: {for_half:.3f}")
whole = share_probabilities(1.0, 1.0, 200)
doubled = np.convolve(whole, whole)[400:]  # of noise 0, 1, 2, ...: planned for half, all came
for away, output in ((0, "the true count itself"), (40, "an output 40 below it")):
    loss = math.log(doubled[away] / doubled[away + 1])
    print(f"    {output} then loses {loss:.3f}")
lost = geometric_share_loss(0.001, 1.0)
print(f"one piece of 1,000 alone: loss {lost:.3f}, epsilon over the part 1,000")

# %% [markdown]
# More noise than planned does not make $\varepsilon$ smaller: far from the count, outputs still lose nearly all of it. Near the
# count they lose less.
#
# **Other distributions.** Normal noise on whole numbers (*discrete Gaussian*) is not divisible: the sum of two pieces is not
# quite such a number again. If each piece has a scale of at least 1, the difference is invisible; far below 1, it is fatal
# (Kairouz, Liu and Steinke 2021). **Skellam** noise is one Poisson number minus another. Skellam pieces add up exactly,
# whatever the number of parties.

# %% jupyter={"source_hidden": true}
# Figure: lattice_sum_delta, rounded_sum_delta and skellam_delta by the number of parties
PARTIES = [1, 3, 10, 30, 100, 300, 1000, 3000]
KINDS = {"rounded normal": "other", "discrete normal": "noisy", "Skellam": "third --"}


@functools.cache
def deltas(deviation, epsilon):
    shares = [(n, deviation / math.sqrt(n)) for n in PARTIES]
    return (
        [rounded_sum_delta(*one, epsilon) for one in shares],
        [lattice_sum_delta(*one, epsilon) for one in shares],
        [skellam_delta(1, deviation**2, epsilon)] * len(PARTIES),
    )


for deviation, epsilon in itertools.product([2, 3, 5], [0.5, 1.0, 2.0]):
    deltas(deviation, epsilon)
fig, delta_ax = figure(height=2.7)
delta_lines = curves(delta_ax, PARTIES, KINDS, ends=True, linewidth=2)
x_axis(delta_ax, "parties (log scale)", (1, 3000), PARTIES, log=True)
y_axis(delta_ax, "delta", (1e-9, 40), [1e-8, 1e-6, 1e-4, 1e-2, 1], log=True)
delta_dot = own_point(delta_ax, colour=COLOURS.amber, markeredgecolor="black")
delta_verdict = verdict_text(delta_ax)


def share_laws(parties, deviation, epsilon, kind):
    rows = deltas(deviation, epsilon)
    set_curves(delta_lines, [np.maximum(row, 1e-12) for row in rows])
    now = rows[list(KINDS).index(kind)][PARTIES.index(parties)]
    set_own_point(delta_dot, parties, max(now, 1e-9))
    words = f"{counted(parties, f'{kind} share')}: delta {now:.2g} at epsilon {epsilon:g}"
    set_verdict_text(delta_verdict, None if now < 0.01 else False, words)
    return words


live(
    fig,
    share_laws,
    "Delta against the number of parties on log axes. Rounded and discrete normal shares "
    "rise to 1 for many parties; Skellam shares stay level.",
    task="with how many parties does each kind stop hiding anybody?",
    parties=choice(PARTIES, 100),
    deviation=choice([2, 3, 5], 3, label="deviation of the sum"),
    epsilon=choice([0.5, 1.0, 2.0], 1.0),
    kind=choice({name: name for name in KINDS}, "discrete normal"),
)

# %%
print("planned for deviation 3 in all (variance 9), delta at epsilon 1:")
for number, scale in ((9, 1.0), (36, 0.5), (144, 0.25)):
    at = np.arange(-9, 10)
    weights = np.exp(-(at**2) / (2 * scale**2))
    variance = number * (at**2 @ weights) / weights.sum()
    delta = lattice_sum_delta(number, scale, 1.0)
    found = f"variance {variance:.4f}, delta {delta:.2g}"
    print(f"{number:>5} discrete normal shares of scale {scale:<4g}: {found}")
print(f"  any number of Skellam shares: variance 9, delta {skellam_delta(1, 9.0, 1.0):.2g}")
skellam, normal = skellam_epsilon(1, 9.0, 1e-6), gaussian_epsilon(1, 3.0, 1e-6)
print(f"epsilon at delta 1e-6: Skellam {skellam:.3f}, one normal number {normal:.3f}")

# %% [markdown]
# A discrete normal number of scale 1/4 is nearly always 0. So 144 of them have much less variance than planned. On a count,
# Skellam noise even loses less here than normal noise. Both need a delta: far out, their loss grows without limit.
#
# ## Modulus, clipping, rounding
#
# A sum modulo $m$ tells the server only a remainder. In a *window* of $m$ consecutive numbers it takes the one with this
# remainder. A noisy sum outside the window comes back at the other end, wrong by $m$. That costs no privacy, but much
# accuracy: leave room on **both** sides.

# %% jupyter={"source_hidden": true}
# Figure: the decoded count of 40 bits, and wrap_chance(value, modulus, lowest, epsilon)
SUMS = np.arange(-60, 121)
fig, window_ax = figure(height=2.6)
window_bars = [
    steps(window_ax, np.zeros(SUMS.size), colour, edges=np.append(SUMS, 121) - 0.5, fill=True)
    for colour in (COLOURS.noisy, COLOURS.other)  # right, and wrong by the modulus
]
TURNS = np.array([[k] for k in range(-9, 10) if k])
edges = [window_ax.axvline(0, color=COLOURS.true, linestyle="--") for _ in range(2)]
x_axis(window_ax, "decoded count", (-61, 121))
y_axis(window_ax, "probability", (0, 0.5))
window_line = verdict_text(window_ax)


def window(ones, modulus, start, epsilon):
    lowest = 0 if start == "at 0" else -((modulus - 40) // 2)
    inside = (lowest <= SUMS) & (SUMS < lowest + modulus)
    for bars_, turns in zip(window_bars, (0, TURNS), strict=True):
        counts = np.atleast_2d(SUMS + turns * modulus)
        laws = np.exp(geometric_log_probability(counts, ones, 1, epsilon))
        set_steps(bars_, inside * laws.sum(axis=0))
    for edge, x in zip(edges, (lowest - 0.5, lowest + modulus - 0.5), strict=True):
        edge.set_xdata([x, x])
    wrong = wrap_chance(ones, modulus, lowest, epsilon)
    chance = "below 10⁻¹²" if wrong < 1e-12 else probability(wrong)  # rounding
    words = f"wrong by {modulus} with probability {chance}"
    set_verdict_text(window_line, wrong < 0.01, words)
    return f"{counted(ones, 'one')}, window from {lowest} to {lowest + modulus - 1}: {words}"


live(
    fig,
    window,
    "Bars: the probability of each decoded count, between two dashed edges of the window. "
    "Orange bars at "
    "the far edge are counts that came out wrong by the modulus.",
    task="take *ones* to 0 and to 40. How small may the modulus be, and where must the "
    "window start?",
    guess=predict(
        "Nobody has a 1, the window starts at 0, epsilon is 1. How often is the count "
        "wrong by 64?",
        (0, 1),
        r"probability ([\d.]+)",
        ones=0,
        modulus=64,
        start="at 0",
        epsilon=1.0,
    ),
    ones=slider(0, 40, 1),
    modulus=choice([48, 64, 96], 64),
    start=choice({"at 0": "at 0", "in the middle": "in the middle"}, "at 0", label="window"),
    epsilon=log_slider(0.1, 1, 1.0),
)

# %%
wrong = wrap_chance(1000, 1024, -12, 1.0)
print(f"1,000 ones, m = 1,024, window from -12: wrong with {wrong:.3g}")
clipped, numbers = 100, 1000
worst = clipped + math.sqrt(numbers)
spread = math.sqrt(2 * 0.5) * (clipped + math.sqrt(numbers) / 2)  # ln(1 / beta) = 1/2
redrawn = math.sqrt(clipped**2 + numbers / 4 + spread)
long = f"up to {worst:.2f} long, redrawn {redrawn:.2f}"
print(f"{numbers:,} numbers, clipped to {clipped}, rounded at random: {long}")

# %% [markdown]
# A model's update is a vector of real numbers, and masks need whole ones. So clip its length first, then scale it up, then
# round each number up or down at random, without bias. Rounding can make the vector longer. The sensitivity must allow for
# that, or the client rounds again until the vector is short enough ("redrawn").
#
# ## Shuffling
#
# Each person randomises their own answer with an epsilon that we call `local`. A *mixer* then takes off the names and changes the
# order. The server sees only *how many* reports say what. Many people with a weak guarantee each get a strong one together.
#
# > **Theorem 29.3 (clones; Feldman, McMillan and Talwar 2021, Theorem 3.1).** Let $n$ people send one $\varepsilon_0$-DP report
# > each, and $\varepsilon_0 \le \ln\big(n / (16 \ln(2/\delta))\big)$. Under replace the shuffled reports are
# > $(\varepsilon, \delta)$-DP with
# > $$\varepsilon = \ln\left(1 + \frac{e^{\varepsilon_0} - 1}{e^{\varepsilon_0} + 1}
# > \left(8 \sqrt{\frac{e^{\varepsilon_0} \ln(4/\delta)}{n}} + \frac{8 e^{\varepsilon_0}}{n}\right)\right).$$
#
# <details><summary>Proof idea: each of the others may be a clone of you.</summary>
#
# Let your value be $x_0$ or $x_1$. By $\varepsilon_0$-DP each report of another person is at least $e^{-\varepsilon_0}$ times as
# likely as it is from $x_0$ or from $x_1$. So one can think of the report as drawn in two steps. With probability
# $e^{-\varepsilon_0}$ it is a *clone*: drawn as if the value were $x_0$ or $x_1$, each half of the time. Else it is drawn from what
# is left. The server cannot tell your report from the clones. So it sees a binomial number of reports of the first kind, plus 1
# or not. What one person changes is lost in the spread of that number. $\square$
#
# </details>
#
# This is `clones_formula`. The same idea, with the binomial numbers computed and not bounded, is `clones_delta`:

# %%
show_source(clones_delta)
print("1,000 people, local 1, delta 1e-6, epsilon:")
formula, clones = clones_formula(1000, 1.0, 1e-6), clones_epsilon(1000, 1.0, 1e-6)
print(f"    formula {formula:.4f}, clones {clones:.6f},")
blanket, exact = blanket_epsilon(1000, 2, 1.0, 1e-6), shuffled_epsilon(1000, 1.0, 1e-6)
print(f"    blanket {blanket:.6f}, exact {exact:.6f}")
for ones in (0, 500):
    one = shuffled_epsilon(1000, 1.0, 1e-6, ones=ones)
    print(f"    exact if {ones} of the others hold 1: {one:.6f}")

# %% [markdown]
# Both hold for **any** local mechanism, if each person sends one message. For bits there is an exact number, since the count of
# ones is a sum of two binomial numbers ([07](07_local.ipynb)). The guarantee is that of the *worst* dataset. (In the figure
# all others hold 0, nearly always the worst.) Between clones and the exact number is the *blanket* (Balle and others 2019).
# It knows how reports are made: some are drawn *blindly*, without looking at the value. With $k$ answers (k-ary randomized
# response) a report is blind with probability $k / (e^{\varepsilon_0} + k - 1)$.

# %%
found = clones_epsilon(1000, 2.0, 1e-6)
print(f"1,000 people, local 2, delta 1e-6: clones {found:.4f}, whatever the report")
for answers in (2, 4, 16, 128):
    blind = answers / (math.exp(2) + answers - 1)
    found = blanket_epsilon(1000, answers, 2.0, 1e-6)
    print(f"{answers:>7} answers, {100 * blind:.0f}% blind: blanket {found:.4f}")
for ones in (0, 2):
    found = shuffled_epsilon(1000, 2.0, 1e-6, ones=ones)
    print(f"    bits, {ones} of the others hold 1: exact {found:.5f}")

# %% [markdown]
# With more answers more reports are blind, and the guarantee is stronger. The clones do not know that. The price is accuracy:
# a blind report says nothing about its sender. And all others alike is *not* the worst dataset here: two ones are a
# little worse.

# %% jupyter={"source_hidden": true}
# Figure: clones_epsilon, clones_formula and shuffled_epsilon against the number of people
GRID = [round(10 * 10 ** (place / 3)) for place in range(13)]
LOCALS = [0.5, 1.0, 2.0, 3.0]


def formula_or_nothing(people, local):
    try:
        return clones_formula(people, local, 1e-6)
    except ValueError:
        return np.nan


SHUFFLED = {}
for local in LOCALS:
    formula = [formula_or_nothing(n, local) for n in GRID]
    clones = [clones_epsilon(n, local, 1e-6) for n in GRID]
    exact = [shuffled_epsilon(n, local, 1e-6, ones=0) for n in GRID]
    SHUFFLED[local] = np.array([formula, clones, exact])
fig, shuffle_ax = figure(height=2.8)
shuffle_looks = {"formula": "grey --", "clones": "noisy", "bits, others 0": "true"}
shuffle_lines = curves(shuffle_ax, GRID[3:], shuffle_looks, ends=True, linewidth=2)
x_axis(shuffle_ax, "people (log scale)", (100, 100_000), 10 ** np.arange(2, 6), log=True)
y_axis(shuffle_ax, r"epsilon at delta $10^{-6}$", (0.002, 5), [0.01, 0.1, 1], log=True)
shuffle_dot = own_point(shuffle_ax)
shuffle_verdict = verdict_text(shuffle_ax)


def shuffle(people, local, honest):
    rows = SHUFFLED[local][:, 3 - honest : 13 - honest]
    set_curves(shuffle_lines, rows)
    now = rows[:, GRID[3:].index(people)]
    set_own_point(shuffle_dot, people, now[1])
    found = f"epsilon {now[1]:.3f} by clones, {now[2]:.3f} for bits if all others hold 0"
    words = f"{people:,} people, local {local:g}: {found}"
    shorter = f"clones {now[1]:.3f}, others 0: {now[2]:.3f}, alone {local:g}"
    set_verdict_text(shuffle_verdict, round(now[1], 3) < local, shorter)
    return words


live(
    fig,
    shuffle,
    "Epsilon against the number of people on log axes: three falling lines, the formula "
    "above the clones, and lowest the exact one for bits where all others hold 0.",
    task="let only 10% be honest. How many people more make up for that?",
    guess=predict(
        "1,000 people randomise at local epsilon 1 and are shuffled. By clones, epsilon is",
        (0, 1),
        r"epsilon ([\d.]+) by",
        people=1000,
        local=1.0,
        honest=0,
    ),
    people=choice(GRID[3:], 10_000),
    local=choice(LOCALS, 1.0),
    honest=choice({"all": 0, "46%": 1, "22%": 2, "10%": 3}, 0),
)

# %% [markdown]
# [With 10% honest](#move:honest=10%25) the guarantee is that of a tenth of the people. The server may have invented the others.
# It knows their reports, so they hide nobody. The formula is loose, and says nothing for a large `local`.
#
# ## Clients that lie
#
# A local report says the truth with probability $p$, and any given other answer with probability $q$. The estimate subtracts $q$
# and divides by $p - q$. Liars, who always report the same answer, gain by that: one lie counts as $(1 - q)/(p - q)$
# people. In k-ary reports with many answers this is large. In a secure sum with proofs one lie counts as one person; without proofs
# it counts as any number below $m$.

# %% jupyter={"source_hidden": true}
# Figure: what an answer of 1% becomes when some clients always give it, by lie_gain(chances)
WAYS = {
    "binary": binary_chances,
    "128 answers": functools.partial(k_ary_chances, 128),
    "unary": optimised_chances,
    "proven sum": lambda epsilon: (1.0, 0.0),  # a lie counts as one person
}
LIARS = np.linspace(0, 0.1, 21)
fig, lie_ax = figure(height=2.7)
lie_looks = dict(zip(WAYS, ("noisy", "other", "third", "true"), strict=True))
lie_lines = curves(lie_ax, 100 * LIARS, lie_looks, ends=True, linewidth=2)
x_axis(lie_ax, "clients that lie (%)", (0, 10))
y_axis(lie_ax, "estimate of a 1% answer (%)", (0, 100))
lie_dot = own_point(lie_ax, colour=COLOURS.amber, markeredgecolor="black")
lie_verdict = verdict_text(lie_ax)


def lies(liars, epsilon, way):
    gains = [lie_gain(make(epsilon)) for make in WAYS.values()]
    set_curves(lie_lines, [1 * (1 - LIARS) + 100 * gain * LIARS for gain in gains])
    gain = gains[list(WAYS).index(way)]
    told = (1 - liars / 100) + gain * liars
    set_own_point(lie_dot, liars, min(told, 100))
    becomes = f"{told:.0f}%" if told <= 100 else "more than 100%"
    words = f"{way}, {liars:g}% lie: 1% becomes {becomes}"
    set_verdict_text(lie_verdict, told <= 1.05 * (1 - liars / 100 + liars), words)
    return f"{words}; one lie counts as {gain:.2f} people"


live(
    fig,
    lies,
    "The estimate against the share of liars: four rising lines, steepest for 128 answers.",
    task="raise epsilon. Which ways become safer?",
    guess=predict(
        "One client in a hundred lies, there are 128 answers, epsilon 1. An answer of "
        "1% becomes",
        ["2%", "10%", "76%"],
        r"becomes (\d+%)",
        liars=1.0,
        epsilon=1.0,
        way="128 answers",
    ),
    liars=slider(0.0, 10.0, 2.0, 0.5, label="liars (%)"),
    epsilon=log_slider(0.1, 4, 1.0),
    way=choice({name: name for name in WAYS}, "binary"),
)

# %% [markdown]
# ## What trust is worth
#
# The figure shows the standard deviation of a count under four trust models. All have the same $\varepsilon$; where a delta is
# needed, it is $10^{-6}$. Shuffled reports get the largest `local` that the clones allow.

# %% jupyter={"source_hidden": true}
# Figure: the deviation of a count against the number of people, for four trust models
MANY = [100, 300, 1000, 3000, 10_000, 30_000, 100_000]


@functools.cache
def shuffled_local(people, epsilon, delta_of=clones_delta):
    """The largest local epsilon with which the clones keep (epsilon, 1e-6)."""

    def excess(local):
        return math.log(delta_of(people, local, epsilon) + 1e-300) - math.log(1e-6)

    return brentq(excess, epsilon, 30, xtol=1e-6) if people > 1 else epsilon


def shuffled_deviation(people, epsilon):
    return math.sqrt(people / 2) * central_deviation(shuffled_local(people, epsilon))


for epsilon, people in itertools.product((0.3, 1.0, 3.0), MANY):
    shuffled_local(people, epsilon)
fig, price_ax = figure(height=2.7)
looks = {"local": "other", "shuffled": "noisy"}
looks |= {"planned for half": "third", "central": "true --"}
price_lines = curves(price_ax, MANY, looks, ends=True, linewidth=2)
x_axis(price_ax, "people (log scale)", (100, 100_000), [100, 1000, 10_000, 100_000], log=True)
y_axis(price_ax, "deviation of a count (people)", (0.1, 3000), [1, 10, 100, 1000], log=True)
price_dot = own_point(price_ax, colour=COLOURS.amber, markeredgecolor="black")
price_verdict = verdict_text(price_ax)


def prices(people, epsilon, trust):
    central = central_deviation(epsilon)
    alone = [math.sqrt(n / 2) * central for n in MANY]
    mixed = [shuffled_deviation(n, epsilon) for n in MANY]
    rows = [alone, mixed, [math.sqrt(2) * central] * len(MANY), [central] * len(MANY)]
    set_curves(price_lines, rows)
    now = rows[list(looks).index(trust)][MANY.index(people)]
    set_own_point(price_dot, people, now)
    words = f"{trust}: off by {now:.4g}, {now / central:.3g} times central"
    set_verdict_text(price_verdict, None, words)
    return f"epsilon {epsilon:g}, {people:,} people, {words}"


live(
    fig,
    prices,
    "The deviation of a count against the number of people on log axes: the local line "
    "rises, the shuffled one much less, two others are level.",
    task="how much of the gap does the mixer close, and how much do shares of noise?",
    people=choice(MANY, 10_000),
    epsilon=choice([0.3, 1.0, 3.0], 1.0),
    trust=choice({name: name for name in looks}, "shuffled", label="trust model"),
)

# %%
print("10,000 people, epsilon 1:")
bits = functools.partial(shuffled_delta, ones=0)
for name, local in (
    ("nobody is trusted", 1.0),
    ("a mixer, by clones", shuffled_local(10_000, 1.0)),
    ("a mixer, bits, others 0", shuffled_local(10_000, 1.0, bits)),
    ("by clones, half are honest", shuffled_local(5000, 1.0)),
):
    deviation = math.sqrt(10_000 / 2) * central_deviation(local)
    print(f"{name:>27}: local {local:.3f}, deviation {deviation:6.3f}")
print(f"{'shared noise, all stay':>27}: deviation {central:.3f}")
print(f"{'shared noise, for half':>27}: deviation {for_half:.3f}")

# %% [markdown]
# If all parties stay, a secure sum planned for all has the noise of a curator. If only half are honest, mixer and sum both
# pay a factor of about $\sqrt 2$ here.
#
# ## Users and rounds
#
# In **federated averaging** many users train one model, in rounds, and their records stay with them. In each round some users
# take the model and make a few steps of gradient descent on their own records. Each sends the difference, clipped to length
# $C$. The server, trusted with these updates here, adds normal noise of deviation $\sigma C$ to their sum (McMahan and others
# 2018). Neighbours *add or remove* one **user** with all records.

# %%
show_source(clipped_update)
show_source(federated_training)
show_source(noisy_rounds)

# %% [markdown]
# How large is $\sigma$? If all users take part in each of $T$ rounds, it is $\sqrt T$ times that of a single round
# ([24](24_gaussian.ipynb)). If users are sampled, [26](26_gradients.ipynb) computes it. Two bugs are common:
#
# 1. **A mean over those who came.** The noise is then divided by their number, and its width tells it. So divide by a
#    public number.
# 2. **Clipping each record.** It does not protect a user who has many. Clip the user's whole update.
#
# Below, the records are all zero, so that only noise moves the weights.

# %%
once = gaussian_scale(1, 1.0, 1e-6)
print(f"(1, 1e-6): sigma {once:.3f} for one round, times sqrt(50) is {once * 50**0.5:.3f}")
for train in (federated_training, averaged_training):
    for members in (4, 5):
        blank, who = np.zeros((members, 1000)), np.arange(members)
        rounds_50 = Plan(50, 1.0, 1, 1.0, 1.0, 1.0)
        rng = np.random.default_rng(1)
        run = train(blank, np.ones(members), who, rounds_50, 1.0, 1e-6, rng)
        noise = f"deviation of 1,000 weights {run.weights.std():.0f}"
        print(f"{train.__name__:>18}, {members} users: sigma {run.multiplier:.3f}, {noise}")
loud = np.array([[1.0], [1], [1], [1], [10]])
print(f"updates 1, 1, 1, 1, 10: mean {loud.mean():g}, clipped {clip_rows(loud, 1).mean():g}")

# %% [markdown]
# With the mean, the deviation of the weights tells four users from five; with the sum it does not. Clipped, the loud user
# counts as one.
#
# The figure trains on users of the RAND experiment: 17 questions, and whether a doctor was seen. Other users judge it by
# the **AUC**, the probability that a record with a visit has the higher score. Numbers are medians of 20 trainings ± a
# standard error.

# %% jupyter={"source_hidden": true}
# Figure: AUC on other users after 30 rounds, from 29_parties.json (papers/parties.py)
stored = json.loads(pathlib.Path("29_parties.json").read_text(encoding="utf-8"))["rounds"]
CROWDS = sorted({row["users"] for row in stored})
BUDGETS = {"0.3": 0.3, "1": 1.0, "3": 3.0, "no noise": max(row["epsilon"] for row in stored)}
TRAINED = {(row["local_steps"], row["epsilon"], row["users"]): row for row in stored}
fig, round_ax = figure(height=2.7)
round_looks = {"ε 0.3": "other", "ε 1": "noisy", "ε 3": "third", "no noise": "true --"}
round_lines = curves(round_ax, CROWDS, round_looks, ends=True, linewidth=2, marker="o")
x_axis(round_ax, "users (log scale)", (45, 5000), CROWDS, log=True)
y_axis(round_ax, "AUC on other users", (0.45, 0.72))
round_dot = own_point(round_ax, colour=COLOURS.amber, markeredgecolor="black")
round_verdict = verdict_text(round_ax)


def rounds_of(turn, crowd, budget, steps):
    at = f"round {turn}_median"
    auc = {name: [TRAINED[steps, e, n][at] for n in CROWDS] for name, e in BUDGETS.items()}
    set_curves(round_lines, auc.values())
    now, quiet = (auc[name][CROWDS.index(crowd)] for name in (budget, "no noise"))
    set_own_point(round_dot, crowd, now)
    noise = "no noise" if budget == "no noise" else f"epsilon {budget}"
    doubt = 1.25 * TRAINED[steps, BUDGETS[budget], crowd][f"round {turn}_error"]
    who = f"{crowd:,} users, {noise}: AUC"
    set_verdict_text(round_verdict, None, f"{who} {now:.3f}, without {quiet:.3f}")
    return f"round {turn} of 30, {who} {now:.4f} ± {doubt:.4f}, without {quiet:.4f}"


live(
    fig,
    rounds_of,
    "The AUC against the number of users: four lines, for three epsilons and no noise. "
    "After 30 rounds they lie apart for few users and meet for many.",
    task="play the rounds. From how many users on does epsilon 1 cost less than the error?",
    guess=predict(
        "4,419 users, epsilon 0.3: what AUC do 30 rounds reach, if no noise reaches 0.691?",
        (0.5, 0.7),
        r"AUC ([\d.]+) ±",
        turn=30,
        crowd=4419,
        budget="0.3",
        steps=1,
    ),
    play="turn",
    turn=slider(0, 30, 30, 2, label="round"),
    crowd=choice(CROWDS, 150, label="users"),
    budget=choice({name: name for name in BUDGETS}, "1", label="epsilon"),
    steps=choice([1, 5], 1, label="local steps"),
)

# %% [markdown]
# A crowd hides a user: the noise is that of one clipped update, whatever the number of users. With
# [50 users](#move:crowd=50&turn=30&budget=1) epsilon 1 leaves little. With
# [1,500](#move:crowd=1500&turn=30&budget=1) it costs about a thousandth, and with
# [4,419](#move:crowd=4419&turn=30&budget=1) less than the error. From 500 users on, five local steps
# a round bring no visible gain in the end. In [round 0](#move:turn=0) all
# records have the same score, as for a majority vote: an AUC of one half.
#
# **Thresholds.** Often the possible answers are too many to show, words for instance. Release the counts that are above a threshold
# *after* noise was added. If only answers that occurred get noise, the threshold sets a delta ([15](15_stability.ipynb)). "At
# least $k$ people" without noise guarantees nothing: with $k$ people the answer is shown, with $k - 1$ never, so the loss is
# infinite.

# %%
print("4 and 5 people:", bare_threshold([4], 5).tolist(), bare_threshold([5], 5).tolist())
for relation, each, thresholds in (("add/remove", 1, (14, 15)), ("replace", 0.5, (28, 30))):
    for threshold in thresholds:
        false = 1e6 * math.exp(-threshold * each) / (1 + math.exp(-each))
        shown = f"shown from {threshold} on: {false:.3f} false ones"
        print(f"a million empty bins, epsilon 1 under {relation} ({each:g} a bin), {shown}")

# %% [markdown]
# ## Who must be trusted
#
# | trust model | who must be honest | who sees what | breaks if | an example |
# |---|---|---|---|---|
# | local | nobody | server: noisy reports | clients lie | RAPPOR in Chrome, 2014 |
# | shuffle | the mixer, `honest` others | server: reports without names | mixer and server collude: `local` remains | Prochlo, 2017 |
# | masks and shared noise | `honest` clients; a server that follows the rules | server: the noisy sum | fewer are honest; clients are invented | Android's text selection, 2023 |
# | shares and proofs | one of $k$ servers for secrecy, all for the result | each server: uniform shares | all servers collude | Exposure Notifications, 2020: two servers |
# | central | the curator | curator: everything | a breach | US Census 2020 ([27](27_choosing.ipynb)) |
#
# ## On your own
#
# A hint and an answer for each: [exercises/answers/29_parties](../exercises/answers/29_parties.ipynb).
#
# **Assignment 29:** [five tasks, checked in a second](../exercises/releases/29_parties.ipynb).
#
# 1. *Warm-up.* Noise was planned for 100 honest parties, and 90 came. What is the loss at epsilon 1?
# 2. At which number of people do shuffled bits with local 2 reach epsilon 0.5 at delta $10^{-6}$, by clones and exactly?
# 3. Draw 200,000 sums of ten pieces, each `geometric_share(10, 1, 1.0, rng)`. Compare their frequencies with the geometric
#    mechanism's probabilities. How often is a single piece 0?
# 4. Of twelve parties eleven send bits, and one sends 100, all modulo 128. What do the masked reports show, and what
#    does the sum?
# 5. *Challenge.* How many of 1,000 shuffled reports may belong to the server before epsilon (by clones) doubles, at local 1
#    and at local 3?
#
# ## When to use it, and when not
#
# - **Use** a secure sum where many clients are online at once and nobody can be trusted with the data.
# - **Use** shuffling where clients send one report and leave.
# - **Do not** use either where a curator is trusted anyway: noise added once is the smallest.
# - **Left out:** key agreement, full proofs, homomorphic encryption, several messages a person, model poisoning.
#
# ## Sources
#
# - Bonawitz and others, *Practical secure aggregation*, 2017, doi 10.1145/3133956.3133982. Corrigan-Gibbs, Boneh, *Prio*, 2017,
#   arXiv 1703.06255. Shamir, *How to share a secret*, 1979.
# - Chan, Shi, Song, 2012. Goryczka, Xiong, 2017. Kairouz, Liu, Steinke, arXiv 2102.06387. Agarwal, Kairouz, Liu, arXiv 2110.04995.
# - Feldman, McMillan, Talwar, *Hiding among the clones*, arXiv 2012.12803. Balle, Bell, Gascón, Nissim, *The privacy blanket*,
#   arXiv 1903.02837. Cheu, Smith, Ullman, *Manipulation attacks*, arXiv 1909.09630.
# - Bell and others, *Secure single-server aggregation with (poly)logarithmic overhead*, 2020.
# - McMahan and others, arXiv 1602.05629 and 1710.06963.
# - The examples: Bittau and others, *Prochlo*, 2017, arXiv 1710.00901. Hartmann and Kairouz, *Distributed differential privacy for
#   federated learning*, Google Research, 2023. Geoghegan, *Lessons learned from running secure MPC at scale*, Divvi Up, 2022.
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [28 Synthetic records](28_synthetic.ipynb) · **Next:** [30 Noise that remembers](30_correlated.ipynb)
