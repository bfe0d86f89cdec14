"""A fresh process in a jail for each batch of a student's answers: 8 bytes for each number come out, and nothing else.

The jail (bubblewrap) has no network, no disk that can be written, and sees only Python, its libraries, numpy, scipy and
dpbook: not the course, not the other submissions. Seccomp refuses new processes and sockets, rlimits bound time and
memory. All judging is done outside, so what a student's code patches, prints or forges changes only its own numbers.
"""

import contextlib
import importlib.util
import math
import os
import pathlib
import pickle
import platform
import struct
import subprocess
import sys
import sysconfig
import tempfile
import threading
from dataclasses import dataclass

import numpy as np

from dpbook.check import Unusable
from tools.classroom import bubblewrap
from tools.classroom.runner import FIRST, REASONS

RUNNER = pathlib.Path(__file__).with_name("runner.py")
PACKAGES = ("numpy", "numpy.libs", "scipy", "scipy.libs", "pywt", "pywavelets.libs", "dpbook")
TOO_MUCH = 50 * 2**20  # bytes of outputs in one batch

# What seccomp refuses: new processes and threads, sockets, new namespaces, other processes' memory, and memory that
# no limit counts. For each processor its name in the kernel, and the numbers of fork, vfork, clone, clone3, socket,
# socketpair, unshare, setns, ptrace, process_vm_readv and process_vm_writev, io_uring_setup, shmget.
SYSTEM_CALLS = {
    "x86_64": (0xC000003E, (57, 58, 56, 435, 41, 53, 272, 308, 101, 310, 311, 425, 29)),
    "aarch64": (0xC00000B7, (220, 435, 198, 199, 97, 268, 117, 270, 271, 425, 194)),
}


@dataclass(frozen=True)
class Limits:
    """What one batch may use: seconds of processor time (twice that by the clock), and megabytes."""

    seconds: int = 20
    megabytes: int = 2048


def jailed_draws(setup, answer, name, seed, limits=None, unsafe=False):
    """A `draw`, as `dpbook.check.judge` wants it, that runs the function `name` of the code `answer` in a jail.

    `setup` runs before the answer; `seed` is where the generators of its calls come from.
    """
    seeds, limits = np.random.SeedSequence(seed), limits or Limits()

    def draw(calls, samples=None, shape=(), seed=None):
        seed = seeds.spawn(1)[0] if seed is None else seed
        size = (len(calls), samples or 1, *shape)
        request = {"setup": setup, "answer": answer, "name": name, "call": (calls, samples, shape, seed)}
        return np.frombuffer(_run(request, 8 * math.prod(size), limits, unsafe), dtype=float).reshape(size)

    return draw


def _run(request, expected, limits, unsafe):
    """Exactly `expected` bytes from a fresh process, or `Unusable` with the reason."""
    if expected > TOO_MUCH:
        raise ValueError(f"a batch may give at most {TOO_MUCH} bytes; {expected} were asked for")
    outputs, code, late = run(request, expected + 1, limits, unsafe)
    if late or code in (-24, 128 + 24, -9, 128 + 9):
        raise Unusable("it took too long, or too much memory")
    if FIRST <= code < FIRST + len(REASONS):
        raise Unusable(REASONS[code - FIRST])
    if code or len(outputs) != expected:
        raise Unusable("it ended in another way than by returning its numbers")
    return outputs


def run(request, most, limits, unsafe=False, libraries=None):
    """What the runner writes in a fresh process, up to `most` bytes; its exit code; and whether it was too late.

    `libraries` is a further folder to import from; a jail that has it also has an empty /tmp.
    """
    with tempfile.TemporaryFile() as file, _filter() as seccomp:
        pickle.dump(request, file)
        file.seek(0)
        command = _bare(limits) if unsafe else _jail(limits, seccomp, libraries)
        pipes = {"stdin": file, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        kept = () if unsafe or seccomp is None else (seccomp,)
        with subprocess.Popen(command, pass_fds=kept, env={}, start_new_session=True, **pipes) as process:
            alarm = threading.Timer(2 * limits.seconds, process.kill)
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


def _jail(limits, seccomp, libraries):
    """The command that runs the runner in bubblewrap."""
    python = os.path.realpath(sys.executable)
    base = pathlib.Path(sys.base_prefix)
    inside = [*_bind("/lib"), *_bind("/lib64"), *_bind("/usr/lib"), *_bind("/usr/lib64"), *_bind(base / "lib")]
    for hidden in {sysconfig.get_path(kind, vars={"base": base, "platbase": base}) for kind in ("purelib", "platlib")}:
        inside += (
            ["--tmpfs", hidden, "--remount-ro", hidden]
            if os.path.isdir(hidden) and hidden.startswith(f"{base}/lib")
            else []
        )
    inside += [*_bind(python), *_bind(RUNNER, "/jail/runner.py")]
    for name in PACKAGES:
        inside += _bind(_folder(name), f"/jail/site/{name}") if _folder(name) else []
    inside += [*_bind(libraries, "/jail/libraries"), "--tmpfs", "/tmp"] if libraries else []
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        inside += ["--setenv", name, "1"]
    rules = [] if seccomp is None else ["--seccomp", str(seccomp)]
    nobody = ["--unshare-all", "--die-with-parent", "--new-session", "--uid", "65534", "--gid", "65534"]
    sealed = ["--cap-drop", "ALL", "--remount-ro", "/", "--chdir", "/", *rules]
    runner = [python, "-I", "-S", "-B", "/jail/runner.py", *_arguments(limits), "/jail/site", "/jail/libraries"]
    return [bubblewrap.installed(), *nobody, *inside, *sealed, "--", *runner]


def _bind(path, inside=None):
    return ["--ro-bind-try", str(path), str(inside or path)]


def _folder(name):
    """Where a package, or the libraries beside it, lie; None if they are not here."""
    if name.endswith(".libs"):
        beside = _folder("numpy").parent / name
        return beside if beside.is_dir() else None
    found = importlib.util.find_spec(name)
    return pathlib.Path(found.submodule_search_locations[0]) if found else None


@contextlib.contextmanager
def _filter():
    """The descriptor of a seccomp program that refuses new processes and sockets; None on other processors."""
    if platform.machine() not in SYSTEM_CALLS:
        yield None
        return
    with tempfile.TemporaryFile() as file:
        file.write(_program(*SYSTEM_CALLS[platform.machine()]))
        file.flush()
        file.seek(0)
        yield file.fileno()


def _program(architecture, calls):
    """The rules for the kernel: another architecture or one of the calls is refused with EPERM, all else allowed."""
    load, equal, at_least, leave = 0x20, 0x15, 0x35, 0x06
    refuse, allow = 0x00050001, 0x7FFF0000
    tests = [(equal, call) for call in calls] + [(at_least, 0x40000000)]
    last = len(tests) + 3  # the instruction that allows; the one after it refuses
    rules = [(load, 0, 0, 4), (equal, 0, last - 1, architecture), (load, 0, 0, 0)]
    rules += [(code, last - place, 0, value) for place, (code, value) in enumerate(tests, start=3)]
    rules += [(leave, 0, 0, allow), (leave, 0, 0, refuse)]
    return b"".join(struct.pack("HBBI", *rule) for rule in rules)
