"""What a board shows, part by part; `rendering` makes a notebook or an HTML file of it.

The second round's board shows the code of what was struck as well.
"""

import io

import numpy as np

from dpbook.amounts import amount, counted
from tools.classroom.arena.standings import STUDENT, attack_troubles, standings

CAVEAT = (
    "A mechanism that is not struck has not been proved private: nobody here found its weakness. The number beside a "
    "struck one is certified: it loses at least that epsilon, and the chance that any private mechanism on this board "
    "is struck is at most one in a thousand, all attacks together. The order of errors closer than their ± is chance."
)


def blocks(arena, outcome, second_round=False):
    """The board's parts in order, each a tuple that begins with its kind.

    "title", "heading", "subheading", "text" and "code" have words; "picture" has the PNG and words that say what it
    shows; "table" has its head, its rows, and a look ("", "struck", "out") for each row. A cell of a table is words, or
    (words, True) where they are struck out.
    """
    places = standings(outcome)
    title = f"Arena {arena.name}: " + ("the second round" if second_round else "the board")
    stand, struck = (sum(bool(p.strikes) == s and not p.trouble for p in places) for s in (False, True))
    yield "title", title
    everybody = f"{counted(len(outcome.mechanisms), 'mechanism')} against {counted(len(outcome.attacks), 'attack')}."
    out = len(places) - stand - struck
    claim = f"Everybody claims epsilon = {amount(arena.epsilon)}: {stand} not struck, {struck} struck, {out} out."
    yield "text", f"{everybody} {claim}"
    yield "text", CAVEAT
    yield "table", *_mechanisms(arena, outcome, places)
    if outcome.matches:
        yield "picture", *_picture(arena, outcome, places)
    yield "heading", "The attacks"
    yield "table", *_attacks(outcome, places)
    if outcome.troubles:
        yield "heading", "Not handed in, or not to be read"
        rows = [(student, part, words) for (student, part), words in sorted(outcome.troubles.items())]
        yield "table", ("student", "part", "why"), rows, ["out"] * len(rows)
    if second_round:
        yield "heading", "What was struck, and its code"
        for place in places:
            if place.strikes:
                yield from _broken(outcome, place)


def _mechanisms(arena, outcome, places):
    head = ("place", "mechanism", "", "error ± 2 standard errors")
    head += ("struck by", "certified epsilon", "attacks that strike it")
    rows, looks = [], []
    for place in places:
        rank = 1 + sum(one.error < place.error for one in places if not one.strikes)
        player = outcome.mechanisms[place.number]
        if place.trouble:
            rows.append(("–", player.name, _whose(player), f"out: {place.trouble}", "", "", ""))
        else:
            error = f"{amount(place.error)}\u00a0±\u00a0{amount(2 * place.deviation, 1)}"
            found = ("", "", "")
            if place.strikes:
                match = outcome.matches[place.number, place.strikes[0]]
                times = f"{len(place.strikes)} of {len(outcome.attacks)}"
                found = (outcome.attacks[place.strikes[0]].name, f"≥ {match['epsilon']:.2f}", times)
            struck = bool(place.strikes)
            rows.append(("–" if struck else str(rank), (player.name, struck), _whose(player), (error, struck), *found))
        looks.append("out" if place.trouble else "struck" if place.strikes else "")
    return head, rows, looks


def _whose(player):
    return {"student": "student", "broken": "house, broken on purpose"}.get(player.kind, "house")


def _attacks(outcome, places):
    head = ("no.", "attack", "", "mechanisms struck", "students' mechanisms struck", "named as finder", "remarks")
    rows, strikes = [], {place.number: place.strikes for place in places}
    for number, player in enumerate(outcome.attacks):
        struck = [mechanism for mechanism, found in strikes.items() if number in found]
        students = sum(outcome.mechanisms[mechanism].kind == STUDENT for mechanism in struck)
        first = sum(strikes[mechanism][0] == number for mechanism in struck)
        remark = attack_troubles(outcome, number)
        rows.append((str(number + 1), player.name, _whose(player), str(len(struck)), str(students), str(first), remark))
    return head, rows, ["out" if row[-1] else "" for row in rows]


def _broken(outcome, place):
    player, attack = outcome.mechanisms[place.number], place.strikes[0]
    match = outcome.matches[place.number, attack]
    more, less = match["counts"]
    how_often = f"{counted(more, 'time')} for the one data set and {counted(less, 'time')} for its neighbour"
    event = match["event"].replace("output", "score")
    yield "subheading", player.name
    yield "text", f"Struck by {outcome.attacks[attack].name}: epsilon ≥ {match['epsilon']:.2f}."
    fresh = f"In {match['samples']:,} fresh releases each it happened {how_often} ({match['direction']})."
    yield "text", f"The event, learnt on other releases: {event}. {fresh}"
    yield "code", player.code


def _short(name):
    name = name.removeprefix("house: ")
    return name if len(name) < 48 else f"{name[:46]}…"


def _picture(arena, outcome, places):
    """The certified epsilon of each pair as a grid of colours, with a cross where it strikes: (PNG, words)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = [place for place in places if not place.trouble]
    matches = [[outcome.matches.get((place.number, a), {}) for a in range(len(outcome.attacks))] for place in shown]
    crosses = [(x, y) for y, row in enumerate(matches) for x, match in enumerate(row) if match.get("struck")]
    figure = Figure(figsize=(10.5, 1.9 + 0.27 * len(shown)), layout="constrained", dpi=100)
    FigureCanvasAgg(figure)
    ax = figure.subplots()
    found = [[match.get("epsilon", np.nan) for match in row] for row in matches]
    image = ax.imshow(found, aspect="auto", cmap="cividis_r", vmin=0, vmax=2 * arena.epsilon)
    ax.plot(*np.reshape(crosses, (-1, 2)).T, "x", color="white", markersize=7, markeredgewidth=2)
    ax.set_xticks(range(len(outcome.attacks)), [str(number + 1) for number in range(len(outcome.attacks))])
    ax.set_yticks(range(len(shown)), [_short(outcome.mechanisms[place.number].name) for place in shown])
    ax.set(xlabel="attack (its number is in the table below; white: it could not play)", ylabel="mechanism")
    figure.suptitle("What each attack certifies of each mechanism. A cross: more than was claimed", x=0.01, ha="left")
    bar = figure.colorbar(image, ax=ax, extend="max", label="certified epsilon (natural units)")
    bar.ax.axhline(arena.epsilon, color="white", linewidth=2)
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    words = (
        f"A grid of {len(shown)} mechanisms and {len(outcome.attacks)} attacks. {len(crosses)} pairs have a cross: "
        f"there more than the claimed epsilon of {amount(arena.epsilon)} is certified. The tables name them."
    )
    return file.getvalue(), words
