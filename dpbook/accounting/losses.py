"""Loss distributions on a grid: how likely each privacy loss is, composed by Fourier transforms, with bounds.

The privacy loss of an ordered pair of distributions (P, Q) is ln(P / Q) of an output drawn from P. The losses of
independent releases add up, so their distributions are convolved; delta(epsilon) is read off the result. Both
directions of a pair are composed apart. With `side` "upper" every rounding makes delta larger, with "lower" smaller:
the truth lies between. The Fourier transforms round by an absolute amount. `ROUNDING`, five times what exact Gaussians
show, allows for it, once for each release. It is added to the infinite loss of an upper bound and subtracted from that
of a lower one, with whatever lifting the rounded probabilities to 0 has added.
Source: beyond the seeds.  Notebook: 25_accounting.
"""

import functools
import math
from dataclasses import dataclass, field

import numpy as np
import scipy

from dpbook import arguments
from dpbook.gaussian import normal_probability
from dpbook.gaussian.profiles import checked_laws

TAIL = 1e-15  # what is cut off a distribution of losses at either end, at most, in one step
ROUNDING = 2e-16  # by how much a transform may move a delta, for each release that it composes
ORDERS = np.geomspace(0.03, 8, 14)  # tried in Chernoff's bound, as parts of the best one for a normal distribution
DEVIATIONS = 9.0  # how far out normal outputs are looked at: beyond lies 1e-19
SIDES = ("upper", "lower")


@dataclass(frozen=True, eq=False)
class LossDistribution:
    """The distribution of a privacy loss on the grid of multiples of `step`: a bound on delta from its `side`.

    `probabilities[i]` belongs to the loss (lowest + i) step; `infinite` is the probability of an infinite loss. In an
    upper bound it includes what the transforms may have rounded away. In a lower bound that is subtracted, so it may be
    below 0. `slack` (of a lower bound only) is the most by which losses of the grid are above the true ones. Both
    readings below allow for it. The distribution holds for one direction of one pair, under the relation of that pair.
    In the literature: privacy loss distribution.
    Source: Koskela, Jaelkoe and Honkela 2020; Doroshenko and others 2022.  Notebook: 25_accounting.
    """

    step: float
    lowest: int
    probabilities: np.ndarray = field(repr=False)
    infinite: float
    side: str = "upper"
    slack: float = 0.0

    @property
    def losses(self):
        """The losses of the grid, one for each of `probabilities`."""
        return self.step * (self.lowest + np.arange(self.probabilities.size))

    @functools.cached_property
    def _above(self):
        """From each grid point on: the probability there, and that weighted by e^(that loss - loss)."""
        mass, weighted = (np.zeros(self.probabilities.size + 1) for _ in range(2))
        mass[:-1] = np.cumsum(self.probabilities[::-1])[::-1]
        stretch = math.ceil(300 / self.step)  # so far e^loss stays within doubles
        for end in range(self.probabilities.size, 0, -stretch):
            start = max(0, end - stretch)
            grow = np.exp(self.step * np.arange(end - start))
            here = np.cumsum((self.probabilities[start:end] / grow)[::-1])[::-1]
            weighted[start:end] = grow * (here + weighted[end] * math.exp(-self.step * (end - start)))
        return mass, weighted

    def delta(self, epsilon):
        """delta at `epsilon`, a number or an array: the mean of (1 - e^(epsilon - loss))_+, with the infinite loss."""
        epsilon = arguments.array("epsilon", epsilon) + self.slack
        with np.errstate(over="ignore"):
            steps = np.clip(epsilon / self.step, -(2.0**62), 2.0**62)
        first = np.floor(steps).astype(np.intp) + 1 - self.lowest
        place = np.clip(first, 0, self.probabilities.size)
        mass, weighted = (part[place] for part in self._above)  # from there on: of p, and of p e^(here - loss)
        shift = np.exp(np.minimum(epsilon - (self.lowest + place) * self.step, 0))
        return np.clip(self.infinite + mass - shift * weighted, 0, 1)[()]

    def epsilon(self, delta):
        """The smallest epsilon from 0 up whose delta is at most `delta`; inf where the infinite loss is more likely.

        Of an upper bound also where `delta` is below the transforms' rounding, 2e-16 for each release.
        Raises ValueError for a delta not strictly between 0 and 1.
        """
        left = arguments.probability("delta", delta) - self.infinite
        if left < 0:
            return math.inf
        mass, weighted = self._above
        at_grid = mass[1:] - math.exp(-self.step) * weighted[1:]  # delta at each loss of the grid
        place = int(np.argmax(at_grid <= left))
        if mass[place] <= left:
            return 0.0
        top = (self.lowest + place) * self.step
        return max(0.0, top + math.log((mass[place] - left) / weighted[place]) - self.slack)

    def repeat(self, times):
        """The distribution of `times` such losses together, each drawn afresh: one transform, raised to a power.

        The grid of the sum is cut where Chernoff's bound leaves less than 1e-15, which goes to the infinite loss of an
        upper bound. Raises ValueError for times that is not whole or below 1.
        """
        times = arguments.whole("times", times, 1)
        if times == 1:
            return self._with(self.lowest * times, self.probabilities, self._infinite(times), self.slack * times)
        low, high, cut = _window(self.probabilities, times)  # where the sum lies, but for a mass of `cut`
        length = scipy.fft.next_fast_len(max(high - low + 1, self.probabilities.size), real=True)
        powered = scipy.fft.irfft(scipy.fft.rfft(self.probabilities, length) ** times, length)
        window, lifted = _lifted(np.roll(powered, -(low % length))[: high - low + 1])  # the transform goes round
        infinite = self._infinite(times, cut, times * ROUNDING + (lifted if self.side == "lower" else 0.0))
        return self._with(self.lowest * times + low, window, infinite, self.slack * times)

    def __matmul__(self, other):
        """The distribution of both losses together. Raises ValueError for unlike steps or sides."""
        if not isinstance(other, LossDistribution):
            return NotImplemented
        if other.step != self.step or other.side != self.side:
            arguments.refuse("other", other, f"a loss distribution with step {self.step!r} and side {self.side!r}")
        size = self.probabilities.size + other.probabilities.size - 1
        length = scipy.fft.next_fast_len(size, real=True)
        product = scipy.fft.rfft(self.probabilities, length) * scipy.fft.rfft(other.probabilities, length)
        both, lifted = _lifted(scipy.fft.irfft(product, length)[:size])
        rounded = ROUNDING if self.side == "upper" else -ROUNDING - lifted
        infinite = 1 - (1 - self.infinite) * (1 - other.infinite) + rounded
        return self._with(self.lowest + other.lowest, both, infinite, self.slack + other.slack)

    def _infinite(self, times, cut=0.0, rounded=0.0):
        if self.infinite >= 1:
            return 1.0
        infinite = -math.expm1(times * math.log1p(-self.infinite))
        return min(1.0, infinite + cut + rounded) if self.side == "upper" else infinite - rounded

    def _with(self, lowest, probabilities, infinite, slack):
        """The same kind of distribution with the far ends cut off."""
        last = probabilities.size - 1
        left = min(last, int(np.searchsorted(np.cumsum(probabilities), TAIL)))
        right = min(last - left, int(np.searchsorted(np.cumsum(probabilities[::-1]), TAIL)))
        kept = probabilities[left : probabilities.size - right].copy()
        if self.side == "upper":
            kept[0] += probabilities[:left].sum()
            infinite = min(1.0, infinite + float(probabilities[probabilities.size - right :].sum()))
        return LossDistribution(self.step, lowest + left, kept, infinite, self.side, slack)


def gaussian_losses(sensitivity, scale, step, *, side="upper"):
    """The loss of normal noise of deviation `scale` on a value of L2 `sensitivity`, the same in both directions.

    A bound on every delta, from `side`, for the relation of the sensitivity. `step` is the grid's, in nats.
    Raises ValueError for a sensitivity, scale or step that is not a finite number above 0, a mu not below 1e150, a grid
    of over 10^7 losses, or another side.
    Source: the loss is N(mu^2 / 2, mu^2) with mu = sensitivity / scale.  Notebook: 25_accounting.
    """
    mu = checked_ratio(sensitivity, scale)
    middle, reach = mu**2 / 2, DEVIATIONS * mu + mu**2

    def masses(low, high):
        return [normal_probability((low - at) / mu, (high - at) / mu) for at in (middle, -middle)]

    return on_grid(masses, middle - reach, middle + reach, step, side)


def laplace_losses(sensitivity, scale, step, *, side="upper"):
    """The loss of Laplace noise of `scale` on a number of L1 `sensitivity`, the same in both directions.

    A bound on every delta, from `side`, for the relation of the sensitivity. Raises ValueError as `gaussian_losses`.
    Source: the loss is t = sensitivity / scale with probability 1/2, -t with e^-t / 2.  Notebook: 25_accounting.
    """
    pure = checked_ratio(sensitivity, scale)

    def masses(low, high):  # under P the loss exceeds l with probability 1 - e^((l - t) / 2) / 2 for l in [-t, t)
        lowest, top = low < -pure, high >= pure
        a, b = (np.clip(end, -pure, pure) for end in (low, high))
        inside = [
            np.exp((a - pure) / 2) * np.expm1((b - a) / 2) / 2,
            -np.exp(-(a + pure) / 2) * np.expm1((a - b) / 2) / 2,
        ]
        ends = [math.exp(-pure) / 2 * (lowest & (high >= -pure)), 0.5 * (lowest & (high >= -pure))]
        tops = [0.5 * (top & (low < pure)), math.exp(-pure) / 2 * (top & (low < pure))]
        return [part + end + last for part, end, last in zip(inside, ends, tops, strict=True)]

    return on_grid(masses, -pure, pure, step, side)


def listed_losses(log_p, log_q, step, *, side="upper"):
    """The loss between two listed distributions, in the direction of `log_p`: exact where losses lie on the grid.

    `log_p` and `log_q` are the natural logs of the probabilities of the same outcomes, -inf where impossible. The other
    direction is the call with the two exchanged. Between grid points it is a bound from `side`. It is for the
    relation of the pair.
    Raises ValueError for distributions as `gaussian.privacy_profile`, and as `gaussian_losses`.
    Source: Doroshenko and others 2022.  Notebook: 25_accounting.
    """
    log_p, log_q = checked_laws(log_p, log_q)
    step, side = arguments.positive("step", step), arguments.one_of("side", side, SIDES)
    finite = (log_p > -np.inf) & (log_q > -np.inf)
    p, loss = np.exp(log_p[finite]), log_p[finite] - log_q[finite]
    infinite = float(np.exp(log_p[log_q == -np.inf]).sum())
    if not p.size:
        return LossDistribution(step, 0, np.zeros(1), infinite, side)
    nudge = 0.5 if side == "lower" else 0.0
    _few(np.abs(loss).max(), step, 2**62)
    cell = np.floor(loss / step + nudge).astype(np.intp)
    lowest, cells = int(cell.min()), _counted(int(cell.max() - cell.min()) + 1)
    mass_p, mass_q = (np.bincount(cell - lowest, mass, cells) for mass in (p, np.exp(log_q[finite])))
    return _from_cells(mass_p, mass_q, lowest, step, infinite, side)


def on_grid(masses, low, high, step, side):
    """The loss whose probabilities in (a, b] are `masses(a, b)`, under P and under Q, between `low` and `high`."""
    step, side = arguments.positive("step", step), arguments.one_of("side", side, SIDES)
    _few(high - low, step, 2 * 10**7)
    first, last = math.floor(low / step) - 1, math.ceil(high / step) + 1
    grid = step * (first + np.arange(_counted(last - first) + 1) - (0.5 if side == "lower" else 0.0))
    mass_p, mass_q = masses(grid[:-1], grid[1:])
    below, above = masses(np.array([-np.inf, grid[-1]]), np.array([grid[0], np.inf]))[0]
    if side == "upper":
        mass_p[0] += below
    return _from_cells(mass_p, mass_q, first, step, float(above) if side == "upper" else 0.0, side)


def checked_ratio(sensitivity, scale):
    """The sensitivity in units of the scale: above 0, and its square is still a number."""
    ratio = arguments.positive("sensitivity", sensitivity) / arguments.positive("scale", scale)
    if not 0 < ratio < 1e150:
        arguments.refuse("sensitivity / scale", ratio, "above 0 and below 1e150")
    return ratio


def _few(reach, step, most):
    """Refuse a step of which there are so many that their number is no index any more."""
    if not float(reach) <= step * most:
        arguments.refuse("step", step, "coarse enough for at most 10,000,000 losses")


def _counted(cells):
    if cells > 10**7:
        arguments.refuse("step", f"a grid of {cells:,} losses", "coarse enough for at most 10,000,000")
    return cells


def _from_cells(mass_p, mass_q, lowest, step, infinite, side):
    """A distribution on the grid from the masses of its cells under P and Q.

    Upper: cell i begins at loss i, and its mass goes to both of its ends, such that P and Q keep their masses.
    Lower: cell i lies around loss i. To tell its outputs apart no more is post-processing; their common loss ln(P / Q)
    is moved to loss i, at most `slack` upwards.
    """
    losses = step * (lowest + np.arange(mass_p.size))
    with np.errstate(divide="ignore", invalid="ignore"):
        if side == "upper":
            even = np.exp(np.minimum(losses + np.log(mass_q), 700))
            up = np.clip((mass_p - even) / -math.expm1(-step), 0, mass_p)
            return LossDistribution(step, lowest, np.append(mass_p - up, 0) + np.append(0, up), infinite)
        counted = mass_p > 1e-20
        slack = max(0.0, float(np.max((losses - np.log(mass_p / mass_q))[counted], initial=0)))
    return LossDistribution(step, lowest, np.where(counted, mass_p, 0.0), infinite, side, slack)


def _lifted(rounded):
    """Probabilities that a transform rounded, those below 0 lifted to 0; and what that adds to them in all."""
    lifted = np.maximum(rounded, 0)
    return lifted, float(np.sum(lifted - rounded))


def _moments(probabilities, mean, orders):
    """The mean of e^(order (place - mean)) for each order: of r^(row m + column) in a table of m columns, by rows."""
    columns = math.isqrt(probabilities.size) + 1
    table = np.zeros((-(-probabilities.size // columns), columns))
    table.ravel()[: probabilities.size] = probabilities
    within = table @ np.exp(np.outer(np.arange(columns), orders))
    return np.sum(within * np.exp(np.outer(np.arange(len(table)) * columns - mean, orders)), axis=0)


def _window(probabilities, times):
    """Between which places the sum of `times` draws lies but for probability `cut`, by Chernoff's bound."""
    places, most = np.flatnonzero(probabilities), times * (probabilities.size - 1)
    if places.size < 2:
        return 0, most, 0.0
    weights, total = probabilities[places], probabilities.sum()
    mean = places @ weights / total
    spread = math.sqrt(times * ((places - mean) ** 2 @ weights) / total)
    orders = math.sqrt(-2 * math.log(TAIL)) / spread * ORDERS
    ends = []
    for sign in (-1, 1):
        with np.errstate(over="ignore", invalid="ignore"):
            moments = _moments(probabilities[places[0] : places[-1] + 1], mean - places[0], sign * orders)
        found = (times * np.log(moments) - math.log(TAIL)) / orders
        ends.append(min(most, np.min(found, where=np.isfinite(found), initial=np.inf)))
    low, high = math.floor(times * mean - ends[0]), math.ceil(times * mean + ends[1])
    return max(0, low), min(most, high), (low > 0) * TAIL + (high < most) * TAIL
