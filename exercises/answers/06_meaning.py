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
# # Answers to 06 What does epsilon promise?
#
# A hint and a computed answer for each task "On your own" of the page. Try first; there is more than one good answer.

# %%
import math

import numpy as np
from scipy.special import expit, logit
from scipy.stats import binom

from dpbook import data
from dpbook.laplace import laplace_log_density
from dpbook.meaning import (
    belief_interval,
    closeness_interval,
    epsilon_for_belief,
    group_epsilon,
    largest_distance,
    posterior,
)

# %% [markdown]
# ## 1. The farthest rise
#
# *Hint.* The upper end is the lower one of two straight lines in $p$. Where do they cross?

# %%
p = np.linspace(0, 1, 100_001)
for epsilon in (0.5, 2.0, 5.0):
    rise = closeness_interval(p, epsilon)[1] - p
    print(f"epsilon {epsilon}: from p = {p[rise.argmax()]:.4f}, p' rises by {rise.max():.4f}:")
    print(f"    1/(1 + e^epsilon) = {expit(-epsilon):.4f},", end=" ")
    print(f"tanh(epsilon/2) = {math.tanh(epsilon / 2):.4f}")

# %% [markdown]
# *Answer.* The lines $e^{\varepsilon} p$ and $1 - e^{-\varepsilon} (1 - p)$ cross at $p = 1/(1 + e^{\varepsilon})$.
# There $p'$ rises to $1 - p$, and the distance $1 - 2p$ *is* $\tanh(\varepsilon / 2)$: the largest distance between
# the outputs on two neighbours, `largest_distance`. (It is a distance of decisions here; that beliefs in the two
# worlds have the same bound is Theorem 6.7.)
#
# ## 2. From 1% to 5%
#
# *Hint.* "You were a patient" and "you were not" are add/remove neighbours if you have one record:
# `epsilon_for_belief`. With several records, they are several steps apart.

# %%
allowed = epsilon_for_belief(0.01, 0.05)
print(f"one record: epsilon at most {allowed:.3f} in all, the log of {math.exp(allowed):.2f}")
print(f"up to four: at most {allowed / 4:.3f}, odds times {math.exp(allowed / 4):.2f} each")
for epsilon in (allowed, allowed / 4):
    end = belief_interval(0.01, group_epsilon(4, epsilon))[1]
    print(f"four records at epsilon {epsilon:.3f}: the belief may rise to {end:.1%}")

# %% [markdown]
# *Answer.* The log of the ratio of the odds, and a quarter of it if a patient may have four records. With a guarantee
# for one record only, four records nearly give a patient away. It is all that the hospital may ever spend on you:
# every release counts. (This is for add/remove; under *replace* the guarantee does not cover whether you are in the
# data. Nor does the sentence hold for somebody who knows that your family falls ill together.)
#
# ## 3. Before: 20%
#
# *Hint.* Write Bayes' rule in odds. Which of its factors depends on the belief before?

# %%
people = data.smoking()["Taiyuan"].values
smokers = people[0] / people.sum(axis=0)
factor = smokers[0] / smokers[1]
print("smoke: {:.1%} of the patients, {:.1%} of the others".format(*smokers), end="; ")
print(f"factor {factor:.2f}")
for before in (0.01, 0.05, 0.2, 0.5, 0.9):
    after = expit(logit(before) + math.log(factor))
    odds = after / (1 - after) * (1 - before) / before
    points = 100 * (after - before)
    print(f"{before:.0%} becomes {after:.1%}: {points:+.1f} points; odds times {odds:.2f}")
middle = expit(-math.log(factor) / 2)
print(f"most points from {middle:.1%}: {100 * (1 - 2 * middle):.1f}")

# %% [markdown]
# *Answer.* The odds are multiplied by $s/h$, which comes from the study and does not depend on the belief before. A
# small belief is nearly its odds, so it grows in proportion and moves by few points. From a larger belief the same
# factor moves more points, and close to 1 it moves fewer again.
#
# ## 4. For, or not there
#
# *Hint.* `BELIEFS["for or against?"] = (1, 0)`. The largest belief over all releases, against the end of the table:

# %%
away = np.linspace(-40, 40, 2_001)
priors = np.array([0.01, 0.1, 0.5, 0.9])


def highest(hypotheses, prior, epsilon):
    """The largest belief in the first of two answers that a release can leave."""
    logs = [laplace_log_density(away, answer, 1, epsilon) for answer in hypotheses]
    return posterior([prior, 1 - prior], np.column_stack(logs))[:, 0].max()


for name, hypotheses in {"for, or not there": (1, 0), "for or against": (1, -1)}.items():
    for epsilon in (0.1, 1.0):
        reached = [highest(hypotheses, prior, epsilon) for prior in priors]
        table = closeness_interval(priors, epsilon)[1]
        both = zip(reached, table, strict=True)
        words = ", ".join(f"{a:.4f} ({b:.4f})" for a, b in both)
        inside = "inside" if np.all(reached <= table + 1e-12) else "OUTSIDE"
        print(f"{name}, epsilon {epsilon}: {words}: {inside}")
        if hypotheses == (1, 0):
            assert np.allclose(reached, belief_interval(priors, epsilon)[1])

# %% [markdown]
# *Answer.* It is inside (in brackets, the end of the table), for every prior and both $\varepsilon$. The two datasets
# now differ by the one record of Bob, which is there or not: add/remove neighbours, whose answers differ by 1. So the
# odds move by at most $e^{\varepsilon}$, and every release above the larger answer reaches that. It is the figure's
# other question, *in or out?*, for somebody who is sure of Bob's party. *For* and *against* are two steps apart.
#
# ## 5. Ill with 0.9
#
# *Hint.* State first what is believed before. Bob is ill with probability 0.1. If he is, each of the others is ill
# with probability 0.9, independently; if he is not, nobody is. Then the hypotheses are $0, \ldots, k$ ill people, and
# Bob is ill in all of them but the first. The highest releases move the odds most.

# %%
before, infected, epsilon, counts = 0.1, 0.9, 0.5, np.linspace(-30, 60, 901)
for k in (2, 4, 8):
    ill = np.arange(k + 1)
    prior = np.append(1 - before, before * binom.pmf(ill[:-1], k - 1, infected))
    logs = laplace_log_density(counts[:, None], ill, 1, epsilon)
    well = posterior(prior, logs)[:, 0]
    moved = np.log((1 - well) / well).max() - logit(before)
    by_hand = epsilon + (k - 1) * math.log1p(infected * math.expm1(epsilon))
    share = math.exp(moved - k * epsilon)
    print(f"k = {k}: log odds moved by {moved:.3f} (by hand {by_hand:.3f}),", end=" ")
    print(f"k epsilon = {k * epsilon:.2f}; the factor is {share:.0%} of e^(k epsilon)")
    assert math.isclose(moved, by_hand)

# %%
print("a variation: the disease comes to the house, then each catches it or not, Bob too")
for k in (2, 4, 8):
    ill = np.arange(k + 1)
    prior = before * binom.pmf(ill, k, infected) + (1 - before) * (ill == 0)
    bob = posterior(prior, laplace_log_density(counts[:, None], ill, 1, epsilon)) @ (ill / k)
    moved = logit(bob).max() - logit(before * infected)
    print(f"k = {k}: log odds moved by {moved:.3f} of {k * epsilon:.2f};", end=" ")
    print(f"belief {bob.max():.3f} at most")
print(f"never above {expit(logit(infected) + epsilon):.3f}: {infected}, odds times e^epsilon")

# %% [markdown]
# *Answer.* Each of the others gives a factor of $1 + 0.9\,(e^{\varepsilon} - 1)$ instead of $e^{\varepsilon}$. So the
# odds move by $e^{\varepsilon} \big(1 + 0.9\,(e^{\varepsilon} - 1)\big)^{k-1}$. They stay below by a factor that
# grows slowly with $k$. A theory that is right nine times in ten is nearly as good as a certain one. In the variation
# Bob may be the one who escaped. A high count reveals that the disease is in the house, and a little about how many
# have it. So no family, however large, takes the belief above the last line.
#
# ## 6. Challenge: tanh of a quarter
#
# *Hint.* Bayes' rule in odds, then ask from which prior a shift of the log odds by $a$ moves a probability farthest.
# $\sigma(x + a/2) - \sigma(x - a/2)$, with $\sigma$ the logistic function, is symmetric in $x$.

# %%
fine, rng = np.linspace(0, 1, 100_001)[1:-1], np.random.default_rng(6)
for epsilon in (0.5, 1.0, 3.0):
    shift = belief_interval(fine, epsilon)[1] - fine
    start = fine[shift.argmax()]
    print(f"epsilon {epsilon}, replace: {shift.max():.4f} from {start:.4f};", end=" ")
    print(f"tanh(epsilon/4) = {math.tanh(epsilon / 4):.4f},", end=" ")
    print(f"1/(1 + e^(epsilon/2)) = {expit(-epsilon / 2):.4f}")
    many = rng.dirichlet(np.full(6, 0.3), 20_000)  # six values that Bob may have
    after = many * np.exp(rng.choice([0, epsilon], many.shape))
    after /= after.sum(axis=1, keepdims=True)
    farthest = (np.abs(after - many).sum(axis=1) / 2).max()
    print(f"    random beliefs over six values of Bob: moved by {farthest:.4f} at most")
    assert farthest <= math.tanh(epsilon / 4) + 1e-12
    prior = expit(-epsilon)
    lead = highest((1, -1), prior, epsilon) - prior
    print(f"    add/remove, lead of Dole over Clinton: {lead:.4f} from {prior:.4f};", end=" ")
    print(f"tanh(epsilon / 2) = {largest_distance(epsilon):.4f}")
    assert math.isclose(lead, largest_distance(epsilon))

# %% [markdown]
# *Answer.* *Proof.* All datasets held possible are replace neighbours, so the likelihoods of any two differ by a
# factor of at most $e^{\varepsilon}$. That holds for averages of them as well, so the odds of every statement move by
# at most $e^{\varepsilon}$. With $x$ the log odds half way, the belief moves by
# $\sigma(x + \varepsilon/2) - \sigma(x - \varepsilon/2)$. Its derivative
# $\sigma'(x + \varepsilon/2) - \sigma'(x - \varepsilon/2)$ vanishes only at
# $x = 0$, as $\sigma'$ is even and falls away from 0. There the belief moves by $2 \sigma(\varepsilon/2) - 1 =
# \tanh(\varepsilon/4)$. $\square$ The prior is $1/(1 + e^{\varepsilon/2})$, and randomized response
# ([07](../../notebooks/07_local.ipynb)) reaches it.
#
# If the guarantee is for add/remove, the hypotheses are two steps apart, and the odds move by $e^{2\varepsilon}$. The
# bound is $\tanh(\varepsilon/2)$ again, from the prior $1/(1 + e^{\varepsilon})$. The lead reaches it.
