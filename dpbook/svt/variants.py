"""The rows of the book's Figure 7.2: where six sparse vector techniques (SVT) put their noise, and when they stop.

Neighbours, in all of SVT: two datasets between which no query's answer moves by more than `sensitivity`. Queries are
monotonic if, between neighbours, no two answers move in opposite directions (counts, when a record comes or goes).

Source: 004 sections 7.2 and 7.3.  Notebook: 14_svt.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.laplace import noise_scale


class Scales(NamedTuple):
    """Scales of the Laplace noise on the threshold, on the compared answers, and on the released answers (0: none)."""

    threshold: float
    query: float
    answer: float


@dataclass(frozen=True)
class Variant:
    """One row of the book's Figure 7.2: how an SVT shares out epsilon, how much noise goes where, and when it stops.

    epsilon_1 = threshold_share epsilon, epsilon_3 = answer_share epsilon, epsilon_2 is the rest. `query_noise` is the
    factor of sensitivity / epsilon_2 in the scale of the query noise. The last two fields go beyond the figure. One is
    for fresh noise on the answers of positives (Algorithm 18), the other for |answer + noise| against the threshold
    (section 7.2.4).
    Raises ValueError for shares that leave nothing to the queries, or fields that contradict each other.
    Source: 004 Figures 7.1 and 7.2.  Notebook: 14_svt.
    """

    name: str
    origin: str
    threshold_share: float = 1 / 2
    threshold_noise_times_cutoff: bool = False
    refreshes_threshold: bool = False
    query_noise: float = 2
    query_noise_times_cutoff: bool = True
    releases_compared_answer: bool = False
    stops_at_cutoff: bool = True
    answer_share: float = 0
    noise_inside_absolute: bool = False

    def __post_init__(self):
        arguments.probability("threshold_share", self.threshold_share)
        if not 0 <= arguments.number("answer_share", self.answer_share) < 1 - self.threshold_share:
            arguments.refuse("answer_share", self.answer_share, "from 0 to less than 1 - threshold_share")
        arguments.nonnegative("query_noise", self.query_noise)
        if self.query_noise == 0 and (self.releases_compared_answer or self.noise_inside_absolute):
            arguments.refuse("query_noise", 0, "above 0 where the noisy answer is released or made absolute")
        if self.releases_compared_answer and (self.answer_share or self.noise_inside_absolute):
            arguments.refuse("releases_compared_answer", True, "False with an answer_share or noise_inside_absolute")

    @property
    def releases_numbers(self):
        """Whether a positive comes out as a number instead of True."""
        return self.releases_compared_answer or self.answer_share > 0

    @property
    def halves_if_monotonic(self):
        """Whether monotonic queries need only half of the row's query noise (Theorem 7.7)."""
        return self.query_noise == 2 and not self.noise_inside_absolute

    def scales(self, sensitivity, cutoff, epsilon, monotonic=False):
        """The `Scales` of the noise, in the queries' unit; `monotonic` halves the noise on the compared answers.

        Raises ValueError for a sensitivity or epsilon outside (0, inf), or a cutoff not whole or below 1. It also does
        so for `monotonic` on a row that has no factor 2 to save (14 to 17, and `NOISE_INSIDE`).
        Source: 004 Figure 7.2 and Theorem 7.7.
        """
        unit = noise_scale(sensitivity, epsilon)
        cutoff = arguments.whole("cutoff", cutoff, 1)
        if arguments.flag("monotonic", monotonic) and not self.halves_if_monotonic:
            arguments.refuse("monotonic", True, f"False for {self.name}, which has no factor 2 to save")
        query_unit = unit / (1 - self.threshold_share - self.answer_share) / (2 if monotonic else 1)
        return Scales(
            threshold=unit / self.threshold_share * (cutoff if self.threshold_noise_times_cutoff else 1),
            query=query_unit * self.query_noise * (cutoff if self.query_noise_times_cutoff else 1),
            answer=unit / self.answer_share * cutoff if self.answer_share else 0.0,
        )

    def loss_bound(self, cutoff, epsilon, monotonic=False):
        """The last row of Figure 7.2, worked out from the others: the largest privacy loss, inf for no bound.

        Of any output, between two neighbours as this module has them. `monotonic` says that between two such neighbours
        no two answers move in opposite directions; a row with a factor 2 then adds half the noise. Raises ValueError as
        `scales` does. Source: 004 Theorems 7.2 to 7.7.
        """
        scales = self.scales(1, cutoff, epsilon, monotonic and self.halves_if_monotonic)
        if self.releases_compared_answer or not self.stops_at_cutoff or scales.query == 0:
            return np.inf
        rounds = cutoff if self.refreshes_threshold else 1
        moves = 1 if monotonic and not self.noise_inside_absolute else 2  # of a positive, in units of the sensitivity
        release = cutoff / scales.answer if self.answer_share else 0.0
        return rounds / scales.threshold + cutoff * moves / scales.query + release


ALG12 = Variant("Algorithm 12", "the book's own")
ALG13 = Variant("Algorithm 13", "Dwork and Roth 2014", threshold_noise_times_cutoff=True, refreshes_threshold=True)
ALG14 = Variant("Algorithm 14", "Roth 2011", query_noise=1, releases_compared_answer=True)
ALG15 = Variant("Algorithm 15", "Lee and Clifton 2014", 1 / 4, query_noise=1, query_noise_times_cutoff=False)
ALG16 = Variant("Algorithm 16", "Stoddard et al. 2014", query_noise=0, stops_at_cutoff=False)
ALG17 = Variant(
    "Algorithm 17", "Chen et al. 2015", query_noise=1, query_noise_times_cutoff=False, stops_at_cutoff=False
)
NOISE_INSIDE = Variant("noise inside | |", "Hardt and Rothblum 2010", noise_inside_absolute=True)


def alg18(epsilon1, epsilon2, epsilon3=0.0):
    """The row of the generalized Algorithm 18, epsilon-DP when run with epsilon = epsilon1 + epsilon2 + epsilon3.

    epsilon1 perturbs the threshold, epsilon2 the compared answers; epsilon3, if above 0, releases the answers of the
    positives with fresh noise. Raises ValueError unless the first two are finite and above 0, the third at least 0.
    Source: 004 section 7.3.1, Theorem 7.6.  Notebook: 14_svt.
    """
    total = arguments.positive("epsilon1", epsilon1) + arguments.positive("epsilon2", epsilon2)
    arguments.nonnegative("epsilon3", epsilon3)
    total += epsilon3
    return Variant("Algorithm 18", "the book's own", epsilon1 / total, answer_share=epsilon3 / total)


def optimal_split(epsilon, cutoff, monotonic=False):
    """(epsilon_1, epsilon_2), with sum `epsilon`, in the ratio 1 : (2 cutoff)^(2/3): a comparison's smallest noise.

    They minimise 2 threshold^2 + 2 query^2 over the scales of Algorithm 12 or 18; for monotonic queries the ratio is
    1 : cutoff^(2/3). Raises ValueError as `Variant.scales` does.
    Source: 004 section 7.3.2, Eq. (7.14), and section 7.3.3.  Notebook: 14_svt.
    """
    ALG12.scales(1, cutoff, epsilon, monotonic)  # refuses bad arguments
    ratio = (cutoff if monotonic else 2 * cutoff) ** (2 / 3)
    return epsilon / (1 + ratio), epsilon * ratio / (1 + ratio)


class Counterexample(NamedTuple):
    """Outputs and two neighbours' answers, for thresholds 0 and sensitivity 1, where a row's privacy loss is large."""

    outputs: list
    answers: np.ndarray
    neighbour_answers: np.ndarray


def counterexample(variant, cutoff, queries, monotonic=False):
    """The pair that shows a row's privacy loss, made for its flaw, with about `queries` queries: a `Counterexample`.

    No query noise: Theorem 7.5's two queries. No cutoff: Theorem 7.4's 0^2m against 1^m (-1)^m. The compared answer
    released: Theorem 7.3's 0^m 1 against 1^m 0. Otherwise 0^m 1^c against 1^m 0^c, a round at a time where the
    threshold is refreshed. As m grows, this drives a row up to its `loss_bound`, never beyond. For monotonic queries it
    is 0^m 0^c against 1^m 0^c. Raises ValueError for a cutoff that is not whole or below 1, fewer than 2 queries, or
    `monotonic` with any but the last kind. Source: 004 sections 7.2.2 and 7.2.3 (last kind).  Notebook: 14_svt.
    """
    cutoff, queries = arguments.whole("cutoff", cutoff, 1), arguments.whole("queries", queries, 2)
    flawed = variant.query_noise == 0 or not variant.stops_at_cutoff or variant.releases_compared_answer
    if flawed and monotonic:
        arguments.refuse("monotonic", monotonic, f"False for {variant.name}")
    if variant.query_noise == 0:
        return Counterexample([False, True], np.array([0, 1]), np.array([1, 0]))
    if not variant.stops_at_cutoff:
        half = queries // 2
        moved = np.repeat([1, -1], half)
        return Counterexample([False] * half + [True] * half, np.zeros(2 * half), moved)
    positives = 1 if variant.releases_compared_answer else min(cutoff, queries // 2)
    top = np.zeros(queries, dtype=bool)
    top[-positives:] = True
    if variant.refreshes_threshold:
        top = np.arange(1, queries // positives * positives + 1) % (queries // positives) == 0
    positive = 0.0 if variant.releases_compared_answer else 1.0 if variant.answer_share else True
    outputs = [positive if is_top else False for is_top in top]
    return Counterexample(outputs, np.where(top, 0 if monotonic else 1, 0), np.where(top, 0, 1))


def queries(answers, thresholds):
    """The answers and as many thresholds, as float arrays.

    Raises ValueError for answers that are not a non-empty list of finite numbers. It also does so for thresholds that
    are neither one finite number nor as many as the answers.
    """
    answers = arguments.vector("answers", answers)
    thresholds = arguments.array("thresholds", thresholds)
    if thresholds.shape not in ((), answers.shape):
        arguments.refuse("thresholds", thresholds.shape, f"one number or {answers.size} of them, one a query")
    return answers, np.broadcast_to(thresholds, answers.shape)
