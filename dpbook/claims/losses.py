"""The worst privacy loss over chosen pairs of neighbours: from steps, from one draw, from a law, from outputs.

Each `loss_from_...` takes `pairs`, a list of (data, neighbour), and returns the largest loss over them, in both
directions. A mechanism is called as `mechanism(data, rng)`. `loss_from_steps` and `loss_from_draw` run the mechanism
itself with a generator that watches it, so that a wrong scale in its code shows; `loss_from_coupling` runs it twice as
its proof says; `loss_from_law` knows only a law; `loss_from_outputs` is a certified lower bound. Pairs that were not
chosen may be worse. `by_...` are the same for a `Claim`.
Source: beyond the seeds; the definition is 004 section 2.1.  Notebook: 21_audit.
"""

import inspect

import numpy as np

from dpbook import arguments
from dpbook.audit import epsilon_lower_bound, exact_loss
from dpbook.claims.listening import GAUSSIAN, LAPLACE, Transcript, log_ratio, turns

SMALLEST = 2.0**-52  # how finely the place of a jump is sought on the scale from 0 to 1
MOST_RUNS = 3_000  # of a mechanism that chooses, for one pair


def by_steps(claim):
    """`loss_from_steps` of the claim's call."""
    return loss_from_steps(lambda data, rng: claim.run(data, claim.given, rng), claim.pairs, delta=claim.delta)


def by_draw(claim):
    """`loss_from_draw` of the claim's call."""
    return loss_from_draw(lambda data, rng: claim.run(data, claim.given, rng), claim.pairs)


def by_law(claim):
    """`loss_from_law` of the claim's law."""
    return loss_from_law(lambda data: claim.law(data, claim.given), claim.pairs, delta=claim.delta)


def by_coupling(claim):
    """`loss_from_coupling` of the claim's call."""
    return loss_from_coupling(lambda data, rng: claim.run(data, claim.given, rng), claim.pairs, claim.coupling)


def by_outputs(claim):
    """`loss_from_outputs` of the claim's call."""
    return loss_from_outputs(lambda data, rng: claim.run(data, claim.given, rng), claim.pairs, delta=claim.delta)


def parameters(function):
    """The names of a function's parameters."""
    return tuple(inspect.signature(function).parameters)


def loss_from_law(log_law, pairs, *, delta=0):
    """The worst exact loss over `pairs`, where `log_law(data)` gives the log probabilities of the same events.

    Raises ValueError as `exact_loss` does.
    """
    return max(exact_loss(log_law(data), log_law(neighbour), delta=delta).loss for data, neighbour in pairs)


def loss_from_draw(mechanism, pairs):
    """The worst exact loss over `pairs` of a mechanism that draws one uniform number and, as it grows, never goes back.

    The law is read off the mechanism: where on the scale from 0 to 1 does its output change? So it is for every
    exponential mechanism, which draws by inverting a cumulative sum. Probabilities are right to 1e-15.
    Raises ValueError for a mechanism that draws no such number.
    """
    datasets = {_name(data): data for pair in pairs for data in pair}
    laws = {name: _law_of_draw(mechanism, data) for name, data in datasets.items()}

    def log_law(data, outputs):
        with np.errstate(divide="ignore"):
            return np.log([laws[_name(data)].get(output, 0.0) for output in outputs])

    outputs = sorted(set().union(*laws.values()))
    return loss_from_law(lambda data: log_law(data, outputs), pairs)


def _name(data):
    return np.asarray(data).tobytes()


class _Dial(np.random.Generator):
    """A generator whose first uniform number is set by hand."""

    def __init__(self, uniform):
        super().__init__(np.random.PCG64(1))
        self.uniform_number, self.draws = uniform, 0

    def random(self, size=None):
        self.draws += 1
        return self.uniform_number if size is None else np.full(size, self.uniform_number)

    def uniform(self, low=0.0, high=1.0, size=None):
        return low if size is None else np.full(size, low)


def _law_of_draw(mechanism, data):
    """The probability of each output, as a dict: the lengths of the pieces of [0, 1) on which it does not change."""

    def output(uniform):
        dial = _Dial(uniform)
        came = mechanism(data, dial)
        if dial.draws != 1:
            arguments.refuse("mechanism", f"{dial.draws} uniform draws", "one that calls rng.random() once")
        return came

    pieces, law = [(0.0, output(0.0), 1.0, output(1 - SMALLEST))], {}
    while pieces:
        left, first, right, last = pieces.pop()
        if first == last or right - left <= SMALLEST:
            law[first] = law.get(first, 0.0) + right - left
        else:
            middle = (left + right) / 2
            came = output(middle)
            pieces += [(left, first, middle, came), (middle, came, right, last)]
    return law


def loss_from_steps(mechanism, pairs, *, delta=0):
    """The worst exact loss over `pairs` of all that a mechanism adds noise to and all that it chooses, taken together.

    Each run is repeated on the neighbour with the same noisy numbers and the same choices. If it then gives another
    output, or asks for other noise or other choices, data flow around them, and the loss is inf. Otherwise Laplace
    noise loses the sum of |difference| / scale, for the worst way the noise can fall. Choices lose the log of how much
    likelier they were on one side. Every way that few choices can fall is tried, and of many the likeliest and the
    extreme ones. If the output is only post-processing of these steps, it loses no more than they do.
    Gaussian noise needs a `delta` above 0: then its part is the least epsilon at that delta.
    Raises ValueError for a mechanism that neither adds noise to anything nor chooses.
    """
    return max(_worst_run(mechanism, data, neighbour, delta) for data, neighbour in pairs)


def loss_from_noise(mechanism, pairs):
    """`loss_from_steps` for a mechanism that adds Laplace noise; raises ValueError for one that adds none."""
    return loss_from_steps(mechanism, pairs)


def _worst_run(mechanism, data, neighbour, delta):
    """The worst loss over all the ways that the choices of the mechanism can fall."""
    worst, todo, tried = 0.0, [()], set()
    while todo and len(tried) < MOST_RUNS:
        start = todo.pop()
        first, second, same = _both(mechanism, data, neighbour, start)
        if not first.noises and not first.choices:
            arguments.refuse("mechanism", "no noise and no choice", "one that adds noise to something, or chooses")
        if not same or not first.alike(second):
            return np.inf
        worst = max(worst, _noise_loss(first, second, delta) + _choice_loss(first, second))
        outcomes = [choice.outcome for choice in first.choices]
        for place in range(len(start), len(outcomes)):
            for turn in turns(first.choices[place], second.choices[place].chances):
                if np.array_equal(turn, outcomes[place]):
                    continue  # that is the run that was just made
                way = (*outcomes[:place], turn)
                name = tuple(np.asarray(outcome).tobytes() for outcome in way)
                if name not in tried:
                    tried.add(name)
                    todo.append(way)
    return worst


def _both(mechanism, data, neighbour, outcomes):
    """The transcripts of a run and of the same on the neighbour, and whether they gave the same output."""
    first = Transcript(outcomes=outcomes)
    output = mechanism(data, first)
    second = Transcript([noise.noisy for noise in first.noises], [choice.outcome for choice in first.choices])
    return first, second, _same(output, mechanism(neighbour, second))


def _noise_loss(first, second, delta):
    """What the noises lose together: Laplace by |difference| / scale, Gaussian at `delta`."""
    shifts = {LAPLACE: 0.0, GAUSSIAN: 0.0}
    for one, two in zip(first.noises, second.noises, strict=True):
        shift = np.abs(one.value - two.value) / one.scale
        shifts[one.kind] += float(np.sum(shift if one.kind == LAPLACE else shift**2))
    if shifts[GAUSSIAN] == 0:
        return shifts[LAPLACE]
    if delta <= 0:
        return np.inf
    from dpbook.gaussian import gaussian_epsilon  # only where there is Gaussian noise

    return shifts[LAPLACE] + gaussian_epsilon(np.sqrt(shifts[GAUSSIAN]), 1.0, delta)


def _choice_loss(first, second):
    """How much likelier the choices were on one side; 0 for choices that neither side can make."""
    ratios = [log_ratio(one, two) for one, two in zip(first.choices, second.choices, strict=True)]
    total = abs(float(np.sum(ratios)))
    return 0.0 if np.isnan(total) else total


def loss_from_coupling(mechanism, pairs, coupling):
    """An upper bound on the loss over `pairs`, from the proof: which moves of the noise hide the difference?

    `coupling(data, neighbour)` lists, in the order of the draws, by how much each Laplace draw on `neighbour` differs
    from that on `data`. The mechanism is run on both, the second time with the noise so moved. If the outputs are not
    the same, up to rounding, the coupling hides nothing, and the loss is inf. Otherwise it is at most the sum of
    |move| / scale, with the scales that the program asked for.
    """
    return max(_coupled(mechanism, data, neighbour, coupling(data, neighbour)) for data, neighbour in pairs)


class _Moved(np.random.Generator):
    """A generator whose Laplace draws are moved by hand; it notes their scales."""

    def __init__(self, moves=()):
        super().__init__(np.random.PCG64(1))
        self.moves, self.scales = np.asarray(moves, dtype=float), []

    def laplace(self, loc=0.0, scale=1.0, size=None):
        noise = super().laplace(loc, scale, size)
        start = len(self.scales)
        self.scales += [scale] * np.size(noise)
        moves = np.zeros(np.size(noise))
        given = self.moves[start : start + moves.size]
        moves[: given.size] = given
        return noise + np.reshape(moves, np.shape(noise))[()]


def _coupled(mechanism, data, neighbour, moves):
    first, second = _Moved(), _Moved(moves)
    output, other = mechanism(data, first), mechanism(neighbour, second)
    if first.scales != second.scales or len(moves) != len(first.scales) or not _same(output, other, 1e-9):
        return np.inf
    return float(np.sum(np.abs(moves) / np.array(second.scales)))


def _same(output, other, rounding=0.0):
    """Whether two outputs are the same: numbers, arrays, or lists of such."""
    if isinstance(output, (list, tuple)):
        alike = isinstance(other, (list, tuple)) and len(output) == len(other)
        return alike and all(_same(one, two, rounding) for one, two in zip(output, other, strict=True))
    if rounding and np.shape(output) == np.shape(other):
        return bool(np.allclose(output, other, rtol=0, atol=rounding))
    return np.array_equal(output, other)


def loss_from_outputs(mechanism, pairs, *, samples=5000, confidence=0.999, delta=0):
    """The largest certified lower bound over `pairs`, from `samples` outputs of each dataset, always the same ones.

    Each bound is wrong with probability 1 - `confidence`. Raises ValueError as `audit.epsilon_lower_bound` does.
    """
    rng = np.random.default_rng(1)
    return max(epsilon_lower_bound(mechanism, *pair, samples, rng, confidence, delta=delta).epsilon for pair in pairs)
