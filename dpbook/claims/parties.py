"""The claims of chapter 29: masked sums with shared noise, shuffled reports, users who train, and what breaks them.

The server's view of a secure sum is its result: the masks are uniform, which `tests/test_parties.py` enumerates. Rows
on a delta have the exact law of a count; users' records are rows of a user's number, features, and a label.
"""

import functools
import math

import numpy as np
from scipy import stats

from dpbook import parties
from dpbook.claims.trial import Trial
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim
from dpbook.gaussian import gaussian_scale
from dpbook.laplace import geometric_log_probability
from dpbook.local import report_count_probabilities
from dpbook.neighbours import ADD_REMOVE, REPLACE
from dpbook.parties.noise import _lattice_law, _repeated, _rounded_law

CHAPTER = "29"
DELTA, LOOSE = 1e-6, 2.2e-4  # LOOSE: what normal noise of deviation 3 keeps at epsilon 1, and some
COUNT = [(0, 1)]  # how many hold a 1
BITS = [((1, 1, 0), (1, 1, 1))]
MODULUS, LOWEST = 64, -30
CHOICES = [((0, 1, 1), (1, 1, 1))]
SIDE = np.arange(-12, 16)  # of a bin's count that is looked at
PEOPLE, LOCAL = 200, 1.0
WORST = 0  # of the others, so many hold 1 in the worst dataset of 200 people at LOCAL and DELTA
WHOLE = np.arange(-60, 62)
SEVERAL, FEW = 400, 144  # parties whose rounded shares are too small, and whose discrete normal shares are
PLAN = parties.Plan(5, 1.0, 2, 20.0, 0.5, 0.1)
ONCE = parties.Plan(1, 1.0, 1, 0.5, 1.0, 1.0)
USERS = np.array([[0, 0.6, 0.3, 0, 1], [0, -0.2, 0.5, 0, -1], [1, 0.4, -0.7, 0, 1]])
CANARY = np.array([[2, 0, 0, 1.0, 1], [2, 0, 0, 1.0, 1]])
JOINED = [(USERS, np.vstack([USERS, CANARY]))]
BLANK = [tuple(np.column_stack([np.arange(n), np.zeros((n, 10)), np.ones(n)]) for n in (4, 5))]
SQUARES = np.concatenate([[0.0], np.geomspace(0.02, 20, 60), [np.inf]])


def claims():
    """The rows of chapter 29."""
    half_there = parties.geometric_share_loss(0.5, 1.0)
    rows = [
        row(parties.secure_sum, "bits of 3, all honest", summed, window_law, window_place, BITS, loses=1.0),
        row(parties.secure_histogram, "two bins of 3 parties", counted, bins_law, bins_place, CHOICES, loses=1.0),
    ]
    for present, law, loss in ((4, pieces_law(1.0), 1.0), (2, pieces_law(0.5), half_there)):
        setting, lost = f"a count, {present} of the 4 shares planned", {"loses": loss, "false": present < 4}
        rows.append(row(parties.geometric_share, setting, pieces(present), law, whole_place, COUNT, **lost))
    for mechanism, setting, people, law in (
        (parties.rounded_sum, "400 normal shares, rounded", SEVERAL, _rounded_law),
        (parties.lattice_sum, "144 discrete normal shares of 0.25", FEW, _lattice_law),
    ):
        run, lost = with_shares(mechanism, people), {"delta": LOOSE, "loses": None, "false": True}
        rows.append(row(mechanism, setting, run, shares_law(law, people), whole_place, COUNT, **lost))
    for setting, people, pairs, promise, false in (
        ("200 bits, exact", PEOPLE, [(WORST, WORST + 1)], exact_promise, False),
        ("200 bits, clones", PEOPLE, [(WORST, WORST + 1)], clones_promise, False),
        ("200 bits, 100 of shills", PEOPLE // 2, [(0, 1)], exact_promise, True),
    ):
        run, said = reported(people), {"epsilon": promise, "at": LOCAL, "delta": DELTA, "false": false}
        rows.append(row(parties.shuffled_reports, setting, run, ones_law(people), np.asarray, pairs, **said))
    return [
        *rows,
        Claim(
            parties.federated_training, "5 rounds of all users, the whole path", ADD_REMOVE, BY_STEPS, trained, JOINED,
            delta=DELTA,
        ),
        row(
            parties.averaged_training, "10 weights, 4 or 5 users", averaged, averaged_law,
            lambda outputs: np.searchsorted(SQUARES, outputs, side="right") - 1, BLANK,
            relation=ADD_REMOVE, delta=DELTA, false=True,
        ),
    ]  # fmt: skip


def row(mechanism, setting, run, law, place, pairs, relation=REPLACE, **others):
    """A claim by a law, with a trial on its first pair."""
    return Claim(
        mechanism, setting, relation, BY_LAW, run, pairs, law=law, trial=Trial(law, place, list(pairs[0])), **others
    )


def summed(bits, epsilon, rng, size):
    """The secure sum of bits, all parties honest."""
    return np.array([parties.secure_sum(bits, 1, len(bits), MODULUS, epsilon, rng) for _ in range(size)])


def window_law(bits, epsilon):
    """The geometric law about the sum, wrapped into the window of MODULUS numbers."""
    window = LOWEST + np.arange(MODULUS)
    rounds = window[:, None] + MODULUS * np.arange(-20, 21)
    return np.log(np.exp(geometric_log_probability(rounds, sum(bits), 1, epsilon)).sum(axis=1))


def window_place(outputs):
    """Where in the window a sum is."""
    return np.asarray(outputs) - LOWEST


def counted(choices, epsilon, rng, size):
    """The secure histogram of two bins."""
    return np.array([parties.secure_histogram(choices, 2, 3, 1024, epsilon, rng) for _ in range(size)])


def bins_law(choices, epsilon):
    """Of all pairs of counts in SIDE: two geometric laws of epsilon / 2; what wraps around is rarer than 1e-100."""
    one, two = (geometric_log_probability(SIDE, choices.count(place), 1, epsilon / 2) for place in (0, 1))
    return one[:, None] + two


def bins_place(outputs):
    """Which cell of the table of `bins_law` a pair of counts is; the last where it lies outside."""
    places = np.asarray(outputs) - SIDE[0]
    inside = np.all((places >= 0) & (places < SIDE.size), axis=1)
    return np.where(inside, places[:, 0] * SIDE.size + places[:, 1], SIDE.size**2)


def pieces(present):
    """A count with as many shares as are there, of four planned."""

    def run(value, epsilon, rng, size):
        return value + parties.geometric_share(4, 1, epsilon, rng, size=(size, present)).sum(axis=1)

    return run


def pieces_law(share):
    """The law of a count with this share of the noise, at the whole numbers that are looked at."""

    def law(value, epsilon):
        return np.log(parties.share_probabilities(share, epsilon, 130)[70 - value : 70 - value + WHOLE.size])

    return law


def whole_place(outputs):
    """Where in WHOLE a count is; the last where it lies outside."""
    outputs = np.asarray(outputs)
    return np.where((outputs >= WHOLE[0]) & (outputs <= WHOLE[-1]), outputs - WHOLE[0], WHOLE.size)


def with_shares(mechanism, people):
    """The sum of bits of so many people, one of whom may hold a 1."""

    def run(value, epsilon, rng, size):
        bits = np.arange(people) < value
        return np.array([mechanism(bits.astype(int), epsilon, LOOSE, rng) for _ in range(size)])

    return run


def shares_law(one_share, people):
    """The law of that sum, at the whole numbers that are looked at: one share's law, so many times."""

    def law(value, epsilon):
        total = _repeated(one_share(gaussian_scale(1, epsilon, LOOSE) / math.sqrt(people)), people)
        wide = np.pad(total, 100)
        first = wide.size // 2 + WHOLE[0] - value
        with np.errstate(divide="ignore"):  # farther out than the law was followed
            return np.log(wide[first : first + WHOLE.size])

    return law


def reported(people):
    """How many of the shuffled reports are 1 if so many people hold it."""

    def run(ones, local, rng, size):
        bits = (np.arange(people) < ones).astype(int)
        return np.array([parties.shuffled_reports(bits, 2, local, rng)[1] for _ in range(size)])

    return run


def ones_law(people):
    """ln of the law of that count."""
    return lambda ones, local: np.log(report_count_probabilities(ones, people, local))


@functools.cache
def exact_promise():
    """What 200 people have by the exact law."""
    return parties.shuffled_epsilon(PEOPLE, LOCAL, DELTA)


@functools.cache
def clones_promise():
    """What they have by the clones."""
    return parties.clones_epsilon(PEOPLE, LOCAL, DELTA)


def trained(people, epsilon, rng):
    """Five rounds of all users."""
    return parties.federated_training(people[:, 1:-1], people[:, -1], people[:, 0], PLAN, epsilon, DELTA, rng).path


def averaged(people, epsilon, rng, size):
    """The squared lengths of the weights after a round in which nobody pulls."""
    models = (
        parties.averaged_training(people[:, 1:-1], people[:, -1], people[:, 0], ONCE, epsilon, DELTA, rng)
        for _ in range(size)
    )
    return np.array([model.weights @ model.weights for model in models])


def averaged_law(people, epsilon):
    """A chi-square law with ten degrees, in cells: its scale is the noise over the number of users."""
    scale = gaussian_scale(1, epsilon, DELTA) / len(people)
    with np.errstate(divide="ignore"):
        return np.log(np.diff(stats.chi2(10).cdf(SQUARES / scale**2)))
