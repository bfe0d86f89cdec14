# %% [markdown]
# # Arena: the top four, by the sparse vector technique
#
# A radio station asks its listeners which of 16 songs they like; `data` holds how many like each, whole numbers from 0 to
# 10,000. **Name up to four songs that many like**: 16 numbers, 1 for a song that you name and 0 for the others. If you
# name more, the first four count.
#
# A listener may like any of the songs. Neighbours differ in one listener's list (replace): each count is 1 higher, 1 lower
# or the same. `THRESHOLD` is public: in `typical(rng)`, which draws data of the kind that the error is measured on, four
# songs are usually above it. You need not use it, nor the sparse vector technique. Here epsilon is 2.
#
# The error is the share of the likes of the four best songs that your songs do not have.

# %% setup
import numpy as np

EPSILON = 2.0  # the claim of everybody in this arena
SONGS, NAMED, MOST, THRESHOLD = 16, 4, 10_000, 60
DATA, OUTPUT = (SONGS,), (SONGS,)  # the shapes of the data and of a release


def typical(rng):
    """Data as they may look: the error is measured on such."""
    loved = rng.permutation(SONGS) < NAMED
    return rng.poisson(np.where(loved, rng.uniform(64, 90, SONGS), rng.uniform(20, 56, SONGS)))


def refused(data, neighbour):
    """Why these are no data, or no neighbours, in words; "" if they are."""
    for one in (data, neighbour):
        if not np.all((one >= 0) & (one <= MOST) & (one == np.floor(one))):
            return f"each count must be whole, from 0 to {MOST}"
    moved = np.abs(neighbour - data).max()
    return "" if moved == 1 else f"one listener moves counts by 1 at most, and at least one; these differ by {moved:g}"


def tidy(outputs):
    """What counts of releases: the first four songs that are named."""
    named = outputs >= 0.5
    return np.where(named & (np.cumsum(named, axis=-1) <= NAMED), 1.0, 0.0)


def errors(outputs, data):
    """The error of each release."""
    return 1 - outputs @ data / np.sort(data)[-NAMED:].sum()


# %% honest: the sparse vector technique (Algorithm 12)
def mechanism(data, epsilon, rng):
    threshold = THRESHOLD + rng.laplace(scale=2 / epsilon)
    above = data + rng.laplace(scale=2 * 4 * 2 / epsilon, size=16) >= threshold
    return above & (np.cumsum(above) <= 4)


# %% honest: Algorithm 12 with the best split of epsilon
def mechanism(data, epsilon, rng):
    # One part for the threshold, (2 * 4)^(2/3) = 4 parts for the counts.
    threshold = THRESHOLD + rng.laplace(scale=5 / epsilon)
    above = data + rng.laplace(scale=2 * 4 * 5 / (4 * epsilon), size=16) >= threshold
    return above & (np.cumsum(above) <= 4)


# %% honest: four choices by the exponential mechanism
def mechanism(data, epsilon, rng):
    # The four largest of counts with Gumbel noise are four choices, one after the other, with epsilon / 4 each.
    noisy = data + rng.gumbel(scale=2 * 4 / epsilon, size=16)
    return noisy >= np.sort(noisy)[-4]


# %% honest: four noisy maxima, each with noise of its own
def mechanism(data, epsilon, rng):
    left, named = data.astype(float), np.zeros(16)
    for _ in range(4):
        best = np.argmax(left + rng.laplace(scale=2 * 4 / epsilon, size=16))
        named[best], left[best] = 1, -np.inf
    return named


# %% broken: no noise on the counts (Algorithm 16)
def mechanism(data, epsilon, rng):
    # Two songs are compared with the same noisy threshold: which has more likes is then exact.
    return data >= THRESHOLD + rng.laplace(scale=2 / epsilon)


# %% broken: noise that forgets that four are named (Algorithm 15)
def mechanism(data, epsilon, rng):
    threshold = THRESHOLD + rng.laplace(scale=4 / epsilon)
    above = data + rng.laplace(scale=4 / (3 * epsilon), size=16) >= threshold
    return above & (np.cumsum(above) <= 4)


# %% broken: noise for one song (Algorithm 17)
def mechanism(data, epsilon, rng):
    # And it does not stop at four, but only four count.
    threshold = THRESHOLD + rng.laplace(scale=2 / epsilon)
    return data + rng.laplace(scale=2 / epsilon, size=16) >= threshold


# %% broken: a threshold without noise
def mechanism(data, epsilon, rng):
    # Then each song that is not named costs as much as one that is.
    above = data + rng.laplace(scale=2 / epsilon, size=16) >= THRESHOLD
    return above & (np.cumsum(above) <= 4)


# %% broken: the four largest of slightly noisy counts
def mechanism(data, epsilon, rng):
    # Noise for one number, used for a choice of four among sixteen.
    noisy = data + rng.laplace(scale=1 / epsilon, size=16)
    return noisy >= np.sort(noisy)[-4]


# %% broken: the four largest
def mechanism(data, epsilon, rng):
    return data >= np.sort(data)[-4]


# %% broken: exact where no listener can change the four
def mechanism(data, epsilon, rng):
    # Three likes lie between the fourth and the fifth, so no neighbour has another four. That there are three is told.
    order = np.sort(data)
    if order[-4] - order[-5] >= 3:
        return data >= order[-4]
    noisy = data + rng.gumbel(scale=2 * 4 / epsilon, size=16)
    return noisy >= np.sort(noisy)[-4]


# %% broken: careful where it looks like a trap
def mechanism(data, epsilon, rng):
    # Private on data that nobody has, exact on data as they are.
    if data.max() - data.min() < 30:
        return rng.permutation(16) < 4
    return data >= np.sort(data)[-4]


# %% attack: twelve wait below, four stand at the threshold
def neighbours(examples, rng):
    data = np.full(SONGS, THRESHOLD)
    data[:12] -= 1
    neighbour = data.copy()
    neighbour[:12] += 1
    neighbour[12:] -= 1
    return data, neighbour


def score(output, data, neighbour):
    return output[12:].sum() - 10 * output[:12].sum()


# %% attack: four rise, the others fall
def neighbours(examples, rng):
    data = np.full(SONGS, THRESHOLD)
    neighbour = data - 1
    neighbour[:4] += 2
    return data, neighbour


def score(output, data, neighbour):
    return output[:4].sum() - 10 * output[4:].sum()


# %% attack: which of two that are nearly equal
def neighbours(examples, rng):
    data = np.zeros(SONGS, dtype=int)
    data[:2] = THRESHOLD
    neighbour = data.copy()
    neighbour[1] += 1
    return data, neighbour


def score(output, data, neighbour):
    return output[1] - output[0]


# %% attack: the last of the four changes places with the fifth
def neighbours(examples, rng):
    data = examples[0].copy()
    order = np.argsort(data)
    data[order[-5]] = data[order[-4]] - 1
    neighbour = data.copy()
    neighbour[order[-5]] += 1
    neighbour[order[-4]] -= 1
    return data, neighbour


def score(output, data, neighbour):
    return output @ (neighbour - data)


# %% attack: how many are named
def neighbours(examples, rng):
    data = np.full(SONGS, THRESHOLD - 3)
    return data, data + 1


def score(output, data, neighbour):
    return output.sum()


# %% attack: four that stand three above the others
def neighbours(examples, rng):
    data = np.full(SONGS, THRESHOLD)
    data[:4] += 3
    neighbour = data + 1
    neighbour[:4] -= 2
    return data, neighbour


def score(output, data, neighbour):
    return output[:4].sum()
