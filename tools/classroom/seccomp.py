"""What a jailed process may ask of the kernel: a list of system calls; all others fail as if there were none such.

Nothing on the list makes a process, a thread, a socket, a namespace, a key, or memory that no limit counts. A file can
be opened but not made. Calls of another processor's kind end the process. `python -m tools.classroom.runner` needs
these calls for Python, numpy, scipy, IPython and matplotlib; the numbers are checked against the kernel's headers.
"""

import struct

# For each processor the kernel's name of it; below, each call's number on x86_64 and on aarch64 (None: it has none).
PROCESSORS = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CALLS = {
    # files that are there already
    "openat": (257, 56), "read": (0, 63), "readv": (19, 65), "pread64": (17, 67), "lseek": (8, 62), "close": (3, 57),
    "close_range": (436, 436), "write": (1, 64), "writev": (20, 66), "pwrite64": (18, 68), "dup": (32, 23),
    "dup2": (33, None), "dup3": (292, 24), "fcntl": (72, 25), "ioctl": (16, 29), "fstat": (5, 80), "stat": (4, None),
    "lstat": (6, None), "newfstatat": (262, 79), "statx": (332, 291), "access": (21, None), "faccessat": (269, 48),
    "faccessat2": (439, 439), "readlink": (89, None), "readlinkat": (267, 78), "getdents64": (217, 61),
    "getcwd": (79, 17), "chdir": (80, 49), "umask": (95, 166), "fstatfs": (138, 44), "statfs": (137, 43),
    "fadvise64": (221, 223), "pipe": (22, None), "pipe2": (293, 59), "select": (23, None), "pselect6": (270, 72),
    "poll": (7, None), "ppoll": (271, 73),
    # memory that RLIMIT_AS counts
    "mmap": (9, 222), "munmap": (11, 215), "mprotect": (10, 226), "mremap": (25, 216), "madvise": (28, 233),
    "brk": (12, 214), "mincore": (27, 232),
    # itself, and its limits, which it can only lower
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "sigaltstack": (131, 132),
    "restart_syscall": (219, 128), "kill": (62, 129), "tgkill": (234, 131), "getpid": (39, 172), "getppid": (110, 173),
    "gettid": (186, 178), "getpgrp": (111, None), "getpgid": (121, 155), "getsid": (124, 156), "getuid": (102, 174),
    "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177), "getgroups": (115, 158),
    "getresuid": (118, 148), "getresgid": (120, 150), "getrlimit": (97, 163), "setrlimit": (160, 164),
    "prlimit64": (302, 261), "getrusage": (98, 165), "times": (100, 153), "sysinfo": (99, 179), "uname": (63, 160),
    "prctl": (157, 167), "arch_prctl": (158, None), "futex": (202, 98), "set_tid_address": (218, 96),
    "set_robust_list": (273, 99), "rseq": (334, 293), "membarrier": (324, 283), "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123), "getcpu": (309, 168), "execve": (59, 221), "wait4": (61, 260),
    "exit": (60, 93), "exit_group": (231, 94),
    # clocks and chance
    "clock_gettime": (228, 113), "clock_getres": (229, 114), "clock_nanosleep": (230, 115), "nanosleep": (35, 101),
    "gettimeofday": (96, 169), "time": (201, None), "setitimer": (38, 103), "getitimer": (36, 102),
    "alarm": (37, None), "getrandom": (318, 278),
}  # fmt: skip
MAKES_A_FILE = 0x400040  # O_CREAT and O_TMPFILE among the flags of openat
ALLOW, REFUSE, UNKNOWN, KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000  # REFUSE: EPERM; UNKNOWN: ENOSYS
LOAD, EQUAL, ANY_BIT, LEAVE = 0x20, 0x15, 0x45, 0x06
NUMBER, PROCESSOR, THIRD_ARGUMENT = 0, 4, 32  # where they stand in what the kernel hands to the program


def numbers(processor):
    """The numbers of the calls on the list, by their names."""
    place = list(PROCESSORS).index(processor)
    return {name: number[place] for name, number in CALLS.items() if number[place] is not None}


def program(processor):
    """The rules for the kernel, as bytes for bubblewrap; None for a processor that is not among `PROCESSORS`."""
    if processor not in PROCESSORS:
        return None
    calls = numbers(processor)
    opening = calls.pop("openat")
    allowed = len(calls) + 7  # the rule that allows
    rules = [(LOAD, 0, 0, PROCESSOR), (EQUAL, 0, allowed, PROCESSORS[processor]), (LOAD, 0, 0, NUMBER)]
    rules += [(EQUAL, len(calls) + 1, 0, opening)]
    rules += [(EQUAL, allowed - place - 1, 0, number) for place, number in enumerate(calls.values(), start=4)]
    rules += [(LEAVE, 0, 0, UNKNOWN), (LOAD, 0, 0, THIRD_ARGUMENT), (ANY_BIT, 1, 0, MAKES_A_FILE)]
    rules += [(LEAVE, 0, 0, ALLOW), (LEAVE, 0, 0, REFUSE), (LEAVE, 0, 0, KILL)]
    return b"".join(struct.pack("HBBI", *rule) for rule in rules)
