"""The claims of chapter 31: models of counts, the best of many tries, and three that leak.

One message, one record or one canary more. The law of a best try comes from the law of one try, as the row says.
"""

import math

import numpy as np
from scipy import stats

from dpbook import memory
from dpbook.claims.trial import Trial
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim
from dpbook.neighbours import ADD_REMOVE, REPLACE

CHAPTER = "31"
DELTA = 1e-6
KNOWN = ("anna calls boris.", "boris helps anna.", "code 71.")
CANARY = (*KNOWN, "code 29.")
MORE = [(KNOWN, CANARY), (KNOWN[:0], KNOWN[:1])]
SHORT = [(KNOWN, (*KNOWN, "aaaaaaaaa."))]  # three different grams
REPLACED = [(CANARY, (*KNOWN, "paula invites oscar."))]
MOST, FIXED, TRIES, GAMMA = 5, 5, 20, 0.2
EDGES = np.concatenate([[-np.inf], np.linspace(-30, 30, 41), [np.inf]])  # of a noisy count
SLOPE = np.array([0.0, 0.5, 1.0])  # of three scores, the best last
MODELS = np.eye(2)
TIED = np.column_stack([MODELS, np.ones(2)])  # each model gets one of two records right
BETTER = np.vstack([TIED, TIED[1]])


def claims():
    """The rows of chapter 31."""
    noisy, false = modelled(memory.laplace_model), {"false": True}
    return [
        Claim(memory.laplace_model, "context 1, most 5", ADD_REMOVE, BY_STEPS, noisy, MORE),
        Claim(memory.laplace_model, "context 1, most 5, three grams", ADD_REMOVE, BY_STEPS, noisy, SHORT, loses=0.6),
        Claim(memory.laplace_model, "context 1, most 5", REPLACE, BY_STEPS, noisy, REPLACED, loses=2.0, **false),
        Claim(
            memory.gaussian_model, "context 1, most 5, delta 0.000001", ADD_REMOVE, BY_STEPS,
            modelled(memory.gaussian_model, DELTA), MORE, delta=DELTA,
        ),
        Claim(
            memory.seen_cells_model, "context 1, most 5, one cell", ADD_REMOVE, BY_LAW, one_cell, [(0, 1)],
            loses=math.inf, law=cell_law, trial=Trial(cell_law, cell_place, [1]), **false,
        ),
        *(
            Claim(
                memory.best_of_tries, f"three scores, shape {shape}", ADD_REMOVE, BY_LAW, best(shape), [(0, 1)],
                at=3.0, epsilon=memory.tuned_epsilon(shape, 3.0), **lawful(best_law(shape), [0]),
            )
            for shape in (0, 1)
        ),
        Claim(
            memory.best_of_fixed, "three scores, 5 tries, said to cost 3 epsilon", ADD_REMOVE, BY_LAW, best_fixed,
            [(0, 1)], at=3.0, epsilon=9.0, loses=15.0, **lawful(fixed_law, [0]), **false,
        ),
        Claim(
            memory.best_by_training_accuracy, "20 models drawn without the data", ADD_REMOVE, BY_LAW, most_accurate,
            [(TIED, BETTER)], at=2.0, loses=(TRIES - 1) * math.log1p(math.exp(-2)), **lawful(accurate_law, [BETTER]),
            **false,
        ),
    ]  # fmt: skip


def modelled(model, *delta):
    """The model of context 1 as the `run` of a claim."""
    return lambda messages, epsilon, rng: model(messages, 1, MOST, epsilon, *delta, rng)


def one_cell(person, epsilon, rng):
    """What the model without noise on unseen cells says of "aa", a gram of the one person, if there."""
    return memory.seen_cells_model(SHORT[0][1][3:][:person], 1, MOST, epsilon, rng)[0, 0]


def cell_law(person, epsilon):
    """Nothing where nobody wrote it; else 1 and Laplace noise, in cells of its own chances."""
    noise = np.diff(stats.laplace(1, MOST / epsilon).cdf(EDGES))
    with np.errstate(divide="ignore"):
        return np.log(np.append(person * noise, 1 - person))


def cell_place(outputs):
    """`place` for these: the last is exactly 0."""
    outputs = np.asarray(outputs)
    return np.where(outputs == 0, len(EDGES) - 1, np.searchsorted(EDGES, outputs) - 1)


def lawful(law, datasets):
    """The law and its trial, whose outputs are the events' places."""
    return {"law": law, "trial": Trial(law, np.asarray, datasets)}


def one_law(bit, epsilon):
    """One try: three scores whose chances rise with the score for one bit, and fall for the other; loses epsilon."""
    logs = epsilon * (SLOPE if bit else SLOPE[::-1])
    return logs - np.logaddexp.reduce(logs)


def one_try(bit, epsilon):
    """The same, run: the score is the output too."""
    cumulated = np.cumsum(np.exp(one_law(bit, epsilon)))
    return lambda rng: (score := int(np.searchsorted(cumulated[:-1], rng.random(), side="right")), score)


def best(shape):
    """The best score of a random number of tries."""

    def run(bit, epsilon, rng, size):
        attempt = one_try(bit, epsilon)
        return [memory.best_of_tries(attempt, shape, GAMMA, rng)[1] for _ in range(size)]

    return run


def best_law(shape):
    """From the law of one try, by the law of the number of tries."""
    return lambda bit, epsilon: memory.best_log_probability(one_law(bit, epsilon), shape, GAMMA)


def best_fixed(bit, epsilon, rng, size):
    """The best score of five tries."""
    attempt = one_try(bit, epsilon)
    return [memory.best_of_fixed(attempt, FIXED, rng)[1] for _ in range(size)]


def fixed_law(bit, epsilon):
    """All tries lie at or below the best, and not all below it."""
    return np.log(np.diff(np.cumsum(np.exp(one_law(bit, epsilon))) ** FIXED, prepend=0))


def most_accurate(people, epsilon, rng, size):
    """Which of two models is kept; each try draws the first with the odds e^epsilon and sees no record."""

    def train(rng):
        return MODELS[int(rng.random() >= 1 / (1 + math.exp(-epsilon)))]

    return [
        int(memory.best_by_training_accuracy(people[:, :-1], people[:, -1], TRIES, train, rng)[1]) for _ in range(size)
    ]


def accurate_law(people, epsilon):
    """Where both get as many records right, the first try is kept; else the better model, if it is drawn at all."""
    first = 1 / (1 + math.exp(-epsilon))
    chance = first if len(people) == len(TIED) else first**TRIES
    return np.log([chance, 1 - chance])
