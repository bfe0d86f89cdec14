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
# # 25 Accounting
#
# What do a thousand releases guarantee together? Compute the *privacy loss* of each, add the losses up,
# and watch what $\delta$ must pay.
#
# <details><summary>About 35 minutes, after 02 and 24: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [24 The Gaussian mechanism](24_gaussian.ipynb) · **Next:** [26 Learning by noisy steps](26_gradients.ipynb)
#
# **Assignment 25:** [five tasks, checked in a second](../exercises/releases/25_accounting.ipynb)
#
# **What you will do:** watch three mechanisms become one. Round a distribution up, down and to the nearest, and see
# which of these gives a guarantee. Find where adding epsilons is as good as anything. Guess who is in the data at one
# false alarm in twenty.
#
# **You need:** [02 Composition](02_composition.ipynb) for losses that add up and `Budget`, and [24 the Gaussian mechanism](24_gaussian.ipynb) for the profile
# $\delta(\varepsilon)$.
#
# **Time:** about 35 minutes. A good place to stop is before *A test against you*.
#
# **Real and synthetic:** the voters (1996 election study) and the patients (RAND health insurance experiment) are real.
# Neighbours differ by adding or removing a record, unless we say *replace*.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import math

import numpy as np

from dpbook.accounting import gaussian_losses, laplace_losses, listed_losses
from dpbook.amounts import amount, counted
from dpbook.live import choice, live, slider
from dpbook.plots import (
    COLOURS,
    figure,
    legend_above,
    set_steps,
    set_verdict_text,
    steps,
    verdict_text,
    x_axis,
    y_axis,
)

# %% jupyter={"source_hidden": true}
# Figure: the loss distribution of k releases: its bars, and delta(epsilon)
PER_RELEASE, BIN = 0.3, 0.3
bin_edges = np.arange(-30, 56) * BIN - BIN / 2


def response_losses(epsilon, step):
    """The loss distribution of an answer that is true with odds e^epsilon."""
    law = -np.logaddexp(0, [-epsilon, epsilon])
    return listed_losses(law, law[::-1], step)


ONE = {
    "randomized response": response_losses(PER_RELEASE, PER_RELEASE),
    "Laplace": laplace_losses(PER_RELEASE, 1, 0.01),
    "normal": gaussian_losses(PER_RELEASE, 1, 0.01),
}


def binned(losses, weights):
    places = np.floor((losses - bin_edges[0]) / BIN + 1e-9).astype(int)
    inside = (places >= 0) & (places < bin_edges.size - 1)
    return np.bincount(places[inside], weights[inside], bin_edges.size - 1)


fig, law_ax = figure(height=2.9)
bars = {"edges": bin_edges, "fill": True}
with_steps = steps(law_ax, np.zeros(85), COLOURS.light, "with you", **bars)
paid_steps = steps(law_ax, np.zeros(85), COLOURS.other, "paid by δ", hatch="//", **bars)
line = {"edges": bin_edges, "facecolor": "none", "linewidth": 1.5}
without_steps = steps(law_ax, np.zeros(85), COLOURS.true, "without you", **line)
epsilon_line = law_ax.axvline(2, color=COLOURS.noisy, linestyle="--", label="ε")
x_axis(law_ax, "total privacy loss of k releases", (-6, 15))
y_axis(law_ax, "probability in a bin of 0.3", (0, 0.6))
law_verdict = verdict_text(law_ax)
legend_above(fig, 4)


def total_loss(mechanism, k, epsilon):
    def told(chance):  # normal noise never has 0
        none = mechanism != "normal" and epsilon > k * PER_RELEASE - 1e-9
        return amount(chance) if chance >= 1e-12 or none else "below 10⁻¹²"

    found = ONE[mechanism].repeat(k)
    losses, weights = found.losses, found.probabilities
    paid = weights * -np.expm1(np.minimum(epsilon - losses, 0))
    set_steps(with_steps, binned(losses, weights), bin_edges)
    set_steps(without_steps, binned(losses, weights * np.exp(-losses)), bin_edges)
    set_steps(paid_steps, binned(losses, paid), bin_edges)
    epsilon_line.set_xdata([epsilon] * 2)
    mean, above = losses @ weights, weights[losses > epsilon + 1e-9].sum()
    deviation = math.sqrt((losses - mean) ** 2 @ weights)
    words = f"{counted(k, 'release')}: at ε = {epsilon:.2g}, δ is {told(found.delta(epsilon))}"
    set_verdict_text(law_verdict, None, words)
    shape = f"mean loss {mean:.3f}, standard deviation {deviation:.3f}"
    return f"{shape}; a loss above {epsilon:.2g} has probability {told(above)}"


law_figure = live(
    fig,
    total_loss,
    "The distribution of the total loss, with you as bars and without you as an outline, and "
    "beyond a dashed line at epsilon the hatched part that delta pays; for many a moving "
    "bell.",
    task="play *k*: the more releases, the more must δ pay.",
    play="k",
    mechanism=choice(list(ONE), "randomized response"),
    k=choice([1, 2, 3, 5, 10, 20, 50, 100], 10),
    epsilon=slider(0.1, 6.0, 1.0, 0.1, label="at epsilon"),
)
law_figure

# %% [markdown]
# The bars are the distribution of the total privacy loss when your record is in the data, the outline when it is not.
# Losses beyond $\varepsilon$ must be paid for by $\delta$, though not in full. Compare the three mechanisms with
# [one release](#move:k=1&epsilon=1), then with [a hundred](#move:k=100&epsilon=4): they have nearly become one.

# %% jupyter={"source_hidden": true}
# What this page imports
import functools
import itertools

import pandas as pd
from scipy.optimize import brentq
from scipy.stats import norm

from dpbook import data
from dpbook.accounting import (
    LossDistribution,
    ZcdpBudget,
    amplified,
    gaussian_tradeoff,
    law_tradeoff,
    promise_tradeoff,
    renyi_epsilon,
    renyi_gaussian,
    renyi_laplace,
    renyi_response,
    renyi_sampled_gaussian,
    sampled_gaussian_delta,
    sampled_gaussian_deltas,
    sampled_gaussian_losses,
    zcdp_epsilon,
    zcdp_gaussian,
    zcdp_pure,
)
from dpbook.composition import Budget, BudgetExceeded, advanced, optimal
from dpbook.exponential import private_median
from dpbook.gaussian import (
    gaussian_delta,
    gaussian_epsilon,
    gaussian_mechanism,
    gaussian_scale,
    laplace_delta,
)
from dpbook.guesses import numbers, predict
from dpbook.laplace import laplace_mechanism
from dpbook.live import log_slider, show_source, switch
from dpbook.plots import curves, own_point, set_curves, set_own_point, show

# %% [markdown]
# ## A naive attempt that fails: a thousand looks at one percent
#
# A program draws one percent of the patients' records: a coin decides for each. It adds up one number for each drawn
# (between $-1$ and 1), adds normal noise of standard deviation 1, and publishes the sum. It does this a thousand
# times. Programs that learn from data do this. What is the total $\varepsilon$ at $\delta = 10^{-5}$?

# %%
STEPS, SAMPLING, SCALE, DELTA = 1_000, 0.01, 1.0, 1e-5
patients = data.health_insurance()["disea"].values
values = 2 * patients / 100 - 1
rng = np.random.default_rng(1)
drawn = [values[rng.random(values.size) < SAMPLING] for _ in range(3)]
for sample in drawn:
    published = sample.sum() + rng.normal(scale=SCALE)
    print(f"{sample.size} of {values.size:,} records drawn; published {published:.2f}")
everybody = gaussian_epsilon(math.sqrt(STEPS), SCALE, DELTA)
print(f"as if nobody had been left out: epsilon {everybody:.1f}")
print(f"times the fraction drawn:       epsilon {SAMPLING * everybody:.2f}")

# %% [markdown]
# The first answer is true and useless. The second is a guess: is it a bound at all? A record
# that is not drawn has no privacy loss, but nobody knows when it was drawn. For *one* release with
# a pure $\varepsilon$, the guess is $q\,\varepsilon$. It can be checked on one person's noisy answer. She is asked
# with probability $q$; otherwise a biased coin answers as if she had said no.

# %% jupyter={"source_hidden": true}
# Computed: the loss of a response that is asked for with probability q, and the guess q epsilon
epsilon, q = 1.0, 0.1
lie = 1 / (1 + math.exp(epsilon))
asked = q * (1 - lie) + (1 - q) * lie
print(f"probability of 'yes': {lie:.4f} if not asked, {asked:.4f} if you may be asked")
print(f"loss {math.log(asked / lie):.4f}; guessed q epsilon = {q * epsilon:g}: BROKEN")

# %% [markdown]
# So we need to count properly. This page does it from the ground: what *is* the thing that
# adds up?
#
# ## The loss as a random variable
#
# Two neighbours give a mechanism two output distributions, $P$ (with you) and $Q$ (without you).
# Draw an output $y$ from $P$. The **privacy loss** is $L = \ln \big(p(y)/q(y)\big)$: how strongly this output points
# to you. It may be negative. The loss is a *privacy loss random variable* (PRV), and its distribution the *privacy
# loss distribution* (PLD). The PLD gives the whole profile (in the literature: the *hockey-stick divergence*). The
# mean here is over the finite losses:
#
# $$\delta(\varepsilon) = \mathrm{E}_P\big[(1 - e^{\varepsilon - L})_+\big] + \Pr[L = \infty] .$$
#
# Of an output with loss $L$ above $\varepsilon$, the part $e^{\varepsilon - L}$ is covered by $e^\varepsilon q$, and
# $\delta$ pays the rest. (A guarantee takes the larger of both directions.) The losses of independent releases **add
# up**, because probabilities multiply. Page [02](02_composition.ipynb) added up their bounds.

# %% jupyter={"source_hidden": true}
# Computed: mean, deviation, delta and epsilon of 100 releases of each kind
rows = {}
for name, one in ONE.items():
    total = one.repeat(100)
    mean = total.losses @ total.probabilities
    rows[name] = {
        "mean of 100": mean,
        "deviation": math.sqrt((total.losses - mean) ** 2 @ total.probabilities),
        "delta(4)": total.delta(4.0),
        "epsilon at 1e-5": total.epsilon(1e-5),
    }
print(f"each release alone: pure loss of at most {PER_RELEASE} (response, Laplace),", end=" ")
print(f"mu = {PER_RELEASE} (normal)")
pd.DataFrame(rows).T.round(4)

# %% [markdown]
# The sum of many small losses is nearly normal, with mean $\mu^2/2$ and variance $\mu^2$: the loss of *one* Gaussian.
# For Gaussian releases the sum is exactly that: $\mu_{\text{total}} = \sqrt{\mu_1^2 + \dots + \mu_k^2}$, and no
# further accounting is needed.
#
# For randomized response the sum has only $k + 1$ values. The formula then gives the *smallest*
# epsilon that holds for any $k$ pure releases; page [02](02_composition.ipynb) called it `optimal`.
# Two programs give one number:

# %% jupyter={"source_hidden": true}
# Computed: the epsilon of 100 responses, by the loss distribution and by `optimal`
found = response_losses(0.1, 0.1).repeat(100).epsilon(1e-5)
print(f"100 responses at 0.1: the loss distribution {found:.8f},", end=" ")
print(f"`optimal` {optimal(0.1, 100, 1e-5):.8f}")

# %%
show_source(LossDistribution.delta)

# %% [markdown]
# ## Two shortcuts, and what they forget
#
# Before computers added whole distributions, one added *moments*. The **Rényi divergence** of order
# $a > 1$ is $D_a = \ln \mathrm{E}_Q[(P/Q)^a] / (a - 1)$: the exponential moment of the loss.
# It adds up over releases, order by order: *Rényi DP* (RDP), and in its first form the *moments
# accountant*. And $\rho$-**zCDP** (zero-concentrated DP) says $D_a \le \rho\, a$ for all
# $a$ at once: one number that adds up. To come back to $(\varepsilon, \delta)$, take the order $a$ with the smallest
#
# $$\varepsilon = D_a + \ln\Big(1 - \frac1a\Big) - \frac{\ln \delta + \ln a}{a - 1} .$$

# %%
show_source(renyi_epsilon)

# %% jupyter={"source_hidden": true}
# Computed: the divergences of orders 2 and 10 of four releases
orders = np.array([2.0, 10.0])
table = {
    "normal, mu = 1": renyi_gaussian(1, 1, orders),
    "Laplace, epsilon 1": renyi_laplace(1, 1, orders),
    "response, epsilon 1": renyi_response(1, orders),
    "zCDP of any epsilon 1": zcdp_pure(1) * orders,
}
pd.DataFrame(table, index=["D_2", "D_10"]).T.round(6)

# %% [markdown]
# For Gaussians $D_a = a \mu^2/2$ exactly, so zCDP describes them without loss. Every
# $\varepsilon$-DP release is $\varepsilon^2/2$-zCDP. (That is not the smallest $\rho$: for randomized
# response it is $\varepsilon \tanh(\varepsilon/2)$.) But the way *back* is not exact:

# %%
rho = 0.5
first = rho + 2 * math.sqrt(rho * math.log(1e6))
print(f"rho = {rho}, delta 1e-6")
print(f"first conversion, rho + 2 sqrt(rho ln(1/delta)): {first:.6f}")
print(f"best order:                                      {zcdp_epsilon(rho, 1e-6):.6f}")
print(f"a Gaussian with that rho, truly:                 {gaussian_epsilon(1, 1, 1e-6):.6f}")
near_one = 1 + np.geomspace(1e-6, 500, 400)  # the largest quotient is at the order 1
tightest = np.max(renyi_response(1, near_one) / near_one)
assert math.isclose(tightest, math.tanh(0.5), abs_tol=1e-5)
print(f"the smallest rho of a response at epsilon 1: {tightest:.4f},", end=" ")
print(f"tanh(1/2) = {math.tanh(0.5):.4f}, epsilon^2/2 = 0.5")

# %% [markdown]
# The conversion uses one moment of the loss, and must assume the worst distribution that has it. So if all your
# releases are Gaussian, do not go through zCDP to $\varepsilon$.
#
# **Live: six accounts of the same day.** The day has $k$ Laplace releases, each $\varepsilon$-DP. The table says what
# may be chosen after earlier releases were seen. All else is fixed beforehand.

# %%
COUNTS = np.unique(np.round(np.geomspace(1, 1_000, 13)).astype(int))
laplace_orders = 1 + np.geomspace(0.05, 500, 400)


@functools.lru_cache(maxsize=8)
def one_release(epsilon):
    """What accounts know of one release: its Renyi divergences, its loss distribution."""
    return renyi_laplace(epsilon, 1, laplace_orders), laplace_losses(epsilon, 1, epsilon / 40)


def accounts(epsilon, k, delta):
    """The total epsilon of k Laplace releases by six accounts."""
    divergences, losses = one_release(epsilon)
    return {
        "sequential": k * epsilon,
        "advanced": advanced(epsilon, k, delta),
        "zCDP": zcdp_epsilon(k * zcdp_pure(epsilon), delta),
        "Rényi": renyi_epsilon(laplace_orders, k * divergences, delta).epsilon,
        "optimal": optimal(epsilon, k, delta),
        "loss distribution": losses.repeat(k).epsilon(delta),
    }


@functools.cache
def account_curves(epsilon, delta):
    return pd.DataFrame([accounts(epsilon, int(k), delta) for k in COUNTS], index=COUNTS)


# %% jupyter={"source_hidden": true}
# Computed: what six accounts need to know, and the epsilon that they find for 100 Laplace releases
between = [
    laplace_losses(0.1, 1, 1e-4, side=side).repeat(100).epsilon(1e-6)
    for side in ("lower", "upper")
]
KNOWS_AND_ALLOWS = {
    "sequential": ("its epsilon", "question, epsilon"),
    "advanced": ("its epsilon, the same for all", "question alone"),
    "zCDP": ("its rho, here epsilon^2 / 2", "question, rho"),
    "Rényi": ("its divergence of each order", "question, divergence (at a fixed order)"),
    "optimal": ("its epsilon, the same for all", "question alone"),
    "loss distribution": ("its whole loss distribution", "question alone"),
}
print("100 Laplace releases at 0.1, delta 1e-6: the smallest epsilon lies", end=" ")
print(f"between {between[0]:.8f} and {between[1]:.8f}")
columns = ["must know of each release", "may be chosen as one goes"]
table = pd.DataFrame(KNOWS_AND_ALLOWS, index=columns).T
table.assign(epsilon=pd.Series(accounts(0.1, 100, 1e-6)).map("{:.4f}".format))

# %% jupyter={"source_hidden": true}
# Figure: accounts(epsilon, k, delta): six ways to add up k releases
fig, accounts_ax = figure(height=3.4)
LOOKS = {
    "sequential": "true --",
    "advanced": "other",
    "zCDP": "amber -.",
    "Rényi": "fourth :",
    "optimal": "third",
    "loss distribution": "noisy",
}
SIMPLE = ["sequential", "loss distribution"]  # these two are always shown
account_lines = curves(accounts_ax, COUNTS, LOOKS, ends=True, linewidth=2)
account_now = accounts_ax.axvline(100, color=COLOURS.grey, linewidth=1)
x_axis(accounts_ax, "releases, k", (0.95, 1_050), [1, 10, 100, 1_000], log=True)
y_axis(accounts_ax, "total ε (log scale)", (0.01, 2_000), [0.01, 1, 100], log=True)
accounts_verdict = verdict_text(accounts_ax)


def six_accounts(epsilon, k, delta, shortcuts):
    known = account_curves(epsilon, delta)
    for name, line, end in zip(LOOKS, account_lines, account_lines.ends, strict=True):
        line.set_visible(shortcuts or name in SIMPLE)
        end.set_visible(shortcuts or name in SIMPLE)
    set_curves(account_lines, [known[name].to_numpy() for name in LOOKS])
    account_now.set_xdata([k, k])
    found = known.loc[k].to_dict()
    least, plain, releases = min(found.values()), found["sequential"], counted(k, "release")
    words = f"{releases}: ε = {least:.3g}; by plain addition {plain:,.4g}"
    set_verdict_text(accounts_verdict, None, words)
    totals = ", ".join(f"{name} {total:,.4g}" for name, total in found.items())
    return f"each at {epsilon:.3g}: {totals}"


each_epsilon = log_slider(0.01, 1, 0.1, label="each epsilon")
for _, each in each_epsilon.options:  # so that no first move waits
    account_curves(each, 1e-6)

accounts_figure = live(
    fig,
    six_accounts,
    "Total epsilon against the number of Laplace releases on log axes by six accounts: the "
    "loss distribution is lowest, and plain addition a straight line that is best only for "
    "few.",
    task="find where plain addition is as good as any. Does any account ever give a smaller "
    "epsilon than the exact loss distribution? Is *advanced* ever the best of the shortcuts?",
    guess=predict(
        "Take 1,000 releases at 0.1 and δ = one in a million. How small is the best account?",
        (1, 100), lambda said: min(numbers(said.partition(":")[2])), k=1_000,
    ),
    epsilon=each_epsilon,
    k=choice([int(k) for k in COUNTS[:-1]] + [1_000], 100),
    delta=choice([1e-9, 1e-6, 1e-4, 1e-3], 1e-6),
    shortcuts=switch(True, label="the shortcuts, too"),
)  # fmt: skip
accounts_figure

# %% [markdown]
# ## The whole distribution: cells, chords, a Fourier transform
#
# A computer needs the distribution on a grid of multiples of a step. How should a loss *between* two
# points be rounded?
#
# - **Up:** safe, but every release is counted as a little worse than it is, and a thousand as much worse.
# - **To the nearest:** small errors in both directions, and no guarantee at all.
# - **Split** (in the literature: *connect the dots*): divide the mass of each cell between its two ends, such that $P$
#   *and* $Q$ keep their masses. That is safe: $(p - e^\varepsilon q)_+$ is convex in the ratio $p/q$, and a
#   chord lies above a convex curve. At the points of the grid it is exact.
#
# For a bound from *below*, do not split: merge the outputs of a cell. That is post-processing,
# which can only make the loss smaller. (Their common loss is moved to the grid, and what that may
# add is subtracted at the end.)

# %%
ODDS = 0.104


def rounded(kind, how, step):
    """One release's losses on the grid: up or to the nearest by hand, split by the book."""
    if how == "split" and kind == "normal":
        return gaussian_losses(1, 10, step)
    if how == "split":
        return response_losses(ODDS, step)
    shift = 0.0 if how == "up" else step / 2
    if kind == "normal":  # noise of 10: the loss is normal, of mean 0.005 and deviation 0.1
        cells = np.arange(math.floor(-0.9 / step), math.ceil(0.9 / step) + 1)
        mass = np.diff(norm.cdf((cells * step + shift - 0.005) / 0.1), prepend=0)
        return LossDistribution(step, int(cells[0]), mass, 0.0)
    places = [math.ceil((loss - shift) / step - 1e-9) for loss in (-ODDS, ODDS)]
    lie_and_truth = np.exp(-np.logaddexp(0, [ODDS, -ODDS]))
    mass = np.bincount(np.array(places) - places[0], lie_and_truth)
    return LossDistribution(step, places[0], mass, 0.0)


TRUTH = {"normal": gaussian_epsilon(1, 1, 1e-5), "response": optimal(ODDS, 100, 1e-5)}


@functools.cache
def hundredfold(kind, how, step):
    """The epsilon of 100 such releases, at delta 1e-5."""
    return rounded(kind, how, step).repeat(100).epsilon(1e-5)


# %% jupyter={"source_hidden": true}
# Figure: rounded(law, rounding, step), and hundredfold(...) at every step
GRID_STEPS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1]
fig, (grid_ax, excess_ax) = figure(columns=2, height=3.5)
stems, heads = curves(grid_ax, [0], {"stems": "noisy -", "heads": "noisy o"}, markersize=4)
x_axis(grid_ax, "loss of one release", (-0.4, 0.4))
y_axis(grid_ax, "probability on the grid", (0, 0.6))
ROUNDINGS = {"up": "other ^-", "nearest": "amber s:", "split": "noisy o-"}
excess_lines = curves(excess_ax, GRID_STEPS, ROUNDINGS)
excess_now = own_point(excess_ax, "yours", "D", COLOURS.true, fillstyle="none", mew=2)
excess_ax.axhline(0, color=COLOURS.true, linewidth=0.8)
x_axis(excess_ax, "step", (0.0015, 0.13), [0.002, 0.01, 0.05], log=True)
y_axis(excess_ax, "ε of 100 releases,\nminus the truth", (-0.5, 1.5))
cells_verdict = verdict_text(grid_ax)
legend_above(fig, handles=[*excess_lines, excess_now])


def cells_view(law, rounding, step):
    on_grid, truth = rounded(law, rounding, step), TRUTH[law]
    losses, weights = on_grid.losses, on_grid.probabilities
    rods = np.column_stack([0 * weights, weights, np.nan * weights]).ravel()
    stems.set_data(np.repeat(losses, 3), rods)
    heads.set_data(losses[weights > 1e-4], weights[weights > 1e-4])
    excess = [[hundredfold(law, how, one) - truth for one in GRID_STEPS] for how in ROUNDINGS]
    set_curves(excess_lines, excess)
    found = hundredfold(law, rounding, step)
    set_own_point(excess_now, step, found - truth)
    state = "an upper bound"
    if rounding == "nearest":
        state = "no bound: it may lie on either side"
    if found < truth - 1e-9:
        state = "BELOW THE TRUTH"
    above = "; ◇ above this picture" if found - truth > 1.5 else ""
    set_verdict_text(cells_verdict, None, f"rounded {rounding}: {state}{above}")
    return f"truth {truth:.6f}, {rounding} {found:.6f} ({found - truth:+.2g}), at δ = 10⁻⁵"


cells_figure = live(
    fig,
    cells_view,
    "Left: the loss of one release as bars on a grid. Right: the error of epsilon for a "
    "hundred against the step: up is large, split small and never below zero, nearest the "
    "smallest here but no bound.",
    task=r"normal noise, step 0.01, all three. Then randomized response with $\varepsilon$ "
    "just above a grid point: *nearest* claims less than the truth.",
    law=choice(list(TRUTH), "normal", label="release"),
    rounding=choice(list(ROUNDINGS), "split"),
    step=choice(GRID_STEPS, 0.05),
)
cells_figure

# %% jupyter={"source_hidden": true}
# Computed: the error of rounding up, of splitting and of the lower bound, at three steps
rows = {}
for step in (0.02, 0.01, 0.005):
    found = {how: hundredfold("normal", how, step) for how in ("up", "split")}
    below = gaussian_losses(1, 10, step, side="lower").repeat(100)
    rows[step] = found | {"from below": below.epsilon(1e-5)}
print("normal noise, 100 releases: epsilon minus truth", end=" ")
print("(half the step: a quarter of the split error)")
(pd.DataFrame(rows).T.rename_axis("step") - TRUTH["normal"]).map("{:+.6f}".format)

# %% [markdown]
# Convolving $k$ copies of a distribution on a grid of $n$ losses takes one Fourier transform, a $k$-th power, and one
# transform back. A bound on the tails says how long the grid must be, so that nothing wraps around. The transform's
# own rounding is *absolute*. An upper bound adds $2 \cdot 10^{-16}$ for each release to the probability of an
# infinite loss, more than is seen on exact Gaussians. Processors round differently, so the digits are not
# printed:

# %% jupyter={"source_hidden": true}
# Computed: the transform's rounding, with the allowance and without it
for releases, near in ((100, 0.001), (1_000, 0.01)):
    together = gaussian_losses(1 / math.sqrt(releases), 1, 1e-4).repeat(releases)
    bare = LossDistribution(together.step, together.lowest, together.probabilities, 0.0)
    exact = gaussian_epsilon(1, 1, 1e-11)
    moved = bare.epsilon(1e-11) - exact, together.epsilon(1e-11) - exact
    print(f"{releases:>5,} normal releases at delta 10⁻¹¹: epsilon within {near}", end=" ")
    print(f"of the truth without the allowance ({abs(moved[0]) < near}),", end=" ")
    print(f"above it with it ({moved[1] > 0})")

# %% [markdown]
# (For a delta below the allowance itself the bound is infinite, because doubles cannot tell.)

# %%
show_source(LossDistribution.repeat)

# %% [markdown]
# Different releases are convolved in turn, in any order. Here is a day with one normal release, one
# Laplace, one response:

# %% jupyter={"source_hidden": true}
# Computed: the epsilon of a day with one normal release, one Laplace and one response
day = gaussian_losses(1, 5, 1e-4) @ laplace_losses(1, 2, 1e-4) @ response_losses(1.0, 1e-4)
parts = gaussian_epsilon(1, 5, 1e-6) + 0.5 + 1
print(f"at delta 1e-6: together {day.epsilon(1e-6):.6f};", end=" ")
print(f"epsilons added {parts:.6f}; delta(1) = {day.delta(1.0):.6f}")

# %% [markdown]
# ## A test against you
#
# What does a guarantee mean to somebody who must *guess*? She sees the release and says "in" or
# "out". Let $a$ be the fraction of **false alarms** among those who are out. The **trade-off curve** $f(a)$ is the
# smallest fraction then **missed** among those who are in. A coin has $f(a) = 1 - a$. The curve is the lower edge of
# the region of page [02](02_composition.ipynb), and holds the same information as the profile:
# $\delta(\varepsilon) = \max_a \{1 - e^{\varepsilon} a - f(a)\}$. For normal noise
# $f(a) = \Phi(\Phi^{-1}(1 - a) - \mu)$. A mechanism whose curve lies nowhere below that one is called
# $\mu$-**Gaussian DP** ($\mu$-GDP; Dong, Roth, Su 2022), and these $\mu$ add in squares.

# %%
fractions = np.unique(np.concatenate([np.linspace(0, 1, 401), np.geomspace(1e-6, 0.05, 60)]))
made_for = 1 / gaussian_scale(1, 1.0, 1e-6)


def of_law(losses, alarms):
    """The trade-off curve of a loss distribution: without you is the null; with you is that,
    weighted by e^loss.
    """
    present = losses.probabilities > 1e-18
    log_with = np.log(losses.probabilities[present] / losses.probabilities[present].sum())
    log_without = log_with - losses.losses[present]
    return law_tradeoff(log_without - np.logaddexp.reduce(log_without), log_with, alarms)


@functools.cache
def many_laplace(k):
    return laplace_losses(1 / k, 1, 0.02 / k).repeat(k)


looks_law = sampled_gaussian_losses(SAMPLING, 1, SCALE, 1e-3).removed.repeat(STEPS)
looks_curve = of_law(looks_law, fractions)
CURVES = {
    "the pair (1, 10⁻⁶)": lambda k, a: promise_tradeoff(1.0, 1e-6, a),
    "normal noise made for it": lambda k, a: gaussian_tradeoff(made_for, a),
    "k Laplace releases of 1/k": lambda k, a: of_law(many_laplace(k), a),
    "1,000 sampled sums": lambda k, a: np.interp(a, fractions, looks_curve),
}

# %% jupyter={"source_hidden": true}
# Figure: the most true alarms at every rate of false ones, for four guarantees
TEST_LOOKS = ["true --", "noisy", "third -.", "amber"]
looks = dict(zip(CURVES, TEST_LOOKS, strict=True))
fig, both_axes = figure(columns=2, height=3.4)
for ax, most in zip(both_axes, (1, 0.1), strict=True):
    ax.plot([0, 1], [1, 0], color=COLOURS.grey, linewidth=0.8)
    x_axis(ax, "false alarms", (0, most))
    y_axis(ax, "missed", (0 if most == 1 else 0.5, 1))
curve_lines = [curves(ax, fractions, looks, linewidth=2) for ax in both_axes]
alarm_lines = [ax.axvline(0.05, color=COLOURS.grey, linestyle="--") for ax in both_axes]
legend_above(fig, 2)
test_verdict = verdict_text(both_axes[0])


def guessing(false_alarms, k, others):
    for lines in curve_lines:
        for line in lines[2:]:
            line.set_visible(others)
        set_curves(lines, [curve(k, fractions) for curve in CURVES.values()])
    for line in alarm_lines:
        line.set_xdata([false_alarms] * 2)
    found = {name: 100 * (1 - curve(k, false_alarms)) for name, curve in CURVES.items()}
    pair, normal = list(found.values())[:2]
    words = f"found of 100: {pair:.1f} by the pair, {normal:.1f} by normal noise"
    set_verdict_text(test_verdict, None, words)
    most = ", ".join(f"{name} {percent:.1f}" for name, percent in found.items())
    return f"of 100 who are out, {100 * false_alarms:g} called in; found at most: {most}"


test_figure = live(
    fig,
    guessing,
    "Missed detections against false alarms for four guarantees, below the straight line of a "
    "coin: the pair with two straight edges, normal noise made for that pair above it.",
    task="compare what is found against the bare pair $(1, 10^{-6})$ and against normal "
    "noise.",
    guess=predict(
        "With 10 false alarms in 100, how many of 100 members can be found "
        "despite normal noise made for (1, 10⁻⁶)?",
        (0, 100), r"made for it ([\d.]+)", false_alarms=0.1,
    ),
    false_alarms=choice([0.001, 0.01, 0.05, 0.1, 0.2, 0.5], 0.05),
    k=choice([1, 2, 5, 20, 100], 1, label="Laplace releases k"),
    others=switch(True, label="two other guarantees"),
)  # fmt: skip
test_figure

# %% jupyter={"source_hidden": true}
# Computed: the best advantage over a coin, and delta from the curve and from the profile
missed = gaussian_tradeoff(1, fractions)
best, profile = np.max(1 - fractions - missed), gaussian_delta(1, 1, 0.0)
print(f"best advantage over a coin against mu = 1: {best:.6f} = delta(0) = {profile:.6f}")
for epsilon in (0.5, 1.0, 2.0):
    curve = np.max(1 - math.exp(epsilon) * fractions - missed)
    profile = gaussian_delta(1, 1, epsilon)
    print(f"delta({epsilon}) from the curve: {curve:.5f}, from the profile: {profile:.5f}")
pair, normal = (1e4 * (1 - curve(1, 1e-4)) for curve in list(CURVES.values())[:2])
print("1 false alarm in 10,000: found of 10,000 members", end=" ")
print(f"{pair:.2f} by the pair, {normal:.2f} by normal noise")
caught = 100 * (1 - np.interp(0.05, fractions, looks_curve))
print("the thousand looks of the beginning: 5 false alarms in 100 find", end=" ")
print(f"at most {caught:.1f} of 100 members")

# %% [markdown]
# The curves say more than the pair. Against the normal noise a test with ten false alarms in 100 does much worse than
# its $(1, 10^{-6})$ would allow. With one in 10,000 (an accusation!) it does nearly as well as that.
#
# ## Sampling hides you
#
# Each record takes part with probability $q$, by its own coin (**Poisson sampling**); nobody
# sees the coins, nor the size of the sample. The output distributions with and without you are then a mixture and $Q$
# itself: $(1-q)\,Q + q\,P$ against $Q$. If the release without sampling is $(\varepsilon, \delta)$-DP under
# add/remove, the sampled release is
#
# $$\Big(\ln\big(1 + q\,(e^\varepsilon - 1)\big),\; q\,\delta\Big)\text{-DP} ,$$
#
# which is called *privacy amplification by subsampling*.
#
# <details><summary>Proof: the mixture's excess over Q is q times that of P.</summary>
#
# The excess of the mixture over $1 + q(e^\varepsilon - 1)$ times $Q$ is $q$ times the excess of $P$ over
# $e^\varepsilon$ times $Q$. In the other direction, put $P \ge e^{-\varepsilon}(Q - \delta)$ into the mixture: that
# needs no more.
#
# </details>
#
# But **the two directions differ**. A record removed from the data is the mixture against $Q$; a record added is $Q$
# against the mixture. They must be composed separately, and the guarantee has the larger delta of the two. (A pair of
# distributions whose profile no pair of neighbours exceeds is a *dominating pair*. The sampled Gaussian has these
# two.)

# %%
show_source(amplified)

# %% jupyter={"source_hidden": true}
# Computed: what sampling makes of a pure epsilon of 1
for q in (0.01, 0.1, 0.5):
    print(f"q = {q:<4}: a pure epsilon 1 becomes {amplified(q, 1, 0).epsilon:.6f};", end=" ")
    print(f"the guess q epsilon is {q:g}")

# %% [markdown]
# We compare three kinds of samples for one normal release with $\mu = 1$. Under replace a record
# moves the sum from $+1$ to $-1$, twice as far.
#
# - **Poisson, add/remove:** the two directions above.
# - **Poisson, replace:** a mixture against another mixture. It is *not* the formula with
#   another $\varepsilon$.
# - **Fixed size** $m$ of $n$, **replace:** the formula with $q = m/n$ and a base guarantee
#   *under replace* (Balle, Barthe, Gaboardi 2018). The bound is reached when all others are at $-1$. (Under
#   add/remove $n$ is a secret and $q$ moves; this book then gives no guarantee.)
#
# The last bound is for *one* release. The datasets that are worst for one sample of fixed size need
# not be the worst for many. So composing this pair guarantees nothing. Lebeda, Regehr, Kamath and Steinke (2024) give
# counterexamples, and a dominating pair for the Gaussian that may be composed.


# %%
def small(delta):
    """A delta in words: what these formulas say below 10⁻¹² is their rounding, and is not
    called 0.
    """
    return amount(delta) if delta >= 1e-12 else "below 10⁻¹²"


def replaced_delta(q, mu, epsilons):
    """Poisson sampling, a record moved from +1 to -1: (1-q) N(0) + q N(mu) against (1-q) N(0)
    + q N(-mu), exactly.
    """
    weight, rest, grow = q * math.exp(-(mu**2) / 2), 1 - q, np.exp(epsilons)
    half = rest * (grow - 1)
    # z is the root above 0 of weight z^2 - half z - grow weight = 0
    z = (half + np.sqrt(half**2 + 4 * grow * weight**2)) / (2 * weight)
    cut = np.log(z) / mu
    drawn = norm.sf(cut - mu) - grow * norm.sf(cut + mu)
    return rest * (1 - grow) * norm.sf(cut) + q * drawn


def fixed_delta(q, mu, epsilons):
    return q * gaussian_delta(2 * mu, 1, np.log1p(np.expm1(epsilons) / q))


# %% jupyter={"source_hidden": true}
# Figure: delta at every epsilon when a fraction q of the records is drawn, five ways
profile_epsilons = np.linspace(0.005, 2.5, 240)
fig, sampling_ax = figure(height=3.4)
SAMPLED = {
    "not sampled": "grey",
    "Poisson, removed": "noisy",
    "Poisson, added": "light --",
    "Poisson, replaced": "third -.",
    "fixed size, replaced": "other :",
}
sampling_lines = curves(sampling_ax, profile_epsilons, SAMPLED, ends=True, linewidth=2)
x_axis(sampling_ax, "ε", (0, 2.5))
y_axis(sampling_ax, "smallest δ of one\nrelease (log scale)", (1e-12, 1), log=True)
sampling_verdict = verdict_text(sampling_ax)
sampling_ax.axvline(0.5, color=COLOURS.true, linewidth=0.8)


def samples(q, scale, show_replace):
    at = np.append(profile_epsilons, 0.5)
    deltas = [gaussian_delta(1, scale, at), *sampled_gaussian_deltas(q, 1, scale, at)]
    deltas += [part(q, 1 / scale, at) for part in (replaced_delta, fixed_delta)]
    set_curves(sampling_lines, [np.maximum(delta[:-1], 1e-300) for delta in deltas])
    for piece in [*sampling_lines[3:], *sampling_lines.ends[3:]]:
        piece.set_visible(show_replace)
    here = [float(delta[-1]) for delta in deltas]
    words = f"sampling takes δ from {small(here[0])} to {small(max(here[1:3]))}"
    set_verdict_text(sampling_verdict, None, f"at ε = 0.5 {words}")
    poisson = f"removed {small(here[1])}, added {small(here[2])}, replaced {small(here[3])}"
    return f"δ at ε = 0.5: Poisson {poisson}; fixed size, replaced {small(here[4])}"


sampling_figure = live(
    fig,
    samples,
    "Smallest delta against epsilon on a log axis for one release without sampling and with "
    "four kinds of it: removed above added, Poisson under replace higher, fixed size above "
    "that, far above if few are drawn.",
    task=r"$q = 0.01$: by what factor do the three differ at $\varepsilon = 0.5$? Then "
    "$q = 0.5$.",
    guess=predict(
        "Draw half of the records instead of a hundredth. What is δ at ε = 0.5, one added?",
        (0.0001, 1), r"added ([\d.e-]+)", q=0.5,
    ),
    q=choice([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.9], 0.01, label="q, probability to be drawn"),
    scale=slider(0.5, 3.0, 1.0, 0.1),
    show_replace=switch(True, label="under replace, too"),
)  # fmt: skip
sampling_figure

# %% jupyter={"source_hidden": true}
# Computed: delta for a fixed size and for Poisson sampling, and Laplace sums under replace
fixed, poisson = fixed_delta(0.01, 1.0, 0.5), sampled_gaussian_delta(0.01, 1, 1, 0.5)
print(f"one record of n = 100 m, mu = 1: delta(0.5) is {fixed:.6g}", end=" ")
print("for a fixed size under replace")
print(f"and {amount(poisson, 6)} for Poisson under add/remove:", end=" ")
print(f"a factor of {fixed / poisson:,.0f}")
x = np.linspace(-40, 40, 8_001)
below, middle, above = (-np.abs(x - at) - math.log(2) for at in (-1, 0, 1))
ends = [np.logaddexp(math.log(0.9) + middle, math.log(0.1) + end) for end in (below, above)]
loss = np.abs(ends[0] - ends[1]).max()
print(f"Laplace sum, Poisson q = 0.1, +1 replaced by -1: loss {loss:.7f}")
twice, at_two = 2 * amplified(0.1, 1, 0).epsilon, amplified(0.1, 2, 0).epsilon
print(f"twice the add/remove formula {twice:.4f}, the formula at 2 {at_two:.4f}")

# %% [markdown]
# Set [q = 0.5](#move:q=0.5), then [q = 0.01](#move:q=0.01). The same words, "sampled with rate one
# percent", stand for two guarantees with a factor of three thousand between them. Before you use a library's number,
# ask which sampling and which relation it means.
#
# ## A thousand looks: five answers, one of them wrong
#
# Back to the beginning. We compose both directions a thousand times, from above and from below, and
# by moments. The fourth answer is the **central limit** for $T$ steps with noise $\sigma$. The sum of the losses becomes
# normal, so take the Gaussian with $\mu = q \sqrt{T (e^{1/\sigma^2} - 1)}$ (Bu and others 2020). That one is no
# bound (erratum [S10](22_errata.ipynb#S10)).

# %%
WHOLE = np.arange(2, 129)


def limit_epsilon(q, scale, count, delta):
    """The central limit's epsilon: an approximation, NOT a bound."""
    return gaussian_epsilon(q * math.sqrt(count * math.expm1(1 / scale**2)), 1, delta)


def answers_for(q, scale, counts, delta, step=1e-3, orders=WHOLE):
    """The total epsilon of so many sampled sums, for each of `counts`, five ways."""
    upper = sampled_gaussian_losses(q, 1, scale, step)
    lower = sampled_gaussian_losses(q, 1, scale, step, side="lower")
    divergences = renyi_sampled_gaussian(q, 1, scale, orders)
    ways = {
        "distribution, from above": lambda count: upper.repeat(count).epsilon(delta),
        "distribution, from below": lambda count: lower.repeat(count).epsilon(delta),
        "moments": lambda count: renyi_epsilon(orders, count * divergences, delta).epsilon,
        "central limit": lambda count: limit_epsilon(q, scale, count, delta),
        "nobody left out": lambda count: gaussian_epsilon(math.sqrt(count), scale, delta),
    }
    return {name: np.array([way(count) for count in counts]) for name, way in ways.items()}


thousand_sums = answers_for(SAMPLING, SCALE, [STEPS], DELTA, step=1e-4)
five = {name: totals[0] for name, totals in thousand_sums.items()}
for name, total in five.items():
    state = "BELOW THE TRUTH" if total < five["distribution, from below"] - 1e-9 else ""
    print(f"{name:<18} {total:10.5f}  {state}")

# %% [markdown]
# Finally, a protocol that differs from what was accounted for. Many programs do not draw Poisson samples: they cut
# the data into a hundred batches *in a fixed order*, and go through them. Then each record is used exactly once a
# pass, in a batch that everybody knows: one full Gaussian a pass.

# %%
STEP_COUNTS = [1, 3, 10, 30, 100, 300, 1_000, 3_000]
THOUSAND = {  # the five ways, and how the figure draws them
    "distribution, from above": "noisy",
    "distribution, from below": "light --",
    "moments": "fourth :",
    "central limit": "other x-.",
    "batches in a fixed order": "true s--",
}


@functools.lru_cache(maxsize=20)
def thousand_curves(q, scale, delta):
    """The total epsilon after each of `STEP_COUNTS` steps, five ways."""
    step = {2.0: 2e-4, 4.0: 1e-4}.get(scale, 1e-3)  # much noise: small losses
    found = answers_for(q, scale, STEP_COUNTS, delta, step, WHOLE[:62])
    passes = [math.ceil(q * count - 1e-9) for count in STEP_COUNTS]
    fixed = [gaussian_epsilon(math.sqrt(many), scale, delta) for many in passes]
    return found | {"batches in a fixed order": np.array(fixed)}


# %% jupyter={"source_hidden": true}
# Figure: thousand_curves(q, scale, delta): the total epsilon after every number of steps
fig, thousand_ax = figure(height=3.4)
looks = {"linewidth": 2, "markersize": 5}
thousand_lines = curves(thousand_ax, STEP_COUNTS, THOUSAND, ends=True, **looks)
thousand_now = thousand_ax.axvline(1_000, color=COLOURS.grey, linewidth=1)
x_axis(thousand_ax, "steps", (0.9, 3_400), [1, 10, 100, 1_000], log=True)
y_axis(thousand_ax, "total ε (log scale)", (0.01, 300), [0.01, 0.1, 1, 10, 100], log=True)
thousand_verdict = verdict_text(thousand_ax)


def thousand(q, scale, count, bounds_only):
    found = thousand_curves(q, scale, DELTA)
    set_curves(thousand_lines, [np.maximum(found[name], 1e-3) for name in THOUSAND])
    for piece in [*thousand_lines[2:], *thousand_lines.ends[2:]]:
        piece.set_visible(not bounds_only)
    thousand_now.set_xdata([count, count])
    at = STEP_COUNTS.index(count)
    above, lower, moments, limit, fixed = (found[name][at] for name in THOUSAND)
    words = "TOO LOW" if limit < lower else "not below it" if limit >= above else "undecided"
    told = f"ε at least {amount(lower)}; the central limit {amount(limit)}: {words}"
    set_verdict_text(thousand_verdict, None, told)
    bounds = f"{counted(count, 'step')}: loss distribution {lower:.4g} to {above:.4g}"
    return f"{bounds}, moments {moments:.4g}, fixed order {fixed:.4g}"


for q, scale in itertools.product((0.01, 0.02, 0.05, 0.1), (0.5, 0.7, 1.0, 2.0, 4.0)):
    thousand_curves(q, scale, DELTA)  # so that no first move waits

thousand_figure = live(
    fig,
    thousand,
    "Total epsilon against the number of steps on log axes: the loss distribution from above "
    "and below nearly one line, the central limit below it here, a fixed order mostly far "
    "above.",
    task="noise scale 0.5, one pass (100 steps): what is accounted, and what is true? Then "
    "find settings at which the central limit is above the loss distribution.",
    q=choice([0.01, 0.02, 0.05, 0.1], 0.01, label="q"),
    scale=choice([0.5, 0.7, 1.0, 2.0, 4.0], 1.0),
    count=choice(STEP_COUNTS, 1_000, label="steps"),
    bounds_only=switch(False, label="the two bounds alone"),
)
thousand_figure

# %% jupyter={"source_hidden": true}
# Computed: at how many settings of the figure the central limit lies where
for scale in (0.5, 0.7, 1.0, 2.0, 4.0):
    found = [thousand_curves(q, scale, DELTA) for q in (0.01, 0.02, 0.05, 0.1)]
    ways = np.transpose([[one[name] for name in THOUSAND] for one in found], (1, 0, 2))
    above, lower, _, limit, _ = ways
    print(f"noise {scale:g}: below the truth at {np.sum(limit < lower):>2}", end=" ")
    print(f"of {limit.size} settings, not below it at {np.sum(limit >= above):>2}")

# %% jupyter={"source_hidden": true}
# Computed: what is accounted for one pass of 100 batches, and what is true in a fixed order
for scale in (4.0, 1.0, 0.5):
    accounted = sampled_gaussian_losses(0.01, 1, scale, 1e-4).repeat(100).epsilon(DELTA)
    true = gaussian_epsilon(1, scale, DELTA)
    print(f"one pass of 100 batches, noise {scale:g}: accounted {accounted:.4f},", end=" ")
    print(f"in a fixed order truly {true:.4f}: BROKEN")

# %% [markdown]
# If the account says Poisson, the program must toss the coins. But the fixed order is not *always* worse. With little
# noise and a tiny $\delta$ it can be better: a Poisson sample may draw a record twice in a pass, or more. A third scheme puts each
# record into one random batch of each pass (*balls and bins*, or *random allocation*). Its distribution with you is a
# mixture of $T$ Gaussians, one a batch. Below, the loss of one batch is integrated and the others are drawn, so the
# number is only an estimate.

# %%
T, noise = 10, 0.5
# the batches without you
drawn_rest = np.random.default_rng(1).normal(scale=noise, size=(4_000, T - 1))
others = np.log(np.exp((drawn_rest - 0.5) / noise**2).sum(axis=1, keepdims=True))
place = np.linspace(1 - 8 * noise, 1 + 8 * noise, 801)  # of the batch with you
weight = norm.pdf(place, 1, noise) * (place[1] - place[0])
loss = np.logaddexp((place - 0.5) / noise**2, others) - math.log(T)


def allocated(epsilon):
    """delta of one pass of T batches, each record in one of them, with you against without."""
    return float(np.mean(np.maximum(-np.expm1(np.minimum(epsilon - loss, 0)), 0) @ weight))


poisson = sampled_gaussian_losses(1 / T, 1, noise, 1e-3, side="lower").repeat(T).epsilon(DELTA)
fixed = gaussian_epsilon(1, noise, DELTA)
allocation = brentq(lambda epsilon: allocated(epsilon) - DELTA, 0, 20)
print(f"one pass of {T} batches, noise {noise}, delta {amount(DELTA)}:")
print(f"Poisson at least {poisson:.3f}; a fixed order exactly {fixed:.3f}")
print(f"random allocation about {allocation:.2f}")

# %% [markdown]
# A *shuffled* order is a mixture of fixed ones, and never worse than they are. So here it has a smaller epsilon than
# Poisson sampling, and at other settings a far larger one: neither dominates (Chua and others 2024). For random
# allocation there are bounds (Feldman, Shenfeld 2025), and by now a computed loss distribution, for the Gaussian at
# least as good as Poisson's.
#
# ## Budgets that are spent as you go
#
# An analyst sees the first results and then decides what to ask next, and how exactly. Sums
# allow it: "stop before the sum of the $\varepsilon_i$ (of the $\rho_i$) exceeds the budget"
# is a **filter**, and valid. `Budget` and `ZcdpBudget` are filters. A day with 30 releases on
# the voters is computed first by five accounts:

# %% jupyter={"source_hidden": true}
# Computed: the epsilon of a day with 28 counts, a histogram and a median, by five accounts
voters = data.election()
ages, votes = voters["age"].values, voters["vote"].values
CUTS = {"age": range(20, 80, 5), "educ": range(2, 7), "income": range(3, 24, 2)}
releases = [
    laplace_mechanism(np.sum(voters[name].values > cut), 1, 0.1, rng)
    for name, cuts in CUTS.items()
    for cut in cuts
]
party = np.bincount(voters["PID"].values.astype(int), minlength=7)
released_party = gaussian_mechanism(party, 1, 0.5, 1e-7, rng)
released_median = private_median(ages, np.arange(18, 121), 0.2, rng)
k, party_scale = len(releases), gaussian_scale(1, 0.5, 1e-7)
print(f"{k} counts at 0.1, one histogram with normal noise ({party_scale:.2f}),", end=" ")
print("one median at 0.2")

whole_day = gaussian_losses(1, party_scale, 1e-3) @ laplace_losses(1, 10, 1e-3).repeat(k)
whole_day @= response_losses(0.2, 1e-3)  # no pure release has more loss than a response
day_orders = laplace_orders
day_divergences = k * renyi_laplace(1, 10, day_orders)
day_divergences += renyi_gaussian(1, party_scale, day_orders)
day_divergences += renyi_response(0.2, day_orders)
day_rho = k * zcdp_pure(0.1) + zcdp_gaussian(1, party_scale) + zcdp_pure(0.2)
pd.Series(
    {
        "sums (basic composition), delta 1e-7": 0.1 * k + 0.5 + 0.2,
        "advanced for the pure ones, plus the rest": advanced(0.1, k, 9e-7) + 0.5 + 0.2,
        "zCDP": zcdp_epsilon(day_rho, 1e-6),
        "Rényi": renyi_epsilon(day_orders, day_divergences, 1e-6).epsilon,
        "loss distribution": whole_day.epsilon(1e-6),
    },
    name="epsilon at delta 1e-6",
).round(4).to_frame()

# %% [markdown]
# Then as a filter, with choices on the way:

# %%
budget = ZcdpBudget(0.05)
first = gaussian_mechanism(votes.sum(), 1, 0.5, 1e-7, rng)
budget.spend(zcdp_gaussian(1, gaussian_scale(1, 0.5, 1e-7)), "votes for Dole")
# chosen after seeing the first release: allowed
more = 0.02 if first > votes.size / 2 else 0.03
answer_noise = 1 / math.sqrt(2 * budget.spend(more, "votes for Dole among the young"))
print(f"second count with noise of standard deviation {answer_noise:.2f}")
try:
    budget.spend(0.03, "one more")
except BudgetExceeded as refusal:
    print(f"refused: {refusal}")
in_all = budget.promise(1e-6)
print(budget, f"- in all ({in_all.epsilon:.4f}, {amount(in_all.delta)})")
with_delta = Budget(1.0, delta=1e-6)
with_delta.spend(0.5, "party histogram", delta=1e-7)
print(with_delta)

# %% [markdown]
# `optimal`, `advanced` and the loss distribution answer another question: $k$ releases whose *losses* are
# fixed beforehand. Used as a filter they break. Here each path is within the guarantee by
# itself, but which path is taken depends on what came out:

# %%
TOTAL, FIRST = 4.0, 1.0
likely = math.exp(FIRST) / (1 + math.exp(FIRST))
many = response_losses(0.5, 0.5).repeat(20)
left_yes, left_no = TOTAL - FIRST, TOTAL + FIRST  # epsilon left after a loss of +1 or -1
at_yes, at_no = many.delta(left_yes), many.delta(left_no)
allowed = likely * at_yes + (1 - likely) * at_no
part = allowed / likely
# odds of ONE response with the same delta
few = math.log((part + math.exp(left_yes)) / (1 - part))
few_law = response_losses(few, few)
fixed_few = likely * few_law.delta(left_yes) + (1 - likely) * few_law.delta(left_no)
adaptive = likely * few_law.delta(left_yes) + (1 - likely) * at_no
print(f"a response at 1, then 20 responses at 0.5:          delta({TOTAL:g}) = {allowed:.6f}")
print(f"a response at 1, then one response at {few:.3f}:    ", end=" ")
print(f"delta({TOTAL:g}) = {fixed_few:.6f}")
print("the one response after a loss of +1, the 20 after -1:", end=" ")
print(f"delta({TOTAL:g}) = {adaptive:.6f}: BROKEN")

# %% [markdown]
# An **odometer** says how much has been spent so far, at any time; sums of the $\varepsilon_i$ are odometers, too.
# (Sums of the $\rho_i$ are not. The loss exceeds the $\varepsilon$ made of such a sum with a small probability each
# time. Among very many times it is likely to do so once.)
# Filters nearly as good as `advanced` exist (Whitehouse and others 2023), but a curve for fixed $k$ is not one.
#
# ### What libraries count
#
# Ask five libraries for the "privacy of a subsampled Gaussian": they answer three different
# questions.
#
# - dp-accounting (unless told otherwise), opacus and prv-accountant take Poisson sampling under
#   add/remove.
# - autodp's `compose_subsampled_mechanism` takes samples of a fixed size under replace; it has
#   another function for Poisson samples.
# - opendp takes the formula of `amplified` for samples of a fixed size.
#
# Opacus also has a central-limit accountant, not its default. At the settings of this page it
# prints the number that is marked above, and it warns that it can underestimate.
#
# ## Error against epsilon
#
# What does better accounting buy? The figure has the noise of each of 100 counts of the same
# people, for a total $\varepsilon$ at $\delta = 10^{-6}$, by every account. Normal noise stands beside
# them. For zCDP the answer is a theorem. From $\varepsilon = \rho + 2\sqrt{\rho L}$ with $L = \ln(1/\delta)$, the noise
# of $k$ counts is
#
# $$\sigma = \sqrt{\frac k2}\; \frac{\sqrt{L + \varepsilon} + \sqrt L}{\varepsilon} ,$$
#
# which grows like $\sqrt k$, and plain addition like $k$.

# %% jupyter={"source_hidden": true}
# Computed: the noise of 100 and 1,000 counts, by the theorem and by plain addition
log_delta = math.log(1e6)
for k in (100, 1_000):
    exact = gaussian_scale(math.sqrt(k), 1, 1e-6)
    theorem = math.sqrt(k / 2) * (math.sqrt(log_delta + 1) + math.sqrt(log_delta))
    print(f"{k:>5,} counts at (1, 10⁻⁶): normal noise {exact:.1f}, the theorem", end=" ")
    print(f"{theorem:.1f}, Laplace by plain addition {math.sqrt(2) * k:,.1f}")


# %%
def least_scale(total, bound):
    """The smallest Laplace scale whose 100 releases cost at most `total` by this account, by
    halving.
    """
    low, high = 0.0, 4 * total
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (middle, high) if bound(middle) <= total else (low, middle)
    return 1 / low


BOUNDS = {
    "sequential": lambda e: 100 * e,
    "advanced": lambda e: advanced(e, 100, 1e-6),
    "zCDP": lambda e: zcdp_epsilon(100 * zcdp_pure(e), 1e-6),
    "optimal": lambda e: optimal(e, 100, 1e-6),
    "loss distribution": lambda e: laplace_losses(e, 1, e / 40).repeat(100).epsilon(1e-6),
}

# %% jupyter={"source_hidden": true}
# Figure: least_scale(total, bound) of every account, and gaussian_scale(10, total, 1e-6)
totals = np.geomspace(0.1, 10, 9)
fig, ax = figure(height=3.5)
looks = {name: LOOKS[name] for name in BOUNDS} | {"normal noise": "fourth :"}
found = [[math.sqrt(2) * least_scale(t, bound) for t in totals] for bound in BOUNDS.values()]
normal = [gaussian_scale(10, t, 1e-6) for t in totals]
curves(ax, totals, looks, [*found, normal], ends=True)
x_axis(ax, "total epsilon for 100 counts", log=True)
y_axis(ax, "standard deviation of each, people", log=True)
show(
    fig,
    "Standard deviation of each of a hundred counts against the total epsilon on log axes: "
    "sequential highest for small epsilon, the loss distribution and normal noise lowest.",
)

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/25_accounting](../exercises/answers/25_accounting.ipynb).
#
# **Assignment 25:** [five tasks, checked in a second](../exercises/releases/25_accounting.ipynb).
#
# 1. *Warm-up.* Take the figure of six accounts, at $\varepsilon = 0.1$ and $\delta = 10^{-6}$. At
#    which $k$ does *advanced* become better than *sequential*? At which $k$ does *optimal*? (The
#    figure has few $k$: compute the others.)
# 2. A survey publishes 50 counts with Laplace noise at 0.2 each and 20 with normal noise of
#    standard deviation 15. What is the total at $\delta = 10^{-7}$, from above and from below?
# 3. How many steps with $q = 0.02$ and noise 1 fit into $(2, 10^{-5})$? Find it by the loss
#    distribution, by moments, and by the central limit. Who spends too much?
# 4. Take the mechanism that prints a record with probability $10^{-4}$ and else nothing. What
#    is its loss distribution? Repeat it a thousand times. Why is its Rényi divergence of no use?
# 5. Compare the trade-off curve of *one* Laplace release with $\varepsilon = 1$ and that of the
#    Gaussian with the same total variation. At which false alarms is the Laplace release
#    better for you?
# 6. *Challenge.* Search for settings ($q$, noise, steps) of sampled Gaussians at which adding a record needs a
#    larger $\varepsilon$ than removing it, at $\delta = 10^{-5}$. Prove that there are none for a single step.
#
# A start for task 3:

# %%
for count in (100, 1_000):
    epsilon = sampled_gaussian_losses(0.02, 1, 1, 1e-3).repeat(count).epsilon(1e-5)
    print(f"{count} steps: epsilon {amount(epsilon, 5)}")

# %% [markdown]
# ## When to use which
#
# Let the code choose the smallest epsilon among the accounts that are valid for what is known.

# %% jupyter={"source_hidden": true}
# Computed: the smallest epsilon among valid accounts, in four cases
three, thousand_responses = response_losses(0.5, 0.5).repeat(3), optimal(0.01, 1_000, 1e-6)
by_zcdp = zcdp_epsilon(100 * zcdp_gaussian(1, 30), 1e-6)
by_squares = gaussian_epsilon(10, 30, 1e-6)
above = "distribution, from above"
CASES = {
    "3 pure releases at 0.5": {"sequential": 1.5, "a response": three.epsilon(1e-6)},
    "1,000 pure releases at 0.01": {"sequential": 10.0, "a response": thousand_responses},
    "100 Gaussians, scale 30": {"zCDP": by_zcdp, "squares": by_squares},
    "1,000 sampled Gaussians": {how: five[how] for how in ("moments", above)},
}
for name, found in CASES.items():
    totals = ", ".join(f"{how} {total:.4f}" for how, total in found.items())
    print(f"{name:<28} {totals}: {min(found, key=lambda how: round(found[how], 4))}")
exact, by_losses = laplace_delta(1, 1, 0.5), laplace_losses(1, 1, 0.01).delta(0.5)
print(f"one Laplace release, delta(0.5) exactly: {exact:.6f}, by its losses {by_losses:.6f}")

# %% [markdown]
# **Sequential** for a handful of releases, or without a $\delta$. **Squares of $\mu$** for
# Gaussians alone: exact. **The loss distribution** for anything fixed beforehand. **zCDP** for a
# budget of many releases that is spent as you go. **Moments** where only moments are known. **The central
# limit** to draw a picture. And **check** that the program does what the account says: the
# relation, the sample, both directions.
#
# ## Sources and further reading
#
# The five sources of this book have sequential and parallel composition (Li et al. 2016, section 2.2) and quote the
# advanced one (7.2.4); this page goes beyond them.
#
# - Irit Dinur, Kobbi Nissim: *Revealing information while preserving privacy*, 2003; Cynthia
#   Dwork, Guy Rothblum, Salil Vadhan: *Boosting and differential privacy*, 2010: the loss as a
#   random variable.
# - Peter Kairouz, Sewoong Oh, Pramod Viswanath: *The composition theorem for differential
#   privacy*, 2015.
# - Mark Bun, Thomas Steinke: *Concentrated differential privacy*, 2016: zCDP. Ilya Mironov:
#   *Rényi differential privacy*,
#   2017. Clément Canonne, Gautam Kamath, Thomas Steinke: *The discrete Gaussian*, 2020: the
#         way back.
# - Antti Koskela, Joonas Jälkö, Antti Honkela: *Computing tight differential privacy
#   guarantees using FFT*, 2020; Vadym Doroshenko and others: *Connect the dots*, 2022: distributions
#   on a grid, and how to round them.
# - Ninghui Li, Wahbeh Qardaji, Dong Su: *On sampling, anonymization, and differential
#   privacy*, 2012; Borja Balle, Gilles Barthe, Marco Gaboardi: *Privacy amplification by
#   subsampling*, 2018; Ilya Mironov, Kunal Talwar, Li Zhang: *Rényi differential privacy of
#   the sampled Gaussian mechanism*, 2019; Yuqing Zhu, Jinshuo Dong, Yu-Xiang Wang, 2022.
# - Larry Wasserman, Shuheng Zhou: *A statistical framework*, 2010; Jinshuo Dong, Aaron Roth,
#   Weijie Su: *Gaussian differential privacy*, 2022: trade-off curves.
# - Zhiqi Bu and others: *Deep learning with Gaussian differential privacy*, 2020: the central
#   limit; Sivakanth Gopi, Yin Tat Lee, Lukas Wutschitz: *Numerical composition*, 2021, warn of
#   it.
# - Lynn Chua and others: *How private are DP-SGD implementations?*, 2024: batches that are no
#   Poisson samples. Vitaly Feldman, Moshe Shenfeld: *Privacy amplification by random allocation*,
#   2025, and *Efficient privacy loss accounting for subsampling and random allocation*, 2026. Christian
#   Lebeda, Matthew Regehr, Gautam Kamath, Thomas Steinke: *Avoiding pitfalls for privacy accounting of
#   subsampled mechanisms under composition*, 2024.
# - Ryan Rogers and others: *Privacy odometers and filters*, 2016; Vitaly Feldman, Tijana
#   Zrnic, 2021; Justin Whitehouse and others, 2023.
#
# `dpbook` is for learning, not for real releases ([00](00_start_here.ipynb) says why).
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [24 The Gaussian mechanism](24_gaussian.ipynb) · **Next:** [26 Learning by noisy steps](26_gradients.ipynb)
