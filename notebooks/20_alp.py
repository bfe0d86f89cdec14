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
# ALP packs the visits on a million insurance cards into a small table of noisy bits, from which any card's count can be
# read. The meter shows what the table reveals about a single visit.
#
# <details><summary>About 35 minutes, after 03 and 07: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [19 Projection: compressing the records themselves](19_projection.ipynb) · **Next:** [21 Is it private? Testing a claim](21_audit.ipynb)
#
# **Assignment 20:** [five tasks, checked in a second](../exercises/releases/20_alp.ipynb)
#
# "The paper" is Aumüller, Lebeda and Pagh (2021), who call their mechanism *approximate Laplace projection*.
#
# **What you will do:** follow one entry's walk through its bits; trade size against error for a whole register. Find
# the exact privacy loss of a bit, a visit and a visit in parts; overfill a table, and mend it.
#
# **Time:** about 35 minutes. A stopping point: the table "Error against epsilon".
#
# **You need:** [03 the Laplace mechanism](03_laplace.ipynb) and the idea of randomized response, in [07 local
# privacy](07_local.ipynb).
#
# **Real and synthetic:** the visits are of real people (RAND health insurance experiment), as are the answers of
# Fair's survey. The card numbers are *synthetic*: drawn once from a fixed seed.
#
# The letters are those of the paper: $x$ has $d$ entries, $k$ of them not 0. The resolution is $\alpha$, and $\beta$ the
# largest entry that counts. The table has $s$ buckets, $m$ levels and $m$ hash functions $h$.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import itertools
import math

import numpy as np

from dpbook.alp import move_loss, one_entry_epsilon
from dpbook.live import choice, live, log_slider
from dpbook.plots import figure, meter, set_meter, set_verdict_text, verdict_text

# %% jupyter={"source_hidden": true}
# Figure: the exact loss of one entry, one_entry_epsilon(...), move_loss(...), and the claim
fig, ax = figure(height=2.7)
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
    split = f"a visit in {parts:,} parts" if parts > 1 else "a whole visit"
    said = f"{split}: {f'{broken} of 4 claims broken' if broken else 'every claim holds'}"
    set_verdict_text(loss_verdict, not broken, said)
    return (
        f"privacy loss: one bit {math.log1p(alpha):.3f}, a visit on one card "
        f"{losses[0]:.3f}, in parts {losses[1]:.3f}; raised parameter {raised:.3f}"
    )


loss_figure = live(
    fig,
    real_losses,
    "Privacy meter with four bars: the loss of a visit on one card and of a visit spread over "
    "many cards, for the plain and for the raised parameter, against a dashed line at the "
    "claimed epsilon.",
    task="play *parts*: one visit is spread over more and more cards. Which claim breaks?",
    play="parts",
    epsilon=log_slider(0.1, 5, 1.0),
    alpha=choice([0.5, 1.0, 2.0, 3.0, 6.0], 3.0),
    parts=choice([1, 2, 5, 10, 20, 50, 100, 1_000], 1),
)
loss_figure

# %% [markdown]
# Each bar is the exact largest privacy loss, as a multiple of the claimed $\varepsilon$. *In parts* means that the
# visit is spread evenly over several cards. *Raised* is a larger parameter, derived below. It is right for [a whole
# visit](#move:parts=1) and breaks the claim for [a visit in 1,000 parts](#move:parts=1000). With [short
# levels](#move:alpha=0.5&parts=1) the plain claim is nearly used up already.
#
# ## A register of a million cards
#
# Each insured person holds a card with a number below a million. The register says how often each card has been
# used to see a doctor. Write $x_i$ for the number of visits with card $i$, $d$ for the number of cards, $k$ for the
# number of cards that were used. Most cards never were: $x$ is *sparse*.

# %% jupyter={"source_hidden": true}
# What the next sections import
import functools
import io
import zlib

import pandas as pd
from scipy import stats

from dpbook import data
from dpbook.alp import (
    Sketch,
    alp_estimate,
    alp_log_probability,
    alp_projection,
    likelihood_steps,
    plain_alp_estimate,
    plain_alp_projection,
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
from dpbook.amounts import amount, counted
from dpbook.guesses import predict
from dpbook.laplace import geometric_mechanism, laplace_mechanism
from dpbook.live import new_noise, show_source, slider, switch
from dpbook.plots import COLOURS, curves, legend_above, set_curves, show, x_axis, y_axis

# %%
visits = np.bincount(data.health_insurance_person(), data.health_insurance()["mdvis"].values)
visits = visits[visits > 0]
d, k = 1_000_000, visits.size
cards = np.sort(np.random.default_rng(20).choice(d, k, replace=False))
register = (cards, visits, d)
unused = np.setdiff1d(np.arange(0, d, 100), cards)
print(f"{d:,} cards, {k:,} of them used, {visits.sum():,.0f} visits")
half, busiest = np.median(visits), visits.max()
print(f"half of the used cards have at most {half:.0f} visits; the busiest has {busiest:.0f}")

# %% [markdown]
# **Neighbours** on this page are two registers at L1 distance at most 1: $\sum_i |x_i - x'_i| \le 1$. One more visit
# with one card is such a move. So we protect *a visit* (*event-level privacy*), not a person (*user-level privacy*); the
# page returns to that.
#
# ### Three releases that disappoint
#
# *Noise on the used cards only.* The list of used cards is itself an exact answer. Before the first visit a card is
# not in the list, afterwards it is. Seeing it there leaves no doubt.

# %% jupyter={"source_hidden": true}
# Computed: the privacy loss of being in the list of used cards
listed_before, listed_after = 0, 1
with np.errstate(divide="ignore"):
    loss = np.log(listed_after) - np.log(listed_before)
chances = f"{listed_before} before the first visit, {listed_after} after"
print(f"probability of being listed: {chances}; privacy loss {loss}")

# %% [markdown]
# *Noise on all cards.* It is private and right on average, but there are a million numbers to store, nearly all of them
# noise around 0. As floats they take 64 bits each. But visits are whole numbers, and so may the noise be
# (`geometric_mechanism`, [03](03_laplace.ipynb)). Then most of them are 0, 1 or $-1$, and they can be *packed*. A good
# coder needs $-\log_2 P(v)$ bits for a number $v$ that has probability $P(v)$.

# %%
everything = np.zeros(d, dtype=np.intp)
everything[cards] = visits
fractions = np.bincount(everything) / d


@functools.cache
def packed_bits(epsilon):
    """Bits of all d noisy whole numbers in the best code for their distribution:
    d times its entropy.
    """
    reach = math.ceil(40 / epsilon)  # larger noise has probability e^-40
    noise_probabilities = stats.dlaplace.pmf(np.arange(-reach, reach + 1), epsilon)
    probabilities = np.convolve(fractions, noise_probabilities)
    probabilities = probabilities[probabilities > 0]
    return -d * np.sum(probabilities * np.log2(probabilities))


noisy = geometric_mechanism(everything, 1, 1.0, np.random.default_rng(1))
top = np.argsort(-noisy)[:k]
zipped = 8 * len(zlib.compress(np.clip(noisy, -128, 127).astype(np.int8).tobytes(), 6))
floats, packed, zipped = (bits / 1e6 for bits in (64 * d, packed_bits(1.0), zipped))
print(f"floats {floats:.0f} million bits, packed {packed:.2f}, by plain zlib {zipped:.2f}")
print(f"mean error {np.abs(noisy - everything).mean():.2f} visits")
of_used = np.isin(top, cards).mean()
print(f"of the {k:,} largest noisy entries, {of_used:.0%} belong to used cards")

# %% [markdown]
# *Noise, and only what is above a threshold.* With the threshold $t = \ln(d/2)/\varepsilon$ only one of the unused
# cards is expected in the list. It is short, but it says nothing about most people:

# %%
t = zero_threshold(d, 1.0)
listed, values = threshold_vector(register, t, 1.0, np.random.default_rng(2))
missing, surplus = ~np.isin(cards, listed), np.sum(~np.isin(listed, cards))
print(f"threshold {t:.1f} visits: {listed.size:,} cards listed, {surplus} of them never used")
error = f"their mean error is {visits[missing].mean():.1f} visits"
print(f"{missing.mean():.0%} of the used cards are read as 0; {error}")

# %% [markdown]
# ALP aims between the last two. It wants the size of a short list, and the error of noise on every entry, however large
# the register.
#
# ## The idea: a number as a string of bits
#
# Write a number as ones, then zeros: five ones for five. Each place is a *level*. Flip each bit with some probability,
# as in randomized response. One flipped bit says little. But the *end* of the ones can still be found: walk along the
# bits, up one step at a one, down one at a zero. The walk tends upward as long as there are ones, and downward after
# them. So read off where it stands highest.

# %%
rng = np.random.default_rng(3)
honest = np.repeat([1, 0], [5, 7])
flipped = honest ^ (rng.random(12) < 0.2)
walk = np.concatenate([[0], np.cumsum(2 * flipped - 1)])
print("bits   ", *honest)
print("flipped", *flipped)
print("walk   ", *walk)
highest = np.flatnonzero(walk == walk.max())
print("highest at position", *highest, "- true position", honest.sum())

# %% [markdown]
# ### How many levels, and how much flipping
#
# A level stands for $\alpha/\varepsilon$ visits; so $x$ visits are $x\varepsilon/\alpha$ levels, *rounded at random*:
# 3.6 levels become 4 with probability 0.6, else 3. Each bit is flipped with probability
#
# $$p = \frac{1}{\alpha + 2} .$$
#
# A large $\alpha$ gives few, reliable bits; a small one many bits that are little better than coins. The bits end at
# $\beta$ visits, after $m = \lceil \beta\varepsilon/\alpha \rceil$ levels. Larger entries count as $\beta$.

# %% jupyter={"source_hidden": true}
# Computed: for six values of alpha, the probability of a flip, the loss of a bit, and the levels
tried = np.array([0.5, 1, 2, 3, 6, 10])
table = {
    "alpha": tried,
    "probability of a flip": 1 / (tried + 2),
    "loss of a bit": np.log1p(tried),
    "levels, beta = 200, epsilon = 1": np.ceil(200 / tried).astype(int),
}
pd.DataFrame(table).set_index("alpha").round(3)

# %% [markdown]
# ### One entry and its walk
#
# Here one entry is alone in a table. Above are its noisy bits; a tick is a one. Below is the walk, divided by the number
# of levels. The dots mark where it is highest, and the estimate is their average.

# %% jupyter={"source_hidden": true}
# Figure: alp_projection of one entry, its bits, and the walk of alp_estimate
fig, (bits_ax, walk_ax) = figure(
    rows=2, height=3.4, sharex=True, gridspec_kw={"height_ratios": [1, 6]}
)
ones_ticks = curves(bits_ax, [0], {" ": "noisy |"}, markersize=11)[0]
y_axis(bits_ax, "ones", (-1, 1), {})
walk_verdict = verdict_text(bits_ax)
walk_line, tops = curves(walk_ax, [0], {"walk": "noisy", "highest": "other o"})
true_line = walk_ax.axvline(0, color=COLOURS.true, linewidth=2, label="true")
estimate_line = walk_ax.axvline(0, color=COLOURS.other, linestyle="--", label="estimate")
x_axis(walk_ax, "visits", (-2, 107))
y_axis(walk_ax, "height of the walk,\nper level", (-1, 1))
legend_above(fig)


def one_walk(visits_of_card, epsilon, alpha, seed):
    x, rng = ([0], [visits_of_card], 1), np.random.default_rng(seed)
    single = alp_projection(x, alpha, 100, 1, epsilon, rng)
    bits = single.bits[:, 0] & 1  # with one bucket there is nothing to hash
    heights = np.concatenate([[0], np.cumsum(2.0 * bits - 1)])
    unit, estimate = alpha / epsilon, float(alp_estimate(single, 0))
    highest = np.flatnonzero(heights == heights.max())
    ones_ticks.set_data(unit * (1 + np.flatnonzero(bits)), np.zeros(bits.sum()))
    walk_line.set_data(unit * np.arange(heights.size), heights / single.levels)
    tops.set_data(unit * highest, heights[highest] / single.levels)
    true_line.set_xdata([visits_of_card] * 2)
    estimate_line.set_xdata([estimate] * 2)
    off = f"true {visits_of_card}, estimate {estimate:.1f}"
    off = f"{off}: off by {abs(estimate - visits_of_card):.1f}"
    set_verdict_text(walk_verdict, None, off)
    each = "1 visit" if unit == 1 else f"{unit:.3g} visits"
    flips = f"bits flipped with probability {1 / (alpha + 2):.2f}"
    return f"{counted(single.levels, 'level')} of {each}, {flips}; {off}"


walk_figure = live(
    fig,
    one_walk,
    "Top: ticks at the levels whose noisy bit is one. Bottom: the walk that goes up at ones "
    "and down at zeros, with dots where it is highest, a solid line at the true number of "
    "visits and a dashed line at the estimate.",
    task="press *New noise* ten times and watch the estimate.",
    guess=predict(
        "Lower alpha from 3 to 0.5. Into how many levels is the entry written then?",
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
# Compare [alpha 0.5](#move:alpha=0.5&visits_of_card=30) with [alpha 10](#move:alpha=10&visits_of_card=30): small levels
# make the estimate jump, large ones make it coarse. An entry [of 0 visits](#move:visits_of_card=0&alpha=3) is often read
# too high, and one [beyond 100](#move:visits_of_card=104&alpha=3&epsilon=1) is read as 102 at most.
#
# ### The estimator, and the tops that tie
#
# A walk often stands highest at several places. The paper averages them *all*, and position 0, before the first bit,
# is one of the places:

# %%
show_source(plain_alp_estimate)  # alp_estimate reads many entries at once

# %% [markdown]
# Both matter. Here are 4,000 entries of each size at $\varepsilon = 1$, read in four ways:


# %%
def read_in_four_ways(value, copies=4_000, alpha=3.0):
    """Mean absolute errors of walks of entries that have a table to themselves."""
    levels = math.ceil(100 / alpha)
    generator = np.random.default_rng(4)
    heights = np.floor(value / alpha + generator.random((copies, 1)))
    flips = generator.random((copies, levels)) < 1 / (alpha + 2)
    bits = (np.arange(levels) < heights) ^ flips
    walks = np.pad(np.cumsum(2 * bits - 1, axis=1), ((0, 0), (1, 0)))
    at_top = walks == walks.max(axis=1, keepdims=True)
    without_0 = walks[:, 1:] == walks[:, 1:].max(axis=1, keepdims=True)
    places = np.arange(walks.shape[1])
    readings = {
        "average of all": (at_top * places).sum(axis=1) / at_top.sum(axis=1),
        "first": at_top.argmax(axis=1),
        "last": places[-1] - at_top[:, ::-1].argmax(axis=1),
        "average, without 0": (without_0 * places[1:]).sum(axis=1) / without_0.sum(axis=1),
    }
    return {name: np.abs(alpha * place - value).mean() for name, place in readings.items()}


rows = {counted(value, "visit"): read_in_four_ways(value) for value in (0, 1, 5, 20, 50)}
pd.DataFrame(rows).T.round(2)

# %% [markdown]
# The first top is best for small entries, an average for large ones; the last top reads zeros far too high. Leaving out
# position 0 means that an empty entry can never be read as 0.
#
# ## The mechanism
#
# A table with a column for each of a million cards would be as large as before. So on each level the cards share $s$
# *buckets*, as in a Bloom filter. A public hash function $h_b$ says into which bucket card $i$ puts its bit of level $b$.
# Where a one and a zero meet, the one wins. Then every bit of the table is flipped or not:
#
# > **Definition 20.1 (ALP; Aumüller et al. 2021, Algorithms 2 and 4).** With entries up to $\beta$, a resolution $\alpha$ and
# > $m = \lceil\beta\varepsilon/\alpha\rceil$ levels, release the hash functions and $\tilde z$:
#
# $$z_{b,a} = 1 \iff \text{some } i \text{ has } h_b(i) = a \text{ and at least } b \text{ levels}, \qquad
# \tilde z_{b,a} = z_{b,a} \oplus \text{coin}\left(\tfrac{1}{\alpha+2}\right).$$

# %%
show_source(plain_alp_projection)  # alp_projection sets and flips many bits at once

# %% [markdown]
# The hash functions mix the card number, the level and a seed. The seed is drawn independently of the data and released
# with the table. (Here one generator draws both; in a real release the coins must not come from the published seed.)

# %%
rng = np.random.default_rng(5)
sketch = alp_projection(register, alpha=3, beta=256, buckets=16_384, epsilon=1.0, rng=rng)
estimates = alp_estimate(sketch, cards)
nothing = alp_estimate(sketch, unused)
size = f"{sketch.size_in_bits / 1e6:.2f} million bits"
print(f"{sketch.levels} levels x {sketch.buckets:,} buckets = {size}")
print(f"used cards: mean error {np.abs(estimates - visits).mean():.1f} visits")
mean, zeros = nothing.mean(), np.mean(nothing == 0)
print(f"unused cards: read as {mean:.1f} on average; {zeros:.0%} as exactly 0")
busiest = np.argsort(-visits)[:5]
true, read = visits[busiest].astype(int), np.round(estimates[busiest], 1)
print("the five busiest: true", *true, "- read", *read)

# %% [markdown]
# A sketch can be saved, sent, and read by anybody who has the parameters stored with it. Reading one entry touches one
# bit a level and nothing else.

# %%
file = io.BytesIO()  # or a path that ends in .npz
save_sketch(file, sketch)
file.seek(0)
copy = read_sketch(file)
assert np.array_equal(alp_estimate(copy, cards), estimates)
kilobytes = file.getbuffer().nbytes / 1e3
print(f"saved in {kilobytes:.0f} kilobytes; one entry reads {copy.levels} of its bits")

# %% [markdown]
# ### Why it is private
#
# > **Theorem 20.2 (Aumüller et al. 2021, Lemma 4.12).** ALP is $\varepsilon$-DP for registers at L1 distance at most 1.
#
# <details><summary>Proof: a move of delta changes one more bit with probability delta over alpha.</summary>
#
# *One bit.* If the true bit is 1 the released one is 1 with probability $(\alpha+1)/(\alpha+2)$, else with
# $1/(\alpha+2)$: a ratio of $1 + \alpha$.
#
# *One entry.* Move an entry by $\delta \le \alpha$ (after scaling by $\varepsilon$) from the bottom of a level, which
# is the worst case. Its next bit becomes 1 with probability $\delta/\alpha$, so the ratio is at most
#
# $$1 - \frac{\delta}{\alpha} + \frac{\delta}{\alpha}(1 + \alpha) = 1 + \delta \le e^{\delta} .$$
#
# *Several entries or levels.* Bits are flipped independently, so the logs add up: at most
# $\|x\varepsilon - x'\varepsilon\|_1 \le \varepsilon$. A collision can only hide a change. The hash functions are the
# same for both registers. $\square$
#
# </details>
#
# A table of a few bits has few possible outcomes, and `alp_log_probability` gives the exact probability of each. So the
# guarantee can be checked without a proof, for 45 pairs of neighbours with two cards:


# %%
def all_tables(alpha, epsilon, seed, levels=3, buckets=2):
    """Every table of this size, bit for bit."""
    for bits in itertools.product((0, 1), repeat=levels * buckets):
        rows = np.packbits(np.reshape(bits, (levels, buckets)), axis=1, bitorder="little")
        yield Sketch(rows, 2, buckets, alpha, levels * alpha / epsilon, epsilon, seed)


rng, largest = np.random.default_rng(6), 0.0
for seed in range(15):
    tables = list(all_tables(alpha=1.0, epsilon=1.0, seed=seed))
    for _ in range(3):
        here, part, signs = rng.uniform(0, 2, 2), rng.random(), rng.choice([-1, 1], 2)
        there = np.maximum(here + signs * [part, 1 - part], 0)
        logs = [[alp_log_probability(tab, x) for tab in tables] for x in (here, there)]
        assert np.allclose(np.exp(logs).sum(axis=1), 1)
        largest = max(largest, np.abs(np.subtract(*logs)).max())
print(f"45 pairs, 64 tables each: largest privacy loss {largest:.3f}, claimed 1")
assert largest <= 1

# %% [markdown]
# ## Live: the whole register
#
# The figure reads all used cards and 2,000 unused ones. Left: true visits and estimates. Right: the mean error of each
# group of cards in four releases with the same $\varepsilon$ (errors below 0.02 are drawn there). *Threshold ALP* has
# a section below. Under the picture: their sizes, *noise on all* packed.

# %%
GROUPS = {"unused": (0, 0), "1-5": (1, 5), "6-20": (6, 20), "21-60": (21, 60)}
GROUPS |= {"over 60": (61, 10**6)}
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
    of_list = listed.size * 84  # 20 bits for a card, 64 for its value
    return readings, [packed_bits(epsilon), of_list, small.size_in_bits, both.size_in_bits]


# %% jupyter={"source_hidden": true}
# Figure: read_all(epsilon, alpha, beta, buckets, seed): the mean error in each group of cards
RELEASES = ["noise on all", "threshold list", "ALP", "threshold ALP"]
LOOKS = dict(zip(RELEASES, ["grey s:", "other v--", "noisy o-", "third D-."], strict=True))
fig, (cloud_ax, group_ax) = figure(columns=2, height=3.3, gridspec_kw={"width_ratios": [2, 3]})
curves(cloud_ax, [0, 220], {" ": "true"}, [[0, 220]], linewidth=1)
cloud = curves(cloud_ax, truth, {" ": "noisy ."}, [truth], markersize=2.5)[0]
x_axis(cloud_ax, "true visits", (-5, 220))
y_axis(cloud_ax, "estimate of ALP, visits", (-5, 220))
group_lines = curves(group_ax, range(5), LOOKS, clip_on=False, in_layout=False)
x_axis(group_ax, "true visits of the card", ticks=dict(enumerate(GROUPS)))
label = "mean error, visits (log scale;\n0.02 or less at the foot)"
y_axis(group_ax, label, (0.02, 200), [0.1, 1, 10, 100], log=True)
register_verdict = verdict_text(cloud_ax)
legend_above(fig)


def four_releases(epsilon, alpha, beta, buckets):
    readings, sizes = read_all(epsilon, alpha, beta, buckets, 1)
    errors = [np.abs(reading - truth) for reading in readings]
    means = [[error[group].mean() for group in members] for error in errors]
    set_curves(group_lines, np.clip(means, 0.02, 200))
    dots = np.unique(truth + 1j * readings[2])  # many cards share a place
    cloud.set_data(dots.real, dots.imag)
    of_alp, of_noise = amount(sizes[2] / 1e6, 2), amount(sizes[0] / 1e6, 2)
    words = f"{of_alp} million bits for ALP, {of_noise} for noise on all"
    set_verdict_text(register_verdict, None, words)
    named = zip(RELEASES, sizes, strict=True)
    megabits = ", ".join(f"{name} {amount(size / 1e6, 3)}" for name, size in named)
    return f"size in million bits: {megabits}"


register_figure = live(
    fig,
    four_releases,
    "Left: cloud of estimates against true visits, with a diagonal. Right: mean error on a "
    "log axis for unused cards and four groups of used cards, one line for each of four "
    "releases.",
    task=r"move *buckets* to 4,096, below $k$: which cards suffer? Then back, and $\beta$ to "
    r"32.",
    guess=predict(
        "Take ε from 1 to 0.1. How many million bits does the ALP sketch need then?",
        (0, 3, " million bits"),
        r"ALP ([\d.]+)",
        epsilon=0.1,
    ),
    epsilon=log_slider(0.1, 4, 1.0),
    alpha=choice([1.0, 2.0, 3.0, 4.0, 6.0, 10.0], 3.0),
    beta=choice([32, 64, 128, 256, 512], 256, label="beta, visits"),
    buckets=choice([4_096, 8_192, 16_384, 32_768, 65_536], 16_384),
)
register_figure

# %% [markdown]
# [Take epsilon to 0.1](#move:epsilon=0.1&buckets=16384&beta=256). Which release is best for cards with 6 to 20 visits,
# and at which size?
#
# ## Error against epsilon
#
# The table compares the same four for several $\varepsilon$, with $\alpha = 3$, 32,768 buckets and $\beta = 256$. A fifth
# reads every card as 0. *All used* is the mean error over all used cards, with its standard error. One release of each
# is enough, since it averages over thousands of cards; the first lines check that against 20 releases.

# %% jupyter={"source_hidden": true}
# Computed: the errors and sizes of five releases at four epsilons, and a check on 20 releases
means, deviations = [], []
for seed in range(20):
    made = alp_projection(register, 3.0, 256, 32_768, 1.0, np.random.default_rng(seed))
    errors = np.abs(alp_estimate(made, cards, patience=64) - visits)
    means.append(errors.mean())
    deviations.append(errors.std() / math.sqrt(k))
print(f"ALP, epsilon 1, 20 releases: mean error {np.mean(means):.2f} visits,")
spread, alone = np.std(means, ddof=1), np.mean(deviations)
print(f"    from release to release ± {spread:.3f}; one release alone says ± {alone:.3f}")
rows = {}
for epsilon in (0.1, 0.3, 1.0, 3.0):
    readings, sizes = read_all(epsilon, 3.0, 256, 32_768, 7)
    found = zip([*RELEASES, "zeros"], [*readings, 0 * truth], [*sizes, 0], strict=True)
    for name, reading, size in found:
        errors = np.abs(reading - truth)
        used = errors[2_000:]
        rows[epsilon, name] = {
            "error, unused": errors[:2_000].mean(),
            "error, all used": used.mean(),
            "standard error": used.std() / math.sqrt(k),
            "million bits": size / 1e6,
        }
    # a sketch has one size, packed noise a size in proportion to the cards: here a million
    larger = f"{sizes[2] / sizes[0]:.2f} million cards"
    print(f"epsilon {epsilon}: ALP is the smaller for registers above {larger}")
table = pd.DataFrame(rows).T.rename_axis(["epsilon", "release"])
shown = table.map(amount)
shown["standard error"] = table["standard error"].map(lambda error: amount(error, 2))
shown

# %% [markdown]
# ALP's error is a few times $1/\varepsilon$, as with noise on every entry, and never better. Its size
# is smaller for small $\varepsilon$. Its table has $m s$ bits, and $m$ grows with $\varepsilon$; a noisy whole number
# packs better the less noise it has. At $\varepsilon = 1$ and 3, packed noise on *this* register is smaller than these
# 32,768 buckets *and* far more accurate. So ALP is for registers much larger than its table, or where single entries must be read without
# unpacking a million others. The lines above the table say how large.
#
# Compare also the *list* and *zeros*. At $\varepsilon = 0.1$ reading everybody as 0 beats ALP, because the visits
# themselves are smaller than the noise.
#
# > **A good place to stop.** What follows looks at single errors, at exact losses, and at crowded tables.
#
# ## How far off can one entry be?
#
# > **Theorem 20.3 (tail and maximum; compare Aumüller et al. 2021, Lemmas 4.14 and 5.5).** Without collisions an entry
# > of at most $\beta$ is read wrong by $\tau$ or more with probability at most $4\,(4p(1-p))^{L/2}$,
# > $p = 1/(\alpha+2)$, $L = \lfloor\tau\varepsilon/\alpha\rfloor$. So, for a fixed $\alpha$, the mean error is
# > $O(1/\varepsilon)$, and the largest of $d$ errors is $O(\log d/\varepsilon)$ in expectation.
#
# <details><summary>Proof: a walk that tends down seldom comes back after L steps.</summary>
#
# Suppose the walk's top is $L$ or more levels from the true end of the ones. Then the walk, which tends down from that
# end in both directions, is back at its height after $L$ steps or more.
#
# **Theorem 20.4 (a walk that comes back).** Let $S_L$ be the sum of $L$ independent steps, $+1$ with probability
# $p < \frac12$ and $-1$ else. The walk is at 0 or above at step $L$ or later with probability $P(S_L \ge 0) + P(S_L > 0) \le 2\,(4p(1-p))^{L/2}$.
#
# From $-j$ it ever gets back to 0 with probability $(p/(1-p))^j$, and $P(S_L = -j)\,(p/(1-p))^j = P(S_L = j)$.
# Sum over $j > 0$, and add $P(S_L \ge 0)$.
#
# Theorem 20.3 has two sides, each by 20.4; rounding and averaging shift by less than a level. Sum over $\tau$; union
# over $d$. $\square$ (The paper has a tail with the same base $4p(1-p)$.)
#
# </details>
#
# Below are 20,000 entries of 50 with room for themselves, at $\varepsilon = 1$, $\alpha = 3$. How large is the largest
# error in groups of growing size?

# %% jupyter={"source_hidden": true}
# Computed: how often ALP is off by 6 to 24 visits, and the largest error in groups of 1 to 20,000
many = (np.arange(20_000), np.full(20_000, 50.0), d)
roomy = alp_projection(many, 3, 100, 320_000, 1.0, np.random.default_rng(18))
halved = threshold_alp(many, 3, 320_000, 1.0, np.random.default_rng(18))
noise = geometric_mechanism(np.zeros(20_000, dtype=int), 1, 1.0, np.random.default_rng(18))
off = {
    "noise on all": np.abs(noise),
    "ALP": np.abs(alp_estimate(roomy, many[0]) - 50),
    "threshold ALP": np.abs(threshold_estimate(halved, many[0]) - 50),
}
levels_off = np.array([6, 12, 18, 24])
for visits_off, most in zip(levels_off, tail_bound(levels_off, 3, 1.0), strict=True):
    often = f"{np.mean(off['ALP'] >= visits_off):.4f} of the cases, at most {most:.4f}"
    print(f"ALP is off by {visits_off:>2} visits or more in {often}", end=" ")
    print("by Theorem 20.4 on both sides")
largest_of = {}
for group in (1, 10, 100, 1_000, 20_000):
    means = [errors.reshape(-1, group).max(axis=1).mean() for errors in off.values()]
    largest_of[f"largest of {group:,}"] = means
pd.DataFrame(largest_of, index=list(off)).round(1)

# %% [markdown]
# All three grow like a logarithm; ALP's stops where its table ends.
#
# ### The best alpha
#
# A level has a resolution of $\alpha/\varepsilon$ visits and takes $\ln(1+\alpha)$ of the budget. The figure has errors
# of entries with room for themselves, at $\varepsilon = 1$: medians over 20 releases of the mean error of 40 entries.

# %%
alphas = np.array([0.5, 1, 1.5, 2, 3, 4, 6, 10])
sizes_of_entry = (0, 5, 20, 100)


def error_of_forty(value, alpha):
    forty, errors = (np.arange(40), np.full(40, float(value)), d), []
    for rng in map(np.random.default_rng, range(20)):
        roomy = alp_projection(forty, alpha, 200, 2_000, 1.0, rng)
        errors.append(np.abs(alp_estimate(roomy, forty[0], patience=64) - value).mean())
    return np.median(errors)


errors = np.array([[error_of_forty(value, one) for one in alphas] for value in sizes_of_entry])

# %% jupyter={"source_hidden": true}
# Figure: the errors computed above, against alpha
fig, ax = figure(height=2.8)
looks = dict(zip(sizes_of_entry, ["grey s-", "noisy o-", "other v-", "third D-"], strict=True))
curves(ax, alphas, {f"{value} visits": look for value, look in looks.items()}, errors)
x_axis(ax, "alpha", ticks=alphas, log=True)
y_axis(ax, "mean error, visits", (0, 10))
legend_above(fig)
show(
    fig,
    "Mean error against alpha for entries of 0, 5, 20 and 100 visits: high below alpha 1, "
    "flat from 2 to 6.",
)
means = errors.mean(axis=0)
print(f"mean over the four sizes: {means[0]:.1f} visits at alpha 0.5, {means[4]:.1f} at 3")

# %% [markdown]
# ## What a visit really loses
#
# The proof bounds the loss of a move by its distance. The exact loss is smaller when *one* entry moves by 1, as it does
# when a record is added to a histogram. It is $n \ln(1+\alpha) + \ln(1+r)$, where $\varepsilon = n\alpha + r$ with
# $0 \le r < \alpha$.

# %%
show_source(move_loss)

# %% jupyter={"source_hidden": true}
# Computed: the largest loss over all tables of three bits, and move_loss
tables = list(all_tables(alpha=1.0, epsilon=1.0, seed=0, buckets=1))
for move in ((0, 1), (0.5, 1.5), (1, 2)):
    logs = [[alp_log_probability(tab, [v, 0.0]) for tab in tables] for v in move]
    largest = np.abs(np.subtract(*logs)).max()
    print(f"from {move[0]} to {move[1]}: largest loss over all tables {largest:.3f}")
print(f"move_loss: {move_loss(1, alpha=1.0, epsilon=1.0):.3f}, claimed 1")

# %% [markdown]
# The definition also covers neighbours that differ by a *little in many entries*. There $\varepsilon$ is nearly used
# up: that is the second bar of the meter at the top of the page, with [ten parts](#move:parts=10&alpha=3).
#
# ### A raised parameter for the same guarantee
#
# In a histogram a record moves one entry by 1, never many by a little. For *that* guarantee one may solve the exact
# loss for its parameter: `one_entry_epsilon`. With $\alpha \ge e^\varepsilon - 1$ it is $e^\varepsilon - 1$. The error
# falls by about the factor by which the parameter grows.

# %%
show_source(one_entry_epsilon)

# %% jupyter={"source_hidden": true}
# Computed: errors with epsilon and with the raised parameter, medians over 20 releases
print("medians over 20 releases of the mean error, as it is and with the raised parameter:")
for epsilon in (0.1, 0.5, 1.0, 2.0):
    raised = one_entry_epsilon(3.0, epsilon)
    means = []
    for parameter in (epsilon, raised):
        off = []
        for seed in range(20):
            # each release holds every twentieth card, in a table of that part of the size
            part, true = cards[seed::20], visits[seed::20]
            rng = np.random.default_rng(seed)
            made = alp_projection((part, true, d), 3, 256, 1_638, parameter, rng)
            off.append(np.abs(alp_estimate(made, part) - true).mean())
        means.append(np.median(off))
    gives = f"parameter {raised:.3f}, which gives a visit loss {move_loss(1, 3, raised):.3f}"
    print(f"epsilon {epsilon}: {means[0]:.1f} and {means[1]:.1f} visits ({gives})")
loss = 1000 * move_loss(1e-3, 3, one_entry_epsilon(3.0, 1.0))
print(f"but a visit in 1,000 parts would have loss {loss:.2f} at epsilon 1")

# %% [markdown]
# ## Crowded tables
#
# The paper asks for $s > 2k$ buckets and then shows an error of $O(1/\varepsilon)$. How large is the constant? Take the
# worst case: $k = 1{,}000$ entries that reach up to $\beta$, so that every level is as full as the lowest. A *stranger*
# (unused card) then meets somebody's one with probability near $1 - e^{-k/s}$ on every level. Its walk hardly falls,
# and its top is anywhere. A tenth of it is enough: 100 such entries in $s/10$ buckets, and medians over 20 releases.

# %% jupyter={"source_hidden": true}
# Computed: how empty cards and full ones are read in crowded tables, by two kinds of steps
crowd = (np.arange(100), np.full(100, 1_000.0), d)
strangers = np.arange(500_000, 504_000)
per_entry = np.array([2.01, 3, 4, 8, 16])
names = {unit_steps: "steps of the paper", likelihood_steps: "likelihood steps"}
rows = []
for ratio in per_entry:
    runs = []
    for seed in range(20):
        rng, run = np.random.default_rng(seed), []
        crowded = alp_projection(crowd, 3, 1_000, int(100 * ratio), 1.0, rng)
        for steps in names:
            zeros = alp_estimate(crowded, strangers[:200], steps=steps)
            own = alp_estimate(crowded, crowd[0], steps=steps)
            run += [zeros.mean(), np.median(zeros), np.abs(own - 1_000).mean()]
        runs.append(run)
    rows.append(np.median(runs, axis=0))
columns = pd.MultiIndex.from_product([names.values(), ["zeros: mean", "median", "own error"]])
pd.DataFrame(rows, columns=columns, index=pd.Index(np.round(per_entry), name="s / k")).round(1)

# %% [markdown]
# With $2k$ buckets an empty card is read as tens of visits: the bound holds, with a constant of that size. Sixteen
# buckets an entry bring it down to a few.
#
# **Better steps, free of charge.** How full each level is can be read off the released table itself. A one on a level
# that is nearly full of ones says little, a zero there says much. `likelihood_steps` weighs them accordingly: the walk
# becomes the log likelihood of each position. It only looks at the release, so it is post-processing. In a crowd it
# reads zeros far better, and large entries worse.

# %%
show_source(likelihood_steps)

# %% jupyter={"source_hidden": true}
# Computed: the register in 8,192 buckets, read by both kinds of steps
reads = {steps: [] for steps in names}
for seed in range(20):
    # each release holds every twentieth card, in a table of that part of 8,192
    part, true, rng = cards[seed::20], visits[seed::20], np.random.default_rng(seed)
    crowded = alp_projection((part, true, d), 3, 256, 410, 1.0, rng)
    for steps in names:
        off = np.abs(alp_estimate(crowded, part, steps=steps) - true).mean()
        reads[steps].append((off, alp_estimate(crowded, unused[:250], steps=steps).mean()))
print("register, 8,192 buckets, medians of 20:")
for steps, name in names.items():
    off, zeros = np.median(reads[steps], axis=0)
    print(f"    {name + ':':<20} used cards err by {off:.1f}, unused are read as {zeros:.1f}")

# %% [markdown]
# ## Live: strangers in a crowd
#
# A table holds $k = 1{,}000$ cards that all reach the top. The figure has the walks of 40 unused cards and of one of those.

# %% jupyter={"source_hidden": true}
# Figure: alp_projection with these buckets, and the walks of 40 strangers
fig, ax = figure(height=3.2)
stranger_line = curves(ax, [0], {"empty entries": "light"}, linewidth=0.8)[0]
resident_line = curves(ax, [0], {"an entry of 150 visits": "other"}, linewidth=2)[0]
stranger_tops = curves(ax, [0], {"their highest points": "noisy ."})[0]
x_axis(ax, "visits", (0, 151))
y_axis(ax, "height of the walk,\nper level", (-1.6, 1.6))
crowd_verdict = verdict_text(ax)
legend_above(fig)


def crowd_walks(buckets, alpha, weigh, seed):
    shared = (np.arange(1_000), np.full(1_000, 150.0), d)
    made = alp_projection(shared, alpha, 150, buckets, 1.0, np.random.default_rng(seed))
    steps = likelihood_steps if weigh else unit_steps
    up, down = (step[:, None] for step in steps(made))
    bits = read_bits(made, np.append(0, strangers[:40]), np.arange(made.levels))
    heights = np.pad(np.cumsum(np.where(bits, up, down), axis=0), ((1, 0), (0, 0)))
    heights = heights / made.levels
    places = alpha * np.arange(made.levels + 1)
    resident_line.set_data(places, heights[:, 0])
    gap = np.full((1, 40), np.nan)  # one line for all 40, lifted between two walks
    forty = np.vstack([heights[:, 1:], gap]).ravel("F")
    stranger_line.set_data(np.tile(np.append(places, np.nan), 40), forty)
    highest = heights[:, 1:].argmax(axis=0)
    stranger_tops.set_data(places[highest], heights[:, 1:].max(axis=0))
    read = alp_estimate(made, strangers, steps=steps).mean()
    set_verdict_text(crowd_verdict, None, f"empty entries are read as {read:.0f} visits")
    empty = f"4,000 empty entries are read as {read:.1f} visits on average"
    return f"{made.ones.mean():.0%} of the table are ones; {empty}"


crowd_figure = live(
    fig,
    crowd_walks,
    "Forty thin walks of empty entries with dots at their highest points. One thick walk of "
    "an entry of 150 visits rises nearly all the way.",
    task="move *buckets* down until the walks of the strangers stop falling.",
    guess=predict(
        "Take 1,000 buckets instead of 4,000. As how many visits are empty entries read?",
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
# ALP needs $\beta$ levels for its largest entry, however few such entries there are. The paper's remedy: a part of
# $\varepsilon$, here half, buys the list of large entries, the rest a sketch up to its threshold.

# %%
show_source(threshold_vector)
show_source(threshold_alp)

# %% [markdown]
# <details><summary>How the list is drawn without noise on a million entries.</summary>
#
# The number of unused cards above the threshold is binomial, and their places are uniform among the unused. By how much
# a Laplace variable exceeds a threshold is exponential. The result has the distribution of noise on every card.
#
# </details>
#
# Below is one release each, with the standard error over its cards.

# %% jupyter={"source_hidden": true}
# Computed: ALP and its thresholded form where the largest entry is 1, 10 and 100 times as large
rows = []
for scale in (1, 10, 100):
    grown = (cards, scale * visits, d)
    plain = alp_projection(grown, 3, 256 * scale, 16_384, 1.0, np.random.default_rng(12))
    both = threshold_alp(grown, 3, 16_384, 1.0, np.random.default_rng(12))
    ways = {"ALP": (plain, alp_estimate), "threshold ALP": (both, threshold_estimate)}
    for name, (release, read) in ways.items():
        errors = np.abs(read(release, cards, patience=64) - scale * visits)
        own_error, size = errors.std() / math.sqrt(k), release.size_in_bits / 1e6
        rows.append((f"{visits.max() * scale:,.0f}", name, errors.mean(), own_error, size))
columns = ["largest entry", "release", "mean error, used", "standard error", "million bits"]
pd.DataFrame(rows, columns=columns).set_index(["largest entry", "release"]).round(2)

# %% [markdown]
# ### Is there a hole beside the threshold?
#
# $\beta$ equals the threshold $t$. An entry a little above $t$ misses the list in nearly half of the cases. Then only
# the sketch knows of it, and the sketch ends at $t$. The figure has mean errors of 50 entries at $\varepsilon = 1$,
# medians over 20 releases.
#
# <details><summary>Where the hole would be deepest: one over epsilon above the threshold.</summary>
#
# An entry at $t + u$ is missed with probability $\frac12 e^{-u\varepsilon_1}$, with $\varepsilon_1$ the list's part. The
# sketch is then short by $u$. The product is largest at $u = 1/\varepsilon_1$.
#
# </details>

# %%
epsilon, copies = 1.0, np.arange(50)
t_half, most = zero_threshold(d, epsilon / 2), 0.5 / math.e / (epsilon / 2)
added = f"most that the cut at beta adds: {most:.2f} visits"
print(f"threshold with half of epsilon {t_half:.1f}; {added}")
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


runs = [[three_errors(value, seed) for seed in range(20)] for value in sizes_of_entry]
medians = np.median(runs, axis=1).T
lines = dict(zip(("ALP", "threshold ALP", "threshold list"), medians, strict=True))

# %% jupyter={"source_hidden": true}
# Figure: the errors computed above, against the size of the entry
fig, ax = figure(height=2.8)
curves(ax, sizes_of_entry, {name: LOOKS[name] for name in lines}, lines.values())
ax.axvline(t_half, color=COLOURS.grey, linestyle=":", label="threshold, half of epsilon")
x_axis(ax, "entry, visits")
y_axis(ax, "mean error, visits", (0, 16))
legend_above(fig)
show(
    fig,
    "Mean error against the size of the entry: ALP nearly flat, threshold ALP higher below "
    "its threshold and lower above, the list alone rising to its threshold and then falling "
    "to 1.",
)

# %% jupyter={"source_hidden": true}
# Computed: the same errors as a table
pd.DataFrame(lines, index=pd.Index(sizes_of_entry, name="visits")).round(1).T

# %% [markdown]
# There is hardly any: less than half a visit. The price is elsewhere. Below the threshold the sketch has only half of
# $\varepsilon$, above it the list has only half.
#
# ## Where it breaks
#
# **1. A cut at the wrong letter.** The paper's Algorithm 6 adds noise, $v_i = x_i + \eta_i$, and then keeps the entries
# with $y_i \ge t$ (erratum [E92](22_errata.ipynb#E92)). Our copy does not define $y_i$. If somebody takes it for the
# entry *before* any noise, the list tells $x = t$ from $t - 1$ with certainty. As meant ($v_i \ge t$), the exact loss
# is at most $\varepsilon$:

# %% jupyter={"source_hidden": true}
# Computed: the probability of being listed at t and at t - 1, cut by v and cut by y
edge, epsilon = 20.0, 0.5
at, below = (0.5 * math.exp(-epsilon * (edge - value)) for value in (edge, edge - 1))
as_meant = max(abs(math.log(at / below)), abs(math.log((1 - at) / (1 - below))))
seen = []
for value in (edge, edge - 1):
    rngs = map(np.random.default_rng, range(4_000))
    lists = [threshold_vector(([2], [value], 3), edge, epsilon, rng)[0] for rng in rngs]
    seen.append(np.mean([listed.size for listed in lists]))
beside = f"seen {seen[0]:.2f}, {seen[1]:.2f}"
print(f"cut by v: listed with probability {at:.3f} or {below:.3f} ({beside}),")
print(f"          loss {as_meant:.3f}, claimed {epsilon}")
exact_cut = [int(value >= edge) for value in (edge, edge - 1)]
print("cut by y: listed with probability {} or {}, loss infinite".format(*exact_cut))

# %% [markdown]
# **2. A flip that follows epsilon.** Why scale the entries, instead of flipping with probability $1/(\varepsilon + 2)$
# and levels of one visit? It is private, and the same as $\alpha = \varepsilon$. The paper warns that its error grows
# like $1/\varepsilon^2$. It does:

# %% jupyter={"source_hidden": true}
# Computed: the mean error of 15 entries, scaled and with a flip that follows epsilon
fifteen = (np.arange(15), np.full(15, 1_000.0), d)
print("mean error of 15 entries of 1,000 visits, medians over 20 releases:")
for epsilon in (1.0, 0.5, 0.25, 0.125):
    line = []
    for alpha in (3.0, epsilon):
        errors = []
        for rng in map(np.random.default_rng, range(20)):
            made = alp_projection(fifteen, alpha, 2_000, 500, epsilon, rng)
            errors.append(np.abs(alp_estimate(made, fifteen[0]) - 1_000).mean())
        line.append(np.median(errors))
    scaled = f"{line[0]:5.1f} = {line[0] * epsilon:.1f}/eps"
    flip = f"{line[1]:6.1f} = {line[1] * epsilon**2:.1f}/eps^2"
    print(f"epsilon {epsilon:<5}: scaled, alpha 3: error {scaled};   flip 1/(eps + 2): {flip}")

# %% [markdown]
# **3. Above beta.** An entry beyond $\beta$ is not "a little off": it stops at $\beta$. And $\beta$ must be chosen
# without the data; the largest entry is somebody's secret.

# %% jupyter={"source_hidden": true}
# Computed: how many cards lie above beta, and how far off they are read
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
# **4. Sums.** Laplace noise is right on average, so its errors cancel in sums. A walk's top is never below position 0,
# so zeros are read too high *on average*, and in a sum nothing cancels. How many visits do 5,000 unused cards have
# together?

# %% jupyter={"source_hidden": true}
# Computed: the sum over 5,000 unused cards, by Laplace noise and by ALP
some = unused[:5_000]
read = alp_estimate(sketch, some)
noise = laplace_mechanism(np.zeros(some.size), 1, 1.0, np.random.default_rng(16))
alp_reads = f"ALP reads {read.sum():,.0f} ({read.mean():.1f} a card)"
print(f"true sum 0; Laplace reads {noise.sum():,.0f}, {alp_reads}")

# %% [markdown]
# **5. A visit is not a person.** The guarantee is about one visit. A person is all the visits on a card. At
# $\varepsilon = 1$, this is the exact loss between a card's true entry and an empty one:

# %% jupyter={"source_hidden": true}
# Computed: the privacy loss of all visits of a person, for persons with 1 to 211 visits
for count in (1, 7, 24, int(visits.max())):
    print(f"visits of a person {count:>3}: loss {move_loss(count, 3, 1.0):6.1f}")

# %% [markdown]
# **6. Data that no sketch can help.** Cross all eight questions of Fair's survey: a table with few women and very many
# cells. It is sparse, but every entry is tiny. A release that is private for a woman must blur a one into a zero:

# %% jupyter={"source_hidden": true}
# Computed: how often cells with one woman, and empty cells, are read as 0
answers = [column.values for name, column in data.affairs().items() if name != "affairs"]
survey = [np.unique(column, return_inverse=True)[1] for column in answers]
shape = [codes.max() + 1 for codes in survey]
cells, women = np.unique(np.ravel_multi_index(survey, shape), return_counts=True)
cross = (cells, women, math.prod(shape))
made = alp_projection(cross, 3, 30, 65_536, 1.0, np.random.default_rng(17))
ones, empty = cells[women == 1], np.setdiff1d(np.arange(0, cross[2], 97), cells)
print(f"{cross[2]:,} cells, {cells.size:,} in use, the largest holds {women.max()}")
for name, keys in (("one woman", ones), ("nobody", empty)):
    zeros = np.mean(alp_estimate(made, keys) == 0)
    print(f"cells with {name:<9}: read as 0 in {zeros:.0%} of the cases")

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/20_alp](../exercises/answers/20_alp.ipynb).
#
# **Assignment 20:** [five tasks, checked in a second](../exercises/releases/20_alp.ipynb).
#
# 1. *Warm-up.* In the figure of one walk set *visits* to 0. Why is the estimate never below 0, and how often is it
#    exactly 0? Compare with $\alpha = 10$.
# 2. What is the size of the sketch, in bits, as a formula? By doubling $\alpha$, or halving one of $\varepsilon$,
#    $\beta$, $s$, you halve it. Which adds the smallest error? Try them in the figure of the whole register.
# 3. With $\alpha = 3$ and $\varepsilon = 1$ a visit on one card has privacy loss $\ln 2$. For which $\varepsilon$ is it
#    exactly 1? Check with `one_entry_epsilon`.
# 4. A record is *replaced*: one visit is moved from one card to another. What is the loss under the raised parameter,
#    `one_entry_epsilon(3.0, 1.0)`? Find a bound first. Then look for a pair that reaches it, on two cards with
#    `alp_log_probability` over `all_tables`. Whole numbers of visits do not; why, and which entries do?
# 5. The list of `threshold_alp` takes half of $\varepsilon$ (`share=0.5`). Try 0.1 to 0.9 on the register at
#    $\varepsilon = 1$ and print the mean error of each group of `GROUPS` and `size_in_bits`. Which groups want a small
#    part for the list, which a large one? How many bits does the best part for *all used* need?
# 6. *Challenge.* Likelihood steps read zeros lower and large entries worse. Write steps of your own, a function of the
#    sketch that gives (up, down). A mixture of the two changes nothing: why? Then give each level a public price, and
#    find a price with less error on average over all used cards. Who pays for it?
#
# A start for exercise 6:


# %%
def halfway_steps(sketch):
    both = zip(unit_steps(sketch), likelihood_steps(sketch), strict=True)
    return tuple((one + other) / 2 for one, other in both)


made = alp_projection(register, 3, 256, 8_192, 1.0, np.random.default_rng(11))
off = np.abs(alp_estimate(made, cards, steps=halfway_steps) - visits).mean()
print(f"halfway: used cards err by {off:.2f} visits")

# %% [markdown]
# ## When to use it, and when not
#
# The table has the register at $\varepsilon = 1$ in numbers. The columns of groups are mean errors in visits; *bits
# read* are those looked at for one card, once its place is known. It is *one release* of each; the numbers of cards and
# the largest standard errors stand above the table. Of two rows closer than twice that, neither wins.

# %% jupyter={"source_hidden": true}
# Computed: seven releases at epsilon 1: mean errors by group, size, and bits read for one card
epsilon, rng = 1.0, np.random.default_rng(19)
readings, sizes = read_all(epsilon, 3.0, 32, 4_096, 19)
plain = alp_projection(register, 3, 256, 32_768, epsilon, rng)
raised = alp_projection(register, 3, 256, 32_768, one_entry_epsilon(3.0, epsilon), rng)
both = threshold_alp(register, 3, 32_768, epsilon, rng)
by_steps = alp_estimate(plain, readers, steps=likelihood_steps)
by_raised = alp_estimate(raised, readers)
of_both, bits_of_both = threshold_estimate(both, readers), 84 + both.sketch.levels
final = {
    "noise on all, packed": (readings[0], sizes[0], round(sizes[0])),
    "zeros": (0 * truth, 0, 0),
    "threshold list": (readings[1], sizes[1], 84),
    "ALP": (alp_estimate(plain, readers), plain.size_in_bits, plain.levels),
    "ALP, parameter raised": (by_raised, raised.size_in_bits, raised.levels),
    "ALP, likelihood steps": (by_steps, plain.size_in_bits, plain.levels),
    "threshold ALP": (of_both, both.size_in_bits, bits_of_both),
}
errors = {name: np.abs(read - truth) for name, (read, _, _) in final.items()}
rows = {
    name: [*(errors[name][group].mean() for group in members), size / 1e6, bits]
    for name, (_, size, bits) in final.items()
}
for name, group in zip(GROUPS, members, strict=True):
    deviation = max(errors[release][group].std() for release in final if release != "zeros")
    most = deviation / math.sqrt(group.size)
    print(f"{name:<8} {group.size:>5,} cards: standard error at most {most:.2f} visits")
table = pd.DataFrame(rows, index=[*GROUPS, "million bits", "bits read"]).T.round(2)
table.assign(**{"bits read": table["bits read"].map("{:,.0f}".format)})

# %% [markdown]
# **Use it** when the domain is huge and nearly empty, and entries are large compared with $1/\varepsilon$. It suits
# look-ups of single entries in a release that must be small. Take $\alpha$ from 2 to 4, at least 8 buckets an entry, and for a
# histogram the raised parameter. With a few very large entries take the thresholded form.
#
# **Do not use it**
#
# - when a *packed* number for every entry can be stored and unpacked: noise on all entries has less error everywhere, no
#   bias, and sums work;
# - when only the largest entries matter: the list is shorter, and more accurate for them;
# - when the entries are about $1/\varepsilon$ or smaller: nothing here tells them from zeros;
# - for sums, ranges or averages over many entries: the bias of the zeros adds up ([chapter 08](08_histograms.ipynb) has
#   trees for ranges);
# - when $\beta$ or the number of used entries is not known beforehand: both must be public, or paid for.
#
# ## Sources
#
# - **003** Martin Aumüller, Christian Janos Lebeda, Rasmus Pagh: *Differentially Private Sparse Vectors with Low Error,
#   Optimal Space, and Fast Access*. CCS 2021. [arXiv:2106.10068](https://arxiv.org/abs/2106.10068).
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
# <details><summary>What of 003 is on this page, and what is not</summary>
#
# Algorithms 2 to 8, Lemmas 4.1, 4.12 to 4.14, 5.2 to 5.5. Its size bounds are the measured sizes here:
# $O(k\beta\varepsilon)$ bits (Lemma 4.13), and $O(k \log(d + u))$ for the thresholded form with entries up to $u$ (Lemma
# 5.4). Made plain on this page: the letter in Algorithm 6. Added: the exact loss, the raised parameter, the likelihood
# steps, the packed rival. Our copy begins in the middle of section 4. Algorithms 2 and 3 and Lemma 4.1 are not in it;
# the first two we compared with OpenDP's program. We have not seen its own figures.
#
# </details>
#
# `dpbook` is for learning, not for real releases ([00](00_start_here.ipynb) says why).
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [19 Projection: compressing the records themselves](19_projection.ipynb) · **Next:** [21 Is it private? Testing a claim](21_audit.ipynb)
