# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Answers to chapter 11
#
# One hint and one computed answer for each task "On your own" of
# [11 Regression: one record against the curve](../../notebooks/11_regression.ipynb). Read the hint first.

# %%
import math

import numpy as np

from dpbook import data
from dpbook.regression import (
    LOGISTIC,
    accuracy,
    functional_sensitivity,
    huber,
    objective_loss,
    output_perturbation,
    repaired_epsilon,
    unit_ball,
)

# %% [markdown]
# ## 1. Where the printed mechanism becomes private
#
# **Hint.** Theorem 11.2: what is the product of regularisation and epsilon at the border?
#
# **Answer.** At epsilon 10, where the product is 1. A hair below, the exact loss is a hair above the claim.

# %%
for epsilon in (5.0, 9.0, 9.9, 10.0, 11.0):
    loss = objective_loss(0.1, epsilon, LOGISTIC)
    print(f"epsilon {epsilon:<4} exact loss {loss:.6f}: {'kept' if loss <= epsilon * (1 + 1e-9) else 'BROKEN'}")

# %% [markdown]
# ## 2. Choosing the regularisation
#
# **Hint.** `output_perturbation(..., size=100)`, medians on the second half. For the price: a choice among six by the
# exponential mechanism, with the number of records that are classified rightly as the score, sensitivity 1.
#
# **Answer.** A stiff spring is best at this epsilon: 100 or 300, level to a few thousandths. Choosing it by looking has no finite
# price: the choice is a function of the data, without noise. Chosen privately, by counts of right answers, it needs some
# epsilon of its own. And to compare six *private* models you must train each, at its own epsilon. (Here other women
# train than judge. If it is fixed beforehand who does which, each woman pays for her part only: 0.6 or 0.1.)

# %%
women = data.affairs_prediction()
x, y = unit_ball(women.features, women.bounds), women.answers
right = {}
for regularisation in (1, 3, 10, 30, 100, 300):
    drawn = output_perturbation(x[::2], y[::2], regularisation, LOGISTIC, 0.1, np.random.default_rng(1), size=100)
    right[regularisation] = np.median(accuracy(drawn, x[1::2], y[1::2]))
    print(f"lambda {regularisation:>3}: median accuracy {right[regularisation]:.3f}")
counts = np.array(list(right.values())) * len(x[1::2])
chances = np.exp(0.1 * (counts - counts.max()))
print("chances of each, chosen at epsilon 0.1 by such counts:", (chances / chances.sum()).round(3))
print(f"six models at epsilon 0.1 each and the choice: {7 * 0.1:.1f} for a woman who is in both")

# %% [markdown]
# ## 3. The width of the corner
#
# **Hint.** No extra regularisation is needed while ln(1 + c / lambda) is at most half of epsilon, and c = 1 / (2 h).
#
# **Answer.** h must be at least 1 / (2 lambda (e^(epsilon/2) - 1)), here 0.176.

# %%
border = 1 / (2 * 10 * math.expm1(0.25))
for width in (0.9 * border, border * (1 + 1e-12), 1.1 * border):
    print(f"h = {width:.4f}: extra regularisation {repaired_epsilon(10, huber(width), 0.5).extra:.4f}")
assert (
    repaired_epsilon(10, huber(1.01 * border), 0.5).extra == 0 < repaired_epsilon(10, huber(0.99 * border), 0.5).extra
)

# %% [markdown]
# ## 4. Three features in a box
#
# **Hint.** d^2 + 2 d against 2 (d + 1)^2. In the unit ball the rows are shorter by sqrt(3), so the sums are smaller
# too. Compare the noise with the size of what it is added to.
#
# **Answer.** The exact sensitivity halves the noise, and more. Scaling divides the sum of squares by 3 and the
# first-degree sums by sqrt(3). Relative to the second-degree coefficients the ball then needs 29% *more* noise than
# the box. Relative to the first-degree ones it needs 25% less.

# %%
d = 3
box, printed, ball = d**2 + 2 * d, 2 * (d + 1) ** 2, functional_sensitivity(d, "linear")
print(f"printed {printed}, exact add/remove {box}: {printed / box:.2f} times the noise for nothing")
print(f"unit ball {ball:.3f}; in units of the box: {ball * d:.2f} for degree 2, {ball * math.sqrt(d):.2f} for degree 1")

# %% [markdown]
# ## 5. What the walk is charged
#
# **Hint.** At w = 0 a margin is 0. A step of s along one weight makes it at most s, for a record along that axis.
# What is the slope of the logistic loss around 0?
#
# **Answer.** Half: L(-s) - L(s) = s exactly, and no record in the ball does more. The exact difference depends on
# where the walk stands, which is public (it was released), and on the step. So you may charge it. It is the largest
# difference over the unit ball, and must not be taken over the records.

# %%
directions = np.random.default_rng(5).standard_normal((20_000, 3))
ball_records = directions / np.linalg.norm(directions, axis=1, keepdims=True)
ball_records = np.vstack([ball_records, np.eye(3), -np.eye(3)])
step = 0.5
for place in (np.zeros(3), np.array([2.0, 0, 0]), np.array([2.0, -2.0, 2.0]), np.array([9.0, 0, 0])):
    candidates = place + step * np.vstack([np.zeros(3), np.eye(3), -np.eye(3)])
    spread = np.ptp(LOGISTIC.value(ball_records @ candidates.T), axis=1).max()
    print(f"at {place}: spread {spread:.3f}, charged {2 * step:.3f}")

# %% [markdown]
# ## 6. All that the exact loss allows
#
# **Hint.** E grows with the rate: halve an interval. Where lambda epsilon is at least 1, what is the answer without computing?
#
# **Answer.** Where lambda epsilon is at least 1, the whole epsilon may be spent on the noise. The repair leaves a
# quarter of it unused where lambda epsilon is 1 and epsilon small, and less for a large epsilon. At 10 it leaves
# hardly any. However small the rate, E is at least its value at s = 1/2, which exceeds ln(1 + 1/(4 lambda)). Where
# that is epsilon or more, no rate will do, and the spring must be stiffened first.


# %%
def largest_rate(regularisation, epsilon):
    """The largest rate whose exact loss keeps epsilon, or 0."""
    low, high = 0.0, epsilon
    for _ in range(60):
        middle = (low + high) / 2
        kept = middle > 0 and objective_loss(regularisation, middle, LOGISTIC) <= epsilon
        low, high = (middle, high) if kept else (low, middle)
    return low


for regularisation in (0.1, 1.0, 10.0):
    for epsilon in (0.1, 1.0):
        repair, rate = repaired_epsilon(regularisation, LOGISTIC, epsilon), largest_rate(regularisation, epsilon)
        print(
            f"lambda {regularisation:<4} epsilon {epsilon:<3}: repair {repair.epsilon:.4f} with {repair.extra:.3f} added;"
            f" largest rate without any {rate:.4f}"
        )
assert largest_rate(1.0, 1.0) > 0.999 > repaired_epsilon(1.0, LOGISTIC, 1.0).epsilon
