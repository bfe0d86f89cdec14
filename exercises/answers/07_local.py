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
# # Answers to 07 Local privacy: randomized response
#
# A hint and a computed answer for each task "On your own" of the page. Try first; there is more than one good answer.

# %%
import math

import numpy as np
from scipy.special import expit, logit

from dpbook import data
from dpbook.audit import exact_loss
from dpbook.local import (
    binary_chances,
    estimate_frequencies,
    estimate_frequency,
    frequency_deviation,
    k_ary_chances,
    k_ary_response,
    randomized_response,
    report_count_probabilities,
)

survey = data.affairs()
affair = (survey["affairs"].values > 0).astype(int)
n, truth = affair.size, affair.mean()

# %% [markdown]
# ## 1. The prior that moves farthest
#
# *Hint.* A yes multiplies the odds by $e^{\varepsilon}$. For the second question ask which odds 50% and 90% are.

# %%
priors = np.linspace(0, 1, 100_001)[1:-1]
moved = expit(logit(priors) + 1) - priors
start = priors[moved.argmax()]
print(f"farthest: from {start:.1%}, by {100 * moved.max():.1f} points;", end=" ")
print(f"1/(1 + sqrt e) = {expit(-0.5):.1%}, tanh(1/4) = {math.tanh(0.25):.3f}")
print(f"from 50% to 90%: epsilon {logit(0.9) - logit(0.5):.4f}, ln 9 = {math.log(9):.4f}")

# %% [markdown]
# *Answer.* The prior whose log odds are half of $\varepsilon$ below zero: it ends as far above one half as it began
# below. From even odds to nine to one takes $\ln 9$, the $\varepsilon$ of each of RAPPOR's questions. So a single
# answer moves an even guess that far. (With two sides to choose from, it is the truth nine times in ten.)
#
# ## 2. A die
#
# *Hint.* The opposite comes with probability 1/6. $\varepsilon$ is the log of $p / (1 - p)$. Let the die do the work
# of `randomized_response`, and the formula of Proposition 7.3 the rest.

# %%
p = 5 / 6
epsilon = math.log(p / (1 - p))
print(f"p = {p:.4f}; epsilon = {epsilon:.4f}, ln 5 = {math.log(5):.4f}")
thrown = np.random.default_rng(2).integers(1, 7, n)
reports = np.where(thrown == 6, 1 - affair, affair)
estimate = estimate_frequency(reports, epsilon)
deviation = frequency_deviation(truth, n, binary_chances(epsilon))
print(f"share of yes {reports.mean():.2%}; estimate {estimate:.2%} of {truth:.2%}")
print(f"standard deviation {deviation:.2%}; with the two coins it was", end=" ")
print(f"{frequency_deviation(truth, n, binary_chances(math.log(3))):.2%}, at ln 3")
assert math.isclose(binary_chances(epsilon).yes_if_true, p)

# %% [markdown]
# *Answer.* Five times in six the truth, so $\varepsilon = \ln 5$: less noise than two coins, and a weaker guarantee.
#
# ## 3. With and without children
#
# *Hint.* If each woman says openly whether she has children, the two groups are two surveys. The standard deviation
# of a difference of independent estimates is the root of the sum of the squares.

# %%
mother = (survey["children"].values > 0).astype(int)
groups = [affair[mother == 1], affair[mother == 0]]
shares = [g.mean() for g in groups]
deviations = [frequency_deviation(g.mean(), g.size, binary_chances(1.0)) for g in groups]
print(f"{groups[0].size:,} with, {groups[1].size:,} without children;", end=" ")
print("shares {:.1%} and {:.1%}".format(*shares), f"differ by {shares[0] - shares[1]:.1%}")


def openly(seed):
    """Children told as they are, the affair by one bit at 1."""
    rng = np.random.default_rng(seed)
    shares = [estimate_frequency(randomized_response(g, 1.0, rng), 1.0) for g in groups]
    return shares[0] - shares[1]


def both_hidden(seed):
    """One of four answers, children x affair, by k-ary response at 1."""
    reports = k_ary_response(2 * mother + affair, 4, 1.0, np.random.default_rng(seed))
    counted = np.bincount(reports, minlength=4)
    f = estimate_frequencies(counted, n, k_ary_chances(4, 1.0))
    return f[3] / (f[2] + f[3]) - f[1] / (f[0] + f[1])


for name, ask in (("children openly", openly), ("both hidden, one of four", both_hidden)):
    differences = [ask(seed) for seed in range(300)]
    print(f"{name}: median {np.median(differences):.1%},", end=" ")
    print(f"deviation of 300 surveys {np.std(differences):.1%}")
print(f"by the formula, openly: {math.hypot(*deviations):.2%},", end=" ")
print("from {:.2%} with and {:.2%} without children".format(*deviations))

# %% [markdown]
# *Answer.* It may be asked without noise if the guarantee does not cover it. The bit then protects the affair, for
# two women with the *same* number of children, and the number of children is simply public. That is a decision about
# people, not about mathematics. Whether there is a child is seldom a secret, yet the exact number and the age narrow
# down who answered. If it is to be protected, it must be in the report, and the same $\varepsilon$ then pays for
# both, as in the last survey. Openly, most of the deviation comes from the smaller group. (These are errors about
# *these* women; for all women add the sampling error.)
#
# ## 4. Cut at 0
#
# *Hint.* Compare three numbers, with and without the cut. They are the mean, the root mean squared error of one
# survey, and that of the average of a hundred.

# %%
poor = (survey["rate_marriage"].values == 1).astype(int)
estimates = []
for seed in range(2_000):
    reports = randomized_response(poor, 0.1, np.random.default_rng(seed))
    estimates.append(estimate_frequency(reports, 0.1))
estimates = np.array(estimates)
print(f"true share {poor.mean():.2%}; below 0 in {np.mean(estimates < 0):.0%} of the surveys")
for name, values in (("as they are", estimates), ("cut at 0", np.maximum(estimates, 0))):
    single = math.sqrt(np.mean((values - poor.mean()) ** 2))
    averages = values.reshape(20, 100).mean(axis=1)
    hundred = math.sqrt(np.mean((averages - poor.mean()) ** 2))
    print(f"{name:<11} mean {values.mean():.1%}; error of one {single:.1%},", end=" ")
    print(f"of the average of a hundred {hundred:.1%}")

# %% [markdown]
# *Answer.* The mean moves far above the truth. The cut only ever adds, and it adds to every estimate below 0. Each
# *single* survey is better off: the true fraction is not negative, so a cut moves every estimate that it touches
# nearer to it. But the errors of uncut surveys cancel in an average, and what the cut has added does not. Keep the
# raw number for anyone who will average or add; cut at the end.
#
# ## 5. Three attributes only
#
# *Hint.* Use the cells of the page with another list. There are now few questions, and many voters share one
# questionnaire. Look at what *exact* answers would give before you judge the noise.

# %%
voters = data.election()
vote, attacked = voters["vote"].values, np.arange(0, 944, 6)
everything = [name for name in voters if name != "vote"]


def signs_of(names):
    """All answers to "is yours at least this?" as +1 and -1, voters down, questions across."""
    limits = [(name, limit) for name in names for limit in np.unique(voters[name].values)[1:]]
    return np.array([2 * (voters[name].values >= limit) - 1.0 for name, limit in limits]).T


def attack(signs, epsilon, rng):
    """Chance to find a voter again, and share of votes guessed, from one report a question."""
    honest = rng.random((attacked.size, signs.shape[1])) < expit(epsilon)
    agree = np.where(honest, 1, -1) * signs[attacked] @ signs.T
    best = agree == agree.max(axis=1, keepdims=True)
    found = np.mean(best[np.arange(attacked.size), attacked] / best.sum(axis=1))
    others = agree.astype(float)
    others[np.arange(attacked.size), attacked] = -np.inf  # her own vote is not known
    weights = np.exp(epsilon / 2 * (others - others.max(axis=1, keepdims=True)))
    return found, np.mean((weights @ (vote - 0.5) > 0) == (vote[attacked] == 1))


others = ["age", "educ", "TVnews"]
for name, names in (("three", ["selfLR", "PID", "TVnews"]), ("three others", others), ("all", everything)):
    signs = signs_of(names)
    kinds = len(np.unique(signs, axis=0))
    print(f"{name}: {signs.shape[1]} questions, {kinds} questionnaires of {vote.size} voters")
    for epsilon in (0.5, math.log(9), 30.0):
        runs = [attack(signs, epsilon, np.random.default_rng(seed)) for seed in range(5)]
        found, guessed = np.mean(runs, axis=0)
        print(f"    epsilon {epsilon:5.2f}: found {found:.1%}, votes guessed {guessed:.1%}")
print(f"guess without data: {1 - vote[attacked].mean():.1%}")

# %% [markdown]
# *Answer.* (The numbers are means of five seeds; the figure shows one. At the largest $\varepsilon$ every report is
# the truth.) With three attributes few are found again. Many voters share a questionnaire, so even exact answers give
# only some of them away, and the noise hides half of those. The vote is guessed as well as before, or better: party
# and left-right *are* the vote, nearly. So these three questions hide most people, and do not prevent guessing. With
# age, education and TV news instead, nearly half are found, and votes are guessed no better than without data. Which
# is worse is for you to say. The first is a leak about a person, who could be recognised by it elsewhere. The second
# is the purpose of the survey, and would be as true of somebody who never took part (page 06).
#
# ## 6. Challenge: no $\delta$, no gain
#
# *Hint.* Look at the ends of the table of counts. When all reports are the same, what is there to shuffle?

# %%
laws = [report_count_probabilities(ones, 100, 1.0) for ones in (32, 33)]
losses = np.log(laws[1]) - np.log(laws[0])
largest = np.abs(losses).max()
worst = np.flatnonzero(np.abs(losses) > largest - 1e-9)
print(f"largest loss {largest:.6f}, at the counts {worst.tolist()}")
for count in (0, 100):
    chances = laws[0][count], laws[1][count]
    print(f"    {count} yes: chance", "{:.1e} and {:.1e},".format(*chances), end=" ")
    print(f"loss {losses[count]:+.4f}")
print("loss at 20, 30, ..., 60 yes:", losses[20:61:10].round(3))
for delta in (0, 1e-30, 1e-15, 1e-6, 1e-3):
    print(f"delta {delta:g}: epsilon {exact_loss(*np.log(laws), delta=delta).loss:.3f}")

# %% [markdown]
# *Answer.* Only the two ends, nobody says yes and everybody does, have the loss of one bare report. They are far
# rarer than anything that will ever happen, but a pure guarantee has to hold there too. In general, let $y$ be the
# report with the largest privacy loss of the local mechanism between $x$ and $x'$. It may happen that *all* reports
# are $y$. Then there is only one order, and the mixer has nothing to hide. The ratio of the two probabilities is that
# of the one person who changed, all others being equal: $e^{\varepsilon}$. So no local mechanism gains by a shuffle
# at $\delta = 0$. The gain is that such crowds are rare, and $\delta$ expresses this.
