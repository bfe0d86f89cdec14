# %% [markdown]
# # Assignment 01: Incidents
#
# Five tasks, 18 points. You need chapter 01, *Incidents*, and of chapter 03 the Laplace mechanism.
#
# All data here are invented. Yours may differ from those of others. Neighbours differ by *replacing* one record; the
# number of records is public.

# %% tags=["setup"]
import numpy as np

from dpbook.check import answers, check, draws_here, laplace_law, private, repeatable

VARIANT = 0  # of 6

# %% [markdown]
# ## 1. How sure can an accuser be? (3 points)
#
# *You learn* what $\varepsilon$ says about an accusation. About 20 minutes, easy to medium.
#
# An attacker looks at an $\varepsilon$-DP release and accuses some candidates of having been in the study. Of all
# candidates the fraction `members` was in it (above 0, below 1). Of those who were not in it, the fraction `innocent`
# is accused (above 0, at most 1). Write `most_right(innocent, members, epsilon)`: the largest fraction of the *accused*
# that can have been in the study, whatever the attack. Treat all fractions as probabilities.


# %%
def most_right(innocent, members, epsilon):
    ### BEGIN SOLUTION
    found = min(np.exp(epsilon) * innocent, 1 - np.exp(-epsilon) * (1 - innocent))
    return members * found / (members * found + (1 - members) * innocent)
    ### END SOLUTION


# %% points=3
# The check
check(
    most_right,
    answers(
        [(0.05, 0.1, 1.0), (0.5, 0.2, 2.0), (0.01, 0.5, 0.1), (0.9, 0.3, 0.5)],
        [0.2319693167, 0.3179490741, 0.5249791875, 0.309062096],
        slips={
            "that is the largest share of the members who are accused": (
                [0.1359140914, 0.9323323584, 0.01105170918, 0.939346934]
            ),
            "members cannot be accused more often than always: in your answer `innocent` cancels out": (
                [0.2319693167, 0.6487856443, 0.5249791875, 0.4140378359]
            ),
            "those who are *not* accused have a guarantee, too: look at the other bound": (
                [0.2319693167, 0.3333333333, 0.5249791875, 0.3225806452]
            ),
            "only one of the two bounds: a small share of innocents is bounded otherwise": (
                [0.5911003559, 0.3179490741, 0.9124427258, 0.309062096]
            ),
            "few or many of the candidates were in the study: that counts": (
                [0.7310585786, 0.6509190084, 0.5249791875, 0.5106958979]
            ),
            "the share of the innocent who are accused is a share of those who were not in it": (
                [0.2137302715, 0.2716323074, 0.3559130712, 0.2384524516]
            ),
            "e^epsilon bounds a ratio of chances, not a sum": [0.6896551724, 0.3333333333, 0.9166666667, 0.3225806452],
            "nobody guarantees that no member is found": [0.1, 0.2, 0.5, 0.3],
        },
        tolerance=1e-6,
        variant=VARIANT,
    ),
)
### BEGIN HIDDEN TESTS
accused = [(1.0, 0.5, 1.0), (1.0, 0.2, 20.0)]
for promise in (0.01, 0.1, 1.0, fresh.uniform(0.2, 5), 20.0):
    accused += [(share, fresh.uniform(0.001, 0.999), promise) for share in np.exp(-fresh.uniform(0, 9, 5))]
right_shares = []
for share, among, promise in accused:
    odds = among / (1 - among) * min(np.exp(promise), (np.expm1(promise) + share) / (share * np.exp(promise)))
    right_shares.append(odds / (1 + odds))
check(most_right, answers(accused, right_shares))
### END HIDDEN TESTS


# %% tags=["wrong"]
def most_right(innocent, members, epsilon):
    found = min(np.exp(epsilon) * innocent, 1 - np.exp(-epsilon) * (1 - innocent))

    # WRONG the members found | that is the largest share of the members
    return found

    # WRONG more often than always | the other bound
    found = min(np.exp(epsilon) * innocent, 1)
    return members * found / (members * found + (1 - members) * innocent)

    # WRONG e^epsilon alone | more often than always
    found = np.exp(epsilon) * innocent
    return members * found / (members * found + (1 - members) * innocent)

    # WRONG the opposite bound alone | only one of the two bounds
    found = 1 - np.exp(-epsilon) * (1 - innocent)
    return members * found / (members * found + (1 - members) * innocent)

    # WRONG as many members as others | few or many of the candidates
    return found / (found + innocent)

    # WRONG a share of all | is a share of those who were not in it
    return members * found / (members * found + innocent)

    # WRONG nothing learned | nobody guarantees that no member is found
    return members


# %% [markdown]
# ## 2. Averages of unlike numbers (5 points)
#
# *You learn* to release many averages at once. About 30 minutes, medium.
#
# A study publishes the average of each attribute. Each row in `records` is one record, each column one attribute. It is
# public that the numbers of attribute $j$ lie between `lows[j]` and `highs[j]`. A number outside is an error, and is
# moved to the nearest bound.

# %% tags=["setup"]
patients = np.array([[61.0, 0.0, -0.8], [82.5, 1.0, -1.6], [70.0, 1.0, 99.0], [55.5, 0.0, 0.1], [73.0, 1.0, -0.5]])
lows, highs = np.array([40.0, 0.0, -2.0]), np.array([130.0, 1.0, 10.0])

# %% [markdown]
# Write `private_means(records, lows, highs, epsilon, rng)`: an array of all averages, each with fresh Laplace noise.
# Together they are $\varepsilon$-DP when one record is *replaced*. Each attribute gets an equal part of $\varepsilon$,
# and no more noise than it then needs. The averages are neither rounded nor cut. There is at least one record.


# %%
def private_means(records, lows, highs, epsilon, rng):
    ### BEGIN SOLUTION
    people, attributes = records.shape
    means = np.clip(records, lows, highs).mean(axis=0)
    return means + rng.laplace(scale=(highs - lows) / people / (epsilon / attributes))
    ### END SOLUTION


# %% points=5
# The check
check(
    private_means,
    laplace_law(
        (patients, lows, highs),
        truth=[68.4, 0.6, 1.44],
        sensitivity=[54.0, 0.6, 7.2],
        epsilon=0.5 + VARIANT / 10,
        centres={
            "a number outside the bounds is in the average: move it to the nearest bound": [68.4, 0.6, 19.24],
            "a number outside the bounds is left out: move it to the nearest bound": [68.4, 0.6, -0.7],
            "averages are asked for, not sums": [342.0, 3.0, 7.2],
        },
        sensitivities={
            "each attribute gets a *share* of epsilon: one person is in all the averages": [18.0, 0.2, 2.4],
            "a person moves an average by a part only: divide by the number of records": [270.0, 3.0, 36.0],
            "the same noise for all is private too, but each attribute is to get an equal share of epsilon": 20.6,
            "the noise follows the numbers in the data, and these are secret: use the public bounds": [16.2, 0.6, 6.96],
            "this noise is for a record that is added or removed; here one is replaced": [78.0, 0.6, 6.0],
            "this is what all of epsilon gives a sum; share it among the attributes, not among the records, and divide "
            "by their number": [90.0, 1.0, 12.0],
            "shares of epsilon add up, not their squares": [18 * 3**0.5, 0.2 * 3**0.5, 2.4 * 3**0.5],
        },
        samples=5000,
    ),
    repeatable((patients, lows, highs, 0.5), shape=(3,)),
    private(
        (patients, lows, highs, 1.0),
        (np.vstack([patients[:4], highs + 50]), lows, highs, 1.0),
        epsilon=1.0,
        shape=(3,),
        samples=3000,
        additive=True,
    ),
)
### BEGIN HIDDEN TESTS
promises = fresh.permutation([0.01, 0.1, 0.7, 4.0, 20.0]) * fresh.uniform(0.75, 1.0, 5)
sizes = fresh.integers([1, 2, 12, 30, 1050], [2, 12, 60, 100, 2500])
widths = fresh.integers([1, 8, 6, 30, 2], [2, 16, 12, 60, 5])
for people, attributes, draws, promise in zip(sizes, widths, (9000, 5000, 3000, 500, 400), promises, strict=True):
    least = np.round(fresh.uniform(-40, 20, attributes) * (fresh.random(attributes) < 0.6), 1)
    most = least + np.exp(fresh.uniform(0.5, 4, attributes))
    most[0], least[0] = (most[0], 0.0) if most[0] > 1 else (0.0, -1.5)
    table = fresh.uniform(least - 5, most + 5, (people, attributes))
    means = np.array(
        [sum(min(max(x, a), b) for x in column) for column, a, b in zip(table.T, least, most, strict=True)]
    )
    moved = (most - least) * attributes / people
    check(private_means, laplace_law((table, least, most), means / people, moved, promise, samples=draws))
ends = np.zeros(4), fresh.uniform(1, 9, 4)
low_half, one_high = np.zeros((3, 4)), np.vstack([np.zeros((2, 4)), np.full(4, 99.0)])
calls = [(table, *ends, 1.5) for table in (low_half, one_high)]
check(private_means, private(*calls, epsilon=1.5, shape=(4,), samples=3000, additive=True))
### END HIDDEN TESTS


# %% tags=["wrong"]
def private_means(records, lows, highs, epsilon, rng):
    people, attributes = records.shape
    means = np.clip(records, lows, highs).mean(axis=0)

    # WRONG no noise | NO_NOISE
    return means

    # WRONG all of epsilon for each | one person is in all the averages
    return means + rng.laplace(scale=(highs - lows) / people / epsilon)

    # WRONG the noise of a sum | divide by the number of records
    return means + rng.laplace(scale=(highs - lows) / (epsilon / attributes))

    # WRONG one scale | the same noise for all is private too
    return means + rng.laplace(scale=(highs - lows).sum() / people / epsilon)

    # WRONG the data's own range | use the public bounds
    kept = np.clip(records, lows, highs)
    return means + rng.laplace(scale=np.ptp(kept, axis=0) / people / (epsilon / attributes))

    # WRONG the other relation | here one is replaced
    farthest = np.maximum(np.abs(lows), np.abs(highs))
    return means + rng.laplace(scale=farthest / people / (epsilon / attributes))

    # WRONG shares for records | not among the records
    return means + rng.laplace(scale=(highs - lows) / people / (epsilon / people))

    # WRONG the root of the attributes | not their squares
    return means + rng.laplace(scale=(highs - lows) / people / (epsilon / np.sqrt(attributes)))

    # WRONG errors left in | a number outside the bounds is in the average
    return records.mean(axis=0) + rng.laplace(scale=(highs - lows) / people / (epsilon / attributes))

    # WRONG errors left out | a number outside the bounds is left out
    means = np.nanmean(np.where((lows <= records) & (records <= highs), records, np.nan), axis=0)
    return means + rng.laplace(scale=(highs - lows) / people / (epsilon / attributes))

    # WRONG one noise for all | SHARED
    return means + (highs - lows) * attributes / people * rng.laplace(scale=1 / epsilon)


# %% [markdown]
# ## 3. Rounded, before and after (3 points)
#
# *You learn* how much rounding leaves open. About 15 minutes, easy.
#
# An office with `people` employees publishes their average salary, rounded to the nearest multiple of `step`. (So it is
# off by half a step at most.) A new colleague comes, nobody leaves or gets a rise, and the office publishes again.
# `before` and `after` are the two published numbers. Write `salary_range(people, before, after, step)`: the smallest
# and the largest salary that the new colleague can have. Salaries are at least 0.


# %%
def salary_range(people, before, after, step):
    ### BEGIN SOLUTION
    middle, off = (people + 1) * after - people * before, (2 * people + 1) * step / 2
    return [max(middle - off, 0), middle + off]
    ### END SOLUTION


# %% points=3
# The check
offices = [(9, 3100.0, 3150.0, 10.0), (4, 2000.0, 1700.0, 100.0), (1, 2500.0, 2500.0, 1.0)]
check(
    salary_range,
    answers(
        offices,
        [[3505, 3695], [50, 950], [2498.5, 2501.5]],
        slips={
            "both averages were rounded, and each error counts for all who are in it": (
                [[3600, 3600], [500, 500], [2500, 2500]]
            ),
            "the errors of *both* averages are multiplied by numbers of people": (
                [[3550, 3650], [250, 750], [2499, 2501]]
            ),
            "a rounded number is off by half a step, not by a whole one": [[3410, 3790], [0, 1400], [2497, 2503]],
            "one person more is in the second average": [[3455, 3645], [350, 1250], [2498.5, 2501.5]],
            "rounding of an average weighs for each of the people in it": [[3590, 3610], [400, 600], [2499, 2501]],
            "the first error pulls the other way: it does not take the second one back": (
                [[3595, 3605], [450, 550], [2499.5, 2500.5]]
            ),
            "that is how far the average moved": [[40, 60], [0, 0], [0, 1]],
        },
        variant=VARIANT,
    ),
    answers([(10, 2400.0, 2200.0, 100.0)], [[0, 1250]], slips={"salaries are at least 0": [[-850, 1250]]}),
)
### BEGIN HIDDEN TESTS
published, ranges = [(3, 100.0, 60.0, 20.0)], [[0.0, 10.0]]
for people in (1, 2, 30, 500, int(fresh.integers(1000, 9000))):
    for step in (0.01, 1.0, 50.0):
        first, second = step * np.round(fresh.uniform(20, 90, 2) * 50 / step * [1, 1 + 0.1 / people])
        whole = [(people + 1) * (second + side * step / 2) - people * (first - side * step / 2) for side in (-1, 1)]
        if whole[1] > 0:
            published.append((people, first, second, step))
            ranges.append([max(0.0, whole[0]), whole[1]])
check(salary_range, answers(published, ranges, tolerance=1e-4))
### END HIDDEN TESTS


# %% tags=["wrong"]
def salary_range(people, before, after, step):
    middle, off = (people + 1) * after - people * before, (2 * people + 1) * step / 2

    # WRONG as if exact | both averages were rounded
    return [middle, middle]

    # WRONG the second error only | the errors of *both* averages
    return [middle - (people + 1) * step / 2, middle + (people + 1) * step / 2]

    # WRONG whole steps | half a step
    return [max(middle - 2 * off, 0), middle + 2 * off]

    # WRONG as many people | one person more
    middle = people * (after - before) + before
    return [middle - off, middle + off]

    # WRONG one step for all | for each of the people in it
    return [middle - step, middle + step]

    # WRONG the errors subtracted | does not take the second one back
    return [middle - step / 2, middle + step / 2]

    # WRONG salaries below 0 | keep going: salaries are at least 0
    return [middle - off, middle + off]


# %% [markdown]
# ## 4. Attack: who was in the study? (4 points)
#
# *You learn* to weigh rare attributes. About 35 minutes, medium to hard.
#
# A study publishes, for each of many yes-or-no attributes, the exact fraction of its members who have it. Some
# attributes are common and some very rare; in the population they are independent, and `reference` has their
# frequencies there. Write `scores(records, published, reference)`: a finite number for each row of `records`, an array
# of 0 and 1 with a row for each person. A higher number means that the person is likelier to have been in the study.
# Take the number that 95 of 100 strangers (people who were not in it) do not exceed. At least 85% of the members must
# be above it. The chapter's statistics for independent attributes are not good enough, because a rare attribute that
# somebody shares with the study says much.


# %% jupyter={"source_hidden": true} tags=["setup"]
# What the check needs
def finds_members(people, attributes, seed, least=0.85):
    """A requirement: in six studies so many of the members score higher than 95 of 100 strangers."""
    rng = np.random.default_rng(seed)
    plays, inside = [], np.arange(people + 400) < people
    for _ in range(6):
        shares = np.exp(rng.uniform(np.log(0.004), np.log(0.5), attributes))
        drawn = (rng.random((people + 400, attributes)) < shares).astype(float)
        plays.append((drawn, drawn[:people].mean(axis=0), shares))

    def requirement(draw):
        given = draw(plays, shape=(people + 400,))[:, 0]
        found, turned = (
            np.mean(one[:, inside] > np.quantile(one[:, ~inside], 0.95, axis=1)[:, None]) for one in (given, -given)
        )
        if found >= least:
            return ""
        hint = "how surprising is it that somebody who is *not* in the study has such a rare attribute?"
        if turned >= least:
            hint = "members get lower numbers than strangers: turn them round"
        elif np.mean(given.std(axis=1)) < 1e-9:
            hint = "all get the same number"
        return f"{found:.0%} of the members are found, where {least:.0%} are asked; {hint}"

    return requirement


# %%
def scores(records, published, reference):
    ### BEGIN SOLUTION
    # The best linear score divides by the variance of an attribute: a rare one hardly varies.
    return (records - reference) @ ((published - reference) / (reference * (1 - reference)))
    ### END SOLUTION


# %% points=4
# The check
check(scores, finds_members(50, 600, seed=1 + VARIANT))


### BEGIN HIDDEN TESTS
def likelihoods(records, published, reference):
    """Likelier in the study: by the normal law of sums of independent attributes, one after the other."""
    return sum((y - p) * (m - p) / p / (1 - p) for y, m, p in zip(records.T, published, reference, strict=True))


def in_any_order(requirement, rows):
    """The same requirement on the same six studies, their rows in other orders: a row's place says nothing."""
    orders = [fresh.permutation(rows) for _ in range(6)]

    def reordered(draw):
        def back_in_order(plays, **options):
            moved = [(play[0][order], *play[1:]) for play, order in zip(plays, orders, strict=True)]
            return np.take_along_axis(draw(moved, **options), np.argsort(orders)[:, None], axis=2)

        return requirement(back_in_order)

    return reordered


for people, attributes in ((50, 600), (80, 1200), (int(fresh.integers(45, 70)), 900)):
    trouble, seed = "draw again", 0
    while trouble:
        seed = int(fresh.integers(2**40))
        trouble = finds_members(people, attributes, seed, least=0.88)(draws_here(likelihoods))
    check(scores, in_any_order(finds_members(people, attributes, seed), people + 400))
### END HIDDEN TESTS


# %% tags=["wrong"]
def scores(records, published, reference):
    # WRONG Homer's statistic | such a rare attribute
    return (np.abs(records - reference) - np.abs(records - published)).sum(axis=1)

    # WRONG centred, not weighted | such a rare attribute
    return (records - reference) @ (published - reference)

    # WRONG the distance to the study | of the members are found
    return -np.abs(records - published).sum(axis=1)

    # WRONG turned round | turn them round
    return -((records - reference) @ ((published - reference) / (reference * (1 - reference))))

    # WRONG attributes counted | such a rare attribute
    return records.sum(axis=1)

    # WRONG common attributes weigh more | of the members are found
    return (records - reference) @ ((published - reference) * reference)

    # WRONG the place of a row | with other data, which you have not seen
    return -np.arange(len(records))


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* what is wrong with averages, rounding, and an epsilon for each average. About 20 minutes, medium.
#
# A hospital will publish, for a study with 60 patients, the averages of 400 laboratory values, all scaled to lie between
# 0 and 1.
#
# - (1) "There are only averages, so nobody can be recognised."
# - (2) "If need be we round them to two digits."
# - (3) "Or we add Laplace noise of scale $1/60$ to each: this is $\varepsilon = 1$."
#
# Comment on each of the three, and say what the hospital could publish instead. Three to six sentences.

# %% [markdown] name="explain_averages" points=3
# ### BEGIN SOLUTION
# (1) Each patient pulls each of the 400 averages towards the patient's own value, by 1/60 of the distance. Anyone who
# knows a person's values adds up 400 small hints and can tell members from strangers, as Homer and others did. (2)
# Rounding is not noise, because it is deterministic. So two neighbours on different sides of a rounding step are told
# apart with certainty, and there is no guarantee at all. Over 400 averages the errors of rounding average out for the
# attacker as well. (3) One patient who is replaced moves each average by up to 1/60, so each is 1-DP. But the loss of
# all 400 together is up to 400. For $\varepsilon = 1$ in all the scale must be $400/60 = 6.7$, far more than the
# averages themselves. So publish few averages, chosen beforehand, of many more patients, or keep the table under
# controlled access.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each:
#
# - (1) Membership can be inferred from many averages, because each member pulls every average a little. A bare
#   "linkage" is not enough.
# - (2) Rounding is deterministic and guarantees nothing, and the attack survives it: either reason.
# - (3) The sum is 400 epsilon, and the scale 400/60 (about 6.7, or "400 times as much"). The number must be there,
#   and the consequence: useless, so fewer averages or more people.
# ### END MARK SCHEME
