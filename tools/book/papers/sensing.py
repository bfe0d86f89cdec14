"""001, CSM on tables: Figures 2 to 6. Its datasets cannot be had; three real tables and one made one stand in."""

import functools
import math
from dataclasses import replace

import numpy as np

from dpbook import data
from dpbook.data.attributes import health_attributes
from dpbook.histograms import haar_histogram, hierarchical_histogram
from dpbook.laplace import laplace_mechanism
from dpbook.partitions import fourier_histogram
from dpbook.sensing import answer_ranges, dictionary, range_queries, rebuild, sensing_sensitivity, spike_basis
from dpbook.sparse import haar_basis, hadamard_operator
from tools.book.papers import Experiment
from tools.book.papers.sweep import grid

SUITED = {"visits": "spikes", "payments": "both", "marriages": "both", "network": "Haar"}


def crosstab(row, column, rows):
    """Counts of records: `row` and `column` are whole numbers, one a record."""
    columns = column.max() + 1
    return np.bincount(row * columns + column, minlength=rows * columns).reshape(rows, columns).astype(float)


def codes(column):
    return np.unique(column.values, return_inverse=True)[1]


@functools.cache
def table(name):
    """The four tables of chapter 18: cells of a domain by groups of records."""
    rand, fair = data.health_insurance(), data.affairs()
    plan = codes(rand["lncoins"])
    if name == "visits":
        return crosstab(rand["mdvis"].values, plan, 512)
    if name == "payments":
        return crosstab(np.minimum((rand["lpi"].values / rand["lpi"].bounds[1] * 256).astype(int), 255), plan, 256)
    if name == "marriages":
        domain = (codes(fair["yrs_married"]) * 6 + codes(fair["age"])) * 6 + codes(fair["children"])
        return crosstab(domain, codes(fair["religious"]), 256)
    return data.net_trace().values.reshape(4, 256, 64).sum(axis=2).T.astype(float)


@functools.cache
def atoms(name):
    rows = len(table(name))
    bases = {"Haar": [haar_basis(rows)], "spikes": [spike_basis(rows)], "both": [haar_basis(rows), spike_basis(rows)]}
    return dictionary(*bases[SUITED[name]])


def csm(name, ratio, epsilon, rng, S=30):
    """A whole table by CSM, with a curator: the same matrix for all columns, drawn anew for each release."""
    truth = table(name)
    operator = hadamard_operator(round(ratio * len(truth)), len(truth), rng)
    sensitivity = sensing_sensitivity(operator)
    measured = np.column_stack([operator @ column for column in truth.T])
    noisy = laplace_mechanism(measured, sensitivity, epsilon, rng)
    return rebuild(noisy, operator, atoms(name), S, sensitivity / epsilon)


def releases(name, epsilon, rng, ratio=0.4):
    """CSM and its rivals: the same epsilon, the same neighbours."""
    truth = table(name)

    def by_column(mechanism):
        return np.column_stack([mechanism(column) for column in truth.T])

    return {
        "CSM": csm(name, ratio, epsilon, rng),
        "Laplace": laplace_mechanism(truth, 1, epsilon, rng),
        "Privelet": by_column(lambda column: haar_histogram(column, epsilon, rng)),
        "hierarchical": by_column(lambda column: hierarchical_histogram(column, 16, epsilon, rng)),
        "Fourier": by_column(lambda column: fourier_histogram(column, 16, epsilon, rng)),
        "zeros": 0 * truth,
    }


def range_errors(estimate, truth, rng):
    return answer_ranges(estimate - truth, range_queries(10_000, truth.shape, rng))


def by_ratio(dataset, ratio, epsilon, rng):
    """Figure 2: the mean squared error of 10,000 ranges."""
    estimate = csm(dataset, ratio, epsilon, rng)
    return {"CSM": float(np.mean(range_errors(estimate, table(dataset), rng) ** 2))}


def by_domain(attributes, rng):
    """Figure 3 in the source's own model: a column for each of 20,190 records, epsilon 0.1, s 0.3 of the attributes."""
    records = health_attributes()[1][:, :attributes]
    rows, cells = max(1, round(0.3 * attributes)), 2**attributes
    matrix = rng.choice([-1, 1], (rows, attributes)) / math.sqrt(rows)
    ways = np.array(np.meshgrid(*attributes * [[-1, 1]])).reshape(attributes, -1)  # each answer moves by up to 1
    sensitivity = np.abs(matrix @ ways).sum(axis=0).max()
    noisy = laplace_mechanism(matrix @ records.T, sensitivity, 0.1, rng)
    rebuilt = np.clip(np.rint(np.linalg.pinv(matrix) @ noisy), 0, 1).astype(int)
    powers = 2 ** np.arange(attributes)[::-1]
    truth, told = (np.bincount(powers @ some, minlength=cells) for some in (records.T, rebuilt))
    flat = laplace_mechanism(truth, 1, 0.1, rng)
    ends = np.sort(rng.integers(0, cells + 1, (2, 10_000)), axis=0)
    answers = {"CSM": told, "Laplace": flat, "even": np.full(cells, len(records) / cells)}

    def squared(estimate):
        sums = np.append(0, np.cumsum(estimate - truth))
        return float(np.mean((sums[ends[1]] - sums[ends[0]]) ** 2))

    return {name: squared(estimate) for name, estimate in answers.items()}


def usefulness(dataset, rng):
    """Figure 4: the share of answers off by mu or more, epsilon 1, ratio 0.4; mu a hundredth of the records."""
    truth, made = table(dataset), releases(dataset, 1.0, rng)
    mu = truth.sum() / 100
    return {name: float(np.mean(np.abs(range_errors(one, truth, rng)) >= mu)) for name, one in made.items()}


def by_epsilon(dataset, epsilon, rng):
    """Figure 5: the mean squared error of 10,000 ranges, ratio 0.4."""
    truth, made = table(dataset), releases(dataset, epsilon, rng)
    return {name: float(np.mean(range_errors(one, truth, rng) ** 2)) for name, one in made.items()}


def work(rows, queries, rng):
    """Figure 6: additions to rebuild one column of five atoms, rows log2(rows) for each time the matrix is applied."""
    basis, operator, applied = haar_basis(rows), hadamard_operator(round(0.4 * rows), rows, rng), [1]
    column = basis.inverse(np.append(np.full(5, 1e6), np.zeros(rows - 5)))
    noisy = laplace_mechanism(operator @ column, sensing_sensitivity(operator), 1.0, rng)

    def counted(function):
        def one_more(vector, *rest):
            applied[0] += 1
            return function(vector, *rest)

        return one_more

    watched = replace(operator, forward=counted(operator.forward), adjoint=counted(operator.adjoint))
    rebuild(noisy, watched, dictionary(basis), 5, sensing_sensitivity(operator))
    return {"additions": float(applied[0] * rows * math.log2(rows) + 2 * queries)}


RATIOS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0]
EXPERIMENTS = [
    Experiment("001_figure_2", by_ratio, grid(dataset=list(SUITED), ratio=RATIOS, epsilon=[1.0, 0.5, 0.1]), draws=20),
    Experiment("001_figure_3", by_domain, grid(attributes=[7, 8, 9, 10, 11, 12, 13])),
    Experiment("001_figure_4", usefulness, grid(dataset=list(SUITED)), draws=20),
    Experiment("001_figure_5", by_epsilon, grid(dataset=list(SUITED), epsilon=[0.1, 0.3, 0.5, 0.7, 0.9]), draws=20),
    Experiment("001_figure_6", work, grid(rows=[128, 256, 512, 1024, 2048, 4096, 8192], queries=[64, 256]), draws=20),
]
