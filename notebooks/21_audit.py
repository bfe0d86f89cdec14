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
# # 21 Is it private? Testing a claim
#
# A program claims to be private, and this page puts it on trial with nothing but its outputs. It convicts four published
# mechanisms, and reads a true count off the last digits of a Laplace release.
#
# <details><summary>About 45 minutes, after 03: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [20 ALP: a sparse vector in a small sketch](20_alp.ipynb) · **Next:** [22 Errata, and the papers beside what we find](22_errata.ipynb)
#
# **Assignment 21:** [five tasks, checked in a second](../exercises/releases/21_audit.ipynb)
#
# **What you will see:** why the obvious test convicts the innocent, and a test that is seldom wrong. Four published
# mechanisms fail it. The attack on the last digits runs on the computer that runs this page.
#
# **What you will do:** choose events, find the pair of neighbours that a mechanism cannot stand, and audit a mechanism
# of your own.
#
# **Time:** about 45 minutes. A good place to stop is before *With a delta*.
#
# **You need:** [03 The Laplace mechanism](03_laplace.ipynb). An *event* is any set of outputs.
#
# **Real and synthetic:** the counts are of real records (the RAND health insurance experiment, the 1996 election
# study). The datasets of zeros and ones further down are made up, because a claim must hold for those too. No synthetic
# stand-in is used.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import functools

import numpy as np
from scipy import stats

from dpbook import data
from dpbook.audit import epsilon_lower_bound
from dpbook.live import choice, live, log_slider
from dpbook.plots import (
    COLOURS,
    curves,
    figure,
    legend_above,
    set_curves,
    set_steps,
    set_verdict_text,
    steps,
    verdict_text,
    x_axis,
    y_axis,
)
from dpbook.verdict import verdict

# %% jupyter={"source_hidden": true}
# Figure: epsilon_lower_bound(...) of more and more releases: what a trial can certify
poor = data.health_insurance()["hlthp"].values
count, without = int(poor.sum()), int(poor.sum()) - 1
NOISES = {"the right noise": stats.laplace(), "half the noise": stats.laplace(scale=0.5)}
NOISES["Gaussian noise"] = stats.norm()
SIZES, CELLS = [100, 300, 1000, 3000, 10_000, 30_000], np.linspace(without - 5, count + 5, 45)


def drawn_before(side, rng, size):
    """A program whose outputs are there already: the first of them."""
    return side[:size]


@functools.cache
def witnesses(noise):
    """Releases of the two counts, and the bound that the first 100, 300, ... certify."""
    rng = np.random.default_rng(1)
    seen = [NOISES[noise].rvs(SIZES[-1], random_state=rng) + one for one in (count, without)]
    tested = (epsilon_lower_bound(drawn_before, *seen, size, rng, 0.999) for size in SIZES)
    return seen, [bound.epsilon for bound in tested]


for noise in NOISES:
    witnesses(noise)  # before the first move
fig, (seen_ax, trial_ax) = figure(columns=2, height=2.5)
inks = {"with one record": COLOURS.noisy, "without": COLOURS.other}
piles = [steps(seen_ax, np.zeros(44), ink, name, CELLS) for name, ink in inks.items()]
x_axis(seen_ax, "released count", CELLS[[0, -1]])
y_axis(seen_ax, "% of the releases", (0, 25))
trial_lines = curves(trial_ax, SIZES, {"certified loss": "noisy o-", "claim": "true --"})
x_axis(trial_ax, "releases (log scale)", (80, 40_000), [100, 1000, 10_000], log=True)
y_axis(trial_ax, "privacy loss", (-0.05, 2.5))
trial_told = verdict_text(seen_ax)
legend_above(fig, 4)


def on_trial(noise, epsilon, releases):
    seen, bounds = witnesses(noise)
    for pile, side in zip(piles, seen, strict=True):
        set_steps(pile, 100 * np.histogram(side[:releases], CELLS)[0] / releases)
    here = SIZES.index(releases)
    set_curves(trial_lines, [np.where(np.arange(6) <= here, bounds, np.nan), epsilon])
    said = verdict(bounds[here], epsilon, certain=False)
    told = f"privacy loss {bounds[here]:.2f} or more, claimed {epsilon:.2f}: {said}"
    set_verdict_text(trial_told, said, told)
    return f"{noise}, {releases:,} releases: {told} (wrong once in 1,000 such trials at most)"


live(
    fig,
    on_trial,
    "Left, histograms of releases of a noisy count with one record and without. Right, the "
    "certified privacy loss rises with the number of releases; above the dashed claim the "
    "claim is broken.",
    task="move *releases*: when is the claim refuted?",
    play="releases",
    noise=choice(list(NOISES), "half the noise"),
    epsilon=log_slider(0.3, 2, 1.0, label="claimed epsilon"),
    releases=choice(SIZES, 300),
)

# %% [markdown]
# [Half the noise is convicted](#move:noise=half%20the%20noise&epsilon=1&releases=1000) by 1,000 releases.
# [The right noise](#move:noise=the%20right%20noise&epsilon=1&releases=30000) is not: the certified loss stays below
# its claim, and comes close to it. But the same noise is convicted
# [of a claim of 0.8](#move:noise=the%20right%20noise&epsilon=0.8&releases=30000). *Not refuted* is no proof.
#
# ## The accused
#
# In the RAND experiment some records say that the person's health is poor. A mechanism releases how many, with Laplace
# noise, and claims $\varepsilon = 1$ when one record is added or removed. The test may only call the mechanism, as often as
# it likes, on two neighbours (a *black-box audit*).

# %% jupyter={"source_hidden": true}
# What the next sections import
import itertools
from typing import NamedTuple

import ipywidgets
import pandas as pd
from IPython.display import display

from dpbook import claims, svt
from dpbook.amounts import amount
from dpbook.audit import (
    add_record,
    batched,
    best_events,
    clopper_pearson,
    exact_loss,
    law_events,
    loss_over_outputs,
    meter,
    remove_record,
    small_datasets,
    worst_neighbours,
    yes_no_patterns,
)
from dpbook.audit.floating_point import (
    betrayed,
    can_come_from,
    leaky_laplace,
    leaky_laplace_law,
)
from dpbook.averages import clamped_average, clamped_loss, resampling_average
from dpbook.exponential import exponential_mechanism
from dpbook.guesses import predict
from dpbook.laplace import (
    geometric_log_probability,
    geometric_mechanism,
    laplace_log_density,
    laplace_mechanism,
    laplace_probability,
)
from dpbook.live import new_noise, show_source, slider
from dpbook.plots import own_point, set_own_point, show
from dpbook.svt import ALG12, ALG16, ALG17, log_output_probability, sparse_vector

# %%
print(f"{poor.size:,} records, {count} in poor health; without one of them {without}")


def noisy_count(epsilon):
    """Many releases at once: a mechanism under audit may have a parameter `size`."""
    return batched(laplace_mechanism, 1, epsilon)


print(noisy_count(1.0)(count, np.random.default_rng(1), 3).round(2))

# %% [markdown]
# ## A naive test
#
# A claim of $\varepsilon$-DP means, for every event $S$ and all neighbours $D$, $D'$, that
#
# $$\Pr[M(D) \in S] \le e^{\varepsilon} \Pr[M(D') \in S] .$$
#
# So draw many releases from both, count how many fall into each bin of a histogram, and look at the largest ratio.
# The natural log of such a ratio is a *privacy loss*. The claim is that none exceeds $\varepsilon$.

# %%
reach = 8
edges = np.array([count - reach, count + reach])


def bin_losses(epsilon, releases, bins, seed):
    """The naive test: counts in bins for both neighbours, and the ln ratio of each bin."""
    rng, cuts = np.random.default_rng(seed), np.linspace(*edges, bins + 1)
    samples = [noisy_count(epsilon)(answer, rng, releases) for answer in (count, without)]
    counts = [np.histogram(np.clip(sample, *edges), cuts)[0] for sample in samples]
    with np.errstate(divide="ignore", invalid="ignore"):
        return counts, np.log(counts[0] / counts[1])


# %% jupyter={"source_hidden": true}
# Figure: bin_losses(epsilon, releases, bins, seed) beside the claim
fig, (left, right) = figure(columns=2)
cuts, inks = np.linspace(*edges, 21), {count: COLOURS.noisy, without: COLOURS.other}
drawn = [steps(left, np.ones(20), ink, f"count {n}", cuts) for n, ink in inks.items()]
x_axis(left, "released count (ends: and beyond)", edges)
y_axis(left, "% of releases in a bin", (0, 100))
naive_verdict = verdict_text(left)
ratios = own_point(right, "ln ratio of a bin", colour=COLOURS.true, markersize=4)
limits = curves(right, edges, {"the claim, ± epsilon": "third --", "": "third --"})
x_axis(right, "released count", edges)
words = {-3.9: "−∞", -2: "−2", 0: "0", 2: "2", 3.9: "∞"}
y_axis(right, "privacy loss", (-4.3, 4.3), words)
legend_above(fig, 4)


def histogram_test(epsilon, releases, bins, seed):
    counts, losses = bin_losses(epsilon, releases, bins, seed)
    for patch, column in zip(drawn, counts, strict=True):
        set_steps(patch, 100 * column / releases)
    middles = np.linspace(*edges, 2 * bins + 1)[1::2]
    ratios.set_data(middles, np.clip(losses, -3.9, 3.9))
    set_curves(limits, (epsilon, -epsilon))
    outside, largest = int(np.sum(np.abs(losses) > epsilon)), np.nanmax(np.abs(losses))
    accuse = f"{outside} of {bins} bins {'accuses' if outside == 1 else 'accuse'}"
    set_verdict_text(naive_verdict, None, f"{accuse} a private mechanism")
    infinite = "infinite (a bin hit from one side only)"
    seen = f"{largest:.2f}" if np.isfinite(largest) else infinite
    return f"largest loss seen {seen}, claimed {epsilon:.2f}; {outside} of {bins} bins outside"


live(
    fig,
    histogram_test,
    "Left: two histograms of released counts, one record apart. Right: the log ratio of each "
    "bin as a dot; with few releases the dots scatter widely in both tails, far beyond the "
    "dashed lines of the claim.",
    task="1,000 releases, and press *New noise* a few times. Is there a bin outside the "
    "dashed lines? Now try more releases, and more bins.",
    guess=predict(
        "100,000 releases, 80 bins: how many bins lie outside the dashed lines?",
        (0, 80, " bins"),
        r"; (\d+) of",
        releases=100_000,
        bins=80,
    ),
    epsilon=log_slider(0.1, 2, 1.0),
    releases=choice([100, 1000, 10_000, 100_000], 1000),
    bins=slider(4, 80, 20),
    seed=new_noise(1),
)

# %% [markdown]
# The mechanism is innocent and the test nearly always convicts it, more often with more bins.

# %% jupyter={"source_hidden": true}
# Computed: how often naive tests convict a private mechanism
for bins in (4, 20, 80):
    losses = (np.abs(bin_losses(1.0, 1000, bins, seed)[1]) for seed in range(200))
    convicted = f"{np.mean([np.nanmax(loss) > 1 for loss in losses]):.0%} of 200 naive tests"
    print(f"{bins} bins: {convicted} convict a mechanism whose claim is true")

# %% [markdown]
# ### Ratios of small counts lie
#
# We need no best estimate of the loss, but a **lower bound that is seldom too high**.
#
# <details><summary>Why the ratios lie: small counts vary, and the claim of a good mechanism is tight.</summary>
#
# In a tail a bin holds 5 releases against 1, which looks like a loss of $\ln 5$. But 5 and 1 are luck: two bins of the
# same probability give them often enough. And the claim of a good mechanism is tight. In nearly every bin the true loss *is*
# $\varepsilon$, so the estimate is above it about half of the time, however many releases there are.
#
# </details>
#
# ## The idea: limits for a probability
#
# An event was hit $k$ times in $n$ releases. Its probability $p$ is unknown, but some values are hard to believe.
#
# > **Definition 21.1 (Clopper and Pearson 1934).** The lower limit is the $p$ at which $k$ or more hits have
# > probability only $r$. The upper limit is the $p$ at which $k$ or fewer have probability $r$:
#
# $$\Pr[\mathrm{Bin}(n, \mathit{low}) \ge k] = r, \qquad \Pr[\mathrm{Bin}(n, \mathit{high}) \le k] = r .$$
#
# (The lower limit of no hits is 0, the upper limit of $n$ hits is 1.) Each limit is wrong with probability at most
# $r$, for every $p$ and every $n$. The cell takes 5 hits against 1 in 1,000 releases, with $r = 0.001$, and then two
# fuller bins.

# %%
show_source(clopper_pearson)
low, high = clopper_pearson(5, 1000, 0.001)[0], clopper_pearson(1, 1000, 0.001)[1]
print(f"first probability at least {low:.4f}, second at most {high:.4f}")
certified = np.log(low / high)
print(f"naive loss {np.log(5 / 1):.2f}; certified loss {certified:.2f}: nothing at all")
low, high = clopper_pearson(500, 1000, 0.001)[0], clopper_pearson(184, 1000, 0.001)[1]
certified = np.log(low / high)
print(f"500 against 184: naive loss {np.log(500 / 184):.2f}; certified loss {certified:.2f}")

# %% [markdown]
# If the first probability is at least *low* and the second at most *high*, the loss is at least $\ln(\mathit{low} /
# \mathit{high})$. For a claim with a $\delta$ it is $\ln((\mathit{low} - \delta) / \mathit{high})$. Only the risks of
# the two limits remain.
#
# ## Live: which event shows most?
#
# Take the events *the release is at most* $t$, one for each place $t$ on the axis. In black is the true loss of the
# event, which is $\varepsilon$ up to the smaller count. In orange is the naive ratio, in blue what the limits
# certify.

# %% jupyter={"source_hidden": true}
# Figure: clopper_pearson of the hits of every event, and the naive ratio
places = np.linspace(without - 6, without + 5, 89)
fig, ax = figure()
looks = {"true loss of the event": "true", "naive ratio of the counts": "other --"}
event_curves = curves(ax, places, looks | {"certified, 99%": "noisy"})
event_curves[-1].set_linewidth(2.5)
best_place = own_point(ax, marker="D", colour=COLOURS.noisy)
x_axis(ax, "t: the event is a release of at most t")
y_axis(ax, "privacy loss", (-0.1, 2.8))
events_verdict = verdict_text(ax)
legend_above(fig, 3)


def events_below(epsilon, releases, seed):
    rng = np.random.default_rng(seed)
    samples = [noisy_count(epsilon)(answer, rng, releases) for answer in (without, count)]
    hits = [np.searchsorted(np.sort(sample), places) for sample in samples]
    laws = [stats.laplace(answer, 1 / epsilon).logcdf(places) for answer in (without, count)]
    low, high = (
        np.array([clopper_pearson(int(k), releases, 0.005)[end] for k in side])
        for end, side in enumerate(hits)
    )
    certified = np.log(np.where(low > 0, low, np.nan) / high)
    with np.errstate(divide="ignore", invalid="ignore"):
        naive = np.log(hits[0] / hits[1])
    best = int(np.nanargmax(certified))
    naive = np.where(np.isfinite(naive), naive, np.nan)
    set_curves(event_curves, (laws[0] - laws[1], naive, np.maximum(certified, 0)))
    wildest, height = np.nanmax(naive, initial=0), max(certified[best], 0)
    set_own_point(best_place, places[best], height)
    said = f"certified {height:.2f} of a true loss of {epsilon:.2f}"
    set_verdict_text(events_verdict, None, said)
    hit = f"best: t = {places[best]:.1f}, hit {hits[0][best]:,} and {hits[1][best]:,} times"
    naively = f"the largest naive ratio stands for {wildest:.2f}"
    return f"{hit}; certified loss {height:.2f} of {epsilon:.2f}; {naively}"


live(
    fig,
    events_below,
    "Privacy loss of the events 'at most t' against t. The true loss is a flat line that "
    "falls at the count; the naive ratio follows it, and with few releases scatters wildly on "
    "the left; the certified bound lies below it, highest near the count.",
    task="take 1,000 releases. Far to the left the naive curve runs wild, and the certified "
    "one falls. The best event is not the most extreme one, but a frequent one. Then take "
    "more releases and see the blue curve rise.",
    guess=predict(
        "With 100,000 releases at epsilon 1, how large is the certified loss?",
        (0, 1),
        r"certified loss ([\d.]+)",
        releases=100_000,
    ),
    epsilon=log_slider(0.1, 2, 1.0),
    releases=choice([100, 1000, 10_000, 100_000], 1000),
    seed=new_noise(2),
)

# %% [markdown]
# ## Do not choose and certify on the same releases
#
# The blue curve is honest at each $t$ that was fixed beforehand. Its *highest point* is not: among many events
# some are lucky. Here is a lottery with 40 prizes that does not look at the data at all, so its loss is 0.
# A test at 95% should raise a false alarm in 5 of 100 runs at most. The event is the 20 prizes whose counts fell most
# from the first dataset to the second.


# %%
def lottery(data, rng, size):
    return rng.integers(40, size=size).astype(np.intp)


def certified_half(chosen_on, certified_on, risk=0.05):
    """The loss certified on a pair of samples, for the 20 prizes that fell most in another."""
    drawn = [np.bincount(sample, minlength=40) for sample in chosen_on]
    event, size = np.argsort(drawn[1] - drawn[0])[:20], len(certified_on[0])
    hits = [int(np.isin(sample, event).sum()) for sample in certified_on]
    low = clopper_pearson(hits[0], size, risk / 2)[0]
    high = clopper_pearson(hits[1], size, risk / 2)[1]
    return np.log(low / high)


# %% jupyter={"source_hidden": true}
# Computed: false alarms if events are chosen and certified on the same releases, or fresh ones
alarms = np.zeros(2)
for seed in range(300):
    rng = np.random.default_rng(seed)
    first, second = ([lottery(None, rng, 1000) for _ in range(2)] for _ in range(2))
    alarms += [certified_half(first, first) > 0, certified_half(first, second) > 0]
names = ("on the same releases", "on fresh releases")
for name, rate in zip(names, alarms / 300, strict=True):
    print(f"chosen and certified {name:<21} {rate:6.1%} false alarms (asked: at most 5%)")

# %% [markdown]
# ## The test
#
# `epsilon_lower_bound` puts this together.
#
# 1. **Learn.** Use a quarter of the outputs (60,000 at most) to cut the range into cells. Order the cells from below,
#    from above, outwards from a place, and by the ratio of their counts. The first few cells of such an order are an
#    event.
# 2. **Judge.** On another quarter, choose the most promising event for each direction: either dataset may make it
#    likelier. A modest choice distrusts the counts of rare events, a bold one does not. These are $m$ events, two to
#    four.
# 3. **Certify.** On the rest, count the hits of these events. Each event needs two limits, so each limit gets
#    $r = \alpha / 2m$ of the whole risk $\alpha$.
#
# > **Theorem 21.2 (an honest bound).** If the calls are independent and alike, the bound exceeds the true loss of the
# > pair with probability at most $\alpha$.
#
# <details><summary>Proof: when the last part is drawn, the events are fixed.</summary>
#
# Each of the $2m$ limits is wrong with
# probability at most $\alpha / 2m$. So all are right with probability $1 - \alpha$ or more, and then the bound is not
# above the true loss. $\square$
#
# By the lemma of Neyman and Pearson the last order of cells would be the best there is, if the ratios were known.
# In the code, `caution` is by how many standard deviations the last step will lower its limits. `modesty` is how many
# more are subtracted in step 2, because the counts of this step are guesses themselves. It is 2 for the modest
# choice, 0 for the bold one.
#
# </details>
#
# The theorem holds for every mechanism and every way of choosing events. A poor choice lowers the bound but keeps it
# honest.

# %%
show_source(epsilon_lower_bound)
show_source(best_events)

# %% [markdown]
# A million releases of each count, at 99.9%:


# %%
def bound_of(mechanism, releases, data=count, neighbour=without, seed=1):
    """What a trial of a mechanism certifies at 99.9%, on the count and one less by default."""
    rng = np.random.default_rng(seed)
    return epsilon_lower_bound(mechanism, data, neighbour, releases, rng, confidence=0.999)


def outcome(bound, claim):
    return f"claimed {claim}, certified {bound.epsilon:.2f}, refuted: {bound.refutes(claim)}"


bound = bound_of(noisy_count(1.0), 10**6)
print(str(bound).replace(" (likelier", "\n    (likelier"))
print(f"claim of 1.0 refuted: {bound.refutes(1.0)}; had it claimed 0.9: {bound.refutes(0.9)}")
assert 0.97 < bound.epsilon <= 1

# %% [markdown]
# ## Live: six mechanisms on trial
#
# The curve is the bound as releases are added. The meter has the certified bound and, since we know the
# distributions, the exact loss. **Amber is the best verdict for a black box**: "not refuted". Green needs the exact
# distribution.
#
# - *Laplace* and *geometric* (whole-number noise): their claims are true.
# - *half the noise* is Laplace noise of half the scale.
# - *Gaussian* noise has standard deviation $1/\varepsilon$ and is claimed to be $\varepsilon$-DP without a $\delta$.
# - *clamped average* and *resampled average* ([05](05_averages.ipynb)) are Algorithms 3 and 2 of Li, Lyu, Su and Yang (2016, section 2.5; *the
#   textbook*). It proves the first private; PINQ, a system, used the second. Here the first runs on $\{0\}$ and $\{0, 1\}$, the second on ten zeros without
#   and with a one.


# %%
def clamped(epsilon):
    """004 Algorithm 3 on [0, 1], many releases at once. NOT epsilon-DP below 1.386."""
    return lambda values, rng, size: clamped_average(values, (0, 1), epsilon, rng, size=size)


def resampled(epsilon):
    """004 Algorithm 2 on [0, 1], many releases at once. NOT epsilon-DP."""
    return lambda values, rng, size: resampling_average(
        values, (0, 1), epsilon, rng, size=size
    )


def geometric_count(epsilon):
    return batched(geometric_mechanism, 1, epsilon)


def gaussian_count(epsilon):
    return lambda count, rng, size: count + rng.normal(scale=1 / epsilon, size=size)


def resampled_loss(epsilon, records=10):
    """The loss of Algorithm 2 between `records` zeros and the same with a one: at outputs near
    0.
    """
    kept = 1 - np.exp(-records * epsilon)
    more_kept = 2 - np.exp(-epsilon) - np.exp(-records * epsilon)
    return epsilon + np.log(records / (records + 1) * more_kept / kept)


class Accused(NamedTuple):
    mechanism: object  # a function: epsilon to the mechanism
    data: object
    neighbour: object
    loss: object  # a function: epsilon to the true loss


accused = {
    "Laplace": Accused(noisy_count, count, without, lambda e: e),
    "half the noise": Accused(lambda e: noisy_count(2 * e), count, without, lambda e: 2 * e),
    "geometric": Accused(geometric_count, count, without, lambda e: e),
    "Gaussian": Accused(gaussian_count, count, without, lambda e: np.inf),
    "clamped average": Accused(clamped, [0], [0, 1], clamped_loss),
    "resampled average": Accused(resampled, [0] * 10, [0] * 10 + [1], resampled_loss),
}

# %% jupyter={"source_hidden": true}
# Figure: epsilon_lower_bound(...) of the first 300, 1,000, ... of the same releases
fig, (left, right) = figure(columns=2, gridspec_kw={"width_ratios": [1, 1.25]})
x_axis(left, "releases of each dataset", (200, 150_000), [1000, 10_000, 100_000], log=True)
y_axis(left, "privacy loss", (-0.1, 4))
(bound_curve,) = curves(left, [1], {"certified, 99.9%": "noisy o-"})
level_lines = curves(left, [200, 150_000], {"exact loss": "other :", "claimed": "true --"})
legend_above(fig, 3)
trial_verdict = verdict_text(left)
read_meter = meter(right, ["certified", "exact"], 5)


def trial(mechanism, epsilon, releases, seed):
    case = accused[mechanism]
    private, rng = case.mechanism(epsilon), np.random.default_rng(seed)
    seen = [private(side, rng, size=releases) for side in (case.data, case.neighbour)]
    sizes = [size for size in (300, 1000, 3000, 10_000, 30_000, 100_000) if size <= releases]
    bounds = [  # of the same releases, more and more of them
        epsilon_lower_bound(lambda side, rng, size: seen[side][:size], 0, 1, size, rng, 0.999)
        for size in sizes
    ]
    loss = case.loss(epsilon)
    bound_curve.set_data(sizes, [bound.epsilon for bound in bounds])
    set_curves(level_lines, (min(loss, 3.97), epsilon))
    read_meter([bounds[-1], loss], epsilon)
    said = verdict(bounds[-1].epsilon, epsilon, certain=False)
    set_verdict_text(trial_verdict, said, f"{mechanism}: {said}")
    return f"{mechanism}: {bounds[-1]}".replace(">=", "≥").replace("<=", "≤")


trial_figure = live(
    fig,
    trial,
    "Left: the certified lower bound rising with the number of releases towards a dotted "
    "line, the exact loss, beside the dashed line of the claim. Right: a meter with the "
    "certified bound and the exact loss against the claim.",
    task=r"try the six mechanisms at $\varepsilon = 1$ with 100,000 releases; then the "
    r"clamped average at $\varepsilon = 0.3$. How few releases are enough?",
    mechanism=choice(list(accused), "clamped average"),
    epsilon=log_slider(0.1, 2, 0.5),
    releases=choice([300, 1000, 3000, 10_000, 30_000, 100_000], 100_000),
    seed=new_noise(1),
)
trial_figure

# %% [markdown]
# All six at $\varepsilon = 0.5$, with 100,000 releases:

# %% jupyter={"source_hidden": true}
# Computed: the verdicts on the six mechanisms at epsilon 0.5
verdicts = {}
for name in accused:
    trial_figure.controls["mechanism"].value = name
    certified, exact = (text.get_text() for text in right.texts)
    verdicts[name] = {"certified": certified, "exact": exact}
trial_figure.controls["mechanism"].value = "clamped average"
pd.DataFrame(verdicts).T

# %% [markdown]
# How many releases does a bound need? Most for a small $\varepsilon$, whose two probabilities are close;
# more again for a large one.

# %% jupyter={"source_hidden": true}
# Computed: the certified part of the true loss, by epsilon and by the number of releases
sizes = [1000, 10_000, 100_000, 1_000_000]
table = {}
for epsilon in (0.1, 0.5, 1.0, 2.0, 8.0):
    bounds = [bound_of(noisy_count(epsilon), size, seed=3) for size in sizes]
    table[f"epsilon {epsilon}"] = [bound.epsilon / epsilon for bound in bounds]
print("certified part of the true loss, Laplace noise, 99.9%")
pd.DataFrame(table, index=[f"{size:,} releases" for size in sizes]).map("{:.0%}".format)

# %% [markdown]
# ## Outputs of other kinds
#
# An output may be an index, a vector, or a sequence of answers. The test then looks at it in several ways, such as its
# entries, their sum, or a learnt projection. A view only helps to find events, so no view can make the bound
# dishonest.
#
# **A selection.** There are five candidates, and one vote is *moved* (replace): the leader loses a vote, another gains one.
# The monotonic weights of the exponential mechanism ([chapter 04](04_exponential.ipynb)) are then wrong, because
# two scores move in opposite directions.

# %%
votes, moved = np.array([6.0, 3, 3, 3, 3]), np.array([5.0, 4, 3, 3, 3])


def selection(monotonic):
    return lambda quality, rng: exponential_mechanism(
        quality, 1, 1.0, rng, monotonic=monotonic
    )


for monotonic in (False, True):
    bound = bound_of(selection(monotonic), 10_000, votes, moved)
    print(f"monotonic={monotonic}: {outcome(bound, 1)}; {bound.event}")

# %% [markdown]
# **A vector.** The parties of 944 voters make a histogram of 7 counts. One voter *changes* party: two counts move by
# 1, so the L1 sensitivity is 2. Noise of scale $1 / \varepsilon$ would be right for add/remove and is wrong here. No
# single count shows it, for each has a privacy loss of $\varepsilon$ only.

# %% jupyter={"source_hidden": true}
# Computed: the bound for a histogram of parties, with sensitivity 2 and 1
parties = np.bincount(data.election()["PID"].values.astype(int), minlength=7)
changed = parties + np.array([-1, 1, 0, 0, 0, 0, 0])
print("counts", *parties, "and", *changed)
for sensitivity in (2, 1):
    private = batched(laplace_mechanism, sensitivity, 1.0)
    bound = bound_of(private, 100_000, parties, changed)
    print(f"sensitivity {sensitivity}: {outcome(bound, 1)}")

# %% [markdown]
# **One noise for all entries.** By a slip of one line, the noise is drawn once and added to every count. Each count by
# itself is perfectly noisy. The learnt projection takes differences:


# %%
def shared_noise(counts, rng, size):
    return counts + rng.laplace(size=(size, 1))


bound = bound_of(shared_noise, 5000, parties[:3], changed[:3])
by_sum = str(bound.event).startswith("the sum")
print(f"certified {bound.epsilon:.1f}, by a learnt sum of the entries: {by_sum}")
assert bound.refutes(1)

# %% [markdown]
# **A sequence.** The sparse vector technique answers a stream of queries with "above" (True) or "below" (False). Take six
# answers, each of which moves by 1 between the neighbours. Algorithms 16 and 17 were published as private
# ([chapter 14](14_svt.ipynb) has the story). The patterns of their answers convict them:

# %%
answers, others = np.array([0, 0, 0, 1, 1, 1.0]), np.array([1, 1, 1, 0, 0, 0.0])


def svt_run(variant):
    return lambda answers, rng: sparse_vector(
        answers, 0, 1, 1, 2.0, rng, variant=variant
    ).tolist()


for variant in (ALG12, ALG16, ALG17):
    bound = bound_of(svt_run(variant), 8000, answers, others)
    print(f"{variant.name}: {outcome(bound, 2)}")

# %% [markdown]
# ## Exact, where the law is known
#
# If the probabilities of all events are known, there is nothing to estimate. `exact_loss` takes the logs of the
# probabilities of the same events under both datasets. An event that cannot happen has log probability $-\infty$.
#
# The cell goes through all patterns of six answers (`log_output_probability`). The sampled bounds above stay below
# these losses, as they must.

# %%
show_source(exact_loss)

# %% jupyter={"source_hidden": true}
# Computed: the exact loss of three sparse vectors, over all patterns of six answers
setting = {"thresholds": 0, "sensitivity": 1, "cutoff": 1, "epsilon": 2.0}
for variant in (ALG12, ALG16, ALG17):
    patterns = yes_no_patterns(6, 1 if variant.stops_at_cutoff else 6)
    law = functools.partial(log_output_probability, **setting, variant=variant)
    loss = loss_over_outputs(law, patterns, answers, others)
    shown = "".join("T" if above else "f" for above in loss.event)
    said = verdict(loss.loss, 2, loss.certain)
    print(f"{variant.name}: exact loss {loss.loss:.3f}, at {shown}; {said}")

# %% [markdown]
# ### Events, not densities
#
# A distribution may have *atoms*, single outputs with a probability of their own, and a continuous part. The clamped
# average has both: everything below 0 is released as 0. So take as events the two atoms and short intervals between
# them.
#
# <details><summary>Why the textbook's proof fails: the density of an average has a factor that depends on the data.</summary>
#
# The textbook's proof that it is private compares
# $\Pr[M(D) = z]$ for $0 < z < 1$ (Li et al. 2016, Proposition 2.22). Such a probability is 0; the density of the noise *in
# the sum* is meant. But the
# release is the sum divided by the number of records, and $D$ and $D'$ divide by different numbers. The proof drops this
# factor of the density, $n + 1$ against $n$.
#
# </details>


# %%
def clamped_law(values, epsilon, cuts):
    mean = stats.laplace(np.mean(values), 1 / (epsilon * len(values)))
    return law_events([mean.cdf(0), mean.sf(1)], mean.cdf(cuts))


# %% jupyter={"source_hidden": true}
# Computed: the exact loss of the clamped average, at its own setting and repaired
cuts = np.linspace(0, 1, 2001)
names = ["exactly 0", "exactly 1"]
names += [f"between {a:.4g} and {b:.4g}" for a, b in itertools.pairwise(cuts)]
for epsilon in (0.5, 1.0, 2.0):
    laws = [clamped_law(values, epsilon, cuts) for values in ([0], [0, 1])]
    loss = exact_loss(*laws, events=names)
    exact = f"exact loss {loss.loss:.3f} ({loss.event})"
    dropped = epsilon * np.max(np.abs(np.abs(2 * cuts - 1) - cuts))
    print(f"epsilon {epsilon}: {exact}; without the factor {dropped:.3f}")
    assert abs(loss.loss - clamped_loss(epsilon)) < 1e-3

for wanted in (0.8, 1.2):
    setting = 2 * (wanted - np.log(2))
    loss = exact_loss(clamped_law([0], setting, cuts), clamped_law([0, 1], setting, cuts))
    print(f"to get {wanted}, run with {setting:.3f}: exact loss {loss.loss:.3f}")
    assert loss.within(wanted)

# %% [markdown]
# The claim is broken for every $\varepsilon < 2 \ln 2 = 1.386\ldots$: the exact loss is $\max(\varepsilon, \ln 2 +
# \varepsilon / 2)$. However small $\varepsilon$ is, a release strictly inside $(0, 1)$ is about twice as likely with
# the second record.
#
# <details><summary>A repair follows from the formula.</summary>
#
# To get $e$ between $\ln 2$ and $2 \ln 2$, run the algorithm with $2 (e - \ln 2)$.
# Above $2 \ln 2$ it is right as it is. Below $\ln 2$ no setting will do.
#
# </details>
#
# ## Live: where the clamped average breaks
#
# On the left is the distribution of the release for $\{0\}$ and for $\{0, 1\}$. Dots are the atoms, lines the
# probability of an interval of length 0.01. On the right is the loss of each of these events.

# %% jupyter={"source_hidden": true}
# Figure: exact_loss of clamped_law(values, epsilon, cells), value by value
hundred = np.linspace(0, 1, 101)
middles = (hundred[1:] + hundred[:-1]) / 2
fig, (left, right) = figure(columns=2)
inks = {"data {0}": COLOURS.noisy, "data {0, 1}": COLOURS.other}
law_lines = [steps(left, np.full(100, 0.01), ink, side, hundred) for side, ink in inks.items()]
x_axis([left, right], "released average", (-0.05, 1.05))
y_axis(left, "probability (log scale)", (1e-4, 2), log=True)
law_dots = [own_point(left, colour=ink, markersize=6) for ink in inks.values()]
clamped_verdict = verdict_text(left)
(loss_curve,) = curves(right, middles, {"loss of intervals": "true"})
loss_dots = own_point(right, "of 0 and 1", colour=COLOURS.true, markersize=6)
y_axis(right, "privacy loss", (-0.1, 3.2))
claim = curves(right, [-0.05, 1.05], {"claim": "third --"}, ends=True)
legend_above(fig, 4)


def clamped_figure(epsilon):
    laws = [clamped_law(values, epsilon, hundred) for values in ([0], [0, 1])]
    for line, dots, law in zip(law_lines, law_dots, laws, strict=True):
        set_steps(line, np.exp(law[2:]))
        set_own_point(dots, [0, 1], np.exp(law[:2]))
    losses = np.abs(laws[0] - laws[1])
    loss_curve.set_ydata(losses[2:])
    set_own_point(loss_dots, [0, 1], losses[:2])
    set_curves(claim, [epsilon])
    loss = exact_loss(*(clamped_law(values, epsilon, cuts) for values in ([0], [0, 1])))
    said = verdict(loss.loss, epsilon, loss.certain)
    words = f"claimed {epsilon:.3f}, exact loss {loss.loss:.3f}: {said}"
    set_verdict_text(clamped_verdict, said, words)
    return words


live(
    fig,
    clamped_figure,
    "Left: two output distributions on a log axis, dots for the atoms at 0 and 1. Right: the "
    "loss of each event; in the middle it reaches ln 2 plus epsilon / 2, above the dashed "
    "claim as long as epsilon is below 1.386.",
    task=r"raise $\varepsilon$. From which value on does the middle of the curve stay below "
    "the claim?",
    play="epsilon",
    epsilon=log_slider(0.1, 3, 0.5),
)

# %% [markdown]
# ## Finding the bad pair
#
# A claim is about *all* neighbours, and most pairs are harmless. Algorithm 2 (resampling)
# draws noise again until the average lies in range. The textbook says rightly that it is not private, but its
# counterexample is wrong. It compares $\{-1\}$ with $\{-1, 1\}$ on $[-1, 1]$ and finds a ratio of $2 e^{\varepsilon}$.
# The factor 2 is the missing factor of the density. Here is the exact loss of that pair, moved to $[0, 1]$:


# %%
def resampled_law(values, epsilon, cuts):
    total = stats.laplace(np.sum(values), 1 / epsilon).cdf(np.asarray(cuts) * len(values))
    return law_events([], (total - total[0]) / (total[-1] - total[0]))


fine = np.linspace(0, 1, 20_001)
book = exact_loss(resampled_law([0], 1, fine), resampled_law([0, 1], 1, fine))
within = f"exact loss {book.loss:.3f}, within the claim: {book.within(1)}"
print(f"the textbook's pair at epsilon 1: {within}")

# %% [markdown]
# Which pair breaks it? `worst_neighbours` goes through a family of datasets and their
# neighbours. It *scouts* every pair with few samples, the half with the larger bounds again with more, and so on.
# Only the last pair is certified, with fresh samples, so the search adds nothing to the false alarms. The family is
# every dataset of ten records that are 0 or 1, with a record added or removed. The worst pair has ten equal records at
# one end of the range, and a newcomer at the other end.

# %%
family, relations = small_datasets((0, 1), 10), (add_record, remove_record)
rng = np.random.default_rng(1)
found = worst_neighbours(resampled(1.0), family, (0, 1), relations, 100_000, rng, 0.999)
print(f"{len(found.scouted)} pairs tried; the one found:")
print(found.data.astype(int), f"-> {found.relation} ->", found.neighbour.astype(int))
print(str(found.bound).replace(" (likelier", "\n    (likelier"))
assert found.bound.refutes(1)

pair = exact_loss(resampled_law([0] * 10, 1, fine), resampled_law([0] * 10 + [1], 1, fine))
print(f"exact ratio of this pair {np.exp(pair.loss):.2f}, claimed at most {np.e:.2f}")
print(f"as the zeros grow in number the ratio nears 2 e - 1 = {2 * np.e - 1:.2f}")

# %% [markdown]
# ## Live: how bad can the pair get?
#
# The exact loss when a one is added, against the number of zeros in the data.

# %% jupyter={"source_hidden": true}
# Figure: resampled_loss(epsilon, zeros) for every number of zeros
many = np.arange(1, 41)
fig, (left, right) = figure(columns=2, gridspec_kw={"width_ratios": [1, 1.25]})
(loss_line,) = left.plot(many, many, color=COLOURS.noisy, label="exact loss")
(chosen,) = left.plot([1], [1], "D", color=COLOURS.noisy)
claim_of_two = left.axhline(1, color=COLOURS.true, linestyle="--", label="claimed")
left.set(xlabel="zeros in the data", ylabel="privacy loss", ylim=(0, 3), xlim=(0, 41))
legend_above(fig, 2)
read_pair = meter(right, ["printed pair", "chosen pair"], 3)
pair_verdict = verdict_text(left)


def bad_pair(zeros, epsilon):
    losses = resampled_loss(epsilon, many)
    printed_loss, loss = float(losses[0]), float(losses[zeros - 1])
    loss_line.set_ydata(losses)
    chosen.set_data([zeros], [loss])
    claim_of_two.set_ydata([epsilon] * 2)
    read_pair([printed_loss, loss], epsilon)
    some = "1 zero" if zeros == 1 else f"{zeros} zeros"
    said = verdict(loss, epsilon, certain=True)
    set_verdict_text(pair_verdict, said, f"{some} and a one: {said}")
    most = f"no number of zeros gives more than {np.log(2 * np.exp(epsilon) - 1):.3f}"
    return f"{some} and a one more: loss {loss:.3f}; {most}"


live(
    fig,
    bad_pair,
    "Left: the exact loss of the resampled average rising with the number of zeros, above "
    "the dashed claim. Right: a meter with the losses of the printed pair, within the claim, "
    "and of the chosen pair.",
    task="with one zero (the textbook's pair) the claim holds to the last digit. With two?",
    guess=predict(
        "Two zeros, and a one is added, at epsilon 1: how large is the privacy loss?",
        (0.5, 2),
        r"loss ([\d.]+);",
        zeros=2,
    ),
    zeros=slider(1, 40, 10),
    epsilon=log_slider(0.1, 2, 1.0),
)

# %% [markdown]
# On the large real data here the same algorithm stays within its claim.
#
# <details><summary>Checked on the fraction of RAND records in poor health, with one more such record.</summary>
#
# Here a log density stands for a short interval. That is safe, as both densities are
# in the units of the release. The textbook forgot this factor: $\ln n$ and $\ln (n + 1)$ in the cell.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: the exact loss of the resampled average on 20,190 real records
shares = np.linspace(0, 1, 20_001)
log_densities = [
    laplace_log_density(shares * n, total, 1, 1.0)
    + np.log(n)
    - np.log(laplace_probability(0, n, total, 1, 1.0))
    for total, n in ((count, poor.size), (count + 1, poor.size + 1))
]
loss = exact_loss(*log_densities)
within = f"exact loss {loss.loss:.5f}, within the claim: {loss.within(1)}"
print(f"{poor.size:,} records, epsilon 1: {within}")

# %% [markdown]
# ## With a delta
#
# $(\varepsilon, \delta)$-DP allows $\Pr[M(D) \in S] \le e^{\varepsilon} \Pr[M(D') \in S] + \delta$. Gaussian noise
# has no pure $\varepsilon$, since the ratio grows without limit in the tails; with a $\delta$ it has one. The smallest
# $\delta$ at an $\varepsilon$ is the *hockey-stick divergence* of the two distributions. The worst set is a *union* of
# events, those with the largest ratios; `exact_loss(..., delta=...)` finds it.

# %% jupyter={"source_hidden": true}
# Figure: the exact epsilon at every delta, beside epsilon_lower_bound(...) of 20,000 releases
grid = np.linspace(-40, 41, 811)
deltas = np.logspace(-6, -0.7, 16)
fig, ax = figure()
x_axis(ax, "δ", log=True)
y_axis(ax, "ε at this δ", (-0.2, 8))
curve = curves(ax, deltas, {"exact": "true"})
dots = curves(ax, [0.001, 0.01, 0.05, 0.1], {"certified, 99.9%": "noisy D"})
gaussian_verdict = verdict_text(ax)
legend_above(fig, 2)


def gaussian(spread, seed):
    laws = [law_events([], stats.norm.cdf(grid, answer, spread)) for answer in (0, 1)]
    set_curves(curve, [[exact_loss(*laws, delta=delta).loss for delta in deltas]])
    trial_of = gaussian_count(1 / spread), count, without, 20_000
    certified = [
        epsilon_lower_bound(*trial_of, np.random.default_rng(seed), 0.999, delta=delta).epsilon
        for delta in dots[0].get_xdata()
    ]
    set_curves(dots, [certified])
    at = {delta: exact_loss(*laws, delta=delta).loss for delta in (1e-6, 1e-2)}
    words = f"ε is {at[1e-2]:.2f} at δ = 0.01, and {at[1e-6]:.2f} at one in a million"
    set_verdict_text(gaussian_verdict, None, words)
    numbers = f"epsilon {at[1e-2]:.2f} at delta 0.01, {at[1e-6]:.2f} at one in a million"
    return f"standard deviation {spread:.2f}: {numbers}"


live(
    fig,
    gaussian,
    "Epsilon against delta for Gaussian noise: a falling exact curve, with certified bounds "
    "as diamonds below it, far below for small deltas.",
    task="move the standard deviation and see the whole curve move; then look at the dots, "
    r"certified from 20,000 releases. Why are they close for large $\delta$ only?",
    spread=log_slider(0.7, 10, 2.0, label="standard deviation, people"),
    seed=new_noise(5),
)

# %% [markdown]
# ## The attack on the last digits
#
# So far the mechanisms were mathematics. On a computer the usual line is `value - scale * sign * log(U)`, and $U$ is
# not a real number: it is one of finitely many, evenly spaced. So the noise is one of finitely many numbers, and so
# is the release. *Which* numbers are possible depends on the true value (Mironov 2012).
#
# First take half precision (`float16`, 11 significant bits), where all $2 \times 2{,}048$ possible releases can be
# listed.

# %% jupyter={"source_hidden": true}
# Computed: the releases of half precision that a count of 0 can make, and a count of 1 cannot
uniform = (np.arange(1, 2049) / 2048).astype(np.float16)
noise = np.concatenate([-np.log(uniform), np.log(uniform)])
releases = {answer: np.float16(answer) + noise for answer in (0, 1)}
impossible = ~np.isin(releases[0], releases[1])
few = np.sort(releases[0][impossible])[2000:2004]
print(f"epsilon 1; releases from a count of 0, a few: {few}")
print(f"{impossible.mean():.1%} of the releases from 0 are impossible from 1")
eleven_bits = [leaky_laplace_law(answer, 1, 11, 1.0) for answer in (0, 1)]
assert round(betrayed(*eleven_bits), 4) == 0.6663

# %% [markdown]
# Two thirds of the releases from a count of 0 cannot come from a count of 1. No finite $\varepsilon$ holds, and
# $\delta$ would have to be two thirds.
#
# ## Live: releases that only one of two neighbours can make
#
# Every tick is a release that the arithmetic can produce, in a window just above the count. It holds
# some eighty of them, or all. The top row has those from the count alone, the middle row those from both. The bottom row has
# those from the count plus one alone.

# %% jupyter={"source_hidden": true}
# Figure: leaky_laplace_law(answer, 1, bits, epsilon) of two counts: what one cannot give
fig, ax = figure(height=3)
looks = ("noisy |", "grey |", "other |")
rows = [curves(ax, [0], {"": look}, markersize=30, markeredgewidth=0.8)[0] for look in looks]
x_axis(ax, "release", (-0.01, 1.01), {0: "the count", 1: ""})
window_word = ax.text(1, -0.72, "", ha="right", va="top")
nothing = [ax.text(0.5, row, "", ha="center", va="center") for row in (2, 1, 0)]
ticks_verdict = verdict_text(ax)
sides = {2: "only from\nthe count", 1: "from both", 0: "only from\none more"}
y_axis(ax, limits=(-0.6, 2.6), ticks=sides)


def ticks(bits, count, epsilon):
    laws = [leaky_laplace_law(answer, 1, bits, epsilon) for answer in (count, count + 1)]
    (first, _), (second, _) = laws
    own, both = np.setdiff1d(first, second), np.intersect1d(first, second)
    groups = own, both, np.setdiff1d(second, first)
    # a window from the count on that is wide enough for some eighty releases
    above = np.sort(np.concatenate(groups)) - count
    above = above[above > 0]
    window = above[min(79, above.size - 1)]
    for row, word, height, outputs in zip(rows, nothing, (2, 1, 0), groups, strict=True):
        places = (outputs - count) / window
        places = places[(places >= 0) & (places <= 1)]
        row.set_data(places, np.full(places.size, height))
        word.set_text("" if places.size else "none in this window")
    window_word.set_text(f"and {window:.2g} more")
    lost = betrayed(*laws)
    words = f"{lost:.1%} of the releases from {count} reveal it: not {count + 1}"
    set_verdict_text(ticks_verdict, None, words)
    of_all = f"Of all releases from {count}, {lost:.1%} are impossible from {count + 1}"
    return f"{bits} bits. {of_all}; the other way round {betrayed(*laws[::-1]):.1%}"


live(
    fig,
    ticks,
    "Three rows of ticks from the count to the end of a narrow window: releases that only "
    "the count can make, that both can make, and that only the count plus one can make. At "
    "first the top row is the fullest.",
    task="take more bits. The window gets narrower, to hold some eighty releases; is the top "
    r"row less full? Then try a larger count, and a smaller $\varepsilon$.",
    guess=predict(
        "With 14 bits, what percentage of the releases from 0 is impossible from 1?",
        (0, 100, "%"),
        r"from \d+, ([\d.]+)%",
        bits=14,
    ),
    bits=slider(4, 14, 8),
    count=choice([0, 1, 3, 10, 30, 100], 0),
    epsilon=log_slider(0.1, 2, 1.0),
)

# %% [markdown]
# The black-box test finds the gaps by itself: it gathers the outputs that it saw from one dataset only.


# %%
def half_precision_count(count, rng, size):
    return leaky_laplace(count, 1, 11, 1.0, rng, size=size)


bound = bound_of(half_precision_count, 10**6, 0, 1)
print(f"claimed 1, certified {bound.epsilon:.1f}")
share = bound.counts[0] / bound.samples
print(f"an event of hundreds of outputs: {share:.0%} of the releases from one count,")
print(f"{bound.counts[1]} of {bound.samples:,} from the other")
doubles = bound_of(noisy_count(1.0), 10**6, 0, 1)
print(f"in double precision: claimed 1, certified {doubles.epsilon:.2f}")

# %% [markdown]
# ### And in double precision
#
# Doubles have 53 bits, too many to list, and the test above sees nothing in a million samples. But no list is needed. A
# release $y$ determines its noise, $y - f$. The noise determines $U$, up to a few neighbours on the grid. For each of these,
# compute the release again and compare all 53 bits. If none gives $y$, the true answer was not $f$.
#
# Here it attacks this book's `laplace_mechanism`, on 2,000 releases of a small count:

# %%
show_source(can_come_from)

# %% jupyter={"source_hidden": true}
# Computed: how many releases of small counts the count plus one cannot have made
rng = np.random.default_rng(7)
attacked = {}
for epsilon in (1.0, 0.1):
    shares = []
    for true_count in (0, 1, 10, 100):
        outputs = laplace_mechanism(np.full(2000, true_count), 1, epsilon, rng)
        assert can_come_from(outputs, true_count, 1 / epsilon).mean() > 0.99
        shares.append(1 - can_come_from(outputs, true_count + 1, 1 / epsilon).mean())
    attacked[f"epsilon {epsilon}"] = [f"about {round(20 * share) * 5}%" for share in shares]
print("releases that the count plus one cannot have made")
pd.DataFrame(attacked, index=[f"count {true_count}" for true_count in (0, 1, 10, 100)])

# %% [markdown]
# The last digits of most releases of 0 and 1 reveal the count (erratum [S08](22_errata.ipynb#S08)), and small counts need
# protection most. The
# mathematics of [chapter 03](03_laplace.ipynb) is right; the arithmetic is not what it assumes. This is one reason why
# `dpbook` is for learning, not for real releases.
#
# ### How whole numbers close it
#
# The geometric mechanism adds whole-number noise to a whole number. Every whole number is possible from every count,
# and whole numbers (below $2^{53}$) are added exactly. So no gaps remain. But numpy's exponentials are not proved
# exact.

# %% jupyter={"source_hidden": true}
# Computed: the exact loss of the geometric mechanism; the gaps left after rounding
whole = np.arange(-40, 42)
loss = exact_loss(*(geometric_log_probability(whole, answer, 1, 1.0) for answer in (0, 1)))
bound = bound_of(geometric_count(1.0), 10**6, 0, 1)
print(f"geometric mechanism: exact loss {loss.loss:.6f}, certified {bound.epsilon:.2f}")
lost = betrayed(*((np.round(outputs), chances) for outputs, chances in eleven_bits))
from_0 = f"{lost:.2%} of the releases from 0 impossible from 1"
print(f"11-bit Laplace, rounded to whole numbers: {from_0}")

# %% [markdown]
# Rounding the leaky release hides most of the gaps too, but not all. [Production libraries](23_production.ipynb)
# sample whole numbers by exact arithmetic, or round in a way that is proved safe (Mironov's *snapping*).
#
# ## What a test cannot see
#
# **A rare leak.** This mechanism adds Laplace noise, and with a small probability prints the true count in plain sight.
# How much can be certified, at a claim of 1?


# %%
def rare_leak(chance):
    return lambda count, rng, size: np.where(
        rng.random(size) < chance, 1000 + count, count + rng.laplace(size=size)
    )


# %% jupyter={"source_hidden": true}
# Computed: the bound for rare leaks, by their probability and by the number of releases
leaks, sizes = {}, (10_000, 100_000, 1_000_000)
for chance in (1e-2, 1e-3, 1e-4, 1e-5):
    bounds = [bound_of(rare_leak(chance), size).epsilon for size in sizes]
    said = [f"{bound:.2f} {verdict(bound, 1, certain=False)}" for bound in bounds]
    leaks[f"leaks {amount(chance)}"] = said
for times in (50, 100, 200):
    bounds = [bound_of(rare_leak(0.01), times * 100, seed=seed) for seed in range(30)]
    refuted = sum(bound.refutes(1) for bound in bounds)
    print(f"leaks 0.01, {times} / 0.01 releases: refuted in {refuted} of 30 trials")
pd.DataFrame(leaks, index=[f"{size:,} releases" for size in sizes]).T

# %% [markdown]
# The true loss is infinite in every row. To refute a leak of probability $p$, $100 / p$ releases are often enough, and
# $200 / p$ nearly always.
#
# **A mechanism that remembers.** The proof assumed that calls do not depend on each other. This one counts its calls:


# %%
def behaves_while_watched(patience):
    calls = itertools.count()
    return lambda count, rng: count + (rng.laplace() if next(calls) < patience else 0)


sly = behaves_while_watched(patience=2 * 10_000)
bound = bound_of(sly, 10_000)
certified = f"certified {bound.epsilon:.2f}, claim of 1 refuted: {bound.refutes(1)}"
print(f"{certified}; the next release: {sly(count, rng)}")

# %% [markdown]
# **The wrong pair, the wrong relation.** Algorithm 2 passed on the textbook's pair and on the RAND records. The claim of the
# histogram of parties is true under add/remove and false under replace. A test answers only for the pair that it was
# given.
#
# So *refuted* is a fact (up to the rate of false alarms that you chose). *Not refuted* is an absence of evidence, and
# **absence of evidence is not privacy**. A proof makes a mechanism private; a test catches the slips between the
# proof and the program.
#
# ## Break it live
#
# Type a mechanism as one line of Python. There `records` is an array of zeros and ones, `count` its sum, `rng` the
# generator, `np` numpy. `worst_neighbours` looks among the datasets of three records for the pair with the largest
# loss, and certifies it with 10,000 releases at 99.9%. Below yours are the six versions of the sparse vector
# technique ([14](14_svt.ipynb)), with the exact losses of their own bad pairs (20 queries, cutoff 2).


# %%
@functools.lru_cache(maxsize=32)
def worst_of(typed):
    """A mechanism that is typed as an expression, and the pair of neighbours found for it."""
    code = compile(f"lambda records, count, rng: ({typed})", "your mechanism", "eval")
    release = eval(code, {"np": np})

    def mechanism(records, rng, size):
        count = int(records.sum())
        return [release(records, count, rng) for _ in range(size)]

    family, relations = small_datasets((0, 1), 3), (add_record, remove_record)
    rng = np.random.default_rng(0)
    found = worst_neighbours(mechanism, family, (0, 1), relations, 10_000, rng, 0.999)
    return mechanism, found


def tried(typed, seed):
    """The pair found for it, and the bound that fresh releases certify on this pair."""
    mechanism, found = worst_of(typed)
    rng = np.random.default_rng(seed)
    bound = epsilon_lower_bound(mechanism, found.data, found.neighbour, 10_000, rng, 0.999)
    return found, bound


@functools.lru_cache(maxsize=32)
def hanging(epsilon):
    """The exact losses of Algorithms 12 to 17 on the pairs that break them in chapter 14."""
    pairs = [(svt.counterexample(row, 2, 20), row) for row in SIX]
    losses = [svt.privacy_loss(*pair, 0, 1, 2, epsilon, row) for pair, row in pairs]
    return [max(loss, 0.0) for loss in losses]


# %% jupyter={"source_hidden": true}
# Figure: tried(your line, seed): the bound certified, beside hanging(epsilon)
SIX = (svt.ALG12, svt.ALG13, svt.ALG14, svt.ALG15, svt.ALG16, svt.ALG17)


class Box(ipywidgets.Text):
    """Where a mechanism is typed; the check of the pages types in `min` and `max`."""

    min, max = "count", "count + rng.laplace()"


WALL = ["yours, certified", "SVT 12 standard", "SVT 13 renews the threshold"]
WALL += ["SVT 14 releases the answer", "SVT 15 forgets 2c", "SVT 16 no query noise"]
fig, ax = figure(height=3.5)
read_wall = meter(ax, [*WALL, "SVT 17 no cutoff"], 6)
wall_verdict = verdict_text(ax)


def break_it(mechanism, epsilon, seed):
    found, bound = tried(mechanism, seed)
    read_wall([bound, *hanging(epsilon)], epsilon)
    said = verdict(bound.epsilon, epsilon, certain=False)
    words = f"your loss is {amount(bound.epsilon)} or more: {said}"
    set_verdict_text(wall_verdict, said, words)
    pair = f"{found.data.astype(int)} against {found.neighbour.astype(int)}"
    return f"yours, {pair}: {bound}".replace(">=", "≥").replace("<=", "≤")


claimed_epsilon = log_slider(0.1, 3, 1.0, label="epsilon, claimed")
for _, each in claimed_epsilon.options:  # so that no first move waits
    hanging(each)

live(
    fig,
    break_it,
    "A privacy meter with seven bars: the certified loss of the mechanism that was typed, "
    "and the exact losses of six versions of the sparse vector technique, four of them "
    "broken.",
    task="does rounding make up for noise of half the scale? Read below which pair and which "
    "event convict it. Then type `count + rng.laplace()`, `max(0, count + "
    "rng.laplace())`, `count + rng.normal()`, `rng.random() < count / 4`. Whatever you "
    "type, *not refuted* is all that this can say for it.",
    mechanism=Box(
        value="round(count + rng.laplace(scale=0.5))",
        continuous_update=False,
        style={"description_width": "initial"},
    ),
    epsilon=claimed_epsilon,
    seed=new_noise(1),
)

# %% [markdown]
# ## Your own mechanism
#
# For more than one line, change this cell. `my_mechanism(records, rng)` may return a number, a vector, a word or a
# list.


# %%
def my_mechanism(records, rng):
    """How many are in poor health, with noise of scale 1/2, rounded. Does rounding help?"""
    return round(records.sum() + rng.laplace(scale=0.5))


my_data, my_neighbour = poor[:500], np.append(poor[:500], 1)
rng = np.random.default_rng(1)
bound = epsilon_lower_bound(my_mechanism, my_data, my_neighbour, 20_000, rng, 0.999)

# %% jupyter={"source_hidden": true}
# Figure: the certified bound of your mechanism, beside your claim
my_claim = 1.0
fig, ax = figure(height=1.7)
read = meter(ax, ["my mechanism"], most=max(2 * my_claim, 1.3 * bound.epsilon))
read([bound], my_claim)
show(
    fig,
    f"A meter: {bound.epsilon:.2f} certified against a claim of {my_claim}.",
    caption=str(bound).replace(">=", "≥").replace("<=", "≤"),
)

# %% [markdown]
# ## Every claim of this book
#
# Everything that the book claims gets the same trial, and so do claims that it shows to be false. The first table runs
# one claim of each chapter, a false one if possible, and has the worst loss over bad pairs.
#
# <details><summary>How the loss of a program is found, and how far its outputs are checked.</summary>
#
# - Most programs are run with a generator that notes what each noise is added to, its scale, and the distribution of
#   each choice. Then the program is run on the neighbour with the *same noisy numbers and choices*. If the output
#   differs, data flow around the noise and the loss is infinite. Otherwise the loss is the sum of |difference| / scale,
#   plus the log ratio of each choice's probabilities.
# - For the others the loss is that of the distribution of the outputs, where there is a formula. A formula beside a
#   program proves nothing about the program. So the program is run, on both neighbours of each pair, and its outputs
#   are compared with the formula, event by event. An output that the formula does not list refutes the program at once:
#   a count below its threshold, an answer after the stop.
#
# The rows below draw 300 outputs a dataset, which find gross errors only. `make audit` draws enough to refute a program
# that takes 1.1 $\varepsilon$, in every row.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: claims.check(...) of one claim of each chapter, a false one if there is one
SHOWN = ("used", "neighbours", "claim", "worst loss", "verdict")
by_chapter, ran_here = {}, {}
for chapter in claims.CHAPTERS:
    held = chapter.claims()
    one = next((claim for claim in held if claim.false), held[0])
    finding = claims.check(one, most=300)
    assert finding.as_stated
    ran_here[one.name] = finding.loss
    [row_here] = claims.table([finding])
    row = {"claims": len(held), "false": sum(claim.false for claim in held)}
    row |= {"run here": row_here["mechanism"]} | {key: row_here[key] for key in SHOWN}
    by_chapter[f"{chapter.CHAPTER} {chapter.__name__.split('.')[-1]}"] = row
with pd.option_context("display.max_colwidth", None):
    display(pd.DataFrame(by_chapter).T)

# %% [markdown]
# The next table has every claim, with the losses that the last full check stored. A test checks each of them anew.
#
# "within" is a verdict on these pairs only; the proofs are in the chapters. Another test spoils each mechanism in turn
# (no noise, half of it, twice the $\varepsilon$) and demands that its row turns red.

# %% jupyter={"source_hidden": true}
# Computed: every claim of the book, with the worst loss that the last full check found
known, every_claim = claims.worst_losses(), []
for one in claims.CLAIMS:
    loss = known[one.name] if one.name in known else claims.check(one, most=300).loss
    assert np.isclose(loss, ran_here.get(one.name, loss), atol=1e-3)
    said = verdict(loss, one.promise, certain=not one.statistical)
    assert said == one.stated
    every_claim.append(
        {
            "mechanism": one.mechanism.__name__,
            "used": one.setting,
            "neighbours": one.relation,
            "claim": f"{one.promise:.2f}",
            "worst loss": "∞" if np.isinf(loss) else f"{loss:.2f}",
            "verdict": f"{said} as said" if one.false else said,
        }
    )
every_claim = pd.DataFrame(every_claim)
for said, number in every_claim["verdict"].value_counts().items():
    print(f"{number} claims {said}")
every_claim = every_claim.set_index("mechanism").rename_axis(None)
scrolled = '<div style="max-height: 32em; overflow: auto" tabindex="0" role="region" '
with pd.option_context("display.max_colwidth", None):
    scrolled += f'aria-label="All {len(every_claim)} claims">{every_claim.to_html()}</div>'
display({"text/html": scrolled, "text/plain": every_claim.to_string()}, raw=True)

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/21_audit](../exercises/answers/21_audit.ipynb).
#
# **Assignment 21:** [five tasks, checked in a second](../exercises/releases/21_audit.ipynb).
#
# 1. *Warm-up.* In the live trial of six, how many releases does it take to refute "half the noise" at $\varepsilon = 1$? At
#    0.1? Why does it take more?
# 2. In *Your own mechanism*, release `int(records.sum() > 5 + rng.laplace())`, with `my_data` of four ones and
#    `my_neighbour` of five. How large is its privacy loss, and which event shows
#    it? Compute the exact loss with `exact_loss`.
# 3. Release a *pair* of noisy counts, each with the whole of $\varepsilon = 1$. Which view finds the event, and how
#    close to $2 \varepsilon$ does the bound come with 20,000 releases?
# 4. Let `values = (0, 0.5, 1)`. Give `worst_neighbours` the clamped average at $\varepsilon = 0.5$,
#    `small_datasets(values, 3)`, `values` and 50,000 releases. Which pair does it find with seed 1, and how much is
#    certified? The worst pair is $\{0\}$ and $\{0, 1\}$: why can it not be among those tried? Repair the family.
#    Which of `add_record` and `remove_record` does it still need?
# 5. Write a mechanism that is private on no pair and that 100,000 releases at 99.9% do not refute at
#    $\varepsilon = 1$. How large can you make the harm?
# 6. *Challenge.* Replace the two Clopper-Pearson limits by a test of the ratio itself, for a higher bound that is still
#    honest. Show the honesty by a false-alarm rate over 1,000 seeds, and show that your experiment could have failed.
#
# ## When to use it, and when not
#
# How wrong must a claim be for a test to notice? For Laplace noise that is too small by some factor, the table has
# the smallest of four sample sizes that refutes the claim at 99.9%.


# %%
def enough(epsilon, factor):
    for size in (1000, 10_000, 100_000, 1_000_000):
        if bound_of(noisy_count(factor * epsilon), size, seed=2).refutes(epsilon):
            return f"{size:,}"
    return "not enough"


# %% jupyter={"source_hidden": true}
# Computed: the releases that refute a claim, by epsilon and by how wrong the claim is
factors = (1.03, 1.2, 1.5, 2.0)
found = {f"epsilon {e}": [enough(e, factor) for factor in factors] for e in (0.1, 1.0, 3.0)}
pd.DataFrame(found, index=[f"{factor} times the claimed loss" for factor in factors])

# %% [markdown]
# - **Use the exact loss** wherever a distribution can be written down: every discrete mechanism, every output pattern of
#   SVT, every average with its atoms. It settles a pair.
# - **Use the black-box test** on every program before you trust it, on the pairs that a proof or a search calls worst.
#   In seconds it finds a wrong sensitivity, a budget spent twice, one noise used for all, or a mixed-up relation.
# - **Do not use it** as a proof, for a loss a few percent above the claim, or for a mechanism that keeps state. Nor
#   can it see a $\delta$ below about one over the number of releases.
# - **One-run auditing** is for what is too expensive to run twice, such as training a network: [31](31_memory.ipynb).
#
# ## Sources
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to Practice*. Morgan and
#   Claypool 2016. [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018). Sections 2.1
#   and 2.2, 2.5 (Algorithms 2 and 3; the errors shown above are in Proposition 2.22 and section 2.5.3), chapter 7 (SVT).
#
# <details><summary>The papers on limits, on events, on the last digits, and on other testers.</summary>
#
# - Charles Clopper, Egon Pearson: *The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial*.
#   Biometrika 1934. [doi:10.1093/biomet/26.4.404](https://doi.org/10.1093/biomet/26.4.404).
# - Jerzy Neyman, Egon Pearson: *On the Problem of the Most Efficient Tests of Statistical Hypotheses*. Philosophical
#   Transactions of the Royal Society A 1933. [doi:10.1098/rsta.1933.0009](https://doi.org/10.1098/rsta.1933.0009).
# - Ilya Mironov: *On Significance of the Least Significant Bits for Differential Privacy*. CCS 2012.
#   [doi:10.1145/2382196.2382264](https://doi.org/10.1145/2382196.2382264).
# - Zeyu Ding, Yuxin Wang, Guanhong Wang, Danfeng Zhang, Daniel Kifer: *Detecting Violations of Differential Privacy*.
#   CCS 2018. [doi:10.1145/3243734.3243818](https://doi.org/10.1145/3243734.3243818). StatDP.
# - Benjamin Bichsel, Samuel Steffen, Ilija Bogunovic, Martin Vechev: *DP-Sniper: Black-Box Discovery of Differential
#   Privacy Violations Using Classifiers*. IEEE Symposium on Security and Privacy 2021.
#   [doi:10.1109/SP40001.2021.00081](https://doi.org/10.1109/SP40001.2021.00081).
# - William Kong, Andrés Muñoz Medina, Mónica Ribero, Umar Syed: *DP-Auditorium: A Large Scale Library for Auditing
#   Differential Privacy*. 2023. [arXiv:2307.05608](https://arxiv.org/abs/2307.05608).
# - Thomas Steinke, Milad Nasr, Matthew Jagielski: *Privacy Auditing with One (1) Training Run*. NeurIPS 2023.
#   [arXiv:2305.08846](https://arxiv.org/abs/2305.08846). Many records audited in one run.
#
# </details>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [20 ALP: a sparse vector in a small sketch](20_alp.ipynb) · **Next:** [22 Errata, and the papers beside what we find](22_errata.ipynb)
