"""How much of the machine one student may use: a control group for each, where the kernel lets us make them.

Version 2 of control groups (every current distribution) and version 1 are known. Where neither can be written, as for
an ordinary user whose service has no `Delegate=yes`, the caller bounds the memory of each process instead, and says so.
"""

import contextlib
import errno
import os
import pathlib
import shlex

SYSTEM = pathlib.Path("/sys/fs/cgroup")
PERIOD = 100_000  # microseconds: processor time is shared out ten times a second
SHARES = 20 * 1024  # of a class; without, all its students together would weigh as much as one process beside them


class Groups:
    """Control groups below some folders, a folder a controller (version 1), or one folder for all (version 2).

    Without a kind and without folders there are none, and nothing is made.
    """

    def __init__(self, kind, folders):
        self.kind, self.folders = kind, folders

    def group(self, name, settings):
        """Make the student's group, or set it anew; the files that a process writes its number to, to be in it."""
        for controller, folder in self.folders.items():
            place = folder / name
            place.mkdir(parents=True, exist_ok=True)
            _written(place, self._values(settings)[controller])
        return [str(folder / name / "cgroup.procs") for folder in dict.fromkeys(self.folders.values())]

    def clear(self, name):
        """Take the group away, once nothing is in it."""
        for folder in dict.fromkeys(self.folders.values()):
            with contextlib.suppress(OSError):
                (folder / name).rmdir()

    def close(self):
        """Take the folders of all groups away, once the hub has ended and nothing is in them."""
        self.clear(".")

    def _values(self, settings):
        memory, quota = settings.megabytes * 2**20, round(settings.processors * PERIOD)
        if self.kind == "v2":
            return {
                "memory": {"memory.max": memory, "memory.swap.max": 0, "memory.oom.group": 0},
                "cpu": {"cpu.max": f"{quota} {PERIOD}"},
                "pids": {"pids.max": settings.processes},
            }
        return {
            "memory": {"memory.limit_in_bytes": memory, "memory.memsw.limit_in_bytes": memory},
            "cpu": {"cpu.cfs_period_us": PERIOD, "cpu.cfs_quota_us": quota},
            "pids": {"pids.max": settings.processes},
        }


MUST = {"memory.max", "cpu.max", "pids.max", "memory.limit_in_bytes", "cpu.cfs_period_us", "cpu.cfs_quota_us"}


def _written(place, values):
    """Write the limits of a group. With version 1, memory alone must stay below memory with swap: while both grow, the
    other one goes first."""
    values = {file: value for file, value in values.items() if (place / file).exists() or file in MUST}
    for file, value in values.items():
        try:
            (place / file).write_text(str(value))
        except OSError as error:
            if error.errno != errno.EINVAL or file != "memory.limit_in_bytes":
                raise
            (place / "memory.memsw.limit_in_bytes").write_text(str(value))
            (place / file).write_text(str(value))


def found(family, system=SYSTEM, own=pathlib.Path("/proc/self/cgroup"), process=None):
    """The control groups that this hub may make, or `Groups` without a kind. `family` is the hub's name among others.

    With version 2 the hub itself moves into a group of its own, since one with processes in it shares out nothing.
    """
    process = process or os.getpid()
    with contextlib.suppress(OSError):
        return _second(family, system, own, process)
    with contextlib.suppress(OSError):
        return _first(family, system)
    return Groups("", {})


def _second(family, system, own, process):
    if not {"memory", "cpu", "pids"} <= set((system / "cgroup.controllers").read_text().split()):
        raise OSError("controllers are missing")
    inside = next(line for line in own.read_text().splitlines() if line.startswith("0::")).removeprefix("0::/")
    base = system / inside
    if base.name == "hub" and base.parent.name:
        base = base.parent  # started again where an earlier one has moved to
    (base / "hub").mkdir(exist_ok=True)
    (base / "hub" / "cgroup.procs").write_text(str(process))
    (base / "cgroup.subtree_control").write_text("+memory +cpu +pids")
    (base / family).mkdir(exist_ok=True)
    (base / family / "cgroup.subtree_control").write_text("+memory +cpu +pids")
    return Groups("v2", dict.fromkeys(("memory", "cpu", "pids"), base / family))


def _first(family, system):
    folders = {controller: system / controller / family for controller in ("memory", "cpu", "pids")}
    if not all((folder.parent / "cgroup.procs").exists() for folder in folders.values()):
        raise OSError("no control groups of version 1")
    for folder in folders.values():
        folder.mkdir(exist_ok=True)
    (folders["cpu"] / "cpu.shares").write_text(str(SHARES))
    return Groups("v1", folders)


def joined(files, command):
    """The command, to be started by a shell that first enters the groups, and stays: a signal to it ends all."""
    enter = "".join(f"echo $$ > {shlex.quote(file)} && " for file in files)
    return ["/bin/sh", "-c", f'{enter}{{ "$@"; exit $?; }}', "hub", *command]
