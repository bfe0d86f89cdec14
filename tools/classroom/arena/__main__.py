"""Judge an arena: `python -m tools.classroom.arena count --entries folder`; without entries, the house plays alone.

Writes `board.ipynb` and `board.html`, `hand_out.ipynb` for the students, and what is done so far, into the folder given
by --folder. Run again, it plays only what is new. --round 2 writes `second_round.ipynb` and `.html`, which show the
code of what was struck.
"""

import argparse
import pathlib
import secrets
import sys

from tools.classroom import single, worker
from tools.classroom.arena import arenas, board, entries, handout, matches, play, rendering
from tools.classroom.arena.standings import attack_troubles, standings
from tools.classroom.flags import kept_state

FOLDER = pathlib.Path("arena")
LONG = 16  # characters of a seed: a mechanism that guesses it could tell the measuring of its error from an attack


def main(words=None):
    """The command line; returns a sentence where it refuses."""
    parser = argparse.ArgumentParser(prog="python -m tools.classroom.arena", description=__doc__.splitlines()[0])
    parser.add_argument("arena", help=f"one of {', '.join(arenas.names())}")
    parser.add_argument("--entries", type=pathlib.Path, help="the folder with the students' files")
    parser.add_argument("--folder", type=pathlib.Path, help="where boards and results go (default: arena/<name>)")
    parser.add_argument("--seed", help="repeat a board exactly; keep it to yourself while students hand in")
    parser.add_argument("--round", type=int, choices=(1, 2), default=1, help="2: the board with the code of the struck")
    parser.add_argument("--jobs", type=int, help="matches at a time (default: one a processor)")
    parser.add_argument("--samples", type=int, default=matches.SAMPLES, help="releases of each data set in a match")
    parser.add_argument("--unsafe", action="store_true", help="no jail: students' code runs with your rights")
    chosen = parser.parse_args(words)
    if sentence := single.refusal(chosen.unsafe):
        return sentence
    try:
        arena = arenas.read(chosen.arena)
        handed_in = entries.read(chosen.entries, chosen.unsafe) if chosen.entries else []
    except ValueError as refused:
        return f"Nothing was played: {refused}."
    if handed_in and chosen.seed is not None and len(chosen.seed) < LONG:
        words = f"Nothing was played: students' code could guess this seed; take {LONG} characters or more"
        return f"{words}, for example {secrets.token_hex(16)}."
    if chosen.samples < 1000:
        return f"Nothing was played: --samples must be 1000 or more; got {chosen.samples}."
    worker.own_keyring()
    folder = chosen.folder or FOLDER / arena.name
    folder.mkdir(parents=True, exist_ok=True)
    secret = secret_of(folder, chosen.seed, handed_in)
    setting = matches.Setting(arena, secret, chosen.samples, chosen.unsafe)
    outcome = play.play(setting, handed_in, folder / "results", chosen.jobs)
    for path in write(folder, arena, outcome, chosen.round == 2):
        print(path)
    for line in remarks(outcome):
        print(line)
    if chosen.round == 2:
        show(folder, handed_in, chosen.seed)
    return None


def secret_of(folder, seed=None, handed_in=()):
    """The secret from which all seeds come: the seed that was given, or the folder's own, which is kept there.

    An attack sees the data on which errors are measured, and can carry them out in what the second round shows of it.
    So what is handed in after that, if it is something else, meets a new secret, and with it new data.
    """
    if seed is not None:
        return f"seed {seed}".encode()
    path = folder / "secret"
    own, shown = (*path.read_text().split("\n"), "")[:2] if path.exists() else ("", "")
    if not own or (handed_in and shown and shown != _digest(handed_in)):
        own = secrets.token_hex(16)
        path.touch(mode=0o600)
        path.write_text(own)
    return own.encode()


def show(folder, handed_in, seed):
    """Note beside the secret which entries the second round has shown; where a seed was given, say what to do."""
    if seed is not None:
        print("For what is handed in from now on, give another seed: attacks may have told what this one draws.")
    else:
        (folder / "secret").write_text(f"{secret_of(folder).decode()}\n{_digest(handed_in)}")


def _digest(handed_in):
    return matches.digest(repr([(one.student, sorted(one.parts.items())) for one in handed_in]))


def write(folder, arena, outcome, second_round):
    """Write the hand-out and the board; the paths."""
    import nbformat

    parts = list(board.blocks(arena, outcome, second_round))
    name = "second_round" if second_round else "board"
    paths = [folder / "hand_out.ipynb", folder / f"{name}.ipynb", folder / f"{name}.html"]
    nbformat.write(handout.notebook(arena), paths[0])
    nbformat.write(rendering.as_notebook(parts), paths[1])
    paths[2].write_text(rendering.as_html(parts), encoding="utf-8")
    return paths


def remarks(outcome):
    """Lines for the instructor: the standing in short, who could not play, and whose code deserves a look."""
    places = standings(outcome)
    for place in places:
        player = outcome.mechanisms[place.number]
        if place.trouble:
            yield f"{player.name}: the mechanism is out: {place.trouble}"
        elif place.strikes:
            yield f"{player.name}: struck by {outcome.attacks[place.strikes[0]].name}"
    for number, player in enumerate(outcome.attacks):
        if words := attack_troubles(outcome, number):
            yield f"{player.name}: the attack: {words}"
    for (student, part), words in sorted(outcome.troubles.items()):
        yield f"{student}: the {part}: {words}"
    for player in outcome.mechanisms:
        if player.kind == "student" and (seen := kept_state(player.code)):
            yield f"{player.name}: read the mechanism: it {seen}"


if __name__ == "__main__":
    sys.exit(main())
