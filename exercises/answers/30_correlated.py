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
# # Answers to 30 Noise that remembers
#
# A hint and a computed answer for each task "On your own" of [the page](../../notebooks/30_correlated.ipynb).

# %%
import numpy as np

from dpbook.correlated import (
    banded_multiplier,
    correlated_noise,
    prefix_workload,
    root_strategy,
    strategy_errors,
    tree_strategy,
)

# %% [markdown]
# ## 1. When the tree overtakes
#
# *Hint.* Compare `strategy_errors` of `tree_strategy(T)` and of `np.eye(T)`.

# %%
for steps in range(19, 24):
    workload = prefix_workload(steps)
    tree, plain = (strategy_errors(one, workload) for one in (tree_strategy(steps), np.eye(steps)))
    print(f"T = {steps}: largest {tree.largest:.3f} for {plain.largest:.3f}, rms {tree.rms:.3f} for {plain.rms:.3f}")

# %% [markdown]
# *Answer.* Both errors of the tree are smaller if $T$ is at least 21. The tree grows dearer at 32, 64 and 128, but
# stays below:

# %%
behind = []
for steps in range(1, 257):
    workload = prefix_workload(steps)
    tree, plain = (strategy_errors(one, workload) for one in (tree_strategy(steps), np.eye(steps)))
    if min(plain.largest - tree.largest, plain.rms - tree.rms) < 1e-9:
        behind.append(steps)
print(f"T = 1 to 256: not better in both at {len(behind)} of them, from {behind[0]} to {behind[-1]}")

# %% [markdown]
# ## 2. A step and a total
#
# *Hint.* `correlated_noise(strategy, 1.0, rng, width=10_000)` draws all at once, one column for each time. `np.cumsum` along
# axis 0 makes totals.

# %%
for name, strategy in (("square root", root_strategy(64)), ("independent", np.eye(64))):
    noise = correlated_noise(strategy, 1.0, np.random.default_rng(1), width=10_000)
    last, total = noise[-1].std(), np.cumsum(noise, axis=0)[-1].std()
    column = np.linalg.norm(strategy[:, 0])
    print(
        f"{name}: step {last:.2f}, total {total:.2f}; at the same guarantee {column * last:.2f} and {column * total:.2f}"
    )

# %% [markdown]
# *Answer.* A step's noise is about as large in both. In the total the noises of the root cancel, and the independent
# ones add up to 8, the root of 64. The guarantee needs noise in proportion to the longest column. So the root's numbers
# grow by 1.55: its total is still three times better.

# %% [markdown]
# ## 3. Restart or not
#
# *Hint.* A restart is a block-diagonal strategy: `np.kron(np.eye(4), strategy)`.

# %%
passes = {"participations": 4, "separation": 16, "fixed": True}
for name, make in (("tree", tree_strategy), ("square root", root_strategy)):
    for how, strategy in (("through", make(64)), ("restarted", np.kron(np.eye(4), make(16)))):
        print(f"{name}, {how}: rms {strategy_errors(strategy, prefix_workload(64), **passes).rms:.2f}")

# %% [markdown]
# *Answer.* The restart helps the tree: it has fewer levels, and each of its blocks sees one use instead of up to
# four. It hurts the root.

# %% [markdown]
# ## 4. The best number of bands
#
# *Hint.* The error is `banded_multiplier` times the rms of the banded root.

# %%
for bands in (1, 2, 4, 7, 8, 9, 16, 32):
    rms = strategy_errors(root_strategy(400, bands=bands), prefix_workload(400)).rms
    print(f"{bands} bands: {banded_multiplier(bands, 400, 0.01, 2.0, 1e-6) * rms:.3f}")

# %% [markdown]
# *Answer.* Eight bands. More bands cancel more noise, but make the coins of a group likelier to fall on a
# record.

# %% [markdown]
# ## 5. The same seed again
#
# *Hint.* Subtract the second pass from the first.

# %%
strategy = root_strategy(8)
first, second = np.arange(8.0), np.arange(8.0) + (np.arange(8) == 3)
passes = [one + correlated_noise(strategy, 5.0, np.random.default_rng(1)) for one in (first, second)]
print(np.round(passes[1] - passes[0], 6))

# %% [markdown]
# *Answer.* The noises are the same, so the difference is exact. It shows the unit that item 4 gained. The loss is infinite.
