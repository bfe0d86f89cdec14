# %% [markdown]
# # Assignment 11: Regression
#
# Five tasks, 18 points. You need chapter 11, *Regression: one record against the curve*.
#
# All data here are invented. Yours may differ from those of others. The relation is add/remove unless a task says
# otherwise.

# %% tags=["setup"]
import numpy as np

from dpbook.check import answers, check, discrete_law, laplace_law, private, repeatable, Unusable
from dpbook.exponential import selection_probabilities
from dpbook.laplace import laplace_mechanism
from dpbook.regression import LOGISTIC, objective_log_density

VARIANT = 0  # of 6
UNIT = 1 + VARIANT / 2  # of your own numbers

# %% [markdown]
# ## 1. Five sensitivities (3 points)
#
# *You learn* to work out sensitivities of weights, coefficients and losses. About 30 minutes, medium.
#
# Write `sensitivities(features, regularisation, step)`; it returns five numbers. In 1 and 2 rows have length at most 1,
# as in the chapter.
#
# 1. how far the weights of a regularised logistic regression can move when one record *joins*, as a length (`fit` of
#    chapter 11);
# 2. the same when one record is *replaced*;
# 3. the $L_1$ sensitivity of all coefficients of degree 1 and 2 of a sum of squared errors, each monomial once, when
#    one record *joins*. There are `features` features, and they and the target lie in $[-1, 1]$ **each** (a box, not
#    the unit ball);
# 4. the same when one record is *replaced*;
# 5. the most by which a record's logistic loss can differ between two candidates, wherever the search stands. The
#    candidates are "stay", "one weight up by `step`", "one weight down by `step`"; rows have length at most 1.


# %%
def sensitivities(features, regularisation, step):
    ### BEGIN SOLUTION
    joined = features**2 + 2 * features  # 2 |y| |x|_1 + |x|_1^2 with |x|_1 = d
    # A replaced record moves uu' to vv', u and v of d + 1 numbers: |u + v|_1 |u - v|_1 is (d + 1)^2 at most.
    return [1 / regularisation, 2 / regularisation, joined, (features + 1) ** 2, 2 * step]
    ### END SOLUTION


# %% points=3
ASKED = [(1, UNIT / 2, UNIT / 10), (3, 4 * UNIT, UNIT / 4), (8, 20 * UNIT, UNIT)]
d, spring, s = np.array(ASKED).T
RIGHT = np.column_stack([1 / spring, 2 / spring, d**2 + 2 * d, (d + 1) ** 2, 2 * s])


def instead(column, values):
    """The right answers with one column exchanged."""
    other = RIGHT.copy()
    other[:, column] = values
    return other


check(
    sensitivities,
    answers(
        ASKED,
        RIGHT,
        slips={
            "a record that joins pulls with a force of at most 1; 2 is for one that leaves while another comes": instead(
                0, 2 / spring
            ),
            "under replace one pull vanishes and another comes: how far apart can two pulls be?": instead(
                1, 1 / spring
            ),
            "that is the printed bound: twice what a replaced record can do": instead(3, 2 * (d + 1) ** 2),
            "the constant is not released: it counts for nothing": instead(2, (d + 1) ** 2),
            "a cross term stands for x_i x_j and x_j x_i: its coefficient is 2 x_i x_j": instead(
                2, 2 * d + d * (d + 1) / 2
            ),
            "up and down lie two steps apart": instead(4, s),
            "a replaced record does not count twice: its squares cannot change their sign": instead(
                3, 2 * (d**2 + 2 * d)
            ),
        },
    ),
)
### BEGIN HIDDEN TESTS
cases = [(int(fresh.integers(1, 40)), float(fresh.uniform(0.01, 50)), float(fresh.uniform(0.01, 3))) for _ in range(20)]
others = np.array([[1 / lam, 2 / lam, k * (k + 2), (k + 1) ** 2, 2 * move] for k, lam, move in cases])
check(sensitivities, answers(cases, others))
### END HIDDEN TESTS


# %% tags=["wrong"]
def sensitivities(features, regularisation, step):
    d = features

    # WRONG 2 for both relations | a record that joins pulls with a force of at most 1
    return [2 / regularisation, 2 / regularisation, d**2 + 2 * d, (d + 1) ** 2, 2 * step]

    # WRONG 1 for both relations | one pull vanishes and another comes
    return [1 / regularisation, 1 / regularisation, d**2 + 2 * d, (d + 1) ** 2, 2 * step]

    # WRONG the printed bound | twice what a replaced record can do
    return [1 / regularisation, 2 / regularisation, d**2 + 2 * d, 2 * (d + 1) ** 2, 2 * step]

    # WRONG the constant counted | the constant is not released
    return [1 / regularisation, 2 / regularisation, (d + 1) ** 2, (d + 1) ** 2, 2 * step]

    # WRONG cross terms once | its coefficient is 2 x_i x_j
    return [1 / regularisation, 2 / regularisation, 2 * d + d * (d + 1) / 2, (d + 1) ** 2, 2 * step]

    # WRONG one step | up and down lie two steps apart
    return [1 / regularisation, 2 / regularisation, d**2 + 2 * d, (d + 1) ** 2, step]

    # WRONG replace is twice joining | cannot change their sign
    return [1 / regularisation, 2 / regularisation, d**2 + 2 * d, 2 * (d**2 + 2 * d), 2 * step]


# %% [markdown]
# ## 2. Noisy least squares (5 points)
#
# *You learn* to release the two sums that least squares needs. About 25 minutes, medium.
#
# One feature, no intercept: each record has an $x$ and a $y$, both in $[-1, 1]$. The functional mechanism releases the
# two numbers $-2\sum x_i y_i$ and $\sum x_i^2$, from which a slope can be worked out. Write
# `noisy_sums(x, y, epsilon, rng)`: an array of both, together $\varepsilon$-DP when one record is added or removed.
# Both have Laplace noise of the same scale, no larger than needed. The array is neither rounded nor cut. There may be
# no records.

# %% tags=["setup"]
seed_given = (11, 41, 71, 101, 111, 121)[VARIANT]  # of data on which the largest record moves the sums alike
x_given = np.random.default_rng(seed_given).uniform(-0.97, 0.97, 30)
y_given = np.clip(0.9 * x_given + np.random.default_rng(seed_given + 1).normal(0, 0.2, 30), -0.9, 0.9)


def both_sums(x, y):
    """The two sums: not private."""
    return np.array([-2 * (x @ y), x @ x])


# %%
def noisy_sums(x, y, epsilon, rng):
    ### BEGIN SOLUTION
    # One record moves the first by up to 2 and the second by up to 1: the record (1, 1) does both.
    return laplace_mechanism(both_sums(x, y), 3, epsilon, rng)
    ### END SOLUTION


# %% points=5
own_largest = 2 * np.abs(x_given).max() * np.abs(y_given).max() + (x_given**2).max()
check(
    noisy_sums,
    laplace_law(
        (x_given, y_given),
        truth=both_sums(x_given, y_given),
        sensitivity=3,
        epsilon=0.5,
        centres={
            "the first sum has the factor -2": np.array([x_given @ y_given, x_given @ x_given]),
            "the first sum is negative here: -2, not 2": np.array([2 * (x_given @ y_given), x_given @ x_given]),
        },
        sensitivities={
            "that is the printed 2 (d + 1)^2: more noise than needed": 8,
            "here one record joins or leaves and moves the two by 3 in all; 4 is for replace, or for halves of epsilon": 4,
            "each is right for itself, but one record moves both: they share epsilon": np.array([2, 1]),
            "the noise follows the largest record that is there: that is secret": own_largest,
            "the L2 length of the move is for normal noise; Laplace noise counts steps": np.sqrt(5),
        },
    ),
    repeatable((x_given, y_given, 0.5), (2,)),
    private(
        (x_given, y_given, 1.0),
        (np.append(x_given, 1.0), np.append(y_given, -1.0), 1.0),
        epsilon=1.0,
        shape=(2,),
        samples=5000,
        additive=True,
    ),
)
### BEGIN HIDDEN TESTS
promises = fresh.permutation([0.01, 0.2, 1.0, 4.0, 20.0]) * fresh.uniform(0.75, 1.0, 5)
promises[1::2] = promises[1::2].round(2)
sizes = fresh.integers([0, 1, 2, 30, 900], [1, 2, 20, 600, 3500])
for people, largest, promise, places in zip(sizes, (1, 0.3, 1, 0.1, 1), promises, (15, 3, 2, 1, 15), strict=True):
    feature, target = fresh.uniform(-largest, largest, (2, people)).round(places)
    feature = np.sort(feature) if places == 2 else feature
    check(noisy_sums, laplace_law((feature, target), both_sums(feature, target), 3.0, promise, samples=2000))
feature, target = fresh.uniform(-0.2, 0.2, (2, 12))
without, joined = (feature, target, 2.5), (np.append(feature, -1.0), np.append(target, -1.0), 2.5)
check(noisy_sums, private(without, joined, epsilon=2.5, shape=(2,), samples=5000, additive=True))
### END HIDDEN TESTS


# %% tags=["wrong"]
def noisy_sums(x, y, epsilon, rng):
    # WRONG output of the true values | NO_NOISE
    return both_sums(x, y)

    # WRONG the printed bound | more noise than needed
    return laplace_mechanism(both_sums(x, y), 8, epsilon, rng)

    # WRONG a replaced record | 4 is for replace
    return laplace_mechanism(both_sums(x, y), 4, epsilon, rng)

    # WRONG each at full epsilon | they share epsilon
    first, second = both_sums(x, y)
    return np.array([laplace_mechanism(first, 2, epsilon, rng), laplace_mechanism(second, 1, epsilon, rng)])

    # WRONG half of epsilon each | or for halves of epsilon
    first, second = both_sums(x, y)
    return np.array([laplace_mechanism(first, 4, epsilon, rng), laplace_mechanism(second, 2, epsilon, rng)])

    # WRONG the largest record's move | that is secret
    move = 2 * np.abs(x).max() * np.abs(y).max() + (x**2).max()
    return laplace_mechanism(both_sums(x, y), move, epsilon, rng)

    # WRONG the length of the move | Laplace noise counts steps
    return laplace_mechanism(both_sums(x, y), np.sqrt(5), epsilon, rng)

    # WRONG the factor forgotten | the first sum has the factor -2
    return laplace_mechanism([x @ y, x @ x], 3, epsilon, rng)

    # WRONG one noise for both | SHARED
    return both_sums(x, y) + rng.laplace(scale=3 / epsilon)

    # WRONG a generator of its own | NOT_FROM_RNG
    return laplace_mechanism(both_sums(x, y), 3, epsilon, np.random.default_rng())


# %% [markdown]
# ## 3. Break a proposition (4 points)
#
# *You learn* to refute a proposition with two records and a density. About 45 minutes, hard.
#
# A data set is a *single* record: a feature in $[-1, 1]$ with the label $+1$. Somebody releases the weight that
# minimises $\ln(1 + e^{-x w}) + \frac{\lambda}{2} w^2 + b\, w$, where $b$ is Laplace noise with density proportional
# to $e^{-\varepsilon |b| / 2}$. The claim is $\varepsilon$-DP under **replace** (Proposition 5.1 of the source).
#
# Write `counterexample(regularisation, epsilon)`: an array of four numbers. They are the feature before, the feature
# after, a weight $w$, and a log ratio. The last is the natural log of the release's density at $w$ before the change,
# divided by that after it. This log ratio must lie above $\varepsilon$, and be right to one part in a million. You will
# be asked only where there is one with room to spare.


# %% tags=["setup"]
def log_ratio(before, after, w, regularisation, epsilon):
    """ln p(w) before, less after: exact."""
    laws = [objective_log_density([w], [[x]], [1.0], regularisation, epsilon / 2, LOGISTIC) for x in (before, after)]
    return laws[0] - laws[1]


def breaks(cases):
    """The answer must break the guarantee for each (regularisation, epsilon), and say by how much."""

    def requirement(draw):
        for regularisation, epsilon in cases:
            before, after, w, said = draw([(regularisation, epsilon)], shape=(4,))[0, 0]
            if max(abs(before), abs(after)) > 1:
                raise Unusable("the features must lie in [-1, 1]")
            if abs(w) > 1e6:
                raise Unusable("the weight must lie within a million")
            true = log_ratio(before, after, w, regularisation, epsilon)
            bends = [x**2 * float(LOGISTIC.curvature(np.array(x * w))) for x in (before, after)]
            if true <= epsilon:
                if -true > epsilon:
                    return "the other way round: at this w the release is denser after than before"
                if abs(bends[0] - bends[1]) < 1e-6 * max(bends):
                    return "both records bend the objective alike at this w: no determinant changes"
                if max(bends) < 0.02:
                    return "neither record bends the objective at this w: only the noise differs there"
                return "at this w the release is not e^epsilon times as dense"
            pulls = [float(x * LOGISTIC.slope(np.array(x * w))) for x in (before, after)]
            noises = [abs(regularisation * w + pull) for pull in pulls]
            if abs(said - epsilon / 2 * (noises[1] - noises[0])) < 1e-6:
                return "the pair is good, but your ratio is that of the noise alone: the determinant is missing"
            if abs(said - np.exp(true)) < 1e-6 * np.exp(true):
                return "the pair is good, but its *log* is asked for"
            if abs(said - true) > 1e-6 * abs(true):
                return "the pair is good, but the log ratio that you give is not its own"
        return ""

    return requirement


# %%
def counterexample(regularisation, epsilon):
    ### BEGIN SOLUTION
    # At w = 0 the record 1 has slope 1/2 and curvature 1/4, the record 0 has neither.
    noise, determinant = -epsilon / 4, np.log1p(0.25 / regularisation)
    return [1.0, 0.0, 0.0, noise + determinant]
    ### END SOLUTION


# %% points=4
check(counterexample, breaks([(0.01 / UNIT, 1.0), (1.0, 0.1 / UNIT), (0.2, 0.3)]))
### BEGIN HIDDEN TESTS
springs = np.exp(fresh.uniform(np.log(0.003), np.log(3), 8))
check(counterexample, breaks([(lam, fresh.uniform(0.2, 0.6) * np.log1p(0.25 / lam)) for lam in springs]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def counterexample(regularisation, epsilon):
    # WRONG a feature turned round | bend the objective alike
    return [1.0, -1.0, 0.0, 0.0]

    # WRONG far out | neither record bends the objective
    return [1.0, 0.0, 60.0, epsilon / 2]

    # WRONG the noise alone | the determinant is missing
    return [1.0, 0.0, 0.0, -epsilon / 4]

    # WRONG the ratio without its log | its *log* is asked for
    return [1.0, 0.0, 0.0, np.exp(-epsilon / 4) * (1 + 0.25 / regularisation)]

    # WRONG before and after exchanged | the other way round
    return [0.0, 1.0, 0.0, epsilon / 4 - np.log1p(0.25 / regularisation)]

    # WRONG the noise of add/remove | is not its own
    return [1.0, 0.0, 0.0, -epsilon / 2 + np.log1p(0.25 / regularisation)]

    # WRONG the determinant without the noise | is not its own
    return [1.0, 0.0, 0.0, np.log1p(0.25 / regularisation)]

    # WRONG features of middle size | is not e^epsilon times as dense
    laws = [-epsilon / 4 * x + np.log1p(x**2 / 4 / regularisation) for x in (0.5, 0.3)]
    return [0.5, 0.3, 0.0, laws[0] - laws[1]]

    # WRONG a feature too large | must lie in [-1, 1]
    return [10.0, 0.0, 0.0, -2.5 * epsilon + np.log1p(25 / regularisation)]


# %% [markdown]
# ## 4. Choose privately (4 points)
#
# *You learn* to choose among candidates by their losses, as steeply as the guarantee allows. About 30 minutes, medium.
#
# `losses` holds, for each of some candidates, the sum over all records of a loss; smaller is better. For any record of
# the domain the losses of two candidates differ by at most `spread`. Write `pick(losses, spread, epsilon, rng)`: the
# index of one candidate, drawn by the *exponential mechanism*. It must be $\varepsilon$-DP when one record is added or
# removed, with weights as steep as this guarantee allows. The losses may be large: only their differences matter.

# %% tags=["setup"]
totals_given = np.array([412.0, 410.5, 415.0, 411.0]) + VARIANT
record_losses = np.array([0.1, 1.6, 0.9, 0.4])  # of one more record, which likes the first candidate


def chances(losses, slope):
    """Chances in proportion to exp(-slope * loss): the checks compare your draws with them."""
    return selection_probabilities(-np.asarray(losses), 1, slope, monotonic=True)


# %%
def pick(losses, spread, epsilon, rng):
    ### BEGIN SOLUTION
    # One record changes the ratio of two weights by at most e^(slope spread), so no factor 2 is needed.
    weights = np.exp(-epsilon / spread * (losses - losses.min()))
    return int(rng.choice(len(losses), p=weights / weights.sum()))
    ### END SOLUTION


# %% points=4
leading = np.append(7.0, np.full(19, 10.0))
# The chances of the least of the 20 totals with Laplace noise of scale 1 on each, by numerical integration.
least_noisy = {"this draws the least of noisy totals: private too, but another lottery": [0.5649] + [0.0229] * 19}
check(
    pick,
    discrete_law(
        (totals_given, 1.5, 1.0),
        range(4),
        chances(totals_given, 1 / 1.5),
        slips={
            "flatter than needed: the 2 of the general mechanism is for scores that move in opposite directions": chances(
                totals_given, 1 / 3
            ),
            "this prefers large losses": chances(-totals_given, 1 / 1.5),
            "your spread is that of the losses given: those are the data": chances(
                totals_given, 1 / np.ptp(totals_given)
            ),
            "the spread plays no part in your lottery": chances(totals_given, 1.0),
            "the candidate of least loss each time: no lottery": [0, 1, 0, 0],
            "all candidates alike: the losses do not choose, or hardly": [0.25] * 4,
        },
    ),
    discrete_law(
        (totals_given, 0.5, 0.2),
        range(4),
        chances(totals_given, 0.4),
        slips={"epsilon plays no part in your lottery": chances(totals_given, 2.0)},
    ),
    discrete_law((np.array([9e5, 9e5 + 1]), 2.0, 1.0), range(2), chances([0, 1], 0.5)),
    discrete_law((leading, 1.0, 1.0), range(20), chances(leading, 1.0), least_noisy),
    repeatable((totals_given, 1.5, 1.0)),
    private((totals_given, 1.5, 2.0), (totals_given + record_losses, 1.5, 2.0), epsilon=2.0, samples=5000),
)
### BEGIN HIDDEN TESTS
sizes = fresh.integers([2, 3, 6, 120], [3, 6, 30, 260])
for many, promise in zip(sizes, fresh.permutation([0.02, 0.5, 3.0, 15.0]), strict=True):
    wide, apart, drawn = fresh.uniform(0.05, 4), *((3, 5000) if many < 100 else (1, 10_000))  # the best of many is rare
    ranks = fresh.permutation(np.sort(fresh.uniform(0, apart, many)))
    ranks[ranks.argmin()] -= fresh.uniform(3, 4.5) * (2 < many < 6)  # of a few the best leads, and is not always drawn
    ranks = ranks * wide / promise + fresh.uniform(0, 1e5)
    check(pick, discrete_law((ranks, wide, promise), range(many), chances(ranks, promise / wide), samples=drawn))
apart = fresh.permutation([0.0, 1.0, fresh.uniform(1000, 5000)]) - fresh.uniform(5, 900)  # sums may be negative
check(pick, discrete_law((apart, 1.0, 1.0), range(3), chances(apart, 1.0), samples=5000))
sums = fresh.uniform(50, 52, 5)
more = sums + np.append(0.0, np.full(4, 1.0))
check(pick, private((sums, 1.0, 1.5), (more, 1.0, 1.5), epsilon=1.5, samples=5000))
### END HIDDEN TESTS


# %% tags=["wrong"]
def pick(losses, spread, epsilon, rng):
    def drawn(weights):
        return int(rng.choice(len(losses), p=weights / weights.sum()))

    # WRONG the 2 of the general mechanism | flatter than needed
    return drawn(np.exp(-epsilon / (2 * spread) * (losses - losses.min())))

    # WRONG large losses | this prefers large losses
    return drawn(np.exp(epsilon / spread * (losses - losses.max())))

    # WRONG the spread of the losses given | those are the data
    return drawn(np.exp(-epsilon / np.ptp(losses) * (losses - losses.min())))

    # WRONG no spread | the spread plays no part
    return drawn(np.exp(-epsilon * (losses - losses.min())))

    # WRONG no epsilon | in your lottery
    return drawn(np.exp(-1 / spread * (losses - losses.min())))

    # WRONG the best each time | no lottery
    return int(np.argmin(losses))

    # WRONG any candidate | the losses do not choose
    return int(rng.integers(len(losses)))

    # WRONG the least of noisy losses | but another lottery
    return int(np.argmin(losses + rng.laplace(scale=spread / epsilon, size=len(losses))))

    # WRONG weights that overflow where losses lie far apart | with other data, which you have not seen
    with np.errstate(all="ignore"):
        return drawn(np.exp(-epsilon / spread * (losses - losses.max())))

    # WRONG losses taken as positive | with other data, which you have not seen
    losses = np.abs(losses)
    return drawn(np.exp(-epsilon / spread * (losses - losses.min())))

    # WRONG weights that underflow | not yet
    return drawn(np.exp(-epsilon / spread * losses))


# %% [markdown]
# ## 5. Explain (2 points)
#
# *You learn* what a change of variables does to a density. About 20 minutes, medium to hard.
#
# The proof of Proposition 5.1 finds, for a released weight, the one noise that it came from, and compares the densities
# of the two noises. The proof for the Laplace mechanism does the same. In two to four sentences: why does the first
# need a determinant as well, and why does the second need none?

# %% [markdown] name="explain_determinant" points=2
# ### BEGIN SOLUTION
# A density is a probability per length (or volume). The weights are a function of the noise that stretches some
# lengths more than others. A small cell of weights comes from a cell of noises that is larger by the determinant of
# the Hessian there. So the density of the weights is that of the noise times this determinant. One record changes the
# Hessian, and so the determinant, so that it does not cancel from the ratio. A Laplace release is the answer plus the
# noise. A cell of outputs comes from a cell of noises of the same size, on both neighbours; the factor is 1.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each:
#
# - (a) The change of variables: the density of the weights is that of the noise times how much a small cell is
#   stretched. (Accept Jacobian, determinant of the Hessian, derivative of b by w.) AND this factor differs between the
#   neighbours, because a record changes the Hessian.
# - (b) In the Laplace mechanism the output is a shift of the noise: derivative 1, or the same on both sides, so it
#   cancels.
#
# No point for "because the noise is multidimensional": the proposition fails in one dimension.
# ### END MARK SCHEME
