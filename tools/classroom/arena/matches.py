"""One mechanism against one attack: releases of two neighbours, scored, and what `epsilon_lower_bound` certifies.

Whoever plays runs in the jail, and each batch in a fresh process that gets the same request whatever it is for: the
rules, the code, one data set, epsilon, a seed that tells nothing, and how many releases to make. So no mechanism can
tell an attack from the measuring of its error, nor which of two neighbours it was given; the other one goes to another
process. The attack names its neighbours before anything is drawn. It may use the very data on which errors
are measured, so that who is careless there is careless under attack. Its score is asked of all releases at once, in a
process that knows no seed, in an order drawn by lot; and lots say which releases choose the event and which certify it.
So a score knows neither that nor which of the two data sets a release is from.

What is certified: the chance that one private mechanism or more on the board is struck is at most RISK, whatever the
attacks are. `risk_of_a_pair` shares it out, and also allows for a score that remembers the releases before: what it
marks is then a set chosen with all of them in view. Had each release been drawn from the one data set or the other by a
fair coin, a marked one would be from the likelier with odds of at most e^epsilon, so that their number were binomial
at most, and the limits of the bound are stricter than that test (`tests/test_arena.py` compares them). With coins, just
half of the 2 m releases that certify come from each with probability 1 / sqrt(pi m); so without coins such a score may
be wrong sqrt(pi m) times as often, and the risk is divided by that.
"""

import hashlib
import hmac
import math
from dataclasses import dataclass

import numpy as np

from dpbook.audit import epsilon_lower_bound
from dpbook.check import Unusable
from tools.classroom import failures
from tools.classroom.jail import Limits, jailed_draws

SAMPLES = 20_000  # releases that a batch makes
RISK = 0.001  # that any honest mechanism on a board is struck
LIMITS = Limits(seconds=10, megabytes=1024)  # of a batch; by the clock twice that, so a minute for the three of a pair
LATE = str(failures.SLOW)
EVERY_SCORE = """
def every_score(outputs, data, neighbour):
    scores = np.full(len(outputs), np.nan)
    for place, output in enumerate(outputs):
        try:
            scores[place] = score(output, data, neighbour)
        except Exception:
            pass
    return scores
"""


@dataclass(frozen=True)
class Setting:
    """What all matches of a board share: the arena, the secret of its seeds, and how much is drawn."""

    arena: object
    secret: bytes
    samples: int = SAMPLES
    unsafe: bool = False
    limits: Limits = LIMITS

    def seed(self, *words):
        """A number for this purpose, which tells who does not know the secret nothing about it."""
        return int.from_bytes(hmac.digest(self.secret, repr(words).encode(), "sha256")[:16], "big")

    @property
    def examples(self):
        return self.arena.examples(self.seed("examples"))


def digest(code):
    """A name for a player's code; draws hang on it, and not on who plays or in which order."""
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()


def risk_of_a_pair(pairs, samples):
    """What each of so many pairs may add to RISK; their number rounded up to a power of two, so that one more student
    seldom changes the others' results."""
    certifying = samples - 2 * (samples // 4)
    return RISK / (2 ** math.ceil(math.log2(pairs)) * math.sqrt(math.pi * certifying))


def releases(setting, code, data, *purpose):
    """What the mechanism releases of one data set, tidied: an array (samples, *output). Raises `Unusable`."""
    arena, seed = setting.arena, setting.seed(*purpose, digest(code))
    draw = jailed_draws(arena.setup, code, "mechanism", seed, setting.limits, setting.unsafe)
    outputs = draw([(data, arena.epsilon)], setting.samples, arena.output)[0]
    if not np.isfinite(outputs).all():
        raise Unusable("a release is NaN or infinite")
    return arena.rules["tidy"](outputs)


def tried(setting, code):
    """Why the mechanism cannot play, in words; "" if it can. Its releases are thrown away."""
    try:
        releases(setting, code, setting.examples[0], "try")
    except Unusable as reason:
        return str(reason)
    return ""


def measured(setting, code, number):
    """The mean error on one of the examples, and its standard error."""
    data = setting.examples[number]
    try:
        errors = setting.arena.rules["errors"](releases(setting, code, data, "error", number), data)
    except Unusable as reason:
        return {"trouble": str(reason)}
    return {"error": float(errors.mean()), "deviation": float(errors.std() / math.sqrt(len(errors)))}


def prepared(setting, code):
    """The neighbours that an attack names, and whether it has a score: a dict with `pair`, or with `trouble`."""
    arena, zeros = setting.arena, np.zeros(setting.arena.output)

    def draws(name):
        return jailed_draws(arena.setup, code, name, setting.seed(name, digest(code)), setting.limits, setting.unsafe)

    try:
        pair = draws("neighbours")([(setting.examples,)], 1, (2, *arena.data))[0, 0]
    except Unusable as reason:
        return {"trouble": f"neighbours(examples, rng): {reason}"}
    if not np.isfinite(pair).all():
        return {"trouble": "neighbours(examples, rng): a number is NaN or infinite"}
    if words := arena.rules["refused"](*pair):
        return {"trouble": f"neighbours(examples, rng): {words}"}
    pair = pair.astype(np.int64)
    try:
        draws("score")([(zeros, *pair)])
    except Unusable as reason:
        return {"trouble": f"score(output, data, neighbour), tried with an output of zeros: {reason}"}
    return {"pair": pair.tolist()}


def played(setting, mechanism, attack, pair, risk):
    """What comes of one mechanism against one attack with these neighbours: a dict.

    It has the certified `epsilon`, whether that `struck`, and the bound's `event`, `direction`, `counts` and `samples`;
    or `trouble`, in words, and `whose` it is.
    """
    pair, name = np.array(pair, dtype=np.int64), digest(attack)
    try:
        outputs = np.concatenate([releases(setting, mechanism, pair[side], "pair", name, side) for side in (0, 1)])
    except Unusable as reason:
        return {"trouble": str(reason), "whose": "mechanism"}
    try:
        bound = certified(setting, attack, pair, outputs, digest(mechanism), risk)
    except Unusable as reason:
        return {"trouble": str(reason), "whose": "attack"}
    return {
        "epsilon": bound.epsilon, "struck": bound.refutes(setting.arena.epsilon), "event": str(bound.event),
        "direction": bound.direction, "counts": list(bound.counts), "samples": bound.samples,
    }  # fmt: skip


def certified(setting, attack, pair, outputs, opponent, risk):
    """The `EpsilonBound` that an attack gets of these outputs, the first half of `pair[0]`, the other of `pair[1]`."""
    arena, name = setting.arena, digest(attack)
    rng = np.random.default_rng(setting.seed("order", name, opponent))
    order = rng.permutation(len(outputs))
    scorer = jailed_draws(
        arena.setup + EVERY_SCORE, attack, "every_score", setting.seed("score", name), setting.limits, setting.unsafe
    )
    scores = scorer([(outputs[order], *pair)], shape=(len(outputs),))[0, 0]
    if np.isnan(scores).all():
        raise Unusable("score raised an error, or gave no number, for every release")
    first = order < len(outputs) // 2
    sides = [rng.permutation(scores[side]) for side in (first, ~first)]  # by lot: which choose, which certify

    def draws(side, rng, size):
        return sides[side]

    return epsilon_lower_bound(draws, 0, 1, len(outputs) // 2, rng, 1 - risk)
