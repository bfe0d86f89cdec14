"""PrivBayes and DPPro, the rivals of source 001. Neighbours REPLACE a record; the number of records is public.

Every statistical test draws from a fixed seed; its false-alarm rate is said there.
"""

import itertools
import math

import numpy as np
import pytest

from dpbook.claims.losses import loss_from_noise
from dpbook.exponential import exponential_mechanism, log_selection_probabilities
from dpbook.gaussian import gaussian_scale
from dpbook.marginals import (
    Link,
    dependence_quality,
    dppro,
    information_quality,
    information_sensitivity,
    kenthapadi_scale,
    marginal,
    private_network,
    privbayes,
    quality_sensitivity,
    rivals,
    squared_distances,
    table_error,
)
from dpbook.marginals.rivals import row_shift
from tests.generators import Spy, assert_chooses_by, seeded


def two_by_two(n):
    """Every table of n records over two yes-or-no attributes, with all that come of replacing one record."""
    for cells in itertools.product(range(n + 1), repeat=4):
        if sum(cells) == n:
            table = np.array(cells).reshape(2, 2)
            for out, into in itertools.permutations(range(4), 2):
                if cells[out]:
                    moved = table.ravel().copy()
                    moved[[out, into]] += [-1, 1]
                    yield table, moved.reshape(2, 2)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_the_qualitys_sensitivity_by_enumeration(n):
    """R: published 3/n + 2/n^2; for all tables of up to 8 records the truth is 2 (n - 1) / n^2."""
    worst = max(abs(dependence_quality(table) - dependence_quality(moved)) for table, moved in two_by_two(n))
    assert worst == pytest.approx(2 * (n - 1) / n**2) and worst < quality_sensitivity(n) == 3 / n + 2 / n**2


def test_the_quality_sees_dependence_only():
    assert dependence_quality(np.outer([0.2, 0.8], [3, 4, 5])) == pytest.approx(0)
    assert dependence_quality(np.eye(2)) == pytest.approx(0.5)
    assert dependence_quality(np.ones((2, 2, 2)) * 3) == pytest.approx(0)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_the_informations_sensitivity_by_enumeration(n):
    """I: log2(n)/n + (n - 1)/n log2(n/(n - 1)) is reached, from two records on."""
    moves = [abs(information_quality(table) - information_quality(moved)) for table, moved in two_by_two(n)]
    assert max(moves) == pytest.approx(information_sensitivity(n) if n > 1 else 0)


def test_information_of_many_values():
    """Three by three, four records: no replaced one moves it farther than the second formula; in bits."""
    worst = 0.0
    for cells in itertools.combinations_with_replacement(range(9), 4):
        table = np.bincount(cells, minlength=9)
        for into in range(9):
            moved = table - (np.arange(9) == cells[0]) + (np.arange(9) == into)
            worst = max(worst, abs(information_quality(table.reshape(3, 3)) - information_quality(moved.reshape(3, 3))))
    assert information_sensitivity(4) < worst <= information_sensitivity(4, binary=False) + 1e-12
    assert information_sensitivity(4, binary=False) == pytest.approx(np.log2(5 / 2) / 2 + 3 / 4 * np.log2(5 / 3))
    for sizes, binary in ([2, 2], True), ([2, 3], False):
        assert rivals.SCORES["information"][1](4, sizes) == information_sensitivity(4, binary=binary)
    assert information_quality(np.eye(4)) == pytest.approx(2) and information_quality(np.ones((2, 2, 2))) == 0


def replaced():
    three = np.array(list(itertools.product((0, 1), repeat=3)))
    for data in (three[:2], three[[0, 3, 3, 6, 7]]):
        for other in three:
            yield data, np.vstack([other, data[1:]])


SCORES = {
    "distance": (dependence_quality, quality_sensitivity),
    "information": (information_quality, information_sensitivity),
}


@pytest.mark.parametrize("score", SCORES)
def test_the_network_is_drawn_from_that_law(score):
    """Where each network begins is drawn blindly, and set here; then one uniform number chooses its first link."""
    records = np.repeat([[0, 0, 1], [1, 1, 0], [0, 0, 0]], [5, 4, 3], axis=0)
    quality_of, moves = SCORES[score]
    for start in range(3):
        links = [Link(a, (start,)) for a in range(3) if a != start]

        def chosen(rng, start=start, links=links):
            rng.integers = lambda high: start
            return links.index(private_network(records, 1, 8.0, rng, score=score)[1])

        quality = [quality_of(marginal(records, (link.attribute, *link.parents))) for link in links]
        assert_chooses_by(np.exp(log_selection_probabilities(quality, moves(12), 8.0 / 2)), chosen)


@pytest.mark.parametrize("d", [2, 3, 5])
def test_the_choices_of_a_network_share_epsilon(monkeypatch, d):
    """However many attributes there are: what `exponential_mechanism` is given adds up, one choice for each but one."""
    given, records = [], seeded(5).integers(0, 2, (9, d))

    def heard(quality, sensitivity, epsilon, rng):
        given.append(epsilon)
        return exponential_mechanism(quality, sensitivity, epsilon, rng)

    monkeypatch.setattr(rivals, "exponential_mechanism", heard)
    private_network(records, 1, 0.8, seeded())
    assert given == pytest.approx([0.8 / (d - 1)] * (d - 1))


@pytest.mark.parametrize("degree", [1, 2])
def test_the_bought_tables_lose_the_rest_of_epsilon(degree):
    """Where the network is the same (a generator that always takes the first), the noise alone: at most 0.7 epsilon."""

    def run(data, rng):
        rng.random = lambda size=None: 0.0 if size is None else np.full(size, 0.5)
        rng.integers = lambda high: 0
        return privbayes(data, degree, 1.0, rng)

    worst = loss_from_noise(run, list(replaced()))
    assert worst == pytest.approx(0.7)


def test_synthetic_records_resemble_the_true_ones_when_there_is_little_noise():
    rng = seeded(2)
    records = rng.integers(0, 3, (20_000, 5))
    records[:, 3] = (records[:, 1] + (rng.random(20_000) < 0.2)) % 3
    made = privbayes(records, 2, 1e9, seeded(3), sizes=(3,) * 5)
    assert made.shape == records.shape and made.min() >= 0 and made.max() <= 2
    for pair in ((1, 3), (0, 4), (3, 2)):
        truth = marginal(records, pair, sizes=(3,) * 5)
        # nine cells of binomial counts: the squared distance averages 2 N (a fresh sample) and is never 20 N
        assert table_error(marginal(made, pair, sizes=(3,) * 5), truth) ** 2 < 20 * 20_000
    same = [privbayes(records, 1, 1.0, seeded(4), sizes=(3,) * 5) for _ in range(2)]
    assert np.array_equal(*same)


# DPPro.


def test_the_least_scale_is_exact_and_the_published_one_larger():
    assert gaussian_scale(1, 1, 1e-5) == pytest.approx(3.7306, abs=5e-5)
    assert kenthapadi_scale(1, 1, 1e-5) == pytest.approx(4.8621, abs=5e-5)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 0.6, 3.0, 50.0, 700.0])
def test_the_published_scale_keeps_its_delta_up_to_one_half_and_is_refused_above(epsilon):
    """At epsilon 0.6 and a claimed 0.9 the formula gives a delta of 0.927, at a claimed 0.99 no number at all."""
    for delta in (1e-300, 1e-12, 0.1, 0.5):
        assert kenthapadi_scale(1, epsilon, delta) >= gaussian_scale(1, epsilon, delta)
    for delta in (0.51, 0.9, 1 - 1e-12):
        with pytest.raises(ValueError, match=r"^delta must be a probability above 0 and at most 1/2"):
            kenthapadi_scale(1, epsilon, delta)


@pytest.mark.parametrize("protects", ["record", "attribute"])
def test_dppro_adds_that_noise_to_the_projection(protects):
    """A noise of its own for each number, as drawn; no replaced record shifts its row farther than the bound."""
    records, spy = seeded(5).integers(0, 2, (100, 6)), Spy(6)
    released = dppro(records, 8, 0.7, 1e-6, spy, protects=protects)
    assert np.allclose(np.abs(released.matrix), 1 / math.sqrt(8))
    assert np.any(released.matrix > 0) and np.any(released.matrix < 0)
    shift = row_shift(released.matrix, protects)
    assert [released.scale] == spy.asked("normal", "scale") == [pytest.approx(gaussian_scale(shift, 0.7, 1e-6))]
    (noise,) = spy.gave("normal")
    assert noise.shape == (100, 8) and released.release == pytest.approx(records @ released.matrix + noise)
    changes = np.array(list(itertools.product((-1, 0, 1), repeat=6)))
    changes = changes if protects == "record" else changes[np.abs(changes).sum(axis=1) == 1]
    longest = np.linalg.norm(changes @ released.matrix, axis=1).max()
    assert longest <= shift + 1e-12 and (protects == "record" or longest == pytest.approx(shift))


def test_a_row_moves_as_far_as_the_longest_row_of_the_matrix():
    matrix = np.array([[3.0, 4.0], [1.0, 0.0]])
    assert row_shift(matrix, "attribute") == 5.0 <= row_shift(matrix, "record")


def test_squared_distances_are_unbiased():
    """2,000 releases: the mean is within 6 standard errors of the true squared distances (false alarm below 1e-8)."""
    records, rng = np.array([[0, 0, 0, 0, 1], [1, 1, 1, 0, 1]]), seeded(7)
    drawn = [squared_distances(dppro(records, 4, 5, 1e-2, rng), [0, 1], [1, 1])[0] for _ in range(2000)]
    assert abs(np.mean(drawn) - 3) < 6 * np.std(drawn) / math.sqrt(2000)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: privbayes(np.zeros((0, 3), int), 1, 1, seeded()), "at least one record"),
        (lambda: privbayes([[0, 1, 1]], 3, 1, seeded()), "degree"),
        (lambda: privbayes([[0, 1, 1]], 0, 1, seeded()), "degree"),
        (lambda: privbayes([[0, 1, 2]], 1, 1, seeded()), "records"),
        (lambda: privbayes([[0, 1, 1]], 1, 1, seeded(), network_share=1), "network_share"),
        (lambda: privbayes([[0, 1, 1]], 1, 1, seeded(), score="R"), "score"),
        (lambda: information_sensitivity(0), "n must"),
        (lambda: dppro([[0, 1, 2]], 2, 1, 0.1, seeded()), "records"),
        (lambda: dppro([[0, 1, 1]], 0, 1, 0.1, seeded()), "directions"),
        (lambda: dppro([[0, 1, 1]], 2, 1, 0, seeded()), "delta"),
        (lambda: dppro([[0, 1, 1]], 2, 1, 0.1, seeded(), protects="person"), "protects"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
