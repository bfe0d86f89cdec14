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
# # 07 Local privacy: randomized response
#
# People can answer an embarrassing question so that nobody, not even the interviewer, learns their answer. The fraction
# of yes can be estimated all the same, and this page works out the price.
#
# <details><summary>About 35 minutes, after 00 and 03: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [06 What does epsilon promise?](06_meaning.ipynb) · **Next:** [08 Histograms that answer ranges](08_histograms.ipynb)
#
# **Assignment 07:** [five tasks, checked in a second](../exercises/releases/07_local.ipynb)
#
# **What you will do:** read an answer with the interviewer's eyes, and run a survey of 6,366 women again and again.
# Pick the right encoding for a question with many answers. Find a voter among 944 by answers that were all randomised.
#
# **You need:** [00 Start here](00_start_here.ipynb) for the terms, [03 Laplace](03_laplace.ipynb) for the privacy loss
# and for the noise of a curator. A *curator* is somebody trusted with all answers. One break is about
# the exponential mechanism of chapter 04.
#
# **Time:** about 35 minutes. A good place to stop is before *Questions with more answers*.
#
# **Real and synthetic:** every record is of a real person (Fair's survey of married women, the election study of
# 1996). Nothing is synthetic but the coins.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import numpy as np

from dpbook import data
from dpbook.live import choice, live, log_slider, new_noise
from dpbook.local import (
    binary_chances,
    frequency_deviation,
    frequency_interval,
    randomized_response,
)
from dpbook.plots import (
    curves,
    figure,
    legend_above,
    maps,
    set_curves,
    set_maps,
    set_verdict_text,
    verdict_text,
    x_axis,
    y_axis,
)

# %% jupyter={"source_hidden": true}
# Figure: randomized_response(answers, epsilon, rng): every report, and the estimate so far
survey = data.affairs()
affair = (survey["affairs"].values > 0).astype(int)
n, truth = affair.size, affair.mean()
order = np.random.default_rng(2).permutation(n)
so_far = np.unique(np.geomspace(10, n, 200).astype(int))
true_so_far = np.cumsum(affair[order])[so_far - 1] / so_far
fig, (people_ax, share_ax) = figure(columns=2, height=2.5, width_ratios=[1, 1.4])
look = {"cmap": "Blues", "origin": "upper"}
[crowd] = maps(people_ax, None, (0, 100, 0, 64), "dark: this woman says yes", **look)
people_ax.set(xticks=[], yticks=[])
looks = {"estimate": "noisy", "true, of these": "true", "± 95%": "light --", "": "light --"}
so_far_lines = curves(share_ax, so_far, looks)
ticks = {10: "10", 100: "100", 1000: "1,000", n: f"{n:,}"}
x_axis(share_ax, "women asked (log scale)", (10, n), ticks, log=True)
y_axis(share_ax, "fraction", (-0.1, 1))
survey_told = verdict_text(people_ax)
legend_above(fig, 3)


def answered(asked, epsilon, seed):
    rng, chances = np.random.default_rng(seed), binary_chances(epsilon)
    reports = randomized_response(affair[order], epsilon, rng)
    squares = np.full(6400, np.nan)
    squares[:asked] = 0.2 + 0.7 * reports[:asked]
    set_maps([crowd], squares.reshape(64, 100))
    estimates = np.cumsum(reports)[so_far - 1] / so_far - chances.yes_if_false
    estimates /= chances.yes_if_true - chances.yes_if_false
    estimates[so_far > asked] = np.nan
    reach = 1.96 * frequency_deviation(truth, so_far, chances)
    set_curves(so_far_lines, [estimates, true_so_far, estimates - reach, estimates + reach])
    low, high = frequency_interval(reports[:asked], 0.95, epsilon)
    told = f"estimate {(low + high) / 2:.1%} ± {(high - low) / 2:.1%}"
    set_verdict_text(survey_told, None, f"{asked:,} women asked: {told}")
    share, lies = affair[order[:asked]].mean(), 1 - chances.yes_if_true
    return f"true {share:.1%} of these women; {lies:.0%} of all answers are false"


live(
    fig,
    answered,
    "Left, a square for each woman, dark where her randomised answer is yes. Right, the "
    "estimated fraction with an affair closes in on the true one of the women asked so far; "
    "its interval narrows as more are asked.",
    task="take *women asked* to the right: no square says anything certain, and all together "
    "say enough.",
    play="asked",
    asked=choice([10, 20, 50, 100, 200, 400, 800, 1500, 3000, n], 400, label="women asked"),
    epsilon=log_slider(0.2, 4, 1.0),
    seed=new_noise(3),
)

# %% [markdown]
# With [epsilon 0.2](#move:epsilon=0.2&asked=6366) nearly half of the answers are false, and even 6,366 women
# give only a rough estimate. With [epsilon 4](#move:epsilon=4) few answers are false, and each of them says much about
# a woman.
#
# ## A question nobody likes to answer
#
# In 1974 a magazine asked its readers about their marriages, and whether they had an affair. They answered:

# %% jupyter={"source_hidden": true}
# Computed: how many women report an affair, and what a survey finds if some deny it
print(f"{n:,} women answered; {affair.sum():,} of them, {truth:.2%}, report an affair")
for denied in (0, 0.2, 0.5, 0.8):
    print(f"if {denied:>4.0%} of them deny it, the survey finds {truth * (1 - denied):.1%}")

# %% [markdown]
# Those women trusted the magazine. Its editors and its clerks could read every answer, and so could a burglar.
# Suppose the readers do not trust it. Then some of those with an affair will say no, and nobody knows which of these lines
# is the real one. The error does not shrink when more women are asked. So assurances
# ("we will burn the forms") fail, and lies fail too, as long as nobody knows how many there are.
#
# ### Two repairs that fail
#
# *Everyone flips a coin: heads, she tells the truth, tails, she lies.* Now nobody can be blamed for her answer. But the
# expected fraction of yes is one half whatever the truth. *Everyone lies.* Then the result is exact, and nothing is hidden.

# %% jupyter={"source_hidden": true}
# Computed: the expected fraction of yes under three rules
for name, honest in (("tell the truth", 1.0), ("a fair coin decides", 0.5), ("all lie", 0.0)):
    yes_if_affair, yes_if_none = honest, 1 - honest
    shares = [share * yes_if_affair + (1 - share) * yes_if_none for share in (0.1, truth)]
    print(
        f"{name:<20} expected yes {shares[1]:6.1%}; if only 10% had an affair {shares[0]:6.1%}"
    )

# %% [markdown]
# ## The idea: lie, but exactly as often as everybody knows
#
# Stanley Warner's proposal of 1965 is between these two. His interviewer hands over a spinner. Out of sight it points,
# with a public probability $p$, to the statement "I had an affair", and otherwise to "I had none". The woman says only
# whether the statement is true of her. Here is the later two-coin form, with the same probabilities as $p = 3/4$.
#
# Each woman flips a coin out of sight. Heads: she tells the truth. Tails: she flips again, and says yes on heads and no
# on tails. Any answer may be due to the coins, so an answer proves nothing. But a yes is more likely from those with an
# affair, and *how much* more is known.

# %% jupyter={"source_hidden": true}
# What the next sections import
import functools
import math

import pandas as pd
from scipy.stats import binom

from dpbook.amounts import amount, counted, percent
from dpbook.audit import exact_loss
from dpbook.exponential import log_selection_probabilities
from dpbook.guesses import own_record, predict
from dpbook.live import show_source, slider
from dpbook.local import (
    Chances,
    estimate_frequencies,
    estimate_frequency,
    k_ary_chances,
    k_ary_log_probability,
    k_ary_response,
    optimised_chances,
    report_count_probabilities,
    response_log_probability,
    unary_chances,
    unary_encoding,
    unary_log_probability,
    unary_loss,
)
from dpbook.plots import COLOURS, own_point, set_own_point, set_steps, steps

# %%
yes_if_affair, yes_if_none = 1 / 2 + 1 / 4, 1 / 4
print(f"yes: {yes_if_affair:.0%} of those with an affair, {yes_if_none:.0%} of the others")
print(
    f"no answer is more than {yes_if_affair / yes_if_none:g} times as likely from one as "
    "from the other"
)
print(f"the privacy loss of either answer is ln 3 = {math.log(3):.3f}")

# %% [markdown]
# That is differential privacy for *one person's own answer*. There is no curator: each person runs a mechanism $M$ at
# home and sends its output, the *report*.
#
# > **Definition 7.1 (local privacy; Evfimievski, Gehrke and Srikant, 2003; Kasiviswanathan and others, 2008).** $M$ is
# > locally $\varepsilon$-private if for all values $x, x'$ that one person may hold and all reports $y$
# > $$\Pr[M(x) = y] \;\le\; e^{\varepsilon}\, \Pr[M(x') = y] .$$
#
# This is the *local model*, or *local differential privacy (LDP)* (Li, Lyu, Su and Yang, 2016, section 2.6). The two
# neighbours are two values of the same person: *replace*. Participation is not hidden at all: the number of people $n$
# is public. Reports are discrete. So, unlike with Laplace noise, single outputs have probabilities, and a formula with
# $\Pr[M(x) = y]$ is safe.
#
# ## The mechanism
#
# > **Theorem 7.2 (randomized response; Warner, 1965).** To report the truth with probability $p$, else the opposite, is
# > locally $\varepsilon$-private if and only if $e^{-\varepsilon} \le p / (1 - p) \le e^{\varepsilon}$. The smallest
# > error is at $p = e^\varepsilon / (1 + e^\varepsilon)$ (or at $1 - p$).
#
# <details><summary>Proof: the ratio of the two probabilities of a yes is p / (1 − p).</summary>
#
# $\Pr[\text{yes} \mid \text{affair}] / \Pr[\text{yes} \mid \text{none}] = p / (1 - p)$, and for no the inverse.
# $\square$ By Proposition 7.3 the error falls as $p$ moves away from 1/2, so the ends of the range are best. There the
# privacy loss of each report is exactly $\varepsilon$.
#
# </details>

# %%
show_source(binary_chances)
show_source(randomized_response)

# %% jupyter={"source_hidden": true}
# Computed: the privacy loss of both reports, and how often they are true
for epsilon in (0.1, 1.0, math.log(3), math.log(9), 5.0):
    logs = np.array([response_log_probability([0, 1], bit, epsilon) for bit in (0, 1)])
    assert np.allclose(np.abs(logs[0] - logs[1]), epsilon)
    print(
        f"epsilon {epsilon:.3f}: the truth {binary_chances(epsilon).yes_if_true:.1%} of the "
        "time"
    )

# %% [markdown]
# ## Live: what does the interviewer learn?
#
# Before the answer, the interviewer believes with some probability, the *prior*, that this woman had an affair. Left:
# the probability of a yes, with an affair and without. Right: the interviewer's belief after a yes and after a no, for
# every prior. Whatever an interviewer knows about her, the answer moves the odds by a factor of at most
# $e^\varepsilon$.


# %%
def belief(prior, factor):
    """The probability whose odds are those of `prior` times `factor`."""
    return prior * factor / (prior * factor + 1 - prior)


# %% jupyter={"source_hidden": true}
# Figure: belief(prior, e^epsilon) after a yes and belief(prior, e^-epsilon) after a no
priors = np.linspace(0, 1, 201)
fig, (left, right) = figure(columns=2, height=3.3)
look = {"color": [COLOURS.amber, COLOURS.light], "edgecolor": "black", "width": 0.55}
yes_bars = left.bar([0, 1], [0.5, 0.5], **look)
yes_bars[1].set_hatch("//")
left.axhline(0.5, color=COLOURS.grey, linewidth=1)
x_axis(left, None, (-0.6, 1.6), {0: "had an affair", 1: "had none"})
y_axis(left, "probability of a yes", (0, 1.02))
looks = {"after yes": "other", "after no": "noisy --", "before": "grey :"}
belief_lines = curves(right, priors, looks)
beliefs = own_point(right, None, "D", COLOURS.true, markersize=7)
x_axis(right, "belief before (prior)", (0, 1))
y_axis(right, "belief after", (0, 1.02))
learned = verdict_text(left)
legend_above(fig, 3)


def interviewer(epsilon, prior):
    for bar, chance in zip(yes_bars, binary_chances(epsilon), strict=True):
        bar.set_height(chance)
    odds = np.exp([epsilon, -epsilon])
    set_curves(belief_lines, [*(belief(priors, each) for each in odds), priors])
    pair = [belief(prior, each) for each in odds]
    set_own_point(beliefs, [prior, prior], pair)
    yes, no = map(percent, pair)
    told = f"from {percent(prior)}% sure to {yes}% after a yes, {no}% after a no"
    set_verdict_text(learned, None, told)
    return f"belief {percent(prior)}% before; {yes}% after a yes, {no}% after a no"


question = "A rumour, believed at 2%, and a yes at epsilon 2: how likely is it now?"
live(
    fig,
    interviewer,
    "Left: two bars, the probability of a yes with an affair and without. "
    "Right: belief after the answer against belief before; the curve after a yes bends above "
    "the diagonal, the curve after a no below it.",
    task=r"set the prior to the survey's 32% and move $\varepsilon$ from 0.1 up. Where would "
    "*you* stop, if it were your answer? Then look at a prior of 2%, a rumour: after "
    r"which $\varepsilon$ does a yes make it likely?",
    guess=predict(question, (0, 100, "%"), r"([\d.]+)% after a yes", prior=0.02, epsilon=2.0),
    epsilon=log_slider(0.1, 6, 1.0),
    prior=slider(0.02, 0.98, 0.32, 0.02),
)

# %% [markdown]
# After a rumour, believed at 2%, [a yes at epsilon 6](#move:prior=0.02&epsilon=6) leads to a belief of 89%.

# %% jupyter={"source_hidden": true}
# Computed: how far a yes moves a belief of 2% and one of 32%
for epsilon in (0.1, 1.0, math.log(9), 6.0):
    after = [belief(prior, math.exp(epsilon)) for prior in (0.02, 0.32)]
    print(
        f"epsilon {epsilon:.2f}: a yes takes a belief of 2% to {after[0]:.1%}, one of 32% to "
        f"{after[1]:.1%}"
    )

# %% [markdown]
# ## From reports to a share
#
# Take the reports of all women with the two coins, $\varepsilon = \ln 3$. Their fraction of yes is not the fraction of
# affairs: it is pulled towards one half.

# %%
reports = randomized_response(affair, math.log(3), np.random.default_rng(1))
print(f"yes among the reports {reports.mean():.2%}; true fraction of affairs {truth:.2%}")

# %% [markdown]
# > **Proposition 7.3 (estimate).** Of $n$ people let the fraction $f$ hold an answer. Let $p$ be the probability of a
# > yes from those who hold it, $q < p$ from those who do not (here $q = 1 - p$). Then, over the coins,
# > $$\hat f = \frac{\text{yes}/n - q}{p - q}$$
# > has mean $f$ and variance
# > $$\sigma^2 = \frac{f\, p(1-p) + (1 - f)\, q (1-q)}{n\, (p - q)^2} .$$
#
# <details><summary>Proof: the expected fraction of yes is linear in f, and reports are independent.</summary>
#
# It is $f p + (1 - f) q = q + f (p - q)$. The reports are independent yes-or-no draws,
# with variance $p(1-p)$ or $q(1-q)$ each. $\square$
#
# </details>
#
# So it is *unbiased*: its mean over the coins is the truth. It looks only at the reports, so it costs no privacy
# (post-processing). It can fall below 0 or above 1. Cutting it off at 0 and 1 is free too, but makes it biased.

# %%
show_source(estimate_frequencies)
show_source(estimate_frequency)

# %% jupyter={"source_hidden": true}
# Computed: the estimate, and its exact mean for ten women with three affairs
print(f"estimate {estimate_frequency(reports, math.log(3)):.2%}, true {truth:.2%}")
ten = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
law = report_count_probabilities(ones=3, people=10, epsilon=math.log(3))
estimates = [estimate_frequency(np.arange(10) < yes, math.log(3)) for yes in range(11)]
print(f"ten women, three affairs: the estimate has the mean {law @ estimates:.6f}")
print("its values, by the number of yes:", *(f"{estimate:.1f}" for estimate in estimates))
assert abs(law @ estimates - ten.mean()) < 1e-12

# %% [markdown]
# ### How far to trust it
#
# With $q = 1 - p$ the variance is the same whatever the truth:
#
# $$\sigma = \frac{\sqrt{p(1-p)/n}}{2p - 1} = \frac{1}{2 \sqrt n \,\sinh(\varepsilon / 2)} .$$
#
# An interval of 1.96 standard deviations to each side should hold the true fraction 95 times in 100. A sum of coins is
# only nearly normal. Its distribution is known (a sum of two binomials), so we can compute how often it does, the
# *coverage*.

# %%
show_source(frequency_interval)


# %%
def coverage(ones, people, epsilon, confidence=0.95):
    """The exact probability that the interval holds the true fraction."""
    counts, share = report_count_probabilities(ones, people, epsilon), ones / people
    low, high = frequency_interval(np.zeros(people), confidence, epsilon)  # all are this wide
    estimates = estimate_frequencies(np.arange(people + 1), people, binary_chances(epsilon))
    return counts[np.abs(estimates - share) <= (high - low) / 2].sum()


# %% jupyter={"source_hidden": true}
# Computed: the coverage of the interval, for four numbers of women and three epsilons
for people in (10, 100, 1_000, n):
    covers = [
        f"{coverage(round(truth * people), people, epsilon):.1%}"
        for epsilon in (0.1, 1.0, 4.0)
    ]
    deviation = frequency_deviation(truth, people, binary_chances(1.0))
    print(
        f"{people:>5,} women: covered {', '.join(covers)} at epsilon 0.1, 1, 4; deviation "
        f"{deviation:.1%} at 1"
    )
    assert math.isclose(deviation, 1 / (2 * math.sqrt(people) * math.sinh(0.5)))

# %% [markdown]
# ## Live: the survey, by randomized response
#
# Here are 60 surveys of the same women, each with new coins, with their intervals. Intervals that miss the truth are drawn
# thick.

# %%
questions = {
    "an affair?": affair[order],
    "not religious?": (survey["religious"].values == 1).astype(int)[order],
    "a very poor marriage?": (survey["rate_marriage"].values == 1).astype(int)[order],
}


def surveys(bits, chances, rng, times=60):
    """The number of yes in further surveys of the same women: a sum of two binomials."""
    ones = int(bits.sum())
    yes = rng.binomial(ones, chances.yes_if_true, times)
    return yes + rng.binomial(n - ones, chances.yes_if_false, times)


# %% jupyter={"source_hidden": true}
# Figure: surveys(bits, chances, rng), the estimates of 60 surveys and their intervals
fig, ax = figure(height=3.2)
(true_line,) = curves(ax, [-2, 61], {"true": "true"}, linewidth=1.5)
(hits,) = ax.plot([], [], color=COLOURS.light, linewidth=2, label="interval of one survey")
(misses,) = ax.plot([], [], color=COLOURS.other, linewidth=3.5, label="miss")
(middles,) = ax.plot([], [], "o", color=COLOURS.noisy, markersize=4, label="estimate")
how_many_miss = verdict_text(ax)
x_axis(ax, "60 surveys of the same women", (-2, 61), [])
y_axis(ax, "fraction of yes", (-0.2, 0.6), {0: "0%", 0.2: "20%", 0.4: "40%", 0.6: "60%"})
legend_above(fig, 4)


def ask(question, epsilon, seed):
    bits, chances = questions[question], binary_chances(epsilon)
    rng, share = np.random.default_rng(seed), bits.mean()
    estimates = estimate_frequencies(surveys(bits, chances, rng), n, chances)
    width = 1.96 * frequency_deviation(share, n, chances)
    set_curves([true_line], [share])
    outside = np.abs(estimates - share) > width
    for line, drawn in ((hits, ~outside), (misses, outside)):
        bars = np.add.outer(estimates[drawn], [-width, width, np.nan])
        line.set_data(np.repeat(np.flatnonzero(drawn), 3), bars.ravel())
    middles.set_data(np.arange(60), estimates)
    miss = "misses" if outside.sum() == 1 else "miss"
    told = f"true {share:.1%}: {outside.sum()} of 60 intervals of ± {width:.1%} {miss} it"
    set_verdict_text(how_many_miss, None, told)
    return f"true {share:.1%}; the first survey finds {estimates[0]:.1%} ± {width:.1%}"


live(
    fig,
    ask,
    "The estimates of sixty surveys with their intervals, and a line at the true fraction; "
    "the few intervals that miss it are thick.",
    task="press *New noise* a few times. How many of the 60 intervals miss the truth? Then "
    "choose the third question, to which few women would say yes, and lower "
    r"$\varepsilon$ to 0.2.",
    question=choice(list(questions), "an affair?"),
    epsilon=log_slider(0.2, 4, 1.0),
    seed=new_noise(3),
)

# %% [markdown]
# The width of the interval does not depend on the fraction. Beside a third it is small. For a rare answer it may be
# wider than the fraction:

# %% jupyter={"source_hidden": true}
# Computed: the intervals of three questions at epsilon 0.5
for name, bits in questions.items():
    reports = randomized_response(bits, 0.5, np.random.default_rng(4))
    low, high = frequency_interval(reports, 0.95, 0.5)
    print(
        f"{name:<22} true {bits.mean():5.1%}; at epsilon 0.5 between {low:5.1%} and "
        f"{high:5.1%}"
    )

# %% [markdown]
# > **A good place to stop.** This is all of it: one question, two answers, no curator. The rest is about more
# > answers, about the price, and about hundreds of questions.
#
# ## Questions with more answers
#
# What is your husband's occupation? There are six answers. One way is *k-ary randomized response*. It tells the truth with
# $e^\varepsilon$ times the probability of each of the other $k - 1$ answers:
#
# $$p = \frac{e^\varepsilon}{e^\varepsilon + k - 1}, \qquad q = \frac{1}{e^\varepsilon + k - 1} .$$

# %%
show_source(k_ary_response)

# %% [markdown]
# The more answers there are, the rarer is the truth. The other way is *unary encoding*: $k$ bits, "my answer is
# the first", "... the second", and so on, of which exactly one is true. Each bit is randomised by itself. This is the
# core of RAPPOR, with which a browser reported its settings. Two answers differ in *two* bits, so
# with symmetric coins each bit may have a privacy loss of only $\varepsilon / 2$.

# %%
show_source(unary_encoding)
job, jobs = survey["occupation_husb"].values - 1, 6
row = unary_encoding(job[:1], jobs, 2.0, np.random.default_rng(5))[0]
print(f"the first woman's true answer is number {job[0]}, counted from 0; her report: {row}")
print(
    f"each bit tells the truth with probability {unary_chances(2.0).yes_if_true:.1%}, at "
    "epsilon 2"
)

# %% [markdown]
# Which pair of probabilities $(p, q)$ is best among those with privacy loss $\varepsilon$? If an answer is rare, almost
# all the noise in its count comes from people who do not hold it. So their bits should rarely be set, and a fair coin
# should decide the true bit. That is the *optimised* unary encoding (OUE) of Wang and others (2017).
#
# $$\text{RAPPOR: } p = \frac{e^{\varepsilon/2}}{1 + e^{\varepsilon/2}},\; q = 1 - p; \qquad
# \text{optimised: } p = \tfrac12,\; q = \frac{1}{1 + e^{\varepsilon}} .$$
#
# All three encodings have exactly the privacy loss $\varepsilon$. The computer tries every report and every pair of
# answers:

# %% jupyter={"source_hidden": true}
# Computed: the largest privacy loss of three encodings, over all reports and pairs of answers
every_row = np.array(
    [[(number >> bit) & 1 for bit in range(jobs)] for number in range(2**jobs)]
)
for epsilon in (0.5, 1.0, math.log(9)):
    laws = {
        "k-ary": [
            k_ary_log_probability(np.arange(jobs), value, jobs, epsilon)
            for value in range(jobs)
        ],
        "RAPPOR": [unary_log_probability(every_row, value, epsilon) for value in range(jobs)],
        "optimised": [
            unary_log_probability(every_row, value, epsilon, optimised_chances)
            for value in range(jobs)
        ],
    }
    losses = {
        name: max(np.abs(a - b).max() for a in law for b in law) for name, law in laws.items()
    }
    print(
        f"epsilon {epsilon:.3f}: largest loss",
        ", ".join(f"{name} {loss:.3f}" for name, loss in losses.items()),
    )
    assert np.allclose(list(losses.values()), epsilon)

# %% [markdown]
# All three use the estimator of Proposition 7.3: count the reports that say yes to an answer, and insert $p$ and $q$.
#
# ## Live: three encodings
#
# Left: the true distribution of real answers, and the estimates of each encoding. Right: the standard deviation for a rare
# answer, against the number of possible answers.

# %%
voters = data.election()
columns = {
    "marriage (5)": (survey["rate_marriage"].values - 1, 5),
    "job (6)": (job, jobs),
    "party (7)": (voters["PID"].values, 7),
    "income (24)": (voters["income"].values - 1, 24),
}
encodings = ("k-ary", "RAPPOR", "optimised")
sizes = np.unique(np.geomspace(2, 1_000, 40).astype(int))


def all_chances(epsilon, k):
    """For each encoding, how likely a yes is: to the true answer, and to any other."""
    pairs = k_ary_chances(k, epsilon), unary_chances(epsilon), optimised_chances(epsilon)
    return dict(zip(encodings, pairs, strict=True))


def counts_of_yes(values, k, epsilon, rng):
    """For each encoding, how many of the people's reports say yes to each of k answers."""
    yes = [np.bincount(k_ary_response(values, k, epsilon, rng), minlength=k)]
    for pair in (unary_chances, optimised_chances):
        yes.append(unary_encoding(values, k, epsilon, rng, chances=pair).sum(axis=0))
    return yes


# %% jupyter={"source_hidden": true}
# Figure: three encodings of one answer, released by everybody; estimate_frequencies of each
looks = dict(zip(encodings, ("other s", "third ^", "noisy o"), strict=True))
fig, (bars, errors_ax) = figure(columns=2, height=3.5)
edges = np.arange(6) - 0.5
shares = steps(bars, np.zeros(5), COLOURS.pale, "true", edges, fill=True)
unnamed = {" " * at: look for at, look in enumerate(looks.values())}
dots = curves(bars, [], unnamed, markersize=5)
x_axis(bars, "answer", (-0.6, 4.6))
y_axis(bars, "fraction", (-0.2, 0.7))
bars.axhline(0, color=COLOURS.grey, linewidth=0.8)
looks = {name: f"{look}-" for name, look in looks.items()}
whole = {"markevery": 6, "clip_on": False, "in_layout": False}
lines = curves(errors_ax, sizes, looks, **whole)
lines[1].set_linewidth(3)
here = errors_ax.axvline(5, color=COLOURS.grey, linestyle=":")
label = "possible answers (log scale)"
x_axis(errors_ax, label, (1.7, 1_150), [2, 10, 100, 1_000], log=True)
ticks = {0.001: "0.1%", 0.01: "1%", 0.1: "10%", 1: "100%"}
y_axis(errors_ax, "standard deviation (log)", (6e-4, 2), ticks, log=True)
best_encoding = verdict_text(bars)
legend_above(fig, 4)


def encode(question, epsilon, seed):
    (values, k), rng = columns[question], np.random.default_rng(seed)
    people, true_shares = values.size, np.bincount(values, minlength=k) / values.size
    yes = counts_of_yes(values, k, epsilon, rng)
    if bars.get_xlim()[1] != k - 0.4:
        bars.set_xlim(-0.6, k - 0.4)
    set_steps(shares, true_shares, np.arange(k + 1) - 0.5)
    words, pairs = [], all_chances(epsilon, k)
    shifts = (-0.2, 0, 0.2)
    for shift, dot, count, name in zip(shifts, dots, yes, pairs, strict=True):
        estimates = estimate_frequencies(count, people, pairs[name])
        dot.set_data(np.arange(k) + shift, estimates)
        words.append(f"{name} {amount(100 * np.abs(estimates - true_shares).mean(), 2)}%")
    wanted = [all_chances(epsilon, int(size)).values() for size in sizes]
    set_curves(
        lines, np.array([[frequency_deviation(0, people, p) for p in w] for w in wanted]).T
    )
    here.set_xdata([k, k])
    best = min(pairs, key=lambda name: frequency_deviation(0, people, pairs[name]))
    set_verdict_text(best_encoding, None, f"{k} answers: {best} deviates least")
    return f"{people:,} people; mean error of a fraction in this draw: " + ", ".join(words)


live(
    fig,
    encode,
    "Left: true fractions of the answers to a question as grey steps, with the estimates of "
    "three encodings as marks. Right: standard deviation against the number of answers; "
    "k-ary rises, RAPPOR and optimised stay flat.",
    task=r"at $\varepsilon = 1$, go from the 5 answers about the marriage to the 24 classes "
    r"of income. Which encoding was best, and which is best now? Then move $\varepsilon$ "
    "up until k-ary is best again (the headline follows the deviation on the right).",
    question=choice(list(columns), "job (6)"),
    epsilon=log_slider(0.3, 5, 1.0),
    seed=new_noise(6),
)

# %% [markdown]
# The errors of the unary encodings do not depend on the number of answers. K-ary response is better than the optimised
# one for rare answers when $k < 3 e^\varepsilon + 2$ (set the two variances equal at $f = 0$).

# %% jupyter={"source_hidden": true}
# Computed: the largest k for which k-ary response is best, at five epsilons
rows = []
for epsilon in (0.5, 1.0, 2.0, math.log(9), 4.0):
    limit = 3 * math.exp(epsilon) + 2
    best = [
        min(
            all_chances(epsilon, k).items(),
            key=lambda item: frequency_deviation(0, 1, item[1]),
        )[0]
        for k in sizes
    ]
    assert all(
        (name == "k-ary") == (k < limit)
        for name, k in zip(best, sizes, strict=True)
        if abs(k - limit) > 0.1
    )
    bits = [
        f"{p:.0%} / {q:.1%}" for p, q in (unary_chances(epsilon), optimised_chances(epsilon))
    ]
    rows.append((f"{epsilon:.2f}", f"{limit:.1f}", *bits))
pd.DataFrame(
    rows, columns=["epsilon", "k-ary best for k <", "RAPPOR p / q", "optimised p / q"]
).set_index("epsilon")

# %% [markdown]
# ## Error against epsilon, and against a trusted curator
#
# A curator who holds the answers can publish the count of yes with Laplace noise of scale $1/\varepsilon$. (Under replace
# one answer moves the count by 1.) The standard deviation of the *fraction* is then $\sqrt 2 / (\varepsilon n)$. Without a
# curator it is $1 / (2 \sqrt n \sinh(\varepsilon/2))$, nearly $1/(\varepsilon \sqrt n)$ for a small $\varepsilon$:
#
# $$\frac{\text{local}}{\text{central}} = \sqrt{n} \cdot \frac{\varepsilon / 2}{\sqrt 2 \sinh(\varepsilon / 2)}
# \;\approx\; \sqrt{n/2} .$$
#
# The curator's coins are tossed once. Here everyone tosses their own, and the noises of $n$ people add up to $\sqrt n$
# times that of one. Is that the fault of this protocol? No:
#
# > **Theorem 7.4 (the price of trusting nobody; Beimel, Nissim and Omri, 2008; Chan, Shi and Song, 2012; Duchi,
# > Jordan and Wainwright, 2013).** Every locally $\varepsilon$-private way to count errs, with constant probability, by at
# > least the order of $\sqrt n / \varepsilon$ people, for $1/\sqrt n \le \varepsilon \le 1$.

# %%
subsets = np.array([25, 100, 400, 1_600, n])


def measured_errors(epsilon, rng):
    """The errors of 25 surveys of each size, local and central: roots of mean squares."""
    chances, found = binary_chances(epsilon), []
    for people in subsets:
        bits = np.broadcast_to(questions["an affair?"][:people], (25, people))
        yes = randomized_response(bits, epsilon, rng).sum(axis=1)
        errors = estimate_frequencies(yes, int(people), chances) - bits[0].mean()
        found.append(np.sqrt(np.mean(errors**2)))
    noise = rng.laplace(scale=1 / epsilon, size=(25, 1)) / subsets
    few_lies = 25 * subsets * (1 - chances.yes_if_true) < 5  # nothing to measure by 25 surveys
    return np.where(few_lies, np.nan, found), np.sqrt(np.mean(noise**2, axis=0))


# %% jupyter={"source_hidden": true}
# Figure: frequency_deviation(truth, n, chances) beside a curator's sqrt(2) / (epsilon n)
crowds = np.geomspace(10, 1e7, 61)
fig, ax = figure(height=3.6)
looks = {"local": "other", "central": "noisy --", "sampling": "grey :"}
price_lines = curves(ax, crowds, looks, ends=True)
looks = {"local, measured": "other D", "central, measured": "noisy o"}
measured = curves(ax, subsets, looks, markersize=6)
powers = [10, 100, 1_000, 10_000, 100_000]
ticks = {power: f"{power:,}" for power in powers} | {1e6: "1 million", 1e7: "10 million"}
x_axis(ax, "people (log scale)", (10, 1e7), ticks, log=True)
y_axis(ax, "deviation, points of 100 (log)", (1e-5, 1e4), [1e-4, 1e-2, 1, 100], log=True)
how_much_more = verdict_text(ax)
legend_above(fig, 2)


def price(epsilon, seed):
    chances, rng = binary_chances(epsilon), np.random.default_rng(seed)
    local = frequency_deviation(truth, crowds, chances)
    central = math.sqrt(2) / epsilon / crowds
    sampling = np.sqrt(truth * (1 - truth) / crowds)
    set_curves(price_lines, [100 * local, 100 * central, 100 * sampling])
    found = np.array(measured_errors(epsilon, rng))
    set_curves(measured, 100 * found)
    ratio = frequency_deviation(truth, n, chances) / (math.sqrt(2) / (epsilon * n))
    told = f"{n:,} people: without a curator, {ratio:.0f} times the error"
    set_verdict_text(how_much_more, None, told)
    unmeasured = "; not measured where few lie" if np.isnan(found).any() else ""
    return (
        f"{n:,} people: the local error is {ratio:.1f} times the central one; the root of "
        f"n / 2 is {math.sqrt(n / 2):.1f}{unmeasured}"
    )


question = "At epsilon 4, how many times larger than the curator's error is the local one?"
live(
    fig,
    price,
    "Standard deviation of an estimate against the number of people, log axes: the "
    "local line falls half as steeply as the central one, in parallel with the sampling "
    "error; measured points lie on both lines.",
    task=r"at $\varepsilon = 1$, read off how many people the local survey needs to be as "
    r"exact as a curator with 100. Then find the $\varepsilon$ at which the local noise "
    "falls below the error of sampling.",
    guess=predict(question, (1, 1_000, " times"), r"is ([\d.,]+) times", epsilon=4.0),
    epsilon=log_slider(0.05, 8, 1.0),
    seed=new_noise(7),
)

# %% [markdown]
# How many people must answer, so that the standard deviation is one percentage point?

# %% jupyter={"source_hidden": true}
# Computed: the people needed for a standard deviation of one point, local and central
rows = []
for epsilon in (0.1, 0.5, 1.0, math.log(9), 4.0):
    local = math.ceil(1 / (2 * 0.01 * math.sinh(epsilon / 2)) ** 2)
    central = math.ceil(math.sqrt(2) / (epsilon * 0.01))
    rows.append((f"{epsilon:.2f}", f"{local:,}", f"{central:,}", f"{local / central:.1f}"))
pd.DataFrame(rows, columns=["epsilon", "local", "central", "ratio"]).set_index("epsilon")

# %% [markdown]
# ## Where it breaks
#
# ### 1. One question against hundreds
#
# RAPPOR was built to ask hundreds of questions, each at $\varepsilon = \ln 9$. What does $\ln 9$ mean?
# For one bit, it is the truth nine times in ten. For a unary report, each bit is true three times in four.

# %% jupyter={"source_hidden": true}
# Computed: what ln 9 means for one bit and for a unary report
row_loss = unary_loss(Chances(0.75, 0.25))
print(
    f"one bit at ln 9 = {math.log(9):.3f}: the truth with "
    f"{binary_chances(math.log(9)).yes_if_true:.2f}"
)
print(f"a unary row at ln 9: each bit with {unary_chances(math.log(9)).yes_if_true:.2f}")
print(f"privacy loss of a bit kept with 3/4: {math.log(3):.3f}; of all bits {row_loss:.3f}")

# %% [markdown]
# Hundreds of questions at $\ln 9$ each add up ([02](02_composition.ipynb)): no useful guarantee is left. Answers are
# correlated, and it is unclear what is still protected (Li et al. 2016, section 3.3.2). First take the extreme
# case, the same question again and again with fresh coins, and a majority vote:

# %% jupyter={"source_hidden": true}
# Computed: how often the majority of k answers at ln 9 is right
p = binary_chances(math.log(9)).yes_if_true
for k in (1, 3, 9, 25, 101):
    right = binom.sf(k // 2, k, p)
    print(
        f"{counted(k, 'answer'):<11} at ln 9: epsilon {k * math.log(9):5.1f} in all; the "
        f"majority is right {percent(right)}% of the time"
    )

# %% [markdown]
# Real questions differ, but they are correlated. We turn the election study into a questionnaire: for each attribute and
# each of its values, "is yours this or more?". Age 30 or more? 31 or more? Party "leans Republican" or beyond? The vote
# itself is *not* asked.

# %%
thresholds = [
    (name, limit)
    for name in voters
    if name != "vote"
    for limit in np.unique(voters[name].values)[1:]
]
answers = np.array(
    [voters[name].values >= limit for name, limit in thresholds], dtype=np.int8
).T
answers = answers[:, np.random.default_rng(8).permutation(len(thresholds))]
vote = voters["vote"].values
different = len(np.unique(answers, axis=0))
print(
    f"{answers.shape[0]} voters, {answers.shape[1]} questions; {different} different "
    "questionnaires"
)
print(f"a guess of the vote without data is right for {max(vote.mean(), 1 - vote.mean()):.1%}")

# %% [markdown]
# The attacker sees only randomised reports, and knows the possible questionnaires: here those of all voters, without
# their names, all equally likely at first. An answer that agrees with the report makes a questionnaire $e^\varepsilon$
# times as likely as an answer that does not. So the best guess is the questionnaire that *agrees most often* (left).
#
# For the right side he has much more: *the votes of all 943 others, in the clear*, each with that voter's
# questionnaire. He guesses this voter's vote, which was never asked, from those whose questionnaires agree with her
# reports. That is prediction, as in [06](06_meaning.ipynb), and it is limited by how well answers predict votes.

# %%
YOU = own_record(944)  # the voter that you picked to be on page 01
attacked, limits = np.arange(0, 944, 6), np.array([1, 3, 6, 12, 25, 50, 90, 140, 228])
attacked = np.union1d(attacked, YOU)
signs = (2 * answers - 1).astype(np.float32)


def agreements(coins, asked, epsilon):
    """How many more of the first reports agree than disagree: attacked voters down, possible
    questionnaires across.
    """
    lies = coins[:, :asked] >= binary_chances(epsilon).yes_if_true
    return (
        np.where(lies, -1, 1).astype(np.float32) * signs[attacked, :asked] @ signs[:, :asked].T
    )


def found_again(agree):
    """How often the questionnaire which agrees most is the voter's own, ties drawn by lot."""
    best = agree == agree.max(axis=1, keepdims=True)
    return 100 * np.mean(best[np.arange(attacked.size), attacked] / best.sum(axis=1))


def votes_guessed(agree, epsilon):
    """Right guesses of a vote never asked, from the other voters weighted by likelihood."""
    others = agree.astype(float)
    others[np.arange(attacked.size), attacked] = -np.inf  # her own vote is not known
    weights = np.exp(epsilon / 2 * (others - others.max(axis=1, keepdims=True)))
    return 100 * np.mean((weights @ (vote - 0.5) > 0) == (vote[attacked] == 1))


# %%
@functools.lru_cache(maxsize=64)
def after_questions(epsilon, seed):
    """The coins, and after each number of questions: found again, of all together, votes
    guessed.
    """
    shape = (attacked.size, answers.shape[1])
    coins = np.random.default_rng(seed).random(shape, dtype=np.float32)
    each = [agreements(coins, m, epsilon) for m in limits.tolist()]
    split = [found_again(agreements(coins, m, epsilon / m)) for m in limits.tolist()]
    guesses = [votes_guessed(agree, epsilon) for agree in each]
    return coins, [found_again(agree) for agree in each], split, guesses


# %% jupyter={"source_hidden": true}
# Figure: agreements(coins, m, epsilon), how many are found again, how many votes are guessed
fig, (left, right) = figure(columns=2, height=3.5)
looks = {"this ε for each question": "other o-", "this ε for all together": "noisy s--"}
found_lines = curves(left, limits, looks)
(vote_each,) = curves(right, limits, {"": "other o-"})
blind = {"color": COLOURS.grey, "linestyle": ":", "label": "guess without data"}
right.axhline(100 * (1 - vote[attacked].mean()), **blind)
marks = [ax.axvline(1, color=COLOURS.grey, linewidth=1) for ax in (left, right)]
ticks = [1, 10, 100, 228]
x_axis((left, right), "questions asked (log scale)", (0.9, 260), ticks, log=True)
look = {"color": COLOURS.amber, "markeredgecolor": "black", "markersize": 14}
(you_found,) = left.plot([1], [0], "*", label="you", **look)
you_told = verdict_text(left)
y_axis(left, "voters found again, %", (-6, 106))
y_axis(right, "votes guessed, others' known, %", (40, 103))
legend_above(fig, 4, columnspacing=1.2, handlelength=1.6)


EPSILONS = [0.1, 0.2, 0.5, 1.0, 1.5, round(math.log(9), 4), 3.0, 4.0]
for epsilon in EPSILONS:
    after_questions(epsilon, 9)  # before the first move


def hundreds(epsilon, questions, seed):
    coins, found_here, split, guesses = after_questions(epsilon, seed)
    set_curves(found_lines, [found_here, split])
    set_curves([vote_each], [guesses])
    agree = agreements(coins, questions, epsilon)
    for mark in marks:
        mark.set_xdata([questions] * 2)
    found, guessed = found_again(agree), votes_guessed(agree, epsilon)
    mine = agree[np.searchsorted(attacked, YOU)]
    ahead = np.sum(mine >= mine[YOU])  # you, and who agrees with your reports as often or more
    you_found.set_data([questions], [100 * (ahead == 1)])
    told = "you are found" if ahead == 1 else f"you are one of {ahead} that fit"
    set_verdict_text(you_told, None, f"{found:.1f}% of voters found again; {told}")
    return (
        f"{questions} question{'s' if questions > 1 else ''}, ε {epsilon * questions:.1f} in "
        f"all: {found:.1f}% of voters found again, {guessed:.1f}% of votes guessed"
    )


question = (
    "Epsilon 0.5 for each of the 228 answers: how many percent of voters are found again?"
)
hundreds_figure = live(
    fig,
    hundreds,
    "Left: percent of voters found again against the number of questions, nearly all of them "
    "at ln 9 for each of 228 questions, hardly any when one epsilon is divided; a star says "
    "whether you are. Right: percent of votes guessed right, rising from the blind guess.",
    task=r"start with one question and add more. Then do it again at $\varepsilon = 0.5$ for "
    r"each question. The dashed line is a survey that divides one $\varepsilon$ among "
    "its questions.",
    guess=predict(question, (0, 100, "%"), r"all: ([\d.]+)%", epsilon=0.5),
    epsilon=choice(EPSILONS, round(math.log(9), 4), label="epsilon of each answer"),
    questions=choice(limits.tolist(), 228, label="questions"),
    seed=new_noise(9),
)
hundreds_figure

# %% jupyter={"source_hidden": true}
# Computed: voters found again at four epsilons, and votes guessed from exact answers
for epsilon in (0.1, 0.5, 1.0, round(math.log(9), 4)):
    hundreds_figure.controls["epsilon"].value = epsilon
    print(f"ε {epsilon}: {hundreds_figure.caption}")
no_lies = np.zeros(
    (attacked.size, answers.shape[1]), dtype=np.float32
)  # every report is the truth
for epsilon in (0.1, 0.5, 5.0):
    told = votes_guessed(agreements(no_lies, 228, epsilon), epsilon)
    print(
        f"exact answers, other voters weighted as at ε {epsilon}: {told:.1f}% of votes guessed"
    )

# %% [markdown]
# Each single answer is private, but the person is not. The votes guessed rise with $\varepsilon$ and level off near those
# from exact answers. Small falls in the figure are chance: it attacks one voter in six. Exact answers guess *fewer* votes
# where they single out the nearest other voter, since one neighbour predicts worse than many. The leak is on the left,
# where the line nearly reaches 100% at $\ln 9$.
#
# <details><summary>An objection: each question protects its own answer, if all other answers are known.</summary>
#
# How much is left to protect in a world in which all the other answers are known? The answers to "29 or more?" and
# "31 or more?" often determine the one between.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: how many answers follow from the others
forced = []
for name, limit in thresholds:
    values, points = voters[name].values, np.unique(voters[name].values)
    place = np.searchsorted(points, limit)
    beside = (values == points[place]) | (values == points[place - 1])
    forced.append(1 - beside.mean())
print(f"{np.mean(forced):.1%} of all answers are certain, given the others")

# %% [markdown]
# ### 2. Divide the people, not the epsilon
#
# If $k$ questions must share one $\varepsilon$, there are two ways. Ask everyone every question, at $\varepsilon / k$
# each; or ask each person one question, at the full $\varepsilon$. Either way nobody's privacy loss exceeds
# $\varepsilon$. But the noise of the first way grows as $k$, and that of the second as $\sqrt k$. The second way adds a
# sampling error, here smaller than its noise. The standard deviation of the fraction of affairs, at $\varepsilon = 1$:

# %% jupyter={"source_hidden": true}
# Computed: the deviation if k questions divide epsilon, or divide the people
rows = []
for k in (1, 4, 16, 64, 228):
    share_epsilon = frequency_deviation(truth, n, binary_chances(1.0 / k))
    share_people = frequency_deviation(truth, n / k, binary_chances(1.0))
    sampling = math.sqrt(truth * (1 - truth) / (n / k) * (1 - 1 / k))
    rows.append(
        (
            k,
            f"{share_epsilon:.1%}",
            f"{share_people:.1%}",
            f"{math.hypot(share_people, sampling):.1%}",
        )
    )
names = ["questions", "all, at 1 / k each", "one each, at 1", "... with sampling"]
pd.DataFrame(rows, columns=names).set_index("questions")

# %% [markdown]
# ### 3. Fresh coins every day
#
# A browser that reports the same setting every day must not toss new coins, since the majority of its reports gives it away.
# It must toss once and repeat the report (RAPPOR's "permanent" response). But a report that is always the same can be
# *recognised*, which is a leak of another kind. And if the value changes, the change shows.

# %% jupyter={"source_hidden": true}
# Computed: how many settings a majority of daily reports gives away
rng, settings = np.random.default_rng(10), questions["an affair?"][:1_000]
fresh = np.array([randomized_response(settings, 1.0, rng) for _ in range(365)])
once = np.mean(randomized_response(settings, 1.0, rng) == settings)
for days in (1, 31, 365):
    majority = fresh[:days].mean(axis=0) > 0.5
    fresh_share = np.mean(majority == settings)
    expected = binom.sf(days // 2, days, binary_chances(1.0).yes_if_true)
    print(
        f"{counted(days, 'day') + ':':<9} fresh coins reveal {fresh_share:.1%} (expected "
        f"{percent(expected)}%), one report {once:.1%}"
    )

# %% [markdown]
# ### 4. People who cheat
#
# With a curator, one false answer moves the count by 1. Here somebody who says yes instead of randomising a no moves
# the expected count by $(1 - q)/(p - q)$, more at a smaller $\varepsilon$. Nobody can tell this person from the others,
# because the protocol hides lies.

# %% jupyter={"source_hidden": true}
# Computed: the weight of a false yes, and what a hundred of them do to the estimate
for epsilon in (0.1, 0.5, 1.0, math.log(9)):
    chance = binary_chances(epsilon)
    weight = (1 - chance.yes_if_false) / (chance.yes_if_true - chance.yes_if_false)
    honest = randomized_response(affair, epsilon, np.random.default_rng(11))
    stuffed = np.concatenate([honest, np.ones(100, dtype=int)])
    print(
        f"epsilon {epsilon:.2f}: a false yes weighs {weight:5.2f} people; 100 move the "
        f"estimate from {estimate_frequency(honest, epsilon):.1%} to "
        f"{estimate_frequency(stuffed, epsilon):.1%}"
    )

# %% [markdown]
# ### 5. No exponential mechanism
#
# Is *every* $\varepsilon$-DP mechanism an [exponential mechanism](04_exponential.ipynb) with the same $\varepsilon$? Randomized response is a
# counterexample. Its privacy losses range over $2 \varepsilon$ from the smallest to the largest. Those of an
# exponential mechanism range over at most $\varepsilon$ (*bounded range*: Durfee and Rogers, 2019; Definition 4.6). As
# an exponential mechanism it would cost twice its $\varepsilon$.
#
# Warner fixed no $p$. A $p$ below one half is as private as its mirror image (the loss is $|\ln(p / (1 - p))|$), and as
# useful: the analyst swaps yes and no. Only $p = 1/2$ is useless.

# %% jupyter={"source_hidden": true}
# Computed: the range of the privacy losses, and the loss for five of Warner's p
for epsilon in (0.5, 1.0, 2.0):
    pair = [response_log_probability([0, 1], bit, epsilon) for bit in (1, 0)]
    quality = [np.array([bit == 0, bit == 1], dtype=float) for bit in (1, 0)]
    as_exponential = [log_selection_probabilities(q, 1, epsilon) for q in quality]
    spans = [np.ptp(here - there) for here, there in (pair, as_exponential)]
    print(
        f"epsilon {epsilon}: range of randomized response {spans[0]:.2f}, of an exponential "
        f"mechanism {spans[1]:.2f}"
    )
    assert np.allclose(pair[0], log_selection_probabilities(quality[0], 1, 2 * epsilon))
for p in (0.1, 0.25, 0.5, 0.75, 0.9):
    print(f"Warner's p = {p:<4}: loss {abs(math.log(p / (1 - p))):.3f}")

# %% [markdown]
# ## Between local and central: shuffle
#
# Suppose the reports pass through a mixer that forgets their senders. Then only *how many* said yes is left, and each
# person hides among the coins of all. The error is that of the local protocol. The guarantee improves with the crowd
# (*amplification by shuffling*: Erlingsson and others, 2019; Cheu and others, 2019). It needs a small $\delta$
# ([02](02_composition.ipynb)) and trust in the mixer. The table is exact, for randomized response at 1 and $\delta =
# 10^{-6}$: a third of the people hold the answer, and one answer is replaced. [29](29_parties.ipynb) has the bounds
# that hold for every answer of the others, and sums that need no mixer.

# %% jupyter={"source_hidden": true}
# Computed: epsilon after shuffling, and the standard deviations, for three crowds
rows = []
for people in (100, 1_000, 10_000):
    laws = [
        report_count_probabilities(ones, people, 1.0)
        for ones in (people // 3, people // 3 + 1)
    ]
    shuffled = max(exact_loss(*np.log(np.maximum(laws, 1e-300)), delta=1e-6).loss, 0)
    local = frequency_deviation(truth, people, binary_chances(1.0))
    central = math.sqrt(2) / (shuffled * people)
    rows.append((f"{people:,}", f"{shuffled:.3f}", f"{local:.2%}", f"{central:.2%}"))
names = [
    "people",
    "epsilon after shuffling",
    "deviation, shuffled",
    "a curator's, at that epsilon",
]
pd.DataFrame(rows, columns=names).set_index("people")

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/07_local](../exercises/answers/07_local.ipynb).
#
# **Assignment 07:** [five tasks, checked in a second](../exercises/releases/07_local.ipynb).
#
# 1. *Warm-up.* In the figure of the interviewer, which prior is moved farthest by a yes, in percentage points, at
#    $\varepsilon = 1$? Which $\varepsilon$ moves a prior of 50% to 90%? You have met that number.
# 2. A die instead of coins: "throw it out of sight; on a six report the opposite of the truth". What is $p$? What is
#    $\varepsilon$? Estimate the fraction of affairs by it.
# 3. Estimate the *difference* in affairs between women with and without children (`survey["children"]`), each woman
#    reporting one bit at $\varepsilon = 1$. May the number of children be asked without noise? What is the standard
#    deviation of the difference?
# 4. Cut the estimates for "a very poor marriage?" at 0, for 2,000 seeds at $\varepsilon = 0.1$. What is their mean
#    now? Why is a single survey better off with the cut, and an average of many surveys not?
# 5. In the cell that makes `thresholds` keep only `selfLR`, `PID` and `TVnews`. Run it and all cells from there to the
#    figure with hundreds of questions. Take $\varepsilon = \ln 9$ and *questions* at the right end. How many voters are
#    found again, and how many votes are guessed, before and after the change? One of the two falls and the other does
#    not: why? (The line below the figure still counts 228 questions; now there are fewer.)
# 6. *Challenge.* What does the shuffle gain if $\delta = 0$? Take the log ratio of
#    `report_count_probabilities(33, 100, 1.0)` to `(32, 100, 1.0)`. What is the largest loss, at which counts is it, and
#    how probable are these? Then compute `exact_loss(..., delta=1e-6)` of the same two distributions. Why can no shuffle of
#    any local mechanism gain anything without a $\delta$?

# %% [markdown]
# ## When to use it, and when not
#
# The smallest fraction that can be distinguished from zero (two standard deviations), for surveys of different sizes:

# %% jupyter={"source_hidden": true}
# Computed: the smallest fraction that can be seen, for three sizes and three epsilons
table = {
    f"epsilon {epsilon:.2f}": [
        f"{2 * frequency_deviation(0, size, binary_chances(epsilon)):.2%}"
        for size in (n, 1e5, 1e7)
    ]
    for epsilon in (0.1, 1.0, math.log(9))
}
pd.DataFrame(table, index=pd.Index([f"{n:,}", "100,000", "10,000,000"], name="people"))

# %% [markdown]
# **Use it** when there is nobody to trust, or nobody wants to hold the data. It suits one or a few questions, thousands
# of people or better millions, and answers that are not rare. The mechanism fits on a card and needs two coins, and
# people can check for themselves that they are protected.
#
# **Do not use it**
#
# - when a trusted curator exists: the same small $\varepsilon$ gives an error about $\sqrt{n/2}$ times smaller
#   ([03](03_laplace.ipynb));
# - for a long questionnaire at a fixed $\varepsilon$ for each question: it protects answers, not people. Divide the
#   people among the questions, or one $\varepsilon$ among the answers;
# - for small groups and rare answers: the interval is wider than the fraction;
# - when the same person will be asked again, without a plan for it;
# - when people gain by moving the result.
#
# For more than about $3 e^\varepsilon + 2$ possible answers take the optimised unary encoding, for fewer the k-ary one.

# %% [markdown]
# ## Sources
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to Practice*, Morgan &
#   Claypool, 2016, [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018): section
#   2.6 (the local setting), section 3.3.2 (hundreds of questions at $\ln 9$ each), section 2.4.4 (the open question).
#
# <details><summary>The papers on randomized response, the local model, encodings, shuffling and cheating.</summary>
#
# - Stanley Warner: *Randomized response: a survey technique for eliminating evasive answer bias*, JASA 60, 1965,
#   [doi:10.1080/01621459.1965.10480775](https://doi.org/10.1080/01621459.1965.10480775).
# - Alexandre Evfimievski, Johannes Gehrke, Ramakrishnan Srikant: *Limiting privacy breaches in privacy preserving data
#   mining*, PODS 2003, [doi:10.1145/773153.773174](https://doi.org/10.1145/773153.773174): Definition 7.1, as
#   "amplification".
# - Shiva Kasiviswanathan, Homin Lee, Kobbi Nissim, Sofya Raskhodnikova, Adam Smith: *What can we learn privately?*, FOCS
#   2008, [doi:10.1109/FOCS.2008.27](https://doi.org/10.1109/FOCS.2008.27): the local model.
# - Amos Beimel, Kobbi Nissim, Eran Omri: *Distributed private data analysis*, CRYPTO 2008,
#   [arXiv:1103.2626](https://arxiv.org/abs/1103.2626); T.-H. Hubert Chan, Elaine Shi, Dawn Song: *Optimal lower bound for
#   differentially private multi-party aggregation*, ESA 2012,
#   [doi:10.1007/978-3-642-33090-2_25](https://doi.org/10.1007/978-3-642-33090-2_25); John Duchi, Michael Jordan, Martin
#   Wainwright: *Local privacy and statistical minimax rates*, FOCS 2013, [arXiv:1302.3203](https://arxiv.org/abs/1302.3203):
#   Theorem 7.4, the last with its $1/\varepsilon$.
# - Úlfar Erlingsson, Vasyl Pihur, Aleksandra Korolova: *RAPPOR: randomized aggregatable privacy-preserving ordinal
#   response*, CCS 2014, [doi:10.1145/2660267.2660348](https://doi.org/10.1145/2660267.2660348). Later deployments: Apple,
#   *Learning with privacy at scale*, 2017; Bolin Ding, Janardhan Kulkarni, Sergey Yekhanin: *Collecting telemetry data
#   privately* (Microsoft), NIPS 2017, [arXiv:1712.01524](https://arxiv.org/abs/1712.01524).
# - Tianhao Wang, Jeremiah Blocki, Ninghui Li, Somesh Jha: *Locally differentially private protocols for frequency
#   estimation*, USENIX Security 2017, [arXiv:1705.04421](https://arxiv.org/abs/1705.04421): the optimised encoding, and a
#   hashed one for millions of possible answers.
# - Peter Kairouz, Sewoong Oh, Pramod Viswanath: *Extremal mechanisms for local differential privacy*, NIPS 2014,
#   [arXiv:1407.1338](https://arxiv.org/abs/1407.1338): when k-ary response is the best there is.
# - David Durfee, Ryan Rogers: *Practical differentially private top-k selection with pay-what-you-get composition*,
#   NeurIPS 2019, [arXiv:1905.04273](https://arxiv.org/abs/1905.04273): bounded range.
# - Úlfar Erlingsson, Vitaly Feldman, Ilya Mironov, Ananth Raghunathan, Kunal Talwar, Abhradeep Thakurta: *Amplification
#   by shuffling*, SODA 2019, [arXiv:1811.12469](https://arxiv.org/abs/1811.12469); Albert Cheu, Adam Smith, Jonathan
#   Ullman, David Zeber, Maxim Zhilyaev: *Distributed differential privacy via shuffling*, EUROCRYPT 2019,
#   [arXiv:1808.01394](https://arxiv.org/abs/1808.01394).
# - Albert Cheu, Adam Smith, Jonathan Ullman: *Manipulation attacks in local differential privacy*, IEEE S&P 2021,
#   [arXiv:1909.09630](https://arxiv.org/abs/1909.09630).
#
# </details>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [06 What does epsilon promise?](06_meaning.ipynb) · **Next:** [08 Histograms that answer ranges](08_histograms.ipynb)
