"""Mechanisms that give something away, handed in: no point, or points and a flag; what neither sees is listed."""

import pathlib
import textwrap
import tomllib

import pytest

from tests.test_other_answers import FOUND
from tools.classroom.flags import branches, kept_state
from tools.classroom.jail import jailed_draws
from tools.classroom.verdicts import verdict_of

ATTACKS = tomllib.loads((pathlib.Path(__file__).parent / "attacks.toml").read_text(encoding="utf-8"))
AT_ONCE = ("sorted records", "the caller's name, read by a text", "a decorator that counts")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.depends("dpbook", "exercises", "tests/test_attacks.py", "tests/attacks.toml", "tools/classroom"),
]


def handed_in(attack):
    """The cell that is handed in."""
    answer = FOUND[attack["task"]][1].answer
    head, name = answer.split("\n")[0], attack["task"]
    before = attack.get("before", "").strip("\n")
    honest = answer.replace(f"def {name}", "def honest", 1)
    return f"{honest}\n\n\n{before}\n{head}\n{textwrap.indent(attack['code'].strip(), '    ')}\n"


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[] if one in AT_ONCE else [pytest.mark.thorough]) for one in ATTACKS]
)
def test_an_attack_gains_no_point_without_a_flag_but_where_it_is_said(name):
    attack = ATTACKS[name]
    assignment, task = FOUND[attack["task"]]
    code = handed_in(attack)
    verdict = verdict_of(assignment, task, jailed_draws(assignment.setup, code, task.name, 21), 21)
    flags = kept_state(code) + branches(code) + verdict.hint
    end = "refused" if not verdict.right else "flagged" if flags else "unseen"
    assert end == attack["end"], (verdict, flags)
    assert not verdict.line.startswith("not yet: ")


def test_there_are_enough_and_what_is_not_seen_has_a_reason():
    ends = [attack["end"] for attack in ATTACKS.values()]
    assert len(ends) > 25 and ends.count("refused") > 15
    for attack in ATTACKS.values():
        assert (attack["end"] == "unseen") == (len(attack.get("why", "")) > 40)
