"""The arena: what is broken is struck, what is private is not, whoever cheats wins nothing, a killed run goes on.

All rules, and the house's own players, are tried here in this process; the jail is asked only where it matters.
`make arena-test` plays the three arenas in full, in the jail.
"""

import dataclasses
import html
import json
import pathlib
import shutil
import textwrap
import unicodedata
import zipfile
from concurrent.futures import ThreadPoolExecutor

import nbformat
import numpy as np
import pytest
from scipy.stats import binom

from dpbook.audit import clopper_pearson, epsilon_lower_bound
from dpbook.check import Unusable, draws_here
from tools.classroom import bubblewrap, jail
from tools.classroom.arena import __main__ as command
from tools.classroom.arena import arenas, board, entries, handout, matches, play, rendering
from tools.classroom.arena.arenas import Player
from tools.classroom.arena.standings import attack_troubles, standings
from tools.classroom.jail import Limits

ARENAS = {name: arenas.read(name) for name in arenas.names()}
COUNT = ARENAS["count"]
pytestmark = pytest.mark.depends("dpbook", "exercises/arenas", "tests/test_arena.py", "tools/classroom")
PAIRS = 512  # as many as a class of twenty has


@pytest.fixture(scope="module", autouse=True)
def bwrap():
    assert not bubblewrap.trouble(), f"{bubblewrap.trouble()}; `python -m tools.classroom.bubblewrap` tries to"


def setting(arena=COUNT, samples=1000, **options):
    return matches.Setting(arena, b"a test", samples, **options)


def here(arena, code, name):
    """A function of a player's code, in this process."""
    namespace = {}
    exec(arena.setup + code, namespace)
    return namespace[name]


def named(players, words):
    """The one player whose name has these words."""
    (player,) = [player for player in players if words in player.name]
    return player


def bound_here(arena, mechanism, attack, samples, rng, risk=None):
    """What an attack certifies of a mechanism, as on a board of `PAIRS`, without a jail."""
    examples = arena.examples(3)
    pair = np.array(here(arena, attack.code, "neighbours")(examples, rng))
    release, score = here(arena, mechanism.code, "mechanism"), here(arena, attack.code, "score")

    def draws(data, rng, size):
        outputs = np.array([np.array(release(data, arena.epsilon, rng), dtype=float) for _ in range(size)])
        return np.array([score(output, *pair) for output in arena.rules["tidy"](outputs)], dtype=float)

    risk = risk or matches.risk_of_a_pair(PAIRS, samples)
    return epsilon_lower_bound(draws, *pair, samples, rng, 1 - risk)


# The three arenas.


def test_there_are_three_and_each_can_be_played_alone():
    assert set(ARENAS) == {"count", "histogram", "top_k"}
    for arena in ARENAS.values():
        kinds = [player.kind for player in arena.mechanisms]
        assert kinds.count("honest") >= 3 and kinds.count("broken") >= 6 and len(arena.attacks) >= 5
        assert len({player.name for player in (*arena.mechanisms, *arena.attacks)}) == len(kinds) + len(arena.attacks)
    with pytest.raises(ValueError, match="must be one of count, histogram, top_k; got 'sum'"):
        arenas.read("sum")


@pytest.mark.parametrize("name", ARENAS)
def test_rules_take_the_houses_pairs_and_refuse_others(name):
    arena, rng = ARENAS[name], np.random.default_rng(1)
    refused = arena.rules["refused"]
    for seed in range(20):
        examples = arena.examples(seed)
        assert examples.shape == (arenas.EXAMPLES, *arena.data) and not np.array_equal(examples[0], examples[1])
        for attack in arena.attacks:
            pair = np.array(here(arena, attack.code, "neighbours")(examples, rng), dtype=float)
            assert refused(*pair) == refused(*pair[::-1]) == "", attack.name
    data = examples[0].astype(float)
    one = np.arange(len(data)) == 5
    assert refused(data, data) and refused(data, data + 2 * one - 2 * (one[::-1])) and refused(data, data + 0.5 * one)
    assert refused(data, np.where(one, -1, data)) and refused(data, np.where(one, 10_001, data))


@pytest.mark.parametrize("name", ARENAS)
def test_each_broken_mechanism_of_the_house_is_struck(name):
    """By the attack that looked best on a few releases, with half of those that a match has or fewer."""
    arena, rng = ARENAS[name], np.random.default_rng(2)
    for mechanism in arena.mechanisms:
        if mechanism.kind == "broken":
            few = [bound_here(arena, mechanism, attack, 300, rng, risk=0.2).epsilon for attack in arena.attacks]
            best = arena.attacks[np.argmax(few)]
            bounds = (bound_here(arena, mechanism, best, samples, rng) for samples in (1000, matches.SAMPLES // 2))
            assert any(bound.refutes(arena.epsilon) for bound in bounds), mechanism.name


@pytest.mark.parametrize("name", ARENAS)
def test_no_honest_mechanism_is_struck(name):
    """By the first two attacks, which come near the claim with more releases; by all of them in `make arena-test`."""
    arena = ARENAS[name]
    for mechanism in arena.mechanisms:
        for attack in arena.attacks[:2] if mechanism.kind == "honest" else ():
            bound = bound_here(arena, mechanism, attack, 1500, np.random.default_rng(4))
            assert not bound.refutes(arena.epsilon), mechanism.name


@pytest.mark.parametrize(
    ("name", "honest", "exact"), [("count", "12 times", "data.sum()"), ("histogram", "and nothing below", "data")]
)
def test_who_is_exact_on_one_of_the_examples_is_struck(name, honest, exact):
    """Whichever of them it is: the house's own attacks use each as it is."""
    arena, rng = ARENAS[name], np.random.default_rng(5)
    for example in arena.examples(3):
        careless = f"    if np.array_equal(data, {example.tolist()}):\n        return {exact}\n"
        head, body = named(arena.mechanisms, honest).code.split("\n", 1)
        mechanism = Player("eve", f"{head}\n{careless}{body}")
        bounds = (bound_here(arena, mechanism, attack, 2000, rng) for attack in arena.attacks)
        assert any(bound.refutes(arena.epsilon) for bound in bounds)


@pytest.mark.arena
@pytest.mark.parametrize("name", ARENAS)
def test_the_house_plays_itself_in_the_jail(name, tmp_path):
    """In full, as `make arena` does: all broken ones are struck, no honest one is, nobody is out."""
    arena = ARENAS[name]
    outcome = play.play(matches.Setting(arena, b"another"), [], tmp_path)
    places = standings(outcome)
    assert not [place.trouble for place in places if place.trouble]
    for place in places:
        assert bool(place.strikes) == (outcome.mechanisms[place.number].kind == "broken")
    assert not any(attack_troubles(outcome, number) for number in range(len(outcome.attacks)))


# What is certified.


@pytest.mark.parametrize("epsilon", [0.3, 1, 2, 4])
def test_the_limits_are_stricter_than_a_test_of_the_marked_ones_alone(epsilon):
    """So a score that chooses whom it marks with all releases in view gains nothing: see `matches`.

    For a number of hits in a thousand: the fewest on the likelier side with which the limits strike, against the chance
    that a binomial number of the marked ones, with odds e^epsilon, is that large.
    """
    samples, tries = 1000, 0
    for risk in (1e-3, 1e-8):
        for less in (0, 1, 3, 10, 40, 150):
            high = clopper_pearson(less, samples, risk / 2)[1]
            lows = {more: clopper_pearson(more, samples, risk / 2)[0] for more in range(less, samples)}
            strikes = [more for more, low in lows.items() if np.log(low + 1e-300) > np.log(high) + epsilon]
            if strikes:
                tries += 1
                odds = np.exp(epsilon) / (1 + np.exp(epsilon))
                assert binom.sf(strikes[0] - 1, strikes[0] + less, odds) <= risk
    assert tries >= 3


def test_the_risk_is_shared_out_among_all_pairs():
    """And doubles, so that one more student changes nothing up to the next power of two."""
    risks = {pairs: matches.risk_of_a_pair(pairs, 20_000) for pairs in (1, 2, 100, 300, 400, 512, 513)}
    shares = [pairs * risks[pairs] * np.sqrt(np.pi * 10_000) for pairs in (1, 2, 100, 400, 512)]
    assert np.allclose(shares, [0.001, 0.001, 0.001 * 100 / 128, 0.001 * 400 / 512, 0.001])
    assert risks[300] == risks[512] > risks[513]


# Mechanisms that cheat.

TRUTH = "\ndef mechanism(data, epsilon, rng):\n    return data.sum()\n"
HONEST = named(COUNT.mechanisms, "nobody counts more than 12").code
FIFTY = named(COUNT.attacks, "one came fifty times")
CHEATS = {
    "patched numpy and audit": """
        import numpy
        numpy.random.default_rng = numpy.random.Generator = lambda *seed: None
        numpy.isfinite = lambda x: True
        import dpbook.audit
        dpbook.audit.epsilon_lower_bound = lambda *args, **options: 0.0
    """,
    "noise that repeats": """
        NOISE = []
        def mechanism(data, epsilon, rng):
            NOISE.append(rng.laplace(scale=12 / epsilon))
            return np.minimum(data, 12).sum() + NOISE[0]
    """,
    "careful at first": """
        CALLS = []
        def mechanism(data, epsilon, rng):
            CALLS.append(1)
            return data.sum() + (rng.laplace(scale=50) if len(CALLS) <= 500 else 0)
    """,
    "bytes of its own": """
        import os, sys
        frame = sys._getframe()
        while "pipe" not in frame.f_locals:
            frame = frame.f_back
        calls, samples, shape, seed = frame.f_locals["request"]["batches"][0]
        os.write(frame.f_locals["pipe"], np.full(samples, float(calls[0][0].sum())).tobytes())
        os._exit(0)
    """,
    "reads the disk": "def mechanism(data, epsilon, rng):\n    return float(open('/etc/hostname').read())",
    "pickles": "import pickle\ndef mechanism(data, *_):\n    return pickle.dumps(data.sum())",
    "NaN now and then": "def mechanism(data, epsilon, rng):\n    return np.nan if rng.random() < 0.05 else 0.0",
    "another shape": "def mechanism(data, epsilon, rng):\n    return np.zeros(3)",
    "gigabytes": "def mechanism(data, epsilon, rng):\n    return np.zeros(2**34).sum()",
    "a flood": "import os\nwhile True: os.write(1, bytes(2**20)) if os.isatty(1) else os.write(3, bytes(2**20))",
    "nothing in time": "import time\ntime.sleep(100)",
}  # fmt: skip


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_mechanism_that_cheats_is_struck_or_out(cheat):
    code = textwrap.dedent(CHEATS[cheat])
    code += "" if "def mechanism" in code else TRUTH
    pair = np.zeros((2, 200), dtype=int)
    pair[1, 0] = 50
    found = matches.played(setting(limits=Limits(2, 1024)), code, FIFTY.code, pair, 1e-6)
    assert found.get("struck") or (found["whose"] == "mechanism" and found["trouble"])
    play_on = ("patched numpy and audit", "noise that repeats", "careful at first", "bytes of its own")
    assert ("trouble" in found) == (cheat not in play_on)


def test_no_request_tells_what_it_is_for(monkeypatch):
    """Error or attack, the one neighbour or the other: all that differs is the data, and a seed without meaning."""
    asked = []

    def run(request, most, *rest, **options):
        asked.append(request)
        return np.zeros((most - 1) // 8).tobytes(), 0, False

    monkeypatch.setattr(jail, "run", run)
    some, pair = setting(), np.array([COUNT.examples(1)[0]] * 2)
    matches.tried(some, HONEST)
    matches.measured(some, HONEST, 0)
    matches.played(some, HONEST, FIFTY.code, pair, 0.001)
    assert len(asked) == 5 and asked.pop()["name"] == "every_score"
    batches = [batch for request in asked for batch in request.pop("batches")]
    seeds = {seed.entropy for *_, seed in batches}
    assert len(batches) == len(seeds) == 4 and min(seeds) > 2**90
    pairs = zip(asked, batches, strict=True)
    first, *others = [(one, calls[0][1:], *kind, seed.spawn_key) for one, (calls, *kind, seed) in pairs]
    assert all(one == first for one in others)
    kinds = {(type(data), data.dtype, data.shape) for ((data, *_), *_), *_ in batches}
    assert len(kinds) == 1


# Attacks that cheat.

REMEMBERS = """
def neighbours(examples, rng):
    data = np.zeros(PERSONS, dtype=int)
    neighbour = data.copy()
    neighbour[0] = MOST
    return data, neighbour
"""
ATTACKS = {
    "counts its calls": "CALLS = []\ndef score(*_):\n    CALLS.append(1)\n    return len(CALLS) > 2000",
    "sees all releases": """
        import sys
        def score(output, data, neighbour):
            frame = sys._getframe()
            while "outputs" not in frame.f_locals:
                frame = frame.f_back
            everybody = frame.f_locals["outputs"]
            return float(output > np.median(everybody))
    """,
    "draws": "def score(*_):\n    return np.random.random()",
    "patched audit": """
        import dpbook.audit
        dpbook.audit.bound.clopper_pearson = lambda *_: (1, 0)
        def score(output, *_):
            return output
    """,
}
FAILING = {
    "NaN": "def score(*_):\n    return np.nan",
    "always an error": "def score(*_):\n    raise KeyError",
    "a word": "def score(*_):\n    return 'struck'",
    "leaves": "import os\ndef score(*_):\n    os._exit(0)",
    "too many bytes": "import os\n[os.write(3, bytes(10**6)) for _ in range(9)]\ndef score(*_):\n    return 1",
    "nothing in time": "def score(*_):\n    while True: pass",
}


@pytest.fixture(scope="module")
def honest_releases():
    """The first half from nobody, the other from one who came fifty times."""
    release, rng = here(COUNT, HONEST, "mechanism"), np.random.default_rng(8)
    pair = np.zeros((2, 200), dtype=int)
    pair[1, 0] = 50
    return pair, np.array([release(data, 1.0, rng) for data in pair for _ in range(2000)])


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_that_cheats_strikes_nobody(attack, honest_releases):
    code = REMEMBERS + textwrap.dedent(ATTACKS[attack])
    bound = matches.certified(setting(), code, *honest_releases, "honest", 1e-4)
    assert not bound.refutes(1.0)
    if attack in ("counts its calls", "draws"):
        assert bound.epsilon < 0.1


@pytest.mark.parametrize("attack", FAILING)
def test_an_attack_that_fails_costs_only_itself(attack, honest_releases):
    short = setting(limits=Limits(1, 1024))
    with pytest.raises(Unusable):
        matches.certified(short, REMEMBERS + FAILING[attack], *honest_releases, "honest", 1e-4)


def test_a_score_that_fails_for_some_releases_keeps_the_others(honest_releases):
    code = REMEMBERS + "def score(output, *_):\n    return 1 / (output < 6) and output"
    assert matches.certified(setting(), code, *honest_releases, "honest", 1e-4).epsilon > 0.2


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def neighbours(examples, rng):\n    return examples[0], examples[1]", "exactly one person; these differ in"),
        ("def neighbours(examples, rng):\n    return examples[0], examples[0] - 99", "whole, from 0 to 50"),
        ("def neighbours(examples, rng):\n    return examples[0], examples[0] + np.nan", "NaN"),
        ("x = 1", "does not define"),
        (REMEMBERS, "does not define"),
        (REMEMBERS + "def score(output):\n    return output", "tried with an output of zeros"),
    ],
)
def test_an_attack_is_told_what_is_wrong(code, words):
    assert words in matches.prepared(setting(), code)["trouble"]


# All against all.


def small(mechanisms=("nobody counts", "a visit is a person"), attacks=("one came fifty", "closer to which")):
    """The arena of the count with few of the house's players."""
    return dataclasses.replace(
        COUNT,
        mechanisms=tuple(named(COUNT.mechanisms, words) for words in mechanisms),
        attacks=tuple(named(COUNT.attacks, words) for words in attacks),
    )


def without_jail(setup, code, name, seed, *_):
    """As `jailed_draws`, in this process; `tests/test_grading.py` finds the same numbers in the jail."""
    namespace = {}
    exec(setup, namespace)
    exec(code, namespace)
    return draws_here(namespace[name], seed)


def entry(student, mechanism=HONEST, attack=FIFTY.code):
    return entries.Entry(student, {"mechanism": mechanism, "attack": attack}, {})


def plain(outcome):
    """What a board says of each pair and each error, by names."""
    names = [player.name for player in outcome.mechanisms], [player.name for player in outcome.attacks]
    meetings = {(names[0][m], names[1][a]): match for (m, a), match in outcome.matches.items()}
    return meetings, {(names[0][m], number): error for (m, number), error in outcome.errors.items()}


def test_the_same_board_in_any_order_with_any_number_of_workers_and_after_a_kill(tmp_path, monkeypatch):
    """The second run is stopped in the midst and goes on; half a result, as a crash leaves it, is none."""
    monkeypatch.setattr(matches, "jailed_draws", without_jail)
    some = setting(small())
    handed_in = [entry("ada"), entry("bob", named(COUNT.mechanisms, "noise that ends").code)]
    first = play.play(some, handed_in, tmp_path / "one", jobs=1)
    before = matches.played
    calls = []

    def stopped(*given):
        calls.append(given)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return before(*given)

    monkeypatch.setattr(matches, "played", stopped)
    with pytest.raises(KeyboardInterrupt):
        play.play(some, handed_in[::-1], tmp_path / "two", jobs=1)
    kept = sorted((tmp_path / "two").glob("*.json"))
    kept[0].write_text('{"epsilon": 1.')
    monkeypatch.setattr(matches, "played", before)
    again = play.play(some, handed_in[::-1], tmp_path / "two", jobs=3)
    assert plain(again) == plain(first)
    done = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "two").iterdir()}
    assert {path.name for path in (tmp_path / "one").iterdir()} == set(done), "and what is done is named alike"
    assert all(done[path.name] == path.stat().st_mtime_ns for path in kept[1:]), "what was kept is not played again"
    assert plain(play.play(some, handed_in, tmp_path / "one"))[0] == plain(first)[0]
    other = matches.Setting(some.arena, b"another secret", some.samples)
    assert plain(play.play(other, handed_in, tmp_path / "one"))[1] != plain(first)[1]
    by_name = {outcome_name(first, place): place for place in standings(first)}
    assert not by_name["ada"].strikes and by_name["bob"].strikes
    assert first.attacks[by_name["house: a visit is a person"].strikes[0]].name == "ada", "students are named first"


def outcome_name(outcome, place):
    return outcome.mechanisms[place.number].name


def test_a_kept_result_depends_on_whatever_it_was_made_from(tmp_path, monkeypatch):
    """The rules, the secret, the number of releases, the limits, the jail, the versions of the rest; and what it is."""
    rules = dataclasses.replace(COUNT, setup="other")
    changes = [{}, {"samples": 999}, {"limits": Limits(1, 99)}, {"unsafe": True}, {"secret": b"x"}, {"arena": rules}]
    start = setting()
    found = [play._Runner(dataclasses.replace(start, **one), tmp_path, None).shared for one in changes]
    with ThreadPoolExecutor(1) as pool:
        works = [(kind, lambda _, code, kind=kind: kind + code, ("x",)) for kind in ("try", "prepare")]
        for _ in range(2):
            assert play._Runner(start, tmp_path, pool)("both", works) == ["tryx", "preparex"]
    monkeypatch.setattr(play.kept, "VERSIONS", ["another Python"])
    assert len({*found, play._Runner(start, tmp_path, None).shared}) == 7


def test_what_was_too_late_is_tried_again(tmp_path, monkeypatch):
    given = [{"trouble": matches.LATE, "whose": "mechanism"}, {"epsilon": 0.5, "struck": False}]
    with ThreadPoolExecutor(1) as pool:
        run = play._Runner(setting(), tmp_path, pool)
        results = [run("matches", [("match", lambda _, n: given[n], (n,)) for n in (0, 1)]) for _ in range(2)]
    assert results == [given, given] and len(list(tmp_path.iterdir())) == 1


def outcome_of(mechanisms, attacks, certified, tries=None, troubles=None):
    """An outcome with these certified epsilons, a row a mechanism, and errors 1, 2, 3, ...; with None it failed."""
    meetings, event = {}, {"event": "output > 3", "direction": "likelier on data", "counts": [90, 1], "samples": 9000}
    failed = {"trouble": "a release is NaN or infinite", "whose": "mechanism"}
    for m, row in enumerate(certified):
        for a, epsilon in enumerate(row):
            meetings[m, a] = failed if epsilon is None else {"epsilon": epsilon, "struck": epsilon > 1, **event}
    errors = {(m, n): {"error": m + 1.0, "deviation": 0.1} for m in range(len(mechanisms)) for n in range(3)}
    pairs = [{"pair": []}] * len(attacks)
    return play.Outcome(mechanisms, attacks, tries or [""] * len(mechanisms), errors, pairs, meetings, troubles or {})


EVIL = "</pre><script>alert(1)</script> ![x](http://x.y) `$a$` | ~~\n"
STUDENTS = [Player("ada", "b"), Player("bob", EVIL), Player("eve", "d"), Player("dan", "e")]
MIXED = outcome_of(
    [Player("house: a", "a", "broken"), *STUDENTS],
    [Player("house: x", "x", "attack"), Player("ada", "y"), Player("bob", "z")],
    [[9, 1.5, 2.5], [0.1, 0.2, 0.3], [5, 0.2, 3], [0, None, 9], [0, 0, 0]],
    ["", "", "", "", "it raised an error"],
    {("fay", "attack"): "the cell 'attack' is missing"},
)


def test_the_board_ranks_by_error_and_names_the_finder():
    """Others' attacks are named before one's own, and students' before the house's; who is out is last."""
    places = standings(MIXED)
    assert [place.number for place in places] == [1, 0, 2, 4, 3]
    assert [place.strikes for place in places] == [(), (2, 1, 0), (2, 0), (), ()]
    assert places[1].error == 1 and np.isclose(places[1].deviation, 0.1 / np.sqrt(3))
    assert places[3].trouble == "it raised an error" and "on the data of ada: a release is NaN" in places[4].trouble
    struck = {(1, attack): MIXED.matches[0, 0] | {"epsilon": epsilon} for attack, epsilon in ((1, 5), (2, 1.5))}
    both = standings(dataclasses.replace(MIXED, matches=MIXED.matches | struck))
    assert next(place.strikes for place in both if place.number == 1) == (2, 1), "the other's, though it found less"
    lost = {"trouble": "no score", "whose": "attack"}
    some = dataclasses.replace(MIXED, pairs=[{"pair": []}, {"trouble": "no pair"}, {"pair": []}])
    some = dataclasses.replace(some, matches=MIXED.matches | {(1, 2): lost})
    assert [attack_troubles(some, number) for number in range(3)] == ["", "no pair", "against ada: no score"]
    assert [place.trouble for place in standings(some)] == [place.trouble for place in places], "its author's alone"


def test_the_page_strikes_out_the_errors_and_shows_code_in_the_second_round_only():
    for second in (False, True):
        parts = list(board.blocks(COUNT, MIXED, second))
        page, notebook = rendering.as_html(parts), rendering.as_notebook(parts)
        nbformat.validate(notebook)
        assert "<del>house: a</del>" in page and "<del>1\u00a0±\u00a00.1</del>" in page
        assert "<td>ada</td><td>student</td>" in page
        assert "≥ 2.50" in page and "1 not struck, 2 struck, 2 out" in page and "1 of 5 mechanisms" not in page
        text = html.unescape("\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown"))
        assert "~~house: a~~" in text and "| 1 | ada | student |" in text and "fay" in text
        assert {cell.cell_type for cell in notebook.cells} == ({"markdown", "raw"} if second else {"markdown"})
        raw = [cell.source for cell in notebook.cells if cell.cell_type == "raw"]
        assert raw == (["a", EVIL] if second else []) and (html.escape(EVIL) in page) == second
        assert "<script" not in page and "src=" in page
        assert "http" not in page.replace("http-equiv", "").replace(html.escape(EVIL), "")
        assert 'alt="A grid of 3 mechanisms and 3 attacks. 5 pairs have a cross' in page


def test_names_and_remarks_are_shown_letter_by_letter():
    shown = rendering._letters("a_b|<i>$x$[y](z)*~ é")
    assert not set(shown) & set("_|<>$[]()*~") and html.unescape(shown) == "a_b|<i>$x$[y](z)*~ é"


# What is handed in, and what is handed out.


def test_entries_are_files_or_folders_named_after_students(tmp_path):
    (tmp_path / "ada.py").write_text("\ufeffdef mechanism(): pass")
    (tmp_path / "bob").mkdir()
    (tmp_path / "notes.txt").write_text("x")
    book = handout.notebook(COUNT)
    nbformat.write(book, tmp_path / "bob" / "hand_out.ipynb")
    ada, bob = entries.read(tmp_path)
    assert (ada.student, bob.student) == ("ada", "bob")
    assert ada.parts == dict.fromkeys(("mechanism", "attack"), "def mechanism(): pass") and not bob.troubles
    assert bob.parts["mechanism"].strip() == handout.MECHANISM.strip()
    (tmp_path / "bob" / "more.py").write_text("")
    with pytest.raises(ValueError, match=r"bob has 2 files \(bob/hand_out.ipynb, bob/more.py\): keep the one"):
        entries.read(tmp_path)


@pytest.mark.parametrize("archive", [None, "ALL.ZIP"])
def test_names_from_other_systems_lose_no_entry_and_stop_no_board(tmp_path, archive):
    """Accents in two parts and a Mac's files beside the own ones; endings in capitals."""
    folder, nfd = tmp_path / "entries", unicodedata.normalize("NFD", "José")
    for name in (f"{nfd}.py", "bob/hand_out.PY", "bob/._hand_out.PY", "__MACOSX/._a.py", "__MACOSX/._b.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"# {name}")
    if archive:
        shutil.make_archive(tmp_path / "all", "zip", folder)
        folder = (tmp_path / "all.zip").rename(tmp_path / archive)
    found = {one.student: one.parts for one in entries.read(folder)}
    assert set(found) == {unicodedata.normalize("NFC", nfd), "bob"}
    assert found["bob"]["attack"] == "# bob/hand_out.PY"


DOWNLOADED = {
    "finnfay_LATE_4711_081516_hand_out-1.py": "finnfay-4711",  # Canvas
    "Ada Lovelace_17_assignsubmission_file_/hand_out.py": "Ada_Lovelace-17",  # Moodle, folders
    "Ada Lovelace_17_assignsubmission_onlinetext_/onlinetext.html": "Ada_Lovelace-17",
    "Bob Byte_18_assignsubmission_file_hand_out.py": "Bob_Byte-18",  # Moodle, files
    "Eve_19_assignsubmission_onlinetext_/onlinetext.html": "Eve-19",
    "cem.py": "cem",
    "Dee+Di_20_assignsubmission_file_hand_out.py": "Dee+Di-20",
    "@gil_21_assignsubmission_file_hand_out.py": "@gil-21",
    f"{'Maria ' * 20}_22_assignsubmission_file_hand_out.py": f"{'_'.join(['Maria'] * 20)}-22",
}


@pytest.mark.parametrize("archived", [False, True])
def test_what_canvas_and_moodle_call_files_is_understood_unpacked_or_not(tmp_path, archived):
    folder = tmp_path / "downloads"
    for name in DOWNLOADED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"# {name}")
    if archived:
        folder = pathlib.Path(shutil.make_archive(tmp_path / "all", "zip", folder))
    found = {one.student: one for one in entries.read(folder)}
    assert set(found) == set(DOWNLOADED.values())
    for name, student in DOWNLOADED.items():
        if name.endswith(".py"):
            assert found[student].parts == dict.fromkeys(entries.PARTS, f"# {name}") and not found[student].troubles
    assert "no .ipynb and no .py" in found["Eve-19"].troubles["mechanism"]


def test_a_folder_that_a_student_made_in_an_archive_is_nobody_elses(tmp_path):
    """Moodle keeps the folders of what was handed in: the outermost one is the platform's."""
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("Anna_18_assignsubmission_file_/Ada Lovelace_17_assignsubmission_file_/hand_out.py", "x")
    assert [one.student for one in entries.read(tmp_path / "all.zip")] == ["Anna-18"]


def test_an_archive_writes_nowhere_else_and_loses_no_file(tmp_path):
    with zipfile.ZipFile(tmp_path / "out.zip", "w") as archive:
        for name in ("../eve.py", "a/../../eve.py", "__MACOSX/._ada.py", "ada.py"):
            archive.writestr(name, "x")
    assert [one.student for one in entries.read(tmp_path / "out.zip")] == ["ada"]
    assert not list(tmp_path.rglob("*.py")) and not list(tmp_path.parent.glob("*.py"))
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("first/ada/x.py", "x"), archive.writestr("second/ada/x.py", "y")
    with pytest.raises(ValueError, match=r"two files ada/x.py: keep the one"):
        entries.read(tmp_path / "two.zip")
    (tmp_path / "none.zip").write_text("no archive")
    with pytest.raises(ValueError, match=r"none.zip cannot be unpacked"):
        entries.read(tmp_path / "none.zip")


def test_what_cannot_be_read_names_the_student_and_what_to_do(tmp_path):
    (tmp_path / "ada.py").write_text("x" * 20_001)
    (tmp_path / "bob.ipynb").write_text("not json")
    (tmp_path / "cem.py").write_bytes(b"\xff\xfe\xfa")
    (tmp_path / "dan.py").symlink_to(tmp_path / "ada.py")
    (tmp_path / "eve.ipynb").write_text(json.dumps({"cells": []}))
    (tmp_path / "fay").mkdir()
    (tmp_path / "fay" / "notes.txt").write_text("x")
    found = entries.read(tmp_path)
    assert not any(one.parts for one in found), "nothing of them plays"
    words = {one.student: one.troubles["attack"] for one in found}
    assert "shorten it" in words["ada"] and "hand in the .ipynb" in words["bob"] and "UTF-8" in words["cem"]
    assert "no file that can be read" in words["dan"] and "'attack' is missing" in words["eve"]
    assert "no .ipynb and no .py" in words["fay"] and len(words) == 6
    (tmp_path / "<b>.py").write_text("")
    with pytest.raises(ValueError, match="is no student's name"):
        entries.read(tmp_path)
    with pytest.raises(ValueError, match="there is no folder"):
        entries.read(tmp_path / "gone")


@pytest.mark.parametrize("name", ARENAS)
def test_the_hand_out_can_be_filled_in_and_tried(name, capsys):
    """Its cells run from the first to the last, with the house's answers in their places."""
    arena = ARENAS[name]
    book, space = handout.notebook(arena), {}
    nbformat.validate(book)
    filled = {"mechanism": arena.mechanisms[0].code, "attack": arena.attacks[0].code}
    for cell in book.cells:
        if cell.cell_type == "code":
            exec(filled.get(cell.id, cell.source), space)
    printed = capsys.readouterr().out
    assert "these are neighbours" in printed and "epsilon >= " in printed and "error: " in printed


def test_an_untouched_hand_out_is_out_and_is_told_so():
    assert "write your answer" in matches.tried(setting(), handout.MECHANISM)
    assert "write your answer" in matches.prepared(setting(), handout.ATTACK)["trouble"]


def test_the_command_writes_the_pages_and_says_who_is_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(play, "play", lambda *_: MIXED)
    (tmp_path / "handed in").mkdir()
    where = ["count", "--entries", str(tmp_path / "handed in"), "--folder", str(tmp_path / "out")]
    assert command.main(where) is None and command.main([*where, "--round", "2"]) is None
    made = {path.name for path in (tmp_path / "out").iterdir()}
    pages = {f"{name}.{kind}" for name in ("board", "second_round") for kind in ("html", "ipynb")}
    assert made == pages | {"hand_out.ipynb", "secret"}
    assert (tmp_path / "out" / "secret").stat().st_mode & 0o77 == 0
    one, again = (command.secret_of(tmp_path / "out") for _ in range(2))
    assert one == again != command.secret_of(tmp_path, "1")
    printed = capsys.readouterr().out
    assert "give another seed" not in printed
    assert "dan: the mechanism is out: it raised an error" in printed and "fay: the attack: the cell" in printed
    assert "Nothing was played: the arena must be one of" in command.main(["sum"])
    assert "1000 or more" in command.main([*where, "--samples", "10"])
    monkeypatch.setattr(bubblewrap, "installed", lambda: None)
    assert "bubblewrap" in command.main(where)


def test_a_seed_that_students_code_could_guess_is_refused(tmp_path, monkeypatch, capsys):
    """A mechanism knows the seed of its generator, and its own code: with the board's seed it knows what it is for."""
    monkeypatch.setattr(play, "play", lambda *_: MIXED)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ada.py").write_text(HONEST + FIFTY.code)
    where = ["count", "--folder", str(tmp_path / "out"), "--round", "2", "--seed"]
    assert "could guess this seed" in command.main([*where, "2026", "--entries", str(tmp_path / "in")])
    assert not (tmp_path / "out").exists()
    assert command.main([*where, "2026"]) is None, "the house does not guess"
    assert command.main([*where, "2026 and a long tail", "--entries", str(tmp_path / "in")]) is None
    assert "give another seed" in capsys.readouterr().out


def test_who_knows_the_examples_from_the_second_round_meets_others(tmp_path):
    """An attack can carry the data out in what the board shows of it; a private mechanism that knows them would win."""
    secret = command.secret_of(tmp_path)
    assert command.secret_of(tmp_path, None, [entry("ada")]) == secret, "before the second round all come as they come"
    command.show(tmp_path, [entry("ada")], None)
    assert command.secret_of(tmp_path, None, [entry("ada")]) == secret, "the same entries have the same board"
    assert command.secret_of(tmp_path, None, []) == secret, "nor does the house alone change anything"
    mended = [entry("ada", mechanism=HONEST + "#")]
    renewed = command.secret_of(tmp_path, None, mended)
    assert renewed != secret and command.secret_of(tmp_path, None, mended) == renewed
    assert command.secret_of(tmp_path, None, [entry("ada")]) == renewed, "until the next second round"
    assert (tmp_path / "secret").stat().st_mode & 0o77 == 0


def test_equal_errors_have_the_same_place():
    same = dataclasses.replace(MIXED, mechanisms=[Player(name, "x") for name in "abcde"], matches={}, tries=[""] * 5)
    errors = {(m, n): {"error": 1.0 + (m == 4), "deviation": 0.1} for m, n in MIXED.errors}
    same = dataclasses.replace(same, errors=errors)
    table = next(part for part in board.blocks(COUNT, same) if part[0] == "table")
    assert [row[0] for row in table[2]] == ["1", "1", "1", "1", "5"]
