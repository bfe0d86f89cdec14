# %% [markdown]
# # Assignment 16: The compressive mechanism
#
# Five tasks, 17 points. You need chapter 16, *The compressive mechanism*.
#
# The samples of a histogram $D$ with $n$ bins are the $k$ numbers $\Phi D$, where $\Phi$ is a $k \times n$ matrix that
# everyone knows. All data here are invented. Yours may differ from those of others.

# %% tags=["setup"]
import numpy as np

from dpbook.check import answers, check, draws_here, laplace_law, private, repeatable
from dpbook.laplace import laplace_mechanism
from dpbook.sparse import haar_basis

VARIANT = 0  # of 6
UNIT = 1 + VARIANT / 2  # of your own numbers

# %% [markdown]
# ## 1. How much noise on a sample? (2 points)
#
# *You learn* to count in how many samples a person is. About 10 minutes, easy.
#
# Every entry of $\Phi$ is $+1/\sqrt k$ or $-1/\sqrt k$. A clinic counts visits: each visit is one unit in one bin.
# One patient has at most `most` visits, in different bins or in the same. Neighbours differ by *all* visits of one
# patient: they are added or removed. Return the scale of the Laplace noise which, added to each of the $k$ samples,
# makes all of them together $\varepsilon$-DP: no larger than needed.


# %%
def sample_scale(k, most, epsilon):
    ### BEGIN SOLUTION
    # One visit moves each of the k samples by 1 / sqrt(k), together by sqrt(k).
    return most * np.sqrt(k) / epsilon
    ### END SOLUTION


# %% points=2
check(
    sample_scale,
    answers(
        [(16, 1, 0.5 / UNIT), (25, 3, 2.0 / UNIT)],
        UNIT * np.array([8.0, 7.5]),
        slips={"a smaller epsilon guarantees more, so it needs more noise": np.array([2.0, 30.0]) / UNIT}
        | {
            sentence: UNIT * np.array(scales)
            for sentence, scales in {
                "one visit is protected; the guarantee is about all visits of a patient": [8.0, 2.5],
                "a visit moves one sample by that much: how many samples does it move?": [0.5, 0.3],
                "that is the Euclidean length of the move; Laplace noise needs the sum of its absolute values": [
                    2.0,
                    1.5,
                ],
                "the entries are not 1 and -1: each is divided by the square root of k": [32.0, 37.5],
                "that is for visits which *move* to another bin; here they are added or removed": [16.0, 15.0],
                "the scale is asked for, not the standard deviation": [8 * 2**0.5, 7.5 * 2**0.5],
                "visits in the same bin push each sample the same way: nothing cancels": [8.0, 2.5 * 3**0.5],
            }.items()
        },
    ),
)
### BEGIN HIDDEN TESTS
ks, mosts = np.append([1, 4096], fresh.integers(1, 2000, 30)), np.append([1, 1], fresh.integers(1, 50, 30))
promises = np.exp(fresh.uniform(np.log(0.01), np.log(20), 32))
scales = [most * k / promise / k**0.5 for k, most, promise in zip(ks, mosts, promises, strict=True)]
check(sample_scale, answers(list(zip(ks, mosts, promises, strict=True)), scales))
### END HIDDEN TESTS


# %% tags=["wrong"]
def sample_scale(k, most, epsilon):
    # WRONG the visits of a patient forgotten | the guarantee is about all visits
    return np.sqrt(k) / epsilon

    # WRONG one sample only | how many samples does it move
    return most / np.sqrt(k) / epsilon

    # WRONG L2 sensitivity | the Euclidean length of the move
    return most / epsilon

    # WRONG entries of 1 | the entries are not 1 and -1
    return most * k / epsilon

    # WRONG the other neighbouring relation | for visits which *move*
    return 2 * most * np.sqrt(k) / epsilon

    # WRONG multiplied by epsilon | needs more noise
    return most * np.sqrt(k) * epsilon


# %% [markdown]
# ## 2. Noisy samples (5 points)
#
# *You learn* to read the sensitivity off a public matrix. About 25 minutes, medium.
#
# Now $\Phi$ may be any matrix of numbers; a bin need not be in every sample. This one takes 4 samples of 8 bins:

# %% tags=["setup"]
counts = np.array([9.0, 23.0, 4.0, 17.0, 31.0, 2.0, 0.0, 12.0])
four_by_eight = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, -0.5, 0.0, 1.0, 0.0],
        [-1.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0, -0.5],
        [-0.5, -0.5, -0.5, 0.0, -0.5, 0.5, 0.0, 0.0],
        [0.0, 0.0, 0.0, -0.5, 0.5, 0.0, -1.0, 0.0],
    ]
)
counts, four_by_eight = np.roll(counts, VARIANT), np.roll(four_by_eight, VARIANT, axis=1)

# %% [markdown]
# Write `noisy_samples(data, matrix, epsilon, rng)`: the samples of `data` by `matrix`, an array of $k$ numbers. Each
# has Laplace noise, independent and of the same scale for all. Neighbours differ by one unit in one bin, added or
# removed (*add/remove*). The whole array must be $\varepsilon$-DP, with noise no larger than needed for this `matrix`,
# which is public. `data` is private.


# %%
def noisy_samples(data, matrix, epsilon, rng):
    ### BEGIN SOLUTION
    # A unit in bin j adds column j to the samples: the column with the largest absolute sum decides.
    sensitivity = np.abs(matrix).sum(axis=0).max()
    return laplace_mechanism(matrix @ data, sensitivity, epsilon, rng)
    ### END SOLUTION


# %% points=5
# The check
in_the_bins = np.array([1.167, 2.262, 1.230, 1.306])  # for each row a, the mean of |sum a_j X_j| with X_j from Lap(1)
check(
    noisy_samples,
    laplace_law(
        (counts, four_by_eight),
        truth=[-15.5, 12.0, -32.5, 7.0],
        sensitivity=3.0,
        epsilon=0.5,
        sensitivities={
            "the square root of k is for entries that are all 1/sqrt(k) in size; these are not": 2.0,
            "the largest entry protects one sample alone; one unit moves several": 1.0,
            "a unit adds a column of the matrix to the samples, not a row": 4.5,
            "Laplace noise needs the sum of absolute values, not the Euclidean length": 3**0.5,
            "entries of opposite sign do not cancel: each of them moves a sample": 0.5,
            "the noise follows the bins that are occupied, and these are secret": 2.5,
            "that is what a unit moves on average over the bins; the guarantee is for every bin": 1.3125,
            "this noise is for a unit that *moves* to another bin; here it is added or removed": 5.5,
            "epsilon cut into k parts, for each sample as if it moved by 1: private, but too much noise": 4.0,
            "noise in the bins, before sampling: private too, but the task wants noise on the samples": in_the_bins,
        },
    ),
    repeatable((counts, four_by_eight, 0.5), shape=(4,)),
    private(
        (counts, four_by_eight, 1.0),
        (counts + np.roll(np.eye(8)[6], VARIANT), four_by_eight, 1.0),
        epsilon=1.0,
        shape=(4,),
        additive=True,
    ),
)
### BEGIN HIDDEN TESTS
promises = fresh.permutation([0.01, 0.1, 0.6, 3.0, 20.0]) * fresh.uniform(0.75, 1.0, 5)
sizes = fresh.integers([1, 3, 20, 100, 400], [2, 12, 90, 220, 800])
for bins, k, promise, most in zip(sizes, fresh.integers(2, 9, 5), promises, (1, 50, 9, 3, 2000), strict=True):
    rows = fresh.normal(size=(k, bins)).round(2) * (fresh.random((k, bins)) < 0.7)
    rows[0, 0] = -1.5
    filled = fresh.integers(0, most, bins).astype(float)
    moved = max(sum(abs(row[place]) for row in rows) for place in range(bins))
    check(
        noisy_samples,
        laplace_law(
            (filled, rows),
            np.array([row @ filled for row in rows]),
            moved,
            promise,
            samples=1000 if bins > 399 else 5000,
        ),
    )
uneven = np.array([[0.0, 3.0, -1.0], [0.0, 0.0, 2.0], [0.0, -2.0, 1.0]])
one, joined = np.array([6.0, 0.0, 1.0]), np.array([6.0, 1.0, 1.0])
check(
    noisy_samples,
    private((one, uneven, 2.0), (joined, uneven, 2.0), epsilon=2.0, shape=(3,), additive=True),
)
### END HIDDEN TESTS


# %% tags=["wrong"]
def noisy_samples(data, matrix, epsilon, rng):
    # WRONG no noise | NO_NOISE
    return matrix @ data

    # WRONG noise of scale 1 / epsilon | the largest entry protects one sample alone
    return laplace_mechanism(matrix @ data, 1, epsilon, rng)

    # WRONG half the noise | HALF
    return laplace_mechanism(matrix @ data, np.abs(matrix).sum(axis=0).max() / 2, epsilon, rng)

    # WRONG the square root of k | these are not
    return laplace_mechanism(matrix @ data, np.sqrt(len(matrix)), epsilon, rng)

    # WRONG L2 sensitivity | not the Euclidean length
    return laplace_mechanism(matrix @ data, np.linalg.norm(matrix, axis=0).max(), epsilon, rng)

    # WRONG the average over the bins | the guarantee is for every bin
    return laplace_mechanism(matrix @ data, np.abs(matrix).sum(axis=0).mean(), epsilon, rng)

    # WRONG rows for columns | not a row
    return laplace_mechanism(matrix @ data, np.abs(matrix).sum(axis=1).max(), epsilon, rng)

    # WRONG the occupied bins only | these are secret
    return laplace_mechanism(matrix @ data, np.abs(matrix[:, data > 0]).sum(axis=0).max(), epsilon, rng)

    # WRONG the other neighbouring relation | for a unit that *moves*
    columns = matrix.T
    moves = [np.abs(one - other).sum() for one in columns for other in columns]
    return laplace_mechanism(matrix @ data, max(moves), epsilon, rng)

    # WRONG budget cut into k parts | epsilon cut into k parts
    share = epsilon / len(matrix)
    return laplace_mechanism(matrix @ data, np.abs(matrix).max(), share, rng)

    # WRONG noise before sampling | noise in the bins
    return matrix @ laplace_mechanism(data, 1, epsilon, rng)

    # WRONG one draw for all samples | SHARED
    scale = np.abs(matrix).sum(axis=0).max() / epsilon
    return matrix @ data + rng.laplace(scale=scale)

    # WRONG seed fixed | SAME_EACH_TIME
    rng = np.random.default_rng(16)
    return laplace_mechanism(matrix @ data, np.abs(matrix).sum(axis=0).max(), epsilon, rng)

    # WRONG scale taken for the standard deviation | NOT_DEVIATION
    scale = np.abs(matrix).sum(axis=0).max() / epsilon / np.sqrt(2)
    return matrix @ data + rng.laplace(scale=scale, size=len(matrix))


# %% [markdown]
# ## 3. Attack: each sample is private (3 points)
#
# *You learn* to find few among many by matching pursuit. About 35 minutes, medium to hard.
#
# A colleague wants less noise: "When one person joins the list, a sample moves by $1/\sqrt k$. So Laplace noise of
# scale $1/(\sqrt k\,\varepsilon)$ makes each sample $\varepsilon$-DP." The data are 1 for each person in the list and 0
# for all others:


# %% tags=["setup"]
def colleague(listed, matrix, epsilon, rng):
    k = len(matrix)
    return matrix @ listed + rng.laplace(scale=1 / (np.sqrt(k) * epsilon), size=k)


# %% [markdown]
# Write `find_people(samples, matrix, size)`: who is in the list, from the colleague's samples. Return an array of $n$
# numbers, 1 for a person in the list and 0 for the others. Exactly `size` people are in it, which is few, so name
# `size` of them. There are fewer samples than people. Over 20 lists you must find at least nine of ten of those who are
# in. You may use all of `dpbook`. The basis of single bins is `spike_basis`, in `dpbook.sensing`.


# %% jupyter={"source_hidden": true} tags=["setup"]
# What the check needs
def names_people(n, k, size, epsilon, seed, least=0.9):
    """A requirement: of 20 lists of this size, `least` of those listed are named, and no more names are given."""
    rng = np.random.default_rng(seed)
    matrices = rng.choice([-1.0, 1.0], size=(20, k, n)) / np.sqrt(k)
    lists = rng.permuted(np.tile(np.arange(n) < size, (20, 1)), axis=1).astype(float)
    samples = [colleague(listed, matrix, epsilon, rng) for listed, matrix in zip(lists, matrices, strict=True)]

    def requirement(draw):
        given = draw([(*play, size) for play in zip(samples, matrices, strict=True)], shape=(n,))[:, 0]
        if not np.isin(given, (0, 1)).all():
            return "an entry is neither 0 nor 1: say who is in the list, not how likely it is"
        if np.any(given.sum(axis=1) != size):
            wrong = given.sum(axis=1)[given.sum(axis=1) != size][0]
            return f"{size} people are in the list, and you name {wrong:.0f}"
        share = (given * lists).sum() / lists.sum()
        if share >= least:
            return ""
        hint = "; look for those whose columns the samples resemble, sign and all" if share <= 0.6 else ""
        if highest(given, [matrix.T @ sample for matrix, sample in zip(matrices, samples, strict=True)]):
            hint = "; those in the list drown one another: once you have found one, how would the samples look without?"
        if highest(given, [np.linalg.pinv(matrix) @ sample for matrix, sample in zip(matrices, samples, strict=True)]):
            hint = "; the shortest solution spreads each person over all: use that few people are in the list"
        return f"you name {share:.0%} of those listed, where 90% are asked{hint}"

    def highest(given, scores):
        """Whether those named are in each list the ones with the highest scores."""
        return all(named @ one >= np.sort(one)[-size:].sum() - 1e-6 for named, one in zip(given, scores, strict=True))

    return requirement


# %%
def find_people(samples, matrix, size):
    ### BEGIN SOLUTION
    # Matching pursuit: the column that looks most like what is unexplained, least squares on all found, and again.
    found, unexplained = [], samples
    for _ in range(size):
        scores = matrix.T @ unexplained
        scores[found] = -np.inf
        found.append(np.argmax(scores))
        columns = matrix[:, found]
        unexplained = samples - columns @ np.linalg.lstsq(columns, samples, rcond=None)[0]
    return np.isin(np.arange(matrix.shape[1]), found)
    ### END SOLUTION


# %% points=3
check(find_people, names_people(n=200, k=80, size=10, epsilon=2.0, seed=25 + VARIANT))


### BEGIN HIDDEN TESTS
def pursued(samples, matrix, size):
    known = []
    for _ in range(size):
        rest = samples - matrix[:, known] @ np.linalg.pinv(matrix[:, known]) @ samples if known else samples
        known.append(int(np.argmax(matrix.T @ rest - 1e9 * np.isin(np.arange(matrix.shape[1]), known))))
    return np.isin(np.arange(matrix.shape[1]), known)


for n, k, size in ((240, 96, 12), (150, 90, 10), (int(fresh.integers(100, 400)), 100, int(fresh.integers(1, 9)))):
    trouble = "draw again"
    while trouble:  # lists that this way of looking finds nearly all of
        play, seed = {"n": n, "k": k, "size": size, "epsilon": fresh.uniform(2, 20)}, int(fresh.integers(2**40))
        trouble = names_people(**play, seed=seed, least=0.95)(draws_here(pursued))
    check(find_people, names_people(**play, seed=seed))
### END HIDDEN TESTS


# %% tags=["wrong"]
def find_people(samples, matrix, size):
    # WRONG all at once | drown one another
    people = np.zeros(matrix.shape[1])
    people[np.argsort(matrix.T @ samples)[-size:]] = 1
    return people

    # WRONG the shortest solution | spreads each person over all
    people = np.zeros(matrix.shape[1])
    people[np.argsort(np.linalg.pinv(matrix) @ samples)[-size:]] = 1
    return people

    # WRONG sorted the wrong way | sign and all
    people = np.zeros(matrix.shape[1])
    people[np.argsort(matrix.T @ samples)[:size]] = 1
    return people

    # WRONG scores for names | neither 0 nor 1
    return np.linalg.pinv(matrix) @ samples

    # WRONG the shortest solution, rounded | 10 people are in the list, and you name
    return np.linalg.pinv(matrix) @ samples > 0.5


# %% [markdown]
# The colleague's $\varepsilon$ holds for one sample. A person is in all $k$ of them: together they have a privacy
# loss of $k\,\varepsilon$. The scale of task 1 is $k$ times as large, and with it the same attack finds hardly
# anyone.

# %% [markdown]
# ## 4. Challenge: no samples at all (4 points)
#
# *You learn* to take noise out by what is known of the data beforehand. About 35 minutes, medium.
#
# Samples are fewer numbers to protect, but each bin is in all of them: that is why their advantage is smaller than it
# looks. Here is a release without samples. Each bin gets noise $\mathrm{Lap}(1/\varepsilon)$, which is $\varepsilon$-DP
# when one unit in one bin is added or removed. The $n$ noisy counts are all you get. The data are sparse in the Haar
# basis: at most one coefficient in 32 is not 0. Those that are not 0 are at least $20/\varepsilon$ in size. Perhaps
# all are 0. Nobody tells you how many are not.


# %% tags=["setup"]
def sparse_counts(n, large, epsilon, rng):
    """Counts, whole numbers of at least 0, of which `large` Haar coefficients are not 0."""
    basis, coefficients = haar_basis(n), np.zeros(n)
    if large:
        places = rng.choice(np.arange(1, n), large - 1, replace=False)
        widths = np.sqrt([basis.atom(place)[0].size for place in places])
        sizes = widths * np.ceil(rng.uniform(20, 60, large - 1) / (epsilon * widths))
        coefficients[places] = sizes * rng.choice([-1, 1], large - 1)
        lift = max(-basis.inverse(coefficients).min(), 20 / epsilon / np.sqrt(n))
        coefficients[0] = np.sqrt(n) * np.ceil(lift)
    return np.round(basis.inverse(coefficients))


# %% [markdown]
# Write `denoise(noisy, epsilon)`: an estimate of the $n$ counts from the noisy ones ($n$ is a power of two, from 64
# to 1024). Over 20 datasets, its root mean square error must be at most half of that of the noisy counts. What you do
# with them costs no privacy. (Here samples do not pay at all. For $S = 32$ coefficients of $n = 1024$ the chapter's
# mechanism needs $k = 240$ samples. $S k$ should be below $n$ and is more than seven times $n$.)


# %% jupyter={"source_hidden": true} tags=["setup"]
# What the check needs
def halves_the_error(n, large, epsilon, seed, most=0.5):
    """A requirement: on 20 datasets with `large` coefficients, half the error of the noisy counts at most."""
    rng = np.random.default_rng(seed)
    truth = np.array([sparse_counts(n, large, epsilon, rng) for _ in range(20)])
    noisy = laplace_mechanism(truth, 1, epsilon, rng)

    def requirement(draw):
        given = draw([(counts, epsilon) for counts in noisy], shape=(n,))[:, 0]
        error = np.linalg.norm(given - truth) / np.linalg.norm(noisy - truth)
        if error <= most:
            return ""
        rescaled = draw([(counts, 64 * epsilon) for counts in noisy], shape=(n,))[:, 0]
        reason = why_not(truth, noisy, given, np.array_equal(given, rescaled), epsilon)
        return f"n = {n}, epsilon = {epsilon:g}: {error:.2f} times the error of the noisy counts; {reason}"

    return requirement


def why_not(truth, noisy, given, fixed, epsilon):
    """What is wrong with an estimate."""
    forward = haar_basis(truth.shape[1]).forward
    true, seen, kept = (np.array([forward(row) for row in table]) for table in (truth, noisy, given))
    large, present = np.abs(true) > 1e-6, np.abs(kept) > 1e-6
    if np.allclose(given, noisy):
        return "nothing was taken out"
    if np.all(np.ptp(given, axis=1) == 0):
        return "the estimate is flat: all that the data had to say is gone"
    if np.all(np.isclose(given, noisy) | np.isclose(given, given.min(axis=1, keepdims=True))):
        return "you judge bins one by one, but it is the Haar coefficients that are few and large"
    if np.ptp(present.sum(axis=1)) == 0 and present[0].sum() not in (0, truth.shape[1]):
        return f"of any data you keep the same number of coefficients ({present[0].sum()}): let the noisy counts say how many"
    if fixed and np.all(np.isclose(kept, seen) | ~present):
        return "your answer makes no use of epsilon, which says how large the noise is"
    if np.linalg.norm(given - true) < np.linalg.norm(noisy - truth):
        return "these look like coefficients: turn them back into counts"
    if np.any(large) and np.mean(present[large]) < 0.95:
        return "large coefficients are lost: you take out too much"
    if np.any(large) and np.mean(np.abs(seen[large]) - np.abs(kept[large])) > 1 / epsilon:
        return "large coefficients have shrunk: those you keep are best left as they are"
    share = np.mean(present[~large])
    return f"{share:.0%} of the coefficients that are only noise are still there: how large is that noise?"


# %%
def denoise(noisy, epsilon):
    ### BEGIN SOLUTION
    # The basis is orthonormal: the noise of a coefficient has the standard deviation of a bin's, sqrt(2) / epsilon.
    basis = haar_basis(len(noisy))
    coefficients = basis.forward(noisy)
    threshold = 5 * np.sqrt(2) / epsilon
    return basis.inverse(np.where(np.abs(coefficients) > threshold, coefficients, 0))
    ### END SOLUTION


# %% points=4
check(
    denoise,
    halves_the_error(n=256, large=8, epsilon=0.5 / UNIT, seed=1),
    halves_the_error(n=64, large=2, epsilon=0.05 / UNIT, seed=2),
    halves_the_error(n=1024, large=32, epsilon=1.0 / UNIT, seed=3),
)


### BEGIN HIDDEN TESTS
def cut_off(noisy, epsilon):
    basis = haar_basis(len(noisy))
    seen = basis.forward(noisy)
    return basis.inverse(seen * (np.abs(seen) > 7 / epsilon))


def as_many_as_there_may_be(noisy, epsilon):
    basis = haar_basis(len(noisy))
    seen = basis.forward(noisy)
    return basis.inverse(seen * (np.abs(seen) >= np.sort(np.abs(seen))[-(len(noisy) // 32)]))


for n, large, epsilon in ((128, 4, 0.2), (1024, 3, 0.01), (512, 16, 0.7), (256, 0, 20.0), (64, 2, fresh.uniform(1, 9))):
    trouble = "draw again"
    while trouble:
        seed = int(fresh.integers(2**40))
        trouble = halves_the_error(n, large, epsilon, seed, most=0.45)(draws_here(cut_off))
        if large == 0 and not halves_the_error(n, large, epsilon, seed)(draws_here(as_many_as_there_may_be)):
            trouble = "draw again"  # as many as there may be are too many where there is none
    check(denoise, halves_the_error(n, large, epsilon, seed))
### END HIDDEN TESTS


# %% tags=["wrong"]
def denoise(noisy, epsilon):
    basis = haar_basis(len(noisy))
    coefficients = basis.forward(noisy)
    size = np.abs(coefficients)

    # WRONG the noisy counts | nothing was taken out
    return noisy

    # WRONG small bins to 0 | you judge bins one by one
    return np.where(noisy > 5 / epsilon, noisy, 0)

    # WRONG one standard deviation | that are only noise are still there
    return basis.inverse(np.where(size > np.sqrt(2) / epsilon, coefficients, 0))

    # WRONG noise of all bins together | you take out too much
    return basis.inverse(np.where(size > np.sqrt(2 * len(noisy)) / epsilon, coefficients, 0))

    # WRONG eight coefficients | of any data you keep the same number of coefficients (8)
    return basis.inverse(np.where(size >= np.sort(size)[-8], coefficients, 0))

    # WRONG one coefficient in 32 | of any data you keep the same number of coefficients
    return basis.inverse(np.where(size >= np.sort(size)[-(len(noisy) // 32)], coefficients, 0))

    # WRONG a threshold that does not know epsilon | makes no use of epsilon
    return basis.inverse(np.where(size > 12, coefficients, 0))

    # WRONG all coefficients shrunk | have shrunk
    return basis.inverse(np.sign(coefficients) * np.maximum(size - 7 / epsilon, 0))


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* that a private choice can still be a bad one. About 25 minutes, medium to hard.
#
# The compressive mechanism must be told how many coefficients to look for. Someone chooses this number $S$ by the
# exponential mechanism, with a tenth of $\varepsilon$ and the right sensitivity, among $S = 1, \dots, n$. A candidate
# is better if its predicted error is smaller:
#
# $$u(S) = \frac{\|x - x_S\|_1}{\sqrt S} + \frac{\sqrt 2\, C\, S \log_2(n/S)}{\varepsilon'} ,$$
#
# where $x$ are the coefficients of the data, and $x_S$ the same with all but the $S$ largest set to 0. $C$ is a
# constant, and $\varepsilon' = 0.9\,\varepsilon$ is what the compressive mechanism then spends on $C\,S\log_2(n/S)$
# samples. Is all of this together $\varepsilon$-DP? Which $S$ is the most likely to be chosen, what will the release
# be worth, and how would you mend it? Someone else takes the $S$ of smallest predicted error among small $S$, without
# the exponential mechanism, to have all of $\varepsilon$ for the samples. Is that $\varepsilon$-DP? Three to six
# sentences.

# %% [markdown] name="explain_choice" points=3
# ### BEGIN SOLUTION
# The first is private: the exponential mechanism with the right sensitivity spends $0.1\,\varepsilon$ whatever the
# score means. The samples spend $0.9\,\varepsilon$, and budgets add up. But at $S = n$ nothing is given up and
# $\log_2(n/n) = 0$. So the predicted error is 0 for every dataset, and no other candidate can be predicted better. No
# sample is taken there: the release knows nothing of the data, and its true error is that of printing zeros. The
# formula for the number of samples holds for $S$ well below $n$ only. It falls again beyond $n/e$, so let $S$ run to
# $n/e$ at most. The other one is not private: $S$ is read off the private coefficients without noise, and shows in
# the number of samples. Where one record tips the balance between two values of $S$, the release tells neighbours
# apart with certainty, whatever noise the samples have.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each.
# - (a) Private, *because* the exponential mechanism needs only the right sensitivity, or because the budgets 0.1 and
#   0.9 add up. The trap costs accuracy, not privacy.
# - (b) S = n (or an S near n), with the reason (its predicted error is 0) or the consequence (no samples, or hardly
#   any). A repair is due as well: it may be S up to n/e, another bound well below n, or a smallest k. It may be a
#   noise term that does not fall, such as S log(e n/S).
# - (c) Not private, because S depends on the data without noise and the release shows it. Accept an example of two
#   neighbours, or "S itself is a release that no budget pays for". No point for a bare yes or no, and none in (c) for
#   "S is kept secret": the number of samples shows it.
# ### END MARK SCHEME
