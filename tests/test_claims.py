"""Every claim of the book against what can be found: the verdicts are as stated, and no mechanism goes without a claim.

One row is statistical, at 99.9 % with a fixed seed; all others are exact.
"""

import importlib
import inspect
import pathlib
import pkgutil
import re
from dataclasses import replace

import numpy as np
import pytest

import dpbook
from dpbook.averages import clamped_average
from dpbook.claims import CLAIMS, Finding, check, table
from dpbook.claims.loss import loss_from_draw, loss_from_law, loss_from_noise, loss_from_outputs
from dpbook.exponential import exponential_mechanism
from dpbook.laplace import laplace_mechanism
from dpbook.neighbours import count_pairs
from tools.book import claims as audit

NOT_MECHANISMS = {
    "alp.coins": "tosses coins, sees no data",
    "arguments.generator": "looks whether it was given a generator",
    "audit.epsilon_lower_bound": "calls a mechanism that it is given",
    "audit.worst_neighbours": "calls a mechanism that it is given",
    "sensing.counting_queries": "draws public queries, sees no data",
    "sensing.gaussian_operator": "draws a public matrix, sees no data",
    "sensing.range_queries": "draws public queries, sees no data",
    "sparse.bernoulli_operator": "draws a public matrix, sees no data",
    "sparse.hadamard_operator": "draws a public matrix, sees no data",
    "svt.laplace_noise": "draws noise, sees no data",
    "svt.plain_sparse_vector": "the same as sparse_vector, from the same random numbers (test_svt.py)",
    "svt.trace": "lays the secrets of a run open for pictures, and says that it is not private",
}
PAIR = [(np.array([3.0, 1]), np.array([4.0, 1]))]


def takes_rng(thing):
    """Whether a function, or the constructor or a public method of a class, has a parameter `rng`."""
    functions = [thing] if inspect.isfunction(thing) else []
    if inspect.isclass(thing):
        functions = [f for name, f in vars(thing).items() if inspect.isfunction(f) and re.match("__init__|[^_]", name)]
    return any("rng" in inspect.signature(function).parameters for function in functions)


def functions_with_rng():
    """Every public function and class of the package that draws at random: its name with its module, and itself."""
    names = [found.name for found in pkgutil.walk_packages(dpbook.__path__, "dpbook.")]
    modules = [importlib.import_module(name) for name in names if not name.startswith("dpbook.claims")]
    return {
        f"{module.__name__.split('.')[1]}.{name}": thing
        for module in modules
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", "") == module.__name__ and takes_rng(thing)
    }


@pytest.fixture(scope="module")
def findings():
    return [check(claim) for claim in CLAIMS]


def test_every_verdict_is_as_stated(findings):
    wrong = [(row["mechanism"], row["used"], row["verdict"]) for row in table(f for f in findings if not f.as_stated)]
    assert not wrong


def test_every_mechanism_has_a_claim():
    found = functions_with_rng()
    claimed = {id(claim.mechanism) for claim in CLAIMS}
    assert len(found) > 40, "the inspection finds the mechanisms"
    missing = sorted(name for name, thing in found.items() if id(thing) not in claimed and name not in NOT_MECHANISMS)
    assert not missing, "give these a row in dpbook/claims.py, or say in NOT_MECHANISMS why not"
    assert set(NOT_MECHANISMS) <= set(found), "NOT_MECHANISMS names only what is there"
    assert not [name for name in NOT_MECHANISMS if id(found[name]) in claimed]


def test_every_row_says_what_it_claims(findings):
    rows = table(findings)
    assert len({tuple(row.values())[:3] for row in rows}) == len(rows), "no row stands twice"
    assert all(row["neighbours"] in ("add/remove", "replace", "each answer by 1") for row in rows)
    assert all(np.isfinite(claim.epsilon) and claim.epsilon > 0 for claim in CLAIMS)
    assert {row["checked"] for row in rows} == {"exact", "statistical"}


@pytest.mark.parametrize(
    ("name", "used", "loss"),
    [
        ("laplace_mechanism", "004 Ex. 2.14", 7.0),  # 42 / 6: erratum A4
        ("leaky_laplace", "11-bit", np.inf),
        ("exponential_mechanism", "moved both ways", 2.0),
        ("simple_average", "004 Alg. 1", 4.0),  # 1/2 (1 + 42 / 6): erratum A4
        ("resampling_average", "Algorithm 2", np.log(2 * np.e - 1)),  # erratum A2, approached
        ("clamped_average", "Proposition 2.22", np.log(2) + 0.5),  # erratum A1
        ("sparse_vector", "Lee, Clifton", 3.25),  # (1 + 6 c) / 4 with c = 2: 004 section 7.2.2
        ("sparse_vector", "Roth)", 49.5),
        ("sparse_vector", "Stoddard", np.inf),
        ("compressive_counter", "epsilon each", 4.0),  # k epsilon with k = 4: erratum A18
        ("threshold_vector", "as printed", np.inf),
    ],
)
def test_what_the_broken_ones_lose(findings, name, used, loss):
    found = [f for f in findings if f.claim.mechanism.__name__ == name and used in f.claim.setting and f.claim.false]
    assert found and found[0].loss == pytest.approx(loss, abs=0.05)
    assert found[0].loss <= loss * (1 + 1e-9)


def test_most_pairs_are_as_bad_as_can_be(findings):
    """A harmless pair shows nothing: nine of ten true claims are used up to a third, most of them wholly."""
    shares = np.array([f.loss / f.claim.epsilon for f in findings if not f.claim.false])
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
    ],
)
def test_data_that_flow_around_the_noise_show(leak):
    assert loss_from_noise(leak, PAIR) == np.inf


def test_post_processing_and_public_randomness_do_not():
    def shuffled(counts, rng):
        return np.round(rng.permutation(noisy(1.0)(counts, rng))), {"seed": 1}["seed"]

    assert loss_from_noise(shuffled, PAIR) == 1


def test_the_law_is_read_off_the_draw():
    """The loss of a selection is that of its exact law; twice the slope shows."""

    def select(epsilon):
        return lambda quality, rng: exponential_mechanism(quality, 1, epsilon, rng)

    pair = [(np.array([0.0, 2, 1]), np.array([1.0, 1, 1]))]
    laws = [np.exp(0.5 * side) / np.exp(0.5 * side).sum() for side in pair[0]]
    assert loss_from_draw(select(1.0), pair) == pytest.approx(np.abs(np.log(laws[0] / laws[1])).max(), rel=1e-12)
    assert loss_from_draw(select(2.0), pair) > 1.5 * loss_from_draw(select(1.0), pair)
    assert loss_from_draw(lambda data, rng: float(rng.random() < data[0] / 5), PAIR) == pytest.approx(np.log(2))
    assert loss_from_draw(lambda data, rng: data[0] + 0 * rng.random(), PAIR) == np.inf


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
    ],
)
def test_a_mechanism_of_another_kind_is_refused(call):
    with pytest.raises(ValueError, match=r"mechanism must be .*; got "):
        call()


# The verdict in words, and the command.


def claim_like(**changes):
    return replace(CLAIMS[0], method=loss_from_noise, run=noisy(1.0), pairs=count_pairs(np.ones(2)), **changes)


@pytest.mark.parametrize(
    ("claim", "words", "as_stated"),
    [
        (claim_like(epsilon=1.0), "within", True),
        (claim_like(epsilon=0.9, false=True), "BROKEN as said", True),
        (claim_like(epsilon=0.9), "BROKEN, but said: within", False),
        (claim_like(epsilon=1.0, false=True), "within, but said: BROKEN", False),
    ],
)
def test_verdicts_in_words(claim, words, as_stated, capsys):
    finding = check(claim)
    assert isinstance(finding, Finding) and (finding.words, finding.as_stated) == (words, as_stated)
    assert audit.main([claim]) == (0 if as_stated else 1)
    printed = capsys.readouterr().out.splitlines()
    assert words in printed[1] and printed[0].startswith("mechanism") and printed[-1].startswith("1 claims")


def test_samples_can_only_fail_to_refute():
    claim = replace(claim_like(), method=loss_from_outputs, pairs=[(0.0, 1.0)])
    assert check(claim).words == "not refuted" and claim.stated == "not refuted"
    assert not check(replace(claim, epsilon=0.1)).as_stated


def test_only_the_audit_s_page_tools_and_tests_read_the_claims():
    root = pathlib.Path(dpbook.__file__).parents[1]
    rooms = {"claims", "claims_basic", "claims_sparse", "claims_verdicts", "claims_loss"}
    paths = [*root.glob("dpbook/*.py"), *root.glob("notebooks/*.py"), *root.glob("exercises/*.py")]
    readers = [path for path in paths if path.stem not in {*rooms, "21_audit"}]
    text = r"(from|import) dpbook\.({0})\b|from dpbook import [^\n]*\b({0})\b".format("|".join(rooms))
    assert len(readers) > 20 and not [path.name for path in readers if re.search(text, path.read_text())]
