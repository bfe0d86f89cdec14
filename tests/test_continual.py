"""Continual counting (source 000, section 6, appendices C and E): exact laws, privacy, intruders, sketches.

Neighbours are streams that differ by at most one unit in one item, one event more or less at one time (add/remove).
"""

import inspect
import itertools
import math

import numpy as np
import pytest
from scipy import optimize

from dpbook import continual
from dpbook.continual import (
    PanPrivateCounter,
    binary_counter,
    binary_counter_error,
    compressive_counter,
    first_bins,
    haar_prefix,
    hiding_shifts,
    node_sketches,
    node_sums,
    nodes_holding,
    nodes_read,
    pan_private_counter,
    prefix_estimate,
    running_totals,
    segment_levels,
    sketch_at,
    sketch_noise,
    tree_levels,
)
from dpbook.sparse import bernoulli_operator, cosine_basis, haar_basis, hadamard_operator, measurements
from tests.generators import Spy
from tests.refusals import NO_GENERATOR, NOT_POSITIVE, assert_refuses

LENGTHS = [1, 2, 3, 7, 8, 13, 64, 100]


def linear(function, size):
    """The matrix of a linear function of `size` numbers."""
    return np.column_stack([function(unit) for unit in np.eye(size)])


# The tree


def test_worked_example_thirteen_items_read_three_nodes():
    assert nodes_read(13) == [13, 12, 8]
    assert node_sums(np.ones(8)).tolist() == [1, 2, 1, 4, 1, 2, 1, 8]
    assert nodes_holding(1, 8) == [1, 2, 4, 8] and nodes_holding(5, 8) == [5, 6, 8]
    assert [tree_levels(steps) for steps in (1, 2, 1023, 1024, 65_536)] == [1, 2, 10, 11, 17]


@pytest.mark.parametrize("steps", LENGTHS)
def test_the_nodes_read_make_up_each_total_and_no_item_is_in_more_nodes_than_levels(steps):
    holds = np.zeros((steps, steps), dtype=int)  # holds[node - 1, item - 1], from the definition of nodes_holding
    for item in range(1, steps + 1):
        holds[[node - 1 for node in nodes_holding(item, steps)], item - 1] = 1
    for time in range(1, steps + 1):
        read = [node - 1 for node in nodes_read(time)]
        assert len(read) == bin(time).count("1")
        assert holds[read].sum(axis=0).tolist() == [1] * time + [0] * (steps - time)
    assert np.array_equal(linear(node_sums, steps), holds)
    assert holds.sum(axis=0).max() == holds[:, 0].sum() == tree_levels(steps)


@pytest.mark.parametrize("steps", LENGTHS)
def test_totals_and_nodes_are_each_others_inverse(steps):
    stream = np.random.default_rng(steps).integers(0, 9, steps)
    assert running_totals(node_sums(stream)).tolist() == np.cumsum(stream).tolist()
    np.testing.assert_allclose(linear(running_totals, steps) @ linear(node_sums, steps), np.tri(steps), atol=1e-12)


# The binary counter


@pytest.mark.parametrize("counter", [binary_counter, pan_private_counter])
def test_without_noise_the_counters_count(counter):
    stream = np.random.default_rng(1).poisson(3, 1000)
    np.testing.assert_allclose(counter(stream, 1e12, np.random.default_rng(2)), np.cumsum(stream), atol=1e-6)


def test_binary_counter_adds_laplace_noise_of_scale_levels_over_epsilon_to_each_node():
    """What is asked of the generator, exactly, and that each node gets a noise of its own."""
    stream, spy = np.arange(45_000.0), Spy(3)
    errors = binary_counter(stream, 0.5, spy) - np.cumsum(stream)
    assert spy.asked("laplace", "scale") == [16 / 0.5]  # 45,000 items, 16 levels
    np.testing.assert_allclose(node_sums(np.diff(errors, prepend=0)), *spy.gave("laplace"), atol=1e-4)


def test_exact_error_matches_the_linear_map():
    steps, epsilon = 100, 0.5
    times = np.arange(1, steps + 1)
    weights = linear(running_totals, steps)
    exact = np.sqrt((weights**2).sum(axis=1) * 2) * tree_levels(steps) / epsilon
    assert binary_counter_error(times, steps, epsilon) == pytest.approx(exact)


# Pan-privacy


@pytest.mark.parametrize("steps", LENGTHS)
def test_object_and_function_are_the_same_counter(steps):
    stream = np.random.default_rng(steps).normal(size=steps)
    rng = np.random.default_rng(4)
    counter = PanPrivateCounter(steps, 0.7, rng)
    one_by_one = [float(counter.add(item, rng)) for item in stream]
    np.testing.assert_allclose(one_by_one, pan_private_counter(stream, 0.7, np.random.default_rng(4)), atol=1e-9)
    assert counter.time == steps


def test_the_object_keeps_neither_items_nor_exact_sums_nor_a_generator():
    """All that it holds, after the items are gone: noise and one noisy number, of scale (1 + log2 T) / epsilon."""
    rng, many = Spy(5), 45
    counter = PanPrivateCounter(64, 0.5, rng, shape=(many,))
    for item in (1000.0, 7.0):
        counter.add(np.full(many, item), rng)
        assert set(vars(counter)) == {"steps", "time", "scale", "noisy_total", "segment_noise"}
    assert counter.segment_noise.shape == (6, many)
    initial, *_, last = rng.gave("laplace")
    np.testing.assert_allclose(counter.noisy_total - 1007, initial)
    np.testing.assert_array_equal(counter.segment_noise[0], last[0])


def test_every_noise_of_the_pan_private_counters_has_the_promised_scale_exactly():
    """The initial one and that of each segment, as asked of the generator; one noise a segment that starts."""
    one_by_one, at_once = Spy(), Spy()
    counter = PanPrivateCounter(13, 0.5, one_by_one)
    for _ in range(13):
        counter.add(1.0, one_by_one)
    pan_private_counter(np.ones(13), 0.5, at_once)
    scale = (1 + segment_levels(13)) / 0.5
    starting = [sum(time % 2**level == 0 for level in range(segment_levels(13))) for time in range(13)]
    assert one_by_one.asked("laplace", "scale") == [scale] * 14
    assert one_by_one.asked("laplace", "size") == [(), *((count,) for count in starting)]
    assert at_once.asked("laplace", "scale") == [scale]
    assert at_once.gave("laplace")[0].size == 1 + sum(starting)


def observed(item, intrusion, steps):
    """What each noise adds to all that is seen: the matrix of (outputs at 1..T, memory after `intrusion`) x noises.

    Noises: the initial one, then segment (level, start); written from appendix E, not from the module. Also the
    change of the same observations when item number `item` grows by one unit.
    """
    levels = range(max(1, math.ceil(math.log2(steps))))
    noises = [None] + [(level, start) for level in levels for start in range(0, steps, 2**level)]
    matrix, change = [], []
    for time in range(1, steps + 1):
        matrix.append([noise is None or noise[1] <= time - 1 < noise[1] + 2 ** noise[0] for noise in noises])
        change.append(item <= time)
    matrix.append([noise is None for noise in noises])
    change.append(item <= intrusion)
    for number, noise in enumerate(noises):
        if noise and intrusion and noise[1] <= intrusion - 1 < noise[1] + 2 ** noise[0]:
            matrix.append(np.arange(len(noises)) == number)
            change.append(False)
    return np.array(matrix, dtype=float), np.array(change, dtype=float), noises


@pytest.mark.parametrize("steps", [1, 2, 5, 8, 16])
def test_pan_privacy_proof_every_item_can_be_hidden_from_every_intruder_within_the_sensitivity(steps):
    """A shift of the noises of L1 length s turns one stream's view into the other's, so the loss is at most s / scale.

    The views are the outputs and the memory. All items, all intrusions; the sensitivity 1 + levels is needed.
    """
    lengths = []
    for item, intrusion in itertools.product(range(1, steps + 1), range(steps + 1)):
        matrix, change, noises = observed(item, intrusion, steps)
        initial, segments = hiding_shifts(item, intrusion, steps)
        shift = np.array([initial if noise is None else segments.get(noise, 0) for noise in noises])
        assert set(segments) <= set(noises)
        np.testing.assert_array_equal(matrix @ shift + change, 0)
        lengths.append(np.abs(shift).sum())
    assert max(lengths) <= 1 + segment_levels(steps)
    assert steps < 4 or steps & (steps - 1) or max(lengths) == 1 + segment_levels(steps)


def test_no_shorter_shift_hides_the_last_item_and_none_at_all_hides_it_from_two_intrusions():
    """Linear programme over all shifts, T = 8: the shortest for item 8 has length 4 = 1 + log2 T."""
    matrix, change, _ = observed(8, 8, 8)
    size = matrix.shape[1]
    best = optimize.linprog(np.ones(2 * size), A_eq=np.hstack([matrix, -matrix]), b_eq=-change, bounds=(0, None))
    assert best.fun == pytest.approx(4)
    second, change_there, _ = observed(5, 3, 8)
    both, change_here, _ = observed(5, 6, 8)
    together, needed = np.vstack([second, both]), np.append(change_there, change_here)
    none = optimize.linprog(np.ones(2 * size), A_eq=np.hstack([together, -together]), b_eq=-needed, bounds=(0, None))
    assert none.status == 2  # infeasible


def test_two_intrusions_read_the_count_between_them_exactly():
    rng = np.random.default_rng(6)
    counter, stream = PanPrivateCounter(64, 0.1, rng), np.random.default_rng(7).integers(0, 2, 64)
    seen = []
    for item in stream:
        counter.add(item, rng)
        seen.append(float(counter.noisy_total))
    assert seen[40] - seen[20] == pytest.approx(stream[21:41].sum())


def test_a_counter_of_vectors_is_a_sketch_kept_item_by_item():
    """The paper's storage: k noisy sums and the noise under way; scale sqrt(k) (1 + log T) / epsilon."""
    stream, operator = np.random.default_rng(8).poisson(5, 64), hadamard_operator(16, 64, np.random.default_rng(9))
    rng = np.random.default_rng(10)
    counter = PanPrivateCounter(64, 1e9, rng, sensitivity=4.0, shape=(16,))
    for time, item in enumerate(stream):
        sketch = counter.add(operator.forward(np.array([float(item)]), time), rng)
    assert counter.scale == pytest.approx(4 * 7 / 1e9) and counter.segment_noise.shape == (6, 16)
    np.testing.assert_allclose(sketch, operator @ stream, atol=1e-5)


# The compressive counter


@pytest.mark.parametrize("make_operator", [bernoulli_operator, hadamard_operator])
def test_sketches_are_those_of_k_counters(make_operator):
    """Each row of the sketch is the node sums of the stream times that row of the matrix."""
    stream, times = np.random.default_rng(11).normal(size=50), np.arange(1, 51)
    operator = make_operator(9, 64, np.random.default_rng(12))
    nodes, sketches = node_sketches(stream, times, operator)
    matrix = linear(lambda unit: operator @ unit, 64)[:, :50]
    assert nodes.tolist() == times.tolist()
    np.testing.assert_allclose(sketches.T, [node_sums(row * stream) for row in matrix], atol=1e-12)
    for time in (1, 13, 32, 50):
        np.testing.assert_allclose(sketch_at(nodes, sketches, time), matrix[:, :time] @ stream[:time], atol=1e-12)
        np.testing.assert_allclose(first_bins(operator, 40).T @ np.ones(9), (matrix.sum(axis=0))[:40], atol=1e-12)


def listening(heard):
    """A reconstruction method that keeps what it is given."""

    def method(samples, operator, basis, sparsity, noise):
        heard.append((samples, basis.n, noise))
        return np.zeros(basis.n)

    return method


def test_noise_of_the_sketch_has_the_scale_that_the_whole_promise_needs():
    """The samples at a power of two, where one node is read, are noise as it was drawn; and the length that is told."""
    spy, heard, steps, epsilon, sparsity = Spy(1), [], 4096, 0.5, 60
    compressive_counter(np.zeros(steps), [1024, 3072], sparsity, epsilon, spy, method=listening(heard))
    k = measurements(sparsity, steps, 1.5)
    scale = math.sqrt(k) * 13 / epsilon
    assert [bins for _, bins, _ in heard] == [1024, 4096]
    assert spy.asked("laplace", "scale") == [pytest.approx(scale)]
    assert any(np.array_equal(row, heard[0][0]) for row in spy.gave("laplace")[0])
    for (_, _, told), time in zip(heard, (1024, 3072), strict=True):
        assert told == pytest.approx(sketch_noise([time], k, steps, epsilon)[0])
        assert told == pytest.approx(math.sqrt(2 * k * time.bit_count()) * scale)


def test_large_epsilon_gives_the_stream_back_at_every_time():
    basis, rng = haar_basis(1024), np.random.default_rng(14)
    coefficients = np.zeros(1024)
    coefficients[rng.choice(64, 5, replace=False)] = 100 * (1 + rng.random(5))
    stream = basis.inverse(coefficients)[:900]
    estimates = compressive_counter(stream, [512, 700, 900], 30, 1e9, rng)
    for time, estimate in zip([512, 700, 900], estimates, strict=True):
        np.testing.assert_allclose(estimate, stream[:time], atol=1e-4)
    assert haar_prefix(700).n == 1024 and haar_prefix(512).n == 512 and haar_prefix(1).n == 2
    waves = 40 + 30 * np.cos(np.pi * (2 * np.arange(300) + 1) * 8 / 600)
    [whole] = compressive_counter(waves, [300], 5, 1e9, rng, basis_of=cosine_basis)
    np.testing.assert_allclose(whole, waves, atol=1e-4)


def test_error_is_that_of_noise_on_the_right_coefficients_and_loses_to_noise_on_each_item():
    """sqrt(2 S k ones(t)) levels / epsilon at T = t = 4,096, against sqrt(2 T) / epsilon for Laplace on every item."""
    steps, sparsity = 4096, 10
    basis = haar_basis(steps)
    coefficients = np.zeros(steps)
    coefficients[np.random.default_rng(15).choice(steps, sparsity, replace=False)] = 1e7
    stream, k = basis.inverse(coefficients), measurements(sparsity, steps, 2.5)
    settings = {"sparsity": sparsity, "epsilon": 1.0, "constant": 2.5}
    runs = [
        compressive_counter(stream, [steps], rng=np.random.default_rng(seed), **settings)[0] - stream
        for seed in range(20)
    ]
    typical = np.sqrt(np.mean(np.sum(np.square(runs), axis=1)))
    assert typical == pytest.approx(math.sqrt(2 * sparsity * k) * 13, rel=0.25)
    assert typical > 4 * math.sqrt(2 * steps)


def test_the_same_seed_gives_the_same_and_the_estimates_are_post_processing():
    stream = np.random.default_rng(16).poisson(4, 64)
    one, two = ([*compressive_counter(stream, [13, 64], 4, 1.0, np.random.default_rng(17))] for _ in range(2))
    assert [e.size for e in one] == [13, 64] and all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    sketch, operator = np.arange(20.0), hadamard_operator(20, 64, np.random.default_rng(18))
    assert prefix_estimate(sketch, operator, haar_prefix(5), 5, 4).size == 5


# Bad input

RNG = np.random.default_rng(0)
OPERATOR = hadamard_operator(4, 16, RNG)
STREAM = np.ones(16)
NO_STREAM = ([], [1, np.nan], "abc")
COUNTER = PanPrivateCounter(4, 1, RNG)
COUNTERS = PanPrivateCounter(4, 1, RNG, sensitivity=2, shape=(3,))
REFUSED = [
    (tree_levels, (1,), {"steps": (0, 2.0)}),
    (nodes_read, (1,), {"time": (0,)}),
    (nodes_holding, (1, 8), {"item": (9, 0), "steps": (-1,)}),
    (node_sums, (STREAM,), {"stream": NO_STREAM}),
    (running_totals, (STREAM,), {"nodes": ([[1, 2]], [np.inf])}),
    (binary_counter, (STREAM, 1, RNG), {"stream": NO_STREAM}),
    (binary_counter_error, ([1], 16, 1), {"times": ([17], [0.5]), "epsilon": NOT_POSITIVE}),
    (segment_levels, (1,), {"steps": (0,)}),
    (pan_private_counter, (STREAM, 1, RNG), {"stream": NO_STREAM}),
    (PanPrivateCounter, (4, 1, RNG), {"steps": (0,), "sensitivity": NOT_POSITIVE}),
    (COUNTER.add, (1, RNG), {"item": (np.nan, [1, 2]), "rng": NO_GENERATOR}),
    (COUNTERS.add, ([1, 2, 3], RNG), {"item": (1.0,)}),
    (hiding_shifts, (1, 0, 16), {"item": (17,), "intrusion": (17,), "steps": (0,)}),
    (haar_prefix, (1,), {"time": (0,)}),
    (first_bins, (OPERATOR, 1), {"n": (17,)}),
    (node_sketches, (STREAM, [1], OPERATOR), {"stream": (np.ones(17),), "times": ([], [17])}),
    (sketch_at, ([8, 12], np.ones((2, 3)), 12), {"time": (13,)}),
    (
        compressive_counter,
        (STREAM, [16], 2, 1, RNG),
        {"stream": NO_STREAM, "times": ([0],), "sparsity": (0, 6), "constant": (-1,)},
    ),
    (lambda samples: prefix_estimate(samples, OPERATOR, haar_basis(16), 16, 2), (np.ones(4),), {"samples": ([],)}),
    (sketch_noise, ([1], 4, 16, 1), {"times": ([0],), "k": (0,)}),
]


@pytest.mark.parametrize(("function", "good", "refused"), REFUSED)
def test_bad_input_is_refused_by_name(function, good, refused):
    assert_refuses(function, good, refused)


def test_a_counter_takes_no_more_items_than_it_promised():
    counter = PanPrivateCounter(2, 1, RNG)
    for _ in range(2):
        counter.add(1, RNG)
    with pytest.raises(ValueError, match=r"^item must be one of 2 items"):
        counter.add(1, RNG)


def test_every_public_function_says_where_it_comes_from():
    for name, thing in vars(continual).items():
        if inspect.isroutine(thing) and thing.__module__ == continual.__name__ and not name.startswith("_"):
            assert "17_continual" in inspect.getdoc(thing) or name == "first_bins", name
