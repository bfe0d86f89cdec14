"""A JupyterLab for tests and measurements: started as `make lab` starts it, on any folder, gone when done with."""

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import time

SETTINGS = pathlib.Path(__file__).parent / "jupyter"


@contextlib.contextmanager
def running_lab(folder, settings=SETTINGS):
    """Yield the address and the token of a JupyterLab that shows `folder`; stop it and its kernels afterwards.

    Everything it remembers stays in `folder`. `settings` is the Jupyter configuration to use: that of `make lab`, or
    None for Jupyter's own.
    """
    places = ("CONFIG_DIR", "RUNTIME_DIR", "DATA_DIR")
    surroundings = os.environ | {f"JUPYTER_{place}": str(folder / place.lower()) for place in places}
    surroundings |= {f"JUPYTERLAB_{place}_DIR": str(folder / place.lower()) for place in ("SETTINGS", "WORKSPACES")}
    surroundings["JUPYTER_CONFIG_PATH"] = str(settings or "")
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--port=0",
        "--expose-app-in-browser",
    ]
    with open(folder / "lab.log", "w+") as log:
        process = subprocess.Popen(command, cwd=folder, env=surroundings, stdout=log, stderr=log)
        try:
            yield address(process, folder / "lab.log")
        finally:
            process.terminate()
            process.wait(timeout=30)


def address(process, log):
    """The address and token that a starting JupyterLab prints, waited for at most a minute."""
    for _ in range(600):
        if found := re.search(r"(http://127\.0\.0\.1:\d+)/lab\?token=(\w+)", log.read_text()):
            return found.groups()
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError("JupyterLab did not start:\n" + log.read_text())
