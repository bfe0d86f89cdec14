"""Each layer of the jail alone, with all others off: none hides behind another that would stop the same probe.

The list of system calls is also run through here, rule by rule as the kernel does it, for both processors, and its
numbers are compared with the kernel's own headers.
"""

import errno
import os
import pathlib
import pickle
import platform
import re
import socket
import struct
import subprocess
import tempfile
import textwrap

import numpy as np
import pytest

from dpbook.check import Unusable
from tools.classroom import assignments, bubblewrap, failures, jail, runner, seccomp
from tools.classroom.jail import Limits, jailed_draws

pytestmark = pytest.mark.depends("tests/test_jail.py")

HEADERS = {
    "x86_64": pathlib.Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": pathlib.Path("/usr/include/asm-generic/unistd.h"),
}


@pytest.fixture(scope="module", autouse=True)
def bwrap():
    assert not bubblewrap.trouble(), f"{bubblewrap.trouble()}; `python -m tools.classroom.bubblewrap` tries to"


def behind(layers, code, shape=()):
    """What `probe()` gives, in this shape, behind these layers alone, with /proc in view."""
    answer = "import os\n" + textwrap.dedent(code)
    request = {"setup": "", "answer": answer, "name": "probe", "batches": [([()], None, shape, 1)]}
    with tempfile.TemporaryFile() as file, jail._filter() as rules:
        pickle.dump(request, file)
        file.seek(0)
        command = jail._jail(Limits(10, 2048), rules, None, layers)
        command[1:1] = ["--ro-bind", "/proc", "/proc"]
        done = subprocess.run(command, stdin=file, capture_output=True, pass_fds=(rules,), env={}, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return np.frombuffer(done.stdout).reshape(shape)


def namespace(kind):
    own = os.readlink(f"/proc/self/ns/{kind}")
    return f"def probe():\n    return os.readlink('/proc/self/ns/{kind}') == {own!r}"


PROBES = {
    "user": "def probe():\n    return os.getuid() != 65534",
    "processes": namespace("pid"),
    "network": namespace("net"),
    "ipc": namespace("ipc"),
    "names": namespace("uts"),
    "cgroups": namespace("cgroup"),
    "session": f"def probe():\n    return os.getsid(0) in (0, {os.getsid(0)})",
    "capabilities": """
        def probe():
            (line,) = [line for line in open("/proc/self/status") if line.startswith("CapEff")]
            return int(line.split()[1], 16) != 0
    """,
    "files": """
        def probe():
            try:
                return bool(os.open("/written", os.O_CREAT | os.O_WRONLY))
            except OSError:
                return False
    """,
    "calls": """
        def probe():
            try:
                return bool(os.pipe() and os.memfd_create("uncounted"))
            except OSError:
                return False
    """,
}


def test_every_layer_has_a_probe():
    assert set(PROBES) == set(jail.LAYERS)


@pytest.mark.parametrize("layer", jail.LAYERS)
def test_a_layer_alone_stops_its_probe(layer):
    """And nothing else does: without any layer the probe succeeds."""
    assert behind((layer,), PROBES[layer]) == 0
    without = ("user",) if layer in ("capabilities",) and os.getuid() else ()
    assert behind(without, PROBES[layer]) == 1


def test_the_network_alone():
    """A door on this machine that anyone may open, and only the network's layer shuts."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = f"""
            import socket
            def probe():
                try:
                    return bool(socket.create_connection(("127.0.0.1", {server.getsockname()[1]}), 2))
                except OSError:
                    return False
        """
        assert behind((), code) == 1 and behind(("network",), code) == 0


CALLS = {
    "fork": 57, "socket": 41, "socketpair": 53, "unshare": 272, "setns": 308, "ptrace": 101, "io_uring_setup": 425,
    "process_vm_readv": 310, "shmget": 29, "semget": 64, "msgget": 68, "mq_open": 240, "add_key": 248,
    "request_key": 249, "keyctl": 250, "userfaultfd": 323, "pidfd_open": 434, "bpf": 321, "perf_event_open": 298,
    "inotify_init1": 294, "memfd_create": 319, "clone": 56, "clone3": 435, "mount": 165, "mkdir": 83, "open": 2,
    "getpid of x32": 0x40000000 + 39,
}  # fmt: skip


def missing(layers, calls):
    """Which of these calls the kernel does not have (ENOSYS) behind these layers alone."""
    code = f"""
        import ctypes
        def probe():
            kernel, errors = ctypes.CDLL(None, use_errno=True), []
            for number in {[CALLS[call] for call in calls]}:
                ctypes.set_errno(0)
                kernel.syscall(number, -1, -1, -1, -1, -1, -1)
                errors.append(ctypes.get_errno())
            return errors
    """
    found = behind(layers, code, (len(calls),))
    return {call for call, error in zip(calls, found, strict=True) if error == errno.ENOSYS}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86_64")
def test_a_call_that_is_not_listed_is_none():
    """And the calls exist without the list: so it does not come from the kernel."""
    assert missing(("calls",), CALLS) == set(CALLS)
    assert not missing((), ("semget", "msgget", "socket", "memfd_create", "inotify_init1", "mkdir"))


def kernel(program, processor, number, third=0):
    """What the kernel would do with a call: its rules, one after the other."""
    rules = [struct.unpack_from("HBBI", program, place) for place in range(0, len(program), 8)]
    words = {seccomp.NUMBER: number, seccomp.PROCESSOR: processor, seccomp.THIRD_ARGUMENT: third}
    place, held = 0, 0
    while True:
        code, yes, no, value = rules[place]
        if code == seccomp.LEAVE:
            return value
        if code == seccomp.LOAD:
            held, place = words[value], place + 1
        else:
            true = held == value if code == seccomp.EQUAL else bool(held & value)
            place += 1 + (yes if true else no)


@pytest.mark.parametrize("processor", seccomp.PROCESSORS)
def test_the_rules_allow_the_list_and_nothing_else(processor):
    program, own = seccomp.program(processor), seccomp.PROCESSORS[processor]
    listed = set(seccomp.numbers(processor).values())
    for number in [*range(2000), *range(0x40000000, 0x40000800), 2**32 - 1]:
        wanted = seccomp.ALLOW if number in listed else seccomp.UNKNOWN
        assert kernel(program, own, number) == wanted, number
    for foreign in (0x40000003, 0x40000028, *set(seccomp.PROCESSORS.values()) - {own}):
        assert kernel(program, foreign, 0) == seccomp.KILL
    opening = seccomp.numbers(processor)["openat"]
    assert kernel(program, own, opening, os.O_RDONLY | os.O_CLOEXEC) == seccomp.ALLOW
    assert kernel(program, own, opening, os.O_WRONLY | os.O_CREAT) == seccomp.REFUSE
    assert kernel(program, own, opening, os.O_RDWR | 0x400000) == seccomp.REFUSE, "O_TMPFILE"


def test_another_processor_has_no_rules():
    assert seccomp.program("riscv64") is None


@pytest.mark.parametrize("processor", seccomp.PROCESSORS)
def test_the_numbers_are_the_kernels(processor):
    if not HEADERS[processor].exists():
        pytest.skip(f"no kernel headers here (Debian: linux-libc-dev): {HEADERS[processor]}")
    text = HEADERS[processor].read_text().replace("__NR3264_fstatat", "__NR3264_newfstatat")
    kernels = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\b", text)}
    assert len(kernels) > 250
    ours = seccomp.numbers(processor)
    assert {name: kernels[name] for name in ours} == ours
    missing = set(seccomp.CALLS) - set(ours)
    assert not missing & set(kernels) and len(set(ours.values())) == len(ours)


# The limits, in a process without any jail around it.


def reason(code, limits, unsafe=True):
    with pytest.raises(Unusable) as refused:
        jailed_draws("", code, "probe", 1, limits, unsafe)([()])
    return str(refused.value)


@pytest.mark.parametrize("unsafe", [True, False])
def test_memory_ends_by_the_limit_of_memory(unsafe):
    """Touched at once, so that only this limit can come first."""
    code = "def probe():\n    return len(bytearray(700 * 2**20))\n"
    assert jailed_draws("", code, "probe", 1, Limits(30, 1600), unsafe)([()]).item() == 700 * 2**20
    assert reason(code, Limits(30, 600), unsafe) == str(failures.OF_CODE[runner.MEMORY])


def test_time_ends_by_the_clock():
    """And by the processor, whose limit is set (below): `failures.SLOW` of `tests/test_failures.py` comes of that."""
    assert "too long" in reason("def probe():\n    import time\n    time.sleep(60)\n", Limits(1, 1024))


def test_what_an_answer_prints_goes_nowhere():
    code = "import os\ndef probe():\n    print('debug', flush=True)\n    return 3.0 + 0 * os.write(1, b'12345678')\n"
    assert jailed_draws("", code, "probe", 1)([()]).item() == 3


def test_students_are_told_the_limit():
    assert f"after {Limits().seconds} seconds of computing" in assignments.RULES


@pytest.mark.parametrize(("code", "late", "said"), [(200, False, failures.OTHER_END), (0, True, failures.SLOW)])
def test_numbers_of_a_process_that_came_to_grief_are_not_taken(monkeypatch, code, late, said):
    assert 200 not in failures.OF_CODE
    monkeypatch.setattr(jail, "run", lambda *_, **__: (bytes(8), code, late))
    with pytest.raises(Unusable, match=str(said)):
        jailed_draws("", "", "probe", 1)([()])


def test_no_byte_can_be_written(tmp_path):
    code = f"import os\ndef probe():\n    return os.write(os.open({str(tmp_path / 'x')!r}, 0o101), b'x')\n"
    assert reason(code, None) == str(failures.OF_CODE[runner.ERROR])
    assert (tmp_path / "x").read_bytes() == b""


def test_the_other_limits_are_set():
    code = """
        import resource as r
        def probe():
            kinds = r.RLIMIT_CPU, r.RLIMIT_AS, r.RLIMIT_FSIZE, r.RLIMIT_NOFILE, r.RLIMIT_CORE, r.RLIMIT_NPROC
            return [number for kind in kinds for number in r.getrlimit(kind)]
    """
    found = jailed_draws("", textwrap.dedent(code), "probe", 1, Limits(7, 900), unsafe=True)([()], shape=(12,))
    assert found.ravel().tolist() == [7, 7, 900 * 2**20, 900 * 2**20, 0, 0, 64, 64, 0, 0, 0, 0]
