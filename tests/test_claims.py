"""Every claim of the book against its program: the verdicts are as stated, and no mechanism goes without a claim.

Trials draw with a fixed seed, at a false-alarm rate of 1e-6 a dataset; everything else here is exact.
"""

import importlib
import inspect
import json
import pkgutil
import re
from dataclasses import replace

import numpy as np
import pytest

import dpbook
from dpbook import alp, claims, composition, local
from dpbook.averages import clamped_average
from dpbook.claims import (
    BY_OUTPUTS,
    BY_STEPS,
    CLAIMS,
    Claim,
    Finding,
    Trial,
    among,
    between,
    called,
    check,
    stored,
    table,
)
from dpbook.claims.losses import (
    loss_from_coupling,
    loss_from_draw,
    loss_from_law,
    loss_from_noise,
    loss_from_outputs,
    loss_from_steps,
)
from dpbook.claims.trial import FALSE_ALARM, MOST, compare, draws, heeds_epsilon, nothing_or, power, spelled
from dpbook.claims.verdicts import UNLIKE, judged
from dpbook.exponential import exponential_mechanism
from dpbook.laplace import laplace_mechanism, laplace_probability
from dpbook.neighbours import ADD_REMOVE, ANSWERS, REPLACE, count_pairs
from tools.book import claims as audit

pytestmark = pytest.mark.depends("dpbook", "tests/test_claims.py")

NOT_MECHANISMS = {
    "alp.coins": "tosses coins, sees no data",
    "arguments.generator": "looks whether it was given a generator",
    "audit.epsilon_lower_bound": "calls a mechanism that it is given",
    "audit.worst_neighbours": "calls a mechanism that it is given",
    "gradients.clipped_sums": "a sum without noise, of what coins chose: train adds the noise",
    "gradients.poisson_sample": "tosses coins for a number of records, sees no data",
    "choosing.kept_contributions": "its choice is not private, and it says so: group_counts counts what is kept",
    "clustering.breed_centroids": "sees released parents, no data",
    "clustering.spread_centroids": "draws a public start, sees no data",
    "laplace.laplace_noise": "draws noise, sees no data",
    "parties.additive_shares": "its sum is exact, and it says so: what hides a value from all servers but one",
    "parties.masked": "its sum is exact, and it says so: secure_sum adds noise first",
    "parties.noisy_rounds": "goes along what it is told: its callers, federated_ and averaged_training, have rows",
    "parties.pairwise_masks": "draws masks, sees no data",
    "parties.shamir_shares": "shares a key, sees no data",
    "memory.coin_canaries": "builds an auditor's training set, which is not released",
    "memory.draw_tries": "draws a number of tries, sees no data",
    "regression.offspring": "breeds of what was selected, sees no data",
    "regression.vector_noise": "draws noise, sees no data",
    "sensing.counting_queries": "draws public queries, sees no data",
    "sensing.gaussian_operator": "draws a public matrix, sees no data",
    "sensing.range_queries": "draws public queries, sees no data",
    "sparse.bernoulli_operator": "draws a public matrix, sees no data",
    "sparse.hadamard_operator": "draws a public matrix, sees no data",
    "sparse.plain_hadamard_matrix": "draws a public matrix, sees no data",
    "stability.subsampled_votes": "its votes are not private, and it says so: stable_mode releases one of them",
    "synthetic.draw_records": "draws from a released model, sees no data",
    "synthetic.whole_counts": "rounds a released table, sees no data",
    "svt.trace": "lays the secrets of a run open for pictures, and says that it is not private",
}
PAIR = [(np.array([3.0, 1]), np.array([4.0, 1]))]
FEWER, FEW = 300, 4_000  # outputs that are enough to see most emptied mechanisms, and all
STORED = claims.worst_losses()
each_claim = pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)


def takes_rng(thing):
    """Whether a function, or the constructor or a public method of a class, has a parameter `rng`."""
    functions = [thing] if inspect.isfunction(thing) else []
    if inspect.isclass(thing):
        functions = [f for name, f in vars(thing).items() if inspect.isfunction(f) and re.match("__init__|[^_]", name)]
    return any("rng" in inspect.signature(function).parameters for function in functions)


def functions_with_rng():
    """Every public function and class of the package that draws at random: its name with its stem, and itself."""
    names = [found.name for found in pkgutil.walk_packages(dpbook.__path__, "dpbook.")]
    modules = [importlib.import_module(name) for name in names if not name.startswith("dpbook.claims")]
    return {
        f"{module.__name__.split('.')[1]}.{name}": thing
        for module in modules
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", "") == module.__name__ and takes_rng(thing)
    }


@each_claim
def test_the_verdict_is_as_stated(claim):
    """And the draws that follow the law refuse the law at 1.1 epsilon; or, without epsilon, that of the neighbour."""
    drawn = draws(claim, MOST) if claim.trial else []
    finding = judged(claim, drawn)
    assert finding.as_stated, finding.words
    off = 0.05 if claim.statistical else 1e-3
    assert finding.loss == pytest.approx(STORED.get(claim.name, finding.loss), abs=off), "make audit STORE=yes"
    if drawn and heeds_epsilon(claim):
        assert any(one.could_refuse for one in drawn), "draw more, or where epsilon shows more"
        likely = [power(one.size, one.chances, one.other) for one in drawn if one.other is not None]
        assert max(likely) >= 0.99, "and a program that takes 1.1 epsilon is very likely refused"
    elif drawn:
        one, other = claim.pairs[0]
        swapped = Trial(
            lambda data, epsilon: claim.trial.law(one if data is other else other, epsilon),
            claim.trial.place,
            [one, other],
        )
        assert any(one.refuses for one in draws(replace(claim, trial=swapped), MOST))


def test_the_losses_that_page_21_shows_are_of_these_claims():
    """A new claim is run by the page until it is stored; more than a few would make the page slow."""
    names = {claim.name for claim in CLAIMS}
    assert set(STORED) <= names and len(names - set(STORED)) <= 10, "make audit STORE=yes"


def test_every_mechanism_has_a_claim():
    found = functions_with_rng()
    claimed = {id(claim.mechanism) for claim in CLAIMS}
    assert len(found) > 40, "the inspection finds the mechanisms"
    missing = sorted(name for name, thing in found.items() if id(thing) not in claimed and name not in NOT_MECHANISMS)
    assert not missing, "give these a row in dpbook/claims/<stem>.py, or say in NOT_MECHANISMS why not"
    assert set(NOT_MECHANISMS) <= set(found), "NOT_MECHANISMS names only what is there"
    assert not [name for name in NOT_MECHANISMS if id(found[name]) in claimed]


def test_every_row_says_what_it_claims():
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS) >= 80, "no row stands twice"
    assert {claim.relation for claim in CLAIMS} <= {ADD_REMOVE, REPLACE, ANSWERS}
    assert all(np.isfinite(claim.promise) and claim.promise > 0 for claim in CLAIMS)
    assert [module.CHAPTER for module in claims.CHAPTERS] == sorted(module.CHAPTER for module in claims.CHAPTERS)
    assert {claim.ran for claim in CLAIMS} == {"program", "both"}, "no row rests on a law alone"


# Each row runs the program that it names, and turns red when that is emptied.


def gutted(thing, monkeypatch):
    """Make a function, or all that a class defines, raise when it is called."""

    def stop(*args, **kwargs):
        raise RuntimeError("the mechanism was run")

    if inspect.isclass(thing):
        for name, member in vars(thing).items():
            if inspect.isfunction(member):
                monkeypatch.setattr(thing, name, stop)
        return
    free = thing.__code__.co_freevars
    assert not free, "a mechanism is a plain function"
    body = "def gone(*args, **kwargs):\n    raise RuntimeError('the mechanism was run')\n"
    body += "    yield\n" * inspect.isgeneratorfunction(thing)
    scope = {}
    exec(body, scope)
    monkeypatch.setattr(thing, "__code__", scope["gone"].__code__)
    monkeypatch.setattr(thing, "__defaults__", None)
    monkeypatch.setattr(thing, "__kwdefaults__", None)


@each_claim
def test_the_check_runs_the_mechanism_that_the_row_names(claim, monkeypatch):
    gutted(claim.mechanism, monkeypatch)
    with pytest.raises(RuntimeError, match="the mechanism was run"):
        check(claim, FEW)


class Emptied(np.random.Generator):
    """A generator that hands on another's, and spoils what makes a mechanism private."""

    def __init__(self, rng):
        super().__init__(rng.bit_generator)
        self.rng = rng

    def choice(self, *args, **options):
        return self.rng.choice(*args, **options)


class Silent(Emptied):
    """No noise and no coin: whatever is drawn comes out in the middle of its law, or in the likeliest place."""

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return loc + np.zeros(() if size is None else size)[()]

    normal = laplace

    def standard_exponential(self, size=None, **options):
        return np.zeros(() if size is None else size)[()] + 1e-300

    def exponential(self, scale=1.0, size=None):
        return self.standard_exponential(size)

    def gamma(self, shape, scale=1.0, size=None):
        return np.zeros(() if size is None else size)[()]

    def random(self, size=None, **options):
        return 0.5 if size is None else np.full(size, 0.5)

    def uniform(self, low=0.0, high=1.0, size=None):
        return (low + high) / 2 + np.zeros(() if size is None else size)[()]

    def binomial(self, n, p, size=None):
        return np.rint(n * p).astype(int)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        middle = (low if high is None else low + high) // 2
        return middle if size is None else np.full(size, middle, dtype=dtype)


class Halved(Emptied):
    """Half the noise, where noise is drawn with a scale; the true side more often, where coins are."""

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return self.rng.laplace(loc, np.asarray(scale) / 2, size)

    def normal(self, loc=0.0, scale=1.0, size=None):
        return self.rng.normal(loc, np.asarray(scale) / 2, size)

    def standard_exponential(self, size=None, **options):
        return self.rng.standard_exponential(size) / 2

    def exponential(self, scale=1.0, size=None):
        return self.rng.exponential(scale / 2, size)

    def gamma(self, shape, scale=1.0, size=None):
        return self.rng.gamma(shape, scale / 2, size)

    def random(self, size=None, **options):
        return self.rng.random(size) / 2

    def uniform(self, low=0.0, high=1.0, size=None):
        return (self.rng.uniform(low, high, size) + (low + high) / 2) / 2

    def binomial(self, n, p, size=None):
        return self.rng.binomial(n, p / 2, size)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        drawn = self.rng.integers(low, high, size, dtype, endpoint)
        return (drawn.view(np.uint8) // 2).view(np.uint64) if dtype is np.uint64 else drawn // 2


def is_red(claim):
    """Whether a check of this claim is red: another verdict or loss than stated, or nothing that can be checked."""
    try:
        return any(not check(claim, outputs).as_stated for outputs in (FEWER, FEW))
    except (ValueError, TypeError, FloatingPointError, ZeroDivisionError, RuntimeWarning):
        return True


def tampered(claim, how=lambda rng: rng, factor=1.0):
    """The same claim about a mechanism that gets `how(rng)` for its generator and `factor` times its epsilon."""

    def run(data, epsilon, rng):
        return claim.run(data, factor * epsilon, how(rng))

    def run_many(data, epsilon, rng, size=None):
        return claim.run(data, factor * epsilon, how(rng), size)

    return replace(claim, run=run_many if "size" in inspect.signature(claim.run).parameters else run)


@each_claim
def test_an_emptied_mechanism_turns_its_row_red(claim):
    assert is_red(tampered(claim, Silent))


@each_claim
def test_a_mechanism_that_takes_twice_its_epsilon_turns_its_row_red(claim):
    """Half the noise. The three rows of chapter 19 whose mechanisms take no epsilon get a generator that halves it."""
    if claim.trial and not heeds_epsilon(claim):
        assert "Notebook: 19_projection" in claim.mechanism.__doc__
        assert is_red(tampered(claim, Halved))
        return
    assert is_red(tampered(claim, factor=2.0))


@pytest.mark.parametrize(
    ("name", "used", "loss"),
    [
        ("laplace_mechanism", "004 Ex. 2.14", 7.0),  # 42 / 6: erratum A4
        ("leaky_laplace", "11-bit", np.inf),
        ("exponential_mechanism", "moved both ways", 2.0),
        ("simple_average", "004 Alg. 1", 4.0),  # 1/2 (1 + 42 / 6): erratum A4
        ("resampling_average", "004 Alg. 2", np.log(2 * np.e - 1)),  # erratum A2, approached
        ("clamped_average", "Proposition 2.22", np.log(2) + 0.5),  # erratum A1
        ("sparse_vector", "Lee, Clifton", 3.25),  # (1 + 6 c) / 4 with c = 2: 004 section 7.2.2
        ("sparse_vector", "Roth)", 49.5),
        ("sparse_vector", "Stoddard", np.inf),
        ("binary_counter", "epsilon each", 4.0),  # k epsilon with k = 4: erratum A18
        ("threshold_vector_as_printed", "Algorithm 6", np.inf),
    ],
)
def test_what_the_broken_ones_lose(name, used, loss):
    (claim,) = [c for c in CLAIMS if c.mechanism.__name__ == name and used in c.setting and c.false]
    found = claim.method(claim)
    assert found == pytest.approx(loss, abs=0.05) and found <= loss * (1 + 1e-9)


@pytest.mark.thorough
def test_most_pairs_are_as_bad_as_can_be():
    """A harmless pair shows nothing: nine of ten true claims are used up to a third, most of them wholly."""
    shares = np.array([claim.method(claim) / claim.promise for claim in CLAIMS if not claim.false])
    assert np.mean(shares > 1 / 3) > 0.9 and np.mean(shares > 0.95) > 0.6


# Each way of finding a loss can find one: a slip in a mechanism shows.


def noisy(scale):
    return lambda counts, rng: counts + rng.laplace(scale=scale, size=np.shape(counts))


def test_noise_that_is_too_small_shows():
    assert loss_from_noise(noisy(1.0), PAIR) == 1
    assert loss_from_noise(noisy(0.25), PAIR) == 4
    assert loss_from_noise(lambda counts, rng: laplace_mechanism(counts, 2, 1.0, rng), PAIR) == 0.5


def test_every_number_that_gets_noise_counts():
    def twice(counts, rng):
        return [noisy(1.0)(counts, rng), noisy(2.0)(counts.sum(), rng)]

    assert loss_from_noise(twice, PAIR) == 1.5


@pytest.mark.parametrize(
    "leak",
    [
        lambda counts, rng: noisy(1.0)(counts, rng) / counts.sum(),
        lambda counts, rng: [*noisy(1.0)(counts, rng), counts[0]],
        lambda counts, rng: noisy(counts.sum())(counts, rng),
        lambda counts, rng: [noisy(1.0)(counts, rng) for _ in range(int(counts[0]))],
        lambda counts, rng: noisy(1.0)(counts[: int(counts[0]) - 2], rng),
        lambda counts, rng: np.sort(noisy(1.0)(counts, rng))[:: 1 if counts[0] == 3 else -1],
        lambda counts, rng: [noisy(1.0)(counts, rng), [exponential_mechanism(counts, 1, 1.0, rng), counts[0]]],
        lambda counts, rng: [noisy(1.0)(counts, rng), rng.uniform(0, counts[0])],
    ],
)
def test_data_that_flow_around_the_steps_show(leak):
    assert loss_from_steps(leak, PAIR) == np.inf


def test_post_processing_and_public_randomness_do_not():
    def shuffled(counts, rng):
        return np.round(rng.permutation(noisy(1.0)(counts, rng))), {"seed": 1}["seed"]

    assert loss_from_noise(shuffled, PAIR) == 1


def select(epsilon):
    return lambda quality, rng: exponential_mechanism(quality, 1, epsilon, rng)


def test_the_law_is_read_off_the_draw_and_off_the_steps():
    """The loss of a selection is that of its exact law; twice the slope shows."""
    pair = [(np.array([0.0, 2, 1]), np.array([1.0, 1, 1]))]
    laws = [np.exp(0.5 * side) / np.exp(0.5 * side).sum() for side in pair[0]]
    for loss in (loss_from_draw, loss_from_steps):
        assert loss(select(1.0), pair) == pytest.approx(np.abs(np.log(laws[0] / laws[1])).max(), rel=1e-12)
        assert loss(select(2.0), pair) > 1.5 * loss(select(1.0), pair)
    assert loss_from_draw(lambda data, rng: float(rng.random() < data[0] / 5), PAIR) == pytest.approx(np.log(2))
    assert loss_from_draw(lambda data, rng: data[0] + 0 * rng.random(), PAIR) == np.inf


def test_steps_add_up_along_the_worst_way():
    """Noise, then a choice that depends on what came: |ln| of each, over all ways that the choices can fall."""

    def noise_then_choices(counts, rng):
        noisy_counts = laplace_mechanism(counts, 1, 0.5, rng)
        first = exponential_mechanism(counts, 1, 0.3, rng)
        rest = np.delete(counts, first)
        return [noisy_counts, first, exponential_mechanism(rest, 1, 0.2, rng)]

    counts, more = np.array([3.0, 1, 0]), np.array([3.0, 1, 1])

    def log_law(data):
        first = np.exp(0.15 * data) / np.exp(0.15 * data).sum()
        rest = [np.exp(0.1 * np.delete(data, i)) / np.exp(0.1 * np.delete(data, i)).sum() for i in range(3)]
        return np.log(first[:, None] * rest)

    expected = 0.5 + np.abs(log_law(counts) - log_law(more)).max()
    assert loss_from_steps(noise_then_choices, [(counts, more)]) == pytest.approx(expected, rel=1e-9)


def test_coins_are_choices():
    def coins(data, rng):
        return rng.random(3) < data

    pair = [(np.array([0.5, 0.2, 0.9]), np.array([0.4, 0.3, 0.9]))]
    ratios = np.log([[0.5 / 0.4, 0.5 / 0.6], [0.2 / 0.3, 0.8 / 0.7]])
    worst = np.abs([a + b for a in ratios[0] for b in ratios[1]]).max()
    assert loss_from_steps(coins, pair) == pytest.approx(worst)
    assert loss_from_steps(lambda data, rng: rng.random() >= data[0], pair) == pytest.approx(np.log(0.5 / 0.4))
    named = loss_from_steps(lambda data, rng: int(rng.choice(3, p=data / data.sum())), pair)
    assert named == pytest.approx(np.abs(np.log(pair[0][0] / pair[0][1])).max(), rel=1e-9)
    many_coins = [(np.full(40, 0.5), np.full(40, 0.4))]
    assert loss_from_steps(lambda data, rng: rng.random(40) < data, many_coins) == pytest.approx(40 * np.log(1.25))


def test_a_leak_behind_public_coins_is_found_however_they_must_fall():
    """The data come out where just one of three fair coins shows heads: neither the likeliest way nor all alike."""

    def leak(data, rng):
        noisy, coins = data + rng.laplace(scale=1.0), rng.random(3) < 0.5
        return (noisy, data) if coins.sum() == 1 else (noisy, 0)

    assert loss_from_steps(leak, [(3, 4)]) == np.inf


def test_a_choice_that_one_side_cannot_make_is_an_infinite_loss():
    assert (
        loss_from_steps(lambda data, rng: rng.random(2) < data, [(np.array([0.0, 0.5]), np.array([0.1, 0.5]))])
        == np.inf
    )


def test_a_coupling_must_hide_the_difference():
    def count(data, rng):
        return data + rng.laplace(scale=2.0)

    assert loss_from_coupling(count, [(3, 4)], lambda data, neighbour: [data - neighbour]) == 0.5
    assert loss_from_coupling(count, [(3, 4)], lambda data, neighbour: [neighbour - data]) == np.inf
    assert loss_from_coupling(count, [(3, 4)], lambda data, neighbour: [-1, 0]) == np.inf, "a draw that never was"


def test_an_output_of_one_side_only_is_an_infinite_loss():
    assert loss_from_law(lambda side: np.array([[0.0, -np.inf], [-1.0, -0.5]])[side], [(0, 1)]) == np.inf


def test_samples_refute_a_false_claim():
    def clamped(values, rng, size):
        return clamped_average(values, (0, 1), 0.4, rng, size=size)

    assert 0.6 < loss_from_outputs(clamped, [([0], [0, 1])], samples=100_000) <= np.log(2) + 0.2


@pytest.mark.parametrize(
    "call",
    [
        lambda: loss_from_noise(lambda data, rng: data, PAIR),
        lambda: loss_from_draw(lambda data, rng: data[0], PAIR),
        lambda: loss_from_draw(lambda data, rng: float(rng.random() + rng.random()), PAIR),
        lambda: loss_from_steps(lambda data, rng: float(np.log(rng.random())) + data, PAIR),
        lambda: loss_from_steps(lambda data, rng: rng.random(3).argmax() + data, PAIR),
    ],
)
def test_a_mechanism_of_another_kind_is_refused(call):
    with pytest.raises((ValueError, TypeError), match=r"mechanism must be .*; got |_Uniform|loop"):
        call()


# The trial: chi-square on events.


def test_a_trial_sees_another_law_and_outputs_that_no_event_has():
    counts = np.random.default_rng(1).multinomial(100_000, [0.5, 0.3, 0.2])
    assert not compare(counts.astype(float), np.array([0.5, 0.3, 0.2])).refuses
    assert compare(counts.astype(float), np.array([0.48, 0.32, 0.2])).refuses
    assert compare(counts.astype(float), np.array([0.5, 0.3, 0.2]), strays=1).refuses
    assert compare(np.array([99_999.0, 1]), np.array([1.0, 0.0])).refuses, "an impossible event came"


def test_the_false_alarms_of_the_trial_are_as_rare_as_said():
    """At 1 in 100 instead of 1 in a million, over 3,000 draws: between 10 and 60 (Poisson of mean 30: below 1e-6)."""
    rng = np.random.default_rng(1)
    chances = np.array([0.4, 0.3, 0.15, 0.1, 0.04, 0.008, 0.001, 0.0009, 0.0001])
    from scipy.stats import chi2

    outcomes = [compare(rng.multinomial(5_000, chances).astype(float), chances) for _ in range(3_000)]
    alarms = sum(outcome.statistic > chi2.isf(0.01, outcome.freedom) for outcome in outcomes)
    assert 10 <= alarms <= 60 and FALSE_ALARM == 1e-6


def test_places():
    assert between([-np.inf, 0, 1, np.inf])(np.array([-2.0, 0.5, 7])).tolist() == [0, 1, 2]
    assert between([0, 1, 2])(np.array([[0.5, 1.5], [1.5, 0.5]])).tolist() == [1, 2]
    assert among([(True, False), "word", 3])([[True, False], "word", np.int64(3), (False,)]) == [0, 1, 2, -1]


def test_places_outside_are_strays():
    nan = float("nan")
    assert between([0, 1, 2])([-1, 0, 2, 2.5, nan]).tolist() == [-1, 0, 1, -1, -1]
    assert between([0, 1, 2])([[0.5, 3.0], [nan, 1], [1.5, 2.0]]).tolist() == [-1, -1, 3]
    assert spelled([[1, 0, 1], [0, 0, 2], [0.5, 0, 0]]).tolist() == [5, -1, -1]
    place = nothing_or(between([10, 20, np.inf]))
    assert place([None, [], (), 9.0, 15.0, 30.0, nan]).tolist() == [0, 0, 0, -1, 1, 2, -1]
    assert place([None, None]).tolist() == [0, 0]


@pytest.mark.parametrize("place", [-1.0, 0.5, 4.0, float("nan")])
def test_a_place_that_no_event_has_convicts(place):
    """Three events and a rest: 0, 1, 2 and 3 are places; one output in 2,000 elsewhere refutes the program."""
    law = np.log([0.5, 0.3, 0.1])

    def numbers(data, epsilon, rng, size):
        drawn = rng.choice(np.arange(4.0), size, p=[0.5, 0.3, 0.1, 0.1])
        return np.append(drawn[1:], place if data else 0.0)

    row = Claim(numbers, "", REPLACE, claims.BY_LAW, numbers, [(0, 1)], law=lambda data, epsilon: law)
    for data in (0, 1):
        (one,) = draws(replace(row, pairs=[], trial=Trial(row.law, lambda outputs: outputs, [data])), MOST)
        assert one.strays == data and one.refuses == bool(data)


def named(people, epsilon, rng, size, threshold=5.0):
    """A noisy count, published if it reaches a threshold: delta is the chance that one person does."""
    counts = laplace_mechanism(np.full(size, people), 1, epsilon, rng)
    return [float(count) if people and count >= threshold else None for count in counts]


def named_law(people, epsilon):
    edges = np.array([5.0, 8, 12, np.inf])
    chances = laplace_probability(edges[:-1], edges[1:], people, 1, epsilon) * bool(people)
    with np.errstate(divide="ignore"):
        return np.log(np.append(1 - chances.sum(), chances))


def test_a_program_that_forgets_its_threshold_names_the_lone_person_and_is_refuted():
    """The trial itself draws on five people, almost all of whom are named anyway: the pair's lone record is drawn on.

    With the threshold forgotten a count below it comes out, and is none of the listed outputs.
    """
    trial = Trial(named_law, nothing_or(between([5.0, 8, 12, np.inf])), [5])
    row = Claim(named, "", ADD_REMOVE, claims.BY_LAW, named, [(1, 0)], delta=0.01, law=named_law, trial=trial)
    assert check(row).words == "within" and len(check(row).draws) == 3

    def forgetful(people, epsilon, rng, size):
        return named(people, epsilon, rng, size, threshold=-1e9)

    def lower(people, epsilon, rng, size):
        return named(people, epsilon, rng, size, threshold=4.9)

    assert check(replace(row, run=forgetful)).verdict == check(replace(row, run=lower)).verdict == UNLIKE
    assert check(replace(row, run=lower), 300).verdict == UNLIKE, "few draws show strays as well"


@each_claim
def test_the_law_that_gives_the_loss_is_drawn_on_both_sides_of_every_pair(claim):
    """So the lone record is among the draws, and nobody; laws of other events have datasets of their own."""
    if claim.trial is None or claim.law is not claim.trial.law.__wrapped__:
        return
    drawn_on = [*claim.trial.datasets, *claim.trial.also_on(claim)]
    assert len(draws(claim, 1)) == len(drawn_on)
    for data in (data for pair in claim.pairs for data in pair):
        assert any(np.array_equal(data, one) for one in drawn_on)


def test_a_budget_that_never_refuses_turns_its_row_red(monkeypatch):
    (claim,) = [c for c in CLAIMS if c.mechanism is composition.Budget and "1.4" in c.setting]
    monkeypatch.setattr(composition, "must_fit", lambda *args: None)
    assert check(claim).loss == pytest.approx(1.4) and not check(claim).as_stated


@pytest.mark.parametrize("mechanism", [alp.threshold_vector, alp.threshold_alp])
def test_a_list_that_forgets_its_threshold_turns_its_row_red(mechanism, monkeypatch):
    (claim,) = [c for c in CLAIMS if c.mechanism is mechanism]
    listed = alp.threshold_vector
    monkeypatch.setattr(alp.mechanism, "threshold_vector", lambda x, t, e, rng: listed(x, 1e-9, e, rng))
    if mechanism is alp.threshold_vector:
        claim = replace(claim, run=lambda x, epsilon, rng: alp.mechanism.threshold_vector(x, 1.5, epsilon, rng))
    finding = check(claim, FEW)
    assert (
        finding.verdict == UNLIKE
        and sum(compare(one.counts, one.chances, one.strays).strays for one in finding.draws) > 100
    )


def test_what_the_draws_would_catch_is_what_they_catch():
    """At 400 draws and at the factor that the table names, 198 of 200 programs are refused; half the excess: fewer."""
    row = next(claim for claim in CLAIMS if claim.mechanism is local.randomized_response and claim.setting == "a bit")
    few, many_draws = check(row, 400), check(row)
    assert few.drawn == 800 and 1.1 < few.catches < np.inf and many_draws.catches == 1.1

    def refused(factor):
        spends = tampered(row, factor=factor)
        return sum(any(one.refuses for one in draws(spends, 400, seed)) for seed in range(200))

    half = 1 + (few.catches - 1) / 2
    assert refused(half) < 198 <= refused(few.catches)
    assert power(300, np.array([0.5, 0.5]), np.array([0.5, 0.5])) == FALSE_ALARM
    assert power(300, np.array([1.0, 0.0]), np.array([0.9, 0.1])) > 0.999, "a stray shows"


def answers(bit, epsilon, rng, size):
    return local.randomized_response(np.full(size, bit), epsilon, rng)


def answer_law(bit, epsilon):
    return local.response_log_probability(np.arange(2), bit, epsilon)


def test_a_program_that_follows_another_law_is_another_program():
    """The law alone stays within the claim; the program takes 1.1 epsilon, and the row says so."""
    trial = Trial(answer_law, np.asarray, [0, 1])
    row = Claim(
        local.randomized_response, "a bit", REPLACE, claims.BY_LAW, answers, [(0, 1)], law=answer_law, trial=trial
    )
    assert check(row).words == "within"
    spends = check(tampered(row, factor=1.1))
    assert spends.verdict == UNLIKE and spends.words == "another program, but said: within"


# The verdict in words, and the command.


def claim_like(**changes):
    run = {"run": lambda counts, epsilon, rng: noisy(1.0)(counts, rng)}
    row = Claim(laplace_mechanism, "2 bins", ADD_REMOVE, BY_STEPS, pairs=count_pairs(np.ones(2)), **run)
    return replace(row, **changes)


@pytest.mark.parametrize(
    ("claim", "words", "as_stated"),
    [
        (claim_like(epsilon=1.0), "within", True),
        (claim_like(epsilon=0.9, loses=1.0, false=True), "BROKEN as said", True),
        (claim_like(epsilon=0.9), "BROKEN, but said: within", False),
        (claim_like(epsilon=1.0, false=True), "within, but said: BROKEN", False),
        (claim_like(epsilon=2.0), "within, but said to lose 2", False),
    ],
)
def test_verdicts_in_words(claim, words, as_stated, capsys):
    finding = check(claim)
    assert isinstance(finding, Finding) and (finding.words, finding.as_stated) == (words, as_stated)
    assert audit.main([], [claim]) == (0 if as_stated else 1)
    printed = capsys.readouterr().out.splitlines()
    assert words in printed[1] and printed[0].startswith("mechanism") and printed[-2].startswith("1 claims")
    assert printed[-1].startswith("1 rows compute the loss from the program")


def test_the_table_and_the_file_say_what_was_run(tmp_path, capsys):
    file = tmp_path / "claims.json"
    both = next(claim for claim in CLAIMS if claim.mechanism is local.randomized_response)
    assert audit.main(["--json", str(file)], [claim_like(), both]) == 0
    first, second = json.loads(file.read_text())
    said = capsys.readouterr().out.splitlines()[-1]
    assert "1 draw" in said and said.endswith("1 of 1 would refute a program that takes 1.1 times its epsilon")
    assert (first["drawn"], first["catches"]) == (0, 1) and second["drawn"] > 10_000 and second["catches"] == 1.1
    assert [row["catches"] for row in table([check(claim_like()), check(both)])] == ["any", "1.1 ε"]
    assert [row["ran"] for row in table(map(check, [claim_like(), both]))] == ["program", "both"]
    assert first["how"] == "program" and second["how"] == "both" and second["verdict"] == "within"
    assert second["test"] == f"tests/test_claims.py::test_the_verdict_is_as_stated[{both.name}]"
    assert {"mechanism", "setting", "relation", "claim", "worst_loss"} <= set(first)


def test_the_command_stores_losses_only_where_every_verdict_is_as_stated(tmp_path, monkeypatch, capsys):
    def leaking(counts, epsilon, rng):
        return [*noisy(1.0)(counts, rng), counts[0]]

    monkeypatch.setattr(stored, "STORE", tmp_path / "stored.json")
    boundless = claim_like(setting="and a count", run=leaking, loses=np.inf, false=True)
    assert audit.main(["--store"], [claim_like(), boundless]) == 0
    assert claims.worst_losses() == {claim_like().name: 1.0, boundless.name: np.inf}
    assert audit.main(["--store"], [claim_like(epsilon=0.9)]) == 1 and len(claims.worst_losses()) == 2
    assert audit.main([], [claim_like()]) == 0 and len(claims.worst_losses()) == 2


def test_the_command_is_red_where_too_few_are_drawn(monkeypatch, capsys):
    row = next(claim for claim in CLAIMS if claim.mechanism is local.randomized_response and claim.setting == "a bit")
    monkeypatch.setattr(audit, "check", lambda claim: check(claim, 300))
    assert audit.main([], [row]) == 1 and "0 of 1 would refute" in capsys.readouterr().out


def test_samples_can_only_fail_to_refute():
    run = called(lambda count, epsilon, rng: count + rng.laplace(scale=1 / epsilon))
    claim = claim_like(method=BY_OUTPUTS, pairs=[(0.0, 1.0)], run=run, at=1.0)
    assert check(claim).words == "not refuted" and claim.stated == "not refuted"
    assert not check(replace(claim, epsilon=0.1)).as_stated
