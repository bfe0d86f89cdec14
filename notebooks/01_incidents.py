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
# # 01 Incidents: how published data gave people away
#
# Ten voters answer questions, and only the *averages* of their answers are published. The figure shows how well an
# attacker can tell who the ten were.
#
# <details><summary>About 35 minutes, after 00: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [00 Start here](00_start_here.ipynb) · **Next:** [02 Composition](02_composition.ipynb)
#
# **Assignment 01:** [five tasks, checked in a second](../exercises/releases/01_incidents.ipynb)
#
# **What you will see:** people found again in a table without names. What $k$-anonymity asks of a table, and four
# ways in which a table obeys it and reveals everything. Then an attack that needs no table at all, only averages. At
# the end, what a guarantee must be about.
#
# **What you will do:** link voters with a register. Make a table $k$-anonymous and count what it still reveals. Attack
# the averages of a group, and watch what $\varepsilon$ does to the attack.
#
# **You need:** [00 Start here](00_start_here.ipynb) for the words *record*, *neighbours*, $\varepsilon$ and *noise*.
#
# **Time:** about 35 minutes. A good place to stop is before *No table at all*.
#
# **Real and synthetic:** the voters, the women of Fair's survey and the patients are real people; their names are not
# in the data. The "public register" below is made from the same real records, with invented numbers for names. The
# genomes in the second half are **synthetic** (random bits with the frequencies of no real gene).
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import numpy as np

from dpbook import data
from dpbook.amounts import amount, counted, percent
from dpbook.incidents import whitened_statistic
from dpbook.live import choice, live, new_noise
from dpbook.plots import (
    COLOURS,
    curves,
    figure,
    set_verdict_text,
    verdict_text,
    x_axis,
    y_axis,
)

# %% jupyter={"source_hidden": true}
# Figure: whitened_statistic of every voter, from the averages of a group of voters
voters = data.election()
questions = [(name, limit) for name in voters for limit in np.unique(voters[name].values)[1:]]
questions = [
    questions[place] for place in np.random.default_rng(3).permutation(len(questions))
]
answers = np.array([voters[name].values >= limit for name, limit in questions], dtype=float).T
answers = answers[np.random.default_rng(4).permutation(len(answers))]
public, others = np.split(answers, 2)
usual, spread = public.mean(axis=0), np.cov(public.T) + 0.02 * np.eye(answers.shape[1])


def scatter(scores, row):
    """Places in a band of height 0.8 over `row`, spread so that dots do not hide dots."""
    return scores, row + 0.1 + 0.8 * np.modf(np.arange(scores.size) * 0.618)[0]


fig, suspects = figure(height=2.4)
not_asked, were_asked = curves(suspects, [], {"": "grey .", " ": "other D"}, markersize=6)
suspects.axvline(0, color=COLOURS.true, linewidth=1.5)
x_axis(suspects, "score, standard deviations (above 0: accused)", (-5.5, 6.5))
y_axis(suspects, None, (-0.1, 2.1), {0.5: "not asked", 1.5: "asked"})
suspected = verdict_text(suspects)


def who_was_asked(questions, people, seed):
    order, first = np.random.default_rng(seed).permutation(len(others)), slice(0, questions)
    published = others[order[:people], first].mean(axis=0)
    scores = whitened_statistic(
        answers[:, first], published, usual[first], spread[first, first]
    )
    known, mixed = np.split(scores, 2)
    scores = (mixed - np.quantile(known, 0.95)) / known.std()
    asked, rest = scores[order[:people]], scores[order[people:]]
    were_asked.set_data(*scatter(asked, 1))
    not_asked.set_data(*scatter(rest, 0))
    found = f"{np.sum(asked > 0)} of {people} found"
    set_verdict_text(suspected, None, f"from {counted(questions, 'average')}: {found}")
    return f"{found}; {np.sum(rest > 0)} of {rest.size} others accused wrongly"


live(
    fig,
    who_was_asked,
    "Scores of the voters who were asked, ten at first, and of all others: with few questions "
    "the two clouds overlap, with many nearly all of the ten lie beyond the threshold.",
    task="press *play*: more averages are published, and the ten stand out. Then ask more "
    "*people*.",
    play="questions",
    questions=choice([1, 2, 3, 5, 10, 20, 30, 50, 100, 150, answers.shape[1]], 20),
    people=choice([5, 10, 20, 50, 100, 200], 10),
    seed=new_noise(5, label="Another group"),
)

# %% [markdown]
# **What you saw.** The attacker knows how each voter would answer, but not who was asked. A dot is a voter's score;
# those right of the line are accused. One average says little about any of the ten, but there are many. [Publish 150
# averages of 10 people](#move:people=10&questions=150), and most of the ten are found. With [200
# people](#move:people=200&questions=150) the attack grows weak. *No table at all*, below, explains the score.

# %% [markdown]
# ## Five incidents
#
# - **Hospital visits** of the state employees of Massachusetts, released in the 1990s without names. Zip code, date of
#   birth and sex were left in, and the list of voters has them too. The governor was among those found.
# - **Searches** of 650,000 users of AOL, released in 2006 with numbers for names. But what they searched for gave them
#   away.
# - **Ratings of films** by 500,000 subscribers of Netflix, 2006. If a few films are known that someone has rated, all
#   the others can be found.
# - **Averages** over the patients of genetic studies, without any records, published until 2008. A patient's genome is
#   a little nearer to the averages of *her* group, in thousands of places.
# - **Rounded distances** to other users, shown by apps, 2014. Asked from many fake positions, they locate the user.
#
# (From Li, Lyu, Su and Yang, 2016, section 1.1.1; *the textbook*.) What they have in common:
#
# > **Definition 1.1 (positive assertion of membership; Li et al. 2016, section 1.1.2).** From what was published
# > somebody can say of a person, and be right, that her record is in the data, or which record it is.
#
# The textbook draws four lessons. To be *re-identified* is harm enough, whatever else is learned. So is being found *in
# the data*, even where only averages are published. *Everyone* must be protected, not the average person. And there is
# no fixed list of attributes by which people are found: somebody may know them all.
#
# ## A table without names
#
# The election study of 1996 asked 944 voters. Suppose that half of them take part in another study, whose table is
# released. It has age, education, class of income and the expected vote, but no name. Is it safe?

# %% jupyter={"source_hidden": true}
# What this page imports
import math

import pandas as pd
from matplotlib.collections import PolyCollection
from scipy.optimize import brentq
from scipy.special import ndtri
from scipy.stats import norm

from dpbook.guesses import own_record, predict
from dpbook.incidents import (
    attack_moments,
    attack_rates,
    averages_scale,
    banded,
    candidates,
    centred_statistic,
    class_diversity,
    class_sizes,
    fair_attack_rates,
    homer_statistic,
    k_anonymity,
    link,
    most_true_positives,
    not_private_duplicates,
    private_averages,
)
from dpbook.live import show_source, switch
from dpbook.plots import legend_above, own_point, set_curves, set_own_point
from dpbook.verdict import BROKEN, NOT_REFUTED

# %%
columns = ("age", "educ", "income")
everyone = np.column_stack([voters[name].values for name in columns])
vote = voters["vote"].values
in_study = np.random.default_rng(1).permutation(len(everyone))[: len(everyone) // 2]
released, released_vote = everyone[in_study], vote[in_study]
pd.DataFrame(released[:4], columns=columns).assign(
    vote=np.where(released_vote[:4] == 1, "Dole", "Clinton")
)

# %% [markdown]
# Some of this is known from elsewhere. Registers, social networks and colleagues know how old people are, and roughly
# what they earn. We make such a register ourselves. It has the same attributes of all 944 voters, an invented number
# instead of a name, and no votes.

# %%
names = np.array([f"voter {number:03}" for number in range(len(everyone))])
pd.DataFrame(everyone[:4], columns=columns, index=names[:4])

# %% [markdown]
# You can be one of them: write `own_record(944, 7)` and run the page again. Then *you* are voter 007 below, and on
# [04](04_exponential.ipynb), [06](06_meaning.ipynb) and [07](07_local.ipynb), until you pick another.

# %%
YOU = own_record(944)
MY_VOTE = "Dole" if vote[YOU] else "Clinton"
age, education, income = everyone[YOU]
print(
    f"you are {names[YOU]}: age {age}, education {education}, income {income}, for {MY_VOTE};",
    end=" ",
)
print("your record is released" if YOU in in_study else "you are not in the study")

# %% [markdown]
# Now look up every released record in the register. If exactly one person fits, the record is *linked*.

# %%
show_source(link)

# %% jupyter={"source_hidden": true}
# Computed: how many records are linked, and three of those people
person = link(released, everyone)
linked = person >= 0
print(
    f"{linked.sum()} of {len(released)} released records, {linked.mean():.0%}, fit one "
    "person of the register only"
)
for record in np.flatnonzero(linked)[:3]:
    age, education, income = released[record]
    told = "Dole" if released_vote[record] else "Clinton"
    print(
        f"age {age}, education {education}, income {income:>2}: this is "
        f"{names[person[record]]}, who votes for {told}"
    )
assert np.array_equal(person[linked], in_study[linked])
print(
    "you are found, and so is your vote" if YOU in person else "you are not among those found"
)

# %% [markdown]
# Each of these links is right: the register holds everybody, so a person who alone fits *is* the person. Attributes
# that identify a person although none of them is a name are called *quasi-identifiers*. How many does it take?

# %% jupyter={"source_hidden": true}
# Computed: the fraction of records linked by one to four attributes
table = {}
for chosen in (
    ["age"],
    ["age", "educ"],
    ["age", "educ", "income"],
    ["age", "popul"],
    ["age", "popul", "educ", "income"],
):
    known = np.column_stack([voters[name].values for name in chosen])
    found = candidates(known[in_study], known)
    table[", ".join(chosen)] = [f"{np.mean(found == 1):.1%}", f"{np.median(found):.0f}"]
print(f"popul is 0 for {np.sum(voters['popul'].values == 0)} of the {len(everyone)} voters")
pd.DataFrame(table, index=["linked", "people who fit, median"]).T

# %% [markdown]
# (*popul* is the number of inhabitants of the place, in thousands. Unless it is 0, as for 228 voters, it nearly names
# the place.)
#
# If the register is incomplete, some links are wrong. How many?

# %% jupyter={"source_hidden": true}
# Computed: how many links are right when the register is incomplete
for share in (1.0, 0.75, 0.5, 0.25):
    register = np.random.default_rng(2).permutation(len(everyone))[
        : int(share * len(everyone))
    ]
    person = link(released, everyone[register])
    right = np.mean(register[person[person >= 0]] == in_study[person >= 0])
    print(
        f"register of {share:4.0%} of the voters: {np.sum(person >= 0):>3} records linked, "
        f"{right:.0%} of them rightly"
    )

# %% [markdown]
# ### Which attributes are the quasi-identifiers?
#
# Netflix had released no age and no address, only ratings. But a rating that a friend knows *is* a key. In the RAND
# health insurance experiment we take the patients with five yearly records. The attributes are their numbers of visits
# to the doctor, one for each year. A colleague may remember some of them.

# %% jupyter={"source_hidden": true}
# Computed: the fraction of patients found by one to five yearly numbers
visits, patient = data.health_insurance()["mdvis"].values, data.health_insurance_person()
per_patient = np.bincount(patient)
in_order = visits[np.argsort(patient, kind="stable")]
first_record = np.cumsum(per_patient) - per_patient
five_years = np.array(
    [in_order[start : start + 5] for start in first_record[per_patient == 5]]
)
for years in range(1, 6):
    unique = np.mean(class_sizes(five_years[:, :years]) == 1)
    print(
        f"who knows {years} of the yearly numbers finds {unique:5.1%} of the "
        f"{len(five_years):,} patients again"
    )

# %% [markdown]
# The number of visits is just what the table was to keep secret. No line divides quasi-identifiers from sensitive
# attributes: which is which depends on who is looking (Li et al. 2016, section 1.1.2).
#
# ## The idea of k-anonymity
#
# If uniqueness is the problem, forbid it.
#
# > **Definition 1.2 (k-anonymity; Samarati, 2001; Sweeney, 2002; Li et al. 2016, Definition 3.1).** Write $q(r)$ for
# > the quasi-identifiers of a record $r$. Records with the same form a *class*. A table is $k$-anonymous if no class
# > has fewer than $k$ records; the $k$ of a table is
# > $$k = \min_{r} \; \bigl|\{ r' : q(r') = q(r) \}\bigr| .$$

# %%
show_source(k_anonymity)
show_source(class_sizes)

# %% [markdown]
# There are two tools: *generalise* (write a band of values instead of the value), and *suppress* (leave out small
# classes).

# %%
show_source(banded)
coarse = np.column_stack([banded(everyone[:, 0], 20, 18), everyone[:, 1]])
print(f"age, education and income as they are: k = {k_anonymity(everyone)}")
print(f"age in bands of 20 years, education, no income: k = {k_anonymity(coarse)}")
kept = everyone[class_sizes(everyone) >= 2]
print(
    f"as they are, single records left out: k = {k_anonymity(kept)}, {len(kept)} of "
    f"{len(everyone)} records left"
)

# %% [markdown]
# ## Live: make it k-anonymous
#
# The table has all 944 voters. On the left are the sizes of the classes, with a mark at yours. On the right are the
# voters released. Some are alone in their class (*found again*), or in a class that votes alike (*vote known*).

# %% jupyter={"source_hidden": true}
# Figure: the table in bands; class_sizes, k_anonymity and class_diversity of what is kept
limits = np.array([1, 2, 5, 10, 50])
fig, (size_axes, told_axes) = figure(columns=2, height=3.3)
inks = [COLOURS.other, *[COLOURS.noisy] * 4]
size_bars = size_axes.bar(range(5), np.ones(5), color=inks, edgecolor="black")
x_axis(
    size_axes, "size of the class", ticks=dict(enumerate(["1", "2-4", "5-9", "10-49", "50+"]))
)
y_axis(size_axes, "voters", (0, 1_050))
told_axes.barh(range(3), 3 * [944], color=COLOURS.pale)  # all there are: seen where a bar is 0
inks = [COLOURS.noisy, COLOURS.other, COLOURS.other]
told_bars = told_axes.barh(range(3), np.ones(3), color=inks, edgecolor="black")
told_bars[2].set_hatch("//")
x_axis(told_axes, "voters", (0, 1_550), [0, 250, 500, 944])
y_axis(told_axes, None, (2.6, -0.6), {0: "released", 1: "found again", 2: "vote known"})
told_numbers = [told_axes.text(960, row, "", va="center", size=12) for row in range(3)]
look = {"color": COLOURS.amber, "markeredgecolor": "black", "markersize": 11}
(my_class,) = size_axes.plot([0], [0], "v", **look)
my_fate = verdict_text(size_axes)


def fate(size, kept, alike):
    """What becomes of you in a class of `size` with these votes."""
    if not kept:
        return "not released"
    if size == 1:
        return "found again"
    same = np.ptp(alike) == 0
    return f"one of {size}, {'vote known' if same else f'{np.mean(alike):.0%} for Dole'}"


def anonymise(age_band, income_band, smallest, place):
    age, education, income = everyone.T
    parts = [banded(age, age_band, 18), education, banded(income, income_band, 1)]
    quasi = np.column_stack([*parts, voters["popul"].values] if place else parts)
    sizes = class_sizes(quasi)
    keep = sizes >= smallest
    kept, found = keep.sum(), np.sum(sizes[keep] == 1)
    told = np.sum(class_diversity(quasi[keep], vote[keep]) == 1) if kept else 0
    counts = np.bincount(np.searchsorted(limits, sizes, side="right") - 1, minlength=5)
    for bar, count in zip(size_bars, counts, strict=True):
        bar.set_height(count)
    for bar, number, count in zip(told_bars, told_numbers, (kept, found, told), strict=True):
        bar.set_width(count)
        number.set_text(f"{count:,.0f} of 944")
    mine = np.searchsorted(limits, sizes[YOU], side="right") - 1
    my_class.set_data([mine], [counts[mine] + 40])
    alike = vote[np.all(quasi == quasi[YOU], axis=1)]
    set_verdict_text(my_fate, None, f"you: {fate(sizes[YOU], keep[YOU], alike)}")
    if not kept:
        return "no class is so large: 0 of 944 voters are released"
    classes = counted(np.unique(quasi[keep], axis=0).shape[0], "class", "classes")
    return (
        f"k = {k_anonymity(quasi[keep])}: {kept} of 944 voters in {classes}, {found} found "
        f"again, {told} votes told"
    )


anonymity_figure = live(
    fig,
    anonymise,
    "Left: numbers of voters in classes of size one, two to four, five to nine, up to fifty "
    "and more, a mark at yours, and above it what becomes of you. Right: how many voters are "
    "released, how many are unique, and how many have a vote that their class gives away.",
    task="start from the raw table and get to $k = 5$ with as many records as you can. Then "
    "look at the last bar. Then tick *place known*.",
    guess=[
        predict(
            "With bands of 10 years and 8 incomes, how many are in classes of 5 or more?",
            (0, 944, " voters"),
            r": (\d+) of 944",
            **(bands := {"age_band": 10, "income_band": 8, "smallest": 5}),
        ),
        predict(
            "If the place is known too, how many of 944 are still in classes of 5 or more?",
            (0, 944, " voters"),
            r": (\d+) of 944",
            **bands,
            place=True,
        ),
    ],
    age_band=choice([1, 2, 5, 10, 20, 50], 1, label="age band, years"),
    income_band=choice([1, 2, 4, 8, 24], 1, label="income band, classes"),
    smallest=choice([1, 2, 3, 5, 10, 20], 1, label="smallest class kept"),
    place=switch(False, label="place known"),
)
anonymity_figure

# %% jupyter={"source_hidden": true}
# Computed: k, the voters released, found again and known, in four tables
for setting in ((1, 1, 1), (10, 4, 1), (10, 4, 5), (50, 24, 1)):
    for name, value in zip(("age_band", "income_band", "smallest"), setting, strict=True):
        anonymity_figure.controls[name].value = value
    print("age {}, income {}, keep {}:".format(*setting))
    print("   ", anonymity_figure.caption)
for name in ("age_band", "income_band", "smallest"):
    anonymity_figure.controls[name].value = 1

# %% [markdown]
# The price is coarse bands or many records left out, and each attribute raises it. But suppose that it is paid. What
# has been bought?
#
# ## Four ways to be k-anonymous and reveal everything
#
# ### 1. Homogeneity
#
# Hiding among $k$ people does not help if all of them have the same secret. Fair's survey of 6,366 married women has
# large classes. Release age, years of marriage, religiousness and whether there was an affair; leave out the classes
# of fewer than 5.

# %%
survey = data.affairs()
affair = (survey["affairs"].values > 0).astype(int)
quasi = np.column_stack([survey[name].values for name in ("age", "yrs_married", "religious")])
keep = class_sizes(quasi) >= 5
quasi, answer = quasi[keep], affair[keep]
told = class_diversity(quasi, answer) == 1
print(f"{keep.sum():,} of {keep.size:,} women released, k = {k_anonymity(quasi)}")
print(
    f"{told.sum()} of them in classes that all gave the same answer; {answer[told].sum()} of "
    "these answers are yes"
)
age, married, religious = quasi[told & (answer == 1)][0]
print(
    f"all of the class (age {age:g}, {married:g} years married, religiousness {religious:g}) "
    "report an affair"
)

# %% [markdown]
# Anyone who knows one of those women knows her answer.
#
# > **Definition 1.3 (distinct $\ell$-diversity; after Machanavajjhala and others, 2006).** Each class holds at least
# > $\ell$ different values of what is to be kept secret.

# %%
show_source(class_diversity)

# %% [markdown]
# This definition forbids that, and the copies of way 2 below. (It does not stop ways 3 and 4, nor does
# *t-closeness*, Li, Li and Venkatasubramanian, 2007.) In a class with both answers, one may still be nearly certain.
# (Stronger forms of $\ell$-diversity limit this.)

# %% jupyter={"source_hidden": true}
# Computed: how many women are in classes in which few or most report an affair
classes, place = np.unique(quasi, axis=0, return_inverse=True)
shares = np.bincount(place.ravel(), answer) / np.bincount(place.ravel())
size = np.bincount(place.ravel())
bands = {
    "nobody": (-1, 0),
    "up to 10%": (0, 0.1),
    "10 to 50%": (0.1, 0.5),
    "50 to 80%": (0.5, 0.8),
}
for name, (above, up_to) in (bands | {"more than 80%": (0.8, 1)}).items():
    women = size[(shares > above) & (shares <= up_to)].sum()
    print(f"an affair is reported by {name:<14} of the class: {women:>5,} women")

# %% [markdown]
# ### 2. Every record k times
#
# The definition counts records. So copy each record $k$ times (Li et al. 2016, section 3.1). The result is
# $k$-anonymous for any $k$ you like, and it is the raw table.

# %%
show_source(not_private_duplicates)

# %% jupyter={"source_hidden": true}
# Computed: k, and the voters that are still linked, with 1, 5 and 100 copies
for k in (1, 5, 100):
    copies = not_private_duplicates(released, k)
    votes = not_private_duplicates(released_vote, k)
    found = link(copies, everyone)
    sure = np.sum((found >= 0) & (class_diversity(copies, votes) == 1)) / k
    print(
        f"k = {k_anonymity(copies):>3}: {len(copies):>6,} records; {sure:.0f} voters are "
        "linked, and their votes told"
    )

# %% [markdown]
# Nobody would do that? Then people are protected by how the table was made, and the definition ignores that.
#
# ### 3. Two tables (the *composition attack*: Ganta, Kasiviswanathan and Smith, 2008)
#
# Two agencies each release a 3-anonymous table of the same voters, one with fine ages, one with fine incomes. Both
# give a voter's opinion: party and place on the left-right scale. Each table alone reveals nobody's.

# %%
opinion = 7 * voters["PID"].values + voters["selfLR"].values  # one number for each pair
views = {
    "A: age in bands of 5, education": np.column_stack(
        [banded(everyone[:, 0], 5, 18), everyone[:, 1]]
    ),
    "B: age in bands of 10, income in bands of 3": np.column_stack(
        [banded(everyone[:, 0], 10, 18), banded(everyone[:, 2], 3, 1)]
    ),
}
kept = {name: class_sizes(view) >= 3 for name, view in views.items()}
in_both = np.flatnonzero(np.all(list(kept.values()), axis=0))


def opinions(voter, name):
    """The opinions that table `name` leaves possible for a voter whose attributes are
    known.
    """
    return set(opinion[kept[name] & np.all(views[name] == views[name][voter], axis=1)])


# %% jupyter={"source_hidden": true}
# Computed: the voters revealed by each table alone, and by both together
for name, view in views.items():
    alone = sum(len(opinions(voter, name)) == 1 for voter in in_both)
    print(
        f"{name}: k = {k_anonymity(view[kept[name]])}, {alone} of {in_both.size} voters told"
    )
both = sum(
    len(set.intersection(*(opinions(voter, name) for name in views))) == 1 for voter in in_both
)
print(f"both together: {both} voters told")

# %% [markdown]
# The definition does not say what two releases cost together. (Differential privacy has a rule for that:
# [02](02_composition.ipynb).)
#
# ### 4. The table does not show how it was made (the *minimality attack*: Wong, Fu, Wang and Pei, 2007)
#
# An agency chooses bands of age of 20 years or of 25; both tables are 2-anonymous. The agency takes 20 if the first
# voter votes for Dole, and 25 if not. It may do so without knowing: an algorithm that searches for the "best" bands
# looks at the records.

# %% jupyter={"source_hidden": true}
# Computed: k of both tables, and the vote that the choice between them reveals
tables = {
    width: np.column_stack([banded(everyone[:, 0], width, 18), everyone[:, 1]])
    for width in (20, 25)
}
for width, coarse in tables.items():
    print(f"bands of {width} years: k = {k_anonymity(coarse)}")
published_width = 20 if vote[0] else 25
guess = "Dole" if published_width == 20 else "Clinton"
print(f"published: bands of {published_width} years. So voter 000 votes for {guess}.")
assert (guess == "Dole") == bool(vote[0])

# %% [markdown]
# Both tables are harmless. The *choice* reveals the vote. So no property of the output can be enough: a guarantee must
# be about the procedure. The guarantee must cover all outputs that the procedure might have had, on this dataset and on
# others. That is the step from $k$-anonymity to differential privacy (Li et al. 2016, section 3.1).
#
# <details><summary>There is a bridge between the two: sampling first.</summary>
#
# Draw the records at random first, cut the classes by a rule that does not look at the data, and leave out small
# classes. The result is differentially private with a slack, a small $\delta$ that is added to the bound on each
# probability (Li, Qardaji and Su, 2012). Page [02](02_composition.ipynb) has both, sampling and slack.
#
# </details>
#
# > **A good place to stop.** What follows is about averages.
#
# ## No table at all: the attack on averages
#
# Then publish no records. Genetic studies published, for thousands of places of the genome, the fraction of patients
# with the rarer variant. In 2008 Homer and others showed that such averages reveal who was in the study: a *membership
# inference attack*. The attacker knows
#
# - the record $y$ of a person (numbers from 0 to 1, one for each attribute; for a genome, 1 where it has the variant),
# - the averages $p$ of the whole population, and the published averages $m$ of the group,
#
# and asks: is $y$ nearer to $m$ than to $p$?
#
# $$T(y) = \sum_j \bigl( |y_j - p_j| - |y_j - m_j| \bigr) .$$
#
# Each of the $n$ members has a part of $1/n$ in every average, and so pulls it a little towards her own record. Each
# pull is tiny, but there are many of them. Below, a group of three has five attributes.

# %%
show_source(homer_statistic)

# %%
population = np.array([0.5, 0.2, 0.5, 0.7, 0.3])
group = np.array([[1, 0, 1, 1, 0], [0, 0, 1, 1, 0], [1, 1, 0, 1, 0]])
published = group.mean(axis=0)
print("published averages:", published.round(2))
print("members:           ", homer_statistic(group, published, population).round(2))
print("an outsider:       ", homer_statistic([0, 1, 0, 0, 1], published, population).round(2))

# %% [markdown]
# ## Live: who of the voters was asked?
#
# The figure at the top had real voters, without genes. Half of them are the public population. A group is drawn from
# the other half, and its averages are published: the fractions of yes to questions such as "aged at least 40?". The
# attacker scores a voter by her answers. She is *accused* if her score is higher than that of 95 in 100 of the public
# half.
#
# There are two attacks: Homer's, and one that knows how answers are correlated (everybody over 40 is over 30). The
# right picture shows the fraction of members found against the fraction of outsiders accused, for every threshold (a
# *ROC curve*).

# %%
print(
    f"{answers.shape[1]} questions; {len(public)} voters are public, {len(others)} may be in "
    "the group"
)

# %%
homer_attack = centred_statistic  # Homer's statistic, less its mean over the population


def correlated_attack(records, published, reference):
    return whitened_statistic(
        records, published, reference, spread[: reference.size, : reference.size]
    )


def attack_group(attack, people, questions, rng):
    """Scores of the members, of the outsiders and of the public half, for one random group."""
    order = rng.permutation(len(others))
    released = others[order[:people], :questions].mean(axis=0)
    known, mixed = np.split(attack(answers[:, :questions], released, usual[:questions]), 2)
    return mixed[order[:people]], mixed[order[people:]], known


def accused_and_found(runs):
    """The fractions of outsiders accused and of members found, at thresholds that accuse 0,
    1, ..., 100% of the public half: means over the runs.
    """
    rates = []
    for members, outsiders, known in runs:
        lines = np.quantile(known, 1 - np.linspace(0, 1, 101))
        rates.append([np.mean(one[:, None] > lines, axis=0) for one in (outsiders, members)])
    return np.mean(rates, axis=0)


# %% jupyter={"source_hidden": true}
# Figure: attack_group(...) on eight groups of voters: scores, and rates at every threshold
attacks = {"Homer's": homer_attack, "with correlations": correlated_attack}
fig, (score_axes, rate_axes) = figure(columns=2, height=3.4)
(outsider_dots,) = curves(score_axes, [], {"": "grey ."}, markersize=4)
(member_dots,) = curves(score_axes, [], {"": "other D"}, markersize=5)
score_axes.axvline(0, color=COLOURS.true, linewidth=1.5)
x_axis(score_axes, "score above the threshold, deviations", (-5.5, 6.5))
y_axis(score_axes, None, (-0.1, 2.1), {0.5: "out", 1.5: "in"})
grid = np.linspace(0, 1, 101)
(rate_line,) = curves(rate_axes, grid, {"found": "other"})
shade = {"facecolor": COLOURS.other, "alpha": 0.2, "label": "± 2 SE"}
rate_band = rate_axes.add_collection(PolyCollection([[(0, 0), (1, 1), (1, 0)]], **shade))
curves(rate_axes, grid, {"blind guess": "grey :"}, [grid])
found_now = verdict_text(score_axes)
x_axis(rate_axes, "fraction of outsiders accused", (0, 1))
y_axis(rate_axes, "fraction of members found", (0, 1.02))
legend_above(fig, 3)


def accuse(attack, people, questions):
    rng = np.random.default_rng(5)
    runs = [attack_group(attacks[attack], people, questions, rng) for _ in range(8)]
    inside, outside, known = runs[0]
    zero, unit = np.quantile(known, 0.95), known.std()
    outsider_dots.set_data(*scatter((outside - zero) / unit, 0))
    member_dots.set_data(*scatter((inside - zero) / unit, 1))
    accused, found = accused_and_found(runs)
    rate_line.set_data(accused, found)
    reach = 2 * np.sqrt(np.maximum(found * (1 - found), 0) / (8 * people))
    edge = np.concatenate([found + reach, (found - reach)[::-1]])
    rate_band.set_verts([np.column_stack([np.append(accused, accused[::-1]), edge])])
    set_verdict_text(found_now, None, f"{found[5]:.0%} of members found, a mean of 8 groups")
    return (
        f"a threshold that accuses 5% of the public half accuses {accused[5]:.1%} of "
        f"outsiders; {found[5]:.1%} of members found"
    )


question = "5% of the public half are accused: what percentage of a group of 50 is found?"
live(
    fig,
    accuse,
    "Left: scores of members and of outsiders of a group of voters; with correlations nearly "
    "all of ten members lie above the threshold, of 200 a third. Right: fraction of members "
    "found against fraction of outsiders accused: the smaller the group, the higher.",
    task="switch to *Homer's* and back for 10 people, then enlarge the group. (The rates are "
    "means over 8 groups; the shade is twice their standard error.)",
    guess=predict(question, (0, 100, "%"), r"([\d.]+)% of members", people=50),
    attack=choice(list(attacks), "with correlations"),
    people=choice([5, 10, 20, 50, 100, 200], 10),
    questions=choice([10, 30, 100, answers.shape[1]], answers.shape[1]),
)

# %% [markdown]
# How much do the correlations help? With 5% of the public half accused, over 40 groups of each size:

# %% jupyter={"source_hidden": true}
# Computed: the fraction of members found, for both attacks and five sizes of the group
table = {}
for people in (5, 10, 20, 50, 100):
    for attack, statistic in attacks.items():
        rng = np.random.default_rng(6)
        runs = [attack_group(statistic, people, answers.shape[1], rng) for _ in range(40)]
        found = np.mean(
            [np.mean(inside > np.quantile(known, 0.95)) for inside, _, known in runs]
        )
        table.setdefault(f"members found, {attack}", []).append(f"{found:.0%}")
pd.DataFrame(table, index=pd.Index([5, 10, 20, 50, 100], name="people in the group"))

# %% [markdown]
# No record is published, only exact averages. Yet the second attack finds nearly all members of a group of ten.
#
# ## How strong is it? The distribution of the statistic
#
# For yes-or-no records and averages between 0 and 1 we can write $T$ without absolute values, and subtract its mean
# over the population. What is left is
#
# $$T_0(y) = 2 \sum_j (y_j - p_j)(m_j - p_j) .$$
#
# The distribution of $T_0$ is nearly normal for independent attributes. If all $d$ are alike, members are on average
# $\sqrt{d / n}$ standard deviations above the rest: what counts is the number of attributes per person.
#
# <details><summary>Its mean and its standard deviation: a sum of many small independent terms.</summary>
#
# $T(y) = \sum_j (2 y_j - 1)(m_j - p_j)$. Given what was published, its mean over the population is $\sum_j (2 p_j -
# 1)(m_j - p_j)$, which the attacker can compute and subtract. Suppose the attributes are independent, with
# frequencies $p_j$ in the population. Put $s_j = p_j (1 - p_j)$, and let each average have Laplace noise of scale $b$
# (as below; 0 where there is none):
#
# $$\text{outsiders: mean } 0,\; \sigma_0^2 = 4 \sum_j \Bigl(\frac{s_j^2}{n} + 2 b^2 s_j\Bigr);$$
# $$\text{members: mean } \frac{2}{n} \sum_j s_j,\;
# \sigma_1^2 = \sigma_0^2 + \frac{4}{n^2} \sum_j s_j (1 - 5 s_j) .$$
#
# </details>

# %%
show_source(centred_statistic)
show_source(attack_moments)

# %% [markdown]
# For $p_j = 1/2$ the exact distribution is a rescaled binomial, and Homer's $T$ is the same as $T_0$. So we can compare
# the normal curve, the exact distribution and a simulation:

# %% jupyter={"source_hidden": true}
# Computed: the rates of the attack by the normal curve, exactly, and simulated
n, d = 50, 400
moments, half = attack_moments(np.full(d, 0.5), n, 0), np.full(d, 0.5)
rng, scores = np.random.default_rng(7), []
for _ in range(1_500):
    group, outsider = rng.integers(0, 2, (n, d)), rng.integers(0, 2, d)
    scores.append(homer_statistic(np.stack([outsider, group[0]]), group.mean(axis=0), half))
away = moments.mean_inside / moments.deviation_outside
print(f"members are {away:.3f} deviations away, sqrt(d / n) = {math.sqrt(d / n):.3f}")
for threshold in (1.0, 2.0, 4.0):
    rates = [
        attack_rates(threshold, moments),
        fair_attack_rates(threshold, d, n),
        np.mean(np.array(scores) > threshold, 0),
    ]
    words = [
        f"{name} {accused:6.2%} {found:5.1%}"
        for name, (accused, found) in zip(("normal", "exact", "simulated"), rates, strict=True)
    ]
    print(f"threshold {threshold:g}, accused and found:", "; ".join(words))
    assert np.allclose(rates[0], rates[1], atol=0.004)

# %% [markdown]
# ## What epsilon does
#
# Differential privacy ([00](00_start_here.ipynb)) is a guarantee about the procedure. Here it says: *replace* any one
# person of the group by another, and nothing that is published becomes more than $e^\varepsilon$ times as likely. (The
# number of people is public. Such a release is $\varepsilon$-DP under replace.)
#
# Noise gives this guarantee. One person in a group of $n$ moves each average by at most $1/n$, and $d$ averages by $d /
# n$ together (their *sensitivity*). So each average gets *Laplace noise* ([03](03_laplace.ipynb)), a random number
# whose mean size, the *scale*, is $d / (n \varepsilon)$.

# %%
show_source(private_averages)

# %% [markdown]
# What can an attack on such averages still find?
#
# > **Theorem 1.4 (no test beats the region; Wasserman and Zhou, 2010).** Let the release be $\varepsilon$-DP under
# > replace. An attack accuses a person with probability $\beta$ if she is a member, and with probability $\alpha$ if
# > another has her place. Then
# > $$\beta \le \min\bigl(e^{\varepsilon}\alpha,\; 1 - e^{-\varepsilon} (1 - \alpha)\bigr) .$$
#
# <details><summary>Proof: the accusation is an event, and so is its opposite.</summary>
#
# Whatever is computed from the release, the definition holds for both events: $\beta \le e^{\varepsilon} \alpha$ and
# $1 - \alpha \le e^{\varepsilon} (1 - \beta)$. $\square$ The right side is the upper edge of the privacy region of
# [02](02_composition.ipynb); [25](25_accounting.ipynb) draws it for any account.
#
# </details>
#
# This bound holds for *every* attack, even those that nobody has thought of yet:

# %%
show_source(most_true_positives)

# %% jupyter={"source_hidden": true}
# Computed: the most that any attack may find at one false accusation in 100
for epsilon in (0.1, 1.0, 3.0, 10.0):
    found = most_true_positives(0.01, epsilon)
    print(
        f"epsilon {epsilon:>4}: one false accusation in 100, at most {percent(found)}% of "
        "members found"
    )

# %% [markdown]
# ## Live: a genetic study
#
# These genomes are **synthetic**: each attribute is a variant that 5 to 50% of the population have, independent of the
# others. On the left are the scores, on the right is the theory for every threshold. The diamond is this group's result
# at the false accusations that you allow.

# %%
rng = np.random.default_rng(8)
frequencies = rng.uniform(0.05, 0.5, 3_000)
genomes = rng.random((1_150, 3_000)) < frequencies
study, strangers = genomes[:1_000], genomes[1_000:]


def threshold_for(false_alarms, moments):
    """The threshold at which this fraction of outsiders is accused, by the normal curve."""
    return -ndtri(false_alarms) * moments.deviation_outside


def genetic_study(people, attributes, epsilon):
    """Scores of outsiders and of members, the moments of the statistic, the scale of the
    noise.
    """
    group = np.roll(study, -37, axis=0)[:people, :attributes].astype(float)
    noise, published = 0.0, group.mean(axis=0)
    if np.isfinite(epsilon):
        noise = averages_scale(attributes, people, epsilon)
        published = private_averages(group, epsilon, np.random.default_rng(1))
    known = frequencies[:attributes]
    scores = [
        centred_statistic(crowd, published, known)
        for crowd in (strangers[:, :attributes], group[:150])
    ]
    return scores, attack_moments(known, people, noise), noise


# %% jupyter={"source_hidden": true}
# Figure: genetic_study(people, attributes, epsilon): scores, and attack_rates by theory
thresholds_drawn, accused_grid = np.linspace(-4, 8, 121), np.geomspace(1e-4, 1, 81)
fig, (gene_axes, law_axes) = figure(columns=2, height=3.4)
crowd_dots = curves(gene_axes, [], {"": "grey .", " ": "other ."}, markersize=5)
(cut,) = gene_axes.plot([0, 0], [-0.1, 2.1], color=COLOURS.true, linewidth=1.5)
gene_axes.set_xscale("symlog", linthresh=5)
x_axis(gene_axes, "score, deviations (log above 5)", (-5, 30), [-4, -2, 0, 2, 4, 10, 20])
y_axis(gene_axes, None, (-0.1, 2.1), {0.5: "out", 1.5: "in"})
genes_found = verdict_text(gene_axes)
looks = {"theory": "other", "most that ε allows": "third --", "blind guess": "grey :"}
law_line, allowed_line, _ = curves(law_axes, accused_grid, looks, [0, 0, accused_grid])
result = own_point(law_axes, "this group", "D", COLOURS.true, markersize=7, zorder=5)
x_axis(law_axes, "fraction of outsiders accused", (1e-4, 1), [1e-4, 0.01, 1], log=True)
y_axis(law_axes, "fraction of members found", (-0.02, 1.04))
legend_above(fig, 4, columnspacing=1.2)


def genetic(people, attributes, epsilon, false_alarms):
    both, moments, noise = genetic_study(people, attributes, epsilon)
    unit, cut_at = moments.deviation_outside, threshold_for(false_alarms, moments)
    for row, dots in enumerate(crowd_dots):
        dots.set_data(*scatter(both[row] / unit, row))
    cut.set_xdata([cut_at / unit] * 2)
    law_line.set_data(*attack_rates(thresholds_drawn * unit, moments))
    most = 1 if np.isinf(epsilon) else most_true_positives(accused_grid, epsilon)
    set_curves([allowed_line], [most])
    accused, found = (np.mean(score > cut_at) for score in both)
    set_own_point(result, accused, found)
    set_verdict_text(genes_found, None, f"{found:.0%} found, {accused:.0%} accused")
    return (
        f"accused {accused:.1%} of 150 outsiders; found {found:.1%} of {len(both[1])} members"
        f", by theory {attack_rates(cut_at, moments)[1]:.1%}; noise scale {amount(noise)}"
    )


question = "1,000 people, 1,000 attributes, 1% accused wrongly: what percentage is found?"
live(
    fig,
    genetic,
    "Left: scores of members and outsiders of a synthetic study; members lie higher, hardly "
    "with much noise. Right: fraction of members found against fraction of outsiders accused.",
    task="take 100 people, 3,000 attributes, one false accusation in a thousand. Then go to "
    r"1,000 people and back. At which $\varepsilon$ does the attack break down?",
    guess=predict(question, (0, 100, "%"), r"by theory ([\d.]+)%", people=1_000),
    people=choice([10, 30, 100, 300, 1_000], 100),
    attributes=choice([10, 100, 300, 1_000, 3_000], 1_000),
    epsilon=choice([1, 10, 100, 1_000, 10_000, np.inf], np.inf, label="epsilon (∞: exact)"),
    false_alarms=choice([0.001, 0.01, 0.05, 0.2], 0.01, label="fraction of outsiders accused"),
)

# %% [markdown]
# The textbook says that the attack works "even if the group includes hundreds of individuals". How many attributes does
# it need to find nine members in ten, at one false accusation in a thousand?


# %%
def attributes_needed(people, found=0.9, false_alarms=0.001):
    """The smallest number of attributes (frequencies evenly from 5 to 50%), by doubling and
    halving.
    """

    def enough(d):
        moments = attack_moments(np.linspace(0.05, 0.5, d), people, 0)
        return attack_rates(threshold_for(false_alarms, moments), moments)[1] >= found

    high = 2
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


# %% jupyter={"source_hidden": true}
# Computed: the attributes that the attack needs, for 10 to 1,000 people
for people in (10, 100, 500, 1_000):
    needed = attributes_needed(people)
    print(f"{people:>5,} people: {needed:>6,} attributes, {needed / people:.0f} a person")

# %% [markdown]
# Chips of that time read several hundred thousand places of a genome.

# %% [markdown]
# ## Live: the attack against epsilon
#
# What fraction of the members does the attack find, with noise that gives $\varepsilon$ to *all* averages together? And
# with noise that gives $\varepsilon$ to *each* average, as if it were published alone?


# %%
def power(people, attributes, scale, false_alarms):
    """The fraction of members that the attack finds, by the normal curve."""
    moments = attack_moments(np.linspace(0.05, 0.5, attributes), people, scale)
    return attack_rates(threshold_for(false_alarms, moments), moments)[1]


# %% jupyter={"source_hidden": true}
# Figure: power(...), with the noise of all averages together and of each alone
epsilons = np.geomspace(1e-3, 1e4, 106)
fig, power_axes = figure(height=3.6)
looks = {"ε for all averages": "noisy", "ε for each average": "other -."}
power_lines = curves(power_axes, epsilons[::3], looks)
looks = {"most ε allows": "third --", "blind guess": "grey :"}
limit_lines = curves(power_axes, epsilons, looks)
ticks = [0.001, 0.01, 0.1, 1, 10, 100, 1_000, 10_000]
x_axis(power_axes, "epsilon (log scale)", (1e-3, 1e4), ticks, log=True)
y_axis(power_axes, "fraction of members found", (-0.02, 1.04))
power_verdict = verdict_text(power_axes)
legend_above(fig, 4)


def against_epsilon(people, attributes, false_alarms):
    together, each = (
        [
            power(people, attributes, averages_scale(d, people, e), false_alarms)
            for e in epsilons[::3]
        ]
        for d in (attributes, 1)
    )
    set_curves(power_lines, [together, each])
    most = [most_true_positives(false_alarms, e) for e in epsilons]
    set_curves(limit_lines, [most, false_alarms])
    at_one = np.argmin(np.abs(epsilons[::3] - 1))
    allowed = most_true_positives(false_alarms, 1)
    found = f"{together[at_one]:.1%}", f"{each[at_one]:.1%}"
    verdict = NOT_REFUTED if each[at_one] <= allowed else BROKEN
    told = f"ε = 1 for each average: {found[1]} found, {allowed:.1%} allowed"
    set_verdict_text(power_verdict, verdict, told)
    return (
        f"at ε = 1: found {found[0]} if for all averages, {found[1]} if for each; allowed "
        f"{allowed:.1%}"
    )


live(
    fig,
    against_epsilon,
    "Fraction of members found against epsilon: with one epsilon for all averages it rises "
    "late; with epsilon for each, if there are many, it soon crosses the bound.",
    task=r"find the $\varepsilon$ from which the first line leaves the floor. Then see where "
    "the second line lies above the dashed one: there the guarantee is broken, for $d$ "
    r"averages at $\varepsilon$ each are only $d\varepsilon$-DP.",
    people=choice([10, 30, 100, 300, 1_000], 100),
    attributes=choice([10, 100, 300, 1_000, 3_000], 1_000),
    false_alarms=choice([0.001, 0.01, 0.05, 0.2], 0.01, label="fraction of outsiders accused"),
)

# %% [markdown]
# The second line looks like a bargain: little noise, and "epsilon 1". [With 3,000 averages](#move:attributes=3000) the
# attack works nearly as if there were no noise.
#
# ## Error against epsilon, and against the alternatives
#
# What is left of the averages? The table has the mean absolute error of each published percentage, in points. Beside it
# is the sampling error that a study of this size has anyway (for a true 25%).

# %% jupyter={"source_hidden": true}
# Computed: the error of each average, for groups of several sizes, in points of 100
rows = []
for people, attributes in (
    (100, 10),
    (100, 1_000),
    (1_000, 10),
    (1_000, 1_000),
    (100_000, 1_000),
):
    noise = [100 * averages_scale(attributes, people, epsilon) for epsilon in (0.1, 1, 10)]
    sampling = 100 * math.sqrt(2 / math.pi) * math.sqrt(0.25 * 0.75 / people)
    rows.append(
        (
            f"{people:,} x {attributes:,}",
            *(f"{points:,.2f}" for points in noise),
            f"{sampling:.2f}",
        )
    )
pd.DataFrame(
    rows, columns=["people x averages", "epsilon 0.1", "epsilon 1", "epsilon 10", "sampling"]
).set_index("people x averages")

# %% [markdown]
# A thousand averages of a hundred people cannot be published with this noise: either they are useless or $\varepsilon$
# is in the hundreds. How much of that is the price of stopping *this* attack, and how much that of a guarantee against
# every attack? We compare small Laplace noise with the Laplace and the normal (Gaussian) noise that $\varepsilon = 1$
# needs. (Gaussian noise has a slack: $\delta = 10^{-6}$ is added to the bound; [24](24_gaussian.ipynb) has the formula.)

# %%
people, attributes = 100, 1_000
# how far one person moves all averages, as a length: L2
length = math.sqrt(attributes) / people


def gaussian_slack(deviation):
    """The delta at epsilon 1 of normal noise on all averages."""
    mu = length / deviation
    return norm.cdf(mu / 2 - 1 / mu) - math.e * norm.cdf(-mu / 2 - 1 / mu)


# %% jupyter={"source_hidden": true}
# Computed: the noise that stops this attack, and what a guarantee needs, in points of 100
deviation = brentq(lambda s: gaussian_slack(s) - 1e-6, 0.1, 100)
for noise in (0, 0.05, 0.1, 0.2):
    found = power(people, attributes, noise, 0.01)
    print(
        f"attack, one false accusation in 100: Laplace noise of {100 * noise:>2.0f} points, "
        f"members found {found:.0%}"
    )
print(
    "epsilon 1, Laplace:                "
    f"{100 * averages_scale(attributes, people, 1.0):,.0f} points"
)
print(
    f"epsilon 1, delta 1e-6, Gaussian:   {100 * deviation * math.sqrt(2 / math.pi):,.0f} "
    "points"
)

# %% [markdown]
# So a fiftieth of that noise nearly stops this attack; the rest buys safety from all others. Gaussian noise, with its
# slack, needs a tenth of Laplace's. No noise can avoid the following.
#
# > **Theorem 1.5 (what $\varepsilon \le 1$ costs; Hardt and Talwar, 2010).** Every $\varepsilon$-DP way to release $d$
# > averages of $n$ people has, for some group, a mean error of at least the order of $\min(1, d / (n \varepsilon))$.
# > With a slack $\delta$ well below $1/n$ it is $\min(1, \sqrt d / (n \varepsilon))$, up to logarithms (Bun, Ullman and
# > Vadhan, 2014).
#
# <details><summary>The idea of both proofs.</summary>
#
# The first is a *packing* argument. With exponentially many groups (in $d$) whose averages lie far apart, one output
# would have to be nearly as likely for each of them. The second (*fingerprinting*) turns the attack above against every mechanism that errs
# less.
#
# </details>
#
# ## Where it breaks
#
# ### Rounding is not noise
#
# "We publish whole percents only." We take the same genetic study, 100 people and 3,000 attributes, round the averages,
# and attack at one false accusation in a hundred:

# %% jupyter={"source_hidden": true}
# Computed: the fraction of members found from rounded averages
group = study[:100]
strangers_of_study = np.random.default_rng(9).random((2_000, 3_000)) < frequencies
for places, name in ((4, "exact"), (2, "whole percents"), (1, "tenths"), (0, "none or all")):
    released = np.round(group.mean(axis=0), places)
    level = np.quantile(centred_statistic(strangers_of_study, released, frequencies), 0.99)
    found = np.mean(centred_statistic(group, released, frequencies) > level)
    print(f"{name:<15} members found {found:.0%}")

# %% [markdown]
# ### The innocent are accused
#
# The attack compares with a population. If the group comes from another population than the attacker believes,
# people from there look more like members. Here the group is 20 voters who favour Dole, but the attacker compares
# with all voters.

# %% jupyter={"source_hidden": true}
# Computed: the fractions accused when the group is all for Dole
vote_question = questions.index(("vote", 1))
dole, clinton = (others[others[:, vote_question] == favours] for favours in (1, 0))
reference, rows = public.mean(axis=0), []
for run in range(40):
    order = np.random.default_rng([10, run]).permutation(len(dole))
    released = dole[order[:20]].mean(axis=0)
    level = np.quantile(centred_statistic(public, released, reference), 0.95)
    crowds = dole[order[:20]], dole[order[20:]], clinton
    rows.append(
        [np.mean(centred_statistic(crowd, released, reference) > level) for crowd in crowds]
    )
for name, share in zip(
    ("members", "outsiders for Dole", "outsiders for Clinton"),
    np.mean(rows, axis=0),
    strict=True,
):
    print(f"accused: {share:5.1%} of {name}")

# %% [markdown]
# That the attack errs is no comfort: someone accused wrongly is harmed too. And a study about a disease reveals
# something about all who are like its patients, whether they took part or not. No noise prevents this, and differential
# privacy does not claim to: see the smoker of [06](06_meaning.ipynb).
#
# ## On your own
#
# A hint and an answer for each: [exercises/answers/01_incidents](../exercises/answers/01_incidents.ipynb).
#
# **Assignment 01:** [five tasks, checked in a second](../exercises/releases/01_incidents.ipynb).
#
# 1. *Warm-up.* In "Make it k-anonymous", find settings with $k \ge 10$ that keep 900 voters. How many classes are left?
#    What can one still learn from such a table?
# 2. Does a larger $k$ end homogeneity? Take the three columns of `mine` in the cell below, and keep the women with
#    `class_sizes(mine) >= k`. For how many is `class_diversity(...) == 1` for "an affair?", and how many of those said
#    yes, at $k = 10$ and at $k = 100$? Then look at the fraction of yes in each class that is left. What does it still
#    say of a woman whose answer is not known?
# 3. Add noise to the *years of visits*: change each number by -1, 0 or 1 at random before the release. Let the
#    attacker accept matches within 1 in each year. How many patients do five years find now?
# 4. In the live figure with the voters set *questions* to 100 and write down what each attack finds. Then do the same
#    with all questions. Why does the attack with correlations suffer more than Homer's?
# 5. The attacker knows $m$ of the 10 members and subtracts their answers from the exact sums. What is left to attack,
#    and which setting of *people* in the live figure shows it for $m = 5$? Does either attack need to know anybody?
#    What does the attack on the last member look like ($m = 9$)?
# 6. *Challenge.* An app shows the distance to another user, rounded up to whole kilometres. You may claim any
#    position. Put the victim at a random point of a square of 10 km and ask from 200 random positions. Locate it by
#    least squares or by trying a grid. How near do you come?

# %%
# Room for your own experiments: voters, everyone, survey, five_years, answers and genomes
# hold the data.
mine = np.column_stack([survey[name].values for name in ("age", "rate_marriage", "religious")])
print(f"k = {k_anonymity(mine)} for age, rating and religiousness")

# %% [markdown]
# ## When to use what
#
# When is the noise on the averages of a group below the sampling error (of a true 25%)? With all averages together at
# $\varepsilon = 1$, the group needs:

# %% jupyter={"source_hidden": true}
# Computed: the people that 1 to 1,000 averages need
for attributes in (1, 10, 100, 1_000):
    people = math.ceil((math.sqrt(2) * attributes / 1.0) ** 2 / (0.25 * 0.75))
    noise = math.sqrt(2) * averages_scale(attributes, people, 1.0)
    sampling = math.sqrt(0.25 * 0.75 / people)
    assert noise <= sampling
    print(f"{counted(attributes, 'average'):>14}: {people:>12,} people")

# %% [markdown]
# - **Removing names** is no protection, for any attribute that somebody else may know.
# - **$k$-anonymity** stops the first incident for the attributes that you thought of. It does not cover what a class
#   reveals, two releases, or how the table was made. Use it, if you must, as good housekeeping and not as a guarantee.
# - **Few averages** of large groups: add noise ([03](03_laplace.ipynb)) and count the epsilons
#   ([02](02_composition.ipynb)). Do not publish thousands of averages of hundreds of people. The US health institutes
#   moved such averages to controlled access in 2008, and made open access the rule again in 2018.
# - **The guarantee to ask for** is about the procedure that made the release. It covers every person, whatever the
#   attacker knows, and has a rule for several releases. That is differential privacy, and the rest of this book.

# %% [markdown]
# ## Sources
#
# <details><summary>The textbook and the papers that this page uses.</summary>
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to Practice*, Morgan &
#   Claypool, 2016, [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018): section
#   1.1 (the incidents and their lessons), section 3.1 ($k$-anonymity and its limits).
# - Pierangela Samarati: *Protecting respondents' identities in microdata release*, IEEE TKDE 13, 2001,
#   [doi:10.1109/69.971193](https://doi.org/10.1109/69.971193): $k$-anonymity.
# - Latanya Sweeney: *k-Anonymity: a model for protecting privacy*, 2002,
#   [doi:10.1142/S0218488502001648](https://doi.org/10.1142/S0218488502001648): the first incident, and the definition.
# - Ashwin Machanavajjhala, Daniel Kifer, Johannes Gehrke, Muthuramakrishnan Venkitasubramaniam: *l-Diversity: privacy
#   beyond k-anonymity*, ACM TKDD 1, 2007 (ICDE 2006),
#   [doi:10.1145/1217299.1217302](https://doi.org/10.1145/1217299.1217302): homogeneity.
# - Ninghui Li, Tiancheng Li, Suresh Venkatasubramanian: *t-Closeness: privacy beyond k-anonymity and l-diversity*, ICDE
#   2007, [doi:10.1109/ICDE.2007.367856](https://doi.org/10.1109/ICDE.2007.367856).
# - Srivatsava Ranjit Ganta, Shiva Kasiviswanathan, Adam Smith: *Composition attacks and auxiliary information in data
#   privacy*, KDD 2008, [doi:10.1145/1401890.1401926](https://doi.org/10.1145/1401890.1401926): two tables.
# - Raymond Chi-Wing Wong, Ada Wai-Chee Fu, Ke Wang, Jian Pei: *Minimality attack in privacy preserving data
#   publishing*, VLDB 2007,
#   [vldb.org/conf/2007/papers/research/p543-wong.pdf](https://www.vldb.org/conf/2007/papers/research/p543-wong.pdf):
#   how the table was made.
# - Ninghui Li, Wahbeh Qardaji, Dong Su: *On sampling, anonymization, and differential privacy*, ASIACCS 2012,
#   [doi:10.1145/2414456.2414474](https://doi.org/10.1145/2414456.2414474): the copies; and what sampling first would
#   mend.
# - Arvind Narayanan, Vitaly Shmatikov: *Robust de-anonymization of large sparse datasets*, IEEE S&P 2008,
#   [doi:10.1109/SP.2008.33](https://doi.org/10.1109/SP.2008.33): Netflix.
# - Nils Homer and others: *Resolving individuals contributing trace amounts of DNA to highly complex mixtures using
#   high-density SNP genotyping microarrays*, PLoS Genetics 4, 2008,
#   [doi:10.1371/journal.pgen.1000167](https://doi.org/10.1371/journal.pgen.1000167).
# - Sriram Sankararaman, Guillaume Obozinski, Michael Jordan, Eran Halperin: *Genomic privacy and limits of individual
#   detection in a pool*, Nature Genetics 41, 2009, [doi:10.1038/ng.436](https://doi.org/10.1038/ng.436): how many
#   attributes are safe.
# - Larry Wasserman, Shuheng Zhou: *A statistical framework for differential privacy*, JASA 105, 2010,
#   [doi:10.1198/jasa.2009.tm08651](https://doi.org/10.1198/jasa.2009.tm08651): Theorem 1.4.
# - Moritz Hardt, Kunal Talwar: *On the geometry of differential privacy*, STOC 2010,
#   [doi:10.1145/1806689.1806786](https://doi.org/10.1145/1806689.1806786): Theorem 1.5.
# - Mark Bun, Jonathan Ullman, Salil Vadhan: *Fingerprinting codes and the price of approximate differential privacy*,
#   STOC 2014, [doi:10.1145/2591796.2591877](https://doi.org/10.1145/2591796.2591877): the same with a slack.
# - Cynthia Dwork, Adam Smith, Thomas Steinke, Jonathan Ullman, Salil Vadhan: *Robust traceability from trace amounts*,
#   FOCS 2015, [doi:10.1109/FOCS.2015.46](https://doi.org/10.1109/FOCS.2015.46): the attack from averages with any small
#   noise.
#
# </details>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [00 Start here](00_start_here.ipynb) · **Next:** [02 Composition](02_composition.ipynb)
