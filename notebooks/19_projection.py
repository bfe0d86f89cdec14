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
# # 19 Projection: compressing the records themselves
#
# A table of 6,366 women becomes a few hundred rows that are nobody: each is a random mixture of everybody. How well do
# the main directions of the table survive, and is the release differentially private?
#
# <details><summary>About 30 minutes, after 02 and 03: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [18 Compressed sensing on tables](18_sensing.ipynb) · **Next:** [20 ALP: a sparse vector in a small sketch](20_alp.ipynb)
#
# **Assignment 19:** [five tasks, checked in a second](../exercises/releases/19_projection.ipynb)
#
# **What you will do:** compress until the directions are lost; watch a privacy loss that has no upper end. Truncate it,
# rightly and wrongly; pay for a guarantee that covers everybody. "The paper" is Zhou, Ligett and Wasserman (2009).
#
# **Time:** about 30 minutes. A stopping point: "More variables than records".
#
# **You need:** [03 the Laplace mechanism](03_laplace.ipynb), what $\delta$ means
# ([02](02_composition.ipynb)), and what eigenvectors are.
#
# **Real and synthetic:** the answers are of real women (Fair's survey), one record each. A few small tables
# are made up to show a point, and the text says so.
#
# | sign | here | in the paper (Zhou et al. 2009) |
# |---|---|---|
# | $n$, $p$, $m$ | records, variables, rows of the release | the same |
# | $\Phi$ | entries of variance $1/m$ | entries of variance $1/n$: the same release in another unit |
# | $A$, $\Sigma$ | $X^\top X$, and $A/n$ | $\Sigma$ only |
# | $\tau$ | width of the box of accepted releases | the same |
#
# Our copy of the paper has lost all formulas and letters. What this page calls the paper's letters, widths and bounds,
# we put together from its words and from the works that it cites.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import math

import numpy as np

from dpbook import data
from dpbook.live import choice, live, new_noise, slider
from dpbook.plots import (
    COLOURS,
    curves,
    figure,
    legend_above,
    own_point,
    set_curves,
    set_own_point,
    set_verdict_text,
    verdict_text,
    x_axis,
    y_axis,
)
from dpbook.projection import principal_angle, projection_from_gram

# %% jupyter={"source_hidden": true}
# Figure: projection_from_gram(gram, rows, rng), and principal_angle(gram, seen, components)
survey = {name: column for name, column in data.affairs().items() if name != "affairs"}
lows, highs = np.array([column.bounds for column in survey.values()]).T
answers = np.column_stack([column.values for column in survey.values()])
X = 2 * (answers - lows) / (highs - lows) - 1
n, p = X.shape
gram = X.T @ X
sizes, directions = np.linalg.eigh(gram)
ROWS = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096]
repeats = np.random.default_rng(3)


def squared(table):
    return table.T @ table


seen_grams = [
    np.array([squared(projection_from_gram(gram, m, repeats)) for _ in range(200)])
    for m in ROWS
]
angle_quantiles = {}
for components in range(1, 5):
    angles = [principal_angle(gram, seen, components) for seen in seen_grams]
    angle_quantiles[components] = np.quantile(angles, [0.05, 0.5, 0.95], axis=1)

fig, (size_ax, angle_ax) = figure(columns=2, height=2.7)
pca_verdict = verdict_text(size_ax)
looks = {"true": "true o-", "compressed": "noisy D--"}
_, *seen_sizes = curves(size_ax, range(1, p + 1), looks, [sizes[::-1] / n, sizes[::-1] / n])
x_axis(size_ax, "direction", ticks=range(1, p + 1))
y_axis(size_ax, "eigenvalue / n", (-0.05, 2))
x_axis(angle_ax, "rows m", ticks=[2, 16, 128, 1_024], log=True)
y_axis(angle_ax, "angle, degrees", (-2, 92))
looks = {"9 of 10 releases": "light :", "median": "light", " ": "light :"}
angle_lines = curves(angle_ax, ROWS, looks, linewidth=2)
angle_dot = own_point(angle_ax, marker="D", colour=COLOURS.noisy, markeredgecolor="black")
legend_above(fig)


def pca(rows, components, seed):
    made = projection_from_gram(gram, rows, np.random.default_rng(seed))
    seen = made.T @ made
    set_curves(seen_sizes, [np.minimum(np.linalg.eigvalsh(seen)[::-1] / n, 2)])
    set_curves(angle_lines, angle_quantiles[components])
    angle = principal_angle(gram, seen, components)
    set_own_point(angle_dot, rows, angle)
    which = "direction is" if components == 1 else f"{components} directions are"
    words = f"{rows:,} rows: the first {which} off by {angle:.0f}°"
    set_verdict_text(pca_verdict, None, words)
    return (
        f"{rows:,} mixed rows instead of {n:,} women: the first {which} off by {angle:.1f} "
        "degrees in this release (the diamond)"
    )


pca_figure = live(
    fig,
    pca,
    "Left: eigenvalues of the true and of the compressed Gram matrix. Right: angle between "
    "true and compressed leading directions against the number of rows, falling, with a band "
    "and a diamond for this release.",
    task="play *rows*, and watch the compressed table come closer to the true one.",
    play="rows",
    rows=choice(ROWS, 16),
    components=slider(1, 4, 2, label="directions"),
    seed=new_noise(1),
)
pca_figure

# %% [markdown]
# On the left are the eigenvalues: how long the table is in each direction. On the right is how far the first directions
# of the release turn from the true ones. The band holds nine tenths of 200 releases. [Take 128 rows](#move:rows=128),
# then [only 4](#move:rows=4). With [three directions](#move:rows=128&components=3) the angle falls later, because the
# third and fourth eigenvalues are close.
#
# ## A table, and what is wanted of it
#
# Write $n$ for the number of records, $p$ for the number of variables, $X$ for the $n \times p$ table. Each answer is
# rescaled to $[-1, 1]$ by the *public* ends of its scale, so no record is longer than $\sqrt p$. (The column that
# counts affairs is left out.)

# %%
bound = math.sqrt(p)
print(f"n = {n:,} women, p = {p} variables:")
print("   ", *survey)
assert np.abs(X).max() <= 1 and np.linalg.norm(X, axis=1).max() <= bound

# %% [markdown]
# The *Gram matrix* $A = X^\top X$ holds the sum of products of every two variables. Regression and principal component
# analysis (PCA) need nothing else. In the literature, releasing it with noise is *sufficient statistics perturbation*.
# PCA takes the eigenvectors of $A$ with the largest eigenvalues: the directions in which the table is longest.

# %%
print("eigenvalues of A:", *np.round(sizes[::-1]).astype(int))
print("fraction in the first two:", f"{sizes[-2:].sum() / sizes.sum():.0%}")

# %% [markdown]
# ### Releases that fail
#
# *Publish the Gram matrix.* It is a sum over women. Ask for it twice, before and after one woman joins. The
# difference is $v v^\top$ with $v$ her record, which gives away all of it, up to a sign.

# %%
before = np.delete(X, 77, axis=0)
difference = gram - before.T @ before
recovered = difference[0] / math.sqrt(difference[0, 0])
recovered *= np.sign(recovered[0] * X[77, 0])
print("her record:", *np.round(X[77], 2))
print("recovered: ", *np.round(recovered, 2))
assert np.allclose(recovered, X[77])

# %% [markdown]
# *Publish some of the records.* Then the women in the sample have no protection at all.
#
# ## The idea: rows that are nobody
#
# Multiply from the left by a random matrix $\Phi$ with $m$ rows, $m$ much smaller than $n$:
#
# $$\tilde X = \Phi X, \qquad \Phi_{ij} \sim N(0, 1/m) .$$
#
# This is a *Johnson-Lindenstrauss transform*. Each of the $m$ new rows is a random mixture of all $n$ women. Products
# are kept on average, since $E[\Phi^\top \Phi] = I$, so $E[\tilde X^\top \tilde X] = X^\top X$.

# %% jupyter={"source_hidden": true}
# What the next sections import
import functools
import itertools

import pandas as pd
from scipy import stats

from dpbook.amounts import amount, counted, percent
from dpbook.guesses import predict
from dpbook.laplace import laplace_mechanism
from dpbook.live import log_slider, show_source
from dpbook.plots import meter, set_meter
from dpbook.projection import (
    ballast,
    ballast_projection,
    gaussian_gram,
    gaussian_projection,
    laplace_gram,
    leverages,
    loss_tail,
    normalise_columns,
    projection_delta,
    projection_loss,
    truncated_loss,
    truncated_projection,
    truncation_width,
)

# %%
show_source(gaussian_projection)
release = gaussian_projection(X, 200, np.random.default_rng(1))
pd.DataFrame(release[:4], columns=list(survey)).round(1)

# %% [markdown]
# There are far fewer equations here than unknowns, so $X$ cannot be recovered from $\tilde X$. Arguments of this kind
# are older than differential privacy, and they guarantee nothing about *one* record. The paper wants more, a
# "form of differential privacy". We look first at what the release keeps, and then at that guarantee.
#
# ### The release knows the Gram matrix, and nothing else
#
# Given $X$, the rows of $\tilde X$ are independent normal vectors with mean 0 and covariance $A/m$. Only $A$ appears.
# The paper says that the compressed table "is more informative than releasing the perturbed covariance matrix (or other
# summaries) alone" (erratum [E91](22_errata.ipynb#E91)). It is *exactly as* informative as one perturbed covariance,
# $W = \tilde X^\top \tilde X$.
#
# <details><summary>Proof: anyone who has W can draw the table.</summary>
#
# Turn the $m$ rows of $\tilde X$ by any rotation of $m$-dimensional space (reflections count as rotations): neither $W$
# nor the distribution changes. So given $W$, the table is any root $R$ with $R^\top R = W$ ($m$ rows), turned by a
# uniform rotation that is independent of $W$. From $W$ one can draw the table, and from the table compute $W$. $W$ is
# one noisy version of $A$; its distribution is named after Wishart.
#
# </details>
#
# Turn the columns of $X$, as vectors of length $n$, by any rotation, so that no answer is an answer any more. The
# release still has the same distribution:

# %% jupyter={"source_hidden": true}
# Computed: whether releases of X, of a turned table and of the Gram matrix differ (Kolmogorov-Smirnov)
rng = np.random.default_rng(2)
mirror = rng.normal(size=n)
turned = X - 2 * np.outer(mirror, mirror @ X) / (mirror @ mirror)
assert np.allclose(turned.T @ turned, gram)
kinds = [np.unique(records[:, 0].round(9)).size for records in (X, turned)]
differ = f"{kinds[0]} different values in X, {kinds[1]:,} in the turned table"
print(f"the first variable has {differ}; same Gram matrix")
of_x, of_turned = (gaussian_projection(records, 400, rng)[:, 0] for records in (X, turned))
of_gram = projection_from_gram(gram, 400, rng)[:, 0]
for name, other in {"the turned table": of_turned, "the Gram matrix alone": of_gram}.items():
    same = f"the same distribution? p-value {stats.ks_2samp(of_x, other).pvalue:.2f}"
    print(f"release of X against one from {name}: {same}")

# %% [markdown]
# ## How many rows does PCA need?
#
# The numbers behind the figure above, for one, two and three directions:

# %% jupyter={"source_hidden": true}
# Computed: median angles of 200 releases, and of 128 women drawn at random
for components in (1, 2, 3):
    medians = angle_quantiles[components][1]
    text = ", ".join(f"m = {m}: {medians[ROWS.index(m)]:.1f}" for m in (16, 128, 1_024))
    print(f"{components} direction{'s' * (components > 1)}, median angle in degrees: {text}")
samples = [X[repeats.choice(n, 128, replace=False)] for _ in range(200)]
sampled = np.median(principal_angle(gram, np.array([squared(some) for some in samples]), 2))
print(f"records of 128 women instead of 128 mixed rows, 2 directions: {sampled:.1f}")

# %% [markdown]
# Once it is small, the angle falls like $1/\sqrt m$. For PCA the $m$ rows are about as good as the records of
# $m$ women drawn at random, a little worse here. At a given $m$, more women do not help.
#
# > **Theorem 19.1 (Zhou et al. 2009, Proposition 3.4; Zwald and Blanchard 2005).** Let $\lambda_1 \ge \dots \ge \lambda_p$ be the
# > eigenvalues of $A$ and $g = \lambda_D - \lambda_{D+1}$. If $\|E\| < g/4$, the first $D$ directions of $A + E$ turn
# > by at most the angle whose sine is $2\|E\|/g$.
#
# $\|E\|$ is the largest eigenvalue of $E$ in size. The gap $g$ says which directions are hard: those whose eigenvalues
# lie close together. How often does the premise hold for the two leading directions? What does the theorem then allow,
# and what happens?

# %% jupyter={"source_hidden": true}
# Computed: how often the premise of Theorem 19.1 holds, the angle it allows, and the angle seen
gap = sizes[-2] - sizes[-3]
for m in (64, 512, 4_096):
    seen = seen_grams[ROWS.index(m)]
    errors = np.linalg.norm(seen - gram, 2, axis=(1, 2))
    holds, turned_by = errors < gap / 4, principal_angle(gram, seen, 2)
    allowed = np.degrees(np.arcsin(np.minimum(2 * errors[holds] / gap, 1)))
    assert np.all(turned_by[holds] <= allowed + 1e-9)
    limit = f"{np.median(allowed):.1f}" if holds.any() else "–"
    degrees = f"allowed {limit} degrees, turned by {np.median(turned_by):.1f}"
    print(f"m = {m:>5}: premise holds in {holds.mean():.0%}; {degrees}")

# %% [markdown]
# ## What does it tell about one woman?
#
# Let $v$ be her record, $A$ the Gram matrix with it (invertible) and $A' = A - vv^\top$ without (add/remove). One
# number decides everything, her *leverage* $h = v^\top A^{-1} v$, between 0 and 1. It measures how much of her own
# direction she supplies herself. For the rows $\tilde x_i$ of the release, write
# $z_i = v^\top A^{-1} \tilde x_i \sqrt m$. The log of the ratio of the two densities, the *privacy loss*, is
#
# $$L = \frac m2 \ln(1 - h) + \frac{1}{2 (1 - h)} \sum_{i=1}^m z_i^2 .$$
#
# > **Theorem 19.2 (the loss by leverage; after Zhou et al. 2009, appendix C).** For $h < 1$ the $z_i$ are independent
# > normal with mean 0: with her record of variance $h$, without it of variance $h(1-h)$.
#
# <details><summary>Proof: a matrix less one product has a known determinant and inverse.</summary>
#
# $|A'| = |A|(1-h)$ and $A'^{-1} = A^{-1} + A^{-1}vv^\top A^{-1}/(1-h)$; put both into the normal densities.
# $\square$
#
# </details>
#
# So $L$ is a multiple of a chi-square variable, shifted. It has **no upper end**. The paper wants a bound "even for
# very rare events", and truncates for this reason.

# %%
show_source(projection_loss)
h = leverages(X)
summary = f"median {np.median(h):.4f}, largest {h.max():.4f}, sum {h.sum():.1f}"
print(f"leverages of the {n:,} women: {summary}")

# %% [markdown]
# We check the formula against 2,000 drawn releases, for the woman with the largest leverage:

# %% jupyter={"source_hidden": true}
# Computed: how often the loss exceeds epsilon, by the formula and among 2,000 releases
outlier, m = int(h.argmax()), 100
rng = np.random.default_rng(4)
drawn = np.array([projection_from_gram(gram, m, rng) for _ in range(2_000)])
losses = projection_loss(drawn, X, outlier)
for epsilon in (0.02, 0.05, 0.1):
    exact, seen = loss_tail(h[outlier], m, epsilon), np.mean(losses > epsilon)
    print(f"Pr[loss > {epsilon}]: formula {exact:.3f}, among 2,000 releases {seen:.3f}")

# %% [markdown]
# ### Live: a loss without an end
#
# The figure shows the density of the loss with the record and without it, for a record of leverage $h$. $\delta$ is the
# smallest number with which the release is $(\varepsilon, \delta)$-private *for this record*: for every event $S$,
# $\Pr[M(D) \in S] \le e^\varepsilon \Pr[M(D') \in S] + \delta$, both ways. It is computed exactly.

# %%
LEVERAGES = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.07]
LEVERAGES += [0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 0.9]
losses_above = np.append(np.linspace(0, 0.1, 100, endpoint=False), np.geomspace(0.1, 1e4, 600))
loss_grid = np.append(-losses_above[:0:-1], losses_above)  # even on the axis of the figure


def words(delta):
    """A small probability as people say it."""
    if delta < 1e-9:
        return "less than 1 in a billion"
    if delta < 0.001:
        return f"1 in {float(f'{1 / delta:.2g}'):,.0f}"
    if 0.995 <= delta < 1:
        return "over 99%"
    return f"{delta:.1%}" if delta < 0.1 else f"{delta:.0%}"


# %% jupyter={"source_hidden": true}
# Figure: loss_tail(leverage, rows, e) and projection_delta(leverage, rows, e) for every e
fig, loss_ax = figure(height=3.2)
loss_verdict = verdict_text(loss_ax)
loss_lines = curves(loss_ax, loss_grid, {"with her record": "noisy", "without": "other --"})
claims = [loss_ax.axvline(0, color=COLOURS.true, linestyle=":") for _ in range(2)]
claims[0].set_label("claimed: $\\pm\\varepsilon$")
loss_ax.set_xscale("symlog", linthresh=0.1)
loss_ticks = [-1_000, -100, -10, -1, -0.1, 0, 0.1, 1, 10, 100, 1_000]
x_axis(loss_ax, "privacy loss L (log scale beyond ±0.1)", (-2_000, 1e4), loss_ticks)
y_axis(loss_ax, "density, relative to\nits peak (log scale)", (1e-6, 3), log=True)
legend_above(fig)


def loss_distribution(leverage, rows, epsilon):
    shift = rows / 2 * math.log1p(-leverage)
    scales = leverage / 2 / (1 - leverage), leverage / 2
    laws = [stats.chi2(rows, shift, scale) for scale in scales]
    densities = [law.pdf(loss_grid) for law in laws]
    shown = [np.clip(d / d[np.isfinite(d)].max(), 1e-9, 1) for d in densities]
    set_curves(loss_lines, shown)
    for line, sign in zip(claims, (1, -1), strict=True):
        line.set_xdata([sign * epsilon] * 2)
    delta, tail = projection_delta(leverage, rows, epsilon), loss_tail(leverage, rows, epsilon)
    many = words(tail) if tail < 1e-9 else f"{words(tail)} of the releases"
    set_verdict_text(loss_verdict, None, f"a loss above {epsilon:.3g}: {many}")
    setting = f"leverage {leverage:.3g}, {counted(rows, 'row')}, ε = {epsilon:.3g}"
    return f"{setting}: δ is {words(delta)}"


loss_figure = live(
    fig,
    loss_distribution,
    "Two densities of the log ratio on a log axis, with and without the record, and dotted "
    "lines at minus and plus epsilon; at the start both run on beyond the right line.",
    task=r"find the first $h$ with a $\delta$ above one in a million. Then double the rows.",
    guess=predict(
        "A woman has leverage 0.3. With 100 rows and ε = 1, how large is δ?",
        (0, 100, "%"),
        r"δ is ([\d.]+)%",
        leverage=0.3,
    ),
    leverage=choice(LEVERAGES, 0.05, label="leverage h"),
    rows=choice([1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000], 100),
    epsilon=log_slider(0.1, 3, 1.0, label="at epsilon"),
)
loss_figure

# %% jupyter={"source_hidden": true}
# Computed: delta at epsilon 1, for four leverages and three numbers of rows
print("delta at epsilon 1   m = 10                     m = 100                    m = 1,000")
for leverage in (0.001, 0.01, 0.1, 0.5):
    deltas = [words(projection_delta(leverage, m, 1.0)) for m in (10, 100, 1_000)]
    print(f"leverage {leverage:<11}", *(f"{delta:<26}" for delta in deltas))

# %% [markdown]
# In this survey the leverages are tiny, so the release with 100 rows reveals next to nothing about any of the women.
# [Take leverage 0.9](#move:leverage=0.9), though, and almost every release gives the woman away. Is the release
# private, then? Differential privacy is a guarantee about **all** tables, not about this one.
#
# ### The woman who is alone
#
# Add a ninth variable, a diagnosis that one woman has and nobody else. Her leverage is 1, whatever the others answer.
# Without her the new column of every release is exactly 0 (erratum [E88](22_errata.ipynb#E88)):

# %%
diagnosis = np.zeros(n)
diagnosis[77] = 1
with_diagnosis = np.column_stack([X, diagnosis])
without_her = np.delete(with_diagnosis, 77, axis=0)
for name, records in (("with her", with_diagnosis), ("without", without_her)):
    column = gaussian_projection(records, 3, np.random.default_rng(5))[:, p]
    print(f"{name:<9} the new column of three rows:", *np.round(column, 3))
hers, delta = leverages(with_diagnosis)[77], projection_delta(1, 3, 10.0)
print(f"her leverage {hers:.3f}, delta at epsilon 10: {delta:.0f}")

# %% [markdown]
# And if $k$ women have it? For small $k$ each has a leverage of about $1/k$:

# %% jupyter={"source_hidden": true}
# Computed: the leverage and delta of one of k women with the diagnosis
rows = {}
for k in (1, 2, 5, 20, 100, 1_000):
    diagnosis = np.zeros(n)
    diagnosis[:k] = 1
    leverage = leverages(np.column_stack([X, diagnosis]))[0]
    rows[k] = {"leverage of one": f"{leverage:.2g}"}
    for m in (10, 100):
        rows[k][f"delta, {m} rows"] = words(projection_delta(min(leverage, 1), m, 1.0))
pd.DataFrame(rows).T.rename_axis("women with the diagnosis")

# %% [markdown]
# ## The paper's way: truncate
#
# If the rare releases with a huge ratio are never published, the ratio is bounded. The paper draws $\Phi$ until the
# release looks usual: every entry of $\tilde X^\top \tilde X / n$ within $\tau$ of a *reference* matrix $\Sigma$. It
# works with *normalised* columns (mean square 1). Its neighbours are two tables of one size $n$ that differ in one row
# (replace).

# %%
show_source(truncated_projection)

# %% [markdown]
# To have normalised columns without computing anything, take each answer as $+1$ or $-1$: above the middle of its
# scale or not. Which reference? The paper takes one point for all tables; our copy has lost which. Anyone who has one
# table must not take its own matrix: that is a leak (erratum [E89](22_errata.ipynb#E89)). A public reference is the
# identity.
#
# Around the table's *own* matrix, a width $\tau$ after the paper's Lemmas 4.4 and B.1 rejects a release with
# probability at most $1/n^2$ here. (With far more rows its constants are too small:
# `truncation_width` says how many.) Around another reference, add the distance
# between the two; the proof in the paper's appendix B does so too. For signs no entry is further than 1 from the
# identity:

# %% jupyter={"source_hidden": true}
# Computed: how many of 200 draws are accepted, for three kinds of box
signs = np.where(X > 0, 1.0, -1.0)
sigma, identity = signs.T @ signs / n, np.eye(p)
assert np.allclose(normalise_columns(signs), signs)
distance = np.abs(sigma - identity).max()
print(f"largest distance of the survey's matrix from the identity: {distance:.2f}")
rng = np.random.default_rng(6)
print("accepted, of 200 draws:")
for m in (20, 200, 2_000):
    tau = truncation_width(n, p, m)
    drawn = [squared(projection_from_gram(signs.T @ signs, m, rng)) / n for _ in range(200)]
    own, public, wider = (
        np.mean(np.all(np.abs(drawn - reference) <= width, axis=(1, 2)))
        for reference, width in ((sigma, tau), (identity, tau), (identity, tau + 1))
    )
    around = f"around its own matrix {own:.0%}, around the identity {public:.0%}"
    print(f"{m:>7} rows, tau {tau:.2f}: {around}, with tau + 1 {wider:.0%}")
    beyond = stats.chi2.sf(m + m * tau, m) + stats.chi2.cdf(m - m * tau, m)
    rejected = p * beyond * n**2
    print(f"        its own matrix: the diagonal rejects about {rejected:.2g} times in n^2")

# %% [markdown]
# ### How large is the bounded loss?
#
# > **Theorem 19.3 (a bound for two tables; compare Zhou et al. 2009, Theorem 4.6).** For tables with invertible
# > matrices $\Sigma$ and $\Sigma'$, $L$ is linear in $\tilde X^\top \tilde X$, so its largest value over a box around the reference
# > $\Sigma_0$ is at a corner:
#
# $$|L| \le \frac m2 \Big( \big|\ln\tfrac{|\Sigma'|}{|\Sigma|} + \mathrm{tr}(D \Sigma_0)\big| + \tau \sum_{ij} |D_{ij}|
# \Big), \qquad D = \Sigma'^{-1} - \Sigma^{-1}.$$
#
# For the survey, we take the largest over *all* replacements of a woman by any other pattern of signs. This is the
# setting of the paper's Example 3.6. A pattern and its opposite have the same products, so half of the patterns are
# enough.

# %%
show_source(truncated_loss)

# %%
rest = itertools.product((-1.0, 1.0), repeat=p - 1)
patterns = np.array([(1.0, *others) for others in rest])
present = np.unique(signs * signs[:, :1], axis=0)
pairs = itertools.product(present, patterns)
moves = np.array([np.outer(new, new) - np.outer(old, old) for old, new in pairs])


def parts_of_bound(reference, some_moves, women):
    """The two parts of the bound for each move: what the reference gives, and what each unit
    of width adds.
    """
    neighbours = sigma + some_moves / women
    middle = truncated_loss(sigma, neighbours, 2, reference, 0)  # two rows: m / 2 is 1
    return middle, truncated_loss(sigma, neighbours, 2, reference, 1) - middle


def worst_bound(parts, m, width):
    """The largest bound over the moves, for m rows."""
    return m / 2 * np.max(parts[0] + width * parts[1])


at_survey = parts_of_bound(identity, moves, n)
print(f"{len(moves):,} replacements, reference the identity, width tau + 1:")
for m in (1, 20, 200, 2_000):
    most = worst_bound(at_survey, m, truncation_width(n, p, m) + 1)
    print(f"m = {m:>5}: the loss is bounded by {most:.1f}")

# %% [markdown]
# At 20 rows two directions are still off by tens of degrees (table at the end), and the bound is several times any
# sensible $\varepsilon$. The bound falls nearly like $1/n$, so the method needs more women. That is the trade-off of the
# paper's Theorems 3.2 and 3.5: privacy wants few rows, PCA many. Suppose there were more women, with the same pattern
# of answers, and $\varepsilon = 1$. How many rows fit, and which angle do they give for two directions?

# %% jupyter={"source_hidden": true}
# Computed: rows that fit epsilon 1, in steps of 64, for the 500 worst moves; their angle
worst_moves = moves[np.argsort(at_survey[0] + at_survey[1])[-500:]]
for women in (10_000, 100_000, 1_000_000, 10_000_000):
    parts = parts_of_bound(identity, worst_moves, women)
    fits = [m for m in range(1, 60_000) if m < 64 or m % 64 == 0]
    fits = [m for m in fits if worst_bound(parts, m, truncation_width(women, p, m) + 1) <= 1]
    if not fits:
        print(f"n = {women:>10,}: not even one row")
        continue
    made = np.array([squared(projection_from_gram(sigma, fits[-1], rng)) for _ in range(100)])
    angle = f"angle {np.median(principal_angle(sigma, made, 2)):.1f}"
    enough = f"at least {fits[-1]:,} rows for epsilon 1 within the constraint"
    print(f"n = {women:>10,}: {enough}; {angle}")

# %% [markdown]
# ## Where it breaks
#
# **1. The guarantee depends on the data.** The paper compares only tables that satisfy its assumption, with no
# direction nearly empty, and pairs within a given distance. It says so openly. Outside there is no bound. Take two
# variables and 100 made-up records, and replace one. The two variables agree in more and more of the records:

# %% jupyter={"source_hidden": true}
# Computed: the bound for pairs of tables whose two variables agree more and more
for disagree in (50, 10, 3, 1, 0):
    pairs = np.ones((100, 2))
    pairs[:disagree, 1] = -1
    replaced = pairs.copy()
    replaced[-1, 1] *= -1
    here, there = (records.T @ records / 100 for records in (pairs, replaced))
    bound_here = truncated_loss(here, there, 10, np.eye(2), truncation_width(100, 2, 10))
    numbers = f"smallest eigenvalue {np.linalg.eigvalsh(here)[0]:.2f}, bound {bound_here:,.1f}"
    print(f"{disagree:>2} of 100 records disagree: {numbers}")

# %% [markdown]
# > **Definition 19.4 (constrained privacy; Zhou et al. 2009, Definitions 2.3 and 2.4).** A release has a loss of at most
# > $\varepsilon$ for all pairs of tables *within distance $\Delta$ of each other* in a set $\mathcal D$: pairs that
# > differ in one row ($\Delta$-constrained differential privacy), or in any number of rows (distributional privacy).
#
# For the table in the last line, an ordinary one, that guarantees nothing.
#
# <details><summary>Is the second definition stronger than differential privacy, as the paper says?</summary>
#
# Differential privacy (Definition 2.1 of the paper) asks for *all* pairs of neighbours, these only for those within
# the constraint. The paper calls the second "a stronger concept than differential privacy". Its Theorem 2.5
# shows only that it implies the first *within the same constraint*.
#
# </details>
#
# **2. More variables than records.** The definitions do not mention it, as far as our copy shows. With $p > n$ some direction is empty. A record
# that is no mixture of the others is alone in one, and the two distributions live on different planes:

# %% jupyter={"source_hidden": true}
# Computed: leverages where there are more variables than records
wide = np.random.default_rng(7).normal(size=(5, 8))
print("p = 8 variables, n = 5 made-up records: leverages", *np.round(leverages(wide), 3))
print(f"delta at epsilon 10, from a single row: {projection_delta(1, 1, 10.0):.0f}")

# %% [markdown]
# > **A good place to stop.** What follows: three finer objections, then a guarantee for everybody.
#
# **3. A reference that is the data.** The procedure has one reference point for all tables. If every table is truncated
# around *its own* $\Sigma$ instead, two neighbours accept different releases. Some releases can come from only one of
# them, and there the loss is infinite. For 60 women and two variables:

# %% jupyter={"source_hidden": true}
# Computed: how many releases, truncated around their own table, the neighbour could not make
small = signs[:60, 1:3]
neighbour = small.copy()
neighbour[0, 0] *= -1
own, others = (records.T @ records / 60 for records in (small, neighbour))
only_here, narrow = 0, 0.3
for seed in range(1_000):
    made = truncated_projection(small, 40, own, narrow, np.random.default_rng(seed))
    only_here += np.abs(made.T @ made / 60 - others).max() > narrow
print(f"{only_here / 1_000:.1%} of the releases could not have come from the neighbour")
public = truncated_loss(own, others, 40, np.eye(2), narrow)
print(f"with a public reference, here the identity: the bound is {public:.1f}")

# %% [markdown]
# **4. The probability of acceptance.** After the truncation each density is divided by its own probability of being
# accepted. The paper "safely ignores" this. With a box as wide as $\tau$ plus the distance to the reference, that is
# right: the probability is at least $1 - 1/n^2$. A narrow box has a price. With one variable the probability is exact;
# here the neighbour's mean square is 1.2, the reference 1:

# %% jupyter={"source_hidden": true}
# Computed: the probabilities of acceptance, and how they change the bound
m = 100
for width in (truncation_width(100, 1, m), 0.5, 0.2, 0.05):
    ends = m * np.array([1 - width, 1 + width])
    here, there = (np.diff(stats.chi2.cdf(ends / s, m))[0] for s in (1.0, 1.2))
    ignored = truncated_loss([[1.0]], [[1.2]], m, [[1.0]], width)
    accepted = f"width {width:.2f}: accepted {here:.3f} and {there:.3f}; bound {ignored:.1f}"
    print(f"{accepted}, acceptance changes it by up to {abs(math.log(here / there)):.2f}")

# %% [markdown]
# **5. Normalising is a release** (erratum [E90](22_errata.ipynb#E90)). The paper assumes normalised columns (equation
# (4)), "which can be taken as the first step of our sanitization scheme". Anyone who takes it so divides each column
# by its own root mean square. That number depends on every record. Replace one, and the rows of *all* women change:

# %% jupyter={"source_hidden": true}
# Computed: how many rows of 100 change when one record is replaced and columns are normalised
unscaled = answers[:100, [1, 7]].astype(float)
changed = unscaled.copy()
changed[0] = [500, 1]  # an age with a slipped digit
here, there = normalise_columns(unscaled), normalise_columns(changed)
rows_moved = np.any(~np.isclose(here, there), axis=1).sum()
goes = "the off-diagonal entry goes from {:.3f} to {:.3f}"
entries = (squared(records)[0, 1] / 100 for records in (here, there))
print(f"{rows_moved} of 100 rows change;", goes.format(*entries))
most = "largest move that one record can make without normalising, answers in [-1, 1]"
print(f"{most}: {2 / 100:.3f}")

# %% [markdown]
# ### Live: three ways to truncate
#
# Take two variables and $n$ women of the survey; in the neighbour one of them has one answer changed. The meter shows
# the loss without truncation, with each table truncated around itself, and with a public reference (the identity). The
# last row also counts the probabilities of acceptance. With two variables the largest loss
# over the accepted releases is searched on a grid.


# %%
def accepted(matrix, m, width, seed):
    """The fraction of 4,000 releases within the box around the identity, by the Bartlett
    decomposition.
    """
    generator = np.random.default_rng(seed)
    first, second = (np.sqrt(generator.chisquare(m - i, 4_000)) for i in range(2))
    below = generator.normal(size=4_000)
    root = np.linalg.cholesky(matrix)
    corner = np.array([[first, 0 * first], [below, second]])
    lower = np.einsum("ij,jkn->ikn", root, corner)
    grams = np.einsum("ikn,jkn->ijn", lower, lower) / m
    return np.mean(np.all(np.abs(grams - np.eye(2)[:, :, None]) <= width, axis=(0, 1)))


def extremes(one, other, m, width):
    """The smallest and the largest log ratio over all Gram matrices within the box around the
    identity.
    """
    side = np.linspace(max(0, 1 - width), 1 + width, 101)
    first, last = np.meshgrid(side, side)
    # no Gram matrix has a larger entry off the diagonal
    reach = np.minimum(width, np.sqrt(first * last))
    difference = np.linalg.inv(other) - np.linalg.inv(one)
    trace = difference[0, 0] * first + difference[1, 1] * last
    ends = [trace + 2 * sign * difference[0, 1] * reach for sign in (-1, 1)]
    shift = np.linalg.slogdet(other)[1] - np.linalg.slogdet(one)[1]
    return m / 2 * (shift + np.min(ends)), m / 2 * (shift + np.max(ends))


# %% jupyter={"source_hidden": true}
# Figure: extremes(matrix, other, rows, width), and the fraction accepted(...) of each
REFERENCES = ["no truncation", "around its own matrix", "around a public one"]
fig, ax = figure(height=2.9)
truncation_meter = meter(ax, [*REFERENCES, "public, acceptance counted"], 10)
truncation_verdict = verdict_text(ax)


def three_ways(women, rows, width, epsilon):
    here = signs[:women, 1:3]
    there = np.vstack([here[1:], [here[0] * [1, -1]]])
    matrices = [squared(records) / women for records in (here, there)]
    least, most = extremes(*matrices, rows, width)
    chances = [accepted(matrix, rows, width, 9) for matrix in matrices]
    gain = math.log(chances[1] / chances[0]) if min(chances) > 0 else math.nan
    counted = max(abs(least + gain), abs(most + gain))
    set_meter(truncation_meter, [math.inf, math.inf, max(-least, most), counted], epsilon)
    said = f"{percent(chances[0])}% of the releases are accepted"
    said = said if chances[0] else "none of 4,000 releases is accepted"
    set_verdict_text(truncation_verdict, None, said)
    return f"width {width:.2f}: {said}, {percent(chances[1])}% of the neighbour's"


truncation_figure = live(
    fig,
    three_ways,
    "Privacy meter with four bars and a dashed line at the claim: infinite without truncation "
    "and with the own matrix as the reference, finite with a public reference. The last also "
    "counts acceptance and is at the start nearly the same.",
    task="raise $n$ until the third bar is within the claim. Then make the box narrower: "
    "which bar comes down, and what is the price in accepted releases?",
    guess=predict(
        "Narrow the box from width 1.5 to 0.5. What fraction of the releases is accepted?",
        (0, 100, "%"),
        r"([\d.]+)% of the releases",
        width=0.5,
    ),
    women=choice([50, 100, 200, 500, 1_000, 2_000, 6_366], 500, label="women n"),
    rows=choice([5, 10, 20, 50, 100, 200], 20),
    width=slider(0.2, 4.0, 1.5, 0.1),
    epsilon=log_slider(0.1, 8, 1.0),
)
truncation_figure

# %% [markdown]
# ## A guarantee for everybody: ballast
#
# Leverage is what a record adds to a direction, as a fraction of what is there. So put something into every direction:
# $p$ public records $w e_1, \dots, w e_p$, one along each variable, among the women. Then no record of length at most
# $R$ has more leverage than
#
# $$h_{\max} = \frac{R^2}{R^2 + w^2},$$
#
# *in any company*, alone or not.
#
# > **Theorem 19.5 (ballast; after Blocki, Blum, Datta and Sheffet 2012).** With the smallest $w$ whose $h_{\max}$ has
# > an exact $\delta$ of at most the one claimed, the projection is $(\varepsilon, \delta)$-private under add/remove
# > for *all* tables with records of length at most $R$.
#
# <details><summary>Proof: less leverage is more noise, and noise that is added afterwards is free.</summary>
#
# $\delta$ grows with $h$: to lower the leverage is to add independent normal noise to both releases, which is
# post-processing. $\square$
#
# </details>
#
# The paper does not do this; Blocki, Blum, Datta and Sheffet did, with other constants.

# %%
show_source(ballast_projection)
show_source(ballast)
reach = f"the eigenvalues of A reach from {sizes[0]:,.0f} to {sizes[-1]:,.0f}"
for m in (20, 200, 2_000):
    weight = ballast(m, bound, 1.0, 1e-6)
    print(f"m = {m:>5}, epsilon 1, delta 1e-6: w^2 = {weight**2:,.0f}; {reach}")

# %% [markdown]
# Adding $w^2 I$ changes no eigenvector. But the error of a release is in proportion to $A + w^2 I$, and $w^2$ grows
# with $m$, in the end like $\sqrt m$. More rows need more ballast. The woman who is alone is now safe:

# %%
m = 200
safe = ballast(m, math.sqrt(p + 1), 1.0, 1e-6)
protected = leverages(np.vstack([with_diagnosis, safe * np.eye(p + 1)]))[77]
print(f"her leverage {hers:.2f} without ballast, {protected:.4f} with it")
print(f"her delta at epsilon 1: {words(projection_delta(protected, m, 1.0))}, claimed 1e-6")

# %% [markdown]
# ### The plain rivals
#
# Everything depends on $p(p+1)/2$ sums of products. Why not add noise to these? A record of length at most $R$ moves
# them by at most $R^2 (p+1)/2$ in all. Laplace noise of that scale over $\varepsilon$ gives plain $\varepsilon$-DP,
# without any $\delta$.
#
# If you accept a $\delta$, you can use Gaussian noise, too (*Analyze Gauss*). In Euclidean length a record moves the
# matrix by at most $R^2$. The noise is calibrated exactly ([24](24_gaussian.ipynb)), at the *same* $\varepsilon$ and
# $\delta$ as ballast. From either result one can draw a table, if a table is wanted
# (eigenvalues below 0 must first be set to 0).

# %%
show_source(laplace_gram)
show_source(gaussian_gram)

# %% [markdown]
# ## Live: the same two directions, four ways
#
# The figure has the median angle to the true leading directions, over 20 releases each, against $\varepsilon$. The
# projection comes without a guarantee, and with ballast ($\delta = 10^{-6}$). The Gram matrix gets Gaussian noise (the
# same $\delta$) or Laplace noise ($\delta = 0$).

# %%
EPSILONS = np.geomspace(0.03, 10, 9)
weights = {m: [ballast(m, bound, e, 1e-6) for e in EPSILONS] for m in ROWS[2:]}
no_women, store = np.zeros((p, p)), np.random.default_rng(15)
gauss_noise = [  # a store of noise to pick from: the release of a table of nobody is all noise
    np.array([gaussian_gram(no_women, bound, e, 1e-6, store) for _ in range(60)])
    for e in EPSILONS
]
women_grams = {count: X[:count].T @ X[:count] for count in (500, 1_000, 2_000, n)}
UPPER = np.triu_indices(p)  # the entries on and above the diagonal


def laplace_grams(truth, epsilon, rng):
    """Twenty draws of `laplace_gram` at once."""
    made, scale = np.zeros((20, p, p)), bound**2 * (p + 1) / 2
    zeros = np.zeros((20, UPPER[0].size))
    made[:, UPPER[0], UPPER[1]] = laplace_mechanism(zeros, scale, epsilon, rng)
    return truth + made + np.triu(made, 1).swapaxes(1, 2)


@functools.lru_cache(maxsize=32)
def releases(rows, women, seed):
    """Twenty releases of each kind as Gram matrices: no guarantee; ballast, Laplace and
    Gaussian noise at each epsilon.
    """
    rng, truth = np.random.default_rng(seed), women_grams[women]

    def projected(gram):
        """Twenty tables of `rows` rows each, drawn as one."""
        tables = projection_from_gram(gram, 20 * rows, rng).reshape(20, rows, p)
        return 20 * tables.swapaxes(1, 2) @ tables

    none, rest = projected(truth), []
    for weight, epsilon, stored in zip(weights[rows], EPSILONS, gauss_noise, strict=True):
        heavy = projected(truth + weight**2 * np.eye(p))
        noisy = laplace_grams(truth, epsilon, rng)
        rest.append([heavy, noisy, truth + stored[rng.choice(60, 20, replace=False)]])
    return none, np.array(rest)


for rows in ROWS[2:]:  # so that no first move waits
    releases(rows, n, 1)

# %% jupyter={"source_hidden": true}
# Figure: the median principal_angle of 20 releases, without a guarantee and by three routes
fig, ax = figure(height=3.2)
looks = {"projection, no guarantee": "grey :", "with ballast": "other s--"}
looks |= {"Laplace noise on the sums": "noisy o-", "Gaussian noise on the sums": "third ^-."}
rival_lines = curves(ax, EPSILONS, looks)
x_axis(ax, "epsilon", ticks=[0.1, 1, 10], log=True)
y_axis(ax, "angle to the truth, degrees", (-2, 92))
rival_verdict = verdict_text(ax)
legend_above(fig, columns=2)


def rivals(rows, women, components, seed):
    unprotected, rest = releases(rows, women, seed)
    everything = np.concatenate([unprotected, rest.reshape(-1, p, p)])
    angles = principal_angle(women_grams[women], everything, components)
    none = np.median(angles[:20])
    heavy, noisy, gaussian = np.median(angles[20:].reshape(-1, 3, 20), axis=2).T
    set_curves(rival_lines, [none, heavy, noisy, gaussian])
    at = int(np.argmin(np.abs(np.log(EPSILONS))))
    three = [amount(angle[at], 2) for angle in (heavy, noisy, gaussian)]
    words = "at ε = {:.2g}: ballast {}°, Laplace {}°, Gaussian {}°"
    set_verdict_text(rival_verdict, None, words.format(EPSILONS[at], *three))
    words = f"no guarantee {none:.1f} degrees, ballast {heavy[at]:.1f}"
    words += f", Gaussian noise on the sums {gaussian[at]:.1f}, Laplace {noisy[at]:.1f}"
    return f"at epsilon {EPSILONS[at]:.2g}: {words}"


rival_figure = live(
    fig,
    rivals,
    "Median angle to the true leading directions against epsilon: flat for the projection "
    "without a guarantee, falling for the projection with ballast, falling for Laplace noise "
    "on the sums of products and, lower, for Gaussian noise.",
    task="move *rows* to 4,096. Where does ballast beat the Laplace noise, and where the "
    "Gaussian?",
    guess=predict(
        "With 4,096 rows and ε near 1, how far off is the projection with ballast?",
        (0, 90, " degrees"),
        r"ballast ([\d.]+)",
        rows=4_096,
    ),
    rows=choice(ROWS[2:], 256),
    women=choice(list(women_grams), n, label="women n"),
    components=slider(1, 4, 2, label="directions"),
    seed=new_noise(1),
)
rival_figure


# %%
def median_angle(make):
    """The median angle of two directions to the true ones, over 100 releases."""
    return np.median(principal_angle(gram, np.array([make() for _ in range(100)]), 2))


def drawn_from_sums(m, epsilon, rng):
    """A table of m rows, as its Gram matrix: drawn from the sums with Gaussian noise."""
    values, axes = np.linalg.eigh(gaussian_gram(gram, bound, epsilon, 1e-6, rng))
    clipped = (axes * np.maximum(values, 0)) @ axes.T
    return squared(projection_from_gram(clipped, m, rng))


# %% jupyter={"source_hidden": true}
# Computed: median angles of 100 releases at five epsilons, for ballast and both kinds of noise
rng = np.random.default_rng(12)
print("median angle, in degrees:")
for epsilon in (0.03, 0.1, 0.3, 1.0, 3.0):
    noisy = median_angle(lambda e=epsilon: laplace_gram(X, bound, e, rng))
    heavy = []
    for m in (16, 256, 4_096):
        weighted = gram + ballast(m, bound, epsilon, 1e-6) ** 2 * np.eye(p)
        angle = median_angle(lambda g=weighted, m=m: squared(projection_from_gram(g, m, rng)))
        heavy.append(f"m = {m}: {angle:.1f}")
    gaussian = median_angle(lambda e=epsilon: gaussian_gram(gram, bound, e, 1e-6, rng))
    print(f"    epsilon {epsilon:<4} Laplace {noisy:4.1f}, Gaussian {gaussian:4.1f};", end=" ")
    print("ballast", ", ".join(heavy))
rng = np.random.default_rng(14)
print("a table drawn from the sums with Gaussian noise:")
for epsilon in (0.03, 0.1, 0.3, 1.0, 3.0):
    drawn = []
    for m in (16, 256):
        angle = median_angle(lambda e=epsilon, m=m: drawn_from_sums(m, e, rng))
        drawn.append(f"m = {m}: {angle:.1f}")
    print(f"    epsilon {epsilon:<4}", ", ".join(drawn))

# %% [markdown]
# These are medians of 100 releases. At $\varepsilon = 0.3$ and below, ballast with thousands of rows is better than
# Laplace noise. But nearly all of that comes from $\delta$, not from the projection. Gaussian noise with the same
# $\delta$ is within a few degrees of it at 0.03, and better from 0.1 up. Try it with
# [4,096 rows](#move:rows=4096&women=6366) and with
# [500 women](#move:women=500): there ballast with 1,024 rows or more beats Laplace noise near $\varepsilon = 1$, too.
#
# ## On your own
#
# A hint and an answer for each: [exercises/answers/19_projection](../exercises/answers/19_projection.ipynb).
#
# **Assignment 19:** [five tasks, checked in a second](../exercises/releases/19_projection.ipynb).
#
# 1. *Warm-up.* In the first live figure, how many rows bring two directions to 10 degrees? How many bring them to 5?
#    How does the angle depend on the rows?
# 2. Leverages add up to $p$. How small can the *largest* leverage of a table be? Which tables reach it?
# 3. Take a made-up table with 20 women and 8 variables. Which $\delta$ has the projection to 10 rows for its worst
#    woman, at $\varepsilon = 1$? Compare with the survey.
# 4. The loss $L$ of Theorem 19.2 has a smallest value and no largest. Compute the smallest for $h = 0.05$ with 100 and
#    with 1,000 rows. Draw 200,000 losses of each table ($z_i^2$ with variance $h$ and $h(1-h)$). Which of the two
#    tables, with her or without, can a release all but prove? By what factor at most can it favour the other?
# 5. Two releases of 100 rows each of the same table: is that the same as one of 200 rows? (Look at $L$.)
# 6. *Challenge.* The ballast here is the same for all variables. If a public source says which variables are short, is
#    there a better one, $w_1, \dots, w_p$, for the same guarantee? Start with two variables.
#
# A start for exercise 3:

# %%
few = np.random.default_rng(10).uniform(-1, 1, (20, 8))
worst = leverages(few).max()
print(f"largest leverage {worst:.2f}: delta {projection_delta(worst, 10, 1.0):.2g}")

# %% [markdown]
# ## When to use it, and when not
#
# The table has the angle of the two leading directions of the survey, median of 200 releases each, and the guarantee.
# (The plain projection is drawn from the Gram matrix: as seen above, it has the same distribution, and is faster. The
# bounds of the truncated ones do not count acceptance.)


# %%
def row(name, grams, guarantee, truth=gram):
    angles = principal_angle(truth, np.array(grams), 2)
    return name, np.median(angles), guarantee


rng, rows, draws = np.random.default_rng(11), [], range(200)
pure, approximate = "epsilon 1, all tables", "epsilon 1, delta 1e-6, all tables"
for m in (20, 200, 2_000):
    tau = truncation_width(n, p, m)
    worst = worst_bound(at_survey, m, tau + 1)
    only_here = f"epsilon {worst:.0f}, only for neighbours of this table"
    plain = [squared(projection_from_gram(gram, m, rng)) for _ in draws]
    boxed = [squared(truncated_projection(signs, m, identity, tau + 1, rng)) for _ in draws]
    heavy = [squared(ballast_projection(X, m, bound, 1.0, 1e-6, rng)) for _ in draws]
    rows += [
        row(f"projection, {m} rows", plain, "none"),
        row(f"truncated, {m} rows (signs)", boxed, only_here, sigma),
        row(f"ballast, {m} rows", heavy, approximate),
    ]
laplace = [laplace_gram(X, bound, 1.0, rng) for _ in draws]
gaussian = [gaussian_gram(gram, bound, 1.0, 1e-6, rng) for _ in draws]
shuffled = [np.diag(rng.permutation(p).astype(float)) for _ in draws]
rows += [
    row("Laplace noise on the sums", laplace, pure),
    row("Gaussian noise on the sums", gaussian, approximate),
    row("two axes at random", shuffled, "perfect: ignores the data"),
]
table = pd.DataFrame(rows, columns=["release", "degrees", "guarantee"])
table.set_index("release").sort_index().round(1)

# %% [markdown]
# **Use the projection** to make a table smaller. With a few thousand rows the two leading directions stay within a few
# degrees, and later work shrinks by the factor $n/m$. That is no guarantee of privacy.
#
# **If the release must be a table**, for a program that cannot be changed, draw it from the sums with Gaussian noise. At
# the same $m$, $\varepsilon$ and $\delta$ it keeps the two directions as well as ballast or better. That holds here with
# 16 and with 256 rows, at every $\varepsilon$ from 0.03 to 3, up to a few degrees of chance. Both need large
# $n$, an explicit $\delta$, and public bounds.
#
# **Do not use it**
#
# - as differential privacy, plain or truncated: it fails for the woman who is alone, and only the data can confirm what
#   it assumes about them;
# - when the Gram matrix can be released instead. For all 6,366 women, at $\varepsilon = 1$ and above, Laplace noise on
#   its few sums is more accurate and needs no $\delta$. Gaussian noise with a $\delta$ was the best from
#   $\varepsilon = 0.1$ up;
# - for anything that is not in the Gram matrix: counts of categories, medians, rare cases. The release does not hold it.
#
# **Check** that columns are scaled by public numbers; that a reference or a box was chosen without the data; that $\delta$
# is far below $1/n$.
#
# ## Sources
#
# - **002** Shuheng Zhou, Katrina Ligett, Larry Wasserman: *Differential Privacy with Compression*. ISIT 2009.
#   [arXiv:0901.1365](https://arxiv.org/abs/0901.1365).
# - Laurent Zwald, Gilles Blanchard: *On the Convergence of Eigenspaces in Kernel Principal Component Analysis*. NIPS
#   2005, pages 1649 to 1656. Theorem 19.1.
# - Jeremiah Blocki, Avrim Blum, Anupam Datta, Or Sheffet: *The Johnson-Lindenstrauss Transform Itself Preserves
#   Differential Privacy*. FOCS 2012. [doi:10.1109/FOCS.2012.67](https://doi.org/10.1109/FOCS.2012.67). Ballast.
# - Shuheng Zhou, John Lafferty, Larry Wasserman: *Compressed and Privacy-Sensitive Sparse Regression*. IEEE Transactions
#   on Information Theory 2009. The constants of Lemma B.1.
# - Cynthia Dwork, Kunal Talwar, Abhradeep Thakurta, Li Zhang: *Analyze Gauss: Optimal Bounds for Privacy-Preserving
#   Principal Component Analysis*. STOC 2014. [doi:10.1145/2591796.2591883](https://doi.org/10.1145/2591796.2591883).
# - Borja Balle, Yu-Xiang Wang: *Improving the Gaussian Mechanism for Differential Privacy: Analytical Calibration and
#   Optimal Denoising*. ICML 2018. [arXiv:1805.06530](https://arxiv.org/abs/1805.06530).
# - Or Sheffet: *Differentially Private Ordinary Least Squares*. ICML 2017.
#   [arXiv:1507.02482](https://arxiv.org/abs/1507.02482). Regression from projections and from noisy sums.
#
# <details><summary>What of 002 is on this page, and what is not</summary>
#
# Definitions 2.1 to 2.4, Theorem 2.5, Proposition 3.4. Theorems 3.2, 3.5 and 5.1 and Example 3.6 (as numbers), equation
# (4), Procedures 4.1 and 4.2. Lemma 4.4, Theorem 4.6, appendices B and C. Not here: Propositions 3.1 and C.1, Corollary
# 3.7, Lemmas 3.3, 4.5 and C.2. Made plain on this page: what its guarantee covers, the reference, the ignored
# probabilities, the normalisation, how informative the table is. Added: the exact loss by leverage. The source has no
# experiments.
#
# </details>
#
# `dpbook` is for learning, not for real releases ([00](00_start_here.ipynb) says why).
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [18 Compressed sensing on tables](18_sensing.ipynb) · **Next:** [20 ALP: a sparse vector in a small sketch](20_alp.ipynb)
