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
# # 24 The Gaussian mechanism
#
# Normal noise looks the same in every direction, Laplace noise does not. So normal noise wins where one person moves
# many numbers; the price is a second number in the guarantee, $\delta$.
#
# <details><summary>About 35 minutes, after 02 and 03: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [23 Libraries for real releases](23_production.ipynb) · **Next:** [25 Accounting](25_accounting.ipynb)
#
# **Assignment 24:** [five tasks, checked in a second](../exercises/releases/24_gaussian.ipynb)
#
# **What you will see:** what $\delta$ allows, and three things that it is not. The *profile*, which holds all
# guarantees of a mechanism at once. The smallest noise for a guarantee, and a textbook formula that asks for too
# much, then for too little.
#
# **What you will do:** push events out of the region that a guarantee allows. Make two mechanisms with the same
# $(\varepsilon, \delta)$ and see which one you would rather trust. Find the number of counts at which the Gaussian
# begins to win; make noise larger and a release less private.
#
# **You need:** [02 Composition](02_composition.ipynb) for the region of allowed events, and [03
# the Laplace mechanism](03_laplace.ipynb) for sensitivity and scale.
#
# **Time:** about 35 minutes. A good place to stop is before *The Gaussian mechanism*.
#
# **Real and synthetic:** the voters (1996 election study), the women (Fair's survey) and the
# patients (RAND health insurance experiment) are real. Nothing here is synthetic. Neighbours differ by adding or
# removing a record, unless we say *replace*.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import math

import numpy as np

from dpbook.gaussian import gaussian_epsilon, gaussian_scale
from dpbook.live import live, slider
from dpbook.plots import (
    COLOURS,
    curves,
    figure,
    meter,
    set_meter,
    set_verdict_text,
    verdict_text,
    x_axis,
    y_axis,
)

# %% jupyter={"source_hidden": true}
# Figure: the loss of a move this way: L1 / scale, and gaussian_epsilon(length, scale, delta)
EPSILON, DELTA = 1.0, 1e-6
one_scale = gaussian_scale(1, EPSILON, DELTA)
LEVELS = np.arange(0.75, 4, 0.75)
around = np.linspace(0, 2 * np.pi, 241)
fig, (square_ax, round_ax, loss_ax) = figure(columns=3, height=2.8, width_ratios=[1.7, 1.7, 3])
OUTLINES = {"normal": np.array([np.cos(around), np.sin(around)])}
OUTLINES["Laplace"] = OUTLINES["normal"] / np.abs(OUTLINES["normal"]).sum(axis=0)
shapes = {}
for ax, name, ink in ((square_ax, "Laplace", "third"), (round_ax, "normal", "noisy")):
    looks = {f"{level}{side}": f"{ink} {side}" for level in LEVELS for side in (":", "-")}
    rings = curves(ax, around, looks, linewidth=1.3)
    (arrow,) = ax.plot([0, 1], [0, 0], "-o", color=COLOURS.true, linewidth=2.5, markevery=[1])
    shapes[name] = rings, arrow
    ax.set(aspect="equal", title=f"{name} noise")
    x_axis(ax, "first number", (-3, 4), [0, 2])
    y_axis(ax, "second", (-3, 4), [0, 2])
turn_meter = meter(loss_ax, ["Laplace", "normal,\nδ = 10⁻⁶"], most=4.0, unit="ε, claimed 1")
for words in turn_meter.verdicts:
    words.set_size(10)  # narrow
turn_verdict = verdict_text(fig)


def turned(angle, length):
    way = length * np.array([math.cos(math.radians(angle)), math.sin(math.radians(angle))])
    for name, (rings, arrow) in shapes.items():
        for number, ring in enumerate(rings):
            middle = way[:, None] * (number % 2)  # odd ones are with you
            ring.set_data(*(middle + LEVELS[number // 2] * OUTLINES[name]))
        arrow.set_data([0, way[0]], [0, way[1]])
    losses = [np.abs(way).sum(), gaussian_epsilon(length, one_scale, DELTA)]
    set_meter(turn_meter, losses, 1.0)
    kept = max(losses) <= 1 + 1e-9
    words = f"a move at {angle}°: Laplace ε = {losses[0]:.2f}, normal ε = {losses[1]:.2f}"
    set_verdict_text(turn_verdict, kept, words)
    move = f"move ({way[0]:.2f}, {way[1]:.2f}): L1 {np.abs(way).sum():.3f}, L2 {length:.3f}"
    lost = f"has loss {losses[0]:.3f}, normal noise {losses[1]:.3f}"
    return f"{move}; Laplace noise for epsilon 1 {lost}"


turn_figure = live(
    fig,
    turned,
    "Two noise clouds over two released numbers, square for Laplace and round for normal "
    "noise, each with and without you. Right, a meter: only the Laplace loss grows on the "
    "diagonal.",
    task="play *direction*: you move one number, then both. Which loss changes?",
    play="angle",
    angle=slider(0, 90, 0, 5, label="direction, degrees"),
    length=slider(0.25, 1.5, 1.0, 0.25),
)
turn_figure

# %% [markdown]
# The clouds are two released numbers, with you and without you. The arrow shows how far you move them. The noise is
# set for a move of length 1 along an axis. [Along an axis](#move:angle=0&length=1) both are right; on
# [the diagonal](#move:angle=45&length=1) Laplace noise is too small.

# %% jupyter={"source_hidden": true}
# What this page imports
import functools

import pandas as pd
from matplotlib.collections import PolyCollection
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import norm

from dpbook import data
from dpbook.accounting import laplace_losses
from dpbook.amounts import amount, counted
from dpbook.gaussian import (
    classical_scale,
    discrete_gaussian_delta,
    discrete_gaussian_log_probability,
    discrete_gaussian_mechanism,
    discrete_gaussian_scale,
    discrete_gaussian_variance,
    gaussian_delta,
    gaussian_mechanism,
    group_promise,
    laplace_delta,
    privacy_profile,
    zcdp_rho,
)
from dpbook.guesses import predict
from dpbook.laplace import laplace_mechanism
from dpbook.live import choice, log_slider, show_source, switch
from dpbook.plots import (
    legend_above,
    own_point,
    set_curves,
    set_own_point,
    set_steps,
    show,
    steps,
)
from dpbook.verdict import BROKEN, WITHIN

# %% [markdown]
# ## A naive attempt that fails: sixteen private counts
#
# Ask 944 voters sixteen yes-or-no questions, and publish sixteen counts. Each count moves by 1
# when a voter joins. Somebody read that normal noise of standard deviation 4.22 makes one count
# "(1, 0.000001)-private", and adds it to each of the sixteen. Every single count is private. Are
# the sixteen together?

# %%
voters = data.election()
QUESTIONS = [  # is the answer above this?
    ("TVnews", 3), ("TVnews", 5), ("selfLR", 3), ("selfLR", 4),
    ("ClinLR", 2), ("ClinLR", 3), ("DoleLR", 4), ("DoleLR", 5),
    ("PID", 2), ("PID", 4), ("age", 35), ("age", 50),
    ("educ", 3), ("educ", 5), ("income", 10), ("income", 17),
]  # fmt: skip
yes = np.array([voters[name].values > cut for name, cut in QUESTIONS]).T
sixteen = yes.sum(axis=0)
print(f"{yes.shape[0]} voters, {yes.shape[1]} questions,", end=" ")
print(f"counts from {sixteen.min()} to {sixteen.max()}")
print(f"one voter says yes up to {yes.sum(axis=1).max()} times")
print(f"noise for one count: standard deviation {one_scale:.4f}")

# %% [markdown]
# An attacker knows everybody else's answers, and wonders whether *you* are among the voters. He adds up how far the
# counts exceed what they would be without you. Your sixteen votes add up; the noise partly cancels. Suppose you said
# yes each time. How often is the sum far too high, in twenty thousand releases with you and as many without?

# %% jupyter={"source_hidden": true}
# Computed: how often the sum of sixteen counts is far too high, with you and without you
rng = np.random.default_rng(1)
border = 8 + EPSILON * one_scale**2
exact = {}
for name, middle in (("without you", 0), ("with you", 16)):
    sums = middle + rng.normal(scale=one_scale, size=(20_000, 16)).sum(axis=1)
    exact[name] = norm.sf(border, middle, 4 * one_scale)
    seen = f"{np.mean(sums > border):.4f} of the releases, exactly {exact[name]:.4f}"
    print(f"{name:<12} sum above {border:.1f}: {seen}")
present, absent = exact["with you"], exact["without you"]
print(f"claimed: at most e times {absent:.4f} plus {amount(DELTA)}, which is", end=" ")
print(f"{math.exp(EPSILON) * absent + DELTA:.4f}")
print(f"so delta would have to be {present - math.exp(EPSILON) * absent:.4f}")

# %% [markdown]
# That is a hundred thousand times the claimed $\delta$. Two things are missing: what the second
# number means, and how noise must grow with the number of counts. (With Laplace noise it would
# have to grow 16-fold. Here it will be fourfold, and that is what this page is about.)
#
# ## What delta means
#
# A mechanism $M$ is **$(\varepsilon, \delta)$-differentially private** if for all neighbours
# and every set $T$ of outputs
#
# $$\Pr[M(D) \in T] \le e^{\varepsilon}\, \Pr[M(D') \in T] + \delta .$$
#
# $\delta$ is an allowance: an amount of probability by which the comparison may fail. In the picture of
# [02](02_composition.ipynb), each event is a point $(p', p)$, its probabilities without and with you. The allowed
# region is a rhombus, and $\delta$ moves its four sides outwards. Now even the corner $(0, \delta)$ is allowed: an
# event that never happens without you.
#
# The dots below are events of a count with normal noise, *the release exceeds* $x$ and *it
# does not*, for many $x$. All other events lie between the two curves.


# %%
def region_edge(epsilon, delta):
    """The outline of the allowed region: its lower edge, and back along its upper edge."""
    p = np.unique(np.concatenate([np.linspace(0, 1, 201), np.geomspace(1e-9, 0.2, 60)]))
    flat = (p - delta) * math.exp(-epsilon)
    steep = 1 - delta - (1 - p) * math.exp(epsilon)
    low = np.maximum(0, np.maximum(flat, steep))
    return np.concatenate([np.column_stack([p, low]), np.column_stack([1 - p, 1 - low])])


def small(delta):
    """A delta in words. Gaussian noise never has delta 0: tiny values are "below 10⁻¹²"."""
    return amount(delta) if delta >= 1e-12 else "below 10⁻¹²"


# %% jupyter={"source_hidden": true}
# Figure: the events of two normal distributions one apart; gaussian_delta(1, scale, epsilon)
CUTS = np.linspace(-16, 16, 240)  # in standard deviations, from the middle
fig, both_axes = figure(columns=2, height=3.4)
regions, inside, outside = [], [], []
for ax, most in zip(both_axes, (1.02, 0.12), strict=True):
    regions.append(PolyCollection([[(0, 0), (1, 1)]], facecolor=COLOURS.pale, label="allowed"))
    ax.add_collection(regions[-1])
    dots = curves(
        ax, [0], {"event": "noisy .", "event that breaks it": "other x"}, markersize=5
    )
    inside, outside = [*inside, dots[0]], [*outside, dots[1]]
    ax.set_aspect("equal")
    x_axis(ax, "probability without you, $p'$", (-0.02 * most, most))
    y_axis(ax, "probability with you, $p$", (-0.02 * most, most))
both_axes[1].set_title("the corner, enlarged", loc="right", fontsize=10)
legend_above(fig)
shift_verdict = verdict_text(both_axes[0])


def shifted(scale, epsilon, delta):
    cuts = 0.5 + scale * CUTS
    p, q, below_p, below_q = ndtr(np.array([1 - cuts, -cuts, cuts - 1, cuts]) / scale)
    # an event is out with its complement
    ways = ((p, q), (q, p), (below_p, below_q), (below_q, below_p))
    excess = [one - math.exp(epsilon) * other for one, other in ways]
    out = np.tile(np.max(excess, axis=0) > delta * (1 + 1e-9), 2)
    events = np.array([np.append(q, below_q), np.append(p, below_p)])
    for region, kept, broken in zip(regions, inside, outside, strict=True):
        region.set_verts([region_edge(epsilon, delta)])
        kept.set_data(*events[:, ~out])
        broken.set_data(*events[:, out])
    least = gaussian_delta(1, scale, epsilon)
    said = WITHIN if least <= delta else BROKEN
    words = f"δ is {small(least)}, claimed {amount(delta)}: {said}"
    set_verdict_text(shift_verdict, said, words)
    smallest = f"the smallest δ at ε = {epsilon:.3g} is {small(least)}"
    return f"standard deviation {scale:.3g}: {smallest}"


shift_figure = live(
    fig,
    shifted,
    "Two squares of events with the allowed region in grey, its four sides moved out by "
    "delta; dots are events of a normal count, crosses those outside it. Right, one "
    "corner.",
    task=r"set $\delta$ to 0: for every $\varepsilon$ and every scale some event leaves the "
    r"region (look at the corners). Which $\delta$ brings all of them back?",
    guess=predict(
        "With standard deviation 2, what is the smallest δ at ε = 1?", (0.001, 1),
        r"is ([\d.e-]+)$", scale=2.0,
    ),
    scale=slider(0.4, 5.0, 1.0, 0.1, label="standard deviation"),
    epsilon=slider(0.1, 3.0, 1.0, 0.1),
    delta=choice([0, 1e-6, 1e-3, 0.01, 0.03, 0.1, 0.13, 0.2], 0.03),
)  # fmt: skip
shift_figure

# %% [markdown]
# With $\delta = 0$ single outputs were enough (02): an event can only be as bad as its worst
# output. With $\delta > 0$ they are not. With $p$ and $q$ the probabilities with and without you, the worst event
# holds *all* outputs with $p(y) > e^\varepsilon q(y)$. The smallest $\delta$ is the sum of these excesses:
#
# $$\delta(\varepsilon) = \sum_y \big(p(y) - e^\varepsilon q(y)\big)_+ \qquad\text{or the integral; the larger of both directions.}$$
#
# We compute it for a table of two distributions, by hand and by the book's function:

# %% jupyter={"source_hidden": true}
# Computed: the smallest delta of two distributions, by hand and by privacy_profile
with_you, without_you = np.array([0.50, 0.30, 0.15, 0.05]), np.array([0.25, 0.30, 0.25, 0.20])
for epsilon in (0.0, 0.5, 1.0):
    ways = [(with_you, without_you), (without_you, with_you)]
    sums = [np.maximum(one - math.exp(epsilon) * other, 0).sum() for one, other in ways]
    found = privacy_profile(np.log(with_you), np.log(without_you), epsilon)
    print(f"epsilon {epsilon}: with against without {sums[0]:.4f},", end=" ")
    print(f"without against with {sums[1]:.4f}, profile {found:.4f}")
    assert math.isclose(found, max(sums), abs_tol=1e-12)

# %% [markdown]
# ## Three things that delta is not
#
# **It is not the probability that privacy fails.** Take the loss $\ln(p/q)$ of the output that
# was drawn. For normal noise that is just $(1, 10^{-6})$-private:

# %% jupyter={"source_hidden": true}
# Computed: the probability of a loss above epsilon, and Markov's bound
mu = 1 / one_scale
above = norm.sf(EPSILON, mu**2 / 2, mu)
print(f"probability of a loss above {EPSILON:g}: {amount(above)} = {above / DELTA:.1f} delta")
for more in (0.1, 0.5, 1.0):
    seen, bound = norm.sf(EPSILON + more, mu**2 / 2, mu), DELTA / -math.expm1(-more)
    print(f"probability of a loss above {EPSILON + more:.1f}: {small(seen)},", end=" ")
    print(f"at most delta / (1 - e^-{more}) = {amount(bound)}")

# %% [markdown]
# So "with probability $1 - \delta$ it is $\varepsilon$-private" is false: a larger loss is some twenty times likelier
# than $\delta$. Of an output with a loss a little above $\varepsilon$, most is covered by $e^\varepsilon q$, and
# $\delta$ pays only the rest. (The converse holds. If a loss above $\varepsilon$ has probability at most $\delta$,
# the release is $(\varepsilon, \delta)$-private. About larger losses $\delta$ gives Markov's bound, last in each
# line.)
#
# **It is not the whole guarantee.** Compare two mechanisms with the same $(\varepsilon, \delta)$. One is a count with
# normal noise. The other is "randomized response ([07](07_local.ipynb): the truth with odds $e^\varepsilon$), but with
# probability $\delta$ print the record".
#
# **It does not know how many you are.** Printing each record with probability $\delta$ is
# $(0, \delta)$-private. "Delta below one over the number of records" is the usual advice, but at $\delta = 1/n$
# somebody is printed more often than not:

# %% jupyter={"source_hidden": true}
# Computed: the probability that somebody is printed, for four values of delta
n = len(voters["vote"])
for delta in (1 / n, 1 / n**1.5, 1e-6, 1e-9):
    somebody = -math.expm1(n * math.log1p(-delta))
    print(f"delta {amount(delta)}: somebody of the {n} voters is printed", end=" ")
    print(f"with probability {amount(somebody)}")

# %% [markdown]
# ## The profile: all guarantees at once
#
# A mechanism does not have *one* $(\varepsilon, \delta)$. It has a curve of them,
# $\delta(\varepsilon)$, its **privacy profile**. (In the literature each value is a *hockey-stick
# divergence* of the two distributions.) It falls, and it is convex in
# $e^\varepsilon$. At $\varepsilon = 0$ it is the total variation distance of the two
# distributions: the most that they differ on any event. Where it reaches 0, the guarantee is pure.

# %%
show_source(privacy_profile)

# %% [markdown]
# All four curves below pass through one point, the $(\varepsilon, \delta)$ of your choice.

# %%
axis_epsilons = np.linspace(0, 6, 241)


def response_profile(odds, epsilons):
    """The profile of an answer that is true with e^odds times the probability of a lie."""
    return np.maximum(0, (math.exp(odds) - np.exp(epsilons)) / (1 + math.exp(odds)))


def profiles(epsilon, delta):
    """The four profiles through (epsilon, delta)."""
    pure_laplace = epsilon - 2 * math.log1p(-delta)
    pure_response = math.log((delta + math.exp(epsilon)) / (1 - delta))
    printing = delta + (1 - delta) * response_profile(epsilon, axis_epsilons)
    return {
        "normal noise": gaussian_delta(1, gaussian_scale(1, epsilon, delta), axis_epsilons),
        "Laplace noise": laplace_delta(pure_laplace, 1, axis_epsilons),
        "randomized response": response_profile(pure_response, axis_epsilons),
        "response, or print the record": printing,
    }


# %% jupyter={"source_hidden": true}
# Figure: profiles(epsilon, delta): four mechanisms whose curves meet in one point
fig, profile_ax = figure(height=3.4)
KINDS = {
    "normal noise": "noisy",
    "Laplace noise": "third --",
    "randomized response": "amber -.",
    "response, or print the record": "other :",
}
profile_lines = curves(profile_ax, axis_epsilons, KINDS, linewidth=2.2)
chosen_point = own_point(profile_ax, colour=COLOURS.true, zorder=5)
x_axis(profile_ax, "ε", (0, 6))
y_axis(profile_ax, "smallest δ (log scale)", (1e-14, 2), log=True)
profile_verdict = verdict_text(profile_ax)
legend_above(fig, 2)


def through_a_point(epsilon, delta):
    found = profiles(epsilon, delta)
    set_curves(profile_lines, [np.maximum(found[name], 1e-300) for name in KINDS])
    set_own_point(chosen_point, epsilon, delta)
    half, far = (int(np.argmin(np.abs(axis_epsilons - e))) for e in (epsilon / 2, 2 * epsilon))
    normal, printer = found["normal noise"], found["response, or print the record"]
    words = f"normal {small(normal[far])}, printer still {amount(printer[far])}"
    set_verdict_text(profile_verdict, None, f"at twice your ε: {words}")
    laplace = f"Laplace noise {amount(found['Laplace noise'][half])}"
    needs = f"the normal noise needs δ = {small(normal[half])}, {laplace}"
    return f"at ε = {axis_epsilons[half]:.3g} {needs}"


profile_figure = live(
    fig,
    through_a_point,
    "Smallest delta against epsilon on a log scale for four mechanisms through one point: "
    "normal noise falls smoothly, Laplace and response drop to 0 beyond the point, the "
    "printer stays.",
    task="move the point, and look to the right of it. Which curve goes down, and which never "
    r"does? At half your $\varepsilon$, which mechanism needs the smallest δ?",
    epsilon=slider(0.2, 3.0, 1.0, 0.1),
    delta=choice([1e-9, 1e-6, 1e-4, 1e-2], 1e-6),
)
profile_figure

# %% jupyter={"source_hidden": true}
# Computed: what a delta does to the scale of Laplace noise, and delta at four epsilons
pure = EPSILON - 2 * math.log1p(-DELTA)
print(f"Laplace noise at ({EPSILON:g}, {amount(DELTA)}): scale {1 / pure:.7f},", end=" ")
print(f"without a delta {1 / EPSILON:.7f}")
for epsilon in (0.5, 1.0, 2.0, 6.0):
    normal = gaussian_delta(1, one_scale, epsilon)
    printer = DELTA + (1 - DELTA) * response_profile(EPSILON, epsilon)
    print(f"smallest delta at epsilon {epsilon}: normal noise {small(normal)},", end=" ")
    print(f"response or print {amount(printer)}")

# %% [markdown]
# A $\delta$ buys Laplace noise next to nothing: its profile drops to 0 like a cliff, and its scale hardly shrinks.
# The curve of "response or print" never falls below $\delta$: a catastrophe that no $\varepsilon$ covers. The
# Gaussian has the *same pair* and no such event. The pair alone cannot tell them apart. Compare
# [a large delta](#move:delta=0.01) with [a small one](#move:delta=1e-9).
#
# **Post-processing** never raises the profile: merge some outputs to one, and the sum of
# $(\cdot)_+$ becomes the $(\cdot)_+$ of a sum, which is no larger. Here
# the 28 outputs of a rounded normal count are merged into three blocks:

# %% jupyter={"source_hidden": true}
# Computed: the profile of a rounded count, and of one merged to three blocks
edges = np.concatenate([[-np.inf], np.arange(-13, 14), [np.inf]])
pair = [np.diff(norm.cdf(edges, middle, 2.0)) for middle in (0, 1)]
at = np.array([0, 0.25, 0.5, 1.0])
rows = {"before rounding": gaussian_delta(1, 2.0, at)}
for name, size in (("nothing merged", 1), ("three blocks", 10)):
    one, other = (np.log(np.bincount(np.arange(28) // size, law)) for law in pair)
    rows[name] = privacy_profile(one, other, at)
pd.DataFrame(rows, index=["epsilon 0", "0.25", "0.5", "1"]).T.map("{:.5f}".format)

# %% [markdown]
# **Groups.** Five records together are five steps between neighbours. The chain gives
# $5\varepsilon$ and $\delta\,(1 + e^\varepsilon + \dots + e^{4\varepsilon})$, and *not*
# $5\delta$. For a mechanism whose profile is known one can do better. For normal noise, a group of five is one record
# with five times the sensitivity.

# %% jupyter={"source_hidden": true}
# Computed: the guarantee of groups of 1, 2 and 5 records, by the chain and exactly
half_scale = gaussian_scale(1, 0.5, DELTA)
for size in (1, 2, 5):
    chain = group_promise(size, 0.5, DELTA)
    own = gaussian_delta(size, half_scale, chain.epsilon)
    found = gaussian_epsilon(size, half_scale, DELTA)
    by_chain = f"({chain.epsilon:g}, {amount(chain.delta)}) by the chain"
    print(f"group of {size}: {by_chain}; exact delta {amount(own)},", end=" ")
    print(f"or epsilon {found:.4f} at {amount(DELTA)}")

# %% [markdown]
# ## The idea: length instead of steps
#
# Laplace noise counts how far an answer moves *step by step*: the **L1 sensitivity**, the sum
# of the absolute changes of all its numbers. Normal noise is the same in every direction. So only
# the *length* of the move matters: the **L2 sensitivity**, the root of the sum of squares. For sixteen counts of one voter that is $\sqrt{16} = 4$ instead of 16.

# %%
HEIGHT, K = 8, 16


def moves(entries, size):
    """The L1 and the L2 length of a change of so many entries, each by `size`."""
    change = np.full(entries, float(size))
    return np.abs(change).sum(), np.linalg.norm(change)


TABLE = {
    "one count": (moves(1, 1), moves(1, 1)),
    "histogram": (moves(1, 1), moves(2, 1)),
    f"tree of {HEIGHT} levels, root not published": (moves(HEIGHT, 1), moves(2 * HEIGHT, 1)),
    f"{K} counts of the same people": (moves(K, 1), moves(K, 1)),
    "five records of a person in ONE count": (moves(1, 5), moves(1, 5)),
    "five records of a person in five counts": (moves(5, 1), moves(5, 1)),
    "a sum of values from -1 to 1": (moves(1, 1), moves(1, 2)),
}
heads = pd.MultiIndex.from_product([["add/remove", "replace"], ["L1", "L2"]])
pd.DataFrame([added + replaced for added, replaced in TABLE.values()], TABLE, heads).round(3)

# %% [markdown]
# Two traps are in this table. Five records in *one* count move it by 5, in L1 and in L2:
# nothing is gained. And a histogram under replace moves two bins by 1 each: $\sqrt 2$ in L2,
# not 2.
#
# **Why length is enough.** Look at the figure at the top of the page again, and turn the axes so
# that the move lies along the first one. Normal noise looks the same after the turn. The other
# coordinates have the same distribution with and without you and can be forgotten. What remains is
# *one* number, moved by the length. Laplace noise has level lines with corners, and no such symmetry.

# %% [markdown]
# ## The Gaussian mechanism
#
# Add normal noise of standard deviation $\sigma$ to each number, and let
# $\mu = \Delta_2 / \sigma$, where $\Delta_2$ is the L2 sensitivity. Along the line of the move
# the two output distributions are $N(0, 1)$ and $N(\mu, 1)$ (in units of $\sigma$). The log ratio of the second to
# the first at $x$ is $\mu x - \mu^2/2$. Under the second it is itself normal, with mean $\mu^2/2$ and variance
# $\mu^2$. It exceeds $\varepsilon$ where $x > \varepsilon/\mu + \mu/2$. So the worst event is a half line, and
#
# $$\delta(\varepsilon) = \Phi\!\left(\frac{\mu}{2} - \frac{\varepsilon}{\mu}\right)
#   - e^{\varepsilon}\, \Phi\!\left(-\frac{\mu}{2} - \frac{\varepsilon}{\mu}\right) ,$$
#
# with $\Phi$ the normal distribution function. It is exact, in both directions and in every dimension, and smaller
# for a shorter move (Balle and Wang 2018, Theorem 8). That is the whole proof. The smallest $\sigma$ for a given
# $(\varepsilon, \delta)$ is the root of $\delta(\varepsilon) = \delta$, found by search and rounded *up*. This is the
# **analytic Gaussian mechanism**.

# %%
show_source(gaussian_mechanism)
show_source(gaussian_scale)

# %%
scale = gaussian_scale(1, EPSILON, DELTA)
kept, broken = (gaussian_delta(1, one, EPSILON) for one in (scale, scale * (1 - 1e-6)))
print(f"one count:     scale {scale:.6f}, delta({EPSILON:g}) = {amount(kept, 12)}")
print(f"a hair less:   delta({EPSILON:g}) = {amount(broken, 12)}")
four = gaussian_scale(4, EPSILON, DELTA)
print(f"sixteen counts: scale {four:.4f}, {four / scale:.3f} times as much")
noisy = gaussian_mechanism(sixteen, 4, EPSILON, DELTA, np.random.default_rng(3))
print("true    ", sixteen)
print("released", noisy.round().astype(int))

# %% [markdown]
# **How exact is it?** All $k$ numbers together are within $\sigma \sqrt{2 \ln(2k/\beta)}$ of the truth
# with probability at least $1 - \beta$, whatever the data. For normal noise exceeds $t\sigma$ with probability at
# most $e^{-t^2/2}$ on either side, and there are $k$ numbers.

# %% jupyter={"source_hidden": true}
# Computed: within how many people all sixteen counts are, by the theorem and in 2,000 releases
beta = 0.05
within = four * math.sqrt(2 * math.log(2 * 16 / beta))
worst = []
for seed in range(2_000):
    noisy = gaussian_mechanism(sixteen, 4, EPSILON, DELTA, np.random.default_rng(seed))
    worst.append(np.abs(noisy - sixteen).max())
print(f"sixteen counts: all within {within:.1f} people in 95 of 100 releases,", end=" ")
print(f"by the theorem; of 2,000 releases {np.mean(np.array(worst) <= within):.4f}")

# %% [markdown]
# ### The classical formula, and where it stops
#
# Before the exact profile was used, textbooks gave $\sigma = \sqrt{2 \ln(1.25/\delta)}\, \Delta_2/\varepsilon$ (Dwork
# and Roth 2014, Theorem A.1). Its proof bounds the probability of a loss above $\varepsilon$, and needs
# $\varepsilon < 1$. `classical_scale` refuses any other. The formula itself does not: what happens there?

# %%
ratio_epsilons = np.geomspace(0.1, 50, 120)


def formula(epsilon, delta):
    """The classical formula where its proof does not reach."""
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


@functools.cache
def classical_curves(delta):
    """At every epsilon the formula over the exact scale, its true delta; where it breaks."""
    exact = np.array([gaussian_scale(1, e, delta) for e in ratio_epsilons])
    truths = np.array([gaussian_delta(1, formula(e, delta), e) for e in ratio_epsilons])
    # the ratio falls through 1 between these two
    first = brentq(lambda e: gaussian_delta(1, formula(e, delta), e) - delta, 1.0, 50.0)
    return formula(ratio_epsilons, delta) / exact, truths, first


# %% jupyter={"source_hidden": true}
# Figure: gaussian_delta(1, formula(epsilon, delta), epsilon): the true delta of the formula
fig, (ratio_ax, true_ax) = figure(columns=2, height=3.3)
ratio_lines = curves(ratio_ax, ratio_epsilons, {"": "true"})
ratio_ax.plot([1, 1], [0, 4], "--", color=COLOURS.grey, label="proved up to here")
broken_from = own_point(ratio_ax, "BROKEN from here", "X", markersize=10, zorder=5)
now_ratio = own_point(ratio_ax, "your ε", colour=COLOURS.noisy, markersize=8)
ratio_ax.axhline(1, color=COLOURS.grey, linewidth=0.8)
true_looks = {"truth": "true", "claimed": "other --"}
true_lines = curves(true_ax, ratio_epsilons, true_looks, ends=True)
now_true = own_point(true_ax, colour=COLOURS.noisy, markersize=8)
x_axis([ratio_ax, true_ax], "ε", (0.1, 60), [0.1, 1, 10], log=True)
y_axis(ratio_ax, "classical / exact scale", (0.4, 2.6))
y_axis(true_ax, "δ (log scale)", (1e-16, 1), log=True)
classical_verdict = verdict_text(ratio_ax)
legend_above(fig)


def classical(epsilon, delta):
    ratios, truths, first = classical_curves(delta)
    truth, used = gaussian_delta(1, formula(epsilon, delta), epsilon), formula(epsilon, delta)
    set_curves(ratio_lines, [ratios])
    set_curves(true_lines, [np.maximum(truths, 1e-300), delta])
    set_own_point(broken_from, first, 1)
    set_own_point(now_ratio, epsilon, used / gaussian_scale(1, epsilon, delta))
    set_own_point(now_true, epsilon, truth)
    state = "proved" if epsilon < 1 else "not proved, but safe" if truth <= delta else BROKEN
    set_verdict_text(classical_verdict, None, f"ε = {epsilon:.3g}: {state}")
    true = f"the formula's true δ is {small(truth)}, claimed {amount(delta)}"
    return f"{true}; BROKEN above ε = {first:.3f}"


classical_figure = live(
    fig,
    classical,
    "Left: the classical scale over the exact one, above 1 for small epsilon and below 1 "
    "from a cross between 7 and 10 on. Right: the formula's true delta, at last above the "
    "claimed line.",
    task="go to the right until the cross. Is the formula broken as soon as its proof is?",
    guess=predict(
        "The formula is proved below ε = 1. Above which ε does it break at δ = 10⁻⁹?", (1, 50),
        r"above ε = ([\d.]+)", delta=1e-9,
    ),
    epsilon=log_slider(0.1, 50, 1.0),
    delta=choice([1e-9, 1e-6, 1e-5, 1e-3], 1e-6),
)  # fmt: skip
classical_figure

# %% jupyter={"source_hidden": true}
# Computed: where the classical formula breaks, and its true delta at four epsilons
for delta in (1e-3, 1e-5, 1e-6, 1e-9):
    first = classical_curves(delta)[2]
    print(f"delta {amount(delta)}: the formula breaks above epsilon {first:.3f}")
for epsilon in (1.0, 10.0, 20.0, 50.0):
    truth = gaussian_delta(1, formula(epsilon, 1e-6), epsilon)
    print(f"epsilon {epsilon:>4g}, claimed {amount(1e-6)}: true delta {amount(truth, 2)}")

# %% [markdown]
# So "broken above 1" is not true, and "safe, everybody uses it" is not true either. Below 1 it wastes noise, from
# there to the cross it is safe by luck, and then it fails. The exact scale is one function call.
#
# ## Whole numbers: the discrete Gaussian
#
# Counts are whole. Rounding a noisy count is post-processing and fine on paper. The **discrete
# Gaussian** is whole from the start: $z$ has probability proportional to $e^{-z^2 / (2\sigma^2)}$
# (Canonne, Kamath, Steinke 2020). It can be drawn without the rounding of doubles that
# [21](21_audit.ipynb) attacks. Its variance is *below* $\sigma^2$: by 14% at $\sigma = 0.5$, by less than a millionth at 1 and above.
# Its profile for counts, and for histograms under add/remove, is a sum over whole numbers.

# %%
scale_axis = np.linspace(0.3, 5, 236)


@functools.cache
def lattice_curves(epsilon):
    """The true delta at each scale: of whole-number noise, and of normal noise."""
    discrete = [discrete_gaussian_delta(s, epsilon) for s in scale_axis]
    normal = [gaussian_delta(1, s, epsilon) for s in scale_axis]
    return np.maximum(discrete, 1e-300), np.array(normal)  # a log axis has no 0


# %% jupyter={"source_hidden": true}
# Figure: the probabilities of whole-number noise; discrete_gaussian_delta(scale, epsilon)
lattice, fine = np.arange(-14, 15), np.linspace(-14, 14, 400)
fig, (bars_ax, lattice_ax) = figure(columns=2, height=3.3)
bars = {"edges": np.arange(-14, 16) - 0.5, "fill": True}
whole_bars = steps(bars_ax, np.zeros(29), COLOURS.light, "discrete", **bars)
density = curves(bars_ax, fine, {"normal density": "true"})
x_axis(bars_ax, "noise z", (-10, 10))
y_axis(bars_ax, "probability", (0, 1.4))
lattice_looks = {"discrete": "noisy", "continuous": "true --"}
lattice_lines = curves(lattice_ax, scale_axis, lattice_looks, ends=True)
lattice_now = own_point(lattice_ax, "your scale", markersize=8)
x_axis(lattice_ax, "scale", (0.3, 5))
y_axis(lattice_ax, "δ at this ε (log scale)", (1e-9, 4), log=True)
whole_verdict = verdict_text(bars_ax)
legend_above(fig)


def whole_numbers(scale, epsilon):
    weights = np.exp(-(lattice**2) / (2 * scale**2))
    set_steps(whole_bars, weights / weights.sum())
    set_curves(density, [norm.pdf(fine, scale=scale)])
    set_curves(lattice_lines, lattice_curves(epsilon))
    found = discrete_gaussian_delta(scale, epsilon)
    set_own_point(lattice_now, scale, found)
    smooth = small(gaussian_delta(1, scale, epsilon))
    set_verdict_text(whole_verdict, None, f"δ: discrete {small(found)}, continuous {smooth}")
    variance = amount(discrete_gaussian_variance(scale))
    return f"scale {scale:.3g}: variance {variance} for {amount(scale**2)}; ε = {epsilon:g}"


EPSILONS = [0.5, 1, 2, 3, 5]
for each in EPSILONS:  # so that no first move waits
    lattice_curves(each)

whole_figure = live(
    fig,
    whole_numbers,
    "Left: bars of the discrete Gaussian over whole numbers with the normal density. Right: "
    "delta against the scale, smooth for continuous noise and with bumps for whole numbers.",
    task=r"at scale 0.5 compare the bars with the curve. Then go to $\varepsilon = 3$ and "
    r"move the scale from 0.75 to 0.8: more noise. What does $\delta$ do?",
    scale=slider(0.3, 5.0, 0.5, 0.05),
    epsilon=choice(EPSILONS, 1, label="at epsilon"),
)
whole_figure

# %% [markdown]
# On whole numbers a larger scale can be *less* private: see the bumps. (Over one bump the worst event is the same set
# of outputs. More noise makes it likelier, and $\delta$ rises. Then its probability without you, times
# $e^\varepsilon$, grows faster, and $\delta$ falls.) So the scale is searched for, not computed from another:

# %%
show_source(discrete_gaussian_mechanism)

# %% jupyter={"source_hidden": true}
# Computed: scales and deltas of whole-number noise, and a table released with it
for epsilon, low, high in ((3, 0.71, 0.8), (12, 0.205, 0.335)):
    less, more = (amount(discrete_gaussian_delta(s, epsilon), 2) for s in (low, high))
    print(f"epsilon {epsilon}: scales {low} and {high}: delta {less} and {more}")
below = [1 - discrete_gaussian_variance(s) / s**2 for s in (0.5, 1)]
print(f"variance below scale squared: by {below[0]:.0%} at 0.5, by {amount(below[1], 2)} at 1")
found = discrete_gaussian_delta(scale, EPSILON)
print(f"at the continuous scale {scale:.6f}: delta {amount(found, 6)}, a little too much")
whole, replaced = (discrete_gaussian_scale(s, EPSILON, DELTA) for s in (1, math.sqrt(2)))
print(f"smallest whole-number scale: {whole:.6f}")
print(f"for a histogram under replace (by zCDP, chapter 25): {replaced:.4f},")
print(f"where continuous noise needs {gaussian_scale(math.sqrt(2), EPSILON, DELTA):.4f}")
promise = {"sensitivity": 1, "epsilon": EPSILON, "delta": DELTA}
outputs = np.arange(-60, 62)
both = [discrete_gaussian_log_probability(outputs, count, **promise) for count in (0, 1)]
found = privacy_profile(*both, EPSILON)
print(f"delta({EPSILON:g}) over all outputs, both directions: {amount(found, 9)}")
women = data.affairs()
pairs = women["religious"].values, women["rate_marriage"].values
table = np.histogram2d(*pairs, [range(1, 6), range(1, 7)])[0].astype(int)
print("women by religion (rows) and happiness of the marriage (columns),", end=" ")
print("first row true and released:")
noisy = discrete_gaussian_mechanism(table, rng=np.random.default_rng(4), **promise)
print(table[0], noisy[0])

# %% [markdown]
# **Many numbers, and sums of them.** With several counts of a person the axes cannot be turned: whole-number noise
# differs by direction. Still, the discrete Gaussian keeps $\rho = \Delta_2^2 / (2\sigma^2)$ of zCDP
# ([25](25_accounting.ipynb)) for every shift by whole numbers, as the continuous one does, and rhos add up. But the
# sum of two discrete Gaussians is not one. How far is it from the discrete Gaussian of twice the variance?

# %% jupyter={"source_hidden": true}
# Computed: how far the sum of two discrete Gaussians is from a discrete Gaussian
whole = np.arange(-80, 81)
for each in (0.3, 0.5, 0.7, 1.0):
    alone, together = (np.exp(-(whole**2) / (2 * k * each**2)) for k in (1, 2))
    summed = np.convolve(alone / alone.sum(), alone / alone.sum(), "same")
    apart = np.abs(summed - together / together.sum()).sum() / 2
    print(f"scale {each}: total variation distance of the sum {amount(apart, 2)}")

# %% [markdown]
# At scale 1 and above the difference is small, and it is never zero. If you add up the noise of many
# parties, you must account for it (Kairouz, Liu, Steinke 2021). The **TopDown algorithm** of the US
# Census of 2020 adds discrete Gaussian noise to counts at each level from nation to block. Each level
# and query has its part of $\rho$. Then it fits consistent tables of whole numbers of at least 0. That is
# post-processing and costs no privacy, but it biases small counts upwards. Page
# [27](27_choosing.ipynb) has the numbers of its $\rho$.
#
# ## Against Laplace, honestly
#
# Take $k$ counts of the same people, $(1, 10^{-6})$ in all. Laplace noise needs scale $k$, a standard deviation of
# $\sqrt 2\, k$; normal noise $4.22 \sqrt k$. But that comparison is not fair: it gives the Gaussian a $\delta$ and
# good accounting, and Laplace neither. With the same $\delta$, the exact loss distribution of $k$ Laplace releases is
# known too ([25](25_accounting.ipynb)). The switch makes the comparison fair.

# %%
KS = [1, 2, 3, 4, 6, 8, 9, 10, 12, 20, 30, 60, 100, 300, 1_000]


def accounted_laplace_scale(k):
    """The smallest Laplace scale for k counts at (1, 1e-6): pure for few, by the distribution
    of the total loss for many.
    """
    low, high = 1 / k, 8 / k  # in 1 / scale: the pure scale is always enough
    for _ in range(13):
        middle = (low + high) / 2
        total = laplace_losses(middle, 1, middle / 64).repeat(k).epsilon(DELTA)
        low, high = (middle, high) if total <= EPSILON else (low, middle)
    return 1 / low


own_scales = np.array([accounted_laplace_scale(k) for k in KS])

# %% jupyter={"source_hidden": true}
# Figure: the error of each of k counts, with Laplace's noise and with normal noise
fig, wins_ax = figure(height=3.4)
wins_lines = curves(wins_ax, KS, {"Laplace": "third s--", "normal": "noisy o-"}, markersize=5)
here_line = wins_ax.plot([1, 1], [0.5, 3000], ":", color=COLOURS.true, label="your k")[0]
x_axis(wins_ax, "counts of the same people, k", (0.9, 1_100), [1, 10, 100, 1_000], log=True)
y_axis(wins_ax, "error of each count, people", (0.8, 2_000), [1, 10, 100, 1_000], log=True)
wins_verdict = verdict_text(wins_ax)
legend_above(fig)
FACTORS = {
    "standard deviation": (math.sqrt(2), 1),
    "mean absolute": (1, math.sqrt(2 / math.pi)),
}


def who_wins(k, error, laplace_accounted):
    of_laplace, of_normal = FACTORS[error]
    laplace = of_laplace * (own_scales if laplace_accounted else np.array(KS, float))
    normal = of_normal * one_scale * np.sqrt(KS)
    set_curves(wins_lines, [laplace, normal])
    here_line.set_xdata([k, k])
    one, other = laplace[KS.index(k)], normal[KS.index(k)]
    winner, counts = ("normal" if other < one else "Laplace"), counted(k, "count")
    errors = " against ".join(amount(found, 4) for found in sorted((one, other)))
    set_verdict_text(wins_verdict, None, f"{counts}: {winner} noise wins, {errors}")
    first = next((k for k, wins in zip(KS, normal < laplace, strict=True) if wins), "none")
    return f"Laplace {one:,.2f}, normal {other:,.2f}; normal noise first wins at k = {first}"


wins_figure = live(
    fig,
    who_wins,
    "Error of each count against the number of counts on log axes: Laplace a steeper line "
    "than normal noise, crossing it near ten; with its own accounting it runs parallel, "
    "above.",
    task="$k = 8$, 9 and 12, first in standard deviations, then in mean absolute errors. Then "
    "give Laplace its own accounting: does it overtake for large $k$?",
    guess=predict(
        "You publish 100 counts. By how many people is the normal noise off?",
        (1, 1_000, " people"),
        r"normal ([\d.]+)", k=100,
    ),
    k=choice(KS, 9),
    error=choice(list(FACTORS), "standard deviation"),
    laplace_accounted=switch(False, label="Laplace's own accounting"),
)  # fmt: skip
wins_figure

# %% jupyter={"source_hidden": true}
# Computed: the number of counts at which normal noise begins to win, and five comparisons
all_k = np.arange(1, 100)
normal = one_scale * np.sqrt(all_k)
by_square = all_k[np.argmax(normal < math.sqrt(2) * all_k)]
by_mean = all_k[np.argmax(math.sqrt(2 / math.pi) * normal < all_k)]
print(f"standard deviation: normal begins to win at k = {by_square}")
print(f"mean absolute error: normal begins to win at k = {by_mean}")
print("standard deviation of each of k counts at (1, 1e-6):")
shown = np.array([1, 10, 30, 100, 1_000])
columns = {
    "Laplace, sum of epsilons": math.sqrt(2) * shown,
    "Laplace, accounted": math.sqrt(2) * own_scales[[KS.index(k) for k in shown]],
    "normal": one_scale * np.sqrt(shown),
}
pd.DataFrame(columns, pd.Index(shown, name="k")).round(2)

# %% [markdown]
# With fair accounting the Gaussian's advantage for large $k$ is a constant: $\sqrt 2$ in standard deviation. Many
# Laplace releases of scale $b$ have the total loss of Gaussians of *standard deviation* $b$, but
# their own standard deviation is $\sqrt 2\, b$. Compare [8 counts](#move:k=8) with
# [100](#move:k=100). For small $k$ pure Laplace noise wins, and
# needs no $\delta$.
#
# Now take real people: the sixteen questions above, by three methods, medians over 400 releases
# with the same seeds.

# %%
arguments = sixteen, 4, EPSILON, DELTA
methods = {
    "Laplace, L1 sensitivity 16": lambda rng: laplace_mechanism(sixteen, 16, EPSILON, rng),
    "normal, L2 sensitivity 4": lambda rng: gaussian_mechanism(*arguments, rng),
    "whole-number normal": lambda rng: discrete_gaussian_mechanism(*arguments, rng),
    "printing half of all voters": lambda rng: np.full(16, n / 2),
}
for name, release in methods.items():
    runs = [release(np.random.default_rng(seed)) for seed in range(400)]
    errors = np.abs(np.array(runs) - sixteen).mean(axis=1)
    print(f"{name:<30} median of the mean absolute error: {np.median(errors):7.2f} voters")

# %% [markdown]
# ### Where it loses
#
# In a histogram, each record is in one bin: L1 and L2 sensitivity are both 1, and Laplace
# noise is three times smaller. A tree of counts ([08](08_histograms.ipynb)) puts each record
# into one node of each level. The crossing is as for $k$ counts:

# %% jupyter={"source_hidden": true}
# Computed: Laplace and normal noise for histograms, one count and trees
rows = {}
for name, l1, l2 in (
    ("histogram, add/remove", 1, 1),
    ("histogram, replace", 2, math.sqrt(2)),
    ("five records in one count", 5, 5),
    *((f"tree of {h} levels", h, math.sqrt(h)) for h in (4, 8, 9, 16)),
):
    laplace_sd, normal_sd = math.sqrt(2) * l1 / EPSILON, gaussian_scale(l2, EPSILON, DELTA)
    rows[name] = {
        "Laplace": round(laplace_sd, 2),
        "normal": round(normal_sd, 2),
        "better": "Laplace" if laplace_sd < normal_sd else "normal",
    }
print("standard deviation of one number at (1, 1e-6)")
pd.DataFrame(rows).T

# %% [markdown]
# Patients of the RAND experiment have up to five records each, one a year. How many records
# are of patients in good health? To protect a *person*, one count over all years moves by up
# to 5. Five counts, one a year, move by 1 each: $\sqrt 5$ in L2. What do yearly counts cost the total? Their sum has
# five noises:

# %% jupyter={"source_hidden": true}
# Computed: the noise of one count of all years and of five yearly counts
health = data.health_insurance()["hlthg"].values
person = data.health_insurance_person()
most = np.bincount(person).max()
one_count = gaussian_scale(most, EPSILON, DELTA)
yearly = gaussian_scale(math.sqrt(most), EPSILON, DELTA)
laplace = f"{math.sqrt(2) * most:.2f}"
print(f"{int(health.sum()):,} records in good health; a person has up to {most}")
print(f"one count of all years: standard deviation {one_count:.2f}")
print(f"each of five yearly counts: {yearly:.2f}; their sum: {math.sqrt(5) * yearly:.2f}")
print(f"with Laplace noise: {laplace} for one count, {laplace} for each of five")

# %% [markdown]
# The years come for free: with normal noise their sum is as exact as the single count. But for that *one* count
# Laplace noise is three times better.
#
# ### Error against epsilon
#
# For $\varepsilon$ up to 1 or so, both errors fall like $1/\varepsilon$. Beyond, normal noise
# falls more slowly (like $1/\sqrt\varepsilon$ in the end). Whole-number noise on one count drops to almost zero
# once $e^{-\varepsilon}$ is far below $\delta$.

# %% jupyter={"source_hidden": true}
# Figure: gaussian_scale(sqrt k, e, delta) beside sqrt(2) k / e of Laplace
fig, both_axes = figure(columns=2, height=3.2)
shown = np.geomspace(0.05, 30, 25)
DRAWN = {"Laplace": "third --", "normal": "noisy", "whole-number normal": "other :"}
for ax, k in zip(both_axes, (1, 100), strict=True):
    whole = [discrete_gaussian_scale(math.sqrt(k), e, DELTA) for e in shown]
    normal_sd = [gaussian_scale(math.sqrt(k), e, DELTA) for e in shown]
    whole_sd = np.sqrt([discrete_gaussian_variance(one) for one in whole])
    curves(ax, shown, DRAWN, [math.sqrt(2) * k / shown, normal_sd, whole_sd])
    ax.set_title("one count (or a histogram)" if k == 1 else f"{k} counts of the same people")
x_axis(both_axes, "epsilon in all", log=True)
y_axis(both_axes, "standard deviation, people", log=True)
legend_above(fig, 3)
show(
    fig,
    "Standard deviation against epsilon on log axes. For one count Laplace is below normal "
    "noise everywhere, and whole-number noise follows normal noise, then falls to nearly 0 "
    "at the right end. For a hundred counts Laplace is above both everywhere.",
)

# %% [markdown]
# ## Where it breaks
#
# Here are five ways to choose the noise that look right. The exact profile checks each against $(1, 10^{-6})$, or
# against what its user believes. The bars show the true $\varepsilon$ at $\delta = 10^{-6}$.

# %%
mistakes = {
    "right: sixteen counts": (4, gaussian_scale(4, 1, DELTA)),
    "noise for one count, person in 16": (4, one_scale),
    "variance taken for deviation": (1, math.sqrt(one_scale)),
    "histogram, replace, sensitivity 1": (math.sqrt(2), one_scale),
    "group of five, 5 delta": (5, gaussian_scale(1, 0.2, DELTA / 5)),
}
true_epsilons = [gaussian_epsilon(length, used, DELTA) for length, used in mistakes.values()]

# %% jupyter={"source_hidden": true}
# Figure: the epsilon that each mistake really has, computed above
fig, breaks_ax = figure(height=2.9)
break_meter = meter(breaks_ax, list(mistakes), most=8, unit="true ε at δ = 10⁻⁶, claimed 1")
set_meter(break_meter, true_epsilons, 1.0)
show(
    fig,
    "A meter of five choices of noise against the claimed epsilon of 1: the right one "
    "within, the others broken.",
)

# %% [markdown]
# Another cannot be seen in a formula: **Laplace noise with the L2 sensitivity.** Take sixteen counts with Laplace
# noise of scale $4/\varepsilon$ instead of $16/\varepsilon$. Their loss is $4\varepsilon$, because Laplace noise
# counts steps.
#
# **Doubles.** Like that of `laplace_mechanism`, the guarantee of `gaussian_mechanism` holds on paper.
# A computer's normal samples are doubles with gaps. Which doubles can come out depends on the true value. Mironov
# (2012) shows it for Laplace noise, Jin and others (2022) and Haney and others (2022) for normal noise. Page
# [21](21_audit.ipynb) runs the attack. The whole-number mechanism adds integers to integers and has no gaps.

# %% jupyter={"source_hidden": true}
# Computed: the loss of Laplace noise with the L2 sensitivity
steps_lost = 16 / (4 / EPSILON)
print("Laplace noise with the L2 sensitivity, sixteen counts:", end=" ")
print(f"loss {steps_lost:g} for a claimed {EPSILON:g}")

# %% [markdown]
# ## Libraries: four scales for one guarantee
#
# The aim is $(1, 10^{-6})$ for one count. Libraries reach it by four routes, all safe. (autodp's
# present `GaussianMechanism` takes the exact profile as well.)

# %% jupyter={"source_hidden": true}
# Computed: the scale that four routes ask for one count at epsilon 1
root = math.sqrt(math.log(1 / DELTA))
# rho + 2 sqrt(rho ln(1 / delta)) = epsilon
first_rho = (math.sqrt(root**2 + EPSILON) - root) ** 2
best_rho = zcdp_rho(EPSILON, DELTA)
textbook = classical_scale(1, 1 - 1e-12, DELTA)
routes = {
    "exact profile (dp-accounting, diffprivlib's GaussianAnalytic)": one_scale,
    "zCDP, best conversion (OpenDP)": 1 / math.sqrt(2 * best_rho),
    "classical formula (diffprivlib's Gaussian refuses epsilon above 1)": textbook,
    "Rényi, first conversion (autodp's older `privacy_calibrator`)": 1
    / math.sqrt(2 * first_rho),
}
for name, found in routes.items():
    print(f"{found:.4f}  {found / one_scale:.3f} x  {name}")

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/24_gaussian](../exercises/answers/24_gaussian.ipynb).
#
# **Assignment 24:** [five tasks, checked in a second](../exercises/releases/24_gaussian.ipynb).
#
# 1. *Warm-up.* In the figure of events, take scale 2 and $\varepsilon = 0.5$. Which is the smallest
#    $\delta$ of its list that brings all events back? And the smallest of all, by `gaussian_delta`?
# 2. Two hospitals are $(1, 10^{-6})$-private. One releases a count with normal noise, the other
#    each patient's answer by "response, or print the record". What is the $\delta$ of each at
#    $\varepsilon = 2$? Which would you join?
# 3. A teacher releases the mean mark (1 to 6) of a class of 30 and the number of passes,
#    together. What is the L2 sensitivity of the pair under replace? How could the two numbers
#    be weighted so that the noise is better used?
# 4. For which number of levels does a tree of counts do better with normal noise at
#    $(0.1, 10^{-9})$? And at $(5, 10^{-6})$? Use `gaussian_scale` only.
# 5. Find an $\varepsilon$ of at most 4 and two scales $s < t$ for which the whole-number mechanism
#    is *less* private at $t$. Its $\delta$ should be at least twice as large.
# 6. *Challenge.* Take the whole profile $\delta(\varepsilon)$ of normal noise with $\mu = 1$. Give a mechanism with
#    two outputs that has the same $\delta$ at $\varepsilon = 1$ and a smaller one at every larger $\varepsilon$. Can
#    one also be smaller at every smaller $\varepsilon$?
#
# A start for task 4:

# %%
for levels in (4, 8, 16):
    print(levels, math.sqrt(2) * levels / 0.1, gaussian_scale(math.sqrt(levels), 0.1, 1e-9))

# %% [markdown]
# ## When to use it
#
# **Use it** when one person moves many numbers a little: many counts, averages of vectors,
# gradients ([26](26_gradients.ipynb); [25](25_accounting.ipynb) does the accounts). **Do not**
# for one count or a histogram, when no $\delta$ is allowed, or when a person moves few numbers
# by much.
#
# **Check** that the sensitivity is in L2, for the relation you claim, and that $\delta$ is far below one over the
# number of people. The scale must come from the exact profile, or from zCDP. Tell your readers the profile, or what
# noise you used: the pair alone hides a cliff.
#
# ## Sources and further reading
#
# The five sources of this book have no Gaussian mechanism, and a $\delta$ only where the textbook reports results of
# others (Li et al. 2016, 7.2.4, 8.3 and 8.4); this page goes beyond them.
#
# - Cynthia Dwork, Krishnaram Kenthapadi, Frank McSherry, Ilya Mironov, Moni Naor: *Our data,
#   ourselves*, 2006: $(\varepsilon, \delta)$ and its composition.
# - Cynthia Dwork, Aaron Roth: *The algorithmic foundations of differential privacy*, 2014:
#   Theorem A.1, the classical scale.
# - Borja Balle, Yu-Xiang Wang: *Improving the Gaussian mechanism for differential privacy*,
#   2018: the exact scale.
# - Gilles Barthe, Federico Olmedo: *Beyond differential privacy*, 2013; Borja Balle, Gilles
#   Barthe, Marco Gaboardi: *Privacy amplification by subsampling*, 2018: profiles.
# - Clément Canonne, Gautam Kamath, Thomas Steinke: *The discrete Gaussian for differential
#   privacy*, 2020.
# - Peter Kairouz, Ziyu Liu, Thomas Steinke: *The distributed discrete Gaussian mechanism*, 2021: sums.
#   John Abowd and others: *The 2020 Census disclosure avoidance system TopDown algorithm*, 2022.
# - Sebastian Meiser: *Approximate and probabilistic differential privacy definitions*, 2018:
#   what $\delta$ is not.
# - Ilya Mironov: *On significance of the least significant bits for differential privacy*,
#   2012; Jiankai Jin and others: *Are we there yet?*, 2022; Samuel Haney and others:
#   *Precision-based attacks*, 2022: doubles.
#
# `dpbook` is for learning, not for real releases ([00](00_start_here.ipynb) says why).
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [23 Libraries for real releases](23_production.ipynb) · **Next:** [25 Accounting](25_accounting.ipynb)
