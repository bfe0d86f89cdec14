"""A kernel by fork is to a page what a kernel of its own Python is."""

import jupyter_client.provisioning.local_provisioner as provisioner
import pytest
from jupyter_client.launcher import launch_kernel
from jupyter_client.manager import start_new_kernel

from tools.book import forks

pytestmark = pytest.mark.depends("tools/book/forks.py", "tests/test_forks.py")
SEEN = """
import os, sys, matplotlib.pyplot as plt, pandas as pd, ipywidgets
loaded = sorted(name for name in sys.modules if name.split(".")[0] in ("dpbook", "livefig", "pytest"))
own = {name: value for name, value in os.environ.items() if not name.startswith(("JPY", "PYTEST"))}
print(sys.path, os.getcwd(), plt.get_backend(), plt.rcParams["figure.dpi"], pd.get_option("display.max_columns"))
print(__name__, loaded, sorted(own.items()), os.getpgid(0) == os.getpid(), ipywidgets.Button().comm is not None)
"""


def printed(launch, monkeypatch, folder):
    """What a kernel prints that is started so, and whether it is gone afterwards."""
    monkeypatch.setattr(provisioner, "launch_kernel", launch)
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(folder))
    told = []
    try:
        client.execute_interactive(SEEN, timeout=60, output_hook=told.append)
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
    assert not manager.is_alive()
    return "".join(one["content"]["text"] for one in told if one["msg_type"] == "stream")


def test_a_page_sees_no_difference(monkeypatch, tmp_path):
    forked = printed(forks.Forked, monkeypatch, tmp_path)
    assert forked == printed(launch_kernel, monkeypatch, tmp_path)
    assert "inline" in forked and "__main__ []" in forked and forked.endswith("True True\n")
