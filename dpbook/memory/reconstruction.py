"""Records from published numbers: tables of 0 and 1 by linear programming, a census block by search.

Attacks: nothing here is private. Source: beyond the seeds; Dinur, Nissim 2003; Dwork, McSherry, Talwar 2007; Garfinkel,
Abowd, Martindale 2019.  Notebook: 31_memory.
"""

import collections
import itertools

import numpy as np
import scipy.optimize

from dpbook import arguments

TRIOS = ("white", "male", "black female")
GROUPS = (*TRIOS, "all", "female", "black", "married")


def linear_decoding(queries, answers):
    """The fractions from 0 to 1 whose subset sums come closest to the answers: least sum of |Q x - answers|. An attack.

    `queries` is a table of 0 and 1, a row a subset; `answers` one number a row. A few answers may be any lie. Rounded,
    the fractions are a guess at everybody's bit.
    Raises ValueError for queries or answers that are not finite, or unlike numbers of them.
    Source: Dwork, McSherry, Talwar 2007.  Notebook: 31_memory.
    """
    queries = arguments.table("queries", queries)
    answers = arguments.of_length("answers", answers, len(queries))
    rows, people = queries.shape
    above = np.hstack([queries, -np.eye(rows)])  # Q x - answers <= error, and the other way round
    below = np.hstack([-queries, -np.eye(rows)])
    found = scipy.optimize.linprog(
        np.append(np.zeros(people), np.ones(rows)),
        A_ub=np.vstack([above, below]),
        b_ub=np.append(answers, -answers),
        bounds=[(0, 1)] * people + [(0, None)] * rows,
        method="highs",
    )
    return np.clip(found.x[:people], 0, 1)


def consistent_blocks(published, *, oldest=115):
    """All blocks of people that fit published statistics: a list of tables, each sorted. An attack by plain search.

    `published` maps a group to (count, median, sum) of its ages; median and sum are None where the count alone is
    known. The trios "white", "male" and "black female" (three people each) and the count of "all" are needed;
    "female", "black" and "married" are used if there. A person is (age, "F" or "M", "B" or "W", married); married is
    None if nothing of it is published. Ages are whole years from 0 to `oldest`.
    Raises ValueError for unknown or missing groups, a trio of another count or without its numbers, contradictory
    counts, or an `oldest` below 0.
    Source: Garfinkel, Abowd, Martindale 2019.  Notebook: 31_memory.
    """
    oldest, both = arguments.whole("oldest", oldest, 0), _white_men(published)
    white, male = (_by_part(_triples(published[trio], oldest), both) for trio in ("white", "male"))
    blocks = []
    for shared in sorted(white.keys() & male.keys()):
        for women, men in itertools.product(white[shared], male[shared]):
            known = [*_people(shared, "MW"), *_people(women, "FW"), *_people(men, "MB")]
            for trio in _triples(published["black female"], oldest):
                blocks += _married(sorted(known + _people(trio, "FB")), published)
    return sorted(blocks, key=str)


def _white_men(published):
    """How many white men there must be, the counts being what they are."""
    missing = [group for group in (*TRIOS, "all") if group not in published]
    if missing or not set(published) <= set(GROUPS):
        arguments.refuse("published", sorted(published), ", ".join(GROUPS) + ": the first four and any others")
    for trio in TRIOS:
        if published[trio][0] != 3 or None in published[trio]:
            arguments.refuse("published", f"{trio}: {published[trio]}", "a count of 3, a median, a sum for each trio")
    both = 9 - arguments.whole("published all", published["all"][0], 0)
    counts = {"female": 6 - both, "black": 6 - both}
    wrong = [group for group in counts if group in published and published[group][0] != counts[group]]
    if not 0 <= both <= 3 or wrong:
        arguments.refuse("published", {group: published[group][0] for group in published}, "counts that fit together")
    return both


def _triples(published, oldest):
    """The triples of ages, ascending, with this median and sum."""
    _, median, total = published
    pairs = ((low, total - median - low) for low in range(min(median, oldest) + 1))
    return [(low, median, high) for low, high in pairs if median <= high <= oldest]


def _by_part(triples, size):
    """For each part of so many ages: the rests of the triples that hold it."""
    rests = collections.defaultdict(set)
    for triple in triples:
        for places in itertools.combinations(range(3), size):
            rest = tuple(age for place, age in enumerate(triple) if place not in places)
            rests[tuple(triple[place] for place in places)].add(rest)
    return rests


def _people(ages, kind):
    return [(age, *kind) for age in ages]


def _married(people, published):
    """The block as it is, or once for each set of married people that fits; nothing if another statistic does not."""
    parts = {"all": people, "female": [one for one in people if one[1] == "F"]}
    parts["black"] = [one for one in people if one[2] == "B"]
    if not all(_fits(part, published.get(group)) for group, part in parts.items()):
        return []
    if "married" not in published:
        return [tuple((*one, None) for one in people)]
    places = itertools.combinations(range(len(people)), published["married"][0])
    fitting = [chosen for chosen in places if _fits([people[place] for place in chosen], published["married"])]
    return sorted({tuple(sorted((*one, place in chosen) for place, one in enumerate(people))) for chosen in fitting})


def _fits(people, published):
    """Whether these people have the published median and sum of ages."""
    _, median, total = published or (None, None, None)
    ages = [one[0] for one in people]
    return (total is None or sum(ages) == total) and (median is None or np.median(ages) == median)
