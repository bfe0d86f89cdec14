# %% [markdown]
# # Assignment 04: Choosing privately
#
# Five tasks, 17 points. You need chapter 04, *The exponential mechanism*.
#
# You may use all of `dpbook`; read what each function promises, and to whom.
#
# Neighbours under *add/remove*: one dataset has one record more. Neighbours under *replace*: both have the same number
# of records, and one record differs. All data here are invented. Yours may differ from those of others.

# %% tags=["setup"]
from functools import partial

import numpy as np

from dpbook.check import answers, check, own_order, private, repeatable, Unusable
from dpbook.check import discrete_law
from dpbook.exponential import exponential_mechanism, quantile_quality, selection_probabilities

VARIANT = 0  # of 6
UNIT = 1 + VARIANT / 2  # of your own numbers
mine = partial(own_order, variant=VARIANT)


def law(quality, slope):
    """Chances in proportion to exp(slope * quality): the checks compare your draws with them."""
    return selection_probabilities(quality, 1, slope, monotonic=True)


# %% [markdown]
# ## 1. How far ahead? (2 points)
#
# *You learn* to solve the exponential mechanism's chances for the lead that they need. About 15 minutes, easy.
#
# A survey asks for the favourite song, and the *mode* is released by the exponential mechanism. The quality of an
# answer is its count. The release is $\varepsilon$-DP under add/remove, and its probabilities are as steep as this
# permits. There are `candidates` possible answers. One of them leads by $k$ records; all others have the same count.
# Return the smallest $k$ at which the leader is drawn with probability `chance`, which is at least one half. Do not
# round $k$.


# %%
def lead_needed(candidates, chance, epsilon):
    ### BEGIN SOLUTION
    # The leader's weight is exp(epsilon k) beside candidates - 1 weights of 1: solve for k.
    return np.log((candidates - 1) * chance / (1 - chance)) / epsilon
    ### END SOLUTION


# %% points=2
check(
    lead_needed,
    answers(
        [(4, 0.75, 1 / UNIT), (1_000_001, 0.9, 0.1 / UNIT)],
        UNIT * np.array([2.19722458, 160.12735124]),
        slips={
            sentence: UNIT * np.array(leads)
            for sentence, leads in {
                "twice too far: one more record never moves two counts in opposite directions": [4.39445, 320.2547],
                "you beat one other candidate; how many others share the rest of the chance?": [1.09861, 21.97225],
                "the leader is not one of those it has to beat": [2.48491, 160.12736],
                "the chance you were asked for plays no part in your answer": [1.09861, 138.15511],
                "beside the chance to win, count the chance to lose: their ratio is the odds": [0.81093, 137.1015],
                "the weights are powers of e: take the natural logarithm": [0.95424, 69.54243],
            }.items()
        }
        | {
            "a smaller epsilon makes a flatter lottery, so the leader needs more": [2.19722 / UNIT, 1.60127 / UNIT],
            "epsilon plays no part in your answer": [2.19722, 16.01274],
        },
        tolerance=2e-5,
    ),
)
### BEGIN HIDDEN TESTS
rivals, wins = np.append(2, np.exp(fresh.uniform(1, 14, 40)).astype(int)), np.append(0.5, fresh.uniform(0.5, 0.999, 40))
promises = np.exp(fresh.uniform(np.log(0.01), np.log(20), 41))
leads = (np.log(rivals - 1) + np.log(wins) - np.log1p(-wins)) / promises
check(lead_needed, answers(list(zip(rivals, wins, promises, strict=True)), leads, tolerance=1e-5))
### END HIDDEN TESTS


# %% tags=["wrong"]
def lead_needed(candidates, chance, epsilon):
    # WRONG the general factor 2 | never moves two counts in opposite directions
    return 2 * np.log((candidates - 1) * chance / (1 - chance)) / epsilon

    # WRONG only the next candidate | how many others share the rest
    return np.log(chance / (1 - chance)) / epsilon

    # WRONG the leader counted among the others | not one of those it has to beat
    return np.log(candidates * chance / (1 - chance)) / epsilon

    # WRONG chance taken for odds | their ratio is the odds
    return np.log((candidates - 1) * chance) / epsilon

    # WRONG the formula for one half | the chance you were asked for plays no part
    return np.log(candidates - 1) / epsilon

    # WRONG multiplied by epsilon | so the leader needs more
    return np.log((candidates - 1) * chance / (1 - chance)) * epsilon


# %% [markdown]
# ## 2. The favourite plan (5 points)
#
# *You learn* to find the range and the sensitivity of a score, and to draw without waste. About 35 minutes, medium.
#
# Twelve residents gave each of four plans for a square 0 to 5 stars. A row is a person, a column a plan. In another
# street, 200 people gave stars to 20 names in the same way.

# %% tags=["setup"]
stars = np.array([
    [1, 2, 3, 3], [1, 4, 2, 1], [2, 1, 4, 3], [0, 3, 1, 3], [1, 1, 4, 4], [1, 4, 2, 1],
    [1, 1, 3, 3], [1, 3, 0, 4], [3, 2, 4, 1], [1, 3, 2, 2], [1, 1, 2, 4], [1, 2, 3, 3],
])[:, [*mine(range(3)), 3]]  # fmt: skip
names = np.full((200, 20), 5)
names[0, 1:] = 2

# %% [markdown]
# The quality of a plan is its total of stars. Write `private_favourite(ratings, top, replace, epsilon, rng)`: the
# number of one plan (its column, from 0), drawn by the exponential mechanism. `top` is the highest number of stars that
# one may give, and public. The guarantee $\varepsilon$ is for the record of one person, a row: under replace where
# `replace` is True, under add/remove where it is False. In both cases make the lottery as steep as the guarantee
# permits. There may be thousands of rows, or none.


# %%
def private_favourite(ratings, top, replace, epsilon, rng):
    ### BEGIN SOLUTION
    # A person moves each total by at most top. A new row only adds; a changed row can add to one and take from another.
    exponents = epsilon * ratings.sum(axis=0) / (2 * top if replace else top)
    weights = np.exp(exponents - exponents.max())
    return rng.choice(len(weights), p=weights / weights.sum())
    ### END SOLUTION


# %% points=5
# The check
flat = "flatter than needed: can one *new* row raise one total and lower another?"
steep = "steeper than the guarantee allows: can one *changed* row raise one total and lower another?"
too_flat = "far flatter than needed: the 2 counts once at most, and the sensitivity is that of *one* total"
times_too_steep = {
    "how far can one person move one total? Not by 1": 5,
    "the sensitivity is the most that any *one* total moves, however many move with it": 1 / 4,
    "the largest rating in the data is secret: the public one counts": 5 / 4,
    "nearly flat: the quality is the total, not the average, and its weight is a power of e": 1 / 12,
    "epsilon plays no part in your lottery, and it must steer how steep it is": 1 / 3,
    "neither epsilon nor the stars that one may give play a part in your lottery": 5 / 3,
}


def favourite_law(replace, right, other, sentence):
    slopes = {sentence: other, too_flat: 0.15}
    for words, times in times_too_steep.items():
        slopes |= {words: right * times, f"{words}; and then: {sentence}": other * times}
    totals = stars.sum(axis=0)
    slips = {words: law(totals, slope) for words, slope in slopes.items()}
    slips[
        "the true winner each time: no lottery at all, one far too steep, or one that always starts from the same seed"
    ] = [0, 0, 0, 1]
    return discrete_law((stars, 5, replace, 3.0), range(4), law(totals, right), slips)


def hint_at_overflow(requirement):
    def hinting(draw):
        hint = "this fails for 200 people: are the weights too large for a float? Only their ratios matter"
        try:
            sentence = requirement(draw)
        except Unusable:
            return hint
        return hint if "same each time" in sentence or "none of those" in sentence else sentence

    return hinting


# The chances of the largest of the 20 totals with Laplace noise of scale 1 on each, by numerical integration.
largest_noisy = {"this draws the largest of noisy totals: private too, but another lottery": [0.5649] + [0.0229] * 19}
likes_first, likes_second = (np.vstack([stars[:, 2:], row]) for row in ([5, 0], [0, 5]))
check(
    private_favourite,
    favourite_law(False, 0.6, 0.3, flat),
    favourite_law(True, 0.3, 0.6, steep),
    hint_at_overflow(discrete_law((names, 5, False, 5.0), range(20), law([3] + [0] * 19, 1), largest_noisy)),
    repeatable((stars, 5, False, 1.0)),
    private((stars[:, 2:], 5, False, 2.0), (likes_second, 5, False, 2.0), epsilon=2.0, samples=5000),
    private((likes_first, 5, True, 2.0), (likes_second, 5, True, 2.0), epsilon=2.0),
)


### BEGIN HIDDEN TESTS
def lottery(marks, top, replaced, promise, samples=5000):
    chance = law(marks.sum(axis=0), promise / (2 * top if replaced else top))
    return discrete_law((marks, top, replaced, promise), range(len(chance)), chance, samples=samples)


def led(plans, top, replaced, promise):
    """One plan has half the chance, all others the rest: what a steeper lottery changes most."""
    lead = round(np.log(plans - 1) * (2 * top if replaced else top) / promise)
    marks = np.full((lead + 3, plans), top - 1)
    marks[fresh.permutation(lead + 3)[:lead], fresh.integers(plans)] = top
    return lottery(marks, top, replaced, promise, 10_000)


def alike(rows, plans, top):
    """The same stars for each plan, from other people; a few more for some."""
    marks = fresh.permuted(np.tile(fresh.integers(0, top + 1, (rows, 1)), plans), axis=0)
    marks[0] = fresh.integers(0, top + 1, plans)
    return marks


many, tall = int(fresh.integers(20_000, 30_000)), int(fresh.integers(3, 15))
check(
    private_favourite,
    lottery(np.zeros((0, fresh.integers(2, 9))), 4, False, fresh.uniform(0.01, 20), 2000),
    lottery(fresh.integers(0, tall + 1, (7, 60)), tall, True, fresh.uniform(0.01, 0.02), 20_000),
    lottery(fresh.integers(0, 2, (40, 6)), 1, bool(fresh.integers(2)), fresh.uniform(0.2, 1)),
    lottery(alike(int(fresh.integers(2, 9)), 5, 6), 6, False, fresh.uniform(8, 20)),
    lottery(alike(int(fresh.integers(200, 400)), 4, 9), 9, True, fresh.uniform(2, 8)),
    lottery(alike(many, 3, 9), 9, True, fresh.uniform(0.05, 0.5), 300),
    lottery(np.tile([0, tall, 0], (many // 4, 1)), tall, True, fresh.uniform(1, 5), 300),
    led(60, int(fresh.integers(2, 9)), True, fresh.uniform(1, 2)),
    led(60, int(fresh.integers(2, 9)), False, fresh.uniform(0.5, 1)),
    private((likes_first, 5, True, 1.0), (likes_second, 5, True, 1.0), epsilon=1.0, samples=5000),
)
### END HIDDEN TESTS


# %% tags=["wrong"]
def private_favourite(ratings, top, replace, epsilon, rng):
    totals = ratings.sum(axis=0)

    # WRONG general weights where the quality is monotonic | keep going: flatter than needed: can one *new* row raise
    return exponential_mechanism(totals, top, epsilon, rng)

    # WRONG monotonic weights under replace | keep going: steeper than the guarantee allows: can one *changed* row raise
    return exponential_mechanism(totals, top, epsilon, rng, monotonic=True)

    # WRONG sensitivity forgotten | keep going: how far can one person move one total
    return exponential_mechanism(totals, 1, epsilon, rng, monotonic=not replace)

    # WRONG sensitivity forgotten, and the factor 2 everywhere | Not by 1; and then: flatter than needed
    return exponential_mechanism(totals, 1, epsilon, rng)

    # WRONG the sensitivity of a histogram, over all totals | the sensitivity is that of *one* total
    return exponential_mechanism(totals, top * ratings.shape[1], epsilon, rng, monotonic=not replace)

    # WRONG the sensitivity read off the data | keep going: the largest rating in the data is secret
    return exponential_mechanism(totals, ratings.max(), epsilon, rng, monotonic=not replace)

    # WRONG softmax without epsilon | keep going: neither epsilon nor the stars
    weights = np.exp(totals)
    return rng.choice(len(weights), p=weights / weights.sum())

    # WRONG weights that overflow | are the weights too large for a float
    with np.errstate(all="ignore"):
        weights = np.exp(epsilon * totals / (2 * top if replace else top))
        return rng.choice(len(weights), p=weights / weights.sum())

    # WRONG weights that overflow where totals lie far apart | with other data, which you have not seen
    exponents = epsilon * totals / (2 * top if replace else top)
    with np.errstate(all="ignore"):
        weights = np.exp(exponents - exponents.min())
        return rng.choice(len(weights), p=weights / weights.sum())

    # WRONG the largest noisy total | private too, but another lottery
    scale = (2 * top if replace else top) / epsilon
    return np.argmax(totals + rng.laplace(scale=scale, size=ratings.shape[1]))

    # WRONG the true winner | the true winner each time
    return np.argmax(totals)

    # WRONG seed fixed | NOT_DRAWN
    return exponential_mechanism(totals, top, epsilon, np.random.default_rng(3), monotonic=not replace)

    # WRONG a generator of its own | NOT_FROM_RNG
    return exponential_mechanism(totals, top, epsilon, np.random.default_rng(), monotonic=not replace)

    # WRONG plans counted from 1 | IMPOSSIBLE
    return 1 + exponential_mechanism(totals, top, epsilon, rng, monotonic=not replace)


# %% [markdown]
# ## 3. A quantile of a panel (4 points)
#
# *You learn* to score ranks when one record is replaced, ties and all. About 35 minutes, medium to hard.
#
# A panel always has the same number of members, which is public: when one leaves, another takes the place. So
# neighbours *replace* one record. A record says how many minutes a day a member spends on sport. The release must be
# one entry of a public list, `times`.

# %% tags=["setup"]
minutes = np.array([3, 5, 8, 20, 20, 20, 20, 20, 25, 35, 35, 50, 70, 75, 150, 240]) + VARIANT
times = np.array([0, 10, 20, 30, 45, 60, 90, 120]) + VARIANT

# %% [markdown]
# Write `panel_quantile(values, q, domain, epsilon, rng)`: one entry of `domain`, the ascending public list, drawn by
# the exponential mechanism as the `q`-quantile of `values`. The quality is that of the chapter: minus the number of
# ranks by which a candidate misses the rank $q\,n$ (you may call `quantile_quality`). The release is $\varepsilon$-DP
# under *replace*, with the smallest sensitivity that holds for every `q` and for panels of every size.


# %%
def panel_quantile(values, q, domain, epsilon, rng):
    ### BEGIN SOLUTION
    # The target q n stays. Replacing one record moves all ranks one way, by at most 1: some candidates then miss the
    # target by less and others by more, so the factor 2 stays.
    return domain[exponential_mechanism(quantile_quality(values, q, domain), 1, epsilon, rng)]
    ### END SOLUTION


# %% points=4
# The check
def from_domain(draw):
    releases = draw([(minutes, 0.75, times, 1.2)], 200)
    if np.isin(releases, times).all():
        return ""
    if np.isin(releases, minutes).all():
        return "your candidates come from the data: a release shows somebody's record; draw from `domain`"
    return "a release is not in `domain`: draw one of its entries, instead of a number of your own"


def quantile_law(q, epsilon, misses, slope, slopes=None, others=None):
    """`misses`: by how many ranks each candidate misses the target; `slopes`, `others`: what mistakes make of that."""
    slips = {words: law(-np.array(misses), other) for words, other in (slopes or {}).items()}
    slips |= {words: law(-np.array(other), slope) for words, other in (others or {}).items()}
    within_data = -np.array([1e6, *misses[1:]])  # the first candidate is below all records
    slips |= {
        "a candidate that no record comes near keeps its chance: the data do not choose": law(within_data, slope),
        "the best candidate each time: no lottery, or one that always starts from the same seed": np.equal(misses, 0),
    }
    return discrete_law((minutes, q, times, epsilon), times, law(-np.array(misses), slope), slips)


from_first, from_third = [4, 1, 0, 5, 7, 8, 10, 10], [12, 9, 4, 3, 1, 0, 2, 2]
spread = {
    "that is private under add/remove; how far can *replacing* a record move a rank?": 0.8,
    "too steep: one replaced record can help one candidate and hurt another, each by a whole rank": 1.2,
    "flatter than needed: instead of counting a replacement as two records, see how far a rank can move": 0.4,
    "flatter than needed, by a factor of 2: the general formula halves epsilon already, and no rank moves by 2": 0.3,
    "flatter than needed: your quality is a share of the members, and one record moves a share by 1/n": 0.6 / 16,
    "epsilon plays no part in your lottery, and it must steer how steep it is": 1.0,
    "epsilon plays no part in your lottery": 0.5,
}
ranks = {
    "this is the quantile from the other end: count the share q from below": from_first,
    "this is the median; the target is the rank q n": [8, 5, 0, 1, 3, 4, 6, 6],
    "the quality counts minutes: one record can move the quantile by the whole range": np.abs(55 + VARIANT - times),
    "a value that many members share owns all of their ranks": [11, 8, 8, 2, 0, 0, 2, 2],
}
shared = {
    "a value that many members share owns all of their ranks, not only the last one": [4, 1, 4, 5, 7, 8, 10, 10],
    "a value that many members share owns all of their ranks, not only the first one": [4, 1, 1, 5, 7, 8, 10, 10],
}
check(
    panel_quantile,
    from_domain,
    quantile_law(0.75, 1.2, from_third, 0.6, spread, ranks),
    quantile_law(0.25, 0.9, from_first, 0.45, others=shared),
    repeatable((minutes, 0.75, times, 1.2)),
    private((minutes, 0.75, times, 2.0), (np.append(minutes[1:], 500), 0.75, times, 2.0), epsilon=2.0, samples=4000),
)


### BEGIN HIDDEN TESTS
def panel(members, q, entries, promise, samples=4000):
    chances = law(quantile_quality(members, q, entries), promise / 2)
    return discrete_law((members, q, entries, promise), entries, chances, samples=samples)


def told(entries, promise, samples):
    """All say one number, which has half the chance."""
    members = round(4 * np.log(len(entries) - 1) / promise)
    return panel(np.full(members, float(fresh.choice(entries[1:-1]))), 0.5, entries, promise, samples)


grid = np.arange(0, 61) * fresh.integers(1, 9)
mixed = fresh.uniform(-10, grid[-1] + 90, 8).round()
mixed[:3] = fresh.choice(grid)
fine = (grid - grid[30]) / 64  # most values lie between two whole numbers, and half of them below 0
crowd = np.sort(fresh.normal(grid[30], grid[30], int(fresh.integers(1050, 2500))))
q = fresh.uniform(0.05, 0.95, 6)
check(
    panel_quantile,
    panel(mixed, q[0], grid[::2], fresh.uniform(0.5, 3), 2000),
    panel(mixed, q[1], grid[::5], fresh.uniform(5, 20), 2000),
    panel(fresh.choice(grid, 1), q[2], grid[::3], fresh.uniform(1, 20), 2000),
    panel(fresh.choice(fine, 20), fresh.uniform(0.05, 0.4), fine[::2], fresh.uniform(1, 3), 2000),
    panel(fresh.uniform(0, grid[-1], 300), fresh.uniform(0.3, 0.7), grid[::12], fresh.uniform(0.01, 0.012), 2000),
    panel(fresh.uniform(0, grid[-1], 60), q[4], grid[::3], fresh.uniform(0.2, 0.8), 2000),
    panel(crowd, q[5], grid[::6], fresh.uniform(0.01, 0.02), 100),
    told(grid[::4], fresh.uniform(0.1, 0.4), 4000),
    private((mixed, 0.5, grid, 1.0), (np.append(mixed[:-1], 80), 0.5, grid, 1.0), epsilon=1.0, samples=3000),
    # Each after an audit is drawn by itself, with a time limit of its own.
    panel(np.full(fresh.integers(2, 5), fresh.choice(grid)), q[3], grid, fresh.uniform(0.01, 0.012), 16_000),
    told(grid[::2], fresh.uniform(1, 4), 16_000),
    told(grid[::2], fresh.uniform(4, 13), 16_000),
)
### END HIDDEN TESTS


# %% tags=["wrong"]
def panel_quantile(values, q, domain, epsilon, rng):
    quality = quantile_quality(values, q, domain)

    # WRONG the function of the book, private for other neighbours | keep going: that is private under add/remove
    from dpbook.exponential import private_quantile

    return private_quantile(values, q, domain, epsilon, rng)

    # WRONG monotonic weights | keep going: too steep: one replaced record can help one candidate
    return domain[exponential_mechanism(quality, 1, epsilon, rng, monotonic=True)]

    # WRONG the sensitivity of the median under add/remove | keep going: too steep
    return domain[exponential_mechanism(quality, 0.5, epsilon, rng)]

    # WRONG a replacement paid for as two records | instead of counting a replacement as two records
    return domain[exponential_mechanism(quality, max(q, 1 - q), epsilon / 2, rng)]

    # WRONG epsilon halved twice | the general formula halves epsilon already
    return domain[exponential_mechanism(quality, 1, epsilon / 2, rng)]

    # WRONG softmax without epsilon | epsilon plays no part
    weights = np.exp(quality)
    return rng.choice(domain, p=weights / weights.sum())

    # WRONG distance in minutes | the quality counts minutes
    return domain[exponential_mechanism(-np.abs(domain - np.quantile(values, q)), 1, epsilon, rng)]

    # WRONG one rank for each candidate | not only the last one
    ranks = np.searchsorted(np.sort(values), domain, side="right")
    return domain[exponential_mechanism(-np.abs(ranks - q * len(values)), 1, epsilon, rng)]

    # WRONG candidates that come from the data | your candidates come from the data
    seen = np.unique(values)
    return seen[exponential_mechanism(quantile_quality(values, q, seen), 1, epsilon, rng)]

    # WRONG values rounded | with other data, which you have not seen
    return domain[exponential_mechanism(quantile_quality(np.round(values), q, domain), 1, epsilon, rng)]

    # WRONG values cut at 0 | with other data, which you have not seen
    return domain[exponential_mechanism(quantile_quality(np.maximum(values, 0), q, domain), 1, epsilon, rng)]

    # WRONG noise on the quantile | draw one of its entries, instead of a number
    return np.quantile(values, q) + rng.laplace(scale=np.ptp(domain) / epsilon)

    # WRONG the best candidate | the best candidate each time: no lottery, or
    return domain[np.argmax(quality)]

    # WRONG seed fixed | NOT_DRAWN
    return domain[exponential_mechanism(quality, 1, epsilon, np.random.default_rng(42))]


# %% [markdown]
# ## 4. Challenge: break the monotonic weights (3 points)
#
# *You learn* when the factor 2 may be left out, and when not. About 30 minutes, medium to hard.
#
# In an app, each member may mark each of ten books with +1 (like), -1 (dislike) or 0. A colleague argues: "No member
# moves a total by more than 1, so the sensitivity is 1. Totals are sums over members, so they are monotonic, and I may
# leave out the 2." The colleague claims $\varepsilon = 1$ under add/remove for this lottery:


# %% tags=["setup"]
def colleagues_chances(marks):
    return selection_probabilities(marks.sum(axis=0), sensitivity=1, epsilon=1.0, monotonic=True)


# %% [markdown]
# Write `revealing_marks()`: the marks of four members as an array, one row a member and one column a book. Removing
# the *last* member must change the logarithm of some book's chance by at least 1.9. (No lottery with these weights
# has a loss of 2 or more.) There is no noise in this task: the check computes the loss exactly.


# %%
def revealing_marks():
    ### BEGIN SOLUTION
    # The first three give nearly all the chance to books 1 to 9; the last member pushes those down and book 0 up.
    marks = np.ones((4, 10))
    marks[:3, 0] = -1
    marks[3, 1:] = -1
    return marks
    ### END SOLUTION


# %% points=3
# The check
def loses_too_much(draw):
    marks = draw([()], shape=(4, 10))[0, 0]
    if not np.isin(marks, (-1, 0, 1)).all():
        return "a mark is none of -1, 0 and 1"
    with_last, without = colleagues_chances(marks), colleagues_chances(marks[:-1])
    loss = np.abs(np.log(with_last / without)).max()
    if loss >= 1.9:
        return ""
    if marks[-1].min() >= 0 or marks[-1].max() <= 0:
        return f"the loss is {loss:.2f}: the last member moves no two totals in opposite directions, and there the colleague is right"
    hint = "the last must raise one book that has next to no chance, and lower those that have nearly all of it"
    return f"the loss is {loss:.2f}; {hint}"


check(revealing_marks, loses_too_much)


# %% tags=["wrong"]
def revealing_marks():
    # WRONG the last member likes some books | there the colleague is right
    marks = np.zeros((4, 10))
    marks[3, 0] = 1
    return marks

    # WRONG both ways, but all books are alike before | the loss is 1.51; the last must raise one book
    marks = np.zeros((4, 10))
    marks[3] = [1, *[-1] * 9]
    return marks

    # WRONG it is the first member who stands out | keep going: the loss is 0.00
    return np.array([[1.0, *[-1.0] * 9]] + [[0.0] * 10] * 3)

    # WRONG more than one mark allows | a mark is none of -1, 0 and 1
    return np.array([[0.0] * 10] * 3 + [[5.0, *[-5.0] * 9]])


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* what a long list of candidates costs, and why the data may not shorten it. About 20 minutes, medium.
#
# A city draws the name of a new street from a public list of 1,000,000 possible names, as a private mode.
# $\varepsilon$ is 0.5 under add/remove, and each of 300 citizens proposes one name. The favourite has 20 votes, no
# other name has more than 3. The draw is disappointing nearly every time. Why? The mayor wants to draw only among
# names that at least one citizen proposed: is that still private? And what would you do? Three to six sentences.

# %% [markdown] name="explain_candidates" points=3
# ### BEGIN SOLUTION
# The favourite has the weight $e^{0.5 \cdot 20} \approx 22{,}000$, but almost a million names without a vote have the
# weight 1 each, together 45 times as much. So it is drawn in about 2% of the draws. (For even odds it would need a
# lead of $\ln(10^6) / 0.5 \approx 28$ votes.) The mayor's list comes from the data: a name that only one citizen
# proposed can be drawn with this citizen and never without. The ratio of the two chances is infinite, and no
# $\varepsilon$ holds. A shorter list helps if it is public and made before anyone looks, for example 1,000 names that
# a committee chose. Then all others together have a weight of about 1,300 at most, and the favourite wins more than
# nine draws of ten.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each; no point for a bare yes or no:
#
# - (a) Many poor candidates together outweigh the best one, with a number from this case. It may be the chance of
#   about 2% (accept 1 to 4%) or the weights 22,000 and 1,000,000. It may be the lead of about 28 for even odds.
#   Accept the weight 150 or the lead 55, which come from the general factor 2.
# - (b) Not private, *because* an output is possible on one of two neighbours and impossible on the other (a proposer
#   who is the only one). "The list depends on the data" alone is not enough.
# - (c) A remedy that is private, with the reason why it helps. It may be a shorter public list, or two stages that
#   divide epsilon (district or first letter, then name). It may be more citizens: the lead grows with their number,
#   the needed lead only with the logarithm of the list. It may be a larger epsilon, if its price is said. It may be
#   dropping names by a *noisy* count and a threshold, if its delta is said. No point for a threshold on exact counts.
# ### END MARK SCHEME
