"""The claims of chapter 14: each row of the book's Figure 7.2 on the pair that is made for its flaw; two selections.

The loss is that of one output, from its exact probability. The program is compared with the same formula on short
streams. All their outputs are told apart, released numbers by the cells they fall into.
"""

import functools
import itertools

import numpy as np
from scipy import integrate

from dpbook import svt
from dpbook.audit import yes_no_patterns
from dpbook.claims.trial import Trial, among
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim, called
from dpbook.neighbours import ADD_REMOVE, ANSWERS

CHAPTER = "14"
# Short streams, all of whose outputs are counted: far from the threshold, where epsilon shows most in the fewest runs.
STOPPED, ENDLESS = np.array([-16.0, -12, -8, -6, -4, -3, -2, -1, 0, 4]), np.full(8, -6.0)
ONE = np.array([1.0])  # one query, the number released for it counted in cells
CELLS = np.array([-60.0, -20, -8, -3, 0, 1, 4, 12, 60])  # the density has kinks at 0 and 1


def claims():
    """The rows of chapter 14."""
    four = [(np.array([0.0, 0, 20, 20]), np.array([1.0, 1, 19, 19]))]
    keeps = svt.ALG15.loss_bound(2, 1.0)
    numbers = {"of": svt.generalized_sparse_vector}
    selection, retraversal = svt.exponential_selection, svt.retraversal_selection
    loop = svt.plain_retraversal_selection
    return [
        row(svt.ALG12, "Algorithm 12"),
        row(svt.ALG12, "Algorithm 12, monotonic", monotonic=True),
        row(svt.ALG12, "the loop of the page", of=svt.plain_sparse_vector),
        row(svt.ALG13, "Algorithm 13 (Dwork, Roth)"),
        row(svt.ALG14, "Algorithm 14 (Roth)", false=True),
        row(svt.ALG15, "Algorithm 15 (Lee, Clifton)", false=True),
        row(svt.ALG15, "Algorithm 15, what it keeps", epsilon=keeps, at=1.0),
        row(svt.ALG16, "Algorithm 16 (Stoddard et al.)", false=True),
        row(svt.ALG17, "Algorithm 17 (Chen et al.)", false=True),
        row(svt.NOISE_INSIDE, "noise inside | | (004 7.2.4)", start=200),
        row(svt.alg18(0.2, 0.5, 0.3), "Algorithm 18, with numbers", **numbers),
        Claim(
            retraversal, "one of three, epsilon 4", ANSWERS, BY_LAW, called(retraversal, 1.0, 1, 1), RETRAVERSED, 4.0,
            law=retraversal_law(1), trial=selection_trial(1),
        ),
        Claim(
            loop, "the loop of the page", ANSWERS, BY_LAW, called(loop, 1.0, 1, 1), RETRAVERSED, 4.0,
            law=retraversal_law(1), trial=selection_trial(1),
        ),
        Claim(
            retraversal, "two of three, epsilon 4", ANSWERS, BY_LAW, called(retraversal, 1.0, 1, 2), RETRAVERSED, 4.0,
            law=retraversal_law(2), trial=selection_trial(2),
        ),
        Claim(
            selection, "two of four", ANSWERS, BY_STEPS, called(selection, 1, 2), four, loses=selection_loss(four[0])
        ),
    ]  # fmt: skip


def row(variant, setting, of=svt.sparse_vector, *, monotonic=False, start=0, **rest):
    """A row of the figure: its counterexample, told from all other outputs; its program on short streams."""
    outputs, answers, neighbour = svt.counterexample(variant, 2, 200, monotonic)

    def law(answers, epsilon):
        log = svt.log_output_probability(outputs, answers, start, 1, 2, epsilon, variant, monotonic)
        return [log] if variant.releases_numbers else [log, np.log1p(-np.exp(log))]

    def run(answers, epsilon, rng):
        if of is svt.generalized_sparse_vector:
            shares = variant.threshold_share, 1 - variant.threshold_share - variant.answer_share, variant.answer_share
            return of(answers, start, 1, 2, [share * epsilon for share in shares], rng, monotonic=monotonic)
        return of(answers, start, 1, 2, epsilon, rng, variant=variant, monotonic=monotonic)

    trial = number_trial(variant) if variant.releases_numbers else pattern_trial(variant, start, monotonic)
    relation = ADD_REMOVE if monotonic else ANSWERS
    pairs = [(answers + start, neighbour + start)]
    return Claim(of, setting, relation, BY_LAW, run, pairs, law=law, trial=trial, **rest)


def pattern_trial(variant, start, monotonic):
    """All yes-and-no patterns of a short stream."""
    stream = STOPPED if variant.stops_at_cutoff else ENDLESS
    patterns = yes_no_patterns(stream.size, 2 if variant.stops_at_cutoff else stream.size)

    def law(answers, epsilon):
        rest = (answers, start, 1, 2, epsilon, variant, monotonic)
        return [svt.log_output_probability(pattern, *rest) for pattern in patterns]

    return Trial(law, among(patterns), [stream + start])


def number_trial(variant):
    """One query: below, or a number in one of the cells; the density of the number is integrated over the cell."""
    places, weights = np.polynomial.legendre.leggauss(16)

    def law(answers, epsilon):
        def log_density(output):
            return svt.log_output_probability([output], answers, 0, 1, 2, epsilon, variant)

        def mass(low, high):
            inside = (low + high) / 2 + (high - low) / 2 * places
            return (high - low) / 2 * weights @ np.exp([log_density(float(number)) for number in inside])

        return np.append(log_density(False), np.log([mass(*ends) for ends in itertools.pairwise(CELLS)]))

    def place(outputs):
        return [_place(*output) if len(output) == 1 else -1 for output in outputs]

    return Trial(law, place, [ONE])


def _place(answer):
    """0 for "below"; 1, 2, ... for the cells of a number, and one more outside them all; -1 for "above" alone."""
    if isinstance(answer, bool | np.bool_):
        return -1 if answer else 0
    return int(np.searchsorted(CELLS, float(answer), side="right")) or CELLS.size


RETRAVERSED = [(np.array([0.0, 0.0, 1.0]), np.array([1.0, 1.0, 0.0]))]


def selection_trial(cutoff):
    """All ordered selections of `cutoff` out of three queries."""
    ways = [[*way] for way in itertools.permutations(range(3), cutoff)]
    return Trial(retraversal_law(cutoff), among(ways), [RETRAVERSED[0][0]])


@functools.cache
def retraversal_law(cutoff):
    """ln of the probability of each ordered selection, integrated over the threshold's noise.

    Given that noise, the next selected is the first positive of rounds that never end, from the place of the last on.
    """

    def chance(way, above):
        """Of one selection, if each query is positive with its probability `above` at each visit."""
        start, left, product = 0, list(range(above.size)), 1.0
        for chosen in way:
            order = sorted(left, key=lambda query: (query < start, query))
            before = order[: order.index(chosen)]
            product *= above[chosen] * np.prod(1 - above[before]) / (1 - np.prod(1 - above[left]))
            left.remove(chosen)
            start = chosen
        return product

    def law(answers, epsilon):
        scales = svt.ALG12.scales(1, cutoff, epsilon)

        def density(shift, way):
            above = -np.expm1(svt.log_cdf((1.0 + shift - answers) / scales.query))
            return chance(way, above) * np.exp(svt.log_density(shift, scales.threshold))

        reach = 40 * scales.threshold
        ways = itertools.permutations(range(answers.size), cutoff)
        return np.log([
            integrate.quad(density, -reach, reach, (way,), points=[-1, 0, 1], limit=500)[0] for way in ways
        ])  # fmt: skip

    return law


def selection_loss(pair):
    """What two selections lose on four queries, half of epsilon for each: the worst ordered pair of them."""

    def log_law(answers):
        weights = np.exp(0.25 * answers)
        first = weights / weights.sum()
        return np.log([
            [first[i] * weights[j] / np.delete(weights, i).sum() for j in range(4) if j != i] for i in range(4)
        ])  # fmt: skip

    return float(np.abs(log_law(pair[0]) - log_law(pair[1])).max())
