"""Grading on more machines: each submission goes to a worker of a Dask cluster that is given, and is jailed there.

`make autograde DASK=tcp://...:8786`. The workers need this clone at the same commit, its environment, and bubblewrap;
what they grade they get as bytes, and they keep nothing. Hidden data and seeds are drawn where the course is, so the
points are the same whoever grades. Who runs the cluster sees the submissions and the hidden checks: use your own.
"""

import contextlib
import dataclasses
import pathlib
import tempfile

from tools.classroom import kept, single

CLOCK = "10s"  # how long to wait for a cluster


class Unready(RuntimeError):
    """Why a cluster cannot grade; the message says what to do."""


@contextlib.contextmanager
def client(address, fingerprint, unsafe=False):
    """A Dask client for `address`, each of whose workers has the code with this `fingerprint`, and can jail."""
    try:
        from distributed import Client
    except ImportError:
        raise Unready("grading on a cluster needs Dask: pip install -e '.[classroom,papers]'") from None
    try:
        dask = Client(address, timeout=CLOCK)
    except (OSError, ValueError) as error:
        raise Unready(f"there is no Dask cluster at {address}: {error}") from None
    with dask:
        found = dask.run(look, unsafe)
        wrong = {who: words for who, words in found.items() if words != ("", fingerprint)}
        if wrong or not found:
            other = "it has another version of this code"
            lines = [f"{who}: {trouble or other}" for who, (trouble, _) in wrong.items()]
            raise Unready("Nothing was graded: " + ("; ".join(lines) or "the cluster has no workers"))
        yield dask


def look(unsafe):
    """What stands in the way of grading on this machine, "" if nothing, and a name for its code."""
    return single.refusal(unsafe), kept.fingerprint()


def graded(request, content):
    """The fields of a `Result`: one submission, given as the bytes of its file, graded on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "submission.ipynb"
        if content is not None:
            path.write_bytes(content)
        return dataclasses.asdict(single.in_a_process({**request, "path": path}))
