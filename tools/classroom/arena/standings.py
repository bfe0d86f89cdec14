"""Who stands where: the mechanisms by their error, those that were struck after the others, with the finder's name."""

from dataclasses import dataclass

import numpy as np

STUDENT = "student"


@dataclass(frozen=True)
class Standing:
    """A mechanism on the board: its number, its error and that one's standard error, what struck it, or why it is out.

    `strikes` lists the numbers of the attacks that were certified, the finder's first.
    """

    number: int
    error: float | None
    deviation: float | None
    strikes: tuple
    trouble: str = ""


def standings(outcome):
    """A `Standing` for each mechanism: those that stand, those that are struck, those that are out; each by error."""
    found = [_standing(outcome, number) for number in range(len(outcome.mechanisms))]
    return sorted(
        found, key=lambda one: (bool(one.trouble), bool(one.strikes), one.error, outcome.mechanisms[one.number].name)
    )


def _standing(outcome, number):
    trouble = outcome.tries[number]
    parts = [part for (mechanism, _), part in sorted(outcome.errors.items()) if mechanism == number]
    matches = {attack: match for (mechanism, attack), match in sorted(outcome.matches.items()) if mechanism == number}
    trouble = trouble or next((part["trouble"] for part in parts if "trouble" in part), "")
    for attack, match in matches.items():
        if match.get("whose") == "mechanism":
            trouble = trouble or f"on the data of {outcome.attacks[attack].name}: {match['trouble']}"
    if trouble:
        return Standing(number, np.inf, None, (), trouble)
    error = float(np.mean([part["error"] for part in parts]))
    deviation = float(np.sqrt(np.sum([part["deviation"] ** 2 for part in parts])) / len(parts))
    struck = [attack for attack, match in matches.items() if match.get("struck")]
    return Standing(
        number, error, deviation, tuple(sorted(struck, key=lambda attack: _credit(outcome, number, attack)))
    )


def _credit(outcome, mechanism, attack):
    """In which order attacks are named as finders: other students' first, then the author's own, then the house's."""
    finder, author = outcome.attacks[attack], outcome.mechanisms[mechanism]
    whose = 2 if finder.kind != STUDENT else 1 if finder.name == author.name else 0
    return whose, -outcome.matches[mechanism, attack]["epsilon"], finder.name


def attack_troubles(outcome, attack):
    """Why an attack did not play, or against whom it failed, in words; "" if it always played."""
    if "trouble" in outcome.pairs[attack]:
        return outcome.pairs[attack]["trouble"]
    failed = {
        match["trouble"]: outcome.mechanisms[mechanism].name
        for (mechanism, number), match in sorted(outcome.matches.items())
        if number == attack and match.get("whose") == "attack"
    }
    return "; ".join(f"against {name}: {words}" for words, name in failed.items())
