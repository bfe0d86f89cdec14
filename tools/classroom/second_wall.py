"""The second wall, for a machine that makes no user namespaces, such as most containers: another user and few calls.

`python second_wall.py RULES PROGRAM ...`, started as root, becomes the user `NOBODY`, who owns no file, gives up every
way to new rights, and leaves the kernel to answer only the calls of `seccomp` (the descriptor RULES holds them): none
makes a socket, a file, a process or a namespace. Then it becomes PROGRAM. It reads what that user may read: the
grader's own files must be root's alone, which `tools.classroom.jail.refusal` looks at.
"""

import ctypes
import os
import sys

NOBODY = 65534
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2  # of prctl
RULE = 8  # bytes
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # a second one may not start


class Program(ctypes.Structure):
    """The kernel's struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("rules", ctypes.c_void_p))


def main(rules, *command):
    written = os.pread(int(rules), 1 << 20, 0)
    os.closerange(3, 1024)
    os.umask(0o077)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    kernel = ctypes.CDLL(None, use_errno=True)
    held = ctypes.create_string_buffer(written, len(written))
    program = Program(len(written) // RULE, ctypes.cast(held, ctypes.c_void_p))
    steps = ((NO_NEW_PRIVILEGES, 1, 0), (SECCOMP, FILTER, ctypes.byref(program)))
    if any(kernel.prctl(what, value, more, 0, 0) for what, value, more in steps):
        raise OSError(ctypes.get_errno(), "the kernel takes no list of calls")
    os.execve(command[0], command, dict.fromkeys(ONE_THREAD, "1"))


if __name__ == "__main__":
    main(*sys.argv[1:])
