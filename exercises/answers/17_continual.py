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
# # Answers to 17 Continual counting
#
# A hint and a computed answer for each task "On your own" of the page. Try first; there is more than one good answer.

# %%
import math

import numpy as np
import pandas as pd
from scipy.optimize import isotonic_regression

from dpbook import data
from dpbook.continual import (
    binary_counter,
    binary_counter_error,
    nodes_holding,
    nodes_read,
    tree_levels,
)

rand = data.health_insurance()
STREAMS = {
    "poor health": rand["hlthp"].values.astype(float),
    "doctor visits": rand["mdvis"].values.astype(float),
    "net trace": data.net_trace().values.astype(float),
}


def rms(numbers):
    return math.sqrt(np.mean(np.square(numbers)))


# %% [markdown]
# ## 1. Blocks of sixteen
#
# *Hint.* A total reads a node for each one in its binary time. An item at $i$ climbs by adding the lowest bit of $i$.

# %%
print("times that read one node:", [t for t in range(1, 17) if len(nodes_read(t)) == 1])
held = {item: len(nodes_holding(item, 16)) for item in range(1, 17)}
fewest, most = min(held.values()), max(held.values())
print(f"items in the fewest nodes ({fewest}):", [item for item, n in held.items() if n == fewest])
print(f"items in the most nodes ({most}):", [item for item, n in held.items() if n == most])
print("nodes of each item:", list(held.values()))

# %% [markdown]
# *Answer.* The powers of two read one node: all items so far are one block. The last item is in the largest block
# only. The first one starts a block of every size, so it decides the scale of the noise.
#
# ## 2. A tenth of the total
#
# *Hint.* Both errors are exactly proportional to $1/\varepsilon$. Compute them once, at $\varepsilon = 1$.

# %%
rows = []
for name in ("poor health", "doctor visits"):
    stream = STREAMS[name]
    times = np.arange(1, stream.size + 1)
    limit = stream.sum() / 10
    tree = rms(binary_counter_error(times, stream.size, 1.0)) / limit
    items = rms(np.sqrt(2 * times)) / limit
    seen = [rms(binary_counter(stream, tree, np.random.default_rng(s)) - stream.cumsum()) for s in range(20)]
    total, tenth, measured = (f"{each:,.0f}" for each in (stream.sum(), limit, np.median(seen)))
    rows.append((name, total, tenth, f"{tree:.4f}", f"{items:.4f}", measured))
names = [
    "stream",
    "total",
    "a tenth",
    "eps, binary counter",
    "eps, noise on items",
    "median error measured",
]
print(pd.DataFrame(rows, columns=names).set_index("stream").T.to_string())

# %% [markdown]
# *Answer.* The rows with "eps" are the smallest values. (The slider begins at 0.01; what lies below that cannot be
# set in the figure.) Noise on items needs the larger $\varepsilon$. The factor is the same for both streams, because
# they have the same length: it is the ratio of the two errors at $\varepsilon = 1$. The last row runs the binary
# counter at its value: the median of 20 releases is near a tenth. One release alone may be on either side.
#
# ## 3. Where the windows cross
#
# *Hint.* The nodes that both ends of a window read cancel. What is left: the ones of $t$ and of $t - w$ up to the
# highest bit in which the two differ. That gives the exact error for every $w$, without a draw.


# %%
def ones(numbers):
    return np.array([bin(number).count("1") for number in range(1 << 17)], dtype=float)[numbers]


def nodes_left(T, w):
    """The average number of nodes in one of the two totals of a window of w items, but not in both."""
    end = np.arange(w, T + 1)
    start = end - w
    below = 2 ** np.ceil(np.log2((end ^ start) + 1)).astype(int) - 1
    return np.mean(ones(end & below) + ones(start & below))


def crossing(T):
    """The least w from which the variance of two totals is below that of w items."""
    low, high = 1, 8192  # worse at low, better at high
    while high - low > 1:
        middle = (low + high) // 2
        better = tree_levels(T) ** 2 * nodes_left(T, middle) < middle
        low, high = (low, middle) if better else (middle, high)
    return high


for name, T in (
    ("real records", STREAMS["poor health"].size),
    ("net trace", STREAMS["net trace"].size),
):
    w = crossing(T)
    print(
        f"{name}: T = {T:,}, {tree_levels(T)} levels; cross at about w = {w:,}, "
        f"where {nodes_left(T, w):.1f} nodes are left on average"
    )
levels = [tree_levels(STREAMS[name].size) for name in ("poor health", "net trace")]
print(f"variance of a node, net trace against real records: {(levels[1] / levels[0]) ** 2:.2f} times")

# %% [markdown]
# *Answer.* The longer stream has more levels, so each node has more noise; how many nodes a window needs depends on
# $w$ and hardly on $T$. Noise on items does not know $T$ at all. So the counter needs a longer window to catch up. The
# numbers in the stream and $\varepsilon$ play no part. It does not stay: the figure has a few windows and *one*
# release. With other noise its curves cross elsewhere, or not at all, and the order may turn round.
#
# ## 4. A total can only grow
#
# *Hint.* It looks at the release only. For the running maximum: what happens to an error upwards, and what to one
# downwards?

# %%
rows = []
for name in ("poor health", "doctor visits"):
    truth = STREAMS[name].cumsum()
    for epsilon in (0.01, 0.1, 1.0):
        errors = []
        for seed in range(20):
            released = binary_counter(STREAMS[name], epsilon, np.random.default_rng(seed))
            tried = (
                released,
                np.maximum.accumulate(released),
                isotonic_regression(released).x,
                np.maximum(isotonic_regression(released).x, 0),
            )
            errors.append([rms(one - truth) for one in tried] + [np.mean(tried[1] - truth)])
        rows.append((name, epsilon, *np.median(errors, axis=0)))
names = [
    "stream",
    "epsilon",
    "released",
    "running max",
    "nearest growing",
    "and not below 0",
    "max: bias",
]
print(pd.DataFrame(rows, columns=names).set_index(["stream", "epsilon"]).round(1).to_string())

# %% [markdown]
# *Answer.* It is post-processing and costs nothing. The running maximum keeps every error upwards until the truth has
# caught up, and forgets every error downwards. The last column is its average error with its sign, all above 0. The
# nearest growing sequence averages instead of choosing, and has less error than the release. It helps most where the
# noise is large beside the growth. Where the totals grow fast there is less to mend.
#
# ## 5. Another base
#
# *Hint.* A total needs as many nodes as the sum of the digits of $t$ in base $b$. An item is in one node of each
# size.

# %%
T = 65_536


def digit_sums(b):
    rest, total = np.arange(1, T + 1), np.zeros(T)
    while rest.any():
        rest, digit = np.divmod(rest, b)
        total += digit
    return total


def base_levels(b):
    size, levels = 1, 0
    while size <= T:
        size, levels = size * b, levels + 1
    return levels


def base_counter_noise(b, rng):
    """The noise of a counter with blocks of 1, b, b^2, ... items, epsilon 1."""
    times, noise = np.arange(1, T + 1), np.zeros(T)
    for level in range(base_levels(b)):
        done = times // b**level
        sums = np.append(0, np.cumsum(rng.laplace(scale=base_levels(b), size=T // b**level)))
        noise += sums[done] - sums[done - done % b]
    return noise


errors = {b: math.sqrt(2 * digit_sums(b).mean()) * base_levels(b) for b in range(2, 300)}
best = min(errors, key=errors.get)
for b in sorted({2, 3, 4, 5, 8, 16, 41, 256, best}):
    seen = rms([base_counter_noise(b, np.random.default_rng(seed)) for seed in range(5)])
    print(f"b = {b:>3}: {base_levels(b):>2} levels, error {errors[b]:5.1f} / epsilon (5 runs: {seen:2.0f})")
print(f"best base from 2 to 299: {best}, {errors[best] / errors[2]:.0%} of the error of base 2")

# %% [markdown]
# *Answer.* The error over all times is $\sqrt{2\,\overline{\mathrm{digits}}}\cdot\text{levels}/\varepsilon$, with the
# digits of $t$ added up and averaged over $t$, about $(b-1)/2$ a level. Levels count squared in the variance, nodes
# only once, so fewer levels win until the nodes are too many. Which base is best also depends on how $T$ lies between
# the powers of $b$: a power just above $T$ saves a level.
#
# ## 6. A stream without an end
#
# *Hint.* In how many of the counters is an item? Of a finished counter only the last total is read: one node.

# %%
times = np.arange(1, T + 1)
which = np.floor(np.log2(times)).astype(int)  # the counter under way, for 2^which items
last = np.array([2 * (j + 1) ** 2 for j in range(17)])  # variance of the last total of counter j, epsilon 1
finished = np.append(0, np.cumsum(last))[which]
under_way = ones(times - 2**which + 1) * 2 * (which + 1) ** 2
unknown_T = np.sqrt(finished + under_way)


def endless_counter(stream, epsilon, rng):
    """Epsilon-DP (one unit in one item): T need not be known."""
    released, total, start = [], 0.0, 0
    while start < stream.size:
        part = binary_counter(np.pad(stream, (0, start + 1))[start : 2 * start + 1], epsilon, rng)
        released.append(total + part[: stream.size - start])
        total, start = total + part[-1], 2 * start + 1
    return np.concatenate(released)


runs = [endless_counter(np.zeros(4095), 1.0, np.random.default_rng(seed)) for seed in range(100)]
print(f"4,095 items, epsilon 1: measured {rms(runs):.1f}, formula {rms(unknown_T[:4095]):.1f}")
for n in (255, 4095, 65_535):
    known = rms(binary_counter_error(times[:n], n, 1.0))
    print(
        f"first {n:>6,} items: endless {rms(unknown_T[:n]):.1f}; T = {n:,} known {known:.1f}, "
        f"T = {T:,} known {rms(binary_counter_error(times[:n], T, 1.0)):.1f}"
    )

# %% [markdown]
# *Answer.* An item is in one counter only, each counter is $\varepsilon$-DP, and they hold different items. So all
# together have loss $\varepsilon$, attained by the first item of a counter. With $j = \lfloor\log_2 t\rfloor$ the
# variance at time $t$ is
#
# $$\frac2{\varepsilon^2}\Big(\sum_{i<j}(i+1)^2 + \mathrm{ones}(t-2^j+1)\,(j+1)^2\Big),$$
#
# still of the order $\log^3 t$, with $t$ instead of $T$. Early totals have less noise than with a large fixed $T$.
# Late ones pay for the finished counters, and that is the price of not knowing the end.
