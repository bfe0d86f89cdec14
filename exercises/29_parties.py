# %% [markdown]
# # Assignment 29: Without a curator
#
# Five tasks, 16 points. You need chapter 29, *Without a curator*.
#
# All data here are invented.

# %% tags=["setup"]
import numpy as np

from dpbook.check import all_private, answers, check, laplace_law, private, repeatable
from dpbook.laplace import laplace_mechanism

# %% [markdown]
# ## 1. The sensitivity (2 points)
#
# *You learn* how far one record moves the sum of chapter 29. About 10 minutes, easy.
#
# Each record is clipped to [0, `high`], and the records are added up. Return the sensitivity of the sum when neighbours
# differ by adding or removing one record.


# %%
def sum_sensitivity(high):
    ### BEGIN SOLUTION
    return high
    ### END SOLUTION


# %% points=2
check(sum_sensitivity, answers([(3,), (10.0,)], [3, 10.0], slips={"one record, not two": [6, 20.0]}))
### BEGIN HIDDEN TESTS
bounds = np.round(fresh.uniform(0.1, 300, 40), 2)
check(sum_sensitivity, answers([(bound,) for bound in bounds], bounds))
### END HIDDEN TESTS


# %% tags=["wrong"]
def sum_sensitivity(high):
    # WRONG twice as much | one record, not two
    return 2 * high

    # WRONG one | answers are wrong
    return 1


# %% [markdown]
# ## 2. The scale (3 points)
#
# *You learn* which noise the sum of chapter 29 needs. About 10 minutes, easy.
#
# Return the scale of the Laplace noise that makes this sum $\varepsilon$-DP: no larger than needed.


# %%
def sum_scale(high, epsilon):
    ### BEGIN SOLUTION
    return high / epsilon
    ### END SOLUTION


# %% points=3
check(sum_scale, answers([(3, 0.5), (10, 2.0)], [6, 5], slips={"a smaller epsilon needs more noise": [1.5, 20]}))
### BEGIN HIDDEN TESTS
cases = [(float(high), float(epsilon)) for high, epsilon in fresh.uniform(0.1, 9, (40, 2)).round(2)]
check(sum_scale, answers(cases, [high / epsilon for high, epsilon in cases]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def sum_scale(high, epsilon):
    # WRONG multiplied by epsilon | a smaller epsilon needs more noise
    return high * epsilon

    # WRONG epsilon forgotten | answers are wrong
    return high


# %% [markdown]
# ## 3. The mechanism (6 points)
#
# *You learn* to put the clipping and the noise of chapter 29 together. About 20 minutes, medium.
#
# Each record has two wages. Write `clipped_totals(table, high, epsilon, rng)`: clip each wage to [0, `high`], and
# release the two column sums with $\varepsilon$-DP under add/remove. Use Laplace noise no larger than needed. The sums
# are neither rounded nor cut.

# %% tags=["setup"]
wages = np.array([[1.5, 2.0], [4.0, 3.0], [2.5, 900.0]])


# %%
def clipped_totals(table, high, epsilon, rng):
    ### BEGIN SOLUTION
    return laplace_mechanism(np.clip(table, 0, high).sum(axis=0), 2 * high, epsilon, rng)
    ### END SOLUTION


# %% points=6
check(
    clipped_totals,
    laplace_law(
        (wages, 10),
        truth=[8.0, 15.0],
        sensitivity=20,
        epsilon=0.5,
        centres={"clip before you add": [8.0, 905.0]},
        sensitivities={"one record moves both sums": 10},
    ),
    repeatable((wages, 10, 0.5), shape=(2,)),
    private((wages, 10, 1.0), (wages[:-1], 10, 1.0), epsilon=1.0, shape=(2,), samples=4000, additive=True),
)
### BEGIN HIDDEN TESTS
pairs = []
for size, samples in ((0, 20_000), (1, 20_000), (40, 10_000), (1_000, 4_000)):
    high, promise = fresh.uniform(1, 40), fresh.uniform(0.05, 4)
    people = fresh.uniform(-high, 2 * high, (size, 2))
    totals = np.minimum(np.maximum(people, 0), high).sum(axis=0)
    check(clipped_totals, laplace_law((people, high), totals, 2 * high, promise, samples=samples))
    pairs.append(((people, high, promise), (np.append(people, [[1e6, 1e6]], axis=0), high, promise), promise))
check(clipped_totals, all_private(pairs, shape=(2,), samples=4000, additive=True))
### END HIDDEN TESTS


# %% tags=["wrong"]
def clipped_totals(table, high, epsilon, rng):
    # WRONG not clipped | clip before you add
    return laplace_mechanism(np.sum(table, axis=0), 2 * high, epsilon, rng)

    # WRONG the true value | NO_NOISE
    return np.clip(table, 0, high).sum(axis=0)

    # WRONG one sum only | one record moves both sums
    return laplace_mechanism(np.clip(table, 0, high).sum(axis=0), high, epsilon, rng)


# %% [markdown]
# ## 4. How far off? (2 points)
#
# *You learn* to say how far off the sum of chapter 29 is. About 10 minutes, easy.
#
# Return the error that the release exceeds with probability `chance`.


# %%
def error_of_total(high, epsilon, chance):
    ### BEGIN SOLUTION
    return -high / epsilon * np.log(chance)
    ### END SOLUTION


# %% points=2
check(
    error_of_total,
    answers([(10, 1.0, 0.05), (2, 0.5, 0.5)], [29.957322736, 2.7725887222], slips={"e to its power": [0.5, 2]}),
)
### BEGIN HIDDEN TESTS
cases = [tuple(map(float, case)) for case in fresh.uniform(0.1, 0.9, (40, 3)).round(3)]
check(error_of_total, answers(cases, [-high / epsilon * np.log(chance) for high, epsilon, chance in cases]))
### END HIDDEN TESTS


# %% tags=["wrong"]
def error_of_total(high, epsilon, chance):
    # WRONG the chance itself | e to its power
    return high / epsilon * chance

    # WRONG without the bound | answers are wrong
    return -np.log(chance) / epsilon


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* to say why the bound of chapter 29 must be public. About 10 minutes, easy.
#
# A colleague sets `high` to the largest record of the data. In two to four sentences: what is wrong, and what would you
# do?

# %% [markdown] name="explain_bound" points=3
# ### BEGIN SOLUTION
# The scale of the noise then depends on one person's record. Remove that person, and both the sum and the noise change,
# so a single release may give the person away. Choose the bound without looking at the data.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each: the bound depends on a record; what that reveals; a public bound.
# ### END MARK SCHEME
