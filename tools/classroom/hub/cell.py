"""The cell of a student's server: what it sees, and what it may use.

A cell (bubblewrap) has no network but itself, no processes but its own, and sees the system's programs, the environment
of the book and what `inside/` holds, all read-only, and one home. It is spoken to through two sockets: its own, on
which its server listens, and the hub's. There is no course in it, no other home, no exercises with their solutions, no
hub. A hub that runs as root gives each student a user number besides, that of the home.
"""

import hashlib
import os
import pathlib
import shutil
import sys
from dataclasses import dataclass

from tools.classroom import bubblewrap
from tools.classroom.desk import ARRIVING, copied

PROJECT = pathlib.Path(__file__).parents[3]
INSIDE = pathlib.Path(__file__).with_name("inside")
FIRST_NUMBER = 210_000  # of users: above those of people, of systemd and of containers
FEEDBACK, SOCKET, DOOR = "feedback", "server.sock", "hub.sock"
TAKEN = (ARRIVING, "hub", "proxy")  # files and folders of the hub's own where those of a student so named would be
SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
ETC = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/bash.bashrc", "/etc/inputrc")


@dataclass(frozen=True)
class Places:
    """Where a hub keeps what: its own folder, and a short one for sockets, whose names may have 107 letters only."""

    hub: pathlib.Path
    sockets: pathlib.Path

    def home(self, name):
        return self.hub / "homes" / name

    def returned(self, name):
        return self.hub / "returned" / name

    def own(self, name):
        """The folder of the socket of this student's server; letters and digits only, and small: proxies need that."""
        return self.sockets / hashlib.sha256(name.encode()).hexdigest()[:24]

    def door(self):
        """The folder of the hub's socket: the folder stays while hubs come and go."""
        return self.sockets / "door"

    def given(self):
        return self.hub / "given"

    def variants(self, name):
        return self.hub / "variants" / name


def stage(places, course, project=PROJECT):
    """Put what every student gets into one folder that everybody may read: the pages, their tables, the releases."""
    pages, given = project / "notebooks", places.given()
    tables = [*pages.glob("*.toml"), *pages.glob("*.json"), *pages.glob("papers/*.csv")]
    files = {path: given / "notebooks" / path.relative_to(pages) for path in tables if path.name != "ruff.toml"}
    shown = [*pages.glob("*.ipynb"), *pages.glob("[0-9][0-9]_*.py")]
    files |= {path: given / "notebooks" / path.name for path in shown}
    files |= {path: given / "assignments" / path.name for path in course.glob("release/*/*.ipynb")}
    shutil.rmtree(given, ignore_errors=True)
    for source, target in files.items():
        copied(source, target)
    _opened(given)
    return sorted(files.values())


def prepare(places, name, course, as_root):
    """Make what the cell of this student needs on the disk; the user number of the student, None if not `as_root`."""
    if name in TAKEN:
        raise ValueError(f"{name} is a name of the hub's own, and no student's")
    for folder in (places.hub / "homes", places.hub / "returned", places.hub / "variants", places.hub / "etc"):
        folder.mkdir(exist_ok=True)
    home, own = places.home(name), places.own(name)
    if not home.exists():
        new = home.with_name(f".{name}.new")  # whole with its owner, or not there
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(mode=0o700)
        if as_root:  # a number that no home has yet
            number = max([FIRST_NUMBER, *(one.stat().st_uid + 1 for one in home.parent.iterdir())])
            os.chown(new, number, number)
        new.rename(home)
    number = home.stat().st_uid if as_root else None
    if as_root and number < FIRST_NUMBER:
        raise ValueError(f"{home} belongs to user {number}, which is no student's: was the hub run by another user?")
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(mode=0o700)
    if as_root:
        os.chown(own, number, number)
    places.returned(name).mkdir(exist_ok=True)
    places.returned(name).chmod(0o755)
    shutil.rmtree(places.variants(name), ignore_errors=True)
    for release in course.glob(f"variants/{name}/*/*.ipynb"):
        copied(release, places.variants(name) / release.name)
    places.variants(name).mkdir(exist_ok=True)
    _opened(places.variants(name))
    inner = number or 1000
    etc = places.hub / "etc" / name
    etc.mkdir(exist_ok=True)
    _write(etc / "passwd", f"root:x:0:0::/:/bin/false\n{name}:x:{inner}:{inner}::/home/{name}:/bin/bash\n")
    _write(etc / "group", f"root:x:0:\n{name}:x:{inner}:\n")
    _write(etc / "hosts", "127.0.0.1 localhost book\n")
    _write(etc / "nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")
    return number


def command(places, name, number, words, megabytes=0):
    """The words that start, in the cell of this student, its server with these further words.

    `number` is the student's user, or None for the hub's own. `megabytes` bounds each process where nothing bounds all
    of them together; 0 bounds nothing.
    """
    home = f"/home/{name}"
    passable = [word for folder in ("/etc", "/etc/ipython", "/home", "/hub") for word in ("--dir", folder)]
    inside = [*passable, *_system(), "--proc", "/proc", "--dev", "/dev", "--size", str(2**28), "--tmpfs", "/tmp"]
    above = {folder for path in _environment() for folder in pathlib.Path(path).parents}
    for folder in sorted({*map(str, above)} - {"/"}):
        inside += ["--dir", folder]  # which everybody may pass; bubblewrap would make it for root alone
    for path in _environment():
        inside += ["--ro-bind-try", path, path]
    inside += ["--ro-bind", str(INSIDE), "/hub/inside", "--ro-bind", str(places.given()), "/hub/given"]
    inside += ["--ro-bind", str(places.variants(name)), "/hub/variants"]
    inside += ["--ro-bind", str(places.door()), "/hub/door", "--bind", str(places.own(name)), "/hub/own"]
    inside += ["--bind", str(places.home(name)), home, "--ro-bind", str(places.returned(name)), "/hub/returned"]
    for file in sorted((places.hub / "etc" / name).iterdir()):
        inside += ["--ro-bind", str(file), f"/etc/{file.name}"]
    inside += ["--ro-bind", str(INSIDE / "ipython_config.py"), "/etc/ipython/ipython_config.py"]
    walls = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    walls += ["--hostname", "book", "--new-session", "--die-with-parent", "--remount-ro", "/", "--chdir", "/"]
    if number is None:
        walls += ["--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"]
    else:
        walls += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    start = [sys.executable, "-I", "/hub/inside/start.py", str(number or 0), str(megabytes), *words]
    return [bubblewrap.installed(), *inside, *walls, "--", *start]


def surroundings(name, hub):
    """The variables of a cell. `hub` are those that tell its server who it is; none of this process's come along."""
    binaries = [str(pathlib.Path(sys.executable).parent), "/hub/inside/bin", "/usr/local/bin", "/usr/bin", "/bin"]
    house = PROJECT / "tools" / "book" / "jupyter"
    return hub | {
        "HOME": f"/home/{name}",
        "USER": name,
        "LOGNAME": name,
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "PATH": ":".join(binaries),
        "PYTHONPATH": f"/hub/inside:{PROJECT}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "JUPYTER_CONFIG_PATH": f"/hub/inside/config:{house}",
        "JUPYTER_PATH": "/hub/inside/share/jupyter",
        "JUPYTERLAB_WORKSPACES_DIR": f"/home/{name}/.jupyter/lab/workspaces",
        "DPBOOK_GUESSES": f"/home/{name}/.dpbook/guesses.jsonl",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }


def unreadable(project=PROJECT):
    """What other users of this machine must be able to read, if the hub runs as root, and cannot; "" if they can."""
    for path in (pathlib.Path(sys.prefix), project / "dpbook" / "__init__.py", INSIDE / "start.py"):
        wanted = 0o005 if path.is_dir() else 0o004
        if path.stat().st_mode & wanted != wanted:
            return f"a hub that runs as root needs its clone readable for others: chmod -R o+rX {project} ({path})"
    return ""


def _system():
    words = ["--ro-bind", "/usr", "/usr"]
    for path in SYSTEM:
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            words += ["--ro-bind", path, path]
    for path in ETC:
        words += ["--ro-bind-try", path, path]
    return words


def _environment():
    """Python, the environment, the package and what makes JupyterLab the book's: the same paths inside as outside."""
    base = [] if sys.base_prefix.startswith("/usr") else [sys.base_prefix]
    house = PROJECT / "tools" / "book"
    found = [*base, sys.prefix, PROJECT / "dpbook", PROJECT / "LICENSE", house / "jupyter", house / "saving.py"]
    return [str(path) for path in found]


def _opened(folder):
    for place, _, _ in os.walk(folder):
        os.chmod(place, 0o755)


def _write(path, text):
    path.write_text(text)
    path.chmod(0o644)
