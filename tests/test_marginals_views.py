"""PriView: noisy views, agreement, cells below zero, tables that no view holds. 004 section 6.3.

Neighbours: one record more or less. Every statistical test draws from a fixed seed; its false-alarm rate is said there.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import optimize

from dpbook.claims.losses import loss_from_noise
from dpbook.marginals import (
    Synopsis,
    answer,
    consistent,
    covering_design,
    guideline_error,
    least_norm,
    least_violation,
    marginal,
    marginals,
    maximum_entropy,
    mutual_consistency,
    nearest_nonnegative,
    noisy_views,
    plain_consistent,
    printed_consistency,
    priview,
    project,
    ripple,
    table_error,
    view_error,
)
from tests.generators import seeded

RECORDS = np.array(list(itertools.product((0, 1), repeat=3)))
VIEWS = [(0, 1), (2, 1), (0, 2)]


def one_more():
    datasets = [RECORDS[:0], RECORDS[:1], RECORDS[[0, 3, 5, 7, 7]], np.repeat(RECORDS, 2, axis=0)]
    return [(data, np.vstack([data, record])) for data in datasets for record in RECORDS]


def noisy_tables(views, sizes, seed=1):
    return [seeded([seed, place]).normal(5, 3, [sizes[a] for a in view]) for place, view in enumerate(views)]


def least_squares(views, tables, sizes):
    """The agreeing tables by brute force: one unknown a cell of the joint table."""
    cells = np.array(list(np.ndindex(*sizes)))
    rows = []
    for view, table in zip(views, tables, strict=True):
        for index in np.ndindex(table.shape):
            rows.append(np.all(cells[:, list(view)] == index, axis=1))
    design = np.array(rows, float)
    fitted = design @ np.linalg.lstsq(design, np.concatenate([t.ravel() for t in tables]), rcond=None)[0]
    ends = np.cumsum([table.size for table in tables])[:-1]
    return [part.reshape(table.shape) for part, table in zip(np.split(fitted, ends), tables, strict=True)], design


# What is released.


@pytest.mark.parametrize("views", [[(2, 0, 1)], [(0,), (1, 2), (1, 2)]])
def test_one_record_more_loses_exactly_epsilon(views):
    for run in (
        lambda data, rng: noisy_views(data, views, 0.6, rng),
        lambda data, rng: priview(data, views, 0.6, rng).tables,
        lambda data, rng: priview(data, views, 0.6, rng, threshold=0, rounds=50).tables,
        lambda data, rng: answer(priview(data, views, 0.6, rng), (0, 1, 2)),
    ):
        assert loss_from_noise(run, one_more()) == pytest.approx(0.6, rel=1e-12)


def test_without_much_noise_views_and_answers_are_exact():
    records = seeded(2).integers(0, 3, (300, 4))
    synopsis = priview(records, [(0, 1, 3), (3, 2)], 1e12, seeded(), sizes=(3, 3, 4, 3))
    assert np.allclose(answer(synopsis, (3, 0)), marginal(records, (3, 0), sizes=(3, 3, 4, 3)), atol=1e-6)
    assert np.allclose(answer(synopsis, (2, 3)), marginal(records, (2, 3), sizes=(3, 3, 4, 3)), atol=1e-6)


# Agreement.


def test_the_books_example_to_the_digit():
    """004 section 6.3.3; with the printed denominator 2^|V| - |A| the two still disagree (A13)."""
    views, tables = [(1, 2), (1, 3)], [[[0.3, 0.3], [0.3, 0.1]], [[0.2, 0.3], [0.1, 0.4]]]
    agreed = mutual_consistency(views, tables, (1,))
    assert np.allclose(agreed[0].ravel(), [0.275, 0.275, 0.325, 0.125])
    assert np.allclose(agreed[1].ravel(), [0.225, 0.325, 0.075, 0.375])
    assert np.allclose(project(agreed[0], (1, 2), (2,)), [0.6, 0.4])
    assert np.allclose(project(agreed[1], (1, 3), (3,)), [0.3, 0.7])
    for table, other in zip(agreed, consistent(views, tables), strict=True):
        assert np.allclose(table, other)
    printed = printed_consistency(views, tables, (1,))
    first, second = (project(t, v, (1,)) for t, v in zip(printed, views, strict=True))
    assert not np.allclose(first, second) and first == pytest.approx([0.6 - 0.05 * 2 / 3, 0.4 + 0.05 * 2 / 3])


def test_two_views_of_unequal_size_agree_with_weights():
    """B20: the plain mean of (6.6) is for views of one size; a table of 8 cells weighs half as much as one of 4."""
    views = [(0, 1, 2), (1, 3)]
    tables = noisy_tables(views, (2,) * 4)
    for table, best in zip(mutual_consistency(views, tables, (1,)), consistent(views, tables), strict=True):
        assert np.allclose(table, best)
    agreed = project(consistent(views, tables)[0], views[0], (1,))
    parts = [project(table, view, (1,)) for view, table in zip(views, tables, strict=True)]
    assert np.allclose(agreed, (parts[0] + 2 * parts[1]) / 3)


OVERLAPS = [
    ([(0, 1), (1, 2), (2, 0)], (2, 2, 2)),
    ([(3, 0, 1), (1, 2, 3), (2, 0, 4)], (2,) * 5),
    ([(0, 1, 2, 3), (3, 4), (1,), (4, 0, 2)], (2,) * 5),
    ([(0, 1), (1, 2, 3), (3, 0)], (3, 2, 4, 3)),
    ([(0, 1), (0, 1), (1, 0)], (2, 5)),
]
ENDS = [([(0,)], (1,)), ([(), (1, 0), ()], (3, 2)), ([(i, i + 1) for i in range(39)], (4,) * 40)]


@pytest.mark.parametrize(("views", "sizes"), [*OVERLAPS, *ENDS])
def test_the_waves_that_are_shown_agree_as_those_that_are_used(views, sizes):
    tables = noisy_tables(views, sizes)
    for slow, fast in zip(plain_consistent(views, tables), consistent(views, tables), strict=True):
        assert slow.shape == fast.shape and np.allclose(slow, fast, rtol=0, atol=1e-12)
    for table, same in zip(tables, noisy_tables(views, sizes), strict=True):
        assert np.array_equal(table, same), "what is given is left as it is"
    (alone,) = plain_consistent(views[-1:], tables[-1:])
    assert np.allclose(alone, tables[-1], rtol=0, atol=1e-12), "one view agrees with itself"


@pytest.mark.parametrize(("views", "sizes"), OVERLAPS)
def test_agreement_is_least_squares(views, sizes):
    """Any sizes of views, any numbers of values; the exact error is the covariance of that estimate."""
    tables = noisy_tables(views, sizes)
    agreed = consistent(views, tables)
    fitted, design = least_squares(views, tables, sizes)
    for table, best in zip(agreed, fitted, strict=True):
        assert np.allclose(table, best, atol=1e-9)
    for again, table in zip(consistent(views, agreed), agreed, strict=True):
        assert np.allclose(again, table)
    hat, start = design @ np.linalg.pinv(design, rcond=1e-9), 0
    for view, table in zip(views, tables, strict=True):
        spread = np.trace(hat[start : start + table.size, start : start + table.size])
        assert view_error(views, view, sizes=sizes) == pytest.approx(len(views) ** 2 * spread)
        start += table.size


def test_step_by_step_in_the_books_order_gives_the_same():
    """All intersections, smallest first, for views of one size (Lemma 6.2 says why a step spoils no earlier one)."""
    views = [(0, 1, 2, 3), (2, 3, 4, 5), (0, 2, 4, 6), (1, 3, 5, 6)]
    tables = noisy_tables(views, (2,) * 7)
    shared = {
        tuple(sorted(set.intersection(*map(set, some))))
        for number in range(2, 5)
        for some in itertools.combinations(views, number)
    }
    stepped = tables
    for attributes in sorted(shared, key=len):
        before = stepped
        stepped = mutual_consistency(views, stepped, attributes)
        for view, old, new in zip(views, before, stepped, strict=True):
            kept = tuple(a for a in view if a not in attributes)
            assert np.allclose(project(new - old, view, kept) - (new - old).sum() / 2 ** len(kept), 0), (
                "tables over the other attributes move by the total only"
            )
    for table, best in zip(stepped, consistent(views, tables), strict=True):
        assert np.allclose(table, best)


def test_measured_errors_are_the_exact_ones_and_the_guideline_is_too_large():
    """400 releases, within 6 standard errors. (6.7) squared is 1.43 to 2.76 times the mean over all pairs."""
    views, rng = [(0, 1, 2), (2, 3), (3, 0, 1)], seeded(3)
    records = rng.integers(0, 2, (90, 4))
    for attributes in ((0, 1), (3,), (2, 3), ()):
        truth, errors = marginal(records, attributes), []
        for _ in range(400):
            synopsis = Synopsis(views, consistent(views, noisy_views(records, views, 1, rng)))
            errors.append(table_error(answer(synopsis, attributes), truth) ** 2 / 2)
        assert abs(np.mean(errors) - view_error(views, attributes)) < 6 * np.std(errors) / 20
    for d, size, mean, ratio in (
        (12, 8, 1265.45, 1.43),
        (16, 8, 3916.8, 1.68),
        (16, 4, 2320, 2.76),
        (32, 8, 36459.4, 2.49),
        (31, 6, 20997, 2.93),
    ):
        views = covering_design(d, size, 2)
        exact = np.mean([view_error(views, pair) for pair in itertools.combinations(range(d), 2)])
        assert exact == pytest.approx(mean, rel=2e-5)
        assert guideline_error(d, size, len(views)) / exact == pytest.approx(ratio, abs=0.005)


# Below zero.


def test_ripple_keeps_the_total_and_ends():
    """A14: (-1, -1) and (-3, 1, 1, 9) go on for ever at threshold 0; theta = 0.01 ends after 13 rounds."""
    for table in (np.array([-1.0, -1]), np.array([[-3.0, 1], [1, 9]]), seeded(6).normal(1, 4, (2,) * 6)):
        for rounds in (0, 1, 7, 100):
            assert ripple(table, 0.5, rounds).sum() == pytest.approx(table.sum(), abs=1e-9)
    assert ripple([-1, -1], 0, 5).tolist() == [-1, -1]
    two = np.array([[-3.0, 1], [1, 9]])
    assert ripple(two, 0, 1) == pytest.approx(np.array([[0, -0.5], [-0.5, 9]]))
    assert ripple(two, 0, 100).min() < 0
    assert ripple(two, 0.01, 12).min() < -0.01 <= ripple(two, 0.01, 13).min()


def test_ripple_takes_from_all_neighbours_alike():
    table = np.zeros((3, 2))
    table[0, 0] = -6
    assert ripple(table, 1, 1).tolist() == [[0, -2], [-2, 0], [-2, 0]]
    assert ripple([[-5.0]], 1, 3).tolist() == [[-5]]


def test_the_nearest_table_without_negative_cells():
    for seed in range(5):
        table = seeded(seed).normal(1, 3, (2, 3))
        near = nearest_nonnegative(table)
        assert near.min() >= 0 and near.sum() == pytest.approx(max(table.sum(), 0))
        if table.sum() > 0:
            found = optimize.minimize(
                lambda x, table=table: np.sum((x - table.ravel()) ** 2),
                np.full(6, table.sum() / 6),
                bounds=[(0, None)] * 6,
                constraints={"type": "eq", "fun": lambda x, table=table: x.sum() - table.sum()},
            )
            assert np.allclose(near.ravel(), found.x, atol=1e-3)
    assert not nearest_nonnegative([-3.0, 1]).any()


# Tables that no view holds.


def iterative_fitting(views, tables, attributes, shape):
    fitted = np.full(shape, tables[0].sum() / np.prod(shape))
    for _ in range(3000):
        for view, table in zip(views, tables, strict=True):
            part = tuple(a for a in attributes if a in view)
            ratio = project(table, view, part) / project(fitted, attributes, part)
            fitted = fitted * ratio.reshape([n if a in part else 1 for a, n in zip(attributes, shape, strict=True)])
    return fitted


@pytest.mark.parametrize("sizes", [(2, 2, 2, 2), (3, 2, 2, 4)])
def test_maximum_entropy_is_what_iterative_fitting_finds(sizes):
    records = np.column_stack([seeded(place).integers(0, size, 400) for place, size in enumerate(sizes)])
    records[:200, 1] = records[:200, 0] % 2
    views = [(0, 1), (1, 2), (2, 0), (3, 0)]
    tables = marginals(records, views, sizes=sizes)
    fit = maximum_entropy(views, tables, (0, 1, 2, 3))
    assert np.allclose(fit.table, iterative_fitting(views, tables, (0, 1, 2, 3), sizes), atol=1e-2)
    assert fit.gap < 0.01 and fit.table.sum() == pytest.approx(400)
    turned = maximum_entropy(views, tables, (2, 0, 3, 1)).table
    assert np.allclose(turned, fit.table.transpose(2, 0, 3, 1), atol=1e-3)


def test_maximum_entropy_where_it_is_known():
    """A chain a - b - c is T_ab T_bc / T_b; single attributes are independent; three pairs leave one number open.

    Two sets of pairs with the same table of least norm in cell 000, and with two of largest entropy: 0.4065348 belongs
    to the pairs that are unlike, 0.4115320 to those that are alike.
    """
    alike, pairs = [np.array([[0.5, 0.15], [0.15, 0.2]])] * 3, [(0, 1), (1, 2), (0, 2)]
    unlike = [np.array(table) for table in ([[0.45, 0.15], [0.15, 0.25]], *[[[0.5, 0.1], [0.15, 0.25]]] * 2)]
    for tables, corner in ((alike, 0.4115320), (unlike, 0.4065348)):
        fitted = iterative_fitting(pairs, tables, (0, 1, 2), (2, 2, 2))
        assert fitted[0, 0, 0] == pytest.approx(corner, abs=5e-8)
        assert np.allclose(maximum_entropy(pairs, tables, (0, 1, 2)).table, fitted, atol=1e-8)
        assert least_norm(pairs, tables, (0, 1, 2)).table[0, 0, 0] == pytest.approx(0.3875, abs=1e-6)
    ab, bc = np.array([[30.0, 20], [10, 40]]), np.array([[25.0, 15], [20, 40]])
    chain = maximum_entropy([(0, 1), (1, 2)], [ab, bc], (0, 1, 2))
    assert np.allclose(chain.table, ab[:, :, None] * bc[None] / ab.sum(axis=0)[:, None], atol=1e-4)
    singles = maximum_entropy([(0,), (1,), (2,)], [[40, 60], [20, 80], [70, 30]], (2, 0, 1)).table
    assert np.allclose(singles, np.einsum("i,j,k", [70, 30], [0.4, 0.6], [0.2, 0.8]), atol=1e-4)


def test_views_that_agree_need_not_have_a_table_in_common():
    """a unlike b, b unlike c, a unlike c: the largest error of any joint table is at least a sixth of the records."""
    views, tables = [(0, 1), (1, 2), (0, 2)], [np.array([[0.0, 300], [300, 0]])] * 3
    for table, same in zip(consistent(views, tables), tables, strict=True):
        assert np.allclose(table, same)
    assert least_violation(views, tables, (0, 1, 2)).gap == pytest.approx(100)
    for fit in (maximum_entropy(views, tables, (0, 1, 2)), least_norm(views, tables, (0, 1, 2))):
        assert fit.table.min() >= 0 and 100 - 1e-3 < fit.gap < 200


def test_least_norm_sets_unknown_waves_to_zero_or_meets_the_programmes_conditions():
    tables = [np.array([[30.0, 20], [10, 40]]), np.array([[25.0, 15], [20, 40]])]
    fit = least_norm([(0, 1), (1, 2)], tables, (0, 1, 2))
    free = np.linalg.pinv(least_squares([(0, 1), (1, 2)], tables, (2, 2, 2))[1]) @ np.concatenate(
        [t.ravel() for t in tables]
    )
    assert free.min() > 0 and np.allclose(fit.table.ravel(), free, atol=1e-4) and fit.gap < 1e-3
    sparse = [np.array([[50.0, 0], [3, 47]]), np.array([[51.0, 2], [1, 46]])]
    fit = least_norm([(0, 1), (1, 2)], sparse, (0, 1, 2))
    found = optimize.minimize(
        lambda x: np.sum(x**2),
        np.full(8, 12.5),
        bounds=[(0, None)] * 8,
        constraints=[
            {"type": "eq", "fun": lambda x: x.reshape(2, 2, 2).sum(axis=2).ravel() - sparse[0].ravel()},
            {"type": "eq", "fun": lambda x: x.reshape(2, 2, 2).sum(axis=0)[:, 0] - sparse[1][:, 0]},
        ],
        method="SLSQP",
    )
    assert np.allclose(fit.table.ravel(), found.x, atol=1e-2)


@pytest.mark.parametrize("reconstruct", [maximum_entropy, least_norm, least_violation])
def test_every_fit_is_non_negative_and_honest_about_its_gap(reconstruct):
    records = seeded(7).integers(0, 2, (60, 7)) * seeded(8).integers(0, 2, (60, 1))
    views = covering_design(7, 3, 2)
    for epsilon in (1e9, 1.0, 0.02):
        synopsis = priview(records, views, epsilon, seeded(9))
        fit = reconstruct(*synopsis, (0, 4, 2, 5))
        parts = [tuple(a for a in (0, 4, 2, 5) if a in view) for view in views]
        off = [
            np.abs(project(fit.table, (0, 4, 2, 5), part) - project(table, view, part)).max()
            for view, table, part in zip(*synopsis, parts, strict=True)
        ]
        assert fit.table.min() >= 0 and fit.gap == pytest.approx(max(off))
        assert (fit.gap < 1e-2) == (least_violation(*synopsis, (0, 4, 2, 5)).gap < 1e-6)


def test_a_total_below_zero_gives_an_empty_table():
    fit = maximum_entropy([(0,), (1,)], [[-3, -1], [-2, -2]], (0, 1))
    assert not fit.table.any() and fit.gap == 3
    assert not least_norm([(0,), (1,)], [[-3, -1], [-2, -2]], (0, 1)).table.any()


def test_priview_is_its_steps_with_the_threshold_and_the_rounds_that_were_asked_for():
    """Eight releases: in one of ten nothing is left to a higher threshold, or to a second round."""
    records, views = seeded(10).integers(0, 2, (40, 4)), [(0, 1, 2), (1, 2, 3)]
    tables = {(3.0, 5): [], (30.0, 5): [], (3.0, 1): []}
    for seed in range(8):
        agreed = consistent(views, noisy_views(records, views, 0.1, seeded(seed)))
        for (threshold, rounds), some in tables.items():
            released = priview(records, views, 0.1, seeded(seed), threshold=threshold, rounds=rounds)
            some.append(np.ravel(released.tables))
            wanted = consistent(views, [ripple(table, threshold, rounds) for table in agreed])
            assert some[-1] == pytest.approx(np.ravel(wanted))
    assert not any(np.allclose(tables[3.0, 5], tables[other]) for other in ((30.0, 5), (3.0, 1)))


# Bad input.


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: noisy_views(RECORDS, [], 1, seeded()), "at least one set"),
        (lambda: noisy_views(RECORDS, [(0, 3)], 1, seeded()), "from 0 to 2"),
        (lambda: priview(RECORDS, VIEWS, 1, seeded(), threshold=-1), "threshold"),
        (lambda: consistent([(0, 1)], [np.zeros((2, 2)), np.zeros(2)]), "one table a view"),
        (lambda: consistent([(0, 1)], [np.zeros(2)]), "one axis"),
        (lambda: consistent([(0, 1), (1,)], [np.zeros((2, 2)), np.zeros(3)]), "same number of values"),
        (lambda: consistent([(0,)], [[math.nan, 1]]), "tables"),
        (lambda: plain_consistent([(0, 1), (1,)], [np.zeros((2, 2)), np.zeros(3)]), "same number of values"),
        (lambda: ripple([1, 2], -1, 3), "threshold"),
        (lambda: ripple([1, 2], 1, 1.5), "rounds"),
        (lambda: maximum_entropy([(0, 1)], [np.ones((2, 2))], (2, 3)), "nothing known of 2, 3"),
        (lambda: maximum_entropy([(0, 1)], [np.ones((2, 2))], (1, 2)), "nothing known of 2"),
        (lambda: answer(Synopsis([(0, 1)], [np.ones((2, 2))]), (5,)), "nothing known"),
        (lambda: least_violation([tuple(range(9))], [np.ones((2,) * 9)], range(9)), "256 cells"),
        (lambda: view_error([(0, 1)], (1, 2)), "lies within a view"),
        (lambda: guideline_error(5, 1, 3), "size"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
