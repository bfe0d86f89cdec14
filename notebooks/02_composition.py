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
# # 02 Composition
#
# One private answer is easy. What do ten thousand of them give away about the secret votes of 40 people?
#
# <details><summary>About 45 minutes, after 00: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [01 Incidents: how published data gave people away](01_incidents.ipynb) · **Next:** [03 The Laplace mechanism](03_laplace.ipynb)
#
# **Assignment 02:** [five tasks, checked in a second](../exercises/releases/02_composition.ipynb)
#
# This page takes the definition apart, until you can *see* it. Then it puts private answers together: one after the
# other, side by side, mixed by a coin.
#
# **You will see** harmless answers that together reveal everything, and the guarantee as a region that events must not
# leave. You will see why nothing computed from a release costs more, when epsilons add up, and when only the largest
# counts.
#
# **You will do:** make neighbours from a table that you edit. Push events out of their region. Hide among people who
# were not drawn. Spend a budget until it refuses.
#
# **You need:** [00 Start here](00_start_here.ipynb) for the words *record*, *neighbours*, *epsilon*, and probabilities
# of events. The page itself defines the one mechanism that it needs.
#
# **Time:** about 45 minutes. A good place to stop is after *Sequential composition*.
#
# **Real and synthetic:** the voters are real (the 1996 election study, Dole against Clinton, 944 records). Only the table with five names
# is invented.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import numpy as np

from dpbook import data
from dpbook.laplace import geometric_mechanism
from dpbook.live import choice, live, log_slider, new_noise
from dpbook.plots import (
    COLOURS,
    curves,
    figure,
    legend_above,
    own_point,
    set_own_point,
    set_verdict_text,
    verdict_text,
    x_axis,
    y_axis,
)

# %% jupyter={"source_hidden": true}
# Figure: geometric_mechanism(exact, 1, epsilon, rng) of each question; least squares for votes
voters = data.election()
group = np.random.default_rng(7).choice(len(voters["vote"]), 40, replace=False)
secret = voters["vote"].values[group]
base_rate = 1 - secret.mean()
ASKED = [50, 100, 300, 1_000, 3_000, 10_000, 30_000]
in_question = np.random.default_rng(8).integers(0, 2, (ASKED[-1], secret.size)).astype(float)
grams = {asked: in_question[:asked].T @ in_question[:asked] for asked in ASKED}
fig, (left, right) = figure(columns=2, height=2.45, width_ratios=[3, 2])
marks = curves(left, [], {"Clinton (secret)": "noisy o", "Dole (secret)": "other D"})
left.axhline(0.5, color=COLOURS.true, linestyle="--")
x_axis(left, "voter", (-1, 40))
y_axis(left, "vote, as solved", (-4.4, 5.4))
found, _ = curves(right, ASKED, {"": "true .-", " ": "grey :"}, [np.nan, base_rate])
now = own_point(right, marker="s", colour=COLOURS.amber)
right.text(40_000, 0.28, "dotted: always 'Clinton'", color="#555555", ha="right")
votes_found = verdict_text(left)
x_axis(right, "questions asked", (40, 45_000), [100, 1_000, 10_000], log=True)
y_axis(right, "fraction found", (0.25, 1.04))
legend_above(fig, 2)


def reconstruct(epsilon, questions, seed):
    exact = (in_question @ secret).astype(int)
    noisy = geometric_mechanism(exact, 1, epsilon, np.random.default_rng(seed))
    guesses = {k: np.linalg.solve(grams[k], in_question[:k].T @ noisy[:k]) for k in ASKED}
    shares = {k: np.mean((guess > 0.5) == secret) for k, guess in guesses.items()}
    for vote, mark in enumerate(marks):
        solved = np.clip(guesses[questions][secret == vote], -4, 5)
        mark.set_data(np.flatnonzero(secret == vote), solved)
    found.set_ydata(list(shares.values()))
    share = shares[questions]
    set_own_point(now, questions, share)
    told = f"{share:.0%} of the votes found"
    set_verdict_text(votes_found, None, f"{questions:,} answers: {told}")
    told = f"{told}; {base_rate:.0%} without any answer"
    return f"{questions:,} answers, each {epsilon:.3g}-DP: {told}"


attack_figure = live(
    fig,
    reconstruct,
    "Left: the 40 votes as solved from noisy answers, Clinton voters near 0 and Dole voters "
    "near 1 once enough was asked. Right: the fraction of votes found, rising to 1 with the "
    "number of questions, and as a dotted line the fraction found without any answer.",
    task='press *play*. When does the attacker know more than "always Clinton"?',
    play="questions",
    epsilon=log_slider(0.05, 2, 0.1, label="epsilon of each answer"),
    questions=choice(ASKED, 100),
    seed=new_noise(1),
)
attack_figure

# %% [markdown]
# **What you saw.** Nobody asks about one person. The attacker asks about random halves of 40 voters, and every count is
# 0.1-DP ($\varepsilon = 0.1$). Then the attacker solves for the 40 unknown votes by least squares, as one fits linear models. With few
# questions the attack is mostly worse than no attack. [With 30,000](#move:questions=30000) it misses one vote at most.
# Smaller noise helps the attacker: [take epsilon to 1](#move:epsilon=1&questions=300).

# %% [markdown]
# ## A naive attempt that fails: every answer is private, so answer everything
#
# A data holder lets anybody ask: "how many of *these* voters will vote for Dole?", and adds noise to each answer.
#
# > **Definition 2.1 (noisy count).** Let $c(D)$ be a count over the dataset $D$, and $\varepsilon > 0$. The noisy
# > count is $M(D) = c(D) + Z$, where $Z$ is a whole number, drawn anew for each answer, with
# > $$\Pr[Z = z] = \tanh(\varepsilon/2)\; e^{-\varepsilon |z|}, \qquad z = 0, \pm 1, \pm 2, \ldots$$
#
# One voter's record moves a count by at most one. The probability of an answer $t$ is proportional to
# $e^{-\varepsilon |t - c(D)|}$, so it changes by a factor between $e^{-\varepsilon}$ and $e^{\varepsilon}$. That is
# the guarantee of [00](00_start_here.ipynb). Here $\varepsilon = 0.1$; page [03](03_laplace.ipynb) derives this noise.

# %% jupyter={"source_hidden": true}
# What this page imports
import itertools
import math

import pandas as pd
from matplotlib.collections import PolyCollection

from dpbook.amounts import amount
from dpbook.audit import add_record, replace_record, small_datasets
from dpbook.composition import Budget, BudgetExceeded, advanced, optimal, parallel, sequential
from dpbook.guesses import numbers, predict
from dpbook.laplace import geometric_log_probability, laplace_log_density, laplace_probability
from dpbook.live import show_source, slider, switch
from dpbook.plots import maps, meter, set_curves, set_maps, set_meter, set_steps, show, steps
from dpbook.verdict import verdict

# %%
show_source(geometric_mechanism)
for_dole = int(secret.sum())
for seed in (1, 2, 3):
    released = geometric_mechanism(for_dole, 1, 0.1, np.random.default_rng(seed))
    print("votes for Dole, released:", released)

# %% [markdown]
# What does one answer say about one voter? Unless other votes hint at hers, it changes the *odds* of her two possible
# votes by a factor of at most $e^{\varepsilon}$. If both votes seemed equally likely before, a guess is then right with
# probability at most $e^{\varepsilon}/(1 + e^{\varepsilon})$. If you knew more to begin with, you are right more
# often, but mostly by what you knew:

# %% jupyter={"source_hidden": true}
# Computed: what one answer can do to a guess, and to the odds
for_clinton, factor = secret.size - for_dole, math.exp(0.1)
print(f"{secret.size} voters: {for_clinton} for Clinton, {for_dole} for Dole (secret)")
right = factor / (1 + factor)
print(f"one answer at epsilon 0.1: who thought 1 : 1 is right at most {right:.1%}")
print(f"no answer at all, always say 'Clinton': right {base_rate:.1%} of the time")
prior_odds = for_clinton / for_dole
print(f"odds before: {prior_odds:.2f} : 1;", end=" ")
print(f"the most that one answer can do to them: a factor {factor:.2f}")
assert prior_odds > factor

# %% [markdown]
# If you know the fraction of Clinton voters, one answer cannot change the best guess about anybody: the odds were too
# far from even. An attack counts only if it does better than this *base rate*. The attack of the first figure does,
# with enough questions:

# %% jupyter={"source_hidden": true}
# Computed: the votes found from 50, 3,000 and 30,000 answers
for questions in (50, 3_000, 30_000):
    attack_figure.controls["questions"].value = questions
    print(attack_figure.caption)
attack_figure.controls["questions"].value = 100

# %% [markdown]
# Small noise cannot prevent this:
#
# > **Theorem 2.2 (reconstruction; Dinur and Nissim, 2003).** Let about $n \log^2 n$ random subset counts over $n$
# > secret bits all be answered with errors that are small against $\sqrt n$. Then, with high probability, all but a
# > vanishing fraction of the bits can be computed from the answers, in time polynomial in $n$.
#
# <details><summary>Idea: a vector wrong in many places does not fit the answers.</summary>
#
# It has many subsets on which it is wrong by about $\sqrt n$. (Least squares instead of their linear program:
# Dwork and Yekhanin, 2008.)
#
# </details>
#
# So a guarantee for one release is not enough: what do *several* releases guarantee together? First we say precisely
# what one guarantees.
#
# ## Neighbours
#
# > **Definition 2.3 (neighbours; Li, Lyu, Su and Yang, 2016, section 2.1).** Two datasets $D$, $D'$ are neighbours,
# > $D \simeq D'$, if they differ in one record. That has two readings:
# > - **add/remove** ("unbounded"): one of them has a record that the other lacks;
# > - **replace** ("bounded"): both have the same number of records, and one record differs.
#
# Edit the five rows and run the cell again.

# %%
# visits to a doctor, 0 to 6: change them, add people
table = {"Ann": 2, "Ben": 0, "Cem": 3, "Dua": 5, "Eve": 3}
possible = np.arange(7)
records = np.array(list(table.values()))
assert set(records) <= set(possible), "visits are whole numbers from 0 to 6"
less, more = len(records), len(add_record(records, possible))
print(f"add/remove: {less} neighbours with one record less, {more} with one more")
print(f"replace: {less * (possible.size - 1)} neighbours with one record changed")

# %% [markdown]
# We ask five questions about such a table. The answer to the last is seven numbers. How far at most can one record
# move each answer? That is its *sensitivity*. We find it by trying every table of up to three records with each of its
# neighbours, under both relations.

# %%
QUESTIONS = {
    "how many records": lambda visits: [visits.size],
    "how many with 3 visits or more": lambda visits: [np.sum(visits >= 3)],
    "visits of all together": lambda visits: [visits.sum()],
    "the most visits": lambda visits: [visits.max(initial=0)],
    "histogram of the visits": lambda visits: np.bincount(visits, minlength=7),
}


def moved(question, visits, others):
    """How far the answer moves between two tables: the sum over its numbers."""
    here, there = question(visits.astype(int)), question(others.astype(int))
    return int(np.abs(np.subtract(here, there)).sum())


tables = [one for n in (1, 2, 3) for one in small_datasets(possible, n)]


def farthest(question, change):
    """The largest move over all tables and all neighbours of each."""
    return max(moved(question, one, new) for one in tables for new in change(one, possible))


sensitivity = {}
for name, question in QUESTIONS.items():
    added, replaced = farthest(question, add_record), farthest(question, replace_record)
    sensitivity[name] = {"add/remove": added, "replace": replaced}
pd.DataFrame(sensitivity).T

# %% [markdown]
# Under *replace* the number of records never moves, so it may be published exactly. And a histogram moves by up to 2,
# as the record leaves one bar and enters another. The two relations are different guarantees. Books and programs mix
# them (errata [E07](22_errata.ipynb#E07), [S07](22_errata.ipynb#S07)).
#
# ## Live: make a neighbour

# %% jupyter={"source_hidden": true}
# Figure: D and D' as the controls make them, and how far each answer moves
CHANGES = {"a record removed": "add/remove", "a record added": "add/remove"}
CHANGES["a record replaced"] = "replace"
fig, (sheet, bars) = figure(columns=2, height=3.6, width_ratios=[2, 3])
sheet.axis("off")
sheet.set(xlim=(0, 1), ylim=(len(table) + 1.5, -1))
for x, words in ((0.02, "record"), (0.45, "$D$"), (0.75, "$D'$")):
    sheet.text(x, -0.3, words, weight="bold", va="center")
for row, who in enumerate([*table, "new"]):
    sheet.text(0.02, row + 0.5, who, va="center")
cells = [
    [sheet.text(x, row + 0.5, "", va="center") for row in range(len(table) + 1)]
    for x in (0.45, 0.75)
]
look = {"color": COLOURS.amber, "alpha": 0.4, "linewidth": 20, "solid_capstyle": "butt"}
(band,) = sheet.plot([0, 1], [0.5, 0.5], zorder=0, **look)
rows = np.arange(len(QUESTIONS))
look = {"facecolor": "none", "edgecolor": COLOURS.grey, "hatch": "..", "linewidth": 1}
limit_bars = bars.barh(rows, np.ones(rows.size), 0.8, label="at most (sensitivity)", **look)
moved_bars = bars.barh(rows, np.ones(rows.size), 0.4, color=COLOURS.noisy, label="here")
x_axis(bars, "answer moves by", (0, 6.5))
y_axis(bars, None, (rows.size - 0.4, -0.6), dict(enumerate(QUESTIONS)))
neighbours_said = verdict_text(sheet)
legend_above(fig, 2, handles=[moved_bars, limit_bars])


def neighbour(who, visits, change, new_visits):
    before = [str(visits) if name == who else str(value) for name, value in table.items()]
    before.append("–")
    after, place = list(before), list(table).index(who)
    if change == "a record added":
        place, after[-1] = len(table), str(new_visits)
    else:
        after[place] = "–" if change == "a record removed" else str(new_visits)
    for column, shown in zip(cells, (before, after), strict=True):
        for cell, words in zip(column, shown, strict=True):
            cell.set_text(words)
    band.set_ydata([place + 0.5] * 2)
    both = [np.array([int(word) for word in each if word != "–"]) for each in (before, after)]
    for bar, outline, name in zip(moved_bars, limit_bars, QUESTIONS, strict=True):
        bar.set_width(moved(QUESTIONS[name], *both))
        outline.set_width(sensitivity[name][CHANGES[change]])
    set_verdict_text(neighbours_said, None, f"{change}: neighbours under {CHANGES[change]}")
    sizes = f"{both[0].size} and {both[1].size} records"
    return f"D and D' are neighbours under {CHANGES[change]}: {sizes}"


live(
    fig,
    neighbour,
    "Left: a table of five people and their visits in two columns, D and its neighbour, with "
    "the row that differs marked. Right: for five questions, how far the answer moves here, "
    "inside the most it can move.",
    task="choose *a record removed*, then *replaced*, then *added*, and watch which answers "
    'move. Can you make "the most visits" move by 6? Can you replace a record so that '
    "nothing moves?",
    change=choice(list(CHANGES), "a record replaced"),
    who=choice(list(table), next(iter(table)), label="whose record"),
    visits=slider(0, 6, next(iter(table.values())), label="visits in D"),
    new_visits=slider(0, 6, 6, label="visits in D' (added, replaced)"),
)

# %% [markdown]
# Replacing a record is removing one and adding another. So whatever is $\varepsilon$-DP under add/remove is
# $2\varepsilon$-DP under replace (Li et al. 2016, section 2.1.1). The other direction holds for no $\varepsilon$ at
# all: the exact number of records is 0-DP under replace, and tells neighbours apart under add/remove.
#
# This page uses **add/remove** unless it says replace.
#
# ## The definition, as a picture
#
# > **Definition 2.4 (differential privacy; Dwork, McSherry, Nissim, Smith, 2006).** A mechanism
# > $M$, a random procedure that is run on a dataset, is **$\varepsilon$-differentially private** ($\varepsilon$-DP) if
# > for all neighbours $D \simeq D'$ and every set $T$ of outputs (an *event*)
# > $$\Pr[M(D) \in T] \le e^{\varepsilon}\, \Pr[M(D') \in T] .$$
#
# ($\varepsilon = 0$ is allowed: then the release does not depend on the records.) Neighbours can be swapped, and the
# opposite of $T$ is an event as well. So there are four inequalities for each event. Write $p = \Pr[M(D) \in T]$ and
# $p' = \Pr[M(D') \in T]$ for its two probabilities:
#
# $$p \le e^{\varepsilon} p', \qquad p' \le e^{\varepsilon} p, \qquad 1 - p \le e^{\varepsilon} (1 - p'), \qquad
# 1 - p' \le e^{\varepsilon} (1 - p) .$$
#
# Each event is a point $(p', p)$. The four inequalities cut a rhombus out of the square, the **privacy region**
# (Wasserman and Zhou, 2010; Kairouz, Oh and Viswanath, 2015). **A mechanism is private if no event leaves it, for any
# two neighbours.**
#
# We try it on a small count: voters aged 88 or more. There are few, and you are one of them.

# %%
old = int(np.sum(voters["age"].values >= 88))
# fixed before anybody counted: a range around the true count would reveal it
outputs = np.arange(4, 12)
assert old in outputs and old - 1 in outputs
# row: which outputs are in the event, as the binary digits of the row's number
events = (np.arange(2**outputs.size)[:, None] >> np.arange(outputs.size)) & 1
wide = np.arange(-400, 401)
place = np.clip(wide, outputs[0], outputs[-1]) - outputs[0]


def geometric(truth, epsilon):
    """The distribution of a noisy count (Definition 2.1), outputs moved into the range of
    `outputs`.
    """
    noisy = np.exp(geometric_log_probability(wide, truth, 1, epsilon))
    return np.bincount(place, weights=noisy, minlength=outputs.size)


def liar(truth, epsilon):
    """The distribution of an answer that is true with e^epsilon times the probability of
    each other output.
    """
    weights = np.where(outputs == truth, math.exp(epsilon), 1.0)
    return weights / weights.sum()


def uniform(truth, epsilon):
    """The distribution of a count with uniform noise from -3 to 3: no guarantee at all."""
    return np.bincount(place, weights=np.abs(wide - truth) <= 3, minlength=outputs.size) / 7


def loss(here, there):
    """The largest |ln(p / p')| over all events. Where outputs can be listed, one output alone
    reaches it.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.nanmax(np.abs(np.log(here) - np.log(there))))


# %% jupyter={"source_hidden": true}
# Computed: the count of old voters with you and without you, and the number of events
print(f"{old} voters with you, {old - 1} without; released:", end=" ")
print(f"a number from {outputs[0]} to {outputs[-1]}")
print(f"{len(events)} events, from 'nothing' to 'any number'")

# %%
MECHANISMS = {
    "whole-number noise": geometric,
    "half of that noise": lambda truth, epsilon: geometric(truth, 2 * epsilon),
    "a liar": liar,
    "uniform noise, -3 to 3": uniform,
}


def region_corners(epsilon):
    """Where the four inequalities meet."""
    high = math.exp(epsilon) / (1 + math.exp(epsilon))
    return [(0, 0), (1 - high, high), (1, 1), (high, 1 - high)]


# %% jupyter={"source_hidden": true}
# Figure: a mechanism's distributions with you and without you; all 256 events
def two_laws(ax, edges, of=""):
    """The distribution with you, an outline, over the bars of that without: to be set."""
    without = steps(ax, np.ones(8), COLOURS.light, f"{of}without you", edges, fill=True)
    look = {"linewidth": 2, "facecolor": "none"}
    x_axis(ax, "released count", (edges[0], edges[-1]))
    y_axis(ax, "probability", (0, 1))
    return without, steps(ax, np.ones(8), COLOURS.true, f"{of}with you", edges, **look)


def plane(ax):
    """An empty square of events with its privacy region."""
    shape = PolyCollection([region_corners(1)], facecolor=COLOURS.pale, label="guaranteed")
    region = ax.add_collection(shape)
    ticks = {0: "0.0", 0.5: "0.5", 1: "1.0"}
    x_axis(ax, "probability without you, $p'$", (-0.02, 1.02), ticks)
    y_axis(ax, "probability with you, $p$", (-0.02, 1.02), ticks)
    ax.set_aspect("equal")
    (inside,) = ax.plot([], [], ".", color=COLOURS.noisy, markersize=5, label="event")
    broken = {"color": COLOURS.other, "markersize": 6}
    (outside,) = ax.plot([], [], "x", **broken)
    return region, inside, outside, ax.set_title("kept", weight="bold", size=12, loc="right")


def set_plane(pieces, points, epsilon):
    """Move the region and the events; say and return how many are outside."""
    region, inside, outside, said = pieces
    p, q, most = points[0], points[1], math.exp(epsilon) * (1 + 1e-9)
    broken = (p > most * q) | (q > most * p)
    broken |= (1 - p > most * (1 - q) + 1e-12) | (1 - q > most * (1 - p) + 1e-12)
    region.set_verts([region_corners(epsilon)])
    inside.set_data(q[~broken], p[~broken])
    outside.set_data(q[broken], p[broken])
    count = int(broken.sum())
    words = f"BROKEN: {count} of {p.size} events" if count else "every event within"
    set_verdict_text(said, not count, words)
    return count


fig, (left, right) = figure(columns=2, height=4.2)
edges = np.append(outputs, outputs[-1] + 1) - 0.5
bars_without, bars_with = two_laws(left, edges)
pieces = plane(right)
legend_above(fig, 4)


def definition(mechanism, epsilon):
    laws = [MECHANISMS[mechanism](truth, epsilon) for truth in (old, old - 1)]
    set_steps(bars_with, laws[0], edges)
    set_steps(bars_without, laws[1], edges)
    broken = set_plane(pieces, [events @ law for law in laws], epsilon)
    worst = f"{loss(*laws):.3g}".replace("inf", "∞")
    told = f"{broken} of {len(events)} events break the guarantee"
    return f"guaranteed {epsilon:.3g}, largest loss {worst}; {told}"


question = "With half of that noise at epsilon 1, how large is the largest privacy loss?"
definition_figure = live(
    fig,
    definition,
    "Left: the probabilities of the released counts with you and without you. Right: every "
    "event as a point in a square, and the rhombus along the diagonal that the events of a "
    "private mechanism must not leave.",
    task=r"go through the four mechanisms at $\varepsilon = 1$. Which events leave the "
    r"region? Then move $\varepsilon$ to the left end: the region closes on the "
    "diagonal, and the two distributions must become the same.",
    guess=predict(question, (0, 5), r"largest loss ([\d.]+)", mechanism="half of that noise"),
    mechanism=choice(list(MECHANISMS), "whole-number noise"),
    epsilon=log_slider(0.1, 3, 1.0, label="claimed epsilon"),
)
definition_figure

# %% jupyter={"source_hidden": true}
# Computed: the largest loss and the broken events of the four mechanisms
for mechanism in MECHANISMS:
    definition_figure.controls["mechanism"].value = mechanism
    print(f"{mechanism + ':':<24}{definition_figure.caption}")
definition_figure.controls["mechanism"].value = "whole-number noise"

# %% [markdown]
# [Choose half of that noise](#move:mechanism=half%20of%20that%20noise) and events leave the region.
#
# **The region limits every attack on you.** An attacker says "in" whenever the release falls into $T$. Then $p$ is how
# often she is right when you are in (*detection*). And $p'$ is how often she is wrong when you are not (*false
# alarm*). The best of these tests form a "ROC curve". So $\varepsilon$-DP says: at a false alarm of $p'$, no test
# detects more than $\min\{e^{\varepsilon} p',\; 1 - e^{-\varepsilon}(1 - p')\}$. The same picture is in
# [01](01_incidents.ipynb), [06](06_meaning.ipynb) and [24](24_gaussian.ipynb).

# %% jupyter={"source_hidden": true}
# Computed: the best tests at three false alarms, and what epsilon 1 allows
definition_figure.controls["epsilon"].value = 1.0
detection, false_alarm = (events @ geometric(truth, 1.0) for truth in (old, old - 1))
for most_alarms in (0.05, 0.2, 0.5):
    allowed = min(math.e * most_alarms, 1 - (1 - most_alarms) / math.e)
    best_test = detection[false_alarm <= most_alarms].max()
    print(f"false alarm at most {most_alarms:.0%}:", end=" ")
    print(f"best test detects {best_test:.1%}, allowed {allowed:.1%}")
even_odds = (detection + 1 - false_alarm).max() / 2
print("best guess at even odds:", end=" ")
print(f"right {even_odds:.1%} of the time, allowed {math.e / (1 + math.e):.1%}")

# %% [markdown]
# ### The loss of an output
#
# > **Definition 2.5 (privacy loss).** Let $f$ and $f'$ be the probabilities, or the densities, of the outputs of $M(D)$
# > and $M(D')$. The *loss* of an output $t$ is $\ell(t) = \ln \bigl(f(t) / f'(t)\bigr)$: above 0 if $t$ speaks for
# > $D$, below 0 if it speaks for $D'$. The loss of a mechanism is the largest $|\ln(p/p')|$ over all neighbours and
# > events. (The distribution of $\ell$ is the *privacy loss distribution*, PLD; see [25](25_accounting.ipynb).)
#
# For uniform noise the loss of the mechanism is infinite: some outputs are impossible without you.
#
# Where outputs can be listed, single outputs are enough: the ratio of two sums is at most the largest ratio of their
# terms. Li et al. (2016; *the textbook*) write this as
#
# $$\frac{\Pr[M(D) = t]}{\Pr[M(D') = t]} \le e^\varepsilon \ \text{ for all } t, \qquad \frac00 = 1 \qquad
# \text{(2.2)}$$
#
# and call it equivalent to Definition 2.4 (erratum [E10](22_errata.ipynb#E10)). But for a *continuous* output every
# single $t$ has probability zero on both sides, and $0/0 = 1$. Then every continuous mechanism is 0-DP, however little
# noise it adds:


# %%
def even_probability(low, high, truth, reach):
    """The probability that truth + uniform noise from -reach to reach falls between low and
    high.
    """
    return max(0.0, min(high, truth + reach) - max(low, truth - reach)) / (2 * reach)


# %% jupyter={"source_hidden": true}
# Computed: single outputs and an event, for noise of at most 0.001
single = [even_probability(old, old, truth, 0.001) for truth in (old, old - 1)]
event = [even_probability(old - 0.001, old + 0.001, truth, 0.001) for truth in (old, old - 1)]
print("noise of at most 0.001:", end=" ")
print(f"Pr[release = {old}] is {single[0]} with you, {single[1]} without: 0/0, 'ratio 1'")
print(f"Pr[release within 0.001 of {old}] is {event[0]:.0f} with you,", end=" ")
print(f"{event[1]:.0f} without: loss infinite")

# %% [markdown]
# Usually (2.2) is read with densities instead. That is right *if both densities are taken at the same release*. For
# its averages ([05](05_averages.ipynb)) the textbook divides a noisy sum by the number of records, but compares
# densities before the division. Take two tables, one zero and two zeros: their sums are equal, so the noisy sums have
# the same density. The averages do not. (The noise here is the *continuous* twin of the noisy count, with density
# $\frac\varepsilon2 e^{-\varepsilon |x|}$: Laplace noise, [03](03_laplace.ipynb).)

# %% jupyter={"source_hidden": true}
# Computed: the ratio before the division, and of an event after it
before_division = math.exp(laplace_log_density(0, 0, 1, 1) - laplace_log_density(0, 0, 1, 1))
one_zero, two_zeros = (laplace_probability(-0.001 * n, 0.001 * n, 0, 1, 1) for n in (1, 2))
print(f"ratio of the densities of the noise at 0: {before_division:.0f}, 'loss 0'")
ratio = two_zeros / one_zero
print(f"ratio of Pr[average within 0.001 of 0]: {ratio:.3f}, loss {math.log(ratio):.3f}")

# %% [markdown]
# Dividing by 2 squeezes the outputs together and doubles their density. Errors on page [05](05_averages.ipynb) come
# from this. Events are always safe.
#
# ## Post-processing: nothing you do with a release costs more
#
# > **Theorem 2.6 (post-processing; Li et al. 2016, Proposition 2.2).** Let $g$ be a procedure, random (with its own
# > coins) or not, that does not look at the data. If $M$ is $\varepsilon$-DP, so is $g(M(D))$.
#
# <details><summary>Proof: an event of what comes out is already an event of the release.</summary>
#
# For a fixed rule $g$, what comes out lies in $T$ exactly when $M(D)$ lies in the set that $g$ sends into $T$. That
# *is already one of the events of $M$*: post-processing makes no new points in the picture, it only forgets some. If
# $g$ throws coins of its own, it is a fixed rule for each outcome of the coins. So its points are averages of old
# ones, and the region is convex. $\square$
#
# </details>

# %%
count = np.arange(outputs.size)


def moves_to(target):
    """The table of a fixed rule: row = what was released, column = what comes out of it."""
    return (target[:, None] == count).astype(float)


def towards(truth):
    """One step closer to the true count: needs the truth."""
    return moves_to(count + np.sign(truth - outputs))


USES = {
    "as it is": lambda truth: np.eye(8),
    f"{old} or more?": lambda truth: moves_to((outputs >= old).astype(int)),
    "in pairs": lambda truth: moves_to(count // 2),
    "lie half of the time": lambda truth: 0.5 * np.eye(8) + 0.5 / 8,
    "forget it": lambda truth: moves_to(0 * count),
    "a step towards the truth": towards,
}

# %% jupyter={"source_hidden": true}
# Figure: the distribution of a release times the table of a rule, and the events after it
fig, (left, right) = figure(columns=2, height=4.2)
after_without, after_with = two_laws(left, np.arange(9))
x_axis(left, "what is made of the release, 8 codes", ticks=[])
y_axis(left, limits=(0, 1.02))
(old_events,) = curves(right, [], {"event of the release": "amber ."}, markersize=4)
use_pieces = plane(right)
legend_above(fig, 4, handles=[after_without, after_with, old_events, use_pieces[1]])


def post_process(use, epsilon):
    laws = [geometric(truth, epsilon) for truth in (old, old - 1)]
    after = [law @ USES[use](truth) for law, truth in zip(laws, (old, old - 1), strict=True)]
    set_steps(after_with, after[0], np.arange(9))
    set_steps(after_without, after[1], np.arange(9))
    old_events.set_data(events @ laws[1], events @ laws[0])
    broken = set_plane(use_pieces, [np.clip(events @ law, 0, 1) for law in after], epsilon)
    told = f"loss of the release {loss(*laws):.2f}, after '{use}' {loss(*after):.2f}"
    return f"{told}; {broken} events break the guarantee"


use_figure = live(
    fig,
    post_process,
    "Left: the distribution of what is made of a release, with you and without. Right: events "
    "of the release and of what was made of it. Honest uses stay on old events or between; "
    "the cheat leaves the region.",
    task="choose the ways of using a release from left to right. The last one is a cheat: it "
    "looks at the data again.",
    guess=predict(
        "Does any event break the guarantee after a step towards the truth?",
        ["yes", "no"],
        lambda said: "yes" if numbers(said)[-1] else "no",
        use="a step towards the truth",
    ),
    use=choice(list(USES), "in pairs"),
    epsilon=log_slider(0.1, 3, 1.0, label="epsilon of the release"),
)
use_figure

# %% jupyter={"source_hidden": true}
# Computed: the loss of the release, and after each use of it
for use in USES:
    use_figure.controls["use"].value = use
    print(use_figure.caption)
use_figure.controls["use"].value = "in pairs"

# %% [markdown]
# Rounding, sorting, fitting a model to the release: all is free. Only new looks at the data cost.
#
# ## Sequential composition: looks add up
#
# > **Theorem 2.7 (sequential composition; Li et al. 2016, Proposition 2.3).** Let $M_1$ be $\varepsilon_1$-DP, and for
# > every output $s$ of $M_1$ let $M_2^{s}$ be $\varepsilon_2$-DP, with noise of its own. Release $s = M_1(D)$ and then
# > $M_2^{s}(D)$: a second question that may have been chosen *after seeing the first answer*. Both together are
# > $(\varepsilon_1 + \varepsilon_2)$-DP. By induction $k$ releases are $\sum_i \varepsilon_i$-DP.
#
# Where there are densities, one line shows it. The pair has the density $f(s)\, g_s(t)$, so at the same pair
# of outputs the losses of Definition 2.5 *add*, each with its sign:
#
# $$\ln \frac{f(s)\, g_s(t)}{f'(s)\, g'_s(t)} = \underbrace{\ln \frac{f(s)}{f'(s)}}_{\le\, \varepsilon_1}
# + \underbrace{\ln \frac{g_s(t)}{g'_s(t)}}_{\le\, \varepsilon_2} .$$
#
# <details><summary>Proof without densities: replace first the second mechanism's probabilities, then the first one's.</summary>
#
# Let $T$ be an event of pairs, and $T_s$ the set of those $t$ with $(s, t) \in T$. Write
# $h(s) = \Pr[M_2^s(D) \in T_s]$ and $h'(s)$ for the same with $D'$. Each $M_2^s$ is private, so
# $h(s) \le e^{\varepsilon_2} h'(s)$ for every $s$. And as $h'$ lies between 0 and 1, its mean is
# $\mathbb E\, h'(M_1(D)) = \int_0^1 \Pr[h'(M_1(D)) > u]\, du$, in which each probability is that of an event of
# $M_1$. Therefore
#
# $$\Pr[\text{both} \in T \mid D] = \mathbb E\, h(M_1(D)) \le e^{\varepsilon_2}\, \mathbb E\, h'(M_1(D))$$
# $$\le e^{\varepsilon_2} e^{\varepsilon_1}\, \mathbb E\, h'(M_1(D'))
# = e^{\varepsilon_1 + \varepsilon_2} \Pr[\text{both} \in T \mid D'] . \qquad \square$$
#
# </details>
#
# You vote for Dole and you are 60 or older. Two counts, here with Laplace noise, contain you:

# %%
show_source(sequential)
dole = int(voters["vote"].values.sum())
over_60 = int(np.sum(voters["age"].values >= 60))
print(f"with you {dole} for Dole and {over_60} of 60 or older;", end=" ")
print(f"without you {dole - 1} and {over_60 - 1}")
print("0.3 and 0.5 and 0.2 together:", sequential([0.3, 0.5, 0.2]))


# %%
def single_loss(noise, epsilon):
    """The loss of a release that is `noise` above the count with you."""
    with_you, without = (laplace_log_density(noise, count, 1, epsilon) for count in (0, -1))
    return with_you - without


# %% jupyter={"source_hidden": true}
# Figure: single_loss of two releases and their sum; 4,000 pairs of Laplace releases
offset = np.linspace(-6, 6, 61)
fig, (left, right) = figure(columns=2, height=3.8)
look = {"cmap": "PuOr_r", "vmin": -4, "vmax": 4}
names = "first release minus the true count", "second release minus the true count"
[picture] = maps(left, [None], (-6, 6, -6, 6), *names, **look)
(dots,) = left.plot([], [], ".", color=COLOURS.true, markersize=3)
x_axis(left, ticks=[-6, -3, 0, 3, 6], limits=(-6, 6))
fig.colorbar(picture, ax=left, label="privacy loss", shrink=0.85)
loss_bars = steps(right, [0, 0], COLOURS.noisy, edges=np.linspace(-1, 1, 3), fill=True)
pair_reached = verdict_text(left)
(limits,) = right.plot([], [], "--", color=COLOURS.other, linewidth=2)
x_axis(right, "loss of both together", (-4.2, 4.2))
y_axis(right, "fraction of 4,000 pairs", (0, 0.6), {0: "0.0", 0.2: "0.2", 0.4: "0.4"})


def two_releases(epsilon_1, epsilon_2, seed):
    both = single_loss(offset, epsilon_2)[:, None] + single_loss(offset, epsilon_1)
    set_maps([picture], both)
    noise = np.random.default_rng(seed).laplace(size=(2, 4_000))
    first, second = noise / [[epsilon_1], [epsilon_2]]
    dots.set_data(first[:400], second[:400])
    total = single_loss(first, epsilon_1) + single_loss(second, epsilon_2)
    most = epsilon_1 + epsilon_2
    bins = np.linspace(-most, most, 2 * round(most / 0.1) + 2)  # they end on it
    counted = np.histogram(np.clip(total, -most, most), bins)[0]
    set_steps(loss_bars, counted / total.size, bins)
    limits.set_data([-most, -most, np.nan, most, most], [0, 1, np.nan, 0, 1])
    reached = f"{np.mean(total > 0.999 * most):.0%} of the pairs"
    set_verdict_text(pair_reached, None, f"the sum, {most:.2g}, is reached in {reached}")
    return f"guaranteed {most:.3g}; reached in {reached}; mean loss {total.mean():.2f}"


question = "If both epsilons are 1, how large is the mean loss of a pair of releases?"
live(
    fig,
    two_releases,
    "Left: the loss of two releases together as a colour, with dots for pairs that come out. "
    "Right: how often each total loss occurs, between plus and minus the sum of epsilons.",
    task="set both epsilons to 1. The colour is the loss of each pair of releases, and the "
    "dots are 400 pairs that might come out. How often are *both* releases too high?",
    guess=predict(question, (0, 2), r"mean loss ([\d.]+)", epsilon_1=1.0, epsilon_2=1.0),
    epsilon_1=slider(0.1, 2.0, 1.0, 0.1, label="first epsilon"),
    epsilon_2=slider(0.1, 2.0, 0.5, 0.1, label="second epsilon"),
    seed=new_noise(2),
)

# %% [markdown]
# **A second question that depends on the first answer**, in numbers. The attacker first asks for the count of old
# voters. If the answer is high, she asks for it again; if not, she asks about people other than you. We compute the
# probabilities of all pairs of outputs exactly:

# %% jupyter={"source_hidden": true}
# Computed: the largest loss of two answers, the second chosen after the first
first = [geometric(truth, 0.7) for truth in (old, old - 1)]
again = [geometric(truth, 0.4) for truth in (old, old - 1)]
elsewhere = geometric(old, 0.4)
high = outputs >= old
joint = [
    f[:, None] * np.where(high[:, None], a, elsewhere)
    for f, a in zip(first, again, strict=True)
]
for name, part in (("first answer high:", high), ("first answer low:", ~high)):
    largest = loss(joint[0][part], joint[1][part])
    print(f"{name:<18} largest loss {largest:.2f}, promised {0.7 + 0.4:.2f}")
assert loss(*joint) <= sequential([0.7, 0.4]) + 1e-12

# %% [markdown]
# Post-processing is the special case $\varepsilon_2 = 0$. Adding up needs fresh noise: two releases with the same
# noise can be subtracted.
#
# > **A good place to stop.** You have the definition, and the two rules that most of the book needs. Nothing done
# > with a release costs more, and releases from the same people add up.
#
# ## Parallel composition: disjoint records
#
# If the second release looks at *other people*, the losses do not add up.
#
# > **Theorem 2.8 (parallel composition; McSherry, 2009).** Cut the records into parts, by a rule
# > that looks at one record at a time and is fixed beforehand, and run $M_i$, with noise of its own, on part $i$. If
# > each $M_i$ is $\varepsilon_i$-DP under *add/remove*, all releases together are $(\max_i \varepsilon_i)$-DP under add/remove.
#
# <details><summary>Proof: one record more is one record more in one part only.</summary>
#
# Say it is in part $j$. The releases of all other parts have the same distribution for $D$ and $D'$, and are
# independent of that of part $j$. So only its factor is left in the ratio. $\square$
#
# </details>
#
# A histogram is the usual case: counts for all seven answers about party cost no more than one count.
#
# **Under replace this fails.** The replaced record may leave part $i$ and enter part $j$. Then both releases move, and
# the loss can be $\varepsilon_i + \varepsilon_j$. And mechanisms that are private *only* under replace may publish
# exact counts: each part is 0-DP, and the whole has no guarantee. (The textbook stops here; the repair is below:
# erratum [E08](22_errata.ipynb#E08).)

# %%
show_source(parallel)

# %%
party = np.bincount(voters["PID"].values, minlength=7)
codes = np.arange(-60, 61)


def count_loss(difference, epsilon, exact):
    """The largest loss of one part's count when it moves by `difference`: over whole-number
    outputs.
    """
    if exact:
        return math.inf if difference else 0.0
    here = geometric_log_probability(codes, 0, 1, epsilon)
    there = geometric_log_probability(codes, difference, 1, epsilon)
    return loss(np.exp(here), np.exp(there))


# %% jupyter={"source_hidden": true}
# Figure: count_loss of the parts that your move touches; parallel(epsilons, 'add/remove')
fig, (left, right) = figure(columns=2, height=3.8, width_ratios=[2, 3])
steps(left, party, colour=COLOURS.pale, edges=np.arange(8) - 0.5, fill=True)
prices = [left.text(part, 4, "", ha="center") for part in range(7)]
(leaving,) = left.plot([0], [0], "v", color=COLOURS.other, markersize=10, label="you leave")
(entering,) = left.plot([0], [0], "^", color=COLOURS.third, markersize=10, label="you enter")
x_axis(left, "party, 0 Democrat to 6 Republican", (-0.6, 6.6), list(range(7)))
y_axis(left, "voters (at the foot: epsilon of the part)", (0, 230))
ROWS = ["you join", "you leave", "you move,\nas if max held", "you move,\n2 max"]
four = meter(right, ROWS, 3.6)
moved_told = verdict_text(left)
four.claim.set_visible(False)
(claims,) = right.plot([], [], "k--", label="claimed", linewidth=2, zorder=1.5)
legend_above(fig, 3, handles=[leaving, entering, claims])


def parts(leave, enter, epsilon_high, counts):
    exact = counts == "exact counts"
    epsilons = np.where(np.arange(7) < 3, 0.5, epsilon_high)
    step = {"join": np.eye(7, dtype=int)[enter], "leave": -np.eye(7, dtype=int)[leave]}
    step["move"] = step["join"] + step["leave"]
    losses = {
        way: sum(count_loss(int(d), e, exact) for d, e in zip(change, epsilons, strict=True))
        for way, change in step.items()
    }
    largest = 0.0 if exact else parallel(epsilons, "add/remove")
    claim = max(largest, 1e-9)  # the meter asks for a claim above 0
    for price, epsilon in zip(prices, epsilons, strict=True):
        price.set_text("0" if exact else f"{epsilon:.1f}")
    leaving.set_data([leave - 0.1], [party[leave] + 12])
    entering.set_data([enter + 0.1], [party[enter] + 12])
    found = [losses[way] for way in ("join", "leave", "move", "move")]
    set_meter(four, found, [claim, claim, claim, 2 * claim])
    set_verdict_text(moved_told, None, f"you move: loss {amount(losses['move'])}")
    claims.set_data(np.repeat([largest, 2 * largest], [3, 2]), [-0.4, 2.4, np.nan, 2.6, 3.4])
    words = ", ".join(f"you {way} {amount(loss_of)}" for way, loss_of in losses.items())
    return f"privacy loss: {words}; the largest epsilon of a part is {largest:.3g}"


live(
    fig,
    parts,
    "Left: voters by party, with the part that you leave and the part that you enter. Right: "
    "a privacy meter with four rows: you join, you leave, you move claimed at the largest "
    "epsilon, you move claimed at twice the largest.",
    task="move yourself from part 2 to part 4 and look at the four rows. Then choose the same "
    "part twice. Then take *exact counts*, which are 0-DP under replace.",
    leave=slider(0, 6, 2, label="leave part"),
    enter=slider(0, 6, 4, label="enter part"),
    epsilon_high=slider(0.1, 1.5, 1.0, 0.1, label="epsilon of parts 3 to 6 (others 0.5)"),
    counts=choice(["noisy counts", "exact counts"], "noisy counts"),
)

# %% [markdown]
# The repair: if each part's mechanism is private under *add/remove*, the whole
# is $2 \max_i \varepsilon_i$-DP under replace. At $\varepsilon = 1$ for every part:

# %% jupyter={"source_hidden": true}
# Computed: the loss when a voter changes the part, and both rules
one_more, one_less = count_loss(1, 1.0, False), count_loss(-1, 1.0, False)
print(f"one part gains a voter: loss {one_more:.2f}; another loses one:", end=" ")
print(f"{one_less:.2f}; both {one_more + one_less:.2f}")
for relation in ("add/remove", "replace"):
    print(f"parallel([1] * 7, {relation!r}) = {parallel([1.0] * 7, relation):g}")
assert math.isclose(one_more + one_less, parallel([1.0] * 7, "replace"))

# %% [markdown]
# ### Two rules that the parts must keep
#
# *The number of parts must not depend on the data.* Suppose that the releases end with the last part that has a
# record. If you are alone in it, their number reveals you. Only a bound that is fixed beforehand is safe.

# %% jupyter={"source_hidden": true}
# Computed: the number of releases by decade of age, without and with a voter of 100
ages = voters["age"].values
decades = ages // 10
alone = np.append(decades, 10)
print("releases by decade of age:", end=" ")
print(f"{decades.max() + 1} without a voter of 100 years, {alone.max() + 1} with one")
print("with noise of any size in each count, the loss of this difference is infinite")

# %% [markdown]
# *The rule looks at one record at a time.* Parts of equal size, "the youngest tenth, the next tenth, ...", are cut at
# places that depend on everybody. A voter who leaves pushes others over the cuts. How far do the ten counts of votes
# for Dole move together when one voter leaves?


# %%
def tenths(ages, votes):
    """Votes for Dole among the youngest tenth of the voters, the next tenth, and so on."""
    ranked = votes[np.argsort(ages, kind="stable")]
    return np.array([part.sum() for part in np.array_split(ranked, 10)])


# %% jupyter={"source_hidden": true}
# Computed: how far the counts of ten equal parts move when one voter leaves
votes = voters["vote"].values
without = [tenths(np.delete(ages, i), np.delete(votes, i)) for i in range(ages.size)]
changes = np.abs(np.array(without) - tenths(ages, votes)).sum(axis=1)
print(f"one voter leaves: the ten counts together move by {changes.min()} to {changes.max()}")
print("as parts at epsilon 1 each:", end=" ")
print(f"promised {parallel([1.0] * 10, 'add/remove'):g}, loss up to {changes.max()}")

# %% [markdown]
# ## Convexity: a coin that does not look
#
# > **Theorem 2.9 (convexity; Kifer and Lin, 2010).** Throw a coin that does not
# > depend on the data, and run $M_1$ if it shows heads, else $M_2$. If both are $\varepsilon$-DP, so is the mixture.
# > The same holds for a choice among any number of mechanisms, and when the choice is published.
#
# <details><summary>Proof: an event of the mixture lies on the line between two events, and the region is convex.</summary>
#
# Let heads have probability $p$. An event has probabilities $p\, a + (1-p)\, b$ and $p\, a' + (1-p)\, b'$,
# with $a \le e^\varepsilon a'$ and $b \le e^\varepsilon b'$. $\square$
#
# </details>

# %% jupyter={"source_hidden": true}
# Figure: p times one distribution plus 1 - p times the other, and their log ratio
fig, (left, right) = figure(columns=2, height=3.6)
mix_without, mix_with = two_laws(left, edges, "mixture ")
looks = {"noise": "noisy ^:", "liar": "other s:", "mixture": "true o-"}
lines = curves(right, outputs, looks, ends=True)
lines[2].set_markersize(7)
ends = curves(right, outputs[[0, -1]], {"": "third --", " ": "third --"})
x_axis(right, "released count")
y_axis(right, "ln (with / without)", (-6, 6))
mixture_verdict = verdict_text(left)
legend_above(fig, 2)


def mixture(p, epsilon, p_depends_on_data):
    shares = (p, 1 - p if p_depends_on_data else p)
    noise, lies = ([law(old, epsilon), law(old - 1, epsilon)] for law in (geometric, liar))
    pairs = zip(shares, noise, lies, strict=True)
    mixed = [share * a + (1 - share) * b for share, a, b in pairs]
    set_steps(mix_with, mixed[0], edges)
    set_steps(mix_without, mixed[1], edges)
    set_curves(lines, [np.log(law) - np.log(other) for law, other in (noise, lies, mixed)])
    set_curves(ends, [epsilon, -epsilon])
    lost = loss(*mixed)
    said = verdict(lost, epsilon, certain=True)
    set_verdict_text(mixture_verdict, said, f"loss {lost:.3g}: {said}")
    parts_lost = f"noise {loss(*noise):.3g}, liar {loss(*lies):.3g}"
    return f"loss: {parts_lost}, mixture {lost:.3g}: {said}"


mixture_figure = live(
    fig,
    mixture,
    "Left: the distribution of a mixture of two mechanisms, with you and without. Right: the "
    "log ratio at each output for both and for the mixture, with lines at ± epsilon.",
    task="slide $p$ from 0 to 1: the black dots run from the loss of the liar to that of the "
    "noise, and never leave the band. Then let $p$ depend on the data (with you $p$, "
    "without you $1 - p$).",
    p=slider(0.0, 1.0, 0.3, 0.05, label="p, probability of the noise"),
    epsilon=log_slider(0.1, 2, 1.0, label="claimed epsilon"),
    p_depends_on_data=switch(False),
)
mixture_figure

# %% [markdown]
# Nobody would let a coin depend on the data on purpose. But "run both methods, and publish the one that fits this data
# better" does. The choice is a look at the data, and costs.
#
# By convexity, parallel composition holds for *random* parts too: each record throws its own coin to choose its part.
# Here the old voters fall into two parts by such coins, and we compute the loss of both noisy counts exactly:

# %% jupyter={"source_hidden": true}
# Computed: the loss of the mixture, and of two parts that coins have made
for depends in (False, True):
    mixture_figure.controls["p_depends_on_data"].value = depends
    print(f"p depends on the data: {depends!s:<5}  {mixture_figure.caption}")
mixture_figure.controls["p_depends_on_data"].value = False

ways = np.arange(old + 1)
for coin in (0.5, 0.9):
    laws = []
    for n in (old, old - 1):
        chance = [math.comb(n, k) * coin**k * (1 - coin) ** (n - k) for k in ways[: n + 1]]
        cases = [np.outer(geometric(k, 1), geometric(n - k, 1)) for k in ways[: n + 1]]
        laws.append(sum(c * case for c, case in zip(chance, cases, strict=True)))
    print(f"coin {coin}:", end=" ")
    print(f"two parts at epsilon 1, loss of both together {loss(*laws):.3f}, promised 1")
    assert loss(*laws) <= parallel([1, 1], "add/remove") + 1e-12

# %% [markdown]
# ## Sampling: being in the data only perhaps
#
# Draw each record with probability $q$, keep secret who was drawn, and run $M$ on those (*Poisson sampling*).
#
# > **Corollary 2.10 (privacy amplification by sampling; Kasiviswanathan and others, 2008; Li, Qardaji, Su, 2012).** If
# > $M$ is $\varepsilon$-DP under add/remove, then $M$ on the sample is $\varepsilon'$-DP under add/remove, with
# > $$\varepsilon' = \ln \bigl( 1 + q\, (e^{\varepsilon} - 1) \bigr) .$$
#
# <details><summary>Proof: with your record, an event mixes "you were drawn" and "you were not".</summary>
#
# Fix who else was drawn. Let an event have probability $a$ when you were drawn and $b$ when you were not; $M$ is
# private, so $a \le e^\varepsilon b$ and $b \le e^\varepsilon a$. Without your record its probability is $b$. With
# it, it is the mixture $q\, a + (1 - q)\, b$. That is at most $(1 + q (e^\varepsilon - 1))\, b$, and at least
# $(1 - q + q e^{-\varepsilon})\, b$, where $(1 - q + q e^{-\varepsilon})(1 - q + q e^{\varepsilon}) \ge 1$. By
# convexity the same holds for the mixture over who else was drawn. $\square$
#
# </details>

# %% jupyter={"source_hidden": true}
# Figure: q times the distribution with you plus 1 - q times that without, and its region
fig, (left, right) = figure(columns=2, height=4.2)
drawn_without, drawn_with = two_laws(left, edges)
outline = PolyCollection([region_corners(1)], facecolor="none", edgecolor=COLOURS.grey)
whole_region = right.add_collection(outline)
sampled_pieces = plane(right)
legend_above(fig, 4)


def sampled(q, epsilon, attacker_knows):
    you_drawn, you_not = (geometric(truth, epsilon) for truth in (old, old - 1))
    laws = [you_drawn if attacker_knows else q * you_drawn + (1 - q) * you_not, you_not]
    amplified = math.log1p(q * math.expm1(epsilon))
    set_steps(drawn_with, laws[0], edges)
    set_steps(drawn_without, laws[1], edges)
    whole_region.set_verts([region_corners(epsilon)])
    outside = set_plane(sampled_pieces, [events @ law for law in laws], amplified)
    told = f"loss {loss(*laws):.3g}; {outside or 'no'} events break that"
    return f"{epsilon:.3g} on the sample guarantees {amplified:.3g}; {told}"


question = "If a tenth is drawn and the sample gets epsilon 1, what is your epsilon?"
sampled_figure = live(
    fig,
    sampled,
    "Left: the distribution of a count of a sample in which you are with probability q, and "
    "the one without you. Right: the region of the mechanism as an outline, inside it the "
    "smaller region of the sampled mechanism with its events.",
    task=r"at $\varepsilon = 2$, slide $q$ down. Where do the events go, and does the smaller "
    "region still hold them all? Then let the attacker know that you were drawn.",
    guess=predict(question, (0, 1), r"guarantees ([\d.]+)", q=0.1),
    q=slider(0.01, 1.0, 0.3, 0.01, label="q, probability to be drawn"),
    epsilon=log_slider(0.1, 3, 1.0, label="epsilon on the sample"),
    attacker_knows=switch(False, label="the attacker knows that you were drawn"),
)
sampled_figure

# %% jupyter={"source_hidden": true}
# Computed: what 0.1, 1 and 3 become by sampling, and what they become if the sample is known
for q in (0.5, 0.1, 0.01):
    small, one, large = (math.log1p(q * math.expm1(epsilon)) for epsilon in (0.1, 1.0, 3.0))
    print(f"q = {q:<4}: 0.1 becomes {small:.4f}, 1 becomes {one:.4f},", end=" ")
    print(f"3 becomes {large:.3f}")
sampled_figure.controls["attacker_knows"].value = True
print(sampled_figure.caption)
sampled_figure.controls["attacker_knows"].value = False

# %% [markdown]
# For small $\varepsilon$ that is about $q\, \varepsilon$. The corollary needs a sample that nobody learns, a coin of
# its own for each record, and the relation add/remove. For *replace*, and for samples of fixed size, see
# [25](25_accounting.ipynb).
#
# ## A budget that says no
#
# Sequential composition turns privacy into an account: fix a total beforehand, and enter each release *before* it is
# made. `Budget` keeps it. It refuses what would overspend, and leaves the ledger as it was.

# %%
show_source(Budget.spend)
budget = Budget(1.0)
rng = np.random.default_rng(5)
noisy_dole = geometric_mechanism(dole, 1, budget.spend(0.5, "votes for Dole"), rng)
noisy_old = geometric_mechanism(over_60, 1, budget.spend(0.3, "voters of 60 or older"), rng)
try:
    budget.spend(0.3, "votes for Dole, once more")
except BudgetExceeded as refusal:
    print(f"refused: {refusal}")
print(budget)
assert [line.epsilon for line in budget.ledger] == [0.5, 0.3]

# %%
young = int(np.sum(ages <= 30))


def noisy_count(count, epsilon, rng):
    """The release, and how far off it is on average: both may be published."""
    released = geometric_mechanism(count, 1, epsilon, rng)
    return f"{released}, give or take {1 / math.sinh(epsilon):.1f}"


def noisy_fraction(counts, epsilon, rng):
    """The fraction of Democrats, from a noisy histogram: post-processing."""
    released = geometric_mechanism(counts, 1, epsilon, rng)
    return f"seven counts, so {released[:3].sum() / released.sum():.1%} Democrats"


TOPICS = {
    "votes for Dole": lambda e, rng: noisy_count(dole, e, rng),
    "voters of 60+": lambda e, rng: noisy_count(over_60, e, rng),
    "party histogram": lambda e, rng: noisy_fraction(party, e, rng),
    "voters up to 30": lambda e, rng: noisy_count(young, e, rng),
}
account = {"budget": Budget(1.0), "answers": [], "presses": (0, 0), "said": ""}


def pay(question, epsilon, seed):
    """Enter the epsilon, then release: never the other way round."""
    paid = account["budget"].spend(epsilon, question)
    account["answers"].append(TOPICS[question](paid, np.random.default_rng([9, seed])))


pay("party histogram", 0.2, 0)
pay("voters up to 30", 0.1, 0)

# %% jupyter={"source_hidden": true}
# Figure: pay(question, epsilon, seed), and the ledger as it then stands
FILLS = [COLOURS.noisy, COLOURS.third, COLOURS.amber, COLOURS.fourth]
LATEST = 6
fig, (bar, book) = figure(rows=2, height=4.0, height_ratios=[1, 2])
shares = bar.barh([0] * LATEST, [0] * LATEST, 0.8, edgecolor="black", linewidth=0.8)
(earlier,) = bar.barh([0], [0], 0.8, facecolor=COLOURS.pale, edgecolor="black")
look = {"facecolor": "none", "edgecolor": COLOURS.other, "hatch": "//", "linewidth": 1.5}
(wish,) = bar.barh([0], [0], 0.8, **look)
bar.axvline(1, color=COLOURS.true, linewidth=2.5)
x_axis(bar, "epsilon spent", (0, 1.5))
y_axis(bar, None, (-0.6, 0.6), [])
bar.text(1.01, 0.44, "the end of\nthe budget", va="top")
budget_said = bar.set_title("left", weight="bold", size=12, loc="left")
book.axis("off")
book.set(xlim=(0, 1), ylim=(LATEST, -1.2))
COLUMNS = {0.03: "ledger: purpose", 0.38: "epsilon", 0.52: "released"}
for x, words in COLUMNS.items():
    book.text(x, -0.6, words, weight="bold", va="center")
lines_written = [
    [book.text(x, row + 0.3, "", va="center") for x in COLUMNS] for row in range(LATEST)
]
seals = [book.plot([0.008], [row + 0.3], "s", markersize=8)[0] for row in range(LATEST)]


def ledger(question, epsilon, spend, renew):
    account["said"] = ""
    if renew != account["presses"][1]:
        account.update(budget=Budget(1.0), answers=[])
    elif spend != account["presses"][0]:
        try:
            pay(question, epsilon, spend)
        except BudgetExceeded as refusal:
            account["said"] = f"REFUSED: {refusal}. "
    account["presses"] = (spend, renew)
    paid, budget = account["budget"].ledger, account["budget"]
    left_edge = sum(entry.epsilon for entry in paid[:-LATEST])
    earlier.set_width(left_edge)
    pieces = zip(shares, seals, lines_written, strict=True)
    written = itertools.zip_longest(pieces, paid[-LATEST:], account["answers"][-LATEST:])
    for (share, seal, cells_of_row), entry, answer in written:
        spent = entry.epsilon if entry else 0
        fill = FILLS[list(TOPICS).index(entry.purpose)] if entry else "none"
        share.set(x=left_edge, width=spent, facecolor=fill)
        seal.set_color(fill)
        left_edge += spent
        words = (entry.purpose, f"{spent:.3g}", answer) if entry else ("", "", "")
        for cell, word in zip(cells_of_row, words, strict=True):
            cell.set_text(word)
    wish.set(x=left_edge, width=epsilon, edgecolor=FILLS[list(TOPICS).index(question)])
    refused, left_over = bool(account["said"]), f"{budget.remaining:.3g} left"
    ink = COLOURS.other if refused else COLOURS.true
    told = f"{'✗ REFUSED' if refused else left_over}; next: {question} for {epsilon:.3g}"
    budget_said.set(text=told, color=ink)
    return f"{account['said']}{left_over}. Next: {question} for {epsilon:.3g}"


live(
    fig,
    ledger,
    "Above, the budget as a bar: releases already paid, one block each, and the next wish "
    "hatched, which may reach beyond the end of the budget. Below, the ledger with purpose, "
    "epsilon and what was released, the latest six.",
    task="press *Spend* until the budget says no. Then *New budget*, and try to answer all "
    "four questions, each with an error that you could live with.",
    question=choice(list(TOPICS), "votes for Dole"),
    epsilon=slider(0.05, 0.5, 0.3, 0.05),
    spend=new_noise(0, label="Spend", icon="check"),
    renew=new_noise(0, label="New budget"),
)

# %% [markdown]
# The account is only as honest as the person who keeps it. It cannot see whether a mechanism really uses the epsilon
# that was entered, which neighbours its sensitivity is for, or what happens elsewhere. And it belongs to the *data*,
# not to a user: two users with a budget of 1 each, who talk to each other, have 2.
#
# That is why few data holders answer questions *interactively*: the budget ends, and all users share it. The other
# settings (Li et al. 2016, section 2.6) first ask what is wanted. It may be one task, such as a model
# ([10](10_clustering.ipynb) to [12](12_trees.ipynb)). It may be one *synopsis*, published once, from which many
# answers follow as post-processing ([08](08_histograms.ipynb), [13](13_marginals.ipynb)). Or there is no data holder
# at all ([07](07_local.ipynb)).
#
# Disjoint parts are entered once, with `parallel`:

# %%
budget = Budget(1.0)
each = budget.spend(parallel([0.4] * 7, "add/remove"), "seven party counts, disjoint")
noisy_party = geometric_mechanism(party, 1, each, np.random.default_rng(6))
print("true    ", party)
print("released", noisy_party, " for", budget.ledger[0].epsilon, "in all")
half = noisy_party[:3].sum() / noisy_party.sum()
print(f"share of Democrats, from the release: {half:.1%}", end=" ")
print(f"(true {party[:3].sum() / party.sum():.1%}); costs nothing more")

# %% [markdown]
# ## Error against the number of answers
#
# With a total of $\varepsilon = 1$ for $k$ counts, how far off is each one? If $\varepsilon$ is split evenly
# (sequential), each gets noise for $\varepsilon/k$. If the counts are of disjoint people, each gets noise for
# $\varepsilon$ (parallel). And if the questions are $k$ *ranges* of the ages from 18 to 120, one noisy histogram answers all, by
# sums of its bars. Its error is exact, over all ranges.

# %% jupyter={"source_hidden": true}
# Figure: the mean error of k counts in three ways, against k
counts_asked = np.array([1, 3, 10, 30, 100, 300, 1_000, 5_356])
years = np.arange(18, 121)  # chosen without a look at the data
starts, stops = np.triu_indices(years.size)
one_bar = np.exp(geometric_log_probability(codes, 0, 1, 1.0))
noise, of_length = np.ones(1), []  # of a sum of 1, 2, ... bars: its law, its mean error
for _ in years:
    noise = np.convolve(noise, one_bar)
    of_length.append(noise @ np.abs(np.arange(noise.size) - noise.size // 2))
by_bars = np.array(of_length)[stops - starts].mean()
mean_error = {
    "sequential": 1 / np.sinh(1 / counts_asked),
    "one histogram of ages, summed": np.full(counts_asked.size, by_bars),
    "parallel (disjoint only)": np.full(counts_asked.size, 1 / np.sinh(1)),
}
fig, ax = figure(height=3.2)
looks = dict(zip(mean_error, ("true --", "third -.", "noisy :"), strict=True))
curves(ax, counts_asked, looks, mean_error.values(), linewidth=2)
half_of_all = voters["age"].values.size / 2
ax.axhline(half_of_all, color=COLOURS.grey, linewidth=0.8)
ax.text(1, half_of_all * 1.15, "half of all voters")
x_axis(ax, "counts released, k", ticks=[1, 10, 100, 1_000], log=True)
y_axis(ax, "mean error, voters", (0.5, 8_000), [1, 10, 100, 1_000], log=True)
legend_above(fig, 3)
show(
    fig,
    "Mean error of each of k counts at a total epsilon of 1, on log axes: an even split grows "
    "like k, a histogram whose bars are summed stays at some voters whatever k is, and "
    "disjoint counts stay below one voter.",
)

# %% jupyter={"source_hidden": true}
# Computed: the mean errors, and the number of ranges at which the histogram wins
print(f"{starts.size:,} ranges over {years.size} ages;", end=" ")
print(f"a sum of bars is off by {by_bars:.1f} voters on average")
first_gain = next(k for k in range(1, 100) if 1 / math.sinh(1 / k) > by_bars)
print(f"from k = {first_gain} ranges on the histogram is the better way to ask")
by_k = pd.DataFrame(mean_error, index=pd.Index([f"{k:,}" for k in counts_asked], name="k"))
by_k.map("{:,.1f}".format)

# %% [markdown]
# Already for a handful of ranges, one histogram is better than asking for each. Better questions gain even more: see
# [08](08_histograms.ipynb).
#
# **Beyond sums.** That $k$ releases cost $k \varepsilon$ is the worst case, in which every release goes against you.
# With fresh noise that is rare, and a small slack $\delta$ allows a smaller total. *Advanced composition* (Dwork,
# Rothblum, Vadhan, 2010) grows like $\sqrt k$ for small $\varepsilon$. The *optimal* total for $k$ mechanisms that are
# only known to be $\varepsilon$-DP is known too (Kairouz, Oh, Viswanath, 2015). [25](25_accounting.ipynb) computes the
# total for any mechanisms; what $\delta$ is, and is not, is the subject of [24](24_gaussian.ipynb).
#
# > **Definition 2.11 (slack; Dwork, Kenthapadi, McSherry, Mironov, Naor, 2006).** $M$ is $(\varepsilon, \delta)$-DP if
# > for all neighbours and all events $\Pr[M(D) \in T] \le e^\varepsilon \Pr[M(D') \in T] + \delta$.
#
# So $\delta$ is what *every event* may have beyond $e^\varepsilon$ times its twin; the smallest $\delta$ is the
# *hockey-stick divergence*. But $\delta$ is *not* the probability that the loss exceeds $\varepsilon$, as two answers
# to a yes/no question show, each true with probability 3/4 ($\varepsilon = \ln 3$):

# %% jupyter={"source_hidden": true}
# Computed: the slack of two answers, and three totals for many releases
with_you = np.outer([3, 1], [3, 1]).ravel() / 16
without_you = np.outer([1, 3], [1, 3]).ravel() / 16
least_delta = np.maximum(0, with_you - 3 * without_you).sum()
beyond = with_you[np.log(with_you / without_you) > np.log(3) + 1e-9].sum()
print(f"two answers at ln 3: smallest delta for a total of ln 3 is {least_delta};", end=" ")
print(f"Pr[loss > ln 3] = {beyond}")
for epsilon, k in ((0.5, 3), (0.1, 100), (0.01, 10_000), (1.0, 1_000)):
    bounds = [k * epsilon, *(bound(epsilon, k, 1e-6) for bound in (advanced, optimal))]
    named = zip(("sum", "advanced", "optimal"), bounds, strict=True)
    words = ", ".join(f"{name} {bound:,.2f}" for name, bound in named)
    print(f"{k:>6,} releases at {epsilon:>4}, delta 1e-6: {words}")

# %% [markdown]
# ## Where it breaks
#
# You have met the shorter definition, parallel composition under replace, a number of parts read off the data, and
# parts that depend on other records. A fifth break is to change the relation on the way. The textbook starts with
# *add/remove* and later, in places, works with a sensitivity for *replace*. That changes the guarantee:

# %% jupyter={"source_hidden": true}
# Computed: the sensitivities under both relations, and the losses that follow
for name in ("how many records", "histogram of the visits"):
    here, there = sensitivity[name].values()
    print(f"{name:<24} moves by {here} under add/remove and by {there} under replace")
losses = {"histogram, noise for 1:": (f"{one_more:.0f}", f"{one_more + one_less:.0f}")}
exact_number = [amount(count_loss(moved_by, 1.0, True)) for moved_by in (1, 0)]
losses["number of records, exact:"] = exact_number
for name, (added, replaced) in losses.items():
    print(f"{name:<25} loss {added} of an added record, {replaced} of a replaced one")

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/02_composition](../exercises/answers/02_composition.ipynb).
#
# **Assignment 02:** [five tasks, checked in a second](../exercises/releases/02_composition.ipynb).
#
# 1. *Warm-up.* In the figure of the definition, take "half of that noise" at $\varepsilon = 0.5$. What would be an
#    honest claim for it? Check it by moving $\varepsilon$ for "whole-number noise".
# 2. In the very first figure set $\varepsilon = 0.5$ and find the first step of *questions* with 95% of the votes.
#    Press *New noise* five times: was it luck? How much $\varepsilon$ is that in all (`sequential`)? If the whole
#    attack may cost 1, how much is left for each question? What does the attack find now? (Call
#    `reconstruct(epsilon, questions, 1)`: the slider ends at 0.05.)
# 3. Edit the table: add two rows. Do the sensitivities change? Why is that so?
# 4. Write a post-processing rule into `USES` that gives *fewer* points in the plane than "in pairs". Which rule gives
#    the fewest?
# 5. A survey draws each of its records with $q = 0.05$ and wants to guarantee 0.2. Which $\varepsilon$ may the
#    mechanism use on the sample? Solve the formula of Corollary 2.10 for $\varepsilon$, and check it with the figure.
#    What if the people who were drawn tell their friends?
# 6. *Challenge.* Make three releases of $\varepsilon = 1$ on *overlapping* parts: every record is in exactly two of
#    three. Neither sequential composition (3) nor parallel (1) fits. What is the total under add/remove? Under
#    replace? Prove it. Show with `loss` on two noisy counts a part that both numbers are reached.

# %% [markdown]
# ## When to use which
#
# **Sequential** for releases about the same people: always right, also when questions depend on answers.
# **Parallel** whenever the groups are disjoint, under add/remove, with parts fixed beforehand. **Sampling** when who
# was drawn stays secret (a count from all records is better). **Post-processing** always. For hundreds of releases, with
# a $\delta$, use a numerical accountant ([25](25_accounting.ipynb)). None helps when somebody asks without end: the
# budget must refuse, or one release serve all. What exact sums give away: [31](31_memory.ipynb#Tables-from-tables).
#
# ## Sources
#
# <details><summary>The textbook and the papers that this page uses.</summary>
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to Practice*, Morgan &
#   Claypool, 2016, [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018): sections
#   2.1 and 2.2 (the textbook's Definition 2.1, Propositions 2.2 to 2.10); section 2.6, the settings.
# - Cynthia Dwork, Frank McSherry, Kobbi Nissim, Adam Smith: *Calibrating noise to sensitivity in private data
#   analysis*, TCC 2006, [doi:10.1007/11681878_14](https://doi.org/10.1007/11681878_14): the definition.
# - Irit Dinur, Kobbi Nissim: *Revealing information while preserving privacy*, PODS 2003,
#   [doi:10.1145/773153.773173](https://doi.org/10.1145/773153.773173): the attack at the top, Theorem 2.2.
# - Cynthia Dwork, Sergey Yekhanin: *New efficient attacks on statistical disclosure control mechanisms*, CRYPTO 2008,
#   [doi:10.1007/978-3-540-85174-5_26](https://doi.org/10.1007/978-3-540-85174-5_26): the attack made fast.
# - Larry Wasserman, Shuheng Zhou: *A statistical framework for differential privacy*, JASA 105, 2010,
#   [doi:10.1198/jasa.2009.tm08651](https://doi.org/10.1198/jasa.2009.tm08651): privacy as a test.
# - Peter Kairouz, Sewoong Oh, Pramod Viswanath: *The composition theorem for differential privacy*, ICML 2015,
#   [proceedings.mlr.press/v37/kairouz15](https://proceedings.mlr.press/v37/kairouz15.html): the region; the optimum.
# - Frank McSherry: *Privacy integrated queries*, SIGMOD 2009,
#   [doi:10.1145/1559845.1559850](https://doi.org/10.1145/1559845.1559850): parallel composition, a budget in a
#   database.
# - Daniel Kifer, Bing-Rong Lin: *Towards an axiomatization of statistical privacy and utility*, PODS 2010,
#   [doi:10.1145/1807085.1807106](https://doi.org/10.1145/1807085.1807106): post-processing and convexity as axioms.
# - Shiva Kasiviswanathan, Homin Lee, Kobbi Nissim, Sofya Raskhodnikova, Adam Smith: *What can we learn privately?*,
#   FOCS 2008, [doi:10.1109/FOCS.2008.27](https://doi.org/10.1109/FOCS.2008.27): sampling.
# - Ninghui Li, Wahbeh Qardaji, Dong Su: *On sampling, anonymization, and differential privacy*, ASIACCS 2012,
#   [doi:10.1145/2414456.2414474](https://doi.org/10.1145/2414456.2414474): the formula of Corollary 2.10.
# - Cynthia Dwork, Krishnaram Kenthapadi, Frank McSherry, Ilya Mironov, Moni Naor: *Our data, ourselves: privacy via
#   distributed noise generation*, EUROCRYPT 2006, [doi:10.1007/11761679_29](https://doi.org/10.1007/11761679_29): the
#   slack $\delta$.
# - Cynthia Dwork, Guy Rothblum, Salil Vadhan: *Boosting and differential privacy*, FOCS 2010,
#   [doi:10.1109/FOCS.2010.12](https://doi.org/10.1109/FOCS.2010.12): advanced composition.
#
# </details>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [01 Incidents: how published data gave people away](01_incidents.ipynb) · **Next:** [03 The Laplace mechanism](03_laplace.ipynb)
