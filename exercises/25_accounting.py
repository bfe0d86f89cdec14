# %% [markdown]
# # Assignment 25: Accounts
#
# Five tasks, 18 points. You need chapter 25, *Accounting*.
#
# All data here are invented. Yours may differ from those of others.

# %% tags=["setup"]
from functools import partial

import numpy as np

from dpbook.check import answers, check, normal_law, own_order, private, repeatable
from dpbook.gaussian import gaussian_scale, zcdp_rho

VARIANT = 0  # of 6
UNIT = 1 + VARIANT / 2  # of your own sums
mine = partial(own_order, variant=VARIANT)

# %% [markdown]
# ## 1. The loss distribution (3 points)
#
# *You learn* to read the loss distribution off a table. About 20 minutes, easy to medium.
#
# A mechanism has a few possible outputs, with probabilities `with_you` and `without_you` on two neighbours; some of
# these may be 0. Draw an output with you. If its probability is $p$ with you and $q$ without, its privacy loss is
# $L = \ln(p / q)$. Write `loss_law(with_you, without_you, epsilon)`: it returns three numbers. They are the probability
# that $L > \varepsilon$, the probability that $L$ is infinite, and the smallest $\delta$ with
# $\Pr[T] \le e^\varepsilon \Pr{}'[T] + \delta$ for all events $T$. Here $\Pr$ is with you and $\Pr{}'$ without. Only
# this direction is asked.


# %%
def loss_law(with_you, without_you, epsilon):
    ### BEGIN SOLUTION
    seen = with_you > 0
    p, q = with_you[seen], without_you[seen]
    above = p > np.exp(epsilon) * q
    # delta = E[(1 - e^(epsilon - L))_+]: of an output with a larger loss, e^(epsilon - L) is covered.
    return [p[above].sum(), p[q == 0].sum(), (p[above] - np.exp(epsilon) * q[above]).sum()]
    ### END SOLUTION


# %% points=3
here, there = np.array([0.4, 0.3, 0.2, 0.1, 0.0, 0.0]), np.array([0.1, 0.4, 0.3, 0.0, 0.2, 0.0])
CASES = [(here, there, 0.0), (here, there, 1.0), (there, here, 0.25)]
# the last: losses ln 4/3, ln 3/2 and infinity are above 1/4
TABLE = np.array([[0.5, 0.1, 0.4], [0.5, 0.1, 0.5 - 0.1 * np.e], [0.9, 0.2, 0.9 - 0.5 * np.exp(0.25)]])
ABOVE, INFINITE, DELTAS = TABLE.T
WITHOUT = [0.1, 0.1, 0.5], np.zeros(3), DELTAS
COVERED = "delta is less than the probability of a loss above epsilon: e^epsilon covers a part"
check(
    loss_law,
    answers(
        CASES,
        TABLE,
        slips={
            "draw the output with you: yours is the law of the loss without you": np.transpose(WITHOUT),
            COVERED: np.transpose([ABOVE, INFINITE, ABOVE]),
            "an infinite loss is a loss above epsilon, too": TABLE - np.outer(INFINITE, [1, 0, 1]),
        },
        tolerance=1e-9,
        variant=VARIANT,
    ),
)


### BEGIN HIDDEN TESTS
def truth(p, q, epsilon):
    worst = p > np.exp(epsilon) * q
    return [p[worst].sum(), p[q == 0].sum(), 1 - np.minimum(p, np.exp(epsilon) * q).sum()]


laws = [np.array([0.0, 0.0, 0.0, 1.0]), *fresh.dirichlet(np.ones(4), 4)]
laws[1][fresh.integers(4)] = laws[2][fresh.integers(4)] = 0
laws = [law / law.sum() for law in laws]
runs = [(p, q, e) for p in laws for q in laws for e in (0.01, fresh.uniform(0.05, 3), 20.0)]
runs += [(np.ones(1), np.ones(1), 0.0)]
runs += [(*fresh.dirichlet(np.full(size, 0.5), 2), e) for size in (30, 4000) for e in fresh.uniform(0.01, 5, 3)]
check(loss_law, answers(runs, [truth(*run) for run in runs], tolerance=1e-9))
### END HIDDEN TESTS


# %% tags=["wrong"]
def loss_law(with_you, without_you, epsilon):
    above = with_you > np.exp(epsilon) * without_you
    infinite = with_you[without_you == 0].sum()
    # WRONG drawn without you | yours is the law of the loss without you
    delta = np.maximum(with_you - np.exp(epsilon) * without_you, 0).sum()
    return [without_you[above].sum(), 0.0, delta]

    # WRONG the probability taken for delta | e^epsilon covers a part
    return [with_you[above].sum(), infinite, with_you[above].sum()]

    # WRONG infinite losses dropped | an infinite loss is a loss above epsilon, too
    p, q = with_you[without_you > 0], without_you[without_you > 0]
    above = p > np.exp(epsilon) * q
    return [p[above].sum(), infinite, (p[above] - np.exp(epsilon) * q[above]).sum()]

    # WRONG 0 over 0 | NOT_FINITE
    with np.errstate(all="ignore"):
        losses = np.log(with_you / without_you)
    paid = with_you * np.maximum(0, 1 - np.exp(epsilon - losses))
    return [with_you[losses > epsilon].sum(), with_you[losses == np.inf].sum(), paid.sum()]

    # WRONG without the positive part | 3 of 3 answers are wrong
    return [with_you[above].sum(), infinite, 1 - np.exp(epsilon)]


# %% [markdown]
# ## 2. k answers, exactly (5 points)
#
# *You learn* to compose exactly, by the distribution of a sum. About 45 minutes, hard.
#
# The mechanism of a table is run $k$ times with fresh randomness, and all outputs are published. Its losses are whole
# multiples of `step` (a step of ln 2, say), none is infinite, and all probabilities are above 0. Write
# `exact_epsilon(with_you, without_you, step, k, delta)`: the smallest $\varepsilon \ge 0$ with which the $k$ runs together are
# $(\varepsilon, \delta)$-DP between these two neighbours, in *both* directions. There are up to 5 outputs, and $k$ may be
# 300. Listing what the runs can give is out of the question, but the *sum* of the losses takes few values. $\delta$ is at
# least $10^{-9}$; an error of $10^{-4}$ is allowed.


# %%
def exact_epsilon(with_you, without_you, step, k, delta):
    ### BEGIN SOLUTION
    def one_direction(p, q):
        places = np.round(np.log(p / q) / step).astype(int)
        lowest = places.min()
        single = np.bincount(places - lowest, p)
        total = np.ones(1)
        for _ in range(k):
            total = np.convolve(total, single)
        losses = step * (k * lowest + np.arange(total.size))

        def least_delta(epsilon):
            return total @ -np.expm1(np.minimum(epsilon - losses, 0))

        low, high = 0.0, max(losses[-1], 1e-9)
        if least_delta(0.0) <= delta:
            return 0.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if least_delta(middle) > delta else (low, middle)
        return high

    return max(one_direction(with_you, without_you), one_direction(without_you, with_you))
    ### END SOLUTION


# %% points=5
TWO = np.log(2)
odd, even = np.array([4, 2, 1]) / 7, np.array([1, 4, 2]) / 7
true, false = np.array([2, 1]) / 3, np.array([1, 2]) / 3
CASES = [(true, false, TWO, 20, 1e-6), (odd, even, TWO, 3, 1e-2), (even, odd, TWO, 40, 1e-6)]
CASES += [(odd, even, TWO, 40, 1e-6), (true, false, TWO, 300, 1e-9)]
ONE_WAY = "one direction is not enough: %s, and the reverse"
WORST = np.array([20, 6, 80, 80, 300]) * TWO
OF_WORST = [13.859613, 4.139159, 55.444223, 55.444223, 132.949127]
check(
    exact_epsilon,
    answers(
        CASES,
        [13.859613, 4.1038, 47.093937, 47.093937, 132.949127],
        slips={
            ONE_WAY % "with you against without you": [13.859613, 4.1038, 27.725411, 47.093937, 132.949127],
            ONE_WAY % "without you against with you": [13.859613, 2.063434, 47.093937, 27.725411, 132.949127],
            "that is the sum of the worst losses: it holds, but it is not the least": WORST,
            "that bound holds for any releases with this largest loss; this table may lose less": OF_WORST,
            "you looked at one run": [0.693146, 1.368639, 1.386293, 1.386293, 0.693147],
        },
        tolerance=1e-4,
        variant=VARIANT,
    ),
)


### BEGIN HIDDEN TESTS
from dpbook.accounting import listed_losses
from dpbook.composition import optimal


def both_ways(p, q, step, k, delta):
    return max(listed_losses(np.log(a), np.log(b), step).repeat(k).epsilon(delta) for a, b in ((p, q), (q, p)))


def lattice(outputs, step):
    """Two laws on so many outputs, whose log ratios are whole multiples of the step."""
    heights = fresh.integers(0, max(2, min(5, int(4 / step))), outputs)
    heights[:2] = 0, 1  # not all losses are 0
    p = np.exp(step * heights)
    return p / p.sum(), np.roll(p, fresh.integers(1, outputs)) / p.sum()


runs = [(np.array([0.5, 0.5]), np.array([0.5, 0.5]), TWO, 5, 1e-6)]
for outputs, step, k in ((2, 0.01, 300), (3, TWO, 1), (4, TWO, 7), (5, 0.3, 300), (5, 0.05, 150), (2, 6.0, 3)):
    for exponent in fresh.uniform(-8, -2, 3):  # at 1e-9 the transform of `listed_losses` rounds up by 1e-4
        runs.append((*lattice(outputs, step), step, k, 10**exponent))
check(exact_epsilon, answers(runs, [both_ways(*run) for run in runs], tolerance=1e-4))
loss, k, delta = fresh.uniform(0.02, 0.3), int(fresh.integers(20, 200)), 10 ** fresh.uniform(-9, -4)
likelier = np.exp(loss) / (1 + np.exp(loss))
answered = np.array([likelier, 1 - likelier])
check(
    exact_epsilon,
    answers([(answered, answered[::-1], loss, k, delta)], [optimal(loss, k, delta)], tolerance=1e-4),
)
### END HIDDEN TESTS


# %% tags=["wrong"]
def exact_epsilon(with_you, without_you, step, k, delta):
    from dpbook.accounting import listed_losses
    from dpbook.composition import optimal

    worst = np.abs(np.log(with_you / without_you)).max()
    pairs = (with_you, without_you), (without_you, with_you)

    def least_epsilon(losses, total):
        low, high = 0.0, max(losses[-1], 1e-9)
        if total @ -np.expm1(np.minimum(-losses, 0)) <= delta:
            return 0.0
        for _ in range(60):
            middle = (low + high) / 2
            over = total @ -np.expm1(np.minimum(middle - losses, 0)) > delta
            low, high = (middle, high) if over else (low, middle)
        return high

    # WRONG with you against without you only | with you against without you, and the reverse
    return listed_losses(np.log(with_you), np.log(without_you), step).repeat(k).epsilon(delta)

    # WRONG without you against with you only | without you against with you, and the reverse
    return listed_losses(np.log(without_you), np.log(with_you), step).repeat(k).epsilon(delta)

    # WRONG the epsilons added | it holds, but it is not the least
    return k * worst

    # WRONG optimal composition of the worst loss | this table may lose less
    return optimal(worst, k, delta)

    # WRONG a Fourier transform without room | SOME_WRONG
    def one_direction(p, q):
        places = np.round(np.log(p / q) / step).astype(int)
        single = np.bincount(places - places.min(), p)
        total = np.maximum(np.fft.irfft(np.fft.rfft(single, 64) ** k, 64), 0)
        return least_epsilon(step * (k * places.min() + np.arange(total.size)), total)

    return max(one_direction(p, q) for p, q in pairs)

    # WRONG one run | you looked at one run
    return max(listed_losses(np.log(p), np.log(q), step).epsilon(delta) for p, q in pairs)

    # WRONG losses rounded down | SOME_WRONG
    def one_direction(p, q):
        places = np.floor(np.log(p / q) / step - 0.5).astype(int)
        single = np.bincount(places - places.min(), p)
        total = np.ones(1)
        for _ in range(k):
            total = np.convolve(total, single)
        return least_epsilon(step * (k * places.min() + np.arange(total.size)), total)

    return max(one_direction(p, q) for p, q in pairs)


# %% [markdown]
# ## 3. A budget in zCDP (3 points)
#
# *You learn* to divide a budget in zCDP among different sums. About 30 minutes, medium.
#
# Several sums are to be released at once, with $(\varepsilon, \delta)$-DP for all of them together. Other releases may
# follow, so the account is kept in zCDP. Sum $i$ has L2 sensitivity `sensitivities[i]` and gets the fraction `shares[i]` of
# the budget (they add up to 1). The budget is the largest $\rho$ that the chapter's conversion allows; `largest_rho` finds
# it. Write
# `release_sums(sums, sensitivities, shares, epsilon, delta, rng)` with normal noise of the smallest standard deviation that each
# fraction pays for. The release has one number a sum, neither rounded nor cut.


# %% tags=["setup"]
def largest_rho(epsilon, delta):
    """The largest rho whose best conversion at delta is at most epsilon."""
    return zcdp_rho(epsilon, delta)


sums = UNIT * np.array([120.0, 33.5, 870.0, 12.0])
most = UNIT * np.array([1.0, 0.5, 30.0, 2.0])
parts = np.array([0.4, 0.1, 0.3, 0.2])


# %%
def release_sums(sums, sensitivities, shares, epsilon, delta, rng):
    ### BEGIN SOLUTION
    rho = largest_rho(epsilon, delta) * shares
    return sums + rng.normal(scale=sensitivities / np.sqrt(2 * rho))
    ### END SOLUTION


# %% points=3
plan = most, parts, 1.0, 1e-6
least = UNIT * np.array([7.163946, 7.163946, 248.16636, 20.262698])
split = UNIT * np.array([10.409812, 20.664726, 415.364432, 41.43318])
ALONE = "that is private, and exact for Gaussians alone; the budget here is the largest rho of the conversion"
check(
    release_sums,
    normal_law(
        (sums, *plan),
        sums,
        least,
        scales={
            "do not share epsilon: a share of rho is paid with less noise": split,
            "epsilon^2 / 2 is the rho of a pure release; it says nothing about this delta": most / np.sqrt(parts),
            ALONE: gaussian_scale(1, 1.0, 1e-6) * most / np.sqrt(parts),
            "rho = sensitivity^2 / (2 scale^2): where is the 2?": least * np.sqrt(2),
            "each sum gets the whole budget in your answer: together they spend more": least * np.sqrt(parts),
            "each sum has a sensitivity of its own": UNIT * 136.322189,
            "each sum has a share of its own": least * np.sqrt(4 * parts),
            "noise falls with the root of the share": least / np.sqrt(parts),
        },
    ),
    repeatable((sums, *plan), shape=(4,)),
    private((sums, *plan), (sums + most, *plan), 1.0, (4,), samples=4_000, delta=1e-6),
)
### BEGIN HIDDEN TESTS
promises = fresh.permutation([0.01, 0.2, 1.0, 5.0, 20.0]) * fresh.uniform(0.75, 1.0, 5)
for numbers, promise in zip(fresh.integers([1, 2, 5, 30, 1000], [2, 5, 20, 120, 4000]), promises, strict=True):
    steps, unlike = np.exp(fresh.uniform(-2, 5, numbers)), fresh.dirichlet(np.full(numbers, 2.0))
    many, share = fresh.normal(0, 99, numbers) * fresh.integers(0, 2, numbers), 10.0 ** -fresh.integers(3, 12)
    scale = steps / np.sqrt(2 * largest_rho(promise, share) * unlike)
    check(release_sums, normal_law((many, steps, unlike, promise, share), many, scale))
moves, split = fresh.uniform(0.5, 9, 6), fresh.dirichlet(np.ones(6))
call, joined = ((many, moves, split, 2.0, 1e-5) for many in (np.zeros(6), moves))
check(release_sums, private(call, joined, 2.0, (6,), samples=4000, delta=1e-5, additive=True))
### END HIDDEN TESTS


# %% tags=["wrong"]
def release_sums(sums, sensitivities, shares, epsilon, delta, rng):
    # WRONG rho of a pure release | it says nothing about this delta
    return sums + rng.normal(scale=sensitivities / np.sqrt(2 * shares * epsilon**2 / 2))

    # WRONG epsilon shared out | do not share epsilon
    pairs = zip(sensitivities, shares, strict=True)
    scale = [gaussian_scale(float(s), float(epsilon * p), float(delta * p)) for s, p in pairs]
    return sums + rng.normal(scale=scale)

    # WRONG the exact scale of Gaussians | exact for Gaussians alone
    pairs = zip(sensitivities, shares, strict=True)
    return sums + rng.normal(scale=[gaussian_scale(s / np.sqrt(p), epsilon, delta) for s, p in pairs])

    # WRONG rho without the 2 | where is the 2
    return sums + rng.normal(scale=sensitivities / np.sqrt(largest_rho(epsilon, delta) * shares))

    # WRONG the whole budget for each | together they spend more
    return sums + rng.normal(scale=sensitivities / np.sqrt(2 * largest_rho(epsilon, delta)))

    # WRONG one noise for all | each sum has a sensitivity of its own
    scale = np.sqrt(np.sum(sensitivities**2) / (2 * largest_rho(epsilon, delta)))
    return sums + rng.normal(scale=scale, size=len(sums))

    # WRONG equal shares | each sum has a share of its own
    rho = largest_rho(epsilon, delta) / len(sums)
    return sums + rng.normal(scale=sensitivities / np.sqrt(2 * rho))

    # WRONG one draw for all | SHARED
    scale = sensitivities / np.sqrt(2 * largest_rho(epsilon, delta) * shares)
    return sums + scale * rng.normal()

    # WRONG divided by the share | falls with the root of the share
    return sums + rng.normal(scale=sensitivities / np.sqrt(2 * largest_rho(epsilon, delta)) / shares)


# %% [markdown]
# ## 4. What a sample is worth (4 points)
#
# *You learn* what a hidden sample guarantees, and under which relation. About 35 minutes, medium to hard.
#
# A mechanism is $(\varepsilon, \delta)$-DP under `relation` ("add/remove" or "replace"). It is run on a sample of the
# records. `way` is "Poisson" (each record is drawn with probability $q$, by its own coin) or "fixed size" ($m$ of $n$
# records, $q = m / n$). In both the sample stays hidden. Or it is "published". Then a coin is tossed for everybody in a
# public register, in the data or not, and all coins are made public. Write
# `sampled_promise(epsilon, delta, q, relation, way)`: two numbers, the $\varepsilon'$ and $\delta'$ that chapter 25
# gives for the whole, under the *same* relation. Where the chapter has no better guarantee than that of the mechanism
# itself, return the mechanism's two numbers. For a fixed size under add/remove $n$ is a secret, and not even these need
# hold: return -1 and -1.


# %%
def sampled_promise(epsilon, delta, q, relation, way):
    ### BEGIN SOLUTION
    if way == "fixed size" and relation == "add/remove":
        return [-1.0, -1.0]
    if (way, relation) in (("Poisson", "add/remove"), ("fixed size", "replace")):
        return [np.log1p(q * np.expm1(epsilon)), q * delta]
    return [epsilon, delta]  # a published sample, or Poisson under replace, where the formula does not hold
    ### END SOLUTION


# %% points=4
WAYS = [(way, relation) for way in ("Poisson", "fixed size", "published") for relation in ("add/remove", "replace")]
ASKED = [(1.0, 1e-3, 0.1, relation, way) for way, relation in WAYS] + [(3.0, 1e-2, 0.5, "add/remove", "Poisson")]
REPLACED = "Poisson samples under replace: %s"
E1, E3 = 0.15856507874, 2.35544017101
RIGHT = [[E1, 1e-4], [1, 1e-3], [-1, -1], [E1, 1e-4], [1, 1e-3], [1, 1e-3], [E3, 5e-3]]


def with_rows(**rows):
    table = np.array(RIGHT, float)
    for place, row in rows.items():
        table[int(place[1:])] = row
    return table


check(
    sampled_promise,
    answers(
        ASKED,
        RIGHT,
        slips={
            "q epsilon is less than the truth: a mixture's odds are averaged, not its epsilon": with_rows(
                r0=[0.1, 1e-4], r3=[0.1, 1e-4], r6=[1.5, 5e-3]
            ),
            "delta shrinks as well: it is paid only by those who are drawn": with_rows(
                r0=[E1, 1e-3], r3=[E1, 1e-3], r6=[E3, 1e-2]
            ),
            "a sample that is published hides nobody": with_rows(r4=[E1, 1e-4], r5=[E1, 1e-4]),
            REPLACED % "the formula does not hold for two mixtures": with_rows(r1=[E1, 1e-4]),
            REPLACED % "twice the formula is no theorem of the chapter": with_rows(r1=[2 * E1, 2e-4]),
            REPLACED % "no better guarantee is not none, and the mechanism's own holds": with_rows(r1=[-1, -1]),
            "a published sample: q delta does hold, but the chapter does not give it": with_rows(
                r4=[1, 1e-4], r5=[1, 1e-4]
            ),
            "a fixed size under add/remove: n is a secret, and q moves with it": with_rows(r2=[E1, 1e-4]),
            "under replace a fixed size has the formula, too": with_rows(r3=[1, 1e-3]),
        },
        tolerance=1e-9,
        variant=VARIANT,
    ),
)
### BEGIN HIDDEN TESTS
for e, least, most in ((0.01, 1e-4, 1), (0.2, 0.01, 0.1), (1.0, 0.1, 0.9), (20.0, 0.01, 0.99), (8.0, 0.9, 1)):
    for d in (0.0, 10 ** fresh.uniform(-9, -2)):
        share, e = fresh.uniform(least, most), e * fresh.uniform(0.75, 1)
        gain = [np.log(1 - share + share * np.exp(e)), share * d]
        rows = [gain, [e, d], [-1, -1], gain, [e, d], [e, d]]
        check(sampled_promise, answers([(e, d, share, relation, way) for way, relation in WAYS], rows, tolerance=1e-9))
### END HIDDEN TESTS


# %% tags=["wrong"]
def sampled_promise(epsilon, delta, q, relation, way):
    own, nothing = [epsilon, delta], [-1.0, -1.0]
    gain = [np.log1p(q * np.expm1(epsilon)), q * delta]
    secret_size = (way, relation) == ("fixed size", "add/remove")
    mixtures = (way, relation) == ("Poisson", "replace")
    # WRONG q epsilon | q epsilon is less than the truth
    if secret_size:
        return nothing
    return own if mixtures or way == "published" else [q * epsilon, q * delta]

    # WRONG delta unchanged | delta shrinks as well
    if secret_size:
        return nothing
    return own if mixtures or way == "published" else [gain[0], delta]

    # WRONG published samples, too | hides nobody
    if secret_size:
        return nothing
    return own if mixtures else gain

    # WRONG Poisson under replace | does not hold for two mixtures
    if secret_size:
        return nothing
    return own if way == "published" else gain

    # WRONG nothing for Poisson under replace | no better guarantee is not none
    if secret_size or mixtures:
        return nothing
    return own if way == "published" else gain

    # WRONG q delta for a published sample | the chapter does not give it
    if secret_size:
        return nothing
    if way == "published":
        return [epsilon, q * delta]
    return own if mixtures else gain

    # WRONG twice for replace | no theorem of the chapter
    if secret_size:
        return nothing
    if way == "published":
        return own
    return [2 * gain[0], 2 * gain[1]] if mixtures else gain

    # WRONG a fixed size under add/remove | n is a secret
    return own if mixtures or way == "published" else gain

    # WRONG no gain under replace | under replace a fixed size has the formula
    if relation == "replace" or way == "published":
        return own
    return nothing if secret_size else gain


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* to tell an upper bound from an approximation, and a fixed plan from an adaptive one. About 20 minutes, medium.
#
# A library has three accountants for noisy training. One uses the loss distribution, one Rényi moments, one the central
# limit ("Gaussian DP"). For a thousand steps they print 1.83, 2.11 and 1.62. A student takes the smallest: "all three are
# accountants". Training may stop early or go on, depending on how well it works. So she stops "as soon as `optimal`
# for the steps so far exceeds the budget", with noise chosen anew before each step. In three to six sentences: why is 1.62 no
# guarantee? Why may the other two differ and both be right? What is wrong with the second plan?

# %% [markdown] name="explain_accounts" points=3
# ### BEGIN SOLUTION
# The central limit says that the sum of many losses is *nearly* normal. How far from it after a thousand steps it does not
# say. The missing part lies in the tail, which is just what a small delta is about. So 1.62 may be, and here is, below the
# truth, which lies between certified bounds near 1.83. The loss distribution and the moments both give upper
# bounds. Moments forget a part of the distribution and come back with a larger number, which is safe and wasteful. `optimal` is
# a theorem about a number of releases and epsilons that are fixed beforehand. When the later ones are chosen after seeing the
# earlier ones, each path may be within the bound and the whole above it. A filter (the sum of the epsilons, or of the rhos in zCDP) may be used for that.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each.
#
# - (a) The central limit is an approximation without an error bound, and lies below the truth (or: below a certified lower
#   bound). No point for "it is less accurate" without "not an upper bound".
# - (b) Both others are upper bounds; moments forget part of the distribution.
# - (c) `optimal` needs releases fixed beforehand. Choices on the way need a filter, such as sums of epsilon or rho. Accept an
#   odometer that is said to be valid at all times.
# ### END MARK SCHEME
