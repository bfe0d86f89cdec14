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
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [05 Averages, six ways](05_averages.ipynb) · **Next:** [07 Local privacy: randomized response](07_local.ipynb)
#
# **Assignment 06:** [five tasks, checked in a second](../exercises/releases/06_meaning.ipynb)
#
# The mathematics says: probabilities change by a factor of at most $e^\varepsilon$. What does that mean for *you*, and
# for somebody who wants to know something about you? This page turns factors into beliefs.
#
# **You will see** why no useful study can keep everybody from learning about you; which promise differential privacy
# makes in its place; how far a belief can move, for a stranger, for somebody who knows everybody else, for somebody who
# knows your family; and what the promise does not cover.
#
# **You will do:** publish a study and watch what it does to a smoker who is not in it; move $p$ and $\varepsilon$
# through a table of beliefs, and find a belief that leaves it; let a family fall ill together; choose an
# $\varepsilon$ from a belief that must not be passed.
#
# **You need:** [02 Composition](02_composition.ipynb) for the privacy region, [03 The Laplace
# mechanism](03_laplace.ipynb), and Bayes' rule, which the page recalls.
#
# **Time:** about 80 minutes. A good place to stop is before *How far apart are the two worlds?*, at about 45.
#
# **Real and synthetic:** smokers, voters and health insurance records are real. The network of friends is a *synthetic*
# stand-in. Carl, Bob and their families are invented.

# %%
import math

import numpy as np
import pandas as pd
from matplotlib.collections import PolyCollection
from scipy.special import expit, logit

from dpbook import data
from dpbook.amounts import amount, percent, probability
from dpbook.guesses import calibration, own_record, predict
from dpbook.laplace import laplace_log_density, laplace_mechanism, laplace_probability
from dpbook.live import choice, live, log_slider, new_noise, show_source, slider
from dpbook.meaning import (
    belief_interval,
    closeness_interval,
    epsilon_for_belief,
    group_epsilon,
    largest_distance,
    posterior,
    statistical_distance,
)
from dpbook.plots import COLOURS, figure, set_steps, set_verdict_text, steps, verdict_text

STUDIES = {city: data.smoking()[city].values for city in ("Taiyuan", "Beijing", "Shanghai")}
STUDIES["all eight cities"] = sum(people.values for people in data.smoking().values())
for name, people in STUDIES.items():
    print(
        f"{name:<17} {people.sum():>5,} people: {people[0, 0]:>5,} of "
        f"{people[:, 0].sum():>5,} patients smoke,",
        end=" ",
    )
    print(f"{people[0, 1]:>5,} of {people[:, 1].sum():>5,} others")

# %% [markdown]
# ## A naive attempt that fails: nobody shall learn anything about you
#
# In 1977 Tore Dalenius asked what a statistical disclosure is. As Cynthia Dwork (2006) put his wish: access to the data
# should not enable anybody to learn anything about a person that could not be learned without access. It is the most
# natural wish, **privacy as secrecy**. It cannot be had; Dalenius himself saw that disclosure ends only where
# statistics end.
#
# > **Theorem 6.1 (no secrecy with use; Dwork and Naor, 2010, in words).** For every way of releasing something useful
# > there is background knowledge with which the release discloses a secret of somebody, *even of somebody who is not in
# > the data*, that neither the release nor the knowledge would disclose alone.
#
# (If the release tells the average height, let the knowledge be "Terry is two inches shorter than average". *No free
# lunch*, Kifer and Machanavajjhala, 2011, says the same of every method that assumes nothing about how data come about.)
#
# Carl smokes. He was never in any study. His insurer gives him the risk of lung cancer that everybody has, say 5%. Now
# the study of smoking and lung cancer is published. By Bayes' rule, with $s$ the share of smokers among the patients,
# $h$ among the healthy, and $r$ the risk that was believed before,
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
    f"before the study {0.05:.1%}; Carl, a smoker, after it {risk(people, 0.05):.1%};", end=" "
)
print(f"had he not smoked {risk(people[::-1], 0.05):.1%}")

# %% [markdown]
# Carl's premium rises. He complains: *you have learned about me, from data that I am not in.* He is right that it was
# learned. Would noise have saved him? Release the table with Laplace noise, once made from the study as it is, and once
# with Carl as one more record. One record moves one of the four counts by 1 (add/remove).

# %% jupyter={"source_hidden": true}
# Figure: 400 releases of the study, without Carl and with him; risk(released, before) of each
CARL = np.array([[0, 1], [0, 0]])
ROWS = ["before the study", "study without Carl", "study with Carl"]
fig, (left, right) = figure(columns=2, height=3.6, width_ratios=[2, 3])
truth_bars = left.bar([0, 1], [0, 0], width=0.8, color=COLOURS.pale, label="true")
(released,) = left.plot(
    [0, 1], [0, 0], "D", color=COLOURS.noisy, markersize=9, label="released"
)
left.set(
    xticks=[0, 1],
    xticklabels=["patients", "healthy"],
    ylabel="share of smokers",
    ylim=(0, 1.04),
)
(dots,) = right.plot(
    [0] * 3, range(3), "o", color=COLOURS.noisy, markersize=7, label="one release"
)
(whiskers,) = right.plot(
    [],
    [],
    color=COLOURS.light,
    linewidth=12,
    solid_capstyle="butt",
    zorder=0,
    label="90 of 100 releases",
)
right.set(yticks=range(3), yticklabels=ROWS, ylim=(2.6, -0.6), xlim=(0, 0.3))
right.set_xlabel("belief that Carl gets lung cancer")
to_blame = verdict_text(left)
before_line = right.axvline(0, color=COLOURS.true, linestyle=":")
fig.legend(handles=[released, dots, whiskers], loc="outside upper center", ncols=3)


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
    apart = abs(np.median(beliefs[1]) - np.median(beliefs[0]))
    moved = np.median(beliefs[0]) - before
    set_verdict_text(
        to_blame, None, f"the study {100 * moved:+.2f} points, Carl {amount(100 * apart, 2)}"
    )
    return (
        f"in the median of 400 releases the study moves the belief by {100 * moved:+.2f} "
        f"points, Carl's own record by {amount(100 * apart, 2)} points"
    )


carl_figure = live(
    fig,
    insurer,
    "Left: true and released shares of smokers among patients and healthy people. Right: the "
    "belief that Carl gets "
    "lung cancer before the study, after the study without him, and after the study with him, "
    "which hardly differ.",
    task=(
        r"at $\varepsilon = 0.2$ go from the smallest study to the largest. Which of the two "
        "gaps closes: that between *before* and *after*, or that between *with Carl* and "
        r"*without*? Then look for an $\varepsilon$ that brings the insurer back to 5%. What "
        "has become of the study?"
    ),
    guess=predict(
        "The study of all eight cities: by how many points does Carl's own record move the "
        "belief?",
        (0, 2, " points"),
        r"own record by ([\d.]+)",
        study="all eight cities",
    ),
    study=choice(list(STUDIES), "Taiyuan"),
    epsilon=log_slider(0.001, 10, 0.2),
    before=slider(0.01, 0.2, 0.05, 0.01, label="belief before"),
    seed=new_noise(1),
)
carl_figure

# %% [markdown]
# The change from *before* to *after* does not depend on $\varepsilon$, while the noise is small beside the study.
# Below, the median of the belief over 2,000 releases, and how many of them would have said that smoking is *good* for
# you:

# %%
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
# To protect Carl from *the conclusion*, the study must be made useless. Whoever wants studies must let the conclusion
# out. What can be promised is that **Carl's own record is not to blame**.
#
# ## The idea: compare two worlds, not before and after
#
# What *is* privacy, then? Philosophers and lawyers list it as the right to be let alone, limited access, secrecy,
# personhood, intimacy, and **control** over information about oneself (Westin, 1967). Secrecy fails; control can be had.
#
# > **Principle 6.2 (the personal data principle; Li, Lyu, Su and Yang, 2016, section 3.2.5).** Data privacy means
# > control over one's own personal data. Nobody's privacy is violated where no personal data of theirs are used. It
# > does *not* mean that nothing is learned about them, nor that no harm is done to them.
#
# It is what the OECD's privacy guidelines speak of (limits to the collection and use of *personal data*), and what
# "opting out" means. By this principle Carl's complaint is no matter of privacy. Li et al. (*the textbook*) call it the bedrock under
# differential privacy, since it says which worlds to compare:
#
# > **Definition 6.3 (real and ideal worlds; Li et al. 2016, section 3.2).** The *real world* is the one where the release
# > is made from $D$, with your record. *Your ideal world* is the one where it is made from $D_{-v}$, the data without you
# > ($v$ is you): there your privacy is perfect, for nothing of yours is used.
#
# *Differential privacy promises everybody that the real world is close to their own ideal world.* So every correlation
# between your record and those of others may be ignored. (To compare with an ideal world is an old habit of cryptography:
# a cipher is good if whoever sees the message's code decides no better than somebody who sees only its length.)
#
# Somebody sees the release and decides something about you: raise the premium, yes or no. Let $p$ be the probability of
# *yes* in one world and $p'$ in the other.
#
# > **Theorem 6.4 (decisions).** If the release is $\varepsilon$-DP, $(p, p')$ lies in the privacy region of
# > [02](02_composition.ipynb): each of $p$, $p'$, $1 - p$, $1 - p'$ is at most
# > $e^\varepsilon$ times its twin. Solved for $p'$,
# > $$\max\big(e^{-\varepsilon} p,\ 1 - e^{\varepsilon} (1 - p)\big) \;\le\; p' \;\le\; \min\big(e^{\varepsilon} p,\ 1 - e^{-\varepsilon} (1 - p)\big) .$$
#
# *Proof.* The decision is an event (post-processing, Theorem 2.6), and so is its opposite. $\square$

# %%
show_source(closeness_interval)

# %% [markdown]
# ## A table of decisions
#
# The textbook prints this interval for six $p$ and five $\varepsilon$ (its Table 3.1). Here it is again, from the
# function, beside what was printed:

# %%
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
region = left.add_collection(
    PolyCollection([[(0, 0), (1, 1), (1, 0)]], facecolor=COLOURS.pale)
)
left.plot([0, 1], [0, 1], color=COLOURS.grey, linewidth=0.8)
(segment,) = left.plot([0, 0], [0, 0], "o-", color=COLOURS.noisy, linewidth=3, markersize=7)
left.set(
    xlim=(-0.02, 1.02),
    ylim=(-0.02, 1.02),
    aspect="equal",
    xlabel="$p$, one world",
    ylabel="$p'$, other world",
)
(lower,) = right.plot(fine, fine, color=COLOURS.noisy)
(upper,) = right.plot(fine, fine, color=COLOURS.noisy)
level = right.axhline(0.5, color=COLOURS.grey, linewidth=0.8)
(here,) = right.plot([1, 1], [0.1, 0.9], "o-", color=COLOURS.noisy, linewidth=3, markersize=7)
here.set(clip_on=False, in_layout=False)
how_far = verdict_text(left)
right.set(
    xscale="log", yscale="logit", ylim=(1e-4, 1 - 1e-4), xlim=(0.01, 10), xlabel="epsilon"
)
right.set(ylabel="$p'$, other world (scale of log odds)", xticks=[0.01, 0.1, 1, 10])
right.set_xticklabels(["0.01", "0.1", "1", "10"])
TICKS = [1e-3, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999]
right.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
right.minorticks_off()


def close(p, epsilon):
    low, high = closeness_interval(p, epsilon)
    corner = math.exp(epsilon) / (1 + math.exp(epsilon))
    region.set_verts([[(0, 0), (1 - corner, corner), (1, 1), (corner, 1 - corner)]])
    segment.set_data([p, p], [low, high])
    curves = np.clip([closeness_interval(p, one) for one in fine], 1e-6, 1 - 1e-6)
    lower.set_ydata(curves[:, 0])
    upper.set_ydata(curves[:, 1])
    level.set_ydata([p, p])
    here.set_data([epsilon, epsilon], np.clip([low, high], 1e-4, 1 - 1e-4))
    ends = amount(low), amount(high) if high < 0.999 else probability(high)
    set_verdict_text(how_far, None, f"$p'$ from {ends[0]} to {ends[1]}")
    return (
        f"p = {p:.3f}, epsilon {epsilon:.3g}: p' from {ends[0]} to {ends[1]}; e^ε = "
        f"{amount(math.exp(epsilon))}"
    )


close_figure = live(
    fig,
    close,
    "Left: the region of close pairs of probabilities, and a vertical line at p with the part "
    "inside the lens marked. "
    "Right: the ends of that interval against epsilon, on a scale of log odds, opening from p "
    "to nearly 0 and 1.",
    task=(
        r"set $p = 0.5$ and raise $\varepsilon$ until the interval is nearly everything. Then "
        "the same for $p = 0.001$: how much later does it happen? On the left is the privacy "
        "region of [02](02_composition.ipynb), and the interval is the part of a "
        "vertical line inside of it."
    ),
    guess=predict(
        "A decision of probability 0.5, epsilon 2: how far can it rise in the other world?",
        (0.5, 1),
        r"to ([\d.]+);",
        p=0.5,
        epsilon=2.0,
    ),
    p=slider(0.001, 0.999, 0.1, 0.001, label="probability p"),
    epsilon=log_slider(0.01, 10, 1.0),
)
close_figure

# %% [markdown]
# Every end of every interval is reached: by the mechanism that says *yes* with probability $p$ from one dataset and
# with the probability at the end from its neighbour. So the table cannot be improved, for decisions; a *belief* may move
# further (erratum [E11](22_errata.ipynb#E11)).
#
# ## Beliefs are not decisions
#
# A **belief** is a probability that somebody holds *after seeing one release*. It follows from Bayes' rule: with
# $b(x)$ the belief in dataset $x$ before, and $t$ the release,
#
# $$\bar b(x \mid t) = \frac{\Pr[M(x) = t]\; b(x)}{\sum_z \Pr[M(z) = t]\; b(z)} ,$$
#
# and in the ideal world the same with $x_{-v}$ and $z_{-v}$ inside of $M$. In the code, the laws come as
# logs, over all hypotheses $x$:

# %%
show_source(posterior)

# %% [markdown]
# Beliefs are best told in **odds**, $b / (1 - b)$: Bayes' rule multiplies the odds of two hypotheses by the ratio of
# their likelihoods.
#
# > **Proposition 6.5 (odds).** If two hypotheses mean neighbouring datasets, an $\varepsilon$-DP release moves their odds
# > by a factor between $e^{-\varepsilon}$ and $e^{\varepsilon}$.
#
# That is a narrower interval than the table's.

# %%
show_source(belief_interval)
for p in (0.001, 0.5):
    low, high = belief_interval(p, 1)
    print(f"epsilon 1, from {p}: odds between 1/e and e give {low:.5f} to {high:.5f};")
    print("    the table has {:.5f} to {:.5f}".format(*closeness_interval(p, 1)))

# %% [markdown]
# May the table of decisions be read as one of beliefs, as the textbook does (section 3.4.1: from 0.5 to 0.5476, at
# $\varepsilon = 0.1$)? It depends on what the belief is about.
#
# - **Is Bob in the data, or not?** Two neighbouring datasets, add/remove. Odds move by at most $e^\varepsilon$.
# - **Is Bob for or against?** Both datasets hold Bob. They are *replace* neighbours; under add/remove they are two
#   steps apart, with the dataset without Bob between them. Odds may move by $e^{2\varepsilon}$. And in Bob's ideal
#   world nothing at all is learned about his vote.
#
# Take the voters of the 1996 election study. The release is the *lead* of Dole over Clinton: every voter adds $+1$ or
# $-1$, so its sensitivity is 1 under add/remove, and the noise has scale $1/\varepsilon$. Bob is one more voter,
# and the attacker knows all votes but Bob's.

# %%
vote = data.election()["vote"].values
YOU = own_record(944)  # the voter that you picked to be on page 01
lead = int(np.sum(vote == 1) - np.sum(vote == 0))
print(f"the {vote.size} others: lead of Dole over Clinton {lead}")
one_more = [lead + 1, lead - 1, lead]
print("with Bob for Dole {}, with Bob for Clinton {}, without Bob {}".format(*one_more))


# %%
BELIEFS = {
    "in or out?": (1, 0),
    "for or against?": (1, -1),
}  # two answers of the count that are held possible


def pair_of_lines(interval):
    """Two horizontal lines as one artist."""
    return [-6, 6, np.nan, -6, 6], [interval[0]] * 2 + [np.nan] + [interval[1]] * 2


# %% jupyter={"source_hidden": true}
# Figure: posterior(prior, log densities) of every release; belief_interval, closeness_interval
away = np.linspace(-6, 6, 241)
fig, ax = figure(height=3.8)
(real_belief,) = ax.plot(away, away, color=COLOURS.noisy, linewidth=2.5, label="real world")
(ideal_belief,) = ax.plot(
    [-6, 6], [0.5, 0.5], color=COLOURS.true, label="ideal world, without Bob"
)
(table_lines,) = ax.plot(
    [], [], color=COLOURS.other, linestyle="--", label="table of decisions"
)
(odds_lines,) = ax.plot(
    [], [], color=COLOURS.third, linestyle=":", linewidth=2, label="odds × $e^{ε}$"
)
twice_lines = ax.plot([], [], color=COLOURS.fourth, linestyle="-.", label="odds × $e^{2ε}$")[0]
ax.set(
    xlabel="release minus the lead of all others",
    ylabel="belief: Bob is in, or is for Dole",
    xlim=(-6, 6),
)
ax.set_ylim(-0.02, 1.02)
vote_verdict = verdict_text(ax)
fig.legend(loc="outside upper center", ncols=3)


def vote_belief(question, prior, epsilon):
    logs = [laplace_log_density(away, answer, 1, epsilon) for answer in BELIEFS[question]]
    believed = posterior([prior, 1 - prior], np.column_stack(logs))[:, 0]
    real_belief.set_ydata(believed)
    ideal_belief.set_ydata([prior, prior])
    table_lines.set_data(*pair_of_lines(closeness_interval(prior, epsilon)))
    odds_lines.set_data(*pair_of_lines(belief_interval(prior, epsilon)))
    twice_lines.set_data(*pair_of_lines(belief_interval(prior, 2 * epsilon)))
    highest, allowed = believed.max(), closeness_interval(prior, epsilon)[1]
    inside = highest <= allowed + 1e-12
    verdict = "inside the table" if inside else "OUTSIDE the table"
    set_verdict_text(vote_verdict, bool(inside), f"up to {probability(highest)}: {verdict}")
    return (
        f"belief before {prior:.3f}, after at most {probability(highest)}; the table ends at "
        f"{probability(allowed)}: {verdict}"
    )


vote_figure = live(
    fig,
    vote_belief,
    "The belief about Bob against the release: a rising curve between two flat ends, beside "
    "horizontal lines for "
    "the table's interval, for odds times e to the epsilon, and for odds times e to the 2 "
    "epsilon.",
    task=(
        "choose *in or out* and see the blue curve stay inside the dotted lines of "
        r"$e^{\varepsilon}$, and so inside the table's dashed ones. Then choose *for or "
        "against*: the curve leaves the table."
    ),
    question=choice(list(BELIEFS), "for or against?"),
    prior=slider(0.05, 0.95, 0.5, 0.05, label="belief before"),
    epsilon=log_slider(0.3, 5, 1.0),
)
vote_figure

# %% [markdown]
# So the table, read as beliefs, is too small under add/remove. What holds for beliefs about a *value*: odds
# times $e^{\varepsilon}$ if the promise is for *replace*, and $e^{2\varepsilon}$ if it is for *add/remove*. At two
# places:

# %%
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
# > **A good place to stop.** You know what may be decided about you, and what may be believed of you by somebody who
# > knows everybody else. What follows is about anybody else, about families, and about what is not promised.
#
# ## How far apart are the two worlds? tanh, not e^ε − 1
#
# > **Definition 6.6 (semantic privacy; Ganta, Kasiviswanathan, Smith, 2008).** A mechanism is
# > $\bar\varepsilon$-semantically private if for every belief held before, every release and every person the
# > **statistical distance** (total variation: the most that two distributions differ on any event) between the beliefs in
# > the real and in that person's ideal world is at most $\bar\varepsilon$.
#
# It is known that $\varepsilon$-DP gives it with $\bar\varepsilon = e^\varepsilon - 1$, and that conversely
# $\varepsilon/2$-semantic privacy gives $3\varepsilon$-DP for $\varepsilon \le 0.45$. The first says nothing from
# $\varepsilon = \ln 2$ on, which the textbook regrets. (And a belief about datasets cannot hold "Terry is two inches
# shorter than average, and not in the data".) There is no need for regret:
#
# > **Theorem 6.7 (the least bound).** $\varepsilon$-DP gives $\bar\varepsilon$-semantic privacy with
# > $$\bar\varepsilon = \tanh(\varepsilon / 2) = \frac{e^\varepsilon - 1}{e^\varepsilon + 1} ,$$
# > less than half of $e^\varepsilon - 1$ and below 1 for every $\varepsilon$; and no smaller bound holds.
#
# *Proof.* Each dataset's likelihood is within a factor of $e^{\pm\varepsilon}$ of its twin's without you. So the odds of
# any event move by at most $e^{2\varepsilon}$ between the worlds, and a probability whose odds move by
# $e^{2\varepsilon}$ moves by at most $\tanh(2\varepsilon/4)$: from $1/(1 + e^\varepsilon)$ to
# $e^\varepsilon/(1 + e^\varepsilon)$.
#
# *It is reached.* Bob and Ann, each 0 or 1. The release is *yes* or *no*, and *yes* has a probability of
# $u\, e^{\varepsilon}$ if both are 1, of $u\, e^{-\varepsilon}$ if both are 0, and of $u$ for every other dataset, also
# for those without Bob or Ann. Somebody is sure that Bob and Ann are equal. In Bob's ideal world *yes* says nothing.

# %%
show_source(largest_distance)


def alike(prior, epsilon, u=0.01):
    """Beliefs in (both 1, both 0) after a yes: in the real world, and in the world without
    Bob.
    """
    real = posterior(
        [prior, 1 - prior], np.log([u * math.exp(epsilon), u * math.exp(-epsilon)])
    )
    ideal = posterior([prior, 1 - prior], np.log([u, u]))
    return real, ideal


for epsilon in (0.1, math.log(2), 1.0, 3.0):
    apart = statistical_distance(*alike(1 / (1 + math.exp(epsilon)), epsilon))
    print(
        f"epsilon {epsilon:.3f}: reached {apart:.4f}, tanh {largest_distance(epsilon):.4f},",
        end=" ",
    )
    print(f"e^epsilon - 1 = {math.expm1(epsilon):.4f}")
    assert math.isclose(apart, largest_distance(epsilon))

# %% jupyter={"source_hidden": true}
# Figure: alike(prior, epsilon): the beliefs in both worlds; statistical_distance(real, ideal)
curve = np.linspace(0.01, 4, 200)
fig, (left, right) = figure(columns=2, height=3.6)
bars_of = [left.bar([x - 0.2, x + 0.2], [0, 0], width=0.38) for x in (0, 1)]
for pair in bars_of:
    pair[0].set(facecolor=COLOURS.true)
    pair[1].set(facecolor=COLOURS.noisy, hatch="//", edgecolor="white")
left.set(
    xticks=[0, 1],
    xticklabels=["both 1", "both 0"],
    ylabel="belief after a yes",
    ylim=(0, 1.02),
)
right.plot(curve, np.tanh(curve / 2), color=COLOURS.third, label="tanh(ε/2)")
right.plot(curve, np.expm1(curve), color=COLOURS.other, linestyle="--", label="$e^{ε} − 1$")
right.axhline(1, color=COLOURS.grey, linewidth=0.8)
(reached,) = right.plot(
    [1],
    [0],
    "o",
    color=COLOURS.noisy,
    markersize=9,
    label="these two worlds",
    clip_on=False,
    in_layout=False,
)
worlds_apart = verdict_text(left)
right.set(xlabel="epsilon", ylabel="distance of the beliefs", xlim=(0, 4.1), ylim=(0, 1.3))
fig.legend(
    [bars_of[0][0], bars_of[0][1], *right.get_legend_handles_labels()[0]],
    ["ideal world", "real world", *right.get_legend_handles_labels()[1]],
    loc="outside upper center",
    ncols=5,
    columnspacing=0.8,
    handlelength=1.6,
)


def two_worlds(prior, epsilon):
    real, ideal = alike(prior, epsilon)
    for pair, heights in zip(bars_of, zip(ideal, real, strict=True), strict=True):
        for bar, height in zip(pair, heights, strict=True):
            bar.set_height(height)
    apart = statistical_distance(real, ideal)
    reached.set_data([epsilon], [apart])
    set_verdict_text(
        worlds_apart,
        None,
        f"{amount(apart, 2)} apart, at most {amount(largest_distance(epsilon), 2)}",
    )
    return (
        f"belief in 'both 1': ideal {ideal[0]:.3f}, real {probability(real[0], 3)}; "
        f"distance {apart:.4f} "
        f"of at most {largest_distance(epsilon):.4f}; e^ε - 1 is "
        f"{math.expm1(epsilon):.4f}"
    )


worlds_figure = live(
    fig,
    two_worlds,
    "Left: beliefs in two hypotheses in the ideal and in the real world, as bars. Right: the "
    "distance between the two "
    "as a point below the curve tanh of half epsilon, and the steeper curve e to the "
    "epsilon minus 1, which passes 1 at the log of 2.",
    task=(
        "move the belief before until the blue point touches the green curve; then change "
        r"$\varepsilon$ and do it again. Where does the belief start when it touches?"
    ),
    prior=slider(0.01, 0.99, 0.5, 0.01, label="belief in 'both 1'"),
    epsilon=slider(0.1, 3.9, 1.0, 0.1),
)
worlds_figure

# %% [markdown]
# And nothing gets past it. 20,000 random beliefs over six datasets, with random factors within $e^{\pm \varepsilon}$:

# %%
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
# (Li et al. 2016, Example 3.3, which says so of a probability: erratum [E13](22_errata.ipynb#E13)). The promise is not broken! It compares the real world with Bob's ideal world, where
# *Bob's* record is left out and $k - 1$ others still tell the story. There the odds move by up to
# $e^{(k-1)\varepsilon}$. Between the two: $e^{\varepsilon}$, as promised.

# %% jupyter={"source_hidden": true}
# Figure: posterior of each count, family in or out; belief_interval(prior, group_epsilon(...))
count = np.linspace(-8, 16, 241)
fig, (left, right) = figure(columns=2, height=3.8)
looks = (
    (COLOURS.noisy, "-", "real world"),
    (COLOURS.true, "--", "without Bob"),
    (COLOURS.grey, ":", "without all of them"),
)
belief_lines = [
    left.plot(count, count, style, color=colour, label=word, linewidth=2)[0]
    for colour, style, word in looks
]
left.set(
    xlabel="released count of the ill",
    ylabel="belief that Bob is ill",
    ylim=(-0.02, 1.02),
    xlim=(-8, 16),
)
moved_lines = [
    right.plot(count, count, style, color=colour, linewidth=2)[0]
    for colour, style, _ in looks[:2]
]
(gap_line,) = right.plot(
    count, count, color=COLOURS.other, linewidth=2, label="gap of the worlds"
)
(band,) = right.plot([], [], color=COLOURS.third, linestyle="-.", label="± ε")
right.set(
    xlabel="released count of the ill",
    ylabel="log odds moved by",
    ylim=(-8.5, 8.5),
    xlim=(-8, 16),
)
family_gap = verdict_text(left)
fig.legend(loc="outside upper center", ncols=5, columnspacing=0.8, handlelength=1.6)


def family(k, epsilon, prior):
    moved = []
    for line, ill in zip(belief_lines, (k, k - 1, 0), strict=True):
        logs = np.column_stack([laplace_log_density(count, n, 1, epsilon) for n in (ill, 0)])
        line.set_ydata(posterior([prior, 1 - prior], logs)[:, 0])
        moved.append(logs[:, 0] - logs[:, 1])
    moved_lines[0].set_ydata(moved[0])
    moved_lines[1].set_ydata(moved[1])
    gap_line.set_ydata(moved[0] - moved[1])
    band.set_data([-8, 16, np.nan, -8, 16], [epsilon, epsilon, np.nan, -epsilon, -epsilon])
    highest = belief_interval(prior, group_epsilon(k, epsilon))[1]
    gap = np.abs(moved[0] - moved[1]).max()
    set_verdict_text(family_gap, None, f"gap of the worlds {gap:.2g}, as promised")
    return (
        f"odds × e^{np.abs(moved[0]).max():.3g} at most: belief {prior:.2f} may become "
        f"{probability(highest)}; "
        f"gap of the worlds e^{gap:.3g}"
    )


family_figure = live(
    fig,
    family,
    "Left: belief that Bob is ill against the released count, in the real world, without Bob, "
    "and without his family. "
    "Right: how far the log odds moved in the first two, and their gap, which stays between "
    "plus and minus epsilon.",
    task=(
        r"raise $k$ from 1 at $\varepsilon = 0.5$. On the left the belief becomes certain; on "
        "the right the gap between the worlds stays in its band. Who protects Bob here? Only "
        "leaving out the whole family does."
    ),
    guess=predict(
        "Eight people, epsilon 0.5 for each record, belief 0.1: what may it become?",
        (0.1, 1),
        r"may become ([\d.]+);",
        k=8,
    ),
    k=slider(1, 8, 4, label="family, k people"),
    epsilon=log_slider(0.2, 1, 0.5),
    prior=slider(0.05, 0.95, 0.1, 0.05, label="belief before"),
)
family_figure

# %% [markdown]
# ## The informed adversary is the weakest
#
# > **Definition 6.8 (simulatability; Dwork, McSherry, Nissim, Smith, 2006).** Let the number of records
# > be public. Somebody is *informed but for $k$* if she knows all records but $k$, and holds any belief about
# > those. A mechanism is $(k, \varepsilon)$-simulatable if for each of them, every release and every statement $f$ about
# > the dataset, the probability that she gives to $f$ changes by a factor between $e^{-\varepsilon}$ and
# > $e^{\varepsilon}$.
#
# > **Theorem 6.9.** Under *replace*, a mechanism is $\varepsilon$-DP if and only if it is $(1, \varepsilon)$-simulatable.
#
# *Proof.* Write $P_x(t)$ for the probability (or density) of release $t$ from dataset $x$. *If it is $\varepsilon$-DP:*
# the datasets that she holds possible differ in one record, so any two are neighbours, and each $P_x(t)$ is within a
# factor of $e^{\pm\varepsilon}$ of the mean $\sum_z b(z) P_z(t)$. So every $b(x)$, and with them the belief in $f$,
# changes by such a factor. *If it is not:* there are neighbours $x, x'$ and a release with
# $P_x(t) > e^\varepsilon P_{x'}(t)$. Let her believe in $x$ with a small probability $\beta$, else in $x'$. Her belief in
# $x$ changes by $P_x(t) / (\beta P_x(t) + (1 - \beta) P_{x'}(t))$, which passes $e^\varepsilon$ as $\beta$ falls.
# $\square$
#
# So there *is* a promise from before to after: for her. She knows all records but Bob's and sounds like the strongest
# adversary there is; whoever knows less, one thinks, learns less. It is the other way round. The neighbour who knows
# nobody's record, but has a theory about the family, cannot be put as "informed but for one". He is informed but for $k$,
# and $e^{k\varepsilon}$ is what holds for him. (Three popular sentences fall with this: that DP assumes nothing about
# how the data come about, that it protects *even* against somebody who knows everybody else, that it withstands any
# background knowledge. As promises about before and after they are wrong, Kifer and Machanavajjhala, 2011; as promises
# about two worlds they are right.)

# %% jupyter={"source_hidden": true}
# Figure: the odds before and after, for an attacker who knows 0, 1, ..., k - 1 of the family
fig, (left, right) = figure(columns=2, height=3.6)
(belief_before,) = left.plot([], [], "s--", color=COLOURS.true, label="before")
(belief_after,) = left.plot(
    [], [], "o-", color=COLOURS.noisy, label="after the highest release"
)
left.set(
    xlabel="how many others he knows",
    ylabel="belief that Bob is ill",
    ylim=(-0.02, 1.02),
    xlim=(-0.3, 9.3),
)
(odds_moved,) = right.plot([], [], "o-", color=COLOURS.other, label="log odds moved by")
promise_lines = [
    right.axhline(1, color=colour, linestyle=style, label=word)
    for colour, style, word in ((COLOURS.third, "-.", "ε"), (COLOURS.grey, ":", "k ε"))
]
right.set(
    xlabel="how many others he knows", ylabel="log odds", ylim=(0, 8.2), xlim=(-0.3, 9.3)
)
who_learns = verdict_text(left)
fig.legend(loc="outside upper center", ncols=5, columnspacing=0.8, handlelength=1.6)


def informed(k, epsilon, together, ill=0.1):
    known = np.arange(k)
    one_other = 1 + ill * math.expm1(
        epsilon
    )  # mean of e^(epsilon x ill) for one unknown person on his own
    alone = (1 - together) * ill**known
    if_ill = [together * ill, alone * ill]  # the family falls ill together, or each on his own
    if_well = [np.where(known == 0, together * (1 - ill), 0), alone * (1 - ill)]
    unknown = k - 1 - known
    likely_ill = if_ill[0] * np.exp(epsilon * unknown) + if_ill[1] * one_other**unknown
    likely_well = if_well[0] + if_well[1] * one_other**unknown
    before = np.log(sum(if_ill)) - np.log(sum(if_well))
    after = epsilon + np.log(likely_ill) - np.log(likely_well)
    belief_before.set_data(known, expit(before))
    belief_after.set_data(known, expit(after))
    odds_moved.set_data(known, after - before)
    for line, height in zip(promise_lines, (epsilon, k * epsilon), strict=True):
        line.set_ydata([height] * 2)
    ends = after[0] - before[0], after[-1] - before[-1]
    set_verdict_text(
        who_learns, None, f"knows nobody: {ends[0]:.2g}; all others: {ends[1]:.2g}"
    )
    others = "the other" if k == 2 else f"all {k - 1} others"
    return f"knows nobody: odds moved by e^{ends[0]:.3g}; knows {others}: e^{ends[1]:.3g}"


informed_figure = live(
    fig,
    informed,
    "Left: belief that Bob is ill before and after the highest release, against the number of "
    "others whose record the "
    "attacker knows. Right: the log odds move most for who knows nobody, and by epsilon alone "
    "for who knows all others.",
    task=(
        "how far does the release move the belief of somebody who knows none of the family, "
        "half of them, all but Bob? His theory: with probability $c$ they all fall ill "
        "together, else each on his own. Those whom he knows are ill."
    ),
    k=slider(2, 10, 6, label="family, k people"),
    epsilon=log_slider(0.2, 0.8, 0.5),
    together=slider(0.0, 0.99, 0.9, 0.01, label="c, fall ill together"),
)
informed_figure

# %% [markdown]
# (It is the *odds* that may change by a factor of $e^{k\varepsilon}$; a probability cannot grow beyond 1.) And this is
# no invented danger. In the RAND experiment a person has up to five yearly records, and whether a person has a physical
# limitation is *the same in all of them*:

# %%
low, high = 0.1, belief_interval(0.1, group_epsilon(5, 1.0))[1]
print(
    f"k = 5, epsilon 1: odds x {math.exp(5):.0f}, probability {low} to {high:.3f}, a factor "
    f"of {high / low:.1f}"
)
limited, person = data.health_insurance()["physlm"].values, data.health_insurance_person()
YEARS = 5  # public: the length of the experiment
records = np.bincount(person)
constant = np.array(
    [
        np.ptp(values) == 0
        for values in np.split(limited[np.argsort(person)], np.cumsum(records)[:-1])
    ]
)
print(
    f"{records.size:,} people, {constant.mean():.0%} with the same answer in all of their 1 "
    f"to {records.max()} records"
)
print(
    f"epsilon 0.5 for a record is epsilon {group_epsilon(YEARS, 0.5)} for a person, who may "
    f"have {YEARS} records"
)

# %% [markdown]
# ## Who is protected? Edges and nodes
#
# A promise is as good as its neighbours. Take a social network: one friendship is an **edge**, one person a **node**
# with all of its friendships. *Edge-DP* compares networks that differ in one friendship, *node-DP* networks that
# differ in one person. For the number of friendships, edge-DP needs noise of scale
# $1/\varepsilon$. Does it hide *you*? If you have $d$ friends, you are a group of $d$ edges: the loss about you is
# $d\,\varepsilon$.

# %% jupyter={"source_hidden": true}
# Figure: degree times epsilon for each person; the best guesser: edge-DP, limit of node-DP
friends = np.sort(data.social_network().values)
people_count = friends.size
ranked = np.arange(people_count) / people_count * 100
fig, (left, right) = figure(columns=2, height=3.6)
left.plot(ranked, np.maximum(friends, 1), color=COLOURS.true)
(you_left,) = left.plot([50], [1], "D", color=COLOURS.other, markersize=9, label="you")
left.set(
    yscale="log", xlabel="people with fewer friends, %", ylabel="friends, d", ylim=(0.8, 2_000)
)
left.yaxis.set_major_formatter("{x:,g}")
network_told = verdict_text(left)
(guess_line,) = right.plot(ranked, ranked, color=COLOURS.noisy, label="best guesser (edge-DP)")
(node_line,) = right.plot(
    [0, 100], [0.5, 0.5], color=COLOURS.third, linestyle="--", label="limit under node-DP"
)
(you_right,) = right.plot([50], [1], "D", color=COLOURS.other, markersize=9)
right.set(
    xlabel="people with fewer friends, %",
    ylabel="guesses that are right",
    ylim=(0.48, 1.02),
)
fig.legend(loc="outside upper center", ncols=3)


def network(epsilon, rank):
    place = min(int(rank / 100 * people_count), people_count - 1)
    degree = int(friends[place])
    guessed = 1 - np.exp(-friends * epsilon / 2) / 2
    guess_line.set_ydata(guessed)
    node_line.set_ydata([belief_interval(0.5, epsilon)[1]] * 2)
    you_left.set_data([ranked[place]], [max(degree, 1)])
    you_right.set_data([ranked[place]], [guessed[place]])
    lost = degree * epsilon
    share = percent(min(guessed[place], 1 - 1e-11), apart=(0.5, 1))  # a promise, if a poor one
    set_verdict_text(network_told, None, f"right about you: {share}%")
    return (
        f"{degree} friends: the loss about you is {amount(lost)}, not "
        f"{epsilon:.3g}; "
        f"the best guesser is right {share}% of the time"
    )


network_figure = live(
    fig,
    network,
    "Left: number of friends of each person, from the fewest to the most, on a log scale. "
    "Right: how often the best "
    "guesser knows whether a person is in the network under edge-DP, rising to 1, above the "
    "flat limit of node-DP.",
    task=(
        r"at $\varepsilon = 0.1$ move from the person with the fewest friends to the one with "
        "the most. From which rank on does the best guesser know whether you are there? (The "
        "network is a synthetic stand-in: only the shape of its degrees is meant.)"
    ),
    guess=predict(
        "Rank 10% in friends, epsilon 0.1: how often is the best guesser right?",
        (50, 100, "%"),
        r"right ([\d.]+)%",
        rank=10,
    ),
    epsilon=log_slider(0.001, 2, 0.1),
    rank=slider(0, 100, 50, 1, label="your rank, %"),
)
network_figure

# %% [markdown]
# Node-DP is the promise to a person, and it costs. A newcomer may be friends with everybody; and how many that is, is
# itself a secret, as people are added and removed. So the sensitivity of the number of friendships has *no* bound, and
# the number of people in the data would be a bound read off the data. As with a sum ([03](03_laplace.ipynb)), cut at a
# public cap $D$:
#
# > **Proposition 6.10 (friendships up to a cap; Kasiviswanathan, Nissim, Raskhodnikova, Smith, 2013).** Let $f_D$ be the
# > largest total weight that can be laid on the friendships, at most 1 on each and at most $D$ on those of one person. It
# > is the number of friendships if nobody has more than $D$, and its sensitivity under add/remove of a person is $D$.
#
# *Proof.* Take the person away with the weight on her friendships, at most $D$: what is left is allowed without her. And
# what is allowed without her is allowed with her, with weight 0 on hers. $\square$ What the cap takes away is at most
# $\sum_i \max(0, d_i - D)$. (Blocki, Blum, Datta and Sheffet, 2013, cut the degrees themselves.)

# %%
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
# The same question comes back in every dataset: a rating or the person who rates (*cell-DP*, *row-DP*), a packet or a
# computer, a visit or a patient. One could keep the small unit and "make up for it by a smaller $\varepsilon$": but that
# means to analyse correlations, which the principle was to spare us. Ask first: *what is removed in my ideal world?*
# Sometimes nobody can say (Li et al. 2016, section 3.3):
#
# - *Genes.* DeCode had the genomes of 10,000 Icelanders who agreed. With the genealogies it can tell of about 2,000
#   others, who never took part, that they carry a dangerous variant of BRCA2. Are my parents' genes my personal data?
#   In 2003 Iceland's supreme court let a daughter forbid that her dead father's health data be passed on: they tell
#   about *her*.
# - *Guardians.* Who decides for his small children takes out their records with his own. Then his ideal world lacks
#   $k$ records, and his promise is $k\varepsilon$.
# - *Two cents.* If somebody takes two cents from every account, nobody is harmed much, and it is theft. A company that
#   sells data which it may not sell is in no better position for having added noise.
#
# A dorm, at last: $k$ strangers live in one building. May the *group* complain? Each has the promise. The group has
# $k \varepsilon$. With $\varepsilon = 0.1$ for each, is the disease in the building?

# %%
for k in (1, 5, 20, 50, 100):
    right_guess = laplace_probability(k / 2, np.inf, k, 1, 0.1)
    print(
        f"k = {k:>3}: epsilon of the group {group_epsilon(k, 0.1):>4.1f}, best guesser right "
        f"{right_guess:.1%}"
    )

# %% [markdown]
# ## When epsilon is too large
#
# Each $\varepsilon$ is a valid promise, and a large one promises nothing. The textbook's judgement (section 3.4.1): 0.1
# is strong, 1 is often acceptable, 5 is mostly unsuitable, 10 is no protection. Two of the inventors named "0.01, 0.1,
# or in some cases $\ln 2$ or $\ln 3$" (Dwork and Smith, 2010), and called it a social question. Here is what they
# allow:

# %%
rows = []
for epsilon in (0.01, 0.1, 1, 2, 5, 10):
    ends = [belief_interval(prior, epsilon)[1] for prior in (0.001, 0.1, 0.5)]
    rows.append(
        (
            epsilon,
            f"{math.exp(epsilon):,.2f}",
            *(f"{end:.4f}" for end in ends),
            f"{largest_distance(epsilon):.4f}",
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
# That is the worst release. What will *usually* happen? Below, a count with Laplace noise, somebody who is in the data,
# and an attacker who suspects it. The worst is not rare: whenever the noise is above zero, which is half of the time,
# the loss is the whole of $\varepsilon$.


# %%
def loss_quantile(part, epsilon):
    """The loss that a share `part` of the releases stays below, for a count with somebody
    in.
    """
    noise = np.where(part < 0.5, np.log(2 * part), -np.log(2 * (1 - part))) / epsilon
    return epsilon * (np.abs(noise + 1) - np.abs(noise))


# %% jupyter={"source_hidden": true}
# Figure: the belief after the worst release, and after releases that a share is below
wide = np.geomspace(0.01, 30, 121)
PARTS = (0.1, 0.25, 0.4)
fig, ax = figure(height=4.0)
(worst,) = ax.plot(wide, wide, color=COLOURS.other, linewidth=2.5, label="worst release")
usual = [
    ax.plot(wide, wide, style, color=COLOURS.noisy, label=f"{part:.0%} are below")[0]
    for part, style in zip(PARTS, (":", "--", "-"), strict=True)
]
never = ax.axhline(0.5, color=COLOURS.third, linestyle="-.", label="must not be passed")
enough = ax.axvline(1, color=COLOURS.third, linewidth=0.8)
(now,) = ax.plot(
    [1], [0.5], "D", color=COLOURS.other, markersize=9, clip_on=False, in_layout=False
)
allowed_epsilon = verdict_text(ax)
ax.set(xscale="log", yscale="logit", xlim=(0.008, 36), ylim=(1e-4, 1 - 5e-4), xlabel="epsilon")
ax.set(ylabel="belief that the person is in", xticks=[0.01, 0.1, 1, 10])
ax.set_xticklabels(["0.01", "0.1", "1", "10"])
ax.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
ax.minorticks_off()
fig.legend(loc="outside upper center", ncols=3)


def suspicion(before, epsilon, most):
    worst.set_ydata(np.clip(expit(logit(before) + wide), 0, 1 - 1e-9))
    for line, part in zip(usual, PARTS, strict=True):
        line.set_ydata(
            np.clip(expit(logit(before) + loss_quantile(part, wide)), 1e-9, 1 - 1e-9)
        )
    never.set_ydata([most] * 2)
    now.set_data([epsilon], [min(belief_interval(before, epsilon)[1], 1 - 5e-4)])
    low = expit(logit(before) + loss_quantile(0.1, epsilon))
    if most <= before:
        enough.set_xdata([wide[0]] * 2)
        set_verdict_text(allowed_epsilon, None, "no ε is small enough")
        return "the belief before is there already: no epsilon is small enough"
    largest = epsilon_for_belief(before, most)
    enough.set_xdata([largest] * 2)
    set_verdict_text(allowed_epsilon, None, f"never above {most:.2f}: ε at most {largest:.2f}")
    high = min(belief_interval(before, epsilon)[1], 1 - 1e-11)
    below = f", below {percent(low)}% in a tenth" if low < 1 - 1e-8 else ""
    return (
        f"epsilon {epsilon:.3g}: from {percent(before)}% to {percent(high)}% in half of the "
        f"releases{below}; never above {most:.2f}: epsilon at most {largest:.2f}"
    )


suspicion_figure = live(
    fig,
    suspicion,
    "Belief that somebody is in the data against epsilon, on a scale of log odds: the worst "
    "release rises first, then "
    "lines that 40, 25 and 10 percent of the releases stay below; a level not to pass, and "
    "the epsilon it allows.",
    task=(
        r"one suspect among a thousand (belief before 0.001). Raise $\varepsilon$ until the "
        "worst release makes the attacker half sure, and read how often a release stays "
        "below. Then let the belief before be 0.5."
    ),
    before=choice([0.001, 0.01, 0.1, 0.5], 0.001, label="belief before"),
    epsilon=log_slider(0.01, 30, 1.0),
    most=slider(0.05, 0.95, 0.5, 0.05, label="must not pass"),
)
suspicion_figure

# %%
show_source(epsilon_for_belief)
for prior, most in ((0.001, 0.01), (0.001, 0.5), (0.1, 0.5), (0.5, 0.6)):
    print(
        f"from {prior} never above {most}: epsilon at most "
        f"{epsilon_for_belief(prior, most):.2f}"
    )

# %% [markdown]
# A large total hides behind small parts. A hundred releases at 0.1 are 10 together ([02](02_composition.ipynb)), and
# ten records of one person at 1 are 10 for that person. The $\varepsilon$ to look at is the sum over everything that
# holds you.
#
# ## What differential privacy does not promise
#
# **It does not keep a model from being used on you.** Half of the voters, *A*, are in the data. A
# private table is made of them: how many of each party answer vote for whom. Then the table guesses the votes of the
# other half, *B*, who were never in it. One of the voters is you (`YOU`, above).

# %%
voters = data.election()
order = np.random.default_rng(4).permutation(vote.size)
half_a, half_b = order[: vote.size // 2], order[vote.size // 2 :]
WIDTHS, CODES = {"party": 7, "left or right": 8, "income class": 25}, 25


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
fig, (table_ax, right) = figure(columns=2, height=3.6, width_ratios=[3, 2])
true_share = steps(
    table_ax,
    np.zeros(CODES),
    colour=COLOURS.pale,
    edges=np.arange(CODES + 1) - 0.5,
    fill=True,
    label="true, A",
)
model_share = steps(
    table_ax,
    np.zeros(CODES),
    colour=COLOURS.noisy,
    edges=np.arange(CODES + 1) - 0.5,
    label="private model",

    facecolor="none", linewidth=1.8,
)  # fmt: skip
table_ax.set(
    xlabel="code of the attribute",
    ylabel="share for Dole",
    ylim=(0, 1.02),
    xlim=(-0.5, CODES - 0.5),
)
GUESSED = ["A, in the data", "B, never in it", "no model"]
accuracy = right.barh(
    range(3), [0] * 3, color=[COLOURS.noisy, COLOURS.other, COLOURS.pale], height=0.6
)
labels = [
    right.text(0.03, row, "", va="center", color="white" if row < 2 else "black")
    for row in range(3)
]
(my_code,) = table_ax.plot(
    [0], [0.94], "*", color=COLOURS.amber, markeredgecolor="black", markersize=14, label="you"
)
my_vote = verdict_text(table_ax)
right.set(
    yticks=range(3),
    yticklabels=GUESSED,
    ylim=(2.6, -0.6),
    xlim=(0, 1),
    xlabel="votes guessed right",
)
fig.legend(loc="outside upper center", ncols=3)


def model(attribute, epsilon, seed):
    codes = voters[ATTRIBUTES[attribute]].values
    counts, noisy = learn(codes, epsilon, np.random.default_rng(seed))
    for outline, cells in ((true_share, counts), (model_share, np.maximum(noisy, 0.01))):
        shares = np.where(
            counts.sum(axis=1) > 0, cells[:, 1] / np.maximum(cells.sum(axis=1), 0.01), 0
        )
        set_steps(outline, shares)
    if table_ax.get_xlim()[1] != WIDTHS[attribute] - 0.5:
        table_ax.set_xlim(-0.5, WIDTHS[attribute] - 0.5)
    guess = noisy.argmax(axis=1)[codes]
    my_code.set_xdata([codes[YOU]])
    hit = guess[YOU] == vote[YOU]
    side = "A" if YOU in half_a else "B"
    set_verdict_text(my_vote, None, f"you, in {side}: guessed {'right' if hit else 'wrong'}")
    found = [np.mean(guess[half] == vote[half]) for half in (half_a, half_b)] + [
        np.mean(vote == 0)
    ]
    for bar, label, share in zip(accuracy, labels, found, strict=True):
        bar.set_width(share)
        label.set_text(f"{share:.0%}")
    return (
        f"votes guessed right from {attribute}: A {found[0]:.1%}, B {found[1]:.1%}; everybody "
        f"'Clinton' {found[2]:.1%}"
    )


model_figure = live(
    fig,
    model,
    "Left: share of voters for Dole by a code, true in half A and as the private model has "
    "it. Right: share of votes "
    "guessed right in half A, in half B who were never in the data, and with no model at all; "
    "A and B nearly equal.",
    task=(r"lower $\varepsilon$ until the guesses get worse. Is *B* any better off than *A*?"),
    attribute=choice(list(ATTRIBUTES), "party"),
    epsilon=log_slider(0.003, 5, 0.1),
    seed=new_noise(5),
)
model_figure

# %%
for attribute in ATTRIBUTES:
    model_figure.controls["attribute"].value = attribute
    print(model_figure.caption)
model_figure.controls["attribute"].value = "party"

# %% [markdown]
# The promise was kept to the letter: leaving any one voter out changes next to nothing. And the votes are told, of
# those in and of those out, from one attribute. DP protects the *record* that was learned from, not the *person* that
# the model is used on. (A shop's model told from purchases that a schoolgirl was pregnant, and its coupons told her
# father: Duhigg, 2012. No noise in the learning would have changed that.)
#
# **It does not keep anybody from treating people by their group.** A private model with the share for
# Dole by income class is applied to people, one by one. For how many is it wrong?

# %%
income = voters["income"].values
_, noisy_table = learn(income, 1.0, np.random.default_rng(6))
guess = noisy_table.argmax(axis=1)[income]
for low, high in ((1, 8), (9, 16), (17, 24)):
    group = (income >= low) & (income <= high)
    print(
        f"income {low:>2} to {high:>2}: taken for a Dole voter {guess[group].mean():.0%},",
        end=" ",
    )
    print(
        f"true {vote[group].mean():.0%}, wrong about "
        f"{np.mean(guess[group] != vote[group]):.0%} of these people"
    )

# %% [markdown]
# And *more* privacy can mean *more* of this. An employer who may not ask about convictions, but fears them, goes by the
# group; one who may ask finds that most of the group have none (Wheelan, 2010). That is a matter for another law.
#
# **What else it does not promise:**
#
# - *Secrecy.* Conclusions about smokers, voters, families come out: they are what the study is for.
# - *A group.* A family, a building, a village has $k\varepsilon$. A law that knows group privacy would not be content.
# - *Yourself in several places.* The promise is for one account. Two data holders with 1 each are 2.
# - *That your data may be used.* A small $\varepsilon$ is no consent, and no excuse for those who only want to sell.
# - *That the data are safe.* Whoever keeps $D$ still has all of it. [07](07_local.ipynb) does without a keeper.
# - *That the answer is right.* The noise is the price. Publish its size with the answer.
#
# ## Four numbers to keep apart
#
# Which relation, a decision or a belief, odds or a probability, before and after or with and without:

# %%
half_sure = belief_interval(0.5, 2)[1]
print(
    f"1. distance of two worlds at epsilon 1: at most tanh(1/2) = "
    f"{largest_distance(1):.3f}, not e - 1 = {math.expm1(1):.3f}"
)
print(
    f"2. a decision of 0.5 at epsilon 1: up to {closeness_interval(0.5, 1)[1]:.4f}; belief in "
    f"a "
    "vote, add/remove:",
    end=" ",
)
print(f"{half_sure:.4f}")
print(
    f"3. family of 5, epsilon 1, belief 0.1: times e^5 would be {0.1 * math.exp(5):.1f};",
    end=" ",
)
print(f"the odds give {belief_interval(0.1, 5)[1]:.3f}")
noisy = laplace_mechanism(
    np.tile(STUDIES["Taiyuan"], (2_000, 1, 1)), 1, 0.01, np.random.default_rng(2)
)
small = risk(np.maximum(noisy, 0.5), 0.05)
print(
    f"4. before and after: {STUDIES['Taiyuan'].sum()} people at epsilon 0.01, wrong "
    "conclusion in",
    end=" ",
)
print(f"{np.mean(small < 0.05):.0%} of the releases")

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
# 3. In the figure of Carl, make *before* 20%. Why does the belief now move by more points, and by the same odds?
# 4. Set `BELIEFS["for or against?"] = (1, 0)`, so that the hypotheses are *for* ($+1$) and *not there* ($0$), and run the
#    cell of the figure again. Is the curve inside the table at every prior? Why are the two hypotheses neighbours now,
#    and which other question of the figure has become the same one?
# 5. If Bob is ill (believed at 0.1), each of the other $k - 1$ is ill with probability 0.9, independently; if he is not,
#    nobody is. By how much can a release at $\varepsilon = 0.5$ move the odds that Bob is ill? Compute it for $k = 2$, 4
#    and 8 with `posterior` over $0, \ldots, k$ ill people and compare with $e^{k\varepsilon}$ of the figure: how much
#    does a theory that is right nine times in ten protect?
# 6. *Challenge.* Let the *promise* be for replace, and the hypotheses replace neighbours of each other, with everything
#    else known. Show that a belief moves by at most $\tanh(\varepsilon / 4)$, and find the prior that reaches it. What is
#    the bound if the promise is for add/remove, as on this page?

# %% [markdown]
# ## When to use which number
#
# For somebody who asks what $\varepsilon = 0.5$ means to them:

# %%
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
    "your family of 4, believed at 0.1:     within {:.3f} and {:.3f}".format(
        *belief_interval(0.1, group_epsilon(4, 0.5))
    )
)
print(f"any belief, with you or without you:   at most {largest_distance(0.5):.3f} apart")

# %% [markdown]
# Use the first line for what may happen to you, the second and third for what may be believed of you by somebody who
# knows everybody else, the fourth where records go together, the last for anybody at all. Say which neighbours the
# promise is for, each time.
#
# ## How sure were you, and how often right?
#
# Beliefs again, your own. Above many figures you were asked to guess first and to say how sure you were. Who is well
# calibrated is right in 70 of 100 cases in which "70%" was said. The odds of this page say what a wrong "99%" costs:
# it was 99 to 1 against what happened. All guesses so far, on every page; your file is on your own computer only, and
# the table is not stored with the page.

# %%
calibration()

# %% [markdown]
# Run the cell again when you have read more pages. (Whoever deletes the file named in `dpbook.guesses` begins anew.)
#
# ## Sources
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to Practice*, Morgan &
#   Claypool, 2016, [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018): chapter
#   3, equations 3.1 to 3.3, Examples 3.2 and 3.3, Table 3.1.
# - Tore Dalenius: *Towards a methodology for statistical disclosure control*, Statistik Tidskrift 15, 1977.
# - Cynthia Dwork: *Differential privacy*, ICALP 2006, [doi:10.1007/11787006_1](https://doi.org/10.1007/11787006_1): his
#   wish in her words, and why it cannot be had.
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
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [05 Averages, six ways](05_averages.ipynb) · **Next:** [07 Local privacy: randomized response](07_local.ipynb)
