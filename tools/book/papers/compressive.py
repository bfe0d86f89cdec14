"""000, compressive mechanism: Figures 3 to 6, Tables 1 and 2, on stand-ins of the size and the length of its data."""

import functools
import math

import numpy as np

from dpbook import data
from dpbook.compressive import choose_sparsity, compressive_mechanism, error_bound, expected_error
from dpbook.continual import binary_counter, compressive_counter
from dpbook.histograms import hierarchical_histogram
from dpbook.laplace import laplace_mechanism
from dpbook.sparse import cosine_basis, haar_basis, keep_largest, measurements, pad_to_power_of_two
from tools.book.papers import Experiment
from tools.book.papers.sweep import grid

TRACES = {"social network": data.social_network, "search logs": data.search_logs, "net trace": data.net_trace}


@functools.lru_cache(maxsize=4)
def prepared(dataset):
    """The counts, the same padded, and the basis that the source takes for them."""
    if dataset == "TCP trace":
        padded = pad_to_power_of_two(data.tcp_trace().values)
        return data.tcp_trace().values, padded, cosine_basis(padded.size)
    counts = TRACES[dataset]().values
    padded = pad_to_power_of_two(counts)
    return counts, padded, haar_basis(padded.size)


def length_of_error(release, counts):
    return float(np.linalg.norm(np.asarray(release)[: counts.size] - counts))


def error_by_sparsity(dataset, S, rng):
    """Figure 3 (a-c): the error at 0.9, what the choice of S leaves of epsilon 1."""
    counts, padded, basis = prepared(dataset)
    return {"error": length_of_error(compressive_mechanism(padded, basis, S, 0.9, rng), counts)}


@functools.lru_cache(maxsize=3)
def least_predicted(dataset):
    """The predicted errors of all candidates at 0.9, S from 1 to n/e."""
    _, padded, basis = prepared(dataset)
    return error_bound(padded, basis, np.arange(1, int(basis.n / math.e) + 1), 0.9)[0]


def chosen_sparsity(dataset, rng):
    """Figure 3 (d-f): one choice at 0.1, and how far its predicted error is above the least one."""
    _, padded, basis = prepared(dataset)
    S, errors = choose_sparsity(padded, basis, 0.1, rng, mechanism_epsilon=0.9), least_predicted(dataset)
    return {"S": S, "above_least": errors[S - 1] / errors.min()}


def compared(dataset, epsilon, rng):
    """Figures 4 and 6: a release of each mechanism; S chosen with a tenth of epsilon, as the source does."""
    counts, padded, basis = prepared(dataset)
    rule = expected_error if dataset == "TCP trace" else error_bound  # the source's own is a lottery for cosines
    S = choose_sparsity(padded, basis, 0.1 * epsilon, rng, mechanism_epsilon=0.9 * epsilon, prediction=rule)
    flat, part = laplace_mechanism(padded, 1, epsilon, rng), laplace_mechanism(padded, 1, 0.9 * epsilon, rng)
    releases = {
        "compressive": compressive_mechanism(padded, basis, S, 0.9 * epsilon, rng),
        "Laplace": flat,
        "HRMS": hierarchical_histogram(counts, 2, epsilon, rng),
        "denoised": keep_largest(part, basis, S),
        "zeros": 0 * counts,
    }
    return {name: length_of_error(release, counts) for name, release in releases.items()}


PARTS = (8, 16, 24, 32)  # times, 32nds of the stream


def over_time(dataset, rng):
    """Figure 5: the error of the stream so far at four times, epsilon 1, S = 20; the printed scale loses k epsilon."""
    stream = TRACES[dataset]().values.astype(float)
    times = [stream.size * part // 32 for part in PARTS]
    k = measurements(20, 2 ** math.ceil(math.log2(stream.size)), 1.5)
    counters = {"right": 1.0, "printed": float(k)}
    told = {name: compressive_counter(stream, times, 20, epsilon, rng) for name, epsilon in counters.items()}
    differences = np.diff(binary_counter(stream, 1.0, rng), prepend=0)
    noisy = laplace_mechanism(stream, 1, 1.0, rng)
    found = {}
    for place, (part, time) in enumerate(zip(PARTS, times, strict=True)):
        releases = {name: estimates[place] for name, estimates in told.items()}
        releases |= {"differencing": differences[:time], "noise_on_items": noisy[:time], "zeros": 0 * stream[:time]}
        found |= {f"{name}_{part}": length_of_error(one, stream[:time]) for name, one in releases.items()}
    return found


def five_coefficients(power, size, rng):
    """A Haar basis of 2^power bins, and what five of its coefficients, of this size and either sign, make in them."""
    basis = haar_basis(2**power)
    weights = np.zeros(basis.n)
    weights[rng.choice(basis.n, 5, replace=False)] = size * rng.choice([-1, 1], 5)
    return basis, basis.inverse(weights)


def growth(power, rng):
    """Table 1: five large Haar coefficients in 2^power bins, epsilon 1."""
    basis, bins = five_coefficients(power, 1e6, rng)
    flat = laplace_mechanism(bins, 1, 1.0, rng)
    releases = {"compressive": compressive_mechanism(bins, basis, 5, 1.0, rng), "Laplace": flat}
    releases["denoised"] = keep_largest(flat, basis, 5)
    return {name: length_of_error(one, bins) for name, one in releases.items()}


def growth_over_time(power, rng):
    """Table 2: a stream of 2^power items with five large Haar coefficients, at its end, epsilon 1."""
    basis, stream = five_coefficients(power, 1e9, rng)
    counters = {"right": 1.0, "printed": float(measurements(5, basis.n, 1.5))}
    found = {name: compressive_counter(stream, [stream.size], 5, each, rng)[0] for name, each in counters.items()}
    found["differencing"] = stream + np.diff(binary_counter(np.zeros(stream.size), 1.0, rng), prepend=0)
    return {name: length_of_error(one, stream) for name, one in found.items()}


EXPERIMENTS = [
    Experiment("000_figure_3_errors", error_by_sparsity, grid(dataset=list(TRACES), S=[1, 2, 5, 10, 20, 40, 80])),
    Experiment("000_figure_3_choices", chosen_sparsity, grid(dataset=list(TRACES)), draws=1000, chunk=50),
    Experiment("000_figure_4", compared, grid(dataset=list(TRACES), epsilon=[0.001, 0.01, 0.1, 1.0])),
    Experiment("000_figure_5", over_time, grid(dataset=list(TRACES)), chunk=5),
    Experiment("000_figure_6", compared, grid(dataset=["TCP trace"], epsilon=[0.01, 0.1, 1.0, 10.0])),
    Experiment("000_table_1", growth, grid(power=[8, 10, 12, 14, 16])),
    Experiment("000_table_2", growth_over_time, grid(power=[8, 10, 12, 14])),
]
