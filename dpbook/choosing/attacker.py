"""What an attacker gains from a release: chances of a right guess, in numbers and in a paragraph for the people.

The attacker knows all other records, and wonders which of two neighbours is the real one: with you or without you.
Whatever follows holds for any release that keeps the guarantee, and some release reaches it.
Source: 004 chapter 3 for pure epsilon; with delta our own, from the region of chapter 24.  Notebook: 27_choosing.
"""

import math

from scipy.special import expit

from dpbook import arguments
from dpbook.gaussian import Promise, group_promise


def guess_chance(prior, epsilon, delta):
    """With what probability the best guess after the release is right, at most: for a belief of `prior` before it.

    Before the release the best guess is right with probability max(prior, 1 - prior). The best tests of an (epsilon,
    delta) guarantee have the corners of its region for their errors, so it is the largest of three numbers. Raises
    ValueError for a prior outside [0, 1], an epsilon that is not a finite number above 0, or a delta outside [0, 1).
    Source: Kairouz, Oh and Viswanath 2015, the region of the two errors; Bayes.  Notebook: 27_choosing.
    """
    prior, epsilon = arguments.share("prior", prior), arguments.positive("epsilon", epsilon)
    delta = arguments.share_below_one("delta", delta)
    both_errors = (1 - delta) * float(expit(-epsilon))  # of the test that is as often wrong either way
    return max(1 - both_errors, prior + delta * (1 - prior), 1 - prior + delta * prior)


def advantage(epsilon, delta):
    """By how much "it is you" can be likelier with you than without you, at most: hits minus false alarms.

    (e^epsilon - 1 + 2 delta) / (e^epsilon + 1), the largest total variation distance of two neighbours' releases.
    Raises ValueError for an epsilon that is not a finite number above 0, or a delta outside [0, 1).
    Source: `meaning.largest_distance`, with delta.  Notebook: 27_choosing.
    """
    even, delta = math.tanh(arguments.positive("epsilon", epsilon) / 2), arguments.share_below_one("delta", delta)
    return even + delta * (1 - even)


def largest_belief(prior, epsilon):
    """The most that somebody who believed with probability `prior` that you are in can believe after the release.

    For pure epsilon: odds grow by at most e^epsilon. With a delta there is no such bound for every release, only for
    most. Raises ValueError for a prior not strictly between 0 and 1, or an epsilon that is not a finite number above 0.
    Source: 004 section 3.2.6.  Notebook: 27_choosing.
    """
    prior, epsilon = arguments.probability("prior", prior), arguments.positive("epsilon", epsilon)
    return float(expit(math.log(prior) - math.log1p(-prior) + epsilon))


def told_to_people(epsilon, delta, *, unit, releases=1, family=1, rare=0.01):
    """The guarantee in words that need no formula: a text of a few sentences, with this guarantee's numbers in it.

    `unit` says what one person gives ("everything that you told us", "one day of your data"). `releases` is how many
    such releases there will be of the same data: their epsilons and deltas add up. `family` is how many people whose
    data say the same about you; `rare` a belief held before. Says what is not guaranteed, too.
    Raises ValueError as `guess_chance` and `largest_belief`, for a unit that is not a text, or releases or a family not
    whole or below 1.
    Source: our own words.  Notebook: 27_choosing.
    """
    if not isinstance(unit, str) or not unit.strip():
        arguments.refuse("unit", unit, "a text that says what of a person is protected")
    releases, family = arguments.whole("releases", releases, 1), arguments.whole("family", family, 1)
    whole, slack = epsilon * releases, min(delta * releases, 1.0)
    sentences = [
        f"We add random noise to what we publish, so that {unit} can hardly be seen in it.",
        f"Suppose that somebody knows everything about everybody else, and only wonders whether you took part. "
        f"Tossing a coin, they are right 50 times in 100. With what we publish, they are right at most "
        f"{_in_hundred(_even_chance(whole, slack))} times in 100.",
    ]
    if not delta:
        sentences.append(
            f"Somebody who believed it with {100 * rare:.3g}% before can come to believe it with at most "
            f"{_in_hundred(largest_belief(rare, whole))}%."
        )
    else:
        sentences.append(
            f"That counts what may go wrong: a part of {slack:.2g} of the chances is covered by no smaller promise."
        )
    if releases > 1:
        sentences.append(
            f"That is for all {releases} releases together; for one alone it would be "
            f"{_in_hundred(guess_chance(0.5, epsilon, delta))}."
        )
    if family > 1:
        group = group_promise(family, whole, slack) if slack < 1 else Promise(whole, slack)
        sentences.append(
            f"What {family} people tell together (a household that answers alike) is protected less: "
            f"{_in_hundred(_even_chance(group.epsilon, group.delta))} times in 100."
        )
    sentences.append(
        "What the numbers say about people like you (where you live, your age, your illness) becomes known whether or "
        "not you take part; no noise that leaves the numbers useful can hide it."
    )
    return " ".join(sentences)


def _even_chance(epsilon, delta):
    """`guess_chance` after the toss of a coin: 1 where delta is all there is."""
    return guess_chance(0.5, epsilon, delta) if delta < 1 else 1.0


def _in_hundred(chance):
    """A probability in hundredths, rounded up and never to all of them: "73", "99.2", "99.999"."""
    for decimals in range(12):
        shown = math.ceil(chance * 100 * 10**decimals - 1e-9) / 10**decimals
        if shown < 100 and (shown <= 99 or 100 - shown >= (100 - 100 * chance) / 2):
            return f"{shown:.{decimals}f}"
    return "100"
