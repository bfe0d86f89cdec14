"""Synthetic records against what a user would write or call instead, side by side in one run: `make bench`.

Private-PGM's own program, mbi, is no row: it needs an environment of its own (`make peers`). For MST's 31 tables of 16
answers its first fit took 8.7 s (it is compiled), later ones 0.08 s, at a loss of 21.7 after 1,000 steps. Ours
took 0.6 s for 200 steps (29.2) and 2.5 s for 1,000 (21.1). For a few hundred cells scipy's least squares win, too.
"""

import numpy as np
from scipy import optimize
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from benchmarks.side_by_side import show
from dpbook import data
from dpbook.data.attributes import affairs_attributes, health_attributes
from dpbook.synthetic import closest_distances, draw_records, fit_model, mst, nearest_votes


def private_pgm():
    """The model of 8 attributes from 15 noisy tables, against non-negative least squares over all 256 cells."""
    _, survey = affairs_attributes()
    bought = mst(survey, 1.0, 1e-6, np.random.default_rng(1)).measurements
    places = np.indices((2,) * 8).reshape(8, -1)
    rows, wanted = [], []
    for one in bought:
        for cell in np.ndindex(one.noisy.shape):
            rows.append(np.all(places[list(one.attributes)].T == cell, axis=1) / one.scale)
            wanted.append(one.noisy[cell] / one.scale)
    rows, wanted = np.array(rows), np.array(wanted)
    return lambda: fit_model(bought, (2,) * 8), lambda: optimize.nnls(rows, wanted, maxiter=20_000), 3


def records_drawn():
    """20,190 records of 16 answers from a tree, against a loop over records."""
    records = health_attributes()[1][:, :16]
    model = mst(records, 1.0, 1e-6, np.random.default_rng(1)).model
    rng, cliques = np.random.default_rng(1), model.tree.cliques

    def one_by_one():
        made = []
        for _ in range(500):  # of 20,190
            record = {}
            for place in [0, *(child for _, child in model.tree.edges)]:
                table, clique = model.tables[place], cliques[place]
                table = table[tuple(record.get(a, slice(None)) for a in clique)]
                new = [a for a in clique if a not in record]
                cell = np.unravel_index(rng.choice(table.size, p=table.ravel() / table.sum()), table.shape)
                record |= dict(zip(new, cell, strict=True))
            made.append(record)
        return made

    return lambda: draw_records(model, 500, rng), one_by_one, 3


def distances():
    """The closest of 20,190 records to each of 5,000, by Hamming's distance, against scikit-learn."""
    records = health_attributes()[1][:, :16]
    made = np.random.default_rng(1).integers(0, 2, (5000, 16))

    def neighbours():
        return NearestNeighbors(n_neighbors=1, metric="hamming", algorithm="brute").fit(records).kneighbors(made)

    assert np.array_equal(closest_distances(made[:50], records), np.rint(16 * neighbours()[0][:50, 0]))
    return lambda: closest_distances(made, records), neighbours, 1


def votes():
    """2,000 points vote among 300 candidates, against scipy's distances."""
    points, candidates = data.three_clusters(), np.random.default_rng(1).random((300, 2))

    def by_scipy():
        return np.bincount(cdist(points, candidates).argmin(axis=1), minlength=300)

    assert np.array_equal(nearest_votes(points, candidates), by_scipy())
    return lambda: nearest_votes(points, candidates), by_scipy, 7


ROWS = {
    "a model from 15 noisy tables of 8 attributes | scipy nnls, 256 cells": private_pgm,
    "500 records of 16 answers from a tree | one by one": records_drawn,
    "closest of 20,190 records to 5,000 | scikit-learn": distances,
    "votes of 2,000 points, 300 candidates | scipy cdist": votes,
}


if __name__ == "__main__":
    show(ROWS)
