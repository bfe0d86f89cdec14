# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     name: python3
# ---

# %% [markdown]
# # Answers to 16 The compressive mechanism
#
# A hint and a computed answer for each task "On your own" of the page. Try first; there is more than one good answer.

# %%
import math

import numpy as np
import pandas as pd

from dpbook import data
from dpbook.compressive import compressive_mechanism, error_bound, expected_error
from dpbook.sparse import (
    cosine_basis,
    haar_basis,
    hadamard_operator,
    keep_largest,
    measurements,
    noise_length,
    pad_to_power_of_two,
)
from dpbook.exponential import selection_probabilities
from dpbook.histograms import haar_histogram, hierarchical_histogram
from dpbook.laplace import laplace_mechanism

visits = data.health_insurance()["mdvis"].values
DATASETS = {
    "doctor visits (real)": np.bincount(visits, minlength=366),
    "net trace": data.net_trace().values,
    "search logs": data.search_logs().values,
    "social network": data.social_network().values,
    "TCP trace": data.tcp_trace().values,
}
SPARSITIES = [1, 2, 3, 5, 8, 13, 20, 30, 50]


def prepared(name, basis_name="Haar"):
    """The counts, the same with padding where the basis needs it, and the basis."""
    counts = DATASETS[name].astype(float)
    if basis_name == "Haar":
        padded = pad_to_power_of_two(counts)
        return counts, padded, haar_basis(padded.size)
    return counts, counts, cosine_basis(counts.size)


def given_up(padded, basis):
    """Euclidean length of what is left out when the S largest are kept, from S = 0 on."""
    sizes = np.sort(np.abs(basis.forward(padded)))
    return np.sqrt(np.cumsum(sizes**2))[::-1]


# %% [markdown]
# ## 1. The search logs
#
# *Hint.* The slider ends before either basis is there. Sort the coefficients, and add up their squares from the small
# end.

# %%
for basis_name in ("Haar", "cosine"):
    counts, padded, basis = prepared("search logs", basis_name)
    lost = given_up(padded, basis) / np.linalg.norm(counts)
    least = np.argmax(lost < 0.1)
    print(f"{basis_name}: least S below 0.1: {least:,} of {basis.n:,};", end=" ")
    print("relative error", ", ".join(f"{lost[S]:.3f} at S = {S}" for S in SPARSITIES[-3:]))

# %% [markdown]
# *Answer.* For 0.2 the first $S$ on the slider is 30 in Haar; for the cosines none is enough. For 0.1 none is enough in
# either basis: computed, Haar needs 66 coefficients and the cosines 1,221.
# Bursts are short, a wave is everywhere: a burst of a few bins takes a few Haar atoms but very many waves.
#
# ## 2. Doctor visits
#
# *Hint.* For which $\varepsilon$ is Laplace better than zeros at all? Below that, the mechanism has to beat zeros,
# above it Laplace. Then compare parts 1 and 2 with the smaller of the two.

# %%
counts, padded, basis = prepared("doctor visits (real)")
zeros, releases = np.linalg.norm(counts), 12
even = math.sqrt(2 * counts.size) / zeros
print(f"zeros {zeros:,.0f}; Laplace is better above epsilon {even:.4f}")


def share_of_wins(S, epsilon, padded, basis):
    """The share of releases with less error than zeros and than Laplace with the same seed."""
    wins = 0
    for seed in range(releases):
        rng = np.random.default_rng(seed)
        estimate = compressive_mechanism(padded, basis, S, epsilon, rng)
        flat = laplace_mechanism(counts, 1, epsilon, np.random.default_rng(seed))
        rival = min(zeros, np.linalg.norm(flat - counts))
        wins += np.linalg.norm(estimate[: counts.size] - counts) < rival
    return wins / releases


epsilons = (0.001, 0.002, 0.003, 0.005, 0.01, 0.1, 1.0)
rows = [[share_of_wins(S, e, padded, basis) for S in SPARSITIES] for e in epsilons]
names = [f"S = {S}" for S in SPARSITIES]
print(f"share of releases that beat both, Haar; the largest is {np.max(rows):.2f}")
print(pd.DataFrame(rows, index=epsilons, columns=names).round(2).to_string())
_, plain, waves = prepared("doctor visits (real)", "cosine")
most = max(share_of_wins(S, e, plain, waves) for S in (3, 8, 20) for e in (0.003, 0.01, 0.1))
print(f"cosine, at nine places: at most {most:.2f}")

# %%
k = np.array([measurements(S, basis.n, 1.5) for S in SPARSITIES])
for epsilon in (0.003, 0.005, 0.01):
    part_1 = given_up(padded, basis)[SPARSITIES]
    part_2 = np.sqrt(2 * np.array(SPARSITIES) * k) / epsilon
    rival = min(zeros, math.sqrt(2 * counts.size) / epsilon)
    print(f"epsilon {epsilon}: the better rival {rival:,.0f}; S, parts 1, 2, both together")
    for S, one, two in list(zip(SPARSITIES, part_1, part_2, strict=True))[:6]:
        print(f"    {S:>2}: {one:>6,.0f} {two:>6,.0f} {math.hypot(one, two):>6,.0f}")

# %% [markdown]
# *Answer.* In no place tried does it win in most releases. The bins are few, so Laplace has little noise to begin
# with. If $S$ is small enough for $S k < n$, much is given up (part 1). If it is larger, the noise on the right
# coefficients (part 2) is above the better rival. Only near the $\varepsilon$ of the first line, where Laplace and
# zeros are equally bad, are the two parts together below both. There part 3, wrong coefficients, takes more than
# that. Below it the rival is zeros, and stopping early only *equals* them.
#
# ## 3. An error equal to that of zeros
#
# *Hint.* Compare three lengths: of the noiseless samples, of the noise, and of $\theta$, at which rebuilding stops.

# %%
counts, padded, basis = prepared("net trace")
epsilon = 0.01
for S in (8, 20):
    size = measurements(S, basis.n, 1.5)
    samples = hadamard_operator(size, basis.n, np.random.default_rng(S)) @ padded
    theta, signal = noise_length(size, epsilon), np.linalg.norm(samples)
    print(f"S = {S}: k = {size}; samples {signal:,.0f}, theta {theta:,.0f}:", end=" ")
    print(f"{signal / theta:.0%} of it")
    used, errors = [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        estimate = compressive_mechanism(padded, basis, S, epsilon, rng)
        used.append(np.count_nonzero(np.abs(basis.forward(estimate)) > 1e-6))
        errors.append(np.linalg.norm(estimate - counts))
    used, errors = np.array(used), np.array(errors)
    print(f"    no atom at all in {np.mean(used == 0):.0%} of 30 releases;", end=" ")
    print(f"error of zeros {np.linalg.norm(counts):,.0f},", end=" ")
    print(f"of the others {np.median(errors[used > 0]):,.0f} in the median")

# %% [markdown]
# *Answer.* The released line is 0 everywhere. The samples of the data are short beside the noise, so the noisy
# samples are often no longer than noise alone would be. Rebuilding then stops before the first atom: nothing is left
# to explain. That is sensible: any atom that it chose would be chosen by the noise and fitted to it. The releases in
# which it did choose some are far worse. It decides by the noisy samples and a public $\theta$, so this costs
# nothing.
#
# ## 4. The other prediction
#
# *Hint.* `predicted` of the page and `selection_probabilities` give the band. A tenth of $\varepsilon$ is for the
# choice, the rest for the mechanism. Measure the errors at both middles.

# %%
SUITED = {name: "cosine" if name == "TCP trace" else "Haar" for name in DATASETS}


def band(name, rule, epsilon):
    """Quartiles of the S that is chosen with a tenth of epsilon, for a mechanism with the rest, as in the figure."""
    _, padded, basis = prepared(name, SUITED[name])
    candidates = np.arange(1, int(basis.n / math.e) + 1)
    errors, sensitivities = rule(padded, basis, candidates, 0.9 * epsilon)
    law = np.cumsum(selection_probabilities(-errors, sensitivities.max(), 0.1 * epsilon))
    return [int(candidates[np.searchsorted(law, share)]) for share in (0.25, 0.5, 0.75)]


def median_error(name, S, epsilon):
    """Of five releases."""
    counts, padded, basis = prepared(name, SUITED[name])
    errors = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        run = compressive_mechanism(padded, basis, S, epsilon, rng)
        errors.append(np.linalg.norm(run[: counts.size] - counts))
    return np.median(errors)


rows = []
for name in DATASETS:
    for epsilon in (0.01, 0.1, 1.0):
        both = [band(name, rule, epsilon) for rule in (error_bound, expected_error)]
        errors = [median_error(name, b[1], 0.9 * epsilon) for b in both]
        rows.append((name, str(epsilon), *("{}, {}, {}".format(*b) for b in both), *errors))
names = ["dataset", "epsilon", "equation (1)", "Euclidean", "error, (1)", "error, Euclidean"]
print("epsilon in all; quartiles of the chosen S, and median error at the middle one")
print(pd.DataFrame(rows, columns=names).round(0).to_string(index=False))

# %% [markdown]
# *Answer.* It moves by far the most for the TCP trace. The reach of the cosine basis is large, so the lottery of
# equation (1) chooses hundreds of coefficients. The Euclidean prediction, with a sensitivity of 1, chooses a few, with
# less error at every $\varepsilon$. For the search logs it chooses fewer, with less error, too. For the other three it
# mostly chooses a few more, and the error is mostly no better. It counts the *smallest* noise on the right coefficients
# and nothing for wrong ones (part 3). So it is too hopeful about large $S$. (These are medians of five releases, so
# small differences may be luck.)
#
# ## 5. Haar noise
#
# *Hint.* `haar_histogram` puts noise on all coefficients, weighted by their level: made for ranges, as the tree is.

# %%
counts, padded, basis = prepared("net trace")
ends = np.random.default_rng(4).integers(0, padded.size + 1, (2, 2000))
lefts, rights = np.sort(ends, axis=0)


def laplace(rng):
    return laplace_mechanism(padded, 1, 0.1, rng)


ranged = {
    "compressive, S = 20": lambda rng: compressive_mechanism(padded, basis, 20, 0.1, rng),
    "Laplace": laplace,
    "Laplace, denoised, S = 20": lambda rng: keep_largest(laplace(rng), basis, 20),
    "H2": lambda rng: hierarchical_histogram(padded, 2, 0.1, rng),
    "Haar noise": lambda rng: haar_histogram(padded, 0.1, rng),
}
print("net trace, epsilon 0.1, medians of 20 releases")
for name, release in ranged.items():
    misses = np.array([release(np.random.default_rng(seed)) - padded for seed in range(20)])
    running = np.pad(np.cumsum(misses, axis=1), ((0, 0), (1, 0)))
    ranges = np.sqrt(np.mean((running[:, rights] - running[:, lefts]) ** 2, axis=1))
    bins = np.linalg.norm(misses, axis=1)
    print(f"{name:<26} all bins {np.median(bins):>8,.0f}, a range {np.median(ranges):>8,.0f}")

# %% [markdown]
# *Answer.* As the tree does: among the worst on single bins and, with the tree, the best on ranges. It is a binary
# tree in another form (chapter 08). It *uses* the Haar basis, but does not use that the data are sparse in it: every
# coefficient is kept with its noise. Denoising does, and is far ahead on bins.
#
# ## 6. Challenge: a threshold that needs no $S$
#
# *Hint.* Which size does the largest of $n$ coefficients of pure noise have? Each has the deviation
# $\sqrt 2/\varepsilon$. For normal noise the largest is about $\sqrt{2 \ln n}$ deviations; the proof of Theorem 16.8
# has a bound for Laplace noise.

# %%
RULES = {
    "3 deviations": lambda n: 3.0,
    "sqrt(2 ln n)": lambda n: math.sqrt(2 * math.log(n)),
    "ln n": lambda n: math.log(n),
    "theorem": lambda n: math.log(4 * n / 0.05),
}
rows = []
for name in DATASETS:
    counts, padded, basis = prepared(name, SUITED[name])
    true = basis.forward(padded)
    for epsilon in (0.01, 0.1, 1.0):
        curves, errors = [], {rule: [] for rule in RULES}
        for seed in range(8):
            noise = laplace_mechanism(0 * padded, 1, epsilon, np.random.default_rng(seed))
            noisy = true + basis.forward(noise)
            order = np.argsort(-np.abs(noisy))
            more = (noisy[order] - true[order]) ** 2 - true[order] ** 2  # by keeping one more
            squares = np.append(0, np.cumsum(more)) + np.sum(true**2)  # for S = 0, 1, ..., n
            curves.append(np.sqrt(np.maximum(squares, 0)))
            for rule, deviations in RULES.items():
                limit = deviations(basis.n) * math.sqrt(2) / epsilon
                errors[rule].append(curves[-1][np.count_nonzero(np.abs(noisy) > limit)])
        middles = np.median(curves, axis=0)
        row = (name, str(epsilon), middles[0], middles[-1], *map(np.median, errors.values()))
        rows.append((*row, middles.min(), int(middles.argmin())))
names = ["dataset", "epsilon", "zeros", "Laplace", *RULES, "at best S", "best S"]
table = pd.DataFrame(rows, columns=names)
print("median errors of 8 releases, and the S that is best for them")
print(table.round(0).to_string(index=False))
for rule in RULES:
    ratio = table[rule] / table["at best S"]
    print(f"{rule:<13} {ratio.median():.2f} times the error at the best S in the median,", end=" ")
    print(f"{ratio.max():.2f} at most")

# %% [markdown]
# *Answer.* The one with $\sqrt{2 \ln n}$: keep a coefficient of the noisy histogram if it is larger than
# $2\sqrt{\ln n}/\varepsilon$. It depends on $n$ and $\varepsilon$ only, so it is post-processing, and it comes
# closest to the oracle's $S$ in the median and at worst. (The exact best $S$ is an oracle: nobody may look at these
# errors.) Three deviations keep too many where $n$ is large: a small share of very many coefficients is still many,
# and all of it is noise. The theorem's bound keeps too few: it makes sure that not one of them is noise. Where the
# table's best $S$ is thousands, the data are not sparse at that noise. There no threshold gains more than a few per cent
# over plain Laplace noise, and most lose.
