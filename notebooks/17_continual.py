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
# # 17 Continual counting
#
# **What you will see:** a count that is published again after every new record, 65,536 times, with an error that hardly
# grows. And a counter that stays private even if a burglar takes its memory, once.
#
# <details><summary>About 40 minutes, after 03 and 16: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [16 The compressive mechanism](16_compressive.ipynb) · **Next:** [18 Compressed sensing on tables](18_sensing.ipynb)
#
# **Assignment 17:** [five tasks, checked in a second](../exercises/releases/17_continual.ipynb)
#
# The second half is about the method of Li, Zhang, Winslett and Yang (2011), "the paper" on this page. It keeps a
# compressed sketch of the whole stream with $k$ counters. Its guarantee is wrong by a factor of $k$. With an honest guarantee a much
# simpler rival beats it.
#
# **What you will do:** find how long a stream must be before the clever counter pays. Hide a record from a burglar by
# hand. Make the compressed counter win, if you can.
#
# **Time:** about 40 minutes. A stopping point: "From totals back to items". What follows needs page
# [16](16_compressive.ipynb).
#
# **You need:** [03 the Laplace mechanism](03_laplace.ipynb); for the second half [16 the compressive
# mechanism](16_compressive.ipynb).
#
# **Real and synthetic:** the health records are real (RAND health insurance experiment; the order of the file stands
# for the order of arrival). Net trace, search logs and TCP trace are *synthetic stand-ins*. The first two match the bins, totals and lengths of
# the originals (see [page 16](16_compressive.ipynb)). No number computed from them is a result about the originals.
#
# | here | in the paper (Li et al. 2011) |
# |---|---|
# | item $t$ of a stream, $T$ items | $\mathbf D[t]$ or $\sigma[t]$, $T$ |
# | total at time $t$, true and released | $\Sigma_t$ and $\Sigma^*_t$ |
# | pan-private counter | continual mechanism |
# | compressed counter, $k$ counters, $S$ coefficients | CMCO, $k$, $S$ |
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import functools
import itertools
import math

import numpy as np
import pandas as pd

from dpbook import data
from dpbook.amounts import amount, counted
from dpbook.continual import nodes_holding, nodes_read
from dpbook.guesses import predict
from dpbook.laplace import laplace_mechanism, laplace_probability
from dpbook.live import choice, live, log_slider, new_noise, show_source, slider
from dpbook.plots import (
    COLOURS,
    curves,
    figure,
    legend_above,
    meter,
    own_point,
    rival_dots,
    set_curves,
    set_meter,
    set_own_point,
    set_rival_dots,
    set_steps,
    set_verdict_text,
    show,
    steps,
    verdict_text,
    x_axis,
    y_axis,
)

# %% jupyter={"source_hidden": true}
# Figure: which blocks make up the total at a time, and which blocks hold an item
fig, ax = figure(height=2.75)
blocks_verdict = verdict_text(ax)
bars_of_nodes = {}
look = {"align": "edge", "facecolor": "white", "edgecolor": "black", "linewidth": 0.8}
for time in range(1, 17):
    block = time & -time
    place = [time - block + 0.54], [0.8], block - 0.08, [block.bit_length() - 0.9]
    [bars_of_nodes[time]] = ax.bar(*place, **look)
    ax.text(time - block + 0.62, block.bit_length() - 0.5, str(time), va="center")
now_line = ax.axvline(13.5, color=COLOURS.noisy, linewidth=2)
item_mark = own_point(ax, marker="^", markersize=11)
x_axis(ax, "item", (0.3, 16.9), range(1, 17))
y_axis(ax, "items in the block", (-0.3, 5), {row + 0.5: f"{2**row}" for row in range(5)})


def blocks(time, item):
    reads, holds = nodes_read(time), nodes_holding(item, 16)
    for node, bar in bars_of_nodes.items():
        held = (COLOURS.amber, COLOURS.third) if node in holds else ("white", COLOURS.light)
        bar.set_facecolor(held[node in reads])
    now_line.set_xdata([time + 0.5] * 2)
    set_own_point(item_mark, item, -0.12)
    sums, touched = counted(len(reads), "sum"), counted(len(holds), "sum")
    words = f"16 totals: number {time} adds {sums}; item {item} changes {touched}"
    set_verdict_text(blocks_verdict, None, words)
    named = [
        f"{'node' if len(some) == 1 else 'nodes'} {', '.join(map(str, some))}"
        for some in (reads, holds)
    ]
    added = f"total at time {time} = {named[0]} (blue; green if both)"
    return f"{added}. Item {item} is in {named[1]} (amber)."


blocks_figure = live(
    fig,
    blocks,
    "Blocks of 1, 2, 4, 8 and 16 items over a line of 16 items, one block ending at each "
    "time; the blocks that make up a total and the blocks that hold an item are coloured.",
    task=(
        "press *play*: every total adds a few blocks. Then put the item at 1 and at 16: in "
        "how many blocks is it?"
    ),
    play="time",
    time=slider(1, 16, 13),
    item=slider(1, 16, 5),
)
blocks_figure

# %% [markdown]
# Each block is one noisy sum. [Time 15](#move:time=15) needs four of them, [time 16](#move:time=16) only one.
# And one item changes at most five of the sixteen sums.
#
# ## A count that keeps moving
#
# *What is lost if every total gets noise as if it were the only one?*
#
# Records arrive one at a time. Item $t$ of the *stream* says whether record $t$ is of a person who calls their own
# health poor: 0 or 1. After each record we publish how many there have been so far, the *running total*.
#
# Neighbours, on this whole page, are two streams that differ by one unit in one item: one event more or less
# (add/remove).
#
# A tempting way is Laplace noise of scale $1/\varepsilon$ on each total, as for a single count.

# %%
poor_health = data.health_insurance()["hlthp"].values.astype(float)
T = poor_health.size
truth = np.cumsum(poor_health)
print(f"{T:,} records, {truth[-1]:.0f} of them of people in poor health")


def noise_on_each_total(stream, epsilon, rng):
    """BROKEN: each total alone is epsilon-private, all T of them together are not."""
    return laplace_mechanism(np.cumsum(stream), 1, epsilon, rng)


released = noise_on_each_total(poor_health, 1.0, np.random.default_rng(1))
print("the first totals published:", released[:6].round(1))

# %% [markdown]
# One more event at time 1 raises *every* total by 1: the loss is $T\varepsilon$. Between two events the totals stay where
# they are, so averaging removes the noise. Take a quiet stretch before and after one event:

# %% jupyter={"source_hidden": true}
# Computed: the average of the released totals before and after one event
events = np.flatnonzero(poor_health)
gaps = np.diff(np.concatenate([[0], events, [T]]))
alone = int(np.argmax(np.minimum(gaps[:-1], gaps[1:])))
before = released[events[alone] - gaps[alone] + 1 : events[alone]]
after = released[events[alone] :][: gaps[alone + 1]]
print(f"quiet for {before.size} records before the event and {after.size} after it")
rise = after.mean() - before.mean()
print(f"average after - average before = {rise:.2f}: an event, and nobody doubts it")
print(f"loss of the whole release at epsilon 1: {T:,}")
assert 0.5 < rise < 1.5

# %% [markdown]
# Two honest repairs come to mind.
#
# 1. **Split the budget:** each of the $T$ totals gets $\varepsilon/T$. The error of each is $\sqrt2\,T/\varepsilon$.
# 2. **Noise on each item,** once, as it arrives; then add up. An event is in one item only, so scale $1/\varepsilon$
#    is enough. But the total at time $t$ carries the noise of $t$ items: $\sqrt{2t}/\varepsilon$.
#
# ("Error" is the root mean square error, unless we say otherwise.)


# %%
def sum_of_noisy_items(stream, epsilon, rng):
    """Epsilon-DP: the totals of a stream whose items have noise of scale 1 / epsilon each."""
    return np.cumsum(laplace_mechanism(stream, 1, epsilon, rng))


noisy_totals = sum_of_noisy_items(poor_health, 1.0, np.random.default_rng(2))
print(f"epsilon 1, error at the end: split budget {math.sqrt(2) * T:,.0f},", end=" ")
print(f"noise on items {math.sqrt(2 * T):,.0f}")
print(f"one release with noise on items: {noisy_totals[-1]:.0f}", end=" ")
print(f"where the truth is {truth[-1]:.0f}")

# %% [markdown]
# ## The idea: sums of blocks
#
# *Can an item be in few sums, while a total needs few of them?*
#
# The first repair publishes sums of *many* items, and an item is in many of them. The second publishes sums of *one*
# item, and a total needs many of them. In between lie sums of blocks of 1, 2, 4, 8, ... items. An item is in few blocks
# **and** a total needs few. (The field calls this the *tree* or *binary mechanism*.)
#
# At time $t$ publish the sum of ONE block: the last $b$ items, where $b$ is the largest power of two that divides $t$.
# We call it *node* $t$.

# %% jupyter={"source_hidden": true}
# What this page imports
from dpbook.audit import epsilon_lower_bound
from dpbook.continual import (
    PanPrivateCounter,
    binary_counter,
    binary_counter_error,
    compressive_counter,
    haar_prefix,
    hiding_shifts,
    node_sketches,
    node_sums,
    pan_private_counter,
    prefix_estimate,
    running_totals,
    segment_levels,
    sketch_at,
    sketch_noise,
    tree_levels,
)
from dpbook.sparse import (
    cosine_basis,
    generalised_omp,
    hadamard_operator,
    keep_largest,
    measurements,
)

# %%
example = np.array([1.0, 0, 0, 1, 1, 0, 1, 0])
for time, total in enumerate(node_sums(example), 1):
    block = time & -time
    items = f"item {time}" if block == 1 else f"items {time - block + 1} to {time}"
    print(f"time {time}: node {time} = {items}, sum {total:.0f}")
print("running totals from the nodes:", running_totals(node_sums(example)).astype(int))
assert np.array_equal(running_totals(node_sums(example)), np.cumsum(example))

# %% [markdown]
# The figure at the top shows these blocks. The total at time $t$ is the sum of as many nodes as $t$ has ones in binary.
# For example $13 = 1101_2 = 8 + 4 + 1$: node 13 (1 item), node 12 (4 items), node 8 (8 items). An item is in at most one
# node of each size, $1 + \lfloor\log_2 T\rfloor$ in all. We call this number the *levels*.

# %% [markdown]
# ## The mechanism: the binary counter
#
# *How much noise does each block need?*
#
# $$\text{node}^*_t = \text{node}_t + \mathrm{Lap}\!\left(\frac{1 + \lfloor\log_2 T\rfloor}{\varepsilon}\right),
# \qquad \text{total}^*_t = \sum_{\text{nodes } s \text{ read at } t} \text{node}^*_s .$$

# %%
show_source(binary_counter)
show_source(node_sums)
show_source(running_totals)

# %% [markdown]
# **Sensitivity.** One unit in one item moves each node that holds it by one: at most $1 + \lfloor\log_2 T\rfloor$
# nodes, attained by item 1.
#
# > **Theorem 17.1 (binary counter; Chan, Shi and Song 2011).** `binary_counter` is $\varepsilon$-DP for streams that
# > differ by one unit in one item, all $T$ totals together.
#
# *Proof.* It is the Laplace mechanism on the $T$ nodes, and the totals are post-processing of them. $\square$ The nodes
# can be computed back from the totals, so the bound is exact. It is attained when every noisy node lies below both true
# values.


# %%
def exact_loss_of_item(item, steps, epsilon):
    """ln of the ratio of Pr[all nodes are at most -1], without and with one unit at `item`."""
    scale = tree_levels(steps) / epsilon
    worlds = [node_sums(np.zeros(steps)), node_sums(np.eye(1, steps, item - 1)[0])]
    chances = [laplace_probability(-np.inf, -1, nodes, 1, 1 / scale) for nodes in worlds]
    without, with_item = np.log(chances).sum(axis=1)
    return without - with_item


# %% jupyter={"source_hidden": true}
# Computed: the exact privacy loss of each item, for 16 and for 65,536 items

losses_16 = np.array([exact_loss_of_item(item, 16, 1.0) for item in range(1, 17)])
print("epsilon 1, T = 16, loss by item:", *(f"{loss:.1f}" for loss in losses_16))
assert losses_16.max() <= 1 + 1e-12 and np.isclose(losses_16[0], 1)
held = [len(nodes_holding(item, 65_536)) for item in range(1, 65_537, 7)]
average = np.mean(held) / tree_levels(65_536)
print(f"T = 65,536: item 1 has loss epsilon, an item {average:.2f} epsilon on average")

# %% [markdown]
# Only item 1 uses the whole budget. That is no reason to claim a smaller epsilon: item 1 is somebody.
#
# ## Live: honest counters
#
# *Which of the two counters is closer to the truth, and when?*
#
# On the left are the running totals. On the right is the error in 64 stretches of time (solid) beside the exact error
# (dashed), in units of $1/\varepsilon$. In the stream *doctor visits* an item is the number of visits in a record, and
# neighbours differ by one visit. [Take T to 256](#move:T=256), and to [65,536](#move:T=65536): the real streams end at 20,190.

# %%
STREAMS = {
    "doctor visits (real)": data.health_insurance()["mdvis"].values.astype(float),
    "poor health (real)": poor_health,
    "search logs": data.search_logs().values.astype(float),
    "net trace": data.net_trace().values.astype(float),
}


def in_stretches(squares):
    """Root of the mean of squares in each of 64 stretches of time."""
    starts = np.linspace(0, squares.size, 64, endpoint=False).astype(int)
    return np.sqrt(np.add.reduceat(squares, starts) / np.diff(np.append(starts, squares.size)))


# %% jupyter={"source_hidden": true}
# Figure: the counter's totals beside the true ones, and the error in stretches of time
COUNTERS = {"binary counter": binary_counter, "noise on items": sum_of_noisy_items}
MIDDLES = (np.arange(64) + 0.5) / 64
fig, (totals_ax, off_ax) = figure(columns=2, height=3.2)
counting_verdict = verdict_text(totals_ax)
inks = dict(zip(COUNTERS, (COLOURS.noisy, COLOURS.other), strict=True))
total_steps = [steps(totals_ax, [0, 1], ink, name) for name, ink in inks.items()]
looks = {" ": "noisy", "  ": "other", "   ": "noisy --", "exact error": "other --"}
off_lines = curves(off_ax, MIDDLES, looks)
true_total = curves(totals_ax, [0, 1], {"true total": "true"}, linewidth=1.5)
x_axis((totals_ax, off_ax), "time", (0, 1), {0: "start", 1: "T"})
y_axis(totals_ax, "running total", (-0.3, 1.3), {0: "0", 1: ""})
total_word = totals_ax.text(-0.03, 1, "300,000", ha="right", va="center")
y_axis(off_ax, "error, in units of 1/ε", (3, 700), [10, 100], log=True)
legend_above(fig)


def counting(T, epsilon, stream, seed):
    items = STREAMS[stream][:T]
    totals, times = np.cumsum(items), np.arange(1, items.size + 1)
    unit, edges, lines = max(totals[-1], 1), np.linspace(0, 1, items.size + 1), []
    shown = np.linspace(0, items.size - 1, min(items.size, 800)).astype(int)
    set_curves(true_total, [totals[shown] / unit], (shown + 1) / items.size)
    for artist, counter in zip(total_steps, COUNTERS.values(), strict=True):
        estimate = counter(items, epsilon, np.random.default_rng(seed))
        set_steps(artist, np.clip(estimate / unit, -0.4, 1.4), edges)
        lines.append((estimate - totals) ** 2)
    tree, on_items = (math.sqrt(np.mean(line)) for line in lines)
    lines += [binary_counter_error(times, items.size, epsilon) ** 2, 2 * times / epsilon**2]
    set_curves(off_lines, [epsilon * in_stretches(line) for line in lines])
    total_word.set_text(f"{totals[-1]:,.0f}")
    closer = "binary counter" if tree < on_items else "noise on items"
    nearer, farther = sorted([tree, on_items])
    words = f"{closer} is closer: error {nearer:,.0f} against {farther:,.0f}"
    set_verdict_text(counting_verdict, None, words)
    split = f"split budget {math.sqrt(2) * items.size / epsilon:,.0f}"
    return f"{items.size:,} items, true total {totals[-1]:,.0f}: {words}; {split}"


question = "With 256 items instead of 16,384, which counter has the smaller error?"
counting_figure = live(
    fig,
    counting,
    "Left: true running total with those of the binary counter and of noise on items. Right: "
    "their errors over time on a log axis with dashed exact errors, nearly level for the "
    "binary counter, rising for noise on items.",
    task=(
        "move $T$ down to 256: which counter would you take? Then the net trace with 65,536 "
        "items. Press *New noise* a few times: noise on items wanders off, the binary counter "
        "always comes back."
    ),
    guess=predict(question, list(COUNTERS), T=256),
    T=choice([256, 1024, 4096, 16_384, 65_536], 16_384, label="T, items"),
    epsilon=log_slider(0.01, 10, 0.01),
    stream=choice(list(STREAMS), "doctor visits (real)"),
    seed=new_noise(1),
)
counting_figure

# %% [markdown]
# ## How large is the error?
#
# Let $\mathrm{ones}(t)$ be the number of ones in the binary $t$. A total at time $t$ sums that number of noises, each of
# variance $2\,(\text{levels}/\varepsilon)^2$:
#
# $$\sqrt{2\,\mathrm{ones}(t)}\;\frac{1 + \lfloor\log_2 T\rfloor}{\varepsilon}
# \qquad\text{against}\qquad \frac{\sqrt{2t}}{\varepsilon}.$$
#
# Both are exact, and $\varepsilon$ scales both alike. Which is better depends on $t$ and $T$, not on the data.
#
# <details><summary>How far can a total be off? A tail bound for sums of Laplace noises.</summary>
#
# > **Theorem 17.2 (tail; as Li et al. 2011, Lemma 3, after Dwork, Naor, Pitassi and Rothblum 2010, for the counter of
# > the next section).** At each time, with probability at least $1 - \beta$, the total is off by at most
# > $\sqrt{2\,\mathrm{ones}(t)}\;\frac{\text{levels}}{\varepsilon}\ln\frac4\beta$, which is at most
# > $\sqrt2\,\text{levels}^{1.5}\ln\frac4\beta/\varepsilon$, that is, $O(\log(1/\beta) \log^{1.5}(T)/\varepsilon)$.
#
# *Proof.* For a sum $X$ of $K$ Laplace noises of scale $b$ and $\lambda = 1/(b\sqrt{2K})$: $\mathbb E\,e^{\lambda X} =
# (1 - \frac1{2K})^{-K} \le 2$, so $P(|X| > s) \le 4 e^{-\lambda s}$. $\square$ The lines under the figure compare.
#
# </details>

# %%
lengths = 2 ** np.arange(4, 21)
rows = {"split budget": math.sqrt(2) * lengths, "noise on items": np.sqrt(lengths + 1)}
all_times = np.arange(1, lengths[-1] + 1)
rows["binary counter"] = [
    math.sqrt(np.mean(binary_counter_error(all_times[:n], n, 1.0) ** 2)) for n in lengths
]

# %% jupyter={"source_hidden": true}
# Figure: the errors computed above, against the length of the stream
fig, ax = figure(height=2.8)
x_axis(ax, "T, length of the stream", (10, 2e6), log=True)
y_axis(ax, "error of a total, epsilon 1", (3, 3e6), log=True)
looks = dict(zip(rows, ("grey o-", "other o-", "noisy o-"), strict=True))
curves(ax, lengths, looks, rows.values(), ends=True, markersize=4)
show(
    fig,
    "Error of a total against the length of the stream on log axes: the binary counter starts "
    "above noise on items and crosses below it at a thousand items or so; a split budget is "
    "far above both.",
)

# %% jupyter={"source_hidden": true}
# Computed: where the binary counter becomes better, and how often the tail bound is exceeded
some_T = np.arange(1, 10_001)
one_level = binary_counter_error(some_T, some_T.size, 1.0) / tree_levels(some_T.size)
levels = np.array([tree_levels(n) for n in some_T])
squares = np.cumsum(one_level**2) / some_T * levels**2
ahead = squares < some_T + 1
print("averaged over all times,", end=" ")
print(f"the binary counter is first better at T = {some_T[ahead][0]:,},")
print(f"    and at every T above {some_T[~ahead][-1]:,}")
ahead = squares / levels < some_T + 1 - 1e-9
print(f"with Gaussian noise for both, at every T above {some_T[~ahead][-1]}")
for n in (1023, 1024):
    worst = binary_counter_error(np.arange(1, n + 1), n, 1.0).max()
    print(f"T = {n}: {tree_levels(n)} levels, worst error {worst:.1f}")
dice = [np.random.default_rng(seed) for seed in range(1_000)]
tails = np.abs([binary_counter(np.zeros(1023), 1.0, rng)[-1] for rng in dice])
for beta in (0.5, 0.1, 0.01):
    limit = math.sqrt(2 * 10) * tree_levels(1023) * math.log(4 / beta)
    print(f"T = 1023, beta {beta}: limit {limit:.0f},", end=" ")
    print(f"exceeded in {np.sum(tails > limit)} of 1,000 releases")

# %% [markdown]
# So put noise on the items if there are fewer than about a thousand. And $T$ must be fixed in advance: a stream of 1,024
# pays for one level more than a stream of 1,023.
#
# ## An intruder
#
# *What does somebody learn who seizes the machine that counts?*
#
# So far the noise protected what we *publish*, and not the memory of the machine. While node 8 fills up, the
# binary counter holds the exact sum of the items since time 1. A hacker or a court that seizes the machine reads it.

# %% jupyter={"source_hidden": true}
# Computed: what the memory of the binary counter holds at time 7
held_at = 7
partial = {f"items {a + 1} to {held_at}": int(example[a:held_at].sum()) for a in (0, 4)}
partial[f"item {held_at}"] = int(example[held_at - 1])
print(f"in memory at time {held_at}, exactly:", partial)

# %% [markdown]
# > **Definition 17.3 (pan-privacy; Dwork, Naor, Pitassi, Rothblum and Yekhanin 2010; Li et al. 2011, Definition 2).** A counter
# > is $\varepsilon$-pan-private if the bound $e^\varepsilon$ holds for everything together: all outputs, **and**
# > the memory at one moment that the intruder picks.
#
# The counter of the paper (its appendix E) is arranged differently. It keeps
#
# - a *noisy* total: it starts, before the first item, at a random number and not at 0;
# - for each block size the noise of the one block, or *segment*, that is under way. That noise is not on any sum. It is
#   added to each output while the segment lasts, and then forgotten.
#
# An item is added to the noisy total and is gone. Each output carries $1 + \lceil \log_2 T \rceil$ noises, for $T$ above
# 1. At $T = 1$ we keep one segment too, in case the intruder comes before the item. `pan_private_counter` computes the
# same outputs for a whole stream at once.

# %%
show_source(PanPrivateCounter)
rng = np.random.default_rng(3)
counter = PanPrivateCounter(8, 0.5, rng)
published = [float(counter.add(item, rng)) for item in example]
print("published:", np.round(published, 1), " true totals:", np.cumsum(example).astype(int))
print("all that an intruder finds at the end:")
for name, value in vars(counter).items():
    print(f"    {name}: {np.round(value, 2)}")
again = pan_private_counter(example, 0.5, np.random.default_rng(3))
assert np.allclose(published, again)
print("the whole stream at once:", again.round(1))

# %% [markdown]
# ## Why it is pan-private: hide the item by hand
#
# *If item $i$ grows by one, is there other noise that leaves all outputs, and the memory that the intruder sees, exactly
# as they were?*
#
# If noises must move by $m$ units in all, the loss is at most
# $m\,\varepsilon/(1 + \log_2 T)$, for $T$ a power of two.
#
# - **The intruder comes after item $i$:** the noisy total in memory has grown. Move the initial noise by $-1$. Now the
#   outputs *before* $i$ are 1 too low: move segments that make up the items before $i$ by $+1$. They have left the
#   memory before the intrusion.
# - **The intruder came before:** leave the initial noise alone, and move by $-1$ segments that make up item $i$ and all
#   later ones. They start after the intrusion.
#
# > **Theorem 17.4 (Li et al. 2011, Lemma 3, first part).** At most $1 + \lceil\log_2 T\rceil$ units must move, always;
# > so with noise of scale $(1 + \lceil\log_2 T\rceil)/\varepsilon$ the counter is $\varepsilon$-pan-private.
#
# The paper takes this from Dwork, Naor, Pitassi and Rothblum (2010), and leaves the proof to them. The figure shows
# one, and the lines below count the moves.

# %%
segments_of_16 = [(level, start) for level in range(4) for start in range(0, 16, 2**level)]


def hidden(item, intrusion):
    """The shifts of noise, what is in memory, and whether outputs and memory stay the same."""
    initial, segments = hiding_shifts(item, intrusion, 16)
    # of each level the segment that holds item `intrusion`: its start, a multiple of 2^level
    seen = {(level, (intrusion - 1) // 2**level * 2**level) for level in range(4)}
    in_memory = seen if intrusion else set()
    outputs = np.where(np.arange(1, 17) >= item, 1, 0) + initial
    for (level, start), shift in segments.items():
        outputs[start : start + 2**level] += shift
    same_memory = (item <= intrusion) + initial == 0 and not in_memory & set(segments)
    return initial, segments, in_memory, not outputs.any() and same_memory


# %% jupyter={"source_hidden": true}
# Figure: hiding_shifts(item, intrusion, 16): which noise moves so that nobody sees the item
fig, ax = figure(height=3.2)
hiding_verdict = verdict_text(ax)
look = {"align": "edge", "facecolor": "white", "edgecolor": "black", "linewidth": 0.8}
segment_bars, segment_words = {}, {}
for level, start in segments_of_16:
    place = [start + 0.54], [0.8], 2**level - 0.08, [level + 0.1]
    ax.bar(*place, **look, zorder=0)  # stays; over it one to be coloured and hatched
    [segment_bars[level, start]] = ax.bar(*place, **look)
    middle = start + 2**level / 2 + 0.5, level + 0.5
    segment_words[level, start] = ax.text(*middle, "", ha="center", va="center")
[initial_bar] = ax.bar([0.54], [0.8], 15.92, [4.1], **look)
initial_word = ax.text(8.5, 4.5, "", ha="center", va="center")
intruder_line = ax.axvline(9.5, color=COLOURS.true, linewidth=2.5)
hidden_mark = own_point(ax, marker="^", markersize=11)
x_axis(ax, "item", (0.3, 16.9), range(1, 17))
rows_of_noise = {0.5: "1 item", 1.5: "2 items", 2.5: "4 items", 3.5: "8 items", 4.5: "start"}
y_axis(ax, "noise of", (-0.3, 5.05), rows_of_noise)
MOVED = {1: (COLOURS.light, "+1"), -1: (COLOURS.amber, "−1"), 0: ("white", "")}


def hiding(intrusion, item):
    initial, segments, in_memory, unseen = hidden(item, intrusion)
    for place, bar in segment_bars.items():
        shift, found = segments.get(place, 0), place in in_memory
        hatch = "///" if found else ""
        bar.set(facecolor=MOVED[shift][0], hatch=hatch, visible=shift or found)
        segment_words[place].set_text(MOVED[shift][1])
    initial_bar.set_facecolor(MOVED[initial][0])
    initial_word.set_text(MOVED[initial][1] or "0")
    intruder_line.set_xdata([intrusion + 0.5] * 2)
    set_own_point(hidden_mark, item, -0.12)
    moved = len(segments) + abs(initial)
    seen = "nobody sees the item" if unseen else "THE ITEM SHOWS"
    words = f"{counted(moved, 'unit')} moved, {1 + segment_levels(16)} allowed: {seen}"
    set_verdict_text(hiding_verdict, unseen, words)
    found = "None of the hatched noise has moved" if in_memory else "No noise is hatched yet"
    return f"{words}; the loss is at most {moved / 5:.1f} ε. {found}"


question = "How many units of noise must move to hide item 12 from an intruder after item 16?"
hiding_figure = live(
    fig,
    hiding,
    "Segments of 1, 2, 4 and 8 items over 16 items and a bar for the initial noise; coloured "
    "ones are moved by plus or minus one to hide an item, hatched ones are what the intruder "
    "finds, and none is both.",
    task=(
        "the intruder comes at the black line and finds the hatched noise. Take the item to "
        "16 and the intrusion after 16 items: the worst case. Then play the intrusion."
    ),
    guess=predict(question, (0, 16, " units"), r"^(\d+) unit", item=12, intrusion=16),
    play="intrusion",
    intrusion=slider(0, 16, 9, label="intrusion after item"),
    item=slider(1, 16, 6),
)
hiding_figure

# %% jupyter={"source_hidden": true}
# Computed: the units moved in the worst case, over all items and intrusions
print("units moved in the worst case, over all items and intrusions:")
for last in (2, 16, 64, 128):
    places = itertools.product(range(1, last + 1), range(last + 1))
    shifts = [hiding_shifts(item, intrusion, last) for item, intrusion in places]
    units = max(len(segments) + abs(initial) for initial, segments in shifts)
    allowed = 1 + segment_levels(last)
    print(f"    T = {last:>3}: {units}, allowed 1 + log2 T = {allowed}")
    assert units <= allowed

# %% [markdown]
# ### What it costs
#
# Every output carries $1 + \log_2 T$ noises. The binary counter carries $\mathrm{ones}(t)$: about half as many on average.

# %% jupyter={"source_hidden": true}
# Computed: the error of both counters at 65,536 items, and the numbers in memory
n = 65_536
tree_error = math.sqrt(np.mean(binary_counter_error(all_times[:n], n, 1.0) ** 2))
pan_error = math.sqrt(2 * (1 + segment_levels(n))) * (1 + segment_levels(n))
zeros = np.zeros(n)
runs = [pan_private_counter(zeros, 1.0, np.random.default_rng(s)) for s in range(20)]
measured = np.sqrt(np.mean(np.square(runs)))
print(f"T = {n:,}, epsilon 1: binary counter {tree_error:.0f}, pan-private {pan_error:.0f}")
print(f"(measured {measured:.0f}):", end=" ")
print(f"surviving an intruder costs a factor {pan_error / tree_error:.2f}")
print(f"numbers in memory: {1 + segment_levels(n)}")

# %% [markdown]
# ### Where pan-privacy breaks
#
# *What does the guarantee leave out?* Four things, one after the other.
#
# **Two intrusions.** The guarantee covers one. Between two visits the noisy total in memory grows by exactly the items
# that came:

# %% jupyter={"source_hidden": true}
# Computed: the difference of the noisy totals that two visits see
rng = np.random.default_rng(4)
visited = PanPrivateCounter(1024, 0.1, rng)
visits = []
for item in poor_health[:1024]:
    visited.add(item, rng)
    visits.append(float(visited.noisy_total))
print(f"noisy total after 500 items {visits[499]:.2f}, after 900 items {visits[899]:.2f}")
print(f"difference {visits[899] - visits[499]:.2f}; true count between:", end=" ")
print(f"{poor_health[500:900].sum():.0f}")

# %% [markdown]
# **Noise that is on a sum from start to end.** If each *node* of the binary counter started at its noise, memory would
# hold no exact sum. But one intruder is enough: node 1,024 is seen half full, and published full, with the same noise.

# %% jupyter={"source_hidden": true}
# Computed: the difference between the published node and what was in memory
noise = np.random.default_rng(5).laplace(scale=tree_levels(1024) / 0.1)
in_memory_at_600 = noise + poor_health[:600].sum()
published_at_1024 = noise + poor_health[:1024].sum()
difference, between = published_at_1024 - in_memory_at_600, poor_health[600:1024].sum()
print(f"published - seen = {difference:.2f}; true: {between:.0f}")

# %% [markdown]
# **A generator in the memory.** `add` is *handed* a generator; the counter does not keep one. If it did, the intruder
# could wind it back: numpy's standard generator runs backwards as easily as forwards.

# %% jupyter={"source_hidden": true}
# Computed: the total that an intruder reads off after winding the generator back
rng = np.random.default_rng(6)
seized = PanPrivateCounter(1024, 0.1, rng)
for item in poor_health[:700]:
    seized.add(item, rng)
drawn = 1 + sum(min((time & -time).bit_length(), 10) if time else 10 for time in range(700))
rng.bit_generator.advance(2**128 - drawn)  # the intruder's step: back to before the first draw
first_noise = rng.laplace(scale=seized.scale)
bare = seized.noisy_total - first_noise
print(f"noisy total {seized.noisy_total:.2f}, minus the first noise: {bare:.2f}")
print(f"true total of 700 items: {poor_health[:700].sum():.0f}")

# %% [markdown]
# In practice, take noise from the operating system's source, which keeps nothing that can be wound back.
#
# **A person is more than one event.** Neighbours differ in *one* event (*event-level* privacy), but in the experiment a
# person has up to five records. The cell has the exact loss of a person (*user-level*) if each of her records changes by
# one unit:

# %% jupyter={"source_hidden": true}
# Computed: the exact loss of a person with all records
weights = np.array([len(nodes_holding(item, T)) for item in range(1, T + 1)]) / tree_levels(T)
loss_of_person = np.bincount(data.health_insurance_person(), weights=weights)
print("claimed: epsilon for a record.", end=" ")
print(f"A person has a loss of up to {loss_of_person.max():.2f} epsilon,")
print(f"{loss_of_person.mean():.2f} epsilon on average over {loss_of_person.size:,} people")
print("to guarantee epsilon to a person with m records: run the counter at epsilon / m")

# %% [markdown]
# > **A good place to stop.** So far the totals. From here on the paper wants the *whole stream so far*, at each time
# > $t$. The rest of the page asks one thing: does any counter do that better than plain noise on each item?
#
# ## From totals back to items: differencing
#
# *How well does a counter know a single item?*
#
# The difference of two neighbouring totals is an item: item $i$ = total $i$ − total $i-1$ (*differencing*). The
# paper's section 6.3 says that the Euclidean error over all items is $\tilde O(\sqrt t\,\log^{1.5}(T)/\varepsilon)$: a
# true upper bound.
#
# All noises of both totals together give that order, but most are in both and cancel. On average 2 nodes of the binary
# counter change from one total to the next, and 4 segment noises of the paper's counter. The cell has the errors for
# $T = 4{,}096$, measured and by the formula:

# %% jupyter={"source_hidden": true}
# Computed: the error of differencing, measured and by the formula, and that of noise on items
n, levels = 4096, 13
rows = ("binary counter", binary_counter, 4), ("counter of the paper", pan_private_counter, 8)
for name, count, factor in rows:
    dice = [np.random.default_rng(seed) for seed in range(40)]
    runs = [np.diff(count(np.zeros(n), 1.0, rng), prepend=0) for rng in dice]
    seen = np.sqrt(np.mean(np.sum(np.square(runs), axis=1)))  # Euclidean, over all items
    formula = math.sqrt(factor * n) * levels
    print(f"{name:<22}: measured {seen:,.0f},", end=" ")
    print(f"formula sqrt({factor} T) (1 + log2 T) = {formula:,.0f}")
no_cancelling = math.sqrt(4 * n) * levels**1.5
print(f"if no noise cancelled: sqrt(4 T) (1 + log2 T)^1.5 = {no_cancelling:,.0f}")
print(f"noise on each item: sqrt(2 T) = {math.sqrt(2 * n):,.0f}")

# %% [markdown]
# The last line is the surprise, and it is not in the paper. The binary counter has 18 times the error of plain Laplace
# noise on each item. That noise needs no $T$ and no memory, and survives any number of intrusions.
#
# ## Windows: from one item to all of them
#
# *How many events were there in the last $w$ items, and which counter should say so?*
#
# Noise on items has error $\sqrt{2w}/\varepsilon$. The difference of two totals of a counter has about the same error
# for every large $w$.


# %%
def moving(totals, window):
    """The sum of the last `window` items at each time, once there are so many."""
    totals = np.append(0, totals)
    return totals[window:] - totals[:-window]


# %% jupyter={"source_hidden": true}
# Figure: the moving totals of both counters, and the error of every window
WINDOWS = [1, 4, 16, 64, 256, 512, 1024, 2048, 4096, 8192]
fig, (window_ax, window_error_ax) = figure(columns=2, height=3.2)
window_verdict = verdict_text(window_ax)
window_true = steps(window_ax, [1, 1], COLOURS.true, "true", zorder=3)
window_steps = [steps(window_ax, [1, 1], ink, name) for name, ink in inks.items()]
window_lines = curves(window_error_ax, WINDOWS, {" ": "noisy", "  ": "other"})
window_dots = [own_point(window_error_ax, marker="D", colour=ink) for ink in inks.values()]
x_axis(window_ax, "time", (0, 1), {0: "start", 1: "T"})
y_axis(window_ax, "events", (-0.6, 1.2), {0: "0", 1: ""})
top_word = window_ax.text(-0.03, 1, "300,000", ha="right", va="center")
x_axis(window_error_ax, "w, items in the window", (0.7, 1.2e4), [1, 10, 100, 1_000], log=True)
y_axis(window_error_ax, "error, in units of 1/ε", (1, 500), [1, 10, 100], log=True)
legend_above(fig)


def windowed(w, epsilon, stream, seed):
    items = STREAMS[stream]
    total, noisy, errors = np.cumsum(items), [], []
    sums = moving(total, w)
    for counter in COUNTERS.values():
        totals = counter(items, epsilon, np.random.default_rng(seed))
        noisy.append(moving(totals, w))
        misses = [moving(totals - total, width) for width in WINDOWS]
        errors.append([np.linalg.norm(miss) / math.sqrt(miss.size) for miss in misses])
    tree, on_items = (error[WINDOWS.index(w)] for error in errors)
    set_curves(window_lines, epsilon * np.array(errors))
    for dot, error in zip(window_dots, (tree, on_items), strict=True):
        set_own_point(dot, w, epsilon * error)
    unit = max(sums.max(), sums.mean() + 2.5 * max(tree, on_items), 1)  # room for most noise
    edges = np.linspace(0, 1, sums.size + 1)
    set_steps(window_true, sums / unit, edges)
    for artist, values in zip(window_steps, noisy, strict=True):
        set_steps(artist, np.clip(values / unit, -1.2, 1.3), edges)
    top_word.set_text(f"{unit:,.0f}")
    closer = "binary counter" if tree < on_items else "noise on items"
    nearer, farther = sorted([tree, on_items])
    words = f"{closer} is closer: error {nearer:,.0f} against {farther:,.0f}"
    set_verdict_text(window_verdict, None, words)
    return f"windows of {w:,} of {items.size:,} items: {words}"


window_figure = live(
    fig,
    windowed,
    "Left: true counts in a moving window with two noisy versions. Right: error against the "
    "length of the window on log axes: rising for noise on items, nearly level for the binary "
    "counter, crossing near a few thousand items.",
    task=r"play $w$: where are both equally good? Does $\varepsilon$ or the stream change it?",
    play="w",
    w=choice(WINDOWS, 1024, label="w, window"),
    epsilon=log_slider(0.01, 10, 0.1),
    stream=choice(list(STREAMS), "doctor visits (real)"),
    seed=new_noise(1),
)
window_figure

# %% [markdown]
# ## k counters that keep a sketch
#
# *Can a few counters remember a whole stream?*
#
# The compressive mechanism of [chapter 16](16_compressive.ipynb) rebuilds sparse data from $k$ random samples. The paper runs it on a stream
# (CMCO, its Algorithm 2). Column $t$ of the sampling matrix has $k$ entries $\pm1/\sqrt k$. When item $t$ arrives, it
# is multiplied by that column, and each of the $k$ results goes to a counter of its own. At any time the $k$ noisy
# totals are $k$ samples of the stream so far, from which it can be rebuilt.
#
# Here is the whole of it, with the scale that the guarantee needs, run on the net trace at $\varepsilon = 1$:

# %%
show_source(compressive_counter)
show_source(node_sketches)
net_trace = STREAMS["net trace"]
[whole] = compressive_counter(net_trace, [65_536], 5, 1.0, np.random.default_rng(5))
error, zeros = np.linalg.norm(whole - net_trace), np.linalg.norm(net_trace)
print(f"S = 5: Euclidean error {error:,.0f}; printing zeros {zeros:,.0f}")

# %% [markdown]
# ### The printed budget is broken
#
# *What is the privacy loss of all $k$ counters together, if that of each is $\varepsilon$?*
#
# > **Claim (Li et al. 2011, Theorem 2).** CMCO is $\varepsilon$-pan-private, with an error of
# > $\tilde O(\log^{1.5}(T)/\varepsilon)$ at each time. The first half is false as printed
# > (erratum [E71](22_errata.ipynb#E71)).
#
# The proof calls it straightforward: each counter is $\varepsilon$-private, so all of them are. But one event
# moves *all* $k$ rows, by $1/\sqrt k$ each, on each level. With the printed scale
# $\frac{1}{\sqrt k}\cdot\frac{\text{levels}}{\varepsilon}$ the loss is
#
# $$k \cdot \text{levels} \cdot \frac{1/\sqrt k}{\text{scale}} = k\,\varepsilon .$$
#
# The right scale is $\sqrt k\cdot\text{levels}/\varepsilon$: $k$ times as large. So the printed mechanism at
# $\varepsilon$ **is** the honest one at $k\varepsilon$.
#
# The loss is about the worst case. The figure also makes 2,000 guesses of an attacker who knows all but one event,
# which a fair coin decides. Loss $\varepsilon$ lets a guess be right with probability at most
# $e^\varepsilon/(1 + e^\varepsilon)$.


# %%
def row_losses(k, steps, epsilon):
    """Exact losses: one row and all k rows as printed, all k rows with the right scale."""
    levels = tree_levels(steps)
    one_row = levels / math.sqrt(k)  # what an event moves in all nodes of one row
    printed, right_scale = one_row / epsilon, math.sqrt(k) * levels / epsilon
    return [one_row / printed, k * one_row / printed, k * one_row / right_scale]


def guesses_right(k, steps, epsilon, times_larger, rng):
    """How often the likelihood rightly says whether an event took place, at a larger scale."""
    size, signs = (2_000, k * tree_levels(steps)), rng.integers(0, 2, (2_000, 1))
    scale = tree_levels(steps) / (math.sqrt(k) * epsilon) * times_larger
    seen = rng.laplace(scale=scale, size=size) + signs / math.sqrt(k)
    likelier = (np.abs(seen) - np.abs(seen - 1 / math.sqrt(k))).sum(axis=1) > 0
    return np.mean(likelier == signs[:, 0])


# %% jupyter={"source_hidden": true}
# Figure: row_losses(k, 1024, epsilon), and how often a guess from k counters is right
ROWS = ["one counter, as printed", "all k, as printed", "all k, right scale"]
fig, ax = figure(height=2.8)
unit = "exact loss in multiples of ε (dashed: the claim; bars end at 10)"
budget_meter = meter(ax, ROWS, 10, unit)
budget_verdict = verdict_text(ax)


def budget(k, epsilon):
    set_meter(budget_meter, np.divide(row_losses(k, 1024, epsilon), epsilon), 1)
    printed, honest = (
        guesses_right(k, 1024, epsilon, times, np.random.default_rng(7)) for times in (1, k)
    )
    allowed = 1 / (1 + math.exp(-epsilon))
    words = f"loss {k} ε as printed; {printed:.0%} of guesses right"
    set_verdict_text(budget_verdict, bool(k == 1), words)
    right = f"{printed:.0%} of the time as printed, {honest:.0%} with the right scale"
    return f"guesses are right {right}; allowed {allowed:.0%}"


question = "What percentage of guesses are right with 100 counters at epsilon 1, as printed?"
budget_figure = live(
    fig,
    budget,
    "Three bars of privacy loss against the claim: one counter keeps it, all k counters "
    "together break it k-fold as printed, and keep it with the right scale.",
    task=r"play $k$ at $\varepsilon = 1$. At which $k$ is the guess right nine times in ten?",
    guess=predict(question, (50, 100, "%"), r"right ([\d.]+)%", k=100),
    play="k",
    k=choice([1, 2, 5, 10, 20, 50, 100], 20, label="k, counters"),
    epsilon=log_slider(0.1, 3, 1.0),
)
budget_figure

# %% [markdown]
# The break shows without any formula. The audit of [chapter 21](21_audit.ipynb) runs the mechanism as a black box
# on two neighbouring streams and certifies a loss from below. Here are four counters, a stream of 2 items, and its last
# release:


# %%
def printed_sketch(stream, rng, size):
    """BROKEN: k = 4 noisy samples of a stream of 2 items at time 2, printed scale."""
    k, steps, epsilon = 4, len(stream), 1.0
    operator = hadamard_operator(k, 4, np.random.default_rng(8))
    samples = operator.forward(np.asarray(stream, dtype=float))
    scale = tree_levels(steps) / (math.sqrt(k) * epsilon)
    return samples + rng.laplace(scale=scale, size=(size, k))


pair, rng = ([1, 1], [1, 0]), np.random.default_rng(9)
bound = epsilon_lower_bound(printed_sketch, *pair, 200_000, rng, confidence=0.999)
at_least = math.floor(bound.epsilon * 10) / 10
print(f"claimed 1; certified at least {at_least:.1f} from one of its releases")
print(f"exact loss of that release {4 / tree_levels(2):.0f},", end=" ")
print(f"of all releases up to {4 * 1:.0f}")
assert bound.refutes(1.0)

# %% [markdown]
# ## Live: the stream rebuilt
#
# *With the right budget, is the sketch better than noise on each item?*
#
# On the left are the stream so far and what is rebuilt from the $k$ counters. On the right is the Euclidean error, beside
# those of rivals at the same $\varepsilon$. One of them is noise on items, *denoised*: its $S$ largest coefficients in
# the same basis.

# %%
STREAMS_AND_BASES = {
    "poor health (real)": (poor_health, haar_prefix),
    "search logs": (STREAMS["search logs"], haar_prefix),
    "net trace": (STREAMS["net trace"], haar_prefix),
    "TCP trace": (data.tcp_trace().values.astype(float), cosine_basis),
}
PARTS = 32  # times at which the live figure can look: 32nds of the stream


@functools.cache
def sketched(name, S):
    """What no epsilon changes: the times, the operator, the true samples of the nodes read."""
    stream, basis_of = STREAMS_AND_BASES[name]
    widest = basis_of(stream.size).n
    k = measurements(S, widest, 1.5)
    operator = hadamard_operator(k, widest, np.random.default_rng(S))
    times = [int(part * stream.size / PARTS) // 64 * 64 for part in range(1, PARTS)]
    times.append(stream.size)
    return times, operator, *node_sketches(stream, times, operator)


@functools.lru_cache(maxsize=32)
def rebuilt(name, part, S, epsilon, seed):
    """`compressive_counter` in its steps, for one of the times: the estimate and k."""
    stream, basis_of = STREAMS_AND_BASES[name]
    times, operator, nodes, sketches = sketched(name, S)
    k, time = operator.shape[0], times[part - 1]
    sensitivity = math.sqrt(k) * tree_levels(stream.size)
    noisy = laplace_mechanism(sketches, sensitivity, epsilon, np.random.default_rng(seed))
    noise = sketch_noise([time], k, stream.size, epsilon)[0]
    sketch, basis = sketch_at(nodes, noisy, time), basis_of(time)
    return prefix_estimate(sketch, operator, basis, time, S, generalised_omp, noise), k


# %%
def denoised(noisy_items, basis, S):
    """The S largest coefficients of noisy items, items to come being 0: post-processing."""
    padded = np.pad(noisy_items, (0, basis.n - noisy_items.size))
    return keep_largest(padded, basis, S)[: noisy_items.size]


@functools.lru_cache(maxsize=8)
def unit_noise(name, seed):
    """For epsilon 1: the summed squares of differencing's noise, the noise on each item."""
    size, rng = STREAMS_AND_BASES[name][0].size, np.random.default_rng(seed)
    differences = np.diff(binary_counter(np.zeros(size), 1.0, rng), prepend=0)
    return np.cumsum(differences**2), laplace_mechanism(np.zeros(size), 1, 1.0, rng)


def rivals(name, time, S, epsilon, seed):
    """Errors over the stream so far: differencing, noise on items, denoised, zeros."""
    stream, basis_of = STREAMS_AND_BASES[name]
    items, (squares, noise) = stream[:time], unit_noise(name, seed)
    clean = denoised(items + noise[:time] / epsilon, basis_of(time), S)
    return [
        math.sqrt(squares[time - 1]) / epsilon,
        np.linalg.norm(noise[:time]) / epsilon,
        np.linalg.norm(clean - items),
        np.linalg.norm(items),
    ]


# %% jupyter={"source_hidden": true}
# Figure: rebuilt(stream, part, S, epsilon, seed) and its rivals at one time
METHODS = ["compressed", "differencing", "noise on items", "denoised", "zeros"]
fig, (stream_ax, compare_ax) = figure(columns=2, height=3.2, width_ratios=[1.2, 1])
compressed_verdict = verdict_text(stream_ax)
stream_steps = steps(stream_ax, [0, 0], COLOURS.pale, "stream so far", fill=True)
rebuilt_steps = steps(stream_ax, [0, 0], COLOURS.noisy, "rebuilt from k counters")
x_axis(stream_ax, "time", (0, 1))
y_axis(stream_ax, "item", (-1_000, 9_000))  # room for "2,000"
compare_dots = rival_dots(compare_ax, METHODS, (0.05, 1e8))
legend_above(fig)


def compressed(part, epsilon, stream):
    items = STREAMS_AND_BASES[stream][0]
    times, operator, *_ = sketched(stream, 20)
    k, time = operator.shape[0], times[part - 1]
    estimate, _ = rebuilt(stream, part, 20, epsilon, 1)
    errors = [np.linalg.norm(estimate - items[:time]), *rivals(stream, time, 20, epsilon, 1)]
    right_end = 300 if stream == "net trace" else items.size  # its busy items come first
    shown = min(right_end, time)
    if stream_ax.get_xlim()[1] != right_end:
        x_axis(stream_ax, limits=(0, right_end))
        y_axis(stream_ax, limits=(-0.3 * items.max(), 1.1 * items.max()))
    for artist, values in ((stream_steps, items[:shown]), (rebuilt_steps, estimate[:shown])):
        set_steps(artist, values, np.arange(shown + 1))
    set_rival_dots(compare_dots, errors)
    times_worse = amount(errors[0] / errors[2])
    words = f"{times_worse} times the error of noise on items"
    set_verdict_text(compressed_verdict, None, words)
    return f"time {time:,}, k = {k} counters, each with noise for all of them: {words}"


compressed_figure = live(
    fig,
    compressed,
    "Left: the stream so far, filled, and the rebuilt stream. Right: dots for the errors of "
    "five methods on a log axis; at the start noise on items is lowest, then its denoised "
    "version, the compressed counter, differencing and zeros.",
    task=(
        "compare the compressed counter with noise on items, and with zeros. Then play *time* "
        "on each stream. When is the compressed counter at its best?"
    ),
    play="part",
    part=slider(4, PARTS, PARTS, label="time (32 is the end)"),
    epsilon=log_slider(0.1, 1000, 20.0),
    stream=choice(list(STREAMS_AND_BASES), "net trace"),
)
compressed_figure

# %% [markdown]
# ## Error over time
#
# *Does the paper's Figure 5 stand once all methods have the same guarantee?*
#
# Figure 5 compares CMCO with differencing only. Here it is again on our streams, with honest budgets and with the
# rivals that the paper leaves out. Both use the binary counter, which has less noise than the paper's. Dotted is CMCO
# with the printed scale, a loss of $k\varepsilon$.

# %%
LOOK_AT = [4, 12, 20, 26, 32]
EPSILONS = [0.1, 1, 10, 100]


@functools.cache
def errors_over_time(name, epsilon, S=20, seed=1):
    """One row a method, one column a time: Euclidean error over the stream so far."""
    stream, columns = STREAMS_AND_BASES[name][0], []
    for part in LOOK_AT:
        honest, k = rebuilt(name, part, S, epsilon, seed)
        printed, _ = rebuilt(name, part, S, epsilon * k, seed)
        both = [np.linalg.norm(one - stream[: one.size]) for one in (honest, printed)]
        columns.append(both + rivals(name, honest.size, S, epsilon, seed))
    return np.array(columns).T


for name in STREAMS_AND_BASES:
    for epsilon in EPSILONS:
        errors_over_time(name, epsilon)

# %% jupyter={"source_hidden": true}
# Figure: errors_over_time(stream, epsilon) of every counter
looks = {"compressed": "noisy o-", "as printed": "noisy o:", "differencing": "other --"}
looks |= {"noise on items": "third", "denoised": "fourth -.", "zeros": "grey :"}
fig, ax = figure(height=3.4)
over_time_verdict = verdict_text(ax)
x_axis(ax, "time, as a fraction of the stream", (0, 1))
y_axis(ax, "Euclidean error (log scale)", (0.3, 1e5), log=True)
over_time = curves(ax, np.array(LOOK_AT) / PARTS, looks, ends=True, clip_on=False)


def figure_five(epsilon, stream):
    errors = errors_over_time(stream, epsilon)
    set_curves(over_time, errors)
    honest = dict(zip(METHODS, np.delete(errors[:, -1], 1), strict=True))
    best = min(reversed(honest), key=honest.get)  # nothing but zeros counts as zeros
    words = f"smallest honest error: {best}, {amount(honest[best])}"
    set_verdict_text(over_time_verdict, None, words)
    k = sketched(stream, 20)[1].shape[0]
    return f"S = 20, k = {k} counters; the dotted blue line has a loss of {k * epsilon:,.0f}"


over_time_figure = live(
    fig,
    figure_five,
    "Errors of six methods over time on a log axis. At the start the compressed counter and "
    "differencing are above zeros, noise on items is far below; lowest, and nearly alike, are "
    "denoised items and the compressed counter as printed, which breaks its guarantee.",
    task=(
        r"find a stream and an $\varepsilon$ where the compressed counter is better than "
        "noise on items. Is it then also better than printing zeros?"
    ),
    epsilon=choice(EPSILONS, 1),
    stream=choice(list(STREAMS_AND_BASES), "net trace"),
)
over_time_figure


# %%
def errors_at_the_end(name, epsilon, seed, S=20):
    """Euclidean error of each method over the whole stream, all from the same seed."""
    stream, (estimate, _) = STREAMS_AND_BASES[name][0], rebuilt(name, PARTS, S, epsilon, seed)
    others = rivals(name, stream.size, S, epsilon, seed)
    return [np.linalg.norm(estimate - stream), *others]


# %% jupyter={"source_hidden": true}
# Computed: the error of each method at the end of four streams, medians of 20

ends = {}
for name, epsilon in itertools.product(STREAMS_AND_BASES, (0.1, 10)):
    errors = [errors_at_the_end(name, epsilon, seed) for seed in range(20)]
    ends[name, f"epsilon {epsilon}"] = np.array(errors)
table = {row: np.median(errors, axis=0) for row, errors in ends.items()}
print("Euclidean error at the end of the stream, S = 20,", end=" ")
print("medians of 20 releases from the same seeds")
stopped = [int(np.isclose(errors[:, 0], errors[:, -1]).sum()) for errors in ends.values()]
table = pd.DataFrame(table, index=METHODS).T.map(amount)
table.assign(**{"compressed = zeros, of 20": stopped})

# %% [markdown]
# The last column counts the releases in which the compressed counter finds nothing above its noise, and returns zeros.
# Where it does so in some, its median is luck. At $\varepsilon=10$ it has less error than differencing on the net trace,
# more on search logs and TCP trace. It is ahead of noise on items only where it returns zeros.
#
# ## Why noise on items wins
#
# *For which $S$ and $T$ could the compressed counter win?*
#
# Once the right $S$ coefficients are found, the compressed counter has the error
#
# $$\sqrt{2\,S\,k\,\mathrm{ones}(t)}\;\frac{\text{levels}}{\varepsilon}
# \qquad\text{against}\qquad \frac{\sqrt{2t}}{\varepsilon}\ \text{(noise on items)}
# \qquad\text{and}\qquad \frac{\sqrt{2S}}{\varepsilon}\ \text{(denoised)}.$$
#
# By these formulas the compressed counter is never better than denoised items. It is better than noise on items only if
# $S\,k\,\mathrm{ones}(t)\,\text{levels}^2 < t$. The cell has the largest such $S$, at a time half of whose binary digits
# are ones.


# %%
def largest_sparsity(steps, weight):
    """The largest S with weight x S k < steps, where k = 1.5 S log2(steps / S)."""
    ks = {S: math.ceil(1.5 * S * math.log2(steps / S)) for S in range(1, 3000)}
    return max((S for S, k in ks.items() if weight * S * k < steps), default=0)


# %% jupyter={"source_hidden": true}
# Computed: the largest S at which the compressed counter beats two rivals

for power in (16, 20, 24, 30):
    levels = 1 + power
    items = largest_sparsity(2**power, power / 2 * levels**2)
    differences = largest_sparsity(2**power, power / 4)
    print(f"T = 2^{power}: beats noise on items up to S = {items:>3},", end=" ")
    print(f"differencing up to S = {differences:>5,}")

# %% [markdown]
# At 65,536 items the compressed counter beats noise on items with $S = 1$ only, and at $2^{30}$ items up to $S = 45$.
#
# ### What is gained: memory
#
# Noise on items publishes $T$ numbers, and someone must store them to denoise. The counters keep $k$ noisy totals and
# $k \log_2 T$ noises, and an item costs about $k$ additions.

# %% jupyter={"source_hidden": true}
# Computed: the numbers that k counters keep, for three values of S
for S in (5, 20, 50):
    k = measurements(S, 65_536, 1.5)
    kept = k * (1 + segment_levels(65_536))
    print(f"S = {S:>2}: k = {k:>3}, {kept:>6,} numbers kept,", end=" ")
    print(f"{65_536 / kept:>4.1f} times fewer than the items")

# %% [markdown]
# (A public seed gives the signs of the sampling matrix again.) With as many numbers the sketch can be pan-private:
# `PanPrivateCounter` takes vectors of $k$ numbers, with sensitivity $\sqrt k$.

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/17_continual](../exercises/answers/17_continual.ipynb).
#
# **Assignment 17:** [five tasks, checked in a second](../exercises/releases/17_continual.ipynb).
#
# 1. *Warm-up.* In the block figure: which times read only one node? Which item is in the fewest nodes?
# 2. In the counting figure, take the real records of poor health and set $T$ to 65,536. At which smallest $\varepsilon$
#    is the binary counter's error below 10% of the final total? And for noise on items?
# 3. In the window figure, read off the crossing for the real records and for the net trace, with the first noise. Why
#    is it at a larger $w$ for the longer stream? Does it stay there with *New noise*?
# 4. A total can only grow. Use that: `np.maximum.accumulate` of a release, or better, the nearest growing sequence
#    (`scipy.optimize.isotonic_regression`). Does it cost privacy? Does it help? (The cell below makes a bad start.
#    Why?)
# 5. Blocks of 1, 4, 16, ... items instead of 1, 2, 4: fewer levels, more nodes a total. Work out the error for base
#    $b$ and find the best $b$ for $T = 65{,}536$.
# 6. *Challenge.* $T$ is unknown. Run one binary counter for item 1, another for items 2 and 3, another for items 4 to 7,
#    and so on. Add the last totals of the finished ones. What is the loss, and what is the error at time $t$?

# %%
release = binary_counter(poor_health, 0.1, np.random.default_rng(12))
growing = np.maximum.accumulate(release)
for name, values in (("as released", release), ("made to grow", growing)):
    print(f"{name:<12}: error {math.sqrt(np.mean((values - truth) ** 2)):,.0f}")

# %% [markdown]
# ## When to use it, and when not
#
# The net trace, 65,536 items, $\varepsilon = 1$, three kinds of questions, medians of 20 releases:


# %%
def three_questions(totals):
    """Errors of a running total, a window of 1,000 items, one item."""
    off = totals - np.cumsum(stream)
    squares = off**2, moving(off, 1000) ** 2, np.diff(off, prepend=0) ** 2
    return [math.sqrt(square.mean()) for square in squares]


# %% jupyter={"source_hidden": true}
# Computed: the errors of six methods for three kinds of questions, and the numbers in memory
stream, epsilon, n = STREAMS["net trace"], 1.0, 65_536
k = measurements(20, n, 1.5)
memory = {
    "zeros": 0,
    "noise on items": 0,
    "denoised, S = 20": n,
    "binary counter": tree_levels(n),
    "pan-private counter": 1 + segment_levels(n),
    "compressed, S = 20": k * tree_levels(n),
}

runs = []
for seed in range(20):
    noisy_items = laplace_mechanism(stream, 1, epsilon, np.random.default_rng(seed))
    releases = [
        0 * stream,
        np.cumsum(noisy_items),
        np.cumsum(denoised(noisy_items, haar_prefix(n), 20)),
        binary_counter(stream, epsilon, np.random.default_rng(seed)),
        pan_private_counter(stream, epsilon, np.random.default_rng(seed)),
        np.cumsum(rebuilt("net trace", PARTS, 20, epsilon, seed)[0]),
    ]
    runs.append([three_questions(totals) for totals in releases])
columns = ["a running total", "a window of 1,000", "one item"]
final = pd.DataFrame(np.median(runs, axis=0), list(memory), columns).map(amount)
final["numbers in memory"] = [f"{kept:,}" for kept in memory.values()]
final

# %% [markdown]
# - **Running totals of a long stream** (longer than the crossing above): the binary counter. If the machine may be
#   seized: the pan-private counter, for about 1.5 times the error.
# - **A short stream, short windows, or single items:** noise on each item.
# - **The whole stream, in a basis known to suit it:** noise on each item, then denoise. The larger $\varepsilon$ is, the
#   more coefficients are worth keeping: at 10, twenty are too few for three of the four streams.
# - **The compressed counter:** only if nobody may keep $T$ numbers, the stream is *very* sparse in a public basis, and
#   $\varepsilon$ is large.
# - **When people come back:** divide $\varepsilon$ by the number of events a person can have.
#
# **With a $\delta$**, *matrix factorisation* does better than the tree (Henzinger, Upadhyay and Upadhyay 2023): later
# noise takes back what earlier noise added. [30](30_correlated.ipynb) trains models so. With Gaussian noise
# for both, the binary counter is ahead of noise on items for every $T \ge 21$. If *all* blocks of a tree are
# noisy sums, small ones improve the large ones at no cost (Honaker 2015). Our nodes are too few for that.
#
# ## Sources
#
# - **000** Yang D. Li, Zhenjie Zhang, Marianne Winslett, Yin Yang: *Compressive Mechanism: Utilizing Sparse
#   Representation in Differential Privacy*. WPES 2011. [arXiv:1107.3350](https://arxiv.org/abs/1107.3350).
#   Sections 3.3 (pan-privacy, Lemma 3), 6 (Algorithm 2, Theorem 2, Table 2), 7.1 (Figure 5), appendices C and E. Corrected
#   on this page: the budget of Theorem 2. Added: the exact error of differencing, the rivals in Figure 5, and what a
#   person with several events loses, such as a patient of Example 3.
#
# <details><summary>The other 6 sources of this page.</summary>
#
# - Cynthia Dwork, Moni Naor, Toniann Pitassi, Guy Rothblum: *Differential Privacy under Continual Observation*. STOC
#   2010. [doi:10.1145/1806689.1806787](https://doi.org/10.1145/1806689.1806787). The counter of appendix E.
# - T.-H. Hubert Chan, Elaine Shi, Dawn Song: *Private and Continual Release of Statistics*. ACM Transactions on
#   Information and System Security 2011. [doi:10.1145/2043621.2043626](https://doi.org/10.1145/2043621.2043626). The
#   binary counter, unknown $T$, pan-privacy.
# - Cynthia Dwork, Moni Naor, Toniann Pitassi, Guy Rothblum, Sergey Yekhanin: *Pan-Private Streaming Algorithms*. ICS
#   2010, pages 66 to 80.
# - Peter Fenwick: *A New Data Structure for Cumulative Frequency Tables*. Software: Practice and Experience 1994.
#   [doi:10.1002/spe.4380240306](https://doi.org/10.1002/spe.4380240306). One node a time step.
# - James Honaker: *Efficient Use of Differentially Private Binary Trees*. TPDP 2015.
# - Monika Henzinger, Jalaj Upadhyay, Sarvagya Upadhyay: *Almost Tight Error Bounds on Differentially Private Continual
#   Counting*. SODA 2023. [doi:10.1137/1.9781611977554.ch183](https://doi.org/10.1137/1.9781611977554.ch183).
#
# `dpbook` is for learning, not for real releases ([00](00_start_here.ipynb) says why).
#
# </details>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [16 The compressive mechanism](16_compressive.ipynb) · **Next:** [18 Compressed sensing on tables](18_sensing.ipynb)
