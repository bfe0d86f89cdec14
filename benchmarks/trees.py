"""Trees from private counts against what one would grow instead, side by side in one run: `python -m benchmarks.trees`.

100,000 records of 16 attributes with 4 values and a class that hangs on some of them; and Fair's survey. scikit-learn's
tree is not private. Each row is the median of a few runs of both, taken in turn.
"""

from functools import partial

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from benchmarks.side_by_side import show
from dpbook import trees
from dpbook.data.attributes import affairs_codes
from dpbook.trees.grids import pool_counts
from dpbook.trees.people import checked

SIZES = (4,) * 16
TAXONOMIES = [trees.halving_taxonomy(4)] * 16


def many():
    """100,000 records and their classes, a seventh of them turned round."""
    rng = np.random.default_rng(1)
    records = rng.integers(0, 4, (100_000, 16))
    labels = (records[:, 2] + records[:, 5] + records[:, 11] > 4) ^ (rng.random(100_000) < 1 / 7)
    return records, labels.astype(np.int64)


def one_tree():
    records, labels = many()
    return lambda: DecisionTreeClassifier(max_depth=8, random_state=1).fit(records, labels)


def tables():
    """All tables of a tree of four splits."""
    records, labels = many()
    return lambda: trees.id3(records, labels, SIZES, 2, 4, trees.MAJORITY), one_tree(), 5


def beside_one_tree(grow, *given):
    """What `grow(records, labels, *given, rng)` makes of the 100,000, and scikit-learn's tree."""
    (records, labels), rng = many(), np.random.default_rng(1)
    return lambda: grow(records, labels, *given, rng), one_tree(), 5


def pool():
    """The counts of 500 grids: one pass for each set of attributes, or one for each grid."""
    people = checked(*many(), SIZES, 2)
    grids = trees.enumerate_grids(TAXONOMIES, 1e9, 500)

    def each():
        found = []
        for levels in grids:
            code = np.zeros(people.labels.size, dtype=np.intp)
            for taxonomy, level, column in zip(TAXONOMIES, levels, people.columns, strict=True):
                if level:
                    code = code * (taxonomy[level].max() + 1) + taxonomy[level][column]
            cells = np.prod([taxonomy[level].max() + 1 for taxonomy, level in zip(TAXONOMIES, levels, strict=True)])
            found.append(np.bincount(code * 2 + people.labels, minlength=2 * cells).reshape(-1, 2))
        return found

    ours = pool_counts(people, TAXONOMIES, grids)
    assert all(np.array_equal(*pair) for pair in zip(ours, each(), strict=True))
    return lambda: pool_counts(people, TAXONOMIES, grids), each, 3


def recursion():
    """Fair's survey, depth 4: by levels, or node by node."""
    _, sizes, records, labels = affairs_codes()

    def grow(rows, free, depth):
        if not depth or not rows.size:
            return
        scores = {a: trees.GINI.score(trees.class_counts(records[rows, a], labels[rows], sizes[a], 2)) for a in free}
        best = max(scores, key=scores.get)
        for value in range(sizes[best]):
            grow(rows[records[rows, best] == value], [a for a in free if a != best], depth - 1)

    everybody = np.arange(len(labels))
    return lambda: trees.id3(records, labels, sizes, 2, 4, trees.GINI), lambda: grow(everybody, range(8), 4), 5


def expected():
    """The expected errors of a grid of 20,000 cells, by the formula or by drawing the noise 100 times."""
    counts, rng = np.random.default_rng(1).poisson(8.0, (20_000, 2)), np.random.default_rng(2)

    def drawn():
        wrong = 0
        for _ in range(100):
            noisy = counts + rng.laplace(scale=1 / 0.6, size=counts.shape)
            wrong += np.where(noisy[:, 0] > noisy[:, 1], counts[:, 1], counts[:, 0]).sum()
        return wrong / 100

    assert abs(drawn() / trees.grid_error(counts, 0.6) - 1) < 0.01
    return lambda: trees.grid_error(counts, 0.6), drawn, 3


def predictions():
    records, labels = many()
    tree, theirs = trees.id3(records, labels, SIZES, 2, 4, trees.GINI), one_tree()()
    return lambda: trees.predict(tree, records), lambda: theirs.predict(records), 5


ROWS = {
    "all tables of a tree of 4 splits | scikit-learn, depth 8": tables,
    "DiffPID3, depth 4 | scikit-learn, depth 8": partial(beside_one_tree, trees.diffpid3, SIZES, 2, 4, trees.GINI, 1.0),
    "SuLQ-ID3, depth 4 | scikit-learn, depth 8": partial(beside_one_tree, trees.sulq_id3, SIZES, 2, 4, 1.0),
    "DiffGen, 6 steps | scikit-learn, depth 8": partial(
        beside_one_tree, trees.diffgen, TAXONOMIES, 2, 6, trees.GINI, 1.0
    ),
    "PrivPfC, 500 grids | scikit-learn, depth 8": partial(beside_one_tree, trees.privpfc, TAXONOMIES, 2, 500, 1.0),
    "counts of 500 grids | a pass over the records for each": pool,
    "ID3 on the survey, depth 4 | node by node": recursion,
    "expected errors of 20,000 cells | 100 draws of the noise": expected,
    "predictions for 100,000 records | scikit-learn": predictions,
}


if __name__ == "__main__":
    show(ROWS)
