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
# # Answers to 04 The exponential mechanism
#
# A hint and a computed answer for each task "On your own" of the page. Try first; there is more than one good answer.

# %%
import math
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd

from dpbook import data
from dpbook.exponential import (
    exponential_mechanism,
    median_quality,
    mode_quality,
    privacy_loss,
    quantile_quality,
    selection_probabilities,
)

voters = data.election()
ages, (youngest, oldest) = voters["age"].values, voters["age"].bounds
domain = np.arange(youngest, oldest + 1)
counts = mode_quality(ages, domain)


def least_epsilon(quality, chance, monotonic):
    """The epsilon from which the best candidate is drawn with at least this chance."""
    low, high = 0.0, 1_000.0
    for _ in range(60):
        middle = (low + high) / 2
        reached = selection_probabilities(quality, 1, middle, monotonic).max() >= chance
        low, high = (low, middle) if reached else (middle, high)
    return high


# %% [markdown]
# ## 1. Age 35, more than half of the time
#
# *Hint.* The 2 stands beside $\varepsilon$ and nowhere else.

# %%
needed = {monotonic: least_epsilon(counts, 0.5, monotonic) for monotonic in (True, False)}
print(f"the most common age: {domain[counts.argmax()]}")
print(f"monotonic {needed[True]:.3f}, general {needed[False]:.3f},", end=" ")
print(f"ratio {needed[False] / needed[True]:.3f}")
for monotonic, steps in ((True, (0.35, 0.4)), (False, (0.7, 0.8))):
    chances = [selection_probabilities(counts, 1, each, monotonic).max() for each in steps]
    print(f"steps of the slider {steps}: chances {chances[0]:.1%} and {chances[1]:.1%}")

# %% [markdown]
# *Answer.* The numbers above; the ratio is 2. The chances with the 2 at $2\varepsilon$ are those without it at
# $\varepsilon$: the same weights, so the same lottery.
#
# ## 2. Parties
#
# *Hint.* Search for the $\varepsilon$. Then look at the *leads*: a candidate that is behind by $k$ records has
# $e^{-\varepsilon k}$ times the winner's weight. What counts is the sum of these weights.

# %%
parties = np.bincount(voters["PID"].values, minlength=7)
for name, quality in (("parties", parties), ("ages", counts)):
    behind = quality.max() - np.sort(quality)[::-1][1:]
    print(
        f"{name:<8} {quality.size:>3} candidates; the next three are behind by {behind[:3]}; "
        f"nine in ten at epsilon {least_epsilon(quality, 0.9, True):.3f} "
        f"(general weights {least_epsilon(quality, 0.9, False):.3f})"
    )
one_rival = {lead: math.log(9) / lead for lead in (1, 5, 20)}
print("with one rival only:", {lead: round(epsilon, 3) for lead, epsilon in one_rival.items()})
raised = counts + np.where(np.arange(domain.size) == counts.argmax(), 15, 0)
print(f"ages, if the winner had 15 voters more: {least_epsilon(raised, 0.9, True):.3f}")

# %% [markdown]
# *Answer.* The first line. The leads are larger, because seven answers divide the voters that 103 ages divide. One
# person moves a count by 1 in both cases, but the differences between parties are differences of large groups. The
# number of candidates counts too, but only with its logarithm.
#
# ## 3. The thin tail
#
# *Hint.* Make a third, impossible one: the 0.95-quantile drawn as if its $\Delta$ were $1/2$. Then ask all three
# the same: which $\varepsilon$ brings the mean error down to one visit? From the median to the third one the
# difference is the tail. From the third to the true one it is $\Delta$.

# %%
visits, days = data.health_insurance()["mdvis"].values, np.arange(366)


def mean_error(p, sensitivity, epsilon):
    """The mean error in visits, exact, if the p-quantile is drawn with this sensitivity."""
    missed = np.abs(days - np.quantile(visits, p, method="inverted_cdf"))
    quality = quantile_quality(visits, p, days)
    return selection_probabilities(quality, sensitivity, epsilon) @ missed


def epsilon_for_one_visit(p, sensitivity):
    """By halving an interval of logs."""
    low, high = -5.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        large = mean_error(p, sensitivity, 10**middle) > 1
        low, high = (middle, high) if large else (low, middle)
    return 10**high


three = {"median": (0.5, 0.5), "0.95 as if Δ = 0.5": (0.95, 0.5), "0.95": (0.95, 0.95)}
grid = (0.001, 0.003, 0.01, 0.03, 0.1)
table = {name: [mean_error(*which, each) for each in grid] for name, which in three.items()}
print(pd.DataFrame(table, index=pd.Index(grid, name="epsilon")).round(3).to_string())
needs = {name: epsilon_for_one_visit(*which) for name, which in three.items()}
print("epsilon for one visit:", {name: f"{epsilon:.4f}" for name, epsilon in needs.items()})
median, wished, true = needs.values()
print(f"part of the tail: {wished / median:.1f} times; part of Δ: {true / wished:.2f} times")
for p in (0.5, 0.95):
    at = int(np.quantile(visits, p, method="inverted_cdf"))
    above = np.sum(visits > at)
    print(f"p = {p}: {at} visits; above it {365 - at} candidates, {above:,} records")

# %% [markdown]
# *Answer.* $\Delta$ is nearly doubled: that costs just this factor in $\varepsilon$. The larger part is the tail.
# Hundreds of candidates lie above the 0.95-quantile. They miss it by no more ranks than there are records above, a
# twentieth of all. Together these candidates, none of them very bad, drown the good one (as in the figure of the
# lead). Above the median lies half of the records, and the far candidates miss it by that many. Once $\varepsilon$ is
# large enough to rule the tail out, the two quantiles are about equally good.
#
# ## 4. The busiest ten years
#
# *Hint.* Count the voters from $x$ to $x + 9$. What can one more voter do to these counts?

# %%


def window_quality(values, starts):
    """How many of the values lie within ten years from each start on."""
    return np.array([np.sum((values >= start) & (values < start + 10)) for start in starts])


starts = np.arange(youngest, oldest - 8)  # the last window ends at the upper bound
quality = window_quality(ages, starts)
changes = np.array([window_quality(np.append(ages, x), starts) - quality for x in domain])
print(f"one voter more: the qualities change by {changes.min()} to {changes.max()}")
print(f"windows that hold one new voter: up to {changes.sum(axis=1).max()}")
best = starts[quality == quality.max()]
print(f"best: from {best.tolist()} on, {quality.max()} voters each")
for epsilon in (0.01, 0.1, 1.0):
    chances = selection_probabilities(quality, 1, epsilon, monotonic=True)
    rng = np.random.default_rng(1)
    drawn = exponential_mechanism(quality, 1, epsilon, rng, monotonic=True, size=5)
    print(
        f"epsilon {epsilon}: drawn from {starts[drawn].tolist()}; "
        f"voters short of the best, on average {chances @ (quality.max() - quality):.1f}; "
        f"within ten in {chances[quality >= quality.max() - 10].sum():.0%} of the draws"
    )

# %% [markdown]
# *Answer.* The count of voters in the window. A record is in a window or not, so no count moves by more than 1, and a
# new record never lowers one. So the sensitivity is 1, and the quality is monotonic (add/remove). A record is in up
# to ten windows at once, which costs nothing here: only the *largest* move of one candidate matters, not the sum. To
# release all these counts with Laplace noise, one would have to pay for the sum. (Several windows are equally good
# here; each is a right answer.) At $\varepsilon = 0.1$ the drawn window is within ten voters of the best nearly nine
# times in ten, and at 1 all but always.
#
# ## 5. The largest loss of the median
#
# *Hint.* `privacy_loss` with $\Delta = 1/2$ and `monotonic=True` for all pairs. Then take the worst one apart into
# its two factors, as the proof of Theorem 4.2 does.

# %%
few = np.arange(4)
datasets = [np.array(d) for n in (1, 2, 3) for d in combinations_with_replacement(few, n)]
pairs = [(d, np.append(d, x)) for d in datasets if d.size < 3 for x in few]
for epsilon in (0.1, 1.0, 3.0):
    scores = [[median_quality(values, few) for values in pair] for pair in pairs]
    losses = [privacy_loss(*both, 0.5, epsilon, monotonic=True) for both in scores]
    largest = [pair for pair, lost in zip(pairs, losses, strict=True) if lost > max(losses) - 1e-9]
    worst = largest[0]
    here, there = (median_quality(values, few) for values in worst)
    weights = [np.exp(2 * epsilon * each) for each in (here, there)]
    own = 2 * epsilon * (here - there)
    everybody = math.log(weights[1].sum() / weights[0].sum())
    at = int(np.argmax(np.abs(own + everybody)))
    print(
        f"epsilon {epsilon}, {len(pairs)} pairs: {worst[0].tolist()} and {worst[1].tolist()}, "
        f"loss {max(losses):.4f} = {max(losses) / epsilon:.3f} epsilon"
    )
    print(f"   at candidate {few[at]}: own {own[at]:+.4f}, everybody's {everybody:+.4f}")
    print(f"   changes of the qualities: {(there - here).tolist()}")
together = "; ".join(f"{a.tolist()} and {b.tolist()}" for a, b in largest)
print(f"the same loss, at each of the three, for {len(largest)} pairs: {together}")
for m in (4, 10, 100, 1_000):
    one, two = (median_quality(values, np.arange(m)) for values in ([1], [1, m - 1]))
    print(f"{m:>5} candidates, epsilon 1: {{1}} and {{1, {m - 1}}} lose", end=" ")
    print(f"{privacy_loss(one, two, 0.5, 1.0, monotonic=True):.4f}")

# %% [markdown]
# *Answer.* The pairs are above. A candidate's own weight changes by at most $e^{\varepsilon}$, and the sum of all
# weights by at most $e^{\varepsilon}$ in the other direction. For $2\varepsilon$ *both* would have to happen at
# once. But the candidate is itself part of the sum, and its weight moves against it, and some others move with it
# or not at all. As long as those have some weight, the sum moves by less. With more candidates the crowd takes the
# whole sum, and the loss comes near to $2\varepsilon$, without reaching it.
#
# ## 6. Challenge: one interval is enough
#
# *Hint.* Let all changes $q(D', o) - q(D, o)$ lie in $[a, a + \Delta]$. Where do the factors of the proof lie?

# %% [markdown]
# *Answer.* *Proof.* Draw with the weights $w(D, o) = e^{\varepsilon q(D, o) / \Delta}$. Between neighbours every
# weight is multiplied by a factor between $e^{\varepsilon a / \Delta}$ and
# $e^{\varepsilon a / \Delta}\, e^{\varepsilon}$. So is the sum of all weights. The probability of $o$ is the quotient
# of the two, so $e^{\varepsilon a / \Delta}$ cancels, and it changes by a factor between $e^{-\varepsilon}$ and
# $e^{\varepsilon}$. $\square$ ($a$ may be another one for every pair. Monotonic qualities are the case $a = 0$ or
# $a = -\Delta$.)
#
# How long is the interval? Over all pairs of small datasets, the largest distance between the changes of two
# qualities:

# %%
six = np.arange(6)
small = [d for n in range(1, 6) for d in combinations_with_replacement(six, n)]
for p in (0.25, 0.5, 0.75):
    length = 0.0
    for d in small:
        before = quantile_quality(d, p, six)
        for x in six:
            length = max(length, np.ptp(quantile_quality((*d, x), p, six) - before))
    print(f"p = {p}: length {length:.2f}, twice the sensitivity {2 * max(p, 1 - p):.2f}")
changes = [mode_quality((*d, x), six) - mode_quality(d, six) for d in small for x in six]
print(f"counts: length {max(np.ptp(change) for change in changes)}, twice the sensitivity 2")

rng, worst = np.random.default_rng(2), 0.0
for _ in range(2_000):
    quality, start = rng.normal(scale=3, size=5), rng.uniform(-5, 5)
    moved = quality + start + rng.choice([0, 1], 5)  # an interval of length 1, anywhere
    worst = max(worst, privacy_loss(quality, moved, 1, 1.0, monotonic=True))
print(f"2,000 random pairs, changes in an interval of length 1: loss at most {worst:.4f}")

# %% [markdown]
# For the median the interval has length 1, from $-1/2$ to $1/2$. With $\Delta = 1$ the weights $e^{\varepsilon q /
# \Delta}$ are $e^{\varepsilon q}$, as the general formula gives for $\Delta = 1/2$. So the new rule gives the
# median nothing; it gives counts their factor of two.
