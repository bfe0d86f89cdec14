"""Blocks of a histogram: 004 section 4.3.3. Neighbours: add or remove one record, which moves one bin by 1.

Laws are exact: a `Transcript` lets the choices of a program fall in every way.
"""

import itertools
import math

import numpy as np
import pytest

from dpbook.claims.listening import Transcript
from dpbook.claims.losses import loss_from_noise
from dpbook.neighbours import count_pairs
from dpbook.partitions import (
    Blocks,
    alone_log_probability,
    best_blocks,
    block_sensitivity,
    dawa,
    dyadic,
    interval_deviations,
    median_costs,
    merge_small,
    noisy_first,
    noisy_partition,
    p_hpartition,
    partition_law,
    pool_small,
    sampled_partition,
    shipped_loss,
    shipped_partition,
    split_chances,
    spread,
    structure,
    structure_first,
    structure_law,
)
from dpbook.partitions.blocks import totals
from dpbook.partitions.dyadic import cheapest, windows
from tests.generators import seeded
from tests.refusals import assert_refuses

COUNTS = np.array([3.0, 0, 1, 4, 1, 5, 9, 2, 6, 5])
SMALL = [np.array(counts, float) for counts in itertools.product(range(4), repeat=4)]


def every_interval(bins):
    return np.array([(left, right) for left in range(bins) for right in range(left + 1, bins + 1)]).T


def every_partition(bins):
    """All edges, as tuples."""
    inner = range(1, bins)
    return [(0, *cuts, bins) for many in range(bins) for cuts in itertools.combinations(inner, many)]


def histograms_to_try(bins, many):
    """Random counts with ties and stretches of zeros."""
    rng = seeded(40)
    return [rng.integers(0, rng.integers(1, 9), bins) * (rng.random(bins) < 0.7) for _ in range(many)]


def worst_loss(law, datasets):
    """The largest |ln p - ln q| over the outputs of a law, datasets and their neighbours with one record more."""
    laws = {}

    def of(counts):
        if counts.tobytes() not in laws:
            laws[counts.tobytes()] = law(counts)
        return laws[counts.tobytes()]

    losses = [
        abs(math.log(of(counts)[output] / of(more)[output]))
        for counts in datasets
        for _, more in count_pairs(counts)
        for output in of(counts)
    ]
    return max(losses)


# Costs and searches, against brute force.


@pytest.mark.parametrize("bins", [1, 2, 7, 8, 9, 11, 33])
def test_interval_deviations_are_those_of_the_definition(bins):
    left, right = every_interval(bins)
    for counts in histograms_to_try(bins, 8):
        direct = [np.abs(counts[a:b] - counts[a:b].mean()).sum() for a, b in zip(left, right, strict=True)]
        assert interval_deviations(counts, left, right) == pytest.approx(direct, abs=1e-9)


def test_one_record_moves_a_deviation_by_the_stated_sensitivity_and_no_more():
    left, right = every_interval(4)
    most = np.zeros(left.size)
    for counts in SMALL[::5]:  # with the empty one
        for _, more in count_pairs(counts):
            moved = np.abs(interval_deviations(counts, left, right) - interval_deviations(more, left, right))
            most = np.maximum(most, moved)
    assert most == pytest.approx(block_sensitivity(right - left))


@pytest.mark.parametrize("penalty", [0, 0.5, 3, 40])
def test_best_blocks_are_the_best_of_all_partitions(penalty):
    def cost(counts, edges):
        errors = sum(np.sum((counts[a:b] - counts[a:b].mean()) ** 2) for a, b in itertools.pairwise(edges))
        return errors + penalty * (len(edges) - 1)

    for counts in histograms_to_try(9, 10):
        least = min(every_partition(9), key=lambda edges: (round(cost(counts, edges), 9), len(edges)))
        found = best_blocks(counts, penalty)
        assert cost(counts, found) == pytest.approx(cost(counts, least), abs=1e-9)
        assert len(found) == len(least), "among equals the fewest blocks"


def test_best_blocks_merge_what_is_equal_also_beside_large_counts():
    assert best_blocks([5, 5, 5, 1e8, 1e8, 2], 0).tolist() == [0, 3, 5, 6]
    assert best_blocks(np.zeros(50), 0).tolist() == [0, 50]


def test_median_costs_are_those_of_the_definition_and_move_by_one_at_most():
    for counts in histograms_to_try(11, 5):
        costs = median_costs(counts)
        for left, right in every_interval(11).T:
            part = counts[left:right]
            assert costs[left, right] == pytest.approx(np.abs(part - np.median(part)).sum())
    pairs = [pair for counts in SMALL[::5] for pair in count_pairs(counts)]
    moved = [np.abs(median_costs(counts) - median_costs(more)).max() for counts, more in pairs]
    assert max(moved) == 1


def test_least_costs_are_the_least_of_all_partitions():
    for counts in histograms_to_try(8, 5):
        costs = median_costs(counts)
        least = structure.least_costs(costs, 8)
        for blocks in range(1, 9):
            some = [edges for edges in every_partition(8) if len(edges) == blocks + 1]
            totals = [sum(costs[a, b] for a, b in itertools.pairwise(edges)) for edges in some]
            assert least[blocks, 8] == pytest.approx(min(totals))


def test_windows_and_the_search_over_them_are_right():
    long = seeded(41).poisson(3, 150).astype(float)
    for length, deviations in zip(*windows(long), strict=True):
        direct = [np.abs(long[a : a + length] - long[a : a + length].mean()).sum() for a in range(151 - length)]
        assert deviations == pytest.approx(direct)
    for counts in histograms_to_try(11, 8):
        lengths, deviations = windows(counts)
        assert lengths == [1, 2, 4, 8]
        costs = [vector + 1.5 for vector in deviations]
        allowed = [edges for edges in every_partition(11) if set(np.diff(edges)) <= set(lengths)]

        def price(edges, costs=costs):
            return sum(costs[int(b - a).bit_length() - 1][a] for a, b in itertools.pairwise(edges))

        assert price(cheapest(costs, 11)) == pytest.approx(min(price(edges) for edges in allowed))


# Merging after the noise.


def test_spread_shares_a_block_out_over_its_bins():
    assert spread(Blocks(np.array([0, 3, 4]), np.array([6.0, -1]))).tolist() == [2, 2, 2, -1]
    assert spread(([0, 2], [5])).sum() == 5


@pytest.mark.parametrize("penalty", [0, 2, 20])
def test_noisy_first_is_a_flat_histogram_and_post_processing(penalty):
    blocks = noisy_first(COUNTS, penalty, 0.7, seeded(3))
    flat = COUNTS + seeded(3).laplace(scale=1 / 0.7, size=10)
    assert blocks.counts == pytest.approx(np.add.reduceat(flat, blocks.edges[:-1]))
    assert blocks.edges.tolist() == best_blocks(flat, penalty * 2 / 0.7**2).tolist()


def test_least_squared_error_alone_merges_nothing_and_no_noise_gives_the_counts():
    assert noisy_first(COUNTS, 0, 1.0, seeded()).edges.size == 11
    assert spread(noisy_first(COUNTS, 0, 1e12, seeded())) == pytest.approx(COUNTS, abs=1e-6)


def test_merging_and_pooling_small_counts():
    noisy = np.array([0.5, -1, 9, 0.2, 7, 8, 0.1, 0.3])
    merged = merge_small(noisy, 1)
    assert merged.edges.tolist() == [0, 2, 3, 4, 5, 6, 8]
    assert merged.counts == pytest.approx([-0.5, 9, 0.2, 7, 8, 0.4])
    assert pool_small(noisy, 1) == pytest.approx([0.02, 0.02, 9, 0.02, 7, 8, 0.02, 0.02])
    assert merge_small(noisy, -5).counts == pytest.approx(noisy) and pool_small(noisy, -5) == pytest.approx(noisy)
    assert merge_small(noisy, 99).edges.tolist() == [0, 8]


# Structure first.


def outcomes(choice):
    """All that a choice of a `Transcript` may come to, or its coins, with the chance of each."""
    if not choice.coins:
        return list(enumerate(choice.chances))
    sides = np.array(list(itertools.product((False, True), repeat=choice.chances.size)))
    return list(zip(sides, np.prod(np.where(sides, choice.chances, 1 - choice.chances), axis=1), strict=True))


def program_law(edges_of):
    """The distribution of the edges that `edges_of(rng)` gives: the program, once for each way its choices can fall."""
    law, ways = {}, [((), 1.0)]
    while ways:
        way, chance = ways.pop()
        heard = Transcript(outcomes=way)
        edges = tuple(edges_of(heard).tolist())
        if len(heard.choices) == len(way):
            law[edges] = law.get(edges, 0.0) + chance
        else:
            ways += [((*way, came), chance * part) for came, part in outcomes(heard.choices[len(way)]) if part > 0]
    return law


def independent_structure_law(counts, blocks, epsilon):
    """The law of the edges from the definition, by trying all partitions for each D."""
    counts = np.asarray(counts, float)

    def cost(a, b):
        return np.abs(counts[a:b] - np.median(counts[a:b])).sum()

    def least(k, right):
        inside = [(0, *inner, right) for inner in itertools.combinations(range(1, right), k - 1)]
        return min(sum(cost(a, b) for a, b in itertools.pairwise(edges)) for edges in inside)

    law = {(counts.size,): 1.0}
    for k in range(blocks - 1, 0, -1):
        longer = {}
        for edges, chance in law.items():
            places = range(k, edges[0])
            weights = [math.exp(-epsilon / (blocks - 1) / 2 * (least(k, j) + cost(j, edges[0]))) for j in places]
            longer |= {(j, *edges): chance * w / sum(weights) for j, w in zip(places, weights, strict=True)}
        law = longer
    return {(0, *edges): chance for edges, chance in law.items()}


@pytest.mark.parametrize("counts", [(9, 9, 0, 0, 1), (0, 0, 0, 0, 0), (2, 7, 1, 8, 2)])
@pytest.mark.parametrize("blocks", [1, 3])
def test_structure_law_is_that_of_the_definition_and_of_the_program(counts, blocks):
    law = structure_law(counts, blocks, 1.5)
    assert law == pytest.approx(independent_structure_law(counts, blocks, 1.5))
    assert law == pytest.approx(program_law(lambda rng: structure_first(counts, blocks, 0.3, 5.0, rng).edges)), (
        "share 0.3 of 5 is 1.5"
    )


@pytest.mark.parametrize(
    "release",
    [
        lambda counts, rng: structure_first(counts, 4, 0.4, 2.0, rng),
        lambda counts, rng: structure_first(counts, 1, 0.4, 2.0, rng),
        lambda counts, rng: p_hpartition(counts, 0.4, 3, 2.0, rng),
    ],
)
def test_the_totals_of_blocks_spend_the_rest_of_epsilon(release):
    counts, heard = np.array([2.0, 0, 0, 5, 5, 1]), Transcript()
    edges = release(counts, heard).edges
    (noise,) = heard.noises
    assert noise.scale == pytest.approx(1 / 1.2) and noise.value == pytest.approx(totals(counts, edges))


def test_structure_first_keeps_its_promise():
    datasets = [np.array(counts, float) for counts in itertools.product(range(3), repeat=4)]
    assert worst_loss(lambda counts: structure_law(counts, 3, 1.0), datasets) == pytest.approx(0.3981, abs=5e-5)


def test_p_hpartition_keeps_its_promise():
    def law(counts):
        return program_law(lambda rng: p_hpartition(counts, 0.5, 2, 2.0, rng).edges)

    assert law(np.array([9, 9, 0, 0]))[0, 2, 4] == pytest.approx(0.2495, abs=5e-5)
    assert worst_loss(law, SMALL[::200]) <= 1


def test_each_level_of_p_hpartition_spends_its_part(monkeypatch):
    spent = []

    def choose(quality, sensitivity, epsilon, rng, monotonic=False):
        spent.append((len(quality), sensitivity, epsilon))
        return 1 if len(quality) > 1 else 0

    monkeypatch.setattr(structure, "exponential_mechanism", choose)
    p_hpartition(np.ones(3), 0.5, 2, 4.0, seeded())
    assert spent == [(3, 2, 0.5), (2, 2, 0.5), (3, 2, 1.0)]


# DAWA: sound, as shipped, and our repair.


@pytest.mark.parametrize("counts", [(3, 0, 1, 4), (0, 0, 9, 9, 9), (5,), (1, 2), (0, 0, 0, 6, 6, 6, 1)])
def test_sampled_partition_follows_its_law(counts):
    law = program_law(lambda rng: sampled_partition(counts, 0.7, 3.0, rng))
    assert law == pytest.approx(partition_law(counts, 0.7, 3.0))


def test_sampled_partition_is_the_exponential_mechanism_over_partitions():
    """Weight prior exp(-epsilon cost / (2 Delta)), Delta = 2 (1 - 1/n), the prior 1/2 for each choice."""
    counts, epsilon, price = np.array([4.0, 4, 0, 1]), 2.0, 0.3
    prior = {(0, 4): 0.5, (0, 2, 4): 1 / 8, (0, 1, 2, 4): 1 / 8, (0, 2, 3, 4): 1 / 8, (0, 1, 2, 3, 4): 1 / 8}

    def cost(edges):
        return sum(np.abs(counts[a:b] - counts[a:b].mean()).sum() + price for a, b in itertools.pairwise(edges))

    weights = {edges: chance * math.exp(-epsilon * cost(edges) / (2 * 1.5)) for edges, chance in prior.items()}
    law = partition_law(counts, price, epsilon)
    assert law == pytest.approx({edges: weight / sum(weights.values()) for edges, weight in weights.items()})


def test_sampled_partition_keeps_its_promise_where_the_bins_are_no_power_of_two():
    ragged = [np.array(counts, float) for counts in itertools.product(range(2), repeat=5)][::3]
    assert worst_loss(lambda counts: partition_law(counts, 1.0, 1.0), ragged) <= 1


@pytest.mark.parametrize("bins", [4096, 5000])
def test_the_prior_of_all_partitions_sums_to_one(bins):
    levels = [np.zeros(-(-bins // 2**power)) for power in range((bins - 1).bit_length() + 1)]
    assert dyadic._log_weights(levels)[0][-1] == pytest.approx([0])


def test_the_chances_of_each_choice_multiply_to_the_law():
    counts = np.array([0.0, 3, 3, 9, 1, 1, 1])
    chances = split_chances(counts, 1.0, 2.0)
    for edges, probability in partition_law(counts, 1.0, 2.0).items():
        product, open_blocks = 1.0, [(0, 3)]
        while open_blocks:
            left, power = open_blocks.pop()
            right = min(left + 2**power, 7)
            if power == 0:
                continue
            split = chances[power][left >> power]
            is_cut = any(left < edge < right for edge in edges)
            ragged = left + 2 ** (power - 1) >= 7
            product *= split if is_cut or ragged else 1 - split
            if is_cut or ragged:
                open_blocks.append((left, power - 1))
                if not ragged:
                    open_blocks.append((left + 2 ** (power - 1), power - 1))
        assert product == pytest.approx(probability)


@pytest.mark.parametrize("bins", [4096, 5000])
def test_sampled_partition_of_many_bins_finds_the_steps(bins):
    counts = np.repeat([300.0, 5], [2048, bins - 2048])
    edges = sampled_partition(counts, 1.0, 1.0, seeded(11))
    assert edges[0] == 0 and edges[-1] == bins and np.all(np.diff(edges) > 0) and 2048 in edges
    assert edges.size < 12


def test_the_shipped_code_loses_about_bins_times_epsilon():
    """What it loses at "every bin alone": computed from the tails, 2.6 for 4 bins."""
    assert [round(shipped_loss(n, 1.0, 1.0), 2) for n in (2, 4, 8, 16)] == [1.0, 2.6, 6.15, 13.67]
    assert shipped_loss(4, 1.0, 0.5) == pytest.approx(1.3)
    assert shipped_loss(2, 1.0, 1.0, noise=1) == pytest.approx(0.5)
    assert shipped_loss(16, 1.0, 1.0, noise=1) > 6, "twice the noise alone does not mend it"
    for factor in (100.0, 700.0):  # where the tails themselves are 0 as floats
        assert shipped_loss(16, 1.0, factor) == pytest.approx(factor * shipped_loss(16, 1.0, 1.0), rel=1e-6)


def overheard(monkeypatch, off):
    """What a search asks noise for, (how many, scale), and the costs that it has found: its noise is always `off`."""
    asked, found = [], []

    def listen(value, sensitivity, epsilon, rng):
        asked.append((np.size(value), sensitivity / epsilon))
        return value + off

    monkeypatch.setattr(dyadic, "laplace_mechanism", listen)
    monkeypatch.setattr(dyadic, "cheapest", lambda costs, bins: found.extend(costs))
    return asked, found


def test_the_shipped_program_has_half_of_the_noise_none_on_single_bins_and_cuts(monkeypatch):
    asked, found = overheard(monkeypatch, -99.0)
    shipped_partition(np.arange(9), 1.5, 0.5, seeded())
    assert asked == [(8, 2.75), (6, 3.25), (2, 3.5)]
    assert all(np.all(costs == 1.5) for costs in found), "no cost below that of one block"


def test_every_block_of_the_sound_search_has_the_noise_that_the_proof_asks_for(monkeypatch):
    """(2 (1 - 1/L) + 2 (1 - 1/8)) / epsilon, for L = 1, 2, 4, 8; it is used, single bins too."""
    asked, found = overheard(monkeypatch, 99.0)
    noisy_partition(np.ones(9), 1.0, 0.5, seeded())
    assert asked == [(9, 3.5), (8, 5.5), (6, 6.5), (2, 7.0)]
    assert [costs.tolist() for costs in found] == [[100.0] * many for many in (9, 8, 6, 2)]


@pytest.mark.parametrize("choose", [sampled_partition, noisy_partition, shipped_partition])
def test_partitions_are_partitions(choose):
    for bins in (1, 2, 3, 8, 13):
        edges = choose(seeded(13).poisson(3, bins), 0.5, 0.8, seeded(14))
        assert edges[0] == 0 and edges[-1] == bins and np.all(np.diff(edges) > 0)


def test_dawa_spends_its_shares(monkeypatch):
    given = []

    def choose(counts, bucket_cost, epsilon, rng):
        given.append((bucket_cost, epsilon))
        return np.array([0, 2, 3, 10])

    loss = loss_from_noise(lambda c, rng: dawa(c, 0.25, 2, 2.0, rng, choose=choose), count_pairs(COUNTS))
    assert given[0] == pytest.approx((1 / 1.5, 0.5)) and loss == pytest.approx(1.5)
    exact = dawa(COUNTS, 0.25, 2, 1e12, seeded(), choose=choose)
    assert exact.counts == pytest.approx(totals(COUNTS, exact.edges))


RNG, NO_COUNTS = seeded(), ([1.5, 2], [-1, 2], [[1, 2]])
REFUSED = [
    (noisy_first, ([1, 2], 2, 1, RNG), {"counts": NO_COUNTS, "penalty": (-1,)}),
    (best_blocks, ([1, 2], 1), {"penalty": (-1,), "values": ([np.nan, 2],)}),
    (lambda edges: spread((edges, [1, 2])), ([0, 1, 2],), {"edges": ([0, 1, 1], [1, 2])}),
    (merge_small, ([1, 2], 1), {"threshold": (np.inf,)}),
    (pool_small, ([1, 2], 1), {"noisy": ([],)}),
    (structure_first, ([1, 2], 1, 0.5, 1, RNG), {"blocks": (3, 0), "share": (1.0,)}),
    (p_hpartition, ([1, 2], 0.5, 1, 1, RNG), {"counts": NO_COUNTS, "share": (0.0,), "depth": (0,)}),
    (sampled_partition, ([1, 2], 1, 1, RNG), {"bucket_cost": (0,)}),
    (noisy_partition, ([1, 2], 1, 1, RNG), {"counts": NO_COUNTS}),
    (alone_log_probability, ([0, 0, 0, 0], 1, 1.0), {"noise": (0,)}),
    (block_sensitivity, (1,), {"length": (0,)}),
    (dawa, ([1, 2], 0.5, 2, 1, RNG), {"share": (1.5,), "branching": (1,)}),
]


@pytest.mark.parametrize(("function", "good", "refused"), REFUSED)
def test_bad_arguments_are_refused(function, good, refused):
    assert_refuses(function, good, refused)


@pytest.mark.parametrize(
    ("name", "function", "arguments"),
    [
        ("number of bins", noisy_first, (np.zeros(16_385), 0, 1.0, RNG)),
        ("number of values", best_blocks, (np.zeros(20_000), 1)),
        ("number of bins", structure_first, (np.zeros(3000), 2, 0.5, 1, RNG)),
        ("number of bins", structure_law, (np.zeros(17), 2, 1.0)),
        ("number of bins", noisy_partition, (np.zeros(70_000), 1, 1, RNG)),
        ("number of bins", partition_law, (np.zeros(17), 1, 1.0)),
        (r"\(left, right\)", interval_deviations, ([1, 2], 1, 1)),
        (r"\(left, right\)", interval_deviations, ([1, 2], 0, 3)),
    ],
)
def test_what_no_argument_says_alone_is_refused(name, function, arguments):
    with pytest.raises(ValueError, match=rf"^{name} must be .*; got "):
        function(*arguments)


def test_noisy_first_merges_nothing_for_nothing_however_large_a_count():
    counts = np.append(np.zeros(10), 1e7)
    assert noisy_first(counts, 0, 1.0, seeded()).edges.tolist() == list(range(12))
