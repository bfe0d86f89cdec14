"""Chapter 12: exact sensitivities by enumeration, the four methods against their laws and against plain loops.

What a mechanism asks of its generator is read exactly (a `Transcript` notes noises and the laws of choices). That each
method keeps its epsilon stands in `dpbook/claims/trees.py`.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpbook import data, trees
from dpbook.claims.listening import Transcript
from dpbook.data.attributes import AFFAIRS_CODES, affairs_codes
from dpbook.gaussian import gaussian_scale
from dpbook.trees import GINI, MAJORITY, OVER, SPREAD, Grid, Tree, halving_taxonomy, predict
from dpbook.trees.grids import checked_taxonomies, pool_counts
from dpbook.trees.people import checked
from dpbook.trees.plain import plain_diffpid3
from tests.generators import Spy
from tests.refusals import assert_refuses

INFORMATION = trees.information_gain(10_000)
QUALITIES = {"majority": MAJORITY, "gini": GINI, "information": INFORMATION}
each_quality = pytest.mark.parametrize("quality", QUALITIES.values(), ids=QUALITIES)
SIZES = (3, 2, 4)
TAXONOMIES = tuple(halving_taxonomy(size) for size in SIZES)


def survey(n, seed=1, sizes=SIZES, classes=2):
    """Seeded records whose class depends on the attributes, and not altogether."""
    rng = np.random.default_rng(seed)
    records = np.column_stack([rng.integers(0, size, n) for size in sizes])
    score = records @ np.arange(1, len(sizes) + 1) + rng.normal(scale=2.0, size=n)
    return records, (np.argsort(np.argsort(score)) * classes // max(n, 1)).astype(int)


def tables(values, classes, most):
    """Every table of counts with at most `most` records, as an array (tables, values, classes)."""
    cells = values * classes
    rows = [
        np.bincount(c, minlength=cells + 1) for c in itertools.combinations_with_replacement(range(cells + 1), most)
    ]
    return np.array(rows)[:, :cells].reshape(-1, values, classes)


# How far one record moves a quality.


@pytest.mark.parametrize(("values", "classes"), [(2, 2), (2, 3), (3, 2)])
def test_one_record_moves_the_qualities_one_way_and_no_farther_than_said(values, classes):
    """All tables of up to 7 records, with each table of one record more; the largest moves are reached."""
    most = 7
    before = tables(values, classes, most - 1)
    moves = {name: [] for name in QUALITIES}
    for cell in range(values * classes):
        after = before + (np.arange(values * classes) == cell).reshape(values, classes)
        for name, quality in QUALITIES.items():
            moves[name].append(quality.score(after) - quality.score(before))
    low, high = ({name: edge(np.ravel(move)) for name, move in moves.items()} for edge in (np.min, np.max))
    assert (low["majority"], high["majority"]) == (0, MAJORITY.sensitivity)
    assert low["gini"] == pytest.approx(-2 * (most - 1) / most) and high["gini"] < 1e-12
    assert low["information"] == pytest.approx(-trees.information_sensitivity(most)) and high["information"] < 1e-12


def test_a_record_moves_the_gini_by_the_formula_of_its_proof():
    """d/dn_c of n Gini is (1 - p_c)^2 and the squares of the other shares: never below 0, and below 2."""
    counts, step = np.array([7.0, 2, 4]), 1e-6
    shares = counts / counts.sum()
    for one in range(3):
        moved = counts + step * (np.arange(3) == one)
        slope = (GINI.score(moved[None]) - GINI.score(counts[None])) / step
        assert slope == pytest.approx(-((1 - shares[one]) ** 2 + (np.delete(shares, one) ** 2).sum()), abs=1e-5)


def test_the_sensitivity_of_information_gain():
    assert [trees.information_sensitivity(n) for n in (1, 2, 6, 10)] == pytest.approx([0, 2, 3.900, 4.690], abs=5e-4)
    for n in (1, 2, 6, 10, 6366, 10**9):
        assert trees.information_sensitivity(n) <= math.log2(n + 1) + 1 / math.log(2)
    assert trees.information_gain(2).sensitivity == 2 and trees.information_gain(50).most == 50


def test_scores_by_hand():
    table = np.array([[6, 2], [1, 3]])
    assert MAJORITY.score(table) == 9
    assert GINI.score(table) == pytest.approx(-(8 * (1 - 40 / 64) + 4 * (1 - 10 / 16)))
    entropy = [-(p * math.log2(p) + (1 - p) * math.log2(1 - p)) for p in (0.75, 0.25)]
    assert INFORMATION.score(table) == pytest.approx(-(8 * entropy[0] + 4 * entropy[1]))
    together = -(7 * math.log2(7 / 12) + 5 * math.log2(5 / 12)) / 12
    assert trees.normalised_gain(table) == pytest.approx(together + INFORMATION.score(table) / 12)
    split = -(8 * math.log2(8 / 12) + 4 * math.log2(4 / 12)) / 12
    assert trees.gain_ratio(table) == pytest.approx(trees.normalised_gain(table) / split)
    for quality in QUALITIES.values():
        assert quality.score(np.zeros((5, 2, 2))).tolist() == [0] * 5
        assert quality.score(np.stack([table, table])).tolist() == [quality.score(table)] * 2


# ID3, and trees that grow from noisy counts.


def plain_id3(records, labels, sizes, classes, depth, quality, free=None):
    """The same tree as `id3` by recursion over lists."""
    free = tuple(range(len(sizes))) if free is None else free
    counts = np.bincount(labels, minlength=classes)
    if not depth or not free or not len(labels):
        return Tree(counts)
    scores = [quality.score(trees.class_counts(records[:, a], labels, sizes[a], classes)) for a in free]
    best = free[int(np.argmax(scores))]
    rest = tuple(a for a in free if a != best)
    parts = [records[:, best] == value for value in range(sizes[best])]
    return Tree(
        counts, best, tuple(plain_id3(records[p], labels[p], sizes, classes, depth - 1, quality, rest) for p in parts)
    )


def assert_same_tree(one, other, within=0.0):
    assert one.attribute == other.attribute and len(one.children) == len(other.children)
    if one.attribute < 0 or not within:
        assert np.allclose(one.counts, other.counts, rtol=0, atol=within)
    for pair in zip(one.children, other.children, strict=True):
        assert_same_tree(*pair, within)


@each_quality
@pytest.mark.parametrize("depth", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("classes", [2, 3])
def test_id3_is_the_recursion(quality, depth, classes):
    records, labels = survey(150, classes=classes)
    assert_same_tree(
        trees.id3(records, labels, SIZES, classes, depth, quality),
        plain_id3(records, labels, SIZES, classes, depth, quality),
    )


def assert_best_tree(tree, records, labels, quality, depth, free=(0, 1, 2)):
    """Every split is one that ID3 may take, the best of its node or as good; leaves are where ID3 has them."""
    if not depth or not free or not len(labels):
        assert tree.attribute < 0 and np.allclose(tree.counts, np.bincount(labels, minlength=2), atol=1e-3)
        return
    scores = {a: quality.score(trees.class_counts(records[:, a], labels, SIZES[a], 2)) for a in free}
    assert scores[tree.attribute] == pytest.approx(max(scores.values()), abs=1e-9)
    rest = tuple(a for a in free if a != tree.attribute)
    for value, child in enumerate(tree.children):
        part = records[:, tree.attribute] == value
        assert_best_tree(child, records[part], labels[part], quality, depth - 1, rest)


@each_quality
@pytest.mark.parametrize("monotonic", [True, False])
def test_with_a_huge_epsilon_diffpid3_is_id3(quality, monotonic):
    records, labels = survey(900)
    for depth, seed in itertools.product((0, 1, 2, 3, 4), range(3)):
        rng = np.random.default_rng(seed)
        noisy = trees.diffpid3(records, labels, SIZES, 2, depth, quality, 1e9, rng, monotonic=monotonic)
        assert_best_tree(noisy, records, labels, quality, depth)
        if quality is not MAJORITY:  # which has equals
            assert_same_tree(noisy, trees.id3(records, labels, SIZES, 2, depth, quality), 1e-3)


def test_with_a_huge_epsilon_sulq_is_id3_by_information():
    records, labels = survey(900, seed=3)
    for depth in (0, 1, 2, 3):
        noisy = trees.sulq_id3(records, labels, SIZES, 2, depth, 1e9, np.random.default_rng(1))
        assert_same_tree(noisy, trees.id3(records, labels, SIZES, 2, depth, INFORMATION), 1e-3)


@each_quality
@pytest.mark.parametrize("monotonic", [True, False])
def test_diffpid3_asks_for_the_noise_and_the_choices_of_algorithm_7(quality, monotonic):
    """Depth 2: sizes and leaves at scale 2 (d + 1) / epsilon, choices with weights exp(epsilon' q / S)."""
    records, labels = survey(600, seed=5)
    epsilon, share = 1.2, 1.2 / 6
    heard = Transcript()
    tree = trees.diffpid3(records, labels, SIZES, 2, 2, quality, epsilon, heard, monotonic=monotonic)
    assert {noise.scale for noise in heard.noises} == {1 / share}
    root, choice = heard.noises[0], heard.choices[0]
    assert root.value.tolist() == [600]
    scores = np.array([quality.score(trees.class_counts(records[:, a], labels, SIZES[a], 2)) for a in range(3)])
    slope = share / quality.sensitivity / (1 if monotonic else 2)
    weights = np.exp(slope * (scores - scores.max()))
    assert choice.chances == pytest.approx(weights / weights.sum(), rel=1e-9)
    asked = [tuple(np.shape(noise.value)) for noise in heard.noises]
    width, leaves = (
        len(tree.children),
        [n for child in tree.children for n in (child, *child.children) if n.attribute < 0],
    )
    assert asked[:2] == [(1,), (width,)] and sum(np.prod(one) for one in asked if len(one) == 2) == 2 * len(leaves)
    parts = [np.bincount(records[:, tree.attribute], minlength=width)]
    assert np.array_equal(heard.noises[1].value, parts[0])
    assert len(heard.choices) == 1 + sum(child.attribute >= 0 for child in tree.children)


def test_the_leaves_have_noisy_class_counts_of_their_own_records():
    records, labels = survey(400, seed=6)
    heard = Transcript()
    tree = trees.diffpid3(records, labels, SIZES, 2, 1, MAJORITY, 2.0, heard)
    table = trees.class_counts(records[:, tree.attribute], labels, SIZES[tree.attribute], 2)
    assert np.array_equal(heard.noises[-1].value, table)
    assert np.array_equal([leaf.counts for leaf in tree.children], heard.noises[-1].noisy)
    assert tree.counts == heard.noises[0].noisy[0]


def test_a_node_stops_below_the_size_that_algorithm_7_gives():
    fair = (5, 6, 7, 6, 4, 6, 6, 6)
    assert trees.least_size(fair, 2, 5, 1.0) == pytest.approx(237.59, abs=5e-3)
    assert trees.least_size(fair, 2, 5, 0.1) == pytest.approx(2375.9, abs=5e-2)
    assert trees.least_size([2], 2, 0, 1.0) == 4 * math.sqrt(2) * 2
    sizes = (2, 6)
    for split, left in ((0, 6), (1, 2)):  # after the first split, the other attribute counts
        records = np.zeros((1000, 2), int)
        records[:, split] = np.arange(1000) % 2
        labels = records[:, split]
        threshold = left * 2 * math.sqrt(2) * 6 / 4.0
        assert trees.least_size(sizes, 2, 2, 4.0) == 6 * 2 * math.sqrt(2) * 6 / 4.0
        for below, stops in ((0.01, True), (-0.01, False)):
            heard = Transcript([np.array([1e6]), np.full(sizes[split], threshold - below)], [split])
            tree = trees.diffpid3(records, labels, sizes, 2, 2, MAJORITY, 4.0, heard)
            assert all((child.attribute < 0) == stops for child in tree.children)


class Told(np.random.Generator):
    """A generator that answers with the numbers it is given, one call after the other."""

    def __init__(self, answers):
        super().__init__(np.random.PCG64(1))
        self.answers = answers

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return self.answers.pop(0)

    random = laplace


def node_by_node(tree, calls):
    """What a level-by-level run drew, in the order in which a recursion asks: a node's size, then its question or its

    leaf, then its children.
    """
    answers, level, drawn = iter(calls), [tree], {}
    while level:
        sizes = next(answers)
        questions = [next(answers) for node in level if node.attribute >= 0]
        leaves = next(answers) if len(questions) < len(level) else ()
        for queue, nodes in ((questions, [n for n in level if n.children]), (leaves, [n for n in level if n[1] < 0])):
            drawn |= {id(node): answer for node, answer in zip(nodes, queue, strict=True)}
        drawn |= {id(node): (size, drawn[id(node)]) for node, size in zip(level, sizes, strict=True)}
        level = [child for node in level for child in node.children]

    def flat(node):
        return [*drawn[id(node)], *(one for child in node.children for one in flat(child))]

    return flat(tree)


@each_quality
@pytest.mark.parametrize("depth", [0, 1, 2, 3, 4])
def test_the_recursion_that_is_shown_is_the_program_that_runs(quality, depth):
    """The same tree from the same random numbers, ten seeds a row, with stops on all levels and empty nodes."""
    records, labels = survey(700, seed=4)
    kinds = set()
    for seed in range(10):
        epsilon, spy = (0.02, 2.0, 20.0)[seed % 3], Spy(seed)
        fast = trees.diffpid3(records, labels, SIZES, 2, depth, quality, epsilon, spy)
        told = Told(node_by_node(fast, [answer for _, _, answer in spy.calls]))
        slow = plain_diffpid3(records, labels, SIZES, 2, depth, quality, epsilon, told)
        assert not told.answers
        assert_same_tree(fast, slow)
        kinds.add((fast.attribute, len(spy.calls)))
    assert depth == 0 or len(kinds) > 1


def test_a_random_tree_asks_without_a_look_and_spends_all_on_its_leaves():
    records, labels = survey(400, seed=6)
    shapes = set()
    for seed in range(40):
        trees_of = [
            trees.random_tree(*people, SIZES, 2, 2, 1.5, np.random.default_rng(seed))
            for people in ((records, labels), (records[:0], labels[:0]), (records[::2], 1 - labels[::2]))
        ]
        attributes = [[tree.attribute, *(child.attribute for child in tree.children)] for tree in trees_of]
        assert attributes[0] == attributes[1] == attributes[2]
        shapes.add(tuple(attributes[0]))
    assert {shape[0] for shape in shapes} == {0, 1, 2} and len(shapes) > 10
    heard = Transcript()
    tree = trees.random_tree(records, labels, SIZES, 2, 1, 1.5, heard)
    assert [noise.scale for noise in heard.noises] == [1 / 1.5]
    assert np.array_equal(
        heard.noises[0].value, trees.class_counts(records[:, tree.attribute], labels, SIZES[tree.attribute], 2)
    )
    assert all(np.array_equal(leaf.counts, row) for leaf, row in zip(tree.children, heard.noises[0].noisy, strict=True))


def test_a_record_with_scores_beyond_all_exponentials_makes_no_warning():
    """It would tell of that record. The tests' settings make it an error."""
    for records, labels in ((np.zeros((0, 2), int), []), (np.array([[0, 0]]), [0])):
        boosted = trees.boosted_additive(records, labels, (2, 2), 10, 100.0, 1.0, 1e-6, np.random.default_rng(0))
        assert all(np.all(np.isfinite(scores)) for scores in boosted.scores)


def test_boosting_asks_for_counts_and_sums_of_residuals():
    """Without noise it is the plain loop; every noise has the one scale of sensitivity sqrt(a (rounds + 1))."""
    records, labels = survey(300, seed=7)
    heard = Transcript()
    trees.boosted_additive(records, labels, SIZES, 4, 0.7, 1.0, 1e-5, heard)
    assert {noise.scale for noise in heard.noises} == {gaussian_scale(math.sqrt(3 * 5), 1.0, 1e-5)}
    assert [np.size(noise.value) for noise in heard.noises] == [*SIZES] * 5
    for attribute in range(3):
        assert np.array_equal(heard.noises[attribute].value, np.bincount(records[:, attribute]))
        assert np.abs(heard.noises[3].value).sum() <= 300 / 2  # residuals of the first round are halves
    exact = trees.boosted_additive(records, labels, SIZES, 4, 0.7, 1e9, 1e-5, np.random.default_rng(1))
    scores = [np.zeros(size) for size in SIZES]
    for _ in range(4):
        for attribute in range(3):
            total = sum(score[records[:, a]] for a, score in enumerate(scores))
            left = labels - 1 / (1 + np.exp(-total))
            for value in range(SIZES[attribute]):
                inside = records[:, attribute] == value
                scores[attribute][value] += 0.7 * left[inside].mean()
    for ours, plain in zip(exact.scores, scores, strict=True):
        assert ours == pytest.approx(plain, abs=1e-3)
    said = predict(exact, records)
    assert np.array_equal(said, sum(score[records[:, a]] for a, score in enumerate(exact.scores)) > 0)
    assert np.mean(said == labels) > 0.75


def test_sulq_asks_for_every_count():
    """Depth 5, eight attributes, epsilon 1: noise of scale 192 on each count of the root, 12 on sizes."""
    sizes = (2,) * 8
    records, labels = survey(3000, seed=7, sizes=sizes)
    heard = Transcript()
    trees.sulq_id3(records, labels, sizes, 2, 5, 1.0, heard)
    assert [noise.scale for noise in heard.noises[:17]] == [12.0] + [192.0] * 16
    for attribute in range(8):
        table = trees.class_counts(records[:, attribute], labels, 2, 2)
        assert np.array_equal(heard.noises[1 + 2 * attribute].value, table.sum(axis=1))
        assert np.array_equal(heard.noises[2 + 2 * attribute].value, table)
    assert not heard.choices
    deeper = {round(noise.scale) for noise in heard.noises[18:]}
    assert deeper <= {12 * 2 * left for left in range(1, 8)} | {12}, "each level asks for one attribute less"


def test_recomputing_the_share_spends_too_much():
    """Depth 5 at epsilon 1: 1.225 on sizes alone, and as much on the rest."""
    records, labels = survey(400, sizes=(2,) * 6)
    heard = Transcript([np.array([1e9])] + [np.full(2**k, 1e9) for k in range(1, 6)])
    trees.recomputing_id3(records, labels, (2,) * 6, 2, 5, MAJORITY, 1.0, heard)
    assert sum(1 / noise.scale for noise in heard.noises[:-1]) == pytest.approx(1.225)


# DiffGen.


def test_diffgen_asks_for_its_shares():
    records, labels = survey(500, seed=8)
    heard = Transcript()
    released = trees.diffgen(records, labels, TAXONOMIES, 2, 3, GINI, 1.2, heard)
    assert len(heard.choices) == 3 and [noise.scale for noise in heard.noises] == [2 / 1.2]
    gains = []
    for attribute, taxonomy in enumerate(TAXONOMIES):
        table = trees.class_counts(records[:, attribute], labels, SIZES[attribute], 2)
        parts = np.array([table[taxonomy[1] == g].sum(axis=0) for g in range(2)])
        gains.append(GINI.score(parts) - GINI.score(table.sum(axis=0)[None]))
    weights = np.exp(0.2 / (2 * GINI.sensitivity) * (np.array(gains) - max(gains)))
    assert heard.choices[0].chances == pytest.approx(weights / weights.sum(), rel=1e-9)
    cells = np.prod([row.max() + 1 for row in released.cells])
    assert released.counts.shape == (cells, 2) and np.array_equal(released.counts, heard.noises[0].noisy)
    assert np.array_equal(heard.noises[0].value, plain_cells(records, labels, released.cells))


def plain_cells(records, labels, groups, classes=2):
    """The class counts of each cell, record by record."""
    counts = np.zeros((*(row.max() + 1 for row in groups), classes))
    for record, label in zip(records, labels, strict=True):
        counts[(*(row[value] for row, value in zip(groups, record, strict=True)), label)] += 1
    return counts.reshape(-1, classes)


def grid_cells(records, labels, grid, classes=2):
    """The class counts of each cell of a grid over TAXONOMIES, record by record."""
    return plain_cells(records, labels, [rows[row] for rows, row in zip(TAXONOMIES, grid, strict=True)], classes)


@each_quality
def test_with_a_huge_epsilon_diffgen_takes_the_best_cut_each_time(quality):
    """The best by brute force: the score of the whole partition after each possible cut."""
    records, labels = survey(700, seed=9)
    released = trees.diffgen(records, labels, TAXONOMIES, 2, 4, quality, 1e9, np.random.default_rng(1))
    groups = [np.zeros(size, int) for size in SIZES]
    for attribute, values in released.cuts:
        candidates = []
        for a, taxonomy in enumerate(TAXONOMIES):
            for group in range(groups[a].max() + 1):
                inside = np.flatnonzero(groups[a] == group)
                row = next((r for r in taxonomy if len(set(r[inside])) > 1), None)
                if row is not None:
                    cut = groups[a] * 100
                    cut[inside] += row[inside] + 1
                    trial = [np.unique(cut, return_inverse=True)[1] if b == a else g for b, g in enumerate(groups)]
                    score = quality.score(plain_cells(records, labels, trial)[:, None, :]).sum()
                    candidates.append((score, a, tuple(inside.tolist()), trial))
        taken = next(one for one in candidates if one[1:3] == (attribute, values))
        assert taken[0] == pytest.approx(max(one[0] for one in candidates), abs=1e-9)
        groups = taken[3]
    assert all(np.array_equal(*pair) for pair in zip(groups, released.cells, strict=True))
    assert np.allclose(released.counts, plain_cells(records, labels, groups), atol=1e-6)


def test_a_gain_moves_both_ways_and_by_no_more_than_the_sensitivity():
    """Tables (3, 2) of up to 6 records, cut into {0, 1} and {2}: so the 2 of the exponential mechanism stays."""
    before = tables(3, 2, 6)
    for name, quality in QUALITIES.items():
        bound = trees.information_sensitivity(7) if name == "information" else quality.sensitivity

        def gain(counts, quality=quality):
            parts = np.stack([counts[:, 0] + counts[:, 1], counts[:, 2]], axis=1)
            return quality.score(parts) - quality.score(counts.sum(axis=1, keepdims=True))

        moves = [gain(before + (np.arange(6) == c).reshape(3, 2)) - gain(before) for c in range(6)]
        assert -bound <= np.min(moves) < -0.1 and 0.1 < np.max(moves) <= bound


def test_diffgen_stops_where_nothing_is_left():
    records, labels = survey(50)
    released = trees.diffgen(records, labels, TAXONOMIES, 2, 40, MAJORITY, 1.0, np.random.default_rng(1))
    assert [row.tolist() for row in released.cells] == [[0, 1, 2], [0, 1], [0, 1, 2, 3]]
    assert released.counts.shape == (24, 2) and len(released.cuts) == 6


# PrivPfC.


def test_the_chance_of_a_flip_by_quadrature():
    for gap, epsilon in ((3, 0.6), (0, 1.0), (10, 0.1), (2.5, 3.0)):
        one, far = stats.laplace(scale=1 / epsilon), 60 / epsilon + gap

        def both(x, one=one, gap=gap):
            return one.pdf(x) * one.cdf(x - gap)

        chance = integrate.quad(both, -far, far, points=[0, gap], limit=200)[0]
        assert trees.flip_probability(gap, epsilon) == pytest.approx(chance, abs=1e-8)
    assert trees.flip_probability(3, 0.6) == pytest.approx(0.157034, abs=5e-7)
    assert trees.grid_error([[10, 7]], 0.6) == pytest.approx(7.471102, abs=5e-7)


def test_one_record_moves_the_errors_by_more_than_1():
    """The moves at 0.6, among small cells, and the least that there is as epsilon falls."""
    errors = np.array([[trees.grid_error([[a, b]], 0.6) for a in range(25)] for b in range(25)])
    found = np.concatenate([np.ravel(np.diff(errors, axis=axis)) for axis in (0, 1)])
    assert (found.min(), found.max()) == pytest.approx((-0.08799, 1.08799), abs=5e-6)
    gaps = np.arange(4000.0)
    errors = gaps * trees.flip_probability(gaps, 0.001)
    assert -OVER < np.diff(errors).min() < -OVER + 1e-6
    assert pytest.approx(1.0889087, abs=5e-8) == 1 + OVER and SPREAD == 1 + 2 * OVER
    for epsilon in (0.01, 0.3, 1.0, 5.0):
        assert -OVER <= np.diff(gaps * trees.flip_probability(gaps, epsilon)).min()
    rng = np.random.default_rng(5)
    for table in rng.integers(0, 6, (200, 3)):  # three classes: within the same ends
        more = [trees.grid_error([table + (np.arange(3) == c)], 0.6) - trees.grid_error([table], 0.6) for c in range(3)]
        assert -OVER <= min(more) and max(more) <= 1 + OVER


def test_the_pool_of_grids():
    three = [[[0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 2, 3]]] * 3
    every, small = (trees.enumerate_grids(three, most, 1000) for most in (1e9, 8))
    assert len(every) == len(set(every)) == 26 and len(small) == 16
    assert set(small) == {g for g in itertools.product(range(3), repeat=3) if 1 < 2 ** sum(g) <= 8}
    used = [sum(row > 0 for row in grid) for grid in every]
    assert used == sorted(used) and trees.enumerate_grids(three, 8, 10) == small[:10]
    for few in (1.5, 0, -40.0):
        assert trees.enumerate_grids(three, few, 10) == [(0, 0, 0)]


def test_the_tables_of_the_pool_are_those_of_the_records():
    records, labels = survey(200, seed=10, classes=3)
    people, taxonomies = checked(records, labels, SIZES, 3), checked_taxonomies(TAXONOMIES)
    pool = trees.enumerate_grids(TAXONOMIES, 1e9, 1000)
    assert len(pool) == 3 * 2 * 3 - 1
    for grid, counts in zip(pool, pool_counts(people, taxonomies, pool), strict=True):
        assert np.array_equal(counts, grid_cells(records, labels, grid, 3))


@pytest.mark.parametrize("divisor", [SPREAD, 2.0])
def test_privpfc_asks_for_its_three_shares(divisor):
    records, labels = survey(300, seed=11)
    heard = Transcript()
    released = trees.privpfc(records, labels, TAXONOMIES, 2, 9, 2.0, heard, divisor=divisor)
    assert [noise.scale for noise in heard.noises] == pytest.approx([1 / 0.06, 1 / 1.2])
    assert heard.noises[0].value == 300 and len(heard.choices) == 1
    pool = trees.enumerate_grids(TAXONOMIES, 0.2 * heard.noises[0].noisy * 1.2, 9)
    errors = np.array([trees.grid_error(grid_cells(records, labels, grid), 1.2) for grid in pool])
    weights = np.exp(-0.74 * (errors - errors.min()) / divisor)
    assert heard.choices[0].chances == pytest.approx(weights / weights.sum(), rel=1e-9)
    assert np.array_equal(released.counts, np.maximum(np.rint(heard.noises[1].noisy), 0))
    assert np.array_equal(heard.noises[1].value, plain_cells(records, labels, released.groups))


def test_privpfc_bounds_its_cells_by_the_noisy_size():
    records, labels = survey(100)
    for size, cells in ((100.0, 24), (10.0, 2), (-5.0, 1)):
        heard = Transcript([np.float64(size)])
        released = trees.privpfc(records, labels, TAXONOMIES, 2, 1000, 2.0, heard)
        assert len(released.counts) <= max(1, 0.2 * size * 1.2) and len(released.counts) <= cells


def test_with_a_huge_epsilon_privpfc_takes_the_grid_of_the_fewest_errors():
    records, labels = survey(400, seed=13)
    released = trees.privpfc(records, labels, TAXONOMIES, 2, 1000, 1e9, np.random.default_rng(1))
    pool = trees.enumerate_grids(TAXONOMIES, 1e9, 1000)
    counts = [grid_cells(records, labels, grid) for grid in pool]
    assert released.counts.min(axis=1).sum() == min(one.min(axis=1).sum() for one in counts)
    assert np.array_equal(released.counts, plain_cells(records, labels, released.groups))


# What is predicted, and that nobody is no special case.


def test_predictions_are_majorities_of_what_was_released():
    groups = (np.array([0, 0, 1]), np.array([0, 1]))
    grid = Grid(groups, np.array([[3, 1], [0, 2], [5, 5], [-1, -2]]))
    records = np.array(list(itertools.product(range(3), range(2))))
    assert predict(grid, records).tolist() == [0, 1, 0, 1, 0, 0]
    assert predict(trees.Partition((), groups, grid.counts), records).tolist() == [0, 1, 0, 1, 0, 0]
    leaves = [Tree(np.array(counts)) for counts in ([1, 2], [4, 0], [0, 0])]
    tree = Tree(5.0, 1, (leaves[0], Tree(2.0, 0, tuple(leaves))))
    assert predict(tree, records).tolist() == [1, 1, 1, 0, 1, 0]
    assert trees.leaf_of(tree, records).tolist() == [0, 1, 0, 2, 0, 3]
    assert predict(leaves[0], records).tolist() == [1] * 6 and predict(tree, records[:0]).size == 0


def test_no_records_are_released_like_any_others():
    """All cells have noise, none is left out: what is released does not say where nobody is."""
    nobody, nothing = np.zeros((0, 3), int), np.zeros(0, int)
    rng = np.random.default_rng(1)
    for release in (
        lambda: trees.diffpid3(nobody, nothing, SIZES, 2, 2, MAJORITY, 1.0, rng),
        lambda: trees.sulq_id3(nobody, nothing, SIZES, 2, 2, 1.0, rng),
        lambda: trees.diffgen(nobody, nothing, TAXONOMIES, 2, 3, INFORMATION, 1.0, rng),
        lambda: trees.privpfc(nobody, nothing, TAXONOMIES, 2, 50, 1.0, rng),
    ):
        assert set(predict(release(), survey(50)[0])) <= {0, 1}
    counts = trees.diffgen(nobody, nothing, TAXONOMIES, 2, 40, GINI, 1.0, rng).counts
    assert np.all(counts != 0) and len(np.unique(counts)) == counts.size == 48
    assert trees.id3(nobody, nothing, SIZES, 2, 3, GINI) == Tree(pytest.approx([0, 0]))


@pytest.mark.parametrize("classes", [2, 3])
def test_the_same_seed_gives_the_same_release_and_the_data_stay(classes):
    records, labels = survey(300, classes=classes)
    for array in (records, labels):
        array.setflags(write=False)
    for release in (
        lambda rng: trees.diffpid3(records, labels, SIZES, classes, 2, GINI, 1.0, rng),
        lambda rng: trees.sulq_id3(records, labels, SIZES, classes, 2, 1.0, rng),
        lambda rng: trees.diffgen(records, labels, TAXONOMIES, classes, 3, GINI, 1.0, rng),
        lambda rng: trees.privpfc(records, labels, TAXONOMIES, classes, 20, 1.0, rng),
    ):
        one, two = (release(np.random.default_rng(4)) for _ in range(2))
        assert np.array_equal(predict(one, records), predict(two, records))


def test_taxonomies_halve_and_refine():
    assert halving_taxonomy(1).tolist() == [[0]]
    assert halving_taxonomy(5).tolist() == [[0] * 5, [0, 0, 0, 1, 1], [0, 0, 1, 2, 3], [0, 1, 2, 3, 4]]
    for size in range(1, 40):
        rows = halving_taxonomy(size)
        assert len(rows) == 1 + math.ceil(math.log2(size)) and rows[-1].tolist() == list(range(size))
        checked_taxonomies([rows])


def test_class_counts_count():
    table = trees.class_counts([0, 2, 2, 0], [1, 0, 0, 1], 3, 2)
    assert table.tolist() == [[0, 2], [0, 0], [2, 0]]
    assert trees.class_counts([], [], 2, 2).tolist() == [[0, 0], [0, 0]]


def test_the_codes_of_the_survey_are_its_columns():
    names, sizes, records, labels = affairs_codes()
    columns = [data.affairs()[name].values for name in names]
    codes = [np.array(AFFAIRS_CODES[name])[column] for name, column in zip(names, records.T, strict=True)]
    assert np.array_equal(codes, columns) and sizes == (5, 6, 7, 6, 4, 6, 6, 6)
    assert labels.mean() == pytest.approx(0.322, abs=5e-4)


# Bad input.

RNG = np.random.default_rng(0)
PEOPLE = {"records": [[0, 1], [1, 0]], "labels": [0, 1], "classes": 2, "epsilon": 1.0, "rng": RNG}
BAD_PEOPLE = {"records": ([[0, 2], [1, 0]], [[0, -1], [1, 0]], [[0.5, 1], [1, 0]], [0, 1], [[0], [1]])}
BAD_PEOPLE |= {"labels": ([0, 2], [0], [0, -1]), "classes": (1,)}  # and what no mechanism may take: `test_refusals`
TREE, BAD_TREE = PEOPLE | {"sizes": [2, 2], "depth": 1}, BAD_PEOPLE | {"sizes": ([0, 2], [])}
YES_NO = [[[0, 0], [0, 1]]]
MANY_CELLS = [[[0] * 101, [*range(101)]]] * 3
BAD_GRID = BAD_PEOPLE | {"taxonomies": ([],)}
PFC = PEOPLE | {"taxonomies": YES_NO * 2, "pool": 5}
DIFFGEN = PEOPLE | {"taxonomies": YES_NO * 2, "specialisations": 1, "quality": GINI}
FOR_TWO = {"quality": trees.information_gain(2), "labels": [0, 1, 1]}
BAD_SHARES = ((0.5, 0.5, 0.1), (0, 0.5, 0.5))
STUMP, ASIDE = (Tree(1.0, attribute, (Tree([1, 2]), Tree([2, 1]))) for attribute in (0, 3))
REFUSED = [
    *((mechanism, TREE | {"quality": GINI}, BAD_TREE) for mechanism in (trees.diffpid3, trees.recomputing_id3)),
    *((mechanism, TREE, BAD_TREE) for mechanism in (trees.sulq_id3, trees.random_tree)),
    (trees.diffgen, DIFFGEN, BAD_GRID | {"specialisations": (0,)}),
    (trees.privpfc, PFC, BAD_GRID | {"pool": (0,), "shares": BAD_SHARES, "divisor": (0,)}),
    (trees.diffpid3, TREE | FOR_TWO, {"records": ([[0, 1]] * 3,)}),
    (trees.diffgen, DIFFGEN | FOR_TWO, {"records": ([[0, 1]] * 3,)}),
    (trees.diffgen, DIFFGEN | {"records": [[0] * 3] * 2, "taxonomies": MANY_CELLS}, {"specialisations": (3,)}),
    (trees.enumerate_grids, (YES_NO, 9, 5), {"most_cells": (np.nan,)}),
    (trees.flip_probability, (1, 1.0), {"gap": (-1,)}),
    (trees.grid_error, ([[1, 1]], 1.0), {"counts": ([[1, -1]], [[1], [2]])}),
    (trees.information_sensitivity, (1,), {"most": (0,)}),
    (trees.information_gain, (2,), {"most": (1,)}),
    (trees.halving_taxonomy, (1,), {"size": (0,)}),
    (trees.least_size, ([2], 2, 0, 1.0), {"depth": (-1,)}),
    (trees.class_counts, ([0], [0], 3, 2), {"values": ([[0]],)}),
    (lambda records: trees.class_counts(records, [0], 3, 2), ([0],), {"records": ([3],)}),
    (predict, (STUMP, [[1]]), {"records": ([[2]],), "tree": (3,)}),
    (predict, (ASIDE, [[0] * 4]), {"records": ([[0]],)}),
    (predict, (Tree([1, 2]), [[0]]), {"records": ([0],)}),
    (predict, (Grid((np.array([0, 1]),), np.eye(2)), [[0]]), {"records": ([[2]],)}),
    (predict, (trees.Additive((np.zeros(2),)), [[0]]), {"records": ([[2]],)}),
    (
        trees.boosted_additive,
        ([[0]], [0], [2], 1, 1.0, 1.0, 1e-6, RNG),
        {"records": ([[2]],), "labels": ([2],), "rounds": (0,), "rate": (0.0,), "delta": (0.0,)},
    ),
]


@pytest.mark.parametrize(("function", "good", "refused"), REFUSED)
def test_bad_arguments_are_refused(function, good, refused):
    assert_refuses(function, good, refused)


@pytest.mark.parametrize(("mechanism", "good"), [(trees.diffgen, DIFFGEN), (trees.privpfc, PFC)])
@pytest.mark.parametrize(
    ("place", "bad"),
    [
        (1, [[[0, 0], [0, 1]], [[0, 1]]]),
        (0, [[[0, 0]], [[0, 0], [0, 1]]]),
        (0, [[[0, 0, 0], [0, 0, 1], [0, 1, 0]], [[0, 0], [0, 1]]]),
        (0, [[[0, 0], [0, 2]]] * 2),
        (0, [[[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 2]]] * 2),
    ],
)
def test_the_taxonomy_that_is_none_is_named(mechanism, good, place, bad):
    with pytest.raises(ValueError, match=rf"^taxonomies\[{place}\] must be .*; got "):
        mechanism(**(good | {"taxonomies": bad}))
