"""The live part of the site: `python -m tools.book.lite.build [FOLDER]` (`make lite`), a part of `make site`.

FOLDER (build/lite/site) becomes a JupyterLab of static files, with Python in the reader's browser (Pyodide), every page
and every assignment. JupyterLite comes from an environment of its own, .venv-lite: its JupyterLab is not the book's.
Where something is not to be had, one line says what, and nothing is left behind.
"""

import contextlib
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import nbformat

from tools.book import memory
from tools.book.lite import distribution, node, packages
from tools.book.lite.distribution import Missing

ROOT = packages.ROOT
HERE = pathlib.Path(__file__).parent
PLACE = ROOT / "build" / "lite" / "site"
WORK = ROOT / "build" / "lite"
JUPYTER = ROOT / ".venv-lite" / "bin"
EXTENSIONS = (ROOT / "tools" / "book" / "jupyter" / "labextensions", HERE / "labextensions")
CHANNEL = "dpbook-lite"
# The kernel's worker of a page that has no memory to share, as a static host's pages have none.
KERNELS_WORKER = re.compile(r"crossOriginIsolated\?new Worker\(.{,60}?\):new Worker\(new URL\(\w\.p\+\w\.u\((\d+)\)")


def build(place=PLACE, work=WORK, names=(), answered=True):
    """Write the live part of these pages (of all, if none are named) into a folder; returns its size in bytes.

    Raises `Missing` for what is not to be had, and then writes nothing.
    """
    if not (JUPYTER / "jupyter-lite").exists():
        raise Missing("JupyterLite is not installed (`make lite` does it)")
    for folder in ("files", "lab"):
        shutil.rmtree(work / folder, ignore_errors=True)
    (work / "lab").mkdir(parents=True)
    pyodide = work / "python"
    listed = packages.fill(pyodide, kernel_wheels())
    compile_all(pyodide, listed)
    contents(work / "files", names, answered)
    version = fingerprint(work / "files", pyodide, HERE / "static", *EXTENSIONS)
    options, home = settings(work / "lab", pyodide, listed, version)
    made = work / "made"
    shutil.rmtree(made, ignore_errors=True)
    run_jupyter_lite(work, made)
    finish(made, pyodide, home)
    begun_early(made, home, options)
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(made, place)
    return sum(file.stat().st_size for file in place.rglob("*") if file.is_file())


def kernel_wheels():
    """The wheels of the kernel itself, name -> (path, imports, depends): they come with the extension."""
    found = JUPYTER.parent.glob("share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi/*.whl")
    paths = {path.name.partition("-")[0]: path for path in found}
    return {
        "piplite": (paths["piplite"], ["piplite"], ["micropip"]),
        "ipykernel": (paths["ipykernel"], ["ipykernel"], []),
        "pyodide-kernel": (paths["pyodide_kernel"], ["pyodide_kernel"], ["ipython", "ipykernel", "comm"]),
    }


def compile_all(pyodide, listed):
    """Replace each package by its byte code; what has been compiled before is kept, under the sum of its source."""
    core = distribution.files([name for name in distribution.pins()["pyodide"]["core"] if name != "pyodide-lock.json"])
    plain = distribution.KEPT / "compiling"
    plain.mkdir(parents=True, exist_ok=True)
    for name, path in core.items():
        shutil.copy(path, plain / name)
    (plain / "pyodide-lock.json").write_text(json.dumps(listed | {"packages": {}}))
    kept = distribution.KEPT / "compiled"
    kept.mkdir(exist_ok=True)
    code = (HERE / "compile.py").read_text(encoding="utf-8")
    files = {one["file_name"]: one["name"] in packages.OWN for one in listed["packages"].values()}
    files = {name: keep for name, keep in files.items() if name.endswith(".whl")} | {"python_stdlib.zip": False}
    how, calls, made = hashlib.sha256(code.encode()).hexdigest()[:8], [], {}
    for name, keep in files.items():
        made[name] = kept / f"{distribution.sum_of(pyodide / name)[:16]}-{how}"
        if not made[name].exists():
            here, there = (f"/book/{path.relative_to(ROOT).as_posix()}" for path in (pyodide / name, made[name]))
            calls.append(f"compiled({here!r}, {there + '.new'!r}, {keep})\nos.replace({there + '.new'!r}, {there!r})")
    if calls:
        node.run("\n".join([code, "import os", *calls, "''"]), plain, packages=())
    for name, path in made.items():
        shutil.copy(path, pyodide / name)
    for one in listed["packages"].values():
        one["sha256"] = distribution.sum_of(pyodide / one["file_name"])
    font_list(pyodide, listed, kept)
    (pyodide / "pyodide-lock.json").write_text(json.dumps(listed, sort_keys=True))


def font_list(pyodide, listed, kept):
    """matplotlib's list of its fonts, as it would make it at the start of each kernel, for its own has others."""
    one = listed["packages"]["matplotlib"]
    found, path = kept / f"fonts-{one['sha256'][:16]}.json", pyodide / one["file_name"]
    if not found.exists():
        (pyodide / "pyodide-lock.json").write_text(json.dumps(listed))
        found.write_text(node.run(FONTS, pyodide, packages=("matplotlib",)))
    with zipfile.ZipFile(path) as archive:
        inside = {info: archive.read(info) for info in archive.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for info, data in inside.items():
            archive.writestr(info, found.read_bytes() if info.filename == "matplotlib/fontlist.json" else data)
    one["sha256"] = distribution.sum_of(path)


FONTS = """
import json
from matplotlib import font_manager as fonts
json.dumps(fonts.FontManager(), cls=fonts._JSONEncoder)
"""


def contents(folder, names, answered=True):
    """What the reader finds, where the book has it: pages, as stored, the tables that they read, and assignments."""
    pages = folder / "notebooks"
    pages.mkdir(parents=True)
    for source in sorted((ROOT / "notebooks").glob("*.py")):
        if (not names or source.stem in names) and source.with_suffix(".ipynb").exists():
            joined(source.with_suffix(".ipynb"), pages)
            for name in memory.beside(source):
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, target)
    for kind in ("releases", "answers") if answered else ("releases",):
        tasks = folder / "exercises" / kind
        tasks.mkdir(parents=True)
        for task in sorted((ROOT / "exercises" / kind).glob("*.ipynb")):
            if not names or task.stem in names:
                joined(task, tasks)


def joined(notebook, folder):
    """Copy a notebook with each text in one piece, as Jupyter's server gives it: JupyterLite gives what it finds."""
    page = nbformat.read(notebook, as_version=4)
    (folder / notebook.name).write_text(json.dumps(page), encoding="utf-8")


def fingerprint(*folders):
    """A name for this version: another one if any file is another."""
    whole = hashlib.sha256()
    for folder in folders:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            whole.update(file.relative_to(folder).as_posix().encode() + file.read_bytes())
    return whole.hexdigest()[:12]


def settings(folder, pyodide, listed, version):
    """JupyterLite's settings, and what our own entry to Pyodide reads; returns Python's options, and its folder.

    The folder has the sum of its content in its name: what a browser has kept of one Python is never taken for another.
    """
    shutil.copy(HERE / "static" / "dpbook.js", pyodide)
    (pyodide / "pyodide.mjs").unlink()  # node's
    small = pyodide / "pyodide.asm.wasm.packed"  # not .gz: some hosts would say that it is to be unpacked on its way
    small.write_bytes(gzip.compress((pyodide / "pyodide.asm.wasm").read_bytes(), mtime=0))
    (pyodide / "pyodide.asm.wasm").unlink()
    packed = {"pyodide.asm.wasm": small.name}
    arriving = (one for one in pyodide.iterdir() if one.suffix in (".whl", ".zip", ".packed", ".js"))
    sizes = {one.name: one.stat().st_size for one in arriving}
    (pyodide / "dpbook.json").write_text(json.dumps({"sizes": sizes, "packed": packed, "channel": CHANNEL}))
    first = ["piplite", "ipykernel", "comm", "pyodide-kernel", "ipython", "sqlite3", "livefig", "dpbook"]
    env = {"HOME": "/home/pyodide", "JUPYTER_WIDGETS_ECHO": "0", "DPBOOK_GUESSES": "/drive/.dpbook-guesses.jsonl"}
    options = {"env": env, "packages": [*first, *packages.ABSENT]}
    home = f"static/python-{fingerprint(pyodide)}/"
    kernel = {"pyodideUrl": f"./{home}dpbook.js", "disablePyPIFallback": True, "loadPyodideOptions": options}
    here = json.loads((ROOT / "tools/book/jupyter/labconfig/page_config.json").read_text())
    data = {
        "appName": "dpbook",
        "exposeAppInBrowser": True,
        "contentsStorageName": f"dpbook pages {version}",
        "settingsStorageName": "dpbook settings",
        "workspacesStorageName": f"dpbook workspaces {version}",
        "disabledExtensions": list(here["disabledExtensions"]),
        "litePluginSettings": {"@jupyterlite/pyodide-kernel-extension:kernel": kernel},
    }
    lite = {"jupyter-lite-schema-version": 0, "jupyter-config-data": data}
    (folder / "jupyter-lite.json").write_text(json.dumps(lite, indent=1))
    overrides = ROOT / "tools/book/jupyter/labconfig/default_setting_overrides.json"
    (folder / "overrides.json").write_text(overrides.read_text())
    return options, home


def run_jupyter_lite(work, made):
    """`jupyter lite build`: it reads nothing but these folders, and asks nobody."""
    shared = JUPYTER.parent / "share" / "jupyter" / "labextensions"
    for folder in EXTENSIONS:
        for extension in folder.iterdir():
            shutil.rmtree(shared / extension.name, ignore_errors=True)
            shutil.copytree(extension, shared / extension.name)
    words = [JUPYTER / "jupyter-lite", "build", "--lite-dir", work / "lab", "--contents", work / "files"]
    words += ["--output-dir", made, "--no-sourcemaps", "--no-unused-shared-packages"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    environment["PATH"] = f"{JUPYTER}:{environment['PATH']}"
    words = [str(word) for word in words]
    done = subprocess.run(words, cwd=work / "lab", env=environment, capture_output=True, text=True)
    if done.returncode:
        (work / "jupyter-lite.txt").write_text(done.stdout + done.stderr)
        raise Missing(f"`jupyter lite build` failed: {work / 'jupyter-lite.txt'} says why")


def finish(made, pyodide, home):
    """Python, and our own service worker instead of JupyterLite's, which would mix the files of two versions."""
    shutil.copytree(pyodide, made / home)
    shutil.copy(HERE / "static" / "service-worker.js", made)
    with contextlib.suppress(FileNotFoundError):
        (made / "jupyterlite.schema.v0.json").unlink()


def begun_early(made, home, options):
    """Whoever comes again waits for JupyterLab and for Python at once: a kernel's worker begins with the page."""
    folder = made / "extensions" / "@jupyterlite" / "pyodide-kernel-extension" / "static"
    found = [re.search(KERNELS_WORKER, file.read_text(encoding="utf-8")) for file in folder.glob("*.js")]
    numbers = {match[1] for match in found if match}
    if len(numbers) != 1:
        raise Missing("JupyterLite's kernel does not say which file its worker is")
    [kernel] = (file.name for file in folder.glob(f"{numbers.pop()}.*.js"))
    begin, ahead = ((HERE / "static" / name).read_text(encoding="utf-8") for name in ("begin.js", "ahead.js"))
    up = "../" * len(folder.relative_to(made).parts)
    ahead = ahead.replace("HOME", up + home).replace("KERNEL", kernel).replace("OPTIONS", json.dumps(options))
    name = f"ahead.{hashlib.sha256(ahead.encode()).hexdigest()[:12]}.js"
    (folder / name).write_text(ahead)
    here = f"../{folder.relative_to(made).as_posix()}/{name}"
    begin = begin.replace("AHEAD", here).replace("KERNEL", kernel).replace("HOME", f"../{home}")
    page = made / "lab" / "index.html"
    page.write_text(page.read_text().replace("<head>", f"<head>\n<script>\n{begin}</script>", 1))


def main(words):
    place = pathlib.Path(words[0]).absolute() if words else PLACE
    try:
        size = build(place)
    except Missing as missing:
        print(f"the live part is left out: {missing}")
        return 0
    print(f"{place / 'lab' / 'index.html'} ({size / 1e6:.0f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
