"""The book's own packages beside Pyodide's: a folder that a browser, or node, starts from.

`fill(folder)` writes it: Pyodide's core, the packages that the book needs, `dpbook` and `livefig` as two more, and a
`pyodide-lock.json` that lists them, so that `import dpbook` alone loads what it needs and no page installs anything.
The list names files and sums, and neither a host nor a folder of this machine.
"""

import hashlib
import json
import pathlib
import shutil
import zipfile

from tools.book.lite import distribution, needs

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).parent
OWN = ("dpbook", "livefig")
VERSION = "0.1.0"
# Pyodide's packages that pages, assignments and the kernel import by name.
NEEDED = ("numpy", "scipy", "matplotlib", "pandas", "scikit-learn", "pillow", "ipython", "micropip", "packaging")
# What the kernel asks for and nobody needs here: no socket is opened, no word completed.
ABSENT = ("ssl", "jedi")
UNUSED = {"matplotlib": ["fonttools"]}  # only for PDF
DEPENDS = {
    "dpbook": ["numpy", "matplotlib", "livefig", "dpbook-later"],  # and scipy, where `needs` says so
    "livefig": ["numpy", "matplotlib", "pillow", "ipywidgets", "anywidget"],
}


def fill(folder, more=None):
    """Write everything into a new folder, and return the list of packages.

    `more` are further wheels: name -> (path, what it is imported as, what it needs).
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    listed = distribution.lock()
    listed["packages"] = distribution.closure([*NEEDED, *outside()], UNUSED)
    core = [name for name in distribution.pins()["pyodide"]["core"] if name != "pyodide-lock.json"]
    theirs = [one["file_name"] for one in listed["packages"].values()]
    wheels = distribution.pins()["wheels"]
    for name, path in distribution.files([*core, *theirs, *(one["file"] for one in wheels.values())]).items():
        shutil.copy(path, folder / name)
    for name, one in wheels.items():
        listed["packages"][name] = entry(name, one["version"], one["file"], folder, one["imports"], one["depends"])
    for name in OWN:
        file = f"{name}-{VERSION}-py3-none-any.whl"
        wheel(name, folder / file)
        listed["packages"][name] = entry(name, VERSION, file, folder, [name], DEPENDS[name])
    later = folder / "dpbook_later-1-py3-none-any.whl"
    code = (HERE / "static" / "later.py").read_bytes()
    inside = {"__init__.py": code, "needs.json": json.dumps(needs.table()).encode()}
    archive(later, "dpbook_later", "1", {f"dpbook_later/{name}": data for name, data in inside.items()})
    listed["packages"]["dpbook-later"] = entry("dpbook-later", "1", later.name, folder, ["dpbook_later"], [])
    for name in ABSENT:
        file = f"{name}-0-py3-none-any.whl"
        archive(folder / file, name, "0", {})
        listed["packages"][name] = entry(name, "0", file, folder, [name], [])
    for name, (path, imports, depends) in (more or {}).items():
        shutil.copy(path, folder / path.name)
        listed["packages"][name] = entry(name, path.name.split("-")[1], path.name, folder, imports, depends)
    (folder / "pyodide-lock.json").write_text(json.dumps(listed, indent=1, sort_keys=True))
    return listed


def outside():
    """What the pinned wheels need of Pyodide's own packages."""
    wheels = distribution.pins()["wheels"]
    return sorted({need for one in wheels.values() for need in one["depends"]} - set(wheels))


def entry(name, version, file, folder, imports, depends):
    """One package, as Pyodide lists it."""
    same = {"install_dir": "site", "package_type": "package", "unvendored_tests": False}
    own = {"name": name, "version": version, "file_name": file, "imports": imports, "depends": depends}
    return same | own | {"sha256": distribution.sum_of(folder / file)}


def wheel(name, path):
    """One of the book's packages as a wheel."""
    held = [one for one in sorted((ROOT / name).rglob("*")) if one.is_file() and "__pycache__" not in one.parts]
    archive(path, name, VERSION, {one.relative_to(ROOT).as_posix(): one.read_bytes() for one in held})


def archive(path, name, version, contents):
    """A wheel with these contents, file -> bytes; the same bytes for the same contents."""
    about = f"{name}-{version}.dist-info"
    texts = {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nLicense: BSD-3-Clause\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: dpbook\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    contents = contents | {inside: text.encode() for inside, text in texts.items()}
    rows = [f"{inside},sha256={hashlib.sha256(data).hexdigest()},{len(data)}\n" for inside, data in contents.items()]
    contents[f"{about}/RECORD"] = "".join(rows).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for inside, data in contents.items():
            made.writestr(zipfile.ZipInfo(inside, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
