"""The claims of chapter 05: three of the six averages claim more than they keep; two of these can be repaired."""

import numpy as np

from dpbook import averages
from dpbook.claims.trial import Trial, between
from dpbook.claims.verdicts import BY_LAW, BY_STEPS, Claim, called, many
from dpbook.laplace import laplace_probability
from dpbook.neighbours import ADD_REMOVE, REPLACE, add_record, record_pairs, replace_record

CHAPTER = "05"
UNIT, CUTS, COARSE = (0.0, 1.0), np.linspace(0, 1, 2001), np.linspace(0, 1, 101)
TEN = np.zeros(10)


def claims():
    """The rows of chapter 05."""
    zeros = [(np.zeros(count), np.append(np.zeros(count), 1)) for count in (0, 1, 10, 40)]
    small = [([], [value]) for value in (0.0, 0.5, 1.0)] + record_pairs(add_record, (0, 0.5, 1), 3)
    near, off = record_pairs(add_record, (-1, 0, 1), 3), record_pairs(add_record, (36.0, 42.0), 3)

    def row(mechanism, setting, run, law, trial_law, place, pairs=zeros, **rest):
        trial = Trial(trial_law, place, [*pairs[0], TEN] if pairs is zeros else list(pairs[-1]))
        return Claim(mechanism, setting, ADD_REMOVE, BY_LAW, run, pairs, law=law, trial=trial, **rest)

    def redrawn(mechanism, setting, at, **rest):
        """A row of the resampling average, or of what is one: its law at `at(epsilon)`."""

        def law(cuts):
            return lambda values, epsilon: logs(averages.resampling_law(values, UNIT, cuts, at(epsilon)))

        return row(mechanism, setting, law=law(CUTS), trial_law=law(COARSE), place=cell, **rest)

    def cut(setting, at, **rest):
        """A row of the clamped average: its law at `at(epsilon)`, an atom at either end."""

        def law(cuts):
            return lambda values, epsilon: logs(averages.clamped_law(values, UNIT, cuts, at(epsilon)))

        return row(averages.clamped_average, setting, law=law(CUTS), trial_law=law(COARSE), place=cell_or_end, **rest)

    def at_repaired(mechanism, repaired):
        return lambda values, epsilon, rng, size: mechanism(values, UNIT, repaired(epsilon), rng, size=size)

    public = called(averages.clipped_average, UNIT)
    clipped = record_pairs(replace_record, (-5.0, 0.0, 0.5, 1.0, 99.0), 3)
    simple, centred, resampled = averages.simple_average, averages.centred_average, averages.resampling_average
    pinq, mended = "PINQ's average (004 Alg. 2)", averages.repaired_resampling_epsilon
    mended_cut = averages.repaired_clamped_epsilon
    return [
        Claim(averages.clipped_average, "n public, values clipped", REPLACE, BY_STEPS, public, clipped),
        Claim(
            simple, "bounds -1 and 1", ADD_REMOVE, BY_STEPS, called(simple, (-1, 1)), near,
            loses=averages.simple_loss((-1, 1), 1.0),
        ),
        row(
            simple, "bounds 36 and 42 (004 Alg. 1)", many(simple, (36, 42)), above_law, above_law, is_above,
            [([], [42])], false=True, loses=averages.simple_loss((36, 42), 1.0),
        ),
        Claim(centred, "bounds 36 and 42", ADD_REMOVE, BY_STEPS, called(centred, (36.0, 42.0)), off),
        redrawn(resampled, pinq, float, run=many(resampled, UNIT), false=True),
        redrawn(
            averages.redrawn_average, "the loop of the page", float,
            run=called(averages.redrawn_average, UNIT), false=True, pairs=zeros[1:],
        ),
        redrawn(resampled, "repaired", mended, run=at_repaired(resampled, mended)),
        redrawn(
            averages.exponential_average, "bounds 0 and 1", lambda epsilon: epsilon / 2,
            run=many(averages.exponential_average, UNIT),
        ),
        cut("004 Proposition 2.22", float, run=many(averages.clamped_average, UNIT), false=True),
        cut("repaired", mended_cut, run=at_repaired(averages.clamped_average, mended_cut)),
        row(
            averages.median_average, "20 ranges", many(averages.median_average, UNIT, ranges=20), median_law,
            median_law, between(np.linspace(0, 1, 21)), small,
        ),
    ]  # fmt: skip


def above_law(values, epsilon):
    """No record, or one at 42: is the release above 42, the middle (a noisy count of at most 1), or another number?

    Above it is where the count's noise passes 1 - n, and the sum's 42 times that.
    """
    log_above = -(1 - len(values)) * epsilon / 2 * (1 + 42 / 6) - np.log(4 * 8)
    middle = laplace_probability(-np.inf, 1, len(values), 1, epsilon / 2)
    return np.log([np.exp(log_above), middle, 1 - middle - np.exp(log_above)])


def is_above(outputs):
    """Which of the three events of `above_law` each release is."""
    return np.where(outputs > 42, 0, np.where(outputs == 39, 1, 2))


def median_law(values, epsilon):
    """The release of the median is in each of its 20 ranges."""
    return logs(averages.median_law(values, UNIT, epsilon, ranges=20))


def logs(law):
    """The natural logs of the probabilities of a `Law`."""
    return np.log(law.probabilities)


cell = between(COARSE)


def cell_or_end(outputs):
    """Which event of the clamped law each release is: an end, or a cell between them; -1 for a number beyond."""
    places = cell(outputs)
    return np.select([outputs == 0, outputs == 1, places < 0], [0, COARSE.size, -1], 1 + places)
