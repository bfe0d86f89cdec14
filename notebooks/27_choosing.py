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
# # 27 Which epsilon?
#
# How often is an attacker right about you, after a year of releases? Here epsilon is chosen from two numbers that
# people understand: the error that users can bear, and the chance of a right guess about you.
#
# <details><summary>About 35 minutes, after 03, 06, 24 and 25: what you do, what you need, the data, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [26 Learning by noisy steps](26_gradients.ipynb) · **Next:** [28 Synthetic records](28_synthetic.ipynb)
#
# **What you will do:** plan a release of your own, read its account, and run the Python that makes it. On the way: persons
# with many records, groups that are themselves a secret, and the epsilons that were chosen in the world.
#
# **You need:** [03 Laplace](03_laplace.ipynb) and [06 Meaning](06_meaning.ipynb). The parts with a delta need
# [24](24_gaussian.ipynb) and [25](25_accounting.ipynb).
#
# **Time:** about 35 minutes. A good place to stop is before *What others chose*.
#
# **Real and synthetic:** the voters (1996 election study), the patients (RAND health insurance
# experiment) and the women (Fair's survey) are real. Nothing here is synthetic. Neighbours differ by **adding or
# removing** a record, or a whole *person* where persons have many records.
#
# </details>

# %% jupyter={"source_hidden": true}
# Figure: guess_chance(prior, epsilon, 0): how often an attacker is right, after one release and all
import numpy as np

from dpbook.amounts import counted, percent
from dpbook.choosing import guess_chance
from dpbook.live import choice, live, log_slider, slider
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

attack_grid = np.geomspace(0.01, 10, 100)
looks = {"before any release": "grey --", "one release": "third"}
looks["all of it together"] = "other"
fig, attack_ax = figure(height=2.7)
attack_lines = curves(attack_ax, attack_grid, looks, linewidth=2.5)
here_mark = own_point(attack_ax, "your epsilon", colour=COLOURS.true)
x_axis(attack_ax, "epsilon of one release", (0.01, 10), [0.01, 0.1, 1, 10], log=True)
y_axis(attack_ax, "right, at most", (0.48, 1.02), {0.5: "50%", 0.75: "75%", 1: "100%"})
attack_told = verdict_text(attack_ax)
legend_above(fig, 4)


def attacked(epsilon, releases, prior, family):
    def chances(e):
        together = min(releases * family * e, 100)
        return blind, guess_chance(prior, e, 0), guess_chance(prior, together, 0)

    blind = max(prior, 1 - prior)
    set_curves(attack_lines, np.transpose([chances(e) for e in attack_grid]))
    set_own_point(here_mark, epsilon, chances(epsilon)[2])
    whole = f"{counted(releases, 'release')} about {counted(family, 'person', 'people')}"
    words = (percent(chance, apart=(blind, 1)) for chance in chances(epsilon)[1:])
    one, together = (word.replace("over 99.999999", "just under 100") for word in words)
    people = f", {family} people" * (family > 1)
    sure = f"{counted(releases, 'release')}{people}: right at most {together}%"
    set_verdict_text(attack_told, None, sure)
    before = f"right before: {percent(blind)} in 100; after one release at most {one}"
    return f"{before}; after {whole}, together at most {together}"


live(
    fig,
    attacked,
    "Chance of a right guess against epsilon on a log axis: a level dashed line before, a "
    "green curve after one release, and an orange one for all of them, further left the more "
    "there are.",
    task="take one release a year. Where has the orange curve gone?",
    play="epsilon",
    epsilon=log_slider(0.01, 10, 0.1),
    releases=choice([1, 2, 4, 12, 52, 365], 12),
    prior=slider(0.05, 0.95, 0.5, 0.05),
    family=slider(1, 6, 1, label="people who tell the same"),
)

# %% jupyter={"source_hidden": true}
# What the next sections import
import math
import textwrap
from typing import NamedTuple

import pandas as pd

from dpbook import data
from dpbook.amounts import amount
from dpbook.choosing import (
    Counts,
    Histogram,
    Mean,
    Plan,
    Quantile,
    dropping_error,
    gaussian_error,
    geometric_error,
    group_threshold,
    laplace_error,
    largest_belief,
    least_epsilon,
    mean_error,
    published_chance,
    quantile_error,
    selection_error,
    threshold_delta,
    threshold_release,
    told_to_people,
    tree_error,
)
from dpbook.composition import Budget
from dpbook.exponential import private_quantile
from dpbook.gaussian import gaussian_epsilon, zcdp_epsilon
from dpbook.guesses import numbers, predict
from dpbook.laplace import laplace_mechanism
from dpbook.live import new_noise, show_source
from dpbook.plots import set_steps, steps

# %% [markdown]
# The figure is drawn by `guess_chance`, which comes below. Now to the other side: what do the *users* of a release
# need?
#
# ## A naive attempt: "epsilon 1, as everybody does"
#
# Four people ask for an epsilon, and each is told: 1. How far off are their releases, 95 times in 100?

# %% jupyter={"source_hidden": true}
# Computed: how far off four releases are at epsilon 1, 95 times in 100
NAIVE = 1.0
print(f"one count: {geometric_error(1, 0.95, NAIVE):.0f} people")
print(f"40 counts of the same people: {geometric_error(40, 0.95, NAIVE):.0f} people each")
mark, age = mean_error(25, (1, 6), 0.95, NAIVE), mean_error(50_000, (0, 120), 0.95, NAIVE)
print(f"the mean mark (1 to 6) of a class of 25: {mark:.2f} marks")
print(f"the mean age (0 to 120) in a town of 50,000: {age:.3f} years")

# %% [markdown]
# The first is served. The second gets counts that may be useless. The class gets a mean mark that may be most of a mark off. The
# town's mean is exact to a few days, far more exact than anybody asked for, and privacy was spent for nothing. So one
# number is too small for some and too large for others. And nobody has learned what "1" means for the people whose
# data these are.
#
# ## The idea: two questions, and only then a number
#
# 1. **How exact must it be?** Go from the error that users can bear to the smallest epsilon that gives it.
# 2. **What does that leave an attacker?** Go from that epsilon to the chance of a right guess: about a person, about
#    a family, after all releases of the same data.
#
# If the answers do not fit, no epsilon helps. Ask for less (fewer counts, wider bins, a rank instead of a mean), gather
# more people, or do not publish.
#
# ## From accuracy to epsilon and back
#
# Here "the error" is the bound that 95 of 100 releases keep. The noise has a known distribution, whatever the data:
#
# $$\Pr\big[\,|\text{Laplace noise}| > x\,\big] = e^{-x\,\varepsilon/\Delta},
# \qquad\text{so}\qquad x = \frac{\Delta}{\varepsilon}\,\ln\frac{1}{0.05} .$$

# %%
show_source(laplace_error)
show_source(least_epsilon)

# %% [markdown]
# <details><summary>For a choice or a mean the error depends on the data, and we take the worst data.</summary>
#
# For the exponential mechanism the worst data have one right candidate and $m - 1$ that are all equally wrong. With $s$
# the sensitivity,
#
# $$\Pr[\text{short by more than } x] \le
# \frac{(m-1)\,e^{-x\varepsilon/2s}}{1 + (m-1)\,e^{-x\varepsilon/2s}} .$$
#
# For a quantile $x$ is a rank, and for "the most frequent" it is a count. It is not a number of years, because how
# many years lie between two ranks depends on the data. For a mean from a noisy sum and a noisy count, the worst data
# sit on a bound. There $X$ and $Y$ are the two noises, and `mean_error` integrates $|X - Y| / (n + Y)$ over $Y$. (A noisy count up to 1 gives the
# middle.)
#
# </details>
#
# How small may epsilon be, for an error of at most 20 people (or 2% of the range)?

# %%
ERRORS = {
    "one count": lambda e: geometric_error(1, 0.95, e),
    "16 counts of the same people": lambda e: geometric_error(16, 0.95, e),
    "16 counts, normal noise, delta 10⁻⁶": lambda e: gaussian_error(4, 0.95, e, 1e-6),
    "histogram, worst of 64 bins": lambda e: laplace_error(1, 0.95, e, numbers=64),
    "a range of 64 bins, tree of 8s": lambda e: tree_error(64, 8, e),
    "mean of 944 people, % of its range": lambda e: mean_error(944, (0, 100), 0.95, e),
    "median among 24 candidates, ranks": lambda e: quantile_error(24, 0.5, 0.95, e),
    "the top 3 of 100 counts": lambda e: selection_error(
        100, 1, 0.95, e, monotonic=True, picks=3
    ),
}
for name, error in ERRORS.items():
    needed = least_epsilon(error, 2 if "%" in name else 20)
    print(f"{name:<38} epsilon {needed:7.4f}   (at epsilon 1: {error(1.0):8.2f})")

# %% [markdown]
# (The number of the tree, [08](08_histograms.ipynb), is the root mean square error over all ranges; the others hold in 95 of 100 releases.) One count
# is cheap. Sixteen cost sixteen times as much, or somewhat less with normal noise and a delta. A median costs about
# as much as two counts, and a top 3 as much as nine.

# %% jupyter={"source_hidden": true}
# Figure: every error of ERRORS against epsilon, and the smallest epsilon for what you want
coarse, grid = np.geomspace(0.01, 20, 34), np.geomspace(0.01, 20, 200)
SHORT = ["1 count", "16 counts", "16, normal", "64 bins", "tree", "mean", "median", "top 3"]
ERROR_CURVES = {
    name: np.array([error(e) for e in grid])
    if "1 count" in short or "16 counts" in short  # whole numbers: steps
    else np.exp(np.interp(np.log(grid), np.log(coarse), np.log([error(e) for e in coarse])))
    for short, (name, error) in zip(SHORT, ERRORS.items(), strict=True)
}
fig, error_ax = figure(height=3.6)
for curve in ERROR_CURVES.values():
    error_ax.plot(grid, np.maximum(curve, 1e-3), color=COLOURS.pale, linewidth=1.2)
looks = {"the release you chose": "noisy", "the error you can bear": "other --"}
chosen_lines = curves(error_ax, grid, looks, linewidth=2)
least_point = own_point(error_ax, "smallest epsilon", colour=COLOURS.true)
(least_line,) = error_ax.plot([1, 1], [0.02, 20], ":", color=COLOURS.true)
x_axis(error_ax, "epsilon (at an edge: beyond)", (0.01, 22), [0.01, 0.1, 1, 10], log=True)
ticks = [0.1, 1, 10, 100, 1_000, 10_000]
y_axis(error_ax, "error: people, ranks, % of range", (0.05, 20_000), ticks, log=True)
error_told = verdict_text(error_ax)
legend_above(fig)


def accuracy_wanted(release, error):
    set_curves(chosen_lines, [np.maximum(ERROR_CURVES[release], 1e-3), error])
    found = least_epsilon(ERRORS[release], error)
    set_own_point(least_point, found, error)
    least_line.set_data([found, found], [0.02, error])
    free = found < 1e-8  # only the mean: at no epsilon is it further off
    needed = "any ε" if free else f"ε = {amount(found)}"
    set_verdict_text(error_told, None, f"{release}: {needed}")
    even = percent(guess_chance(0.5, found, 1e-6 if "delta" in release else 0), apart=(0.5, 1))
    even = even.replace("over 99.999999", "just under 100")
    needs = f"an error of {amount(error)} needs epsilon {amount(found, 4)}"
    if free:
        return f"{release}: no epsilon gives an error above {amount(error)}"
    return f"{needs}; a guess at even odds is then right at most {even} times in 100"


accuracy_figure = live(
    fig,
    accuracy_wanted,
    "Error against epsilon on log axes: eight falling curves, the chosen one in blue; a "
    "dashed level line at the error that can be borne, and a dot where both cross.",
    task="an error of 5. Choose each release in turn: which can be had below epsilon 1? "
    "Then halve the error.",
    guess=[
        predict(
            "Sixteen counts of the same people must be within 20 each. Which epsilon is "
            "needed?",
            (0.01, 20), r"needs epsilon ([\d.e-]+)",
            release="16 counts of the same people", error=20.0,
        ),
        predict(
            "The median of 944 people may be 10 ranks off. Is the epsilon below or above 1?",
            ["below 1", "above 1"],
            lambda said: "below 1" if numbers(said.split("epsilon")[1])[0] < 1 else "above 1",
            release="median among 24 candidates, ranks", error=10.0,
        ),
    ],
    release=choice(dict(zip(SHORT, ERRORS, strict=True)), "one count"),
    error=log_slider(0.5, 500, 20.0, label="error you can bear"),
)  # fmt: skip
accuracy_figure

# %% [markdown]
# Try [an error of 5](#move:error=5), then [half of that](#move:error=2.5).
#
# ### Do the programs keep these errors?
#
# A formula is worth nothing if the program does not follow it. We draw twenty thousand counts and five hundred medians at
# epsilon 1. How many are further off than the bound that 5 in 100 may exceed?

# %% jupyter={"source_hidden": true}
# Computed: how many of 20,000 counts and 500 medians are further off than the formula allows
rng, runs = np.random.default_rng(1), 20_000
bound = laplace_error(1, 0.95, 1.0)
noise = laplace_mechanism(np.zeros(runs), 1, 1.0, rng)
print(f"a count: {np.mean(np.abs(noise) > bound):.4f} beyond {bound:.2f}")
ages = data.election()["age"].values
candidates = np.arange(18, 98)
bound = quantile_error(candidates.size, 0.5, 0.95, 1.0)
medians = np.array([private_quantile(ages, 0.5, candidates, 1.0, rng) for _ in range(500)])
below, up_to = np.sum(ages < medians[:, None], 1), np.sum(ages <= medians[:, None], 1)
ranks = np.maximum.reduce([below - 472, 472 - up_to])
print(f"a median: {np.sum(ranks > bound)} of 500 beyond {bound:.1f} ranks", end=" ")
print("(at most 25: real ages are kinder)")

# %% [markdown]
# ## What an attacker gains
#
# The attacker knows everybody else's record, and wonders whether *you* are in the data. Before the release they
# believe that you are, with some probability: the *prior*. Their best guess is then right with probability
# $\max(\text{prior}, 1 - \text{prior})$. After an $(\varepsilon, \delta)$-DP release it is right with probability at
# most
#
# $$\max\Big(1 - \frac{1-\delta}{1+e^{\varepsilon}},\;\; \text{prior} + \delta(1-\text{prior}),\;\;
# 1 - \text{prior} + \delta\,\text{prior}\Big).$$
#
# <details><summary>Proof: being right is a weighted sum of two errors, so it is largest at a corner.</summary>
#
# A test has two errors. The guarantee excludes a region from all pairs of them ([24](24_gaussian.ipynb)). The chance to be
# right is a weighted sum of the two errors, so it is largest at a corner of what is left, and there are three corners.
# Randomized response that also shows the truth openly with probability $\delta$ reaches the bound. $\square$
#
# </details>

# %%
show_source(guess_chance)

# %% jupyter={"source_hidden": true}
# Computed: guess_chance for six epsilons: a person, a family of four, twelve releases
rows = {}
for epsilon in (0.1, 0.5, 1.0, 2.0, 4.0, 10.0):
    rows[epsilon] = {
        "right, at even odds": guess_chance(0.5, epsilon, 0),
        "right, prior 1 in 10": guess_chance(0.1, epsilon, 0),
        "belief of 1% grows to": largest_belief(0.01, epsilon),
        "a family of 4, even odds": guess_chance(0.5, 4 * epsilon, 0),
        "12 releases, even odds": guess_chance(0.5, 12 * epsilon, 0),
    }
pd.DataFrame(rows).T.rename_axis("epsilon").map(lambda chance: f"{percent(chance)}%")

# %% [markdown]
# Read aloud, a row gives the number a meaning. Two columns are often forgotten. Four people whose records are in or
# out together, such as a household, have four times the epsilon between them. And releasing the same data every month
# costs twelve times as much after a year.
#
# Go back to the first figure. Take [a prior of 0.9](#move:prior=0.9&epsilon=0.1&releases=1): one small release does not
# change the best guess at all, which stays "yes". The *belief* still moves (third column of the table). Both are true; say
# which one you mean.
#
# For many releases with a delta, sums are the crudest account. [25](25_accounting.ipynb) has better ones, and the planner
# below uses them.
#
# ## A person is not a record
#
# A patient of the RAND experiment has up to five records, and each says how often the patient saw a doctor that year. How
# many visits were there in all? If a *visit* is the unit of privacy, the sensitivity is 1, and the guarantee protects
# a single visit. The field calls this *event-level* privacy.
#
# *User-level* privacy protects the *patient*: one patient moves the total by all of their visits, and nobody knows a
# bound on these beforehand. So keep at most $m$ visits of each, and add noise of scale $m/\varepsilon$.

# %% jupyter={"source_hidden": true}
# Computed: visits of 5,912 patients, and the mean error when at most m of each are kept
person, visits = data.health_insurance_person(), data.health_insurance()["mdvis"].values
contributions = np.bincount(person, weights=visits).astype(int)
middle, high, top = np.quantile(contributions, [0.5, 0.99, 1])
print(f"{contributions.size:,} patients, {contributions.sum():,} visits")
print(f"of a patient: median {middle:.0f}, 99 in 100 have at most {high:.0f},", end=" ")
print(f"the most is {top:.0f}")
for most in (1, 10, 100, contributions.max()):
    error = f"{dropping_error(contributions, most, 0.1):9,.0f}"
    print(f"keep {most:>3} of each, epsilon 0.1 for the patient: mean error {error} visits")

# %% [markdown]
# Keep few visits of each, and many are dropped: this is bias. Keep many, and there is much noise for the sake of a
# few patients. `dropping_error` is the mean of $|\text{bias} + \text{noise}|$, exactly.

# %% jupyter={"source_hidden": true}
# Figure: dropping_error(contributions, most, epsilon) against most, with its two parts
mosts = np.unique(np.geomspace(1, 300, 60).astype(int))
dropped = np.array([np.maximum(contributions - most, 0).sum() for most in mosts])
looks = {"visits dropped": "third --", "mean noise": "amber :", "mean error": "noisy"}
fig, bound_ax = figure(height=3.4)
bound_lines = curves(bound_ax, mosts, looks, linewidth=2.2)
bound_mark = own_point(bound_ax, "your bound", colour=COLOURS.true)
x_axis(bound_ax, "visits kept of each patient, m", (1, 320), [1, 10, 100], log=True)
y_axis(bound_ax, "visits", (1, 100_000), [1, 100, 10_000], log=True)
bound_told = verdict_text(bound_ax)
legend_above(fig, 4)


def bounded(most, epsilon):
    errors = np.array([dropping_error(contributions, int(m), epsilon) for m in mosts])
    set_curves(bound_lines, [np.maximum(dropped, 0.5), mosts / epsilon, errors])
    mine = dropping_error(contributions, most, epsilon)
    set_own_point(bound_mark, most, mine)
    best = int(mosts[np.argmin(errors)])
    words = f"keep {most}: off by {mine:,.0f} visits; about {best} is best"
    set_verdict_text(bound_told, None, words)
    lose, would = (np.sum(contributions > bound) for bound in (most, best))
    told = f"{counted(lose, 'patient')} {'loses' if lose == 1 else 'lose'} some"
    would = f"The best here, keep {best}, would clip {would:,} of them"
    return f"{told}. {would}; 1/epsilon is {1 / epsilon:.3g}"


bound_figure = live(
    fig,
    bounded,
    "Log axes: visits dropped fall with the bound, noise rises in a straight line, and the "
    "mean error follows the larger of the two, lowest where they are about equal.",
    task="find the bound with the smallest error, at epsilon 0.1, 1 and 0.02. What is the "
    "rule?",
    guess=predict(
        "At epsilon 0.1, how many of 5,912 patients lose visits at the best bound?",
        (1, 5_000, " patients"), r"would clip ([\d,]+) of them", epsilon=0.1,
    ),
    most=slider(1, 300, 20, label="visits kept of each"),
    epsilon=log_slider(0.01, 2, 0.1),
)  # fmt: skip
bound_figure

# %% [markdown]
# **The rule.** Keep one visit more of each. The bias falls by as many visits as there are clipped patients, and the
# mean noise grows by $1/\varepsilon$. Bias plus noise is smallest where these two changes are equal: about
# $1/\varepsilon$ patients lose something, however many patients there are. (The mean error, in which noise and bias
# can cancel, is smallest here at one to four times that.)
#
# So choose the bound with a [private quantile](04_exponential.ipynb) at rank $n - 1/\varepsilon$, and pay for it. Picking the best bound from
# the data would be a leak. So is the curve above, which is drawn from the true contributions.


# %%
def kept_visits(most, epsilon, rng):
    """The total of at most `most` visits of each; add/remove of a patient."""
    kept = float(np.minimum(contributions, most).sum())
    return laplace_mechanism(kept, most, epsilon, rng)


def visits_in_all(epsilon, rng):
    """A fifth of epsilon finds the bound, the rest the total; add/remove of a patient."""
    choosing, counting = epsilon / 5, 4 * epsilon / 5
    rank = 1 - 1 / (counting * 6_000)  # about 6,000 patients: public
    most = int(private_quantile(contributions, rank, np.arange(1, 501), choosing, rng))
    return most, kept_visits(most, counting, rng)


# %% jupyter={"source_hidden": true}
# Computed: how many lose some at the best bound; the median error of 40 totals, four ways
for epsilon in (0.01, 0.1, 2.0):
    errors = [dropping_error(contributions, int(m), epsilon) for m in mosts]
    lose = np.sum(contributions > mosts[np.argmin(errors)])
    print(f"epsilon {epsilon}: at the best bound {lose} lose some:", end=" ")
    print(f"{lose * epsilon:.1f} / epsilon")
rows = {}
for epsilon in (0.05, 0.2, 1.0):
    found = [visits_in_all(epsilon, np.random.default_rng(seed)) for seed in range(40)]
    off = np.median([abs(total - contributions.sum()) for _, total in found])
    chosen = f"{min(found)[0]} to {max(found)[0]}"
    rows[epsilon] = {"chosen privately": amount(off), "the bounds chosen": chosen}
    for most in (10, 100, 500):
        totals = [
            kept_visits(most, epsilon, np.random.default_rng(seed)) for seed in range(40)
        ]
        off = np.median(np.abs(np.array(totals) - contributions.sum()))
        rows[epsilon][f"always {most}"] = amount(off)
print("median error of 40 totals, in visits")
pd.DataFrame(rows).T.rename_axis("epsilon")

# %% [markdown]
# A bound from public knowledge costs nothing and may be the best. "Hardly anybody goes more than twenty times
# a year" gives 100 for five years, which wins at 0.05 and 0.2. A private choice guards against a bad guess: at 1 it beats 10 and 100.
#
# For groups (visits a year, purchases a shop) the same holds twice over. Bound the number of *groups* of a person, and bound
# how much of a person is in each. `dpbook.choosing.group_counts` does the first.
#
# ## Groups that nobody listed
#
# A voter lives in a place, and the study gives the place's population, in thousands. Take voters with the same number for
# one place, also the 228 with a 0. How many voters are there from each place? The obvious program counts, adds noise, and prints a line for each place that occurs.

# %%
places = data.election()["popul"].values
voter = np.arange(places.size)


def noisy_places(places, least, rng):
    """What not to do: noise for epsilon 1 on counts of places with `least` voters or more."""
    names, counts = np.unique(places, return_counts=True)
    printed = counts >= least
    noisy = laplace_mechanism(counts[printed], 1, 1.0, rng)
    return dict(zip(names[printed], noisy, strict=True))


# %% jupyter={"source_hidden": true}
# Computed: the places that noisy_places prints, with and without a voter who lives there alone
naive = noisy_places(places, 1, np.random.default_rng(1))
alone = [place for place in np.unique(places) if np.sum(places == place) == 1]
print(f"{len(naive)} places are printed; in {len(alone)} of them lives one voter", end=" ")
print("of the study, for example in one of")
print(f"{alone[-3]:,},000 people. Without that voter:", end=" ")
without = noisy_places(places[places != alone[-3]], 1, np.random.default_rng(1))
print("the place is", "still there" if alone[-3] in without else "gone")

# %% [markdown]
# The *list of names* gives the voter away. Noise on the counts does not help, because the name cannot appear without
# the voter: infinite privacy loss. "Print only places with ten voters or more" moves the same leak to the tenth
# voter. There are two ways out:
#
# - **A public list**, made before anyone looks at the data. Release all of it, empty places too (`group_counts`).
# - **A threshold on the noisy count.** A place where one voter lives is printed if noise lifts it over the threshold. That
#   can be made rare, but with Laplace noise not impossible: it costs a delta.
#
# With at most $k$ groups a person and $p = 1 - (1-\delta)^{1/k} \le \frac12$, the smallest threshold is
#
# $$T = 1 + \frac{k}{\varepsilon}\,\ln\frac{1}{2p} .$$

# %%
show_source(threshold_release)
show_source(group_threshold)

# %% [markdown]
# <details><summary>Proof: a lone person is printed with probability delta; the rest is Laplace noise.</summary>
#
# A person who is alone in all $k$ groups is printed with probability $1 - (1-p)^k = \delta$, and is
# then certainly seen. This is the infinite part of the privacy loss. All else is Laplace noise of scale
# $k/\varepsilon$ on counts. One person moves at most $k$ of them by 1 each, so this part has loss $\varepsilon$.
# $\square$
#
# </details>
#
# So $\delta$ here *is* the probability that a lone person is named, unlike that of normal noise ([24](24_gaussian.ipynb)).
# It is exact. The cell runs it:

# %% jupyter={"source_hidden": true}
# Computed: how often a lone person is named, and how often a group of 16 or 17 is published
rng, runs = np.random.default_rng(2), 2_000
for k in (1, 3):
    lone, threshold = (np.zeros(k), np.arange(k)), group_threshold(k, 1.0, 0.05)
    seen = np.mean([bool(threshold_release(*lone, k, 1.0, 0.05, rng)) for _ in range(runs)])
    exact = threshold_delta(k, threshold, 1.0)
    print(f"{counted(k, 'group')}, threshold {threshold:.2f}:", end=" ")
    print(f"exact delta {exact:.4f}, a lone person named in {seen:.4f} of {runs:,} runs")
sure = math.ceil(group_threshold(1, 1.0, 1e-6) + math.log(1 / (2 * 0.05)))
at_sure, below = (published_chance(size, 1, 1.0, 1e-6) for size in (sure, sure - 1))
print(f"at (1, 10⁻⁶) a group of {sure} is published with probability {at_sure:.3f},", end=" ")
print(f"one of {sure - 1} with {below:.3f}")

# %% [markdown]
# **What is lost** can be said beforehand. Suppose that at least $T + \frac{k}{\varepsilon} \ln\frac{1}{2\beta}$ people of a
# group are still counted in it after the bound $k$. Then it is published with probability at least $1 - \beta$. (The last
# line has $\beta = 0.05$.)

# %% jupyter={"source_hidden": true}
# Figure: threshold_release(voter, places, 1, epsilon, delta, rng): which places come to light
by_size = pd.Series(places).value_counts(ascending=False)
names, true_counts = by_size.index.values, by_size.values
ends, people_axis = np.arange(names.size + 1), np.arange(0, 81)
fig, (place_ax, chance_ax) = figure(columns=2, height=3.6)
bars = {"edges": ends, "fill": True}
shown_steps = steps(place_ax, 0 * true_counts, COLOURS.noisy, "published", **bars)
steps(place_ax, true_counts, COLOURS.true, label="true", edges=ends)
threshold_line = curves(place_ax, ends, {"threshold": "other --"})
x_axis(place_ax, f"{names.size} places, largest first", (0, names.size))
y_axis(place_ax, f"voters (the first: {true_counts[0]})", (-12, 120))
chance_line = curves(chance_ax, people_axis, {"": "third"}, linewidth=2.2)
x_axis(chance_ax, "voters who live there", (0, 80))
y_axis(chance_ax, "chance to be published", (-0.02, 1.02))
places_told = verdict_text(place_ax)
legend_above(fig)


def places_published(epsilon, delta, seed):
    released = threshold_release(voter, places, 1, epsilon, delta, np.random.default_rng(seed))
    counts = np.array([released.get(int(name), 0.0) for name in names])
    threshold = group_threshold(1, epsilon, delta)
    set_steps(shown_steps, counts)
    set_curves(threshold_line, [threshold])
    set_curves(chance_line, [published_chance(people_axis, 1, epsilon, delta)])
    found = f"{len(released)} of {names.size} places"
    set_verdict_text(places_told, None, f"{found} published")
    lone = amount(max(threshold_delta(1, threshold, epsilon), 1e-12), 2)
    live_there = f"{true_counts[counts != 0].sum()} of {voter.size} voters live"
    said = f"threshold {threshold:.1f}: {found}, where {live_there}"
    return f"{said}; a voter alone is named with probability {lone}"


place_figure = live(
    fig,
    places_published,
    "Left: true counts of 99 places as a falling staircase, the published noisy ones filled, "
    "a dashed threshold. Right: the chance to be published, an S around the threshold.",
    task="lower delta from 0.01 to 10⁻⁹. How many places are lost? Then try epsilon at 0.3.",
    guess=predict(
        "At epsilon 1 and delta 10⁻⁶, how many of the 99 places are published?",
        (0, 99, " places"), r": (\d+) of 99", epsilon=1.0, delta=1e-6,
    ),
    epsilon=log_slider(0.1, 5, 1.0),
    delta=choice([1e-12, 1e-9, 1e-6, 1e-3, 0.01], 1e-6),
    seed=new_noise(1),
)  # fmt: skip
place_figure

# %% [markdown]
# A threshold hides small groups by design, and with them the people who live there. Say in the text beside the table who is
# left out.
#
# ## What others chose
#
# These are the numbers as their sources state them. We read those marked R in the OpenDP project's registry of
# deployments, which quotes its sources. We read those marked A in the abstracts of the papers. For redistricting we
# also read quotations of the Census Bureau's announcement of 9 June 2021. What we could not verify this way was left
# out.


# %%
class Deployment(NamedTuple):
    """One row: what was stated, and where. A rho is the guarantee of those who state zCDP."""

    what: str
    year: int
    epsilon: float
    delta: float
    rho: float
    unit: str
    source: str


NONE = math.nan
DEPLOYED = [
    Deployment("US Census 2020, redistricting, persons", 2021, 17.14, 1e-10, 2.56,
               "a person's record (replaced)",
               "Abowd and others, Harvard Data Science Review 2022 [R]"),
    Deployment("US Census 2020, redistricting, housing units", 2021, 2.47, 1e-10, 0.07,
               "a housing unit (replaced)", "the same [R]"),
    Deployment("US Census 2020, demographic file, persons", 2023, 26.34, 1e-10, 4.96,
               "a person's record (replaced)",
               "Census Bureau, DHC technical documentation 2023 [R]"),
    Deployment("US Census 2020, demographic file, housing units", 2023, 34.33, 1e-10, 7.70,
               "a housing unit (replaced)", "the same [R]"),
    Deployment("Google, Community Mobility Reports", 2020, 2.64, 0, NONE,
               "a user's day", "Aktay and others, arXiv 2004.04145 [R]"),
    Deployment("Google, search trends of symptoms", 2020, 1.68, 0, NONE,
               "a user's day of searches", "Bavadekar and others, arXiv 2009.01265 [A]"),
    Deployment("Google, vaccination search insights", 2021, 2.19, 1e-5, NONE,
               "a user's day of searches", "arXiv 2107.01179 [A]"),
    Deployment("Google, Spanish next words in Gboard", 2022, NONE, 0, 0.81,
               "all data of a device", "Google Research blog, 28 February 2022 [R]"),
    Deployment("Meta, URLs that were shared", 2020, 1.453, 1e-5, 0.0728,
               "an action; this total for 96.6% of users",
               "Messing and others, Harvard Dataverse 2020 [R]"),
    Deployment("LinkedIn, top employers, a month", 2020, 4.8, 4e-10, NONE,
               "one hiring, in three reports", "Rogers and others, arXiv 2010.13981 [R]"),
    Deployment("Microsoft, app use in Windows (local)", 2017, 1.672, 0, NONE,
               "a user's six hours", "Ding, Kulkarni, Yekhanin, NIPS 2017 [R]"),
    Deployment("Apple, popular emojis (local)", 2017, 4.0, 0, NONE,
               "a user's day",
               "Apple, Learning with privacy at scale, 2017 [R]; unit: Desfontaines"),
    Deployment("Wikimedia, page views by country", 2023, NONE, 0, 0.015,
               "a device's day, 10 pages", "Adeleye and others, arXiv 2308.16298 [R]"),
    Deployment("Israel, live births of 2014", 2024, 9.98, 0, NONE,
               "one birth", "Hod, Canetti, arXiv 2405.00267 [A]"),
]  # fmt: skip

# %% jupyter={"source_hidden": true}
# Computed: what each deployment stated, with its unit and where we read it
pd.set_option("display.max_colwidth", None)
table = pd.DataFrame(DEPLOYED).set_index("what")
stated = [
    ", ".join(f"{name} {amount(value, 4)}" for name, value in row.items() if value > 0)
    for _, row in table[["epsilon", "delta", "rho"]].iterrows()
]
table.assign(stated=stated)[["year", "stated", "unit", "source"]]

# %% [markdown]
# **Never compare the numbers without the units.** A day is not a year, and one hiring is not a person. Noise on the
# device (local) buys other protection than noise added by a curator.
#
# Two rows by hand. A guess at even odds is right with probability at most $e^\varepsilon/(1+e^\varepsilon)$, so it is wrong at
# least once in $1+e^\varepsilon$ times.
#
# - *Apple's emojis* state 4 for a record, which Desfontaines reads as a user's **day**: wrong once in $1+e^4$, about 56
#   times. A year has 365 days, and their epsilons add up to 1,460. Such a bound rules nothing out.
# - *Israel's births* state 9.98 for one **birth**: wrong once in $1+e^{9.98}$, about 21,600 times. That looks far
#   weaker. But a birth is in the data once, so it is no more after a year.
#
# The cell does so for all rows:


# %%
def wrong_once_in(epsilon, delta):
    """At even odds a guess is wrong at least once in so many times: 1 / (1 - guess_chance).

    Without the rounding of that difference.
    """
    return (1 + math.exp(min(epsilon, 600))) / (1 - delta)


# how often a year one is in the data
UNITS = {"day": 365, "six hours": 4 * 365, "three reports": 3}


def for_so_many(row, times):
    """The promise of `times` releases: rhos added, converted at delta 1e-9; else sums."""
    if math.isnan(row.epsilon):
        return zcdp_epsilon(times * row.rho, 1e-9), 1e-9
    return times * row.epsilon, min(0.9, times * row.delta)


# %% jupyter={"source_hidden": true}
# Computed: for each deployment, how seldom a guess is wrong, for its unit and for a year
rows = {}
for row in DEPLOYED:
    times = next((often for name, often in UNITS.items() if name in row.unit), 1)
    rows[row.what] = {
        "the guarantee is for": row.unit,
        "wrong once in": amount(wrong_once_in(*for_so_many(row, 1))),
        "units a year": f"{times:,}",
        "wrong once in, for the year": amount(wrong_once_in(*for_so_many(row, times))),
    }
pd.DataFrame(rows).T

# %% [markdown]
# (At even odds; 2 would be a blind guess. The last column is for somebody who is in the data in every unit of the year, up
# to epsilon 600.)
#
# <details><summary>How the year was added up, and what the sources say of it.</summary>
#
# Where only a rho is stated, the year adds rhos, as in [25](25_accounting.ipynb), and takes epsilon at delta 1e-9. One
# hiring is in three monthly reports, each of which looks back three months. Desfontaines's list has
# $(14.4, 1.2 \cdot 10^{-9})$ for it. The sources state no yearly numbers. Some add protections that no epsilon counts, such
# as opt-in or discarding addresses. Microsoft's paper has a guarantee for repeated collection, which this sum ignores.
#
# </details>
#
# **A bound is not an attack, but attacks exist.** Gadotti, Houssiau, Annamalai and de Montjoye (2022) simulated Apple's
# mechanism with Apple's own parameters. They inferred the skin tone of a user's emojis, and political leanings from visited
# sites, far better than chance after many collections. The column for the year says why this is possible; that of a single
# day would not lead one to expect it.
#
# **Where the accounts differ.** A rho becomes an epsilon by more than one formula:

# %% jupyter={"source_hidden": true}
# Computed: the stated epsilon of each rho, beside three conversions
rows = {}
for row in DEPLOYED:
    if not math.isnan(row.rho) and row.delta:
        first = row.rho + 2 * math.sqrt(row.rho * math.log(1 / row.delta))
        rows[f"{row.what}, rho {row.rho}"] = {
            "stated": row.epsilon,
            "rho + 2 sqrt(rho ln(1/delta))": first,
            "best conversion (25)": zcdp_epsilon(row.rho, row.delta),
            "if all noise were normal": gaussian_epsilon(math.sqrt(2 * row.rho), 1, row.delta),
        }
pd.DataFrame(rows).T.round(2)

# %% jupyter={"source_hidden": true}
# Computed: sums of the stated epsilons and rhos, and the epsilon of a stated mu
persons, units = DEPLOYED[0], DEPLOYED[1]
both, epsilons = persons.rho + units.rho, persons.epsilon + units.epsilon
print(f"redistricting, stated in all: {epsilons:.2f}, the sum of the two epsilons")
print(f"redistricting, the two rhos added: {both:.2f},", end=" ")
print(f"which is epsilon {zcdp_epsilon(both, 1e-10):.2f} at the same delta")
print(f"Google's day: {1.76 + 0.44 + 0.44:.2f}; Israel's release:", end=" ")
print(f"{2 * (4 + 0.99):.2f}, twice (4 for a model, 0.99 for its checks)")
print(f"Meta, with the mu of 0.376 that it states: {gaussian_epsilon(0.376, 1, 1e-5):.3f}")

# %% [markdown]
# <details><summary>Two files of one agency used two conversions, so their epsilons cannot be compared as they stand.</summary>
#
# The redistricting file's 17.14 and 2.47 fit the best conversion of rhos that round to 2.56 and 0.07. The demographic
# file's 26.34 and 34.33 fit the simple formula; the best one would give less. *Adding* the epsilons of two zCDP releases,
# as in 19.61, is right and wasteful. It bounds the loss of somebody whose person and housing records both change.
#
# Su, Su and Wang (2024) find room in the account itself. With a sharper account the noise could have a variance 15% to
# 25% smaller, at nearly the same privacy on each geographic level. None of this says that a release is bad. The state
# totals and the number of housing units in each block are exact by decision, outside every epsilon. That matters more
# than a decimal place.
#
# </details>
#
# ## What to tell the people whose data it is
#
# A paragraph that needs no formula, with the numbers of *your* guarantee in it:

# %%
print(textwrap.fill(told_to_people(1.0, 0, unit="everything that you told us"), 90))

# %%
daily = told_to_people(2.64, 0, unit="one day of your walks", releases=30, family=2)
print(textwrap.fill(daily, 90))

# %% [markdown]
# The second text is the honest one for a daily release at 2.64. Nothing is left after a month, if you are in the data every
# day and the attacker knows all the rest. An office that does not want to print that sentence should change the release,
# not the sentence.
#
# Say beside it who added the noise, who holds the data, and what is published *without* noise. Say how long the data are
# kept, and whom to ask.
#
# ## The law, as far as sources carry it
#
# This is no legal advice, and the five sources of this book say nothing about law. Here is what can be read:
#
# <details><summary>United States, European Union, a theorem between them, and NIST's guidance.</summary>
#
# - **United States, census.** 13 U.S.C. § 9(a)(2) forbids "any publication whereby the data furnished by any particular
#   establishment or individual under this title can be identified". It names no method and no number. Alabama asked a
#   court to stop the use of differential privacy for the 2020 Census. The court denied the preliminary injunction on
#   29 June 2021 (*Alabama v. U.S. Department of Commerce*, 546 F. Supp. 3d 1057, M.D. Ala.). It did not choose an epsilon
#   either.
# - **European Union.** Data protection law does not apply to anonymous information (GDPR, recital 26). The Article 29
#   Working Party's Opinion 05/2014 (WP 216, 10 April 2014) asks three questions of a method. Can one still *single out* a
#   person, *link* records of a person, *infer* something about a person? It discusses noise, permutation, differential
#   privacy, aggregation and k-anonymity, with the strength and the risks of each.
# - **A bridge.** Cohen and Nissim (2020) define "singling out". They prove that differential privacy prevents it, and that
#   k-anonymity does not ([01](01_incidents.ipynb) has other attacks). That is a theorem about their definition. No source
#   that we found decides whether a given epsilon makes data anonymous in law.
# - **Guidance.** NIST SP 800-226 (March 2025), *Guidelines for evaluating differential privacy guarantees*: what to ask of
#   a claim, for example its unit of privacy.
#
# </details>
#
# Two of the three European questions have numbers here. Singling out is a guess about one person. Inference about a
# *person's own* record is bounded by the same chances. What the release says about everybody *like* you is inference too,
# and no epsilon bounds it ([06](06_meaning.ipynb)).
#
# ## Plan a release
#
# Compose a release from parts: yes-or-no counts about the voters, a histogram of their ages, the mean of their
# education, the median of their incomes. Epsilon is split evenly. With a delta the counts get the discrete Gaussian
# of [24](24_gaussian.ipynb) where that is more exact. The account is made as in [25](25_accounting.ipynb).

# %%
show_source(Plan)

# %% [markdown]
# An account bounds the *privacy loss* of all parts together. Laplace noise and whole-number noise enter with their
# own loss distributions. A choice enters with that of [randomized response](07_local.ipynb), which dominates every $\varepsilon$-DP
# step: the two distributions of randomized response are a *dominating pair*. "Sum" adds epsilons and needs no delta.
# The other accounts need one.

# %%
QUESTIONS = [
    ("TVnews", 3), ("selfLR", 4), ("PID", 2), ("age", 50),
    ("educ", 4), ("income", 12), ("ClinLR", 3), ("DoleLR", 4),
    ("TVnews", 5), ("selfLR", 3), ("PID", 4), ("age", 35),
    ("educ", 3), ("income", 17), ("ClinLR", 2), ("DoleLR", 5),
]  # fmt: skip


AGES = Histogram("age", tuple(range(18, 99, 10)))
MEAN = Mean("educ", (1, 7))
MEDIAN = Quantile("income", 0.5, tuple(range(1, 25)))
PARTS = {
    "counts alone": [],
    "and ages": [AGES],
    "and mean, median": [AGES, MEAN, MEDIAN],
}


def planned(counts, parts, epsilon, delta):
    """The plan that the sliders describe; all that is known is that there are 944 or so."""
    asked = Counts(tuple(QUESTIONS[:counts]))
    return Plan("data.election()", (asked, *parts), 944, epsilon, delta)


# %% jupyter={"source_hidden": true}
# Figure: planned(...).lines and .account(): what each part gets, how far off it is, the sum
WAYS = ["sum", "zCDP", "Rényi", "loss distributions"]
fig, (part_ax, way_ax) = figure(columns=2, height=3.4, gridspec_kw={"width_ratios": [1, 1.2]})
part_bars = part_ax.barh(range(4), np.zeros(4), height=0.35, color=COLOURS.light)
part_words = [part_ax.text(0, row - 0.27, "", va="bottom", fontsize=9.5) for row in range(4)]
way_bars = way_ax.barh(range(4), np.zeros(4), height=0.6, edgecolor="black", linewidth=0.8)
paper = {"facecolor": "white", "edgecolor": "none", "pad": 1}  # over the dashed line
looks = {"va": "center", "fontsize": 9.5, "bbox": paper}
way_words = [way_ax.text(0, row, "", **looks) for row in range(4)]
way_ax.axvline(1, color=COLOURS.true, linestyle="--", linewidth=1.5)
x_axis(part_ax, "part of epsilon", (0, 1))
x_axis(way_ax, "total epsilon / planned epsilon", (0, 3.1))
y_axis(part_ax, limits=(3.6, -0.75), ticks={})
y_axis(way_ax, limits=(3.6, -0.6), ticks=dict(enumerate(WAYS)))
plan_told, kept = verdict_text(fig), {}


def compose(counts, parts, epsilon, delta):
    kept["plan"] = plan = planned(counts, PARTS[parts], epsilon, delta)
    lines, totals = plan.lines, plan.account()
    for row, (bar, words) in enumerate(zip(part_bars, part_words, strict=True)):
        line = lines[row] if row < len(lines) else None
        bar.set_width(line.epsilon / epsilon if line else 0)
        said = f"{line.name}: ±{amount(line.error)} {line.unit}" if line else ""
        words.set_text(said.partition(" units of")[0])
    best = min(totals, key=totals.get)
    for way, bar, words in zip(WAYS, way_bars, way_words, strict=True):
        total = totals.get(way, 0.0)
        ink = COLOURS.third if way == best else COLOURS.pale
        bar.set(width=min(total / epsilon, 2.2), facecolor=ink)
        said = f"{total:.4g}{' best' * (way == best)}" if total else "needs a delta"
        words.set(x=bar.get_width() + 0.06, text=said)
    found, named = totals[best], counted(len(lines), "part")
    told = f"{named}: epsilon {found:.3g} in all, planned {epsilon:.3g}"
    set_verdict_text(plan_told, found <= epsilon * (1 + 1e-9), told)
    errors = "; ".join(f"{line.name} ±{amount(line.error)}" for line in lines)
    return f"{errors}. Account: sum {totals['sum']:.4g}, best {found:.4g} ({best})"


planner = live(
    fig,
    compose,
    "Left: a bar for each part of the release, its part of epsilon, with name and error. "
    "Right: the total epsilon by four accounts against the planned one, as bars; three of the "
    "accounts need a delta.",
    task="sixteen counts alone. How far off are they? Add a delta. Which account is best?",
    guess=[
        predict(
            "Sixteen counts alone share epsilon 1, without a delta. How far off is each?",
            (2, 500, " people"), r"counts ±([\d.,]+)",
            counts=16, parts="counts alone", delta=0, epsilon=1.0,
        ),
        predict(
            "Four parts share epsilon 1 at delta 10⁻⁶. How far below 1 is the best account?",
            ["hardly", "by about half"],
            lambda said: (
                "hardly" if numbers(said.split("best ")[1])[0] > 0.75 else "by about half"
            ),
            counts=4, parts="and mean, median", delta=1e-6, epsilon=1.0,
        ),
    ],
    counts=choice([1, 2, 4, 8, 16], 4, label="yes-no counts"),
    parts=choice(list(PARTS), "and mean, median"),
    epsilon=log_slider(0.05, 10, 1.0),
    delta=choice([0, 1e-9, 1e-6], 0),
)  # fmt: skip
planner

# %% [markdown]
# With few counts a better account gains next to nothing: the worst case is not rare enough. Take
# [sixteen counts and a delta](#move:counts=16&delta=1e-6), and normal noise gains. Its scale is found by zCDP, and
# the privacy loss distribution (PLD) shows that its epsilon is smaller than planned. The zCDP account may lie *above*
# the sum: it is a bound made for many small losses.
#
# ### The Python that makes it
#
# Here is the plan above, as it stands now. Move the sliders, run this cell again, and copy what it prints: it is a program
# of its own. (For your own file, replace `data.election()` with a dict of columns; [90](90_reference.ipynb) says how to
# read one.)

# %%
print(kept["plan"].code())

# %% [markdown]
# Does it do what was planned? We run it once, and its function `release` four hundred times more with seeds, and compare
# with the truth:

# %%
plan = kept["plan"]
program = {}
exec(plan.code(), program)
print(program["budget"])
table, release = program["table"], program["release"]
questions = plan.parts[0].questions
truth = {
    "counts": np.array([np.sum(table[name] > above) for name, above in questions]),
    "histogram of age": np.histogram(table["age"], range(18, 99, 10))[0],
    "mean of educ": table["educ"].mean(),
}
again = []
for seed in range(400):
    budget, rng = Budget(plan.epsilon, delta=plan.delta), np.random.default_rng(seed)
    again.append(release(table, budget, rng))
for line in plan.lines:
    if line.name in truth:
        apart = [np.abs(released[line.name] - truth[line.name]) for released in again]
        beyond = np.mean(np.array(apart) > line.error)
        print(f"{line.name}: {beyond:.3f} of the releases are more than", end=" ")
        print(f"{line.error:.3g} off (planned: at most 0.05)")

# %% [markdown]
# (In four hundred runs 0.05 means 0.05 give or take 0.01.) The education of real voters does not sit on a bound, so its
# mean does better than planned. A plan that knew this would have looked at the data.
#
# ## Where it breaks
#
# **Choosing on the data.** "We tried several epsilons and took the smallest with a good result": every try is a release of
# the same people. Here are tries at epsilon 0.1, of which the best is shown:

# %% jupyter={"source_hidden": true}
# Computed: what 1, 5 and 20 tries at epsilon 0.1 leave of a guess
for tries in (1, 5, 20):
    print(f"{counted(tries, 'try', 'tries'):>8} at 0.1: the guess is right", end=" ")
    print(f"at most {guess_chance(0.5, 0.1 * tries, 0):.2%} of the time")

# %% [markdown]
# The sum covers the tries only if the best one was chosen without another look at the data. Measuring "a good result" on the
# same data is one more release for each try ([26](26_gradients.ipynb) counts them). Choose on public data, on last year's,
# or on a stand-in, and then release once. Selecting privately among tries is possible, at two or three times the epsilon of
# one (Liu and Talwar 2019). That is the factor 2 in Israel's 9.98.
#
# **Error bars from the truth.** The errors on this page come from distributions, and can be printed beside the numbers. An
# error measured against the true data ("our release is 2.3 off") is another release of the truth, without noise.
#
# **A unit that shrinks.** "Epsilon 1" for a visit, a click or a day sounds the same and guarantees less. For a
# patient with all visits, that leaves:

# %% jupyter={"source_hidden": true}
# Computed: what epsilon 0.1 a visit leaves of a guess about a patient with all visits
for most in (1, int(np.median(contributions)), round(np.quantile(contributions, 0.99))):
    right = guess_chance(0.5, 0.1 * most, 0)
    print(f"a patient with {counted(most, 'visit')}, at epsilon 0.1 a visit:", end=" ")
    print(f"right at most {right:.2%}")

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/27_choosing](../exercises/answers/27_choosing.ipynb).
#
# 1. *Warm-up.* A school of 600 publishes how many pupils were bullied, to within 5 in 95 of 100 releases. Which epsilon does
#    it need? What can be said to a pupil, at even odds?
# 2. A town publishes one count a week, all year. At the end of the year a guess at even odds may be right at most 60 times
#    in 100. The town adds epsilons up. How far off is each count?
# 3. From which number of people can a mean between 0 and 100 be released within 1, at epsilon 0.5?
# 4. Take the places of the voters at epsilon 1 and delta 1e-6. How many voters must live in a place for it to be published
#    with probability 0.95?
# 5. Suppose each voter is named with the place *and* the party, so with two groups. What happens to the threshold at the
#    same $(\varepsilon, \delta)$?
# 6. *Challenge.* Plan a release for the women of Fair's survey: two counts, a histogram of ages, the median age. Each count
#    must be within 30 women. Find the smallest epsilon, and run the program.
#
# A start for task 3:

# %%
for people in (100, 1_000):
    print(people, round(mean_error(people, (0, 100), 0.95, 0.5), 3))

# %% [markdown]
# ## When to use it
#
# **Before** anybody computes anything, settle the unit of privacy and the relation, what is wanted and how exactly, and
# the smallest epsilon. Then say what it leaves to guess about a person, about a family and after a year, and who
# agrees to that. **Use** the planner to see which part uses up the budget. Synthetic records buy many answers at once
# ([28](28_synthetic.ipynb)). **Do not** use an epsilon because it stands in a table. **Do not** release with
# `dpbook`: it is for learning ([00](00_start_here.ipynb) says why).
#
# ## Sources and further reading
#
# <details><summary>Books, papers, and what the table of deployments was read in.</summary>
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to
#   Practice*, Morgan & Claypool, 2016,
#   [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018):
#   chapters 2 and 3. The distributions of the mechanisms are those of [03](03_laplace.ipynb),
#   [04](04_exponential.ipynb), [05](05_averages.ipynb), [08](08_histograms.ipynb) and [24](24_gaussian.ipynb).
# - Peter Kairouz, Sewoong Oh, Pramod Viswanath: *The composition theorem for differential privacy*,
#   2015: the region of the two errors.
# - Aleksandra Korolova, Krishnaram Kenthapadi, Nina Mishra, Alexandros Ntoulas: *Releasing search
#   queries and clicks privately*, 2009; Royce Wilson and others: *Differentially private SQL with
#   bounded user contribution*, 2020; Damien Desfontaines, James Voss, Bryant Gipson, Chinmoy
#   Mandayam: *Differentially private partition selection*, 2022: a better choice than a threshold.
# - Kareem Amin, Alex Kulesza, Andrés Muñoz Medina, Sergei Vassilvitskii: *Bounding user
#   contributions*, 2019.
# - Jingcheng Liu, Kunal Talwar: *Private selection from private candidates*, 2019.
# - The OpenDP project's registry of deployments; Damien Desfontaines: *A list of real-world uses of
#   differential privacy*; the sources in the table.
# - Buxin Su, Weijie Su, Chendi Wang: *The 2020 United States Decennial Census is more private than you
#   (might) think*, 2024.
# - Andrea Gadotti, Florimond Houssiau, Meenatchi Sundaram Muthu Selva Annamalai, Yves-Alexandre de
#   Montjoye: *Pool inference attacks on local differential privacy: quantifying the privacy guarantees
#   of Apple's Count Mean Sketch in practice*, USENIX Security 2022.
# - Aloni Cohen, Kobbi Nissim: *Towards formalizing the GDPR's notion of singling out*, PNAS 2020;
#   NIST SP 800-226, 2025; Article 29 Working Party, Opinion 05/2014.
#
# </details>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [26 Learning by noisy steps](26_gradients.ipynb) · **Next:** [28 Synthetic records](28_synthetic.ipynb)
