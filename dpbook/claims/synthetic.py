"""The claims of chapter 28: models of bought tables, private evolution, and "synthetic" records that leak.

A record of three yes-or-no attributes more, unless a row says otherwise. What MST and AIM lose on their pairs is worked
out beside them. The loss of the normal noise is exact; that of the lotteries comes from the scores, given the released
single tables.
"""

import itertools
import math

import numpy as np
from scipy import stats

from dpbook import exponential, synthetic
from dpbook.claims.trial import Trial
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim
from dpbook.gaussian import gaussian_epsilon, zcdp_rho
from dpbook.marginals import marginals
from dpbook.neighbours import ADD_REMOVE, REPLACE
from dpbook.synthetic.selection import wrongness

CHAPTER = "28"
DELTA, RHO = 1e-5, 0.05
PEOPLE = np.array(list(itertools.product((0, 1), repeat=3)))
ONES, PAIRS = [(0,), (1,), (2,)], list(itertools.combinations(range(3), 2))
MORE = [(data, np.vstack([data, person])) for data in (PEOPLE[:0], PEOPLE[[0, 3, 5, 7, 7]]) for person in PEOPLE]
REPLACED = [(PEOPLE[[0, 3, 6]], PEOPLE[[7, 3, 6]])]
FEW = [(PEOPLE[[0, 0, 3, 7, 7]], PEOPLE[[0, 0, 3, 7, 7, 5]])]
FLIPPED = PEOPLE[[0, 0, 0, 1, 1, 3, 3, 3, 5, 7]]  # one record more, and another tree is farthest from independent
FLIPS = [(FLIPPED, np.vstack([FLIPPED, PEOPLE[6]]))]
SMALL = np.array([[0, 0], [0, 1], [1, 1]])
ALONE = np.array([[1, 0]])
JOINED, TURNED = np.vstack([SMALL, ALONE]), [(SMALL, np.vstack([SMALL[:2], ALONE]))]
COPIES = 20  # records drawn for each epsilon
TREES = [{(0, 1), (0, 2)}, {(0, 1), (1, 2)}, {(0, 2), (1, 2)}]
CUTS = np.geomspace(20, 2000, 40)  # of the squared length of three noises


def claims():
    """The rows of chapter 28."""
    small = {"delta": DELTA}
    both = {"method": BY_LAW, "loses": math.inf, "false": True}
    points = np.array([[0.1, 0.2], [0.8, 0.9]]), np.array([[0.1, 0.2], [0.8, 0.9], [0.7, 0.7]])

    def at_rho(mechanism, *public):
        return lambda data, rho, rng: mechanism(data, *public, rho, rng)

    def bought(data, rho, rng):
        return [one.noisy for one in synthetic.measure(data, PAIRS[:2], rho, rng)]

    def synthesis(mechanism, *public, **options):
        def run(data, epsilon, rng):
            model, measurements, _ = mechanism(data, *public, epsilon, DELTA, rng, **options)
            return [*(part for one in measurements for part in (one.attributes, one.noisy)), *model.tables]

        return run

    def evolved(data, epsilon, rng):
        start = np.array([[0.2, 0.2], [0.5, 0.5], [0.8, 0.8]])
        points, history, _ = synthetic.private_evolution(data, start, unvaried, 1, 0.0, epsilon, DELTA, rng)
        return [history[0][1], points]

    def smoothed(number):
        def run(data, epsilon, rng, size):
            drawn = synthetic.smoothed_records(data, prior(epsilon), number * size, rng)
            return drawn.reshape(size, number, 2)

        return run, smoothed_law(number), spelled(number)

    measured, tree = synthetic.measure, synthetic.spanning_tree
    singles = released(PEOPLE[[0, 3, 5, 7, 7]], 0.05)
    one, two = (
        {"run": run, "law": law, "trial": Trial(law, place, [SMALL])} for run, law, place in map(smoothed, (1, 2))
    )
    return [
        Claim(
            measured, "two of three pairs, delta 0.00001", ADD_REMOVE, BY_STEPS, bought, MORE, at=RHO,
            epsilon=lambda: gaussian_epsilon(math.sqrt(2 * RHO), 1, DELTA), **small,
        ),
        Claim(
            measured, "two of three pairs, delta 0.00001", REPLACE, BY_STEPS, bought, REPLACED, at=RHO,
            epsilon=lambda: gaussian_epsilon(math.sqrt(2 * RHO), 1, DELTA),
            loses=gaussian_epsilon(2 * math.sqrt(RHO), 1, DELTA), false=True, **small,
        ),
        Claim(
            tree, "three attributes, singles released before", ADD_REMOVE, BY_STEPS, at_rho(tree, singles), FEW, at=RHO,
            epsilon=lambda: math.sqrt(16 * RHO), loses=tree_loss(*FEW[0], singles, RHO),
        ),
        Claim(
            synthetic.independent, "three attributes, delta 0.00001", ADD_REMOVE, BY_STEPS,
            synthesis(synthetic.independent), MORE, **small,
        ),
        Claim(
            synthetic.mst, "three attributes, delta 0.00001", ADD_REMOVE, BY_STEPS,
            synthesis(synthetic.mst, rounds=2), FEW, loses=mst_loss(*FEW[0]), **small,
        ),
        Claim(
            synthetic.aim, "three attributes, one choice, delta 0.00001", ADD_REMOVE, BY_STEPS,
            synthesis(synthetic.aim, [(0, 1, 2)], 4), FEW, loses=aim_loss(*FEW[0]), **small,
        ),
        Claim(
            synthetic.private_evolution, "one turn, delta 0.00001", ADD_REMOVE, BY_STEPS, evolved, [points], **small,
        ),
        Claim(synthetic.smoothed_records, "one record", REPLACE, BY_LAW, pairs=TURNED, **one),
        Claim(
            synthetic.smoothed_records, "two records, said to lose no more than one", REPLACE, BY_LAW, pairs=TURNED,
            epsilon=math.log(2), loses=2 * math.log(2), false=True, **two,
        ),
        Claim(
            synthetic.copied_records, "one of four records", ADD_REMOVE, run=copies, pairs=[(SMALL, JOINED)],
            law=copies_law, trial=Trial(copies_law, np.asarray, [JOINED]), **both,
        ),
        Claim(
            synthetic.unpaid_tree, "three attributes, delta 0.00001", ADD_REMOVE, run=at_delta(synthetic.unpaid_tree),
            pairs=FLIPS, delta=DELTA, law=unpaid_law, trial=Trial(unpaid_law, unpaid_place, [FLIPS[0][0]]), **both,
        ),
        Claim(
            synthetic.avoiding_records, "two attributes, one answer away", ADD_REMOVE, run=avoiding,
            pairs=[(SMALL, SMALL[:2])], law=avoiding_law, trial=Trial(avoiding_law, np.asarray, [SMALL[:2]]), **both,
        ),
    ]  # fmt: skip


def at_delta(mechanism):
    """The mechanism as the `run` of a claim, at DELTA."""
    return lambda data, epsilon, rng: mechanism(data, epsilon, DELTA, rng)


def unvaried(points, turn, rng):
    """A generator that varies nothing."""
    return points


def released(records, rho):
    """The single tables as a run of the claims buys them: its generator begins with this seed."""
    return synthetic.measure(records, ONES, rho, np.random.Generator(np.random.PCG64(1)))


def tree_loss(data, neighbour, singles, rho):
    """The worst that the two choices of a tree of three attributes lose together, over all that can be chosen."""
    each, worst = synthetic.selection_epsilon(rho / 2), 0.0
    scores = [
        synthetic.edge_scores(dict(zip(PAIRS, marginals(records, PAIRS), strict=True)), singles)
        for records in (data, neighbour)
    ]
    for path in itertools.permutations(PAIRS, 2):
        left, total = list(PAIRS), 0.0
        for pair in path:
            logs = [
                exponential.log_selection_probabilities([one[p] for p in left], 1, each)[left.index(pair)]
                for one in scores
            ]
            total += logs[0] - logs[1]
            left.remove(pair)
        worst = max(worst, abs(total))
    return float(worst)


def mst_loss(data, neighbour):
    """MST on a pair: two thirds of rho are one Gaussian, which a record uses up, and its choices."""
    third = zcdp_rho(1.0, DELTA) / 3
    noise = gaussian_epsilon(math.sqrt(4 * third), 1, DELTA)
    return noise + tree_loss(data, neighbour, released(data, third), third)


def aim_loss(data, neighbour):
    """AIM with one round left after the single tables: one choice among three pairs and the triple, then its table."""
    rho, parts = zcdp_rho(1.0, DELTA), [*PAIRS, (0, 1, 2)]
    singles, left = 0.9 * 3 * rho / 4, rho - 0.9 * 3 * rho / 4
    model = synthetic.fit_model(released(data, singles), (2, 2, 2), rounds=60)
    weights, answers = np.array([2.0, 2, 2, 3]), [model.marginal(part) for part in parts]
    scores = [
        wrongness(marginals(records, parts), answers, weights, math.sqrt(1 / (1.8 * left)))
        for records in (data, neighbour)
    ]
    choice = exponential.privacy_loss(*scores, 3, synthetic.selection_epsilon(0.1 * left))
    return gaussian_epsilon(math.sqrt(2 * (singles + 0.9 * left)), 1, DELTA) + choice


def prior(epsilon):
    """The prior with which one smoothed record loses epsilon."""
    return 1 / math.expm1(epsilon)


def smoothed_law(number):
    """Each record is drawn from (count + prior) / (n + 4 prior), by itself."""

    def law(data, epsilon):
        counts = marginals(data, [(0, 1)])[0].ravel() + prior(epsilon)
        logs = np.log(counts / counts.sum())
        return logs if number == 1 else (logs[:, None] + logs).ravel()

    return law


def spelled(number):
    """`place` for outputs of so many records of two attributes."""
    return lambda outputs: (np.asarray(outputs) @ [2, 1]) @ 4 ** np.arange(number)[::-1]


def counted(made, wanted, size):
    """How often the wanted record is among those made, `size` times."""
    return np.count_nonzero((made.reshape(size, -1, 2) == wanted).all(axis=2), axis=1)


def copies(data, epsilon, rng, size):
    """How often the lone record is among COPIES x epsilon copies."""
    made = synthetic.copied_records(data, round(COPIES * epsilon) * size, rng)
    return counted(made, ALONE, size)


def copies_law(data, epsilon):
    """A count by that many draws from the records."""
    return binomial(round(COPIES * epsilon), np.mean((data == ALONE).all(axis=1)))


def avoiding(data, epsilon, rng, size):
    """How often the last of SMALL is among COPIES x epsilon records that keep away from everybody."""
    made = synthetic.avoiding_records(data, [0.5, 0.5], round(COPIES * epsilon) * size, 1, rng)
    return counted(made, SMALL[2], size)


def avoiding_law(data, epsilon):
    """All records that nobody has are alike likely."""
    return binomial(round(COPIES * epsilon), 0.0 if (data == SMALL[2]).all(axis=1).any() else 1 / (4 - len(data)))


def binomial(number, chance):
    """The logs of the chances of 0, 1, ... among so many."""
    with np.errstate(divide="ignore"):
        return stats.binom(number, chance).logpmf(np.arange(3 * COPIES))


def unpaid_place(outputs):
    """`place` for what `unpaid_tree` releases: its tree, and in which of the CUTS the length of the noise lies.

    One number of records makes all totals, so their differences are noise: three of deviation 1 scale.
    """
    totals = np.array([[one.noisy.sum() for one in made] for made in outputs])
    noise = np.column_stack([
        (totals[:, 0] - totals[:, 1]) / 2,
        (totals[:, 0] + totals[:, 1] - 2 * totals[:, 2]) / math.sqrt(12),
        (totals[:, 3] - totals[:, 4]) / math.sqrt(8),
    ])  # fmt: skip
    trees = [TREES.index({made[3].attributes, made[4].attributes}) for made in outputs]
    return np.ravel_multi_index((trees, np.digitize(np.sum(noise**2, axis=1), CUTS)), (len(TREES), len(CUTS) + 1))


def unpaid_law(data, epsilon):
    """The tree is certain, and the noise a Gaussian release of five tables."""
    ones = [table / len(data) for table in marginals(data, ONES)]
    far = {
        (a, b): np.abs(table - len(data) * np.outer(ones[a], ones[b])).sum()
        for (a, b), table in zip(PAIRS, marginals(data, PAIRS), strict=True)
    }
    best = max(TREES, key=lambda tree: sum(far[pair] for pair in tree))
    ends = np.array([0, *CUTS, np.inf]) / (5 / (2 * zcdp_rho(epsilon, DELTA)))
    with np.errstate(divide="ignore"):
        return np.log([np.diff(stats.chi2(3).cdf(ends)) * (tree == best) for tree in TREES]).ravel()
