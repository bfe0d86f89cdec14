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
# # Answers to 19 Projection: compressing the records themselves
#
# A hint and a computed answer for each task "On your own" of the page. Try first; there is more than one good answer.

# %%
import itertools
import math

import numpy as np
import pandas as pd

from dpbook import data
from dpbook.projection import (
    ballast,
    gaussian_projection,
    leverages,
    loss_tail,
    principal_angle,
    projection_delta,
    projection_from_gram,
    projection_loss,
)

survey = {name: column for name, column in data.affairs().items() if name != "affairs"}
lows, highs = np.array([column.bounds for column in survey.values()]).T
answers = np.column_stack([column.values for column in survey.values()])
X = 2 * (answers - lows) / (highs - lows) - 1
n, p = X.shape
gram = X.T @ X

# %% [markdown]
# ## 1. Ten degrees, and five
#
# *Hint.* The median of many releases for each number of rows, then a search. Is (angle) x (root of the rows) constant?


# %%
def median_angle(m, repeats=300):
    """The median angle of the first two directions over releases of m rows."""
    rng = np.random.default_rng(m)
    made = np.array([projection_from_gram(gram, m, rng) for _ in range(repeats)])
    return np.median(principal_angle(gram, made.swapaxes(1, 2) @ made, 2))


tried = [int(m) for m in np.geomspace(32, 2048, 19)]
angles = {m: median_angle(m) for m in tried}
constant = np.mean([angles[m] * math.sqrt(m) for m in tried if m >= 128])
for wanted in (10, 5):
    first = next(m for m in tried if angles[m] <= wanted)
    print(f"{wanted} degrees: {first} rows of those tried, {(constant / wanted) ** 2:.0f} by the formula")
print("angle x sqrt(rows):", {m: round(float(angles[m] * math.sqrt(m))) for m in tried[::3]})

# %% [markdown]
# *Answer.* Half the angle takes about four times the rows: the angle falls like $1/\sqrt m$, once it is small. The
# product in the last line settles to a constant; for few rows it cannot, because no angle is above 90 degrees. The
# figure has powers of two only: there 512 is the first median below 10 degrees, and 1,024 comes close to 5.
#
# ## 2. The smallest largest leverage
#
# *Hint.* The leverages of $n$ records add up to $p$. How small can the largest of $n$ numbers be?

# %%
plane = 2 * np.pi * np.arange(7) / 7
tables = {
    "the survey": X,
    "8 signs, every pattern once": np.array(list(itertools.product((-1.0, 1.0), repeat=8))),
    "7 points evenly on a circle": np.column_stack([np.cos(plane), np.sin(plane)]),
    "the same, one axis stretched": np.column_stack([np.cos(plane), 5 * np.sin(plane)]),
    "6,366 made-up normal records": np.random.default_rng(1).normal(size=X.shape),
}
rows = [(name, *table.shape, leverages(table).max(), table.shape[1] / len(table)) for name, table in tables.items()]
names = ["table", "n", "p", "largest leverage", "p / n"]
print(pd.DataFrame(rows, columns=names).round(5).to_string(index=False))

# %% [markdown]
# *Answer.* $p/n$, the average, for a table of rank $p$ (else the rank over $n$). It is reached where all leverages are
# equal: $v^\top A^{-1} v$ is the same for every record. Then all records lie on one ellipsoid, the one that $A$ itself
# describes. A stretched axis changes nothing, for leverage does not depend on the unit of a variable. Equal *lengths*
# are not enough.
#
# ## 3. Twenty women
#
# *Hint.* The start of the page has it. For the survey take its own largest leverage and the same 10 rows.

# %%
few = np.random.default_rng(10).uniform(-1, 1, (20, 8))
for name, table in (("20 women, 8 variables", few), ("the survey", X)):
    worst = leverages(table).max()
    print(
        f"{name}: largest leverage {worst:.4f}; for 10 rows and epsilon 1 delta "
        f"{projection_delta(worst, 10, 1.0):.2g}, "
        f"Pr[loss > 1] {loss_tail(worst, 10, 1.0):.2g}"
    )
others = [leverages(np.random.default_rng(seed).uniform(-1, 1, (20, 8))).max() for seed in range(200)]
low, high = (projection_delta(h, 10, 1.0) for h in (min(others), max(others)))
print(f"200 other made-up tables: delta from {low:.2g} to {high:.2g}; p / n alone gives {8 / 20:.2f}")

# %% [markdown]
# *Answer.* With few records somebody must have a large leverage, at least $p/n$. The delta is then no small number at
# all: nobody would take such a guarantee seriously. In the survey the same projection tells next to nothing, about *these*
# women.
#
# ## 4. What a release can prove
#
# *Hint.* $L$ is the log of the density *with* her over the density *without*. What is its smallest value? Its largest?

# %%
rng = np.random.default_rng(4)
for h, m in ((0.01, 100), (0.05, 100), (0.05, 1000), (0.9, 10)):
    least = m / 2 * math.log1p(-h)
    chi = rng.chisquare(m, 200_000)
    given, lacking = least + h / 2 / (1 - h) * chi, least + h / 2 * chi
    print(
        f"h = {h:<4}, m = {m:>4}: L above {least:6.2f} always, so 'without' is at most {math.exp(-least):,.3g} times "
        f"likelier; in 200,000 releases with her L reached {given.max():.1f}, without her {lacking.max():.1f}"
    )

# %% [markdown]
# *Answer.* Both begin at $\frac m2\ln(1-h)$, where all $z_i$ are 0. There is no end on the right. A release far out
# there all but proves the table *with* her, however small $h$ is. (It is only rare.) The table *without* her can never
# be favoured by more than the factor $(1-h)^{-m/2}$: absence is never proved. (The factor is finite, not always small:
# see the rows with many rows $m$ or a large $h$. At $h = 1$ it is infinite.)
#
# ## 5. Twice 100 rows
#
# *Hint.* Stack the two releases. What is the variance of the entries, and what would it be for 200 rows? Then look at
# which part of $L$ depends on $m$.

# %%
outlier = int(leverages(X).argmax())
rng = np.random.default_rng(5)
parts = [gaussian_projection(X, 100, rng) for _ in range(2)]
one_of_200 = np.vstack(parts) / math.sqrt(2)
apart = sum(projection_loss(part, X, outlier) for part in parts)
together = projection_loss(one_of_200, X, outlier)
print(f"loss of the first + loss of the second = {apart:.6f}, of the stacked table {together:.6f}")
assert math.isclose(apart, together)
h = leverages(X)[outlier]
for some_h in (h, 0.05):
    deltas = [projection_delta(some_h, m, 0.5) for m in (100, 200)]
    print(f"leverage {some_h:.4f}, epsilon 0.5: delta {deltas[0]:.3g} for 100 rows, {deltas[1]:.3g} for 200")

# %% [markdown]
# *Answer.* Yes, but for the unit. Divided by $\sqrt2$ the stacked rows have the distribution of a release of 200 rows.
# And $L$ is a sum over rows, the part $\frac m2\ln(1-h)$ included. So a second release costs what more rows cost at once.
# There is no discount, and no extra charge: the exact delta for 200 rows is the delta of both together.
#
# ## 6. A ballast that knows the scales
#
# *Hint.* With ballast $w_j$ along variable $j$ a record's leverage is at most $q/(1+q)$ with $q = \sum_j v_j^2/w_j^2$.
# A public source says $|v_j| \le b_j$. The guarantee fixes the largest $q$; which $w$ with that $q$ adds the smallest sum?

# %%
m, epsilon, delta = 200, 1.0, 1e-6
limit = 1 / (ballast(m, 1.0, epsilon, delta) ** 2)  # the most that q may be


def ballasts(b):
    """Squared weights: the same for all variables, and in proportion to b. Both keep q within the limit."""
    same = np.full(b.size, np.sum(b**2) / limit)
    return same, b * b.sum() / limit


def off(table, b, squares, repeats=300):
    """Median errors of each entry of the Gram matrix, the public ballast taken off again, by the size of the entry."""
    rng, sums = np.random.default_rng(6), table.T @ table
    made = [projection_from_gram(sums + np.diag(squares), m, rng) for _ in range(repeats)]
    errors = np.array([one.T @ one - np.diag(squares) - sums for one in made])
    return np.median(np.abs(errors), axis=0) / np.outer(b, b) / n


b = np.array([1.0, 0.1])
table = X[:, [1, 6]] * b
rows = []
for name, squares in zip(("the same", "in proportion to b"), ballasts(b), strict=True):
    q = np.sum(b**2 / squares)
    spent = projection_delta(q / (1 + q), m, epsilon)
    errors = off(table, b, squares)
    rows.append((name, *squares, squares.sum(), spent * 1e6, errors[0, 0], errors[0, 1], errors[1, 1]))
names = [
    "ballast",
    "w1^2",
    "w2^2",
    "sum",
    "delta x 1e6",
    "error A11",
    "error A12",
    "error A22",
]
print("two variables, the second at most a tenth of the first; errors as fractions of n b_i b_j")
print(pd.DataFrame(rows, columns=names).set_index("ballast").round(3).to_string())
for spread in (1.0, 0.5, 0.1, 0.01):
    same, fitting = ballasts(np.array([1.0, spread]))
    print(f"b = (1, {spread}): sum of w^2 in proportion to b / the same {fitting.sum() / same.sum():.2f}")

# %% [markdown]
# *Answer.* The sum is smallest, under $\sum b_j^2/w_j^2 = q$, with $w_j^2 = b_j \sum_i b_i/q$ (Lagrange). It is never
# more than the same ballast for all, at most by a factor $p$ less, and equal if all $b_j$ are. The guarantee is the same:
# the record with $|v_j| = b_j$ has the same largest leverage, and company only lowers it. The gain is in the short
# variable, which the even ballast buries; the long one pays next to nothing. The price: $\mathrm{diag}(w^2)$ turns the
# directions, so it must be taken off again before PCA. (It is public, so that is free.) What is left may have directions
# below 0.
