"""Kernels by fork, for tests: a worker imports once what its dozen pages import, and not once a page.

What knows its kernel when it is imported (pyplot, ipywidgets) is left to the page. So is all of this project. pandas
knows it by one option, which is set as it would be.
"""

import functools
import json
import multiprocessing
import os
import subprocess
import sys

SERVER = multiprocessing.get_context("forkserver")
DRAWING = ["matplotlib.backends.backend_agg", "matplotlib.figure"]
COMPUTING = ["pandas", "scipy.fft", "scipy.interpolate", "scipy.sparse.linalg", "scipy.stats"]
SERVER.set_forkserver_preload(["ipykernel.kernelapp", *DRAWING, *COMPUTING])


@functools.cache
def path():
    """Where a Python of its own looks for modules: not where the tests do."""
    told = [sys.executable, "-c", "import json, sys; print(json.dumps(sys.path[1:]))"]
    return json.loads(subprocess.run(told, capture_output=True, check=True).stdout)


class Forked:
    """A running kernel, with what jupyter_client wants to see of a `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, command, env, cwd, **_):
        ready, begun = SERVER.Pipe(duplex=False)
        self.process = SERVER.Process(target=run, args=(command, env, cwd, path(), begun))
        self.process.start()
        begun.close()
        ready.recv()  # now it has a group of its own: a signal to its group is not one to ours
        self.pid = self.process.pid

    def poll(self):
        return self.process.exitcode

    def wait(self, timeout=None):
        self.process.join(timeout)
        return self.process.exitcode

    def send_signal(self, signal):
        os.kill(self.pid, signal)


def run(command, env, cwd, folders, begun):
    """The kernel's process, as if Python had been started by `command` (python -m ipykernel_launcher ...)."""
    import matplotlib
    import pandas
    from ipykernel.kernelapp import launch_new_instance

    os.setsid()
    begun.send(True)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    matplotlib.use("module://matplotlib_inline.backend_inline")
    pandas.set_option("display.max_columns", 20)  # as where there is no terminal
    sys.argv = [*command[2:], f"--IPKernelApp.parent_handle={os.getppid()}"]  # without its parent it ends
    sys.path[:] = folders
    launch_new_instance()
