"""The book's numbers beside other people's programs: what they said is stored, the book's side is worked out again."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from tools.book import peers

ROOT = Path(__file__).parents[1]
STORED = json.loads(peers.STORED.read_text(encoding="utf-8"))
each_check = pytest.mark.parametrize("place", range(len(peers.CHECKS)), ids=[one.what for one in peers.CHECKS])


def test_there_are_sixty_settings_and_more_and_every_peer_is_asked():
    assert sum(len(check.settings) for check in peers.CHECKS) >= 60
    assert {check.peer for check in peers.CHECKS} == set(peers.PEERS) == set(STORED["versions"])
    assert len({(check.peer, check.what) for check in peers.CHECKS}) == len(peers.CHECKS)
    assert all(check.why and 0 <= check.tolerance <= 1e-5 for check in peers.CHECKS)


def test_they_were_asked_at_the_pinned_versions():
    lines = (ROOT / "constraints-peers.txt").read_text(encoding="utf-8").split()
    pins = {name.lower().replace("_", "-"): version for name, version in (line.split("==") for line in lines)}
    assert {name: pins[name] for name in peers.PEERS} == STORED["versions"]
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", STORED["date"])


@each_check
def test_no_difference_is_above_what_is_stated(place):
    check, answers = peers.CHECKS[place], STORED["answers"][place]
    assert len(answers) == len(check.settings), "run `make peers`"
    (found,) = peers.compared([check], [answers])
    assert found.largest <= check.tolerance, found


@each_check
def test_a_difference_of_a_thousandth_would_show(place):
    """Of the accountant's intervals, which are wider, one of a twentieth."""
    check, answers = peers.CHECKS[place], STORED["answers"][place]
    factor = 1.05 if check.interval else 1.001
    other = [(np.array(answer) * factor).tolist() for answer in answers]
    (found,) = peers.compared([check], [other])
    assert found.largest > check.tolerance


def test_differences():
    number = peers.CHECKS[0]
    interval = number._replace(interval=True)
    assert peers.difference(number, 1.0, 1.25) == 0.2 and peers.difference(number, [1, 2], [1, 4]) == 0.5
    assert peers.difference(interval, 1.0, [0.9, 1.1]) == 0
    assert peers.difference(interval, 1.2, [0.5, 1.0]) == pytest.approx(0.2)
    assert peers.difference(interval, 0.4, [0.5, 1.0]) == pytest.approx(0.1)
    assert peers.difference(number, math.nan, 1.0) == peers.difference(number, [1.0, 2.0], 1.0) == math.inf


def test_the_command_is_red_above_what_is_stated(capsys):
    check = peers.Check("mbi", "one", [[1.0]], lambda one: one, lambda one: one, 1e-3, "made up")
    assert peers.told([check], {"answers": [[1.0005]]}) == 0 and "above what is stated: none" in capsys.readouterr().out
    assert peers.told([check], {"answers": [[1.1]]}) == 1 and "above what is stated: one" in capsys.readouterr().out


def test_a_peer_is_asked_each_setting(monkeypatch, capsys):
    monkeypatch.setattr(peers.importlib.metadata, "version", lambda name: "1")
    check = peers.Check("mbi", "twice", [[1], [2]], abs, lambda one: 2 * one, 0.0, "made up")
    asked = peers.asked_here([check])
    assert asked["answers"] == [[2, 4]] and set(asked["versions"]) == set(peers.PEERS)
    assert "asking mbi: twice" in capsys.readouterr().err


def test_the_rows_of_the_page_are_those_of_the_answers():
    """Rounding may differ between machines, so of a difference only that it is allowed."""
    again = peers.rows(peers.CHECKS, STORED)
    assert len(again) == len(STORED["rows"])
    for check, row, stored in zip(peers.CHECKS, again, STORED["rows"], strict=True):
        assert row | {"difference": ""} == stored | {"difference": ""}
        assert stored["difference"] == "none" or 0 < float(stored["difference"]) <= check.tolerance


def test_page_23_has_a_row_for_each_peer():
    page = (ROOT / "notebooks/23_production.ipynb").read_text(encoding="utf-8")
    assert all(check.what in page for check in peers.CHECKS) and all(name in page for name in peers.PEERS)
