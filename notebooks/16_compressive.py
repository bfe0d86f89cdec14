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
# # 16 The compressive mechanism
#
# **What you will see:** a histogram with 65,536 bins squeezed into a few hundred random samples; noise on the samples
# only; the histogram rebuilt from them. When this beats noise on every bin, when it loses, and a simple rival that the
# source did not try. Then: how to choose the sparsity $S$ in private, and four printed mistakes, each with its number.
#
# **What you will do:** find the border between samples that suffice and samples that do not; make the mechanism win;
# make it lose; break a promise with the wrong constant.
#
# **You need:** [03 the Laplace mechanism](03_laplace.ipynb) and [04 the exponential
# mechanism](04_exponential.ipynb). H$_2$, the tree of [08 histograms](08_histograms.ipynb), appears for comparison.
#
# **Real and synthetic:** the doctor visits are of real people (RAND health insurance experiment). The net trace,
# search logs, social network and TCP trace are *synthetic stand-ins* with the sizes that the source reports; no
# number computed from them is a result about the originals.

# %%
import functools
import math

import numpy as np
import pandas as pd

from dpbook import data
from dpbook.compressive import (
    basis_pursuit,
    bernoulli_operator,
    choose_sparsity,
    compressive_mechanism,
    cosamp,
    cosine_basis,
    error_bound,
    expected_error,
    generalised_omp,
    haar_basis,
    hadamard_operator,
    keep_largest,
    measurements,
    noise_length,
    pad_to_power_of_two,
    reconstruct,
)
from dpbook.exponential import log_selection_probabilities, selection_probabilities
from dpbook.histograms import hierarchical_histogram
from dpbook.laplace import laplace_mechanism
from dpbook.live import choice, live, log_slider, new_noise, show_source, slider, switch
from dpbook.plots import COLOURS, figure, meter, set_meter, set_steps, show, steps

# %% [markdown]
# ## Noise on every bin
#
# The net trace has a count for each of 65,536 network addresses. Neighbours, on this whole page, are two histograms
# that differ by one unit in one bin: one record more or less (add/remove). So Laplace noise of scale $1/\varepsilon$
# on each bin is private. The error of an estimate $\hat D$ is here its Euclidean distance $\|\hat D - D\|_2$ from the
# truth; for Laplace noise on $n$ bins that is about $\sqrt{2n}/\varepsilon$.

# %%
trace = data.net_trace().values
epsilon, n = 0.01, trace.size
noisy = laplace_mechanism(trace, 1, epsilon, np.random.default_rng(1))
print(f"{n:,} bins, {np.mean(trace == 0):.0%} of them empty; epsilon {epsilon}")
error, formula = np.linalg.norm(noisy - trace), math.sqrt(2 * n) / epsilon
print(f"error of the Laplace histogram: {error:,.0f}, by the formula {formula:,.0f}")
print(f"length of the data themselves:  {np.linalg.norm(trace):,.0f}")
fig, ax = figure(height=2.8)
steps(ax, noisy, colour=COLOURS.light, label="Laplace noise on every bin")
steps(ax, trace, colour=COLOURS.true, label="true counts")
ax.set(xlabel="network address (bin)", ylabel="connections", xlim=(0, n))
ax.legend(loc="upper right")
show(
    fig,
    "A few flat blocks of true counts, drowned in a noise band that is as high over the empty bins as over the busy.",
)

# %% [markdown]
# Nearly all of that error lies in bins that hold nothing. A tempting repair: add noise to the large bins only, and
# publish 0 for the rest. Here the four largest of eight bins are published; then one more record arrives.


# %%
def noise_on_the_largest_only(counts, kept, epsilon, rng):
    """BROKEN: which bins are published depends on the data, and no noise hides it."""
    largest = np.argsort(-counts, kind="stable")[:kept]
    published = np.zeros(len(counts))
    published[largest] = laplace_mechanism(counts[largest], 1, epsilon, rng)
    return published


before = np.array([9, 7, 4, 4, 0, 0, 5, 0])
after = before + np.eye(8, dtype=int)[3]
for name, counts in (("before", before), ("after ", after)):
    released = [noise_on_the_largest_only(counts, 4, 1, np.random.default_rng(seed)) for seed in range(1000)]
    print(f"{name}: bin 3 is published in {np.mean(np.array(released)[:, 3] != 0):.0%} of the releases")

# %% [markdown]
# Bin 3 went from 4 to 5, by one record, and took the place of bin 2 for certain: the privacy loss is infinite.
# *Where* the large numbers are is itself private.
#
# ## The idea
#
# 1. Data such as these are **sparse**: in a well chosen basis, all but a few coefficients are close to zero.
# 2. A sparse vector can be rebuilt from **few random samples** of it: far fewer than $n$, taken *without looking at
#    where the large coefficients are*. This is compressed sensing.
# 3. So: put the noise on the few samples. Rebuilding from noisy samples is post-processing and costs nothing.
#
# We take the three steps one at a time.
#
# ## Step 1: sparse in a basis
#
# A basis of $n$ orthonormal vectors, the *atoms* $\psi_1, \dots, \psi_n$, writes the data $D$ as a sum of atoms. The
# weights are the *coefficients* $x$:
#
# $$D = \Psi x, \qquad x = \Psi^{\mathsf T} D, \qquad \|x\|_2 = \|D\|_2 .$$
#
# The **Haar** basis compares the left half of a block with its right half, at every scale. Data with flat stretches
# have few coefficients that are not 0:

# %%
small = np.array([6.0, 6, 6, 6, 0, 0, 2, 2])
haar8 = haar_basis(8)
print("coefficients:", haar8.forward(small).round(2))
print("data again:  ", haar8.inverse(haar8.forward(small)).round(2))
assert np.isclose(np.linalg.norm(haar8.forward(small)), np.linalg.norm(small))

# %% [markdown]
# Eight numbers, three coefficients. The **cosine** basis has waves for atoms, and suits what comes back every day.
# Both are fast transforms; no $n \times n$ matrix is ever written. The Haar basis needs a power of two for $n$:
# `pad_to_power_of_two` adds empty bins at the end, which are public and are cut off again.
#
# Keep the $S$ largest coefficients, set the others to 0, and call the result $x_S$: the best approximation with $S$
# atoms. It is not private at all. It tells what a sparse method can hope for.
#
# **Try first:** the net trace with $S = 20$. Then the TCP trace in either basis: which one is made for it, and how
# many coefficients does it take?

# %%
DATASETS = {
    "doctor visits (real)": np.bincount(data.health_insurance()["mdvis"].values, minlength=366),
    "net trace": trace,
    "search logs": data.search_logs().values,
    "social network": data.social_network().values,
    "TCP trace": data.tcp_trace().values,
}
BASES = ["Haar", "cosine"]
SUITED = {name: "cosine" if name == "TCP trace" else "Haar" for name in DATASETS}  # known without the counts
SPARSITIES = [1, 2, 3, 5, 8, 13, 20, 30, 50]


@functools.cache
def prepared(name, basis_name):
    """The counts, the same with padding where the basis needs it, and the basis."""
    counts = np.asarray(DATASETS[name], dtype=float)
    if basis_name == "Haar":
        padded = pad_to_power_of_two(counts)
        return counts, padded, haar_basis(padded.size)
    return counts, counts, cosine_basis(counts.size)


for name, counts in DATASETS.items():
    print(f"{name}: {counts.size:,} bins ({pad_to_power_of_two(counts).size:,} with padding), {counts.sum():,} units")


# %%
def fit(ax, steps_artist, counts):
    """Give an axes and its outline room for another dataset; does nothing while the dataset stays."""
    if ax.get_xlim()[1] != counts.size:
        low, high = counts.min(), counts.max()
        ax.set(xlim=(0, counts.size), ylim=(low - 0.45 * (high - low), high + 0.5 * (high - low)))
        set_steps(steps_artist, counts, np.arange(counts.size + 1))


fig, (atoms_ax, sizes_ax) = figure(columns=2)
atoms_data_steps = steps(atoms_ax, np.zeros(2), colour=COLOURS.pale, fill=True, label="data")
kept_steps = steps(atoms_ax, np.zeros(2), colour=COLOURS.noisy, label="S atoms")
atoms_ax.set(xlabel="bin", ylabel="count")
atoms_ax.legend(loc="upper left", ncols=2)
ranks = np.arange(1, 65_537)
(sizes_line,) = sizes_ax.plot(ranks, np.ones(65_536), color=COLOURS.true, label="size of the coefficient")
(cut_line,) = sizes_ax.plot([1, 1], [1e-1, 1e6], color=COLOURS.noisy, linestyle="--", label="S")
sizes_ax.set(xscale="log", yscale="log", xlabel="rank of the coefficient", xlim=(0.8, 1e5), ylim=(1e-1, 3e5))
sizes_ax.legend(loc="upper right")


def sparse_view(dataset, basis, S):
    counts, padded, chosen_basis = prepared(dataset, basis)
    fit(atoms_ax, atoms_data_steps, counts)
    approximation = keep_largest(padded, chosen_basis, S)[: counts.size]
    set_steps(kept_steps, approximation, np.arange(counts.size + 1))
    sizes = np.sort(np.abs(chosen_basis.forward(padded)))[::-1]
    sizes_line.set_data(ranks[: sizes.size], np.maximum(sizes, 1e-2))
    cut_line.set_xdata([S, S])
    lost = np.linalg.norm(approximation - counts) / np.linalg.norm(counts)
    return f"{S} of {chosen_basis.n:,} coefficients: relative error {lost:.3f} before any noise"


sparse_figure = live(
    fig,
    sparse_view,
    "Left: a histogram filled in grey and its approximation by a few atoms. Right: coefficient sizes by rank, falling "
    "steeply, with a dashed line at the number of coefficients kept.",
    dataset=choice(list(DATASETS), "net trace"),
    basis=choice(BASES, "Haar"),
    S=choice(SPARSITIES, 20, label="S, coefficients kept"),
)
sparse_figure

# %%
lost = {
    (name, basis_name): np.linalg.norm(keep_largest(padded, basis, 20) - padded) / np.linalg.norm(padded)
    for name in DATASETS
    for basis_name in BASES
    for _, padded, basis in [prepared(name, basis_name)]
}
print("relative error of the best approximation with 20 atoms")
pd.Series(lost).unstack().loc[list(DATASETS), BASES].round(3)

# %% [markdown]
# The right basis matters more than anything else on this page, and it must be chosen *without* looking at the private
# data: from what is publicly known about data of this kind.
#
# ## Step 2: few random samples
#
# Take $k$ samples $y = \Phi D$: each is a sum of *all* bins with random signs, divided by $\sqrt k$. The signs are
# drawn without looking at the data, and are public. The source draws them independently (a *Bernoulli* matrix). A
# randomised *Hadamard* matrix has signs of the same kind and can be multiplied fast. Here is one for 4 samples of 8
# bins:

# %%
tiny = hadamard_operator(4, 8, np.random.default_rng(2))
matrix = np.column_stack([tiny @ unit for unit in np.eye(8)])
print((math.sqrt(4) * matrix).astype(int))
print("sum of absolute values in each column:", np.abs(matrix).sum(axis=0))
show_source(hadamard_operator)

# %% [markdown]
# Each column holds $k$ entries $\pm 1/\sqrt k$: its absolute values sum to $\sqrt k$. Remember that number: it is the
# sensitivity, and it is why the advantage of fewer samples is smaller than it looks.
#
# How many samples? The source (000, section 3.2) asks for $k = C\, S \log_2(n/S)$ with a constant $C$ that it does not
# give. We look for it.

# %%
show_source(measurements)
for S in (10, 50, 100):
    k = measurements(S, n, 1.5)
    print(f"n = {n:,}, S = {S:>3}, C = 1.5: k = {k:>4} samples, {n / k:.0f} times fewer than bins")
entries = measurements(50, n, 1.5) * n
print(
    f"a Bernoulli matrix for S = 50 in floats: {entries * 8 / 1e6:.0f} MB; with one bit a sign: {entries / 8e6:.1f} MB"
)

# %% [markdown]
# **Rebuilding.** Many histograms have the same samples; we want the one with the fewest coefficients. *Matching
# pursuit* is greedy: find the atom that looks most like what is still unexplained, fit all atoms found so far by
# least squares, subtract, repeat. The plain version takes $S$ atoms, one at a time, and fails when coefficients have
# equal size: one wrong atom stays for good. Ours takes two at a time, goes on to $2S$, and then throws the smaller
# half away.

# %%
show_source(generalised_omp)


# %%
def sparse_signal(basis, S, flat, rng):
    """Data with S coefficients that are not 0: all of one size, or of random sizes."""
    coefficients = np.zeros(basis.n)
    sizes = np.ones(S) if flat else 0.1 + np.abs(rng.normal(size=S))
    coefficients[rng.choice(basis.n, S, replace=False)] = sizes * rng.choice([-1, 1], S)
    return basis.inverse(coefficients)


def recovered(n, S, k, flat, method, seed):
    """Whether k noiseless samples of a random sparse signal give it back exactly."""
    rng, basis = np.random.default_rng(seed), haar_basis(n)
    signal, operator = sparse_signal(basis, S, flat, rng), hadamard_operator(k, n, rng)
    return np.allclose(reconstruct(operator @ signal, operator, basis, S, method), signal, atol=1e-6)


METHODS = {
    "plain matching pursuit": functools.partial(generalised_omp, atoms_a_pass=1, over_run=1),
    "generalised_omp": generalised_omp,
    "cosamp": cosamp,
    "basis_pursuit": basis_pursuit,
}
k = measurements(20, 512, 1.5)
table = pd.DataFrame(
    {
        kind: {name: sum(recovered(512, 20, k, flat, method, s) for s in range(10)) for name, method in METHODS.items()}
        for kind, flat in (("equal sizes", True), ("random sizes", False))
    }
)
print(f"n = 512, S = 20, k = {k}: signals recovered exactly, of 10")
table

# %% [markdown]
# *CoSaMP* also takes several atoms at a time, but in every pass throws away all but $S$. *Basis pursuit* looks for the
# coefficients with the smallest sum of absolute values that explain the samples: slower, and the classical theory is
# about it. All three are functions with the same arguments; `reconstruct` takes any of them, or one that you write.
#
# The picture on the left is the whole story of step 2: for each $S$ and $k$ the share of signals that come back
# *exactly*. There is a sharp border, and $k = C S \log_2(n/S)$ follows it.
#
# **Try first:** move $k$ down slowly at $S = 16$ until the recovery on the right falls apart. Switch to random sizes:
# does the border move?

# %%
grid_S, grid_k = np.arange(1, 41, 3), np.arange(8, 169, 10)
border = np.array(
    [[np.mean([recovered(256, S, k, True, generalised_omp, s) for s in range(6)]) for S in grid_S] for k in grid_k]
)
fig, (left, right) = figure(columns=2)
left.imshow(border, origin="lower", aspect="auto", cmap="gray", extent=(-0.5, 41.5, 3, 173), vmin=-0.4, vmax=1)
lines = np.arange(1, 42)
for constant, look in ((1, ":"), (1.5, "-"), (2, "--")):
    left.plot(lines, constant * lines * np.log2(256 / lines), look, color=COLOURS.other, label=f"C = {constant}")
(here,) = left.plot([16], [100], "D", color=COLOURS.light, markeredgecolor="black", markersize=9)
left.set(
    xlim=(-0.5, 41.5), ylim=(3, 173), xlabel="S, coefficients", ylabel="k, samples", title="exact (white) or not (dark)"
)
left.legend(loc="lower right")
true_steps = steps(right, np.zeros(256), colour=COLOURS.grey, label="true", linewidth=4)
found_steps = steps(right, np.zeros(256), colour=COLOURS.noisy, label="recovered")
right.set(xlabel="coefficient", ylabel="value", xlim=(0, 256), ylim=(-3.2, 4.4))
method_name = right.set_title("generalised_omp")
right.legend(loc="upper right", ncols=2)
basis256 = haar_basis(256)


def transition(S, k, method, flat, seed):
    rng = np.random.default_rng(seed)
    signal, operator = sparse_signal(basis256, S, flat, rng), hadamard_operator(k, 256, rng)
    estimate = reconstruct(operator @ signal, operator, basis256, S, METHODS[method])
    here.set_data([S], [k])
    method_name.set_text(method)
    set_steps(true_steps, basis256.forward(signal))
    set_steps(found_steps, np.clip(basis256.forward(estimate), -5, 5))
    error = np.linalg.norm(estimate - signal) / np.linalg.norm(signal)
    verdict = "exact" if error < 1e-6 else f"relative error {error:.2f}"
    return f"k = {k} is C = {k / (S * math.log2(256 / S)):.2f}: {verdict}"


transition_figure = live(
    fig,
    transition,
    "Left: map of exact recovery over S and k, dark below a curved border and white above it, with the point chosen. "
    "Right: true coefficients and the recovered ones.",
    S=slider(1, 40, 16, label="S, coefficients"),
    k=slider(8, 168, 100, 4, label="k, samples"),
    method=choice(list(METHODS), "generalised_omp"),
    flat=switch(True, label="coefficients of equal size"),
    seed=new_noise(1, label="New signal and signs"),
)
transition_figure

# %%
exact = {
    f"C = {constant}": {
        f"S = {S}": sum(recovered(256, S, measurements(S, 256, constant), True, generalised_omp, s) for s in range(20))
        for S in (1, 4, 16, 40)
    }
    for constant in (1, 1.5, 2)
}
print("n = 256, coefficients of equal size: recovered exactly, of 20")
pd.DataFrame(exact)

# %% [markdown]
# For $S$ above ten, $C = 1.5$ does (it is the default below); for very small $S$ the formula asks for too few samples
# and a larger $C$ is needed. All of this is public: it depends on $n$, $S$ and our own dice.
#
# ## Step 3: the mechanism
#
# $$y^* = \Phi D + e, \qquad e_i \sim \mathrm{Lap}\!\left(\sqrt k / \varepsilon\right), \qquad
# \hat D = \Psi\,\hat x(y^*) .$$

# %%
show_source(compressive_mechanism)

# %% [markdown]
# **Sensitivity.** One unit more in bin $j$ adds column $j$ of $\Phi$ to the samples. Its entries are $\pm 1/\sqrt k$,
# so the samples move by $k \cdot 1/\sqrt k = \sqrt k$ in L1, for every bin and every draw of the signs.
#
# **Why it is private.** Given the signs, the density of the noisy samples changes by a factor of at most $e^{\sqrt k
# / (\sqrt k/\varepsilon)} = e^\varepsilon$. The signs say nothing of the data. Rebuilding sees only the noisy
# samples. We compute the loss on an event that attains it, every sample beyond both centres, for each bin:

# %%
for make in (bernoulli_operator, hadamard_operator):
    operator = make(30, 64, np.random.default_rng(3))
    columns = np.column_stack([operator @ unit for unit in np.eye(64)])
    loss = np.abs(columns).sum(axis=0) / (math.sqrt(30) / 0.5)  # L1 move over scale, for one unit in each bin
    assert np.allclose(loss, 0.5)
    replaced = np.abs(columns[:, :, None] - columns[:, None, :]).sum(axis=0).max() / (math.sqrt(30) / 0.5)
    print(
        f"{make.__name__:<19} one unit: loss {loss.min():.4f} to {loss.max():.4f}; a unit moved: up to {replaced:.4f}"
    )
print("promised epsilon: 0.5")

signal = sparse_signal(haar_basis(4096), 10, False, np.random.default_rng(9)) * 1e4
for make in (bernoulli_operator, hadamard_operator):
    dice = [np.random.default_rng(seed) for seed in range(20)]
    runs = [compressive_mechanism(signal, haar_basis(4096), 10, 1.0, rng, operator=make) for rng in dice]
    print(
        f"{make.__name__:<19} error {np.linalg.norm(np.array(runs) - signal, axis=1).mean():.0f}, mean of 20 releases"
    )

# %% [markdown]
# A *replaced* record leaves one bin and enters another. The samples can then move by $2\sqrt k$, and the loss be
# $2\varepsilon$ (when two columns are opposite in every entry; the figure above is for the worst pair of 64 bins). The
# source does not say so, since its neighbours differ by 1 in L1. To protect a replaced record, spend $\varepsilon/2$.
#
# Independent signs, as in the source, or Hadamard: the same sensitivity, and the same error within luck.
#
# ## Live: the whole mechanism
#
# Top left, the data and what comes out; top right, the $k$ samples before and after the noise. Bottom left, the error
# beside those of three others at the same $\varepsilon$: Laplace noise on every bin, the tree H$_2$ with constrained
# inference, and *printing zeros*, which costs no privacy and whose error is the length of the data. (The fifth bar is
# explained further down.) Bottom right, the number $S$ that the exponential mechanism would choose: half of its
# choices lie in the dark band, nine of ten in the light one.
#
# **Try first:** as it stands ($\varepsilon = 0.01$, $S = 8$) the mechanism wins. Raise $\varepsilon$ to 1: who wins
# now, and why does the error of the mechanism stop falling? Mend it with $S$. Then go to $S = 50$ at $\varepsilon =
# 0.01$.


# %%
@functools.lru_cache(maxsize=32)
def sampled(dataset, basis_name, S):
    """What does not change with epsilon: the operator and the noiseless samples."""
    _, padded, basis = prepared(dataset, basis_name)
    operator = hadamard_operator(measurements(S, basis.n, 1.5), basis.n, np.random.default_rng(S))
    return operator, operator @ padded


@functools.cache
def predicted(dataset, basis_name, prediction):
    """The two parts of a predicted error for all candidates: given up, noise at epsilon 1; and the sensitivity."""
    _, padded, basis = prepared(dataset, basis_name)
    candidates = np.arange(1, int(basis.n / math.e) + 1)
    both, sensitivities = prediction(padded, basis, candidates, 1.0)
    given_up, _ = prediction(padded, basis, candidates, 1e12)
    return candidates, given_up, both - given_up, sensitivities.max()


def choice_law(dataset, basis_name, prediction, mechanism_epsilon, epsilon):
    """Candidates and the cumulative law of the S that `choose_sparsity` draws."""
    candidates, given_up, noise, sensitivity = predicted(dataset, basis_name, prediction)
    errors = given_up + noise / mechanism_epsilon
    return candidates, errors, np.cumsum(selection_probabilities(-errors, sensitivity, epsilon))


def quantile(candidates, cumulative, share):
    return candidates[min(np.searchsorted(cumulative, share), candidates.size - 1)]


# %%
RIVALS = ["compressive", "Laplace", "H$_2$", "zeros", "denoised"]
fig, ((data_ax, samples_ax), (error_ax, choice_ax)) = figure(columns=2, rows=2, height=5.0)
data_steps = steps(data_ax, np.zeros(2), colour=COLOURS.pale, fill=True, label="data")
estimate_steps = steps(data_ax, np.zeros(2), colour=COLOURS.noisy, label="released")
data_ax.set(xlabel="bin", ylabel="count")
data_ax.legend(loc="upper left", ncols=2)
noisy_steps = steps(samples_ax, np.zeros(2), colour=COLOURS.light, edges=[0, 1, 2], label="with noise")
sample_steps = steps(samples_ax, np.zeros(2), colour=COLOURS.true, edges=[0, 1, 2], label="samples")
samples_ax.set(xlim=(0, 1), xticks=[0, 1], xticklabels=["first", "last"], xlabel="sample", ylabel="value")
samples_ax.legend(loc="upper left", ncols=2, columnspacing=1)
bars = error_ax.barh(RIVALS, np.ones(5), left=1, height=0.6, color=[COLOURS.noisy] + 4 * [COLOURS.grey])
amounts = [error_ax.text(2, row, "", va="center") for row in range(5)]
error_ax.set(xscale="log", xlim=(10, 1e9), xticks=[1e2, 1e4, 1e6], ylim=(4.6, -0.6), xlabel="error, Euclidean length")
bands = [choice_ax.axvspan(1, 2, color=COLOURS.light, alpha=alpha, linewidth=0) for alpha in (0.35, 0.8)]
(predicted_line,) = choice_ax.plot([1], [1], color=COLOURS.true, label="predicted error")
(own_choice,) = choice_ax.plot([1], [1], "D", color=COLOURS.noisy, label="your S")
choice_ax.set(xscale="log", yscale="log", xlim=(0.8, 3e4), ylim=(1e1, 1e8), xlabel="S", ylabel="predicted error")
choice_ax.legend(loc="upper left")


def whole_mechanism(dataset, basis, S, epsilon, seed):
    counts, padded, chosen_basis = prepared(dataset, basis)
    operator, samples = sampled(dataset, basis, S)
    k, rng = samples.size, np.random.default_rng(seed)
    noisy = laplace_mechanism(samples, math.sqrt(k), epsilon, rng)
    estimate = reconstruct(noisy, operator, chosen_basis, S, generalised_omp, noise_length(k, epsilon))
    flat = laplace_mechanism(padded, 1, epsilon, rng)
    others = [flat, hierarchical_histogram(counts, 2, epsilon, rng), 0 * counts, keep_largest(flat, chosen_basis, S)]
    errors = [np.linalg.norm(other[: counts.size] - counts) for other in (estimate, *others)]

    if data_ax.get_xlim()[1] != counts.size:
        reach = 4 * np.linalg.norm(counts) / math.sqrt(60)
        samples_ax.set_ylim(-reach, 1.3 * reach)
    fit(data_ax, data_steps, counts)
    set_steps(estimate_steps, estimate[: counts.size], np.arange(counts.size + 1))
    for artist, values in ((sample_steps, samples), (noisy_steps, noisy)):
        set_steps(artist, values, np.linspace(0, 1, k + 1))
    for bar, amount, error in zip(bars, amounts, errors, strict=True):
        bar.set_width(max(error, 1.1) - 1)
        amount.set(text=f"{error:,.0f}", x=1.3 * max(error, 10))
    candidates, predictions, cumulative = choice_law(dataset, basis, error_bound, epsilon, epsilon / 9)
    predicted_line.set_data(candidates, predictions)
    own_choice.set_data([S], [predictions[S - 1]])
    quantiles = [quantile(candidates, cumulative, share) for share in (0.05, 0.95, 0.25, 0.75, 0.5)]
    for band, low, high in zip(bands, quantiles[0:4:2], quantiles[1:4:2], strict=True):
        band.set(x=low / 1.02, width=1.02 * high - low / 1.02)
    times = errors[1] / errors[0]
    verdict = f"{times:.1f} times better than" if times > 1 else f"{1 / times:.1f} times worse than"
    return (
        f"k = {k} samples of {counts.size:,} bins; error {verdict} Laplace; S k is {S * k / chosen_basis.n:.2f} n; "
        f"the exponential mechanism would choose S around {quantiles[4]}"
    )


mechanism_figure = live(
    fig,
    whole_mechanism,
    "Four panels: data and released estimate; samples with and without noise; bars of the errors of five methods on a "
    "log axis; predicted error against S with the band of values that the exponential mechanism chooses.",
    dataset=choice(list(DATASETS), "net trace"),
    basis=choice(BASES, "Haar"),
    S=choice(SPARSITIES, 8, label="S, coefficients"),
    epsilon=log_slider(0.001, 10, 0.01),
    seed=new_noise(1),
)
mechanism_figure

# %% [markdown]
# The same, computed for one dataset after the other, each in the basis that suits it:

# %%
for dataset, basis in SUITED.items():
    print(dataset)
    for epsilon in (0.01, 0.1, 1.0):
        errors = {}
        for S in SPARSITIES[3:]:
            counts, padded, chosen_basis = prepared(dataset, basis)
            estimate = compressive_mechanism(padded, chosen_basis, S, epsilon, np.random.default_rng(S))
            errors[S] = np.linalg.norm(estimate[: counts.size] - counts)
        best = min(errors, key=errors.get)
        plain, zeros = math.sqrt(2 * counts.size) / epsilon, np.linalg.norm(counts)
        verdict = "WINS" if errors[best] < min(plain, zeros) else "loses"
        print(
            f"    epsilon {epsilon:<4}: Laplace {plain:>7,.0f}, zeros {zeros:>7,.0f}, "
            f"compressive {errors[best]:>7,.0f} with the best S = {best}: {verdict}"
        )

# %% [markdown]
# Two cautions. The best $S$ was found by looking at the true error, which is not private: this is the mechanism at its
# best. And an error near that of printing zeros is no result at all.
#
# H$_2$ is far behind Laplace here because the error is counted bin by bin. H$_2$ is made for *ranges* of bins. The
# source compares all mechanisms bin by bin (its Figure 4); on ranges the order changes:

# %%
rng = np.random.default_rng(4)
lefts, rights = np.sort(rng.integers(0, n + 1, (2, 2000)), axis=0)
_, padded, basis = prepared("net trace", "Haar")
releases = {
    "compressive, S = 20": compressive_mechanism(padded, basis, 20, 0.1, rng),
    "Laplace": laplace_mechanism(padded, 1, 0.1, rng),
    "H2": hierarchical_histogram(padded, 2, 0.1, rng),
}
for name, release in releases.items():
    running = np.append(0, np.cumsum(release - padded))
    ranges = np.sqrt(np.mean((running[rights] - running[lefts]) ** 2))
    all_bins = np.linalg.norm(release - padded)
    print(f"{name:<20} error over all bins {all_bins:>8,.0f}, typical error of a range {ranges:>8,.0f}")

# %% [markdown]
# ## What the error is made of
#
# 1. **Given up:** the coefficients beyond the $S$ largest, $\|x - x_S\|_2$. Falls with $S$, does not care for
#    $\varepsilon$.
# 2. **Noise on the right coefficients:** the noise in the samples has variance $2k/\varepsilon^2$ each, and fitting $S$
#    coefficients to them leaves that variance on each: together $\sqrt{2Sk}/\varepsilon$. Grows faster than $S$.
# 3. **Wrong coefficients:** noise that looks like an atom, and atoms lost in the noise. No formula; it is what the
#    measured error has above the other two. (It can fall below part 2: rebuilding stops when what is left looks like
#    noise, and then uses fewer than $S$ atoms.)
#
# Setting part 2 against $\sqrt{2n}/\varepsilon$ gives the rule of this chapter: even when the right $S$ coefficients
# are found, the mechanism beats plain Laplace noise **only if $S k < n$**.
#
# **Try first:** at $\varepsilon = 0.1$, read off the best $S$, and compare the measured error with the two lines, left
# and right of it. Then $\varepsilon = 1$: where does the best $S$ go?

# %%
fig, ax = figure(height=3.8)
axis_S = np.array(SPARSITIES)
(given_line,) = ax.plot(axis_S, axis_S, color=COLOURS.third, linestyle="--", label="1 given up")
(noise_line,) = ax.plot(axis_S, axis_S, color=COLOURS.other, linestyle=":", label="2 noise on the right coefficients")
(measured_line,) = ax.plot(axis_S, axis_S, "o-", color=COLOURS.noisy, label="measured, one release each")
(laplace_line,) = ax.plot([0.9, 60], [1, 1], color=COLOURS.grey, label="Laplace on every bin")
ax.set(
    xscale="log",
    yscale="log",
    xlim=(0.9, 60),
    ylim=(10, 1e6),
    xlabel="S, coefficients",
    ylabel="error, Euclidean length",
)
ax.set_xticks(SPARSITIES, [str(S) for S in SPARSITIES], minor=False)
ax.minorticks_off()
ax.legend(loc="upper right", ncols=2)


def parts(dataset, epsilon, seed):
    counts, padded, basis = prepared(dataset, SUITED[dataset])
    measured, noise = [], []
    for S in SPARSITIES:
        operator, samples = sampled(dataset, SUITED[dataset], S)
        k = samples.size
        noisy = laplace_mechanism(samples, math.sqrt(k), epsilon, np.random.default_rng(seed))
        estimate = reconstruct(noisy, operator, basis, S, generalised_omp, noise_length(k, epsilon))
        measured.append(np.linalg.norm(estimate[: counts.size] - counts))
        noise.append(math.sqrt(2 * S * k) / epsilon)
    given_line.set_ydata(np.maximum(expected_error(padded, basis, SPARSITIES, 1e12)[0], 1e-3))
    noise_line.set_ydata(noise)
    measured_line.set_ydata(measured)
    plain = math.sqrt(2 * counts.size) / epsilon
    laplace_line.set_ydata([plain, plain])
    best = int(np.argmin(measured))
    return f"least error {measured[best]:,.0f} at S = {SPARSITIES[best]}; Laplace {plain:,.0f}"


parts_figure = live(
    fig,
    parts,
    "Error against S on log axes: a falling line for what is given up, a rising line for the noise, the measured error "
    "above both with a minimum between, and a level line for Laplace noise on every bin.",
    dataset=choice(list(DATASETS), "net trace"),
    epsilon=log_slider(0.001, 10, 0.1),
    seed=new_noise(1),
)
parts_figure

# %% [markdown]
# ### Where $S k < n$ ends
#
# Signals that have exactly $S$ coefficients, all large, so that nothing is given up and all are found: the best case.
# $n = 65{,}536$, $\varepsilon = 1$, length of the data 100,000.

# %%
basis = haar_basis(65_536)
rows = {}
for S in (10, 50, 100):
    signal = sparse_signal(basis, S, True, np.random.default_rng(S))
    signal *= 1e5 / np.linalg.norm(signal)
    k = measurements(S, n, 1.5)
    runs = [compressive_mechanism(signal, basis, S, 1.0, np.random.default_rng(seed)) for seed in range(4)]
    error = np.sqrt(np.mean([np.sum((run - signal) ** 2) for run in runs]))
    rows[S] = [k, S * k / n, error / 1e5, math.sqrt(2 * S * k) / 1e5, math.sqrt(2 * n) / 1e5]
names = ["k", "S k / n", "relative error, measured", "by the formula", "Laplace"]
for constant in (1, 2, 4):
    largest = max(S for S in range(1, 100) if constant * S * math.log2(n / S) < math.sqrt(n))
    print(f"C = {constant}: k < sqrt n = {math.sqrt(n):.0f} only up to S = {largest}")
pd.DataFrame.from_dict(rows, orient="index", columns=names).rename_axis("S").round(4)

# %% [markdown]
# $S = 10$ wins clearly, $S = 50$ just about, $S = 100$ loses. The source promises less noise for every sparse
# histogram, from $O(\sqrt n)$ down to $O(\log n)$; that holds for a fixed $S$ and an $n$ that grows without end. Its
# own bound on the noise, $\|e\|_2 \approx \sqrt 2\, k/\varepsilon$, beats $\sqrt{2n}/\varepsilon$ only if
# $k < \sqrt n$, which is stricter still: the lines above the table say how few coefficients that leaves.
#
# ### Error against $\varepsilon$
#
# The source (section 7.1.2) finds that the advantage grows as $\varepsilon$ becomes smaller. Both noises have
# $1/\varepsilon$ in them, so for exactly sparse data the ratio cannot depend on $\varepsilon$:

# %%
S = 10
signal = sparse_signal(basis, S, True, np.random.default_rng(S)) * 1e9
for epsilon in (1, 0.1, 0.01, 0.001):
    estimate = compressive_mechanism(signal, basis, S, epsilon, np.random.default_rng(5))
    flat = laplace_mechanism(signal, 1, epsilon, np.random.default_rng(6))
    ratio = np.linalg.norm(flat - signal) / np.linalg.norm(estimate - signal)
    print(f"epsilon {epsilon:<5}: Laplace has {ratio:.2f} times the error")

# %% [markdown]
# What looks like a growing advantage is part 1: the coefficients given up, which do not shrink with $1/\varepsilon$,
# matter less and less beside the noise. Here is the comparison of the source's Figure 4, on the stand-ins. $S$ is
# chosen by the exponential mechanism, with a tenth of $\varepsilon$; the rest goes to the mechanism.

# %%
epsilons = np.logspace(-3, 0.5, 8)
pairs = [("net trace", "Haar"), ("search logs", "Haar"), ("social network", "Haar"), ("TCP trace", "cosine")]
fig, axes = figure(columns=2, rows=2, height=6.0, sharex=True, sharey=True)
rng = np.random.default_rng(7)
summary = {}
for ax, (dataset, basis_name) in zip(axes.flat, pairs, strict=True):
    counts, padded, basis = prepared(dataset, basis_name)
    errors = {name: [] for name in ("compressive", "Laplace", "H$_2$", "Laplace, denoised")}
    for epsilon in epsilons:
        S = choose_sparsity(padded, basis, 0.1 * epsilon, rng, prediction=expected_error)
        flat = laplace_mechanism(padded, 1, 0.9 * epsilon, rng)
        for name, release in (
            ("compressive", compressive_mechanism(padded, basis, S, 0.9 * epsilon, rng)),
            ("Laplace", laplace_mechanism(padded, 1, epsilon, rng)),
            ("H$_2$", hierarchical_histogram(counts, 2, epsilon, rng)),
            ("Laplace, denoised", keep_largest(flat, basis, S)),
        ):
            errors[name].append(np.linalg.norm(release[: counts.size] - counts))
    summary[dataset] = errors
    looks = zip(errors, "oxs^", (COLOURS.noisy, COLOURS.grey, COLOURS.fourth, COLOURS.third), strict=True)
    for name, mark, colour in looks:
        ax.plot(epsilons, errors[name], marker=mark, color=colour, label=name)
    ax.axhline(np.linalg.norm(counts), color=COLOURS.true, linestyle=":", label="printing zeros")
    ax.set(title=f"{dataset}, {basis_name}", xscale="log", yscale="log", ylim=(30, 1e7))
for ax in axes[1]:
    ax.set_xlabel("epsilon, in all")
for ax in axes[:, 0]:
    ax.set_ylabel("error, Euclidean length")
axes[0, 0].legend(loc="upper right", fontsize=8)
show(
    fig,
    "Error against epsilon for four stand-ins on log axes: H2 highest, Laplace below it, the compressive mechanism "
    "below Laplace for small epsilon only, the denoised Laplace histogram below it, a dotted level for printing zeros.",
)
for dataset, errors in summary.items():
    below = [np.array(errors["compressive"]) < errors[rival] for rival in ("Laplace", "Laplace, denoised")]
    print(f"{dataset:<15} compressive beats Laplace at {below[0].sum()} of 8 epsilons, denoised at {below[1].sum()}")

# %% [markdown]
# ## A simpler rival
#
# The green line. If the data are sparse in a public basis, then *every* private release can use that. Take the plain
# Laplace histogram, transform it, keep the $S$ largest coefficients, transform back: `keep_largest`. That is
# post-processing, and costs no privacy.
#
# Why does it do better? The basis is orthonormal, so Laplace noise of variance $2/\varepsilon^2$ on each bin becomes
# noise of variance $2/\varepsilon^2$ on each *coefficient*. Through $k$ samples it is $2k/\varepsilon^2$: the factor
# $k$ comes from the sensitivity $\sqrt k$. Fewer numbers to protect, but each bin is in all of them.
#
# (Where the green line lies above the grey one, at large $\varepsilon$, the coefficients given up cost more than the
# noise that goes with them. Then keep them all: plain Laplace.)

# %%
S, epsilon = 10, 1.0
basis = haar_basis(65_536)
signal = sparse_signal(basis, S, True, np.random.default_rng(8)) * 1e5
k = measurements(S, n, 1.5)
through, denoised = [], []
for seed in range(5):
    rng = np.random.default_rng(seed)
    through.append(np.linalg.norm(compressive_mechanism(signal, basis, S, epsilon, rng) - signal))
    denoised.append(np.linalg.norm(keep_largest(laplace_mechanism(signal, 1, epsilon, rng), basis, S) - signal))
print(f"n = {n:,}, S = {S}, k = {k}, epsilon {epsilon}, S large coefficients:")
print(
    f"through {k} samples {np.mean(through):.1f}; Laplace, denoised {np.mean(denoised):.1f}; "
    f"ratio {np.mean(through) / np.mean(denoised):.1f}, sqrt k = {math.sqrt(k):.1f}"
)

# %% [markdown]
# So where does compressing help? Where the $k$ samples are what you *want*: a sensor, a link or a store with room for
# $k$ numbers and not for $n$, or a stream whose samples can be kept up to date, one column at a time. For a histogram
# that fits in memory, denoise the Laplace histogram.
#
# ## Choosing $S$ in private
#
# The best $S$ depends on the data, so choosing it costs budget. Predict the error for each candidate, and let the
# exponential mechanism prefer small predictions. (Chapter 04 gives weight $e^{+\varepsilon q/2\Delta}$ to a *quality*
# $q$; the source writes $e^{-\varepsilon u/2\Delta}$ with an *error* $u$. Same thing, $q = -u$.) The source predicts,
# in its equation (1),
#
# $$u(D, S) = \frac{\|x - x_S\|_1}{\sqrt S} + \frac{C_4\, S \log_2(n/S)}{\varepsilon} .$$

# %%
show_source(error_bound)

# %% [markdown]
# **Sensitivity.** One unit in one bin changes $\|x - x_S\|_1$ by at most the *spread* of the basis, the largest L1
# change of the coefficients, $\|\Psi^{\mathsf T}\|_{1\to1}$. So $u$ moves by at most spread$/\sqrt S$. The
# exponential mechanism needs **one** number that holds for all candidates: the largest, at $S = 1$.

# %%
show_source(choose_sparsity)
_, padded, basis = prepared("net trace", "Haar")
drawn = [choose_sparsity(padded, basis, 0.1, np.random.default_rng(seed)) for seed in range(200)]
print(f"net trace, Haar, epsilon 0.1 for the choice and 0.9 to follow; spread {basis.spread:.3f}")
print(f"200 choices from {int(n / math.e):,} candidates: {min(drawn)} to {max(drawn)}, middle {np.median(drawn):.0f}")

# %% [markdown]
# For the cosine basis the spread is not a constant (see below), and the choice becomes a lottery. There is a way out
# that the source did not take. Predict with Euclidean lengths:
#
# $$u'(D, S) = \|x - x_S\|_2 + \sqrt{2Sk}/\varepsilon .$$
#
# One unit in one bin moves $x$ by a Euclidean length of one, in *every* orthonormal basis, so this prediction has
# sensitivity one. It is closer to the true error, too. It is called `expected_error`;
# `choose_sparsity(..., prediction=expected_error)` uses it.
#
# **Try first:** the TCP trace in the cosine basis. Compare the two predictions: where does the curve on the right
# climb? Then the net trace in the Haar basis, where both work.

# %%
PREDICTIONS = {"equation (1)": error_bound, "Euclidean": expected_error}
fig, (left, right) = figure(columns=2)
(prediction_line,) = left.plot([1], [1], color=COLOURS.true, label="predicted")
(actual_line,) = left.plot([1], [1], "o", color=COLOURS.noisy, label="measured")
left.set(xscale="log", yscale="log", xlim=(0.8, 3e4), ylim=(10, 1e8), xlabel="S", ylabel="error, Euclidean length")
left.legend(loc="upper left")
(law_line,) = right.plot([1], [0], color=COLOURS.noisy)
(least_line,) = right.plot([1, 1], [0, 1], color=COLOURS.true, linestyle="--", label="least predicted error")
right.set(xscale="log", xlim=(0.8, 3e4), ylim=(0, 1.25), xlabel="s", ylabel="probability of choosing S up to s")
right.legend(loc="upper left")


@functools.lru_cache(maxsize=4)
def measured_errors(dataset, epsilon):
    counts, padded, basis = prepared(dataset, SUITED[dataset])
    runs = [compressive_mechanism(padded, basis, S, epsilon, np.random.default_rng(S)) for S in SPARSITIES]
    return [np.linalg.norm(run[: counts.size] - counts) for run in runs]


def choosing(dataset, prediction, epsilon):
    basis = SUITED[dataset]
    mechanism_epsilon, choice_epsilon = 0.9 * epsilon, 0.1 * epsilon
    rule = PREDICTIONS[prediction]
    candidates, errors, cumulative = choice_law(dataset, basis, rule, mechanism_epsilon, choice_epsilon)
    prediction_line.set_data(candidates, errors)
    actual_line.set_data(SPARSITIES, measured_errors(dataset, mechanism_epsilon))
    law_line.set_data(candidates, cumulative)
    least = candidates[errors.argmin()]
    least_line.set_xdata([least, least])
    low, middle, high = (quantile(candidates, cumulative, share) for share in (0.05, 0.5, 0.95))
    sensitivity = predicted(dataset, basis, rule)[3]
    return (
        f"sensitivity {sensitivity:.1f}; least predicted error at S = {least}; chosen: S = {middle} in the middle, "
        f"{low} to {high} in nine of ten draws"
    )


choosing_figure = live(
    fig,
    choosing,
    "Left: predicted error against S, a valley on log axes, with measured errors as dots. Right: the cumulative "
    "probability of the chosen S, with a dashed line at the S of least predicted error.",
    dataset=choice(list(DATASETS), "TCP trace"),
    prediction=choice(list(PREDICTIONS), "equation (1)"),
    epsilon=log_slider(0.01, 10, 1.0, label="epsilon, in all"),
)
choosing_figure

# %%
for prediction in PREDICTIONS:
    choosing_figure.controls["prediction"].value = prediction
    print(f"TCP trace, cosine, {prediction}:\n    {choosing_figure.caption}")
choosing_figure.controls["prediction"].value = "equation (1)"

# %% [markdown]
# ## Where it breaks
#
# ### The winner that takes no samples
#
# The source lets $S$ run from 1 to $n$. But $S \log_2(n/S)$ rises only up to $S = n/e$ and falls again beyond. At $S
# = n$ nothing is given up, no sample is taken ($k = 0$), and the predicted error is 0 for every dataset: the best of
# all, and useless. `measurements` and `choose_sparsity` stop at $n/e$.

# %%
visits, padded, basis = prepared("doctor visits (real)", "Haar")
everything = np.arange(1, basis.n + 1)
errors, sensitivities = error_bound(padded, basis, everything, 0.9)
law = selection_probabilities(-errors, sensitivities.max(), 0.1)
print(f"n = {basis.n}: predicted error {errors[-1]:.0f} at S = n, at least {errors[:-1].min():.0f} elsewhere")
starved = everything * np.log2(basis.n / everything) < everything / 10  # fewer than one sample for ten coefficients
print(f"probability of an S with S log2(n/S) < S / 10: {law[starved].sum():.3f}")
try:
    measurements(basis.n, basis.n, 1.5)
except ValueError as error:
    print(f"ValueError: {error}")

# %% [markdown]
# ### A constant that is not constant
#
# The source calls the sensitivity $C_5/\sqrt S$ with "a constant" $C_5$. It is the spread of the basis. For Haar it is
# below $1 + \sqrt 2 = 2.414$ for every $n$. For cosines it is about $0.9003 \sqrt n$:

# %%
for size in (64, 1024, 16_384, 65_536):
    cosine = cosine_basis(size).spread
    ratio = cosine / math.sqrt(size)
    print(f"n = {size:>6,}: Haar {haar_basis(size).spread:.3f}, cosine {cosine:>6.2f} = {ratio:.4f} sqrt n")

# %% [markdown]
# What if one takes $C_5 = 1$? Two neighbours: nobody at all, and one person in bin 0. We compute the law of the chosen
# $S$ on both, exactly as printed (all $S$ up to $n$, an exponent for each candidate, $C_2 = C_4 = 1$), and compare. The
# figure also takes a second pair, a thousand people in each bin and one more in bin 0, and shows the larger loss.
#
# **Try first:** move $n$ up. Which bars grow, and how fast?


# %%
def printed_choice(counts, basis, epsilon, c5):
    """BROKEN unless c5 is the spread: section 5.3 as printed. The log of the probability of each S from 1 to n."""
    everything = np.arange(1, basis.n + 1)
    noise_weight = 1 / math.sqrt(2)  # makes the factor C4 of the noise 1
    errors, _ = error_bound(counts, basis, everything, epsilon, constant=noise_weight)
    return log_selection_probabilities(-errors * np.sqrt(everything), c5, epsilon)


def printed_loss(basis, epsilon, c5, everywhere=0):
    """Exact loss between `everywhere` people in each bin and one more in bin 0."""
    here = np.full(basis.n, float(everywhere))
    there = here + np.eye(1, basis.n)[0]
    return np.abs(printed_choice(here, basis, epsilon, c5) - printed_choice(there, basis, epsilon, c5)).max()


cosine = cosine_basis(1024)
print(f"cosine basis, n = 1,024, epsilon 1: loss {printed_loss(cosine, 1.0, 1.0):.2f} with C5 = 1,", end=" ")
print(f"{printed_loss(cosine, 1.0, cosine.spread):.2f} with C5 = the spread")
ROWS = ["Haar, C5 = 1", "Haar, C5 = spread", "cosine, C5 = 1", "cosine, C5 = spread"]
fig, ax = figure(height=3.0)
pieces = meter(ax, ROWS, most=60, unit="privacy loss of the choice of S, the larger of two pairs")


def constants(n, epsilon):
    settings = [(basis, c5) for basis in (haar_basis(n), cosine_basis(n)) for c5 in (1.0, basis.spread)]
    losses = [max(printed_loss(basis, epsilon, c5, people) for people in (0, 1000)) for basis, c5 in settings]
    set_meter(pieces, losses, epsilon)
    return (
        f"n = {n:,}: promised {epsilon:.2f}; with C5 = 1 Haar loses {losses[0]:.2f}, the cosine basis {losses[2]:.2f}"
    )


constants_figure = live(
    fig,
    constants,
    "Four bars of privacy loss against the promise: with the constant 1 both bases break it, the cosine basis by far "
    "and more as n grows; with the spread as constant both keep it.",
    n=choice([2**power for power in range(5, 15)], 1024),
    epsilon=log_slider(0.1, 3, 1.0),
)
constants_figure

# %% [markdown]
# ### An exponent for each candidate
#
# The printed exponent divides $u(S)$ by the sensitivity *of that candidate*, $C_5/\sqrt S$. With the right $C_5$ this
# is private: it is the exponential mechanism for the score $u(S)\sqrt S$, whose sensitivity is $C_5$. But it looks
# for the least $u(S)\sqrt S$, and that is another $S$:

# %%
basis, candidates = haar_basis(1024), 2 ** np.arange(9)
falling = basis.inverse(5000 * np.arange(1.0, 1025) ** (-1 / 0.6))
errors, sensitivities = error_bound(falling, basis, candidates, 1.0, constant=1 / math.sqrt(2))
best, preferred = errors.argmin(), (errors / sensitivities).argmin()
print(f"least error: S = {candidates[best]}, u = {errors[best]:.0f}")
print(
    f"most probable as printed: S = {candidates[preferred]}, u = {errors[preferred]:.0f}, "
    f"{errors[preferred] / errors[best] - 1:.0%} more"
)
law, printed = (selection_probabilities(-q, s, 1.0) for q, s in ((errors, basis.spread), (errors / sensitivities, 1.0)))
print(f"predicted error on average: {law @ errors:.0f} with one sensitivity, {printed @ errors:.0f} as printed")

# %% [markdown]
# ### A factor of 2 that should be 5
#
# To bound the noise, appendix B uses Chebyshev's inequality on $Y = \sum_i e_i^2$, with the right variance
# $20\,k\lambda^4$ ($\lambda$ is the scale). That gives $Y \le 2\lambda^2 (k + \sqrt{5k/\delta})$ with probability
# $1 - \delta$; printed is $\sqrt{2k/\delta}$. What the printed line proves, and what is true in practice:

# %%
k, delta = 777, 0.05
squares = (np.random.default_rng(10).laplace(size=(4000, k)) ** 2).sum(axis=1)
print(f"variance of Y: {squares.var() / k:.1f} k measured, 20 k by the formula")
for factor in (2, 5):
    bound = 2 * (k + math.sqrt(factor * k / delta))
    proved = 20 * k / (bound - 2 * k) ** 2
    seen = np.mean(squares > bound)
    print(f"sqrt({factor}k/delta): proves a failure probability of at most {proved:.3f}; seen {seen:.3f}")

# %% [markdown]
# Harmless: the bound is loose anyway. It matters for one choice: $\theta$, the length of noise at which the
# reconstruction stops, must be a public number such as `noise_length` and never the length of the noise that was
# drawn, as a loose reading of Lemma 1 would have it: that length depends on the secret noise.
#
# ### One record, $k$ counters
#
# Section 6 of the source runs the mechanism on a stream (chapter 17 will): each of the $k$ samples is kept by a
# private counter, and "each is $\varepsilon$-private" is taken to mean that all together are. But one record moves
# *all* $k$ rows. A counter over $T$ steps releases sums with noise, and one record is in $1 + \log_2 T$ of them:

# %%
k, steps_T, epsilon = 100, 1024, 0.5
levels = 1 + math.log2(steps_T)
row_move = 1 / math.sqrt(k)
printed_scale = row_move * levels / epsilon  # makes ONE row epsilon-private
print(f"one row:  loss {levels * row_move / printed_scale:.2f}")
print(f"all rows: loss {k * levels * row_move / printed_scale:.2f}, which is k = {k} times the promise of {epsilon}")
print(f"the scale must be {k} times as large: {printed_scale:.2f} -> {math.sqrt(k) * levels / epsilon:.0f}")

# %% [markdown]
# ### What the promise is about
#
# One unit in one bin. In the social network a friendship is a unit in *two* bins, so a friendship is protected at
# $2\varepsilon$, and a person with $f$ friends at up to $2f\varepsilon$. In the doctor visits a record is one person
# in one year; a person has up to five.

# %%
records = np.bincount(data.health_insurance_person()).max()
friends = data.social_network().values.max()
print(f"doctor visits: a person is protected at {records} epsilon")
print(f"social network: a friendship at 2 epsilon, the busiest person at up to {2 * friends} epsilon")

# %% [markdown]
# ## On your own
#
# 1. *Warm-up.* In the first live figure find, for the search logs, the least $S$ with a relative error below 0.1, in
#    both bases.
# 2. In the big live figure, take the doctor visits (real, 366 bins). Is there any $\varepsilon$ and $S$ at which the
#    mechanism beats both Laplace and printing zeros in most releases? Explain with parts 1 and 2
#    of the error.
# 3. At $\varepsilon = 0.01$ and $S = 50$ the search logs have an error *equal* to that of printing zeros. Look at the
#    released line. What did the reconstruction decide, and why is that a sensible decision?
# 4. Replace `error_bound` by `expected_error` in `whole_mechanism` (change `choice_law(...)`). For which datasets does
#    the band move, and does your $S$ do better?
# 5. Add `"Haar noise": haar_histogram(padded, 0.1, rng)` of chapter 08 to the comparison over ranges. How does it fare
#    on bins and on ranges?
# 6. *Challenge.* Keeping the $S$ largest coefficients of the noisy histogram needs an $S$. Find a rule that needs none:
#    keep the coefficients above a *public* threshold that depends on $n$ and $\varepsilon$ only. Test it against
#    `keep_largest` with the best $S$.
#
# A start for exercise 6, with the threshold to be found by you:

# %%
counts, padded, basis = prepared("net trace", "Haar")
coefficients = basis.forward(laplace_mechanism(padded, 1, 0.1, np.random.default_rng(11)))
threshold = 3 * math.sqrt(2) / 0.1  # three standard deviations: too low, too high?
kept = np.where(np.abs(coefficients) > threshold, coefficients, 0)
print(f"kept {np.count_nonzero(kept):,} coefficients, error {np.linalg.norm(basis.inverse(kept) - padded):,.0f}")

# %% [markdown]
# ## When to use it
#
# **Use it** when only $k$ numbers can be stored or sent, the data are very sparse in a basis that is publicly known to
# fit, and $S k$ is well below $n$.
#
# **Do not** use it for a histogram that fits in memory (denoise the Laplace histogram in the same basis), for range
# queries (a tree, chapter 08), or for data that no public basis makes sparse (nothing here helps).
#
# **Check** that the estimate beats printing zeros; that the constant $C$ recovers signals of your size without noise;
# that $S$ was chosen with budget or without the data.
#
# The same in numbers, for the net trace at $\varepsilon = 0.1$:

# %%
counts, padded, basis = prepared("net trace", "Haar")
rng = np.random.default_rng(12)
releases = {
    "printing zeros": 0 * padded,
    "H2": hierarchical_histogram(padded, 2, 0.1, rng),
    "Laplace on every bin": laplace_mechanism(padded, 1, 0.1, rng),
    "compressive, S = 20": compressive_mechanism(padded, basis, 20, 0.1, rng),
    "Laplace, denoised, S = 20": keep_largest(laplace_mechanism(padded, 1, 0.1, rng), basis, 20),
}
for name, release in releases.items():
    print(f"{name:<26} error {np.linalg.norm(release - padded):>8,.0f}")

# %% [markdown]
# ## Sources and further reading
#
# - **000** Yang D. Li, Zhenjie Zhang, Marianne Winslett, Yin Yang: *Compressive Mechanism: Utilizing Sparse
#   Representation in Differential Privacy*, 2011. Sections 3.2 (sampling, Lemma 1), 5 (Algorithm 1, equation (1)), 7
#   (Figures 3, 4, 6), appendices A, B, D. Corrected on this page: the candidates of section 5.3, its constant $C_5$,
#   its exponent, the constant of appendix B, the budget of appendix C.
# - Deanna Needell, Joel Tropp: *CoSaMP: Iterative Signal Recovery from Incomplete and Inaccurate Samples*, 2009.
# - Emmanuel Candès, Justin Romberg, Terence Tao: *Stable Signal Recovery from Incomplete and Inaccurate Measurements*,
#   2006: basis pursuit with noise.
# - Antonin Chambolle, Thomas Pock: *A First-Order Primal-Dual Algorithm for Convex Problems with Applications to
#   Imaging*, 2011: how `basis_pursuit` is solved.
# - Michael Hay, Vibhor Rastogi, Gerome Miklau, Dan Suciu: *Boosting the Accuracy of Differentially Private Histograms
#   Through Consistency*, 2010: H$_2$ with inference.
#
# `dpbook` is for learning, not for real releases ([00](00_start_here.ipynb) says why).
#
# **Previous:** [14 The sparse vector technique](14_svt.ipynb) · **Next:** [17 Continual counting](17_continual.ipynb)
