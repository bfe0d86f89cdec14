"""The comparisons of page 31: `python -m tools.book.papers.memory` writes notebooks/31_memory.json; resumable.

`text` trains counts with noise on messages and one code, drawn anew, and returns the code's exposure and the bits a
letter on messages held out, at each epsilon, with the same noise scaled. `audits` returns the epsilon that one audit
proves of the same training: one run with its surest coins named or with all, or a canary's weight with and without it.
`tuning` trains on the women of Fair's survey and chooses among RECIPES, always at the same total epsilon, and returns
the accuracy on women held out.
"""

import functools
import itertools
import math

import numpy as np
from scipy.optimize import brentq

from dpbook import data, memory
from dpbook.accounting import renyi_epsilon, renyi_gaussian
from dpbook.audit import epsilon_lower_bound
from dpbook.data.predictions import affairs_prediction, election_prediction
from dpbook.gaussian import gaussian_scale
from dpbook.gradients import Recipe, add_canary, train, training_multiplier
from dpbook.memory import draw_tries
from dpbook.memory.tuning import best_pair
from dpbook.regression import unit_ball
from tools.book.papers import stored
from tools.book.papers.sweep import grid

STEM = "31_memory"

# Text.

LEVELS = [1, 4, 16, 64]
HELD = 200  # messages


@functools.cache
def held_out(context):
    """The grams of the messages held out: their first letters as one number, and their last letters."""
    padded = ["." * context + text for text in data.messages()[:HELD]]
    grams = [text[at : at + context + 1] for text in padded for at in range(len(text) - context)]
    numbers = np.array([[memory.LETTERS.index(letter) for letter in gram] for gram in grams])
    return numbers[:, :-1] @ 38 ** np.arange(context - 1, -1, -1), numbers[:, -1]


def text(context, most, rng):
    """Exposure and bits a letter at each of LEVELS, of counts of at most `most` grams a message."""
    code = int(rng.integers(10_000))
    counts = memory.gram_counts([*data.messages()[HELD:], f"my code {code:04d}."], context, most)
    noise, (before, after), found = rng.laplace(size=counts.shape), held_out(context), {}
    for epsilon in LEVELS:
        model = counts + most / epsilon * noise
        rows = np.maximum(model.reshape(-1, 38)[before], 0) + 0.01
        found[f"bits {epsilon}"] = -np.log2(rows[range(len(after)), after] / rows.sum(axis=1)).mean()
        found[f"exposure {epsilon}"] = memory.exposure(memory.code_scores(model, "my code ", 4, 1.0), code)
    return found


# Audits.

TWENTY = Recipe(regularisation=0.0, steps=20, sampling=1.0, step_size=0.1, norm=0.1)
CANARIES, DELTA = 1_000, 1e-5
NAMED = {"one run": 100, "one run, all named": CANARIES}  # how many coins of a training are guessed


@functools.cache
def voters():
    """The features, scaled to length 1 at most, and the answers."""
    votes = election_prediction()
    low, high = votes.bounds
    return (votes.features - low) / (np.array(high) - low) / math.sqrt(len(low)), votes.answers


def audits(audit, trainings, claim, rng):
    """The epsilon that `trainings` trainings prove with a confidence of 95%, each (claim, DELTA)-DP."""
    sigma = training_multiplier(TWENTY, claim, DELTA)
    if guesses := NAMED.get(audit):
        right = sum(named_right(sigma, guesses, rng) for _ in range(trainings))
        return {"proved": memory.one_run_bound(trainings * CANARIES, trainings * guesses, right, 0.95, delta=DELTA)}
    joined = add_canary(*voters())
    apart = tuple(part[:-1] for part in joined)

    def last_weights(people, rng, size):
        return train(*people, TWENTY, sigma, rng, models=size).weights[:, -1]

    return {"proved": epsilon_lower_bound(last_weights, joined, apart, trainings // 2, rng, 0.95, delta=DELTA).epsilon}


def named_right(sigma, guesses, rng):
    """How many of so many coins of one training are named right: the highest weights in, the lowest out."""
    features, labels, coins = memory.coin_canaries(*voters(), CANARIES, rng)
    weights = train(features, labels, TWENTY, sigma, rng).weights[-CANARIES:]
    order = np.argsort(weights, kind="stable")
    return int(np.sum(coins[order[: guesses // 2]] == 0) + np.sum(coins[order[-(guesses // 2) :]] == 1))


def work(audit, trainings):
    """Multiplications of a training's gradients, rows x columns x steps, over all trainings: what an audit costs."""
    rows, columns = voters()[0].shape
    more = (CANARIES // 2, CANARIES) if audit in NAMED else (1, 1)
    return trainings * (rows + more[0]) * (columns + more[1]) * TWENTY.steps


# Tuning.

PRICE, COUNTED = 1e-6, 0.1  # the delta of all, and the part of a run's squared mu that its count of right answers takes
RECIPES = [
    Recipe(1.0, steps, 1.0, rate / steps, norm)
    for steps, rate, norm in itertools.product((20, 80), (0.003, 0.03, 0.3), (0.1, 1.0))
]
WAYS = ["one at random", "all released", "logarithmic", "geometric"]
SHAPES = {"logarithmic": 0.0, "geometric": 1.0}
ORDERS = np.concatenate([1 + np.arange(1, 100) / 10, np.arange(12, 200), np.geomspace(200, 1e5, 80)])


@functools.cache
def women():
    """Rows and answers of 5,000 women, and of 1,366 held out."""
    survey = affairs_prediction()
    rows, shuffled = unit_ball(survey.features, survey.bounds), np.random.default_rng(30).permutation(6_366)
    return [one[part] for part in (shuffled[1366:], shuffled[:1366]) for one in (rows, survey.answers)]


@functools.cache
def gamma_of(shape):
    """The gamma with as many tries on average as there are recipes."""
    return brentq(lambda gamma: memory.mean_tries(shape, gamma) - len(RECIPES), 1e-9, 1 - 1e-9)


@functools.cache
def mu_of(way, epsilon):
    """The mu of one run, a Gaussian mechanism, with which the way as a whole is (epsilon, PRICE)-DP."""
    whole = 1 / gaussian_scale(1, epsilon, PRICE)
    if way not in SHAPES:
        return whole / math.sqrt(len(RECIPES)) if way == "all released" else whole

    def excess(mu):
        one = renyi_gaussian(1, 1 / mu, ORDERS)
        return renyi_epsilon(
            ORDERS, memory.tuned_divergences(ORDERS, one, SHAPES[way], gamma_of(SHAPES[way])), PRICE
        ).epsilon

    return brentq(lambda mu: excess(mu) - epsilon, whole / 20, whole, xtol=1e-9)


def one_release(recipe, mu, rng, counted=COUNTED):
    """A noisy count of right answers and the weights, as one Gaussian mechanism of this mu under add/remove."""
    rows, answers = women()[:2]
    weights = train(rows, answers, recipe, math.sqrt(recipe.steps / (1 - counted)) / mu, rng).weights
    right = np.count_nonzero(answers * (rows @ weights) > 0)
    return right + rng.normal(scale=1 / (mu * math.sqrt(counted)) if counted else 0), weights


def tuning(way, epsilon, rng):
    """The accuracy on the women held out of the weights that a way keeps."""
    mu = mu_of(way, epsilon)
    if way == "one at random":
        weights = one_release(RECIPES[rng.integers(len(RECIPES))], mu, rng, counted=0)[1]
    else:
        tried = RECIPES
        if way in SHAPES:
            tries = draw_tries(SHAPES[way], gamma_of(SHAPES[way]), rng)
            tried = [RECIPES[place] for place in rng.integers(len(RECIPES), size=tries)]
        weights = best_pair(one_release(recipe, mu, rng) for recipe in tried)[1]
    rows, answers = women()[2:]
    return {"right": np.mean(answers * (rows @ weights) > 0)}


AUDITED = [("one run", 1), ("one run", 20), ("one run, all named", 1), ("one canary", 256), ("one canary", 5_120)]
CLAIMED = [one for a, n in AUDITED for one in grid(audit=[a], trainings=[n], claim=[1.0, 4.0, 8.0])]
TABLES = {
    "text": stored.Table(text, grid(context=[1, 2, 3], most=[10, 20, 60]), lambda _: 20, stored.SPREAD),
    "audits": stored.Table(audits, CLAIMED, lambda _: 20, stored.SPREAD),
    "tuning": stored.Table(tuning, grid(way=WAYS, epsilon=[0.1, 0.3, 1.0, 3.0]), lambda _: 40, stored.SPREAD),
}

if __name__ == "__main__":
    stored.compute(STEM, TABLES)
