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
# This is a workbook on differential privacy. You learn by moving sliders over real records, by breaking mechanisms
# that do not keep their promise, and by reading the short Python functions behind every figure.
#
# **On this page:** what differential privacy is; how to use a live figure; a map of the chapters; the words, the
# symbols and the data they share; how to bring your own file; how to check your work; what this book must not be
# used for.
#
# **You need:** some Python with numpy, and probability as far as "expected value". Run the page from top to bottom
# with *Run > Run All Cells*.
#
# **Time:** about 40 minutes. A good place to stop is before *Words and symbols*, at about 20: the rest is to look things
# up in.
#
# **Who this is for:** students and practitioners who can read Python and want to see every promise proved, measured and,
# where it does not hold, broken. Who wants a first book without proofs may prefer *Programming Differential Privacy*
# (Near and Abuah, online); who wants the whole theory, *The Algorithmic Foundations of Differential Privacy* (Dwork and
# Roth, 2014) or *The Complexity of Differential Privacy* (Vadhan, 2017); who builds with a library, *Hands-On
# Differential Privacy* (Cowan, Shoemate and Pereira, 2024).
#
# **Real and synthetic:** health insurance, affairs, election and smoking records are of real people. The four
# histograms whose names say *stand-in* are synthetic.

# %%
import contextlib
import pathlib
import tempfile

import numpy as np
from scipy import stats

from dpbook import data
from dpbook.guesses import predict
from dpbook.laplace import laplace_mechanism
from dpbook.live import live, log_slider, new_noise, show_source
from dpbook.plots import COLOURS, figure, set_steps, show, steps

# %% [markdown]
# ## Why an exact answer tells on people
#
# Voters of the 1996 election study told the interviewer the class of their household's income, from 1 (lowest) to
# 24 (highest). Suppose the count of voters in each class is published, exactly. One voter then withdraws, and the
# counts are published again.

# %%
voters = data.election()
income = voters["income"].values
before = np.bincount(income, minlength=25)[1:]
after = np.bincount(np.delete(income, 100), minlength=25)[1:]
print(f"{before.sum()} voters before, {after.sum()} after")
print(f"the counts differ in one class: {1 + np.flatnonzero(before - after)[0]}")
assert income[100] == 1 + np.flatnonzero(before - after)[0]

# %% [markdown]
# The subtraction gives away the income of the voter who left. Each publication looked harmless: only sums, no
# names. Leaving out names, or small counts, does not mend this; an answer that must not tell on anybody needs some
# chance in it.

# %% [markdown]
# ## Differential privacy in three sentences
#
# 1. Differential privacy is a promise about a *procedure* that answers questions from personal records: the answer
#    must be drawn at random, in such a way that your record hardly changes the odds.
# 2. Run the procedure with your record and without it: any set of answers is at most $e^\varepsilon$ times as
#    likely in one case as in the other, whoever you are and whatever the other records and the reader's knowledge
#    may be.
# 3. The number $\varepsilon$ (epsilon) is the price tag: a small one hides you well and blurs the answer, a large
#    one does the reverse.
#
# $$\Pr[M(D) \in S] \;\le\; e^{\varepsilon}\, \Pr[M(D') \in S] \quad \text{for all neighbours } D, D' \text{, all } S$$
#
# ($M$ is the procedure, $D$ and $D'$ are the records with you and without you, $S$ is a set of answers. Page 02 takes this
# apart, Definition 2.4.)
#
# What does $e^\varepsilon$ mean for a person? Let a reader, who thinks both cases equally likely, guess from one
# answer whether your record was in. The reader is right with a probability of at most
# $e^\varepsilon / (1 + e^\varepsilon)$:

# %%
for epsilon in (0.01, 0.1, 0.5, 1, 2, 5, 10):
    odds = np.exp(epsilon)
    right = odds / (1 + odds)
    print(f"epsilon {epsilon:5}: odds grow at most {odds:9.2f}-fold, a guess is right at most {right:.3%}")

# %% [markdown]
# ## The simplest procedure that keeps the promise
#
# Add noise from the Laplace distribution, as wide as one person can move the answer, divided by $\varepsilon$. This
# is the whole of it; chapter 03 shows why it works.

# %%
show_source(laplace_mechanism)

# %% [markdown]
# One voter more or less changes one count by one: the sensitivity of the histogram is 1.

# %% jupyter={"source_hidden": true}
# Figure: laplace_mechanism(before, 1, epsilon, rng) on the 24 counts, and its largest error
edges = np.arange(25) + 0.5
fig, ax = figure()
steps(ax, before, colour=COLOURS.pale, label="true counts", edges=edges, fill=True)
noisy_steps = steps(ax, before, colour=COLOURS.noisy, label="released counts", edges=edges)
ax.set(xlabel="class of household income, 1 lowest to 24 highest", ylabel="voters")
ax.set(xlim=(0.5, 24.5), ylim=(-40, 160))
ax.legend(loc="upper left", ncols=2)


def update(epsilon, seed):
    noisy = laplace_mechanism(before, 1, epsilon, np.random.default_rng(seed))
    set_steps(noisy_steps, noisy)
    return f"largest error of the 24 counts: {np.abs(noisy - before).max():.1f} voters"


incomes = live(
    fig,
    update,
    "Voters in 24 income classes: true counts filled in grey, released noisy counts as a line.",
    task=(
        "focus the slider (click it, or reach it with Tab) and hold the left arrow to the "
        "end: the small classes drown, the large ones survive. Then press *New noise* a few "
        "times. Which statements about the picture hold every time?"
    ),
    guess=[
        predict(
            "At epsilon 0.2, how far off is the worst of the 24 counts?",
            (1, 300, " voters"),
            r"([\d.]+) voters",
            epsilon=0.2,
        ),
        predict(
            "And at epsilon 0.5, how far off is the worst of the 24?",
            (1, 300, " voters"),
            r"([\d.]+) voters",
            epsilon=0.5,
        ),
        predict(
            "And at epsilon 5, how far off is the worst of the 24?",
            (0.01, 30, " voters"),
            r"([\d.]+) voters",
            epsilon=5.0,
        ),
    ],
    epsilon=log_slider(0.1, 10, 1.0),
    seed=new_noise(1),
)
incomes

# %% [markdown]
# ## How to use a live figure
#
# - *Guess first:* where a figure asks, its sliders wait. Give your answer, say how sure you are, and the figure goes to
#   the settings of the question; or press *Skip*. Your guesses stay in a file of your own, `.dpbook-guesses.jsonl` in
#   your home folder, and [page 06](06_meaning.ipynb) shows how often you were right when you were 90 % sure.
# - *How it is drawn* is folded: one line says what the figure computes. Click it to open the cell.
# - *To move a slider*, drag it, or focus it and use the arrow keys. *Page Up* and *Page Down* take larger steps,
#   *Home* and *End* go to the ends.
# - *To set a value*, click the number beside the slider, type, press *Enter*; the slider takes the nearest step.
# - *To see other noise*, press *New noise*. While a slider moves, the noise stays the same draw and is only
#   rescaled: what you see is the slider and not luck. The axes stay fixed too, so you can compare by eye.
# - *To know what epsilon means*, read the small line beside its slider: how often the best guess between two neighbours
#   that seemed equally likely is right, at most.
# - *To know the numbers*, read the line below the picture; a screen reader reads it out.
# - *A red line* below the picture is the error of the last update. The picture above it is then the last good one.
#
# **If nothing moves:** no kernel is running. On a web page, or before the first run, you see a stored picture with
# the starting values. Choose *Run > Run All Cells*, and wait until the circle at the top right is empty.
#
# The sliders can be moved from code too. This is how the tests of the book look at every figure at both ends of
# every slider:

# %%
for epsilon in (0.1, 1.0, 10.0):
    incomes.controls["epsilon"].value = epsilon
    print(f"epsilon {epsilon:>5}: {incomes.caption}")
incomes.controls["epsilon"].value = 1.0
assert incomes.error == ""

# %% [markdown]
# In every chapter a live figure is a plain function that you can read and change: open the folded cell above, edit
# `update`, run it again, and you have a figure of your own.

# %% [markdown]
# ## Map of the book
#
# A chapter, its module and its tests share one stem: `notebooks/03_laplace`, `dpbook/laplace.py`,
# `tests/test_laplace.py`. Chapters without a link are to come.
#
# | number | chapter | what it holds |
# |---|---|---|
# | 00 | [start_here](00_start_here.ipynb) | the promise, how a live figure works, a map, the words, the data |
# | 01 | [incidents](01_incidents.ipynb) | linkage, k-anonymity and how it fails, the attack on published averages |
# | 02 | [composition](02_composition.ipynb) | neighbours, the definition as a picture, what adds up, a budget that refuses |
# | 03 | [laplace](03_laplace.ipynb) | noise for numbers; a game you cannot win more often than e^eps / (1 + e^eps) |
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
# | 19 | [projection](19_projection.ipynb) | compressing the records by a random matrix, and what kind of promise that is |
# | 20 | [alp](20_alp.ipynb) | a sparse vector of a million entries in a small sketch with fast access |
# | 21 | [audit](21_audit.ipynb) | is it private? exact losses, certified bounds, the floating-point attack |
# | 22 | [errata](22_errata.ipynb) | every claim of the sources that is wrong, each with its number; their experiments, run again |
# | 23 | production (to come) | the same releases with libraries that are made for real use |
# | 24 | [gaussian](24_gaussian.ipynb) | (epsilon, delta), the Gaussian mechanism, where it beats Laplace |
# | 25 | [accounting](25_accounting.ipynb) | privacy loss, zCDP, Renyi, loss distributions, sampling |
# | 26 | [gradients](26_gradients.ipynb) | noisy gradient descent (DP-SGD), and an audit of the trained model |
# | 27 | choosing (to come) | which epsilon? from accuracy to epsilon and back |
# | 90 | reference (to come) | words and symbols, the data, your own file, every mechanism on one page |
#
# Read 00, 02 and 03 first, in this order; 01, on why all this is needed, goes well between 00 and 02. After 03, chapters
# 04, 07, 08 and 14 can be read in any order; 05 and 06 use 04, and 16 uses 04 and 08.
#
# ### Tours
#
# - **One day** (8 hours of reading), for who wants to know what the promise is, what it costs, and how it is tested: [01](01_incidents.ipynb), [02](02_composition.ipynb), [03](03_laplace.ipynb), [06](06_meaning.ipynb), [08](08_histograms.ipynb), [21](21_audit.ipynb).
# - **Six weeks** (16 hours of reading), for a part of a course on privacy or on databases: two chapters a week, an assignment with most: [01](01_incidents.ipynb), [02](02_composition.ipynb), [03](03_laplace.ipynb), [04](04_exponential.ipynb), [05](05_averages.ipynb), [06](06_meaning.ipynb), [07](07_local.ipynb), [08](08_histograms.ipynb), [14](14_svt.ipynb), [21](21_audit.ipynb), [24](24_gaussian.ipynb), [25](25_accounting.ipynb).
# - **A semester** (31 hours of reading), for a course of its own: [01](01_incidents.ipynb), [02](02_composition.ipynb), [03](03_laplace.ipynb), [04](04_exponential.ipynb), [05](05_averages.ipynb), [06](06_meaning.ipynb), [07](07_local.ipynb), [24](24_gaussian.ipynb), [25](25_accounting.ipynb), [08](08_histograms.ipynb), [09](09_partitions.ipynb), [13](13_marginals.ipynb), [14](14_svt.ipynb), [15](15_stability.ipynb), [10](10_clustering.ipynb), [11](11_regression.ipynb), [12](12_trees.ipynb), [26](26_gradients.ipynb), [16](16_compressive.ipynb), [17](17_continual.ipynb), [18](18_sensing.ipynb), [19](19_projection.ipynb), [20](20_alp.ipynb), [21](21_audit.ipynb), [22](22_errata.ipynb).
# - **Sparse data** (9 hours of reading), for who knows the basics and wants the compressive mechanism and its rivals: [03](03_laplace.ipynb), [08](08_histograms.ipynb), [16](16_compressive.ipynb), [17](17_continual.ipynb), [18](18_sensing.ipynb), [19](19_projection.ipynb), [20](20_alp.ipynb).
#
# > **A good place to stop.** The next chapter needs no more than this. What follows is for looking up.

# %% [markdown]
# ## Words and symbols
#
# | word | symbol | meaning |
# |---|---|---|
# | record | | one row of the data: what one person gave, or one person in one year |
# | dataset | $D$ | all the records |
# | neighbours | $D, D'$ | two datasets that differ in one record |
# | ... add/remove | | one has a record that the other lacks; the number of records differs by one (also "unbounded") |
# | ... replace | | same number of records, one of them changed (also "bounded") |
# | query | $q(D)$ | a question with a number, or several, for its answer; `value` in the code |
# | sensitivity | $\Delta$ | the most that the answer can differ between neighbours, summed over its numbers |
# | mechanism | $M$ | the random procedure that is run on the data |
# | release | $M(D)$ | what the mechanism gave; once it is out, it cannot be taken back |
# | epsilon | $\varepsilon$ | the privacy parameter: it bounds the log of a ratio of probabilities |
# | privacy loss | | the log of that ratio for one event; the promise is that none exceeds $\varepsilon$ |
# | delta | $\delta$ | a slack: every event may exceed $e^\varepsilon$ times its twin by $\delta$; 0 unless a chapter says otherwise. *Not* the probability that the loss exceeds $\varepsilon$ (numbers on page 02) |
# | scale | $b$ | the width of the noise: the mean of its absolute value, for Laplace noise |
# | budget | | the epsilon that all releases together may spend on one dataset |
# | public | | known without looking at the records: bounds, bins, the question itself |
#
# A promise without its neighbours says nothing. The same histogram has three different sensitivities, as the next
# two cells show.

# %%
replaced = income.copy()
replaced[100] = 1 if income[100] != 1 else 2
changed = np.bincount(replaced, minlength=25)[1:]
print(f"add or remove a record: the counts move by {np.abs(before - after).sum()}")
print(f"replace a record:       the counts move by {np.abs(before - changed).sum()}")

# %%
YEARS = 5  # public: nobody was enrolled in the study for longer
visits = data.health_insurance()["mdvis"].values
person = data.health_insurance_person()
someone = person[0]
moved = np.bincount(visits) - np.bincount(visits[person != someone], minlength=visits.max() + 1)
print(f"{visits.size:,} records of {np.unique(person).size:,} people, each of one year")
print(
    f"without all records of person {someone} the counts move by {np.abs(moved).sum()}; of anybody, by {YEARS} at most"
)
assert np.bincount(person).max() <= YEARS

# %% [markdown]
# In the health insurance data a record is one person *in one year*. Noise for one record does not hide a person who
# took part for years. That takes a sensitivity as large as the number of records that *anybody may* have: five, the
# length of the study, which is public. The largest number that somebody *has* would be read off the data: one person
# more, with more records, and the noise itself would tell.

# %% [markdown]
# ## The data
#
# `dpbook.data` holds arrays that say what they are. First the tables: real records, one function each. The records
# come with the `statsmodels` package.

# %%
TABLES = [data.health_insurance, data.affairs, data.election, data.smoking]
for table in TABLES:
    first = next(iter(table().values()))
    print(f"data.{table.__name__}()\n    {table.__doc__.splitlines()[0]}")
    print(f"    source: {first.source}\n    licence: {first.licence}")


# %%
def listing(datasets):
    """Print name, unit, public bounds and meaning of some columns."""
    for column in datasets:
        low, high = column.bounds
        print(f"{column.name:16}{column.unit:13}{f'{low:g} to {high:.4g}':11}{column.meaning}")


listing(data.health_insurance().values())

# %%
listing(data.affairs().values())

# %%
listing(data.election().values())

# %%
for city, people in data.smoking().items():
    (sick_smokers, well_smokers), (sick_others, well_others) = people.values
    odds_ratio = sick_smokers * well_others / (well_smokers * sick_others)
    print(f"{city:10} {people.values.sum():5,} people, odds ratio of lung cancer {odds_ratio:.2f}")

# %% [markdown]
# The bounds come from the codebooks or from common knowledge. They must not be read off the records: the largest
# value in the data belongs to somebody.

# %%
for column in (data.health_insurance()["mdvis"], data.affairs()["affairs"], voters["age"]):
    low, high = column.bounds
    largest = column.values.max()
    print(f"{column.name}: public bounds {low:g} to {high:g} {column.unit}; the records end at {largest:g}")
    assert low <= column.values.min() and largest <= high

# %% [markdown]
# The original network data of source 000 (section 7) cannot be had with any package. Four synthetic histograms
# stand in for them. Three have the number of bins, the total and the Euclidean length of the originals, and two of these
# are sorted as those are; of the TCP trace only the number of bins is matched. Their shapes are invented. No number
# computed from them is a result about the originals.

# %%
STAND_INS = [data.social_network(), data.search_logs(), data.net_trace(), data.tcp_trace()]
for histogram in STAND_INS:
    counts = histogram.values
    print(f"{histogram.name}: {counts.size:,} bins, {histogram.meaning}")
    print(f"    total {counts.sum():,}, largest {counts.max():,}, {np.mean(counts == 0):.0%} of the bins are zero")
assert all(histogram.synthetic for histogram in STAND_INS)
print("source:", STAND_INS[0].source)

# %% jupyter={"source_hidden": true}
# Figure: the four synthetic histograms
fig, axes = figure(columns=2, rows=2, height=4.6)
for ax, histogram in zip(axes.flat, STAND_INS, strict=True):
    steps(ax, histogram.values, colour=COLOURS.noisy)
    ax.set(title=histogram.name, xlabel="bin", ylabel=histogram.unit)
    ax.set_xticks([0, len(histogram)], ["0", f"{len(histogram):,}"])
show(
    fig,
    "Four synthetic histograms: a curve with a steep end, quiet and then bursts, "
    "a spike at the left end over zeros, and thirty even waves with the noise of counts.",
)

# %% [markdown]
# No cell can change data that another cell uses: the arrays are read-only. Take a copy if you want to edit.

# %%
try:
    income[0] = 24
except ValueError as error:
    print(f"ValueError: {error}")
mine = income.copy()
mine[0] = 24

# %% [markdown]
# ## Your own file
#
# Two readers: `data.read_counts(path)` for one count a line, `data.read_column(path, column)` for one column of a
# CSV file with names in its first line. Put the file beside the notebooks and give its name. What they return can
# take the place of the arrays in any chapter; only you can say what is publicly known of its bounds.

# %%
with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
    pathlib.Path("my_counts.txt").write_text("12\n0\n7\n", encoding="utf-8")
    pathlib.Path("my_table.csv").write_text("age,visits\n34,2\n51,0\n", encoding="utf-8")
    print(data.read_counts("my_counts.txt"), data.read_column("my_table.csv", "age"))

# %% [markdown]
# Nothing is dropped or repaired for you. What cannot be used is refused, with the place where it stands:

# %%
with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
    for text in ("12\n-3\n", "12\nseven\n", "12\n\nnan\n", ""):
        pathlib.Path("my_counts.txt").write_text(text, encoding="utf-8")
        try:
            data.read_counts("my_counts.txt")
        except ValueError as error:
            print(error)
    pathlib.Path("my_table.csv").write_text("age,visits\n34,2\n", encoding="utf-8")
    try:
        data.read_column("my_table.csv", "income")
    except ValueError as error:
        print(error)

# %% [markdown]
# ## How to check your work
#
# When you write a mechanism, test three things: at a huge $\varepsilon$ it gives the truth; its noise has the law
# that the proof asks for; wrong arguments are refused. Here somebody has multiplied where they should have divided:


# %%
def my_mechanism(value, sensitivity, epsilon, rng):
    return value + rng.laplace(scale=sensitivity * epsilon, size=np.shape(value))


def fits_the_law(mechanism, epsilon):
    """p-value of the hypothesis that the noise is Laplace with scale 1 / epsilon."""
    noise = mechanism(np.zeros(20_000), 1, epsilon, np.random.default_rng(1))
    return stats.kstest(noise, stats.laplace(scale=1 / epsilon).cdf).pvalue


for epsilon in (1, 0.5):
    right, wrong = fits_the_law(laplace_mechanism, epsilon), fits_the_law(my_mechanism, epsilon)
    print(f"epsilon {epsilon}: laplace_mechanism p = {right:.2f}, my_mechanism p = {wrong:.2f}")

# %% [markdown]
# At $\varepsilon = 1$ the mistake cannot be seen: test at more than one setting. And remember what a test can do.
# It can show that a mechanism is *not* private; that it *is* private takes a proof. The chapters therefore compute
# the exact privacy loss wherever they can, and the tests in `tests/` do so for every mechanism of the book. Run
# them all with `make test`.

# %% [markdown]
# ## Do not use this for real releases
#
# `dpbook` is made to be read. Its mechanisms are right on paper, where numbers have infinitely many digits and
# nobody watches the clock. Three reasons to use a library that is made for real data (chapter 23 will):
#
# **1. Floating point.** The computer's numbers near 0 lie closer together than those near 1. So a release can have
# digits that only one of two neighbours can produce. Below, the true count is 0 or 1. A release close to 0 that
# came from a true 1 is always a multiple of $2^{-53}$:

# %%
rng = np.random.default_rng(5)
for truth in (0.0, 1.0):
    release = laplace_mechanism(np.full(100_000, truth), 1, 1, rng)
    near_zero = release[np.abs(release) < 0.25]
    told = np.mean(near_zero * 2.0**53 % 1 != 0)
    print(f"true count {truth:.0f}: {told:.0%} of the releases near 0 cannot come from a true count of 1")

# %% [markdown]
# Those releases betray the true count for certain, while the mathematics promised odds of at most $e$.
#
# **2. Nobody keeps the account.** Every call of a mechanism spends epsilon, and nothing here stops you from calling
# it again. The average of many releases is the truth:

# %%
epsilon, calls = 1, 10_000
releases = laplace_mechanism(np.full(calls, before[0]), 1, epsilon, np.random.default_rng(6))
print(f"true count {before[0]}; one release {releases[0]:.2f}, the next {releases[1]:.2f}")
print(f"average of {calls:,} releases {releases.mean():.2f}")
print(f"epsilon spent: {calls * epsilon:,}")

# %% [markdown]
# **3. Side channels.** How long a call takes, an error message, the seed written in a notebook: each may tell what
# the noise was meant to hide. Here seeds are fixed so that you see what we describe; a seed that others know is no
# protection at all.
#
# What *is* safe: to learn, to compare mechanisms, to test an idea on data that is public anyway.

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/00_start_here](../exercises/answers/00_start_here.ipynb).
#
# 1. *Warm-up.* Move the live figure to the smallest $\varepsilon$. Some released counts are negative. Why would
#    setting them to zero not cost any privacy? (Look up post-processing in the sources, or wait for chapter 02.)
# 2. Change the live figure to the ages in `voters["age"]`, in bins of ten years. Which $\varepsilon$ keeps the
#    shape now? Why is it not the same?
# 3. Give `data.read_counts` a file of your own, and show it as released counts with $\varepsilon = 0.5$.
# 4. The counts of the first cell are to be published twice, before and after the voter left. How much epsilon does
#    a voter spend who is in both? Work out the noise if both together may spend 1, and check it with
#    `fits_the_law`.
# 5. *Challenge.* Round the releases of the floating-point cell to whole numbers. Is the trace gone? Count the
#    releases that only one of the two true counts can produce.

# %% [markdown]
# ## Sources
#
# The chapters cite the first five by number and section. Where a source is wrong, the chapter shows it by a number.
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
# - Cynthia Dwork, Frank McSherry, Kobbi Nissim, Adam Smith: *Calibrating noise to sensitivity in private data analysis*,
#   TCC 2006, [doi:10.1007/11681878_14](https://doi.org/10.1007/11681878_14): where it began.
# - Ilya Mironov: *On significance of the least significant bits for differential privacy*, CCS 2012,
#   [doi:10.1145/2382196.2382264](https://doi.org/10.1145/2382196.2382264): the floating-point attack.
#
# **Next:** [01 Incidents: how published data gave people away](01_incidents.ipynb)
