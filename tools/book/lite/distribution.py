"""Pyodide, file by file what `pins.toml` says: `files(names)` gives the folder where they lie, each one verified.

They come from the folder that the variable PYODIDE names (the project's own release, unpacked); else from npm and PyPI,
through their clients, once, into build/pyodide. What has another sum is refused.
"""

import functools
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).parent
KEPT = HERE.parents[2] / "build" / "pyodide"


class Missing(Exception):
    """Pyodide, or a part of it, is not to be had here: one line that says why."""


@functools.cache
def pins():
    return tomllib.loads((HERE / "pins.toml").read_text(encoding="utf-8"))


def sum_of(path):
    """The sha256 sum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def verified(path, expected):
    """The path, if the file has this sum; `Missing` if it is not there, or is another file."""
    if not path.exists():
        raise Missing(f"{path.name} is not in {path.parent.name}")
    if (found := sum_of(path)) != expected:
        raise Missing(f"{path.name} is refused: its sha256 is {found}, not {expected}")
    return path


def lock():
    """The Pyodide project's own list of packages, as a dict."""
    name = "pyodide-lock.json"
    return json.loads(files([name])[name].read_text())


def files(names):
    """Name -> path of files of the core, of Pyodide's packages and of the wheels beside them, all verified."""
    found = {}
    for name in names:
        sums = _sums(name)
        if name not in sums:
            raise Missing(f"{name} is not among the files of Pyodide {pins()['pyodide']['version']}")
        found[name] = verified(_fetched(name), sums[name])
    return found


def closure(names, unused=None):
    """The entries of Pyodide's list that packages need, themselves among them: name -> entry.

    `unused` is what a package asks for and need not have: name -> names.
    """
    packages, found, todo = lock()["packages"], {}, [*names]
    while todo:
        name = todo.pop().lower().replace("_", "-")
        name = name if name in packages else name.replace("-", "_")
        if name not in found:
            needs = [one for one in packages[name]["depends"] if one not in (unused or {}).get(name, ())]
            found[name] = packages[name] | {"depends": needs}
            todo += found[name]["depends"]
    return found


def _sums(name):
    """Every file that may be used, with its sum; the list of packages is believed once it has its own."""
    core = pins()["pyodide"]["core"]
    known = core | {wheel["file"]: wheel["sha256"] for wheel in pins()["wheels"].values()}
    return known if name in known else known | {one["file_name"]: one["sha256"] for one in lock()["packages"].values()}


def _fetched(name):
    """Where a file lies, fetched if need be; not yet verified."""
    wheels = {wheel["file"]: f"{wheel_name}=={wheel['version']}" for wheel_name, wheel in pins()["wheels"].items()}
    given = os.environ.get("PYODIDE")
    if given and name not in wheels:
        return pathlib.Path(given) / name
    if not (KEPT / name).exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        if name in wheels:
            _download(wheels[name], name, KEPT)
        else:
            _unpack("npm" if name in pins()["pyodide"]["core"] else "pypi")
    return KEPT / name


def _unpack(source):
    """Fetch one of the two archives, verify it, and keep what lies in its folder."""
    pin = pins()[source]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if source == "npm":
            _run(["npm", "pack", "--silent", f"{pin['name']}@{pin['version']}"], folder)
        else:
            _download(f"{pin['name']}=={pin['version']}", pin["file"], folder)
        archive = verified(folder / pin["file"], pin["sha256"])
        if source == "npm":
            with tarfile.open(archive) as opened:
                opened.extractall(folder, filter="data")
        else:
            with zipfile.ZipFile(archive) as opened:
                opened.extractall(folder)
        for path in (folder / pin["folder"]).iterdir():
            if path.is_file() and (source == "npm" or path.suffix in (".whl", ".zip")) and not _is_other(source, path):
                shutil.move(path, KEPT / path.name)


def _is_other(source, path):
    """Whether the core, or a list of packages, would come from where only wheels are taken."""
    return source == "pypi" and path.name in pins()["pyodide"]["core"]


def _download(requirement, file, folder):
    """Fetch one wheel through pip."""
    words = ["download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]
    _run([sys.executable, "-m", "pip", *words, "--platform", "any", "--dest", str(folder), requirement], folder)
    if not (folder / file).exists():
        raise Missing(f"{requirement} came as another file than {file}")


def _run(words, folder):
    """Run a client of a registry; its last line says what was wrong, without its addresses."""
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    except FileNotFoundError:
        raise Missing(f"{words[0]} is not installed") from None
    if done.returncode:
        raise Missing(f"`{pathlib.Path(words[0]).name} ... {words[-1]}` failed with exit code {done.returncode}")
