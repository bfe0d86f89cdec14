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
# # Answers to 05 Averages, six ways
#
# A hint and a computed answer for each task "On your own" of the page. Try first; there is more than one good answer.

# %%
import math
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd

from dpbook import data
from dpbook.audit import exact_loss
from dpbook.averages import (
    centred_average,
    clamped_average,
    clamped_law,
    clamped_loss,
    clipped_average,
    clipped_error,
    exponential_average,
    exponential_loss,
    median_average,
    median_law,
    repaired_clamped_epsilon,
    resampling_average,
    resampling_law,
    resampling_loss,
    simple_average,
    simple_loss,
)
from dpbook.laplace import laplace_log_density, laplace_mechanism
from dpbook.plots import COLOURS, figure, show

voters, insured = data.election(), data.health_insurance()
first_year = np.unique(data.health_insurance_person(), return_index=True)[1]
shuffled = np.random.default_rng(5).permutation
ages, age_bounds = shuffled(voters["age"].values), voters["age"].bounds
visits, visit_bounds = shuffled(insured["mdvis"].values[first_year]), (0, 365)

# %% [markdown]
# ## 1. Bounds that lose less
#
# *Hint.* The loss is $\frac{\varepsilon}{2}(1 + \max(|L|, |H|)/W)$. When is the larger of the two smallest, for a
# given width?

# %%
width = 10
for low in (-15, -10, -8, -6, -5, -4, -2, 0, 5):
    loss = simple_loss((low, low + width), 1.0)
    print(f"[{low:>3}, {low + width:>2}]: {loss:.3f} epsilon" + ", less than it" * (loss < 1))
print(f"symmetric bounds of any width: {[simple_loss((-w, w), 1.0) for w in (0.5, 3, 100)]}")

# %% [markdown]
# *Answer.* All bounds with zero strictly inside. The smallest loss has bounds that are symmetric around zero, of
# any width. There no record is farther from zero than half of the width, and the noise is made for the whole. (The
# centred average makes them symmetric, and halves the noise: so it wastes nothing.)
#
# ## 2. Two zeros and a one
#
# *Hint.* $\frac32 e^{2\varepsilon/3} > e^\varepsilon$ is the same as $\frac32 > e^{\varepsilon/3}$.

# %%


def zeros_loss(zeros, epsilon):
    """The exact loss of the clamped average on so many zeros, with and without a one."""
    peak = 1 / (zeros + 1)
    cells = np.unique([*np.linspace(0, 1, 61), peak - 1e-7, peak + 1e-7])
    alone = [0.0] * zeros
    pair = [clamped_law(v, (0, 1), cells, epsilon) for v in (alone, [*alone, 1.0])]
    return exact_loss(*pair).loss


for zeros in (1, 2, 3, 10, 100):
    limit = (zeros + 1) * math.log((zeros + 1) / zeros)
    around = [zeros_loss(zeros, factor * limit) / (factor * limit) for factor in (0.9, 1, 1.1)]
    print(
        f"n = {zeros:>3}: broken below {limit:.4f}; loss / epsilon 10% below, there, above:",
        [round(float(part), 4) for part in around],
    )

# %% [markdown]
# *Answer.* Below $3 \ln \frac32$, the second line; for $n$ zeros below $(n + 1) \ln \frac{n+1}{n}$, which falls from
# $2 \ln 2$ towards 1. So at an $\varepsilon$ of at most 1 every number of zeros breaks it, and one zero breaks it
# most.
#
# ## 3. An uneven split
#
# *Hint.* Let $\tau = |\mathrm{avg} - \text{middle}| / (W/2)$. The sum's noise enters the average with the scale
# $\frac{W}{2} \cdot \frac{1}{t \varepsilon n}$, the count's with
# $\tau \frac{W}{2} \cdot \frac{1}{(1-t) \varepsilon n}$. Make the sum of their squares small.

# %%


def uneven(values, bounds, t, epsilon, rng, size):
    """The centred average with t epsilon for the sum and the rest for the count, clamped."""
    (low, high), n = bounds, values.size
    middle = (low + high) / 2
    distances = np.full(size, values.sum() - n * middle)
    noisy_sum = laplace_mechanism(distances, (high - low) / 2, t * epsilon, rng)
    noisy_count = laplace_mechanism(np.full(size, float(n)), 1, (1 - t) * epsilon, rng)
    return np.clip(middle + noisy_sum / np.maximum(noisy_count, 1), low, high)


splits = np.round(np.arange(0.1, 0.95, 0.1), 1)
for name, values, bounds in (
    ("visits", visits[:900], visit_bounds),
    ("ages", ages[:900], age_bounds),
):
    tau = abs(values.mean() - sum(bounds) / 2) / ((bounds[1] - bounds[0]) / 2)
    best = 1 / (1 + tau ** (2 / 3))
    errors = {}
    for t in (*splits, round(best, 3)):
        draws = uneven(values, bounds, t, 0.5, np.random.default_rng(1), 40_000)
        errors[float(t)] = round(float(np.abs(draws - values.mean()).mean()), 3)
    print(f"{name}: tau {tau:.3f}, by the formula t = {best:.3f}; mean errors", errors)

# %% [markdown]
# *Answer.* Setting the derivative to zero gives $t = 1 / (1 + \tau^{2/3})$. That is a half for an average near a
# bound, where both noises count alike. The nearer the average lies to the middle, the more goes to the sum, because
# there the noise of the count hardly matters. The even split costs a tenth for these ages. It would cost more nearer
# to the middle: a factor of 2 exactly there, where the sum should get everything. And no: a $t$ that is chosen after
# looking is a function of the data that shows in the noise. No proof covers it. Take what is publicly known (visits
# are few, voters are adults of all ages), or pay for a rough average first.
#
# ## 4. A dummy in the middle
#
# *Hint.* With the dummy $n$ zeros have the sum $\frac12$, and a one makes it $\frac32$ of $n + 2$ records. The ratio
# is largest at the average of the larger dataset. Which $n$ is the worst depends on $\varepsilon$; check all small
# datasets.

# %%
values_tried = (0.0, 0.25, 0.5, 0.75, 1.0)
tiny = [d for n in range(4) for d in combinations_with_replacement(values_tried, n)]
peaks = {(sum(d) + x + 0.5) / (len(d) + 2) for d in tiny for x in values_tried}
peaks |= {(n + 1 - 0.5) / (n + 1) for n in range(1, 40)} | {1.5 / (n + 2) for n in range(40)}
cells = np.unique([0, 1, *(p + s for p in peaks if 0 < p < 1 for s in (-1e-7, 1e-7))])


def dummy_loss(epsilon, dummies):
    """The worst exact loss when a record joins a tiny dataset or up to 39 zeros."""
    laws = {}

    def logs(records):
        key = tuple(sorted(records))
        if key not in laws:
            law = clamped_law([0.5] * dummies + list(key), (0, 1), cells, epsilon)
            laws[key] = np.log(law.probabilities)
        return laws[key]

    pairs = [(d, (*d, x)) for d in tiny for x in values_tried]
    pairs += [((0.0,) * n, (0.0,) * n + (1.0,)) for n in (5, 10, 20, 39)]
    return max(np.abs(logs(one) - logs(other)).max() for one, other in pairs)


def by_formula(epsilon):
    """Zeros and a one, with a dummy: the largest loss over their number."""
    n = np.arange(1_000)
    return max(epsilon, (np.log((n + 2) / (n + 1)) + epsilon * (n + 0.5) / (n + 2)).max())


rows = []
for epsilon in (0.1, 0.5, 0.9, 1.0, 1.2, 2 * math.log(2), 2.0):
    rows.append(
        (
            epsilon,
            clamped_loss(epsilon),
            by_formula(epsilon),
            dummy_loss(epsilon, 1),
            dummy_loss(epsilon, 3),
        )
    )
names = ["epsilon", "no dummy", "one, formula", "one, tiny datasets", "three, tiny datasets"]
print(pd.DataFrame(rows, columns=names).round(3).to_string(index=False))
limits = math.log(2) / 0.75, 2 * math.log(2)
print("with one dummy the promise holds from {:.4f} on, without from {:.4f}".format(*limits))

# %%
target = 1.0
inside = repaired_clamped_epsilon(target)
for n in (10, 900):
    values, with_dummy = ages[:n], np.append(ages[:n], sum(age_bounds) / 2)
    errors = {
        "no dummy, epsilon 1": (values, 1.0),
        "dummy, epsilon 1": (with_dummy, 1.0),
        f"no dummy, repaired (run at {inside:.2f})": (values, inside),
    }
    for name, (records, epsilon) in errors.items():
        rng = np.random.default_rng(2)
        draws = clamped_average(records, age_bounds, epsilon, rng, size=40_000)
        loss = by_formula(epsilon) if records.size > n else clamped_loss(epsilon)
        error = np.abs(draws - values.mean()).mean()
        print(f"n = {n:>3}, {name:<31} mean error {error:7.3f} years, exact loss {loss:.3f}")
    shift = with_dummy.mean() - values.mean()
    print(f"         the dummy shifts the average by {shift:.3f} years")

# %% [markdown]
# *Answer.* Let $m = n + 1$ records with the dummy have the sum $s$, and let $a$ join. Inside, the ratio is at most
# $\frac{m+1}{m}\, e^{\varepsilon |m a - s|/(m+1)}$. As $s$ lies between $\frac12$ and $m - \frac12$, the worst is the
# largest of $\frac{n+2}{n+1}\, e^{\varepsilon (n + 1/2)/(n+2)}$ over $n$. For a small $\varepsilon$ that is $n = 0$,
# with $2 e^{\varepsilon/4}$ instead of $2 e^{\varepsilon/2}$. The 2 is still there: the number of records still
# doubles, from the dummy alone to two. So this is no repair for small $\varepsilon$, but the guarantee already holds
# at $\frac43 \ln 2$ and above. With more dummies the first factor shrinks too. The price is a shift towards the
# middle, large for few people and hardly any for many; the noise even shrinks a little. Between the two limits the
# dummy needs no larger noise. At 1 it is the *better* repair for these ages: compare the two rows with a loss of 1.
# Nearer to the upper limit the other repair needs hardly more noise either. There the shift may cost more, most of
# all for an average near a bound.
#
# ## 5. How many rounds?
#
# *Hint.* A round fits with the probability that the noise leaves the average within the bounds. Rounds are then a
# geometric number; two neighbours have two such numbers.

# %%


def miss(total, n, epsilon):
    """The chance that a round does not fit, for n records in [0, 1] with this sum."""
    return (math.exp(-epsilon * total) + math.exp(-epsilon * (n - total))) / 2


epsilon, rows = 0.5, []
for n in (1, 3, 10, 30, 100):
    rng, counted = np.random.default_rng(3), []
    for total in (0, n / 2):
        rounds = 0
        for _ in range(2_000):
            while True:
                rounds += 1
                if 0 <= total + rng.laplace(scale=1 / epsilon) <= n:
                    break
        counted.append(rounds / 2_000)
    exact = [1 / (1 - miss(total, n, epsilon)) for total in (0, n / 2)]
    rows.append((n, exact[0], counted[0], exact[1], counted[1]))
names = ["n", "zeros, exact", "zeros, counted", "middle, exact", "middle, counted"]
print("rounds on average; counted in 2,000 releases")
print(pd.DataFrame(rows, columns=names).round(2).to_string(index=False))

n = 10
misses = [miss(records / 2, records, epsilon) for records in (n, n + 1)]
for rounds in (1, 2, 5, 20, 100):
    chances = [(rounds - 1) * math.log(m) + math.log1p(-m) for m in misses]
    print(
        f"{rounds:>3} rounds, {n} or {n + 1} records in the middle: "
        f"loss {chances[0] - chances[1]:+.3f}, claimed {epsilon}"
    )

# %% [markdown]
# *Answer.* On average $2/(1 - e^{-\varepsilon n})$ rounds for zeros, and $1/(1 - e^{-\varepsilon n/2})$ for records
# in the middle. Few records need more, as the noise is wide. Many need about two at a bound, where half of the noise
# is cut at once, and about one in the middle. So the time reveals whether the average lies at a bound. And there is
# no limit: each further round multiplies the odds between two neighbours by the quotient of their misses. So the loss
# of "it took $r$ rounds" grows linearly with $r$. The stopwatch has no guarantee at all. (Drawing in one step, as
# `resampling_average` does, leaves nothing to measure.)
#
# ## 6. Challenge: the clipped average beside the six
#
# *Hint.* For the guarantees: does a replaced record move the count? Far out: write down both densities, each with
# *its* scale.

# %%
ways = {
    "simple": simple_average,
    "centred": centred_average,
    "resampling": resampling_average,
    "exponential": exponential_average,
    "clamped": clamped_average,
    "median": median_average,
}
epsilons = np.geomspace(1e-3, 10, 17)
people, span = ages, age_bounds[1] - age_bounds[0]
looks = dict(zip(ways, ("amber", "third", "grey", "noisy", "other", "fourth"), strict=True))
fig, ax = figure(height=3.6)
for name, way in ways.items():
    errors = []
    for epsilon in epsilons:
        drawn = way(people, age_bounds, epsilon, np.random.default_rng(7), size=1_000)
        errors.append(100 * np.abs(drawn - people.mean()).mean() / span)
    ax.plot(epsilons, errors, color=getattr(COLOURS, looks[name]), label=name)
clipped = [100 * clipped_error(people, age_bounds, e) / span for e in epsilons]
ax.plot(epsilons, clipped, "--", color=COLOURS.true, linewidth=2, label="clipped (replace)")
ax.set(xscale="log", yscale="log", ylim=(1e-3, 1e3), xlabel="epsilon handed to the mechanism")
ax.set_ylabel("mean error, % of the width")
fig.legend(loc="outside upper center", ncols=4)
show(
    fig,
    "Mean error of six averages of 944 ages against epsilon on log axes, and dashed the "
    "clipped average: on the line of the clamped one from epsilon 0.1 on, above it before.",
)

# %%
for epsilon in (0.01, 0.1, 1.0):
    found = [f"clipped {clipped_error(people, age_bounds, epsilon) / span:.3%}"]
    for name in ("clamped", "resampling"):
        drawn = ways[name](people, age_bounds, epsilon, np.random.default_rng(7), size=40_000)
        found.append(f"{name} {np.abs(drawn - people.mean()).mean() / span:.3%}")
    print(f"epsilon {epsilon}, in % of the width:", ", ".join(found))

# %%
fine = np.linspace(0, 1, 401)
small = [d for n in (1, 2, 3) for d in combinations_with_replacement((0.0, 0.5, 1.0), n)]
same_size = [(d, (*d[1:], x)) for d in small for x in (0.0, 1.0)]
same_size += [((0.0,) * 100, (0.0,) * 99 + (1.0,)), ((0.1005, 0.1805), (0.1805, 0.9005))]


def replace_loss(law):
    """The worst exact loss of a law, over its cells, on a few pairs under replace."""
    return max(exact_loss(law(list(a)), law(list(b))).loss for a, b in same_size)


laws = {
    "resampling": lambda v: resampling_law(v, (0, 1), fine, 1.0),
    "exponential": lambda v: resampling_law(v, (0, 1), fine, 0.5),
    "clamped": lambda v: clamped_law(v, (0, 1), fine, 1.0),
    "median": lambda v: median_law(v, (0, 1), 1.0),
}
under_replace = {name: replace_loss(law) for name, law in laws.items()}
under_replace |= {
    "simple": 1 / (2 / 1.0),
    "centred": 1 / (2 * 0.5 / 1.0),
}  # the sum moves by W = 1
under_add = {
    "simple": simple_loss(age_bounds, 1.0),
    "centred": 1.0,
    "resampling": resampling_loss(1.0),
    "exponential": exponential_loss(1.0),
    "clamped": clamped_loss(1.0),
    "median": 1.0,
}
columns = {"add/remove (ages' bounds)": under_add, "replace, found at least": under_replace}
print("loss at epsilon 1")
print(pd.DataFrame(columns).loc[list(ways)].round(3).to_string())

# %%
n, epsilon = 10, 1.0
for far in (0.5, 1, 2, 5, 20):  # widths away from n or n + 1 records that are all the same
    logs = [laplace_log_density(far, 0, 1 / size, epsilon) for size in (n, n + 1)]
    formula = epsilon * far - math.log((n + 1) / n)
    print(f"{far:>4} widths away: ln ratio {logs[0] - logs[1]:.3f}, formula {formula:.3f}")
released = clipped_average(people, age_bounds, 0.01, np.random.default_rng(4), size=5)
clamped = clamped_average(people, age_bounds, 0.01, np.random.default_rng(4), size=5)
print("clipped, then moved to the bounds:", np.clip(released, *age_bounds).round(3))
print("clamped average, same noise:      ", clamped.round(3))

# %% [markdown]
# *Answer.* Its errors are those of the clamped average at 0.1 and above, and larger below: there its release leaves
# the bounds. (The resampling average has the same errors at 0.1 and above, and is farther off below.)
#
# Under replace the clipped average keeps $\varepsilon$. So do the centred and the clamped one, since the
# count does not move and the sum moves by at most the width. The simple one even has half the loss: its noise is
# made for the width, with half of the budget. The exponential one keeps it too, by its general proof. The
# resampling one breaks its claim here as well. The loss of the median may be twice that under add/remove, because
# two records' worth of ranks may move. Under add/remove the first column has the loss of each.
#
# The clipped average has *no* guarantee under add/remove. Its two densities are
# $\frac{n \varepsilon}{2W} e^{-n \varepsilon d / W}$ and the same with $n + 1$. So the log of their ratio is
# $\varepsilon d / W - \ln \frac{n+1}{n}$ at the distance $d$, and grows without end: the width of the noise reveals
# $n$. But moved to the bounds it *is* the clamped average, as the last two lines show. Then no $d$ is larger than
# $W$, and under add/remove its loss is that of Theorem 5.7.
