"""Results that were kept, each under a name that changes with whatever it was made from; the seeds of submissions."""

import dataclasses
import functools
import hashlib
import hmac
import json
import secrets
import sys
from importlib import metadata

from tools.classroom.places import PROJECT
from tools.classroom.single import STOPPED, as_result
from tools.classroom.submission import LARGEST

# Every file that a grade can depend on, and the versions of what is not ours.
JUDGES = sorted([*PROJECT.glob("tools/classroom/**/*.py"), *PROJECT.glob("dpbook/**/*.py")])
VERSIONS = [sys.version, *(f"{name} {metadata.version(name)}" for name in ("numpy", "scipy"))]


def seed_of(secret, source, path):
    """The seed of a submission: from the course's secret, the student and the file, or a fresh one."""
    if secret is None:
        return secrets.randbits(64)
    message = repr((source.stem, path.resolve().parts[-3:])).encode() + _digest(path)
    return int.from_bytes(hmac.digest(secret, message, "sha256")[:8], "big")


def key_of(source, path, seed, unsafe, pages, secret=None, number=0):
    """A name for the result of one submission, which changes with whatever it was made from."""
    known = secret and hashlib.sha256(secret).hexdigest()
    digest = hashlib.sha256(repr((path.resolve().parts, seed, unsafe, pages, VERSIONS, known, number)).encode())
    for file in (path, source):
        digest.update(_digest(file))
    digest.update(fingerprint().encode())
    return digest.hexdigest()


def fingerprint():
    """A name for the code that judges, and for the versions of what is not ours."""
    return _fingerprint(tuple((file, file.stat().st_mtime_ns, file.stat().st_size) for file in JUDGES if file.exists()))


@functools.lru_cache(maxsize=4)
def _fingerprint(files):
    """The same, as long as no file was written again: some hundred files, and a name for each submission."""
    digest = hashlib.sha256(repr(VERSIONS).encode())
    for file, *_ in files:
        digest.update(_digest(file))
    return digest.hexdigest()


def _digest(file):
    """A name for the content of a file; of what is none, or is too large to be read, for that."""
    try:
        if not file.is_file() or file.stat().st_size > LARGEST:
            return repr((file.is_file(), file.exists())).encode()
        return hashlib.sha256(file.read_bytes()).digest()
    except OSError as error:
        return repr(error.errno).encode()


def known(folder, key):
    """The result of an earlier run under this key, or None."""
    if folder is None or not (folder / f"{key}.json").exists():
        return None
    try:
        return as_result(json.loads((folder / f"{key}.json").read_text()))
    except (ValueError, LookupError, TypeError):
        return None  # written by half: graded again


def store(folder, key, result):
    """Keep a result under this key, if there is a folder for it; not that of a grading that was stopped."""
    if folder is not None and not any(STOPPED in score.reason for score in result.scores):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{key}.json").write_text(json.dumps(dataclasses.asdict(result)))
