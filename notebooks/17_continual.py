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
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [16 The compressive mechanism](16_compressive.ipynb) · **Next:** [18 Compressed sensing on tables](18_sensing.ipynb)
#
# **Assignment 17:** [five tasks, checked in a second](../exercises/releases/17_continual.ipynb)
#
# **What you will see:** a count that is published again after every new record, 65,536 times, with an error that
# hardly grows. A counter that gives nothing away even to a burglar who takes its memory.
#
# <details><summary>About 75 minutes, after 03 and 16: what you do, what you need, the data</summary>
#
# Then the method of Li, Zhang, Winslett and Yang (2011), "the paper" on this page, which keeps a compressed sketch of
# the whole stream with $k$ such counters: its promise is wrong by a factor of $k$, and with an honest promise a much
# simpler rival beats it.
#
# **What you will do:** find how long a stream must be before the clever counter pays; hide a record from a burglar by
# hand; make the compressed counter win, if you can.
#
# **Time:** about 75 minutes. A stopping point, after 40: "Where pan-privacy breaks". The second half needs page
# [16](16_compressive.ipynb).
#
# **You need:** [03 the Laplace mechanism](03_laplace.ipynb); for the second half [16 the compressive
# mechanism](16_compressive.ipynb).
#
# **Real and synthetic:** the health records are real (RAND health insurance experiment; the order of the file stands
# for the order of arrival). Net trace, search logs and TCP trace are *synthetic stand-ins* ([page 16](16_compressive.ipynb) says what of the
# originals they match: bins, totals and lengths for the first two); no number computed from them is a result about the
# originals.
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
import math

import numpy as np
import pandas as pd

from dpbook import data
from dpbook.amounts import amount, counted
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
    nodes_holding,
    nodes_read,
    pan_private_counter,
    prefix_estimate,
    running_totals,
    segment_levels,
    sketch_at,
    sketch_noise,
    tree_levels,
)
from dpbook.guesses import numbers, predict
from dpbook.laplace import laplace_mechanism, laplace_probability
from dpbook.live import choice, live, log_slider, new_noise, show_source, slider
from dpbook.plots import (
    COLOURS,
    figure,
    meter,
    set_meter,
    set_steps,
    set_verdict_text,
    show,
    steps,
    verdict_text,
)
from dpbook.sparse import (
    cosine_basis,
    generalised_omp,
    hadamard_operator,
    keep_largest,
    measurements,
)

# %% jupyter={"source_hidden": true}
# Figure: nodes_read(time) and nodes_holding(item, 16)
fig, ax = figure(height=3.2)
blocks_verdict = verdict_text(ax)
bars_of_nodes = {}
for time in range(1, 17):
    block = time & -time
    [bar] = ax.bar(
        [time - block + 0.54],
        [0.8],
        block - 0.08,
        bottom=[block.bit_length() - 0.9],
        align="edge",
    )
    bar.set(facecolor="white", edgecolor="black", linewidth=0.8)
    bars_of_nodes[time] = bar
    ax.text(time - block + 0.62, block.bit_length() - 0.5, str(time), va="center")
(now_line,) = ax.plot([13.5, 13.5], [0, 5], color=COLOURS.noisy, linewidth=2)
(item_mark,) = ax.plot([5], [-0.12], "^", color=COLOURS.other, markersize=11)
ax.set(
    xlim=(0.3, 16.9),
    ylim=(-0.3, 5),
    xlabel="item",
    xticks=range(1, 17),
    ylabel="items in the node",
)
ax.set_yticks(np.arange(5) + 0.5, ["1", "2", "4", "8", "16"])


def blocks(time, item):
    reads, holds = nodes_read(time), nodes_holding(item, 16)
    for node, bar in bars_of_nodes.items():
        bar.set_facecolor(
            [["white", COLOURS.amber], [COLOURS.light, COLOURS.third]][node in reads][
                node in holds
            ]
        )
    now_line.set_xdata([time + 0.5] * 2)
    item_mark.set_xdata([item])
    nodes = [counted(len(some), "node") for some in (reads, holds)]
    named = [
        f"{words.split()[1]} {', '.join(map(str, some))}"
        for words, some in zip(nodes, (reads, holds), strict=True)
    ]
    set_verdict_text(
        blocks_verdict, None, f"time {time} reads {nodes[0]}; item {item} is in {nodes[1]}"
    )
    return (
        f"total at time {time} = {named[0]} (blue). Item {item} is in {named[1]} (amber). "
        "Green: both"
    )


blocks_figure = live(
    fig,
    blocks,
    "Blocks of 1, 2, 4, 8 and 16 items over a line of 16 items, one block ending at each "
    "time; the blocks that make up "
    "a total and the blocks that hold an item (a triangle marks it) are coloured.",
    task=(
        "time 15, then time 16: how many nodes are read? Press *play* to see all times, from "
        "the first on. Then put the item at 1 and at 16: in how many nodes is it?"
    ),
    play="time",
    guess=predict(
        "The total at time 15: from how many nodes is it read?",
        (1, 16, " nodes"),
        lambda said: len(numbers(said.partition("(blue)")[0])) - 1,
        time=15,
    ),
    time=slider(1, 16, 13),
    item=slider(1, 16, 5),
)
blocks_figure

# %% [markdown]
# ## A count that keeps moving
#
# Records arrive one at a time. Item $t$ of the *stream* says whether record $t$ is of a person who calls their own
# health poor: 0 or 1. After each record we publish how many there have been so far, the *running total*.
#
# Neighbours, on this whole page, are two streams that differ by one unit in one item: one event more or less
# (add/remove).
#
# A tempting way: Laplace noise of scale $1/\varepsilon$ on each total, as for a single count.

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
# One more event at time 1 raises *every* total by 1: the loss is $T\varepsilon$. And a burglar is not needed. Between
# two events the totals stay where they are, so averaging removes the noise. Take a quiet stretch before and after one
# event:

# %%
events = np.flatnonzero(poor_health)
gaps = np.diff(np.concatenate([[0], events, [T]]))
alone = int(np.argmax(np.minimum(gaps[:-1], gaps[1:])))
before, after = (
    released[events[alone] - gaps[alone] + 1 : events[alone]],
    released[events[alone] :][: gaps[alone + 1]],
)
print(f"quiet for {before.size} records before the event and {after.size} from it on")
print(
    f"average after - average before = {after.mean() - before.mean():.2f}: an event, and "
    "nobody doubts it"
)
print(f"loss of the whole release at epsilon 1: {T:,}")
assert 0.5 < after.mean() - before.mean() < 1.5

# %% [markdown]
# Two honest repairs come to mind.
#
# 1. **Share the budget:** each of the $T$ totals gets $\varepsilon/T$. The error of each is $\sqrt2\,T/\varepsilon$.
# 2. **Noise on each item,** once, as it arrives; then add up. An event is in one item only, so scale $1/\varepsilon$
#    is enough. But the total at time $t$ carries the noise of $t$ items: $\sqrt{2t}/\varepsilon$.
#
# ("Error" is the root mean square error, unless we say otherwise.)


# %%
def sum_of_noisy_items(stream, epsilon, rng):
    """Epsilon-DP: the totals of a stream whose items have noise of scale 1 / epsilon each."""
    return np.cumsum(laplace_mechanism(stream, 1, epsilon, rng))


noisy_totals = sum_of_noisy_items(poor_health, 1.0, np.random.default_rng(2))
print(
    f"epsilon 1, error at the end: shared budget {math.sqrt(2) * T:,.0f}, noise on items "
    f"{math.sqrt(2 * T):,.0f}"
)
print(
    f"one release with noise on items: {noisy_totals[-1]:.0f} where the truth is "
    f"{truth[-1]:.0f}"
)

# %% [markdown]
# ## The idea: sums of blocks
#
# Both repairs are at an end of one scale. The first publishes sums of *many* items, and an item is in many of them.
# The second publishes sums of *one* item, and a total needs many of them. In between: sums of blocks of 1, 2, 4, 8
# ... items, such that an item is in few blocks **and** a total needs few.
#
# At time $t$ publish ONE block: the last $b$ items, where $b$ is the largest power of two that divides $t$. We call
# it *node* $t$.

# %%
example = np.array([1.0, 0, 0, 1, 1, 0, 1, 0])
for time, total in enumerate(node_sums(example), 1):
    block = time & -time
    print(f"time {time}: node {time} = items {time - block + 1} to {time}, sum {total:.0f}")
print("running totals from the nodes:", running_totals(node_sums(example)).astype(int))
assert np.array_equal(running_totals(node_sums(example)), np.cumsum(example))

# %% [markdown]
# The figure at the top of the page shows these blocks. The total at time $t$ is the sum of as many nodes as $t$ has ones
# in binary: $13 = 1101_2 = 8 + 4 + 1$, so node 13
# (1 item), node 12 (4 items), node 8 (8 items). An item is in at most one node of each size, $1 + \lfloor\log_2
# T\rfloor$ in all; we call this number the *levels*.

# %% [markdown]
# ## The mechanism: the binary counter
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
# *Proof.* It is the Laplace mechanism on the $T$ nodes. The totals are computed from them, and the nodes
# can be computed back from the totals: nothing is gained or lost. $\square$ So we can compute the loss exactly. An event that
# attains it: every node below both of its possible values.


# %%
def exact_loss_of_item(item, steps, epsilon):
    """Log ratio of the probabilities that all nodes come out at most -1, without and with one
    unit at `item`.
    """
    scale = tree_levels(steps) / epsilon
    worlds = [node_sums(np.zeros(steps)), node_sums(np.eye(1, steps, item - 1)[0])]
    logs = [
        np.log(laplace_probability(-np.inf, -1, nodes, 1, 1 / scale)).sum() for nodes in worlds
    ]
    return logs[0] - logs[1]


losses_16 = np.array([exact_loss_of_item(item, 16, 1.0) for item in range(1, 17)])
print("epsilon 1, T = 16, loss by item:", *(f"{loss:.1f}" for loss in losses_16))
assert losses_16.max() <= 1 + 1e-12 and np.isclose(losses_16[0], 1)
shares = [
    len(nodes_holding(item, 65_536)) / tree_levels(65_536) for item in range(1, 65_537, 7)
]
print(f"T = 65,536: item 1 loses epsilon; items lose {np.mean(shares):.2f} epsilon on average")

# %% [markdown]
# Only item 1 uses the whole promise. That is no reason to promise more: item 1 is somebody.
#
# ## Live: honest counters
#
# Left, the running totals; right, the error in 64 stretches of time (solid), and the exact error (dashed), both in units
# of $1/\varepsilon$, which is the size of the noise. In the stream *doctor visits*, an item is the number of visits in a record, and neighbours differ by one visit.

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
STYLE = {"binary counter": COLOURS.noisy, "noise on items": COLOURS.other}
SHARES = (np.arange(64) + 0.5) / 64
fig, (totals_ax, off_ax) = figure(columns=2, height=3.6)
counting_verdict = verdict_text(totals_ax)
total_steps, off_lines, expected_lines = {}, {}, {}
for name, colour in STYLE.items():
    total_steps[name] = steps(
        totals_ax, np.arange(2), colour=colour, edges=[0, 0.5, 1], label=name
    )
    (off_lines[name],) = off_ax.plot(SHARES, np.ones(64), color=colour)
    (expected_lines[name],) = off_ax.plot(SHARES, np.ones(64), color=colour, linestyle="--")
(exact_key,) = off_ax.plot([], [], "--", color=COLOURS.grey, label="exact error")
(true_total,) = totals_ax.plot(
    [0, 1], [0, 1], color=COLOURS.true, linewidth=1.5, label="true total", zorder=3
)
for ax, label in ((totals_ax, "running total"), (off_ax, "error")):
    ax.set(xlim=(0, 1), xticks=[0, 1], xticklabels=["start", "T"], xlabel="time", ylabel=label)
totals_ax.set(ylim=(-0.3, 1.3), yticks=[0, 1], yticklabels=["0", ""])
total_word = totals_ax.text(-0.03, 1, "300,000", ha="right", va="center")
off_ax.set(yscale="log", ylim=(3, 700), yticks=[10, 100], ylabel="error, in units of 1/ε")
off_ax.yaxis.set_major_formatter("{x:,.0f}")
keys = [true_total, *total_steps.values(), exact_key]
fig.legend(handles=keys, loc="outside upper center", ncols=4, frameon=False)


def counting(stream, T, epsilon, seed):
    items = STREAMS[stream][:T]
    totals, times = np.cumsum(items), np.arange(1, items.size + 1)
    unit, edges, errors = max(totals[-1], 1), np.linspace(0, 1, items.size + 1), {}
    exact = [binary_counter_error(times, items.size, epsilon), np.sqrt(2 * times) / epsilon]
    shown = np.linspace(0, items.size - 1, min(items.size, 800)).astype(int)
    true_total.set_data((shown + 1) / items.size, totals[shown] / unit)
    for (name, counter), error in zip(COUNTERS.items(), exact, strict=True):
        estimate = counter(items, epsilon, np.random.default_rng(seed))
        set_steps(total_steps[name], np.clip(estimate / unit, -0.4, 1.4), edges)
        off_lines[name].set_ydata(epsilon * in_stretches((estimate - totals) ** 2))
        expected_lines[name].set_ydata(epsilon * in_stretches(error**2))
        errors[name] = math.sqrt(np.mean((estimate - totals) ** 2))
    first, second = errors.values()
    total_word.set_text(f"{totals[-1]:,.0f}")
    closer, (least, most) = min(errors, key=errors.get), sorted(errors.values())
    set_verdict_text(
        counting_verdict, None, f"{closer} is closer: off by {least:,.0f} against {most:,.0f}"
    )
    return (
        f"{items.size:,} items, true total {totals[-1]:,.0f}; error over all times: binary "
        f"counter {first:,.0f}, "
        f"noise on items {second:,.0f}, shared budget "
        f"{math.sqrt(2) * items.size / epsilon:,.0f}"
    )


counting_figure = live(
    fig,
    counting,
    "Left: true running total with two noisy ones, one staying close and one wandering off. "
    "Right: their errors over "
    "time on a log axis with dashed exact errors, level for the binary counter, rising for "
    "noise on items.",
    task=(
        "move $T$ down to 256: which counter would you take? Then the net trace with 65,536 "
        "items. Press *New noise* a few times: noise on items wanders off, the binary counter "
        "always comes back."
    ),
    guess=predict(
        "256 items in place of 16,384: which has the smaller error over all times?",
        ["binary counter", "noise on items"],
        lambda said: (
            "binary counter" if numbers(said)[2] < numbers(said)[3] else "noise on items"
        ),
        T=256,
    ),
    stream=choice(list(STREAMS), "doctor visits (real)"),
    T=choice([256, 1024, 4096, 16_384, 65_536], 16_384, label="T, items"),
    epsilon=log_slider(0.01, 10, 0.01),
    seed=new_noise(1),
)
counting_figure

# %% [markdown]
# ## How large is the error?
#
# A total at time $t$ sums one noise for each one in the binary $t$, call their number $\mathrm{ones}(t)$, each of
# variance $2\,(\text{levels}/\varepsilon)^2$:
#
# $$\sqrt{2\,\mathrm{ones}(t)}\;\frac{1 + \lfloor\log_2 T\rfloor}{\varepsilon}
# \qquad\text{against}\qquad \frac{\sqrt{2t}}{\varepsilon}.$$
#
# Both are exact, and $\varepsilon$ scales both alike: it has no say in which is better. $T$ has.
#
# > **Theorem 17.2 (tail; Li et al. 2011, Lemma 3; Dwork, Naor, Pitassi and Rothblum 2010).** At each time, with probability at
# > least $1 - \beta$, the total is off by at most
# > $\sqrt{2\,\mathrm{ones}(t)}\;\frac{\text{levels}}{\varepsilon}\ln\frac4\beta$, which is at most
# > $\sqrt2\,\text{levels}^{1.5}\ln\frac4\beta/\varepsilon$,
# > that is, $O(\log(1/\beta) \log^{1.5}(T)/\varepsilon)$.
#
# *Proof.* For a sum $X$ of $K$ Laplace noises of scale $b$ and $\lambda = 1/(b\sqrt{2K})$: $\mathbb E\,e^{\lambda X} =
# (1 - \frac1{2K})^{-K} \le 2$, so $P(|X| > s) \le 4 e^{-\lambda s}$. $\square$ The print under the figure compares.

# %%
lengths = 2 ** np.arange(4, 21)
rows = {"shared budget": math.sqrt(2) * lengths, "noise on items": np.sqrt(lengths + 1)}
all_times = np.arange(1, lengths[-1] + 1)
rows["binary counter"] = [
    math.sqrt(np.mean(binary_counter_error(all_times[:n], n, 1.0) ** 2)) for n in lengths
]

# %% jupyter={"source_hidden": true}
# Figure: the errors computed above, against the length of the stream
fig, ax = figure(height=3.2)
for (name, errors), colour in zip(
    rows.items(), (COLOURS.grey, COLOURS.other, COLOURS.noisy), strict=True
):
    ax.plot(lengths, errors, "o-", color=colour, markersize=4, label=name)
ax.set(
    xscale="log",
    yscale="log",
    xlabel="T, length of the stream",
    ylabel="error of a total, epsilon 1",
)
ax.legend(loc="upper left")
show(
    fig,
    "Error of a total against the length of the stream on log axes: the binary counter starts "
    "above noise on items and "
    "crosses below it at a thousand items or so; a shared budget is far above both.",
)

# %%
some_T = np.arange(1, 10_001)
one_level = binary_counter_error(some_T, some_T.size, 1.0) / tree_levels(
    some_T.size
)  # the error is levels times this
squares = np.cumsum(one_level**2) / some_T * np.array([tree_levels(n) for n in some_T]) ** 2
ahead = squares < some_T + 1
print(
    f"averaged over all times, the binary counter is first better at T = {some_T[ahead][0]:,},"
)
print(f"    and at every T from {some_T[~ahead][-1] + 1:,} on")
for n in (1023, 1024):
    worst = binary_counter_error(np.arange(1, n + 1), n, 1.0).max()
    print(f"T = {n}: {tree_levels(n)} levels, worst error {worst:.1f}")
tails = [
    np.abs(binary_counter(np.zeros(1023), 1.0, np.random.default_rng(s))[-1])
    for s in range(1_000)
]
for beta in (0.5, 0.1, 0.01):
    limit = math.sqrt(2 * 10) * tree_levels(1023) * math.log(4 / beta)
    print(
        f"T = 1023, beta {beta}: limit {limit:.0f}, exceeded in "
        f"{np.mean(np.array(tails) > limit):.4f} of 1,000 releases"
    )

# %% [markdown]
# Two practical hints are in these numbers. Below the crossing, put noise on the items. And $T$ must be
# promised in advance: a stream of 1,024 pays for one level more than a stream of 1,023, just for its last total.
#
# ## An intruder
#
# All this protected what we *publish*. What about the memory of the machine that counts? While node 8 fills up, the
# binary counter holds the exact sum of the items since time 1. Someone who seizes the machine in the middle, a hacker
# or a court, reads it.

# %%
held_at = 7
partial = {f"items {a + 1} to {held_at}": int(example[a:held_at].sum()) for a in (0, 4, 6)}
print(f"in memory at time {held_at}, exactly:", partial)

# %% [markdown]
# > **Definition 17.3 (pan-privacy; Dwork, Naor, Pitassi, Rothblum and Yekhanin 2010; Li et al. 2011, Definition 2).** A counter
# > is $\varepsilon$-pan-private if the promise $e^\varepsilon$ holds for everything together: all outputs, **and**
# > the memory at one moment that the intruder picks.
#
# The counter of the paper (its appendix E) is arranged differently. It keeps
#
# - a *noisy* total: it starts, before the first item, at a random number and not at 0;
# - for each block size the noise of the one block, or *segment*, that is under way. That noise is not on any sum. It is
#   added to each output while the segment lasts, and then forgotten.
#
# An item is added to the noisy total and is gone. (Mind the two counts: the binary counter has $1 + \lfloor \log_2 T
# \rfloor$ levels, this one $1 + \lceil \log_2 T \rceil$ noises in each output; they are equal when $T$ is a power of
# two. Why the 1: erratum [E80](22_errata.ipynb#E80).) `pan_private_counter` computes the same outputs for a whole stream at once, with the same noise from the same
# seed.

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
# Suppose item $i$ grows by one. Can we change the *noise* so that all outputs, and the memory that the intruder sees,
# stay exactly as they were? If we must move noises by $m$ units in all, the loss is at most $m$ divided by the scale,
# that is $m\,\varepsilon/(1 + \log_2 T)$.
#
# - **The intruder comes after item $i$:** the noisy total in memory has grown. Move the initial noise by $-1$. Now
#   the outputs *before* $i$ are 1 too low: move segments that make up the items before $i$ by $+1$.
# - **The intruder came before:** leave the initial noise alone, and move segments that make up all items from $i$ on
#   by $-1$.
#
# > **Theorem 17.4 (Li et al. 2011, Lemma 3, first part).** At most $1 + \lceil\log_2 T\rceil$ units, always; so with noise of
# > scale $(1 + \lceil\log_2 T\rceil)/\varepsilon$ the counter is $\varepsilon$-pan-private.
#
# The paper leaves the proof out; here it is a figure, and a count over all items and intrusions below it.

# %% jupyter={"source_hidden": true}
# Figure: hiding_shifts(item, intrusion, 16): which noise moves so that nobody sees the item
fig, ax = figure(height=3.4)
hiding_verdict = verdict_text(ax)
segment_bars, segment_words = {}, {}
EMPTY = {"align": "edge", "facecolor": "white", "edgecolor": "black", "linewidth": 0.8}
for level in range(4):
    for start in range(0, 16, 2**level):
        place = [start + 0.54], [0.8], 2**level - 0.08, [level + 0.1]
        ax.bar(*place, **EMPTY, zorder=0)  # stays; over it one to be coloured and hatched
        [segment_bars[level, start]] = ax.bar(*place, **EMPTY)
        segment_words[level, start] = ax.text(
            start + 2**level / 2 + 0.5, level + 0.5, "", ha="center", va="center"
        )
[initial_bar] = ax.bar(
    [0.54], [0.8], 15.92, bottom=[4.1], align="edge", edgecolor="black", linewidth=0.8
)
initial_word = ax.text(8.5, 4.5, "", ha="center", va="center")
(intruder_line,) = ax.plot([9.5, 9.5], [0, 5], color=COLOURS.true, linewidth=2.5)
(hidden_mark,) = ax.plot([6], [-0.12], "^", color=COLOURS.other, markersize=11)
ax.set(
    xlim=(0.3, 16.9), ylim=(-0.3, 5.05), xlabel="item", xticks=range(1, 17), ylabel="noise of"
)
ax.set_yticks(np.arange(5) + 0.5, ["1 item", "2 items", "4 items", "8 items", "start"])
MOVED = {1: (COLOURS.light, "+1"), -1: (COLOURS.amber, "−1"), 0: ("white", "")}


def hiding(item, intrusion):
    initial, segments = hiding_shifts(item, intrusion, 16)
    in_memory = (
        {(level, (intrusion - 1) >> level << level) for level in range(4)}
        if intrusion
        else set()
    )
    outputs = np.where(np.arange(1, 17) >= item, 1, 0) + initial
    for (level, start), bar in segment_bars.items():
        shift = segments.get((level, start), 0)
        outputs[start : start + 2**level] += shift
        found = (level, start) in in_memory
        bar.set(
            facecolor=MOVED[shift][0], hatch="///" if found else "", visible=shift or found
        )
        segment_words[level, start].set_text(MOVED[shift][1])
    initial_bar.set_facecolor(MOVED[initial][0])
    initial_word.set_text(MOVED[initial][1] or "0")
    intruder_line.set_xdata([intrusion + 0.5] * 2)
    hidden_mark.set_xdata([item])
    unchanged = (
        not outputs.any()
        and not in_memory & set(segments)
        and (item <= intrusion) + initial == 0
    )
    moved = len(segments) + abs(initial)
    seen = "nobody sees the item" if unchanged else "THE ITEM SHOWS"
    set_verdict_text(
        hiding_verdict,
        None,
        f"{counted(moved, 'unit')} moved, {1 + segment_levels(16)} allowed: {seen}",
    )
    return (
        f"loss at most {moved / 5:.1f} ε. The intruder (black line) finds the hatched noise, "
        "none of which has moved"
    )


hiding_figure = live(
    fig,
    hiding,
    "Segments of 1, 2, 4 and 8 items over 16 items and a bar for the initial noise; coloured "
    "ones are moved by plus or "
    "minus one to hide an item, hatched ones are what the intruder finds, and none is both.",
    task=(
        "item 16, intrusion after 16 items: the worst case. Then slide the intrusion down "
        "past the item."
    ),
    item=slider(1, 16, 6),
    intrusion=slider(0, 16, 9, label="intrusion after item"),
)
hiding_figure

# %%
most = {
    steps: max(
        len(segments) + abs(initial)
        for item in range(1, steps + 1)
        for intrusion in range(steps + 1)
        for initial, segments in [hiding_shifts(item, intrusion, steps)]
    )
    for steps in (2, 16, 64, 128)
}
print("units moved in the worst case, over all items and intrusions:")
for steps_T, units in most.items():
    print(f"    T = {steps_T:>3}: {units}, allowed 1 + log2 T = {1 + segment_levels(steps_T)}")
    assert units <= 1 + segment_levels(steps_T)

# %% [markdown]
# ### What it costs
#
# Every output carries $1 + \log_2 T$ noises. The binary counter carries $\mathrm{ones}(t)$: half as many on average.

# %%
n = 65_536
tree_error = math.sqrt(np.mean(binary_counter_error(all_times[:n], n, 1.0) ** 2))
pan_error = math.sqrt(2 * (1 + segment_levels(n))) * (1 + segment_levels(n))
zeros = np.zeros(n)
measured = np.sqrt(
    np.mean(
        [pan_private_counter(zeros, 1.0, np.random.default_rng(s)) ** 2 for s in range(20)]
    )
)
print(f"T = {n:,}, epsilon 1: binary counter {tree_error:.0f}, pan-private {pan_error:.0f}")
print(
    f"(measured {measured:.0f}): surviving an intruder costs a factor "
    f"{pan_error / tree_error:.2f}"
)
print(f"numbers in memory: {1 + segment_levels(n)}")

# %% [markdown]
# > **A good place to stop**, after this section.
#
# ### Where pan-privacy breaks
#
# **Two intrusions.** The promise is for one. The noisy total moves by exactly the items between two visits:

# %%
rng = np.random.default_rng(4)
visited = PanPrivateCounter(1024, 0.1, rng)
visits = []
for item in poor_health[:1024]:
    visited.add(item, rng)
    visits.append(float(visited.noisy_total))
print(f"noisy total after 500 items {visits[499]:.2f}, after 900 items {visits[899]:.2f}")
print(
    f"difference {visits[899] - visits[499]:.2f}; true count between: "
    f"{poor_health[500:900].sum():.0f}"
)

# %% [markdown]
# **Noise that is on a sum from start to end.** Can the binary counter be saved by starting each *node* at its noise,
# so that memory never holds an exact sum? Then one intruder is enough: node 1,024 is seen half full in memory, and is
# published when full, with the same noise in both.

# %%
noise = np.random.default_rng(5).laplace(scale=tree_levels(1024) / 0.1)
in_memory_at_600, published_at_1024 = (
    noise + poor_health[:600].sum(),
    noise + poor_health[:1024].sum(),
)
print(
    f"published - seen = {published_at_1024 - in_memory_at_600:.2f}; true: "
    f"{poor_health[600:1024].sum():.0f}"
)

# %% [markdown]
# **A generator in the memory.** `add` is *handed* a generator; the counter does not keep one. If it did, the intruder
# could wind it back: numpy's standard generator runs backwards as easily as forwards.

# %%
rng = np.random.default_rng(6)
seized = PanPrivateCounter(1024, 0.1, rng)
for item in poor_health[:700]:
    seized.add(item, rng)
drawn = 1 + sum(min((time & -time).bit_length(), 10) if time else 10 for time in range(700))
rng.bit_generator.advance(2**128 - drawn)  # the intruder's step: back to before the first draw
first_noise = rng.laplace(scale=seized.scale)
print(
    f"noisy total {seized.noisy_total:.2f}, minus the first noise: "
    f"{seized.noisy_total - first_noise:.2f}"
)
print(f"true total of 700 items: {poor_health[:700].sum():.0f}")

# %% [markdown]
# In practice: noise from the operating system's source, which keeps nothing that can be wound back.
#
# **A person is more than one event.** The paper motivates all this by health authorities that report month after
# month (its Example 3). But neighbours differ in *one* event. In the experiment a person has up to five records. The
# exact loss of a person, all of whose records change:

# %%
weights = np.array([len(nodes_holding(item, T)) for item in range(1, T + 1)]) / tree_levels(T)
loss_of_person = np.bincount(data.health_insurance_person(), weights=weights)
print(
    f"promised: epsilon for a record. A person loses up to {loss_of_person.max():.2f} epsilon,"
)
print(f"{loss_of_person.mean():.2f} epsilon on average over {loss_of_person.size:,} people")
print("to promise epsilon to a person with m records: run the counter at epsilon / m")

# %% [markdown]
# ## From totals back to items: differencing
#
# The paper now asks for more than totals: at each time $t$, estimate the *whole stream so far*, all $t$ items. With
# a counter that can be done by *differencing*: item $i$ = total $i$ − total $i-1$. Its section 6.3 says that the
# Euclidean error over all items is of the order $\sqrt t\,\log^{1.5}(T)/\varepsilon$ (its Table 2; the method that it
# proposes next has $\log^{1.5}(T)/\varepsilon$ there).
#
# That counts all noises of both totals, and most are in both and cancel (erratum [E79](22_errata.ipynb#E79)). On average 2 nodes of the binary counter
# change from one total to the next, and 4 segment noises of the paper's counter. So the exact error is

# %%
n, levels = 4096, 13
rows = {
    "binary counter": (binary_counter, 4),
    "counter of the paper": (pan_private_counter, 8),
}
for name, (count, factor) in rows.items():
    runs = [
        np.diff(count(np.zeros(n), 1.0, np.random.default_rng(s)), prepend=0)
        for s in range(40)
    ]
    seen = np.sqrt(np.mean(np.sum(np.square(runs), axis=1)))  # Euclidean, over all items
    formula = math.sqrt(factor * n) * levels
    print(
        f"{name:<22}: measured {seen:,.0f}, formula sqrt({factor} T) (1 + log2 T) = "
        f"{formula:,.0f}"
    )
print(
    "as the paper counts it: sqrt(4 T) (1 + log2 T)^1.5 = "
    f"{math.sqrt(4 * n) * levels**1.5:,.0f}"
)
print(f"noise on each item: sqrt(2 T) = {math.sqrt(2 * n):,.0f}")

# %% [markdown]
# The last line is the surprise, and it is not in the paper. For *items*, plain Laplace noise on each item as it
# arrives is far better than any counter, needs no $T$, no memory, and survives any number of intrusions: there is
# nothing to steal. Differencing is a straw man. Keep this rival in mind.
#
# Between one item and all of them lie **windows**: how many events in the last $w$ items? Noise on items pays
# $\sqrt{2w}$; two totals of a counter pay about the same for every $w$.


# %%
def moving(totals, window):
    """The sum of the last `window` items at each time from `window` on."""
    totals = np.append(0, totals)
    return totals[window:] - totals[:-window]


# %% jupyter={"source_hidden": true}
# Figure: the moving totals of both counters, and the error of every window
WINDOWS = [1, 4, 16, 64, 256, 512, 1024, 2048, 4096, 8192]
fig, (window_ax, window_error_ax) = figure(columns=2, height=3.6)
window_verdict = verdict_text(window_ax)
window_true = steps(
    window_ax, np.ones(2), colour=COLOURS.true, edges=[0, 0.5, 1], label="true", zorder=3
)
window_steps, window_lines, window_dots = {}, {}, {}
for name, colour in STYLE.items():
    window_steps[name] = steps(
        window_ax, np.ones(2), colour=colour, edges=[0, 0.5, 1], label=name
    )
    (window_lines[name],) = window_error_ax.plot(WINDOWS, np.ones(10), color=colour)
    (window_dots[name],) = window_error_ax.plot(
        [1], [1], "D", color=colour, markeredgecolor="black", markersize=8
    )
window_ax.set(
    xlim=(0, 1), xticks=[0, 1], ylim=(-0.6, 1.2), yticks=[0, 1], yticklabels=["0", ""]
)
top_word = window_ax.text(-0.03, 1, "30,000", ha="right", va="center")
window_ax.set(xticklabels=["start", "T"], xlabel="time")
window_ax.set_ylabel("events in the window")
window_error_ax.set(
    xscale="log",
    yscale="log",
    xlim=(0.7, 1.2e4),
    ylim=(1, 500),
    xlabel="w, items in the window",
)
window_error_ax.set_ylabel("error, in units of 1/ε")
window_error_ax.xaxis.set_major_formatter("{x:,.0f}")
window_error_ax.yaxis.set_major_formatter("{x:,.0f}")
keys = [window_true, *window_steps.values()]
fig.legend(handles=keys, loc="outside upper center", ncols=3, frameon=False)


def windowed(stream, w, epsilon, seed):
    items = STREAMS[stream]
    sums = moving(np.cumsum(items), w)
    edges, off, noisy = np.linspace(0, 1, sums.size + 1), {}, {}
    for name, counter in COUNTERS.items():
        totals = counter(items, epsilon, np.random.default_rng(seed))
        noisy[name] = moving(totals, w)
        errors = np.array(
            [
                math.sqrt(np.mean(moving(totals - np.cumsum(items), width) ** 2))
                for width in WINDOWS
            ]
        )
        off[name] = errors[WINDOWS.index(w)]
        window_lines[name].set_ydata(epsilon * errors)
        window_dots[name].set_data([w], [epsilon * off[name]])
    # room for the truth and for nearly all of the noise
    unit = max(sums.max(), sums.mean() + 2.5 * max(off.values()), 1)
    set_steps(window_true, sums / unit, edges)
    for name, values in noisy.items():
        set_steps(window_steps[name], np.clip(values / unit, -1.2, 1.3), edges)
    top_word.set_text(f"{unit:,.0f}")
    closer, (least, most) = min(off, key=off.get), sorted(off.values())
    set_verdict_text(
        window_verdict, None, f"{closer}: off by {least:,.0f}, the other by {most:,.0f}"
    )
    return f"windows of {w:,} of {items.size:,} items: " + ", ".join(
        f"{name} {e:,.0f}" for name, e in off.items()
    )


window_figure = live(
    fig,
    windowed,
    "Left: true counts in a moving window with two noisy versions. Right: error against the "
    "length of the window on "
    "log axes: rising for noise on items, nearly level for the binary counter, crossing near "
    "a few thousand items.",
    task=(
        r"move $w$ until both are equally good. Does $\varepsilon$ change where that is? Does "
        "the stream?"
    ),
    stream=choice(list(STREAMS), "doctor visits (real)"),
    w=choice(WINDOWS, 1024, label="w, window"),
    epsilon=log_slider(0.01, 10, 0.1),
    seed=new_noise(1),
)
window_figure

# %% [markdown]
# ## k counters that keep a sketch
#
# The compressive mechanism of [chapter 16](16_compressive.ipynb) rebuilds sparse data from $k$ random samples. The paper runs it on a stream
# (CMCO, its Algorithm 2). Column $t$ of the sampling matrix has $k$ entries $\pm1/\sqrt k$. When item $t$ arrives, it
# is multiplied by that column, and each of the $k$ results goes to a counter of its own. At any time the $k$ noisy
# totals are $k$ samples of the stream so far, and the stream can be rebuilt: $k$ counters instead of $t$ items.
#
# Here is the whole of it, with the scale that the promise needs. `node_sketches` gives the $k$ samples of each block
# that is read:

# %%
show_source(compressive_counter)
show_source(node_sketches)

# %% [markdown]
# ### The printed budget is broken
#
# > **Claim (Li et al. 2011, Theorem 2).** CMCO is $\varepsilon$-pan-private, with an error of
# > $\tilde O(\log^{1.5}(T)/\varepsilon)$ at each time. The first half is false as printed
# > (erratum [E71](22_errata.ipynb#E71)).
#
# The proof (appendix C) calls it straightforward: each counter is $\varepsilon$-private, so all is. But one event
# moves *all* $k$ rows, by $1/\sqrt k$ each, in each of the levels. With the printed scale
# $\frac{1}{\sqrt k}\cdot\frac{\text{levels}}{\varepsilon}$ the loss is
#
# $$k \cdot \text{levels} \cdot \frac{1/\sqrt k}{\text{scale}} = k\,\varepsilon .$$
#
# The right scale is $\sqrt k\cdot\text{levels}/\varepsilon$: $k$ times as large. So the printed mechanism at
# $\varepsilon$ **is** the honest one at $k\varepsilon$.
#
# The loss is about the worst case: all noises on one side. What would an ordinary attacker gain, who wonders whether
# one event took place, knows all else, and sees every node of every counter? At $\varepsilon$ a guess can be right
# with probability $e^\varepsilon/(1 + e^\varepsilon)$ at most; the figure makes 400 guesses.


# %%
def row_losses(k, steps, epsilon):
    """Exact losses: one row as printed, all k rows as printed, all k rows with the right
    scale.
    """
    move, levels = 1 / math.sqrt(k), tree_levels(steps)
    printed, right_scale = move * levels / epsilon, math.sqrt(k) * levels / epsilon
    return [
        levels * move / printed,
        k * levels * move / printed,
        k * levels * move / right_scale,
    ]


def guesses_right(k, steps, epsilon, times_larger, rng):
    """How often the likelihood says rightly whether one event took place; `times_larger` than
    the printed scale.
    """
    size, signs = (400, k * tree_levels(steps)), rng.integers(0, 2, (400, 1))
    scale = tree_levels(steps) / (math.sqrt(k) * epsilon) * times_larger
    seen = rng.laplace(scale=scale, size=size) + signs / math.sqrt(k)
    likelier = (np.abs(seen) - np.abs(seen - 1 / math.sqrt(k))).sum(axis=1) > 0
    return np.mean(likelier == signs[:, 0])


# %% jupyter={"source_hidden": true}
# Figure: row_losses(k, 1024, epsilon), and how often a guess from k counters is right
ROWS = ["one counter, as printed", "all k, as printed", "all k, right scale"]
fig, ax = figure(height=2.8)
budget_meter = meter(
    ax, ROWS, most=100, unit="exact privacy loss, as a multiple of the ε promised"
)
budget_verdict = verdict_text(ax)


def budget(k, epsilon):
    set_meter(budget_meter, np.divide(row_losses(k, 1024, epsilon), epsilon), 1)
    printed, honest = (
        guesses_right(k, 1024, epsilon, times, np.random.default_rng(7)) for times in (1, k)
    )
    allowed = 1 / (1 + math.exp(-epsilon))
    set_verdict_text(
        budget_verdict,
        None,
        f"right guesses as printed: {printed:.0%} ({allowed:.0%} allowed)",
    )
    return (
        f"guesses are right {printed:.0%} of the time as printed, {honest:.0%} with the right "
        "scale; "
        f"allowed {1 / (1 + math.exp(-epsilon)):.0%}"
    )


budget_figure = live(
    fig,
    budget,
    "Three bars of privacy loss against the promise: one counter keeps it, all k counters "
    "together break it k-fold as "
    "printed, and keep it with the right scale.",
    task=(
        r"$\varepsilon = 1$ and move $k$ up. At which $k$ is the guess right nine times in "
        "ten?"
    ),
    guess=predict(
        "100 counters at epsilon 1 as printed: how often is the guess right?",
        (50, 100, "%"),
        r"right ([\d.]+)%",
        k=100,
    ),
    k=choice([1, 2, 5, 10, 20, 50, 100], 20, label="k, counters"),
    epsilon=log_slider(0.1, 3, 1.0),
)
budget_figure

# %%
for k in (1, 20, 50, 100):
    budget_figure.controls["k"].value = k
    right = budget_figure.caption.removeprefix("guesses are ")
    print(f"k = {k:>3}: loss {row_losses(k, 1024, 1.0)[1]:>3.0f}; guesses {right}")
budget_figure.controls["k"].value = 20

# %% [markdown]
# An ordinary gain grows like $\sqrt k$ only, as in the advanced composition of [chapter 02](02_composition.ipynb). A
# promise of $\varepsilon$ is about the worst case.
#
# Does the break show without any formula? The audit of [chapter 21](21_audit.ipynb) runs the mechanism as a black box
# on two neighbouring streams and certifies a loss from below. Four counters, a stream of 2 items, its last release:


# %%
def printed_sketch(stream, rng, size):
    """BROKEN: the k = 4 noisy samples of a whole stream of 2 items at time 2, printed scale,
    epsilon 1.
    """
    k, steps, epsilon = 4, len(stream), 1.0
    samples = hadamard_operator(k, 4, np.random.default_rng(8)).forward(
        np.asarray(stream, dtype=float)
    )
    scale = tree_levels(steps) / (math.sqrt(k) * epsilon)
    return samples + rng.laplace(scale=scale, size=(size, k))


bound = epsilon_lower_bound(
    printed_sketch, [1, 1], [1, 0], 200_000, np.random.default_rng(9), confidence=0.999
)
print(
    f"promised 1; certified at least {math.floor(bound.epsilon * 10) / 10:.1f} from one of "
    "its releases"
)
print(
    f"exact loss of that release {4 / tree_levels(2):.0f}, of all releases up to {4 * 1:.0f}"
)
assert bound.refutes(1.0)

# %% [markdown]
# ## Live: the stream rebuilt
#
# Left, the stream so far and what is rebuilt from the $k$ counters. Right, the Euclidean error beside those of rivals
# at the same $\varepsilon$: differencing; noise on each item; the same *denoised*, that is, keeping its $S$ largest
# coefficients in the same basis; printing zeros. The net trace has 65,536 items.

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
    """What no epsilon changes: the times, the operator, and the true samples of the nodes read
    at those times.
    """
    stream, basis_of = STREAMS_AND_BASES[name]
    widest = basis_of(stream.size).n
    operator = hadamard_operator(
        measurements(S, widest, 1.5), widest, np.random.default_rng(S)
    )
    times = [int(part * stream.size / PARTS) // 64 * 64 for part in range(1, PARTS)] + [
        stream.size
    ]
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
    sketch = sketch_at(nodes, noisy, time)
    return prefix_estimate(
        sketch, operator, basis_of(time), time, S, generalised_omp, noise
    ), k


def denoised(noisy_items, basis, S):
    """The S largest coefficients of noisy items, items to come being 0: post-processing."""
    return keep_largest(np.pad(noisy_items, (0, basis.n - noisy_items.size)), basis, S)[
        : noisy_items.size
    ]


@functools.lru_cache(maxsize=8)
def unit_noise(name, seed):
    """For epsilon 1: the noise of differencing summed up in squares over time, and the noise
    on each item.
    """
    size, rng = STREAMS_AND_BASES[name][0].size, np.random.default_rng(seed)
    differences = np.diff(binary_counter(np.zeros(size), 1.0, rng), prepend=0)
    return np.cumsum(differences**2), laplace_mechanism(np.zeros(size), 1, 1.0, rng)


def rivals(name, time, S, epsilon, seed):
    """Errors over the stream so far: differencing, noise on items, the same denoised,
    zeros.
    """
    items, basis = STREAMS_AND_BASES[name][0][:time], STREAMS_AND_BASES[name][1](time)
    squares, noise = unit_noise(name, seed)
    clean = denoised(items + noise[:time] / epsilon, basis, S)
    on_items = np.linalg.norm(noise[:time]) / epsilon
    return [
        math.sqrt(squares[time - 1]) / epsilon,
        on_items,
        np.linalg.norm(clean - items),
        np.linalg.norm(items),
    ]


whole = compressive_counter(STREAMS["net trace"], [65_536], 5, 1.0, np.random.default_rng(5))[
    0
]
print(
    "compressive_counter, net trace, S = 5: error "
    f"{np.linalg.norm(whole - STREAMS['net trace']):,.0f}"
)

# %% jupyter={"source_hidden": true}
# Figure: rebuilt(stream, part, S, epsilon, seed) and its rivals at one time
METHODS = ["compressed", "differencing", "noise on items", "denoised", "zeros"]
fig, (stream_ax, compare_ax) = figure(columns=2, height=3.6, width_ratios=[1.2, 1])
compressed_verdict = verdict_text(stream_ax)
stream_steps = steps(
    stream_ax,
    np.zeros(2),
    colour=COLOURS.pale,
    edges=[0, 1, 2],
    fill=True,
    label="stream so far",
)
rebuilt_steps = steps(
    stream_ax,
    np.zeros(2),
    colour=COLOURS.noisy,
    edges=[0, 1, 2],
    label="rebuilt from k counters",
)
stream_ax.set(
    xlabel="time", xlim=(0, 1), ylim=(-1_000, 9_000), ylabel="item"
)  # room for "2,000"
(own_dot,) = compare_ax.plot([1], [0], "o", color=COLOURS.noisy, markersize=8)
(rival_dots,) = compare_ax.plot(np.ones(4), range(1, 5), "o", color=COLOURS.grey, markersize=8)
compare_words = [compare_ax.text(1, row, "", va="center") for row in range(5)]
compare_ax.set(
    xscale="log",
    xlim=(0.05, 1e8),
    xticks=[1, 1e3, 1e6],
    ylim=(4.6, -0.6),
    yticks=range(5),
    yticklabels=METHODS,
    xlabel="error (log scale)",
)
compare_ax.grid(axis="y", color=COLOURS.pale)
fig.legend(
    handles=[stream_steps, rebuilt_steps], loc="outside upper center", ncols=2, frameon=False
)


def compressed(stream, part, S, epsilon, scale, seed):
    items = STREAMS_AND_BASES[stream][0]
    times, operator, *_ = sketched(stream, S)
    k, time = operator.shape[0], times[part - 1]
    estimate, _ = rebuilt(stream, part, S, epsilon * (k if scale == "as printed" else 1), seed)
    errors = [np.linalg.norm(estimate - items[:time]), *rivals(stream, time, S, epsilon, seed)]
    right_end = (
        300 if stream == "net trace" else items.size
    )  # the busy items of the net trace come first
    shown = min(right_end, time)
    if stream_ax.get_xlim()[1] != right_end:
        stream_ax.set(xlim=(0, right_end), ylim=(-0.3 * items.max(), 1.1 * items.max()))
    for artist, values in ((stream_steps, items[:shown]), (rebuilt_steps, estimate[:shown])):
        set_steps(artist, values, np.arange(shown + 1))
    own_dot.set_xdata([max(errors[0], 0.12)])
    rival_dots.set_xdata(np.maximum(errors[1:], 0.12))
    for word, error in zip(compare_words, errors, strict=True):
        word.set(text=amount(error), x=2.2 * max(error, 0.12))
    loss = amount(k * epsilon) if scale == "as printed" else amount(epsilon)
    times_worse = amount(errors[0] / errors[2])
    set_verdict_text(
        compressed_verdict, None, f"{times_worse} times the error of noise on items"
    )
    return (
        f"time {time:,}, k = {k} counters: the loss is {loss}; {times_worse} times the "
        "error of noise on items"
    )


compressed_figure = live(
    fig,
    compressed,
    "Left: the stream so far, filled, and the rebuilt stream. Right: dots for the errors of "
    "five methods on a log axis; "
    "noise on items and its denoised version are far below the compressed counter.",
    task=(
        "as it stands, the compressed counter beats differencing. Now compare it with noise "
        "on items, and with zeros. Switch to the printed scale: that is the picture of the "
        r"paper, at a loss of $k\varepsilon$. Then try the real records, and move *time* (or "
        "press *play* in Lab)."
    ),
    play="part",
    stream=choice(list(STREAMS_AND_BASES), "net trace"),
    part=slider(4, PARTS, PARTS, label="time (32 is the end)"),
    S=choice([1, 2, 5, 10, 20], 20, label="S, coefficients"),
    epsilon=log_slider(0.1, 1000, 1.0),
    scale=choice(["right", "as printed"], "right", label="scale"),
    seed=new_noise(1),
)
compressed_figure

# %% [markdown]
# ## Error over time
#
# The paper's Figure 5 compares CMCO with differencing only, as time goes on. Here it is again with honest budgets,
# with the printed one for comparison, and with the rivals that were left out.

# %%
LOOK_AT = [4, 12, 20, 26, 32]
EPSILONS = [0.1, 1, 10, 100]


@functools.cache
def errors_over_time(name, epsilon, S=20, seed=1):
    """One row a method, one column a time: Euclidean error over the stream so far."""
    stream, times, k = (
        STREAMS_AND_BASES[name][0],
        sketched(name, S)[0],
        sketched(name, S)[1].shape[0],
    )
    columns = []
    for part in LOOK_AT:
        time = times[part - 1]
        both = [rebuilt(name, part, S, e, seed)[0] for e in (epsilon, epsilon * k)]
        both = [np.linalg.norm(estimate - stream[:time]) for estimate in both]
        columns.append(both + rivals(name, time, S, epsilon, seed))
    return np.array(columns).T


for name in STREAMS_AND_BASES:
    for epsilon in EPSILONS:
        errors_over_time(name, epsilon)

# %% jupyter={"source_hidden": true}
# Figure: errors_over_time(stream, epsilon) of every counter
LINES = {
    "compressed": (COLOURS.noisy, "o-"),
    "compressed, as printed": (COLOURS.noisy, "o:"),
    "differencing": (COLOURS.other, "--"),
    "noise on items": (COLOURS.third, "-"),
    "denoised": (COLOURS.fourth, "-."),
    "zeros": (COLOURS.grey, ":"),
}
fig, ax = figure(height=3.8)
over_time = {
    name: ax.plot([0], [1], line, color=colour, label=name, clip_on=False, in_layout=False)[0]
    for name, (colour, line) in LINES.items()
}
over_time_verdict = verdict_text(ax)
ax.set(
    xlim=(0, 1),
    yscale="log",
    ylim=(0.3, 1e5),
    xlabel="time, as a share of the stream",
    ylabel="Euclidean error (log scale)",
)
fig.legend(loc="outside upper center", ncols=3, frameon=False)


def figure_five(stream, epsilon):
    errors = errors_over_time(stream, epsilon)
    for line, values in zip(over_time.values(), errors, strict=True):
        line.set_data(np.array(LOOK_AT) / PARTS, values)
    k = sketched(stream, 20)[1].shape[0]
    at_the_end = dict(zip(over_time, errors[:, -1], strict=True))
    honest = {name: error for name, error in at_the_end.items() if "printed" not in name}
    least = min(honest, key=honest.get)
    set_verdict_text(
        over_time_verdict,
        None,
        f"at the end least (and honest): {least}, {amount(honest[least])}",
    )
    return (
        f"S = 20, k = {k} counters; the dotted blue line loses {k * epsilon:,.0f} where "
        f"{epsilon} is promised"
    )


over_time_figure = live(
    fig,
    figure_five,
    "Errors of six methods over time on a log axis: the compressed counter somewhat below "
    "differencing, noise on items "
    "far below both, and the compressed counter as printed, which breaks its promise, in "
    "between.",
    task=(
        r"find a stream and an $\varepsilon$ where the compressed counter is better than "
        r"noise "
        "on items. Is it then also better than printing zeros?"
    ),
    stream=choice(list(STREAMS_AND_BASES), "net trace"),
    epsilon=choice(EPSILONS, 1),
)
over_time_figure


# %%
def errors_at_the_end(name, epsilon, seed, S=20):
    """Euclidean error of each method over the whole stream, all from the same seed."""
    stream = STREAMS_AND_BASES[name][0]
    return [
        np.linalg.norm(rebuilt(name, PARTS, S, epsilon, seed)[0] - stream),
        *rivals(name, stream.size, S, epsilon, seed),
    ]


table = {
    (name, f"epsilon {epsilon}"): np.median(
        [errors_at_the_end(name, epsilon, seed) for seed in range(20)], axis=0
    )
    for name in STREAMS_AND_BASES
    for epsilon in (0.1, 10)
}
print(
    "Euclidean error at the end of the stream, S = 20, medians of 20 releases from the same "
    "seeds"
)
pd.DataFrame(table, index=METHODS).T.round().astype(int)

# %% [markdown]
# ## What the table hides: S k ones(t) levels²
#
# Once the right $S$ coefficients are found, the compressed counter has the error
#
# $$\sqrt{2\,S\,k\,\mathrm{ones}(t)}\;\frac{\text{levels}}{\varepsilon}
# \qquad\text{against}\qquad \frac{\sqrt{2t}}{\varepsilon}\ \text{(noise on items)}
# \qquad\text{and}\qquad \frac{\sqrt{2S}}{\varepsilon}\ \text{(denoised)}.$$
#
# By these formulas it is never better than denoised items. (Only by these: where the coefficients drown in the noise,
# the reconstruction stops and returns zeros, and zeros can be better than noise that was kept. Poor health at
# $\varepsilon = 0.1$ in the table is such a case, and printing zeros is as good.) It is better than noise on items only if
# $S\,k\,\mathrm{ones}(t)\,\text{levels}^2 < t$. How large may $S$ be, at a time in the middle of the road, with half of the bits ones?


# %%
def largest_sparsity(steps, weight):
    """The largest S with weight x S k < steps, where k = 1.5 S log2(steps / S)."""
    good = [
        S
        for S in range(1, 3000)
        if weight * S * math.ceil(1.5 * S * math.log2(steps / S)) < steps
    ]
    return max(good, default=0)


for power in (16, 20, 24, 30):
    levels = 1 + power
    items, differences = (
        largest_sparsity(2**power, power / 2 * levels**2),
        largest_sparsity(2**power, power / 4),
    )
    print(
        f"T = 2^{power}: beats noise on items up to S = {items:>3}, differencing up to S = "
        f"{differences:>5,}"
    )

# %% [markdown]
# The $\tilde O(\log^{1.5}(T)/\varepsilon)$ of the paper's Theorem 2 is not wrong, once its privacy is mended: the
# missing $k$ is only a logarithm when $S$ is constant. It is the constants that decide, at every length that anyone
# has.
#
# What *is* gained is **memory** on the counting machine. Noise on items publishes $T$ numbers, and someone must store
# them to denoise. The counters keep $k$ noisy totals and $k \log_2 T$ noises, and an item costs about $k$ additions. (To
# *send* little, denoise first: $S$ values and $S$ places.)

# %%
for S in (5, 20, 50):
    k = measurements(S, 65_536, 1.5)
    kept = k * (1 + segment_levels(65_536))
    print(
        f"S = {S:>2}: k = {k:>3}, {kept:>6,} numbers kept, {65_536 / kept:>4.1f} times fewer "
        "than the items"
    )

# %% [markdown]
# (The signs of the sampling matrix are not counted, here as in the paper: they must come again from a public seed.)
#
# And with counters that are pan-private, the sketch is too. The object takes vectors: $k$ numbers an item, sensitivity
# $\sqrt k$. Item by item, nothing stored:

# %%
stream, S = STREAMS["net trace"][:1024], 5
k = measurements(S, 1024, 1.5)
operator, rng = (
    hadamard_operator(k, 1024, np.random.default_rng(10)),
    np.random.default_rng(11),
)
keeper = PanPrivateCounter(1024, 20.0, rng, sensitivity=math.sqrt(k), shape=(k,))
for time, item in enumerate(stream):
    sketch = keeper.add(operator.forward(np.array([item]), time), rng)
estimate = prefix_estimate(sketch, operator, haar_prefix(1024), 1024, S)
print(
    f"epsilon 20, {k} counters, memory of {keeper.segment_noise.size + k} numbers for 1,024 "
    "items"
)
print(
    f"relative error {np.linalg.norm(estimate - stream) / np.linalg.norm(stream):.3f}; 1 "
    "would be that of zeros"
)

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/17_continual](../exercises/answers/17_continual.ipynb).
#
# **Assignment 17:** [five tasks, checked in a second](../exercises/releases/17_continual.ipynb).
#
# 1. *Warm-up.* In the block figure: which times read only one node? Which item is in the fewest nodes?
# 2. In the counting figure, find the least $\varepsilon$ at which the binary counter's error over all 20,190 real
#    records of poor health (set $T$ to 65,536) is below 10% of the final total. And for noise on items?
# 3. In the window figure, read off the crossing for the real records and for the net trace. Why is it at a larger $w$
#    for the longer stream?
# 4. A total can only grow. Use that: `np.maximum.accumulate` of a release, or better, the nearest growing sequence
#    (`scipy.optimize.isotonic_regression`). Does it cost privacy? Does it help? (The cell below starts, badly. Why?)
# 5. Blocks of 1, 4, 16, ... items instead of 1, 2, 4: fewer levels, more nodes a total. Work out the error for base
#    $b$ and find the best $b$ for $T = 65{,}536$.
# 6. *Challenge.* $T$ unknown: run one binary counter for item 1, another for items 2 and 3, another for items 4 to 7,
#    and so on, and add the last totals of the finished ones. What is the loss, and what is the error at time $t$?

# %%
release = binary_counter(poor_health, 0.1, np.random.default_rng(12))
growing = np.maximum.accumulate(release)
for name, values in (("as released", release), ("made to grow", growing)):
    print(f"{name:<12}: error {math.sqrt(np.mean((values - truth) ** 2)):,.0f}")

# %% [markdown]
# ## When to use it, and when not
#
# One comparison to take home: the net trace, 65,536 items, $\varepsilon = 1$, three kinds of questions; medians of the
# errors of 20 releases.

# %%
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


def three_questions(totals):
    """Errors of a running total, a window of 1,000 items, one item."""
    off = totals - np.cumsum(stream)
    squares = off**2, moving(off, 1000) ** 2, np.diff(off, prepend=0) ** 2
    return [math.sqrt(square.mean()) for square in squares]


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
final = pd.DataFrame(
    np.median(runs, axis=0),
    index=list(memory),
    columns=["a running total", "a window of 1,000", "one item"],
)
final = final.map("{:,.1f}".format)
final["numbers in memory"] = [f"{kept:,}" for kept in memory.values()]
final

# %% [markdown]
# - **Running totals of a long stream** (longer than the crossing above): the binary counter. If the machine may be
#   seized: the pan-private counter, for about 1.5 times the error.
# - **A short stream, short windows, or single items:** noise on each item. No $T$ to promise, no memory, any number of
#   intrusions.
# - **The whole stream, in a basis known to suit it:** noise on each item, then denoise. It is post-processing.
# - **The compressed counter:** only if the machine that adds the noise cannot keep $T$ numbers, and nobody else may keep
#   the noisy items; the stream is *very* sparse in a public basis; and $\varepsilon$ can be large. Where its coefficients
#   are found, denoised items are more accurate; where they are not, compare with zeros.
# - **Do not** use any of them at event level when people come back: divide $\varepsilon$ by the number of events a
#   person can have.
#
# **Not here, and worth knowing.** The noisy nodes overlap, so a node can be improved by the noisy nodes below it, free of
# charge (Honaker 2015; the inference of [08](08_histograms.ipynb) in a stream). Other ways to factor the sums into few
# noises have smaller constants (Henzinger, Upadhyay and Upadhyay 2023). For an unknown $T$ see exercise 6.
#
# ## Sources
#
# - **000** Yang D. Li, Zhenjie Zhang, Marianne Winslett, Yin Yang: *Compressive Mechanism: Utilizing Sparse
#   Representation in Differential Privacy*. WPES 2011. [arXiv:1107.3350](https://arxiv.org/abs/1107.3350).
#   Sections 3.3 (pan-privacy, Lemma 3), 6 (Algorithm 2, Theorem 2, Table 2), 7.1 (Figure 5), appendices C and E. Corrected
#   on this page: the budget of Theorem 2, the error of differencing, the rival that is missing from Figure 5, one event
#   against one patient in Example 3.
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
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [16 The compressive mechanism](16_compressive.ipynb) · **Next:** [18 Compressed sensing on tables](18_sensing.ipynb)
