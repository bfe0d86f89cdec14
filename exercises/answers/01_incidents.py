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
# # Answers to 01 Incidents
#
# A hint and a computed answer for each task "On your own" of the page. Try first; there is more than one good answer.

# %%
from itertools import product

import numpy as np
import pandas as pd
from scipy.optimize import least_squares
from scipy.spatial import cKDTree

from dpbook import data
from dpbook.incidents import (
    banded,
    centred_statistic,
    class_diversity,
    class_sizes,
    whitened_statistic,
)

voters = data.election()
everyone = np.column_stack([voters[name].values for name in ("age", "educ", "income")])
vote = voters["vote"].values

# %% [markdown]
# ## 1. Ten in a class, 900 voters left
#
# *Hint.* There are few settings: let the computer try them all. If *smallest class kept* is 10 or more, $k \ge 10$
# for all bands. How many voters does that leave?

# %%
rows = []
for age_band, income_band, smallest, place in product(
    [1, 2, 5, 10, 20, 50], [1, 2, 4, 8, 24], [1, 2, 3, 5, 10, 20], [False, True]
):
    parts = [banded(everyone[:, 0], age_band, 18), everyone[:, 1]]
    parts += [banded(everyone[:, 2], income_band, 1)] + [voters["popul"].values] * place
    quasi = np.column_stack(parts)
    sizes = class_sizes(quasi)
    keep = sizes >= smallest
    if keep.sum() >= 900 and sizes[keep].min() >= 10:
        classes = np.unique(quasi[keep], axis=0).shape[0]
        rows.append((age_band, income_band, place, smallest, sizes[keep].min(), keep.sum(), classes))
names = ["age band", "income band", "place", "smallest kept", "k", "voters", "classes"]
fine = pd.DataFrame(rows, columns=names).sort_values("classes", ascending=False)
print(fine.to_string(index=False))

# %%
best = fine.iloc[0]
quasi = np.column_stack(
    [
        banded(everyone[:, 0], best["age band"], 18),
        everyone[:, 1],
        banded(everyone[:, 2], best["income band"], 1),
    ]
)
keep = class_sizes(quasi) >= best["smallest kept"]
kinds, which = np.unique(quasi[keep], axis=0, return_inverse=True)
shares = np.bincount(which.ravel(), vote[keep]) / np.bincount(which.ravel())
told = np.sum(class_diversity(quasi[keep], vote[keep]) == 1)
print(f"the finest of them: {len(kinds)} classes, {told} votes told")
print(f"share for Dole in its classes: from {shares.min():.0%} to {shares.max():.0%}")
levels = np.unique(everyone[:, 1])
by_education = [vote[everyone[:, 1] == level].mean() for level in levels]
print("share for Dole by education, exact:", *(f"{share:.0%}" for share in by_education))

# %% [markdown]
# *Answer.* Only with bands so wide that hardly more than education is left, and never with the place. Such a table
# still shows what large groups do (how the vote changes with education). It says nothing about finer groups. About
# a single voter it gives the fraction in her class, from which a guess may be right far more often than not.
#
# ## 2. Homogeneity once more
#
# *Hint.* Three columns, `class_sizes` to leave out the small classes, `class_diversity` to see who is told.

# %%
survey = data.affairs()
affair = (survey["affairs"].values > 0).astype(int)
known = ("age", "rate_marriage", "religious")
quasi = np.column_stack([survey[name].values for name in known])
for k in (10, 100):
    keep = class_sizes(quasi) >= k
    told = class_diversity(quasi[keep], affair[keep]) == 1
    classes, which = np.unique(quasi[keep], axis=0, return_inverse=True)
    share = np.bincount(which.ravel(), affair[keep]) / np.bincount(which.ravel())
    print(f"k = {k}: {keep.sum():,} women in {len(classes)} classes;", end=" ")
    print(f"{told.sum()} told,", end=" ")
    print(
        f"{affair[keep][told].sum()} with a yes; largest share of yes {share.max():.0%},",
        end=" ",
    )
    print(f"smallest {share.min():.0%}")

# %% [markdown]
# *Answer.* At $k = 10$ the table still tells 56 women's answers with certainty, each of them a no. At $k = 100$ none is
# told, but the fractions in the classes still lie far apart. A class in which most say yes says something about each
# of its women. $k$ counts heads and does not look at the secret; it does not ask about "probably" at all.
#
# ## 3. Noise on the years of visits
#
# *Hint.* For each patient count the released records that differ from her true years by at most 1 in every year. Her
# own is always among them, so if just one fits it is hers. A tree (`cKDTree` with the maximum norm) counts quickly.

# %%
visits, patient = data.health_insurance()["mdvis"].values, data.health_insurance_person()
per_patient = np.bincount(patient)
in_order = visits[np.argsort(patient, kind="stable")]
first = (np.cumsum(per_patient) - per_patient)[per_patient == 5]
five_years = np.array([in_order[start : start + 5] for start in first])


def found_within(reach, seed=1):
    """The share found by five known years, each released with an error up to `reach`."""
    noise = np.random.default_rng(seed).integers(-reach, reach + 1, five_years.shape)
    tree = cKDTree(five_years + noise)
    fits = tree.query_ball_point(five_years, reach + 0.5, p=np.inf, return_length=True)
    return np.mean(fits == 1)


print(f"{len(five_years):,} patients, five years known")
for reach in (0, 1, 2, 3, 5):
    print(f"numbers changed by up to {reach}: {found_within(reach):.1%} found")
noisy = five_years + np.random.default_rng(1).integers(-1, 2, five_years.shape)
print(f"released numbers of -1, which can only come from 0: {np.sum(noisy == -1):,}")

# %% [markdown]
# *Answer.* Fewer than before, and still very many. Those with many visits stand alone, and a change by 1 moves them
# nowhere near anybody else. Bounded noise also leaves certainties. A released -1 gives the true number away, and
# everybody who is more than 1 away in one year is certainly ruled out. For a guarantee without exceptions, noise that
# is added must be unbounded, and about as large as what one patient can contribute. Then the table is hardly of use.
#
# ## 4. A hundred questions instead of all
#
# *Hint.* Run both attacks with 100 questions and with all, over many groups. Then ask how many *different* things the
# questions tell: a look at the eigenvalues of their covariance.

# %%
questions = [(name, limit) for name in voters for limit in np.unique(voters[name].values)[1:]]
questions = [questions[at] for at in np.random.default_rng(3).permutation(len(questions))]
answers = np.array([voters[name].values >= limit for name, limit in questions], dtype=float).T
public, others = np.split(answers[np.random.default_rng(4).permutation(len(answers))], 2)
spread = np.cov(public.T) + 0.02 * np.eye(answers.shape[1])
ATTACKS = ("Homer's", "with correlations")


def found_members(attack, asked, known_members=0, people=10, groups=40):
    """Share of the unknown members found if 5% of the public half are accused."""
    rng, found, reference = np.random.default_rng(6), [], public[:, :asked].mean(axis=0)
    for _ in range(groups):
        group = others[rng.permutation(len(others))[:people], :asked]
        sums = group.sum(axis=0) - group[:known_members].sum(axis=0)
        published = sums / (people - known_members)
        inside, known = (
            centred_statistic(records, published, reference)
            if attack == "Homer's"
            else whitened_statistic(records, published, reference, spread[:asked, :asked])
            for records in (group[known_members:], public[:, :asked])
        )
        found.append(np.mean(inside > np.quantile(known, 0.95)))
    return np.mean(found)


every = answers.shape[1]
for attack in ATTACKS:
    few, all_of_them = (found_members(attack, asked) for asked in (100, every))
    print(f"{attack:<18} 100 questions {few:.0%}, all {every} {all_of_them:.0%}")

# %%
for asked in (100, every):
    values = np.linalg.eigvalsh(np.cov(public[:, :asked].T)).clip(0)
    homer_directions = values.sum() ** 2 / np.sum(values**2)
    all_directions = np.sum(values / (values + 0.02))
    print(
        f"{asked} questions: Homer's sum weighs {homer_directions:.1f} directions, "
        f"the other attack {all_directions:.0f}"
    )

# %% [markdown]
# *Answer.* Homer's sum counts every question once. Most of them repeat each other ("at least 40?", "at least 41?").
# So the few large directions in which voters differ drown all the rest, and a hundred questions contain those as well
# as all do. The other attack divides each direction by its standard deviation. So small ones (*just* 40: yes to one
# question and no to the next) count too, all but the very smallest. These are what the questions left out would have
# added.
#
# ## 5. Members who are known
#
# *Hint.* What is left after the subtraction are the exact averages of a smaller group.

# %%
known_numbers = (0, 2, 5, 7, 8, 9)
table = {}
for attack in ATTACKS:
    table[attack] = [f"{found_members(attack, every, known):.0%}" for known in known_numbers]
index = pd.Index(known_numbers, name="members known of 10")
print(pd.DataFrame(table, index=index).to_string())

# %% [markdown]
# *Answer.* The attack with correlations needs to know nobody, Homer's nearly all. Each known member makes the group
# smaller and the attack on the rest stronger, as if the study had been that small. Knowing half of ten gives the
# attack on a group of five. With all but one known the sums *are* the record of the last. So "how large is the
# group" is no protection by itself. What counts is the part that the attacker does not know, and nobody can say how
# large that is. (Differential privacy grants her all but one from the start.)
#
# ## 6. Challenge: where is the victim?
#
# *Hint.* A rounded distance is the true one plus about half a kilometre. Least squares with the answers less 0.5
# gives a start. Near it, try a fine grid and keep the points from which *every* answer would have come.

# %%
grid = np.arange(-0.15, 0.1501, 0.003)
offsets = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)


def locate(seed, asked):
    """Errors in metres by least squares and by the grid; the share of answers explained."""
    rng = np.random.default_rng([11, seed])
    victim, spots = rng.uniform(0, 10, 2), rng.uniform(0, 10, (asked, 2))
    told = np.ceil(np.linalg.norm(spots - victim, axis=1))

    def misfit(at):
        return np.linalg.norm(spots - at, axis=1) - (told - 0.5)

    fit = least_squares(misfit, [5.0, 5.0]).x
    points = fit + offsets
    reached = np.hypot(points[:, :1] - spots[:, 0], points[:, 1:] - spots[:, 1])
    right = np.sum(np.ceil(reached) == told, axis=1)
    middle = points[right == right.max()].mean(axis=0)
    errors = [1_000 * np.linalg.norm(guess - victim) for guess in (fit, middle)]
    return *errors, right.max() / asked


for asked in (50, 200):
    squares, by_grid, agree = np.median([locate(seed, asked) for seed in range(20)], axis=0)
    print(
        f"{asked} positions, 20 victims: median error {squares:.0f} m by least squares, "
        f"{by_grid:.0f} m by the grid ({agree:.1%} of the answers agree)"
    )

# %% [markdown]
# *Answer.* Very near, for answers in whole kilometres. The grid comes nearer than least squares, and more so with
# more questions. Every answer rules out all but a ring, and what lies in all the rings is small. Errors fall with the
# number of positions, since each cuts at another place. Asked again from the same ones, the app tells nothing new. If
# you may *choose* the positions you do still better. Walk until the answer jumps, and you stand on a circle around
# the victim; three circles are enough. Rounding hides nothing from somebody who may ask often.
