"""The average of numbers: the one to use when the number of records is public, and six ways when it is a secret.

The six: three keep their guarantee, three claim more than they keep. For them `values` are the records, each within
`bounds` = (low, high), fixed before anyone looks at the data. They may be an empty list: an empty dataset has
neighbours too. Neighbours are add/remove; under replace every loss at most doubles.
Each mechanism takes `size` to draw that many independent releases, for study or an audit: together they have
`size` times the privacy loss. Losses are over all pairs of neighbours, in exact arithmetic.

The `..._law` functions give probabilities of events (a `Law`), not densities. Averages of n and of n + 1 records have
noise on two scales. Ratios of densities that forget the scales are what 004 gets wrong here: equation (2.9), the
counterexample to Algorithm 2, the proof of Proposition 2.22.
Source: 004 section 2.5.  Notebook: 05_averages.
"""

import numpy as np

from dpbook import arguments
from dpbook.exponential import exponential_mechanism, range_quality, selection_probabilities
from dpbook.laplace import laplace_probability, noise_scale, sum_sensitivity
from dpbook.verdict import Law, cells

LN2 = float(np.log(2))


def true_average(values, bounds):
    """The average itself, and the middle of the bounds for no values: what the six estimate, NOT private.

    One record can move it by half the width of the bounds. Raises ValueError as `simple_average`.
    Source: 004 equation (2.8).  Notebook: 05_averages.
    """
    count, total, low, high = _records(values, bounds)
    return total / count if count else (low + high) / 2


def clipped_average(values, bounds, epsilon, rng, *, size=None):
    """Release the average of the clipped values with epsilon-DP under replace: the number of values is public.

    Each value is first moved to the nearer end of the public `bounds` = (low, high) if it lies outside. Laplace noise
    of scale (high - low) / (n epsilon) for n values. Under add/remove it guarantees nothing: the width of its noise
    tells n. Returns a float, or an array if `size` is given, in the unit of the values. It may lie outside the bounds;
    clamping it costs no privacy. Raises ValueError for values that are not a non-empty list of finite numbers, bounds
    not in order, or a bad epsilon, rng or size.
    Source: beyond 004, whose section 2.5 takes the number of records for a secret.  Notebook: 05_averages.
    """
    low, high = arguments.interval("bounds", bounds)
    clipped = np.clip(arguments.vector("values", values), low, high)
    sensitivity = (high - low) / clipped.size  # of the average: one record replaced
    scale = noise_scale(sensitivity, epsilon)
    return _released(clipped.mean() + _laplace(scale, size, rng))


def clipped_error(values, bounds, epsilon):
    """The mean error of `clipped_average`, exact, as an error of the average of `values` unclipped: NOT private.

    With scale b of the noise and bias c of the clipping it is |c| + b exp(-|c| / b). Raises ValueError as the
    mechanism. Source: the mean of |c + Laplace noise|.  Notebook: 05_averages.
    """
    low, high = arguments.interval("bounds", bounds)
    values = arguments.vector("values", values)
    bias = abs(np.clip(values, low, high).mean() - values.mean())
    scale = noise_scale((high - low) / values.size, epsilon)
    return float(bias + scale * np.exp(-bias / scale))


def simple_average(values, bounds, epsilon, rng, *, size=None):
    """NOT epsilon-DP unless 0 is within bounds (add/remove), has privacy loss `simple_loss`: noisy sum / count.

    Half of epsilon goes to each. The noise of the sum is scaled to high - low, which is too little where
    both bounds have the same sign. Returns a float, or an array if `size` is given, in the unit of the
    values. It is the middle of the bounds if the noisy count is at most 1. It may lie outside the
    bounds; clamping it costs no privacy. Raises ValueError for values that are not a list of finite
    numbers within bounds, bounds not in order, or a bad epsilon, rng or size.
    Source: 004 section 2.5.2, Algorithm 1.  Notebook: 05_averages.
    """
    count, total, low, high = _records(values, bounds)
    half = arguments.positive("epsilon", epsilon) / 2
    sensitivity = high - low  # of the sum, the textbook says: too little where both bounds have one sign
    noisy_total = total + _laplace(noise_scale(sensitivity, half), size, rng)
    noisy_count = count + _laplace(noise_scale(1, half), size, rng)  # spends epsilon / 2
    return _quotient(noisy_total, noisy_count, (low + high) / 2)


def centred_average(values, bounds, epsilon, rng, *, size=None):
    """Release the average with epsilon-DP (add/remove): noisy sum around the middle / noisy count.

    No record is further from the middle of the bounds than half their width, wherever the bounds
    are. Returns and raises as `simple_average`; it may leave the bounds, too.
    Source: 004 section 2.5.5, Algorithm 4; its (a_min, a_max)/2 is the middle.  Notebook: 05_averages.
    """
    count, total, low, high = _records(values, bounds)
    half, middle = arguments.positive("epsilon", epsilon) / 2, (low + high) / 2
    sensitivity = (high - low) / 2  # of the sum of distances from the middle
    noisy_total = total - count * middle + _laplace(noise_scale(sensitivity, half), size, rng)  # epsilon / 2
    noisy_count = count + _laplace(noise_scale(1, half), size, rng)  # epsilon / 2
    return middle + _quotient(noisy_total, noisy_count, 0.0)


def redrawn_average(values, bounds, epsilon, rng):
    """NOT epsilon-DP (add/remove), has privacy loss `resampling_loss`: noisy sum / count, redrawn until within bounds.

    The loop that reads like the algorithm; `resampling_average` draws from the same distribution in one step, many
    at once and for no values too. Returns a float within the bounds. Raises ValueError as `simple_average`, and for no
    values. Source: 004 section 2.5.3, Algorithm 2 (from PINQ).  Notebook: 05_averages.
    """
    count, total, low, high = _records(values, bounds)
    if not count:
        arguments.refuse("values", values, "one number or more: no noise is right for none")
    sensitivity = high - low  # of the sum
    scale, average = noise_scale(sensitivity, epsilon), np.inf
    while not low <= average <= high:
        average = (total + _laplace(scale, None, rng)) / count  # an exact count: this is what loses more
    return float(average)


def resampling_average(values, bounds, epsilon, rng, *, size=None):
    """NOT epsilon-DP (add/remove), has privacy loss `resampling_loss`: `redrawn_average` in one step.

    Redrawing keeps the noise of scale (high - low) / (count epsilon), cut to the bounds. A uniform place in the mass
    kept is turned into a distance from the average. Uniform for no values. Run it at
    `repaired_resampling_epsilon(epsilon)` for an epsilon that holds. Returns a float within the bounds, or an array if
    `size` is given; raises as `simple_average`.
    Source: 004 section 2.5.3, Algorithm 2 (from PINQ).  Notebook: 05_averages.
    """
    count, total, low, high = _records(values, bounds)
    sensitivity = (high - low) / max(count, 1)  # of the average, were the count public
    scale = noise_scale(sensitivity, epsilon)
    uniform = _uniform(size, rng, 0, 1)
    if count == 0:
        return _released(low + (high - low) * uniform)
    average = np.clip(total / count, low, high)  # only undoes the rounding of the sum
    below, above = -np.expm1([(low - average) / scale, (average - high) / scale])  # mass kept, twice
    place = uniform * (below + above) - below
    distance = -scale * np.log1p(-np.minimum(np.abs(place), 1 - 2.0**-53))
    return _released(np.clip(average + np.copysign(distance, place), low, high))


def exponential_average(values, bounds, epsilon, rng, *, size=None):
    """Release the average with epsilon-DP (add/remove): exponential mechanism over the bounds.

    The quality of o is -|sum - count o|, with sensitivity high - low. So the density of o falls as
    exp(-epsilon count |o - average| / (2 (high - low))): `resampling_average` at half of epsilon.
    Its privacy loss is only `exponential_loss`. Returns and raises as `resampling_average`.
    Source: 004 section 2.5.1.  Notebook: 05_averages.
    """
    return resampling_average(values, bounds, arguments.positive("epsilon", epsilon) / 2, rng, size=size)


def clamped_average(values, bounds, epsilon, rng, *, size=None):
    """NOT epsilon-DP for epsilon below 2 ln 2 (add/remove; at or above it, it is): noisy sum / count, clamped.

    Its privacy loss is `clamped_loss`. An average outside the bounds is moved to their end, so each
    end has a probability of its own. No values: each end with probability e^(-epsilon/2) / 2, else
    uniform. For an epsilon between ln 2 and 2 ln 2 that holds, run it at
    `repaired_clamped_epsilon(epsilon)`. Returns a float within the bounds, or an array if `size` is
    given; raises as `simple_average`.
    Source: 004 section 2.5.4, Algorithm 3; Proposition 2.22 claims epsilon-DP for every epsilon, and
    its proof drops the factor (count + 1) / count between two densities.  Notebook: 05_averages.
    """
    count, total, low, high = _records(values, bounds)
    epsilon = arguments.positive("epsilon", epsilon)
    sensitivity = high - low  # of the sum
    if count:
        noisy = (total + _laplace(noise_scale(sensitivity, epsilon), size, rng)) / count
    else:
        reach = sensitivity / (-2 * np.expm1(-epsilon / 2))
        noisy = (low + high) / 2 + reach * _uniform(size, rng, -1, 1)
    return _released(np.clip(noisy, low, high))


def median_average(values, bounds, epsilon, rng, *, ranges=1000, size=None):
    """Release a median as the average, with epsilon-DP (add/remove): accurate where median and average are close.

    The exponential mechanism draws one of `ranges` equal ranges by its ranks (`median_law`), then a
    point in it uniformly. Returns a float within the bounds, or an array if `size` is given. Raises
    ValueError as `simple_average`, and for ranges that are not a whole number of at least 1.
    Source: 004 section 2.5.6 with Example 2.21, second paragraph.  Notebook: 05_averages.
    """
    edges, quality = _ranked_ranges(values, bounds, ranges)
    chosen = exponential_mechanism(quality, 0.5, epsilon, rng, size=size)  # spends epsilon
    left, right = np.moveaxis(cells(edges)[chosen], -1, 0)
    return _released(left + (right - left) * _uniform(size, rng, 0, 1))


def clamped_law(values, bounds, cuts, epsilon):
    """The exact `Law` of `clamped_average`: the release is low, in each of the cells, or high.

    The cells lie between neighbouring `cuts`, which ascend from low to high: one event more than
    there are cuts. Raises ValueError for other cuts, and as the mechanism.
    Source: 004 section 2.5.4.  Notebook: 05_averages.
    """
    count, total, low, high = _records(values, bounds)
    cuts, epsilon = _cuts(cuts, low, high), arguments.positive("epsilon", epsilon)
    events = np.concatenate([[(low, low)], cells(cuts), [(high, high)]])
    if count == 0:
        end, inside = np.exp(-epsilon / 2) / 2, -np.expm1(-epsilon / 2)
        return Law(events, np.concatenate([[end], inside * np.diff(cuts) / (high - low), [end]]))
    ends = np.concatenate([[-np.inf], count * cuts, [np.inf]])
    return Law(events, laplace_probability(ends[:-1], ends[1:], total, high - low, epsilon))


def resampling_law(values, bounds, cuts, epsilon):
    """The exact `Law` of `resampling_average`: the release is in each of the cells between `cuts`, from low to high.

    Also of `exponential_average`, at half its epsilon. Raises ValueError as `clamped_law`.
    Source: 004 section 2.5.3.  Notebook: 05_averages.
    """
    events, probabilities = clamped_law(values, bounds, cuts, epsilon)
    return Law(events[1:-1], probabilities[1:-1] / probabilities[1:-1].sum())


def median_law(values, bounds, epsilon, *, ranges=1000):
    """The exact `Law` of `median_average`: the release is in each of its ranges.

    Raises ValueError as the mechanism.
    Source: 004 Example 2.21, second paragraph.  Notebook: 05_averages.
    """
    edges, quality = _ranked_ranges(values, bounds, ranges)
    return Law(cells(edges), selection_probabilities(quality, 0.5, epsilon))


def _ranked_ranges(values, bounds, ranges):
    """The edges of equal ranges within the bounds, and how well each holds the median: sensitivity 1/2 (add/remove)."""
    count, _, low, high = _records(values, bounds)
    edges = np.linspace(low, high, arguments.whole("ranges", ranges, 1) + 1)
    return edges, range_quality(values, 0.5, edges) if count else np.zeros(edges.size - 1)


def simple_loss(bounds, epsilon):
    """The exact loss of `simple_average` (add/remove): epsilon/2 (1 + max(|low|, |high|) / (high - low)).

    Half of epsilon for the count, and for the sum what its noise leaves bare. Reached by the event
    "release > high" on no records and on one at high, if |high| is the larger.
    Raises ValueError for bad bounds or epsilon. Source: 004 section 2.5.2 claims epsilon.  Notebook: 05_averages.
    """
    low, high = arguments.interval("bounds", bounds)
    return arguments.positive("epsilon", epsilon) / 2 * (1 + sum_sensitivity(bounds, "add/remove") / (high - low))


def resampling_loss(epsilon):
    """The exact loss of `resampling_average` (add/remove): ln(2 e^epsilon - 1), approached but not reached.

    The worst pairs are n records at low, with and without one at high. The loss exceeds epsilon
    only where the smaller dataset is the likelier one. Raises ValueError for a bad epsilon.
    Source: 004 section 2.5.3, whose own pair has privacy loss epsilon; the bound is proved in the notebook 05_averages.
    """
    epsilon = arguments.positive("epsilon", epsilon)
    return float(epsilon + np.log1p(-np.expm1(-epsilon)))


def exponential_loss(epsilon):
    """The exact loss of `exponential_average` (add/remove): ln(2 e^(epsilon/2) - 1), less than epsilon.

    Raises ValueError for a bad epsilon. Source: 004 section 2.5.1, with `resampling_loss`.  Notebook: 05_averages.
    """
    return resampling_loss(arguments.positive("epsilon", epsilon) / 2)


def clamped_loss(epsilon):
    """The exact loss of `clamped_average` (add/remove): max(epsilon, ln 2 + epsilon/2).

    The second is reached around the middle of the bounds on {low} and {low, high}.
    Raises ValueError for a bad epsilon. Source: 004 Proposition 2.22 claims epsilon.  Notebook: 05_averages.
    """
    epsilon = arguments.positive("epsilon", epsilon)
    return max(epsilon, LN2 + epsilon / 2)


def repaired_resampling_epsilon(epsilon):
    """At this epsilon `resampling_average` is truly `epsilon`-DP (add/remove): ln((1 + e^epsilon) / 2).

    More than the epsilon/2 that `exponential_average` uses. Raises ValueError for a bad epsilon.
    Source: the inverse of `resampling_loss`.  Notebook: 05_averages.
    """
    epsilon = arguments.positive("epsilon", epsilon)
    return float(epsilon + np.log1p(np.expm1(-epsilon) / 2))


def repaired_clamped_epsilon(epsilon):
    """At this epsilon `clamped_average` is truly `epsilon`-DP (add/remove): 2 (epsilon - ln 2), at most epsilon.

    Raises ValueError for an epsilon of at most ln 2, which is the privacy loss of the exact count
    alone, however large the noise. Source: the inverse of `clamped_loss`.  Notebook: 05_averages.
    """
    if arguments.positive("epsilon", epsilon) <= LN2:
        arguments.refuse("epsilon", epsilon, f"above ln 2 = {LN2:.4f}: the exact count alone loses that")
    return float(min(epsilon, 2 * (epsilon - LN2)))


def _records(values, bounds):
    """The number of records, their sum, and the bounds."""
    low, high = arguments.interval("bounds", bounds)
    records = arguments.array("values", values, "a list of finite numbers")
    if records.ndim != 1:
        arguments.refuse("values", values, "a list of finite numbers")
    outside = records[(records < low) | (records > high)]
    if outside.size:
        arguments.refuse("values", outside[:5].tolist(), f"numbers within bounds = ({low:g}, {high:g})")
    return records.size, float(records.sum()), low, high


def _shape(size):
    return () if size is None else (arguments.whole("size", size, 1),)


def _laplace(scale, size, rng):
    return arguments.generator("rng", rng).laplace(scale=scale, size=_shape(size))


def _uniform(size, rng, low, high):
    return arguments.generator("rng", rng).uniform(low, high, _shape(size))


def _released(releases):
    return releases if np.ndim(releases) else float(releases)


def _quotient(noisy_total, noisy_count, otherwise):
    """noisy_total / noisy_count where the noisy count is above 1."""
    default = np.full(np.shape(noisy_count), otherwise)
    return _released(np.divide(noisy_total, noisy_count, out=default, where=np.greater(noisy_count, 1)))


def _cuts(cuts, low, high):
    cuts = arguments.ascending("cuts", cuts, least=2)
    if cuts[0] != low or cuts[-1] != high:
        arguments.refuse("cuts", (float(cuts[0]), float(cuts[-1])), f"from low = {low:g} to high = {high:g}")
    return cuts
