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
# # Answers to 20 ALP: a sparse vector in a small sketch
#
# A hint and a computed answer for each task "On your own" of the page. Try first; there is more than one good answer.

# %%
import itertools
import math

import numpy as np
import pandas as pd

from dpbook import data
from dpbook.alp import (
    Sketch,
    alp_estimate,
    alp_log_probability,
    alp_projection,
    likelihood_steps,
    move_loss,
    one_entry_epsilon,
    threshold_alp,
    threshold_estimate,
    unit_steps,
)

visits = np.bincount(data.health_insurance_person(), data.health_insurance()["mdvis"].values)
visits = visits[visits > 0]
d, k = 1_000_000, visits.size
cards = np.sort(np.random.default_rng(20).choice(d, k, replace=False))
register = (cards, visits, d)
unused = np.setdiff1d(np.arange(0, d, 100), cards)
GROUPS = {"1-5": (1, 5), "6-20": (6, 20), "21-60": (21, 60), "over 60": (61, 10**6)}

# %% [markdown]
# ## 1. An empty entry
#
# *Hint.* Which positions can the estimate be an average of? It is exactly 0 when the walk never stands at its first
# height again. The first step goes down; from $-1$ a walk that goes up with probability $p$ ever gets back to 0 with
# probability $p/(1-p)$.

# %%
rows = []
for alpha in (0.5, 1.0, 3.0, 10.0):
    empty = alp_projection(([], [], d), alpha, 100, 20_000, 1.0, np.random.default_rng(1))
    read = alp_estimate(empty, np.arange(0, d, 50))
    rows.append(
        (
            alpha,
            1 / (alpha + 2),
            empty.levels,
            read.min(),
            np.mean(read == 0),
            1 - 2 / (alpha + 2),
            read.mean(),
        )
    )
names = ["alpha", "p", "levels", "least", "exactly 0", "1 - 2p", "on average"]
print(pd.DataFrame(rows, columns=names).round(3).to_string(index=False))

# %% [markdown]
# *Answer.* Position 0 is one of the places and no place is below it, so neither is an average. Exactly 0:
# $(1-p)\big(1 - \frac p{1-p}\big) = 1 - 2p = \alpha/(\alpha+2)$ without an end of the walk, a little more with one,
# but for chance. With $\alpha = 10$ the bits are more reliable, so zeros are hit more often; but a miss is by a whole level, $\alpha/\varepsilon$, or
# more.
#
# ## 2. Half the size
#
# *Hint.* $m$ levels of $s$ buckets, $m = \lceil\beta\varepsilon/\alpha\rceil$. (Mind $\alpha$: which way does it act?)

# %%
BASE = {"alpha": 3.0, "beta": 256, "buckets": 16_384, "epsilon": 1.0}


def errors_of(settings, seeds=3):
    """Size in million bits; mean errors of used and unused cards; of cards above 128 visits."""
    lines = []
    for seed in range(seeds):
        made = alp_projection(register, **settings, rng=np.random.default_rng(seed))
        off = np.abs(alp_estimate(made, cards, patience=64) - visits)
        empty = alp_estimate(made, unused[:2_000], patience=64)
        lines.append((made.size_in_bits / 1e6, off.mean(), empty.mean(), off[visits > 128].mean()))
    return np.mean(lines, axis=0)


changes = {
    "as it is": {},
    **{f"{name} halved": {name: BASE[name] / 2} for name in ("epsilon", "beta", "alpha")},
}
changes |= {"alpha doubled": {"alpha": 6.0}, "buckets halved": {"buckets": 8_192}}
rows = {name: errors_of(BASE | change) for name, change in changes.items()}
names = ["million bits", "error, used", "error, unused", "error, above 128"]
print(pd.DataFrame(rows, index=names).T.round(2).to_string())
print(f"cards above 128 visits: {np.sum(visits > 128)} of {k:,}; 8,192 buckets are {8192 / k:.1f} a used card")

# %% [markdown]
# *Answer.* The size is $s\,\lceil\beta\varepsilon/\alpha\rceil$. Halving $\alpha$ *doubles* it: it is $\alpha$ doubled
# that halves the size. The table decides. Halving $\beta$ adds next to nothing on average, because few cards are that
# busy, and very much for these few. That is a choice about persons, not about an average. Then $\alpha$; then the buckets,
# as the table fills up; $\varepsilon$ costs most, but is the only one that buys privacy for it.
#
# ## 3. A loss of exactly 1
#
# *Hint.* Below $\alpha$ a move of 1 has privacy loss $\ln(1 + \varepsilon)$.

# %%
wanted = math.e - 1
raised = one_entry_epsilon(3.0, 1.0)
print(f"e - 1 = {wanted:.6f}, one_entry_epsilon {raised:.6f}, below alpha: {wanted < 3}")
print(f"it loses {move_loss(1, 3.0, wanted):.6f}; epsilon 1 loses {move_loss(1, 3.0, 1.0):.6f} = ln 2")

# %% [markdown]
# *Answer.* $\varepsilon = e - 1$: then $\ln(1 + \varepsilon) = 1$. The formula holds because it is below $\alpha$.
#
# ## 4. A visit is moved
#
# *Hint.* Two entries move by 1, one up and one down. Go through all tables, with a seed whose hash functions keep the
# two cards apart. Also try other numbers of visits than 0 and 1.


# %%
def all_tables(epsilon, seed, alpha=3.0, levels=3, buckets=2):
    for bits in itertools.product((0, 1), repeat=levels * buckets):
        table = np.packbits(np.reshape(bits, (levels, buckets)), axis=1, bitorder="little")
        yield Sketch(table, 2, buckets, alpha, levels * alpha / epsilon, epsilon, seed)


def moved_loss(here, there, seeds=range(6)):
    """The largest loss over all tables and some seeds, both ways."""
    most = 0.0
    for seed in seeds:
        logs = np.array([[alp_log_probability(t, x) for x in (here, there)] for t in all_tables(raised, seed)])
        most = max(most, np.abs(logs[:, 0] - logs[:, 1]).max())
    return most


top = 3.0 / raised  # the visits that fill a level exactly
print(f"two cards, one move of 1 each by move_loss: {2 * move_loss(1, 3.0, raised):.4f}")
for here, there in (
    ((1, 0), (0, 1)),
    ((2, 2), (1, 3)),
    ((1, 1), (0, 2)),
    ((0, top), (1, top - 1)),
):
    shown = [tuple(round(float(v), 3) for v in pair) for pair in (here, there)]
    print(f"from {shown[0]} to {shown[1]}: {moved_loss(np.array(here, float), np.array(there, float)):.4f}")

# %% [markdown]
# *Answer.* $2$: twice the raised parameter's guarantee, as for every mechanism that is $\varepsilon$-DP under add/remove. It is
# attained where one entry starts at the bottom of a level and the other at the top of one (last line). Of the whole
# numbers of visits only 0 is an end of a level, because $3/(e - 1)$ is irrational, and 0 is the top of none. So the
# losses are smaller, but they come close to 2 (third line): no guarantee can count on that.
#
# ## 5. How to share
#
# *Hint.* The threshold moves with `share` as well: $\ln(d/2)/(\text{share}\cdot\varepsilon)$.

# %%
rows = []
for share in np.arange(1, 10) / 10:
    lines = []
    for seed in range(2):
        made = threshold_alp(register, 3, 16_384, 1.0, np.random.default_rng(seed), share=share)
        off = np.abs(threshold_estimate(made, cards, patience=64) - visits)
        groups = [off[(visits >= low) & (visits <= high)].mean() for low, high in GROUPS.values()]
        empty = np.abs(threshold_estimate(made, unused[:2_000], patience=64)).mean()
        lines.append((made.sketch.beta, empty, *groups, off.mean(), made.size_in_bits / 1e6))
    rows.append((share, *np.mean(lines, axis=0)))
names = ["share", "threshold", "unused", *GROUPS, "all used", "million bits"]
table = pd.DataFrame(rows, columns=names).set_index("share")
print(table.round(2).to_string())
print("best share of each group:", table.drop(columns="threshold").idxmin().to_dict())

# %% [markdown]
# *Answer.* What the list gets is taken from the sketch. Unused cards and those with few visits are read from the sketch, and
# want a small share. Cards that reach the list want a large one: less noise, and a lower threshold that reaches down
# to more of them. Over all used cards the many small ones decide. But look at the size: a small share means a high
# threshold. The sketch then has as many levels as ALP alone would need, which the list was meant to save. The best
# part for all used cards, 0.1, needs 0.66 million bits. At 0.6 or 0.7 the error is nearly the same with 0.10 million.
#
# ## 6. Steps of your own
#
# *Hint.* Mix the two kinds with a weight and count how many cards are read differently. Then think of what neither
# knows: that small entries are more frequent than large ones. Choose on some seeds, check on others.


# %%
def mixed(weight, price=0.0):
    """Steps with this weight on the likelihood steps, and a price for each level that the walk goes on."""

    def steps(sketch):
        unit, likely = unit_steps(sketch), likelihood_steps(sketch)
        return tuple((1 - weight) * one + weight * other - price for one, other in zip(unit, likely, strict=True))

    return steps


def read_used(steps, seeds):
    """The readings of all used cards from sketches of 8,192 buckets, one row a seed."""
    sketches = (alp_projection(register, 3, 256, 8_192, 1.0, np.random.default_rng(s)) for s in seeds)
    return np.array([alp_estimate(one, cards, steps=steps) for one in sketches])


likely = read_used(likelihood_steps, range(2))
for weight in (0, 0.01, 0.5, 0.9):
    read = read_used(mixed(weight), range(2))
    print(
        f"weight {weight:<4}: error {np.abs(read - visits).mean():.2f}; "
        f"{np.mean(read != likely):.2%} of the cards read otherwise than with weight 1"
    )
trial = {c: np.abs(read_used(mixed(1, c), range(2)) - visits).mean() for c in (0.0, 0.1, 0.2, 0.3, 0.4)}
print("price of a level: error", {price: f"{error:.2f}" for price, error in trial.items()})
best, rows = min(trial, key=trial.get), {}
for name, steps in (
    ("unit", unit_steps),
    ("likelihood", likelihood_steps),
    ("halfway", mixed(0.5)),
    (f"price {best}", mixed(1, best)),
):
    off = np.abs(read_used(steps, range(100, 105)) - visits).mean(axis=0)
    rows[name] = [off.mean()] + [off[(visits >= low) & (visits <= high)].mean() for low, high in GROUPS.values()]
print("mean errors in five fresh sketches")
print(pd.DataFrame(rows, index=["all used", *GROUPS]).T.round(2).to_string())

# %% [markdown]
# *Answer.* Mixing is a surprise: at every weight above 0 nearly all cards, or all, are read as by the likelihood
# steps. In this table these only choose among the equal tops of the unit steps. A one counts a little less than a
# zero, so nearly always the first wins. The page's "halfway" is the likelihood itself. What helps is a *price* on each
# level, the same up and down: a prior by which each further level is less probable. It lowers the mean over all used
# cards, because most of them are small, and it raises the error of the large ones. None of these is best in every
# group. The price must be public. Here it was chosen with the true data, an oracle; how full the levels are, read off
# the sketch, can tell it without.
