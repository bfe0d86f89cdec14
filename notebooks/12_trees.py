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
# # 12 Decision trees from private counts
#
# Below is a decision tree, grown from 4,866 questionnaires of a magazine with differential privacy: it predicts who has
# an affair. Move the depth and see whether more questions help.
#
# <details><summary>About 35 minutes, after 02, 03 and 04: what you do, what you need, the data, the assignment, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [11 Regression: one record against the curve](11_regression.ipynb) · **Next:** [13 Marginal tables of many attributes](13_marginals.ipynb)
#
# **Assignment 12:** [five tasks, checked in a second](../exercises/releases/12_trees.ipynb)
#
# **What you will see:** a decision tree whose smallest leaf is one woman. The same tree grown from noisy counts, then
# from private *choices*. Three scores of a split, with their exact sensitivities. A factor of 2 that the
# exponential mechanism pays for in general, and that these scores do not need. Two methods that publish a histogram
# instead of a tree. One rests on a sensitivity that its authors got wrong, and is private all the same.
#
# **What you will do:** move one record through a table and see which way each score goes. Set a depth at which every node stops.
# Find out whether deeper trees are better (they are not). Read off which method to use.
#
# **You need:** the Laplace mechanism ([03](03_laplace.ipynb)) and the exponential mechanism ([04](04_exponential.ipynb)). From
# [02](02_composition.ipynb) you need that disjoint parts of the data are paid for once.
#
# **Time:** about 35 minutes. A good place to stop is before *Publish a histogram instead*.
#
# **Real and synthetic:** Fair's survey (6,366 women) and the voters of 1996 are real. The records of the XOR example
# are *synthetic*. The relation is **add/remove** unless a line says *replace*.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import itertools

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.patches import Patch

from dpbook.amounts import counted
from dpbook.data.attributes import affairs_codes
from dpbook.live import live, log_slider, new_noise, slider
from dpbook.plots import (
    COLOURS,
    figure,
    legend_above,
    set_verdict_text,
    verdict_text,
    x_axis,
    y_axis,
)
from dpbook.trees import GINI, diffpid3, leaf_of
from dpbook.trees import predict as classify

# %% jupyter={"source_hidden": true}
# Figure: boxes(diffpid3(...)), and its wrong_leaves
names, sizes, women, affair = affairs_codes()
short = ["marriage", "age", "years", "children", "religious", "education", "work", "his work"]
n, classes = len(women), 2
order = np.random.default_rng(12).permutation(n)
held, kept = order[:1500], order[1500:]


def accuracy(tree, records=women[held], truth=affair[held]):
    """The fraction of the held-out records that a tree predicts rightly."""
    return float(np.mean(classify(tree, records) == truth))


def boxes(tree, left=0.0, right=1.0, level=0):
    """Every node as (left, right, level, node), children as wide as their noisy sizes."""
    found = [(left, right, level, tree)]
    sizes_of = [float(c.counts if c.children else c.counts.sum()) for c in tree.children]
    parts = np.cumsum([0, *np.maximum(sizes_of, 1e-9)])
    edges = left + (right - left) * parts / (parts[-1] or 1)
    for child, start, end in zip(tree.children, edges, edges[1:], strict=False):
        found += boxes(child, start, end, level + 1)
    return found


def wrong_leaves(tree):
    """For each leaf, level by level: its class, and how many records a wrong class costs."""
    nodes = [tree]
    for node in nodes:  # grows while it is read
        nodes += node.children
    labels = np.array([np.argmax(node.counts) for node in nodes if node.attribute < 0])
    places = leaf_of(tree, women[kept]) * 2 + affair[kept]
    true = np.bincount(places, minlength=2 * labels.size).reshape(-1, 2)
    return labels, true.max(axis=1) - true[np.arange(labels.size), labels]


fig, icicle_ax = figure(height=2.9)
icicle_said = verdict_text(icicle_ax)
hatched = {"edgecolor": "black", "hatch": "////", "linewidth": 0.6}
looks = {"edgecolor": "white", "linewidth": 0.6}, hatched
icicle_parts = [icicle_ax.add_collection(PolyCollection([], **look)) for look in looks]
middle = {"ha": "center", "va": "center", "fontsize": 8}
icicle_names = [icicle_ax.text(0, 0, "", **middle) for _ in range(30)]
inks = {"leaf: no": COLOURS.noisy, "leaf: affair": COLOURS.amber, "question": COLOURS.pale}
keys = [Patch(facecolor=ink, label=words) for words, ink in inks.items()]
keys.append(Patch(facecolor="white", label="not the true majority", **hatched))
x_axis(icicle_ax, "noisy part of the records of the parent", (0, 1))
y_axis(icicle_ax, "level", (6, 0), ticks={level + 0.5: level for level in range(6)})
legend_above(fig, 4, handles=keys, frameon=False)


def update_icicle(epsilon, depth, seed):
    grown = women[kept], affair[kept], sizes, classes, depth, GINI, epsilon
    tree = diffpid3(*grown, np.random.default_rng(seed))
    labels, costs = wrong_leaves(tree)
    found = sorted(boxes(tree), key=lambda box: box[2])  # level by level, as `leaf_of` counts
    shapes, tints, leaf = ([], []), ([], []), iter(zip(costs > 0, labels, strict=True))
    for left, right, level, node in found:
        odd, label = (0, 2) if node.attribute >= 0 else next(leaf)
        low = level + 0.95
        shapes[int(odd)].append([(left, level), (right, level), (right, low), (left, low)])
        tints[int(odd)].append(list(inks.values())[label])
    for part, verts, colours in zip(icicle_parts, shapes, tints, strict=True):
        part.set_verts(verts)
        part.set_facecolor(colours)
    splits = [box for box in found if box[3].attribute >= 0 and box[1] - box[0] > 0.07]
    for text, box in itertools.zip_longest(icicle_names, splits[: len(icicle_names)]):
        text.set_text("" if box is None else short[box[3].attribute])
        if box is not None:
            text.set_position(((box[0] + box[1]) / 2, box[2] + 0.48))
    right, nobody = accuracy(tree), 1 - affair[held].mean()
    words = f"right for {right:.1%} of other women; 'no' for all: {nobody:.1%}"
    set_verdict_text(icicle_said, bool(right > nobody), words)
    return (
        f"{counted(len(labels), 'leaf', 'leaves')}, {int(np.sum(costs > 0))} with the wrong "
        f"class, which costs {counted(int(costs.sum()), 'record')}; right for {right:.1%} of "
        "1,500 held out"
    )


live(
    fig,
    update_icicle,
    "A tree as rows of boxes, the root on top: grey boxes are questions, blue and orange ones "
    "leaves by class, hatched ones leaves whose noise turned the majority round.",
    task="play the depth from 0 to 5. Then take epsilon down.",
    play="depth",
    epsilon=log_slider(0.05, 3, 1.0),
    depth=slider(0, 5, 2),
    seed=new_noise(7),
)

# %% [markdown]
# **What you saw.** Each row is a level, each box a node. *Hatched* leaves predict another class than the true counts
# would, which only we can see. At [depth 5](#move:depth=5) small leaves drown in noise; [at epsilon
# 0.05](#move:epsilon=0.05&depth=5) nodes are too small, beside their noise, to be split again. One good question is
# nearly all there is.
#
# ## The data, and what is asked
#
# A magazine asked its readers eight things about their lives, from the happiness of the marriage to their occupations. And a
# ninth thing. The lists of possible answers are public; an answer becomes its place in the list, from 0. The **class** of a record
# is whether she had an affair. We want a rule that predicts it.

# %% jupyter={"source_hidden": true}
# What this page imports
import functools
import math
import textwrap

import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from dpbook import data
from dpbook.amounts import amount
from dpbook.claims import check
from dpbook.claims import trees as tree_claims
from dpbook.exponential import selection_probabilities
from dpbook.gaussian import gaussian_scale
from dpbook.guesses import predict
from dpbook.laplace import laplace_mechanism
from dpbook.live import choice, show_source, switch
from dpbook.plots import (
    curves,
    maps,
    meter,
    own_point,
    set_curves,
    set_maps,
    set_meter,
    set_own_point,
    show,
)
from dpbook.trees import (
    MAJORITY,
    OVER,
    SPREAD,
    Tree,
    boosted_additive,
    class_counts,
    diffgen,
    enumerate_grids,
    flip_probability,
    gain_ratio,
    gini_score,
    grid_error,
    halving_taxonomy,
    id3,
    information_gain,
    information_score,
    information_sensitivity,
    least_size,
    majority_score,
    normalised_gain,
    plain_diffpid3,
    privpfc,
    random_tree,
    sulq_id3,
)
from dpbook.trees.grids import pool_counts, pool_errors
from dpbook.trees.people import checked

# %% jupyter={"source_hidden": true}
# Computed: the women, their possible answers, and what 'no' for everybody is worth
print(
    f"{n:,} women, {affair.mean():.1%} with an affair; possible answers:\n"
    + ", ".join(f"{name} {size}" for name, size in zip(short, sizes, strict=True))
)
print(
    f"{math.prod(sizes):,} possible questionnaires, {len(np.unique(women, axis=0)):,} of "
    "them filled in by somebody"
)
print(
    f"to predict 'no' for everybody is right for {1 - affair[held].mean():.1%} of the "
    f"{len(held):,} held out"
)

# %% [markdown]
# ## A naive attempt that fails
#
# **ID3** grows a decision tree. At the root it asks which question separates the classes best and splits the records by its answers.
# Then it goes on in each part with the remaining questions. At a leaf it predicts the larger class. Here is what such a tree
# publishes at depth 4, and its smallest leaves.

# %%
exact = id3(women, affair, sizes, classes, 4, information_gain(10_000))


def leaves(tree, path=()):
    """Every leaf of a tree with the answers that lead to it."""
    if tree.attribute < 0:
        return [(path, tree)]
    return [
        leaf
        for answer, child in enumerate(tree.children)
        for leaf in leaves(child, (*path, f"{short[tree.attribute]} = {answer}"))
    ]


# %% jupyter={"source_hidden": true}
# Computed: how many leaves of the exact tree hold one woman, and one of them
alone = [(path, leaf) for path, leaf in leaves(exact) if leaf.counts.sum() == 1]
told = [path for path, leaf in alone if leaf.counts[1] == 1]
print(
    f"{len(leaves(exact)):,} leaves, {len(alone)} of them hold one woman; of {len(told)} of "
    "these it prints 'affair'"
)
print("one of them:", ", ".join(told[0]))

# %% [markdown]
# Anyone who knows four answers of that woman reads her ninth. And without her record the leaf is empty: the two trees
# can be told apart with certainty, so the privacy loss is infinite. Such a tree is also not a good one. It overfits:

# %% jupyter={"source_hidden": true}
# Computed: the accuracy of exact trees by depth, on their own and on held-out records
rows = {}
for depth in (1, 2, 3, 4, 5):
    ours = id3(women[kept], affair[kept], sizes, classes, depth, information_gain(10_000))
    theirs = DecisionTreeClassifier(max_depth=depth, criterion="entropy", random_state=1)
    theirs.fit(women[kept], affair[kept])
    rows[depth] = {
        "ID3, own records": accuracy(ours, women[kept], affair[kept]),
        "ID3, held out": accuracy(ours),
        "scikit-learn, held out": theirs.score(women[held], affair[held]),
        "leaves of one": sum(leaf.counts.sum() == 1 for _, leaf in leaves(ours)),
    }
pd.DataFrame(rows).T.rename_axis("depth").round(3).astype({"leaves of one": int})

# %% [markdown]
# Remember the two numbers to beat: "no" for everybody, and a tree of depth 1.
#
# ## The idea: ask for noisy counts
#
# A tree is made of counts and of nothing else. So Blum, Dwork, McSherry and Nissim (2005) let ID3 run on *noisy* counts. With $d$
# levels of splits there are $d + 1$ levels of nodes. A record lies in **one node of each level**, so a level costs what one
# node costs (parallel composition). Give each level $\varepsilon / (d+1)$, half of it
# ($\varepsilon'$) for the size of a node, half for the counts that choose its question. The second half is the problem: every
# question needs a table of its own, and **every record is in all of them**.

# %%
show_source(sulq_id3)

# %% jupyter={"source_hidden": true}
# Computed: the noise on every count, by the number of questions
for attributes in (1, 2, 8, 16):
    print(
        f"{counted(attributes, 'question'):<12} depth 5, epsilon 1: noise of scale "
        f"{2 * attributes * 12:>3} on every count"
    )

# %% [markdown]
# With eight questions a count is off by 192 on average, in tables whose cells often hold fewer people. With a $\delta$
# *Gaussian noise* is better here ([24](24_gaussian.ipynb)): the $L_2$ sensitivity grows only with the square root of
# the number of counts per record.

# %% jupyter={"source_hidden": true}
# Computed: the standard deviation of a count, Laplace and Gaussian
for attributes in (1, 8, 16):
    # sizes of six levels; a value and a cell a table, five levels; a class in the leaf
    counts = 6 + 5 * 2 * attributes + 1
    print(
        f"{counted(attributes, 'question'):<12} deviation of a count, depth 5, epsilon 1: "
        f"Laplace {math.sqrt(2) * 2 * attributes * 12:.0f}, Gaussian with delta 1e-6 "
        f"{gaussian_scale(math.sqrt(counts), 1.0, 1e-6):.0f}"
    )

# %% [markdown]
# Still, how often does the root get the right question, with Laplace noise?

# %% jupyter={"source_hidden": true}
# Computed: how often two private trees ask the right question at the root
gain = information_gain(10_000)
root = id3(women, affair, sizes, classes, 1, gain).attribute
share = {
    name: sum(grow(np.random.default_rng(seed)).attribute == root for seed in range(40))
    for name, grow in {
        "SuLQ-ID3": lambda rng: sulq_id3(women, affair, sizes, classes, 5, 1.0, rng),
        "DiffPID3": lambda rng: diffpid3(women, affair, sizes, classes, 5, MAJORITY, 1.0, rng),
    }.items()
}
print(f"ID3 splits the root on {short[root]!r}; depth 5, epsilon 1, 40 runs each")
for name, hits in share.items():
    print(f"{name}: the same question in {hits} of 40")

# %% [markdown]
# ## Choose, do not count
#
# Friedman and Schuster (2010) noticed that the tables are not needed, only the question with the best score. *Which one is best?*
# is answered by the exponential mechanism, at one price for any number of questions. That needs a score with a small sensitivity.
# With $t_{jc}$ records of answer $j$ and class $c$, and $t_j = \sum_c t_{jc}$:
#
# $$\text{majority: } \sum_j \max_c t_{jc} \qquad
# \text{Gini: } -\sum_j t_j \Bigl(1 - \sum_c \tfrac{t_{jc}^2}{t_j^2}\Bigr) \qquad
# \text{information: } \sum_{j,c} t_{jc} \log_2 \tfrac{t_{jc}}{t_j}$$
#
# All three count *people*, or people times minus an impurity; higher is better.

# %%
show_source(majority_score)
show_source(gini_score)
show_source(information_score)

# %% jupyter={"source_hidden": true}
# Computed: the scores of the eight questions at the root
SCORES = {"majority": majority_score, "Gini": gini_score, "information": information_score}
at_root = [class_counts(women[:, a], affair, sizes[a], classes) for a in range(8)]
scores = pd.DataFrame(
    {name: [score(table) for table in at_root] for name, score in SCORES.items()}, index=short
)
print("scores of the eight questions at the root")
scores.round(0).astype(int)

# %% [markdown]
# By the majority score, seven questions are worth nothing at the root: whatever the answer, "no" is the larger class.
# Gini and information still see a difference.
#
# ### How far can one record move a score?
#
# Compute it: all tables of two answers and two classes with $n - 1$ people, and each table with one more.


# %%
@functools.cache
def all_tables(people):
    """Every 2 x 2 table of this many people: three bars between them leave four counts."""
    cuts = itertools.combinations(range(people + 3), 3)
    return np.array([np.diff([-1, *cut, people + 3]) - 1 for cut in cuts]).reshape(-1, 2, 2)


def moves(score, people):
    """How far one more record, in each of the four places, moves a score of up to this
    many people.
    """
    places, tables = np.eye(4, dtype=int).reshape(4, 2, 2), all_tables(people - 1)
    return np.concatenate([score(tables + place) - score(tables) for place in places])


# %% jupyter={"source_hidden": true}
# Computed: how far one record moves each score, by the number of people
rows = {}
for people in (2, 3, 6, 10, 20):
    rows[people] = {
        f"{name}, {edge}": getattr(moves(score, people), edge)()
        for name, score in SCORES.items()
        for edge in ("min", "max")
    } | {
        "exact, information": information_sensitivity(people),
        "published, information": math.log2(people + 1) + 1 / math.log(2),
    }
pd.DataFrame(rows).T.rename_axis("people").round(3) + 0.0

# %% [markdown]
# - **Majority: 1.** One person is one person.
# - **Gini: $2(n-1)/n$**, below 2: a person of a new class joins $n - 1$ of another.
# - **Information: $n \log_2 n - (n-1)\log_2(n-1)$**, the same event. It grows with $n$, so it needs a *public* bound on the number
#   of people in a node. The number of records that you happen to have is not public. `information_gain(most)` asks for the
#   bound, and a mechanism refuses more records than that.
#
# The **gain ratio** of C4.5, which is the gain divided by the entropy of the answers, has no useful bound. If all but
# one person give the same answer, that entropy is almost 0.

# %% jupyter={"source_hidden": true}
# Computed: gain ratio and normalised gain jump when one person joins
here, there = np.array([[1_000_000, 0], [0, 0]]), np.array([[1_000_000, 0], [0, 1]])
print(
    f"a million people, and one more: gain ratio {gain_ratio(here):.0f} and "
    f"{gain_ratio(there):.0f}"
)
print("information gain, normalised, is no better:", end=" ")
for table in ([[1, 0], [0, 0]], [[1, 0], [0, 1]]):
    print(f"{normalised_gain(table):.0f}", end="  ")
print("for one person, and one more")

# %% [markdown]
# ### Look which way they go
#
# Four numbers make a table, of which one stays 0. One person joins in the place you choose. The bars show how the
# three scores move; the lines are the exact sensitivities for up to 61 people.

# %%
PLACES = {
    "answer 0, no": (0, 0),
    "answer 0, yes": (0, 1),
    "answer 1, no": (1, 0),
    "answer 1, yes": (1, 1),
}


def one_joins(before, place):
    """The table with one person more, and by how much each score moves."""
    before, after = np.array(before), np.array(before)
    after[PLACES[place]] += 1
    moved = {name: float(score(after) - score(before)) for name, score in SCORES.items()}
    return after, moved


# %% jupyter={"source_hidden": true}
# Figure: one_joins(table, place): the moves of three scores, and their exact sensitivities
fig, move_ax = figure(height=2.9)
move_said = verdict_text(move_ax)
inks_of_scores = [COLOURS.noisy, COLOURS.third, COLOURS.amber]
move_bars = move_ax.barh(range(3), np.zeros(3), color=inks_of_scores, height=0.6)
for row, reach in enumerate((1.0, -120 / 61, -information_sensitivity(61))):
    move_ax.plot([reach, reach], [row - 0.4, row + 0.4], color=COLOURS.true, linewidth=2)
move_ax.axvline(0, color=COLOURS.grey, linewidth=0.8)
move_table = move_ax.text(-8.3, 0, "", va="center")
x_axis(move_ax, "move of the score when one person joins (information: bits)", (-8.5, 1.5))
y_axis(move_ax, limits=(2.6, -0.6), ticks=dict(enumerate(SCORES)))


def update_moves(no_0, no_1, yes_1, joins):
    ((a, b), (c, d)), moved = one_joins([[no_0, 0], [no_1, yes_1]], joins)
    for bar, move in zip(move_bars, moved.values(), strict=True):
        bar.set_width(move)
    move_table.set_text(f"then answer 0: {a} no, {b} yes; answer 1: {c} no, {d} yes")
    words = f"one person moves information by {moved['information']:+.2f} bits"
    set_verdict_text(move_said, None, words)
    return ", ".join(f"{name} {move:+.3f}" for name, move in moved.items())


live(
    fig,
    update_moves,
    "Three bars, how one joining person moves majority, Gini and information; black lines "
    "mark the sensitivities. The majority goes right or stays, the others left or stay.",
    task="can you make Gini or information *rise*? Can you make the majority fall?",
    guess=predict(
        "One more person says yes at answer 1. By how many bits does information fall?",
        (0, 8, " bits"),
        r"information -([\d.]+)",
        joins="answer 1, yes",
    ),
    no_0=slider(0, 20, 12, label="answer 0: no"),
    no_1=slider(0, 20, 6, label="answer 1: no"),
    yes_1=slider(0, 20, 5, label="answer 1: yes"),
    joins=choice(list(PLACES), "answer 0, yes", label="one joins at"),
)

# %% [markdown]
# A person moves information most by joining [as the first "yes" among many](#move:joins=answer%200%2C%20yes&no_0=20).
#
# ## One-way movers: the 2 that is paid for nothing
#
# The exponential mechanism gives question $A$ a weight $e^{\varepsilon' q_A / (2S)}$. The 2 has a reason: one record
# may raise $q_A$ by $S$ and lower all others by $S$. But a record that **joins** never raises Gini or information, of
# *any* question, and never lowers the majority. All scores move the same way, by 0 to $S$, and a common move cancels in
# the probabilities. So the weights $e^{\varepsilon' q_A / S}$ are already $\varepsilon'$-DP.
#
# <details><summary>Proof: each score is monotone in each count.</summary>
#
# Take one answer, with $t = \sum_c t_c$ records. Its part of the information, $\sum_c t_c \log_2 t_c - t \log_2 t$, can
# only fall when a $t_c$ grows: its derivative is $\log_2(t_c / t) \le 0$. For Gini, the derivative of
# $n(1 - \sum_c p_c^2)$ in $n_c$ is $(1 - p_c)^2 + \sum_{k \ne c} p_k^2 \ge 0$, and the score is minus that. The largest
# $t_c$ can only grow, by 0 or 1. $\square$
#
# </details>
#
# So weights with the 2 use half of what each choice pays (erratum [E39](22_errata.ipynb#E39)).
# Exact losses of the choice between two yes-or-no questions, over all data sets of up to five people:

# %%
# five people, each in one of eight cells or, as number 8, absent
choices = itertools.combinations_with_replacement(range(9), 5)
datasets = np.array([np.bincount(choice, minlength=9)[:8] for choice in choices])


def log_choice(people, quality, factor):
    """ln of both probabilities at epsilon' 1; `people` (datasets, 8): two answers, a class."""
    cubes = people.reshape(-1, 2, 2, 2)
    exponents = np.column_stack([quality.score(cubes.sum(axis=axis)) for axis in (2, 1)])
    exponents = exponents / (factor * quality.sensitivity)
    return exponents - np.logaddexp(*exponents.T)[:, None]


# %% jupyter={"source_hidden": true}
# Computed: the worst loss of a choice, with and without the 2
rows = {}
qualities = {"majority": MAJORITY, "Gini": GINI, "information": information_gain(6)}
for name, quality in qualities.items():
    for factor, words in ((2, "with the 2"), (1, "without the 2")):
        one_more = [
            log_choice(datasets + (np.arange(8) == cell), quality, factor) for cell in range(8)
        ]
        same = log_choice(datasets, quality, factor)
        rows[f"{name}, {words}"] = {
            "add/remove": max(np.abs(more - same).max() for more in one_more),
            "replace": max(
                np.abs(a - b).max() for a, b in itertools.combinations(one_more, 2)
            ),
        }
print("worst loss of a choice that is called with epsilon' = 1")
pd.DataFrame(rows).T.round(3)

# %% [markdown]
# Under *replace* one record leaves and another comes, so two scores may go in opposite directions. The loss is up to $2
# \varepsilon'$, and the 2 is needed.
#
# What is the factor worth? Here are the probabilities of the eight questions at the root:

# %%
LAW_QUALITIES = {"majority": MAJORITY, "Gini": GINI, "information": information_gain(10_000)}
law_scores = {name: scores[name].to_numpy() for name in LAW_QUALITIES}


def both_laws(quality, epsilon):
    """The probabilities of the eight questions: with the 2 and without it."""
    sensitivity = LAW_QUALITIES[quality].sensitivity
    return [
        selection_probabilities(law_scores[quality], sensitivity, epsilon, monotonic=monotonic)
        for monotonic in (False, True)
    ]


# %% jupyter={"source_hidden": true}
# Figure: both_laws(quality, epsilon') of eight questions
fig, law_ax = figure(height=3.3)
law_said = verdict_text(law_ax)
looks = (
    {"color": COLOURS.pale, "edgecolor": "black", "label": "with the 2"},
    {"color": COLOURS.noisy, "label": "without the 2"},
)
law_bars = [
    law_ax.barh(np.arange(8) + shift, np.zeros(8), 0.38, **look)
    for shift, look in zip((-0.2, 0.2), looks, strict=True)
]
x_axis(law_ax, "probability of the choice", (0, 1))
y_axis(law_ax, limits=(7.6, -0.6), ticks=dict(enumerate(short)))
legend_above(fig, 2)


def update_law(epsilon, quality):
    laws = both_laws(quality, epsilon)
    for bars, law in zip(law_bars, laws, strict=True):
        for bar, chance in zip(bars, law, strict=True):
            bar.set_width(chance)
    best = int(np.argmax(law_scores[quality]))
    two = [law[best] for law in laws]
    words = f"{short[best]}: {two[0]:.0%} with the 2, {two[1]:.0%} without the 2"
    set_verdict_text(law_said, None, words)
    return (
        f"{short[best]!r} is chosen with probability {two[0]:.3f} (with the 2), {two[1]:.3f} "
        "(without)"
    )


live(
    fig,
    update_law,
    "Two bars for each of eight questions: its probability of being chosen at the root with "
    "the weights with the 2 and without it, which favour the best question more.",
    task=(
        'information, $\\varepsilon\' = 0.1$: how much likelier does "marriage" become? Then '
        r"majority and information at the same $\varepsilon'$: why is the choice by "
        "information flatter? And what happens to the seven useless questions under the "
        "majority?"
    ),
    guess=predict(
        "By the majority and weights with the 2, how likely is 'marriage' chosen?",
        (0, 1),
        r"probability ([\d.]+) \(with",
        quality="majority",
    ),
    epsilon=log_slider(0.001, 1, 0.1, label="epsilon' of the choice"),
    quality=choice(list(LAW_QUALITIES), "information"),
)

# %% [markdown]
# ## DiffPID3: the budget down a path
#
# Algorithm 7 of Li, Lyu, Su and Yang (2016; *the textbook*) grew the tree of the first figure. It touches the data
# twice in each node, each time at $\varepsilon' = \varepsilon / (2(d+1))$. First it buys the node's noisy size. Then it
# chooses a question or, at a leaf, buys the noisy counts of its classes.

# %%
show_source(plain_diffpid3)

# %% [markdown]
# That is the recursion as printed. `diffpid3` grows all nodes of a level at once, which is faster.
#
# **Budget.** A record meets at most $d + 1$ nodes, one a level, and spends $2\varepsilon'$ in each: $\varepsilon$ in all. Each choice
# depends only on the choices above it, which were released (adaptive composition).
#
# **The stop.** A node whose noisy size is below $t\,|C|\,\sqrt 2/\varepsilon'$ becomes a leaf. There are $|C|$ classes;
# $t$ is the largest number of answers of a question that is left. Otherwise its children's class counts would be as
# small as their noise.
#
# <details><summary>Three notes: hand the budget down, what t is at the end, and why the algorithm does not look for purity.</summary>
#
# - $\varepsilon'$ must be **handed down**, as in Algorithm 7. If it is computed again at each call, with the depth that
#   is left, the sizes alone spend $\tfrac{\varepsilon}{2}(1 + \tfrac12 + \dots)$.
# - With no question left, take $t = 1$.
# - One would like to stop where no further split improves the purity. The algorithm does not look, and rightly so: looking would
#   cost.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: what the sizes spend, and how many people a split needs
anew = sum(1 / (2 * (left + 1)) for left in range(6))
print(
    f"depth 5, epsilon 1: sizes spend {6 / 12:.3f}; computed anew at each call {anew:.3f}, "
    "and the rest as much again"
)
for epsilon in (1.0, 0.1):
    print(
        f"depth 5, epsilon {epsilon:g}: a split needs "
        f"{least_size(sizes, classes, 5, epsilon):,.0f} women"
    )
voters = data.election()
print(
    f"1996 election: {len(voters['vote'].values)} voters; five questions of 6 or 7 answers, "
    "depth 4: a split needs"
)
print(
    "   ",
    ", ".join(
        f"{least_size((7, 7, 7, 7, 6), 2, 4, e):,.0f} at epsilon {e:g}" for e in (1.0, 0.1)
    ),
)

# %% [markdown]
# At $\varepsilon = 0.1$ even the root with all 944 voters is a leaf. They are too few for a tree, and the algorithm stops there.
#
# ### How often is a leaf wrong?
#
# A leaf has 10 of one class and 7 of the other, and noise of scale $1/\varepsilon'$ on both. The difference of two Laplace noises
# exceeds a gap $x$ with probability
#
# $$\text{flip}(x) = \tfrac12 e^{-\varepsilon' x}\bigl(1 + \tfrac12 \varepsilon' x\bigr).$$
#
# **What libraries do:** diffprivlib's tree chooses its questions without the data. It is a **random tree** (Fletcher
# and Islam, 2019): it draws questions and cuts at random and spends *all* of $\varepsilon$ on the classes of its
# leaves, by permute-and-flip ([04](04_exponential.ipynb)). For counts of two classes $x$ apart, that names the wrong
# class with probability $\tfrac12 e^{-\varepsilon x}$. Our `random_tree` releases noisy counts, and is in the race
# below.

# %%
show_source(flip_probability)

# %% jupyter={"source_hidden": true}
# Computed: how often a leaf with 10 and 7 is wrong, by formula and drawn
rng = np.random.default_rng(3)
noisy = laplace_mechanism(np.tile([10, 7], (100_000, 1)), 1, 0.6, rng)
print(
    f"epsilon' 0.6, gap 3: wrong with {flip_probability(3, 0.6):.6f}; drawn "
    f"{np.mean(noisy[:, 1] > noisy[:, 0]):.4f}"
)
print(f"the same leaf by permute-and-flip at epsilon 1: right with {1 - math.exp(-3) / 2:.4f}")
print(
    "DiffPID3 of depth 5 at epsilon 1 has epsilon' = 1/12 there: right with "
    f"{1 - flip_probability(3, 1 / 12):.4f}"
)

# %% [markdown]
# ## Publish a histogram instead: DiffGen
#
# A tree asks its questions node by node. **DiffGen** (Mohammed and others 2011) cuts all records alike. Every attribute
# has a public *taxonomy*: everything in one group, then smaller and smaller groups. DiffGen starts with one group for
# each attribute. Then, $h$ times, it chooses a group to split, in all cells at once. At the end it publishes the noisy
# class counts of **all** cells of the partition, from which you can grow a tree.

# %%
show_source(halving_taxonomy)
print(halving_taxonomy(7))
show_source(diffgen)

# %% [markdown]
# <details><summary>Two things in the original do not work well: its score has no small sensitivity, and its budget is not spent.</summary>
#
# *The score.* Its information gain is normalised to lie between 0 and $\log_2 |C|$. One record can move it over that
# whole range, as you saw above (erratum [E42](22_errata.ipynb#E42)). So its sensitivity is its range, and the
# exponential mechanism nearly tosses a coin. Ours adds the scores of the cells, counted in people, with the sensitivity
# $S$ of the score. The gain of a cell is what its children score, less what it scores itself. (Such a *gain* can move
# either way, so here the 2 stays.) We could not settle from the text which records enter the published score, all in
# the group or cell by cell.
#
# *The budget.* The text gives each choice $\varepsilon / (2(|A_n| + 2h))$, with $|A_n|$ numeric attributes whose cuts are chosen as
# well, and $\varepsilon/2$ to the counts. Without numeric attributes, $h$ choices then use a quarter of $\varepsilon$, and another
# quarter is never spent. (The authors' own program gives the rest to the counts.) Ours has categorical taxonomies and gives each
# choice $\varepsilon / (2h)$.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: what DiffGen's printed budget buys, and its splits at three epsilons
step_share = 1.0 / (2 * (2 + 2 * 4))
coin = selection_probabilities([1.0, 0.0], 1, step_share)[0]
print(f"epsilon 1, two numeric attributes, h = 4: {step_share:g} a choice")
print(
    "two candidates, one with all the gain there is, one with none: the better is chosen "
    f"with probability {coin:.3f}"
)
print(
    f"categorical only: four choices spend {4 / (2 * 2 * 4):g}, the counts {1 / 2:g}: "
    f"{1 - 0.25 - 0.5:g} is left over"
)

taxonomies = [halving_taxonomy(size) for size in sizes]
for epsilon in (0.1, 1.0, 1e6):
    published = diffgen(
        women, affair, taxonomies, classes, 4, GINI, epsilon, np.random.default_rng(1)
    )
    cuts = "; ".join(f"{short[a]} {values[0]}-{values[-1]}" for a, values in published.cuts)
    print(f"epsilon {amount(epsilon):>9}: splits {cuts}; {len(published.counts)} cells")

# %% [markdown]
# ## One choice for all: PrivPfC
#
# Every choice of an iterative method gets a small part of $\varepsilon$, and every choice is greedy. **PrivPfC** (Su,
# Cao, Li, Lyu 2018) makes *one*. A **grid** takes one level of each attribute's taxonomy; level 0 leaves the attribute
# out. A pool of grids is listed without looking at the data. The exponential mechanism chooses one, and its counts get
# noise.
#
# What makes a grid good? Not only that its cells are pure: a fine grid has pure cells and drowns in noise. So the score
# is the expected number of records that the *noisy* histogram will get wrong. In each cell these are the smaller class,
# plus the gap if the noise turns the majority round:
#
# $$q = \sum_{\text{cells}} \min(n^+, n^-) + |n^+ - n^-|\;\text{flip}(|n^+ - n^-|).$$

# %%
show_source(grid_error)
show_source(privpfc)

# %% jupyter={"source_hidden": true}
# Computed: the expected errors of one cell, and the grids of three attributes
print(
    f"one cell (10, 7), epsilon of the counts 0.6: {grid_error([[10, 7]], 0.6):.6f} expected "
    "errors"
)
three = [[[0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 2, 3]]] * 3
every, small = (enumerate_grids(three, most, 1000) for most in (64, 8))
print(
    f"three attributes with 1, 2 or 4 groups: {len(every)} grids, {len(small)} of them with "
    "at most 8 cells"
)

# %% [markdown]
# ### Its sensitivity is not 1
#
# You might think that one record moves an error count by 1. Look at one cell with gap $x$. Its errors are $\min + x\,\text{flip}(x)$,
# and the second part **falls** where $x$ is large. So a person who joins the larger class can make the errors
# *fewer*, and one who joins the smaller class adds more than 1.

# %% jupyter={"source_hidden": true}
# Figure: x flip_probability(x, epsilon): errors that noise makes in a cell, and their slope
GAPS = np.linspace(0, 60, 601)
fig, (error_ax, slope_ax) = figure(columns=2, height=3.3)
error_line = curves(error_ax, GAPS, {"": "noisy"}, linewidth=2)
error_dot = own_point(error_ax, markersize=6)
x_axis(error_ax, "gap x between the classes, records", (0, 60))
y_axis(error_ax, "x flip(x), errors by noise", (0.01, 10), ticks=[0.01, 0.1, 1, 10], log=True)
slope_said = verdict_text(error_ax)
slope_line = curves(slope_ax, GAPS, {"": "noisy"}, linewidth=2)
slope_dot = own_point(slope_ax, markersize=6)
slope_ax.axhline(-OVER, color=COLOURS.true, linestyle="--", label=f"never below −{OVER:.4f}")
slope_ax.axhline(0, color=COLOURS.grey, linewidth=0.8)
x_axis(slope_ax, "gap x, records", (0, 60))
y_axis(slope_ax, "slope: errors a record", (-0.15, 0.55))
legend_above(fig)


def update_slope(epsilon):
    errors = GAPS * flip_probability(GAPS, epsilon)
    slopes = np.exp(-epsilon * GAPS) * (1 - (epsilon * GAPS) ** 2 / 2) / 2
    steepest = (1 + math.sqrt(3)) / epsilon
    set_curves(error_line, [errors])
    set_curves(slope_line, [slopes])
    set_own_point(error_dot, steepest, steepest * flip_probability(steepest, epsilon))
    set_own_point(slope_dot, steepest, -OVER)
    set_verdict_text(slope_said, None, f"steepest fall at a gap of {steepest:.2f}")
    whole = np.arange(400)
    fall = np.diff(whole * flip_probability(whole, epsilon)).min()
    return (
        f"steepest at x = {steepest:.2f}; a whole record moves the errors by {fall:+.5f} to "
        f"{1 - fall:+.5f}"
    )


live(
    fig,
    update_slope,
    "Left: errors by noise in a cell against its gap, rising, then falling. Right: the slope "
    "of that curve, which dips to minus 0.0889 at a gap of 2.73 over epsilon.",
    task=r"what does $\varepsilon$ change, the place of the dip or its depth?",
    guess=predict(
        "At epsilon 0.1, at which gap does the left curve fall most steeply?",
        (0.3, 100, " records"),
        r"at x = ([\d.]+);",
        epsilon=0.1,
    ),
    epsilon=log_slider(0.05, 2, 0.6, label="epsilon of the counts"),
)

# %% [markdown]
# Let $\varepsilon_{sh}$ pay for the choice, $\varepsilon_{ph}$ for the counts. A record moves a grid's score by $-0.0880$ to $1.0880$ at
# $\varepsilon_{ph} = 0.6$, and by up to $1.0889$ as it falls. The textbook prints weights $e^{-q\,\varepsilon_{sh}/2}$. They
# would be right for sensitivity 1 (erratum [E41](22_errata.ipynb#E41)). Are they broken?
#
# **No.** A move that is common to all grids cancels. What counts is how far one grid's move can exceed another's. That
# *difference* is $1.1760$ at $\varepsilon_{ph} = 0.6$ and never above $1 + 2 \times 0.0889 = 1.1778$. So weights
# $e^{-q\,\varepsilon_{sh}/2}$ cost only $0.588\,\varepsilon_{sh}$, and `privpfc` uses
# $e^{-q\,\varepsilon_{sh}/1.1778}$, which cost $\varepsilon_{sh}$. Dropping the 2 altogether breaks the guarantee.
# Below is a worst pair: 104 people, two grids, and a person who makes one a little better and the other worse.

# %%
people, one_more = tree_claims.SPLIT, np.vstack([tree_claims.SPLIT, [0, 0, 1]])
grids = enumerate_grids(tree_claims.FLAT, 100, 2)


def errors_of(table):
    """The expected errors of each grid at epsilon_ph = 0.6."""
    records = checked(table[:, :-1], table[:, -1], (2, 3), 2)
    pooled = pool_counts(records, tree_claims.FLAT, grids)
    return np.array([grid_error(counts, 0.6) for counts in pooled])


# %% jupyter={"source_hidden": true}
# Computed: how far one person moves two grids apart, and the loss with three divisors
before, after = errors_of(people), errors_of(one_more)
print(
    "expected errors of the two grids:", before.round(4), "and with one more", after.round(4)
)
moved = after - before
print("moves:", moved.round(5), " difference:", round(float(np.ptp(moved)), 5))
for divisor in (2.0, SPREAD, 1.0):
    laws = [
        selection_probabilities(-errors, divisor, 0.37, monotonic=True)
        for errors in (before, after)
    ]
    lost = np.abs(np.log(laws[0] / laws[1])).max()
    print(
        f"weights exp(-0.37 q / {divisor:.4f}): the loss of the choice is {lost:.5f} = "
        f"{lost / 0.37:.4f} of its 0.37"
    )

# %% [markdown]
# > **Theorem 12.1.** The grid that PrivPfC chooses from a pool of $m$ grids has on average at most
# > $\frac{1.1778}{\varepsilon_{sh}} \ln m$ more expected errors than the best grid of the pool.
#
# <details><summary>Proof: among all distributions over the pool, these weights minimise the mean score less a multiple of the entropy.</summary>
#
# The weights $e^{-kq}$ minimise $E[q] - H/k$, with $H$ the entropy in nats. To choose the best grid with certainty
# gives $\min q - 0$. So $E[q] \le \min q + H/k \le \min q + \ln(m)/k$, and $k = \varepsilon_{sh}/1.1778$. $\square$
#
# $q$ is itself the average number of errors of the noisy counts, on the records they were made from. (`privpfc` rounds
# them, at least to 0; ties go to "no".) The bound does not grow with the number of records.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: the mean errors of the chosen grid above the best one, and the theorem
pool_people = checked(women[kept], affair[kept], sizes, classes)
for epsilon in (0.05, 0.1, 0.3, 1.0):
    pool = enumerate_grids(taxonomies, 0.2 * len(kept) * 0.6 * epsilon, 200)
    q = pool_errors(pool_counts(pool_people, taxonomies, pool), 0.6 * epsilon)
    law = selection_probabilities(-q, SPREAD, 0.37 * epsilon, monotonic=True)
    print(
        f"epsilon {epsilon:<4}: of {len(kept):,} women the best of {len(pool)} grids gets "
        f"{q.min():,.0f} wrong; the choice {law @ q - q.min():.1f} more on average, at most "
        f"{SPREAD * math.log(len(pool)) / (0.37 * epsilon):.1f}"
    )

# %% [markdown]
# Below left: the pool, each dot a grid, by cells and expected errors; the chosen one is marked.
# Right: the released histogram of that grid, a row for each group of its first attribute, coloured by the noisy fraction of "affair".

# %%
POOL = 300


@functools.lru_cache(maxsize=64)
def pool_of(most_cells):
    """The grids of at most this many cells and, padded to one array, their counts."""
    pool = enumerate_grids(taxonomies, most_cells, POOL)
    return pool, pool_counts(pool_people, taxonomies, pool)


def one_grid(epsilon, divisor, seed):
    """A run of PrivPfC: what it released, the pool and its counts, which grid was chosen, and
    how many groups that has of each attribute.
    """
    rng = np.random.default_rng(seed)
    noisy_size = laplace_mechanism(len(kept), 1, 0.03 * epsilon, rng)  # as in `privpfc` below
    pool, counts = pool_of(int(max(0.2 * noisy_size * 0.6 * epsilon, 1)))
    people, rng = (women[kept], affair[kept]), np.random.default_rng(seed)
    released = privpfc(*people, taxonomies, classes, POOL, epsilon, rng, divisor=divisor)
    levels = [int(row.max()) + 1 for row in released.groups]
    sizes_of = [[taxonomies[a][row].max() + 1 for a, row in enumerate(grid)] for grid in pool]
    return released, pool, counts, sizes_of.index(levels), levels


# %% jupyter={"source_hidden": true}
# Figure: one_grid(epsilon, divisor, seed): the errors of the pool, and the released histogram
fig, (pool_ax, heat_ax) = figure(columns=2, height=3.3)
pool_dots = curves(pool_ax, [], {"grid of the pool": "grey ."}, markersize=4)
pool_chosen = own_point(pool_ax, "chosen", "D", markersize=8)
x_axis(pool_ax, "cells", (1.5, 400), ticks=[10, 100], log=True)
y_axis(pool_ax, "expected errors, records", (1300, 1750))
pool_ax.axhline(affair[kept].sum(), color=COLOURS.true, linestyle=":", label="all 'no'")
labels_of = "groups of the others", "groups of its first attribute"
(heat_image,) = maps([heat_ax], None, (0, 1, 1, 0), *labels_of, origin="upper")
heat_ax.set(xticks=[], yticks=[])
pool_said = verdict_text(pool_ax)
fig.colorbar(heat_image, ax=heat_ax, label="noisy fraction of 'affair'")
legend_above(fig, 3)


def update_pool(epsilon, printed, seed):
    released, pool, counts, chosen, levels = one_grid(
        epsilon, 2.0 if printed else SPREAD, seed
    )
    errors, used = pool_errors(counts, 0.6 * epsilon), [a for a in range(8) if levels[a] > 1]
    set_curves(pool_dots, [errors], [len(table) for table in counts])
    set_own_point(pool_chosen, len(released.counts), errors[chosen])
    noisy = released.counts[:, 1] / np.maximum(released.counts.sum(axis=1), 1)
    set_maps([heat_image], noisy.reshape(levels[used[0]] if used else 1, -1))
    questions = " × ".join(f"{short[a]} in {levels[a]}" for a in used)
    words = f"the chosen grid errs {errors[chosen]:,.0f} times, the best {errors.min():,.0f}"
    set_verdict_text(pool_said, None, words)
    return (
        f"{len(pool)} grids of up to {max(map(len, counts))} cells, {questions}: "
        f"{errors[chosen]:,.0f} errors expected, best {errors.min():,.0f}; right for "
        f"{accuracy(released):.1%} of the women held out"
    )


live(
    fig,
    update_pool,
    "Left: a cloud of grids by cells and expected errors, with the chosen one as a diamond. "
    "Right: the noisy shares of the chosen grid's cells as a heat map.",
    task=r"how many cells has the largest grid at $\varepsilon = 0.05$, and at 1?",
    guess=predict(
        "At epsilon 0.05, how many errors are expected of the chosen grid?",
        (1_300, 1_750, " errors"),
        r": ([\d,]+) errors expected",
        epsilon=0.05,
    ),
    epsilon=log_slider(0.05, 3, 0.3),
    printed=switch(False, label="divisor 2, as printed"),
    seed=new_noise(3),
)

# %% [markdown]
# [At epsilon 0.05](#move:epsilon=0.05) only small grids are allowed. With [the printed divisor](#move:printed=on&epsilon=0.3) the choices
# are worse on average.
#
# ## Error against epsilon, depth and method
#
# **In short:** PrivPfC is the best at a small $\varepsilon$, and most other methods are then worse than "no" for everybody.
#
# Medians over 20 draws; each draw holds out another 1,500 women and has a seed of its own. Two dull rivals: "no" for everybody, which
# costs nothing if you know it, and the majority bought with all of $\varepsilon$. Depths and numbers of steps are fixed for all
# $\varepsilon$, not tuned; the pool has 200 grids.
#
# Most tables are learnt by *boosting* today. **DP-EBM** (Nori and others, 2021) boosts one attribute at a time: its
# model is a sum of one score for each answer. Each of ten rounds adds to each score a part of the noisy mean residual
# of the women with that answer. All sums are Gaussian, with $\delta = 10^{-6}$. The last rows are *not private*.

# %%
show_source(boosted_additive)
splits = [
    np.split(np.random.default_rng(500 + draw).permutation(n), [1500]) for draw in range(20)
]
epsilons = (0.05, 0.1, 0.3, 1.0)


def shares_right(rule, epsilon):
    """The fraction of held-out women that a rule predicts rightly, draw by draw."""
    found = []
    for draw, (test, rest) in enumerate(splits):
        model = rule(women[rest], affair[rest], epsilon, np.random.default_rng(draw))
        found.append(accuracy(model, women[test], affair[test]))
    return found


def right(rule, epsilon):
    """The median of these fractions."""
    return float(np.median(shares_right(rule, epsilon)))


# %% jupyter={"source_hidden": true}
# Computed: the accuracy of ten private methods, and of four that are not
rules = {
    "'no' for everybody": lambda x, y, e, rng: Tree(np.array([1, 0])),
    "noisy majority": lambda x, y, e, rng: Tree(
        laplace_mechanism(np.bincount(y, minlength=2), 1, e, rng)
    ),
    "SuLQ-ID3, depth 2": lambda x, y, e, rng: sulq_id3(x, y, sizes, 2, 2, e, rng),
    "DiffPID3, majority, depth 2": lambda x, y, e, rng: diffpid3(
        x, y, sizes, 2, 2, MAJORITY, e, rng
    ),
    "DiffPID3, Gini, depth 2": lambda x, y, e, rng: diffpid3(x, y, sizes, 2, 2, GINI, e, rng),
    "DiffPID3, information, depth 2": lambda x, y, e, rng: diffpid3(
        x, y, sizes, 2, 2, gain, e, rng
    ),
    "DiffGen, Gini, 4 steps": lambda x, y, e, rng: diffgen(
        x, y, taxonomies, 2, 4, GINI, e, rng
    ),
    "PrivPfC, 200 grids": lambda x, y, e, rng: privpfc(x, y, taxonomies, 2, 200, e, rng),
    "random tree, depth 2": lambda x, y, e, rng: random_tree(x, y, sizes, 2, 2, e, rng),
    "DP-EBM, 10 rounds, δ 1e-6": lambda x, y, e, rng: boosted_additive(
        x, y, sizes, 10, 0.5, e, 1e-6, rng
    ),
}
shares = {
    name: {epsilon: shares_right(rule, epsilon) for epsilon in epsilons}
    for name, rule in rules.items()
}
table = {name: {e: np.median(row[e]) for e in epsilons} for name, row in shares.items()}
largest = max(
    1.25 * np.std(row[e]) / math.sqrt(len(splits)) for row in shares.values() for e in epsilons
)
PLAIN = {
    "tree of depth 2": DecisionTreeClassifier(max_depth=2),
    "tree of depth 3": DecisionTreeClassifier(max_depth=3, random_state=1),
    "boosting, 30 trees": GradientBoostingClassifier(n_estimators=30, random_state=1),
    "logistic regression": LogisticRegression(max_iter=1_000),
}
bare = {}
for name, model in PLAIN.items():
    found = [
        model.fit(women[rest], affair[rest]).score(women[test], affair[test])
        for test, rest in splits
    ]
    bare[name] = float(np.median(found))
table |= {f"not private: {name}": dict.fromkeys(epsilons, one) for name, one in bare.items()}
print(f"medians of {len(splits)}; their standard errors are at most {largest:.3f}")
pd.DataFrame(table).T.rename_axis("epsilon:", axis=1).round(3)

# %% jupyter={"source_hidden": true}
# Figure: the accuracies of the table above, against epsilon
fig, versus_ax = figure(height=3.6)
looks = ("true :", "grey -.", "fourth v-", "light s-", "third o-", "amber ^-", "other x-")
looks += ("noisy D-", "grey +--", "fourth P--")
heights = [[table[name][e] for e in epsilons] for name in rules]
best_plain = max(bare, key=bare.get)
versus_ax.axhline(bare[best_plain], color=COLOURS.true, linestyle="--")
x_axis(versus_ax, "epsilon", ticks=epsilons, log=True)
y_axis(versus_ax, "held-out women predicted rightly", (0.6, 0.74))
versus_ax.text(0.05, bare[best_plain] + 0.002, f"{best_plain}, not private")
lines = curves(versus_ax, epsilons, dict(zip(rules, looks, strict=True)), heights, ends=True)
for words in lines.ends:
    words.set_fontsize(8)
lines[0].set(zorder=4, linewidth=2.5)  # or the majority would hide it
set_curves(lines, heights)
show(
    fig,
    "Accuracy against epsilon for ten methods: PrivPfC is on top for small epsilon; at 1 "
    "DP-EBM, DiffGen, and DiffPID3 by majority and Gini come level with it. At 0.05 most "
    "others are at or below predicting no for everybody, DP-EBM farthest below.",
)

# %% [markdown]
# At $\varepsilon = 0.05$ most methods spend their budget on questions, and noise gives the answers. PrivPfC makes one
# choice. The random tree hardly beats "no": its questions say too little. DP-EBM reaches PrivPfC at
# $\varepsilon = 1$; for small $\varepsilon$ its $8 \cdot (1 + 10) = 88$ noisy sums of each woman are too many.
#
# The textbook's verdict (section 5.6): "For the goal of constructing classification trees, PrivPfC [...] performs the
# best. For the goals of logistic regression and SVM, PrivPfC and private local search [...] perform the best." The
# first sentence holds on these data; at $\varepsilon = 1$ a tree of depth 2 is as good. Page [11](11_regression.ipynb)
# tests the second on the same women: PrivPfC beats the fits of weights at $\varepsilon = 0.1$, and local search is
# behind.
#
# Privacy is not free at $\varepsilon = 1$. The dashed line is the best of four plain models. Information gain,
# the classic, is the worst of the three scores: its sensitivity is many times that of the majority. Depth costs budget and makes
# nodes small:

# %% jupyter={"source_hidden": true}
# Computed: the accuracy of DiffPID3 by depth, for two scores and two epsilons
print(
    f"sensitivities: majority 1, Gini 2, information {gain.sensitivity:.2f} among up to "
    f"{gain.most:,} records"
)
by_depth = {
    f"{name}, epsilon {epsilon:g}": {
        depth: right(
            lambda x, y, e, rng, d=depth, q=quality: diffpid3(x, y, sizes, 2, d, q, e, rng),
            epsilon,
        )
        for depth in (0, 1, 2, 3, 5)
    }
    for name, quality in (("majority", MAJORITY), ("Gini", GINI))
    for epsilon in (0.1, 1.0)
}
print(
    f"DiffPID3, medians of {len(splits)}, by depth "
    "(to take the best column is a choice to be paid for)"
)
pd.DataFrame(by_depth).T.round(3)

# %% [markdown]
# **Do not choose the depth by this table.** If you run five depths and publish the best, you have run five mechanisms: five times
# $\varepsilon$ by plain composition. A *private selection* among random tries costs two or three times the $\varepsilon$ of one try
# (Liu and Talwar 2019; pages [26](26_gradients.ipynb) and [27](27_choosing.ipynb)). And the held-out women are people too.
#
# ### What greedy misses
#
# Let the class be $a \oplus b$ (exclusive or) of two among sixteen coin flips (*synthetic*). No single question says
# anything, so a greedy tree mostly misses the pair. PrivPfC's pool contains it.

# %% jupyter={"source_hidden": true}
# Computed: how often four methods find a xor b among sixteen coins
flips = np.random.default_rng(13).integers(0, 2, (4000, 16))
either = flips[:, 3] ^ flips[:, 11]
coins = [halving_taxonomy(2)] * 16
hidden = {
    "ID3, depth 2, not private": lambda rng: id3(flips, either, [2] * 16, 2, 2, GINI),
    "DiffPID3, depth 2": lambda rng: diffpid3(flips, either, [2] * 16, 2, 2, GINI, 1.0, rng),
    "DiffGen, 2 steps": lambda rng: diffgen(flips, either, coins, 2, 2, GINI, 1.0, rng),
    "PrivPfC, 136 grids": lambda rng: privpfc(flips, either, coins, 2, 136, 1.0, rng),
}
print("right for a xor b at epsilon 1, 20 draws: median, and the draws in which it is found")
for name, learn in hidden.items():
    found = [
        np.mean(classify(learn(np.random.default_rng(draw)), flips) == either)
        for draw in range(20)
    ]
    print(f"{name:<26} {np.median(found):.1%}  {sum(share > 0.9 for share in found):>2} of 20")

# %% [markdown]
# ## Where it breaks
#
# `dpbook.claims` runs the guarantees of this page step by step, with a generator that notes every noise and every
# choice. Four of them are false on purpose: each is a mistake that has been made, or is easily made.

# %% jupyter={"source_hidden": true}
# Computed: the worst loss of the four false claims, each claimed to be 1
findings = [check(claim) for claim in tree_claims.claims()]
some_true = ("majority, depth 1", "depth 1", "majority, 2 steps")
some_true += ("the best of 2 grids", "the weights as printed")
shown = [f for f in findings if f.claim.false or f.claim.setting in some_true]
shown = [f for f in shown if f.claim.promise == 1]
for f in shown:
    if f.claim.false:
        print(
            f"{f.claim.mechanism.__name__:<16} {f.claim.setting:<52} {f.claim.relation:<11} "
            f"{f.loss:.3f}"
        )

# %% jupyter={"source_hidden": true}
# Figure: the worst losses found above, beside the claim of 1
fig, claim_ax = figure(height=4.8)
labels = [
    f"{f.claim.mechanism.__name__}:\n" + "\n".join(textwrap.wrap(f.claim.setting, 26))
    for f in shown
]
claim_meter = meter(claim_ax, labels, most=2.2)
claim_ax.tick_params(axis="y", labelsize=7.5)
claim_ax.set_xlabel("worst loss found, claimed 1")
set_meter(claim_meter, [f.loss for f in shown], 1.0)
show(
    fig,
    f"A meter of {len(shown)} uses of these methods: most are within the claim of 1, four "
    "break it.",
)

# %% [markdown]
# <details><summary>Three more ways to break it: empty cells left out, the exact number of records, and paying twice.</summary>
#
# - **Empty cells left out**, or released as 0 without noise. Then the cell of a person who is alone in it appears or vanishes with
#   her: an infinite loss. Every method here releases *all* cells of its partition, and all leaves of its tree.
# - **The exact number of records**, in the bound on cells, in the stop, or in $\log_2(N+1)$. That number is itself
#   data. The next cell runs PrivPfC (Algorithm 11) with the exact $N$: a grid can be chosen with one woman more and cannot
#   without her. (In the sensitivity of information gain it does less harm: a question's weight moves although its score
#   did not. We found no pair that exceeds the claimed loss, but the proof is gone.)
# - **A score over counts that are noisy already** needs no further noise: it is post-processing. Running the exponential mechanism on
#   SuLQ's noisy tables pays twice.
#
# </details>

# %% jupyter={"source_hidden": true}
# Computed: which grids are allowed with 99 and with 100 people, if N is exact
for people in (99, 100):
    allowed = enumerate_grids(taxonomies, 0.2 * people * 0.6, 1000)
    largest = max(
        math.prod(int(t[row].max()) + 1 for t, row in zip(taxonomies, grid, strict=True))
        for grid in allowed
    )
    print(
        f"{people} records, epsilon 1, N exact: {len(allowed)} grids, the largest of "
        f"{largest} cells"
    )
moved = -1000 / information_sensitivity(1001) + 1000 / information_sensitivity(1000)
print(
    "a score of -1,000 that stays, 1,000 people and one more: its exponent moves by "
    f"{moved:+.4f} epsilon'"
)

# %% [markdown]
# ## On your own
#
# A hint and an answer for each: [exercises/answers/12_trees](../exercises/answers/12_trees.ipynb).
#
# **Assignment 12:** [five tasks, checked in a second](../exercises/releases/12_trees.ipynb).
#
# 1. *Warm-up.* In the figure of the three bars, the majority stays while information falls
#    by 5 bits. How few women at *answer 0: no* still give more than 4 bits?
# 2. A clinic grows a tree of depth 3 with $\varepsilon = 0.6$ over questions with at most 5
#    answers, two classes. How many patients does the split of its root need? How many patients
#    in all do you need to expect splits on the third level?
# 3. SuLQ-ID3 asks for values *and* cells of each table. Show that the cells alone suffice, and
#    compute by how much the noise shrinks. Does it then beat DiffPID3 on the survey?
# 4. Two divisors, 2 and 1.1778, give PrivPfC two distributions of its choice. For which
#    $\varepsilon$ does the difference matter most on the survey? Compare the expected errors
#    of the chosen grid, exactly, with `selection_probabilities`.
# 5. Under *replace*, how far can one record move the expected errors of a grid, and by how
#    much can two grids' moves differ? Which divisor does the guarantee then need?
# 6. *Challenge.* The last level of Algorithm 7 buys a size that nobody uses. Give its budget
#    back: by how much do all other parts grow, and what does it change at $\varepsilon = 0.1$,
#    depth 1?
#
# A start for task 4:

# %%
start_pool = enumerate_grids(taxonomies, 0.2 * len(kept) * 0.6 * 0.1, 100)
start_errors = np.array(
    [grid_error(t, 0.06) for t in pool_counts(pool_people, taxonomies, start_pool)]
)
start_law = selection_probabilities(-start_errors, SPREAD, 0.037, monotonic=True)
print(
    f"epsilon 0.1: {len(start_pool)} grids, best {start_errors.min():.0f}, expected "
    f"{start_law @ start_errors:.0f} errors"
)

# %% [markdown]
# ## When to use which
#
# Let the code choose, for the survey and for smaller ones. Each number is the median of the 20 draws, on the first women of each
# draw.

# %% jupyter={"source_hidden": true}
# Computed: the accuracy of four methods on smaller surveys
few = ("noisy majority", "DiffPID3, Gini, depth 2", "DiffGen, Gini, 4 steps")
rows = {}
for people, epsilon in itertools.product((500, 2000), (0.1, 1.0)):
    rows[f"{people:,} women, epsilon {epsilon:g}"] = {
        name: shares_right(
            lambda x, y, e, rng, rule=rules[name], m=people: rule(x[:m], y[:m], e, rng),
            epsilon,
        )
        for name in (*few, "PrivPfC, 200 grids")
    }
largest = max(np.std(one) for row in rows.values() for one in row.values())
print(f"standard errors are at most {1.25 * largest / math.sqrt(len(splits)):.3f}")
pd.DataFrame(rows).T.map(np.median).round(3)

# %% [markdown]
# **Use** PrivPfC where the attributes are few enough to list their grids, or readers want a histogram to
# analyse themselves. Use DiffPID3 with Gini or majority, and a depth of 1 or 2, where people times $\varepsilon$ is
# in the thousands. Use DiffGen with good taxonomies where it is above 300. **Do not** use any of them when people times $\varepsilon$
# is below a hundred: publish the majority. **Check** that sizes, taxonomies, depth and the bound on people are public.
# Empty cells are released like the others, the budget is handed down, and nobody chose the depth by looking.
#
# **Limits.** Numeric attributes must be cut at public edges first (a private choice of the cuts costs more of
# $\varepsilon$). All guarantees are for one record a person. Floating-point noise leaks a little more
# ([21](21_audit.ipynb)). A private tree still says what is *typical* ([06](06_meaning.ipynb)): it may say about you
# what it says about women like you.
#
# ## Sources and further reading
#
# - **004** Ninghui Li, Min Lyu, Dong Su, Weining Yang: *Differential Privacy: From Theory to
#   Practice*, Morgan & Claypool, 2016,
#   [doi:10.2200/S00735ED1V01Y201609SPT018](https://doi.org/10.2200/S00735ED1V01Y201609SPT018):
#   sections 5.3.2 (SuLQ, Algorithm 7), 5.5.3 (DiffGen), 5.5.4 (Algorithm 11), 5.6.
# - Avrim Blum, Cynthia Dwork, Frank McSherry, Kobbi Nissim: *Practical privacy: the SuLQ
#   framework*, 2005.
# - Arik Friedman, Assaf Schuster: *Data mining with differential privacy*, 2010: SuLQ-based
#   ID3, DiffPID3, sensitivities of the scores.
# - Noman Mohammed, Rui Chen, Benjamin Fung, Philip Yu: *Differentially private data release
#   for data mining*, 2011: DiffGen.
# - Dong Su, Jianneng Cao, Ninghui Li, Min Lyu: *PrivPfC: differentially private data
#   publication for classification*, 2018; an earlier version by Su, Cao, Li, 2015.
# - Sam Fletcher, Md Zahidul Islam: *Decision tree classification with differential privacy: a
#   survey*, 2019: random trees and forests. Harsha Nori, Rich Caruana, Zhiqi Bu, Judy Hanwen
#   Shen, Janardhan Kulkarni: *Accuracy, interpretability, and differential privacy via explainable
#   boosting*, 2021: DP-EBM. Samuel Maddock, Graham Cormode, Tianhao Wang, Carsten Maple, Somesh
#   Jha: *Federated boosted decision trees with differential privacy*, 2022.
# - Ryan McKenna, Daniel Sheldon: *Permute-and-flip*, 2020: what diffprivlib's leaves use.
# - Ross Quinlan: *Induction of decision trees*, 1986: ID3.
# - New here: the exact sensitivity of information gain; that the three scores move one way,
#   so that the 2 is not needed; PrivPfC's true sensitivity and that of its differences.
#
# `dpbook` is for learning, not for real releases ([00](00_start_here.ipynb) says why).
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [11 Regression: one record against the curve](11_regression.ipynb) · **Next:** [13 Marginal tables of many attributes](13_marginals.ipynb)
