"""Find bubblewrap, the jail of students' code, installing it if need be: `python -m tools.classroom.bubblewrap`.

One that is installed and works; else Debian's package; else one clear sentence and exit code 1.
"""

import shutil
import sys

from tools import debian

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
    works = debian.run([path, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "/bin/true"])
    return "" if works else NAMESPACES


def install():
    """Try Debian's package. What it prints is kept for the sentence at the end."""
    if debian.can_install():
        print("no bubblewrap here; trying: apt-get install bubblewrap", flush=True)
        debian.install("bubblewrap")


if __name__ == "__main__":
    if not installed():
        install()
    if sentence := trouble():
        sys.exit(f"Grading cannot be tested here: {sentence}.")
    print(installed())
