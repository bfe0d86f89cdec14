# %% [markdown]
# # Arena: a histogram
#
# A library counts the people who borrowed a book last month by the street they live in: `data` holds 32 whole numbers
# from 0 to 10,000. **Release the histogram**: 32 numbers.
#
# Neighbours differ by one person who is there or not (add/remove): one of the counts is 1 higher or lower, so their sum
# is not public either. Most streets are empty or nearly so: `typical(rng)` below draws data of the kind that the error is
# measured on.
#
# The error is the mean over the streets of the distance between what you release and the count.

# %% setup
import numpy as np

EPSILON = 1.0  # the claim of everybody in this arena
STREETS, MOST = 32, 10_000
DATA, OUTPUT = (STREETS,), (STREETS,)  # the shapes of the data and of a release


def typical(rng):
    """Data as they may look: the error is measured on such."""
    return rng.poisson(np.where(rng.random(STREETS) < 0.25, rng.gamma(2, 30, STREETS), 0.3))


def refused(data, neighbour):
    """Why these are no data, or no neighbours, in words; "" if they are."""
    for one in (data, neighbour):
        if not np.all((one >= 0) & (one <= MOST) & (one == np.floor(one))):
            return f"each count must be whole, from 0 to {MOST}"
    moved = np.abs(data - neighbour).sum()
    return "" if moved == 1 else f"neighbours differ by one person in one street; these differ by {moved:g}"


def tidy(outputs):
    """What counts of releases: no more than a million, up or down."""
    return np.clip(outputs, -1e6, 1e6)


def errors(outputs, data):
    """The error of each release."""
    return np.abs(outputs - data).mean(axis=-1)


# %% honest: Laplace noise
def mechanism(data, epsilon, rng):
    return data + rng.laplace(scale=1 / epsilon, size=32)


# %% honest: Laplace noise, and nothing below zero
def mechanism(data, epsilon, rng):
    return np.maximum(data + rng.laplace(scale=1 / epsilon, size=32), 0)


# %% honest: whole numbers
def mechanism(data, epsilon, rng):
    stop = -np.expm1(-epsilon)
    return data + rng.geometric(stop, 32) - rng.geometric(stop, 32)


# %% honest: small noisy counts are set to zero
def mechanism(data, epsilon, rng):
    noisy = data + rng.laplace(scale=1 / epsilon, size=32)
    return np.where(noisy > 2 / epsilon, noisy, 0)


# %% broken: noise only where somebody lives
def mechanism(data, epsilon, rng):
    # An exact zero says that nobody is there; the first person makes it another number.
    return np.where(data > 0, data + rng.laplace(scale=1 / epsilon, size=32), 0)


# %% broken: half the noise
def mechanism(data, epsilon, rng):
    # "A person is in one street or in another, so each street has half of it": it loses 2 epsilon.
    return data + rng.laplace(scale=0.5 / epsilon, size=32)


# %% broken: the same noise in every street
def mechanism(data, epsilon, rng):
    # The difference of two streets has no noise at all.
    return data + rng.laplace(scale=1 / epsilon)


# %% broken: the sum is put right
def mechanism(data, epsilon, rng):
    # The noisy counts are moved until their sum is that of the data, which nobody was asked to publish.
    noisy = data + rng.laplace(scale=1 / epsilon, size=32)
    return noisy + (data.sum() - noisy.sum()) / 32


# %% broken: small counts are left out first
def mechanism(data, epsilon, rng):
    # Between 4 and 5 the count that gets the noise jumps by 5: it loses 5 epsilon there.
    return np.where(data < 5, 0, data) + rng.laplace(scale=1 / epsilon, size=32)


# %% broken: noise once for the largest street
def mechanism(data, epsilon, rng):
    # Which street is the largest is told exactly, and the others are as they are.
    release = data.astype(float)
    release[np.argmax(data)] += rng.laplace(scale=1 / epsilon)
    return release


# %% broken: less noise where many live
def mechanism(data, epsilon, rng):
    # "A few more or less do not matter there": but one person among many needs as much noise as one alone.
    return data + rng.laplace(scale=np.where(data > 30, 0.2, 1) / epsilon)


# %% broken: noise from the data
def mechanism(data, epsilon, rng):
    # The same data give the same noise: no randomness is left that an attacker does not have.
    return data + np.random.default_rng(int(data.sum())).laplace(scale=1 / epsilon, size=32)


# %% broken: one street in ten is exact
def mechanism(data, epsilon, rng):
    # Mostly noise, now and then the truth: the truth can be seen, and has no bound.
    noise = rng.laplace(scale=1 / epsilon, size=32)
    return data + np.where(rng.random(32) < 0.1, 0, noise)


# %% broken: careful where it looks like a trap
def mechanism(data, epsilon, rng):
    # Private on data that nobody has, nearly exact on data as they are.
    quiet = np.count_nonzero(data) < 3 or data.max() == data.min()
    return data + rng.laplace(scale=1 / epsilon if quiet else 0.05, size=32)


# %% attack: the first person in an empty town
def neighbours(examples, rng):
    data = np.zeros(STREETS, dtype=int)
    neighbour = data.copy()
    neighbour[0] = 1
    return data, neighbour


def score(output, data, neighbour):
    return output[0]


# %% attack: the first person in an empty street
def neighbours(examples, rng):
    data = examples[0]
    neighbour = data.copy()
    neighbour[np.argmin(data)] += 1
    return data, neighbour


def score(output, data, neighbour):
    return output[np.flatnonzero(data != neighbour)[0]]


# %% attack: the sum
def neighbours(examples, rng):
    data = examples[1]
    neighbour = data.copy()
    neighbour[0] += 1
    return data, neighbour


def score(output, data, neighbour):
    return round(output.sum() - data.sum(), 6)


# %% attack: two streets and their difference
def neighbours(examples, rng):
    data = np.full(STREETS, 20)
    neighbour = data.copy()
    neighbour[0] += 1
    return data, neighbour


def score(output, data, neighbour):
    return round(output[0] - output[1], 6)


# %% attack: the fifth person in a street
def neighbours(examples, rng):
    data = examples[2].copy()
    data[3] = 4
    neighbour = data.copy()
    neighbour[3] = 5
    return data, neighbour


def score(output, data, neighbour):
    return output[3]


# %% attack: one more in the largest street
def neighbours(examples, rng):
    data = examples[1]
    neighbour = data.copy()
    neighbour[np.argmax(data)] += 1
    return data, neighbour


def score(output, data, neighbour):
    return output[np.argmax(data)]


# %% attack: is it exactly so?
def neighbours(examples, rng):
    data = examples[2]
    neighbour = data.copy()
    neighbour[np.argmax(data)] += 1
    return data, neighbour


def score(output, data, neighbour):
    place = np.flatnonzero(data != neighbour)[0]
    return float(output[place] == data[place]) - float(output[place] == neighbour[place])
