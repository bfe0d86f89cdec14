"""Find bubblewrap, the jail that students' code is graded in, installing it if need be: `python -m tools.bubblewrap`.

One that is installed and works; else Debian's package; else one clear sentence and exit code 1.
"""

import os
import shutil
import subprocess
import sys

NAMESPACES = (
    "bubblewrap is installed, but this machine does not let it make user namespaces: allow them "
    "(Debian: sysctl kernel.unprivileged_userns_clone=1; Ubuntu 24.04: sysctl "
    "kernel.apparmor_restrict_unprivileged_userns=0; Docker: --security-opt seccomp=unconfined)"
)
MISSING = "bubblewrap is not installed: install it (Debian, Ubuntu: apt-get install bubblewrap; it needs Linux)"


def installed():
    """The path of a bubblewrap that is here already, or None."""
    return shutil.which("bwrap")


def trouble():
    """Why no jail can be made here, as a sentence that says what to do; "" if one can."""
    path = installed()
    if path is None:
        return MISSING
    works = run([path, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "/bin/true"])
    return "" if works else NAMESPACES


def install():
    """Try Debian's package. What it prints is kept for the sentence at the end."""
    if not shutil.which("apt-get"):
        return
    as_root = [] if os.geteuid() == 0 else ["sudo", "--non-interactive"]
    commands = [["apt-get", "update", "--quiet"], ["apt-get", "install", "--yes", "--quiet", "bubblewrap"]]
    print("no bubblewrap here; trying:", " ".join(as_root + commands[-1]), flush=True)
    all(run(as_root + command) for command in commands)


def run(command):
    """Whether a command could be run and ended well."""
    try:
        return subprocess.run(command, capture_output=True, timeout=600, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


if __name__ == "__main__":
    if not installed():
        install()
    if sentence := trouble():
        sys.exit(f"Grading cannot be tested here: {sentence}.")
    print(installed())
