"""The claims of chapter 11: noise on weights, in an objective and on its coefficients, and searches for weights.

A dataset is a table whose last column holds the labels. In one dimension the laws are exact. Weights lie between two
numbers just when the noise lies between the noises that make these two the minimum.
"""

import math

import numpy as np

from dpbook import regression
from dpbook.claims.trial import Trial, between
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim
from dpbook.gaussian import gaussian_epsilon, gaussian_scale
from dpbook.laplace import laplace_mechanism, laplace_probability
from dpbook.neighbours import ADD_REMOVE, REPLACE
from dpbook.regression import LOGISTIC, huber
from dpbook.regression.losses import minimiser
from dpbook.regression.searches import offspring

CHAPTER = "11"
DELTA = 1e-6
EARLY, PLACES = 0.03, 667  # the gradient at which a solver stops, and the noises that its law tries
CUTS = np.concatenate([[-np.inf], np.sinh(np.linspace(-4, 4, 60)), [np.inf]])
HINGE = huber(0.5)
CROWD = np.column_stack([np.full(30, -0.1), np.ones(30)])  # flat records: they carry the weight where they will
FLAT = np.column_stack([np.full(20_000, -2e-3), np.ones(20_000)])
DIAGONAL = np.ones(4) / 2


def claims():
    """The rows of chapter 11."""
    return [
        *output_rows(),
        *objective_rows(),
        *functional_rows(),
        *search_rows(),
    ]


def with_record(table, *record):
    """The neighbours (table, table with `record`)."""
    return table, np.vstack([table, np.asarray(record, dtype=float)])


def output_rows():
    """Noise on the fitted weights."""
    output = regression.output_perturbation
    joined, four = [with_record(FLAT, 1, 1)], [with_record(np.repeat([[*-DIAGONAL / 500, 1]], 20_000, 0), *DIAGONAL, 1)]
    turned = [(np.array([[1.0, 1], [1, 1]]), np.array([[1.0, 1], [1, -1]]))]
    return [
        in_one_dimension(output, "logistic, regularisation 1", ADD_REMOVE, joined, output_law(1.0, LOGISTIC), 1.0),
        in_one_dimension(output, "smooth hinge", ADD_REMOVE, joined, output_law(2.0, HINGE), 2.0, HINGE),
        Claim(output, "004 5.1.4, the SVM's printed sensitivity", REPLACE, BY_LAW, svm_as_printed, turned,
              law=svm_law, trial=Trial(svm_law, between(CUTS), turned[0]), false=True),
        Claim(laplace_mechanism, "weights, L2 sensitivity", ADD_REMOVE, BY_STEPS, boxed, four,
              loses=float(np.abs(np.subtract(*[fitted(table) for table in four[0]])).sum()), false=True),
    ]  # fmt: skip


def objective_rows():
    """Of the false ones, two lose 3.0 and 0.2; where regularisation times epsilon is 4, the same program is private."""
    repaired, printed = regression.objective_perturbation, regression.printed_objective_perturbation
    joined, vanished = [with_record(CROWD, 1, 1)], [(np.array([[1.0, 1]]), np.array([[0.0, 1]]))]
    turned = [(np.array([[1.0, 1]]), np.array([[-1.0, 1]]))]
    return [
        in_one_dimension(repaired, "logistic, regularisation 1", ADD_REMOVE, joined, repaired_law(1.0, LOGISTIC), 1.0),
        in_one_dimension(repaired, "logistic, 0.01", ADD_REMOVE, joined, repaired_law(0.01, LOGISTIC), 0.01),
        in_one_dimension(repaired, "smooth hinge", ADD_REMOVE, joined, repaired_law(1.0, HINGE), 1.0, HINGE),
        stopped_early(joined),
        in_one_dimension(printed, "004 Prop. 5.1, N Λ = 0.01", REPLACE, vanished, printed_law(0.01), 0.01, false=True),
        in_one_dimension(
            printed, "004 Prop. 5.1, N Λ = 1", REPLACE, vanished, printed_law(1.0), 1.0, epsilon=0.1, false=True
        ),
        in_one_dimension(printed, "004 Prop. 5.1, N Λ = 4", REPLACE, turned, printed_law(4.0), 4.0),
    ]


def functional_rows():
    """Noise on the coefficients of the objective."""
    linear, logistic = regression.functional_linear_regression, regression.functional_logistic_regression
    few = np.array([[0.5, 0.1, -0.2, 0.3, 1], [0, -0.9, 0.2, 0.1, -1], [0.3, 0.3, 0.3, 0.8, 1]])
    joined = [with_record(few, *DIAGONAL, label) for label in (1, -1)]
    sums = regression.sufficient_statistics_regression
    alone = [with_record(np.zeros((0, 2)), 1, label) for label in (1, -1)]  # with one feature all three sums move by 1
    turned = [(joined[0][1], joined[1][1])]
    twice = gaussian_epsilon(2, gaussian_scale(math.sqrt(2), 1.0, DELTA), DELTA)
    return [
        Claim(linear, "4 weights", ADD_REMOVE, BY_STEPS, on_tables(linear), joined),
        Claim(linear, "4 weights", REPLACE, BY_STEPS, on_tables(linear), turned, 2.0, at=1.0, loses=8 / 8),
        Claim(logistic, "4 weights", ADD_REMOVE, BY_STEPS, on_tables(logistic), joined),
        Claim(logistic, "4 weights", REPLACE, BY_STEPS, on_tables(logistic), turned, 2.0, at=1.0, loses=2 / 1.5),
        Claim(sums, "4 weights", ADD_REMOVE, BY_STEPS, from_sums(False), joined, delta=DELTA),
        Claim(sums, "AdaSSP, one weight", ADD_REMOVE, BY_STEPS, from_sums(True), alone, delta=DELTA),
        Claim(sums, "4 weights", REPLACE, BY_STEPS, from_sums(False), turned, delta=DELTA, false=True, loses=twice),
        Claim(regression.noisy_coefficients, "a sum of squares", ADD_REMOVE, BY_STEPS, squares, joined),
    ]


def from_sums(adaptive):
    """A regression from sums with Gaussian noise, on a table of both, at DELTA."""
    return lambda table, epsilon, rng: regression.sufficient_statistics_regression(
        table[:, :-1], table[:, -1], epsilon, DELTA, rng, adaptive=adaptive
    )


def search_rows():
    """Weights that are searched for."""
    walk, breed = regression.search_regression, regression.privgene_regression
    pairs = [with_record(CROWD, 1, 1), with_record(CROWD, -1, 1)]
    return [
        Claim(walk, "two rounds, one weight", ADD_REMOVE, BY_STEPS, walked, pairs, loses=walk_loss(pairs)),
        Claim(breed, "two rounds, four of them", ADD_REMOVE, BY_STEPS, bred, pairs, loses=bred_loss(pairs)),
    ]


def in_one_dimension(mechanism, setting, relation, pairs, law, regularisation, loss=LOGISTIC, epsilon=1.0, false=False):
    """A row whose law is known exactly: the probabilities of the cells between `CUTS`."""
    trial = Trial(law, between(CUTS), list(pairs[0]))

    def run(table, epsilon, rng, size):
        return mechanism(table[:, :1], table[:, 1], regularisation, loss, epsilon, rng, size=size)[:, 0]

    return Claim(mechanism, setting, relation, BY_LAW, run, pairs, epsilon, law=law, trial=trial, false=false)


def fitted(table, regularisation=1.0, loss=LOGISTIC):
    """The weights of a table whose last column is the label: not private."""
    return regression.fit(table[:, :-1], table[:, -1], regularisation, loss)


def output_law(regularisation, loss):
    """Laplace noise on the fitted weight."""

    def law(table, epsilon):
        centre = fitted(table, regularisation, loss)[0]
        return np.log(laplace_probability(CUTS[:-1], CUTS[1:], centre, 1, regularisation * epsilon))

    return law


def cells(table, regularisation, rate, loss):
    """The cells' log probabilities under objective perturbation: those of the noises between which each lies."""
    pull = loss.slope(np.multiply.outer(CUTS[1:-1], table[:, 0] * table[:, 1])) @ (table[:, 0] * table[:, 1])
    noise = np.concatenate([[np.inf], -(regularisation * CUTS[1:-1] + pull), [-np.inf]])
    return np.log(laplace_probability(noise[1:], noise[:-1], 0, 1, rate))


def repaired_law(regularisation, loss):
    """Objective perturbation with what the repair leaves of epsilon, and its extra curvature."""

    def law(table, epsilon):
        repair = regression.repaired_epsilon(regularisation, loss, epsilon)
        return cells(table, regularisation + repair.extra, repair.epsilon, loss)

    return law


def printed_law(regularisation):
    """Objective perturbation with all of epsilon for the noise, at the sensitivity 2 of replace."""
    return lambda table, epsilon: cells(table, regularisation, epsilon / 2, LOGISTIC)


def stopped_early(pairs):
    """Objective perturbation whose solver stops at a gradient of EARLY, as one may see with the naked eye."""
    law, early = stopped_law(0.9), regression.approximate_minima_perturbation

    def run(table, epsilon, rng, size):
        return early(table[:, :1], table[:, 1], 1.0, LOGISTIC, EARLY, epsilon, rng, share=0.9, size=size)[:, 0]

    trial = Trial(law, between(CUTS), list(pairs[0]))
    return Claim(early, "logistic, stopped at 0.03", ADD_REMOVE, BY_LAW, run, pairs, law=law, trial=trial)


def stopped_law(share):
    """Where the solver stops for the middle of each cell of the first noise, and the second noise around that."""

    def law(table, epsilon):
        repair = regression.repaired_epsilon(1.0, LOGISTIC, share * epsilon)
        spring = 1.0 + repair.extra
        edges = np.linspace(-40, 40, PLACES + 1) / repair.epsilon
        middles = ((edges[:-1] + edges[1:]) / 2)[:, None, None]
        places = [minimiser(table[:, :1], table[:, 1], spring, LOGISTIC, b, EARLY)[0] for b in middles]
        rate = spring * (1 - share) * epsilon / (2 * EARLY)
        near = laplace_probability(CUTS[:-1], CUTS[1:], np.array(places), 1, rate)
        return np.log(laplace_probability(edges[:-1], edges[1:], 0, 1, repair.epsilon) @ near)

    return law


# 004 section 5.1.4 for 2 records and Lambda = 0.1: sensitivity 4 L Lambda kappa sqrt(d) / N, so 0.2, with d = 1.
SVM_REGULARISATION, SVM_SENSITIVITY = 2 * 0.1, 4 * 0.1 / 2


def svm_as_printed(table, epsilon, rng, size):
    """The hinge, its corner hardly rounded, with Laplace noise of the printed sensitivity."""
    share = epsilon / (SVM_REGULARISATION * SVM_SENSITIVITY)  # so that the noise has scale sensitivity / epsilon
    return regression.output_perturbation(
        table[:, :1], table[:, 1], SVM_REGULARISATION, huber(0.01), share, rng, size=size
    )[:, 0]


def svm_law(table, epsilon):
    """Laplace noise of the printed sensitivity on the fitted weight."""
    centre = fitted(table, SVM_REGULARISATION, huber(0.01))[0]
    return np.log(laplace_probability(CUTS[:-1], CUTS[1:], centre, SVM_SENSITIVITY, epsilon))


def boxed(table, epsilon, rng):
    """Laplace noise on each weight with the sensitivity 1 / regularisation of the whole vector's length."""
    return laplace_mechanism(fitted(table), 1.0, epsilon, rng)


def on_tables(mechanism):
    """A mechanism of features and labels, run on a table of both."""
    return lambda table, epsilon, rng: mechanism(table[:, :-1], table[:, -1], epsilon, rng)


def squares(table, epsilon, rng):
    """Only the sums of x_i x_j: their L1 sensitivity is |x|_1^2, at most d."""
    features = table[:, :-1]
    return regression.noisy_coefficients(np.zeros(4), features.T @ features, 4, epsilon, rng)


def walked(table, epsilon, rng):
    """Two rounds of the local search."""
    return regression.search_regression(table[:, :1], table[:, 1], LOGISTIC, 2, epsilon, rng)


def bred(table, epsilon, rng):
    """Two rounds of PrivGene with four candidates."""
    return regression.privgene_regression(
        table[:, :1], table[:, 1], LOGISTIC, 2, epsilon, rng, population=4, selected=1
    )


def log_shares(table, places, epsilon):
    """ln of the chance of each of some weights: exp(-epsilon loss / how far they lie apart)."""
    losses = LOGISTIC.value(np.multiply.outer(places, table[:, 0] * table[:, 1])).sum(axis=1)
    exponents = -epsilon * losses / np.ptp(places)
    return exponents - np.log(np.exp(exponents - exponents.max()).sum()) - exponents.max()


def walk_loss(pairs):
    """Over all nine ways of two steps, .5 and then .475, at half of epsilon each."""
    moves = np.array([0.0, 0.5, -0.5])

    def law(table):
        first = log_shares(table, moves, 0.5)
        second = [log_shares(table, place + 0.95 * moves, 0.5) for place in moves]
        return first[:, None] + np.array(second)

    return float(max(np.abs(law(one) - law(other)).max() for one, other in pairs))


def bred_loss(pairs):
    """Over the first choice among four weights and the second among four children, half of epsilon each."""

    def law(table):
        rng = np.random.Generator(np.random.PCG64(1))  # as `Transcript` draws what is public
        first = rng.uniform(-2, 2, (4, 1))
        rng.random()
        state, second = rng.bit_generator.state, []
        for place in first:
            rng.bit_generator.state = state
            second.append(log_shares(table, offspring(place[None], 4, 0.5, rng)[:, 0], 0.5))
        return log_shares(table, first[:, 0], 0.5)[:, None] + np.array(second)

    return float(max(np.abs(law(one) - law(other)).max() for one, other in pairs))
