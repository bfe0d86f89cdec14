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
# # 14 The sparse vector technique
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [13 Marginal tables of many attributes](13_marginals.ipynb) · **Next:** [15 Stability](15_stability.ipynb)
#
# **Assignment 14:** [five tasks, checked in a second](../exercises/releases/14_svt.ipynb)
#
# **You will see** how to answer thousands of yes-or-no questions about people and pay only for the few whose answer
# is yes; six published versions of this one idea; and why four of the six do not keep their promise.
#
# <details><summary>About 70 minutes, after 03 and 04: what you do, what you need, the data</summary>
#
# **You will do:** stop a run by hand; watch a proof work and fail in one picture; read a privacy meter while the
# number of questions grows; choose the best split of a budget; find the most frequent answers in a survey by three
# methods, and see where a plainer one beats them all.
#
# **Time:** about 70 minutes. A stopping point, after 40: the privacy meter.
#
# **You need:** [03 The Laplace mechanism](03_laplace.ipynb) and [04 The exponential mechanism](04_exponential.ipynb).
#
# **Data:** Fair's survey, the answers of 6,366 married women, all real. Nothing on this page is synthetic but the
# counterexamples, short lists of 0 and 1 that say so. Neighbours are add/remove: one woman more or less.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from dpbook import data, svt
from dpbook.amounts import amount, counted
from dpbook.composition import optimal
from dpbook.guesses import numbers, predict
from dpbook.laplace import laplace_mechanism
from dpbook.live import choice, live, log_slider, new_noise, show_source, slider, switch
from dpbook.plots import (
    COLOURS,
    figure,
    meter,
    set_meter,
    set_verdict_text,
    show,
    verdict_text,
)
from dpbook.svt import (
    ALG12,
    ALG13,
    ALG14,
    ALG15,
    ALG16,
    ALG17,
    NOISE_INSIDE,
    alg18,
    log_cdf,
    log_density,
)
from dpbook.verdict import verdict

# %%
ROWS = (ALG12, ALG13, ALG14, ALG15, ALG16, ALG17)
survey = data.affairs()
print(survey["rate_marriage"].describe())

# %% [markdown]
# ## The question: which answers go together?
#
# The questionnaire had eight questions with a few codes each. Take two codes of different questions, for example
# "no children" and "married for 2 to 3 years", and count the women who ticked both. Which pairs were ticked by more
# than 700 women? There is one query for every pair. The codes come from the questionnaire, not from the records.

# %%
codes = {
    "rate_marriage": [1, 2, 3, 4, 5],
    "age": [17.5, 22, 27, 32, 37, 42],
    "yrs_married": [0.5, 2.5, 6, 9, 13, 16.5, 23],
    "children": [0, 1, 2, 3, 4, 5.5],
    "religious": [1, 2, 3, 4],
    "educ": [9, 12, 14, 16, 17, 20],
    "occupation": [1, 2, 3, 4, 5, 6],
    "occupation_husb": [1, 2, 3, 4, 5, 6],
}
items = [(question, code) for question in codes for code in codes[question]]
ticked = np.array([survey[question].values == code for question, code in items], dtype=float)
together = ticked @ ticked.T
every_two = zip(*np.triu_indices(len(items), 1), strict=True)
pairs = [(i, j) for i, j in every_two if items[i][0] != items[j][0]]
counts = np.array([together[pair] for pair in pairs])
n = counts.size
assert np.all(ticked.sum(axis=0) == 8)  # every woman ticked one code in each question
print(
    f"{n} queries; {np.sum(counts > 700)} answers above 700; median answer "
    f"{np.median(counts):.0f}"
)
for k in np.argsort(-counts)[:3]:
    (one, a), (two, b) = items[pairs[k][0]], items[pairs[k][1]]
    print(f"{counts[k]:6.0f} women: {one} = {a:g} and {two} = {b:g}")

# %% [markdown]
# Each answer is a count, so one woman moves it by at most $\Delta = 1$. When she joins, no count falls: such queries
# are **monotonic**. That will be worth a factor of two.
#
# ## A naive attempt that fails
#
# The queries come one by one, and nobody knows what they will be. A record may touch them all, so each gets an equal
# share of the budget: with $n$ queries and $\varepsilon$ in all, each answer gets Laplace noise of scale
# $n/\varepsilon$. (For *these* queries we know more: a woman is in just 28 of the pairs. Further down that is a rival.)
#
# How good are the verdicts? "How many are right" is no measure where positives are rare. **Precision** is the share of
# those said to be above that are; **recall** the share of those above that are said to be.


# %%
def quality_words(said, truth):
    """Right verdicts, precision and recall, in words; a precision of nothing is a dash."""
    hits = np.sum(said & truth)
    precision = f"{hits / said.sum():.0%}" if said.any() else "–"
    recall = f"{hits / truth.sum():.0%}" if truth.any() else "–"
    return f"{np.mean(said == truth):.0%} right, precision {precision}, recall {recall}"


truth, rng = counts > 700, np.random.default_rng(14)
noisy = laplace_mechanism(
    counts, 1, 0.5 / n, rng
)  # sequential composition: n shares of 0.5 / n
print(f"noise of scale {n / 0.5:,.0f} on counts of at most {counts.max():.0f}")
print(f"equal shares:               {quality_words(noisy > 700, truth)}")
print(f'always say "below":         {quality_words(np.zeros(n, dtype=bool), truth)}')
with_28 = laplace_mechanism(counts, 28, 0.5, np.random.default_rng(14))
print(f"noise for 28 pairs a woman: {quality_words(with_28 > 700, truth)}")

# %% [markdown]
# The first is not far from tossing a coin for every query; the second is right nearly always and useless. Yet we did
# not want 923 numbers. We wanted the few positives, and for all others the one word "below".
#
# ## The idea
#
# The **sparse vector technique** (SVT) compares each noisy answer with a noisy threshold. It says only *above*
# ($\top$, `True`) or *below* ($\bot$, `False`), and stops after $c$ positives, the **cutoff**. Two kinds of noise:
#
# - $\rho$, drawn **once**, on the threshold $T$: it pays with $\varepsilon_1$ for all negatives together;
# - $\nu_i$, drawn for each query, large enough for $c$ positives: it pays with $\varepsilon_2$ for the positives.
#
# By hand, five answers with threshold 10, $c = 1$, $\varepsilon_1 = \varepsilon_2 = 0.5$, as in Algorithm 12 of Li,
# Lyu, Su and Yang (2016), "the textbook" from here on:

# %%
rng, positives, rows = np.random.default_rng(27), 0, []
rho = rng.laplace(scale=1 / 0.5)
for answer in [3, 7, 12, 15, 6]:
    nu = rng.laplace(scale=2 * 1 * 1 / 0.5)
    above = answer + nu >= 10 + rho
    rows.append((answer, answer + nu, 10 + rho, "above" if above else "below"))
    positives += above
    if positives == 1:
        break
pd.DataFrame(rows, columns=["answer", "noisy answer", "noisy threshold", "output"]).round(1)

# %% [markdown]
# Only the last column is released. The 12 was really above: that mistake is the price. The noisy answer and the noisy
# threshold stay secret: further down you will see what happens to a version that lets them out.
#
# ## The mechanism
#
# The six versions differ in how much noise goes where, and in when they stop. Each is a row of a table, a `Variant`,
# and one function runs them all. The row turns the budget into the scales of the noise. The comparison is the same
# for all, in chunks of queries, so that a hundred thousand take about a millisecond. The lines that spend budget say
# so.

# %%
show_source(svt.Variant.scales)
show_source(svt.plain_sparse_vector)

# %% jupyter={"source_hidden": true}
# Figure: sparse_vector(...) on the asked counts in their order, and how its verdicts compare
order = np.random.default_rng(0).permutation(
    n
)  # a public order that does not look at the answers
asked = counts[order]
fig, ax = figure(height=4.0)
run_verdict = verdict_text(ax)
ax.plot(np.arange(n), asked, ".", color=COLOURS.pale, markersize=5, label="true answer")
(cloud,) = ax.plot([], [], ".", color=COLOURS.noisy, markersize=3.5, label="noisy answer")
(hits,) = ax.plot(
    [],
    [],
    "^",
    color=COLOURS.other,
    markeredgecolor="black",
    markersize=8,
    label="said to be above",
    clip_on=False,
    in_layout=False,
)
(line,) = ax.plot([0, n], [700, 700], color=COLOURS.true, linewidth=1.2, label="threshold")
(noisy_line,) = ax.plot(
    [0, n], [700, 700], "--", color=COLOURS.other, linewidth=1.6, label="noisy threshold"
)
stop_line = ax.axvline(n, color=COLOURS.true, linewidth=2.5)
stop_text = ax.text(
    n,
    2050,
    "",
    va="top",
    bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5},
)
ax.set(
    xlim=(-8, n + 8),
    ylim=(-700, 2100),
    xlabel="query, in the order asked",
    ylabel="women who ticked both",
)
fig.legend(loc="outside upper center", ncols=3, frameon=False)


def update(epsilon, cutoff, threshold, seed):
    run = svt.trace(
        asked, threshold, 1, cutoff, epsilon, np.random.default_rng(seed), variant=ALG12
    )
    length, found = run.outputs.size, np.flatnonzero(run.outputs)
    cloud.set_data(np.arange(length), run.noisy_answers)
    hits.set_data(found, np.clip(run.noisy_answers[found], -650, 2050))
    line.set_ydata([threshold, threshold])
    noisy_threshold = np.clip(run.noisy_thresholds[0], -690, 2090)
    noisy_line.set_data([0, max(length, 30)], [noisy_threshold] * 2)
    stopped = found.size == cutoff
    stop_line.set(xdata=[length, length], visible=stopped)
    words = " stops here " if stopped else " never stops: all were asked "
    stop_text.set(x=length, ha="right" if length > n / 2 else "left", text=words)
    truly = np.sum(asked[found] >= threshold)
    set_verdict_text(
        run_verdict,
        None,
        f"{found.size} said to be above: {truly} truly {'is' if truly == 1 else 'are'}",
    )
    verdicts = quality_words(run.outputs.astype(bool), asked[:length] >= threshold)
    queries = "1 query" if length == 1 else f"{length} queries"
    return f"{queries} answered, {found.size} said to be above; of these verdicts {verdicts}."


run_figure = live(
    fig,
    update,
    "One run of the sparse vector technique over 923 queries: grey dots for the true answers, "
    "blue dots for the noisy "
    "ones, a line for the threshold and a dashed one for the noisy threshold, triangles at "
    "the queries said to be "
    "above, and a vertical bar where the run stops.",
    task=(
        "take the cutoff from 20 down to 1 with the arrow key. The noise shrinks, for it is "
        "made for $c$ positives, and the run stops earlier. Then, at $c = 20$, find the "
        r"smallest $\varepsilon$ at which nine of ten of those said to be above are above. "
        "What share of the positives did the run find before it stopped?"
    ),
    guess=predict(
        "Cutoff 1 in place of 20: after how many queries does the run stop?",
        (1, 365, " queries"),
        r"^(\d+) quer",
        cutoff=1,
    ),
    epsilon=log_slider(0.05, 10, 1.0),
    cutoff=slider(1, 60, 20, label="cutoff c"),
    threshold=slider(200, 1500, 700, 50, label="threshold (women)"),
    seed=new_noise(1),
)
run_figure

# %% [markdown]
# ## Why negatives are free
#
# Fix the threshold noise, $\rho = z$. Then every query is an independent coin, and the probability of a whole output
# is an integral over $z$ (Li et al. 2016, equation 7.5):
#
# $$\Pr[\text{output} \mid D] = \int p(z) \prod_{i\,\text{below}} \Pr[q_i + \nu_i < T_i + z]
# \prod_{i\,\text{above}} \Pr[q_i + \nu_i \ge T_i + z]\; dz$$
#
# > **Theorem 14.1 (Li et al. 2016, Theorem 7.2).** Algorithm 12, with noise of scale $\Delta/\varepsilon_1$ on the threshold and
# > $2c\Delta/\varepsilon_2$ on each answer, is $(\varepsilon_1 + \varepsilon_2)$-DP, however many queries are asked.
#
# *Proof.* Let a neighbour's answers be up to $\Delta$ higher or lower, and raise the noisy threshold by $\Delta$ to make up for it:
# compare the integrand of $D$ at $z$ with that of $D'$ at $z + \Delta$.
#
# - $p(z)$ changes by at most $e^{\varepsilon_1}$: Laplace noise of scale $\Delta/\varepsilon_1$.
# - Each *below* gets no less likely: the threshold went up by at least as much as the answer. **However many there
#   are, they cost nothing.**
# - Each *above* may lose $2\Delta$, its answer down and the threshold up: with scale $2c\Delta/\varepsilon_2$ that
#   costs $e^{\varepsilon_2/c}$, and there are at most $c$.
#
# Together $e^{\varepsilon_1 + \varepsilon_2}$ at every $z$, so also for the integral. $\square$
# `log_output_probability` computes the integral exactly, in logs. All outputs of three queries, with probabilities that
# add up to 1:

# %%
three, outputs = [0.0, 2.0, 1.0], [p for p in product([False, True], repeat=3) if sum(p) < 2]
outputs += [
    (True, True),
    (True, False, True),
    (False, True, True),
]  # c = 2: the run ends with the second positive
exact = np.exp([svt.log_output_probability(p, three, 1, 1, 2, 1.0) for p in outputs])
rng = np.random.default_rng(5)
runs = [tuple(svt.sparse_vector(three, 1, 1, 2, 1.0, rng).tolist()) for _ in range(5_000)]
table = pd.DataFrame(
    {"output": [" ".join("⊥⊤"[above] for above in p) for p in outputs], "exact": exact}
)
table["in 5,000 runs"] = [np.mean([run == p for run in runs]) for p in outputs]
assert np.isclose(exact.sum(), 1, atol=1e-12)
table.set_index("output").round(3)


# %% [markdown]
# In the figure below the output is $m$ times below, then $k$ times above. The answers of $D$ are 0 for the first and
# 1 for the last; in $D'$ it is the other way round; thresholds are 0. The blue curve is the log of the integrand of
# $D$, the orange one that of $D'$ moved back by $\Delta$. The dashed line lies $\varepsilon$ below the blue one. While
# orange stays above the dashes, the proof works at every $z$.


# %%
def log_integrand(z, below, above, scales):
    """ln of p(z) times the chances, given z, of the answers `below` and `above` to come out so
    (thresholds 0).
    """
    all_below = log_cdf(np.subtract.outer(z, below) / scales.query).sum(axis=1)
    all_above = log_cdf(-np.subtract.outer(z, above) / scales.query).sum(axis=1)
    return log_density(z, scales.threshold) + all_below + all_above


# %% jupyter={"source_hidden": true}
# Figure: log_integrand(z, ...) of two neighbours, and the exact loss of this output
z_axis = np.linspace(-14, 34, 481)
fig, ax = figure(height=3.8)
proof_verdict = verdict_text(ax)
below_text = ax.text(33, -11.6, "", ha="right", color=COLOURS.other)
(here_line,) = ax.plot(z_axis, z_axis, color=COLOURS.noisy, linewidth=2, label="D at z")
(limit_line,) = ax.plot(
    z_axis, z_axis, "--", color=COLOURS.true, linewidth=1.2, zorder=3, label="D at z, less ε"
)
(there_line,) = ax.plot(z_axis, z_axis, color=COLOURS.other, linewidth=2, label="D′ at z + Δ")
ax.set(
    xlim=(-14, 34),
    ylim=(-12, 1),
    xlabel="threshold noise z, in units of Δ",
    ylabel="log of the integrand\n(0 at its peak for D)",
)
fig.legend(loc="outside upper center", ncols=3, frameon=False)


def update(epsilon, m, k, noise):
    scales = noise.scales(1, max(k, 1), epsilon)
    here = log_integrand(z_axis, np.zeros(m), np.ones(k), scales)
    there = log_integrand(z_axis + 1, np.ones(m), np.zeros(k), scales)
    for curve, heights in (
        (here_line, here),
        (limit_line, here - epsilon),
        (there_line, there),
    ):
        curve.set_ydata(heights - here.max())
    answers, output = np.repeat([0, 1], [m, k]), [False] * m + [True] * k
    loss = svt.privacy_loss(output, answers, 1 - answers, 0, 1, max(k, 1), epsilon, noise)
    gap, said = np.max(here - there), verdict(abs(loss), epsilon, certain=True)
    set_verdict_text(
        proof_verdict, said, f"exact loss {abs(loss):.3g}, promised {epsilon:.3g}: {said}"
    )
    gone = there.max() - here.max() < -12
    below_text.set_text("orange lies below this picture ↓" if gone else "")
    return (
        f"exact loss {loss:.4f}, promise {epsilon:.3g}: {said}. Orange is at most {gap:.3f} "
        "below blue."
    )


proof_figure = live(
    fig,
    update,
    "The log of the integrand over the threshold noise for D, the same lowered by epsilon, "
    "and that of the neighbour "
    "moved by Delta. With enough noise the neighbour's curve stays above the lowered one, "
    "without it falls below.",
    task=(
        "take $m$ to 40. With the noise of Algorithm 12, orange follows the dashes and never "
        "crosses them. Then choose the noise of Algorithm 17, which leaves out the factor "
        "$c$, and move $k$."
    ),
    epsilon=slider(0.2, 3.0, 1.0, 0.1),
    m=slider(1, 60, 3, label="m below"),
    k=slider(1, 20, 2, label="k above"),
    noise=choice({"Algorithm 12": ALG12, "Algorithm 17": ALG17}, ALG12),
)
proof_figure

# %% [markdown]
# ## Six versions, one table
#
# The table is made from the rows that the code runs. The last line is not copied from the textbook: `loss_bound` works
# it out from the other lines, by the proof above. "Claimed" is what the textbook (Figure 7.2 and its text) says that
# each was published with; it was not checked against the six papers. Who wrote which follows the headings of the
# textbook's listings (its text names them in another order), and so does what 12 and 14 release
# (erratum [E59](22_errata.ipynb#E59)).


# %%
def words(row):
    """One column of the textbook's Figure 7.2."""
    factor = "" if row.query_noise == 1 else f"{row.query_noise:g}"
    times = factor + ("c" if row.query_noise_times_cutoff else "")
    slope = (
        row.loss_bound(2, 1) - row.loss_bound(1, 1)
        if np.isfinite(row.loss_bound(1, 1))
        else np.inf
    )
    bound = {0: "ε", np.inf: "none"}.get(
        slope, f"{row.loss_bound(1, 1) - slope:g} ε + {slope:g} c ε"
    )
    return {
        "from": row.origin,
        "claimed": "ε",
        "ε₁": f"{row.threshold_share:g} ε",
        "threshold noise": ("c" if row.threshold_noise_times_cutoff else "") + "Δ/ε₁",
        "new ρ after ⊤": "yes" if row.refreshes_threshold else "",
        "query noise": times + "Δ/ε₂" if row.query_noise else "0",
        "releases qᵢ + νᵢ": "yes" if row.releases_compared_answer else "",
        "stops after c": "yes" if row.stops_at_cutoff else "NO",
        "proven bound": bound,
    }


assert all(row.threshold_share == 1 / 2 for row in (ALG13, ALG14))
pd.DataFrame({row.name.replace("Algorithm", "Alg."): words(row) for row in ROWS})

# %% [markdown]
# ## Two wrong proofs beside the right one
#
# Four were published with proofs. Chapter 7 of the textbook was written to show where these go wrong. With $p$ the
# density of $\rho$, $f$ the chance of all negatives and $g$ that of all positives given $\rho = z$, and $f'$, $g'$ the
# same for the neighbour:
#
# | | right: Algorithm 12 | wrong: Algorithm 14 | wrong: Algorithms 15, 16, 17 |
# |---|---|---|---|
# | bounds | $\int p\,f\,g\;dz$ | $\int p\,f \prod_i \Pr[q_i + \nu_i = a_i \text{ and } a_i \ge T + z]\;dz$ | $\int p\,f\,g\;dz$ |
# | by | one shift $z \to z + \Delta$ in all factors: $p \le e^{\varepsilon_1} p(z + \Delta)$, $f \le f'(z + \Delta)$, $g \le e^{\varepsilon_2} g'(z + \Delta)$ | dropping the part $a_i \ge T + z$, so that the product no longer depends on $z$ and leaves the integral (Li et al. 2016, step to equation 7.11) | $\int p f \le e^{\varepsilon/2} \int p f'$, with a shift up, *and* $\int p g \le e^{\varepsilon/2} \int p g'$, with a shift down |
# | would need | nothing more | numbers $a_i$ that tell nothing about $z$ | $\int p f g = \int p f \cdot \int p g$ |
# | but | | $a_i$ shows $z \le a_i - T$: the shifted integrand is 0 just beyond | each shift is right alone; both at once are not one change of variable |
#
# All pieces can be computed. Alone each keeps its half of the promise. The whole does not:

# %%
m = 20
output, here, there = svt.counterexample(ALG17, 1, 2 * m)


def log_ratio(part):
    """ln of Pr[this part of the output] on D over that on D'."""
    cut = (output[part], here[part]), (output[part], there[part])
    return np.subtract(
        *(svt.log_output_probability(out, x, 0, 1, 1, 1.0, ALG17) for out, x in cut)
    )


print(f"Algorithm 17, epsilon = 1, {m} below and {m} above:")
print(
    f"    the negatives alone lose {log_ratio(slice(0, m)):.3f}, the positives alone "
    f"{log_ratio(slice(m, None)):.3f}"
)
print(f"    both together lose       {log_ratio(slice(0, None)):.3f}")
output, here, there = svt.counterexample(ALG14, 1, m + 1)
negatives = svt.privacy_loss([False] * m, here[:m], there[:m], 0, 1, 1, 1.0, ALG14)
number = abs(here[-1] - there[-1]) / ALG14.scales(1, 1, 1.0).query
print(f"Algorithm 14, epsilon = 1, {m} below, then the number 0:")
print(f"    the negatives alone lose {negatives:.3f}, the number alone {number:.3f}")
print(
    "    both together lose       "
    f"{svt.privacy_loss(output, here, there, 0, 1, 1, 1.0, ALG14):.3f}"
)

# %% [markdown]
# ## Breaking four of them
#
# A promise is broken by one pair of neighbours and one output. The textbook has a pair for each flaw; `counterexample`
# makes it for any number of queries. All have threshold 0 and $\Delta = 1$.

# %%
show_source(svt.counterexample)

# %% [markdown]
# **Algorithm 15: noise without the factor $c$.** The output is below $m$ times, then above $c$ times:

# %%
rows = []
print(
    "c = 20, epsilon 0.5: the bound less the exact loss after 40, 60 and 400 queries:", end=" "
)
gaps = [
    ALG15.loss_bound(20, 0.5)
    - svt.privacy_loss(*svt.counterexample(ALG15, 20, m), 0, 1, 20, 0.5, ALG15)
    for m in (40, 60, 400)
]
print(", ".join(amount(abs(gap), 2) for gap in gaps))
for c in (1, 2, 5, 20):
    general = svt.privacy_loss(*svt.counterexample(ALG15, c, 400), 0, 1, c, 0.5, ALG15)
    monotonic = svt.privacy_loss(
        *svt.counterexample(ALG15, c, 400, monotonic=True), 0, 1, c, 0.5, ALG15
    )
    bounds = np.array([1 + 6 * c, 1 + 3 * c]) / 4 * 0.5
    rows.append((c, general, bounds[0], monotonic, bounds[1]))
names = ["c", "loss", "(1+6c)/4 ε", "loss, monotonic", "(1+3c)/4 ε"]
pd.DataFrame(rows, columns=names).set_index("c").round(4)

# %% [markdown]
# It was published as $\varepsilon$-DP, here 0.5. The exact losses approach the bounds $(1 + 6c)/4\,\varepsilon$, and for
# monotonic queries $(1 + 3c)/4\,\varepsilon$.
#
# **Algorithm 14: the compared answer leaves the house.** A released number says that the noisy threshold is no
# higher. From then on negatives are not free: each of $m$ costs $\varepsilon / 2$ (Theorem 7.3, $c = 1$).

# %%
for m in (1, 10, 100, 1_000):
    loss = svt.privacy_loss(*svt.counterexample(ALG14, 1, m + 1), 0, 1, 1, 0.5, ALG14)
    print(
        f"{counted(m, 'negative'):>15}, then the number 0: loss {loss:7.2f}   (m - 1) ε/2 = "
        f"{(m - 1) * 0.25:7.2f}"
    )
silent = replace(ALG14, name="14, only above or below", releases_compared_answer=False)
loss = svt.privacy_loss(*svt.counterexample(silent, 5, 600), 0, 1, 5, 0.5, silent)
print(
    f"the same noise without the number: loss {loss:.4f} = 3/2 of the claimed 0.5, whatever c"
)

# %% [markdown]
# **Algorithm 16: no query noise.** Then every answer said to be below is *truly* smaller than every answer said to be
# above. That is a fact without noise, and two queries are enough for an infinite loss (Theorem 7.5). On the survey:

# %%
said = svt.sparse_vector(counts, 700, 1, 1, 0.5, np.random.default_rng(2), variant=ALG16)
print(
    f"largest answer said to be below {counts[~said].max():.0f}, smallest said to be above "
    f"{counts[said].min():.0f}"
)
pair = svt.counterexample(ALG16, 1, 2)
print(f"answers {pair.answers} against {pair.neighbour_answers}, output below, above:")
print(f"loss {svt.privacy_loss(*pair, 0, 1, 1, 0.001, ALG16)} at epsilon = 0.001")

# %% [markdown]
# **Algorithm 17: no cutoff.** $2m$ answers, all 0 in $D$; in $D'$ the first $m$ are 1 and the others -1. The output is
# below $m$ times, above $m$ times. A threshold that moves up to excuse the first half makes the second half worse.
# The textbook proves at least $m\varepsilon/2$ (Theorem 7.4; erratum [E62](22_errata.ipynb#E62)). The exact loss is about twice that:

# %%
for m in (1, 10, 100, 1_000):
    loss = svt.privacy_loss(*svt.counterexample(ALG17, 1, 2 * m), 0, 1, 1, 0.5, ALG17)
    print(
        f"{2 * m:5} queries: loss {loss:7.2f}   proven {m * 0.25:7.2f}   m ε = {m * 0.5:7.2f}"
    )

# %% [markdown]
# ## The privacy meter
#
# The loss of each algorithm on its pair, exact, against the claimed $\varepsilon$ (the dashed line). Algorithms 12
# and 13 are tried too, on the pair that hurts them most.

# %% jupyter={"source_hidden": true}
# Figure: svt.privacy_loss of each algorithm's counterexample, against the claimed epsilon
SHORT = {
    ALG12: "12 standard",
    ALG13: "13 renews the threshold",
    ALG14: "14 releases the answer",
    ALG15: "15 forgets c",
    ALG16: "16 no query noise",
    ALG17: "17 no cutoff",
}
fig, ax = figure(height=3.6)
meter_verdict = verdict_text(ax)
pieces = meter(
    ax, [SHORT[row] for row in ROWS], most=6, unit="exact privacy loss of the output"
)


def update(epsilon, c, queries):
    tries = [svt.counterexample(row, c, queries) for row in ROWS]
    losses = [
        max(svt.privacy_loss(*pair, 0, 1, c, epsilon, row), 0.0)  # equal: -9e-16 is 0
        for pair, row in zip(tries, ROWS, strict=True)
    ]
    set_meter(pieces, losses, epsilon)
    broken = [
        row.name[-2:] for row, loss in zip(ROWS, losses, strict=True) if loss > epsilon + 1e-9
    ]
    set_verdict_text(
        meter_verdict,
        not broken,
        f"{queries:,} queries: {len(broken)} of 6 promises are broken",
    )
    found = ", ".join(broken) or "none"
    return f"claimed: {epsilon:.3g}. Broken on {queries:,} queries: {found}."


meter_figure = live(
    fig,
    update,
    "A privacy meter with one bar for each of Algorithms 12 to 17: the exact privacy loss on "
    "its counterexample, with "
    "the verdict within or broken in words, and a dashed line at the claimed epsilon.",
    task=(
        "take *queries* from 2 to 1,000. Which rows stop growing, and where? Then move $c$: "
        "which row falls, and why is that no comfort?"
    ),
    guess=predict(
        "Only 2 queries: how many of the six algorithms break their promise?",
        [str(number) for number in range(7)],
        lambda said: str(len(numbers(said.partition(":")[2])) - 2),
        queries=2,
    ),
    epsilon=log_slider(0.05, 3, 0.5),
    c=slider(1, 20, 2, label="cutoff c"),
    queries=choice([2, 4, 10, 20, 40, 100, 200, 400, 1_000], 20),
)
meter_figure

# %% [markdown]
# "Within" on one output is no proof; the proof is above. But a loss over the line is the end of a claim. Two kinds of
# broken: 15 stops growing at a multiple of $\varepsilon$ that one could have paid honestly; 14, 16 and 17 have no
# bound at all. A larger $c$ makes the noise of 14 larger, so each query leaks less, and more of them leak as much.
#
# What does such a loss mean? Someone who thought $D$ and $D'$ equally likely is right, after the output, with
# probability $e^{\text{loss}} / (1 + e^{\text{loss}})$; some of these are computed under the next picture.
#
# > **A good place to stop.** What follows makes the honest version better, and asks when to use another.

# %%
lengths = np.array([2, 4, 6, 10, 16, 26, 40, 64, 100, 160, 260, 400, 640, 1_000])
losses = np.zeros((len(ROWS), lengths.size))
for (i, row), (j, m) in product(enumerate(ROWS), enumerate(lengths)):
    losses[i, j] = svt.privacy_loss(*svt.counterexample(row, 2, m), 0, 1, 2, 0.5, row)

# %% jupyter={"source_hidden": true}
# Figure: the losses computed above, against the number of queries
fig, ax = figure(height=3.8)
colours = (
    COLOURS.noisy,
    COLOURS.light,
    COLOURS.other,
    COLOURS.amber,
    COLOURS.grey,
    COLOURS.fourth,
)
for row, loss, colour, style in zip(
    ROWS, losses, colours, ("-o", "--s", "-^", "-D", "", "-v"), strict=True
):
    if np.isfinite(loss).all():
        ax.plot(
            lengths,
            np.where(loss > 0, loss, np.nan),
            style,
            color=colour,
            markersize=5,
            label=SHORT[row],
        )
ax.axhline(0.5, color=COLOURS.true, linestyle=":", label="claimed ε = 0.5")
ax.text(3, 300, "16 no query noise: infinite, from 2 queries on")
ax.set(xscale="log", yscale="log", xlim=(2, 1_000), ylim=(0.03, 700))
ax.set(xlabel="number of queries (log scale)", ylabel="exact privacy loss\n(log scale)")
ax.xaxis.set_major_formatter("{x:,.0f}")
ax.yaxis.set_major_formatter("{x:g}")
ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
show(
    fig,
    "Exact privacy loss against the number of queries, epsilon 0.5 and cutoff 2: Algorithms "
    "12 and 13 level off at "
    "0.5, 15 at 1.625, while 14 and 17 grow in proportion to the number of queries.",
)

# %%
for row in (ALG12, ALG15, ALG17):
    chances = []
    for m in (4, 10, 40):
        loss = svt.privacy_loss(*svt.counterexample(row, 1, m), 0, 1, 1, 0.5, row)
        chances.append(f"{1 / (1 + np.exp(-loss)):.4f}")
    print(
        f"{row.name}: {chances[0]} after 4 queries, {chances[1]} after 10, {chances[2]} after "
        "40"
    )

# %% [markdown]
# ## Doing it better: the split of the budget
#
# > **Theorem 14.2 (Li et al. 2016, Theorems 7.6 and 7.7).** Algorithm 18, with three budgets, is
# > $(\varepsilon_1 + \varepsilon_2 + \varepsilon_3)$-DP; for monotonic queries also with query noise of scale
# > $c\Delta/\varepsilon_2$, half of the above.
#
# Algorithm 12 gives half of $\varepsilon$ to the threshold. Only the difference of the two noises matters, and its
# variance is $2(\Delta/\varepsilon_1)^2 + 2(2c\Delta/\varepsilon_2)^2$. With $\varepsilon_1 + \varepsilon_2$ fixed it
# is least at $\varepsilon_1 : \varepsilon_2 = 1 : (2c)^{2/3}$ (equation 7.14). For monotonic queries the 2 goes, as
# an *above* then loses $\Delta$ and not $2\Delta$ (Theorem 7.7).

# %%
show_source(svt.optimal_split)


# %%
def comparison_variance(epsilon1, epsilon2, c, monotonic=False):
    scales = alg18(epsilon1, epsilon2).scales(1, c, epsilon1 + epsilon2, monotonic)
    return 2 * scales.threshold**2 + 2 * scales.query**2


# %% jupyter={"source_hidden": true}
# Figure: comparison_variance(epsilon1, epsilon2, c, monotonic) for every split of epsilon = 1
shares = np.linspace(0.005, 0.97, 194)
fig, ax = figure(height=3.6)
split_verdict = verdict_text(ax)
(curve,) = ax.plot([], [], color=COLOURS.noisy, linewidth=2)
(even,) = ax.plot(
    [], [], "o", color=COLOURS.grey, markersize=9, label="even split (Algorithm 12)"
)
(least,) = ax.plot([], [], "D", color=COLOURS.other, markersize=9, label="best split")
ax.set(
    xlim=(0, 1),
    ylim=(0, 4),
    xlabel="share of ε for the threshold, ε₁/ε",
    ylabel="noise of a comparison,\nas a multiple of the least",
)
fig.legend(loc="outside upper center", ncols=2, frameon=False)


def update(c, monotonic):
    grid = [(share, 1 - share) for share in shares]
    share, rest = svt.optimal_split(1, c, monotonic)
    *deviations, halves, best = (
        np.sqrt(comparison_variance(*pair, c, monotonic))
        for pair in [*grid, (1 / 2, 1 / 2), (share, rest)]
    )
    curve.set_data(shares, np.divide(deviations, best))
    even.set_data([0.5], [halves / best])
    least.set_data([share], [1])
    set_verdict_text(
        split_verdict,
        None,
        f"the even split has {halves / best:.2f} times the noise of the best",
    )
    return (
        f"best: {share:.3f} of ε for the threshold; standard deviation {best:.1f} instead of "
        f"{halves:.1f} at ε = 1 (in proportion to 1/ε)."
    )


split_figure = live(
    fig,
    update,
    "Standard deviation of the noise in a comparison, as a multiple of the least, against the "
    "share of the budget for the threshold: a curve with its lowest point at a small share, "
    "marked, and the even split, marked higher up.",
    task=(
        "take $c$ from 1 to 100 and follow the lowest point. Then switch *monotonic* on and "
        "read the two deviations below: who gains more, the best split or the even one?"
    ),
    guess=predict(
        "Cutoff 1: which share of epsilon is best for the threshold?",
        (0, 1),
        r"best: ([\d.]+)",
        c=1,
    ),
    c=slider(1, 100, 50, label="cutoff c"),
    monotonic=switch(False),
)
split_figure

# %% [markdown]
# The textbook calls Algorithm 13 "significantly worse" than 12 (erratum [E60](22_errata.ipynb#E60)). At $c = 1$ they are one and the same. In the variance of the
# comparison the difference is at most a quarter for general queries, where the split gains more. For *monotonic*
# queries such as ours the query noise halves and the threshold's does not: there 13 has up to twice the variance of
# 12. What that does to a task is measured further down, and is more. ($\varepsilon = 1$.)

# %%
rows = []
for c in (1, 10, 50, 400):
    scales = ALG13.scales(1, c, 1), ALG12.scales(1, c, 1)
    variances = [2 * s.threshold**2 + 2 * s.query**2 for s in scales]
    variances.append(comparison_variance(*svt.optimal_split(1, c), c))
    halved_13, halved_12 = ALG13.scales(1, c, 1, True), ALG12.scales(1, c, 1, True)
    monotonic_13, monotonic_12 = (
        2 * s.threshold**2 + 2 * s.query**2 for s in (halved_13, halved_12)
    )
    best = comparison_variance(*svt.optimal_split(1, c, True), c, True)
    ratios = (
        variances[0] / variances[1],
        variances[1] / variances[2],
        monotonic_13 / monotonic_12,
        monotonic_12 / best,
    )
    rows.append((c, *variances, *ratios))
names = [
    "c",
    "Alg. 13",
    "Alg. 12",
    "best split",
    "13 over 12",
    "12 over best",
    "monotonic: 13 over 12",
    "12 over best ",
]
table = pd.DataFrame(rows, columns=names).set_index("c")
assert np.allclose(table["13 over 12"], 5 * table.index**2 / (1 + 4 * table.index**2))
assert np.allclose(table["monotonic: 13 over 12"], 2 * table.index**2 / (1 + table.index**2))
table.round(2).astype({name: int for name in names[1:4]})

# %% [markdown]
# **Algorithm 18** has all of it: three budgets, the third for the answers of the positives. Its numbers carry
# *fresh* noise, which is what Algorithm 14 should have done. On the survey, $\varepsilon_1 + \varepsilon_2 = 1$ and
# $\varepsilon_3 = 1$, ten positives above 900:

# %%
budgets = (*svt.optimal_split(1, 10, monotonic=True), 1.0)
released = svt.generalized_sparse_vector(
    asked, 900, 1, 10, budgets, np.random.default_rng(6), monotonic=True
)
rows = []
for k in np.flatnonzero([answer is not False for answer in released]):
    codes_of_pair = [" = ".join(map(str, items[item])) for item in pairs[order[k]]]
    rows.append((*codes_of_pair, round(released[k]), int(asked[k])))
print(f"{len(released)} queries answered for epsilon = {sum(budgets):g}")
pd.DataFrame(rows, columns=["code", "and code", "released", "true"])

# %% [markdown]
# **Monotonic is a promise about neighbours.** If one woman's record may be *replaced*, some counts rise while others
# fall. Half the noise is then too little: the loss goes up to $\varepsilon_1 + 2\varepsilon_2$.

# %%
output, here, there = svt.counterexample(ALG12, 5, 600)
halved = [
    svt.log_output_probability(output, x, 0, 1, 5, 1.0, ALG12, monotonic=True)
    for x in (here, there)
]
print(
    f"half the noise, answers moving both ways: loss {halved[0] - halved[1]:.4f} for a "
    "promise of 1"
)
one_way = svt.counterexample(ALG12, 5, 600, monotonic=True)
print(
    "half the noise, answers moving one way:   loss "
    f"{svt.privacy_loss(*one_way, 0, 1, 5, 1.0, monotonic=True):.4f}"
)

# %% [markdown]
# ## Selecting the top: SVT or the exponential mechanism?
#
# All queries are known beforehand here: the setting is *non-interactive*, and the goal is the $c$ most frequent
# pairs. Section 7.4 of the textbook offers three ways:
#
# - **SVT** with a threshold, hoping for $c$ positives;
# - **SVT with retraversal**: a raised threshold, and round after round over the queries not yet selected, until $c$
#   are. Negatives are free, so it costs what one run costs;
# - **EM**: the exponential mechanism, $c$ times without replacement, $\varepsilon / c$ each. The weights are
#   $\exp(\varepsilon q / (2c\Delta))$, and $\exp(\varepsilon q / (c\Delta))$ for monotonic queries.

# %%
show_source(svt.exponential_selection)

# %% [markdown]
# Retraversal could take for ever when the threshold is high. It need not be simulated round by round: given $\rho$,
# the round in which a query first comes out above has a geometric law.

# %%
show_source(svt.retraversal_selection)

# %% [markdown]
# And a fourth way, not in the textbook: every woman is in exactly 28 pairs, so **Laplace on all** 923 counts with noise
# of scale $28/\varepsilon$ is $\varepsilon$-DP for any $c$; then take the largest. The dullest: $c$ queries at random,
# which costs nothing.
#
# In the figure each row is one run. A dot is a selected query, at its true rank; crosses are not in the true top $c$.

# %%
WAYS = (
    "EM",
    "retraversal",
    "SVT, best split",
    "SVT, standard (12)",
    "SVT, renewing (13)",
    "Laplace on all",
    "at random",
)
by_size = np.argsort(-counts, kind="stable")
rank = np.empty(n, dtype=int)
rank[by_size] = np.arange(1, n + 1)


def raise_by(deviations, threshold, c, epsilon):
    """The threshold plus so many standard deviations of the query noise (best split,
    monotonic).
    """
    scale = alg18(*svt.optimal_split(epsilon, c, True)).scales(1, c, epsilon, True).query
    return threshold + deviations * np.sqrt(2) * scale


def select(way, queries, c, epsilon, threshold, raised, rng):
    """The queries that one of the ways selects, all epsilon-DP for one woman more or less."""
    row = alg18(*svt.optimal_split(epsilon, c, True))
    if way == "EM":
        return svt.exponential_selection(queries, 1, c, epsilon, rng, monotonic=True)
    if way == "retraversal":
        high = raise_by(raised, threshold, c, epsilon)
        return svt.retraversal_selection(
            queries, high, 1, c, epsilon, rng, variant=row, monotonic=True
        )
    if way == "Laplace on all":
        return np.argsort(-laplace_mechanism(queries, 28, epsilon, rng))[:c]
    if way == "at random":
        return rng.permutation(queries.size)[:c]
    variant = {"SVT, standard (12)": ALG12, "SVT, renewing (13)": ALG13}.get(way, row)
    return np.flatnonzero(
        svt.sparse_vector(
            queries, threshold, 1, c, epsilon, rng, variant=variant, monotonic=True
        )
    )


# %% jupyter={"source_hidden": true}
# Figure: select(way, counts, c, epsilon, threshold, raised, rng) for each way; what it misses
fig, ax = figure(height=3.8)
(good,) = ax.plot([], [], "o", color=COLOURS.noisy, markersize=6, label="in the true top c")
(bad,) = ax.plot(
    [], [], "x", color=COLOURS.other, markersize=7, markeredgewidth=1.6, label="not in it"
)
edge = ax.axvline(10, color=COLOURS.true, linestyle=":", label="rank c")
beside = {"transform": ax.get_yaxis_transform(), "clip_on": False, "va": "center"}
missed = [ax.text(1.02, i, "misses 100%", **beside) for i in range(len(WAYS))]
ax.set(
    xscale="log",
    xlim=(0.9, 1_000),
    ylim=(len(WAYS) - 0.4, -0.6),
    yticks=range(len(WAYS)),
    yticklabels=WAYS,
    xlabel="true rank of the selected query (log scale)",
)
ax.xaxis.set_major_formatter("{x:,.0f}")
fig.legend(loc="outside upper center", ncols=3, frameon=False)


def update(epsilon, c, threshold, raised, shuffled, seed):
    way_order = order if shuffled else np.arange(n)
    x, y = [], []
    for i, way in enumerate(WAYS):
        rng = np.random.default_rng([seed, i])
        chosen = way_order[select(way, counts[way_order], c, epsilon, threshold, raised, rng)]
        x.extend(rank[chosen])
        y.extend([i] * chosen.size)
        missed[i].set_text(f"misses {100 * svt.false_negative_rate(chosen, counts, c):.0f}%")
    x, y = np.array(x), np.array(y)
    good.set_data(x[x <= c], y[x <= c])
    bad.set_data(x[x > c], y[x > c])
    edge.set_xdata([c + 0.5] * 2)
    return (
        f"the true answer at rank {c} is {counts[by_size[c - 1]]:,.0f}; the threshold is "
        f"{threshold:,}, retraversal's {raise_by(raised, threshold, c, epsilon):,.0f}"
    )


selection_figure = live(
    fig,
    update,
    "One row for each way to select the top c queries: a dot at the true rank of every "
    "selected query inside the top, "
    "a cross outside, on a log scale; beside the row the share of the top that it missed.",
    task=(
        r"go from $c = 10$ to $c = 60$ at $\varepsilon = 0.5$, and press *New noise* a few "
        "times. Which way gets worse with $c$, which does not? SVT misses what lies under its "
        "threshold: move the threshold to the answer at rank $c$, told below the picture. "
        "Then move it to 300: SVT stops early now, and *shuffled* decides what it gets to "
        "see."
    ),
    epsilon=log_slider(0.02, 5, 0.5),
    c=slider(1, 60, 10, label="c"),
    threshold=slider(300, 1500, 1000, 50, label="threshold (women)"),
    raised=slider(0, 5, 1, label="raise (deviations)"),
    shuffled=switch(True),
    seed=new_noise(1),
)
selection_figure

# %% [markdown]
# One run is luck. Below, means over 40 runs: the share of the true top $c$ that was missed (false negative rate), and
# the share of its total count that was missed (score error; its standard error is at most the number printed above
# the table). SVT gets a gift here that nobody has in practice: an oracle's threshold, the true answer at rank $c$.


# %%
def mean_errors(c, epsilon, repeats=40):
    """Mean false negative rate and score error of every way, with the true answer at rank c as
    the threshold.
    """
    errors = np.zeros((repeats, len(WAYS), 2))
    for seed, (i, way) in product(range(repeats), enumerate(WAYS)):
        rng = np.random.default_rng(seed)
        shuffled = rng.permutation(counts)
        chosen = select(way, shuffled, c, epsilon, counts[by_size[c - 1]], 1, rng)
        errors[seed, i] = (
            svt.false_negative_rate(chosen, shuffled, c),
            svt.score_error_rate(chosen, shuffled, c),
        )
    return errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(repeats)


cutoffs = (2, 5, 10, 20, 35, 60)
by_cutoff, deviations = np.array([mean_errors(c, 0.2) for c in cutoffs]).swapaxes(0, 1)
epsilons = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2)
by_epsilon = np.array([mean_errors(10, epsilon)[0] for epsilon in epsilons])
print(
    "score errors at epsilon 0.2, means of 40 runs; largest standard error "
    f"{deviations[:, :, 1].max():.3f}"
)
pd.DataFrame(by_cutoff[:, :, 1].T, index=WAYS, columns=[f"c = {c}" for c in cutoffs]).round(2)

# %% jupyter={"source_hidden": true}
# Figure: the shares of the top missed, computed above, against epsilon and against c
fig, (left, right) = figure(columns=2, height=3.6, sharey=True)
looks = (
    ("-o", COLOURS.noisy),
    ("--s", COLOURS.light),
    ("-^", COLOURS.other),
    ("-p", COLOURS.fourth),
    ("-v", COLOURS.amber),
    (":D", COLOURS.true),
    (":", COLOURS.grey),
)
for i, (way, (style, colour)) in enumerate(zip(WAYS, looks, strict=True)):
    left.plot(epsilons, by_epsilon[:, i, 0], style, color=colour, markersize=5, label=way)
    right.plot(cutoffs, by_cutoff[:, i, 0], style, color=colour, markersize=5)
left.set(
    xscale="log", xlabel="ε (log scale), c = 10", ylabel="share of the top missed", ylim=(0, 1)
)
left.xaxis.set_major_formatter("{x:g}")
right.set(xlabel="c, with ε = 0.2", xlim=(0, 62))
fig.legend(loc="outside upper center", ncols=3, frameon=False)
show(
    fig,
    "Share of the true top missed, on the left against epsilon, on the right against c: the "
    "exponential mechanism and "
    "retraversal are best for small c, Laplace noise on all counts for c above 28.",
)

# %% [markdown]
# The textbook's finding holds: EM is better than SVT run once, and retraversal comes close to EM. "Significantly worse"
# is right for Algorithm 13: at $c = 5$ and 10 all of the gain in score is the step from 13 to 12, and the best split
# adds nothing; from $c = 20$ on most of it is the split. The black line is not in the textbook. Its noise does not grow
# with $c$, so beyond about 28, the number of pairs a woman is in, it beats them all. **Count how many queries a record touches before you reach for either.**
#
# ### How far apart are SVT and EM in theory?
#
# Section 7.4 takes $k - 1$ answers at $T - \alpha$ and the last one at $T + \alpha$, and asks which $\alpha$ makes
# the selection right with probability $1 - \beta$. It compares a *bound* for SVT with a formula for EM, and finds a
# factor above 8 (erratum [E63](22_errata.ipynb#E63)). With `log_output_probability` the $\alpha$ that SVT truly needs is a root to be found
# ($c = \Delta = 1$, $\varepsilon = 1$, $\beta = 0.05$):


# %%
def right_selection(alpha, k, row, lift=0.0):
    """The exact probability that SVT says below k - 1 times and then above, less 0.95;
    threshold at `lift` alpha.
    """
    answers, threshold = np.append(np.full(k - 1, -alpha), alpha), lift * alpha
    return (
        np.exp(
            svt.log_output_probability(
                [False] * (k - 1) + [True], answers, threshold, 1, 1, 1.0, row
            )
        )
        - 0.95
    )


rows = []
for k in (10, 1_000, 100_000):
    bound, em = 8 * (np.log(k) + np.log(2 / 0.05)), np.log(k - 1) + np.log(0.95 / 0.05)
    best_split = alg18(*svt.optimal_split(1, 1))
    needed = [brentq(right_selection, 0.1, 200, args=(k, row)) for row in (ALG12, best_split)]
    lifted = min(
        brentq(right_selection, 0.1, 200, args=(k, best_split, lift)) for lift in (0.2, 0.5)
    )
    rows.append((k, bound, *needed, lifted, em, bound / em, needed[1] / em, lifted / em))
names = [
    "k",
    "SVT: bound",
    "SVT: exact",
    "best split",
    "and best T",
    "EM",
    "bound / EM",
    "best split / EM",
    "best T / EM",
]
pd.DataFrame(rows, columns=names).set_index("k").round(1)

# %% [markdown]
# So with the threshold midway EM is more accurate than SVT by a factor of about three here, not eight; with a better
# placed threshold (the better of two tried) by less. The rest was the slack of the bound.
#
# ### With a small delta
#
# Section 7.2.4 names SVT with $(\varepsilon, \delta)$-DP and leaves it. The plain way: run Algorithm 12 with $c = 1$, and
# start anew after each positive. That is $c$ private runs, and their composition ([02](02_composition.ipynb)) at a
# small $\delta$ grows like $\sqrt c$, not $c$. (The dull rival with a $\delta$ is normal noise on all the answers, then the
# largest: [24](24_gaussian.ipynb).) Deviation of the noise in a comparison, $\varepsilon = 1$, $\delta =
# 10^{-6}$:

# %%
rows = []
for c in (1, 10, 30, 100, 300, 1_000):
    each = brentq(lambda share, c=c: optimal(share, c, 1e-6) - 1, 1e-4, 1.5)
    pure = np.sqrt(comparison_variance(*svt.optimal_split(1, c), c))
    anew = np.sqrt(comparison_variance(*svt.optimal_split(each, 1), 1))
    rows.append(
        (
            c,
            pure,
            each,
            anew,
            "anew" if anew < 0.99 * pure else "one run" if pure < 0.99 * anew else "equal",
        )
    )
names = [
    "c",
    "one run, delta 0",
    "epsilon of each run",
    "anew after each, delta",
    "less noise",
]
pd.DataFrame(rows, columns=names).set_index("c").round(3)

# %% [markdown]
# It pays for many positives only, for each restart draws and pays a new threshold. (Zhu and Wang 2020 keep the threshold
# and account in Rényi terms, which is better.)
#
# ## Where it breaks
#
# **Noise inside the absolute value (section 7.2.4).** Some papers use SVT to check the error of a guessed answer and
# compare $|\tilde q_i - q_i + \nu_i|$, noise inside, with the noisy threshold. The textbook says that a *positive* shows
# $\rho \ge -T$, "somewhat similar" to the leak of Algorithm 14 (erratum [E64](22_errata.ipynb#E64)). Look at the runs:

# %%
below_zero = {"above": 0, "below": 0}
for seed in range(4_000):
    run = svt.trace([0.0], 1, 1, 1, 0.5, np.random.default_rng(seed), variant=NOISE_INSIDE)
    below_zero["above" if run.outputs[0] else "below"] += run.noisy_thresholds[0] < 0
print(
    "runs with a noisy threshold below 0:",
    ", ".join(f"{k} said {word}" for word, k in below_zero.items()),
)

# %% [markdown]
# It is a *negative* that shows $\rho > -T$: an absolute value cannot lie under a threshold below 0. And does that
# leak break the promise? No: move the threshold by $\Delta$ as before, and every step of the proof still holds.

# %%
losses = []
for threshold, m in product(
    (0, 2, 200), (5, 50, 500)
):  # the answers lie at the threshold, or 1 above it
    output, here, there = svt.counterexample(ALG12, 2, m)
    for pair in ((here, there), (there, here)):
        moved = [answers + threshold for answers in pair]
        losses.append(svt.privacy_loss(output, *moved, threshold, 1, 2, 1.0, NOISE_INSIDE))
print(f"largest loss found: {np.abs(losses).max():.4f} for a promise of 1")
for row in (ALG12, NOISE_INSIDE):
    chance = np.exp(svt.log_output_probability([True], [0.0], 5, 1, 1, 1.0, row))
    print(f"{row.name}: an error of 0 is said to be above 5 with probability {chance:.3f}")

# %% [markdown]
# What noise inside does is lean upwards: large noise of either sign makes an *above*. It wastes accuracy, not
# privacy.
#
# **A gap that closes in one line (section 7.2.3).** GPTT is Algorithm 17 with any two budgets. A paper (Chen and
# Machanavajjhala 2015) argued that it has no bound, with $t$ answers $0$ and $t$ answers $1$, swapped in the neighbour.
# The textbook rejects the argument; the claim is right, and its proof lacked one line (erratum
# [E61](22_errata.ipynb#E61)): the ratio $\kappa(z)$ of the two integrands is at least $e^{\varepsilon_2}$ *everywhere*.

# %%
points = np.linspace(-200, 200, 4_001)
cdf, tail = (
    (lambda x: log_cdf(x * 0.5)),
    (lambda x: log_cdf(-x * 0.5)),
)  # noise of scale 1 / epsilon_2 = 2
log_kappa = cdf(points) + tail(points - 1) - cdf(points - 1) - tail(points)
print(
    f"ln kappa from {log_kappa.min():.4f} to {log_kappa.max():.4f}, at both ends "
    f"{log_kappa[0]:.4f}"
)
for t in (10, 100, 1_000, 10_000):
    answers, output = np.repeat([0, 1], t), [False] * t + [True] * t
    loss = svt.privacy_loss(output, answers, 1 - answers, 0, 1, 1, 1.0, ALG17)
    print(f"t = {t:6}: loss / t = {loss / t:.4f}")
print(f"limit: {2 * np.log1p(-np.exp(-0.25) / 2) + np.log(4) + 0.5:.4f}")

# %% [markdown]
# For $z \le 0$ already $F(z)/F(z-1) = e^{\varepsilon_2}$, with $F$ the distribution function of the query noise; for $z
# \ge 1$ the same holds for the tails, and between 0 and 1 the ratio is larger still. So the loss is at least
# $t\,\varepsilon_2$.
#
# **A number that looks right.** Computing these probabilities on a grid is a trap of its own. On a coarse grid both
# integrals are wrong by the same factor, so their ratio, the loss, looks fine:

# %%
output, here, there = svt.counterexample(ALG17, 1, 2_000)
scales, grid = ALG17.scales(1, 1, 1.0), np.arange(-60.0, 61.0, 2.0)
coarse = [
    np.logaddexp.reduce(log_integrand(grid, *np.split(x, 2), scales)) + np.log(2)
    for x in (here, there)
]
exact = [svt.log_output_probability(output, x, 0, 1, 1, 1.0, ALG17) for x in (here, there)]
print(f"loss: coarse grid {coarse[0] - coarse[1]:.1f}, exact {exact[0] - exact[1]:.1f}")
factor = np.exp(coarse[0] - exact[0])
print(
    f"log probability: coarse grid {coarse[0]:.2f}, exact {exact[0]:.2f}: off by a factor of "
    f"{factor:.0f}"
)

# %% [markdown]
# **Floats.** All of this is for real numbers. The noise here is made of 53-bit floats, whose last bits can tell what
# they were added to. This page is for teaching; do not release anything with it.
#
# ## On your own
#
# A hint and an answer for each: [exercises/answers/14_svt](../exercises/answers/14_svt.ipynb).
#
# **Assignment 14:** [five tasks, checked in a second](../exercises/releases/14_svt.ipynb).
#
# 1. *Warm-up.* In the run figure, set the threshold to 1,500 and $c$ to 1. How many queries are answered for one
#    positive? What would each have cost with an equal share of the budget?
# 2. In the meter, set $c = 20$ and find between which numbers of queries Algorithm 14 breaks. Compute the first one
#    with the formula $(m - 1)\,\varepsilon / (2c)$, where $m$ counts the negatives: one query less.
# 3. Someone proposes Algorithm 12 that *also* stops after 50 negatives in a row. Is it still $\varepsilon$-DP? Which
#    line of the proof do you need?
# 4. Mend Algorithm 15: `replace(ALG15, query_noise=2, query_noise_times_cutoff=True)`. What is its `loss_bound`? For
#    which $c$ would its 1 : 3 split be the best one? (The answer is no whole number. Which whole $c$ comes next to it?)
# 5. Use triples of codes in place of pairs. How many queries are there, how many does one woman touch, and from which
#    $c$ on is Laplace on all the better choice?
# 6. *Challenge.* Find, for Algorithm 12 with $c = 2$ and three queries, the pair of neighbours and the output with the
#    largest exact loss. How close to $\varepsilon$ does it come, and why not closer?

# %% [markdown]
# ## When to use it, and when not
#
# The standard deviation of the noise that a verdict carries, in women, at $\varepsilon = 1$, with $n$ monotonic
# queries asked one by one:

# %%
rows = []
for asked_queries, c in product((20, 200, 923, 100_000), (1, 10, 50)):
    best = np.sqrt(comparison_variance(*svt.optimal_split(1, c, True), c, True))
    equal = np.sqrt(2) * asked_queries
    rows.append(
        (asked_queries, c, equal, best, "SVT" if best < equal else "Laplace, equal shares")
    )
names = ["queries n", "positives c", "Laplace, equal shares", "SVT", "less noise"]
table = pd.DataFrame(rows, columns=names)
print(table.round(1).to_string(index=False))

# %% [markdown]
# **Use SVT** when queries come one by one, there are many, few will be above, and one record may touch them all.
# Algorithm 18 with the best split, thresholds fixed beforehand, and only the words *above* and *below* released.
#
# **Use EM** when all queries are known and you want the top $c$ ([04](04_exponential.ipynb)): no threshold to guess,
# and less error. **Use Laplace on all** when a record touches fewer queries than about $c$, or a histogram
# ([08](08_histograms.ipynb)) when it touches one. **Use none of these** to pass through many more positives than $c$:
# each positive costs, and a version that says otherwise is one of the four above.
#
# **Not here, and worth knowing.** SVT was made for *interactive* use: keep a history of answers, guess each new query from
# it, and let SVT check privately whether the guess is too far off; only then is budget spent (Li et al. 2016, section 7.1).
# Releasing by how much a positive cleared the threshold costs nothing more (free gap; Ding and others 2019). For a
# non-interactive top $c$, EM run $c$ times is one draw of Gumbel noise on all answers (Durfee and Rogers 2019), and
# permute-and-flip is never worse than EM (McKenna and Sheldon 2020).
#
# ## Sources
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to Practice*. Morgan and
#   Claypool 2016, chapter 7. [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018).
#   Where this page differs from it, a cell above computes the number.
# - Cynthia Dwork, Moni Naor, Omer Reingold, Guy Rothblum, Salil Vadhan: *On the Complexity of Differentially Private
#   Data Release*. STOC 2009. [doi:10.1145/1536414.1536467](https://doi.org/10.1145/1536414.1536467). The first SVT.
# - Moritz Hardt, Guy Rothblum: *A Multiplicative Weights Mechanism for Privacy-Preserving Data Analysis*. FOCS 2010.
#   [doi:10.1109/FOCS.2010.85](https://doi.org/10.1109/FOCS.2010.85). Interactive use; noise inside the absolute value.
# - Aaron Roth: *The Sparse Vector Technique*. Lecture notes, University of Pennsylvania, 2011; read through 004 only.
#   Algorithm 14.
# - Cynthia Dwork, Aaron Roth: *The Algorithmic Foundations of Differential Privacy*. Foundations and Trends in
#   Theoretical Computer Science 2014, section 3.6. [doi:10.1561/0400000042](https://doi.org/10.1561/0400000042).
#   Algorithm 13.
# - Jaewoo Lee, Christopher Clifton: *Top-k Frequent Itemsets via Differentially Private FP-Trees*. KDD 2014.
#   [doi:10.1145/2623330.2623723](https://doi.org/10.1145/2623330.2623723). Algorithm 15; read through 004.
# - Ben Stoddard, Yan Chen, Ashwin Machanavajjhala: *Differentially Private Algorithms for Empirical Machine Learning*.
#   2014. [arXiv:1411.5428](https://arxiv.org/abs/1411.5428). Algorithm 16; read through 004.
# - Rui Chen, Qian Xiao, Yu Zhang, Jianliang Xu: *Differentially Private High-Dimensional Data Publication via
#   Sampling-Based Inference*. KDD 2015. [doi:10.1145/2783258.2783379](https://doi.org/10.1145/2783258.2783379).
#   Algorithm 17; read through 004.
# - Yan Chen, Ashwin Machanavajjhala: *On the Privacy Properties of Variants on the Sparse Vector Technique*. 2015.
#   [arXiv:1508.07306](https://arxiv.org/abs/1508.07306). GPTT.
# - Min Lyu, Dong Su, Ninghui Li: *Understanding the Sparse Vector Technique for Differential Privacy*. PVLDB 2017.
#   [doi:10.14778/3055330.3055331](https://doi.org/10.14778/3055330.3055331). The experiments that 7.4.1 refers to.
# - Zeyu Ding, Yuxin Wang, Danfeng Zhang, Daniel Kifer: *Free Gap Information from the Differentially Private Sparse
#   Vector and Noisy Max Mechanisms*. PVLDB 2019.
#   [doi:10.14778/3368289.3368295](https://doi.org/10.14778/3368289.3368295).
# - David Durfee, Ryan Rogers: *Practical Differentially Private Top-k Selection with Pay-what-you-get Composition*.
#   NeurIPS 2019. [arXiv:1905.04273](https://arxiv.org/abs/1905.04273).
# - Ryan McKenna, Daniel Sheldon: *Permute-and-Flip: A New Mechanism for Differentially Private Selection*. NeurIPS 2020.
#   [arXiv:2010.12603](https://arxiv.org/abs/2010.12603).
# - Yuqing Zhu, Yu-Xiang Wang: *Improving Sparse Vector Technique with Renyi Differential Privacy*. NeurIPS 2020.
#   [proceedings](https://proceedings.neurips.cc/paper/2020/hash/e9bf14a419d77534105016f5ec122d62-Abstract.html).
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [13 Marginal tables of many attributes](13_marginals.ipynb) · **Next:** [15 Stability](15_stability.ipynb)
