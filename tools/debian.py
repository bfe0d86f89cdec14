"""Debian's packages, for the two programs that the tests need and pip does not have: a browser and a jail."""

import os
import shutil
import subprocess


def can_install():
    """Whether this machine installs Debian's packages."""
    return shutil.which("apt-get") is not None


def install(package):
    """Whether the package could be installed, as root or through a sudo that asks for no password."""
    as_root = [] if os.geteuid() == 0 else ["sudo", "--non-interactive"]
    commands = [["apt-get", "update", "--quiet"], ["apt-get", "install", "--yes", "--quiet", package]]
    return all(run(as_root + command) for command in commands)


def run(command):
    """Whether a command could be run and ended well."""
    try:
        return subprocess.run(command, capture_output=True, timeout=600, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
