# %% [markdown]
# # Arena: a count with a twist
#
# A swimming pool has 200 season tickets. `data[i]` says how often the owner of ticket `i` came last month: a whole number
# from 0 to 50. **Release how many visits there were.**
#
# The twist: one *person* stands behind up to 50 visits. Neighbours differ in one person's number (replace), whatever it
# was and becomes. Most people came rarely, and some months are busier than others: `typical(rng)` below draws data of the
# kind that the error is measured on.
#
# The error is the mean distance between what you release and the number of visits.

# %% setup
import numpy as np

EPSILON = 1.0  # the claim of everybody in this arena
PERSONS, MOST = 200, 50
DATA, OUTPUT = (PERSONS,), ()  # the shapes of the data and of a release


def typical(rng):
    """Data as they may look: the error is measured on such."""
    return np.minimum(rng.geometric(rng.uniform(0.2, 0.5), PERSONS) - 1, MOST)


def refused(data, neighbour):
    """Why these are no data, or no neighbours, in words; "" if they are."""
    for one in (data, neighbour):
        if not np.all((one >= 0) & (one <= MOST) & (one == np.floor(one))):
            return f"each person's number must be whole, from 0 to {MOST}"
    changed = np.count_nonzero(data != neighbour)
    return "" if changed == 1 else f"neighbours differ in the number of exactly one person; these differ in {changed}"


def tidy(outputs):
    """What counts of releases: no more than a million, up or down."""
    return np.clip(outputs, -1e6, 1e6)


def errors(outputs, data):
    """The error of each release."""
    return np.abs(outputs - data.sum())


# %% honest: anybody may have come 50 times
def mechanism(data, epsilon, rng):
    return data.sum() + rng.laplace(scale=50 / epsilon)


# %% honest: nobody counts more than 12 times
def mechanism(data, epsilon, rng):
    return np.minimum(data, 12).sum() + rng.laplace(scale=12 / epsilon)


# %% honest: whole numbers, nobody more than 10 times
def mechanism(data, epsilon, rng):
    stop = -np.expm1(-epsilon / 10)
    return np.minimum(data, 10).sum() + rng.geometric(stop) - rng.geometric(stop)


# %% honest: the limit chosen with a tenth of epsilon
def mechanism(data, epsilon, rng):
    # How many came more often than 5, 10, 15, 20 times: replacing a person moves each by 1, so all four by 4.
    above = np.array([(data > limit).sum() for limit in (5, 10, 15, 20)])
    few = np.flatnonzero(above + rng.laplace(scale=4 / (0.1 * epsilon), size=4) <= 6)
    limit = (5, 10, 15, 20)[few[0]] if len(few) else 20
    return np.minimum(data, limit).sum() + rng.laplace(scale=limit / (0.9 * epsilon))


# %% broken: a visit is a person
def mechanism(data, epsilon, rng):
    # The noise hides one visit; a person with fifty of them stands out.
    return data.sum() + rng.laplace(scale=1 / epsilon)


# %% broken: the limit is the largest number seen
def mechanism(data, epsilon, rng):
    # The scale of the noise is itself an exact answer about the data.
    return data.sum() + rng.laplace(scale=data.max() / epsilon)


# %% broken: the limit is the fourth largest number
def mechanism(data, epsilon, rng):
    # One person moves it by one place only; but where the places lie far apart, it moves everybody above.
    limit = max(np.sort(data)[-4], 1)
    return np.minimum(data, limit).sum() + rng.laplace(scale=limit / epsilon)


# %% broken: drawn again until it can be true
def mechanism(data, epsilon, rng):
    # "There were as many visits as people who came, or more": no release below that number says so.
    while True:
        output = np.minimum(data, 12).sum() + rng.laplace(scale=12 / epsilon)
        if output >= np.count_nonzero(data):
            return output


# %% broken: normal noise with the scale of Laplace's
def mechanism(data, epsilon, rng):
    # Normal tails fall too fast: far out the ratio of two densities has no bound.
    return np.minimum(data, 12).sum() + rng.normal(scale=12 / epsilon)


# %% broken: noise that ends
def mechanism(data, epsilon, rng):
    # Beyond the end of one law only the other can have been at work.
    return np.minimum(data, 12).sum() + rng.uniform(-12 / epsilon, 12 / epsilon)


# %% broken: the mean of ten releases
def mechanism(data, epsilon, rng):
    # Each release spends epsilon.
    return np.minimum(data, 12).sum() + rng.laplace(scale=12 / epsilon, size=10).mean()


# %% broken: noise from the data
def mechanism(data, epsilon, rng):
    # The same data give the same noise: no randomness is left that an attacker does not have.
    return data.sum() + np.random.default_rng(int(data.sum())).laplace(scale=12 / epsilon)


# %% broken: careful where it looks like a trap
def mechanism(data, epsilon, rng):
    # Private on data that nobody has, exact on data as they are.
    if np.count_nonzero(data == 0) > 150 or data.max() > 45:
        return data.sum() + rng.laplace(scale=50 / epsilon)
    return data.sum() + rng.laplace(scale=0.1)


# %% attack: one came fifty times, the others never
def neighbours(examples, rng):
    data = np.zeros(PERSONS, dtype=int)
    neighbour = data.copy()
    neighbour[0] = MOST
    return data, neighbour


def score(output, data, neighbour):
    return output


# %% attack: one came once, the others never
def neighbours(examples, rng):
    data = np.zeros(PERSONS, dtype=int)
    neighbour = data.copy()
    neighbour[-1] = 1
    return data, neighbour


def score(output, data, neighbour):
    return output


# %% attack: the person who came most stayed at home
def neighbours(examples, rng):
    data = examples[0]
    neighbour = data.copy()
    neighbour[np.argmax(data)] = 0
    return data, neighbour


def score(output, data, neighbour):
    return output - data.sum()


# %% attack: closer to which truth?
def neighbours(examples, rng):
    data = examples[1]
    neighbour = data.copy()
    neighbour[rng.integers(PERSONS)] += 5
    return data, neighbour


def score(output, data, neighbour):
    return abs(output - data.sum()) - abs(output - neighbour.sum())


# %% attack: one of many who came often
def neighbours(examples, rng):
    data = np.full(PERSONS, 12)
    neighbour = data.copy()
    neighbour[7] = 0
    return data, neighbour


def score(output, data, neighbour):
    return output - data.sum()


# %% attack: each came less often than the one before
def neighbours(examples, rng):
    data = np.zeros(PERSONS, dtype=int)
    data[:20] = MOST * 0.7 ** np.arange(20)
    neighbour = data.copy()
    neighbour[0] = 0
    return data, neighbour


def score(output, data, neighbour):
    return output


# %% attack: is it exactly so?
def neighbours(examples, rng):
    data = examples[2]
    neighbour = data.copy()
    neighbour[np.argmin(data)] += 1
    return data, neighbour


def score(output, data, neighbour):
    return float(output == data.sum()) - float(output == neighbour.sum())
