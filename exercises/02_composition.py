# %% [markdown]
# # Assignment 02: Composition
#
# Five tasks, 18 points. You need chapter 02, *Composition*, and of chapter 03 only `laplace_mechanism`.
#
# All data here are invented. Yours may differ from those of others.

# %% tags=["setup"]
from functools import partial

import numpy as np

from dpbook.check import answers, check, own_order, private, repeatable
from dpbook.check import laplace_law
from dpbook.laplace import laplace_mechanism

VARIANT = 0  # of 6
mine = partial(own_order, variant=VARIANT)

# %% [markdown]
# ## 1. The account of a clinic (3 points)
#
# *You learn* to account for releases by whom they look at. About 20 minutes, easy to medium.
#
# A clinic made some releases about its patients, each with fresh noise. Release $i$ is `epsilons[i]`-DP under
# *add/remove*. Besides this, only the patients it looked at are known. `groups[i]` is the number of a group of patients
# (1 or more), or 0 for all patients. The groups are disjoint and public, and were fixed beforehand. A patient belongs
# to one of them or to none, and which one depends on the patient's own record only.
#
# Write `total_epsilon(epsilons, groups, relation)`: the smallest $\varepsilon$ that all releases together certainly
# guarantee, if `relation` is `"add/remove"` or `"replace"`. `epsilons` and `groups` are arrays of the same length, at
# least 1.


# %%
def total_epsilon(epsilons, groups, relation):
    ### BEGIN SOLUTION
    within = [epsilons[groups == group].sum() for group in set(groups) - {0}]
    one_record = epsilons[groups == 0].sum() + max(within, default=0)
    # To replace a record is to remove one and to add another.
    return one_record if relation == "add/remove" else 2 * one_record
    ### END SOLUTION


# %% points=3
# The check
accounts = [
    (np.array([0.1, 0.2, 0.3, 0.4]), np.array([0, 1, 2, 1])),
    (np.array([0.5, 0.7, 0.6]), np.array([3, 1, 2])),
    (np.array([0.2, 0.3]), np.array([0, 0])),
]
check(
    total_epsilon,
    answers(
        [(*account, "add/remove") for account in accounts],
        [0.7, 0.7, 0.5],
        slips={
            "nobody is in two groups, so what two groups cost does not add up": [1.0, 1.8, 0.5],
            "two releases about the same patients add up": [0.4, 0.7, 0.3],
            "two releases about the same group add up": [0.5, 0.7, 0.5],
            "releases about the same patients add up, in a group as among all": [0.5, 0.7, 0.3],
            "a patient of group 1 is among all patients too": [0.6, 0.7, 0.5],
            "that is for *replace*; under add/remove only one record moves": [1.4, 1.4, 1.0],
        },
        variant=VARIANT,
    ),
    answers(
        [(*account, "replace") for account in accounts],
        [1.4, 1.4, 1.0],
        slips={
            "a patient who is replaced is removed and another is added: the releases guarantee this for one": (
                [0.7, 0.7, 0.5]
            ),
            "a release about all patients also meets the record that goes and the one that comes": [1.3, 1.4, 0.5],
            "the new record may be in the group of the old one: then one group pays twice": [1.1, 1.3, 1.0],
            "the new record may be in the group of the old one, and all patients pay twice as well": [1.0, 1.3, 0.5],
        },
        variant=VARIANT,
    ),
)
### BEGIN HIDDEN TESTS
ledgers = [(np.array([0.4]), np.array([0])), (np.array([0.3]), fresh.integers(200, 9000, 1))]
for releases in (2, 3, 5, 9, 20, 60, 400, 3000):
    kinds = fresh.integers(0, fresh.integers(2, 12), releases)
    ledgers.append((fresh.uniform(0.1, 20, releases) / releases, kinds))
totals = np.array(
    [np.bincount(kinds, costs, 1)[0] + np.bincount(kinds, costs)[1:].max(initial=0) for costs, kinds in ledgers]
)
for relation, times in (("add/remove", 1), ("replace", 2)):
    check(total_epsilon, answers([(*ledger, relation) for ledger in ledgers], times * totals))
### END HIDDEN TESTS


# %% tags=["wrong"]
def total_epsilon(epsilons, groups, relation):
    # WRONG everything added up | nobody is in two groups
    return epsilons.sum() * (2 if relation == "replace" else 1)

    # WRONG the largest of all | two releases about the same patients add up
    return epsilons.max() * (2 if relation == "replace" else 1)

    # WRONG the largest release of the groups | two releases about the same group add up
    one = epsilons[groups == 0].sum() + epsilons[groups > 0].max(initial=0)
    return one * (2 if relation == "replace" else 1)

    # WRONG all patients taken for one more group | a patient of group 1 is among all patients too
    return np.bincount(groups, epsilons).max() * (2 if relation == "replace" else 1)

    # WRONG groups up to fifty | with other data, which you have not seen
    one = epsilons[groups == 0].sum() + max(epsilons[groups == group].sum() for group in range(1, 51))
    return one if relation == "add/remove" else 2 * one

    # WRONG the relation makes no difference | is removed and another is added
    return epsilons[groups == 0].sum() + np.bincount(groups, epsilons)[1:].max(initial=0)

    # WRONG only the groups doubled | also meets the record that goes
    largest = np.bincount(groups, epsilons)[1:].max(initial=0)
    return epsilons[groups == 0].sum() + largest * (2 if relation == "replace" else 1)

    # WRONG under replace the two largest groups | in the group of the old one: then one group
    totals = np.sort(np.bincount(groups, epsilons, minlength=3)[1:])
    public = epsilons[groups == 0].sum()
    return public + totals[-1] if relation == "add/remove" else 2 * public + totals[-2:].sum()


# %% [markdown]
# ## 2. Many counts, one budget (5 points)
#
# *You learn* to find what one person moves in many counts at once. About 35 minutes, medium.
#
# The clinic will publish counts of its patients by their number of visits last year. A row `(low, high)` of `ranges`
# asks how many patients had at least `low` and at most `high` visits. The ranges are public, whole numbers, and may
# overlap. `visits` holds one whole number from 0 up for each patient. Here are ten patients, and four ranges.

# %% tags=["setup"]
visits = np.array([2, 0, 5, 1, 2, 7, 4, 9, 5, 1])
ranges = np.array(mine([[0, 2], [2, 5], [2, 4], [5, 8]]))

# %% [markdown]
# Write `noisy_counts(visits, ranges, epsilon, rng)`: all counts in one array, one for each row of `ranges`, with fresh
# Laplace noise on each, of one scale for all. The *whole array* must be $\varepsilon$-DP when one patient is added or
# removed, whatever the patient's number of visits. The noise must be no larger than this guarantee needs for the given
# ranges. The counts are neither rounded nor cut. There may be no patients.


# %%
def noisy_counts(visits, ranges, epsilon, rng):
    ### BEGIN SOLUTION
    low, high = ranges.T
    counts = ((low <= visits[:, None]) & (visits[:, None] <= high)).sum(axis=0)
    # A patient pays for each range that holds them. Where most ranges meet, one of them begins.
    most = ((low <= low[:, None]) & (low[:, None] <= high)).sum(axis=1).max()
    return laplace_mechanism(counts, most, epsilon, rng)
    ### END SOLUTION


# %% points=5
check(
    noisy_counts,
    laplace_law(
        (visits, ranges),
        truth=mine([5, 5, 3, 3]),
        sensitivity=3,
        epsilon=0.5,
        centres={
            "a patient with exactly `high` visits counts as well": mine([3, 3, 2, 3]),
            "a patient with exactly `low` visits counts as well": mine([4, 3, 1, 1]),
        },
        sensitivities={
            "each count alone keeps the guarantee, all together do not: a patient with 2 visits is in three": 1,
            "too little: a patient with 2 visits is in three ranges, and the losses add up, without a square root": 2,
            "that is more than needed: no number of visits is in all four ranges": 4,
            "that is twice too much: here a patient is added or removed, not replaced": 6,
            "more counts need more noise on each, not less": 1 / 3,
        },
    ),
    laplace_law(
        (visits[[1, 3, 6]], ranges),
        truth=mine([2, 1, 1, 0]),
        sensitivity=3,
        epsilon=0.5,
        sensitivities={"the noise follows the visits that occur, which are secret: look at the ranges": 2},
    ),
    repeatable((visits, ranges, 0.5), shape=(4,)),
    private((visits, ranges, 1.0), (visits[1:], ranges, 1.0), epsilon=1.0, shape=(4,), additive=True),
)
### BEGIN HIDDEN TESTS
promises = fresh.permutation([0.01, 0.1, 0.6, 2.0, 20.0]) * fresh.uniform(0.8, 1.0, 5)
for people, wanted, promise in zip((0, 1, 12, 150, 3000), fresh.permutation([1, 2, 4, 6, 8]), promises, strict=True):
    least = int(fresh.integers(200, 9000)) if wanted == 8 else 0  # ranges may lie far up
    ends = least + np.sort(fresh.integers(0, 25, (wanted, 2)), axis=1)
    came = least + fresh.integers(0, 30, people)
    crowd = max(np.count_nonzero((ends[:, 0] <= v) & (v <= ends[:, 1])) for v in range(least, least + 30))
    found = [np.count_nonzero((low <= came) & (came <= high)) for low, high in ends]
    samples = 400 if wanted == 8 else 1000 if people > 999 else 5000  # an honest loop may go up to the ranges far up
    check(noisy_counts, laplace_law((came, ends), np.array(found, float), crowd, promise, samples=samples))
piled = np.array([[4, 6], [0, 12], [5, 5], [0, 5], [5, 9], [15, 15]])  # five of them hold 5 visits
others = np.append([5, 15], fresh.integers(0, 30, 8))
seldom = fresh.integers(0, 4, 9)  # nobody comes as often as where most ranges meet
found = [float(np.count_nonzero((low <= seldom) & (seldom <= high))) for low, high in piled]
check(noisy_counts, laplace_law((seldom, piled), found, 5, fresh.uniform(0.3, 3), samples=4000))
check(
    noisy_counts,
    private((others, piled, 1.5), (others[1:], piled, 1.5), epsilon=1.5, shape=(6,), additive=True),
)
### END HIDDEN TESTS


# %% tags=["wrong"]
def noisy_counts(visits, ranges, epsilon, rng):
    low, high = ranges.T
    inside = (low <= visits[:, None]) & (visits[:, None] <= high)
    counts = inside.sum(axis=0)

    # WRONG the true counts | NO_NOISE
    return counts

    # WRONG the budget not divided | each count alone keeps the guarantee, all together do not
    return laplace_mechanism(counts, 1, epsilon, rng)

    # WRONG one share a count | no number of visits is in all four ranges
    return laplace_mechanism(counts, len(ranges), epsilon, rng)

    # WRONG the square root of the number of counts | the losses add up, without a square root
    return laplace_mechanism(counts, np.sqrt(len(ranges)), epsilon, rng)

    # WRONG the sensitivity of the other relation | here a patient is added or removed, not replaced
    most = ((low <= low[:, None]) & (low[:, None] <= high)).sum(axis=1).max()
    return laplace_mechanism(counts, 2 * most, epsilon, rng)

    # WRONG the most ranges that hold one of the patients | the noise follows the visits that occur, which are secret
    return laplace_mechanism(counts, inside.sum(axis=1).max(), epsilon, rng)

    # WRONG the most ranges that meet up to the largest number of visits | with other data, which you have not seen
    reached = np.arange(visits.max(initial=0) + 1)[:, None]
    most = ((low <= reached) & (reached <= high)).sum(axis=1).max()
    return laplace_mechanism(counts, max(most, 1), epsilon, rng)

    # WRONG the most ranges that meet below a hundred visits | with other data, which you have not seen
    tried = np.arange(100)[:, None]
    return laplace_mechanism(counts, max(1, ((low <= tried) & (tried <= high)).sum(axis=1).max()), epsilon, rng)

    # WRONG the same noise on all counts | SHARED
    return counts + rng.laplace(scale=3 / epsilon)

    # WRONG the upper end left out | a patient with exactly `high` visits counts as well
    counts = np.array([np.sum((low <= visits) & (visits < high)) for low, high in ranges])
    return laplace_mechanism(counts, 3, epsilon, rng)

    # WRONG only for ranges that meet in threes | SCALE
    return laplace_mechanism(counts, 3, epsilon, rng)

    # WRONG the budget multiplied instead of divided | more counts need more noise on each, not less
    return counts + rng.laplace(scale=1 / (3 * epsilon), size=len(counts))

    # WRONG seed fixed | SAME_EACH_TIME
    return laplace_mechanism(counts, 3, epsilon, np.random.default_rng(0))


# %% [markdown]
# ## 3. Attack: each day a new promise (3 points)
#
# *You learn* to weigh noisy numbers by their noise, and what many small promises add up to. About 30 minutes, medium.
#
# A gym publishes every day how many members it has, with fresh Laplace noise of scale $1/\varepsilon_t$ on day $t$.
# There is little noise on Saturdays and Sundays, and much on other days. "Each number is $\varepsilon_t$-DP under
# add/remove", says the gym, "and each day is another question." For everybody but Ann the attacker knows whether they
# were a member on each day. Ann was a member all the time, or never. Which of the two? The function `gyms` below makes
# up many such people, each with a gym of their own; about half of them are members.


# %% tags=["setup"]
def gyms(epsilons, people, seed):
    """For each person: 1 (member) or 0; what the gym published, day by day; its other members, day by day."""
    rng = np.random.default_rng(seed)
    member = rng.integers(0, 2, people)
    others = rng.integers(150, 400, (people, len(epsilons)))
    return member, others + member[:, None] + rng.laplace(size=others.shape) / epsilons, others


# %% [markdown]
# Write `is_member(releases, others, epsilons)` for one person: 1 if a member, else 0. The three arrays have one entry a
# day: what the gym published, how many other members it had, and $\varepsilon_t$. Other gyms may choose other epsilons,
# and other numbers of days. You must be right about at least 98% of the people. The mean of `releases - others` is not
# good enough. How much does one day's release speak for each of the two cases, and how much do all days together?


# %%
def is_member(releases, others, epsilons):
    ### BEGIN SOLUTION
    # The privacy loss of each day, between "member" and "not"; one day can say no more than its epsilon. Losses add up.
    noise = releases - others
    return np.sum(epsilons * (np.abs(noise) - np.abs(noise - 1))) > 0
    ### END SOLUTION


# %% points=3
# The check
weeks = np.tile([0.1, 0.1, 0.1, 0.1, 0.1, 0.5, 0.5], 48)
members, published, known = gyms(weeks, 400, seed=(4, 5, 6, 7, 9, 10)[VARIANT])
excess = published - known
check(
    is_member,
    answers(
        [(*person, weeks) for person in zip(published, known, strict=True)],
        members,
        slips={
            "each person is taken for the opposite of what they are": 1 - members,
            "you say 0 for everybody: products of many densities are too small for the computer, sums of logarithms are "
            "not": np.zeros(400),
            "the plain mean drowns in the noisy days: not every day is as exact": excess.mean(axis=1) > 0.5,
            "better, but a day twice as exact deserves even more weight": excess @ weeks / weeks.sum() > 0.5,
            "good weights for a mean; but how much can one day tell, however far out its release?": (
                excess @ weeks**2 / np.sum(weeks**2) > 0.5
            ),
            "one day does not tell enough: use them all": excess[:, weeks.argmax()] > 0.5,
            "with Ann the noise centres on 1, without her on 0: where is the middle?": excess.mean(axis=1) > 0,
            "good: a day far out has one vote only; but an exact day should count for more": (
                np.mean(excess > 0.5, axis=1) > 0.5
            ),
        },
        share=0.98,
    ),
)
### BEGIN HIDDEN TESTS
for days in (
    np.full(fresh.integers(400, 700), 0.2),
    np.append(np.full(fresh.integers(20, 60), 0.01), 8.0),
    np.tile([0.05, 0.8, 0.1, 0.02], fresh.integers(40, 70)),
    np.array([fresh.uniform(8, 20)]),
    fresh.permutation(np.append(np.full(1500, 0.01), np.full(20, 1.5))),
):
    found, seen, rest = gyms(days, 250, int(fresh.integers(2**40)))
    off = seen - rest
    likelier = np.sum(days * (np.abs(off) - np.abs(off - 1)), axis=1) > 0  # what the density says, which errs too
    errs = np.mean(likelier != found)
    check(is_member, answers([(*one, days) for one in zip(seen, rest, strict=True)], found, share=min(0.98, 1 - errs)))
### END HIDDEN TESTS


# %% tags=["wrong"]
def is_member(releases, others, epsilons):
    # WRONG the mean | the plain mean drowns in the noisy days
    return int(np.mean(releases - others) > 0.5)

    # WRONG the mean weighted by epsilon | a day twice as exact deserves even more weight
    return int(np.average(releases - others, weights=epsilons) > 0.5)

    # WRONG the mean with the least variance | how much can one day tell
    return int(np.average(releases - others, weights=epsilons**2) > 0.5)

    # WRONG the most exact day | one day does not tell enough
    return int((releases - others)[np.argmax(epsilons)] > 0.5)

    # WRONG a member if the mean is above 0 | where is the middle
    return int(releases.mean() > others.mean())

    # WRONG one day, one vote | an exact day should count for more
    return int(np.mean(releases - others > 0.5) > 0.5)


# %% [markdown]
# The gym promised $\varepsilon_t$ a day. Together that is $\sum_t \varepsilon_t$ = 72 in these 48 weeks.

# %% [markdown]
# ## 4. Challenge: the least delta (4 points)
#
# *You learn* to compute the smallest delta from its definition, by listing. About 40 minutes, hard.
#
# A mechanism has a few possible outputs. Their probabilities are `with_you` if your record is in the data, and
# `without_you` if it is not; some may be 0. It is run $k$ times, each time with fresh noise, and all $k$ outputs are
# published. Advanced composition guarantees $(\varepsilon, \delta)$ for it, but with how much to spare?
#
# Write `least_delta(with_you, without_you, k, epsilon)`: the *smallest* $\delta$ such that for every event $T$, a set
# of results that the $k$ runs can have,
#
# $$\Pr[T] \le e^\varepsilon \Pr{}'[T] + \delta \quad\text{and}\quad \Pr{}'[T] \le e^\varepsilon \Pr[T] + \delta ,$$
#
# where $\Pr$ is with you and $\Pr{}'$ without. There are at most 4 outputs, and $k$ is at most 6: you may list all
# results of the $k$ runs. You need not list the events.


# %%
def least_delta(with_you, without_you, k, epsilon):
    ### BEGIN SOLUTION
    p = q = np.ones(1)
    for _ in range(k):
        p, q = np.outer(p, with_you).ravel(), np.outer(q, without_you).ravel()
    # The worst event holds just the outcomes that exceed e^epsilon times their other probability.
    return max(np.maximum(one - np.exp(epsilon) * other, 0).sum() for one, other in ((p, q), (q, p)))
    ### END SOLUTION


# %% points=4
# The check
coin, flipped = np.array([0.75, 0.25]), np.array([0.25, 0.75])
here, there = np.array([0.5, 0.5, 0.0]), np.array([0.5, 0.25, 0.25])
# coin twice: 9, 3, 3, 1 sixteenths against 1, 3, 3, 9; here twice: four times 1/4 against 1/4, 1/8, 1/8, 1/16, and 7/16
check(
    least_delta,
    answers(
        [(coin, flipped, 2, np.log(3)), (here, there, 2, np.log(1.5)), (there, here, 2, np.log(1.5))],
        [0.375, 0.4375, 0.4375],
        slips={
            "without you must not exceed with you either: look at both inequalities": [0.375, 0.28125, 0.4375],
            "with you must not exceed without you either: look at both inequalities": [0.375, 0.4375, 0.28125],
            "each inequality needs a delta of its own, and one delta serves both: not their sum": (
                [0.75, 0.71875, 0.71875]
            ),
            "an event may hold many outcomes: the worst one is no single outcome": [0.375, 0.15625, 0.15625],
            "that is the probability of a loss above epsilon; of such an event, e^epsilon Pr' is covered already": (
                [0.5625, 0.75, 0.75]
            ),
            "that is the probability of a loss above epsilon, in one direction; of such an event, e^epsilon Pr' is "
            "covered already": [0.5625, 0.75, 0.4375],
            "the mechanism is run k times, and you looked at one run": [0.0, 0.25, 0.25],
            "k times the delta of one run belongs to k times epsilon, not to epsilon": [0.0, 0.5, 0.5],
            "k times the delta of one run at epsilon / k is a guarantee that holds, but not the least": (
                [1.5 - 3**0.5 / 2, 0.5, 0.5]
            ),
            "epsilon plays no part in your answer": [0.5, 0.4375, 0.4375],
            "epsilon is what all k runs may lose: do not multiply it by k": [0.0, 0.4375, 0.4375],
            "over all outcomes the difference is 1 - e^epsilon: which of them should the event leave out?": (
                [-2, -0.5, -0.5]
            ),
            "what is impossible on one side counts as well: there e^epsilon Pr' is 0": [0.375, 0.28125, 0.28125],
        },
        tolerance=1e-9,
        variant=VARIANT,
    ),
)
### BEGIN HIDDEN TESTS
from functools import reduce

from dpbook.composition import optimal

loss = fresh.uniform(0.1, 1.0)
truthful = np.exp(loss) / (1 + np.exp(loss))
answer = np.array([truthful, 1 - truthful])
budgets = [(k, delta) for k in (1, 3, 6) for delta in (1e-2, 1e-4)]
laws = [np.array([0.0, 0.0, 0.0, 1.0]), *fresh.dirichlet(np.ones(4), 3)]
laws[1][fresh.integers(4)] = 0
laws[1] /= laws[1].sum()
runs = [(p, q, k, e) for p in laws for q in laws for k, e in ((1, 0.0), (2, 0.7), (6, 1.3), (5, 12.0), (3, 0.01))]


def covered(one, other, k, epsilon):
    tables = [reduce(np.multiply.outer, [law] * k) for law in (one, other)]
    return np.minimum(tables[0], np.exp(epsilon) * tables[1]).sum()


check(
    least_delta,
    answers(
        [(answer, answer[::-1], k, optimal(loss, k, delta)) for k, delta in budgets],
        [delta for _, delta in budgets],
        tolerance=1e-9,
    ),
    answers(runs, [1 - min(covered(p, q, k, e), covered(q, p, k, e)) for p, q, k, e in runs], tolerance=1e-9),
)
### END HIDDEN TESTS


# %% tags=["wrong"]
def least_delta(with_you, without_you, k, epsilon):
    p = q = np.ones(1)
    for _ in range(k):
        p, q = np.outer(p, with_you).ravel(), np.outer(q, without_you).ravel()

    # WRONG only one of the inequalities | look at both inequalities
    return np.maximum(p - np.exp(epsilon) * q, 0).sum()

    # WRONG both inequalities added up | not their sum
    return np.maximum(p - np.exp(epsilon) * q, 0).sum() + np.maximum(q - np.exp(epsilon) * p, 0).sum()

    # WRONG the worst single outcome | the worst one is no single outcome
    return max(0, np.max(p - np.exp(epsilon) * q), np.max(q - np.exp(epsilon) * p))

    # WRONG the probability of a loss above epsilon | that is the probability of a loss above epsilon
    return max(p[p > np.exp(epsilon) * q].sum(), q[q > np.exp(epsilon) * p].sum())

    # WRONG the probability of a loss above epsilon, with you only | a loss above epsilon, in one direction
    return p[p > np.exp(epsilon) * q].sum()

    # WRONG one run only | you looked at one run
    pairs = (with_you, without_you), (without_you, with_you)
    return max(np.maximum(p - np.exp(epsilon) * q, 0).sum() for p, q in pairs)

    # WRONG sequential composition of epsilon and delta | at epsilon / k is a guarantee that holds, but not the least
    pairs = (with_you, without_you), (without_you, with_you)
    return k * max(np.maximum(p - np.exp(epsilon / k) * q, 0).sum() for p, q in pairs)

    # WRONG outcomes with a probability of zero left out | what is impossible on one side counts as well
    p, q = p[(p > 0) & (q > 0)], q[(p > 0) & (q > 0)]
    return max(np.maximum(one - np.exp(epsilon) * other, 0).sum() for one, other in ((p, q), (q, p)))

    # WRONG only for two runs | SOME_WRONG
    p, q = np.outer(with_you, with_you), np.outer(without_you, without_you)
    return max(np.maximum(one - np.exp(epsilon) * other, 0).sum() for one, other in ((p, q), (q, p)))


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* to tell a choice that looks at the data from one that looks at the releases. About 20 minutes, medium.
#
# A clinic draws ten noisy releases of the same count, each with fresh Laplace noise and each 0.1-DP. It prints one
# number and throws the others away. Three employees would choose it in three ways. Ada prints the release that is
# nearest to the true count. Ben prints the one in sixth place from below. Cem throws a fair ten-sided die and prints
# the release with that number. "Only one number is printed, so it is 0.1-DP", says each of them. For each of the three:
# does chapter 02 support that claim, and if not, what goes wrong, or what is guaranteed instead? Three to six
# sentences.

# %% [markdown] name="explain_choice" points=3
# ### BEGIN SOLUTION
# Ada's choice looks at the true count again, so it is no post-processing of the ten releases. Printing one number
# instead of ten is no excuse. She picks the smallest noise of ten, which is Laplace noise of a tenth of the scale.
# The number she prints has the loss 1.0 instead of 0.1. Ben looks at the releases only. His number is post-processing
# of all ten together, which are 1.0-DP by sequential composition. The nine that he throws away took part in the
# choice and count, so 0.1 is not shown. Cem's die looks at neither: whatever it shows, the number is one 0.1-DP
# release. A mixture of such, by a coin that does not depend on the data, is 0.1-DP (convexity). He need not have
# drawn the others.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each, none for a bare yes or no:
#
# - (a) Ada: not 0.1, because the choice uses the true count and so is not post-processing. Or: because her noise is that
#   of a larger epsilon (1.0, not asked).
# - (b) Ben: post-processing of all ten, which guarantee 10 x 0.1 = 1.0. Accept "less may be true, but not by these
#   theorems". No point if the nine are said to cost nothing, or if Ben is said to exceed 1.0.
# - (c) Cem: 0.1 holds, by convexity, or because the die is thrown without the data and the nine others need not exist.
#   Accept "nine cost nothing as they are never looked at".
# ### END MARK SCHEME
