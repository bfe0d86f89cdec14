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
# # 04 The exponential mechanism
#
# Which age is the most common among 944 voters? The exponential mechanism turns the counts on the left into the
# lottery beside them, and publishes one draw.
#
# <details><summary>About 40 minutes, after 02 and 03: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [03 The Laplace mechanism](03_laplace.ipynb) · **Next:** [05 Averages, six ways](05_averages.ipynb)
#
# **Assignment 04:** [five tasks, checked in a second](../exercises/releases/04_exponential.ipynb)
#
# **You will see** how to publish an answer that cannot carry noise: the most common age, a median, the name of a party.
#
# **You will do:** stretch a picture of counts into a lottery. Gain a factor of two for counts, and see why the same
# factor breaks the median. Find medians and quartiles of real people. Drown the best answer among a million others.
#
# **You need:** [03 The Laplace mechanism](03_laplace.ipynb): sensitivity, $\varepsilon$, the privacy loss. From
# [02 Composition](02_composition.ipynb) you need what adds up and what is free.
#
# **Time:** about 40 minutes. A good place to stop is before *The median*.
#
# **Data:** ages, parties and habits of 944 voters (1996 election study); doctor visits and a disease index (RAND health
# insurance experiment). All are records of real people; nothing on this page is
# synthetic. Neighbours are add/remove (one dataset has one record more) unless the text says replace.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import numpy as np

from dpbook import data
from dpbook.amounts import percent
from dpbook.exponential import exponential_mechanism, log_selection_probabilities, mode_quality
from dpbook.guesses import own_record
from dpbook.live import live, log_slider, new_noise, switch
from dpbook.plots import (
    COLOURS,
    figure,
    legend_above,
    set_steps,
    set_verdict_text,
    steps,
    verdict_text,
    x_axis,
    y_axis,
)

# %% jupyter={"source_hidden": true}
# Figure: selection_probabilities(counts, 1, epsilon, monotonic), and one draw from them
voters = data.election()
ages, (youngest, oldest) = voters["age"].values, voters["age"].bounds
domain = np.arange(youngest, oldest + 1)
counts = mode_quality(ages, domain)
best, second = np.argsort(-counts, kind="stable")[:2]
YOU = own_record(944)  # the voter that you picked to be on page 01


class Lottery:
    """The quality of every age, its probability of being drawn with a mark for the draw, and
    what your own record does to these probabilities.
    """

    def __init__(self, quality, ylabel, ylim, fill):
        edges = np.append(domain, domain[-1] + 1) - 0.5
        self.fig, (left, self.ax, yours) = figure(3, height=2.45, width_ratios=[8, 8, 1])
        self.scores = steps(left, quality, COLOURS.grey, edges=edges, fill=fill)
        star = {"color": COLOURS.amber, "markeredgecolor": "black", "markersize": 13}
        high = {"transform": left.get_xaxis_transform(), "clip_on": False}
        left.plot([ages[YOU]], [0.93], "*", label="you", **star, **high)
        x_axis((left, self.ax), "age (years)", (edges[0], edges[-1]))
        y_axis(left, ylabel, ylim)
        y_axis(self.ax, "probability", (0, 1.05))
        none = np.zeros(domain.size)
        self.bars = steps(self.ax, none, COLOURS.noisy, edges=edges, fill=True)
        self.line = steps(self.ax, none + 0.01, COLOURS.noisy, edges=edges)
        blind = {"color": COLOURS.true, "linestyle": ":", "label": "blind guess"}
        self.ax.axhline(1 / domain.size, linewidth=1.2, **blind)
        high["transform"] = self.ax.get_xaxis_transform()
        mark = {"color": COLOURS.other, "markersize": 10, "label": "drawn"}
        (self.mark,) = self.ax.plot([0], [0.93], "v", **mark, **high)
        (self.you,) = yours.bar([0], [0], color=COLOURS.amber, edgecolor="black")
        yours.axhline(1, color=COLOURS.third, linestyle="--", label="guaranteed")
        x_axis(yours, ticks={0: "you"})
        y_axis(yours, "privacy loss / ε", (0, 1.05), [0, 1])
        self.said = verdict_text(left)
        legend_above(self.fig, 4)

    def show(self, drawn, logs, without, epsilon, log_scale=False):
        """Probabilities as bars, or as a line on a log scale; the largest loss by you."""
        if (self.ax.get_yscale() == "log") != log_scale:
            self.ax.set_yscale("log" if log_scale else "linear")
            self.ax.set_ylim((1e-6, 3) if log_scale else (0, 1.05))
        set_steps(self.bars, np.zeros(domain.size) if log_scale else np.exp(logs))
        set_steps(self.line, np.maximum(np.exp(logs), 1e-12))
        self.mark.set_xdata([drawn])
        self.you.set_height(np.abs(logs - without).max() / epsilon)


mode = Lottery(counts, "voters of this age", (0, 40), fill=True)
counts_without_you = mode_quality(np.delete(ages, YOU), domain)


def most_common(epsilon, monotonic, seed):
    rng = np.random.default_rng(seed)
    drawn = domain[exponential_mechanism(counts, 1, epsilon, rng, monotonic=monotonic)]
    logs, without = (
        log_selection_probabilities(quality, 1, epsilon, monotonic)
        for quality in (counts, counts_without_you)
    )
    mode.show(drawn, logs, without, epsilon)
    chance = percent(np.exp(logs[best]))
    told = f"age {domain[best]}, the most common, is drawn {chance}% of the time"
    set_verdict_text(mode.said, None, told)
    return f"drawn: age {drawn}. Probability of the true mode, age {domain[best]}: {chance}%"


live(
    mode.fig,
    most_common,
    "Left, bars of how many of 944 voters have each age from 18 to 120, and a star at your "
    "age. Middle, the probability that each age is drawn as the mode, with a mark at the "
    "draw. Right, how much of epsilon your own record uses up.",
    task=r"press *play*: as $\varepsilon$ grows, the lottery picks the tallest bar.",
    play="epsilon",
    epsilon=log_slider(0.003, 3, 0.2),
    monotonic=switch(True),
    seed=new_noise(1, label="New draw"),
)

# %% [markdown]
# **What you saw.** The mechanism *scores* every possible answer, here by the number of its voters, and draws one. The
# better the score, the likelier the draw, exponentially so. [At epsilon 0.01](#move:epsilon=0.01) no age is 1.4 times
# as likely as another; [at epsilon 1](#move:epsilon=1) the best one nearly always wins. The bar *you* shows how much of
# $\varepsilon$ your own record uses up. Even an age that nobody has can be drawn. If it could not, every draw would
# prove that somebody has that age.

# %% [markdown]
# ## A naive attempt that fails
#
# `domain` holds the possible answers. It comes from the public bounds of an age, never from the records. Which age is
# the most common, and what is the median age? Nobody is named in the answers, so why not publish them as they are?

# %%
print(f"{domain.size} possible answers: {domain[0]} to {domain[-1]}, whatever the records say")
print(f"you are voter {YOU}, aged {ages[YOU]}")
print(
    f"most common age: {domain[best]}, with {counts[best]} voters; next {domain[second]}, "
    f"with {counts[second]}"
)
print(f"median age: {np.median(ages):.0f}")

# %% [markdown]
# Here no single voter could have changed the two answers. But the guarantee must hold for *every* pair of neighbours,
# such as these:

# %%
for group in ([30, 30, 41, 41], [30, 30, 41, 41, 41]):
    winner = domain[mode_quality(group, domain).argmax()]
    print(f"{group}: most common age {winner}, median {np.median(group):g}")

# %% [markdown]
# When one person joins, both answers change. No $\varepsilon$ allows that: the privacy loss is infinite.
#
# ## Why not Laplace noise?
#
# Li, Lyu, Su and Yang (2016, section 2.4.3; *the textbook*) take incomes from 0 to 1,000,000. Half of the people have
# 0, the others have 1,000,000; then one more person with 0 joins. How far does the median move, and is that the worst
# case? We try every dataset of up to four incomes on a coarse grid. The answer depends on who is a neighbour, and on
# what "median" means for an even number of records.

# %% jupyter={"source_hidden": true}
# What this page imports
from itertools import combinations_with_replacement

import pandas as pd

from dpbook.amounts import amount
from dpbook.composition import Budget
from dpbook.exponential import (
    log_weights,
    median_quality,
    privacy_loss,
    private_mode,
    private_quantile,
    private_quantile_in_ranges,
    quantile_quality,
    selection_probabilities,
)
from dpbook.guesses import predict
from dpbook.laplace import laplace_mechanism
from dpbook.live import choice, show_source, slider
from dpbook.plots import curves, meter, own_point, set_curves, set_meter, set_own_point
from dpbook.verdict import exceeds

# %%
rich_and_poor = np.repeat([0, 1_000_000], 1_000)
before, after = np.median(rich_and_poor), np.median(np.append(rich_and_poor, 0))
print(f"median before {before:,.0f}, after {after:,.0f}")

grid = range(0, 1_000_001, 250_000)
small = [records for n in range(1, 5) for records in combinations_with_replacement(grid, n)]
neighbours = {
    "add/remove": lambda a: [(*a, x) for x in grid],
    "replace": lambda a: [(*a[:i], *a[i + 1 :], x) for i in range(len(a)) for x in grid],
}
medians = {
    "midpoint of the middle two": np.median,
    "lower of the middle two": lambda a: sorted(a)[(len(a) - 1) // 2],
}


def worst_move(median, pairs):
    """The largest change of `median` over all small datasets and their neighbours."""
    largest = max(abs(median(a) - median(b)) for a in small for b in pairs(a))
    return f"{largest:,.0f}"


# %% jupyter={"source_hidden": true}
# Computed: the largest move of a median, over all datasets of up to four incomes
pd.DataFrame(
    {
        name: {word: worst_move(f, pairs) for word, f in medians.items()}
        for name, pairs in neighbours.items()
    }
)

# %% [markdown]
# The textbook gives 500,000: right for add/remove and the midpoint. Otherwise the whole range is needed.
#
# Laplace noise of that size is useless. Let the true median be 500,000, and let the noisy number be moved back into the
# range (post-processing). Here is the mean error that is left, beside that of a blind (uniform) guess:


# %%
def laplace_error(truth, low, high, scale):
    """Mean |error| of truth + Laplace noise, cut to [low, high]: exact."""
    gaps = np.array([truth - low, high - truth])
    return (scale * (1 - np.exp(-gaps / scale))).mean()


# %% jupyter={"source_hidden": true}
# Computed: the mean error of Laplace noise on a median of incomes
print(f"blind guess: mean error {250_000:,}")
for epsilon in (0.1, 0.5, 1, 2, 5):
    print(
        f"epsilon {epsilon:>3}: mean error "
        f"{laplace_error(500_000, 0, 1_000_000, 500_000 / epsilon):,.0f}"
    )

# %% [markdown]
# For $\varepsilon \le 1$ the noisy median is *worse* than a blind guess. Noise on a mode fares no better: the noisy
# number may be in nobody's record. And for a party, a street or a word, "truth plus noise" means nothing at all.
#
# ## The idea: score every answer, draw a good one
#
# > **Definition 4.1 (exponential mechanism; McSherry and Talwar, 2007).** Let $O$ be the set of possible outputs, the
# > *candidates*. A *quality function* $q(D, o)$ (also *utility* or *score*) says how good candidate $o$ is for the
# > data $D$; higher is better. Its *sensitivity* $\Delta$ is the most that any one candidate's quality can move
# > between neighbours. The mechanism draws $o$ with
# > $$\Pr[M(D) = o] = \frac{w(D, o)}{\sum_{o' \in O} w(D, o')}, \qquad w(D, o) = \exp\Big(\frac{\varepsilon\, q(D, o)}{2 \Delta}\Big) .$$
#
# By hand: five candidates have 3, 5, 4, 0 and 1 votes, $\Delta = 1$ and $\varepsilon = 1$.

# %%
five = np.array([3, 5, 4, 0, 1])
weights = np.exp(1 * five / 2)
print("weights      ", np.round(weights, 2))
print("probabilities", np.round(weights / weights.sum(), 3))
assert np.allclose(weights / weights.sum(), selection_probabilities(five, 1, 1))

# %% [markdown]
# The program first computes the exponents. It shifts them so that the best candidate has 0: the shift cancels in the
# fraction, and no weight overflows. To draw, lay the weights end to end on a line, throw
# one uniform point at the line, and see whose piece it hit.

# %%
show_source(log_weights)
show_source(selection_probabilities)
show_source(exponential_mechanism)

# %% [markdown]
# The mechanism returns an *index*, so the candidates can be anything. Which party answer is the most common? And does
# the drawing follow the formula?

# %% jupyter={"source_hidden": true}
# Computed: the probability of each party answer, by formula and in 10,000 draws
parties = ["strong Democrat", "weak Democrat", "leaning Democrat", "independent"]
parties += ["leaning Republican", "weak Republican", "strong Republican"]
party_counts, rng = np.bincount(voters["PID"].values, minlength=7), np.random.default_rng(4)
draws = exponential_mechanism(party_counts, 1, 0.1, rng, size=10_000)
table = pd.DataFrame(
    {"voters": party_counts, "formula": selection_probabilities(party_counts, 1, 0.1)},
    index=parties,
)
table["drawn"] = np.bincount(draws, minlength=7) / len(draws)
print("first three draws:", *(parties[i] for i in draws[:3]), sep="  ")
table.round(4)

# %% [markdown]
# ## Why it is private
#
# > **Theorem 4.2 (privacy; McSherry and Talwar, 2007).** The exponential mechanism is
# > $\varepsilon$-DP, for the neighbouring relation of $\Delta$.
#
# <details><summary>Proof: between neighbours the candidate's own weight and the sum of all weights change by half of epsilon each.</summary>
#
# Compare $D$ with a neighbour $D'$, for one output $o$. The ratio of probabilities is a product of two factors:
#
# $$\frac{\Pr[M(D) = o]}{\Pr[M(D') = o]} =
# \underbrace{\frac{w(D, o)}{w(D', o)}}_{\text{its own weight}} \cdot
# \underbrace{\frac{\sum_{o'} w(D', o')}{\sum_{o'} w(D, o')}}_{\text{everybody's weights}}
# \;\le\; e^{\varepsilon/2} \cdot e^{\varepsilon/2}$$
#
# No quality moves by more than $\Delta$, so no weight changes by more than the factor $e^{\varepsilon/2}$. Then
# neither does their sum. $\square$
#
# </details>
#
# Both factors are needed where one candidate gains and a thousand others lose:

# %% jupyter={"source_hidden": true}
# Computed: the two factors of the proof for one winner and a thousand losers
here, there = np.array([2.0, *[0] * 1_000]), np.array([1.0, *[1] * 1_000])
own = np.exp((here - there) / 2)[0]
everybody = np.exp(there / 2).sum() / np.exp(here / 2).sum()
print(
    f"own factor {own:.4f}, everybody's factor {everybody:.4f}, each at most e^0.5 = "
    f"{np.exp(0.5):.4f}"
)
print(f"privacy loss {np.log(own * everybody):.4f} for a promise of epsilon = 1")
assert np.isclose(np.log(own * everybody), privacy_loss(here, there, 1, 1))

# %% [markdown]
# ## Counts are monotonic: the 2 goes
#
# One more record adds 1 to one count and takes nothing from any other.
#
# > **Theorem 4.3 (monotonic qualities; Li et al. 2016, Corollary 2.19).** Call a quality *monotonic* if under
# > add/remove no record moves two candidates' qualities in opposite directions. Then drawing with the weights
# > $\exp(\varepsilon\, q / \Delta)$, without the 2, is $\varepsilon$-DP under add/remove.
#
# <details><summary>Proof: of the two factors only one can be above 1.</summary>
#
# Without the 2 each factor is at most $e^\varepsilon$. If the first is above 1, the quality of $o$ is higher for $D$
# than for $D'$. So no quality is lower for $D$, and the second factor is at most 1. If the first factor is at most 1,
# the product is at most $e^\varepsilon$ as well. $\square$
#
# </details>
#
# Counts are the usual case: how many people bought *this set of goods* (frequent itemsets, [14](14_svt.ipynb)), hold
# this value, live in this street. The most common value, the **mode**, has the count as its quality, with $\Delta =
# 1$:

# %%
show_source(private_mode)

# %% [markdown]
# [Switch *monotonic* off](#move:monotonic=off) in the first figure: with the 2, your record uses up only half of
# $\varepsilon$.
#
# ### The winner's odds square
#
# Dropping the 2 is the same as doubling $\varepsilon$: every ratio of probabilities is squared, and odds of 10 : 1
# become 100 : 1. This is the $\varepsilon$ at which that happens for age 35 and the next one:

# %% jupyter={"source_hidden": true}
# Computed: the epsilon at which the odds are 10 to 1, and 100 to 1 if monotonic
lead = int(counts[best] - counts[second])
ten_to_one = 2 * np.log(10) / lead
print(f"lead {lead} voters, epsilon {ten_to_one:.3f}")
for name, monotonic in (("general", False), ("monotonic", True)):
    chances = selection_probabilities(counts, 1, ten_to_one, monotonic)
    print(f"{name:>9}: odds {chances[best] / chances[second]:.0f} to 1")
chances = selection_probabilities(counts, 1, 0.01, monotonic=True)
print(f"epsilon 0.01: no odds of two ages above {chances.max() / chances.min():.2f} to 1")

# %% jupyter={"source_hidden": true}
# Figure: log_selection_probabilities([lead, 0], 1, epsilon, monotonic): the odds of the two
slope = np.linspace(0, 2, 101)
fig, ax = figure(height=3.4)
odds_lines = curves(ax, slope, {"general": "noisy", "monotonic": "other --"})
points = [own_point(ax, colour=line.get_color()) for line in odds_lines]
points[1].set_marker("s")
x_axis(ax, "ε", (0, 2.02))
ticks = {1: "1", 100: "100", 1e4: "10,000", 1e6: "1 million", 1e8: "100 million"}
y_axis(ax, "odds of the winner\nagainst the next (log scale)", (0.4, 1e10), ticks, log=True)
odds_told = verdict_text(ax)
legend_above(fig, 2)


def odds(ratio):
    """Odds in words: "10.0 to 1"."""
    if ratio < 1e6:
        return f"{ratio:,.{0 if ratio > 1000 else 1}f} to 1"
    return f"{ratio / 1e6:,.0f} million to 1"


def update(epsilon, lead):
    rates = np.array([lead / 2, lead])  # the log odds at ε = 1, general and monotonic
    set_curves(odds_lines, np.exp(np.multiply.outer(rates, slope)))
    found = []
    for point, monotonic in zip(points, (False, True), strict=True):
        pair = log_selection_probabilities([lead, 0], 1, epsilon, monotonic)
        found.append(np.exp(pair[0] - pair[1]))
        set_own_point(point, epsilon, found[-1])
    told = [odds(ratio) for ratio in found]
    set_verdict_text(odds_told, None, f"odds {told[0]}, and {told[1]} if monotonic")
    return (
        f"lead of {lead} record{'s' if lead > 1 else ''}: odds {told[0]} in general, "
        f"{told[1]} if monotonic, the square."
    )


question = "At epsilon 1, what are the general odds of a winner that leads by ten records?"
live(
    fig,
    update,
    "Odds of the winner against the next candidate as epsilon grows, on a log scale: two "
    "straight lines from 1, the monotonic one twice as steep, with a mark on each at "
    "the chosen epsilon.",
    task="take the lead from 5 down to 1 and up to 10. The orange square is always twice as "
    "high above the 1 as the blue dot: on a log scale, squaring is doubling. The factor "
    "is also worth half of the people: find two settings of the lead that show it.",
    guess=predict(question, (1, 1_000, " to 1"), r"odds ([\d.,]+) to", epsilon=1.0, lead=10),
    epsilon=slider(0.02, 2.0, 0.92, 0.02),
    lead=slider(1, 10, lead, label="lead (records)"),
)

# %% [markdown]
# > **A good place to stop.** What follows is about the median, whose score needs care, and about how good the draw is.
#
# ## The median: quality in ranks
#
# For the median, *distance in value* is a bad quality: one record can move it by half of the range or more. *Distance
# in rank* is a good one. Let $n_{<x}$ and $n_{\le x}$ be the numbers of records below $x$, and below or equal to $x$.
# A candidate $x$ owns all ranks, whole or not, from $n_{<x}$ to $n_{\le x}$. Its quality is minus the distance from
# these ranks to the rank of the median, $n/2$ (Li et al. 2016, Example 2.21):
#
# $$q(D, x) = -\min_{n_{<x} \,\le\, j \,\le\, n_{\le x}} |\,j - n/2\,|$$
#
# With seven people the target is the rank 3.5:

# %% jupyter={"source_hidden": true}
# Computed: the ranks and the quality of eight candidates for a median of seven
seven = np.array([20, 25, 25, 31, 31, 60, 90])
candidates = np.array([18, 20, 25, 28, 31, 45, 60, 100])
table = pd.DataFrame({"candidate": candidates})
table["n_<x"] = [(seven < x).sum() for x in candidates]
table["n_<=x"] = [(seven <= x).sum() for x in candidates]
table["quality"] = median_quality(seven, candidates)
table.set_index("candidate")

# %% [markdown]
# The $p$-quantile has the target rank $p\,n$ instead of $n/2$. The program, in which `q` is our $p$, searches the
# sorted records twice, for $n_{<x}$ and $n_{\le x}$.

# %%
show_source(quantile_quality)

# %% [markdown]
# > **Proposition 4.4 (sensitivity of the rank quality).** For the $p$-quantile it is $\max(p, 1 - p)$ under
# > add/remove, so $1/2$ for the median; under replace it is 1.
#
# <details><summary>Proof: one record moves the target by p and the ranks above it by 1.</summary>
#
# One more record moves the target by $p$. If the record is below $x$, both ends of the ranks of $x$ move by 1. If it
# equals $x$, only the upper end moves; if it is above, neither. So an end moves by $1 - p$ or by $-p$ against the
# target, and the distance changes by at most the larger one. Under replace the target stays, and an end moves by at
# most 1. $\square$
#
# </details>
#
# We check this on every pair of neighbours with up to five records. With $\Delta = 1/2$ the weight of a median
# candidate is $\exp(\varepsilon q / 2\Delta) = \exp(\varepsilon q)$. The quality is *not* monotonic: one more young
# voter helps the candidates from her age up to the median and hurts those outside.

# %% jupyter={"source_hidden": true}
# Computed: the largest move of a rank quality over all pairs of small datasets
few = np.arange(5)
pairs = [
    (a, (*a, x))
    for n in range(1, 5)
    for a in combinations_with_replacement(few, n)
    for x in few
]
for p in (0.1, 0.25, 0.5, 0.75):
    largest = max(
        np.abs(quantile_quality(b, p, few) - quantile_quality(a, p, few)).max()
        for a, b in pairs
    )
    print(
        f"p = {p:<4}  largest move of a quality {largest:.2f}   max(p, 1 - p) = "
        f"{max(p, 1 - p):.2f}"
    )
    assert np.isclose(largest, max(p, 1 - p))

change = median_quality(np.append(ages, 20), domain) - median_quality(ages, domain)
print(
    f"one more voter, aged 20: {(change > 0).sum()} candidates gain, {(change < 0).sum()} lose"
)

# %% jupyter={"source_hidden": true}
# Figure: quantile_quality(ages, p, domain), its selection_probabilities, and one draw
label = "quality: minus\nranks missed"
rank = Lottery(median_quality(ages, domain), label, (-920, 150), fill=False)


def update(epsilon, p, log_scale, seed):
    quality, step = quantile_quality(ages, p, domain), max(p, 1 - p)
    truth = np.quantile(ages, p, method="inverted_cdf")
    drawn = domain[exponential_mechanism(quality, step, epsilon, np.random.default_rng(seed))]
    set_steps(rank.scores, quality)
    logs, without = (
        log_selection_probabilities(quantile_quality(people, p, domain), step, epsilon)
        for people in (ages, np.delete(ages, YOU))
    )
    rank.show(drawn, logs, without, epsilon, log_scale)
    error, chances = np.abs(domain - truth), np.exp(logs)
    near = percent(min(chances[error <= 1].sum(), 1 - 1e-11))  # never sure
    mean = amount(chances @ error, 2)
    set_verdict_text(rank.said, None, f"{near}% of the draws miss by at most one year")
    return (
        f"true {p:.2f}-quantile: age {truth}; drawn: age {drawn}. Mean error {mean} "
        f"year{'' if mean == '1' else 's'}; probability of being within one year {near}%."
    )


question = "At epsilon 0.01, how far off is the drawn median on average?"
live(
    rank.fig,
    update,
    "Left, the quality of each age as the chosen quantile, a peak at the true one. Middle, "
    "the probability that each age is drawn: a peak around the true quantile, narrower as "
    "epsilon grows. Right, how much of epsilon your own record uses up.",
    task=r"set $\varepsilon$ to 0.01, which hides each voter very well, and read the mean "
    "error below the picture. Then switch *log scale* on: now the middle picture is the left "
    r"one, stretched by $\varepsilon$.",
    guess=predict(question, (0, 20, " years"), r"Mean error ([\d.]+)", epsilon=0.01),
    epsilon=log_slider(0.001, 10, 0.1),
    p=slider(0.05, 0.95, 0.5, 0.05),
    log_scale=switch(False),
    seed=new_noise(1, label="New draw"),
)

# %% [markdown]
# [Move p to 0.05](#move:p=0.05): the peak widens, since $\Delta$ grows from 0.5 to 0.95. [At 0.95](#move:p=0.95) it is
# wider still, since few voters have ages near that quantile.
#
# ### Quartiles and their distance
#
# The quartiles are the quantiles at 1/4 and 3/4, and their distance is the interquartile range, IQR. Two quantiles
# are two releases: each may spend half of $\varepsilon$.


# %%
def private_iqr(values, domain, budget, epsilon, rng):
    """Two quartiles, each for half of epsilon; their difference costs nothing more."""
    budget.spend(epsilon / 2, "lower quartile")
    lower = private_quantile(values, 0.25, domain, epsilon / 2, rng)
    budget.spend(epsilon / 2, "upper quartile")
    upper = private_quantile(values, 0.75, domain, epsilon / 2, rng)
    return lower, upper, upper - lower


qualities = [quantile_quality(ages, p, domain) for p in (0.25, 0.75)]
true_quartiles = np.quantile(ages, [0.25, 0.75], method="inverted_cdf")
print(
    f"true quartiles {true_quartiles[0]} and {true_quartiles[1]}, IQR "
    f"{np.ptp(true_quartiles)} years"
)
for epsilon in (0.001, 0.01, 0.1, 1.0):
    lower, upper, iqr = private_iqr(
        ages, domain, Budget(epsilon), epsilon, np.random.default_rng(2)
    )
    lowers, uppers = (selection_probabilities(q, 0.75, epsilon / 2) for q in qualities)
    crossed = lowers @ (np.cumsum(uppers) - uppers)  # upper drawn below lower: exact
    print(
        f"epsilon {epsilon:<5}: quartiles {lower:>3.0f} and {upper:>3.0f}, IQR {iqr:>3.0f} "
        f"years; IQR below 0: {crossed:.0%} of the time"
    )

# %% [markdown]
# A negative IQR is a sign that the release was mostly chance.
#
# ### Values on a fine scale
#
# Here the textbook proposes to draw a *range* by its ranks, then a random point in it. The disease index of the health
# insurance experiment runs from 0 to 100. (The guarantee protects a record, one person in one year.)

# %% jupyter={"source_hidden": true}
# Computed: the quartiles of a disease index by random ranges, at three epsilons
disease = data.health_insurance()["disea"].values
ranges = np.linspace(0, 100, 201)
print(f"true quartiles  {np.quantile(disease, 0.25):.2f} and {np.quantile(disease, 0.75):.2f}")
rng = np.random.default_rng(3)
for epsilon in (0.001, 0.01, 0.1):
    quartiles = [
        private_quantile_in_ranges(disease, p, ranges, epsilon / 2, rng) for p in (0.25, 0.75)
    ]
    print(f"epsilon {epsilon:<5}:  {quartiles[0]:.2f} and {quartiles[1]:.2f}")

# %% [markdown]
# ## Error against epsilon, and against the alternatives
#
# There are three private ways to a quantile:
#
# - the **exponential mechanism** on ranks (exact mean error);
# - **Laplace noise** on the quantile itself, for a sensitivity of the whole range, moved back into the range (exact);
# - a **noisy histogram**: Laplace noise on every count, then the candidate whose noisy ranks fit best (100 runs).

# %%
columns = {
    "ages (944 voters)": voters["age"],
    "visits (20,190 records)": data.health_insurance()["mdvis"],
}
unit_noise = laplace_mechanism(np.zeros((100, 366)), 1, 1, np.random.default_rng(5))
noise_sums = np.cumsum(unit_noise, axis=1)
grid = np.geomspace(1e-3, 10, 33)


def histogram_quantile(counts, p, epsilon):
    """The index of the p-quantile in each of 100 noisy histograms: the one whose ranks hold
    the target best.
    """
    up_to = np.cumsum(counts) + noise_sums[:, : counts.size] / epsilon
    below = up_to - counts - unit_noise[:, : counts.size] / epsilon
    target = p * up_to[:, -1:]
    return np.minimum(target - below, up_to - target).argmax(axis=1)


def quantile_errors(column, p):
    """Mean error of each way to the p-quantile, as functions of epsilon."""
    values, (low, high) = column.values, column.bounds
    candidates = np.arange(low, high + 1)
    distance = np.abs(candidates - np.quantile(values, p, method="inverted_cdf"))
    quality, counts = quantile_quality(values, p, candidates), mode_quality(values, candidates)
    return {
        "exponential mechanism": lambda e: (
            selection_probabilities(quality, max(p, 1 - p), e) @ distance
        ),
        "noisy histogram": lambda e: distance[histogram_quantile(counts, p, e)].mean(),
        "Laplace on the quantile": lambda e: laplace_error(
            candidates[distance.argmin()], low, high, (high - low) / e
        ),
    }


# %% jupyter={"source_hidden": true}
# Figure: quantile_errors(column, p) at every epsilon: two exact means, one of 100 runs
fig, ax = figure(height=3.8)
ways = list(quantile_errors(voters["age"], 0.5))
looks = dict(zip(ways, ("noisy", "third -.", "other --"), strict=True))
lines = curves(ax, grid, looks)
now = ax.axvline(0.1, color=COLOURS.grey, linewidth=1)
x_axis(ax, "ε (log scale)", (1e-3, 10), [0.001, 0.01, 0.1, 1, 10], log=True)
ticks = [0.001, 0.01, 0.1, 1, 10, 100, 1_000]
y_axis(ax, "mean error\n(years or visits, log scale)", (1e-3, 1e3), ticks, log=True)
quantile_told = verdict_text(ax)
legend_above(fig, 3)


def update(column, p, epsilon):
    errors = quantile_errors(columns[column], p)
    set_curves(lines, [[max(error(e), 1e-4) for e in grid] for error in errors.values()])
    now.set_xdata([epsilon] * 2)
    words = {
        name: f"{error(epsilon):.3g}" if error(epsilon) >= 1e-4 else "under 0.0001"
        for name, error in errors.items()
    }
    first, last, unit = words[ways[0]], words[ways[-1]], columns[column].unit
    set_verdict_text(
        quantile_told, None, f"exponential errs by {first} {unit}, Laplace by {last}"
    )
    told = ", ".join(f"{name} {word}" for name, word in words.items())
    return f"mean error at ε = {epsilon:.3g}, in {unit}: {told}."


live(
    fig,
    update,
    "Mean error of a private quantile against epsilon, both on log scales, for three "
    "mechanisms: the exponential mechanism mostly lowest, the noisy histogram next, Laplace "
    "noise on the quantile far above both, but for the smallest epsilons.",
    task=r"compare the three at $\varepsilon = 0.1$ for the ages, then for the visits, which "
    "have twenty times as many records. Which lines profit from more records?",
    column=choice(list(columns), "ages (944 voters)", label="data"),
    p=slider(0.05, 0.95, 0.5, 0.05),
    epsilon=log_slider(0.001, 10, 0.1),
)

# %% [markdown]
# More records help the first two, as ranks grow denser; Laplace noise on the value ignores them.
#
# ### Many quantiles at once
#
# For $k$ quantiles, $k$ separate draws divide the budget by $k$. *Halving* divides it less. Draw the median; cut the
# records at the released value; draw the medians of the two parts; and so on. The parts are disjoint, so each level
# costs no more than one draw (parallel composition, Theorem 2.8). So $l$ levels divide the budget by $l$, and give
# $2^l - 1$ quantiles. A noisy histogram gives all at once. How far off is the worst of $k$ evenly spaced quantiles?


# %%
def halved(values, levels, epsilon, rng, low=domain[0], high=domain[-1]):
    """2^levels - 1 quantiles for levels x epsilon (add/remove): the median,
    between those of the two parts.
    """
    if levels == 0:
        return []
    within = np.arange(low, high + 1)
    score = median_quality(values, within) if values.size else np.zeros(within.size)
    cut = within[exponential_mechanism(score, 0.5, epsilon, rng)]
    left, right = values[values <= cut], values[values > cut]
    below = halved(left, levels - 1, epsilon, rng, low, cut)
    above = halved(right, levels - 1, epsilon, rng, cut, high)
    return [*below, cut, *above]


# %%
def ranks_missed(epsilon, levels, values=ages, domain=domain):
    """Mean miss of the worst of the quantiles: separate draws (exact), halving
    (60 runs), a histogram (100 runs).
    """
    k, counts = 2**levels - 1, mode_quality(values, domain)
    scores = {p: quantile_quality(values, p, domain) for p in np.arange(1, k + 1) / (k + 1)}
    separate = [
        -selection_probabilities(score, max(p, 1 - p), epsilon / k) @ score
        for p, score in scores.items()
    ]
    rngs = [np.random.default_rng([7, run]) for run in range(60)]
    each, ends = epsilon / levels, (domain[0], domain[-1])
    runs = np.array([halved(values, levels, each, rng, *ends) for rng in rngs])
    halving = [
        -score[drawn - domain[0]].mean()
        for drawn, score in zip(runs.T, scores.values(), strict=True)
    ]
    counted = [
        -score[histogram_quantile(counts, p, epsilon)].mean() for p, score in scores.items()
    ]
    return max(separate), max(halving), max(counted)


# %% jupyter={"source_hidden": true}
# Figure: halved(ages, levels, epsilon / levels, rng), and ranks_missed(epsilon, 1 to 5)
fig, (cut_ax, miss_ax) = figure(columns=2, height=3.4)
(cuts,) = cut_ax.plot([], [], color=COLOURS.noisy, linewidth=1.5)
(true_ticks,) = cut_ax.plot([], [], "|", color=COLOURS.true, markersize=13)
x_axis(cut_ax, "age (years)", (domain[0], domain[-1]))
ticks = {level: f"level {level}" for level in range(1, 6)}
y_axis(cut_ax, None, (6.6, 0.4), ticks | {6: "true"})
numbers = [1, 3, 7, 15, 31]
looks = {"separate draws": "other --", "halving": "noisy", "one histogram": "third -."}
miss_lines = curves(miss_ax, numbers, looks)
here = own_point(miss_ax, marker="s", colour=COLOURS.amber)
MISSED = {
    each: np.abs([ranks_missed(each, depth) for depth in range(1, 6)])
    for each in (0.03, 0.1, 0.3, 1.0)
}
x_axis(miss_ax, "number of quantiles", (0.9, 36), numbers, log=True)
y_axis(miss_ax, "mean ranks missed by the worst", (1, 1_000), [1, 10, 100, 1_000], log=True)
halving_told = verdict_text(cut_ax)
legend_above(fig, 3)


def halve(levels, epsilon, seed):
    drawn = halved(ages, levels, epsilon / levels, np.random.default_rng([7, seed]))
    place = np.arange(1, len(drawn) + 1)
    level = levels - np.log2(place & -place)  # the last cut of all is the lowest
    gaps = np.full(place.size, np.nan)
    cuts.set_data(
        np.column_stack([drawn, drawn, gaps]).ravel(),
        np.column_stack([level - 0.5, np.full(place.size, 5.5), gaps]).ravel(),
    )
    truth = np.quantile(ages, place / (place.size + 1), method="inverted_cdf")
    true_ticks.set_data(truth, np.full(place.size, 6))
    set_curves(miss_lines, np.maximum(MISSED[epsilon], 0.01).T)
    apart, split, counted = MISSED[epsilon][levels - 1]
    set_own_point(here, place.size, split)
    who = f"{place.size} quantiles: the worst" if levels > 1 else "the median"
    missed = f"{split:.0f} rank{'' if round(split) == 1 else 's'}"
    set_verdict_text(halving_told, None, f"{who} misses {missed} on average")
    return (
        f"{who} misses, of {ages.size} ranks, {split:.1f} by halving, "
        f"{apart:.1f} in separate draws, {counted:.1f} from one histogram."
    )


question = (
    "At epsilon 0.1, how many ranks does the worst of 31 separate draws miss on average?"
)
live(
    fig,
    halve,
    "Left, lines at the drawn ages, each from the level that drew it downwards, above marks "
    "at the true quantiles. Right, the ranks missed by the worst quantile against the number "
    "of quantiles: separate draws rise fastest, halving slower, one histogram hardly.",
    task="press *play*: each level cuts every part once more, and has less of "
    r"$\varepsilon$ for it. From how many quantiles on is the histogram better?",
    play="levels",
    guess=predict(question, (0, 944, " ranks"), r"([\d.]+) in", levels=5, epsilon=0.1),
    levels=slider(1, 5, 3),
    epsilon=choice(list(MISSED), 0.1),
    seed=new_noise(1, label="New draws"),
)

# %% [markdown]
# At $\varepsilon = 0.1$ halving is best [up to 7 quantiles](#move:levels=3&epsilon=0.1), one histogram [for
# 31](#move:levels=5&epsilon=0.1); at 15 they are alike.
#
# ## Laplace noise as an exponential mechanism
#
# Take a number $f(D)$ and the quality $-|f(D) - o|$. Its sensitivity is that of $f$, and the exponential mechanism
# draws $o$ with weight $\exp(-\varepsilon |f(D) - o| / 2\Delta)$. Such a draw has Laplace noise, but of *twice* the
# scale. The general proof reserves half of $\varepsilon$ for the sum of the weights, but here that sum hardly changes.

# %% jupyter={"source_hidden": true}
# Figure: selection_probabilities(quality, 1, epsilon), Laplace's weights, and the exact loss
outputs, daily = np.arange(0, 945), int(np.sum(voters["TVnews"].values == 7))
near = slice(daily - 60, daily + 61)
fig, ax = figure(height=3.4)
edges, flat = np.append(outputs[near], daily + 61) - 0.5, np.full(121, 0.01)
wide = steps(ax, flat, COLOURS.noisy, "exponential mechanism", edges)
narrow = steps(ax, flat, COLOURS.other, "Laplace's weights", edges)
ax.axvline(daily, color=COLOURS.true, linewidth=1, linestyle=":", label="true count")
label = "released count (voters who watch television news 7 times a week)"
x_axis(ax, label, (daily - 60, daily + 60))
ticks = {1e-5: "0.00001", 1e-3: "0.001", 0.1: "0.1"}
y_axis(ax, "probability (log scale)", (1e-6, 2), ticks, log=True)
used_up = verdict_text(ax)
legend_above(fig, 3)


def update(epsilon):
    quality, neighbour = -np.abs(outputs - daily), -np.abs(outputs - daily - 1)
    general, laplace = (
        selection_probabilities(quality, 1, epsilon, monotonic=m) for m in (False, True)
    )
    set_steps(wide, general[near])
    set_steps(narrow, laplace[near])
    lost = privacy_loss(quality, neighbour, 1, epsilon)
    told = f"the exponential mechanism uses {lost / epsilon:.0%} of epsilon"
    set_verdict_text(used_up, None, told)
    return (
        f"mean error {-general @ quality:.2f} voters, {-laplace @ quality:.2f} with "
        f"Laplace's weights; exact loss of the exponential mechanism {lost:.3f}, guaranteed "
        f"{epsilon:.3g}."
    )


live(
    fig,
    update,
    "Two tents around the true count of voters with daily television news, on a log scale: "
    "the exponential mechanism's is twice as wide as the one with Laplace's weights.",
    task=r"move $\varepsilon$ and compare the two mean errors. How much of epsilon does "
    r"the exponential mechanism use up?",
    epsilon=log_slider(0.05, 5, 0.5),
)

# %% [markdown]
# Here is a trap. May you take Laplace's weights, restrict them to a range of outputs, and scale them to sum to one?
# No: near the end of the range their sum *does* change, and the loss exceeds $\varepsilon$. Moving noisy numbers to
# the end of the range (clamping) is free; scaling up what is left inside is not.

# %% jupyter={"source_hidden": true}
# Computed: the loss of both weights at the end of the range
at_the_end, next_to_it = -np.abs(outputs - 0), -np.abs(outputs - 1)
print(
    "Laplace's weights, true counts 0 and 1: loss "
    f"{privacy_loss(at_the_end, next_to_it, 1, 1, monotonic=True):.3f}"
)
print(
    "general weights:                        loss "
    f"{privacy_loss(at_the_end, next_to_it, 1, 1):.3f}, for epsilon 1"
)

# %% [markdown]
# ## Many poor candidates drown the best one
#
# One of $m$ candidates leads all of the others by the same number of records. How large a lead does it need?

# %% jupyter={"source_hidden": true}
# Figure: the chance of the leader among m candidates: 1 / (1 + (m - 1) e^(-epsilon lead))
sizes = np.geomspace(2, 1e6, 200)
fig, ax = figure(height=3.4)
drowning = curves(ax, sizes, {"general": "noisy", "monotonic": "other --"})
ages_line = {"color": "#555555", "linewidth": 1.2, "linestyle": ":"}
ax.axvline(domain.size, label="ages 18 to 120", **ages_line)
ticks = {10: "10", 100: "100", 1e3: "1,000", 1e4: "10,000", 1e5: "100,000", 1e6: "1 million"}
x_axis(ax, "number of candidates (log scale)", (2, 1e6), ticks, log=True)
y_axis(ax, "probability of the best", (0, 1.02))
drowning_told = verdict_text(ax)
legend_above(fig, 3)


def update(epsilon, lead):
    def chance(size):
        return [1 / (1 + (size - 1) * np.exp(-epsilon * lead / factor)) for factor in (2, 1)]

    set_curves(drowning, chance(sizes))
    general, monotonic = (
        "over 99.9" if each > 0.999 else percent(each) for each in chance(domain.size)
    )
    told = f"the best of {domain.size} ages: {general}%, monotonic {monotonic}%"
    set_verdict_text(drowning_told, None, told)
    need = np.log(1e6 - 1) / epsilon
    return (
        f"even odds among a million candidates need a lead of {need:.1f} records "
        f"(monotonic), {2 * need:.1f} (general)."
    )


question = "At epsilon 0.1, how large a lead gives even odds among a million candidates?"
live(
    fig,
    update,
    "Probability that the best candidate is drawn against the number of candidates, when all "
    "others share a lower quality: it falls from near one towards nothing, the later the "
    "larger epsilon and the lead are, and the monotonic line later than the general one.",
    task=r"with a lead of 10 and $\varepsilon = 1$, follow the lines to a million candidates. "
    "Then raise the lead until both are near the top again.",
    guess=predict(question, (1, 1_000, " records"), r"lead of ([\d.]+)", epsilon=0.1),
    epsilon=log_slider(0.1, 10, 1.0),
    lead=slider(1, 100, 10, label="lead (records)"),
)

# %% [markdown]
# With a lead of $k$ records, the best is $e^{\varepsilon k}$ times as likely as each of the others (monotonic). But
# there are $m - 1$ of them. So it wins at least half of the time only if
#
# $$k \;\ge\; \frac{\ln(m - 1)}{\varepsilon} .$$
#
# [With a lead of 100](#move:lead=100&epsilon=1) even a million candidates do not drown the best one. How bad can the
# draw be in general?
#
# > **Theorem 4.5 (utility; McSherry and Talwar, 2007).** Let $\mathrm{OPT}$ be the best quality among $m$ candidates.
# > For every $t > 0$ the candidate drawn has a quality of at most $\mathrm{OPT} - \frac{2\Delta}{\varepsilon}(\ln m +
# > t)$ with probability at most $e^{-t}$. (With monotonic weights the 2 goes.)
#
# <details><summary>Proof: bad candidates are each so unlikely that even all of them together are.</summary>
#
# Each such candidate has at most $e^{-(\ln m + t)} = e^{-t}/m$ times the weight of the best, and there are fewer than
# $m$. $\square$ Such theorems hold for the worst data, and may be far too pessimistic for real ones. (The textbook,
# section 1.2, has examples: frequent itemsets, and MWEM, [13](13_marginals.ipynb).) So this book measures as well.
#
# </details>
#
# How often must the mode of a million values appear, so that it is drawn, *or a value that appears similarly
# frequently*? More than $c \ln(1{,}000{,}000)/\varepsilon$ times, says the textbook (Example 2.20), with $c$ "perhaps
# around 5". By Theorem 4.5 with $t = \ln m$, "similarly frequently" is at least $(c - 2)/c$ times as often. The table
# tries both extremes: all other values never appear, or all appear just so often.

# %% jupyter={"source_hidden": true}
# Computed: how likely a wrong mode is in two extreme cases, at epsilon 1
wrong = {}
for c in (1, 2, 3, 5):
    top, similar = c * np.log(1e6), max(c - 2, 0) * np.log(1e6)
    cases = (np.append(top, np.full(999_999, rest)) for rest in (0, similar))
    chances = [selection_probabilities(q, 1, 1, monotonic=True)[1:].sum() for q in cases]
    wrong[f"c = {c}"] = [f"{chances[0]:.0e}", f"{similar / top:.0%}", f"{chances[1]:.0e}"]
names = ["not the mode, the others never appear", "similarly often", "not the mode then"]
pd.DataFrame(wrong, index=names).T

# %% [markdown]
# And how likely is it that somebody has the age that is drawn, among 103 ages and among a million numbers?

# %% jupyter={"source_hidden": true}
# Computed: how likely the age of a real voter is, among few candidates and among many
million = np.zeros(1_000_000)
million[domain] = counts
for epsilon in (0.1, 0.3, 0.5, 1.0):
    among = [
        selection_probabilities(q, 1, epsilon, monotonic=True)[q > 0].sum()
        for q in (counts, million)
    ]
    print(
        f"epsilon {epsilon}: an age that somebody has: {percent(among[0])}% of 103 ages, "
        f"{percent(among[1])}% of a million"
    )

# %% [markdown]
# ### The same by adding noise: report noisy max
#
# Add noise to every quality and publish only *which* candidate comes out highest. With Gumbel noise of scale
# $2\Delta/\varepsilon$ this *is* the exponential mechanism. With Laplace noise of the same scale it is private too
# (*report noisy max*, Dwork and Roth, 2014). With exponential noise (*permute-and-flip*, McKenna and Sheldon, 2020)
# the mean quality is never worse than with the exponential mechanism. Counts are monotonic, so half of that scale
# suffices. How many fewer voters has the age drawn than the best age (means of 10,000 draws)?


# %%
def noisy_max(noise, epsilon):
    """10,000 draws of the candidate whose count plus noise is highest, in the monotonic case:
    noise of scale 1/epsilon.
    """
    rng = np.random.default_rng(8)
    draw = getattr(rng, noise)  # rng.gumbel, rng.laplace or rng.exponential
    noisy = counts + draw(scale=1 / epsilon, size=(10_000, counts.size))
    return noisy.argmax(axis=1)


# %% jupyter={"source_hidden": true}
# Computed: how far below the best the draw is, exactly and with three kinds of noise
below_best = {}
for epsilon in (0.1, 0.3, 1.0):
    exact_draw = selection_probabilities(counts, 1, epsilon, monotonic=True) @ (
        counts.max() - counts
    )
    drawn = [
        np.mean(counts.max() - counts[noisy_max(noise, epsilon)])
        for noise in ("gumbel", "laplace", "exponential")
    ]
    below_best[f"epsilon {epsilon}"] = [exact_draw, *drawn]
names = [
    "exponential mechanism, exact",
    "with Gumbel noise",
    "with Laplace noise",
    "permute and flip",
]
pd.DataFrame(below_best, index=names).round(2)

# %% [markdown]
# A narrow domain often helps more than a clever quality. But it must be *public*: see the last row below.
#
# ## Where it breaks
#
# Each row is one release on a bad pair of neighbours, and the bar is the **exact** privacy loss: the largest log-ratio
# over all candidates. With $m$ candidates, the whole numbers from 0 to $m - 1$, the pairs are:
#
# - *mode* and *median*: the dataset {1}, and the same with $m - 1$ joining;
# - *quartile*: {1, 1, 1}, and the same with $m - 1$ joining;
# - *replaced*: 944 records at 1, of which one changes to $m - 1$;
# - *domain from the data*: {1} and {1, $m - 1$}, where only values that somebody has are candidates.


# %%
def losses(epsilon, m):
    """The exact loss of each claim on its pair of neighbours."""
    few, last = np.arange(m), m - 1
    one, two = [1], [1, last]
    mode = mode_quality(one, few), mode_quality(two, few)
    median = median_quality(one, few), median_quality(two, few)
    quartile = (
        quantile_quality([1] * 3, 0.75, few),
        quantile_quality([1] * 3 + [last], 0.75, few),
    )
    replaced = mode_quality([1] * 944, few), mode_quality([1] * 943 + [last], few)
    return [
        privacy_loss(*mode, 1, epsilon, monotonic=True),
        privacy_loss(*median, 0.5, epsilon),
        privacy_loss(*median, 0.5, epsilon, monotonic=True),
        privacy_loss(*quartile, 0.75, epsilon),
        privacy_loss(*quartile, 0.5, epsilon),
        privacy_loss(*replaced, 1, epsilon, monotonic=True),
        np.inf,  # a candidate that only the second dataset has
    ]


# %% jupyter={"source_hidden": true}
# Figure: losses(epsilon, m), against the claimed epsilon
claims = ["mode, monotonic weights", "median, general weights", "median, monotonic weights"]
claims += [
    "upper quartile, Δ = 3/4",
    "upper quartile, Δ = 1/2",
    "mode, one record replaced",
    "mode, domain from the data",
]
fig, ax = figure(height=3.8)
bars = meter(ax, claims, most=3, unit="exact privacy loss / ε (dashed: the claim)")
claims_told = verdict_text(ax)


def update(epsilon, m):
    found = losses(epsilon, m)
    set_meter(bars, np.array(found) / epsilon, 1)
    broken = sum(exceeds(loss, epsilon) for loss in found)
    set_verdict_text(claims_told, None, f"{broken} of {len(found)} claims are broken")
    return (
        f"claimed ε = {epsilon:.2f}; the privacy loss of the median with monotonic weights is "
        f"{found[2] / epsilon:.3f} times that."
    )


live(
    fig,
    update,
    "Seven bars of exact privacy loss in units of the claimed epsilon: the mode with "
    "monotonic weights, the median with general weights and the quartile with its right "
    "sensitivity stay within it; the others break it, the quartile with 1/2 not always.",
    task=r"at $\varepsilon = 0.1$ take the candidates from 4 to 1,000. Which broken row looks "
    "sound at first?",
    epsilon=slider(0.1, 3.0, 1.0, 0.1, label="claimed epsilon"),
    m=choice([4, 6, 10, 30, 103, 300, 1000], 103, label="candidates"),
)

# %% [markdown]
# ### Your own data will not reveal it
#
# Use the wrong, monotonic weights for the median of the 944 voters. Compute the exact loss for *every* voter who
# might leave and every age that might join:

# %% jupyter={"source_hidden": true}
# Computed: the worst loss over all neighbours of the real data
quality = median_quality(ages, domain)
changed = [np.append(ages, x) for x in domain] + [np.delete(ages, i) for i in range(ages.size)]
scores = [median_quality(values, domain) for values in changed]
for epsilon in (0.1, 1.0):
    worst = max(privacy_loss(quality, other, 0.5, epsilon, monotonic=True) for other in scores)
    print(
        f"epsilon {epsilon}: {len(scores):,} neighbours of the real data, worst loss "
        f"{worst:.3f}"
    )

# %% [markdown]
# Around this dataset the loss of the wrong weights is hardly more than $\varepsilon$, and they look innocent. The
# guarantee is for all datasets, and for the pair in the figure the loss is nearly twice as large.
#
# ### Under replace, everything here costs more
#
# Replacing a record removes one and adds one: the loss is at most $2\varepsilon$. For the $p$-quantile the limit is
# $\varepsilon / \max(p, 1 - p)$, since the sensitivity is 1 under replace. So it is twice $\varepsilon$ for the median,
# and a third more than $\varepsilon$ for a quartile. Two pairs come close:

# %% jupyter={"source_hidden": true}
# Computed: the loss of a median and of a quartile when a record is replaced
crowd = np.concatenate([[0, 0.7], np.linspace(1, 4, 4_000), [5]])
replaced = {0.5: ([0.5, 0.9], [0.9, 4.5]), 0.75: ([0.5, 0.9, 0.9, 0.9], [0.9, 0.9, 0.9, 4.5])}
for p, pair in replaced.items():
    loss = privacy_loss(
        *(quantile_quality(values, p, crowd) for values in pair), max(p, 1 - p), 1
    )
    print(
        f"p = {p:<4}  loss {loss:.4f} when one record is replaced, limit "
        f"{1 / max(p, 1 - p):.4f}, epsilon 1"
    )

# %% [markdown]
# ### Is every private mechanism an exponential mechanism?
#
# The textbook asks this (section 2.4.4), and guesses no. The guess is right (erratum [E05](22_errata.ipynb#E05)).
#
# <details><summary>The reason: the losses of all outputs span at most epsilon in an exponential mechanism, and twice that in randomized response.</summary>
#
# > **Definition 4.6 (bounded range; Durfee and Rogers, 2019).** For one pair of neighbours take the loss $\ln(p(o) /
# > p'(o))$ of every output; its *span* is largest minus smallest. A mechanism has $\varepsilon$-bounded range if no
# > pair has a span above $\varepsilon$.
#
# In the exponential mechanism the sums of weights cancel in the span, which leaves at most $\varepsilon$. Conversely,
# every mechanism with $\varepsilon$-bounded range is an exponential mechanism in the wider sense of task 6: the
# quality is the log of its probabilities. Randomized response reports a bit truthfully with odds $e^\varepsilon$ and
# has a span of $2\varepsilon$, so it is none. With its log-probabilities as the quality ($\Delta = \varepsilon$),
# Definition 4.1 gives randomized response with $\varepsilon / 2$ only.
#
# Bounded range pays when many draws are made. In the zCDP account of [25](25_accounting.ipynb) an $\varepsilon$-DP
# mechanism counts as $\varepsilon^2/2$, one with $\varepsilon$-bounded range as $\varepsilon^2/8$, a quarter. (Cesar
# and Rogers, 2021; for the exact sum, Dong, Durfee and Rogers, 2020.)
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: the span of 2,000 exponential mechanisms, and of randomized response
rng, epsilon, spans = np.random.default_rng(6), 1.0, []
for _ in range(2_000):
    quality = rng.normal(scale=3, size=4)
    pair = [
        log_selection_probabilities(q, 1, epsilon)
        for q in (quality, quality + rng.choice([-1, 1], 4))
    ]
    spans.append(np.ptp(pair[0] - pair[1]))
truthful = np.log(np.array([np.exp(epsilon), 1]) / (1 + np.exp(epsilon)))
print(f"span: exponential mechanism, 2,000 random pairs: at most {max(spans):.3f}")
print(f"span: randomized response: {np.ptp(truthful - truthful[::-1]):.3f}")
again = selection_probabilities(truthful, epsilon, epsilon)
print(
    f"odds of the truth: {np.exp(truthful[0] - truthful[1]):.3f}; with its logs as a quality "
    f"{again[0] / again[1]:.3f}"
)

# %% [markdown]
# ### Three slips that are easily made
#
# (For the second the textbook has the right 1/2, and leaves the weights to its reader. For the third it names no
# sensitivity: erratum [E06](22_errata.ipynb#E06).)
#
# 1. A value that thousands of records have owns thousands of ranks. If you give it only two, $n_{<x}$ and the next,
#    another value wins.
# 2. The weight of a median candidate is $\exp(\varepsilon q)$. With 1 for $\Delta$ it is $\exp(\varepsilon q / 2)$, and
#    half of the budget is wasted.
# 3. Other quantiles have the sensitivity $\max(p, 1 - p)$. With the median's 1/2 a quartile breaks its guarantee.

# %% jupyter={"source_hidden": true}
# Computed: what each of the three slips costs
visits, visit_domain = columns["visits (20,190 records)"].values, np.arange(366)
below, target = np.searchsorted(np.sort(visits), visit_domain), visits.size / 2
misread = np.minimum(0, np.minimum(target - below, below + 1 - target))
right = median_quality(visits, visit_domain)
print(
    f"1. best with all its ranks: {visit_domain[right.argmax()]} visit; with two: "
    f"{visit_domain[misread.argmax()]} visits"
)
print(
    f"   quality of the true median, {np.median(visits):.0f} visit: {right[1]:.0f}; with two "
    f"ranks {misread[1]:,.0f}"
)
one, two = median_quality([1], np.arange(1000)), median_quality([1, 999], np.arange(1000))
loss, wasteful = privacy_loss(one, two, 0.5, 1), privacy_loss(one, two, 1, 1)
print(
    f"2. median, loss at epsilon 1: {loss:.3f} with exp(eps q); {wasteful:.3f} with exp(eps "
    "q / 2)"
)
print(
    f"3. quartile, loss at epsilon 1: {losses(1.0, 1000)[3]:.3f} with 3/4; "
    f"{losses(1.0, 1000)[4]:.3f} with 1/2"
)

# %% [markdown]
# ### Two traps in practice
#
# **Values outside the domain.** For a quantile they count with their rank, and no record is lost. For the mode they
# would count for no candidate, so `private_mode` refuses them.
#
# **Floating point.** Without the shift of the exponents, weights at $\varepsilon = 1$ overflow from a count of 1,420 on.
# With it, tiny weights become 0 and are never drawn, though on paper they could be. So leave real releases to other
# libraries.

# %% jupyter={"source_hidden": true}
# Computed: values outside the domain, and weights without the shift
print(
    "quality of 18, 30, 120 as the median of 5, 30, 300:",
    median_quality([5, 30, 300], [18, 30, 120]),
)
try:
    private_mode([5, 30, 30], domain, 1, np.random.default_rng(1))
except ValueError as error:
    print(f"ValueError: {error}")
quality = np.array([1e6, 999_990.0, 0.0])
with np.errstate(over="ignore", invalid="ignore"):
    print("naive:  ", np.exp(quality / 2) / np.exp(quality / 2).sum())
    print("weights of the counts 1,419 and 1,420:", np.exp(np.array([1_419, 1_420]) / 2))
print("shifted:", np.round(selection_probabilities(quality, 1, 1), 4))
print("log of the last one:", round(log_selection_probabilities(quality, 1, 1)[-1]))

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/04_exponential](../exercises/answers/04_exponential.ipynb).
#
# **Assignment 04:** [five tasks, checked in a second](../exercises/releases/04_exponential.ipynb).
#
# 1. *Warm-up.* In the first figure, find the smallest $\varepsilon$ at which age 35 is drawn more than half of
#    the time. Do it with *monotonic* on and off. What is the ratio of the two?
# 2. Draw the most common party answer from `party_counts` (7 candidates). Which $\varepsilon$ makes the right answer
#    nine times out of ten? Why is it so much smaller than for the ages?
# 3. In the error figure, compare the 0.95-quantile of the visits with their median. Which part of the difference comes
#    from $\Delta$, which from the thin tail?
# 4. Write a quality for "the age from which the next ten years hold the most voters": one number for each start. When
#    one voter joins, which of the numbers change, and by how much? So what is the sensitivity, and may *monotonic* be
#    on? Draw at $\varepsilon = 0.01$, 0.1 and 1. Which is the first with a window within ten voters of the best in
#    most draws?
# 5. Try all datasets of up to three records out of four candidates. Which pairs have the largest loss for the
#    median with monotonic weights, and why does it stay below $2\varepsilon$?
# 6. *Challenge.* Let the changes of *all* qualities between neighbours lie in one interval of length $\Delta$,
#    monotonic or not (the condition of bounded range). Show that then no 2 is needed. Try it with `privacy_loss(...,
#    monotonic=True)` on random qualities. What is the length of that interval for counts, and what for the median
#    (`quantile_quality` on all datasets of up to five records)? Which of the two gains anything?
#
# ## When to use it, and when not
#
# How much $\varepsilon$ buys a mean error of one year in the median age of the 944 voters?


# %%
def epsilon_for(error, most):
    """The epsilon at which a falling `error` reaches `most`, by halving an interval of
    logs.
    """
    low, high = -5.0, 5.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if error(10**middle) > most else (low, middle)
    return 10**high


# %% jupyter={"source_hidden": true}
# Computed: the epsilon at which each way has a mean error of one year; quantiles of the visits
for name, error in quantile_errors(voters["age"], 0.5).items():
    print(f"{name:>23}: epsilon {epsilon_for(error, 1):.3g}")
print("visits, ranks missed by the worst of 7 quantiles, mean:")
for epsilon in (0.1, 1.0):
    apart, split, _ = ranks_missed(epsilon, 3, visits, visit_domain)
    print(f"epsilon {epsilon}: {apart:.1f} in separate draws, {split:.0f} by halving")

# %% [markdown]
# **Use it** when the answer is a choice: a name, a rank, a threshold, a model. It also suits a number whose rank is
# steadier than its value. Narrow the candidates down to a public set that is not too large. Find a quality that each
# record moves little and that still tells good candidates from bad ones.
#
# **Use something else** when the answer is a count or a sum: Laplace noise is twice as accurate there. For more than a
# handful of quantiles halve as above, unless many records share a value (the visits). The parts are then unequal, and
# separate draws mostly miss less. For dozens, or a large $\varepsilon$, release one histogram
# ([08](08_histograms.ipynb)), if the candidates are not many thousands. If you ask which of many counts pass a
# threshold, compare it with the sparse vector technique ([14](14_svt.ipynb)).

# %% [markdown]
# ## Sources
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to Practice*, Morgan &
#   Claypool, 2016, [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018): section
#   2.4, Definition 2.17, Theorem 2.18, Corollary 2.19, Examples 2.20 and 2.21; section 8.1 on the median.
# - Frank McSherry, Kunal Talwar: *Mechanism design via differential privacy*, FOCS 2007,
#   [doi:10.1109/FOCS.2007.66](https://doi.org/10.1109/FOCS.2007.66): the mechanism and its utility.
# - Adam Smith: *Privacy-preserving statistical estimation with optimal convergence rates*, STOC 2011,
#   [doi:10.1145/1993636.1993743](https://doi.org/10.1145/1993636.1993743): quantiles whose candidates are the gaps
#   between the records.
# - Haim Kaplan, Shachar Schnapp, Uri Stemmer: *Differentially private approximate quantiles*, ICML 2022,
#   [arXiv:2110.05429](https://arxiv.org/abs/2110.05429): many quantiles by halving.
# - David Durfee, Ryan Rogers: *Practical differentially private top-k selection with pay-what-you-get composition*,
#   NeurIPS 2019, [arXiv:1905.04273](https://arxiv.org/abs/1905.04273); Jinshuo Dong, David Durfee, Ryan Rogers: *Optimal
#   differential privacy composition for exponential mechanisms*, ICML 2020,
#   [arXiv:1909.13830](https://arxiv.org/abs/1909.13830); Mark Cesar, Ryan Rogers: *Bounding, concentrating, and
#   truncating*, ALT 2021, [arXiv:2004.07223](https://arxiv.org/abs/2004.07223): bounded range.
# - Ryan McKenna, Daniel Sheldon: *Permute-and-flip*, NeurIPS 2020, [arXiv:2010.12603](https://arxiv.org/abs/2010.12603);
#   Zeyu Ding and others: *The permute-and-flip mechanism is identical to report-noisy-max with exponential noise*, 2021,
#   [arXiv:2105.07260](https://arxiv.org/abs/2105.07260).
# - Cynthia Dwork, Aaron Roth: *The Algorithmic Foundations of Differential Privacy*, 2014,
#   [doi:10.1561/0400000042](https://doi.org/10.1561/0400000042): report noisy max.
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [03 The Laplace mechanism](03_laplace.ipynb) · **Next:** [05 Averages, six ways](05_averages.ipynb)
