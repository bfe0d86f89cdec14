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
# # 26 Learning by noisy steps
#
# *DP-SGD* (stochastic gradient descent) trains networks privately: clip each person's pull, add up, add noise, make a
# step. The figure shows one step.
#
# <details><summary>About 40 minutes, after 24 and 25: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [25 Accounting](25_accounting.ipynb) · **Next:** [27 Which epsilon?](27_choosing.ipynb)
#
# **Assignment 26:** [five tasks, checked in a second](../exercises/releases/26_gradients.ipynb)
#
# **What you will see:** what clipping does to the answer, what sampling buys, and the account of
# [25](25_accounting.ipynb). Three bugs that no accuracy shows. At the end you audit a trained model from the outside.
#
# **What you will do:** choose a clipping norm; make a model *more* certain by clipping it.
# Find a recipe that beats noise on the weights; catch three broken trainings with a canary.
#
# **You need:** [24 The Gaussian mechanism](24_gaussian.ipynb) and [25
# Accounting](25_accounting.ipynb). Logistic regression is explained where it is used; chapter
# 11 has more of it.
#
# **Time:** about 40 minutes. A good place to stop is before *The survey*.
#
# **Real and synthetic:** the voters (1996 election study) and the women (Fair's survey) are
# real; five points on a line are made up. Neighbours differ by adding or removing a record,
# unless we say *replace*, and a record is a person.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import math

import numpy as np
from matplotlib.collections import LineCollection

from dpbook.amounts import amount
from dpbook.data.predictions import election_prediction
from dpbook.gradients import clip_rows, poisson_sample
from dpbook.live import choice, live, slider
from dpbook.plots import (
    COLOURS,
    curves,
    figure,
    legend_above,
    set_verdict_text,
    verdict_text,
    x_axis,
    y_axis,
)
from dpbook.regression import unit_ball

# %% jupyter={"source_hidden": true}
# Figure: one step on 200 voters: clip_rows(pulls, norm), coins, noise, divided by the sampling
voters = election_prediction()
X, y = unit_ball(voters.features, voters.bounds), voters.answers
n, d = X.shape
pulls = (y[:, None] * X[:, [0, 1]] * math.sqrt(d / 3) / 2)[:200]
total, turn = pulls.sum(axis=0), np.linspace(0, 2 * np.pi, 121)
fig, (pull_ax, sum_ax) = figure(columns=2, height=2.9)
rays = [LineCollection([], colors=ink, lw=0.8) for ink in (COLOURS.pale, COLOURS.noisy)]
for ray in rays:
    pull_ax.add_collection(ray)
rays[0].set_segments([[(0, 0), pull] for pull in pulls])
circle = curves(pull_ax, turn, {"norm": "other --"})
cloud_looks = {"clipped, sampled, noisy": "light ."}
cloud_dots = curves(sum_ax, [0], cloud_looks, markersize=3)
looks = {"sum of all pulls": "true", "sum of clipped pulls": "noisy"}
sum_lines = curves(sum_ax, [0], looks, linewidth=2.5)
limits = {pull_ax: [(-0.45, 0.45), (-0.45, 0.45)], sum_ax: [(-15, 70), (-25, 35)]}
for ax, (x_ends, y_ends) in limits.items():
    ax.set_aspect("equal")
    x_axis(ax, "party weight", x_ends)
    y_axis(ax, "left-right weight", y_ends)
step_verdict = verdict_text(pull_ax)
legend_above(fig, 4, columnspacing=1)


def one_noisy_step(norm, multiplier, sampling):
    rng = np.random.default_rng(1)
    clipped = clip_rows(pulls, norm)
    drawn = poisson_sample(len(pulls), sampling, rng)
    coins = rng.random((300, len(pulls))) < sampling
    cloud = (coins @ clipped + multiplier * norm * rng.normal(size=(300, 2))) / sampling
    rays[1].set_segments([[(0, 0), pull] for pull in clipped[drawn]])
    circle[0].set_data(norm * np.cos(turn), norm * np.sin(turn))
    cloud_dots[0].set_data(*cloud.T)
    for line, end in zip(sum_lines, (total, clipped.sum(axis=0)), strict=True):
        line.set_data([0, end[0]], [0, end[1]])
    deviation = np.sqrt(np.mean((cloud - clipped.sum(axis=0)) ** 2))
    part = np.mean(np.linalg.norm(pulls, axis=1) > norm)
    words = f"norm {norm:.2f}: {part:.0%} of the pulls are clipped"
    set_verdict_text(step_verdict, None, f"{words}; noise {amount(deviation, 2)}")
    noise = f"noise on the sum {multiplier * norm:.3g}; {len(drawn)} of 200 voters drawn"
    spread = f"noise and sampling, {amount(deviation)} a coordinate"
    return f"{noise}; standard deviation of the step, {spread}"


step_figure = live(
    fig,
    one_noisy_step,
    "Left, 200 pulls as grey lines, clipped ones in blue within a dashed circle. Right, the "
    "true sum, the clipped sum, and a cloud of noisy sums around the clipped one.",
    task="play *norm*: the pulls may become longer, and so must the noise.",
    play="norm",
    norm=slider(0.02, 0.44, 0.1, 0.02),
    multiplier=slider(0.0, 30.0, 15.0, 1.0),
    sampling=choice([0.05, 0.1, 0.3, 1.0], 1.0, label="sampling q"),
)
step_figure

# %% [markdown]
# On the left each grey line is the pull of one of 200 voters on a model with two weights: the voter's *gradient*,
# turned downhill. In colour is what clipping and sampling leave of it. On the right are the sum of all pulls (black),
# what clipping makes of it (blue), and 300 noisy versions of that.
#
# [A small norm](#move:norm=0.04) needs little noise, and shortens the sum. [A large one](#move:norm=0.4) keeps the sum,
# and needs ten times the noise. With [q = 0.1](#move:sampling=0.1) each voter takes part with probability 0.1, and the
# sum is divided by 0.1, the noise too.

# %% jupyter={"source_hidden": true}
# What this page imports
import functools
import itertools

import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit, ndtri
from scipy.stats import binom, chi2

from dpbook.accounting import gaussian_tradeoff, renyi_epsilon, renyi_sampled_gaussian
from dpbook.amounts import counted
from dpbook.audit import clopper_pearson, epsilon_lower_bound
from dpbook.data.predictions import affairs_prediction
from dpbook.gaussian import gaussian_delta, gaussian_epsilon, gaussian_scale, zcdp_rho
from dpbook.gradients import (
    Recipe,
    add_canary,
    clipped_gradient,
    dp_sgd,
    floored_training,
    mean_clipped_training,
    train,
    training_epsilon,
    training_multiplier,
)
from dpbook.guesses import predict
from dpbook.live import show_source
from dpbook.plots import (
    meter,
    own_point,
    set_curves,
    set_meter,
    set_own_point,
    set_steps,
    show,
    steps,
)
from dpbook.regression import (
    LOGISTIC,
    accuracy,
    fit,
    objective_perturbation,
    output_perturbation,
)

# %% [markdown]
# ## A naive attempt that fails: nobody saw the steps
#
# The data are 944 voters, five answers each (party, left or right, age, education, income), and whom they would vote
# for. A **logistic regression** looks for weights $w$ such that $w \cdot x$ is large for voters of Dole ($y = 1$) and
# small for voters of Clinton ($y = -1$). It takes the $w$ with the smallest
#
# $$J(w) = \sum_i \ln\big(1 + e^{-y_i\, w \cdot x_i}\big) + \frac{\lambda}{2} |w|^2 .$$
#
# The answers are scaled by public bounds so that no row $x$, with a constant appended, is longer than 1.
# *Regularisation* $\lambda$ keeps the weights small. Gradient descent starts at $w = 0$ and takes small steps
# downhill.
#
# Somebody trains without noise for 20 steps, with each record's pull limited to length 0.1. Then she adds to the
# *final* weights the noise that one such step would need for $(1, 10^{-6})$: "only the weights are published". Put in
# a **canary**: a record with a feature that no other record has, so only it can move that weight.

# %%
EPSILON, DELTA = 1.0, 1e-6
GUESS = 1_000  # of how many voters there are: public, and the only such number in a recipe
print(f"{n} voters, {d} weights ({', '.join(voters.names)}, constant);", end=" ")
print(f"longest row {np.linalg.norm(X, axis=1).max():.3f}")
best = accuracy(fit(X, y, 1e-3, LOGISTIC), X, y)
majority = max(np.mean(y > 0), np.mean(y < 0))
print(f"majority {majority:.3f}, best without privacy {best:.3f}")

one_step = gaussian_scale(1, EPSILON, DELTA)
quiet = Recipe(regularisation=0.0, steps=20, sampling=1.0, step_size=0.1, norm=0.1)
with_canary = add_canary(X, y)
final = train(*with_canary, quiet, 0, np.random.default_rng(1)).weights[-1]
naive_noise = quiet.step_size * quiet.norm * one_step
print(f"the canary's weight: {final:.3f} with the canary, 0 without; noise {naive_noise:.4f}")
naive_epsilon = gaussian_epsilon(final, naive_noise, DELTA)
print(f"true epsilon at {amount(DELTA)}: {naive_epsilon:.2f}, claimed {EPSILON:g}")

# %% [markdown]
# Twenty steps have carried the canary's pull twenty times. One might instead use how far the
# *exact* minimum can move ($1/\lambda$, [chapter 11](11_regression.ipynb), *output perturbation*). But then $\lambda$
# must be large, and the solver must have converged exactly. Training a network offers neither. Noise in every step
# gives a guarantee whatever the steps do.
#
# ## A gradient is a sum over people
#
# The gradient of $J$, apart from the regularisation, is a sum with one term for each record:
#
# $$g_i = -s_i\, y_i x_i, \qquad s_i = \frac{1}{1 + e^{\,y_i\, w \cdot x_i}} \in (0, 1).$$
#
# 1. **Clip** each $g_i$ to a public length $C$, the `norm` (in the literature: the *clipping
#    norm*): $g_i \min(1, C / |g_i|)$. However wild a record is, adding it moves the sum by at
#    most $C$, and replacing it by $2C$. This is the L2 sensitivity.
# 2. **Add noise** $\sigma C\, N(0, I)$ to the sum. $\sigma$ is the `multiplier` (in the literature:
#    the *noise multiplier*).
# 3. **Step**: subtract the noisy sum, plus $\lambda w$, times a public `step_size`. The number of records $n$ may not
#    appear in it, because $n$ is a secret under add/remove. A public guess may.
#
# The next weights, stopping early by looking at the noisy weights, and the accuracy on *public*
# records are post-processing. The next step uses the data again, and is accounted for again. The
# accuracy on the *training* records uses them again, too: it is one more release, and must be bought.
#
# (Libraries sometimes clip the mean of a few records, a *microbatch*, as if it were one. That saves
# memory, but one record can turn such a mean from $-C$ to $C$. TensorFlow Privacy counts that. Where a person has several records, clip each person's
# sum: *user-level* privacy, exercise 5.)

# %%
show_source(clip_rows)

# %% [markdown]
# A record's gradient points along its row: its length is $s_i |x_i|$, so clipping is a limit
# on the slope, $\min(s_i, C / |x_i|)$. The full records-by-weights matrix of gradients, which
# exhausts memory for a network, is never built.

# %%
show_source(train)

# %% [markdown]
# ## What clipping does to the answer
#
# In the unit ball no gradient is longer than 1: with $C = 1$ nothing is clipped. A smaller $C$
# needs less noise, but can change the answer. The steps then settle where the *clipped* gradients
# cancel, which is seldom the minimum of the original loss.
#
# Two cases can be worked out. The first is half the squared distance to five points 0, 0, 0, 0 and 10. The clipped
# pulls cancel at $C/4$, until at $C = 8$ the mean is reached; $C \to 0$ gives the median. The second is logistic
# regression with one weight, three votes for and one against. The weight settles at $\ln(3/C - 1)$ for $C$ below 3/4,
# and at $\ln 3$ above. Clipping makes this model *more* certain, not less: it limits the pull of the one record that
# disagrees.

# %% jupyter={"source_hidden": true}
# Computed: where the clipped pulls of five points, and of three votes against one, cancel
points = np.array([0.0, 0, 0, 0, 10])
rows = {}
for norm in (0.2, 0.4, 0.5, 1.0, 4.0, 8.0, 20.0):
    between = brentq(lambda w, c=norm: clip_rows((w - points)[:, None], c).sum(), -1, 11)
    recipe = Recipe(regularisation=0.0, steps=400, sampling=1.0, step_size=1.0, norm=norm)
    votes = np.ones((4, 1)), [1, 1, 1, -1]
    settled = train(*votes, recipe, 0, np.random.default_rng(1)).weights[0]
    rows[norm] = {"five points": between, "C / 4": norm / 4, "three to one": settled}
    rows[norm]["formula"] = math.log(3 / min(norm, 0.75) - 1)
pd.DataFrame(rows).T.rename_axis("norm C").round(4)

# %% jupyter={"source_hidden": true}
# Figure: where the clipped pulls cancel, as in the table above: C / 4 and ln(3 / C - 1)
NORMS = np.round(np.geomspace(0.1, 20, 200), 4)
fig, (five_ax, vote_ax) = figure(columns=2, height=3.3)
line = np.linspace(-1, 11, 241)
distances = np.abs(line[:, None] - points)
objectives = curves(five_ax, line, {"clipped objective": "noisy", "not clipped": "grey --"})
heights = [0.04, 0.09, 0.14, 0.19, 0.04]
five_ax.plot(points, heights, "o", color=COLOURS.true, label="the points")
five_mark = own_point(five_ax, "where it settles", "v", markersize=10)
x_axis(five_ax, "answer w", (-1, 11))
y_axis(five_ax, "objective, scaled", (0, 1.5))
curves(vote_ax, NORMS, {"": "noisy"}, [np.log(3 / np.minimum(NORMS, 0.75) - 1)])
vote_ax.axhline(math.log(3), linestyle="--", color=COLOURS.grey)
vote_mark = own_point(vote_ax, marker="v", markersize=10)
x_axis(vote_ax, "norm C (log scale)", (0.09, 22), [0.1, 1, 10], log=True)
y_axis(vote_ax, "weight", (0, 3.7))
five_verdict, vote_verdict = verdict_text(five_ax), verdict_text(vote_ax)
legend_above(fig, 4)


def where_it_settles(norm):
    beyond = norm * distances - norm**2 / 2
    clipped = np.where(distances <= norm, distances**2 / 2, beyond).sum(axis=1)
    clipped, whole = clipped / (200 * min(1, norm / 10)), (distances**2 / 2).sum(axis=1) / 200
    set_curves(objectives, [clipped, whole])
    five, vote = min(norm / 4, 2.0), math.log(3 / min(norm, 0.75) - 1)
    set_own_point(five_mark, five, np.interp(five, line, clipped) + 0.06)
    set_own_point(vote_mark, norm, vote + 0.12)
    set_verdict_text(five_verdict, None, f"five points: {five:.3g}")
    set_verdict_text(vote_verdict, None, f"three to one: {expit(vote):.0%} sure")
    settled = f"C = {norm:.3g}: mean 2, median 0; three to one settle at {vote:.3g}"
    return f"{settled}, which is {expit(vote):.1%} sure, where three quarters are for it"


settle_figure = live(
    fig,
    where_it_settles,
    "Left, five points on a line and the clipped objective, whose lowest place moves from "
    "the median to the mean. Right, the settled weight against the norm: it falls to ln 3.",
    task="at which norm does the five points' answer stop moving, and why there?",
    guess=predict(
        "Three votes are for, one against. Clipped at 0.2, how sure of a yes is the model?",
        (50, 100, "%"), r"which is ([\d.]+)%", norm=0.2,
    ),
    norm=choice([0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0, 4.0, 6.0, 8.0, 12.0, 20.0], 1.0),
)  # fmt: skip
settle_figure

# %% [markdown]
# [Clip at 0.1](#move:norm=0.1), and three votes against one make the model almost certain;
# [at 1](#move:norm=1) nothing is clipped there. The same happens to the voters' model, trained
# without noise until nothing moves:

# %% jupyter={"source_hidden": true}
# Computed: the settled weights of the voters' model for three norms, without noise
size = 4 / (GUESS / 4 + 1)
for norm in (1.0, 0.3, 0.1):
    recipe = Recipe(regularisation=1.0, steps=1_500, sampling=1.0, step_size=size, norm=norm)
    settled = train(X, y, recipe, 0, np.random.default_rng(1)).weights
    left = np.linalg.norm(clipped_gradient(settled, X, y, norm) + settled)
    left = "below 10⁻¹²" if left < 1e-12 else amount(left, 2)
    print(f"C = {norm:<4} length of the weights {np.linalg.norm(settled):6.2f},", end=" ")
    print(f"accuracy {accuracy(settled, X, y):.3f}, gradient left {left}")
print(f"fit      length of the weights {np.linalg.norm(fit(X, y, 1.0, LOGISTIC)):6.2f}")

# %% [markdown]
# ## The full batch: all steps are one Gaussian
#
# Take all records in every step ($q = 1$). Each of the $T$ noisy sums is a Gaussian mechanism
# with sensitivity $C$ and noise $\sigma C$. Whatever the earlier steps gave, one record shifts the next sum by at
# most $C$. Each has $\mu = 1/\sigma$, and squares add up ([25](25_accounting.ipynb)): together they are **one**
# Gaussian with $\mu = \sqrt T / \sigma$ (in the literature: *$\mu$-GDP*, Gaussian differential privacy). That is
# exact, for a record whose gradient has length $C$ in every step.

# %%
show_source(training_multiplier)

# %%
size = 4 / (GUESS / 4 + 1)
fifty = Recipe(regularisation=1.0, steps=50, sampling=1.0, step_size=size, norm=1.0)
sigma_fifty = training_multiplier(fifty, EPSILON, DELTA)
by_zcdp = math.sqrt(50 / (2 * zcdp_rho(EPSILON, DELTA)))
print(f"50 steps at (1, 0.000001): multiplier {sigma_fifty:.4f}; by zCDP {by_zcdp:.3f}")
no_root, replaced = (
    training_epsilon(fifty, sigma, DELTA) for sigma in (one_step, sigma_fifty / 2)
)
print(f"without the root of the steps ({one_step:.4f}): true epsilon {no_root:.3f}")
print(f"the same noise under replace: true epsilon {replaced:.4f}")

# %% [markdown]
# **Does it help that nobody sees the path?** In general only if the weights forget, or are pulled back into
# a bounded set after each step (Altschuler and Talwar 2022). With regularisation
# each step shrinks them by $a = 1 - \text{step size} \cdot \lambda$, and the canary's last
# weight alone is a Gaussian with
#
# $$\mu = \frac 1 \sigma\, \frac{1 - a^T}{1 - a} \Big/ \sqrt{\frac{1 - a^{2T}}{1 - a^2}} .$$
#
# For $a = 1$ this is $\sqrt T / \sigma$ again: hiding the path gains nothing at all.

# %% jupyter={"source_hidden": true}
# Computed: what the last weights alone reveal, for four settings
for a, T in ((0.95, 20), (0.95, 200), (0.8, 20), (1.0, 20)):
    powers = a ** np.arange(T)
    mu = powers.sum() / math.sqrt((powers**2).sum())
    noise = math.sqrt(T) * gaussian_scale(1, EPSILON, 1e-3)
    alone = gaussian_epsilon(mu, noise, 1e-3)
    print(f"a = {a}, {T} steps: mu {mu:.4f} for {math.sqrt(T):.4f},", end=" ")
    print(f"epsilon of the last weights {alone:.5f} for {EPSILON:g}")

# %% [markdown]
# **How good is the model?** For a convex loss the answer can be given beforehand. Let no record's gradient be longer
# than $C$, let $\lambda = 0$, and let $w^*$ be any weights of length $R$. Let $\bar w$ be the average of the weights
# *before* each of $T$ full steps of size $\eta$ from $w = 0$. In the mean over the noise,
#
# $$J(\bar w) - J(w^*) \;\le\; \frac{R^2}{2 \eta T} + \frac{\eta}{2}\, C^2 \big(n^2 + d\, \sigma^2\big) .$$
#
# <details><summary>Proof: the squared distance to the best weights shrinks on average.</summary>
#
# Expand $|w_{t+1} - w^*|^2$, use convexity, and add up over the steps. The noise has mean 0.
#
# </details>
#
# With the best $\eta$ and many steps this tends to $R\, C \sqrt d / \mu$ with $\mu = \sqrt T / \sigma$. The
# price of privacy does not grow with $n$, so the price per *voter* falls like $1/n$ (Bassily, Smith,
# Thakurta 2014).

# %% jupyter={"source_hidden": true}
# Computed: the loss above the reference, and the theorem's bound, for 50 to 5,000 steps
reference = fit(X, y, 1.0, LOGISTIC)
away = np.linalg.norm(reference)
for steps_taken in (50, 500, 5_000):
    sigma = math.sqrt(steps_taken) * one_step
    push = GUESS**2 + d * sigma**2  # the square of the longest sum, and of the noise
    size = away / math.sqrt(steps_taken * push)
    form = Recipe(0.0, steps_taken, 1.0, size, 1.0)
    path = train(X, y, form, sigma, np.random.default_rng(1), models=10).path[:, :-1]
    means = np.mean(np.logaddexp(0, -(path.mean(axis=1) @ (X * y[:, None]).T)), axis=1)
    least = np.logaddexp(0, -y * (X @ reference)).mean()
    bound = (away**2 / (2 * size * steps_taken) + size * push / 2) / n
    above, limit = means.mean() - least, away * math.sqrt(d) * one_step / n
    print(f"{steps_taken:>5,} steps: loss a voter above the reference {above:+.4f},", end=" ")
    print(f"the theorem's bound {bound:.4f}; its limit {limit:.4f}")

# %% [markdown]
# The next figure trains the voters' model with two weights (party, constant): one path without noise, and 30 noisy
# ones. The dot is the minimum of $J$. The losses shown leave $\lambda$ out, so they can be below the dot's.

# %%
two = unit_ball(voters.features[:, :1], tuple(end[:1] for end in voters.bounds))
best_two = fit(two, y, 1.0, LOGISTIC)
least_loss = np.logaddexp(0, -y * (two @ best_two)).mean()
grid_x, grid_y = np.linspace(-2, 10, 61), np.linspace(-6, 6, 61)
margins = (grid_x[None, :, None] * two[:, 0] + grid_y[:, None, None] * two[:, 1]) * y
surface = np.logaddexp(0, -margins).mean(axis=2)


@functools.cache
def known_multiplier(steps, sampling, epsilon):
    """At DELTA; the norm, the step size and the regularisation play no part."""
    return training_multiplier(Recipe(1.0, steps, sampling, 1.0, 1.0), epsilon, DELTA)


EPSILONS, STEPS, SAMPLINGS = [0.1, 0.3, 1.0], [5, 20, 50], [0.1, 1.0]
for place in itertools.product(STEPS, SAMPLINGS, EPSILONS):  # so that no first move waits
    known_multiplier(*place)

# %% jupyter={"source_hidden": true}
# Figure: train(two, y, recipe, training_multiplier(recipe, epsilon, delta), rng, models=30)
fig, path_ax = figure(height=3.9)
path_ax.contour(grid_x, grid_y, surface, levels=14, colors=COLOURS.pale, linewidths=1)
faint = LineCollection([], colors=COLOURS.light, linewidths=0.6, alpha=0.7)
path_ax.add_collection(faint)
looks = {"30 noisy endings": "noisy .", "without noise": "true .-"}
ends_dots, quiet_line = curves(path_ax, [0], looks, markersize=4, linewidth=1.2)
path_ax.plot(*best_two, "o", color=COLOURS.other, markersize=8, label="minimum")
x_axis(path_ax, "party weight", (-1, 9))
y_axis(path_ax, "constant", (-4, 3))
path_verdict = verdict_text(path_ax)
legend_above(fig)


def paths(epsilon, steps, norm, sampling):
    recipe = Recipe(1.0, steps, sampling, min(60 / steps, 4) / (GUESS / 4 + 1), norm)
    multiplier, rng = known_multiplier(steps, sampling, epsilon), np.random.default_rng(1)
    noisy = train(two, y, recipe, multiplier, rng, models=30)
    quiet_path = train(two, y, recipe._replace(sampling=1.0), 0, rng).path
    faint.set_segments(np.clip(noisy.path, -50, 50))
    ends_dots.set_data(*noisy.weights.T)
    quiet_line.set_data(*quiet_path.T)
    losses = np.logaddexp(0, -(noisy.weights @ (two * y[:, None]).T)).mean(axis=1)
    words = f"median loss {np.median(losses):.4f}; at the minimum of J {least_loss:.4f}"
    set_verdict_text(path_verdict, None, words)
    noise = f"noise {multiplier * norm / sampling:.3g} on each sum of {n} pulls"
    worst = f"loss a voter of the worst of 30 {losses.max():.4f}"
    return f"multiplier {multiplier:.3g}: {noise}; {worst}"


path_figure = live(
    fig,
    paths,
    "Paths of two weights over contours of the loss: a black one without noise, thirty faint "
    "noisy ones around it with dots where they end, and a large dot at the minimum.",
    task=r"with $\varepsilon = 0.3$, is it better to take 5 steps, or 50? And the norm?",
    epsilon=choice(EPSILONS, 0.3),
    steps=choice(STEPS, 20),
    norm=choice([0.1, 0.3, 0.5, 1.0], 0.5),
    sampling=choice(SAMPLINGS, 1.0, label="sampling q"),
)
path_figure

# %% [markdown]
# ## Sampling: a coin for each record
#
# A network is trained on a few records at a time. **Poisson sampling** tosses a coin for each record, fresh in each
# step: it takes part with probability $q$. Who took part is hidden, and that helps (*privacy amplification by
# subsampling*). [25](25_accounting.ipynb) has the *privacy loss distribution* (PLD) of such a sum, for both
# directions, and composes it over all steps. The *moments accountant* of Abadi and others (2016) is what is now
# called Rényi DP (RDP).

# %%
show_source(poisson_sample)

# %%
size = 0.4 / (GUESS / 4 + 1)
sampled = Recipe(regularisation=1.0, steps=500, sampling=0.02, step_size=size, norm=1.0)
orders = np.arange(2, 200)


def moments_epsilon(recipe, sigma):
    divergences = recipe.steps * renyi_sampled_gaussian(recipe.sampling, 1, sigma, orders)
    return renyi_epsilon(orders, divergences, DELTA).epsilon


def limit_epsilon(recipe, sigma):
    mu = recipe.sampling * math.sqrt(recipe.steps * math.expm1(1 / sigma**2))
    return gaussian_epsilon(mu, 1, DELTA)


def smallest_sigma(account):
    return brentq(lambda sigma: account(sampled, sigma) - EPSILON, 1.5, 5, xtol=1e-6)


routes = {
    "distribution of the loss": training_multiplier(sampled, EPSILON, DELTA),
    "moments (Rényi DP): safe": smallest_sigma(moments_epsilon),
    "central limit: no bound": smallest_sigma(limit_epsilon),
}
print("500 steps, q = 0.02, at (1, 0.000001):")
for name, sigma in routes.items():
    true = training_epsilon(sampled, sigma, DELTA)
    print(f"{name:<26} multiplier {sigma:.5f}, true epsilon {true:.4f}")
small = Recipe(regularisation=1.0, steps=300, sampling=0.05, step_size=1.0, norm=1.0)
found = training_multiplier(small, 0.1, DELTA)
print(f"300 steps, q = 0.05, at (0.1, 0.000001): multiplier {found:.3f}")

# %% [markdown]
# **What sampling buys.** The sum of a sample must be divided by $q$ to
# stand for the whole sum, and the noise with it.

# %% jupyter={"source_hidden": true}
# Computed: multiplier, noise and records read of three trainings
rows = {}
for name, recipe in (
    ("full batch, 50 steps", fifty),
    ("q = 0.02, 500 steps", sampled),
    ("full batch, 10 steps", fifty._replace(steps=10)),
):
    sigma = training_multiplier(recipe, EPSILON, DELTA)
    read = recipe.steps * recipe.sampling * n
    rows[name] = [amount(number, 4) for number in (sigma, sigma / recipe.sampling, read)]
columns = ["multiplier", "noise / C on the whole sum", "records read"]
pd.DataFrame(rows, index=columns).T

# %% [markdown]
# For the same number of records read, fewer and fuller steps have less noise each; the sampled training has more
# steps to average it out.
#
# **The size of a sample is a secret**, too. Dividing by it instead of by $q$ is wrong twice: the divisor reveals
# something, and empty batches bias the step. Here are five slopes 1 to 5, $q = 0.3$, and all 32 samples:

# %% jupyter={"source_hidden": true}
# Computed: the sum divided by q and the mean of the batch, over all 32 samples of five
slopes, q = np.arange(1, 6), 0.3
samples = (np.arange(32)[:, None] >> np.arange(5)) & 1
probabilities = np.prod(np.where(samples, q, 1 - q), axis=1)
sums, sizes = samples @ slopes / q, samples.sum(axis=1)
mean, variance = probabilities @ sums, probabilities @ (sums - 15) ** 2
print(f"sum / q: mean {mean:.4f} for {slopes.sum()}, variance {variance:.2f}")
mean = probabilities @ (samples @ slopes / np.maximum(sizes, 1))
print(f"mean of the batch (0 if empty): mean {mean:.5f} for {slopes.mean():g}")
print(f"an empty batch comes with probability {binom.pmf(0, 5, q):.4f}:", end=" ")
print("a step of pure noise, not to be skipped")

# %% [markdown]
# Batches of a fixed size, or of one pass over shuffled records, are *not* Poisson samples. They need their own
# account: in [25](25_accounting.ipynb) one pass in a fixed order has up to twelve times the claimed epsilon. Chua and others (2024) find
# shuffling commoner; the library Opacus draws Poisson samples unless it is told otherwise. Noise that remembers
# needs no coins: [30](30_correlated.ipynb). Where a user has many records, clip by user: [29](29_parties.ipynb).

#
# ## The survey: against noise on the weights and in the objective
#
# The data are 6,366 women, eight answers each, and whether there was an affair; and the voters.
# [11 Regression](11_regression.ipynb) has two ways without steps. *Output perturbation* fits
# exactly and adds noise to the weights. *Objective perturbation* adds a random slope to the
# objective and fits that. Both have a pure $\varepsilon$. The gradients also have a
# $\delta = 10^{-6}$.
#
# All are medians of the accuracy *on the training records* over 20 draws. The recipes are 20 full
# steps, and 100 steps with $q = 0.1$, clipped at 0.5. They and the values of $\lambda$ were
# **chosen by hand on these very data**, from few. So the table shows neither the best of each method, nor
# what you would have got.

# %%
women = affairs_prediction()
Z, affair = unit_ball(women.features, women.bounds), women.answers
TABLES = {"women": (Z, affair, 6_000, (10, 30)), "voters": (X, y, 1_000, (3, 10))}
SHOWN = [0.05, 0.1, 0.5, 1.0, 2.0]  # the epsilons of the figure
LISTED = [0.1, 0.5, 1.0]  # and of the table


def full_steps(guess, norm=0.5):
    """The guess of how many records there are is public; it sets the step."""
    size = 4 / (guess / 4 + 1)
    return Recipe(regularisation=1.0, steps=20, sampling=1.0, step_size=size, norm=norm)


def sampled_steps(guess, norm=0.5):
    size = 1 / (guess / 4 + 1)
    return Recipe(regularisation=1.0, steps=100, sampling=0.1, step_size=size, norm=norm)


def draws(method, table, epsilon, value):
    """The weights of 20 private models, same seed for all; `value`: lambda, or the norm."""
    features, labels, guess, _ = TABLES[table]
    rng = np.random.default_rng(26)
    if method == "output":
        return output_perturbation(features, labels, value, LOGISTIC, epsilon, rng, size=20)
    if method == "objective":
        return objective_perturbation(features, labels, value, LOGISTIC, epsilon, rng, size=20)
    recipe = {"full batch": full_steps, "samples": sampled_steps}[method](guess, value)
    if recipe.sampling == 1:
        return dp_sgd(features, labels, recipe, epsilon, DELTA, rng, models=20).weights
    sigma = known_multiplier(recipe.steps, recipe.sampling, epsilon)
    return np.array([train(features, labels, recipe, sigma, rng).weights for _ in range(20)])


METHODS = {}
for table, (features, labels, _, choices) in TABLES.items():
    kinds = [(kind, value) for kind in ("output", "objective") for value in choices]
    kinds += [("full batch", value) for value in (1.0, 0.5, 0.1)] + [("samples", 0.5)]
    for kind, value in kinds:
        name = f"{kind}, {'norm' if value <= 1 else 'lambda'} {value:g}"
        everywhere = table == "women" and name != "objective, lambda 30"
        METHODS[table, name] = {
            e: np.median(accuracy(draws(kind, table, e, value), features, labels))
            for e in (SHOWN if everywhere else LISTED)
        }
found = pd.DataFrame(METHODS).loc[LISTED].T
for table, (features, labels, _, _) in TABLES.items():
    exact = accuracy(fit(features, labels, 1e-3, LOGISTIC), features, labels)
    majority = max(np.mean(labels > 0), np.mean(labels < 0))
    print(f"{table}: majority {majority:.3f}, without privacy {exact:.3f}")
found.round(3)

# %% [markdown]
# At $\varepsilon = 0.5$ and above, well-chosen numbers make gradients and objective perturbation nearly
# equal. "Objective perturbation always wins for convex problems" is as wrong as its opposite. At 0.1, among few people, the
# gradients beat objective perturbation with the smaller $\lambda$, but not clearly with the larger.
# With norm 1 they fall behind; with 0.1 they lead, at 0.90. (Among the women 0.1 costs
# 0.03.) Most of what such comparisons show is how well each side was tuned. Output
# perturbation needs strong regularisation: at 0.1 its smaller $\lambda$ is last. Gradients have a $\delta$ and five
# public numbers to choose;
# the others only $\lambda$.

# %% jupyter={"source_hidden": true}
# Figure: METHODS above, and train(Z, affair, recipe, multiplier, rng, models=5) of yours
LOOKS = {
    "output, lambda 30": "third s--",
    "objective, lambda 10": "amber ^-.",
    "full batch, norm 1": "light o-",
    "full batch, norm 0.5": "noisy o-",
    "samples, norm 0.5": "fourth v-",
    "no privacy": "true",
}
exact = accuracy(fit(Z, affair, 1e-3, LOGISTIC), Z, affair)
medians = [[METHODS["women", name][e] for e in SHOWN] for name in list(LOOKS)[:-1]]
fig, recipe_ax = figure(height=3.8)
x_axis(recipe_ax, "ε (log scale)", (0.045, 2.2), SHOWN, log=True)
y_axis(recipe_ax, "accuracy, median", (0.66, 0.73))
recipe_lines = curves(recipe_ax, SHOWN, LOOKS, ends=True, markersize=5)
set_curves(recipe_lines, [*medians, exact])
recipe_ax.axhline(np.mean(affair < 0), linestyle=":", color=COLOURS.grey, label="majority")
own_mark = own_point(recipe_ax, "your recipe", "D", markersize=10)
recipe_verdict = verdict_text(recipe_ax)
legend_above(fig)


def your_recipe(epsilon, steps, norm, speed):
    recipe = Recipe(1.0, steps, 1.0, speed / 1_501, norm)
    sigma = math.sqrt(steps) * gaussian_scale(1, epsilon, DELTA)
    models = train(Z, affair, recipe, sigma, np.random.default_rng(1), models=5)
    right = float(np.median(accuracy(models.weights, Z, affair)))
    set_own_point(own_mark, epsilon, right)
    below = ", below this picture" if right < 0.66 else ""
    set_verdict_text(recipe_verdict, None, f"your recipe: accuracy {right:.3f}{below}")
    yours = f"multiplier {sigma:.3g}, accuracy {right:.3f}, median of 5 models"
    likelier = f"{math.exp(epsilon):.3g} times as likely, and likelier by one in a million"
    return f"{yours}; an event may be {likelier}"


recipe_figure = live(
    fig,
    your_recipe,
    "Accuracy against epsilon on a log axis for output and objective perturbation and three "
    "gradient recipes, nearly all between two level lines, majority and no privacy; a "
    "diamond for the reader's recipe.",
    task=r"at $\varepsilon = 0.1$, find a recipe (the diamond) that is above all curves. Then "
    'find one that is worse than saying "no" to everybody.',
    guess=predict(
        "Take 3 steps instead of 40 and change nothing else. What is the accuracy?",
        (0.6, 0.75), r"accuracy ([\d.]+)", steps=3,
    ),
    epsilon=choice(SHOWN, 0.1),
    steps=choice([3, 5, 10, 20, 40], 40),
    norm=choice([0.1, 0.3, 0.5, 1.0], 1.0),
    speed=choice([1, 2, 4, 10, 30], 4, label="step size × guess / 4"),
)  # fmt: skip
recipe_figure

# %% [markdown]
# Compare [3 steps](#move:steps=3) with [20 steps, clipped at 0.5](#move:steps=20&norm=0.5).
#
# **Who chose the recipe?** To try twenty recipes privately and keep the one that scores best is to make twenty
# releases, *and to look twenty times* at the data. Each score on the training records is one such look. Take one
# private model of the voters, and score it with a voter and without. Then take the best of 20 private models: how
# often does one voter decide which model wins?

# %% jupyter={"source_hidden": true}
# Computed: one model's accuracy with a voter and without, and how often one voter decides
models = dp_sgd(X, y, fifty, EPSILON, DELTA, np.random.default_rng(3), models=2_000).weights
right = (models @ X.T) * y > 0
counts = right.sum(axis=1)
first, out = counts[0], int(np.flatnonzero(right[0])[0])  # whom the first model gets right
print(f"the first model's accuracy: {first} of {n} = {first / n:.6f};", end=" ")
print(f"without voter {out} {first - 1} of {n - 1} = {(first - 1) / (n - 1):.6f}")
both = len(set(np.arange(1, n) / n) & set(np.arange(1, n - 1) / (n - 1)))
print(f"accuracies, other than 0 and 1, that {n} voters and {n - 1} can both have: {both}")
decided = 0
for twenty in np.split(np.arange(2_000), 100):
    first = twenty[np.argmax(counts[twenty])]
    without = counts[twenty][:, None] - right[twenty]  # of each model, without each voter
    decided += np.any(without.max(axis=0) > without[np.argmax(counts[twenty])])
print(f"in {decided} of 100 draws of 20 models some voter's absence lets another model win")

# %% [markdown]
# So the exact accuracy reveals with certainty which dataset it was: *no* epsilon
# covers it. What can be bought is a noisy count of right answers, which one record moves by 1. Noise of
# standard deviation 60 is one in a hundred of the women.

# %% jupyter={"source_hidden": true}
# Computed: the epsilon of 1, 5 and 20 trainings, with and without a noisy count for each
recipe, count_noise = full_steps(6_000), 60
sigma = training_multiplier(recipe, EPSILON, DELTA)
for tries in (1, 5, 20):
    together = training_epsilon(recipe._replace(steps=tries * recipe.steps), sigma, DELTA)
    mu = math.sqrt(tries * (recipe.steps / sigma**2 + 1 / count_noise**2))
    print(f"{counted(tries, 'training'):>12}: the weights alone {together:.3f};", end=" ")
    print("with a noisy count each, the best by it published:", end=" ")
    print(f"epsilon {gaussian_epsilon(mu, 1, DELTA):.3f}")

# %% [markdown]
# So: choose by a public guess, or on another, public data set; or pay for it. *Private
# selection* does better than plain accounting, for the best of a random number of tries. If the
# tries are purely $\varepsilon$-DP, the best is $3\varepsilon$-DP, and the first above a threshold
# $2\varepsilon$-DP (Liu and Talwar 2019). In RDP the factor is about two (Papernot and Steinke
# 2022). The score must be private, too.
#
# ## Three bugs that pass every accuracy test
#
# **Clip the mean.** Clip the *batch's* mean gradient to $C$ instead of each record's gradient,
# and add noise $\sigma C / m$, as for a mean of $m$ clipped records. But where gradients have no bound, one record,
# replaced or added, can turn the whole mean from $-C$ to $C$. This is $\delta$ for a single step, with the noise of 50
# steps. If no gradient is longer than 1, replacing one moves the mean by at most $2/m$: too far only for $C < 1$.

# %% jupyter={"source_hidden": true}
# Computed: the delta of one step whose mean is clipped, for 8, 64 and 512 records
for records in (8, 64, 512):
    found = gaussian_delta(2 * records, sigma_fifty, 1.0)
    print(f"{records:>3} records: mu = {2 * records / sigma_fifty:.3f},", end=" ")
    print(f"delta at epsilon 1 is {found:.5f}, claimed {amount(DELTA)}")
for norm in (0.5, 1.0):  # gradients in the unit ball: one moves the mean by at most 2 / m
    mean_clipped, each_clipped = (
        gaussian_epsilon(math.sqrt(50) * once, sigma_fifty, DELTA) for once in (2 / norm, 2)
    )
    print(f"gradients of at most 1, C = {norm}: 50 steps have epsilon", end=" ")
    print(f"{mean_clipped:.2f} (replace), with each clipped {each_clipped:.2f}")

# %% [markdown]
# **Divide by $\lfloor q n \rfloor$.** To make a mean of the noisy sum, a library divides it by
# the expected size of a batch, rounded down. But $n$ is a secret. With $q = 0.01$, one record
# more turns 499 into 500 and the divisor 4 into 5, so the *noise* shrinks by a fifth in every
# coordinate. (Opacus, versions 1.0.0 to 1.6.0, issues 571 and
# 819; erratum [S09](22_errata.ipynb#S09).) With all gradients 0, after one step, whatever $\sigma$ is:


# %%
def floor_delta(coordinates, before, after, epsilon):
    """delta between normal noise of deviation 1 / before and 1 / after (a larger divisor) in
    this many coordinates.
    """
    wide, narrow = (chi2(coordinates, scale=1 / divisor**2) for divisor in (before, after))
    cut = 2 * (epsilon + coordinates * math.log(after / before)) / (after**2 - before**2)
    return wide.sf(cut) - math.exp(epsilon + narrow.logsf(cut))


for coordinates in (1, 10, 100, 1_000):
    found = floor_delta(coordinates, 4, 5, 1.0)
    print(f"{counted(coordinates, 'weight'):>13}: delta at epsilon 1 is {found:.7f},", end=" ")
    print(f"claimed {amount(DELTA)}")

# %% [markdown]
# **Put $n$ into the step size**, as in $4 / (n/4 + \lambda)$. It is the same bug: the noise on the
# published path has standard deviation step size $\times\, \sigma C$, and now it depends on $n$. What
# does the noise of 50 steps of six weights alone reveal about one voter more?

# %% jupyter={"source_hidden": true}
# Computed: the epsilon of the noise alone with n in the step size, for 30, 200 and 944 people
for people in (30, 200, n):
    sizes = people / 4 + 1, (people + 1) / 4 + 1
    leak = brentq(lambda e, s=sizes: floor_delta(50 * d, *s, e) - DELTA, 0, 100)
    print(f"n = {people:>3}: the noise alone has epsilon {leak:.3f}, whatever sigma is")

# %% [markdown]
# None of these shows in what the model can do. (The first two bugs step along a mean, so their step size is $n$
# times, their regularisation one $n$-th of that for the sum.)

# %% jupyter={"source_hidden": true}
# Computed: the accuracy of the right training and of two broken ones
recipe = sampled_steps(6_000)
sigma = known_multiplier(recipe.steps, recipe.sampling, EPSILON)
in_mean = recipe._replace(
    regularisation=recipe.regularisation / len(Z), step_size=recipe.step_size * len(Z)
)
TRAINERS = {"train": (train, recipe), "mean clipped": (mean_clipped_training, in_mean)}
TRAINERS["floor(q n)"] = (floored_training, in_mean)
for name, (trainer, form) in TRAINERS.items():
    rngs = [np.random.default_rng(seed) for seed in range(10)]
    models = np.array([trainer(Z, affair, form, sigma, rng).weights for rng in rngs])
    scores = accuracy(models, Z, affair)
    print(f"{name:<14} accuracy {np.median(scores):.3f}, median of 10")

# %% jupyter={"source_hidden": true}
# Figure: the true epsilon of four trainings: gaussian_epsilon, and floor_delta turned round
fig, bug_ax = figure(height=2.8)
BUGS = ["as it should be", "root of 50 forgotten", "the mean is clipped", "⌊q n⌋: noise alone"]
bug_meter = meter(bug_ax, BUGS, most=20, unit="true ε at δ = 10⁻⁶, claimed 1")
bug_verdict = verdict_text(bug_ax)
RECORDS, WEIGHTS = [199, 499, 500, 999, 4_999, 19_999], [1, 3, 10, 30, 100, 1_000]


@functools.cache
def floor_epsilon(weights, *sizes):
    if sizes[0] == sizes[1]:
        return 0.0
    return brentq(lambda e: floor_delta(weights, *sizes, e) - DELTA, 0.0, 1e4, xtol=1e-6)


def bug_hunt(records, weights):
    before, after = records // 100, (records + 1) // 100
    losses = [gaussian_epsilon(mu, one_step, DELTA) for mu in (1, math.sqrt(50), 2 * records)]
    losses.append(floor_epsilon(weights, before, after))
    set_meter(bug_meter, losses, 1.0)
    broken = sum(loss > 1 + 1e-9 for loss in losses)
    words = f"{broken} of 4 above 1: n = {records:,}, {counted(weights, 'weight')}"
    set_verdict_text(bug_verdict, bool(broken == 0), words)
    floor = f"{records:,} records and one more: ⌊0.01 n⌋ goes from {before} to {after}"
    alone = f"its noise alone, on top of the 1, with epsilon {amount(losses[3])}"
    mean = f"mean clipped, and gradients without a bound, has epsilon {losses[2]:,.0f}"
    return f"{floor}, {alone}; one step, {mean}"


for records, weights in itertools.product(RECORDS, WEIGHTS):  # so that no first move waits
    bug_hunt(records, weights)

bug_figure = live(
    fig,
    bug_hunt,
    "A meter with four bars against a claimed epsilon of 1: the right training within; "
    "without the root of the steps and with the mean of unbounded gradients clipped: broken; "
    "with the floor of q n broken at first, and within for some numbers of records.",
    task="which bug gets worse with more people, and which one with more weights? When is "
    "`floor(q n)` harmless?",
    guess=predict(
        "One record joins 499; the model has 100 weights. What ε has the floor's noise alone?",
        (1, 1_000), r"with epsilon ([\d.,]+);", weights=100,
    ),
    records=choice(RECORDS, 499, label="records n"),
    weights=choice(WEIGHTS, 10),
)  # fmt: skip
bug_figure

# %% [markdown]
# ## Audit your own model
#
# Look at a trained model from the outside. Train 40,000 models of six voters with a canary and
# 40,000 without: see how well the canary's weight tells which is which. The canary has a feature of its own, so
# nobody else's gradient is in the way. Its slope is clipped in nearly every step, as $C = 0.1$. With the full batch its last
# weight has nearly the distribution $N(T \cdot \text{step} \cdot C,\; T (\text{step} \cdot \sigma C)^2)$. The whole
# guarantee is visible in one number of the *final* model.
#
# The bound is that of [21](21_audit.ipynb): the event is chosen on some models and certified on
# others, with a confidence of 95%. We take $\delta = 10^{-3}$: at $10^{-6}$ the
# claim rests on events too rare for 40,000 models.

# %%
AUDITED = 1e-3
few = X[:6, [0, 5]], y[:6]  # party and constant
joined = add_canary(*few)
apart = tuple(part[:-1] for part in joined)


def quiet_recipe(sampling):
    size = 0.1 * sampling
    return Recipe(regularisation=0.0, steps=20, sampling=sampling, step_size=size, norm=0.1)


def last_weight(recipe, sigma):
    """The mechanism under audit: the canary's weight in each of `size` models."""

    def weights(people, rng, size):
        return train(*people, recipe, sigma, rng, models=size).weights[:, -1]

    return weights


def print_audit(mechanism, models):
    found = epsilon_lower_bound(
        mechanism, joined, apart, models, np.random.default_rng(1), 0.95, delta=AUDITED
    )
    print("   ", str(found).replace(" (likelier", "\n    (likelier"))


for sampling, claimed in ((1.0, 1.0), (1.0, 2.0), (0.2, 2.0)):
    recipe = quiet_recipe(sampling)
    sigma = training_multiplier(recipe, claimed, AUDITED)
    print(f"q = {sampling:g}, claimed {claimed:g}:")
    print_audit(last_weight(recipe, sigma), 40_000)
print("without the root of the steps, claimed 1:")
print_audit(last_weight(quiet_recipe(1.0), gaussian_scale(1, 1.0, AUDITED)), 10_000)

# %% [markdown]
# The audit bounds $\varepsilon$ from below (at 95%), the account from above; the truth lies between. How much *can*
# 40,000 models prove, if every model is told apart?

# %% jupyter={"source_hidden": true}
# Computed: the most that a perfect attack on 1,000 and 40,000 models proves
for models in (1_000, 40_000):
    low, high = clopper_pearson(models, models, 0.025)[0], clopper_pearson(0, models, 0.025)[1]
    print(f"a perfect attack on {models:,} models of each kind proves", end=" ")
    print(f"at most epsilon {math.log(low / high):.4f}")

# %%
full_audit = quiet_recipe(1.0)
sigma_audit = training_multiplier(full_audit, 2.0, AUDITED)
pair_rng = np.random.default_rng(7)
audited = last_weight(full_audit, sigma_audit)
SCORES = {"canary": [audited(side, pair_rng, 10_000) for side in (joined, apart)]}
one_more, row = (X[:7, [0, 5]], y[:7]), X[6, [0, 5]] * y[6]
for norm in (0.1, 1.0):
    form = full_audit._replace(norm=norm)
    models = [
        train(*side, form, sigma_audit, pair_rng, models=10_000).weights
        for side in (one_more, few)
    ]
    SCORES[f"a voter, C = {norm:g}"] = [weights @ row for weights in models]
MOVE = full_audit.steps * full_audit.step_size * full_audit.norm
NOISE = MOVE * sigma_audit / math.sqrt(full_audit.steps)

# %% jupyter={"source_hidden": true}
# Figure: the scores of 10,000 models with the record and without, clopper_pearson of a cut
bins = np.linspace(-4, 4.5, 86)
fig, score_ax = figure(height=3.4)
names = {"trained with the record": COLOURS.other, "trained without it": COLOURS.noisy}
both_steps = [
    steps(score_ax, np.zeros(85), ink, label=name, edges=bins) for name, ink in names.items()
]
(cut_line,) = score_ax.plot([0, 0], [0, 600], "--", color=COLOURS.true, label="threshold")
x_axis(score_ax, "score, in standard deviations of the noise", (-4, 4.5))
y_axis(score_ax, "models", (0, 560))
score_verdict = verdict_text(score_ax)
legend_above(fig)


def canary_test(threshold, record):
    canary, (present, absent) = record == "canary", SCORES[record]
    scale, middle = (NOISE, 0.0) if canary else (np.std(absent), np.mean(absent))
    scores = [(side - middle) / scale for side in (present, absent)]
    for patch, side in zip(both_steps, scores, strict=True):
        set_steps(patch, np.histogram(side, bins)[0])
    cut_line.set_xdata([threshold] * 2)
    hits, alarms = (int(np.sum(side > threshold)) for side in scores)
    low = clopper_pearson(hits, 10_000, 0.025)[0]
    high = clopper_pearson(alarms, 10_000, 0.025)[1]
    proved = max(0.0, math.log((low - AUDITED) / high)) if low > AUDITED else 0.0
    words = f"ε is at least {amount(proved)} (at 95%), claimed 2"
    set_verdict_text(score_verdict, None, words)
    found = f"{hits:,} of 10,000 models with the record, {alarms:,} without"
    least = f"epsilon at least {amount(proved)} (a threshold chosen here certifies nothing)"
    return f"above the threshold: {found}: {least}"


canary_figure = live(
    fig,
    canary_test,
    "Two histograms of the score over ten thousand models each, trained with the record and "
    "without, and a threshold; with the canary they overlap, 0.7 deviations apart.",
    task="move the threshold to where the bound is highest. Then take a voter as the canary, "
    "scored along the voter's own row: clipped at 0.1 as easy to find, as a small norm "
    "pulls everybody to full length. Now $C = 1$, no clipping. Is that model more private?",
    guess=predict(
        "With 10,000 models of each kind and threshold 2.5, what ε is proved?", (0, 2),
        r"at least ([\d.]+)", threshold=2.5,
    ),
    threshold=slider(-2.0, 4.0, 0.5, 0.1),
    record=choice(list(SCORES), "canary"),
)  # fmt: skip
canary_figure

# %% [markdown]
# Is the model with $C = 1$ more private? No, the guarantee is the same. It is about the worst record, and this
# voter, with a short gradient, is not the worst. A bound near 0 proves nothing; choose the canary before you believe it.
#
# **Membership inference** asks: "was this record used?" It is the same test. A fraction of right guesses near one
# half says little; ask how many members are found at *one false alarm in a thousand*. The trade-off curve of the
# whole training ([chapter 25](25_accounting.ipynb)) bounds them all. Better attacks, an audit in one training, and
# models of text are in [31](31_memory.ipynb).

# %% jupyter={"source_hidden": true}
# Figure: the fraction of members found at each rate of false alarms, and gaussian_tradeoff
mu_audit = math.sqrt(full_audit.steps) / sigma_audit
alarms_shown = np.geomspace(1e-3, 1, 60)
best_test = 1 - gaussian_tradeoff(mu_audit, alarms_shown)


def found(name, alarms):
    """The fraction of members above the cut that gives this rate of false alarms."""
    present, absent = SCORES[name]
    exact = NOISE * ndtri(1 - alarms) if name == "canary" else np.quantile(absent, 1 - alarms)
    return np.mean(present > np.reshape(exact, (-1, 1)), axis=1)


fig, roc_ax = figure(height=3.4)
looks = {"no test can do better": "true", "canary": "other", "a voter, C = 1": "noisy -."}
rows = [best_test, *(found(name, alarms_shown) for name in list(looks)[1:])]
curves(roc_ax, alarms_shown, looks | {"guessing": "grey :"}, [*rows, alarms_shown])
x_axis(roc_ax, "false alarms", (1e-3, 1), log=True)
y_axis(roc_ax, "found", (5e-4, 1.1), log=True)
legend_above(fig, 4)
show(
    fig,
    "Members found against false alarms on log axes: the canary's curve follows the bound, "
    "that of a voter who is not clipped stays near the diagonal of guessing.",
)
print("right guesses at best, and members found at one false alarm in a thousand:")
for name, (present, absent) in SCORES.items():
    cuts = np.quantile(absent, np.arange(0.05, 1, 0.05))[:, None]
    at_best = np.max(np.mean(present > cuts, axis=1) + np.mean(absent <= cuts, axis=1)) / 2
    print(f"    {name:<17} {at_best:.3f}   {found(name, 1e-3)[0]:.4f}")
print(f"    {'allowed':<25} {1 - gaussian_tradeoff(mu_audit, 1e-3):.4f}")

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/26_gradients](../exercises/answers/26_gradients.ipynb).
#
# **Assignment 26:** [five tasks, checked in a second](../exercises/releases/26_gradients.ipynb).
#
# 1. *Warm-up.* How does the multiplier of a full batch at $(1, 10^{-6})$ grow from 1 to 100
#    steps? How does that of samples with $q = 0.1$, divided by $q$? At how many steps does
#    the sampled noise fall below twice the full one?
# 2. A step divides the noisy sum by $q$. Somebody divides the sum by $q$ *before* adding noise
#    $\sigma C$. What is the true $\varepsilon$ at $\delta = 10^{-6}$, for 500 steps with
#    $q = 0.02$ that claim 1?
# 3. Give five points whose clipped fixed point, for $C = 1$, is farther from the mean than the
#    median is.
# 4. Labels under replace: how far can changing one *label* move a clipped sum, and is that
#    less than changing the record? What is the multiplier for 50 steps at $(1, 10^{-6})$?
# 5. The RAND experiment has up to five records a person, one a year. Train "two or more visits
#    to a doctor" such that a *person* is protected: sum each person's gradients, and clip the
#    sums. What does the same noise guarantee a person if records are clipped instead?
# 6. *Challenge.* Canaries with features of their own do not disturb each other. Put 30 of them
#    into the same data, each in or out by a coin, and train 400 models. Does the pooled audit
#    prove as much as 12,000 models with one canary each? When may one not pool?
#
# A start for task 1:

# %%
for number in (1, 10, 100):
    tenth = training_multiplier(Recipe(0.0, number, 0.1, 1.0, 1.0), EPSILON, DELTA)
    full = math.sqrt(number) * one_step
    print(f"{counted(number, 'step'):>9}: full {full:.3f}, q = 0.1: {tenth:.3f}")

# %% [markdown]
# ## When to use it
#
# **Use it** when the model is trained by steps anyway; Opacus, TensorFlow Privacy and JAX Privacy
# train networks with these very steps. Use it also when $\varepsilon$ is small, or when rows have no public bound.
# **Do not** for a small convex problem with plenty of data, where objective perturbation needs no $\delta$ and one
# public number.
#
# **Check** that each *record's* gradient is clipped (a person's, if persons have many). Noise and divisor may depend
# neither on the batch's size nor on $n$, and batches that are accounted as Poisson samples must be Poisson samples.
# The account must have all steps of *all* trainings that chose the recipe. Audit the result with a canary.

#
# ## Sources and further reading
#
# The five sources of this book have no noisy gradients (Li et al. 2016, chapter 5, fits models otherwise);
# this page goes beyond them.
#
# - Shuang Song, Kamalika Chaudhuri, Anand Sarwate: *Stochastic gradient descent with
#   differentially private updates*, 2013; Raef Bassily, Adam Smith, Abhradeep Thakurta, 2014;
#   Martín Abadi and others: *Deep learning with differential privacy*, 2016.
# - Xiangyi Chen, Zhiwei Steven Wu, Mingyi Hong: *Understanding gradient clipping in private
#   SGD*, 2020.
# - Jinshuo Dong, Aaron Roth, Weijie Su: *Gaussian differential privacy*, 2022; Ilya Mironov,
#   Kunal Talwar, Li Zhang, 2019: accounts. Raef Bassily, Adam Smith, Abhradeep Thakurta: *Private
#   empirical risk minimization*, 2014: the theorem.
# - Vitaly Feldman and others: *Privacy amplification by iteration*, 2018; Rishav Chourasia,
#   Jiayuan Ye, Reza Shokri, 2021; Jason Altschuler, Kunal Talwar, 2022: the last weights.
# - Lynn Chua and others: *How private are DP-SGD implementations?*, 2024: shuffled batches.
# - Matthew Jagielski, Jonathan Ullman, Alina Oprea: *Auditing differentially private machine
#   learning*, 2020; Milad Nasr and others, 2021 and 2023; Florian Tramèr and others:
#   *Debugging differential privacy*, 2022 (a claimed 0.21, audited at 2.79 and more); Thomas Steinke,
#   Milad Nasr, Matthew Jagielski: *Privacy auditing with one training run*, 2023.
# - Reza Shokri and others, 2017; Samuel Yeom and others, 2018; Nicholas Carlini and others:
#   *Membership inference attacks from first principles*, 2022.
# - Jingcheng Liu, Kunal Talwar, 2019; Nicolas Papernot, Thomas Steinke, 2022: choosing a
#   recipe privately.
#
# `dpbook` is for learning, not for real releases ([00](00_start_here.ipynb) says why).
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [25 Accounting](25_accounting.ipynb) · **Next:** [27 Which epsilon?](27_choosing.ipynb)
