"""What a submitted page shows when it is run: the part of a notebook's kernel, in the same jail as the answers.

Texts, PNG pictures and the last line of errors come out, at most so much of each, and nothing else: no HTML, no script.
They are there for a human to look at. No point hangs on them.
"""

import base64
import binascii
import hashlib
import importlib.util
import json
import pathlib

from tools.classroom import jail

LIMITS = jail.Limits(seconds=30, megabytes=4096)
HURRIED = jail.Limits(seconds=5, megabytes=4096)  # where an answer took too long when it was graded
MOST = 8 * 2**20  # bytes of all outputs of a page


def page_of(cells, unsafe=False, limits=None, said=None):
    """What a page with this code shows: a dict of `cells` (see `fingerprint`) and `outputs`."""
    return {"cells": fingerprint(cells), "outputs": outputs(cells, limits, unsafe, said)}


def fingerprint(cells):
    """A name for the code of all cells of a page."""
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def outputs(cells, limits=None, unsafe=False, said=None):
    """Run the code `cells` one after the other; a list of notebook outputs for each.

    `said` has the lines of checks that were made already, by the place of their cells: they are shown, and not made
    again. After the limits, or the end of the process, the cell that ran then says so and the others show nothing.
    """
    libraries = pathlib.Path(importlib.util.find_spec("IPython").submodule_search_locations[0]).parent
    written, _, _ = jail.run({"cells": cells, "said": said or {}}, MOST, limits or LIMITS, unsafe, libraries)
    shown = [_outputs(line) for line in written.split(b"\n")[:-1]][: len(cells)]
    if len(shown) < len(cells):
        stopped = _error("Stopped", "this cell did not come to its end: too long, too much memory, or it left Python")
        shown.append([stopped])
    return shown + [[] for _ in range(len(cells) - len(shown))]


def _outputs(line):
    """The notebook outputs that a line from the jail speaks of; whatever is of another form shows nothing."""
    try:
        return [output for kind, content in json.loads(line) for output in _output(kind, content)]
    except (ValueError, TypeError, RecursionError):
        return []


def _output(kind, content):
    if not isinstance(content, str):
        return []
    if kind == "text":
        return [{"output_type": "stream", "name": "stdout", "text": content.rstrip("\n") + "\n"}]
    if kind == "error":
        return [_error(*content.partition(": ")[::2])]
    if kind == "picture" and _is_png(content):
        return [{"output_type": "display_data", "metadata": {}, "data": {"image/png": content}}]
    return []


def _error(name, words):
    return {"output_type": "error", "ename": name, "evalue": words, "traceback": [f"{name}: {words}"]}


def _is_png(text):
    try:
        return base64.b64decode(text, validate=True).startswith(b"\x89PNG\r\n")
    except (binascii.Error, ValueError):
        return False
