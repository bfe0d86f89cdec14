"""A fresh process in a jail for each batch of a student's answers: 8 bytes for each number come out, and nothing else.

The jail (bubblewrap) has no network, no disk that can be written, and sees only Python, its libraries, numpy, scipy and
dpbook: not the course, not the other submissions. Of the kernel it may ask what `seccomp` lists, rlimits bound time
and memory. All judging is done outside: what a student's code patches, prints or forges changes only its own numbers.

The start of these processes, most of it numpy's import, is a fourth of the time that a right answer takes. What checks
of hidden data ask for one after the other is drawn in one process (`ahead`); the two sides of a pair of neighbours, and
what must come out twice, never are. One process that forks would save it, and was left: what a child can leave for the
next one (limits of its parent, flags of files that both have open, cookies of the scheduler) is hard to list to the
end, and answers may remember nothing.
"""

import collections
import contextlib
import functools
import importlib.util
import itertools
import math
import os
import pathlib
import pickle
import platform
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from dataclasses import dataclass

import numpy as np

from dpbook.check import Unusable, own_seed
from tools.classroom import bubblewrap, failures, seccomp
from tools.classroom.runner import MEMORY

__all__ = ["LAYERS", "MEMORY", "SECOND", "Limits", "jailed_draws", "refusal", "run", "wall"]

RUNNER = pathlib.Path(__file__).with_name("runner.py")
WALL = pathlib.Path(__file__).with_name("second_wall.py")
SECOND = "second wall"  # in the place of `unsafe`: no namespaces, but another user and few calls
PACKAGES = ("numpy", "numpy.libs", "scipy", "scipy.libs", "dpbook", "livefig")
PROFILE = ("security", "log", "startup", "pid", "static")  # folders that IPython wants to find
AGAIN = 20  # releases of a draw that are drawn once more, from another place: a small part of all, in time and bytes
TOO_MUCH = 50 * 2**20  # bytes of outputs in one batch

# Each layer of the jail by its name; `tests/test_jail.py` tries each with the others off.
LAYERS = {
    "user": ["--unshare-user", "--uid", "65534", "--gid", "65534"],
    "processes": ["--unshare-pid"],
    "network": ["--unshare-net"],
    "ipc": ["--unshare-ipc"],
    "names": ["--unshare-uts"],
    "cgroups": ["--unshare-cgroup-try"],
    "session": ["--new-session"],
    "capabilities": ["--cap-drop", "ALL"],
    "files": ["--remount-ro", "/"],
    "calls": ["--seccomp"],
}


@dataclass(frozen=True)
class Limits:
    """What one batch may use: seconds of processor time (twice that by the clock), and megabytes.

    All batches of a submission together, and what judges them, may take `total` seconds by the clock.
    """

    seconds: int = 20
    megabytes: int = 2048
    total: int = 300


def jailed_draws(setup, answer, name, seed, limits=None, unsafe=False, until=math.inf):
    """A `draw`, as `dpbook.check.judge` wants it, that runs the function `name` of the code `answer` in a jail.

    `setup` runs before the answer; `seed` is where the generators of its calls come from. After `until` (a time of
    `time.monotonic`) nothing is drawn any more.
    """
    seeds, limits = np.random.SeedSequence(seed), limits or Limits()
    heard = []  # the first releases of what was drawn: the calls, the seed, and what came
    drawn = collections.deque()  # ahead of time: what was asked for, its seed, and the outputs (None: there are none)

    def outputs(batches, from_a_cell=False):
        sizes = [_size(*batch[:3]) for batch in batches]
        ends = list(itertools.accumulate(8 * math.prod(size) for size in sizes))
        left = until - time.monotonic()
        if left <= 0:
            raise Unusable(failures.ALL_SLOW)
        request = {"setup": setup, "answer": answer, "name": name, "batches": batches, "from_a_cell": from_a_cell}
        written = _run(request, ends[-1], limits, unsafe, left)
        parts = [written[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        return [np.frombuffer(part, dtype=float).reshape(size) for part, size in zip(parts, sizes, strict=True)]

    def draw(calls, samples=None, shape=(), seed=None):
        ready = None
        if seed is None and drawn:
            asked, chosen, ready = drawn.popleft()
            if asked[0] is not calls:
                raise ValueError("what is drawn must be what was asked for ahead of time, in the same order")
        else:
            chosen = seeds.spawn(1)[0] if seed is None else own_seed(seeds, seed)
        if ready is None:
            ready = outputs([(calls, samples, shape, chosen)])[0]
        if samples is not None:
            first = ready[:1, :AGAIN].copy()
            heard.append(((calls[:1], first.shape[1], shape, chosen), first))
        return ready

    def ahead(asks):
        """Draw what the next draws will ask for, in one process with the limits of one batch.

        The numbers are those of a process each. Where one cannot be made, each is drawn when it is asked for.
        """
        batches = [(*asked, chosen) for asked, chosen in zip(asks, seeds.spawn(len(asks)), strict=True)]
        room = itertools.accumulate(8 * math.prod(_size(*asked)) for asked in asks)
        first = batches[: sum(end <= TOO_MUCH for end in room)]
        try:
            ready = outputs(first) if len(first) > 1 else []
        except Unusable:
            ready = []
        ready += [None] * (len(batches) - len(ready))
        drawn.extend(zip(asks, (batch[-1] for batch in batches), ready, strict=True))

    def again():
        """Whether the first releases of each draw come again with the same seeds, the last ones first, from a cell."""
        room = itertools.accumulate(first.nbytes for _, first in reversed(heard))
        kept = [one for one, end in zip(reversed(heard), room, strict=True) if end <= TOO_MUCH]
        later = outputs([batch for batch, _ in kept], from_a_cell=True) if kept else []
        return all(_alike(first, other) for (_, first), other in zip(kept, later, strict=True))

    draw.ahead, draw.again = ahead, again
    return draw


def _alike(one, other):
    """Whether two arrays are equal up to rounding."""
    return np.abs(one - other).max(initial=0) <= 1e-9 * (1 + np.abs(one).max(initial=0))


def _size(calls, samples, shape):
    """The shape of what comes back."""
    return (len(calls), samples or 1, *shape)


def _run(request, expected, limits, unsafe, left):
    """Exactly `expected` bytes from a fresh process, or `Unusable` with the reason."""
    if expected > TOO_MUCH:
        raise ValueError(f"a batch may give at most {TOO_MUCH} bytes; {expected} were asked for")
    outputs, code, late = run(request, expected + 1, limits, unsafe, left=left)
    if late and left < 2 * limits.seconds:
        raise Unusable(failures.ALL_SLOW)
    if late or code in (-24, 128 + 24, -9, 128 + 9):
        raise Unusable(failures.SLOW)
    if code in failures.OF_CODE:
        raise Unusable(failures.OF_CODE[code])
    if code or len(outputs) != expected:
        raise Unusable(failures.OTHER_END)
    return outputs


def run(request, most, limits, unsafe=False, libraries=None, left=math.inf):
    """What the runner writes in a fresh process, up to `most` bytes; its exit code; and whether it was too late.

    `libraries` is a further folder to import from; a jail that has it also has an empty /tmp. `left` is the seconds
    until it is stopped in any case.
    """
    with tempfile.TemporaryFile() as file, _filter() as rules:
        pickle.dump(request, file)
        file.seek(0)
        if unsafe == SECOND:
            command = _second(limits, rules)
        else:
            command = _bare(limits) if unsafe else _jail(limits, rules, libraries)
        pipes = {"stdin": file, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        kept = () if unsafe is True or rules is None else (rules,)
        with subprocess.Popen(command, pass_fds=kept, env={}, start_new_session=True, **pipes) as process:
            alarm = threading.Timer(min(2 * limits.seconds, left), process.kill)
            alarm.start()
            try:
                outputs = process.stdout.read(most)
                process.stdout.close()
                code = process.wait()
            finally:
                process.kill()
                late = not alarm.is_alive()
                alarm.cancel()
    return outputs, code, late


def _arguments(limits):
    return [str(limits.seconds), str(limits.megabytes)]


def _bare(limits):
    """No jail: a fresh process with limits, and the instructor's own rights."""
    folders = dict.fromkeys(str(_folder(name).parent) for name in PACKAGES if _folder(name))
    return [sys.executable, "-I", "-S", "-B", str(RUNNER), *_arguments(limits), *folders]


def _second(limits, rules):
    """The command that runs the runner behind the second wall: as text, for its file cannot be read there."""
    python, *options, _ = _bare(limits)[:5]
    runner = [python, *options, "-c", RUNNER.read_text(encoding="utf-8"), *_bare(limits)[5:]]
    return [python, *options, str(WALL), str(rules), *runner]


def wall():
    """Which wall can stand here: False (bubblewrap's), `SECOND`, or None; as `unsafe` is said elsewhere."""
    if not bubblewrap.trouble():
        return False
    return SECOND if os.geteuid() == 0 and seccomp.program(platform.machine()) else None


def refusal(files):
    """Why the second wall cannot stand here; "" if it can: a probe behind it may read none of these `files`."""
    probe = f"""
import os
def probe():
    return sum(os.access(place, os.R_OK) for place in {[str(file) for file in files]!r})
"""
    try:
        read = jailed_draws("", probe, "probe", 1, unsafe=SECOND)([()]).item()
    except Unusable as trouble:
        return f"nothing can be run behind it ({trouble})"
    return f"{read:g} of the grader's own files can be read from behind it" if read else ""


def _jail(limits, rules, libraries, layers=tuple(LAYERS)):
    """The command that runs the runner in bubblewrap, with these of its layers."""
    python = os.path.realpath(sys.executable)
    base = pathlib.Path(sys.base_prefix)
    inside = [*_bind("/lib"), *_bind("/lib64"), *_bind("/usr/lib"), *_bind("/usr/lib64"), *_bind(base / "lib")]
    for hidden in {sysconfig.get_path(kind, vars={"base": base, "platbase": base}) for kind in ("purelib", "platlib")}:
        if os.path.isdir(hidden) and hidden.startswith(f"{base}/lib"):
            inside += ["--tmpfs", hidden, "--remount-ro", hidden]
    inside += [*_bind(python), *_bind(RUNNER, "/jail/runner.py")]
    for name in PACKAGES:
        inside += _bind(_folder(name), f"/jail/site/{name}") if _folder(name) else []
    if libraries:
        inside += [*_bind(libraries, "/jail/libraries"), "--tmpfs", "/tmp"]
        inside += [word for name in PROFILE for word in ("--dir", f"/tmp/profile_default/{name}")]
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        inside += ["--setenv", name, "1"]
    walls = [word for name in layers if name != "calls" for word in LAYERS[name]]
    calls = [*LAYERS["calls"], str(rules)] if "calls" in layers and rules is not None else []
    runner = [python, "-I", "-S", "-B", "/jail/runner.py", *_arguments(limits), "/jail/site", "/jail/libraries"]
    return [bubblewrap.installed(), "--die-with-parent", *inside, "--chdir", "/", *walls, *calls, "--", *runner]


def _bind(path, inside=None):
    return ["--ro-bind-try", str(path), str(inside or path)]


@functools.cache
def _folder(name):
    """Where a package, or the libraries beside it, lie; None if they are not here."""
    if name.endswith(".libs"):
        beside = _folder("numpy").parent / name
        return beside if beside.is_dir() else None
    found = importlib.util.find_spec(name)
    return pathlib.Path(found.submodule_search_locations[0]) if found else None


@contextlib.contextmanager
def _filter():
    """The descriptor of the list of system calls that are allowed; None on processors that it does not know."""
    program = seccomp.program(platform.machine())
    if program is None:
        yield None
        return
    with tempfile.TemporaryFile() as file:
        file.write(program)
        file.flush()
        file.seek(0)
        yield file.fileno()
