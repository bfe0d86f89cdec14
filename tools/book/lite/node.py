"""Python code run in a Pyodide of its own, under node: `run(code, pyodide)`."""

import pathlib
import subprocess
import tempfile

from tools.book.lite.distribution import Missing

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[2]
LOADED = ("dpbook", "livefig", "pandas", "ipython")


def run(code, pyodide, packages=LOADED, seconds=1800):
    """The last value of Python code, a string; the project is its folder /book.

    `pyodide` is a folder with its core and these packages. Raises RuntimeError with what it said if it failed, and
    `Missing` without node.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "code.py"
        file.write_text(code, encoding="utf-8")
        words = ["node", str(HERE / "run.mjs"), str(pyodide), str(ROOT), str(file), ",".join(packages)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=seconds)
        except FileNotFoundError:
            raise Missing("node is not installed") from None
    if done.returncode:
        raise RuntimeError(f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}".strip())
    return done.stdout.rstrip("\n").rpartition("\n")[2]
