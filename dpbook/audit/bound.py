"""Is it private? The exact loss where the probabilities are known, a certified lower bound for a black box.

A claim of epsilon-DP is a sentence about every event and every pair of neighbours. One event on one pair can refute it;
no number of samples proves it. Absence of evidence is not privacy. The events tried may be the wrong ones, the pair may
be harmless, and a mechanism that remembers its calls can behave while watched.
Source: beyond the seeds; the definition is 004 section 2.1.  Notebook: 21_audit.
"""

import inspect
import itertools
from dataclasses import dataclass

import numpy as np

from dpbook import arguments
from dpbook.audit.events import Event, best_events
from dpbook.audit.loss import DIRECTIONS, delta_words
from dpbook.audit.views import as_outputs
from dpbook.verdict import exceeds

LEARN = 60_000  # outputs of each dataset that choosing an event needs at most; all the others certify it


@dataclass(frozen=True)
class EpsilonBound:
    """What the samples prove about one pair: at the given `confidence` the privacy loss is at least `epsilon`.

    `event` shows it (`str(bound.event)` in words, `bound.event.holds(outputs)` on outputs), in the `direction` said.
    `counts` are its hits among the `samples` outputs of each dataset that certified it, the likelier dataset first.
    `probabilities` are their limits: at least the first, at most the second. They allow for the `events_tried`.
    """

    epsilon: float
    delta: float
    confidence: float
    event: Event
    direction: str
    counts: tuple
    samples: int
    probabilities: tuple
    events_tried: int

    certain = False  # a lower bound: it can refute a claim and never prove one

    @property
    def loss(self):
        """The same number under the name that an `ExactLoss` has for it."""
        return self.epsilon

    @property
    def false_alarm(self):
        """The most that the probability can be, over the samples, of a bound above the true loss."""
        return 1 - self.confidence

    def refutes(self, epsilon):
        """Whether the bound lies above a claimed `epsilon`."""
        return exceeds(self.epsilon, epsilon)

    def __str__(self):
        more, less = self.counts
        return (
            f"epsilon >= {self.epsilon:.3f} at {100 * self.confidence:.9g}% {delta_words(self.delta)}: {self.event} "
            f"({self.direction}: {more:,} against {less:,} of {self.samples:,})"
        )


def epsilon_lower_bound(mechanism, data, neighbour, samples, rng, confidence, *, delta=0):
    """A lower confidence bound on `mechanism`'s privacy loss between `data` and `neighbour`: an `EpsilonBound`.

    Whether the two datasets are neighbours, and under which relation, is the caller's word. The mechanism is called as
    `mechanism(data, rng)` for one output, `samples` times for each dataset. If it has a parameter `size`, it is called
    once for each, as `mechanism(data, rng, size=samples)`. An output is a number, a vector, a word, or a sequence of
    such (True and False, None, numbers). `delta` = 0 tests pure epsilon-DP, delta > 0 tests (epsilon, delta)-DP.
    Events are learnt on a quarter of the outputs and judged on another (at most 60,000 from each dataset). The rest
    certifies the best of each direction, two to four events. Its Clopper-Pearson limits allow for their number. The
    bound exceeds the true loss with probability at most 1 - confidence. A low bound proves nothing: absence of evidence
    is not privacy, and a mechanism that remembers its calls can hide.
    Raises ValueError for fewer than 100 samples, a confidence outside (0, 1), a delta outside [0, 1), or outputs that
    cannot be counted.
    Source: beyond the seeds.  Notebook: 21_audit.
    """
    samples = arguments.whole("samples", samples, 100)
    risk = 1 - arguments.probability("confidence", confidence)
    delta = arguments.share_below_one("delta", delta)
    generator = arguments.generator("rng", rng)
    outputs = as_outputs(*(_draw(mechanism, side, generator, samples) for side in (data, neighbour)))
    share = min(samples // 4, LEARN)
    learn, judge, certify = (
        [side[a:b] for side in outputs] for a, b in ((0, share), (share, 2 * share), (2 * share, None))
    )
    fresh = samples - 2 * share
    tries = best_events(learn, judge, fresh, delta, _deviations(risk / 8))  # two limits for each of up to four events
    bounds = [_certified(event, likelier, certify, fresh, delta, confidence, len(tries)) for event, likelier in tries]
    return max(bounds, key=lambda bound: bound.epsilon)


def _certified(event, likelier, outputs, samples, delta, confidence, tries):
    """The bound that one event, fixed beforehand, gives on fresh outputs."""
    more, less = (int(np.count_nonzero(event.holds(outputs[side]))) for side in (likelier, 1 - likelier))
    risk = (1 - confidence) / (2 * tries)
    low = clopper_pearson(more, samples, risk)[0]
    high = clopper_pearson(less, samples, risk)[1]
    epsilon = max(0.0, float(np.log((low - delta) / high))) if low > delta else 0.0
    where = DIRECTIONS[likelier]
    return EpsilonBound(epsilon, delta, confidence, event, where, (more, less), samples, (low, high), tries)


def clopper_pearson(hits, samples, risk):
    """Limits (low, high) of a probability after `hits` in `samples`: each is wrong with probability at most `risk`.

    Raises ValueError for hits outside 0..samples or a risk not strictly between 0 and 1.
    Source: beyond the seeds (Clopper and Pearson 1934).  Notebook: 21_audit.
    """
    samples = arguments.whole("samples", samples, 1)
    hits = arguments.whole("hits", hits, 0, samples)
    risk = arguments.probability("risk", risk)
    from scipy.special import betainccinv, betaincinv  # only here: the rest of the audit starts without scipy

    low = betaincinv(hits, samples - hits + 1, risk) if hits else 0.0
    high = betainccinv(hits + 1, samples - hits, risk) if hits < samples else 1.0
    return float(np.nan_to_num(low, nan=0.0)), float(np.nan_to_num(high, nan=1.0))  # NaN: scipy found none


def _deviations(risk):
    """How many standard deviations a normal number exceeds with probability `risk`."""
    from scipy.special import ndtri

    return -float(ndtri(risk))


def batched(mechanism, *public):
    """A mechanism as an audit calls it, many releases at once: a function of (data, rng, size). Spends nothing itself.

    For a mechanism that treats each entry of an array by itself, such as `laplace_mechanism`. It is called once, as
    `mechanism(copies, *public, rng)`, on `size` copies of the data, one in each row. `public` are the arguments between
    the data and `rng`. The function raises what the mechanism does.
    Source: beyond the seeds.  Notebook: 21_audit.
    """

    def draws(data, rng, size):
        return mechanism(np.repeat(np.asarray(data)[None], size, axis=0), *public, rng)

    return draws


def _draw(mechanism, data, rng, samples):
    """`samples` outputs of the mechanism on one dataset, as they come."""
    if not callable(mechanism):
        arguments.refuse("mechanism", mechanism, "a function mechanism(data, rng), or with a parameter size as well")
    try:
        batched = "size" in inspect.signature(mechanism).parameters
    except ValueError:  # a built-in without a signature
        batched = False
    drawn = mechanism(data, rng, size=samples) if batched else [mechanism(data, rng) for _ in range(samples)]
    if not hasattr(drawn, "__len__") or getattr(drawn, "shape", None) == () or len(drawn) != samples:
        arguments.refuse("mechanism", drawn, f"a function that gives {samples} outputs when size is {samples}")
    return drawn


@dataclass(frozen=True)
class WorstPair:
    """The pair of neighbours with the largest privacy loss that a search saw, and the `bound` certified for it.

    `relation` is the name of the relation that made `neighbour` from `data`; `scouted` lists (bound, relation, data,
    neighbour) for every pair tried, those dropped last first: rough bounds that only chose the pair.
    """

    data: np.ndarray
    neighbour: np.ndarray
    relation: str
    bound: EpsilonBound
    scouted: list


def worst_neighbours(mechanism, datasets, domain, relations, samples, rng, confidence, *, delta=0):
    """Search a family of datasets for the pair of neighbours with `mechanism`'s largest privacy loss: a `WorstPair`.

    Each relation in `relations` (`add_record`, `remove_record`, `replace_record`, `add_to_count`, or any function of
    (data, domain)) lists the neighbours of each dataset. Every pair is scouted with a fiftieth of the samples (at least
    1,000), the worse half again with twice as many, and so on. The last is certified with `samples` fresh ones as in
    `epsilon_lower_bound`. So the search does not add to the false alarms. The mechanism must accept every dataset of
    the search. No bad pair found is no proof.
    Raises ValueError for no datasets, no relations or no neighbours, and as `epsilon_lower_bound`.
    Source: beyond the seeds; the relations are 004 section 2.1.1.  Notebook: 21_audit.
    """
    samples = arguments.whole("samples", samples, 100)
    pairs = [
        (relation.__name__, data, neighbour)
        for relation, data in itertools.product(relations, datasets)
        for neighbour in relation(data, domain)
    ]
    if not pairs:
        arguments.refuse("datasets, relations", "no pair of neighbours", "datasets that have neighbours")
    effort, dropped = max(1000, samples // 50), []
    while len(pairs) > 1:
        rough = [epsilon_lower_bound(mechanism, *pair[1:], effort, rng, 0.9, delta=delta).epsilon for pair in pairs]
        order = np.argsort(-np.array(rough), kind="stable")
        keep = len(pairs) // 2
        dropped = [(rough[place], *pairs[place]) for place in order[keep:]] + dropped
        pairs, effort = [pairs[place] for place in order[:keep]], 2 * effort
    relation, data, neighbour = pairs[0]
    bound = epsilon_lower_bound(mechanism, data, neighbour, samples, rng, confidence, delta=delta)
    return WorstPair(data, neighbour, relation, bound, [(bound.epsilon, *pairs[0]), *dropped])
