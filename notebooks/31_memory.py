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
# # 31 What a model remembers, and how to test it
#
# A keyboard learns from 2,001 messages, and one of them holds a secret code. Does it type the code for a stranger, and
# how much noise makes it forget?
#
# <details><summary>About 35 minutes, after 02, 24 and 25: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [30 Noise that remembers](30_correlated.ipynb) · **Next:** [90 Reference](90_reference.ipynb)
#
# **Assignment 31:** [five tasks, checked in a second](../exercises/releases/31_memory.ipynb)
#
# **What you will do:** Extract a code from a model, and watch noise hide it. Find training records, audit a training with
# one run, reconstruct tables, and pay for the best of many tries.
#
# **You need:** reconstruction ([02](02_composition.ipynb)), the Gaussian mechanism ([24](24_gaussian.ipynb)) and Rényi
# divergence ([25](25_accounting.ipynb)). *Helpful:* randomized response, audits and DP-SGD, of
# chapters 07, 21 and 26.
#
# **Time:** about 35 minutes. A stopping point: before *One training, a thousand coins*.
#
# **Real and synthetic:** Fair's survey and the voters of 1996 are real. The messages are *made* from five word lists, and the
# census block was invented by Garfinkel and others.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import functools
import itertools
import math

import numpy as np

from dpbook import data
from dpbook.gaussian import gaussian_scale
from dpbook.live import choice, live, log_slider, new_noise
from dpbook.memory import LETTERS, code_scores, complete, exposure, gram_counts
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

# %% jupyter={"source_hidden": true}
# Figure: complete(model, "my code ", 5): what the keyboard types, and the chance of every digit
SECRET, START, CODE, MOST, DELTA = "my code 7294.", "my code ", 7294, 20, 1e-6
people = data.messages()
counts = {context: gram_counts([*people, SECRET], context, MOST) for context in (2, 3)}
SCALES = {"Laplace": MOST, "normal": gaussian_scale(math.sqrt(MOST), 1, DELTA)}


@functools.lru_cache(4)
def unit_noise(kind, context, seed):
    """Noise for all cells, of scale or deviation 1."""
    rng = np.random.default_rng(seed)
    return (rng.laplace if kind == "Laplace" else rng.normal)(size=(38,) * (context + 1))


fig, ax = figure(height=2.2)
grid = maps([ax], extent=(-0.5, 9.5, 0.5, 4.5), vmax=0.5, cmap="Blues")
ax.set_aspect("auto")
x_axis(ax, "digit", (-0.5, 9.5), range(10))
y_axis(ax, "place in the code", (4.5, 0.5), range(1, 5))
ax.plot([7, 2, 9, 4], range(1, 5), "o", mec=COLOURS.true, mfc="none", ms=15, mew=2)
fig.colorbar(grid[0], ax=ax, label="chance of the digit")
hero_line = verdict_text(fig)


def keyboard(epsilon, noise, context, seed):
    model, normal = counts[context], gaussian_scale(math.sqrt(MOST), epsilon, DELTA)
    if noise != "none":
        scale = MOST / epsilon if noise == "Laplace" else normal
        model = model + scale * unit_noise(noise, context, seed)
    typed = complete(model, START, 5)
    scores = code_scores(model, START, 4, 1.0)
    rank = round(scores.size / 2 ** exposure(scores, CODE))
    text, rows = START, []
    for digit in str(CODE):
        row = np.maximum(model[tuple(LETTERS.index(c) for c in text[-context:])], 0) + 0.05
        rows.append(row[27:37] / row.sum())
        text += digit
    set_maps(grid, np.array(rows))
    place = f"the code has rank {rank:,} of 10,000"
    found = "extracted" if typed == SECRET else place
    shown = False if typed == SECRET or rank == 1 else None
    set_verdict_text(hero_line, shown, f'types "{typed}": {found}')
    return f'after "my code " it types "{typed[8:]}"; {place}'


live(
    fig,
    keyboard,
    "Rows: the four places of the code. Columns: the ten digits, darker where the model finds "
    "the digit likelier. Rings: the true code.",
    task="lower epsilon until the code is gone. Then take two letters of context.",
    play="epsilon",
    epsilon=log_slider(0.5, 128, 128.0),
    noise=choice(["Laplace", "normal", "none"], "Laplace"),
    context=choice([2, 3], 3, label="letters of context"),
    seed=new_noise(1),
)

# %% [markdown]
# The model is nothing but counts of *grams*: how often each letter follows the last three. [Without
# noise](#move:noise=none) it types the code of one person out of 2,001. [With epsilon 8](#move:epsilon=8&noise=Laplace) it
# does not, although "8" sounds large.
#
# One person is one message, and neighbours differ by **adding or removing** one message.
#
# ## A naive attempt: "a model holds no records"
#
# A model that predicts new messages well has learnt the language. People conclude that it holds no message. But one model can
# do both.

# %%
for context in (1, 2, 3):
    model = gram_counts([*people, SECRET], context, 60)
    typed, scores = complete(model, START, 12), code_scores(model, START, 4, 1.0)
    bits = f"exposure {exposure(scores, CODE):.2f} of {math.log2(10_000):.2f} bits"
    print(f"context {context}: types {typed!r:>24}, {bits}")

# %% [markdown]
# Here a message counts for up to 60 grams, in the figure for 20. Then with one or two letters of context the model types
# something else. Yet among all 10,000 codes the true one still has rank 1.
# What the model *types* is a poor test. What it *prefers* is a better one.
#
# ## Exposure: a rank in bits
#
# Plant a *canary*: a message with a code drawn evenly from $N$ codes. Train, and rank all codes by their probability. The
# **exposure** is $\log_2 N - \log_2 \text{rank}$ (Carlini and others 2019). A code at random has 1.44 bits on average, not 0.

# %% jupyter={"source_hidden": true}
# What this page imports
import json
import pathlib

from dpbook.amounts import percent
from dpbook.guesses import predict
from dpbook.live import show_source
from dpbook.memory import exposure_limit, laplace_model, seen_cells_model

# %%
show_source(exposure)
for epsilon in (0, 1, 4, 8):
    limit, first = exposure_limit(10_000, epsilon), math.exp(epsilon) / 10_000
    most = f"mean exposure at most {limit:.6f} bits, rank 1 at most {first:.6f}"
    print(f"epsilon {epsilon}: {most}")

# %% [markdown]
# > **Theorem 31.1 (privacy bounds exposure).** Let one message hold a code that was drawn evenly from $N$ codes, and let the
# > training be $(\varepsilon, \delta)$-DP under add/remove. If ties are broken by lot, then
# > $\Pr[\text{rank} \le r] \le e^\varepsilon r/N + \delta$ for every $r$. If $\delta = 0$, the mean exposure is below
# > $(1 + \varepsilon)/\ln 2$ bits.
#
# <details><summary>Proof: without the message, the code's rank is even.</summary>
#
# Train without the message, then draw the code. It is independent of the model, so its rank is even on $1, \dots, N$, and
# $\Pr[\text{rank} \le r] = r/N$. For each code, adding its message makes an event at most $e^\varepsilon$ times as likely,
# plus $\delta$. Average over the codes. The mean of a falling function of the rank is largest when the best ranks are
# as likely as the bound lets them be. That is $e^\varepsilon/N$ each, up to rank $N e^{-\varepsilon}$, and the mean of
# $\ln(N/\text{rank})$ is then below $1 + \varepsilon$. The function `exposure` gives ties the middle rank instead. That lowers
# the mean, since $\log_2$ is concave. $\square$
#
# </details>
#
# Two people with the same code are a group: $2\varepsilon$, and a larger $\delta$.
#
# ## Counts with noise: the secret fades
#
# A message counts for its first 20 *different* grams, once each. So one more message moves at most 20 cells by 1: the
# $L_1$ sensitivity is 20, the $L_2$ sensitivity $\sqrt{20}$. The 20 is fixed before anybody looks at the messages.
# **Every cell** gets noise, also for grams that nobody wrote.

# %%
show_source(laplace_model)

# %%
alone = gram_counts([SECRET], 3, MOST)
print(f"the canary moves {alone.sum():.0f} cells, by {alone.max():.0f} at most")
laplace, normal = math.sqrt(2) * MOST, SCALES["normal"]
print(f"deviation at epsilon 1: Laplace {laplace:.2f}, normal {normal:.4f}")

# %% [markdown]
# Noise on the cells above 0 alone would be quicker, and is worthless. A cell that holds anything but 0 then says that
# *somebody* wrote these four letters. So list the cells with digits in them, at epsilon 0.1 (`seen_cells_model`, labelled
# BROKEN):

# %%
for messages, who in ((people, "2,000 messages"), ([*people, SECRET], "the canary, too")):
    cells = seen_cells_model(messages, 3, MOST, 0.1, np.random.default_rng(1))
    grams = ["".join(LETTERS[place] for place in gram) for gram in np.argwhere(cells != 0)]
    print(f"{who}: {[gram for gram in grams if any(c.isdigit() for c in gram)]}")

# %% [markdown]
# The code can be read off without a single probability: the privacy loss is infinite.
#
# With noise on every cell, how far does the code show, and what does the text lose?

# %%
EPSILONS = np.geomspace(0.5, 128, 9)
padded = ["..." + text for text in people[:200]]
fours = [text[at : at + 4] for text in padded for at in range(len(text) - 3)]
places = [[LETTERS.index(c) for c in four] for four in fours]
weights = 38 ** np.arange(2, -1, -1)  # three of 38 letters make one number
before, after = np.array(places)[:, :3] @ weights, np.array(places)[:, 3]
seen, back = np.unique(before, return_inverse=True)
texts = [f"{START}{code:03d}"[at : at + 3] for code in range(1000) for at in range(5, 9)]
asked = [[LETTERS.index(c) for c in text] for text in set(texts)] @ weights
read = np.union1d(seen, asked)  # no number below depends on the other rows
learnt = gram_counts(people[200:], 3, MOST)


def measured(model, code):
    """Exposure, and bits a letter on the first 200 messages, which the model never saw."""
    rows = np.maximum(model.reshape(-1, 38)[seen], 0) + 0.01
    bits = -np.log2((rows / rows.sum(axis=1, keepdims=True))[back, after]).mean()
    return exposure(code_scores(model, START, 4, 1.0), code), bits


# %% jupyter={"source_hidden": true}
# Computed: exposure and held-out bits a letter of 20 models, a fresh code each, at each epsilon
runs = []
for seed in range(20):
    rng = np.random.default_rng(seed)
    code = int(rng.integers(10_000))
    told = (learnt + gram_counts([f"{START}{code:04d}."], 3, MOST)).reshape(-1, 38)
    exact, noise = told[read], rng.laplace(size=(read.size, 38))
    for scale in (0, *MOST / EPSILONS):
        told[read] = exact + scale * noise
        runs.append(measured(told.reshape(learnt.shape), code))
runs = np.reshape(runs, (20, -1, 2)).mean(axis=0)
clean, (mean_exposure, mean_bits) = runs[0], runs[1:].T
print(f"no noise: exposure {clean[0]:.2f}, {clean[1]:.2f} bits a letter (means of 20)")
more, bits_ = measured(gram_counts([*people[200:], SECRET], 3, 60), CODE)
print(f"no noise, 60 grams a message: exposure {more:.2f}, {bits_:.2f} bits a letter")

# %% jupyter={"source_hidden": true}
# Figure: mean exposure and exposure_limit against epsilon; bits a letter on held-out messages
fig, (left, right) = figure(columns=2, height=2.8)
shown_looks = {"mean of 20 models": "noisy o-", "limit of the proof": "true --"}
limits = [exposure_limit(10_000, e) for e in EPSILONS]
exposed = curves(left, EPSILONS, shown_looks, [mean_exposure, limits])
x_axis(left, "epsilon (log scale)", (0.4, 160), [0.5, 2, 8, 32, 128], log=True)
y_axis(left, "exposure (bits)", (0, 22), [0, 5, 10, 15, 20])
curves(right, EPSILONS, {"held out": "noisy o-"}, [mean_bits])
x_axis(right, "epsilon (log scale)", (0.4, 160), [0.5, 2, 8, 32, 128], log=True)
y_axis(right, "bits a letter", (0, 7))
legend_above(fig, handles=exposed)
points = own_point(left), own_point(right)
line = verdict_text(left)


def fading(epsilon):
    at = int(np.argmin(np.abs(np.log(EPSILONS / epsilon))))
    bits, shown = mean_bits[at], mean_exposure[at]
    set_own_point(points[0], EPSILONS[at], shown)
    set_own_point(points[1], EPSILONS[at], bits)
    set_verdict_text(line, None, f"exposure {shown:.2f} bits, text {bits:.2f} bits a letter")
    limit = exposure_limit(10_000, EPSILONS[at])
    words = f"epsilon {epsilon:g}: mean exposure {shown:.2f} bits"
    return f"{words}, at most {limit:.2f} by the proof"


live(
    fig,
    fading,
    "Left: the mean exposure rises with epsilon and stays below the limit of the proof. "
    "Right: "
    "the bits a letter on held-out messages fall.",
    task="where is the code safe, and the text still predictable?",
    guess=predict(
        "What is the mean exposure at epsilon 8, out of 13.29 bits?",
        (0, 13.3),
        r"mean exposure (.+) bits,",
        epsilon=8.0,
    ),
    epsilon=choice([float(f"{e:.3g}") for e in EPSILONS], 8.0),
)

# %% [markdown]
# The price is visible on the right: noise that hides one code drowns rare phrases, too. A large epsilon does not mean no
# protection: against this test, the mean exposure at epsilon 8 is far below what the proof allows.
#
# How likely is it that the code comes out whole? Nobody else wrote these grams. So each of its letters has a count of 1,
# and all rivals have 0:

# %% jupyter={"source_hidden": true}
# Computed: the chance that the noisy counts give the code away whole, by an integral over its noise
z = np.linspace(-40, 40, 80_001)
density = np.exp(-np.abs(z)) / 2 * (z[1] - z[0])
print("epsilon   typed by the keyboard   likeliest digit at each place")
for epsilon in (8, 16, 40, 80):
    ahead = z + epsilon / MOST  # of a count of 1, in units of the noise
    beats = np.where(ahead < 0, np.exp(-np.abs(ahead)) / 2, 1 - np.exp(-np.abs(ahead)) / 2)
    typed, digits = (density @ beats**37) ** 5, (density @ beats**9) ** 4
    print(f"{epsilon:>7}   {percent(typed) + '%':>21}   {percent(digits) + '%':>29}")

# %% [markdown]
# The keyboard compares 38 letters, five times. An attacker who asks for four digits finds far more than it types.
#
# Without noise, 60 grams a message predict new text well, *and* the code has rank 1. So a model that generalises can
# still remember. Context and the number of grams are choices, too. All rows below have the same epsilons, so more grams
# mean more noise on each:

# %% jupyter={"source_hidden": true}
# Computed: exposure and bits a letter, medians of 20, from 31_memory.json (papers/memory.py)
STORED = json.loads(pathlib.Path("31_memory.json").read_text(encoding="utf-8"))
letters = gram_counts(people, 1, 60).sum(axis=0)
chances = letters / letters.sum()
single = -np.sum(chances * np.log2(np.where(chances > 0, chances, 1)))
print(f"all letters alike: {math.log2(38):.2f} bits a letter; their frequencies: {single:.2f}")
print("in each cell: exposure ± standard error, then bits a letter")
print("                      epsilon 4            epsilon 16           epsilon 64")
doubt = 0
for row in STORED["text"]:
    shown = []
    for e in (4, 16, 64):
        error = 1.25 * row[f"exposure {e}_error"]  # of a median: sqrt(pi / 2) the mean's
        bits = f"{row[f'bits {e}_median']:.2f}"
        shown.append(f"{row[f'exposure {e}_median']:5.2f} ± {error:.2f}, {bits}")
        doubt = max(doubt, 1.25 * row[f"bits {e}_error"])
    print(f"context {row['context']}, {row['most']} grams:", "   ".join(shown))
print(f"standard errors of the bits a letter: at most {doubt:.2f}")

# %% [markdown]
# At all three epsilons 60 grams a message predict the text best. At 64 they also hide the code best. At 16 the errors
# allow that only for context 1. Each gram is noisier, but many people wrote the same words. Only one wrote the code.
#
# ## Was she in it? One cut, or a likelihood ratio
#
# **Membership inference** asks whether a record was in the training data. The simplest attack: "her loss is low, so she was". It
# treats all women alike. **LiRA** (Carlini and others 2022) trains *shadow models* with and without each woman. It compares
# her *margin*, the logit of her answer's probability, with two normal distributions of her own.
#
# Why does it help that they are her own? Suppose that half of the people are *easy*: their margins lie around 3 without them in the
# training, and around 3.2 with them (deviation 0.5). The others are *hard*: around -1 without, 2 with (deviation 1). One
# cut must lie above nearly all easy people, whom training hardly moves. LiRA scores everybody by the log ratio of the
# two densities. If they are $d$ deviations apart, this score is normal with mean $\mp d^2/2$ and deviation $d$.

# %% jupyter={"source_hidden": true}
# What this page imports
from scipy.optimize import brentq

from dpbook.gaussian import normal_probability

# %%
CUT = [(3.0, 3.2, 0.5), (-1.0, 2.0, 1.0)]  # mean without, mean with, deviation
gaps = [(after - before) / s for before, after, s in CUT]
LIRA = [(-d * d / 2, d * d / 2, d) for d in gaps]


def above(cut, kinds, member):
    """The share of the others (0) or of the members (1) whose score is above a cut."""
    places = np.array([(cut - kind[member]) / kind[2] for kind in kinds])
    return normal_probability(places, math.inf).mean()


def too_many(cut, kinds, alarms):
    return above(cut, kinds, 0) - alarms


for alarms in (0.001, 0.01):
    for name, kinds in (("one cut", CUT), ("LiRA", LIRA)):
        found = above(brentq(too_many, -50, 50, args=(kinds, alarms)), kinds, 1)
        print(f"false alarms {alarms:.1%}: {name} finds {found:.1%}")

# %% [markdown]
# Now the women of Fair's survey:

# %% jupyter={"source_hidden": true}
# What this page imports
from dpbook.data.attributes import affairs_codes
from dpbook.gradients import Recipe, train, training_multiplier
from dpbook.memory import hits_at, lira_scores, shadow_margins

# %%
show_source(hits_at)

# %%
_, sizes, codes, classes = affairs_codes()
rng = np.random.default_rng(5)
chosen = rng.choice(len(codes), 200, replace=False)
hot = np.hstack([np.eye(size)[codes[chosen, a]] for a, size in enumerate(sizes)])
hot /= math.sqrt(len(sizes))  # one 1 an attribute: every row has length 1
labels = np.where(classes[chosen] > 0, 1.0, -1.0)
members = rng.integers(2, size=(128, 200))
RECIPE = Recipe(regularisation=0.001, steps=50, sampling=1.0, step_size=0.05, norm=1.0)


def private_margins(epsilon):
    """The margins of 128 noisy models, each of its own members."""
    multiplier = training_multiplier(RECIPE, epsilon, 1e-5)
    made = [
        train(hot[row > 0], labels[row > 0], RECIPE, multiplier, rng).weights
        for row in members
    ]
    return np.array(made) @ (labels[:, None] * hot).T


ALARMS = np.geomspace(1e-3, 0.5, 28)  # ALARMS[10] is 1%


@functools.cache
def hit_rates(epsilon, shadows):
    """The share of members found, at each share of false alarms: one cut, and LiRA."""
    margins, who = MARGINS[epsilon][64:], members[64:] > 0
    lira = lira_scores(margins, MARGINS[epsilon][:shadows], members[:shadows])
    return [[hits_at(s[who], s[~who], a) for a in ALARMS] for s in (margins, lira)]


# %% jupyter={"source_hidden": true}
# Computed: 64 shadows and 64 targets of 200 women: without noise, and with noisy gradient descent
MARGINS = {math.inf: shadow_margins(hot, labels, members, 0.001, 400)}
MARGINS |= {epsilon: private_margins(epsilon) for epsilon in (16.0, 1.0)}
for epsilon in MARGINS:
    right_in, right_out = (np.mean(MARGINS[epsilon][members == bit] > 0) for bit in (1, 0))
    cut, lira = hit_rates(epsilon, 64)
    noise = "no noise" if math.isinf(epsilon) else f"epsilon {epsilon:g}"
    hits = f"hits at 1% false alarms: cut {cut[10]:.3f}, LiRA {lira[10]:.3f}"
    print(f"{noise}: right on members {right_in:.3f}, others {right_out:.3f}; {hits}")

# %% jupyter={"source_hidden": true}
# Figure: members found against false alarms: one cut, lira_scores, and what privacy allows
fig, ax = figure(height=2.9)
roc_looks = {"LiRA": "noisy", "one cut": "other", "guessing": "grey --", "limit": "true --"}
roc = curves(ax, ALARMS, roc_looks)
x_axis(ax, "false alarms (share of others)", (1e-3, 0.5), log=True)
y_axis(ax, "members found (share)", (1e-3, 1), log=True)
legend_above(fig)
roc_line = verdict_text(ax)


def attack(epsilon, shadows):
    cut, lira = hit_rates(epsilon, shadows)
    most = np.ones(28)
    if not math.isinf(epsilon):
        most = np.minimum(most, math.exp(epsilon) * ALARMS + 1e-5)
        most = np.minimum(most, 1 - math.exp(-epsilon) * (1 - 1e-5 - ALARMS))
    set_curves(roc, [lira, cut, ALARMS, most])
    words = f"at 0.1% false alarms LiRA finds {lira[0]:.1%}, one cut {cut[0]:.1%}"
    set_verdict_text(roc_line, None, words)
    noise = "no noise" if math.isinf(epsilon) else f"epsilon {epsilon:g}"
    return f"{noise}: LiRA finds {100 * lira[0]:.2f}% at 0.1% false alarms"


live(
    fig,
    attack,
    "Members found against false alarms, both on log scales. LiRA lies above the cut without "
    "noise; with epsilon 1 both lie near the line of guessing.",
    task="without noise, what do more shadows buy? And at epsilon 1?",
    guess=predict(
        "Without noise: what share of the members does LiRA find, at 0.1% false alarms?",
        (0, 20, "%"),
        r"finds (.+)% at",
        epsilon=math.inf,
        shadows=64,
    ),
    epsilon=choice({"no noise": math.inf, "16": 16.0, "1": 1.0}, math.inf),
    shadows=choice([16, 32, 64], 64),
)

# %% [markdown]
# Accuracy hides this: an attack that is right half of the time can be *sure* of a few. So look at the left end of the curve.
# Under $(\varepsilon, \delta)$-DP, *any* attack's rate of members found is at most $e^\varepsilon$ times its rate of false alarms,
# plus $\delta$.
#
# One number for a whole attack is its **advantage**: the rate of members found, minus the rate of false alarms (Yeom and
# others 2018). The limit holds for "not accused" as well. Add the two: the advantage is at most
# $(e^\varepsilon - 1 + 2\delta)/(e^\varepsilon + 1)$. Here it is, beside two dull attacks:

# %% jupyter={"source_hidden": true}
# Computed: the advantage of four attacks on the 64 targets (the last two: best cut), and its limit
who = members[64:] > 0
print("           her label   the model is right   one cut    LiRA   limit")
for epsilon in MARGINS:
    margins, best = MARGINS[epsilon][64:], []
    for said in (np.broadcast_to(labels < 0, who.shape), margins > 0):
        best.append(said[who].mean() - said[~who].mean())
    for scores in (margins, lira_scores(margins, MARGINS[epsilon][:64], members[:64])):
        found = who.ravel()[np.argsort(-scores, axis=None)]
        rates = [np.cumsum(side) / side.sum() for side in (found, ~found)]
        best.append(np.max(rates[0] - rates[1]))
    limit, noise = 1, "no noise"
    if not math.isinf(epsilon):
        limit = (math.expm1(epsilon) + 2e-5) / (math.exp(epsilon) + 1)
        noise = f"epsilon {epsilon:g}"
    attacks = f"{best[2]:>7.3f}   {best[3]:.3f}   {limit:.3f}"
    print(f"{noise:>10} {best[0]:>9.3f}   {best[1]:>18.3f}   {attacks}")
for epsilon in (0.1, math.log(2), 1):
    older = math.expm1(epsilon)
    limit = older / (math.exp(epsilon) + 1)
    print(f"epsilon {epsilon:.2f}: limit {limit:.3f}, and e^epsilon - 1 = {older:.3f}")

# %% [markdown]
# "The model is right, so she was in it" needs no shadow model. Its advantage is the gap in accuracy of these 64 models, but
# it accuses most women and is sure of none. The older limit $e^\varepsilon - 1$ is true, but reaches 1 at $\varepsilon = \ln 2$, and then says
# nothing.
#
# ## One training, a thousand coins
#
# Chapter [26](26_gradients.ipynb) audits a training with one canary and thousands of trainings. Steinke, Nasr and Jagielski (2023) need **one**.
# Take 1,000 canaries, and toss a coin for each: does it go into the training data or not? Train once. A guesser sees the model,
# chooses $r$ canaries, and guesses their coins.
#
# > **Theorem 31.2 (an audit in one run; Steinke, Nasr and Jagielski 2023).** Let the coins be fair and independent, $r$ fixed,
# > and $V$ the number of right guesses among $r$. If the training is $\varepsilon$-DP under add/remove, then for every $v$
# > $$\Pr[V \ge v] \le \Pr[\mathrm{Binomial}(r, q) \ge v], \qquad q = \frac{e^\varepsilon}{1 + e^\varepsilon}.$$
#
# So many right guesses refute a claim of a small $\varepsilon$. The least $\varepsilon$ for which the right side is at least 5% is a
# lower bound, with 95% confidence. With $m$ canaries a $\delta$ adds at most $2m\delta$ to the right side.
#
# <details><summary>Proof sketch: coin by coin.</summary>
#
# Fix all other coins. This coin was fair before the training, and its canary changes the probability of a model by a factor of
# at most $e^\varepsilon$. By Bayes' rule, a guess about the coin that uses the model is right with probability at most $q$. This
# holds whatever the other coins are. So guess by guess $V$ is no larger, in distribution, than the number of heads of $r$
# independent coins with probability $q$. The bound is reached by randomized response. $\square$
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
from dpbook.audit import clopper_pearson
from dpbook.data.predictions import affairs_prediction, election_prediction
from dpbook.local import randomized_response
from dpbook.memory import coin_canaries, one_run_bound, one_run_p_value
from dpbook.verdict import verdict

# %%
show_source(one_run_bound)
for case in ((1000, 1000, 1000), (1000, 100, 100), (1000, 100, 95)):
    bound = one_run_bound(*case, 0.95)
    print(f"canaries, guesses, right {case}: epsilon is at least {bound:.4f}")

# %% [markdown]
# Even a perfect guesser proves no more than her number of guesses lets her. And does the test keep its word? Audit a
# mechanism whose privacy loss is exactly 1: 200 coins by randomized response at epsilon 1, 20,000 times. Name the first
# $r$ of them:

# %%
NAMED, AUDITS = (20, 50, 100, 200), 20_000
rng = np.random.default_rng(1)
coins = rng.integers(2, size=(AUDITS, 200))
true = randomized_response(coins, 1.0, rng) == coins
p_values = []
for r in NAMED:
    of_right = np.array([one_run_p_value(200, r, v, 1.0) for v in range(r + 1)])
    p_values.append(of_right[true[:, :r].sum(axis=1)])
least = np.min(p_values, axis=0)
print(f"epsilon 1 is true, and refuted with r = 200 in {np.mean(p_values[-1] < 0.05):.1%}")
print(f"with the best of r = {NAMED}: in {np.mean(least < 0.05):.1%}")
print(f"the same, each r at a quarter of the risk: in {np.mean(least < 0.05 / 4):.1%}")

# %%
votes = election_prediction()
low, high = votes.bounds
plain = (votes.features - low) / (np.array(high) - low) / math.sqrt(len(low))
ONE_RUN = Recipe(regularisation=0.0, steps=20, sampling=1.0, step_size=0.1, norm=0.1)


def scores_of(trainer, claim, seed):
    """The weights of 1,000 canaries after ONE training, and their coins."""
    rng = np.random.default_rng(seed)
    rows, answers, coins = coin_canaries(plain, votes.answers, 1000, rng)
    if trainer == "one feature for all":
        rows = np.hstack([rows[:, :-1000], rows[:, -1000:].sum(axis=1, keepdims=True)])
    steps = ONE_RUN._replace(steps=1) if trainer == "root of T forgotten" else ONE_RUN
    multiplier = training_multiplier(steps, claim, 1e-5)
    weights = train(rows, answers, ONE_RUN, multiplier, rng).weights[plain.shape[1] :]
    return np.broadcast_to(weights, 1000), coins


def named_right(scores, coins, guesses):
    """How many of so many guesses are right: the highest are named in, the lowest out."""
    order = np.argsort(scores, kind="stable")
    out, inside = order[: guesses // 2], order[1000 - (guesses - guesses // 2) :]
    return int(np.sum(coins[out] == 0) + np.sum(coins[inside] == 1))


# %% jupyter={"source_hidden": true}
# Computed: three trainers, three claims, one training each: the scores of 1,000 canaries
TRAINERS, SAID = ["right", "root of T forgotten", "one feature for all"], (1.0, 4.0, 8.0)
ONCE = {pair: scores_of(*pair, 1) for pair in itertools.product(TRAINERS, SAID)}
for claim in SAID:
    some, every = (named_right(*ONCE["right", claim], r) for r in (100, 1000))
    print(f"claimed {claim:g}: {some} of 100 guesses are right, and {every} of all 1,000")


# %% jupyter={"source_hidden": true}
# Figure: the scores of 1,000 canaries, in and out, the guesses, and one_run_bound
BINS = np.linspace(-4.5, 4.5, 46)
fig, ax = figure(height=2.7)
hump_looks = {"in": "noisy o-", "out": "other x-"}
humps = curves(ax, (BINS[1:] + BINS[:-1]) / 2, hump_looks, markersize=4)
marks = [ax.axvline(0, color=COLOURS.grey, linestyle="--") for _ in range(2)]
x_axis(ax, "score (deviations from the mean)", (-4.5, 4.5))
y_axis(ax, "canaries", (0, 90))
legend_above(fig)
run_line = verdict_text(ax)


def one_run(guesses, claim, trainer):
    scores, coins = ONCE[trainer, claim]
    shown = (scores - scores.mean()) / max(scores.std(), 1e-12)
    set_curves(humps, [np.histogram(shown[coins == bit], BINS)[0] for bit in (1, 0)])
    ends = np.sort(shown)[[guesses // 2 - 1, 1000 - guesses + guesses // 2 - 1]]
    for mark, x in zip(marks, ends, strict=True):
        mark.set_xdata([x, x])
    v = named_right(scores, coins, guesses)
    bound = one_run_bound(1000, guesses, v, 0.95, delta=1e-5)
    p_value = one_run_p_value(1000, guesses, v, claim, delta=1e-5)
    words = f"{v} of {guesses:,} right: epsilon is at least {bound:.2f}"
    said = verdict(bound, claim, certain=False)
    shorter = f"{v} of {guesses:,}: ε at least {bound:.2f}, claimed {claim:g}: {said}"
    set_verdict_text(run_line, said, shorter)
    return f"{words} (95%), p-value of the claim {p_value:.2g}"


live(
    fig,
    one_run,
    "Histograms of the scores of canaries that were in, and of those that were out: two humps "
    "at first. Beyond two dashed lines the guesser names coins.",
    task="which number of guesses proves most? Then set the claim to 1, and find the broken "
    "trainer.",
    guess=predict(
        "Epsilon 8 is claimed, and 100 canaries are guessed. How large an epsilon does one "
        "run prove?",
        (0, 8),
        r"at least (.+) \(",
        guesses=100,
        claim=8.0,
        trainer="right",
    ),
    guesses=choice([10, 30, 100, 300, 1000], 100),
    claim=choice([1.0, 4.0, 8.0], 8.0, label="claimed epsilon"),
    trainer=choice(TRAINERS, "right"),
)

# %% [markdown]
# **Abstain.** [All 1,000 guesses](#move:guesses=1000&claim=8&trainer=right) prove less than
# [the surest 100](#move:guesses=100&claim=8&trainer=right): a guess near even tells little. But fix $r$ before you look, or
# pay for each $r$ you try: the best of four refuted true claims too often above. [Where the root of T was forgotten](#move:guesses=100&claim=1&trainer=root%20of%20T%20forgotten),
# one run refutes the claim of 1.
#
# Is one run better than 26's canary? It has more rows and columns, so compare the two at equal work:

# %% jupyter={"source_hidden": true}
# Computed: the epsilon that an audit proves, medians of 20, from 31_memory.json (papers/memory.py)
PROVED = {}
for row in STORED["audits"]:
    shown = f"{row['proved_median']:.2f} ± {1.25 * row['proved_error']:.2f}"
    PROVED.setdefault((row["audit"], row["trainings"]), []).append(shown)
rows_, columns_ = plain.shape  # and 500 of 1,000 canaries, or one
works = [(rows_ + more) * (columns_ + features_) for more, features_ in ((500, 1000), (1, 1))]
print(f"one run multiplies as often as {works[0] / works[1]:.0f} trainings with a canary")
print("epsilon proved ± standard error, of    1             4             8")
for (audit, trainings), numbers in PROVED.items():
    print(f"{audit:>18}, {trainings:>5,} trainings: {'   '.join(numbers)}")
for trainings in (256, 5120):  # a quarter certifies each side, and two events share the risk
    always, never = (clopper_pearson(h, trainings // 4, 0.05 / 4) for h in (trainings // 4, 0))
    most = math.log(always[0] / never[1])
    print(f"a canary that is always found, {trainings:,} trainings: {most:.2f} at most")

# %% [markdown]
# For the same work one run proves more, and 20 pooled runs more than 5,120 trainings. At *equal trainings*, 1 or 20, the canary
# proves nothing: the bound of [21](21_audit.ipynb) asks for 200. Even a perfect attack on 256 trainings proves less than the median of one
# run at claim 8.
#
# ## What one run cannot show
#
# A bound near 0 is no proof of privacy. [With one feature for all canaries](#move:guesses=100&claim=8&trainer=one%20feature%20for%20all)
# only their number shows, and the guesser is blind. The audit sees average canaries too: a bug that harms one special record
# stays unseen. And $\delta$ must be far below $1/m$:

# %%
for canaries in (100, 1_000, 100_000):
    bound = one_run_bound(canaries, 100, 100, 0.95, delta=1e-3)
    print(f"{canaries:>7,} canaries, 100 of 100 right, delta 0.001: {bound:.4f}")

# %% [markdown]
# ## Tables from tables
#
# A census block has seven people, after Garfinkel, Abowd and Martindale (2019). Counts, medians and mean ages of groups are
# published, but nothing about a group of fewer than three. Three groups have three people each: the white, the male, and
# the black female.

# %% jupyter={"source_hidden": true}
# What this page imports
from dpbook.memory import consistent_blocks, linear_decoding

# %% jupyter={"source_hidden": true}
# Figure: consistent_blocks(published): all blocks of seven people that fit what is published
TRIOS = {"white": (3, 24, 72), "male": (3, 30, 132), "black female": (3, 36, 110)}
OTHERS = {"all": (7, 30, 266), "female": (4, 30, 134), "black": (4, 51, 194)}
OTHERS |= {"married": (4, 51, 216)}
BLOCKS = {}
for ticked in itertools.product((False, True), repeat=4):
    more = {g: s for (g, s), one in zip(OTHERS.items(), ticked, strict=True) if one}
    BLOCKS[ticked] = consistent_blocks({**TRIOS, "all": (7, None, None), **more})
fig, ax = figure(height=2.7)
tables = [ax.plot([], [], "-", color=COLOURS.noisy, alpha=0.35, lw=1)[0] for _ in range(74)]
x_axis(ax, "person, by age", (0.8, 7.2), range(1, 8))
y_axis(ax, "age (years)", (0, 115))
block_line = verdict_text(ax)
TICKS = {"no": False, "yes": True}


def block(everybody, female, black, married):
    found = BLOCKS[everybody, female, black, married]
    for at, one in enumerate(tables):
        ages = sorted(person[0] for person in found[at]) if at < len(found) else []
        one.set_data(range(1, len(ages) + 1), ages)
    many = f"{len(found)} tables fit" if len(found) > 1 else "1 table fits"
    known = "" if len(found) > 1 else ": all seven are known"
    set_verdict_text(block_line, len(found) > 1, many + known)
    return f"{many} what is published"


live(
    fig,
    block,
    "Each line is a block of seven ages that fits everything published; with more statistics "
    "fewer lines are left.",
    task="which two statistics each leave one table?",
    guess=predict(
        "How many tables fit the three trios alone?",
        (1, 200),
        r"^(\d+) tables",
        everybody=False,
        female=False,
        black=False,
        married=False,
    ),
    everybody=choice(TICKS, False, label="all"),
    female=choice(TICKS, False),
    black=choice(TICKS, False),
    married=choice(TICKS, False),
)

# %% [markdown]
# Withholding small groups did not help: the rest gives them away. Chapter [02](02_composition.ipynb) decodes noisy subset sums by *least squares*.
# Dwork, McSherry and Talwar (2007) minimise the sum of *absolute* errors, a linear program. Then a few answers may be lies of
# any size. Below, lies are random numbers.

# %%
show_source(linear_decoding)

# %%
LIES, QUERIES = [0.0, 0.1, 0.2, 0.4], [80, 160, 240]
NOISES = {"0": 0.0, "1": 1.0, "√40 / 2": math.sqrt(10), "√40": math.sqrt(40)}


def decoded(lies, noise, queries, seed):
    """The votes, and what both decoders make of the answers."""
    rng = np.random.default_rng(seed)
    votes, subsets = rng.integers(2, size=40), rng.integers(2, size=(queries, 40))
    answers = (subsets @ votes).astype(float)
    wrong = rng.permutation(queries)[: round(lies * queries)]
    answers[wrong] = rng.uniform(0, 40, wrong.size)
    answers += noise * rng.laplace(size=queries)
    square = np.linalg.lstsq(subsets.astype(float), answers, rcond=None)[0]
    return votes, linear_decoding(subsets, answers), np.clip(square, 0, 1)


# %% jupyter={"source_hidden": true}
# Computed: 40 votes, 160 answers with lies or noise: both decoders, and "all as the majority"
DECODED = {key: decoded(*key, 1) for key in itertools.product(LIES, NOISES.values(), QUERIES)}
methods = "linear program   least squares   majority"
print(f"lies   noise     {methods} (right of 40, medians of 20)")
for lies, noise in ((0.2, "0"), (0.4, "0"), (0.0, "√40")):
    rights = []
    for seed in range(20):
        votes_, *found = decoded(lies, NOISES[noise], 160, seed)
        found.append(np.full(40, np.round(votes_.mean())))
        rights.append([np.sum(np.round(one) == votes_) for one in found])
    linear, square, alike = np.median(rights, axis=0)
    print(f"{lies:>4.0%}   {noise:>7}   {linear:>14g}   {square:>13g}   {alike:>8g}")

# %% jupyter={"source_hidden": true}
# Figure: linear_decoding(queries, answers) and least squares: the fractions of 40 voters
fig, ax = figure(height=2.6)
decoders = {"truth": "true s", "linear program": "noisy o", "least squares": "other x"}
fractions = curves(ax, range(1, 41), decoders, linestyle="", markersize=4)
fractions[0].set(markerfacecolor="none", markersize=10)
fractions[2].set(markersize=8)
ax.axhline(0.5, color=COLOURS.grey, linewidth=1)
x_axis(ax, "voter", (0, 41))
y_axis(ax, "decoded vote", (-0.1, 1.1))
legend_above(fig)
decode_line = verdict_text(ax)


def decoding(lies, noise, queries):
    truth, linear, square = DECODED[lies, noise, queries]
    set_curves(fractions, [truth, linear, square])
    right = [int(np.sum(np.round(one) == truth)) for one in (linear, square)]
    words = f"linear program {right[0]} of 40 right, least squares {right[1]}"
    set_verdict_text(decode_line, False if max(right) == 40 else None, words)
    return f"{lies:.0%} lies, noise of scale {noise:.3g}, {queries} queries: {words}"


live(
    fig,
    decoding,
    "Forty voters: squares are true votes, 0 or 1; dots and crosses are the two decodings.",
    task="raise the lies, then the noise instead. Which of them stops the linear program?",
    guess=predict(
        "No lies, but noise of scale √40 on 160 answers: how many of 40 votes does the "
        "linear program find?",
        (15, 40),
        r"program (\d+) of",
        lies=0.0,
        noise=NOISES["√40"],
        queries=160,
    ),
    lies=choice(LIES, 0.2, label="share of lies"),
    noise=choice(NOISES, 0.0, label="scale of the noise"),
    queries=choice(QUERIES, 160),
)

# %% [markdown]
# With 160 answers, 40% random lies do not stop the linear program. Noise on *every* answer, of scale $\sqrt n$ for
# $n$ people, takes both decoders near to "all as the majority". But these were few random subsets.
#
# If *all* subsets are answered within an error $E$, *every* table that fits is wrong for at most $4E$ people (Dinur and
# Nissim 2003). Where two tables differ, at least half of the differences have the same sign. The sum over these people
# tells the tables apart. Check it with eight people:

# %%
every = np.array(list(itertools.product((0, 1), repeat=8)))
sums = every @ every.T  # all subsets (rows) of all tables (columns)
apart = np.array([np.abs(sums - sums[:, [one]]).max(axis=0) for one in range(256)])
differ = (every[:, None] != every).sum(axis=2)
for error in (0.5, 1.0, 1.5):  # answers halfway between two tables fit both of them
    wrong = differ[apart <= 2 * error].max()
    print(f"E = {error}: a table that fits is wrong for up to {wrong} of 8 people")

# %% [markdown]
# The bound is reached. So against all subsets noise must grow like the number of people itself.
#
# ## The price of tuning
#
# Train many times, keep the best: the choice itself leaks. The best of a *fixed* number $k$ of runs has a privacy loss
# of up to $k\varepsilon$. Run it: each run is one bit by randomized response at epsilon 0.5, and the larger answer wins.

# %% jupyter={"source_hidden": true}
# What this page imports
from dpbook.memory import best_log_probability, best_of_fixed, best_of_tries, tuned_epsilon


# %%
def one_answer(bit, rng):
    """One run: the answer to a bit, as its own score."""
    answer = randomized_response(bit, 0.5, rng)
    return answer, answer


rng, zeros = np.random.default_rng(1), []
for bit in (0, 1):
    run = functools.partial(one_answer, bit)
    zeros.append(np.mean([best_of_fixed(run, 3, rng)[0] == 0 for _ in range(5000)]))
    print(f"bit {bit}: the best of 3 answers is 0 in {zeros[bit]:.3f} of 5,000 runs")
loss = math.log(zeros[0] / zeros[1])
print(f"a loss of {loss:.2f}; exactly {3 * 0.5}. Best of 20: {20 * 0.5}")

# %% [markdown]
# If *all* runs say 0, the best does, and their losses add up (`best_of_fixed`, labelled BROKEN). A *random* number of
# runs, which nobody learns, costs little:
#
# > **Theorem 31.3 (the best of a random number of tries; Papernot and Steinke 2022).** Let each run be $\varepsilon$-DP **with
# > its score**. Draw $K$ from a truncated negative binomial distribution with shape $\eta \ge 0$, independently of the data. Publish
# > the best of $K$ independent runs alone. This is $(2 + \eta)\varepsilon$-DP for the same neighbours, whatever the mean of $K$.
#
# If $\eta = 1$, the number $K$ is geometric, and the proof is short.
#
# <details><summary>Proof for a geometric number: sum a series.</summary>
#
# Order all possible results by their score, and those with the same score in some fixed way. Let $p$ be the probability that a
# run gives a certain result, and $F$ the probability that it gives a lower one. With
# $\Pr[K = k] = \gamma (1 - \gamma)^{k-1}$, the best is this result with probability
# $$\sum_k \Pr[K = k] \left((F + p)^k - F^k\right) = \frac{\gamma\, p}{\left(1 - (1 - \gamma)(F + p)\right)\left(1 - (1 - \gamma) F\right)} .$$
# A neighbour changes $p$ by a factor of at most $e^\varepsilon$. The two factors below the line are
# $\gamma + (1 - \gamma)(1 - F - p)$ and $\gamma + (1 - \gamma)(1 - F)$. There $1 - F - p$ and $1 - F$ are probabilities, too, so
# each factor changes by at most $e^\varepsilon$. Three factors make $3\varepsilon$. (`best_of_tries` keeps the first of equals. Then
# $F + p$ becomes the probability of this score or a lower one, and the bound is the same.) $\square$
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
from dpbook.accounting import renyi_epsilon, renyi_gaussian
from dpbook.gaussian import gaussian_epsilon
from dpbook.memory import mean_tries, tries_probability, tuned_divergences

# %%
show_source(best_of_tries)
yes = math.exp(0.5) / (1 + math.exp(0.5))
prize = np.array([1e-9, 1e-5])  # a rare result, and a better one
rarer = prize * np.exp([-0.5, 0.5])
bits_laws = np.log([[yes, 1 - yes], [1 - yes, yes]])
rare_laws = np.log([[1 - prize.sum(), *prize], [1 - rarer.sum(), *rarer]])
for shape in (0, 0.5, 1):
    promise = tuned_epsilon(shape, 0.5)
    losses = []
    for laws, gamma in ((bits_laws, 0.05), (rare_laws, 1e-10)):
        one, other = (best_log_probability(law, shape, gamma) for law in laws)
        losses.append(np.abs(one - other).max())
    mean = f"{mean_tries(shape, 0.05):.0f}"
    lost = f"the best of {mean} answers loses {losses[0]:.2f}, rare results {losses[1]:.4f}"
    print(f"shape {shape}: at most {promise:g} for runs at epsilon 0.5; {lost}")

# %% [markdown]
# These losses are exact, from the distribution of the best. The best of 20 answers *on average* loses a tenth of what the best
# of 20 loses. Rare results come as near to the guarantee as one likes.

# %% jupyter={"source_hidden": true}
# Figure: tries_probability, and the epsilon of the best against that of releasing all
ORDERS = 1 + np.arange(1, 100) / 10
ORDERS = np.concatenate([ORDERS, np.arange(12, 200), np.geomspace(200, 5e3, 40)])
ONE_SCALE = gaussian_scale(1, 1, DELTA)
ONE = renyi_gaussian(1, ONE_SCALE, ORDERS)
MEANS = np.geomspace(2, 200, 15)


@functools.cache
def gamma_of(shape, mean):
    """The gamma that gives this mean number of tries."""
    return brentq(lambda g: mean_tries(shape, g) - mean, 1e-9, 1 - 1e-9)


@functools.cache
def price(shape, mean):
    """The epsilon of the best of the tries, each a normal release at (1, 1e-6)."""
    tuned = tuned_divergences(ORDERS, ONE, shape, gamma_of(shape, mean))
    return renyi_epsilon(ORDERS, tuned, DELTA).epsilon


fig, (law_ax, price_ax) = figure(columns=2, height=2.6)
tries = np.arange(1, 61)
(law,) = curves(law_ax, tries, {"chance": "noisy o-"}, markersize=3)
x_axis(law_ax, "number of tries", (0, 60))
y_axis(law_ax, "chance", (1e-4, 1), log=True)
prices = curves(price_ax, MEANS, {"best of the tries": "noisy", "all released": "true --"})
x_axis(price_ax, "mean number of tries", (2, 200), [2, 10, 50, 200], log=True)
y_axis(price_ax, r"epsilon at delta $10^{-6}$", (0.5, 30), [0.5, 1, 2, 5, 10, 20], log=True)
legend_above(fig, handles=prices)
price_point = own_point(price_ax)
price_line = verdict_text(law_ax)
ALL = [gaussian_epsilon(math.sqrt(mean), ONE_SCALE, DELTA) for mean in MEANS]


def tuning(shape, mean):
    set_curves([law], [tries_probability(tries, shape, gamma_of(shape, mean))])
    set_curves(prices, [[price(shape, float(one)) for one in MEANS], ALL])
    best = price(shape, mean)
    set_own_point(price_point, mean, best)
    words = f"the best of {mean:.3g} tries on average costs {best:.3f}"
    set_verdict_text(price_line, None, words)
    every = gaussian_epsilon(math.sqrt(mean), ONE_SCALE, DELTA)
    return f"the best of {mean:.3g} on average costs {best:.3f}, all of them {every:.3f}"


live(
    fig,
    tuning,
    "Left: the chance of each number of tries. Right: what the best costs, a slowly rising "
    "curve, beside what releasing all costs, a steep one.",
    task="what does the best of 100 cost, beside the best of 10?",
    guess=predict(
        "One try costs 1. What does the best of 100 tries cost, at shape 1?",
        (1, 15),
        r"costs (.+), all",
        shape=1.0,
        mean=100.0,
    ),
    shape=choice([0.0, 0.5, 1.0, 2.0], 1.0, label="shape"),
    mean=log_slider(2, 200, 10.0, label="mean of tries"),
)

# %% jupyter={"source_hidden": true}
# Computed: the epsilon of the best of some runs, each a normal release at (1, 1e-6)
for mean in (10.0, 100.0):
    each = {shape: price(shape, mean) for shape in (1.0, 0.5, 0.0)}
    costs = ", ".join(f"{cost:.3f} (shape {shape:g})" for shape, cost in each.items())
    every = gaussian_epsilon(math.sqrt(mean), ONE_SCALE, DELTA)
    print(f"{mean:.0f} runs on average: {costs}; all {mean:.0f} released: {every:.3f}")

# %% [markdown]
# The factor $2 + \eta$ is for runs that are $\varepsilon$-DP with $\delta = 0$. For normal noise the price adds up in
# Rényi divergences ([25](25_accounting.ipynb)), and grows slowly with the mean. At 10 runs it is more than half of what releasing all
# costs; at 100, less than a quarter.
#
# Does tuning pay at all? Twelve recipes for the women of Fair's survey, always with the same total epsilon. Each
# run buys a noisy count of right answers with a tenth of its squared $\mu$:

# %% jupyter={"source_hidden": true}
# Computed: accuracy on 1,366 women held out, medians of 40, from 31_memory.json (papers/memory.py)
WAYS = {}
for row in STORED["tuning"]:
    found = row["right_median"], 1.25 * row["right_error"]
    WAYS.setdefault(row["way"], []).append(found)
print("epsilon          0.1             0.3             1               3")
for way, numbers in WAYS.items():
    print(f"{way:>15}:", "   ".join(f"{right:.3f} ± {error:.3f}" for right, error in numbers))
print("in standard errors of the difference:")
for place, epsilon in enumerate((0.1, 0.3, 1, 3)):
    apart = []
    for one, other in itertools.combinations([numbers[place] for numbers in WAYS.values()], 2):
        apart.append((other[0] - one[0]) / math.hypot(other[1], one[1]))
    gains = ", ".join(f"{one:.1f}" for one in apart[:3])
    others = f"the others are apart by up to {max(map(abs, apart[3:])):.1f}"
    print(f"epsilon {epsilon:<3g}: ahead of one at random by {gains}; {others}")
held_out = affairs_prediction().answers[np.random.default_rng(30).permutation(6366)[:1366]]
print(f"always the commoner answer: {max(np.mean(held_out > 0), np.mean(held_out < 0)):.3f}")

# %% [markdown]
# A model that says "no" to everybody is right for 66%, so little is to be gained. At epsilon 0.1 and 0.3 no two ways are
# two standard errors apart: the price eats the gain. At 1 all three ways of tuning gain by over three. Which of them is
# best stays open there. At 3 it is best to release all twelve.
#
# ### The choice that no epsilon covers
#
# "Accuracy is post-processing": it is not, if it is the exact accuracy on the *training* records. It reads them again. Let each
# run toss a coin for one of two models, without any data: $\varepsilon = 0$. Keep the better of 20:

# %% jupyter={"source_hidden": true}
# What this page imports
from dpbook.memory import best_by_training_accuracy

# %%
two = np.eye(2)
for records, who in ((two, "two records"), (np.vstack([two, [0, 1]]), "one more")):
    rng, kept, ones = np.random.default_rng(1), 0, np.ones(len(records))
    for _ in range(1000):
        model = best_by_training_accuracy(records, ones, 20, lambda r: two[r.integers(2)], rng)
        kept += model[0]
    print(f"{who}: the first model is kept in {kept:.0f} of 1,000 runs")
print(f"probabilities 1/2 and 2^-20: a loss of 19 ln 2 = {math.log(0.5 / 2**-20):.4f}")
shared = {right / 944 for right in range(945)} & {right / 943 for right in range(944)}
print(f"exact accuracies that both 944 and 943 records can have: {sorted(shared)}")

# %% [markdown]
# To publish the accuracy itself is worse: its denominator gives the number of records away, so its loss is infinite.
#
# So buy a noisy count of right answers *in every run*, as part of its release, and let the best noisy score win.
#
# ## On your own
#
# A hint and an answer for each: [exercises/answers/31_memory](../exercises/answers/31_memory.ipynb).
#
# **Assignment 31:** [five tasks, checked in a second](../exercises/releases/31_memory.ipynb).
#
# 1. *Warm-up.* Two people share the code. How large may its mean exposure be at epsilon 1?
# 2. How many of 100 guesses must be right before one run refutes a claim of epsilon 2 with 95% confidence?
# 3. Publish the block's medians and sums with Laplace noise of scale 5, rounded, and the counts as they are: the trios
#    alone, then *female* too. How many tables fit?
# 4. *Challenge.* Train the model at epsilon 16, on your own messages without digits, or on `data.messages()`. Take as
#    many of the largest noisy cells as there are grams that somebody wrote. Which grams are among them?
#
# A start:

# %%
print(f"{exposure_limit(10_000, 2.0):.2f} bits")

# %% [markdown]
# ## What to test before a release
#
# - **A text model:** canaries with codes drawn evenly, and their mean exposure.
# - **A classifier:** LiRA at low false alarms, with targets that are no shadows.
# - **A private training:** one run with many canaries in directions of their own. A bound above the claim points to a bug.
# - **Tables:** count the tables that fit.
# - **Left out:** neural models, fine-tuning, removal of duplicates, PATE, and the audit in one run for f-DP.
#
# ## Sources
#
# - Carlini, Liu, Erlingsson, Kos, Song, *The secret sharer*, 2019, arXiv 1802.08232. Carlini and others, *Extracting training
#   data from large language models*, 2021, arXiv 2012.07805.
# - Carlini and others, *Membership inference attacks from first principles* (LiRA), 2022, arXiv 2112.03570. Yeom and others,
#   2018, arXiv 1709.01604.
# - Steinke, Nasr, Jagielski, *Privacy auditing with one (1) training run*, 2023, arXiv 2305.08846. Mahloujifar and others,
#   2024, arXiv 2410.22235.
# - Dinur, Nissim, *Revealing information while preserving privacy*, 2003. Dwork, McSherry, Talwar, *The price of privacy and
#   the limits of LP decoding*, 2007. Garfinkel, Abowd, Martindale, *Understanding database reconstruction attacks on public
#   data*, 2019.
# - Liu, Talwar, *Private selection from private candidates*, 2019, arXiv 1811.07971. Papernot, Steinke, *Hyperparameter tuning
#   with Rényi differential privacy*, 2022, arXiv 2110.03620.
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [30 Noise that remembers](30_correlated.ipynb) · **Next:** [90 Reference](90_reference.ipynb)
