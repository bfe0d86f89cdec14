"""Everybody against everybody: the matches of a board, several at a time, each kept as soon as it is over.

A result's name is made of all it depends on, and not of who else plays or when: so a run that was killed goes on where
it was (each of its workers loses the match it was at), and neither the order nor the number of workers changes a
number. The order is drawn, so that not even the time of day tells a mechanism what a batch is for. What ended because
it took too long is not kept: it is tried again by the next run.
"""

import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field

import numpy as np
from tqdm import tqdm

from tools.classroom import kept
from tools.classroom.arena import arenas, matches
from tools.classroom.arena.arenas import Player


@dataclass(frozen=True)
class Outcome:
    """What a board shows: the players, and by their numbers the errors, the pairs of the attacks and the matches."""

    mechanisms: list
    attacks: list
    tries: list
    errors: dict
    pairs: list
    matches: dict
    troubles: dict = field(default_factory=dict)


def players(arena, entries):
    """All mechanisms and all attacks, the house's first; and by student and part what is not there, in words."""

    def students(part):
        return [Player(one.student, one.parts[part]) for one in entries if part in one.parts]

    mechanisms, attacks = [*arena.mechanisms, *students("mechanism")], [*arena.attacks, *students("attack")]
    return mechanisms, attacks, {(one.student, part): words for one in entries for part, words in one.troubles.items()}


def play(setting, entries, keep, jobs=None):
    """The `Outcome` of all mechanisms against all attacks, with results in the folder `keep`; `jobs` at a time."""
    mechanisms, attacks, troubles = players(setting.arena, entries)
    keep.mkdir(parents=True, exist_ok=True)
    risk = matches.risk_of_a_pair(len(mechanisms) * len(attacks), setting.samples)
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:  # threads that wait for processes, which do the work
        run = _Runner(setting, keep, pool)
        tries = [("try", matches.tried, (player.code,)) for player in mechanisms]
        pairs = [("prepare", matches.prepared, (player.code,)) for player in attacks]
        found = run("first tries", tries + pairs)
        tries, pairs = found[: len(mechanisms)], found[len(mechanisms) :]
        able = [place for place, trouble in enumerate(tries) if not trouble]
        armed = [place for place, pair in enumerate(pairs) if "pair" in pair]
        errors, meetings = {}, {}
        for m, code in ((m, mechanisms[m].code) for m in able):
            errors |= {(m, n): ("error", matches.measured, (code, n)) for n in range(arenas.EXAMPLES)}
            against = {a: (code, attacks[a].code, pairs[a]["pair"], risk) for a in armed}
            meetings |= {(m, a): ("match", matches.played, given) for a, given in against.items()}
        found = run("matches", [*errors.values(), *meetings.values()])
    return Outcome(
        mechanisms, attacks, tries, dict(zip(errors, found, strict=False)), pairs,
        dict(zip(meetings, found[len(errors) :], strict=True)), troubles,
    )  # fmt: skip


class _Runner:
    """Does what is not kept yet, in an order that the secret draws, and gives all results in the order asked for."""

    def __init__(self, setting, keep, pool):
        self.setting, self.keep, self.pool = setting, keep, pool
        shared = (
            setting.arena.setup, setting.secret.hex(), setting.samples, asdict(setting.limits), setting.unsafe,
            kept.VERSIONS, [hashlib.sha256(file.read_bytes()).hexdigest() for file in kept.JUDGES],
        )  # fmt: skip
        self.shared = hashlib.sha256(repr(shared).encode()).hexdigest()

    def __call__(self, words, works):
        texts = [repr((self.shared, kind, given)).encode("utf-8", "replace") for kind, _, given in works]
        keys = [hashlib.sha256(text).hexdigest() for text in texts]
        found = {key: self._kept(key) for key in keys}
        left = {key: work for key, work in zip(keys, works, strict=True) if found[key] is None}
        order = np.random.default_rng(self.setting.seed(words)).permutation(sorted(left)).tolist()
        waiting = [self.pool.submit(self._done, key, *left[key][1:]) for key in order]
        bar = tqdm(waiting, desc=f"{self.setting.arena.name}: {words}", disable=None)
        try:
            for key, done in zip(order, bar, strict=True):
                found[key] = done.result()
        except BaseException:
            self.pool.shutdown(wait=False, cancel_futures=True)
            raise
        return [found[key] for key in keys]

    def _done(self, key, work, given):
        """The result of a piece of work, written whole or not at all."""
        result = work(self.setting, *given)
        if matches.LATE not in str(result):
            half = self.keep / f"{key}.half"
            half.write_text(json.dumps(result))
            os.replace(half, self.keep / f"{key}.json")
        return result

    def _kept(self, key):
        try:
            return json.loads((self.keep / f"{key}.json").read_text())
        except (OSError, ValueError):
            return None
