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
# # Answers to 02 Composition
#
# A hint and a computed answer for each task "On your own" of the page. Try first; there is more than one good answer.

# %%
import math
from functools import reduce
from itertools import permutations, product

import numpy as np
import pandas as pd

from dpbook import data
from dpbook.audit import add_record, remove_record, small_datasets
from dpbook.composition import parallel, sequential
from dpbook.laplace import geometric_log_probability, geometric_mechanism

voters = data.election()
old = int(np.sum(voters["age"].values >= 88))
outputs = np.arange(4, 12)  # as on the page
wide = np.arange(-400, 401)


def geometric(truth, epsilon, among=outputs):
    """The law of a noisy count, what lies outside of the outputs moved to their ends."""
    place = np.clip(wide, among[0], among[-1]) - among[0]
    noisy = np.exp(geometric_log_probability(wide, truth, 1, epsilon))
    return np.bincount(place, weights=noisy, minlength=among.size)


def loss(here, there):
    """The largest |ln(p / p')| over all events: one output alone reaches it."""
    return float(np.abs(np.log(here) - np.log(there)).max())


# %% [markdown]
# ## 1. An honest claim
#
# *Hint.* Half of the scale: for which $\varepsilon$ is that the right noise?

# %%
claimed = 0.5
half_noise = [geometric(truth, 2 * claimed) for truth in (old, old - 1)]
print(f"'half of that noise' at {claimed}: loss {loss(*half_noise):.3f}")
for epsilon in (0.5, 0.9, 1.0, 1.1):
    whole = [geometric(truth, epsilon) for truth in (old, old - 1)]
    same = np.allclose(whole, half_noise)
    print(f"whole-number noise at {epsilon}: loss {loss(*whole):.3f}, same two laws: {same}")

# %% [markdown]
# *Answer.* Twice the claim. The scale is $1/\varepsilon$, so half of it is the noise for $2\varepsilon$. At that
# setting the two mechanisms have the same distributions and the same events.
#
# ## 2. What the attack costs
#
# *Hint.* The figure asks in steps; here is a finer search, over 20 seeds. Then divide a total of 1 equally, and let
# the attack run on those answers.

# %%
group = np.random.default_rng(7).choice(len(voters["vote"]), 40, replace=False)
secret = voters["vote"].values[group]
in_question = np.random.default_rng(8).integers(0, 2, (30_000, secret.size)).astype(float)
exact = (in_question @ secret).astype(int)


def votes_found(questions, epsilon, seed):
    """The share of votes that the attack finds with so many answers at `epsilon` each."""
    asked = in_question[:questions]
    rng = np.random.default_rng(seed)
    answers = geometric_mechanism(exact[:questions], 1, epsilon, rng)
    return np.mean((np.linalg.solve(asked.T @ asked, asked.T @ answers) > 0.5) == secret)


steps = [50, 70, 100, 140, 200, 300, 400, 500, 600, 700, 850, 1_000, 1_400, 2_000]
found = {k: np.mean([votes_found(k, 0.5, seed) for seed in range(20)]) for k in steps}
print("votes found at epsilon 0.5:", {k: f"{share:.0%}" for k, share in found.items()})
needed = next(k for k in steps if found[k] >= 0.95)
in_figure = next(k for k in (50, 100, 300, 1_000, 3_000) if votes_found(k, 0.5, 1) >= 0.95)
for where, k in (
    ("95% on average from", needed),
    ("in the figure (seed 1, its steps)", in_figure),
):
    print(f"{where} {k:,} questions: {sequential([0.5] * k):,.0f} epsilon in all")
for k in (300, 1_000):
    reached = np.mean([votes_found(k, 0.5, seed) >= 0.95 for seed in range(20)])
    print(f"{k:,} questions find 95% or more with {reached:.0%} of 20 seeds")
base_rate = max(secret.mean(), 1 - secret.mean())
for k in (needed, in_figure, 30_000):
    left = np.mean([votes_found(k, 1 / k, seed) for seed in range(20)])
    print(
        f"a total of 1 for {k:,} questions: {1 / k:.2g} each, {left:.0%} of the votes found; "
        f"always 'Clinton': {base_rate:.0%}"
    )

# %% [markdown]
# *Answer.* At 300 questions it is luck, and at 1,000 no longer (the two lines on 20 seeds).
# Each of these answers looked well protected; the sum of their epsilons guarantees nothing. With a total
# of 1 each answer drowns in its noise, and the attack is worse than no attack. More questions do not help: then
# each gets less.
#
# ## 3. More rows in the table
#
# *Hint.* Over which tables is the largest move looked for?

# %%
possible = np.arange(7)
QUESTIONS = {
    "how many records": lambda visits: [visits.size],
    "how many with 3 visits or more": lambda visits: [np.sum(visits >= 3)],
    "visits of all together": lambda visits: [visits.sum()],
    "the most visits": lambda visits: [visits.max(initial=0)],
    "histogram of the visits": lambda visits: np.bincount(visits, minlength=7),
}


def most_moved(question, tables):
    """How far one record (add/remove) moves the answer at most, from one of these tables."""
    pairs = [
        (one, other)
        for one in tables
        for neighbours in (add_record, remove_record)
        for other in neighbours(one, possible)
    ]
    answers = [[question(visits.astype(int)) for visits in pair] for pair in pairs]
    return max(int(np.abs(np.subtract(*pair)).sum()) for pair in answers)


five, seven = np.array([2, 0, 3, 5, 3]), np.array([2, 0, 3, 5, 3, 6, 6])
every = [one for n in (1, 2, 3) for one in small_datasets(possible, n)]
columns = {"from the five rows": [five], "from the seven": [seven], "from all small": every}
moves = {
    name: {word: most_moved(question, tables) for word, tables in columns.items()}
    for name, question in QUESTIONS.items()
}
print(pd.DataFrame(moves).T.to_string())

# %% [markdown]
# *Answer.* The sensitivities stay: they are the most that one record can do *in any table*, and our rows play no
# part in that. What changes is how far the answer moves from *our* table. (With two people at 6 visits nobody who
# joins or leaves moves "the most visits" at all.) Noise made for that smaller move would itself reveal what the
# table holds.
#
# ## 4. Fewer points
#
# *Hint.* A fixed rule that leaves $m$ different codes has $2^m$ events. How small can $m$ be?

# %%
events = (np.arange(2**outputs.size)[:, None] >> np.arange(outputs.size)) & 1
laws = [geometric(truth, 1.0) for truth in (old, old - 1)]


def fixed_rule(code):
    """Row: what was released; column: the code that it is turned into."""
    return (np.asarray(code)[:, None] == np.arange(outputs.size)).astype(float)


USES = {
    "as it is": np.eye(8),
    "in pairs": fixed_rule(np.arange(8) // 2),
    "in threes": fixed_rule(np.arange(8) // 3),
    "odd or even": fixed_rule(outputs % 2),
    f"{old} or more?": fixed_rule(outputs >= old),
    "forget it": fixed_rule(np.zeros(8)),
    "lie half of the time": 0.5 * np.eye(8) + 0.5 / 8,
}
for name, rule in USES.items():
    after = [law @ rule for law in laws]
    points = np.unique(np.round([events @ law for law in after], 9).T, axis=0)
    ratios = np.abs(np.log(np.clip(points[:, 0], 1e-12, 1) / np.clip(points[:, 1], 1e-12, 1)))
    print(f"{name:<21} {len(points):>3} points, loss {ratios.max():.3f}")

# %% [markdown]
# *Answer.* Any fixed rule with three codes or fewer. A rule that forgets the release gives the fewest. "Nothing"
# and "anything at all" are events of every mechanism, and there the two corners are all. With two codes there are
# two points more, and their loss depends on the *cut*. "At least this many?" at the right place keeps the whole
# loss, "odd or even" only a part. A random rule may have as many points as before: it moves them inwards, and does
# not drop them.
#
# ## 5. Drawn with probability 0.05
#
# *Hint.* $\varepsilon' = \ln(1 + q(e^\varepsilon - 1))$, solved: $\varepsilon = \ln(1 + (e^{\varepsilon'} - 1)/q)$.

# %%
q, promised = 0.05, 0.2
epsilon = math.log1p(math.expm1(promised) / q)
print(f"epsilon on the sample {epsilon:.4f}; back: {math.log1p(q * math.expm1(epsilon)):.4f}")
print(f"the rule of thumb epsilon' / q would say {promised / q:.1f}")
drawn, not_drawn = (geometric(truth, epsilon) for truth in (old, old - 1))
perhaps = q * drawn + (1 - q) * not_drawn
print(f"exact loss, nobody knows who was drawn: {loss(perhaps, not_drawn):.4f}")
print(f"exact loss, the attacker knows that you were drawn: {loss(drawn, not_drawn):.4f}")

# %% [markdown]
# *Answer.* The $\varepsilon$ printed first. It is much more than what is guaranteed, and much less than the rule of
# thumb says, which holds for small $\varepsilon$ only. For those who tell their friends (or whose friends see the
# letter) the coin is no secret any more. They have the guarantee of the mechanism on the sample, the last line.
# Those who keep it to themselves keep the smaller one.
#
# ## 6. Challenge: three overlapping parts
#
# *Hint.* Add/remove first: how many of the three releases does one record enter? For replace, remove and add. For
# the check let each part release *two* noisy counts, of its records with "no" and with "yes". They are disjoint, so
# this is 1-DP under add/remove. Is the bound reached?

# %%
few = np.arange(-3, 4)
KINDS = list(product([(0, 1), (0, 2), (1, 2)], [0, 1]))  # two parts, and an answer


def six_counts(records):
    """In each of three parts, how many records say no and how many say yes."""
    counts = np.zeros((3, 2), dtype=int)
    for parts, answer in records:
        counts[list(parts), answer] += 1
    return counts


def exact_loss_of(change):
    """The loss of the noisy counts together when they move by `change`."""
    moved = [int(by) for by in change.ravel() if by]  # the law of a count that stays cancels
    joint = [
        reduce(np.multiply.outer, [geometric(truth, 1.0, few) for truth in truths])
        for truths in ([0] * len(moved), moved)
    ]
    return loss(*joint)


added = {kind: exact_loss_of(six_counts([kind])) for kind in KINDS}
replaced = {}
for before, after in permutations(KINDS, 2):
    replaced[before, after] = six_counts([after]) - six_counts([before])
losses = {pair: exact_loss_of(change) for pair, change in replaced.items()}
sizes = [change.sum(axis=1) for change in replaced.values()]
only_sizes = max(exact_loss_of(change) for change in sizes if change.any())
print(f"add/remove: loss {min(added.values()):.3f} to {max(added.values()):.3f},", end=" ")
print(f"two parts together {sequential([1.0, 1.0]):g}")
print(f"replace: loss {min(losses.values()):.3f} to {max(losses.values()):.3f}")
(parts, answer), (new_parts, new_answer) = max(losses, key=losses.get)
print(f"   from parts {parts}, answer {answer}, to parts {new_parts}, answer {new_answer}")
print(f"replace, if each part released its size only: at most {only_sizes:.3f}")
print(f"three parts that do not overlap, replace: {parallel([1.0] * 3, 'replace'):g}")

# %% [markdown]
# *Answer.* Twice the $\varepsilon$ of a part under add/remove, four times under replace.
#
# *Proof.* Add/remove: one record more is one record more in two of the three parts. The release of the third has
# the same distribution for both datasets. The other two are $\varepsilon$-DP each, and their sum is all (sequential
# composition, with the third as a release that costs 0). It is less than the sum over three, which sequential
# composition alone would give. Replace: remove the record and add the other one, two steps of add/remove, each at
# most $2\varepsilon$. $\square$ Both are reached, as the cell shows. If the parts release their sizes only, a
# replaced record never reaches the bound. Two of three parts always have one in common, whose size stays.
