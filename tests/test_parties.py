"""Chapter 29: masks that cancel, noise in pieces, shuffled reports, users who train; and what breaks each.

Exact wherever the law is known; what draws has a fixed seed and a false-alarm rate of 1e-6 (`alarms`).
"""

import itertools
import math

import numpy as np
import pytest
from scipy import special, stats

from dpbook import local, parties
from dpbook.audit import exact_loss
from dpbook.claims.parties import DELTA, LOCAL, PEOPLE, WORST
from dpbook.gaussian import gaussian_scale
from dpbook.gradients import clipped_gradient
from dpbook.laplace import geometric_log_probability
from tests.alarms import FALSE_ALARM, OFF, assert_normal, counts_pvalue
from tests.generators import Spy
from tools.book.papers import parties as curves
from tools.book.papers import stored

PLAN = parties.Plan(3, 1.0, 2, 0.5, 0.3, 0.1)
FEATURES = np.array([[1.0, 0.2], [0.3, -1], [0.5, 0.5], [-0.7, 0.1], [0.2, 0.9]])
LABELS, USERS = np.array([1, -1, 1, 1, -1]), np.array([7, 7, 3, 3, 3])


def seeded(seed=1):
    return np.random.default_rng(seed)


# Masks and shares.


class Scripted(np.random.Generator):
    """A generator whose whole numbers below a bound are handed out from a list."""

    def __init__(self, numbers):
        super().__init__(np.random.PCG64(1))
        self.numbers = list(numbers)

    def integers(self, low, high=None, size=None):
        count = int(np.prod(size)) if size is not None else 1
        given, self.numbers = self.numbers[:count], self.numbers[count:]
        assert len(given) == count and all(0 <= number < low for number in given)
        return np.array(given, dtype=np.int64).reshape(size)


def reports_of(values, modulus):
    """Every triple of reports that three parties can send, one for each of all masks."""
    masks = itertools.product(range(modulus), repeat=3)
    return sorted(tuple(parties.masked(values, modulus, Scripted(mask)).tolist()) for mask in masks)


def test_reports_tell_the_sum_and_nothing_else():
    """All masks of three parties modulo 4: the same 16 triples for the same sum, none shared with another."""
    one, same, other = (reports_of(values, 4) for values in ([1, 0, 2], [0, 3, 0], [1, 0, 1]))
    assert one == same and len(set(one)) == 16 and not set(one) & set(other)
    assert {one.count(report) for report in one} == {4}, "each as often"
    assert {parties.modular_sum(report, 4, 0) for report in one} == {3}


@pytest.mark.parametrize(("number", "modulus"), [(2, 2), (3, 5), (5, 8)])
def test_all_masks_but_one_are_uniform(number, modulus):
    masks = parties.pairwise_masks(number, 20_000, modulus, seeded()).T
    assert not (masks.sum(axis=1) % modulus).any()
    cells = masks[:, -2] * (modulus if number > 2 else 0) + masks[:, 0]
    size = modulus**2 if number > 2 else modulus
    assert counts_pvalue(np.bincount(cells, minlength=size), np.full(size, 1 / size)) > FALSE_ALARM
    assert counts_pvalue(np.bincount(cells // 2 * 2, minlength=size), np.full(size, 1 / size)) < FALSE_ALARM


@pytest.mark.parametrize("shape", [(1,), (4,), (6, 3), (1, 2)])
@pytest.mark.parametrize("modulus", [2, 1000, 2**40])
def test_masked_values_add_up(shape, modulus):
    values = seeded().integers(-50, 50, size=shape)
    reports = parties.masked(values, modulus, seeded(2))
    assert reports.shape == shape and reports.min() >= 0 and reports.max() < modulus
    lowest = -(modulus // 2)
    wanted = (values.sum(axis=0) - lowest) % modulus + lowest
    assert np.array_equal(parties.modular_sum(reports, modulus, lowest), wanted)


def test_shares_of_all_servers_but_one_are_uniform():
    """All random numbers of three servers modulo 3: any two shares are uniform, for every value."""
    for value in range(3):
        shares = np.array(
            [parties.additive_shares([value], 3, 3, Scripted(numbers))[:, 0] for numbers in np.ndindex(3, 3)]
        )
        assert (shares.sum(axis=1) % 3 == value).all()
        for one, two in ((0, 1), (0, 2), (1, 2)):
            assert len({tuple(row) for row in shares[:, [one, two]].tolist()}) == 9
    shares = parties.additive_shares([[1, 2], [3, 4], [5, 6]], 4, 97, seeded())
    assert shares.shape == (4, 3, 2)
    columns = shares.sum(axis=1)
    assert parties.modular_sum(columns, 97, 0).tolist() == [9, 12]


def test_two_of_three_shares_leave_every_secret_possible():
    shares = parties.shamir_shares(7, 3, 5, 11, seeded())
    for one, two, last in itertools.permutations(range(5), 3):
        known, places = shares[[one, two]].tolist(), [one + 1, two + 1, last + 1]
        assert {parties.shamir_secret(places, [*known, third], 11) for third in range(11)} == set(range(11))


def test_shamir_by_all_polynomials():
    """Any two of the five shares of a polynomial of degree 2 tell nothing; any three tell the secret."""
    wanted = [(7 + 3 * x + 5 * x * x) % 11 for x in range(1, 6)]
    shares = parties.shamir_shares(7, 3, 5, 11, Scripted([3, 5]))
    assert shares.tolist() == wanted == [4, 0, 6, 0, 4]
    for some in itertools.combinations(range(5), 3):
        assert parties.shamir_secret([i + 1 for i in some], shares[list(some)], 11) == 7
    assert parties.shamir_secret(range(1, 6), shares, 11) == 7
    for secret in (0, 4):
        seen = [tuple(parties.shamir_shares(secret, 3, 4, 5, Scripted(c))[[1, 3]].tolist()) for c in np.ndindex(5, 5)]
        assert len(set(seen)) == 25


def test_proofs_of_bits():
    """(1, 0, 2) passes at one challenge of 101, (2, 0, 2) at two or fewer, bits at all."""
    passes = {
        row: sum(parties.bits_proved(row, r, 101) for r in range(101))
        for row in ((1, 0, 2), (2, 0, 2), (1, 0, 1), (3, 2, 0, 5))
    }
    assert passes[1, 0, 2] == 1 and passes[2, 0, 2] == 2 and passes[1, 0, 1] == 101 and passes[3, 2, 0, 5] <= 3


# Noise in pieces.


@pytest.mark.parametrize("number", [1, 2, 10])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_shares_convolve_to_the_geometric_law(number, epsilon):
    one = parties.share_probabilities(1 / number, epsilon, 200)
    total = one
    for _ in range(number - 1):
        total = np.convolve(total, one)
    middle = total.size // 2
    wanted = np.exp(geometric_log_probability(np.arange(-40, 41), 0, 1, epsilon))
    assert total[middle - 40 : middle + 41] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("number", "sensitivity"), [(1, 1), (7, 3)])
def test_drawn_shares_add_up_to_geometric_noise(number, sensitivity):
    noise = parties.geometric_share(number, sensitivity, 1.5, seeded(), size=(40_000, number)).sum(axis=1)
    whole = np.arange(-60, 61)

    def pvalue(epsilon):
        law = np.exp(geometric_log_probability(whole, 0, sensitivity, epsilon))
        return counts_pvalue(np.bincount(noise + 60, minlength=121), law)

    assert pvalue(1.5) > FALSE_ALARM
    assert max(pvalue(1.5 * OFF), pvalue(1.5 / OFF)) < FALSE_ALARM


def test_a_share_is_one_number_or_many():
    assert type(parties.geometric_share(3, 1, 1.0, seeded())) is int
    assert parties.geometric_share(3, 1, 1.0, seeded(), size=4).shape == (4,)


@pytest.mark.parametrize(("share", "loss"), [(1.0, 1.0), (0.9, 1.0989), (0.5, 1.6751), (0.1, 3.2962), (0.001, 7.9077)])
def test_what_the_shares_that_came_lose(share, loss):
    """By the formula, and by the law itself: the worst output is 0 against 1."""
    found = parties.geometric_share_loss(share, 1.0)
    law = np.log(parties.share_probabilities(share, 1.0, 120))
    assert found == pytest.approx(loss, abs=5e-5)
    assert exact_loss(law[1:], law[:-1]).loss == pytest.approx(found, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 4.0])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.499, 0.5, 0.7, 1.0])
def test_the_loss_of_shares_by_the_hypergeometric_formula(share, epsilon):
    square = math.exp(-2 * epsilon)
    ratio = special.hyp2f1(share, share, 1, square) / special.hyp2f1(share, share + 1, 2, square)
    assert parties.geometric_share_loss(share, epsilon) == pytest.approx(epsilon + math.log(ratio / share), rel=1e-8)


@pytest.mark.parametrize(("number", "scale"), [(1, 3.0), (9, 1.0), (36, 0.5), (144, 0.25)])
def test_sums_of_discrete_and_of_rounded_normal_shares(number, scale):
    """Against a dense sum over characteristic functions."""
    z, t = np.arange(-60, 61), 2 * np.pi * np.arange(512) / 512
    discrete = np.exp(-(z**2) / (2 * scale**2))
    rounded = np.diff(stats.norm.cdf(np.append(z, 61) - 0.5, scale=scale))
    for delta_of, one in ((parties.lattice_sum_delta, discrete), (parties.rounded_sum_delta, rounded)):
        law = np.fft.fftshift(np.fft.ifft((np.cos(np.outer(t, z)) @ one / one.sum()) ** number).real)
        dense = np.maximum(law[:-1] - math.e * law[1:], 0).sum()
        assert delta_of(number, scale, 1.0) == pytest.approx(dense, abs=1e-12)


def test_skellam_noise_on_a_count():
    """Variance 9, against differences of Poisson numbers."""
    poisson = stats.poisson.pmf(np.arange(120), 4.5)
    law = np.convolve(poisson, poisson[::-1])
    for shift, epsilon in ((1, 0.3), (2, 1.0), (5, 2.0)):
        dense = np.maximum(law[:-shift] - math.exp(epsilon) * law[shift:], 0).sum()
        assert parties.skellam_delta(shift, 9.0, epsilon) == pytest.approx(dense, rel=1e-9)


@pytest.mark.parametrize(
    "epsilon_at",
    [
        lambda delta: (parties.skellam_epsilon(1, 9.0, delta), lambda e: parties.skellam_delta(1, 9.0, e)),
        lambda delta: (parties.clones_epsilon(300, 1.0, delta), lambda e: parties.clones_delta(300, 1.0, e)),
        lambda delta: (parties.blanket_epsilon(300, 3, 1.0, delta), lambda e: parties.blanket_delta(300, 3, 1.0, e)),
        lambda delta: (parties.shuffled_epsilon(90, 1.0, delta), lambda e: parties.shuffled_delta(90, 1.0, e)),
    ],
)
@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-2, 0.9])
def test_an_epsilon_is_the_least_and_never_below(epsilon_at, delta):
    epsilon, delta_at = epsilon_at(delta)
    assert delta_at(epsilon) <= delta
    assert epsilon == 0 if delta_at(0) <= delta else delta_at(epsilon * (1 - 1e-8)) > delta


@pytest.mark.parametrize(
    ("value", "modulus", "lowest", "epsilon"),
    [(3, 8, -1, 0.7), (0, 4, -2, 0.7), (9, 12, 0, 0.7), (20, 5, 3, 0.7), (1000, 1024, -12, 1.0)],
)
def test_the_chance_to_wrap_is_that_of_all_that_come_out_wrong(value, modulus, lowest, epsilon):
    noisy = value + np.arange(-400, 401)
    wrong = parties.modular_sum(noisy[None] % modulus, modulus, lowest) != noisy
    chances = np.exp(geometric_log_probability(noisy, value, 1, epsilon))
    assert parties.wrap_chance(value, modulus, lowest, epsilon) == pytest.approx(chances[wrong].sum(), rel=1e-9)


# Secure sums.


def test_values_are_cut_and_the_modulus_is_asked_for():
    calm = parties.secure_sum([9, -5, 2], 3, 3, 1000, 500.0, seeded())
    assert calm == 3 + 0 + 2
    for most, modulus in ((3, 9), (1, 3), (1, 2**40 + 1)):
        with pytest.raises(ValueError, match=r"^modulus must be"):
            parties.secure_sum([1, 1, 1], most, 3, modulus, 1.0, seeded())


@pytest.fixture
def asked(monkeypatch):
    """What a secure sum asks of `geometric_share`, which gives it 0, 1, 2 and so on."""
    calls = []

    def share(honest, most, epsilon, rng, *, size):
        calls.append((honest, most, epsilon, size))
        return np.arange(np.prod(size)).reshape(size)

    monkeypatch.setattr("dpbook.parties.sums.geometric_share", share)
    return calls


def test_a_sum_adds_shares_for_its_honest_parties_and_its_largest_value(asked):
    assert parties.secure_sum([3, 0, 2, 9], 3, 2, 100, 0.7, seeded()) == 3 + 0 + 2 + 3 + 6
    assert asked == [(2, 3, 0.7, 4)]


def test_a_histogram_adds_shares_of_half_epsilon(asked):
    noisy = parties.secure_histogram([0, 2, 2, 1], 3, 2, 100, 0.7, seeded())
    assert asked == [(2, 1, 0.35, (4, 3))] and noisy.tolist() == [1 + 18, 1 + 22, 2 + 26]


def test_a_bare_threshold_tells_with_certainty():
    """Five people against four: another set of outputs, whatever epsilon."""
    five, four = (parties.bare_threshold([7, k, 0], 5).tolist() for k in (5, 4))
    assert five == [[0, 7], [1, 5]] and four == [[0, 7]]


# Shuffling.


def clones_by_hand(people, epsilon_local, epsilon):
    """All outcomes of the clones: both laws of the pair of counts."""
    p, q = math.exp(-epsilon_local), special.expit(epsilon_local)
    laws = np.zeros((2, people + 1, people + 1))
    for c in range(people):
        for a in range(c + 1):
            weight = stats.binom.pmf(c, people - 1, p) * stats.binom.pmf(a, c, 0.5)
            for d, chance in ((1, q), (0, 1 - q)):
                laws[0, a + d, c - a + 1 - d] += weight * chance
                laws[1, a + 1 - d, c - a + d] += weight * chance
    return np.maximum(laws[0] - math.exp(epsilon) * laws[1], 0).sum()


def blanket_by_hand(people, categories, epsilon_local, epsilon):
    """All outcomes of the blanket's sum."""
    odds = math.exp(epsilon_local)
    blind = categories / (odds + categories - 1)
    losses = blind * np.array([odds - math.exp(epsilon), 1 - math.exp(epsilon) * odds, 1 - math.exp(epsilon)])
    chances, total = np.array([1, 1, categories - 2]) / categories, 0.0
    for m in range(people + 1):
        for outcome in itertools.product(range(3), repeat=m):
            weight = stats.binom.pmf(m, people, blind) * np.prod(chances[list(outcome)])
            total += weight * max(losses[list(outcome)].sum(), 0)
    return total / (blind * people)


def test_clones_and_blanket_by_all_outcomes():
    for people, own, epsilon in ((6, 1.0, 0.3), (40, 2.0, 0.5)):
        wanted = clones_by_hand(people, own, epsilon)
        assert parties.clones_delta(people, own, epsilon) == pytest.approx(wanted, rel=1e-12)
    for categories in (2, 3):
        found = parties.blanket_delta(5, categories, 1.0, 0.2)
        assert found == pytest.approx(blanket_by_hand(5, categories, 1.0, 0.2), rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_clones_are_above_the_blanket_and_that_above_the_truth(seed):
    rng = seeded(seed)
    people, own = int(rng.integers(2, 300)), float(rng.uniform(0.1, 3))
    epsilon = own * float(rng.random())
    exact, blanket = parties.shuffled_delta(people, own, epsilon), parties.blanket_delta(people, 2, own, epsilon)
    assert exact <= blanket * (1 + 1e-9) + 1e-15
    assert blanket <= parties.clones_delta(people, own, epsilon) * (1 + 1e-9) + 1e-15


def shuffled_by_all_reports(people, categories, epsilon_local, epsilon):
    """The largest delta of shuffled k-ary reports: all datasets of the others, all pairs of values, all counts."""
    odds = math.exp(epsilon_local)
    law = (np.ones((categories, categories)) + np.eye(categories) * (odds - 1)) / (odds + categories - 1)
    worst = 0.0
    for others in itertools.combinations_with_replacement(range(categories), people - 1):
        counted = []
        for own in range(categories):
            chances = np.ones((1,) * categories)
            for value in (own, *others):
                grown = np.zeros(np.add(chances.shape, 1))
                for report in range(categories):
                    at = tuple(slice(k == report, n + (k == report)) for k, n in enumerate(chances.shape))
                    grown[at] += law[value, report] * chances
                chances = grown
            counted.append(chances)
        for p, q in itertools.permutations(counted, 2):
            worst = max(worst, np.maximum(p - math.exp(epsilon) * q, 0).sum())
    return worst


@pytest.mark.parametrize(("people", "categories"), [(6, 2), (5, 3), (4, 4)])
@pytest.mark.parametrize(("epsilon_local", "epsilon"), [(1.0, 0.1), (2.0, 0.5), (2.0, 1.5)])
def test_the_blanket_for_several_answers_is_between_the_truth_and_the_clones(
    people, categories, epsilon_local, epsilon
):
    truth = shuffled_by_all_reports(people, categories, epsilon_local, epsilon)
    found = parties.blanket_delta(people, categories, epsilon_local, epsilon)
    assert truth * (1 - 1e-12) <= found <= parties.clones_delta(people, epsilon_local, epsilon)
    assert found < 1.2 * truth, "the bound is tight, so that half of it would be seen to be wrong"
    if categories == 2:
        assert truth == pytest.approx(parties.shuffled_delta(people, epsilon_local, epsilon), rel=1e-9)


def test_the_formula_is_the_theorems_and_ends_where_that_is_not_proved():
    inside = 8 * math.sqrt(math.e * math.log(4e6) / 1000) + 8 * math.e / 1000
    wanted = math.log1p(math.tanh(1 / 2) * inside)
    assert parties.clones_formula(1000, 1.0, 1e-6) == pytest.approx(wanted, rel=1e-12)
    for people in (1000, 10_000):
        highest = math.log(people / 16 / math.log(2e6))
        parties.clones_formula(people, highest - 1e-4, 1e-6)
        with pytest.raises(ValueError, match=rf"^local must be at most .* = {highest:.4f} for the formula; got "):
            parties.clones_formula(people, highest + 1e-4, 1e-6)


def test_many_reports_hide_more_and_mass_is_never_lost():
    """More people, less epsilon; and no delta below that of the others' silence."""
    epsilons = [parties.clones_epsilon(n, 2.0, 1e-8) for n in (1, 2, 10, 100, 10_000)]
    assert epsilons == sorted(epsilons, reverse=True) and epsilons[0] == pytest.approx(2.0, abs=1e-6)
    assert parties.clones_delta(5, 6.0, 5.0) >= (1 - math.exp(-6)) ** 4 * (special.expit(6) - math.exp(5 - 6) * 0.9975)


@pytest.mark.parametrize(("people", "ones"), [(9, 0), (9, 4), (40, 13), (30, 28)])
def test_the_exact_epsilon_is_that_of_chapter_07s_laws(people, ones):
    laws = [np.log(local.report_count_probabilities(held, people, 1.0)) for held in (ones, ones + 1)]
    for delta in (1e-6, 1e-3):
        found = parties.shuffled_epsilon(people, 1.0, delta, ones=ones)
        assert found == pytest.approx(exact_loss(*laws, delta=delta).loss, rel=1e-6)


@pytest.mark.parametrize("people", [1, 2, 7, 30, 31])
def test_the_worst_dataset_is_the_worst_of_all(people):
    for epsilon in (0.0, 0.1, 0.5):
        deltas = [parties.shuffled_delta(people, 1.0, epsilon, ones=ones) for ones in range(people)]
        assert parties.shuffled_delta(people, 1.0, epsilon) == pytest.approx(max(deltas), rel=1e-12)


@pytest.mark.parametrize("own", [2.0, 20.0, 34.0, 37.0, 300.0])
def test_lies_too_rare_to_be_told_from_certain_truth_still_count(own):
    """1 - p has no digits left from a local epsilon of 37 on: the chance of a lie is q itself."""
    epsilon, (p, q) = 0.97 * own, special.expit([own, -own])
    none, one = np.array([p * p, 2 * p * q, q * q]), np.array([p * q, p * p + q * q, p * q])
    truth = max(np.maximum(a - math.exp(epsilon) * b, 0).sum() for a, b in ((none, one), (one, none)))
    assert parties.shuffled_delta(2, own, epsilon) == pytest.approx(truth, rel=1e-12)
    found = parties.shuffled_epsilon(10, own, 1e-3)
    assert parties.shuffled_delta(10, own, found) == pytest.approx(1e-3, rel=1e-6) and found < own


def test_the_claim_stands_at_the_worst_dataset():
    epsilon = parties.shuffled_epsilon(PEOPLE, LOCAL, DELTA)
    assert parties.shuffled_delta(PEOPLE, LOCAL, epsilon, ones=WORST) == pytest.approx(DELTA, rel=1e-6)


def test_reports_are_counted():
    counts = parties.shuffled_reports([0] * 70 + [3] * 30, 4, 60.0, seeded())
    assert counts.tolist() == [70, 0, 0, 30]


# Lies.


@pytest.mark.parametrize(
    "chances", [local.binary_chances(1.0), local.k_ary_chances(128, 1.0), local.optimised_chances(1.0)]
)
def test_a_lie_gains_what_it_adds_to_the_estimate_beyond_an_honest_no(chances):
    yes = 500 * np.diff(local.estimate_frequencies([100, 101], 500, chances))  # one report more, in people
    assert parties.lie_gain(chances) == pytest.approx(yes * (1 - chances.yes_if_false))


# Users.


def test_one_record_a_user_and_one_step_is_a_clipped_gradient():
    weights = np.array([0.3, -0.2])
    plan = PLAN._replace(local_steps=1, local_rate=0.5, norm=0.2)
    total = sum(parties.clipped_update(weights, FEATURES[[i]], LABELS[[i]], plan) for i in range(5))
    gradient = clipped_gradient(weights, FEATURES, LABELS, 0.2 / 0.5)
    assert total == pytest.approx(-0.5 * gradient, abs=1e-14)


def test_updates_are_as_long_as_the_norm_at_most():
    rng = seeded()
    for norm in (1e-3, 0.1, 10.0):
        plan = PLAN._replace(norm=norm, local_rate=5.0, local_steps=4)
        lengths = [
            np.linalg.norm(parties.clipped_update(np.zeros(3), rng.normal(size=(4, 3)), [1, -1, 1, 1], plan))
            for _ in range(20)
        ]
        assert max(lengths) <= norm * (1 + 1e-12) and (norm > 1 or min(lengths) > 0.99 * norm)


def test_local_steps_walk():
    """Two local steps by hand."""
    plan, weights = PLAN._replace(norm=100.0), np.array([0.1, -0.4])
    for _ in range(2):
        pulls = special.expit(-LABELS * (FEATURES @ weights))
        weights = weights + 0.5 * np.mean(pulls[:, None] * LABELS[:, None] * FEATURES, axis=0)
    start = np.array([0.1, -0.4])
    assert start + parties.clipped_update(start, FEATURES, LABELS, plan) == pytest.approx(weights, abs=1e-14)


def test_a_user_with_records_beyond_all_doubles_makes_no_warning():
    """Nor any number that is not finite: either would tell of that user. The tests' settings make warnings errors."""
    features, labels = np.array([[0.6, 0.3], [1e308, 1e308], [1e308, -1e308]]), np.ones(3)
    for rate in (0.5, 5.0):
        plan = parties.Plan(2, 1.0, 3, rate, 1.0, 1.0)
        alone, both = (
            parties.federated_training(features[:n], labels[:n], [0, 1, 1][:n], plan, 1.0, 1e-6, rng).path
            for n, rng in ((1, np.random.default_rng(1)), (3, np.random.default_rng(1)))
        )
        assert np.all(np.isfinite(both)) and np.linalg.norm(both[1] - alone[1]) <= 1 + 1e-12


def test_a_training_adds_clipped_updates_and_noise():
    spy = Spy()
    trained = parties.federated_training(FEATURES, LABELS, USERS, PLAN, 1.0, 1e-6, spy)
    assert trained.multiplier == pytest.approx(math.sqrt(3) * gaussian_scale(1, 1.0, 1e-6), rel=1e-9)
    assert spy.asked("normal", "scale") == [trained.multiplier * PLAN.norm] * 3
    for turn, noise in enumerate(spy.gave("normal")):
        start = trained.path[turn]
        updates = [parties.clipped_update(start, FEATURES[USERS == u], LABELS[USERS == u], PLAN) for u in (3, 7)]
        assert trained.path[turn + 1] == pytest.approx(start + 0.1 * (sum(updates) + noise), abs=1e-12)
    assert np.array_equal(trained.weights, trained.path[-1])


def test_the_order_of_records_does_not_matter():
    order = [4, 0, 3, 1, 2]
    one = parties.federated_training(FEATURES, LABELS, USERS, PLAN, 1.0, 1e-6, seeded())
    two = parties.federated_training(FEATURES[order], LABELS[order], USERS[order], PLAN, 1.0, 1e-6, seeded())
    assert one.path == pytest.approx(two.path, abs=1e-12)


def test_sampled_users_are_divided_by_the_public_share():
    plan, spy = PLAN._replace(sampling=0.5, rounds=40), Spy()
    trained = parties.federated_training(FEATURES, LABELS, USERS, plan, 1.0, 1e-3, spy)
    coins, noises = spy.gave("random"), spy.gave("normal")
    assert [coin.size for coin in coins] == [2] * 40
    for turn, (coin, noise) in enumerate(zip(coins, noises, strict=True)):
        came, start = np.array([3, 7])[coin < 0.5], trained.path[turn]
        total = noise + sum(parties.clipped_update(start, FEATURES[USERS == u], LABELS[USERS == u], plan) for u in came)
        assert trained.path[turn + 1] == pytest.approx(start + 0.1 / 0.5 * total, abs=1e-12)


def test_the_noise_of_fifty_rounds_and_of_nobody():
    """29.873 at (1, 1e-6); and without users a walk of noise alone."""
    plan = parties.Plan(50, 1.0, 1, 1.0, 2.0, 1.0)
    nobody = np.zeros((0, 500))
    trained = parties.federated_training(nobody, np.zeros(0), np.zeros(0, int), plan, 1.0, 1e-6, seeded())
    assert trained.multiplier == pytest.approx(29.873, abs=5e-4)
    assert_normal(np.diff(trained.path, axis=0), 2 * trained.multiplier)


def test_the_average_of_those_who_came_tells_how_many():
    spies = [Spy(), Spy()]
    right, wrong = (
        train(FEATURES, LABELS, USERS, PLAN._replace(rounds=1), 1.0, 1e-6, spy).weights
        for train, spy in zip((parties.federated_training, parties.averaged_training), spies, strict=True)
    )
    assert wrong == pytest.approx(right / 2, abs=1e-14)


# Refusals.

BITS = [0, 1, 1]


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("parties", lambda: parties.pairwise_masks(0, 1, 4, seeded())),
        ("length", lambda: parties.pairwise_masks(2, 0, 4, seeded())),
        ("modulus", lambda: parties.pairwise_masks(2, 1, 1, seeded())),
        ("modulus", lambda: parties.masked(BITS, 2**40 + 1, seeded())),
        ("values", lambda: parties.masked([0.5], 4, seeded())),
        ("values", lambda: parties.masked([], 4, seeded())),
        ("reports", lambda: parties.modular_sum([[[1]]], 4, 0)),
        ("lowest", lambda: parties.modular_sum([1], 4, 0.5)),
        ("servers", lambda: parties.additive_shares(BITS, 0, 4, seeded())),
        ("prime", lambda: parties.shamir_shares(1, 2, 3, 9, seeded())),
        ("secret", lambda: parties.shamir_shares(11, 2, 3, 11, seeded())),
        ("parties", lambda: parties.shamir_shares(1, 4, 3, 11, seeded())),
        ("parties", lambda: parties.shamir_shares(1, 2, 11, 11, seeded())),
        ("places", lambda: parties.shamir_secret([1, 1], [3, 3], 11)),
        ("places", lambda: parties.shamir_secret([0, 1], [3, 3], 11)),
        ("places", lambda: parties.shamir_secret([1, 12], [3, 3], 11)),
        ("places", lambda: parties.shamir_secret([], [], 11)),
        ("shares", lambda: parties.shamir_secret([1, 2], [3], 11)),
        ("shares", lambda: parties.shamir_secret([1, 2], [3, 11], 11)),
        ("row", lambda: parties.bits_proved([], 1, 11)),
        ("challenge", lambda: parties.bits_proved([1], 11, 11)),
        ("parties", lambda: parties.geometric_share(0, 1, 1.0, seeded())),
        ("sensitivity", lambda: parties.geometric_share(1, 0.5, 1.0, seeded())),
        ("sensitivity / epsilon", lambda: parties.geometric_share(1, 1, 1e-15, seeded())),
        ("share", lambda: parties.geometric_share_loss(0, 1.0)),
        ("share", lambda: parties.geometric_share_loss(1.1, 1.0)),
        ("reach", lambda: parties.share_probabilities(0.5, 1.0, -1)),
        ("variance", lambda: parties.skellam_delta(1, 2.0**27, 1.0)),
        ("sensitivity", lambda: parties.skellam_delta(1.5, 9.0, 1.0)),
        ("delta", lambda: parties.skellam_epsilon(1, 9.0, 0)),
        ("parties", lambda: parties.lattice_sum_delta(10_001, 1.0, 1.0)),
        ("scale", lambda: parties.rounded_sum_delta(10, 101.0, 1.0)),
        ("values", lambda: parties.lattice_sum([2], 1.0, 1e-3, seeded())),
        ("modulus", lambda: parties.wrap_chance(1, 1, 0, 1.0)),
        ("honest", lambda: parties.secure_sum(BITS, 1, 4, 8, 1.0, seeded())),
        ("honest", lambda: parties.secure_sum(BITS, 1, 0, 8, 1.0, seeded())),
        ("values", lambda: parties.secure_sum([[1]], 1, 1, 8, 1.0, seeded())),
        ("most", lambda: parties.secure_sum(BITS, 0, 3, 8, 1.0, seeded())),
        ("choices", lambda: parties.secure_histogram([0, 3], 3, 2, 8, 1.0, seeded())),
        ("bins", lambda: parties.secure_histogram([0], 1, 1, 8, 1.0, seeded())),
        ("modulus", lambda: parties.secure_histogram(BITS, 2, 2, 3, 1.0, seeded())),
        ("honest", lambda: parties.secure_histogram(BITS, 2, 4, 8, 1.0, seeded())),
        ("counts", lambda: parties.bare_threshold([-1], 1)),
        ("threshold", lambda: parties.bare_threshold([1], 0)),
        ("values", lambda: parties.shuffled_reports([], 2, 1.0, seeded())),
        ("people", lambda: parties.clones_delta(0, 1.0, 0.1)),
        ("local", lambda: parties.clones_delta(9, 0, 0.1)),
        ("local", lambda: parties.blanket_delta(9, 2, 301.0, 0.1)),
        ("epsilon", lambda: parties.clones_delta(9, 1.0, -0.1)),
        ("delta", lambda: parties.clones_epsilon(9, 1.0, 1)),
        ("categories", lambda: parties.blanket_delta(9, 1, 1.0, 0.1)),
        ("ones", lambda: parties.shuffled_delta(9, 1.0, 0.1, ones=9)),
        ("people", lambda: parties.shuffled_delta(2001, 1.0, 0.1)),
        ("chances", lambda: parties.lie_gain((0.2, 0.2))),
        ("chances", lambda: parties.lie_gain((0.2, 0.3))),
        ("plan", lambda: parties.clipped_update([0.0, 0], FEATURES, LABELS, (1, 1))),
        ("sampling", lambda: parties.clipped_update([0.0, 0], FEATURES, LABELS, PLAN._replace(sampling=0))),
        ("norm", lambda: parties.clipped_update([0.0, 0], FEATURES, LABELS, PLAN._replace(norm=0))),
        ("features", lambda: parties.clipped_update([0.0, 0], FEATURES[:0], LABELS[:0], PLAN)),
        ("labels", lambda: parties.clipped_update([0.0, 0], FEATURES, LABELS * 2, PLAN)),
        ("users", lambda: parties.federated_training(FEATURES, LABELS, USERS[1:], PLAN, 1.0, 1e-6, seeded())),
    ],
)
def test_what_is_asked_for_wrongly_is_refused(name, call):
    with pytest.raises(ValueError, match=rf"^{name} must be"):
        call()


# The curves of the page.


def test_many_users_hide_one_for_nothing():
    """At epsilon 1 the noise costs 50 users much and 1,500 nothing; from 500 on local steps gain nothing."""
    rows = {(r["users"], r["local_steps"], r["epsilon"]): r for r in stored.read(curves.STEM)["rounds"]}
    last = {key: row["round 30_median"] for key, row in rows.items()}
    assert last[50, 1, 1.0] < last[50, 1, curves.NONE] - 0.05
    assert abs(last[1500, 1, 1.0] - last[1500, 1, curves.NONE]) < 0.005
    gains = [last[n, 5, e] - last[n, 1, e] for n in (500, 1500, 4419) for e in (0.3, 1.0, 3.0, curves.NONE)]
    assert max(gains) < 0.005
    doubt = {key: 1.2533 * row["round 30_error"] for key, row in rows.items()}
    for users, least, most in ((50, 0.1, 0.11), (1500, 0.0005, 0.0015), (4419, 0, 0.0001)):
        assert least < last[users, 1, curves.NONE] - last[users, 1, 1.0] < most
        assert (most < doubt[users, 1, 1.0]) == (users == 4419), "there the noise costs less than the error"
    for n, e in itertools.product((500, 1500, 4419), (0.3, 1.0, 3.0)):
        assert last[n, 5, e] - last[n, 1, e] < math.hypot(doubt[n, 5, e], doubt[n, 1, e])


def test_few_clones_do_not_hide_a_report_of_a_large_epsilon():
    alone = -math.expm1(-1) * special.expit(40)  # nobody hides: the delta of one report
    for people in (1, 1_000, 10**6):
        assert parties.clones_delta(people, 40, 39) == pytest.approx(alone, rel=1e-9)
    assert parties.clones_epsilon(1_000, 45, 1e-6) == pytest.approx(45, rel=1e-6)
    assert parties.clones_delta(1, 1e-6, 0.999999e-6) == pytest.approx(5e-13, rel=1e-5, abs=0)
    assert parties.clones_delta(10_000, 2.0, 1.999) > 2e-25, "numbers of clones that are left out count in full"


def test_few_blind_reports_do_not_hide_a_report_of_a_large_epsilon():
    for people, each in ((1, 40), (1_000, 40), (1_000, 33)):
        exact = -math.expm1(-1) * special.expit(each)
        assert exact * (1 - 1e-9) <= parties.blanket_delta(people, 2, each, each - 1) <= exact * 1.001


def test_shares_that_never_move_lose_everything_at_every_epsilon():
    assert parties.lattice_sum_delta(1, 0.01, 800) == parties.lattice_sum_delta(1, 0.01, 700) == 1


def test_the_least_epsilon_of_a_delta_near_the_smallest_number():
    for delta in (1e-300, 1e-299):
        epsilon = parties.skellam_epsilon(1, 100, delta)
        assert parties.skellam_delta(1, 100, epsilon) <= delta < parties.skellam_delta(1, 100, epsilon * (1 - 1e-9))


# Computed with 40 digits.
@pytest.mark.parametrize(
    ("share", "epsilon", "exact"),
    [
        (0.5 + 1e-12, 1e-6, 0.13447596492758411),
        (0.5 - 1e-9, 1e-6, 0.13447596692958413),
        (0.5 - 1e-7, 1e-6, 0.13447616492968507),
        (0.5 - 1e-9, 1, 1.6751386342897273),
    ],
)
def test_the_loss_of_nearly_half_of_the_shares(share, epsilon, exact):
    assert exact <= parties.geometric_share_loss(share, epsilon) <= exact * (1 + 1e-8)


def test_a_user_whose_steps_overflow_is_not_refused_but_brings_nothing():
    plan, rng = parties.Plan(20, 1, 3, 1, 1, 1), np.random.default_rng
    long = parties.federated_training([[1e308, 1e308], [1, 2]], [1, 1], [0, 1], plan, 1, 1e-5, rng(1))
    alone = parties.federated_training([[1, 2]], [1], [1], plan, 1, 1e-5, rng(1))
    assert np.array_equal(long.path, alone.path)
