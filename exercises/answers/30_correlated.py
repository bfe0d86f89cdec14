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
# *Answer.* Both errors of the tree are smaller if $T$ is at least 21.

# %% [markdown]
# ## 2. Restart or not
#
# *Hint.* A restart is a block-diagonal strategy: `np.kron(np.eye(4), strategy)`.

# %%
passes = {"participations": 4, "separation": 16, "fixed": True}
for name, make in (("tree", tree_strategy), ("square root", root_strategy)):
    for how, strategy in (("through", make(64)), ("restarted", np.kron(np.eye(4), make(16)))):
        print(f"{name}, {how}: rms {strategy_errors(strategy, prefix_workload(64), **passes).rms:.2f}")

# %% [markdown]
# *Answer.* The restart helps the tree, because its large blocks no longer see all four uses. It hurts the root.

# %% [markdown]
# ## 3. The best number of bands
#
# *Hint.* The error is `banded_multiplier` times the rms of the banded root.

# %%
for bands in (1, 2, 4, 8, 16, 32):
    rms = strategy_errors(root_strategy(400, bands=bands), prefix_workload(400)).rms
    print(f"{bands} bands: {banded_multiplier(bands, 400, 0.01, 2.0, 1e-6) * rms:.3f}")

# %% [markdown]
# *Answer.* The smallest number printed. More bands cancel more noise, but make the coins of a group likelier to fall on a
# record.

# %% [markdown]
# ## 4. The same seed again
#
# *Hint.* Subtract the second pass from the first.

# %%
strategy = root_strategy(8)
first, second = np.arange(8.0), np.arange(8.0) + (np.arange(8) == 3)
passes = [one + correlated_noise(strategy, 5.0, np.random.default_rng(1)) for one in (first, second)]
print(np.round(passes[1] - passes[0], 6))

# %% [markdown]
# *Answer.* The noises are the same, so the difference is exact. It shows the unit that item 4 gained. The loss is infinite.
