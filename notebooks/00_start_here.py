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
# # 00 Start here
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Next:** [01 Incidents: how published data gave people away](01_incidents.ipynb)
#
# Each dot of a picture is the secret of one of 1,600 people. You may ask how many dots are dark in a random half of
# them; you get the count plus noise.

# %% jupyter={"source_hidden": true}
# Figure: laplace_mechanism(dark, 1, epsilon, rng); a dot is answers with it less those without
import numpy as np
from scipy.linalg import hadamard

from dpbook.amounts import amount, percent
from dpbook.laplace import laplace_mechanism
from dpbook.live import choice, live, log_slider, new_noise, switch
from dpbook.plots import (
    COLOURS,
    figure,
    set_maps,
    set_verdict_text,
    verdict_text,
    x_axis,
    y_axis,
)

rows, columns = np.mgrid[:40, :40] - 19.5
secret = np.hypot(rows, columns) < 18.5
secret &= np.hypot(rows + 5, np.abs(columns) - 7) > 3
secret &= ~((np.abs(np.hypot(rows + 2, columns) - 12) < 1.7) & (rows > 3))
bits = secret.ravel().astype(float)

# Question i counts the dots whose column has +1 in row i of a matrix of 2,048 x 2,048 signs:
# about half of them.
FAST = hadamard(64).astype(float), hadamard(32).astype(float)
shuffle = np.random.default_rng(1)
place, asked = shuffle.permutation(2048)[: bits.size], 1 + shuffle.permutation(2047)


def with_minus_without(values, places):
    """For every column: the values whose row, of `places`, has +1 there, minus the others."""
    every = np.zeros(2048)
    every[places] = values
    return (FAST[0] @ every.reshape(64, 32) @ FAST[1]).ravel()


dark = (bits.sum() + with_minus_without(bits, place)) / 2  # in the half that each asks for
secret_fig, (answer_ax, picture_ax) = figure(columns=2, height=2.8, width_ratios=[1, 1.1])
(answer_line,) = answer_ax.plot([], [], ".", markersize=2.5, color=COLOURS.noisy)
x_axis(answer_ax, "question", (0, 2047), [0, 500, 1000, 1500, 2000])
y_axis(answer_ax, "dark dots, as answered", (350, 550))
look = {"cmap": "gray_r", "vmin": -0.1, "vmax": 1.1, "interpolation": "nearest"}
found_image = picture_ax.imshow(secret, **look)
picture_ax.set(xticks=[], yticks=[])
picture_ax.spines[:].set(visible=True, color=COLOURS.grey)
answer_title, found_title = verdict_text(answer_ax), verdict_text(picture_ax)


def update_secret(questions, spend, together, seed):
    each = spend / questions if together else spend
    answers = laplace_mechanism(dark[asked], 1, each, np.random.default_rng(seed))[:questions]
    middle = answers.mean()
    votes = with_minus_without(answers - middle, asked[:questions])[place]
    found = 2 * votes / questions + middle / 1024
    answer_line.set_data(np.arange(questions), answers)
    set_maps([found_image], found.reshape(40, 40))
    set_verdict_text(answer_title, None, f"mean error: {amount(1 / each, 2)}")
    right = np.sum((found > 0.5) == (bits > 0.5))
    set_verdict_text(found_title, None, f"{right:,} of 1,600 dots right")
    total = each * questions
    most = 1 / (1 + np.exp(-total))
    sure = "this guarantee lets an attacker be as good as certain of every dot."
    if most < 1 - 1e-6:
        part = percent(most, apart=(0.5, 1))
        sure = f"at even odds, a guess about one dot is right at most {part}% of the time."
    return (
        f"{questions:,} answers at epsilon {amount(each, 2)} spend {amount(total, 4)} in "
        f"all: {sure}"
    )


live(
    secret_fig,
    update_secret,
    "Left: the noisy answers to up to 2,047 questions, a band of points. Right: 40 by 40 "
    "dots worked out from them, in which a smiling face appears as questions are added and "
    "dissolves as epsilon falls.",
    task="press *play*: each answer is vague, and the face appears. Then take *epsilon* down. "
    "Then tick the box.",
    play="questions",
    questions=choice(
        [20, 50, 100, 200, 300, 400, 500, 700, 900, 1100, 1300, 1500, 1700, 1900, 2047], 700
    ),
    spend=log_slider(0.01, 10, 1.0, label="spend epsilon"),
    together=switch(False, label="on all answers together"),
    seed=new_noise(1),
)

# %% [markdown]
# **What you saw.** Every answer alone is vague, and its $\varepsilon$ guarantees that it reveals little about anybody.
# But the epsilons add up, and two thousand answers together guarantee next to nothing. Plain arithmetic finds the
# picture: for each dot, take the answers that counted it minus the answers that did not. [Tick the
# box](#move:together=on&questions=2047), and all answers together spend one $\varepsilon$: more questions bring more
# noise, and the face does not come.
# [At epsilon 10](#move:together=on&questions=2047&spend=10) it does not come either, although that guarantee is
# weak: it limits every attack, not only ours. Both accounts are true, for pictures that differ in one dot; only the
# second gives a person a useful guarantee. [Page 02](02_composition.ipynb) proves the sum.
#
# This is a workbook on differential privacy. You move sliders over real records, break mechanisms that do not keep
# their guarantee, and read the short Python functions behind every figure.
#
# <details><summary>About 20 minutes: what you need, whom this is for, the data</summary>
#
# **You need:** some Python with numpy, and probability as far as "expected value".
#
# **Time:** about 20 minutes. A good place to stop is after the map.
#
# **This book is for** students and practitioners with some Python. Every guarantee is proved, measured and, where it
# does not hold, broken. If you want a first book without proofs, try *Programming Differential Privacy* (Near and
# Abuah, online). For the whole theory there are *The Algorithmic Foundations of Differential Privacy* (Dwork and
# Roth, 2014) and *The Complexity of Differential Privacy* (Vadhan, 2017). If you build with a library, read *Hands-On
# Differential Privacy* (Cowan, Shoemate and Pereira, 2024).
#
# **Real and synthetic:** the picture is drawn by hand; the voters below are real people. Words, symbols, data, your own
# file, and every mechanism on one page: [90 Reference](90_reference.ipynb).
#
# </details>

# %% [markdown]
# ## How an exact answer gives people away
#
# In the 1996 election study, voters told the interviewer the class of their household's income, from 1 (lowest) to
# 24 (highest). Suppose the count of voters in each class is published, exactly. One voter then withdraws, and the
# counts are published again.

# %% jupyter={"source_hidden": true}
# What this page imports
from dpbook import data
from dpbook.guesses import predict
from dpbook.live import show_source
from dpbook.plots import legend_above, set_steps, steps

# %%
voters = data.election()
income = voters["income"].values
before = np.bincount(income, minlength=25)[1:]
after = np.bincount(np.delete(income, 100), minlength=25)[1:]  # voter 100 withdraws
differs = 1 + np.flatnonzero(before - after)[0]
print(f"{before.sum()} voters before, {after.sum()} after")
print(f"the counts differ in one class: {differs}")
assert income[100] == differs

# %% [markdown]
# The subtraction gives away the income of the voter who left. Each publication looked harmless: only sums, no
# names. Leaving out names, or small counts, does not mend this. An answer that uses the records, and must not give
# anybody away, needs an element of chance.

# %% [markdown]
# ## Differential privacy in three sentences
#
# 1. Differential privacy is a guarantee about a *procedure* that answers questions from personal records. It draws the
#    answer at random, in such a way that your record hardly changes the odds.
# 2. Run the procedure with your record and without it. Any set of answers is at most $e^\varepsilon$ times as likely
#    in one case as in the other. This holds for every person, whatever the other records and whatever an attacker
#    knows.
# 3. The number $\varepsilon$ (epsilon) is the price tag: a small one hides you well and blurs the answer; a large one
#    does neither.
#
# $$\Pr[M(D) \in S] \;\le\; e^{\varepsilon}\, \Pr[M(D') \in S] \quad \text{for all neighbours } D, D' \text{, all } S$$
#
# ($M$ is the procedure and $S$ a set of answers. $D$ and $D'$ are *neighbours*: the records with you and without you,
# in either order. See Definitions 2.3 and 2.4 of page 02.)
#
# What does $e^\varepsilon$ mean for a person? Suppose somebody thinks both cases equally likely, and guesses from one
# answer whether your record was in. The guess is right with a probability of at most
# $e^\varepsilon / (1 + e^\varepsilon)$:

# %%
for epsilon in (0.01, 0.1, 0.5, 1, 2, 5, 10):
    odds = np.exp(epsilon)
    right = odds / (1 + odds)
    print(
        f"epsilon {epsilon:5}: odds grow at most {amount(odds):>6}-fold, a guess is right at "
        f"most {right:.3%}"
    )

# %% [markdown]
# ## The simplest private procedure
#
# Add noise from the Laplace distribution. Its scale, the mean size of the noise, is the most that one person can move
# the answer, divided by $\varepsilon$. That is the whole procedure; [03](03_laplace.ipynb) shows why it works.

# %%
show_source(laplace_mechanism)

# %% [markdown]
# One voter more or less changes one count by one. So the most that one person can move the histogram, its
# *sensitivity*, is 1.

# %% jupyter={"source_hidden": true}
# Figure: laplace_mechanism(before, 1, epsilon, rng) on the 24 counts, and its largest error
edges = np.arange(25) + 0.5
fig, ax = figure()
steps(ax, before, colour=COLOURS.pale, label="true counts", edges=edges, fill=True)
noisy_steps = steps(ax, before, colour=COLOURS.noisy, label="released counts", edges=edges)
x_axis(ax, "class of household income, 1 lowest to 24 highest", (0.5, 24.5))
y_axis(ax, "voters", (-40, 160))
worst = verdict_text(ax)
legend_above(fig)


def update(epsilon, seed):
    noisy = laplace_mechanism(before, 1, epsilon, np.random.default_rng(seed))
    set_steps(noisy_steps, noisy)
    error = np.abs(noisy - before).max()
    set_verdict_text(worst, None, f"the largest error, in voters: {amount(error, 2)}")
    return f"largest error of the 24 counts: {error:.1f} voters"


most, least = (1, 300, " voters"), (0.01, 30, " voters")
incomes = live(
    fig,
    update,
    "Voters in 24 income classes: true counts filled in grey, noisy counts as a line.",
    task="drag epsilon to the left end: the small classes drown. Then press *New noise*.",
    guess=[
        predict(
            "How far off is the worst of the 24 counts at epsilon 0.2?",
            most,
            r": (.+) voters",
            epsilon=0.2,
        ),
        predict(
            "How far off is the worst of the 24 counts at epsilon 0.5?",
            most,
            r": (.+) voters",
            epsilon=0.5,
        ),
        predict(
            "How far off is the worst of the 24 counts at epsilon 5?",
            least,
            r": (.+) voters",
            epsilon=5.0,
        ),
    ],
    epsilon=log_slider(0.1, 10, 1.0),
    seed=new_noise(1),
)
incomes

# %% [markdown]
# Code can move the sliders too. This is how the tests of the book check every figure:

# %%
for epsilon in (0.1, 1.0, 10.0):
    incomes.controls["epsilon"].value = epsilon
    print(f"epsilon {epsilon:>5}: {incomes.caption}")
incomes.controls["epsilon"].value = 1.0
assert incomes.error == ""

# %% [markdown]
# ## How a live figure works
#
# - *In the book's own JupyterLab* (`make lab`) a page runs when it is opened. Anywhere else, choose *Run > Run All
#   Cells*.
# - *Move a slider* by dragging, or click it and use the arrow keys. To set a value, click the number beside it, type,
#   and press *Enter*.
# - *A link in the text* such as [epsilon 0.1](#move:epsilon=0.1) moves the sliders of the figure above it.
# - *New noise* draws again. While a slider moves, the noise is the same draw, only rescaled, and the axes stay fixed.
#   What you see is the slider and not luck.
# - *Guess first:* where a figure asks, its sliders wait for your answer, or for *Skip*. Your guesses stay in a file
#   of your own, `.dpbook-guesses.jsonl` in your home folder. [Page 06](06_meaning.ipynb) shows how often you were
#   right when you were 90% sure.
# - *How it is drawn* is folded: one line says what the figure computes. Click it to open the cell, change the function
#   above `live(...)`, run it again, and you have a figure of your own.
# - *Below the picture* are its numbers, also for screen readers. After a failed move its error stands there in red.
#
# Saving a page that you have only read and run changes nothing on the disk.

# %% [markdown]
# ## Map of the book
#
# Each page stands to the right of those it needs. Its disc fills as you answer its questions; its square, as the checks
# of its assignment say "right". Click a page to go there.

# %% jupyter={"source_hidden": true}
# Figure: the pages, right of what they need, filled as far as you are (run it again later)
from dpbook.progress import Page, show_map

PAGES = [
    Page("00", "start_here", "Foundations", (), 3, 0),
    Page("01", "incidents", "Foundations", ("00",), 4, 5),
    Page("02", "composition", "Foundations", ("00",), 4, 5),
    Page("03", "laplace", "Foundations", ("00", "02"), 4, 5),
    Page("04", "exponential", "Foundations", ("02", "03"), 4, 5),
    Page("05", "averages", "Foundations", ("03", "04"), 3, 5),
    Page("06", "meaning", "Foundations", ("02", "03"), 4, 5),
    Page("07", "local", "Foundations", ("00", "03"), 3, 5),
    Page("08", "histograms", "Tables and data", ("03",), 3, 5),
    Page("09", "partitions", "Tables and data", ("03", "04", "08"), 4, 5),
    Page("10", "clustering", "Learning", ("02", "03", "04"), 4, 5),
    Page("11", "regression", "Learning", ("03", "04"), 3, 5),
    Page("12", "trees", "Learning", ("02", "03", "04"), 4, 5),
    Page("13", "marginals", "Tables and data", ("03", "04", "08"), 3, 5),
    Page("14", "svt", "Choosing and stability", ("03", "04"), 4, 5),
    Page("15", "stability", "Choosing and stability", ("03", "04", "24"), 4, 6),
    Page("16", "compressive", "Sparse data", ("03", "04", "08"), 3, 5),
    Page("17", "continual", "Sparse data", ("03", "16"), 3, 5),
    Page("18", "sensing", "Sparse data", ("03", "08", "16"), 3, 5),
    Page("19", "projection", "Sparse data", ("02", "03"), 3, 5),
    Page("20", "alp", "Sparse data", ("03", "07"), 3, 5),
    Page("21", "audit", "Trust", ("03",), 4, 5),
    Page("22", "errata", "Trust", ("02", "03"), 3, 0),
    Page("23", "production", "Trust", ("05", "21", "24"), 4, 0),
    Page("24", "gaussian", "With a delta", ("02", "03"), 3, 5),
    Page("25", "accounting", "With a delta", ("02", "24"), 3, 5),
    Page("26", "gradients", "With a delta", ("24", "25"), 4, 5),
    Page("27", "choosing", "Trust", ("03", "06", "24", "25"), 6, 0),
    Page("28", "synthetic", "With a delta", ("04", "13", "24", "25"), 4, 5),
    Page("29", "parties", "With a delta", ("03", "07", "24"), 5, 5),
    Page("30", "correlated", "With a delta", ("24", "25"), 5, 5),
    Page("31", "memory", "With a delta", ("02", "24", "25"), 6, 5),
    Page("90", "reference", "Reference", ("00",), 0, 0),
]
show_map(PAGES)

# %% [markdown]
# Read 00, 02 and 03 first, in this order; 01, on why all this is needed, goes well between 00 and 02. After 03,
# chapters 04, 06, 07 and 08 can be read in any order; 05 and 14 use 04, and 16 uses 04 and 08.
#
# <details><summary>All chapters in a table: what each one holds</summary>
#
# A chapter, its module and its tests share one stem: `notebooks/03_laplace`, `dpbook/laplace.py`,
# `tests/test_laplace.py`.
#
# | number | chapter | what it holds |
# |---|---|---|
# | 00 | [start_here](00_start_here.ipynb) | a secret picture that noisy answers give away; what is guaranteed; a map of the book |
# | 01 | [incidents](01_incidents.ipynb) | linkage, k-anonymity and how it fails, the attack on published averages |
# | 02 | [composition](02_composition.ipynb) | neighbours, the definition as a picture, what adds up, a budget that refuses |
# | 03 | [laplace](03_laplace.ipynb) | noise for numbers; a game that you cannot win more often than e^eps / (1 + e^eps) |
# | 04 | [exponential](04_exponential.ipynb) | private choices: mode, median, quantiles |
# | 05 | [averages](05_averages.ipynb) | an average six ways; one is proved private in print and is not |
# | 06 | [meaning](06_meaning.ipynb) | what epsilon promises about beliefs, families, networks, and what it does not |
# | 07 | [local](07_local.ipynb) | randomized response and unary encoding; the price of trusting nobody |
# | 08 | [histograms](08_histograms.ipynb) | flat, hierarchical and Haar histograms; constrained inference; choosing b |
# | 09 | [partitions](09_partitions.ipynb) | grids, trees in space, merging bins, Fourier methods |
# | 10 | [clustering](10_clustering.ipynb) | private k-means: rounds, a grid, blocks, evolution; a loop that loses k epsilon |
# | 11 | [regression](11_regression.ipynb) | output and objective perturbation, the functional mechanism, private search |
# | 12 | [trees](12_trees.ipynb) | decision trees and classification from private counts |
# | 13 | [marginals](13_marginals.ipynb) | tables over many attributes: cubes, Fourier, MWEM, PriView |
# | 14 | [svt](14_svt.ipynb) | six variants of the sparse vector technique, four of them broken, with exact losses |
# | 15 | [stability](15_stability.ipynb) | smooth sensitivity, sample and aggregate, votes, propose-test-release |
# | 16 | [compressive](16_compressive.ipynb) | noise on random samples of sparse data, and when it pays |
# | 17 | [continual](17_continual.ipynb) | counting a stream while it runs; what an intruder sees |
# | 18 | [sensing](18_sensing.ipynb) | compressed sensing on tables, and the theorem that is false |
# | 19 | [projection](19_projection.ipynb) | compressing the records by a random matrix, and what kind of guarantee that is |
# | 20 | [alp](20_alp.ipynb) | a sparse vector of a million entries in a small sketch with fast access |
# | 21 | [audit](21_audit.ipynb) | is it private? exact losses, certified bounds, the floating-point attack |
# | 22 | [errata](22_errata.ipynb) | what we found wrong in the sources, each with its number; their experiments, run again |
# | 23 | [production](23_production.ipynb) | the same releases with OpenDP and diffprivlib, what each guards against, how to choose |
# | 24 | [gaussian](24_gaussian.ipynb) | (epsilon, delta), the Gaussian mechanism, where it beats Laplace |
# | 25 | [accounting](25_accounting.ipynb) | privacy loss, zCDP, Rényi, loss distributions, sampling |
# | 26 | [gradients](26_gradients.ipynb) | noisy gradient descent (DP-SGD), and an audit of the trained model |
# | 27 | [choosing](27_choosing.ipynb) | which epsilon? from accuracy to epsilon and back, deployments, a planner that writes its program |
# | 28 | [synthetic](28_synthetic.ipynb) | choose tables, buy them, fit a model, draw records: MST, AIM, Private-PGM |
# | 29 | [parties](29_parties.ipynb) | masked sums, noise in pieces, dropouts, shuffling, federated averaging |
# | 30 | [correlated](30_correlated.ipynb) | running totals and training with correlated noise: factorisation, bands, DP-FTRL |
# | 31 | [memory](31_memory.ipynb) | exposure of a secret, membership, an audit in one run, tables from sums, the price of tuning |
# | 90 | [reference](90_reference.ipynb) | words and symbols, the data, your own file, every mechanism on one page |
#
# </details>
#
# ### Tours
#
# | tour | for | hours | pages |
# |---|---|---|---|
# | **One day** | readers who want to know what is guaranteed, what it costs, and how it is tested | 4 | [01](01_incidents.ipynb), [02](02_composition.ipynb), [03](03_laplace.ipynb), [06](06_meaning.ipynb), [08](08_histograms.ipynb), [21](21_audit.ipynb) |
# | **Six weeks** | a part of a course on privacy or on databases: two chapters a week, an assignment with most | 8 | [01](01_incidents.ipynb), [02](02_composition.ipynb), [03](03_laplace.ipynb), [04](04_exponential.ipynb), [05](05_averages.ipynb), [06](06_meaning.ipynb), [07](07_local.ipynb), [08](08_histograms.ipynb), [14](14_svt.ipynb), [21](21_audit.ipynb), [24](24_gaussian.ipynb), [25](25_accounting.ipynb) |
# | **A semester** | a course of its own | 19 | [01](01_incidents.ipynb), [02](02_composition.ipynb), [03](03_laplace.ipynb), [04](04_exponential.ipynb), [05](05_averages.ipynb), [06](06_meaning.ipynb), [07](07_local.ipynb), [24](24_gaussian.ipynb), [25](25_accounting.ipynb), [08](08_histograms.ipynb), [09](09_partitions.ipynb), [13](13_marginals.ipynb), [14](14_svt.ipynb), [15](15_stability.ipynb), [10](10_clustering.ipynb), [11](11_regression.ipynb), [12](12_trees.ipynb), [26](26_gradients.ipynb), [16](16_compressive.ipynb), [17](17_continual.ipynb), [18](18_sensing.ipynb), [19](19_projection.ipynb), [20](20_alp.ipynb), [21](21_audit.ipynb), [22](22_errata.ipynb), [23](23_production.ipynb), [27](27_choosing.ipynb), [28](28_synthetic.ipynb), [29](29_parties.ipynb), [30](30_correlated.ipynb), [31](31_memory.ipynb) |
# | **Learning** | readers who train models and know the basics: pages 02, 03 and 07 | 4 | [24](24_gaussian.ipynb), [25](25_accounting.ipynb), [26](26_gradients.ipynb), [30](30_correlated.ipynb), [29](29_parties.ipynb), [31](31_memory.ipynb) |
# | **Sparse data** | readers who know the basics (pages 02, 04 and 07) and want the compressive mechanism and its rivals | 4 | [03](03_laplace.ipynb), [08](08_histograms.ipynb), [16](16_compressive.ipynb), [17](17_continual.ipynb), [18](18_sensing.ipynb), [19](19_projection.ipynb), [20](20_alp.ipynb) |
#
# > **A good place to stop.** What follows is why `dpbook` is not for real releases, and tasks.

# %% [markdown]
# ## Do not use this for real releases
#
# `dpbook` is made to be read. Its mechanisms are right on paper, where numbers have infinitely many digits and nobody
# watches the clock. There are three reasons to use a library made for real data ([23](23_production.ipynb) does).
#
# **1. Floating point.** The computer's numbers near 0 lie closer together than those near 1. So a release can have
# digits that only one of two neighbours can produce. Here the true count is 0 or 1. A release close to 0 that came
# from a true 1 needs noise near $-1$. So it is always a multiple of $2^{-53}$:

# %%
rng = np.random.default_rng(5)
for truth in (0.0, 1.0):
    release = laplace_mechanism(np.full(100_000, truth), 1, 1, rng)
    near_zero = release[np.abs(release) < 0.25]
    told = np.mean(near_zero * 2.0**53 % 1 != 0)
    print(
        f"true count {truth:.0f}: {told:.0%} of the releases near 0 cannot come from a true "
        "count of 1"
    )

# %% [markdown]
# Those releases reveal the true count with certainty, while on paper the odds change by a factor of at most $e$.
#
# **2. Nobody keeps the account.** Every call of a mechanism spends epsilon, and nothing here stops you from calling it
# again. The average of many releases comes close to the truth:

# %%
epsilon, calls = 1, 10_000
releases = laplace_mechanism(np.full(calls, before[0]), 1, epsilon, np.random.default_rng(6))
print(f"true count {before[0]}; one release {releases[0]:.2f}, the next {releases[1]:.2f}")
print(f"average of {calls:,} releases {releases.mean():.2f}")
print(f"epsilon spent: {calls * epsilon:,}")

# %% [markdown]
# **3. Side channels.** The time that a call takes, an error message, the seed written in a notebook: each may reveal
# what the noise was meant to hide. Here seeds are fixed so that you see what we describe; a seed that others know
# protects nobody.
#
# What *is* safe: to learn, to compare mechanisms, to test an idea on data that is public anyway.

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/00_start_here](../exercises/answers/00_start_here.ipynb).
#
# 1. *Warm-up.* Move the figure of the incomes to the smallest $\varepsilon$. A released count may be negative. Why
#    would setting it to zero not cost any privacy? (*Post-processing*: [02](02_composition.ipynb) proves it.)
# 2. Change that figure to the ages in `voters["age"]`, in bins of ten years. Which $\varepsilon$ keeps the
#    shape now? Why is it not the same?
# 3. Give `data.read_counts` ([page 90](90_reference.ipynb)) a file of your own. Show it as released counts with
#    $\varepsilon = 0.5$.
# 4. The counts of the incomes are to be published twice, before and after the voter left. How much epsilon does
#    a voter spend who is in both? Work out the noise if both together may spend 1, and check it with
#    `p_value` of [page 90](90_reference.ipynb).
# 5. *Challenge.* Round the releases of the floating-point cell to whole numbers. Is the trace gone? Count the
#    releases that only one of the two true counts can produce.

# %% [markdown]
# ## Sources
#
# The chapters cite the first five by number and section. Where a source is wrong, the chapter shows it with a number.
#
# <details><summary>Five sources of the book, and two of this page.</summary>
#
# - **000** Yang D. Li, Zhenjie Zhang, Marianne Winslett, Yin Yang: *Compressive mechanism: utilizing sparse
#   representation in differential privacy*, WPES 2011,
#   [arXiv:1107.3350](https://arxiv.org/abs/1107.3350).
# - **001** Zhigao Zheng, Tao Wang, Jinming Wen, Shahid Mumtaz, Ali Kashif Bashir, Sajjad Hussain Chauhdary:
#   *Differentially private high-dimensional data publication in Internet of Things*, IEEE Internet of Things Journal,
#   2019, [doi:10.1109/JIOT.2019.2955503](https://doi.org/10.1109/JIOT.2019.2955503).
# - **002** Shuheng Zhou, Katrina Ligett, Larry Wasserman: *Differential privacy with compression*, ISIT 2009,
#   [arXiv:0901.1365](https://arxiv.org/abs/0901.1365).
# - **003** Martin Aumüller, Christian Janos Lebeda, Rasmus Pagh: *Differentially private sparse vectors with low error,
#   optimal space, and fast access*, CCS 2021,
#   [doi:10.1145/3460120.3484735](https://doi.org/10.1145/3460120.3484735).
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to Practice*, Morgan &
#   Claypool, 2016, [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018).
# - Cynthia Dwork, Frank McSherry, Kobbi Nissim, Adam Smith: *Calibrating noise to sensitivity in private data
#   analysis*, TCC 2006, [doi:10.1007/11681878_14](https://doi.org/10.1007/11681878_14): where it began.
# - Ilya Mironov: *On significance of the least significant bits for differential privacy*, CCS 2012,
#   [doi:10.1145/2382196.2382264](https://doi.org/10.1145/2382196.2382264): the floating-point attack.
#
# </details>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Next:** [01 Incidents: how published data gave people away](01_incidents.ipynb)
