"""JupyterLab as `make lab` starts it: pictures without delay, no pop-ups, pages that run by themselves and stay clean.

Nothing of the reader's own Jupyter is changed: our extension and our layout live in this clone, and only this server
reads them. Themes, keys and other settings are the reader's own.
"""

import os
import pathlib
import runpy
import warnings

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection

c = get_config()  # noqa: F821  (Jupyter provides it)
HERE = pathlib.Path(__file__).resolve().parent


class PromptConnection(ZMQChannelsWebsocketConnection):
    """Send each small message at once; by default the system holds one back until the last is acknowledged (Nagle)."""

    def connect(self):
        self.websocket_handler.set_nodelay(True)
        return super().connect()


# Kernels inherit this: without it each slider's value is first sent back to the browser that it came from.
os.environ.setdefault("JUPYTER_WIDGETS_ECHO", "0")
# And these: Linux takes back what an array leaves and hands it out again page by page, for two thirds of the time that
# arrays of half a megabyte cost. A kernel keeps up to 64 MB instead. Other systems know nothing of these names.
os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", "67108864")
os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", "33554432")

c.ServerApp.kernel_websocket_connection_class = PromptConnection
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"

# A page that is opened runs and stays in place, with its outline at the left.
c.LabApp.extra_labextensions_path = [str(HERE / "labextensions")]
c.LabApp.workspaces_dir = os.environ.get("JUPYTERLAB_WORKSPACES_DIR") or str(HERE.parents[2] / "build" / "workspaces")

# The sources of pages and assignments are not for the reader's list; a page that was only read stays as it was.
c.ContentsManager.hide_globs = ["__pycache__", "*.pyc", "*.pyo", ".DS_Store", "*~", "[0-9][0-9]_*.py"]
warnings.filterwarnings("ignore", "Overriding existing pre_save_hook")  # Jupyter reads this file twice
c.FileContentsManager.pre_save_hook = runpy.run_path(str(HERE.parent / "saving.py"))["as_stored"]
