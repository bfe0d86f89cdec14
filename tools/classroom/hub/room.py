"""What the parts of a hub share, and the folders that it keeps things in."""

import os
import pathlib
import secrets
import tempfile
from dataclasses import dataclass

from tools.classroom.hub import cell, limits, settings


@dataclass(frozen=True)
class Classroom:
    """A hub: its settings, its folders, the course, and the groups that bound what a student uses."""

    settings: settings.Settings
    places: cell.Places
    course: pathlib.Path
    groups: object


def opened(hub, course):
    """The `Classroom` in the folder `hub`, made if it is not there, for the course in `course`."""
    hub.mkdir(parents=True, exist_ok=True)
    hub.chmod(0o700)
    (hub / "logs").mkdir(exist_ok=True)
    if not (hub / "proxy-token").exists():
        (hub / "proxy-token").touch(mode=0o600)
        (hub / "proxy-token").write_text(secrets.token_hex(32))
    short = sockets(hub)
    return Classroom(settings.read(hub / "hub.toml"), cell.Places(hub, short), course, limits.found(short.name))


def sockets(hub):
    """A short folder for sockets, for this hub always the same, that nobody else can come into."""
    short = pathlib.Path("/run") if os.geteuid() == 0 else pathlib.Path(tempfile.gettempdir())
    status = hub.stat()
    folder = short / f"dpbook-{os.geteuid()}-{status.st_dev:x}-{status.st_ino:x}"
    folder.mkdir(mode=0o700, exist_ok=True)
    kept = folder.lstat()
    if folder.is_symlink() or kept.st_uid != os.geteuid() or kept.st_mode & 0o077:
        raise PermissionError(f"{folder} is somebody else's, or open to others: remove it")
    (folder / "door").mkdir(exist_ok=True)
    (folder / "door").chmod(0o755)
    return folder
