"""What is not yet as it should be: `not_yet.toml`, a list that only shrinks, and is empty at the end.

A file of the list that is as it should be fails its test too, until it is taken off: `python -m tests.not_yet` does
that for what is quick to measure.
"""

import functools
import pathlib
import re
import tomllib

LIST = pathlib.Path(__file__).with_suffix(".toml")


@functools.cache
def lists():
    return {what: set(names) for what, names in tomllib.loads(LIST.read_text(encoding="utf-8")).items()}


def hold(what, name, wrong):
    """Fail where something is wrong with a file that is not in the list of `what`, or nothing with one that is."""
    if name in lists()[what]:
        assert wrong, f"{name} is as it should be: take it off the list {what!r} of tests/{LIST.name}"
    else:
        assert not wrong, wrong


def take_off(what, names):
    """Take names off a list."""
    text = LIST.read_text(encoding="utf-8")
    start = text.index(f"\n{what} = [")
    end = text.index("\n]", start)
    rows = [row for row in text[start:end].splitlines() if not any(f'"{name}"' in row for name in names)]
    LIST.write_text(re.sub(r"\[\n\]", "[]", text[:start] + "\n".join(rows) + text[end:]), encoding="utf-8")


if __name__ == "__main__":
    from tools.book import length, prose

    ready = {"length": [name for name in lists()["length"] if not length.excess(length.FOLDER / f"{name}.py")]}
    ready["prose"] = [name for name in lists()["prose"] if not prose.read(prose.PROJECT / name)]
    for what, names in ready.items():
        take_off(what, names)
        print(f"{what}: {len(names)} off, {len(lists()[what]) - len(names)} left")
