"""The race of page 30: `python -m tools.book.papers.correlated` writes notebooks/30_correlated.json; resumable.

`race` trains one model by one method and returns its accuracy on people held out, after every 40 of 400 steps: four
passes in a fixed order with noise of its own at each step, the square root's or that of 100 bands, and DP-SGD, whose
coins take as many records a step. All are (epsilon, 1e-6)-DP under add/remove.
"""

import functools

import numpy as np

from dpbook.correlated import correlated_training, dp_ftrl, root_strategy
from dpbook.data.predictions import affairs_prediction, election_prediction
from dpbook.gradients import Recipe, train, training_multiplier
from dpbook.regression import unit_ball
from tools.book.papers import stored
from tools.book.papers.sweep import grid

STEM = "30_correlated"
DELTA, STEPS, CYCLE = 1e-6, 400, 100
SURVEYS = {"survey": (affairs_prediction, 1366), "election": (election_prediction, 244)}  # who is held out
METHODS = {
    "independent": lambda: np.eye(STEPS),
    "square root": lambda: root_strategy(STEPS),
    "100 bands": lambda: root_strategy(STEPS, bands=100),
}
COINS = "DP-SGD with coins"
PULLS = [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3]  # step size, for 5,000 records


@functools.cache
def people(survey):
    """The rows and answers of those who are trained on, each one's batch, and of those held out."""
    read, out = SURVEYS[survey]
    found = read()
    rows, answers = unit_ball(found.features, found.bounds), found.answers
    shuffled = np.random.default_rng(30).permutation(len(rows))
    held, kept = shuffled[:out], shuffled[out:]
    batches = np.random.default_rng(31).integers(CYCLE, size=len(kept))
    return rows[kept], answers[kept], batches, rows[held], answers[held]


@functools.cache
def strategy(method):
    """The matrix by which a method's noise remembers."""
    return METHODS[method]()


@functools.cache
def multiplier(epsilon):
    """The noise of DP-SGD's coins."""
    return training_multiplier(Recipe(1.0, STEPS, 1 / CYCLE, 1.0, 0.5), epsilon, DELTA)


def race(survey, method, pull, epsilon, rng):
    """The accuracy on those held out, by steps."""
    rows, answers, batches, held, truth = people(survey)
    size = pull * 5_000 / len(rows)
    if method == COINS:
        recipe = Recipe(1.0, STEPS, 1 / CYCLE, size / CYCLE, 0.5)
        path = train(rows, answers, recipe, multiplier(epsilon), rng).path
    else:
        recipe = Recipe(0.01, STEPS, 1.0, size, 0.5)
        path = dp_ftrl(rows, answers, batches, CYCLE, recipe, strategy(method), epsilon, DELTA, rng).path
    right = truth * (path[::40] @ held.T) > 0
    return {f"step {40 * place}": share for place, share in enumerate(right.mean(axis=1))}


def rivals(survey, rng):
    """The more frequent answer, and the same training without noise; `rng` is idle."""
    rows, answers, batches, held, truth = people(survey)
    right = []
    for pull in PULLS:
        recipe = Recipe(0.01, STEPS, 1.0, pull * 5_000 / len(rows), 0.5)
        weights = correlated_training(rows, answers, batches, CYCLE, recipe, np.eye(STEPS), 0, rng).weights
        right.append(np.mean(truth * (held @ weights) > 0))
    return {"majority": max(np.mean(truth > 0), np.mean(truth < 0)), "no noise": max(right)}


RACES = grid(survey=[*SURVEYS], method=[*METHODS, COINS], pull=PULLS, epsilon=[0.5, 2.0, 8.0])
TABLES = {
    "rivals": stored.Table(rivals, grid(survey=[*SURVEYS]), lambda _: 1),
    "race": stored.Table(race, RACES, lambda _: 20, ("_median", f"step {STEPS}_error")),
}

if __name__ == "__main__":
    stored.compute(STEM, TABLES)
