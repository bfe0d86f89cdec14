"""The ALP mechanism (source 003): its law, its exact loss, its estimator, the thresholded form, saving and reading.

Neighbours are vectors at L1 distance at most 1 (one record more or less, add/remove), unless a test says otherwise.
"""

import functools
import io
import itertools
import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dpbook.alp import (
    Sketch,
    ThresholdRelease,
    alp_estimate,
    alp_log_probability,
    alp_projection,
    coins,
    likelihood_steps,
    move_loss,
    one_entry_epsilon,
    plain_alp_estimate,
    plain_alp_projection,
    read_sketch,
    save_sketch,
    tail_bound,
    threshold_alp,
    threshold_estimate,
    threshold_vector,
    unit_steps,
    zero_threshold,
)
from dpbook.alp import sketch as sketches
from tests.alarms import FALSE_ALARM, counts_pvalue
from tests.generators import Fixed, Spy
from tests.refusals import NO_GENERATOR, NOT_POSITIVE, NOT_WHOLE, assert_refuses


def rng(seed=1):
    return np.random.default_rng(seed)


def unpacked(sketch):
    return np.unpackbits(sketch.bits, axis=1, count=sketch.buckets, bitorder="little")


def table_sketch(table, d=4, alpha=3.0, epsilon=1.0, seed=5):
    """A sketch with the given bits, one row a level."""
    bits = np.packbits(np.asarray(table, dtype=bool), axis=1, bitorder="little")
    levels, buckets = np.shape(table)
    return Sketch(bits, d, buckets, alpha, levels * alpha / epsilon, epsilon, seed)


def every_table(levels, buckets, **parameters):
    for bits in itertools.product((0, 1), repeat=levels * buckets):
        yield table_sketch(np.reshape(bits, (levels, buckets)), **parameters)


def slow_estimate(sketch, key):
    """Algorithm 3 of the source, letter by letter."""
    places = sketches.hashed(key, np.arange(sketch.levels), sketch.buckets, sketch.seed)
    heights = [0]
    for row, place in zip(unpacked(sketch), places, strict=True):
        heights.append(heights[-1] + (1 if row[place] else -1))
    best = [place for place, height in enumerate(heights) if height == max(heights)]
    return sketch.alpha / sketch.epsilon * sum(best) / len(best)


# The law of the release


def test_probabilities_of_all_tables_sum_to_one():
    for x in ([0, 0, 0, 0], [0.4, 0, 2, 7], [9, 9, 9, 9]):
        for seed in range(3):
            logs = [alp_log_probability(sketch, x) for sketch in every_table(3, 2, alpha=1.5, seed=seed)]
            assert math.isclose(np.exp(logs).sum(), 1, rel_tol=1e-12)


@pytest.mark.parametrize("x", [[1.7, 0.6], [50.0, 0.0]])
def test_release_has_the_exact_law(x):
    """With one bucket the hash functions cannot matter, so all releases share one law. Chi-square, fixed seed.

    So few draws see the shape of the law; that no bit and no rounding is 5 % off, the next two tests see exactly.
    Rows of the claims run the same on zeros and on one level.
    """
    generator, draws = rng(2), 8_000
    seen = np.zeros(8)
    for _ in range(draws):
        seen[unpacked(alp_projection(x, 1.5, 4.5, 1, 1.0, generator)).ravel() @ [4, 2, 1]] += 1
    expected = [math.exp(alp_log_probability(sketch, x)) for sketch in every_table(3, 1, d=2, alpha=1.5)]
    assert counts_pvalue(seen, expected) > FALSE_ALARM
    wrong = [math.exp(alp_log_probability(sketch, x)) for sketch in every_table(3, 1, d=2, alpha=2.0)]
    assert counts_pvalue(seen, wrong) < FALSE_ALARM  # the test can fail


class Bytes(Fixed):
    """A generator whose bytes are the given ones, over and over, and whose uniform numbers are all the same."""

    def __init__(self, uniform, values):
        super().__init__(uniform)
        self.values = np.asarray(values, dtype=np.uint8)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        return 5 if size is None else np.resize(self.values, 8 * size).view(np.uint64)


@pytest.mark.parametrize("alpha", [0.05, 0.5, 3.0, 20.0])
def test_each_bit_of_an_empty_table_is_one_with_chance_1_over_alpha_plus_2_exactly(alpha):
    """Every byte once a level: where the byte does not decide, one uniform number does, at the right place to 1e-9."""
    sure, rest = divmod(256 / (alpha + 2), 1)
    for uniform, ones in ((rest - 1e-9, sure + 1), (rest + 1e-9, sure)):
        sketch = alp_projection((np.empty(0, int), [], 9), alpha, 7 * alpha, 256, 1, Bytes(uniform, np.arange(256)))
        assert unpacked(sketch).sum(axis=1).tolist() == 7 * [ones]


def test_an_entry_is_rounded_by_one_uniform_number_at_the_right_place():
    """7.25 / 2 is 3.625 levels: a fourth where the number is above 0.375. No byte of 255 flips a bit."""
    for uniform, ones in ((0.0, 3), (0.375 - 1e-9, 3), (0.375 + 1e-9, 4), (1 - 2.0**-53, 4)):
        assert unpacked(alp_projection([7.25], 2.0, 12, 1, 1.0, Bytes(uniform, [255]))).sum() == ones


def test_the_published_seed_of_the_hash_functions_is_blind_to_the_data():
    """Another one for other draws, the same one for other data: a seed from the data would be a release by itself."""
    tables = ([0, 0, 0], [1, 0, 2], [7.5, 3, 90], ([1, 8], [2.0, 5.0], 10**6))
    assert len({alp_projection(x, 3, 10, 8, 1, rng(1)).seed for x in tables}) == 1
    assert len({alp_projection([1, 0, 2], 3, 10, 8, 1, rng(s)).seed for s in range(5)}) == 5


@pytest.mark.parametrize("chance", [0.001, 1 / 256, 0.2, 1 / 3, 0.4995])
def test_coins_fall_with_their_chance_and_independently(chance):
    thrown = coins((1_000, 1_003), chance, rng(4))
    assert stats.binomtest(int(thrown.sum()), thrown.size, chance).pvalue > FALSE_ALARM
    both = int((thrown[:, 1:] & thrown[:, :-1]).sum())
    assert abs(both - thrown.size * chance**2) < 6 * math.sqrt(thrown.size) * chance


def test_levels_with_more_buckets_than_a_block_holds():
    """The mean of 10 estimates, whose deviation is 0.34."""
    generator, estimates = rng(6), []
    for _ in range(10):
        sketch = alp_projection(([5], [8.0], 10), 3, 12, 600_000, 5, generator)
        assert sketch.bits.shape == (20, 75_000)
        estimates.append(alp_estimate(sketch, 5))
    assert math.isclose(np.mean(estimates), 8, abs_tol=1.75)


def test_entries_above_beta_count_as_beta():
    for table in every_table(2, 2):
        assert math.isclose(alp_log_probability(table, [0, 6, 0, 0]), alp_log_probability(table, [0, 6_000, 0, 0]))


# Privacy


@pytest.mark.parametrize(("alpha", "epsilon"), [(0.7, 1.0), (3.0, 1.0), (1.0, 0.3), (1.0, 2.0)])
def test_no_table_tells_neighbours_apart_by_more_than_epsilon(alpha, epsilon):
    """Every table has a probability, so this is the definition itself, for vectors at L1 distance exactly 1."""
    generator = rng(6)
    pairs = [(np.array([0.0, 3.0]), np.array([1.0, 3.0]))]
    for _ in range(12):
        x = generator.uniform(0, 3, 2)
        share = generator.uniform(0, 1)
        signs = generator.choice([-1, 1], 2)
        neighbour = x + signs * [share, 1 - share]
        pairs.append((x, np.maximum(neighbour, 0)))
    tables = [t for seed in range(3) for t in every_table(2, 2, d=2, alpha=alpha, epsilon=epsilon, seed=seed)]
    losses = [max(abs(alp_log_probability(t, x) - alp_log_probability(t, y)) for t in tables) for x, y in pairs]
    assert max(losses) <= epsilon + 1e-9
    assert losses[0] > 0.65 * epsilon


@pytest.mark.parametrize("alpha", [0.4, 1.0, 1.7, 5.0])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 1.3])
def test_exact_loss_of_a_move_in_one_entry(alpha, epsilon):
    """The worst start is a whole level: from 0 the loss is `move_loss`; from anywhere else it is not more."""
    levels = math.ceil(3 * epsilon / alpha) + 1
    levels = levels if levels < 9 else math.ceil(1.6 * epsilon / alpha) + 1  # 2,048 tables take their time
    tables = list(every_table(levels, 1, d=1, alpha=alpha, epsilon=epsilon))
    logs = functools.cache(lambda value: np.array([alp_log_probability(table, [value]) for table in tables]))
    for distance in (0.25, 1.0, 1.5):
        loss = {}
        for start in (0, 0.3 * alpha / epsilon, 0.6, 1.1):
            if start + distance <= levels * alpha / epsilon:
                loss[start] = np.abs(logs(start) - logs(start + distance)).max()
        assert 0 in loss
        assert math.isclose(loss[0], move_loss(distance, alpha, epsilon), rel_tol=1e-9)
        assert max(loss.values()) <= loss[0] + 1e-9
        assert loss[0] <= distance * epsilon + 1e-12


def test_a_unit_spread_over_many_entries_comes_near_to_epsilon():
    """Entries that each move by 1 / j in buckets of their own: exactly j ln(1 + epsilon / j), up to epsilon."""
    epsilon, seeds = 1.0, (seed for seed in itertools.count())
    for j, levels in ((2, 1), (4, 1)):
        buckets = 8
        seed = next(
            s for s in seeds if len(set(sketches.hashed(np.arange(j), np.zeros(1, int), buckets, s).tolist())) == j
        )
        ones = table_sketch(np.ones((levels, buckets)), d=j, alpha=3.0, epsilon=epsilon, seed=seed)
        loss = alp_log_probability(ones, np.full(j, 1 / j)) - alp_log_probability(ones, np.zeros(j))
        assert math.isclose(loss, j * math.log(1 + epsilon / j), rel_tol=1e-9)
        assert loss <= epsilon
    assert 1000 * move_loss(1 / 1000, 3, epsilon) > 0.999 * epsilon


@pytest.mark.parametrize("alpha", [0.3, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 1.5, 4.0])
def test_one_entry_epsilon_makes_a_unit_move_lose_exactly_epsilon(alpha, epsilon):
    inner = one_entry_epsilon(alpha, epsilon)
    assert inner > epsilon
    assert math.isclose(move_loss(1, alpha, inner), epsilon, rel_tol=1e-9)
    assert move_loss(1, alpha, inner * 1.01) > epsilon


# The hash functions


def test_hash_functions_spread_keys_evenly_and_independently_over_levels():
    """Chi-square with fixed seeds; consecutive keys and multiples of a power of two are the usual weak spots."""
    for keys in (np.arange(100_000), 4_096 * np.arange(100_000)):
        places = sketches.hashed(keys, np.arange(3)[:, None], 100, 7)
        assert places.min() == 0 and places.max() == 99
        for row in places:
            assert stats.chisquare(np.bincount(row, minlength=100)).pvalue > FALSE_ALARM
            fuller = np.where(np.arange(row.size) % 40 == 0, 0, row)  # one key of forty is sent to place 0
            assert stats.chisquare(np.bincount(fuller, minlength=100)).pvalue < FALSE_ALARM
        for one, other in itertools.combinations(places, 2):
            assert stats.chisquare(np.bincount(100 * one + other, minlength=10_000)).pvalue > FALSE_ALARM
        tied = np.where(np.arange(one.size) % 20 == 0, one, other)  # one key of twenty meets the same keys again
        assert stats.chisquare(np.bincount(100 * one + tied, minlength=10_000)).pvalue < FALSE_ALARM


def test_keys_that_meet_on_one_level_do_not_meet_on_the_others():
    places = sketches.hashed(np.arange(2_000), np.arange(40)[:, None], 50, 8)
    meets = places == places[:, :1]
    meets = meets[:, 1:]
    assert abs(meets.mean() - 1 / 50) < 0.002
    again = meets[1:][:, meets[0]]
    assert abs(again.mean() - 1 / 50) < 6 * math.sqrt(0.02 / again.size)


def test_another_seed_gives_other_hash_functions():
    one, other = (sketches.hashed(np.arange(10_000), np.zeros(1, int), 100, seed) for seed in (1, 2))
    assert abs(np.mean(one == other) - 0.01) < 0.006


def test_hash_functions_are_the_same_for_ever():
    """A sketch that was saved must be read by later versions too."""
    places = sketches.hashed(np.array([0, 1, 999_999]), np.array([[0], [5]]), 1_000, 12_345)
    assert places.tolist() == PINNED


PINNED = [[475, 498, 698], [156, 431, 10]]


# The estimator


@pytest.mark.parametrize("levels", [1, 2, 7, 63, 64, 65, 200])
def test_estimator_and_the_walk_that_is_shown_are_the_source_s(levels):
    """Every entry, at random bits and at the ends: all ones, no ones, and tops that tie."""
    draw = rng(levels)
    tables = [draw.random((levels, 5)) < chance for chance in (0, 0.2, 0.5, 0.8, 1)]
    for table in [*tables, np.arange(levels)[:, None] % 2 == [0, 1, 0, 1, 0]]:
        sketch = table_sketch(table, d=60, alpha=0.7, epsilon=1.3)
        expected = [slow_estimate(sketch, key) for key in range(60)]
        np.testing.assert_allclose(alp_estimate(sketch, np.arange(60)), expected, rtol=1e-12)
        np.testing.assert_allclose(alp_estimate(sketch, np.arange(60), patience=1e9), expected, rtol=1e-12)
        assert [plain_alp_estimate(sketch, key) for key in range(60)] == alp_estimate(sketch, np.arange(60)).tolist()
    assert alp_estimate(sketch, np.arange(60).reshape(5, 12)).shape == (5, 12)
    assert math.isclose(alp_estimate(sketch, 3), expected[3], rel_tol=1e-12)
    assert alp_estimate(sketch, []).shape == (0,)


def test_estimates_come_near_the_truth_when_epsilon_is_large():
    x = rng(9).uniform(0, 50, 200)
    sketch = alp_projection(x, 3, 60, 20_000, 500, rng(9))
    assert np.abs(alp_estimate(sketch, np.arange(200)) - x).max() < 0.2
    np.testing.assert_allclose(alp_estimate(alp_projection([80.0], 3, 60, 500, 500, rng(9)), [0]), 60, atol=0.2)


def test_patience_changes_next_to_nothing_and_reads_the_same_large_entries():
    x = (np.arange(300), np.linspace(1, 900, 300), 10**6)
    sketch = alp_projection(x, 3, 1_000, 4_096, 1, rng(10))
    every = np.arange(3_000)
    np.testing.assert_array_equal(alp_estimate(sketch, every, patience=64), alp_estimate(sketch, every))


def test_likelihood_steps_are_the_log_likelihood():
    """On a table of known fullness the step is ln(q / (p + (q - p) fullness)), and its mirror image for a zero."""
    keys = np.arange(3_000)
    sketch = alp_projection((keys, np.full(3_000, 90.0), 10**6), 3, 60, 8_192, 1, rng(11))
    up, down = likelihood_steps(sketch)
    ones = 0.2 + 0.6 * (1 - (1 - 1 / 8_192) ** 3_000)
    np.testing.assert_allclose(up, math.log(0.8 / ones), atol=0.06)
    np.testing.assert_allclose(down, math.log(0.2 / (1 - ones)), atol=0.06)
    empty = alp_projection(([5], [3.0], 10**6), 3, 60, 8_192, 1, rng(11))
    np.testing.assert_allclose(likelihood_steps(empty), math.log(4) * np.array(unit_steps(empty)), atol=0.2)


# Input


def test_dense_and_sparse_input_give_the_same_release():
    dense = np.zeros(500)
    dense[[3, 77, 400]] = [5.5, 60, 2]
    one = alp_projection(dense, 3, 50, 64, 1, rng())
    other = alp_projection(([400, 3, 77, 9], [2, 5.5, 60, 0], 500), 3, 50, 64, 1, rng())
    np.testing.assert_array_equal(one.bits, other.bits)
    assert (one.d, one.seed, one.levels) == (other.d, other.seed, 17)
    assert one.size_in_bits == 17 * 64


def test_memory_grows_with_the_entries_and_the_table_not_with_d():
    keys = 10**12 * np.arange(1_000)
    tracemalloc.start()
    sketch = alp_projection((keys, np.full(1_000, 30.0), 10**16), 3, 100, 8_192, 1, rng())
    alp_estimate(sketch, keys)
    threshold_alp((keys, np.full(1_000, 30.0), 10**16), 3, 8_192, 1, rng())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 30e6


SKETCH = alp_projection([1, 0, 2], 3, 10, 8, 1, rng())
RELEASE = threshold_alp([100, 0, 2], 3, 8, 1, rng())


def test_what_is_refused():
    vectors, indices = ([], [1, -1], [1, np.nan], [[1, 2]], "text", ([1], [-2], 5)), ([3], [-1], [0.5])
    good = {"x": [1, 0, 2], "alpha": 3, "beta": 10, "buckets": 8, "epsilon": 1, "rng": rng()}
    bad = {"x": vectors, "alpha": NOT_POSITIVE, "beta": NOT_POSITIVE, "buckets": (*NOT_WHOLE, 2**33)}
    assert_refuses(alp_projection, good, bad | {"epsilon": NOT_POSITIVE, "rng": NO_GENERATOR})
    assert_refuses(plain_alp_estimate, {"sketch": SKETCH, "index": 0}, {"index": (-1, 3, 1.5, None)})
    good = {"sketch": SKETCH, "indices": [0]}
    assert_refuses(alp_estimate, good, {"indices": (3, *indices), "patience": (0, -1, np.nan)})
    assert_refuses(threshold_estimate, {"release": RELEASE, "indices": [0]}, {"indices": indices})
    good = {"x": [1, 2], "threshold": 1, "epsilon": 1, "rng": rng()}
    bad = {"x": vectors, "threshold": NOT_POSITIVE, "epsilon": NOT_POSITIVE, "rng": NO_GENERATOR}
    assert_refuses(threshold_vector, good, bad)
    assert_refuses(zero_threshold, {"d": 10, "epsilon": 1}, {"d": (*NOT_WHOLE, 2), "epsilon": NOT_POSITIVE})
    good = {"x": [1, 0, 2], "alpha": 3, "buckets": 8, "epsilon": 1, "rng": rng()}
    bad = {"x": vectors, "alpha": NOT_POSITIVE, "buckets": NOT_WHOLE, "epsilon": NOT_POSITIVE, "rng": NO_GENERATOR}
    assert_refuses(threshold_alp, good, bad | {"share": (0, 1, np.nan)})
    bad = {"alpha": NOT_POSITIVE, "epsilon": NOT_POSITIVE}
    assert_refuses(move_loss, {"distance": 1, "alpha": 3, "epsilon": 1}, {"distance": (-1, np.nan)} | bad)
    assert_refuses(one_entry_epsilon, {"alpha": 3, "epsilon": 1}, bad)
    assert_refuses(alp_log_probability, {"sketch": SKETCH, "x": [1, 0, 2]}, {"x": ([1, 2], *vectors)})
    thirteen = alp_projection(np.ones(13), 3, 10, 8, 1, rng())
    assert_refuses(alp_log_probability, {"sketch": thirteen}, {"x": (np.ones(13),)})


@pytest.mark.parametrize(
    ("x", "named"),
    [
        (([1, 1], [2, 3], 5), "indices"),
        (([5], [2], 5), "indices"),
        (([-1], [2], 5), "indices"),
        (([0.5], [2], 5), "indices"),
        (([1], [2, 3], 5), "values"),
        (([1], [np.inf], 5), "values"),
        (([1], [2], 0), "d"),
        (([1], [2], 5.0), "d"),
    ],
)
def test_refusals_name_what_is_wrong_with_a_sparse_vector(x, named):
    with pytest.raises(ValueError, match=rf"^{named} must be"):
        alp_projection(x, 3, 10, 8, 1, rng())


def test_refusals_of_what_several_arguments_make_together():
    with pytest.raises(ValueError, match=r"^beta epsilon / alpha must be"):
        alp_projection([1, 0, 2], 1e-320, 10, 8, 1, rng())
    with pytest.raises(ValueError, match=r"^d must be"):
        threshold_alp([1, 0], 3, 8, 1, rng())


# The thresholded form


def test_threshold_lets_one_zero_through_on_average():
    """Source 003 Lemma 5.2: half of exp(-t epsilon) is exactly 1 / d."""
    for d, epsilon in ((10, 1.0), (10**6, 0.1)):
        assert math.isclose(0.5 * math.exp(-zero_threshold(d, epsilon) * epsilon), 1 / d)


def replayed_threshold_vector(spy, keys, values, d, threshold, epsilon):
    """What the draws that a `Spy` noted must give, with the scales and chances that epsilon needs."""
    assert spy.asked("laplace", "scale") == [pytest.approx(1 / epsilon, rel=1e-12)]
    assert spy.asked("binomial", "n") == [d - len(keys)]
    assert spy.asked("binomial", "p") == [pytest.approx(stats.laplace.sf(threshold, scale=1 / epsilon), rel=1e-12)]
    assert spy.asked("exponential", "scale") == [pytest.approx(1 / epsilon, rel=1e-12)]
    noisy = np.array(values) + spy.gave("laplace")[0]
    above = {key: value for key, value in zip(keys, noisy, strict=True) if value >= threshold}
    drawn = np.concatenate([*spy.gave("choice"), []]).astype(int)  # among those without an entry, all alike
    zeros = np.setdiff1d(np.arange(d), keys)[drawn].tolist()
    return above | dict(zip(zeros, threshold + spy.gave("exponential")[0], strict=True))


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_threshold_vector_asks_for_exactly_the_noise_that_it_promises(epsilon):
    """Every number that is drawn, its scale or its chance, and that nothing else is released."""
    keys, values, d, threshold = [3, 10, 40], [2.0, 9.0, 30.0], 5_000, 3.0 / epsilon
    for seed in range(5):
        spy = Spy(seed)
        indices, released = threshold_vector((keys, values, d), threshold, epsilon, spy)
        expected = replayed_threshold_vector(spy, keys, values, d, threshold, epsilon)
        assert dict(zip(indices.tolist(), released.tolist(), strict=True)) == pytest.approx(expected)
        assert spy.asked("choice", "a") == [d - 3] and len(set(spy.gave("choice")[0])) == spy.gave("binomial")[0] > 0
        assert np.all(np.diff(indices) > 0), "the order must not tell the zeros from the others"


@pytest.mark.parametrize("share", [0.25, 0.5, 0.9])
def test_threshold_alp_spends_share_on_the_list_and_the_rest_on_the_sketch_and_no_more(share):
    """epsilon of the list, from the noise it asked for, and of the sketch add up to epsilon."""
    epsilon, spy, keys, values, d = 0.8, Spy(), [3, 10], [2.0, 90.0], 1_000
    release = threshold_alp((keys, values, d), 3, 64, epsilon, spy, share=share)
    threshold = zero_threshold(d, share * epsilon)
    expected = replayed_threshold_vector(spy, keys, values, d, threshold, share * epsilon)
    assert dict(zip(release.indices.tolist(), release.values.tolist(), strict=True)) == pytest.approx(expected)
    assert 1 / spy.asked("laplace", "scale")[0] + release.sketch.epsilon == pytest.approx(epsilon, rel=1e-12)
    alone = alp_projection((keys, values, d), 3, threshold, 64, (1 - share) * epsilon, rng(3))
    assert (release.sketch.levels, release.sketch.alpha) == (alone.levels, alone.alpha)


def test_threshold_alp_reads_large_entries_from_the_list_and_small_ones_from_the_sketch():
    keys, values, d = np.arange(0, 3_000, 3), np.concatenate([np.full(500, 5.0), np.full(500, 400.0)]), 10**6
    release = threshold_alp((keys, values, d), 3, 16_384, 2.0, rng(17))
    estimates = threshold_estimate(release, keys)
    assert set(keys[500:]) <= set(release.indices)
    assert release.sketch.beta == zero_threshold(d, 1.0)
    assert release.sketch.epsilon == 1.0
    assert np.abs(estimates[500:] - 400).mean() < 1.2
    assert np.abs(estimates[:500] - 5).mean() < 4
    stored = np.isin(release.indices, keys)
    np.testing.assert_array_equal(threshold_estimate(release, release.indices), release.values)
    assert np.count_nonzero(~stored) < 10
    assert release.size_in_bits == release.indices.size * 84 + release.sketch.size_in_bits
    assert threshold_estimate(release, 0).shape == ()
    empty = replace(release, indices=np.empty(0, int), values=np.empty(0))
    assert threshold_estimate(empty, [5]) == alp_estimate(release.sketch, [5])


def walk_comes_back(flip, steps, far=400):
    """Exactly, by dynamic programming: a walk, up with probability `flip`, is at 0 or above at some time >= steps."""
    law = np.zeros(2 * far + 1)  # of the walk's place, from -far to far
    law[far] = 1
    came_back = 0.0
    for time in range(far):
        if time >= steps:
            came_back += law[far:].sum()
            law[far:] = 0  # counted once
        law = flip * np.roll(law, 1) + (1 - flip) * np.roll(law, -1)
    return came_back


@pytest.mark.parametrize("alpha", [0.5, 1.0, 3.0, 10.0])
def test_tail_bound_is_the_exact_chance_that_a_walk_comes_back_and_below_the_formula(alpha):
    flip = 1 / (alpha + 2)
    for steps in (1, 2, 3, 6, 11, 20):
        bound = float(tail_bound((steps + 0.5) * alpha / 2.0, alpha, 2.0))
        assert bound == pytest.approx(min(1, 2 * walk_comes_back(flip, steps)), rel=1e-3)
        assert bound <= 4 * (4 * flip * (1 - flip)) ** (steps / 2)
    assert np.all(np.diff(tail_bound(np.arange(60.0), alpha, 1.0)) <= 1e-12) and tail_bound(0, alpha, 1.0) == 1


# Saving


@pytest.mark.parametrize("release", [SKETCH, RELEASE], ids=["sketch", "threshold release"])
def test_what_was_saved_is_read_back(release, tmp_path):
    for file in (tmp_path / "release.npz", io.BytesIO()):
        save_sketch(file, release)
        if isinstance(file, io.BytesIO):
            file.seek(0)
        back = read_sketch(file)
        assert type(back) is type(release)
        one, other = (each.sketch if isinstance(each, ThresholdRelease) else each for each in (release, back))
        np.testing.assert_array_equal(one.bits, other.bits)
        assert replace(one, bits=None) == replace(other, bits=None)
        read = threshold_estimate if isinstance(release, ThresholdRelease) else alp_estimate
        np.testing.assert_array_equal(read(release, [0, 1, 2]), read(back, [0, 1, 2]))


def test_a_saved_sketch_holds_nothing_of_the_data_but_the_bits(tmp_path):
    save_sketch(tmp_path / "release.npz", SKETCH)
    with np.load(tmp_path / "release.npz") as stored:
        assert set(stored) == {"bits", "d", "buckets", "alpha", "beta", "epsilon", "seed"}
        assert stored["bits"].nbytes == SKETCH.levels * math.ceil(SKETCH.buckets / 8)


def test_another_file_is_refused(tmp_path):
    archive, array = io.BytesIO(), io.BytesIO()
    np.savez(archive, bits=np.zeros(3))
    np.save(array, np.zeros(3))
    path = tmp_path / "other.npz"
    for content in (b"", b"text", b"PK\x03\x04", archive.getvalue(), array.getvalue()):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"^file must be"):
            read_sketch(path)


# The loops that can be read, and the fast ones.


@pytest.mark.parametrize(
    ("x", "alpha", "beta", "buckets", "epsilon"),
    [
        ([0.0], 3.0, 10, 1, 1.0),
        ([0.4, 0.0, 2.5], 1, 1, 1, 1),
        ([1e9, 0.0, 7.0, 7.0], 0.5, 3, 5, 0.3),
        (np.arange(300) % 40, 3.0, 30, 64, 1.0),
        (np.arange(300) % 40, 0.7, 100, 1_000, 1.3),
        ((np.array([10**12, 5, 7]), np.array([4.0, 0.2, 90.0]), 10**12 + 1), 2.0, 50, 9, 1.0),
        ((np.array([], dtype=int), np.array([]), 3), 2.0, 50, 8, 1.0),
        (np.arange(50.0), 1.0, 64, 4_096, 1.0),
    ],
)
def test_the_loop_that_is_shown_makes_the_sketch_that_is_released(x, alpha, beta, buckets, epsilon):
    """The same bits and the same parameters from the same random numbers; the last table holds 262,144 bits."""
    for seed in range(10):
        slow, fast = (
            make(x, alpha, beta, buckets, epsilon, rng(seed)) for make in (plain_alp_projection, alp_projection)
        )
        assert np.array_equal(slow.bits, fast.bits) and slow.bits.dtype == fast.bits.dtype
        assert replace(slow, bits=None) == replace(fast, bits=None)
