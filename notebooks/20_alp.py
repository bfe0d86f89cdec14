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
# # 20 ALP: a sparse vector in a small sketch
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [19 Projection: compressing the records themselves](19_projection.ipynb) · **Next:** [21 Is it private? Testing a claim](21_audit.ipynb)
#
# **Assignment 20:** [five tasks, checked in a second](../exercises/releases/20_alp.ipynb)
#
# **What you will see:** a register of a million cards, of which five thousand have been used. Noise on every card has
# to be stored for every card; a list of the used cards gives people away; a list of the large entries forgets
# everybody else.
#
# <details><summary>About 70 minutes, after 03 and 07: what you do, what you need, the data</summary>
#
# ALP, by Aumüller, Lebeda and Pagh (2021; "the paper" on this page), puts all of it into a table of noisy bits, from
# which any one entry can be read in a moment, with a size and an error that do not grow with the register. And the
# dull rival: whole-number noise on every card, packed.
#
# **What you will do:** follow one entry's walk through its bits; trade size against error for a whole register; find
# what a bit, a visit and a spread-out visit really lose; overfill a table, and mend it.
#
# **Time:** about 70 minutes. A stopping point, after 45: the table "Error against epsilon".
#
# **You need:** [03 the Laplace mechanism](03_laplace.ipynb) and the idea of randomized response, in [07 local
# privacy](07_local.ipynb).
#
# **Real and synthetic:** the visits are of real people (RAND health insurance experiment), as are the answers of
# Fair's survey. The card numbers are *synthetic*: drawn once from a fixed seed.
#
# The letters are those of the paper: $x$ has $d$ entries, $k$ of them not 0; $\alpha$ is the resolution, $\beta$ the largest
# entry that counts, $s$ the buckets, $m$ the levels, $h$ the hash functions.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import functools
import io
import itertools
import math
import zlib

import numpy as np
import pandas as pd
from scipy import stats

from dpbook import data
from dpbook.alp import (
    Sketch,
    alp_estimate,
    alp_log_probability,
    alp_projection,
    likelihood_steps,
    move_loss,
    one_entry_epsilon,
    read_bits,
    read_sketch,
    save_sketch,
    tail_bound,
    threshold_alp,
    threshold_estimate,
    threshold_vector,
    unit_steps,
    zero_threshold,
)
from dpbook.amounts import counted
from dpbook.guesses import predict
from dpbook.laplace import geometric_mechanism, laplace_mechanism
from dpbook.live import choice, live, log_slider, new_noise, show_source, slider, switch
from dpbook.plots import (
    COLOURS,
    figure,
    meter,
    set_meter,
    set_verdict_text,
    show,
    verdict_text,
)

# %% jupyter={"source_hidden": true}
# Figure: alp_projection of one entry, its bits, and the walk of alp_estimate
fig, (bits_ax, walk_ax) = figure(
    rows=2, height=3.9, sharex=True, gridspec_kw={"height_ratios": [1, 6]}
)
(ones_ticks,) = bits_ax.plot([0], [0], "|", color=COLOURS.noisy, markersize=11)
bits_ax.set(ylim=(-1, 1), yticks=[], ylabel="ones")
walk_verdict = verdict_text(bits_ax)
(walk_line,) = walk_ax.plot([0], [0], color=COLOURS.noisy, label="walk")
(tops,) = walk_ax.plot([0], [0], "o", color=COLOURS.other, label="highest")
true_line = walk_ax.axvline(0, color=COLOURS.true, linewidth=2, label="true")
estimate_line = walk_ax.axvline(0, color=COLOURS.other, linestyle="--", label="estimate")
walk_ax.set(
    xlim=(-2, 107),
    ylim=(-1, 1),
    xlabel="visits",
    ylabel="height of the walk,\nas a share of the levels",
)
fig.legend(loc="outside upper center", ncols=4, frameon=False)


def one_walk(visits_of_card, epsilon, alpha, seed):
    single = alp_projection(
        ([0], [visits_of_card], 1), alpha, 100, 1, epsilon, np.random.default_rng(seed)
    )
    bits = single.bits[:, 0] & 1  # with one bucket there is nothing to hash
    heights = np.concatenate([[0], np.cumsum(2.0 * bits - 1)])
    unit = alpha / epsilon
    estimate = float(alp_estimate(single, 0))
    highest = np.flatnonzero(heights == heights.max())
    ones_ticks.set_data(unit * (1 + np.flatnonzero(bits)), np.zeros(bits.sum()))
    walk_line.set_data(unit * np.arange(heights.size), heights / single.levels)
    tops.set_data(unit * highest, heights[highest] / single.levels)
    true_line.set_xdata([visits_of_card] * 2)
    estimate_line.set_xdata([estimate] * 2)
    off = abs(estimate - visits_of_card)
    set_verdict_text(
        walk_verdict, None, f"true {visits_of_card}, estimate {estimate:.0f}: off by {off:.0f}"
    )
    each = "1 visit" if unit == 1 else f"{unit:.3g} visits"
    return (
        f"{counted(single.levels, 'level')} of {each}, bits flipped with probability "
        f"{1 / (alpha + 2):.2f}; "
        f"true {visits_of_card}, estimate {estimate:.1f}, off by "
        f"{abs(estimate - visits_of_card):.1f}"
    )


walk_figure = live(
    fig,
    one_walk,
    "Top: ticks at the levels whose noisy bit is one. Bottom: the walk that goes up at ones "
    "and down at zeros, with "
    "dots where it is highest, a solid line at the true number of visits and a dashed line at "
    "the estimate.",
    task=(
        r"press *New noise* ten times and watch the estimate. Then move $\alpha$ to both "
        r"ends: "
        "which end has the smaller jumps, and which the coarser answers? Set *visits* to 0, "
        "then above 100."
    ),
    guess=predict(
        "Alpha 0.5 in place of 3: into how many levels is the entry written?",
        (10, 1_000, " levels"),
        r"^(\d+) levels",
        alpha=0.5,
    ),
    visits_of_card=slider(0, 104, 30, label="visits"),
    epsilon=log_slider(0.1, 10, 1.0),
    alpha=choice([0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 10.0], 3.0),
    seed=new_noise(1),
)
walk_figure

# %% [markdown]
# ## A register of a million cards
#
# Each insured person holds a card with a number below a million, and the register says how often each card has been
# used to see a doctor. Write $x_i$ for the number of visits with card $i$, $d$ for the number of cards, $k$ for the
# number of cards that were used. Most cards never were: $x$ is *sparse*.

# %%
visits = np.bincount(data.health_insurance_person(), data.health_insurance()["mdvis"].values)
visits = visits[visits > 0]
d, k = 1_000_000, visits.size
cards = np.sort(np.random.default_rng(20).choice(d, k, replace=False))
register = (cards, visits, d)
unused = np.setdiff1d(np.arange(0, d, 100), cards)
print(f"{d:,} cards, {k:,} of them used, {visits.sum():,.0f} visits")
print(
    f"half of the used cards have at most {np.median(visits):.0f} visits; the busiest has "
    f"{visits.max():.0f}"
)

# %% [markdown]
# **Neighbours** on this page are two registers at distance at most 1: $\sum_i |x_i - x'_i| \le 1$. One more visit with
# one card is such a move. So what we protect is *a visit*, not a person; the page returns to that.
#
# ### Three releases that disappoint
#
# *Noise on the used cards only.* The list of used cards is itself an exact answer. Before the first visit a card is
# not in the list, afterwards it is: whoever sees it there has no doubt.

# %%
listed_before, listed_after = 0, 1
with np.errstate(divide="ignore"):
    loss = np.log(listed_after) - np.log(listed_before)
print(
    f"probability of being listed: {listed_before} before the first visit, {listed_after} "
    f"after; privacy loss {loss}"
)

# %% [markdown]
# *Noise on all cards.* Private, exact on average, and a million numbers to store, nearly all of them noise about
# nothing. As floats they take 64 bits each. But visits are whole numbers, and so may the noise be (`geometric_mechanism`,
# [03](03_laplace.ipynb)). Then most of them are 0, 1 or $-1$, and they can be *packed*: a good coder needs
# $-\log_2 P(v)$ bits for a number $v$ that has probability $P(v)$.

# %%
everything = np.zeros(d, dtype=np.intp)
everything[cards] = visits
shares = np.bincount(everything) / d


@functools.cache
def packed_bits(epsilon):
    """Bits of all d noisy whole numbers in the best code for their law: d times the entropy of
    that law.
    """
    reach = math.ceil(40 / epsilon)
    noise_law = stats.dlaplace.pmf(np.arange(-reach, reach + 1), epsilon)
    law = np.convolve(shares, noise_law)
    return -d * np.sum(law[law > 0] * np.log2(law[law > 0]))


noisy = geometric_mechanism(everything, 1, 1.0, np.random.default_rng(1))
top = np.argsort(-noisy)[:k]
zipped = 8 * len(zlib.compress(np.clip(noisy, -128, 127).astype(np.int8).tobytes(), 6))
print(
    f"floats {64 * d / 1e6:.0f} million bits, packed {packed_bits(1.0) / 1e6:.2f}, by plain "
    f"zlib {zipped / 1e6:.2f}"
)
print(f"mean error {np.abs(noisy - everything).mean():.2f} visits")
print(
    f"of the {k:,} largest noisy entries, {np.isin(top, cards).mean():.0%} belong to used "
    "cards"
)

# %% [markdown]
# *Noise, and only what is above a threshold.* With the threshold $t = \ln(d/2)/\varepsilon$ only one of the unused
# cards is expected in the list. It is short, but the list knows nothing of most people:

# %%
t = zero_threshold(d, 1.0)
listed, values = threshold_vector(register, t, 1.0, np.random.default_rng(2))
lost = ~np.isin(cards, listed)
print(
    f"threshold {t:.1f} visits: {listed.size:,} cards listed, "
    f"{np.sum(~np.isin(listed, cards))} of them never used"
)
print(
    f"{lost.mean():.0%} of the used cards are read as 0; their mean error is "
    f"{visits[lost].mean():.1f} visits"
)

# %% [markdown]
# ALP (approximate Laplace projection) aims between the last two: the size of a short list, and an error like that of
# noise on every entry, whatever the entry and however large the register.
#
# ## The idea: a number as a row of bits
#
# Write a number as a row of ones, then zeros: five levels of ones for five. Flip each bit with some probability, as in
# randomized response. One flipped bit says little. But the *end* of the ones can still be found: walk along the row,
# up one step at a one, down one at a zero. The walk tends upward as long as there are ones, and downward after them. So
# read off where it stands highest.

# %%
rng = np.random.default_rng(3)
honest = np.repeat([1, 0], [5, 7])
flipped = honest ^ (rng.random(12) < 0.2)
walk = np.concatenate([[0], np.cumsum(2 * flipped - 1)])
print("bits   ", *honest)
print("flipped", *flipped)
print("walk   ", *walk)
print(
    "highest at position", *np.flatnonzero(walk == walk.max()), "- true position", honest.sum()
)

# %% [markdown]
# ### How many levels, and how much flipping
#
# A level stands for $\alpha/\varepsilon$ visits; so $x$ visits are $x\varepsilon/\alpha$ levels, *rounded at random*:
# 3.6 levels become 4 with probability 0.6, else 3. Each bit is flipped with probability
#
# $$p = \frac{1}{\alpha + 2} .$$
#
# A large $\alpha$ gives few, reliable bits; a small one many bits that are hardly better than coins. The rows end at
# $\beta$ visits, after $m = \lceil \beta\varepsilon/\alpha \rceil$ levels. Larger entries count as $\beta$.

# %%
rows = [
    (a, 1 / (a + 2), math.log1p(a), math.ceil(200 * 1.0 / a)) for a in (0.5, 1, 2, 3, 6, 10)
]
table = pd.DataFrame(
    rows,
    columns=["alpha", "chance of a flip", "loss of a bit", "levels, beta = 200, epsilon = 1"],
)
table.set_index("alpha").round(3)

# %% [markdown]
# ### One entry and its walk
#
# The figure at the top of the page has one entry alone in a table. Top: its noisy bits; a tick is a one. Below: the walk,
# divided by the number of levels. The dots mark where it is highest, and the estimate is their average.

# %% [markdown]
# ### The estimator, and the tops that tie
#
# A walk often stands highest at several places. The paper averages them *all*, and position 0, before the first bit,
# is one of the places. Both matter. Here are 4,000 entries of each size at $\varepsilon = 1$, read in four ways:

# %%
show_source(unit_steps)
show_source(alp_estimate)


# %%
def read_in_four_ways(value, copies=4_000, alpha=3.0):
    """Mean absolute errors of walks of entries that have a table to themselves."""
    levels = math.ceil(100 / alpha)
    generator = np.random.default_rng(4)
    heights = np.floor(value / alpha + generator.random((copies, 1)))
    bits = (np.arange(levels) < heights) ^ (
        generator.random((copies, levels)) < 1 / (alpha + 2)
    )
    walks = np.pad(np.cumsum(2 * bits - 1, axis=1), ((0, 0), (1, 0)))
    at_top, without_0 = (
        part == part.max(axis=1, keepdims=True) for part in (walks, walks[:, 1:])
    )
    places = np.arange(walks.shape[1])
    readings = {
        "average of all": (at_top * places).sum(axis=1) / at_top.sum(axis=1),
        "first": at_top.argmax(axis=1),
        "last": places[-1] - at_top[:, ::-1].argmax(axis=1),
        "average, without 0": (without_0 * places[1:]).sum(axis=1) / without_0.sum(axis=1),
    }
    return {name: np.abs(alpha * place - value).mean() for name, place in readings.items()}


pd.DataFrame(
    {counted(value, "visit"): read_in_four_ways(value) for value in (0, 1, 5, 20, 50)}
).T.round(2)

# %% [markdown]
# The first top is best for zeros, and the average for the rest; the last top reads zeros far too high. Leaving out
# position 0 means that an empty entry can never be read as 0.
#
# ## The mechanism
#
# A table with a row for each of a million cards would be as large as before. So on each level the cards share $s$
# *buckets*: a public hash function $h_b$ says into which bucket card $i$ puts its bit of level $b$. Where a one and a
# zero meet, the one wins. Then every bit of the table is flipped or not:
#
# > **Definition 20.1 (ALP; Aumüller et al. 2021, Algorithms 2 and 4).** With entries up to $\beta$, a resolution $\alpha$ and
# > $m = \lceil\beta\varepsilon/\alpha\rceil$ levels, release the hash functions and $\tilde z$:
#
# $$z_{b,a} = 1 \iff \text{some } i \text{ has } h_b(i) = a \text{ and at least } b \text{ levels}, \qquad
# \tilde z_{b,a} = z_{b,a} \oplus \text{coin}\left(\tfrac{1}{\alpha+2}\right).$$

# %%
show_source(alp_projection)

# %% [markdown]
# The hash functions mix the card number, the level and a seed so well that two cards which meet on one level meet on
# another only by chance. The seed is drawn without a look at the data and released with the table. (Here one generator
# draws both; for a real release the coins must come from another source than a published seed.)

# %%
sketch = alp_projection(
    register, alpha=3, beta=256, buckets=16_384, epsilon=1.0, rng=np.random.default_rng(5)
)
estimates = alp_estimate(sketch, cards)
nothing = alp_estimate(sketch, unused)
print(
    f"{sketch.levels} levels x {sketch.buckets:,} buckets = {sketch.size_in_bits / 1e6:.2f} "
    "million bits"
)
print(f"used cards: mean error {np.abs(estimates - visits).mean():.1f} visits")
print(
    f"unused cards: read as {nothing.mean():.1f} on average; {np.mean(nothing == 0):.0%} as "
    "exactly 0"
)
busiest = np.argsort(-visits)[:5]
print(
    "the five busiest: true",
    *visits[busiest].astype(int),
    "- read",
    *np.round(estimates[busiest], 1),
)

# %% [markdown]
# A sketch can be saved, sent, and read by anybody who has the parameters that are stored with it. Reading one entry
# touches one bit a level and nothing else.

# %%
file = io.BytesIO()  # or a path that ends in .npz
save_sketch(file, sketch)
file.seek(0)
copy = read_sketch(file)
assert np.array_equal(alp_estimate(copy, cards), estimates)
print(
    f"saved in {file.getbuffer().nbytes / 1e3:.0f} kilobytes; one entry reads {copy.levels} "
    "of its bits"
)

# %% [markdown]
# ### Why it is private
#
# > **Theorem 20.2 (Aumüller et al. 2021, Lemma 4.12).** ALP is $\varepsilon$-DP for registers at L1 distance at most 1.
#
# *Proof. One bit.* If the true bit is 1 the released one is 1 with probability $(\alpha+1)/(\alpha+2)$, else with
# $1/(\alpha+2)$: a ratio of $1 + \alpha$.
#
# *One entry.* Move an entry by $\delta \le \alpha$ (after scaling by $\varepsilon$) from the bottom of a level. Its
# next bit becomes 1 with probability $\delta/\alpha$, so the ratio is at most
#
# $$1 - \frac{\delta}{\alpha} + \frac{\delta}{\alpha}(1 + \alpha) = 1 + \delta \le e^{\delta} .$$
#
# *Several entries or levels.* Bits are flipped independently, so the logs add up: at most
# $\|x\varepsilon - x'\varepsilon\|_1 \le \varepsilon$. A collision can only hide a bit. The hash functions are the same
# for both registers. $\square$
#
# A table of a few bits has only so many outcomes, and `alp_log_probability` gives the exact probability of each. So the
# promise can be checked without a proof, for 45 pairs of neighbours with two cards:


# %%
def all_tables(alpha, epsilon, seed, levels=3, buckets=2):
    for bits in itertools.product((0, 1), repeat=levels * buckets):
        rows = np.packbits(np.reshape(bits, (levels, buckets)), axis=1, bitorder="little")
        yield Sketch(rows, 2, buckets, alpha, levels * alpha / epsilon, epsilon, seed)


rng, largest = np.random.default_rng(6), 0.0
for seed in range(15):
    tables = list(all_tables(alpha=1.0, epsilon=1.0, seed=seed))
    for _ in range(3):
        here, share, signs = rng.uniform(0, 2, 2), rng.random(), rng.choice([-1, 1], 2)
        there = np.maximum(here + signs * [share, 1 - share], 0)
        logs = np.array(
            [[alp_log_probability(tab, x) for tab in tables] for x in (here, there)]
        )
        assert np.allclose(np.exp(logs).sum(axis=1), 1)
        largest = max(largest, np.abs(logs[0] - logs[1]).max())
print(f"45 pairs, 64 tables each: largest privacy loss {largest:.3f}, promised 1")
assert largest <= 1

# %% [markdown]
# ## Live: the whole register
#
# All used cards and 2,000 of the unused. Left: true visits and estimates. Right: the mean error of each
# group of cards in four releases with the same $\varepsilon$ (errors below 0.02 are drawn there). Under the picture:
# their sizes, *noise on all* packed.

# %%
GROUPS = {
    "unused": (0, 0),
    "1-5": (1, 5),
    "6-20": (6, 20),
    "21-60": (21, 60),
    "over 60": (61, 10**6),
}
readers = np.concatenate([unused[:2_000], cards])
truth = np.concatenate([np.zeros(2_000), visits])
members = [np.flatnonzero((truth >= low) & (truth <= high)) for low, high in GROUPS.values()]


def read_all(epsilon, alpha, beta, buckets, seed):
    """What each release says of the cards in `readers`, and its size in bits."""
    generator = np.random.default_rng(seed)
    small = alp_projection(register, alpha, beta, buckets, epsilon, generator)
    both = threshold_alp(register, alpha, buckets, epsilon, generator)
    listed, values = threshold_vector(register, zero_threshold(d, epsilon), epsilon, generator)
    from_list, found = np.zeros(readers.size), np.isin(readers, listed)
    from_list[found] = values[np.searchsorted(listed, readers[found])]
    readings = [
        geometric_mechanism(truth.astype(np.int64), 1, epsilon, generator),
        from_list,
        alp_estimate(small, readers, patience=64),
        threshold_estimate(both, readers, patience=64),
    ]
    return readings, [
        packed_bits(epsilon),
        listed.size * 84,
        small.size_in_bits,
        both.size_in_bits,
    ]


# %% jupyter={"source_hidden": true}
# Figure: read_all(epsilon, alpha, beta, buckets, seed): the mean error in each group of cards
RELEASES = ["noise on all", "threshold list", "ALP", "threshold ALP"]
LOOKS = [
    (COLOURS.grey, "s", ":"),
    (COLOURS.other, "v", "--"),
    (COLOURS.noisy, "o", "-"),
    (COLOURS.third, "D", "-."),
]
fig, (cloud_ax, group_ax) = figure(columns=2, height=3.5, gridspec_kw={"width_ratios": [2, 3]})
cloud_ax.plot([0, 220], [0, 220], color=COLOURS.true, linewidth=1)
(cloud,) = cloud_ax.plot(truth, truth, ".", color=COLOURS.noisy, markersize=2.5)
cloud_ax.set(
    xlim=(-5, 220), ylim=(-5, 220), xlabel="true visits", ylabel="estimate of ALP, visits"
)
group_lines = [
    group_ax.plot(
        range(5),
        np.ones(5),
        marker=marker,
        linestyle=line,
        color=colour,
        label=name,
        clip_on=False,
        in_layout=False,
    )[0]
    for name, (colour, marker, line) in zip(RELEASES, LOOKS, strict=True)
]
group_ax.set(
    yscale="log",
    ylim=(0.02, 200),
    xlabel="true visits of the card",
    ylabel="mean error, visits (log scale;\n0.02 or less at the foot)",
)
group_ax.yaxis.set_major_formatter("{x:g}")
group_ax.set_xticks(range(5), list(GROUPS))
register_verdict = verdict_text(cloud_ax)
fig.legend(loc="outside upper center", ncols=4, columnspacing=1, frameon=False)


def four_releases(epsilon, alpha, beta, buckets, seed):
    readings, sizes = read_all(epsilon, alpha, beta, buckets, seed)
    for line, reading in zip(group_lines, readings, strict=True):
        errors = np.abs(reading - truth)
        line.set_ydata([np.clip(errors[group].mean(), 0.02, 200) for group in members])
    dots = np.unique(truth + 1j * readings[2])  # many cards share a place
    cloud.set_data(dots.real, dots.imag)
    set_verdict_text(
        register_verdict,
        None,
        f"{sizes[2] / 1e6:.2g} million bits for ALP, {sizes[0] / 1e6:.2g} for noise on all",
    )
    megabits = (f"{name} {size / 1e6:.3g}" for name, size in zip(RELEASES, sizes, strict=True))
    return "size in million bits: " + ", ".join(megabits)


register_figure = live(
    fig,
    four_releases,
    "Left: cloud of estimates against true visits around a diagonal. Right: mean error on a "
    "log axis for unused cards "
    "and four groups of used cards, one line for each of four releases.",
    task=(
        r"move *buckets* to 4,096, below $k$: which cards suffer? Then back, and $\beta$ to "
        r"32. Then $\varepsilon$ to 0.1: which release is best for cards with 6 to 20 visits, "
        "and at which size?"
    ),
    epsilon=log_slider(0.1, 4, 1.0),
    alpha=choice([1.0, 2.0, 3.0, 4.0, 6.0, 10.0], 3.0),
    beta=choice([32, 64, 128, 256, 512], 256, label="beta, visits"),
    buckets=choice([4_096, 8_192, 16_384, 32_768, 65_536], 16_384),
    seed=new_noise(1),
)
register_figure

# %% [markdown]
# ## Error against epsilon
#
# The same four for several $\varepsilon$, with $\alpha = 3$, 32,768 buckets, $\beta = 256$, and a fifth, dull one: read
# every card as 0. *All used* is the mean error over all used cards, with its standard error. One release of each is
# enough, since it is an average over thousands of cards already, whose bits lie in places of their own. First the check:
# how far do the means of 20 releases spread, and what does each of them say of its own spread?

# %%
means, deviations = [], []
for seed in range(20):
    made = alp_projection(register, 3.0, 256, 32_768, 1.0, np.random.default_rng(seed))
    errors = np.abs(alp_estimate(made, cards, patience=64) - visits)
    means.append(errors.mean())
    deviations.append(errors.std() / math.sqrt(k))
print(
    f"ALP, epsilon 1, 20 releases: mean error {np.mean(means):.2f} visits,\n"
    f"    from release to release ± {np.std(means, ddof=1):.3f}; one release alone says ± "
    f"{np.mean(deviations):.3f}"
)
rows = []
for epsilon in (0.1, 0.3, 1.0, 3.0):
    readings, sizes = read_all(epsilon, 3.0, 256, 32_768, 7)
    for name, reading, size in zip(
        [*RELEASES, "zeros"], [*readings, 0 * truth], [*sizes, 0], strict=True
    ):
        errors = np.abs(reading - truth)
        used = errors[2_000:]
        rows.append(
            (
                epsilon,
                name,
                errors[:2_000].mean(),
                used.mean(),
                used.std() / math.sqrt(k),
                size / 1e6,
            )
        )
columns = [
    "epsilon",
    "release",
    "error, unused",
    "error, all used",
    "standard error",
    "million bits",
]
table = pd.DataFrame(rows, columns=columns).set_index(["epsilon", "release"])
for epsilon in (0.1, 0.3, 1.0, 3.0):
    size, packed = (
        table.loc[(epsilon, "ALP"), "million bits"],
        table.loc[(epsilon, "noise on all"), "million bits"],
    )
    print(
        f"epsilon {epsilon}: ALP is the smaller from a register of {size / packed:.2f} "
        "million cards on"
    )
table.round(3)

# %% [markdown]
# ALP's error is a few times $1/\varepsilon$, as noise on every entry has it; it is never the better of the two. Its size
# is the smaller one for small $\varepsilon$: its table has $m s$ bits, $m$ growing with $\varepsilon$, while a noisy whole
# number packs the better the less noise it has. At $\varepsilon = 1$ and 3 packed noise on *this* register is smaller
# *and* far more accurate. So ALP is for registers much larger than its table (the lines above the table say how large),
# or where single entries must be read without unpacking a million others. And compare with the *list* and with *zeros*:
# at $\varepsilon = 0.1$ reading everybody as 0 has the smallest mean error, because the visits themselves are smaller
# than the noise.
#
# > **A good place to stop.** What follows looks at single errors, at exact losses, and at crowded tables.
#
# ## How far off can one entry be?
#
# Mean errors hide the bad cases. The walk's top is $L$ or more levels from the true end of the ones only if the walk,
# which tends down from there, is back at its height after $L$ steps or more.
#
# > **Theorem 20.3 (a walk that comes back).** Let $S_L$ be the sum of $L$ independent steps, $+1$ with probability
# > $p < \frac12$ and $-1$ else. The walk is at 0 or above at some time from $L$ on with probability
# > $P(S_L \ge 0) + P(S_L > 0) \le 2\,(4p(1-p))^{L/2}$.
#
# *Proof.* From $-j$ it ever gets back to 0 with probability $(p/(1-p))^j$, and $P(S_L = -j)\,(p/(1-p))^j = P(S_L = j)$.
# Sum over $j > 0$, and add $P(S_L \ge 0)$. $\square$
#
# > **Theorem 20.4 (tail and maximum; Aumüller et al. 2021, Lemmas 4.14 and 5.5).** Without collisions an entry of at most $\beta$ is
# > read wrong by $\tau$ or more with probability at most $4\,(4p(1-p))^{L/2}$, $p = 1/(\alpha+2)$,
# > $L = \lfloor\tau\varepsilon/\alpha\rfloor$. So the mean error is $O(1/\varepsilon)$, and the largest of $d$ errors
# > is $O(\log d/\varepsilon)$ in expectation.
#
# *Proof.* Both sides, by 20.3; rounding and averaging shift by less than a level. Sum over $\tau$; union over $d$.
# $\square$ (The paper has a tail with the same base $4p(1-p)$.) Below, 20,000
# entries of 50 with room for themselves, at $\varepsilon = 1$, $\alpha = 3$: the largest error in groups of growing size.

# %%
many = (np.arange(20_000), np.full(20_000, 50.0), d)
roomy = alp_projection(many, 3, 100, 320_000, 1.0, np.random.default_rng(18))
halved = threshold_alp(many, 3, 320_000, 1.0, np.random.default_rng(18))
off = {
    "noise on all": np.abs(
        geometric_mechanism(np.zeros(20_000, dtype=int), 1, 1.0, np.random.default_rng(18))
    ),
    "ALP": np.abs(alp_estimate(roomy, many[0]) - 50),
    "threshold ALP": np.abs(threshold_estimate(halved, many[0]) - 50),
}
levels_off = np.array([6, 12, 18, 24])
for visits_off, most in zip(levels_off, tail_bound(levels_off, 3, 1.0), strict=True):
    print(
        f"ALP is off by {visits_off:>2} visits or more in "
        f"{np.mean(off['ALP'] >= visits_off):.4f} of the cases, at most {most:.4f} by "
        "Theorem 20.4"
    )
largest_of = {
    f"largest of {group:,}": {
        name: errors.reshape(-1, group).max(axis=1).mean() for name, errors in off.items()
    }
    for group in (1, 10, 100, 1_000, 20_000)
}
pd.DataFrame(largest_of).round(1)

# %% [markdown]
# Each factor of ten adds about the same: the growth is that of a logarithm, for all three.
#
# ### The best alpha
#
# A level costs $\alpha/\varepsilon$ visits of resolution and $\ln(1+\alpha)$ of the budget. Errors of entries with room
# for themselves, at $\varepsilon = 1$: medians over 20 releases (the same seeds for all) of the mean error of 40 entries:

# %%
alphas = np.array([0.5, 1, 1.5, 2, 3, 4, 6, 10])
sizes_of_entry = (0, 5, 20, 100)
errors = np.empty((len(sizes_of_entry), alphas.size))


def error_of_forty(value, alpha, seed):
    forty = (np.arange(40), np.full(40, float(value)), d)
    roomy = alp_projection(forty, alpha, 200, 2_000, 1.0, np.random.default_rng(seed))
    return np.abs(alp_estimate(roomy, forty[0], patience=64) - value).mean()


for row, value in enumerate(sizes_of_entry):
    errors[row] = [
        np.median([error_of_forty(value, alpha, seed) for seed in range(20)])
        for alpha in alphas
    ]

# %% jupyter={"source_hidden": true}
# Figure: the errors computed above, against alpha
fig, ax = figure(height=3.0)
for value, line, colour, marker in zip(
    sizes_of_entry,
    errors,
    [COLOURS.grey, COLOURS.noisy, COLOURS.other, COLOURS.third],
    "sovD",
    strict=True,
):
    ax.plot(alphas, line, marker=marker, color=colour, label=f"{value} visits")
ax.set(xscale="log", xlabel="alpha", ylabel="mean error, visits", ylim=(0, 10), xticks=alphas)
ax.set_xticks(alphas, [f"{alpha:g}" for alpha in alphas])
ax.set_xticks([], minor=True)
ax.legend(ncols=4, loc="upper center")
show(
    fig,
    "Mean error against alpha for entries of 0, 5, 20 and 100 visits: high below alpha 1, "
    "flat from 2 to 6.",
)

# %%
print(
    f"mean over the four sizes: {errors.mean(axis=0)[0]:.1f} visits at alpha 0.5, "
    f"{errors.mean(axis=0)[4]:.1f} at 3"
)

# %% [markdown]
# ## What a visit really loses
#
# The proof bounds the loss of a move by its distance. The exact loss is smaller when *one* entry moves by 1, as it does
# when a record is added to a histogram: $n \ln(1+\alpha) + \ln(1+r)$, where $\varepsilon = n\alpha + r$ with $0 \le r <
# \alpha$ (erratum [E93](22_errata.ipynb#E93)).

# %%
show_source(move_loss)
tables = list(all_tables(alpha=1.0, epsilon=1.0, seed=0, buckets=1))
for before, after in ((0, 1), (0.5, 1.5), (1, 2)):
    logs = np.array(
        [[alp_log_probability(tab, [v, 0.0]) for tab in tables] for v in (before, after)]
    )
    print(
        f"from {before} to {after}: largest loss over all tables "
        f"{np.abs(logs[0] - logs[1]).max():.3f}"
    )
print(f"move_loss: {move_loss(1, alpha=1.0, epsilon=1.0):.3f}, promised 1")

# %% [markdown]
# ### Live: one visit, whole or in parts
#
# The definition also covers neighbours that differ by a *little in many entries*. There $\varepsilon$ is nearly used
# up. The meter shows the exact worst losses of a whole visit on one card and of a visit spread evenly over *parts*
# cards; and of both under a raised parameter, which the next section explains.

# %% jupyter={"source_hidden": true}
# Figure: the exact loss of one entry, one_entry_epsilon(...), move_loss(...), and the claim
fig, ax = figure(height=2.9)
PLANS = ["a visit, one card", "a visit, in parts", "raised: one card", "raised: in parts"]
loss_meter = meter(ax, PLANS, 3, unit="privacy loss, as a multiple of the ε claimed")
loss_verdict = verdict_text(ax)


def real_losses(epsilon, alpha, parts):
    raised = one_entry_epsilon(alpha, epsilon)
    losses = [
        pieces * move_loss(1 / pieces, alpha, parameter)
        for parameter, pieces in itertools.product((epsilon, raised), (1, parts))
    ]
    set_meter(loss_meter, np.divide(losses, epsilon), 1)
    broken = sum(loss > epsilon + 1e-9 for loss in losses)
    set_verdict_text(
        loss_verdict,
        not broken,
        f"{broken} of 4 promises broken" if broken else "every promise kept",
    )
    return (
        f"a bit loses {math.log1p(alpha):.3f}, a visit on one card {losses[0]:.3f}; raised "
        f"parameter {raised:.3f}"
    )


loss_figure = live(
    fig,
    real_losses,
    "Privacy meter with four bars: the loss of a visit on one card and of a visit spread over "
    "many cards, for the "
    "plain and for the raised parameter, against a dashed line at the claimed epsilon.",
    task=(
        "move *parts* from 1 to 1,000: which bars move, and which promise breaks? Then set "
        r"$\alpha$ to 0.5."
    ),
    guess=predict(
        "Alpha 0.5 in place of 3: what does a visit on one card lose?",
        (0, 2),
        r"one card ([\d.]+);",
        alpha=0.5,
    ),
    epsilon=log_slider(0.1, 5, 1.0),
    alpha=choice([0.5, 1.0, 2.0, 3.0, 6.0], 3.0),
    parts=choice([1, 2, 5, 10, 100, 1_000], 10),
)
loss_figure

# %% [markdown]
# ### A raised parameter for the same promise
#
# In a histogram a record moves one entry by 1, never many by a little. For *that* promise one may solve the exact loss
# for its parameter: `one_entry_epsilon`. With $\alpha \ge e^\varepsilon - 1$ it is $e^\varepsilon - 1$. The error falls
# by the same factor. The paper does not do this.

# %%
show_source(one_entry_epsilon)
print("medians over 20 releases of the mean error, as it is and with the raised parameter:")
for epsilon in (0.1, 0.5, 1.0, 2.0):
    raised = one_entry_epsilon(3.0, epsilon)
    means = []
    for parameter in (epsilon, raised):
        off = []
        for seed in range(
            20
        ):  # each release holds every twentieth card, in a table of that part of the size
            part, true = cards[seed::20], visits[seed::20]
            made = alp_projection(
                (part, true, d), 3, 256, 1_638, parameter, np.random.default_rng(seed)
            )
            off.append(np.abs(alp_estimate(made, part) - true).mean())
        means.append(np.median(off))
    print(
        f"epsilon {epsilon}: {means[0]:.1f} and {means[1]:.1f} visits (parameter "
        f"{raised:.3f}, with which a visit loses {move_loss(1, 3, raised):.3f})"
    )
print(
    "but a visit in 1,000 parts would lose "
    f"{1000 * move_loss(1e-3, 3, one_entry_epsilon(3.0, 1.0)):.2f} at epsilon 1"
)

# %% [markdown]
# ## Crowded tables
#
# The paper asks for $s > 2k$ buckets and then promises an error of $O(1/\varepsilon)$. How large is the constant? Take
# the worst case: $k = 1{,}000$ entries that reach up to $\beta$, so that every level is as full as the lowest. A
# stranger then meets somebody's one with probability near $1 - e^{-k/s}$ on every level; its walk hardly falls, and its
# top is anywhere. A tenth of it is enough to see: 100 such entries in $s/10$ buckets, and medians over 20 releases:

# %%
crowd = (np.arange(100), np.full(100, 1_000.0), d)
strangers = np.arange(500_000, 504_000)
per_entry = np.array([2.01, 3, 4, 8, 16])
names = {unit_steps: "steps of the paper", likelihood_steps: "likelihood steps"}
rows = []
for ratio in per_entry:
    runs = []
    for seed in range(20):
        crowded = alp_projection(
            crowd, 3, 1_000, int(100 * ratio), 1.0, np.random.default_rng(seed)
        )
        run = []
        for steps in names:
            zeros, own = (
                alp_estimate(crowded, keys, steps=steps)
                for keys in (strangers[:200], crowd[0])
            )
            run += [zeros.mean(), np.median(zeros), np.abs(own - 1_000).mean()]
        runs.append(run)
    rows.append(np.median(runs, axis=0))
columns = pd.MultiIndex.from_product([names.values(), ["zeros: mean", "median", "own error"]])
pd.DataFrame(rows, columns=columns, index=pd.Index(np.round(per_entry), name="s / k")).round(1)

# %% [markdown]
# With $2k$ buckets an empty card is read as tens of visits: the promise holds, with a constant of that size. Sixteen buckets an entry bring it down to a few.
#
# **Better steps, free of charge.** How full each level is can be read off the released table itself. A one on a level
# that is nearly full of ones says little, a zero there says much. `likelihood_steps` weighs them so: the walk becomes
# the log likelihood of each position. It only looks at the release, so it costs no privacy. In a crowd it reads zeros
# many times better, and pays for it at large entries.

# %%
show_source(likelihood_steps)
reads = {steps: [] for steps in names}
for seed in range(
    20
):  # each release holds every twentieth card, in a table of that part of 8,192
    part = cards[seed::20]
    crowded = alp_projection(
        (part, visits[seed::20], d), 3, 256, 410, 1.0, np.random.default_rng(seed)
    )
    for steps in names:
        off = np.abs(alp_estimate(crowded, part, steps=steps) - visits[seed::20]).mean()
        reads[steps].append((off, alp_estimate(crowded, unused[:250], steps=steps).mean()))
print("register, 8,192 buckets, medians of 20:")
for steps, name in names.items():
    off, zeros = np.median(reads[steps], axis=0)
    print(f"    {name + ':':<20} used cards err by {off:.1f}, unused are read as {zeros:.1f}")

# %% [markdown]
# ## Live: strangers in a crowd
#
# The walks of 40 unused cards through a table in which $k$ others all reach the top, and the walk of one of those.

# %% jupyter={"source_hidden": true}
# Figure: alp_projection with these buckets, and the walks of 40 strangers
fig, ax = figure(height=3.4)
(stranger_line,) = ax.plot([0], [0], color=COLOURS.light, linewidth=0.8, label="empty entries")
(resident_line,) = ax.plot(
    [0], [0], color=COLOURS.other, linewidth=2, label="an entry of 150 visits"
)
(stranger_tops,) = ax.plot([0], [0], ".", color=COLOURS.noisy, label="their highest points")
ax.set(
    xlim=(0, 151),
    ylim=(-1.6, 1.6),
    xlabel="visits",
    ylabel="height of the walk,\nas a share of the levels",
)
crowd_verdict = verdict_text(ax)
fig.legend(loc="outside upper center", ncols=3, frameon=False)


def crowd_walks(buckets, alpha, weigh, seed):
    shared = (np.arange(1_000), np.full(1_000, 150.0), d)
    made = alp_projection(shared, alpha, 150, buckets, 1.0, np.random.default_rng(seed))
    steps = likelihood_steps if weigh else unit_steps
    up, down = steps(made)
    bits = read_bits(made, np.append(0, strangers[:40]), np.arange(made.levels))
    heights = (
        np.pad(np.cumsum(np.where(bits, up[:, None], down[:, None]), axis=0), ((1, 0), (0, 0)))
        / made.levels
    )
    places = alpha * np.arange(made.levels + 1)
    resident_line.set_data(places, heights[:, 0])
    gap = np.full((1, 40), np.nan)  # one line for all 40, lifted between two walks
    stranger_line.set_data(
        np.tile(np.append(places, np.nan), 40), np.vstack([heights[:, 1:], gap]).ravel("F")
    )
    highest = heights[:, 1:].argmax(axis=0)
    stranger_tops.set_data(places[highest], heights[:, 1:].max(axis=0))
    read = alp_estimate(made, strangers, steps=steps).mean()
    set_verdict_text(crowd_verdict, None, f"empty entries are read as {read:.0f} visits")
    return (
        f"{made.ones.mean():.0%} of the table are ones; 4,000 empty entries are read as "
        f"{read:.1f} visits on average"
    )


crowd_figure = live(
    fig,
    crowd_walks,
    "Forty thin walks of empty entries with dots at their highest points, and one thick walk "
    "of an entry of 150 visits "
    "that rises all the way.",
    task=(
        "move *buckets* down until the walks of the strangers stop falling. Then switch the "
        "steps."
    ),
    guess=predict(
        "1,000 buckets in place of 4,000: as how many visits are empty entries read on "
        "average?",
        (0, 150, " visits"),
        r"read as ([\d.]+)",
        buckets=1_000,
    ),
    buckets=choice([1_000, 1_500, 2_001, 3_000, 4_000, 8_000, 16_000], 4_000),
    alpha=choice([1.0, 2.0, 3.0, 6.0], 3.0),
    weigh=switch(False, label="likelihood steps"),
    seed=new_noise(1),
)
crowd_figure

# %% [markdown]
# ## The thresholded form
#
# ALP needs $\beta$ levels for its largest entry, however few such entries there are. The paper's remedy: half of
# $\varepsilon$ buys the list of large entries, the other half a sketch that only reaches up to the list's threshold.

# %%
show_source(threshold_vector)
show_source(threshold_alp)

# %% [markdown]
# The noise of a million entries in the time of five thousand: the number of unused cards above the threshold is
# binomial, their places are uniform among the unused, and what a Laplace variable exceeds a threshold by is
# exponential. The law is the same as that of noise on every card. One release each, with the standard error over its
# cards (what that is worth: see *Error against epsilon*):

# %%
rows = []
for scale in (1, 10, 100):
    grown = (cards, scale * visits, d)
    plain = alp_projection(grown, 3, 256 * scale, 16_384, 1.0, np.random.default_rng(12))
    both = threshold_alp(grown, 3, 16_384, 1.0, np.random.default_rng(12))
    for name, release, read in (
        ("ALP", plain, alp_estimate),
        ("threshold ALP", both, threshold_estimate),
    ):
        errors = np.abs(read(release, cards, patience=64) - scale * visits)
        largest_entry, own_spread = f"{visits.max() * scale:,.0f}", errors.std() / math.sqrt(k)
        rows.append(
            (largest_entry, name, errors.mean(), own_spread, release.size_in_bits / 1e6)
        )
columns = ["largest entry", "release", "mean error, used", "standard error", "million bits"]
pd.DataFrame(rows, columns=columns).set_index(["largest entry", "release"]).round(2)

# %% [markdown]
# ### Is there a hole beside the threshold?
#
# $\beta$ equals the threshold $t$. An entry a little above $t$ misses the list in nearly half of the cases; then the
# sketch must speak for it, and the sketch ends at $t$. An entry at $t + u$ is missed with probability
# $\frac12 e^{-u\varepsilon_1}$, with $\varepsilon_1$ the list's part, and the sketch is then short by $u$. The product
# is largest at $u = 1/\varepsilon_1$. Mean errors of 50 entries at $\varepsilon = 1$, medians over 20 releases:

# %%
epsilon, copies = 1.0, np.arange(50)
t_half = zero_threshold(d, epsilon / 2)
print(
    f"threshold with half of epsilon {t_half:.1f}; most that the cut at beta adds: "
    f"{0.5 / math.e / 0.5:.2f} visits"
)
sizes_of_entry = np.array([0, 5, 10, 20, 25, 30, 35, 45, 80, 150])


def three_errors(value, seed):
    """The mean errors of 50 entries of this size in one release of each kind."""
    x, rng = (copies, np.full(50, float(value)), d), np.random.default_rng(seed)
    made = alp_projection(x, 3, 200, 2_048, epsilon, rng)
    both = threshold_alp(x, 3, 2_048, epsilon, rng)
    listed, values = threshold_vector(x, zero_threshold(d, epsilon), epsilon, rng)
    reading = np.zeros(50)
    reading[listed[listed < 50]] = values[listed < 50]
    estimates = alp_estimate(made, copies), threshold_estimate(both, copies), reading
    return [np.abs(estimate - value).mean() for estimate in estimates]


medians = [
    np.median([three_errors(value, seed) for seed in range(20)], axis=0)
    for value in sizes_of_entry
]
lines = dict(
    zip(("ALP", "threshold ALP", "threshold list"), np.transpose(medians), strict=True)
)

# %% jupyter={"source_hidden": true}
# Figure: the errors computed above, against the size of the entry
fig, ax = figure(height=3.0)
for (name, line), (colour, marker, dash) in zip(
    lines.items(), (LOOKS[2], LOOKS[3], LOOKS[1]), strict=True
):
    ax.plot(sizes_of_entry, line, marker=marker, linestyle=dash, color=colour, label=name)
ax.axvline(t_half, color=COLOURS.grey, linestyle=":", label="threshold, half of epsilon")
ax.set(xlabel="entry, visits", ylabel="mean error, visits", ylim=(0, 16))
ax.legend(loc="upper right")
show(
    fig,
    "Mean error against the size of the entry: ALP flat, threshold ALP higher below its "
    "threshold and lower "
    "above, the list alone rising to its threshold and then falling to 1.",
)

# %%
pd.DataFrame(lines, index=pd.Index(sizes_of_entry, name="visits")).round(1).T

# %% [markdown]
# There is none: less than half a visit. The price is elsewhere. Below the threshold the sketch has only half of
# $\varepsilon$, above it the list has only half.
#
# ## Where it breaks
#
# **1. A cut at the wrong letter.** The paper's Algorithm 6 adds noise, $v_i = x_i + \eta_i$, and then keeps the
# entries with $y_i \ge t$ (erratum [E92](22_errata.ipynb#E92)). We found no definition of $y_i$ in it. If somebody takes it for the entry
# *before* any noise, the list tells $x = t$ from $t - 1$ for certain. As meant ($v_i \ge t$), the exact loss is at most $\varepsilon$:

# %%
edge, epsilon = 20.0, 0.5
chances = [0.5 * math.exp(-epsilon * (edge - value)) for value in (edge, edge - 1)]
as_meant = max(
    abs(math.log(chances[0] / chances[1])), abs(math.log((1 - chances[0]) / (1 - chances[1])))
)
counts = [
    np.mean(
        [
            threshold_vector(([2], [v], 3), edge, epsilon, np.random.default_rng(s))[0].size
            for s in range(4_000)
        ]
    )
    for v in (edge, edge - 1)
]
print(
    f"cut by v: listed with probability {chances[0]:.3f} or {chances[1]:.3f} (seen "
    f"{counts[0]:.2f}, {counts[1]:.2f}),"
)
print(f"          loss {as_meant:.3f}, promised {epsilon}")
print(
    f"cut by y: listed with probability {float(edge >= edge):.0f} or "
    f"{float(edge - 1 >= edge):.0f}, loss infinite"
)

# %% [markdown]
# **2. A flip that follows epsilon.** Why scale the entries, instead of flipping with probability $1/(\varepsilon + 2)$
# and levels of one visit? It is private, and the same as $\alpha = \varepsilon$. The paper warns that its error grows
# like $1/\varepsilon^2$. So it does:

# %%
fifteen = (np.arange(15), np.full(15, 1_000.0), d)
print("mean error of 15 entries of 1,000 visits, medians over 20 releases:")
for epsilon in (1.0, 0.5, 0.25, 0.125):
    line = []
    for alpha in (3.0, epsilon):
        made = [
            alp_projection(fifteen, alpha, 2_000, 500, epsilon, np.random.default_rng(seed))
            for seed in range(20)
        ]
        line.append(
            np.median([np.abs(alp_estimate(one, fifteen[0]) - 1_000).mean() for one in made])
        )
    print(
        f"epsilon {epsilon:<5}: scaled, alpha 3: error {line[0]:5.1f} = "
        f"{line[0] * epsilon:.1f}/eps;   "
        f"flip 1/(eps + 2): {line[1]:6.1f} = {line[1] * epsilon**2:.1f}/eps^2"
    )

# %% [markdown]
# **3. Above beta.** An entry beyond $\beta$ is not "a little off": it stops at $\beta$. And $\beta$ must be chosen
# without the data; the largest entry is somebody's secret.

# %%
for beta in (32, 64, 128, 256):
    made = alp_projection(register, 3, beta, 32_768, 1.0, np.random.default_rng(15))
    over = visits > beta
    errors_over = np.abs(alp_estimate(made, cards[over]) - visits[over])
    note = f"mean error of those {errors_over.mean():.1f}" if over.any() else "nobody is cut"
    print(
        f"beta {beta:>3}: {over.sum():>4} cards above it, {note}; "
        f"{made.size_in_bits / 1e6:.2f} million bits"
    )

# %% [markdown]
# **4. Sums.** Laplace noise is right on average, so its errors cancel in sums. A walk's top is never below 0, so zeros
# are read too high *on average*, and in a sum nothing cancels. How many visits have 5,000 unused cards together?

# %%
some = unused[:5_000]
read = alp_estimate(sketch, some)
noise = laplace_mechanism(np.zeros(some.size), 1, 1.0, np.random.default_rng(16))
print(
    f"true sum 0; Laplace reads {noise.sum():,.0f}, ALP reads {read.sum():,.0f} "
    f"({read.mean():.1f} a card)"
)

# %% [markdown]
# **5. A visit is not a person.** The promise is about one visit. A person is all the visits on a card. The exact loss
# between a card's true entry and an empty one, at $\varepsilon = 1$:

# %%
for count in (1, 7, 24, int(visits.max())):
    print(f"visits of a person {count:>3}: loss {move_loss(count, 3, 1.0):6.1f}")

# %% [markdown]
# **6. Data that no sketch can help.** Cross all eight questions of Fair's survey: a table with few women and
# very many cells. Sparse indeed, but every entry is tiny. A release that is private for a woman must blur a one into a zero:

# %%
survey = [
    np.unique(column.values, return_inverse=True)[1]
    for name, column in data.affairs().items()
    if name != "affairs"
]
shape = [codes.max() + 1 for codes in survey]
cells, women = np.unique(np.ravel_multi_index(survey, shape), return_counts=True)
cross = (cells, women, math.prod(shape))
made = alp_projection(cross, 3, 30, 65_536, 1.0, np.random.default_rng(17))
ones, empty = cells[women == 1], np.setdiff1d(np.arange(0, cross[2], 97), cells)
print(f"{cross[2]:,} cells, {cells.size:,} in use, the largest holds {women.max()}")
for name, keys in (("one woman", ones), ("nobody", empty)):
    print(
        f"cells with {name:<9}: read as 0 in {np.mean(alp_estimate(made, keys) == 0):.0%} of "
        "the cases"
    )

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/20_alp](../exercises/answers/20_alp.ipynb).
#
# **Assignment 20:** [five tasks, checked in a second](../exercises/releases/20_alp.ipynb).
#
# 1. *Warm-up.* In the first live figure set *visits* to 0. Why is the estimate never below 0, and how often is it
#    exactly 0? Compare with $\alpha = 10$.
# 2. What is the size of the sketch, in bits, as a formula? By doubling $\alpha$, or halving one of
#    $\varepsilon$, $\beta$, $s$, you halve it: which costs the least error? Try them in the second live figure.
# 3. With $\alpha = 3$ and $\varepsilon = 1$ a visit on one card loses $\ln 2$. For which $\varepsilon$ does it lose
#    exactly 1? Check with `one_entry_epsilon`.
# 4. A record is *replaced*: one visit is moved from one card to another. What can that lose under the raised parameter,
#    `one_entry_epsilon(3.0, 1.0)`? Say a bound first, then look for a pair that reaches it, on two cards with
#    `alp_log_probability` over `all_tables`: whole numbers of visits do not; why, and which entries do?
# 5. The list of `threshold_alp` takes half of $\varepsilon$ (`share=0.5`). Try 0.1 to 0.9 on the register at
#    $\varepsilon = 1$ and print the mean error of each group of `GROUPS` and `size_in_bits`. Which groups want a small
#    share, which a large one, and what does the share that is best for *all used* cost in bits?
# 6. *Challenge.* Likelihood steps read zeros lower and large entries worse. Write steps of your own, a function of the
#    sketch that gives (up, down). A mixture of the two changes nothing: why? Then give each level a public price, and
#    find a price with less error on average over all used cards. Who pays for it?
#
# A start for exercise 6:


# %%
def halfway_steps(sketch):
    return tuple(
        (one + other) / 2
        for one, other in zip(unit_steps(sketch), likelihood_steps(sketch), strict=True)
    )


made = alp_projection(register, 3, 256, 8_192, 1.0, np.random.default_rng(11))
print(
    "halfway: used cards err by "
    f"{np.abs(alp_estimate(made, cards, steps=halfway_steps) - visits).mean():.2f} visits"
)

# %% [markdown]
# ## When to use it, and when not
#
# The register at $\varepsilon = 1$ in numbers. The columns of groups are mean errors in visits; *bits read* are those
# looked at for one card, once its place is known. It is *one release* of each, as in the other tables of this page about
# the register: each mean is over many cards, and how many, with the largest standard error in each column, is printed
# above the table (*zeros* draw nothing). Rows closer than twice that have no winner.

# %%
epsilon, rng = 1.0, np.random.default_rng(19)
(noise_on_all, from_list, _, _), (size_all, size_list, _, _) = read_all(
    epsilon, 3.0, 32, 4_096, 19
)
plain = alp_projection(register, 3, 256, 32_768, epsilon, rng)
raised = alp_projection(register, 3, 256, 32_768, one_entry_epsilon(3.0, epsilon), rng)
both = threshold_alp(register, 3, 32_768, epsilon, rng)
final = {
    "noise on all, packed": (noise_on_all, size_all, round(size_all)),
    "zeros": (0 * truth, 0, 0),
    "threshold list": (from_list, size_list, 84),
    "ALP": (alp_estimate(plain, readers), plain.size_in_bits, plain.levels),
    "ALP, parameter raised": (
        alp_estimate(raised, readers),
        raised.size_in_bits,
        raised.levels,
    ),
    "ALP, likelihood steps": (
        alp_estimate(plain, readers, steps=likelihood_steps),
        plain.size_in_bits,
        plain.levels,
    ),
    "threshold ALP": (
        threshold_estimate(both, readers),
        both.size_in_bits,
        84 + both.sketch.levels,
    ),
}
rows = {
    name: [*(np.abs(read - truth)[group].mean() for group in members), size / 1e6, bits]
    for name, (read, size, bits) in final.items()
}
standard_errors = [
    max(
        np.abs(read - truth)[group].std() / math.sqrt(group.size)
        for name, (read, _, _) in final.items()
        if name != "zeros"
    )
    for group in members
]
for name, group, error in zip(GROUPS, members, standard_errors, strict=True):
    print(f"{name:<8} {group.size:>5,} cards: standard error at most {error:.2f} visits")
table = pd.DataFrame(rows, index=[*GROUPS, "Mbit", "bits read"]).T.round(2)
table.assign(**{"bits read": table["bits read"].map("{:,.0f}".format)})

# %% [markdown]
# (A packed release must be unpacked from the start to read one card; ALP reads a few dozen bits.)
#
# **Use it** when the domain is huge and nearly empty, entries are large compared with $1/\varepsilon$, single entries
# are looked up, and the size of the release matters. Take $\alpha$ from 2 to 4, at least 8 buckets an entry, and for a
# histogram the raised parameter. With a few very large entries take the thresholded form.
#
# **Do not use it**
#
# - when a *packed* number for every entry can be stored and unpacked (how many entries that is: the lines above the table
#   "Error against epsilon"): noise on all entries has less error everywhere, no bias, and sums work;
# - when only the largest entries matter: the list is shorter, and more accurate for them;
# - when the entries are about $1/\varepsilon$ or smaller: nothing here tells them from zeros;
# - for sums, ranges or averages over many entries: the bias of the zeros adds up ([chapter 08](08_histograms.ipynb) has trees for ranges);
# - when $\beta$ or the number of used entries is not known beforehand: both must be public, or paid for.
#
# ## Sources
#
# - **003** Martin Aumüller, Christian Janos Lebeda, Rasmus Pagh: *Differentially Private Sparse Vectors with Low Error,
#   Optimal Space, and Fast Access*. CCS 2021. [arXiv:2106.10068](https://arxiv.org/abs/2106.10068).
#   Algorithms 2 to 8, Lemmas 4.1, 4.12 to 4.14, 5.2 to 5.5. Its size bounds, $O(k\beta\varepsilon)$ bits (Lemma 4.13) and
#   $O(k \log(d + u))$ for the thresholded form with entries up to $u$ (Lemma 5.4), are the measured sizes here. Corrected
#   on this page: the letter in Algorithm 6. Added: the exact loss, the raised parameter, the likelihood steps, the packed
#   rival. We have not seen its own figures.
# - Arpita Ghosh, Tim Roughgarden, Mukund Sundararajan: *Universally Utility-Maximizing Privacy Mechanisms*. STOC 2009.
#   [doi:10.1145/1536414.1536464](https://doi.org/10.1145/1536414.1536464). Whole-number noise.
# - Aleksandra Korolova, Krishnaram Kenthapadi, Nina Mishra, Alexandros Ntoulas: *Releasing Search Queries and Clicks
#   Privately*. WWW 2009. [doi:10.1145/1526709.1526733](https://doi.org/10.1145/1526709.1526733). The thresholded list.
# - Graham Cormode, Cecilia Procopiuc, Divesh Srivastava, Thanh Tran: *Differentially Private Summaries for Sparse Data*.
#   ICDT 2012. The list in the time of its length.
# - Stanley Warner: *Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias*. Journal of the American
#   Statistical Association 1965. [doi:10.1080/01621459.1965.10480775](https://doi.org/10.1080/01621459.1965.10480775).
#   The coin under all of it.
#
# `dpbook` is for learning, not for real releases ([00](00_start_here.ipynb) says why).
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [19 Projection: compressing the records themselves](19_projection.ipynb) · **Next:** [21 Is it private? Testing a claim](21_audit.ipynb)
