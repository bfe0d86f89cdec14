"""A JupyterLab for tests and measurements: started as `make lab` starts it, on any folder, gone when done with."""

import contextlib
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time
import warnings

import psutil

HOUSE = pathlib.Path(__file__).parent
SETTINGS = HOUSE / "jupyter"
LAB, NOTEBOOK = (str(HOUSE / "lab.py"),), ("-m", "notebook")
OPTIONS = ("--no-browser", "--allow-root", "--port=0", "--expose-app-in-browser")
GRACE = 20  # seconds; a server with kernels that do not answer takes 5 to 7


@contextlib.contextmanager
def running_lab(folder, settings=SETTINGS, by_itself=False, command=LAB):
    """Yield the address and the token of a JupyterLab that shows `folder`; stop it and its kernels afterwards.

    Everything it remembers stays in `folder`. `settings` is the Jupyter configuration to use: that of `make lab`, or
    None for Jupyter's own. Pages wait to be run, as for a reader who has switched that off, unless they are to run
    `by_itself`. `command` may be `NOTEBOOK`, for Notebook 7. A server that has to be killed is the matter of a warning.
    """
    choose(folder, runOnOpen=by_itself)
    places = ("CONFIG_DIR", "RUNTIME_DIR", "DATA_DIR")
    surroundings = os.environ | {f"JUPYTER_{place}": str(folder / place.lower()) for place in places}
    surroundings |= {f"JUPYTERLAB_{place}_DIR": str(folder / place.lower()) for place in ("SETTINGS", "WORKSPACES")}
    surroundings["DPBOOK_GUESSES"] = str(folder / "guesses.jsonl")
    surroundings["JUPYTER_CONFIG_PATH"] = str(settings or "")
    with open(folder / "lab.log", "w+") as log:
        words = [sys.executable, *command, *OPTIONS]
        process = subprocess.Popen(words, cwd=folder, env=surroundings, stdout=log, stderr=log)
        try:
            yield address(process, folder / "lab.log")
        finally:
            if not stop(process):
                warnings.warn(f"JupyterLab did not stop within {GRACE} s and was killed", stacklevel=2)


def choose(folder, **settings):
    """Settings of the pages of the book, as a reader makes them in JupyterLab."""
    file = folder / "settings" / "dpbook-pages" / "pages.jupyterlab-settings"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings))


def address(process, log):
    """The address and token that a starting JupyterLab prints, once it answers there: waited for at most a minute."""
    for _ in range(600):
        if found := re.search(r"(http://(?:127\.0\.0\.1|localhost):(\d+))/(?:lab|tree)\?token=(\w+)", log.read_text()):
            where, port, token = found.groups()
            if answers(int(port)):
                return where, token
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError("JupyterLab did not start:\n" + log.read_text())


def answers(port):
    """Whether somebody listens on this port: JupyterLab prints its address a little before it does."""
    with socket.socket() as here:
        return here.connect_ex(("127.0.0.1", port)) == 0


def stop(process, grace=GRACE):
    """End a process and all that it has started: ask, wait `grace` seconds, kill. Returns whether asking was enough."""
    try:
        family = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        family = []
    process.terminate()
    try:
        process.wait(timeout=grace)
        asked = True
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        asked = False
    _, left = psutil.wait_procs(family, timeout=2 if asked else 0)  # kernels end by themselves a moment later
    for one in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    psutil.wait_procs(left, timeout=5)
    return asked
