# %% [markdown]
# # Assignment 29: Without a curator
#
# Five tasks, 20 points. You need chapter 29, *Without a curator*.
#
# All data here are invented. Yours may differ from those of others. Neighbours differ by *replacing* one party's value;
# in task 4, by *adding or removing* one user.

# %% tags=["setup"]
from functools import partial
from itertools import combinations, pairwise, product

import numpy as np
from numpy.polynomial.polynomial import polymul, polypow

from dpbook.check import answers, check, discrete_law, normal_law, own_order, private, repeatable, words

VARIANT = 0  # of 6
mine = partial(own_order, variant=VARIANT)

# %% [markdown]
# ## 1. Masks (3 points)
#
# *You learn* how masks hide each report, and cancel in the sum. About 20 minutes, medium.
#
# `values` is an array with a whole number for each party. Write `masked(values, modulus, rng)`, the array of all reports. Every
# two parties share a number of their own, uniform from 0 to `modulus` - 1. The first of the two adds it, and the second
# subtracts it. Reports are whole numbers from 0 to `modulus` - 1.
#
# *Example.* Two parties with 1 and 0 and the modulus 4 share the number 3: they report 0 and 1.
#
# *Graded:* the distribution of all reports together, with 1 to 60 parties.


# %%
def masked(values, modulus, rng):
    ### BEGIN SOLUTION
    reports = np.array(values)
    for i in range(len(reports)):
        for j in range(i + 1, len(reports)):
            shared = rng.integers(modulus)
            reports[i] += shared
            reports[j] -= shared
    return reports % modulus
    ### END SOLUTION


# %% points=3
def of_masks(values, modulus, masks):
    """The distribution of the reports, if each row of masks is as likely as the others."""
    parties = len(values)
    places = (np.array(values) + masks).astype(int) % modulus @ modulus ** np.arange(parties)[::-1]
    return np.bincount(places, minlength=modulus**parties) / len(masks)


def by_pairs(parties, numbers, sign=-1):
    """The masks of all parties, one row for each way in which their pairs may draw."""
    pairs = list(combinations(range(parties), 2))
    moved = np.zeros((len(pairs), parties))
    for row, (first, second) in zip(moved, pairs, strict=True):
        row[first], row[second] = 1, sign
    return np.array(list(product(numbers, repeat=len(pairs)))) @ moved


def reports_of(values, modulus):
    parties, numbers = len(values), range(modulus)
    outcomes = list(product(numbers, repeat=parties))
    known = {}
    if parties == 3:
        two = np.array(list(product(numbers, repeat=2)))
        one_mask = np.repeat(np.arange(modulus)[:, None], 3, axis=1)
        bare_end = np.column_stack([two, 0 * two[:, 0]])
        one_each = two @ [[2, -1, -1], [0, 1, -1]]
        positive, smaller = by_pairs(3, range(1, modulus)), by_pairs(3, range(modulus - 1))
        known = {
            "each two parties need a number of their own: one mask for all tells every difference": one_mask,
            "one of the two adds and the other subtracts: your masks do not cancel": np.array(outcomes),
            "the second of the two subtracts: without that the last report is bare": bare_end,
            "a mask may also be 0: without that some reports are likelier, and tell of the value": positive,
            "a mask may also be modulus - 1: `rng.integers` leaves out its upper end": smaller,
            "each two parties need a number of their own: one party used the same for all others": one_each,
            "the reports add up to 0: the values are missing": by_pairs(3, numbers) - np.array(values),
        }
    return discrete_law(
        (np.array(values), modulus),
        outcomes,
        of_masks(values, modulus, by_pairs(parties, numbers)),
        {sentence: of_masks(values, modulus, masks) for sentence, masks in known.items()},
    )


def of_many(values, modulus, one, other, samples):
    """Too many reports to list: their sum, and a grid of 4 x 4 for two of them."""
    cells = list(product(range(4), repeat=2))
    even = discrete_law((), cells, np.full(16, 1 / 16), samples=samples)

    def requirement(draw):
        reports = draw([(values, modulus)], samples, (len(values),))[0]
        if np.any(reports != np.floor(reports)) or reports.min() < 0 or reports.max() >= modulus:
            return words.IMPOSSIBLE
        if np.any(reports.sum(axis=1) % modulus != values.sum() % modulus):
            return "the reports must add up to the sum of the values, modulo the modulus"
        return even(lambda *_: np.floor(4 * reports[None, :, [one, other]] / modulus))

    return requirement


check(
    masked,
    reports_of(mine([1, 0, 2]), 3),
    reports_of([3, 2, 2], 4),
    reports_of([1, 0], 4),
    repeatable((np.array(mine([3, 1, 4])), 10), shape=(3,)),
)
### BEGIN HIDDEN TESTS
from dpbook.check import RISK, divergence


def of_the_first(values, modulus, samples):
    """The sums of the first reports, of one up to all but one: in each of 8 parts as often, by Chernoff's bound."""

    def requirement(draw):
        sums = np.cumsum(draw([(values, modulus)], samples, (len(values),))[0], axis=1)[:, :-1] % modulus
        shares = np.mean(np.floor(8 * sums / modulus)[..., None] == np.arange(8), axis=0)
        told = np.any(samples * divergence(shares, 1 / 8) > np.log(16 * len(values) / RISK))
        said = "the first reports add up to what tells of their values: masks hide every sum but that of all"
        return said if told else ""

    return requirement


check(masked, reports_of([0, 1, 1, 0], 2), reports_of([int(fresh.integers(9))], 5))
check(masked, reports_of(fresh.integers(0, 30, 3).tolist(), 3), reports_of(fresh.integers(0, 9, 4).tolist(), 4))
for number, size, drawn in ((2, 2**20, 8_000), (9, 64, 4_000), (12, 1_000, 2_000), (60, 4096, 60)):
    held, pair = fresh.integers(0, size, number), fresh.permutation(number)[:2] if number > 2 else (0, 0)
    check(masked, of_the_first(held, size, drawn))
    if number > 2:
        check(masked, of_many(held, size, *pair, drawn))
    else:
        check(masked, repeatable((held, size), shape=(number,)))
### END HIDDEN TESTS


# %% tags=["wrong"]
def masked(values, modulus, rng):
    square = (len(values), len(values))

    def masks(shared):
        """Of two parties the first adds their number, and the second subtracts it."""
        pairs = np.triu(shared, 1)
        return pairs.sum(axis=1) - pairs.sum(axis=0)

    # WRONG one mask for all | one mask for all tells every difference
    return (values + rng.integers(modulus)) % modulus

    # WRONG both add | your masks do not cancel
    pairs = np.triu(rng.integers(modulus, size=square), 1)
    return (values + pairs.sum(axis=1) + pairs.sum(axis=0)) % modulus

    # WRONG each its own | your masks do not cancel
    return (values + rng.integers(modulus, size=len(values))) % modulus

    # WRONG nobody subtracts | the last report is bare
    pairs = np.triu(rng.integers(modulus, size=square), 1)
    return (values + pairs.sum(axis=1)) % modulus

    # WRONG never 0 | a mask may also be 0
    return (values + masks(rng.integers(1, modulus, size=square))) % modulus

    # WRONG never the largest | leaves out its upper end
    return (values + masks(rng.integers(modulus - 1, size=square))) % modulus

    # WRONG one number a party | the same for all others
    own = rng.integers(modulus, size=(len(values), 1))
    return (values + masks(np.broadcast_to(own, square))) % modulus

    # WRONG masks alone | the values are missing
    return masks(rng.integers(modulus, size=square)) % modulus

    # WRONG no modulus | IMPOSSIBLE
    return values + masks(rng.integers(modulus, size=square))

    # WRONG masks from 0 to 1 | IMPOSSIBLE
    return (values + masks(rng.random(square))) % modulus


# %% [markdown]
# ## 2. Noise in pieces (5 points)
#
# *You learn* to split noise among parties of whom some stay away and some tell. About 35 minutes, medium to hard.
#
# `values` is an array with a bit for each party. At most `dropouts` parties do not report, and at most `colluders`
# others tell the server their noise. At least one party does neither. Write
# `noisy_reports(values, dropouts, colluders, epsilon, rng)`, the array of the reports before they are masked. Each is
# the party's bit and a piece of noise, a whole number. The pieces are independent and all have one distribution.
# Suppose that as many stay away, and as many tell, as the two limits allow. Then the sum of the others' reports must
# have *geometric* noise: $z$ with a probability proportional to $e^{-\varepsilon |z|}$. Where fewer do, there is more
# noise, and the guarantee still holds.
#
# Geometric noise is the difference of two negative binomial numbers, `rng.negative_binomial(1, 1 - np.exp(-epsilon))`.
# Such numbers add up: if two independent ones have first arguments $r$ and $s$ instead of 1, their sum has $r + s$. And
# $r$ need not be whole.
#
# *Graded:* the distribution of single reports, of two, and of sums. There are 1 to 200 parties, and $\varepsilon$ is
# from 0.02 to 12.


# %%
def noisy_reports(values, dropouts, colluders, epsilon, rng):
    ### BEGIN SOLUTION
    honest = len(values) - dropouts - colluders  # their pieces alone must be enough
    up, down = rng.negative_binomial(1 / honest, 1 - np.exp(-epsilon), size=(2, len(values)))
    return values + up - down
    ### END SOLUTION


# %% points=5
from scipy.stats import nbinom

BITS = np.array([1, 0, 1, 1, 0, 1, 0, 0, 1])
PLAN = (BITS, 2, 4, 0.7 + VARIANT / 20)  # three are left


def difference(r, epsilon, far):
    """Of two negative binomial numbers: the probabilities of -far, ..., far."""
    one = nbinom.pmf(np.arange(2 * far + 1), r, -np.expm1(-epsilon))
    side = np.convolve(one, one[::-1])[one.size - 1 :][: far + 1]
    both = np.concatenate([side[:0:-1], side])
    return both / both.sum()


def reach(epsilon):
    """How far out noise is seen with a probability below 1e-17."""
    return int(np.ceil(40 / epsilon)) + 10


def planned(call, number, far):
    """The noise of so many reports together; and the same for 1.05 times epsilon."""
    values, dropouts, colluders, epsilon = call
    r = round(number / (len(values) - dropouts - colluders), 12)
    return [difference(r, times * epsilon, far) for times in (1, 1.05)]


def added(piece, times):
    """The distribution of so many pieces together."""
    found = piece
    for _ in range(times - 1):
        found = np.convolve(found, piece, mode="same")
    return found / found.sum()


def pieces_of_mistakes(call, far):
    values, dropouts, colluders, epsilon = call
    parties, left = len(values), len(values) - dropouts - colluders
    whole = difference(1, epsilon, far)
    place = np.arange(-far, far + 1)
    one_sided = np.where(place < 0, 0, nbinom.pmf(place, 1 / left, -np.expm1(-epsilon)))
    rounded = np.bincount(far + np.round(place / left).astype(int), whole, minlength=2 * far + 1)
    return {
        words.NO_NOISE: 1.0 * (place == 0),
        "that is the whole noise: each party adds a piece, with 1 over a number of parties": whole,
        "noise has two sides: subtract a second number": one_sided / one_sided.sum(),
        "planned for all: too little is left when some stay away or tell": difference(1 / parties, epsilon, far),
        "those who tell take their noise out of the sum as well": difference(1 / (parties - dropouts), epsilon, far),
        "those who stay away take their noise along as well": difference(1 / (parties - colluders), epsilon, far),
        "the others are left, and not those who stay away or tell": difference(1 / (parties - left), epsilon, far),
        "more noise than needed, as if one party less were left": difference(1 / (left - 1), epsilon, far),
        "more parties, smaller pieces: 1 over their number, and not the number": difference(left, epsilon, far),
        "not epsilon is divided by the parties, but the 1 in front of it": difference(1, epsilon / left, far),
        "geometric noise at a larger epsilon adds up to no geometric noise": difference(1, epsilon * left, far),
        "a part of the whole noise, rounded, is nearly always 0: such parts do not add up to it": rounded,
        "one bit moves the sum by 1, and by no more: epsilon is not halved": difference(1 / left, epsilon / 2, far),
    }


def looked_at(call, samples, *looks):
    """The same releases of all reports, seen in several ways: those of the first law count as this call's noise."""
    asks = [call], samples, (len(call[0]),)
    laws = [(part, discrete_law(call, *law[:3], samples, law[3])) for part, *law in looks]

    def requirement(draw):
        reports, heard = draw(*asks), []
        if np.any(reports != np.round(reports)):
            return "a report is a whole number: masks ask for that"
        for part, law in laws:

            def looked(*_, part=part):
                return part(reports)

            looked.noise = heard
            if said := law(looked):
                return said
        draw.noise.extend(heard[:1])
        return ""

    requirement.asks, requirement.statements = asks, len(looks)
    return requirement


def total(call, places, mistakes=False):
    """The sum of so many reports: geometric noise if these are those that are left, else more or less of it."""
    far, number, middle = (5 if mistakes else 1) * reach(call[-1]), len(places), call[0][places].sum()
    right, steeper = planned(call, number, far)
    slips = {}
    if mistakes:
        slips = {name: added(piece, number) for name, piece in pieces_of_mistakes(call, far).items()}
        same, (one, _) = np.zeros(2 * far + 1), planned(call, 1, far)
        near = np.arange(-(far // number), far // number + 1)
        same[far + number * near] = one[far + near]
        slips["all parties have the same noise: each draws a piece of its own"] = same / same.sum()
        slips["the bits are missing: a report is the bit and its noise"] = np.roll(right, -int(middle))
    elif number == 1:
        slips["a party adds no noise at all: if those who do stay away, none is left"] = np.eye(2 * far + 1)[far]
        slips["one party adds all the noise: if it stays away, none is left"] = difference(1, call[-1], far)
    return lambda reports: reports[..., places].sum(axis=-1), middle + np.arange(-far, far + 1), right, slips, steeper


def two(call, one, other):
    """Two reports together, cut to what is likely."""
    far = reach(call[-1])
    pieces = planned(call, 1, far)
    right, steeper = (np.outer(piece, piece).ravel() for piece in pieces)
    slips = {"two parties have the same noise: each draws a piece of its own": np.diag(pieces[0]).ravel()}
    outcomes = np.array(list(product(range(-far, far + 1), repeat=2))) + call[0][[one, other]]
    return lambda reports: reports[..., [one, other]], outcomes, right, slips, steeper


def audited(call, place, places, samples):
    """The sum of those that are left, with the bit of one of them replaced."""
    other = call[0].copy()
    other[place] = 1 - other[place]
    law = private(call, (other, *call[1:]), epsilon=call[-1], samples=samples)

    def requirement(draw):
        def looked(calls, samples=None, shape=(), seed=None):
            return draw(calls, samples, (len(calls[0][0]),), seed)[..., places].sum(axis=-1)

        return law(looked)

    return requirement


check(
    noisy_reports,
    looked_at(PLAN, 10_000, total(PLAN, [2, 5, 8], mistakes=True), total(PLAN, [0]), total(PLAN, [4]), two(PLAN, 2, 7)),
    repeatable(PLAN, shape=(9,)),
    audited((BITS[:4], 1, 1, 1.0), 3, [0, 3], 2_500),
)
### BEGIN HIDDEN TESTS
budgets = [0.02, 12.0, *fresh.uniform([0.4, 1.5, 0.4, 0.4], [3, 3, 3, 1.5]), 0.1] * fresh.uniform(0.9, 1.0, 7)
sizes = fresh.integers([1, 3, 2, 6, 40, 150, 3], [2, 6, 3, 11, 60, 200, 6]) * [1, 1, 1, 2, 1, 1, 1]
away = [(0, 0), (0, 2), (1, 0), (3, 2), (8, 13), (60, 80), (0, 0)]
releases = [50_000, 3_000, 20_000, 4_000, 600, 250, 10_000]  # few of many parties: a loop over them has its time
for number, (out, told), budget, several in zip(sizes, away, budgets, releases, strict=True):
    asked = (fresh.integers(0, 2, number), out, told, float(budget))
    mixed = fresh.permutation(number)
    looks = [total(asked, places) for places in (mixed, mixed[: number - out - told], mixed[-1:])]
    if number > 10 and several > 1_000:  # an even number, so that noise may come in pairs
        looks += [two(asked, *mixed[:2]), two(asked, *mixed[2:4])]
    check(noisy_reports, looked_at(asked, several, *looks))
asked = (np.ones(2, dtype=int), 0, 1, 2.5)
check(noisy_reports, looked_at(asked, 6_000, two(asked, 0, 1)))
asked, mixed = (fresh.integers(0, 2, 10), 2, 3, 1.5), fresh.permutation(10)
check(
    noisy_reports,
    audited((np.zeros(2, dtype=int), 1, 0, 0.6), 1, [1], 4_000),
    audited(asked, mixed[0], mixed[:5], 1_500),
)
### END HIDDEN TESTS


# %% tags=["wrong"]
def noisy_reports(values, dropouts, colluders, epsilon, rng):
    honest = len(values) - dropouts - colluders

    def pieces(r, epsilon=epsilon):
        up, down = rng.negative_binomial(r, 1 - np.exp(-epsilon), size=(2, len(values)))
        return up - down

    # WRONG no noise | NO_NOISE
    return values

    # WRONG the whole noise | that is the whole noise
    return values + pieces(1)

    # WRONG one-sided | noise has two sides
    return values + rng.negative_binomial(1 / honest, 1 - np.exp(-epsilon), size=len(values))

    # WRONG planned for all | planned for all
    return values + pieces(1 / len(values))

    # WRONG colluders forgotten | those who tell take their noise
    return values + pieces(1 / (len(values) - dropouts))

    # WRONG dropouts forgotten | those who stay away take their noise
    return values + pieces(1 / (len(values) - colluders))

    # WRONG planned for the others | not those who stay away or tell
    return values + pieces(1 / (dropouts + colluders))

    # WRONG one party less | more noise than needed
    return values + pieces(1 / (honest - 1))

    # WRONG the number of parties | and not the number
    return values + pieces(honest)

    # WRONG epsilon divided | not epsilon is divided
    return values + pieces(1, epsilon / honest)

    # WRONG epsilon multiplied | adds up to no geometric noise
    return values + pieces(1, epsilon * honest)

    # WRONG parts, rounded | rounded, is nearly always 0
    return values + np.round(pieces(1) / honest)

    # WRONG epsilon halved | epsilon is not halved
    return values + pieces(1 / honest, epsilon / 2)

    # WRONG one piece for all | all parties have the same noise
    up, down = rng.negative_binomial(1 / honest, 1 - np.exp(-epsilon), size=2)
    return values + up - down

    # WRONG noise alone | the bits are missing
    return pieces(1 / honest)

    # WRONG all at the last party | a party adds no noise at all
    up, down = rng.negative_binomial(1, 1 - np.exp(-epsilon), size=2)
    return np.append(values[:-1], values[-1] + up - down)

    # WRONG noise for a 1 alone | a party adds no noise at all
    return values + values * pieces(1 / honest)

    # WRONG two by two | two parties have the same noise
    return values + pieces(1 / honest)[np.arange(len(values)) % 5]

    # WRONG real numbers | masks ask for that
    return values + rng.laplace(scale=1 / epsilon, size=len(values)) / honest


# %% [markdown]
# ## 3. Shuffled, exactly (4 points)
#
# *You learn* what shuffled bits lose, exactly. About 30 minutes, medium to hard.
#
# Each of `people` people reports a bit by randomized response: the truth with probability $e^l/(1 + e^l)$, with $l$ = `local`. A
# mixer takes off the names, so the server sees how many reports are 1, and nothing else. Write
# `shuffled_delta(people, local, epsilon)`: the smallest $\delta$ for which this count is $(\varepsilon, \delta)$-DP. That is for
# the *worst* dataset, and a neighbour replaces one person's bit.
#
# *Graded:* your numbers, to one in $10^{10}$, with up to 60 people.


# %%
def shuffled_delta(people, local, epsilon):
    ### BEGIN SOLUTION
    truth = 1 / (1 + np.exp(-local))

    def counts(ones):  # the number of reports that are 1: the generating functions of all people, multiplied
        return polymul(polypow([1 - truth, truth], ones), polypow([truth, 1 - truth], people - ones))

    every = [counts(ones) for ones in range(people + 1)]  # each dataset, up to the order of people
    both = [*pairwise(every), *pairwise(every[::-1])]
    return max(np.maximum(one - np.exp(epsilon) * other, 0).sum() for one, other in both)
    ### END SOLUTION


# %% points=4
check(
    shuffled_delta,
    answers(
        [(30, 1.0, 0.1), (12, 2.0, 0.5), (7, 1.0, 0.3)],
        [0.040784951797, 0.178669221213, 0.074550034234],
        slips={
            "half of the people is not the worst dataset": [0.038886030963, 0.11153341455, 0.061035697713],
            "all alike is nearly the worst dataset, and not always": [0.040231502077, 0.169378640908, 0.070599539506],
            "the worst dataset decides, and not the mean of all": [0.038299466371, 0.124958395441, 0.060393307814],
            "the worst dataset decides, and not the best": [0.035749804157, 0.078768871411, 0.043904455586],
            "the person is one of the people: you have one too few": [0.042242342409, 0.199327345174, 0.091575060372],
            "the person is one of the people: you have one too many": (
                [0.039706862424, 0.161710103364, 0.066721855049]
            ),
            "subtract what the neighbour explains: delta is no probability of a large loss": (
                [0.407593354004, 0.549495125058, 0.427047137968]
            ),
            "e^epsilon belongs to the neighbour's probability: without it that is the total variation": (
                [0.076798220858, 0.301825873199, 0.168273184445]
            ),
            "the sum of what is above, over all counts, and not the largest of them": (
                [0.01277599254, 0.169378640908, 0.056181215853]
            ),
            "e^local to 1 is the odds of the truth: local is not halved": (
                [0.007724199866, 0.016426117093, 0.006562978823]
            ),
        },
        tolerance=1e-10,
        variant=VARIANT,
    ),
)


### BEGIN HIDDEN TESTS
from scipy.stats import binom


def counted(people, local, ones):
    yes = 1 / (1 + np.exp(-local))
    held = binom.pmf(np.arange(ones + 1), ones, yes)
    return np.convolve(held, binom.pmf(np.arange(people - ones + 1), people - ones, 1 - yes))


def worst(people, local, epsilon):
    """The delta of the worst among all datasets: `held` of the others hold 1."""
    pairs = [[counted(people, local, held + own) for own in (0, 1)] for held in range(people)]
    both = [pair[::way] for pair in pairs for way in (1, -1)]
    return max(float(np.clip(one - np.exp(epsilon) * other, 0, None).sum()) for one, other in both)


more = [(int(n), float(own), float(own * part)) for n, own, part in fresh.uniform((2, 0.2, 0), (25, 3, 0.5), (8, 3))]
more += [(1, 1.0, 0.4), (int(fresh.integers(50, 61)), 2.0, 0.2), (9, 0.5, 0.0), (5, 1.0, 1.5), (40, 6.0, 3.0)]
more.append((60, float(fresh.uniform(3.8, 3.9)), float(fresh.uniform(0.02, 0.03))))  # the worst is nearly half and half
check(shuffled_delta, answers(more, [worst(*one) for one in more], tolerance=1e-10))
### END HIDDEN TESTS


# %% tags=["wrong"]
def shuffled_delta(people, local, epsilon):
    def pairs_of(people, held, local=local):
        t = 1 / (1 + np.exp(-local))
        laws = [polymul(polypow([1 - t, t], h), polypow([t, 1 - t], people - h)) for h in held]
        return [*pairwise(laws), *pairwise(laws[::-1])]

    def delta(p, q):
        return np.maximum(p - np.exp(epsilon) * q, 0).sum()

    # WRONG half and half | half of the people
    return max(delta(*pair) for pair in pairs_of(people, (people // 2, people // 2 + 1)))

    # WRONG all alike | nearly the worst dataset
    return max(delta(*pair) for pair in pairs_of(people, (0, 1)))

    # WRONG one too few | you have one too few
    return max(delta(*pair) for pair in pairs_of(people - 1, range(people)))

    # WRONG one too many | you have one too many
    return max(delta(*pair) for pair in pairs_of(people + 1, range(people + 2)))

    # WRONG a mean over datasets | not the mean of all
    return np.mean([delta(*pair) for pair in pairs_of(people, range(people + 1))])

    # WRONG the probability of a large loss | no probability of a large loss
    return max(p[p > np.exp(epsilon) * q].sum() for p, q in pairs_of(people, range(people + 1)))

    # WRONG total variation | that is the total variation
    return max(np.abs(p - q).sum() / 2 for p, q in pairs_of(people, range(people + 1)))

    # WRONG the largest excess | not the largest of them
    return max(np.max(p - np.exp(epsilon) * q) for p, q in pairs_of(people, range(people + 1)))

    # WRONG local halved | local is not halved
    return max(delta(*pair) for pair in pairs_of(people, range(people + 1), local / 2))


# %% [markdown]
# ## 4. One round (5 points)
#
# *You learn* what to clip where a user has many records and takes many steps. About 35 minutes, medium.
#
# In a round of federated averaging every user begins at the same `weights` and takes `steps` steps. Each step adds `rate` times
# `downhill(weights, features, labels)`, with the user's own records and the weights where the user now is. The user's
# *update* is how far the weights have gone in all. Write `noisy_round(weights, users, steps, rate, norm, multiplier, rng)`.
# It clips each user's update to length `norm` and adds the updates up. To each coordinate of the sum it adds normal noise
# with standard deviation `multiplier` times `norm`. Return this sum. `users` is a tuple with a pair (features, labels)
# for each user. Neighbours add or remove one user with all records, so the number of users is a secret.
#
# *Graded:* the distribution of many sums, with no users, one, and up to 39.


# %% tags=["setup"]
def downhill(weights, features, labels):
    """The direction in which the mean logistic loss of these records falls."""
    return (labels / (1 + np.exp(labels * (features @ weights)))) @ features / len(labels)


# %%
def noisy_round(weights, users, steps, rate, norm, multiplier, rng):
    ### BEGIN SOLUTION
    total = np.zeros(len(weights))
    for features, labels in users:
        own = np.array(weights)
        for _ in range(steps):  # on the user's own records
            own = own + rate * downhill(own, features, labels)
        update = own - weights
        total += update * min(1, norm / max(np.linalg.norm(update), norm))
    return total + rng.normal(scale=multiplier * norm, size=total.size)
    ### END SOLUTION


# %% points=5
from dpbook.gaussian import gaussian_scale

START = np.array([0.3, -0.2, 0.5])
CROWD = (
    (np.array([[1.0, 0.2, -0.4], [0.5, -1.0, 0.3], [2.0, 1.0, 0.0], [1.5, 0.4, 0.9]]), np.array([1.0, -1, 1, 1])),
    (np.array([[0.1, -0.1, 0.2]]), np.array([-1.0])),
    (np.array([[-1.0, 2.0, 0.5], [0.3, 3.0, -1.0]]), np.array([-1.0, -1])),
    (np.array([[0.0, 0.5, 2.0], [1.0, 0.0, -1.0], [0.2, 0.3, 2.5]]), np.array([-1.0, 1, -1])),
)
CROWD = tuple(mine(CROWD))
LOCAL = (4, 0.5, 0.6)  # steps, rate, norm


SUM = np.array([0.523024066, -0.133168596, -0.851414771])  # of the clipped updates
ON_AND_ON = [
    [0.447, -0.1433, -0.791],
    [0.4094, -0.1436, -0.7558],
    [0.4512, -0.1392, -0.8066],
    [0.4469, -0.1453, -0.7972],
    [0.4064, -0.1495, -0.7468],
    [0.406, -0.1457, -0.7585],
]  # in each order of the users
STEP_BY_STEP = "a user's steps were clipped one by one: "
SUMS_OF_MISTAKES = {
    "the sum was clipped: clip each user's update, then add": [0.2472, -0.1191, -0.5336],
    "nothing was clipped: one user may move the sum as far as one likes": [0.7636, -0.3678, -1.6483],
    STEP_BY_STEP + "many of them go further than the norm. Clip the update": [0.7105, -0.3031, -1.418],
    STEP_BY_STEP + "clip the way that they have gone in all": [0.7601, -0.3656, -1.6322],
    "each record's gradient was clipped: a user's many steps go further than the norm. Clip the update": (
        [0.7861, -0.3264, -1.3014]
    ),
    "each record was taken for a user: a user with many records moves the sum by more than the norm": (
        [1.8024, -0.1709, -1.8285]
    ),
    "divided by the number of users: it is a secret, and the noise tells it": [0.1308, -0.0333, -0.2129],
    "users were weighted by their records: then one moves the sum by more than the norm": [2.0601, 0.4036, -2.1933],
    "users were weighted by their share of the records: the number of all records is a secret": (
        [0.206, 0.0404, -0.2193]
    ),
    "that is one step of each user: take all of them": [0.2893, -0.3014, -0.6393],
    "each step begins where the one before has stopped, and not at the weights of the round": [0.52, -0.1773, -0.8118],
    "short updates stay as they are: only those longer than the norm are clipped": [0.3844, 0.0055, -1.1287],
    "the length of the whole update counts, and not each coordinate": [0.7636, -0.1758, -0.8724],
    "the length is the root of the squares, and not the sum of absolute values": [0.3446, -0.1581, -0.7125],
    "an update is how far the weights have gone: take off those of the start, then clip": [1.2018, -0.6071, 0.3215],
    "every user begins at the weights of the round, and not where another has stopped": ON_AND_ON[VARIANT],
    "return the sum of the updates, and not the new weights": [0.823, -0.3332, -0.3514],
    "downhill points down already: add it": [-0.534, 0.2182, 0.7577],
}


def nearly_quiet(weights, users, local, right, known=None):
    """With hardly any noise the mean of some sums is the sum of the clipped updates."""

    def requirement(draw):
        middle = draw([(weights, users, *local, 1e-4)], 50, weights.shape)[0].mean(axis=0)
        for sentence, sum_of_updates in {"": right, **(known or {})}.items():
            if np.abs(middle - sum_of_updates).max() <= 0.01 * local[2]:
                return sentence
        return "with hardly any noise, this is not the sum of the clipped updates"

    return requirement


def with_noise(weights, users, local, multiplier, truth):
    (_, rate, norm), rows = local, sum(len(labels) for _, labels in users)
    scale = multiplier * norm
    known = {
        "the noise's deviation is the multiplier times the norm": multiplier,
        "every user brought noise of its own: one noise, on the sum": scale * np.sqrt(max(1, len(users))),
        "every record brought noise of its own: one noise, on the sum": scale * np.sqrt(max(1, rows)),
        "multiplier times norm is the deviation, and not the variance": np.sqrt(scale),
        "multiplier times norm is the deviation: you used its square": scale**2,
        "users are added or removed, and none is replaced: that noise is twice what is needed": 2 * scale,
        "the rate and the steps are in the updates already: the noise is for their sum": scale * rate,
    }
    known = {name: one for name, one in known.items() if abs(np.log(one / scale)) > 0.1}
    return normal_law((weights, users, *local, multiplier), truth, scale, scales=known)


def audited_round(weights, users, steps, rate, norm, epsilon):
    """All users, against all but the first."""
    multiplier = gaussian_scale(1, epsilon, 1e-3)
    return private(
        (weights, users, steps, rate, norm, multiplier),
        (weights, users[1:], steps, rate, norm, multiplier),
        epsilon=epsilon,
        shape=weights.shape,
        samples=4_000,
        delta=1e-3,
    )


check(
    noisy_round,
    nearly_quiet(START, CROWD, LOCAL, SUM, SUMS_OF_MISTAKES),
    with_noise(START, CROWD, LOCAL, 1.7, SUM),
    repeatable((START, CROWD, *LOCAL, 1.0), shape=(3,)),
    audited_round(START, CROWD, *LOCAL, 1.0),
)


### BEGIN HIDDEN TESTS
def walk(weights, features, labels, steps, rate):
    here = np.array(weights, float)
    for _ in range(steps):
        here = here + rate * downhill(here, features, labels)
    return here - weights


def summed(weights, users, steps, rate, norm):
    total = np.zeros(len(weights))
    for user in users:
        update = walk(weights, *user, steps, rate)
        total += update * min(1, norm / max(1e-12, np.sqrt(update @ update)))
    return total


def some_users(number, width, longest):
    sizes = fresh.integers(1, longest + 1, number)
    sizes[:1] = longest
    return tuple((fresh.normal(size=(n, width)), np.where(fresh.random(n) < 0.5, 1.0, -1.0)) for n in sizes)


shapes = fresh.integers(
    [[0, 2, 1, 1], [1, 1, 1, 1], [1, 3, 20, 5], [4, 2, 2, 2], [22, 4, 3, 1]],
    [[1, 5, 3, 4], [2, 2, 3, 3], [2, 8, 60, 12], [12, 5, 9, 6], [40, 9, 9, 4]],
)
for number, width, longest, steps in shapes:
    several, at = some_users(number, width, longest), fresh.normal(size=width)
    pace, bound, loud = fresh.uniform(0.2, 1), fresh.uniform(0.1, 0.8), np.exp(fresh.uniform(-2, 3))
    truth, local = summed(at, several, steps, pace, bound), (steps, pace, bound)
    check(noisy_round, nearly_quiet(at, several, local, truth))
    check(noisy_round, with_noise(at, several, local, loud, truth))
several, at = some_users(30, 3, 5), fresh.normal(size=3)
few = float(np.quantile([np.linalg.norm(walk(at, *user, 3, 0.5)) for user in several], 0.9))  # are longer than that
truth = summed(at, several, 3, 0.5, few)
check(noisy_round, nearly_quiet(at, several, (3, 0.5, few), truth))  # a norm from the data shows
several, at = some_users(3, 3, 20), fresh.normal(size=3)
check(noisy_round, audited_round(at, several, 6, 1.0, 0.05, 1.0), audited_round(at, several[:1], 3, 0.5, 0.1, 2.0))
### END HIDDEN TESTS


# %% tags=["wrong"]
def noisy_round(weights, users, steps, rate, norm, multiplier, rng):
    def clipped(move):
        return move * norm / max(np.linalg.norm(move), norm)

    def update_of(features, labels, start=weights, step=lambda way: rate * way):
        own = np.array(start)
        for _ in range(steps):
            own = own + step(downhill(own, features, labels))
        return own - start

    def records_of(features, labels):
        return [(features[[k]], labels[[k]]) for k in range(len(labels))]

    updates, none = [update_of(*user) for user in users], np.zeros(len(weights))
    noise = rng.normal(scale=multiplier * norm, size=len(weights))

    # WRONG the sum is clipped | the sum was clipped
    return clipped(sum(updates, none)) + noise

    # WRONG nothing clipped | nothing was clipped
    return sum(updates, none) + noise

    # WRONG each direction clipped | Clip the update
    return sum(update_of(*user, step=lambda way: rate * clipped(way)) for user in users) + noise

    # WRONG each step clipped | clip the way that they have gone in all
    return sum(update_of(*user, step=lambda way: clipped(rate * way)) for user in users) + noise

    # WRONG each record clipped | each record's gradient was clipped
    total = np.zeros(len(weights))
    for user in users:
        own = np.array(weights)
        for _ in range(steps):
            own = own + rate * np.mean([clipped(downhill(own, *record)) for record in records_of(*user)], axis=0)
        total += own - weights
    return total + noise

    # WRONG records as users | each record was taken for a user
    return sum(clipped(update_of(*record)) for user in users for record in records_of(*user)) + noise

    # WRONG a mean over users | divided by the number of users
    return (sum(map(clipped, updates)) + noise) / max(1, len(users))

    # WRONG weighted by records | weighted by their records
    return sum(len(labels) * clipped(one) for one, (_, labels) in zip(updates, users, strict=True)) + noise

    # WRONG the published average | weighted by their share of the records
    total = sum(len(labels) * clipped(one) for one, (_, labels) in zip(updates, users, strict=True))
    return total / max(1, sum(len(labels) for _, labels in users)) + noise

    # WRONG one step | one step of each user
    return sum(clipped(rate * downhill(weights, *user)) for user in users) + noise

    # WRONG all steps from the start | begins where the one before has stopped
    return sum(clipped(steps * rate * downhill(weights, *user)) for user in users) + noise

    # WRONG short ones stretched | short updates stay as they are
    return sum(one * norm / np.linalg.norm(one) for one in updates) + noise

    # WRONG clipped by coordinates | not each coordinate
    return sum(np.clip(one, -norm, norm) for one in updates) + noise

    # WRONG weights instead of updates | take off those of the start
    return sum(clipped(weights + one) for one in updates) + noise

    # WRONG one after another | not where another has stopped
    own = np.array(weights)
    for user in users:
        own = own + clipped(update_of(*user, start=own))
    return own - weights + noise

    # WRONG the new weights | not the new weights
    return weights + sum(map(clipped, updates)) + noise

    # WRONG the norm from the data | with other data, which you have not seen
    usual = min(norm, np.median(np.linalg.norm(updates, axis=1))) if updates else norm
    return sum(one * usual / max(np.linalg.norm(one), usual) for one in updates) + noise

    # WRONG noise without the norm | the multiplier times the norm
    return sum(map(clipped, updates)) + rng.normal(scale=multiplier, size=len(weights))

    # WRONG noise for each user | every user brought noise
    noises = rng.normal(scale=multiplier * norm, size=(len(users), len(weights)))
    return sum(map(clipped, updates)) + noises.sum(axis=0)

    # WRONG no noise | NO_NOISE
    return sum(map(clipped, updates), none)


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* whom such systems trust. About 15 minutes, medium.
#
# A company writes: "Your phone masks its answer, so our server learns nothing but the exact sum, which is private. Each phone proves
# that its answer is 0 or 1, so nobody can lie. You need not trust anyone." In three to seven sentences: what is wrong with each
# of the three claims?
#
# *Graded by hand:* a point for each of the three claims.

# %% [markdown] name="explain_claims" points=3
# ### BEGIN SOLUTION
# An exact sum is not private. If all others together subtract their own answers, the last one's is left. And the sums of
# two days show the answer of a person who joined in between. Noise is needed, in pieces if no server may see the sum. The
# proof says that an answer is 0 or 1, and not that it is true. A liar still moves the sum by one. The phones are trusted
# to stay and not to tell: their masks and noise protect the others. The server is trusted to follow the rules and to invent
# no phones.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each.
#
# - (a) The exact sum tells the last value to all others together. Accept: the difference of two sums. No point for "noise is
#   missing" alone.
# - (b) A proof of a range is not a proof of truth. Accept: a liar counts as one person.
# - (c) One trusted party is named, and for what. Accept: other clients, the server, a second server, who programs the phone.
# ### END MARK SCHEME
