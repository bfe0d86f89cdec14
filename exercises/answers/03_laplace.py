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
# # Answers to 03 The Laplace mechanism
#
# A hint and a computed answer for each task "On your own" of the page. Try first; there is more than one good answer.

# %%
import math

import numpy as np
import pandas as pd
from scipy.stats import norm

from dpbook import data
from dpbook.laplace import (
    geometric_log_probability,
    laplace_log_density,
    laplace_mechanism,
    laplace_probability,
    noise_scale,
)
from dpbook.plots import COLOURS, figure, show

count = int(data.smoking()["Beijing"].values[0, 0])  # with Lin
last_month = count - 1
both_counts = (count, last_month)

# %% [markdown]
# ## 1. The same two tents
#
# *Hint.* Which number do the tents hang on?

# %%
outputs = np.linspace(count - 20, count + 20, 401)
reference = laplace_log_density(outputs, count, 2, 2)
for sensitivity in (0.5, 1.0, 1.5, 2.0, 2.5, 3.0):
    for epsilon in (0.5, 1.0, 1.5, 2.0, 2.5, 3.0):
        logs = [laplace_log_density(outputs, c, sensitivity, epsilon) for c in both_counts]
        if np.allclose(logs[0], reference):
            worst = np.exp(np.max(logs[0] - logs[1]))
            print(
                f"sensitivity {sensitivity}, epsilon {epsilon}: the same tents; "
                f"largest ratio {worst:.3f}, promised {math.exp(epsilon):.3f}"
            )

# %% [markdown]
# *Answer.* Every setting with the same quotient, because only the scale $\Delta_f / \varepsilon$ enters. What
# differs is the *guarantee*: a count moves by 1, so the ratio is what sensitivity 1 gives it. A larger sensitivity
# claims less than is true, and a smaller one claims more.
#
# ## 2. How large a count?
#
# *Hint.* 95 of 100 draws stay within $b \ln 20$. That must be at most a hundredth of the count.

# %%
reach = noise_scale(1, 0.1) * np.log(20)
least = math.ceil(reach / 0.01)
within = laplace_probability(0.99 * least, 1.01 * least, least, 1, 0.1)
drawn = laplace_mechanism(np.full(100_000, least), 1, 0.1, np.random.default_rng(1))
counted = np.mean(np.abs(drawn - least) <= 0.01 * least)
print(f"95 of 100 within {reach:.2f} people, so the count must be at least {least:,}")
print(f"at that count: exact {within:.2%} within 1%, in 100,000 releases {counted:.2%}")

# %% [markdown]
# *Answer.* The count above. It is inversely proportional to $\varepsilon$, and to the error that you allow.
#
# ## 3. Eight cities and their total
#
# *Hint.* In how many of the nine numbers is one patient? The sum of eight noisy numbers has the noise of all eight.

# %%
cities = data.smoking()
smokers = np.array([cities[name].values[0, 0] for name in cities])
nine = np.append(smokers, smokers.sum())
moves = [np.append(np.eye(8)[city], 1).sum() for city in range(8)]
print(f"one patient more moves the nine numbers by {max(moves):.0f} together, the eight by 1")

draws, epsilon = 20_000, 1.0
rng = np.random.default_rng(2)
with_total = laplace_mechanism(np.tile(nine, (draws, 1)), 2, epsilon, rng)
only_eight = laplace_mechanism(np.tile(smokers, (draws, 1)), 1, epsilon, rng)
both = (8 * with_total[:, 8] + with_total[:, :8].sum(axis=1)) / 9  # weights: 1 / variance
estimates = {
    "nine: the total as released": (with_total[:, 8], with_total[:, :8]),
    "nine: total and sum, weighted": (both, with_total[:, :8]),
    "eight, added up": (only_eight.sum(axis=1), only_eight),
}
rows = {}
for name, (total, cells) in estimates.items():
    rows[name] = [np.abs(total - nine[8]).mean(), np.abs(cells - smokers).mean()]
columns = ["error of the total", "error of a city"]
print(pd.DataFrame(rows, index=columns).T.round(2).to_string())
deviations = math.sqrt(2) * 2, math.sqrt(8) * math.sqrt(2)
print("deviation of the total: {:.2f} as released, {:.2f} added up".format(*deviations))

# %% [markdown]
# *Answer.* The sensitivity is 2: a patient is in one city and in the total. Nine numbers give a better total, at
# twice the error in each city. Eight give better cities, and a worse total, which has eight noises. Neither is
# "right": it depends on what will be read. If you release nine you can also weight the two estimates of the total,
# for free. (With few cities adding up would win. The noise of a sum grows with the root of their number, that of
# the nine by the factor 2.)
#
# ## 4. A new generator for each release
#
# *Hint.* Two releases with equal noise: look at their difference. Two with the same seed at *different* epsilons: two
# equations, and how many unknowns?

# %%
same = [laplace_mechanism(count, 1, 0.4, np.random.default_rng(13)) for _ in range(2)]
print(f"asked twice: {same[0]:.3f} and {same[1]:.3f}: 0.8 paid for one answer")
pair = [laplace_mechanism(c, 1, 0.4, np.random.default_rng(13)) for c in (count, last_month)]
print(f"with Lin less without: {pair[0] - pair[1]:.6f}, at any epsilon")

small, large = (laplace_mechanism(count, 1, e, np.random.default_rng(13)) for e in (0.1, 0.4))
solved = (0.4 * large - 0.1 * small) / (0.4 - 0.1)
print(f"at 0.1 {small:.3f}, at 0.4 {large:.3f}; solved: {solved:.6f}, true {count}")
known = np.random.default_rng(13).laplace(scale=1 / 0.4)
print(f"and whoever knows the seed: {same[0]:.3f} - {known:.3f} = {same[0] - known:.6f}")

# %% [markdown]
# *Answer.* It is the second break, the same seed twice. The ledger shows 0.4 for each release, and its guarantee
# assumes *fresh* noise. An attacker can subtract two releases whose answers differ by one person. Or she asks for
# the same count at two epsilons, where the noise is the same draw on two scales, and solves. If the seed is known,
# as here, she draws the noise herself.
#
# ## 5. Gaussian noise
#
# *Hint.* The log of the ratio is a difference of two squares: a straight line in the release.

# %%
middle = count - 0.5
releases = np.linspace(middle - 60, middle + 60, 241)
fig, ax = figure(height=3.0)
for sigma, style in ((5, "-"), (7, "-.")):
    log_ratio = norm.logpdf(releases, count, sigma) - norm.logpdf(releases, last_month, sigma)
    ax.plot(
        releases,
        np.exp(log_ratio),
        style,
        color=COLOURS.other,
        label=f"normal, deviation {sigma}",
    )
laplace = [laplace_log_density(releases, c, 1, 1) for c in (count, last_month)]
laplace_ratio = np.exp(laplace[0] - laplace[1])
ax.plot(releases, laplace_ratio, color=COLOURS.noisy, label="Laplace, epsilon 1")
for limit in (math.e, 1 / math.e):
    ax.axhline(limit, color=COLOURS.third, linestyle="--")
ax.set(yscale="log", xlabel="released count", ylabel="density with Lin / without")
ax.legend()
show(
    fig,
    "Ratio of the densities with and without Lin against the release, on a log axis: straight "
    "lines that pass every limit for normal noise, a step between flat parts for Laplace.",
)

# %%
for sigma in (0.5, 1, 2, 5, 10):
    where = middle + sigma**2  # ln ratio = (release - middle) / sigma^2
    ratio = np.exp(norm.logpdf(where, count, sigma) - norm.logpdf(where, last_month, sigma))
    print(
        f"deviation {sigma:>5}: ratio {ratio:.4f} at a release of {where:,.2f}, "
        f"beyond it with probability {norm.sf(where, count, sigma):.1e}"
    )

# %% [markdown]
# *Answer.* The log ratio is $(t - m) / \sigma^2$, where $m$ is the middle of the two counts. It passes 1 at
# $m + \sigma^2$, for every $\sigma$, and grows without end: no standard deviation keeps it below $e^1$ *for all
# releases*. Larger noise only makes such releases rarer, fast. Who is content with "rare" gives up a slack $\delta$
# (chapter 24).
#
# ## 6. Challenge: Lin is probably in
#
# *Hint.* Odds after = odds before x ratio. When can a release turn 9 : 1 into odds below even?

# %%
prior = 0.9


def best_guesser(epsilon):
    """How often the best strategy is right, and the release below which it says "without"."""
    if math.exp(epsilon) <= prior / (1 - prior):
        return prior, -math.inf
    cut = middle - math.log(prior / (1 - prior)) / (2 * epsilon)
    said_with = laplace_probability(cut, np.inf, count, 1, epsilon)
    said_without = laplace_probability(-np.inf, cut, last_month, 1, epsilon)
    return prior * said_with + (1 - prior) * said_without, cut


whole = np.arange(count - 400, count + 400)
rows = []
for epsilon in (0.5, 1.0, 2.0, math.log(9), 3.0, 4.0, 6.0):
    exact, cut = best_guesser(epsilon)
    rng = np.random.default_rng(3)
    lin_in = rng.random(100_000) < prior
    release = laplace_mechanism(last_month + lin_in, 1, epsilon, rng)
    chances = [np.exp(geometric_log_probability(whole, c, 1, epsilon)) for c in both_counts]
    integer_twin = np.maximum(prior * chances[0], (1 - prior) * chances[1]).sum()
    bound = max(prior, math.exp(epsilon) / (1 + math.exp(epsilon)))
    odds = prior / (1 - prior)
    after = [odds * math.exp(-epsilon), odds * math.exp(epsilon)]
    counted = np.mean((release > cut) == lin_in)
    rows.append((epsilon, exact, counted, integer_twin, bound, *(o / (1 + o) for o in after)))
names = [
    "epsilon",
    "best guesser",
    "100,000 rounds",
    "geometric",
    "bound",
    "belief from",
    "to",
]
print(pd.DataFrame(rows, columns=names).round(3).to_string(index=False))

# %% [markdown]
# *Answer.* Up to $\varepsilon = \ln 9$ the best strategy does not look at the release. It always says "with", is
# right nine times in ten, and no release can make "without" the better guess. Beyond, say "without" for a release
# below $m - \ln 9 / (2 \varepsilon)$. The fraction of right guesses says little here, for most of it was known
# before. What $\varepsilon$ still limits is the *change*: the odds that Lin is in stay between $9 e^{-\varepsilon}$
# and $9 e^{\varepsilon}$, the last two columns. (The bound on right guesses is $\max(0.9,\, e^\varepsilon / (1 +
# e^\varepsilon))$, the best corner of the privacy region. The geometric mechanism reaches it.)
