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
# # 06 What does epsilon promise?
#
# The mathematics says that probabilities change by a factor of at most $e^\varepsilon$. This page turns the factor into
# beliefs: how sure can somebody become about *you*?
#
# <details><summary>About 45 minutes, after 02 and 03: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [05 Averages, six ways](05_averages.ipynb) · **Next:** [07 Local privacy: randomized response](07_local.ipynb)
#
# **Assignment 06:** [five tasks, checked in a second](../exercises/releases/06_meaning.ipynb)
#
# **You will see** why no useful study can keep everybody from learning about you, and what differential privacy
# guarantees instead. How far can a belief move: of a stranger, of somebody who knows everybody else, of somebody who
# knows your family? And what does the guarantee not cover?
#
# **You will do:** publish a study and see what it does to a smoker who is not in it. Move $p$ and $\varepsilon$
# through a table of decisions, and find a belief that leaves it. Let a family fall ill together. Choose an
# $\varepsilon$ from a belief that nobody may exceed.
#
# **You need:** [02 Composition](02_composition.ipynb) for the privacy region, [03 The Laplace
# mechanism](03_laplace.ipynb), and Bayes' rule, which the page recalls.
#
# **Time:** about 45 minutes. A good place to stop is before *How far apart are the two worlds?*.
#
# **Real and synthetic:** smokers, voters and health insurance records are real. The network of friends is a *synthetic*
# stand-in. Carl, Bob and their families are invented.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import math

import numpy as np
from matplotlib.collections import PolyCollection

from dpbook.amounts import amount, percent
from dpbook.live import live, log_slider, slider
from dpbook.meaning import belief_interval
from dpbook.plots import (
    COLOURS,
    curves,
    figure,
    set_curves,
    set_verdict_text,
    verdict_text,
    x_axis,
    y_axis,
)

# %% jupyter={"source_hidden": true}
# Figure: belief_interval(before, epsilon), what somebody may believe after the worst release
every = np.geomspace(0.01, 10, 121)
fig, ax = figure(height=2.5)
looks = {"at most": "noisy", "before": "true --", "at the lowest": "noisy"}
ends_of_belief = curves(ax, every, looks, ends=True, linewidth=2)
possible = ax.add_collection(PolyCollection([[(0, 0)]], facecolor=COLOURS.light, alpha=0.4))
look = {"color": COLOURS.other, "linewidth": 3, "markersize": 8, "clip_on": False}
(now_possible,) = ax.plot([], [], "o-", in_layout=False, **look)
x_axis(ax, "epsilon", (0.01, 10), [0.01, 0.1, 1, 10], log=True)
y_axis(ax, "belief that you are in the data", (0, 1), {0: "0%", 0.5: "50%", 1: "100%"})
sure_told = verdict_text(ax)


def sure(before, epsilon):
    low, high = np.array([belief_interval(before, one) for one in every]).T
    set_curves(ends_of_belief, [high, before, low])
    around = np.column_stack([np.append(every, every[::-1]), np.append(high, low[::-1])])
    possible.set_verts([around])
    low, high = belief_interval(before, epsilon)
    now_possible.set_data([epsilon, epsilon], [low, high])
    told = f"{percent(before)}% sure before, at most {percent(high)}% after any release"
    set_verdict_text(sure_told, None, told)
    return (
        f"epsilon {epsilon:.3g}: the odds move by a factor of at most "
        f"{amount(math.exp(epsilon))}, so the belief ends between {percent(low)}% and "
        f"{percent(high)}%"
    )


live(
    fig,
    sure,
    "A band around the belief before, against epsilon: narrow at small epsilon, and nearly "
    "everything from 0 to 100 percent at epsilon 10. A vertical line shows the band at the "
    "chosen epsilon.",
    task="move *epsilon*: where does the guarantee stop meaning anything?",
    play="epsilon",
    before=slider(0.01, 0.99, 0.5, 0.01, label="belief before"),
    epsilon=log_slider(0.01, 10, 0.1),
)

# %% [markdown]
# Somebody suspects that you are in the data. With [epsilon 0.1](#move:before=0.5&epsilon=0.1) no release can change
# that much. With [epsilon 1](#move:before=0.5&epsilon=1) it can, and with [epsilon 5](#move:before=0.1&epsilon=5) a
# weak suspicion may become near certainty. Where does this band come from, and against whom does it hold? First, what
# cannot be guaranteed.

# %% jupyter={"source_hidden": true}
# What the next sections import
import pandas as pd
from scipy.special import expit, logit

from dpbook import data
from dpbook.amounts import probability
from dpbook.guesses import calibration, own_record, predict
from dpbook.laplace import laplace_log_density, laplace_mechanism, laplace_probability
from dpbook.live import choice, new_noise, show_source
from dpbook.meaning import (
    closeness_interval,
    epsilon_for_belief,
    group_epsilon,
    largest_distance,
    posterior,
    statistical_distance,
)
from dpbook.plots import legend_above, own_point, set_own_point, set_steps, steps

# %% jupyter={"source_hidden": true}
# Computed: studies of smoking and lung cancer, their patients and the others
STUDIES = {city: data.smoking()[city].values for city in ("Taiyuan", "Beijing", "Shanghai")}
STUDIES["all eight cities"] = sum(people.values for people in data.smoking().values())
for name, people in STUDIES.items():
    print(
        f"{name:<17} {people.sum():>5,} people: {people[0, 0]:>5,} of "
        f"{people[:, 0].sum():>5,} patients smoke, "
        f"{people[0, 1]:>5,} of {people[:, 1].sum():>5,} others"
    )

# %% [markdown]
# ## A naive attempt that fails: nobody shall learn anything about you
#
# In 1977 Tore Dalenius asked what a statistical disclosure is. In the words of Cynthia Dwork (2006), nobody should
# learn from the data anything about a person that could not be learned without them. It is the most natural wish,
# **privacy as secrecy**. But it cannot be fulfilled; Dalenius himself saw that disclosure ends only where statistics
# end.
#
# > **Theorem 6.1 (no secrecy with use; Dwork and Naor, 2010, in words).** For every way of releasing something useful
# > there is background knowledge with which the release discloses a secret of somebody, *even of somebody who is not in
# > the data*, that neither the release nor the knowledge would disclose alone.
#
# (If the release gives the average height, let the knowledge be "Terry is two inches shorter than average".)
#
# Carl smokes. He was never in any study. His insurer gives him the risk of lung cancer that everybody has, say 5%. Now
# the study of smoking and lung cancer is published. Let $s$ be the fraction of smokers among the patients,
# $h$ among the healthy, and $r$ the risk believed before. By Bayes' rule,
#
# $$\Pr[\text{cancer} \mid \text{smokes}] = \frac{r\, s}{r\, s + (1 - r)\, h} .$$


# %%
def risk(people, before):
    """The belief that a smoker gets lung cancer, from a table (smokers, others) x (patients,
    healthy).
    """
    smokers = people[..., 0, :] / people.sum(axis=-2)
    sick, healthy = smokers[..., 0], smokers[..., 1]
    return before * sick / (before * sick + (1 - before) * healthy)


people = STUDIES["all eight cities"]
print(
    f"before the study {0.05:.1%}; Carl, a smoker, after it {risk(people, 0.05):.1%}; "
    f"had he not smoked {risk(people[::-1], 0.05):.1%}"
)

# %% [markdown]
# Carl's premium rises. He complains: *you have learned about me, from data that I am not in.* He is right.
# Would noise have saved him? Release the table with Laplace noise, once from the study as it is, and once
# with Carl as one more record. One record moves one of the four counts by 1 (add/remove).

# %% jupyter={"source_hidden": true}
# Figure: 400 releases of the study, without Carl and with him; risk(released, before) of each
CARL = np.array([[0, 1], [0, 0]])
ROWS = ["before the study", "study without Carl", "study with Carl"]
fig, (left, right) = figure(columns=2, height=3.6, width_ratios=[2, 3])
truth_bars = left.bar([0, 1], [0, 0], width=0.8, color=COLOURS.pale, label="true")
look = {"color": COLOURS.noisy, "markersize": 9, "label": "released"}
(released,) = left.plot([0, 1], [0, 0], "D", **look)
left.set(xticks=[0, 1], xticklabels=["patients", "healthy"])
left.set(ylabel="fraction of smokers", ylim=(0, 1.04))
look = {"color": COLOURS.noisy, "markersize": 7, "label": "one release"}
(dots,) = right.plot([0] * 3, range(3), "o", **look)
look = {"color": COLOURS.light, "linewidth": 12, "solid_capstyle": "butt", "zorder": 0.5}
(whiskers,) = right.plot([], [], label="90 of 100 releases", **look)
x_axis(right, "belief that Carl gets lung cancer", (0, 0.3))
y_axis(right, None, (2.6, -0.6), dict(enumerate(ROWS)))
to_blame = verdict_text(left)
before_line = right.axvline(0, color=COLOURS.true, linestyle=":")
legend_above(fig, 3, handles=[released, dots, whiskers])


def insurer(study, epsilon, before, seed):
    table = STUDIES[study]
    noise = np.random.default_rng(seed).laplace(size=(400, 2, 2)) / epsilon
    noisy = [np.maximum(table + noise, 0.5), np.maximum(table + CARL + noise, 0.5)]
    beliefs = [risk(each, before) for each in noisy]
    for bar, share in zip(truth_bars, table[0] / table.sum(axis=0), strict=True):
        bar.set_height(share)
    released.set_ydata(noisy[0][0, 0] / noisy[0][0].sum(axis=0))
    dots.set_xdata([before, beliefs[0][0], beliefs[1][0]])
    ends = [np.quantile(each, [0.05, 0.95]) for each in beliefs]
    whiskers.set_data([*ends[0], np.nan, *ends[1]], [1, 1, np.nan, 2, 2])
    before_line.set_xdata([before] * 2)
    without, with_him = np.median(beliefs, axis=1)
    moved = f"{round(100 * (without - before), 2) + 0:+.2f}"
    apart = amount(100 * abs(with_him - without), 2)
    told = f"in the median {moved} points by the study, {apart} by Carl"
    set_verdict_text(to_blame, None, told)
    return (
        f"in the median of 400 releases the study moves the belief by {moved} points, Carl's "
        f"own record by {apart} points"
    )


live(
    fig,
    insurer,
    "Left: true and released fractions of smokers among patients and the healthy. Right: the "
    "belief that Carl gets lung cancer before the study, after the study without him, and "
    "after the study with him; the last two hardly differ.",
    task=r"at $\varepsilon = 0.2$ go from the smallest study to the largest. Which of the two "
    "gaps closes: that between *before* and *after*, or that between *with Carl* and "
    r"*without*? Then look in Taiyuan for an $\varepsilon$ that brings the insurer back to "
    "5%. Is the study still of use?",
    guess=predict(
        "In the study of all eight cities, by how many points does Carl's own record move "
        "the belief?",
        (0, 2, " points"),
        r"own record by ([\d.]+)",
        study="all eight cities",
    ),
    study=choice(list(STUDIES), "Taiyuan"),
    epsilon=log_slider(0.001, 10, 0.2),
    before=slider(0.01, 0.2, 0.05, 0.01, label="belief before"),
    seed=new_noise(1),
)

# %% [markdown]
# As long as the noise is small beside the counts, $\varepsilon$ hardly affects the change from *before* to *after*. The
# table has the median of the belief over 2,000 releases, and how many of them would have said that smoking is *good*
# for you.

# %% jupyter={"source_hidden": true}
# Computed: the belief after 2,000 releases of two studies, and how often it is wrong
rows = []
for name in ("Taiyuan", "all eight cities"):
    for epsilon in (0.001, 0.01, 0.1, 1.0):
        noisy = laplace_mechanism(
            np.tile(STUDIES[name], (2_000, 1, 1)), 1, epsilon, np.random.default_rng(2)
        )
        believed = risk(np.maximum(noisy, 0.5), 0.05)
        rows.append(
            (name, epsilon, f"{np.median(believed):.1%}", f"{np.mean(believed < 0.05):.0%}")
        )
columns = ["study", "epsilon", "belief after, median", "wrong conclusion"]
pd.DataFrame(rows, columns=columns).set_index(["study", "epsilon"])

# %% [markdown]
# To protect Carl from *the conclusion*, the study must be made useless. A useful study publishes its conclusion.
# But one guarantee is possible: **Carl's own record is not to blame**.
#
# ## The idea: compare two worlds, not before and after
#
# What *is* privacy, then? Secrecy fails; **control** over information about oneself (Westin, 1967) is possible.
#
# > **Principle 6.2 (the personal data principle; Li, Lyu, Su and Yang, 2016, section 3.2.5).** Data privacy means
# > control over one's own personal data. Nobody's privacy is violated where no personal data of theirs are used. It
# > does *not* mean that nothing is learned about them, nor that no harm is done to them.
#
# So Carl's complaint is no matter of privacy. Li et al. (*the textbook*) call the principle the bedrock under
# differential privacy, since it says which worlds to compare:
#
# > **Definition 6.3 (real and ideal worlds; Li et al. 2016, section 3.2).** The *real world* is the one where the
# > release is made from $D$, with your record. *Your ideal world* is the one where it is made from $D_{-v}$, the data
# > without you ($v$ is you): there your privacy is perfect, because nothing of yours is used.
#
# *Differential privacy guarantees to everybody that the real world is close to their own ideal world.* What others'
# records reveal about you is in both worlds, so correlations may be ignored.
#
# Somebody sees the release and decides something about you: raise the premium, yes or no. Let $p$ be the probability of
# *yes* in one world and $p'$ in the other.
#
# > **Theorem 6.4 (decisions).** If the release is $\varepsilon$-DP under add/remove, $(p, p')$ lies in the privacy region of
# > [02](02_composition.ipynb): each of $p$, $p'$, $1 - p$, $1 - p'$ is at most $e^\varepsilon$ times its twin in the
# > other world. Solved for $p'$,
# > $$\max\big(e^{-\varepsilon} p,\ 1 - e^{\varepsilon} (1 - p)\big) \;\le\; p' \;\le\; \min\big(e^{\varepsilon} p,\ 1 - e^{-\varepsilon} (1 - p)\big) .$$
#
# <details><summary>Proof: the decision is an event, and so is its opposite.</summary>
#
# By post-processing (Theorem 2.6) the probabilities of both events differ by a factor of at most $e^\varepsilon$. $\square$
#
# </details>

# %%
show_source(closeness_interval)

# %% [markdown]
# ## A table of decisions
#
# The textbook prints this interval for six $p$ and five $\varepsilon$ (its Table 3.1). Here it is computed, beside what
# was printed.

# %% jupyter={"source_hidden": true}
# Computed: closeness_interval(p, epsilon) for six p and five epsilon, and the printed table
EPSILONS, SHARES = [0.01, 0.1, 1, 5, 10], [0.001, 0.01, 0.1, 0.5, 0.75, 0.99]
PRINTED = """
0.0010 0.0010  0.0009 0.0011  0.0004 0.0027  0.0000 0.1484  0.0000 1.0000
0.0099 0.0101  0.0090 0.0111  0.0037 0.0272  0.0001 0.9933  0.0000 1.0000
0.0990 0.1010  0.0905 0.1105  0.0368 0.2718  0.0007 0.9939  0.0000 1.0000
0.4950 0.5050  0.4524 0.5476  0.1839 0.8161  0.0034 0.9966  0.0000 1.0000
0.7475 0.7525  0.7237 0.7738  0.3204 0.9080  0.0051 0.9983  0.0000 1.0000
0.9899 0.9901  0.9889 0.9910  0.9728 0.9963  0.0067 0.9999  0.0000 1.0000
"""
table = np.array([[closeness_interval(p, epsilon) for epsilon in EPSILONS] for p in SHARES])
printed = np.array(PRINTED.split(), dtype=float).reshape(table.shape)
print(
    f"{table.size} numbers; largest difference from the printed ones "
    f"{np.abs(table - printed).max():.6f}"
)
assert np.abs(table - printed).max() < 0.5001e-4  # a last digit cut off or rounded
words = [[f"{low:.4f} to {high:.4f}" for low, high in row] for row in table]
columns = [f"epsilon {epsilon:g}" for epsilon in EPSILONS]
pd.DataFrame(words, index=pd.Index([f"p = {p}" for p in SHARES]), columns=columns)

# %% jupyter={"source_hidden": true}
# Figure: closeness_interval(p, epsilon), as a point of the region and for every epsilon
fine = np.geomspace(0.01, 10, 121)
fig, (left, right) = figure(columns=2, height=3.8)
lens = PolyCollection([[(0, 0), (1, 1), (1, 0)]], facecolor=COLOURS.pale)
region = left.add_collection(lens)
left.plot([0, 1], [0, 1], color=COLOURS.grey, linewidth=0.8)
look = {"color": COLOURS.noisy, "linewidth": 3, "markersize": 7}
(segment,) = left.plot([0, 0], [0, 0], "o-", **look)
left.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
left.set(xlabel="$p$, one world", ylabel="$p'$, other world")
ends_of = curves(right, fine, {"": "noisy", " ": "noisy"})
level = right.axhline(0.5, color=COLOURS.grey, linewidth=0.8)
(here,) = right.plot([1, 1], [0.1, 0.9], "o-", clip_on=False, in_layout=False, **look)
how_far = verdict_text(fig)
right.set_yscale("logit")
x_axis(right, "epsilon", (0.01, 10), [0.01, 0.1, 1, 10], log=True)
TICKS = [1e-3, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999]
y_axis(right, "$p'$, other world (scale of log odds)", (1e-4, 1 - 1e-4), TICKS)


def close(p, epsilon):
    low, high = closeness_interval(p, epsilon)
    corner = math.exp(epsilon) / (1 + math.exp(epsilon))
    region.set_verts([[(0, 0), (1 - corner, corner), (1, 1), (corner, 1 - corner)]])
    segment.set_data([p, p], [low, high])
    intervals = [closeness_interval(p, one) for one in fine]
    set_curves(ends_of, np.clip(intervals, 1e-6, 1 - 1e-6).T)
    level.set_ydata([p, p])
    here.set_data([epsilon, epsilon], np.clip([low, high], 1e-4, 1 - 1e-4))
    ends = amount(low), amount(high) if high < 0.999 else probability(high)
    told = f"from {ends[0]} to {ends[1]}"
    set_verdict_text(how_far, None, f"other world: {told}")
    return f"p = {p:.3f}, epsilon {epsilon:.3g}: p' {told}; e^ε = {amount(math.exp(epsilon))}"


question = "A decision of probability 0.5, epsilon 2: how far can it rise in the other world?"
live(
    fig,
    close,
    "Left: the region of close pairs of probabilities, and a vertical line at p with the "
    "part inside the lens marked. Right: the ends of that interval against epsilon, on a "
    "scale of log odds, opening from p to nearly 0 and 1.",
    task=r"set $p = 0.5$ and raise $\varepsilon$ until the interval is nearly everything. "
    "Then the same for $p = 0.001$: how much later does it happen? On the left is the "
    "privacy region of [02](02_composition.ipynb), and the interval is the part of a "
    "vertical line inside of it.",
    guess=predict(question, (0.5, 1), r"to ([\d.]+);", p=0.5, epsilon=2.0),
    p=slider(0.001, 0.999, 0.1, 0.001, label="probability p"),
    epsilon=log_slider(0.01, 10, 1.0),
)

# %% [markdown]
# Every end of every interval is reached. A mechanism may say *yes* with probability $p$ from one dataset and
# with the probability at the end from its neighbour. So the table cannot be improved, for decisions. A *belief* may move
# further (erratum [E11](22_errata.ipynb#E11)).
#
# ## Beliefs are not decisions
#
# A **belief** is a probability that somebody holds *after seeing one release*. It follows from Bayes' rule: with
# $b(x)$ the belief in dataset $x$ before, and $t$ the release,
#
# $$\bar b(x \mid t) = \frac{\Pr[M(x) = t]\; b(x)}{\sum_z \Pr[M(z) = t]\; b(z)} ,$$
#
# and in the ideal world the same with $M(x_{-v})$ and $M(z_{-v})$; the beliefs $b$ stay. The code takes the log
# densities of the release:

# %%
show_source(posterior)

# %% [markdown]
# Beliefs are best measured in **odds**, $b / (1 - b)$. Bayes' rule multiplies the odds of two hypotheses by the ratio of
# their likelihoods.
#
# > **Proposition 6.5 (odds).** If two hypotheses each fix the whole dataset, and the two datasets are neighbours, an
# > $\varepsilon$-DP release moves their odds by a factor between $e^{-\varepsilon}$ and $e^{\varepsilon}$.
#
# This is the band of the first figure, and it is narrower than the table's interval.

# %%
show_source(belief_interval)
for p in (0.001, 0.5):
    low, high = belief_interval(p, 1)
    print(f"epsilon 1, from {p}: odds between 1/e and e give {low:.5f} to {high:.5f};")
    print("    the table has {:.5f} to {:.5f}".format(*closeness_interval(p, 1)))

# %% [markdown]
# May we read the table of decisions as one of beliefs, as the textbook does (section 3.4.1: from 0.5 to 0.5476, at
# $\varepsilon = 0.1$)? It depends on the subject of the belief.
#
# - **Is Bob in the data, or not?** Two neighbouring datasets, add/remove.
# - **Is Bob for or against?** Both datasets hold Bob. They are *replace* neighbours. Under add/remove they are two
#   steps apart, with the dataset without Bob between them. (In Bob's ideal world this attacker learns nothing about his
#   vote.)
#
# Take the voters of the 1996 election study. The release is the *lead* of Dole over Clinton. Every voter adds $+1$ or
# $-1$, so its sensitivity is 1 under add/remove, and the noise has scale $1/\varepsilon$. Bob is one more voter; the
# attacker knows all other votes.

# %% jupyter={"source_hidden": true}
# Computed: the lead of Dole over Clinton, with Bob for either and without him
vote = data.election()["vote"].values
YOU = own_record(944)  # the voter that you picked to be on page 01
lead = int(np.sum(vote == 1) - np.sum(vote == 0))
print(f"the {vote.size} others: lead of Dole over Clinton {lead}")
one_more = [lead + 1, lead - 1, lead]
print("with Bob for Dole {}, with Bob for Clinton {}, without Bob {}".format(*one_more))

# %%
# two answers of the count that are held possible
BELIEFS = {"in or out?": (1, 0), "for or against?": (1, -1)}


def pair_of_lines(interval):
    """Two horizontal lines as one artist."""
    return [-6, 6, np.nan, -6, 6], [interval[0]] * 2 + [np.nan] + [interval[1]] * 2


# %% jupyter={"source_hidden": true}
# Figure: posterior(prior, log densities) of every release; belief_interval, closeness_interval
away = np.linspace(-6, 6, 241)
fig, ax = figure(height=3.8)
looks = {"real world": "noisy", "without Bob": "true"}
beliefs = curves(ax, away, looks, ends=True, linewidth=2.5)
looks = {"table of decisions": "other --", "odds × $e^{ε}$": "third :"}
pairs_of_lines = curves(ax, [], looks | {"odds × $e^{2ε}$": "fourth -."}, linewidth=2)
x_axis(ax, "release minus the lead of all others", (-6, 6))
y_axis(ax, "belief: Bob is in, or is for Dole", (-0.02, 1.02))
vote_verdict = verdict_text(ax)
legend_above(fig, 3)


def vote_belief(question, prior, epsilon):
    logs = [laplace_log_density(away, answer, 1, epsilon) for answer in BELIEFS[question]]
    believed = posterior([prior, 1 - prior], np.column_stack(logs))[:, 0]
    set_curves(beliefs, [believed, prior])
    intervals = [closeness_interval(prior, epsilon)]
    intervals += [belief_interval(prior, steps * epsilon) for steps in (1, 2)]
    for line, interval in zip(pairs_of_lines, intervals, strict=True):
        line.set_data(*pair_of_lines(interval))
    highest, allowed = believed.max(), intervals[0][1]
    inside = highest <= allowed + 1e-12
    verdict = "inside the table" if inside else "OUTSIDE the table"
    set_verdict_text(vote_verdict, bool(inside), f"up to {probability(highest)}: {verdict}")
    return (
        f"belief before {prior:.3f}, after at most {probability(highest)}; the table ends at "
        f"{probability(allowed)}: {verdict}"
    )


live(
    fig,
    vote_belief,
    "The belief about Bob against the release: a rising curve between two flat ends, beside "
    "horizontal lines for the table's interval, for odds times e to the epsilon, and for "
    "odds times e to the 2 epsilon.",
    task="choose *in or out* and see the blue curve stay inside the dotted lines of "
    r"$e^{\varepsilon}$, and so inside the table's dashed ones. Then choose *for or "
    "against*: the curve leaves the table.",
    question=choice(list(BELIEFS), "for or against?"),
    prior=slider(0.05, 0.95, 0.5, 0.05, label="belief before"),
    epsilon=log_slider(0.3, 5, 1.0, label="add/remove epsilon"),
)

# %% [markdown]
# So the table, read as beliefs, is too narrow under add/remove. How far may odds move?
#
# | who knows | believes about | neighbours | factor, at most | from |
# |---|---|---|---|---|
# | all others | Bob: in or out | add/remove | $e^{\varepsilon}$ | Proposition 6.5 |
# | all others | Bob's answer | replace | $e^{\varepsilon}$ | Proposition 6.5 |
# | all others | Bob's answer | add/remove | $e^{2\varepsilon}$ | Proposition 6.5, twice |
# | all but $k$ | these $k$ | replace | $e^{k\varepsilon}$ | Proposition 6.5, $k$ times |
# | anything | anything, real against ideal world | add/remove | $e^{2\varepsilon}$ | Theorem 6.7 |

# %% jupyter={"source_hidden": true}
# Computed: how far beliefs about a value may move, under replace and under add/remove
for epsilon in (0.1, 1.0):
    for p in (0.001, 0.5):
        ends = (
            closeness_interval(p, epsilon)[1],
            belief_interval(p, epsilon)[1],
            belief_interval(p, 2 * epsilon)[1],
        )
        words = (
            "from {} to at most {:.4f} (replace), {:.4f} (add/remove); the table says {:.4f}"
        )
        print(f"epsilon {epsilon}:", words.format(p, ends[1], ends[2], ends[0]))

# %% [markdown]
# > **A good place to stop.** You know what may be decided about you, and what somebody who knows everybody else may
# > believe of you. The table's last two rows, and what is not guaranteed, come next.
#
# ## How far apart are the two worlds? tanh, not e^ε − 1
#
# > **Definition 6.6 (semantic privacy; Ganta, Kasiviswanathan, Smith, 2008).** A mechanism is
# > $\bar\varepsilon$-semantically private if for every belief held before, every release and every person the
# > **statistical distance** (total variation: the most that two distributions differ on any event) between the beliefs in
# > the real and in that person's ideal world is at most $\bar\varepsilon$.
#
# It is known that $\varepsilon$-DP implies it with $\bar\varepsilon = e^\varepsilon - 1$. For $\varepsilon \ge \ln 2$
# this says nothing, as no distance exceeds 1. The textbook regrets it, without need:
#
# > **Theorem 6.7 (the smallest bound).** $\varepsilon$-DP under add/remove gives $\bar\varepsilon$-semantic
# > privacy with
# > $$\bar\varepsilon = \tanh(\varepsilon / 2) = \frac{e^\varepsilon - 1}{e^\varepsilon + 1} ,$$
# > less than half of $e^\varepsilon - 1$ and below 1 for every $\varepsilon$; no smaller bound holds.
#
# <details><summary>Proof: the odds of an event move by at most e^(2ε) between the worlds, and two people reach it.</summary>
#
# Each dataset's likelihood is within a factor of $e^{\pm\varepsilon}$ of its twin's without you. So the odds of
# any event move by at most $e^{2\varepsilon}$ between the worlds. A probability whose odds move by
# $e^{2\varepsilon}$ moves by at most $\tanh(2\varepsilon/4)$: from $1/(1 + e^\varepsilon)$ to
# $e^\varepsilon/(1 + e^\varepsilon)$. (Conversely, $\varepsilon/2$-semantic privacy gives $3\varepsilon$-DP for
# $\varepsilon \le 0.45$.)
#
# *It is reached.* Bob and Ann have 0 or 1 each. The release is *yes* or *no*. *Yes* has a probability of $u\,
# e^{\varepsilon}$ if both are 1, and of $u\, e^{-\varepsilon}$ if both are 0. It has $u$, small enough, for every other
# dataset, also for those without Bob or Ann. Somebody is sure that Bob and Ann are equal. In the real world *yes* moves
# the odds by $e^{2\varepsilon}$; in Bob's ideal world it says nothing. $\square$
#
# </details>

# %%
show_source(largest_distance)


def alike(prior, epsilon, u=0.01):
    """Beliefs in (both 1, both 0) after a yes: in the real world, and without Bob."""
    both = [prior, 1 - prior]
    real = posterior(both, np.log([u * math.exp(epsilon), u * math.exp(-epsilon)]))
    return real, posterior(both, np.log([u, u]))


# %% jupyter={"source_hidden": true}
# Computed: the distance that is reached, tanh(epsilon / 2), and e^epsilon - 1
for epsilon in (0.1, math.log(2), 1.0, 3.0):
    apart = statistical_distance(*alike(1 / (1 + math.exp(epsilon)), epsilon))
    print(
        f"epsilon {epsilon:.3f}: reached {apart:.4f}, tanh {largest_distance(epsilon):.4f}, "
        f"e^epsilon - 1 = {math.expm1(epsilon):.4f}"
    )
    assert math.isclose(apart, largest_distance(epsilon))

# %% jupyter={"source_hidden": true}
# Figure: alike(prior, epsilon): the beliefs in both worlds; statistical_distance(real, ideal)
curve = np.linspace(0.01, 4, 200)
fig, (left, right) = figure(columns=2, height=3.6)
places, look = np.arange(2), {"color": COLOURS.noisy, "hatch": "//", "edgecolor": "white"}
ideal_bars = left.bar(places - 0.2, [0, 0], 0.38, color=COLOURS.true, label="ideal world")
real_bars = left.bar(places + 0.2, [0, 0], 0.38, label="real world", **look)
x_axis(left, ticks={0: "both 1", 1: "both 0"})
y_axis(left, "belief after a yes", (0, 1.02))
x_axis(right, "epsilon", (0, 4.1))
y_axis(right, "distance of the beliefs", (0, 1.3))
looks = {"tanh(ε/2)": "third", "$e^{ε} − 1$": "other --"}
distances = curves(right, curve, looks, ends=True)
set_curves(distances, [np.tanh(curve / 2), np.expm1(curve)])
right.axhline(1, color=COLOURS.grey, linewidth=0.8)
reached = own_point(right, "these two worlds", colour=COLOURS.noisy)
worlds_apart = verdict_text(left)
legend_above(fig, 3)


def two_worlds(prior, epsilon):
    real, ideal = alike(prior, epsilon)
    for bar, height in zip((*ideal_bars, *real_bars), (*ideal, *real), strict=True):
        bar.set_height(height)
    apart, most = statistical_distance(real, ideal), largest_distance(epsilon)
    set_own_point(reached, epsilon, apart)
    told = f"beliefs {amount(apart, 2)} apart, at most {amount(most, 2)}"
    set_verdict_text(worlds_apart, None, told)
    return (
        f"belief in 'both 1': ideal {ideal[0]:.3f}, real {probability(real[0], 3)}; distance "
        f"{apart:.4f} of at most {most:.4f}; e^ε - 1 is {math.expm1(epsilon):.4f}"
    )


live(
    fig,
    two_worlds,
    "Left: beliefs in two hypotheses in the ideal and the real world. Right: their distance, "
    "a point on or below tanh of half epsilon, and the curve e to the epsilon minus 1.",
    task="move the belief before until the blue point touches the green curve; then change "
    r"$\varepsilon$ and do it again. Where does the belief start when it touches?",
    prior=slider(0.01, 0.99, 0.5, 0.01, label="belief in 'both 1'"),
    epsilon=slider(0.1, 3.9, 1.0, 0.1, label="add/remove epsilon"),
)

# %% jupyter={"source_hidden": true}
# Computed: the farthest of 20,000 random beliefs over six datasets, beside the bound
rng = np.random.default_rng(3)
for epsilon in (0.5, 2.0):
    priors = rng.dirichlet(np.full(6, 0.3), 20_000)
    factors = np.exp(rng.uniform(-epsilon, epsilon, priors.shape))
    real = priors * factors / (priors * factors).sum(axis=1, keepdims=True)
    farthest = statistical_distance(real, priors).max()
    print(
        f"epsilon {epsilon}: farthest of 20,000 is {farthest:.3f}, bound "
        f"{largest_distance(epsilon):.3f}"
    )
    assert farthest <= largest_distance(epsilon)

# %% [markdown]
# ## The family that falls ill together
#
# Bob lives with his family, $k$ people in all. The disease is so contagious that *all of them have it, or none*. A
# count of the ill at Bob's address is released, $\varepsilon$-DP. If they are ill the count is $k$, if not it is 0.
# The attacker's odds that Bob is ill move by up to
#
# $$e^{k \varepsilon}$$
#
# (Li et al. 2016, Example 3.3, which says it of a probability: erratum [E13](22_errata.ipynb#E13)). The guarantee still
# holds! It compares the real world with Bob's ideal world. There *Bob's* record is left out, and $k - 1$ others still
# reveal the illness. There the odds move by up to $e^{(k-1)\varepsilon}$. Between the two worlds they differ by at most
# $e^{\varepsilon}$; Theorem 6.7 allows $e^{2\varepsilon}$.

# %% jupyter={"source_hidden": true}
# Figure: posterior of each count, family in or out; belief_interval(prior, group_epsilon(...))
count = np.linspace(-8, 16, 241)
fig, (left, right) = figure(columns=2, height=3.8)
looks = {"real world": "noisy", "without Bob": "true --", "without all of them": "grey :"}
belief_lines = curves(left, count, looks, linewidth=2)
looks = {"": "noisy", " ": "true --", "gap of the worlds": "other"}
moved_lines = curves(right, count, looks, linewidth=2)
band = curves(right, [-8, 16], {"+ε": "third -.", "−ε": "third -."}, ends=True)
x_axis((left, right), "released count of the ill", (-8, 16))
y_axis(left, "belief that Bob is ill", (-0.02, 1.02))
y_axis(right, "log odds moved by", (-8.5, 8.5))
family_gap = verdict_text(left)
legend_above(fig, 4)


def family(k, epsilon, prior):
    logs = [laplace_log_density(count, ill, 1, epsilon) for ill in (k, k - 1, 0)]
    pairs = [np.column_stack([each, logs[2]]) for each in logs]
    set_curves(belief_lines, [posterior([prior, 1 - prior], pair)[:, 0] for pair in pairs])
    real, without_bob = logs[0] - logs[2], logs[1] - logs[2]
    set_curves(moved_lines, [real, without_bob, real - without_bob])
    set_curves(band, [epsilon, -epsilon])
    highest = belief_interval(prior, group_epsilon(k, epsilon))[1]
    gap = np.abs(real - without_bob).max()
    told = f"belief up to {probability(highest)}; gap of the worlds $e^{{{gap:.2g}}}$"
    set_verdict_text(family_gap, None, told)
    return (
        f"odds × e^{np.abs(real).max():.3g} at most: belief {prior:.2f} may become "
        f"{probability(highest)}; gap of the worlds e^{gap:.3g}"
    )


question = "Eight people, epsilon 0.5 for each record, belief 0.1: what may the belief become?"
live(
    fig,
    family,
    "Left: belief that Bob is ill against the released count, in the real world, without "
    "Bob, and without his family. Right: how far the log odds moved in the first two, and "
    "their gap, which stays between plus and minus epsilon.",
    task=r"raise $k$ from 1 at $\varepsilon = 0.5$: the belief climbs, and the gap "
    "stays in its band. Only leaving out the whole family protects Bob.",
    guess=predict(question, (0.1, 1), r"may become ([\d.]+);", k=8),
    play="k",
    k=slider(1, 8, 4, label="family, k people"),
    epsilon=log_slider(0.2, 1, 0.5, label="a record's epsilon"),
    prior=slider(0.05, 0.95, 0.1, 0.05, label="belief before"),
)

# %% [markdown]
# ## The informed adversary is the weakest
#
# > **Definition 6.8 (simulatability; Dwork, McSherry, Nissim, Smith, 2006).** Let the number of records be public.
# > Somebody is *informed but for $k$* if she knows all records but $k$, and holds any belief about those. A mechanism
# > is $(k, \varepsilon)$-simulatable if for each such person, every release and every statement $f$ about the dataset,
# > the release changes the probability that she gives to $f$ by a factor between $e^{-\varepsilon}$ and
# > $e^{\varepsilon}$.
#
# > **Theorem 6.9.** Under *replace*, a mechanism is $\varepsilon$-DP if and only if it is $(1, \varepsilon)$-simulatable.
#
# <details><summary>Proof: she thinks only neighbours possible; and a small belief moves by nearly the whole likelihood ratio.</summary>
#
# Write $P_x(t)$ for the probability (or density) of release $t$ from dataset $x$. *If it is $\varepsilon$-DP:* the
# datasets that she holds possible differ in one record, so any two are neighbours. Each $P_x(t)$ is within a factor of
# $e^{\pm\varepsilon}$ of the mean $\sum_z b(z) P_z(t)$. So every $b(x)$, and with them the belief in $f$, changes by
# such a factor. *If it is not:* there are neighbours $x, x'$ and a release with $P_x(t) > e^\varepsilon P_{x'}(t)$. Let
# her believe in $x$ with a small probability $\beta$, else in $x'$. Her belief in $x$ changes by $P_x(t) / (\beta
# P_x(t) + (1 - \beta) P_{x'}(t))$, which passes $e^\varepsilon$ as $\beta$ falls. $\square$
#
# </details>
#
# So there *is* a guarantee from before to after, but only for her. She knows all records but Bob's, and sounds like the
# strongest adversary there is. But her bound is the smallest. A neighbour who knows nobody's record may
# have a theory about the family. He is informed but for $k$; for him the bound is $e^{k\varepsilon}$.
#
# <details><summary>Three popular sentences fail for this reason.</summary>
#
# "It makes no assumptions about how data are generated." "It protects an individual's information (even) if an attacker
# knows about all other individuals in the data." "It is robust to arbitrary background knowledge." About before and
# after these are wrong (Kifer and Machanavajjhala, 2011, who put them so). About two worlds they are right.
#
# </details>

# %% jupyter={"source_hidden": true}
# Figure: beliefs before and after, and the odds moved, if 0, 1, ..., k - 1 others are known
fig, (left, right) = figure(columns=2, height=3.6)
looks = {"before": "true s--", "after the highest release": "noisy o-"}
belief_marks = curves(left, [], looks)
(odds_moved,) = curves(right, [], {"log odds moved by": "other o-"})
promise_lines = curves(right, [-0.3, 9.3], {"ε": "third -.", "k ε": "grey :"}, ends=True)
x_axis((left, right), "how many others he knows", (-0.3, 9.3))
y_axis(left, "belief that Bob is ill", (-0.02, 1.02))
y_axis(right, "log odds", (0, 8.2))
who_learns = verdict_text(left)
legend_above(fig, 3)


def informed(k, epsilon, together, ill=0.1):
    """The family falls ill together, or each on his own with probability `ill`."""
    known = np.arange(k)
    unknown = k - 1 - known
    one_other = 1 + ill * math.expm1(epsilon)  # mean of e^(epsilon x ill) of one on his own
    alone = (1 - together) * ill**known
    if_ill = [together * ill, alone * ill]
    if_well = [np.where(known == 0, together * (1 - ill), 0), alone * (1 - ill)]
    likely_ill = if_ill[0] * np.exp(epsilon * unknown) + if_ill[1] * one_other**unknown
    likely_well = if_well[0] + if_well[1] * one_other**unknown
    before = np.log(sum(if_ill)) - np.log(sum(if_well))
    after = epsilon + np.log(likely_ill) - np.log(likely_well)
    set_curves(belief_marks, expit([before, after]), known)
    odds_moved.set_data(known, after - before)
    set_curves(promise_lines, [epsilon, k * epsilon])
    nobody, everybody = (after - before)[[0, -1]]
    told = f"knows nobody: odds × $e^{{{nobody:.2g}}}$; all others: $e^{{{everybody:.2g}}}$"
    set_verdict_text(who_learns, None, told)
    others = "the other" if k == 2 else f"all {k - 1} others"
    return f"knows nobody: odds moved by e^{nobody:.3g}; knows {others}: e^{everybody:.3g}"


live(
    fig,
    informed,
    "Left: belief that Bob is ill before and after the highest release, against the number "
    "of others whose record the attacker knows. Right: the log odds move by epsilon alone for "
    "somebody who knows all others, and at c = 0.9 by far more for one who knows nobody.",
    task="how far does the release move the belief of somebody who knows none of the family, "
    "half of them, all but Bob? His theory: with probability $c$ they all fall ill "
    "together, else each on his own. Those whom he knows are ill.",
    k=slider(2, 10, 6, label="family, k people"),
    epsilon=log_slider(0.2, 0.8, 0.5, label="a record's epsilon"),
    together=slider(0.0, 0.99, 0.9, 0.01, label="c, fall ill together"),
)

# %% [markdown]
# This danger is real. In the RAND health insurance experiment a person has up to five yearly records. Over half of those with several
# saw a doctor in all or none.

# %% jupyter={"source_hidden": true}
# Computed: how many people give the same answer in all their records; a person's epsilon
low, high = 0.1, belief_interval(0.1, group_epsilon(5, 1.0))[1]
print(
    f"k = 5, epsilon 1: odds x {math.exp(5):.0f}, probability {low} to {high:.3f}, a factor "
    f"of {high / low:.1f}"
)
saw_doctor = data.health_insurance()["mdvis"].values > 0
person = data.health_insurance_person()
YEARS = 5  # public: the length of the experiment
records, yes = np.bincount(person), np.bincount(person, weights=saw_doctor)
several, rate = records > 1, saw_doctor.mean()
same = ((yes == 0) | (yes == records))[several].mean()
by_chance = (rate**records + (1 - rate) ** records)[several].mean()
print(
    f"{several.sum():,} people with 2 to {records.max()} records: {same:.0%} with the same "
    f"answer in all; {by_chance:.0%} if the years were independent"
)
print(
    f"epsilon 0.5 for a record is epsilon {group_epsilon(YEARS, 0.5)} for a person, who may "
    f"have {YEARS} records"
)

# %% [markdown]
# ## Who is protected? Edges and nodes
#
# A guarantee depends on its neighbours. In a social network, one friendship is an **edge**, and one person is a
# **node** with all of its friendships. *Edge-DP* compares networks that differ in one friendship, *node-DP* networks
# that differ in one person. For the number of friendships, edge-DP needs noise of scale $1/\varepsilon$. Does it hide
# *you*? If you have $d$ friends, you are a group of $d$ edges, and the privacy loss about you may be $d\,\varepsilon$.

# %% jupyter={"source_hidden": true}
# Figure: the friends of each person; the best guesser: edge-DP, limit of node-DP
friends = np.sort(data.social_network().values)
people_count = friends.size
ranked = np.arange(people_count) / people_count * 100
fig, (left, right) = figure(columns=2, height=3.6)
left.plot(ranked, np.maximum(friends, 1), color=COLOURS.true)
(you_left,) = left.plot([50], [1], "D", color=COLOURS.other, markersize=9, label="you")
x_axis((left, right), "people with fewer friends, %")
y_axis(left, "friends, d", (0.8, 2_000), [1, 10, 100, 1_000], log=True)
network_told = verdict_text(left)
looks = {"best guesser (edge-DP)": "noisy", "limit under node-DP": "third --"}
guessers = curves(right, ranked, looks)
(you_right,) = right.plot([50], [1], "D", color=COLOURS.other, markersize=9)
y_axis(right, "fraction of right guesses", (0.48, 1.02))
legend_above(fig, 3)


def network(epsilon, rank):
    place = min(int(rank / 100 * people_count), people_count - 1)
    degree = int(friends[place])
    guessed = 1 - np.exp(-friends * epsilon / 2) / 2
    set_curves(guessers, [guessed, belief_interval(0.5, epsilon)[1]])
    you_left.set_data([ranked[place]], [max(degree, 1)])
    you_right.set_data([ranked[place]], [guessed[place]])
    lost = degree * epsilon
    share = percent(min(guessed[place], 1 - 1e-11), apart=(0.5, 1))  # a promise, if a poor one
    set_verdict_text(network_told, None, f"the best guesser is right about you in {share}%")
    return (
        f"{degree} friends: your privacy loss is {amount(lost)}, not {epsilon:.3g}; the "
        f"best guesser is right {share}% of the time"
    )


question = "Your rank in friends is 10%, epsilon 0.1: how often is the best guesser right?"
live(
    fig,
    network,
    "Left: friends of each person, from the fewest to the most, on a log scale. Right: how "
    "often the best guesser is right under edge-DP, and the limit of node-DP.",
    task=r"at $\varepsilon = 0.1$, from which rank on does the best guesser know that you "
    "are there? (The network is synthetic: only its degrees are meant.)",
    guess=predict(question, (50, 100, "%"), r"right ([\d.]+)%", rank=10),
    epsilon=log_slider(0.001, 2, 0.1, label="edge-DP epsilon"),
    rank=slider(0, 100, 50, 1, label="your rank, %"),
)

# %% [markdown]
# Node-DP is the guarantee for a person (*user-level privacy*), and it has a price. A newcomer may be friends with
# everybody, and the number of people is itself a secret. So the sensitivity of the number of friendships has *no*
# bound. As for a sum ([03](03_laplace.ipynb)), use a public cap, of $D$ friendships per person:
#
# > **Proposition 6.10 (friendships up to a cap; Kasiviswanathan, Nissim, Raskhodnikova, Smith, 2013).** Let $f_D$ be
# > the largest total weight that can be laid on the friendships, at most 1 on each and at most $D$ on those of one
# > person. It is the number of friendships if nobody has more than $D$, and its sensitivity under add/remove of a
# > person is at most $D$.
#
# <details><summary>Proof: remove a person with the weight on her friendships, at most D.</summary>
#
# What is left is allowed without her, so $f_D$ falls by at most $D$. What is allowed without her is allowed with her,
# with weight 0 on hers, so $f_D$ does not rise. $\square$ The cap removes at most $\sum_i \max(0, d_i - D)$. (Blocki,
# Blum, Datta and Sheffet, 2013, cut the degrees themselves.)
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: the error of node-DP under five caps, and the privacy loss of people under edge-DP
edges, epsilon = int(friends.sum() // 2), 0.1
print(
    f"{edges:,} friendships; edge-DP at {epsilon}: mean error {1 / epsilon:,.0f}; node-DP "
    "without a cap: no noise is enough"
)
caps = {}
for cap in (30, 100, 300, 1_000, 5_000):
    lost = min(edges, int(np.maximum(friends - cap, 0).sum()))
    caps[f"D = {cap:,}"] = (
        f"{lost:,}",
        f"{cap / epsilon:,.0f}",
        f"{(lost + cap / epsilon) / edges:.1%}",
    )
for share in (50, 90, 99):
    degree = int(friends[int(share / 100 * people_count)])
    print(
        f"edge-DP at {epsilon}: more friends than {share}% means a loss of "
        f"{degree * epsilon:.1f}"
    )
pd.DataFrame(caps, index=["cut off, at most", "noise, mean", "error, at most"]).T

# %% [markdown]
# The same question returns in every dataset: a rating or the person who rates (*cell-DP*, *row-DP*), a
# visit or a patient. Ask first: *what is removed in my ideal world?*
#
# <details><summary>Sometimes nobody can say: genes, guardians and two cents (Li et al. 2016, section 3.3).</summary>
#
# - *Genes.* DeCode had the genomes of 10,000 Icelanders who agreed. With the genealogies it can infer of about 2,000
#   others, who never took part, that they carry a dangerous variant of BRCA2. Are my parents' genes my personal data?
#   In 2003 Iceland's supreme court let a daughter forbid that her dead father's health data be passed on: they reveal
#   facts about *her*.
# - *Guardians.* A parent who decides for small children removes their records with his own. Then his ideal world lacks
#   $k$ records, and his guarantee is $k\varepsilon$.
# - *Two cents.* If somebody takes two cents from every account, nobody is harmed much, and it is theft. A company that
#   sells data which it may not sell is in no better position for having added noise.
#
# One could keep the small unit and make up for it by a smaller $\varepsilon$. But how small depends on correlations,
# which the principle ignores.
#
# </details>
#
# In a dorm, $k$ strangers live in one building. May the *group* complain? Each person has the guarantee; the group has
# $k \varepsilon$. With $\varepsilon = 0.1$ for each, is the disease in the building?

# %% jupyter={"source_hidden": true}
# Computed: epsilon of a group, and how often the best guesser is right about it
for k in (1, 5, 20, 50, 100):
    right_guess = laplace_probability(k / 2, np.inf, k, 1, 0.1)
    print(
        f"k = {k:>3}: epsilon of the group {group_epsilon(k, 0.1):>4.1f}, best guesser right "
        f"{right_guess:.1%}"
    )

# %% [markdown]
# ## When epsilon is too large
#
# Every $\varepsilon$ is a valid guarantee, but a large one guarantees almost nothing. The textbook judges (section
# 3.4.1) that 0.1 is reasonably strong, 1 often acceptable, 5 mostly unsuitable, and 10 virtually no protection. Two of
# the inventors named "0.01, 0.1, or in some cases, $\ln 2$ or $\ln 3$" (Dwork and Smith, 2010). The table shows what
# they allow.

# %% jupyter={"source_hidden": true}
# Computed: how far beliefs and worlds may move, for six values of epsilon
rows = []
for epsilon in (0.01, 0.1, 1, 2, 5, 10):
    ends = [belief_interval(prior, epsilon)[1] for prior in (0.001, 0.1, 0.5)]
    rows.append(
        (
            epsilon,
            amount(math.exp(epsilon)),
            *(probability(end, 5) for end in ends),
            probability(largest_distance(epsilon)),
        )
    )
columns = [
    "epsilon",
    "e^epsilon",
    "belief 0.001 to",
    "belief 0.1 to",
    "belief 0.5 to",
    "distance of worlds",
]
pd.DataFrame(rows, columns=columns).set_index("epsilon")

# %% [markdown]
# That is the worst release. What will *usually* happen? Below, a count has Laplace noise, somebody is in the data, and
# an attacker suspects it. The worst is not rare. Whenever the noise is above zero, half of the time, the privacy loss
# is all of $\varepsilon$.


# %%
def loss_quantile(part, epsilon):
    """What a fraction `part` of the losses is below, for a count with somebody in."""
    noise = np.where(part < 0.5, np.log(2 * part), -np.log(2 * (1 - part))) / epsilon
    return epsilon * (np.abs(noise + 1) - np.abs(noise))


# %% jupyter={"source_hidden": true}
# Figure: the belief after the worst release, and its quantiles over all releases
wide = np.geomspace(0.01, 30, 121)
PARTS = (0.1, 0.25, 0.4)
fig, ax = figure(height=3.4)
(worst,) = curves(ax, wide, {"worst release": "other"}, linewidth=2.5)
looks = {
    f"{part:.0%} no higher": f"noisy {dash}"
    for part, dash in zip(PARTS, (":", "--", "-"), strict=True)
}
usual = curves(ax, wide, looks)
never = ax.axhline(0.5, color=COLOURS.third, linestyle="-.")
enough = ax.axvline(1, color=COLOURS.third, linewidth=0.8)
now = own_point(ax, None, "D")
allowed_epsilon = verdict_text(ax)
ax.set_yscale("logit")
x_axis(ax, "epsilon", (0.008, 36), [0.01, 0.1, 1, 10], log=True)
y_axis(ax, "belief that the person is in", (1e-4, 1 - 5e-4), TICKS)
legend_above(fig, 4)


def suspicion(before, epsilon, most):
    before_odds = logit(before)
    set_curves([worst], [np.clip(expit(before_odds + wide), 0, 1 - 1e-9)])
    quantiles = np.array([loss_quantile(part, wide) for part in PARTS])
    set_curves(usual, np.clip(expit(before_odds + quantiles), 1e-9, 1 - 1e-9))
    never.set_ydata([most] * 2)
    highest, low = belief_interval(before, epsilon)[1], loss_quantile(0.1, epsilon)
    low = expit(before_odds + low)
    set_own_point(now, epsilon, highest)
    if most <= before:
        enough.set_xdata([wide[0]] * 2)
        set_verdict_text(allowed_epsilon, None, "no ε is small enough")
        return "the belief before is there already: no epsilon is small enough"
    largest = epsilon_for_belief(before, most)
    enough.set_xdata([largest] * 2)
    set_verdict_text(allowed_epsilon, None, f"never above {most:.2f}: ε at most {largest:.2f}")
    below = f", at most {percent(low)}% in a tenth or more" if low < 1 - 1e-8 else ""
    return (
        f"epsilon {epsilon:.3g}: from {percent(before)}% to "
        f"{percent(min(highest, 1 - 1e-11))}% in half of the releases{below}; never above "
        f"{most:.2f}: epsilon at most {largest:.2f}"
    )


live(
    fig,
    suspicion,
    "Belief that somebody is in the data against epsilon, on a scale of log odds: the worst "
    "release rises first, then lines that at least 40, 25 and 10 percent of the releases do "
    "not pass; a level not to pass, and the epsilon it allows.",
    task=r"one suspect among a thousand (belief before 0.001). Raise $\varepsilon$ until the "
    "worst release makes the attacker half sure, and read how often a release stays "
    "below. Then let the belief before be 0.5.",
    before=choice([0.001, 0.01, 0.1, 0.5], 0.001, label="belief before"),
    epsilon=log_slider(0.01, 30, 1.0),
    most=slider(0.05, 0.95, 0.5, 0.05, label="must not pass"),
)

# %%
show_source(epsilon_for_belief)
for prior, most in ((0.001, 0.01), (0.001, 0.5), (0.1, 0.5), (0.5, 0.6)):
    print(
        f"from {prior} never above {most}: epsilon at most "
        f"{epsilon_for_belief(prior, most):.2f}"
    )

# %% [markdown]
# A large total hides behind small parts. A hundred releases at 0.1 are 10 together ([02](02_composition.ipynb)), and
# ten records of one person at 1 are 10 for that person. The relevant $\varepsilon$ is the sum over all releases and all
# your records.
#
# ## What differential privacy does not promise
#
# **It does not keep a model from being used on you.** Half of the voters, *A*, are in the data. A private table is made
# from them: for each answer about their party, how many vote for whom. Then the table guesses the votes of the other
# half, *B*, who were never in it. One of the voters is you (`YOU`, above).

# %%
voters = data.election()
order = np.random.default_rng(4).permutation(vote.size)
half_a, half_b = order[: vote.size // 2], order[vote.size // 2 :]
WIDTHS = {"party": 7, "left or right": 8, "income class": 25}
CODES = max(WIDTHS.values())  # one table is wide enough for each attribute


def learn(codes, epsilon, rng):
    """A private table of codes x votes, from half A: one histogram, sensitivity 1 under
    add/remove.
    """
    counts = np.zeros((CODES, 2))
    np.add.at(counts, (codes[half_a], vote[half_a]), 1)
    return counts, laplace_mechanism(counts, 1, epsilon, rng)


# %% jupyter={"source_hidden": true}
# Figure: learn(codes, epsilon, rng) on half A, and how many votes of A and of B it guesses
ATTRIBUTES = {"party": "PID", "left or right": "selfLR", "income class": "income"}
GUESSED = ["A, in the data", "B, never in it", "no model"]
fig, (table_ax, right) = figure(columns=2, height=3.6, width_ratios=[3, 2])
none, edges = np.zeros(CODES), np.arange(CODES + 1) - 0.5
true_share = steps(table_ax, none, COLOURS.pale, "true, A", edges, fill=True)
look = {"facecolor": "none", "linewidth": 1.8}
model_share = steps(table_ax, none, COLOURS.noisy, "private model", edges, **look)
x_axis(table_ax, "code of the attribute", (-0.5, CODES - 0.5))
y_axis(table_ax, "fraction for Dole", (0, 1.02))
inks = [COLOURS.noisy, COLOURS.other, COLOURS.pale]
accuracy = right.barh(range(3), [0] * 3, color=inks, height=0.6)
inks = "white", "white", "black"
labels = [right.text(0.03, row, "", va="center", color=inks[row]) for row in range(3)]
look = {"color": COLOURS.amber, "markeredgecolor": "black", "markersize": 14}
(my_code,) = table_ax.plot([0], [0.94], "*", label="you", **look)
my_vote = verdict_text(table_ax)
x_axis(right, "fraction guessed right", (0, 1))
y_axis(right, None, (2.6, -0.6), dict(enumerate(GUESSED)))
legend_above(fig, 3)


def model(attribute, epsilon, seed):
    codes = voters[ATTRIBUTES[attribute]].values
    counts, noisy = learn(codes, epsilon, np.random.default_rng(seed))
    somebody = counts.sum(axis=1) > 0
    for outline, cells in ((true_share, counts), (model_share, np.maximum(noisy, 0.01))):
        shares = cells[:, 1] / np.maximum(cells.sum(axis=1), 0.01)
        set_steps(outline, np.where(somebody, shares, 0))
    if table_ax.get_xlim()[1] != WIDTHS[attribute] - 0.5:
        table_ax.set_xlim(-0.5, WIDTHS[attribute] - 0.5)
    guess = noisy.argmax(axis=1)[codes]
    my_code.set_xdata([codes[YOU]])
    told = "right" if guess[YOU] == vote[YOU] else "wrong"
    side = "A" if YOU in half_a else "B"
    found = [np.mean(guess[half] == vote[half]) for half in (half_a, half_b)]
    found.append(np.mean(vote == 0))
    rates = f"right for {found[0]:.0%} of A, {found[1]:.0%} of B"
    set_verdict_text(my_vote, None, f"{rates}; you, in {side}: {told}")
    for bar, label, share in zip(accuracy, labels, found, strict=True):
        bar.set_width(share)
        label.set_text(f"{share:.0%}")
    return (
        f"votes guessed right from {attribute}: A {found[0]:.1%}, B {found[1]:.1%}; "
        f"everybody 'Clinton' {found[2]:.1%}"
    )


model_figure = live(
    fig,
    model,
    "Left: fraction of voters for Dole by a code, true in half A and as the private model has "
    "it. Right: fraction of votes guessed right in half A, in half B who were never in the "
    "data, and with no model at all; A and B nearly equal for the party.",
    task=r"lower $\varepsilon$ until the guesses get worse. Is *B* any better off than *A*?",
    attribute=choice(list(ATTRIBUTES), "party"),
    epsilon=log_slider(0.003, 5, 0.1),
    seed=new_noise(5),
)
model_figure

# %% jupyter={"source_hidden": true}
# Computed: how many votes of A and of B three attributes guess
for attribute in ATTRIBUTES:
    model_figure.controls["attribute"].value = attribute
    print(model_figure.caption)
model_figure.controls["attribute"].value = "party"

# %% [markdown]
# The guarantee held: without any one voter almost nothing changes. And the party reveals most votes, of those in the
# data and of those outside. DP protects the *record* that was learned from, not the *person* on whom the model is used.
# (A shop's model inferred from purchases that a schoolgirl was pregnant, and its coupons told her father: Duhigg,
# 2012.)
#
# **It does not keep anybody from treating people by their group.** A private model with the fraction for
# Dole by income class is applied to people, one by one. For how many is it wrong?

# %% jupyter={"source_hidden": true}
# Computed: how often a private model by income is wrong about a person
income = voters["income"].values
_, noisy_table = learn(income, 1.0, np.random.default_rng(6))
guess = noisy_table.argmax(axis=1)[income]
for low, high in ((1, 8), (9, 16), (17, 24)):
    group = (income >= low) & (income <= high)
    print(
        f"income {low:>2} to {high:>2}: classed as Dole voters {guess[group].mean():.0%}, "
        f"true {vote[group].mean():.0%}, wrong about "
        f"{np.mean(guess[group] != vote[group]):.0%} of these people"
    )

# %% [markdown]
# And *more* privacy can mean *more* of this. An employer who fears convictions, and may not ask, judges by the
# group. One who may ask finds that most of the group have none (Wheelan, 2010).
#
# **What else it does not promise:**
#
# - *Secrecy.* Studies are made for their conclusions about smokers, voters, families.
# - *A group.* A family, a building, a village has $k\varepsilon$.
# - *Yourself in several places.* The guarantee is for one data holder. Two with 1 each make 2.
# - *That your data may be used.* A small $\varepsilon$ is not consent.
# - *That the data are safe.* The curator still has all of $D$. [07](07_local.ipynb) works without one.
# - *That the answer is right.* The noise is the price. Publish its size with the answer.
#
# ## Four numbers to keep apart
#
# Ask of each: which neighbours, decision or belief, odds or probability, before and after or with and without?

# %% jupyter={"source_hidden": true}
# Computed: four pairs of numbers that are easily confused
half_sure = belief_interval(0.5, 2)[1]
print(
    f"1. distance of two worlds at epsilon 1: at most tanh(1/2) = {largest_distance(1):.3f}, "
    f"not e - 1 = {math.expm1(1):.3f}"
)
print(
    f"2. a decision of 0.5 at epsilon 1: up to {closeness_interval(0.5, 1)[1]:.4f}; belief "
    f"in a vote, add/remove: {half_sure:.4f}"
)
print(
    f"3. family of 5, epsilon 1, belief 0.1: times e^5 would be {0.1 * math.exp(5):.1f}; "
    f"the odds give {belief_interval(0.1, 5)[1]:.3f}"
)
noisy = laplace_mechanism(
    np.tile(STUDIES["Taiyuan"], (2_000, 1, 1)), 1, 0.01, np.random.default_rng(2)
)
small = risk(np.maximum(noisy, 0.5), 0.05)
print(
    f"4. before and after: {STUDIES['Taiyuan'].sum()} people at epsilon 0.01, wrong "
    f"conclusion in {np.mean(small < 0.05):.0%} of the releases"
)

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/06_meaning](../exercises/answers/06_meaning.ipynb).
#
# **Assignment 06:** [five tasks, checked in a second](../exercises/releases/06_meaning.ipynb).
#
# 1. *Warm-up.* In the figure of decisions, find for $\varepsilon = 2$ the $p$ from which $p'$ can rise farthest.
#    Compare that distance with $\tanh(\varepsilon / 2)$.
# 2. A hospital says: "nobody's belief that you were a patient may rise from 1% to more than 5%". Which $\varepsilon$
#    may it spend on you in all? And if a patient has up to four records?
# 3. In the figure of Carl, make *belief before* 0.2. Why does the belief now move by more points, and by the same odds?
# 4. Set `BELIEFS["for or against?"] = (1, 0)`, so that the hypotheses are *for* ($+1$) and *not there* ($0$), and run the
#    cell of the figure again. Is the curve inside the table at every prior? Why are the two hypotheses neighbours now,
#    and which other question of the figure has become the same one?
# 5. If Bob is ill (believed at 0.1), each of the other $k - 1$ is ill with probability 0.9, independently; if he is not,
#    nobody is. By how much can a release at $\varepsilon = 0.5$ move the odds that Bob is ill? Compute it for $k = 2$, 4
#    and 8 with `posterior` over $0, \ldots, k$ ill people. Compare with $e^{k\varepsilon}$ of the figure. How much
#    does a theory that is right nine times in ten protect?
# 6. *Challenge.* Let the *guarantee* be for replace, and the hypotheses replace neighbours of each other, with everything
#    else known. Show that a belief moves by at most $\tanh(\varepsilon / 4)$, and find the prior that reaches it. What is
#    the bound if the guarantee is for add/remove, as on this page?

# %% [markdown]
# ## When to use which number
#
# For somebody who asks what $\varepsilon = 0.5$ means to them:

# %% jupyter={"source_hidden": true}
# Computed: what epsilon 0.5 means for a decision, for beliefs, for a family, and in all
print(
    "a decision about you, probability 0.1: within {:.3f} and {:.3f}".format(
        *closeness_interval(0.1, 0.5)
    )
)
print(
    "whether you are in, believed at 0.1:   within {:.3f} and {:.3f}".format(
        *belief_interval(0.1, 0.5)
    )
)
print(
    "what you answered, believed at 0.1:    within {:.3f} and {:.3f}, add/remove".format(
        *belief_interval(0.1, 1.0)
    )
)
print(
    "your family of 4, believed at 0.1:     within {:.3f} and {:.3f}, from a count".format(
        *belief_interval(0.1, group_epsilon(4, 0.5))
    )
)
print(f"any belief, with you or without you:   at most {largest_distance(0.5):.3f} apart")

# %% [markdown]
# Use the first line for what may happen to you, the others for beliefs, as in the table of odds. Say each time which
# neighbours the guarantee is for.
#
# ## How sure were you, and how often right?
#
# Above many figures you were asked to guess first and to say how sure you were. If you are well calibrated, you are
# right in 70 of 100 cases in which you said "70%". The table has all your guesses, on every page. They stay on
# your own computer, and out of the stored page.

# %%
calibration()

# %% [markdown]
# Run the cell again when you have read more pages. (Delete the file named in `dpbook.guesses` to begin anew.)
#
# ## Sources
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to Practice*, Morgan &
#   Claypool, 2016, [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018): chapter
#   3, equations 3.1 to 3.3, Examples 3.2 and 3.3, Table 3.1.
#
# <details><summary>The papers on disclosure, beliefs, families, graphs and control.</summary>
#
# - Tore Dalenius: *Towards a methodology for statistical disclosure control*, Statistik Tidskrift 15, 1977.
# - Cynthia Dwork: *Differential privacy*, ICALP 2006, [doi:10.1007/11787006_1](https://doi.org/10.1007/11787006_1): his
#   wish in her words, and why it cannot be fulfilled.
# - Cynthia Dwork, Moni Naor: *On the difficulties of disclosure prevention in statistical databases*, Journal of Privacy
#   and Confidentiality 2, 2010, [doi:10.29012/jpc.v2i1.585](https://doi.org/10.29012/jpc.v2i1.585).
# - Cynthia Dwork, Frank McSherry, Kobbi Nissim, Adam Smith: *Calibrating noise to sensitivity in private data analysis*,
#   TCC 2006, [doi:10.1007/11681878_14](https://doi.org/10.1007/11681878_14): simulatability, in its appendix.
# - Srivatsava Ranjit Ganta, Shiva Kasiviswanathan, Adam Smith: *Composition attacks and auxiliary information in data
#   privacy*, KDD 2008, [doi:10.1145/1401890.1401926](https://doi.org/10.1145/1401890.1401926); Shiva Kasiviswanathan,
#   Adam Smith: *On the "semantics" of differential privacy*, Journal of Privacy and Confidentiality 6, 2014,
#   [arXiv:0803.3946](https://arxiv.org/abs/0803.3946): beliefs in two worlds.
# - Daniel Kifer, Ashwin Machanavajjhala: *No free lunch in data privacy*, SIGMOD 2011,
#   [doi:10.1145/1989323.1989345](https://doi.org/10.1145/1989323.1989345): the family and the network.
# - Shiva Kasiviswanathan, Kobbi Nissim, Sofya Raskhodnikova, Adam Smith: *Analyzing graphs with node differential
#   privacy*, TCC 2013, [doi:10.1007/978-3-642-36594-2_26](https://doi.org/10.1007/978-3-642-36594-2_26).
# - Jeremiah Blocki, Avrim Blum, Anupam Datta, Or Sheffet: *Differentially private data analysis of social networks via
#   restricted sensitivity*, ITCS 2013, [arXiv:1208.4586](https://arxiv.org/abs/1208.4586).
# - Cynthia Dwork, Adam Smith: *Differential privacy for statistics: what we know and what we want to learn*, Journal of
#   Privacy and Confidentiality 1, 2010, [doi:10.29012/jpc.v1i2.570](https://doi.org/10.29012/jpc.v1i2.570).
# - Larry Wasserman, Shuheng Zhou: *A statistical framework for differential privacy*, JASA 105, 2010,
#   [doi:10.1198/jasa.2009.tm08651](https://doi.org/10.1198/jasa.2009.tm08651): the region of Theorem 6.4.
# - Alan Westin: *Privacy and Freedom*, 1967. Charles Wheelan: *Naked Economics*, 2010. Charles Duhigg: *How companies
#   learn your secrets*, New York Times, 2012.
# - Frank McSherry: *Lunchtime for data privacy*, 2016,
#   [github.com/frankmcsherry/blog](https://github.com/frankmcsherry/blog): "your secrets" and "secrets about you".
#
# </details>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [05 Averages, six ways](05_averages.ipynb) · **Next:** [07 Local privacy: randomized response](07_local.ipynb)
